//! The inbox by which a thread that hears of job events hands them to the scheduler thread, without a lock.

use super::block::{aligned, memory};
use super::{checked_mut, count, status};
use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, Header, Kind};
use core::ffi::c_void;
use core::hint::assert_unchecked;
use core::ptr::{addr_of, addr_of_mut};
use heapless::spsc::{Consumer, Producer, Queue};

const KIND: Kind = Kind::Inbox;

/// Events that an inbox holds.
pub const SUREFILL_INBOX_CAPACITY: i32 = 1024;

/// A job was submitted.
pub const SUREFILL_EVENT_SUBMIT: i32 = 1;
/// A job was started.
pub const SUREFILL_EVENT_START: i32 = 2;
/// A job ended.
pub const SUREFILL_EVENT_END: i32 = 3;
/// A job was cancelled before it started.
pub const SUREFILL_EVENT_CANCEL: i32 = 4;

/// Something that happened to a job. The library hands it on as it is.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub struct surefill_job_event {
    /// One of SUREFILL_EVENT_.
    pub kind: i32,
    /// Processors, not negative.
    pub processors: i32,
    /// The resource manager's number for the job.
    pub job: i64,
    /// When it happened, in seconds since any fixed origin.
    pub time: i64,
    /// The job's time limit in seconds.
    pub limit: i64,
    /// The resource manager's number for the user.
    pub user: i64,
}

/// A queue of up to SUREFILL_INBOX_CAPACITY job events.
///
/// One thread may push while another pops, without a lock: one pushing and one popping thread at a time, no more. The
/// block must not be moved: a copy is refused. Other damage to it is not detected.
#[allow(non_camel_case_types)]
pub struct surefill_inbox {
    _opaque: [u8; 0],
}

/// A ring has room for one element less than its length.
const RING: usize = SUREFILL_INBOX_CAPACITY as usize + 1;

/// The queue and its two ends. Each end is touched by its own thread only.
#[repr(C)]
struct Block {
    header: Header,
    /// Its address: the ends point into the block, so a copy of it elsewhere must not be followed.
    address: usize,
    queue: Queue<surefill_job_event, RING>,
    producer: Producer<'static, surefill_job_event>,
    consumer: Consumer<'static, surefill_job_event>,
}

const _: () = assert!(align_of::<Block>() <= ALIGNMENT);

/// The block behind a handle, as a pointer: a reference to all of it would claim the other thread's end as well.
unsafe fn block(inbox: *const surefill_inbox) -> Result<*mut Block> {
    if inbox.is_null() {
        return Err(Error::Null);
    }
    let block = inbox.cast_mut().cast::<Block>();
    if !aligned(inbox) {
        return Err(Error::Misaligned);
    }
    unsafe { addr_of!((*block).header).read() }.check(KIND)?;
    if unsafe { addr_of!((*block).address).read() } != block.addr() {
        return Err(Error::Corrupt);
    }
    Ok(block)
}

/// Bytes of memory that an inbox needs.
#[unsafe(no_mangle)]
pub extern "C" fn surefill_inbox_size() -> i64 {
    size_of::<Block>() as i64
}

/// Makes an empty inbox in the caller's memory (length bytes, at least surefill_inbox_size, aligned to 8).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length).
///
/// # Safety
/// memory points to length writable bytes, inbox to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_init(
    memory: *mut c_void,
    length: i64,
    inbox: *mut *mut surefill_inbox,
) -> i32 {
    status((|| {
        let handle = unsafe { checked_mut(inbox)? };
        if unsafe { self::memory(memory, length)? }.len() < size_of::<Block>() {
            return Err(Error::TooSmall);
        }
        let block = memory.cast::<Block>();
        unsafe {
            addr_of_mut!((*block).header).write(Header::new(KIND, size_of::<Block>()));
            addr_of_mut!((*block).address).write(block.addr());
            addr_of_mut!((*block).queue).write(Queue::new());
            let (producer, consumer) = (*addr_of_mut!((*block).queue)).split();
            addr_of_mut!((*block).producer).write(producer);
            addr_of_mut!((*block).consumer).write(consumer);
        }
        *handle = memory.cast();
        Ok(())
    })())
}

/// Puts an event in. For the one pushing thread. O(1), never waits.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT (moved), OUT_OF_RANGE (kind or processors), FULL.
///
/// # Safety
/// inbox is a handle, event points to a readable event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_push(
    inbox: *mut surefill_inbox,
    event: *const surefill_job_event,
) -> i32 {
    status((|| {
        let block = unsafe { block(inbox)? };
        let event = *unsafe { checked_mut(event.cast_mut())? };
        if !(SUREFILL_EVENT_SUBMIT..=SUREFILL_EVENT_CANCEL).contains(&event.kind) {
            return Err(Error::OutOfRange);
        }
        count(event.processors)?;
        let producer = unsafe { &mut *addr_of_mut!((*block).producer) };
        // The ends do not carry the ring's length in their type; knowing it, no division by it can panic.
        unsafe { assert_unchecked(producer.capacity() == RING - 1) };
        producer.enqueue(event).map_err(|_| Error::Full)
    })())
}

/// Takes the oldest event out. For the one popping thread. O(1), never waits.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT (moved), EMPTY.
///
/// # Safety
/// inbox is a handle, event points to a writable event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_pop(
    inbox: *mut surefill_inbox,
    event: *mut surefill_job_event,
) -> i32 {
    status((|| {
        let block = unsafe { block(inbox)? };
        let event = unsafe { checked_mut(event)? };
        let consumer = unsafe { &mut *addr_of_mut!((*block).consumer) };
        unsafe { assert_unchecked(consumer.capacity() == RING - 1) };
        *event = consumer.dequeue().ok_or(Error::Empty)?;
        Ok(())
    })())
}

/// The number of events inside; for the popping thread. The other may be changing it.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT (moved).
///
/// # Safety
/// inbox is a handle, length points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_length(inbox: *const surefill_inbox, length: *mut i32) -> i32 {
    status((|| unsafe {
        let block = block(inbox)?;
        let consumer = &*addr_of!((*block).consumer);
        assert_unchecked(consumer.capacity() == RING - 1);
        super::write(length, consumer.len() as i32)
    })())
}
