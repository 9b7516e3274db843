//! Regions of a counted pool, what jobs hold of them, and the guards of those that have no room there.

use crate::error::{Error, Result};
use crate::memory::{Carver, at, at_mut, copy, range, range_mut};
use crate::plan::Limited;
use bytemuck::{Pod, Zeroable};

/// Largest number of regions of a pool.
pub const MOST_REGIONS: usize = 64;

/// Number of sets of regions: of each queue, and of the queues of jobs that have several.
const SETS: usize = 128;

/// Units of a pool that the same queues have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Region {
    /// Number of its units.
    pub units: u32,
    /// Number of them that are idle.
    pub idle: u32,
    /// The queues that have it, a bit each by their numbers.
    pub queues: u64,
}

/// A region in a forecast.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Spot {
    queues: u64,
    units: u32,
    idle: u32,
    /// Number of units that are free in the scenario under way.
    free: u32,
    /// Number of units that the job takes which is looked at.
    taken: u32,
}

/// Regions of a job, and the guard of the first job there that has no room.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Set {
    /// Its regions, a bit each.
    pub regions: u64,
    /// Number of units that can ever be free.
    pub possible: u32,
    pub free: u32,
    pub is_guarded: u32,
    /// Seconds after which the guarded job's units are free by the limits, and those that it leaves over then.
    pub shadow: u32,
    spare: u32,
    /// Number of spare units that the job takes which is looked at.
    used: u32,
    /// The width and the limit of a job for which nothing was found in this pass; 0 for none.
    pub refused: u32,
    refused_limit: u32,
}

impl Set {
    pub fn has(&self, region: usize) -> bool {
        self.regions & bit(region as u32) != 0
    }

    /// Whether a job is as wide and as long as one for which nothing was found: what is left only shrinks in a pass.
    pub fn refuses(&self, processors: u32, limit: u32) -> bool {
        self.refused != 0 && processors >= self.refused && limit >= self.refused_limit
    }

    /// Notes that nothing was found for a job, unless a narrower one is noted.
    pub fn refuse(&mut self, processors: u32, limit: u32) {
        let is_less = processors < self.refused || (processors == self.refused && limit < self.refused_limit);
        if self.refused == 0 || is_less {
            (self.refused, self.refused_limit) = (processors, limit);
        }
    }

    /// Whether a job with this limit counts against what the guarded one leaves over.
    fn binds(&self, limit: u32) -> bool {
        self.is_guarded != 0 && limit > self.shadow
    }
}

fn bit(number: u32) -> u64 {
    1_u64.checked_shl(number).unwrap_or(0)
}

/// The slices of a forecast's block for regions; empty without.
pub(crate) struct Divided<'a> {
    spots: &'a mut [Spot],
    /// Room for sets; those that are used are the first.
    pub room: &'a mut [Set],
    pub used: usize,
    /// Units that running jobs hold by region, a row each: at the beginning, and in the scenario under way.
    pub before: &'a mut [u32],
    held: &'a mut [u32],
    /// Rows that are not used.
    rows: &'a mut [u32],
}

impl<'a> Divided<'a> {
    /// Room for this number of regions, of jobs that run at the beginning and of those of a scenario.
    pub fn carve(
        carver: &mut Carver<'a>,
        regions: usize,
        busy: usize,
        running: usize,
    ) -> Result<Divided<'a>> {
        if regions > MOST_REGIONS {
            return Err(Error::OutOfRange);
        }
        let (sets, rows) = if regions == 0 { (0, 0) } else { (SETS, running) };
        Ok(Divided {
            spots: carver.take(regions)?,
            room: carver.take(sets)?,
            used: 0,
            before: carver.take(busy * regions)?,
            held: carver.take(running * regions)?,
            rows: carver.take(rows)?,
        })
    }

    /// Takes over the number of sets that are used.
    pub fn know(&mut self, sets: u32) {
        self.used = self.room.len().min(sets as usize);
    }

    /// Number of sets that are used.
    pub fn sets(&self) -> u32 {
        self.used as u32
    }

    pub fn sets_mut(&mut self) -> &mut [Set] {
        self.room.get_mut(..self.used).unwrap_or(&mut [])
    }

    /// Number of the regions.
    pub fn count(&self) -> usize {
        self.spots.len()
    }

    /// Describes the regions, and the sets of single queues.
    pub fn describe(&mut self, regions: &[Region]) -> Result<()> {
        if regions.iter().any(|region| region.idle > region.units) || regions.len() != self.count() {
            return Err(Error::OutOfRange);
        }
        for (spot, &Region { units, idle, queues }) in self.spots.iter_mut().zip(regions) {
            *spot = Spot { queues, units, idle, free: idle, taken: 0 };
        }
        self.used = 0;
        for queue in 0..u64::BITS {
            self.set_of(&[queue])?;
        }
        Ok(())
    }

    /// Number of all units, and of idle ones.
    pub fn units(&self) -> (u32, u32) {
        let sum = |of: fn(&Spot) -> u32| self.spots.iter().map(of).fold(0, u32::saturating_add);
        (sum(|spot| spot.units), sum(|spot| spot.idle))
    }

    /// The number of the set of these queues' regions; every region for no queue.
    pub fn set_of(&mut self, queues: &[u32]) -> Result<u32> {
        if self.count() == 0 {
            return Ok(0);
        }
        let bits = queues.iter().fold(0, |bits, &queue| bits | bit(queue));
        let spots = self.spots.iter().zip(0..);
        let of = |spot: &Spot| queues.is_empty() || spot.queues & bits != 0;
        let regions =
            spots.fold(0, |found, (spot, number)| if of(spot) { found | bit(number) } else { found });
        if let Some(number) = self.sets_mut().iter().position(|set| set.regions == regions) {
            return Ok(number as u32);
        }
        match (self.room.get_mut(self.used), queues) {
            (Some(set), _) => {
                *set = Set { regions, ..Set::zeroed() };
                self.used += 1;
                Ok(self.used as u32 - 1)
            }
            // There is a set for each queue alone.
            (None, &[first, _, ..]) => self.set_of(&[first]),
            (None, _) => Ok(0),
        }
    }

    /// The row of a job that runs at the beginning.
    pub fn row_before(&mut self, row: usize) -> Result<&mut [u32]> {
        let regions = self.count();
        range_mut(self.before, row * regions, regions)
    }

    /// Counts the units of each set that can ever be free, now that this number of jobs runs.
    pub fn count_possible(&mut self, busy: usize) -> Result<()> {
        let regions = self.count();
        for set in self.room.iter_mut().take(self.used) {
            set.possible = 0;
            let (of, idle) = (*set, self.spots.iter().map(|spot| spot.idle));
            let rows = range(self.before, 0, busy * regions)?.chunks(regions.max(1));
            let held = rows.flat_map(|row| row.iter().copied().enumerate());
            let all = idle.enumerate().chain(held).filter(|(region, _)| of.has(*region));
            set.possible = all.fold(0, |sum, (_, units)| sum.saturating_add(units));
        }
        Ok(())
    }

    /// Number of units of a set that can ever be free.
    pub fn possible(&self, set: u32) -> u32 {
        self.room.get(set as usize).map_or(0, |set| set.possible)
    }

    /// Resets to the beginning; returns the number of rows that are not used.
    pub fn reset(&mut self, busy: usize) -> Result<u32> {
        if self.count() == 0 {
            return Ok(0);
        }
        self.spots.iter_mut().for_each(|spot| spot.free = spot.idle);
        copy(self.held, range(self.before, 0, busy * self.count())?);
        let mut count = 0;
        for (to, row) in self.rows.iter_mut().zip(busy..) {
            if row < self.held.len().checked_div(self.spots.len()).unwrap_or(0) {
                *to = row as u32;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Gives back what a job has held, and its row.
    pub fn release(&mut self, row: u32, unused: &mut u32) -> Result<()> {
        let regions = self.count();
        if regions == 0 {
            return Ok(());
        }
        for (spot, units) in
            self.spots.iter_mut().zip(range(self.held, row as usize * regions, regions)?.iter())
        {
            spot.free = spot.free.saturating_add(*units);
        }
        *at_mut(self.rows, *unused as usize)? = row;
        *unused += 1;
        Ok(())
    }

    /// Takes the units that were chosen for a job with this limit; returns its row.
    pub fn hold(&mut self, limit: u32, unused: &mut u32) -> Result<u32> {
        let regions = self.count();
        if regions == 0 {
            return Ok(0);
        }
        *unused = unused.checked_sub(1).ok_or(Error::Corrupt)?;
        let row = *at(self.rows, *unused as usize)?;
        let held = range_mut(self.held, row as usize * regions, regions)?;
        for (spot, to) in self.spots.iter_mut().zip(held) {
            *to = spot.taken;
            spot.free = spot.free.saturating_sub(spot.taken);
        }
        for set in self.sets_mut().iter_mut().filter(|set| set.binds(limit)) {
            set.spare = set.spare.saturating_sub(set.used);
        }
        Ok(row)
    }

    /// Counts the free units of the sets.
    pub fn count_free(&mut self) {
        for set in self.room.iter_mut().take(self.used) {
            let of = *set;
            let spots = self.spots.iter().enumerate().filter(|(region, _)| of.has(*region));
            set.free = spots.fold(0, |free, (_, spot)| free.saturating_add(spot.free));
        }
    }

    /// Chooses units for a job of a set: first where no guarded job needs them, then what these leave over. Returns
    /// whether there are enough.
    pub fn choose(&mut self, set: &Set, processors: u32, limit: u32) -> bool {
        let sets = self.room.get_mut(..self.used).unwrap_or(&mut []);
        sets.iter_mut().for_each(|set| set.used = 0);
        self.spots.iter_mut().for_each(|spot| spot.taken = 0);
        let mut left = processors;
        for bound in [false, true] {
            for (region, spot) in self.spots.iter_mut().enumerate() {
                if left == 0 || !set.has(region) {
                    continue;
                }
                let binding = |other: &&mut Set| other.has(region) && other.binds(limit);
                let bounds = sets.iter_mut().filter(binding);
                let most = bounds.map(|other| other.spare.saturating_sub(other.used)).min();
                if most.is_some() != bound {
                    continue;
                }
                let units = left.min(spot.free).min(most.unwrap_or(u32::MAX));
                spot.taken = units;
                left -= units;
                sets.iter_mut().filter(binding).for_each(|other| other.used += units);
            }
        }
        left == 0
    }

    /// Guards a job of this width in a set, later than now: by the jobs that run, in the order of their ends by the
    /// limits, with their rows.
    pub fn guard(&mut self, set: usize, processors: u32, ends: &[Limited], time: u32) -> Result<()> {
        let regions = self.count();
        let set = at_mut(self.room, set)?;
        let (mut free, mut shadow) = (set.free, u32::MAX);
        for &Limited { after, processors: row } in ends {
            let after = after.saturating_sub(time).max(1);
            if shadow < after {
                break;
            }
            let row = range(self.held, row as usize * regions, regions)?;
            let back = row.iter().enumerate().filter(|(region, _)| set.has(*region));
            free = back.fold(free, |free, (_, units)| free.saturating_add(*units));
            if free >= processors {
                shadow = after;
            }
        }
        (set.is_guarded, set.shadow, set.spare) = (1, shadow, free.saturating_sub(processors));
        Ok(())
    }
}
