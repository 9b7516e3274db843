//! A machine as a manager describes it: the reported placements of running jobs hold, whatever is free.

use crate::error::{Error, Result};
use crate::memory::{Object, at, at_mut, range, range_mut};
use crate::nodes::machine::{Nodes, NodesCapacity};
use crate::nodes::request::{Amounts, MAX_TASKS, Part, RawRequest, Request, Spread};

impl<'a> Nodes<'a> {
    /// Makes a machine that is scratch and never sealed: see [`Nodes::init`]. O(1).
    pub(crate) fn init_scratch(memory: &'a mut [u8], capacity: &NodesCapacity) -> Result<Nodes<'a>> {
        let (state, slices) = Nodes::create_uncleared(memory, capacity)?;
        state.begin(capacity);
        Ok(Nodes { state, slices })
    }

    /// Adds a node with these features and amounts, of a class that there is or a new one. O(classes), O(1) for one
    /// like the node before it.
    pub(crate) fn add_node(&mut self, features: u64, amounts: &Amounts) -> Result<u32> {
        let last = match self.state.nodes.checked_sub(1) {
            Some(last) => at(self.slices.nodes, last as usize)?.class,
            None => 0,
        };
        let known = range(self.slices.classes, 0, self.state.classes as usize)?;
        let is_like = |class: u32| {
            known
                .get(class as usize)
                .is_some_and(|known| known.features == features && known.capacity == *amounts)
        };
        let like =
            if is_like(last) { Some(last) } else { (0..self.state.classes).find(|&class| is_like(class)) };
        let class = like.map_or_else(|| self.add_class(features, amounts), Ok)?;
        self.add_nodes(class, 1)
    }

    /// Sets a node's weight in the site's order, and the demand for it by other jobs: of the nodes that a job may have
    /// those with less come first.
    pub(crate) fn set_place(&mut self, node: u32, weight: u32, sought: u32) -> Result<()> {
        let node = at_mut(self.slices.nodes, node as usize)?;
        (node.weight, node.sought) = (weight, sought as u16);
        Ok(())
    }

    /// Records a job that is on these nodes, which come in increasing order, with the tasks named there; `count` and
    /// `spread` of the request do not matter. It holds only tasks for which there is room; afterwards these are at the
    /// front of `parts`. Returns its handle, `None` for one that holds nothing. O(parts).
    pub(crate) fn board(&mut self, request: &Request, parts: &mut [Part]) -> Result<Option<u32>> {
        let of = |count: u32| {
            RawRequest::new(
                &Request { count, spread: Spread::Tasks, ..*request },
                self.state.capacity.resources,
            )
        };
        let (mut kept, mut tasks) = (0, 0_u32);
        for place in 0..parts.len() {
            let part = *at(parts, place)?;
            let room = self.room(&of(part.tasks)?, part.node)?;
            let held = part.tasks.min(room).min(MAX_TASKS.saturating_sub(tasks));
            if held > 0 {
                *parts.get_mut(kept).ok_or(Error::Corrupt)? = Part { tasks: held, ..part };
                (kept, tasks) = (kept + 1, tasks.saturating_add(held));
            }
        }
        if tasks == 0 {
            return Ok(None);
        }
        let mut all = of(tasks)?;
        all.pool.iter_mut().zip(self.state.pool_free).for_each(|(own, free)| *own = (*own).min(free));
        self.take(&all, range_mut(parts, 0, kept)?).map(Some)
    }

    /// Whether something is free on a node, but not the room for these tasks of a job that is on it.
    pub(crate) fn is_short_of(&self, request: &Request, part: Part) -> Result<bool> {
        let own = Request { count: part.tasks, spread: Spread::Tasks, ..*request };
        let room = self.room(&RawRequest::new(&own, self.state.capacity.resources)?, part.node)?;
        Ok(room < part.tasks && self.free(part.node)? != Amounts::default())
    }

    /// Fills a node: adds a job of unknown origin that holds everything free on it, and the node alone where it is
    /// empty. Returns the handle; `None` where nothing is free. O(1).
    pub(crate) fn fill(&mut self, node: u32) -> Result<Option<u32>> {
        let empty = at(self.slices.nodes, node as usize)?.jobs == 0;
        let request = Request { count: 1, each: self.free(node)?, exclusive: empty, ..Request::default() };
        let taken = self.allocate(&request, &[Part { node, tasks: 1 }]);
        if taken == Err(Error::DoesNotFit) { Ok(None) } else { taken.map(Some) }
    }
}
