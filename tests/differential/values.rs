//! Bins and distributions: plain values, which no call changes.

use super::input::Input;
use super::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, Outcome, Pointer, Subject, bins, code, counted, distributed,
    make, outcome,
};
use super::prediction::Prediction;
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::error::{Error, Result};
use surefill::runtime::{MAX_BINS, MAX_EVENTS_PER_BIN, Release, RuntimeBins, RuntimeDistribution};

/// The most releases of one job.
const MOST_RELEASES: usize = MAX_BINS * MAX_EVENTS_PER_BIN;

/// Answers of the core are not modelled again.
const ANY: Expected = Expected::OkOr(&[
    SUREFILL_ERROR_NOT_A_NUMBER,
    SUREFILL_ERROR_OUT_OF_RANGE,
    SUREFILL_ERROR_NO_SUCH_INDEX,
    SUREFILL_ERROR_FULL,
]);

#[derive(Clone)]
pub struct Bins(RuntimeBins);

#[derive(Debug)]
pub enum OfBins {
    Count,
    Edges(i32),
    Index(f64),
}

impl Subject for Bins {
    type Call = OfBins;
    const SEALS: bool = false;

    fn make(input: &mut Input) -> Option<(Bins, Block)> {
        let first = if input.rarely() { input.wild_real() } else { 0.5 + input.below(40) as f64 / 4.0 };
        let ratio = if input.rarely() { input.wild_real() } else { 1.0 + input.below(80) as f64 / 40.0 };
        let (size, longest, count) = (SUREFILL_BINS_SIZE, input.seconds(), input.int(10));
        let (value, block) = match input.below(4) {
            0 => make(
                input,
                size,
                |to, length, out| unsafe { surefill_bins_init_default(to, length, out) },
                Ok(RuntimeBins::default()),
            ),
            1 => make(
                input,
                size,
                |to, length, out| unsafe {
                    surefill_bins_init_covering(to, length, first, ratio, longest, out)
                },
                RuntimeBins::covering(first, ratio, longest),
            ),
            _ => make(
                input,
                size,
                |to, length, out| unsafe { surefill_bins_init(to, length, first, ratio, count, out) },
                counted(count).and_then(|count| RuntimeBins::new(first, ratio, count as usize)),
            ),
        }?;
        Some((Bins(value), block))
    }

    fn stranger() -> Block {
        Prediction::Single(60).made(1 << 14)
    }

    fn read(&self, input: &mut Input) -> (OfBins, Pointer) {
        let call = match input.below(3) {
            0 => OfBins::Count,
            1 => OfBins::Edges(input.int(12)),
            _ => OfBins::Index(input.real()),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &OfBins, output: Pointer) -> Outcome {
        let (bins, mut number, mut edges) = (handle.cast(), MARK_INT, [MARK_REAL; 2]);
        let to = output.to(&raw mut number);
        let status = unsafe {
            match *call {
                OfBins::Count => surefill_bins_count(bins, to),
                OfBins::Edges(index) => {
                    let [lower, upper] = &mut edges;
                    surefill_bins_edges(bins, index, output.to(lower), upper)
                }
                OfBins::Index(seconds) => surefill_bins_index(bins, seconds, to),
            }
        };
        outcome(status, &[&number, &edges.to_vec()])
    }

    fn core(&self, _memory: &mut [u8], call: &OfBins) -> Option<Outcome> {
        let (mut number, mut edges) = (MARK_INT, [MARK_REAL; 2]);
        let result = match *call {
            OfBins::Count => {
                number = self.0.count() as i32;
                Ok(())
            }
            OfBins::Edges(index) => {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                let found = self.0.lower(index).zip(self.0.upper(index)).ok_or(Error::NoSuchIndex);
                found.map(|(lower, upper)| edges = [lower, upper])
            }
            OfBins::Index(seconds) if seconds.is_nan() => Err(Error::NotANumber),
            OfBins::Index(seconds) => {
                number = self.0.bin_of(seconds) as i32;
                Ok(())
            }
        };
        Some(outcome(code(&result), &[&number, &edges.to_vec()]))
    }

    fn expected(&self, _call: &OfBins) -> Expected {
        ANY
    }

    fn done(&mut self, call: &OfBins, outputs: &[u64], _handle: *mut c_void, _length: i64) {
        let number = outputs[0] as i32;
        match *call {
            OfBins::Edges(index) => {
                let (lower, upper) = (f64::from_bits(outputs[1]), f64::from_bits(outputs[2]));
                assert!(0.0 < lower && lower < upper && self.0.bin_of(lower) == index as usize);
            }
            OfBins::Index(_) => assert!((0..self.0.count() as i32).contains(&number)),
            OfBins::Count => assert!((1..=MAX_BINS as i32).contains(&number)),
        }
    }
}

#[derive(Clone)]
pub struct Distribution(RuntimeDistribution);

#[derive(Debug)]
pub enum OfDistribution {
    Quantile(f64, i64, i64),
    /// Age, limit, events a bin and room.
    Remaining(i64, i64, i32, usize),
    Recalculate(i64, i64, usize),
}

/// An array as passed to a call: seldom NULL or of a negative length.
fn array<T>(input: &mut Input, values: &[T]) -> (*const T, i32, Result<()>) {
    match values.len() as i32 {
        count if !input.rarely() => (values.as_ptr(), count, Ok(())),
        count if count > 0 && input.below(2) == 0 => (null_mut(), count, Err(Error::Null)),
        _ => (values.as_ptr(), -1, Err(Error::OutOfRange)),
    }
}

/// The answers of a distribution, in the order of the outputs.
fn answers(of: &RuntimeDistribution, call: &OfDistribution) -> Outcome {
    let (mut number, mut quantile) = (MARK_INT, MARK as i64);
    let (mut seconds, mut probabilities) = (Vec::new(), Vec::new());
    let result = match *call {
        OfDistribution::Quantile(share, age, limit) => {
            of.quantile(share, age, limit).map(|found| quantile = found)
        }
        OfDistribution::Remaining(age, limit, events, room) => {
            (seconds, probabilities) = (vec![MARK as i64; room], vec![MARK_REAL; room]);
            let mut releases = vec![Release::default(); room];
            let events = usize::try_from(events).map_err(|_| Error::OutOfRange);
            events.and_then(|events| of.remaining(age, limit, events, &mut releases)).map(|count| {
                number = count as i32;
                for (i, release) in releases[..count].iter().enumerate() {
                    (seconds[i], probabilities[i]) = (release.after, release.probability);
                }
            })
        }
        OfDistribution::Recalculate(age, limit, room) => {
            probabilities = vec![MARK_REAL; room];
            of.recalculated(age, limit).and_then(|found| {
                let found = found.binned().map_or(&[][..], |(_, found)| found);
                let to = probabilities.get_mut(..found.len()).ok_or(Error::Full)?;
                to.copy_from_slice(found);
                number = found.len() as i32;
                Ok(())
            })
        }
    };
    outcome(code(&result), &[&number, &quantile, &seconds, &probabilities])
}

impl Subject for Distribution {
    type Call = OfDistribution;
    const SEALS: bool = false;

    fn make(input: &mut Input) -> Option<(Distribution, Block)> {
        let size = SUREFILL_DISTRIBUTION_SIZE;
        let (count, single) = (1 + input.below(10), input.seconds());
        let (mut block, of) = (bins(2.0, 1.8, count as i32), RuntimeBins::new(2.0, 1.8, count).unwrap());
        let bins = block.pointer().cast();
        let (value, block) = match input.below(5) {
            0 => make(
                input,
                size,
                |to, length, out| unsafe { surefill_distribution_init_single(to, length, single, out) },
                RuntimeDistribution::single(single),
            ),
            1 | 2 => {
                let count = if input.rarely() { input.below(70) } else { count };
                let counts: Vec<f64> = (0..count).map(|_| input.real()).collect();
                let (from, count, given) = array(input, &counts);
                let init = |to, length, out| unsafe {
                    surefill_distribution_init_counts(to, length, bins, from, count, out)
                };
                let core = given.and_then(|()| RuntimeDistribution::from_counts(&of, &counts));
                make(input, size, init, core)
            }
            _ => {
                let runtimes: Vec<i64> = (0..input.below(12)).map(|_| input.seconds()).collect();
                let weights: Vec<f64> = runtimes.iter().map(|_| input.real()).collect();
                // Without weights each sample counts once.
                let weighed = input.below(2) == 0;
                let to = if weighed { weights.as_ptr() } else { null_mut() };
                let (from, count, given) = array(input, &runtimes);
                let init = |memory, length, out| unsafe {
                    surefill_distribution_init_samples(memory, length, bins, from, to, count, out)
                };
                let weights = weights.iter().map(|&weight| if weighed { weight } else { 1.0 });
                let samples = runtimes.iter().copied().zip(weights);
                let core = given.and_then(|()| RuntimeDistribution::from_samples(&of, samples));
                make(input, size, init, core)
            }
        }?;
        Some((Distribution(value), block))
    }

    fn read(&self, input: &mut Input) -> (OfDistribution, Pointer) {
        let (age, limit) = (input.seconds(), input.seconds());
        let room = |input: &mut Input, most| if input.rarely() { input.below(20) } else { most };
        let call = match input.below(3) {
            0 => OfDistribution::Quantile(input.probability(), age, limit),
            1 => OfDistribution::Remaining(age, limit, input.int(17), room(input, MOST_RELEASES)),
            _ => OfDistribution::Recalculate(age, limit, room(input, MAX_BINS)),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &OfDistribution, output: Pointer) -> Outcome {
        let (mut number, mut quantile) = (MARK_INT, MARK as i64);
        let (mut seconds, mut probabilities) = (Vec::new(), Vec::new());
        let (of, count) = (handle.cast(), output.to(&raw mut number));
        // SAFETY: the arrays have the lengths that the calls are given.
        let status = unsafe {
            match *call {
                OfDistribution::Quantile(share, age, limit) => {
                    surefill_distribution_quantile(of, share, age, limit, output.to(&raw mut quantile))
                }
                OfDistribution::Remaining(age, limit, events, room) => {
                    (seconds, probabilities) = (vec![MARK as i64; room], vec![MARK_REAL; room]);
                    let (when, p) = (seconds.as_mut_ptr(), probabilities.as_mut_ptr());
                    surefill_distribution_remaining(of, age, limit, events, when, p, room as i32, count)
                }
                OfDistribution::Recalculate(age, limit, room) => {
                    probabilities = vec![MARK_REAL; room];
                    let to = probabilities.as_mut_ptr();
                    surefill_distribution_recalculate(of, age, limit, to, room as i32, count)
                }
            }
        };
        outcome(status, &[&number, &quantile, &seconds, &probabilities])
    }

    fn core(&self, _memory: &mut [u8], call: &OfDistribution) -> Option<Outcome> {
        Some(answers(&self.0, call))
    }

    fn expected(&self, _call: &OfDistribution) -> Expected {
        ANY
    }

    /// NULL is the distribution without any knowledge but the limit.
    fn needs(&self, _call: &OfDistribution, null: bool) -> bool {
        !null
    }

    fn done(&mut self, call: &OfDistribution, outputs: &[u64], _handle: *mut c_void, length: i64) {
        let of_null = self.perform(null_mut(), length, call, Pointer::Right);
        assert_eq!(of_null, answers(&RuntimeDistribution::limit(), call));
        match *call {
            OfDistribution::Quantile(_, age, limit) => {
                assert!((1..=(limit - age).max(1)).contains(&(outputs[1] as i64)), "{call:?}");
            }
            OfDistribution::Remaining(_, _, _, room) => {
                let (count, outputs) = (outputs[0] as u32 as usize, &outputs[2..]);
                let (seconds, probabilities) = (&outputs[..count], &outputs[room..room + count]);
                assert!(seconds[0] >= 1 && seconds.windows(2).all(|pair| pair[0] < pair[1]));
                distributed(probabilities);
            }
            OfDistribution::Recalculate(..) => {
                let count = outputs[0] as u32 as usize;
                if count > 0 {
                    distributed(&outputs[2..2 + count]);
                }
            }
        }
    }
}
