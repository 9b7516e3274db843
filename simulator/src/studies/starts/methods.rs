//! Methods of forecasting: each gives five quantiles of the rest of a wait, in seconds, or one number as all five.

use crate::base::statistics::quantile;
use crate::replay::policy::{Candidates, Choice, Criterion, PolicyName, PolicyOptions, WITHIN};
use crate::replay::predict::PredictorName;
use serde::Serialize;
use std::collections::VecDeque;
use surefill::forecast::{CandidateOrder, ForecastOptions, LEVELS, Plans, Policy};
use surefill::schedule::{Priority, RecentWaits};

/// Five quantiles of the rest of a wait, in seconds.
pub type Quantiles = [i64; LEVELS.len()];

/// The probabilities of starting within each of [`WITHIN`].
pub type Chances = [f64; WITHIN.len()];

/// A method of foretelling starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The queue played forward over sampled run times.
    Forecast,
    /// The same, its quantiles stretched by the starts that followed earlier ones.
    Calibrated,
    /// The queue played forward with every job running to its limit, as Slurm does.
    Limits,
    /// The waits of the last thousand jobs that waited longer than this one has.
    History,
}

impl Method {
    /// All.
    pub const ALL: [Method; 4] = [Method::Forecast, Method::Calibrated, Method::Limits, Method::History];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Method::Forecast => "forecast",
            Method::Calibrated => "forecast, calibrated",
            Method::Limits => "limits alone",
            Method::History => "history of waits",
        }
    }

    /// Whether it says more than one number.
    pub fn has_intervals(self) -> bool {
        self != Method::Limits
    }
}

/// Options by which a replay's policy is played forward, and the recent waits that say which job has waited long.
pub struct Rules {
    options: ForecastOptions,
    /// The quantile of recent waits beyond which a job comes to the front.
    front: f64,
    shortest_long_wait: f64,
    recent: Vec<u64>,
}

impl Rules {
    /// The rules of a policy. Probabilistic backfilling is played in its orders as EASY by medians, and a relative
    /// delay that it allows is allowed by medians as well; policies and orders of the registry, whose rules the core
    /// does not know, as EASY by medians in the order of submission: a caller who wants what it says of them to hold
    /// refuses them. The plan of the whole queue has a forecast of its own; these rules are those of its limits.
    pub fn new(choice: &Choice, policy: &PolicyOptions, scenarios: u32, seed: u64) -> Rules {
        let order = choice.order(policy);
        let base = ForecastOptions { scenarios, seed, ..ForecastOptions::default() };
        let ordered = ForecastOptions {
            order: match order.candidates {
                Candidates::Submission => CandidateOrder::Queue,
                Candidates::Shortest => CandidateOrder::Shortest,
                Candidates::Priority(_) => CandidateOrder::Priority,
            },
            queue: order.queue.priority(),
            candidates: match order.candidates {
                Candidates::Priority(powers) => powers.priority(),
                Candidates::Submission | Candidates::Shortest => Priority::SUBMISSION,
            },
            ..base
        };
        let prob = &policy.prob;
        let (options, front) = match choice.policy {
            PolicyName::Fcfs => (ForecastOptions { policy: Policy::Fcfs, ..base }, 1.0),
            PolicyName::Conservative => (ForecastOptions { reservations: 1 << 20, ..base }, 1.0),
            PolicyName::Easy if choice.predictor == PredictorName::Limit => (ordered, order.front),
            PolicyName::Easy
            | PolicyName::EasyPlusPlus
            | PolicyName::Fair
            | PolicyName::Fast
            | PolicyName::Named(_) => (ForecastOptions { plans: Plans::Medians, ..ordered }, order.front),
            PolicyName::Prob => {
                let slack = if prob.criterion == Criterion::Relative { prob.tau } else { 0.0 };
                (ForecastOptions { plans: Plans::Medians, slack, ..ordered }, order.front)
            }
        };
        let bytes = RecentWaits::size(order.recent).expect("the options were checked");
        let mut recent = vec![0; bytes.div_ceil(8)];
        RecentWaits::init(bytemuck::cast_slice_mut(&mut recent), order.recent).expect("room was made");
        Rules { options, front, shortest_long_wait: order.shortest_long_wait_s, recent }
    }

    fn recent(&mut self) -> RecentWaits<'_> {
        RecentWaits::attach(bytemuck::cast_slice_mut(&mut self.recent)).expect("made in new")
    }

    /// A job started after this wait.
    pub fn started(&mut self, wait: i64) {
        self.recent().add(wait).expect("waits are spans of time");
    }

    /// The options at present.
    pub fn now(&mut self) -> ForecastOptions {
        let (quantile, least) = (self.front, self.shortest_long_wait);
        let front = match quantile {
            1.0.. => f64::INFINITY,
            _ => self.recent().quantile(quantile, least).expect("a quantile"),
        };
        ForecastOptions { front, ..self.options }
    }
}

/// Waits that have ended, the last first forgotten at a thousand times eight.
#[derive(Default)]
pub struct History {
    waits: VecDeque<i64>,
}

impl History {
    /// Number of waits that are looked at, and number of those kept, so that enough are as long.
    const USED: usize = 1000;
    const KEPT: usize = 8 * History::USED;
    /// Fewer say nothing.
    const FEWEST: usize = 20;

    /// A job started after this wait.
    pub fn started(&mut self, wait: i64) {
        if self.waits.len() == History::KEPT {
            self.waits.pop_back();
        }
        self.waits.push_front(wait);
    }

    /// Quantiles of the rest of the wait of a job that has waited so long, and its probabilities of starting; `None`
    /// while too few have waited longer.
    pub fn tell(&self, age: i64) -> Option<(Quantiles, Chances)> {
        let mut rests: Vec<i64> = self.waits.iter().map(|wait| wait - age).filter(|&rest| rest > 0).collect();
        rests.truncate(History::USED);
        if rests.len() < History::FEWEST {
            return None;
        }
        rests.sort_unstable();
        let share = |within: i64| rests.partition_point(|&rest| rest <= within) as f64 / rests.len() as f64;
        Some((LEVELS.map(|level| quantile(&rests, level).expect("enough")), WITHIN.map(share)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_says_what_is_left_of_longer_waits() {
        let mut history = History::default();
        for wait in 0..=100 {
            history.started(wait);
        }
        assert_eq!(history.tell(-1), Some(([5, 25, 50, 75, 95].map(|wait| wait + 1), [1.0; 4])));
        assert_eq!(history.tell(60), Some(([2, 10, 20, 30, 38], [1.0; 4])));
        assert_eq!(history.tell(81), None);
        for wait in 0..60 {
            history.started(60 * wait);
        }
        // Longer than 100 s are 58: of 120 s, 180 s and so on.
        let (_, chances) = history.tell(100).unwrap();
        assert_eq!(chances, [10.0 / 58.0, 1.0, 1.0, 1.0]);
    }
}
