//! The locality metric of Nissimov 2006, section 2.1, Algorithm 1, in bits:
//!
//! `f = I(S;R) - E[I(S;R')]`, where `I` is the mutual information of the jobs' counts and `R'` the run times shuffled
//! over the jobs.
//!
//! A shuffle keeps both margins, so `I(S;R) = H(S) + H(R) - H(S,R)` changes through `H(S,R)` alone:
//!
//! `f = (sum_sr g(n_sr) - E[sum_sr g(n'_sr)]) / n`, with `g(k) = k log2 k`.
//!
//! The thesis takes the expectation over ten shuffles ([`Counts::shuffled`]). It has a closed form
//! ([`Counts::expected`]): under all shuffles the count of a cell with margins `a` and `b` is hypergeometric, as in the
//! adjusted mutual information of Vinh, Epps & Bailey 2010 (equation 4). It depends on the margins alone, so cells are
//! grouped by them.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use surefill_simulator::base::statistics;

/// Terms of a hypergeometric sum below this part of the largest one are below its rounding error.
const NEGLIGIBLE: f64 = 1e-20;

/// `k log2 k` for `k = 0..=n`.
#[derive(Debug, Clone)]
pub struct Logs(Vec<f64>);

impl Logs {
    /// The table for this number of jobs.
    pub fn new(jobs: usize) -> Logs {
        let g = |k: usize| if k < 2 { 0.0 } else { k as f64 * (k as f64).log2() };
        Logs((0..=jobs).map(g).collect())
    }

    fn g(&self, count: u32) -> f64 {
        self.0.get(count as usize).copied().unwrap_or_else(|| {
            let k = f64::from(count);
            k * k.log2()
        })
    }
}

/// Jobs in groups (the bins of the attribute from which run times would be learnt), each with its run-time bin.
///
/// Empty groups and bins without jobs are allowed and count for nothing.
#[derive(Debug, Clone, Copy)]
pub struct Counts<'a> {
    /// `k log2 k` at least up to the number of jobs.
    pub logs: &'a Logs,
    /// The jobs of every group; their sum is the number of jobs.
    pub groups: &'a [u32],
    /// Every job's run-time bin, below `bins`: first those of the first group, then those of the second, and so on.
    pub run_time_bins: &'a [u32],
    /// Run-time bins.
    pub bins: usize,
}

/// Metric of the shuffles, in bits.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shuffled {
    /// Shuffles.
    pub shuffles: u32,
    /// The first one's seed; every further one has the next.
    pub seed: u64,
    /// The mean of I(S;R').
    pub mean: f64,
    /// Its standard deviation from one shuffle to another; 0 with one shuffle.
    pub deviation: f64,
}

impl Counts<'_> {
    fn jobs(&self) -> f64 {
        self.run_time_bins.len() as f64
    }

    fn bin_sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.bins];
        for &bin in self.run_time_bins {
            sizes[bin as usize] += 1;
        }
        sizes
    }

    fn entropy(&self, sizes: &[u32]) -> f64 {
        if self.run_time_bins.is_empty() {
            return 0.0;
        }
        let sum: f64 = sizes.iter().map(|&size| self.logs.g(size)).sum();
        // Rounding must not make an entropy of 0 negative.
        (self.jobs().log2() - sum / self.jobs()).max(0.0)
    }

    /// H(R), in bits.
    pub fn run_time_entropy(&self) -> f64 {
        self.entropy(&self.bin_sizes())
    }

    /// The sum of `g` over all cells, the jobs' bins being `run_time_bins`. O(jobs).
    fn cells(&self, run_time_bins: &[u32]) -> f64 {
        let mut counts = vec![0u32; self.bins];
        let mut rest = run_time_bins;
        let mut sum = 0.0;
        for &size in self.groups {
            let (group, after) = rest.split_at(size as usize);
            rest = after;
            for &bin in group {
                counts[bin as usize] += 1;
            }
            // Every bin is counted at its first job and is empty at the others.
            for &bin in group {
                sum += self.logs.g(std::mem::take(&mut counts[bin as usize]));
            }
        }
        sum
    }

    fn information_of(&self, cells: f64) -> f64 {
        if self.run_time_bins.is_empty() {
            return 0.0;
        }
        let joint = self.jobs().log2() - cells / self.jobs();
        self.entropy(self.groups) + self.run_time_entropy() - joint
    }

    /// The naive mutual information I(S;R), in bits: `Info` of Algorithm 1. O(jobs).
    pub fn information(&self) -> f64 {
        self.information_of(self.cells(self.run_time_bins))
    }

    /// I(S;R') over `shuffles` shuffles, in bits. O(jobs) a shuffle.
    pub fn shuffled(&self, shuffles: u32, seed: u64) -> Shuffled {
        let one = |index: u32| {
            let mut bins = self.run_time_bins.to_vec();
            bins.shuffle(&mut ChaCha8Rng::seed_from_u64(seed.wrapping_add(u64::from(index))));
            self.information_of(self.cells(&bins))
        };
        let values: Vec<f64> = (0..shuffles).map(one).collect();
        let mean = statistics::mean(values.iter().copied()).unwrap_or(0.0);
        Shuffled { shuffles, seed, mean, deviation: statistics::deviation(&values).unwrap_or(0.0) }
    }

    /// E[I(S;R')] over all shuffles, in bits. O(A B L) for A different sizes of groups, B of bins, and L counts that a
    /// cell is at all likely to have.
    pub fn expected(&self) -> f64 {
        self.information_of(self.expected_cells())
    }

    /// The metric f with the exact expectation, in bits.
    pub fn locality(&self) -> f64 {
        if self.run_time_bins.is_empty() {
            return 0.0;
        }
        (self.cells(self.run_time_bins) - self.expected_cells()) / self.jobs()
    }

    fn expected_cells(&self) -> f64 {
        let jobs = self.run_time_bins.len() as u64;
        let groups = by_size(self.groups);
        let bins = by_size(&self.bin_sizes());
        let mut sum = 0.0;
        for (&a, &as_many) in &groups {
            for (&b, &bs_many) in &bins {
                sum += (as_many * bs_many) as f64 * self.expected_cell(jobs, a.into(), b.into());
            }
        }
        sum
    }

    /// E[g(X)] for X hypergeometric: `a` jobs drawn of `jobs`, `b` of which are in the bin. The weights go out from the
    /// most likely count by the ratio of neighbours and are normalised by their sum, so no factorial is needed.
    fn expected_cell(&self, jobs: u64, a: u64, b: u64) -> f64 {
        let (lowest, highest) = ((a + b).saturating_sub(jobs), a.min(b));
        let mode = ((a + 1) * (b + 1) / (jobs + 2)).clamp(lowest, highest);
        let up = |k: u64| ((a - k) * (b - k)) as f64 / ((k + 1) * (jobs + k + 1 - a - b)) as f64;
        let mut total = 1.0;
        let mut sum = self.logs.g(mode as u32);
        let mut weight = 1.0;
        for k in mode..highest {
            weight *= up(k);
            total += weight;
            sum += weight * self.logs.g(k as u32 + 1);
            if weight < NEGLIGIBLE * total {
                break;
            }
        }
        weight = 1.0;
        for k in (lowest..mode).rev() {
            weight /= up(k);
            total += weight;
            sum += weight * self.logs.g(k as u32);
            if weight < NEGLIGIBLE * total {
                break;
            }
        }
        sum / total
    }
}

/// Number of groups of every size above one: `g` of a cell with a margin of 0 or 1 is always 0.
fn by_size(sizes: &[u32]) -> BTreeMap<u32, u64> {
    let mut many = BTreeMap::new();
    for &size in sizes.iter().filter(|&&size| size > 1) {
        *many.entry(size).or_insert(0) += 1;
    }
    many
}
