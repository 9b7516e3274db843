//! A submission as it is remembered, so that a forecast of starts foresees later ones.

use bytemuck::{Pod, Zeroable};

/// A submission.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Arrival {
    pub id: i64,
    /// When it was submitted, not before the one before it in the ring.
    pub submit: i64,
    /// As of its submission: its limit and, in seconds, its mean predicted run time and the quantile of it at which a
    /// running job is expected to end.
    pub limit: i64,
    pub mean: i64,
    pub upper: i64,
    /// How long it ran; 0 as long as that is not known.
    pub ran: i64,
    pub priority: f64,
    /// Processors; 0 for one that was withdrawn.
    pub count: u32,
    /// Tasks of an array that wait at once.
    pub tasks: u32,
    pub pool: u32,
    pub tier: i32,
    pub reserved: u32,
    /// Its number among all submissions, from 1 up.
    pub number: u32,
}
