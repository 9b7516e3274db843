//! Properties of any schedule, on random small workloads.

use crate::common::{first_free, options, replay_as, replay_with, small_workloads, starts};
use proptest::prelude::*;
use surefill_simulator::replay::machine::Cluster;
use surefill_simulator::replay::outcome::{JobRecord, Outcome};
use surefill_simulator::replay::policy::Policy;
use surefill_simulator::trace::workload::{Job, Workload};

const POLICIES: [&str; 17] = [
    "fcfs",
    "conservative",
    "easy",
    "easy:limit:sjbf",
    "easy++",
    "easy:mean2",
    "easy:gibbons",
    "easy:smith",
    "easy:mean+1.5sigma:sjbf",
    "easy:doubled",
    "easy:clairvoyant",
    "prob:user",
    "prob:global",
    "prob:mix:sjbf",
    "strict",
    "lookahead",
    "lookahead:mean2",
];

/// Another policy, and after each of its passes: a head job that fits has started.
struct Watched {
    policy: Box<dyn Policy>,
    /// Whether that is asked. Conservative backfilling makes broken reservations anew in their old order: after a job
    /// that ran past its limit the head job can wait for a reservation of a later job, and fit meanwhile.
    head_first: bool,
}

impl Policy for Watched {
    fn submitted(&mut self, job: &Job, now: i64) {
        assert_eq!(job.submit, now);
        self.policy.submitted(job, now);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.policy.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.policy.ended(job, now);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.policy.schedule(cluster);
        assert!(!self.head_first || cluster.head().is_none_or(|head| !cluster.fits(head)));
        assert!(cluster.queue().iter().is_sorted());
    }
}

fn watched(workload: &Workload, choice: &str) -> Outcome {
    let options = options(choice);
    let policy = options.choice.build(&options.policy).unwrap();
    let head_first = choice != "conservative" || workload.counts.overrun == 0;
    replay_with(workload, &mut Watched { policy, head_first })
}

/// The jobs running just before `job` was backfilled: those started before it, and in the same pass before it.
fn running_before(outcome: &Outcome, index: usize) -> Vec<&JobRecord> {
    let now = outcome.jobs[index].start;
    let heads = outcome.jobs.iter().filter(|job| job.start == now && job.backfill.is_none() && job.end > now);
    let older = outcome.jobs.iter().filter(|job| job.start < now && job.end > now);
    let others = outcome.jobs[..index].iter().filter(|job| job.start == now && job.backfill.is_some());
    older.chain(heads).chain(others).collect()
}

proptest! {
    #[test]
    fn every_policy_makes_a_possible_schedule(workload in small_workloads(false)) {
        for policy in POLICIES {
            let outcome = watched(&workload, policy);
            prop_assert_eq!(outcome.jobs.len(), workload.jobs.len());
            for (record, job) in outcome.jobs.iter().zip(&workload.jobs) {
                prop_assert_eq!(record.number, job.number);
                prop_assert!(record.start >= record.submit, "{policy}");
                prop_assert_eq!(record.end, record.start + job.run_time);
            }
            for at in outcome.jobs.iter().map(|job| job.start) {
                let running = outcome.jobs.iter().filter(|job| job.start <= at && at < job.end);
                prop_assert!(running.map(|job| job.processors).sum::<u32>() <= workload.procs, "{policy} at {at}");
            }
            prop_assert_eq!(starts(&outcome), starts(&replay_as(&workload, policy)));
        }
    }

    #[test]
    fn fcfs_starts_in_order(workload in small_workloads(false)) {
        prop_assert!(starts(&replay_as(&workload, "fcfs")).is_sorted());
    }

    /// The recorded counterfactuals, again by counting second by second.
    #[test]
    fn observed_delays_are_what_happened(workload in small_workloads(false)) {
        for policy in ["easy", "prob:user", "prob:global"] {
            let outcome = replay_as(&workload, policy);
            for (index, job) in outcome.jobs.iter().enumerate() {
                let Some(backfill) = job.backfill else { continue };
                // A run time of 0 splits a second into several passes, whose order the schedule does not show.
                if outcome.jobs.iter().any(|other| other.start == job.start && other.end == job.start) {
                    continue;
                }
                let mut running = running_before(&outcome, index);
                let wanted = outcome.jobs[backfill.head as usize].processors;
                let undisturbed = first_free(workload.procs, job.start, wanted, &running);
                running.push(job);
                let delayed = first_free(workload.procs, job.start, wanted, &running);
                prop_assert_eq!(backfill.observed_delay, delayed - undisturbed, "{}", policy);
                prop_assert_eq!(backfill.head_wait, undisturbed - job.start, "{}", policy);
            }
        }
    }

    /// With exact limits EASY keeps its promise: no backfill moves the head's reservation, and the head starts when it
    /// was first promised.
    #[test]
    fn easy_never_delays_a_head_when_limits_are_exact(workload in small_workloads(true)) {
        for policy in ["easy", "easy:limit:sjbf", "easy:clairvoyant", "conservative"] {
            let outcome = replay_as(&workload, policy);
            for job in &outcome.jobs {
                let Some(backfill) = job.backfill else { continue };
                prop_assert_eq!(backfill.observed_delay, 0, "{}", policy);
                let head = &outcome.jobs[backfill.head as usize];
                prop_assert!(head.start <= job.start + backfill.head_wait, "{}", policy);
            }
        }
    }
}
