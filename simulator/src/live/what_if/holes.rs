//! The recorded schedule itself: which jobs could have started earlier while no job starts later than recorded.
//!
//! Starts and ends as they are recorded say how many processors were in use when. In order of submission every job
//! moves to the earliest second at or after its submission from which its processors are idle for as long as it ran,
//! and leaves the processors that it held to those behind it; a job for which there is no such hole stays. So no job
//! starts later than recorded, and none needs processors that another one holds. No policy is replayed: the site's own
//! starts stand for all that its scheduler had to obey. Idle processors are taken to be interchangeable and in service,
//! though.
//!
//! * [`Knowledge::RunTimes`]: run times are known beforehand, as no scheduler knew them. It is a feasible schedule, so
//!   that at least as much could have been saved; other orders of the moves may save more.
//! * [`Knowledge::Expected`]: the run time that a preset expected of a job at its submission stands for its own
//!   (`expected`), and jobs that are submitted later are not known. It moves to a second where the
//!   hole is also as long as that, among the jobs submitted by then. The starts and ends of these are the schedule's,
//!   which a scheduler has to predict. Where the job would have been in the way of a later submission it does not move.
//!
//! A job that ran for no time needs its processors for a second and holds them for none. Jobs whose waits are unknown
//! are in no schedule.

use crate::trace::workload::{Job, JobId};
use std::collections::BTreeMap;

/// The length that a hole must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge<'a> {
    /// The run time of each job is known.
    RunTimes,
    /// The jobs submitted so far are known, and of each for how many seconds it is expected to run, in their order.
    Expected(&'a [i64]),
}

/// By how many seconds every job starts earlier than recorded, in order of the jobs, which is that of submission.
pub fn earlier(jobs: &[Job], procs: u32, knowledge: Knowledge<'_>) -> Vec<i64> {
    let mut schedule = Schedule::recorded(jobs, procs);
    let one = |job: &Job| {
        schedule.advance(job.submit);
        if job.wait <= 0 {
            return 0;
        }
        schedule.remove(job, job.submit + job.wait);
        let start = schedule.earliest(job, knowledge).unwrap_or(job.submit + job.wait);
        schedule.place(job, start);
        job.submit + job.wait - start
    };
    jobs.iter().map(one).collect()
}

/// For how many seconds of its recorded wait every job could have had its processors, as they were idle.
pub fn idle_while_waiting(jobs: &[Job], procs: u32) -> Vec<i64> {
    let mut schedule = Schedule::recorded(jobs, procs);
    let one = |job: &Job| {
        schedule.advance(job.submit);
        let (start, most) = (job.submit + job.wait.max(0), schedule.most_beside(job));
        let mut idle = 0;
        let (mut from, mut used) = (job.submit, schedule.used);
        for (time, then) in schedule.changes_after(from, used, |_| true).chain([(start, 0)]) {
            let until = time.min(start);
            idle += if used <= most { until - from } else { 0 };
            (from, used) = (until, then);
            if time >= start {
                break;
            }
        }
        idle
    };
    jobs.iter().map(one).collect()
}

/// The processors in use from a moment on.
struct Schedule<'a> {
    jobs: &'a [Job],
    procs: i64,
    /// In use at the moment.
    used: i64,
    now: i64,
    /// Later changes of the number, by time and job.
    changes: BTreeMap<(i64, JobId), i64>,
}

impl<'a> Schedule<'a> {
    fn recorded(jobs: &'a [Job], procs: u32) -> Schedule<'a> {
        let changes = BTreeMap::new();
        let mut schedule = Schedule { jobs, procs: procs.into(), used: 0, now: i64::MIN, changes };
        for job in jobs.iter().filter(|job| job.wait >= 0) {
            schedule.place(job, job.submit + job.wait);
        }
        schedule
    }

    fn place(&mut self, job: &Job, start: i64) {
        let processors = i64::from(job.processors);
        if job.run_time <= 0 {
            return;
        }
        if start <= self.now {
            self.used += processors;
        } else {
            self.changes.insert((start, job.id), processors);
        }
        self.changes.insert((start + job.run_time, job.id), -processors);
    }

    /// Takes a job away that starts later than now.
    fn remove(&mut self, job: &Job, start: i64) {
        self.changes.remove(&(start, job.id));
        self.changes.remove(&(start + job.run_time, job.id));
    }

    fn advance(&mut self, now: i64) {
        while let Some(first) = self.changes.first_entry().filter(|first| first.key().0 <= now) {
            self.used += first.remove();
        }
        self.now = now;
    }

    /// The most processors that may be in use beside this job's.
    fn most_beside(&self, job: &Job) -> i64 {
        self.procs - i64::from(job.processors)
    }

    /// The moments after one at which `used` processors are in use, each with how many are from then on, of the jobs
    /// that are seen.
    fn changes_after(
        &self,
        from: i64,
        mut used: i64,
        sees: impl Fn(&Job) -> bool,
    ) -> impl Iterator<Item = (i64, i64)> {
        let known = move |id: &JobId| self.jobs.get(*id).is_some_and(&sees);
        let later = self.changes.range((from + 1, 0)..);
        let mut later = later.filter(move |((_, id), _)| known(id)).peekable();
        std::iter::from_fn(move || {
            let (&(time, _), &change) = later.next()?;
            used += change;
            while let Some((_, more)) = later.next_if(|((other, _), _)| *other == time) {
                used += more;
            }
            Some((time, used))
        })
    }

    /// When more than `most` are in use first, from one moment on for some seconds.
    fn blocked(
        &self,
        (from, used): (i64, i64),
        seconds: i64,
        most: i64,
        sees: impl Fn(&Job) -> bool,
    ) -> Option<i64> {
        let mut within = self.changes_after(from, used, sees).take_while(|&(time, _)| time < from + seconds);
        within.find(|&(_, used)| used > most).map(|(time, _)| time)
    }

    /// The earliest start before the recorded one; the job itself must have been taken away.
    fn earliest(&self, job: &Job, knowledge: Knowledge<'_>) -> Option<i64> {
        let (recorded, most) = (job.submit + job.wait, self.most_beside(job));
        let (mut at, mut used) = (self.now, self.used);
        while at < recorded {
            let mut blocked = (used > most).then_some(at);
            blocked = blocked.or_else(|| self.blocked((at, used), job.run_time.max(1), most, |_| true));
            if let Knowledge::Expected(lengths) = knowledge {
                let known = |other: &Job| other.submit <= at;
                let length = lengths.get(job.id).copied().unwrap_or(job.limit).max(1);
                blocked = blocked.or_else(|| self.blocked((at, used), length, most, known));
            }
            let Some(blocked) = blocked else { return Some(at) };
            // At every start up to the one that is in the way it would be in the way too, as more jobs are known then.
            let mut next = self.changes_after(at, used, |_| true);
            (at, used) = next.find(|&(time, used)| time > blocked && used <= most)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Submission, recorded wait, run time, limit over it, processors.
    type Made = (i64, i64, i64, i64, u32);

    fn jobs(made: &[Made]) -> Vec<Job> {
        let mut made = made.to_vec();
        made.sort_by_key(|made| made.0);
        let job = |(id, (submit, wait, run_time, more, processors))| Job {
            id,
            submit,
            wait,
            run_time,
            limit: run_time + more,
            processors,
            ..Job::default()
        };
        made.into_iter().enumerate().map(job).collect()
    }

    /// Processors in use in a second, by jobs other than one that were submitted by some time; by counting.
    fn used(jobs: &[Job], starts: &[i64], but: usize, second: i64, known: i64) -> i64 {
        let runs = |job: &&Job| {
            let start = starts[job.id];
            job.id != but
                && job.wait >= 0
                && job.submit <= known
                && (start..start + job.run_time).contains(&second)
        };
        jobs.iter().filter(runs).map(|job| i64::from(job.processors)).sum()
    }

    fn limits(jobs: &[Job]) -> Vec<i64> {
        jobs.iter().map(|job| job.limit).collect()
    }

    /// The definition, second by second, over whole schedules.
    fn by_seconds(jobs: &[Job], procs: u32, knowledge: Knowledge<'_>) -> Vec<i64> {
        let mut starts: Vec<i64> = jobs.iter().map(|job| job.submit + job.wait).collect();
        for job in jobs.iter().filter(|job| job.wait >= 0) {
            let most = i64::from(procs) - i64::from(job.processors);
            let free = |from: i64, seconds: i64, known: i64| {
                (from..from + seconds.max(1)).all(|second| used(jobs, &starts, job.id, second, known) <= most)
            };
            let good = |&start: &i64| {
                free(start, job.run_time, i64::MAX)
                    && match knowledge {
                        Knowledge::RunTimes => true,
                        Knowledge::Expected(lengths) => free(start, lengths[job.id], start),
                    }
            };
            let found = (job.submit..job.submit + job.wait).find(good);
            if let Some(start) = found {
                starts[job.id] = start;
            }
        }
        jobs.iter().zip(starts).map(|(job, start)| job.submit + job.wait - start).collect()
    }

    #[test]
    fn by_hand() {
        // Three of four processors are idle while job 1 waits for no reason, until job 2 takes them from 20 to 40.
        let jobs = jobs(&[(0, 0, 50, 0, 1), (5, 35, 10, 10, 2), (10, 10, 20, 0, 3)]);
        // It would have run to 15, and then job 2 from there. By its limit it might run to 25, but at 5 job 2 is not
        // known yet.
        assert_eq!(earlier(&jobs, 4, Knowledge::RunTimes), [0, 35, 5]);
        assert_eq!(earlier(&jobs, 4, Knowledge::Expected(&limits(&jobs))), [0, 35, 5]);
        assert_eq!(idle_while_waiting(&jobs, 4), [0, 15, 10]);
        // Known by then, job 2 keeps a job with such a limit back.
        let mut known = jobs.clone();
        known[2].submit = 5;
        known[2].wait = 15;
        assert_eq!(earlier(&known, 4, Knowledge::RunTimes), [0, 35, 5]);
        assert_eq!(earlier(&known, 4, Knowledge::Expected(&limits(&known))), [0, 0, 15]);
        // Expected to run for ten seconds, as it does, it moves.
        assert_eq!(earlier(&known, 4, Knowledge::Expected(&[50, 10, 20])), [0, 35, 5]);
    }

    proptest! {
        #[test]
        fn second_by_second(
            made in proptest::collection::vec((0i64..30, -1i64..25, 0i64..12, 0i64..10, 1u32..5), 1..14),
            procs in 3u32..9,
        ) {
            let jobs = jobs(&made);
            for knowledge in [Knowledge::RunTimes, Knowledge::Expected(&limits(&jobs))] {
                prop_assert_eq!(earlier(&jobs, procs, knowledge), by_seconds(&jobs, procs, knowledge));
            }
            let recorded: Vec<i64> = jobs.iter().map(|job| job.submit + job.wait).collect();
            let idle = |job: &Job| {
                let fits = |&second: &i64| {
                    used(&jobs, &recorded, usize::MAX, second, i64::MAX) + i64::from(job.processors) <= procs.into()
                };
                (job.submit..job.submit + job.wait).filter(fits).count() as i64
            };
            prop_assert_eq!(idle_while_waiting(&jobs, procs), jobs.iter().map(idle).collect::<Vec<_>>());
        }
    }
}
