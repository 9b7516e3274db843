//! What waiting jobs saw when they were looked at, and what was learnt of such looks: the data of `aged`.

use crate::math::chances::Shares;
use crate::wait::chances::AgedChances;
use crate::wait::levels::{ASIDE, Groups, Levels};
use crate::wait::visible::Situation;
use bytemuck::{Pod, Zeroable};

/// Notes for each job that may wait.
pub(super) const NOTES_A_JOB: usize = 2;

/// What a waiting job saw when it was looked at.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Note {
    /// When that was, and when the bound that it was given then runs out;
    /// [`NEVER`](crate::wait::queue::NEVER) without a bound, or when the wait has exceeded it.
    pub at: i64,
    pub deadline: i64,
    /// In the job's list of notes, or in that of free ones, plus one.
    pub next: u32,
    pub groups: Groups,
    pub index: u32,
    /// 1 if bounds at the levels [`ASIDE`] were noted; these, in seconds from then.
    pub noted: u32,
    /// At how many of the horizons it is known that the job has not started by then.
    pub heard: u32,
    /// How long the job had waited, as [`AgedChances`] tells ages apart.
    pub ages: u32,
    pub situation: Situation,
    pub aside: [u32; ASIDE.len()],
    pub shares: Shares,
}

/// What is known of waiting jobs. All zero: nothing.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Aged {
    pub levels: Levels,
    pub chances: AgedChances,
    /// Which of the rests of a window is told to the options' own question.
    pub window_index: u64,
    /// Looks that are due, and up to when they were counted.
    pub due: f64,
    pub counted: i64,
    /// The slot that is looked at next, plus one; 0: the first.
    pub cursor: u32,
    /// Free notes that were used before, plus one, and notes that were ever used.
    pub free: u32,
    pub fresh: u32,
    /// Notes in use.
    pub open: u32,
}
