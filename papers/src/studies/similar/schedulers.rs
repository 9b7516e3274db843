//! Judgements of a workload by schedulers: waits, utilization and the gain of every policy, on the trace and on the
//! workload that a model made of it.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surefill_simulator::replay::policy::{Choice, PolicyOptions};
use surefill_simulator::replay::run::{Error, Options, one};
use surefill_simulator::trace::record::Header;
use surefill_simulator::trace::swf::{Record, SwfJob, Trace};
use surefill_simulator::trace::workload::{Rules, Workload};

/// The policies where none are named; gains are over the first.
pub const POLICIES: [&str; 5] = ["easy", "easy++", "conservative", "delay", "delay-fast"];

/// One policy on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The policy, as on the command line.
    pub policy: String,
    /// Mean wait in seconds.
    pub mean_wait_s: f64,
    /// Processor-seconds used, over those the machine had between the first submission and the last end.
    pub utilization: f64,
}

/// All policies on one workload, in the order asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Processor-seconds that jobs ask for, over those the machine has from the first submission to the last.
    pub offered_load: f64,
    /// Every policy.
    pub replays: Vec<Replay>,
}

impl Judgement {
    /// Replays a workload under all policies, in parallel.
    ///
    /// # Errors
    /// [`Error`].
    pub fn new(workload: &Workload, policies: &[Choice]) -> Result<Judgement, Error> {
        let replays = policies.par_iter().map(|&choice| {
            let options = Options {
                choice,
                policy: choice.options(&PolicyOptions::default()),
                rules: Rules::default(),
            };
            let (_, replayed) = one("", workload, &options, 0, &|_| {})?;
            let metrics = replayed.metrics;
            Ok(Replay {
                policy: choice.to_string(),
                mean_wait_s: metrics.mean_wait_s,
                utilization: metrics.utilization,
            })
        });
        Ok(Judgement {
            offered_load: offered_load(workload),
            replays: replays.collect::<Result<_, Error>>()?,
        })
    }

    /// The first policy's mean wait over that on another workload; none where no job waits there.
    pub fn wait_over(&self, other: &Judgement) -> Option<f64> {
        let (own, other) = (self.replays.first()?, other.replays.first()?);
        (other.mean_wait_s > 0.0).then(|| own.mean_wait_s / other.mean_wait_s)
    }

    /// Relative increase of the mean wait under a policy over that under the first; none where no job waits.
    pub fn gain(&self, policy: usize) -> Option<f64> {
        let (first, own) = (self.replays.first()?, self.replays.get(policy)?);
        (first.mean_wait_s > 0.0).then(|| own.mean_wait_s / first.mean_wait_s - 1.0)
    }
}

fn offered_load(workload: &Workload) -> f64 {
    let (Some(first), Some(last)) = (workload.jobs.first(), workload.jobs.last()) else { return 0.0 };
    let work: f64 = workload.jobs.iter().map(|job| f64::from(job.processors) * job.run_time as f64).sum();
    work / (f64::from(workload.procs) * (last.submit - first.submit).max(1) as f64)
}

/// Number of pairs of policies that come in the same order in both lists of mean waits, and of all pairs.
pub fn in_order(original: &[f64], made: &[f64]) -> (usize, usize) {
    let count = original.len().min(made.len());
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    pairs.fold((0, 0), |(kept, all), (a, b)| {
        let same = (original[a] < original[b]) == (made[a] < made[b]);
        (kept + usize::from(same), all + 1)
    })
}

/// Generated jobs as the replay sees them when their file is read.
///
/// # Errors
/// That there is no job.
pub fn workload(
    name: &str,
    jobs: &[SwfJob],
    procs: u32,
) -> Result<Workload, surefill_simulator::trace::workload::Error> {
    let header = Header { max_procs: Some(procs), ..Header::default() };
    let records: Vec<Record> = jobs.iter().map(Record::from).collect();
    Workload::new(&Trace { name: name.to_owned(), header, records, ..Trace::default() }, &Rules::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four processors. The first job takes all for 100 s; of the two that follow at 10 s and 20 s the one waits 90 s,
    /// the other, which fits beside it, 80 s: 170 / 3 in the mean, whatever the order.
    #[test]
    fn a_workload_by_hand() {
        let job = |number, submit, processors, run_time| SwfJob {
            number,
            submit,
            wait: -1,
            run_time,
            processors,
            requested_time: run_time,
            status: 1,
            user: 1,
            group: -1,
            executable: -1,
            queue: 1,
            partition: 1,
        };
        let jobs = [job(1, 0, 4, 100), job(2, 10, 2, 50), job(3, 20, 2, 50)];
        let workload = workload("t", &jobs, 4).unwrap();
        let policies: Vec<Choice> = POLICIES.map(|name| name.parse().unwrap()).to_vec();
        let judged = Judgement::new(&workload, &policies).unwrap();
        // 600 processor-seconds asked in 20 s of 4, and used in 150 s of 4.
        assert!((judged.offered_load - 7.5).abs() < 1e-12);
        for (replay, name) in judged.replays.iter().zip(POLICIES) {
            assert_eq!(replay.policy, name);
            assert!(
                (replay.mean_wait_s - 170.0 / 3.0).abs() < 1e-9 && replay.utilization == 1.0,
                "{replay:?}"
            );
        }
        assert_eq!((judged.wait_over(&judged), judged.gain(1), judged.gain(5)), (Some(1.0), Some(0.0), None));
    }

    #[test]
    fn pairs_in_order_by_hand() {
        // The last two of 3 < 5 < 9 change places.
        assert_eq!(in_order(&[5.0, 3.0, 9.0], &[8.0, 1.0, 7.0]), (2, 3));
        assert_eq!(in_order(&[1.0], &[2.0]), (0, 0));
    }
}
