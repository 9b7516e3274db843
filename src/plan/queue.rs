//! The waiting jobs in the cheapest order found, whatever the machine is made of.

use super::cost::Costs;
use super::grid::LONGEST;
use super::guard::{Guarded, Until};
use super::profile::{Demand, Free, Profile};
use super::rule::{NO_BUDGET, PlanRule};
use super::search::{Entry, KEYS, SNAPSHOTS, Search, WINDOW, key, pressing};
use super::waiting::{Waiting, head, longest_but, median};
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range_mut};
use crate::schedule::RecentWaits;
use bytemuck::{Pod, Zeroable};

/// Number of profiles that a plan has room for: those of the search, and one beside them.
pub(crate) const PROFILES: usize = SNAPSHOTS + 1;

/// A waiting job's rank for the window, smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ranked {
    pub(crate) class: i64,
    pub(crate) key: i64,
    pub(crate) job: u64,
}

/// The first of these ranks, `count` of them, behind a heap of the others. O(n + count log n).
pub(crate) fn take_first(ranked: &mut [Ranked], count: usize) -> Result<&mut [Ranked]> {
    let others = ranked.len().checked_sub(count).ok_or(Error::Corrupt)?;
    if others > 0 {
        heap::build(ranked)?;
        for left in (others..ranked.len()).rev() {
            let taken = heap::pop(range_mut(ranked, 0, left + 1)?)?;
            *at_mut(ranked, left)? = taken;
        }
    }
    range_mut(ranked, others, count)
}

/// The part of a plan that is kept from pass to pass.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct KeptOrder {
    /// The generator's state.
    random: u64,
    count: u32,
    reserved: u32,
    /// The ids of the last plan's window in its order.
    ids: [i64; WINDOW],
}

impl KeptOrder {
    /// No order yet.
    pub(crate) fn new(seed: u64) -> KeptOrder {
        KeptOrder { random: seed, ..KeptOrder::zeroed() }
    }

    /// The same order, with another generator for each number but 0.
    pub(crate) fn varied(&self, number: u32) -> KeptOrder {
        let mixed = if number == 0 { 0 } else { crate::math::mix::finalise(number.into()) };
        KeptOrder { random: self.random ^ mixed, ..*self }
    }

    /// Whether it can be.
    pub(crate) fn is_sound(&self) -> bool {
        self.count as usize <= WINDOW
    }

    /// The jobs in it.
    pub(crate) fn ids(&self) -> &[i64] {
        self.ids.get(..self.count as usize).unwrap_or(&[])
    }

    /// Whether all of these jobs are in order.
    pub(crate) fn holds(&self, mut ids: impl Iterator<Item = i64>) -> bool {
        ids.all(|id| self.ids().contains(&id))
    }
}

/// The bound on the wait of a guarded job, this share of its wait longer.
fn until(job: &Waiting, share: f64) -> Until {
    let Waiting { promised, waited, .. } = *job;
    let longer = Until::Longer { promised, waited, share: (share * 256.0) as u32 };
    if share > 0.0 { longer } else { Until::Earliest }
}

/// The waiting jobs of a pass, and the memory in which they are put in order.
pub(crate) struct Queue<'q, P: Profile> {
    /// The order of the last pass; the new one afterwards.
    pub(crate) kept: &'q mut KeptOrder,
    /// [`PROFILES`] of them: the first is what is free beside what runs.
    pub(crate) profiles: &'q mut [P],
    /// Room for the demands of the window.
    pub(crate) demands: &'q mut [Demand<P>],
    /// In the order of submission.
    pub(crate) waiting: &'q mut [Waiting],
    /// The same length as `waiting`, and so is `placed`: the jobs that were given a place, in the plan's order.
    pub(crate) ranked: &'q mut [Ranked],
    pub(crate) placed: &'q mut [u32],
}

/// A queue in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arranged {
    /// The job that is in front of all others, or else the head job, where that is guarded.
    pub(crate) guarded: Option<Guarded>,
    /// Number of jobs that were given a place.
    pub(crate) placed: u32,
    pub(crate) evaluations: u32,
    pub(crate) steps: u64,
}

impl<P: Profile> Queue<'_, P> {
    /// Puts the queue in order and gives every job of the window a place; the others follow as long as anything is
    /// free. `demand` says of the job of this number what it takes and from which instant on it may have that: `true`
    /// for those of the window.
    pub(crate) fn arrange(
        &mut self,
        rule: &PlanRule,
        recent: &RecentWaits,
        counted: &RecentWaits,
        demand: impl FnMut(usize, &Waiting, bool) -> Result<(Demand<P>, u32)>,
    ) -> Result<Arranged> {
        let (median, median_counted) =
            (median(self.waiting, |job| job.waited), median(self.waiting, |job| job.counted));
        let front_after = rule.long_waits(recent, median)?.front;
        let steep = rule.long_waits(counted, median_counted)?.steep;
        let longest = longest_but(self.waiting, None);
        let is = |job: &usize, is: &dyn Fn(&Waiting) -> bool| at(self.waiting, *job).is_ok_and(is);
        let head = if rule.budget < NO_BUDGET { head(self.waiting) } else { None };
        let promised = head.filter(|job| is(job, &|job| job.promised != 0));
        let due = promised.filter(|job| is(job, &|job| job.waited >= job.promised));
        let front = due.or(longest.filter(|job| is(job, &|job| job.waited >= front_after)));
        // A promise binds whatever passes the head job, beside another job in front as well.
        let guarded = match (promised.filter(|head| front != Some(*head)), front, head) {
            (None, Some(front), _) => Some((front, until(at(self.waiting, front)?, rule.slack))),
            (Some(head), ..) | (None, None, Some(head)) => {
                Some((head, until(at(self.waiting, head)?, rule.budget)))
            }
            (None, None, None) => None,
        };
        let window = self.rank(longest, head, front)?;
        let found = self.search(rule, &Costs::new(rule.short, rule.steep, steep), window, demand)?;
        Ok(Arranged { guarded, ..found })
    }

    /// Ranks the waiting jobs and takes those of the window out of the heap, in the order of submission; returns how
    /// many these are. They lie at the end of `ranked`, the heap of the others before them.
    fn rank(&mut self, longest: Option<usize>, head: Option<usize>, front: Option<usize>) -> Result<usize> {
        let count = self.waiting.len();
        let second = longest_but(self.waiting, longest);
        let ranked = range_mut(self.ranked, 0, count)?;
        for (number, (rank, job)) in ranked.iter_mut().zip(&*self.waiting).enumerate() {
            // The front job is the first of its tier.
            let class = -2 * i64::from(job.tier) + i64::from(front != Some(number));
            let always = [longest, second, head].contains(&Some(number));
            let key = if always { i64::MIN } else { pressing(job.run_time, job.counted) };
            *rank = Ranked { class, key, job: number as u64 };
        }
        let window = count.min(WINDOW);
        let inside = take_first(ranked, window)?;
        // In the order of submission, whatever the class: each order sorts by class itself.
        for end in 1..inside.len() {
            let rank = *at(inside, end)?;
            let place = inside.iter().take(end).take_while(|other| other.job < rank.job).count();
            heap::insert(inside.get_mut(..=end).unwrap_or(&mut []), place, rank);
        }
        Ok(window)
    }

    /// The window's schedule, then places for the others as long as anything is free.
    fn search(
        &mut self,
        rule: &PlanRule,
        costs: &Costs,
        window: usize,
        mut demand: impl FnMut(usize, &Waiting, bool) -> Result<(Demand<P>, u32)>,
    ) -> Result<Arranged> {
        let count = self.waiting.len();
        self.mark_kept(window)?;
        let mut entries = [Entry::default(); WINDOW];
        let mut kept = [0_u8; WINDOW];
        let demands = range_mut(self.demands, 0, window)?;
        let ranked = range_mut(self.ranked, 0, count)?;
        let inside = ranked.get(count - window..).ok_or(Error::Corrupt)?;
        let slots = entries.iter_mut().zip(&mut kept).zip(&mut *demands);
        for (((entry, kept), slot), rank) in slots.zip(inside) {
            let job = at(self.waiting, rank.job as usize)?;
            let (demand, from) = demand(rank.job as usize, job, true)?;
            *slot = demand;
            *entry = Entry {
                processors: job.processors,
                run_time: job.run_time,
                limit: job.limit,
                from,
                later: job.is_later(),
                waited: job.counted,
                class: rank.class,
            };
            // New jobs at the end.
            *kept = if job.kept == 0 { u8::MAX } else { job.kept as u8 };
        }
        let (snapshots, scratch) = self.profiles.split_at_mut_checked(SNAPSHOTS).ok_or(Error::Corrupt)?;
        let snapshots: &mut [P; SNAPSHOTS] = snapshots.try_into().map_err(|_| Error::Corrupt)?;
        let scratch = scratch.first_mut().ok_or(Error::Corrupt)?;
        let entries = entries.get(..window).ok_or(Error::Corrupt)?;
        let mut search = Search::new((entries, demands), *costs, snapshots, scratch, self.kept.random);
        let order = search.sorted(|entry| kept.get(entry).map_or(i64::MAX, |&kept| kept.into()));
        search.offer(&order);
        let order = search.sorted(|_| 0);
        search.offer(&order);
        for number in 0..KEYS {
            let order = search.sorted(|entry| entries.get(entry).map_or(0, |entry| key(entry, number)));
            search.offer(&order);
        }
        search.propose(rule.proposals);
        search.take_turns();

        self.kept.count = window as u32;
        let kept = self.kept.ids.iter_mut();
        for ((entry, start), (kept, placed)) in search.schedule().zip(kept.zip(self.placed.iter_mut())) {
            let number = at(inside, entry)?.job;
            let job = at_mut(self.waiting, number as usize)?;
            (job.start, *kept, *placed) = (start, job.id, number as u32);
        }
        let (evaluations, mut steps) = search.work();
        self.kept.random = search.random();
        let profile = search.into_profile();
        // Behind the last job that fits what is free now no place matters.
        let idle = *profile.idle();
        let fits = |demand: &Demand<P>, from| from == 0 && idle.rooms(demand).is_some();
        let mut fitting = 0;
        for rank in range_mut(ranked, 0, count - window)? {
            let (demand, from) = demand(rank.job as usize, at(self.waiting, rank.job as usize)?, false)?;
            fitting += u32::from(fits(&demand, from));
        }
        let mut placed = window;
        for left in (0..count - window).rev() {
            if fitting == 0 || profile.idle().is_exhausted() {
                break;
            }
            let rank = heap::pop(range_mut(ranked, 0, left + 1)?)?;
            let job = at_mut(self.waiting, rank.job as usize)?;
            job.start = LONGEST;
            steps += u64::from(profile.count());
            let (demand, from) = demand(rank.job as usize, job, false)?;
            fitting -= u32::from(fits(&demand, from));
            if let Some(place) = profile.earliest(&demand, job.run_time, from) {
                profile.take(&place, &demand, job.run_time);
                job.start = place.start;
            }
            *at_mut(self.placed, placed)? = rank.job as u32;
            placed += 1;
        }
        Ok(Arranged { guarded: None, placed: placed as u32, evaluations, steps })
    }

    /// Marks the jobs of the window with their places in the kept order, by a small hash table.
    fn mark_kept(&mut self, window: usize) -> Result<()> {
        const PLACES: usize = 4 * WINDOW;
        let home = |id: i64| (crate::math::mix::finalise(id as u64) as usize) % PLACES;
        let mut table = [0_u8; PLACES];
        let kept = self.kept.ids.get(..self.kept.count as usize).ok_or(Error::Corrupt)?;
        for (number, &id) in kept.iter().enumerate() {
            let mut place = home(id);
            while *at(&table, place)? != 0 {
                place = (place + 1) % PLACES;
            }
            *at_mut(&mut table, place)? = number as u8 + 1;
        }
        let count = self.waiting.len();
        for rank in self.ranked.get(count - window..count).ok_or(Error::Corrupt)? {
            let job = at_mut(self.waiting, rank.job as usize)?;
            let mut place = home(job.id);
            job.kept = 0;
            while let Some(number) = at(&table, place)?.checked_sub(1) {
                if *at(kept, usize::from(number))? == job.id {
                    job.kept = u32::from(number) + 1;
                    break;
                }
                place = (place + 1) % PLACES;
            }
        }
        Ok(())
    }
}
