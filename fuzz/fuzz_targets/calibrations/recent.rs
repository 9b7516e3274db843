//! Recent waits, and what presets make of them: the waits are kept here too, and sorted for each question.

use crate::belief::Belief;
use crate::input::Input;
use crate::object::{Block, Expected, MARK, MARK_REAL, Outcome, Pointer, Subject, outcome};
use crate::preset::Preset;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use surefill::capi::*;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

#[derive(Clone)]
pub struct Recent {
    capacity: usize,
    waits: VecDeque<i64>,
}

/// A waiting job as its values see it.
#[derive(Debug)]
pub struct Job {
    belief: Belief,
    limit: i64,
    processors: i32,
    waited: i64,
}

/// Calls with a preset say whether they get the waits, else NULL.
#[derive(Debug)]
pub enum Call {
    Add(i64),
    Rule(Preset, bool),
    Forecast(Preset, bool),
    QueueValue(Preset, bool, Job),
    CandidateValue(Preset, Job),
    Size(Preset),
}

const RULE: usize = size_of::<surefill_rule>() / 8;
const OPTIONS: usize = size_of::<surefill_forecast_options>() / 8;

/// The first word of a structure, with this size in it.
fn saying(size: usize, word: i64) -> i64 {
    word & !0xffff_ffff | size as i64
}

fn span(seconds: i64) -> bool {
    (0..=SUREFILL_MAX_SECONDS).contains(&seconds)
}

impl Job {
    fn any(input: &mut Input) -> Job {
        let processors = input.int(100);
        Job { belief: Belief::any(input), limit: input.seconds(), processors, waited: input.seconds() }
    }

    fn expected(&self) -> i32 {
        let sound = span(self.limit) && span(self.waited) && self.processors > 0;
        if sound { SUREFILL_OK } else { SUREFILL_ERROR_OUT_OF_RANGE }
    }

    /// The value by these powers, and a job that waits for longer than this.
    fn value(&self, powers: [f64; 4], front: f64) -> f64 {
        if self.waited as f64 > front {
            return -(self.waited as f64);
        }
        let median = runtime(&self.belief).quantile_cut(0.5, 0, self.limit).expect("a limit in range");
        let [run_time, processors, unit, age] = powers;
        let size = (median.max(10) as f64).powf(run_time) * f64::from(self.processors).powf(processors);
        size / (1.0 + self.waited as f64 / unit).powf(age)
    }
}

/// The same in Rust; counts of nothing are as nothing known.
fn runtime(belief: &Belief) -> RuntimeDistribution {
    match belief {
        Belief::Nothing => RuntimeDistribution::limit(),
        Belief::Single(seconds) => RuntimeDistribution::single(*seconds).expect("seconds in range"),
        Belief::Counts(ratio, counts) => {
            let bins = RuntimeBins::new(10.0, *ratio, counts.len()).expect("bins");
            RuntimeDistribution::from_counts(&bins, counts).expect("as many counts")
        }
    }
}

impl Recent {
    fn quantile(&self, quantile: f64, least: f64) -> f64 {
        let mut sorted: Vec<i64> = self.waits.iter().copied().collect();
        sorted.sort_unstable();
        let rank = (quantile * sorted.len() as f64).ceil().max(1.0) as usize;
        sorted.get(rank - 1).map_or(f64::INFINITY, |&wait| (wait as f64).max(least))
    }

    fn long_wait(&self, preset: &surefill_preset, told: bool, quantile: f64) -> f64 {
        if told && quantile < 1.0 {
            self.quantile(quantile, preset.shortest_long_wait)
        } else {
            f64::INFINITY
        }
    }
}

#[track_caller]
fn near(bits: u64, expected: f64) {
    let found = f64::from_bits(bits);
    assert!(found == expected || (found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
}

impl Subject for Recent {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Recent, Block)> {
        let preset = Preset::any(input);
        let (mut size, mut made) = (MARK as i64, null_mut());
        let status = unsafe { surefill_recent_waits_size(preset.pointer(), &mut size) };
        if status != SUREFILL_OK {
            assert!(!preset.sound() && size == MARK as i64);
            let mut block = Block::new(1 << 16, false);
            let (memory, length) = (block.pointer(), block.length());
            let refused = unsafe { surefill_recent_waits_init(memory, length, preset.pointer(), &mut made) };
            assert!(refused == status && made.is_null());
            return None;
        }
        let mut block = Block::new(size, input.below(2) == 0);
        let refused =
            unsafe { surefill_recent_waits_init(block.pointer(), size - 1, preset.pointer(), &mut made) };
        assert!(refused == SUREFILL_ERROR_TOO_SMALL && made.is_null());
        let status =
            unsafe { surefill_recent_waits_init(block.pointer(), size, preset.pointer(), &mut made) };
        assert!(status == SUREFILL_OK && made.cast() == block.pointer());
        // A preset cut short has the default.
        let known = preset.values.struct_size >= 68;
        let capacity = if known { preset.values.recent_waits as usize } else { 5000 };
        Some((Recent { capacity, waits: VecDeque::new() }, block))
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_recent_waits_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_recent_waits_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let told = input.below(8) != 0;
        let call = match input.below(16) {
            0..=3 => Call::Rule(Preset::any(input), told),
            4 => Call::Forecast(Preset::any(input), told),
            5 | 6 => Call::QueueValue(Preset::any(input), told, Job::any(input)),
            7 => Call::CandidateValue(Preset::any(input), Job::any(input)),
            8 => Call::Size(Preset::any(input)),
            _ => Call::Add(input.seconds()),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let recent: *mut surefill_recent_waits = handle.cast();
        let (mut value, mut size) = (MARK_REAL, MARK as i64);
        let (mut rule, mut options) = (vec![MARK as i64; RULE], vec![MARK as i64; OPTIONS]);
        rule[0] = saying(8 * RULE, rule[0]);
        options[0] = saying(8 * OPTIONS, options[0]);
        let told = |told: bool| if told { recent.cast_const() } else { null() };
        let status = unsafe {
            match call {
                Call::Add(waited) => surefill_recent_waits_add(recent, *waited),
                Call::Rule(preset, all) => {
                    surefill_preset_rule(preset.pointer(), told(*all), output.to(rule.as_mut_ptr().cast()))
                }
                Call::Forecast(preset, all) => {
                    let to = output.to(options.as_mut_ptr().cast());
                    surefill_preset_forecast(preset.pointer(), told(*all), to)
                }
                Call::QueueValue(preset, all, Job { belief, limit, processors, waited }) => {
                    let to = output.to(&raw mut value);
                    belief.with(|belief| {
                        let (preset, waits) = (preset.pointer(), told(*all));
                        surefill_preset_queue_value(preset, waits, belief, *limit, *processors, *waited, to)
                    })
                }
                Call::CandidateValue(preset, Job { belief, limit, processors, waited }) => {
                    let (preset, to) = (preset.pointer(), output.to(&raw mut value));
                    belief.with(|belief| {
                        surefill_preset_candidate_value(preset, belief, *limit, *processors, *waited, to)
                    })
                }
                Call::Size(preset) => surefill_recent_waits_size(preset.pointer(), output.to(&raw mut size)),
            }
        };
        if status != SUREFILL_OK || !matches!(call, Call::Rule(..)) {
            rule[0] = saying(MARK as u32 as usize, rule[0]);
        }
        if status != SUREFILL_OK || !matches!(call, Call::Forecast(..)) {
            options[0] = saying(MARK as u32 as usize, options[0]);
        }
        outcome(status, &[&value, &size, &rule, &options])
    }

    fn needs(&self, call: &Call, null: bool) -> bool {
        match call {
            Call::Add(_) => true,
            // With NULL for waits no wait is long; a guard that always holds needs none.
            Call::Rule(preset, told) => {
                preset.sound() && *told && !null && preset.values.guard_quantile != 0.0
            }
            Call::Forecast(_, told) | Call::QueueValue(_, told, _) => *told && !null,
            Call::CandidateValue(..) | Call::Size(_) => false,
        }
    }

    fn expected(&self, call: &Call) -> Expected {
        let sound = |sound: bool| if sound { SUREFILL_OK } else { SUREFILL_ERROR_OUT_OF_RANGE };
        match call {
            Call::Add(waited) => Expected::Status(sound(span(*waited))),
            Call::Rule(preset, _) | Call::Forecast(preset, _) | Call::Size(preset) => {
                preset.expected(SUREFILL_OK)
            }
            Call::QueueValue(preset, _, job) | Call::CandidateValue(preset, job) => {
                preset.expected(job.expected())
            }
        }
    }

    fn done(&mut self, call: &Call, outputs: &[u64], _handle: *mut c_void, _length: i64) {
        let (rule, options) = outputs[2..].split_at(RULE);
        match call {
            Call::Add(waited) => {
                self.waits.push_back(*waited);
                if self.waits.len() > self.capacity {
                    self.waits.pop_front();
                }
            }
            Call::Size(preset) if preset.sound() => {
                assert!(outputs[1] as i64 <= 46 * i64::from(preset.values.recent_waits) + 3000);
            }
            Call::Rule(preset, told) if preset.sound() => {
                let values = &preset.values;
                let numbers: Vec<f64> = rule[1..5].iter().map(|&bits| f64::from_bits(bits)).collect();
                let guard = match values.guard_quantile {
                    0.0 => 0.0,
                    quantile => self.long_wait(values, *told, quantile),
                };
                assert_eq!(numbers, [values.threshold, values.budget, values.slip, guard]);
                let rule: surefill_rule = unsafe { rule.as_ptr().cast::<surefill_rule>().read() };
                assert_eq!((rule.criterion, rule.or_easy), (values.criterion, values.or_easy));
            }
            Call::Forecast(preset, told) if preset.sound() => {
                let values = &preset.values;
                let options = unsafe { options.as_ptr().cast::<surefill_forecast_options>().read() };
                assert_eq!(options.front, self.long_wait(values, *told, values.front_quantile));
                assert_eq!(
                    [options.queue_run_time, options.queue_age, options.candidate_processors],
                    [values.queue_run_time, values.queue_age, values.candidate_processors]
                );
            }
            Call::QueueValue(preset, told, job) if preset.sound() => {
                let values = &preset.values;
                let powers =
                    [values.queue_run_time, values.queue_processors, values.queue_age_unit, values.queue_age];
                near(outputs[0], job.value(powers, self.long_wait(values, *told, values.front_quantile)));
            }
            Call::CandidateValue(preset, job) if preset.sound() => {
                let values = &preset.values;
                let (unit, age) = (values.candidate_age_unit, values.candidate_age);
                let powers = [values.candidate_run_time, values.candidate_processors, unit, age];
                near(outputs[0], job.value(powers, f64::INFINITY));
            }
            _ => {}
        }
    }
}
