//! A model's parameters in the core's layout, and the load models by their names.

use super::Error;
use super::sample::make_safe;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt;
use surefill::hmm::{Hmm, LoadModel, Parameters, ParametersMut};

/// Model of the number of jobs in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Load {
    /// Not at all.
    #[default]
    None,
    /// Poisson.
    Poisson,
    /// Geometric, from 0.
    Geometric,
}

impl Load {
    /// The core's load model.
    pub fn model(self) -> LoadModel {
        match self {
            Load::None => LoadModel::None,
            Load::Poisson => LoadModel::Poisson,
            Load::Geometric => LoadModel::Geometric,
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Load::None => "none",
            Load::Poisson => "poisson",
            Load::Geometric => "geometric",
        })
    }
}

/// Parameters in the core's layout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flat {
    /// pi.
    pub start: Vec<f64>,
    /// A, row by row.
    pub transition: Vec<f64>,
    /// B, row by row.
    pub emission: Vec<f64>,
    /// The load's parameters, if there are any.
    pub load_parameter: Vec<f64>,
}

impl Flat {
    /// The parameters of a model.
    ///
    /// # Errors
    /// [`Error::Core`] when it has none.
    pub fn of(hmm: &Hmm<'_>) -> Result<Flat, Error> {
        let (states, bins) = (hmm.capacity().states as usize, hmm.capacity().bins as usize);
        let loads = if hmm.load() == surefill::hmm::LoadModel::None { 0 } else { states };
        let mut flat = Flat {
            start: vec![0.0; states],
            transition: vec![0.0; states * states],
            emission: vec![0.0; states * bins],
            load_parameter: vec![0.0; loads],
        };
        hmm.parameters(&mut ParametersMut {
            start: &mut flat.start,
            transition: &mut flat.transition,
            emission: &mut flat.emission,
            load_parameter: &mut flat.load_parameter,
        })?;
        Ok(flat)
    }

    /// The parameters in the core's form.
    pub fn parameters(&self, load: Load) -> Parameters<'_> {
        Parameters {
            load: load.model(),
            start: &self.start,
            transition: &self.transition,
            emission: &self.emission,
            load_parameter: &self.load_parameter,
        }
    }

    /// The probabilities of the states one slot after these.
    pub fn after(&self, states: &[f64]) -> Vec<f64> {
        let mut next = vec![0.0; states.len()];
        for (p, row) in states.iter().zip(self.transition.chunks(states.len().max(1))) {
            for (next, a) in next.iter_mut().zip(row) {
                *next += p * a;
            }
        }
        let sum: f64 = next.iter().sum();
        next.iter_mut().for_each(|p| *p /= sum);
        next
    }

    /// Gives every state the safety distribution of [`super::sample::make_safe`].
    pub fn make_safe(&mut self, epsilon: f64) {
        let bins = self.emission.len() / self.start.len().max(1);
        self.emission.chunks_mut(bins.max(1)).for_each(|row| make_safe(row, epsilon));
    }

    /// The share of time that the chain spends in each state in the long run, from its present pi on.
    pub fn stationary(&self) -> Vec<f64> {
        // The chain may stay put at every step here, and so settles even if this one alternates.
        let mut states = self.start.clone();
        for _ in 0..1_000_000 {
            let next: Vec<f64> =
                self.after(&states).iter().zip(&states).map(|(next, p)| 0.5 * (next + p)).collect();
            let change: f64 = next.iter().zip(&states).map(|(a, b)| (a - b).abs()).sum();
            states = next;
            if change < 1e-14 {
                break;
            }
        }
        states
    }
}
