//! Machines of nodes shared by cores, memory and GPUs.
//!
//! Which nodes are there, what is free on each, and which job holds what where? Every kind of resource is a whole
//! number in a unit of the caller's choice (cores, MiB, thousandths of a GPU), under the same index in every array; in
//! the example cores, GiB and GPUs.
//!
//! ```c
//! static int64_t memory[1 << 17];
//! const int32_t gpu_node[] = {64, 512, 4};
//! surefill_nodes_capacity capacity;
//! surefill_request request;
//! surefill_part parts[8];
//! surefill_nodes *nodes;
//! int32_t kind, first, count, job;
//! surefill_nodes_capacity_init(&capacity);
//! surefill_nodes_init(memory, sizeof memory, &capacity, &nodes);
//! surefill_nodes_add_class(nodes, 0, gpu_node, 3, &kind);
//! surefill_nodes_add_nodes(nodes, kind, 16, &first);
//! surefill_nodes_set_open(nodes, first + 15, 0);
//! surefill_request_init(&request);
//! request.count = 8;
//! request.each[2] = 1;
//! surefill_nodes_place(nodes, &request, SUREFILL_FIT_BEST, parts, 8, &count);
//! if (count > 0) surefill_nodes_allocate(nodes, &request, parts, count, &job);
//! surefill_nodes_release(nodes, job);
//! ```

mod node_forecast;
mod node_pass;

pub use node_forecast::*;
pub use node_pass::*;

use super::block::{init, object, open, seal, write_size};
use super::parts::{parts, parts_mut, surefill_part};
use super::sized::{ends, initialise, sized};
use super::{array, array_mut, checked_mut, count, status};
use crate::error::{Error, Result};
use crate::nodes::{Amounts, Fit, Nodes, NodesCapacity, Request, Spread};
use core::ffi::c_void;

/// Spread of tasks over nodes: each on a node of its own.
pub const SUREFILL_SPREAD_NODES: i32 = 0;
/// Spread of tasks over nodes: anywhere, several may share a node.
pub const SUREFILL_SPREAD_TASKS: i32 = 1;

/// Nodes are tried in their order.
pub const SUREFILL_FIT_FIRST: i32 = 0;
/// Those nodes first on which the least would be left free, in shares of their capacity added up.
pub const SUREFILL_FIT_BEST: i32 = 1;
/// Those nodes first on which the head job's start would be disturbed in the fewest scenarios, by best fit among equal
/// ones. Without a head job it is SUREFILL_FIT_BEST.
pub const SUREFILL_FIT_APART: i32 = 2;

const _: () = assert!(SUREFILL_SPREAD_NODES as u32 == Spread::Nodes as u32);
const _: () = assert!(SUREFILL_SPREAD_TASKS as u32 == Spread::Tasks as u32);
const _: () = assert!(SUREFILL_FIT_FIRST as u32 == Fit::First as u32);
const _: () = assert!(SUREFILL_FIT_BEST as u32 == Fit::Best as u32);
const _: () = assert!(SUREFILL_FIT_APART as u32 == Fit::Apart as u32);

/// Capacities of a machine of nodes. Set by surefill_nodes_capacity_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_nodes_capacity {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Nodes (1 to 65,536).
    pub nodes: i32,
    /// Classes of like nodes (1 to 65,536).
    pub classes: i32,
    /// Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES).
    pub resources: i32,
    /// Jobs that hold something at the same time (0 to 1,048,576).
    pub jobs: i32,
    /// Pairs of a job and a node on which it holds something (0 to 16,777,216).
    pub parts: i32,
}

/// The request of a job. Set by surefill_request_init, then changed as needed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct surefill_request {
    /// Bytes of this structure, as the program knows it.
    pub struct_size: u32,
    /// Number of tasks (1 to SUREFILL_MAX_TASKS).
    pub count: i32,
    /// One of SUREFILL_SPREAD_: how they lie on nodes.
    pub spread: i32,
    /// Not 0: no other job may be on its nodes.
    pub exclusive: i32,
    /// The features that a node's class must have, all of them: bits of the site's own meaning.
    pub features: i64,
    /// Amounts that each task takes of its node; not negative, 0 for kinds that the machine does not count.
    pub each: [i32; 8],
}

/// A machine of nodes: describe it once (add_class, add_nodes), then take and give back what jobs hold.
/// Which of a node's GPUs a job has, and whether halves of two GPUs are one, is not known here: a node's resources of
/// one kind are one amount.
///
/// Distinct machines are independent; one needs one thread, or the caller's lock. The block holds no pointers, and
/// sealed it is a checkpoint: write it to a file, read it back, open it.
#[allow(non_camel_case_types)]
pub struct surefill_nodes {
    _opaque: [u8; 0],
}

fn default_capacity() -> surefill_nodes_capacity {
    let NodesCapacity { nodes, classes, resources, jobs, parts } = NodesCapacity::default();
    surefill_nodes_capacity {
        struct_size: size_of::<surefill_nodes_capacity>() as u32,
        nodes: nodes as i32,
        classes: classes as i32,
        resources: resources as i32,
        jobs: jobs as i32,
        parts: parts as i32,
    }
}

unsafe fn capacity(given: *const surefill_nodes_capacity) -> Result<NodesCapacity> {
    let given = unsafe {
        sized(
            given,
            default_capacity(),
            ends!(surefill_nodes_capacity, nodes, classes, resources, jobs, parts),
        )?
    };
    Ok(NodesCapacity {
        nodes: count(given.nodes)?,
        classes: count(given.classes)?,
        resources: count(given.resources)?,
        jobs: count(given.jobs)?,
        parts: count(given.parts)?,
    })
}

fn default_request() -> surefill_request {
    surefill_request {
        struct_size: size_of::<surefill_request>() as u32,
        count: 1,
        spread: SUREFILL_SPREAD_TASKS,
        exclusive: 0,
        features: 0,
        each: [0; 8],
    }
}

/// Amounts of resources; as many as are given, the others 0.
fn amounts(given: &[i32]) -> Result<Amounts> {
    let mut amounts = Amounts::default();
    if given.len() > amounts.len() {
        return Err(Error::OutOfRange);
    }
    for (to, from) in amounts.iter_mut().zip(given) {
        *to = count(*from)?;
    }
    Ok(amounts)
}

/// # Safety
/// A pointer that is not NULL and aligned points to a readable structure of the size it says.
unsafe fn request(given: *const surefill_request) -> Result<Request> {
    let given = unsafe {
        sized(given, default_request(), ends!(surefill_request, count, spread, exclusive, features, each))?
    };
    Ok(Request {
        count: count(given.count)?,
        spread: Spread::from_number(count(given.spread)?)?,
        each: amounts(&given.each)?,
        features: given.features as u64,
        exclusive: given.exclusive != 0,
        ..Request::default()
    })
}

fn fit(number: i32) -> Result<Fit> {
    Fit::from_number(count(number)?)
}

/// The machine behind a handle.
///
/// # Safety
/// As [`object`].
unsafe fn nodes<'a>(handle: *const surefill_nodes) -> Result<Nodes<'a>> {
    unsafe { object(handle) }
}

/// A node or class of C, or a job's handle.
fn index(number: i32) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::NoSuchIndex)
}

fn signed(number: u32) -> Result<i32> {
    i32::try_from(number).map_err(|_| Error::Corrupt)
}

/// Writes amounts, as many as the caller wants; what is larger than C's numbers cannot have come from C.
fn write_amounts(to: &mut [i32], amounts: &Amounts) -> Result<()> {
    if to.len() > amounts.len() {
        return Err(Error::OutOfRange);
    }
    for (to, amount) in to.iter_mut().zip(amounts) {
        *to = i32::try_from(*amount).unwrap_or(i32::MAX);
    }
    Ok(())
}

/// Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 4,096 jobs, 16,384 pairs of a
/// job and a node.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// capacity points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_capacity_init(
    capacity: *mut surefill_nodes_capacity,
    size: i64,
) -> i32 {
    status(unsafe { initialise(capacity, default_capacity(), size) })
}

/// Sets the request to one task anywhere that takes nothing yet.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION.
///
/// # Safety
/// request points to size writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_request_init(request: *mut surefill_request, size: i64) -> i32 {
    status(unsafe { initialise(request, default_request(), size) })
}

/// Bytes of memory that a machine needs: for n nodes with r kinds of resource, c classes, j jobs and p parts at most
/// (40 + 4 r) n + 104 c + 104 j + 16 p + 512.
///
/// Errors: NULL, MISALIGNED, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// capacity points to a readable structure of the size it says, size to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_size(
    capacity: *const surefill_nodes_capacity,
    size: *mut i64,
) -> i32 {
    status((|| {
        let bytes = Nodes::size(&unsafe { self::capacity(capacity)? })?;
        unsafe { write_size(size, bytes) }
    })())
}

/// Makes a machine without nodes in the caller's memory (length bytes, at least surefill_nodes_size, aligned to 8).
/// O(length).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, WRONG_VERSION, OUT_OF_RANGE.
///
/// # Safety
/// memory points to length writable bytes, capacity to a readable structure of the size it says, nodes to a writable
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_init(
    memory: *mut c_void,
    length: i64,
    capacity: *const surefill_nodes_capacity,
    nodes: *mut *mut surefill_nodes,
) -> i32 {
    status(unsafe { init(memory, length, nodes, |bytes| Nodes::init(bytes, &self::capacity(capacity)?)) })
}

/// Makes the block a checkpoint, surefill_nodes_size bytes from the handle on, by writing its checksum. Any later call
/// that changes the machine breaks the seal. O(size).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT.
///
/// # Safety
/// nodes is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_seal(nodes: *mut surefill_nodes) -> i32 {
    status(unsafe { seal::<Nodes, _>(nodes) })
}

/// Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as surefill_nodes_seal
/// left it. Handles of jobs stay what they were. O(size).
///
/// Errors: NULL, MISALIGNED, TOO_SMALL, OUT_OF_RANGE (length), WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER,
/// CORRUPT.
///
/// # Safety
/// memory points to length writable bytes, nodes to a writable pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_open(
    memory: *mut c_void,
    length: i64,
    nodes: *mut *mut surefill_nodes,
) -> i32 {
    status(unsafe { open::<Nodes, _>(memory, length, nodes) })
}

/// Adds a class of nodes with these features (bits of the site's own meaning) and amounts of count kinds of resource,
/// none negative. index is the class's, from 0. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (amounts of kinds that the capacity
/// does not count), FULL.
///
/// # Safety
/// nodes is a handle, amounts points to count readable numbers, index to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_add_class(
    nodes: *mut surefill_nodes,
    features: i64,
    amounts: *const i32,
    count: i32,
    index: *mut i32,
) -> i32 {
    status((|| {
        let mut nodes = unsafe { self::nodes(nodes)? };
        let amounts = self::amounts(unsafe { array(amounts, count)? })?;
        let index = unsafe { checked_mut(index)? };
        *index = signed(nodes.add_class(features as u64, &amounts)?)?;
        Ok(())
    })())
}

/// Adds count empty nodes of a class. first is the index of the first of them. O(count).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX (class), OUT_OF_RANGE, FULL.
///
/// # Safety
/// nodes is a handle, first points to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_add_nodes(
    nodes: *mut surefill_nodes,
    class_index: i32,
    count: i32,
    first: *mut i32,
) -> i32 {
    status((|| {
        let mut nodes = unsafe { self::nodes(nodes)? };
        let first = unsafe { checked_mut(first)? };
        *first = signed(nodes.add_nodes(index(class_index)?, self::count(count)?)?)?;
        Ok(())
    })())
}

/// Opens a node for new jobs (is_open not 0), or closes it (drained, down). Jobs on it stay until they are released.
/// O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX.
///
/// # Safety
/// nodes is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_set_open(nodes: *mut surefill_nodes, node: i32, is_open: i32) -> i32 {
    status((|| unsafe { self::nodes(nodes)? }.set_open(index(node)?, is_open != 0))())
}

/// Free amounts of the first count kinds of resource on a node; nothing on a node that one job holds alone. O(1).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, NO_SUCH_INDEX, OUT_OF_RANGE (count).
///
/// # Safety
/// nodes is a handle, amounts points to count writable numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_free(
    nodes: *const surefill_nodes,
    node: i32,
    amounts: *mut i32,
    count: i32,
) -> i32 {
    status((|| {
        let nodes = unsafe { self::nodes(nodes)? };
        write_amounts(unsafe { array_mut(amounts, count)? }, &nodes.free(index(node)?)?)
    })())
}

/// Finds nodes for a request by one of SUREFILL_FIT_, in the order of the nodes: count parts, 0 where it does not fit.
/// room is how many parts there is room for; as many as the request's tasks, or the nodes if these are fewer, are
/// always enough. Nothing is taken. O(nodes log count).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE, FULL (room; parts may have been
/// written then).
///
/// # Safety
/// nodes is a handle, request points to a readable structure of the size it says, parts to room writable ones, count to
/// a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_place(
    nodes: *mut surefill_nodes,
    request: *const surefill_request,
    fit: i32,
    parts: *mut surefill_part,
    room: i32,
    count: *mut i32,
) -> i32 {
    status((|| {
        let mut nodes = unsafe { self::nodes(nodes)? };
        let (request, fit) = (unsafe { self::request(request)? }, self::fit(fit)?);
        let (parts, count) = unsafe { (parts_mut(parts, room)?, checked_mut(count)?) };
        *count = nodes.place(&request, fit, parts)?.map_or(Ok(0), written)?;
        Ok(())
    })())
}

fn written(count: usize) -> Result<i32> {
    i32::try_from(count).map_err(|_| Error::Corrupt)
}

/// Takes what a request asks for on count nodes, which come in increasing order. job is the job's handle. After
/// surefill_nodes_release it is unknown until other jobs have had its slot 2,048 times. O(count).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (also for nodes out of order and parts
/// without tasks), NO_SUCH_INDEX (node), DOES_NOT_FIT (also when the tasks are not as many as asked for), FULL.
///
/// # Safety
/// nodes is a handle, request points to a readable structure of the size it says, parts to count readable
/// ones, job to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_allocate(
    nodes: *mut surefill_nodes,
    request: *const surefill_request,
    parts: *const surefill_part,
    count: i32,
    job: *mut i32,
) -> i32 {
    status((|| {
        let mut nodes = unsafe { self::nodes(nodes)? };
        let (request, parts) = unsafe { (self::request(request)?, self::parts(parts, count)?) };
        let job = unsafe { checked_mut(job)? };
        *job = signed(nodes.allocate(&request, parts)?)?;
        Ok(())
    })())
}

/// Gives back all that a job holds. O(its nodes).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, UNKNOWN_JOB.
///
/// # Safety
/// nodes is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_release(nodes: *mut surefill_nodes, job: i32) -> i32 {
    status((|| unsafe { self::nodes(nodes)? }.release(known(job)?))())
}

/// A job's handle.
fn known(job: i32) -> Result<u32> {
    u32::try_from(job).map_err(|_| Error::UnknownJob)
}

/// Where a job is: count parts in increasing order of nodes, for which there must be room. O(its nodes).
///
/// Errors: NULL, MISALIGNED, WRONG_OBJECT, WRONG_VERSION, CORRUPT, OUT_OF_RANGE (room), UNKNOWN_JOB, FULL (room).
///
/// # Safety
/// nodes is a handle, parts points to room writable ones, count to a writable number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn surefill_nodes_placement(
    nodes: *const surefill_nodes,
    job: i32,
    parts: *mut surefill_part,
    room: i32,
    count: *mut i32,
) -> i32 {
    status((|| {
        let nodes = unsafe { self::nodes(nodes)? };
        let (parts, count) = unsafe { (parts_mut(parts, room)?, checked_mut(count)?) };
        *count = written(nodes.placement(known(job)?, parts)?)?;
        Ok(())
    })())
}
