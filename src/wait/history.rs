//! A history of waits in the order of time and in the order of value.
//!
//! *Records* lie in a ring in the order in which their waits became known. A *series* chains some of them, from the
//! oldest to the newest that still count, and holds their waits in a tree as well; it keeps the sums from which the
//! lag-1 autocorrelation of section 3.2 and the log-normal rival follow. Every change is O(log n).
//!
//! The sums are of whole numbers, waits or ln(wait) in multiples of 2^-15 (the wait floored at 1 s): exact, so that a
//! record taken away later leaves no rounding behind.

use crate::error::Result;
use crate::memory::{at, at_mut};
use crate::wait::tree::{Nodes, Pool, Tree};
use bytemuck::{Pod, Zeroable};

/// The most waits, waiting jobs or releases that a predictor remembers: 2^22.
// Sums of squares of 2^20 (more than any logarithm) stay below 2^63, and n times such sums of 2^40 (the longest wait)
// below 2^125.
pub const MAX_HISTORY: u32 = 1 << 22;

/// Units of a logarithm in 1.
const LOG_UNIT: f64 = 32_768.0;

/// The bit of a record's logarithm, which is below 2^20, that is set once a change point has passed it.
const OUTDATED: u32 = 1 << 31;

/// Larger autocorrelations count as this in [`View::dispersion`].
const MOST_CORRELATION: f64 = 0.99;

/// One known wait.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Record {
    /// Seconds, or a count.
    pub wait: u64,
    /// Requested run time in seconds, and processors.
    pub requested: u64,
    pub processors: u32,
    /// ln(wait) in parts of [`LOG_UNIT`], and [`OUTDATED`].
    log: u32,
    /// The next older and next newer record of its series, plus one; one pair for the present clusters' series, one for
    /// those that are being prepared.
    older: [u32; 2],
    newer: [u32; 2],
}

impl Record {
    /// The wait of a job with this requested time and these processors; times in seconds.
    pub(super) fn new(wait: u64, requested: u64, processors: u32) -> Record {
        let log = libm::round(libm::log(wait.max(1) as f64) * LOG_UNIT) as u32;
        Record { wait, requested, processors, log, ..Record::zeroed() }
    }

    /// A record of a count instead of a job's wait.
    pub(super) fn of_count(count: u64) -> Record {
        Record::new(count, 0, 0)
    }

    fn log(&self) -> i64 {
        i64::from(self.log & !OUTDATED)
    }

    /// Whether a change point has passed it.
    pub(super) fn is_outdated(&self) -> bool {
        self.log & OUTDATED != 0
    }

    pub(super) fn set_outdated(&mut self) {
        self.log |= OUTDATED;
    }
}

/// A number of up to 127 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
struct Wide {
    low: u64,
    high: i64,
}

impl Wide {
    fn get(self) -> i128 {
        (i128::from(self.high) << 64) | i128::from(self.low)
    }

    fn add(&mut self, value: i128) {
        let sum = self.get().wrapping_add(value);
        (self.low, self.high) = (sum as u64, (sum >> 64) as i64);
    }
}

/// Sums over a series, in time order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
struct Sums {
    logs: i64,
    log_squares: i64,
    waits: i64,
    squares: Wide,
    /// Sum of wait(i) wait(i + 1).
    products: Wide,
}

impl Sums {
    /// Takes a record in, or out with `sign` -1; `beside` is its neighbour in the series.
    fn add(&mut self, sign: i64, record: &Record, beside: Option<u64>) {
        let (wait, log) = (record.wait as i64, record.log());
        self.logs = self.logs.wrapping_add(sign * log);
        self.log_squares = self.log_squares.wrapping_add(sign * log * log);
        self.waits = self.waits.wrapping_add(sign.wrapping_mul(wait));
        let signed = i128::from(sign) * i128::from(wait);
        self.squares.add(signed * i128::from(wait));
        self.products.add(signed * i128::from(beside.unwrap_or(0) as i64));
    }
}

/// A chain of records with their tree. All zero: empty.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Series {
    pub tree: Tree,
    /// The ends of the chain, plus one.
    oldest: u32,
    newest: u32,
    sums: Sums,
    /// Misses in a row.
    pub misses: u32,
    /// Number of misses in a row that is a change point; 0 for no number of them.
    pub threshold: u32,
    reserved: u32,
    /// Index of the records' links that chain it.
    side: u32,
}

/// The moments of a series' logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moments {
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    pub deviations: f64,
}

impl Series {
    pub(super) fn new(side: u32) -> Series {
        Series { side, ..Series::default() }
    }

    pub(super) fn count(&self) -> u64 {
        u64::from(self.tree.count)
    }

    /// The index of its oldest record.
    pub(super) fn oldest(&self) -> Option<usize> {
        self.oldest.checked_sub(1).map(|index| index as usize)
    }

    /// Mean and deviations of ln(wait).
    pub(super) fn moments(&self) -> Moments {
        let n = i128::from(self.tree.count);
        let sum = i128::from(self.sums.logs);
        // n times the sum of squared deviations, exactly.
        let deviations = n * i128::from(self.sums.log_squares) - sum * sum;
        let count = f64::from(self.tree.count.max(1));
        Moments {
            mean: self.sums.logs as f64 / count / LOG_UNIT,
            deviations: deviations as f64 / count / (LOG_UNIT * LOG_UNIT),
        }
    }
}

/// The records and the trees of their values.
pub(super) struct Store<'s, 'a> {
    pub records: &'s mut [Record],
    pub pool: &'s mut Pool<'a>,
}

impl Store<'_, '_> {
    fn neighbour(&self, index: u32, side: u32, newer: bool) -> Result<u32> {
        let record = at(self.records, index.wrapping_sub(1) as usize)?;
        at(if newer { &record.newer } else { &record.older }, side as usize).copied()
    }

    fn link(&mut self, index: u32, side: u32, newer: bool, to: u32) -> Result<()> {
        let record = at_mut(self.records, index.wrapping_sub(1) as usize)?;
        *at_mut(if newer { &mut record.newer } else { &mut record.older }, side as usize)? = to;
        Ok(())
    }

    fn wait(&self, index: u32) -> Result<u64> {
        self.view().wait(index)
    }

    /// Adds a record that is newer than the series' others, or older.
    pub(super) fn add(&mut self, series: &mut Series, index: usize, newest: bool) -> Result<()> {
        let record = *at(self.records, index)?;
        self.pool.insert(&mut series.tree, record.wait, 0)?;
        let (index, side) = (index as u32 + 1, series.side);
        let end = if newest { series.newest } else { series.oldest };
        self.link(index, side, newest, 0)?;
        self.link(index, side, !newest, end)?;
        let beside = if end == 0 { None } else { Some(self.wait(end)?) };
        if end != 0 {
            self.link(end, side, newest, index)?;
        }
        series.sums.add(1, &record, beside);
        if newest || end == 0 {
            series.newest = index;
        }
        if !newest || end == 0 {
            series.oldest = index;
        }
        Ok(())
    }

    /// Takes the oldest record out.
    pub(super) fn drop_oldest(&mut self, series: &mut Series) -> Result<()> {
        let index = series.oldest;
        let record = *at(self.records, index.wrapping_sub(1) as usize)?;
        self.pool.remove(&mut series.tree, record.wait)?;
        let next = self.neighbour(index, series.side, true)?;
        series.sums.add(-1, &record, if next == 0 { None } else { Some(self.wait(next)?) });
        series.oldest = next;
        if next == 0 {
            series.newest = 0;
        } else {
            self.link(next, series.side, false, 0)?;
        }
        Ok(())
    }

    /// Keeps only the newest `keep` records. O(keep log keep).
    pub(super) fn trim(&mut self, series: &mut Series, keep: u64) -> Result<()> {
        if series.count() <= keep {
            return Ok(());
        }
        let mut index = series.newest;
        self.pool.clear(&mut series.tree)?;
        *series = Series::new(series.side);
        for _ in 0..keep {
            let older = self.neighbour(index, series.side, false)?;
            self.add(series, index as usize - 1, false)?;
            index = older;
        }
        Ok(())
    }

    pub(super) fn view(&self) -> View<'_> {
        View { records: self.records, nodes: self.pool.read() }
    }
}

/// Records and their values, to read.
#[derive(Clone, Copy)]
pub(super) struct View<'s> {
    pub records: &'s [Record],
    pub nodes: Nodes<'s>,
}

impl View<'_> {
    fn wait(self, index: u32) -> Result<u64> {
        Ok(at(self.records, index.wrapping_sub(1) as usize)?.wait)
    }

    /// The lag-1 autocorrelation of the waits, between -1 and 1; 0 where all are equal.
    pub(super) fn autocorrelation(self, series: &Series) -> Result<f64> {
        if series.oldest == 0 {
            return Ok(0.0);
        }
        let ends = i128::from(self.wait(series.oldest)?) + i128::from(self.wait(series.newest)?);
        let (n, sum) = (i128::from(series.tree.count), i128::from(series.sums.waits));
        // With the mean S / n, n times the sum over n - 1 pairs of (w(i) - S / n)(w(i + 1) - S / n) is this less S^2 /
        // n.
        let square = sum.wrapping_mul(sum);
        let pairs = n
            .wrapping_mul(series.sums.products.get())
            .wrapping_sub(square)
            .wrapping_add(sum.wrapping_mul(ends));
        let all = n.wrapping_mul(series.sums.squares.get()).wrapping_sub(square);
        if all <= 0 {
            return Ok(0.0);
        }
        let correlation = (pairs as f64 - square as f64 / n as f64) / all as f64;
        Ok(correlation.clamp(-1.0, 1.0))
    }

    /// The number of these waits that carry the information of one independent exponential wait: the variance over the
    /// squared mean, which is 1 for an exponential, times (1 + r) / (1 - r) with the lag-1 autocorrelation r, if that
    /// is positive. At least 1.
    pub(super) fn dispersion(self, series: &Series) -> Result<f64> {
        let (n, sum) = (i128::from(series.tree.count), i128::from(series.sums.waits));
        let square = sum.wrapping_mul(sum);
        let all = n.wrapping_mul(series.sums.squares.get()).wrapping_sub(square);
        if all <= 0 || square == 0 {
            return Ok(1.0);
        }
        let correlation = self.autocorrelation(series)?.clamp(0.0, MOST_CORRELATION);
        let inflation = (1.0 + correlation) / (1.0 - correlation);
        Ok((all as f64 / square as f64 * inflation).max(1.0))
    }

    /// The k-th smallest wait of a series, counted from 1.
    pub(super) fn select(self, series: &Series, k: u64) -> Result<u64> {
        self.nodes.select(&series.tree, k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::tree::{Node, Spare, nodes_for};
    use std::vec;
    use std::vec::Vec;

    fn naive_autocorrelation(waits: &[u64]) -> f64 {
        let waits: Vec<f64> = waits.iter().map(|wait| *wait as f64).collect();
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        let all: f64 = waits.iter().map(|y| (y - mean) * (y - mean)).sum();
        let pairs: f64 = waits.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        if all == 0.0 { 0.0 } else { pairs / all }
    }

    #[test]
    fn agrees_with_sorting_afresh() {
        let capacity = 300;
        let mut nodes = vec![Node::zeroed(); nodes_for(capacity, 1).unwrap()];
        let (mut records, mut spare) = (vec![Record::zeroed(); capacity], Spare::default());
        let mut pool = Pool { nodes: &mut nodes, spare: &mut spare };
        let mut store = Store { records: &mut records, pool: &mut pool };
        let mut series = Series::new(1);
        let mut naive: Vec<u64> = Vec::new();
        let mut random = 12345_u32;
        for step in 0..5000_usize {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let wait = u64::from(random >> 8) >> (random % 24);
            if naive.len() == capacity {
                store.drop_oldest(&mut series).unwrap();
                naive.remove(0);
            }
            *at_mut(store.records, step % capacity).unwrap() = Record::of_count(wait);
            store.add(&mut series, step % capacity, true).unwrap();
            naive.push(wait);
            if step % 977 == 976 {
                store.trim(&mut series, 59).unwrap();
                naive.drain(..naive.len() - 59);
            }
            let mut sorted = naive.clone();
            sorted.sort();
            for k in [1, sorted.len() / 2 + 1, sorted.len()] {
                assert_eq!(store.view().select(&series, k as u64), Ok(sorted[k - 1]));
            }
            let wanted = naive_autocorrelation(&naive);
            assert!((store.view().autocorrelation(&series).unwrap() - wanted).abs() < 1e-11, "{step}");
            // Variance over squared mean, times the factor of the correlation.
            let plain = naive.iter().map(|wait| *wait as f64).sum::<f64>() / naive.len() as f64;
            let variance = naive.iter().map(|wait| (*wait as f64 - plain).powi(2)).sum::<f64>();
            let wanted = wanted.clamp(0.0, 0.99);
            let wanted = variance / naive.len() as f64 / plain.powi(2) * (1.0 + wanted) / (1.0 - wanted);
            let found = store.view().dispersion(&series).unwrap();
            let wanted = if wanted.is_nan() { 1.0 } else { wanted.max(1.0) };
            assert!((found / wanted - 1.0).abs() < 1e-9, "{step}: {found} {wanted}");
            let mean =
                naive.iter().map(|wait| (*wait as f64).max(1.0).ln()).sum::<f64>() / naive.len() as f64;
            assert!((series.moments().mean - mean).abs() < 2e-5);
        }
        while let Some(oldest) = series.oldest() {
            assert_eq!(store.records[oldest].wait, naive.remove(0));
            store.drop_oldest(&mut series).unwrap();
        }
        assert!(naive.is_empty() && series.sums == Sums::default() && series.newest == 0);
    }

    #[test]
    fn from_the_newest_to_the_oldest_gives_the_same() {
        let waits = [5, 0, 100, 100, 7, 86_400, 31];
        let mut nodes = vec![Node::zeroed(); nodes_for(20, 2).unwrap()];
        let mut records: Vec<Record> = waits.iter().map(|wait| Record::of_count(*wait)).collect();
        let mut spare = Spare::default();
        let mut pool = Pool { nodes: &mut nodes, spare: &mut spare };
        let mut store = Store { records: &mut records, pool: &mut pool };
        let (mut forward, mut backward) = (Series::new(0), Series::new(1));
        for i in 0..waits.len() {
            store.add(&mut forward, i, true).unwrap();
            store.add(&mut backward, waits.len() - 1 - i, false).unwrap();
        }
        assert_eq!(forward.sums, backward.sums);
        assert_eq!((forward.oldest, forward.newest), (backward.oldest, backward.newest));
        assert_eq!(store.view().autocorrelation(&forward), store.view().autocorrelation(&backward));
        // Constant waits correlate with nothing.
        let mut constant = Series::new(0);
        store.add(&mut constant, 2, true).unwrap();
        store.add(&mut constant, 3, true).unwrap();
        assert_eq!(store.view().autocorrelation(&constant), Ok(0.0));
        assert_eq!(store.view().autocorrelation(&Series::new(0)), Ok(0.0));
    }
}
