//! EASY played forward with every job running to its limit, in the order of submission: the starts that Slurm predicts.

use crate::replay::machine::Cluster;
use crate::trace::workload::JobId;
use surefill::error::{Error, Result};
use surefill::forecast::{Forecast, ForecastCapacity, ForecastOptions, Plans, Progress};
use surefill::runtime::RuntimeDistribution;

/// Number of scenarios: without chance any two are the same.
const SCENARIOS: u32 = 2;

/// The forecast's memory, which grows with the machine's jobs.
#[derive(Default)]
pub struct ByLimits {
    capacity: Option<ForecastCapacity>,
    memory: Vec<u64>,
}

impl ByLimits {
    /// The rest of the wait of each of these waiting jobs of a machine of processors, in seconds.
    ///
    /// # Errors
    /// [`Error::NoSuchIndex`] for a job that does not wait; those of [`Forecast`]: none for a machine's state.
    pub fn predict(&mut self, cluster: &Cluster<'_>, asked: &[JobId]) -> Result<Vec<i64>> {
        // By submission, which decides between equal jobs.
        let mut waits: Vec<JobId> = cluster.queue().iter().copied().collect();
        waits.sort_unstable();
        let (running, waiting) = (cluster.running().len() as u32, waits.len() as u32);
        let enough = |capacity: &ForecastCapacity| running <= capacity.running && waiting <= capacity.waiting;
        let capacity = match self.capacity.filter(enough) {
            Some(capacity) => capacity,
            None => {
                let capacity = ForecastCapacity {
                    running: running.next_power_of_two(),
                    waiting: waiting.next_power_of_two(),
                    processors: cluster.processors(),
                    bins: 2,
                    events_per_bin: 1,
                    scenarios: SCENARIOS,
                };
                self.memory = vec![0; Forecast::size(&capacity)?.div_ceil(8)];
                *self.capacity.insert(capacity)
            }
        };
        let (now, limit) = (cluster.now(), RuntimeDistribution::limit());
        let options =
            ForecastOptions { scenarios: SCENARIOS, plans: Plans::Limits, ..ForecastOptions::default() };
        let mut forecast = Forecast::init(bytemuck::cast_slice_mut(&mut self.memory), &capacity)?;
        forecast.begin(now, cluster.idle(), &options)?;
        for running in cluster.running() {
            forecast.add_running(running.processors, now - running.start, running.limit, &limit)?;
        }
        for &id in &waits {
            let job = cluster.job(id);
            forecast.add_waiting(job.processors, job.limit, job.submit, &limit)?;
        }
        while forecast.run(u64::MAX)? == Progress::More {}
        let start = |job: &JobId| {
            let place = waits.binary_search(job).map_err(|_| Error::NoSuchIndex)?;
            Ok(forecast.start_quantile(place, 0.5)?.value - now)
        };
        asked.iter().map(start).collect()
    }
}
