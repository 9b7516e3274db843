//! States of a trained model: their shares, durations, jobs and run times.

use crate::generate::hmm::Error;
use crate::generate::hmm::block::Block;
use crate::generate::hmm::model::Model;
use crate::generate::hmm::sample::Sample;
use serde::Serialize;
use surefill::runtime::RuntimeBins;

/// One state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct State {
    /// Its number, as in the saved model.
    pub state: usize,
    /// The share of slots spent in it, given all observations.
    pub share: f64,
    /// Its mean duration, 1 / (1 - A_ii) slots, in seconds; `None` when it is never left.
    pub duration_s: Option<f64>,
    /// Jobs a slot, given all observations; `None` for a state that no slot is in.
    pub jobs_per_slot: Option<f64>,
    /// The median of its run times in seconds, log-uniform inside a bin.
    pub median_run_time_s: f64,
    /// The entropy of its run times' bins, in bits.
    pub entropy: f64,
    /// Its most likely bins, the likeliest first.
    pub bins: Vec<Bin>,
}

/// A bin in a state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// Its number.
    pub bin: usize,
    /// Where it starts, in seconds: 0 for the first.
    pub from_s: f64,
    /// Where it ends, in seconds; `None` for the last, which is open.
    pub to_s: Option<f64>,
    /// Its probability.
    pub probability: f64,
}

/// The number of bins that are shown.
const SHOWN: usize = 3;

/// Describes the states of a model by the observations of the block it was trained in.
///
/// # Errors
/// [`Error::Core`].
pub fn states(block: &mut Block, model: &Model, sample: &Sample) -> Result<Vec<State>, Error> {
    let slots = block.slots();
    let count = model.start.len();
    let (mut visits, mut jobs) = (vec![0.0; count], vec![0.0; count]);
    // From the last slot to the first, like the jobs.
    let mut rest = sample.jobs_in(&slots);
    let mut hmm = block.hmm()?;
    hmm.smooth(slots.clone(), |slot, gamma| {
        let before = rest.partition_point(|job| job.slot < slot);
        let load = (rest.len() - before) as f64;
        rest = &rest[..before];
        for ((visits, jobs), gamma) in visits.iter_mut().zip(&mut jobs).zip(gamma) {
            *visits += gamma;
            *jobs += gamma * load;
        }
    })?;
    let total = (slots.end - slots.start) as f64;
    let described = |state: usize| {
        let stay = model.transition[state][state];
        let emission = &model.emission[state];
        let mut order: Vec<usize> = (0..emission.len()).collect();
        order.sort_by(|&a, &b| emission[b].total_cmp(&emission[a]));
        State {
            state,
            share: visits[state] / total,
            duration_s: (stay < 1.0).then(|| sample.slot_s as f64 / (1.0 - stay)),
            jobs_per_slot: (visits[state] > 0.0).then(|| jobs[state] / visits[state]),
            median_run_time_s: median(emission, &sample.bins),
            entropy: 0.0 - emission.iter().filter(|&&p| p > 0.0).map(|p| p * libm::log2(*p)).sum::<f64>(),
            bins: order
                .into_iter()
                .take(SHOWN)
                .filter(|&bin| emission[bin] > 0.0)
                .map(|bin| described_bin(bin, emission[bin], &sample.bins))
                .collect(),
        }
    };
    Ok((0..count).map(described).collect())
}

fn described_bin(bin: usize, probability: f64, bins: &RuntimeBins) -> Bin {
    let from_s = if bin == 0 { 0.0 } else { bins.lower(bin).unwrap_or(0.0) };
    Bin { bin, from_s, to_s: bins.upper(bin).filter(|to| to.is_finite()), probability }
}

/// The median; the last bin counts as wide as the others.
fn median(probabilities: &[f64], bins: &RuntimeBins) -> f64 {
    let mut below = 0.0;
    for (bin, &p) in probabilities.iter().enumerate() {
        let lower = bins.lower(bin).unwrap_or(0.0);
        if below + p >= 0.5 && p > 0.0 {
            let upper = bins.upper(bin).filter(|upper| upper.is_finite()).unwrap_or(lower * bins.ratio());
            return lower * libm::pow(upper / lower, ((0.5 - below) / p).clamp(0.0, 1.0));
        }
        below += p;
    }
    bins.lower(bins.count().saturating_sub(1)).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_by_hand() {
        let bins = RuntimeBins::new(10.0, 10.0, 4).unwrap();
        // 1 to 10, 10 to 100, 100 to 1000, 1000 and more
        assert!((median(&[0.25, 0.5, 0.25, 0.0], &bins) - 10f64.powf(1.5)).abs() < 1e-9);
        assert_eq!(median(&[0.0, 0.0, 0.0, 1.0], &bins), 1000.0 * 10f64.sqrt());
        assert_eq!(median(&[1.0, 0.0, 0.0, 0.0], &bins), 10f64.sqrt());
    }
}
