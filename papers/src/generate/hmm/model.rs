//! A model as data: what the core's model is made of, in files of JSON, smoothed.

use super::Error;
use super::flat::{Flat, Load};
use super::sample::Sample;
use super::train::Trained;
use serde::{Deserialize, Serialize};
use surefill::hmm::Hmm;
use surefill::runtime::RuntimeBins;

/// The busiest state of a model that is read, in mean jobs a slot: what is drawn from it must come to an end.
const MOST_JOBS: f64 = 1e6;

/// Value of [`Model::format`].
const FORMAT: &str = "surefill hidden Markov model 1";

/// A model's parameters, and what they are about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The kind of file and its version.
    pub format: String,
    /// Name of the trace that it was trained on.
    pub trace: String,
    /// The number of jobs it was trained on.
    pub jobs: u64,
    /// The number of slots in which they were submitted.
    pub slots: u64,
    /// Rounds of training.
    pub rounds: u64,
    /// Slot length in seconds.
    pub slot_s: i64,
    /// Where the second bin starts, in seconds.
    pub first_edge_s: f64,
    /// Ratio of the bins' edges.
    pub ratio: f64,
    /// The load model.
    pub load: Load,
    /// pi.
    pub start: Vec<f64>,
    /// A, a row for each state.
    pub transition: Vec<Vec<f64>>,
    /// B, a row for each state.
    pub emission: Vec<Vec<f64>>,
    /// The load's parameters, one for each state: mean of Poisson, Pr(no job) of geometric; none without a load model.
    pub load_parameter: Vec<f64>,
}

impl Model {
    /// The model that training on this sample has made.
    ///
    /// # Errors
    /// [`Error::Core`].
    pub fn new(
        hmm: &Hmm<'_>,
        trace: &str,
        sample: &Sample,
        load: Load,
        trained: &Trained,
    ) -> Result<Model, Error> {
        let slots = hmm.slots();
        let flat = Flat::of(hmm)?;
        let rows = |flat: &[f64], width: usize| flat.chunks(width.max(1)).map(<[f64]>::to_vec).collect();
        Ok(Model {
            format: FORMAT.to_owned(),
            trace: trace.to_owned(),
            jobs: hmm.jobs(slots.clone()),
            slots: (slots.end - slots.start).unsigned_abs(),
            rounds: trained.rounds,
            slot_s: sample.slot_s,
            first_edge_s: sample.bins.upper(0).unwrap_or(f64::INFINITY),
            ratio: sample.bins.ratio(),
            load,
            transition: rows(&flat.transition, flat.start.len()),
            emission: rows(&flat.emission, sample.bins.count()),
            start: flat.start,
            load_parameter: flat.load_parameter,
        })
    }

    /// Reads a model.
    ///
    /// # Errors
    /// The fault of the text, in words.
    pub fn from_json(text: &str) -> Result<Model, String> {
        let model: Model = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if model.format != FORMAT {
            return Err(format!("'{}' is not '{FORMAT}'", model.format));
        }
        if model.slot_s < 1 {
            return Err(format!("slots of {} s", model.slot_s));
        }
        let (states, bins) = (model.states() as usize, model.emission.first().map_or(0, Vec::len));
        let rows = |matrix: &[Vec<f64>], width: usize| matrix.iter().all(|row| row.len() == width);
        if !(rows(&model.transition, states) && rows(&model.emission, bins)) {
            return Err("the matrices' rows are not all of the same length".to_owned());
        }
        model.flat().parameters(model.load).check(states, bins).map_err(|error| error.to_string())?;
        model.bins().map_err(|error| format!("bins: {error}"))?;
        if model.busiest() > MOST_JOBS {
            return Err(format!("{} jobs a slot: more than {MOST_JOBS}", model.busiest()));
        }
        Ok(model)
    }

    /// States M.
    pub fn states(&self) -> u32 {
        u32::try_from(self.start.len()).unwrap_or(u32::MAX)
    }

    /// The run-time bins.
    ///
    /// # Errors
    /// [`Error::Core`].
    pub fn bins(&self) -> Result<RuntimeBins, Error> {
        let count = self.emission.first().map_or(0, Vec::len);
        Ok(RuntimeBins::new(self.first_edge_s, self.ratio, count)?)
    }

    /// The mean number of jobs in a slot of the busiest state; 0 without a load model.
    fn busiest(&self) -> f64 {
        let mean = |&parameter: &f64| match self.load {
            Load::None => 0.0,
            Load::Poisson => parameter,
            Load::Geometric => 1.0 / parameter - 1.0,
        };
        self.load_parameter.iter().map(mean).fold(0.0, f64::max)
    }

    /// In the core's layout.
    pub fn flat(&self) -> Flat {
        Flat {
            start: self.start.clone(),
            transition: self.transition.concat(),
            emission: self.emission.concat(),
            load_parameter: self.load_parameter.clone(),
        }
    }

    /// The model with the m-estimates of section 3.1 in place of its probabilities, so that none is zero: B'_ij = (n
    /// B_ij + m) / (n + m N) with the n jobs, A'_ij = (T A_ij + m) / (T + m M) with the T slots it was trained on, and
    /// pi is the long-run distribution of A'. The load's parameters become those of T slots and m of the mean load.
    pub fn smoothed(&self, m: f64) -> Model {
        let (jobs, slots) = (self.jobs as f64, self.slots as f64);
        let estimates = |matrix: &[Vec<f64>], seen: f64| -> Vec<Vec<f64>> {
            let estimate = |row: &Vec<f64>| {
                let all = seen + m * row.len() as f64;
                row.iter().map(|p| (seen * p + m) / all).collect()
            };
            matrix.iter().map(estimate).collect()
        };
        let mean = jobs / slots;
        let load = |&parameter: &f64| match self.load {
            Load::None => parameter,
            Load::Poisson => (slots * parameter + m * mean) / (slots + m),
            // 1 / p = 1 + mean load
            Load::Geometric => (slots + m) / (slots / parameter + m * (1.0 + mean)),
        };
        let mut model = self.clone();
        if m > 0.0 {
            model.emission = estimates(&self.emission, jobs);
            model.transition = estimates(&self.transition, slots);
            model.load_parameter = self.load_parameter.iter().map(load).collect();
        }
        model.start = model.flat().stationary();
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        Model {
            format: FORMAT.to_owned(),
            trace: "t.swf".to_owned(),
            jobs: 30,
            slots: 10,
            rounds: 3,
            slot_s: 900,
            first_edge_s: 1.5,
            ratio: 1.8,
            load: Load::Geometric,
            start: vec![1.0, 0.0],
            transition: vec![vec![0.9, 0.1], vec![0.3, 0.7]],
            emission: vec![vec![0.1, 0.2, 0.7], vec![0.0, 1.0 / 3.0, 2.0 / 3.0]],
            load_parameter: vec![0.5, 1.0],
        }
    }

    #[test]
    fn files_keep_every_bit() {
        let text = serde_json::to_string(&model()).unwrap();
        assert_eq!(Model::from_json(&text).unwrap(), model());
    }

    #[test]
    fn wrong_files_are_refused() {
        type Damage = fn(&mut Model);
        let damages: [(Damage, &str); 7] = [
            (|m| m.format.push('0'), "is not"),
            (|m| m.transition[0][0] = 0.8, "sum to 1"),
            (|m| m.emission[1].truncate(2), "same length"),
            (|m| m.load_parameter.clear(), "out of range"),
            (|m| m.load_parameter[0] = 0.0, "out of range"),
            (|m| m.ratio = 1.0, "bins"),
            (|m| m.slot_s = 0, "slots of 0 s"),
        ];
        for (damage, said) in damages {
            let mut model = model();
            damage(&mut model);
            let error = Model::from_json(&serde_json::to_string(&model).unwrap()).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        assert!(Model::from_json("{}").is_err());
    }

    #[test]
    fn the_long_run() {
        // pi A = pi: pi_0 0.1 = pi_1 0.3
        let stationary = model().flat().stationary();
        assert!((stationary[0] - 0.75).abs() < 1e-12 && (stationary[1] - 0.25).abs() < 1e-12);
        let mut alternating = model().flat();
        alternating.transition = vec![0.0, 1.0, 1.0, 0.0];
        assert!(alternating.stationary().iter().all(|p| (p - 0.5).abs() < 1e-12));
    }

    #[test]
    fn smoothing_leaves_no_zero() {
        let smoothed = model().smoothed(1.0);
        assert_eq!(smoothed.emission[1][0], 1.0 / 33.0);
        assert!((smoothed.transition[0][1] - 2.0 / 12.0).abs() < 1e-15);
        // 11 slots: 10 without jobs and one of 3 jobs
        assert!((1.0 / smoothed.load_parameter[1] - 1.0 - 3.0 / 11.0).abs() < 1e-12);
        smoothed.flat().parameters(Load::Geometric).check(2, 3).unwrap();
        assert_eq!(model().smoothed(0.0).emission, model().emission);
    }
}
