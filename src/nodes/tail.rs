//! A job's remaining run time: the probability that the job still runs, the integral of that, and draws of it.

use crate::error::{Error, Result};
use crate::forecast::draw::Draws;
use crate::memory::at;
use crate::runtime::Release;
use bytemuck::{Pod, Zeroable};

/// Scenarios that are stratified together.
pub(super) const STRATA: u32 = 64;

/// The probability that a job still runs, from an instant on.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Tail {
    /// Seconds from now.
    pub after: i64,
    /// The probability that the job runs longer; 0 at the last.
    pub left: f64,
    /// The integral of that probability from now to this instant.
    pub area: f64,
}

/// The tails of a discretised run time.
pub(super) fn tails(releases: &[Release], out: &mut [Tail]) {
    let (mut left, mut area, mut time) = (1.0f64, 0.0, 0);
    let last = releases.len().saturating_sub(1);
    for (i, (release, tail)) in releases.iter().zip(out).enumerate() {
        area += left * (release.after - time) as f64;
        time = release.after;
        left = if i == last { 0.0 } else { (left - release.probability).max(0.0) };
        *tail = Tail { after: time, left, area };
    }
}

/// The probability of running longer than `time`, and its integral from now to then.
pub(super) fn survival(tails: &[Tail], time: i64) -> (f64, f64) {
    let passed = tails.partition_point(|tail| tail.after <= time);
    match passed.checked_sub(1).and_then(|last| tails.get(last)) {
        None => (1.0, time as f64),
        Some(tail) => (tail.left, tail.area + tail.left * (time - tail.after) as f64),
    }
}

/// The draw of this number in a scenario, with its stratum.
pub(super) fn draw(seed: u64, number: u64, scenario: u32) -> (u32, f64) {
    let block = u64::from(scenario / STRATA);
    let draws = Draws::new(seed.wrapping_add(block.wrapping_mul(0xd1b5_4a32_d192_ed03)), number, STRATA);
    draws.stratified(scenario % STRATA)
}

/// The number of the tail at which a job of this draw ends; `firsts` as [`mark_strata`] makes them.
pub(super) fn reached(tails: &[Tail], firsts: &[u16], (stratum, uniform): (u32, f64)) -> Result<usize> {
    let first = usize::from(*at(firsts, stratum as usize)?);
    let later = tails.get(first..).unwrap_or(&[]);
    let reached = later.iter().position(|tail| 1.0 - tail.left > uniform).map(|behind| first + behind);
    reached.or(tails.len().checked_sub(1)).ok_or(Error::Corrupt)
}

/// Place of the firsts of the job whose tails begin at `slot`, with room for this number of tails a job.
pub(super) fn firsts_at(slot: usize, room: usize) -> usize {
    slot.checked_div(room).unwrap_or(0) * STRATA as usize
}

/// For each stratum the first of the tails that a draw in it can reach, where the search for a draw begins.
pub(super) fn mark_strata(tails: &[Tail], firsts: &mut [u16]) {
    let mut index = 0;
    for (stratum, first) in firsts.iter_mut().enumerate() {
        let least = stratum as f64 / f64::from(STRATA);
        while tails.get(index).is_some_and(|tail| 1.0 - tail.left <= least) {
            index += 1;
        }
        *first = index as u16;
    }
}
