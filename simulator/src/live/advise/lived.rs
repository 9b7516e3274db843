//! The scheduler engine that has lived through a cluster's history, with the queue of now.
//!
//! The submissions, starts and ends of the jobs that have ended, and of those that wait or run, are reported in the
//! order of time; the run times, the waits and the later jobs of a forecast are what the engine has learnt of them.
//! At moments at which jobs were submitted that then waited, the starts of the pool's waiting jobs are predicted as
//! now, and the starts that came correct the levels. A history has no priorities: there the queue is in the order of
//! submission. It has no nodes either: at a moment at which jobs held more than is in service now, the pool was as
//! large as that; where they held more than all nodes have, they shared nodes, and nothing is predicted.

use super::head::Head;
use super::limit::{Advisor, NextJob};
use super::pool::{Counted, Pool};
use super::queue::{Line, Running, queue};
use super::read::{Past, State};
use super::starts::{Asked, Start, Starts};
use super::{Question, Snapshot};
use crate::live::engine::{Block, Unit, job_number, limit, memory, refused, user_number};
use crate::live::events::{Phase, Times, in_order};
use anyhow::{Result, anyhow};
use std::collections::{BTreeMap, BTreeSet};
use surefill::engine::{
    Action, Cycle, JobReport, JobState, LEVELS, PredictedStart, Reason, Scheduler, SchedulerCapacity,
    StartForecast,
};
use surefill::error::Error;
use surefill::runtime::RuntimeDistribution;

/// Ended jobs that are learnt from, the latest ones. A forecast repeats the last fourteen days, 4,096 submissions at
/// most; of the predictor's counts those of all jobs halve every 693 jobs, and those of a user every 23 of theirs: this
/// is enough for 1,000 users.
pub(super) const LATEST: usize = 50_000;

/// The most pools of one engine, whose last one is for jobs of elsewhere.
pub(super) const POOLS: usize = 62;

/// A history says when jobs ran: none is put back. And the rule by whose reservation the limits bound a start.
const AS_REPORTED: &str = " settle=0";
const BY_LIMITS: &str = "preset=easy";

const SCENARIOS: u32 = 20;
/// Moments of a pool's history at which starts are predicted, at most, as a start moves a level by two thousandths; and
/// the squares of the numbers of jobs at all of them together: a forecast costs so much, by a plan more.
const MOMENTS: usize = 1000;
const WORK: u64 = 20_000_000;
const WORK_OF_PLANS: u64 = WORK / 40;

const SUBMISSIONS: u32 = 4096;
const WAITS: u32 = 2000;

/// The job of the engine that one is in a pool: jobs that take nodes of several pools are one in each.
fn in_pool(id: i64, pool: usize) -> i64 {
    id + ((pool as i64) << 54)
}

/// A job as it has lived.
struct Life {
    id: i64,
    pool: usize,
    user: i64,
    times: Times,
    limit: i64,
    units: u32,
    /// Its place in the past, if it has ended.
    past: Option<usize>,
}

/// A pool, as far as counting describes it.
struct Place<'a> {
    pool: &'a Pool,
    name: Vec<u8>,
    counted: Result<Counted, String>,
    lines: Vec<Line<'a>>,
    running: Vec<Running<'a>>,
    /// Units that its jobs hold, and the jobs that wait, in the course of the history.
    held: u64,
    waiting: BTreeSet<i64>,
    /// Starts that came after predicted ones.
    calibrated: u64,
}

/// The answers about some pools, and the limits advised.
pub(super) struct Answers {
    pub heads: Vec<Head>,
    pub starts: Vec<Start>,
    pub next: Vec<NextJob>,
    pub remarks: Vec<String>,
}

/// The engine.
struct Lived<'a> {
    snapshot: &'a Snapshot,
    question: &'a Question,
    block: Block,
    places: Vec<Place<'a>>,
    /// Jobs whose starts were predicted, and have not come.
    open: BTreeSet<i64>,
    /// Number of waiting lines of a pool whose forecast was simplified.
    simplified: Option<usize>,
    scratch: Vec<u64>,
}

/// Lives through the history, and answers about these pools, of which those count that are asked about.
///
/// # Errors
/// When the engine refuses what Slurm says.
pub(super) fn answers(
    snapshot: &Snapshot,
    pools: &[Pool],
    question: &Question,
    is_asked: impl Fn(&Pool) -> bool,
) -> Result<Answers> {
    let past = snapshot.past.get(snapshot.past.len().saturating_sub(LATEST)..).unwrap_or_default();
    let mut advisor = Advisor::new(question, &snapshot.past);
    let mut lived = Lived::new(snapshot, pools, question)?;
    let lives = lived.lives(past, snapshot.past.len() - past.len());
    lived.live(&lives, &mut advisor, &is_asked)?;
    let next = {
        let places = &lived.places;
        let units = |job: Option<&Past>, processors: u32| {
            let queue = job.map_or(places.len(), |job| place_of(places, job));
            let each = job.filter(|job| unit_of(places, queue) == Unit::Nodes && job.nodes > 0);
            let count =
                each.map_or(processors, |job| processors.div_ceil((job.processors / job.nodes).max(1)));
            (queue as u32, count)
        };
        advisor.finish(&mut lived.block, snapshot.now, units)?
    };
    lived.present()?;
    let mut answers = Answers { heads: Vec::new(), starts: Vec::new(), next, remarks: Vec::new() };
    for place in 0..lived.places.len() {
        if is_asked(lived.places[place].pool) {
            let (head, starts) = lived.answer(place, &question.within)?;
            answers.heads.extend(head);
            answers.starts.extend(starts);
        }
    }
    answers.remarks.extend(lived.simplified.map(|jobs| {
        format!("{jobs} jobs wait: starts are predicted by simplified scenarios, a little worse")
    }));
    Ok(answers)
}

/// The pool of a job of the past; behind all pools the one of elsewhere.
fn place_of(places: &[Place<'_>], job: &Past) -> usize {
    let own = places.iter().position(|place| place.pool.partitions.contains(&job.partition));
    own.unwrap_or(places.len())
}

fn unit_of(places: &[Place<'_>], place: usize) -> Unit {
    let counted = places.get(place).and_then(|place| place.counted.as_ref().ok());
    counted.map_or(Unit::Processors, |counted| counted.unit)
}

impl<'a> Lived<'a> {
    fn new(snapshot: &'a Snapshot, pools: &'a [Pool], question: &'a Question) -> Result<Lived<'a>> {
        let count = pools.len() as u32 + 1;
        let capacity = SchedulerCapacity {
            jobs: snapshot.jobs.len().max(1) as u32,
            ended: 1,
            pools: count,
            queues: count,
            waits: WAITS,
            arrivals: SUBMISSIONS,
            ..SchedulerCapacity::default()
        };
        let mut block = Block::new(&capacity, &(question.rule.settings.clone() + AS_REPORTED))?;
        let mut places = Vec::new();
        for (number_, pool) in pools.iter().enumerate() {
            let counted = pool.count(snapshot);
            let (lines, running) = counted
                .as_ref()
                .map_or_else(|_| Default::default(), |counted| queue(pool, snapshot, counted));
            places.push(Place {
                pool,
                name: format!("pool{number_}").into_bytes(),
                counted,
                lines,
                running,
                held: 0,
                waiting: BTreeSet::new(),
                calibrated: 0,
            });
        }
        let mut scheduler = block.scheduler()?;
        let names = places.iter().map(|place| place.name.as_slice()).chain([&b"elsewhere"[..]]);
        for name in names {
            let pool = scheduler.set_pool(name, i32::MAX as u32, None).map_err(refused("a pool"))?;
            scheduler.set_queue(name, pool).map_err(refused("a queue"))?;
        }
        Ok(Lived {
            snapshot,
            question,
            block,
            places,
            open: BTreeSet::new(),
            simplified: None,
            scratch: Vec::new(),
        })
    }

    /// The lives of the jobs of the past, the first of which is at this place of it, and of those that wait or run.
    fn lives(&self, past: &[Past], first: usize) -> Vec<Life> {
        let now = self.snapshot.now;
        let mut lives = Vec::new();
        for (job, place) in past.iter().zip(first..).filter(|(job, _)| job.end <= now) {
            let pool = place_of(&self.places, job);
            let units = if unit_of(&self.places, pool) == Unit::Nodes { job.nodes } else { job.processors };
            lives.push(Life {
                // Slurm's own are above 0.
                id: -(place as i64) - 1,
                pool,
                user: user_number(&job.user),
                times: Times { submit: job.submit, start: Some(job.start), end: Some(job.end) },
                limit: job.limit,
                units: units.max(1),
                past: Some(place),
            });
        }
        for (number_, place) in self.places.iter().enumerate() {
            let Ok(counted) = &place.counted else { continue };
            let holding = self.snapshot.jobs.iter().filter(|job| job.holds_nodes() && place.pool.has(job));
            for job in holding {
                let start = now - job.used.min(now);
                lives.push(Life {
                    id: in_pool(job_number(&job.id), number_),
                    pool: number_,
                    user: user_number(&job.user),
                    times: Times { submit: job.submit.min(start), start: Some(start), end: None },
                    limit: job.limit,
                    units: (counted.of)(job).max(1),
                    past: None,
                });
            }
            for line in &place.lines {
                for waiting in
                    line.waiting.iter().filter(|waiting| waiting.tasks == 1 && waiting.at_once == 0)
                {
                    lives.push(Life {
                        id: in_pool(waiting.id, number_),
                        pool: number_,
                        user: user_number(&line.job.user),
                        times: Times { submit: line.job.submit.min(now), start: None, end: None },
                        limit: line.job.limit,
                        units: line.units,
                        past: None,
                    });
                }
            }
        }
        lives
    }

    /// Lives through them.
    fn live(
        &mut self,
        lives: &[Life],
        advisor: &mut Advisor<'_>,
        is_asked: &impl Fn(&Pool) -> bool,
    ) -> Result<()> {
        let events = in_order(lives.iter().map(|life| life.times));
        let mut moments = self.moments(&events, lives, is_asked);
        for (place, &(time, phase, number_)) in events.iter().enumerate() {
            let life = &lives[number_];
            let state = match phase {
                Phase::Submission => JobState::Waiting,
                Phase::Starts => JobState::Running,
                Phase::Ends | Phase::EndsAtOnce => JobState::Ended,
            };
            let report = JobReport {
                id: life.id,
                state,
                user: life.user,
                submit: life.times.submit,
                start: life.times.start.filter(|_| phase == Phase::Starts).unwrap_or(0),
                limit: limit(life.limit),
                ran: life.times.start.filter(|_| state == JobState::Ended).map_or(0, |start| time - start),
                count: life.units,
                queues: &[life.pool as u32],
                ..JobReport::default()
            };
            self.block.report(time, &report, "a job of the history")?;
            match (phase, life.past) {
                (Phase::Submission, Some(past)) => advisor.submitted(&mut self.block, past, life.id, time)?,
                (Phase::Ends | Phase::EndsAtOnce, Some(_)) => advisor.ended(),
                _ => {}
            }
            if let Some(here) = self.places.get_mut(life.pool) {
                match phase {
                    Phase::Submission => drop(here.waiting.insert(life.id)),
                    Phase::Starts => {
                        here.waiting.remove(&life.id);
                        here.held += u64::from(life.units);
                        here.calibrated += u64::from(self.open.remove(&life.id));
                    }
                    Phase::Ends | Phase::EndsAtOnce => here.held -= u64::from(life.units),
                }
            }
            if events.get(place + 1).is_none_or(|next| next.0 > time)
                && let Some(pools) = moments.remove(&time)
            {
                for pool in pools {
                    self.predict(pool, time)?;
                }
            }
        }
        Ok(())
    }

    /// Moments at which jobs were submitted that then waited, with the pools in which they did, evenly among them.
    fn moments(
        &self,
        events: &[(i64, Phase, usize)],
        lives: &[Life],
        is_asked: &impl Fn(&Pool) -> bool,
    ) -> BTreeMap<i64, Vec<usize>> {
        let mut present = vec![0_u64; self.places.len()];
        let mut found: Vec<Vec<(i64, u64)>> = vec![Vec::new(); self.places.len()];
        for &(time, phase, number_) in events {
            let life = &lives[number_];
            let Some(count) = present.get_mut(life.pool) else { continue };
            match phase {
                Phase::Submission => {
                    *count += 1;
                    if life.times.start.is_none_or(|start| start > time) && time < self.snapshot.now {
                        found[life.pool].push((time, *count));
                    }
                }
                Phase::Starts => {}
                Phase::Ends | Phase::EndsAtOnce => *count -= 1,
            }
        }
        let mut moments: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        let asked = |place: &Place<'_>| {
            is_asked(place.pool) && place.lines.iter().any(|line| place.pool.answers(line.job))
        };
        let work = if self.question.rule.plans { WORK_OF_PLANS } else { WORK };
        let each = work / self.places.iter().filter(|place| asked(place)).count().max(1) as u64;
        for (pool, times) in found.iter_mut().enumerate().filter(|(pool, _)| asked(&self.places[*pool])) {
            times.dedup_by_key(|moment| moment.0);
            let mean = times.iter().map(|(_, count)| count * count).sum::<u64>() / times.len().max(1) as u64;
            let most = (each / mean.max(1)).min(MOMENTS as u64) as usize;
            let count = times.len().min(most);
            for moment in 1..=count {
                moments.entry(times[moment * times.len() / count - 1].0).or_default().push(pool);
            }
        }
        moments
    }

    /// Plays a pool forward. The scheduler is at this time.
    fn forecast<R>(
        &mut self,
        pool: usize,
        now: i64,
        ask: impl FnOnce(&mut Scheduler<'_>, &StartForecast<'_>) -> Result<R>,
    ) -> Result<R> {
        let named = || refused("a forecast");
        let needed = StartForecast::size(self.block.capacity(), SCENARIOS).map_err(named())?.div_ceil(8);
        if self.scratch.len() < needed {
            self.scratch.resize(needed, 0);
        }
        let mut scheduler = self.block.scheduler()?;
        let scratch = bytemuck::cast_slice_mut(&mut self.scratch);
        let mut forecast =
            StartForecast::begin(scratch, &mut scheduler, pool as u32, now, SCENARIOS).map_err(named())?;
        while !forecast.run(&mut scheduler, u64::MAX).map_err(named())? {}
        ask(&mut scheduler, &forecast)
    }

    /// Predicts the starts of a pool's waiting jobs at a moment of the history.
    fn predict(&mut self, pool: usize, now: i64) -> Result<()> {
        let here = &self.places[pool];
        let Ok(counted) = &here.counted else { return Ok(()) };
        if here.held > u64::from(counted.most) || here.waiting.is_empty() {
            return Ok(());
        }
        let units = counted.all.max(here.held as u32).max(1);
        let waiting: Vec<i64> = here.waiting.iter().copied().collect();
        self.block.scheduler()?.set_pool(&here.name, units, None).map_err(refused("a pool"))?;
        let reported = self.forecast(pool, now, |scheduler, forecast| {
            let mut reported = Vec::new();
            for id in waiting {
                let found = forecast.report(scheduler, id).map_err(refused("a forecast"))?;
                reported.extend(found.map(|_| id));
            }
            Ok(reported)
        })?;
        self.open.extend(reported);
        Ok(())
    }

    /// Reports the queue of now.
    fn present(&mut self) -> Result<()> {
        let now = self.snapshot.now;
        for (number_, place) in self.places.iter().enumerate() {
            let Ok(counted) = &place.counted else { continue };
            let queues = [number_ as u32];
            let kept: BTreeSet<&str> = place.running.iter().map(|running| running.job.id.as_str()).collect();
            let gone =
                self.snapshot.jobs.iter().filter(|job| {
                    job.holds_nodes() && place.pool.has(job) && !kept.contains(job.id.as_str())
                });
            // They are on nodes that have left the pool.
            for job in gone {
                let id = in_pool(job_number(&job.id), number_);
                let report = JobReport { id, state: JobState::Broken, ..JobReport::default() };
                self.block.report(now, &report, &format!("job {}", job.id))?;
            }
            for running in &place.running {
                let job = running.job;
                let ends = job.state == State::Completing;
                let report = JobReport {
                    id: in_pool(job_number(&job.id), number_),
                    state: if ends { JobState::Ending } else { JobState::Running },
                    user: user_number(&job.user),
                    start: now - job.used.min(now),
                    limit: limit(running.limit()),
                    ran: job.used,
                    count: (counted.of)(job).max(1),
                    units: running.units,
                    queues: &queues,
                    ..JobReport::default()
                };
                let together = match running.after {
                    0 => None,
                    after => together(&self.block.scheduler()?, &report, after, now)?,
                };
                let report = JobReport { prediction: together.as_ref(), ..report };
                self.block.report(now, &report, &format!("job {}", job.id))?;
            }
            for line in &place.lines {
                for waiting in &line.waiting {
                    let report = JobReport {
                        id: in_pool(waiting.id, number_),
                        state: JobState::Waiting,
                        user: user_number(&line.job.user),
                        submit: line.job.submit.min(now),
                        limit: limit(line.job.limit),
                        priority: line.job.priority as f64,
                        count: line.units,
                        tasks: waiting.tasks,
                        at_once: waiting.at_once,
                        queues: &queues,
                        ..JobReport::default()
                    };
                    self.block.report(now, &report, &format!("job {}", line.job.id))?;
                }
                let before = self.question.previous.as_ref().and_then(|previous| before(previous, line, now));
                if let (Some(before), (Some(first), _)) = (before, line.first_and_last()) {
                    let id = in_pool(first, number_);
                    let mut scheduler = self.block.scheduler()?;
                    scheduler
                        .restore_start(id, before.since, &before.reported)
                        .map_err(refused("a start reported before"))?;
                }
            }
            let mut scheduler = self.block.scheduler()?;
            scheduler
                .set_pool(&place.name, counted.all.max(1), Some(counted.idle.min(counted.all)))
                .map_err(refused("a pool"))?;
        }
        Ok(())
    }

    /// The head job of a pool, and the starts of its waiting jobs in the order of their priority.
    fn answer(&mut self, place: usize, within: &[i64]) -> Result<(Option<Head>, Vec<Start>)> {
        let now = self.snapshot.now;
        let here = &self.places[place];
        let Some(first) = here.pool.head(&self.snapshot.jobs) else {
            let others = here.lines.iter().any(|line| here.pool.answers(line.job));
            return Ok((None, if others { self.starts(place, within)? } else { Vec::new() }));
        };
        let mut head = Head::listed(first, here.pool, self.snapshot);
        let counted = match &here.counted {
            Ok(counted) => counted,
            Err(why) => {
                head.note = Some(why.clone());
                return Ok((Some(head), Vec::new()));
            }
        };
        (head.counted, head.needs, head.idle) =
            (Some(counted.unit.name()), (counted.of)(first), counted.idle);
        let line = here.lines.iter().find(|line| std::ptr::eq(line.job, first));
        let (too_wide, id) = line.map_or((false, None), |line| (line.too_wide, line.first_and_last().0));
        match id {
            Some(id) => {
                let reason = self.reason(place, in_pool(id, place), now)?;
                head.decided(Some(&reason));
            }
            None if too_wide => head.decided(None),
            None => head.note = Some("its array lets no further task run now".to_owned()),
        }
        Ok((Some(head), self.starts(place, within)?))
    }

    /// Why a job waits by EASY, by a decision of the pool in a copy: the offers are not answered.
    fn reason(&self, pool: usize, id: i64, now: i64) -> Result<Reason> {
        let named = || refused("a cycle");
        let mut block = self.block.clone();
        let mut scratch = memory(Cycle::size(block.capacity()), "a cycle")?;
        let mut scheduler = block.scheduler()?;
        scheduler.configure(BY_LIMITS, "").map_err(|word| anyhow!("wanted is {}", word.wanted))?;
        let scratch = bytemuck::cast_slice_mut(&mut scratch);
        let mut cycle = Cycle::begin(scratch, &mut scheduler, pool as u32, now).map_err(named())?;
        while let Action::Start(_) = cycle.next(&mut scheduler).map_err(named())? {}
        match cycle.reason(&scheduler, id) {
            Err(Error::UnknownJob) => scheduler.reason(id, now),
            found => found,
        }
        .map_err(named())
    }

    fn starts(&mut self, place: usize, within: &[i64]) -> Result<Vec<Start>> {
        let now = self.snapshot.now;
        let lines = std::mem::take(&mut self.places[place].lines);
        let (pool, calibrated_by) = (self.places[place].pool, self.places[place].calibrated);
        let previous = self.question.previous.as_ref();
        let mut simplified = false;
        let starts = self.forecast(place, now, |scheduler, forecast| {
            simplified = forecast.is_simplified();
            let asked = Asked { now, within, scheduler, forecast, calibrated_by };
            let mine = lines.iter().filter(|line| pool.answers(line.job));
            mine.map(|line| {
                let since =
                    previous.and_then(|previous| before(previous, line, now)).map(|before| before.since);
                asked.start(line, since.unwrap_or(now), |id| in_pool(id, place))
            })
            .collect::<Result<Vec<Start>>>()
        })?;
        if simplified {
            self.simplified = self.simplified.max(Some(starts.len()));
        }
        Ok(starts)
    }
}

/// The start of a job that was reported before.
struct Before {
    reported: PredictedStart,
    /// Time since which starts of it are reported.
    since: i64,
}

/// The start of a line's first job by an earlier answer; none of an array whose tasks are others now, nor where the
/// median is not known.
fn before(previous: &Starts, line: &Line<'_>, now: i64) -> Option<Before> {
    let Line { job, .. } = line;
    let start = previous.of(&job.id).filter(|start| {
        (start.tasks, &start.user, &start.partition) == (job.count(), &job.user, &job.partition)
    })?;
    let levels = start.quantiles.iter().zip(LEVELS).all(|(quantile, level)| quantile.probability == level);
    let (known, last) = (start.quantiles.len(), start.quantiles.last()?.within);
    if previous.now > now || !levels || !(3..=LEVELS.len()).contains(&known) {
        return None;
    }
    // Those that are not known lie beyond the last that is.
    let mut by = [previous.now + last + 1; LEVELS.len()];
    for (by, quantile) in by.iter_mut().zip(&start.quantiles) {
        *by = previous.now + quantile.within;
    }
    let since = start.since.unwrap_or(previous.now).min(previous.now);
    let reported = PredictedStart { by, capped: known < LEVELS.len(), stall: None };
    Some(Before { reported, since })
}

/// The run time of a running task and of those that follow it, by their medians; none where only limits are known.
fn together(
    scheduler: &Scheduler<'_>,
    task: &JobReport<'_>,
    after: u32,
    now: i64,
) -> Result<Option<RuntimeDistribution>> {
    if task.limit == 0 {
        return Ok(None);
    }
    let median = |now: i64| scheduler.run_time(task.id, 0.5, now).map_err(refused("a run time"));
    let (own, each) = (median(now)?, median(task.start)?);
    if each >= task.limit / (i64::from(after) + 1) {
        return Ok(None);
    }
    let all = own.saturating_add(each.saturating_mul(after.into())).clamp(1, task.limit);
    RuntimeDistribution::single(all).map(Some).map_err(refused("a run time"))
}
