//! Training a model: initial values, then rounds of Baum-Welch (Nissimov 2006, sections 3.2 and 3.3).

use super::Error;
use super::block::Block;
use super::entropy::entropy;
use super::flat::{Flat, Load};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use surefill::hmm::{Hmm, Initial, Round, Termination, Training};

/// Where training starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// Static-IV (Algorithm 3).
    #[default]
    Static,
    /// k-means (Algorithm 4).
    Kmeans,
    /// Maximal entropy with a mean bin for each state (chapter 6).
    Entropy,
}

impl Start {
    /// The core's initial values. Those of maximal entropy are made here ([`entropy`]) and handed to it.
    pub fn initial(self) -> Initial {
        match self {
            Start::Static | Start::Entropy => Initial::Static,
            Start::Kmeans => Initial::KMeans,
        }
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Start::Static => "static",
            Start::Kmeans => "kmeans",
            Start::Entropy => "entropy",
        })
    }
}

/// When training stops, written `rounds=N`, `l1=E` or `linf=E`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stop(pub Termination);

impl FromStr for Stop {
    type Err = String;

    fn from_str(text: &str) -> Result<Stop, String> {
        let number = |value: &str| value.parse::<f64>().ok();
        let stop = match text.split_once('=') {
            Some(("rounds", value)) => value.parse().ok().map(Termination::Rounds),
            Some(("l1", value)) => number(value).map(Termination::L1),
            Some(("linf", value)) => number(value).map(Termination::LInfinity),
            _ => None,
        };
        let stop = stop.filter(|stop| stop.check().is_ok()).map(Stop);
        stop.ok_or_else(|| "not rounds=N (from 1), l1=E or linf=E (from 0)".to_owned())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Termination::Rounds(rounds) => write!(f, "rounds={rounds}"),
            Termination::L1(epsilon) => write!(f, "l1={epsilon}"),
            Termination::LInfinity(epsilon) => write!(f, "linf={epsilon}"),
        }
    }
}

/// A model and how it is trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// States M.
    pub states: u32,
    /// The load model.
    pub load: Load,
    /// The initial values.
    pub initial: Start,
    /// When to stop.
    #[serde(with = "super::by_text")]
    pub stop: Stop,
    /// When to stop in any case.
    pub most_rounds: u64,
}

impl Default for Options {
    /// The thesis's: 16 states, no load, Static-IV, L1 with 200; at most 1,000 rounds.
    fn default() -> Options {
        let (load, initial) = (Load::None, Start::Static);
        Options { states: 16, load, initial, stop: Stop::default(), most_rounds: 1000 }
    }
}

impl Options {
    /// # Errors
    /// [`Error::Means`].
    pub fn check(&self) -> Result<(), Error> {
        let doubled = self.states.is_power_of_two() || self.initial != Start::Kmeans;
        if doubled { Ok(()) } else { Err(Error::Means(self.states)) }
    }
}

/// Rounds and end of a training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// Rounds.
    pub rounds: u64,
    /// Whether the criterion was met, not only the most rounds reached.
    pub converged: bool,
    /// Slots that no state explained, over all rounds.
    pub adapted: u64,
    /// The sum of the absolute changes of all parameters in the last round.
    pub l1: f64,
    /// The largest of them.
    pub l_infinity: f64,
}

/// Trains on these slots of a block, from the options' initial values or `from` other parameters. `each` sees the
/// initial values (round 0) and the model after every round, its number given.
///
/// # Errors
/// [`Error::Means`]; what `each` says.
pub fn train(
    block: &mut Block,
    slots: &Range<i64>,
    options: &Options,
    from: Option<&Flat>,
    mut each: impl FnMut(u64, &Hmm<'_>) -> Result<(), Error>,
) -> Result<Trained, Error> {
    options.check()?;
    let mut hmm = block.hmm()?;
    let mean = || {
        let mean = hmm.jobs(slots.clone()) as f64 / (slots.end - slots.start).max(1) as f64;
        if mean > 0.0 { mean } else { 1.0 }
    };
    match (from, options.initial) {
        (Some(parameters), _) => hmm.set_parameters(&parameters.parameters(options.load))?,
        (None, Start::Static) => {
            let mean = mean();
            hmm.init_static(options.load.model(), mean)?;
        }
        (None, Start::Entropy) => {
            let bins = hmm.capacity().bins as usize;
            let flat = entropy(options.states as usize, bins, options.load, mean());
            hmm.set_parameters(&flat.parameters(options.load))?;
        }
        (None, Start::Kmeans) => hmm.init_k_means(options.load.model(), slots.clone())?,
    }
    each(0, &hmm)?;
    hmm.begin_training(slots.clone())?;
    let mut adapted = 0;
    loop {
        let Training::Round(round) = hmm.train(u64::MAX)? else { continue };
        let Round { rounds, l1, l_infinity, .. } = round;
        adapted += u64::from(round.adapted);
        each(rounds, &hmm)?;
        let converged = options.stop.0.reached(&round);
        if converged || rounds >= options.most_rounds {
            hmm.end_training();
            return Ok(Trained { rounds, converged, adapted, l1, l_infinity });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_read_and_written() {
        for text in ["rounds=100", "l1=200", "linf=0.00001"] {
            assert_eq!(text.parse::<Stop>().unwrap().to_string(), text);
        }
        for text in ["rounds=0", "l1=-1", "linf=nan", "l2=3", "rounds", "rounds=1.5", ""] {
            assert!(text.parse::<Stop>().is_err(), "{text}");
        }
    }
}
