//! Clusters of like jobs: the intervals of an attribute that explain the waits (Nurmi, Brevik & Wolski 2007, section
//! 3.4).
//!
//! Within an interval waits are taken as exponential, floored at 1 s (a zero would make the likelihood infinite). With
//! n waits of sum S, the largest log-likelihood is -n ln(S / n) - n; merging two neighbours loses
//!
//! ```text
//! (n1 + n2) ln((S1 + S2) / (n1 + n2)) - n1 ln(S1 / n1) - n2 ln(S2 / n2)
//! ```
//!
//! of it. Agglomeration starts from the distinct values of the attribute and always merges the neighbours with the
//! smallest loss; pairs with a member that is too small for a useful history come first, so that in the end none is
//! left. The number of clusters k maximises the Bayes information criterion, log L - (2k - 1) / 2 ln n, with log L
//! divided by the waits' dispersion ([`View::dispersion`](crate::wait::history::View::dispersion)): waits are neither
//! independent nor exponential, jobs of one burst wait together, and counting every one as independent finds as many
//! clusters as are allowed (16, where the paper reports three to five). Every boundary is then moved to where, between
//! its two neighbours, the likelihood is largest: single values that happened to look like the other side do not stay
//! there.
//!
//! O(d log d) for d distinct values, in steps of O(log d) that can be done a few at a time.

use crate::error::{Error, Result};
use crate::memory::{at, at_mut};
use crate::wait::tree::{Pool, Tree};
use bytemuck::{Pod, Zeroable};

/// The largest number of clusters.
pub const MAX_CLUSTERS: usize = 16;

/// Intervals of the attribute: cluster i holds the values above the bound before it and up to its own; the last has no
/// bound.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Intervals {
    bounds: [u64; MAX_CLUSTERS],
    /// Clusters less one.
    inner: u32,
    reserved: u32,
}

impl Intervals {
    /// Everything in one cluster.
    pub(super) fn whole() -> Intervals {
        Intervals { bounds: [u64::MAX; MAX_CLUSTERS], inner: 0, reserved: 0 }
    }

    pub(super) fn clusters(&self) -> usize {
        self.bounds().len() + 1
    }

    /// The largest attribute of each cluster but the last, ascending.
    pub(super) fn bounds(&self) -> &[u64] {
        self.bounds.get(..self.inner as usize).unwrap_or_default()
    }

    /// The cluster of an attribute.
    pub(super) fn of(&self, attribute: u64) -> usize {
        self.bounds().iter().take_while(|bound| **bound < attribute).count()
    }
}

/// Data of one value of the attribute beside its count: the sum of the waits.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Group {
    sum: u64,
    /// Next in the list of groups given back, plus one.
    next: u32,
    reserved: u32,
}

/// The distinct values of the attribute among all records. All zero: no values.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Values {
    tree: Tree,
    given_back: u32,
    fresh: u32,
}

/// The values with the memory that holds them.
pub(super) struct Census<'s, 'a> {
    pub values: &'s mut Values,
    pub groups: &'s mut [Group],
    pub pool: &'s mut Pool<'a>,
}

/// A wait as the likelihood takes it.
fn floored(wait: u64) -> u64 {
    wait.max(1)
}

impl Census<'_, '_> {
    fn group(&mut self, attribute: u64) -> Result<Option<u32>> {
        let found = self.pool.read().at_least(&self.values.tree, attribute)?;
        Ok(found.filter(|found| found.key == attribute).map(|found| found.link))
    }

    pub(super) fn add(&mut self, attribute: u64, wait: u64) -> Result<()> {
        let link = match self.group(attribute)? {
            Some(link) => link,
            None => {
                let link = match self.values.given_back.checked_sub(1) {
                    Some(link) => {
                        self.values.given_back = at(self.groups, link as usize)?.next;
                        link
                    }
                    None => {
                        self.values.fresh = self.values.fresh.checked_add(1).ok_or(Error::Corrupt)?;
                        self.values.fresh - 1
                    }
                };
                *at_mut(self.groups, link as usize)? = Group::zeroed();
                link
            }
        };
        let group = at_mut(self.groups, link as usize)?;
        group.sum = group.sum.wrapping_add(floored(wait));
        self.pool.insert(&mut self.values.tree, attribute, link)
    }

    pub(super) fn remove(&mut self, attribute: u64, wait: u64) -> Result<()> {
        let link = self.group(attribute)?.ok_or(Error::Corrupt)?;
        let group = at_mut(self.groups, link as usize)?;
        group.sum = group.sum.wrapping_sub(floored(wait));
        if self.pool.remove(&mut self.values.tree, attribute)?.is_some() {
            group.next = self.values.given_back;
            self.values.given_back = link.checked_add(1).ok_or(Error::Corrupt)?;
        }
        Ok(())
    }

    /// Forgets all values.
    pub(super) fn clear(&mut self) -> Result<()> {
        self.pool.clear(&mut self.values.tree)?;
        *self.values = Values::default();
        Ok(())
    }

    /// The first value from `attribute` on: value, number and sum of its waits.
    fn next(&self, attribute: u64) -> Result<Option<(u64, Mass)>> {
        let Some(found) = self.pool.read().at_least(&self.values.tree, attribute)? else { return Ok(None) };
        let sum = at(self.groups, found.link as usize)?.sum;
        Ok(Some((found.key, Mass { count: u64::from(found.count), sum })))
    }
}

/// Number and sum of some waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
struct Mass {
    count: u64,
    sum: u64,
}

impl Mass {
    fn and(self, other: Mass) -> Mass {
        Mass { count: self.count.wrapping_add(other.count), sum: self.sum.wrapping_add(other.sum) }
    }

    fn without(self, other: Mass) -> Mass {
        Mass { count: self.count.saturating_sub(other.count), sum: self.sum.saturating_sub(other.sum) }
    }

    /// n ln(S / n): the log-likelihood is minus this, less n.
    fn surprise(self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let n = self.count as f64;
        // Waits are at least 1 s.
        n * libm::log((self.sum as f64 / n).max(1.0))
    }
}

/// A cluster during agglomeration, and the pair that it forms with its right neighbour.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Item {
    /// The largest attribute.
    key: u64,
    mass: Mass,
    surprise: f64,
    /// Loss of log-likelihood by merging with the right neighbour.
    loss: f64,
    /// Neighbours, plus one.
    left: u32,
    right: u32,
    /// Place in the heap, plus one; 0 for the last item, which has no right neighbour.
    place: u32,
    /// 1 if both members of the pair are large enough.
    large: u32,
}

impl Item {
    /// Whether this pair is merged before that one.
    fn before(&self, other: &Item) -> bool {
        (self.large, self.loss) < (other.large, other.loss)
    }
}

/// Phases of an agglomeration.
const IDLE: u32 = 0;
const COLLECTING: u32 = 1;
const MERGING: u32 = 2;
const MEASURING: u32 = 3;
const MOVING: u32 = 4;

/// One of the last merges: the log-likelihood it lost, and the boundary it removed.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Merge {
    bound: u64,
    loss: f64,
}

/// The state of an agglomeration. All zero: no agglomeration is under way.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Agglomeration {
    phase: u32,
    /// Number of items made, and of clusters left of them.
    items: u32,
    clusters: u32,
    heap: u32,
    /// The next attribute value to visit.
    cursor: u64,
    /// Everything visited.
    total: Mass,
    /// The merge that took away the k-th cluster, for k = 2, 3...
    merges: [Merge; MAX_CLUSTERS + 1],
    intervals: Intervals,
    /// Gain of the chosen clusters over a single one, in log-likelihood and in the criterion.
    pub gain: f64,
    pub criterion: f64,
    /// Number of waits that carry the information of one independent exponential wait.
    dispersion: f64,
    /// State of moving boundaries: the boundary, the two clusters' mass, that of the values passed, and the best place
    /// so far.
    boundary: u32,
    reserved: u32,
    both: Mass,
    passed: Mass,
    best_loss: f64,
    best_bound: u64,
}

impl Agglomeration {
    /// Starts anew; `dispersion` waits carry the information of one independent exponential wait.
    pub(super) fn begin(&mut self, dispersion: f64) {
        *self = Agglomeration { phase: COLLECTING, dispersion, ..Agglomeration::zeroed() };
    }

    pub(super) fn is_idle(&self) -> bool {
        self.phase == IDLE
    }
}

/// An agglomeration with its memory.
pub(super) struct Workshop<'s> {
    pub state: &'s mut Agglomeration,
    pub items: &'s mut [Item],
    pub heap: &'s mut [u32],
    /// The smallest cluster.
    pub fewest: u64,
    /// The largest number of clusters.
    pub most: usize,
}

impl Workshop<'_> {
    /// One step of work, O(log d). Returns the intervals when they are found.
    pub(super) fn step(&mut self, census: &Census) -> Result<Option<Intervals>> {
        match self.state.phase {
            COLLECTING => self.collect(census)?,
            MERGING => self.merge()?,
            MEASURING => self.measure(census)?,
            MOVING => return self.move_boundary(census),
            _ => {}
        }
        Ok(None)
    }

    fn item(&self, index: u32) -> Result<&Item> {
        at(self.items, index as usize)
    }

    fn item_mut(&mut self, index: u32) -> Result<&mut Item> {
        at_mut(self.items, index as usize)
    }

    /// Makes one more distinct value an item.
    fn collect(&mut self, census: &Census) -> Result<()> {
        let Some((key, mass)) = census.next(self.state.cursor)? else {
            self.state.clusters = self.state.items;
            self.state.phase = MERGING;
            return Ok(());
        };
        self.state.cursor = key.saturating_add(1);
        self.state.total = self.state.total.and(mass);
        let index = self.state.items;
        if index as usize >= self.items.len() {
            // Values came and went while they were collected, more than there are records: the rest joins the last
            // item.
            let last = self.item_mut(index.checked_sub(1).ok_or(Error::Corrupt)?)?;
            last.key = key;
            last.mass = last.mass.and(mass);
            last.surprise = last.mass.surprise();
            let before = last.left;
            return if before == 0 { Ok(()) } else { self.rate(before - 1) };
        }
        *self.item_mut(index)? = Item { key, mass, surprise: mass.surprise(), left: index, ..Item::zeroed() };
        self.state.items = index + 1;
        if let Some(before) = index.checked_sub(1) {
            self.item_mut(before)?.right = index + 1;
            let place = self.state.heap;
            self.state.heap += 1;
            *at_mut(self.heap, place as usize)? = before;
            self.item_mut(before)?.place = place + 1;
            self.rate(before)?;
        }
        Ok(())
    }

    /// Computes the loss of merging an item with its right neighbour, and puts the pair in its place in the heap.
    fn rate(&mut self, index: u32) -> Result<()> {
        let item = *self.item(index)?;
        let right = *self.item(item.right.wrapping_sub(1))?;
        let loss = item.mass.and(right.mass).surprise() - item.surprise - right.surprise;
        let large = item.mass.count >= self.fewest && right.mass.count >= self.fewest;
        let item = self.item_mut(index)?;
        item.loss = loss;
        item.large = u32::from(large);
        self.settle(index)
    }

    fn at_place(&self, place: u32) -> Result<(u32, &Item)> {
        let index = *at(self.heap, place as usize)?;
        Ok((index, self.item(index)?))
    }

    fn put(&mut self, place: u32, index: u32) -> Result<()> {
        *at_mut(self.heap, place as usize)? = index;
        self.item_mut(index)?.place = place + 1;
        Ok(())
    }

    /// Moves an item's pair up or down the heap, until it is after its parent and before its children.
    fn settle(&mut self, index: u32) -> Result<()> {
        let item = *self.item(index)?;
        let mut place = item.place.checked_sub(1).ok_or(Error::Corrupt)?;
        while place > 0 {
            let above = (place - 1) / 2;
            let (parent, other) = self.at_place(above)?;
            if !item.before(other) {
                break;
            }
            self.put(place, parent)?;
            place = above;
        }
        loop {
            let mut below = 2 * place + 1;
            if below >= self.state.heap {
                break;
            }
            if below + 1 < self.state.heap && self.at_place(below + 1)?.1.before(self.at_place(below)?.1) {
                below += 1;
            }
            let (child, other) = self.at_place(below)?;
            if !other.before(&item) {
                break;
            }
            self.put(place, child)?;
            place = below;
        }
        self.put(place, index)
    }

    /// Takes an item's pair out of the heap.
    fn withdraw(&mut self, index: u32) -> Result<()> {
        let place = self.item(index)?.place.checked_sub(1).ok_or(Error::Corrupt)?;
        self.item_mut(index)?.place = 0;
        self.state.heap = self.state.heap.checked_sub(1).ok_or(Error::Corrupt)?;
        if place < self.state.heap {
            let last = *at(self.heap, self.state.heap as usize)?;
            self.put(place, last)?;
            self.settle(last)?;
        }
        Ok(())
    }

    /// Merges the first pair of the heap; after the last one, chooses the number of clusters.
    fn merge(&mut self) -> Result<()> {
        if self.state.heap == 0 {
            return self.choose();
        }
        let (index, _) = self.at_place(0)?;
        let item = *self.item(index)?;
        let right_index = item.right.checked_sub(1).ok_or(Error::Corrupt)?;
        let right = *self.item(right_index)?;
        if let Some(merge) = self.state.merges.get_mut(self.state.clusters as usize) {
            // A merge that was forced because of a small cluster can not be undone.
            let loss = if item.large == 1 { item.loss } else { f64::NEG_INFINITY };
            *merge = Merge { bound: item.key, loss };
        }
        self.state.clusters = self.state.clusters.saturating_sub(1);
        if right.right != 0 {
            self.withdraw(right_index)?;
            self.item_mut(right.right - 1)?.left = index + 1;
        }
        let mass = item.mass.and(right.mass);
        let merged = self.item_mut(index)?;
        merged.key = right.key;
        merged.mass = mass;
        merged.surprise = mass.surprise();
        merged.right = right.right;
        if right.right == 0 {
            self.withdraw(index)?;
        } else {
            self.rate(index)?;
        }
        if let Some(left) = item.left.checked_sub(1) {
            self.rate(left)?;
        }
        Ok(())
    }

    /// The number of clusters with the best criterion, and their boundaries.
    fn choose(&mut self) -> Result<()> {
        // In units of log-likelihood, so that gain and criterion keep their meaning.
        let penalty = self.state.dispersion * libm::log((self.state.total.count as f64).max(1.0));
        let (mut gain, mut best, mut chosen) = (0.0, 0.0, 1);
        let last = self.most.min(MAX_CLUSTERS).min(self.state.items as usize + 1);
        let merges = self.state.merges;
        for (k, merge) in merges.iter().enumerate().take(last + 1).skip(2) {
            if merge.loss == f64::NEG_INFINITY {
                break;
            }
            gain += merge.loss;
            let criterion = gain - (k - 1) as f64 * penalty;
            if k <= self.state.items as usize && criterion > best {
                (best, chosen) = (criterion, k);
            }
        }
        let mut intervals = Intervals::whole();
        for merge in merges.iter().take(chosen + 1).skip(2) {
            // Inserts the boundary in order.
            let mut bound = merge.bound;
            for slot in &mut intervals.bounds {
                if bound < *slot {
                    core::mem::swap(slot, &mut bound);
                }
            }
            intervals.inner += 1;
        }
        self.state.intervals = intervals;
        self.state.boundary = 0;
        self.state.criterion = best;
        self.state.gain = best + (chosen - 1) as f64 * penalty;
        self.start_boundary();
        Ok(())
    }

    /// The attributes above which the boundary may move, and up to which its right neighbour reaches.
    fn surroundings(&self) -> (u64, u64) {
        let bounds = self.state.intervals.bounds();
        let index = self.state.boundary as usize;
        let low = index
            .checked_sub(1)
            .and_then(|before| bounds.get(before))
            .map_or(0, |bound| bound.saturating_add(1));
        (low, bounds.get(index + 1).copied().unwrap_or(u64::MAX))
    }

    fn start_boundary(&mut self) {
        let (low, _) = self.surroundings();
        let state = &mut *self.state;
        state.phase = MEASURING;
        state.cursor = low;
        state.both = Mass::default();
        state.passed = Mass::default();
        state.best_loss = f64::NEG_INFINITY;
        state.best_bound = state.intervals.bounds().get(state.boundary as usize).copied().unwrap_or(u64::MAX);
    }

    /// Adds one more value of the two clusters beside a boundary to their total.
    fn measure(&mut self, census: &Census) -> Result<()> {
        let (low, high) = self.surroundings();
        match census.next(self.state.cursor)?.filter(|(key, _)| *key <= high) {
            Some((key, mass)) if (self.state.boundary as usize) < self.state.intervals.bounds().len() => {
                self.state.both = self.state.both.and(mass);
                self.state.cursor = key.saturating_add(1);
            }
            _ => {
                self.state.phase = MOVING;
                self.state.cursor = low;
            }
        }
        Ok(())
    }

    /// Passes one more value of the two clusters and moves the boundary behind it if that is better.
    fn move_boundary(&mut self, census: &Census) -> Result<Option<Intervals>> {
        if self.state.boundary as usize >= self.state.intervals.bounds().len() {
            self.state.phase = IDLE;
            return Ok(Some(self.state.intervals));
        }
        let (_, high) = self.surroundings();
        let next = census.next(self.state.cursor)?.filter(|(key, _)| *key < high);
        if let Some((key, mass)) = next {
            let state = &mut *self.state;
            state.cursor = key.saturating_add(1);
            state.passed = state.passed.and(mass);
            let rest = state.both.without(state.passed);
            if state.passed.count >= self.fewest && rest.count >= self.fewest {
                let loss = state.both.surprise() - state.passed.surprise() - rest.surprise();
                if loss > state.best_loss {
                    state.best_loss = loss;
                    state.best_bound = key;
                }
            }
            return Ok(None);
        }
        let state = &mut *self.state;
        *at_mut(&mut state.intervals.bounds, state.boundary as usize)? = state.best_bound;
        state.boundary += 1;
        self.start_boundary();
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
