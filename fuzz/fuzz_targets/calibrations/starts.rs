//! The calibration of foretold starts: the exponents of all levels are followed.

use crate::input::Input;
use crate::object::{Block, Expected, MARK, MARK_INT, Outcome, Pointer, Subject, outcome};
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;

const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// How many starts a class has heard of, and its exponents.
type Class = (u64, [f64; 5]);

#[derive(Clone)]
pub struct Starts {
    all: Class,
    classes: [Class; 18],
    longest: i64,
}

/// A forecast of a job of an age, and what its user is said to have heard; the number of levels is mostly right.
#[derive(Debug)]
pub struct Forecast {
    age: i64,
    levels: [i64; 5],
    told: [i64; 5],
    count: i32,
}

#[derive(Debug)]
pub enum Call {
    Told(Forecast),
    Learn(Forecast, i64, i32),
    Overdue(Forecast, i64, i32),
    Starts,
}

fn span(seconds: i64) -> bool {
    (0..=SUREFILL_MAX_SECONDS).contains(&seconds)
}

impl Forecast {
    fn any(input: &mut Input) -> Forecast {
        let age = input.seconds();
        let mut levels = [(); 2].map(|()| [(); 5].map(|()| input.seconds()));
        if !input.rarely() {
            levels.iter_mut().for_each(|levels| levels.sort_unstable());
        }
        let [levels, told] = levels;
        Forecast { age, levels, told, count: if input.rarely() { input.int(8) } else { 5 } }
    }

    fn sound(&self) -> bool {
        let Forecast { age, levels, count, .. } = self;
        *count == 5 && span(*age) && levels.is_sorted() && levels.iter().all(|&level| span(level))
    }

    /// Whether what is said to have been told is sound as well.
    fn sound_with_told(&self) -> bool {
        self.sound() && self.told.is_sorted() && self.told.iter().all(|&level| span(level))
    }

    fn class(&self) -> usize {
        let age = [60, 6 * 3600].iter().filter(|&&end| self.age >= end).count();
        let hours = [600, 3600, 4 * 3600, 12 * 3600, 36 * 3600];
        3 * hours.iter().filter(|&&end| self.levels[2] >= end).count() + age
    }
}

/// How far one more start moves the exponents.
fn rate(starts: u64, least: f64) -> f64 {
    (1.0 + starts as f64).powf(-0.6).max(least)
}

impl Starts {
    /// The stretched quantile of one level alone.
    fn stretched(&self, forecast: &Forecast, level: usize) -> i64 {
        let exponent = self.all.1[level] + self.classes[forecast.class()].1[level];
        let told = (forecast.levels[level] as f64 + 60.0) * exponent.exp() - 60.0;
        if exponent == 0.0 {
            forecast.levels[level]
        } else {
            told.clamp(0.0, SUREFILL_MAX_SECONDS as f64) as i64
        }
    }

    fn told(&self, forecast: &Forecast) -> [i64; 5] {
        let rest = 2 * self.longest.max(forecast.age) - forecast.age;
        let most = rest.max(forecast.levels[4]).min(SUREFILL_MAX_SECONDS);
        let mut last = 0;
        [0, 1, 2, 3, 4].map(|level| {
            last = self.stretched(forecast, level).min(most).max(last);
            last
        })
    }

    /// Hears of a wait; the levels that have missed.
    fn hear(&mut self, forecast: &Forecast, waited: i64, heard: i32, started: bool) -> i32 {
        let class = forecast.class();
        let rates = (rate(self.all.0, 0.005), rate(self.classes[class].0, 0.02));
        self.longest = self.longest.max(forecast.age + waited);
        let mut missed = heard;
        for (level, q) in LEVELS.into_iter().enumerate() {
            if heard >> level & 1 != 0 {
                continue;
            }
            let told = forecast.told[level];
            let step = if waited > told {
                missed |= 1 << level;
                q
            } else if started && told > 0 {
                q - 1.0
            } else {
                continue;
            };
            // No further from where it was told than by half a step.
            let at = ((told + 60) as f64 / (forecast.levels[level] + 60) as f64).ln();
            let both = rates.0 + rates.1;
            let now = self.all.1[level] + self.classes[class].1[level];
            let end = now + both * step;
            let end = if step > 0.0 {
                end.min((at + 0.5 * step).max(now))
            } else {
                end.max((at + 0.5 * step).min(now))
            };
            for (exponents, rate) in [(&mut self.all.1, rates.0), (&mut self.classes[class].1, rates.1)] {
                exponents[level] = (exponents[level] + (end - now) * rate / both).clamp(-6.0, 6.0);
            }
        }
        if started {
            self.all.0 += 1;
            self.classes[class].0 += 1;
        }
        missed
    }
}

fn heard(input: &mut Input) -> i32 {
    if input.rarely() { input.int(64) } else { input.below(32) as i32 }
}

impl Subject for Starts {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Starts, Block)> {
        let mut block = Block::new(SUREFILL_START_CALIBRATION_SIZE, input.below(2) == 0);
        let mut made = null_mut();
        let status =
            unsafe { surefill_start_calibration_init(block.pointer(), block.length() - 8, &mut made) };
        assert!(status == SUREFILL_ERROR_TOO_SMALL && made.is_null());
        let status = unsafe { surefill_start_calibration_init(block.pointer(), block.length(), &mut made) };
        assert!(status == SUREFILL_OK && made.cast() == block.pointer());
        Some((Starts { all: Default::default(), classes: Default::default(), longest: 0 }, block))
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_start_calibration_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_start_calibration_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let call = match input.below(8) {
            0 | 1 => Call::Told(Forecast::any(input)),
            2 | 3 => Call::Overdue(Forecast::any(input), input.seconds(), heard(input)),
            4 => Call::Starts,
            _ => Call::Learn(Forecast::any(input), input.seconds(), heard(input)),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let calibration: *mut surefill_start_calibration = handle.cast();
        let (mut told, mut missed, mut starts) = (vec![MARK as i64; 5], MARK_INT, MARK as i64);
        let status = unsafe {
            match call {
                Call::Told(Forecast { age, levels, count, .. }) => {
                    let to = output.to(told.as_mut_ptr());
                    surefill_start_calibration_told(calibration, *age, levels.as_ptr(), *count, to)
                }
                Call::Learn(Forecast { age, levels, told, count }, waited, heard) => {
                    let (from, told) = (levels.as_ptr(), told.as_ptr());
                    surefill_start_calibration_learn(calibration, *age, from, told, *count, *waited, *heard)
                }
                Call::Overdue(Forecast { age, levels, told, count }, waited, heard) => {
                    let (from, told, mut given) = (levels.as_ptr(), told.as_ptr(), *heard);
                    let to = output.to(&raw mut given);
                    let status = surefill_start_calibration_overdue(
                        calibration,
                        *age,
                        from,
                        told,
                        *count,
                        *waited,
                        to,
                    );
                    assert!(status == SUREFILL_OK || given == *heard);
                    missed = if status == SUREFILL_OK { given } else { MARK_INT };
                    status
                }
                Call::Starts => surefill_start_calibration_starts(calibration, output.to(&raw mut starts)),
            }
        };
        outcome(status, &[&told, &missed, &starts])
    }

    fn expected(&self, call: &Call) -> Expected {
        let sound = match call {
            Call::Told(forecast) => forecast.sound(),
            Call::Learn(forecast, waited, heard) | Call::Overdue(forecast, waited, heard) => {
                forecast.sound_with_told() && span(*waited) && (0..32).contains(heard)
            }
            Call::Starts => true,
        };
        Expected::Status(if sound { SUREFILL_OK } else { SUREFILL_ERROR_OUT_OF_RANGE })
    }

    fn done(&mut self, call: &Call, outputs: &[u64], _handle: *mut c_void, _length: i64) {
        match call {
            Call::Told(forecast) => {
                let told: Vec<i64> = outputs[..5].iter().map(|&seconds| seconds as i64).collect();
                assert!(told.is_sorted() && told.iter().all(|&seconds| span(seconds)), "{told:?}");
                let expected = self.told(forecast);
                let near = |(a, b): (&i64, &i64)| a.abs_diff(*b) <= 1 + (*b as u64 >> 30);
                assert!(told.iter().zip(&expected).all(near), "{told:?}, not {expected:?}");
            }
            Call::Learn(forecast, waited, heard) => {
                self.hear(forecast, *waited, *heard, true);
            }
            Call::Overdue(forecast, waited, heard) => {
                let expected = self.hear(forecast, *waited, *heard, false);
                let missed = outputs[5] as i32;
                assert!(missed & heard == *heard && (0..32).contains(&missed));
                assert!(missed == expected, "{missed}, not {expected}");
            }
            Call::Starts => assert_eq!(outputs[6], self.all.0),
        }
    }
}
