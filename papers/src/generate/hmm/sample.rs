//! From a workload's jobs to what the model observes: the slot of submission and the bin of the run time of each job.
//!
//! A job belongs to the slot floor(submit / t_s) of the trace's clock. Run times are binned as by the on-line
//! predictor: everything below the first edge (1.5 s) in bin 0, then a factor of t_r a bin; there are as many bins as
//! the longest run time needs, so that the thesis's N comes out.

use super::Error;
use std::ops::Range;
use surefill::runtime::{MAX_BINS, RuntimeBins};
use surefill_simulator::trace::workload::Job;

/// No trace of today spans more slots: 160 years of 5 min.
const MOST_SLOTS: i64 = 1 << 24;

/// Division of jobs into slots and bins.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Binning {
    /// The slot length t_s in seconds.
    pub slot_s: i64,
    /// Where the second bin starts, in seconds.
    pub first_edge_s: f64,
    /// The ratio t_r of neighbouring edges.
    pub ratio: f64,
}

impl Default for Binning {
    /// The thesis's: 15 min, 1.5 s, 1.8.
    fn default() -> Binning {
        Binning { slot_s: 900, first_edge_s: 1.5, ratio: 1.8 }
    }
}

impl Binning {
    /// The bins that run times up to the longest of these need, at least 2.
    ///
    /// # Errors
    /// [`Error::Bins`].
    pub fn bins(&self, jobs: &[Job]) -> Result<RuntimeBins, Error> {
        let longest = jobs.iter().map(|job| job.run_time).max().unwrap_or(0).max(0);
        let Binning { first_edge_s, ratio, .. } = *self;
        let refused = || Error::Bins { longest, first_edge_s, ratio, most: MAX_BINS };
        let sound = RuntimeBins::new(first_edge_s, ratio, 2).is_ok();
        // The core's edges, bit for bit. Its `covering` keeps an empty bin above the longest run time.
        let below = |count: &usize| libm::pow(ratio, (count - 1) as f64) * first_edge_s > longest as f64;
        let count = (2..=MAX_BINS).find(below).filter(|_| sound).ok_or_else(refused)?;
        RuntimeBins::new(first_edge_s, ratio, count).map_err(|_| refused())
    }
}

/// One job as the model observes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observed {
    /// The slot in which it was submitted.
    pub slot: i64,
    /// The bin of its run time.
    pub bin: u32,
}

/// The observations of a workload, in order of submission.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The slot length t_s in seconds.
    pub slot_s: i64,
    /// The run-time bins.
    pub bins: RuntimeBins,
    /// The jobs.
    pub jobs: Vec<Observed>,
}

impl Sample {
    /// Puts jobs, in order of submission, into slots and into these bins.
    ///
    /// # Errors
    /// [`Error::NoJobs`], [`Error::Slots`].
    pub fn new(jobs: &[Job], slot_s: i64, bins: RuntimeBins) -> Result<Sample, Error> {
        let slot_s = slot_s.max(1);
        let observed = |job: &Job| Observed {
            slot: job.submit.div_euclid(slot_s),
            bin: bins.bin_of(job.run_time as f64) as u32,
        };
        let sample = Sample { slot_s, jobs: jobs.iter().map(observed).collect(), bins };
        let slots = sample.slots();
        if slots.is_empty() {
            return Err(Error::NoJobs);
        }
        let count = slots.end - slots.start;
        if count > MOST_SLOTS {
            return Err(Error::Slots { count, slot_s, most: MOST_SLOTS });
        }
        Ok(sample)
    }

    /// From the first job's slot to the last job's.
    pub fn slots(&self) -> Range<i64> {
        let ends = self.jobs.first().zip(self.jobs.last());
        ends.map_or(0..0, |(first, last)| first.slot..last.slot + 1)
    }

    /// The slot of the middle job, in which the second half begins: slots are not divided, so the halves are equal but
    /// for one slot's jobs.
    ///
    /// # Errors
    /// [`Error::NoHalves`] when no slot with a job is before it.
    pub fn middle(&self) -> Result<i64, Error> {
        let middle = self.jobs.get(self.jobs.len() / 2).ok_or(Error::NoJobs)?.slot;
        if middle > self.slots().start { Ok(middle) } else { Err(Error::NoHalves { slot_s: self.slot_s }) }
    }

    /// The jobs of these slots.
    pub fn jobs_in(&self, slots: &Range<i64>) -> &[Observed] {
        let place = |slot: i64| self.jobs.partition_point(|job| job.slot < slot);
        self.jobs.get(place(slots.start)..place(slots.end)).unwrap_or(&[])
    }

    /// Number of these jobs in each bin.
    pub fn counts(&self, jobs: &[Observed]) -> Vec<u64> {
        let mut counts = vec![0; self.bins.count()];
        for job in jobs {
            if let Some(count) = counts.get_mut(job.bin as usize) {
                *count += 1;
            }
        }
        counts
    }
}

/// The entropy of these counts as shares, in bits.
pub fn entropy(counts: &[u64]) -> f64 {
    cross_entropy(counts, counts)
}

/// H(p) + D(p || q), p and q being these counts as shares: bits a job that p takes when it is modelled with q. Infinite
/// when q lacks what p has.
pub fn cross_entropy(p: &[u64], q: &[u64]) -> f64 {
    let total = |counts: &[u64]| counts.iter().sum::<u64>() as f64;
    let (all_p, all_q) = (total(p), total(q));
    let used = p.iter().zip(q).filter(|(p, _)| **p > 0);
    // 0.0 -: no negative zero.
    0.0 - used.map(|(&p, &q)| p as f64 / all_p * libm::log2(q as f64 / all_q)).sum::<f64>()
}

/// Gives the outcomes of probability 0 an equal share of `epsilon`, taken from the others in proportion: the safety
/// distribution of Nissimov 2006, section 3.1.
pub fn make_safe(probabilities: &mut [f64], epsilon: f64) {
    let zeros = probabilities.iter().filter(|p| **p <= 0.0).count();
    if zeros == 0 {
        return;
    }
    for p in probabilities {
        *p = if *p > 0.0 { *p * (1.0 - epsilon) } else { epsilon / zeros as f64 };
    }
}

/// The epsilon of the safety distribution after `jobs` jobs: 1 / (jobs + 1). (The thesis's 1 / jobs leaves nothing to
/// the only bin that was seen after one job.)
pub fn safety(jobs: f64) -> f64 {
    1.0 / (jobs + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(of: &[(i64, i64)]) -> Vec<Job> {
        of.iter().map(|&(submit, run_time)| Job { submit, run_time, ..Job::default() }).collect()
    }

    #[test]
    fn jobs_fall_into_slots_and_bins() {
        let jobs = jobs(&[(-1, 0), (0, 1), (899, 2), (900, 3), (5000, 1000)]);
        let bins = Binning::default().bins(&jobs).unwrap();
        let sample = Sample::new(&jobs, 900, bins).unwrap();
        // 1.5 x 1.8^11 = 964 <= 1000 < 1735
        assert_eq!(sample.bins.count(), 13);
        let found: Vec<_> = sample.jobs.iter().map(|job| (job.slot, job.bin)).collect();
        assert_eq!(found, [(-1, 0), (0, 0), (0, 1), (1, 2), (5, 12)]);
        assert_eq!(sample.slots(), -1..6);
        assert_eq!(sample.middle().unwrap(), 0);
        assert_eq!(sample.jobs_in(&(0..2)).len(), 3);
        assert_eq!(sample.counts(sample.jobs_in(&(-1..1)))[..3], [2, 1, 0]);
    }

    #[test]
    fn what_cannot_be_put_into_slots_is_said() {
        let one = jobs(&[(100, 50)]);
        let sample = |jobs: &[Job], slot_s| Sample::new(jobs, slot_s, Binning::default().bins(jobs).unwrap());
        assert!(matches!(sample(&[], 900), Err(Error::NoJobs)));
        assert!(matches!(sample(&one, 900).unwrap().middle(), Err(Error::NoHalves { slot_s: 900 })));
        let far = jobs(&[(0, 1), (1 << 40, 1)]);
        assert!(matches!(sample(&far, 900), Err(Error::Slots { .. })));
        let fine = Binning { ratio: 1.01, ..Binning::default() };
        assert!(matches!(fine.bins(&jobs(&[(0, 1_000_000)])), Err(Error::Bins { .. })));
        let wrong = Binning { ratio: 0.5, ..Binning::default() };
        assert!(wrong.bins(&one).is_err());
    }

    #[test]
    fn all_bins_are_used_up_to_the_limit() {
        let bins = |longest| Binning { ratio: 1.2, ..Binning::default() }.bins(&jobs(&[(0, longest)]));
        // 1.5 x 1.2^95 = 5.00e7, 1.5 x 1.2^94 = 4.16e7
        assert_eq!(bins(45_000_000).unwrap().count(), 96);
        assert_eq!(bins(40_000_000).unwrap().count(), 95);
        assert!(bins(60_000_000).is_err());
    }

    #[test]
    fn the_safety_distribution_by_hand() {
        let mut p = [0.5, 0.5, 0.0, 0.0];
        make_safe(&mut p, 0.1);
        assert_eq!(p, [0.45, 0.45, 0.05, 0.05]);
        make_safe(&mut p, 0.5);
        assert_eq!(p, [0.45, 0.45, 0.05, 0.05]);
    }

    #[test]
    fn entropies_by_hand() {
        assert_eq!(entropy(&[2, 1, 1, 0]), 1.5);
        assert_eq!(entropy(&[7]), 0.0);
        assert_eq!(cross_entropy(&[1, 1], &[1, 3]), 0.5 * 2.0 + 0.5 * (4.0f64 / 3.0).log2());
        assert_eq!(cross_entropy(&[1, 1], &[0, 3]), f64::INFINITY);
    }
}
