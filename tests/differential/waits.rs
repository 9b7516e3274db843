//! The predictor of waits: its jobs, its clock and how many waits it has seen are modelled.

use super::input::Input;
use super::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, Outcome, Pointer, Subject, code, counted, initialised, make,
    outcome, worked,
};
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::error::{Error, Result};
use surefill::wait::{
    self, Attribute, Clustering, WaitAnswer, WaitCapacity, WaitMethod, WaitOptions, WaitPredictor,
};

/// The requests of a job.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    requested: i64,
    processors: i32,
}

impl Features {
    fn core(self) -> Result<wait::Features> {
        Ok(wait::Features { requested: self.requested, processors: counted(self.processors)? })
    }
}

#[derive(Clone)]
pub struct Waits {
    capacity: surefill_wait_capacity,
    oldest_seconds: i64,
    clustered: bool,
    /// Jobs that wait, with the times of their submission, which ascend.
    jobs: Vec<(i64, i64)>,
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
    Waiting(i64, f64, f64, i64),
    StartProbability(Features, i64, i64, f64),
    Recluster(i64),
    Clusters(i32),
}

/// The outputs of a call.
struct Outputs {
    answer: i32,
    low: i64,
    high: i64,
    number: i64,
    observed: f64,
    at_least: f64,
    small: i32,
    /// Smallest, largest and number of the waits of each.
    clusters: [Vec<i64>; 3],
}

impl Outputs {
    fn new() -> Outputs {
        let (answer, long, real) = (MARK_INT, MARK as i64, MARK_REAL);
        let clusters = [(); 3].map(|()| vec![long; 20]);
        let (low, high, number) = (long, long, long);
        Outputs { answer, low, high, number, observed: real, at_least: real, small: MARK_INT, clusters }
    }

    fn after(&self, status: i32) -> Outcome {
        let Outputs { answer, low, high, number, observed, at_least, small, clusters } = self;
        outcome(status, &[answer, low, high, number, observed, at_least, small, &clusters.concat()])
    }
}

fn features(input: &mut Input) -> Features {
    let processors = if input.rarely() { input.wild_long() as i32 } else { input.below(20) as i32 };
    Features { requested: input.seconds(), processors }
}

fn valid(features: &Features) -> bool {
    (0..=SUREFILL_MAX_SECONDS).contains(&features.requested)
}

/// Counted before anything else is looked at.
fn countable(features: &Features) -> std::result::Result<(), i32> {
    if features.processors >= 0 { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) }
}

/// The usual quantiles, whose answers are kept.
const USUAL: [f64; 4] = [0.5, 0.75, 0.9, 0.95];

fn question(input: &mut Input) -> f64 {
    match input.below(8) {
        0 if input.rarely() => input.wild_real(),
        0 | 1 => input.probability(),
        _ => USUAL[input.below(4)],
    }
}

/// The error of probabilities that must lie between 0 and 1, in their order.
fn probabilities(given: &[f64]) -> std::result::Result<(), i32> {
    given.iter().try_for_each(|p| match p {
        p if p.is_nan() => Err(SUREFILL_ERROR_NOT_A_NUMBER),
        p if *p > 0.0 && *p < 1.0 => Ok(()),
        _ => Err(SUREFILL_ERROR_OUT_OF_RANGE),
    })
}

/// The same capacities and options in the core.
fn core_of(
    capacity: &surefill_wait_capacity,
    options: &surefill_wait_options,
) -> Result<(WaitCapacity, WaitOptions)> {
    let capacity = WaitCapacity {
        history: counted(capacity.history)?,
        queued: counted(capacity.queued)?,
        releases: counted(capacity.releases)?,
        clusters: counted(capacity.clusters)?,
        neighbours: counted(capacity.neighbours)?,
    };
    let options = WaitOptions {
        quantile: options.quantile,
        confidence: options.confidence,
        components: counted(options.components)?,
        method: WaitMethod::from_number(counted(options.method)?)?,
        attribute: Attribute::from_number(counted(options.attribute)?)?,
        recluster_every: options.recluster_every as u32,
        down_quantile: options.down_quantile,
        rate: options.rate,
        ..WaitOptions::default()
    };
    Ok((capacity, options))
}

impl Waits {
    fn time(&self, now: i64) -> std::result::Result<(), i32> {
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

    fn submitted(&self, job: i64) -> Option<i64> {
        self.jobs.iter().find(|known| known.0 == job).map(|known| known.1)
    }

    /// Whether there is no room for another job at this time: the oldest one makes room once it counts as lost.
    fn full(&self, now: i64) -> bool {
        let lost = now.saturating_sub(self.oldest_seconds);
        self.jobs.len() as i32 == self.capacity.queued
            && self.jobs.first().is_none_or(|oldest| oldest.1 >= lost)
    }

    fn call_core(waits: &mut WaitPredictor, call: &Call, out: &mut Outputs) -> Result<()> {
        let parts = |answer| match answer {
            WaitAnswer::Bound(seconds) => (SUREFILL_ANSWER_BOUND, seconds),
            WaitAnswer::TooLittleHistory => (SUREFILL_ANSWER_TOO_LITTLE_HISTORY, -1),
            WaitAnswer::MayBeDown => (SUREFILL_ANSWER_MAY_BE_DOWN, -1),
            WaitAnswer::Exceeded => (SUREFILL_ANSWER_EXCEEDED, -1),
        };
        match *call {
            Call::Submitted(job, now, asked) => {
                (out.answer, out.high) = parts(waits.submit(job, now, &asked.core()?)?);
            }
            Call::Started(job, now) => out.number = waits.start(job, now)?,
            Call::Cancelled(job, now) => waits.cancel(job, now)?,
            Call::Known(seconds, asked) => waits.known(seconds, &asked.core()?)?,
            Call::Predict(asked, q, c, now) => {
                (out.answer, out.high) = parts(waits.predict(&asked.core()?, q, c, now)?);
            }
            Call::Lower(asked, q, c, now) => {
                (out.answer, out.low) = parts(waits.predict_lower(&asked.core()?, q, c, now)?);
            }
            Call::Waiting(job, q, c, now) => {
                (out.answer, out.high) = parts(waits.predict_waiting(job, q, c, now)?);
            }
            Call::StartProbability(asked, age, within, c) => {
                let found = waits.start_probability(&asked.core()?, age, within, c)?;
                (out.observed, out.at_least, out.number) =
                    (found.observed, found.at_least, found.waits as i64);
            }
            Call::Recluster(work) => {
                out.small = match waits.recluster(worked(work)?)? {
                    Clustering::Idle => SUREFILL_STEP_IDLE,
                    Clustering::More => SUREFILL_STEP_MORE,
                    Clustering::Done => SUREFILL_STEP_DONE,
                };
            }
            Call::Clusters(room) => {
                if waits.clusters().count() > counted(room)? as usize {
                    return Err(Error::Full);
                }
                for (place, cluster) in waits.clusters().enumerate() {
                    let numbers = [cluster.from, cluster.to, cluster.waits];
                    for (row, number) in out.clusters.iter_mut().zip(numbers) {
                        row[place] = i64::try_from(number).unwrap_or(i64::MAX);
                    }
                    out.small = place as i32 + 1;
                }
            }
        }
        Ok(())
    }

    fn known(&self, job: i64) -> std::result::Result<(), i32> {
        if self.submitted(job).is_some() { Ok(()) } else { Err(SUREFILL_ERROR_UNKNOWN_JOB) }
    }
}

impl Subject for Waits {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Waits, Block)> {
        let small =
            |input: &mut Input, most: u8| if input.below(4) == 0 { 1 } else { 1 + input.below(most) as i32 };
        let mut capacity: surefill_wait_capacity = initialised(surefill_wait_capacity_init);
        let mut options: surefill_wait_options = initialised(surefill_wait_options_init);
        capacity.history = small(input, 200);
        capacity.queued = small(input, 12);
        capacity.releases = small(input, 40) - 1;
        capacity.clusters = small(input, 16);
        capacity.neighbours = 1 + small(input, 90);
        if input.rarely() {
            match input.below(4) {
                0 => capacity.history = 0,
                1 => capacity.queued = 0,
                2 => capacity.releases = -1,
                _ => capacity.clusters = input.below(20) as i32,
            }
        }
        options.quantile = USUAL[input.below(4)];
        options.confidence = USUAL[input.below(4)];
        options.method = input.below(4) as i32;
        options.attribute = input.below(4) as i32;
        options.components = input.below(2 * SUREFILL_COMPONENT_VISIBLE as u8) as i32;
        options.recluster_every = 1 + input.below(30) as i64;
        options.down_quantile = if input.below(2) == 0 { 0.95 } else { 0.5 };
        options.rate = f64::from(input.below(101) as u8) / 100.0;
        if input.rarely() {
            match input.below(5) {
                0 => options.quantile = input.wild_real(),
                1 => options.confidence = input.wild_real(),
                2 => options.rate = input.wild_real(),
                3 => options.down_quantile = input.wild_real(),
                _ => (options.components, options.recluster_every) = (99, 0),
            }
        }
        let core = core_of(&capacity, &options);
        let (mut size, mut empty) = (0, [0u64; 1]);
        // SAFETY: nothing is written into a block that is too small.
        unsafe {
            let init = |to, length, out| surefill_wait_init(to, length, &capacity, &options, out);
            let bytes = core.and_then(|(limits, _)| WaitPredictor::size(&limits));
            if surefill_wait_size(&capacity, &mut size) != SUREFILL_OK {
                let status = init(empty.as_mut_ptr().cast(), 8, &mut null_mut());
                assert!(bytes.is_err() && size == 0 && status < 0, "{status}");
                return None;
            }
            if let Ok(bytes) = bytes {
                assert_eq!(size, bytes as i64);
            }
            let mut memory = vec![0u64; size as usize / 8];
            let core = core.and_then(|(limits, options)| {
                WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).map(drop)
            });
            let block = make(input, size, init, core)?.1;
            assert!(block.words() == memory);
            let clustered = capacity.clusters > 1 && options.components & SUREFILL_COMPONENT_CLUSTER != 0;
            let (oldest_seconds, jobs) = (options.oldest_seconds, Vec::new());
            Some((Waits { capacity, clustered, oldest_seconds, jobs, now: None, seen: 0 }, block))
        }
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_wait_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_wait_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let job = if input.rarely() { input.wild_long() } else { input.below(16) as i64 };
        let call = match input.below(32) {
            0..=6 => Call::Submitted(job, self.now(input), features(input)),
            7..=13 => Call::Started(job, self.now(input)),
            14 => Call::Cancelled(job, self.now(input)),
            15..=22 => Call::Known(input.seconds(), features(input)),
            23 | 24 => Call::Predict(features(input), question(input), question(input), self.now(input)),
            25 | 26 => Call::Lower(features(input), question(input), question(input), self.now(input)),
            27 | 28 => Call::Waiting(job, question(input), question(input), self.now(input)),
            29 | 30 => {
                Call::StartProbability(features(input), input.seconds(), input.seconds(), question(input))
            }
            _ if input.below(2) == 0 => {
                Call::Recluster(if input.rarely() { input.wild_long() } else { 1 + input.below(100) as i64 })
            }
            _ => Call::Clusters(if input.rarely() { input.int(20).min(20) } else { SUREFILL_MAX_CLUSTERS }),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let wait: *mut surefill_wait = handle.cast();
        let mut out = Outputs::new();
        let Outputs { answer, low, high, number, observed, at_least, small, clusters } = &mut out;
        let a = output.to(answer);
        // SAFETY: outputs and arrays have the lengths that the calls are given.
        let status = unsafe {
            match *call {
                Call::Submitted(job, now, Features { requested, processors }) => {
                    surefill_wait_submit(wait, job, now, requested, processors, a, high)
                }
                Call::Started(job, now) => surefill_wait_start(wait, job, now, output.to(number)),
                Call::Cancelled(job, now) => surefill_wait_cancel(wait, job, now),
                Call::Known(seconds, Features { requested, processors }) => {
                    surefill_wait_known(wait, seconds, requested, processors)
                }
                Call::Predict(Features { requested, processors }, q, c, now) => {
                    surefill_wait_predict(wait, requested, processors, q, c, now, a, high)
                }
                Call::Lower(Features { requested, processors }, q, c, now) => {
                    surefill_wait_predict_lower(wait, requested, processors, q, c, now, a, low)
                }
                Call::Waiting(job, q, c, now) => surefill_wait_predict_waiting(wait, job, q, c, now, a, high),
                Call::StartProbability(Features { requested, processors }, age, within, c) => {
                    let p = output.to(observed);
                    surefill_wait_start_probability(
                        wait, requested, processors, age, within, c, p, at_least, number,
                    )
                }
                Call::Recluster(work) => surefill_wait_recluster(wait, work, output.to(small)),
                Call::Clusters(capacity) => {
                    let [from, to, waits] = clusters.each_mut().map(|row| row.as_mut_ptr());
                    surefill_wait_clusters(wait, output.to(from), to, waits, capacity, small)
                }
            }
        };
        out.after(status)
    }

    fn core(&self, memory: &mut [u8], call: &Call) -> Option<Outcome> {
        let mut waits = WaitPredictor::attach(memory).unwrap();
        let mut out = Outputs::new();
        let status = code(&Self::call_core(&mut waits, call, &mut out));
        Some(out.after(status))
    }

    fn expected(&self, call: &Call) -> Expected {
        let features = |given| if valid(given) { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) };
        let span = |seconds| if seconds >= 0 { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) };
        let result = match *call {
            Call::Submitted(job, now, ref given) => {
                countable(given).and(self.time(now)).and(features(given)).and({
                    if self.submitted(job).is_some() {
                        Err(SUREFILL_ERROR_DUPLICATE_JOB)
                    } else if self.full(now) {
                        Err(SUREFILL_ERROR_FULL)
                    } else {
                        Ok(())
                    }
                })
            }
            Call::Started(job, now) | Call::Cancelled(job, now) => self.time(now).and(self.known(job)),
            Call::Known(wait, ref given) => countable(given)
                .and(features(given))
                .and(span(wait))
                .and(span(SUREFILL_MAX_SECONDS.saturating_sub(wait))),
            Call::Predict(ref given, quantile, confidence, now)
            | Call::Lower(ref given, quantile, confidence, now) => {
                let asked = probabilities(&[quantile, confidence]);
                countable(given).and(asked).and(features(given)).and(self.time(now))
            }
            Call::Waiting(job, quantile, confidence, now) => {
                probabilities(&[quantile, confidence]).and(self.time(now)).and(self.known(job))
            }
            Call::StartProbability(ref given, age, within, confidence) => {
                let asked = countable(given).and(probabilities(&[confidence]));
                asked.and(features(given)).and(span(age)).and(span(within))
            }
            Call::Recluster(work) => span(work.saturating_sub(1)),
            Call::Clusters(capacity) if capacity < 0 => Err(SUREFILL_ERROR_OUT_OF_RANGE),
            Call::Clusters(0) => Err(SUREFILL_ERROR_FULL),
            // The number of clusters is not modelled.
            Call::Clusters(_) => return Expected::OkOr(&[SUREFILL_ERROR_FULL]),
        };
        Expected::Status(result.err().unwrap_or(SUREFILL_OK))
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, _length: i64) {
        let (answer, low, high) = (outputs[0] as i32, outputs[1] as i64, outputs[2] as i64);
        let (number, small) = (outputs[3] as i64, outputs[6] as i32);
        let (observed, at_least) = (f64::from_bits(outputs[4]), f64::from_bits(outputs[5]));
        let answered = |bound: i64| match answer {
            SUREFILL_ANSWER_BOUND => bound >= 0 && bound != MARK as i64,
            SUREFILL_ANSWER_TOO_LITTLE_HISTORY | SUREFILL_ANSWER_MAY_BE_DOWN | SUREFILL_ANSWER_EXCEEDED => {
                bound == -1
            }
            _ => false,
        };
        match *call {
            Call::Submitted(job, now, _) => {
                if self.jobs.len() as i32 == self.capacity.queued {
                    self.jobs.remove(0);
                }
                self.jobs.push((job, now));
                self.now = Some(now);
                assert!(answered(high));
            }
            Call::Started(job, now) => {
                let submitted = self.submitted(job).unwrap();
                self.jobs.retain(|known| known.0 != job);
                self.now = Some(now);
                self.seen += 1;
                assert_eq!(number, (now - submitted).clamp(0, SUREFILL_MAX_SECONDS));
            }
            Call::Cancelled(job, now) => {
                self.jobs.retain(|known| known.0 != job);
                self.now = Some(now);
            }
            Call::Known(..) => self.seen += 1,
            Call::Predict(..) | Call::Waiting(..) => assert!(answered(high)),
            Call::Lower(..) => assert!(answered(low) && low <= SUREFILL_MAX_SECONDS),
            Call::StartProbability(_, _, _, confidence) => {
                // Less than even confidence gives a "lower" bound above the share that was seen.
                let in_order = 0.0 <= at_least
                    && at_least <= if confidence < 0.5 { 1.0 } else { observed + 1e-9 }
                    && observed <= 1.0;
                assert!(in_order && number as u64 <= self.seen, "{at_least} {observed} {number}");
            }
            Call::Recluster(_) if !self.clustered => assert_eq!(small, SUREFILL_STEP_IDLE),
            Call::Recluster(_) => {
                assert!(small == SUREFILL_STEP_MORE || small == SUREFILL_STEP_DONE);
            }
            Call::Clusters(_) => {
                let found: Vec<&[u64]> = outputs[7..].chunks(20).collect();
                let count = small as usize;
                assert!((1..=self.capacity.clusters as usize).contains(&count));
                assert!(found[0][0] == 0 && found[1][count - 1] == i64::MAX as u64);
                assert!((1..count).all(|i| found[0][i] == found[1][i - 1] + 1 && found[0][i] <= found[1][i]));
                let waits: u64 = found[2][..count].iter().sum();
                assert!(waits <= self.seen.min(self.capacity.history as u64), "{found:?}");
                assert!(found.iter().all(|row| row[count..].iter().all(|&number| number == MARK)));
            }
        }
        let (mut queued, mut remembered) = (MARK_INT, MARK as i64);
        let status = unsafe { surefill_wait_counts(handle.cast(), &mut queued, &mut remembered) };
        assert_eq!(status, SUREFILL_OK);
        assert_eq!(queued as usize, self.jobs.len());
        assert_eq!(remembered as u64, self.seen.min(self.capacity.history as u64));
    }
}
