//! One pool at one moment: whom the rule would let through that time limits alone would not.

use crate::live::advise::beliefs::{Kind, RunTimes, number, refused};
use crate::live::advise::pool::{Counted, Pool};
use crate::live::advise::read::{Job, State};
use crate::live::advise::{Snapshot, waits_for};
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use surefill::backfill::{Pass, PassCapacity, Rule, Step};
use surefill::error::Error;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};
use surefill::schedule::Preset;

/// Candidates that are judged at one moment.
const DEPTH: usize = 1000;

/// What the rule would do.
#[derive(Debug)]
pub enum Judged<'a> {
    /// Counting does not describe the pool, and why.
    Not(String),
    /// Nobody waits behind a head job, or the head job is about to start.
    Nothing,
    /// These would be let through ahead of the head job, each with its delay.
    Through(&'a Job, Vec<(&'a Job, f64)>),
}

/// A judge's memory: what has been spent on head jobs, and since when jobs run that would have been started.
#[derive(Debug, Default)]
pub struct Memory {
    /// Since when waiting jobs would have been running.
    pub since: BTreeMap<String, i64>,
    spent: BTreeMap<String, [f64; 4]>,
}

impl Memory {
    /// A job waits no longer.
    pub fn forget(&mut self, job: &str) {
        self.since.remove(job);
        self.spent.remove(job);
    }
}

/// Who runs in the pass, and for how long already.
struct Holding<'a> {
    job: &'a Job,
    units: u32,
    used: i64,
}

/// A pass with everything in it.
struct Table<'a> {
    now: i64,
    counted: Counted,
    idle: u32,
    head: &'a Job,
    holding: Vec<Holding<'a>>,
    candidates: Vec<&'a Job>,
}

impl Table<'_> {
    /// The candidates that a rule accepts, with their delays; by limits alone without beliefs.
    fn accepted(
        &self,
        mut beliefs: Option<&mut RunTimes>,
        rule: &Rule,
        events_per_bin: u32,
        spent: &mut [f64; 4],
    ) -> Result<Vec<(usize, f64)>> {
        let of = self.counted.of;
        let head = number(&self.head.id);
        let limits = PassCapacity {
            running: self.holding.len().max(1) as u32,
            candidates: self.candidates.len().max(1) as u32,
            processors: self.counted.all.max(of(self.head)),
            bins: RuntimeBins::default().count() as u32,
            events_per_bin,
            ..PassCapacity::default()
        };
        let size = Pass::size(&limits).map_err(refused("a pass"))?;
        let mut memory = vec![0_u64; size.div_ceil(8)];
        let mut pass =
            Pass::init(bytemuck::cast_slice_mut(&mut memory), &limits).map_err(refused("a pass"))?;
        pass.restore_spent(head, *spent).map_err(refused("a head job's account"))?;
        match pass.begin(self.now, self.idle, head, of(self.head)) {
            Err(Error::HeadFits) => return Ok(Vec::new()),
            begun => begun.map_err(refused("the head job"))?,
        }
        pass.set_head_waited((self.now - self.head.submit).max(0)).map_err(refused("the head job's wait"))?;
        let mut believe = |job: &Job| match beliefs.as_deref_mut() {
            Some(beliefs) => beliefs.predict(Kind::from(job)),
            None => Ok(RuntimeDistribution::limit()),
        };
        for Holding { job, units, used } in &self.holding {
            let limit = if job.state == State::Completing { 0 } else { job.limit };
            pass.add_running(*units, *used, limit, &believe(job)?)
                .map_err(refused(&format!("job {}", job.id)))?;
        }
        for job in &self.candidates {
            pass.add_candidate(of(job).max(1), job.limit, &believe(job)?)
                .map_err(refused(&format!("job {}", job.id)))?;
        }
        let mut through = Vec::new();
        while let Step::Accept(index) = pass.decide(rule, u64::MAX).map_err(refused("a decision"))? {
            pass.commit(index).map_err(refused("a decision"))?;
            through.push((index, pass.judgement(index).map_err(refused("a decision"))?.delay));
        }
        *spent = pass.spent_on().1;
        Ok(through)
    }
}

/// Judges a pool. `guard` is the wait from which a head job is guarded.
///
/// # Errors
/// When the library refuses what Slurm says.
pub fn judge<'a>(
    pool: &Pool,
    snapshot: &'a Snapshot,
    run_times: &mut RunTimes,
    preset: &Preset,
    guard: f64,
    memory: &mut Memory,
) -> Result<Judged<'a>> {
    if let Some(other) = pool.overlapping() {
        return Ok(Judged::Not(format!("partition {other} has some of the nodes")));
    }
    let counted = match pool.count(snapshot) {
        Ok(counted) => counted,
        Err(why) => return Ok(Judged::Not(why)),
    };
    let of = counted.of;
    let mut idle = counted.idle;
    let running = counted.running(pool, snapshot).into_iter();
    let mut holding: Vec<Holding> =
        running.map(|(job, units)| Holding { job, units, used: job.used }).collect();
    let mut waiting: Vec<&Job> = Vec::new();
    for job in snapshot.jobs.iter().filter(|job| job.state == State::Pending && pool.has(job)) {
        match memory.since.get(&job.id) {
            // It would run by now; where Slurm has used the nodes otherwise meanwhile it cannot.
            Some(since) if of(job).max(1) <= idle => {
                idle -= of(job).max(1);
                holding.push(Holding { job, units: of(job).max(1), used: (snapshot.now - since).max(0) });
            }
            Some(_) => {}
            None if job.priority > 0 && waits_for(job).is_none() => waiting.push(job),
            None => {}
        }
    }
    waiting.sort_by_key(|job| (Reverse(job.priority), job.submit));
    let Some((&head, behind)) = waiting.split_first() else { return Ok(Judged::Nothing) };
    if of(head) <= idle || behind.is_empty() {
        return Ok(Judged::Nothing);
    }
    if head.special {
        return Ok(Judged::Not("the head job does not take any free node".to_owned()));
    }
    let fits = |job: &&&Job| of(job).max(1) <= idle && !job.special;
    let candidates: Vec<&Job> = behind.iter().filter(fits).take(DEPTH).copied().collect();
    if candidates.is_empty() {
        return Ok(Judged::Nothing);
    }
    let table = Table { now: snapshot.now, counted, idle, head, holding, candidates };
    let rule = Rule { guard, ..preset.rule };
    let mut spent = memory.spent.get(&head.id).copied().unwrap_or_default();
    let ours = table.accepted(Some(run_times), &rule, preset.events_per_bin, &mut spent)?;
    let easy = Rule { threshold: 0.5, ..Rule::EXACT };
    let theirs = table.accepted(None, &easy, 1, &mut [0.0; 4])?;
    memory.spent.insert(head.id.clone(), spent);
    let through = ours
        .into_iter()
        // What limits let through Slurm will start itself.
        .filter(|(index, _)| !theirs.iter().any(|(other, _)| other == index))
        .filter_map(|(index, delay)| Some((*table.candidates.get(index)?, delay)))
        .collect();
    Ok(Judged::Through(head, through))
}
