//! An object in a block between canaries, what may be done to any kind of it, and what must hold.

use super::input::{Input, askew};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::error::{Error, Result};

/// Words beside a block that no call may change; without them, the address sanitizer sees every step outside.
const MARGIN: usize = 8;
const CANARY: u64 = 0xa5a5_5a5a_c3c3_3c3c;

/// A block of memory.
#[derive(Clone)]
pub struct Block {
    words: Vec<u64>,
    margin: usize,
}

impl Block {
    pub fn new(bytes: i64, canaries: bool) -> Block {
        let margin = if canaries { MARGIN } else { 0 };
        Block { words: vec![CANARY; usize::try_from(bytes).unwrap().div_ceil(8) + 2 * margin], margin }
    }

    pub fn words(&self) -> &[u64] {
        &self.words[self.margin..self.words.len() - self.margin]
    }

    pub fn words_mut(&mut self) -> &mut [u64] {
        let end = self.words.len() - self.margin;
        &mut self.words[self.margin..end]
    }

    pub fn length(&self) -> i64 {
        8 * self.words().len() as i64
    }

    pub fn pointer(&mut self) -> *mut c_void {
        self.words_mut().as_mut_ptr().cast()
    }

    #[track_caller]
    fn check(&self) {
        let (before, rest) = self.words.split_at(self.margin);
        let after = &rest[rest.len() - self.margin..];
        assert!(before.iter().chain(after).all(|&word| word == CANARY), "written beside the block");
    }
}

/// Bins in a block of their own, as the init functions want them.
pub fn bins(first: f64, ratio: f64, count: i32) -> Block {
    // Long enough to be looked at as any other object.
    let mut block = Block::new(SUREFILL_BINS_SIZE.max(1 << 14), false);
    let (memory, length, mut made) = (block.pointer(), block.length(), std::ptr::null_mut());
    assert_eq!(unsafe { surefill_bins_init(memory, length, first, ratio, count, &mut made) }, SUREFILL_OK);
    block
}

/// A structure as its init function makes it.
pub fn initialised<T>(init: unsafe extern "C" fn(*mut T, i64) -> i32) -> T {
    let mut value = std::mem::MaybeUninit::uninit();
    // SAFETY: the function writes the whole structure.
    unsafe {
        assert_eq!(init(value.as_mut_ptr(), size_of::<T>() as i64), SUREFILL_OK);
        value.assume_init()
    }
}

/// Makes an object of `size` bytes in a block where the core makes one, and only there; before it, seldom, with
/// wrong memory or a wrong output.
pub fn make<H, T>(
    input: &mut Input,
    size: i64,
    init: impl Fn(*mut c_void, i64, *mut *mut H) -> i32,
    core: Result<T>,
) -> Option<(T, Block)> {
    let mut block = Block::new(size, input.below(2) == 0);
    let (right, mut made) = (block.pointer(), null_mut());
    if input.rarely() {
        let out = &raw mut made;
        let (status, error) = match input.below(6) {
            0 => (init(null_mut(), size, out), SUREFILL_ERROR_NULL),
            1 => (init(askew(right), size, out), SUREFILL_ERROR_MISALIGNED),
            2 => (init(right, size - 1, out), SUREFILL_ERROR_TOO_SMALL),
            3 => (init(right, -1, out), SUREFILL_ERROR_OUT_OF_RANGE),
            4 => (init(right, size, null_mut()), SUREFILL_ERROR_NULL),
            _ => (init(right, size, askew(out)), SUREFILL_ERROR_MISALIGNED),
        };
        // Another fault may be refused first.
        assert!(if core.is_ok() { status == error } else { status < 0 }, "{status}, not {error}");
    }
    let untouched = block.clone();
    assert!(made.is_null());
    assert_eq!(init(right, size, &mut made), code(&core));
    block.check();
    if core.is_err() {
        assert!(made.is_null() && block.words() == untouched.words());
    }
    let core = core.ok()?;
    assert!(made.cast() == right);
    Some((core, block))
}

/// The answer of a call: the status, and the bits of every output.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub status: i32,
    pub outputs: Vec<u64>,
}

/// The values of outputs before a call.
pub const MARK: u64 = 0x5eed_5eed_5eed_5eed;
pub const MARK_INT: i32 = 0x5eed_5eed;
pub const MARK_REAL: f64 = f64::from_bits(MARK);

/// Only targets without a counterpart in the core have rounds.
#[allow(dead_code)]
pub const MARK_ROUND: surefill_round = surefill_round {
    struct_size: size_of::<surefill_round>() as u32,
    reserved: 0,
    log_likelihood: MARK_REAL,
    l1: MARK_REAL,
    l_infinity: MARK_REAL,
    rounds: MARK as i64,
    jobs: MARK as i64,
    adapted: MARK as i64,
};

/// The outputs of a call, gathered.
pub trait Bits {
    fn bits(&self, to: &mut Vec<u64>);
}

impl Bits for i32 {
    fn bits(&self, to: &mut Vec<u64>) {
        // The mark of all outputs is the same when spread over 64 bits.
        to.push(u64::from(*self as u32) << 32 | u64::from(*self as u32));
    }
}

impl Bits for i64 {
    fn bits(&self, to: &mut Vec<u64>) {
        to.push(*self as u64);
    }
}

impl Bits for f64 {
    fn bits(&self, to: &mut Vec<u64>) {
        to.push(self.to_bits());
    }
}

impl<T: Bits> Bits for Vec<T> {
    fn bits(&self, to: &mut Vec<u64>) {
        self.iter().for_each(|value| value.bits(to));
    }
}

impl Bits for surefill_round {
    fn bits(&self, to: &mut Vec<u64>) {
        [self.log_likelihood, self.l1, self.l_infinity].to_vec().bits(to);
        [self.rounds, self.jobs, self.adapted].to_vec().bits(to);
    }
}

pub fn outcome(status: i32, outputs: &[&dyn Bits]) -> Outcome {
    let mut bits = Vec::new();
    outputs.iter().for_each(|output| output.bits(&mut bits));
    Outcome { status, outputs: bits }
}

/// The status of a call of the core.
pub fn code<T>(result: &Result<T>) -> i32 {
    result.as_ref().map_or_else(|error| error.status(), |_| SUREFILL_OK)
}

/// A number as the core counts it.
pub fn counted(number: i32) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::OutOfRange)
}

/// The work of a call.
pub fn worked(work: i64) -> Result<u64> {
    u64::try_from(work).ok().filter(|&work| work > 0).ok_or(Error::OutOfRange)
}

/// The answer that a call must give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expected {
    Status(i32),
    /// Success or one of these.
    OkOr(&'static [i32]),
    /// One of these, not success.
    Error(&'static [i32]),
}

/// The commonest ways of being out of range have statuses of their own. The models say only that something is out of
/// range.
fn out_of_range(status: i32) -> bool {
    [
        SUREFILL_ERROR_OUT_OF_RANGE,
        SUREFILL_ERROR_TOO_MANY_PROCESSORS,
        SUREFILL_ERROR_SPAN_TOO_LONG,
        SUREFILL_ERROR_OVERFULL,
    ]
    .contains(&status)
}

impl Expected {
    fn holds(self, status: i32) -> bool {
        let is =
            |expected| status == expected || expected == SUREFILL_ERROR_OUT_OF_RANGE && out_of_range(status);
        match self {
            Expected::Status(expected) => is(expected),
            Expected::OkOr(errors) => status == SUREFILL_OK || errors.iter().any(|&error| is(error)),
            Expected::Error(errors) => errors.iter().any(|&error| is(error)),
        }
    }
}

/// The form in which the pointer to the first output is passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pointer {
    Right,
    Null,
    Askew,
}

impl Pointer {
    pub fn any(input: &mut Input) -> Pointer {
        if !input.rarely() {
            return Pointer::Right;
        }
        if input.below(2) == 0 { Pointer::Null } else { Pointer::Askew }
    }

    pub fn to<T>(self, right: *mut T) -> *mut T {
        match self {
            Pointer::Right => right,
            Pointer::Null => std::ptr::null_mut(),
            Pointer::Askew => askew(right),
        }
    }
}

/// A kind of object: how it is called, and what of it is modelled.
pub trait Subject: std::marker::Sized + Clone {
    type Call: std::fmt::Debug;
    /// Whether a block can be sealed; else a checkpoint is a copy.
    const SEALS: bool = true;

    /// An object, or `None` if its capacity or options were refused.
    fn make(input: &mut Input) -> Option<(Self, Block)>;
    fn seal(_handle: *mut c_void, _length: i64) -> i32 {
        unreachable!("it is not sealed")
    }
    fn open(_memory: *mut c_void, _length: i64) -> (i32, *mut c_void) {
        unreachable!("it is not sealed")
    }
    /// An object of another kind, long enough to be looked at as this one.
    fn stranger() -> Block {
        bins(1.0, 2.0, 3)
    }
    fn read(&self, input: &mut Input) -> (Self::Call, Pointer);
    /// Does a call, which may read as much as `length` bytes behind the handle.
    fn perform(&self, handle: *mut c_void, length: i64, call: &Self::Call, output: Pointer) -> Outcome;
    /// The same call on the same block by the core; `None` for calls that have no counterpart there.
    fn core(&self, _memory: &mut [u8], _call: &Self::Call) -> Option<Outcome> {
        None
    }
    fn expected(&self, call: &Self::Call) -> Expected;
    /// Whether the first output may be NULL.
    fn optional(&self, _call: &Self::Call) -> bool {
        false
    }
    /// Whether a call must refuse a handle of nothing: NULL may be allowed, or the handle not needed.
    fn needs(&self, _call: &Self::Call, _null: bool) -> bool {
        true
    }
    /// After a call that succeeded: what must hold of its outputs, and what is known now. The handle is good for
    /// further calls, which must change nothing.
    fn done(&mut self, call: &Self::Call, outputs: &[u64], handle: *mut c_void, length: i64);
}

pub struct Object<S> {
    subject: S,
    block: Block,
    /// Opened from a checkpoint of the block.
    twin: Option<Block>,
    /// The block before a call, and the one on which the core makes it.
    scratch: [Vec<u64>; 2],
}

#[track_caller]
fn named(status: i32) {
    let name = unsafe { CStr::from_ptr(surefill_status_name(status)) };
    assert!(name != c"unknown status", "{status}");
}

impl<S: Subject> Object<S> {
    fn make(input: &mut Input) -> Option<Object<S>> {
        let (subject, block) = S::make(input)?;
        block.check();
        Some(Object { subject, block, twin: None, scratch: Default::default() })
    }

    /// The same bytes elsewhere, and nothing here any more.
    fn moved(&mut self) {
        self.block = self.block.clone();
    }

    fn call(&mut self, input: &mut Input) {
        let (call, output) = self.subject.read(input);
        if input.rarely() {
            return self.call_nothing(input, &call);
        }
        let [before, memory] = &mut self.scratch;
        before.clear();
        before.extend_from_slice(self.block.words());
        let (length, handle) = (self.block.length(), self.block.pointer());
        let outcome = self.subject.perform(handle, length, &call, output);
        self.block.check();
        named(outcome.status);
        if output == Pointer::Right || output == Pointer::Null && self.subject.optional(&call) {
            let expected = self.subject.expected(&call);
            assert!(expected.holds(outcome.status), "{call:?}: {}, not {expected:?}", outcome.status);
            memory.clone_from(before);
            if let Some(core) = self.subject.core(bytemuck::cast_slice_mut(memory), &call) {
                assert_eq!(outcome.status, core.status, "{call:?}: the core's status");
                let differing = outcome.outputs.iter().zip(&core.outputs).position(|(c, ours)| c != ours);
                assert!(
                    output != Pointer::Right
                        || differing.is_none() && outcome.outputs.len() == core.outputs.len(),
                    "{call:?}: output {differing:?} is not the core's"
                );
                assert!(*memory == self.block.words(), "{call:?}: other bytes than the core's");
            }
        }
        if outcome.status == SUREFILL_OK {
            self.subject.done(&call, &outcome.outputs, handle, length);
        } else {
            assert!(outcome.outputs.iter().all(|&output| output == MARK), "{call:?}: {outcome:x?}");
            assert!(*before == self.block.words(), "{call:?}: refused ({}), but changed", outcome.status);
        }
        if let Some(twin) = &mut self.twin {
            assert_eq!(self.subject.perform(twin.pointer(), length, &call, output), outcome, "{call:?}");
            twin.check();
            assert!(twin.words() == self.block.words(), "{call:?}: a checkpoint went on differently");
        }
    }

    /// A call on something that is no such object.
    fn call_nothing(&mut self, input: &mut Input, call: &S::Call) {
        let mut stranger = S::stranger();
        let (handle, expected) = match input.below(4) {
            0 => (std::ptr::null_mut(), SUREFILL_ERROR_NULL),
            1 => (askew(self.block.pointer()), SUREFILL_ERROR_MISALIGNED),
            2 => (stranger.pointer(), SUREFILL_ERROR_WRONG_OBJECT),
            _ => {
                let own = self.block.words().iter().cycle();
                stranger.words_mut().iter_mut().zip(own).for_each(|(to, word)| *to = *word);
                stranger.words_mut()[0] = stranger.words_mut()[0].swap_bytes();
                (stranger.pointer(), SUREFILL_ERROR_FOREIGN_BYTE_ORDER)
            }
        };
        let before = stranger.words().to_vec();
        let length = stranger.length().min(self.block.length());
        let outcome = self.subject.perform(handle, length, call, Pointer::Right);
        named(outcome.status);
        // Other arguments may be refused first.
        let refused = outcome.status < 0;
        assert!(refused || !self.subject.needs(call, handle.is_null()), "{call:?}: success, not {expected}");
        assert!(!refused || outcome.outputs.iter().all(|&output| output == MARK), "{call:?}: {outcome:x?}");
        assert!(stranger.words() == before, "{call:?}");
    }

    /// Seals the block and opens a copy, which then goes the same way; now and then a damaged one, which must be
    /// refused.
    fn checkpoint(&mut self, input: &mut Input) {
        let length = self.block.length();
        if !S::SEALS {
            self.twin = Some(self.block.clone());
            return;
        }
        assert_eq!(S::seal(self.block.pointer(), length), SUREFILL_OK);
        self.block.check();
        let mut copy = self.block.clone();
        if input.below(4) == 0 {
            change_byte(&mut copy, input);
            let (status, handle) = S::open(copy.pointer(), length);
            named(status);
            assert!(status < 0 && handle.is_null(), "a damaged checkpoint was opened");
            copy = self.block.clone();
        }
        if input.rarely() {
            let (status, handle) = match input.below(4) {
                0 => S::open(std::ptr::null_mut(), length),
                1 => S::open(copy.pointer(), input.below(255) as i64 * 8 % length),
                2 => S::open(copy.pointer(), length - 8),
                _ => S::open(copy.pointer(), -1),
            };
            assert!(status < 0 && handle.is_null());
        }
        let (status, handle) = S::open(copy.pointer(), length);
        assert_eq!((status, handle), (SUREFILL_OK, copy.pointer()));
        copy.check();
        assert!(copy.words() == self.block.words());
        self.twin = Some(copy);
    }

    /// Calls on a copy in which a byte is wrong: any answer will do, but an answer it must be.
    fn damage(&mut self, input: &mut Input) {
        let mut copy = self.block.clone();
        change_byte(&mut copy, input);
        for _ in 0..1 + input.below(12) {
            let (call, _) = self.subject.read(input);
            let (length, handle) = (copy.length(), copy.pointer());
            let outcome = self.subject.perform(handle, length, &call, Pointer::Right);
            copy.check();
            named(outcome.status);
        }
        if !S::SEALS {
            return;
        }
        named(S::seal(copy.pointer(), copy.length()));
        named(S::open(copy.pointer(), copy.length()).0);
        copy.check();
    }
}

/// Bytes as calls on up to two objects of a kind.
pub fn calls<S: Subject>(input: &mut Input) {
    // Most calls go to the first.
    let mut objects: Vec<Object<S>> = Vec::new();
    for _ in 0..2 {
        objects.extend(Object::make(input));
    }
    while !input.is_empty() && !objects.is_empty() {
        let which = input.below(4 * objects.len() as u8).saturating_sub(3 * objects.len());
        match input.below(16) {
            0 => objects[which].checkpoint(input),
            1 => objects[which].moved(),
            2 => objects[which].damage(input),
            3 if input.rarely() => {
                if let Some(another) = Object::make(input) {
                    objects[which] = another;
                }
            }
            _ => objects[which].call(input),
        }
    }
}

/// Damages a byte: mostly in the head, where every byte means something to every call.
fn change_byte(block: &mut Block, input: &mut Input) {
    let words = block.words().len() as i64;
    let within = if input.below(2) == 0 { words.min(128) } else { words };
    let word = input.seconds().rem_euclid(within) as usize;
    let (byte, change) = (input.below(8), 1 + input.below(255) as u64);
    block.words_mut()[word] ^= change << (8 * byte);
}

/// Whether these are probabilities that sum to 1.
#[track_caller]
pub fn distributed(bits: &[u64]) {
    let probabilities: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
    let sum: f64 = probabilities.iter().sum();
    let range = 0.0..=1.0 + 1e-9;
    let valid = probabilities.iter().all(|p| range.contains(p)) && (sum - 1.0).abs() < 1e-9;
    assert!(valid, "{sum}: {probabilities:?}");
}
