//! Capacities of a scheduler.

use super::machine::MOST_RESERVATIONS;
use crate::backfill::MAX_PROCESSORS;
use crate::error::{Error, Result};
use crate::nodes::{MAX_NODES, MAX_RESOURCES};
use crate::plan::MAX_PLANNED;
use crate::predict::{MixtureCapacity, Predictor, PredictorCapacity, PredictorKind};
use crate::runtime::{MAX_BINS, RuntimeBins};
use bytemuck::{Pod, Zeroable};

/// Largest number of pools and of queues.
const MOST_NAMES: u32 = 63;

/// Capacities of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SchedulerCapacity {
    /// Number of jobs that wait or run, 1 to 2^20.
    pub jobs: u32,
    /// Number of jobs that are over but that the manager may still list.
    pub ended: u32,
    /// Number of pools, 1 to 63.
    pub pools: u32,
    /// Number of queues, 1 to 63.
    pub queues: u32,
    /// Number of histories of like jobs that the predictor keeps; 0 for no predictor, on small machines: every job then
    /// runs to its limit.
    pub histories: u32,
    /// Number of waits remembered of each pool, 1 to 4,194,304.
    pub waits: u32,
    /// Number of run-time bins, 2 to [`MAX_BINS`].
    pub bins: u32,
    /// Number of submissions that are remembered, so that a forecast of starts includes later ones
    /// ([`StartForecast`](super::StartForecast)), up to 2^20; 0 for none.
    pub arrivals: u32,
    /// Largest number of a node plus 1, below [`MAX_NODES`]; 0 where all pools have counted units. With nodes there is
    /// room for at most 2^18 jobs.
    pub nodes: u32,
    /// Number of kinds of resource on a node, 1 to [`MAX_RESOURCES`], processors first.
    pub kinds: u32,
    /// Number of pairs of a job and a node on which it holds something, up to 2^21.
    pub parts: u32,
    /// Number of reservations of nodes, up to 64.
    pub reservations: u32,
    /// Number of units of the largest pool that the delay rule can decide, up to 2^24
    /// ([`RuleWord::Delay`](super::RuleWord)); 0 where it is not used. It takes part of a cycle's memory, not of the
    /// scheduler's: some 10 kB for each of `jobs`, and 200 bytes for each unit.
    pub delay_units: u32,
    /// 0.
    pub reserved: u32,
}

impl SchedulerCapacity {
    /// Capacities for this number of jobs that wait or run, with as many that are over. From 256 jobs on the rest suits
    /// a site's machine: 8 MB of histories, 460 kB of waits a pool, 330 kB of submissions. For fewer jobs it is less in
    /// proportion: it does not grow later ([`Scheduler::grow`](super::Scheduler::grow)).
    pub fn of(jobs: u32) -> SchedulerCapacity {
        let contexts = PredictorCapacity::of(PredictorKind::Contexts);
        let share = |most: u32, least: u32| {
            (u64::from(most) * u64::from(jobs) / 256).min(most.into()).max(least.into()) as u32
        };
        SchedulerCapacity {
            jobs,
            ended: jobs,
            pools: 4,
            queues: 16,
            histories: share(contexts.mixture.histories, 1024),
            waits: share(5000, 1000),
            bins: RuntimeBins::default().count() as u32,
            arrivals: share(4096, 256),
            nodes: 0,
            kinds: 3,
            parts: 0,
            reservations: 0,
            delay_units: 0,
            reserved: 0,
        }
    }

    /// Capacities for this number of jobs that wait or run, on this number of nodes with three kinds of resource: a job
    /// holds four nodes on average, and there are 16 reservations.
    pub fn on_nodes(jobs: u32, nodes: u32) -> SchedulerCapacity {
        let parts = jobs.saturating_mul(4).max(nodes);
        SchedulerCapacity { nodes, parts, reservations: 16, ..SchedulerCapacity::of(jobs) }
    }

    pub(super) fn check(&self) -> Result<()> {
        let valid = (1..=1 << 20).contains(&self.jobs)
            && self.ended <= 1 << 20
            && self.arrivals <= 1 << 20
            && (1..=MOST_NAMES).contains(&self.pools)
            && (1..=MOST_NAMES).contains(&self.queues)
            && (2..=MAX_BINS as u32).contains(&self.bins)
            && self.jobs.saturating_mul(2) <= MAX_PLANNED
            && (1..=MAX_RESOURCES as u32).contains(&self.kinds)
            && self.nodes < MAX_NODES
            && (self.nodes == 0 || self.jobs <= 1 << 18)
            && self.parts <= 1 << 21
            && self.reservations <= MOST_RESERVATIONS
            && self.delay_units <= MAX_PROCESSORS
            && self.reserved == 0;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    /// Bytes of the predictor's block.
    pub(super) fn predictor_size(&self) -> Result<usize> {
        if self.histories == 0 { Ok(0) } else { Predictor::size(&self.predictor()) }
    }

    pub(super) fn predictor(&self) -> PredictorCapacity {
        let own = PredictorCapacity::of(PredictorKind::Contexts);
        let mixture = MixtureCapacity { bins: self.bins, histories: self.histories, ..own.mixture };
        PredictorCapacity { jobs: self.jobs, mixture, ..own }
    }
}

impl Default for SchedulerCapacity {
    /// The capacities for 1,000 jobs.
    fn default() -> SchedulerCapacity {
        SchedulerCapacity::of(1000)
    }
}
