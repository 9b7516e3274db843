//! The machine: free processors and running jobs, with the true ends that only an oracle may look at.

use super::lifetimes::Lifetimes;
use super::workload::Job;
use surefill::allocate::LogUniform;

/// A running job.
#[derive(Debug, Clone, Copy)]
pub struct Running {
    /// When it started.
    pub start: f64,
    /// When it will end.
    pub end: f64,
    /// Its processors.
    pub processors: u32,
    /// Its predicted run time.
    pub lifetime: LogUniform,
}

/// The machine at one time.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The time.
    pub now: f64,
    /// Free processors.
    pub free: u32,
    /// In order of their starts.
    pub running: Vec<Running>,
}

impl Machine {
    /// An idle machine.
    pub fn new(procs: u32) -> Machine {
        Machine { now: 0.0, free: procs, running: Vec::new() }
    }

    /// The next completion; infinite when nothing runs.
    pub fn next_end(&self) -> f64 {
        self.running.iter().map(|job| job.end).fold(f64::INFINITY, f64::min)
    }

    /// Moves the time on, ending jobs; true when any ended.
    pub fn advance(&mut self, now: f64) -> bool {
        self.now = now;
        let before = self.free;
        let free = &mut self.free;
        self.running.retain(|job| {
            let stays = job.end > now;
            *free += if stays { 0 } else { job.processors };
            stays
        });
        self.free > before
    }

    /// Starts a job and says when it ends.
    pub fn start(&mut self, job: &Job, processors: u32, lifetimes: &Lifetimes) -> f64 {
        let run_time = job.run_time(processors);
        let lifetime = lifetimes.of(job, processors, run_time);
        let end = self.now + run_time;
        self.running.push(Running { start: self.now, end, processors, lifetime });
        self.free -= processors;
        end
    }

    /// When `processors` processors will be free if nothing starts, from now: the truth. Infinite when never.
    pub fn wait(&self, processors: u32) -> f64 {
        let found = self.releases().find(|&(_, free)| free >= processors);
        found.map_or(f64::INFINITY, |(wait, _)| wait)
    }

    /// The waits at which processors will become free, with how many are then.
    pub fn releases(&self) -> impl Iterator<Item = (f64, u32)> + use<> {
        let mut ends: Vec<(f64, u32)> = self.running.iter().map(|job| (job.end, job.processors)).collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (now, mut free) = (self.now, self.free);
        std::iter::once((now, 0)).chain(ends).map(move |(end, processors)| {
            free += processors;
            (end - now, free)
        })
    }
}
