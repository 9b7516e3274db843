//! Run times to bins, in logarithmic space (Nissimov 2006, section 2.2). Run times of 0 s count as 1 s.

/// Logarithms are rounded, so that of 1000 to the base of 10 is below 3: quotients are raised by a few of the last
/// digit before they are cut. No run time up to 2^40 s, with a ratio from 1.001, is so near below an edge.
const ROUNDED: f64 = 1.0 + 2e-15;

/// Granularity of the bins of run times.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// Bin `floor(log_ratio(r))`: "simple" binning with this ratio t_r above 1.
    Ratio(f64),
    /// This number of clusters: k-means, Algorithm 2.
    Means(u32),
}

/// The kinds of [`Granularity`].
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Binning {
    /// Bins of constant ratio t_r
    Simple,
    /// N clusters of the trace's own run times
    Kmeans,
}

impl Granularity {
    /// Its kind.
    pub fn binning(self) -> Binning {
        match self {
            Granularity::Ratio(_) => Binning::Simple,
            Granularity::Means(_) => Binning::Kmeans,
        }
    }

    /// t_r, or N.
    pub fn value(self) -> f64 {
        match self {
            Granularity::Ratio(ratio) => ratio,
            Granularity::Means(means) => means.into(),
        }
    }
}

/// Run times in bins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binned {
    /// Every job's bin, in the jobs' order.
    pub bins: Vec<u32>,
    /// Bins from that of 1 s to that of the longest run time, empty ones between them included: the thesis's N. For
    /// k-means, the clusters.
    pub range: usize,
    /// Bins that have a job.
    pub used: usize,
}

/// Run times ready to be binned in many ways.
#[derive(Debug, Clone, Default)]
pub struct RunTimes {
    /// The different ones, shortest first, in seconds, none below 1.
    distinct: Vec<i64>,
    /// Number of jobs that have each.
    counts: Vec<u32>,
    /// Every job's, as an index into `distinct`.
    ranks: Vec<u32>,
}

impl RunTimes {
    /// Sorts run times, given in seconds. O(jobs log jobs).
    pub fn new(run_times: impl Iterator<Item = i64>) -> RunTimes {
        let run_times: Vec<i64> = run_times.map(|run_time| run_time.max(1)).collect();
        let mut sorted = run_times.clone();
        sorted.sort_unstable();
        let counts = sorted.chunk_by(|a, b| a == b).map(|same| same.len() as u32).collect();
        sorted.dedup();
        let rank = |run_time: i64| sorted.partition_point(|&before| before < run_time) as u32;
        let ranks = run_times.into_iter().map(rank).collect();
        RunTimes { distinct: sorted, counts, ranks }
    }

    /// The number of jobs.
    pub fn jobs(&self) -> usize {
        self.ranks.len()
    }

    /// The number of different run times.
    pub fn distinct(&self) -> usize {
        self.distinct.len()
    }

    /// Bins them. O(jobs), k-means O(jobs + rounds x means x log jobs).
    pub fn bin(&self, granularity: Granularity) -> Binned {
        match granularity {
            Granularity::Ratio(ratio) => {
                let step = ratio.ln();
                self.number(|run_time| ((run_time as f64).ln() / step * ROUNDED) as u32)
            }
            Granularity::Means(means) => {
                let edges = self.k_means(means);
                self.number(|run_time| edges.partition_point(|&edge| edge <= run_time) as u32)
            }
        }
    }

    /// Two bins: 0 up to a threshold in seconds, 1 above it.
    pub fn split(&self, threshold: i64) -> Vec<u32> {
        let above = self.distinct.partition_point(|&run_time| run_time <= threshold) as u32;
        self.ranks.iter().map(|&rank| u32::from(rank >= above)).collect()
    }

    /// Numbers the bins in use from 0; `bin` must not fall with run time.
    fn number(&self, bin: impl Fn(i64) -> u32) -> Binned {
        let mut numbers = Vec::with_capacity(self.distinct.len());
        let (mut last, mut used) = (None, 0);
        for &run_time in &self.distinct {
            let bin = bin(run_time);
            used += u32::from(last != Some(bin));
            last = Some(bin);
            numbers.push(used - 1);
        }
        let bins = self.ranks.iter().map(|&rank| numbers[rank as usize]).collect();
        Binned { bins, range: last.map_or(0, |last| last as usize + 1), used: used as usize }
    }

    /// Algorithm 2: the first run time of every cluster but the first, in order.
    ///
    /// Clusters begin at the widest gaps and move, each edge to the middle between its neighbours' geometric means,
    /// until no run time changes its cluster. Two things the algorithm leaves open: of equally wide gaps those between
    /// the shortest run times are taken, so there are never more clusters than asked for; a cluster that loses all its
    /// run times is given up. Fewer different run times than clusters give each its own.
    fn k_means(&self, means: u32) -> Vec<i64> {
        let distinct = &self.distinct;
        let logs: Vec<f64> = distinct.iter().map(|&value| (value as f64).ln()).collect();
        // Number of jobs below each run time, and the sum of their logarithms.
        let mut below = vec![(0.0, 0.0)];
        let (mut count, mut sum) = (0.0, 0.0);
        for (&jobs, log) in self.counts.iter().zip(&logs) {
            count += f64::from(jobs);
            sum += f64::from(jobs) * log;
            below.push((count, sum));
        }
        let mut gaps: Vec<usize> = (1..distinct.len()).collect();
        gaps.sort_by(|&a, &b| (logs[b] - logs[b - 1]).total_cmp(&(logs[a] - logs[a - 1])));
        gaps.truncate(means.saturating_sub(1) as usize);
        gaps.sort_unstable();
        let mut starts = gaps;
        let end = distinct.len();
        // Every round lowers the sum of squares or changes nothing, so the rounds end; the bound is against rounding
        // alone.
        for _ in 0..100_000 {
            let bounds: Vec<usize> = [0].into_iter().chain(starts.iter().copied()).chain([end]).collect();
            let mean = |pair: &[usize]| {
                let ((n0, s0), (n1, s1)) = (below[pair[0]], below[pair[1]]);
                (s1 - s0) / (n1 - n0)
            };
            let centres: Vec<f64> = bounds.windows(2).map(mean).collect();
            let mut moved: Vec<usize> = centres
                .windows(2)
                .map(|pair| logs.partition_point(|&log| log < f64::midpoint(pair[0], pair[1])))
                .collect();
            moved.dedup();
            moved.retain(|&start| start > 0 && start < end);
            if moved == starts {
                break;
            }
            starts = moved;
        }
        starts.iter().map(|&start| distinct[start]).collect()
    }
}
