//! A scheduler in charge is watched: the scheduler engine learns from its jobs, is asked at every look whom it would
//! have let through, and new jobs are given bounds on their waits. Nothing is changed in the resource manager.
//!
//! * [`journal`]: what has been seen, on disk.
//! * [`mod@judge`]: one pool at one moment.
//! * `promises`: bounds on waits.
//! * [`score`]: the results: gains, losses, promises.
//!
//! A job that would have been let through is taken as running from then on, with the nodes that were idle, until the
//! scheduler in charge starts it: idle nodes are given away once. What limits alone let through is not counted, as the
//! scheduler in charge does that itself.

pub mod journal;
pub mod judge;
mod promises;
pub mod score;

use super::advise::pool::{Pool, PoolSize};
use super::advise::read::{Job, Past, State, ended};
use super::advise::rule::Rule;
use super::advise::waits::{Wait, Waits, most_at_once};
use super::advise::{Snapshot, waits_for};
use super::engine::{Learnt, Life, Seen, job_number, number, user_number};
use anyhow::Result;
use journal::{Done, Event, Would};
use judge::{Judged, Since, judge};
use promises::Promises;
use std::collections::{BTreeMap, BTreeSet};

/// The part of the jobs whose waits are to be within their bounds, and the confidence of that.
pub const QUANTILE: f64 = 0.95;
/// See there.
pub const CONFIDENCE: f64 = 0.95;

/// Jobs that can wait in one partition and have bounds.
const QUEUED: usize = 1 << 14;

/// A job that waits or runs.
#[derive(Debug)]
struct Known {
    running: bool,
    eligible: Option<i64>,
    /// Has been seen waiting for something else than its turn.
    held: bool,
    /// Its number in its partition's queue, and that partition.
    queued: Option<(i64, String)>,
}

/// The watcher's state.
pub struct Watcher {
    rule: Rule,
    learnt: Learnt,
    waits: Waits,
    known: BTreeMap<String, Known>,
    /// Ended jobs that Slurm may still list, with their ends.
    done: BTreeMap<String, i64>,
    /// Jobs that the journal says have started and not ended, with when they became eligible.
    started: BTreeMap<String, i64>,
    promises: Promises,
    since: Since,
    why: BTreeMap<String, Option<String>>,
    next: i64,
    looks: u64,
    last: i64,
}

impl Watcher {
    /// Judges by this rule, and knows what the history and the journal say.
    ///
    /// # Errors
    /// When the library refuses some of that.
    pub fn new(rule: &Rule, past: &[Past], events: &[Event]) -> Result<Watcher> {
        let mut watcher = Watcher {
            rule: rule.clone(),
            learnt: Learnt::new(&format!("{} settle=0", rule.settings))?,
            waits: Waits::new(1, QUANTILE, CONFIDENCE)?,
            known: BTreeMap::new(),
            done: BTreeMap::new(),
            started: BTreeMap::new(),
            promises: Promises::new(past.iter().map(|job| job.partition.clone()).collect()),
            since: Since::new(),
            why: BTreeMap::new(),
            next: 1,
            looks: 0,
            last: 0,
        };
        let begun = events.first().map(Event::at);
        let mut before: Vec<&Past> =
            past.iter().filter(|job| begun.is_none_or(|begun| job.end < begun)).collect();
        before.sort_by_key(|job| job.end);
        let mut lives: Vec<Life> = before
            .iter()
            .map(|job| Life {
                user: user_number(&job.user),
                eligible: job.submit,
                start: job.start,
                end: job.end,
                limit: job.limit,
                nodes: job.nodes,
                processors: job.processors,
            })
            .collect();
        let done = || {
            events.iter().filter_map(|event| match event {
                Event::Ended(done) => Some(done),
                _ => None,
            })
        };
        lives.extend(done().map(life_of));
        watcher.learnt.live(&lives)?;
        let mut waits: Vec<Wait> = before.into_iter().map(Wait::from).collect();
        waits.extend(done().map(Wait::from));
        watcher.waits = Waits::new(QUEUED.max(most_at_once(&waits)), QUANTILE, CONFIDENCE)?;
        watcher.waits.live(&waits)?;
        for event in events {
            watcher.replay(event)?;
        }
        Ok(watcher)
    }

    fn replay(&mut self, event: &Event) -> Result<()> {
        self.last = self.last.max(event.at());
        match event {
            Event::Bound { at, job, partition, within, predicted } => {
                self.promises.note(job, partition, *at, predicted.unwrap_or(*within));
            }
            Event::Would(would) => drop(self.since.insert(would.job.clone(), would.at)),
            Event::Started { at, job, eligible } => {
                self.promises.started(job, *at);
                self.started.insert(job.clone(), *eligible);
                self.forget(job);
            }
            Event::Ended(done) => {
                self.started.remove(&done.job);
                self.done.insert(done.job.clone(), done.end);
            }
            Event::Left { job, .. } => {
                self.started.remove(job);
                self.forget(job);
            }
            Event::Begin { .. } | Event::Judged { .. } => {}
        }
        Ok(())
    }

    fn forget(&mut self, job: &str) {
        self.since.remove(job);
        self.promises.forget(job);
    }

    /// Reports a job to the engine, as it is known at this moment.
    fn seen(&mut self, job: &Job, eligible: i64, now: i64, seen: Seen) -> Result<()> {
        let &Job { limit, nodes, processors, .. } = job;
        let life = Life {
            user: user_number(&job.user),
            eligible,
            start: eligible,
            end: eligible,
            limit,
            nodes,
            processors,
        };
        self.learnt.seen(now, job_number(&job.id), seen, &life)
    }

    /// A look at the queue; returns what is to be written down. A look at an earlier time than the last is left out.
    ///
    /// # Errors
    /// When the library refuses what Slurm says.
    pub fn look(&mut self, snapshot: &Snapshot) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        if snapshot.now < self.last {
            return Ok(events);
        }
        self.last = snapshot.now;
        let mut listed: BTreeSet<&str> = BTreeSet::new();
        for job in &snapshot.jobs {
            listed.insert(&job.id);
            match job.state {
                State::Pending => self.waits(job, snapshot.now, &mut events)?,
                State::Other => self.ended(job, snapshot.now, &mut events)?,
                _ => self.runs(job, snapshot.now, &mut events)?,
            }
        }
        let gone: Vec<String> =
            self.known.keys().filter(|job| !listed.contains(job.as_str())).cloned().collect();
        for job in gone {
            self.leaves(&job, snapshot.now, &mut events)?;
        }
        // The journal's running jobs that are not listed any more have ended unseen.
        if self.looks == 0 {
            let lost: Vec<String> =
                self.started.keys().filter(|job| !listed.contains(job.as_str())).cloned().collect();
            for job in lost {
                self.started.remove(&job);
                events.push(Event::Left { at: snapshot.now, job });
            }
        }
        self.done.retain(|job, end| listed.contains(job.as_str()) || *end + 86_400 > snapshot.now);
        self.judge(snapshot, &mut events)?;
        self.looks += 1;
        Ok(events)
    }

    fn waits(&mut self, job: &Job, now: i64, events: &mut Vec<Event>) -> Result<()> {
        if self.known.get(&job.id).is_some_and(|known| known.running) {
            self.leaves(&job.id, now, events)?; // back in the queue
        }
        let first = self.looks == 0;
        let known = self.known.entry(job.id.clone()).or_insert(Known {
            running: false,
            eligible: None,
            held: false,
            queued: None,
        });
        if job.priority == 0 || waits_for(job).is_some() {
            known.held |= known.eligible.is_none();
            return Ok(());
        }
        if known.eligible.is_some() {
            return Ok(());
        }
        let eligible = if known.held { now } else { job.submit.min(now) };
        known.eligible = Some(eligible);
        let number = self.next;
        self.next += 1;
        // A queue that is full gives no bounds.
        if let Ok(bound) = self.waits.joined(job, number, now) {
            known.queued = Some((number, job.partition.clone()));
            // Jobs that waited before the watcher came have been given none.
            if let Some(predicted) = bound.filter(|_| !first && !self.promises.has(&job.id)) {
                let (id, partition) = (job.id.clone(), job.partition.clone());
                if let Some(within) = self.promises.given(&partition, predicted, now) {
                    let predicted = Some(predicted);
                    events.push(Event::Bound { at: eligible, job: id, partition, within, predicted });
                }
                self.promises.note(&job.id, &job.partition, eligible, predicted);
            }
        }
        self.seen(job, eligible, now, Seen::Waits)
    }

    fn runs(&mut self, job: &Job, now: i64, events: &mut Vec<Event>) -> Result<()> {
        if self.known.get(&job.id).is_some_and(|known| known.running) {
            return Ok(());
        }
        let start = job.start.unwrap_or(now).min(now);
        let before = self.known.remove(&job.id);
        let reported = self.started.remove(&job.id);
        let held = before.as_ref().is_some_and(|known| known.held);
        let seen = before.as_ref().and_then(|known| known.eligible);
        let eligible = reported.or(seen).unwrap_or(if held { start } else { job.submit }).min(start);
        if reported.is_none() {
            self.promises.started(&job.id, start);
            events.push(Event::Started { at: start, job: job.id.clone(), eligible });
            match before.and_then(|known| known.queued) {
                Some((number, partition)) => self.waits.leaves(&partition, number, now, true)?,
                None => {
                    self.waits.known(&job.partition, start - eligible, job.limit, job.processors)?;
                }
            }
        }
        self.seen(job, eligible, now, Seen::Runs(start))?;
        self.forget(&job.id);
        let known = Known { running: true, eligible: Some(eligible), held: false, queued: None };
        self.known.insert(job.id.clone(), known);
        Ok(())
    }

    fn ended(&mut self, job: &Job, now: i64, events: &mut Vec<Event>) -> Result<()> {
        let (Some(start), Some(end)) = (job.start, job.end) else {
            return self.leaves(&job.id, now, events);
        };
        if self.done.get(&job.id).is_some_and(|known| *known == end) {
            return Ok(());
        }
        let ran = self.known.get(&job.id).is_some_and(|known| known.running);
        // A job that is cancelled while it waits has a start that is its end.
        let never = start >= end && !ran && !self.started.contains_key(&job.id);
        if !ended(&job.outcome) || (never && job.outcome.starts_with("CANCELLED")) || end > now {
            return self.leaves(&job.id, now, events);
        }
        self.runs(job, now, events)?;
        let known = self.known.remove(&job.id);
        let done = Done {
            job: job.id.clone(),
            user: job.user.clone(),
            account: job.account.clone(),
            partition: job.partition.clone(),
            name: number(&job.name),
            eligible: known.and_then(|known| known.eligible).unwrap_or(start).min(start),
            start,
            end: end.max(start),
            limit: job.limit,
            nodes: job.nodes,
            processors: job.processors,
        };
        self.seen(job, done.eligible, now, Seen::Ended(done.end - done.start))?;
        self.done.insert(job.id.clone(), end);
        events.push(Event::Ended(done));
        Ok(())
    }

    fn leaves(&mut self, job: &str, now: i64, events: &mut Vec<Event>) -> Result<()> {
        let Some(known) = self.known.remove(job) else { return Ok(()) };
        if let Some((number, partition)) = known.queued {
            self.waits.leaves(&partition, number, now, false)?;
        }
        self.forget(job);
        self.learnt.left(now, job_number(job))?;
        events.push(Event::Left { at: now, job: job.to_owned() });
        Ok(())
    }

    fn judge(&mut self, snapshot: &Snapshot, events: &mut Vec<Event>) -> Result<()> {
        let known = &self.known;
        let eligible = |job: &Job| known.get(&job.id).and_then(|known| known.eligible).unwrap_or(job.submit);
        for pool in Pool::all(snapshot) {
            let judged = judge(&pool, snapshot, (&mut self.learnt, &self.rule), &self.since, eligible)?;
            let why = match judged {
                Judged::Not(why) => Some(why),
                Judged::Nothing => None,
                Judged::Through(head, through) => {
                    for job in through {
                        self.since.insert(job.id.clone(), snapshot.now);
                        events.push(Event::Would(Would {
                            at: snapshot.now,
                            job: job.id.clone(),
                            user: job.user.clone(),
                            partition: job.partition.clone(),
                            processors: job.processors,
                            head: head.id.clone(),
                            head_user: head.user.clone(),
                            head_partition: head.partition.clone(),
                            head_processors: head.processors,
                        }));
                    }
                    None
                }
            };
            let name = pool.partitions.first().cloned().unwrap_or_default();
            if self.why.get(&name) != Some(&why) {
                self.why.insert(name.clone(), why.clone());
                events.push(Event::Judged { at: snapshot.now, pool: name, why });
            }
        }
        Ok(())
    }

    /// Jobs that wait.
    pub fn waiting(&self) -> usize {
        self.known.values().filter(|known| !known.running).count()
    }
}

impl<'a> From<&'a Done> for Wait<'a> {
    fn from(done: &'a Done) -> Wait<'a> {
        let &Done { eligible, start, limit, processors, .. } = done;
        Wait { partition: &done.partition, limit, processors, submit: eligible, start: Some(start) }
    }
}

fn life_of(done: &Done) -> Life {
    let &Done { eligible, start, end, limit, nodes, processors, .. } = done;
    Life { user: user_number(&done.user), eligible, start, end, limit, nodes, processors }
}

/// The pools of a snapshot, as a journal's first line has them.
pub fn pools(snapshot: &Snapshot) -> Vec<PoolSize> {
    Pool::all(snapshot).iter().map(Pool::size).collect()
}
