//! The calibration of delays: outcomes are found again by the definition, and added up.

use crate::input::Input;
use crate::object::{Block, Expected, MARK, MARK_REAL, Outcome, Pointer, Subject, outcome};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use surefill::capi::*;

/// A backfill whose outcome is open.
#[derive(Debug, Clone)]
struct Pending {
    unit: usize,
    job: i64,
    now: i64,
    processors: i64,
    missing: i64,
    predicted: f64,
    told: f64,
    /// Processors that became free, and when those that the head job lacked were.
    released: i64,
    undisturbed: Option<i64>,
}

/// Known outcomes: how many, and what was predicted, told and observed, added up.
type Totals = (i64, [f64; 3]);

#[derive(Clone)]
pub struct Delays {
    capacity: usize,
    pending: Vec<Pending>,
    totals: [Totals; 2],
}

#[derive(Debug)]
pub enum Call {
    /// Asks about two predictions, the smaller one first.
    Told(i32, f64, f64),
    Rule(Box<surefill_rule>),
    Accepted(i32, i64, i64, i32, i32, f64),
    Ended(i64, i64, i64, i32),
    Totals(i32),
}

const RULE: usize = size_of::<surefill_rule>() / 8;

/// The first word of a structure, with this size in it.
fn saying(size: usize, word: i64) -> i64 {
    word & !0xffff_ffff | size as i64
}

fn unit(criterion: i32) -> usize {
    usize::from(criterion == SUREFILL_CRITERION_SECONDS || criterion == SUREFILL_CRITERION_RELATIVE)
}

fn criterion(input: &mut Input) -> i32 {
    input.int(3)
}

fn predicted(input: &mut Input, criterion: i32) -> f64 {
    if input.rarely() {
        return input.wild_real();
    }
    match (unit(criterion), input.below(4)) {
        (0, 0) => f64::from(input.below(4) as u8) * 1e-6,
        (0, _) => f64::from(input.below(101) as u8) / 100.0,
        _ => input.real(),
    }
}

/// What is wrong with predictions under a criterion.
fn checked(criterion: i32, predicted: &[f64]) -> Result<(), i32> {
    let most = if unit(criterion) == 0 { 1.0 + 1e-9 } else { SUREFILL_MAX_SECONDS as f64 };
    if !(0..=3).contains(&criterion) {
        Err(SUREFILL_ERROR_OUT_OF_RANGE)
    } else if let Some(wrong) = predicted.iter().find(|delay| !(0.0..=most).contains(*delay)) {
        Err(if wrong.is_nan() { SUREFILL_ERROR_NOT_A_NUMBER } else { SUREFILL_ERROR_OUT_OF_RANGE })
    } else {
        Ok(())
    }
}

fn time(time: i64) -> Result<(), i32> {
    if time.unsigned_abs() > 1 << 53 { Err(SUREFILL_ERROR_OUT_OF_RANGE) } else { Ok(()) }
}

fn positive(number: i32) -> Result<(), i32> {
    if number > 0 { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) }
}

impl Delays {
    fn ended(&mut self, job: i64, started: i64, now: i64, processors: i64) {
        let own = self.pending.iter().position(|pending| pending.job == job && pending.now == started);
        let mut open = Vec::new();
        for (index, mut pending) in std::mem::take(&mut self.pending).into_iter().enumerate() {
            let mut delay = None;
            if own == Some(index) {
                delay = Some(pending.undisturbed.map_or(0, |undisturbed| now - undisturbed));
            } else if started < pending.now || started == pending.now && own.is_none_or(|own| own < index) {
                pending.released += processors;
                if pending.released >= pending.missing {
                    pending.undisturbed.get_or_insert(now);
                }
                if pending.released >= pending.missing + pending.processors {
                    delay = pending.undisturbed.map(|undisturbed| now - undisturbed);
                }
            }
            let Some(delay) = delay else {
                open.push(pending);
                continue;
            };
            let delay = delay.clamp(0, SUREFILL_MAX_SECONDS);
            let observed = if pending.unit == 0 { f64::from(u8::from(delay > 0)) } else { delay as f64 };
            let (known, sums) = &mut self.totals[pending.unit];
            *known += 1;
            for (sum, of) in sums.iter_mut().zip([pending.predicted, pending.told, observed]) {
                *sum += of;
            }
        }
        self.pending = open;
    }
}

impl Subject for Delays {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Delays, Block)> {
        let mut capacity = MaybeUninit::uninit();
        assert_eq!(
            unsafe {
                surefill_delay_calibration_capacity_init(
                    capacity.as_mut_ptr(),
                    size_of::<surefill_delay_calibration_capacity>() as i64,
                )
            },
            SUREFILL_OK
        );
        let mut capacity = unsafe { capacity.assume_init() };
        capacity.backfills = if input.rarely() { input.int(0).min(1000) } else { 1 + input.below(12) as i32 };
        let (mut size, mut made) = (0, null_mut());
        unsafe {
            if surefill_delay_calibration_size(&capacity, &mut size) != SUREFILL_OK {
                assert!(capacity.backfills < 1 && size == 0);
                return None;
            }
            assert!(size < 64 * i64::from(capacity.backfills) + 1100);
            let mut block = Block::new(size, input.below(2) == 0);
            let refused = surefill_delay_calibration_init(block.pointer(), size - 1, &capacity, &mut made);
            assert_eq!((refused, made), (SUREFILL_ERROR_TOO_SMALL, null_mut()));
            let status = surefill_delay_calibration_init(block.pointer(), size, &capacity, &mut made);
            assert_eq!((status, made.cast()), (SUREFILL_OK, block.pointer()));
            let capacity = capacity.backfills as usize;
            Some((Delays { capacity, pending: Vec::new(), totals: Default::default() }, block))
        }
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_delay_calibration_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_delay_calibration_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let call = match input.below(16) {
            0 | 1 => {
                let criterion = criterion(input);
                let (a, b) = (predicted(input, criterion), predicted(input, criterion));
                Call::Told(criterion, a.min(b), a.max(b))
            }
            2 | 3 => {
                let mut rule = MaybeUninit::uninit();
                assert_eq!(
                    unsafe { surefill_rule_init(rule.as_mut_ptr(), size_of::<surefill_rule>() as i64) },
                    SUREFILL_OK
                );
                let mut rule = unsafe { rule.assume_init() };
                rule.criterion = criterion(input);
                rule.threshold = predicted(input, rule.criterion);
                if input.rarely() {
                    (rule.budget, rule.guard) = (input.wild_real(), input.real());
                }
                Call::Rule(Box::new(rule))
            }
            4 => Call::Totals(criterion(input)),
            5..=9 => {
                let criterion = criterion(input);
                let job = if input.rarely() { input.wild_long() } else { input.below(16) as i64 };
                let now = if input.rarely() { input.wild_long() } else { input.below(32) as i64 };
                let (processors, missing) = (input.int(6), input.int(6));
                Call::Accepted(criterion, job, now, processors, missing, predicted(input, criterion))
            }
            _ => {
                let job = if input.rarely() { input.wild_long() } else { input.below(20) as i64 };
                let started = if input.rarely() { input.wild_long() } else { input.below(32) as i64 };
                Call::Ended(job, started, started.saturating_add(input.seconds()), input.int(6))
            }
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let delays: *mut surefill_delay_calibration = handle.cast();
        let (mut known, mut first, mut second, mut third) = (MARK as i64, MARK_REAL, MARK_REAL, MARK_REAL);
        let mut made = vec![MARK as i64; RULE];
        made[0] = saying(8 * RULE, made[0]);
        let status = unsafe {
            match call {
                Call::Told(criterion, low, high) => {
                    let (to, mut larger) = (output.to(&raw mut first), MARK_REAL);
                    // Both or neither: what is asked first must not stay behind.
                    match surefill_delay_calibration_told(delays, *criterion, *high, &mut larger) {
                        SUREFILL_OK => match surefill_delay_calibration_told(delays, *criterion, *low, to) {
                            SUREFILL_OK => {
                                second = larger;
                                SUREFILL_OK
                            }
                            refused => refused,
                        },
                        refused => refused,
                    }
                }
                Call::Rule(rule) => {
                    surefill_delay_calibration_rule(delays, &**rule, output.to(made.as_mut_ptr().cast()))
                }
                Call::Accepted(criterion, job, now, processors, missing, predicted) => {
                    let to = output.to(&raw mut first);
                    surefill_delay_calibration_accepted(
                        delays,
                        *criterion,
                        *job,
                        *now,
                        *processors,
                        *missing,
                        *predicted,
                        to,
                    )
                }
                Call::Ended(job, started, now, processors) => {
                    surefill_delay_calibration_ended(delays, *job, *started, *now, *processors)
                }
                Call::Totals(criterion) => {
                    let to = output.to(&raw mut known);
                    surefill_delay_calibration_totals(
                        delays,
                        *criterion,
                        to,
                        &mut first,
                        &mut second,
                        &mut third,
                    )
                }
            }
        };
        if status != SUREFILL_OK || !matches!(call, Call::Rule(_)) {
            made[0] = saying(MARK as u32 as usize, made[0]);
        }
        outcome(status, &[&known, &first, &second, &third, &made])
    }

    fn expected(&self, call: &Call) -> Expected {
        let result = match call {
            Call::Told(criterion, low, high) => checked(*criterion, &[*high, *low]),
            Call::Rule(rule) if !(0..=3).contains(&rule.criterion) => Err(SUREFILL_ERROR_OUT_OF_RANGE),
            Call::Rule(rule) => {
                let numbers = [rule.threshold, rule.budget, rule.slip, rule.guard];
                if numbers.iter().any(|number| number.is_nan()) {
                    Err(SUREFILL_ERROR_NOT_A_NUMBER)
                } else if numbers.iter().any(|&number| number < 0.0) {
                    Err(SUREFILL_ERROR_OUT_OF_RANGE)
                } else {
                    Ok(())
                }
            }
            Call::Accepted(criterion, _, now, processors, missing, predicted) => time(*now)
                .and(positive(*processors))
                .and(positive(*missing))
                .and(if (0..=3).contains(criterion) { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) })
                .and(checked(*criterion, &[*predicted])),
            Call::Ended(_, started, now, processors) => time(*started)
                .and(time(*now))
                .and(positive(*processors))
                .and(if now < started { Err(SUREFILL_ERROR_TIME_WENT_BACK) } else { Ok(()) }),
            Call::Totals(criterion) => checked(*criterion, &[]),
        };
        Expected::Status(result.err().unwrap_or(SUREFILL_OK))
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, _length: i64) {
        let reals = [1, 2, 3].map(|index| f64::from_bits(outputs[index]));
        let [first, second, _] = reals;
        let most = |criterion: i32| if unit(criterion) == 0 { 1.0 } else { SUREFILL_MAX_SECONDS as f64 };
        match call {
            Call::Told(criterion, low, high) => {
                assert!(0.0 <= first && first <= second && second <= most(*criterion), "{first} {second}");
                if self.totals[unit(*criterion)].0 == 0 {
                    assert_eq!((first, second), (low.min(most(*criterion)), high.min(most(*criterion))));
                }
            }
            Call::Rule(given) => {
                let made = unsafe { outputs[4..].as_ptr().cast::<surefill_rule>().read() };
                let same = |rule: &surefill_rule| (rule.criterion, rule.budget, rule.slip, rule.guard);
                assert_eq!(same(&made), same(given));
                let factor = made.threshold / given.threshold;
                let stays = given.threshold == 0.0 || given.threshold.is_infinite();
                // A part of the smallest numbers is rounded to nothing, or to the whole.
                let tiny = given.threshold < 1e-300;
                let within = (0.0624..16.1).contains(&factor) || tiny;
                assert!(if stays { made.threshold == given.threshold } else { within }, "{factor}");
                if within
                    && !stays
                    && !tiny
                    && given.criterion != SUREFILL_CRITERION_RELATIVE
                    && factor > 0.07
                {
                    let (mut told, below) = (MARK_REAL, made.threshold * (1.0 - 1e-9));
                    let delays: *mut surefill_delay_calibration = handle.cast();
                    let status =
                        unsafe { surefill_delay_calibration_told(delays, given.criterion, below, &mut told) };
                    // A threshold above every prediction needs no prediction that stands for it.
                    assert!(status != SUREFILL_OK || told < given.threshold, "{told} {given:?}");
                }
            }
            Call::Accepted(criterion, job, now, processors, missing, predicted) => {
                assert!((0.0..=most(*criterion)).contains(&first));
                if self.pending.len() == self.capacity {
                    self.pending.remove(0);
                }
                self.pending.push(Pending {
                    unit: unit(*criterion),
                    job: *job,
                    now: *now,
                    processors: i64::from(*processors),
                    missing: i64::from(*missing),
                    predicted: *predicted,
                    told: first,
                    released: 0,
                    undisturbed: None,
                });
            }
            Call::Ended(job, started, now, processors) => {
                self.ended(*job, *started, *now, i64::from(*processors));
            }
            Call::Totals(criterion) => {
                assert_eq!((outputs[0] as i64, reals), self.totals[unit(*criterion)]);
            }
        }
    }
}
