//! The running jobs and what is asked of them: how many there are and what they hold is modelled.

use super::input::Input;
use super::object::{
    Bits, Block, Expected, MARK, MARK_INT, MARK_REAL, Outcome, Pointer, Subject, code, counted, initialised,
    make, outcome,
};
use std::ffi::c_void;
use surefill::allocate::{ChoiceOptions, FreeTimePredictor, LogUniform, Sizing, SizingCapacity, Speedup};
use surefill::capi::*;
use surefill::error::{Error, Result};

const LONGEST: f64 = (1u64 << 40) as f64;

#[derive(Clone)]
pub struct Sizes {
    capacity: surefill_sizing_capacity,
    begun: bool,
    idle: i32,
    busy: i32,
    jobs: i32,
    /// The probability that was said for this number of processors within this time.
    said: Option<(i32, f64, f64)>,
}

#[derive(Debug, Clone)]
pub enum Call {
    Begin(i32),
    Add(i32, f64, f64, f64),
    Wait(i32, i32, f64),
    Free(i32, f64),
    Choose(surefill_choice_options, f64, f64, f64),
}

fn lifetime(input: &mut Input) -> (f64, f64) {
    let shortest = if input.rarely() { input.wild_real() } else { 1.0 + input.real() };
    (shortest, if input.rarely() { input.wild_real() } else { shortest * (1.5 + input.real()) })
}

/// The error of a real number that must lie in a range.
fn within(value: f64, low: f64, high: f64) -> std::result::Result<(), i32> {
    match value {
        value if value.is_nan() => Err(SUREFILL_ERROR_NOT_A_NUMBER),
        value if (low..=high).contains(&value) => Ok(()),
        _ => Err(SUREFILL_ERROR_OUT_OF_RANGE),
    }
}

fn error_of(status: i32) -> Error {
    if status == SUREFILL_ERROR_NOT_A_NUMBER { Error::NotANumber } else { Error::OutOfRange }
}

fn not_negative(number: i32) -> std::result::Result<(), i32> {
    if number >= 0 { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) }
}

/// The choice before a call.
const MARK_CHOICE: surefill_choice = surefill_choice {
    struct_size: size_of::<surefill_choice>() as u32,
    processors: MARK_INT,
    wait: MARK_REAL,
    run_time: MARK_REAL,
    gain: MARK_REAL,
};

/// C refuses a wrong quantile before anything else, the core where it is used.
fn predictor(number: i32, quantile: f64) -> Result<FreeTimePredictor> {
    if number == SUREFILL_WAIT_BY_QUANTILE {
        within(quantile, 0.0, 1.0).map_err(error_of)?;
    }
    Ok(match number {
        SUREFILL_WAIT_BY_BENEFACTORS => FreeTimePredictor::Benefactors,
        SUREFILL_WAIT_BY_FLUID => FreeTimePredictor::Fluid,
        SUREFILL_WAIT_BY_COMBINED => FreeTimePredictor::Combined,
        SUREFILL_WAIT_BY_QUANTILE => FreeTimePredictor::Quantile(quantile),
        SUREFILL_WAIT_BY_MEAN => FreeTimePredictor::Mean,
        _ => return Err(Error::OutOfRange),
    })
}

impl Bits for surefill_choice {
    fn bits(&self, to: &mut Vec<u64>) {
        self.processors.bits(to);
        vec![self.wait, self.run_time, self.gain].bits(to);
    }
}

impl Sizes {
    fn processors(&self, input: &mut Input) -> i32 {
        input.int(self.capacity.processors as u8)
    }

    fn options(&self, input: &mut Input) -> surefill_choice_options {
        let mut options: surefill_choice_options = initialised(surefill_choice_options_init);
        options.predictor = input.int(4);
        options.quantile = input.probability();
        if input.below(4) == 0 {
            (options.least, options.most) = (self.processors(input).max(0).saturating_add(1), i32::MAX);
            options.weight = input.real();
            options.least_gain = input.probability();
            if input.below(2) == 0 {
                options.most = self.processors(input);
            }
        }
        options
    }

    /// The error of a question for this number of processors.
    fn asked(&self, processors: i32) -> std::result::Result<(), i32> {
        match processors {
            _ if !self.begun => Err(SUREFILL_ERROR_WRONG_STATE),
            n if n > self.capacity.processors => Err(SUREFILL_ERROR_OUT_OF_RANGE),
            n if n > self.idle + self.busy => Err(SUREFILL_ERROR_NEVER),
            _ => Ok(()),
        }
    }

    /// The error of another job.
    fn room(&self, processors: i32) -> std::result::Result<(), i32> {
        match processors {
            _ if !self.begun => Err(SUREFILL_ERROR_WRONG_STATE),
            n if n < 1 || n > self.capacity.processors - self.idle - self.busy => {
                Err(SUREFILL_ERROR_OUT_OF_RANGE)
            }
            _ if self.jobs == self.capacity.running => Err(SUREFILL_ERROR_FULL),
            _ => Ok(()),
        }
    }

    fn add(&mut self, processors: i32) {
        self.jobs += 1;
        self.busy += processors;
        self.said = None;
    }
}

fn core(memory: &mut [u8], call: &Call, seconds: &mut f64, choice: &mut surefill_choice) -> Result<()> {
    let mut sizing = Sizing::attach(memory)?;
    match *call {
        Call::Begin(idle) => sizing.begin(counted(idle)?)?,
        Call::Add(processors, age, shortest, longest) => {
            sizing.add_running(counted(processors)?, age, &LogUniform::new(shortest, longest)?)?;
        }
        Call::Wait(processors, by, quantile) => {
            let by = predictor(by, quantile)?;
            *seconds = sizing.wait(counted(processors)?, by)?;
        }
        Call::Free(processors, wait) => *seconds = sizing.free_probability(counted(processors)?, wait)?,
        Call::Choose(ref given, parallelism, sigma, sequential) => {
            let options = ChoiceOptions {
                predictor: predictor(given.predictor, given.quantile)?,
                least: counted(given.least)?,
                most: counted(given.most)?,
                weight: given.weight,
                least_gain: given.least_gain,
            };
            let speedup = Speedup::new(parallelism, sigma)?;
            within(sequential, 0.0, LONGEST).map_err(error_of)?;
            let run_time = |n| speedup.run_time(sequential, n).unwrap_or(f64::NAN);
            let found = sizing.choose(&options, None, run_time)?;
            (choice.processors, choice.wait) = (found.processors as i32, found.wait);
            (choice.run_time, choice.gain) = (found.run_time, found.gain);
        }
    }
    Ok(())
}

/// Errors that are possible beyond those of the model.
const CHOICE: &[i32] = &[
    SUREFILL_ERROR_WRONG_STATE,
    SUREFILL_ERROR_OUT_OF_RANGE,
    SUREFILL_ERROR_NOT_A_NUMBER,
    SUREFILL_ERROR_NEVER,
];

impl Subject for Sizes {
    type Call = Call;
    const SEALS: bool = false;

    fn make(input: &mut Input) -> Option<(Sizes, Block)> {
        let mut capacity: surefill_sizing_capacity = initialised(surefill_sizing_capacity_init);
        capacity.running = input.int(8);
        capacity.processors = 1 + input.int(40).min(40);
        let mut size = 0;
        let valid = (0..=1 << 20).contains(&capacity.running) && capacity.processors >= 1;
        let status = unsafe { surefill_sizing_size(&capacity, &mut size) };
        assert_eq!(status, if valid { SUREFILL_OK } else { SUREFILL_ERROR_OUT_OF_RANGE });
        let core = counted(capacity.running).and_then(|running| {
            let processors = counted(capacity.processors)?;
            Sizing::size(&SizingCapacity { running, processors, bins: 0, events_per_bin: 4 })
        });
        assert_eq!(core.map_or(0, |size| size as i64), size);
        // A large one shows no more than a small one.
        if !valid || size > 1 << 20 {
            return None;
        }
        let init = |to, length, out| unsafe { surefill_sizing_init(to, length, &capacity, out) };
        let block = make(input, size, init, Ok(()))?.1;
        Some((Sizes { capacity, begun: false, idle: 0, busy: 0, jobs: 0, said: None }, block))
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let call = match if self.begun { input.below(24) } else { 0 } {
            0 => Call::Begin(input.int(self.capacity.processors as u8 / 2)),
            1..=9 => {
                let (shortest, longest) = lifetime(input);
                Call::Add(
                    1 + input.int(self.capacity.processors as u8 / 3).min(99),
                    input.real(),
                    shortest,
                    longest,
                )
            }
            10..=14 => Call::Wait(self.processors(input), input.int(4), input.probability()),
            15 | 16 => Call::Free(self.processors(input), input.real()),
            _ => {
                let parallelism = if input.rarely() { input.wild_real() } else { 1.0 + input.real() };
                let sigma = if input.rarely() { input.wild_real() } else { input.real() / 64.0 };
                Call::Choose(self.options(input), parallelism, sigma, input.real())
            }
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let sizing: *mut surefill_sizing = handle.cast();
        let (mut seconds, mut choice) = (MARK_REAL, MARK_CHOICE);
        let out = output.to(&raw mut seconds);
        // SAFETY: arrays have the lengths that the calls are given, where they have any elements.
        let status = unsafe {
            match *call {
                Call::Begin(idle) => surefill_sizing_begin(sizing, idle),
                Call::Add(processors, age, shortest, longest) => {
                    surefill_sizing_add_lifetime(sizing, processors, age, shortest, longest)
                }
                Call::Wait(processors, by, quantile) => {
                    surefill_sizing_wait(sizing, processors, by, quantile, out)
                }
                Call::Free(processors, wait) => {
                    surefill_sizing_free_probability(sizing, processors, wait, out)
                }
                Call::Choose(ref options, parallelism, sigma, sequential) => {
                    let to = output.to(&raw mut choice);
                    surefill_sizing_choose(sizing, options, parallelism, sigma, sequential, to)
                }
            }
        };
        outcome(status, &[&seconds, &choice])
    }

    fn core(&self, memory: &mut [u8], call: &Call) -> Option<Outcome> {
        let (mut seconds, mut choice) = (MARK_REAL, MARK_CHOICE);
        let status = code(&core(memory, call, &mut seconds, &mut choice));
        Some(outcome(status, &[&seconds, &choice]))
    }

    fn expected(&self, call: &Call) -> Expected {
        let result = match *call {
            Call::Begin(idle) if !(0..=self.capacity.processors).contains(&idle) => {
                Err(SUREFILL_ERROR_OUT_OF_RANGE)
            }
            Call::Begin(_) => Ok(()),
            Call::Add(processors, age, shortest, longest) => not_negative(processors)
                .and(within(shortest, 1e-9, LONGEST))
                .and(within(longest, 1e-9, LONGEST))
                .and(if longest.ln() > shortest.ln() { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) })
                .and(self.room(processors))
                .and(within(age, 0.0, LONGEST)),
            Call::Wait(processors, by, quantile) => {
                let valid = match by {
                    SUREFILL_WAIT_BY_QUANTILE => within(quantile, 0.0, 1.0),
                    0..=4 => Ok(()),
                    _ => Err(SUREFILL_ERROR_OUT_OF_RANGE),
                };
                let asked = valid.and(not_negative(processors)).and(self.asked(processors));
                if asked.is_ok() && by == SUREFILL_WAIT_BY_BENEFACTORS {
                    return Expected::OkOr(&[SUREFILL_ERROR_NEVER]);
                }
                asked
            }
            Call::Free(processors, wait) => {
                not_negative(processors).and(within(wait, 0.0, LONGEST)).and(match self.asked(processors) {
                    Err(SUREFILL_ERROR_NEVER) => Ok(()),
                    other => other,
                })
            }
            Call::Choose(..) => return Expected::OkOr(CHOICE),
        };
        Expected::Status(result.err().unwrap_or(SUREFILL_OK))
    }

    fn done(&mut self, call: &Call, outputs: &[u64], _handle: *mut c_void, _length: i64) {
        let seconds = f64::from_bits(outputs[0]);
        match *call {
            Call::Begin(idle) => {
                *self = Sizes { begun: true, idle, busy: 0, jobs: 0, said: None, ..self.clone() };
            }
            Call::Add(processors, ..) => self.add(processors),
            Call::Wait(processors, ..) => {
                assert!((0.0..=LONGEST).contains(&seconds));
                assert!(processors > self.idle || seconds == 0.0);
            }
            Call::Free(processors, wait) => {
                assert!((0.0..=1.0).contains(&seconds));
                // More processors, or less time, are not more probable.
                if let Some((before, time, probability)) = self.said {
                    assert!(processors < before || wait > time || seconds <= probability + 1e-9);
                    assert!(processors > before || wait < time || seconds >= probability - 1e-9);
                }
                self.said = Some((processors, wait, seconds));
            }
            Call::Choose(ref options, ..) => {
                let processors = outputs[1] as i32;
                let [wait, run_time, gain] = [2, 3, 4].map(|i| f64::from_bits(outputs[i]));
                assert!((options.least..=options.most).contains(&processors));
                assert!(processors <= self.idle + self.busy);
                assert!((0.0..=LONGEST).contains(&wait));
                assert!((0.0..=LONGEST).contains(&run_time) && (processors > self.idle || wait == 0.0));
                assert!(gain >= 0.0, "{gain}");
            }
        }
        assert!(
            outputs.iter().any(|&output| output != MARK) || matches!(call, Call::Begin(_) | Call::Add(..))
        );
    }
}
