//! From jobs to every slot's load and state: a hidden Markov model is trained on them (chapter 3 of Nissimov 2006), and
//! Viterbi says in which state each slot was.

use crate::trace::workload::Job;
use surefill::error::Error;
use surefill::hmm::{Hmm, HmmCapacity, Initial, LoadModel, Round, Termination, Training};
use surefill::runtime::{MAX_BINS, RuntimeBins};

/// How the model is made.
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
    /// How the number of jobs in a slot is modelled.
    pub load: LoadModel,
    /// Where training begins.
    pub initial: Initial,
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
    /// Each slot's state on the most likely path.
    pub path: Vec<u16>,
    /// ln Pr(path, observations).
    pub path_log_probability: f64,
    /// The last round of training.
    pub round: Round,
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

    hmm.begin_training_from(setup.initial, setup.load, slots.clone())?;
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
    Ok(States { bins: bins.count(), loads, path, path_log_probability, round, adapted })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETUP: Setup = Setup {
        states: 2,
        first_edge: 1.0,
        ratio: 1.8,
        slot: 900,
        load: LoadModel::None,
        initial: Initial::Static,
        stop: Termination::LInfinity(1e-6),
        most_rounds: 1000,
    };

    fn job(submit: i64, run_time: i64) -> Job {
        Job { submit, run_time, ..Job::default() }
    }

    #[test]
    fn long_and_short_hours_are_told_apart() {
        // Every 300 s a job; twenty slots of short ones, twenty of long ones, in turn.
        let jobs: Vec<Job> = (0..600i64)
            .map(|n| job(n * 300, if n / 60 % 2 == 0 { 20 + n % 40 } else { 5000 + n % 7 * 1000 }))
            .collect();
        let mut rounds = 0;
        let found = states(&jobs, &SETUP, |_| rounds += 1).unwrap();
        assert_eq!(rounds, found.round.rounds);
        assert!(found.round.l_infinity < 1e-6);
        assert_eq!(found.loads, [3; 200]);
        let expected: Vec<u16> = (0..200).map(|slot| slot / 20 % 2).collect();
        assert_eq!(found.path, expected);
        let report = super::super::characterize(&found.loads, &found.path, 2).unwrap();
        assert_eq!(report.states[1].durations.mean, Some(20.0));
    }

    #[test]
    fn a_threshold_that_is_never_reached_ends_all_the_same() {
        let jobs: Vec<Job> = (0..200i64).map(|n| job(n * 300, 20 + n * 7919 % 5000)).collect();
        let setup = Setup { stop: Termination::LInfinity(1e-300), most_rounds: 7, ..SETUP };
        assert_eq!(states(&jobs, &setup, |_| ()).unwrap().round.rounds, 7);
    }

    #[test]
    fn what_cannot_be_learnt() {
        let of = |jobs: &[Job], setup: &Setup| states(jobs, setup, |_| ()).unwrap_err();
        assert_eq!(of(&[], &SETUP), NoStates::OneSlot);
        assert_eq!(of(&[job(5, 1), job(800, 9)], &SETUP), NoStates::OneSlot);
        let two = [job(0, 10), job(900, 10)];
        assert_eq!(of(&two, &Setup { states: 0, ..SETUP }), NoStates::Model(Error::OutOfRange));
        assert_eq!(of(&two, &Setup { ratio: 1.0, ..SETUP }), NoStates::Model(Error::OutOfRange));
        let three = Setup { states: 3, initial: Initial::KMeans, ..SETUP };
        assert_eq!(of(&two, &three), NoStates::Model(Error::OutOfRange));
        assert_eq!(of(&[job(0, 1), job(1 << 45, 1)], &SETUP), NoStates::TooManySlots);
        assert!(states(&two, &SETUP, |_| ()).is_ok());
        let fine = Setup { ratio: 1.1, ..SETUP };
        let long = [job(0, 616_793), job(900, 10)];
        assert_eq!(of(&long, &fine), NoStates::TooManyBins { longest: 616_793, first: 1.0, ratio: 1.1 });
        assert!(states(&long, &Setup { first_edge: 100.0, ..fine }, |_| ()).is_ok());
    }
}
