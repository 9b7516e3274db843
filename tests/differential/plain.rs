//! Plain functions: they answer as the core does, a refused call writes nothing, and what an accepted one writes lies
//! where it must.

use super::input::Input;
use super::object::{MARK as MARK_BITS, MARK_INT, MARK_REAL, code};
use surefill::allocate::{LogUniform, Speedup, fit_run_times};
use surefill::capi::*;
use surefill::error::{Error, Result};
use surefill::wait::{lower_index, smallest_history, two_sided_indices, upper_index};

const MARK: i64 = MARK_BITS as i64;

fn probability(input: &mut Input) -> f64 {
    if input.below(2) == 0 { [0.05, 0.5, 0.95, 0.99][input.below(4)] } else { input.probability() }
}

fn reals(input: &mut Input) -> Vec<f64> {
    (0..input.below(24)).map(|_| input.real()).collect()
}

/// Checks a status and the outputs against the core's; true where there are any.
#[track_caller]
fn succeeded<const N: usize, T: Copy>(
    status: i32,
    outputs: [T; N],
    core: Result<[T; N]>,
    bits: impl Fn(T) -> u64,
) -> bool {
    assert_eq!(status, code(&core));
    let expected = core.map_or([MARK_BITS; N], |outputs| outputs.map(&bits));
    assert_eq!(outputs.map(&bits), expected);
    status == SUREFILL_OK
}

fn whole(number: i64) -> u64 {
    number as u64
}

pub fn calls(input: &mut Input) {
    while !input.is_empty() {
        let kind = input.below(8);
        // SAFETY: arrays have the lengths that the calls are given.
        unsafe { call(input, kind) }
    }
}

unsafe fn call(input: &mut Input, kind: usize) {
    let (mut k, mut l) = (MARK, MARK);
    let (mut a, mut b, mut c, mut d) = (MARK_REAL, MARK_REAL, MARK_REAL, MARK_REAL);
    let n = if input.rarely() { input.wild_long() } else { input.seconds() };
    let (q, level) = (probability(input), probability(input));
    let size = u64::try_from(n).map_err(|_| Error::OutOfRange);
    let one = |found: Option<u64>| [found.unwrap_or(0) as i64];
    unsafe {
        match kind {
            0 => {
                let core = size.and_then(|n| upper_index(n, q, level)).map(one);
                if succeeded(surefill_binomial_upper(n, q, level, &mut k), [k], core, whole) {
                    assert!((0..=n).contains(&k));
                    let status = surefill_binomial_fewest(q, level, &mut l);
                    let core = smallest_history(q, level).map(|fewest| [fewest as i64]);
                    let known = succeeded(status, [l], core, whole);
                    assert!(!known || (k > 0) == (n >= l), "{n} {q} {level}: {k} {l}");
                }
            }
            1 => {
                let core = size.and_then(|n| lower_index(n, q, level)).map(one);
                let known = succeeded(surefill_binomial_lower(n, q, level, &mut k), [k], core, whole);
                assert!(!known || (0..=n).contains(&k));
            }
            2 => {
                let core = size.and_then(|n| two_sided_indices(n, q, level));
                let core = core.map(|found| found.map_or([0, 0], |(k, l)| [k as i64, l as i64]));
                let status = surefill_binomial_two_sided(n, q, level, &mut k, &mut l);
                let known = succeeded(status, [k, l], core, whole);
                assert!(!known || (k == 0 && l == 0) || (1 <= k && k <= l && l <= n));
            }
            3 | 4 => {
                let (parallelism, sigma) = (1.0 + input.real(), input.real() / 64.0);
                let processors = 1.0 + input.real();
                let core = Speedup::new(parallelism, sigma);
                let status = surefill_speedup(parallelism, sigma, processors, &mut a);
                let on = core.and_then(|model| Ok([model.on(processors)?]));
                if succeeded(status, [a], on, f64::to_bits) {
                    let status = surefill_speedup(parallelism, f64::INFINITY, processors, &mut b);
                    let least = core.and_then(|model| Ok([model.least(processors)?]));
                    assert!(succeeded(status, [b], least, f64::to_bits));
                    let most = parallelism.min(processors) * (1.0 + 1e-12);
                    assert!(b <= a * (1.0 + 1e-12) && a <= most, "{b} {a} {most}");
                }
            }
            5 => {
                // Run times of a model with noise, which can be fitted, or any.
                let model = Speedup::new(1.0 + input.real(), input.real() / 512.0);
                let noise = input.below(4) > 0;
                let processors: Vec<f64> = reals(input).into_iter().map(|n| 1.0 + n).collect();
                let times = processors.iter().map(|&n| match &model {
                    Ok(model) if noise => {
                        5000.0 / model.on(n).unwrap_or(1.0) * (0.9 + input.probability() / 5.0)
                    }
                    _ => input.real(),
                });
                let times: Vec<f64> = times.collect();
                let (on, from, count) = (processors.as_ptr(), times.as_ptr(), times.len() as i32);
                let status = surefill_speedup_fit_run_times(on, from, count, &mut a, &mut b, &mut c, &mut d);
                let points: Vec<(f64, f64)> = processors.into_iter().zip(times).collect();
                let core = fit_run_times(&points)
                    .map(|fit| [fit.speedup.parallelism(), fit.speedup.sigma(), fit.sequential, fit.error]);
                let known = succeeded(status, [a, b, c, d], core, f64::to_bits);
                assert!(!known || a >= 1.0 && b >= 0.0 && c >= 0.0 && d >= 0.0, "{a} {b} {c} {d}");
            }
            6 => {
                let mut times = reals(input);
                times.sort_by(f64::total_cmp);
                let status = surefill_lifetime_fit(times.as_ptr(), times.len() as i32, &mut a, &mut b);
                let core = LogUniform::fit(&times).map(|fit| <[f64; 2]>::from(fit.bounds()));
                let known = succeeded(status, [a, b], core, f64::to_bits);
                assert!(!known || a < b && times.len() > 1);
            }
            7 => {
                let choice = surefill_choice {
                    struct_size: size_of::<surefill_choice>() as u32,
                    processors: input.int(20),
                    wait: input.real(),
                    run_time: input.real(),
                    gain: input.real(),
                };
                let (free, most, lock_in, mut started) =
                    (input.int(40), input.int(40), input.int(1), MARK_INT);
                let status = surefill_choice_start(&choice, free, most, lock_in, &mut started);
                let starts = free >= choice.processors;
                let all = if lock_in == 1 { choice.processors } else { free.min(most) };
                assert!([SUREFILL_OK, SUREFILL_ERROR_OUT_OF_RANGE].contains(&status), "{status}");
                assert_eq!(
                    started,
                    match status {
                        SUREFILL_OK if starts => all,
                        SUREFILL_OK => 0,
                        _ => MARK_INT,
                    }
                );
            }
            _ => {}
        }
    }
}
