//! The whole machine's own resources over time, such as licences: running jobs give them back, planned jobs take them.

use crate::error::Result;
use crate::memory::Carver;
use crate::nodes::request::{Amounts, RawRequest};
use crate::plan::{LONGEST, POINTS, number, up};

/// The licences that are free from each instant of the grid on.
pub(crate) struct Licences<'a>(&'a mut [Amounts]);

impl<'a> Licences<'a> {
    pub(super) fn parts(carver: &mut Carver<'a>) -> Result<Licences<'a>> {
        Ok(Licences(carver.take(POINTS)?))
    }

    /// Begins with the amounts free now and the requests that are given back at their instants. O(instants + requests).
    pub(super) fn begin(
        &mut self,
        free: &Amounts,
        mut ends: impl Iterator<Item = Result<(u32, RawRequest)>>,
    ) -> Result<()> {
        self.0.iter_mut().for_each(|slot| *slot = Amounts::default());
        ends.try_for_each(|end| {
            let (instant, request) = end?;
            if let Some(slot) = self.0.get_mut(number(instant)) {
                slot.iter_mut().zip(request.pool).for_each(|(sum, more)| *sum = sum.saturating_add(more));
            }
            Ok(())
        })?;
        let mut free = *free;
        for slot in self.0.iter_mut() {
            free.iter_mut().zip(*slot).for_each(|(sum, more)| *sum = sum.saturating_add(more));
            *slot = free;
        }
        Ok(())
    }

    /// The instants from the start, which is one, until the first that is not before the end.
    fn span(&mut self, start: u32, run_time: u32) -> &mut [Amounts] {
        let end = up(start.saturating_add(run_time).min(LONGEST));
        self.0.get_mut(number(start)..number(end)).unwrap_or(&mut [])
    }

    /// Whether a job may run from this instant on. O(instants).
    pub(super) fn suffice(&mut self, request: &RawRequest, start: u32, run_time: u32) -> bool {
        let enough = |free: &Amounts| request.pool.iter().zip(free).all(|(need, free)| need <= free);
        !request.wants_pool() || self.span(start, run_time).iter().all(enough)
    }

    /// Takes the licences of a job from this instant to its end. O(instants).
    pub(super) fn take(&mut self, request: &RawRequest, start: u32, run_time: u32) {
        if request.wants_pool() {
            for free in self.span(start, run_time) {
                free.iter_mut().zip(request.pool).for_each(|(free, need)| *free = free.saturating_sub(need));
            }
        }
    }
}
