//! All methods on all queues of a trace.

use super::classes::Classes;
use super::further::{Collector, Further};
use super::machine::MachineHistory;
use super::measures::Measures;
use super::paper::{Published, published};
use super::simulate::{Nobody, Outcome, simulate, simulate_on};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surefill::error::Error;
use surefill::wait::{ADAPT, AVAILABILITY, Attribute, CLUSTER, TRIM, VISIBLE, WaitOptions};
use surefill_simulator::live::methods::{By, Method};
use surefill_simulator::live::queues::{Counts, Queue};

/// Measurements to make, and their options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The quantile that is bounded.
    pub quantile: f64,
    /// The confidence of the bounds.
    pub confidence: f64,
    /// The methods; the binomial is measured in any case, as all accuracy is relative to it.
    pub methods: Vec<Method>,
    /// Attribute that jobs are clustered by.
    pub by: By,
    /// The components that are on, as the core has them.
    pub components: u32,
    /// The rates of the adapted bounds.
    pub rates: Vec<f64>,
    /// Quantile that the availability detectors bound.
    pub down_quantile: f64,
    /// After how many known waits jobs are clustered again.
    pub recluster_every: u32,
    /// The largest number of clusters.
    pub clusters: u32,
    /// The part of a queue's jobs, the first, that is training.
    pub training: f64,
    /// Queues with fewer jobs are left out.
    pub min_jobs: usize,
    /// Whether the library's default is measured alone.
    pub default_only: bool,
    /// Whether the default knows the machine: free processors, and who waits in all queues.
    pub machine: bool,
    /// Whether predictors by each attribute and by the best are measured, with bounds that follow their misses as well.
    #[serde(default)]
    pub by_attribute: bool,
}

/// Which predictor was run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Kind {
    /// A method alone (Table 1).
    Alone {
        /// Which.
        method: Method,
    },
    /// With all components that are on (Table 2).
    Full {
        /// Which method.
        method: Method,
        /// Attribute that jobs were clustered by.
        by: By,
    },
    /// The same with adapted bounds.
    Adapted {
        /// Which method.
        method: Method,
        /// The rate.
        rate: f64,
    },
    /// With adapted bounds from all waits: histories are neither trimmed nor clustered.
    Whole {
        /// Which method.
        method: Method,
        /// The rate.
        rate: f64,
    },
    /// The binomial method with adapted bounds, by another attribute than the usual.
    AdaptedBy {
        /// Attribute that jobs were clustered by.
        by: By,
        /// The rate.
        rate: f64,
    },
    /// The library's default: adapted bounds from the waits of the jobs that came into a like situation.
    Visible {
        /// The rate.
        rate: f64,
    },
}

/// One predictor on one queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// Which predictor.
    #[serde(flatten)]
    pub kind: Kind,
    /// After the training.
    #[serde(flatten)]
    pub all: Measures,
    /// By class, of the usual predictor, the adapted ones and the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Classes>,
    /// The first and the second half of that.
    pub halves: [Measures; 2],
    /// The smallest, median and largest number of clusters after the training.
    pub clusters: Option<[usize; 3]>,
    /// The shares of the jobs after the training whose clusters were made by each of [`By::ALL`], where the predictor
    /// chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<[f64; 3]>,
    /// By how many nats a wait the last clustering raised the criterion over a single cluster.
    pub criterion: f64,
    /// Jobs that wait already, and probabilities; of the usual and the adapted predictors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<Further>,
}

/// One queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QueueStudy {
    /// Its name.
    pub queue: String,
    /// Its jobs.
    pub jobs: usize,
    /// Jobs of training.
    pub training: usize,
    /// The predictors.
    pub measured: Vec<Measured>,
    /// The paper's; not read back ([`Study::with_published`]).
    #[serde(skip_deserializing)]
    pub published: Option<&'static Published>,
    /// Waits and bounds to be drawn.
    #[serde(skip)]
    pub drawn: Drawn,
}

/// The waits and bounds of a queue, for pages.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    /// All jobs.
    pub queue: Option<Queue>,
    /// The bounds of the binomial method alone, with all components, and adapted.
    pub bounds: Vec<(Kind, Vec<Option<i64>>)>,
}

/// One trace.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Study {
    /// The trace's file name without its folder.
    pub trace: String,
    /// Number of its lines by their treatment.
    pub counts: Counts,
    /// Queues with too few jobs.
    pub left_out: Vec<(String, usize)>,
    /// The others.
    pub queues: Vec<QueueStudy>,
}

impl Study {
    /// The study with the paper's numbers, for one that was read back.
    #[must_use]
    pub fn with_published(mut self) -> Study {
        for queue in &mut self.queues {
            queue.published = published(&self.trace, &queue.queue);
        }
        self
    }
}

impl QueueStudy {
    /// Measures of this predictor.
    pub fn of(&self, kind: Kind) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.kind == kind)
    }
}

impl Options {
    /// The core's options of a predictor.
    pub fn predictor(&self, kind: Kind) -> WaitOptions {
        let options = WaitOptions {
            quantile: self.quantile,
            confidence: self.confidence,
            attribute: self.by.core(),
            components: self.components,
            recluster_every: self.recluster_every,
            down_quantile: self.down_quantile,
            ..WaitOptions::papers()
        };
        match kind {
            Kind::Alone { method } => WaitOptions { method: method.core(), components: 0, ..options },
            Kind::Full { method, by } => {
                WaitOptions { method: method.core(), attribute: by.core(), ..options }
            }
            Kind::Adapted { method, rate } => {
                WaitOptions { method: method.core(), components: self.components | ADAPT, rate, ..options }
            }
            Kind::AdaptedBy { by, rate } => {
                let components = self.components | ADAPT;
                WaitOptions { attribute: by.core(), components, rate, ..options }
            }
            Kind::Whole { method, rate } => {
                let components = (self.components & AVAILABILITY) | ADAPT;
                WaitOptions { method: method.core(), components, rate, ..options }
            }
            Kind::Visible { rate } => {
                let components = (self.components & AVAILABILITY) | ADAPT | VISIBLE;
                WaitOptions { components, rate, ..options }
            }
        }
    }

    /// The binomial method with the usual attribute.
    pub fn usual(&self) -> Kind {
        Kind::Full { method: Method::Binomial, by: self.by }
    }

    fn kinds(&self) -> Vec<Kind> {
        if self.default_only {
            return self.visible().into_iter().collect();
        }
        let methods = Method::ALL.into_iter().filter(|m| *m == Method::Binomial || self.methods.contains(m));
        let alone = methods.clone().map(|method| Kind::Alone { method });
        let full = methods.clone().map(|method| Kind::Full { method, by: self.by });
        let others = By::ALL.into_iter().chain(self.by_attribute.then_some(By::Best));
        let others = others.filter(|by| *by != self.by);
        let adapted_by = others.clone().filter(|_| self.by_attribute).filter_map(|by| self.adapted_by(by));
        let others = others.map(|by| Kind::Full { method: Method::Binomial, by });
        let rates = self.rates.iter().map(|&rate| self.adapted(rate));
        let whole = methods.clone().filter_map(|method| self.whole(method));
        let adapted = methods.filter(|m| *m != Method::Binomial).filter_map(|m| self.usual_adapted(m));
        alone
            .chain(full)
            .chain(others)
            .chain(rates)
            .chain(adapted)
            .chain(whole)
            .chain(adapted_by)
            .chain(self.visible())
            .collect()
    }

    /// The binomial method with bounds adapted at this rate.
    pub fn adapted(&self, rate: f64) -> Kind {
        Kind::Adapted { method: Method::Binomial, rate }
    }

    /// The library's rate, or the first where that is not among those that are measured.
    fn usual_rate(&self) -> Option<f64> {
        let default = WaitOptions::default().rate;
        self.rates.iter().copied().find(|rate| *rate == default).or(self.rates.first().copied())
    }

    /// A method with bounds adapted at the usual rate.
    pub fn usual_adapted(&self, method: Method) -> Option<Kind> {
        self.usual_rate().map(|rate| Kind::Adapted { method, rate })
    }

    /// The binomial method by this attribute, with bounds adapted at the usual rate.
    pub fn adapted_by(&self, by: By) -> Option<Kind> {
        if by == self.by {
            return self.usual_adapted(Method::Binomial);
        }
        self.usual_rate().map(|rate| Kind::AdaptedBy { by, rate })
    }

    /// A method with bounds from all waits, adapted at the usual rate; none where that is what the components are.
    pub fn whole(&self, method: Method) -> Option<Kind> {
        self.usual_rate()
            .filter(|_| self.components & (TRIM | CLUSTER) != 0)
            .map(|rate| Kind::Whole { method, rate })
    }

    /// The library's default at the usual rate; none where no rate is measured.
    pub fn visible(&self) -> Option<Kind> {
        self.usual_rate().map(|rate| Kind::Visible { rate })
    }

    /// The paper's predictors: every method alone, and with all components.
    pub fn papers(&self) -> impl Iterator<Item = Kind> {
        let alone = Method::ALL.into_iter().map(|method| Kind::Alone { method });
        alone.chain(Method::ALL.into_iter().map(|method| Kind::Full { method, by: self.by }))
    }
}

/// A study that is to be made.
pub struct Plan<'a> {
    trace: String,
    counts: Counts,
    queues: Vec<Queue>,
    left_out: Vec<(String, usize)>,
    machine: Option<MachineHistory>,
    options: &'a Options,
}

impl<'a> Plan<'a> {
    /// The plan for these queues of a trace.
    pub fn new(trace: &str, (queues, counts): (Vec<Queue>, Counts), options: &'a Options) -> Plan<'a> {
        let (queues, small): (Vec<Queue>, Vec<Queue>) =
            queues.into_iter().partition(|queue| queue.jobs.len() >= options.min_jobs.max(1));
        let left_out = small.into_iter().map(|queue| (queue.name, queue.jobs.len())).collect();
        Plan { trace: trace.to_owned(), counts, queues, left_out, machine: None, options }
    }

    /// The plan with the machine's history, which the default predictor uses if the options say so.
    #[must_use]
    pub fn on(self, machine: Option<MachineHistory>) -> Plan<'a> {
        Plan { machine: machine.filter(|_| self.options.machine), ..self }
    }

    /// Number of jobs that are replayed in all.
    pub fn steps(&self) -> u64 {
        let kinds = self.options.kinds().len() as u64;
        self.queues.iter().map(|queue| queue.jobs.len() as u64 * kinds).sum()
    }

    /// Makes it, with all cores. Calls `progress` with numbers of jobs done.
    ///
    /// # Errors
    /// Those of [`simulate`].
    pub fn run(self, progress: &(dyn Fn(u64) + Sync)) -> Result<Study, Error> {
        let kinds = self.options.kinds();
        let tasks: Vec<(usize, Kind)> =
            (0..self.queues.len()).flat_map(|queue| kinds.iter().map(move |kind| (queue, *kind))).collect();
        let done: Result<Vec<_>, Error> = tasks
            .into_par_iter()
            // One at a time: they differ much in length.
            .with_max_len(1)
            .map(|(queue, kind)| self.measure(&self.queues[queue], kind, progress))
            .collect();
        let mut done = done?.into_iter();
        let Plan { trace, counts, queues, left_out, options, .. } = self;
        let queues = queues.into_iter().map(|queue| {
            let runs: Vec<_> = done.by_ref().take(kinds.len()).collect();
            gather(&trace, queue, runs, options)
        });
        Ok(Study { queues: queues.collect(), trace, counts, left_out })
    }

    fn measure(&self, queue: &Queue, kind: Kind, progress: &(dyn Fn(u64) + Sync)) -> Result<Ran, Error> {
        let options = self.options.predictor(kind);
        let (jobs, first) = (&queue.jobs, self.options.first(queue));
        let (outcome, further) = if kind == self.options.usual()
            || matches!(kind, Kind::Adapted { method: Method::Binomial, .. } | Kind::Visible { .. })
        {
            let mut collector = Collector::new(jobs, first, options.quantile, options.confidence);
            if matches!(kind, Kind::Visible { .. }) {
                collector = collector.with_beside();
            }
            let machine = self.machine.as_ref().filter(|_| matches!(kind, Kind::Visible { .. }));
            let clusters = self.options.clusters;
            let outcome = simulate_on(machine, queue, &options, clusters, &mut collector, &progress)?;
            (outcome, Some(collector.finish()))
        } else {
            (simulate(queue, &options, self.options.clusters, &mut Nobody, &progress)?, None)
        };
        let middle = first + (jobs.len() - first) / 2;
        let measures = |from, to| Measures::new(jobs, &outcome, from..to);
        let mut clusters =
            outcome.clusters.get(first / super::simulate::COUNT_EVERY..).unwrap_or_default().to_vec();
        clusters.sort_unstable();
        let spread = clusters.first().zip(clusters.last());
        let measured = Measured {
            kind,
            all: measures(first, jobs.len()),
            classes: further
                .is_some()
                .then(|| Classes::new(jobs, &outcome, first..jobs.len(), options.quantile)),
            halves: [measures(first, middle), measures(middle, jobs.len())],
            clusters: spread.map(|(least, most)| [*least, clusters[clusters.len() / 2], *most]),
            chosen: (options.attribute == Attribute::Best).then(|| shares(&outcome, first)),
            criterion: outcome.explained.1 / outcome.remembered.max(1) as f64,
            further,
        };
        let drawn = match kind {
            Kind::Alone { method: Method::Binomial }
            | Kind::Adapted { method: Method::Binomial, .. }
            | Kind::Visible { .. } => Some(outcome),
            kind if kind == self.options.usual() => Some(outcome),
            _ => None,
        };
        Ok(Ran { measured, drawn })
    }
}

impl Options {
    /// The first job after the training.
    fn first(&self, queue: &Queue) -> usize {
        (queue.jobs.len() as f64 * self.training) as usize
    }
}

/// Shares of the clusterings by each of [`By::ALL`], from this job on.
fn shares(outcome: &Outcome, first: usize) -> [f64; 3] {
    let counted = outcome.by.get(first / super::simulate::COUNT_EVERY..).unwrap_or_default();
    let share = |by: By| counted.iter().filter(|other| **other == by.core()).count() as f64;
    By::ALL.map(|by| share(by) / counted.len().max(1) as f64)
}

/// One predictor's run.
struct Ran {
    measured: Measured,
    drawn: Option<Outcome>,
}

fn gather(trace: &str, queue: Queue, runs: Vec<Ran>, options: &Options) -> QueueStudy {
    let (mut measured, mut bounds) = (Vec::new(), Vec::new());
    for run in runs {
        bounds.extend(run.drawn.map(|outcome| {
            let bounds = outcome.answers.iter().map(|answer| match answer {
                surefill::wait::WaitAnswer::Bound(bound) => Some(*bound),
                _ => None,
            });
            (run.measured.kind, bounds.collect())
        }));
        measured.push(run.measured);
    }
    QueueStudy {
        jobs: queue.jobs.len(),
        training: options.first(&queue),
        measured,
        published: published(trace, &queue.name),
        queue: queue.name.clone(),
        drawn: Drawn { queue: Some(queue), bounds },
    }
}
