//! Predictions of run times.
//!
//! Keys of a mixture are user, time limit and processors. Each END is learnt from; a hidden Markov model learns when
//! the scheduler calls surefill_predictor_train.
//!
//! ```c
//! static int64_t memory[1 << 20], bins_memory[SUREFILL_BINS_SIZE / 8], found_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
//! const int64_t keys[] = {501, 3600, 16};
//! surefill_predictor_options options;
//! surefill_predictor *predictor;
//! surefill_bins *bins;
//! surefill_distribution *found;
//! int32_t answer;
//! surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins);
//! surefill_predictor_options_init(SUREFILL_PREDICTOR_MIXTURE, &options);
//! surefill_predictor_init(memory, sizeof memory, &options, bins, &predictor);
//! surefill_predictor_submit(predictor, 4711, keys, 3, 1000000);
//! surefill_predictor_start(predictor, 4711, 1000600);
//! surefill_predictor_predict_job(predictor, 4711, found_memory, sizeof found_memory, &answer, &found);
//! ```
//!
//! The jobs that are held can be compared with the manager's after a restart, and a clock that was wrong set right:
//!
//! ```c
//! surefill_held_job held[8];
//! int32_t written, count;
//! held[0].struct_size = sizeof held[0];
//! surefill_predictor_jobs(predictor, held, 8, &written, &count);
//! surefill_predictor_end(predictor, 4711, 1001000);
//! surefill_predictor_set_clock(predictor, 1000990);
//! ```

mod answers;
mod events;
mod model;

pub use answers::*;
pub use events::*;
pub use model::*;

use super::bins::{bins, surefill_bins};
use super::block::{init, object, open, seal, with_object, write_size};
use super::distribution::{surefill_distribution, write_distribution};
use super::markov::{FIRST_ROUND, load_model, surefill_round, work};
use super::sized::{ends, initialise, output_size, sized, write_sized};
use super::status::{SUREFILL_STEP_DONE, SUREFILL_STEP_IDLE, SUREFILL_STEP_MORE};
use super::{array, array_mut, checked_mut, count, status};
use crate::error::{Error, Result};
use crate::hmm::{HmmCapacity, Initial, Termination};
use crate::predict::{
    Expert, Learning, MAX_EXPERTS, MixtureCapacity, PredictionView, Predictor, PredictorCapacity,
    PredictorKind, PredictorOptions, experts_of,
};
use crate::runtime::{MAX_BINS, View};
use core::ffi::c_void;
use core::ptr::null;

/// Kind of predictor: a mixture of histories of like jobs, "like" in several ways at once, each weighed by how well it
/// has done for the user.
pub const SUREFILL_PREDICTOR_MIXTURE: i32 = 1;
/// Kind of predictor: the user's own recent jobs.
pub const SUREFILL_PREDICTOR_USER: i32 = 2;
/// Kind of predictor: the hidden Markov model of the workload (Nissimov 2006, chapter 4), learnt by Baum-Welch over the
/// slots kept.
pub const SUREFILL_PREDICTOR_HMM: i32 = 3;
/// Kind of predictor: the same model, learnt on line, slot by slot as all jobs of a slot have left; slots and cells
/// need only reach as far back as jobs stay in the system.
pub const SUREFILL_PREDICTOR_HMM_ONLINE: i32 = 4;
/// Kind of predictor: contexts in which jobs are alike, by user, limit, processors and what became of the last jobs,
/// mixed in the logarithm; cut at the limit, and calibrated. Keys of a job are user, time limit in seconds (0 for none)
/// and processors.
pub const SUREFILL_PREDICTOR_CONTEXTS: i32 = 5;

/// Training stops after as many rounds as the threshold says.
pub const SUREFILL_TERMINATION_ROUNDS: i32 = 0;
/// Training stops when sqrt(jobs) x the sum of the parameters' changes is below the threshold.
pub const SUREFILL_TERMINATION_L1: i32 = 1;
/// Training stops when the largest change of a parameter is below the threshold.
pub const SUREFILL_TERMINATION_L_INFINITY: i32 = 2;

/// Prediction: made.
pub const SUREFILL_PREDICTION_MADE: i32 = 0;
/// Prediction: none, since no job has ended yet (mixtures, contexts).
pub const SUREFILL_PREDICTION_NOTHING_LEARNT: i32 = 1;
/// Prediction: none, since the initial period is not over (hidden Markov models, as all that follow).
pub const SUREFILL_PREDICTION_INITIAL_PERIOD: i32 = 2;
/// Prediction: none, since jobs of the initial period are still in the system and not yet given up;
/// surefill_predictor_jobs lists them first.
pub const SUREFILL_PREDICTION_INITIAL_JOBS: i32 = 3;
/// Prediction: none, since the first training has not been completed: call surefill_predictor_train.
pub const SUREFILL_PREDICTION_UNTRAINED: i32 = 4;
/// Prediction: none, since the model does not explain what has happened and there is no floor.
pub const SUREFILL_PREDICTION_UNEXPLAINED: i32 = 5;

/// The most experts of a mixture.
pub const SUREFILL_MAX_EXPERTS: i32 = 16;
/// The most keys of a job.
pub const SUREFILL_MAX_KEYS: i32 = 8;

const _: () = assert!(SUREFILL_MAX_EXPERTS as usize == MAX_EXPERTS);
const _: () = assert!(SUREFILL_MAX_KEYS as usize == crate::predict::MAX_KEYS);

/// One way in which jobs are alike.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_expert {
    /// The keys in which jobs must agree, the sum of 2^i for key i; 0 for all jobs alike.
    pub keys: i32,
    /// 0.
    pub reserved: i32,
    /// The factor by which a job's weight shrinks with every later one of its kind: 0 to 1, 1 for no ageing.
    pub decay: f64,
    /// Number of jobs that all jobs' distribution counts as: above 0, at most 1e9.
    pub prior: f64,
}

/// A predictor's kind, its capacities, and how it learns. Set by surefill_predictor_options_init, then changed as
/// needed. What is not the kind's is checked all the same, but makes no difference.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_predictor_options {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_PREDICTOR_.
    pub kind: i32,
    /// Jobs in the system, queued or running (1 to 16,777,216).
    pub jobs: i32,
    /// Run-time bins (mixtures: 1, hidden Markov models and contexts: 2, to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// A job that has been in the system for more than this number of seconds is given up (1 to 2^40): it may be held,
    /// or its end may have got lost. Nothing waits for it any more, the age of its run is no longer learnt from,
    /// and when there is no room for a new job the oldest of them makes room. If it ends after all it is learnt from,
    /// but for a model learnt on line. To be longer than jobs wait and run together.
    pub oldest_seconds: i64,
    /// Mixtures: keys by which a job is known (1 to SUREFILL_MAX_KEYS). Key 0 is the user. Contexts: 3.
    pub keys: i32,
    /// Mixtures: how many experts there are (1 to SUREFILL_MAX_EXPERTS).
    pub expert_count: i32,
    /// Mixtures: the experts, of which init keeps a copy; NULL for the kind's own, and then expert_count is theirs.
    pub experts: *const surefill_expert,
    /// Mixtures: histories kept (1 to 67,108,864): one for each expert and combination of its keys, and one for each
    /// user. Contexts (1 to 16,777,216): one for each context and combination of its values. Those not written to for
    /// longest leave.
    pub histories: i32,
    /// Hidden Markov models, as all that follows: states (1 to SUREFILL_MAX_STATES).
    pub states: i32,
    /// Slots kept (2 to 268,435,456); the oldest leave.
    pub slots: i32,
    /// Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest
    /// slots leave.
    pub cells: i32,
    /// Slots, from the earliest with a job in the system, whose state is remembered from one prediction to the next (1
    /// to 16,777,216).
    pub window: i32,
    /// One of SUREFILL_LOAD_.
    pub load: i32,
    /// SUREFILL_INITIAL_STATIC or, if the number of states is a power of two, SUREFILL_INITIAL_K_MEANS.
    pub initial: i32,
    /// One of SUREFILL_TERMINATION_.
    pub termination: i32,
    /// The number that termination compares with: a whole number of rounds (at least 1), or epsilon (not negative).
    pub threshold: f64,
    /// A training stops after this number of rounds at the latest (at least 1).
    pub most_rounds: i64,
    /// Length of a slot in seconds (1 to 2^32).
    pub slot_seconds: i64,
    /// No training before this number of seconds after the first submission, and before all jobs submitted in them have
    /// left or are given up (0 to 2^40).
    pub initial_seconds: i64,
    /// With a termination other than L1, training begins again when this number of seconds of new slots is finished (1
    /// to 2^40).
    pub restart_seconds: i64,
    /// The handling of a slot that no possible state explains, in a bin that none has seen for example (0 to below 1).
    /// With 0, the thesis's rule, the predictor is silent until it has learnt from that slot; else the slot is taken as
    /// if every state had drawn any bin with this probability, and predictions fall back to the distribution of all
    /// finished jobs as far as that predicts better.
    pub floor: f64,
    /// On line: a of the step size t^-a (above 0.5, at most 1). See surefill_online_hmm_options.
    pub exponent: f64,
    /// On line: slots before the first maximisation step (not negative).
    pub hold: i64,
}

/// A job that a predictor holds. An array of these has the struct_size that the program sets in its first.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub struct surefill_held_job {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Whether it runs (1) or waits (0).
    pub running: i32,
    /// The caller's number.
    pub job: i64,
    /// When it was submitted.
    pub submitted: i64,
    /// When it started, if it runs; else 0.
    pub started: i64,
    /// Whether it is given up (1), being older than oldest_seconds, or not (0).
    pub given_up: i32,
    /// Number of its keys.
    pub key_count: i32,
    /// The keys with which it was submitted, by custom the user, the limit and the processors, so that a list of what
    /// runs can be made again; none with a hidden Markov model. Of a wait predictor's jobs the requested seconds and
    /// the processors.
    pub keys: [i64; 8],
}

/// Bytes of the first version's held job.
const FIRST_HELD: usize = 104;

/// Writes the jobs that are held, as many as there is room for; returns how many.
///
/// # Safety
/// A pointer that is not NULL and aligned points to `capacity` writable structures of the size that the first says.
pub(super) unsafe fn write_held(
    to: *mut surefill_held_job,
    capacity: i32,
    jobs: impl Iterator<Item = surefill_held_job>,
) -> Result<i32> {
    let room = count(capacity)?;
    if room == 0 {
        return Ok(0);
    }
    let size = unsafe { output_size(to, FIRST_HELD)? };
    if size % align_of::<surefill_held_job>() != 0 {
        return Err(Error::WrongVersion);
    }
    let mut written = 0;
    for job in jobs.take(room as usize) {
        unsafe { write_sized(to.wrapping_byte_add(written * size), job, size) };
        written += 1;
    }
    i32::try_from(written).map_err(|_| Error::Corrupt)
}

/// Keys of a held job, as C has them.
pub(super) fn held_keys(given: &[i64]) -> (i32, [i64; 8]) {
    let mut keys = [0; 8];
    crate::memory::copy(&mut keys, given);
    (given.len() as i32, keys)
}

/// Learns from finished jobs, on line, how long a job will run: by the kind that its options choose.
///
/// Report every job's submission, start and end. What is predicted for a job at its submission is remembered as long as
/// the job is held. Train when it wants to be trained. Jobs are known by the caller's numbers, and to the mixtures by
/// their keys too. Nothing finite that can happen has probability 0 in what is predicted.
///
/// Times are seconds since any fixed origin, within 2^53 of it; the events' may stand still but not go back
/// (surefill_predictor_set_clock sets a clock right that was wrong). Questions may be about later times, and change no
/// later answer; they keep intermediate results, so that they need the lock that events need. With a hidden Markov
/// model an event costs a filter step for each slot that has passed since the last one, at most as many as are kept:
/// tens of milliseconds after a year without any.
///
/// Distinct predictors are independent; one needs one thread, or the caller's lock. The block holds no pointers;
/// sealed, it is a checkpoint.
#[allow(non_camel_case_types)]
pub struct surefill_predictor {
    _opaque: [u8; 0],
}

fn kind(number: i32) -> Result<PredictorKind> {
    u32::try_from(number).ok().and_then(PredictorKind::from_number).ok_or(Error::OutOfRange)
}

fn defaults(kind: PredictorKind) -> surefill_predictor_options {
    let PredictorCapacity { jobs, hmm: HmmCapacity { states, slots, cells, .. }, window, mixture, .. } =
        PredictorCapacity::of(kind);
    let options = PredictorOptions::of(kind);
    let (termination, threshold) = match options.termination {
        Termination::Rounds(rounds) => (SUREFILL_TERMINATION_ROUNDS, rounds as f64),
        Termination::L1(epsilon) => (SUREFILL_TERMINATION_L1, epsilon),
        Termination::LInfinity(epsilon) => (SUREFILL_TERMINATION_L_INFINITY, epsilon),
    };
    surefill_predictor_options {
        struct_size: size_of::<surefill_predictor_options>() as u32,
        kind: kind as i32,
        jobs: jobs as i32,
        bins: PredictorCapacity::of(kind).bins() as i32,
        oldest_seconds: options.oldest_seconds,
        keys: mixture.keys as i32,
        expert_count: mixture.experts as i32,
        experts: null(),
        histories: mixture.histories as i32,
        states: states as i32,
        slots: slots as i32,
        cells: cells as i32,
        window: window as i32,
        load: options.load as i32,
        initial: options.initial as i32,
        termination,
        threshold,
        most_rounds: options.most_rounds as i64,
        slot_seconds: options.slot_seconds,
        initial_seconds: options.initial_seconds,
        restart_seconds: options.restart_seconds,
        floor: options.floor,
        exponent: options.exponent,
        hold: options.hold as i64,
    }
}

const ENDS: &[usize] = ends!(
    surefill_predictor_options,
    kind,
    jobs,
    bins,
    oldest_seconds,
    keys,
    expert_count,
    experts,
    histories,
    states,
    slots,
    cells,
    window,
    load,
    initial,
    termination,
    threshold,
    most_rounds,
    slot_seconds,
    initial_seconds,
    restart_seconds,
    floor,
    exponent,
    hold
);

unsafe fn given(options: *const surefill_predictor_options) -> Result<surefill_predictor_options> {
    unsafe { sized(options, defaults(PredictorKind::default()), ENDS) }
}

fn capacity(given: &surefill_predictor_options) -> Result<PredictorCapacity> {
    let kind = kind(given.kind)?;
    let own = PredictorCapacity::of(kind);
    let bins = count(given.bins)?;
    let hmm = HmmCapacity {
        states: count(given.states)?,
        bins,
        slots: count(given.slots)?,
        cells: count(given.cells)?,
    };
    let experts = if given.experts.is_null() { own.mixture.experts } else { count(given.expert_count)? };
    let mixture =
        MixtureCapacity { bins, keys: count(given.keys)?, experts, histories: count(given.histories)? };
    Ok(PredictorCapacity { kind, jobs: count(given.jobs)?, hmm, window: count(given.window)?, mixture })
}

unsafe fn learning(given: &surefill_predictor_options) -> Result<PredictorOptions> {
    let own = PredictorOptions::of(kind(given.kind)?);
    let threshold = given.threshold;
    if threshold.is_nan() {
        return Err(Error::NotANumber);
    }
    let termination = match given.termination {
        SUREFILL_TERMINATION_ROUNDS
            if (1.0..=9e15).contains(&threshold) && libm::floor(threshold) == threshold =>
        {
            Termination::Rounds(threshold as u64)
        }
        SUREFILL_TERMINATION_L1 => Termination::L1(threshold),
        SUREFILL_TERMINATION_L_INFINITY => Termination::LInfinity(threshold),
        _ => return Err(Error::OutOfRange),
    };
    let initial = u32::try_from(given.initial).ok().and_then(Initial::from_number);
    let experts = if given.experts.is_null() {
        own.experts
    } else {
        let list = unsafe { array(given.experts, given.expert_count)? };
        let mut experts = experts_of(&[]);
        if list.len() > experts.len() {
            return Err(Error::OutOfRange);
        }
        for (to, from) in experts.iter_mut().zip(list) {
            let (keys, reserved) = (count(from.keys)?, count(from.reserved)?);
            *to = Expert { keys, reserved, decay: from.decay, prior: from.prior };
        }
        experts
    };
    Ok(PredictorOptions {
        oldest_seconds: given.oldest_seconds,
        experts,
        slot_seconds: given.slot_seconds,
        initial_seconds: given.initial_seconds,
        load: load_model(given.load)?,
        initial: initial.ok_or(Error::OutOfRange)?,
        termination,
        most_rounds: u64::try_from(given.most_rounds).map_err(|_| Error::OutOfRange)?,
        restart_seconds: given.restart_seconds,
        floor: given.floor,
        exponent: given.exponent,
        hold: u64::try_from(given.hold).map_err(|_| Error::OutOfRange)?,
    })
}

/// The predictor behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn predictor<'a>(handle: *const surefill_predictor) -> Result<Predictor<'a>> {
    unsafe { object(handle) }
}

/// Sets the options to the defaults of a kind, one of SUREFILL_PREDICTOR_: 4,096 jobs, 24 bins, jobs older than ten
/// days given up. Mixture: user, time limit and processors as keys, ten experts on them, 16,384 histories; user: one
/// key, one expert; contexts: 65,536 histories. Hidden Markov models: 16 states, a year of slots of 15 min, 100,000
/// cells, 1,024 slots remembered; no load model, Static-IV, L1 with 200 and at most 1,000 rounds, an initial period of
/// a week, restarts weekly, as in the thesis; but with a floor of 0.001.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE (kind).
///
/// # Safety
/// options points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_options_init(
    kind: i32,
    options: *mut surefill_predictor_options,
    size: i64,
) -> i32 {
    status((|| {
        let kind = self::kind(kind)?;
        unsafe { initialise(options, defaults(kind), size) }
    })())
}

/// Writes the experts of a kind of mixture, one of SUREFILL_PREDICTOR_, and their number, so that others can be added.
/// capacity is the room in experts: SUREFILL_MAX_EXPERTS is enough.
///
/// Errors: NULL, MISALIGNED, OUT_OF_RANGE (not a mixture of experts), FULL (capacity).
///
/// # Safety
/// experts points to capacity writable structures, count to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_experts_init(
    kind: i32,
    experts: *mut surefill_expert,
    capacity: i32,
    count: *mut i32,
) -> i32 {
    status((|| {
        let kind = self::kind(kind)?;
        if !matches!(kind, PredictorKind::Mixture | PredictorKind::User) {
            return Err(Error::OutOfRange);
        }
        let (count, out) = unsafe { (checked_mut(count)?, array_mut(experts, capacity)?) };
        let (set, length) = (PredictorOptions::of(kind).experts, PredictorCapacity::of(kind).mixture.experts);
        let out = out.get_mut(..length as usize).ok_or(Error::Full)?;
        for (to, &Expert { keys, decay, prior, .. }) in out.iter_mut().zip(&set) {
            *to = surefill_expert { keys: keys as i32, reserved: 0, decay, prior };
        }
        *count = length as i32;
        Ok(())
    })())
}

/// Bytes of memory that a predictor needs. For J jobs with K keys and N bins: J (88 + 8 K + 8 N), 8 J N more with
/// a hidden Markov model, and about 1,500.
/// Mixtures: with H histories and E experts, 8 H max(N + 1, E) + 32 H + 3,200 more. Contexts: with N rounded up to a
/// multiple of 8, H (4 N + 23) + J (35 N + 384) + 2,000 (N + 125) more. Hidden Markov models: surefill_hmm_size more, 8
/// S for each slot of the window and 48 S (S states, rounded up to a multiple of 8), and on line
/// surefill_online_hmm_size.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// options points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_size(
    options: *const surefill_predictor_options,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = Predictor::size(&capacity(&unsafe { given(options)? })?)?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a predictor in the caller's memory (length bytes, at least surefill_predictor_size, aligned to 8) for run
/// times in these bins, of which it keeps a copy. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also when the
/// bins are not as many as the options say).
///
/// # Safety
/// memory points to length writable bytes, options to a readable structure of the size it says, bins is a handle,
/// predictor points to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_init(
    memory: *mut c_void,
    length: i64,
    options: *const surefill_predictor_options,
    bins: *const surefill_bins,
    predictor: *mut *mut surefill_predictor,
) -> i32 {
    status((|| {
        let given = unsafe { given(options)? };
        let (capacity, learning) = (capacity(&given)?, unsafe { learning(&given)? });
        let bins = unsafe { self::bins(bins)? };
        unsafe {
            init(memory, length, predictor, |bytes| Predictor::init(bytes, &capacity, &bins, &learning))
        }
    })())
}

/// Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the predictor
/// breaks the seal, a question too. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// predictor is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_seal(predictor: *mut surefill_predictor) -> i32 {
    status(unsafe { seal::<Predictor, _>(predictor) })
}

/// The predictor in a checkpoint (length bytes at least) read back into memory, which must be as
/// surefill_predictor_seal left it. It goes on bit for bit as the sealed one would have, in the middle of training too.
/// O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, predictor to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_predictor_open(
    memory: *mut c_void,
    length: i64,
    predictor: *mut *mut surefill_predictor,
) -> i32 {
    status(unsafe { open::<Predictor, _>(memory, length, predictor) })
}
