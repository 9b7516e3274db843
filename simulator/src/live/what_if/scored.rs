//! The answer beside the record: how much of the recorded waits the replay explains, what of them would be saved, what
//! could have been saved in the recorded schedule itself ([`super::holes`]), and how sure each number is.
//!
//! All of it is about the jobs of the period whose recorded waits are known. The replay of the one policy explains its
//! own mean wait over the recorded one. What the other policy saves is counted from the replay of the one, or from the
//! record where people waited less than that. Intervals are those of a bootstrap over the weeks in which jobs were
//! submitted, from the first submission of the period on, and over the replays ([`crate::base::bootstrap`]).

use super::expected::expected;
use super::holes::{Knowledge, earlier, idle_while_waiting};
use super::{NOTICED_S, Pair, Period};
use crate::base::bootstrap::{Figure, WEEK_S, draws, interval};
use crate::base::statistics::{SHORTEST_BASE_S, change};
use crate::replay::predict::PredictorName;
use crate::trace::recorded::Verdict;
use crate::trace::workload::Workload;
use serde::Serialize;
use std::collections::BTreeMap;

/// The replay beside the record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scored {
    /// Jobs whose recorded waits are known.
    pub jobs: u64,
    /// Whether the replay can tell.
    pub verdict: Verdict,
    /// Their recorded mean wait.
    pub recorded_s: f64,
    /// In the replay of the one policy.
    pub before_s: f64,
    /// In the replay of the other.
    pub after_s: f64,
    /// `before_s` over `recorded_s`; none where people waited less than a minute.
    pub explained: Option<Figure>,
    /// The part of the recorded mean wait that the other policy saves.
    pub saved_s: Figure,
    /// The same as a share of it; none where people waited less than a minute.
    pub saved: Option<Figure>,
}

/// Waiting that could have been saved in the recorded schedule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Anchored {
    /// The share of the recorded waiting time in which processors enough were idle; none where no job waited.
    pub idle: Option<f64>,
    /// With run times known beforehand.
    pub run_times: Earlier,
    /// With those that the other policy expected in their place, and without later submissions.
    pub expected: Earlier,
}

/// Starts that are earlier than recorded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Earlier {
    /// Seconds by which the mean wait is shorter.
    pub saved_s: Figure,
    /// The same as a share of it; none where people waited less than a minute.
    pub saved: Option<Figure>,
    /// The share of the jobs that start at least a minute earlier.
    pub earlier: f64,
}

/// The replays, and the recorded schedule, beside the record.
#[derive(Debug)]
pub(super) struct Beside {
    /// The weeks in which jobs were submitted.
    pub weeks: usize,
    /// [`super::Row::change`] of all jobs.
    pub change: Option<Figure>,
    /// None where no wait is recorded.
    pub scored: Option<(Scored, Anchored)>,
}

/// The waits of a week's jobs, in seconds together.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    all: f64,
    before: f64,
    after: f64,
    /// Number of jobs whose recorded waits are known, to which this and the following sums are restricted.
    jobs: f64,
    recorded: f64,
    known_before: f64,
    known_after: f64,
    run_times: f64,
    expected: f64,
}

impl Sums {
    fn add(&mut self, other: &Sums, times: f64) {
        self.all += other.all * times;
        self.before += other.before * times;
        self.after += other.after * times;
        self.jobs += other.jobs * times;
        self.recorded += other.recorded * times;
        self.known_before += other.known_before * times;
        self.known_after += other.known_after * times;
        self.run_times += other.run_times * times;
        self.expected += other.expected * times;
    }

    /// [`change`] of all jobs.
    fn change(&self) -> Option<f64> {
        (self.all > 0.0).then(|| change(self.after / self.all, self.before / self.all))?
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.jobs > 0.0).then(|| sum / self.jobs)
    }

    fn recorded_s(&self) -> Option<f64> {
        self.mean(self.recorded)
    }

    /// A sum over the recorded one.
    fn share(&self, sum: f64) -> Option<f64> {
        self.recorded_s().filter(|&mean| mean >= SHORTEST_BASE_S).map(|_| sum / self.recorded)
    }

    fn saved(&self) -> f64 {
        self.known_before.min(self.recorded) - self.known_after
    }
}

/// The sums of every week of every replay, weeks first, and those of the whole period and of every draw.
struct Weeks {
    sums: Vec<Vec<Sums>>,
    whole: Sums,
    drawn: Vec<Sums>,
}

impl Weeks {
    fn new(weeks: Vec<Vec<Sums>>, replays: usize) -> Weeks {
        let mut found = Weeks { sums: weeks, whole: Sums::default(), drawn: Vec::new() };
        let every: (Vec<usize>, Vec<usize>) = ((0..found.sums.len()).collect(), (0..replays).collect());
        found.whole = found.total(&every.0, &every.1);
        let drawn = draws(found.sums.len(), replays);
        found.drawn = drawn.map(|draw| found.total(&draw.blocks, &draw.replays)).collect();
        found
    }

    /// The sums of some weeks, each the mean over some replays.
    fn total(&self, weeks: &[usize], replays: &[usize]) -> Sums {
        let mut total = Sums::default();
        for week in weeks.iter().filter_map(|&week| self.sums.get(week)) {
            for sums in replays.iter().filter_map(|&replay| week.get(replay)) {
                total.add(sums, 1.0 / replays.len() as f64);
            }
        }
        total
    }

    fn figure(&self, of: impl Fn(&Sums) -> Option<f64>) -> Option<Figure> {
        let value = of(&self.whole)?;
        Some(Figure { value, ci95: interval(self.sums.len(), self.drawn.iter().map(of)) })
    }
}

/// Puts replays beside the record; `recorded` are the jobs as the history has them.
pub(super) fn beside(recorded: &Workload, period: &Period, pairs: &[Pair]) -> Beside {
    let measured = || recorded.jobs.iter().filter(|job| period.has(job.submit));
    let first = measured().map(|job| job.submit).next().unwrap_or(0);
    let week = |submit: i64| (submit - first).div_euclid(WEEK_S);
    let mut weeks: BTreeMap<i64, Vec<Sums>> = BTreeMap::new();
    let mut sums_of = |submit: i64, replay: usize, add: Sums| {
        let sums = weeks.entry(week(submit)).or_insert_with(|| vec![Sums::default(); pairs.len()]);
        if let Some(sums) = sums.get_mut(replay) {
            sums.add(&add, 1.0);
        }
    };
    for (replay, pair) in pairs.iter().enumerate() {
        for (job, submit, before, after) in pair.measured(period) {
            let (before, after) =
                ((before.start - before.submit) as f64, (after.start - after.submit) as f64);
            let known = if job.wait >= 0 { 1.0 } else { 0.0 };
            let (known_before, known_after) = (before * known, after * known);
            let add = Sums { all: 1.0, before, after, known_before, known_after, ..Sums::default() };
            sums_of(submit, replay, add);
        }
    }
    let predictor = pairs.first().map_or(PredictorName::Limit, |pair| pair.after.setup.predictor);
    let lengths = expected(&recorded.jobs, predictor);
    let [by_run_times, by_expected] = [Knowledge::RunTimes, Knowledge::Expected(&lengths)]
        .map(|of| earlier(&recorded.jobs, recorded.procs, of));
    let idle = idle_while_waiting(&recorded.jobs, recorded.procs);
    let (mut jobs, mut waited, mut idled, mut noticed) = (0, 0, 0, [0u64; 2]);
    for job in measured().filter(|job| job.wait >= 0) {
        let by = |seconds: &[i64]| seconds.get(job.id).copied().unwrap_or(0);
        let (run_times, expected) = (by(&by_run_times), by(&by_expected));
        noticed[0] += u64::from(run_times >= NOTICED_S);
        noticed[1] += u64::from(expected >= NOTICED_S);
        (jobs, waited, idled) = (jobs + 1, waited + job.wait, idled + by(&idle));
        let add = Sums {
            jobs: 1.0,
            recorded: job.wait as f64,
            run_times: run_times as f64,
            expected: expected as f64,
            ..Sums::default()
        };
        (0..pairs.len()).for_each(|replay| sums_of(job.submit, replay, add));
    }
    let weeks = Weeks::new(weeks.into_values().collect(), pairs.len());
    let scored = || {
        let whole = &weeks.whole;
        let (recorded_s, before_s) = (whole.recorded_s()?, whole.mean(whole.known_before)?);
        let scored = Scored {
            jobs,
            verdict: Verdict::of(recorded_s, before_s),
            recorded_s,
            before_s,
            after_s: whole.mean(whole.known_after)?,
            explained: weeks.figure(|sums| sums.share(sums.known_before)),
            saved_s: weeks.figure(|sums| sums.mean(sums.saved()))?,
            saved: weeks.figure(|sums| sums.share(sums.saved())),
        };
        let earlier = |of: fn(&Sums) -> f64, noticed: u64| {
            Some(Earlier {
                saved_s: weeks.figure(|sums| sums.mean(of(sums)))?,
                saved: weeks.figure(|sums| sums.share(of(sums))),
                earlier: noticed as f64 / jobs as f64,
            })
        };
        let anchored = Anchored {
            idle: (waited > 0).then(|| idled as f64 / waited as f64),
            run_times: earlier(|sums| sums.run_times, noticed[0])?,
            expected: earlier(|sums| sums.expected, noticed[1])?,
        };
        Some((scored, anchored))
    };
    Beside { weeks: weeks.sums.len(), change: weeks.figure(Sums::change), scored: scored() }
}
