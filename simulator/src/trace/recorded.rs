//! The waits and run times that a trace itself records, in the form of Table 1 of Nissimov & Feitelson 2007.
//!
//! The paper's "average wait" and "average run" come out as the means over the jobs that waited and ran, both for a
//! second at least. Jobs that started at once are in neither, though the paper does not say so.

use crate::base::statistics::SHORTEST_BASE_S;
use crate::trace::workload::Job;
use serde::{Deserialize, Serialize};

/// The share of the recorded mean wait that a replay of the site's kind of scheduler explains at least, before it says
/// anything about what another one would save of it: below a quarter most of the waiting has causes that are not in the
/// replay, and the effect of a policy on them is unknown.
pub const EXPLAINED: f64 = 0.25;

/// The share of the recorded mean wait to which a replay comes at most, before it says anything about another policy.
/// On a large machine whose replay describes it the share was 73 to 158 % from one part of the history to another. The
/// presets save a third to a half of EASY's waits; one that saves 38 % brings a replay of 1.6 times the record down to
/// the record: beyond that the replay errs by as much as what is asked about.
pub const EXCEEDED: f64 = 1.6;

/// Whether a history can tell what another policy would save of the waits that it records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It can: the replay explains at least [`EXPLAINED`] of the recorded mean wait, and not more than [`EXCEEDED`].
    Explained,
    /// It cannot: the replay explains less.
    Unexplained,
    /// It cannot: jobs wait far longer in the replay than they did.
    Exceeded,
    /// There is nothing to be saved: people waited less than a minute on average.
    Short,
}

impl Verdict {
    /// The verdict on a recorded mean wait and the replayed one of the same jobs, in seconds.
    pub fn of(recorded_s: f64, replayed_s: f64) -> Verdict {
        match recorded_s {
            short if short < SHORTEST_BASE_S => Verdict::Short,
            long if replayed_s < EXPLAINED * long => Verdict::Unexplained,
            long if replayed_s > EXCEEDED * long => Verdict::Exceeded,
            _ => Verdict::Explained,
        }
    }
}

/// The mean wait and run time of some jobs, in seconds; 0 without any.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Means {
    /// Number of jobs.
    pub jobs: u64,
    /// Their mean wait.
    pub wait_s: f64,
    /// Their mean run time.
    pub run_s: f64,
}

/// Recorded means of a trace's jobs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Recorded {
    /// Means of all jobs whose waits are known.
    pub all: Means,
    /// Means of those that waited and ran, both for a second at least.
    pub waited: Means,
}

impl Recorded {
    /// The means of these jobs.
    pub fn of(jobs: &[Job]) -> Recorded {
        let means = |least: i64| {
            let (mut count, mut wait, mut run) = (0u64, 0.0, 0.0);
            for job in jobs.iter().filter(|job| job.wait >= least && job.run_time >= least) {
                count += 1;
                wait += job.wait as f64;
                run += job.run_time as f64;
            }
            let of = count.max(1) as f64;
            Means { jobs: count, wait_s: wait / of, run_s: run / of }
        };
        Recorded { all: means(0), waited: means(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_must_be_explained_and_not_much_more_than_all() {
        let found = [(59.0, 500.0), (60.0, 14.9), (60.0, 15.0), (60.0, 96.0), (60.0, 96.1), (0.0, 0.0)]
            .map(|(recorded, replayed)| Verdict::of(recorded, replayed));
        let [short, explained] = [Verdict::Short, Verdict::Explained];
        assert_eq!(found, [short, Verdict::Unexplained, explained, explained, Verdict::Exceeded, short]);
    }

    #[test]
    fn by_hand() {
        let job = |(wait, run_time): (i64, i64)| Job { wait, run_time, ..Job::default() };
        let jobs = [(-1, 50), (0, 10), (30, 0), (60, 20), (10, 40)].map(job);
        let recorded = Recorded::of(&jobs);
        assert_eq!(recorded.all, Means { jobs: 4, wait_s: 25.0, run_s: 17.5 });
        assert_eq!(recorded.waited, Means { jobs: 2, wait_s: 35.0, run_s: 30.0 });
        assert_eq!(Recorded::of(&jobs[..1]), Recorded::default());
    }
}
