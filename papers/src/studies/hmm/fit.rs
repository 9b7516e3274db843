//! A model trained on a sample or its first half, and how good it is after every round.

use super::divergence::{Comparison, Moved};
use super::gain::{self, Test, halves, run_time_bits};
use super::states::State;
use crate::generate::hmm::Error;
use crate::generate::hmm::block::Block;
use crate::generate::hmm::flat::Flat;
use crate::generate::hmm::sample::{Binning, Sample, entropy};
use crate::generate::hmm::train::{Options, Trained, train};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use surefill::hmm::Hmm;
use surefill_simulator::trace::workload::Counts;

/// A trained model.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The model, with what it was trained on.
    pub block: Block,
    /// Data that it was trained and tested on.
    pub facts: Facts,
    /// Rounds and end of the training.
    pub trained: Trained,
    /// The model after every round, from the initial values (round 0) on.
    pub points: Vec<Point>,
    /// Seconds that training and testing took.
    pub seconds: f64,
}

/// Data that a model was trained and tested on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Jobs trained on.
    pub jobs: u64,
    /// Slots trained on.
    pub slots: u64,
    /// Run-time bins.
    pub bins: usize,
    /// The entropy of their run times' bins, in bits a job.
    pub entropy: f64,
    /// The second half, if the first was trained on.
    pub test: Option<gain::Facts>,
}

/// A model after a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Rounds of training so far.
    pub round: u64,
    /// ln Pr(run times, and load if it is modelled) of what it is trained on; `None` for minus infinity.
    pub log_likelihood: Option<f64>,
    /// Its gain on that over the run times' distribution, in bits a job.
    pub training_gain: Option<f64>,
    /// Its gain on the second half, in bits a job; `None` when that was not tested, or is excluded.
    pub gain: Option<f64>,
    /// The same with the safety distribution in every state.
    pub safe_gain: Option<f64>,
    /// Distance of its distributions from those before the round; none of the initial values.
    pub moved: Option<Moved>,
}

impl Point {
    /// The gain, else that of the model made safe.
    pub fn any_gain(&self) -> Option<f64> {
        self.gain.or(self.safe_gain)
    }
}

/// A trained model, to be reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fitted {
    /// The trace.
    pub trace: String,
    /// Effects of the replay rules.
    pub replay: Counts,
    /// Slots and bins.
    pub binning: Binning,
    /// The model and how it was trained.
    pub options: Options,
    /// Whether only on the first half.
    pub half: bool,
    /// Data that it was trained and tested on.
    #[serde(flatten)]
    pub facts: Facts,
    /// Rounds and end of the training.
    pub trained: Trained,
    /// Seconds that training and testing took.
    pub seconds: f64,
    /// The model after every round.
    pub points: Vec<Point>,
    /// Its states.
    pub states: Vec<State>,
    /// Its comparison with another model.
    pub comparison: Option<Comparison>,
}

/// Trains a model on a sample, or on its first half and then tests it on the second after every round. `progress` is
/// called after every round.
///
/// # Errors
/// [`Error`].
pub fn fit(sample: &Sample, half: bool, options: &Options, progress: &dyn Fn(u64)) -> Result<Fit, Error> {
    fit_from(None, sample, half, options, progress)
}

/// [`fit`] from these parameters in place of the options' initial values.
///
/// # Errors
/// [`Error`].
pub fn fit_from(
    from: Option<&Flat>,
    sample: &Sample,
    half: bool,
    options: &Options,
    progress: &dyn Fn(u64),
) -> Result<Fit, Error> {
    let began = Instant::now();
    options.check()?;
    let (slots, jobs) = if half { halves(sample)?.0 } else { (sample.slots(), &sample.jobs[..]) };
    let mut test = half.then(|| Test::new(sample, options.states, options.load)).transpose()?;
    let facts = Facts {
        jobs: jobs.len() as u64,
        slots: (slots.end - slots.start).unsigned_abs(),
        bins: sample.bins.count(),
        entropy: entropy(&sample.counts(jobs)),
        test: test.as_ref().map(|test| test.facts),
    };
    let mut block = Block::new(options.states, sample.bins.count(), slots.clone(), jobs)?;
    let mut points = Vec::new();
    let mut states = vec![0.0; options.states as usize];
    let mut before: Option<Flat> = None;
    let mut each = |round: u64, hmm: &Hmm<'_>| {
        let likelihood = hmm.filter(slots.clone(), &mut states)?;
        let bits = run_time_bits(hmm, slots.clone(), likelihood)?;
        let (gain, safe_gain) = match &mut test {
            Some(test) if bits.is_some() => (test.gain(hmm, &states, false)?, test.gain(hmm, &states, true)?),
            _ => (None, None),
        };
        let flat = Flat::of(hmm)?;
        let moved = before.replace(flat.clone()).map(|before| Moved::between(&before, &flat));
        points.push(Point {
            round,
            log_likelihood: likelihood.is_finite().then_some(likelihood),
            training_gain: bits.map(|bits| bits / facts.jobs as f64 + facts.entropy),
            gain,
            safe_gain,
            moved,
        });
        progress(round);
        Ok(())
    };
    let trained = train(&mut block, &slots, options, from, &mut each)?;
    Ok(Fit { block, facts, trained, points, seconds: began.elapsed().as_secs_f64() })
}
