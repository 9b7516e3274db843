//! The policy that a forecast plays, and how many scenarios it plays.

use crate::error::{Error, Result};
use bytemuck::{Pod, Zeroable};

/// The largest number of running jobs, and of waiting jobs.
pub(super) const MAX_JOBS: u32 = 1 << 20;

/// The largest number of scenarios.
pub const MAX_SCENARIOS: u32 = 1 << 16;

/// Who may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Policy {
    /// First come, first served: nobody overtakes.
    Fcfs = 0,
    /// Backfilling: jobs overtake where the reservations of the first waiting jobs allow it.
    #[default]
    Backfill = 1,
}

/// In which order the jobs behind the reservations are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum CandidateOrder {
    /// In the order of the queue.
    #[default]
    Queue = 0,
    /// Shortest predicted median first, equal ones in the order of the queue (Tsafrir, Etsion & Feitelson 2007).
    Shortest = 1,
}

/// When the policy expects jobs to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Plans {
    /// At their limits.
    #[default]
    Limits = 0,
    /// At the median of what is believed of their run time; a job that outlives it is expected to end at its limit.
    Medians = 1,
}

macro_rules! numbered {
    ($type:ident, $($value:ident),+) => {
        impl $type {
            /// The value with this number.
            ///
            /// # Errors
            /// [`Error::OutOfRange`].
            pub fn from_number(number: u32) -> Result<$type> {
                [$($type::$value),+].into_iter().find(|value| *value as u32 == number).ok_or(Error::OutOfRange)
            }
        }
    };
}
numbered!(Policy, Fcfs, Backfill);
numbered!(CandidateOrder, Queue, Shortest);
numbered!(Plans, Limits, Medians);

/// How a [`Forecast`](super::Forecast) plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastOptions {
    /// Who may start.
    pub policy: Policy,
    /// With [`Policy::Backfill`]: how many of the first waiting jobs hold a reservation that nobody may disturb by what
    /// is planned (0 to 2^20). None is list scheduling, 1 is EASY, all is conservative backfilling with reservations
    /// made anew at every instant.
    pub reservations: u32,
    /// The order of the jobs behind the reservations.
    pub order: CandidateOrder,
    /// What the policy knows of run times.
    pub plans: Plans,
    /// How many scenarios are played (2 to the capacity).
    pub scenarios: u32,
    /// The seed of the run times.
    pub seed: u64,
    /// The confidence of the half-widths (above 0, below 1).
    pub confidence: f64,
}

impl Default for ForecastOptions {
    /// EASY by limits in the order of the queue, 200 scenarios of seed 0, half-widths of .95 confidence.
    fn default() -> ForecastOptions {
        ForecastOptions {
            policy: Policy::Backfill,
            reservations: 1,
            order: CandidateOrder::Queue,
            plans: Plans::Limits,
            scenarios: 200,
            seed: 0,
            confidence: 0.95,
        }
    }
}

/// Options as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RawOptions {
    policy: u32,
    reservations: u32,
    order: u32,
    plans: u32,
    pub seed: u64,
    pub confidence: f64,
    pub scenarios: u32,
    reserved: u32,
}

impl RawOptions {
    pub(super) fn new(options: &ForecastOptions, most: u32) -> Result<RawOptions> {
        let ForecastOptions { policy, reservations, order, plans, scenarios, seed, confidence } = *options;
        if confidence.is_nan() {
            return Err(Error::NotANumber);
        }
        let valid = confidence > 0.0
            && confidence < 1.0
            && reservations <= MAX_JOBS
            && (2..=most.min(MAX_SCENARIOS)).contains(&scenarios);
        if !valid {
            return Err(Error::OutOfRange);
        }
        let (policy, order, plans) = (policy as u32, order as u32, plans as u32);
        Ok(RawOptions { policy, reservations, order, plans, seed, confidence, scenarios, reserved: 0 })
    }

    /// Whether they can have been made by [`RawOptions::new`].
    pub(super) fn sound(&self, most: u32) -> bool {
        let named = Policy::from_number(self.policy).is_ok()
            && CandidateOrder::from_number(self.order).is_ok()
            && Plans::from_number(self.plans).is_ok();
        named
            && self.confidence > 0.0
            && self.confidence < 1.0
            && (2..=most.min(MAX_SCENARIOS)).contains(&self.scenarios)
    }

    /// How many waiting jobs hold a reservation; `None` when nobody may overtake.
    pub(super) fn reservations(&self) -> Option<u32> {
        (self.policy == Policy::Backfill as u32).then_some(self.reservations)
    }

    pub(super) fn shortest_first(&self) -> bool {
        self.order == CandidateOrder::Shortest as u32
    }

    pub(super) fn by_medians(&self) -> bool {
        self.plans == Plans::Medians as u32
    }
}
