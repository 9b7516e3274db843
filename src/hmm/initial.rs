//! Initial values of training (Nissimov 2006, section 3.2): Static-IV and k-means.
//!
//! pi and A start uniform, a load model with the same mean in all states.
//!
//! Static-IV (Algorithm 3) gives state i twice the probability in the bins from i N / M to (i + 1) N / M (the algorithm
//! prints i M / N) and ignores the observations.
//!
//! k-means (Algorithm 4) clusters the slots that have jobs by the Kullback-Leibler divergence of their jobs from the
//! cluster's. It starts with one cluster; each cluster is split into the slots with a mean bin above its own and the
//! others, and then slots move to the nearest cluster until none does (at most [`MOST_PASSES`] times). The nearest
//! cluster in that divergence is the one that explains the slot best, sum_j x_jt ln B_ij. A cluster left without slots
//! starts with the distribution of all jobs.

use crate::error::{Error, Result};
use crate::hmm::LoadModel;
use crate::hmm::expectation::{CLUSTER, Progress, Sums};
use crate::hmm::history::History;
use crate::hmm::model::Tables;
use crate::hmm::vector::add_scaled;
use crate::memory::{at, range_mut};

/// Number of passes with one number of clusters after which that number is taken as settled.
const MOST_PASSES: u32 = 1000;

/// Initial values from which training starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Initial {
    /// Static-IV (Algorithm 3).
    #[default]
    Static = 0,
    /// k-means (Algorithm 4); the number of states is a power of two.
    KMeans = 1,
}

impl Initial {
    /// The initial values with this number.
    pub(crate) fn from_number(number: u32) -> Option<Initial> {
        [Initial::Static, Initial::KMeans].into_iter().find(|initial| *initial as u32 == number)
    }
}

/// Uniform pi and A, the same mean load in all states.
fn uniform(tables: &mut Tables<'_>, load: LoadModel, states: usize, mean: f64) {
    let lanes = tables.stride().max(1);
    let p = 1.0 / states.max(1) as f64;
    tables.clear();
    for start in tables.start.iter_mut().take(states) {
        *start = p;
    }
    for row in tables.transition.chunks_mut(lanes) {
        for entry in row.iter_mut().take(states) {
            *entry = p;
        }
    }
    for parameter in tables.load.iter_mut().take(states) {
        *parameter = load.with_mean(mean);
    }
}

/// Static-IV, with `mean` jobs a slot on average.
pub(super) fn set_static(tables: &mut Tables<'_>, load: LoadModel, states: usize, mean: f64) -> Result<()> {
    uniform(tables, load, states, mean);
    let lanes = tables.stride().max(1);
    let bins = tables.emission.len().checked_div(lanes).unwrap_or(0);
    let edge = |state: usize| (state * bins).checked_div(states).unwrap_or(0);
    for (bin, column) in tables.emission.chunks_mut(lanes).enumerate() {
        for (state, p) in column.iter_mut().enumerate().take(states) {
            let own = edge(state)..edge(state + 1);
            let twice = if own.contains(&bin) { 2.0 } else { 1.0 };
            *p = twice / (own.len() + bins) as f64;
        }
    }
    tables.derive(load)
}

/// k-means under way; its state is in the progress.
pub(super) struct Clustering<'m, 'a> {
    pub progress: &'m mut Progress,
    pub sums: &'m mut Sums<'a>,
    pub tables: &'m mut Tables<'a>,
    pub history: &'m mut History<'a>,
    pub states: usize,
    pub load: LoadModel,
}

impl Clustering<'_, '_> {
    /// Begins with one cluster.
    pub fn begin(&mut self) -> Result<()> {
        self.tables.clear();
        let lanes = self.tables.stride().max(1);
        let bins = self.tables.emission.len().checked_div(lanes).unwrap_or(0);
        for column in self.tables.emission.chunks_mut(lanes) {
            for p in column.iter_mut().take(1) {
                *p = 1.0 / bins.max(1) as f64;
            }
        }
        self.tables.derive(LoadModel::None)?;
        self.sums.jobs.fill(0.0);
        let progress = &mut *self.progress;
        (progress.phase, progress.position, progress.block) = (CLUSTER, progress.from, progress.from);
        (progress.clusters, progress.splitting, progress.moved, progress.passes) = (1, 0, 0, 0);
        Ok(())
    }

    /// Visits slots until the tables hold the initial values (`true`) or the work is used up.
    pub fn advance(&mut self, work: &mut u64) -> Result<bool> {
        while *work > 0 {
            *work -= 1;
            self.visit()?;
            self.progress.position += 1;
            if self.progress.position >= self.progress.to && self.end_pass()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives a slot its cluster, and its jobs to the cluster's sums.
    fn visit(&mut self) -> Result<()> {
        let lanes = self.tables.stride();
        let slot = *self.history.slot(self.progress.position)?;
        if slot.jobs == 0 {
            return Ok(());
        }
        let scores = &mut *self.sums.gamma;
        scores.fill(0.0);
        let mut label = slot.label;
        if self.progress.splitting != 0 {
            let mut bins = 0.0;
            for (bin, count) in self.history.cells(&slot) {
                bins += bin as f64 * f64::from(count);
            }
            // `visits` holds the clusters' mean bins, from the pass before.
            if bins / f64::from(slot.jobs) > *at(self.sums.visits, label as usize)? {
                label = label.saturating_add(self.progress.clusters / 2);
            }
        } else {
            for (bin, count) in self.history.cells(&slot) {
                add_scaled(scores, f64::from(count), self.tables.ln_emission(bin)?);
            }
            let mut most = f64::NEG_INFINITY;
            label = 0;
            for (cluster, score) in scores.iter().enumerate().take(self.progress.clusters as usize) {
                if *score > most {
                    (label, most) = (cluster as u32, *score);
                }
            }
        }
        if label != slot.label {
            self.history.slot_mut(self.progress.position)?.label = label;
            self.progress.moved = 1;
        }
        for (bin, count) in self.history.cells(&slot) {
            let row = range_mut(self.sums.jobs, bin.saturating_mul(lanes), lanes)?;
            if let Some(sum) = row.get_mut(label as usize) {
                *sum += f64::from(count);
            }
        }
        Ok(())
    }

    /// Sets B to the clusters' shares, then begins another pass, splits, or ends.
    fn end_pass(&mut self) -> Result<bool> {
        let lanes = self.tables.stride().max(1);
        let totals = &mut *self.sums.backward;
        totals.fill(0.0);
        for column in self.sums.jobs.chunks(lanes) {
            add_scaled(totals, 1.0, column);
        }
        let all: f64 = totals.iter().sum();
        for (column, jobs) in self.tables.emission.chunks_mut(lanes).zip(self.sums.jobs.chunks(lanes)) {
            for ((p, jobs), total) in column.iter_mut().zip(jobs).zip(totals.iter()) {
                *p = if *total > 0.0 { jobs / total } else { 0.0 };
            }
        }
        self.tables.derive(LoadModel::None)?;
        let (moved, settled) = (self.progress.moved != 0, self.progress.splitting == 0);
        self.progress.position = self.progress.from;
        self.progress.moved = 0;
        self.progress.passes = self.progress.passes.saturating_add(1);
        if !settled || (moved && self.progress.passes < MOST_PASSES) {
            self.progress.splitting = 0;
        } else if (self.progress.clusters as usize) < self.states {
            self.sums.visits.fill(0.0);
            for (bin, column) in self.tables.emission.chunks(lanes).enumerate() {
                add_scaled(self.sums.visits, bin as f64, column);
            }
            self.progress.clusters = self.progress.clusters.saturating_mul(2);
            (self.progress.splitting, self.progress.passes) = (1, 0);
        } else {
            return self.finish(all).map(|()| true);
        }
        self.sums.jobs.fill(0.0);
        Ok(false)
    }

    fn finish(&mut self, all: f64) -> Result<()> {
        let lanes = self.tables.stride().max(1);
        let slots = (self.progress.to - self.progress.from).max(1) as f64;
        uniform(self.tables, self.load, self.states, all / slots);
        for (column, jobs) in self.tables.emission.chunks_mut(lanes).zip(self.sums.jobs.chunks(lanes)) {
            let overall: f64 = jobs.iter().sum();
            let entries = column.iter_mut().zip(jobs).zip(self.sums.backward.iter());
            for ((p, jobs), total) in entries.take(self.states) {
                *p = if *total > 0.0 { jobs / total } else { overall / all };
            }
        }
        self.tables.derive(self.load)
    }
}

/// # Errors
/// [`Error::OutOfRange`] when k-means cannot make these states; [`Error::Empty`] when it has no jobs to cluster.
pub(super) fn check_k_means(states: usize, jobs: u64) -> Result<()> {
    if !states.is_power_of_two() {
        return Err(Error::OutOfRange);
    }
    if jobs == 0 { Err(Error::Empty) } else { Ok(()) }
}
