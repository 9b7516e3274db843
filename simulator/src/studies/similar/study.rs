//! The evaluation of Song, Ernemann & Yahyapour 2004, Tables 3 to 6: every model learns from a trace, makes as many
//! jobs as it has, with several seeds, and is measured against it.

use super::figures::Figures;
use super::measures::{Measures, Similarity};
use super::paper::{Published, published};
use crate::base::statistics;
use crate::studies::generate::markov::{Markov, Variant};
use crate::studies::generate::{History, Model, Past};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::num::NonZeroU32;

/// The models that are compared, in the order of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rival {
    /// The paper's Markov chains.
    Paper,
    /// The same chains, calibrated.
    Calibrated,
    /// Independent draws.
    Independent,
    /// Lublin & Feitelson 2003.
    Lublin,
}

impl Rival {
    /// All of them.
    pub const ALL: [Rival; 4] = [Rival::Paper, Rival::Calibrated, Rival::Independent, Rival::Lublin];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Rival::Paper => "markov, paper",
            Rival::Calibrated => "markov, calibrated",
            Rival::Independent => "independent",
            Rival::Lublin => "lublin",
        }
    }

    fn model(self, history: &History) -> Model {
        match self {
            Rival::Paper => Model::markov(history, Variant::Paper),
            Rival::Calibrated => Model::markov(history, Variant::Calibrated),
            Rival::Independent => Model::independent(history),
            Rival::Lublin => Model::lublin(NonZeroU32::new(history.procs).unwrap_or(NonZeroU32::MIN)),
        }
    }
}

/// A mean over seeds and the standard deviation from seed to seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (n - 1 below); 0 of one seed.
    pub deviation: f64,
}

impl Mean {
    /// The mean of values; `None` without any.
    pub fn new(values: &[f64]) -> Option<Mean> {
        let mean = statistics::mean(values.iter().copied())?;
        Some(Mean { mean, deviation: statistics::deviation(values).unwrap_or(0.0) })
    }
}

/// One model against one trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The model.
    pub model: Rival,
    /// Table 4.
    pub ks_nodes: Option<Mean>,
    /// Table 4.
    pub ks_run_times: Option<Mean>,
    /// Table 4: difference of the squashed areas over the trace's.
    pub area: Option<Mean>,
    /// Table 5.
    pub correlation: Option<Mean>,
    /// Table 6.
    pub rho_nodes: Option<Mean>,
    /// Table 6.
    pub rho_run_times: Option<Mean>,
    /// Times between submissions, by Kolmogorov-Smirnov.
    pub ks_gaps: Option<Mean>,
    /// Requested times, by Kolmogorov-Smirnov.
    pub ks_requests: Option<Mean>,
    /// What was measured of every seed's workload.
    pub made: Vec<Measures>,
}

impl Judged {
    /// The mean over seeds of one measure.
    pub fn mean(&self, of: impl Fn(&Measures) -> Option<f64>) -> Option<Mean> {
        Mean::new(&self.made.iter().filter_map(of).collect::<Vec<f64>>())
    }
}

/// Table 3's line for a trace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// States of the chain of run times.
    pub run_time_states: usize,
    /// States of the chain of processors.
    pub node_states: usize,
    /// Correlation of the states.
    pub cor0: f64,
    /// Correlation of their differences.
    pub cor1: f64,
    /// How often the calibrated chains share a draw.
    pub theta: f64,
}

/// A trace's lines in Tables 3 to 6.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Study {
    /// The trace's file name without its folder.
    pub trace: String,
    /// Jobs that were learnt from, and as many were made.
    pub jobs: u64,
    /// Lines without run time or processors.
    pub left_out: u64,
    /// Seeds, from 1 up; 0 when nothing was made.
    pub seeds: u32,
    /// Table 3.
    pub parameters: Parameters,
    /// The trace itself.
    pub original: Measures,
    /// Every model.
    pub models: Vec<Judged>,
    /// The paper's numbers.
    #[serde(skip_deserializing)] // known by the trace's name
    pub published: Option<&'static Published>,
}

impl Study {
    /// Finds the paper's numbers again, which a study that has been read does not have.
    pub fn find_published(&mut self) {
        self.published = published(&self.trace);
    }
}

/// The jobs that a model makes of a seed, as a history of their own.
pub fn synthetic(model: &Model, like: &History, name: &str, jobs: u64, seed: u64) -> History {
    let mut made = Vec::new();
    let past = |job: crate::trace::swf::SwfJob| Past {
        submit: job.submit,
        wait: job.wait,
        run_time: job.run_time,
        processors: job.processors,
        requested: job.requested_time,
        user: job.user,
    };
    let result = model.jobs(jobs, seed, |job| {
        made.push(past(job));
        Ok::<(), Infallible>(())
    });
    match result {
        Ok(()) => {}
    }
    History { name: name.to_owned(), jobs: made, ..like.emptied() }
}

impl Study {
    /// Judges all models by a trace with `seeds` seeds; 0 gives the parameters only. `progress` hears of every workload
    /// made.
    pub fn new(history: &History, seeds: u32, progress: &(dyn Fn() + Sync)) -> Study {
        let jobs = history.jobs.len() as u64;
        let paper = Markov::new(history, Variant::Paper);
        let models: Vec<(Rival, Model)> =
            Rival::ALL.into_iter().map(|rival| (rival, rival.model(history))).collect();
        let work: Vec<(usize, u64)> =
            (0..models.len()).flat_map(|m| (1..=u64::from(seeds)).map(move |s| (m, s))).collect();
        let measured: Vec<(usize, Similarity)> = work
            .into_par_iter()
            .map(|(index, seed)| {
                let (rival, model) = &models[index];
                let made = synthetic(model, history, rival.name(), jobs, seed);
                let similarity = Similarity::new(history, &made);
                progress();
                (index, similarity)
            })
            .collect();
        let judged = models.iter().enumerate().map(|(index, &(model, _))| {
            let own = || {
                measured.iter().filter(move |(other, _)| *other == index).map(|(_, similarity)| similarity)
            };
            let of = |value: fn(&Similarity) -> Option<f64>| {
                Mean::new(&own().filter_map(value).collect::<Vec<f64>>())
            };
            Judged {
                model,
                ks_nodes: of(|similarity| Some(similarity.ks_nodes)),
                ks_run_times: of(|similarity| Some(similarity.ks_run_times)),
                area: of(|similarity| similarity.area_difference),
                correlation: of(|similarity| similarity.synthetic.correlation),
                rho_nodes: of(|similarity| similarity.synthetic.rho_nodes),
                rho_run_times: of(|similarity| similarity.synthetic.rho_run_times),
                ks_gaps: of(|similarity| similarity.ks_gaps),
                ks_requests: of(|similarity| similarity.ks_requests),
                made: own().map(|similarity| similarity.synthetic).collect(),
            }
        });
        let calibrated = models.iter().find_map(|(rival, model)| match (rival, model) {
            (Rival::Calibrated, Model::Markov(model)) => Some(model.0.theta()),
            _ => None,
        });
        Study {
            trace: history.name.clone(),
            jobs,
            left_out: history.left_out,
            seeds,
            parameters: Parameters {
                run_time_states: paper.run_times().states(),
                node_states: paper.nodes().states(),
                cor0: paper.rules().cor0,
                cor1: paper.rules().cor1,
                theta: calibrated.unwrap_or(0.0),
            },
            original: Measures::new(&history.jobs),
            models: judged.collect(),
            published: published(&history.name),
        }
    }

    /// A model's line.
    pub fn of(&self, model: Rival) -> Option<&Judged> {
        self.models.iter().find(|judged| judged.model == model)
    }
}

/// The figures of a trace and of every model's first seed, each with its name.
pub fn figures(history: &History) -> Vec<(String, Figures)> {
    let figures = |history: &History| Figures::new(&history.processors(), &history.run_times());
    let jobs = history.jobs.len() as u64;
    let made = Rival::ALL.into_par_iter().map(|rival| {
        let made = synthetic(&rival.model(history), history, rival.name(), jobs, 1);
        (rival.name().to_owned(), figures(&made))
    });
    std::iter::once((history.name.clone(), figures(history))).chain(made.collect::<Vec<_>>()).collect()
}
