//! Methods of forecasting: each gives five quantiles of the rest of a wait, in seconds, or one number as all five.

use crate::base::statistics::quantile;
use crate::replay::policy::WITHIN;
use serde::Serialize;
use std::collections::VecDeque;
use surefill::engine::LEVELS;

/// Five quantiles of the rest of a wait, in seconds.
pub type Quantiles = [i64; LEVELS.len()];

/// The probabilities of starting within each of [`WITHIN`].
pub type Chances = [f64; WITHIN.len()];

/// A method of predicting starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The levels of the scheduler's forecast: its rule played forward over sampled run times and later submissions.
    Scenarios,
    /// The start that the scheduler reports to people: these levels, moved by the starts that followed earlier reports.
    Reported,
    /// EASY played forward with every job running to its limit, as Slurm does.
    Limits,
    /// The waits of the last thousand jobs that waited longer than this one has.
    History,
}

impl Method {
    /// All.
    pub const ALL: [Method; 4] = [Method::Scenarios, Method::Reported, Method::Limits, Method::History];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Method::Scenarios => "scenarios",
            Method::Reported => "reported",
            Method::Limits => "limits alone",
            Method::History => "history of waits",
        }
    }

    /// Whether it says more than one number.
    pub fn has_intervals(self) -> bool {
        self != Method::Limits
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
