//! From jobs to every slot's load and state (section 3.5.1 of Nissimov 2006): a hidden Markov model is trained on them
//! and Viterbi says in which state each slot was; or k-means alone, without a model, says to which of its clusters
//! (Algorithm 4) each slot is nearest. A slot without jobs is near no cluster: it stays in the one before it.

use crate::generate::hmm::entropy::entropy;
use crate::generate::hmm::flat::{Flat, Load};
use crate::generate::hmm::train::Start;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use surefill::error::Error;
use surefill::hmm::{Hmm, HmmCapacity, Round, Termination, Training};
use surefill::runtime::{MAX_BINS, RuntimeBins};
use surefill_simulator::trace::workload::Job;

/// By what slots get their states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The most likely path through the trained hidden Markov model.
    #[default]
    Viterbi,
    /// The nearest cluster of Algorithm 4; nothing is trained.
    Kmeans,
}

/// Options of the model.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// Hidden states.
    pub states: u32,
    /// The first run-time bin's edge (s): whatever is shorter is in the first bin.
    pub first_edge: f64,
    /// Ratio of neighbouring run-time bins' edges.
    pub ratio: f64,
    /// Length of a slot (s).
    pub slot: u32,
    /// Model of the number of jobs in a slot.
    pub load: Load,
    /// Where training begins.
    pub initial: Start,
    /// By what slots get their states.
    pub by: By,
    /// When it stops.
    pub stop: Termination,
    /// When it stops at the latest.
    pub most_rounds: u64,
}

/// Slots with their loads and states, and what training came to.
#[derive(Debug, Clone, PartialEq)]
pub struct States {
    /// Run-time bins, enough for the longest job.
    pub bins: usize,
    /// Jobs submitted in each slot, from the first job's slot to the last one's.
    pub loads: Vec<u32>,
    /// Each slot's state.
    pub path: Vec<u16>,
    /// ln Pr(path, observations); none by k-means.
    pub path_log_probability: Option<f64>,
    /// The last round of training; none by k-means.
    pub round: Option<Round>,
    /// Rounds in which slots had to be bent to.
    pub adapted: u64,
}

/// Why there are no states.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NoStates {
    /// A model needs two slots.
    #[error("all jobs were submitted in one slot: there is nothing to learn from")]
    OneSlot,
    /// The library's bins do not reach the longest job.
    #[error(
        "run times up to {longest} s need more than {MAX_BINS} bins from {first} s on with a ratio of {ratio}: choose a larger first edge or ratio"
    )]
    TooManyBins {
        /// The longest run time (s).
        longest: i64,
        /// The first edge (s).
        first: f64,
        /// The ratio.
        ratio: f64,
    },
    /// More slots than the library can hold.
    #[error("there are too many slots between the first job and the last: choose longer ones")]
    TooManySlots,
    /// The library's answer.
    #[error("the hidden Markov model: {0}")]
    Model(Error),
    /// No path has a probability above 0.
    #[error("the trained model does not explain the jobs")]
    Unexplained,
}

impl From<Error> for NoStates {
    fn from(error: Error) -> NoStates {
        NoStates::Model(error)
    }
}

/// Trains a model on jobs, in order of submission, and finds the states of their slots. `progress` sees every round.
///
/// # Errors
/// [`NoStates`].
pub fn states(jobs: &[Job], setup: &Setup, mut progress: impl FnMut(&Round)) -> Result<States, NoStates> {
    let slot = |job: &Job| job.submit.div_euclid(i64::from(setup.slot));
    let (Some(first), Some(last)) = (jobs.first().map(slot), jobs.last().map(slot)) else {
        return Err(NoStates::OneSlot);
    };
    // One to spare: a full history drops its oldest slots.
    let count = u32::try_from(last - first + 2).map_err(|_| NoStates::TooManySlots)?;
    if count < 3 {
        return Err(NoStates::OneSlot);
    }
    let longest = jobs.iter().map(|job| job.run_time).max().unwrap_or(0);
    // Says whether edge and ratio make sense at all.
    RuntimeBins::new(setup.first_edge, setup.ratio, 2)?;
    let bins = RuntimeBins::covering(setup.first_edge, setup.ratio, longest)
        .map_err(|_| NoStates::TooManyBins { longest, first: setup.first_edge, ratio: setup.ratio })?;
    let cells = u32::try_from(jobs.len().max(bins.count())).map_err(|_| NoStates::TooManySlots)?;
    let limits = HmmCapacity { states: setup.states, bins: bins.count() as u32, slots: count, cells };
    let size = Hmm::size(&limits)?;
    let mut memory = vec![0u64; size.div_ceil(8)];
    let mut hmm = Hmm::init(bytemuck::cast_slice_mut(&mut memory), &limits)?;

    let mut loads = vec![0; count as usize - 1];
    for job in jobs {
        let slot = slot(job);
        hmm.observe(slot - first, bins.bin_of(job.run_time as f64) as u32)?;
        if let Some(load) = loads.get_mut((slot - first) as usize) {
            *load += 1;
        }
    }
    let slots = hmm.slots();
    if slots != (0..i64::from(count) - 1) {
        return Err(NoStates::TooManySlots);
    }

    if setup.by == By::Kmeans {
        hmm.init_k_means(Load::None.model(), slots)?;
        let path = nearest(
            jobs.iter().map(|job| (slot(job) - first, bins.bin_of(job.run_time as f64))),
            &hmm,
            loads.len(),
        )?;
        return Ok(States {
            bins: bins.count(),
            loads,
            path,
            path_log_probability: None,
            round: None,
            adapted: 0,
        });
    }
    if setup.initial == Start::Entropy {
        let mean = jobs.len() as f64 / loads.len() as f64;
        let flat = entropy(setup.states as usize, bins.count(), setup.load, mean);
        hmm.set_parameters(&flat.parameters(setup.load))?;
        hmm.begin_training(slots.clone())?;
    } else {
        hmm.begin_training_from(setup.initial.initial(), setup.load.model(), slots.clone())?;
    }
    let mut adapted = 0;
    let round = loop {
        if let Training::Round(round) = hmm.train(u64::MAX)? {
            progress(&round);
            adapted += u64::from(round.adapted > 0);
            if setup.stop.reached(&round) || round.rounds >= setup.most_rounds {
                break round;
            }
        }
    };
    let mut path = vec![0i32; loads.len()];
    let path_log_probability = hmm.viterbi(slots, &mut path)?;
    if path_log_probability == f64::NEG_INFINITY {
        return Err(NoStates::Unexplained);
    }
    // States are numbered from 0 to at most 63.
    let path = path.into_iter().map(|state| state as u16).collect();
    let path_log_probability = Some(path_log_probability);
    Ok(States { bins: bins.count(), loads, path, path_log_probability, round: Some(round), adapted })
}

/// The cluster that each slot's jobs, given by slot and bin in order of slots, are nearest to in Kullback-Leibler
/// divergence, which is the one under which they are likeliest; of equals the first. O(jobs clusters).
fn nearest(
    jobs: impl Iterator<Item = (i64, usize)>,
    clusters: &Hmm<'_>,
    slots: usize,
) -> Result<Vec<u16>, Error> {
    let bins = clusters.capacity().bins as usize;
    let flat = Flat::of(clusters).map_err(|_| Error::WrongState)?;
    let ln: Vec<f64> = flat.emission.iter().map(|p| libm::log(*p)).collect();
    let mut scores: Vec<Option<Vec<f64>>> = vec![None; slots];
    for (slot, bin) in jobs {
        let Some(score) = scores.get_mut(slot as usize) else { continue };
        let score = score.get_or_insert_with(|| vec![0.0; flat.start.len()]);
        for (score, row) in score.iter_mut().zip(ln.chunks(bins.max(1))) {
            *score += row[bin];
        }
    }
    let mut last = 0;
    let label = |score: Option<Vec<f64>>| {
        if let Some(score) = score {
            let best = score.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            last = score.iter().position(|&score| score == best).unwrap_or(0) as u16;
        }
        last
    };
    Ok(scores.into_iter().map(label).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETUP: Setup = Setup {
        states: 2,
        first_edge: 1.0,
        ratio: 1.8,
        slot: 900,
        load: Load::None,
        initial: Start::Static,
        by: By::Viterbi,
        stop: Termination::LInfinity(1e-6),
        most_rounds: 1000,
    };

    fn job(submit: i64, run_time: i64) -> Job {
        Job { submit, run_time, ..Job::default() }
    }

    #[test]
    fn long_and_short_hours_are_distinguished() {
        // Every 300 s a job; twenty slots of short ones, twenty of long ones, in turn.
        let jobs: Vec<Job> = (0..600i64)
            .map(|n| job(n * 300, if n / 60 % 2 == 0 { 20 + n % 40 } else { 5000 + n % 7 * 1000 }))
            .collect();
        let mut rounds = 0;
        let found = states(&jobs, &SETUP, |_| rounds += 1).unwrap();
        let round = found.round.unwrap();
        assert_eq!(rounds, round.rounds);
        assert!(round.l_infinity < 1e-6);
        assert_eq!(found.loads, [3; 200]);
        let expected: Vec<u16> = (0..200).map(|slot| slot / 20 % 2).collect();
        assert_eq!(found.path, expected);
        let report = super::super::characterize(&found.loads, &found.path, 2).unwrap();
        assert_eq!(report.states[1].durations.mean, Some(20.0));
    }

    #[test]
    fn k_means_tells_slots_one_by_one() {
        // Twenty slots of short jobs, twenty of long ones, in turn; in the middle of the first a slot of long ones, in
        // the middle of the second one without any.
        let kind = |slot: i64| slot / 20 % 2 == 1 || slot == 10;
        let of = |slot: i64| {
            (0..3).map(move |n| job(slot * 900 + n * 300, if kind(slot) { 8000 + n } else { 20 + n * 20 }))
        };
        let jobs: Vec<Job> = (0..200).filter(|&slot| slot != 30).flat_map(of).collect();
        let found = states(&jobs, &Setup { by: By::Kmeans, ..SETUP }, |_| ()).unwrap();
        let expected: Vec<u16> = (0..200).map(|slot| u16::from(kind(slot))).collect();
        assert_eq!((found.path, found.round, found.loads[30]), (expected.clone(), None, 0));
        // The model smooths the one slot away or not, but knows as many.
        let report = super::super::characterize(&found.loads, &expected, 2).unwrap();
        assert_eq!((report.states[0].durations.intervals, report.states[1].durations.intervals), (6, 6));
        let other = Setup { by: By::Kmeans, states: 3, ..SETUP };
        assert_eq!(states(&jobs, &other, |_| ()).unwrap_err(), NoStates::Model(Error::OutOfRange));
    }

    #[test]
    fn the_nearest_cluster_by_divergence() {
        // The divergence of a slot's shares p from its own cluster's B is the smallest: the sum of p log2 (p / B), as
        // Algorithm 4 has it.
        let jobs: Vec<Job> = (0..900i64).map(|n| job(n * 400, 3 + n * n * 7919 % 20_000)).collect();
        let setup = Setup { by: By::Kmeans, states: 4, ..SETUP };
        let path = states(&jobs, &setup, |_| ()).unwrap().path;
        let bins =
            RuntimeBins::covering(1.0, 1.8, jobs.iter().map(|job| job.run_time).max().unwrap()).unwrap();
        let mut counts = vec![vec![0.0; bins.count()]; path.len()];
        for job in &jobs {
            counts[(job.submit / 900) as usize][bins.bin_of(job.run_time as f64)] += 1.0;
        }
        let mut clusters = vec![vec![0.0; bins.count()]; 4];
        for (slot, &label) in counts.iter().zip(&path).filter(|(slot, _)| slot.iter().sum::<f64>() > 0.0) {
            clusters[label as usize].iter_mut().zip(slot).for_each(|(sum, count)| *sum += count);
        }
        let share = |row: &[f64]| {
            let all = row.iter().sum::<f64>();
            row.iter().map(|count| count / all).collect::<Vec<f64>>()
        };
        let clusters: Vec<Vec<f64>> = clusters.iter().map(|row| share(row)).collect();
        for (slot, &label) in counts.iter().zip(&path).filter(|(slot, _)| slot.iter().sum::<f64>() > 0.0) {
            let p = share(slot);
            let from = |b: &[f64]| {
                p.iter().zip(b).filter(|(p, _)| **p > 0.0).map(|(p, b)| p * (p / b).log2()).sum::<f64>()
            };
            let own = from(&clusters[label as usize]);
            assert!(clusters.iter().all(|other| own <= from(other) + 1e-9), "{p:?}");
        }
    }

    #[test]
    fn a_threshold_that_is_never_reached_ends_all_the_same() {
        let jobs: Vec<Job> = (0..200i64).map(|n| job(n * 300, 20 + n * 7919 % 5000)).collect();
        let setup = Setup { stop: Termination::LInfinity(1e-300), most_rounds: 7, ..SETUP };
        assert_eq!(states(&jobs, &setup, |_| ()).unwrap().round.unwrap().rounds, 7);
    }

    #[test]
    fn what_cannot_be_learnt() {
        let of = |jobs: &[Job], setup: &Setup| states(jobs, setup, |_| ()).unwrap_err();
        assert_eq!(of(&[], &SETUP), NoStates::OneSlot);
        assert_eq!(of(&[job(5, 1), job(800, 9)], &SETUP), NoStates::OneSlot);
        let two = [job(0, 10), job(900, 10)];
        assert_eq!(of(&two, &Setup { states: 0, ..SETUP }), NoStates::Model(Error::OutOfRange));
        assert_eq!(of(&two, &Setup { ratio: 1.0, ..SETUP }), NoStates::Model(Error::OutOfRange));
        let three = Setup { states: 3, initial: Start::Kmeans, ..SETUP };
        assert_eq!(of(&two, &three), NoStates::Model(Error::OutOfRange));
        assert_eq!(of(&[job(0, 1), job(1 << 45, 1)], &SETUP), NoStates::TooManySlots);
        assert!(states(&two, &SETUP, |_| ()).is_ok());
        let fine = Setup { ratio: 1.1, ..SETUP };
        let long = [job(0, 616_793), job(900, 10)];
        assert_eq!(of(&long, &fine), NoStates::TooManyBins { longest: 616_793, first: 1.0, ratio: 1.1 });
        assert!(states(&long, &Setup { first_edge: 100.0, ..fine }, |_| ()).is_ok());
    }
}
