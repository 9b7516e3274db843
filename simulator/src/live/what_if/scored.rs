//! The answer beside the record: how much of the recorded waits the replay explains, what of them would be saved
//! ([`Scored`]), what could have been saved in the recorded schedule itself ([`super::holes`]), and how sure each
//! number is.
//!
//! All of it is about the jobs of the period whose recorded waits are known. Weeks are counted from the first
//! submission of the period on.

use super::expected::expected;
use super::holes::{Knowledge, earlier, idle_while_waiting};
use super::{NOTICED_S, Pair, Period};
use crate::base::bootstrap::{Blocks, Figure, Sums, WEEK_S};
use crate::base::statistics::change;
use crate::replay::predict::PredictorName;
use crate::replay::scored::{Known, Scored};
use crate::trace::workload::Workload;
use serde::Serialize;
use std::collections::BTreeMap;

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
struct Waited {
    all: f64,
    before: f64,
    after: f64,
    /// Those of the jobs whose recorded waits are known, to which the following sums are restricted.
    known: Known,
    run_times: f64,
    expected: f64,
}

impl Sums for Waited {
    fn add(&mut self, other: &Waited, times: f64) {
        self.all += other.all * times;
        self.before += other.before * times;
        self.after += other.after * times;
        self.known.add(&other.known, times);
        self.run_times += other.run_times * times;
        self.expected += other.expected * times;
    }
}

impl Waited {
    /// [`change`] of all jobs.
    fn change(&self) -> Option<f64> {
        (self.all > 0.0).then(|| change(self.after / self.all, self.before / self.all))?
    }
}

/// Puts replays beside the record; `recorded` are the jobs as the history has them.
pub(super) fn beside(recorded: &Workload, period: &Period, pairs: &[Pair]) -> Beside {
    let measured = || recorded.jobs.iter().filter(|job| period.has(job.submit));
    let first = measured().map(|job| job.submit).next().unwrap_or(0);
    let week = |submit: i64| (submit - first).div_euclid(WEEK_S);
    let mut weeks: BTreeMap<i64, Vec<Waited>> = BTreeMap::new();
    let mut sums_of = |submit: i64, replay: usize, add: Waited| {
        let sums = weeks.entry(week(submit)).or_insert_with(|| vec![Waited::default(); pairs.len()]);
        if let Some(sums) = sums.get_mut(replay) {
            sums.add(&add, 1.0);
        }
    };
    for (replay, pair) in pairs.iter().enumerate() {
        for (job, submit, before, after) in pair.measured(period) {
            let (before, after) =
                ((before.start - before.submit) as f64, (after.start - after.submit) as f64);
            let known =
                if job.wait >= 0 { Known { before, after, ..Known::default() } } else { Known::default() };
            let add = Waited { all: 1.0, before, after, known, ..Waited::default() };
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
        let add = Waited {
            known: Known { jobs: 1.0, recorded: job.wait as f64, ..Known::default() },
            run_times: run_times as f64,
            expected: expected as f64,
            ..Waited::default()
        };
        (0..pairs.len()).for_each(|replay| sums_of(job.submit, replay, add));
    }
    let weeks = Blocks::new(weeks.into_values().collect(), pairs.len());
    let scored = || {
        let scored = Scored::of(&weeks, |sums| &sums.known)?;
        let earlier = |of: fn(&Waited) -> f64, noticed: u64| {
            Some(Earlier {
                saved_s: weeks.figure(|sums| sums.known.mean(of(sums)))?,
                saved: weeks.figure(|sums| sums.known.share(of(sums))),
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
    Beside { weeks: weeks.count(), change: weeks.figure(Waited::change), scored: scored() }
}
