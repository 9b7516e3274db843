//! Jobs added by arrays: one call for a queue of thousands.

use super::{pass, surefill_distribution, surefill_pass};
use crate::backfill::Pass;
use crate::capi::distribution::view_or_limit;
use crate::capi::sized::{output_size, sized_as};
use crate::capi::{checked_mut, count, status};
use crate::error::{Error, Result};
use crate::runtime::View;
use core::ptr;

/// A job of a pass. An array of these has the struct_size that the program sets in its first.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_pass_job {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Its processors, at least 1.
    pub processors: i32,
    /// For how long it has run, in seconds; 0 for a candidate.
    pub age: i64,
    /// Its time limit in seconds.
    pub limit: i64,
    /// Its predicted run time; NULL when nothing is known but the limit.
    pub distribution: *const surefill_distribution,
}

/// Adds the jobs of an array, each by `add`; `wrong` becomes the place of the one that is refused.
///
/// # Safety
/// `jobs` points to `length` readable structures of the size that the first says, whose distributions are handles or
/// NULL.
unsafe fn add_all(
    pass: &mut Pass<'_>,
    jobs: *const surefill_pass_job,
    length: i32,
    wrong: &mut i32,
    add: impl Fn(&mut Pass<'_>, u32, (i64, i64), View<'_>) -> Result<usize>,
) -> Result<()> {
    let length = count(length)? as usize;
    if length == 0 {
        return Ok(());
    }
    let size = unsafe { output_size(jobs, size_of::<surefill_pass_job>())? };
    if size % align_of::<surefill_pass_job>() != 0 {
        return Err(Error::WrongVersion);
    }
    let none =
        surefill_pass_job { struct_size: 0, processors: 0, age: 0, limit: 0, distribution: ptr::null() };
    for place in 0..length {
        *wrong = place as i32;
        let job = unsafe { sized_as(jobs.wrapping_byte_add(place.wrapping_mul(size)), size, none, &[])? };
        let predicted = unsafe { view_or_limit(job.distribution)? };
        add(pass, count(job.processors)?, (job.age, job.limit), predicted)?;
    }
    *wrong = -1;
    Ok(())
}

/// Adds all of these jobs or none.
///
/// # Safety
/// As [`add_all`]; `handle` is a handle, `wrong` points to a writable number or is NULL.
unsafe fn add_many(
    handle: *mut surefill_pass,
    jobs: *const surefill_pass_job,
    length: i32,
    wrong: *mut i32,
    add: impl Fn(&mut Pass<'_>, u32, (i64, i64), View<'_>) -> Result<usize>,
) -> i32 {
    status((|| {
        let mut none = 0;
        let wrong = if wrong.is_null() { &mut none } else { unsafe { checked_mut(wrong)? } };
        *wrong = -1;
        let mut pass = unsafe { self::pass(handle)? };
        let before = pass.added();
        let added = unsafe { add_all(&mut pass, jobs, length, wrong, add) };
        if added.is_err() {
            pass.take_back(before);
        }
        added
    })())
}

/// Adds the running jobs of an array with count jobs, in its order: all of them or none. wrong is the place in the
/// array of the first that is refused, whose error is returned; -1 where none is. It may be NULL. The jobs' numbers
/// follow those of the jobs added before. O(count x bins x events per bin).
///
/// Errors: as surefill_pass_add_running; NO_STRUCT_SIZE, OUT_OF_RANGE also for a negative count.
///
/// # Safety
/// pass is a handle, jobs points to count readable structures of the size that the first says, with distributions that
/// are handles or NULL, wrong to a writable number or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_add_running_many(
    pass: *mut surefill_pass,
    jobs: *const surefill_pass_job,
    count: i32,
    wrong: *mut i32,
) -> i32 {
    unsafe {
        add_many(pass, jobs, count, wrong, |pass, processors, (age, limit), runtime| {
            pass.add_running_by(processors, age, limit, runtime)
        })
    }
}

/// Adds the candidates of an array with count jobs behind those added before, in its order: all of them or none. wrong
/// is the place in the array of the first that is refused, whose error is returned; -1 where none is. It may be NULL.
/// O(count x bins x events per bin).
///
/// Errors: as surefill_pass_add_running_many; OUT_OF_RANGE also for a candidate with an age.
///
/// # Safety
/// As surefill_pass_add_running_many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_pass_add_candidates_many(
    pass: *mut surefill_pass,
    jobs: *const surefill_pass_job,
    count: i32,
    wrong: *mut i32,
) -> i32 {
    unsafe {
        add_many(pass, jobs, count, wrong, |pass, processors, (age, limit), runtime| {
            if age != 0 {
                return Err(Error::OutOfRange);
            }
            pass.add_candidate_by(processors, limit, runtime)
        })
    }
}
