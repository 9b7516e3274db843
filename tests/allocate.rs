//! Waits for processors against the enumeration of all outcomes, Monte Carlo and closed forms; choices against the
//! definition.

#[path = "common/splitmix.rs"]
mod splitmix;

use proptest::prelude::*;
use splitmix::splitmix;
use surefill::allocate::{
    ChoiceOptions, Correction, FreeTimePredictor, LogUniform, Sizing, SizingCapacity, Speedup,
};
use surefill::error::Error;
use surefill::runtime::{MAX_BINS, Release, RuntimeBins, RuntimeDistribution};

#[derive(Debug, Clone, Copy)]
struct Job {
    processors: u32,
    age: f64,
    bounds: (f64, f64),
}

impl Job {
    /// Pr(L <= age + wait | L > age) from equations 4 and 5; ages below t_min count as t_min, above t_max as exhausted.
    fn ended(&self, wait: f64) -> f64 {
        let (low, high) = self.bounds;
        if self.age >= high {
            return if wait >= 1.0 { 1.0 } else { 0.0 };
        }
        let cdf = |t: f64| ((t.ln() - low.ln()) / (high.ln() - low.ln())).clamp(0.0, 1.0);
        if self.age + wait >= high {
            return 1.0;
        }
        1.0 - (1.0 - cdf(self.age + wait)) / (1.0 - cdf(self.age))
    }
}

fn job() -> impl Strategy<Value = Job> {
    let bounds = prop_oneof![Just((2f64.exp(), 12f64.exp())), (1.0f64..50.0, 100.0f64..1e5)];
    let age = prop_oneof![0.0f64..20.0, 0.0f64..5000.0, Just(2e5)];
    (1u32..9, age, bounds).prop_map(|(processors, age, bounds)| Job { processors, age, bounds })
}

fn limits() -> SizingCapacity {
    SizingCapacity { running: 400, processors: 3000, bins: 8, events_per_bin: 4 }
}

struct Block(Vec<u64>);

impl Block {
    fn new() -> Block {
        Block(vec![u64::MAX; Sizing::size(&limits()).unwrap().div_ceil(8)])
    }

    fn sizing(&mut self, idle: u32, jobs: &[Job]) -> Sizing<'_> {
        let mut sizing = Sizing::init(bytemuck::cast_slice_mut(&mut self.0), &limits()).unwrap();
        sizing.begin(idle).unwrap();
        for job in jobs {
            let lifetime = LogUniform::new(job.bounds.0, job.bounds.1).unwrap();
            sizing.add_running(job.processors, job.age, &lifetime).unwrap();
        }
        sizing
    }
}

/// Equation 8 as it stands (with equation 6's factors the right way round).
fn enumerated(widths: &[u32], ended: &[f64], missing: u32) -> f64 {
    let mut total = 0.0;
    for outcome in 0u32..1 << widths.len() {
        let has = |i: usize| outcome >> i & 1 == 1;
        let released: u32 = widths.iter().enumerate().filter(|(i, _)| has(*i)).map(|(_, w)| w).sum();
        if released >= missing {
            total +=
                ended.iter().enumerate().map(|(i, p)| if has(i) { *p } else { 1.0 - p }).product::<f64>();
        }
    }
    total
}

fn free(jobs: &[Job], missing: u32, wait: f64) -> f64 {
    let widths: Vec<u32> = jobs.iter().map(|job| job.processors).collect();
    let ended: Vec<f64> = jobs.iter().map(|job| job.ended(wait)).collect();
    enumerated(&widths, &ended, missing)
}

/// The integral of `f` by Simpson's rule on ever finer grids in ln(t + 1), between the given joints.
fn integral(f: &dyn Fn(f64) -> f64, joints: &[f64]) -> f64 {
    let stretch = |from: f64, to: f64| {
        let (a, b) = ((from + 1.0).ln(), (to + 1.0).ln());
        let g = |x: f64| f(x.exp() - 1.0) * x.exp();
        let steps = 4000;
        let h = (b - a) / f64::from(steps);
        let inner: f64 =
            (1..steps).map(|i| g(a + h * f64::from(i)) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
        // One-sided at the ends, where the function may jump.
        (g(a + h * 1e-9) + inner + g(b - h * 1e-9)) * h / 3.0
    };
    joints.windows(2).filter(|w| w[1] > w[0]).map(|w| stretch(w[0], w[1])).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn probabilities_and_quantiles_equal_the_enumeration(
        jobs in proptest::collection::vec(job(), 1..9), idle in 0u32..5, more in 1u32..30, wait in 0.0f64..2e4, q in 0.01f64..=1.0,
    ) {
        let mut block = Block::new();
        let mut sizing = block.sizing(idle, &jobs);
        let found = sizing.free_probability(idle + more, wait).unwrap();
        prop_assert!((found - free(&jobs, more, wait)).abs() < 1e-12);
        let busy: u32 = jobs.iter().map(|job| job.processors).sum();
        for q in [q, 0.5, 1.0] {
            let found = sizing.quantile(idle + more, q);
            if more > busy {
                prop_assert_eq!(found, Err(Error::Never));
                continue;
            }
            let found = found.unwrap();
            prop_assert!(free(&jobs, more, found * (1.0 + 1e-12)) >= q - 1e-12);
            let before = found * (1.0 - 1e-12);
            prop_assert!(free(&jobs, more, before) <= q + 1e-12, "{} {}", found, q);
            prop_assert_eq!(found, sizing.wait(idle + more, FreeTimePredictor::Quantile(q)).unwrap());
        }
    }

    #[test]
    fn the_paper_s_predictors_solve_their_equations(
        jobs in proptest::collection::vec(job(), 1..9), more in 1u32..20,
    ) {
        let mut block = Block::new();
        let mut sizing = block.sizing(3, &jobs);
        let benefactors: Vec<&Job> = jobs.iter().filter(|job| job.processors >= more).collect();
        let busy: u32 = jobs.iter().map(|job| job.processors).sum();
        prop_assert_eq!(sizing.benefactors(3 + more).unwrap_or(0) as usize, benefactors.len());
        let none = |t: f64| benefactors.iter().map(|job| 1.0 - job.ended(t)).product::<f64>();
        let fluid = |t: f64| jobs.iter().map(|job| f64::from(job.processors) * job.ended(t)).sum::<f64>();
        match sizing.wait(3 + more, FreeTimePredictor::Benefactors) {
            Ok(t) => prop_assert!(none(t * (1.0 + 1e-12)) <= 0.5 + 1e-12 && none(t * (1.0 - 1e-12)) >= 0.5 - 1e-12),
            Err(error) => prop_assert!(error == Error::Never && benefactors.is_empty()),
        }
        match sizing.wait(3 + more, FreeTimePredictor::Fluid) {
            Ok(t) => {
                let wanted = f64::from(more);
                prop_assert!(fluid(t * (1.0 + 1e-12)) >= wanted - 1e-10 && fluid(t * (1.0 - 1e-12)) <= wanted + 1e-10);
            }
            Err(error) => prop_assert!(error == Error::Never && busy < more),
        }
        let expected = if benefactors.len() >= 2 { FreeTimePredictor::Benefactors } else { FreeTimePredictor::Fluid };
        prop_assert_eq!(sizing.wait(3 + more, FreeTimePredictor::Combined), sizing.wait(3 + more, expected));
        // A single benefactor decides alone only when the others together are too small.
        if benefactors.len() == 1 && busy - benefactors[0].processors < more {
            let (a, exact) = (sizing.wait(3 + more, FreeTimePredictor::Benefactors), sizing.quantile(3 + more, 0.5));
            prop_assert!((a.unwrap() / exact.unwrap() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn binned_lifetimes_equal_the_enumeration(
        jobs in proptest::collection::vec((1u32..9, 0i64..100, 1i64..300, proptest::collection::vec(0u32..4, 8)), 1..6),
        more in 1u32..20, wait in 0i64..300, q in 0.01f64..=1.0,
    ) {
        let bins = RuntimeBins::new(2.0, 2.0, 8).unwrap();
        let mut block = Block::new();
        let mut sizing = block.sizing(2, &[]);
        let mut ends = vec![];
        for (processors, age, limit, counts) in &jobs {
            let counts: Vec<f64> = counts.iter().map(|&c| f64::from(c)).collect();
            let runtime = RuntimeDistribution::from_counts(&bins, &counts).unwrap();
            sizing.add_running_binned(*processors, *age, *limit, &runtime).unwrap();
            let mut out = [Release::default(); 32];
            let count = runtime.remaining(*age, *limit, 4, &mut out).unwrap();
            ends.push(out[..count].to_vec());
        }
        let widths: Vec<u32> = jobs.iter().map(|job| job.0).collect();
        let by = |t: i64| {
            let ended: Vec<f64> =
                ends.iter().map(|e| e.iter().filter(|r| r.after <= t).map(|r| r.probability).sum()).collect();
            enumerated(&widths, &ended, more)
        };
        let found = sizing.free_probability(2 + more, wait as f64).unwrap();
        prop_assert!((found - by(wait)).abs() < 1e-12);
        if more > widths.iter().sum() {
            prop_assert_eq!(sizing.mean(2 + more), Err(Error::Never));
            return Ok(());
        }
        let t = sizing.quantile(2 + more, q).unwrap();
        prop_assert!(t.fract() == 0.0 && by(t as i64) >= q - 1e-12 && by(t as i64 - 1) < q + 1e-12);
        let mut instants: Vec<i64> = ends.iter().flatten().map(|r| r.after).chain([0]).collect();
        instants.sort_unstable();
        let mean: f64 = instants.windows(2).map(|w| (1.0 - by(w[0])) * (w[1] - w[0]) as f64).sum();
        let found = sizing.mean(2 + more).unwrap();
        prop_assert!((found - mean).abs() < 1e-12 * mean.max(1.0), "{} {}", found, mean);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn means_equal_the_integral_of_the_enumeration(
        jobs in proptest::collection::vec(job(), 1..6), more in 1u32..20,
    ) {
        let busy: u32 = jobs.iter().map(|job| job.processors).sum();
        let more = more.min(busy);
        let mut block = Block::new();
        let found = block.sizing(0, &jobs).mean(more).unwrap();
        let mut joints = vec![0.0];
        for job in &jobs {
            let (low, high) = job.bounds;
            joints.push((low - job.age).max(0.0));
            joints.push(if job.age >= high { 1.0 } else { high - job.age });
        }
        joints.sort_by(f64::total_cmp);
        let expected = integral(&|t| 1.0 - free(&jobs, more, t), &joints);
        prop_assert!((found / expected - 1.0).abs() < 1e-8, "{} {}", found, expected);
    }

    /// The promised gain is kept, by enumeration of the jobs ended when the patience is over; and no size is better
    /// without giving up.
    #[test]
    fn patience_gains_what_it_says(
        jobs in proptest::collection::vec(job(), 1..6), idle in 1u32..8, a in 2.0f64..60.0, sigma in 0.0f64..2.0,
        sequential in 10.0f64..1e5, weight in prop_oneof![Just(1.0), 0.1f64..6.0],
    ) {
        let busy: u32 = jobs.iter().map(|job| job.processors).sum();
        let speedup = Speedup::new(a, sigma).unwrap();
        let run_time = |n: u32| speedup.run_time(sequential, n).unwrap();
        let most = a as u32;
        let mut block = Block::new();
        let mut sizing = block.sizing(idle, &jobs);
        let options = ChoiceOptions { most, weight, ..ChoiceOptions::default() };
        let (choice, patience) = sizing.choose_with_patience(&options, run_time).unwrap();
        let now = run_time(most.min(idle));
        let found = now - choice.gain;
        for n in idle + 1..=most.min(idle + busy) {
            let never_giving_up = weight * sizing.mean(n).unwrap() + run_time(n);
            prop_assert!(found <= never_giving_up * (1.0 + 1e-9), "{:?} {} {}", choice, n, never_giving_up);
        }
        prop_assert_eq!(choice.processors <= idle, patience == 0.0);
        if choice.processors <= idle {
            prop_assert_eq!((choice.gain, choice.run_time), (0.0, now));
            return Ok(());
        }
        let missing = choice.processors - idle;
        let mut joints = vec![0.0];
        for job in &jobs {
            let (low, high) = job.bounds;
            joints.push((low - job.age).max(0.0));
            joints.push(if job.age >= high { 1.0 } else { high - job.age });
        }
        joints.sort_by(f64::total_cmp);
        let end = joints[joints.len() - 1].min(patience);
        joints.retain(|&joint| joint < end);
        joints.push(end);
        let wait = integral(&|t| 1.0 - free(&jobs, missing, t), &joints);
        let mut expected = weight * wait;
        // Pr(this number is released by then) as a difference; the integral is over when all have ended.
        let by_then = |released: u32| if patience.is_finite() { free(&jobs, released, end) } else { 1.0 };
        expected += by_then(missing) * run_time(choice.processors);
        for released in 0..missing {
            expected += (by_then(released) - by_then(released + 1)) * run_time(idle + released);
        }
        prop_assert!((found / expected - 1.0).abs() < 1e-6, "{:?} {} {} {}", choice, patience, found, expected);
    }

    #[test]
    fn choices_are_the_best_of_all(
        jobs in proptest::collection::vec(job(), 0..12), idle in 0u32..8, a in 1.0f64..60.0, sigma in 0.0f64..2.0,
        sequential in 10.0f64..1e5, weight in prop_oneof![Just(1.0), Just(0.0), 0.0f64..6.0], least_gain in prop_oneof![Just(0.0), 0.0f64..0.5],
        corrects in any::<bool>(),
    ) {
        let busy: u32 = jobs.iter().map(|job| job.processors).sum();
        prop_assume!(idle + busy > 0);
        let speedup = Speedup::new(a, sigma).unwrap();
        let run_time = |n: u32| speedup.run_time(sequential, n).unwrap();
        let mut correction = Correction::new();
        for i in 1..60 {
            correction.record(f64::from(i * i), 3.0 * f64::from(i)).unwrap();
        }
        let correction = corrects.then_some(&correction);
        let most = a as u32;
        let mut block = Block::new();
        let mut sizing = block.sizing(idle, &jobs);
        for predictor in [FreeTimePredictor::Combined, FreeTimePredictor::Fluid, FreeTimePredictor::Quantile(0.5), FreeTimePredictor::Mean, FreeTimePredictor::Benefactors] {
            let options = ChoiceOptions { predictor, least: 1, most, weight, least_gain };
            let chosen = sizing.choose(&options, correction, run_time);
            let mut best: Option<(f64, u32, f64)> = None;
            for n in 1..=most.min(idle + busy) {
                let Ok(raw) = sizing.wait(n, predictor) else { continue };
                let wait = correction.filter(|_| raw > 0.0).map_or(raw, |correction| correction.corrected(raw));
                let total = weight * wait + run_time(n);
                // The idle processors are compared first, and set the bar for the rest.
                let bar = match best {
                    Some(best) if n == idle + 1 => best.0 * (1.0 - least_gain),
                    Some(best) if n > idle && best.1 <= idle => best.0 * (1.0 - least_gain),
                    Some(best) => best.0,
                    None => f64::INFINITY,
                };
                if total < bar {
                    best = Some((total, n, raw));
                }
            }
            let Some((total, n, raw)) = best else {
                prop_assert_eq!(chosen, Err(Error::Never));
                continue;
            };
            let chosen = chosen.unwrap();
            let found = weight * chosen.wait + chosen.run_time;
            prop_assert!((found / total - 1.0).abs() < 1e-9, "{:?}: {:?} {:?}", predictor, chosen, best);
            if weight == 0.0 {
                prop_assert_eq!(chosen.processors, n, "the smaller of equal ones");
            }
            if chosen.processors == n {
                prop_assert!((chosen.predicted - raw).abs() <= 1e-9 * raw);
            }
            if idle > 0 {
                let gain = run_time(most.min(idle)) - found;
                prop_assert!((chosen.gain - gain).abs() <= 1e-9 * sequential);
                prop_assert_eq!(chosen.gain > 0.0, chosen.processors > idle);
            }
        }
    }
}

#[test]
fn one_job_has_a_closed_form() {
    // The mean remaining lifetime: (t_max - a) / ln(t_max / a) - a.
    let job = Job { processors: 5, age: 500.0, bounds: (2f64.exp(), 12f64.exp()) };
    let mean = (12f64.exp() - 500.0) / (12.0 - 500f64.ln()) - 500.0;
    let mut block = Block::new();
    let mut sizing = block.sizing(2, &[job]);
    assert!((sizing.mean(3).unwrap() / mean - 1.0).abs() < 1e-13);
    assert_eq!(sizing.mean(2), Ok(0.0));
    // The median: half the logarithm is left.
    let median = (500.0 * 12f64.exp()).sqrt() - 500.0;
    for predictor in [FreeTimePredictor::Quantile(0.5), FreeTimePredictor::Benefactors] {
        assert!((sizing.wait(7, predictor).unwrap() / median - 1.0).abs() < 1e-13);
    }
    assert_eq!(sizing.wait(8, FreeTimePredictor::Mean), Err(Error::Never));
    // Young jobs, down to the shortest: (t_max - t_min) / ln(t_max / t_min).
    let young = Job { age: 0.0, bounds: (1e-9, 1e9), ..job };
    let mean = 1e9 / (18.0 * 10f64.ln());
    assert!((block.sizing(0, &[young]).mean(5).unwrap() / mean - 1.0).abs() < 1e-12);
}

/// A generator, good enough for means (Steele, Lea & Flood 2014).
fn uniform(state: &mut u64) -> f64 {
    (splitmix(state) >> 11) as f64 / (1u64 << 53) as f64
}

#[test]
fn large_machines_agree_with_monte_carlo() {
    let mut state = 1;
    let bounds = (2f64.exp(), 12f64.exp());
    let jobs: Vec<Job> = (0..300)
        .map(|_| {
            let processors = 1 + (uniform(&mut state) * 15.0) as u32;
            Job { processors, age: (3.0 + 8.5 * uniform(&mut state)).exp(), bounds }
        })
        .collect();
    let (idle, wanted) = (40, 700);
    let samples = 20_000;
    let mut waits: Vec<f64> = (0..samples)
        .map(|_| {
            let end = |job: &Job, u: f64| (job.age.ln() + u * (12.0 - job.age.ln())).exp() - job.age;
            let mut ends: Vec<(f64, u32)> =
                jobs.iter().map(|job| (end(job, uniform(&mut state)), job.processors)).collect();
            ends.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut free = idle;
            ends.iter()
                .find(|end| {
                    free += end.1;
                    free >= wanted
                })
                .unwrap()
                .0
        })
        .collect();
    waits.sort_by(f64::total_cmp);
    let mean = waits.iter().sum::<f64>() / samples as f64;
    let deviation = (waits.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / samples as f64).sqrt();
    let mut block = Block::new();
    let mut sizing = block.sizing(idle, &jobs);
    let found = sizing.mean(wanted).unwrap();
    assert!((found - mean).abs() < 4.0 * deviation / f64::from(samples).sqrt(), "{found} {mean}");
    for q in [0.05, 0.5, 0.95] {
        let t = sizing.quantile(wanted, q).unwrap();
        let below = waits.partition_point(|&wait| wait <= t) as f64 / f64::from(samples);
        assert!((below - q).abs() < 4.0 * (q * (1.0 - q) / f64::from(samples)).sqrt(), "{q}: {below}");
    }
}

#[test]
fn starts_with_and_without_lock_in() {
    let mut block = Block::new();
    let job = Job { processors: 20, age: 1e5, bounds: (2f64.exp(), 12f64.exp()) };
    let mut sizing = block.sizing(2, &[job]);
    let options = ChoiceOptions { most: 16, ..ChoiceOptions::default() };
    let choice = sizing.choose(&options, None, |n| 1e6 / f64::from(n)).unwrap();
    assert_eq!(choice.processors, 16);
    assert_eq!(choice.start(15, 16, false), None);
    assert_eq!((choice.start(30, 20, false), choice.start(30, 20, true)), (Some(20), Some(16)));
}

/// Nothing runs: only the idle processors can be had; nothing runs and nothing is idle: never.
#[test]
fn an_empty_machine() {
    let mut block = Block::new();
    let mut sizing = block.sizing(5, &[]);
    let options = ChoiceOptions::default();
    let run_time = |n: u32| 60.0 / f64::from(n);
    assert_eq!(sizing.choose(&options, None, run_time).map(|choice| choice.processors), Ok(5));
    assert_eq!(sizing.choose_with_patience(&options, run_time).map(|found| found.0.processors), Ok(5));
    assert_eq!((sizing.mean(5), sizing.mean(6)), (Ok(0.0), Err(Error::Never)));
    sizing.begin(0).unwrap();
    for predictor in [FreeTimePredictor::Mean, FreeTimePredictor::Combined, FreeTimePredictor::Quantile(0.5)]
    {
        let options = ChoiceOptions { predictor, ..options };
        assert_eq!(sizing.choose(&options, None, run_time), Err(Error::Never));
    }
    assert_eq!(sizing.choose_with_patience(&options, run_time), Err(Error::Never));
    assert_eq!((sizing.benefactors(0), sizing.benefactors(1)), (Ok(0), Err(Error::Never)));
}

#[test]
fn refuses_bad_input_and_changes_nothing() {
    let mut memory = vec![0u64; Sizing::size(&limits()).unwrap().div_ceil(8)];
    for bad in [
        SizingCapacity { processors: 0, ..limits() },
        SizingCapacity { processors: u32::MAX, ..limits() },
        SizingCapacity { running: u32::MAX, ..limits() },
        SizingCapacity { bins: MAX_BINS as u32 + 1, ..limits() },
        SizingCapacity { events_per_bin: 0, ..limits() },
    ] {
        assert_eq!(Sizing::size(&bad), Err(Error::OutOfRange));
    }
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    assert_eq!(Sizing::attach(bytes).err(), Some(Error::WrongObject));
    let size = Sizing::size(&limits()).unwrap();
    assert_eq!(Sizing::init(&mut bytes[..size - 8], &limits()).err(), Some(Error::TooSmall));
    let small = SizingCapacity { running: 1, processors: 10, bins: 0, events_per_bin: 1 };
    let paper = LogUniform::new(5.0, 500.0).unwrap();
    {
        let mut sizing = Sizing::init(bytes, &small).unwrap();
        assert_eq!(sizing.add_running(1, 0.0, &paper), Err(Error::WrongState));
        assert_eq!(sizing.mean(1), Err(Error::WrongState));
        assert_eq!(sizing.choose(&ChoiceOptions::default(), None, |_| 1.0), Err(Error::WrongState));
        assert_eq!(sizing.begin(11), Err(Error::TooManyProcessors));
        sizing.begin(4).unwrap();
        assert_eq!(sizing.add_running(0, 0.0, &paper), Err(Error::OutOfRange));
        assert_eq!(sizing.add_running(7, 0.0, &paper), Err(Error::Overfull));
        assert_eq!(sizing.add_running(11, 0.0, &paper), Err(Error::TooManyProcessors));
        assert_eq!(sizing.add_running(1, f64::NAN, &paper), Err(Error::NotANumber));
        assert_eq!(sizing.add_running(1, -1.0, &paper), Err(Error::OutOfRange));
        let bins = RuntimeBins::new(2.0, 2.0, 8).unwrap();
        let binned = RuntimeDistribution::from_counts(&bins, &[1.0; 8]).unwrap();
        assert_eq!(sizing.add_running_binned(1, 0, 10, &binned), Err(Error::Full));
        sizing.add_running_binned(5, 3, 10, &RuntimeDistribution::limit()).unwrap();
        assert_eq!(sizing.add_running(1, 0.0, &paper), Err(Error::Full));
    }
    let mut moved = memory.clone();
    let mut sizing = Sizing::attach(bytemuck::cast_slice_mut(&mut moved)).unwrap();
    assert_eq!((sizing.idle(), sizing.mean(9), sizing.quantile(9, 0.5)), (4, Ok(7.0), Ok(7.0)));
    assert_eq!(sizing.mean(10), Err(Error::Never));
    assert_eq!(sizing.mean(11), Err(Error::TooManyProcessors));
    assert_eq!(sizing.quantile(9, 1.5), Err(Error::OutOfRange));
    assert_eq!(sizing.quantile(9, f64::NAN), Err(Error::NotANumber));
    assert_eq!(sizing.free_probability(9, -1.0), Err(Error::OutOfRange));
    assert_eq!(sizing.free_probability(10, 1e9), Ok(0.0));
    let options = ChoiceOptions::default();
    for (bad, error) in [
        (ChoiceOptions { least: 0, ..options }, Error::OutOfRange),
        (ChoiceOptions { least: 5, most: 4, ..options }, Error::OutOfRange),
        (ChoiceOptions { least: 10, ..options }, Error::Never),
        (ChoiceOptions { weight: -1.0, ..options }, Error::OutOfRange),
        (ChoiceOptions { weight: f64::NAN, ..options }, Error::NotANumber),
        (ChoiceOptions { least_gain: 2.0, ..options }, Error::OutOfRange),
        (ChoiceOptions { predictor: FreeTimePredictor::Quantile(-0.1), ..options }, Error::OutOfRange),
    ] {
        assert_eq!(sizing.choose(&bad, None, |_| 1.0), Err(error), "{bad:?}");
    }
    assert_eq!(sizing.choose(&options, None, |_| f64::NAN), Err(Error::NotANumber));
    assert_eq!(sizing.choose(&options, None, |_| -1.0), Err(Error::OutOfRange));
    assert_eq!(sizing.choose(&options, None, |_| 10.0).map(|choice| choice.processors), Ok(1));
    for (bad, error) in [
        (ChoiceOptions { least: 0, ..options }, Error::OutOfRange),
        (ChoiceOptions { least: 5, ..options }, Error::Never),
        (ChoiceOptions { weight: f64::NAN, ..options }, Error::NotANumber),
        (ChoiceOptions { least_gain: -0.1, ..options }, Error::OutOfRange),
    ] {
        assert_eq!(sizing.choose_with_patience(&bad, |_| 1.0), Err(error), "{bad:?}");
    }
    assert_eq!(sizing.choose_with_patience(&options, |_| f64::NAN), Err(Error::NotANumber));
    let (choice, patience) = sizing.choose_with_patience(&options, |_| 10.0).unwrap();
    assert_eq!((choice.processors, patience), (1, 0.0));
    // The running job ends in 7 s for certain: worth it for what then takes a tenth of the time.
    let (choice, patience) =
        sizing.choose_with_patience(&options, |n| if n < 9 { 100.0 } else { 10.0 }).unwrap();
    assert_eq!((choice.processors, patience, choice.gain), (9, f64::INFINITY, 83.0));
    // Rows hold room for calculations; the head does not.
    assert_eq!(memory[..Sizing::PREFIX / 8], moved[..Sizing::PREFIX / 8]);
}
