//! The hidden Markov model: the slots it holds and whether it has parameters and trains are modelled.

use crate::input::Input;
use crate::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, MARK_ROUND, Outcome, Pointer, Subject, distributed,
    initialised, outcome,
};
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::hmm::MAX_STATES;
use surefill::runtime::MAX_BINS;

/// Elements that an array of a call has; of absurd lengths, which must be refused unseen, none.
pub fn room(count: i32) -> usize {
    usize::try_from(count).unwrap_or(0).min(1 << 12)
}

/// Parameters as given to a call: mostly sound.
#[derive(Debug)]
pub struct Given {
    pub states: i32,
    pub bins: i32,
    pub load: i32,
    pub start: Vec<f64>,
    pub transition: Vec<f64>,
    pub emission: Vec<f64>,
    pub load_parameter: Vec<f64>,
    sound: bool,
}

/// Probabilities, some of them 0.
fn row(input: &mut Input, length: i32) -> Vec<f64> {
    let mut row: Vec<f64> = (0..length).map(|_| input.below(8) as f64).collect();
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|p| *p /= sum);
    } else {
        row[0] = 1.0;
    }
    row
}

impl Given {
    pub fn read(input: &mut Input, states: i32, bins: i32) -> Given {
        let load = input.below(3) as i32;
        let start = row(input, states);
        let transition = (0..states).flat_map(|_| row(input, states)).collect();
        let emission = (0..states).flat_map(|_| row(input, bins)).collect();
        let load_parameter = (0..states).map(|_| f64::from(1 + input.below(100) as u8) / 100.0).collect();
        let mut given =
            Given { states, bins, load, start, transition, emission, load_parameter, sound: true };
        if input.rarely() {
            // May by chance be sound; then anything may be answered.
            given.sound = false;
            let wild = input.wild_real();
            match input.below(5) {
                0 => given.start[0] = wild,
                1 => given.transition[input.below(states as u8)] = wild,
                2 => given.emission[input.below(bins as u8)] = wild,
                3 => given.load_parameter[input.below(states as u8)] = wild,
                _ => (given.states, given.bins, given.load) = (input.int(70), input.int(70), input.int(3)),
            }
        }
        given
    }

    pub fn pointers(&self) -> (*const f64, *const f64, *const f64, *const f64) {
        (
            self.start.as_ptr(),
            self.transition.as_ptr(),
            self.emission.as_ptr(),
            if self.load == SUREFILL_LOAD_NONE { null_mut() } else { self.load_parameter.as_ptr() },
        )
    }

    /// The arrays in the form in which C hands them over.
    pub fn structure(&self) -> surefill_model_parameters {
        let (start, transition, emission, load) = self.pointers();
        surefill_model_parameters {
            states: self.states,
            bins: self.bins,
            load: self.load,
            reserved: 0,
            start: start.cast_mut(),
            transition: transition.cast_mut(),
            emission: emission.cast_mut(),
            load_parameter: load.cast_mut(),
        }
    }

    pub fn fits(&self, states: i32, bins: i32) -> bool {
        (self.states, self.bins) == (states, bins)
    }

    /// The answer that a call with these must give: `otherwise` where nothing is wrong with them.
    pub fn expected(&self, fits: bool, otherwise: i32) -> Expected {
        if self.sound {
            return Expected::Status(otherwise);
        }
        const ERRORS: &[i32] = &[
            SUREFILL_ERROR_OUT_OF_RANGE,
            SUREFILL_ERROR_NOT_A_NUMBER,
            SUREFILL_ERROR_NOT_A_DISTRIBUTION,
            SUREFILL_ERROR_WRONG_STATE,
        ];
        if fits && otherwise == SUREFILL_OK { Expected::OkOr(ERRORS) } else { Expected::Error(ERRORS) }
    }
}

#[derive(Clone)]
pub struct Model {
    capacity: surefill_hmm_capacity,
    first: i64,
    end: i64,
    ready: bool,
    training: bool,
}

#[derive(Debug)]
pub enum Call {
    SetParameters(Box<Given>),
    Parameters(i32, i32),
    InitStatic(i32, f64),
    HalveSlots,
    Observe(i64, i32),
    Extend(i64),
    Slots,
    LogLikelihood(i64, i64, i32),
    Filter(i64, i64, i32),
    Viterbi(i64, i64, i32),
    BeginTraining(i32, i32, i64, i64),
    Train(i64),
}

impl Model {
    /// Asks for parameters through one of the functions that tell them.
    pub fn ask(
        states: i32,
        bins: i32,
        output: Pointer,
        call: impl FnOnce(*mut i32, *mut f64, *mut f64, *mut f64, *mut f64) -> i32,
    ) -> Outcome {
        let (m, n) = (room(states).min(MAX_STATES), room(bins).min(MAX_BINS));
        let mut load = MARK_INT;
        let mut start = vec![MARK_REAL; m];
        let (mut transition, mut emission) = (vec![MARK_REAL; m * m], vec![MARK_REAL; m * n]);
        let mut loads = vec![MARK_REAL; m];
        let (a, b) = (start.as_mut_ptr(), transition.as_mut_ptr());
        let (c, d) = (emission.as_mut_ptr(), loads.as_mut_ptr());
        let status = call(output.to(&mut load), a, b, c, d);
        outcome(status, &[&load, &start, &transition, &emission, &loads])
    }

    /// Like [`Model::ask`], for a call that wants a structure; a wrong output is the structure itself.
    pub fn ask_structure(
        states: i32,
        bins: i32,
        output: Pointer,
        call: impl FnOnce(*mut surefill_model_parameters) -> i32,
    ) -> Outcome {
        Model::ask(states, bins, output, |load, start, transition, emission, load_parameter| {
            if load.is_null() || !load.is_aligned() {
                return call(load.cast());
            }
            let mut asked = surefill_model_parameters {
                states,
                bins,
                // SAFETY: it is not a wrong output.
                load: unsafe { *load },
                reserved: 0,
                start,
                transition,
                emission,
                load_parameter,
            };
            let status = call(&raw mut asked);
            // SAFETY: as above.
            unsafe { *load = asked.load };
            status
        })
    }

    pub fn check_parameters(states: i32, bins: i32, outputs: &[u64]) {
        let (m, n) = (states as usize, bins as usize);
        assert!((0..=2).contains(&(outputs[0] as i32)));
        let (start, rest) = outputs[1..].split_at(m);
        let (transition, rest) = rest.split_at(m * m);
        let (emission, loads) = rest.split_at(m * n);
        distributed(start);
        transition.chunks(m).for_each(distributed);
        emission.chunks(n).for_each(distributed);
        assert!(loads.iter().all(|&load| f64::from_bits(load) >= 0.0), "{loads:x?}");
    }

    fn held(&self, from: i64, to: i64) -> bool {
        self.first <= from && from < to && to <= self.end
    }

    fn slot(&self, input: &mut Input) -> i64 {
        if input.rarely() {
            return input.wild_long();
        }
        match input.below(4) {
            0 => self.end.saturating_add(input.below(8) as i64),
            1 => self.end.saturating_add(input.seconds()),
            _ => self.first.saturating_add(input.below(40) as i64).min(self.end),
        }
    }

    fn range(&self, input: &mut Input) -> (i64, i64) {
        match input.below(4) {
            0 => (self.slot(input), self.slot(input)),
            1 => {
                let (a, b) = (self.slot(input), self.slot(input));
                (a.min(b), a.max(b))
            }
            _ => (self.first, self.end),
        }
    }

    /// The answer to a question about slots.
    fn asked(&self, from: i64, to: i64) -> i32 {
        match (self.held(from, to), self.ready) {
            (false, _) => SUREFILL_ERROR_OUT_OF_RANGE,
            (true, false) => SUREFILL_ERROR_WRONG_STATE,
            (true, true) => SUREFILL_OK,
        }
    }
}

impl Subject for Model {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Model, Block)> {
        let mut capacity: surefill_hmm_capacity = initialised(surefill_hmm_capacity_init);
        capacity.states = if input.below(4) == 0 { 1 + input.below(9) as i32 } else { 1 << input.below(3) };
        capacity.bins = 2 + input.below(5) as i32;
        capacity.slots = if input.below(4) == 0 { 2 } else { 2 + input.below(40) as i32 };
        capacity.cells = capacity.bins + if input.below(4) == 0 { 0 } else { input.below(100) as i32 };
        let (mut size, mut made) = (0, null_mut());
        assert_eq!(unsafe { surefill_hmm_size(&capacity, &mut size) }, SUREFILL_OK);
        let mut block = Block::new(size, input.below(2) == 0);
        let status = unsafe { surefill_hmm_init(block.pointer(), size - 1, &capacity, &mut made) };
        assert_eq!((status, made), (SUREFILL_ERROR_TOO_SMALL, null_mut()));
        let status = unsafe { surefill_hmm_init(block.pointer(), size, &capacity, &mut made) };
        assert_eq!((status, made.cast()), (SUREFILL_OK, block.pointer()));
        Some((Model { capacity, first: 0, end: 0, ready: false, training: false }, block))
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_hmm_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_hmm_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let states = if input.rarely() { input.int(70) } else { self.capacity.states };
        let call = match input.below(32) {
            0 | 1 => {
                Call::SetParameters(Box::new(Given::read(input, self.capacity.states, self.capacity.bins)))
            }
            2 => Call::Parameters(states, if input.rarely() { input.int(70) } else { self.capacity.bins }),
            3 => {
                let mean = if input.rarely() { input.wild_real() } else { input.real() };
                Call::InitStatic(input.int(2), mean)
            }
            4 => Call::HalveSlots,
            5..=14 => Call::Observe(self.slot(input), input.int(self.capacity.bins as u8 - 1)),
            15 | 16 => Call::Extend(self.slot(input)),
            17 => Call::Slots,
            18 | 19 => {
                let (from, to) = self.range(input);
                Call::LogLikelihood(from, to, input.int(1))
            }
            20 | 21 => {
                let (from, to) = self.range(input);
                Call::Filter(from, to, states)
            }
            22 | 23 => {
                let (from, to) = self.range(input);
                let usual = to.saturating_sub(from).clamp(-1, 1 << 10) as i32;
                Call::Viterbi(from, to, if input.rarely() { input.int(100) } else { usual })
            }
            24 | 25 => {
                let (from, to) = self.range(input);
                Call::BeginTraining(input.int(2).saturating_sub(1), input.int(2), from, to)
            }
            26 => Call::Train(input.int(254).into()),
            _ => Call::Train(1 + input.below(60) as i64),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let handle: *mut surefill_hmm = handle.cast();
        let mut likelihood = MARK_REAL;
        // SAFETY: arrays have the lengths that the calls are given, where they have any elements.
        unsafe {
            match *call {
                Call::SetParameters(ref given) => {
                    let status = surefill_hmm_set_parameters(handle, &given.structure());
                    outcome(status, &[])
                }
                Call::Parameters(states, bins) => {
                    Model::ask_structure(states, bins, output, |asked| surefill_hmm_parameters(handle, asked))
                }
                Call::InitStatic(load, mean) => outcome(surefill_hmm_init_static(handle, load, mean), &[]),
                Call::HalveSlots => outcome(surefill_hmm_halve_slots(handle), &[]),
                Call::Observe(slot, bin) => outcome(surefill_hmm_observe(handle, slot, bin), &[]),
                Call::Extend(slot) => outcome(surefill_hmm_extend(handle, slot), &[]),
                Call::Slots => {
                    let (mut first, mut end) = (MARK as i64, MARK as i64);
                    let status = surefill_hmm_slots(handle, output.to(&mut first), &mut end);
                    outcome(status, &[&first, &end])
                }
                Call::LogLikelihood(from, to, evidence) => {
                    let out = output.to(&mut likelihood);
                    let status = surefill_hmm_log_likelihood(handle, from, to, evidence, out);
                    outcome(status, &[&likelihood])
                }
                Call::Filter(from, to, states) => {
                    let mut probabilities = vec![MARK_REAL; room(states)];
                    let out = output.to(&mut likelihood);
                    let status =
                        surefill_hmm_filter(handle, from, to, probabilities.as_mut_ptr(), states, out);
                    outcome(status, &[&likelihood, &probabilities])
                }
                Call::Viterbi(from, to, length) => {
                    let mut path = vec![MARK_INT; room(length)];
                    let out = output.to(&mut likelihood);
                    let status = surefill_hmm_viterbi(handle, from, to, path.as_mut_ptr(), length, out);
                    outcome(status, &[&likelihood, &path])
                }
                Call::BeginTraining(initial, load, from, to) => {
                    outcome(surefill_hmm_begin_training(handle, initial, load, from, to), &[])
                }
                Call::Train(work) => {
                    let (mut step, mut round) = (MARK_INT, MARK_ROUND);
                    let status = surefill_hmm_train(handle, work, output.to(&mut step), &mut round);
                    outcome(status, &[&step, &round])
                }
            }
        }
    }

    fn expected(&self, call: &Call) -> Expected {
        let capacity = &self.capacity;
        let held =
            |slot: i64| slot.unsigned_abs() <= 1 << 53 && (self.first == self.end || slot >= self.first);
        let in_range = |valid: bool| if valid { SUREFILL_OK } else { SUREFILL_ERROR_OUT_OF_RANGE };
        Expected::Status(match *call {
            Call::SetParameters(ref given) => {
                return given.expected(given.fits(capacity.states, capacity.bins), SUREFILL_OK);
            }
            Call::Parameters(states, bins) if (states, bins) != (capacity.states, capacity.bins) => {
                SUREFILL_ERROR_OUT_OF_RANGE
            }
            Call::Parameters(..) | Call::HalveSlots if !self.ready => SUREFILL_ERROR_WRONG_STATE,
            Call::Parameters(..) | Call::HalveSlots | Call::Slots => SUREFILL_OK,
            Call::InitStatic(load, mean) if (0..=2).contains(&load) && mean.is_nan() => {
                SUREFILL_ERROR_NOT_A_NUMBER
            }
            Call::InitStatic(load, mean) => {
                in_range((0..=2).contains(&load) && mean > 0.0 && mean.is_finite())
            }
            Call::Observe(slot, bin) => in_range((0..capacity.bins).contains(&bin) && held(slot)),
            Call::Extend(slot) => in_range(held(slot)),
            Call::LogLikelihood(_, _, evidence) if !(0..=1).contains(&evidence) => {
                SUREFILL_ERROR_OUT_OF_RANGE
            }
            Call::LogLikelihood(from, to, _) => self.asked(from, to),
            Call::Filter(_, _, states) if states != capacity.states => {
                return Expected::Error(&[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_WRONG_STATE]);
            }
            Call::Viterbi(from, to, length) if to.checked_sub(from) != Some(length.into()) => {
                return Expected::Error(&[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_WRONG_STATE]);
            }
            Call::Filter(from, to, _) | Call::Viterbi(from, to, _) => self.asked(from, to),
            Call::BeginTraining(SUREFILL_INITIAL_PRESENT, _, from, to) => self.asked(from, to),
            Call::BeginTraining(initial, load, from, to) => {
                let valid = (0..=1).contains(&initial) && (0..=2).contains(&load) && self.held(from, to);
                if valid && initial == SUREFILL_INITIAL_K_MEANS {
                    return match capacity.states.count_ones() {
                        1 => Expected::OkOr(&[SUREFILL_ERROR_EMPTY]),
                        _ => Expected::Status(SUREFILL_ERROR_OUT_OF_RANGE),
                    };
                }
                in_range(valid)
            }
            Call::Train(work) if work < 1 => SUREFILL_ERROR_OUT_OF_RANGE,
            Call::Train(_) if !self.training => SUREFILL_ERROR_WRONG_STATE,
            Call::Train(_) => SUREFILL_OK,
        })
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, _length: i64) {
        let (mut first, mut end) = (0, 0);
        assert_eq!(unsafe { surefill_hmm_slots(handle.cast(), &mut first, &mut end) }, SUREFILL_OK);
        let real = |place: usize| f64::from_bits(outputs[place]);
        match *call {
            Call::SetParameters(_) | Call::InitStatic(..) => (self.ready, self.training) = (true, false),
            Call::Parameters(states, bins) => Model::check_parameters(states, bins, outputs),
            Call::HalveSlots => {
                self.training = false;
                assert_eq!(first, end);
                (self.first, self.end) = (first, end);
            }
            Call::Observe(slot, _) | Call::Extend(slot) => {
                let empty = self.first == self.end;
                assert_eq!(end, if empty { slot + 1 } else { self.end.max(slot + 1) });
                assert!(
                    first < end
                        && end - first <= self.capacity.slots.into()
                        && (empty || first >= self.first)
                );
                // Training goes with its slots: asked for, since slots leave in bunches.
                if first != self.first {
                    self.training = self.still_training(handle);
                }
            }
            Call::Slots => assert_eq!((outputs[0] as i64, outputs[1] as i64), (first, end)),
            Call::LogLikelihood(..) => assert!(!real(0).is_nan()),
            Call::Filter(..) => {
                if real(0) > f64::NEG_INFINITY {
                    distributed(&outputs[1..]);
                } else {
                    assert!(real(0) == f64::NEG_INFINITY && outputs[1..].iter().all(|&p| p == MARK));
                }
            }
            Call::Viterbi(..) => {
                if real(0) > f64::NEG_INFINITY {
                    assert!(outputs[1..].iter().all(|&p| (0..self.capacity.states).contains(&(p as i32))));
                } else {
                    assert!(real(0) == f64::NEG_INFINITY && outputs[1..].iter().all(|&p| p == MARK));
                }
            }
            Call::BeginTraining(..) => self.training = true,
            Call::Train(_) => {
                let done = outputs[0] as i32 == SUREFILL_STEP_DONE;
                assert!(done || outputs[0] as i32 == SUREFILL_STEP_MORE);
                assert_eq!(!done, outputs[1..].iter().all(|&o| o == MARK));
                self.ready |= done;
            }
        }
        (self.first, self.end) = (first, end);
    }
}

impl Model {
    /// Whether training is under way, found out by a copy.
    fn still_training(&self, handle: *mut c_void) -> bool {
        let mut size = 0;
        assert_eq!(unsafe { surefill_hmm_size(&self.capacity, &mut size) }, SUREFILL_OK);
        // SAFETY: a model's block is as long as that.
        let mut copy =
            unsafe { std::slice::from_raw_parts(handle.cast::<u64>(), size as usize / 8) }.to_vec();
        let (mut step, mut round) = (MARK_INT, MARK_ROUND);
        let status = unsafe { surefill_hmm_train(copy.as_mut_ptr().cast(), 1, &mut step, &mut round) };
        assert!([SUREFILL_OK, SUREFILL_ERROR_WRONG_STATE].contains(&status));
        status == SUREFILL_OK
    }
}
