//! The reasons why one job waited: the decision of every pass about it.

use crate::replay::engine::{Stuck, replay};
use crate::replay::machine::Cluster;
use crate::replay::outcome::JobRecord;
use crate::replay::policy::{HeadStart, Judged, Policy};
use crate::replay::run::{Error, Options};
use crate::replay::setup::Setup;
use crate::trace::workload::{Job, JobId, Workload};
use serde::Serialize;
use surefill::backfill::{Exactness, Verdict};
use surefill::engine::{self, Names, Reason};

/// Reason why a job did not start in a pass, or its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It is wider than the idle processors.
    TooWide,
    /// It would have fitted, had not others been backfilled before it.
    TakenByOthers,
    /// Backfilling it would delay the head job, or could, more than the policy allows.
    DelaysHead,
    /// Its delay alone would be allowed, but not with what was backfilled ahead of this head job before.
    OverBudget,
    /// By its limit it could delay the head job, which has waited so long that it is guarded.
    Guarded,
    /// It fits, but the policy does not backfill it for reasons of its own.
    NotTried,
    /// The plan of the whole queue has a later start for it.
    Planned,
    /// It is the head job, and too few processors are idle.
    Head,
    /// It started.
    Started,
}

impl Why {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            Why::TooWide => "wider than the idle processors",
            Why::TakenByOthers => "other backfills took the processors",
            Why::DelaysHead => "would delay the head job",
            Why::OverBudget => "over the head job's budget",
            Why::Guarded => "could delay the head job, which is guarded",
            Why::NotTried => "not tried: the policy keeps the order",
            Why::Planned => "planned for later",
            Why::Head => "head job, waits for processors",
            Why::Started => "started",
        }
    }
}

/// The decision of one pass about the job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seen {
    /// Time of the pass.
    pub time: i64,
    /// The head job's number, after the pass; none when no job waits any more.
    pub head: Option<i64>,
    /// Processors idle: when backfills were tried, where the job was tried, else after the pass.
    pub idle: u32,
    /// The outcome for the job.
    pub why: Why,
    /// The delay of the head job, in the criterion's unit.
    pub delay: Option<f64>,
    /// Relation of `delay` to the true one: exact, or a bound.
    pub exactness: Option<&'static str>,
    /// Delay of this head job by all backfills ahead of it until the end of the pass, in the same unit.
    pub spent: Option<f64>,
    /// Predicted end of the job, where that decided.
    pub predicted_end: Option<i64>,
    /// Time of the head job's reservation, where that decided.
    pub shadow: Option<i64>,
    /// Processors that the head job leaves over then.
    pub extra: Option<u32>,
    /// The start that a plan of the whole queue has for the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<i64>,
    /// Seconds by which its wait would be shorter had it started in this pass, and seconds by which the planned waits
    /// of all others together would be longer (below 0: shorter).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_now: Option<(u32, i64)>,
    /// The reason that the plan's scheduler gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// Expected starts of the job, while it is the head job.
    pub starts: Vec<HeadStart>,
}

/// A job's wait.
#[derive(Debug)]
pub struct Explained {
    /// The passes between its submission and its start, both included.
    pub passes: Vec<Seen>,
    /// Its way through the machine.
    pub job: JobRecord,
    /// Setup of the replay.
    pub setup: Setup,
    /// Its priority at submission, where a site's priorities are known.
    pub points: Option<Points>,
}

/// A job's priority at its submission.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Points {
    /// Its points.
    pub points: f64,
    /// The seconds of age that earn as many, if age earns any.
    pub worth_s: Option<f64>,
}

/// The policy, and its decisions about one job.
struct Watching {
    policy: Box<dyn Policy>,
    job: JobId,
    passes: Vec<Seen>,
}

fn name(exactness: Exactness) -> &'static str {
    match exactness {
        Exactness::Exact => "exact",
        Exactness::AtLeast => "at least",
        Exactness::AtMost => "at most",
        Exactness::Estimate => "about",
        Exactness::NotMeasured => "not measured",
    }
}

/// A reason in the scheduler's words, with the trace's numbers of jobs.
fn sentence(cluster: &Cluster<'_>, reason: &Reason) -> String {
    let head = usize::try_from(reason.head - 1).ok().map(|id| format!("job {}", cluster.job(id).number));
    let mut text = String::new();
    let names = Names { head: head.as_deref().unwrap_or_default(), ..Names::default() };
    // A string takes all that is written.
    let _ = reason.write(&names, &mut text);
    text
}

impl Watching {
    fn note(&mut self, cluster: &Cluster<'_>) {
        let job = cluster.job(self.job);
        let tried = self.policy.tried();
        let waits = cluster.position(self.job).is_some();
        let mut seen = Seen {
            time: cluster.now(),
            head: cluster.head().map(|head| head.number),
            idle: tried.map_or(cluster.idle(), |tried| tried.idle),
            why: Why::Started,
            delay: None,
            exactness: None,
            spent: None,
            predicted_end: None,
            shadow: None,
            extra: None,
            planned: None,
            started_now: None,
            sentence: None,
            starts: Vec::new(),
        };
        if waits {
            seen.why = match tried.map(|tried| tried.judged) {
                Some(Judged::Planned(reason)) if reason.why == engine::Why::Guarded => Why::Guarded,
                Some(Judged::Planned(reason)) if reason.why == engine::Why::Later => Why::Planned,
                Some(Judged::Planned(reason)) if reason.why == engine::Why::Head => Why::Head,
                _ if cluster.queue().front() == Some(&self.job) => Why::Head,
                Some(Judged::Planned(reason)) if reason.why == engine::Why::Depth => Why::TakenByOthers,
                Some(Judged::Planned(_)) if tried.is_some_and(|tried| job.processors <= tried.idle) => {
                    Why::TakenByOthers
                }
                Some(Judged::Planned(_)) => Why::TooWide,
                Some(Judged::Delay { verdict: Verdict::DoesNotFit, .. }) => Why::TakenByOthers,
                Some(Judged::Delay { verdict: Verdict::OverBudget, .. }) => Why::OverBudget,
                Some(Judged::Delay { verdict: Verdict::Guarded, .. }) => Why::Guarded,
                Some(_) => Why::DelaysHead,
                None if cluster.fits(job) => Why::NotTried,
                None => Why::TooWide,
            };
        }
        if seen.why == Why::Head {
            seen.starts = self.policy.head_starts(cluster);
        }
        match tried.map(|tried| tried.judged) {
            Some(Judged::Delay { delay, exactness, spent, .. })
                if !matches!(seen.why, Why::TakenByOthers | Why::Guarded) =>
            {
                seen.delay = Some(delay);
                seen.exactness = Some(name(exactness));
                seen.spent = Some(spent);
            }
            Some(Judged::Reservation { end, shadow, extra, .. }) => {
                seen.predicted_end = Some(end);
                seen.shadow = Some(shadow);
                seen.extra = Some(extra);
            }
            Some(Judged::Planned(reason)) if waits => {
                seen.planned = reason.start;
                seen.started_now = reason.price.map(|price| (price.saved, price.others));
                seen.sentence = Some(sentence(cluster, &reason));
            }
            _ => {}
        }
        self.passes.push(seen);
    }
}

impl Policy for Watching {
    fn submitted(&mut self, job: &Job, now: i64) {
        self.policy.submitted(job, now);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.policy.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.policy.ended(job, now);
    }

    fn set_open(&mut self, node: u32, open: bool) {
        self.policy.set_open(node, open);
    }

    fn wake(&self, now: i64) -> Option<i64> {
        self.policy.wake(now)
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        let waited = cluster.position(self.job).is_some();
        self.policy.schedule(cluster);
        if waited {
            self.note(cluster);
        }
    }
}

/// Replays a workload and notes what every pass decides about `job`. The workload must have been made by
/// `options.rules` and carry its seed already, which is passed for the setup only.
///
/// # Errors
/// [`Error`].
pub fn explain(
    trace: &str,
    workload: &Workload,
    options: &Options,
    seed: u64,
    job: JobId,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Explained, Error> {
    let mut policy = options.choice.build(&options.policy)?;
    policy.watch(job);
    let mut watching = Watching { policy, job, passes: Vec::new() };
    let outcome = replay(workload, options.setup(trace, workload.procs, seed), &mut watching, progress)?;
    let record = outcome.jobs.get(job).cloned().ok_or(Stuck { waiting: 1 })?;
    let points = options.policy.site.as_ref().and_then(|site| {
        let points = site.at_submission(workload, &outcome.times()).get(job).copied()?;
        Some(Points { points, worth_s: site.seconds_a_point().map(|seconds| seconds * points) })
    });
    Ok(Explained { passes: watching.passes, job: record, setup: outcome.setup, points })
}
