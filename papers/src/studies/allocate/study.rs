//! Tables 1 and 2 of Downey 1997 over several seeds.

use super::application::{Offer, follow};
use super::lifetimes::Lifetimes;
use super::machine::Machine;
use super::reading::Reading;
use super::strategy::{Decider, Prediction, Rule, Strategy};
use super::system::{Run, run};
use super::workload::{
    Hours, Job, Parallelism, Recorded, WorkloadOptions, generate, malleable, offered_load,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use surefill::allocate::{Correction, LogUniform};
use surefill_simulator::base::statistics::{self, Estimate};

/// Longer than any trace, in seconds.
const LONG: f64 = 1e12;

/// Numbers by name.
pub type Measures = BTreeMap<String, f64>;

/// A model of the run times by which predictors expect running jobs to end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum RunTimeModel {
    /// The distribution of the sequential lifetimes L, as the paper's equations have it
    Sequential,
    /// A fit of equation 4 to the run times of another workload of the same kind under AVG
    Fitted,
    /// L's distribution divided by the job's own speedup: what follows from the workload model
    Scaled,
}

impl RunTimeModel {
    /// In tables.
    pub fn text(self) -> &'static str {
        match self {
            RunTimeModel::Sequential => "L",
            RunTimeModel::Fitted => "fitted",
            RunTimeModel::Scaled => "L / S(n)",
        }
    }
}

/// Inputs of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyOptions {
    /// The workload; its seed is the first.
    pub workload: WorkloadOptions,
    /// Seeds, one after the other.
    pub seeds: u32,
    /// Strategies as written on the command line.
    pub strategies: Vec<String>,
    /// Run-time models of the predictors.
    pub models: Vec<RunTimeModel>,
    /// The trace whose jobs are made malleable; none for the paper's workload.
    pub trace: Option<OfTrace>,
}

/// Options by which a trace's jobs are made malleable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfTrace {
    /// The trace's file name without its folder.
    pub name: String,
    /// Where their average parallelism comes from.
    pub parallelism: Parallelism,
    /// The load their times are stretched to; none leaves them as they are.
    pub load: Option<f64>,
}

/// One strategy under one run-time model, over all seeds.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The strategy.
    pub strategy: String,
    /// Its run-time model; none for strategies that predict nothing.
    pub model: Option<RunTimeModel>,
    /// Decisions recorded, not effected.
    pub application: BTreeMap<String, Estimate>,
    /// Decisions in effect.
    pub system: BTreeMap<String, Estimate>,
    /// The first seed's predictions, for plots.
    #[serde(skip)]
    pub predictions: Vec<Prediction>,
}

/// The outcome.
#[derive(Debug, Clone, Serialize)]
pub struct Study {
    /// The study's options.
    pub options: StudyOptions,
    /// Facts of the workloads under AVG.
    pub workload: BTreeMap<String, Estimate>,
    /// In the order asked for, model by model.
    pub rows: Vec<Row>,
}

/// Why there is no study.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// Nothing to study with this number of days and this load.
    #[error("no job arrives in {0} days at a load of {1}")]
    NoJobs(u32, f64),
    /// Nothing to fit a distribution of run times to, with this seed.
    #[error(
        "seed {0}: too few different run times to fit their distribution to: it takes more days, or other lifetimes"
    )]
    NoFit(u64),
    /// A trace's jobs follow no workload model.
    #[error(
        "run times by the workload model (--lifetimes scaled) are the paper's workload's: a trace has none"
    )]
    NotOfTraces,
}

/// The workload's options of the n-th seed.
fn seeded(options: &WorkloadOptions, n: u32) -> WorkloadOptions {
    WorkloadOptions { seed: options.seed.wrapping_add(u64::from(n)), ..*options }
}

/// Lifetimes of a run-time model on a workload of this kind.
///
/// # Errors
/// [`StudyError::NoFit`].
pub fn lifetimes(model: RunTimeModel, options: &WorkloadOptions) -> Result<Lifetimes, StudyError> {
    Ok(match model {
        RunTimeModel::Sequential => Lifetimes::Sequential,
        RunTimeModel::Scaled => Lifetimes::Scaled,
        RunTimeModel::Fitted => {
            // Not the workload itself: its future is not known.
            let other = WorkloadOptions { seed: options.seed ^ (1 << 40), ..*options };
            let runs = avg(&generate(&other), options.procs);
            fitted(runs.iter().map(|run| run.end - run.start), options.seed)?
        }
    })
}

/// Equation 4 fitted to times.
fn fitted(times: impl Iterator<Item = f64>, seed: u64) -> Result<Lifetimes, StudyError> {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    let fitted = LogUniform::fit(&times).map_err(|_| StudyError::NoFit(seed))?;
    Ok(Lifetimes::Fitted(fitted.bounds().0, fitted.bounds().1))
}

/// Lifetimes of a run-time model on a trace's jobs: their distribution of L is that of equation 4 fitted to the work
/// they do, as the paper fitted it to its trace.
fn lifetimes_of_trace(
    model: RunTimeModel,
    jobs: &[Job],
    options: &WorkloadOptions,
) -> Result<Lifetimes, StudyError> {
    match model {
        RunTimeModel::Sequential => fitted(jobs.iter().map(|job| job.sequential), options.seed),
        RunTimeModel::Fitted => {
            let runs = avg(jobs, options.procs);
            fitted(runs.iter().map(|run| run.end - run.start), options.seed)
        }
        RunTimeModel::Scaled => Err(StudyError::NotOfTraces),
    }
}

/// The mean; no number without any value.
fn mean(values: &[f64]) -> f64 {
    statistics::mean(values.iter().copied()).unwrap_or(f64::NAN)
}

/// The median; no number without any value.
fn median(values: &mut [f64]) -> f64 {
    statistics::median(values).unwrap_or(f64::NAN)
}

/// The jobs under AVG.
pub fn avg(jobs: &[Job], procs: u32) -> Vec<Run> {
    let mut decider = Decider::new(Strategy::AVG, procs);
    run(jobs, procs, &Lifetimes::Sequential, &mut decider, &mut |_: &Machine, _, _, _| {})
}

/// A strategy ready for its run; one that corrects by a first run has had that, on the same jobs: the predictions of
/// the same strategy without correction, recorded under AVG and not effected (section 5.4).
fn decider(jobs: &[Job], procs: u32, lifetimes: &Lifetimes, strategy: Strategy) -> Decider {
    let mut decider = Decider::new(strategy, procs);
    let readings = strategy.readings;
    if let (true, Rule::Predicted { predictor, .. }) = (strategy.twice, strategy.rule) {
        let decimal = readings.has(Reading::Decimal);
        if decimal || readings.has(Reading::Natural) {
            decider.corrected_as_published(decimal);
            return decider;
        }
        let rule = Rule::Predicted { predictor, corrected: false };
        let first = match readings.has(Reading::Plain) {
            true => Strategy { rule, printed: strategy.printed, readings, ..Strategy::AVG },
            false => Strategy { rule, twice: false, ..strategy },
        };
        let mut first = Decider::new(first, procs);
        match readings.has(Reading::Effected) {
            true => drop(run(jobs, procs, lifetimes, &mut first, &mut |_: &Machine, _, _, _| {})),
            false => drop(followed(jobs, procs, lifetimes, &mut first)),
        }
        decider.corrected_by(if readings.has(Reading::Every) { &first.weighed } else { &first.predictions });
    }
    decider
}

/// Gains of every job to which AVG does not give all it wants by a decider, and the sum of their gains by OPT, in
/// minutes.
fn followed(jobs: &[Job], procs: u32, lifetimes: &Lifetimes, decider: &mut Decider) -> (Vec<Offer>, f64) {
    let mut avg = Decider::new(Strategy::AVG, procs);
    let mut best = Decider::new(Strategy { rule: Rule::Opt, ..Strategy::AVG }, procs);
    let mut offers: Vec<Offer> = Vec::new();
    let mut possible = 0.0;
    run(jobs, procs, lifetimes, &mut avg, &mut |machine, index, queued, processors| {
        if processors < jobs[index].most {
            offers.push(follow(jobs, machine, index, queued, decider));
            possible += follow(jobs, machine, index, queued, &mut best).saved / 60.0;
        }
    });
    (offers, possible)
}

/// The strategy's decisions for every job that AVG does not give all it wants, none of them effected.
pub fn application(
    jobs: &[Job],
    procs: u32,
    lifetimes: &Lifetimes,
    strategy: Strategy,
) -> (Measures, Vec<Prediction>) {
    let mut decider = decider(jobs, procs, lifetimes, strategy);
    let (offers, possible) = followed(jobs, procs, lifetimes, &mut decider);
    let (count, unspoiled) = (jobs.len() as f64, offers.len() as f64);
    let rebels: Vec<&Offer> = offers.iter().filter(|offer| offer.rebelled).collect();
    let mut saved: Vec<f64> = rebels.iter().map(|offer| offer.saved / 60.0).collect();
    let losses: Vec<f64> = saved.iter().filter(|&&saved| saved < 0.0).map(|saved| -saved).collect();
    let sequential = |rebelled: bool| {
        let of = offers.iter().filter(|offer| offer.rebelled == rebelled);
        mean(&of.map(|offer| jobs[offer.job].sequential).collect::<Vec<f64>>())
    };
    let mut measures: Measures = [
        ("jobs", count),
        ("spoiled_share", 1.0 - unspoiled / count),
        ("rebels", rebels.len() as f64),
        ("rebel_share", rebels.len() as f64 / count),
        ("rebel_share_of_unspoiled", rebels.len() as f64 / unspoiled),
        // + 0.0: no negative zero.
        ("saved_min_per_job", saved.iter().sum::<f64>() / count + 0.0),
        // Relative to the savings of OPT on the same jobs.
        ("saved_share_of_opt", saved.iter().sum::<f64>() / possible + 0.0),
        ("loser_share_of_rebels", losses.len() as f64 / rebels.len() as f64),
        ("loss_min_per_loser", mean(&losses)),
        ("saved_min_per_rebel", mean(&saved)),
        ("median_saved_min_per_rebel", median(&mut saved)),
        ("lifetime_of_rebels_over_docile", sequential(true) / sequential(false)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    measures.extend(predictions(&decider.predictions));
    (measures, decider.predictions)
}

/// Correlation and trend of the logarithms of predicted and actual waits.
fn predictions(predictions: &[Prediction]) -> Measures {
    let mut line = Correction::new();
    for prediction in predictions {
        line.record(prediction.used, prediction.actual).expect("seconds");
    }
    let (intercept, slope) = line.line().unwrap_or((f64::NAN, f64::NAN));
    let correlation = line.correlation().unwrap_or(f64::NAN);
    let ratio = |p: &Prediction| p.used.max(1.0) / p.actual.max(1.0);
    let mut ratios: Vec<f64> = predictions.iter().map(ratio).collect();
    [
        ("predictions", predictions.len() as f64),
        ("correlation", correlation),
        ("intercept", intercept),
        ("slope", slope),
        ("median_predicted_over_actual", median(&mut ratios)),
        (
            "mean_predicted_over_mean_actual",
            predictions.iter().map(|p| p.used).sum::<f64>()
                / predictions.iter().map(|p| p.actual).sum::<f64>(),
        ),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// The results of runs, beside the same jobs under AVG.
pub fn system(jobs: &[Job], runs: &[Run], avg: &[Run], hours: &Hours, procs: u32) -> Measures {
    let turnaround = |runs: &[Run]| {
        mean(&jobs.iter().zip(runs).map(|(job, run)| run.end - job.arrival).collect::<Vec<f64>>())
    };
    let waits: Vec<f64> = jobs.iter().zip(runs).map(|(job, run)| run.start - job.arrival).collect();
    let mut run_times: Vec<f64> = runs.iter().map(|run| run.end - run.start).collect();
    let better = jobs.iter().zip(runs.iter().zip(avg)).filter(|(_, (run, avg))| run.end < avg.end).count();
    let worse = jobs.iter().zip(runs.iter().zip(avg)).filter(|(_, (run, avg))| run.end > avg.end).count();
    let change = |used: fn(&[Job], &[Run], &Hours) -> f64| {
        let capacity = f64::from(procs);
        let (ours, theirs) = (used(jobs, runs, hours) / capacity, used(jobs, avg, hours) / capacity);
        (ours, ours / theirs - 1.0)
    };
    let (day, day_change) = change(efficiency_by_day);
    let (busy, busy_change) = change(efficiency_until_scheduled);
    [
        ("turnaround_s", turnaround(runs)),
        ("turnaround_change", turnaround(runs) / turnaround(avg) - 1.0),
        ("wait_s", mean(&waits)),
        ("run_time_s", mean(&run_times)),
        ("median_run_time_s", median(&mut run_times)),
        ("better_share", better as f64 / jobs.len() as f64),
        ("worse_share", worse as f64 / jobs.len() as f64),
        ("utilization_daytime", day),
        ("utilization_daytime_change", day_change),
        ("utilization_until_scheduled", busy),
        ("utilization_until_scheduled_change", busy_change),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// Efficiency S(n) / n summed over processors and averaged over the given seconds of every day; idle processors count
/// as 0.
fn efficiency(jobs: &[Job], runs: &[Run], cycle: f64, lengths: &[f64]) -> f64 {
    let mut work = 0.0;
    for (job, run) in jobs.iter().zip(runs) {
        let speedup = job.sequential / (run.end - run.start);
        let mut day = (run.start / cycle).floor();
        while day * cycle < run.end {
            let Some(length) = lengths.get(day as usize) else { break };
            let seconds = run.end.min(day * cycle + length) - run.start.max(day * cycle);
            work += speedup * seconds.max(0.0);
            day += 1.0;
        }
    }
    work / lengths.iter().sum::<f64>()
}

fn efficiency_by_day(jobs: &[Job], runs: &[Run], hours: &Hours) -> f64 {
    efficiency(jobs, runs, hours.cycle, &vec![hours.daytime; hours.days as usize])
}

/// From every morning until the last of the day's jobs has started, as the paper's nights last.
fn efficiency_until_scheduled(jobs: &[Job], runs: &[Run], hours: &Hours) -> f64 {
    let mut lengths = vec![hours.daytime; hours.days as usize];
    for (job, run) in jobs.iter().zip(runs) {
        let day = job.arrival.div_euclid(hours.cycle);
        if let Some(length) = lengths.get_mut(day as usize) {
            *length = length.max((run.start - day * hours.cycle).min(hours.longest));
        }
    }
    efficiency(jobs, runs, hours.cycle, &lengths)
}

/// One seed of one strategy: both tables.
pub fn one(
    jobs: &[Job],
    procs: u32,
    hours: &Hours,
    lifetimes: &Lifetimes,
    strategy: Strategy,
) -> (Measures, Measures, Vec<Prediction>) {
    let (recorded, predictions) = application(jobs, procs, lifetimes, strategy);
    let mut decider = decider(jobs, procs, lifetimes, strategy);
    let runs = run(jobs, procs, lifetimes, &mut decider, &mut |_: &Machine, _, _, _| {});
    let mut effected = system(jobs, &runs, &avg(jobs, procs), hours, procs);
    effected.extend(self::predictions(&decider.predictions));
    // Measures without a value (a median of nothing) are left out.
    let defined = |mut measures: Measures| {
        measures.retain(|_, value| value.is_finite());
        measures
    };
    (defined(recorded), defined(effected), predictions)
}

/// Means over seeds, name by name.
pub fn estimates(seeds: &[&Measures]) -> BTreeMap<String, Estimate> {
    let names: BTreeSet<&String> = seeds.iter().flat_map(|measures| measures.keys()).collect();
    let estimate = |name: &String| {
        let values = seeds.iter().filter_map(|measures| measures.get(name).copied());
        Some((name.clone(), Estimate::of(values)?))
    };
    names.into_iter().filter_map(estimate).collect()
}

/// Rows of a study: strategies that predict under every run-time model, the others once.
fn kinds(options: &StudyOptions, strategies: &[Strategy]) -> Vec<(Strategy, usize, Option<RunTimeModel>)> {
    let mut kinds = Vec::new();
    for (index, &model) in options.models.iter().enumerate() {
        for &strategy in strategies {
            match strategy.rule {
                Rule::Predicted { .. } => kinds.push((strategy, index, Some(model))),
                _ if index == 0 => kinds.push((strategy, index, None)),
                _ => {}
            }
        }
    }
    kinds
}

/// Number of rows of a study.
pub fn rows(options: &StudyOptions, strategies: &[Strategy]) -> usize {
    kinds(options, strategies).len()
}

/// One seed's jobs, the hours over which utilization is measured, and the lifetimes of each run-time model.
struct Prepared {
    jobs: Vec<Job>,
    hours: Hours,
    lifetimes: Vec<Lifetimes>,
}

impl Prepared {
    fn new(
        options: &StudyOptions,
        workload: &WorkloadOptions,
        jobs: Vec<Job>,
    ) -> Result<Prepared, StudyError> {
        let model = |&model: &RunTimeModel| match options.trace {
            Some(_) => lifetimes_of_trace(model, &jobs, workload),
            None => lifetimes(model, workload),
        };
        let lifetimes = options.models.iter().map(model).collect::<Result<_, StudyError>>()?;
        let hours = match options.trace {
            // One day that ends when the last job has arrived, and its night when the last job has started.
            Some(_) => {
                let daytime = jobs.last().map_or(1.0, |job| job.arrival.max(1.0));
                Hours { days: 1, cycle: LONG, daytime, longest: LONG }
            }
            None => workload.hours(),
        };
        Ok(Prepared { jobs, hours, lifetimes })
    }
}

/// Runs the study on all cores, on the jobs of a trace where one is given beside what the options say of it; `progress`
/// is called for every seed of every row.
///
/// # Errors
/// [`StudyError`].
pub fn study(
    options: &StudyOptions,
    trace: Option<&[Recorded]>,
    strategies: &[Strategy],
    progress: &(dyn Fn() + Sync),
) -> Result<Study, StudyError> {
    let procs = options.workload.procs;
    let workloads: Vec<WorkloadOptions> = (0..options.seeds).map(|n| seeded(&options.workload, n)).collect();
    let jobs = workloads.par_iter().map(|workload| match trace.zip(options.trace.as_ref()) {
        Some((recorded, of)) => malleable(recorded, of.parallelism, of.load, workload),
        None => generate(workload),
    });
    let jobs: Vec<Vec<Job>> = jobs.collect();
    if jobs.iter().all(Vec::is_empty) {
        return Err(StudyError::NoJobs(options.workload.days, options.workload.load));
    }
    let prepared =
        jobs.into_par_iter().zip(&workloads).map(|(jobs, workload)| Prepared::new(options, workload, jobs));
    let prepared: Vec<Prepared> = prepared.collect::<Result<_, StudyError>>()?;
    let kinds = kinds(options, strategies);
    let tasks: Vec<(usize, usize)> =
        (0..kinds.len()).flat_map(|kind| (0..prepared.len()).map(move |seed| (kind, seed))).collect();
    let done: Vec<(Measures, Measures, Vec<Prediction>)> = tasks
        .par_iter()
        .map(|&(kind, seed)| {
            let Prepared { jobs, hours, lifetimes } = &prepared[seed];
            let mut one = one(jobs, procs, hours, &lifetimes[kinds[kind].1], kinds[kind].0);
            if seed > 0 {
                one.2 = Vec::new();
            }
            progress();
            one
        })
        .collect();
    let rows = kinds.iter().zip(done.chunks(prepared.len())).map(|((strategy, _, model), seeds)| Row {
        strategy: strategy.to_string(),
        model: *model,
        application: estimates(&seeds.iter().map(|seed| &seed.0).collect::<Vec<_>>()),
        system: estimates(&seeds.iter().map(|seed| &seed.1).collect::<Vec<_>>()),
        predictions: seeds.first().map(|seed| seed.2.clone()).unwrap_or_default(),
    });
    let facts: Vec<Measures> = prepared
        .par_iter()
        .map(|Prepared { jobs, hours, lifetimes }| {
            let runs = avg(jobs, procs);
            let mut facts = system(jobs, &runs, &runs, hours, procs);
            facts.insert("jobs".to_owned(), jobs.len() as f64);
            facts.insert("offered_load".to_owned(), offered_load(jobs, procs));
            for lifetimes in lifetimes {
                if let Lifetimes::Fitted(shortest, longest) = lifetimes {
                    facts.insert("fitted_t_min_s".to_owned(), *shortest);
                    facts.insert("fitted_t_max_s".to_owned(), *longest);
                }
            }
            facts
        })
        .collect();
    let workload = estimates(&facts.iter().collect::<Vec<_>>());
    Ok(Study { options: options.clone(), workload, rows: rows.collect() })
}
