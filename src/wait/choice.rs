//! The choice of the attribute that jobs are clustered by (beyond QBETS).
//!
//! Each attribute of a job divides the remembered waits into clusters of its own, and the criterion of [`clusters`]
//! measures the part that these explain; it is in the same units for all of them as long as the dispersion is the same.
//! At each clustering the attributes are examined one after the other, in the memory of one: their values among all
//! records are counted, from the newest record to the oldest, then agglomerated. Waits that become known meanwhile are
//! counted at once, and those that are forgotten leave. The one with the largest criterion is taken; the attribute in
//! use is examined first, and is kept among equals.
//!
//! [`clusters`]: crate::wait::clusters

use crate::wait::clusters::{Agglomeration, Intervals};
use bytemuck::{Pod, Zeroable};

/// Phases of a choice.
const IDLE: u32 = 0;
pub(super) const COUNTING: u32 = 1;
pub(super) const CLUSTERING: u32 = 2;

/// A clustering by one attribute.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Found {
    pub intervals: Intervals,
    pub gain: f64,
    pub criterion: f64,
    pub attribute: u32,
    reserved: u32,
}

impl Found {
    /// The result of an agglomeration.
    pub(super) fn new(state: &Agglomeration, attribute: u32, intervals: Intervals) -> Found {
        Found { intervals, gain: state.gain, criterion: state.criterion, attribute, reserved: 0 }
    }
}

/// The state of a choice. All zero: none is under way.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Choice {
    pub phase: u32,
    /// Number of attributes examined, and the one examined now.
    pub examined: u32,
    pub attribute: u32,
    reserved: u32,
    /// Number of the oldest record counted so far.
    pub counted_from: u64,
    pub dispersion: f64,
    pub best: Found,
}

impl Choice {
    pub(super) fn is_idle(&self) -> bool {
        self.phase == IDLE
    }

    /// Begins; `dispersion` waits carry the information of one independent exponential wait.
    pub(super) fn begin(&mut self, dispersion: f64) {
        *self = Choice { dispersion, ..Choice::zeroed() };
    }

    pub(super) fn end(&mut self) {
        self.phase = IDLE;
    }

    /// The attribute whose values are counted, and the number of the oldest record counted.
    pub(super) fn counting(&self) -> Option<(u32, u64)> {
        (self.phase != IDLE).then_some((self.attribute, self.counted_from))
    }
}
