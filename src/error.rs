//! Every way a call can be refused, one number each.
//!
//! The numbers are part of the C ABI: they are never reused and never change their meaning. A call that returns an
//! error has changed nothing.

use core::fmt;

/// Why a call was refused. The discriminants are the statuses that C sees (0 is success, errors are negative).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Error {
    /// A pointer that must not be NULL is NULL (C only).
    Null = -1,
    /// The memory handed over is not aligned to [`crate::memory::ALIGNMENT`] bytes.
    Misaligned = -2,
    /// The memory handed over is smaller than the size that the size function returns.
    TooSmall = -3,
    /// The memory does not hold an object of this type.
    WrongObject = -4,
    /// The object or options structure was made by another, incompatible version.
    WrongVersion = -5,
    /// The object's content contradicts itself: it was damaged.
    Corrupt = -6,
    /// A capacity fixed at initialisation is reached.
    Full = -7,
    /// A floating-point argument is not a number.
    NotANumber = -8,
    /// An argument lies outside the range its description gives.
    OutOfRange = -9,
    /// The call makes no sense at this point (for example a decision before a pass has begun).
    WrongState = -10,
    /// The head job fits the idle processors: it should be started, there is nothing to backfill around.
    HeadFits = -11,
    /// No object with this index exists.
    NoSuchIndex = -12,
    /// Nothing to take: there are no jobs to cluster, for example.
    Empty = -13,
    /// With the jobs now running, the event in question never happens.
    Never = -14,
    /// The object was made on a machine of the other byte order.
    ForeignByteOrder = -15,
    /// Probabilities that must sum to 1 do not.
    NotADistribution = -16,
    /// A job with this id is in the system already.
    DuplicateJob = -17,
    /// No job with this id is in the system.
    UnknownJob = -18,
    /// An event lies before one already reported.
    TimeWentBack = -19,
    /// The job has started already.
    AlreadyStarted = -20,
    /// The job has not started.
    NotStarted = -21,
    /// More processors than the machine has.
    TooManyProcessors = -22,
    /// A span of time longer than [`MAX_SECONDS`](crate::runtime::MAX_SECONDS).
    SpanTooLong = -23,
    /// The running jobs and the idle processors are together more than the machine has.
    Overfull = -24,
    /// A placement does not fit what is free on its nodes.
    DoesNotFit = -25,
    /// The capacity for pairs of a job and a node on which it holds something is reached.
    PartsFull = -26,
    /// There is no answer for an object of this kind: starts on nodes that differ or are shared, for example.
    Unsupported = -27,
    /// The size that a structure gives of itself is 0 (C only).
    NoStructSize = -28,
    /// The delay rule decides about a pool of more units than the capacity `delay_units`.
    DelayUnits = -29,
    /// The delay rule does not decide about pools of nodes.
    DelayOnNodes = -30,
}

/// All errors, in the order of their numbers.
pub const ALL: [Error; 30] = [
    Error::Null,
    Error::Misaligned,
    Error::TooSmall,
    Error::WrongObject,
    Error::WrongVersion,
    Error::Corrupt,
    Error::Full,
    Error::NotANumber,
    Error::OutOfRange,
    Error::WrongState,
    Error::HeadFits,
    Error::NoSuchIndex,
    Error::Empty,
    Error::Never,
    Error::ForeignByteOrder,
    Error::NotADistribution,
    Error::DuplicateJob,
    Error::UnknownJob,
    Error::TimeWentBack,
    Error::AlreadyStarted,
    Error::NotStarted,
    Error::TooManyProcessors,
    Error::SpanTooLong,
    Error::Overfull,
    Error::DoesNotFit,
    Error::PartsFull,
    Error::Unsupported,
    Error::NoStructSize,
    Error::DelayUnits,
    Error::DelayOnNodes,
];

impl Error {
    /// The status number that C sees.
    pub const fn status(self) -> i32 {
        self as i32
    }

    /// The error with this status number, if there is one.
    pub fn from_status(status: i32) -> Option<Error> {
        ALL.into_iter().find(|error| error.status() == status)
    }

    /// The name of the C constant, NUL-terminated.
    pub const fn name(self) -> &'static core::ffi::CStr {
        match self {
            Error::Null => c"SUREFILL_ERROR_NULL",
            Error::Misaligned => c"SUREFILL_ERROR_MISALIGNED",
            Error::TooSmall => c"SUREFILL_ERROR_TOO_SMALL",
            Error::WrongObject => c"SUREFILL_ERROR_WRONG_OBJECT",
            Error::WrongVersion => c"SUREFILL_ERROR_WRONG_VERSION",
            Error::Corrupt => c"SUREFILL_ERROR_CORRUPT",
            Error::Full => c"SUREFILL_ERROR_FULL",
            Error::NotANumber => c"SUREFILL_ERROR_NOT_A_NUMBER",
            Error::OutOfRange => c"SUREFILL_ERROR_OUT_OF_RANGE",
            Error::WrongState => c"SUREFILL_ERROR_WRONG_STATE",
            Error::HeadFits => c"SUREFILL_ERROR_HEAD_FITS",
            Error::NoSuchIndex => c"SUREFILL_ERROR_NO_SUCH_INDEX",
            Error::Empty => c"SUREFILL_ERROR_EMPTY",
            Error::Never => c"SUREFILL_ERROR_NEVER",
            Error::ForeignByteOrder => c"SUREFILL_ERROR_FOREIGN_BYTE_ORDER",
            Error::NotADistribution => c"SUREFILL_ERROR_NOT_A_DISTRIBUTION",
            Error::DuplicateJob => c"SUREFILL_ERROR_DUPLICATE_JOB",
            Error::UnknownJob => c"SUREFILL_ERROR_UNKNOWN_JOB",
            Error::TimeWentBack => c"SUREFILL_ERROR_TIME_WENT_BACK",
            Error::AlreadyStarted => c"SUREFILL_ERROR_ALREADY_STARTED",
            Error::NotStarted => c"SUREFILL_ERROR_NOT_STARTED",
            Error::TooManyProcessors => c"SUREFILL_ERROR_TOO_MANY_PROCESSORS",
            Error::SpanTooLong => c"SUREFILL_ERROR_SPAN_TOO_LONG",
            Error::Overfull => c"SUREFILL_ERROR_OVERFULL",
            Error::DoesNotFit => c"SUREFILL_ERROR_DOES_NOT_FIT",
            Error::PartsFull => c"SUREFILL_ERROR_PARTS_FULL",
            Error::Unsupported => c"SUREFILL_ERROR_UNSUPPORTED",
            Error::NoStructSize => c"SUREFILL_ERROR_NO_STRUCT_SIZE",
            Error::DelayUnits => c"SUREFILL_ERROR_DELAY_UNITS",
            Error::DelayOnNodes => c"SUREFILL_ERROR_DELAY_ON_NODES",
        }
    }

    /// One sentence for people, NUL-terminated.
    pub const fn text(self) -> &'static core::ffi::CStr {
        match self {
            Error::Null => c"a required pointer is NULL",
            Error::Misaligned => c"the memory is not aligned to 8 bytes",
            Error::TooSmall => c"the memory is smaller than the size function says",
            Error::WrongObject => c"the memory does not hold an object of this type",
            Error::WrongVersion => c"made by an incompatible version",
            Error::Corrupt => c"the object is damaged",
            Error::Full => c"a capacity fixed at initialisation is reached",
            Error::NotANumber => c"an argument is not a number",
            Error::OutOfRange => c"an argument is out of range",
            Error::WrongState => c"the call makes no sense at this point",
            Error::HeadFits => c"the head job fits the idle processors: start it first",
            Error::NoSuchIndex => c"no object has this index",
            Error::Empty => c"nothing to take",
            Error::Never => c"with the jobs now running this never happens",
            Error::ForeignByteOrder => c"made on a machine of the other byte order",
            Error::NotADistribution => c"probabilities do not sum to 1",
            Error::DuplicateJob => c"a job with this id is in the system already",
            Error::UnknownJob => c"no job with this id is in the system",
            Error::TimeWentBack => c"time went back",
            Error::AlreadyStarted => c"the job has started already",
            Error::NotStarted => c"the job has not started",
            Error::TooManyProcessors => c"more processors than the machine has",
            Error::SpanTooLong => c"a span of time is longer than 2^40 seconds",
            Error::Overfull => c"the running jobs and the idle processors are more than the machine has",
            Error::DoesNotFit => c"the placement does not fit what is free on its nodes",
            Error::PartsFull => c"the capacity parts, pairs of a job and a node, is reached",
            Error::Unsupported => c"there is no answer for an object of this kind",
            Error::NoStructSize => {
                c"a structure's struct_size is 0: it has to be set to the structure's size"
            }
            Error::DelayUnits => {
                c"preset=papers and rule=delay need the capacity delay_units: at least the pool's units"
            }
            Error::DelayOnNodes => {
                c"preset=papers and rule=delay decide for pools of counted units, not of nodes"
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().to_str().unwrap_or("unknown error"))
    }
}

impl core::error::Error for Error {}

/// The result of every fallible call.
pub type Result<T> = core::result::Result<T, Error>;

/// Refuses a job without processors, or with more than the machine has.
pub(crate) fn check_processors(processors: u32, machine: u32) -> Result<()> {
    match processors {
        0 => Err(Error::OutOfRange),
        _ if processors > machine => Err(Error::TooManyProcessors),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_distinct_negative_and_found_again() {
        for (i, error) in ALL.into_iter().enumerate() {
            assert_eq!(error.status(), -(i as i32) - 1);
            assert_eq!(Error::from_status(error.status()), Some(error));
            assert!(!error.text().is_empty());
            assert!(error.name().to_bytes().starts_with(b"SUREFILL_ERROR_"));
        }
        assert_eq!(Error::from_status(0), None);
        assert_eq!(Error::from_status(1), None);
    }
}
