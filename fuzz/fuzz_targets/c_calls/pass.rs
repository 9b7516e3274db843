//! Calls on passes, beside a model of their state; and each pass once more without interruptions, which must decide the
//! same bit by bit.

#[path = "starts.rs"]
mod starts;

use crate::World;
use crate::blocks::{Block, handle, place, succeeded};
use crate::input::{Input, MARK_INT, MARK_LONG, MARK_REAL};
use crate::structures::{LIMITS, RULE, Sized, default_limits, default_rule};
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::runtime::RuntimeDistribution;

/// Longer blocks would make the executions slow; calls on them are made without memory.
const LARGEST: i64 = 1 << 19;

pub struct Pass {
    pub block: Block,
    capacity: surefill_pass_capacity,
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

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    New,
    Filling,
    Deciding,
    /// After MORE under this rule.
    Under(Rule),
    /// This candidate waits, accepted under a criterion.
    Accepting(i32, i32),
}

/// Criterion, threshold and budget, and whether what EASY would start is accepted anyway.
type Rule = (i32, f64, f64, i32);

enum Done {
    Running(i32, i64, i64, Option<Block>),
    Candidate(i32, i64, Option<Block>),
    /// A decision that came to its end, and what it came to.
    Decided(Rule, i32, i32),
    Committed(i32),
}

pub fn make(world: &mut World, input: &mut Input) {
    let mut capacity = default_limits();
    capacity.running = input.int(12);
    capacity.candidates = input.int(12);
    capacity.processors = input.int(40);
    capacity.bins = input.int(24);
    capacity.events_per_bin = input.int(4);
    // Few cells make groups of equal times bounded instead of exact.
    capacity.tie_cells = input.below(250) as i32 * 4;
    let given = Sized::new(input, capacity, default_limits(), LIMITS);
    let mut size = MARK_LONG;
    let out = input.output(&mut size);
    let usable = given.meant().filter(in_range);
    let status = unsafe { surefill_pass_size(given.pointer(), out) };
    let errors = [SUREFILL_ERROR_WRONG_VERSION, SUREFILL_ERROR_NO_STRUCT_SIZE, SUREFILL_ERROR_OUT_OF_RANGE];
    if !succeeded(status, usable.is_some() && out == &raw mut size, &errors) {
        assert_eq!(size, MARK_LONG);
    }
    let fits = (0..=LARGEST).contains(&size);
    let block = Block::new(if fits { size } else { 0 });
    let (memory, length, placed) = place(input, &block, size.min(block.length()));
    let mut made = null_mut();
    let out = input.output(&mut made);
    let status = unsafe { surefill_pass_init(memory, length, given.pointer(), out) };
    let errors = [
        SUREFILL_ERROR_TOO_SMALL,
        SUREFILL_ERROR_WRONG_VERSION,
        SUREFILL_ERROR_NO_STRUCT_SIZE,
        SUREFILL_ERROR_OUT_OF_RANGE,
    ];
    let legal = placed && out == &raw mut made && usable.is_some() && fits;
    if succeeded(status, legal, &errors) {
        let slot = input.below(world.passes.len() as u8);
        let capacity = surefill_pass_capacity { struct_size: capacity.struct_size, ..usable.unwrap() };
        if let Some(old) = world.passes[slot].replace(Pass::new(block, capacity)) {
            old.check_again();
        }
    } else {
        assert!(made.is_null());
    }
}

fn in_range(capacity: &surefill_pass_capacity) -> bool {
    (0..=1 << 20).contains(&capacity.running)
        && (0..=1 << 20).contains(&capacity.candidates)
        && (1..=1 << 24).contains(&capacity.processors)
        && (1..=SUREFILL_MAX_BINS).contains(&capacity.bins)
        && (1..=SUREFILL_MAX_EVENTS_PER_BIN).contains(&capacity.events_per_bin)
        && (0..=1 << 28).contains(&capacity.tie_cells)
}

/// A pass's handle, and its model when it is one.
fn pass<'w>(world: &'w mut World, input: &mut Input) -> (*mut surefill_pass, Option<&'w mut Pass>) {
    let (handle, slot) = handle(input, &world.passes, |pass| &pass.block, &world.stranger);
    (handle, slot.and_then(|slot| world.passes[slot].as_mut()))
}

/// A refused call changes nothing.
fn unchanged(pass: &Option<&mut Pass>, call: impl FnOnce() -> i32) -> i32 {
    let before = pass.as_ref().map(|pass| pass.block.head());
    let status = call();
    if status != SUREFILL_OK {
        assert!(
            before == pass.as_ref().map(|pass| pass.block.head()),
            "changed by a call that failed: {status}"
        );
    }
    status
}

/// The block holds no pointers: it may lie elsewhere from now on.
pub fn move_block(world: &mut World, input: &mut Input) {
    if let (_, Some(pass)) = pass(world, input) {
        pass.block.moved();
    }
}

pub fn begin(world: &mut World, input: &mut Input) {
    let (handle, pass) = pass(world, input);
    let (now, idle) = (input.seconds(), input.int(16));
    let (head, waited) = ((input.below(3) as i64, input.int(40)), input.seconds());
    let legal = pass.as_ref().is_some_and(|pass| {
        let most = 0..=pass.capacity.processors;
        let timely = now.unsigned_abs() <= 1 << 53 && (0..=SUREFILL_MAX_SECONDS).contains(&waited);
        timely && most.contains(&idle) && most.contains(&head.1) && idle < head.1
    });
    if let Some(pass) = &pass
        && legal
    {
        pass.check_again();
    }
    let status =
        unchanged(&pass, || unsafe { surefill_pass_begin(handle, now, idle, head.0, head.1, waited) });
    if !succeeded(status, legal, &[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_HEAD_FITS]) {
        return;
    }
    let pass = pass.unwrap();
    if pass.phase == Phase::New {
        pass.spent = [0.0; 4];
    } else if pass.head.0 != head.0 {
        pass.kept[pass.head.0 as usize] = pass.spent;
        pass.spent = std::mem::take(&mut pass.kept[head.0 as usize]);
    }
    (pass.now, pass.head, pass.idle, pass.idle_at_first) = (now, head, idle, idle);
    (pass.phase, pass.busy, pass.running, pass.head_waited) = (Phase::Filling, 0, 0, waited);
    pass.candidates.clear();
    pass.log = (pass.spent == [0.0; 4]).then(Vec::new);
}

/// A distribution's handle, its block, and how many bins it has; `None` when it is no handle at all.
type Prediction = (*const surefill_distribution, Option<(Option<Block>, i32)>);

fn prediction(world: &World, input: &mut Input) -> Prediction {
    let (handle, slot) =
        handle::<surefill_distribution, _>(input, &world.distributions, |d| &d.block, &world.stranger);
    if handle.is_null() {
        return (handle, Some((None, 1)));
    }
    let distribution = slot.and_then(|slot| world.distributions[slot].as_ref());
    let bins = |value: &RuntimeDistribution| value.binned().map_or(1, |(bins, _)| bins.count() as i32);
    (handle, distribution.map(|d| (Some(d.block.clone()), bins(&d.value))))
}

const ADD: [i32; 3] = [SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_FULL, SUREFILL_ERROR_WRONG_STATE];

pub fn add_running(world: &mut World, input: &mut Input) {
    let (distribution, known) = prediction(world, input);
    let (handle, pass) = pass(world, input);
    let (processors, age, limit) = (input.int(15), input.seconds(), input.seconds());
    let mut index = MARK_INT;
    let out = index_output(input, &mut index);
    let right = out.is_null() || out == &raw mut index;
    let legal = pass.as_ref().zip(known.as_ref()).is_some_and(|(pass, (_, bins))| {
        pass.phase == Phase::Filling
            && pass.running < pass.capacity.running
            && (1..=pass.capacity.processors - pass.idle - pass.busy).contains(&processors)
            && pass.takes(age, limit, *bins)
    });
    let status = unchanged(&pass, || unsafe {
        surefill_pass_add_running(handle, processors, age, limit, distribution, out)
    });
    if !succeeded(status, legal && right, &ADD) {
        assert_eq!(index, MARK_INT);
        return;
    }
    let pass = pass.unwrap();
    assert!(out.is_null() || index == pass.running);
    pass.running += 1;
    pass.busy += processors;
    pass.note(Done::Running(processors, age, limit, known.and_then(|(block, _)| block)));
}

pub fn add_candidate(world: &mut World, input: &mut Input) {
    let (distribution, known) = prediction(world, input);
    let (handle, pass) = pass(world, input);
    let (processors, limit) = (input.int(12), input.seconds());
    let mut index = MARK_INT;
    let out = index_output(input, &mut index);
    let right = out.is_null() || out == &raw mut index;
    let legal = pass.as_ref().zip(known.as_ref()).is_some_and(|(pass, (_, bins))| {
        pass.phase == Phase::Filling
            && pass.candidates.len() < pass.capacity.candidates as usize
            && (1..=pass.capacity.processors).contains(&processors)
            && pass.takes(0, limit, *bins)
    });
    let status = unchanged(&pass, || unsafe {
        surefill_pass_add_candidate(handle, processors, limit, distribution, out)
    });
    if !succeeded(status, legal && right, &ADD) {
        assert_eq!(index, MARK_INT);
        return;
    }
    let pass = pass.unwrap();
    assert!(out.is_null() || index as usize == pass.candidates.len());
    pass.candidates.push(processors);
    pass.note(Done::Candidate(processors, limit, known.and_then(|(block, _)| block)));
}

/// An output that may be left out.
fn index_output(input: &mut Input, index: &mut i32) -> *mut i32 {
    if input.below(4) == 0 { null_mut() } else { input.output(index) }
}

pub fn decide(world: &mut World, input: &mut Input) {
    let (handle, pass) = pass(world, input);
    let mut rule = default_rule();
    rule.criterion = input.int(3);
    rule.threshold = input.probability();
    if input.below(4) == 0 {
        rule.budget = input.probability();
    }
    if rule.criterion == SUREFILL_CRITERION_SECONDS {
        rule.threshold *= 100.0;
        rule.budget *= 100.0;
    }
    // After MORE mostly the same rule again.
    rule.or_easy = input.int(1);
    if let Some(Phase::Under((criterion, threshold, budget, or_easy))) = pass.as_ref().map(|pass| pass.phase)
        && !input.rarely()
    {
        rule = surefill_rule { criterion, threshold, budget, or_easy, ..rule };
    }
    let given = Sized::new(input, rule, default_rule(), RULE);
    let work = if input.below(2) == 0 { i64::MAX } else { input.seconds() };
    let (mut step, mut candidate) = (MARK_INT, MARK_INT);
    let (step_out, candidate_out) = (input.output(&mut step), input.output(&mut candidate));
    let meant =
        given.meant().map(|rule| (rule.criterion, rule.threshold, rule.budget, i32::from(rule.or_easy != 0)));
    let legal = step_out == &raw mut step
        && candidate_out == &raw mut candidate
        && work >= 1
        && meant.is_some_and(|rule| rule.1 >= 0.0 && rule.2 >= 0.0 && (0..=3).contains(&rule.0))
        && pass.as_ref().is_some_and(|pass| match pass.phase {
            Phase::Filling | Phase::Deciding => true,
            Phase::Under(rule) => Some(rule) == meant,
            Phase::New | Phase::Accepting(..) => false,
        });
    let status = unchanged(&pass, || unsafe {
        surefill_pass_decide(handle, given.pointer(), work, step_out, candidate_out)
    });
    let errors = [
        SUREFILL_ERROR_WRONG_VERSION,
        SUREFILL_ERROR_NO_STRUCT_SIZE,
        SUREFILL_ERROR_NOT_A_NUMBER,
        SUREFILL_ERROR_OUT_OF_RANGE,
        SUREFILL_ERROR_WRONG_STATE,
    ];
    if !succeeded(status, legal, &errors) {
        assert_eq!((step, candidate), (MARK_INT, MARK_INT));
        return;
    }
    pass.unwrap().decided(meant.unwrap(), work, step, candidate);
}

/// Commits, mostly what was accepted.
pub fn settle(world: &mut World, input: &mut Input) {
    let (handle, pass) = pass(world, input);
    let accepted = pass.as_ref().and_then(|pass| match pass.phase {
        Phase::Accepting(candidate, criterion) => Some((candidate, criterion)),
        _ => None,
    });
    let candidate = match accepted {
        Some((candidate, _)) if !input.rarely() => candidate,
        _ => input.int(12),
    };
    let legal = accepted.is_some_and(|(accepted, _)| accepted == candidate);
    let errors = [SUREFILL_ERROR_WRONG_STATE, SUREFILL_ERROR_NO_SUCH_INDEX];
    let status = unchanged(&pass, || unsafe { surefill_pass_commit(handle, candidate) });
    if succeeded(status, legal, &errors)
        && let (Some(pass), Some((_, criterion))) = (pass, accepted)
    {
        let processors = pass.candidates[candidate as usize];
        let delay = judgement(&pass.block, candidate).0;
        pass.spent[criterion as usize] += delay;
        // The relative criterion books seconds as well, as many as are not modelled: no later budget is known.
        if criterion == SUREFILL_CRITERION_RELATIVE && delay > 0.0 {
            pass.spent[SUREFILL_CRITERION_SECONDS as usize] = f64::NAN;
        }
        pass.idle -= processors;
        pass.busy += processors;
        pass.running += 1;
        pass.phase = Phase::Deciding;
        pass.note(Done::Committed(candidate));
    }
}

/// Idle processors, and when the head job may start.
pub fn ask(world: &mut World, input: &mut Input) {
    let (handle, pass) = pass(world, input);
    let mut idle = MARK_INT;
    let out = input.output(&mut idle);
    let status = unchanged(&pass, || unsafe { surefill_pass_idle(handle, out) });
    if succeeded(status, pass.is_some() && out == &raw mut idle, &[]) {
        assert_eq!(Some(idle), pass.as_ref().map(|pass| pass.idle));
    } else {
        assert_eq!(idle, MARK_INT);
    }

    let now = pass.as_ref().map_or(0, |pass| pass.now);
    let (processors, when) = (input.int(40), now.saturating_add(input.seconds()));
    let begun = pass.as_ref().is_some_and(|pass| pass.phase != Phase::New);
    let in_time = when.checked_sub(now).is_some_and(|span| (0..=SUREFILL_MAX_SECONDS).contains(&span));
    let asked = pass.as_ref().is_some_and(|pass| (0..=pass.capacity.processors).contains(&processors));
    let errors = [SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_WRONG_STATE];
    let mut free = MARK_REAL;
    let out = input.output(&mut free);
    let status =
        unchanged(&pass, || unsafe { surefill_pass_free_probability(handle, processors, when, out) });
    if succeeded(status, begun && in_time && asked && out == &raw mut free, &errors) {
        assert!((0.0..=1.0).contains(&free));
    } else {
        assert_eq!(free, MARK_REAL);
    }
    starts::quantiles(handle, pass.as_deref());
    starts::quantile(handle, pass, input);
}

pub fn ask_candidates(world: &mut World, input: &mut Input) {
    let (handle, pass) = pass(world, input);
    let candidate = input.int(12);
    let known = pass.as_ref().is_some_and(|pass| (0..pass.candidates.len() as i32).contains(&candidate));
    let (mut delay, mut exactness, mut verdict) = (MARK_REAL, MARK_INT, MARK_INT);
    let outputs = (input.output(&mut delay), input.output(&mut exactness), input.output(&mut verdict));
    let right = outputs == (&raw mut delay, &raw mut exactness, &raw mut verdict);
    let status = unchanged(&pass, || unsafe {
        surefill_pass_judgement(handle, candidate, outputs.0, outputs.1, outputs.2)
    });
    if succeeded(status, known && right, &[SUREFILL_ERROR_NO_SUCH_INDEX]) {
        assert!(delay.is_finite() && delay >= 0.0, "{delay}");
    } else {
        assert_eq!((delay, exactness, verdict), (MARK_REAL, MARK_INT, MARK_INT));
    }
}

/// Delay, exactness and verdict of a candidate that there is.
fn judgement(block: &Block, candidate: i32) -> (f64, i32, i32) {
    let (mut delay, mut exactness, mut verdict) = (MARK_REAL, MARK_INT, MARK_INT);
    let status = unsafe {
        surefill_pass_judgement(block.pointer(), candidate, &mut delay, &mut exactness, &mut verdict)
    };
    assert_eq!(status, SUREFILL_OK);
    (delay, exactness, verdict)
}

impl Pass {
    fn new(block: Block, capacity: surefill_pass_capacity) -> Pass {
        Pass {
            block,
            capacity,
            phase: Phase::New,
            now: 0,
            head: (0, 0),
            idle: 0,
            busy: 0,
            running: 0,
            candidates: Vec::new(),
            spent: [0.0; 4],
            kept: [[0.0; 4]; 3],
            log: None,
            idle_at_first: 0,
            head_waited: 0,
        }
    }

    fn note(&mut self, done: Done) {
        if let Some(log) = &mut self.log {
            log.push(done);
        }
    }

    /// Whether a job of this age under this limit, with this number of bins, has room.
    fn takes(&self, age: i64, limit: i64, bins: i32) -> bool {
        let times = 0..=SUREFILL_MAX_SECONDS;
        let room = self.capacity.bins * self.capacity.events_per_bin;
        let needed = if bins == 1 { 1 } else { bins * self.capacity.events_per_bin };
        times.contains(&age) && times.contains(&limit) && needed <= room
    }

    /// Properties of a decision, and its consequences.
    fn decided(&mut self, rule: Rule, work: i64, step: i32, candidate: i32) {
        let (criterion, threshold, budget, or_easy) = rule;
        let probability = [SUREFILL_CRITERION_PROBABILITY, SUREFILL_CRITERION_BOUND].contains(&criterion);
        for candidate in 0..self.candidates.len() as i32 {
            let (delay, exactness, verdict) = judgement(&self.block, candidate);
            assert!(delay.is_finite() && delay >= 0.0, "{delay}");
            assert!((SUREFILL_DELAY_EXACT..=SUREFILL_DELAY_NOT_MEASURED).contains(&exactness));
            assert!((SUREFILL_VERDICT_UNDECIDED..=SUREFILL_VERDICT_HEAD_NEVER).contains(&verdict));
            assert!(step != SUREFILL_STEP_DONE || verdict != SUREFILL_VERDICT_UNDECIDED);
            // Candidates judged before may have been judged by another criterion.
            let uniform = self.log.as_ref().is_some_and(|log| {
                log.iter().all(|done| !matches!(done, Done::Decided(other, ..) if other.0 != criterion))
            });
            assert!(!probability || !uniform || delay <= 1.0 + 1e-9, "{delay}");
        }
        match step {
            SUREFILL_STEP_MORE => {
                assert!(candidate == -1 && work < i64::MAX);
                self.phase = Phase::Under(rule);
                return;
            }
            SUREFILL_STEP_DONE => {
                assert_eq!(candidate, -1);
                self.phase = Phase::Deciding;
            }
            _ => {
                assert_eq!(step, SUREFILL_STEP_ACCEPT);
                let (delay, _, verdict) = judgement(&self.block, candidate);
                assert_eq!(verdict, SUREFILL_VERDICT_ACCEPTED);
                let spent = self.spent[criterion as usize] + delay;
                let harmless = delay < threshold && (spent.is_nan() || spent <= budget);
                assert!(harmless || or_easy != 0);
                assert!(self.candidates[candidate as usize] <= self.idle);
                self.phase = Phase::Accepting(candidate, criterion);
            }
        }
        self.note(Done::Decided(rule, step, candidate));
    }

    /// Does once more what led here, without interruptions and questions in between: every decision and, in the end,
    /// every judgement must be the same.
    pub fn check_again(&self) {
        let (Some(log), false) = (&self.log, matches!(self.phase, Phase::Under(_))) else { return };
        let block = Block::new(self.block.length());
        let mut pass = null_mut();
        let begun = unsafe {
            assert_eq!(
                surefill_pass_init(block.pointer(), block.length(), &self.capacity, &mut pass),
                SUREFILL_OK
            );
            surefill_pass_begin(
                pass,
                self.now,
                self.idle_at_first,
                self.head.0,
                self.head.1,
                self.head_waited,
            )
        };
        assert_eq!(begun, SUREFILL_OK);
        for done in log {
            assert_eq!(unsafe { done.again(pass) }, SUREFILL_OK);
        }
        for candidate in 0..self.candidates.len() as i32 {
            assert_eq!(judgement(&self.block, candidate), judgement(&block, candidate));
        }
    }
}

impl Done {
    /// # Safety
    /// A pass with the same done to it before.
    unsafe fn again(&self, pass: *mut surefill_pass) -> i32 {
        let prediction = |block: &Option<Block>| -> *mut surefill_distribution {
            block.as_ref().map_or(null_mut(), Block::pointer)
        };
        match self {
            Done::Running(processors, age, limit, block) => unsafe {
                surefill_pass_add_running(pass, *processors, *age, *limit, prediction(block), null_mut())
            },
            Done::Candidate(processors, limit, block) => unsafe {
                surefill_pass_add_candidate(pass, *processors, *limit, prediction(block), null_mut())
            },
            Done::Committed(candidate) => unsafe { surefill_pass_commit(pass, *candidate) },
            Done::Decided((criterion, threshold, budget, or_easy), step, candidate) => {
                let rule = surefill_rule {
                    criterion: *criterion,
                    threshold: *threshold,
                    budget: *budget,
                    or_easy: *or_easy,
                    ..default_rule()
                };
                let (mut new_step, mut new_candidate) = (0, 0);
                let status =
                    unsafe { surefill_pass_decide(pass, &rule, i64::MAX, &mut new_step, &mut new_candidate) };
                assert_eq!((new_step, new_candidate), (*step, *candidate));
                status
            }
        }
    }
}
