//! The C functions of the wait predictor and of the choice of sizes answer as the core does, on random calls.
#![cfg(feature = "capi")]

#[path = "common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use std::ptr::null_mut;
use surefill::allocate::{
    Choice, ChoiceOptions, FreeTimePredictor, LogUniform, Sizing, SizingCapacity, Speedup, fit_run_times,
};
use surefill::capi::*;
use surefill::error::Error;
use surefill::wait::{
    Clustering, Features, WaitAnswer, WaitCapacity, WaitMethod, WaitOptions, WaitPredictor, lower_index,
    smallest_history, two_sided_indices, upper_index,
};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        splitmix(&mut self.0) % n
    }

    fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 40) as f64 / (1u64 << 40) as f64
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }
}

fn block(bytes: i64) -> Vec<u64> {
    vec![u64::MAX; (bytes as usize).div_ceil(8)]
}

fn initialised<T>(init: impl FnOnce(*mut T) -> i32) -> T {
    let mut value = std::mem::MaybeUninit::uninit();
    assert_eq!(init(value.as_mut_ptr()), SUREFILL_OK);
    unsafe { value.assume_init() }
}

/// Status, answer and bound, as C has them.
fn in_c(answer: Result<WaitAnswer, Error>) -> (i32, i32, i64) {
    match answer {
        Ok(WaitAnswer::Bound(seconds)) => (SUREFILL_OK, SUREFILL_ANSWER_BOUND, seconds),
        Ok(WaitAnswer::TooLittleHistory) => (SUREFILL_OK, SUREFILL_ANSWER_TOO_LITTLE_HISTORY, -1),
        Ok(WaitAnswer::MayBeDown) => (SUREFILL_OK, SUREFILL_ANSWER_MAY_BE_DOWN, -1),
        Err(error) => (error.status(), 77, 77),
    }
}

#[test]
fn the_defaults_are_the_cores() {
    let limits = initialised(|to| unsafe {
        surefill_wait_capacity_init(to, size_of::<surefill_wait_capacity>() as i64)
    });
    let ours = WaitCapacity::default();
    assert_eq!([limits.history as u32, limits.queued as u32], [ours.history, ours.queued]);
    assert_eq!([limits.releases as u32, limits.clusters as u32], [ours.releases, ours.clusters]);
    assert_eq!(limits.neighbours as u32, ours.neighbours);
    let options = initialised(|to| unsafe {
        surefill_wait_options_init(to, size_of::<surefill_wait_options>() as i64)
    });
    let ours = WaitOptions::default();
    assert_eq!([options.quantile, options.confidence], [ours.quantile, ours.confidence]);
    assert_eq!([options.down_quantile, options.rate], [ours.down_quantile, ours.rate]);
    assert_eq!(
        (options.components as u32, options.recluster_every as u32, options.oldest_seconds),
        (ours.components, ours.recluster_every, ours.oldest_seconds)
    );
    assert_eq!(
        (options.method as u32, options.attribute as u32),
        (ours.method as u32, ours.attribute as u32)
    );
    let options = initialised(|to| unsafe {
        surefill_choice_options_init(to, size_of::<surefill_choice_options>() as i64)
    });
    let ours = ChoiceOptions::default();
    assert_eq!((options.least as u32, options.most), (ours.least, i32::MAX));
    assert_eq!((options.weight, options.least_gain), (ours.weight, ours.least_gain));
    assert_eq!((options.predictor, ours.predictor), (SUREFILL_WAIT_BY_MEAN, FreeTimePredictor::Mean));
}

/// The defaults in C, in Rust and of `predict-wait` and `serve` are one: bounds that follow their misses and the queue,
/// and room for a busy machine's year or so, not for the last three months alone.
#[test]
fn the_default_of_waits_is_the_one_that_holds() {
    let limits = initialised(|to| unsafe {
        surefill_wait_capacity_init(to, size_of::<surefill_wait_capacity>() as i64)
    });
    let options = initialised(|to| unsafe {
        surefill_wait_options_init(to, size_of::<surefill_wait_options>() as i64)
    });
    let (own_limits, own_options) = (WaitCapacity::default(), WaitOptions::default());
    assert_eq!(limits.history, own_limits.history as i32);
    assert!(limits.history >= 65_536, "16,384 waits are three months of a busy machine");
    assert_eq!(options.components, own_options.components as i32);
    let wanted = SUREFILL_COMPONENT_ADAPT | SUREFILL_COMPONENT_VISIBLE;
    assert_eq!(options.components & wanted, wanted);
    assert_eq!((options.quantile, options.confidence), (own_options.quantile, own_options.confidence));
    assert_eq!(options.rate.to_bits(), own_options.rate.to_bits());
}

#[test]
fn waits() {
    for seed in 0..24 {
        let mut random = Random(seed);
        let mut limits = initialised(|to| unsafe {
            surefill_wait_capacity_init(to, size_of::<surefill_wait_capacity>() as i64)
        });
        let mut options = initialised(|to| unsafe {
            surefill_wait_options_init(to, size_of::<surefill_wait_options>() as i64)
        });
        (limits.history, limits.queued, limits.releases, limits.clusters) = (200, 20, 40, 4);
        limits.neighbours = 90;
        options.components = seed as i32 % 16 + if seed < 16 { 0 } else { 16 };
        options.method = seed as i32 % 4;
        options.attribute = seed as i32 % 4;
        (options.quantile, options.confidence, options.recluster_every) = (0.75, 0.9, 60);
        let own_limits = WaitCapacity { history: 200, queued: 20, releases: 40, clusters: 4, neighbours: 90 };
        let own_options = WaitOptions {
            quantile: 0.75,
            confidence: 0.9,
            components: options.components as u32,
            method: WaitMethod::from_number(seed as u32 % 4).unwrap(),
            attribute: surefill::wait::Attribute::from_number(seed as u32 % 4).unwrap(),
            recluster_every: 60,
            ..WaitOptions::default()
        };
        let mut size = 0;
        assert_eq!(unsafe { surefill_wait_size(&limits, &mut size) }, SUREFILL_OK);
        assert_eq!(size as usize, WaitPredictor::size(&own_limits).unwrap());
        let (mut memory, mut own_memory) = (block(size), block(size));
        let mut wait = null_mut();
        let status =
            unsafe { surefill_wait_init(memory.as_mut_ptr().cast(), size, &limits, &options, &mut wait) };
        assert_eq!(status, SUREFILL_OK);
        let mut own =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut own_memory), &own_limits, &own_options)
                .unwrap();
        let mut now = 0;
        for _ in 0..1500 {
            // Sometimes time goes back, jobs are there twice or not at all, and the queue is full.
            now += random.below(60) as i64 - i64::from(random.below(50) == 0) * 100;
            let job = random.below(24) as i64;
            let (requested, processors) = (random.of(&[60, 600, 3600, 36_000]), 1 + random.below(4) as i32);
            let features = Features { requested, processors: processors as u32 };
            let (quantile, confidence) = (random.of(&[0.5, 0.75, 0.95]), random.of(&[0.6, 0.9, 1.5]));
            let (mut answer, mut bound) = (77, 77);
            match random.below(14) {
                0..=3 => {
                    let expected = in_c(own.submit(job, now, &features));
                    let status = unsafe {
                        surefill_wait_submit(wait, job, now, requested, processors, &mut answer, &mut bound)
                    };
                    assert_eq!((status, answer, bound), expected);
                }
                4..=6 => {
                    let expected = own.start(job, now).map_or_else(|e| (e.status(), 77), |wait| (0, wait));
                    let status = unsafe { surefill_wait_start(wait, job, now, &mut bound) };
                    assert_eq!((status, bound), expected);
                }
                7 => {
                    let expected = own.cancel(job, now).map_or_else(Error::status, |()| 0);
                    assert_eq!(unsafe { surefill_wait_cancel(wait, job, now) }, expected);
                }
                8 => {
                    let seconds = random.below(2 * requested as u64) as i64 - 1;
                    let expected = own.known(seconds, &features).map_or_else(Error::status, |()| 0);
                    let status = unsafe { surefill_wait_known(wait, seconds, requested, processors) };
                    assert_eq!(status, expected);
                }
                9 => {
                    let expected = in_c(own.predict(&features, quantile, confidence, now));
                    let (a, b) = (&raw mut answer, &raw mut bound);
                    let status = unsafe {
                        surefill_wait_predict(wait, requested, processors, quantile, confidence, now, a, b)
                    };
                    assert_eq!((status, answer, bound), expected);
                }
                10 => {
                    let expected = in_c(own.predict_lower(&features, quantile, confidence, now));
                    let (a, b) = (&raw mut answer, &raw mut bound);
                    let status = unsafe {
                        surefill_wait_predict_lower(
                            wait, requested, processors, quantile, confidence, now, a, b,
                        )
                    };
                    assert_eq!((status, answer, bound), expected);
                }
                11 => {
                    let expected = in_c(own.predict_waiting(job, quantile, confidence, now));
                    let (a, b) = (&raw mut answer, &raw mut bound);
                    let status =
                        unsafe { surefill_wait_predict_waiting(wait, job, quantile, confidence, now, a, b) };
                    assert_eq!((status, answer, bound), expected);
                }
                12 => {
                    let (age, within) = (random.below(900) as i64, random.below(2000) as i64);
                    let (mut probability, mut at_least) = (-7.0, -7.0);
                    let expected = own.start_probability(&features, age, within, confidence).map_or_else(
                        |e| (e.status(), -7.0, -7.0, 77),
                        |p| (0, p.observed, p.at_least, p.waits as i64),
                    );
                    let (p, l, b) = (&raw mut probability, &raw mut at_least, &raw mut bound);
                    let status = unsafe {
                        surefill_wait_start_probability(
                            wait, requested, processors, age, within, confidence, p, l, b,
                        )
                    };
                    assert_eq!((status, probability, at_least, bound), expected);
                }
                _ => {
                    let work = 1 + random.below(200);
                    let expected = match own.recluster(work).unwrap() {
                        Clustering::Idle => SUREFILL_STEP_IDLE,
                        Clustering::More => SUREFILL_STEP_MORE,
                        Clustering::Done => SUREFILL_STEP_DONE,
                    };
                    let status = unsafe { surefill_wait_recluster(wait, work as i64, &mut answer) };
                    assert_eq!((status, answer), (SUREFILL_OK, expected));
                }
            }
            now = now.max(0);
        }
        let (mut smallest, mut largest, mut counts, mut number) = ([0; 16], [0; 16], [0; 16], 0);
        let (s, l, c) = (smallest.as_mut_ptr(), largest.as_mut_ptr(), counts.as_mut_ptr());
        let status = unsafe { surefill_wait_clusters(wait, s, l, c, 16, &mut number) };
        let clusters: Vec<_> = own.clusters().collect();
        assert_eq!((status, number as usize), (SUREFILL_OK, clusters.len()));
        for (i, cluster) in clusters.iter().enumerate() {
            let to = i64::try_from(cluster.to).unwrap_or(i64::MAX);
            assert_eq!((smallest[i], largest[i], counts[i]), (cluster.from as i64, to, cluster.waits as i64));
        }
        assert!(memory == own_memory, "the same bytes, seed {seed}");
    }
}

#[test]
fn bounds_from_plain_numbers() {
    let mut random = Random(3);
    for _ in 0..500 {
        let (n, quantile, confidence) = (random.below(3000), random.real(-0.05, 1.05), random.real(0.0, 1.0));
        let (mut k, mut l) = (-7, -7);
        let status = |result: Result<Option<u64>, Error>| {
            result.map_or_else(|e| (e.status(), -7), |k| (0, k.unwrap_or(0) as i64))
        };
        let found = (unsafe { surefill_binomial_upper(n as i64, quantile, confidence, &mut k) }, k);
        assert_eq!(found, status(upper_index(n, quantile, confidence)));
        k = -7;
        let found = (unsafe { surefill_binomial_lower(n as i64, quantile, confidence, &mut k) }, k);
        assert_eq!(found, status(lower_index(n, quantile, confidence)));
        k = -7;
        let found = unsafe { surefill_binomial_two_sided(n as i64, quantile, confidence, &mut l, &mut k) };
        let both = two_sided_indices(n, quantile, confidence);
        assert_eq!((found, l), status(both.map(|both| both.map(|both| both.0))));
        assert_eq!((found, k), status(both.map(|both| both.map(|both| both.1))));
        k = -7;
        let found = (unsafe { surefill_binomial_fewest(quantile, confidence, &mut k) }, k);
        assert_eq!(found, status(smallest_history(quantile, confidence).map(Some)));
    }
}

#[test]
fn fits_and_models() {
    let mut random = Random(4);
    for _ in 0..40 {
        let (parallelism, sigma) = (random.real(1.0, 60.0), random.real(0.0, 2.0));
        let speedup = Speedup::new(parallelism, sigma).unwrap();
        let n = random.real(1.0, 200.0);
        let (mut v, mut w) = (0.0, 0.0);
        unsafe {
            assert_eq!(surefill_speedup(parallelism, sigma, n, &mut v), SUREFILL_OK);
            assert_eq!(surefill_speedup(parallelism, f64::INFINITY, n, &mut w), SUREFILL_OK);
        }
        assert_eq!((v, w), (speedup.on(n).unwrap(), speedup.least(n).unwrap()));
        let processors = [1.0, 3.0, 8.0, 20.0, 64.0];
        let (mut a, mut s, mut l, mut e) = (0.0, 0.0, 0.0, 0.0);
        let times = processors.map(|n| 5000.0 / (speedup.on(n).unwrap() * random.real(0.9, 1.1)));
        let status = unsafe {
            let (on, from) = (processors.as_ptr(), times.as_ptr());
            surefill_speedup_fit_run_times(on, from, 5, &mut a, &mut s, &mut l, &mut e)
        };
        let points: Vec<(f64, f64)> = processors.into_iter().zip(times).collect();
        let fit = fit_run_times(&points).unwrap();
        assert_eq!((status, a, s), (0, fit.speedup.parallelism(), fit.speedup.sigma()));
        assert_eq!((l, e), (fit.sequential, fit.error));

        let mut lifetimes: Vec<f64> = (0..20).map(|_| random.real(0.0, 12.0).exp()).collect();
        lifetimes.sort_by(f64::total_cmp);
        let fitted = LogUniform::fit(&lifetimes).unwrap();
        let status = unsafe { surefill_lifetime_fit(lifetimes.as_ptr(), 20, &mut v, &mut w) };
        assert_eq!((status, (v, w)), (0, fitted.bounds()));
    }
}

#[test]
fn sizes() {
    let mut random = Random(5);
    let mut limits = initialised(|to| unsafe {
        surefill_sizing_capacity_init(to, size_of::<surefill_sizing_capacity>() as i64)
    });
    (limits.running, limits.processors) = (12, 64);
    let own_limits = SizingCapacity { running: 12, processors: 64, bins: 0, events_per_bin: 4 };
    let mut size = 0;
    assert_eq!(unsafe { surefill_sizing_size(&limits, &mut size) }, SUREFILL_OK);
    let (mut memory, mut own_memory) = (block(size), block(size));
    let mut sizing = null_mut();
    let status = unsafe { surefill_sizing_init(memory.as_mut_ptr().cast(), size, &limits, &mut sizing) };
    assert_eq!(status, SUREFILL_OK);
    let mut own = Sizing::init(bytemuck::cast_slice_mut(&mut own_memory), &own_limits).unwrap();
    for round in 0..120 {
        let idle = random.below(20) as u32;
        own.begin(idle).unwrap();
        assert_eq!(unsafe { surefill_sizing_begin(sizing, idle as i32) }, SUREFILL_OK);
        for _ in 0..random.below(10) {
            let (processors, age) = (1 + random.below(12) as u32, random.real(0.0, 5000.0));
            let shortest = random.real(1.0, 50.0);
            let lifetime = LogUniform::new(shortest, 60_000.0).unwrap();
            let expected = own.add_running(processors, age, &lifetime).map_or_else(Error::status, |()| 0);
            let status =
                unsafe { surefill_sizing_add_lifetime(sizing, processors as i32, age, shortest, 60_000.0) };
            assert_eq!(status, expected);
        }
        let n = random.below(66) as u32;
        let (quantile, within) = (random.real(0.0, 1.0), random.real(0.0, 9000.0));
        let predictors = [
            FreeTimePredictor::Benefactors,
            FreeTimePredictor::Fluid,
            FreeTimePredictor::Combined,
            FreeTimePredictor::Quantile(quantile),
            FreeTimePredictor::Mean,
        ];
        for (by, predictor) in predictors.into_iter().enumerate() {
            let mut seconds = -7.0;
            let expected = own.wait(n, predictor).map_or_else(|e| (e.status(), -7.0), |seconds| (0, seconds));
            let status = unsafe { surefill_sizing_wait(sizing, n as i32, by as i32, quantile, &mut seconds) };
            assert_eq!((status, seconds), expected);
        }
        let mut probability = -7.0;
        let expected = own.free_probability(n, within).map_or_else(|e| (e.status(), -7.0), |p| (0, p));
        let status = unsafe { surefill_sizing_free_probability(sizing, n as i32, within, &mut probability) };
        assert_eq!((status, probability), expected);

        let mut options = initialised(|to| unsafe {
            surefill_choice_options_init(to, size_of::<surefill_choice_options>() as i64)
        });
        (options.predictor, options.quantile) = (round % 5, quantile);
        (options.least, options.most) = (1 + random.below(6) as i32, 6 + random.below(60) as i32);
        (options.weight, options.least_gain) = (random.real(0.0, 3.0), random.real(0.0, 0.3));
        let own_options = ChoiceOptions {
            predictor: predictors[round as usize % 5],
            least: options.least as u32,
            most: options.most as u32,
            weight: options.weight,
            least_gain: options.least_gain,
        };
        let (parallelism, sigma) = (random.real(1.0, 60.0), random.real(0.0, 2.0));
        let sequential = random.real(0.0, 1e6);
        let speedup = Speedup::new(parallelism, sigma).unwrap();
        let expected = own.choose(&own_options, None, |n| speedup.run_time(sequential, n).unwrap());
        let mut choice = surefill_choice {
            struct_size: size_of::<surefill_choice>() as u32,
            processors: -7,
            wait: 0.0,
            run_time: 0.0,
            gain: 0.0,
        };
        let status =
            unsafe { surefill_sizing_choose(sizing, &options, parallelism, sigma, sequential, &mut choice) };
        let surefill_choice { struct_size, processors, wait, run_time, gain } = choice;
        assert_eq!(struct_size, 32);
        match expected {
            Err(error) => assert_eq!((status, processors), (error.status(), -7)),
            Ok(expected) => {
                let found = Choice { processors: processors as u32, wait, predicted: wait, run_time, gain };
                assert_eq!((status, found), (0, expected));
                for lock_in in 0..=1 {
                    let (free, mut started) = (random.below(70) as i32, -7);
                    let status = unsafe { surefill_choice_start(&choice, free, 64, lock_in, &mut started) };
                    let own = expected.start(free as u32, 64, lock_in == 1).unwrap_or(0);
                    assert_eq!((status, started), (0, own as i32));
                }
            }
        }
    }
}
