//! The queue and the candidates in lists by priorities, as the presets have them, for a machine that needs lists.
//!
//! A priority changes as jobs wait, so that the lists are put in order anew in each pass in which something may start.
//! From one pass to the next few jobs change places, so that insertion takes little more than one look at each job; a
//! queue that is far out of order, as at the beginning of a scenario, is sorted by a heap.

use crate::error::Result;
use crate::forecast::object::{Forecast, Job, Queued};
use crate::heap;
use crate::memory::{at, range_mut};
use crate::schedule::Priority;

/// Puts a list in order at this second of a scenario. `which` of the jobs' sizes belongs to the priority. Returns
/// the steps of work.
fn arrange(
    list: &mut [Queued],
    jobs: &[Job],
    priority: &Priority,
    which: usize,
    time: i64,
    front: f64,
) -> Result<u64> {
    for entry in list.iter_mut() {
        let known = at(jobs, entry.job as usize)?;
        let waited = time.saturating_sub(known.submit);
        entry.value = priority.value_at(*at(&known.sizes, which)?, waited, front);
    }
    // This number of moves in a row takes less time than a heap sort, which jumps through the list twice as often.
    let budget = list.len() * heap::levels(list.len());
    heap::sort_again(list, budget)
}

impl Forecast<'_> {
    /// Puts the queue, and the candidates where they have a list of their own, in the order of their priorities.
    pub(crate) fn order(&mut self) -> Result<u64> {
        let (options, scene) = (&self.state.options, &self.state.scene);
        let (time, queued) = (scene.time, scene.queued as usize);
        let jobs = self.parts.jobs.get(self.state.capacity.running as usize..).unwrap_or(&[]);
        let mut done = 0;
        if options.queue_ordered() {
            let queue = range_mut(self.parts.queue, 0, queued)?;
            done += arrange(queue, jobs, &options.queue, 0, time, options.front)?;
        }
        if options.by_priority() && options.reservations().is_some() {
            let candidates = range_mut(self.parts.candidates, 0, queued)?;
            done += arrange(candidates, jobs, &options.candidates, 1, time, f64::INFINITY)?;
        }
        Ok(done)
    }
}
