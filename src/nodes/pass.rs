//! One scheduling pass over a machine of nodes, in the caller's memory.

use crate::backfill::{Criterion, Verdict};
use crate::error::{Error, Result};
use crate::memory::{Carver, Header, Kind, Object, at, at_mut, range, range_mut};
use crate::nodes::machine::{Nodes, Ranked};
use crate::nodes::request::{Amounts, Fit, Part, RawRequest, Request};
use crate::nodes::state::{
    ACCEPTING, Candidate, DECIDING, End, FILLING, MAX_SCENARIOS, NodePassCapacity, NodePassOptions, OWN,
    Piece, Running, State,
};
use crate::nodes::tail::{STRATA, Tail, firsts_at, mark_strata, tails};
use crate::runtime::{Release, RuntimeDistribution, View, at_limit, check_span};
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// Number of scenarios that are kept from one look at candidates to the next.
pub(super) const KEPT: usize = 256;

/// Most instants kept of each.
pub(super) const INSTANTS: usize = 16;

/// A scenario at the head's start.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Kept {
    /// Seconds from now; negative where the scenario must be played again.
    pub time: i64,
    /// Number of tasks of the head that find room.
    pub total: u64,
    pub pool: Amounts,
    /// Number of later instants kept.
    pub instants: u64,
}

/// An instant after the head's start.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Instant {
    pub time: i64,
    /// Number of tasks of the head that find room.
    pub total: u64,
}

/// The candidates that are looked at together.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Window {
    pub from: u32,
    pub until: u32,
    /// Most undecided candidates in the next window.
    pub width: u32,
    /// Number of running jobs on their nodes.
    pub neighbours: u32,
    /// Number of scenarios kept.
    pub known: u32,
    /// The scenarios whose needs are those of the present machine: a bit for each.
    pub surveyed: u32,
}

/// The slices of a pass's block.
pub(crate) struct Slices<'a> {
    pub running: &'a mut [Running],
    pub candidates: &'a mut [Candidate],
    pub tails: &'a mut [Tail],
    /// For each running job and each stratum of draws, the first tail that a draw can reach.
    pub firsts: &'a mut [u16],
    releases: &'a mut [Release],
    pub pieces: &'a mut [Piece],
    pub ends: &'a mut [End],
    /// The scenario's nodes: free amounts, jobs on each, tasks of the head that find room.
    pub free: &'a mut [u32],
    pub on: &'a mut [u32],
    pub rooms: &'a mut [u32],
    /// Rooms of the head job now, and whether it may be on a node at all.
    pub rooms_now: &'a mut [u32],
    pub admits: &'a mut [u32],
    /// The first piece on each node.
    pub pieces_on: &'a mut [u32],
    /// Scenarios in which a node has room for the head when that starts: a bit for each of the first ones.
    pub needs: &'a mut [u32],
    pub ranked: &'a mut [Ranked],
    pub found: &'a mut [Part],
    /// Candidates for which scenarios are played, and those that keep the head waiting in the present one.
    pub open: &'a mut [u32],
    pub blocked: &'a mut [u32],
    pub window: &'a mut [Window],
    /// Running jobs on the nodes of the window's candidates.
    pub neighbours: &'a mut [u32],
    pub kept: &'a mut [Kept],
    /// A row for each of them.
    pub instants: &'a mut [Instant],
    /// For each kept scenario a row of the running jobs' draws: the numbers of their tails.
    pub drawn: &'a mut [u16],
}

/// The result for one candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeJudgement {
    /// Delay of the head job in the criterion's unit; 0 for candidates that were not judged.
    pub delay: f64,
    /// Largest distance of `delay` from its value in infinitely many scenarios, with the options' confidence.
    pub half_width: f64,
    /// Number of scenarios on which it rests.
    pub scenarios: u32,
    /// The verdict on the candidate.
    pub verdict: Verdict,
}

/// One scheduling pass over a machine of nodes.
///
/// [`NodePass::begin`] with the head job; [`NodePass::add_running`] and [`NodePass::add_candidate`]; then
/// [`NodePass::decide`] until [`Step::Done`](crate::backfill::Step::Done), with a [`NodePass::commit`] or
/// [`NodePass::decline`] for each acceptance, as with [`Pass`](crate::backfill::Pass). Jobs on the machine that are not
/// added as running hold what they have beyond all scenarios. In between, the machine may change by commits only.
///
/// The memory needed is [`NodePass::size`]: for n nodes with r kinds of resource, R running jobs, Q candidates with p
/// parts and b bins of e events at most 24 (R + Q + 1) b e + (56 + 4 r) n + 692 R + 924 Q + 24 p + 82,000 bytes.
pub struct NodePass<'a> {
    pub(super) state: &'a mut State,
    pub(super) slices: Slices<'a>,
}

impl<'a> Object<'a> for NodePass<'a> {
    const KIND: Kind = Kind::NodePass;
    type Head = Header;
    type Capacity = NodePassCapacity;
    type State = State;
    type Parts = Slices<'a>;

    fn parts(carver: &mut Carver<'a>, capacity: &NodePassCapacity) -> Result<Slices<'a>> {
        capacity.check()?;
        let nodes = capacity.nodes as usize;
        let candidates = capacity.candidates as usize;
        let jobs = capacity.running as usize + candidates;
        Ok(Slices {
            running: carver.take(jobs)?,
            candidates: carver.take(candidates)?,
            tails: carver.take(jobs.checked_mul(capacity.tails_per_job()).ok_or(Error::OutOfRange)?)?,
            firsts: carver.take(jobs.checked_mul(STRATA as usize).ok_or(Error::OutOfRange)?)?,
            releases: carver.take(capacity.tails_per_job())?,
            pieces: carver.take(capacity.parts as usize)?,
            ends: carver.take(jobs)?,
            free: carver.take(nodes * capacity.resources as usize)?,
            on: carver.take(nodes)?,
            rooms: carver.take(nodes)?,
            rooms_now: carver.take(nodes)?,
            admits: carver.take(nodes)?,
            pieces_on: carver.take(nodes)?,
            needs: carver.take(nodes)?,
            ranked: carver.take(nodes)?,
            found: carver.take(nodes)?,
            open: carver.take(candidates)?,
            blocked: carver.take(candidates)?,
            window: carver.take(1)?,
            neighbours: carver.take(jobs)?,
            kept: carver.take(KEPT)?,
            instants: carver.take(KEPT * INSTANTS)?,
            drawn: carver.take(jobs.checked_mul(KEPT).ok_or(Error::OutOfRange)?)?,
        })
    }

    fn capacity_in(state: &State) -> Result<NodePassCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, slices: Slices<'a>) -> Result<NodePass<'a>> {
        let capacity = &state.capacity;
        let sound = u64::from(state.running) <= u64::from(capacity.running) + u64::from(capacity.candidates)
            && state.candidates <= capacity.candidates
            && state.open <= state.candidates
            && state.parts <= capacity.parts
            && state.phase <= ACCEPTING
            && (state.phase == 0 || state.options.check().is_ok())
            && state.played <= MAX_SCENARIOS
            && state.now.unsigned_abs() <= 1 << 53
            && !state.spent.iter().any(|spent| spent.is_nan());
        if sound { Ok(NodePass { state, slices }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(NodePass, made with NodePassCapacity);

impl NodePass<'_> {
    /// Begins a pass at time `now` (seconds since any origin, within 2^53 of it) for a head job that does not fit the
    /// machine now. Forgets the last pass, except the delays spent if it was for the same head job. O(nodes).
    ///
    /// # Errors
    /// [`Error::HeadFits`]; [`Error::OutOfRange`] for an absurd time, wrong options, a request that [`Nodes::fits`]
    /// refuses, or a machine with more nodes or other resources than the capacity; [`Error::NotANumber`].
    pub fn begin(
        &mut self,
        nodes: &Nodes,
        now: i64,
        head_id: i64,
        head: &Request,
        options: &NodePassOptions,
    ) -> Result<()> {
        options.check()?;
        let capacity = self.state.capacity;
        let like = nodes.count() <= capacity.nodes && nodes.capacity().resources == capacity.resources;
        if now.unsigned_abs() > 1 << 53 || !like {
            return Err(Error::OutOfRange);
        }
        if nodes.fits(head)? {
            return Err(Error::HeadFits);
        }
        let known = self.state.phase != 0 && self.state.head_id == head_id;
        *self.state = State {
            capacity,
            phase: FILLING,
            options: *options,
            now,
            head_id,
            head: RawRequest::new(head, capacity.resources)?,
            changes: nodes.state.changes,
            spent: if known { self.state.spent } else { [0.0; 4] },
            ..State::zeroed()
        };
        *at_mut(self.slices.window, 0)? = Window::zeroed();
        Ok(())
    }

    /// Sets the seconds for which the head job has waited (0 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)); 0 unless
    /// set. A rule's guard and slip depend on it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::SpanTooLong`]; [`Error::WrongState`] unless the pass has begun and nothing is
    /// decided yet.
    pub fn set_head_waited(&mut self, seconds: i64) -> Result<()> {
        if self.state.phase != FILLING {
            return Err(Error::WrongState);
        }
        check_span(seconds)?;
        self.state.head_waited = seconds;
        Ok(())
    }

    pub(super) fn fresh(&self, nodes: &Nodes) -> Result<()> {
        if self.state.changes == nodes.state.changes { Ok(()) } else { Err(Error::WrongState) }
    }

    /// Adds a running job by its handle on the machine: its age, its time limit (both in seconds, 0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)) and its predicted run time. Returns its index. A job added twice
    /// would give its nodes back twice: each is added once. O(releases).
    ///
    /// # Errors
    /// [`Error::UnknownJob`]; [`Error::OutOfRange`]; [`Error::SpanTooLong`]; [`Error::Full`], also for a distribution
    /// with more bins than the capacity; [`Error::WrongState`] unless the pass has begun, nothing is decided yet, and
    /// the machine is as it was then.
    pub fn add_running(
        &mut self,
        nodes: &Nodes,
        handle: u32,
        age: i64,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_running_by(nodes, handle, age, limit, runtime.view())
    }

    /// See [`NodePass::add_running`].
    pub(crate) fn add_running_by(
        &mut self,
        nodes: &Nodes,
        handle: u32,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        if self.state.phase != FILLING {
            return Err(Error::WrongState);
        }
        self.fresh(nodes)?;
        nodes.job(handle)?;
        let index = self.state.running;
        if index >= self.state.capacity.running {
            return Err(Error::Full);
        }
        let slot = index as usize * self.state.capacity.tails_per_job();
        let count = self.condition(slot, age, limit, runtime)?;
        let limit = at_limit(age, limit);
        *at_mut(self.slices.running, index as usize)? =
            Running { handle, slot: slot as u32, count, grouped: 0, group: 0, limit };
        self.state.running += 1;
        Ok(index as usize)
    }

    /// Puts a running job into a group, of a number of the caller's own: jobs of one user and kind, of which a long one
    /// makes it likely that the others are long. [`NodePassOptions::shared`] is the strength of that. A candidate that
    /// is committed belongs to none. O(1).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::WrongState`] unless the pass has begun and nothing is decided yet.
    pub fn set_group(&mut self, running: usize, group: i64) -> Result<()> {
        if self.state.phase != FILLING {
            return Err(Error::WrongState);
        }
        let known = range_mut(self.slices.running, 0, self.state.running as usize)?;
        let row = known.get_mut(running).ok_or(Error::NoSuchIndex)?;
        (row.grouped, row.group) = (1, group);
        Ok(())
    }

    /// Writes a job's run time, conditioned on age and limit, into its place.
    fn condition(&mut self, slot: usize, age: i64, limit: i64, runtime: View<'_>) -> Result<u32> {
        let room = self.state.capacity.tails_per_job();
        let releases = range_mut(self.slices.releases, 0, room)?;
        let count = runtime.remaining(age, limit, self.state.capacity.events_per_bin as usize, releases)?;
        let own = range_mut(self.slices.tails, slot, count)?;
        tails(range(releases, 0, count)?, own);
        mark_strata(own, range_mut(self.slices.firsts, firsts_at(slot, room), STRATA as usize)?);
        Ok(count as u32)
    }

    /// Place of a candidate's run time: behind those of the running jobs.
    pub(super) fn candidate_tails(&self, candidate: usize) -> usize {
        (self.state.capacity.running as usize + candidate) * self.state.capacity.tails_per_job()
    }

    fn add(
        &mut self,
        request: RawRequest,
        room: u32,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<&mut Candidate> {
        let index = self.state.candidates;
        if index >= self.state.capacity.candidates
            || room > self.state.capacity.parts.saturating_sub(self.state.parts)
        {
            return Err(Error::Full);
        }
        let count = self.condition(self.candidate_tails(index as usize), 0, limit, runtime)?;
        let slot = self.state.parts;
        let candidate = at_mut(self.slices.candidates, index as usize)?;
        let limit = at_limit(0, limit);
        *candidate = Candidate { request, slot, room, count, limit, ..Candidate::zeroed() };
        self.state.candidates += 1;
        self.state.parts += room;
        Ok(candidate)
    }

    /// Adds a candidate for backfilling, behind those added before: its request, the order in which nodes are tried for
    /// it, its time limit in seconds and its predicted run time. Returns its index. The nodes are found anew when an
    /// earlier candidate has been given some of them. O(nodes + releases).
    ///
    /// # Errors
    /// As [`NodePass::add_running`] and [`Nodes::fits`]; [`Error::Full`] also when the candidates' nodes are more than
    /// the capacity.
    pub fn add_candidate(
        &mut self,
        nodes: &Nodes,
        request: &Request,
        fit: Fit,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_candidate_by(nodes, request, fit, limit, runtime.view())
    }

    /// See [`NodePass::add_candidate`].
    pub(crate) fn add_candidate_by(
        &mut self,
        nodes: &Nodes,
        request: &Request,
        fit: Fit,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        if self.state.phase != FILLING {
            return Err(Error::WrongState);
        }
        self.fresh(nodes)?;
        let raw = RawRequest::new(request, self.state.capacity.resources)?;
        // In a pass nothing becomes free: a candidate that does not fit now needs no room for its nodes.
        let fits = nodes.fits(request)?;
        let room = if fits { raw.count.min(nodes.count()) } else { 0 };
        let candidate = self.add(raw, room, limit, runtime)?;
        candidate.fit = fit as u32;
        candidate.verdict = if fits { Verdict::Undecided } else { Verdict::DoesNotFit } as u32;
        Ok(self.state.candidates as usize - 1)
    }

    /// Adds a candidate with the caller's own placement, nodes in increasing order. Returns its index. When an earlier
    /// candidate has been given some of these nodes, it does not fit any more. O(parts + releases).
    ///
    /// # Errors
    /// As [`NodePass::add_candidate`] and [`Nodes::allocate`].
    pub fn add_placed(
        &mut self,
        nodes: &Nodes,
        request: &Request,
        parts: &[Part],
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_placed_by(nodes, request, parts, limit, runtime.view())
    }

    /// See [`NodePass::add_placed`].
    pub(crate) fn add_placed_by(
        &mut self,
        nodes: &Nodes,
        request: &Request,
        parts: &[Part],
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        if self.state.phase != FILLING {
            return Err(Error::WrongState);
        }
        self.fresh(nodes)?;
        let raw = RawRequest::new(request, self.state.capacity.resources)?;
        if !nodes.accepts(&raw, parts)? {
            return Err(Error::DoesNotFit);
        }
        let count = parts.len() as u32;
        let candidate = self.add(raw, count, limit, runtime)?;
        (candidate.fit, candidate.parts) = (OWN, count);
        let index = self.state.candidates as usize - 1;
        self.lay(index, parts.iter().copied())?;
        Ok(index)
    }

    /// Writes a candidate's parts.
    pub(super) fn lay(&mut self, index: usize, parts: impl ExactSizeIterator<Item = Part>) -> Result<()> {
        let candidate = at_mut(self.slices.candidates, index)?;
        candidate.parts = parts.len() as u32;
        let pieces = range_mut(self.slices.pieces, candidate.slot as usize, candidate.room as usize)?;
        for (piece, part) in range_mut(pieces, 0, parts.len())?.iter_mut().zip(parts) {
            *piece = Piece { part, candidate: index as u32, next: 0, loss: 0 };
        }
        Ok(())
    }

    fn known(&self, candidate: usize) -> Result<&Candidate> {
        let known = range(self.slices.candidates, 0, self.state.candidates as usize)?;
        known.get(candidate).ok_or(Error::NoSuchIndex)
    }

    /// Writes the parts with which a candidate is judged to `out` in increasing order of nodes, and returns their
    /// number; 0 as long as it is not placed, or where it does not fit. O(parts).
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`]; [`Error::Full`] when `out` is too short.
    pub fn placement(&self, candidate: usize, out: &mut [Part]) -> Result<usize> {
        let known = self.known(candidate)?;
        let count = if known.verdict == Verdict::DoesNotFit as u32 { 0 } else { known.parts as usize };
        let out = out.get_mut(..count).ok_or(Error::Full)?;
        for (part, piece) in out.iter_mut().zip(range(self.slices.pieces, known.slot as usize, count)?) {
            *part = piece.part;
        }
        Ok(count)
    }

    /// The judgement of a candidate so far.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn judgement(&self, candidate: usize) -> Result<NodeJudgement> {
        let known = self.known(candidate)?;
        use Verdict::{DoesNotFit, Guarded, HeadNever, Undecided};
        let verdict = Verdict::from_number(known.verdict).ok_or(Error::Corrupt)?;
        if matches!(verdict, Undecided | DoesNotFit | Guarded | HeadNever) {
            return Ok(NodeJudgement { delay: 0.0, half_width: 0.0, scenarios: 0, verdict });
        }
        let Candidate { delay, half_width, scenarios, .. } = *known;
        if delay.is_nan() || half_width.is_nan() {
            return Err(Error::Corrupt);
        }
        Ok(NodeJudgement { delay, half_width, scenarios, verdict })
    }

    /// The delays of committed candidates added up for the present head job, by the criterion they were judged by.
    /// Delays judged by `Relative` count in `Seconds` too.
    pub fn spent(&self, criterion: Criterion) -> f64 {
        self.state.spent.get(criterion as usize).copied().unwrap_or(0.0)
    }

    /// Starts the accepted candidate on its nodes: it is a running job of the machine from now on, with the handle
    /// returned, and its delay counts as spent.
    ///
    /// # Errors
    /// [`Error::WrongState`] unless [`NodePass::decide`] has just accepted a candidate and the machine is as it was;
    /// [`Error::NoSuchIndex`] when it is not this one; [`Error::Full`] when the machine has no room for another job.
    pub fn commit(&mut self, nodes: &mut Nodes, candidate: usize) -> Result<u32> {
        self.accepted(candidate)?;
        self.fresh(nodes)?;
        let row = *at(self.slices.candidates, candidate)?;
        let found = range_mut(self.slices.found, 0, row.parts as usize)?;
        let pieces = range(self.slices.pieces, row.slot as usize, row.parts as usize)?;
        for (part, piece) in found.iter_mut().zip(pieces) {
            *part = piece.part;
        }
        let index = self.state.running as usize;
        let slot = self.candidate_tails(candidate) as u32;
        let own = Running { handle: 0, slot, count: row.count, grouped: 0, group: 0, limit: row.limit };
        self.carry(nodes, candidate, index, &own)?;
        let window = at_mut(self.slices.window, 0)?;
        let known = core::mem::take(&mut window.known);
        let place = at_mut(self.slices.running, index)?;
        let handle = nodes.take(&row.request, range(self.slices.found, 0, row.parts as usize)?)?;
        *place = Running { handle, ..own };
        window.known = known;
        let state = &mut *self.state;
        state.running += 1;
        state.changes = nodes.state.changes;
        *at_mut(&mut state.spent, state.rule.criterion as usize)? += row.delay;
        if state.rule.criterion == Criterion::Relative as u32 {
            *at_mut(&mut state.spent, Criterion::Seconds as usize)? += row.seconds;
        }
        // Candidates behind it were judged against a machine that has changed; those before it were refused for good.
        for later in self.slices.candidates.iter_mut().take(state.candidates as usize).skip(candidate + 1) {
            if later.verdict != Verdict::DoesNotFit as u32 {
                later.verdict = Verdict::Undecided as u32;
            }
        }
        (state.phase, state.prepared) = (DECIDING, 0);
        Ok(handle)
    }

    /// Gives the accepted candidate up, because it could not be started after all. The machine is as it was, so
    /// refusals stand.
    ///
    /// # Errors
    /// As [`NodePass::commit`].
    pub fn decline(&mut self, candidate: usize) -> Result<()> {
        self.accepted(candidate)?;
        at_mut(self.slices.candidates, candidate)?.verdict = Verdict::Declined as u32;
        self.state.phase = DECIDING;
        Ok(())
    }

    fn accepted(&self, candidate: usize) -> Result<()> {
        if self.state.phase != ACCEPTING {
            return Err(Error::WrongState);
        }
        if candidate != self.state.accepted as usize {
            return Err(Error::NoSuchIndex);
        }
        Ok(())
    }
}
