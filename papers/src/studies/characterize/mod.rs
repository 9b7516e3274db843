//! The states of a hidden Markov model: section 3.5 of Nissimov 2006.
//!
//! [`characterize`] takes every slot's load and state (from Viterbi, say) and reports for each state how long it lasts,
//! against the geometric distribution that the transition matrix implies (Table 3.1, [`duration`]), and how many jobs
//! its slots hold, against six distributions fitted by maximum likelihood (Figure 3.5, [`load`]). Divergences are in
//! bits, log-likelihoods in nats. [`states`] trains the model and finds the slots' states.

pub mod duration;
pub mod histogram;
pub mod load;
mod optimise;
pub mod states;

use duration::Durations;
use histogram::Histogram;
use load::Fit;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Durations and loads of all states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Slots looked at.
    pub slots: usize,
    /// Every state, in order of its number.
    pub states: Vec<StateReport>,
}

/// Durations and loads of one state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    /// Its number, from 0.
    pub state: usize,
    /// Slots in this state.
    pub slots: u64,
    /// The share of these without a job; none when there are no such slots.
    pub empty_share: Option<f64>,
    /// Mean number of jobs in a slot.
    pub mean_load: Option<f64>,
    /// Slots in a row.
    pub durations: Durations,
    /// Slots by their number of jobs.
    pub loads: Histogram,
    /// The distributions of the load, in the order of [`load::Family`]; none for a state without slots.
    pub fits: Vec<Fit>,
}

impl StateReport {
    /// The distribution with the smallest AIC.
    pub fn best(&self) -> Option<&Fit> {
        self.fits.iter().min_by(|a, b| a.aic.total_cmp(&b.aic))
    }
}

/// Why loads and states do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Every slot has one load and one state.
    #[error("{loads} loads, but {states} states")]
    Lengths {
        /// Loads given.
        loads: usize,
        /// States given.
        states: usize,
    },
    /// States are numbered from 0.
    #[error("slot {slot} is in state {state}, but there are {states} states")]
    State {
        /// The slot, from 0.
        slot: usize,
        /// Its state.
        state: u16,
        /// The number of states.
        states: usize,
    },
}

/// Describes `states` states by every slot's load (jobs) and state. A state that never occurs is reported as such.
///
/// # Errors
/// [`Mismatch`].
pub fn characterize(load: &[u32], state: &[u16], states: usize) -> Result<Report, Mismatch> {
    if load.len() != state.len() {
        return Err(Mismatch::Lengths { loads: load.len(), states: state.len() });
    }
    if let Some((slot, &state)) = state.iter().enumerate().find(|&(_, &state)| usize::from(state) >= states) {
        return Err(Mismatch::State { slot, state, states });
    }
    let one = |number: usize| {
        let inside = load.iter().zip(state).filter(|&(_, &state)| usize::from(state) == number);
        let loads: Histogram = inside.map(|(&load, _)| load).collect();
        let intervals = state.chunk_by(|a, b| a == b).filter(|interval| usize::from(interval[0]) == number);
        let durations = intervals.map(|interval| u32::try_from(interval.len()).unwrap_or(u32::MAX)).collect();
        StateReport {
            state: number,
            slots: loads.total(),
            empty_share: loads.share(0),
            mean_load: loads.mean(),
            durations: Durations::new(&durations),
            fits: load::fits(&loads),
            loads,
        }
    };
    Ok(Report { slots: load.len(), states: (0..states).into_par_iter().map(one).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_by_hand() {
        let load = [0, 3, 1, 0, 0, 7, 2];
        let state = [0, 0, 2, 2, 2, 0, 2];
        let report = characterize(&load, &state, 3).unwrap();
        assert_eq!((report.slots, report.states.len()), (7, 3));
        let [zero, one, two] = &report.states[..] else { panic!("three states") };
        assert_eq!((zero.slots, zero.durations.intervals, zero.durations.mean), (3, 2, Some(1.5)));
        assert_eq!((zero.empty_share, zero.mean_load), (Some(1.0 / 3.0), Some(10.0 / 3.0)));
        assert_eq!(zero.loads.bins(), [(0, 1), (3, 1), (7, 1)]);
        assert_eq!((one.slots, one.durations.intervals, one.empty_share), (0, 0, None));
        assert!(one.fits.is_empty() && one.best().is_none());
        assert_eq!((two.slots, two.durations.intervals, two.durations.mean), (4, 2, Some(2.0)));
        assert_eq!(two.fits.len(), 6);
        // Nothing in the report is NaN or infinite, which JSON could not tell from missing.
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["states"][2]["slots"], 4);
    }

    #[test]
    fn wrong_input() {
        assert_eq!(characterize(&[1], &[], 1), Err(Mismatch::Lengths { loads: 1, states: 0 }));
        let wrong = Mismatch::State { slot: 1, state: 2, states: 2 };
        assert_eq!(characterize(&[1, 1], &[1, 2], 2), Err(wrong));
        assert_eq!(characterize(&[], &[], 0).unwrap(), Report { slots: 0, states: Vec::new() });
    }
}
