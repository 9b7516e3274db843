//! One pool at one moment: whom the rule would let through that time limits alone would not.

use crate::live::advise::pool::Pool;
use crate::live::advise::read::{Job, State};
use crate::live::advise::rule::Rule;
use crate::live::advise::{Snapshot, waits_for};
use crate::live::engine::{Learnt, Present, job_number, user_number};
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The rule's verdict on a pool.
#[derive(Debug)]
pub enum Judged<'a> {
    /// Counting does not describe the pool, and why.
    Not(String),
    /// No job waits behind a head job, or the head job is about to start.
    Nothing,
    /// These would be let through ahead of the head job.
    Through(&'a Job, Vec<&'a Job>),
}

/// Since when waiting jobs would have been running.
pub type Since = BTreeMap<String, i64>;

/// Judges a pool by the rule, with what is `learnt`; `eligible` says since when a job waits for nothing but its turn.
///
/// # Errors
/// When the library refuses what Slurm says.
pub fn judge<'a>(
    pool: &Pool,
    snapshot: &'a Snapshot,
    (learnt, rule): (&mut Learnt, &Rule),
    since: &Since,
    eligible: impl Fn(&Job) -> i64,
) -> Result<Judged<'a>> {
    if let Some(other) = pool.overlapping() {
        return Ok(Judged::Not(format!("partition {other} has some of the nodes")));
    }
    let counted = match pool.count(snapshot) {
        Ok(counted) => counted,
        Err(why) => return Ok(Judged::Not(why)),
    };
    let now = snapshot.now;
    let present = |job: &Job, units: u32, used: Option<i64>| Present {
        id: job_number(&job.id),
        user: user_number(&job.user),
        eligible: eligible(job),
        used,
        ending: job.state == State::Completing,
        limit: job.limit,
        units,
        priority: rule.priority(job.priority, now - eligible(job)),
    };
    let mut idle = counted.idle;
    let running = counted.running(pool, snapshot).into_iter();
    let mut jobs: Vec<Present> = running.map(|(job, units)| present(job, units, Some(job.used))).collect();
    let mut waiting: Vec<&Job> = Vec::new();
    for job in snapshot.jobs.iter().filter(|job| job.state == State::Pending && pool.has(job)) {
        let units = (counted.of)(job).max(1);
        match since.get(&job.id) {
            // It would run by now; where Slurm has used the nodes otherwise meanwhile it cannot.
            Some(since) if units <= idle => {
                idle -= units;
                jobs.push(present(job, units, Some((now - since).max(0))));
            }
            Some(_) => {}
            None if job.priority > 0 && waits_for(job).is_none() => waiting.push(job),
            None => {}
        }
    }
    waiting.sort_by_key(|job| (Reverse(job.priority), job.submit));
    let Some((&first, behind)) = waiting.split_first() else { return Ok(Judged::Nothing) };
    if (counted.of)(first) <= idle || behind.is_empty() {
        return Ok(Judged::Nothing);
    }
    if first.special {
        return Ok(Judged::Not("the head job does not take any free node".to_owned()));
    }
    // One that not any node will do for is not judged.
    waiting.retain(|job| !job.special);
    jobs.extend(waiting.iter().map(|job| present(job, (counted.of)(job).max(1), None)));
    let moment = learnt.moment(now, counted.unit, (counted.all, idle), &jobs)?;
    let ours = moment.starts("")?;
    // Slurm will start itself whom limits let through.
    let theirs = moment.starts("preset=easy")?;
    let named = |id: &i64| waiting.iter().find(|job| job_number(&job.id) == *id).copied();
    Ok(Judged::Through(first, ours.iter().filter(|id| !theirs.contains(id)).filter_map(named).collect()))
}
