//! The hidden Markov model of run times by itself.
//!
//! A workload is in one of several states, which change from slot to slot; each state has run times of its own. A
//! program reports finished jobs by slot and bin, trains round by round, and asks. c-examples/train_model.c is one.
//!
//! ```c
//! static int64_t memory[100000];
//! surefill_hmm_capacity capacity;
//! surefill_hmm *hmm;
//! surefill_round round;
//! double states[2], log_likelihood;
//! int64_t slot, first, end;
//! int32_t path[96], step;
//! round.struct_size = sizeof round;
//! surefill_hmm_capacity_init(&capacity);
//! capacity.states = 2;
//! capacity.slots = capacity.cells = 200;
//! surefill_hmm_init(memory, sizeof memory, &capacity, &hmm);
//! for (slot = 0; slot < 96; slot++) {
//!     surefill_hmm_observe(hmm, slot, slot % 48 < 24 ? 6 : 15);
//! }
//! surefill_hmm_slots(hmm, &first, &end);
//! surefill_hmm_begin_training(hmm, SUREFILL_INITIAL_K_MEANS, SUREFILL_LOAD_NONE, first, end);
//! do {
//!     surefill_hmm_train(hmm, 1000, &step, &round);
//! } while (step == SUREFILL_STEP_MORE);
//! surefill_hmm_filter(hmm, first, end, states, 2, &log_likelihood);
//! surefill_hmm_viterbi(hmm, first, end, path, 96, &log_likelihood);
//! ```

use super::block::{init, object, open, seal, write_size};
use super::markov::{FIRST_ROUND, load_model, surefill_round, work};
use super::sized::{ends, initialise, output_size, sized, write_sized};
use super::status::{SUREFILL_STEP_DONE, SUREFILL_STEP_MORE};
use super::{array, array_mut, checked_mut, count, status, write};
use crate::error::{Error, Result};
use crate::hmm::{Evidence, Hmm, HmmCapacity, Initial, LoadModel, Parameters, ParametersMut, Training};
use core::ffi::c_void;

/// Initial values: the parameters there are.
pub const SUREFILL_INITIAL_PRESENT: i32 = -1;
/// Evidence: run times, and the numbers of jobs if the load is modelled.
pub const SUREFILL_EVIDENCE_JOBS: i32 = 0;
/// Evidence: the numbers of jobs alone.
pub const SUREFILL_EVIDENCE_LOAD: i32 = 1;

/// Capacities of a model. Set by surefill_hmm_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_hmm_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// States (1 to SUREFILL_MAX_STATES).
    pub states: i32,
    /// Run-time bins (2 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Slots kept (2 to 268,435,456); the oldest leave.
    pub slots: i32,
    /// Cells kept, one for each slot and bin that has jobs, so at most one a job (bins to 268,435,456); the oldest
    /// slots leave.
    pub cells: i32,
}

/// The parameters of a hidden Markov model with M states and N bins. The arrays are the caller's; a call that takes
/// parameters only reads them, one that gives parameters looks at states and bins and writes the arrays and load.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_model_parameters {
    /// States M: as many as the model has.
    pub states: i32,
    /// Run-time bins N: as many as the model has.
    pub bins: i32,
    /// One of SUREFILL_LOAD_.
    pub load: i32,
    /// 0.
    pub reserved: i32,
    /// M probabilities of the states in the first slot. They sum to 1 within 1e-9, like every row that follows.
    pub start: *mut f64,
    /// M x M probabilities of the next slot's state, a row for each state.
    pub transition: *mut f64,
    /// M x N probabilities of a job's bin, a row for each state.
    pub emission: *mut f64,
    /// M parameters of the load model. Without a load model they are not read, and it may be NULL then; what is written
    /// is 0.
    pub load_parameter: *mut f64,
}

/// A hidden Markov model of run times (Nissimov 2006, chapter 3): parameters, observations and training. Slots are
/// numbered by the caller, time of submission divided by the slot length for example; from..to means from to to - 1.
///
/// Distinct models are independent; one model needs one thread, or the caller's lock. The block holds no pointers;
/// sealed, it is a checkpoint.
#[allow(non_camel_case_types)]
pub struct surefill_hmm {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_hmm_capacity {
    let HmmCapacity { states, bins, slots, cells } = HmmCapacity::default();
    surefill_hmm_capacity {
        struct_size: size_of::<surefill_hmm_capacity>() as u32,
        states: states as i32,
        bins: bins as i32,
        slots: slots as i32,
        cells: cells as i32,
    }
}

unsafe fn capacity(given: *const surefill_hmm_capacity) -> Result<HmmCapacity> {
    let given = unsafe {
        sized(given, default_capacity(), ends!(surefill_hmm_capacity, states, bins, slots, cells))?
    };
    Ok(HmmCapacity {
        states: count(given.states)?,
        bins: count(given.bins)?,
        slots: count(given.slots)?,
        cells: count(given.cells)?,
    })
}

/// The model behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn hmm<'a>(handle: *const surefill_hmm) -> Result<Hmm<'a>> {
    unsafe { object(handle) }
}

/// The arrays of a model's parameters have this length; nothing may be read or written before it is known.
fn area(rows: i32, columns: i32) -> Result<i32> {
    rows.checked_mul(columns).ok_or(Error::OutOfRange)
}

/// Refuses numbers of states and bins that are not the model's.
fn check(given: &surefill_model_parameters, shape: (u32, u32)) -> Result<()> {
    let fits = (count(given.states)?, count(given.bins)?) == shape && given.reserved == 0;
    if fits { Ok(()) } else { Err(Error::OutOfRange) }
}

/// A model's parameters as C hands them over; `shape` is the model's numbers of states and bins.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure, and its arrays are as long as it says.
pub(super) unsafe fn read_parameters<'a>(
    given: *const surefill_model_parameters,
    shape: (u32, u32),
) -> Result<Parameters<'a>> {
    let given = unsafe { array(given, 1)? }.first().ok_or(Error::Null)?;
    check(given, shape)?;
    let surefill_model_parameters { states, bins, start, transition, emission, load_parameter, .. } = *given;
    let load = load_model(given.load)?;
    unsafe {
        Ok(Parameters {
            load,
            start: array(start, states)?,
            transition: array(transition, area(states, states)?)?,
            emission: array(emission, area(states, bins)?)?,
            load_parameter: array(load_parameter, if load == LoadModel::None { 0 } else { states })?,
        })
    }
}

/// Writes a model's parameters where C wants them; `ask` fills the arrays and says the load model.
///
/// # Safety
/// A pointer that is not NULL and aligned points to a writable structure, and its arrays are as long as it says.
pub(super) unsafe fn write_parameters(
    to: *mut surefill_model_parameters,
    shape: (u32, u32),
    ask: impl FnOnce(&mut ParametersMut<'_>) -> Result<LoadModel>,
) -> Result<()> {
    let to = unsafe { checked_mut(to)? };
    check(to, shape)?;
    let surefill_model_parameters { states, bins, start, transition, emission, load_parameter, .. } = *to;
    let mut out = unsafe {
        ParametersMut {
            start: array_mut(start, states)?,
            transition: array_mut(transition, area(states, states)?)?,
            emission: array_mut(emission, area(states, bins)?)?,
            load_parameter: array_mut(load_parameter, states)?,
        }
    };
    to.load = ask(&mut out)? as i32;
    Ok(())
}

/// Sets the capacity to its defaults: 16 states, 24 bins, a year of slots of 15 min, 100,000 cells.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_capacity_init(capacity: *mut surefill_hmm_capacity, size: i64) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Bytes of memory that a model needs. With M states, S = M rounded up to a multiple of 8, N bins, T slots and C cells
/// this is at most 20 T + 12 C + 24 (sqrt(T) + 2) (S + 1) + 8 S (5 M + 7 N + 12) + 400.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_size(capacity: *const surefill_hmm_capacity, size: *mut i64) -> i32 {
    status((|| {
        let bytes = Hmm::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a model without parameters and observations in the caller's memory (length bytes, at least surefill_hmm_size,
/// aligned to 8). O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, hmm to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_hmm_capacity,
    hmm: *mut *mut surefill_hmm,
) -> i32 {
    status(unsafe { init(memory, length, hmm, |bytes| Hmm::init(bytes, &self::capacity(capacity)?)) })
}

/// Makes the block a checkpoint, to be written to disk: writes its checksum. Any later call that changes the model
/// breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// hmm is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_seal(hmm: *mut surefill_hmm) -> i32 {
    status(unsafe { seal::<Hmm, _>(hmm) })
}

/// The model in a checkpoint (length bytes at least) read back into memory, which must be as surefill_hmm_seal left it.
/// O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, hmm to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_open(
    memory: *mut c_void,
    length: i64,
    hmm: *mut *mut surefill_hmm,
) -> i32 {
    status(unsafe { open::<Hmm, _>(memory, length, hmm) })
}

/// Sets the parameters of a model. Training under way is given up. O(M (M + N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE (also for other numbers
/// of states and bins), NOT_A_DISTRIBUTION.
///
/// # Safety
/// hmm is a handle, parameters points to a readable structure whose arrays are as long as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_set_parameters(
    hmm: *mut surefill_hmm,
    parameters: *const surefill_model_parameters,
) -> i32 {
    status((|| {
        let mut hmm = unsafe { self::hmm(hmm)? };
        hmm.set_parameters(&unsafe { read_parameters(parameters, hmm.shape())? })
    })())
}

/// Writes the parameters into the arrays of a structure that says its states and bins, and the load model. O(M (M +
/// N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (other numbers of states and bins),
/// WRONG_STATE (no parameters yet).
///
/// # Safety
/// hmm is a handle, parameters points to a writable structure whose arrays are as long as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_parameters(
    hmm: *const surefill_hmm,
    parameters: *mut surefill_model_parameters,
) -> i32 {
    status((|| {
        let hmm = unsafe { self::hmm(hmm)? };
        unsafe { write_parameters(parameters, hmm.shape(), |out| hmm.parameters(out).map(|()| hmm.load())) }
    })())
}

/// Sets the parameters to Static-IV (Algorithm 3), with mean_jobs jobs a slot on average if the load is modelled
/// (positive). Training under way is given up. O(M (M + N)).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// hmm is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_init_static(hmm: *mut surefill_hmm, load: i32, mean_jobs: f64) -> i32 {
    status((|| unsafe { self::hmm(hmm)? }.init_static(load_model(load)?, mean_jobs))())
}

/// Adapts the parameters to slots half as long: A'_ij = A_ij / 2, A'_ii = A_ii / 2 + 1/2, half the mean load. The
/// observations are forgotten, and training under way is given up.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, WRONG_STATE (no parameters).
///
/// # Safety
/// hmm is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_halve_slots(hmm: *mut surefill_hmm) -> i32 {
    status((|| unsafe { self::hmm(hmm)? }.halve_slots())())
}

/// Reports a finished job: the slot in which it was submitted and the bin of its run time, from 0. Slots up to this one
/// that were not known are empty. When there is no more room the oldest slots leave. O(bins + slots that come or
/// leave).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for a slot that has left), FULL.
///
/// # Safety
/// hmm is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_observe(hmm: *mut surefill_hmm, slot: i64, bin: i32) -> i32 {
    status((|| unsafe { self::hmm(hmm)? }.observe(slot, count(bin)?))())
}

/// Makes this the last slot, empty as yet, if it is later than the last one known.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// hmm is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_extend(hmm: *mut surefill_hmm, slot: i64) -> i32 {
    status((|| unsafe { self::hmm(hmm)? }.extend(slot))())
}

/// The slots held: first..end, empty if they are equal.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
///
/// # Safety
/// hmm is a handle, first and end point to writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_slots(hmm: *const surefill_hmm, first: *mut i64, end: *mut i64) -> i32 {
    status((|| {
        let slots = unsafe { self::hmm(hmm)? }.slots();
        let (first, end) = unsafe { (checked_mut(first)?, checked_mut(end)?) };
        (*first, *end) = (slots.start, slots.end);
        Ok(())
    })())
}

/// ln Pr(evidence in the slots from..to), one of SUREFILL_EVIDENCE_; minus infinity when the model does not explain it.
/// O(slots M^2).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for slots not held, or none),
/// WRONG_STATE (no parameters).
///
/// # Safety
/// hmm is a handle, log_likelihood points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_log_likelihood(
    hmm: *const surefill_hmm,
    from: i64,
    to: i64,
    evidence: i32,
    log_likelihood: *mut f64,
) -> i32 {
    status((|| {
        let evidence = match evidence {
            SUREFILL_EVIDENCE_JOBS => Evidence::Jobs,
            SUREFILL_EVIDENCE_LOAD => Evidence::LoadOnly,
            _ => return Err(Error::OutOfRange),
        };
        let found = unsafe { self::hmm(hmm)? }.log_likelihood(from..to, evidence)?;
        unsafe { write(log_likelihood, found) }
    })())
}

/// Pr(state of slot to - 1 | observations in the slots from..to), states numbers, and ln Pr(observations); when that is
/// minus infinity the model does not explain them, and probabilities is not written. O(slots M^2).
///
/// Errors: as surefill_hmm_log_likelihood; OUT_OF_RANGE also for another number of states.
///
/// # Safety
/// hmm is a handle, probabilities points to states writable numbers, log_likelihood to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_filter(
    hmm: *const surefill_hmm,
    from: i64,
    to: i64,
    probabilities: *mut f64,
    states: i32,
    log_likelihood: *mut f64,
) -> i32 {
    status((|| {
        let hmm = unsafe { self::hmm(hmm)? };
        let out = unsafe { checked_mut(log_likelihood)? };
        *out = hmm.filter(from..to, unsafe { array_mut(probabilities, states)? })?;
        Ok(())
    })())
}

/// The most likely state, from 0, of each of the slots from..to, and ln Pr(these states and the observations); when
/// that is minus infinity the model does not explain them, and path is not written. length is the number of slots.
/// Training under way begins its round again. O(slots M^2).
///
/// Errors: as surefill_hmm_log_likelihood; OUT_OF_RANGE also for another length.
///
/// # Safety
/// hmm is a handle, path points to length writable numbers, log_likelihood to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_viterbi(
    hmm: *mut surefill_hmm,
    from: i64,
    to: i64,
    path: *mut i32,
    length: i32,
    log_likelihood: *mut f64,
) -> i32 {
    status((|| {
        let mut hmm = unsafe { self::hmm(hmm)? };
        let out = unsafe { checked_mut(log_likelihood)? };
        *out = hmm.viterbi(from..to, unsafe { array_mut(path, length)? })?;
        Ok(())
    })())
}

/// Begins training on the slots from..to, from one of SUREFILL_INITIAL_; load is one of SUREFILL_LOAD_, and ignored for
/// PRESENT. The parameters in use stay until a round is complete. Training under way is given up. O(slots).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for slots not held, or none, and
/// for K_MEANS when the number of states is not a power of two), WRONG_STATE (PRESENT without parameters), EMPTY
/// (K_MEANS without a job).
///
/// # Safety
/// hmm is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_begin_training(
    hmm: *mut surefill_hmm,
    initial: i32,
    load: i32,
    from: i64,
    to: i64,
) -> i32 {
    status((|| {
        let mut hmm = unsafe { self::hmm(hmm)? };
        if initial == SUREFILL_INITIAL_PRESENT {
            return hmm.begin_training(from..to);
        }
        let initial = u32::try_from(initial).ok().and_then(Initial::from_number);
        hmm.begin_training_from(initial.ok_or(Error::OutOfRange)?, load_model(load)?, from..to)
    })())
}

/// Trains until a round is complete and its parameters are in use (step is SUREFILL_STEP_DONE; round says what it did),
/// or until about work slots are visited (at least 1; SUREFILL_STEP_MORE, round is not written). A round visits each
/// slot three times. Then call again, for the rest or for the next round. However it is sliced, the result is the same
/// bit for bit. O(work M^2).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (work), WRONG_STATE (training has not
/// begun).
///
/// # Safety
/// hmm is a handle, step points to a writable number, round to a writable structure of
/// the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_hmm_train(
    hmm: *mut surefill_hmm,
    work: i64,
    step: *mut i32,
    round: *mut surefill_round,
) -> i32 {
    status((|| {
        let mut hmm = unsafe { self::hmm(hmm)? };
        let work = self::work(work)?;
        let (step, size) = unsafe { (checked_mut(step)?, output_size(round, FIRST_ROUND)?) };
        match hmm.train(work)? {
            Training::More => *step = SUREFILL_STEP_MORE,
            Training::Round(found) => {
                *step = SUREFILL_STEP_DONE;
                unsafe { write_sized(round, surefill_round::new(&found), size) };
            }
        }
        Ok(())
    })())
}
