//! The memory of a scheduler, which grows, and the numbers of its names.

use super::record::Recorder;
use super::scheduler::Scheduler;
use super::{block, wrong};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::collections::HashMap;
use surefill::engine::{self, SchedulerCapacity};
use surefill::error::Error;

impl Scheduler {
    /// Makes one without names, which are to be set.
    pub(super) fn empty(memory: Vec<u64>, capacity: SchedulerCapacity) -> Scheduler {
        let (pools, queues) = (HashMap::new(), HashMap::new());
        let (nodes, features) = (Vec::new(), Vec::new());
        Scheduler {
            memory,
            capacity,
            pools,
            queues,
            units: 0,
            first: None,
            nodes,
            features,
            recorder: Recorder::default(),
        }
    }

    pub(super) fn with<T>(
        &mut self,
        act: impl FnOnce(&mut engine::Scheduler<'_>) -> Result<T, Error>,
    ) -> PyResult<T> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        engine::Scheduler::attach(memory).and_then(|mut scheduler| act(&mut scheduler)).map_err(wrong)
    }

    /// Replaces the scheduler by one with room for twice as many jobs.
    pub(super) fn grow(&mut self) -> Result<(), Error> {
        let SchedulerCapacity { jobs, ended, parts, .. } = self.capacity;
        let (jobs, ended, parts) = (2 * jobs, 2 * ended, 2 * parts);
        self.become_larger(SchedulerCapacity { jobs, ended, parts, ..self.capacity })
    }

    /// Gives the delay rule room for the largest pool.
    pub(super) fn grow_for_delays(&mut self) -> Result<(), Error> {
        let delay_units = self.units;
        self.become_larger(SchedulerCapacity { delay_units, ..self.capacity })
    }

    pub(super) fn become_larger(&mut self, larger: SchedulerCapacity) -> Result<(), Error> {
        let mut memory = block(engine::Scheduler::size(&larger)?);
        engine::Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory))?
            .grow(bytemuck::cast_slice_mut(&mut memory), &larger)?;
        (self.memory, self.capacity) = (memory, larger);
        Ok(())
    }

    /// Repeats a call with more memory where that is short.
    pub(super) fn growing<T>(
        &mut self,
        mut act: impl FnMut(&mut engine::Scheduler<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        loop {
            match act(&mut engine::Scheduler::attach(bytemuck::cast_slice_mut(&mut self.memory))?) {
                Err(Error::Full | Error::PartsFull) => self.grow()?,
                done => return done,
            }
        }
    }

    /// The number of a node, a new one for a name that is new.
    pub(super) fn node(&mut self, name: &str) -> PyResult<u32> {
        if let Some(number) = self.nodes.iter().position(|known| known == name) {
            return Ok(number as u32);
        }
        let number = self.nodes.len() as u32;
        if number >= self.capacity.nodes {
            let nodes = (2 * number).max(64);
            let parts = self.capacity.parts.max(4 * nodes);
            self.become_larger(SchedulerCapacity { nodes, parts, ..self.capacity }).map_err(wrong)?;
        }
        self.nodes.push(name.to_owned());
        Ok(number)
    }

    /// The queue of this name, that of the first pool without one.
    pub(super) fn queue(&self, name: Option<&str>) -> PyResult<u32> {
        let known = name.map_or(self.first, |name| self.queues.get(name).copied());
        known.ok_or_else(|| PyKeyError::new_err(format!("there is no queue {}", name.unwrap_or("yet"))))
    }

    pub(super) fn pool(&self, name: Option<&str>) -> PyResult<u32> {
        match name {
            Some(name) => self.pools.get(name).copied(),
            None => self.pools.values().min().copied(),
        }
        .ok_or_else(|| PyKeyError::new_err(format!("there is no pool {}", name.unwrap_or("yet"))))
    }
}
