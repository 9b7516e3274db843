//! The model that learns on line, through Rust: its slots are counted.

use crate::input::Input;
use crate::model::Model;
use crate::object::{Block, Expected, MARK_REAL, Outcome, Pointer, Subject, code, outcome};
use std::ffi::c_void;
use surefill::capi::{SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_OK};
use surefill::error::{Error, Result};
use surefill::hmm::{LoadModel, OnlineHmm, OnlineOptions, Parameters, ParametersMut};

#[derive(Clone)]
pub struct Online {
    states: usize,
    bins: usize,
    slots: u64,
}

#[derive(Debug)]
pub enum Call {
    Learn(Vec<u32>),
    Parameters,
}

/// A block as Rust wants it; pointers that C refuses are refused here.
///
/// # Safety
/// A pointer that is not NULL has that many bytes.
pub unsafe fn bytes<'a>(pointer: *mut c_void, length: i64) -> Result<&'a mut [u8]> {
    let length = usize::try_from(length).map_err(|_| Error::OutOfRange)?;
    if pointer.is_null() {
        return Err(Error::Null);
    }
    // One byte further there is one byte less.
    let length = length.saturating_sub(pointer.addr() % 8);
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), length) })
}

impl Subject for Online {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Online, Block)> {
        let (states, bins) = (1 + input.below(4), 2 + input.below(4));
        let given = crate::model::Given::read(input, states as i32, bins as i32);
        let options = OnlineOptions {
            exponent: if input.rarely() { input.wild_real() } else { 0.6 + 0.1 * input.below(5) as f64 },
            hold: input.below(8) as u64,
            // Chosen by the load model, so that seeds keep their meaning.
            floor: if given.load == 1 { 0.0 } else { 1e-3 },
        };
        let load =
            [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric][given.load.clamp(0, 2) as usize];
        let none = load == LoadModel::None;
        let parameters = Parameters {
            load,
            start: &given.start,
            transition: &given.transition,
            emission: &given.emission,
            load_parameter: if none { &[] } else { &given.load_parameter },
        };
        let size = OnlineHmm::size(states as u32, bins as u32).unwrap() as i64;
        let mut block = Block::new(size, input.below(2) == 0);
        // SAFETY: it is as long as that.
        let memory = unsafe { bytes(block.pointer(), size).unwrap() };
        OnlineHmm::init(memory, &parameters, &options).ok()?;
        Some((Online { states, bins, slots: 0 }, block))
    }

    fn seal(handle: *mut c_void, length: i64) -> i32 {
        code(&(|| OnlineHmm::seal(unsafe { bytes(handle, length)? }))())
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let status = code(&(|| OnlineHmm::open(unsafe { bytes(memory, length)? }).map(drop))());
        (status, if status == SUREFILL_OK { memory } else { std::ptr::null_mut() })
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        if input.below(4) == 0 {
            return (Call::Parameters, Pointer::Right);
        }
        let bins = if input.rarely() { input.below(70) } else { self.bins };
        let count =
            |input: &mut Input| if input.rarely() { input.wild_long() as u32 } else { input.below(3) as u32 };
        (Call::Learn((0..bins).map(|_| count(input)).collect()), Pointer::Right)
    }

    fn perform(&self, handle: *mut c_void, length: i64, call: &Call, _output: Pointer) -> Outcome {
        let attach = || OnlineHmm::attach(unsafe { bytes(handle, length)? });
        match call {
            Call::Learn(counts) => {
                let mut likelihood = MARK_REAL;
                let status = code(&(|| {
                    likelihood = attach()?.learn(counts)?.log_likelihood;
                    Ok(())
                })());
                outcome(status, &[&likelihood])
            }
            Call::Parameters => {
                Model::ask(self.states as i32, self.bins as i32, Pointer::Right, |load, a, b, c, d| {
                    let (m, n) = (self.states, self.bins);
                    // SAFETY: they have this room.
                    let mut out = unsafe {
                        ParametersMut {
                            start: std::slice::from_raw_parts_mut(a, m),
                            transition: std::slice::from_raw_parts_mut(b, m * m),
                            emission: std::slice::from_raw_parts_mut(c, m * n),
                            load_parameter: std::slice::from_raw_parts_mut(d, m),
                        }
                    };
                    code(&(|| {
                        attach()?.parameters(&mut out)?;
                        unsafe { *load = 0 };
                        Ok(())
                    })())
                })
            }
        }
    }

    fn expected(&self, call: &Call) -> Expected {
        Expected::Status(match call {
            Call::Learn(counts) => {
                let jobs: u64 = counts.iter().map(|&count| u64::from(count)).sum();
                let valid = counts.len() == self.bins && u32::try_from(jobs).is_ok();
                if valid { SUREFILL_OK } else { SUREFILL_ERROR_OUT_OF_RANGE }
            }
            Call::Parameters => SUREFILL_OK,
        })
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, length: i64) {
        match call {
            Call::Learn(_) => {
                self.slots += 1;
                assert!(!f64::from_bits(outputs[0]).is_nan());
            }
            Call::Parameters => Model::check_parameters(self.states as i32, self.bins as i32, outputs),
        }
        let model = OnlineHmm::attach(unsafe { bytes(handle, length).unwrap() }).unwrap();
        assert_eq!(model.slots(), self.slots);
    }
}
