//! Everything that is measured of one trace.

use super::ageing::{self, Ageing, Clock, ageing};
use super::binning::{Binning, Granularity};
use super::metric::{Counts, Shuffled};
use super::sample::{Attribute, Sample};
use super::search::{self, NEAR, Plateau, Point, Space, Surface, search};
use super::thesis::{self, Published};
use super::threshold::{self, TwoBins, two_bins};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surefill_simulator::trace::workload::{self, Job, Workload};

/// Measurements to make, and their options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// From what run times would be learnt.
    pub by: Vec<Attribute>,
    /// Methods of binning run times; by default those of the thesis's tables: k-means for the submit time alone.
    pub binnings: Option<Vec<Binning>>,
    /// t_s in seconds, where it is given.
    pub slot_s: Option<i64>,
    /// t_r, where it is given.
    pub ratio: Option<f64>,
    /// N of k-means, where it is given.
    pub means: Option<u32>,
    /// Shuffles beside the exact expectation; 0 leaves them out.
    pub shuffles: u32,
    /// Seed of the first shuffle.
    pub seed: u64,
    /// Thresholds in seconds: what is learnt from submit times of whether jobs run for longer.
    pub thresholds_s: Vec<i64>,
    /// By which clocks ageing is studied.
    pub clocks: Vec<Clock>,
    /// Options of the study of ageing.
    pub ageing: ageing::Options,
}

/// The metric at one granularity, with its parts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Where, and the metric.
    #[serde(flatten)]
    pub point: Point,
    /// H(R), in bits.
    pub run_time_entropy: f64,
    /// The naive I(S;R), in bits.
    pub information: f64,
    /// The exact E[I(S;R')], in bits.
    pub expected: f64,
    /// I(S;R') over a few shuffles, unless left out.
    pub shuffled: Option<Shuffled>,
    /// f by these shuffles, as the thesis has it, in bits.
    pub shuffled_locality: Option<f64>,
}

/// The thesis's best, and what is measured here at the same granularity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reproduced {
    /// The thesis's.
    pub published: Published,
    /// Ours.
    pub measured: Measured,
}

/// Why there is nothing. By another name than a reference's, for which serde would want a text that lives as long.
pub type Reason = &'static str;

/// Reads one of the few sentences that say why there is nothing, and keeps it for as long as the process lives.
fn kept<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Reason>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.map(|text| &*Box::leak(text.into_boxed_str())))
}

/// One attribute and binning.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measurement {
    /// From what run times would be learnt.
    pub attribute: Attribute,
    /// Method of binning run times.
    pub binning: Binning,
    /// Jobs measured.
    pub jobs: usize,
    /// Jobs left out because their user is unknown.
    pub without_user: usize,
    /// Why there is nothing to measure.
    #[serde(deserialize_with = "kept")]
    pub nothing: Option<Reason>,
    /// The best granularity.
    pub best: Option<Measured>,
    /// Where the metric is within 1 % of the best.
    pub plateau: Option<Plateau>,
    /// The thesis's, where it has the trace.
    pub thesis: Option<Reproduced>,
    /// Everything the search looked at.
    pub surface: Option<Surface>,
}

/// Information that submit times add to users: f(s; r|u), in bits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GivenUser {
    /// The thesis's, where it has the trace.
    pub thesis: Option<f64>,
    /// The difference of Table 2.3: the best f((s, u), r) less the best f(u, r), each at its own granularity.
    pub best_less_best: f64,
    /// f((s, u), r) at its best less f(u, r) at the same t_r.
    pub same_ratio: f64,
    /// At the same granularity, with run times shuffled within every user only: what submit times tell of a user's run
    /// times beyond chance.
    pub within_users: f64,
}

/// One trace.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Study {
    /// The trace's file name without its folder.
    pub trace: String,
    /// Effects of the replay rules.
    pub replay: workload::Counts,
    /// Users who are known.
    pub users: usize,
    /// Attributes and binnings, in the order of the thesis's tables.
    pub measurements: Vec<Measurement>,
    /// Information that submit times add to users, where both are measured with bins of constant ratio.
    pub given_user: Option<GivenUser>,
    /// Two bins, for every threshold.
    pub two_bins: Vec<TwoBins>,
    /// Ageing by every clock.
    pub ageing: Vec<Ageing>,
    /// Why `ageing` is empty although it was asked for.
    #[serde(deserialize_with = "kept")]
    pub no_ageing: Option<Reason>,
}

impl Options {
    /// The attributes and binnings to measure.
    fn pairs(&self) -> Vec<(Attribute, Binning)> {
        let mut by = self.by.clone();
        by.sort_unstable();
        by.dedup();
        let binnings = |attribute: Attribute| match &self.binnings {
            Some(binnings) => binnings.clone(),
            None if attribute == Attribute::Time => vec![Binning::Simple, Binning::Kmeans],
            None => vec![Binning::Simple],
        };
        let pairs = by.into_iter().flat_map(|a| binnings(a).into_iter().map(move |b| (a, b)));
        let mut pairs: Vec<(Attribute, Binning)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn space(&self, binning: Binning) -> Space {
        let granularity = match binning {
            Binning::Simple => self.ratio.map(Granularity::Ratio),
            Binning::Kmeans => self.means.map(Granularity::Means),
        };
        Space { slot: self.slot_s, binning, granularity }
    }
}

/// Why a sample has nothing to measure.
fn nothing(sample: &Sample) -> Option<&'static str> {
    if sample.run_times.jobs() == 0 {
        Some("no job's user is known")
    } else if sample.run_times.jobs() == 1 {
        Some("there is one job only")
    } else if sample.run_times.distinct() == 1 {
        Some("all run times are equal")
    } else if sample.attribute == Attribute::User && sample.users().len() == 1 {
        Some("there is one user only")
    } else {
        None
    }
}

/// A study's samples: what it works on, and how much work that is.
pub struct Plan<'a> {
    trace: String,
    workload: &'a Workload,
    options: &'a Options,
    samples: Vec<(Binning, Sample)>,
}

impl<'a> Plan<'a> {
    /// Sorts the jobs of a trace, named by its file without folders.
    pub fn new(trace: &str, workload: &'a Workload, options: &'a Options) -> Plan<'a> {
        let sample = |(attribute, binning)| (binning, Sample::new(&workload.jobs, attribute));
        let samples = options.pairs().into_iter().map(sample).collect();
        Plan { trace: trace.to_owned(), workload, options, samples }
    }

    /// Number of steps that [`Plan::run`] reports to `progress`.
    pub fn steps(&self) -> u64 {
        let searches = self.samples.iter().filter(|(_, sample)| nothing(sample).is_none());
        let searches: u64 =
            searches.map(|(binning, sample)| search::steps(sample, &self.options.space(*binning))).sum();
        let by_time = Sample::new(&self.workload.jobs, Attribute::Time);
        let two = if self.options.thresholds_s.is_empty() { 0 } else { threshold::steps(&by_time) };
        searches + two + self.options.clocks.iter().map(|&clock| ageing::steps(clock)).sum::<u64>()
    }

    /// Measures; `progress` gets portions that add up to [`Plan::steps`].
    pub fn run(&self, progress: &(dyn Fn(u64) + Sync)) -> Study {
        let measure = |(binning, sample): &(Binning, Sample)| self.measure(sample, *binning, progress);
        let measurements: Vec<Measurement> = self.samples.iter().map(measure).collect();
        let jobs = &self.workload.jobs;
        let options = &self.options.ageing;
        let ageing = self.options.clocks.iter().filter_map(|&clock| ageing(jobs, clock, options, progress));
        let ageing: Vec<Ageing> = ageing.collect();
        let missing = ageing.is_empty() && !self.options.clocks.is_empty();
        Study {
            trace: self.trace.clone(),
            replay: self.workload.counts,
            users: known_users(jobs),
            given_user: self.given_user(&measurements),
            two_bins: self.two_bins(&measurements, progress),
            measurements,
            no_ageing: missing.then_some("no user has enough jobs, or all run times fall in one bin"),
            ageing,
        }
    }

    fn measure(&self, sample: &Sample, binning: Binning, progress: &(dyn Fn(u64) + Sync)) -> Measurement {
        let mut measurement = Measurement {
            attribute: sample.attribute,
            binning,
            jobs: sample.run_times.jobs(),
            without_user: sample.without_user,
            nothing: nothing(sample),
            best: None,
            plateau: None,
            thesis: None,
            surface: None,
        };
        if measurement.nothing.is_some() {
            return measurement;
        }
        let surface = search(sample, &self.options.space(binning), progress);
        let best = surface.best;
        measurement.best = Some(self.measured(sample, best.slot_s.unwrap_or(0), best.granularity));
        measurement.plateau = Some(surface.plateau(NEAR));
        measurement.surface = Some(surface);
        let published = thesis::published(&self.trace, sample.attribute, binning);
        measurement.thesis = published.map(|published| Reproduced {
            published,
            measured: self.measured(sample, published.slot_s.unwrap_or(0), published.granularity),
        });
        measurement
    }

    /// Information of submit times on whether jobs run for longer than the thresholds.
    fn two_bins(&self, measurements: &[Measurement], progress: &(dyn Fn(u64) + Sync)) -> Vec<TwoBins> {
        let thresholds = &self.options.thresholds_s;
        let sample = Sample::new(&self.workload.jobs, Attribute::Time);
        if thresholds.is_empty() || sample.run_times.jobs() == 0 {
            return Vec::new();
        }
        let by_ratio =
            measurements.iter().find(|m| m.attribute == Attribute::Time && m.binning == Binning::Simple);
        let full = by_ratio.and_then(|m| m.best?.point.slot_s);
        two_bins(&sample, thresholds, full, progress)
    }

    fn measured(&self, sample: &Sample, slot: i64, granularity: Granularity) -> Measured {
        let (binned, groups) = (sample.run_times.bin(granularity), sample.groups(slot));
        let counts =
            Counts { logs: &sample.logs, groups: &groups, run_time_bins: &binned.bins, bins: binned.used };
        let information = counts.information();
        let Options { shuffles, seed, .. } = *self.options;
        let shuffled = (shuffles > 0).then(|| counts.shuffled(shuffles, seed));
        Measured {
            point: search::point(sample, slot, granularity),
            run_time_entropy: counts.run_time_entropy(),
            information,
            expected: counts.expected(),
            shuffled,
            shuffled_locality: shuffled.map(|shuffled| information - shuffled.mean),
        }
    }

    fn given_user(&self, measurements: &[Measurement]) -> Option<GivenUser> {
        let best = |attribute| {
            let mut all = measurements.iter().zip(&self.samples);
            let (measurement, (_, sample)) =
                all.find(|(m, _)| m.attribute == attribute && m.binning == Binning::Simple)?;
            Some((measurement.best?.point, sample))
        };
        let (user, of_users) = best(Attribute::User)?;
        let (both, of_both) = best(Attribute::Both)?;
        let slot = both.slot_s?;
        let same_ratio = both.locality - search::point(of_users, 0, both.granularity).locality;
        Some(GivenUser {
            thesis: thesis::given_user(&self.trace),
            best_less_best: both.locality - user.locality,
            same_ratio,
            within_users: within_users(of_both, slot, both.granularity),
        })
    }
}

/// f of submit times and run times among each user's jobs, weighed by the user's jobs, in bits.
fn within_users(sample: &Sample, slot: i64, granularity: Granularity) -> f64 {
    let binned = sample.run_times.bin(granularity);
    let groups = sample.groups(slot);
    let (mut jobs, mut groups) = (&binned.bins[..], &groups[..]);
    let mut parts = Vec::new();
    for size in sample.users() {
        let (own, others) = jobs.split_at(size as usize);
        // No group has jobs of two users: this user's are the next ones that add up to the user's jobs.
        let sums = groups.iter().scan(0, |sum, &group| {
            *sum += group;
            Some(*sum)
        });
        let count = sums.take_while(|&sum| sum <= size).count();
        let (own_groups, other_groups) = groups.split_at(count);
        parts.push((own, own_groups));
        (jobs, groups) = (others, other_groups);
    }
    let part = |(own, own_groups): &(&[u32], &[u32])| {
        let counts = Counts { logs: &sample.logs, groups: own_groups, run_time_bins: own, bins: binned.used };
        counts.locality() * own.len() as f64
    };
    let parts: Vec<f64> = parts.par_iter().map(part).collect();
    parts.iter().sum::<f64>() / binned.bins.len().max(1) as f64
}

fn known_users(jobs: &[Job]) -> usize {
    let mut users: Vec<i64> = jobs.iter().map(|job| job.user).filter(|&user| user >= 0).collect();
    users.sort_unstable();
    users.dedup();
    users.len()
}
