//! The evaluation of Song, Ernemann & Yahyapour 2004, Tables 3 to 6: every model learns from a trace, makes as many
//! jobs as it has, with several seeds, and is measured against it.

use super::figures::Figures;
use super::measures::{Measures, Similarity, squashed_area};
use super::paper::{Published, published};
use super::schedulers::{Judgement, workload};
use crate::generate::Model;
use crate::generate::hidden::{self, HiddenError, Shapes};
use crate::generate::markov::{Markov, Variant};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::num::NonZeroU32;
use surefill_simulator::base::statistics;
use surefill_simulator::generate::resample::Unit;
use surefill_simulator::generate::{Draw, History, Kind, Model as OfSites, Past};
use surefill_simulator::replay::policy::Choice;
use surefill_simulator::trace::swf::{MAX_VALUE, SwfJob};
use surefill_simulator::trace::workload::Workload;

/// The models that are compared, in the order of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Rival {
    /// The paper's Markov chains
    Paper,
    /// The same chains, calibrated
    Calibrated,
    /// Independent draws
    Independent,
    /// Lublin & Feitelson 2003
    Lublin,
    /// Slots and run times by a hidden Markov model
    Hmm,
    /// The same, with the paper's chain of processors
    Chained,
    /// The same, in runs of like jobs, some of which use up their limits
    Runs,
    /// The same, with whole jobs of the trace
    Whole,
    /// Sessions drawn by what the machine has to do
    Feedback,
    /// The trace's sessions, shuffled
    Sessions,
    /// The trace's weeks, shuffled
    Weeks,
    /// The trace's months, shuffled
    Months,
}

impl Rival {
    /// Those of the paper's tables.
    pub const TABLES: [Rival; 4] = [Rival::Paper, Rival::Calibrated, Rival::Independent, Rival::Lublin];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Rival::Paper => "markov, paper",
            Rival::Calibrated => "markov, calibrated",
            Rival::Independent => "independent",
            Rival::Lublin => "lublin",
            Rival::Hmm => "hmm",
            Rival::Chained => "hmm, chained",
            Rival::Runs => "hmm, runs",
            Rival::Whole => "hmm, whole",
            Rival::Feedback => "feedback",
            Rival::Sessions => "resample, sessions",
            Rival::Weeks => "resample, weeks",
            Rival::Months => "resample, months",
        }
    }

    fn model(self, history: &History) -> Result<Model, StudyError> {
        let hidden = |shapes| -> Result<Model, StudyError> {
            Ok(Model::hidden(&hidden::learn(history, |_| {})?, history, shapes)?)
        };
        Ok(match self {
            Rival::Paper => Model::markov(history, Variant::Paper),
            Rival::Calibrated => Model::markov(history, Variant::Calibrated),
            Rival::Independent => Model::independent(history),
            Rival::Lublin => Model::lublin(NonZeroU32::new(history.procs).unwrap_or(NonZeroU32::MIN)),
            Rival::Hmm => hidden(Shapes::Bin)?,
            Rival::Chained => hidden(Shapes::Chain)?,
            Rival::Runs => hidden(Shapes::Runs)?,
            Rival::Whole => hidden(Shapes::Whole)?,
            Rival::Feedback => OfSites::feedback(history).into(),
            Rival::Sessions => OfSites::resample(history, Unit::Sessions).into(),
            Rival::Weeks => OfSites::resample(history, Unit::Weeks).into(),
            Rival::Months => OfSites::resample(history, Unit::Months).into(),
        })
    }
}

/// Why there is no study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// No hidden Markov model can be trained.
    #[error(transparent)]
    Training(#[from] crate::generate::hmm::Error),
    /// The hidden Markov model generates nothing.
    #[error(transparent)]
    Hidden(#[from] HiddenError),
    /// A generated workload cannot be replayed.
    #[error(transparent)]
    Workload(#[from] surefill_simulator::trace::workload::Error),
    /// A policy fails.
    #[error(transparent)]
    Replay(#[from] surefill_simulator::replay::run::Error),
}

/// Inputs of a study beside the trace.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The models.
    pub models: &'a [Rival],
    /// Workloads of each, with seeds from 1 up; 0 gives the parameters only.
    pub seeds: u32,
    /// Whether times are stretched until a workload's offered load is the trace's.
    pub trace_load: bool,
    /// The trace as it is replayed, and the policies that judge it and every workload.
    pub judges: Option<(&'a Workload, &'a [Choice])>,
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
    /// Measures of every seed's workload.
    pub made: Vec<Measures>,
    /// Judgements of every seed's workload by schedulers; none unless asked.
    #[serde(default)]
    pub judged: Vec<Judgement>,
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
    /// Probability that the calibrated chains share a draw.
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
    /// Judgement of the trace by schedulers; none unless asked.
    #[serde(default)]
    pub judged: Option<Judgement>,
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

/// The jobs that a model makes of a seed; none without any.
pub fn generated(model: &Model, jobs: u64, seed: u64) -> Vec<SwfJob> {
    let mut made = Vec::new();
    let result = model.jobs(jobs, seed, |job| {
        made.push(job);
        Ok::<(), Infallible>(())
    });
    match result {
        Ok(()) => made,
    }
}

/// Generated jobs as a history of their own.
pub fn synthetic(made: &[SwfJob], like: &History, name: &str) -> History {
    let past = |job: &SwfJob| Past {
        submit: job.submit,
        wait: job.wait,
        run_time: job.run_time,
        processors: job.processors,
        requested: job.requested_time,
        user: job.user,
        kind: Kind {
            group: job.group,
            executable: job.executable,
            queue: job.queue,
            partition: job.partition,
            status: job.status,
        },
    };
    History { name: name.to_owned(), jobs: made.iter().map(past).collect(), ..like.emptied() }
}

impl Study {
    /// Judges models by a trace; `progress` is called for every workload made.
    ///
    /// # Errors
    /// [`StudyError`].
    pub fn new(
        history: &History,
        asked: &Asked<'_>,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Study, StudyError> {
        let jobs = history.jobs.len() as u64;
        let seeds = asked.seeds;
        let paper = Markov::new(history, Variant::Paper);
        let models = asked.models.iter().map(|&rival| Ok((rival, rival.model(history)?)));
        let models: Vec<(Rival, Model)> = models.collect::<Result<_, StudyError>>()?;
        let work: Vec<(usize, u64)> =
            (0..models.len()).flat_map(|m| (1..=u64::from(seeds)).map(move |s| (m, s))).collect();
        let measured: Vec<(usize, Similarity, Option<Judgement>)> = work
            .into_par_iter()
            .map(|(index, seed)| {
                let (rival, model) = &models[index];
                let mut made = generated(model, jobs, seed);
                if asked.trace_load {
                    stretch(&mut made, history);
                }
                let similarity = Similarity::new(history, &synthetic(&made, history, rival.name()));
                let judge = |(trace, policies): (&Workload, &[Choice])| -> Result<Judgement, StudyError> {
                    Ok(Judgement::new(&workload(rival.name(), &made, trace.procs)?, policies)?)
                };
                let judged = asked.judges.map(judge).transpose()?;
                progress();
                Ok((index, similarity, judged))
            })
            .collect::<Result<_, StudyError>>()?;
        let judged = models.iter().enumerate().map(|(index, &(model, _))| {
            let all = || measured.iter().filter(move |(other, ..)| *other == index);
            let own = || all().map(|(_, similarity, _)| similarity);
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
                judged: all().filter_map(|(.., judged)| judged.clone()).collect(),
            }
        });
        let theta = || Markov::new(history, Variant::Calibrated).theta();
        let calibrated = models.iter().find_map(|(rival, model)| match (rival, model) {
            (Rival::Calibrated, Model::Markov(model)) => Some(model.0.theta()),
            _ => None,
        });
        let judge = |(trace, policies)| Judgement::new(trace, policies);
        Ok(Study {
            trace: history.name.clone(),
            jobs,
            left_out: history.left_out,
            seeds,
            parameters: Parameters {
                run_time_states: paper.run_times().states(),
                node_states: paper.nodes().states(),
                cor0: paper.rules().cor0,
                cor1: paper.rules().cor1,
                theta: calibrated.unwrap_or_else(theta),
            },
            original: Measures::new(&history.jobs),
            judged: asked.judges.map(judge).transpose()?,
            models: judged.collect(),
            published: published(&history.name),
        })
    }

    /// A model's line.
    pub fn of(&self, model: Rival) -> Option<&Judged> {
        self.models.iter().find(|judged| judged.model == model)
    }
}

/// Stretches the times of submission until jobs ask for as much of the machine as a trace's.
fn stretch(made: &mut [SwfJob], history: &History) {
    let (Some(first), Some(last)) = (made.first(), made.last()) else { return };
    let (begin, span) = (first.submit, last.submit - first.submit);
    let area: f64 = made.iter().map(|job| f64::from(job.processors) * job.run_time as f64).sum();
    let ends = history.jobs.first().zip(history.jobs.last());
    let wanted =
        squashed_area(&history.jobs) / ends.map_or(0, |(first, last)| last.submit - first.submit) as f64;
    let factor = area / wanted / span as f64;
    // Nothing can be done about a trace of one moment, or without work.
    if factor.is_finite() && factor > 0.0 {
        for job in made {
            job.submit = begin.saturating_add(((job.submit - begin) as f64 * factor) as i64).min(MAX_VALUE);
        }
    }
}

/// The figures of a trace and of every model's first seed, each with its name.
///
/// # Errors
/// [`StudyError`].
pub fn figures(history: &History, models: &[Rival]) -> Result<Vec<(String, Figures)>, StudyError> {
    let figures = |history: &History| Figures::new(&history.processors(), &history.run_times());
    let jobs = history.jobs.len() as u64;
    let made = models.par_iter().map(|rival| {
        let made = synthetic(&generated(&rival.model(history)?, jobs, 1), history, rival.name());
        Ok((rival.name().to_owned(), figures(&made)))
    });
    let made: Vec<(String, Figures)> = made.collect::<Result<_, StudyError>>()?;
    Ok(std::iter::once((history.name.clone(), figures(history))).chain(made).collect())
}
