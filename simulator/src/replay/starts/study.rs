//! Forecasts of starts against the starts that followed.

use super::asking::Asking;
use super::methods::{Method, Quantiles};
use super::prediction::{Occasion, Prediction};
use super::tenths::{Tenth, tenths};
use crate::base::statistics::upper_quantile;
use crate::replay::engine::replay;
use crate::replay::policy::{Choice, PolicyName, name_of};
use crate::replay::predict::PredictorName;
use crate::replay::run::{Error, Options};
use crate::replay::setup::Setup;
use crate::trace::workload::{JobId, Workload};
use serde::Serialize;
use std::collections::HashMap;
use surefill::engine::LEVELS;

/// Accuracy of one method on one kind of occasion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measure {
    /// The method.
    pub method: Method,
    /// On which occasions.
    pub occasion: Occasion,
    /// Number of forecasts.
    pub predictions: usize,
    /// The share of starts within the interval from the quantile .25 to .75; of methods that tell more than one
    /// number.
    pub within_half: Option<f64>,
    /// The share within the interval from .05 to .95.
    pub within_most: Option<f64>,
    /// The smallest share within that interval among the blocks of 300 answers that follow each other, if there
    /// is a whole one.
    pub worst_block: Option<f64>,
    /// The median of the width of the interval from .05 to .95, in seconds.
    pub median_width_s: Option<f64>,
    /// The share of starts by the forecast's median.
    pub by_median: f64,
    /// The median of the distance between that median and the start, in seconds.
    pub median_error_s: f64,
    /// The mean of that distance.
    pub mean_error_s: f64,
    /// The mean over the five levels p of the pinball loss p (w - q) where the wait w is above the quantile q, (1 - p)
    /// (q - w) where it is not, in seconds (Koenker & Bassett 1978): of all quantiles the right ones have the smallest.
    pub pinball_s: f64,
    /// The share of the jobs whose rest of the wait was at least half and at most twice the forecast's median.
    pub within_factor_2: f64,
    /// The share of starts by the quantile .75, which is what is promised to people.
    pub by_promised: f64,
    /// The mean of that quantile over the mean rest of the wait.
    pub promised_ratio: f64,
    /// The largest median over the longest rest of a wait.
    pub largest_ratio: f64,
    /// Seconds by which the instant of the median moves in an hour, in the mean, from one answer about a job to the
    /// next; of answers that have one before them.
    pub moves_s_an_hour: Option<f64>,
    /// Probabilities of starting within each of [`super::WITHIN`] by tenths; limits alone tell none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probabilities: Vec<Tenth>,
}

/// The study of one trace.
#[derive(Debug, Clone, Serialize)]
pub struct Study {
    /// The replay.
    #[serde(flatten)]
    pub setup: Setup,
    /// Predictor of run times in the forecasts.
    pub predicted_by: String,
    /// Scenarios of a forecast.
    pub scenarios: u32,
    /// Every this many-th job was asked about.
    pub each: usize,
    /// Jobs replayed.
    pub jobs: usize,
    /// Method by method, by occasion.
    pub measures: Vec<Measure>,
}

/// Answers of a block; see [`Measure::worst_block`].
const BLOCK: usize = 300;

/// See [`Measure::worst_block`]: of answers in the order of asking.
fn worst_block(mine: &[&Prediction]) -> Option<f64> {
    let holds = |prediction: &&&Prediction| {
        (prediction.quantiles[0]..=prediction.quantiles[4]).contains(&prediction.waited)
    };
    let share = |block: &[&Prediction]| block.iter().filter(holds).count() as f64 / BLOCK as f64;
    mine.chunks_exact(BLOCK).map(share).min_by(f64::total_cmp)
}

/// See [`Measure::moves_s_an_hour`]: of this method's answers on all occasions, in the order of asking.
fn moves(all: &[&Prediction], occasion: Occasion) -> Option<f64> {
    let mut before: HashMap<i64, (i64, i64)> = HashMap::new();
    let (mut moved, mut passed) = (0, 0);
    for prediction in all {
        let by = prediction.asked + prediction.quantiles[2];
        let earlier = before.insert(prediction.job, (prediction.asked, by));
        if let Some((asked, earlier)) = earlier.filter(|_| prediction.occasion == occasion) {
            moved += (by - earlier).abs();
            passed += prediction.asked - asked;
        }
    }
    (passed > 0).then(|| moved as f64 * 3600.0 / passed as f64)
}

/// The upper of the middle values.
fn median(values: &mut [i64]) -> f64 {
    upper_quantile(values, 0.5).map_or(f64::NAN, |value| value as f64)
}

/// See [`Measure::pinball_s`].
fn pinball(quantiles: &Quantiles, waited: i64) -> f64 {
    let loss = |(&quantile, level): (&i64, f64)| {
        let above = (waited - quantile) as f64;
        if above > 0.0 { level * above } else { (level - 1.0) * above }
    };
    quantiles.iter().zip(LEVELS).map(loss).sum::<f64>() / LEVELS.len() as f64
}

impl Measure {
    fn of(method: Method, occasion: Occasion, all: &[Prediction]) -> Option<Measure> {
        let mut asked: Vec<&Prediction> =
            all.iter().filter(|prediction| prediction.method == method).collect();
        asked.sort_by_key(|prediction| prediction.asked);
        let moves_s_an_hour = moves(&asked, occasion);
        asked.retain(|prediction| prediction.occasion == occasion);
        let mine = asked;
        if mine.is_empty() {
            return None;
        }
        let sum = |of: &dyn Fn(&Prediction) -> i64| {
            mine.iter().map(|prediction| of(prediction)).sum::<i64>() as f64
        };
        let largest = |of: &dyn Fn(&Prediction) -> i64| {
            mine.iter().map(|prediction| of(prediction)).max().unwrap_or(0) as f64
        };
        let share = |holds: &dyn Fn(&Prediction) -> bool| {
            mine.iter().filter(|prediction| holds(prediction)).count() as f64 / mine.len() as f64
        };
        let within = |low: usize, high: usize| {
            let holds = move |prediction: &Prediction| {
                (prediction.quantiles[low]..=prediction.quantiles[high]).contains(&prediction.waited)
            };
            method.has_intervals().then(|| share(&holds))
        };
        let mut widths: Vec<i64> =
            mine.iter().map(|prediction| prediction.quantiles[4] - prediction.quantiles[0]).collect();
        let mut errors: Vec<i64> =
            mine.iter().map(|prediction| (prediction.quantiles[2] - prediction.waited).abs()).collect();
        Some(Measure {
            method,
            occasion,
            predictions: mine.len(),
            within_half: within(1, 3),
            within_most: within(0, 4),
            worst_block: method.has_intervals().then(|| worst_block(&mine)).flatten(),
            median_width_s: method.has_intervals().then(|| median(&mut widths)),
            by_median: share(&|prediction| prediction.waited <= prediction.quantiles[2]),
            mean_error_s: errors.iter().sum::<i64>() as f64 / errors.len() as f64,
            median_error_s: median(&mut errors),
            pinball_s: mine
                .iter()
                .map(|prediction| pinball(&prediction.quantiles, prediction.waited))
                .sum::<f64>()
                / mine.len() as f64,
            within_factor_2: share(&|prediction| {
                let median = prediction.quantiles[2];
                prediction.waited <= 2 * median && median <= 2 * prediction.waited
            }),
            by_promised: share(&|prediction| prediction.waited <= prediction.quantiles[3]),
            promised_ratio: sum(&|prediction| prediction.quantiles[3])
                / sum(&|prediction| prediction.waited).max(1.0),
            largest_ratio: largest(&|prediction| prediction.quantiles[2])
                / largest(&|prediction| prediction.waited).max(1.0),
            moves_s_an_hour,
            probabilities: match method.has_intervals() {
                true => tenths(mine.into_iter()).to_vec(),
                false => Vec::new(),
            },
        })
    }
}

/// Number of scenarios of a forecast unless another is asked for: each takes whole decisions at every event.
pub const SCENARIOS: u32 = 20;

/// Seconds between two times at which all that wait are asked about.
pub const EVERY: i64 = 6 * 3600;

/// The predictor of run times in the forecasts: that of the policy, of one that decides by limits the scheduler's own.
pub fn predictor(choice: &Choice) -> PredictorName {
    if choice.predictor == PredictorName::Limit && choice.policy == PolicyName::Easy {
        return PredictorName::Contexts;
    }
    choice.predictor
}

/// Replays a workload with the scheduler engine, asking about every `each`-th job (at least 1) if it is not started by
/// the pass after its submission, and every [`EVERY`] seconds as long as it waits.
///
/// # Errors
/// [`Error`]: [`NoStarts`](crate::replay::policy::BadChoice::NoStarts) for a policy that the engine does not have.
pub fn study(
    trace: &str,
    workload: &Workload,
    replayed: &Options,
    (scenarios, each): (u32, usize),
    progress: &(dyn Fn(usize) + Sync),
) -> Result<(Study, Vec<Prediction>), Error> {
    let setup = replayed.setup(trace, workload.procs, 0);
    let mut asking = Asking::new(replayed.build_predicting(workload)?, scenarios, EVERY).each(each);
    replay(workload, setup.clone(), &mut asking, progress)?;
    let measures = [Occasion::Submission, Occasion::Later].into_iter().flat_map(|occasion| {
        let predictions = &asking.predictions;
        Method::ALL.into_iter().filter_map(move |method| Measure::of(method, occasion, predictions))
    });
    let study = Study {
        setup,
        predicted_by: name_of(predictor(&replayed.choice)),
        scenarios,
        each,
        jobs: workload.jobs.len(),
        measures: measures.collect(),
    };
    Ok((study, asking.predictions))
}

/// Time before a job's submission in which other jobs are asked about, in seconds, so that its reported starts follow
/// theirs.
const BEFORE: i64 = 14 * 86_400;

/// The forecasts of one job of a workload: at its submission, unless the pass after it starts it, and every [`EVERY`]
/// seconds while it waits. Reported starts follow those of the jobs of the 14 days before.
///
/// # Errors
/// As [`study`].
///
/// # Panics
/// When there is no such job.
pub fn of_job(
    trace: &str,
    workload: &Workload,
    replayed: &Options,
    job: JobId,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Prediction>, Error> {
    let from = workload.jobs[job].submit.saturating_sub(BEFORE);
    let policy = replayed.build_predicting(workload)?;
    let mut asking = Asking::new(policy, SCENARIOS, EVERY).from(from).until(job);
    replay(workload, replayed.setup(trace, workload.procs, 0), &mut asking, progress)?;
    let number = workload.jobs[job].number;
    asking.predictions.retain(|prediction| prediction.job == number);
    asking.predictions.sort_by_key(|prediction| (prediction.asked, prediction.method));
    Ok(asking.predictions)
}

#[cfg(test)]
mod tests {
    use super::super::tenths::furthest;
    use super::*;
    use crate::base::random::Random;
    use crate::replay::policy::engine::Engine;
    use crate::replay::policy::{BadChoice, PolicyOptions};
    use crate::trace::workload::{Counts, Job, Rules};
    use surefill::runtime::RuntimeBins;

    fn random_workload(seed: u64, count: usize, every: i64, procs: u32) -> Workload {
        let mut random = Random::new(seed);
        let jobs = (0..count).map(|id| {
            let limit = 60 * (1 + i64::from(random.below(300)));
            Job {
                id,
                number: id as i64 + 1,
                submit: every * id as i64,
                run_time: 1 + i64::from(random.below(limit as u32)),
                limit,
                processors: 1 << random.below(6),
                user: i64::from(random.below(9)),
                ..Job::default()
            }
        });
        let jobs = jobs.collect();
        Workload { jobs, procs, counts: Counts::default(), unix_start_time: None, nodes: None, site: None }
    }

    fn options(choice: &str) -> Options {
        let choice: Choice = choice.parse().unwrap();
        let policy = choice.options(&PolicyOptions::default());
        Options { choice, policy, rules: Rules::default() }
    }

    /// When all jobs are submitted at once and run times are known, nothing is left to chance: the scheduler's queue
    /// played forward starts every job when the simulator's own EASY does.
    #[test]
    fn with_run_times_known_and_no_later_arrivals_every_start_is_predicted() {
        let workload = random_workload(7, 400, 0, 100);
        let easy = options("easy");
        let (outcome, _) = crate::replay::run::one("all", &workload, &easy, 0, &|_| {}).unwrap();
        let clairvoyant = PredictorName::Clairvoyant.distribution(&RuntimeBins::default(), 0.0);
        let engine = Engine::new(clairvoyant, &RuntimeBins::default(), "preset=easy", None, None);
        let mut asking = Asking::new(Box::new(engine), 2, 3600);
        replay(&workload, easy.setup("all", workload.procs, 0), &mut asking, &|_| {}).unwrap();
        let starts: HashMap<i64, i64> = outcome.jobs.iter().map(|job| (job.number, job.start)).collect();
        let mut predicted = [0; 2];
        for prediction in
            asking.predictions.iter().filter(|prediction| prediction.method == Method::Scenarios)
        {
            assert_eq!(
                prediction.quantiles,
                [starts[&prediction.job] - prediction.asked; 5],
                "{prediction:?}"
            );
            predicted[usize::from(prediction.occasion == Occasion::Later)] += 1;
        }
        assert!(predicted.iter().all(|&count| count > 300), "{predicted:?}");
        let limits = Measure::of(Method::Limits, Occasion::Submission, &asking.predictions).unwrap();
        assert!(limits.median_error_s > 0.0 && limits.by_median > 0.99, "{limits:?}");
    }

    /// The forecasts of one job alone are those among all: what is not reported moves them.
    #[test]
    fn of_one_job_as_of_all() {
        let workload = random_workload(9, 90, 120, 64);
        for choice in ["easy", "fair", "papers"] {
            let options = options(choice);
            let (_, predictions) = study("all", &workload, &options, (SCENARIOS, 1), &|_| {}).unwrap();
            let alone = of_job("all", &workload, &options, 70, &|_| {}).unwrap();
            let mine =
                |prediction: &&Prediction| prediction.job == 71 && prediction.method == Method::Reported;
            let same: Vec<_> = predictions
                .iter()
                .filter(mine)
                .map(|prediction| (prediction.asked, prediction.quantiles))
                .collect();
            assert!(!same.is_empty(), "{choice}");
            assert_eq!(alone.iter().filter(mine).map(|t| (t.asked, t.quantiles)).collect::<Vec<_>>(), same);
        }
    }

    #[test]
    fn policies_that_no_site_runs_are_refused() {
        let workload = random_workload(3, 10, 60, 64);
        for choice in
            ["delay", "delay-fast", "easy++", "conservative", "fcfs", "easy:limit:sjbf", "lookahead"]
        {
            let refused = study("all", &workload, &options(choice), (SCENARIOS, 1), &|_| {});
            assert!(matches!(refused, Err(Error::Choice(BadChoice::NoStarts { .. }))), "{choice}");
        }
    }

    /// The plan's forecast tries fewer changes of the order than the rule itself and so is near, not exact.
    #[test]
    fn the_plans_own_forecast_is_asked() {
        let workload = random_workload(8, 90, 300, 64);
        let (study, predictions) =
            study("all", &workload, &options("fair:clairvoyant"), (2, 1), &|_| {}).unwrap();
        let found = |method, occasion| {
            let mine = |measure: &&Measure| measure.method == method && measure.occasion == occasion;
            study.measures.iter().find(mine).unwrap()
        };
        for occasion in [Occasion::Submission, Occasion::Later] {
            let (own, limits) = (found(Method::Reported, occasion), found(Method::Limits, occasion));
            assert!(own.predictions >= 40 && own.pinball_s < 0.7 * limits.pinball_s, "{own:?} {limits:?}");
        }
        let own = |prediction: &&Prediction| prediction.method == Method::Reported;
        assert!(
            predictions
                .iter()
                .filter(own)
                .all(|prediction| prediction.quantiles.is_sorted() && prediction.started.is_some())
        );
    }

    #[test]
    fn measures_by_hand() {
        let prediction = |waited| Prediction {
            job: 1,
            asked: 0,
            age: 0,
            method: Method::Scenarios,
            occasion: Occasion::Later,
            quantiles: [10, 20, 30, 40, 50],
            started: Some([0.25, 0.28, 0.5, 1.0]),
            simplified: false,
            waited,
        };
        let all = [prediction(5), prediction(10), prediction(25), prediction(40), prediction(900)];
        let measure = Measure::of(Method::Scenarios, Occasion::Later, &all).unwrap();
        assert_eq!(
            (measure.predictions, measure.within_half, measure.within_most),
            (5, Some(0.4), Some(0.6))
        );
        assert_eq!((measure.median_width_s, measure.by_median), (Some(40.0), 0.6));
        // Distances 25, 20, 5, 10, 870.
        assert_eq!(measure.median_error_s, 20.0);
        assert_eq!(measure.mean_error_s, 186.0);
        // 25 and 40 s are between 15 and 60 s.
        assert_eq!(measure.within_factor_2, 0.4);
        // 5, 10, 25 and 40 s are at most 40 s; 5 times 40 of 980 s; 30 of 900 s.
        assert_eq!((measure.by_promised, measure.promised_ratio), (0.8, 200.0 / 980.0));
        assert_eq!((measure.largest_ratio, measure.worst_block), (30.0 / 900.0, None));
        // The same job was asked about five times at once.
        assert_eq!(measure.moves_s_an_hour, None);
        // Pinball loss of 5 s: .95 x 5, .75 x 15, .5 x 25, .25 x 35 and .05 x 45.
        assert!((pinball(&[10, 20, 30, 40, 50], 5) - 39.5 / 5.0).abs() < 1e-9);
        // Pinball loss of 45 s: .05 x 35, .25 x 25, .5 x 15, .75 x 5 and .05 x 5.
        assert!((pinball(&[10, 20, 30, 40, 50], 45) - 19.5 / 5.0).abs() < 1e-9);
        // One of five starts after ten minutes, none after an hour.
        let tenth = |place: usize| measure.probabilities[place];
        assert_eq!((tenth(2).answers, tenth(5).answers, tenth(9).answers), (10, 5, 5));
        assert!((tenth(2).predicted - 0.265).abs() < 1e-9 && (tenth(2).started - 0.9).abs() < 1e-9);
        assert_eq!((tenth(0).answers, tenth(5).started, tenth(9).predicted), (0, 1.0, 1.0));
        assert_eq!(furthest(&measure.probabilities), None);
        let many: Vec<Prediction> = all.iter().cycle().take(100).copied().collect();
        let measure = Measure::of(Method::Scenarios, Occasion::Later, &many).unwrap();
        assert!((furthest(&measure.probabilities).unwrap() - 0.635).abs() < 1e-9);
        assert_eq!(Measure::of(Method::Limits, Occasion::Later, &all), None);
        assert_eq!(Measure::of(Method::Scenarios, Occasion::Submission, &all), None);
        // The medians 30, 7,230 and 3,660 s after 0: 2 h in an hour, then 3,570 s in half an hour.
        let later =
            |asked, median| Prediction { asked, quantiles: [0, 1, median, 9_000, 9_001], ..prediction(5) };
        let first = Prediction { occasion: Occasion::Submission, ..later(0, 30) };
        let all = [later(5_400, -1_740), first, later(3_600, 3_630)];
        let measure = Measure::of(Method::Scenarios, Occasion::Later, &all).unwrap();
        assert_eq!(measure.moves_s_an_hour, Some((7_200.0 + 3_570.0) / 1.5));
        let blocks: Vec<Prediction> = (0..650)
            .map(|asked| Prediction { asked, ..prediction(if asked < 360 { 5 } else { 30 }) })
            .collect();
        let measure = Measure::of(Method::Scenarios, Occasion::Later, &blocks).unwrap();
        assert_eq!(measure.worst_block, Some(0.0));
    }
}
