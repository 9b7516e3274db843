//! The bias correction: the line is computed again from all pairs.

use crate::input::Input;
use crate::object::{Block, Expected, MARK_REAL, Outcome, Pointer, Subject, outcome};
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;

const LONGEST: f64 = (1u64 << 40) as f64;

#[derive(Clone)]
pub struct Correction {
    /// Logarithms of predicted and actual waits.
    pairs: Vec<(f64, f64)>,
}

#[derive(Debug)]
pub enum Call {
    Record(f64, f64),
    Corrected(f64),
}

impl Subject for Correction {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Correction, Block)> {
        let mut made = null_mut();
        let mut block = Block::new(SUREFILL_CORRECTION_SIZE, input.below(2) == 0);
        let status = unsafe { surefill_correction_init(block.pointer(), block.length(), &mut made) };
        assert!(status == SUREFILL_OK && made.cast() == block.pointer());
        Some((Correction { pairs: Vec::new() }, block))
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_correction_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_correction_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let call = match input.below(8) {
            0..=3 => Call::Corrected(input.real()),
            _ => Call::Record(input.real(), input.real()),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let correction: *mut surefill_correction = handle.cast();
        let mut seconds = MARK_REAL;
        let status = unsafe {
            match *call {
                Call::Record(predicted, actual) => surefill_correction_record(correction, predicted, actual),
                Call::Corrected(predicted) => {
                    surefill_correction_corrected(correction, predicted, output.to(&raw mut seconds))
                }
            }
        };
        outcome(status, &[&seconds])
    }

    fn expected(&self, call: &Call) -> Expected {
        let span = |value: f64| match value {
            value if value.is_nan() => Err(SUREFILL_ERROR_NOT_A_NUMBER),
            value if (0.0..=LONGEST).contains(&value) => Ok(()),
            _ => Err(SUREFILL_ERROR_OUT_OF_RANGE),
        };
        let result = match *call {
            Call::Record(predicted, actual) => span(predicted).and(span(actual)),
            Call::Corrected(predicted) => span(predicted),
        };
        Expected::Status(result.err().unwrap_or(SUREFILL_OK))
    }

    fn done(&mut self, call: &Call, outputs: &[u64], _handle: *mut c_void, _length: i64) {
        let seconds = f64::from_bits(outputs[0]);
        let n = self.pairs.len() as f64;
        let mean = |f: &dyn Fn(&(f64, f64)) -> f64| self.pairs.iter().map(f).sum::<f64>() / n;
        let (mx, my) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
        let xx = mean(&|pair| (pair.0 - mx) * (pair.0 - mx));
        let xy = mean(&|pair| (pair.0 - mx) * (pair.1 - my));
        match *call {
            Call::Record(predicted, actual) => {
                self.pairs.push((predicted.max(1.0).ln(), actual.max(1.0).ln()));
            }
            Call::Corrected(predicted) => {
                let by_line = (my - xy / xx * mx + xy / xx * predicted.max(1.0).ln()).exp().min(LONGEST);
                let near = (seconds - by_line).abs() <= 1e-6 * by_line;
                // Where nothing varies but by rounding, whatever the slope is, it is not looked at.
                assert!(seconds == predicted || near || xx < 1e-9, "{seconds} {predicted} {by_line}");
                assert!(self.pairs.len() >= 20 || seconds == predicted);
                assert!((0.0..=LONGEST).contains(&seconds));
            }
        }
    }
}
