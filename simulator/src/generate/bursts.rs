//! The `bursts` model: the trace's own jobs, and now and then hundreds of like ones at once, as clusters of today see
//! them (job arrays, parameter sweeps).
//!
//! One job in 250 that takes at most a sixteenth of the machine and runs for half a minute or more becomes a burst: it
//! is submitted 50 to 1,000 times in the same second (log-uniform), though no burst asks for more than half a day of
//! the whole machine. The copies have its user, processors and request; their run times are its own times a log-normal
//! factor of standard deviation .25 in the logarithm, cut at the request. The jobs that follow are left out until as
//! much processor time has been left out as the copies added, so that the load stays the trace's.
//!
//! A workload longer than the trace goes on with the trace again, in whole weeks, with other bursts.

use super::history::{History, Past};
use crate::base::random::Random;
use crate::trace::swf::{MAX_VALUE, SwfJob};

const WEEK: i64 = 7 * 86_400;

/// One in this number of the jobs that may begin a burst does.
const ONE_IN: u32 = 250;

/// The fewest and the most jobs of a burst.
const JOBS: (f64, f64) = (50.0, 1000.0);

/// The shortest run time of a job that may become a burst, in seconds.
const SHORTEST: i64 = 30;

/// A burst asks for no more than the whole machine for so long, in seconds.
const MOST: f64 = 43_200.0;

/// The jobs of a trace.
#[derive(Debug, Clone)]
pub struct Bursts {
    jobs: Vec<Past>,
    procs: u32,
    /// Whole weeks that hold the trace, in seconds.
    length: i64,
}

fn work(job: &Past) -> f64 {
    f64::from(job.processors) * job.run_time as f64
}

impl Bursts {
    /// The jobs of a trace.
    pub fn new(history: &History) -> Bursts {
        let jobs = history.jobs.clone();
        let span = jobs.last().map_or(0, |job| job.submit) - jobs.first().map_or(0, |job| job.submit);
        Bursts { jobs, procs: history.procs, length: (span / WEEK + 1) * WEEK }
    }

    /// Number of copies of a job that are submitted at once: one for most.
    fn copies(&self, job: &Past, random: &mut Random) -> u32 {
        let narrow = job.processors.saturating_mul(16) <= self.procs.max(16);
        if !narrow || job.run_time < SHORTEST || random.below(ONE_IN) > 0 {
            return 1;
        }
        let most = MOST * f64::from(self.procs) / work(job);
        random.log_uniform(JOBS.0, JOBS.1).min(most).max(1.0) as u32
    }

    /// Gives jobs to `each` in order of submission until it says no.
    pub(super) fn jobs<E>(
        &self,
        random: &mut Random,
        count: u64,
        mut each: impl FnMut(SwfJob) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut number = 0;
        // Processor-seconds of copies for which no job has been left out yet.
        let mut added = 0.0;
        for round in 0_i64.. {
            for job in &self.jobs {
                if number == count {
                    return Ok(());
                }
                if added > 0.0 {
                    added -= work(job);
                    continue;
                }
                let submit = job.submit.saturating_add(round.saturating_mul(self.length)).min(MAX_VALUE);
                number += 1;
                each(job.again(number as i64, submit))?;
                for _ in 1..self.copies(job, random) {
                    if number == count {
                        break;
                    }
                    let run_time =
                        (job.run_time as f64 * random.log_normal(1.0, 0.25)).round().max(1.0) as i64;
                    let run_time = if job.requested > 0 { run_time.min(job.requested) } else { run_time };
                    let copy = Past { run_time, ..*job };
                    added += work(&copy);
                    number += 1;
                    each(copy.again(number as i64, submit))?;
                }
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

    fn history() -> History {
        let past = |number: i64| Past {
            submit: 60 * number,
            wait: -1,
            run_time: 100 + number % 300,
            processors: 1 + (number % 7) as u32,
            requested: 600,
            user: number % 13,
            kind: Kind::default(),
        };
        History {
            name: "t.swf".into(),
            jobs: (0..20_000).map(past).collect(),
            left_out: 0,
            procs: 64,
            unix_start_time: None,
            time_zone: None,
        }
    }

    #[test]
    fn bursts_are_like_jobs_at_once_and_the_load_stays() {
        let history = history();
        let mut made: Vec<SwfJob> = Vec::new();
        let all = Bursts::new(&history).jobs(&mut Random::new(3), 15_000, |job| {
            made.push(job);
            Ok::<(), Infallible>(())
        });
        assert!(all.is_ok() && made.len() == 15_000 && made.is_sorted_by_key(|job| job.submit));
        let bursts: Vec<&[SwfJob]> =
            made.chunk_by(|a, b| a.submit == b.submit).filter(|jobs| jobs.len() > 1).collect();
        assert!(bursts.len() > 5, "{}", bursts.len());
        for burst in &bursts {
            assert!((50..=1000).contains(&burst.len()) && burst[0].processors <= 4);
            assert!(burst.iter().all(|job| (job.user, job.processors, job.requested_time)
                == (burst[0].user, burst[0].processors, 600)));
            assert!(burst.iter().all(|job| (1..=600).contains(&job.run_time)));
            assert!(burst.iter().any(|job| job.run_time != burst[0].run_time));
        }
        let asked = |jobs: &mut dyn Iterator<Item = (u32, i64)>| -> f64 {
            jobs.map(|(processors, run_time)| f64::from(processors) * run_time as f64).sum()
        };
        let last = made.last().map_or(0, |job| job.submit);
        let own = asked(&mut made.iter().map(|job| (job.processors, job.run_time)));
        let past = history.jobs.iter().filter(|job| job.submit <= last);
        let trace = asked(&mut past.map(|job| (job.processors, job.run_time)));
        assert!((own / trace - 1.0).abs() < 0.03, "{own} {trace}");
    }

    #[test]
    fn goes_on_with_the_trace_again() {
        let history = History { jobs: history().jobs.into_iter().take(3).collect(), ..history() };
        let mut submits = Vec::new();
        let all = Bursts::new(&history).jobs(&mut Random::new(1), 5, |job| {
            submits.push(job.submit);
            Ok::<(), Infallible>(())
        });
        assert!(all.is_ok());
        assert_eq!(submits, [0, 60, 120, WEEK, WEEK + 60]);
    }
}
