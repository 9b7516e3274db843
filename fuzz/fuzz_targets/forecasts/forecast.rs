//! A forecast: what was added to it is kept, to be added to another one when it is done.

use crate::input::Input;
use crate::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, Outcome, Pointer, Subject, initialised, outcome,
};
use crate::prediction::Prediction;
use std::ffi::c_void;
use std::ptr::null_mut;
use surefill::capi::*;

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Nothing,
    Filling,
    Playing,
    Done,
}

#[derive(Debug, Clone)]
pub struct Job {
    processors: i32,
    /// For how long a running job has run, or when a waiting one was submitted.
    age_or_submit: i64,
    limit: i64,
    prediction: Prediction,
}

#[derive(Clone)]
pub struct Forecast {
    capacity: surefill_forecast_capacity,
    phase: Phase,
    now: i64,
    idle: i32,
    options: surefill_forecast_options,
    running: Vec<Job>,
    waiting: Vec<Job>,
}

#[derive(Debug)]
pub struct Begin {
    now: i64,
    idle: i32,
    options: surefill_forecast_options,
    /// Whether nothing is wrong with the options.
    sound: bool,
}

#[derive(Debug)]
pub enum Call {
    Begin(Box<Begin>),
    Running(Box<Job>),
    Waiting(Box<Job>),
    Run(i64),
    Quantile(i32, f64),
    Probability(i32, i64),
    Mean(i32),
}

const LATEST: u64 = 1 << 53;

fn span(seconds: i64) -> bool {
    (0..=SUREFILL_MAX_SECONDS).contains(&seconds)
}

fn options(input: &mut Input, scenarios: i32) -> (surefill_forecast_options, bool) {
    let mut options: surefill_forecast_options = initialised(surefill_forecast_options_init);
    if input.below(2) == 0 {
        let power = |input: &mut Input| f64::from(input.below(65) as u8) / 4.0 - 8.0;
        (options.queue_run_time, options.queue_processors) = (power(input), power(input));
        (options.queue_age, options.queue_age_unit) = (power(input).abs(), 1.0 + input.below(200) as f64);
        (options.candidate_run_time, options.candidate_processors) = (power(input), power(input));
        (options.candidate_age, options.candidate_age_unit) =
            (power(input).abs(), 1.0 + input.below(200) as f64);
    }
    options.policy = if input.below(4) == 0 { SUREFILL_POLICY_FCFS } else { SUREFILL_POLICY_BACKFILL };
    options.reservations = [0, 1, 1, 2, 3, 1 << 20][input.below(6)];
    if input.below(2) == 0 {
        options.order = input.below(3) as i32;
        options.plans = input.below(2) as i32;
    }
    options.scenarios = 2 + input.below(scenarios as u8 - 1) as i32;
    options.seed = input.below(8) as i64;
    options.slack = f64::from(input.below(3) as u8) / 4.0;
    if input.below(4) == 0 {
        options.front = input.below(200) as f64;
    }
    let mut sound = true;
    if input.rarely() {
        sound = false;
        let (wild, number) = (input.wild_real(), input.int(5));
        match input.below(12) {
            0 => options.policy = number,
            1 => options.reservations = number,
            2 => options.order = number,
            3 => options.plans = number,
            4 => options.scenarios = number,
            5 => options.seed = input.wild_long(),
            6 => options.confidence = wild,
            7 => options.queue_run_time = wild,
            8 => options.queue_age_unit = wild,
            9 => options.candidate_age = wild,
            10 => options.front = wild,
            _ => options.slack = wild,
        }
    }
    (options, sound)
}

/// A forecast of this capacity.
fn new(capacity: &surefill_forecast_capacity, canaries: bool) -> Block {
    let (mut size, mut made) = (0, null_mut());
    unsafe {
        assert_eq!(surefill_forecast_size(capacity, &mut size), SUREFILL_OK);
        let mut block = Block::new(size, canaries);
        let refused = surefill_forecast_init(block.pointer(), size - 1, capacity, &mut made);
        assert_eq!((refused, made), (SUREFILL_ERROR_TOO_SMALL, null_mut()));
        let status = surefill_forecast_init(block.pointer(), size, capacity, &mut made);
        assert_eq!((status, made.cast()), (SUREFILL_OK, block.pointer()));
        block
    }
}

/// The starts of a job that is not too wide, in increasing order.
fn starts(forecast: *const surefill_forecast, job: i32, scenarios: i32) -> Vec<i64> {
    let start = |rank: i32| {
        let (mut when, mut half_width) = (MARK as i64, MARK_REAL);
        let share = f64::from(rank) / f64::from(scenarios);
        let status =
            unsafe { surefill_forecast_start_quantile(forecast, job, share, &mut when, &mut half_width) };
        assert!(status == SUREFILL_OK && half_width >= 0.0, "{status} {half_width}");
        when
    };
    (1..=scenarios).map(start).collect()
}

impl Forecast {
    fn busy(&self) -> i64 {
        self.running.iter().map(|job| i64::from(job.processors)).sum()
    }

    fn job(&self, input: &mut Input) -> Job {
        let time = if input.below(2) == 0 { 0 } else { input.seconds() };
        let processors = input.int(self.capacity.processors.min(200) as u8);
        Job { processors, age_or_submit: time, limit: input.seconds(), prediction: Prediction::any(input) }
    }

    /// Whether there are no more bins than there is room for; what is added then.
    fn fits(&self, job: &Job, otherwise: Result<(), i32>) -> Result<(), i32> {
        let result =
            if job.prediction.bins() > self.capacity.bins { Err(SUREFILL_ERROR_FULL) } else { Ok(()) };
        otherwise.and(result)
    }

    /// Properties of the starts of all jobs.
    fn played(&self, forecast: *const surefill_forecast) {
        let scenarios = self.options.scenarios;
        let all = i64::from(self.idle) + self.busy();
        let mut rows: Vec<Option<Vec<i64>>> = Vec::new();
        for (index, job) in self.waiting.iter().enumerate() {
            let index = index as i32;
            let (mut mean, mut half_width) = (MARK_REAL, MARK_REAL);
            let status = unsafe { surefill_forecast_start_mean(forecast, index, &mut mean, &mut half_width) };
            if i64::from(job.processors) > all {
                assert_eq!(status, SUREFILL_ERROR_NEVER);
                rows.push(None);
                continue;
            }
            assert_eq!(status, SUREFILL_OK);
            let row = starts(forecast, index, scenarios);
            assert!(row.is_sorted() && row[0] >= self.now.max(job.age_or_submit), "{row:?}");
            let waits: f64 = row.iter().map(|start| (start - self.now) as f64).sum();
            let expected = waits / f64::from(scenarios);
            assert!((mean - expected).abs() <= 1e-9 * expected && half_width >= 0.0, "{mean} {expected}");
            rows.push(Some(row));
        }
        self.check_order(&rows);
        self.check_end(&rows);
        self.check_again(&rows);
    }

    /// First come, first served, of those that are in the queue.
    fn check_order(&self, rows: &[Option<Vec<i64>>]) {
        let options = &self.options;
        let powers = [options.queue_run_time, options.queue_processors, options.queue_age];
        let by_submission = powers == [0.0; 3] && options.front == f64::INFINITY;
        if options.policy != SUREFILL_POLICY_FCFS || !by_submission {
            return;
        }
        let here = self.waiting.iter().zip(rows).filter(|(job, _)| job.age_or_submit <= self.now);
        let rows: Vec<&Vec<i64>> = here.filter_map(|(_, row)| row.as_ref()).collect();
        for pair in rows.windows(2) {
            assert!(pair[0].iter().zip(pair[1]).all(|(first, second)| first <= second), "{pair:?}");
        }
    }

    /// No job starts later than if one job after the other ran to its limit, all having come.
    fn check_end(&self, rows: &[Option<Vec<i64>>]) {
        let jobs = || self.running.iter().chain(&self.waiting);
        let last = self.waiting.iter().map(|job| job.age_or_submit).fold(self.now, i64::max);
        let latest = last + jobs().map(|job| job.limit.max(1)).sum::<i64>();
        assert!(
            rows.iter().flatten().all(|row| row.iter().all(|&start| start <= latest)),
            "{rows:?} {latest}"
        );
    }

    /// A larger forecast, in one call, says the same.
    fn check_again(&self, rows: &[Option<Vec<i64>>]) {
        let mut capacity = self.capacity;
        (capacity.running, capacity.waiting) = (capacity.running + 3, capacity.waiting + 2);
        (capacity.bins, capacity.scenarios) = (capacity.bins + 1, capacity.scenarios + 5);
        let mut block = new(&capacity, false);
        let forecast: *mut surefill_forecast = block.pointer().cast();
        let mut step = MARK_INT;
        unsafe {
            let status = surefill_forecast_begin(forecast, self.now, self.idle, &self.options);
            assert_eq!(status, SUREFILL_OK);
            for job in &self.running {
                let Job { processors, age_or_submit, limit, ref prediction } = *job;
                let status = prediction.with(|prediction| {
                    surefill_forecast_add_running(
                        forecast,
                        processors,
                        age_or_submit,
                        limit,
                        prediction,
                        null_mut(),
                    )
                });
                assert_eq!(status, SUREFILL_OK);
            }
            for job in &self.waiting {
                let Job { processors, age_or_submit, limit, ref prediction } = *job;
                let status = prediction.with(|prediction| {
                    surefill_forecast_add_waiting(
                        forecast,
                        processors,
                        limit,
                        age_or_submit,
                        prediction,
                        null_mut(),
                    )
                });
                assert_eq!(status, SUREFILL_OK);
            }
            assert_eq!(surefill_forecast_run(forecast, i64::MAX, &mut step), SUREFILL_OK);
        }
        assert_eq!(step, SUREFILL_STEP_DONE);
        for (index, row) in rows.iter().enumerate() {
            let Some(row) = row else { continue };
            assert_eq!(*row, starts(forecast, index as i32, self.options.scenarios), "{index}");
        }
    }
}

impl Subject for Forecast {
    type Call = Call;
    const SEALS: bool = false;

    fn make(input: &mut Input) -> Option<(Forecast, Block)> {
        let mut capacity: surefill_forecast_capacity = initialised(surefill_forecast_capacity_init);
        (capacity.running, capacity.waiting) = (input.below(7) as i32, input.below(9) as i32);
        capacity.processors = 1 + input.below(24) as i32;
        (capacity.bins, capacity.events_per_bin) = (1 + input.below(8) as i32, 1 + input.below(3) as i32);
        capacity.scenarios = 2 + input.below(15) as i32;
        if input.rarely() {
            let (mut wrong, mut size, mut made) = (capacity, 0, null_mut());
            match input.below(6) {
                0 => wrong.running = -1,
                1 => wrong.waiting = (1 << 20) + 1,
                2 => wrong.processors = 0,
                3 => wrong.bins = 0,
                4 => wrong.events_per_bin = 17,
                _ => wrong.scenarios = 1,
            }
            let mut block = Block::new(8192, false);
            let (memory, length) = (block.pointer(), block.length());
            unsafe {
                assert_eq!(surefill_forecast_size(&wrong, &mut size), SUREFILL_ERROR_OUT_OF_RANGE);
                let refused = surefill_forecast_init(memory, length, &wrong, &mut made);
                assert_eq!((refused, made, size), (SUREFILL_ERROR_OUT_OF_RANGE, null_mut(), 0));
            }
        }
        let block = new(&capacity, input.below(2) == 0);
        let options: surefill_forecast_options = initialised(surefill_forecast_options_init);
        let (running, waiting) = (Vec::new(), Vec::new());
        Some((
            Forecast { capacity, phase: Phase::Nothing, now: 0, idle: 0, options, running, waiting },
            block,
        ))
    }

    fn seal(_handle: *mut c_void, _length: i64) -> i32 {
        SUREFILL_OK
    }

    fn open(memory: *mut c_void, _length: i64) -> (i32, *mut c_void) {
        (SUREFILL_OK, memory)
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        let index = |input: &mut Input| input.int(self.waiting.len().max(1) as u8 - 1);
        let begin = |input: &mut Input| {
            let now = if input.rarely() { input.wild_long() } else { 1000 };
            let (options, sound) = options(input, self.capacity.scenarios);
            Call::Begin(Box::new(Begin {
                now,
                idle: input.int(self.capacity.processors as u8),
                options,
                sound,
            }))
        };
        let when = |input: &mut Input| self.now.saturating_add(input.seconds());
        let waiting = |input: &mut Input| {
            let mut job = self.job(input);
            let sooner = [0, 100, 1 << 45][input.below(3)];
            job.age_or_submit = self.now.saturating_add(job.age_or_submit).saturating_sub(sooner);
            Call::Waiting(Box::new(job))
        };
        let call = match (self.phase, input.below(16)) {
            (Phase::Nothing, 0..=11) | (_, 0) => begin(input),
            (Phase::Filling, 1..=5) | (_, 1) => Call::Running(Box::new(self.job(input))),
            (Phase::Filling, 6..=11) | (_, 2) => waiting(input),
            (Phase::Filling, _) | (Phase::Playing, 3..=13) | (_, 3) => Call::Run(match input.below(8) {
                0 => i64::MAX,
                1 if input.rarely() => input.wild_long(),
                _ => 1 + input.below(200) as i64,
            }),
            (_, 4..=8) => Call::Quantile(index(input), input.probability()),
            (_, 9..=12) => Call::Probability(index(input), when(input)),
            _ => Call::Mean(index(input)),
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let forecast: *mut surefill_forecast = handle.cast();
        let (mut index, mut when, mut value, mut half_width) = (MARK_INT, MARK as i64, MARK_REAL, MARK_REAL);
        // It may be NULL: what is asked for without it must be the same.
        let number = if output == Pointer::Askew { output.to(&raw mut index) } else { &raw mut index };
        let status = unsafe {
            match call {
                Call::Begin(begin) => {
                    surefill_forecast_begin(forecast, begin.now, begin.idle, &begin.options)
                }
                Call::Running(job) => {
                    let Job { processors, age_or_submit: age, limit, ref prediction } = **job;
                    prediction.with(|prediction| {
                        surefill_forecast_add_running(forecast, processors, age, limit, prediction, number)
                    })
                }
                Call::Waiting(job) => {
                    let Job { processors, age_or_submit: submit, limit, ref prediction } = **job;
                    prediction.with(|prediction| {
                        surefill_forecast_add_waiting(forecast, processors, limit, submit, prediction, number)
                    })
                }
                Call::Run(work) => surefill_forecast_run(forecast, *work, output.to(&raw mut index)),
                Call::Quantile(job, share) => {
                    let to = output.to(&raw mut when);
                    surefill_forecast_start_quantile(forecast, *job, *share, to, &mut half_width)
                }
                Call::Probability(job, when) => {
                    let to = output.to(&raw mut value);
                    surefill_forecast_start_probability(forecast, *job, *when, to, &mut half_width)
                }
                Call::Mean(job) => {
                    surefill_forecast_start_mean(forecast, *job, output.to(&raw mut value), &mut half_width)
                }
            }
        };
        outcome(status, &[&index, &when, &value, &half_width])
    }

    fn expected(&self, call: &Call) -> Expected {
        const OPTIONS: &[i32] = &[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_NOT_A_NUMBER];
        let when = |sound: bool| if sound { Ok(()) } else { Err(SUREFILL_ERROR_OUT_OF_RANGE) };
        let phase = |phases: &[Phase]| {
            if phases.contains(&self.phase) { Ok(()) } else { Err(SUREFILL_ERROR_WRONG_STATE) }
        };
        let room = |held: usize, capacity: i32| {
            if (held as i32) < capacity { Ok(()) } else { Err(SUREFILL_ERROR_FULL) }
        };
        let known = |job: i32| {
            let known = usize::try_from(job).is_ok_and(|job| job < self.waiting.len());
            if known { Ok(()) } else { Err(SUREFILL_ERROR_NO_SUCH_INDEX) }
        };
        let processors = i64::from(self.capacity.processors);
        let result = match call {
            Call::Begin(begin) => {
                let here =
                    begin.now.unsigned_abs() <= LATEST && (0..=processors).contains(&begin.idle.into());
                if !begin.sound {
                    return if here { Expected::OkOr(OPTIONS) } else { Expected::Error(OPTIONS) };
                }
                when(here)
            }
            Call::Running(job) => {
                let wide = i64::from(job.processors);
                let sound = span(job.age_or_submit) && span(job.limit);
                when(wide >= 0)
                    .and(phase(&[Phase::Filling]))
                    .and(when(wide > 0 && wide + self.busy() + i64::from(self.idle) <= processors))
                    .and(room(self.running.len(), self.capacity.running))
                    .and(when(sound).and(self.fits(job, Ok(()))))
            }
            Call::Waiting(job) => {
                let wide = i64::from(job.processors);
                let ahead = job.age_or_submit.saturating_sub(self.now) <= SUREFILL_MAX_SECONDS;
                when(wide >= 0)
                    .and(phase(&[Phase::Filling]))
                    .and(when((1..=processors).contains(&wide) && ahead))
                    .and(room(self.waiting.len(), self.capacity.waiting))
                    .and(when(span(job.limit)).and(self.fits(job, Ok(()))))
            }
            Call::Run(work) => when(*work > 0).and(phase(&[Phase::Filling, Phase::Playing, Phase::Done])),
            Call::Quantile(job, _) | Call::Probability(job, _) | Call::Mean(job) => {
                let index = if *job < 0 { Err(SUREFILL_ERROR_NO_SUCH_INDEX) } else { Ok(()) };
                let asked = index.and(phase(&[Phase::Done])).and(known(*job));
                let never = asked.is_ok()
                    && i64::from(self.waiting[*job as usize].processors) > i64::from(self.idle) + self.busy();
                let never = if never { Err(SUREFILL_ERROR_NEVER) } else { Ok(()) };
                match *call {
                    Call::Probability(..) => asked,
                    Call::Mean(_) => asked.and(never),
                    Call::Quantile(_, share) if share.is_nan() => asked.and(Err(SUREFILL_ERROR_NOT_A_NUMBER)),
                    Call::Quantile(_, share) => asked.and(when(share > 0.0 && share <= 1.0)).and(never),
                    _ => Ok(()),
                }
            }
        };
        Expected::Status(result.err().unwrap_or(SUREFILL_OK))
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, _length: i64) {
        let (index, when) = (outputs[0] as i32, outputs[1] as i64);
        let (value, half_width) = (f64::from_bits(outputs[2]), f64::from_bits(outputs[3]));
        let forecast: *const surefill_forecast = handle.cast_const().cast();
        match call {
            Call::Begin(begin) => {
                (self.now, self.idle, self.options) = (begin.now, begin.idle, begin.options);
                (self.running, self.waiting) = (Vec::new(), Vec::new());
                self.phase = Phase::Filling;
            }
            Call::Running(job) => {
                assert_eq!(index as usize, self.running.len());
                self.running.push(Job::clone(job));
            }
            Call::Waiting(job) => {
                assert_eq!(index as usize, self.waiting.len());
                self.waiting.push(Job::clone(job));
            }
            Call::Run(_) => {
                let done = index == SUREFILL_STEP_DONE;
                assert!(done || index == SUREFILL_STEP_MORE && self.phase != Phase::Done);
                if done && self.phase != Phase::Done {
                    self.played(forecast);
                }
                self.phase = if done { Phase::Done } else { Phase::Playing };
            }
            Call::Quantile(job, share) => {
                let scenarios = f64::from(self.options.scenarios);
                let row = starts(forecast, *job, self.options.scenarios);
                let rank = (share * scenarios - 1e-9).ceil().clamp(1.0, scenarios) as usize;
                assert!(when == row[rank - 1] && half_width >= 0.0, "{when} {row:?}");
            }
            Call::Probability(job, when) => {
                let wide = i64::from(self.waiting[*job as usize].processors);
                let never = wide > i64::from(self.idle) + self.busy();
                let row = if never { Vec::new() } else { starts(forecast, *job, self.options.scenarios) };
                let started = row.iter().filter(|&start| start <= when).count();
                assert_eq!(value, started as f64 / f64::from(self.options.scenarios));
                assert!((0.0..=1.0).contains(&half_width), "{half_width}");
            }
            Call::Mean(_) => assert!(value >= 0.0 && half_width >= 0.0, "{value} {half_width}"),
        }
    }
}
