//! Running jobs, followed over their releases in the order of time.

use crate::backfill::crowd::gcd;
use crate::error::Result;
use crate::memory::{at, range};
use crate::runtime::{Release, Remaining};
use bytemuck::{Pod, Zeroable};

/// A running job in the caller's block.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Running {
    pub processors: u32,
    /// Processors in units.
    pub width: u32,
    /// Place of its first release, and number of its releases, or of the pieces that are kept instead.
    pub slot: u32,
    pub releases: u32,
    /// The first release that the walk has not passed, and its time; `i64::MAX` when all are passed.
    pub cursor: u32,
    /// The segment whose jobs were last gathered with this one among them.
    pub mark: u32,
    pub next: i64,
    /// Probability that it has ended by the present of the walk.
    pub ended: f64,
    /// Seconds from now until its end by its limit.
    pub limit: i64,
}

impl Running {
    /// Its remaining run time; every job has room for `room` releases.
    #[inline]
    pub(super) fn remaining<'r>(&self, releases: &'r [Release], room: usize) -> Result<Remaining<'r>> {
        Remaining::of(range(releases, self.slot as usize, room)?, self.releases)
    }
}

/// Goes back to the present, before all releases.
pub(super) fn rewind(running: &mut [Running], releases: &[Release]) -> Result<()> {
    for job in running {
        let first = at(releases, job.slot as usize)?.after;
        (job.cursor, job.ended, job.next, job.mark) = (0, 0.0, first, 0);
    }
    Ok(())
}

/// Passes a job's next release.
pub(super) fn pass_release(job: &mut Running, releases: &[Release]) -> Result<()> {
    let release = at(releases, (job.slot + job.cursor) as usize)?;
    job.cursor += 1;
    if job.cursor >= job.releases {
        // The last release makes its end certain whatever the rounding.
        (job.ended, job.next) = (1.0, i64::MAX);
    } else {
        job.ended = (job.ended + release.probability).min(1.0);
        job.next = at(releases, (job.slot + job.cursor) as usize)?.after;
    }
    Ok(())
}

/// Numbers of released processors are multiples of the widths' greatest common divisor: the widths in that unit, which
/// is returned.
pub(super) fn measure(running: &mut [Running]) -> u32 {
    let unit = running.iter().fold(0, |unit, job| gcd(unit, job.processors as usize)).max(1) as u32;
    for job in running {
        job.width = job.processors / unit;
    }
    unit
}
