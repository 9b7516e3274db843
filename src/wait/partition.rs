//! The partition of the history into clusters: waits go into their cluster's series, and in slices of work new clusters
//! are found and filled from the records, which then replace those in use.

use crate::error::{Error, Result};
use crate::memory::{at, at_mut};
use crate::runtime::MAX_SECONDS;
use crate::wait::choice::Found;
use crate::wait::clusters::{Census, MAX_CLUSTERS, Workshop};
use crate::wait::estimate::Memo;
use crate::wait::history::{Record, Series, Store, View};
use crate::wait::options::{Attribute, CLUSTER, Clustering, Features, TRIM};
use crate::wait::outage::judge;
use crate::wait::predictor::{State, WaitPredictor};
use crate::wait::tree::{Nodes, Pool};

/// Units of clustering work with every wait that becomes known, beside what the size of the history demands.
const SLICE: u64 = 64;

/// The attribute that makes the clusters of one of the two sides.
fn attribute_of(by: &[u32; 2], side: usize) -> Result<Attribute> {
    Attribute::from_number(*at(by, side)?).map_err(|_| Error::Corrupt)
}

impl WaitPredictor<'_> {
    /// Clusters the jobs again before it is time, or goes on with a clustering that is under way, for at most `work`
    /// steps of O(log n) each (at least 1, and no more than a whole clustering takes). After [`Clustering::Done`] the
    /// next call begins another. Waits may become known between two calls; they bring steps of their own.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for no work.
    pub fn recluster(&mut self, work: u64) -> Result<Clustering> {
        if work == 0 {
            return Err(Error::OutOfRange);
        }
        if self.state.capacity.clusters < 2 || !self.has(CLUSTER) {
            return Ok(Clustering::Idle);
        }
        // A damaged block must not keep it busy for ever.
        for _ in 0..work.min(self.clustering_steps().saturating_add(64)) {
            self.cluster_step(true)?;
            if !self.is_clustering() {
                return Ok(Clustering::Done);
            }
        }
        Ok(Clustering::More)
    }

    /// The attribute that makes the clusters in use.
    pub(super) fn attribute(&self) -> Result<Attribute> {
        attribute_of(&self.state.by, self.state.side as usize)
    }

    /// Place of the record with this number.
    pub(super) fn place(&self, number: u64) -> usize {
        // Never divides by 0: there is at least one record.
        number.checked_rem(self.parts.records.len() as u64).unwrap_or(0) as usize
    }

    /// Moves a wait into the history.
    pub(super) fn learn(&mut self, wait: u64, features: &Features) -> Result<()> {
        let (method, question) = (self.method()?, self.state.question);
        let (trimming, capacity) = (self.has(TRIM), self.parts.records.len() as u64);
        self.state.longest = self.state.longest.max(i64::try_from(wait).unwrap_or(MAX_SECONDS));
        let index = self.place(self.state.next);
        let full = self.state.next - self.state.oldest >= capacity;
        let gone = if full { Some(*at(self.parts.records, index)?) } else { None };
        let clustering = self.state.capacity.clusters > 1 && self.has(CLUSTER);

        let record = Record::new(wait, features.requested.unsigned_abs(), features.processors);
        let State { side, filling, intervals, by, series, memos, closed, spare, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let side = *side as usize;
        let sides = if *filling == 1 { [Some(side), Some(1 - side)] } else { [Some(side), None] };
        let mut changed = false;
        for side in sides.into_iter().flatten() {
            let (intervals, memos) = (at(intervals, side)?, at_mut(memos, side)?);
            let attribute = attribute_of(by, side)?;
            let series = at_mut(series, side)?;
            let mut store = Store { records: &mut *self.parts.records, pool: &mut pool };
            let cluster = intervals.of(attribute.of(features));
            let present = sides.first() == Some(&Some(side));
            if present && trimming {
                let (series, memo) = (at_mut(series, cluster)?, at(memos, cluster)?);
                changed = judge(store.view(), series, memo, wait, method, &question)?;
            }
            if let Some(gone) = &gone {
                let left = intervals.of(attribute.of(&Features::of(gone)));
                let series = at_mut(series, left)?;
                if series.oldest() == Some(index) {
                    store.drop_oldest(series)?;
                    if present && left != cluster {
                        at_mut(memos, left)?.refresh(store.view(), series, method, &question)?;
                    }
                }
            }
        }
        *at_mut(self.parts.records, index)? = record;
        for side in sides.into_iter().flatten() {
            let cluster = at(intervals, side)?.of(attribute_of(by, side)?.of(features));
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
            self.follow_census(gone.as_ref(), &record)?;
        }
        if full {
            self.state.oldest += 1;
        }
        self.state.next += 1;
        if clustering { self.cluster() } else { Ok(()) }
    }

    /// Does a slice of clustering, when it is time.
    fn cluster(&mut self) -> Result<()> {
        let state = &mut *self.state;
        state.since_clustering = state.since_clustering.saturating_add(1);
        let every = u64::from(state.recluster_every);
        // Fast enough to be done before it is time again.
        let steps = SLICE + self.clustering_steps().checked_div(every).unwrap_or(0);
        for _ in 0..steps {
            let begin = u64::from(self.state.since_clustering) >= every;
            if !self.cluster_step(begin)? {
                break;
            }
        }
        Ok(())
    }

    /// The steps of a whole clustering: at most 3 a value and 1 a record, and few more; where the attribute is chosen 3
    /// a value and 1 a record for each of the three, and 1 a record.
    fn clustering_steps(&self) -> u64 {
        (if self.is_choosing() { 13 } else { 4 }) * self.parts.records.len() as u64
    }

    /// Whether clusters are being looked for or filled.
    fn is_clustering(&self) -> bool {
        self.state.filling == 1 || !self.state.agglomeration.is_idle() || !self.state.choice.is_idle()
    }

    /// Does a step of the clustering under way, or begins one. Returns whether there was something to do.
    fn cluster_step(&mut self, begin: bool) -> Result<bool> {
        if self.state.filling == 1 {
            return self.fill().map(|()| true);
        }
        if !self.state.choice.is_idle() {
            if let Some(found) = self.choose_step()? {
                self.adopt(&found)?;
            }
            return Ok(true);
        }
        let (fewest, most) = (self.state.question.fewest, self.state.capacity.clusters as usize);
        let State { agglomeration, values, spare, since_clustering, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let census = Census { values, groups: self.parts.groups, pool: &mut pool };
        let (items, heap) = (&mut *self.parts.items, &mut *self.parts.item_heap);
        let mut workshop = Workshop { state: agglomeration, items, heap, fewest, most };
        if !workshop.state.is_idle() {
            if let Some(intervals) = workshop.step(&census)? {
                let found = Found::new(&self.state.agglomeration, self.state.attribute, intervals);
                self.adopt(&found)?;
            }
        } else if begin {
            *since_clustering = 0;
            let dispersion = self.dispersion()?;
            if self.is_choosing() {
                self.begin_choice(dispersion)?;
            } else {
                self.state.agglomeration.begin(dispersion);
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Number of the waits that count with the information of one independent exponential wait: the clusters' mean.
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

    /// Begins to fill the clusters of new intervals, unless they are the old ones.
    fn adopt(&mut self, found: &Found) -> Result<()> {
        let state = &mut *self.state;
        (state.gain, state.criterion) = (found.gain, found.criterion);
        let side = state.side as usize;
        let same = found.intervals.bounds() == at(&state.intervals, side)?.bounds();
        if same && found.attribute == *at(&state.by, side)? {
            return Ok(());
        }
        let other = 1 - side;
        *at_mut(&mut state.intervals, other)? = found.intervals;
        *at_mut(&mut state.by, other)? = found.attribute;
        state.closed = [0; MAX_CLUSTERS];
        state.filling = 1;
        state.filled_to = state.next;
        Ok(())
    }

    /// Moves one more record, the newest of those left, to its new cluster if it still counts, or while that has too
    /// little history. After the oldest the new clusters take over.
    pub(super) fn fill(&mut self) -> Result<()> {
        if self.state.filled_to <= self.state.oldest {
            return self.take_over();
        }
        self.state.filled_to -= 1;
        let number = self.state.filled_to;
        let (index, first) = (self.place(number), self.place(self.state.oldest));
        let records = self.parts.records.len();
        let State { side, intervals, by, series, closed, spare, oldest, question, .. } = &mut *self.state;
        let side = *side as usize;
        let record = at_mut(self.parts.records, index)?;
        let features = Features::of(record);
        let cluster_of =
            |side: usize| Ok::<_, Error>(at(intervals, side)?.of(attribute_of(by, side)?.of(&features)));
        let old = at(at(series, side)?, cluster_of(side)?)?;
        let counts_from = old.oldest().map(|place| {
            let distance = if place >= first { place - first } else { place + records - first };
            *oldest + distance as u64
        });
        if counts_from.is_none_or(|from| number < from) {
            record.set_outdated();
        }
        let cluster = cluster_of(1 - side)?;
        let open = !record.is_outdated() && *at(closed, cluster)? == 0;
        let new = at_mut(at_mut(series, 1 - side)?, cluster)?;
        if open || new.count() < question.fewest {
            let mut pool = Pool { nodes: self.parts.nodes, spare };
            Store { records: self.parts.records, pool: &mut pool }.add(new, index, false)?;
        }
        Ok(())
    }

    /// Replaces the old clusters by the new ones.
    fn take_over(&mut self) -> Result<()> {
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
