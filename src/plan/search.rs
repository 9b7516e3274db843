//! The search for a cheap order: list schedules of the window, each job at the earliest instant at which it fits beside
//! those before it.

use super::cost::{Costs, ln};
use super::grid::LONGEST;
use super::profile::{Demand, Free, Profile};
use crate::heap::insert;
use crate::math::mix::{GOLDEN, finalise};

/// Most jobs that are put in order; the others follow.
pub const WINDOW: usize = 64;

/// Profiles are kept before every fourth place of the present order: a changed order is looked at from there on.
const STRIDE: usize = 4;

/// Number of profiles kept: one before each stride.
pub(super) const SNAPSHOTS: usize = WINDOW / STRIDE;

/// A job of the window, but for its demand.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Entry {
    /// Its width for the first orders.
    pub(super) processors: u32,
    /// Seconds that it is expected to run, 1 to [`LONGEST`].
    pub(super) run_time: u32,
    /// Its time limit in seconds, on which nothing but a guard looks.
    pub(super) limit: u32,
    /// It must not start before this instant.
    pub(super) from: u32,
    /// Whether it must not start in this pass, for a reason that is not the plan's.
    pub(super) later: bool,
    /// Seconds that it counts as having waited.
    pub(super) waited: u32,
    /// Jobs of smaller classes come first in every order.
    pub(super) class: i64,
}

impl Entry {
    /// Whether an order stays as it is for all others where the two jobs, which have like demands, change places.
    fn is_like(&self, other: &Entry) -> bool {
        self.run_time == other.run_time
            && self.class == other.class
            && self.limit == other.limit
            && self.from == other.from
            && self.later == other.later
    }
}

/// An order of the window: the entries' numbers, as many as there are entries.
pub(super) type Order = [u8; WINDOW];

/// The numbers in the order of the entries themselves.
pub(super) const SAME: Order = {
    let mut order = [0; WINDOW];
    let mut place = 0;
    while place < WINDOW {
        order[place] = place as u8;
        place += 1;
    }
    order
};

/// The orders from which the search begins, beside the kept one and that of submission: by run time; by area; by the
/// root of the run time, aged; by run time, wide jobs somewhat earlier, aged; by width, widest first. Logarithms in
/// 2^-24 where they are products.
pub(super) const KEYS: usize = 5;

/// The job's key for one of these orders, smaller ones first.
pub(super) fn key(entry: &Entry, order: usize) -> i64 {
    let run_time = || ln(entry.run_time) as i64;
    let width = || ln(entry.processors) as i64;
    match order {
        0 => i64::from(entry.run_time),
        1 => run_time() + width(),
        2 => run_time() / 2 - 2 * aged(entry.waited, 7200),
        3 => run_time() - width() * 3 / 10 - 2 * aged(entry.waited, 14_400),
        _ => -i64::from(entry.processors),
    }
}

/// Urgency of a job, smaller values first: r / (1 + w / 2 h)^2, as a logarithm in 2^-24.
pub(crate) fn pressing(run_time: u32, waited: u32) -> i64 {
    ln(run_time) as i64 - 2 * aged(waited, 7200)
}

/// ln(1 + waited / unit), in 2^-24.
fn aged(waited: u32, unit: u32) -> i64 {
    ln(unit.saturating_add(waited)) as i64 - ln(unit) as i64
}

/// Exchanges two elements.
fn exchange<T: Copy>(slots: &mut [T], one: usize, other: usize) {
    if let (Some(&here), Some(&there)) = (slots.get(one), slots.get(other)) {
        slots.get_mut(one).into_iter().for_each(|slot| *slot = there);
        slots.get_mut(other).into_iter().for_each(|slot| *slot = here);
    }
}

/// The window, the present order and its schedule.
pub(super) struct Search<'s, P: Profile> {
    entries: &'s [Entry],
    /// Their demands.
    demands: &'s [Demand<P>],
    costs: Costs,
    /// The profile before places 0, 4, 8 and so on of the present order.
    snapshots: &'s mut [P; SNAPSHOTS],
    /// The profile of what is being tried; directly after [`Search::settle`] the one behind the whole window.
    scratch: &'s mut P,
    order: Order,
    /// By entry: its start in the present order.
    starts: [u32; WINDOW],
    /// By entry: the cost of its start as if it waited alone, which no order can better.
    alone: [u64; WINDOW],
    /// The sum of these.
    all_alone: u64,
    /// The cost of the jobs before places 0, 4, 8 and so on, and what it would be if each were alone.
    before: [(u64, u64); SNAPSHOTS],
    value: u64,
    random: u64,
    evaluations: u32,
    steps: u64,
}

impl<'s, P: Profile> Search<'s, P> {
    /// `snapshots[0]` is the profile of what runs.
    pub(super) fn new(
        (entries, demands): (&'s [Entry], &'s [Demand<P>]),
        costs: Costs,
        snapshots: &'s mut [P; SNAPSHOTS],
        scratch: &'s mut P,
        random: u64,
    ) -> Search<'s, P> {
        let mut alone = [0; WINDOW];
        let mut all_alone = 0_u64;
        for (alone, (entry, demand)) in alone.iter_mut().zip(entries.iter().zip(demands)) {
            let start = snapshots[0].earliest(demand, entry.run_time, entry.from);
            let start = start.map_or(LONGEST, |place| place.start);
            *alone = costs.of(entry.waited.saturating_add(start));
            all_alone = all_alone.saturating_add(*alone);
        }
        Search {
            entries,
            demands,
            costs,
            snapshots,
            scratch,
            order: SAME,
            starts: [LONGEST; WINDOW],
            alone,
            all_alone,
            before: [(0, 0); SNAPSHOTS],
            value: u64::MAX,
            random,
            evaluations: 0,
            steps: 0,
        }
    }

    /// The entries in the order of these keys within their classes, equal ones in the order of the entries.
    pub(super) fn sorted(&self, key: impl Fn(usize) -> i64) -> Order {
        let (mut keys, mut order) = ([0; WINDOW], [0; WINDOW]);
        for ((number, entry), slot) in self.entries.iter().enumerate().zip(0..WINDOW as u8) {
            let own = (entry.class, key(number));
            keys.iter_mut().skip(number).take(1).for_each(|key| *key = own.1);
            // Those sorted so far are entries before this one.
            let before = |&other: &u8| {
                let other = usize::from(other);
                let theirs = self.entries.get(other).zip(keys.get(other));
                theirs.is_some_and(|(entry, &key)| (entry.class, key) <= own)
            };
            let place = order.get(..number).unwrap_or(&[]).partition_point(before);
            insert(order.get_mut(..=number).unwrap_or(&mut []), place, slot);
        }
        order
    }

    /// Tries an order; it becomes the present one if it is cheaper.
    pub(super) fn offer(&mut self, order: &Order) {
        let whole = self.entries.len().saturating_sub(1);
        if self.evaluate(order, 0, whole).is_some() {
            self.settle(order, 0);
        }
    }

    /// Tries this number of changes of the present order, each kept if it makes the order cheaper: every second one
    /// takes a job that fits the idle processors but is not planned for now and brings it nearer to the front, the
    /// others exchange or move any two of one class, those near the front more often.
    pub(super) fn propose(&mut self, proposals: u32) {
        let count = self.entries.len();
        // The place at which the class of each place begins.
        let mut begins = [0_u8; WINDOW];
        let (mut class, mut begin) = (None, 0);
        for (place, (begins, &entry)) in begins.iter_mut().zip(&self.order).take(count).enumerate() {
            let own = self.entries.get(usize::from(entry)).map(|entry| entry.class);
            if own != class {
                (class, begin) = (own, place);
            }
            *begins = begin as u8;
        }
        let begin_of = |place: usize| begins.get(place).map_or(place, |&begin| usize::from(begin));
        for round in 0..proposals {
            let directed = if round % 2 == 1 { self.directed(count, begin_of) } else { None };
            let (x, y) = directed.unwrap_or_else(|| {
                let y = self.below(count);
                let (a, b) = (self.draw(), self.draw());
                let x = (((a * b) >> 32) * count as u64) >> 32;
                let (x, y) = (y.min(x as usize), y.max(x as usize));
                (x.max(begin_of(y)), y)
            });
            let exchange = self.draw() & 1 == 1;
            if x >= y {
                continue;
            }
            let mut order = self.order;
            let inside = order.get_mut(x..=y).unwrap_or(&mut []);
            let mut carried = inside.last().copied().unwrap_or(0);
            if let (true, [first, .., last]) = (exchange, &mut *inside) {
                core::mem::swap(first, last);
            } else {
                inside.iter_mut().for_each(|slot| core::mem::swap(slot, &mut carried));
            }
            if self.evaluate(&order, x, y).is_some() {
                self.settle(&order, x);
            }
        }
    }

    /// Two places: the later one, uniformly drawn, of a job that fits the idle processors now but is not planned for
    /// now; the earlier one uniform before it in its class.
    fn directed(&mut self, count: usize, begin_of: impl Fn(usize) -> usize) -> Option<(usize, usize)> {
        let idle = *self.snapshots[0].idle();
        let mut places = [0_u8; WINDOW];
        let mut found = 0;
        for (place, &number) in self.order.iter().take(count).enumerate() {
            let number = usize::from(number);
            let job = self.entries.get(number).zip(self.demands.get(number));
            let fits = job.is_some_and(|(entry, demand)| entry.from == 0 && idle.rooms(demand).is_some());
            let later = self.starts.get(number).is_some_and(|&start| start > 0);
            if fits && later && begin_of(place) < place {
                places.iter_mut().skip(found).take(1).for_each(|slot| *slot = place as u8);
                found += 1;
            }
        }
        if found == 0 {
            return None;
        }
        let drawn = self.below(found);
        let y = usize::from(places.get(drawn).copied().unwrap_or(0));
        let begin = begin_of(y);
        Some((begin + self.below(y.saturating_sub(begin)), y))
    }

    /// Cost of an order that is the present one but for places `x` to `y`: nothing if it is not cheaper than the
    /// present one.
    fn evaluate(&mut self, order: &Order, x: usize, y: usize) -> Option<u64> {
        self.evaluations += 1;
        let from = x / STRIDE;
        let &(mut value, mut alone) = self.before.get(from)?;
        let mut same = true;
        self.scratch.copy(self.snapshots.get(from)?);
        let rest = order.iter().take(self.entries.len()).enumerate().skip(from * STRIDE);
        for (place, &number) in rest {
            let number = usize::from(number);
            let (entry, demand) = (self.entries.get(number)?, self.demands.get(number)?);
            let &before = self.starts.get(number)?;
            self.steps += u64::from(self.scratch.count());
            let found = if place < x {
                self.scratch.at(before, demand, entry.run_time).filter(|_| before < LONGEST)
            } else {
                self.scratch.earliest(demand, entry.run_time, entry.from)
            };
            let mut start = LONGEST;
            if let Some(found) = found {
                self.scratch.take(&found, demand, entry.run_time);
                start = found.start;
            }
            value = value.saturating_add(self.costs.of(entry.waited.saturating_add(start)));
            alone = alone.saturating_add(*self.alone.get(number)?);
            // No job that follows can start earlier than alone.
            if value.saturating_add(self.all_alone.saturating_sub(alone)) >= self.value {
                return None;
            }
            same &= start == before;
            // Where no job starts otherwise, nothing that follows changes; before the first order there is nothing to
            // compare.
            if place == y && same && self.value < u64::MAX {
                return None;
            }
        }
        Some(value)
    }

    /// Makes an order the present one that is the present one before place `x`.
    fn settle(&mut self, order: &Order, x: usize) {
        self.order = *order;
        let from = x / STRIDE;
        let Some((mut value, mut alone)) = self.before.get(from).copied() else { return };
        if let Some(snapshot) = self.snapshots.get(from) {
            self.scratch.copy(snapshot);
        }
        let rest = order.iter().take(self.entries.len()).enumerate().skip(from * STRIDE);
        for (place, &number) in rest {
            let number = usize::from(number);
            let job = self.entries.get(number).zip(self.demands.get(number));
            let Some((entry, demand)) = job else { return };
            if place % STRIDE == 0 && place > from * STRIDE {
                let kept = (self.snapshots.get_mut(place / STRIDE), self.before.get_mut(place / STRIDE));
                if let (Some(snapshot), Some(before)) = kept {
                    snapshot.copy(self.scratch);
                    *before = (value, alone);
                }
            }
            self.steps += u64::from(self.scratch.count());
            let mut start = LONGEST;
            if let Some(found) = self.scratch.earliest(demand, entry.run_time, entry.from) {
                self.scratch.take(&found, demand, entry.run_time);
                start = found.start;
            }
            if let Some(slot) = self.starts.get_mut(number) {
                *slot = start;
            }
            value = value.saturating_add(self.costs.of(entry.waited.saturating_add(start)));
            alone = alone.saturating_add(self.alone.get(number).copied().unwrap_or(0));
        }
        self.value = value;
    }

    /// Gives the places of like jobs to them in turn: those that count as having waited longer before others, equal
    /// ones as they were submitted. Of two short waits the cost's logarithm would rather make the longer one longer.
    pub(super) fn take_turns(&mut self) {
        for place in 0..self.entries.len() {
            let Some(&own) = self.order.get(place) else { return };
            let job = self.entries.get(usize::from(own)).zip(self.demands.get(usize::from(own)));
            let Some((entry, demand)) = job else { return };
            let turn = |entry: &Entry, number: u8| (core::cmp::Reverse(entry.waited), number);
            let mut first = (turn(entry, own), place);
            for (later, &number) in self.order.iter().enumerate().take(self.entries.len()).skip(place + 1) {
                let Some(other) = self.entries.get(usize::from(number)) else { return };
                if other.is_like(entry) && self.demands.get(usize::from(number)) == Some(demand) {
                    first = first.min((turn(other, number), later));
                }
            }
            let other = self.order.get(first.1).copied().unwrap_or(own);
            exchange(&mut self.order, place, first.1);
            exchange(&mut self.starts, usize::from(own), usize::from(other));
        }
    }

    /// The entries in the present order, with their starts.
    pub(super) fn schedule(&self) -> impl Iterator<Item = (usize, u32)> {
        let numbers = self.order.iter().take(self.entries.len()).map(|&number| usize::from(number));
        numbers.map(|number| (number, self.starts.get(number).copied().unwrap_or(LONGEST)))
    }

    /// The profile of what is free beside the whole window.
    pub(super) fn into_profile(mut self) -> &'s mut P {
        // The order tried last lies in the scratch profile.
        let order = self.order;
        self.settle(&order, self.entries.len().saturating_sub(1));
        self.scratch
    }

    /// The generator's state.
    pub(super) fn random(&self) -> u64 {
        self.random
    }

    /// Orders looked at, and steps of profiles.
    pub(super) fn work(&self) -> (u32, u64) {
        (self.evaluations, self.steps)
    }

    /// 32 bits of SplitMix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(GOLDEN);
        finalise(self.random) >> 32
    }

    /// A number below `count`, 0 for none.
    fn below(&mut self, count: usize) -> usize {
        ((self.draw() * count as u64) >> 32) as usize
    }
}
