//! Regions of a pool whose partitions share some of their nodes: the nodes that the same partitions have.
//!
//! A job is played on the nodes of its own partition, and takes those first that `sinfo` lists first, as Slurm does
//! where all nodes have the same weight. A history does not say on which nodes its jobs ran: there they are put in the
//! same way, and one that finds too few moves others to where they may be as well. So are the jobs that run now, where
//! `squeue` was saved without the list of their nodes, on those that are not idle.

use super::pool::{Counted, Pool};
use super::read::Job;
use crate::live::engine::Unit;
use std::collections::BTreeMap;
use surefill::engine::Region;

/// A region's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// The partitions that have it, a bit each in the order of the pool's.
    partitions: u64,
    /// Units that are in service, those of them that are idle, and units in service or not.
    pub all: u32,
    pub idle: u32,
    most: u32,
}

/// The regions of a pool, and what jobs hold of them.
#[derive(Debug, Clone)]
pub(super) struct Regions {
    pub sizes: Vec<Size>,
    /// For each job what it holds, region by region, and its partitions.
    held: BTreeMap<i64, (Vec<u32>, u64)>,
    /// The sums of these over all jobs.
    sums: Vec<u32>,
}

fn bit(number: usize) -> u64 {
    u32::try_from(number).ok().and_then(|number| 1_u64.checked_shl(number)).unwrap_or(0)
}

/// The units of a node.
fn units(unit: Unit, processors: u32) -> u32 {
    if unit == Unit::Nodes { 1 } else { processors }
}

impl Regions {
    /// The regions of a pool.
    pub fn of(pool: &Pool, counted: &Counted) -> Regions {
        let mut sizes: Vec<Size> = Vec::new();
        for (number, (node, &partitions)) in pool.nodes().iter().zip(pool.masks()).enumerate() {
            let place = sizes.iter().position(|size| size.partitions == partitions).unwrap_or_else(|| {
                sizes.push(Size { partitions, all: 0, idle: 0, most: 0 });
                sizes.len() - 1
            });
            let size = &mut sizes[place];
            let own = units(counted.unit, node.processors);
            size.most = size.most.saturating_add(own);
            if Pool::is_usable(node) {
                size.all = size.all.saturating_add(own);
                size.idle = size.idle.saturating_add(if pool.is_free(number) { own } else { 0 });
            }
        }
        let sums = vec![0; sizes.len()];
        Regions { sizes, held: BTreeMap::new(), sums }
    }

    /// The regions in the engine's form, whose queues of the pool's partitions begin with this one; `sizes` gives the
    /// units in service of each, and those that are idle.
    fn reported(&self, first: u32, sizes: impl Fn(usize) -> (u32, u32)) -> Vec<Region> {
        let of = |(number, size): (usize, &Size)| {
            let (units, idle) = sizes(number);
            Region { units, idle: idle.min(units), queues: size.partitions << first }
        };
        self.sizes.iter().enumerate().map(of).collect()
    }

    /// The regions of now, in the engine's form.
    pub fn now(&self, first: u32) -> Vec<Region> {
        self.reported(first, |number| (self.sizes[number].all, self.sizes[number].idle))
    }

    /// The regions at a moment of the history, in the engine's form: as large as now, or as what jobs held; none where
    /// they held more than all nodes have.
    pub fn then(&self, first: u32) -> Option<Vec<Region>> {
        let fits = self.sizes.iter().zip(&self.sums).all(|(size, &held)| held <= size.most);
        let size = |number: usize| {
            let (all, held) = (self.sizes[number].all, self.sums[number]);
            (all.max(held), all.saturating_sub(held))
        };
        fits.then(|| self.reported(first, size))
    }

    /// The units that a job holds, region by region; nothing for one that is not known.
    pub fn row(&self, id: i64) -> &[u32] {
        self.held.get(&id).map_or(&[], |(row, _)| row)
    }

    /// Idle units of the regions of a partition.
    pub fn idle(&self, partition: usize) -> u32 {
        let own = self.sizes.iter().filter(|size| size.partitions & bit(partition) != 0);
        own.fold(0, |sum, size| sum.saturating_add(size.idle))
    }

    /// A job holds this from now on.
    fn hold(&mut self, id: i64, row: Vec<u32>, partitions: u64) {
        for (sum, units) in self.sums.iter_mut().zip(&row) {
            *sum = sum.saturating_add(*units);
        }
        self.held.insert(id, (row, partitions));
    }

    /// A job holds nothing any more.
    pub fn release(&mut self, id: i64) {
        let Some((row, _)) = self.held.remove(&id) else { return };
        for (sum, units) in self.sums.iter_mut().zip(&row) {
            *sum = sum.saturating_sub(*units);
        }
    }

    /// A job of a partition starts on this number of units, of which each region has this room at most. What finds no
    /// room is held in the last region that it may have.
    fn place(&mut self, id: i64, partition: usize, units: u32, room: impl Fn(&Size) -> u32) {
        let partitions = bit(partition);
        let mut row = vec![0; self.sizes.len()];
        let mut left = units;
        for is_second in [false, true] {
            for (place, units) in row.iter_mut().enumerate() {
                if left > 0 && self.sizes[place].partitions & partitions != 0 {
                    if is_second {
                        self.make_room(place, partitions, left, &room);
                    }
                    let taken = left.min(room(&self.sizes[place]).saturating_sub(self.sums[place] + *units));
                    (*units, left) = (*units + taken, left - taken);
                }
            }
        }
        let last = self.sizes.iter().rposition(|size| size.partitions & partitions != 0);
        if let Some(units) = last.and_then(|last| row.get_mut(last)) {
            *units = units.saturating_add(left);
        }
        self.hold(id, row, partitions);
    }

    /// Moves what others hold of a region, up to this number of units, to regions that they may have and jobs of these
    /// partitions may not.
    fn make_room(&mut self, region: usize, partitions: u64, wanted: u32, room: &impl Fn(&Size) -> u32) {
        let mut left = wanted;
        for (row, own) in self.held.values_mut() {
            for to in 0..self.sizes.len() {
                let of = self.sizes[to].partitions;
                if row[region] == 0 || of & *own == 0 || of & partitions != 0 {
                    continue;
                }
                let free = room(&self.sizes[to]).saturating_sub(self.sums[to]);
                let moved = left.min(row[region]).min(free);
                row[region] -= moved;
                row[to] += moved;
                self.sums[region] -= moved;
                self.sums[to] += moved;
                left -= moved;
            }
            if left == 0 {
                break;
            }
        }
    }

    /// A job of the history starts, on nodes that are not known.
    pub fn start(&mut self, id: i64, partition: usize, units: u32) {
        self.place(id, partition, units, |size| size.most);
    }

    /// A job that runs now starts in the history, on nodes that may have left since.
    pub fn start_on(&mut self, pool: &Pool, counted: &Counted, job: &Job, id: i64) {
        let Some(partition) = pool.number(&job.partition) else { return };
        match self.row_of(pool, counted, job, |_| true) {
            Some(row) => self.hold(id, row, bit(partition)),
            None => self.start(id, partition, (counted.of)(job).max(1)),
        }
    }

    /// The units that a job holds by the list of its nodes, of those for which `counts` holds; none without a list.
    fn row_of(
        &self,
        pool: &Pool,
        counted: &Counted,
        job: &Job,
        counts: impl Fn(&super::read::Node) -> bool,
    ) -> Option<Vec<u32>> {
        if job.held.is_empty() {
            return None;
        }
        let (mut row, mut known) = (vec![0_u32; self.sizes.len()], 0);
        for name in &job.held {
            let Some(node) = pool.place(name) else { continue };
            known += 1;
            if counts(&pool.nodes()[node]) {
                let partitions = pool.masks()[node];
                let region = self.sizes.iter().position(|size| size.partitions == partitions)?;
                row[region] += 1;
            }
        }
        if known == 0 {
            return None;
        }
        // Which of its processors are on which node is not known.
        if counted.unit == Unit::Processors {
            let (own, all) = (u64::from(job.processors), job.held.len() as u64);
            row.iter_mut().for_each(|nodes| *nodes = (u64::from(*nodes) * own).div_ceil(all) as u32);
        }
        Some(row)
    }

    /// Sets what the running jobs hold now: of each its id and the units that it holds of the pool.
    pub fn present<'a>(
        &mut self,
        pool: &Pool,
        counted: &Counted,
        running: impl Iterator<Item = (&'a Job, i64, u32)>,
    ) {
        self.held.clear();
        self.sums.fill(0);
        let mut unknown = Vec::new();
        for (job, id, units) in running {
            let Some(partition) = pool.number(&job.partition) else { continue };
            match self.row_of(pool, counted, job, Pool::is_usable) {
                Some(row) => self.hold(id, row, bit(partition)),
                None => unknown.push((partition, id, units)),
            }
        }
        // Those that may have the fewest nodes first.
        let reach = |partition: usize| {
            let own = self.sizes.iter().filter(|size| size.partitions & bit(partition) != 0);
            own.map(|size| u64::from(size.all)).sum::<u64>()
        };
        let mut unknown: Vec<_> = unknown.into_iter().map(|one| (reach(one.0), one)).collect();
        unknown.sort_by_key(|&(reach, _)| reach);
        for (_, (partition, id, units)) in unknown {
            self.place(id, partition, units, |size| size.all.saturating_sub(size.idle));
        }
        if counted.unit == Unit::Processors {
            for (size, &held) in self.sizes.iter_mut().zip(&self.sums) {
                size.idle = size.all.saturating_sub(held);
            }
        }
    }
}
