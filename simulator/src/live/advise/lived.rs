//! The scheduler engine that has lived through a cluster's history, with the queue of now.
//!
//! The submissions, starts and ends of the jobs that have ended, and of those that wait or run, are reported in the
//! order of time; the run times, the waits and the later jobs of a forecast are what the engine has learnt of them.
//! At moments at which jobs were submitted that then waited, the starts of the pool's waiting jobs are predicted as
//! now, and the starts that came correct the levels. A history has no priorities: there the queue is in the order of
//! submission. It has no nodes either: at a moment at which jobs held more than is in service now, the pool was as
//! large as that; where they held more than all nodes have, they shared nodes, and nothing is predicted.

use super::bounds::{Open, correct};
use super::head::Head;
use super::limit::{Advisor, NextJob};
use super::place::{Life, Place, in_pool, is_divided, place_of, queues, unit_of};
use super::pool::Pool;
use super::queue::{queue, together};
use super::read::{Job, Past, State};
use super::regions::Regions;
use super::starts::{Asked, Start, before};
use super::{Question, Snapshot};
use crate::live::bounds::Bounds;
use crate::live::engine::{Block, Unit, job_number, limit, memory, refused, user_number};
use crate::live::events::{Phase, Times, in_order};
use anyhow::{Result, anyhow};
use std::collections::{BTreeMap, BTreeSet};
use surefill::engine::{
    Action, Cycle, JobReport, JobState, LEVELS, Reason, Region, Scheduler, SchedulerCapacity, StartForecast,
};
use surefill::error::Error;

/// Ended jobs that are learnt from, the latest ones. A forecast repeats the last fourteen days, 4,096 submissions at
/// most; of the predictor's counts those of all jobs halve every 693 jobs, and those of a user every 23 of theirs: this
/// is enough for 1,000 users.
pub(super) const LATEST: usize = 50_000;

/// A history says when jobs ran: none is put back. And the rule by whose reservation the limits bound a start.
const AS_REPORTED: &str = " settle=0";
const BY_LIMITS: &str = "preset=easy";

const SCENARIOS: u32 = 20;
/// Moments of a pool's history at which starts are predicted, at most, as a start moves a level by two thousandths; and
/// the squares of the numbers of jobs at all of them together: a forecast costs so much, by a plan more.
const MOMENTS: usize = 1000;
const WORK: u64 = 20_000_000;
const WORK_OF_PLANS: u64 = WORK / 40;
const WORK_IN_REGIONS: u64 = WORK / 4;

const SUBMISSIONS: u32 = 4096;
const WAITS: u32 = 2000;

/// The answers about some pools, and the limits advised.
pub(super) struct Answers {
    pub heads: Vec<Head>,
    pub starts: Vec<Start>,
    pub next: Vec<NextJob>,
    pub remarks: Vec<String>,
}

/// A job, and the instant by which it starts by the limits.
type ByLimits = Option<(i64, i64)>;

/// The engine.
struct Lived<'a> {
    snapshot: &'a Snapshot,
    question: &'a Question,
    block: Block,
    places: Vec<Place<'a>>,
    /// The queue of jobs of elsewhere.
    elsewhere: u32,
    /// Jobs whose starts were predicted, and have not come.
    open: BTreeMap<i64, Open>,
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
        let (places, elsewhere) = (&lived.places, lived.elsewhere);
        let units = |job: Option<&Past>, processors: u32| {
            let place = job.map_or(places.len(), |job| place_of(places, job));
            let each = job.filter(|job| unit_of(places, place) == Unit::Nodes && job.nodes > 0);
            let count =
                each.map_or(processors, |job| processors.div_ceil((job.processors / job.nodes).max(1)));
            let queue = job.and_then(|job| Some(places.get(place)?.queue_of(&job.partition)));
            (queue.unwrap_or(elsewhere), count)
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

impl<'a> Lived<'a> {
    fn new(snapshot: &'a Snapshot, pools: &'a [Pool], question: &'a Question) -> Result<Lived<'a>> {
        let in_regions = !question.rule.plans;
        let elsewhere = pools.iter().map(|pool| queues(pool, in_regions)).sum::<usize>() as u32;
        let capacity = SchedulerCapacity {
            jobs: snapshot.jobs.len().max(1) as u32,
            ended: 1,
            pools: pools.len() as u32 + 1,
            queues: elsewhere + 1,
            waits: WAITS,
            arrivals: SUBMISSIONS,
            ..SchedulerCapacity::default()
        };
        let mut block = Block::new(&capacity, &(question.rule.settings.clone() + AS_REPORTED))?;
        let (mut places, mut first) = (Vec::new(), 0);
        for (number, pool) in pools.iter().enumerate() {
            let queue_count = queues(pool, in_regions);
            let counted = pool.count(snapshot);
            let (lines, running) = counted
                .as_ref()
                .map_or_else(|_| Default::default(), |counted| queue(pool, snapshot, counted));
            let regions = counted.as_ref().ok().filter(|_| in_regions && is_divided(pool));
            places.push(Place {
                pool,
                queue: first,
                regions: regions.map(|counted| Regions::of(pool, counted)),
                name: format!("pool{number}").into_bytes(),
                counted,
                lines,
                running,
                held: 0,
                waiting: BTreeSet::new(),
                calibrated: 0,
                bounds: Bounds::default(),
            });
            first += queue_count as u32;
        }
        let mut scheduler = block.scheduler()?;
        let own = places.iter().map(|place| (place.name.as_slice(), queues(place.pool, in_regions)));
        let mut next = 0;
        for (name, count) in own.chain([(&b"elsewhere"[..], 1)]) {
            let pool = scheduler.set_pool(name, i32::MAX as u32, None).map_err(refused("a pool"))?;
            for _ in 0..count {
                let queue = format!("queue{next}");
                next = 1 + scheduler.set_queue(queue.as_bytes(), pool).map_err(refused("a queue"))?;
            }
        }
        Ok(Lived {
            snapshot,
            question,
            block,
            places,
            elsewhere,
            open: BTreeMap::new(),
            simplified: None,
            scratch: Vec::new(),
        })
    }

    /// The lives of the jobs of the past, the first of which is at this place of it, and of those that wait or run.
    fn lives(&self, past: &[Past], first: usize) -> Vec<Life<'a>> {
        let now = self.snapshot.now;
        let mut lives = Vec::new();
        for (job, place) in past.iter().zip(first..).filter(|(job, _)| job.end <= now) {
            let pool = place_of(&self.places, job);
            let units = if unit_of(&self.places, pool) == Unit::Nodes { job.nodes } else { job.processors };
            lives.push(Life {
                // Slurm's own are above 0.
                id: -(place as i64) - 1,
                pool,
                queue: self.places.get(pool).map_or(self.elsewhere, |place| place.queue_of(&job.partition)),
                user: user_number(&job.user),
                times: Times { submit: job.submit, start: Some(job.start), end: Some(job.end) },
                limit: job.limit,
                units: units.max(1),
                past: Some(place),
                job: None,
            });
        }
        for (pool, place) in self.places.iter().enumerate() {
            let Ok(counted) = &place.counted else { continue };
            let holding = self.snapshot.jobs.iter().filter(|job| job.holds_nodes() && place.pool.has(job));
            for job in holding {
                let start = now - job.used.min(now);
                lives.push(Life {
                    id: in_pool(job_number(&job.id), pool),
                    pool,
                    queue: place.queue_of(&job.partition),
                    user: user_number(&job.user),
                    times: Times { submit: job.submit.min(start), start: Some(start), end: None },
                    limit: job.limit,
                    units: (counted.of)(job).max(1),
                    past: None,
                    job: Some(job),
                });
            }
            for line in &place.lines {
                for waiting in
                    line.waiting.iter().filter(|waiting| waiting.tasks == 1 && waiting.at_once == 0)
                {
                    lives.push(Life {
                        id: in_pool(waiting.id, pool),
                        pool,
                        queue: place.queue_of(&line.job.partition),
                        user: user_number(&line.job.user),
                        times: Times { submit: line.job.submit.min(now), start: None, end: None },
                        limit: line.job.limit,
                        units: line.units,
                        past: None,
                        job: Some(line.job),
                    });
                }
            }
        }
        lives
    }

    /// Lives through them.
    fn live(
        &mut self,
        lives: &[Life<'_>],
        advisor: &mut Advisor<'_>,
        is_asked: &impl Fn(&Pool) -> bool,
    ) -> Result<()> {
        let events = in_order(lives.iter().map(|life| life.times));
        let mut moments = self.moments(&events, lives, is_asked);
        for (place, &(time, phase, which)) in events.iter().enumerate() {
            let life = &lives[which];
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
                queues: &[life.queue],
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
                        if let Some(open) = self.open.remove(&life.id) {
                            here.calibrated += 1;
                            let since = |bound: i64| bound - open.when;
                            open.bound.iter().for_each(|&bound| {
                                here.bounds.judge(Some(time - open.when), since(bound));
                            });
                        }
                        here.starts(life);
                    }
                    Phase::Ends | Phase::EndsAtOnce => {
                        here.held -= u64::from(life.units);
                        here.regions.iter_mut().for_each(|regions| regions.release(life.id));
                    }
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
        lives: &[Life<'_>],
        is_asked: &impl Fn(&Pool) -> bool,
    ) -> BTreeMap<i64, Vec<usize>> {
        let mut present = vec![0_u64; self.places.len()];
        let mut found: Vec<Vec<(i64, u64)>> = vec![Vec::new(); self.places.len()];
        for &(time, phase, which) in events {
            let life = &lives[which];
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
        let many = self.places.iter().filter(|place| asked(place)).count().max(1) as u64;
        for (pool, times) in found.iter_mut().enumerate().filter(|(pool, _)| asked(&self.places[*pool])) {
            times.dedup_by_key(|moment| moment.0);
            let mean = times.iter().map(|(_, count)| count * count).sum::<u64>() / times.len().max(1) as u64;
            let work = if self.places[pool].regions.is_some() { WORK_IN_REGIONS } else { work };
            let most = (work / many / mean.max(1)).min(MOMENTS as u64) as usize;
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
        regions: &[Region],
        ask: impl FnOnce(&mut Scheduler<'_>, &StartForecast<'_>) -> Result<R>,
    ) -> Result<R> {
        let named = || refused("a forecast");
        let needed = StartForecast::size_in_regions(self.block.capacity(), SCENARIOS, regions.len());
        let needed = needed.map_err(named())?.div_ceil(8);
        if self.scratch.len() < needed {
            self.scratch.resize(needed, 0);
        }
        let mut scheduler = self.block.scheduler()?;
        let scratch = bytemuck::cast_slice_mut(&mut self.scratch);
        let known = self.places[pool].regions.as_ref();
        let mut held = |id: i64, row: &mut [u32]| {
            let own = known.map_or(&[][..], |regions| regions.row(id));
            row.iter_mut().zip(own).for_each(|(to, units)| *to = *units);
        };
        let begun = StartForecast::begin_in_regions(
            scratch,
            &mut scheduler,
            pool as u32,
            now,
            SCENARIOS,
            regions,
            &mut held,
        );
        let mut forecast = begun.map_err(named())?;
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
        let regions = match &here.regions {
            Some(regions) => match regions.then(here.queue) {
                Some(regions) => regions,
                None => return Ok(()),
            },
            None => Vec::new(),
        };
        let units = counted.all.max(here.held as u32).max(1);
        let waiting: Vec<i64> = here.waiting.iter().copied().collect();
        self.block.scheduler()?.set_pool(&here.name, units, None).map_err(refused("a pool"))?;
        let reported = self.forecast(pool, now, &regions, |scheduler, forecast| {
            let mut reported = Vec::new();
            for id in waiting {
                let found = forecast.report(scheduler, id).map_err(refused("a forecast"))?;
                let bound = found.and_then(|found| found.known(LEVELS.len() - 1));
                reported.extend(found.map(|_| (id, Open { pool, when: now, bound })));
            }
            Ok(reported)
        })?;
        for (id, predicted) in reported {
            // The first is judged, as nearest to the submission.
            self.open.entry(id).or_insert(predicted);
        }
        Ok(())
    }

    /// Reports the queue of now.
    fn present(&mut self) -> Result<()> {
        let now = self.snapshot.now;
        for open in self.open.values() {
            if let Some(bound) = open.bound.filter(|&bound| bound < now) {
                self.places[open.pool].bounds.judge(None, bound - open.when);
            }
        }
        for (pool, place) in self.places.iter_mut().enumerate() {
            let Ok(counted) = &place.counted else { continue };
            if let Some(regions) = &mut place.regions {
                let running = place.running.iter();
                let running = running
                    .map(|running| (running.job, in_pool(job_number(&running.job.id), pool), running.units));
                regions.present(place.pool, counted, running);
            }
            let place = &*place;
            let kept: BTreeSet<&str> = place.running.iter().map(|running| running.job.id.as_str()).collect();
            let gone =
                self.snapshot.jobs.iter().filter(|job| {
                    job.holds_nodes() && place.pool.has(job) && !kept.contains(job.id.as_str())
                });
            // They are on nodes that have left the pool.
            for job in gone {
                let id = in_pool(job_number(&job.id), pool);
                let report = JobReport { id, state: JobState::Broken, ..JobReport::default() };
                self.block.report(now, &report, &format!("job {}", job.id))?;
            }
            for running in &place.running {
                let job = running.job;
                let ends = job.state == State::Completing;
                let report = JobReport {
                    id: in_pool(job_number(&job.id), pool),
                    state: if ends { JobState::Ending } else { JobState::Running },
                    user: user_number(&job.user),
                    start: now - job.used.min(now),
                    limit: limit(running.limit()),
                    ran: job.used,
                    count: (counted.of)(job).max(1),
                    units: running.units,
                    queues: &[place.queue_of(&job.partition)],
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
                        id: in_pool(waiting.id, pool),
                        state: JobState::Waiting,
                        user: user_number(&line.job.user),
                        submit: line.job.submit.min(now),
                        limit: limit(line.job.limit),
                        priority: self.question.rule.priority(line.job.priority, now - line.job.submit),
                        count: line.units,
                        tasks: waiting.tasks,
                        at_once: waiting.at_once,
                        queues: &[place.queue_of(&line.job.partition)],
                        ..JobReport::default()
                    };
                    self.block.report(now, &report, &format!("job {}", line.job.id))?;
                }
                let before = self.question.previous.as_ref().and_then(|previous| before(previous, line, now));
                if let (Some(before), (Some(first), _)) = (before, line.first_and_last()) {
                    let id = in_pool(first, pool);
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

    /// The head jobs of a pool, and the starts of its waiting jobs in the order of their priority. A pool of several
    /// regions has a head job for each of its partitions, or those with the same nodes.
    fn answer(&mut self, place: usize, within: &[i64]) -> Result<(Vec<Head>, Vec<Start>)> {
        let here = &self.places[place];
        let (pool, snapshot, in_regions) = (here.pool, self.snapshot, here.regions.is_some());
        let mut firsts = pool.heads(&snapshot.jobs);
        firsts.truncate(if in_regions { firsts.len() } else { 1 });
        let listed = |first: &Job| Head::listed(first, pool, snapshot, in_regions);
        let counted = match &here.counted {
            Ok(counted) => counted,
            Err(why) => {
                let note = Some(why.clone());
                let heads = firsts.iter().map(|first| Head { note: note.clone(), ..listed(first) });
                return Ok((heads.collect(), Vec::new()));
            }
        };
        let mut heads = Vec::new();
        for first in firsts {
            let mut head = listed(first);
            let regions = here.regions.as_ref().zip(pool.number(&first.partition));
            head.idle = regions.map_or(counted.idle, |(regions, partition)| regions.idle(partition));
            (head.counted, head.needs) = (Some(counted.unit.name()), (counted.of)(first));
            let line = here.lines.iter().find(|line| std::ptr::eq(line.job, first));
            let id = line.and_then(|line| line.first_and_last().0);
            if line.is_some_and(|line| line.too_wide) {
                head.decided(None);
            } else if id.is_none() {
                head.note = Some("its array lets no further task run now".to_owned());
            }
            heads.push((head, id));
        }
        if heads.is_empty() && !here.lines.iter().any(|line| pool.answers(line.job)) {
            return Ok((Vec::new(), Vec::new()));
        }
        let now = snapshot.now;
        if !in_regions {
            for (head, id) in &mut heads {
                if let Some(id) = id {
                    head.decided(Some(&self.reason(place, in_pool(*id, place), now)?));
                }
            }
        }
        let (starts, first) = self.starts(place, within)?;
        for (head, id) in heads.iter_mut().filter(|(_, id)| in_regions && id.is_some()) {
            let by = first.filter(|(first, _)| id.is_some_and(|id| in_pool(id, place) == *first));
            if let Some(start) = starts.iter().find(|start| start.job == head.job) {
                head.played(by.map(|(_, by)| by - now), start);
            }
        }
        Ok((heads.into_iter().map(|(head, _)| head).collect(), starts))
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

    /// The starts of a pool's waiting jobs, and the first that has no room, with its start by the limits.
    fn starts(&mut self, place: usize, within: &[i64]) -> Result<(Vec<Start>, ByLimits)> {
        let now = self.snapshot.now;
        let lines = std::mem::take(&mut self.places[place].lines);
        let (pool, calibrated_by) = (self.places[place].pool, self.places[place].calibrated);
        let previous = self.question.previous.as_ref();
        let (mut simplified, mut first) = (false, None);
        let here = &self.places[place];
        let regions = here.regions.as_ref().map_or(Vec::new(), |regions| regions.now(here.queue));
        // Elsewhere the engine's own corrections are enough.
        let factor = if here.regions.is_some() { here.bounds.factor() } else { Some(1.0) };
        let starts = self.forecast(place, now, &regions, |scheduler, forecast| {
            first = forecast.head();
            simplified = forecast.is_simplified();
            let asked = Asked { now, within, scheduler, forecast, calibrated_by };
            let mine = lines.iter().filter(|line| pool.answers(line.job));
            mine.map(|line| {
                let since =
                    previous.and_then(|previous| before(previous, line, now)).map(|before| before.since);
                let mut start = asked.start(line, since.unwrap_or(now), |id| in_pool(id, place))?;
                // Nothing delays the head job beyond its start by the limits.
                let id = line.first_and_last().0.map(|id| in_pool(id, place));
                if id.is_none() || first.map(|(first, _)| first) != id {
                    correct(&mut start, factor);
                }
                Ok(start)
            })
            .collect::<Result<Vec<Start>>>()
        })?;
        if simplified {
            self.simplified = self.simplified.max(Some(starts.len()));
        }
        Ok((starts, first))
    }
}
