//! The rule's parameters tried at random: gain against fairness, fitted on one part and reported on another.
//!
//! Setting 0 is the preset that the search starts from; the others are drawn from the ranges in [`Setting::draw`], each
//! from a stream of its own, so that a setting is the same in every shard. Every setting is replayed on every trace
//! beside EASY, and the measures are taken of the first and of the second half of the jobs, in order of submission, and
//! of all. Fitting sees the first half only. The replay is one, so jobs at the border of the halves meet each other.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surefill::schedule::PresetName;
use surefill_simulator::base::random::Random;
use surefill_simulator::replay::engine::{Stuck, replay};
use surefill_simulator::replay::metrics::Metrics;
use surefill_simulator::replay::outcome::Outcome;
use surefill_simulator::replay::policy::{Candidates, OrderOptions, PolicyOptions, Powers, ProbOptions};
use surefill_simulator::replay::run::{Error, Options};
use surefill_simulator::trace::workload::Workload;

/// The parameters that are searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Its number, from 0, the preset's.
    pub index: usize,
    /// The queue's priority.
    pub queue: Powers,
    /// The candidates'.
    pub candidates: Powers,
    /// Accepted below this delay over the head job's expected remaining wait.
    pub tau: f64,
    /// The quantile of recent waits from which the head job is guarded.
    pub guard: f64,
    /// The quantile of recent waits from which a job comes to the front.
    pub front: f64,
}

fn one<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len() as u32) as usize]
}

impl Setting {
    /// A preset's own values.
    fn preset(name: PresetName) -> Setting {
        let (order, prob) = (OrderOptions::preset(name), ProbOptions::preset(name));
        let candidates = match order.candidates {
            Candidates::Priority(powers) => powers,
            Candidates::Submission | Candidates::Shortest => Powers::SUBMISSION,
        };
        Setting {
            index: 0,
            queue: order.queue,
            candidates,
            tau: prob.tau,
            guard: prob.guard,
            front: order.front,
        }
    }

    /// The setting of this number: 0 the preset, else drawn by seed and number alone.
    pub fn draw(name: PresetName, seed: u64, index: usize) -> Setting {
        if index == 0 {
            return Setting::preset(name);
        }
        let mut random = Random::stream(seed, index as u64);
        let random = &mut random;
        let hours = [3600.0, 7200.0, 14_400.0];
        let queue = Powers {
            run_time: one(random, &[0.1, 0.2, 0.3, 0.5, 0.7, 1.0]),
            processors: one(random, &[0.0, -0.1, -0.2, -0.3]),
            age_unit_s: one(random, &hours),
            age: one(random, &[1.0, 1.5, 2.0]),
        };
        let candidates = Powers {
            run_time: 1.0,
            processors: one(random, &[0.0, 0.3, 0.5]),
            age_unit_s: one(random, &hours),
            age: one(random, &[1.0, 2.0]),
        };
        Setting {
            index,
            queue,
            candidates,
            tau: one(random, &[0.1, 0.15, 0.2, 0.3, 0.4, 0.5]),
            guard: one(random, &[0.97, 0.98, 0.99, 0.995, 0.998, 1.0]),
            front: one(random, &[0.99, 0.995, 0.998, 0.999, 1.0]),
        }
    }

    /// The preset's options with these values instead of its own.
    fn options(&self, preset: &PolicyOptions) -> PolicyOptions {
        let order = preset.order.clone().unwrap_or_else(|| OrderOptions::preset(PresetName::Delay));
        let candidates = Candidates::of(self.candidates);
        let order = OrderOptions { queue: self.queue, candidates, front: self.front, ..order };
        let prob = ProbOptions { tau: self.tau, guard: self.guard, ..preset.prob.clone() };
        PolicyOptions { order: Some(order), prob, ..preset.clone() }
    }
}

/// Waits of a part of the jobs, over EASY's waits of the same jobs: 1 is as long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratios {
    /// Ratio of the mean waits.
    pub mean: f64,
    /// Ratio of the geometric means.
    pub geometric: f64,
    /// Ratio of the 99th percentiles.
    pub p99: f64,
    /// Ratio of the longest waits.
    pub longest: f64,
}

fn ratio(own: f64, easy: f64) -> f64 {
    // Where no job waits under EASY every wait is lost; waits up to ten seconds count as equal.
    own.max(10.0) / easy.max(10.0)
}

impl Ratios {
    fn new(own: &Metrics, easy: &Metrics) -> Ratios {
        Ratios {
            mean: ratio(own.mean_wait_s, easy.mean_wait_s),
            geometric: ratio(own.geomean_wait_s, easy.geomean_wait_s),
            p99: ratio(own.p99_wait_s, easy.p99_wait_s),
            longest: ratio(own.max_wait_s, easy.max_wait_s),
        }
    }

    /// Geometric means of the gains, the worst of p99 and of the longest waits. `None` without traces.
    pub fn over<'a>(of: impl Iterator<Item = &'a Ratios>) -> Option<Ratios> {
        let mut count = 0.0;
        let mut sum = Ratios { mean: 0.0, geometric: 0.0, p99: 0.0, longest: 0.0 };
        for one in of {
            count += 1.0;
            sum.mean += one.mean.ln();
            sum.geometric += one.geometric.ln();
            sum.p99 = sum.p99.max(one.p99);
            sum.longest = sum.longest.max(one.longest);
        }
        (count > 0.0).then(|| Ratios {
            mean: (sum.mean / count).exp(),
            geometric: (sum.geometric / count).exp(),
            ..sum
        })
    }

    /// The quantity that fitting makes small: the geometric mean of the two mean waits' ratios.
    pub fn gain(&self) -> f64 {
        (self.mean * self.geometric).sqrt()
    }
}

/// One setting on one trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnTrace {
    /// Ratios of the jobs of the first half, which fitting sees.
    pub first: Ratios,
    /// Ratios of those of the second half.
    pub second: Ratios,
    /// Ratios of all jobs.
    pub whole: Ratios,
}

/// One setting on all traces, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The setting.
    pub setting: Setting,
    /// Its ratios on each.
    pub traces: Vec<OnTrace>,
}

/// Which part of each trace, and which traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The first halves.
    First,
    /// The second halves.
    Second,
    /// Whole traces at even places of the list (the first, the third, ...).
    Even,
    /// Whole traces at odd places.
    Odd,
}

impl Row {
    /// The setting's ratios on a part. None where there are no such traces.
    pub fn on(&self, part: Part) -> Option<Ratios> {
        match part {
            Part::First => Ratios::over(self.traces.iter().map(|one| &one.first)),
            Part::Second => Ratios::over(self.traces.iter().map(|one| &one.second)),
            Part::Even => Ratios::over(self.traces.iter().step_by(2).map(|one| &one.whole)),
            Part::Odd => Ratios::over(self.traces.iter().skip(1).step_by(2).map(|one| &one.whole)),
        }
    }
}

/// Inputs of a search, beside the traces.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuneOptions {
    /// Settings, the preset's among them.
    pub settings: usize,
    /// The seed that the settings are drawn by.
    pub seed: u64,
    /// The preset that setting 0 is.
    pub preset: String,
    /// The traces' names.
    pub traces: Vec<String>,
}

/// The rows of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuning {
    /// The version that made it.
    pub surefill: String,
    /// The search's options.
    pub options: TuneOptions,
    /// Its rows in order of their settings.
    pub rows: Vec<Row>,
}

/// A trace to replay: its workload, EASY's options and the preset's.
pub struct Subject<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its jobs.
    pub workload: &'a Workload,
    /// EASY, the base.
    pub easy: Options,
    /// The preset, whose parameters are replaced.
    pub preset: Options,
}

/// The jobs from `begin` on, at most `count` of them.
fn part(outcome: &Outcome, begin: usize, count: usize) -> Metrics {
    Metrics::of(&Outcome {
        setup: outcome.setup.clone(),
        jobs: outcome.jobs.iter().skip(begin).take(count).cloned().collect(),
        passes: 0,
        decisions: 0,
        pass_seconds: Vec::new(),
        wall_seconds: 0.0,
        nodes: None,
    })
}

fn halves(
    subject: &Subject<'_>,
    options: &Options,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<[Metrics; 3], Error> {
    let mut policy = options.choice.build(&options.policy)?;
    let setup = options.setup(subject.name, subject.workload.procs, 0);
    let outcome = replay(subject.workload, setup, &mut *policy, progress).map_err(|error: Stuck| error)?;
    let (jobs, half) = (outcome.jobs.len(), outcome.jobs.len() / 2);
    Ok([part(&outcome, 0, half), part(&outcome, half, jobs), part(&outcome, 0, jobs)])
}

/// Replays some of the settings that a seed draws on all traces, on all cores.
///
/// # Errors
/// [`Error`].
pub fn tune(
    subjects: &[Subject<'_>],
    name: PresetName,
    seed: u64,
    mine: &[usize],
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Row>, Error> {
    let easy = |subject: &Subject<'_>| halves(subject, &subject.easy, progress);
    let easy: Vec<[Metrics; 3]> = subjects.par_iter().map(easy).collect::<Result<_, Error>>()?;
    let mine: Vec<Setting> = mine.iter().map(|&index| Setting::draw(name, seed, index)).collect();
    let row = |setting: &Setting| {
        let on = |(subject, easy): (&Subject<'_>, &[Metrics; 3])| {
            let policy = setting.options(&subject.preset.policy);
            let own = halves(subject, &Options { policy, ..subject.preset.clone() }, progress)?;
            let [first, second, whole] = [0, 1, 2].map(|index| Ratios::new(&own[index], &easy[index]));
            Ok(OnTrace { first, second, whole })
        };
        let traces = subjects.par_iter().zip(&easy).map(on).collect::<Result<_, Error>>()?;
        Ok(Row { setting: setting.clone(), traces })
    };
    mine.par_iter().map(row).collect()
}

/// The rows that no other surpasses on `part`: none gains more, or as much, with neither a longer longest wait nor a
/// higher p99. In order of gain.
pub fn frontier(rows: &[Row], part: Part) -> Vec<&Row> {
    let known: Vec<(&Row, Ratios)> = rows.iter().filter_map(|row| Some((row, row.on(part)?))).collect();
    let surpasses = |a: &Ratios, b: &Ratios| {
        let no_worse = a.gain() <= b.gain() && a.longest <= b.longest && a.p99 <= b.p99;
        no_worse && (a.gain() < b.gain() || a.longest < b.longest || a.p99 < b.p99)
    };
    let mut best: Vec<&(&Row, Ratios)> =
        known.iter().filter(|(_, own)| !known.iter().any(|(_, other)| surpasses(other, own))).collect();
    best.sort_by(|a, b| a.1.gain().total_cmp(&b.1.gain()));
    best.into_iter().map(|(row, _)| *row).collect()
}

/// Limits of a fit's tails, on any trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Caps {
    /// The 99th percentile over EASY's.
    pub p99: f64,
    /// The longest wait over EASY's.
    pub longest: f64,
}

/// The setting that gains most on `part` within the caps; None where none is within them.
pub fn fit(rows: &[Row], part: Part, caps: Caps) -> Option<&Row> {
    let known = rows.iter().filter_map(|row| Some((row, row.on(part)?)));
    let fair = known.filter(|(_, on)| on.p99 <= caps.p99 && on.longest <= caps.longest);
    fair.min_by(|a, b| a.1.gain().total_cmp(&b.1.gain())).map(|(row, _)| row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(gain: f64, p99: f64, longest: f64) -> Ratios {
        Ratios { mean: gain, geometric: gain, p99, longest }
    }

    fn row(index: usize, of: &[Ratios]) -> Row {
        let on = |one: &Ratios| OnTrace { first: *one, second: ratios(1.0, 1.0, 1.0), whole: *one };
        let setting = Setting::draw(PresetName::Delay, 3, index);
        Row { setting, traces: of.iter().map(on).collect() }
    }

    #[test]
    fn a_setting_is_the_same_in_every_shard_and_another_for_another_number() {
        let draw = |index| Setting::draw(PresetName::DelayFast, 9, index);
        assert_eq!(draw(5), draw(5));
        assert!(
            (1..20)
                .all(|index| Setting { index: 0, ..draw(index) } != Setting { index: 0, ..draw(index + 1) })
        );
        let fast = PolicyOptions {
            order: Some(OrderOptions::preset(PresetName::DelayFast)),
            prob: ProbOptions::preset(PresetName::DelayFast),
            ..PolicyOptions::default()
        };
        assert_eq!(draw(0).options(&fast), fast);
        assert_ne!(draw(1).options(&fast), fast);
    }

    #[test]
    fn the_frontier_has_what_nothing_surpasses() {
        let rows = [
            row(0, &[ratios(0.7, 1.0, 1.1)]),
            row(1, &[ratios(0.6, 1.2, 1.5)]),
            row(2, &[ratios(0.8, 1.1, 1.2)]),
            row(3, &[ratios(0.9, 0.9, 1.3)]),
        ];
        let found: Vec<usize> = frontier(&rows, Part::First).iter().map(|row| row.setting.index).collect();
        assert_eq!(found, [1, 0, 3]);
        let within =
            |p99, longest| fit(&rows, Part::First, Caps { p99, longest }).map(|row| row.setting.index);
        assert_eq!(within(2.0, 2.0), Some(1));
        assert_eq!(within(1.0, 1.2), Some(0));
        assert_eq!(within(0.95, 1.3), Some(3));
        assert_eq!(within(0.5, 1.0), None);
    }

    #[test]
    fn gains_are_geometric_means_and_tails_the_worst() {
        let row = row(0, &[ratios(0.5, 1.1, 1.0), ratios(0.8, 0.9, 1.3), ratios(0.5, 0.7, 1.2)]);
        let on = row.on(Part::First).unwrap();
        assert!((on.mean - 0.2f64.cbrt()).abs() < 1e-12);
        assert_eq!((on.p99, on.longest), (1.1, 1.3));
        assert_eq!(row.on(Part::Odd).unwrap().longest, 1.3);
        assert!((row.on(Part::Even).unwrap().gain() - 0.5).abs() < 1e-12);
        assert_eq!(super::Row { traces: vec![], ..row }.on(Part::First), None);
    }
}
