//! Plain functions: a refused call writes nothing, what an accepted one writes lies where it must.

use crate::input::Input;
use crate::object::{MARK_INT, MARK_REAL};
use surefill::capi::*;

const MARK: i64 = i64::from_le_bytes(MARK_REAL.to_bits().to_le_bytes());

fn probability(input: &mut Input) -> f64 {
    if input.below(2) == 0 { [0.05, 0.5, 0.95, 0.99][input.below(4)] } else { input.probability() }
}

fn reals(input: &mut Input) -> Vec<f64> {
    (0..input.below(24)).map(|_| input.real()).collect()
}

/// Checks a status; true where outputs are to be looked at.
#[track_caller]
fn succeeded(status: i32, ints: &[i64], reals: &[f64]) -> bool {
    let errors = [SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_NOT_A_NUMBER];
    if status != SUREFILL_OK {
        assert!(errors.contains(&status), "{status}");
        assert!(ints.iter().all(|&number| number == MARK));
        assert!(reals.iter().all(|number| number.to_bits() == MARK_REAL.to_bits()));
    }
    status == SUREFILL_OK
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
    unsafe {
        match kind {
            0 if succeeded(surefill_binomial_upper(n, q, level, &mut k), &[k], &[]) => {
                assert!((0..=n).contains(&k));
                let mut fewest = MARK;
                let status = surefill_binomial_fewest(q, level, &mut fewest);
                assert!(status != SUREFILL_OK || (k > 0) == (n >= fewest), "{n} {q} {level}: {k} {fewest}");
            }
            1 if succeeded(surefill_binomial_lower(n, q, level, &mut k), &[k], &[]) => {
                assert!((0..=n).contains(&k));
            }
            2 if succeeded(surefill_binomial_two_sided(n, q, level, &mut k, &mut l), &[k, l], &[]) => {
                assert!((k == 0 && l == 0) || (1 <= k && k <= l && l <= n));
            }
            3 | 4 => {
                let (parallelism, sigma) = (1.0 + input.real(), input.real() / 64.0);
                let processors = 1.0 + input.real();
                let status = surefill_speedup(parallelism, sigma, processors, &mut a);
                if succeeded(status, &[], &[a]) {
                    assert_eq!(surefill_speedup(parallelism, f64::INFINITY, processors, &mut b), SUREFILL_OK);
                    let most = parallelism.min(processors) * (1.0 + 1e-12);
                    assert!(b <= a * (1.0 + 1e-12) && a <= most, "{b} {a} {most}");
                }
            }
            5 => {
                let values = reals(input);
                let processors: Vec<f64> = (0..values.len()).map(|_| 1.0 + input.real()).collect();
                let (on, from, count) = (processors.as_ptr(), values.as_ptr(), values.len() as i32);
                let status = surefill_speedup_fit_run_times(on, from, count, &mut a, &mut b, &mut c, &mut d);
                if succeeded(status, &[], &[a, b, c, d]) {
                    assert!(a >= 1.0 && b >= 0.0 && c >= 0.0 && d >= 0.0, "{a} {b} {c} {d}");
                }
            }
            6 => {
                let mut times = reals(input);
                times.sort_by(f64::total_cmp);
                let status = surefill_lifetime_fit(times.as_ptr(), times.len() as i32, &mut a, &mut b);
                assert!(!succeeded(status, &[], &[a, b]) || a < b && times.len() > 1);
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
                succeeded(status, &[], &[]);
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
