//! One scheduling pass in the caller's memory.

use crate::backfill::accounts::Accounts;
use crate::backfill::bracket::Brackets;
use crate::backfill::frame::{Frame, WalkState};
use crate::backfill::running::Running;
use crate::backfill::segment::{CELLS_PER_RELEASE, RELEASES_PER_SEGMENT, Segment};
use crate::backfill::spectrum::Spectrum;
use crate::backfill::tie::Tie;
use crate::backfill::timeline::Entry;
use crate::backfill::verdict::{Candidate, Criterion, Exactness, JudgeState, Judgement, Verdict};
use crate::error::{Error, Result, check_processors};
use crate::memory::{Carver, Header, Kind, Object, at_mut, range, range_mut};
use crate::runtime::{
    MAX_BINS, MAX_EVENTS_PER_BIN, MAX_SECONDS, Release, RuntimeDistribution, Steps, View, at_limit,
    check_span, write_kept,
};
use crate::seal::lifecycle;
use bytemuck::{Pod, Zeroable};

/// The largest machine.
pub const MAX_PROCESSORS: u32 = 1 << 24;

/// The largest number of running jobs, and of candidates.
const MAX_JOBS: u32 = 1 << 20;

/// Capacities of a [`Pass`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PassCapacity {
    /// Running jobs (at most 2^20).
    pub running: u32,
    /// Candidates (at most 2^20).
    pub candidates: u32,
    /// Processors of the machine (at most [`MAX_PROCESSORS`]).
    pub processors: u32,
    /// Bins of the distributions (at most [`MAX_BINS`]).
    pub bins: u32,
    /// Events into which a bin's probability is divided (1 to [`MAX_EVENTS_PER_BIN`]; 1 is the papers' choice).
    pub events_per_bin: u32,
    /// Cells of the table that makes jobs ending at one instant exact; of larger groups the narrowest jobs are
    /// estimated, within a hundredth at the default. Raised to the smallest useful value, 4 x processors + 2.
    pub tie_cells: u32,
}

impl Default for PassCapacity {
    /// 256 running jobs, 256 candidates, 1,024 processors, 32 bins of 4 events, 16,384 cells for ties.
    fn default() -> PassCapacity {
        PassCapacity {
            running: 256,
            candidates: 256,
            processors: 1024,
            bins: 32,
            events_per_bin: 4,
            tie_cells: 1 << 14,
        }
    }
}

impl PassCapacity {
    fn check(&self) -> Result<()> {
        let in_range = |value: u32, most: usize| (1..=most).contains(&(value as usize));
        let valid = self.running <= MAX_JOBS
            && self.candidates <= MAX_JOBS
            && in_range(self.processors, MAX_PROCESSORS as usize)
            && in_range(self.bins, MAX_BINS)
            && in_range(self.events_per_bin, MAX_EVENTS_PER_BIN)
            && self.tie_cells <= 1 << 28;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    pub(super) fn releases_per_job(&self) -> usize {
        self.bins as usize * self.events_per_bin as usize
    }
}

/// Phase of a pass; 0 before the first one begins.
pub(super) const FILLING: u32 = 1;
pub(super) const DECIDING: u32 = 2;
pub(super) const ACCEPTING: u32 = 3;
/// Phase of a pass that has not begun, with risk spent already.
const RESTORED: u32 = 4;

/// State of a walk for quantiles of the head job's start.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Asked {
    /// Number of jobs that ran when the walk began, plus one; 0 when none is under way.
    pub(super) jobs: u32,
    /// The instants of a segment that walks keep, saved while this walk keeps none.
    pub(super) grain: u32,
    /// Checksum of the probabilities asked for.
    pub(super) sum: u64,
    /// The probability that the head job has started by the last instant visited.
    pub(super) started: f64,
    /// The latest instant at which the head job can have started.
    pub(super) last: i64,
}

/// The scalars at the head of a pass's block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: PassCapacity,
    pub(super) now: i64,
    pub(super) head_id: i64,
    pub(super) head_processors: u32,
    pub(super) idle: u32,
    /// Processors of the running jobs.
    pub(super) busy: u32,
    pub(super) phase: u32,
    pub(super) candidates: u32,
    /// Whether the walk and its tally are set up for the jobs running now.
    pub(super) prepared: u32,
    /// Number of running jobs, from the first on, whose releases are in the instants; and the number of releases.
    pub(super) sorted: u32,
    pub(super) entries: u32,
    /// Whether the candidates' ends are in order.
    pub(super) listed: u32,
    pub(super) accepted: u32,
    /// Number of jobs that ran when the pass began to decide.
    pub(super) found: u32,
    /// Whether some jobs have pieces kept instead of releases.
    pub(super) kept: u32,
    /// Candidates' releases in time order, and the number of those passed.
    pub(super) ends: u32,
    pub(super) ends_passed: u32,
    /// The widest candidate's landings.
    pub(super) landings: u32,
    pub(super) rule_criterion: u32,
    pub(super) rule_threshold: f64,
    pub(super) rule_budget: f64,
    pub(super) rule_slip: f64,
    pub(super) rule_guard: f64,
    /// Flags of the rule that concern the limits.
    pub(super) rule_by_limits: u32,
    /// Number of running jobs, from the first on, that are in the order of their limits.
    pub(super) limited: u32,
    /// Seconds for which the head job has waited.
    pub(super) head_waited: i64,
    pub(super) asked: Asked,
    /// Accepted delays of the present head job added up, by criterion.
    pub(super) spent: [f64; 4],
    /// Accounts of earlier head jobs.
    pub(super) accounts: Accounts,
    pub(super) judge: JudgeState,
    pub(super) walk: WalkState,
    pub(super) spectrum: Spectrum,
    pub(super) brackets: Brackets,
}

/// One scheduling pass over one pool of interchangeable processors.
///
/// [`Pass::begin`] with the head job; [`Pass::add_running`] and [`Pass::add_candidate`]; then [`Pass::decide`] until
/// [`Step::Done`](crate::backfill::Step::Done), with a [`Pass::commit`] or [`Pass::decline`] for each acceptance.
/// Candidates are judged in the order in which they were added; a committed one is a running job for those after it.
///
/// The memory needed is [`Pass::size`]. With R running jobs, Q candidates, P processors, b bins of e events and
/// E = (R + Q) b e it is at most 54 E + 8 (Q + 1) b e + 8 P (log2 E + 12) + 8 tie_cells + 72 R + 140 Q + 4,096 bytes.
///
/// The rows of the walk's tree take 8 P (log2 E + 4) of these, the tables of jobs that end at one instant 64 P and the
/// delays by width 16 P; the releases 16 E, their order in time 12 E, and what is kept of a walk for the next ones
/// 26 E.
pub struct Pass<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
}

/// The slices of a pass's block.
pub(crate) struct Parts<'a> {
    pub(super) running: &'a mut [Running],
    pub(super) candidates: &'a mut [Candidate],
    pub(super) releases: &'a mut [Release],
    pub(super) entries: &'a mut [Entry],
    pub(super) ends: &'a mut [Entry],
    pub(super) spare: &'a mut [Entry],
    /// First entry of each instant, and the number of entries behind the last.
    pub(super) begins: &'a mut [u32],
    pub(super) order: &'a mut [u32],
    /// The running jobs by the ends that their limits allow.
    pub(super) limits: &'a mut [Entry],
    pub(super) frames: &'a mut [Frame],
    pub(super) buffers: &'a mut [f64],
    pub(super) segments: &'a mut [Segment],
    pub(super) store: &'a mut [f64],
    pub(super) suffered: &'a mut [f64],
    pub(super) window: &'a mut [f64],
    pub(super) cells: &'a mut [f64],
    pub(super) rows: [&'a mut [f64]; 2],
}

impl<'a> Object<'a> for Pass<'a> {
    const KIND: Kind = Kind::Pass;
    type Head = Header;
    type Capacity = PassCapacity;
    type State = State;
    type Parts = Parts<'a>;

    const MARKED: usize = size_of::<PassCapacity>();

    fn keep(state: &mut State, capacity: &PassCapacity) {
        state.capacity = *capacity;
    }

    fn check(capacity: &PassCapacity) -> Result<()> {
        capacity.check()
    }

    #[inline(always)]
    fn parts(carver: &mut Carver<'a>, capacity: &PassCapacity) -> Result<Parts<'a>> {
        let jobs = capacity.running as usize + capacity.candidates as usize;
        let releases = jobs.checked_mul(capacity.releases_per_job()).ok_or(Error::OutOfRange)?;
        let ends = capacity.candidates as usize * capacity.releases_per_job();
        let processors = capacity.processors as usize;
        // One frame for each level, one for the root, one for rounding.
        let frames = releases.checked_ilog2().unwrap_or(0) as usize + 3;
        let cells = (capacity.tie_cells as usize).max(Tie::fewest_cells(processors));
        let row = Tie::row_length(processors);
        Ok(Parts {
            running: carver.take(jobs)?,
            candidates: carver.take(capacity.candidates as usize)?,
            releases: carver.take(releases)?,
            entries: carver.take(releases)?,
            ends: carver.take(ends)?,
            spare: carver.take(capacity.releases_per_job().max(jobs))?,
            begins: carver.take(releases.checked_add(1).ok_or(Error::OutOfRange)?)?,
            order: carver.take(jobs)?,
            limits: carver.take(jobs)?,
            frames: carver.take(frames)?,
            buffers: carver.take((frames + 1).checked_mul(processors).ok_or(Error::OutOfRange)?)?,
            segments: carver.take(releases.div_ceil(RELEASES_PER_SEGMENT))?,
            store: carver.take(releases.checked_mul(CELLS_PER_RELEASE).ok_or(Error::OutOfRange)?)?,
            suffered: carver.take(processors)?,
            window: carver.take(processors)?,
            cells: carver.take(cells)?,
            rows: [carver.take(row)?, carver.take(row)?],
        })
    }

    fn capacity_in(state: &State) -> Result<PassCapacity> {
        Ok(state.capacity)
    }

    #[inline(always)]
    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<Pass<'a>> {
        let capacity = &state.capacity;
        let fits = state.walk.running <= capacity.running + capacity.candidates
            && state.candidates <= capacity.candidates;
        if fits { Ok(Pass { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Pass, made with PassCapacity);

impl Pass<'_> {
    /// Begins a pass at time `now` (seconds since any origin, within 2^53 of it) with `idle` processors, for a head job
    /// that needs `head_processors`, more than are idle. Forgets the last pass, except the risk spent on this head job
    /// and on the last [`HEADS_KEPT`](crate::backfill::HEADS_KEPT) others with any.
    ///
    /// # Errors
    /// [`Error::HeadFits`]; [`Error::TooManyProcessors`]; [`Error::OutOfRange`] for an absurd time.
    pub fn begin(&mut self, now: i64, idle: u32, head_id: i64, head_processors: u32) -> Result<()> {
        let machine = self.state.capacity.processors;
        if now.unsigned_abs() > 1 << 53 {
            return Err(Error::OutOfRange);
        }
        if idle > machine || head_processors > machine {
            return Err(Error::TooManyProcessors);
        }
        if head_processors <= idle {
            return Err(Error::HeadFits);
        }
        let state = &mut *self.state;
        if state.phase != 0 && state.head_id != head_id {
            state.accounts.keep(state.head_id, state.spent);
            state.spent = state.accounts.take(head_id);
        }
        *state = State {
            capacity: state.capacity,
            now,
            head_id,
            head_processors,
            idle,
            phase: FILLING,
            spent: state.spent,
            accounts: state.accounts,
            ..State::zeroed()
        };
        Ok(())
    }

    /// Sets the seconds for which the head job has waited (0 to [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)); 0 unless
    /// set. [`Rule::guard`] and [`Rule::slip`] depend on it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::SpanTooLong`]; [`Error::WrongState`] unless the pass has begun and nothing is
    /// decided yet.
    ///
    /// [`Rule::guard`]: crate::backfill::Rule::guard
    /// [`Rule::slip`]: crate::backfill::Rule::slip
    pub fn set_head_waited(&mut self, seconds: i64) -> Result<()> {
        if self.state.phase != FILLING {
            return Err(Error::WrongState);
        }
        check_span(seconds)?;
        self.state.head_waited = seconds;
        Ok(())
    }

    /// Adds a running job: its processors (at least 1), its age, its time limit (both in seconds, 0 to
    /// [`MAX_SECONDS`](crate::runtime::MAX_SECONDS)) and its predicted run time. Returns its index. O(releases).
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::TooManyProcessors`]; [`Error::Overfull`] when the running jobs and the idle
    /// processors are more than the machine has; [`Error::SpanTooLong`]; [`Error::Full`], also for a distribution with
    /// more bins than the capacity has; [`Error::WrongState`] unless the pass has begun and nothing is decided yet.
    pub fn add_running(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_running_by(processors, age, limit, runtime.view())
    }

    /// See [`Pass::add_running`].
    pub(crate) fn add_running_by(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        self.add_job(processors, (age, limit, limit), runtime)
    }

    /// Adds a running job whose limit is soft: its predicted run time goes on beyond the limit
    /// ([`RuntimeDistribution::remaining_softly`]). [`Rule::guard`](crate::backfill::Rule::guard) and
    /// [`Rule::or_easy`](crate::backfill::Rule::or_easy) go by the limit as they do for others: past it, the job is
    /// expected to end in a second. Otherwise as [`Pass::add_running`].
    ///
    /// # Errors
    /// As [`Pass::add_running`].
    pub fn add_running_softly(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_running_softly_by(processors, age, limit, runtime.view())
    }

    /// See [`Pass::add_running_softly`].
    pub(crate) fn add_running_softly_by(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        self.add_job(processors, (age, limit, MAX_SECONDS), runtime)
    }

    /// Adds a running job whose predicted run time is cut at `end`.
    fn add_job(
        &mut self,
        processors: u32,
        (age, limit, end): (i64, i64, i64),
        runtime: View<'_>,
    ) -> Result<usize> {
        let state = &mut *self.state;
        if state.phase != FILLING {
            return Err(Error::WrongState);
        }
        check_processors(processors, state.capacity.processors)?;
        let used = state.busy.checked_add(processors).and_then(|busy| busy.checked_add(state.idle));
        if used.is_none_or(|used| used > state.capacity.processors) {
            return Err(Error::Overfull);
        }
        let busy = state.busy + processors;
        let index = state.walk.running;
        if index >= state.capacity.running {
            return Err(Error::Full);
        }
        let slot = index as usize * state.capacity.releases_per_job();
        let releases = range_mut(self.parts.releases, slot, state.capacity.releases_per_job())?;
        let count = runtime.keep(age, limit, end, state.capacity.events_per_bin as usize, releases)?;
        *at_mut(self.parts.running, index as usize)? = Running {
            processors,
            slot: slot as u32,
            releases: count,
            limit: at_limit(age, limit),
            ..Running::zeroed()
        };
        state.walk.running += 1;
        (state.busy, state.kept) = (busy, 1);
        Ok(index as usize)
    }

    /// Adds a candidate for backfilling, behind those added before: its processors (at least 1), its time limit in
    /// seconds and its predicted run time. Returns its index. O(releases).
    ///
    /// # Errors
    /// As [`Pass::add_running`].
    pub fn add_candidate(
        &mut self,
        processors: u32,
        limit: i64,
        runtime: &RuntimeDistribution,
    ) -> Result<usize> {
        self.add_candidate_by(processors, limit, runtime.view())
    }

    /// See [`Pass::add_candidate`].
    pub(crate) fn add_candidate_by(
        &mut self,
        processors: u32,
        limit: i64,
        runtime: View<'_>,
    ) -> Result<usize> {
        let state = &mut *self.state;
        if state.phase != FILLING {
            return Err(Error::WrongState);
        }
        check_processors(processors, state.capacity.processors)?;
        let index = state.candidates;
        if index >= state.capacity.candidates {
            return Err(Error::Full);
        }
        let slot = candidate_slot(&state.capacity, index as usize);
        let releases = range_mut(self.parts.releases, slot, state.capacity.releases_per_job())?;
        let events = state.capacity.events_per_bin as usize;
        // No processor becomes idle in a pass: the releases of a job that does not fit now will not be needed.
        let count = if processors > state.idle {
            runtime.check_releases(0, limit, events, releases)?;
            0
        } else {
            runtime.keep(0, limit, limit, events, releases)?
        };
        *at_mut(self.parts.candidates, index as usize)? = Candidate {
            processors,
            releases: count,
            left: 1.0,
            limit: at_limit(0, limit),
            ..Candidate::zeroed()
        };
        (state.candidates, state.kept) = (index + 1, 1);
        Ok(index as usize)
    }

    /// Numbers of running jobs, of their processors and of candidates, to go back to ([`Pass::take_back`]).
    #[cfg(feature = "capi")]
    pub(crate) fn added(&self) -> [u32; 3] {
        [self.state.walk.running, self.state.busy, self.state.candidates]
    }

    /// Takes the jobs back that were added since, while nothing is decided.
    #[cfg(feature = "capi")]
    pub(crate) fn take_back(&mut self, added: [u32; 3]) {
        [self.state.walk.running, self.state.busy, self.state.candidates] = added;
    }

    /// A candidate's verdict so far.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`].
    pub fn judgement(&self, candidate: usize) -> Result<Judgement> {
        let known = range(self.parts.candidates, 0, self.state.candidates as usize)?;
        let candidate = known.get(candidate).ok_or(Error::NoSuchIndex)?;
        let verdict = Verdict::from_number(candidate.verdict).ok_or(Error::Corrupt)?;
        use Verdict::{DoesNotFit, Guarded, HeadNever, Undecided};
        let judged = !matches!(verdict, Undecided | DoesNotFit | Guarded | HeadNever);
        if !judged {
            return Ok(Judgement { delay: 0.0, exactness: Exactness::NotMeasured, verdict });
        }
        let exactness = Exactness::from_number(candidate.exactness).ok_or(Error::Corrupt)?;
        Ok(Judgement { delay: candidate.delay, exactness, verdict })
    }

    /// The delays of committed candidates added up for the present head job, by the criterion they were judged by: an
    /// upper bound of the probability that any of them delays it (union bound), or of its expected delay. Delays judged
    /// by `Relative` count in `Seconds` too.
    pub fn spent(&self, criterion: Criterion) -> f64 {
        self.state.spent.get(criterion as usize).copied().unwrap_or(0.0)
    }

    /// The head job's id and the delays spent on it, by criterion, to be kept beyond this block's life.
    pub fn spent_on(&self) -> (i64, [f64; 4]) {
        (self.state.head_id, self.state.spent)
    }

    /// Restores the account that [`Pass::spent_on`] returned for another block: the next [`Pass::begin`] with this head
    /// job goes on from there.
    ///
    /// # Errors
    /// [`Error::NotANumber`]; [`Error::OutOfRange`] for a negative number; [`Error::WrongState`] once a pass has begun.
    pub fn restore_spent(&mut self, head_id: i64, spent: [f64; 4]) -> Result<()> {
        if self.state.phase != 0 {
            return Err(Error::WrongState);
        }
        if spent.iter().any(|value| value.is_nan()) {
            return Err(Error::NotANumber);
        }
        if spent.iter().any(|&value| value < 0.0) {
            return Err(Error::OutOfRange);
        }
        (self.state.head_id, self.state.spent, self.state.phase) = (head_id, spent, RESTORED);
        Ok(())
    }

    /// Idle processors, those of committed candidates taken off.
    pub fn idle(&self) -> u32 {
        self.state.idle
    }

    /// Starts the accepted candidate: it is a running job from now on, and its delay counts as spent.
    ///
    /// # Errors
    /// [`Error::WrongState`] unless [`Pass::decide`] has just accepted a candidate; [`Error::NoSuchIndex`] when it is
    /// not this one.
    pub fn commit(&mut self, candidate: usize) -> Result<()> {
        let row = self.accepted(candidate)?;
        let state = &mut *self.state;
        let row = at_mut(self.parts.candidates, row)?;
        let slot = candidate_slot(&state.capacity, candidate);
        // Candidate and running job have the same memory, in which releases lie from now on.
        let releases = range_mut(self.parts.releases, slot, state.capacity.releases_per_job())?;
        row.releases = write_kept(releases, row.releases, &mut Steps::default())?;
        let row = *row;
        *at_mut(self.parts.running, state.walk.running as usize)? = Running {
            processors: row.processors,
            slot: slot as u32,
            releases: row.releases,
            limit: row.limit,
            ..Running::zeroed()
        };
        state.idle = state.idle.checked_sub(row.processors).ok_or(Error::Corrupt)?;
        state.busy += row.processors;
        state.walk.running += 1;
        *at_mut(&mut state.spent, state.rule_criterion as usize)? += row.delay;
        if state.rule_criterion == Criterion::Relative as u32 {
            *at_mut(&mut state.spent, Criterion::Seconds as usize)? += row.seconds;
        }
        // Candidates behind it were judged against a machine that has changed; those before it were refused for good.
        for later in self.parts.candidates.iter_mut().take(state.candidates as usize).skip(candidate + 1) {
            later.verdict = Verdict::Undecided as u32;
        }
        (state.phase, state.prepared) = (DECIDING, 0);
        Ok(())
    }

    /// Gives the accepted candidate up, because it could not be started after all. The machine is as it was, so
    /// refusals stand.
    ///
    /// # Errors
    /// As [`Pass::commit`].
    pub fn decline(&mut self, candidate: usize) -> Result<()> {
        let row = self.accepted(candidate)?;
        at_mut(self.parts.candidates, row)?.verdict = Verdict::Declined as u32;
        (self.state.phase, self.state.prepared) = (DECIDING, 0);
        Ok(())
    }

    pub(super) fn begun(&self) -> bool {
        matches!(self.state.phase, FILLING | DECIDING | ACCEPTING)
    }

    fn accepted(&self, candidate: usize) -> Result<usize> {
        if self.state.phase != ACCEPTING {
            return Err(Error::WrongState);
        }
        if candidate != self.state.accepted as usize {
            return Err(Error::NoSuchIndex);
        }
        Ok(candidate)
    }
}

/// Place of a candidate's first release: behind those of the running jobs.
pub(super) fn candidate_slot(capacity: &PassCapacity, candidate: usize) -> usize {
    (capacity.running as usize + candidate) * capacity.releases_per_job()
}
