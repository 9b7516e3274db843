//! State of a pass over a machine of nodes: capacities, options, and the rows of its block.

use crate::backfill::Rule;
use crate::error::{Error, Result};
use crate::nodes::machine::{MAX_JOBS, MAX_NODES};
use crate::nodes::request::{MAX_RESOURCES, Part, RawRequest};
use crate::runtime::{MAX_BINS, MAX_EVENTS_PER_BIN};
use bytemuck::{Pod, Zeroable};

/// The largest number of scenarios.
pub const MAX_SCENARIOS: u32 = 1 << 16;

/// Scenarios after which the candidates are looked at for the first time; later looks come after twice as many each.
pub const FEWEST_SCENARIOS: u32 = 64;

/// Capacities of a [`NodePass`](super::NodePass), fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NodePassCapacity {
    /// Nodes of the machine (1 to [`MAX_NODES`]).
    pub nodes: u32,
    /// Kinds of resource on a node (1 to [`MAX_RESOURCES`]).
    pub resources: u32,
    /// Running jobs (at most 2^20).
    pub running: u32,
    /// Candidates (at most 2^20).
    pub candidates: u32,
    /// Nodes of the candidates that fit, together: the tasks of each, or the machine's nodes where these are fewer (at
    /// most 2^24).
    pub parts: u32,
    /// Bins of the distributions (1 to [`MAX_BINS`]).
    pub bins: u32,
    /// Events into which a bin's probability is divided (1 to [`MAX_EVENTS_PER_BIN`]).
    pub events_per_bin: u32,
}

impl Default for NodePassCapacity {
    /// 1,024 nodes with 3 kinds of resource, 1,024 running jobs, 256 candidates on 4,096 nodes, 32 bins of 4 events.
    fn default() -> NodePassCapacity {
        NodePassCapacity {
            nodes: 1024,
            resources: 3,
            running: 1024,
            candidates: 256,
            parts: 4096,
            bins: 32,
            events_per_bin: 4,
        }
    }
}

impl NodePassCapacity {
    pub(super) fn check(&self) -> Result<()> {
        let valid = (1..=MAX_NODES).contains(&self.nodes)
            && (1..=MAX_RESOURCES as u32).contains(&self.resources)
            && self.running <= MAX_JOBS
            && self.candidates <= MAX_JOBS
            && self.parts <= 1 << 24
            && (1..=MAX_BINS as u32).contains(&self.bins)
            && (1..=MAX_EVENTS_PER_BIN as u32).contains(&self.events_per_bin);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    pub(super) fn tails_per_job(&self) -> usize {
        self.bins as usize * self.events_per_bin as usize
    }
}

/// Number of scenarios that a pass plays, and its confidence.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NodePassOptions {
    /// The seed of the run times.
    pub seed: u64,
    /// The confidence of the half-widths (above 0, below 1), all looks at a candidate together.
    pub confidence: f64,
    /// The most scenarios ([`FEWEST_SCENARIOS`] to [`MAX_SCENARIOS`]); 0 for none: then a candidate is accepted exactly
    /// if EASY would start it by the time limits, whatever the rule's criterion and threshold, with a delay of 0.
    pub scenarios: u32,
    /// 0.
    pub reserved: u32,
    /// Share of the scenarios in which a running job of a group ([`NodePass::set_group`](super::NodePass)) has the
    /// group's draw instead of its own (0 to 1): the correlation of two such jobs' ranks is the square of it. The
    /// predicted run time of a single job does not change.
    pub shared: f64,
}

impl Default for NodePassOptions {
    /// At most 256 scenarios of seed 0, half-widths of .95 confidence, every job with its own draws.
    fn default() -> NodePassOptions {
        NodePassOptions { seed: 0, confidence: 0.95, scenarios: 256, reserved: 0, shared: 0.0 }
    }
}

impl NodePassOptions {
    pub(super) fn check(&self) -> Result<()> {
        if self.confidence.is_nan() || self.shared.is_nan() {
            return Err(Error::NotANumber);
        }
        let valid = (0.0..=1.0).contains(&self.shared)
            && self.confidence > 0.0
            && self.confidence < 1.0
            && (self.scenarios == 0 || (FEWEST_SCENARIOS..=MAX_SCENARIOS).contains(&self.scenarios));
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// Phase of a pass; 0 before the first one begins.
pub(super) const FILLING: u32 = 1;
pub(super) const DECIDING: u32 = 2;
pub(super) const ACCEPTING: u32 = 3;

/// A rule as plain data.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RawRule {
    pub criterion: u32,
    /// `or_easy`, and `unmeasured` beside it.
    by_limits: u32,
    threshold: f64,
    budget: f64,
    slip: f64,
    guard: f64,
}

impl RawRule {
    pub(super) fn new(rule: &Rule) -> RawRule {
        RawRule {
            criterion: rule.criterion as u32,
            by_limits: u32::from(rule.or_easy) | u32::from(rule.unmeasured) << 1,
            threshold: rule.threshold,
            budget: rule.budget,
            slip: rule.slip,
            guard: rule.guard,
        }
    }
}

/// The scalars at the head of a pass's block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    pub capacity: NodePassCapacity,
    pub phase: u32,
    pub options: NodePassOptions,
    pub now: i64,
    pub head_id: i64,
    pub head: RawRequest,
    pub head_waited: i64,
    /// The machine's count of changes when it was last looked at.
    pub changes: u64,
    pub running: u32,
    pub candidates: u32,
    pub parts: u32,
    pub accepted: u32,
    /// Whether scenarios are being played for the present machine.
    pub prepared: u32,
    pub played: u32,
    /// Number of scenarios after which candidates are looked at next.
    pub stage: u32,
    /// The first candidate without a verdict.
    pub first: u32,
    /// Number of candidates for which scenarios are still played.
    pub open: u32,
    pub reserved: u32,
    pub rule: RawRule,
    /// The head's earliest possible start, in seconds from now.
    pub earliest: i64,
    /// The head's starts over the scenarios played: their sum, and that of their squares.
    pub wait: f64,
    pub wait_squares: f64,
    /// Accepted delays added up for this head job, by criterion.
    pub spent: [f64; 4],
}

/// A running job.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Running {
    pub handle: u32,
    /// Place of its first tail, and their number.
    pub slot: u32,
    pub count: u32,
    /// Whether it belongs to a group, and the group.
    pub grouped: u32,
    pub group: i64,
    /// Seconds from now until its end by its limit.
    pub limit: i64,
}

/// Origin of a candidate's nodes: one of [`Fit`](super::Fit)'s numbers, or this one for the caller.
pub(super) const OWN: u32 = 3;

/// Result of the scenarios for a candidate: none yet, below the threshold, or not below.
pub(super) const OPEN: u32 = 0;
pub(super) const BELOW: u32 = 1;
pub(super) const ABOVE: u32 = 2;

/// A candidate.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Candidate {
    pub request: RawRequest,
    /// Place of its first part, the room for them, and their present number.
    pub slot: u32,
    pub room: u32,
    pub parts: u32,
    pub fit: u32,
    pub count: u32,
    pub verdict: u32,
    /// Whether EASY would start it by the time limits.
    pub exempt: u32,
    pub settled: u32,
    pub scenarios: u32,
    pub reserved: u32,
    pub limit: i64,
    /// Tasks of the head whose room it takes, in the present scenario.
    pub loss: u64,
    /// The largest possible delay in seconds, or probability.
    pub most: f64,
    /// Sums over the scenarios of the delay, its square, and its product with the head's start.
    pub sum: f64,
    pub squares: f64,
    pub products: f64,
    pub delay: f64,
    pub half_width: f64,
    pub seconds: f64,
}

/// A part of a candidate's placement.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Piece {
    pub part: Part,
    pub candidate: u32,
    /// The next piece on the same node, of those that keep the head waiting.
    pub next: u32,
    pub loss: u32,
}

/// The end of a running job in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct End {
    pub time: i64,
    pub job: u64,
}
