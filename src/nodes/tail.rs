//! A job's remaining run time as the probability that the job is still there, and the integral of that.

use crate::runtime::Release;
use bytemuck::{Pod, Zeroable};

/// The probability that a job is still there, from an instant on.
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
