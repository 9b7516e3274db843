//! Moving a scheduler to a larger block.

use super::capacity::SchedulerCapacity;
use super::object::Scheduler;
use crate::error::{Error, Result};
use crate::memory::copy;
use crate::predict::Predictor;

impl<'a> Scheduler<'a> {
    /// Continues the scheduler in a larger block, with its whole state: more jobs, more of those that are over. Jobs
    /// keep their slots, so that an open cycle can be answered and can go on, or is stale. The delay rule may be given
    /// up (`delay_units`). This scheduler stays as it is. O(size).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is room for as many jobs, pools, queues, nodes, their pairs with jobs and
    /// reservations as here, and for the same number of kinds, histories, waits and bins; those of [`Scheduler::init`].
    pub fn grow<'b>(&mut self, memory: &'b mut [u8], capacity: &SchedulerCapacity) -> Result<Scheduler<'b>> {
        let own = self.capacity();
        let &SchedulerCapacity {
            jobs, ended, pools, queues, nodes, parts, reservations, delay_units, ..
        } = capacity;
        let same =
            SchedulerCapacity { jobs, ended, pools, queues, nodes, parts, reservations, delay_units, ..own };
        let smaller = [jobs, pools, queues, nodes, parts, reservations]
            .into_iter()
            .zip([own.jobs, own.pools, own.queues, own.nodes, own.parts, own.reservations])
            .any(|(new, own)| new < own);
        if same != *capacity || smaller {
            return Err(Error::OutOfRange);
        }
        let mut larger = Scheduler::init(memory, capacity)?;
        *larger.state = *self.state;
        larger.state.capacity = *capacity;
        copy(larger.parts.pools, self.parts.pools);
        copy(larger.parts.queues, self.parts.queues);
        larger.parts.table.continue_from(&self.parts.table)?;
        larger.parts.over.continue_from(&self.parts.over)?;
        copy(larger.parts.probabilities, self.parts.probabilities);
        copy(larger.parts.waits, self.parts.waits);
        copy(larger.parts.arrivals, self.parts.arrivals);
        copy(larger.parts.nodes, self.parts.nodes);
        larger.parts.holdings.continue_from(&self.parts.holdings);
        copy(larger.parts.reservations, self.parts.reservations);
        if own.histories > 0 {
            learn_from(self.parts.predictor, larger.parts.predictor)?;
        }
        Ok(larger)
    }
}

/// Lets the predictor in the second block go on from the one in the first. Kept apart, so that two predictors are not
/// on the stack while the larger scheduler is made.
#[inline(never)]
fn learn_from(learnt: &mut [u8], larger: &mut [u8]) -> Result<()> {
    let learnt = Predictor::attach(learnt).map_err(|_| Error::Corrupt)?;
    Predictor::attach(larger)?.continue_from(&learnt)
}
