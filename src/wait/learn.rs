//! What the predictor's calls are made of: time going on, waits becoming history, clusters being found and filled.

use crate::error::{Error, Result};
use crate::memory::{at, at_mut};
use crate::runtime::MAX_SECONDS;
use crate::wait::availability::judge;
use crate::wait::binomial::check_probability;
use crate::wait::clusters::{Census, Intervals, MAX_CLUSTERS, Workshop};
use crate::wait::estimate::{self, Memo, WaitMethod};
use crate::wait::history::{Record, Series, Store, View};
use crate::wait::options::{ADAPT, AVAILABILITY, Attribute, CLUSTER, Features, TRIM, WaitAnswer};
use crate::wait::predictor::{State, WaitPredictor};
use crate::wait::queue::{Queue, Waiting, find};
use crate::wait::tree::{Nodes, Pool};

/// How far bounds may be stretched and shrunk, as logarithms.
const STRETCH: (f64, f64) = (-3.0, 8.0);

/// Adapted bounds aim at this part of the misses that the quantile allows.
const CAUTION: f64 = 0.9;

/// Units of clustering work with every wait that becomes known, beside what the size of the history demands.
const SLICE: u64 = 64;

/// What the calls are made of.
impl WaitPredictor<'_> {
    pub(super) fn has(&self, component: u32) -> bool {
        self.state.components & component != 0
    }

    pub(super) fn method(&self) -> Result<WaitMethod> {
        WaitMethod::from_number(self.state.method).map_err(|_| Error::Corrupt)
    }

    pub(super) fn attribute(&self) -> Result<Attribute> {
        Attribute::from_number(self.state.attribute).map_err(|_| Error::Corrupt)
    }

    pub(super) fn check_time(&self, now: i64) -> Result<()> {
        if now.unsigned_abs() > 1 << 53 {
            return Err(Error::OutOfRange);
        }
        if self.state.begun == 1 && now < self.state.now { Err(Error::TimeWentBack) } else { Ok(()) }
    }

    pub(super) fn check_question(
        &self,
        features: &Features,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<u64> {
        check_probability(quantile)?;
        check_probability(confidence)?;
        features.check()?;
        self.check_time(now)?;
        Ok(self.attribute()?.of(features))
    }

    pub(super) fn queue(&mut self) -> Queue<'_> {
        Queue {
            occupancy: &mut self.state.occupancy,
            slots: self.parts.slots,
            table: self.parts.table,
            heap: self.parts.deadlines,
        }
    }

    pub(super) fn waiting(&self, id: i64) -> Result<Waiting> {
        let slot = find(self.parts.table, self.parts.slots, id)?.ok_or(Error::UnknownJob)?;
        at(self.parts.slots, slot as usize).copied()
    }

    /// Time goes on: jobs that have waited longer than their bound are misses now, not only when they start.
    pub(super) fn advance(&mut self, now: i64) -> Result<()> {
        self.state.now = now;
        self.state.begun = 1;
        while let Some(slot) = self.queue().overdue(now)? {
            let waiting = *at(self.parts.slots, slot as usize)?;
            let age = now.saturating_sub(waiting.submitted);
            self.state.longest = self.state.longest.max(age);
            self.queue().forget_deadline(slot)?;
            let change = self.state.rate * (1.0 - self.misses_wanted());
            self.state.stretch = (self.state.stretch + change).min(STRETCH.1);
        }
        Ok(())
    }

    /// The part of the jobs that the adapted bounds shall miss.
    fn misses_wanted(&self) -> f64 {
        CAUTION * (1.0 - self.state.question.quantile)
    }

    /// A job started within its bound.
    pub(super) fn kept(&mut self) {
        let change = self.state.rate * self.misses_wanted();
        self.state.stretch = (self.state.stretch - change).max(STRETCH.0);
    }

    pub(super) fn released(&mut self, now: i64) -> Result<()> {
        if !self.has(AVAILABILITY) {
            return Ok(());
        }
        let mut pool = Pool { nodes: self.parts.nodes, spare: &mut self.state.spare };
        self.state.availability.released(&mut self.parts.detectors, &mut pool, now)
    }

    pub(super) fn down(&self, now: i64, waiting: u32) -> Result<bool> {
        if !self.has(AVAILABILITY) {
            return Ok(false);
        }
        let nodes = Nodes(self.parts.nodes);
        let arrivals = View { records: self.parts.detectors.arrivals, nodes };
        let gaps = View { records: self.parts.detectors.gaps, nodes };
        self.state.availability.may_be_down(arrivals, gaps, now, waiting)
    }

    pub(super) fn unless_down(
        &self,
        now: i64,
        bound: impl Fn(&Self) -> Result<Option<i64>>,
    ) -> Result<WaitAnswer> {
        if self.down(now, self.state.occupancy.jobs)? {
            return Ok(WaitAnswer::MayBeDown);
        }
        Ok(WaitAnswer::from_bound(bound(self)?))
    }

    /// The cluster of an attribute.
    pub(super) fn look(&self, attribute: u64) -> Result<(View<'_>, &Series, &Memo)> {
        let side = self.state.side as usize;
        let cluster = at(&self.state.intervals, side)?.of(attribute);
        let view = View { records: self.parts.records, nodes: Nodes(self.parts.nodes) };
        Ok((view, at(at(&self.state.series, side)?, cluster)?, at(at(&self.state.memos, side)?, cluster)?))
    }

    /// The answer to the options' own question.
    pub(super) fn usual_answer(&self, attribute: u64, now: i64, waiting: u32) -> Result<WaitAnswer> {
        if self.down(now, waiting)? {
            return Ok(WaitAnswer::MayBeDown);
        }
        let (view, series, memo) = self.look(attribute)?;
        let bound = memo.bound(view, series, self.method()?, &self.state.question)?;
        Ok(WaitAnswer::from_bound(bound.map(|bound| self.adapted(bound))))
    }

    /// The bound of a job that has waited for `age` seconds.
    pub(super) fn aged_answer(
        &self,
        attribute: u64,
        age: u64,
        quantile: f64,
        confidence: f64,
        now: i64,
    ) -> Result<WaitAnswer> {
        let usual = &self.state.question;
        let usual = quantile == usual.quantile && confidence == usual.confidence;
        self.unless_down(now, |predictor| {
            let (view, series, _) = predictor.look(attribute)?;
            let bound = estimate::bound_from(view, series, age, quantile, confidence)?;
            let age = estimate::seconds(age)?;
            // Only stretched: what shrinks the bounds of new jobs are the many that hardly wait.
            let left = |bound: i64| bound.saturating_sub(age);
            let adapted = |bound: i64| age.saturating_add(predictor.adapted(left(bound)).max(left(bound)));
            Ok(if usual { bound.map(adapted) } else { bound })
        })
    }

    /// A bound, stretched or shrunk; 0 s can be stretched as well. Nothing is stretched beyond twice the longest wait.
    fn adapted(&self, bound: i64) -> i64 {
        if !self.has(ADAPT) || self.state.stretch == 0.0 {
            return bound;
        }
        let stretched = (bound as f64 + 1.0) * libm::exp(self.state.stretch) - 1.0;
        let most = self.state.longest.saturating_mul(2).max(bound);
        estimate::whole_seconds(stretched).min(most)
    }

    /// Where the record with this number lies.
    pub(super) fn place(&self, number: u64) -> usize {
        // There is at least one record.
        number.checked_rem(self.parts.records.len() as u64).unwrap_or(0) as usize
    }

    /// A wait becomes history.
    pub(super) fn learn(&mut self, wait: u64, attribute: u64) -> Result<()> {
        let (method, question) = (self.method()?, self.state.question);
        let (trimming, capacity) = (self.has(TRIM), self.parts.records.len() as u64);
        self.state.longest = self.state.longest.max(i64::try_from(wait).unwrap_or(MAX_SECONDS));
        let index = self.place(self.state.next);
        let full = self.state.next - self.state.oldest >= capacity;
        let gone = if full { Some(*at(self.parts.records, index)?) } else { None };
        let clustering = self.state.limits.clusters > 1 && self.has(CLUSTER);

        let State { side, filling, intervals, series, memos, closed, spare, values, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let side = *side as usize;
        let sides = if *filling == 1 { [Some(side), Some(1 - side)] } else { [Some(side), None] };
        let mut changed = false;
        for side in sides.into_iter().flatten() {
            let (intervals, memos) = (at(intervals, side)?, at_mut(memos, side)?);
            let series = at_mut(series, side)?;
            let mut store = Store { records: &mut *self.parts.records, pool: &mut pool };
            let cluster = intervals.of(attribute);
            let present = sides.first() == Some(&Some(side));
            if present && trimming {
                let (series, memo) = (at_mut(series, cluster)?, at(memos, cluster)?);
                changed = judge(store.view(), series, memo, wait, method, &question)?;
            }
            if let Some(gone) = &gone {
                let left = intervals.of(gone.attribute);
                let series = at_mut(series, left)?;
                if series.oldest() == Some(index) {
                    store.drop_oldest(series)?;
                    if present && left != cluster {
                        at_mut(memos, left)?.refresh(store.view(), series, method, &question)?;
                    }
                }
            }
        }
        *at_mut(self.parts.records, index)? = Record::new(wait, attribute);
        for side in sides.into_iter().flatten() {
            let cluster = at(intervals, side)?.of(attribute);
            let series = at_mut(at_mut(series, side)?, cluster)?;
            let mut store = Store { records: &mut *self.parts.records, pool: &mut pool };
            store.add(series, index, true)?;
            let present = sides.first() == Some(&Some(side));
            if changed {
                store.trim(series, question.fewest)?;
                if !present {
                    *at_mut(closed, cluster)? = 1;
                }
            }
            if present {
                let memo = at_mut(at_mut(memos, side)?, cluster)?;
                memo.refresh(store.view(), series, method, &question)?;
            }
        }
        if clustering {
            let mut census = Census { values, groups: self.parts.groups, pool: &mut pool };
            if let Some(gone) = &gone {
                census.remove(gone.attribute, gone.wait)?;
            }
            census.add(attribute, wait)?;
        }
        if full {
            self.state.oldest += 1;
        }
        self.state.next += 1;
        if clustering { self.cluster() } else { Ok(()) }
    }

    /// A slice of clustering, when it is time.
    pub(super) fn cluster(&mut self) -> Result<()> {
        let state = &mut *self.state;
        state.since_clustering = state.since_clustering.saturating_add(1);
        let every = u64::from(state.recluster_every);
        // Done with before it is time again.
        let steps = SLICE + self.clustering_steps().checked_div(every).unwrap_or(0);
        for _ in 0..steps {
            let begin = u64::from(self.state.since_clustering) >= every;
            if !self.cluster_step(begin)? {
                break;
            }
        }
        Ok(())
    }

    /// The steps of a whole clustering: at most 3 a value and 1 a record, and few more.
    pub(super) fn clustering_steps(&self) -> u64 {
        4 * self.parts.records.len() as u64
    }

    /// Whether clusters are being looked for or filled.
    pub(super) fn is_clustering(&self) -> bool {
        self.state.filling == 1 || !self.state.agglomeration.is_idle()
    }

    /// A step of the clustering under way, or the beginning of one. Returns whether there was something to do.
    pub(super) fn cluster_step(&mut self, begin: bool) -> Result<bool> {
        if self.state.filling == 1 {
            return self.fill().map(|()| true);
        }
        let (fewest, most) = (self.state.question.fewest, self.state.limits.clusters as usize);
        let State { agglomeration, values, spare, since_clustering, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let census = Census { values, groups: self.parts.groups, pool: &mut pool };
        let (items, heap) = (&mut *self.parts.items, &mut *self.parts.item_heap);
        let mut workshop = Workshop { state: agglomeration, items, heap, fewest, most };
        if !workshop.state.is_idle() {
            if let Some(intervals) = workshop.step(&census)? {
                self.adopt(intervals)?;
            }
        } else if begin {
            *since_clustering = 0;
            let dispersion = self.dispersion()?;
            self.state.agglomeration.begin(dispersion);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// How many of the waits that count say as much as one independent exponential wait: the clusters' mean.
    fn dispersion(&self) -> Result<f64> {
        let view = View { records: self.parts.records, nodes: Nodes(self.parts.nodes) };
        let (mut sum, mut waits) = (0.0, 0.0);
        for series in at(&self.state.series, self.state.side as usize)? {
            let count = series.count() as f64;
            sum += count * view.dispersion(series)?;
            waits += count;
        }
        Ok(if waits > 0.0 { sum / waits } else { 1.0 })
    }

    /// New intervals were found: unless they are the old ones, their clusters are filled.
    pub(super) fn adopt(&mut self, intervals: Intervals) -> Result<()> {
        let state = &mut *self.state;
        (state.gain, state.criterion) = (state.agglomeration.gain, state.agglomeration.criterion);
        if intervals.bounds() == at(&state.intervals, state.side as usize)?.bounds() {
            return Ok(());
        }
        let other = 1 - state.side;
        *at_mut(&mut state.intervals, other as usize)? = intervals;
        state.closed = [0; MAX_CLUSTERS];
        state.filling = 1;
        state.filled_to = state.next;
        Ok(())
    }

    /// One more record, the newest of those left, goes to its new cluster if it still counts, or while that has too little
    /// history. After the oldest the new clusters take over.
    pub(super) fn fill(&mut self) -> Result<()> {
        if self.state.filled_to <= self.state.oldest {
            return self.take_over();
        }
        self.state.filled_to -= 1;
        let number = self.state.filled_to;
        let (index, first) = (self.place(number), self.place(self.state.oldest));
        let records = self.parts.records.len();
        let State { side, intervals, series, closed, spare, oldest, question, .. } = &mut *self.state;
        let side = *side as usize;
        let record = at_mut(self.parts.records, index)?;
        let old = at(at(series, side)?, at(intervals, side)?.of(record.attribute))?;
        let counts_from = old.oldest().map(|place| {
            let distance = if place >= first { place - first } else { place + records - first };
            *oldest + distance as u64
        });
        if counts_from.is_none_or(|from| number < from) {
            record.outdated = 1;
        }
        let cluster = at(intervals, 1 - side)?.of(record.attribute);
        let open = record.outdated == 0 && *at(closed, cluster)? == 0;
        let new = at_mut(at_mut(series, 1 - side)?, cluster)?;
        if open || new.count() < question.fewest {
            let mut pool = Pool { nodes: self.parts.nodes, spare };
            Store { records: self.parts.records, pool: &mut pool }.add(new, index, false)?;
        }
        Ok(())
    }

    /// The new clusters replace the old ones.
    pub(super) fn take_over(&mut self) -> Result<()> {
        let (method, question) = (self.method()?, self.state.question);
        let State { side, filling, series, memos, spare, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let old = *side as usize;
        for series in at_mut(series, old)? {
            pool.clear(&mut series.tree)?;
            *series = Series::new(old as u32);
        }
        *at_mut(memos, old)? = [Memo::default(); MAX_CLUSTERS];
        let store = Store { records: &mut *self.parts.records, pool: &mut pool };
        let new = 1 - old;
        for (series, memo) in at(series, new)?.iter().zip(at_mut(memos, new)?) {
            memo.refresh(store.view(), series, method, &question)?;
        }
        *side = new as u32;
        *filling = 0;
        Ok(())
    }
}
