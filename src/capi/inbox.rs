//! The inbox, by which threads hand job events to another without a lock.
//!
//! A resource manager learns of jobs in threads that must not wait, and decides in another. Any number of threads push;
//! one thread pops, before it decides. When the inbox is full an event is refused and counted: whoever pushes may keep
//! it and try again, and who pops sees by surefill_inbox_refused that something was lost and may read the queue anew.
//!
//! ```c
//! static int64_t memory[40000];
//! surefill_inbox_capacity capacity;
//! surefill_inbox *inbox;
//! int64_t bytes;
//! surefill_job_event event = {SUREFILL_EVENT_SUBMIT, 16, 4711, 1000000, 3600, 501, 0};
//! surefill_inbox_capacity_init(&capacity);
//! surefill_inbox_size(&capacity, &bytes);
//! surefill_inbox_init(memory, sizeof memory, &capacity, &inbox);
//! surefill_inbox_push(inbox, &event);
//! while (surefill_inbox_pop(inbox, &event) == SUREFILL_OK) printf("job %ld\n", (long)event.job);
//! ```

use super::block::{header, memory};
use super::counter::Counter;
use super::sized::{ends, initialise, sized};
use super::{checked_mut, count, status, write};
use crate::error::{Error, Result};
use crate::math::fnv::fnv1a;
use crate::memory::{ALIGNMENT, Header, Kind};
use bytemuck::{Pod, Zeroable};
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::slice;
use core::sync::atomic::Ordering;

const KIND: Kind = Kind::Inbox;

/// The most events that an inbox can hold.
pub const SUREFILL_MAX_INBOX_EVENTS: i32 = 1_048_576;

/// A job was submitted.
pub const SUREFILL_EVENT_SUBMIT: i32 = 1;
/// A job was started.
pub const SUREFILL_EVENT_START: i32 = 2;
/// A job ended.
pub const SUREFILL_EVENT_END: i32 = 3;
/// A job was cancelled before it started.
pub const SUREFILL_EVENT_CANCEL: i32 = 4;

/// Something that happened to a job. The inbox hands it on as it is.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
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
    /// A number for the job's name or program, 0 for unknown.
    pub name: i64,
}

/// Capacities of an inbox. Set by surefill_inbox_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_inbox_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Events that are held at once (1 to SUREFILL_MAX_INBOX_EVENTS), rounded up to a power of two from 2 on.
    pub events: i32,
}

/// A queue of job events: any number of threads may push while one thread pops, without a lock.
///
/// Every word of the block carries a check, so that damage by a changed bit is found where it is met: CORRUPT, and no
/// wrong event. A block may be moved or copied while no call uses it.
#[allow(non_camel_case_types)]
pub struct surefill_inbox {
    _opaque: [u8; 0],
}

const DEFAULT: surefill_inbox_capacity =
    surefill_inbox_capacity { struct_size: size_of::<surefill_inbox_capacity>() as u32, events: 4096 };

/// The head of the block, before the cells.
#[repr(C)]
struct Start {
    header: Header,
    /// Cells, a power of two.
    events: u64,
    /// Events ever pushed, popped, and refused as the inbox was full.
    pushed: Counter,
    popped: Counter,
    refused: Counter,
}

/// Room for an event. Of the event with number n it says n before it is there, n + 1 when it is there, and n + cells
/// when it has been taken (Vyukov's bounded queue, with one thread that takes). Numbers wrap round where counters do.
#[repr(C)]
struct Cell {
    turn: Counter,
    content: UnsafeCell<Content>,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Content {
    event: surefill_job_event,
    /// FNV-1a of the event.
    sum: u64,
}

const _: () = assert!(align_of::<Start>() <= ALIGNMENT && align_of::<Cell>() <= ALIGNMENT);
const _: () = assert!(size_of::<Start>() % align_of::<Cell>() == 0);
// The same block on every processor.
const _: () = assert!(size_of::<Start>() == 56 && size_of::<Cell>() == 64);
// No two of an event's number, the next and those of the round before are the same.
const _: () = assert!(2 * (SUREFILL_MAX_INBOX_EVENTS as u64) < Counter::MOST as u64);

/// An inbox in its block. Nothing in it is followed before it is checked.
pub(super) struct Inbox<'a> {
    start: &'a Start,
    cells: &'a [Cell],
}

/// The cells of an inbox with room for the given events, a power of two.
fn cells(given: *const surefill_inbox_capacity) -> Result<u32> {
    let events = count(unsafe { sized(given, DEFAULT, ends!(surefill_inbox_capacity, events))? }.events)?;
    if !(1..=SUREFILL_MAX_INBOX_EVENTS as u32).contains(&events) {
        return Err(Error::OutOfRange);
    }
    // With one cell an event that is there and one that was taken would look the same.
    Ok(events.next_power_of_two().max(2))
}

fn block_size(cells: u32) -> usize {
    size_of::<Start>() + cells as usize * size_of::<Cell>()
}

impl<'a> Inbox<'a> {
    /// The inbox behind a handle.
    ///
    /// # Safety
    /// A handle that is not NULL and aligned points to a readable block of at least a header; behind one of an inbox's
    /// size lie as many bytes as it says.
    pub(super) unsafe fn of(handle: *const surefill_inbox) -> Result<Inbox<'a>> {
        unsafe { header(handle)? }.check(KIND)?;
        let start = unsafe { &*handle.cast::<Start>() };
        let cells = u32::try_from(start.events).ok().filter(|cells| cells.is_power_of_two());
        let cells = cells.filter(|&cells| cells <= SUREFILL_MAX_INBOX_EVENTS as u32).ok_or(Error::Corrupt)?;
        if start.header.size != block_size(cells) as u64 {
            return Err(Error::Corrupt);
        }
        let first = handle.wrapping_byte_add(size_of::<Start>()).cast::<Cell>();
        Ok(Inbox { start, cells: unsafe { slice::from_raw_parts(first, cells as usize) } })
    }

    /// Where the event with this number lies.
    fn cell(&self, number: u32) -> Result<&'a Cell> {
        let place = number as usize & self.cells.len().wrapping_sub(1);
        self.cells.get(place).ok_or(Error::Corrupt)
    }

    fn push(&self, event: &surefill_job_event) -> Result<()> {
        let cells = self.cells.len() as u32;
        loop {
            let number = self.start.pushed.load(Ordering::Acquire)?;
            let cell = self.cell(number)?;
            let turn = cell.turn.load(Ordering::Acquire)?;
            if turn == number {
                // Fails only when another thread has pushed: then there is progress.
                if self.start.pushed.exchange(number, Counter::sum(number, 1)) {
                    // The cell is this thread's until its turn changes.
                    let sum = fnv1a(bytemuck::bytes_of(event));
                    unsafe { cell.content.get().write(Content { event: *event, sum }) };
                    cell.turn.store(Counter::sum(number, 1), Ordering::Release);
                    return Ok(());
                }
            } else if self.start.pushed.load(Ordering::Acquire)? == number {
                // The cell holds an event of the round before, or is being written: there is no room.
                let before = Counter::sum(number, cells.wrapping_neg());
                if turn != before && turn != Counter::sum(before, 1) {
                    return Err(Error::Corrupt);
                }
                let refused = self.start.refused.load(Ordering::Relaxed)?;
                // Two threads that are refused in the same instant: one tries again.
                if self.start.refused.exchange(refused, Counter::raised(refused)) {
                    return Err(Error::Full);
                }
            }
        }
    }

    fn pop(&self) -> Result<surefill_job_event> {
        let number = self.start.popped.load(Ordering::Relaxed)?;
        let cell = self.cell(number)?;
        let turn = cell.turn.load(Ordering::Acquire)?;
        if turn == number {
            return Err(Error::Empty);
        }
        if turn != Counter::sum(number, 1) {
            return Err(Error::Corrupt);
        }
        let Content { event, sum } = unsafe { cell.content.get().read() };
        cell.turn.store(Counter::sum(number, self.cells.len() as u32), Ordering::Release);
        self.start.popped.store(Counter::sum(number, 1), Ordering::Relaxed);
        if sum == fnv1a(bytemuck::bytes_of(&event)) { Ok(event) } else { Err(Error::Corrupt) }
    }
}

/// Sets the capacity to its default: 4,096 events.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_capacity_init(
    capacity: *mut surefill_inbox_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, DEFAULT, size) })
}

/// Bytes of memory that an inbox needs: at most 64 for each event of the rounded capacity, and 56.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_size(
    capacity: *const surefill_inbox_capacity,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = block_size(cells(capacity)?);
        unsafe { write(size, i64::try_from(bytes).map_err(|_| Error::OutOfRange)?) }
    })())
}

/// Makes an empty inbox in the caller's memory (length bytes, at least surefill_inbox_size, aligned to 8). O(events).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, inbox to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_inbox_capacity,
    inbox: *mut *mut surefill_inbox,
) -> i32 {
    status((|| {
        let handle = unsafe { checked_mut(inbox)? };
        let cells = cells(capacity)?;
        let size = block_size(cells);
        if unsafe { self::memory(memory, length)? }.len() < size {
            return Err(Error::TooSmall);
        }
        let start = Start {
            header: Header::new(KIND, size),
            events: u64::from(cells),
            pushed: Counter::new(0),
            popped: Counter::new(0),
            refused: Counter::new(0),
        };
        unsafe { memory.cast::<Start>().write(start) };
        let first = memory.wrapping_byte_add(size_of::<Start>()).cast::<Cell>();
        for number in 0..cells {
            let content = UnsafeCell::new(Content { event: Zeroable::zeroed(), sum: 0 });
            unsafe {
                first.wrapping_add(number as usize).write(Cell { turn: Counter::new(number), content })
            };
        }
        *handle = memory.cast();
        Ok(())
    })())
}

/// Puts an event in, behind those before. Any number of threads may push at once. Never waits; tries again only when
/// another thread has got ahead of it.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (kind or processors), FULL (which is
/// counted).
///
/// # Safety
/// inbox is a handle, event points to a readable event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_push(
    inbox: *mut surefill_inbox,
    event: *const surefill_job_event,
) -> i32 {
    status((|| {
        let inbox = unsafe { Inbox::of(inbox)? };
        let event = *unsafe { checked_mut(event.cast_mut())? };
        if !(SUREFILL_EVENT_SUBMIT..=SUREFILL_EVENT_CANCEL).contains(&event.kind) {
            return Err(Error::OutOfRange);
        }
        count(event.processors)?;
        inbox.push(&event)
    })())
}

/// Takes the oldest event out. For one thread at a time. O(1), never waits. EMPTY is also said while the thread that
/// pushes the oldest event has not finished; later events wait behind it.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT (the event was damaged, and is gone; or the inbox is,
/// and must be made again), EMPTY.
///
/// # Safety
/// inbox is a handle, event points to a writable event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_pop(
    inbox: *mut surefill_inbox,
    event: *mut surefill_job_event,
) -> i32 {
    status((|| {
        let inbox = unsafe { Inbox::of(inbox)? };
        let event = unsafe { checked_mut(event)? };
        *event = inbox.pop()?;
        Ok(())
    })())
}

/// Number of times that an event has been refused since the inbox was made, as it was full; at most 4,294,967,295
/// (16,777,215 on processors without atomic words of 64 bits). For any thread.
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT.
///
/// # Safety
/// inbox is a handle, refused points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_inbox_refused(inbox: *const surefill_inbox, refused: *mut i64) -> i32 {
    status((|| {
        let inbox = unsafe { Inbox::of(inbox)? };
        unsafe { write(refused, i64::from(inbox.start.refused.load(Ordering::Relaxed)?)) }
    })())
}
