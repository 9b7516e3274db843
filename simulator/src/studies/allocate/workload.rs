//! The workload of Downey 1997: Poisson arrivals for the first half of every day, none for the second; log-uniform
//! sequential lifetimes and average parallelisms, uniform sigma.

use crate::base::random::Random;
use serde::{Deserialize, Serialize};
use surefill::allocate::{LogUniform, Speedup};

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// The part of a day in which jobs arrive, in seconds.
pub const DAYTIME: f64 = DAY / 2.0;

/// Bounds of the sequential lifetimes: powers of e, in seconds.
pub const LIFETIMES: (f64, f64) = (2.0, 12.0);

/// The largest sigma.
pub const LARGEST_SIGMA: f64 = 2.0;

/// How the most processors a job takes follow from its average parallelism, which is no whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// No more than A
    Down,
    /// The nearest to A
    Nearest,
    /// No fewer than A
    Up,
}

/// What decides a workload.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorkloadOptions {
    /// Days with arrivals.
    pub days: u32,
    /// Processors of the machine, and the largest average parallelism.
    pub procs: u32,
    /// rho: sequential seconds that arrive a second of daytime, over the processors.
    pub load: f64,
    /// Seed of the generator.
    pub seed: u64,
    /// From A to the most processors.
    pub rounding: Rounding,
    /// Days from one morning to the next, at least 1. At 7 the machine is empty every morning: no lifetime is longer
    /// than two days, and at usual loads nor is a queue.
    pub apart: u32,
}

impl WorkloadOptions {
    /// Seconds from one morning to the next.
    pub fn cycle(&self) -> f64 {
        f64::from(self.apart.max(1)) * DAY
    }
}

/// A malleable job.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// When it arrives.
    pub arrival: f64,
    /// L: its run time on one processor.
    pub sequential: f64,
    /// A and sigma.
    pub speedup: Speedup,
    /// The most processors it takes: A, rounded.
    pub most: u32,
    /// Where its true run time lies within the range its user gives, from the top: 0 to 1 in the logarithm.
    pub place: f64,
}

impl Job {
    /// R(n), n at least 1.
    pub fn run_time(&self, processors: u32) -> f64 {
        self.sequential / self.speedup.on(f64::from(processors)).unwrap_or(1.0)
    }
}

/// Lifetimes of the model.
pub fn lifetimes() -> LogUniform {
    let (low, high) = LIFETIMES;
    LogUniform::new(libm::exp(low), libm::exp(high)).expect("a distribution")
}

/// The jobs in order of arrival.
pub fn generate(options: &WorkloadOptions) -> Vec<Job> {
    let mut random = Random::new(options.seed);
    let rate = options.load * f64::from(options.procs) / lifetimes().mean();
    let (low, high) = LIFETIMES;
    let widest = libm::log(f64::from(options.procs));
    let mut jobs = Vec::new();
    for day in 0..options.days {
        let mut time = 0.0;
        loop {
            time -= libm::log(1.0 - random.uniform()) / rate;
            if time >= DAYTIME {
                break;
            }
            let sequential = libm::exp(random.between(low, high));
            let parallelism = libm::exp(random.between(0.0, widest));
            let sigma = random.between(0.0, LARGEST_SIGMA);
            let place = random.uniform();
            let speedup = Speedup::new(parallelism.max(1.0), sigma).expect("a job");
            let whole = match options.rounding {
                Rounding::Down => parallelism.floor(),
                Rounding::Nearest => parallelism.round(),
                Rounding::Up => parallelism.ceil(),
            };
            let most = (whole as u32).clamp(1, options.procs);
            jobs.push(Job {
                arrival: f64::from(day) * options.cycle() + time,
                sequential,
                speedup,
                most,
                place,
            });
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: WorkloadOptions =
        WorkloadOptions { days: 120, procs: 128, load: 0.75, seed: 1, rounding: Rounding::Up, apart: 1 };

    #[test]
    fn a_workload_of_the_paper() {
        let jobs = generate(&PAPER);
        // 120 days at .75 x 128 x 12 h / 271 min: 30,580, with a standard deviation of 175.
        assert!((30_000..31_200).contains(&jobs.len()), "{}", jobs.len());
        assert!(jobs.is_sorted_by(|a, b| a.arrival <= b.arrival));
        assert!(jobs.iter().all(|job| job.arrival % DAY < DAYTIME && (1..=128).contains(&job.most)));
        let mean = jobs.iter().map(|job| job.sequential).sum::<f64>() / jobs.len() as f64 / 60.0;
        assert!((260.0..282.0).contains(&mean), "{mean}");
        let wide = jobs.iter().filter(|job| job.speedup.parallelism() > 128f64.sqrt()).count();
        assert!((wide as f64 / jobs.len() as f64 - 0.5).abs() < 0.02);
    }

    /// Kolmogorov and Smirnov's distance of a sample from the uniform distribution on 0 to 1, within which it must be;
    /// above 1.63 / sqrt(n), which is .0093 here, it would be once in a hundred.
    fn assert_uniform(values: impl Iterator<Item = f64>) {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        assert!(values.len() > 30_000 && values[0] >= 0.0 && values[values.len() - 1] <= 1.0);
        let step = 1.0 / values.len() as f64;
        let apart = |(index, value): (usize, &f64)| {
            (value - index as f64 * step).abs().max((value - (index + 1) as f64 * step).abs())
        };
        let largest = values.iter().enumerate().map(apart).fold(0.0, f64::max);
        assert!(largest < 1.63 / (values.len() as f64).sqrt(), "{largest}");
    }

    #[test]
    fn parameters_have_their_distributions() {
        let jobs = generate(&PAPER);
        assert_uniform(jobs.iter().map(|job| job.speedup.sigma() / 2.0));
        assert_uniform(jobs.iter().map(|job| job.speedup.parallelism().ln() / 128f64.ln()));
        assert_uniform(jobs.iter().map(|job| (job.sequential.ln() - 2.0) / 10.0));
    }

    /// By day a Poisson process: exponential times from one arrival to the next, as many jobs in a day as give a
    /// variance like the mean.
    #[test]
    fn arrivals_are_a_poisson_process() {
        let jobs = generate(&PAPER);
        let rate = 0.75 * 128.0 / lifetimes().mean();
        let mut before = 0.0;
        let gaps = jobs.iter().map(|job| {
            let morning = (job.arrival / DAY).floor() * DAY;
            let gap = job.arrival - f64::max(before, morning);
            before = job.arrival;
            1.0 - libm::exp(-rate * gap)
        });
        assert_uniform(gaps);
        let mut days = vec![0.0; PAPER.days as usize];
        jobs.iter().for_each(|job| days[(job.arrival / DAY) as usize] += 1.0);
        let mean = days.iter().sum::<f64>() / 120.0;
        let variance = days.iter().map(|day| (day - mean) * (day - mean)).sum::<f64>() / 119.0;
        // Over 120 days the ratio scatters by sqrt(2 / 119) = .13.
        assert!((variance / mean - 1.0).abs() < 0.4, "{variance} {mean}");
    }
}
