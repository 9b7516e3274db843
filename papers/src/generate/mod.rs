//! The published models of workloads, and those that are compared with them.
//!
//! * [`markov`]: two coupled Markov chains learnt from a trace (Song, Ernemann & Yahyapour 2004), with the trace's
//!   [`arrivals`] and [`people`].
//! * [`independent`]: every parameter from its own distribution in a trace.
//! * [`lublin`]: the model of Lublin & Feitelson 2003.
//! * [`hidden`]: slots and run times from a hidden Markov model, all else from its trace.
//! * [`runs`]: runs of like jobs, for [`hidden`].
//! * [`hmm`]: the hidden Markov model, trained on whole traces.
//!
//! Sites' own models are those of the simulator ([`surefill_simulator::generate`]), which also has the history of a
//! trace and writes the workloads.

pub mod arrivals;
pub mod chain;
pub mod coupling;
pub mod hidden;
pub mod hmm;
pub mod independent;
pub mod lublin;
pub mod markov;
pub mod people;
pub mod runs;

use arrivals::Arrivals;
use hidden::{Hidden, HiddenError, Shapes};
use independent::Independent;
use lublin::Lublin;
use markov::{Markov, Variant};
use people::People;
use std::num::NonZeroU32;
use surefill_simulator::base::random::Random;
use surefill_simulator::generate::{self, Draw, History, job};
use surefill_simulator::trace::swf::SwfJob;

/// A model ready to draw from.
#[derive(Debug, Clone)]
pub enum Model {
    /// Two coupled Markov chains, with the trace's arrivals and people.
    Markov(Box<(Markov, Arrivals, People)>),
    /// Every parameter on its own.
    Independent(Box<Independent>),
    /// Lublin & Feitelson 2003.
    Lublin(Box<Lublin>),
    /// A hidden Markov model.
    Hidden(Box<Hidden>),
    /// A model of the simulator.
    OfSites(generate::Model),
}

impl Model {
    /// The Markov model of a trace.
    pub fn markov(history: &History, variant: Variant) -> Model {
        let jobs = &history.jobs;
        let arrivals = Arrivals::new(jobs, history.unix_start_time);
        Model::Markov(Box::new((Markov::new(history, variant), arrivals, People::new(jobs))))
    }

    /// The independent model of a trace.
    pub fn independent(history: &History) -> Model {
        Model::Independent(Box::new(Independent::new(history)))
    }

    /// Lublin & Feitelson's model for a machine.
    pub fn lublin(procs: NonZeroU32) -> Model {
        Model::Lublin(Box::new(Lublin::new(procs)))
    }

    /// Slots and run times of a hidden Markov model, all else from a trace.
    ///
    /// # Errors
    /// [`HiddenError`].
    pub fn hidden(
        model: &hmm::model::Model,
        history: &History,
        shapes: Shapes,
    ) -> Result<Model, HiddenError> {
        Ok(Model::Hidden(Box::new(Hidden::new(model, history, shapes)?)))
    }
}

impl From<generate::Model> for Model {
    fn from(model: generate::Model) -> Model {
        Model::OfSites(model)
    }
}

impl Draw for Model {
    fn jobs<E>(&self, count: u64, seed: u64, mut each: impl FnMut(SwfJob) -> Result<(), E>) -> Result<(), E> {
        let mut random = Random::new(seed);
        let all = count;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        match self {
            Model::Hidden(model) => model.jobs(&mut random, all, each),
            Model::Independent(model) => model.jobs(&mut random).take(count).try_for_each(each),
            Model::Lublin(model) => model.jobs(&mut random).take(count).try_for_each(each),
            Model::OfSites(model) => model.jobs(all, seed, each),
            Model::Markov(model) => {
                let (markov, arrivals, people) = &**model;
                let (mut walk, mut clock, mut crowd) = (markov.walk(), arrivals.clock(), people.crowd());
                for number in (1..).take(count) {
                    let (processors, run_time) = walk.step(&mut random);
                    let submitter = crowd.submitter(processors, run_time, &mut random);
                    // The first job comes when the trace's first one did.
                    if number > 1 {
                        clock.advance(submitter.same, &mut random);
                    }
                    let shape = (processors, run_time);
                    each(job(number, clock.now(), shape, submitter.request, submitter.user))?;
                }
                Ok(())
            }
        }
    }
}
