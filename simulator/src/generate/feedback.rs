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
//! * **Who comes** goes on as he left off: of the generated users whose last job had the processors and the request of
//!   the last job that the session's user had submitted before it, and a run time within a factor of two of that, it is
//!   the one with the nearest run time and the most similar time since then (each as a ratio's logarithm). Where there
//!   is none, and for sessions that were their user's first, it is the user of the trace.
//! * **Its jobs** have its processors and requests. Run times are the session's times a log-normal factor of
//!   sigma .15 and mean 1 that all its jobs share, and one of .1 for each, as far as the request allows; a job that
//!   used up its limit does so again. Times between its jobs vary with .15 each.
//!
//! This is a local bootstrap of a Markov process (Paparoditis & Politis 2002) whose state includes what Zakay &
//! Feitelson 2014 call feedback. It is learnt in O(jobs) steps of the machine; a session costs
//! O(sessions of the hour + users).

use super::backlog::Backlog;
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

/// Number of sessions that are next to a state.
const NEAREST: usize = 30;

/// Weight of the work left of running jobs beside the work that waits.
const RUNNING: f64 = 0.5;

/// The scatter of run times, shared in a session and by the job, and of the times between a session's jobs.
const SIGMA: f64 = 0.15;
const SIGMA_OF_JOB: f64 = 0.1;
const SIGMA_OF_GAP: f64 = 0.15;

/// The machine's backlog.
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

/// A user's latest job.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Last {
    processors: u32,
    requested: i64,
    run_time: i64,
    /// When, in a session's `before` how long before its beginning.
    submit: i64,
}

impl Last {
    fn of(job: &Past, submit: i64) -> Last {
        let Past { processors, requested, run_time, .. } = *job;
        Last { processors, requested, run_time, submit }
    }

    /// Distance of both, `other` having been submitted `ago` seconds before; none where they are nothing alike.
    fn distance(&self, other: &Last, ago: i64) -> Option<f64> {
        let same = (self.processors, self.requested) == (other.processors, other.requested);
        let apart = |a: i64, b: i64| libm::fabs(libm::log1p(a as f64) - libm::log1p(b as f64));
        let run_times = apart(self.run_time, other.run_time);
        let like = same && ago >= 0 && run_times <= core::f64::consts::LN_2;
        like.then(|| run_times + apart(self.submit, ago))
    }
}

/// A session of the trace.
#[derive(Debug, Clone)]
struct Session {
    /// In order; their times count from the session's beginning.
    jobs: Vec<Past>,
    begin: i64,
    state: State,
    /// Its user's latest job before it, and the time since then.
    before: Option<Last>,
    /// Seconds until the next session begins.
    gap: i64,
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
        // Session and latest job of each user.
        let mut latest: HashMap<i64, (usize, Last)> = HashMap::new();
        for job in &history.jobs {
            backlog.advance(job.submit);
            let before = latest.get(&job.user).copied();
            let goes_on = before.filter(|&(session, last)| {
                job.submit - last.submit <= PAUSE && sessions[session].jobs.len() < LONGEST
            });
            let session = goes_on.map_or(sessions.len(), |(session, _)| session);
            if session == sessions.len() {
                sessions.push(Session {
                    jobs: Vec::new(),
                    begin: job.submit,
                    state: State::of(&backlog, job.submit),
                    before: before.map(|(_, last)| Last { submit: job.submit - last.submit, ..last }),
                    gap: 0,
                });
            }
            latest.insert(job.user, (session, Last::of(job, job.submit)));
            let begin = sessions[session].begin;
            sessions[session].jobs.push(Past { submit: job.submit - begin, ..*job });
            backlog.submit(job, job.submit);
        }
        let begins: Vec<i64> = sessions.iter().map(|session| session.begin).collect();
        let span = begins.last().zip(begins.first()).map_or(0, |(last, first)| last - first);
        // No session follows the last: the mean, and no standstill.
        let mean = (span / begins.len().max(1) as i64).max(1);
        for (index, session) in sessions.iter_mut().enumerate() {
            session.gap = begins.get(index + 1).map_or(mean, |next| next - session.begin);
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

    /// One of the sessions next to a state.
    fn draw(&self, state: State, now: i64, random: &mut Random) -> &Session {
        let (day, hour) = self.hour(now);
        let all: Vec<u32>;
        let mut candidates = &self.by_hour[day + hour];
        if candidates.is_empty() {
            all = (0..self.sessions.len() as u32).collect();
            candidates = &all;
        }
        // Any of several sessions at one distance comes first, by chance: an idle machine is one state.
        let turn = random.index(candidates.len());
        let distance = |(place, &index): (usize, &u32)| {
            let place = (place + turn) % candidates.len();
            (self.sessions[index as usize].state.distance(state), place, index)
        };
        let mut near: Vec<(f64, usize, u32)> = candidates.iter().enumerate().map(distance).collect();
        let order = |a: &(f64, usize, u32), b: &(f64, usize, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let count = near.len().min(NEAREST);
        near.select_nth_unstable_by(count - 1, order);
        // In an order that no library decides.
        near.truncate(count);
        near.sort_unstable_by(order);
        &self.sessions[near[random.index(count)].2 as usize]
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
        let mut latest: BTreeMap<i64, Last> = BTreeMap::new();
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
            let session = self.draw(State::of(&backlog, now), now, random);
            let user = submitter(session, now, &latest);
            let common = factor(SIGMA, random);
            let (mut at, mut before) = (now, 0);
            for job in &session.jobs {
                let gap = (job.submit - before) as f64 * factor(SIGMA_OF_GAP, random);
                at = at.saturating_add(libm::round(gap) as i64).min(MAX_VALUE);
                before = job.submit;
                let run_time = run_time(job, common * factor(SIGMA_OF_JOB, random));
                let job = Past { user, run_time, ..*job };
                latest.insert(user, Last::of(&job, at));
                pending.insert((at, drawn), job);
                drawn += 1;
            }
            now = now.saturating_add(session.gap).min(MAX_VALUE);
        }
        Ok(())
    }
}

/// Submitter of a session: the generated user who goes on with it most as in the trace, else the trace's.
fn submitter(session: &Session, now: i64, latest: &BTreeMap<i64, Last>) -> i64 {
    let own = session.jobs[0].user;
    let Some(before) = session.before else { return own };
    let distance = |(&user, last): (&i64, &Last)| Some((before.distance(last, now - last.submit)?, user));
    let nearest = latest.iter().filter_map(distance).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map_or(own, |(_, user)| user)
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
    use crate::generate::Kind;
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
        let last = Last { processors: 4, requested: 7200, run_time: 3600, submit: 8940 };
        assert_eq!(found, [(2, 1800, None), (1, 7200, None), (1, 3000, Some(last))]);
        let states: Vec<State> = feedback.sessions.iter().map(|session| session.state).collect();
        let idle = State { waiting: 0.0, running: 0.0 };
        let busy = State { waiting: libm::log(2.0), running: libm::log(1.5) };
        assert_eq!((states[0], states[2]), (idle, idle));
        assert!(states[1].distance(busy) < 1e-12);
        // Monday from midnight: the first hour's sessions are also the last's and the second's.
        assert_eq!(feedback.by_hour[23], [0, 1]);
        assert_eq!((&feedback.by_hour[0][..], &feedback.by_hour[1][..]), (&[0, 1][..], &[0, 1, 2][..]));
        assert!(feedback.by_hour[24..].iter().all(Vec::is_empty));
    }

    /// A user who finds the machine idle keeps all of it busy for two hours, the next for one more, and one who sees
    /// that job wait submits a job of a second: so it is in the trace, and as much work waits in what is generated.
    #[test]
    fn users_hold_back_while_work_waits() {
        let of_day = |day: i64| {
            let at = day * 4 * HOUR;
            let wide = [job(at, 1, 4, 7000), job(at + 600, 2, 4, 3600)];
            wide.into_iter().chain([job(at + 1200, 3, 1, 1), job(at + 1800, 4, 1, 1)])
        };
        let seen = |jobs: &mut dyn Iterator<Item = Past>| {
            let mut backlog = Backlog::new(4);
            let mut waits: Vec<f64> = Vec::new();
            for job in jobs {
                backlog.advance(job.submit);
                waits.push(backlog.waiting_h());
                backlog.submit(&job, job.submit);
            }
            waits.iter().sum::<f64>() / waits.len() as f64
        };
        let history = history((0..400).flat_map(of_day).collect());
        let again = |made: SwfJob| job(made.submit, made.user, made.processors, made.run_time);
        let theirs = seen(&mut history.jobs.iter().copied());
        let ours = seen(&mut made(&history, 8000, 3).into_iter().map(again));
        assert!((theirs - 0.5).abs() < 0.01 && (ours / theirs - 1.0).abs() < 0.1, "{ours} {theirs}");
    }

    /// A session goes on with the user who ran a job like the one before, with the nearest run time after as long; a
    /// user who has not submitted it yet is left out.
    #[test]
    fn who_goes_on_by_hand() {
        let jobs = vec![job(0, 1, 2, 1000), job(9000, 1, 2, 1000)];
        let feedback = Feedback::new(&history(jobs));
        let [first, second] = &feedback.sessions[..] else { panic!("two sessions") };
        let last = |processors, run_time, submit| Last { processors, requested: 7200, run_time, submit };
        let mut latest =
            BTreeMap::from([(7, last(4, 1000, 0)), (8, last(2, 2010, 0)), (9, last(2, 1000, 9001))]);
        assert_eq!((submitter(first, 9000, &latest), submitter(second, 9000, &latest)), (1, 1));
        latest.extend([(5, last(2, 1500, 0)), (6, last(2, 1100, 0)), (10, last(2, 1000, 8990))]);
        assert_eq!((submitter(first, 9000, &latest), submitter(second, 9000, &latest)), (1, 6));
    }

    /// Run times scatter about the trace's by the shared and the own factor, their mean stays, and what used up its
    /// limit does so again.
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
