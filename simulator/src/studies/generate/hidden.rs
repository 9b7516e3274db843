//! The `hmm` model: a workload drawn from a hidden Markov model with a load model (Nissimov 2006, which names this as
//! future work).
//!
//! Slot after slot the model is in a state, which says how many jobs come and how their run times are distributed over
//! bins; they come at any time of the slot. What the model does not say:
//!
//! * **With a trace**, a job of the bin's jobs in the trace, any with the same probability, gives run time and
//!   processors; a bin without any gives the run time as below, and any job of the trace the processors. Users and
//!   requests are those of [`super::people`].
//! * **Without**, run times are log-uniform within the bin (its last bin, which is open, ends after one more ratio),
//!   sizes are Lublin's ([`super::lublin`]), users and requests those of [`super::visits`].
//!
//! A chain that gets into states without jobs for 2^24 slots, longer than any trace, starts again from its first
//! distribution.

use super::history::History;
use super::lublin::Lublin;
use super::people::People;
use super::visits::Visits;
use crate::base::random::Random;
use crate::studies::hmm::flat::{Flat, Load};
use crate::studies::hmm::model::Model;
use crate::trace::swf::{MAX_VALUE, SwfJob};
use std::num::NonZeroU32;

/// After this number of slots without a job in a row there are no more jobs.
const SILENCE: u32 = 1 << 24;

/// The model and what stands beside it.
#[derive(Debug, Clone)]
pub struct Hidden {
    model: Flat,
    load: Load,
    slot_s: i64,
    /// The ends of each bin, in seconds.
    bins: Vec<(f64, f64)>,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Trace {
        people: Box<People>,
        /// Processors and run time of the jobs of each bin.
        by_bin: Vec<Vec<(u32, i64)>>,
        processors: Vec<u32>,
        /// Where the first slot begins.
        begin: i64,
    },
    Machine {
        sizes: Box<Lublin>,
        users: NonZeroU32,
    },
}

/// Why a model generates nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HiddenError {
    /// It has no load model.
    #[error("a model without a load model generates no jobs: train it with --load poisson or geometric")]
    NoLoad,
    /// In the long run no job comes.
    #[error("the model's states have no jobs: nothing would ever be generated")]
    Silent,
    /// The text is no model.
    #[error(transparent)]
    Model(#[from] crate::studies::hmm::Error),
}

impl Hidden {
    fn new(model: &Model, source: Source) -> Result<Hidden, HiddenError> {
        if model.load == Load::None {
            return Err(HiddenError::NoLoad);
        }
        let (bins, flat) = (model.bins()?, model.flat());
        let mean = |parameter: &f64| match model.load {
            Load::Geometric => 1.0 / parameter - 1.0,
            _ => *parameter,
        };
        let jobs: f64 =
            flat.stationary().iter().zip(&flat.load_parameter).map(|(share, load)| share * mean(load)).sum();
        // A job in 2^24 slots counts as no job.
        if !(jobs.is_finite() && jobs * f64::from(SILENCE) >= 1.0) {
            return Err(HiddenError::Silent);
        }
        let ends = |bin: usize| {
            let low = bins.lower(bin).unwrap_or(0.0).max(1.0);
            let high = bins.upper(bin).filter(|high| high.is_finite()).unwrap_or(low * model.ratio);
            (low, high.max(low))
        };
        let bins = (0..bins.count()).map(ends).collect();
        Ok(Hidden { model: flat, load: model.load, slot_s: model.slot_s, bins, source })
    }

    /// With the processors, users and requests of a trace.
    ///
    /// # Errors
    /// [`HiddenError`].
    pub fn of_trace(model: &Model, history: &History) -> Result<Hidden, HiddenError> {
        let bins = model.bins()?;
        let mut by_bin = vec![Vec::new(); bins.count()];
        for job in &history.jobs {
            by_bin[bins.bin_of(job.run_time as f64)].push((job.processors, job.run_time));
        }
        let first = history.jobs.first().map_or(0, |job| job.submit);
        let source = Source::Trace {
            people: Box::new(People::new(&history.jobs)),
            by_bin,
            processors: history.jobs.iter().map(|job| job.processors).collect(),
            begin: first.div_euclid(model.slot_s) * model.slot_s,
        };
        Hidden::new(model, source)
    }

    /// For a machine of which there is no trace.
    ///
    /// # Errors
    /// [`HiddenError`].
    pub fn of_machine(model: &Model, procs: NonZeroU32, users: NonZeroU32) -> Result<Hidden, HiddenError> {
        Hidden::new(model, Source::Machine { sizes: Box::new(Lublin::new(procs)), users })
    }

    /// Gives jobs to `each` in order of submission until it says no.
    pub(super) fn jobs<E>(
        &self,
        random: &mut Random,
        count: u64,
        mut each: impl FnMut(SwfJob) -> Result<(), E>,
    ) -> Result<(), E> {
        let states = self.model.start.len();
        let mut crowd = match &self.source {
            Source::Trace { people, .. } => Submitters::Crowd(people.crowd()),
            Source::Machine { users, .. } => Submitters::Visits(Visits::new(*users)),
        };
        let mut begin = match self.source {
            Source::Trace { begin, .. } => begin.max(0),
            Source::Machine { .. } => 0,
        };
        let mut number = 0;
        let mut silence = 0;
        let mut state = random.weighted(&self.model.start);
        while number < count {
            let parameter = self.model.load_parameter[state];
            let mut left = match self.load {
                Load::Geometric => random.geometric(parameter),
                _ => random.poisson(parameter),
            };
            silence = if left > 0 { 0 } else { silence + 1 };
            let emission = &self.model.emission[state * self.bins.len()..(state + 1) * self.bins.len()];
            let mut at = 0.0;
            while left > 0 && number < count {
                number += 1;
                // The earliest of as many uniform times as are left.
                at = 1.0 - (1.0 - at) * libm::pow(1.0 - random.uniform(), 1.0 / left as f64);
                left -= 1;
                let submit = begin.saturating_add((at * self.slot_s as f64) as i64);
                let submit = submit.min(begin.saturating_add(self.slot_s - 1)).min(MAX_VALUE);
                let (processors, run_time) = self.shape(random.weighted(emission), random);
                let (user, request) = match &mut crowd {
                    Submitters::Crowd(crowd) => {
                        let submitter = crowd.submitter(processors, run_time, random);
                        (submitter.user, submitter.request)
                    }
                    Submitters::Visits(visits) => {
                        let user = visits.next(random).user;
                        (user as i64 + 1, visits.request(user, run_time, random))
                    }
                };
                each(super::job(number as i64, submit, (processors, run_time), request, user))?;
            }
            begin = begin.saturating_add(self.slot_s);
            state = if silence >= SILENCE {
                silence = 0;
                random.weighted(&self.model.start)
            } else {
                random.weighted(&self.model.transition[state * states..(state + 1) * states])
            };
        }
        Ok(())
    }

    /// Processors and run time of a job of this bin.
    fn shape(&self, bin: usize, random: &mut Random) -> (u32, i64) {
        let within = |random: &mut Random| {
            let (low, high) = self.bins[bin];
            // Whole seconds, not below the bin.
            (random.log_uniform(low, high) as i64).max(libm::ceil(low) as i64).min(MAX_VALUE)
        };
        match &self.source {
            Source::Trace { by_bin, processors, .. } => match &by_bin[bin][..] {
                [] => (processors[random.index(processors.len())], within(random)),
                jobs => jobs[random.index(jobs.len())],
            },
            Source::Machine { sizes, .. } => (sizes.processors(random), within(random)),
        }
    }
}

enum Submitters<'a> {
    Crowd(super::people::Crowd<'a>),
    Visits(Visits),
}
