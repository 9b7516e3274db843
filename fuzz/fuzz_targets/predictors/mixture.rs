//! The mixture of histories: how many jobs it has seen is modelled.

use crate::input::Input;
use crate::model::room;
use crate::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, Outcome, Pointer, Subject, bins, distributed, outcome,
};
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::runtime::MAX_BINS;

#[derive(Clone)]
pub struct Mixture {
    limits: surefill_mixture_limits,
    jobs: u64,
}

#[derive(Debug)]
pub enum Call {
    Learn(Vec<i64>, i64),
    Predict(Vec<i64>),
    Weights(Vec<i64>, i32),
}

impl Mixture {
    /// Mostly few different ones, so that histories are met again.
    fn keys(&self, input: &mut Input) -> Vec<i64> {
        let count = if input.rarely() { input.below(10) } else { self.limits.keys as usize };
        (0..count).map(|_| if input.rarely() { input.wild_long() } else { input.below(3) as i64 }).collect()
    }

    fn fits(&self, keys: &[i64]) -> bool {
        keys.len() == self.limits.keys as usize
    }
}

/// A set that the library makes, or any.
fn experts(input: &mut Input, limits: &mut surefill_mixture_limits) -> Vec<surefill_expert> {
    let none = surefill_expert { keys: 0, reserved: 0, decay: 1.0, prior: 1.0 };
    let mut experts = vec![none; SUREFILL_MAX_EXPERTS as usize];
    if input.below(2) == 0 {
        let (set, capacity, mut count) = (input.int(1), input.int(16), MARK_INT);
        let status =
            unsafe { surefill_experts_init(set, experts.as_mut_ptr(), capacity.min(16), &mut count) };
        if status == SUREFILL_OK {
            assert!((1..=capacity).contains(&count));
            experts.truncate(count as usize);
            limits.keys = limits.keys.max(if set == SUREFILL_EXPERTS_MIX { 3 } else { 1 });
            limits.experts = count;
            return experts;
        }
        let errors = [SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_FULL];
        assert!(errors.contains(&status) && count == MARK_INT, "{status}");
    }
    experts.truncate(limits.experts as usize);
    for expert in &mut experts {
        expert.keys = input.below(1 << limits.keys) as i32;
        expert.decay = input.probability();
        expert.prior = if input.below(4) == 0 { 1e-9 } else { input.real() + 0.1 };
        if input.rarely() {
            (expert.keys, expert.reserved) = (input.int(254), input.int(1));
            expert.prior = input.wild_real();
        }
    }
    experts
}

impl Subject for Mixture {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Mixture, Block)> {
        let mut limits = std::mem::MaybeUninit::uninit();
        assert_eq!(unsafe { surefill_mixture_limits_init(limits.as_mut_ptr()) }, SUREFILL_OK);
        let mut limits = unsafe { limits.assume_init() };
        limits.bins = 1 + input.below(6) as i32;
        limits.keys = 1 + input.below(4) as i32;
        limits.experts = 1 + input.below(6) as i32;
        limits.histories = if input.below(4) == 0 { 1 } else { 1 + input.below(40) as i32 };
        let experts = experts(input, &mut limits);
        let (mut size, mut made) = (0, null_mut());
        assert_eq!(unsafe { surefill_mixture_size(&limits, &mut size) }, SUREFILL_OK);
        let mut block = Block::new(size, input.below(2) == 0);
        let mut bins =
            bins(1.0 + input.below(40) as f64 / 4.0, 1.1 + input.below(40) as f64 / 10.0, limits.bins);
        let (count, short) = (experts.len() as i32 - i32::from(input.rarely()), input.rarely());
        let (memory, length) = (block.pointer(), size - i64::from(short));
        let (bins, from) = (bins.pointer().cast(), experts.as_ptr());
        let status = unsafe { surefill_mixture_init(memory, length, &limits, bins, from, count, &mut made) };
        if status != SUREFILL_OK {
            let errors = [SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_NOT_A_NUMBER, SUREFILL_ERROR_TOO_SMALL];
            assert!(made.is_null() && errors.contains(&status), "{status}");
            return None;
        }
        assert!(!short && made.cast() == memory && count == limits.experts);
        Some((Mixture { limits, jobs: 0 }, block))
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_mixture_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_mixture_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let keys = self.keys(input);
        let call = match input.below(4) {
            0 => Call::Predict(keys),
            1 => Call::Weights(keys, if input.rarely() { input.int(20) } else { self.limits.experts }),
            _ => Call::Learn(keys, input.seconds()),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let handle: *mut surefill_mixture = handle.cast();
        // SAFETY: arrays have as many elements as the calls are told, where they have any.
        unsafe {
            match call {
                Call::Learn(keys, seconds) => {
                    outcome(surefill_mixture_learn(handle, keys.as_ptr(), keys.len() as i32, *seconds), &[])
                }
                Call::Predict(keys) => {
                    let mut made = null_mut();
                    let mut memory = vec![MARK as i64; surefill_distribution_size() as usize / 8];
                    let (place, length) = (output.to(memory.as_mut_ptr()), 8 * memory.len() as i64);
                    let (keys, count) = (keys.as_ptr(), keys.len() as i32);
                    let status =
                        surefill_mixture_predict(handle, keys, count, place.cast(), length, &mut made);
                    outcome(status, &[&memory])
                }
                Call::Weights(keys, capacity) => {
                    let mut weights = vec![MARK_REAL; room(*capacity)];
                    let (keys, count) = (keys.as_ptr(), keys.len() as i32);
                    let to = output.to(weights.as_mut_ptr());
                    let status = surefill_mixture_weights(handle, keys, count, to, *capacity);
                    outcome(status, &[&weights])
                }
            }
        }
    }

    fn expected(&self, call: &Call) -> Expected {
        Expected::Status(match call {
            Call::Learn(keys, _) | Call::Predict(keys) | Call::Weights(keys, _) if !self.fits(keys) => {
                SUREFILL_ERROR_OUT_OF_RANGE
            }
            Call::Learn(_, seconds) if !(0..=SUREFILL_MAX_SECONDS).contains(seconds) => {
                SUREFILL_ERROR_OUT_OF_RANGE
            }
            Call::Weights(_, capacity) if *capacity < 0 => SUREFILL_ERROR_OUT_OF_RANGE,
            Call::Weights(_, capacity) if *capacity < self.limits.experts => SUREFILL_ERROR_FULL,
            // No more is written than there are experts; room says how much memory there is.
            _ => SUREFILL_OK,
        })
    }

    fn done(&mut self, call: &Call, outputs: &[u64], _handle: *mut c_void, _length: i64) {
        match call {
            Call::Learn(..) => self.jobs += 1,
            Call::Predict(_) => {
                let (mut found, mut count) = ([0.0; MAX_BINS], MARK_INT);
                let status = unsafe {
                    let (made, to) = (outputs.as_ptr().cast(), found.as_mut_ptr());
                    surefill_distribution_recalculate(
                        made,
                        0,
                        SUREFILL_MAX_SECONDS,
                        to,
                        MAX_BINS as i32,
                        &mut count,
                    )
                };
                // Nothing is known before the first job; then there are as many bins as always.
                let bins = if self.jobs > 0 { self.limits.bins } else { 0 };
                assert_eq!((status, count), (SUREFILL_OK, bins));
            }
            Call::Weights(..) => {
                let (weights, rest) = outputs.split_at(self.limits.experts as usize);
                distributed(weights);
                assert!(rest.iter().all(|&weight| weight == MARK));
            }
        }
    }
}
