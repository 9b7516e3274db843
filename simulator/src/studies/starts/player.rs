//! The queue played forward: on processors by the core's [`Forecast`], on nodes by its [`NodeForecast`].

use super::methods::Quantiles;
use crate::replay::machine::Cluster;
use crate::replay::predict::DistributionPredictor;
use crate::trace::workload::{Job, JobId};
use surefill::error::{Error, Result};
use surefill::forecast::{Forecast, ForecastCapacity, ForecastOptions, LEVELS, Progress};
use surefill::nodes::{NodeForecast, NodeForecastCapacity, Request};
use surefill::runtime::{MAX_BINS, RuntimeDistribution};

/// Events into which a bin of a belief is divided.
const EVENTS_PER_BIN: u32 = 4;

/// The queue played forward, in memory that grows with it.
#[derive(Default)]
pub struct Player {
    counted: Option<ForecastCapacity>,
    on_nodes: Option<NodeForecastCapacity>,
    memory: Vec<u64>,
}

/// The predicted run time of a job; without a predictor that it runs to its limit.
fn belief(
    predictor: &mut Option<&mut dyn DistributionPredictor>,
    job: &Job,
    now: i64,
) -> RuntimeDistribution {
    predictor.as_mut().map_or_else(RuntimeDistribution::limit, |predictor| predictor.predict(job, now))
}

/// Questions that both kinds of forecast answer.
trait Answers {
    fn start_quantile(&self, job: usize, probability: f64) -> Result<i64>;
    fn start_probability(&self, job: usize, by: i64) -> Result<f64>;
}

impl Answers for Forecast<'_> {
    fn start_quantile(&self, job: usize, probability: f64) -> Result<i64> {
        Ok(Forecast::start_quantile(self, job, probability)?.value)
    }

    fn start_probability(&self, job: usize, by: i64) -> Result<f64> {
        Ok(Forecast::start_probability(self, job, by)?.value)
    }
}

impl Answers for NodeForecast<'_> {
    fn start_quantile(&self, job: usize, probability: f64) -> Result<i64> {
        Ok(NodeForecast::start_quantile(self, job, probability)?.value)
    }

    fn start_probability(&self, job: usize, by: i64) -> Result<f64> {
        Ok(NodeForecast::start_probability(self, job, by)?.value)
    }
}

/// A queue played forward, to be asked about its jobs.
pub struct Played<'a> {
    answers: Box<dyn Answers + 'a>,
    now: i64,
    /// By submission.
    waits: Vec<JobId>,
}

impl Played<'_> {
    fn place(&self, job: JobId) -> Result<usize> {
        self.waits.binary_search(&job).map_err(|_| Error::NoSuchIndex)
    }

    /// The rest of the wait of a queued job.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`] for a job that is not queued.
    pub fn quantiles(&self, job: JobId) -> Result<Quantiles> {
        let place = self.place(job)?;
        let mut found = Quantiles::default();
        for (found, level) in found.iter_mut().zip(LEVELS) {
            *found = self.answers.start_quantile(place, level)? - self.now;
        }
        Ok(found)
    }

    /// The share of the scenarios in which a queued job starts within `within` seconds.
    ///
    /// # Errors
    /// As [`Played::quantiles`].
    pub fn probability(&self, job: JobId, within: i64) -> Result<f64> {
        self.answers.start_probability(self.place(job)?, self.now.saturating_add(within))
    }
}

impl Player {
    /// Plays the queue until all that wait have started.
    ///
    /// # Errors
    /// Those of [`Forecast`] and [`NodeForecast`]: none for a machine's state.
    pub fn play(
        &mut self,
        cluster: &mut Cluster<'_>,
        options: &ForecastOptions,
        predictor: Option<&mut dyn DistributionPredictor>,
    ) -> Result<Played<'_>> {
        // By submission, which decides between equal jobs.
        let mut waits: Vec<JobId> = cluster.queue().iter().copied().collect();
        waits.sort_unstable();
        let answers: Box<dyn Answers + '_> = if cluster.has_nodes() {
            Box::new(self.play_on_nodes(cluster, &waits, options, predictor)?)
        } else {
            Box::new(self.play_counted(cluster, &waits, options, predictor)?)
        };
        Ok(Played { answers, now: cluster.now(), waits })
    }

    fn play_counted(
        &mut self,
        cluster: &Cluster<'_>,
        waits: &[JobId],
        options: &ForecastOptions,
        mut predictor: Option<&mut dyn DistributionPredictor>,
    ) -> Result<Forecast<'_>> {
        let (running, waiting) = (cluster.running().len() as u32, waits.len() as u32);
        let enough = |capacity: &ForecastCapacity| {
            running <= capacity.running
                && waiting <= capacity.waiting
                && options.scenarios <= capacity.scenarios
        };
        let capacity = match self.counted.filter(enough) {
            Some(capacity) => capacity,
            None => {
                let capacity = ForecastCapacity {
                    running: running.next_power_of_two(),
                    waiting: waiting.next_power_of_two(),
                    processors: cluster.processors(),
                    bins: MAX_BINS as u32,
                    events_per_bin: EVENTS_PER_BIN,
                    scenarios: options.scenarios,
                };
                self.memory = vec![0; Forecast::size(&capacity)? / 8];
                *self.counted.insert(capacity)
            }
        };
        let now = cluster.now();
        let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut self.memory), &capacity)?;
        forecast.begin(now, cluster.idle(), options)?;
        for running in cluster.running() {
            let belief = belief(&mut predictor, cluster.job(running.job), now);
            forecast.add_running(running.processors, now - running.start, running.limit, &belief)?;
        }
        for &id in waits {
            let job = cluster.job(id);
            let belief = belief(&mut predictor, job, now);
            forecast.add_waiting(job.processors, job.limit, job.submit, &belief)?;
        }
        while forecast.run(u64::MAX)? == Progress::More {}
        Ok(forecast)
    }

    fn play_on_nodes(
        &mut self,
        cluster: &mut Cluster<'_>,
        waits: &[JobId],
        options: &ForecastOptions,
        mut predictor: Option<&mut dyn DistributionPredictor>,
    ) -> Result<NodeForecast<'_>> {
        let machine = cluster.node_state().machine();
        let (nodes, classes, fit) =
            (machine.nodes(), machine.classes.len() as u32, machine.fit.unwrap_or_default());
        let resources = machine.resources.len() as u32;
        let (running, waiting) = (cluster.running().len() as u32, waits.len() as u32);
        let parts = waits.iter().map(|&id| request(cluster.job(id)).count.min(nodes)).sum::<u32>();
        let enough = |capacity: &NodeForecastCapacity| {
            running <= capacity.running
                && waiting <= capacity.waiting
                && parts <= capacity.parts
                && options.scenarios <= capacity.scenarios
        };
        let capacity = match self.on_nodes.filter(enough) {
            Some(capacity) => capacity,
            None => {
                let capacity = NodeForecastCapacity {
                    nodes,
                    classes,
                    resources,
                    running: running.next_power_of_two(),
                    waiting: waiting.next_power_of_two(),
                    parts: parts.next_power_of_two(),
                    bins: MAX_BINS as u32,
                    events_per_bin: EVENTS_PER_BIN,
                    scenarios: options.scenarios,
                    ..NodeForecastCapacity::default()
                };
                self.memory = vec![0; NodeForecast::size(&capacity)? / 8];
                *self.on_nodes.insert(capacity)
            }
        };
        let now = cluster.now();
        let mut forecast = NodeForecast::init(bytemuck::cast_slice_mut(&mut self.memory), &capacity)?;
        forecast.begin(&cluster.nodes(), now, options)?;
        for running in cluster.running().to_vec() {
            let belief = belief(&mut predictor, cluster.job(running.job), now);
            let handle = cluster.node_state().handle(running.job).expect("a running job has a handle");
            let age = now - running.start;
            forecast.add_running(&cluster.nodes(), handle, age, running.limit, &belief)?;
        }
        for &id in waits {
            let job = cluster.job(id);
            let belief = belief(&mut predictor, job, now);
            let nodes = cluster.nodes();
            forecast.add_waiting(&nodes, request(job), fit, job.width(), job.limit, job.submit, &belief)?;
        }
        while forecast.run(&cluster.nodes(), u64::MAX)? == Progress::More {}
        Ok(forecast)
    }
}

fn request(job: &Job) -> &Request {
    job.request.as_ref().expect("a job on nodes asks for something")
}

/// Turns an error of the core, which a machine's state does not cause, into a panic with its text.
pub fn sound<T>(result: Result<T>) -> T {
    result.expect("the machine's state is within a forecast's limits")
}
