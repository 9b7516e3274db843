//! A submission as it is remembered, so that a forecast of starts includes later ones.

use bytemuck::{Pod, Zeroable};

/// A submission.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Arrival {
    pub id: i64,
    /// Time of the submission, not before that of the one before it in the ring.
    pub submit: i64,
    /// Its limit, its mean predicted run time and the quantile of it at which a running job is expected to end, at its
    /// submission, all in seconds.
    pub limit: i64,
    pub mean: i64,
    pub upper: i64,
    /// Its run time in seconds; 0 as long as that is not known.
    pub ran: i64,
    pub priority: f64,
    /// Number of processors; 0 for a job that was withdrawn.
    pub count: u32,
    /// Number of tasks of an array that wait at once.
    pub tasks: u32,
    pub pool: u32,
    pub tier: i32,
    /// The first of its queues plus 1; 0 if it is not known.
    pub queue: u32,
    /// Its number among all submissions, from 1 up.
    pub number: u32,
}
