//! Runs of like jobs, and jobs that use up their limit: what makes a trace's spikes, and what predictors by a user's
//! last jobs live on.
//!
//! A run is what one user submits on as many processors with the same request, each job within three hours of the one
//! before. From a trace are learnt the first jobs of its runs with the runs' lengths, and what follows within a run:
//!
//! * **Limits.** A job uses up its limit when it runs for 99 % of its request or more. Whether the next job of a run
//!   does has a probability by its user and by whether the one before did: the user's share, drawn towards all users'
//!   by two jobs' weight.
//! * **Run times.** One that does not is as many times as long as the one before as it was after some job of the same
//!   class of run times in the trace; after a job that used up its limit, a share of the request that the trace has
//!   there.
//!
//! A new run begins with a job of the run time and the class of processors that the hidden Markov model has drawn:
//! user, processors, request and length are those of a run of the trace that began with such a job, and it uses up its
//! limit where that one did. Where no run began so, the class of run times decides alone. Where a trace names no users,
//! its jobs count as one user's.

use super::chain::{class, key};
use super::people::People;
use std::collections::HashMap;
use surefill_simulator::base::random::Random;
use surefill_simulator::generate::Past;

/// A run ends when its user submits nothing for so long, in seconds. Of one, three and six hours, which were tried,
/// three come nearest to EASY's mean wait on the traces.
const PAUSE: i64 = 3 * 3600;

/// Weight, in jobs, of all users' share of used limits beside a user's own share.
const PRIOR: f64 = 2.0;

/// Draws of a run time below the limit before the last one is kept.
const DRAWS: u32 = 20;

/// Number of hits, and of all cases.
type Count = (u64, u64);

/// The runs of a trace.
#[derive(Debug, Clone)]
pub struct Runs {
    /// The first job of each run, and the run's length.
    heads: Vec<(Past, u32)>,
    /// Runs by the classes of their first job's run time and processors, and by the former alone.
    by_classes: HashMap<(u32, u32), Vec<u32>>,
    by_class: HashMap<u32, Vec<u32>>,
    /// Run times over the one before, by the class of that.
    ratios: HashMap<u32, Vec<f64>>,
    /// Shares of the request that jobs take after one that used up its limit.
    shares: Vec<f64>,
    /// Jobs that use up their limit among those that follow one in a run, by its user and by whether it did so.
    limits: HashMap<(i64, bool), Count>,
    all_limits: [Count; 2],
}

/// A run that goes on.
#[derive(Debug, Clone, Copy)]
pub struct Going {
    user: i64,
    processors: u32,
    request: i64,
    left: u32,
    run_time: i64,
    submit: i64,
    limited: bool,
}

/// A job of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    /// Its user.
    pub user: i64,
    /// Its processors.
    pub processors: u32,
    /// Its request in seconds.
    pub request: i64,
    /// Its run time in seconds, no more than the request.
    pub run_time: i64,
}

/// Whether a run time uses up a request.
fn uses_up(run_time: i64, request: i64) -> bool {
    request > 0 && run_time as f64 >= 0.99 * request as f64
}

/// One more second each, so that run times of 0 s have a ratio.
fn ratio(now: i64, before: i64) -> f64 {
    (now + 1) as f64 / (before + 1) as f64
}

fn classes(run_time: i64, processors: u32) -> (u32, u32) {
    (class(run_time.unsigned_abs()), key(u64::from(processors), true))
}

impl Runs {
    /// Learns from jobs in order of submission. O(jobs).
    pub fn new(jobs: &[Past]) -> Runs {
        let mut runs = Runs {
            heads: Vec::new(),
            by_classes: HashMap::new(),
            by_class: HashMap::new(),
            ratios: HashMap::new(),
            shares: Vec::new(),
            limits: HashMap::new(),
            all_limits: [(0, 0); 2],
        };
        // Last job and run of each user.
        let mut last: HashMap<i64, (Past, usize)> = HashMap::new();
        for job in jobs {
            let goes_on = last.get(&job.user).copied().filter(|(before, _)| {
                job.submit - before.submit <= PAUSE
                    && (job.processors, job.requested) == (before.processors, before.requested)
            });
            let run = goes_on.map_or(runs.heads.len(), |(_, run)| run);
            last.insert(job.user, (*job, run));
            match goes_on {
                Some((before, run)) => {
                    runs.heads[run].1 += 1;
                    runs.follow(&before, job);
                }
                None => {
                    let (run_time, processors) = classes(job.run_time, job.processors);
                    let index = run as u32;
                    runs.by_classes.entry((run_time, processors)).or_default().push(index);
                    runs.by_class.entry(run_time).or_default().push(index);
                    runs.heads.push((*job, 1));
                }
            }
        }
        runs
    }

    /// Learns from two jobs of a run.
    fn follow(&mut self, before: &Past, now: &Past) {
        let [was, is] = [before, now].map(|job| uses_up(job.run_time, job.requested));
        let own = self.limits.entry((now.user, was)).or_default();
        for count in [own, &mut self.all_limits[usize::from(was)]] {
            *count = (count.0 + u64::from(is), count.1 + 1);
        }
        match (was, is) {
            (_, true) => {}
            (false, false) => {
                let ratios = self.ratios.entry(class(before.run_time.unsigned_abs())).or_default();
                ratios.push(ratio(now.run_time, before.run_time));
            }
            (true, false) => self.shares.push(now.run_time as f64 / now.requested as f64),
        }
    }

    /// Probability that the next job of a run uses up its limit.
    fn limited(&self, user: i64, before: bool) -> f64 {
        let (hits, all) = self.all_limits[usize::from(before)];
        let common = if all == 0 { 0.0 } else { hits as f64 / all as f64 };
        let (own, of) = self.limits.get(&(user, before)).copied().unwrap_or_default();
        (own as f64 + PRIOR * common) / (of as f64 + PRIOR)
    }

    /// The next job: one of the run that goes on, else the first of a new one, with these processors and this run time
    /// as far as the trace has runs that begin so.
    pub fn next(
        &self,
        going: &mut Option<Going>,
        (processors, run_time): (u32, i64),
        submit: i64,
        people: &People,
        random: &mut Random,
    ) -> Drawn {
        let goes_on = going.filter(|run| run.left > 0 && submit - run.submit <= PAUSE);
        let run = match goes_on {
            Some(run) => {
                let limited = random.chance(self.limited(run.user, run.limited));
                let run_time = if limited { run.request } else { self.run_time(&run, random) };
                Going { left: run.left - 1, run_time, submit, limited, ..run }
            }
            None => {
                let (head, length) = self.head(processors, run_time, random);
                let fits = head.requested <= 0 || run_time <= head.requested;
                let run_time = if fits { run_time } else { head.run_time };
                // A user who asked for nothing gets a request that people make.
                let request =
                    if head.requested > 0 { head.requested } else { people.request(run_time, random) };
                let limited = uses_up(head.run_time, head.requested);
                Going {
                    user: head.user,
                    processors: head.processors,
                    request,
                    left: length - 1,
                    run_time: if limited { request } else { run_time },
                    submit,
                    limited,
                }
            }
        };
        *going = Some(run);
        let run_time = run.run_time.min(run.request);
        Drawn { user: run.user, processors: run.processors, request: run.request, run_time }
    }

    fn head(&self, processors: u32, run_time: i64, random: &mut Random) -> &(Past, u32) {
        let classes = classes(run_time, processors);
        let found = self.by_classes.get(&classes).or_else(|| self.by_class.get(&classes.0));
        let index = match found {
            Some(runs) => runs[random.index(runs.len())] as usize,
            None => random.index(self.heads.len()),
        };
        &self.heads[index]
    }

    /// A run time that leaves some of the request.
    fn run_time(&self, run: &Going, random: &mut Random) -> i64 {
        for _ in 0..DRAWS {
            let seconds = if run.limited {
                if self.shares.is_empty() {
                    break;
                }
                self.shares[random.index(self.shares.len())] * run.request as f64
            } else {
                let Some(ratios) = self.ratios.get(&class(run.run_time.unsigned_abs())) else { break };
                ratios[random.index(ratios.len())] * (run.run_time + 1) as f64 - 1.0
            };
            let seconds = seconds.round() as i64;
            if !uses_up(seconds, run.request) {
                return seconds.max(0);
            }
        }
        run.run_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::generate::Kind;

    fn job(submit: i64, user: i64, processors: u32, run_time: i64, requested: i64) -> Past {
        Past { submit, wait: -1, run_time, processors, requested, user, kind: Kind::default() }
    }

    /// User 1: a run of three jobs of 4 processors, of which the last two use up their limit, and after more
    /// than three hours another of one; user 2, in between, one of another request each.
    #[test]
    fn runs_by_hand() {
        let jobs = [
            job(0, 1, 4, 50, 100),
            job(10, 2, 1, 9, 60),
            job(20, 1, 4, 99, 100),
            job(30, 2, 1, 9, 120),
            job(3620, 1, 4, 100, 100),
            job(14_421, 1, 4, 19, 100),
        ];
        let runs = Runs::new(&jobs);
        let heads: Vec<(i64, u32)> = runs.heads.iter().map(|(head, length)| (head.submit, *length)).collect();
        assert_eq!(heads, [(0, 3), (10, 1), (30, 1), (14_421, 1)]);
        assert_eq!((runs.limits[&(1, false)], runs.limits[&(1, true)]), ((1, 1), (1, 1)));
        // One of one, and all users' share with the weight of two.
        assert_eq!((runs.limited(1, true), runs.limited(2, true)), (1.0, 1.0));
        // The run goes on with what was learnt: its jobs use up their limits until it is over.
        let people = People::new(&jobs);
        let (mut random, mut going) = (Random::new(1), None);
        let mut next = |submit| runs.next(&mut going, (4, 40), submit, &people, &mut random);
        let drawn = [0, 5, 10].map(&mut next);
        assert_eq!(drawn[0], Drawn { user: 1, processors: 4, request: 100, run_time: 40 });
        assert!(drawn[1..].iter().all(|&job| job == Drawn { run_time: 100, ..drawn[0] }));
        assert_eq!(next(15), drawn[0]);
        // After a pause of more than three hours another begins.
        assert_eq!(next(10_816), drawn[0]);
    }

    /// Half of a user's jobs use up their limits at random: so do half of those generated, none runs longer, and the
    /// lengths of runs are the trace's.
    #[test]
    fn limits_and_lengths_are_kept() {
        let mut random = Random::new(7);
        let jobs: Vec<Past> = (0..20_000)
            .map(|i| {
                // Runs of one, two and three jobs.
                let begun = [0, 1, 1, 2, 2, 2][i as usize % 6] + i / 6 * 3;
                let run_time = if random.chance(0.5) { 1000 } else { 1 + random.below(900) };
                job(i + begun * 20_000, 1, 8, i64::from(run_time), 1000)
            })
            .collect();
        let (runs, people) = (Runs::new(&jobs), People::new(&jobs));
        let mut going = None;
        let (mut hits, mut begins) = (0, 0);
        for submit in 0..60_000 {
            let head = jobs[random.index(jobs.len())];
            begins += u32::from(going.is_none_or(|run: Going| run.left == 0));
            // A run time of the model's in this class that does not use up the limit by itself.
            let shape = (8, head.run_time.min(900));
            let drawn = runs.next(&mut going, shape, submit, &people, &mut random);
            assert!(drawn.run_time <= drawn.request && drawn.user == 1);
            hits += u32::from(uses_up(drawn.run_time, drawn.request));
        }
        assert!((f64::from(hits) / 60_000.0 - 0.5).abs() < 0.02, "{hits}");
        assert!((60_000.0 / f64::from(begins) - 2.0).abs() < 0.03, "{begins}");
    }

    /// No users, no requests, no time: jobs as wide as each other are a run, whose second took six times as long.
    #[test]
    fn poor_traces() {
        let jobs = [job(0, -1, 1, 0, -1), job(1, -1, 1, 5, -1), job(2, -1, 2, 5, -1)];
        let (runs, people) = (Runs::new(&jobs), People::new(&jobs));
        assert_eq!(runs.heads.iter().map(|head| head.1).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(runs.ratios[&0], [6.0]);
        let (mut random, mut going) = (Random::new(1), None);
        for submit in 0..100 {
            let drawn = runs.next(&mut going, (1, 0), submit, &people, &mut random);
            let expected = if submit % 2 == 0 { 0 } else { 5 };
            assert_eq!((drawn.user, drawn.processors, drawn.run_time), (-1, 1, expected));
            assert!(drawn.request >= drawn.run_time.max(1), "{drawn:?}");
        }
    }
}
