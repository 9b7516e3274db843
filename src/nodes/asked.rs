//! Jobs of a plan: their requests, and their nodes now or at their start.

use crate::error::{Error, Result};
use crate::memory::{at, range, range_mut};
use crate::nodes::machine::Nodes;
use crate::nodes::request::{Part, RawRequest};
use bytemuck::{Pod, Zeroable};

/// First of the numbers of waiting jobs, where they stand beside the machine's handles of running ones.
pub(super) const WAITING: u32 = 1 << 31;

/// The request of a waiting job, and the nodes that it starts on.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Asked {
    pub(super) request: RawRequest,
    pub(super) fit: u32,
    pub(super) first: u32,
    pub(super) parts: u32,
    /// An instant before which it has no room.
    pub(super) from: u32,
}

/// The jobs that run, by the machine's handles, and those that wait, by their numbers behind [`WAITING`].
#[derive(Clone, Copy)]
pub(super) struct Jobs<'j, 'n> {
    pub(super) nodes: &'j Nodes<'n>,
    pub(super) asked: &'j [Asked],
    /// The nodes of those that start.
    pub(super) parts: &'j [Part],
}

impl Jobs<'_, '_> {
    /// The request of a job.
    pub(super) fn request(&self, job: u32) -> Result<&RawRequest> {
        match job.checked_sub(WAITING) {
            Some(number) => Ok(&at(self.asked, number as usize)?.request),
            None => Ok(&self.nodes.job(job)?.request),
        }
    }

    /// Writes the nodes of a job that runs or starts, and returns their number.
    pub(super) fn placement(&self, job: u32, out: &mut [Part]) -> Result<usize> {
        let Some(number) = job.checked_sub(WAITING) else { return self.nodes.placement(job, out) };
        let asked = at(self.asked, number as usize)?;
        let own = range(self.parts, asked.first as usize, asked.parts as usize)?;
        let out = range_mut(out, 0, own.len()).map_err(|_| Error::Full)?;
        out.iter_mut().zip(own).for_each(|(to, from)| *to = *from);
        Ok(own.len())
    }
}
