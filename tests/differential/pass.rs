//! The scheduling pass: its phase, processors and budgets are modelled; and each decision once more without
//! interruptions and questions in between, which must be the same bit by bit.

use super::input::Input;
use super::object::{
    Block, Expected, MARK, MARK_INT, MARK_REAL, Outcome, Pointer, Subject, code, counted, initialised, make,
    outcome, worked,
};
use super::prediction::Prediction;
use super::sized::{ERRORS, LIMITS, RULE, Sized};
use std::ffi::c_void;
use surefill::backfill::{self, Criterion, Judgement, PassCapacity, Rule, Step, Verdict};
use surefill::capi::*;
use surefill::error::{Error, Result};

/// Longer blocks would make the executions slow; calls on them are made without memory.
const LARGEST: i64 = 1 << 19;

/// The quantiles that are asked for at once.
const ASKED: [f64; 3] = [0.1, 0.5, 1.0];

#[derive(Clone, Default)]
pub struct Pass {
    capacity: PassCapacity,
    phase: Phase,
    now: i64,
    head: (i64, i32),
    idle: i32,
    busy: i32,
    running: i32,
    /// Processors of the candidates.
    candidates: Vec<i32>,
    spent: [f64; 4],
    /// The same of the three head jobs that there are while another is head.
    kept: [[f64; 4]; 3],
    /// The calls since the pass was begun with nothing spent.
    log: Option<Vec<Done>>,
    idle_at_first: i32,
    head_waited: i64,
}

#[derive(Clone, Copy, PartialEq, Default)]
enum Phase {
    #[default]
    New,
    Filling,
    Deciding,
    /// After MORE under this rule.
    Under(Rule),
    /// This candidate waits, accepted under a criterion.
    Accepting(i32, Criterion),
}

#[derive(Debug, Clone)]
pub struct Job {
    processors: i32,
    age: i64,
    limit: i64,
    prediction: Prediction,
    /// Whether the prediction is passed by its handle, or by no handle of any.
    handle: Pointer,
}

#[derive(Debug)]
pub enum Call {
    /// Now, idle processors, the head job, its processors, and for how long it has waited.
    Begin(i64, i32, i64, i32, i64),
    Running(Job),
    Candidate(Job),
    Decide(Box<Sized<surefill_rule>>, i64),
    Commit(i32),
    Idle,
    Free(i32, i64),
    Quantile(f64),
    Quantiles,
    Judgement(i32),
}

#[derive(Clone)]
enum Done {
    Running(Job),
    Candidate(Job),
    /// A decision that came to its end, and what it came to.
    Decided(Rule, Step),
    Committed(i32),
}

/// The outputs of a call.
struct Outputs {
    int: i32,
    second: i32,
    real: f64,
    long: i64,
    whens: [i64; 3],
}

impl Outputs {
    fn new() -> Outputs {
        let (int, long) = (MARK_INT, MARK as i64);
        Outputs { int, second: int, real: MARK_REAL, long, whens: [long; 3] }
    }

    fn after(&self, status: i32) -> Outcome {
        outcome(status, &[&self.int, &self.second, &self.real, &self.long, &self.whens.to_vec()])
    }
}

fn capacity_of(given: &surefill_pass_capacity) -> Result<PassCapacity> {
    Ok(PassCapacity {
        running: counted(given.running)?,
        candidates: counted(given.candidates)?,
        processors: counted(given.processors)?,
        bins: counted(given.bins)?,
        events_per_bin: counted(given.events_per_bin)?,
        tie_cells: counted(given.tie_cells)?,
    })
}

fn rule_of(given: &surefill_rule) -> Result<Rule> {
    let surefill_rule { threshold, budget, slip, guard, or_easy, unmeasured, .. } = *given;
    let criterion = u32::try_from(given.criterion).ok().and_then(Criterion::from_number);
    let (criterion, unmeasured) = (criterion.ok_or(Error::OutOfRange)?, unmeasured != 0);
    Ok(Rule { criterion, threshold, budget, slip, guard, or_easy: or_easy != 0, unmeasured })
}

/// A copy of the pass, which a question may change.
fn copied(handle: *mut c_void, length: i64) -> Vec<u64> {
    // SAFETY: its block has `length` bytes.
    unsafe { std::slice::from_raw_parts(handle.cast(), length as usize / 8) }.to_vec()
}

fn attached(memory: &mut [u64]) -> backfill::Pass<'_> {
    backfill::Pass::attach(bytemuck::cast_slice_mut(memory)).unwrap()
}

impl Job {
    fn any(input: &mut Input, most: u8, age: i64) -> Job {
        let (processors, limit) = (input.int(most), input.seconds());
        Job { processors, age, limit, prediction: Prediction::any(input), handle: Pointer::any(input) }
    }

    /// Calls with the prediction's handle.
    fn with(&self, call: impl FnOnce(*const surefill_distribution) -> i32) -> i32 {
        self.prediction.with(|right| call(self.handle.to(right.cast_mut())))
    }

    /// A NULL is a prediction, too; `None` where the handle is none.
    fn known(&self) -> Option<Prediction> {
        match self.handle {
            Pointer::Right => Some(self.prediction.clone()),
            Pointer::Null => Some(Prediction::Nothing),
            // NULL moved by a byte is no less wrong.
            Pointer::Askew => None,
        }
    }
}

impl Pass {
    fn note(&mut self, done: Done) {
        if let Some(log) = &mut self.log {
            log.push(done);
        }
    }

    fn begun(&self) -> bool {
        self.phase != Phase::New
    }

    /// Whether so much can become free as the head job needs.
    fn head_starts(&self) -> bool {
        self.begun() && self.running > 0 && self.idle + self.busy >= self.head.1
    }

    fn processors(&self) -> i32 {
        self.capacity.processors as i32
    }

    /// Whether there is room for a job with this prediction.
    fn takes(&self, job: &Job) -> bool {
        let PassCapacity { bins, events_per_bin, .. } = self.capacity;
        let times = 0..=SUREFILL_MAX_SECONDS;
        let known = job.known().map(|known| known.bins().max(1) as u32);
        let needed = known.map(|bins| if bins == 1 { 1 } else { bins * events_per_bin });
        let room = needed.is_some_and(|needed| needed <= bins * events_per_bin);
        self.phase == Phase::Filling && times.contains(&job.age) && times.contains(&job.limit) && room
    }

    /// Whether a call is legal.
    fn legal(&self, call: &Call) -> bool {
        let times = 0..=SUREFILL_MAX_SECONDS;
        match call {
            Call::Begin(now, idle, _, processors, waited) => {
                let most = 0..=self.processors();
                let timely = now.unsigned_abs() <= 1 << 53 && times.contains(waited);
                timely && most.contains(idle) && most.contains(processors) && idle < processors
            }
            Call::Running(job) => {
                let room = self.running < self.capacity.running as i32;
                let fits = (1..=self.processors() - self.idle - self.busy).contains(&job.processors);
                room && fits && self.takes(job)
            }
            Call::Candidate(job) => {
                let room = self.candidates.len() < self.capacity.candidates as usize;
                room && (1..=self.processors()).contains(&job.processors) && self.takes(job)
            }
            Call::Decide(given, work) => {
                let rule = given.meant().and_then(|rule| rule_of(&rule).ok());
                *work >= 1
                    && rule.is_some_and(|rule| rule.threshold >= 0.0 && rule.budget >= 0.0)
                    && match self.phase {
                        Phase::Filling | Phase::Deciding => true,
                        Phase::Under(before) => Some(before) == rule,
                        Phase::New | Phase::Accepting(..) => false,
                    }
            }
            Call::Commit(candidate) => {
                matches!(self.phase, Phase::Accepting(accepted, _) if accepted == *candidate)
            }
            Call::Idle => true,
            Call::Free(processors, when) => {
                let in_time = when.checked_sub(self.now).is_some_and(|span| times.contains(&span));
                self.begun() && in_time && (0..=self.processors()).contains(processors)
            }
            Call::Quantile(probability) => self.head_starts() && *probability > 0.0 && *probability <= 1.0,
            Call::Quantiles => self.head_starts() && matches!(self.phase, Phase::Filling | Phase::Deciding),
            Call::Judgement(candidate) => (0..self.candidates.len() as i32).contains(candidate),
        }
    }

    /// Properties of a decision, and its consequences.
    fn decided(&mut self, rule: Rule, work: i64, step: Step, pass: &backfill::Pass) {
        let criterion = rule.criterion;
        let probability = [Criterion::Probability, Criterion::Bound].contains(&criterion);
        // Candidates judged before may have been judged by another criterion.
        let uniform = self.log.as_ref().is_some_and(|log| {
            log.iter().all(|done| !matches!(done, Done::Decided(other, _) if other.criterion != criterion))
        });
        for candidate in 0..self.candidates.len() {
            let Judgement { delay, verdict, .. } = pass.judgement(candidate).unwrap();
            assert!(delay.is_finite() && delay >= 0.0, "{delay}");
            assert!(step != Step::Done || verdict != Verdict::Undecided);
            assert!(!probability || !uniform || delay <= 1.0 + 1e-9, "{delay}");
        }
        match step {
            Step::More => {
                assert!(work < i64::MAX);
                self.phase = Phase::Under(rule);
                return;
            }
            Step::Done => self.phase = Phase::Deciding,
            Step::Accept(candidate) => {
                let Judgement { delay, verdict, .. } = pass.judgement(candidate).unwrap();
                assert_eq!(verdict, Verdict::Accepted);
                let spent = self.spent[criterion as usize] + delay;
                let harmless = delay < rule.threshold && (spent.is_nan() || spent <= rule.budget);
                assert!(harmless || rule.or_easy);
                assert!(self.candidates[candidate] <= self.idle);
                self.phase = Phase::Accepting(candidate as i32, criterion);
            }
        }
        self.note(Done::Decided(rule, step));
        self.check_again(pass);
    }

    /// The head job has started with this probability at this time, and not a second earlier.
    fn started_first(&self, probability: f64, when: i64, mut memory: Vec<u64>) {
        let mut pass = attached(&mut memory);
        let mut started = |when| pass.free_probability(self.head.1 as u32, when).unwrap();
        assert!(started(when) >= probability - 1e-9 && started(when - 1) < probability + 1e-9, "{when}");
    }

    /// Does once more what led here.
    fn check_again(&self, pass: &backfill::Pass) {
        let Some(log) = &self.log else { return };
        let size = backfill::Pass::size(&self.capacity).unwrap();
        let mut memory = vec![0u64; size / 8];
        let memory = bytemuck::cast_slice_mut(&mut memory);
        let mut again = backfill::Pass::init(memory, &self.capacity).unwrap();
        again.begin(self.now, self.idle_at_first as u32, self.head.0, self.head.1 as u32).unwrap();
        again.set_head_waited(self.head_waited).unwrap();
        for done in log {
            match done {
                Done::Running(job) => {
                    let known = job.known().unwrap().core();
                    again.add_running(job.processors as u32, job.age, job.limit, &known).unwrap();
                }
                Done::Candidate(job) => {
                    let known = job.known().unwrap().core();
                    again.add_candidate(job.processors as u32, job.limit, &known).unwrap();
                }
                Done::Committed(candidate) => again.commit(*candidate as usize).unwrap(),
                Done::Decided(rule, step) => assert_eq!(again.decide(rule, u64::MAX), Ok(*step)),
            }
        }
        for candidate in 0..self.candidates.len() {
            assert_eq!(pass.judgement(candidate), again.judgement(candidate));
        }
    }

    fn call_core(&self, pass: &mut backfill::Pass, call: &Call, out: &mut Outputs) -> Result<()> {
        match call {
            Call::Begin(now, idle, head, processors, waited) => {
                pass.begin(*now, counted(*idle)?, *head, counted(*processors)?)?;
                pass.set_head_waited(*waited)?;
            }
            Call::Running(job) => {
                let known = job.known().ok_or(Error::Misaligned)?.core();
                let processors = counted(job.processors)?;
                out.int = pass.add_running(processors, job.age, job.limit, &known)? as i32;
            }
            Call::Candidate(job) => {
                let known = job.known().ok_or(Error::Misaligned)?.core();
                out.int = pass.add_candidate(counted(job.processors)?, job.limit, &known)? as i32;
            }
            Call::Decide(given, work) => {
                let rule = rule_of(&given.meant().ok_or(Error::WrongVersion)?)?;
                (out.int, out.second) = match pass.decide(&rule, worked(*work)?)? {
                    Step::Accept(index) => (SUREFILL_STEP_ACCEPT, index as i32),
                    Step::More => (SUREFILL_STEP_MORE, -1),
                    Step::Done => (SUREFILL_STEP_DONE, -1),
                };
            }
            Call::Commit(candidate) => {
                pass.commit(usize::try_from(*candidate).map_err(|_| Error::NoSuchIndex)?)?;
            }
            Call::Idle => out.int = pass.idle() as i32,
            Call::Free(processors, when) => {
                out.real = pass.free_probability(counted(*processors)?, *when)?;
            }
            Call::Quantile(probability) => out.long = pass.head_start_quantile(*probability)?,
            Call::Quantiles => {
                let mut work = 1;
                while !pass.head_start_quantiles(&ASKED, &mut out.whens, work)? {
                    work *= 64;
                }
                out.int = SUREFILL_STEP_DONE;
            }
            Call::Judgement(candidate) => {
                let candidate = usize::try_from(*candidate).map_err(|_| Error::NoSuchIndex)?;
                let Judgement { delay, exactness, verdict, .. } = pass.judgement(candidate)?;
                (out.real, out.int, out.second) = (delay, exactness as i32, verdict as i32);
            }
        }
        Ok(())
    }
}

impl Subject for Pass {
    type Call = Call;
    const SEALS: bool = false;

    fn make(input: &mut Input) -> Option<(Pass, Block)> {
        let usual = initialised(surefill_pass_capacity_init);
        let capacity = surefill_pass_capacity {
            running: input.int(12),
            candidates: input.int(12),
            processors: if input.below(8) == 0 { input.int(40) } else { 24 + input.below(16) as i32 },
            bins: if input.below(8) == 0 { input.int(24) } else { 8 + input.below(16) as i32 },
            events_per_bin: input.int(4),
            // Few cells make groups of equal times bounded instead of exact.
            tie_cells: input.below(250) as i32 * 4,
            ..usual
        };
        let given = Sized::new(input, capacity, usual, LIMITS);
        let capacity = given.meant().and_then(|meant| capacity_of(&meant).ok());
        let mut size = MARK as i64;
        let status = unsafe { surefill_pass_size(given.pointer(), &mut size) };
        let core = capacity.ok_or(Error::OutOfRange).and_then(|it| backfill::Pass::size(&it));
        assert_eq!(status == SUREFILL_OK, core.is_ok(), "{given:?}");
        assert_eq!(size, core.map_or(MARK as i64, |size| size as i64));
        let (Some(capacity), 0..=LARGEST) = (capacity, size) else { return None };
        let init = |to, length, out| unsafe { surefill_pass_init(to, length, given.pointer(), out) };
        let (capacity, block) = make(input, size, init, Ok(capacity))?;
        Some((Pass { capacity, ..Pass::default() }, block))
    }

    fn read(&self, input: &mut Input) -> (Call, Pointer) {
        // Mostly what its phase calls for.
        let call = match (self.phase, input.below(20)) {
            (_, 0) | (Phase::New, 1..=16) | (Phase::Deciding, 3..=9) => {
                let (idle, more) = (input.int(10), input.int(20));
                let usual = idle.saturating_add(more).saturating_add(1).min(self.processors());
                let needed = if input.below(8) == 0 { input.int(40) } else { usual };
                Call::Begin(input.seconds(), idle, input.below(3) as i64, needed, input.seconds())
            }
            (Phase::Filling, 1..=7) | (_, 1) => {
                let age = input.seconds();
                Call::Running(Job::any(input, 7, age))
            }
            (Phase::Filling, 8..=12) | (_, 2) => Call::Candidate(Job::any(input, 9, 0)),
            (Phase::Accepting(accepted, _), 3..=12) => {
                Call::Commit(if input.rarely() { input.int(12) } else { accepted })
            }
            (_, 11) => Call::Commit(input.int(12)),
            (_, 12) => Call::Idle,
            (_, 13) => Call::Free(input.int(40), self.now.saturating_add(input.seconds())),
            (_, 14) => Call::Quantile(input.probability()),
            (_, 15) => Call::Quantiles,
            (_, 16) => Call::Judgement(input.int(12)),
            (phase, _) => {
                let usual = initialised(surefill_rule_init);
                let mut rule = surefill_rule {
                    criterion: input.int(3),
                    threshold: input.probability(),
                    or_easy: input.int(1),
                    ..usual
                };
                if input.below(4) == 0 {
                    rule.budget = input.probability();
                } else if input.below(2) == 0 {
                    rule.threshold *= 4.0;
                }
                if rule.criterion == SUREFILL_CRITERION_SECONDS {
                    rule.threshold *= 1000.0;
                    rule.budget *= 100.0;
                }
                // After MORE mostly the same rule again.
                if let (Phase::Under(before), false) = (phase, input.rarely()) {
                    let Rule { criterion, threshold, budget, or_easy, .. } = before;
                    let (criterion, or_easy) = (criterion as i32, i32::from(or_easy));
                    rule = surefill_rule { criterion, threshold, budget, or_easy, ..usual };
                }
                let work = [i64::MAX, i64::MAX, input.seconds(), 1 + input.below(64) as i64][input.below(4)];
                Call::Decide(Box::new(Sized::new(input, rule, usual, RULE)), work)
            }
        };
        (call, Pointer::any(input))
    }

    fn perform(&self, handle: *mut c_void, _length: i64, call: &Call, output: Pointer) -> Outcome {
        let (pass, mut out): (*mut surefill_pass, _) = (handle.cast(), Outputs::new());
        let (int, second, real) = (output.to(&raw mut out.int), &raw mut out.second, &raw mut out.real);
        // SAFETY: outputs and arrays have the lengths that the calls are given.
        let status = unsafe {
            match call {
                Call::Begin(now, idle, head, processors, waited) => {
                    surefill_pass_begin(pass, *now, *idle, *head, *processors, *waited)
                }
                Call::Running(job) => job.with(|known| {
                    surefill_pass_add_running(pass, job.processors, job.age, job.limit, known, int)
                }),
                Call::Candidate(job) => {
                    job.with(|known| surefill_pass_add_candidate(pass, job.processors, job.limit, known, int))
                }
                Call::Decide(rule, work) => surefill_pass_decide(pass, rule.pointer(), *work, int, second),
                Call::Commit(candidate) => surefill_pass_commit(pass, *candidate),
                Call::Idle => surefill_pass_idle(pass, int),
                Call::Free(processors, when) => {
                    surefill_pass_free_probability(pass, *processors, *when, output.to(real))
                }
                Call::Quantile(probability) => {
                    surefill_pass_head_start_quantile(pass, *probability, output.to(&raw mut out.long))
                }
                Call::Quantiles => {
                    let (mut work, mut step, to) = (1, SUREFILL_STEP_MORE, out.whens.as_mut_ptr());
                    loop {
                        let (asked, step) = (ASKED.as_ptr(), output.to(&raw mut step));
                        let status = surefill_pass_head_start_quantiles(pass, asked, 3, work, to, step);
                        if status != SUREFILL_OK || *step != SUREFILL_STEP_MORE {
                            break status;
                        }
                        work *= 64;
                    }
                }
                Call::Judgement(candidate) => {
                    surefill_pass_judgement(pass, *candidate, output.to(real), &raw mut out.int, second)
                }
            }
        };
        if matches!(call, Call::Quantiles) && status == SUREFILL_OK {
            out.int = SUREFILL_STEP_DONE;
        }
        out.after(status)
    }

    fn core(&self, memory: &mut [u8], call: &Call) -> Option<Outcome> {
        let mut pass = backfill::Pass::attach(memory).unwrap();
        match call {
            // C refuses these before it changes anything.
            Call::Begin(.., waited) if !(0..=SUREFILL_MAX_SECONDS).contains(waited) => return None,
            Call::Decide(given, _) if given.meant().is_none() => return None,
            _ => {}
        }
        let mut out = Outputs::new();
        let status = code(&self.call_core(&mut pass, call, &mut out));
        Some(out.after(status))
    }

    fn optional(&self, call: &Call) -> bool {
        matches!(call, Call::Running(_) | Call::Candidate(_))
    }

    fn expected(&self, call: &Call) -> Expected {
        use Expected::Error;
        if self.legal(call) {
            return Expected::Status(SUREFILL_OK);
        }
        match call {
            Call::Begin(..) => Error(&[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_HEAD_FITS]),
            Call::Running(_) | Call::Candidate(_) => Error(&[
                SUREFILL_ERROR_OUT_OF_RANGE,
                SUREFILL_ERROR_FULL,
                SUREFILL_ERROR_WRONG_STATE,
                SUREFILL_ERROR_MISALIGNED,
            ]),
            Call::Decide(..) => Error(&[
                ERRORS[0],
                ERRORS[1],
                SUREFILL_ERROR_NULL,
                SUREFILL_ERROR_MISALIGNED,
                SUREFILL_ERROR_NOT_A_NUMBER,
                SUREFILL_ERROR_OUT_OF_RANGE,
                SUREFILL_ERROR_WRONG_STATE,
            ]),
            Call::Commit(_) => Error(&[SUREFILL_ERROR_WRONG_STATE, SUREFILL_ERROR_NO_SUCH_INDEX]),
            Call::Free(..) => Error(&[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_WRONG_STATE]),
            Call::Quantile(_) | Call::Quantiles => Error(&[
                SUREFILL_ERROR_NOT_A_NUMBER,
                SUREFILL_ERROR_OUT_OF_RANGE,
                SUREFILL_ERROR_WRONG_STATE,
                SUREFILL_ERROR_NEVER,
            ]),
            Call::Idle | Call::Judgement(_) => Error(&[SUREFILL_ERROR_NO_SUCH_INDEX]),
        }
    }

    fn done(&mut self, call: &Call, outputs: &[u64], handle: *mut c_void, length: i64) {
        let (int, second) = (outputs[0] as i32, outputs[1] as i32);
        let real = f64::from_bits(outputs[2]);
        match call {
            Call::Begin(now, idle, head, processors, waited) => {
                if self.phase == Phase::New {
                    self.spent = [0.0; 4];
                } else if self.head.0 != *head {
                    self.kept[self.head.0 as usize] = self.spent;
                    self.spent = std::mem::take(&mut self.kept[*head as usize]);
                }
                (self.now, self.head, self.idle_at_first) = (*now, (*head, *processors), *idle);
                (self.idle, self.busy, self.running) = (*idle, 0, 0);
                (self.phase, self.head_waited) = (Phase::Filling, *waited);
                self.candidates.clear();
                self.log = (self.spent == [0.0; 4]).then(Vec::new);
            }
            Call::Running(job) => {
                assert!(int == MARK_INT || int == self.running);
                self.running += 1;
                self.busy += job.processors;
                self.note(Done::Running(job.clone()));
            }
            Call::Candidate(job) => {
                assert!(int == MARK_INT || int as usize == self.candidates.len());
                self.candidates.push(job.processors);
                self.note(Done::Candidate(job.clone()));
            }
            Call::Decide(given, work) => {
                let step = match int {
                    SUREFILL_STEP_ACCEPT => Step::Accept(second as usize),
                    SUREFILL_STEP_MORE => Step::More,
                    _ => Step::Done,
                };
                let (mut memory, rule) = (copied(handle, length), rule_of(&given.meant().unwrap()));
                self.decided(rule.unwrap(), *work, step, &attached(&mut memory));
            }
            Call::Commit(candidate) => {
                let Phase::Accepting(_, criterion) = self.phase else { unreachable!() };
                let processors = self.candidates[*candidate as usize];
                let mut memory = copied(handle, length);
                let delay = attached(&mut memory).judgement(*candidate as usize).unwrap().delay;
                self.spent[criterion as usize] += delay;
                // The relative criterion books seconds as well, as many as are not modelled: no later budget is known.
                if criterion == Criterion::Relative && delay > 0.0 {
                    self.spent[Criterion::Seconds as usize] = f64::NAN;
                }
                self.idle -= processors;
                self.busy += processors;
                self.running += 1;
                self.phase = Phase::Deciding;
                self.note(Done::Committed(*candidate));
            }
            Call::Idle => assert_eq!(int, self.idle),
            Call::Free(..) => assert!((0.0..=1.0).contains(&real)),
            Call::Quantile(probability) => {
                self.started_first(*probability, outputs[3] as i64, copied(handle, length));
            }
            Call::Quantiles => {
                for (share, &when) in ASKED.into_iter().zip(&outputs[4..]) {
                    self.started_first(share, when as i64, copied(handle, length));
                }
            }
            Call::Judgement(_) => assert!(real.is_finite() && real >= 0.0, "{real}"),
        }
    }
}
