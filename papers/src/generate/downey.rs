//! The `downey` model: the workload of Downey 1997 (sections 2.2 and 4) as rigid jobs.
//!
//! * **Arrivals**: a Poisson process from eight to twenty o'clock, nothing at night. Its rate gives the offered load
//!   rho: sequential seconds that arrive a second of daytime, over the processors.
//! * **Jobs**: sequential lifetime L log-uniform in (e^2, e^12) s, average parallelism A log-uniform in (1,
//!   processors), sigma uniform in (0, 2). A job runs on A processors, rounded up, for L / S(A) seconds: the paper
//!   takes the sizes that users choose for their jobs' parallelism.
//! * **People**, whom the paper does not have: users come in sessions and ask for too much ([`super::visits`]). A user
//!   has a program (its A and sigma, and where its L lies in the distribution), which he changes between sessions with
//!   probability 0.3; within a session L moves by up to a twentieth of the range of its logarithm from job to job,
//!   reflected at the ends. All parameters of a job taken by itself keep the paper's distributions.

use super::visits::{Visitor, Visits};
use std::num::NonZeroU32;
use surefill::allocate::{LogUniform, Speedup};
use surefill_simulator::base::random::Random;
use surefill_simulator::generate::job;
use surefill_simulator::trace::swf::{MAX_VALUE, SwfJob};

/// When the day begins, in seconds after midnight.
const MORNING: f64 = 8.0 * 3600.0;

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// The part of a day in which jobs arrive, in seconds.
pub const DAYTIME: f64 = DAY / 2.0;

/// Bounds of the sequential lifetimes: powers of e, in seconds.
pub const LIFETIMES: (f64, f64) = (2.0, 12.0);

/// The largest sigma.
pub const LARGEST_SIGMA: f64 = 2.0;

/// Probability that a user comes with a new program.
const NEW_PROGRAM: f64 = 0.3;

/// Distance by which L moves from job to job, as a share of the range of its logarithm.
const NEAR: f64 = 0.05;

/// Lifetimes of the model.
pub fn lifetimes() -> LogUniform {
    let (low, high) = LIFETIMES;
    LogUniform::new(libm::exp(low), libm::exp(high)).expect("a distribution")
}

/// The model for one machine.
#[derive(Debug, Clone)]
pub struct Downey {
    procs: NonZeroU32,
    users: NonZeroU32,
    /// Arrivals a second of daytime.
    rate: f64,
}

#[derive(Debug, Clone, Copy)]
struct Program {
    /// Where L lies: from 0 at the shortest to 1 at the longest, in the logarithm.
    place: f64,
    speedup: Speedup,
}

impl Downey {
    /// The model for a machine of these numbers of processors and users and the offered load (above 0).
    pub fn new(procs: NonZeroU32, users: NonZeroU32, load: f64) -> Downey {
        Downey { procs, users, rate: load * f64::from(procs.get()) / lifetimes().mean() }
    }

    fn program(&self, random: &mut Random) -> Program {
        let widest = libm::log(f64::from(self.procs.get()));
        let parallelism = libm::exp(random.between(0.0, widest)).max(1.0);
        let sigma = random.between(0.0, LARGEST_SIGMA);
        let speedup = Speedup::new(parallelism, sigma).expect("A from 1, sigma from 0");
        Program { place: random.uniform(), speedup }
    }

    /// Jobs without end, from the first morning on.
    pub fn jobs<'a>(&'a self, random: &'a mut Random) -> impl Iterator<Item = SwfJob> + 'a {
        let (low, high) = LIFETIMES;
        let mut passed = 0.0;
        let mut visits = Visits::new(self.users);
        let mut programs: Vec<Option<Program>> = vec![None; self.users.get() as usize];
        (1..).map(move |number| {
            passed -= libm::log(1.0 - random.uniform()) / self.rate;
            let day = libm::floor(passed / DAYTIME);
            let submit = (day * DAY + MORNING + (passed - day * DAYTIME)) as i64;
            let Visitor { user, comes } = visits.next(random);
            let known = programs[user].filter(|_| !comes || !random.chance(NEW_PROGRAM));
            let mut program = known.unwrap_or_else(|| self.program(random));
            let moved = (program.place + random.between(-NEAR, NEAR)).abs();
            program.place = if moved < 1.0 { moved } else { 2.0 - moved };
            programs[user] = Some(program);
            let processors = (program.speedup.parallelism().ceil() as u32).clamp(1, self.procs.get());
            let sequential = libm::exp(low + (high - low) * program.place);
            let run_time = program.speedup.run_time(sequential, processors).expect("one processor or more");
            let run_time = (libm::ceil(run_time) as i64).max(1);
            let request = visits.request(user, run_time, random);
            job(number, submit.min(MAX_VALUE), (processors, run_time), request, user as i64 + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_keep_the_papers_distributions() {
        let number = |n| NonZeroU32::new(n).unwrap();
        let model = Downey::new(number(128), number(200), 0.75);
        let mut random = Random::new(1);
        let jobs: Vec<SwfJob> = model.jobs(&mut random).take(200_000).collect();
        assert!(jobs.is_sorted_by_key(|job| job.submit));
        assert!(jobs.iter().all(|job| (8 * 3600..20 * 3600).contains(&(job.submit % 86_400))));
        // .75 x 128 x 12 h over a mean of 271 min: 254.8 jobs a day.
        let days = jobs.last().unwrap().submit as f64 / DAY;
        assert!((200_000.0 / days / 254.8 - 1.0).abs() < 0.01, "{days}");
        // ceil(A) <= n in ln n / ln 128 of all cases. Sessions make far fewer of the jobs independent.
        for (n, share) in [(2, 1.0 / 7.0), (11, 0.4942), (64, 6.0 / 7.0)] {
            let below = jobs.iter().filter(|job| job.processors <= n).count() as f64 / 200_000.0;
            assert!((below - share).abs() < 0.03, "{n} {below}");
        }
        // On one processor nothing is parallel: the run times are L, half of them up to e^7 s.
        let single = Downey::new(number(1), number(200), 0.75);
        let mut random = Random::new(2);
        let half = single.jobs(&mut random).take(100_000).filter(|job| job.run_time <= 1097).count();
        assert!((half as f64 / 100_000.0 - 0.5).abs() < 0.03, "{half}");
        assert!(single.jobs(&mut random).take(100).all(|job| job.processors == 1));
    }
}
