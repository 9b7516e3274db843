//! The predictor of one queue's waits, in the caller's memory.

use crate::error::{Error, Result};
use crate::hash::HashIndex;
use crate::math::chances::Chances;
use crate::memory::{Carver, Kind, Object, at};
use crate::runtime::{MAX_SECONDS, check_span};
use crate::seal::{Sealed, lifecycle};
use crate::wait::binomial::upper_index;
use crate::wait::choice::Choice;
use crate::wait::clusters::{Agglomeration, Group, Intervals, Item, MAX_CLUSTERS, Values};
use crate::wait::estimate::{Memo, Question, WaitMethod};
use crate::wait::history::{Record, Series, View};
use crate::wait::levels::{Levels, Ranks};
use crate::wait::looks::{Aged, NOTES_A_JOB, Note};
use crate::wait::options::{
    AVAILABILITY, Attribute, Cluster, Features, Machine, VISIBLE, WaitAnswer, WaitCapacity, WaitOptions,
    WaitingJob,
};
use crate::wait::outage::{DetectorRecords, OutageDetector};
use crate::wait::queue::{NEVER, Occupancy, Queue, Waiting, find};
use crate::wait::rings::Neighbour;
use crate::wait::sample::Window;
use crate::wait::tree::{Node, Nodes, Pool, Spare, nodes_for};
use crate::wait::visible::{Neighbours, Situation, Visible};
use bytemuck::{Pod, Zeroable};

/// Largest processor-seconds that a job's work counts as ahead of others, so that sums stay numbers.
const MOST_WORK: u64 = 1 << 40;

type BySide<T> = [[T; MAX_CLUSTERS]; 2];

/// The scalars at the head of a predictor's block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub(super) capacity: WaitCapacity,
    /// See `turn`.
    pub(super) reserved: u32,
    pub(super) question: Question,
    pub(super) method: u32,
    pub(super) attribute: u32,
    pub(super) components: u32,
    pub(super) recluster_every: u32,
    pub(super) rate: f64,
    pub(super) oldest_seconds: i64,
    /// The last time seen, and whether there was one.
    pub(super) now: i64,
    pub(super) begun: u32,
    /// Which of the two sets of clusters is in use; the other is being prepared.
    pub(super) side: u32,
    /// Numbers of records: the oldest there is, and the next.
    pub(super) oldest: u64,
    pub(super) next: u64,
    pub(super) since_clustering: u32,
    /// Whether the other set is being filled, and the number of the record that went into it last (from new to old).
    pub(super) filling: u32,
    pub(super) filled_to: u64,
    /// State of the levels, of the probabilities and of the ranks by width and request, and the longest wait seen, in
    /// seconds, which limits bounds.
    pub(super) levels: Levels,
    pub(super) chances: Chances,
    pub(super) ranks: Ranks,
    pub(super) longest: i64,
    /// The most jobs that waited when a job came that has started since.
    pub(super) most_ahead: u64,
    /// Index of the wait in a window that answers the options' question.
    pub(super) window_index: u64,
    pub(super) spare: Spare,
    pub(super) values: Values,
    pub(super) occupancy: Occupancy,
    pub(super) agglomeration: Agglomeration,
    /// Gain of the clusters in use over a single one, in log-likelihood and in the criterion.
    pub(super) gain: f64,
    pub(super) criterion: f64,
    pub(super) intervals: [Intervals; 2],
    /// The attribute that makes each set of clusters, and the choice of it.
    pub(super) by: [u32; 2],
    pub(super) choice: Choice,
    pub(super) series: BySide<Series>,
    pub(super) memos: BySide<Memo>,
    /// Flags of the clusters being filled that a change point has closed to older records.
    pub(super) closed: [u32; MAX_CLUSTERS],
    pub(super) outage: OutageDetector,
    pub(super) aged: Aged,
}

pub(crate) struct Parts<'a> {
    pub(super) records: &'a mut [Record],
    pub(super) groups: &'a mut [Group],
    pub(super) items: &'a mut [Item],
    pub(super) item_heap: &'a mut [u32],
    pub(super) detectors: DetectorRecords<'a>,
    pub(super) slots: &'a mut [Waiting],
    pub(super) index: HashIndex<'a>,
    pub(super) deadlines: &'a mut [u32],
    pub(super) nodes: &'a mut [Node],
    /// The model of situations, at most one.
    pub(super) visible: &'a mut [Visible],
    pub(super) neighbours: &'a mut [Neighbour],
    pub(super) neighbour_keys: &'a mut [u64],
    /// The model of jobs that wait already, and the notes of them.
    pub(super) aged: &'a mut [Visible],
    pub(super) aged_neighbours: &'a mut [Neighbour],
    pub(super) aged_keys: &'a mut [u64],
    pub(super) notes: &'a mut [Note],
}

/// Bounds on the waits of one queue's jobs.
///
/// Report every job to it: [`WaitPredictor::submit`], then [`WaitPredictor::start`] or [`WaitPredictor::cancel`]. Times
/// are seconds since any fixed origin and never go back.
///
/// The memory needed is [`WaitPredictor::size`]: at most 80 bytes a remembered wait (231 with clusters), 160 a release,
/// 228 a waiting job (532 with situations), 48 a situation, and 110,000.
///
/// ```
/// use surefill::wait::{Features, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor};
///
/// # fn main() -> surefill::error::Result<()> {
/// let limits = WaitCapacity { history: 1000, queued: 100, ..WaitCapacity::default() };
/// let mut memory = vec![0u64; WaitPredictor::size(&limits)?.div_ceil(8)];
/// let mut queue = WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &WaitOptions::default())?;
///
/// // Job by job: this one waited for a quarter of an hour.
/// let job = Features { requested: 3600, processors: 16 };
/// assert_eq!(queue.submit(1, 5000, &job)?, WaitAnswer::TooLittleHistory);
/// assert_eq!(queue.start(1, 5900)?, 900);
/// // What is known of earlier ones.
/// for wait in 1..100 {
///     queue.known(wait * 60, &job)?;
/// }
/// // With 95 % confidence 90 % of such jobs start within 95 minutes, half of them within 58.
/// assert_eq!(queue.predict(&job, 0.9, 0.95, 6000)?, WaitAnswer::Bound(95 * 60));
/// assert_eq!(queue.predict(&job, 0.5, 0.95, 6000)?, WaitAnswer::Bound(58 * 60));
/// # Ok(())
/// # }
/// ```
pub struct WaitPredictor<'a> {
    pub(super) state: &'a mut State,
    pub(super) parts: Parts<'a>,
}

impl<'a> Object<'a> for WaitPredictor<'a> {
    const KIND: Kind = Kind::WaitPredictor;
    type Head = Sealed;
    type Capacity = WaitCapacity;
    type State = State;
    type Parts = Parts<'a>;

    const MARKED: usize = size_of::<WaitCapacity>();

    fn keep(state: &mut State, capacity: &WaitCapacity) {
        state.capacity = *capacity;
    }

    fn check(limits: &WaitCapacity) -> Result<()> {
        limits.check()
    }

    #[inline(always)]
    fn parts(carver: &mut Carver<'a>, limits: &WaitCapacity) -> Result<Parts<'a>> {
        let (history, queued) = (limits.history as usize, limits.queued as usize);
        let (releases, neighbours) = (limits.releases as usize, limits.neighbours as usize);
        // Without clusters: one tree. With them: two sets, and the attribute's values.
        let clustered = if limits.clusters > 1 { history } else { 0 };
        let nodes = nodes_for(history + 2 * clustered + 2 * releases, 2 * MAX_CLUSTERS + 3)
            .ok_or(Error::OutOfRange)?;
        Ok(Parts {
            records: carver.take(history)?,
            groups: carver.take(clustered)?,
            items: carver.take(clustered)?,
            item_heap: carver.take(clustered)?,
            detectors: DetectorRecords { arrivals: carver.take(releases)?, gaps: carver.take(releases)? },
            slots: carver.take(queued)?,
            index: HashIndex::carve(carver, queued)?,
            deadlines: carver.take(queued)?,
            nodes: carver.take(nodes)?,
            visible: carver.take(neighbours.min(1))?,
            neighbours: carver.take(neighbours)?,
            neighbour_keys: carver.take(neighbours)?,
            aged: carver.take(neighbours.min(1))?,
            aged_neighbours: carver.take(neighbours)?,
            aged_keys: carver.take(neighbours)?,
            notes: carver.take(if neighbours > 0 { NOTES_A_JOB * queued } else { 0 })?,
        })
    }

    fn capacity_in(state: &State) -> Result<WaitCapacity> {
        Ok(state.capacity)
    }

    #[inline(always)]
    fn assemble(state: &'a mut State, parts: Parts<'a>) -> Result<WaitPredictor<'a>> {
        let limits = &state.capacity;
        let sound = state.side < 2
            && WaitMethod::from_number(state.method).is_ok()
            && Attribute::from_number(state.attribute).is_ok()
            && state.by.iter().all(|by| Attribute::SINGLE.iter().any(|single| *single as u32 == *by))
            && parts.visible.iter().chain(&*parts.aged).all(|visible| visible.sound(limits.neighbours));
        if sound { WaitPredictor::assume(state, parts) } else { Err(Error::Corrupt) }
    }

    #[inline(always)]
    fn assume(state: &'a mut State, parts: Parts<'a>) -> Result<WaitPredictor<'a>> {
        let sound =
            state.oldest <= state.next && state.next - state.oldest <= u64::from(state.capacity.history);
        if sound { Ok(WaitPredictor { state, parts }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(WaitPredictor, checkpoint);

impl<'a> WaitPredictor<'a> {
    /// Bytes that a predictor with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(limits: &WaitCapacity) -> Result<usize> {
        <WaitPredictor as Object>::size(limits)
    }

    /// Makes a predictor in this memory, which may be longer than needed. The whole block is written, so that a sealed
    /// block is the same for the same calls.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`]; [`Error::NotANumber`] and [`Error::OutOfRange`] for limits and
    /// options, also where their quantile needs more waits than the history holds.
    pub fn init(
        memory: &'a mut [u8],
        limits: &WaitCapacity,
        options: &WaitOptions,
    ) -> Result<WaitPredictor<'a>> {
        limits.check()?;
        let question = Question::new(options.quantile, options.confidence)?;
        let outage = OutageDetector::new(options.down_quantile)?;
        if options.rate.is_nan() {
            return Err(Error::NotANumber);
        }
        let valid = options.components < 2 * VISIBLE
            && options.recluster_every > 0
            && (0.0..=1.0).contains(&options.rate)
            && (1..=MAX_SECONDS).contains(&options.oldest_seconds)
            && question.fewest <= u64::from(limits.history);
        if !valid {
            return Err(Error::OutOfRange);
        }
        let (state, parts) = WaitPredictor::create(memory, limits)?;
        *state = State {
            capacity: *limits,
            question,
            method: options.method as u32,
            attribute: options.attribute as u32,
            by: [options.attribute.at_first() as u32; 2],
            components: options.components,
            recluster_every: options.recluster_every,
            rate: options.rate,
            oldest_seconds: options.oldest_seconds,
            intervals: [Intervals::whole(); 2],
            series: [[Series::new(0); MAX_CLUSTERS], [Series::new(1); MAX_CLUSTERS]],
            outage,
            ..State::zeroed()
        };
        parts.visible.iter_mut().chain(parts.aged.iter_mut()).for_each(Visible::reset);
        Ok(WaitPredictor { state, parts })
    }

    /// The capacities.
    pub fn capacity(&self) -> &WaitCapacity {
        &self.state.capacity
    }

    /// Number of jobs held, those given up included.
    pub fn queued(&self) -> u32 {
        self.state.occupancy.jobs
    }

    /// The jobs held, those given up included, the oldest first.
    pub fn held(&self) -> impl Iterator<Item = WaitingJob> {
        let slot = |place: u32| self.parts.slots.get(place.checked_sub(1)? as usize);
        let first = slot(self.state.occupancy.first());
        let all = core::iter::successors(first, move |waiting| slot(waiting.after()));
        all.take(self.state.occupancy.jobs as usize).map(|waiting| WaitingJob {
            id: waiting.id,
            submitted: waiting.submitted,
            given_up: waiting.given_up == 1,
            features: waiting.features(),
        })
    }

    /// Sets the clock right: from now on it is `now`, whatever time was reported before. Where that is earlier, later
    /// events count as having happened now, and jobs are given up anew by the new time. O((w + n) log w) for w waiting
    /// jobs and n notes of them.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a time further than 2^53 from 0.
    pub fn set_clock(&mut self, now: i64) -> Result<()> {
        if now.unsigned_abs() > 1 << 53 {
            return Err(Error::OutOfRange);
        }
        if self.state.begun == 1 && now < self.state.now {
            self.queue().move_back(now)?;
            self.set_before_turn(None);
            self.move_notes_back(now);
            self.state.outage.move_back(now);
        }
        self.advance(now)
    }

    /// Number of waits that are remembered.
    pub fn remembered(&self) -> u64 {
        self.state.next - self.state.oldest
    }

    /// The clusters in use, at least one, in the order of the attribute.
    pub fn clusters(&self) -> impl Iterator<Item = Cluster> {
        let side = self.state.side as usize;
        let intervals = self.state.intervals.get(side).copied().unwrap_or(Intervals::whole());
        let series = self.state.series.get(side).into_iter().flatten().map(Series::count);
        let mut from = 0;
        series.take(intervals.clusters()).enumerate().map(move |(i, waits)| {
            let to = intervals.bounds().get(i).copied().unwrap_or(u64::MAX);
            let cluster = Cluster { from, to, waits };
            from = to.saturating_add(1);
            cluster
        })
    }

    /// The attribute that makes the clusters in use: the options' own, with [`Attribute::Best`] the one chosen last.
    pub fn clustered_by(&self) -> Attribute {
        // Checked when the block was attached.
        self.attribute().unwrap_or_default()
    }

    /// Gain of the last clustering over a single cluster, in the log-likelihood of all remembered waits and in the
    /// Bayes information criterion, which [`Attribute::Best`] compares between attributes.
    pub fn explained(&self) -> (f64, f64) {
        (self.state.gain, self.state.criterion)
    }

    /// Records that a job was submitted. Returns the bound for its wait at the options' quantile and confidence. O(log
    /// n); with [`VISIBLE`] the 300 nearest situations are sorted, and up to 16 waiting jobs are looked at, for as much
    /// each and O(w) for w waiting jobs.
    ///
    /// # Errors
    /// [`Error::TimeWentBack`]; [`Error::OutOfRange`] for a time further than 2^53 from 0, or features out of range;
    /// [`Error::DuplicateJob`] if a job with this number waits already; [`Error::Full`].
    pub fn submit(&mut self, id: i64, now: i64, features: &Features) -> Result<WaitAnswer> {
        self.check_time(now)?;
        features.check()?;
        let too_old = now.saturating_sub(self.state.oldest_seconds);
        let queue = self.queue();
        if queue.find(id)?.is_some() {
            return Err(Error::DuplicateJob);
        }
        if queue.is_full() && !queue.oldest_is_before(too_old)? {
            return Err(Error::Full);
        }
        self.advance(now)?;
        if self.queue().is_full() {
            let (lost, slot) = self.queue().oldest_given_up()?.ok_or(Error::Corrupt)?;
            self.close_notes(slot, None)?;
            self.queue().remove(lost)?;
        }
        let waiting = self.state.occupancy.present();
        self.state.outage.arrived(now, waiting);
        self.came(features, now)?;
        let asked = self.asked(features, now)?;
        let (answer, aside) = self.usual_answer_and(&asked, now, waiting + 1, |sample| self.aside(sample))?;
        let work = Attribute::Product.of(features).min(MOST_WORK);
        let mut job = Waiting::new(id, now);
        (job.work, job.ahead) = (work, waiting);
        (job.processors, job.requested) = (features.processors, features.requested.unsigned_abs());
        (job.groups, job.situation, job.index) = (asked.groups, asked.situation, asked.index);
        if let WaitAnswer::Bound(bound) = answer {
            job.deadline = now.saturating_add(bound);
        }
        if let Some((bounds, shares)) = aside {
            (job.noted, job.aside, job.shares) = (1, bounds, shares);
        }
        self.queue().add(job)?;
        Ok(answer)
    }

    /// Records that a waiting job was started: its wait becomes history. Returns the wait in seconds. O(log n), and
    /// while jobs are clustered again 64 + 4 history / recluster_every steps of O(log n) (13 instead of 4 with
    /// [`Attribute::Best`]). With [`VISIBLE`] waiting jobs are looked at as by [`WaitPredictor::submit`], and the job's
    /// situation and each look at it are learnt, in 48^2 steps and O(256 + r / 256) for r situations.
    ///
    /// # Errors
    /// [`Error::TimeWentBack`], [`Error::OutOfRange`]; [`Error::UnknownJob`] if no job with this number waits.
    pub fn start(&mut self, id: i64, now: i64) -> Result<i64> {
        self.check_time(now)?;
        let slot = self.slot_of(id)?;
        self.advance(now)?;
        let waiting = *at(self.parts.slots, slot as usize)?;
        self.close_notes(slot, Some(now))?;
        if waiting.deadline != NEVER && waiting.deadline >= now {
            self.judged(waiting.groups, false);
        }
        self.queue().remove(id)?;
        self.released(now)?;
        // Times lie so near 0 that their difference is a number.
        let wait = now.saturating_sub(waiting.submitted).clamp(0, MAX_SECONDS);
        self.compare(&waiting, wait.unsigned_abs())?;
        self.state.most_ahead = self.state.most_ahead.max(waiting.ahead.into());
        self.learn(wait.unsigned_abs(), &waiting.features())?;
        Ok(wait)
    }

    /// Records that a waiting job was cancelled: nothing is learnt. O(log n).
    ///
    /// # Errors
    /// As [`WaitPredictor::start`].
    pub fn cancel(&mut self, id: i64, now: i64) -> Result<()> {
        self.check_time(now)?;
        let slot = self.slot_of(id)?;
        self.advance(now)?;
        self.close_notes(slot, None)?;
        self.queue().remove(id)
    }

    /// Adds a wait that is known from elsewhere, in seconds: as if such a job had been submitted and started, but
    /// without time passing.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a wait below 0 or above [`MAX_SECONDS`], or features out of range.
    pub fn known(&mut self, wait: i64, features: &Features) -> Result<()> {
        features.check()?;
        check_span(wait)?;
        self.state.ranks.add(features.processors, features.requested.unsigned_abs());
        if let Some(visible) = self.parts.visible.first_mut() {
            let situation = visible.known(features);
            let index = visible.index(&situation);
            self.remember(&situation, index, wait.unsigned_abs())?;
        }
        self.learn(wait.unsigned_abs(), features)
    }

    /// Sets the state of the machine, which [`VISIBLE`] takes into account from now on. Without it the queue alone
    /// counts.
    pub fn machine(&mut self, machine: &Machine) {
        self.parts.visible.iter_mut().for_each(|visible| visible.set_machine(machine));
    }

    /// Whether the machine may be down: no job has been started for a long time, or while many arrived. O(log n).
    ///
    /// # Errors
    /// [`Error::TimeWentBack`], [`Error::OutOfRange`].
    pub fn may_be_down(&self, now: i64) -> Result<bool> {
        self.check_time(now)?;
        self.down(now, self.state.occupancy.present())
    }

    /// The smallest number of waits with which the options' question is answered.
    pub fn smallest_history(&self) -> u64 {
        self.state.question.fewest
    }

    pub(super) fn has(&self, component: u32) -> bool {
        self.state.components & component != 0
    }

    pub(super) fn method(&self) -> Result<WaitMethod> {
        WaitMethod::from_number(self.state.method).map_err(|_| Error::Corrupt)
    }

    pub(super) fn check_time(&self, now: i64) -> Result<()> {
        if now.unsigned_abs() > 1 << 53 {
            return Err(Error::OutOfRange);
        }
        if self.state.begun == 1 && now < self.state.now { Err(Error::TimeWentBack) } else { Ok(()) }
    }

    pub(super) fn queue(&mut self) -> Queue<'_> {
        Queue {
            occupancy: &mut self.state.occupancy,
            slots: self.parts.slots,
            index: self.parts.index.reborrow(),
            heap: self.parts.deadlines,
        }
    }

    pub(super) fn slot_of(&self, id: i64) -> Result<u32> {
        find(&self.parts.index, self.parts.slots, id)?.ok_or(Error::UnknownJob)
    }

    /// Advances the clock: jobs that have waited longer than their bound are misses now, not only when they start.
    fn advance(&mut self, now: i64) -> Result<()> {
        self.state.now = now;
        self.state.begun = 1;
        while let Some(slot) = self.queue().overdue(now)? {
            let Waiting { submitted, groups, .. } = *at(self.parts.slots, slot as usize)?;
            self.state.longest = self.state.longest.max(now.saturating_sub(submitted));
            self.queue().forget_deadline(slot)?;
            self.judged(groups, true);
        }
        let oldest = now.saturating_sub(self.state.oldest_seconds);
        let first = self.state.occupancy.first_present();
        self.state.occupancy.give_up(self.parts.slots, oldest)?;
        if self.state.occupancy.first_present() != first {
            self.set_before_turn(None);
        }
        self.look_at_waiting(now)
    }

    /// Remembers the wait, in seconds, of a job in this situation.
    pub(super) fn remember(&mut self, situation: &Situation, index: u32, wait: u64) -> Result<()> {
        if !self.has(VISIBLE) {
            return Ok(());
        }
        let Some(visible) = self.parts.visible.first_mut() else { return Ok(()) };
        let before = Window::len_of(visible);
        let mut neighbours = Neighbours { sorted: self.parts.neighbours, keys: self.parts.neighbour_keys };
        visible.learn(&mut neighbours, situation, index, wait)?;
        let len = Window::len_of(visible);
        if len != before {
            let Question { quantile, confidence, .. } = self.state.question;
            self.state.window_index = upper_index(len, quantile, confidence)?.unwrap_or(0);
        }
        Ok(())
    }

    pub(super) fn released(&mut self, now: i64) -> Result<()> {
        if !self.has(AVAILABILITY) {
            return Ok(());
        }
        let mut pool = Pool { nodes: self.parts.nodes, spare: &mut self.state.spare };
        self.state.outage.released(&mut self.parts.detectors, &mut pool, now)
    }

    pub(super) fn down(&self, now: i64, waiting: u32) -> Result<bool> {
        if !self.has(AVAILABILITY) {
            return Ok(false);
        }
        let nodes = Nodes(self.parts.nodes);
        let arrivals = View { records: self.parts.detectors.arrivals, nodes };
        let gaps = View { records: self.parts.detectors.gaps, nodes };
        self.state.outage.may_be_down(arrivals, gaps, now, waiting)
    }

    /// Adds a job that comes to the ranks and to the statistics of situations.
    pub(super) fn came(&mut self, features: &Features, now: i64) -> Result<()> {
        self.state.ranks.add(features.processors, features.requested.unsigned_abs());
        if self.has(VISIBLE) {
            let ahead = self.state.occupancy.ahead(self.parts.slots, now)?;
            if let Some(visible) = self.parts.visible.first_mut() {
                let seen = visible.see(features, &ahead, now);
                visible.came(&seen);
            }
        }
        Ok(())
    }
}
