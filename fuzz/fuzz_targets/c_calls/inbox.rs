//! Calls on an inbox, beside a queue of the standard library.

use crate::World;
use crate::blocks::{Block, handle, place, succeeded};
use crate::input::{Input, MARK_INT};
use std::collections::VecDeque;
use std::ptr::null_mut;
use surefill::capi::*;

pub struct Inbox {
    pub block: Block,
    events: VecDeque<surefill_job_event>,
    refused: i64,
}

/// Events that it holds.
const EVENTS: i32 = 32;
const CAPACITY: surefill_inbox_capacity =
    surefill_inbox_capacity { struct_size: size_of::<surefill_inbox_capacity>() as u32, events: EVENTS };

fn bytes() -> i64 {
    let mut size = 0;
    assert_eq!(unsafe { surefill_inbox_size(&CAPACITY, &mut size) }, SUREFILL_OK);
    size
}

impl Inbox {
    pub fn new() -> Inbox {
        let block = Block::new(bytes());
        let mut made = null_mut();
        let status = unsafe { surefill_inbox_init(block.pointer(), block.length(), &CAPACITY, &mut made) };
        assert_eq!((status, made), (SUREFILL_OK, block.pointer()));
        Inbox { block, events: VecDeque::new(), refused: 0 }
    }
}

/// Something no call leaves behind by accident.
const MARK: surefill_job_event =
    surefill_job_event { kind: MARK_INT, processors: 0, job: 1, time: 2, limit: 3, user: 4, name: 5 };

pub fn call(world: &mut World, input: &mut Input) {
    match input.below(8) {
        0 => init(world, input),
        1 => fill(world),
        2..=4 => pop(world, input),
        _ => push(world, input),
    }
}

fn init(world: &mut World, input: &mut Input) {
    let block = Block::new(bytes());
    let (memory, length, placed) = place(input, &block, bytes());
    let mut made = null_mut();
    let out = input.output(&mut made);
    let status = unsafe { surefill_inbox_init(memory, length, &CAPACITY, out) };
    let legal = placed && out == &raw mut made;
    if succeeded(status, legal, &[SUREFILL_ERROR_TOO_SMALL, SUREFILL_ERROR_OUT_OF_RANGE]) {
        world.inbox = Inbox { block, events: VecDeque::new(), refused: 0 };
    } else {
        assert!(made.is_null());
    }
}

/// The inbox's handle, seldom none; and whether it is one.
fn inbox(world: &World, input: &mut Input) -> (*mut surefill_inbox, bool) {
    let (handle, slot) = handle(input, &[Some(&world.inbox)], |inbox| &inbox.block, &world.stranger);
    (handle, slot.is_some())
}

fn push(world: &mut World, input: &mut Input) {
    let (inbox, valid) = inbox(world, input);
    let mut event = surefill_job_event {
        kind: input.int(5),
        processors: input.int(50),
        job: input.seconds(),
        time: input.wild_long(),
        limit: input.seconds(),
        user: input.wild_long(),
        name: input.wild_long(),
    };
    let given = input.output(&mut event);
    let room = world.inbox.events.len() < EVENTS as usize;
    let sound = (1..=4).contains(&event.kind) && event.processors >= 0;
    let legal = valid && room && sound && given == &raw mut event;
    let status = unsafe { surefill_inbox_push(inbox, given) };
    if succeeded(status, legal, &[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_FULL]) {
        world.inbox.events.push_back(event);
    }
    world.inbox.refused += i64::from(status == SUREFILL_ERROR_FULL);
    let mut refused = -1;
    assert_eq!(unsafe { surefill_inbox_refused(world.inbox.block.pointer(), &mut refused) }, SUREFILL_OK);
    assert_eq!(refused, world.inbox.refused);
}

/// Events of one kind until it is full: more than a short input could push.
fn fill(world: &mut World) {
    let event = surefill_job_event { kind: SUREFILL_EVENT_SUBMIT, ..MARK };
    while world.inbox.events.len() < EVENTS as usize {
        assert_eq!(unsafe { surefill_inbox_push(world.inbox.block.pointer(), &event) }, SUREFILL_OK);
        world.inbox.events.push_back(event);
    }
}

fn pop(world: &mut World, input: &mut Input) {
    let (inbox, valid) = inbox(world, input);
    let mut event = MARK;
    let out = input.output(&mut event);
    let legal = valid && !world.inbox.events.is_empty() && out == &raw mut event;
    if succeeded(unsafe { surefill_inbox_pop(inbox, out) }, legal, &[SUREFILL_ERROR_EMPTY]) {
        assert_eq!(world.inbox.events.pop_front(), Some(event));
    } else {
        assert_eq!(event, MARK);
    }
}
