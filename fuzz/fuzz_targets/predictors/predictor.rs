//! The on-line predictor of run times, of every kind: its jobs and its clock are modelled.

use crate::input::Input;
use crate::model::{Given, Model, room};
use crate::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, MARK_ROUND, Outcome, Pointer, Subject, bins, distributed,
    outcome,
};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use surefill::capi::*;
use surefill::runtime::MAX_BINS;

/// A held job before the call.
const HELD: surefill_held_job = surefill_held_job {
    struct_size: size_of::<surefill_held_job>() as u32,
    running: 0,
    job: 0,
    submitted: 0,
    started: 0,
    given_up: 0,
    key_count: 0,
    keys: [0; 8],
};

/// A job that it holds.
#[derive(Clone)]
struct Held {
    id: i64,
    submitted: i64,
    running: bool,
    given_up: bool,
}

#[derive(Clone)]
pub struct Predictor {
    kind: i32,
    jobs: i32,
    bins: i32,
    states: i32,
    /// The accuracy of a job; none with a hidden Markov model.
    keys: i32,
    oldest: i64,
    /// The oldest first.
    held: Vec<Held>,
    now: Option<i64>,
    /// Whether there is a model, when that is known; of a mixture, whether a job has finished.
    ready: bool,
}

#[derive(Debug)]
pub enum Call {
    Submit(i64, Vec<i64>, i64),
    Start(i64, i64),
    End(i64, i64),
    Cancel(i64, i64),
    Learn(Vec<i64>, i64),
    SetClock(i64),
    Jobs(i32),
    Predict(Vec<i64>, i64),
    Probabilities(Vec<i64>, i64, i32),
    Said(i64),
    PredictJob(i64),
    Wants,
    Train(i64),
    SetModel(Box<Given>),
    Model(i32, i32),
}

fn is_hmm(kind: i32) -> bool {
    kind == SUREFILL_PREDICTOR_HMM || kind == SUREFILL_PREDICTOR_HMM_ONLINE
}

fn now(input: &mut Input, model: &Predictor) -> i64 {
    if input.rarely() {
        return input.wild_long();
    }
    let now = model.now.unwrap_or(0);
    match input.below(8) {
        0 => now.saturating_sub(input.seconds()),
        1 | 2 => now,
        3 | 4 => now.saturating_add(input.below(32) as i64),
        _ => now.saturating_add(input.seconds()),
    }
}

fn options(input: &mut Input) -> surefill_predictor_options {
    let kind = 1 + input.below(5) as i32;
    let mut options = std::mem::MaybeUninit::uninit();
    assert_eq!(
        unsafe {
            surefill_predictor_options_init(
                kind,
                options.as_mut_ptr(),
                size_of::<surefill_predictor_options>() as i64,
            )
        },
        SUREFILL_OK
    );
    let mut options = unsafe { options.assume_init() };
    // Some pages at most, whatever the bytes.
    options.jobs = if input.below(4) == 0 { 1 } else { 1 + input.below(12) as i32 };
    options.bins = 2 + input.below(5) as i32;
    options.oldest_seconds = if input.below(2) == 0 { 1 << 40 } else { 1 + input.below(200) as i64 };
    options.keys = options.keys.max(1 + input.below(4) as i32);
    if kind == SUREFILL_PREDICTOR_CONTEXTS {
        options.keys = 3;
    }
    options.histories = if input.below(4) == 0 { 1 } else { 1 + input.below(40) as i32 };
    options.states = 1 << input.below(3);
    if input.below(4) == 0 {
        options.states = 1 + input.below(9) as i32;
    }
    options.slots = if input.below(4) == 0 { 2 } else { 2 + input.below(40) as i32 };
    options.cells = options.bins + if input.below(4) == 0 { 0 } else { input.below(100) as i32 };
    options.window = if input.below(4) == 0 { 1 } else { 1 + input.below(20) as i32 };
    options.load = input.below(3) as i32;
    options.initial = input.below(2) as i32;
    options.termination = input.below(3) as i32;
    options.threshold = match options.termination {
        SUREFILL_TERMINATION_ROUNDS => 1.0 + input.below(5) as f64,
        _ => f64::from(input.below(20) as u8) / 10.0,
    };
    options.most_rounds = 1 + input.below(6) as i64;
    options.slot_seconds = 1 + input.below(60) as i64;
    options.initial_seconds = input.below(200) as i64;
    options.restart_seconds = 1 + input.below(200) as i64;
    if input.rarely() {
        let wrong = input.int(1);
        match input.below(14) {
            0 => options.jobs = wrong.min(0),
            1 => options.states = wrong.min(0),
            2 => options.bins = wrong.min(1),
            3 => options.slots = wrong.min(1),
            4 => options.cells = wrong.min(options.bins - 1),
            5 => options.window = wrong.min(0),
            6 => options.threshold = input.wild_real(),
            7 => options.most_rounds = input.wild_long(),
            8 => options.slot_seconds = input.wild_long(),
            9 => options.initial_seconds = input.wild_long(),
            10 => options.restart_seconds = input.wild_long(),
            11 => options.oldest_seconds = input.wild_long(),
            12 => options.keys = input.int(9),
            _ => (options.load, options.initial) = (input.int(4), input.int(3)),
        }
    }
    options
}

impl Predictor {
    /// Mostly few different ones, so that histories are met again.
    fn keys(&self, input: &mut Input) -> Vec<i64> {
        let count = if input.rarely() { input.below(10) } else { self.keys as usize };
        (0..count).map(|_| if input.rarely() { input.wild_long() } else { input.below(3) as i64 }).collect()
    }

    fn find(&self, job: i64) -> Option<&Held> {
        self.held.iter().find(|held| held.id == job)
    }

    fn too_old(&self, held: &Held, now: i64) -> bool {
        held.given_up || now.saturating_sub(held.submitted) > self.oldest
    }

    /// Time has gone on to this event.
    fn advance(&mut self, now: i64) {
        self.now = Some(now);
        let oldest = self.oldest;
        for held in &mut self.held {
            held.given_up |= now - held.submitted > oldest;
        }
    }

    fn submitted(&mut self, id: i64, now: i64) {
        self.advance(now);
        if self.held.len() as i32 == self.jobs {
            assert!(self.held.remove(0).given_up);
        }
        self.held.push(Held { id, submitted: now, running: false, given_up: false });
    }

    fn is_hmm(&self) -> bool {
        is_hmm(self.kind)
    }

    /// The answer to an event at this time, where nothing else is wrong with it.
    fn at(&self, now: i64, rest: i32) -> i32 {
        match self.now {
            _ if now.unsigned_abs() > 1 << 53 => SUREFILL_ERROR_OUT_OF_RANGE,
            Some(before) if now < before => SUREFILL_ERROR_TIME_WENT_BACK,
            _ => rest,
        }
    }

    fn submit_answers(&self, job: i64, keys: usize, now: i64) -> i32 {
        let full = self.held.len() as i32 == self.jobs;
        let rest = match self.find(job) {
            _ if keys != self.keys as usize => SUREFILL_ERROR_OUT_OF_RANGE,
            Some(_) => SUREFILL_ERROR_DUPLICATE_JOB,
            None if full && !self.too_old(&self.held[0], now) => SUREFILL_ERROR_FULL,
            None => SUREFILL_OK,
        };
        self.at(now, rest)
    }

    fn start_answers(&self, job: i64, now: i64) -> i32 {
        let rest = match self.find(job) {
            None => SUREFILL_ERROR_UNKNOWN_JOB,
            Some(held) if held.running => SUREFILL_ERROR_ALREADY_STARTED,
            Some(_) => SUREFILL_OK,
        };
        self.at(now, rest)
    }

    fn end_answers(&self, job: i64, now: i64) -> i32 {
        let rest = match self.find(job) {
            None => SUREFILL_ERROR_UNKNOWN_JOB,
            Some(held) if held.running => SUREFILL_OK,
            Some(_) => SUREFILL_ERROR_NOT_STARTED,
        };
        self.at(now, rest)
    }

    fn cancel_answers(&self, job: i64, now: i64) -> i32 {
        self.at(now, if self.find(job).is_some() { SUREFILL_OK } else { SUREFILL_ERROR_UNKNOWN_JOB })
    }

    fn started(&mut self, job: i64, now: i64) {
        self.advance(now);
        self.held.iter_mut().filter(|held| held.id == job).for_each(|held| held.running = true);
    }

    fn left(&mut self, job: i64, now: i64, finished: bool) {
        self.advance(now);
        self.held.retain(|held| held.id != job);
        self.ready |= finished && !self.is_hmm();
    }

    /// A distribution in the caller's memory, and what was answered.
    fn check_distribution(&self, outputs: &[u64]) {
        let (answer, memory) = (outputs[0] as i32, &outputs[1..]);
        let (mut found, mut count) = ([0.0; MAX_BINS], MARK_INT);
        let status = unsafe {
            let (memory, to) = (memory.as_ptr().cast(), found.as_mut_ptr());
            surefill_distribution_recalculate(
                memory,
                0,
                SUREFILL_MAX_SECONDS,
                to,
                MAX_BINS as i32,
                &mut count,
            )
        };
        let bins = if answer == SUREFILL_PREDICTION_MADE { self.bins } else { 0 };
        assert_eq!((status, count), (SUREFILL_OK, bins));
        assert!((SUREFILL_PREDICTION_MADE..=SUREFILL_PREDICTION_UNEXPLAINED).contains(&answer));
        assert!(bins == 0 || self.ready);
    }
}

impl Subject for Predictor {
    type Call = Call;

    fn make(input: &mut Input) -> Option<(Predictor, Block)> {
        let options = options(input);
        let mut size = MARK as i64;
        let sized = unsafe { surefill_predictor_size(&options, &mut size) };
        if sized != SUREFILL_OK {
            assert_eq!((sized, size), (SUREFILL_ERROR_OUT_OF_RANGE, MARK as i64), "{options:?}");
            return None;
        }
        let mut block = Block::new(size, input.below(2) == 0);
        let (first, ratio) = (1.0 + input.below(40) as f64 / 4.0, 1.1 + input.below(40) as f64 / 10.0);
        // Kinds without a model take any number of bins; there are some, and the last edge is a run time.
        let count = options.bins.clamp(1, SUREFILL_MAX_BINS);
        let mut bins = bins(first, ratio.min(1e10f64.powf(1.0 / f64::from(count))), count);
        let (mut made, short) = (null_mut(), input.rarely());
        let length = size - i64::from(short);
        let bins = bins.pointer().cast();
        let status = unsafe { surefill_predictor_init(block.pointer(), length, &options, bins, &mut made) };
        if status != SUREFILL_OK {
            let errors = [SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_NOT_A_NUMBER, SUREFILL_ERROR_TOO_SMALL];
            assert!(made.is_null() && errors.contains(&status), "{status}");
            return None;
        }
        assert!(!short && made.cast() == block.pointer());
        let surefill_predictor_options { kind, jobs, bins, states, keys, oldest_seconds, .. } = options;
        let keys = if is_hmm(kind) { 0 } else { keys };
        // A mixture does not look at the states.
        let states = states.max(1);
        let (oldest, held) = (oldest_seconds, Vec::new());
        Some((Predictor { kind, jobs, bins, states, keys, oldest, held, now: None, ready: false }, block))
    }

    fn seal(handle: *mut c_void, _length: i64) -> i32 {
        unsafe { surefill_predictor_seal(handle.cast()) }
    }

    fn open(memory: *mut c_void, length: i64) -> (i32, *mut c_void) {
        let mut made = null_mut();
        (unsafe { surefill_predictor_open(memory, length, &mut made) }, made.cast())
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let job = if input.rarely() { input.wild_long() } else { input.below(16) as i64 };
        let call = match input.below(40) {
            0..=5 => Call::Submit(job, self.keys(input), now(input, self)),
            6..=9 => Call::Start(job, now(input, self)),
            10..=14 => Call::End(job, now(input, self)),
            15..=16 => Call::Cancel(job, now(input, self)),
            17 => Call::Jobs(if input.rarely() { input.int(20) } else { 16 }),
            18..=19 => Call::Predict(self.keys(input), now(input, self)),
            20..=22 => {
                let count = if input.rarely() { input.int(70) } else { self.bins };
                Call::Probabilities(self.keys(input), now(input, self), count)
            }
            23 => Call::Wants,
            24 => Call::SetModel(Box::new(Given::read(input, self.states, self.bins))),
            25 => {
                let (states, bins) = (self.states, self.bins);
                let wrong = input.rarely();
                Call::Model(
                    if wrong { input.int(70) } else { states },
                    if wrong { input.int(70) } else { bins },
                )
            }
            26 => Call::Train(input.int(254).into()),
            27 => Call::SetClock(now(input, self)),
            28..=31 => Call::Learn(self.keys(input), input.seconds()),
            32 => Call::Said(job),
            33 => Call::PredictJob(job),
            _ => Call::Train(1 + input.below(40) as i64),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let handle: *mut surefill_predictor = handle.cast();
        let (mut answer, mut made) = (MARK_INT, null_mut());
        let mut memory = vec![MARK as i64; SUREFILL_DISTRIBUTION_SIZE as usize / 8];
        let (place, length) = (memory.as_mut_ptr().cast(), SUREFILL_DISTRIBUTION_SIZE);
        // SAFETY: arrays have the lengths that the calls are given, where they have any elements.
        unsafe {
            match *call {
                Call::Submit(job, ref keys, now) => outcome(
                    surefill_predictor_submit(handle, job, keys.as_ptr(), keys.len() as i32, now),
                    &[],
                ),
                Call::Start(job, now) => outcome(surefill_predictor_start(handle, job, now), &[]),
                Call::End(job, now) => outcome(surefill_predictor_end(handle, job, now), &[]),
                Call::Cancel(job, now) => outcome(surefill_predictor_cancel(handle, job, now), &[]),
                Call::Learn(ref keys, seconds) => {
                    outcome(surefill_predictor_learn(handle, keys.as_ptr(), keys.len() as i32, seconds), &[])
                }
                Call::SetClock(now) => {
                    let status = surefill_predictor_set_clock(handle, now);
                    let mut jobs = vec![HELD; self.held.len()];
                    let (mut written, mut held) = (0, 0);
                    if status == SUREFILL_OK {
                        let room = jobs.len() as i32;
                        surefill_predictor_jobs(handle, jobs.as_mut_ptr(), room, &mut written, &mut held);
                    }
                    // Nothing is listed after an error.
                    jobs.truncate(if status == SUREFILL_OK { jobs.len() } else { 0 });
                    let given_up: Vec<i64> = jobs.iter().map(|job| i64::from(job.given_up)).collect();
                    outcome(status, &[&given_up])
                }
                Call::Jobs(capacity) => {
                    let (mut written, mut held) = (MARK_INT, MARK_INT);
                    let none = surefill_held_job { job: MARK as i64, ..HELD };
                    let mut jobs = vec![none; room(capacity)];
                    let to = output.to(&mut held);
                    let status =
                        surefill_predictor_jobs(handle, jobs.as_mut_ptr(), capacity, &mut written, to);
                    let ids: Vec<i64> = jobs.iter().map(|job| job.job).collect();
                    outcome(status, &[&written, &held, &ids])
                }
                Call::Predict(ref keys, now) => {
                    let (keys, count, to) = (keys.as_ptr(), keys.len() as i32, output.to(&mut answer));
                    let status =
                        surefill_predictor_predict(handle, keys, count, now, place, length, to, &mut made);
                    outcome(status, &[&answer, &memory])
                }
                Call::Probabilities(ref keys, now, bins) => {
                    let mut probabilities = vec![MARK_REAL; room(bins)];
                    let (keys, count, to) = (keys.as_ptr(), keys.len() as i32, output.to(&mut answer));
                    let p = probabilities.as_mut_ptr();
                    let status = surefill_predictor_probabilities(handle, keys, count, now, p, bins, to);
                    outcome(status, &[&answer, &probabilities])
                }
                Call::Said(job) => {
                    let to = output.to(&mut answer);
                    let status = surefill_predictor_said(handle, job, place, length, to, &mut made);
                    outcome(status, &[&answer, &memory])
                }
                Call::PredictJob(job) => {
                    let to = output.to(&mut answer);
                    let status = surefill_predictor_predict_job(handle, job, place, length, to, &mut made);
                    outcome(status, &[&answer, &memory])
                }
                Call::Wants => {
                    let mut wants = MARK_INT;
                    outcome(surefill_predictor_wants_training(handle, output.to(&mut wants)), &[&wants])
                }
                Call::Train(work) => {
                    let (mut step, mut round) = (MARK_INT, MARK_ROUND);
                    let status = surefill_predictor_train(handle, work, output.to(&mut step), &mut round);
                    outcome(status, &[&step, &round])
                }
                Call::SetModel(ref given) => {
                    outcome(surefill_predictor_set_model(handle, &given.structure()), &[])
                }
                Call::Model(states, bins) => Model::ask_structure(states, bins, output, |asked| {
                    surefill_predictor_model(handle, asked)
                }),
            }
        }
    }

    fn expected(&self, call: &Call) -> Expected {
        use Expected::Status;
        let known =
            |job: &i64| if self.find(*job).is_some() { SUREFILL_OK } else { SUREFILL_ERROR_UNKNOWN_JOB };
        let asked = |keys: &[i64], now: i64| {
            let fits = keys.len() == self.keys as usize;
            self.at(now, if fits { SUREFILL_OK } else { SUREFILL_ERROR_OUT_OF_RANGE })
        };
        match call {
            Call::Submit(job, keys, now) => Status(self.submit_answers(*job, keys.len(), *now)),
            Call::Start(job, now) => Status(self.start_answers(*job, *now)),
            Call::End(job, now) => Status(self.end_answers(*job, *now)),
            Call::Cancel(job, now) => Status(self.cancel_answers(*job, *now)),
            Call::Learn(..) if self.is_hmm() => Status(SUREFILL_ERROR_WRONG_STATE),
            Call::Learn(keys, seconds) => Status(match *seconds {
                _ if keys.len() != self.keys as usize => SUREFILL_ERROR_OUT_OF_RANGE,
                seconds if seconds < 0 => SUREFILL_ERROR_OUT_OF_RANGE,
                seconds if seconds > SUREFILL_MAX_SECONDS => SUREFILL_ERROR_SPAN_TOO_LONG,
                _ => SUREFILL_OK,
            }),
            Call::SetClock(now) if now.unsigned_abs() > 1 << 53 => Status(SUREFILL_ERROR_OUT_OF_RANGE),
            Call::Jobs(capacity) if *capacity < 0 => Status(SUREFILL_ERROR_OUT_OF_RANGE),
            Call::SetClock(_) | Call::Jobs(_) | Call::Wants => Status(SUREFILL_OK),
            Call::Predict(keys, now) => Status(asked(keys, *now)),
            Call::Probabilities(_, _, count) if *count != self.bins => {
                Expected::Error(&[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_TIME_WENT_BACK])
            }
            Call::Probabilities(keys, now, _) => Status(asked(keys, *now)),
            Call::Said(job) | Call::PredictJob(job) => Status(known(job)),
            Call::Train(work) => Status(if *work < 1 { SUREFILL_ERROR_OUT_OF_RANGE } else { SUREFILL_OK }),
            Call::SetModel(_) | Call::Model(..) if !self.is_hmm() => Status(SUREFILL_ERROR_WRONG_STATE),
            Call::SetModel(given) => {
                let fits = given.fits(self.states, self.bins);
                given
                    .expected(fits, if self.now.is_some() { SUREFILL_ERROR_WRONG_STATE } else { SUREFILL_OK })
            }
            Call::Model(states, bins) if (*states, *bins) != (self.states, self.bins) => {
                Status(SUREFILL_ERROR_OUT_OF_RANGE)
            }
            Call::Model(..) if self.ready => Status(SUREFILL_OK),
            Call::Model(..) => Status(SUREFILL_ERROR_WRONG_STATE),
        }
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, _length: i64) {
        let handle: *mut surefill_predictor = handle.cast();
        match *call {
            Call::Submit(job, _, now) => self.submitted(job, now),
            Call::Start(job, now) => self.started(job, now),
            Call::End(job, now) => self.left(job, now, true),
            Call::Cancel(job, now) => self.left(job, now, false),
            Call::Learn(..) => self.ready = true,
            Call::SetClock(now) => {
                if self.now.is_some_and(|before| now < before) {
                    self.now = Some(now);
                    for (held, &given_up) in self.held.iter_mut().zip(outputs) {
                        held.submitted = held.submitted.min(now);
                        let too_old = now - held.submitted > self.oldest;
                        // On line, a job whose slot has been learnt stays given up.
                        let learnt = self.kind == SUREFILL_PREDICTOR_HMM_ONLINE && given_up != 0;
                        held.given_up &= too_old || learnt;
                        assert_eq!(held.given_up, given_up != 0);
                    }
                } else {
                    self.advance(now);
                }
            }
            Call::Jobs(_) => {
                let ids: Vec<u64> = self.held.iter().map(|held| held.id as u64).collect();
                let written = outputs[0] as i32 as usize;
                assert_eq!(outputs[1] as i32 as usize, ids.len());
                assert!(written <= ids.len() && outputs[2..2 + written] == ids[..written]);
            }
            Call::Wants => {}
            Call::Predict(..) | Call::Said(_) | Call::PredictJob(_) => self.check_distribution(outputs),
            Call::Probabilities(..) => {
                if outputs[0] as i32 == SUREFILL_PREDICTION_MADE {
                    assert!(self.ready);
                    distributed(&outputs[1..]);
                    assert!(outputs[1..].iter().all(|&p| f64::from_bits(p) > 0.0));
                } else {
                    assert!(outputs[1..].iter().all(|&p| p == MARK));
                }
            }
            Call::Train(_) => {
                let step = outputs[0] as i32;
                assert!([SUREFILL_STEP_IDLE, SUREFILL_STEP_MORE, SUREFILL_STEP_DONE].contains(&step));
                let done = step == SUREFILL_STEP_DONE;
                assert_eq!(!done, outputs[1..].iter().all(|&o| o == MARK));
                self.ready |= done;
                let mut wants = MARK_INT;
                assert_eq!(unsafe { surefill_predictor_wants_training(handle, &mut wants) }, SUREFILL_OK);
                assert!(step != SUREFILL_STEP_IDLE || wants == 0);
            }
            Call::SetModel(_) => self.ready = true,
            Call::Model(states, bins) => Model::check_parameters(states, bins, outputs),
        }
        let (mut written, mut held) = (MARK_INT, MARK_INT);
        let status = unsafe {
            surefill_predictor_jobs(
                handle,
                null::<surefill_held_job>().cast_mut(),
                0,
                &mut written,
                &mut held,
            )
        };
        assert_eq!((status, written, held as usize), (SUREFILL_OK, 0, self.held.len()));
    }
}
