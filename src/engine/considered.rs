//! The waiting jobs of a scenario that its decisions consider: all of them, or the most urgent ones of a long queue.

use super::forecast::{CHEAPER, Cheaper, LATER, STARTED, StartForecast, State, span};
use crate::error::Result;
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::plan::{LONGEST, Rank, pressing, take_first};

/// Number of the jobs that have waited longest and are always considered, but behind those of higher classes.
const LONGEST_WAITS: usize = 8;

/// Seconds after which the considered jobs are chosen anew, and the share of the scenario's time so far after which
/// they are: what is urgent changes as all wait, first quickly, then slowly.
const AGAIN: (u32, u32) = (1800, 8);

impl StartForecast<'_> {
    /// Whether the forecast is a cheaper one, as more than 256 jobs wait (under EASY 1,024): its decisions try no
    /// changes of the order (EASY has none), lie 1/64 of the mean run time apart (1/256), and consider the 512 most
    /// urgent jobs (the first 4,096, in regions all). Its levels are a little worse.
    pub fn is_simplified(&self) -> bool {
        self.state.queued > self.cheaper().above
    }

    fn cheaper(&self) -> &'static Cheaper {
        let [plan, easy, in_regions] = &CHEAPER;
        match self.state.easy {
            0 => plan,
            _ if self.is_divided() => in_regions,
            _ => easy,
        }
    }

    /// Seconds between two decisions of a scenario, at least.
    pub(super) fn pace(&self) -> Result<u32> {
        if !self.is_simplified() {
            return Ok(0);
        }
        let queued = range(self.parts.queued, 0, self.state.queued as usize)?;
        let sum: u64 = queued.iter().map(|job| u64::from(job.mean)).sum();
        let mean = sum.checked_div(u64::from(self.state.queued)).unwrap_or(0);
        Ok(span(mean.checked_div(self.cheaper().share).unwrap_or(mean) as i64))
    }

    /// Removes the jobs that have started from the queue, and chooses those that are considered: under EASY the first,
    /// under a plan the most pressing ones. O(W + 512 log W), under EASY O(W).
    pub(super) fn choose(&mut self) -> Result<()> {
        let mut live = 0;
        for place in 0..self.state.waiting as usize {
            let job = *at(self.parts.waiting, place)?;
            if job.run != STARTED {
                if live < place {
                    *at_mut(self.parts.waiting, live)? = job;
                }
                live += 1;
            }
        }
        (self.state.waiting, self.state.live) = (live as u32, live as u32);
        let count = live.min(self.cheaper().considered as usize);
        let considered = range_mut(self.parts.considered, 0, count)?;
        considered.iter_mut().zip(0..).for_each(|(considered, number)| *considered = number);
        self.state.considered = count as u32;
        (self.state.choose_at, self.state.least_other) = (u32::MAX, u32::MAX);
        if count < live && self.state.easy == 0 {
            self.choose_pressing(live, count)?;
            let (seconds, share) = AGAIN;
            let State { time, .. } = *self.state;
            self.state.choose_at = time.saturating_add(seconds.max(time / share));
        }
        Ok(())
    }

    /// Chooses the most pressing ones among the jobs that wait, by class: half of them of all jobs, and the others, as
    /// far as there are such, of those that fit what is free, which start while the former wait.
    fn choose_pressing(&mut self, waiting: usize, count: usize) -> Result<()> {
        let State { time, free, .. } = *self.state;
        let ranked = range_mut(self.parts.ranked, 0, waiting)?;
        for (number, (rank, job)) in ranked.iter_mut().zip(&*self.parts.waiting).enumerate() {
            let waited = span(job.waited.saturating_add(time.into()));
            let counted = waited.saturating_add(span(job.credit)).min(LONGEST);
            // The queue is in the order of submission.
            let key = if number < LONGEST_WAITS { i64::MIN } else { pressing(job.mean, counted) };
            *rank = Rank { class: -i64::from(job.tier), key, job: number as u64 };
        }
        let first = count / 2;
        take_first(ranked, first)?;
        let others = range_mut(ranked, 0, waiting - first)?;
        let widths = &*self.parts.waiting;
        let width = |rank: &Rank| widths.get(rank.job as usize).map_or(u32::MAX, |job| job.processors);
        for rank in others.iter_mut().filter(|rank| width(rank) > free) {
            // Behind all classes.
            rank.class = rank.class.saturating_add(1 << 32);
        }
        take_first(others, count - first)?;
        let left = range(others, 0, waiting - count)?;
        self.state.least_other = left.iter().map(width).min().unwrap_or(u32::MAX);
        let considered = range_mut(self.parts.considered, 0, count)?;
        for (considered, rank) in considered.iter_mut().zip(range(ranked, waiting - count, count)?) {
            *considered = rank.job as u32;
        }
        heap::sort(considered)
    }

    /// A job has joined the queue at this place: it is considered, unless it lies behind all of those under EASY.
    pub(super) fn consider(&mut self, place: u32) -> Result<()> {
        let count = self.state.considered as usize;
        let mut behind = 0;
        for number in range_mut(self.parts.considered, 0, count)?.iter_mut().rev() {
            if *number < place {
                break;
            }
            *number = number.saturating_add(1);
            behind += 1;
        }
        let others = self.state.considered < self.state.live;
        self.state.live = self.state.live.saturating_add(1);
        if others && self.state.easy != 0 && behind == 0 {
            return Ok(());
        }
        let most = (self.cheaper().considered + LATER) as usize;
        match self.parts.considered.get_mut(..=count).filter(|_| count < most) {
            Some(considered) => {
                heap::insert(considered, count - behind, place);
                self.state.considered = self.state.considered.saturating_add(1);
            }
            None => self.state.choose_at = 0,
        }
        Ok(())
    }

    /// Keeps enough jobs considered, after starts; returns whether others are to be considered now.
    pub(super) fn keep_considering(&mut self) -> Result<bool> {
        if self.state.considered == self.state.live {
            return self.choose().map(|()| false);
        }
        let few = self.state.considered < self.cheaper().considered / 2;
        if few {
            self.state.choose_at = 0;
        }
        Ok(few)
    }

    /// Chooses the considered jobs anew where it is time, or where others alone fit the free units; returns whether one
    /// that is considered does.
    pub(super) fn reconsider(&mut self) -> Result<bool> {
        if self.state.time >= self.state.choose_at {
            self.choose()?;
        }
        if !self.any_fits()? && self.state.free >= self.state.least_other {
            self.choose()?;
        }
        self.any_fits()
    }

    /// Whether a considered job fits the free units.
    fn any_fits(&self) -> Result<bool> {
        for &number in range(self.parts.considered, 0, self.state.considered as usize)? {
            if at(self.parts.waiting, number as usize)?.processors <= self.state.free {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
