//! The queue of a scenario as a tree: the first job in any order among those that fit.
//!
//! A priority changes as jobs wait, so that a list of it would be put in order at every instant. A pass needs the head
//! job alone, and the first candidate that may start. The queued jobs lie in blocks of eight, divided by processors,
//! planned run time and submission in turn (a k-d tree: Bentley 1975). A place of the tree has the least of each of
//! these, of the sizes and of the numbers of the jobs below it: no job below it comes before one with all of that, nor
//! fits where that one does not. A search passes a place over when that is not before the first job found so far.

use crate::error::{Error, Result};
use crate::forecast::object::{BLOCK, End, Forecast, Least, Queued, blocks};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::schedule::Priority;
use arrayvec::ArrayVec;
use core::cmp::Ordering;

/// Most places that a search leaves for later: one a level, which 2^20 jobs have eighteen of.
const LEVELS: usize = 24;

impl Least {
    /// That of no jobs.
    const NONE: Least = Least {
        planned: i64::MAX,
        submit: i64::MAX,
        sizes: [f64::INFINITY; 2],
        job: u32::MAX,
        processors: u32::MAX,
    };

    /// That of both.
    fn and(&self, other: &Least) -> Least {
        let ([a, b], [c, d]) = (self.sizes, other.sizes);
        let less = |a: f64, b: f64| if b < a { b } else { a };
        Least {
            planned: self.planned.min(other.planned),
            submit: self.submit.min(other.submit),
            sizes: [less(a, c), less(b, d)],
            job: self.job.min(other.job),
            processors: self.processors.min(other.processors),
        }
    }

    /// A job with all of this at this second of a scenario.
    fn entry(&self, order: &Order, time: i64) -> Queued {
        let [queue, candidates] = self.sizes;
        let size = if order.own { candidates } else { queue };
        let value = order.priority.value_at(size, time.saturating_sub(self.submit), order.front);
        Queued { value, planned: self.planned, job: self.job, processors: self.processors }
    }
}

/// An order of the queued jobs.
pub(super) struct Order {
    /// Whether it has the sizes of the candidates, not those of the queue.
    own: bool,
    priority: Priority,
    front: f64,
}

impl Forecast<'_> {
    /// The order of the queue.
    pub(super) fn by_queue(&self) -> Order {
        Order { own: false, priority: self.state.options.queue, front: self.state.options.front }
    }

    /// The order in which candidates are tried.
    pub(super) fn by_candidates(&self) -> Order {
        let options = &self.state.options;
        if !options.own_candidates() {
            return self.by_queue();
        }
        let priority = if options.by_priority() { options.candidates } else { Priority::SUBMISSION };
        Order { own: true, priority, front: f64::INFINITY }
    }

    /// The same of a waiting job alone.
    fn of(&self, job: u32) -> Result<Least> {
        let Queued { planned, processors, .. } = self.queued(job)?;
        let known = at(self.parts.jobs, self.state.capacity.running as usize + job as usize)?;
        Ok(Least { planned, submit: known.submit, sizes: known.sizes, job, processors })
    }

    /// Lays the jobs that can start at all out below the tree, which all scenarios share.
    pub(super) fn lay_out(&mut self) -> Result<()> {
        let able = self.state.scene.able as usize;
        let mut width = self.last_places() * BLOCK;
        for level in 0.. {
            if width <= BLOCK {
                break;
            }
            for place in 0..able {
                let Least { planned, submit, processors, .. } = self.of(at(self.parts.ranked, place)?.job)?;
                at_mut(self.parts.ranked, place)?.time = match level % 3 {
                    0 => i64::from(processors),
                    1 => planned,
                    _ => submit,
                };
            }
            let mut first = 0;
            while first < able {
                heap::sort(range_mut(self.parts.ranked, first, width.min(able - first))?)?;
                first += width;
            }
            width /= 2;
        }
        for place in 0..able {
            *at_mut(self.parts.places, at(self.parts.ranked, place)?.job as usize)? = place as u32;
        }
        Ok(())
    }

    fn last_places(&self) -> usize {
        blocks(self.state.scene.able.min(self.state.capacity.waiting) as usize)
    }

    /// The jobs below a last place.
    fn block(&self, block: usize) -> Result<&[End]> {
        let able = self.state.scene.able as usize;
        let first = (block * BLOCK).min(able);
        range(self.parts.ranked, first, (able - first).min(BLOCK))
    }

    /// The queued jobs below a last place.
    fn below(&self, block: usize) -> Result<impl Iterator<Item = Result<Least>>> {
        let waits = |end: &&End| self.waits(end.job).unwrap_or(false);
        Ok(self.block(block)?.iter().filter(waits).map(|end| self.of(end.job)))
    }

    /// The least of the jobs below a place, from the two places below it where it is not a last one.
    fn least(&self, place: usize) -> Result<Least> {
        match place.checked_sub(self.last_places()) {
            Some(block) => self.below(block)?.try_fold(Least::NONE, |least, job| Ok(least.and(&job?))),
            None => Ok(at(self.parts.tree, 2 * place)?.and(at(self.parts.tree, 2 * place + 1)?)),
        }
    }

    /// Makes the tree for the jobs that wait when a scenario begins.
    pub(super) fn grow(&mut self) -> Result<()> {
        for place in (1..2 * self.last_places()).rev() {
            *at_mut(self.parts.tree, place)? = self.least(place)?;
        }
        Ok(())
    }

    /// Gives a job another state.
    pub(super) fn change(&mut self, job: u32, status: u32) -> Result<()> {
        *at_mut(self.parts.status, job as usize)? = status;
        let mut place = self.last_places() + *at(self.parts.places, job as usize)? as usize / BLOCK;
        while place > 0 {
            let least = self.least(place)?;
            if core::mem::replace(at_mut(self.parts.tree, place)?, least) == least {
                break;
            }
            place /= 2;
        }
        Ok(())
    }

    /// Fewest processors that a queued job needs; `u32::MAX` where none is queued.
    pub(super) fn narrowest(&self) -> Result<u32> {
        Ok(at(self.parts.tree, 1)?.processors)
    }

    /// The first queued job in this order that fits. Where `fits` holds for processors and a planned run time, it holds
    /// for less of them. Adds the places looked at to `work`.
    pub(super) fn first(
        &self,
        order: &Order,
        fits: impl Fn(u32, i64) -> bool,
        work: &mut u64,
    ) -> Result<Option<Queued>> {
        let (time, last) = (self.state.scene.time, self.last_places());
        let mut best: Option<Queued> = None;
        let mut later = ArrayVec::<(Queued, usize), LEVELS>::new();
        let bound = |place: usize| -> Result<Option<(Queued, usize)>> {
            let least = at(self.parts.tree, place)?;
            let any = least.processors < u32::MAX && fits(least.processors, least.planned);
            Ok(any.then(|| (least.entry(order, time), place)))
        };
        let mut next = bound(1)?;
        while let Some((bounds, place)) = next.take().or_else(|| later.pop()) {
            *work += 1;
            if best.is_some_and(|best| best <= bounds) {
                continue;
            }
            if let Some(block) = place.checked_sub(last) {
                for job in self.below(block)? {
                    let job = job?;
                    if fits(job.processors, job.planned) {
                        let entry = job.entry(order, time);
                        best = Some(best.map_or(entry, |best| best.min(entry)));
                    }
                }
                continue;
            }
            let other;
            (next, other) = match (bound(2 * place)?, bound(2 * place + 1)?) {
                (Some(a), Some(b)) if b.0.cmp(&a.0) == Ordering::Less => (Some(b), Some(a)),
                (Some(a), b) => (Some(a), b),
                (None, b) => (b, None),
            };
            if let Some(other) = other {
                later.try_push(other).map_err(|_| Error::Corrupt)?;
            }
        }
        Ok(best)
    }
}
