//! Virtual reservations (section 5 of Nurmi, Brevik & Wolski 2007): a job is to have started by a time, with a
//! probability; when must it be submitted, and how often does it start in time?
//!
//! The paper names them and measures none. Here some jobs of a trace, after a tenth of all for training, become
//! reservations. Each is made when its job was submitted in the trace, for a start within a lead from then. It is
//! accepted if the bound of its wait, for the probability as quantile, fits the lead. From then on the bound is
//! asked for again every [`POLL`] seconds, and the job is submitted when by the next time it would be too late. The
//! waits that the predictor knows are those of a replay without the reserved jobs; whether they start in time is
//! seen in another replay, with them in it, submitted when the rule said: the machine, the policy and all other
//! jobs answer.

use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use surefill::wait::{Features, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor};
use surefill_simulator::base::statistics::lower_median;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::{JobRecord, Outcome};
use surefill_simulator::replay::run::Options;
use surefill_simulator::trace::workload::{Job, Workload};

/// Seconds between two looks at an accepted reservation.
pub const POLL: i64 = 600;

/// A deadline and the probability of meeting it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wish {
    /// From the reservation to the time by which the job is to have started, in seconds.
    pub lead_s: i64,
    /// With what probability.
    pub probability: f64,
}

/// Counts of the reservations of a wish that were accepted and met.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measure {
    /// The wish.
    #[serde(flatten)]
    pub wish: Wish,
    /// Reservations that were asked for.
    pub asked: usize,
    /// Those that were accepted: the bound fitted the lead.
    pub accepted: usize,
    /// Accepted reservations that started in time.
    pub met: usize,
    /// Accepted reservations that, submitted at once, started in time.
    pub met_at_once: usize,
    /// The median time from reservation to submission, of the accepted, in seconds.
    pub median_held_s: Option<i64>,
    /// The median time by which those that were met started before the time wished for, in seconds.
    pub median_early_s: Option<i64>,
}

/// The study of one trace.
#[derive(Debug, Clone, Serialize)]
pub struct Study {
    /// The trace's file name without its folder.
    pub trace: String,
    /// Jobs replayed.
    pub jobs: usize,
    /// Wish by wish.
    pub measures: Vec<Measure>,
}

/// One reservation under way.
struct Held<'a> {
    job: &'a Job,
    wish: Wish,
    /// When its job is submitted, and whether it was accepted.
    submit: i64,
    accepted: bool,
}

fn features(job: &Job) -> Features {
    Features { requested: job.limit, processors: job.processors }
}

/// These jobs, in order of submission.
fn workload_of(workload: &Workload, mut jobs: Vec<Job>) -> Workload {
    jobs.sort_by_key(|job| job.submit);
    jobs.iter_mut().enumerate().for_each(|(id, job)| job.id = id);
    Workload { jobs, ..workload.clone() }
}

fn replayed(trace: &str, workload: &Workload, options: &Options) -> anyhow::Result<Outcome> {
    let mut policy = options.build(workload)?;
    Ok(replay(workload, options.setup(trace, workload.procs, 0), &mut *policy, &|_| {})?)
}

/// By how many seconds jobs, by their numbers, started before these times.
fn in_time(outcome: &Outcome, by: &HashMap<i64, i64>) -> HashMap<i64, i64> {
    let known = outcome.jobs.iter().filter_map(|job| Some((job.number, by.get(&job.number)? - job.start)));
    known.collect()
}

/// Reserves the start of every `each`-th job under each wish.
///
/// # Errors
/// Those of replays and of the core's predictor.
pub fn study(
    trace: &str,
    workload: &Workload,
    options: &Options,
    wishes: &[Wish],
    each: usize,
) -> anyhow::Result<Study> {
    let jobs = &workload.jobs;
    let training = jobs.len() / 10;
    let is_reserved = |job: &&Job| job.id >= training && job.id.is_multiple_of(each.max(1));
    let reserved: Vec<&Job> = jobs.iter().filter(is_reserved).collect();
    let others: Vec<Job> = jobs.iter().filter(|job| !is_reserved(job)).cloned().collect();
    let (at_once, without) = rayon::join(
        || replayed(trace, workload, options),
        || replayed(trace, &workload_of(workload, others.clone()), options),
    );
    let (at_once, without) = (at_once?, without?);
    let held = submissions(&without.jobs, &reserved, wishes)?;
    let measures = wishes.par_iter().map(|wish| {
        let mine: Vec<&Held> = held.iter().filter(|held| held.wish == *wish).collect();
        let moved = mine.iter().map(|held| Job { submit: held.submit, ..held.job.clone() });
        let moved = workload_of(workload, others.iter().cloned().chain(moved).collect());
        let by = mine.iter().filter(|held| held.accepted);
        let by = by.map(|held| (held.job.number, held.job.submit + wish.lead_s)).collect();
        let (then, at_once) = (in_time(&replayed(trace, &moved, options)?, &by), in_time(&at_once, &by));
        let mut waited: Vec<i64> =
            mine.iter().filter(|held| held.accepted).map(|held| held.submit - held.job.submit).collect();
        let mut early: Vec<i64> = then.values().copied().filter(|early| *early >= 0).collect();
        Ok(Measure {
            wish: *wish,
            asked: mine.len(),
            accepted: waited.len(),
            met: early.len(),
            met_at_once: at_once.values().filter(|early| **early >= 0).count(),
            median_held_s: lower_median(&mut waited),
            median_early_s: lower_median(&mut early),
        })
    });
    Ok(Study {
        trace: trace.to_owned(),
        jobs: jobs.len(),
        measures: measures.collect::<anyhow::Result<_>>()?,
    })
}

/// When each reservation's job is submitted under each wish, by a predictor that knows the waits of this replay.
fn submissions<'a>(
    known: &[JobRecord],
    reserved: &[&'a Job],
    wishes: &[Wish],
) -> anyhow::Result<Vec<Held<'a>>> {
    let jobs = u32::try_from(known.len())?.max(1);
    let defaults = WaitCapacity::default();
    let history = jobs.max(defaults.history);
    let limits = WaitCapacity { history, queued: jobs, releases: jobs, ..defaults };
    let options = WaitOptions::default();
    let mut memory = vec![0u64; WaitPredictor::size(&limits)?.div_ceil(8)];
    let mut predictor = WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options)?;

    let mut all: Vec<Held<'a>> = Vec::new();
    // Reservations to be looked at: when, and which.
    let mut looks: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    for job in reserved {
        for wish in wishes {
            looks.push(Reverse((job.submit, all.len())));
            all.push(Held { job, wish: *wish, submit: job.submit, accepted: false });
        }
    }
    let mut starts: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    let mut next = 0;
    while let Some(Reverse((now, index))) = looks.pop() {
        loop {
            let submit = known.get(next).map(|job| job.submit).filter(|submit| *submit <= now);
            match starts.peek() {
                Some(&Reverse((at, job))) if at <= submit.unwrap_or(now) => {
                    starts.pop();
                    predictor.start(job as i64, at)?;
                }
                _ => {
                    let Some(submit) = submit else { break };
                    let job = &known[next];
                    let features = Features { requested: job.limit, processors: job.processors };
                    predictor.submit(next as i64, submit, &features)?;
                    starts.push(Reverse((job.start, next)));
                    next += 1;
                }
            }
        }
        let held = &mut all[index];
        let by = held.job.submit + held.wish.lead_s;
        let answer =
            predictor.predict(&features(held.job), held.wish.probability, options.confidence, now)?;
        let WaitAnswer::Bound(bound) = answer else {
            // Refused when it is made; later whoever knows nothing waits no longer.
            held.submit = now;
            continue;
        };
        if now == held.job.submit && !held.accepted {
            held.accepted = now + bound <= by;
        }
        held.submit = now;
        if held.accepted && now + POLL + bound <= by {
            looks.push(Reverse((now + POLL, index)));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::replay::policy::{Choice, PolicyName, PolicyOptions};
    use surefill_simulator::trace::workload::Rules;

    /// A machine that is never full: the bound is nothing, so that every job is submitted at the last look before the
    /// time by which it is to have started, and starts then.
    #[test]
    fn on_an_idle_machine_reservations_are_met_at_the_last_moment() {
        let job = |id: usize| Job {
            id,
            number: id as i64 + 1,
            submit: 1000 * id as i64,
            run_time: 10,
            limit: 10,
            processors: 1,
            ..Job::default()
        };
        let workload = Workload {
            jobs: (0..2000).map(job).collect(),
            procs: 4,
            counts: Default::default(),
            unix_start_time: None,
            nodes: None,
            site: None,
        };
        let choice = Choice::new(PolicyName::Easy, None, None).unwrap();
        let options = Options { choice, policy: PolicyOptions::default(), rules: Rules::default() };
        let wishes = [Wish { lead_s: 6000, probability: 0.75 }, Wish { lead_s: 86_400, probability: 0.95 }];
        let study = study("t", &workload, &options, &wishes, 50).unwrap();
        assert_eq!(study.measures.len(), 2);
        for (measure, wish) in study.measures.iter().zip(wishes) {
            assert_eq!((measure.wish, measure.asked), (wish, 36));
            assert_eq!((measure.accepted, measure.met, measure.met_at_once), (36, 36, 36));
            assert_eq!((measure.median_held_s, measure.median_early_s), (Some(wish.lead_s), Some(0)));
        }
    }

    /// The known jobs wait 1,000 s each: what has less lead is refused, what has more is submitted that long before.
    #[test]
    fn the_bound_decides_what_is_accepted_and_when_it_is_submitted() {
        let record = |n: i64| JobRecord {
            number: n,
            user: 0,
            submit: 100 * n,
            start: 100 * n + 1000,
            end: 100 * n + 1001,
            processors: 1,
            limit: 10,
            backfill: None,
        };
        let known: Vec<JobRecord> = (0..3000).map(record).collect();
        let job = Job { submit: 200_000, limit: 10, processors: 1, ..Job::default() };
        let wish = |lead_s| Wish { lead_s, probability: 0.75 };
        let held = submissions(&known, &[&job], &[wish(900), wish(1000), wish(10_000)]).unwrap();
        let found: Vec<_> = held.iter().map(|held| (held.accepted, held.submit - job.submit)).collect();
        assert_eq!(found, [(false, 0), (true, 0), (true, 9000)]);
    }
}
