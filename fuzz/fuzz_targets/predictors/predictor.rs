//! The on-line predictor of run times: its jobs and its clock are modelled.

use crate::input::Input;
use crate::model::{Given, Model, room};
use crate::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, MARK_ROUND, Outcome, Pointer, Subject, bins, distributed,
    outcome,
};
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::runtime::MAX_BINS;

#[derive(Clone)]
pub struct Predictor {
    limits: surefill_predictor_limits,
    /// Whether a job runs.
    jobs: HashMap<i64, bool>,
    now: Option<i64>,
    /// Whether there is a model, when that is known.
    ready: bool,
}

#[derive(Debug)]
pub enum Call {
    Submit(i64, i64),
    Start(i64, i64),
    End(i64, i64),
    Cancel(i64, i64),
    Jobs,
    Predict(i64),
    Probabilities(i64, i32),
    Wants,
    Train(i64),
    SetModel(Box<Given>),
    Model(i32, i32),
}

fn now(input: &mut Input, model: &Predictor) -> i64 {
    if input.rarely() {
        return input.wild_long();
    }
    let now = model.now.unwrap_or(0);
    match input.below(8) {
        0 => now.saturating_sub(input.seconds()),
        1 | 2 => now,
        3 | 4 => now.saturating_add(input.below(32) as i64),
        _ => now.saturating_add(input.seconds()),
    }
}

fn limits(input: &mut Input) -> surefill_predictor_limits {
    let mut limits = std::mem::MaybeUninit::uninit();
    assert_eq!(unsafe { surefill_predictor_limits_init(limits.as_mut_ptr()) }, SUREFILL_OK);
    let mut limits = unsafe { limits.assume_init() };
    // Some pages at most, whatever the bytes.
    limits.jobs = if input.below(4) == 0 { 1 } else { 1 + input.below(12) as i32 };
    limits.states = 1 << input.below(3);
    if input.below(4) == 0 {
        limits.states = 1 + input.below(9) as i32;
    }
    limits.bins = 2 + input.below(5) as i32;
    limits.slots = if input.below(4) == 0 { 2 } else { 2 + input.below(40) as i32 };
    limits.cells = limits.bins + if input.below(4) == 0 { 0 } else { input.below(100) as i32 };
    limits.window = if input.below(4) == 0 { 1 } else { 1 + input.below(20) as i32 };
    if input.rarely() {
        let wrong = input.int(1);
        match input.below(6) {
            0 => limits.jobs = wrong.min(0),
            1 => limits.states = wrong.min(0),
            2 => limits.bins = wrong.min(1),
            3 => limits.slots = wrong.min(1),
            4 => limits.cells = wrong.min(limits.bins - 1),
            _ => limits.window = wrong.min(0),
        }
    }
    limits
}

fn options(input: &mut Input) -> surefill_predictor_options {
    let mut options = std::mem::MaybeUninit::uninit();
    assert_eq!(unsafe { surefill_predictor_options_init(options.as_mut_ptr()) }, SUREFILL_OK);
    let mut options = unsafe { options.assume_init() };
    options.load = input.below(3) as i32;
    options.initial = input.below(2) as i32;
    options.termination = input.below(3) as i32;
    options.threshold = match options.termination {
        SUREFILL_TERMINATION_ROUNDS => 1.0 + input.below(5) as f64,
        _ => f64::from(input.below(20) as u8) / 10.0,
    };
    options.most_rounds = 1 + input.below(6) as i64;
    options.slot_seconds = 1 + input.below(60) as i64;
    options.initial_seconds = input.below(200) as i64;
    options.restart_seconds = 1 + input.below(200) as i64;
    if input.rarely() {
        match input.below(6) {
            0 => options.threshold = input.wild_real(),
            1 => options.most_rounds = input.wild_long(),
            2 => options.slot_seconds = input.wild_long(),
            3 => options.initial_seconds = input.wild_long(),
            4 => options.restart_seconds = input.wild_long(),
            _ => (options.load, options.initial) = (input.int(4), input.int(3)),
        }
    }
    options
}

impl Subject for Predictor {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Predictor, Block)> {
        let (limits, options) = (limits(input), options(input));
        let mut size = MARK as i64;
        let sized = unsafe { surefill_predictor_size(&limits, &mut size) };
        if sized != SUREFILL_OK {
            assert_eq!((sized, size), (SUREFILL_ERROR_OUT_OF_RANGE, MARK as i64), "{limits:?}");
            return None;
        }
        let mut block = Block::new(size, input.below(2) == 0);
        let mut bins =
            bins(1.0 + input.below(40) as f64 / 4.0, 1.1 + input.below(40) as f64 / 10.0, limits.bins);
        let (mut made, short) = (null_mut(), input.rarely());
        let length = size - i64::from(short);
        let bins = bins.pointer().cast();
        let status =
            unsafe { surefill_predictor_init(block.pointer(), length, &limits, bins, &options, &mut made) };
        if status != SUREFILL_OK {
            let errors = [SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_NOT_A_NUMBER, SUREFILL_ERROR_TOO_SMALL];
            assert!(made.is_null() && errors.contains(&status), "{status}");
            return None;
        }
        assert!(!short && made.cast() == block.pointer());
        Some((Predictor { limits, jobs: HashMap::new(), now: None, ready: false }, block))
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_predictor_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_predictor_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let job = if input.rarely() { input.wild_long() } else { input.below(16) as i64 };
        let call = match input.below(32) {
            0..=5 => Call::Submit(job, now(input, self)),
            6..=9 => Call::Start(job, now(input, self)),
            10..=14 => Call::End(job, now(input, self)),
            15..=16 => Call::Cancel(job, now(input, self)),
            17 => Call::Jobs,
            18..=19 => Call::Predict(now(input, self)),
            20..=22 => {
                let count = if input.rarely() { input.int(70) } else { self.limits.bins };
                Call::Probabilities(now(input, self), count)
            }
            23 => Call::Wants,
            24 => Call::SetModel(Box::new(Given::read(input, self.limits.states, self.limits.bins))),
            25 => {
                let (states, bins) = (self.limits.states, self.limits.bins);
                let wrong = input.rarely();
                Call::Model(
                    if wrong { input.int(70) } else { states },
                    if wrong { input.int(70) } else { bins },
                )
            }
            26 | 27 => Call::Train(input.int(254).into()),
            _ => Call::Train(1 + input.below(40) as i64),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let handle: *mut surefill_predictor = handle.cast();
        // SAFETY: arrays have as many elements as the calls are told, where they have any.
        unsafe {
            match *call {
                Call::Submit(job, now) => outcome(surefill_predictor_submit(handle, job, now), &[]),
                Call::Start(job, now) => outcome(surefill_predictor_start(handle, job, now), &[]),
                Call::End(job, now) => outcome(surefill_predictor_end(handle, job, now), &[]),
                Call::Cancel(job, now) => outcome(surefill_predictor_cancel(handle, job, now), &[]),
                Call::Jobs => {
                    let mut jobs = MARK_INT;
                    outcome(surefill_predictor_jobs(handle, output.to(&mut jobs)), &[&jobs])
                }
                Call::Predict(now) => {
                    let (mut known, mut made) = (MARK_INT, null_mut());
                    let mut memory = vec![MARK as i64; surefill_distribution_size() as usize / 8];
                    let (place, length) = (memory.as_mut_ptr().cast(), 8 * memory.len() as i64);
                    let known_at = output.to(&mut known);
                    let status = surefill_predictor_predict(handle, now, place, length, known_at, &mut made);
                    outcome(status, &[&known, &memory])
                }
                Call::Probabilities(now, count) => {
                    let (mut probabilities, mut known) = (vec![MARK_REAL; room(count)], MARK_INT);
                    let known_at = output.to(&mut known);
                    let to = probabilities.as_mut_ptr();
                    let status = surefill_predictor_probabilities(handle, now, to, count, known_at);
                    outcome(status, &[&known, &probabilities])
                }
                Call::Wants => {
                    let mut wants = MARK_INT;
                    outcome(surefill_predictor_wants_training(handle, output.to(&mut wants)), &[&wants])
                }
                Call::Train(work) => {
                    let (mut step, mut round) = (MARK_INT, MARK_ROUND);
                    let status = surefill_predictor_train(handle, work, output.to(&mut step), &mut round);
                    outcome(status, &[&step, &round])
                }
                Call::SetModel(ref given) => {
                    let (start, transition, emission, load) = given.pointers();
                    let status = surefill_predictor_set_model(
                        handle,
                        given.states,
                        given.bins,
                        given.load,
                        start,
                        transition,
                        emission,
                        load,
                    );
                    outcome(status, &[])
                }
                Call::Model(states, bins) => Model::ask(states, bins, output, |load, a, b, c, d| {
                    surefill_predictor_model(handle, states, bins, load, a, b, c, d)
                }),
            }
        }
    }

    fn expected(&self, call: &Call) -> Expected {
        use Expected::Status;
        let event = |now: i64, rest: i32| {
            Status(match self.now {
                _ if now.unsigned_abs() > 1 << 53 => SUREFILL_ERROR_OUT_OF_RANGE,
                Some(before) if now < before => SUREFILL_ERROR_TIME_WENT_BACK,
                _ => rest,
            })
        };
        let running = |job: &i64| self.jobs.get(job).copied();
        match call {
            Call::Submit(job, now) => event(
                *now,
                match running(job) {
                    Some(_) => SUREFILL_ERROR_DUPLICATE_JOB,
                    None if self.jobs.len() as i32 == self.limits.jobs => SUREFILL_ERROR_FULL,
                    None => SUREFILL_OK,
                },
            ),
            Call::Start(job, now) => event(
                *now,
                match running(job) {
                    None => SUREFILL_ERROR_UNKNOWN_JOB,
                    Some(true) => SUREFILL_ERROR_ALREADY_STARTED,
                    Some(false) => SUREFILL_OK,
                },
            ),
            Call::End(job, now) => event(
                *now,
                match running(job) {
                    None => SUREFILL_ERROR_UNKNOWN_JOB,
                    Some(false) => SUREFILL_ERROR_NOT_STARTED,
                    Some(true) => SUREFILL_OK,
                },
            ),
            Call::Cancel(job, now) => {
                event(*now, if running(job).is_some() { SUREFILL_OK } else { SUREFILL_ERROR_UNKNOWN_JOB })
            }
            Call::Predict(now) => event(*now, SUREFILL_OK),
            Call::Probabilities(_, count) if *count != self.limits.bins => {
                Expected::Error(&[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_TIME_WENT_BACK])
            }
            Call::Probabilities(now, _) => event(*now, SUREFILL_OK),
            Call::Jobs | Call::Wants => Status(SUREFILL_OK),
            Call::Train(work) => Status(if *work < 1 { SUREFILL_ERROR_OUT_OF_RANGE } else { SUREFILL_OK }),
            Call::SetModel(given) => {
                let fits = given.fits(self.limits.states, self.limits.bins);
                given
                    .expected(fits, if self.now.is_some() { SUREFILL_ERROR_WRONG_STATE } else { SUREFILL_OK })
            }
            Call::Model(states, bins) if (*states, *bins) != (self.limits.states, self.limits.bins) => {
                Status(SUREFILL_ERROR_OUT_OF_RANGE)
            }
            Call::Model(..) if self.ready => Status(SUREFILL_OK),
            Call::Model(..) => Status(SUREFILL_ERROR_WRONG_STATE),
        }
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, _length: i64) {
        let handle: *mut surefill_predictor = handle.cast();
        match *call {
            Call::Submit(job, now) => {
                self.jobs.insert(job, false);
                self.now = Some(now);
            }
            Call::Start(job, now) => {
                self.jobs.insert(job, true);
                self.now = Some(now);
            }
            Call::End(job, now) | Call::Cancel(job, now) => {
                self.jobs.remove(&job);
                self.now = Some(now);
            }
            Call::Jobs | Call::Wants => {}
            Call::Predict(now) => {
                self.now = Some(now);
                let (known, memory) = (outputs[0] as i32, &outputs[1..]);
                let (mut found, mut count) = ([0.0; MAX_BINS], MARK_INT);
                let status = unsafe {
                    let to = found.as_mut_ptr();
                    surefill_distribution_recalculate(
                        memory.as_ptr().cast(),
                        0,
                        SUREFILL_MAX_SECONDS,
                        to,
                        MAX_BINS as i32,
                        &mut count,
                    )
                };
                assert_eq!((status, count), (SUREFILL_OK, known * self.limits.bins));
                assert!(known == 0 || self.ready);
            }
            Call::Probabilities(now, _) => {
                self.now = Some(now);
                if outputs[0] as i32 == 1 {
                    assert!(self.ready);
                    distributed(&outputs[1..]);
                } else {
                    assert!(outputs[0] == 0 && outputs[1..].iter().all(|&p| p == MARK));
                }
            }
            Call::Train(_) => {
                let step = outputs[0] as i32;
                assert!(
                    [SUREFILL_TRAINING_IDLE, SUREFILL_TRAINING_MORE, SUREFILL_TRAINING_DONE].contains(&step)
                );
                let done = step == SUREFILL_TRAINING_DONE;
                assert_eq!(!done, outputs[1..].iter().all(|&o| o == MARK));
                self.ready |= done;
                let mut wants = MARK_INT;
                assert_eq!(unsafe { surefill_predictor_wants_training(handle, &mut wants) }, SUREFILL_OK);
                assert!(step != SUREFILL_TRAINING_IDLE || wants == 0);
            }
            Call::SetModel(_) => self.ready = true,
            Call::Model(states, bins) => Model::check_parameters(states, bins, outputs),
        }
        let mut jobs = MARK_INT;
        assert_eq!(unsafe { surefill_predictor_jobs(handle, &mut jobs) }, SUREFILL_OK);
        assert_eq!(jobs as usize, self.jobs.len());
    }
}
