//! Run times of like jobs.

use super::bins::{bins, surefill_bins};
use super::block::{aligned, memory};
use super::distribution::{surefill_distribution, write_distribution};
use super::pass::sized;
use super::{array, array_mut, checked_mut, count, status, write};
use crate::error::{Error, Result};
use crate::predict::{Expert, MAX_EXPERTS, Mixture, MixtureLimits};
use core::ffi::c_void;
use core::slice;

/// The most experts of a mixture.
pub const SUREFILL_MAX_EXPERTS: i32 = 16;
/// The most keys of a job.
pub const SUREFILL_MAX_KEYS: i32 = 8;

const _: () = assert!(SUREFILL_MAX_EXPERTS as usize == MAX_EXPERTS);
const _: () = assert!(SUREFILL_MAX_KEYS as usize == crate::predict::MAX_KEYS);

/// Experts: one that believes in the owner's (key 0's) own last ten jobs or so.
pub const SUREFILL_EXPERTS_USER: i32 = 0;
/// Experts: ten for jobs with three keys: user, time limit, processors.
pub const SUREFILL_EXPERTS_MIX: i32 = 1;

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
    /// How many jobs everybody's distribution counts as: above 0, at most 1e9.
    pub prior: f64,
}

/// Capacities of a mixture. Set by surefill_mixture_limits_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_mixture_limits {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Bins of the run times (1 to SUREFILL_MAX_BINS).
    pub bins: i32,
    /// Keys of a job (1 to SUREFILL_MAX_KEYS); key 0 is its owner, the user as a rule.
    pub keys: i32,
    /// Experts (1 to SUREFILL_MAX_EXPERTS).
    pub experts: i32,
    /// Histories kept (1 to 67,108,864): one for each expert and combination of its keys, and one for each owner. Those not
    /// written to for longest leave.
    pub histories: i32,
}

/// Predicts run times from those of like jobs that have finished: a mixture of histories, weighed for each user by how well
/// they have done.
///
/// Distinct mixtures are independent; one mixture needs one thread, or the caller's lock. The block holds no pointers, and
/// sealed it is a checkpoint: write it to a file, read it back, open it.
#[allow(non_camel_case_types)]
pub struct surefill_mixture {
    _opaque: [u8; 0],
}

fn default_limits() -> surefill_mixture_limits {
    let MixtureLimits { bins, keys, experts, histories } = MixtureLimits::default();
    surefill_mixture_limits {
        struct_size: size_of::<surefill_mixture_limits>() as u32,
        bins: bins as i32,
        keys: keys as i32,
        experts: experts as i32,
        histories: histories as i32,
    }
}

unsafe fn limits(given: *const surefill_mixture_limits) -> Result<MixtureLimits> {
    let given = unsafe { sized(given, default_limits(), &[4, 8, 12, 16])? };
    Ok(MixtureLimits {
        bins: count(given.bins)?,
        keys: count(given.keys)?,
        experts: count(given.experts)?,
        histories: count(given.histories)?,
    })
}

/// The block behind a handle.
unsafe fn block<'a>(handle: *const surefill_mixture) -> Result<&'a mut [u8]> {
    if handle.is_null() {
        return Err(Error::Null);
    }
    if !aligned(handle) {
        return Err(Error::Misaligned);
    }
    let start = handle.cast_mut().cast::<u8>();
    let size = Mixture::block_size(unsafe { slice::from_raw_parts_mut(start, Mixture::PREFIX) })?;
    Ok(unsafe { slice::from_raw_parts_mut(start, size) })
}

unsafe fn mixture<'a>(handle: *const surefill_mixture) -> Result<Mixture<'a>> {
    Mixture::attach(unsafe { block(handle)? })
}

/// Sets the limits to their defaults: 24 bins, 3 keys, 10 experts, 16,384 histories.
///
/// Errors: NULL, MISALIGNED.
///
/// # Safety
/// limits points to a writable structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_limits_init(limits: *mut surefill_mixture_limits) -> i32 {
    status(unsafe { write(limits, default_limits()) })
}

/// Writes the experts of a set, one of SUREFILL_EXPERTS_, and their number. capacity is the room in experts:
/// SUREFILL_MAX_EXPERTS is enough.
///
/// Errors: NULL, MISALIGNED, OUT_OF_RANGE, FULL (capacity).
///
/// # Safety
/// experts points to capacity writable structures, count to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_experts_init(
    set: i32,
    experts: *mut surefill_expert,
    capacity: i32,
    count: *mut i32,
) -> i32 {
    status((|| {
        let set = match set {
            SUREFILL_EXPERTS_USER => &Expert::USER[..],
            SUREFILL_EXPERTS_MIX => &Expert::MIX[..],
            _ => return Err(Error::OutOfRange),
        };
        let (count, out) = unsafe { (checked_mut(count)?, array_mut(experts, capacity)?) };
        let out = out.get_mut(..set.len()).ok_or(Error::Full)?;
        for (to, &Expert { keys, decay, prior, .. }) in out.iter_mut().zip(set) {
            *to = surefill_expert { keys: keys as i32, reserved: 0, decay, prior };
        }
        *count = set.len() as i32;
        Ok(())
    })())
}

/// Bytes of memory that a mixture needs. With H histories, b bins and e experts this is at most
/// 8 H max(b + 1, e) + 32 H + 3,200: 3.8 MB for the default.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// limits points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_size(
    limits: *const surefill_mixture_limits,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = Mixture::size(&unsafe { self::limits(limits)? })?;
        unsafe { write(size, i64::try_from(bytes).map_err(|_| Error::OutOfRange)?) }
    })())
}

/// Makes a mixture that has seen no job in the caller's memory (length bytes, at least surefill_mixture_size, aligned to
/// 8), for run times in these bins. Bins and experts are as many as the limits say. O(length).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NOT_A_NUMBER, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, limits to a readable structure of the size it says, bins is a handle, experts
/// points to expert_count readable structures, mixture to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_init(
    memory: *mut c_void,
    length: i64,
    limits: *const surefill_mixture_limits,
    bins: *const surefill_bins,
    experts: *const surefill_expert,
    expert_count: i32,
    mixture: *mut *mut surefill_mixture,
) -> i32 {
    status((|| {
        let handle = unsafe { checked_mut(mixture)? };
        let (limits, bins) = unsafe { (self::limits(limits)?, self::bins(bins)?) };
        let given = unsafe { array(experts, expert_count)? };
        let mut experts = [Expert::USER[0]; MAX_EXPERTS];
        let experts = experts.get_mut(..given.len()).ok_or(Error::OutOfRange)?;
        for (to, from) in experts.iter_mut().zip(given) {
            let (keys, reserved) = (count(from.keys)?, count(from.reserved)?);
            *to = Expert { keys, reserved, decay: from.decay, prior: from.prior };
        }
        Mixture::init(unsafe { self::memory(memory, length)? }, &limits, &bins, experts)?;
        *handle = memory.cast();
        Ok(())
    })())
}

/// A job with these keys (count numbers, as many as the limits say) has finished after so many seconds (0 to
/// SUREFILL_MAX_SECONDS). O(experts x bins).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// mixture is a handle, keys points to count readable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_learn(
    mixture: *mut surefill_mixture,
    keys: *const i64,
    count: i32,
    seconds: i64,
) -> i32 {
    status((|| unsafe { self::mixture(mixture)?.learn(array(keys, count)?, seconds) })())
}

/// Makes the distribution of the run time of a job with these keys (count numbers, as many as the limits say) in memory of
/// surefill_distribution_size; before any job has finished, its limit. O(experts x bins).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// mixture is a handle, keys points to count readable numbers, memory to length writable bytes, distribution to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_predict(
    mixture: *const surefill_mixture,
    keys: *const i64,
    count: i32,
    memory: *mut c_void,
    length: i64,
    distribution: *mut *mut surefill_distribution,
) -> i32 {
    status(unsafe {
        write_distribution(memory, length, distribution, || {
            self::mixture(mixture)?.predict(array(keys, count)?)
        })
    })
}

/// The experts' weights for the owner of a job with these keys (count numbers, as many as the limits say); they sum to 1.
/// capacity is the room in weights, which must be that of all experts.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, FULL (capacity).
///
/// # Safety
/// mixture is a handle, keys points to count readable numbers, weights to capacity writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_weights(
    mixture: *const surefill_mixture,
    keys: *const i64,
    count: i32,
    weights: *mut f64,
    capacity: i32,
) -> i32 {
    status((|| {
        let mixture = unsafe { self::mixture(mixture)? };
        let found = mixture.weights(unsafe { array(keys, count)? })?;
        let out = unsafe { array_mut(weights, capacity)? };
        let out = out.get_mut(..found.len()).ok_or(Error::Full)?;
        for (to, from) in out.iter_mut().zip(found) {
            *to = *from;
        }
        Ok(())
    })())
}

/// Makes the block a checkpoint, surefill_mixture_size bytes from the handle on, by writing its checksum. Any later call
/// that changes the mixture breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// mixture is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_seal(mixture: *mut surefill_mixture) -> i32 {
    status((|| Mixture::seal(unsafe { block(mixture)? }))())
}

/// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_mixture_seal left
/// it. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, mixture to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_mixture_open(
    memory: *mut c_void,
    length: i64,
    mixture: *mut *mut surefill_mixture,
) -> i32 {
    status((|| {
        let handle = unsafe { checked_mut(mixture)? };
        let bytes = unsafe { self::memory(memory, length)? };
        if bytes.len() < Mixture::PREFIX {
            return Err(Error::TooSmall);
        }
        Mixture::open(bytes)?;
        *handle = memory.cast();
        Ok(())
    })())
}
