//! Pools of nodes: nodes, the queues' nodes, reservations and licences.

use super::cycle::{cycle, surefill_cycle};
use super::{scheduler, surefill_scheduler};
use crate::capi::parts::{parts_mut, surefill_part};
use crate::capi::sized::sized;
use crate::capi::{array, count, status, write};
use crate::engine::{NodeReport, NodeState, Reservation};
use crate::error::{Error, Result};
use crate::nodes::{Amounts, MAX_RESOURCES};

/// Jobs may start on the node.
pub const SUREFILL_NODE_UP: i32 = 1;
/// No new job may start on it: it is drained, or a stranger has it. Jobs on it go on.
pub const SUREFILL_NODE_CLOSED: i32 = 2;
/// It is expected to be up at some time: after a restart or a reconfiguration it is not registered yet, or it is
/// powering up. It counts in every plan and reservation from then on, and no job starts on it before it is up.
pub const SUREFILL_NODE_AWAITED: i32 = 3;
/// It is not there.
pub const SUREFILL_NODE_DOWN: i32 = 4;

const _: () =
    assert!(SUREFILL_NODE_UP == NodeState::Up as i32 && SUREFILL_NODE_DOWN == NodeState::Down as i32);

/// A node, as the resource manager reports it. Zero it first: 0 is none, unknown or the default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_node {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// One of SUREFILL_NODE_.
    pub state: i32,
    /// Its name (surefill_hash): another name under the same number is another node.
    pub name: i64,
    /// An awaited node's time until which it is awaited; then it is down. 0 for as long as the word grace says.
    pub until: i64,
    /// Its features: bits of the site's own meaning.
    pub features: i64,
    /// Its amounts, kind by kind, processors first.
    pub amounts: [i32; 8],
    /// Its weight: the nodes with the smallest come first of those that a job may have; not negative.
    pub weight: i32,
    /// 0.
    pub reserved: i32,
}

/// A reservation of nodes: who may not use it ends before it begins, by the time limit, or is elsewhere.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_reservation {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Its pool.
    pub pool: i32,
    /// By which jobs name it; not 0.
    pub key: i64,
    /// When it begins.
    pub from: i64,
    /// When it ends; 0 and there is no such reservation any more.
    pub to: i64,
    /// Its nodes.
    pub nodes: *const i32,
    /// Number of nodes.
    pub node_count: i32,
    /// 0.
    pub reserved: i32,
}

/// Amounts of a caller's.
pub(super) fn amounts(given: &[i32; MAX_RESOURCES]) -> Result<Amounts> {
    let mut amounts = Amounts::default();
    for (to, &from) in amounts.iter_mut().zip(given) {
        *to = count(from)?;
    }
    Ok(amounts)
}

/// Numbers of nodes.
///
/// # Safety
/// A pointer that is not NULL points to `length` readable numbers.
unsafe fn numbers<'a>(given: *const i32, length: i32) -> Result<&'a [u32]> {
    // A negative number is one beyond all nodes.
    unsafe { array(given.cast::<u32>(), length) }
}

/// Sets a node of a pool of nodes: what is said of it holds from now on. Its number is below the capacity's nodes;
/// pool -1 takes the node away, and node may be NULL then. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE; NO_SUCH_INDEX for
/// a pool that is not there or has counted units, and for the number.
///
/// # Safety
/// scheduler is a handle, node points to a readable structure of the size it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_node(
    scheduler: *mut surefill_scheduler,
    pool: i32,
    number: i32,
    node: *const surefill_node,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let number = u32::try_from(number).map_err(|_| Error::NoSuchIndex)?;
        if pool == -1 {
            return scheduler.remove_node(number);
        }
        let pool = u32::try_from(pool).map_err(|_| Error::NoSuchIndex)?;
        let struct_size = size_of::<surefill_node>() as u32;
        let none = surefill_node {
            struct_size,
            state: 0,
            name: 0,
            until: 0,
            features: 0,
            amounts: [0; 8],
            weight: 0,
            reserved: 0,
        };
        let given = unsafe { sized(node, none, &[])? };
        let state = NodeState::from_number(count(given.state)?).ok_or(Error::OutOfRange)?;
        let (name, until, features) = (given.name, given.until, given.features as u64);
        let (amounts, weight) = (amounts(&given.amounts)?, count(given.weight)?);
        let report = NodeReport { state, name, until, features, amounts, weight };
        scheduler.set_node(pool, number, &report)
    })())
}

/// A queue's jobs start on these nodes of its pool alone; NULL for all of them, as it is at first. O(nodes).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE; NO_SUCH_INDEX for
/// a queue that is not there or whose pool has counted units, and for a node.
///
/// # Safety
/// scheduler is a handle, nodes is NULL or points to length readable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_queue_nodes(
    scheduler: *mut surefill_scheduler,
    queue: i32,
    nodes: *const i32,
    length: i32,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let queue = u32::try_from(queue).map_err(|_| Error::NoSuchIndex)?;
        let nodes = if nodes.is_null() { None } else { Some(unsafe { numbers(nodes, length)? }) };
        scheduler.set_queue_nodes(queue, nodes)
    })())
}

/// Sets a reservation of nodes, the one of this pool and key as it is from now on; to 0 takes it away. O(nodes).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE, NO_SUCH_INDEX
/// (pool, a node, a reservation to take away), FULL.
///
/// # Safety
/// scheduler is a handle, reservation points to a readable structure of the size it says, with as many nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_reservation(
    scheduler: *mut surefill_scheduler,
    reservation: *const surefill_reservation,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let none = surefill_reservation {
            struct_size: size_of::<surefill_reservation>() as u32,
            pool: 0,
            key: 0,
            from: 0,
            to: 0,
            nodes: core::ptr::null(),
            node_count: 0,
            reserved: 0,
        };
        let given = unsafe { sized(reservation, none, &[])? };
        if given.reserved != 0 {
            return Err(Error::WrongVersion);
        }
        let pool = u32::try_from(given.pool).map_err(|_| Error::NoSuchIndex)?;
        let surefill_reservation { key, from, to, .. } = given;
        if to == 0 {
            return scheduler.remove_reservation(pool, key);
        }
        let nodes = unsafe { numbers(given.nodes, given.node_count)? };
        scheduler.set_reservation(&Reservation { pool, key, from, to, nodes })
    })())
}

/// Sets the licences that the scheduler's jobs may hold together, SUREFILL_MAX_RESOURCES kinds of them; none at first.
/// Only jobs in pools of nodes have licences. O(pools).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, OUT_OF_RANGE.
///
/// # Safety
/// scheduler is a handle, amounts points to that many readable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_scheduler_set_licences(
    scheduler: *mut surefill_scheduler,
    amounts: *const i32,
) -> i32 {
    status((|| {
        let mut scheduler = unsafe { self::scheduler(scheduler)? };
        let given: &[i32] = unsafe { array(amounts, MAX_RESOURCES as i32)? };
        let given = <&[i32; MAX_RESOURCES]>::try_from(given).map_err(|_| Error::OutOfRange)?;
        scheduler.set_licences(&self::amounts(given)?)
    })())
}

/// Writes the nodes that a job was offered, with its tasks on each, in increasing order, as many as there is room for;
/// and how many they are, 0 in a pool of counted units. NULL is allowed without room. O(nodes of the job).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT, NO_SUCH_INDEX; FULL without room
/// for all.
///
/// # Safety
/// cycle is a handle, parts points to room writable parts, length to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_cycle_parts(
    cycle: *const surefill_cycle,
    number: i32,
    parts: *mut surefill_part,
    room: i32,
    length: *mut i32,
) -> i32 {
    status((|| {
        let number = u32::try_from(number).map_err(|_| Error::NoSuchIndex)?;
        let cycle = unsafe { self::cycle(cycle)? };
        let offered = cycle.parts(number)?;
        let to = unsafe { parts_mut(parts, room)? };
        unsafe { write(length, offered.len() as i32)? };
        to.iter_mut().zip(offered).for_each(|(to, from)| *to = *from);
        if to.len() < offered.len() { Err(Error::Full) } else { Ok(()) }
    })())
}
