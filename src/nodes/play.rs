//! One scenario: run times drawn for all running jobs, and the machine played forward until the head job fits.
//!
//! In a scenario the head job starts at T0, the first instant at which it fits what is idle then. A candidate that is
//! still there keeps it from starting exactly if it does not fit beside the candidate at T0; it then starts at T1, the
//! first later instant at which it fits beside it, or at the candidate's end. The candidate's run time is not drawn:
//! with Pr(candidate runs longer than t) = G(t), the scenario's probability of a delay is G(T0), and its expected delay
//! the integral of G from T0 to T1. That is the expectation over the candidate's own run time, so that only the running
//! jobs' are left to the draws.
//!
//! All ends of one second are one instant, as in the exact pass.

use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::nodes::machine::{NONE, Nodes};
use crate::nodes::pass::{NodePass, Slices};
use crate::nodes::request::{Amounts, Part, RawRequest};
use crate::nodes::state::{Candidate, End, NodePassOptions, Running};
use crate::nodes::tail::{STRATA, draw, firsts_at, reached, survival};

/// Seeds of draws that are not a job's own: the choice between its own draw and the group's, and the groups' draws.
const CHOICE: u64 = 0x9ddf_ea08_eb38_2d69;
const GROUPS: u64 = 0xa076_1d64_78bd_642f;

/// Rooms of the head job on a node that are not counted yet; there are never as many.
const UNKNOWN: u32 = u32::MAX;

/// Run times in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Times {
    /// The shortest possible run time of every job.
    Shortest,
    /// Every job's limit.
    Limits,
    /// The draws of this number.
    Drawn(u32),
}

/// The machine in a scenario.
pub(super) struct Scene {
    /// Number of tasks of the head job that find room, on all nodes together.
    pub total: u64,
    /// Free amounts of the whole machine's resources.
    pub pool: Amounts,
    /// Number of jobs that still run.
    pub running: usize,
    /// Seconds from now.
    pub time: i64,
    /// Steps of work done.
    pub work: u64,
}

/// Whether a pool suffices for the head job beside a candidate.
fn pool_suffices(pool: &Amounts, head: &RawRequest, beside: &Amounts) -> bool {
    pool.iter().zip(head.pool).zip(beside).all(|((free, need), taken)| need <= free.saturating_sub(*taken))
}

impl Scene {
    pub(super) fn fits(&self, head: &RawRequest) -> bool {
        self.total >= u64::from(head.count) && pool_suffices(&self.pool, head, &Amounts::default())
    }

    /// Whether the head fits beside a candidate, which takes the room of `loss` of its tasks.
    pub(super) fn fits_beside(&self, head: &RawRequest, candidate: &Candidate) -> bool {
        self.total.saturating_sub(candidate.loss) >= u64::from(head.count)
            && pool_suffices(&self.pool, head, &candidate.request.pool)
    }
}

/// The draw that a running job has in a scenario: its own, or its group's. The choice between the two is stratified as
/// draws are.
fn chosen(options: &NodePassOptions, job: &Running, scenario: u32) -> (u32, f64) {
    let NodePassOptions { seed, shared, .. } = *options;
    let slot = u64::from(job.slot);
    if job.grouped != 0 && draw(seed ^ CHOICE, slot, scenario).1 < shared {
        return draw(seed ^ GROUPS, job.group as u64, scenario);
    }
    draw(seed, slot, scenario)
}

impl Slices<'_> {
    /// Tasks of the head job with room on a node.
    pub(super) fn room(&mut self, head: &RawRequest, node: usize, stride: usize) -> Result<u32> {
        let room = at_mut(self.rooms, node)?;
        if *room == UNKNOWN {
            *room = head.room(range(self.free, node * stride, stride)?, *at(self.on, node)?);
        }
        Ok(*room)
    }

    /// Gives back what a job has on a node.
    pub(super) fn give(&mut self, request: &RawRequest, part: Part, stride: usize) -> Result<()> {
        let node = part.node as usize;
        let row = range_mut(self.free, node * stride, stride)?;
        for (free, each) in row.iter_mut().zip(request.each) {
            *free = free.saturating_add(each.saturating_mul(part.tasks));
        }
        let on = at_mut(self.on, node)?;
        *on = request.left(*on);
        if *at(self.admits, node)? != 0 {
            *at_mut(self.rooms, node)? = UNKNOWN;
        }
        Ok(())
    }
}

impl NodePass<'_> {
    /// Counts the rooms of the head job on the nodes as they are now. O(nodes).
    pub(super) fn measure(&mut self, nodes: &Nodes) -> Result<()> {
        let head = self.state.head;
        for node in 0..nodes.count() {
            *at_mut(self.slices.admits, node as usize)? = u32::from(nodes.admits(&head, node)?);
            *at_mut(self.slices.rooms_now, node as usize)? = nodes.room(&head, node)?;
        }
        Ok(())
    }

    /// Lays the nodes out as they are now; returns the rooms of the head job on them.
    pub(super) fn clear(&mut self, nodes: &Nodes) -> Result<u64> {
        let slices = &mut self.slices;
        let count = nodes.count() as usize;
        let all = count * nodes.capacity().resources as usize;
        range_mut(slices.free, 0, all)?
            .iter_mut()
            .zip(range(nodes.slices.free, 0, all)?)
            .for_each(|(to, from)| *to = *from);
        let known = range(nodes.slices.nodes, 0, count)?;
        range_mut(slices.on, 0, count)?.iter_mut().zip(known).for_each(|(to, node)| *to = node.jobs);
        let mut total = 0;
        let rooms = range_mut(slices.rooms, 0, count)?.iter_mut();
        for (to, &from) in rooms.zip(range(slices.rooms_now, 0, count)?) {
            *to = from;
            total += u64::from(from);
        }
        Ok(total)
    }

    /// The number of the tail at which a running job ends in a scenario of draws.
    pub(super) fn drawn(&self, row: &Running, scenario: u32) -> Result<usize> {
        let own = range(self.slices.tails, row.slot as usize, row.count as usize)?;
        // The place of the tails determines the strata: a candidate that was started keeps its own.
        let place = firsts_at(row.slot as usize, self.state.capacity.tails_per_job());
        let firsts = range(self.slices.firsts, place, STRATA as usize)?;
        reached(own, firsts, chosen(&self.state.options, row, scenario))
    }

    /// Sets a scenario up.
    fn open_scene(&mut self, nodes: &Nodes, times: Times) -> Result<Scene> {
        let total = self.clear(nodes)?;
        let running = self.state.running as usize;
        for job in 0..running {
            let row = *at(self.slices.running, job)?;
            let time = match times {
                Times::Shortest => at(self.slices.tails, row.slot as usize)?.after,
                Times::Limits => row.limit,
                Times::Drawn(scenario) => {
                    let tail = self.drawn(&row, scenario)?;
                    self.keep_draw(scenario, job, tail)?;
                    at(self.slices.tails, row.slot as usize + tail)?.after
                }
            };
            *at_mut(self.slices.ends, job)? = End { time, job: job as u64 };
        }
        heap::build(range_mut(self.slices.ends, 0, running)?)?;
        let work = 2 * running as u64 + u64::from(nodes.count()) / 8;
        Ok(Scene { total, pool: nodes.state.pool_free, running, time: 0, work })
    }

    /// Goes to the next instant; returns whether there is one. `touched` is called for each node that has become freer.
    fn next_instant(
        &mut self,
        nodes: &Nodes,
        scene: &mut Scene,
        mut touched: impl FnMut(&mut Slices, u32) -> Result<()>,
    ) -> Result<bool> {
        let Some(next) = range(self.slices.ends, 0, scene.running)?.first().map(|end| end.time) else {
            return Ok(false);
        };
        scene.time = next;
        let (head, stride) = (self.state.head, nodes.capacity().resources as usize);
        while let Some(end) =
            range(self.slices.ends, 0, scene.running)?.first().filter(|end| end.time == next).copied()
        {
            heap::pop(range_mut(self.slices.ends, 0, scene.running)?)?;
            scene.running = scene.running.saturating_sub(1);
            let Running { handle, .. } = *at(self.slices.running, end.job as usize)?;
            let job = nodes.job(handle)?;
            scene.work += 2 + u64::from(job.parts);
            for (free, amount) in scene.pool.iter_mut().zip(job.request.pool) {
                *free = free.saturating_add(amount);
            }
            let mut place = job.first;
            for _ in 0..job.parts {
                let link = at(nodes.slices.links, place as usize)?;
                place = link.next;
                let node = link.part.node as usize;
                let slices = &mut self.slices;
                let before = slices.room(&head, node, stride)?;
                slices.give(&job.request, link.part, stride)?;
                if *at(slices.admits, node)? != 0 {
                    let now = slices.room(&head, node, stride)?;
                    scene.total = (scene.total + u64::from(now)).saturating_sub(u64::from(before));
                    touched(slices, link.part.node)?;
                }
            }
        }
        Ok(true)
    }

    /// Plays until the head job fits; `None` when it never does.
    pub(super) fn play(&mut self, nodes: &Nodes, times: Times) -> Result<Option<Scene>> {
        let mut scene = self.open_scene(nodes, times)?;
        let head = self.state.head;
        while !scene.fits(&head) {
            if !self.next_instant(nodes, &mut scene, |_, _| Ok(()))? {
                return Ok(None);
            }
        }
        Ok(Some(scene))
    }

    /// Computes the room that a candidate takes from the head job in the present scenario, piece by piece.
    pub(super) fn lose(&mut self, nodes: &Nodes, scene: &mut Scene, candidate: usize) -> Result<()> {
        let (head, stride) = (self.state.head, nodes.capacity().resources as usize);
        let slices = &mut self.slices;
        let row = at_mut(slices.candidates, candidate)?;
        scene.work += u64::from(row.parts);
        row.loss = 0;
        for piece in range_mut(slices.pieces, row.slot as usize, row.parts as usize)? {
            let node = piece.part.node as usize;
            let free = range(slices.free, node * stride, stride)?;
            let (room, on) = (at_mut(slices.rooms, node)?, *at(slices.on, node)?);
            if *room == UNKNOWN {
                *room = head.room(free, on);
            }
            let room = *room;
            piece.loss = 0;
            if room > 0 {
                let beside = room_beside(&head, &row.request, piece.part.tasks, free, on);
                piece.loss = room.saturating_sub(beside);
                row.loss += u64::from(piece.loss);
            }
        }
        Ok(())
    }

    /// Goes on from T0 until the head fits beside every candidate in the list of the blocked, or these have ended; adds
    /// each one's expected delay in seconds to its sums.
    pub(super) fn play_on(
        &mut self,
        nodes: &Nodes,
        scene: &mut Scene,
        scenario: u32,
        mut blocked: usize,
    ) -> Result<()> {
        let (head, stride) = (self.state.head, nodes.capacity().resources as usize);
        let start = scene.time;
        for place in 0..blocked {
            let candidate = *at(self.slices.blocked, place)? as usize;
            let row = at(self.slices.candidates, candidate)?;
            for index in row.slot as usize..row.slot as usize + row.parts as usize {
                let piece = at_mut(self.slices.pieces, index)?;
                let first = at_mut(self.slices.pieces_on, piece.part.node as usize)?;
                (piece.next, *first) = (*first, index as u32);
            }
        }
        let all = blocked;
        let mut step = 0;
        while blocked > 0 {
            let more = self.next_instant(nodes, scene, |slices, node| {
                let mut index = *at(slices.pieces_on, node as usize)?;
                let room = *at(slices.rooms, node as usize)?;
                let on = *at(slices.on, node as usize)?;
                let free = range(slices.free, node as usize * stride, stride)?;
                // A list cannot have more pieces than there are.
                for _ in 0..slices.pieces.len() {
                    if index == NONE {
                        break;
                    }
                    let piece = at_mut(slices.pieces, index as usize)?;
                    let row = at_mut(slices.candidates, piece.candidate as usize)?;
                    let beside = room_beside(&head, &row.request, piece.part.tasks, free, on);
                    let loss = room.saturating_sub(beside);
                    row.loss = (row.loss + u64::from(loss)).saturating_sub(u64::from(piece.loss));
                    piece.loss = loss;
                    index = piece.next;
                }
                Ok(())
            })?;
            if more {
                self.keep_instant(scenario, step, scene)?;
                step += 1;
            }
            scene.work += blocked as u64 / 4 + 1;
            blocked = self.release(scene, start, more, blocked)?;
        }
        for place in 0..all {
            let candidate = *at(self.slices.blocked, place)? as usize;
            let row = at(self.slices.candidates, candidate)?;
            for index in row.slot as usize..row.slot as usize + row.parts as usize {
                let node = at(self.slices.pieces, index)?.part.node;
                *at_mut(self.slices.pieces_on, node as usize)? = NONE;
            }
        }
        Ok(())
    }

    /// Notes the delay of those of the blocked beside which the head fits by now, or that have ended, as all have where
    /// there are no `more` instants, and puts them behind the others. Returns the number of these.
    pub(super) fn release(
        &mut self,
        scene: &Scene,
        start: i64,
        more: bool,
        mut blocked: usize,
    ) -> Result<usize> {
        let head = self.state.head;
        let mut place = 0;
        while place < blocked {
            let candidate = *at(self.slices.blocked, place)?;
            let row = at(self.slices.candidates, candidate as usize)?;
            let slot = self.candidate_tails(candidate as usize);
            let own = range(self.slices.tails, slot, row.count as usize)?;
            let last = own.last().ok_or(Error::Corrupt)?;
            let ended = last.after <= scene.time;
            if !more || ended || scene.fits_beside(&head, row) {
                let until = if more { survival(own, scene.time).1 } else { last.area };
                let delay = (until - survival(own, start).1).max(0.0);
                self.note(candidate as usize, delay, start)?;
                blocked -= 1;
                let other = *at(self.slices.blocked, blocked)?;
                *at_mut(self.slices.blocked, place)? = other;
                *at_mut(self.slices.blocked, blocked)? = candidate;
            } else {
                place += 1;
            }
        }
        Ok(blocked)
    }

    /// Adds a scenario's delay to a candidate's sums.
    pub(super) fn note(&mut self, candidate: usize, delay: f64, start: i64) -> Result<()> {
        let row = at_mut(self.slices.candidates, candidate)?;
        row.sum += delay;
        row.squares += delay * delay;
        row.products += delay * start as f64;
        Ok(())
    }
}

/// Tasks of the head job with room on a node beside this number of a candidate's tasks.
fn room_beside(head: &RawRequest, candidate: &RawRequest, tasks: u32, free: &[u32], on: u32) -> u32 {
    let mut beside = Amounts::default();
    for ((left, free), each) in beside.iter_mut().zip(free).zip(candidate.each) {
        *left = free.saturating_sub(each.saturating_mul(tasks));
    }
    head.room(&beside, candidate.joined(on))
}
