//! How many processors are free from which instant on.

use super::grid::{self, LONGEST, POINTS};
use crate::heap::insert;
use bytemuck::{Pod, Zeroable};

/// Steps in increasing order of time, each with the processors that are free from it on. After the last nothing
/// changes.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Profile {
    times: [u32; POINTS],
    free: [u32; POINTS],
    count: u32,
    reserved: u32,
}

/// Where a job fits: from this instant on, over the steps from `first` until before `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: u32,
    first: usize,
    last: usize,
}

/// When a job ends, at the last instant at the latest.
#[inline]
fn end_of(start: u32, run_time: u32) -> u32 {
    start.saturating_add(run_time).min(LONGEST)
}

impl Profile {
    /// `idle` processors now, and those that are released at each instant, by its number.
    pub(super) fn fill(&mut self, idle: u32, releases: &[u32; POINTS]) {
        let mut count = 0;
        let mut free = idle;
        let slots = self.times.iter_mut().zip(&mut self.free);
        let changes = releases.iter().enumerate().filter(|&(number, &released)| number == 0 || released > 0);
        for ((time, slot), (number, &released)) in slots.zip(changes) {
            free = free.saturating_add(released);
            (*time, *slot) = (grid::instant(number), free);
            count += 1;
        }
        self.count = count;
    }

    /// Becomes that profile; what lies behind its last step is not copied.
    #[inline]
    pub(super) fn copy(&mut self, other: &Profile) {
        let steps = other.times.iter().zip(&other.free).take(other.count as usize);
        for ((to_time, to_free), (time, free)) in self.times.iter_mut().zip(&mut self.free).zip(steps) {
            (*to_time, *to_free) = (*time, *free);
        }
        self.count = other.count;
    }

    /// Processors that are free now.
    pub(super) fn idle(&self) -> u32 {
        self.free[0]
    }

    /// The earliest place of a job, not before `from`: its processors are free over all of its run time. `None` if they
    /// are never free together. One pass over the steps.
    #[inline]
    pub(super) fn earliest(&self, processors: u32, run_time: u32, from: u32) -> Option<Place> {
        let count = self.count as usize;
        let mut place: Option<(usize, u32)> = None;
        let steps = self.times.iter().zip(&self.free).take(count);
        for (number, (&time, &free)) in steps.enumerate() {
            match place {
                Some((first, start)) if time >= end_of(start, run_time) => {
                    return Some(Place { start, first, last: number });
                }
                _ => {}
            }
            if free < processors || time < from {
                place = None;
            } else if place.is_none() {
                place = Some((number, time));
            }
        }
        place.map(|(first, start)| Place { start, first, last: count })
    }

    /// The place of a job that is known to fit at this step's instant.
    #[inline]
    pub(super) fn at(&self, start: u32, run_time: u32) -> Place {
        let times = self.times.iter().take(self.count as usize);
        let first = times.clone().take_while(|&&time| time < start).count();
        let inside = times.skip(first).take_while(|&&time| time < end_of(start, run_time)).count();
        Place { start, first, last: first + inside }
    }

    /// Takes the processors of a job away over its run time, until the first instant after it.
    #[inline]
    pub(super) fn take(&mut self, place: &Place, processors: u32, run_time: u32) {
        let end = grid::up(end_of(place.start, run_time));
        if place.start >= LONGEST {
            return;
        }
        let count = self.count as usize;
        let there = self.times.get(place.last).copied().filter(|_| place.last < count);
        if there != Some(end) {
            let before = place.last.checked_sub(1).and_then(|last| self.free.get(last)).copied().unwrap_or(0);
            if let (Some(times), Some(free)) = (self.times.get_mut(..=count), self.free.get_mut(..=count)) {
                insert(times, place.last, end);
                insert(free, place.last, before);
                self.count += 1;
            }
        }
        for free in self.free.get_mut(place.first..place.last).unwrap_or(&mut []) {
            *free = free.saturating_sub(processors);
        }
    }

    /// How many steps there are: what a search costs.
    pub(super) fn steps(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(idle: u32, ends: &[(u32, u32)]) -> Profile {
        let mut releases = [0; POINTS];
        for &(end, processors) in ends {
            releases[grid::number(grid::up(end))] += processors;
        }
        let mut profile: Profile = Zeroable::zeroed();
        profile.fill(idle, &releases);
        profile
    }

    #[test]
    fn finds_the_earliest_place() {
        let profile = profile(2, &[(10, 3), (20, 5)]);
        let start = |processors, run_time| profile.earliest(processors, run_time, 0).map(|place| place.start);
        assert_eq!(start(2, 1000), Some(0));
        assert_eq!(start(5, 1), Some(10));
        assert_eq!(start(6, 1), Some(20));
        assert_eq!(start(10, 1), Some(20));
        assert_eq!(start(11, 1), None);
        assert_eq!(profile.idle(), 2);
    }

    #[test]
    fn what_is_taken_is_free_again_afterwards() {
        let mut profile = profile(4, &[(10, 4)]);
        let place = profile.earliest(3, 5, 0).unwrap();
        profile.take(&place, 3, 5);
        assert_eq!(profile.idle(), 1);
        assert_eq!(profile.earliest(2, 4, 0).unwrap().start, 5);
        assert_eq!(profile.earliest(1, 1000, 0).unwrap().start, 0);
        let place = profile.earliest(5, 100, 0).unwrap();
        assert_eq!((place.start, place), (10, profile.at(10, 100)));
        profile.take(&place, 5, 100);
        // 110 s is rounded up to 112.
        assert_eq!(profile.earliest(4, 200, 0).unwrap().start, 112);
    }

    /// A profile of every second, and jobs in any order.
    #[test]
    fn agrees_with_a_profile_of_every_second() {
        let mut random = 5_u64;
        let mut below = |count: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((random >> 33) % u64::from(count)) as u32
        };
        for _ in 0..50 {
            const END: usize = 4000;
            let idle = below(20);
            let ends: std::vec::Vec<(u32, u32)> =
                (0..below(15)).map(|_| (1 + below(600), 1 + below(9))).collect();
            let mut profile = profile(idle, &ends);
            let mut naive = std::vec![idle; END];
            for &(end, processors) in &ends {
                naive[grid::up(end) as usize..].iter_mut().for_each(|free| *free += processors);
            }
            for _ in 0..12 {
                let (processors, run_time) = (1 + below(12), 1 + below(300));
                let fits = |start: usize| {
                    let end = (start + run_time as usize).min(END);
                    naive[start..end].iter().all(|&free| free >= processors)
                };
                let expected = (0..3000).find(|&start| fits(start));
                let place = profile.earliest(processors, run_time, 0);
                assert_eq!(place.map(|place| place.start as usize), expected);
                let Some(place) = place else { continue };
                assert_eq!(place, profile.at(place.start, run_time));
                profile.take(&place, processors, run_time);
                let end = grid::up(place.start + run_time) as usize;
                naive[place.start as usize..end].iter_mut().for_each(|free| *free -= processors);
            }
        }
    }
}
