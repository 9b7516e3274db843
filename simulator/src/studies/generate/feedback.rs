//! The `feedback` model: users' sessions drawn by the hour and by what the machine has to do.
//!
//! Users hold back while their jobs wait, and come when the machine is idle: sessions that are drawn blindly pile up
//! work as no trace does. Here the state of the machine decides, as far as a trace shows:
//!
//! * **Sessions** are what one user submits without a pause of more than an hour, of thirty jobs at most; a longer one
//!   goes on as another.
//! * **The state** when a session begins is what EASY makes of all jobs before it ([`super::backlog`]): the work that
//!   waits and what is left of the work that runs, in hours of the whole machine, both as ln(1 + h), the latter with
//!   half the weight. The generator runs the same machine on what it has generated.
//! * **The next session** is like one of the thirty that began in the state next to this one, in the same hour of the
//!   day or the one before or after it, on a working day or on a weekend as now. The time until the following session
//!   begins is that after it in the trace.
//! * **Who comes** is decided among the three hundred sessions next to this state by who goes on as he left off: those
//!   with as much work and as many processors as the one drawn, each within a factor of sqrt 2, and one whose user's last
//!   job before it does not have the processors, the request and the class of run times of what this user has
//!   submitted last counts a twentieth.
//! * **Its jobs** have its users, processors and requests. Run times are the session's times a log-normal factor of
//!   sigma .15 and mean 1 that all its jobs share, and one of .1 for each, as far as the request allows; a job that
//!   used up its limit does so again. Times between its jobs vary with .15 each.
//!
//! This is a local bootstrap of a Markov process (Paparoditis & Politis 2002) whose state includes what Zakay &
//! Feitelson 2014 call feedback. It is learnt in O(jobs) steps of the machine; a session costs O(sessions of the hour).

use super::backlog::Backlog;
use super::chain::class;
use super::history::{History, Past};
use crate::base::random::Random;
use crate::trace::swf::{MAX_VALUE, SwfJob};
use std::collections::{BTreeMap, HashMap};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The epoch was a Thursday.
const MONDAY: i64 = 4 * DAY;

/// A session ends when its user submits nothing for so long, in seconds.
const PAUSE: i64 = HOUR;

/// A session of more jobs goes on as another.
const LONGEST: usize = 30;

/// As many sessions are next to a state, for what comes and when, and for who does it.
const NEAREST: usize = 30;
const NEAR: usize = 300;

/// What the work that is left of running jobs weighs beside the work that waits.
const RUNNING: f64 = 0.5;

/// How far apart work and processors of sessions may be that count as like each other, in powers of two.
const LIKE: f64 = 0.5;

/// What a session weighs whose user did something else before.
const OTHERWISE: f64 = 0.05;

/// The scatter of run times, shared in a session and by the job, and of the times between a session's jobs.
const SIGMA: f64 = 0.15;
const SIGMA_OF_JOB: f64 = 0.1;
const SIGMA_OF_GAP: f64 = 0.15;

/// What the machine has to do.
#[derive(Debug, Clone, Copy, PartialEq)]
struct State {
    waiting: f64,
    running: f64,
}

impl State {
    fn of(backlog: &Backlog, now: i64) -> State {
        State { waiting: libm::log1p(backlog.waiting_h()), running: libm::log1p(backlog.running_h(now)) }
    }

    fn distance(self, other: State) -> f64 {
        (self.waiting - other.waiting).abs() + RUNNING * (self.running - other.running).abs()
    }
}

/// What a user did last: processors, request and class of run times.
type Last = (u32, i64, u32);

fn last(job: &Past) -> Last {
    (job.processors, job.requested, class(job.run_time.unsigned_abs()))
}

/// A session of the trace.
#[derive(Debug, Clone)]
struct Session {
    /// In order; their times count from the session's beginning.
    jobs: Vec<Past>,
    begin: i64,
    state: State,
    /// What its user had submitted last.
    before: Option<Last>,
    /// Seconds until the next session begins.
    gap: i64,
    /// Logarithms to base 2 of its processor-seconds and of its first job's processors.
    work: f64,
    width: f64,
}

/// The sessions of a trace.
#[derive(Debug, Clone)]
pub struct Feedback {
    sessions: Vec<Session>,
    /// Those that begin at about an hour, of working days from midnight and of weekends.
    by_hour: Vec<Vec<u32>>,
    /// Seconds from a Monday to the trace's second 0.
    phase: i64,
    procs: u32,
}

impl Feedback {
    /// Learns from a trace.
    pub fn new(history: &History) -> Feedback {
        let phase = (history.unix_start_time.unwrap_or(MONDAY) - MONDAY).rem_euclid(7 * DAY);
        let procs = history.procs.max(1);
        let mut sessions: Vec<Session> = Vec::new();
        let mut backlog = Backlog::new(procs);
        // Of each user the session, its latest submission, and what it was.
        let mut latest: HashMap<i64, (usize, i64, Last)> = HashMap::new();
        for job in &history.jobs {
            backlog.advance(job.submit);
            let before = latest.get(&job.user).copied();
            let goes_on = before.filter(|&(session, at, _)| {
                job.submit - at <= PAUSE && sessions[session].jobs.len() < LONGEST
            });
            let session = goes_on.map_or(sessions.len(), |(session, ..)| session);
            if session == sessions.len() {
                sessions.push(Session {
                    jobs: Vec::new(),
                    begin: job.submit,
                    state: State::of(&backlog, job.submit),
                    before: before.map(|(.., last)| last),
                    gap: 0,
                    work: 0.0,
                    width: libm::log2(f64::from(job.processors)),
                });
            }
            latest.insert(job.user, (session, job.submit, last(job)));
            let begin = sessions[session].begin;
            sessions[session].jobs.push(Past { submit: job.submit - begin, ..*job });
            backlog.submit(job, job.submit);
        }
        let begins: Vec<i64> = sessions.iter().map(|session| session.begin).collect();
        let span = begins.last().zip(begins.first()).map_or(0, |(last, first)| last - first);
        // Nobody comes after the last: the mean, and no standstill.
        let mean = (span / begins.len().max(1) as i64).max(1);
        for (index, session) in sessions.iter_mut().enumerate() {
            session.gap = begins.get(index + 1).map_or(mean, |next| next - session.begin);
            let work = session.jobs.iter().map(|job| f64::from(job.processors) * (job.run_time + 1) as f64);
            session.work = libm::log2(work.sum());
        }
        let mut feedback = Feedback { sessions, by_hour: vec![Vec::new(); 48], phase, procs };
        for (&begin, index) in begins.iter().zip(0..) {
            let (day, hour) = feedback.hour(begin);
            for near in [hour + 23, hour, hour + 1] {
                feedback.by_hour[day + near % 24].push(index);
            }
        }
        feedback
    }

    /// Where an hour's day begins in the list, and which hour it is.
    fn hour(&self, at: i64) -> (usize, usize) {
        let of_week = at.saturating_add(self.phase).rem_euclid(7 * DAY);
        (if of_week / DAY >= 5 { 24 } else { 0 }, (of_week / HOUR % 24) as usize)
    }

    /// The sessions next to a state, the nearest first, [`NEAR`] at most.
    fn near(&self, state: State, now: i64, random: &mut Random) -> Vec<usize> {
        let (day, hour) = self.hour(now);
        let all: Vec<u32>;
        let mut candidates = &self.by_hour[day + hour];
        if candidates.is_empty() {
            all = (0..self.sessions.len() as u32).collect();
            candidates = &all;
        }
        // Of those as near as each other (an idle machine is one state) any comes first.
        let turn = random.index(candidates.len());
        let distance = |(place, &index): (usize, &u32)| {
            let place = (place + turn) % candidates.len();
            (self.sessions[index as usize].state.distance(state), place, index)
        };
        let mut near: Vec<(f64, usize, u32)> = candidates.iter().enumerate().map(distance).collect();
        let order = |a: &(f64, usize, u32), b: &(f64, usize, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if near.len() > NEAR {
            near.select_nth_unstable_by(NEAR - 1, order);
            near.truncate(NEAR);
        }
        near.sort_unstable_by(order);
        near.into_iter().map(|(.., index)| index as usize).collect()
    }

    /// Which session comes: that which says when the next does, and the one whose jobs are submitted.
    fn draw(
        &self,
        state: State,
        now: i64,
        latest: &HashMap<i64, Last>,
        random: &mut Random,
    ) -> (&Session, &Session) {
        let near = self.near(state, now, random);
        let drawn = &self.sessions[near[random.index(near.len().min(NEAREST))]];
        let weight = |&index: &usize| {
            let session = &self.sessions[index];
            let like =
                (session.work - drawn.work).abs() <= LIKE && (session.width - drawn.width).abs() <= LIKE;
            let same = latest.get(&session.jobs[0].user) == session.before.as_ref();
            match (like, same) {
                (false, _) => 0.0,
                (true, false) => OTHERWISE,
                (true, true) => 1.0,
            }
        };
        let weights: Vec<f64> = near.iter().map(weight).collect();
        (drawn, &self.sessions[near[random.weighted(&weights)]])
    }

    /// Gives jobs to `each` in order of submission until it says no.
    pub(super) fn jobs<E>(
        &self,
        random: &mut Random,
        count: u64,
        mut each: impl FnMut(SwfJob) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut number = 0;
        let mut now = self.sessions.first().map_or(0, |session| session.begin);
        let mut backlog = Backlog::new(self.procs);
        // Jobs of sessions that have begun, by their time and how many there were before.
        let mut pending: BTreeMap<(i64, u64), Past> = BTreeMap::new();
        let mut drawn = 0;
        let mut latest: HashMap<i64, Last> = HashMap::new();
        while number < count {
            while let Some(entry) = pending.first_entry().filter(|entry| entry.key().0 <= now) {
                let ((at, _), job) = entry.remove_entry();
                backlog.advance(at);
                backlog.submit(&job, at);
                number += 1;
                each(job.again(number as i64, at))?;
                if number == count {
                    return Ok(());
                }
            }
            backlog.advance(now);
            let (clock, session) = self.draw(State::of(&backlog, now), now, &latest, random);
            let common = factor(SIGMA, random);
            let (mut at, mut before) = (now, 0);
            for job in &session.jobs {
                let gap = (job.submit - before) as f64 * factor(SIGMA_OF_GAP, random);
                at = at.saturating_add(libm::round(gap) as i64).min(MAX_VALUE);
                before = job.submit;
                let job = Past { run_time: run_time(job, common * factor(SIGMA_OF_JOB, random)), ..*job };
                latest.insert(job.user, last(&job));
                pending.insert((at, drawn), job);
                drawn += 1;
            }
            now = now.saturating_add(clock.gap).min(MAX_VALUE);
        }
        Ok(())
    }
}

/// Log-normal of mean 1.
fn factor(sigma: f64, random: &mut Random) -> f64 {
    random.log_normal(libm::exp(-sigma * sigma / 2.0), sigma)
}

/// A run time times a factor, within the request; one that used up its limit, or ran past it, is what it was.
fn run_time(job: &Past, factor: f64) -> i64 {
    if job.requested > 0 && job.run_time as f64 >= 0.99 * job.requested as f64 {
        return job.run_time;
    }
    let most = if job.requested > 0 { job.requested } else { MAX_VALUE };
    (libm::round(job.run_time as f64 * factor) as i64).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::generate::Kind;
    use std::convert::Infallible;

    fn job(submit: i64, user: i64, processors: u32, run_time: i64) -> Past {
        Past { submit, wait: -1, run_time, processors, requested: 7200, user, kind: Kind::default() }
    }

    fn history(jobs: Vec<Past>) -> History {
        History { name: "t.swf".into(), jobs, left_out: 0, procs: 4, unix_start_time: None, time_zone: None }
    }

    fn made(history: &History, count: u64, seed: u64) -> Vec<SwfJob> {
        let mut made = Vec::new();
        let all = Feedback::new(history).jobs(&mut Random::new(seed), count, |job| {
            made.push(job);
            Ok::<(), Infallible>(())
        });
        assert!(all.is_ok() && made.len() as u64 == count && made.is_sorted_by_key(|job| job.submit));
        made
    }

    /// User 1 submits all four processors for an hour twice, and after more than an hour again; user 2, in between,
    /// finds one of the two running and the other waiting.
    #[test]
    fn sessions_by_hand() {
        let jobs = vec![job(0, 1, 4, 3600), job(60, 1, 4, 3600), job(1800, 2, 1, 5), job(9000, 1, 2, 7199)];
        let feedback = Feedback::new(&history(jobs));
        let found: Vec<(usize, i64, Option<Last>)> = feedback
            .sessions
            .iter()
            .map(|session| (session.jobs.len(), session.gap, session.before))
            .collect();
        assert_eq!(found, [(2, 1800, None), (1, 7200, None), (1, 3000, Some((4, 7200, 11)))]);
        let states: Vec<State> = feedback.sessions.iter().map(|session| session.state).collect();
        let idle = State { waiting: 0.0, running: 0.0 };
        let busy = State { waiting: libm::log(2.0), running: libm::log(1.5) };
        assert_eq!((states[0], states[2]), (idle, idle));
        assert!(states[1].distance(busy) < 1e-12);
        // Two hours of four processors, and half as many in as much time, two powers of two less.
        assert!((feedback.sessions[0].work - feedback.sessions[2].work - 2.0).abs() < 1e-3);
        assert_eq!((feedback.sessions[0].width, feedback.sessions[2].width), (2.0, 1.0));
        // Monday from midnight: the first hour's sessions are also the last's and the second's.
        assert_eq!(feedback.by_hour[23], [0, 1]);
        assert_eq!((&feedback.by_hour[0][..], &feedback.by_hour[1][..]), (&[0, 1][..], &[0, 1, 2][..]));
        assert!(feedback.by_hour[24..].iter().all(Vec::is_empty));
    }

    /// Whoever sees work waiting submits a job of a second, whoever finds the machine idle keeps all of it busy for an hour:
    /// so it is in the trace, and so it is in what is generated, in which no queue grows.
    #[test]
    fn users_hold_back_while_work_waits() {
        let of_hour = |hour: i64| {
            let at = hour * 3 * HOUR;
            [job(at, 1, 4, 7200), job(at + 600, 2, 4, 3600), job(at + 1200, 3, 1, 1), job(at + 1800, 4, 1, 1)]
        };
        let jobs: Vec<Past> = (0..400).flat_map(of_hour).collect();
        let jobs = made(&history(jobs), 8000, 3);
        let mut backlog = Backlog::new(4);
        for job in jobs {
            backlog.advance(job.submit);
            // The wide job behind another one is all that ever waits.
            assert!(backlog.waiting_h() < 2.0, "{}", job.number);
            let past = Past { submit: job.submit, ..self::job(0, job.user, job.processors, job.run_time) };
            backlog.submit(&past, job.submit);
        }
    }

    /// Run times scatter about the trace's by the shared and the own factor, their mean stays, and what used up its limit
    /// does so again.
    #[test]
    fn run_times_are_new() {
        let at = |i: i64| job(i * 4000, i % 3, 1, if i % 2 == 0 { 1000 } else { 7150 });
        let jobs = made(&history((0..200).map(at).collect()), 20_000, 1);
        let (used_up, others): (Vec<i64>, Vec<i64>) =
            jobs.iter().map(|job| job.run_time).partition(|&time| time > 5000);
        assert!(used_up.iter().all(|&time| time == 7150));
        let logs: Vec<f64> = others.iter().map(|&time| libm::log(time as f64 / 1000.0)).collect();
        let deviation = libm::sqrt(logs.iter().map(|log| log * log).sum::<f64>() / logs.len() as f64);
        assert!((deviation - libm::sqrt(SIGMA * SIGMA + SIGMA_OF_JOB * SIGMA_OF_JOB)).abs() < 0.01);
        let mean = others.iter().sum::<i64>() as f64 / others.len() as f64;
        assert!((mean - 1000.0).abs() < 10.0, "{mean}");
    }

    /// One job, all at one time, and times at the end of all time.
    #[test]
    fn poor_traces() {
        assert_eq!(
            made(&history(vec![job(5, 1, 1, 10)]), 3, 1).iter().map(|job| job.submit).sum::<i64>(),
            18
        );
        assert_eq!(made(&history((0..70).map(|_| job(5, -1, 9, 0)).collect()), 1000, 1).len(), 1000);
        let late = made(&history(vec![job(0, 1, 1, 1), job(MAX_VALUE, 1, 1, 1)]), 50, 2);
        assert!(late.iter().all(|job| (0..=MAX_VALUE).contains(&job.submit)));
    }
}
