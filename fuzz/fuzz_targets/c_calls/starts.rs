//! When the head job may start, asked by single quantiles and by several at once.

use super::*;

/// Quantiles from one walk, in slices: every time is one at which the head job has started with that probability, and
/// not a second earlier.
pub fn quantiles(handle: *mut surefill_pass, pass: Option<&Pass>) {
    const ASKED: [f64; 3] = [0.1, 0.5, 1.0];
    let (mut whens, mut step) = ([MARK_LONG; 3], SUREFILL_STEP_MORE);
    let legal = pass.filter(|pass| {
        matches!(pass.phase, Phase::Filling | Phase::Deciding)
            && pass.running > 0
            && pass.idle + pass.busy >= pass.head.1
    });
    let mut work = 1;
    while step == SUREFILL_STEP_MORE {
        let (asked, to) = (ASKED.as_ptr(), whens.as_mut_ptr());
        let status = unsafe { surefill_pass_head_start_quantiles(handle, asked, 3, work, to, &mut step) };
        if legal.is_none() {
            assert_ne!(status, SUREFILL_OK);
            assert_eq!((whens, step), ([MARK_LONG; 3], SUREFILL_STEP_MORE));
            return;
        }
        assert_eq!(status, SUREFILL_OK);
        work *= 64;
    }
    let Some(pass) = legal else { return };
    assert_eq!(step, SUREFILL_STEP_DONE);
    for (probability, when) in ASKED.into_iter().zip(whens) {
        let started = |when| {
            let mut started = MARK_REAL;
            let status = unsafe { surefill_pass_free_probability(handle, pass.head.1, when, &mut started) };
            assert_eq!(status, SUREFILL_OK);
            started
        };
        assert!(started(when) >= probability - 1e-9 && started(when - 1) < probability + 1e-9, "{when}");
    }
}

pub fn quantile(handle: *mut surefill_pass, pass: Option<&mut Pass>, input: &mut Input) {
    let (probability, mut when) = (input.probability(), MARK_LONG);
    let out = input.output(&mut when);
    let asked = probability > 0.0 && probability <= 1.0;
    let legal = pass.as_ref().is_some_and(|pass| {
        asked && pass.phase != Phase::New && pass.running > 0 && pass.idle + pass.busy >= pass.head.1
    });
    let status = unchanged(&pass, || unsafe { surefill_pass_head_start_quantile(handle, probability, out) });
    let errors = [
        SUREFILL_ERROR_NOT_A_NUMBER,
        SUREFILL_ERROR_OUT_OF_RANGE,
        SUREFILL_ERROR_WRONG_STATE,
        SUREFILL_ERROR_NEVER,
    ];
    if !succeeded(status, legal && out == &raw mut when, &errors) {
        assert_eq!(when, MARK_LONG);
        return;
    }
    let needed = pass.map_or(0, |pass| pass.head.1);
    let started = |when| {
        let mut started = MARK_REAL;
        let status = unsafe { surefill_pass_free_probability(handle, needed, when, &mut started) };
        assert_eq!(status, SUREFILL_OK);
        started
    };
    assert!(started(when) >= probability - 1e-9 && started(when - 1) < probability + 1e-9, "{when}");
}
