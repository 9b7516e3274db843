//! The workload of Downey 1997: Poisson arrivals for the first half of every day, none for the second; log-uniform
//! sequential lifetimes and average parallelisms, uniform sigma.

use serde::{Deserialize, Serialize};
use surefill::allocate::{LogUniform, Speedup};
use surefill_simulator::base::random::Random;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// The part of a day in which jobs arrive, in seconds.
const DAYTIME: f64 = DAY / 2.0;

/// Bounds of the sequential lifetimes: powers of e, in seconds.
const LIFETIMES: (f64, f64) = (2.0, 12.0);

/// The largest sigma.
const LARGEST_SIGMA: f64 = 2.0;

/// Sequential lifetimes of the workload.
pub fn lifetimes() -> LogUniform {
    let (low, high) = LIFETIMES;
    LogUniform::new(libm::exp(low), libm::exp(high)).expect("a distribution")
}

/// The hours over which utilization is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hours {
    /// Days.
    pub days: u32,
    /// Seconds from one morning to the next.
    pub cycle: f64,
    /// Seconds of a day in which jobs arrive.
    pub daytime: f64,
    /// Seconds of a day and its night at most.
    pub longest: f64,
}

/// Rounding of a job's average parallelism, which is no whole number, to the most processors it takes.
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

/// Inputs of a workload.
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
    /// Days of twelve hours, and their nights.
    pub fn hours(&self) -> Hours {
        Hours { days: self.days, cycle: f64::from(self.apart.max(1)) * DAY, daytime: DAYTIME, longest: DAY }
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

/// The jobs in order of arrival.
pub fn generate(options: &WorkloadOptions) -> Vec<Job> {
    let mut random = Random::new(options.seed);
    let rate = options.load * f64::from(options.procs) / lifetimes().mean();
    let (low, high) = LIFETIMES;
    let mut jobs = Vec::new();
    for day in 0..options.days {
        let mut time = 0.0;
        loop {
            time -= libm::log(1.0 - random.uniform()) / rate;
            if time >= DAYTIME {
                break;
            }
            let sequential = libm::exp(random.between(low, high));
            let (speedup, most) = malleability(options, None, &mut random);
            let place = random.uniform();
            jobs.push(Job {
                arrival: f64::from(day) * options.hours().cycle + time,
                sequential,
                speedup,
                most,
                place,
            });
        }
    }
    jobs
}

/// A and sigma, and the most processors: A is log-uniform up to the machine unless it is known.
fn malleability(options: &WorkloadOptions, known: Option<f64>, random: &mut Random) -> (Speedup, u32) {
    let widest = libm::log(f64::from(options.procs));
    let parallelism = known.unwrap_or_else(|| libm::exp(random.between(0.0, widest)));
    let sigma = random.between(0.0, LARGEST_SIGMA);
    let speedup = Speedup::new(parallelism.max(1.0), sigma).expect("a job");
    let whole = match options.rounding {
        Rounding::Down => parallelism.floor(),
        Rounding::Nearest => parallelism.round(),
        Rounding::Up => parallelism.ceil(),
    };
    (speedup, (whole as u32).clamp(1, options.procs))
}

/// Where a real job's average parallelism comes from, which no trace has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Parallelism {
    /// Drawn as in the paper's workload: log-uniform up to the machine
    Drawn,
    /// The number of processors the job had, which the paper takes for a sign of it (section 2.2.2)
    Size,
}

/// A job as a trace records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// When it was submitted, in seconds.
    pub submit: i64,
    /// Its run time, in seconds.
    pub run_time: i64,
    /// On how many processors.
    pub processors: u32,
}

/// The jobs of a trace that ran, in order of submission, made malleable: they arrive when they did, and a job's work is
/// its run time times its speedup on the processors it had, at an average parallelism and a sigma that are drawn anew
/// by every seed. Times are stretched by one factor until the sequential work that arrives, over the machine from the
/// first arrival to the last, is the load asked for; without one they stay. `options` gives the machine, the seed and
/// the rounding.
pub fn malleable(
    recorded: &[Recorded],
    parallelism: Parallelism,
    load: Option<f64>,
    options: &WorkloadOptions,
) -> Vec<Job> {
    let mut random = Random::new(options.seed);
    let first = recorded.first().map_or(0, |job| job.submit);
    let jobs = recorded.iter().map(|past| {
        let known = (parallelism == Parallelism::Size).then_some(f64::from(past.processors));
        let (speedup, most) = malleability(options, known, &mut random);
        let place = random.uniform();
        // A job of no time counts as one of a second.
        let run_time = past.run_time.max(1) as f64;
        let sequential = run_time * speedup.on(f64::from(past.processors)).unwrap_or(1.0);
        Job { arrival: (past.submit - first) as f64, sequential, speedup, most, place }
    });
    let mut jobs: Vec<Job> = jobs.collect();
    if let Some(load) = load {
        let stretched = offered_load(&jobs, options.procs) / load;
        jobs.iter_mut().for_each(|job| job.arrival *= stretched);
    }
    jobs
}

/// Sequential seconds that arrive, over those of the machine from the first arrival to the last.
pub fn offered_load(jobs: &[Job], procs: u32) -> f64 {
    let work: f64 = jobs.iter().map(|job| job.sequential).sum();
    work / (f64::from(procs) * jobs.last().map_or(1.0, |job| job.arrival.max(1.0)))
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

    /// Two jobs of 100 s on 4 processors at 50 s and 250 s. At A = 4 and sigma = 0 they would be 400 s of work each; by
    /// sigma less, and no less than Eager's bound, 4 x 4 / (4 + 4 - 1), allows.
    #[test]
    fn a_trace_made_malleable_by_hand() {
        let recorded = [50, 250].map(|submit| Recorded { submit, run_time: 100, processors: 4 });
        let options = WorkloadOptions { procs: 16, ..PAPER };
        let jobs = malleable(&recorded, Parallelism::Size, None, &options);
        assert_eq!([0, 1].map(|job| jobs[job].arrival), [0.0, 200.0]);
        for job in &jobs {
            assert!(job.most == 4 && job.speedup.parallelism() == 4.0);
            assert!(job.sequential <= 400.0 && job.sequential >= 100.0 * 16.0 / 7.0);
            assert!((job.run_time(4) - 100.0).abs() < 1e-9);
        }
        let drawn = malleable(&recorded, Parallelism::Drawn, Some(0.5), &options);
        assert!((offered_load(&drawn, 16) - 0.5).abs() < 1e-12);
        assert!(drawn.iter().all(|job| (job.run_time(4) - 100.0).abs() < 1e-9));
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
