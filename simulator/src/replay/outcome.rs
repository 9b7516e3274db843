//! What one replay of a workload produced: the interface between the machine that replays and the reports that measure
//! and draw. Times are seconds on the trace's own clock.

/// How a replay was set up, for the headers of schedules, tables and pages.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Setup {
    /// The trace's file name without its folder.
    pub trace: String,
    /// `fcfs`, `easy`, `conservative`, `easy++`, `prob`.
    pub policy: String,
    /// `limit`, `global`, `user`, ... (how run times were predicted).
    pub predictor: String,
    /// The preset whose values these are: `fair`, `fast`, ...; none where any value differs.
    pub preset: Option<String>,
    /// `fcfs`, `sjbf`, `fair`, ...: the order of the queue and of the backfill candidates.
    pub order: String,
    /// What tells apart probabilistic policies of one predictor and order: criterion, threshold and, where unusual,
    /// events per bin, as the command line writes them.
    pub rule: Option<String>,
    /// The threshold below which a backfill is accepted (probabilistic policy only).
    pub tau: f64,
    /// `exact` or `bound`.
    pub delay: String,
    /// `probability`, `seconds` or `relative`.
    pub criterion: String,
    /// `keep`, `cut` or `raise`: what happened to jobs whose run time exceeds their limit.
    pub overrun: String,
    /// Processors of the machine.
    pub procs: u32,
    /// Seed of this replay: 0 replays the trace as it is, any other shifts every submission by 0 to 59 s.
    pub seed: u64,
}

/// One job's way through the machine.
#[derive(Debug, Clone)]
pub struct JobRecord {
    /// The job's number in the trace.
    pub number: i64,
    /// The line of the user in the trace, negative when unknown.
    pub user: i64,
    /// When it was submitted.
    pub submit: i64,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Processors it held.
    pub processors: u32,
    /// Its time limit in seconds, after the overrun rule.
    pub limit: i64,
    /// Set when it started ahead of a waiting head job: what the policy predicted of the delay it causes.
    pub backfill: Option<Backfill>,
}

/// One accepted backfill, judged afterwards.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Backfill {
    /// Number of the head job it overtook.
    pub head: i64,
    /// The delay the policy predicted, in its criterion's unit (probability, or seconds, or a ratio). Policies that
    /// promise no delay say 0.
    pub predicted: f64,
    /// Counterfactual: by how many seconds the head job's earliest start moved because of this backfill, from the true
    /// end times of the jobs running at that moment (those accepted before it in the same pass included).
    pub observed_delay: i64,
    /// The same in expected seconds, where the policy's criterion counts in seconds; 0 for others.
    pub predicted_s: f64,
    /// Counterfactual: how many seconds later than this decision the head job could have started without this backfill.
    pub head_wait: i64,
}

/// The result of one replay.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it was set up.
    pub setup: Setup,
    /// Every job replayed, in order of submission.
    pub jobs: Vec<JobRecord>,
    /// Scheduling passes made.
    pub passes: u64,
    /// Candidates judged (accepted or refused) in all passes.
    pub decisions: u64,
    /// Wall time of every scheduling pass, in seconds (same length as `passes`).
    pub pass_seconds: Vec<f32>,
    /// Wall time of the whole replay, in seconds.
    pub wall_seconds: f64,
}
