//! A machine over time: what of it is free from each instant on.

use super::grid::{self, LONGEST, POINTS};
use crate::heap::insert;
use bytemuck::{Pod, Zeroable};

/// The free part of a machine at an instant: a number of processors, or what nodes have left.
pub(crate) trait Free: Copy {
    /// The part that a job takes.
    type Demand: Copy + Default + PartialEq;
    /// The amount of it that each part of the machine could give a job.
    type Rooms: Copy;

    /// The rooms for a job at this instant; `None` if it does not fit.
    fn rooms(&self, demand: &Self::Demand) -> Option<Self::Rooms>;

    /// Narrows rooms to what they have at another instant too; returns whether the job fits in what is left.
    fn narrow(rooms: &mut Self::Rooms, other: &Self::Rooms, demand: &Self::Demand) -> bool;

    /// Takes what a job has in these rooms.
    fn take(&mut self, demand: &Self::Demand, rooms: &Self::Rooms);

    /// Whether nothing is free.
    fn is_exhausted(&self) -> bool;
}

impl Free for u32 {
    type Demand = u32;
    type Rooms = ();

    #[inline]
    fn rooms(&self, demand: &u32) -> Option<()> {
        (self >= demand).then_some(())
    }

    #[inline]
    fn narrow(_rooms: &mut (), _other: &(), _demand: &u32) -> bool {
        true
    }

    #[inline]
    fn take(&mut self, demand: &u32, _rooms: &()) {
        *self = self.saturating_sub(*demand);
    }

    fn is_exhausted(&self) -> bool {
        *self == 0
    }
}

/// Where a job fits: from this instant on, over the steps from `first` until before `last`, in these rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place<Rooms> {
    pub(crate) start: u32,
    first: usize,
    last: usize,
    rooms: Rooms,
}

/// When a job ends, at the last instant at the latest.
#[inline]
fn end_of(start: u32, run_time: u32) -> u32 {
    start.saturating_add(run_time).min(LONGEST)
}

/// Steps in increasing order of time, each with what is free from it on. After the last nothing changes.
pub(crate) trait Profile: Pod {
    /// See [`Free`].
    type Free: Free;

    /// The instants, and what is free from each on; those behind the count mean nothing.
    fn steps(&self) -> (&[u32; POINTS], &[Self::Free; POINTS], usize);

    /// The same, to be changed.
    fn steps_mut(&mut self) -> (&mut [u32; POINTS], &mut [Self::Free; POINTS], &mut u32);

    /// Becomes that profile; what lies behind its last step is not copied.
    #[inline]
    fn copy(&mut self, other: &Self) {
        let (times, free, count) = other.steps();
        let (to_times, to_free, to_count) = self.steps_mut();
        let steps = times.iter().zip(free).take(count);
        for ((to_time, to_free), (time, free)) in to_times.iter_mut().zip(to_free).zip(steps) {
            (*to_time, *to_free) = (*time, *free);
        }
        *to_count = count as u32;
    }

    /// The free part now.
    fn idle(&self) -> &Self::Free {
        &self.steps().1[0]
    }

    /// The earliest place of a job, not before `from`: what it takes is free over all of its run time. `None` if it
    /// never is. One pass over the steps.
    #[inline]
    fn earliest(&self, demand: &Demand<Self>, run_time: u32, from: u32) -> Option<Place<Rooms<Self>>> {
        let (times, free, count) = self.steps();
        let mut place: Option<(usize, u32, Rooms<Self>)> = None;
        let steps = times.iter().zip(free).take(count);
        for (number, (&time, here)) in steps.enumerate() {
            match place {
                Some((first, start, rooms)) if time >= end_of(start, run_time) => {
                    return Some(Place { start, first, last: number, rooms });
                }
                _ => {}
            }
            place = match (place, here.rooms(demand).filter(|_| time >= from)) {
                (_, None) => None,
                (None, Some(rooms)) => Some((number, time, rooms)),
                (Some((first, start, mut narrowed)), Some(rooms)) => {
                    if Self::Free::narrow(&mut narrowed, &rooms, demand) {
                        Some((first, start, narrowed))
                    } else {
                        Some(self.latest(first, number, rooms, demand))
                    }
                }
            };
        }
        place.map(|(first, start, rooms)| Place { start, first, last: count, rooms })
    }

    /// The first step behind `first` from which on a job has room until `last`, where these are its rooms.
    fn latest(
        &self,
        first: usize,
        last: usize,
        rooms: Rooms<Self>,
        demand: &Demand<Self>,
    ) -> (usize, u32, Rooms<Self>) {
        let (times, free, _) = self.steps();
        let mut found = (last, times.get(last).copied().unwrap_or(LONGEST), rooms);
        for number in (first + 1..last).rev() {
            let step = times.get(number).zip(free.get(number).and_then(|free| free.rooms(demand)));
            let Some((&time, rooms)) = step else { break };
            let mut narrowed = found.2;
            if !Self::Free::narrow(&mut narrowed, &rooms, demand) {
                break;
            }
            found = (number, time, narrowed);
        }
        found
    }

    /// The place of a job that is known to fit at this step's instant; `None` if it does not.
    #[inline]
    fn at(&self, start: u32, demand: &Demand<Self>, run_time: u32) -> Option<Place<Rooms<Self>>> {
        let (times, free, count) = self.steps();
        let first = times.get(..count)?.partition_point(|&time| time < start);
        let mut rooms = free.get(first)?.rooms(demand)?;
        let steps = times.iter().zip(free).take(count).skip(first);
        let mut last = first;
        for (_, here) in steps.take_while(|&(&time, _)| time < end_of(start, run_time)) {
            if last > first {
                Self::Free::narrow(&mut rooms, &here.rooms(demand)?, demand);
            }
            last += 1;
        }
        Some(Place { start, first, last, rooms })
    }

    /// Takes what a job has over its run time, until the first instant after it.
    #[inline]
    fn take(&mut self, place: &Place<Rooms<Self>>, demand: &Demand<Self>, run_time: u32) {
        let end = grid::up(end_of(place.start, run_time));
        if place.start >= LONGEST {
            return;
        }
        let (times, free, steps) = self.steps_mut();
        let count = *steps as usize;
        let there = times.get(place.last).copied().filter(|_| place.last < count);
        if there != Some(end) {
            let before = place.last.checked_sub(1).and_then(|last| free.get(last)).copied();
            let slots = times.get_mut(..=count).zip(free.get_mut(..=count)).zip(before);
            if let Some(((times, free), before)) = slots {
                insert(times, place.last, end);
                insert(free, place.last, before);
                *steps += 1;
            }
        }
        for free in free.get_mut(place.first..place.last).unwrap_or(&mut []) {
            free.take(demand, &place.rooms);
        }
    }

    /// The first step's instant after this one.
    fn next(&self, instant: u32) -> Option<u32> {
        let (times, _, count) = self.steps();
        times.iter().take(count).copied().find(|&time| time > instant)
    }

    /// Number of steps, to which the cost of a search is proportional.
    fn count(&self) -> u32 {
        self.steps().2 as u32
    }
}

/// The demand of a job on a profile.
pub(crate) type Demand<P> = <<P as Profile>::Free as Free>::Demand;

/// See [`Free::Rooms`].
pub(crate) type Rooms<P> = <<P as Profile>::Free as Free>::Rooms;

/// Number of free processors from each instant on.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Counted {
    times: [u32; POINTS],
    free: [u32; POINTS],
    count: u32,
    reserved: u32,
}

impl Profile for Counted {
    type Free = u32;

    #[inline]
    fn steps(&self) -> (&[u32; POINTS], &[u32; POINTS], usize) {
        (&self.times, &self.free, self.count as usize)
    }

    #[inline]
    fn steps_mut(&mut self) -> (&mut [u32; POINTS], &mut [u32; POINTS], &mut u32) {
        (&mut self.times, &mut self.free, &mut self.count)
    }

    /// The same as by default; numbers need no rooms, and two plain loops take a third of the time.
    #[inline]
    fn earliest(&self, demand: &u32, run_time: u32, from: u32) -> Option<Place<()>> {
        let count = self.count as usize;
        let (times, free) = (self.times.get(..count)?, self.free.get(..count)?);
        let mut first = if from == 0 { 0 } else { times.partition_point(|&time| time < from) };
        loop {
            first += free.get(first..)?.iter().position(|free| free >= demand)?;
            let start = *times.get(first)?;
            let end = end_of(start, run_time);
            let steps = times.get(first + 1..)?.iter().zip(free.get(first + 1..)?);
            let room = steps.take_while(|&(&time, free)| time < end && free >= demand).count();
            let last = first + 1 + room;
            match times.get(last) {
                Some(&time) if time < end => first = last + 1,
                _ => return Some(Place { start, first, last, rooms: () }),
            }
        }
    }
}

impl Counted {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(idle: u32, ends: &[(u32, u32)]) -> Counted {
        let mut releases = [0; POINTS];
        for &(end, processors) in ends {
            releases[grid::number(grid::up(end))] += processors;
        }
        let mut profile: Counted = Zeroable::zeroed();
        profile.fill(idle, &releases);
        profile
    }

    #[test]
    fn finds_the_earliest_place() {
        let profile = profile(2, &[(10, 3), (20, 5)]);
        let start =
            |processors, run_time| profile.earliest(&processors, run_time, 0).map(|place| place.start);
        assert_eq!(start(2, 1000), Some(0));
        assert_eq!(start(5, 1), Some(10));
        assert_eq!(start(6, 1), Some(20));
        assert_eq!(start(10, 1), Some(20));
        assert_eq!(start(11, 1), None);
        assert_eq!(*profile.idle(), 2);
    }

    #[test]
    fn what_is_taken_is_free_again_afterwards() {
        let mut profile = profile(4, &[(10, 4)]);
        let place = profile.earliest(&3, 5, 0).unwrap();
        profile.take(&place, &3, 5);
        assert_eq!(*profile.idle(), 1);
        assert_eq!(profile.earliest(&2, 4, 0).unwrap().start, 5);
        assert_eq!(profile.earliest(&1, 1000, 0).unwrap().start, 0);
        let place = profile.earliest(&5, 100, 0).unwrap();
        assert_eq!((place.start, place), (10, profile.at(10, &5, 100).unwrap()));
        profile.take(&place, &5, 100);
        // 110 s is rounded up to 112.
        assert_eq!(profile.earliest(&4, 200, 0).unwrap().start, 112);
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
                let place = profile.earliest(&processors, run_time, 0);
                assert_eq!(place.map(|place| place.start as usize), expected);
                let Some(place) = place else { continue };
                assert_eq!(Some(place), profile.at(place.start, &processors, run_time));
                profile.take(&place, &processors, run_time);
                let end = grid::up(place.start + run_time) as usize;
                naive[place.start as usize..end].iter_mut().for_each(|free| *free -= processors);
            }
        }
    }
}
