//! Quality of predicted distributions of run times, for any predictor: each job when it is submitted, on line.
//!
//! The trace's own submissions, starts and ends are reported in order of time; at one second ends come before
//! submissions and those before starts. A job's bin r is looked up in what is predicted at its submission, p, and in
//! the shares q of the bins among all jobs finished by then, both with the safety distribution of Nissimov 2006,
//! section 3.1, epsilon = 1 / (n + 1) after n finished jobs where a bin has none. Measured are
//!
//! * the gain, log2 p(r) - log2 q(r) bits: its mean over all jobs counts those about which a predictor is silent as 0;
//! * the probability integral transform, by tenths: the job's bin lies from P(< r) to P(<= r), and its one count is
//!   spread evenly over that interval (Czado, Gneiting & Held 2009). If predictions mean what they say each tenth has a
//!   tenth of the jobs;
//! * coverage: the part of that interval that lies in the middle 50 or 90 % of the distribution. Where predictions mean
//!   what they say it is 50 and 90 % on average.
//!
//! The same again under the job's limit, of the quantiles reported to schedulers and users (see [`UnderLimit`]):
//! predicted beyond the limit is at the limit there, and a run time beyond the limit ends at it.

use super::hmm::online::{Event, events};
use crate::generate::hmm::Error;
use crate::generate::hmm::sample::{Binning, make_safe, safety};
use clap::ValueEnum;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use surefill::runtime::{MAX_BINS, MAX_SECONDS, Release, RuntimeBins, RuntimeDistribution};
use surefill_simulator::replay::predict::{DistributionPredictor, PredictorName};
use surefill_simulator::trace::workload::Job;

/// Parts of the histogram.
pub const TENTHS: usize = 10;

/// Events into which a bin is divided under the limit, as in forecasts of starts.
const EVENTS_PER_BIN: usize = 4;

/// Predictions that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// All finished jobs, each counting the same.
    Global,
    /// The user's own jobs.
    User,
    /// Ten histories of like jobs.
    Mix,
    /// 31 contexts, mixed in the logarithm.
    Contexts,
    /// The hidden Markov model, by Baum-Welch.
    Hmm,
    /// The hidden Markov model, slot by slot.
    HmmOnline,
    /// The user's own jobs, corrected by the hidden Markov model's state.
    UserHmm,
    /// 31 contexts, corrected by the hidden Markov model's state.
    ContextsHmm,
    /// All of these.
    All,
}

impl Measured {
    /// The predictors that a list names, each once.
    pub fn predictors(list: &[Measured]) -> Vec<PredictorName> {
        let each = [
            (Measured::Global, PredictorName::Global),
            (Measured::User, PredictorName::User),
            (Measured::Mix, PredictorName::Mix),
            (Measured::Contexts, PredictorName::Contexts),
            (Measured::Hmm, PredictorName::Hmm),
            (Measured::HmmOnline, PredictorName::HmmOnline),
            (Measured::UserHmm, PredictorName::UserHmm),
            (Measured::ContextsHmm, PredictorName::ContextsHmm),
        ];
        let named = |measured: &Measured| list.contains(measured) || list.contains(&Measured::All);
        each.into_iter().filter(|(measured, _)| named(measured)).map(|(_, predictor)| predictor).collect()
    }
}

/// Quality of a predictor on a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// The trace's name.
    pub trace: String,
    /// The predictor.
    #[serde(deserialize_with = "predictor")]
    pub predictor: PredictorName,
    /// Jobs.
    pub jobs: u64,
    /// Jobs about which it was silent, the first ones included, before which none had ended.
    pub silent: u64,
    /// Jobs in a bin that it held impossible: with probability 0.
    pub impossible: u64,
    /// Bits a job over the distribution of all finished jobs; about a silent job 0.
    pub bits: f64,
    /// Bits a predicted job.
    pub bits_predicted: f64,
    /// The predicted jobs' share of each tenth of the probability integral transform, times ten: 1 everywhere where
    /// predictions mean what they say.
    pub tenths: [f64; TENTHS],
    /// Coverage of the middle 50 %.
    pub within_half: f64,
    /// Coverage of the middle 90 %.
    pub within_most: f64,
    /// The same under the limit.
    pub under_limit: UnderLimit,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Shares of the predicted jobs for which quantiles under the limit held.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UnderLimit {
    /// Jobs that ended by the .5 quantile of their run time under the limit.
    pub by_half: f64,
    /// Those that ended by the .95 quantile.
    pub by_most: f64,
    /// Those that ended by Algorithm 5's .5 quantile, by which what is predicted beyond the limit is spread over the
    /// rest.
    pub cut_by_half: f64,
    /// Those that ended by Algorithm 5's .95 quantile.
    pub cut_by_most: f64,
    /// The probability integral transform: from the share that would have ended before the job did to the share that
    /// would have ended by then; in tenths, times ten.
    pub tenths: [f64; TENTHS],
    /// Coverage of the middle 50 %.
    pub within_half: f64,
    /// Coverage of the middle 90 %.
    pub within_most: f64,
}

impl UnderLimit {
    /// Counts a job of which this was said.
    fn add(&mut self, said: &RuntimeDistribution, run_time: i64, limit: i64) {
        let limit = limit.clamp(1, MAX_SECONDS);
        let time = run_time.clamp(1, limit);
        type Quantile = fn(&RuntimeDistribution, f64, i64, i64) -> surefill::error::Result<i64>;
        let held = |of: Quantile, quantile| {
            f64::from(u8::from(of(said, quantile, 0, limit).expect("a limit in range") >= time))
        };
        self.by_half += held(RuntimeDistribution::quantile, 0.5);
        self.by_most += held(RuntimeDistribution::quantile, 0.95);
        self.cut_by_half += held(RuntimeDistribution::quantile_cut, 0.5);
        self.cut_by_most += held(RuntimeDistribution::quantile_cut, 0.95);
        let mut out = [Release::default(); MAX_BINS * EVENTS_PER_BIN];
        let count = said.remaining_within(0, limit, EVENTS_PER_BIN, &mut out).expect("room for all");
        let before = out[..count].partition_point(|release| release.after < time);
        let low: f64 = out[..before].iter().map(|release| release.probability).sum();
        let wide = out[before..count].first().map_or(0.0, |release| release.probability);
        // A run time beyond all that was predicted lies at the very end.
        let place = Interval { low: low.min(1.0 - f64::EPSILON), wide };
        place.add_to(&mut self.tenths, &mut self.within_half, &mut self.within_most);
    }

    /// The shares, of sums over the jobs.
    fn mean(self, jobs: f64) -> UnderLimit {
        UnderLimit {
            by_half: self.by_half / jobs,
            by_most: self.by_most / jobs,
            cut_by_half: self.cut_by_half / jobs,
            cut_by_most: self.cut_by_most / jobs,
            tenths: self.tenths.map(|sum| sum / jobs * TENTHS as f64),
            within_half: self.within_half / jobs,
            within_most: self.within_most / jobs,
        }
    }
}

/// Sums over the jobs.
#[derive(Debug, Clone, Default)]
struct Sums {
    predicted: u64,
    impossible: u64,
    bits: f64,
    tenths: [f64; TENTHS],
    within_half: f64,
    within_most: f64,
    under_limit: UnderLimit,
}

/// A job's place in a distribution: from the share below it on, and so wide.
struct Interval {
    low: f64,
    wide: f64,
}

impl Interval {
    /// The part of it that lies from `from` to `to`.
    fn part(&self, from: f64, to: f64) -> f64 {
        let &Interval { low, wide } = self;
        if wide > 0.0 {
            ((low + wide).min(to) - low.max(from)).max(0.0) / wide
        } else {
            f64::from(u8::from((from..to).contains(&low)))
        }
    }

    /// Adds its parts to sums.
    fn add_to(&self, tenths: &mut [f64; TENTHS], within_half: &mut f64, within_most: &mut f64) {
        for (number, tenth) in tenths.iter_mut().enumerate() {
            *tenth += self.part(number as f64 / TENTHS as f64, (number + 1) as f64 / TENTHS as f64);
        }
        *within_half += self.part(0.25, 0.75);
        *within_most += self.part(0.05, 0.95);
    }
}

impl Sums {
    /// A job was in this bin of what was predicted for it and of all finished jobs' shares.
    fn add(&mut self, mut predicted: Vec<f64>, mut shares: Vec<f64>, bin: usize, finished: f64) {
        self.predicted += 1;
        self.impossible += u64::from(predicted[bin] <= 0.0);
        make_safe(&mut predicted, safety(finished));
        make_safe(&mut shares, safety(finished));
        self.bits += libm::log2(predicted[bin]) - libm::log2(shares[bin]);
        let low: f64 = predicted[..bin].iter().sum();
        let place = Interval { low, wide: predicted[bin] };
        place.add_to(&mut self.tenths, &mut self.within_half, &mut self.within_most);
    }
}

/// Gain of a predictor, with nothing learnt yet, on these jobs in order of submission: bits a job over the
/// distribution of all finished ones, about a silent job 0. Both count run times in `bins`.
pub fn bits_a_job(jobs: &[Job], bins: &RuntimeBins, predictor: &mut dyn DistributionPredictor) -> f64 {
    sums(jobs, bins, predictor).bits / (jobs.len() as f64).max(1.0)
}

/// Predicts every job when it is submitted.
fn sums(jobs: &[Job], bins: &RuntimeBins, predictor: &mut dyn DistributionPredictor) -> Sums {
    let mut finished = vec![0.0; bins.count()];
    let (mut count, mut sums) = (0.0, Sums::default());
    for (now, event, index) in events(jobs) {
        let job = Job { id: index, ..jobs[index].clone() };
        let bin = bins.bin_of(job.run_time as f64);
        match event {
            Event::Submit => {
                predictor.submitted(&job, now);
                let said = predictor.predict(&job, now);
                if let Some((_, masses)) = said.binned().filter(|_| count > 0.0) {
                    let shares = finished.iter().map(|jobs: &f64| jobs / count).collect();
                    sums.add(masses.to_vec(), shares, bin, count);
                    sums.under_limit.add(&said, job.run_time, job.limit);
                }
            }
            Event::Start => predictor.started(&job, now),
            Event::End | Event::Instant => {
                predictor.finished(&job, now);
                finished[bin] += 1.0;
                count += 1.0;
            }
        }
    }
    sums
}

/// Measures one predictor on the jobs of a trace.
///
/// # Errors
/// [`Error::Bins`].
fn measure(name: &str, jobs: &[Job], which: PredictorName) -> Result<Quality, Error> {
    let began = Instant::now();
    let bins = Binning::default().bins(jobs)?;
    let mut predictor: Box<dyn DistributionPredictor> =
        which.distribution(&bins, 1e-3).expect("every one that is measured predicts distributions");
    let sums = sums(jobs, &bins, &mut *predictor);
    let all = jobs.len() as u64;
    let mean = |sum: f64| sum / (sums.predicted as f64).max(1.0);
    Ok(Quality {
        trace: name.to_owned(),
        predictor: which,
        jobs: all,
        silent: all - sums.predicted,
        impossible: sums.impossible,
        bits: sums.bits / (all as f64).max(1.0),
        bits_predicted: mean(sums.bits),
        tenths: sums.tenths.map(|sum| mean(sum) * TENTHS as f64),
        within_half: mean(sums.within_half),
        within_most: mean(sums.within_most),
        under_limit: sums.under_limit.clone().mean((sums.predicted as f64).max(1.0)),
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// Reads one of the predictors that can be measured.
fn predictor<'de, D: serde::Deserializer<'de>>(from: D) -> Result<PredictorName, D::Error> {
    let text = serde_json::Value::deserialize(from)?;
    let same = |which: &PredictorName| serde_json::to_value(which).is_ok_and(|name| name == text);
    let known = Measured::predictors(&[Measured::All]).into_iter().find(same);
    known.ok_or_else(|| serde::de::Error::custom(format!("{text} is no predictor that is measured")))
}

/// Measures predictors on traces, named, on all processors. `progress` is called for each that is done.
///
/// # Errors
/// A trace's name and its [`Error`].
pub fn qualities(
    traces: &[(String, &[Job])],
    predictors: &[PredictorName],
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Quality>, (String, Error)> {
    let all: Vec<(&str, &[Job], PredictorName)> = traces
        .iter()
        .flat_map(|(name, jobs)| predictors.iter().map(move |which| (name.as_str(), *jobs, *which)))
        .collect();
    let measured = all.par_iter().with_max_len(1).map(|(name, jobs, which)| {
        let found = measure(name, jobs, *which).map_err(|error| ((*name).to_owned(), error));
        progress();
        found
    });
    measured.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jobs one after the other, of 1 s and 100 s in turns.
    fn turns() -> Vec<Job> {
        let job = |i: i64| Job {
            submit: 1000 * i,
            wait: 0,
            run_time: if i % 2 == 0 { 1 } else { 100 },
            limit: if i % 2 == 0 { 10 } else { 200 },
            user: 1,
            processors: 1,
            ..Job::default()
        };
        (0..400).map(job).collect()
    }

    #[test]
    fn the_global_distribution_gains_nothing_and_means_what_it_says() {
        let found = measure("turns", &turns(), PredictorName::Global).unwrap();
        assert_eq!((found.jobs, found.silent), (400, 1));
        // Only the second kind's first job was in a bin without any.
        assert_eq!(found.impossible, 1);
        assert!(found.bits.abs() < 1e-12, "{found:?}");
        // A half each, but for the first jobs, whose shares are not yet halves: 1 / n off after n jobs.
        assert!(found.tenths.iter().all(|tenth| (tenth - 1.0).abs() < 0.12), "{found:?}");
        assert!((found.within_half - 0.5).abs() < 0.02 && (found.within_most - 0.9).abs() < 0.01);
        assert!((found.tenths.iter().sum::<f64>() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn who_knows_the_limit_gains_the_bit() {
        for which in [PredictorName::Mix, PredictorName::Contexts] {
            let found = measure("turns", &turns(), which).unwrap();
            assert!(found.bits > 0.85 && found.bits < 1.05, "{found:?}");
            assert!(found.bits_predicted >= found.bits && found.silent == 1);
        }
        // The user's own jobs are all jobs: nothing is known beyond them.
        let user = measure("turns", &turns(), PredictorName::User).unwrap();
        assert!(user.bits.abs() < 0.1, "{user:?}");
    }

    #[test]
    fn the_interval_of_a_bin_is_spread() {
        let mut sums = Sums::default();
        // From .2 to .5: a third in each of three tenths, .25 of .3 in the middle half, all in the middle 90 %.
        sums.add(vec![0.2, 0.3, 0.5], vec![0.25, 0.15, 0.6], 1, 99.0);
        assert_eq!((sums.predicted, sums.impossible), (1, 0));
        assert!((sums.bits - 1.0).abs() < 1e-12);
        for (number, tenth) in sums.tenths.iter().enumerate() {
            let expected = if (2..5).contains(&number) { 1.0 / 3.0 } else { 0.0 };
            assert!((tenth - expected).abs() < 1e-12, "{:?}", sums.tenths);
        }
        assert!((sums.within_half - 5.0 / 6.0).abs() < 1e-12 && (sums.within_most - 1.0).abs() < 1e-12);
        // An impossible bin has the safety distribution's share: 1 / 100, all of it in the last tenth.
        let mut sums = Sums::default();
        sums.add(vec![0.4, 0.6, 0.0], vec![0.5, 0.46, 0.04], 2, 99.0);
        assert!((sums.bits + 2.0).abs() < 1e-12 && sums.impossible == 1, "{sums:?}");
        assert!((sums.tenths[9] - 1.0).abs() < 1e-9 && sums.within_most == 0.0);
    }

    /// Bins of 1 to 10, 10 to 100 and 100 to 1,000 s with a half, a quarter and a quarter; limits by tenths of the
    /// logarithm.
    #[test]
    fn under_the_limit_the_rest_is_at_the_limit() {
        let bins = RuntimeBins::new(10.0, 10.0, 4).unwrap();
        let said = RuntimeDistribution::from_counts(&bins, &[2.0, 1.0, 1.0, 0.0]).unwrap();
        let of = |run_time, limit| {
            let mut found = UnderLimit::default();
            found.add(&said, run_time, limit);
            found
        };
        // At the limit of 100 s: from .75 - .25 / 4 on, for the last of four events of the second bin is there too.
        for run_time in [100, 500] {
            let found = of(run_time, 100);
            assert_eq!((found.by_half, found.by_most, found.cut_by_half), (0.0, 1.0, 0.0));
            assert!(found.cut_by_most == 0.0 && (found.within_half - 0.2).abs() < 1e-12);
            assert!((found.within_most - (0.95 - 0.6875) / 0.3125).abs() < 1e-12);
            let by_hand = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.04, 0.32, 0.32, 0.32];
            assert!(found.tenths.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        }
        // 10 s is the median; under Algorithm 5 that is 10^(3/4) s.
        let found = of(8, 100);
        assert_eq!((found.by_half, found.cut_by_half), (1.0, 0.0));
        // The last event of the first bin: from 3/8 to 1/2.
        assert!((found.tenths[3] - 0.2).abs() < 1e-12 && (found.tenths[4] - 0.8).abs() < 1e-12);
        assert_eq!((found.within_half, found.within_most), (1.0, 1.0));
        // Longer than all that was predicted, with no limit near.
        let found = of(2000, 1 << 30);
        assert_eq!((found.by_most, found.tenths[9], found.within_most), (0.0, 1.0, 0.0));
        // Means of one and of three.
        let mut sums = of(8, 100);
        sums.add(&said, 100, 100);
        sums.add(&said, 2000, 100);
        assert!((sums.mean(3.0).by_half - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_list_names_each_once() {
        assert_eq!(Measured::predictors(&[Measured::Mix, Measured::Mix]), [PredictorName::Mix]);
        let all = Measured::predictors(&[Measured::Mix, Measured::All]);
        assert_eq!(all.len(), Measured::value_variants().len() - 1);
        for which in all {
            assert!(which.distribution(&surefill::runtime::RuntimeBins::default(), 0.0).is_some());
        }
    }
}
