//! Pools as the engine knows them, and the jobs that have lived in them.

use super::pool::{Counted, Pool};
use super::queue::{Line, Running};
use super::read::{Job, Past};
use super::regions::Regions;
use crate::live::bounds::Bounds;
use crate::live::engine::Unit;
use crate::live::events::Times;
use std::collections::BTreeSet;
use surefill::engine::MOST_REGIONS;

/// The most queues of one engine, whose last one is for jobs of elsewhere: one a pool, or one a partition of a pool
/// that is played in regions.
const QUEUES: usize = 62;

/// The job of the engine that one is in a pool: jobs that take nodes of several pools are one in each.
pub(super) fn in_pool(id: i64, pool: usize) -> i64 {
    id + ((pool as i64) << 54)
}

/// A job as it has lived.
pub(super) struct Life<'a> {
    pub id: i64,
    pub pool: usize,
    pub queue: u32,
    pub user: i64,
    pub times: Times,
    pub limit: i64,
    pub units: u32,
    /// Its place in the past, if it has ended, else itself.
    pub past: Option<usize>,
    pub job: Option<&'a Job>,
}

/// A pool, as far as counting describes it.
pub(super) struct Place<'a> {
    pub pool: &'a Pool,
    pub name: Vec<u8>,
    /// The number of its queue, or of that of the first of its partitions.
    pub queue: u32,
    pub counted: Result<Counted, String>,
    /// Its regions, where its partitions share some of their nodes.
    pub regions: Option<Regions>,
    pub lines: Vec<Line<'a>>,
    pub running: Vec<Running<'a>>,
    /// Units that its jobs hold, and the jobs that wait, in the course of the history.
    pub held: u64,
    pub waiting: BTreeSet<i64>,
    /// Starts that came after predicted ones, and the bounds among these.
    pub calibrated: u64,
    pub bounds: Bounds,
}

/// The pool of a job of the past; behind all pools the one of elsewhere.
pub(super) fn place_of(places: &[Place<'_>], job: &Past) -> usize {
    let own = places.iter().position(|place| place.pool.partitions.contains(&job.partition));
    own.unwrap_or(places.len())
}

pub(super) fn unit_of(places: &[Place<'_>], place: usize) -> Unit {
    let counted = places.get(place).and_then(|place| place.counted.as_ref().ok());
    counted.map_or(Unit::Processors, |counted| counted.unit)
}

impl Place<'_> {
    /// A job starts in the history: on its nodes if they are known, else where there is room.
    pub fn starts(&mut self, life: &Life<'_>) {
        let (Some(regions), Ok(counted)) = (&mut self.regions, &self.counted) else { return };
        match life.job {
            Some(job) => regions.start_on(self.pool, counted, job, life.id),
            None => regions.start(life.id, (life.queue - self.queue) as usize, life.units),
        }
    }

    /// The queue of a partition's jobs.
    pub fn queue_of(&self, partition: &str) -> u32 {
        let own = self.regions.as_ref().and_then(|_| self.pool.number(partition));
        self.queue + own.unwrap_or(0) as u32
    }
}

/// Number of the queues of a pool.
pub(super) fn queues(pool: &Pool, in_regions: bool) -> usize {
    if in_regions && is_divided(pool) { pool.shared_with().len() } else { 1 }
}

/// Whether a pool is played in regions: they are as many as there may be at most, and its partitions.
pub(super) fn is_divided(pool: &Pool) -> bool {
    let regions: BTreeSet<u64> = pool.masks().iter().copied().collect();
    (2..=QUEUES).contains(&pool.shared_with().len()) && regions.len() <= MOST_REGIONS
}

/// The pools in shares of one engine each; one share without pools, if there are none.
pub(super) fn shares(pools: &[Pool], in_regions: bool) -> Vec<&[Pool]> {
    let mut shares = Vec::new();
    let (mut from, mut count) = (0, 0);
    for (place, pool) in pools.iter().enumerate() {
        let own = queues(pool, in_regions);
        if count + own > QUEUES {
            shares.push(&pools[from..place]);
            (from, count) = (place, 0);
        }
        count += own;
    }
    shares.push(&pools[from..]);
    shares
}
