//! The predictor of waits, through Rust: its jobs, its clock and how many waits it has seen are modelled.

use crate::input::Input;
use crate::object::{Bits, Block, Expected, MARK, MARK_REAL, Outcome, Pointer, Subject, outcome, status};
use crate::online::bytes;
use std::collections::HashMap;
use std::ffi::c_void;
use surefill::capi::*;
use surefill::wait::{
    ADAPT, Attribute, Features, WaitAnswer, WaitLimits, WaitMethod, WaitOptions, WaitPredictor,
};

#[derive(Clone)]
pub struct Waits {
    limits: WaitLimits,
    /// When the waiting jobs were submitted.
    jobs: HashMap<i64, i64>,
    now: Option<i64>,
    /// Waits seen, remembered or not.
    seen: u64,
}

#[derive(Debug)]
pub enum Call {
    Submitted(i64, i64, Features),
    Started(i64, i64),
    Cancelled(i64, i64),
    Known(i64, Features),
    Predict(Features, f64, f64, i64),
    Lower(Features, f64, f64, i64),
    TwoSided(Features, f64, f64, i64),
    Waiting(i64, f64, f64, i64),
    StartProbability(Features, i64, i64, f64),
    MayBeDown(i64),
    Told,
}

fn features(input: &mut Input) -> Features {
    let processors = if input.rarely() { input.wild_long() as u32 } else { input.below(20) as u32 };
    Features { requested: input.seconds(), processors }
}

fn valid(features: &Features) -> bool {
    (0..=SUREFILL_MAX_SECONDS).contains(&features.requested)
}

/// What is asked for as a rule, which has answers kept.
const USUAL: [f64; 4] = [0.5, 0.75, 0.9, 0.95];

fn question(input: &mut Input) -> f64 {
    match input.below(8) {
        0 if input.rarely() => input.wild_real(),
        0 | 1 => input.probability(),
        _ => USUAL[input.below(4)],
    }
}

/// What is wrong with probabilities that must lie between 0 and 1, in their order.
fn probabilities(given: &[f64]) -> Result<(), i32> {
    given.iter().try_for_each(|p| match p {
        p if p.is_nan() => Err(SUREFILL_ERROR_NOT_A_NUMBER),
        p if *p > 0.0 && *p < 1.0 => Ok(()),
        _ => Err(SUREFILL_ERROR_OUT_OF_RANGE),
    })
}

impl Bits for WaitAnswer {
    fn bits(&self, to: &mut Vec<u64>) {
        to.push(match self {
            WaitAnswer::Bound(bound) => *bound as u64,
            WaitAnswer::TooLittleHistory => -1i64 as u64,
            WaitAnswer::MayBeDown => -2i64 as u64,
        });
    }
}

/// An answer that has not been given.
const UNANSWERED: WaitAnswer = WaitAnswer::Bound(MARK as i64);

impl Waits {
    fn time(&self, now: i64) -> Result<(), i32> {
        match self.now {
            _ if now.unsigned_abs() > 1 << 53 => Err(SUREFILL_ERROR_OUT_OF_RANGE),
            Some(before) if now < before => Err(SUREFILL_ERROR_TIME_WENT_BACK),
            _ => Ok(()),
        }
    }

    fn now(&self, input: &mut Input) -> i64 {
        if input.rarely() {
            return input.wild_long();
        }
        let now = self.now.unwrap_or(0);
        match input.below(8) {
            0 => now.saturating_sub(input.seconds()),
            1 | 2 => now,
            3 | 4 => now.saturating_add(input.below(32) as i64),
            _ => now.saturating_add(input.seconds()),
        }
    }

    fn known(&self, job: i64) -> Result<(), i32> {
        if self.jobs.contains_key(&job) { Ok(()) } else { Err(SUREFILL_ERROR_UNKNOWN_JOB) }
    }
}

impl Subject for Waits {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Waits, Block)> {
        let small =
            |input: &mut Input, most: u8| if input.below(4) == 0 { 1 } else { 1 + input.below(most) as u32 };
        let mut limits = WaitLimits {
            history: small(input, 100),
            queued: small(input, 12),
            releases: small(input, 40) - 1,
            clusters: small(input, 16),
        };
        if input.rarely() {
            match input.below(4) {
                0 => limits.history = 0,
                1 => limits.queued = 0,
                2 => limits.releases = u32::MAX,
                _ => limits.clusters = input.below(20) as u32,
            }
        }
        let methods =
            [WaitMethod::Binomial, WaitMethod::LogNormal, WaitMethod::LogUniform, WaitMethod::Weibull];
        let mut options = WaitOptions {
            quantile: USUAL[input.below(4)],
            confidence: USUAL[input.below(4)],
            method: methods[input.below(4)],
            attribute: Attribute::from_number(input.below(3) as u32).unwrap(),
            components: input.below(2 * ADAPT as u8) as u32,
            recluster_every: 1 + input.below(30) as u32,
            down_quantile: if input.below(2) == 0 { 0.95 } else { 0.5 },
            rate: f64::from(input.below(101) as u8) / 100.0,
        };
        if input.rarely() {
            match input.below(5) {
                0 => options.quantile = input.wild_real(),
                1 => options.confidence = input.wild_real(),
                2 => options.rate = input.wild_real(),
                3 => options.down_quantile = input.wild_real(),
                _ => (options.components, options.recluster_every) = (99, 0),
            }
        }
        let Ok(size) = WaitPredictor::size(&limits) else {
            assert!(WaitPredictor::init(&mut [], &limits, &options).is_err());
            return None;
        };
        let mut block = Block::new(size as i64, input.below(2) == 0);
        // SAFETY: it is as long as that.
        let memory = unsafe { bytes(block.pointer(), size as i64).unwrap() };
        WaitPredictor::init(memory, &limits, &options).ok()?;
        Some((Waits { limits, jobs: HashMap::new(), now: None, seen: 0 }, block))
    }

    fn seal(handle: *mut c_void, length: i64) -> i32 {
        status((|| WaitPredictor::seal(unsafe { bytes(handle, length)? }))())
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let status = status((|| WaitPredictor::open(unsafe { bytes(memory, length)? }).map(drop))());
        (status, if status == SUREFILL_OK { memory } else { std::ptr::null_mut() })
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let job = if input.rarely() { input.wild_long() } else { input.below(16) as i64 };
        let call = match input.below(32) {
            0..=6 => Call::Submitted(job, self.now(input), features(input)),
            7..=13 => Call::Started(job, self.now(input)),
            14 => Call::Cancelled(job, self.now(input)),
            15..=22 => Call::Known(input.seconds(), features(input)),
            23 | 24 => Call::Predict(features(input), question(input), question(input), self.now(input)),
            25 => Call::Lower(features(input), question(input), question(input), self.now(input)),
            26 => Call::TwoSided(features(input), question(input), question(input), self.now(input)),
            27 | 28 => Call::Waiting(job, question(input), question(input), self.now(input)),
            29 => Call::StartProbability(features(input), input.seconds(), input.seconds(), question(input)),
            30 => Call::MayBeDown(self.now(input)),
            _ => Call::Told,
        };
        (call, Pointer::Right)
    }

    fn perform(&self, handle: *mut c_void, length: i64, call: &Call, _output: Pointer) -> Outcome {
        let attach = || WaitPredictor::attach(unsafe { bytes(handle, length)? });
        let (mut low, mut high) = (UNANSWERED, UNANSWERED);
        let (mut number, mut observed, mut at_least) = (MARK as i64, MARK_REAL, MARK_REAL);
        let mut clusters = Vec::new();
        let result = (|| {
            let mut waits = attach()?;
            match *call {
                Call::Submitted(job, now, ref features) => high = waits.submitted(job, now, features)?,
                Call::Started(job, now) => number = waits.started(job, now)?,
                Call::Cancelled(job, now) => waits.cancelled(job, now)?,
                Call::Known(wait, ref features) => waits.known(wait, features)?,
                Call::Predict(ref features, quantile, confidence, now) => {
                    high = waits.predict(features, quantile, confidence, now)?;
                }
                Call::Lower(ref features, quantile, confidence, now) => {
                    low = waits.predict_lower(features, quantile, confidence, now)?;
                }
                Call::TwoSided(ref features, quantile, confidence, now) => {
                    (low, high) = waits.predict_two_sided(features, quantile, confidence, now)?;
                }
                Call::Waiting(job, quantile, confidence, now) => {
                    high = waits.predict_waiting(job, quantile, confidence, now)?;
                }
                Call::StartProbability(ref features, age, within, confidence) => {
                    let found = waits.start_probability(features, age, within, confidence)?;
                    (observed, at_least, number) = (found.observed, found.at_least, found.waits as i64);
                }
                Call::MayBeDown(now) => number = waits.may_be_down(now)?.into(),
                Call::Told => {
                    clusters =
                        waits.clusters().flat_map(|c| [c.from, c.to, c.waits]).map(|n| n as i64).collect();
                    number = waits.smallest_history() as i64;
                    (observed, at_least) = waits.explained();
                    waits.remembered();
                    waits.queued();
                }
            }
            Ok(())
        })();
        outcome(status(result), &[&low, &high, &number, &observed, &at_least, &clusters])
    }

    fn expected(&self, call: &Call) -> Expected {
        let features = |given| if valid(given) { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) };
        let span = |seconds| if seconds >= 0 { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) };
        let result = match *call {
            Call::Submitted(job, now, ref given) => self.time(now).and(features(given)).and({
                if self.jobs.contains_key(&job) {
                    Err(SUREFILL_ERROR_DUPLICATE_JOB)
                } else if self.jobs.len() as u32 == self.limits.queued {
                    Err(SUREFILL_ERROR_FULL)
                } else {
                    Ok(())
                }
            }),
            Call::Started(job, now) | Call::Cancelled(job, now) => self.time(now).and(self.known(job)),
            Call::Known(wait, ref given) => {
                features(given).and(span(wait)).and(span(SUREFILL_MAX_SECONDS.saturating_sub(wait)))
            }
            Call::Predict(ref given, quantile, confidence, now)
            | Call::Lower(ref given, quantile, confidence, now)
            | Call::TwoSided(ref given, quantile, confidence, now) => {
                probabilities(&[quantile, confidence]).and(features(given)).and(self.time(now))
            }
            Call::Waiting(job, quantile, confidence, now) => {
                probabilities(&[quantile, confidence]).and(self.time(now)).and(self.known(job))
            }
            Call::StartProbability(ref given, age, within, confidence) => {
                probabilities(&[confidence]).and(features(given)).and(span(age)).and(span(within))
            }
            Call::MayBeDown(now) => self.time(now),
            Call::Told => Ok(()),
        };
        Expected::Status(result.err().unwrap_or(SUREFILL_OK))
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, length: i64) {
        let (low, high, number) = (outputs[0] as i64, outputs[1] as i64, outputs[2] as i64);
        let (observed, at_least) = (f64::from_bits(outputs[3]), f64::from_bits(outputs[4]));
        match *call {
            Call::Submitted(job, now, _) => {
                self.jobs.insert(job, now);
                self.now = Some(now);
                assert!(high >= -2 && high != MARK as i64);
            }
            Call::Started(job, now) => {
                let submitted = self.jobs.remove(&job).unwrap();
                self.now = Some(now);
                self.seen += 1;
                assert_eq!(number, (now - submitted).clamp(0, SUREFILL_MAX_SECONDS));
            }
            Call::Cancelled(job, now) => {
                self.jobs.remove(&job);
                self.now = Some(now);
            }
            Call::Known(..) => self.seen += 1,
            Call::Predict(..) => assert!(high >= -2 && high != MARK as i64),
            Call::Waiting(..) => assert!(high >= -2 && high != MARK as i64),
            Call::Lower(..) => assert!((-2..=SUREFILL_MAX_SECONDS).contains(&low)),
            Call::TwoSided(..) => assert!(-2 <= low && low <= high && high <= SUREFILL_MAX_SECONDS),
            Call::StartProbability(_, _, _, confidence) => {
                // Less than even confidence gives a "lower" bound above the share that was seen.
                let in_order = 0.0 <= at_least
                    && at_least <= if confidence < 0.5 { 1.0 } else { observed + 1e-9 }
                    && observed <= 1.0;
                assert!(in_order && number as u64 <= self.seen, "{at_least} {observed} {number}");
            }
            Call::MayBeDown(_) => assert!(number == 0 || number == 1),
            Call::Told => {
                let clusters = &outputs[5..];
                assert!(clusters.len() >= 3 && clusters[0] == 0 && clusters[clusters.len() - 2] == u64::MAX);
                let waits: u64 = clusters.chunks(3).map(|cluster| cluster[2]).sum();
                assert!(waits <= self.seen.min(self.limits.history.into()), "{clusters:?}");
            }
        }
        let waits = WaitPredictor::attach(unsafe { bytes(handle, length).unwrap() }).unwrap();
        assert_eq!(waits.queued() as usize, self.jobs.len());
        assert!(waits.remembered() <= self.seen.min(self.limits.history.into()));
    }
}
