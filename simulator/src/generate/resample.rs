//! The `resample` model: the trace's own jobs in another order (a block bootstrap; for users' sessions near the
//! resampling of Zakay & Feitelson 2014, with sessions for users).
//!
//! The trace is cut into units, and the units are shuffled over the times at which units began. Every job stays what it
//! was, with its user, its request and its program, and so does the time from job to job within a unit: what predictors
//! and backfilling live on is kept there, and lost between units.
//!
//! * **Weeks**, or four weeks at once: whole parts of the trace, each of all users. The hour of the day and the day of
//!   the week stay what they were. The rest of the trace after its last whole unit comes last.
//! * **Sessions**: what one user submits without a pause of more than an hour. When sessions begin is the trace's; who
//!   comes, and with which jobs, is shuffled.
//!
//! Units are taken without replacement, so that a workload of as many jobs as the trace has asks for as much processor
//! time in as much time. Longer workloads go on with another shuffle, from the beginning of the first week after the
//! trace's last job.

use super::history::{History, Past};
use crate::base::random::Random;
use crate::trace::swf::{MAX_VALUE, SwfJob};
use std::collections::HashMap;

const WEEK: i64 = 7 * 86_400;

/// A session ends when its user submits nothing for so long, in seconds.
const PAUSE: i64 = 3600;

/// Unit that is shuffled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Unit {
    /// Jobs that one user submits without a pause of more than an hour
    Sessions,
    /// Weeks, counted from the first job
    Weeks,
    /// Four weeks at once
    #[default]
    Months,
}

impl Unit {
    /// Its name on the command line.
    pub fn text(self) -> &'static str {
        match self {
            Unit::Sessions => "sessions",
            Unit::Weeks => "weeks",
            Unit::Months => "months",
        }
    }
}

/// The units of a trace.
#[derive(Debug, Clone)]
pub struct Resample {
    /// Each with its jobs in order; their times count from the unit's beginning.
    units: Vec<Vec<Past>>,
    /// When they began, in order; those from `fixed` on stay where they are.
    begins: Vec<i64>,
    fixed: usize,
    /// Whole weeks that hold the trace, in seconds.
    length: i64,
}

impl Resample {
    /// Cuts a trace. O(jobs).
    pub fn new(history: &History, unit: Unit) -> Resample {
        let jobs = &history.jobs;
        let first = jobs.first().map_or(0, |job| job.submit);
        let span = jobs.last().map_or(0, |job| job.submit) - first;
        let length = (span / WEEK + 1) * WEEK;
        let mut resample = Resample { units: Vec::new(), begins: Vec::new(), fixed: 0, length };
        match unit {
            Unit::Sessions => resample.sessions(jobs),
            Unit::Weeks => resample.blocks(jobs, first, span, WEEK),
            Unit::Months => resample.blocks(jobs, first, span, 4 * WEEK),
        }
        resample
    }

    fn sessions(&mut self, jobs: &[Past]) {
        let mut latest: HashMap<i64, (usize, i64)> = HashMap::new();
        for job in jobs {
            let before = latest.get(&job.user).filter(|&&(_, at)| job.submit - at <= PAUSE);
            let session = before.map_or(self.units.len(), |&(session, _)| session);
            latest.insert(job.user, (session, job.submit));
            if session == self.units.len() {
                self.units.push(Vec::new());
                self.begins.push(job.submit);
            }
            self.put(session, job);
        }
        self.fixed = self.units.len();
    }

    /// Blocks of this length, also where nothing was submitted in one.
    fn blocks(&mut self, jobs: &[Past], first: i64, span: i64, length: i64) {
        self.begins = (0..=span / length).map(|block| first + block * length).collect();
        self.units = vec![Vec::new(); self.begins.len()];
        for job in jobs {
            self.put(((job.submit - first) / length) as usize, job);
        }
        self.fixed = self.units.len() - 1;
    }

    fn put(&mut self, unit: usize, job: &Past) {
        self.units[unit].push(Past { submit: job.submit - self.begins[unit], ..*job });
    }

    /// Gives jobs to `each` in order of submission until it says no. A round of the trace at a time, O(n log n) in its
    /// jobs.
    pub(super) fn jobs<E>(
        &self,
        random: &mut Random,
        count: u64,
        mut each: impl FnMut(SwfJob) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut number = 0;
        let mut round = 0i64;
        // Jobs after the round's end of sessions that began late.
        let mut pending: Vec<Past> = Vec::new();
        while number < count {
            let later = round.saturating_mul(self.length);
            let mut order: Vec<usize> = (0..self.units.len()).collect();
            for place in (1..self.fixed).rev() {
                order.swap(place, random.index(place + 1));
            }
            for (&unit, &begin) in order.iter().zip(&self.begins) {
                let at = |job: &Past| begin.saturating_add(later).saturating_add(job.submit).min(MAX_VALUE);
                pending.extend(self.units[unit].iter().map(|job| Past { submit: at(job), ..*job }));
            }
            pending.sort_by_key(|job| job.submit);
            round += 1;
            let next = self
                .begins
                .first()
                .map_or(0, |&first| first.saturating_add(round.saturating_mul(self.length)).min(MAX_VALUE));
            // At the end of all time there is no next round.
            let ready = if next == MAX_VALUE {
                pending.len()
            } else {
                pending.partition_point(|job| job.submit < next)
            };
            for job in pending.drain(..ready) {
                if number == count {
                    break;
                }
                number += 1;
                each(job.again(number as i64, job.submit))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::history::Kind;
    use std::convert::Infallible;

    const DAY: i64 = 86_400;

    fn history(jobs: &[(i64, i64)]) -> History {
        let past = |(run_time, &(submit, user)): (i64, &(i64, i64))| Past {
            submit,
            wait: 9,
            run_time,
            processors: 1,
            requested: 5,
            user,
            kind: Kind { executable: run_time + 100, ..Kind::default() },
        };
        History {
            name: "t.swf".into(),
            jobs: (1..).zip(jobs).map(past).collect(),
            left_out: 0,
            procs: 4,
            unix_start_time: None,
            time_zone: None,
        }
    }

    /// Submission and run time, which names the job.
    fn drawn(history: &History, unit: Unit, count: u64, seed: u64) -> Vec<(i64, i64)> {
        let mut made = Vec::new();
        let all = Resample::new(history, unit).jobs(&mut Random::new(seed), count, |job| {
            assert_eq!((job.executable, job.wait), (job.run_time + 100, -1));
            made.push((job.submit, job.run_time));
            Ok::<(), Infallible>(())
        });
        assert!(all.is_ok() && made.is_sorted_by_key(|job| job.0) && made.len() as u64 == count);
        made
    }

    /// Three weeks from 50 s on, of two, no and one jobs, and the first day of a fourth: the six orders of the whole
    /// weeks all come, nothing else does, and the second round begins four weeks after the first.
    #[test]
    fn weeks_by_hand() {
        let history = history(&[(50, 1), (50 + DAY, 2), (50 + 2 * WEEK + 7, 1), (50 + 3 * WEEK, 2)]);
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..100 {
            let made = drawn(&history, Unit::Weeks, 8, seed);
            let at = |name: i64, round: i64| {
                let mut of = made.iter().filter(|job| job.1 == name);
                let found = of.nth(round as usize).map_or(-1, |job| job.0 - 50 - round * 4 * WEEK);
                (found / WEEK, found % WEEK)
            };
            for round in 0..2 {
                let (first, third) = (at(1, round), at(3, round));
                assert_eq!((first.1, third.1, at(4, round)), (0, 7, (3, 0)));
                assert_eq!(at(2, round), (first.0, DAY));
                assert!(first.0 < 3 && third.0 < 3 && first.0 != third.0);
                seen.insert((first.0, third.0));
            }
        }
        assert_eq!(seen.len(), 6);
        // A trace that is no longer than a month is its own rest.
        assert_eq!(
            drawn(&history, Unit::Months, 4, 1),
            [(50, 1), (50 + DAY, 2), (50 + 2 * WEEK + 7, 3), (50 + 3 * WEEK, 4)]
        );
    }

    /// User 1 in sessions of two jobs and one, user 2 of one, beginning at 0, 100 and 10,000 s. The session of two
    /// stays together wherever it begins.
    #[test]
    fn sessions_by_hand() {
        let history = history(&[(0, 1), (100, 2), (3600, 1), (10_000, 1)]);
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..100 {
            let made = drawn(&history, Unit::Sessions, 4, seed);
            let at = |name: i64| made.iter().find(|job| job.1 == name).map_or(-1, |job| job.0);
            assert_eq!(at(3) - at(1), 3600);
            let mut begins = [at(1), at(2), at(4)];
            seen.insert(begins);
            begins.sort_unstable();
            assert_eq!(begins, [0, 100, 10_000]);
        }
        assert_eq!(seen.len(), 6);
    }
}
