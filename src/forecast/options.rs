//! The policy that a forecast plays, and the number of its scenarios.

use crate::backfill::Criterion;
use crate::error::{Error, Result};
use crate::schedule::{Preset, Priority};
use bytemuck::{Pod, Zeroable};

/// The largest number of running jobs, and of waiting jobs.
pub(super) const MAX_JOBS: u32 = 1 << 20;

/// The largest number of scenarios.
pub const MAX_SCENARIOS: u32 = 1 << 16;

/// Policy by which jobs start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Policy {
    /// First come, first served: no job overtakes.
    Fcfs = 0,
    /// Backfilling: jobs overtake where the reservations of the first waiting jobs allow it.
    #[default]
    Backfill = 1,
}

/// Order in which the jobs behind the reservations are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum CandidateOrder {
    /// In the order of the queue.
    #[default]
    Queue = 0,
    /// Shortest predicted median first, equal ones in the order in which they were added (Tsafrir, Etsion & Feitelson
    /// 2007).
    Shortest = 1,
    /// By [`ForecastOptions::candidates`], anew in each pass; equal ones in the order in which they were added.
    Priority = 2,
}

/// End of jobs that the policy expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Plans {
    /// At their limits.
    #[default]
    Limits = 0,
    /// At the median of their predicted run time, by Algorithm 5 as the presets' orders have it; a job that outlives it
    /// is expected to end at its limit.
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
numbered!(CandidateOrder, Queue, Shortest, Priority);
numbered!(Plans, Limits, Medians);

/// Options of a [`Forecast`](super::Forecast).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastOptions {
    /// Policy by which jobs start. A job wider than all idle and running processors starts under none of them, and
    /// those behind it go on as if it were not there.
    pub policy: Policy,
    /// With [`Policy::Backfill`]: number of the first waiting jobs that hold a reservation, which no job may disturb by
    /// its planned end (0 to 2^20). None is list scheduling, 1 is EASY, all is conservative backfilling with
    /// reservations made anew at every instant.
    pub reservations: u32,
    /// The order of the jobs behind the reservations.
    pub order: CandidateOrder,
    /// End of jobs that the policy expects.
    pub plans: Plans,
    /// Number of scenarios that are played (2 to the capacity).
    pub scenarios: u32,
    /// The seed of the run times.
    pub seed: u64,
    /// The confidence of the half-widths (above 0, below 1).
    pub confidence: f64,
    /// The order of the queue, anew in each pass, by the medians of the forecast; equal jobs in the order in which they
    /// were added, which with [`Priority::SUBMISSION`] is the order of all.
    pub queue: Priority,
    /// The order of the candidates with [`CandidateOrder::Priority`].
    pub candidates: Priority,
    /// Seconds of waiting beyond which jobs come first, by their submission; infinite for never. Not negative. It
    /// counts for [`ForecastOptions::queue`] alone.
    pub front: f64,
    /// With one reservation: a candidate may also start that is planned to delay the head job by less than this part of
    /// its remaining wait; 0 for none. Not negative. With an exact rule on the relative delay
    /// ([`Criterion::Relative`](crate::backfill::Criterion::Relative)) it stands for the rule's threshold.
    pub slack: f64,
}

impl ForecastOptions {
    /// Options that play a scheduler of this preset forward: its orders, `front` from its recent waits,
    /// plans by medians unless every head job is guarded by the limits, and its threshold
    /// where that is a relative delay. A forecast cannot judge delays by distributions: medians replace them.
    pub fn of_preset(preset: &Preset, front: f64) -> ForecastOptions {
        let slack = match preset.rule.criterion {
            Criterion::Relative => preset.rule.threshold,
            _ => 0.0,
        };
        ForecastOptions {
            order: CandidateOrder::Priority,
            plans: if preset.guard == 0.0 { Plans::Limits } else { Plans::Medians },
            queue: preset.queue,
            candidates: preset.candidates,
            front,
            slack,
            ..ForecastOptions::default()
        }
    }
}

impl Default for ForecastOptions {
    /// EASY by limits in the order of submission, 200 scenarios of seed 0, half-widths of .95 confidence.
    fn default() -> ForecastOptions {
        ForecastOptions {
            policy: Policy::Backfill,
            reservations: 1,
            order: CandidateOrder::Queue,
            plans: Plans::Limits,
            scenarios: 200,
            seed: 0,
            confidence: 0.95,
            queue: Priority::SUBMISSION,
            candidates: Priority::SUBMISSION,
            front: f64::INFINITY,
            slack: 0.0,
        }
    }
}

/// Options as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RawOptions {
    policy: u32,
    reservations: u32,
    order: u32,
    plans: u32,
    pub seed: u64,
    pub confidence: f64,
    pub scenarios: u32,
    /// Whether the queue has an order of its own.
    ordered: u32,
    pub queue: Priority,
    pub candidates: Priority,
    pub front: f64,
    pub slack: f64,
}

/// Whether these powers, and this wait, leave the order of submission.
fn ordered(queue: &Priority, front: f64) -> bool {
    queue.run_time != 0.0 || queue.processors != 0.0 || queue.age != 0.0 || front < f64::INFINITY
}

impl RawOptions {
    pub(super) fn new(options: &ForecastOptions, most: u32) -> Result<RawOptions> {
        let ForecastOptions { policy, reservations, order, plans, scenarios, seed, confidence, .. } =
            *options;
        let ForecastOptions { queue, candidates, front, slack, .. } = *options;
        if confidence.is_nan() || front.is_nan() || slack.is_nan() {
            return Err(Error::NotANumber);
        }
        queue.check()?;
        candidates.check()?;
        let valid = confidence > 0.0
            && confidence < 1.0
            && reservations <= MAX_JOBS
            && front >= 0.0
            && slack >= 0.0
            && (2..=most.min(MAX_SCENARIOS)).contains(&scenarios);
        if !valid {
            return Err(Error::OutOfRange);
        }
        let ordered = u32::from(ordered(&queue, front));
        let (policy, order, plans) = (policy as u32, order as u32, plans as u32);
        Ok(RawOptions {
            policy,
            reservations,
            order,
            plans,
            seed,
            confidence,
            scenarios,
            ordered,
            queue,
            candidates,
            front,
            slack,
        })
    }

    /// Whether [`RawOptions::new`] can have made these.
    pub(super) fn sound(&self, most: u32) -> bool {
        let named = Policy::from_number(self.policy).is_ok()
            && CandidateOrder::from_number(self.order).is_ok()
            && Plans::from_number(self.plans).is_ok();
        named
            && self.confidence > 0.0
            && self.confidence < 1.0
            && self.ordered == u32::from(ordered(&self.queue, self.front))
            && self.queue.check().is_ok()
            && self.candidates.check().is_ok()
            && self.front >= 0.0
            && self.slack >= 0.0
            && (2..=most.min(MAX_SCENARIOS)).contains(&self.scenarios)
    }

    /// Number of waiting jobs that hold a reservation; `None` when no job may overtake.
    pub(crate) fn reservations(&self) -> Option<u32> {
        (self.policy == Policy::Backfill as u32).then_some(self.reservations)
    }

    pub(super) fn shortest_first(&self) -> bool {
        self.order == CandidateOrder::Shortest as u32
    }

    /// Whether candidates are tried in the order of a priority.
    pub(super) fn by_priority(&self) -> bool {
        self.order == CandidateOrder::Priority as u32
    }

    /// Whether candidates stand in a list of their own.
    pub(crate) fn own_candidates(&self) -> bool {
        self.shortest_first() || self.by_priority()
    }

    /// Whether the queue is put in order in each pass.
    pub(super) fn queue_ordered(&self) -> bool {
        self.ordered != 0
    }

    pub(crate) fn slack(&self) -> f64 {
        self.slack
    }

    pub(crate) fn by_medians(&self) -> bool {
        self.plans == Plans::Medians as u32
    }
}
