//! The core's model in memory of its own, with a sample's observations.

use super::Error;
use super::sample::Observed;
use std::ops::Range;
use surefill::hmm::{Hmm, HmmCapacity};

/// Memory that holds a model and observations.
#[derive(Debug, Clone)]
pub struct Block {
    memory: Vec<u64>,
    slots: Range<i64>,
}

impl Block {
    /// A model without parameters that has observed these jobs, which are all in these slots.
    ///
    /// # Errors
    /// [`Error::Core`].
    pub fn new(states: u32, bins: usize, slots: Range<i64>, jobs: &[Observed]) -> Result<Block, Error> {
        let most = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let limits = HmmCapacity {
            states,
            bins: most(bins),
            slots: u32::try_from(slots.end - slots.start).unwrap_or(u32::MAX).max(2),
            cells: most(jobs.len().max(bins)),
        };
        let mut block = Block { memory: vec![0; Hmm::size(&limits)?.div_ceil(8)], slots: slots.clone() };
        let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut block.memory), &limits)?;
        hmm.extend(slots.start)?;
        for job in jobs {
            hmm.observe(job.slot, job.bin)?;
        }
        hmm.extend(slots.end - 1)?;
        Ok(block)
    }

    /// The model.
    ///
    /// # Errors
    /// None that can happen: the block was made here.
    pub fn hmm(&mut self) -> Result<Hmm<'_>, Error> {
        Ok(Hmm::attach(bytemuck::cast_slice_mut(&mut self.memory))?)
    }

    /// The slots observed.
    pub fn slots(&self) -> Range<i64> {
        self.slots.clone()
    }
}
