//! A copy of a machine on which a scenario is played: the free amounts of each node, without the lists of the jobs that
//! hold the others.

use crate::error::{Error, Result};
use crate::memory::{Carver, range, range_mut};
use crate::nodes::machine::{Class, Node, Nodes, Slices, State};
use crate::nodes::request::{Part, RawRequest};

/// The copy's slices.
pub(crate) struct Floor<'a> {
    state: &'a mut [State],
    classes: &'a mut [Class],
    nodes: &'a mut [Node],
    free: &'a mut [u32],
}

impl<'a> Floor<'a> {
    pub(super) fn parts(
        carver: &mut Carver<'a>,
        nodes: usize,
        classes: usize,
        resources: usize,
    ) -> Result<Floor<'a>> {
        Ok(Floor {
            state: carver.take(1)?,
            classes: carver.take(classes)?,
            nodes: carver.take(nodes)?,
            free: carver.take(nodes * resources)?,
        })
    }

    /// The same copy, borrowed.
    pub(super) fn lend(&mut self) -> Floor<'_> {
        Floor {
            state: &mut *self.state,
            classes: &mut *self.classes,
            nodes: &mut *self.nodes,
            free: &mut *self.free,
        }
    }

    /// Copies the machine, its classes too. O(nodes + classes).
    pub(super) fn describe(&mut self, machine: &Nodes) -> Result<()> {
        let count = machine.state.classes as usize;
        let classes = range_mut(self.classes, 0, count)?;
        classes.iter_mut().zip(range(machine.slices.classes, 0, count)?).for_each(|(to, from)| *to = *from);
        self.copy(machine)
    }

    /// Copies the machine, without its classes, which it has already. O(nodes).
    pub(super) fn copy(&mut self, machine: &Nodes) -> Result<()> {
        *self.state.first_mut().ok_or(Error::Corrupt)? = *machine.state;
        self.fill(machine.slices.nodes, machine.slices.free)
    }

    /// Copies another copy. O(nodes).
    pub(super) fn copy_floor(&mut self, other: &Floor) -> Result<()> {
        *self.state.first_mut().ok_or(Error::Corrupt)? = *other.state.first().ok_or(Error::Corrupt)?;
        self.fill(other.nodes, other.free)
    }

    fn fill(&mut self, nodes: &[Node], free: &[u32]) -> Result<()> {
        let state = self.state.first().ok_or(Error::Corrupt)?;
        let (count, resources) = (state.nodes as usize, state.capacity.resources as usize);
        let to = range_mut(self.nodes, 0, count)?;
        to.iter_mut().zip(range(nodes, 0, count)?).for_each(|(to, from)| *to = *from);
        let to = range_mut(self.free, 0, count * resources)?;
        to.iter_mut().zip(range(free, 0, count * resources)?).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    /// The copy as a machine without jobs by handle.
    pub(super) fn view(&mut self) -> Result<Nodes<'_>> {
        let slices = Slices {
            classes: &mut *self.classes,
            nodes: &mut *self.nodes,
            free: &mut *self.free,
            jobs: &mut [],
            links: &mut [],
            ranked: &mut [],
        };
        Ok(Nodes { state: self.state.first_mut().ok_or(Error::Corrupt)?, slices })
    }

    /// Takes the resources of a request on these nodes, and from the pool. O(parts).
    pub(super) fn take(&mut self, request: &RawRequest, parts: &[Part]) -> Result<()> {
        let mut view = self.view()?;
        for part in parts {
            view.take_part(request, *part)?;
        }
        for (free, amount) in view.state.pool_free.iter_mut().zip(request.pool) {
            *free = free.saturating_sub(amount);
        }
        Ok(())
    }

    /// Gives the resources of a request back on these nodes, and to the pool. O(parts).
    pub(super) fn give(&mut self, request: &RawRequest, parts: &[Part]) -> Result<()> {
        let mut view = self.view()?;
        for part in parts {
            view.put_back(request, *part)?;
        }
        for (free, amount) in view.state.pool_free.iter_mut().zip(request.pool) {
            *free = free.saturating_add(amount);
        }
        Ok(())
    }
}
