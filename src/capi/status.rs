//! Versions, statuses, sizes of blocks, work in slices.
//!
//! ```c
//! static int64_t memory[SUREFILL_BINS_SIZE / 8];
//! surefill_bins *bins;
//! int64_t bytes;
//! surefill_bins_init_default(memory, sizeof memory, &bins);
//! surefill_block_size(bins, &bytes);
//! if (surefill_abi_version() != SUREFILL_ABI_VERSION) printf("built for another library\n");
//! if (surefill_version_number() < SUREFILL_VERSION_NUMBER) printf("older than its header\n");
//! printf("%s\n", surefill_status_text(SUREFILL_ERROR_FULL));
//! ```

use super::block::{header, write_size};
use super::status;
use crate::error::Error;
use core::ffi::{CStr, c_char, c_void};

/// Version of this header: major x 1,000,000 + minor x 1,000 + patch of the version in `Cargo.toml`.
pub const SUREFILL_VERSION_NUMBER: i32 = number(env!("CARGO_PKG_VERSION_MAJOR")) * 1_000_000
    + number(env!("CARGO_PKG_VERSION_MINOR")) * 1_000
    + number(env!("CARGO_PKG_VERSION_PATCH"));

/// Version of the binary interface: programs run with every library of the same number, which is in the library's name
/// and in the version of each symbol. Structures may grow without a change: they say their size.
pub const SUREFILL_ABI_VERSION: i32 = 0;

/// The longest time span any function accepts, in seconds; as a time limit it means "no limit".
pub const SUREFILL_MAX_SECONDS: i64 = 1_099_511_627_776;

/// Success.
pub const SUREFILL_OK: i32 = 0;
/// A pointer that must not be NULL is NULL.
pub const SUREFILL_ERROR_NULL: i32 = -1;
/// A pointer is not aligned: 8 bytes for blocks of memory and handles, its type's alignment for everything else.
pub const SUREFILL_ERROR_MISALIGNED: i32 = -2;
/// The memory is smaller than the size function says.
pub const SUREFILL_ERROR_TOO_SMALL: i32 = -3;
/// The memory does not hold an object of this type.
pub const SUREFILL_ERROR_WRONG_OBJECT: i32 = -4;
/// Made by an incompatible version: the object, or a structure with members this library does not know.
pub const SUREFILL_ERROR_WRONG_VERSION: i32 = -5;
/// The object is damaged.
pub const SUREFILL_ERROR_CORRUPT: i32 = -6;
/// A capacity fixed at initialisation is reached.
pub const SUREFILL_ERROR_FULL: i32 = -7;
/// An argument is not a number.
pub const SUREFILL_ERROR_NOT_A_NUMBER: i32 = -8;
/// An argument is out of range.
pub const SUREFILL_ERROR_OUT_OF_RANGE: i32 = -9;
/// The call makes no sense at this point.
pub const SUREFILL_ERROR_WRONG_STATE: i32 = -10;
/// The head job fits the idle processors: start it first.
pub const SUREFILL_ERROR_HEAD_FITS: i32 = -11;
/// No object has this index.
pub const SUREFILL_ERROR_NO_SUCH_INDEX: i32 = -12;
/// Nothing to take.
pub const SUREFILL_ERROR_EMPTY: i32 = -13;
/// With the jobs now running this never happens.
pub const SUREFILL_ERROR_NEVER: i32 = -14;
/// The object was made on a machine of the other byte order.
pub const SUREFILL_ERROR_FOREIGN_BYTE_ORDER: i32 = -15;
/// Probabilities that must sum to 1 do not.
pub const SUREFILL_ERROR_NOT_A_DISTRIBUTION: i32 = -16;
/// A job with this id is in the system already.
pub const SUREFILL_ERROR_DUPLICATE_JOB: i32 = -17;
/// No job with this id is in the system.
pub const SUREFILL_ERROR_UNKNOWN_JOB: i32 = -18;
/// An event lies before one already reported.
pub const SUREFILL_ERROR_TIME_WENT_BACK: i32 = -19;
/// The job has started already.
pub const SUREFILL_ERROR_ALREADY_STARTED: i32 = -20;
/// The job has not started.
pub const SUREFILL_ERROR_NOT_STARTED: i32 = -21;
/// More processors than the machine has.
pub const SUREFILL_ERROR_TOO_MANY_PROCESSORS: i32 = -22;
/// A span of whole seconds (an age, a limit, a run time, a wait) is longer than SUREFILL_MAX_SECONDS.
pub const SUREFILL_ERROR_SPAN_TOO_LONG: i32 = -23;
/// The running jobs and the idle processors are together more than the machine has.
pub const SUREFILL_ERROR_OVERFULL: i32 = -24;
/// A placement does not fit what is free on its nodes.
pub const SUREFILL_ERROR_DOES_NOT_FIT: i32 = -25;
/// The scheduler's capacity parts is reached, pairs of a job and a node: it grows by itself, without more jobs.
pub const SUREFILL_ERROR_PARTS_FULL: i32 = -26;
/// There is no answer for an object of this kind: a forecast of starts on nodes that differ or are shared, for example.
pub const SUREFILL_ERROR_UNSUPPORTED: i32 = -27;
/// A structure's struct_size is 0: it has to be set to the structure's size.
pub const SUREFILL_ERROR_NO_STRUCT_SIZE: i32 = -28;
/// preset=papers and rule=delay decide about a pool of more units than the scheduler's capacity delay_units: it grows
/// by itself, without more jobs.
pub const SUREFILL_ERROR_DELAY_UNITS: i32 = -29;
/// preset=papers and rule=delay decide about pools of counted units, not of nodes.
pub const SUREFILL_ERROR_DELAY_ON_NODES: i32 = -30;

/// Work in slices (decisions of a pass, training, clustering): there is nothing to do for now.
pub const SUREFILL_STEP_IDLE: i32 = 0;
/// Work in slices: the work allowed for this call is used up; call again to go on.
pub const SUREFILL_STEP_MORE: i32 = 1;
/// Work in slices: it is complete. Every candidate has its verdict; a round of training is in use; the new clusters are
/// in use.
pub const SUREFILL_STEP_DONE: i32 = 2;
/// Decisions of a pass: the candidate given may start; commit it, then call again.
pub const SUREFILL_STEP_ACCEPT: i32 = 3;

/// The version of the library that is linked, to be compared with SUREFILL_VERSION_NUMBER.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_version_number() -> i32 {
    SUREFILL_VERSION_NUMBER
}

/// The ABI version of the library that is linked, to be compared with SUREFILL_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_abi_version() -> i32 {
    SUREFILL_ABI_VERSION
}

/// Bytes of the block of any object, by its handle: what is to be written to a file once it is sealed. It looks at the
/// first 24 bytes alone, so that it also says of a file that begins with these how much memory it needs. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT (no object's block), WRONG_VERSION, FOREIGN_BYTE_ORDER.
///
/// # Safety
/// block points to 24 readable bytes, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_block_size(block: *const c_void, size: *mut i64) -> i32 {
    status((|| {
        let bytes = unsafe { header(block)? }.length()?;
        unsafe { write_size(size, usize::try_from(bytes).map_err(|_| Error::OutOfRange)?) }
    })())
}

/// A decimal number.
const fn number(digits: &str) -> i32 {
    let (mut rest, mut number) = (digits.as_bytes(), 0);
    while let [digit, more @ ..] = rest {
        number = number * 10 + (*digit - b'0') as i32;
        rest = more;
    }
    number
}

fn describe(status: i32, ok: &'static CStr, error: impl Fn(Error) -> &'static CStr) -> *const c_char {
    let known = Error::from_status(status).map(error);
    let unknown = if status == 0 { ok } else { c"unknown status" };
    known.unwrap_or(unknown).as_ptr()
}

/// The name of a status, "SUREFILL_ERROR_FULL" for example; "unknown status" for other numbers. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_status_name(status: i32) -> *const c_char {
    describe(status, c"SUREFILL_OK", Error::name)
}

/// One sentence on a status, in English, without a full stop. A static string.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_status_text(status: i32) -> *const c_char {
    describe(status, c"success", Error::text)
}
