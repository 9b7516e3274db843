//! The `lublin` model: U. Lublin & D. G. Feitelson 2003, *The workload on parallel supercomputers: modeling the
//! characteristics of rigid jobs*, J. Parallel Distrib. Comput. 63(11), with the published program's parameters for a
//! workload that does not tell batch from interactive jobs.
//!
//! * **Processors**: 1 with probability .244; else 2^x with x two-stage uniform, from .8 to the logarithm of the
//!   machine's size, 86 % of it below that less 2.5; x is rounded for a share of .576 of all jobs.
//! * **Run time**: e^x seconds, x from a gamma of shape 4.2 and scale .94 with probability .78 - .0054 processors, else
//!   of 312 and .03; x above 12 is drawn again.
//! * **Arrivals**: e^x seconds pass between submissions, x from a gamma of shape 10.2303 * 1.0225 and scale .4871,
//!   above 13 drawn again. They pass at the rate of the half-hour of the day, whose share of a day's jobs is that of a
//!   gamma of shape 8.1737 and scale 3.9631, over half-hours 11 to 58 (the day begins at five).
//!
//! Draws are made anew where the published program splits one number; the distributions are the same. The model has
//! no users and no requested times: both are unknown.

use std::num::NonZeroU32;
use surefill_simulator::base::random::Random;
use surefill_simulator::generate::job;
use surefill_simulator::trace::swf::{MAX_VALUE, SwfJob};

const SERIAL: f64 = 0.244;
const POWER_OF_TWO: f64 = 0.576;
const LOWEST: f64 = 0.8;
/// From the middle to the top of the logarithm of sizes.
const UPPER: f64 = 2.5;
const BELOW_MIDDLE: f64 = 0.86;

const SHORT: (f64, f64) = (4.2, 0.94);
const LONG: (f64, f64) = (312.0, 0.03);
const SHORT_SLOPE: f64 = -0.0054;
const SHORT_SHARE: f64 = 0.78;
const LONGEST_LOG: f64 = 12.0;

const GAP: (f64, f64) = (10.2303 * 1.0225, 0.4871);
const LONGEST_GAP_LOG: f64 = 13.0;
const DAY: (f64, f64) = (8.1737, 3.9631);
const HALF_HOURS: usize = 48;
const HALF_HOUR: f64 = 1800.0;
const DAY_STARTS: usize = 11;

/// The model for one machine.
#[derive(Debug, Clone)]
pub struct Lublin {
    procs: u32,
    /// Relative rates of submissions by half-hour, of mean 1.
    rates: [f64; HALF_HOURS],
}

impl Lublin {
    /// The model for a machine of `procs` processors.
    pub fn new(procs: NonZeroU32) -> Lublin {
        let mut rates = [0.0; HALF_HOURS];
        for i in DAY_STARTS..DAY_STARTS + HALF_HOURS {
            let below = |x: f64| gamma_cdf(x, DAY.0, DAY.1);
            rates[(i - 1) % HALF_HOURS] = below(i as f64 + 0.5) - below(i as f64 - 0.5);
        }
        let mean = rates.iter().sum::<f64>() / HALF_HOURS as f64;
        Lublin { procs: procs.get(), rates: rates.map(|rate| rate / mean) }
    }

    /// A job's processors.
    pub fn processors(&self, random: &mut Random) -> u32 {
        let highest = libm::log2(f64::from(self.procs));
        if self.procs == 1 || random.chance(SERIAL) {
            return 1;
        }
        let lowest = LOWEST.min(highest);
        let middle = (highest - UPPER).max(lowest);
        let below = random.chance(BELOW_MIDDLE);
        let (from, to) = if below { (lowest, middle) } else { (middle, highest) };
        let mut x = random.between(from, to);
        if random.chance(POWER_OF_TWO / (1.0 - SERIAL)) {
            x = libm::floor(x + 0.5);
        }
        (libm::floor(libm::exp2(x) + 0.5) as u32).clamp(1, self.procs)
    }

    /// The run time of a job of this number of processors, in seconds.
    pub fn run_time(&self, processors: u32, random: &mut Random) -> i64 {
        let short = (SHORT_SLOPE * f64::from(processors) + SHORT_SHARE).clamp(0.0, 1.0);
        loop {
            let (shape, scale) = if random.chance(short) { SHORT } else { LONG };
            let x = random.gamma(shape, scale);
            if x <= LONGEST_LOG {
                return libm::exp(x) as i64;
            }
        }
    }

    /// Seconds that pass at the mean rate until the next submission.
    fn gap(&self, random: &mut Random) -> f64 {
        loop {
            let x = random.gamma(GAP.0, GAP.1);
            if x <= LONGEST_GAP_LOG {
                return libm::exp(x);
            }
        }
    }

    /// The second of the clock at which `gap` seconds have passed since `clock`, each half-hour at its rate.
    fn after(&self, clock: f64, mut gap: f64) -> f64 {
        let days = (gap / (HALF_HOURS as f64 * HALF_HOUR)).floor();
        gap -= days * HALF_HOURS as f64 * HALF_HOUR;
        let mut at = clock + days * HALF_HOURS as f64 * HALF_HOUR;
        loop {
            let index = (at / HALF_HOUR).floor();
            let rate = self.rates[index as usize % HALF_HOURS];
            let left = ((index + 1.0) * HALF_HOUR - at) * rate;
            if gap < left {
                return at + gap / rate;
            }
            gap -= left;
            at = (index + 1.0) * HALF_HOUR;
        }
    }

    /// Jobs without end, from midnight on.
    pub fn jobs<'a>(&'a self, random: &'a mut Random) -> impl Iterator<Item = SwfJob> + 'a {
        let mut clock = 0.0;
        (1..).map(move |number| {
            clock = self.after(clock, self.gap(random));
            let processors = self.processors(random);
            let run_time = self.run_time(processors, random);
            job(number, (clock as i64).min(MAX_VALUE), (processors, run_time), -1, -1)
        })
    }
}

/// The cumulative distribution function of a gamma of this shape and scale (Press et al., *Numerical Recipes*, section
/// 6.2: a series below the mean, a continued fraction above).
fn gamma_cdf(x: f64, shape: f64, scale: f64) -> f64 {
    const TERMS: u32 = 1000;
    const CLOSE: f64 = 1e-15;
    let x = x / scale;
    if x <= 0.0 {
        return 0.0;
    }
    let front = libm::exp(shape * libm::log(x) - x - libm::lgamma(shape));
    if x < shape + 1.0 {
        let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
        for n in 1..TERMS {
            term *= x / (shape + f64::from(n));
            sum += term;
            if term < sum * CLOSE {
                break;
            }
        }
        return sum * front;
    }
    // Lentz's method for the upper tail.
    let mut b = x + 1.0 - shape;
    let mut c = f64::MAX;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..TERMS {
        let a = -f64::from(n) * (f64::from(n) - shape);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < CLOSE {
            break;
        }
    }
    1.0 - front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(procs: u32) -> Lublin {
        Lublin::new(NonZeroU32::new(procs).unwrap())
    }

    /// By `scipy.stats.gamma.cdf(x, a, scale=s)`.
    #[test]
    fn gamma_against_scipy() {
        for (x, shape, scale, expected) in GAMMA_CDF {
            let ours = gamma_cdf(x, shape, scale);
            assert!((ours - expected).abs() < 1e-12, "{x} {shape} {scale}: {ours} {expected}");
        }
    }

    const GAMMA_CDF: [(f64, f64, f64, f64); 5] = [
        (10.5, 8.1737, 3.9631, 0.00481182314532125),
        (32.0, 8.1737, 3.9631, 0.5327514683702352),
        (58.5, 8.1737, 3.9631, 0.9764130400310724),
        (0.3, 0.5, 1.0, 0.5614219739190003),
        (9.9, 312.0, 0.03, 0.8458676630925261),
    ];

    /// The mean of both mixtures, and the share of serial jobs and of powers of two.
    #[test]
    fn sizes_and_run_times() {
        const DRAWS: usize = 100_000;
        let (model, mut random) = (model(128), Random::new(1));
        let sizes: Vec<u32> = (0..DRAWS).map(|_| model.processors(&mut random)).collect();
        let share =
            |is: &dyn Fn(u32) -> bool| sizes.iter().filter(|&&size| is(size)).count() as f64 / DRAWS as f64;
        assert!((share(&|size| size == 1) - SERIAL).abs() < 0.005);
        assert!(sizes.iter().all(|&size| size <= 128));
        // Rounded exponents, and what happens to be a power of two without: 2^x rounds to 2 up to x = log2 2.5, to 4
        // from log2 3.5 to log2 4.5, to 8 from log2 7.5 to log2 8.5, to 16 from log2 15.5 to log2 16.5, all but wider
        // ones in the first stage of 3.7, the others (32, 64, 128) in the second of 2.5.
        let within = |low: f64, high: f64| (high.log2() - low.log2()) / 3.7;
        let first = (2.5f64.log2() - 0.8) / 3.7 + within(3.5, 4.5) + within(7.5, 8.5) + within(15.5, 16.5);
        let wide = (32.5f64 / 31.5).log2() + (64.5f64 / 63.5).log2() + (128f64 / 127.5).log2();
        let powers = POWER_OF_TWO + (1.0 - SERIAL - POWER_OF_TWO) * (0.86 * first + 0.14 * wide / 2.5);
        let parallel = share(&|size| size > 1 && size.is_power_of_two());
        assert!((parallel - powers).abs() < 0.005, "{parallel} {powers}");
        // Between .8 and 4.5 lies 86 % of the parallel ones: 2^4.5 is 22.6, rounded exponents from 4.5 on are 5.
        let wide = share(&|size| size >= 23) / (1.0 - SERIAL);
        assert!((wide - 0.14).abs() < 0.005, "{wide}");
        // Run times of one processor below a number of seconds, what is above e^12 drawn again.
        let below = |x: f64| {
            let short = SHORT_SHARE + SHORT_SLOPE;
            short * gamma_cdf(x, SHORT.0, SHORT.1) + (1.0 - short) * gamma_cdf(x, LONG.0, LONG.1)
        };
        let times: Vec<i64> = (0..DRAWS).map(|_| model.run_time(1, &mut random)).collect();
        for seconds in [5, 50, 1000, 10_000, 50_000] {
            let share = times.iter().filter(|&&time| time < seconds).count() as f64 / DRAWS as f64;
            let expected = below(libm::log(seconds as f64)) / below(LONGEST_LOG);
            assert!((share - expected).abs() < 0.006, "{seconds}: {share} {expected}");
        }
    }

    #[test]
    fn small_machines() {
        for procs in 1..12 {
            let mut random = Random::new(7);
            let model = model(procs);
            assert!((0..200).map(|_| model.processors(&mut random)).all(|size| (1..=procs).contains(&size)));
        }
        let largest = model(u32::MAX);
        assert!(largest.processors(&mut Random::new(1)) >= 1);
    }

    /// A day's seconds pass in a day, and noon is busier than five in the morning.
    #[test]
    fn the_daily_cycle() {
        let model = model(8);
        let day = 86_400.0;
        assert!((model.after(1000.0, day) - 1000.0 - day).abs() < 1e-6);
        assert!((model.after(0.0, day * 10.0 + 5.0) - model.after(0.0, 5.0) - 10.0 * day).abs() < 1e-6);
        assert!(model.rates[24] > 5.0 * model.rates[10]);
        // Half an hour's share passes in half an hour.
        assert!((model.after(24.0 * HALF_HOUR, HALF_HOUR * model.rates[24]) - 25.0 * HALF_HOUR).abs() < 1e-6);
    }
}
