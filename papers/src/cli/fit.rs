//! `surefill-papers fit` and `surefill-papers gain`: the hidden Markov model of run times, trained and tested on
//! traces.

use super::PROGRAM;
use crate::generate::hmm::flat::Load;
use crate::generate::hmm::model::Model;
use crate::generate::hmm::sample::{Binning, Sample};
use crate::generate::hmm::train::{Options, Start, Stop};
use crate::report;
use crate::report::hmm as tables;
use crate::studies::hmm::divergence::{self, Comparison};
use crate::studies::hmm::fit::{Fit, Fitted, fit};
use crate::studies::hmm::online::{self, Learn};
use crate::studies::hmm::states::{State, states};
use crate::studies::hmm::study::{Choices, Figure, Progress, Study, studies};
use crate::studies::predictors::{Measured, Quality, TENTHS, UnderLimit, qualities};
use anyhow::{Context, anyhow};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use surefill_simulator::base::span;
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::args::{file, source::Source};
use surefill_simulator::cli::options::{self, file_name};
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{self, Invocation, Shard};
use surefill_simulator::report::{TableStyle, study_page};
use surefill_simulator::trace::swf::MAX_VALUE;
use surefill_simulator::trace::workload::{Job, MissingProcessors, Rules, Workload};

/// Text at the end of `fit --help`.
pub(crate) const FIT_HELP: &str = "\
The model is that of Nissimov 2006, chapter 3: in each slot of submit time the workload is in one of M hidden states, each
with its own distribution of run times, binned in logarithmic space, and if it is to generate jobs, of the number of jobs.
Baum-Welch runs until --stop: so many rounds; sqrt(jobs) x L1 below E (l1, the sum of the parameters' changes); L-infinity
below E (linf).

The training gain is what the model knows of the jobs it was trained on beyond their distribution of run times, in bits a
job. With --half it is trained on the slots before the middle job's, and the gain is what it knows of the other jobs beyond
the first half's distribution (section 3.1); jobs in bins that the first half does not have are removed.

--compare generates slots from both models and reports the Kullback-Leibler divergence rates, with standard errors, and the
Jensen-Shannon divergence of 1, 4, 16 ... slots in a row: what they tell of which of the two models they are from, at most one
bit (over the slots it goes to 0 for any two models, so it has no rate). FILE is
another trace, on which the same model is trained, or a model saved before (.json). Both models are smoothed first by
m-estimates (--m), as a zero makes the rate infinite: (n p + m) / (n + m N) in place of p.

Jobs of unknown run time or without processors are dropped, as in the thesis (field 8 does not stand in for field 5 unless
--missing-processors requested).

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Text at the end of `gain --help`.
pub(crate) const GAIN_HELP: &str = "\
The comparisons of Nissimov 2006. M = 16, slots of 15 min, ratio 1.8, Static-IV, no load model where nothing else is said.
  * states   figure 3.1: --states by --ratios; a round of M states costs (M / 16)^2 rounds of 16
  * slots    figure 3.2: --slots
  * initial  figure 3.3: Static-IV and k-means, with slots of 5 and 15 min; and chapter 6's proposal, maximal entropy with
             a mean bin for each state
  * load     figure 3.4: no load model, Poisson, geometric, by Pr(R|L) = Pr(R, L) / Pr(L)
  * halving  section 3.4.2's proposal: slots of 5 and 15 min from scratch, and halved once or twice from longer ones, on which
             the model was trained for 10 rounds each
  * online   figure 4.1: the on-line predictor, each job when it is submitted; by --learn, --floor, --stop, --initial

Gains of the first four are section 3.1's, in bits a job: the model is trained on the slots before the middle job's and
tested on the others after every round,

    G = 1/n_v log2 Pr(R_v) + H(p_v) + D(p_v || p_t),

against the first half's distribution p_t. Jobs in bins that the first half does not have are removed. A model that excludes
what the second half has (k-means may) has no gain; then the gain with the safety distribution in every state stands in its
place, with a star.

On line the trace's own submissions, starts and ends are reported in order of time. The gain is log2 p'(r) - log2 q'(r) for
the job's bin r, p being the prediction at its submission and q the shares of the bins among the jobs finished by then. Both
have the safety distribution of section 3.1 with epsilon = 1 / (finished jobs + 1): p' = p (1 - epsilon) where p > 0, epsilon
shared by the bins where p = 0. A job about which the predictor is silent (untrained, or its model excludes what it sees)
gains nothing over all jobs, and is left out of the mean over predicted jobs. Unknown waits count as none. With a --floor above 0
no slot silences it: one that no state explains is filtered as if every state had drawn any bin with that probability.

With --predictors the same is asked of any predictor, in bins of ratio 1.8: run times are kept, p is what is predicted at a job's
submission, and bits are the mean of log2 p'(r) - log2 q'(r) over all jobs, 0 for those about which a predictor is silent. In 50 %
and in 90 % is how often the run time lies in the middle of what is predicted; the second table is the histogram of P(R <= r)
by tenths, 1.00 where predictions mean what they say. A bin's probability is spread evenly over the quantiles that it covers.
Impossible are jobs whose bin had probability 0. The third and the fourth table are of the distribution within the limit, where
what is predicted beyond the limit and a run time that is longer are at the limit: how often jobs ended by the .5 and .95
quantiles of their run time (and by those of Algorithm 5, which spreads over the rest what is predicted beyond the limit),
how often in the middle 50 and 90 %, and the tenths. There a bin is divided into four events, as in forecasts of starts.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options by which traces become observations.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trace")]
struct TraceArgs {
    /// Treatment of jobs that ran on an unknown number of processors
    #[arg(long, value_enum, default_value = "drop")]
    missing_processors: MissingProcessors,
    /// Only the first N jobs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit_jobs: Option<u64>,
    /// Wrong lines in a trace are fatal
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    source: Source,
}

impl TraceArgs {
    fn workload(&self, path: &Path) -> Result<Workload, Failure> {
        let trace = self.source.read(path, self.strict)?;
        let rules = Rules {
            missing_processors: self.missing_processors,
            // Nothing here depends on the machine's size, so a trace need not say it.
            procs: Some(u32::MAX),
            // More jobs than memory holds are all jobs.
            limit_jobs: self.limit_jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
            ..Rules::default()
        };
        Ok(Workload::new(&trace, &rules)?)
    }
}

/// Options of the output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct ShowArgs {
    /// Print one JSON object instead of tables, with every round
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Write a self-contained page with plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl ShowArgs {
    fn style(&self) -> TableStyle {
        if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal }
    }
}

fn check(path: Option<&PathBuf>) -> anyhow::Result<()> {
    path.map_or(Ok(()), |path| file::check(path))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    file::write(path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn slot(text: &str) -> Result<i64, String> {
    let seconds = span::positive(text)?;
    if seconds <= MAX_VALUE >> 8 { Ok(seconds) } else { Err("too long for a slot".to_owned()) }
}

fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse::<f64>().ok().filter(|ratio| *ratio > 1.0 && *ratio <= 1000.0);
    ratio.ok_or_else(|| "not a number above 1, at most 1000".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    let edge = Some(span::fractional(text)?).filter(|edge| (0.001..=1e9).contains(edge));
    edge.ok_or_else(|| "not from 0.001 to 1000000000 seconds".to_owned())
}

fn not_negative(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| (0.0..=1e9).contains(value));
    value.ok_or_else(|| "not a number from 0 to 1000000000".to_owned())
}

const MAX_STATES: i64 = surefill::hmm::MAX_STATES as i64;

/// Options of `fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// The trace: any format that import reads; - is standard input
    trace: PathBuf,
    /// Train on the first half of the jobs, test on the second
    #[arg(long)]
    half: bool,
    /// States M
    #[arg(long, value_name = "M", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=MAX_STATES))]
    states: u32,
    /// The ratio t_r of run-time bins
    #[arg(long, value_name = "RATIO", default_value = "1.8", value_parser = ratio)]
    ratio: f64,
    /// Where the second bin starts, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "1.5", value_parser = seconds)]
    first_edge: f64,
    /// The slot length t_s: seconds, or with a unit (90s, 15m, 1h)
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = slot)]
    slot: i64,
    /// Model of the number of jobs in a slot
    #[arg(long, value_enum, default_value = "none")]
    load: Load,
    /// Where training starts from
    #[arg(long, value_enum, default_value = "static")]
    initial: Start,
    /// When training stops: rounds=N, l1=E or linf=E
    #[arg(long, value_name = "CRITERION", default_value = "l1=200")]
    stop: Stop,
    /// When it stops in any case
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    most_rounds: u64,
    /// Write the model, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    save: Option<PathBuf>,
    /// The divergence rate from another trace's model, or a saved one (.json); needs a load model
    #[arg(long, value_name = "FILE", help_heading = "Comparison")]
    compare: Option<PathBuf>,
    /// The m of the m-estimates
    #[arg(long, value_name = "M", default_value = "1", value_parser = not_negative, help_heading = "Comparison")]
    m: f64,
    /// Seed of the generator
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Comparison")]
    seed: u64,
    /// Sequences to generate
    #[arg(long, value_name = "K", default_value_t = 64, value_parser = clap::value_parser!(u32).range(2..=100_000), help_heading = "Comparison")]
    sequences: u32,
    /// Slots of each; an eighth as many before them are left out
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(8..=1 << 22), help_heading = "Comparison")]
    sequence_slots: u32,
    #[command(flatten)]
    trace_args: TraceArgs,
    #[command(flatten)]
    show: ShowArgs,
}

/// The other side of a comparison of models.
enum Other {
    Saved(Box<Model>),
    Trace(Vec<Job>),
}

impl FitArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let options = self.options();
        options.check().map_err(|error| Failure::Usage(error.to_string()))?;
        if self.compare.is_some() && self.load == Load::None {
            return Err(Failure::Usage("--compare generates jobs: choose a --load model".to_owned()));
        }
        check(self.show.html.as_ref())?;
        check(self.save.as_ref())?;
        let name = file_name(&self.trace);
        let workload = self.trace_args.workload(&self.trace)?;
        let (jobs, replay) = (workload.jobs, workload.counts);
        let other = self.compare.as_deref().map(|path| self.other(path)).transpose()?;
        let binning = Binning { slot_s: self.slot, first_edge_s: self.first_edge, ratio: self.ratio };
        if let Some((_, Other::Saved(model))) = &other
            && (model.ratio, model.first_edge_s) != (self.ratio, self.first_edge)
        {
            let message = format!(
                "the saved model has --ratio {} --first-edge {}: give the same",
                model.ratio, model.first_edge_s
            );
            return Err(Failure::Usage(message));
        }
        let bins = match &other {
            Some((_, Other::Saved(model))) => model.bins(),
            Some((_, Other::Trace(more))) => binning.bins(&[&jobs[..], more].concat()),
            None => binning.bins(&jobs),
        };
        let bins = bins.with_context(|| name.clone())?;
        let trained = |name: &str, jobs: &[Job]| -> anyhow::Result<(Model, Fit, Vec<State>)> {
            let found = (|| {
                let sample = Sample::new(jobs, binning.slot_s, bins.clone())?;
                let bar = output::progress_of(options.most_rounds, &format!("rounds on {name} at most"));
                let mut fit = fit(&sample, self.half, &options, &|round| bar.set_position(round))?;
                bar.finish_and_clear();
                let model = Model::new(&fit.block.hmm()?, name, &sample, self.load, &fit.trained)?;
                let states = states(&mut fit.block, &model, &sample)?;
                Ok::<_, crate::generate::hmm::Error>((model, fit, states))
            })();
            found.with_context(|| name.to_owned())
        };
        let (model, fit, states) = trained(&name, &jobs)?;
        if let Some(path) = &self.save {
            let text = serde_json::to_string_pretty(&model).context("the model")?;
            write(path, &(text + "\n"))?;
        }
        let comparison = match other {
            None => None,
            Some((with, Other::Saved(other))) => Some(self.compared(&model, &other, with)?),
            Some((with, Other::Trace(jobs))) => {
                Some(self.compared(&model, &trained(&with, &jobs)?.0, with.clone())?)
            }
        };
        let Fit { facts, trained, points, seconds, .. } = fit;
        let fitted = Fitted {
            trace: name,
            replay,
            binning,
            options,
            half: self.half,
            facts,
            trained,
            seconds,
            points,
            states,
            comparison,
        };
        if let Some(path) = &self.show.html {
            write(
                path,
                &study_page(
                    "Hidden Markov model of run times",
                    &[tables::fitted_section(&fitted)],
                    crate::report::sources::LOCALITY,
                    &output::made(PROGRAM),
                ),
            )?;
        }
        if self.show.json {
            output::json(&fitted)?;
            return Ok(());
        }
        print(&tables::fitted(&fitted, self.show.style()))?;
        Ok(())
    }

    fn options(&self) -> Options {
        let FitArgs { states, load, initial, stop, most_rounds, .. } = *self;
        let most_rounds = match stop.0 {
            surefill::hmm::Termination::Rounds(rounds) => rounds,
            _ => most_rounds,
        };
        Options { states, load, initial, stop, most_rounds }
    }

    fn other(&self, path: &Path) -> Result<(String, Other), Failure> {
        let name = file_name(path);
        if path.extension().is_none_or(|extension| extension != "json") {
            return Ok((name, Other::Trace(self.trace_args.workload(path)?.jobs)));
        }
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let model = Model::from_json(&text).map_err(|wrong| anyhow!("{}: {wrong}", path.display()))?;
        Ok((name, Other::Saved(model.into())))
    }

    fn compared(&self, ours: &Model, other: &Model, with: String) -> anyhow::Result<Comparison> {
        let options = divergence::Options {
            seed: self.seed,
            sequences: self.sequences,
            slots: self.sequence_slots,
            lead: self.sequence_slots / 8,
        };
        let bar = output::progress_of(3 * u64::from(self.sequences), "sequences");
        let found = divergence::compare(ours, other, self.m, &options, &|| bar.inc(1));
        bar.finish_and_clear();
        found.map(|found| Comparison { with: with.clone(), ..found }).context(with)
    }
}

/// Tables with their titles, and lines between them.
fn print(parts: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (index, part) in parts.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        output::say(&mut out, &format!("{gap}{part}"))?;
    }
    Ok(())
}

/// Options of `gain`.
#[derive(Debug, Args)]
pub struct GainArgs {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Run one shard of N, some of the traces, and print its part as JSON, for merge; "array" takes I and N from the
    /// Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, conflicts_with_all = ["html", "markdown", "csv"])]
    shard: Option<Shard>,
    /// Comparisons to make; see below
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "states,slots,initial,load,halving,online"
    )]
    figures: Vec<Figure>,
    /// Rounds of training
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    rounds: u64,
    /// Numbers of states to compare
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "4,8,16,32", value_parser = clap::value_parser!(u32).range(1..=MAX_STATES))]
    states: Vec<u32>,
    /// Ratios of run-time bins to compare
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "1.4,1.8", value_parser = ratio)]
    ratios: Vec<f64>,
    /// Slot lengths to compare
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "5m,10m,15m,30m,1h,90m", allow_hyphen_values = true, value_parser = slot)]
    slots: Vec<i64>,
    /// Learning rules of the on-line predictor to compare: batch (Baum-Welch), online or online=A (recursive EM, steps
    /// t^-A)
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "batch")]
    learn: Vec<Learn>,
    /// Floors under the on-line predictor's probabilities to compare, used where no state explains a slot; 0 for
    /// silence
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = options::floor)]
    floor: Vec<f64>,
    /// When a training of the on-line predictor by Baum-Welch stops, to compare: l1=E, and it begins again once more
    /// jobs have ended than that allows; rounds=N or linf=E, and it begins again every week
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "l1=200")]
    stop: Vec<Stop>,
    /// Initial values of the on-line predictor, to compare
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", default_value = "static")]
    initial: Vec<Start>,
    /// Measure these predictors of run times instead, each job when it is submitted: bits over the distribution of all
    /// finished jobs, coverage, probability integral transform, and coverage under the limit; see below
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", conflicts_with_all = ["figures", "learn", "floor", "stop", "initial", "html"])]
    predictors: Vec<Measured>,
    /// With --predictors: print one CSV table
    #[arg(long, requires = "predictors", conflicts_with_all = ["json", "markdown"])]
    csv: bool,
    #[command(flatten)]
    trace_args: TraceArgs,
    #[command(flatten)]
    show: ShowArgs,
}

#[derive(Serialize)]
struct Qualities<'a> {
    surefill: &'static str,
    missing_processors: MissingProcessors,
    predictors: &'a [Quality],
}

/// One line a trace and predictor.
fn write_csv(out: &mut impl Write, qualities: &[Quality]) -> anyhow::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let titles = ["trace", "predictor", "jobs", "bits", "bits_predicted", "within_half", "within_most"];
    let rest = ["silent", "impossible"].map(str::to_owned);
    let tenths = (1..=TENTHS).map(|tenth| format!("tenth_{tenth}"));
    let limited = ["by_half", "by_most", "cut_by_half", "cut_by_most", "within_half", "within_most"];
    let limited = limited.map(|title| format!("limit_{title}"));
    let limited = limited.into_iter().chain((1..=TENTHS).map(|tenth| format!("limit_tenth_{tenth}")));
    let titles = titles.map(str::to_owned).into_iter().chain(rest).chain(tenths).chain(limited);
    table.write_record(titles).context("CSV")?;
    for quality in qualities {
        let Quality { bits, bits_predicted, within_half, within_most, tenths, .. } = quality;
        let numbers = [bits, bits_predicted, within_half, within_most].map(|value| format!("{value:.6}"));
        let name = report::predictors::name(quality.predictor);
        let first = [quality.trace.clone(), name, quality.jobs.to_string()];
        let counts = [quality.silent, quality.impossible].map(|count| count.to_string());
        let limited = &quality.under_limit;
        let UnderLimit { by_half, by_most, cut_by_half, cut_by_most, within_half, within_most, .. } = limited;
        let limited = [by_half, by_most, cut_by_half, cut_by_most, within_half, within_most]
            .into_iter()
            .chain(&limited.tenths);
        let rest = tenths.iter().chain(limited).map(|share| format!("{share:.6}"));
        table.write_record(first.into_iter().chain(numbers).chain(counts).chain(rest)).context("CSV")?;
    }
    table.flush().context("CSV")
}

#[derive(Serialize)]
struct Gains<'a> {
    surefill: &'static str,
    choices: &'a Choices,
    missing_processors: MissingProcessors,
    traces: &'a [Study],
}

impl GainArgs {
    fn online(&self) -> Vec<online::Options> {
        let default = online::Options::default();
        let floors = if self.floor.is_empty() { &[default.floor][..] } else { &self.floor };
        let mut all = Vec::new();
        for &learn in &self.learn {
            // Learning on line has no rounds that could stop.
            let stops = if learn == Learn::Batch { &self.stop[..] } else { &[default.stop] };
            for (&floor, &initial) in
                floors.iter().flat_map(|floor| self.initial.iter().map(move |i| (floor, i)))
            {
                all.extend(stops.iter().map(|&stop| {
                    let most_rounds = match stop.0 {
                        surefill::hmm::Termination::Rounds(rounds) => rounds,
                        _ => default.most_rounds,
                    };
                    online::Options { learn, floor, initial, stop, most_rounds, ..default }
                }));
            }
        }
        all
    }

    /// Measures the predictors.
    fn measure(&self, invocation: Invocation) -> Result<(), Failure> {
        let predictors = Measured::predictors(&self.predictors);
        let compute = |paths: &[PathBuf]| {
            let read = |path: &PathBuf| Ok((file_name(path), self.trace_args.workload(path)?));
            let traces: Result<Vec<(String, Workload)>, Failure> = paths.par_iter().map(read).collect();
            let traces = traces?;
            let jobs: Vec<(String, &[Job])> =
                traces.iter().map(|(name, workload)| (name.clone(), workload.jobs.as_slice())).collect();
            let bar = output::progress_of((jobs.len() * predictors.len()) as u64, "predictors");
            let found = qualities(&jobs, &predictors, &|| bar.inc(1));
            bar.finish_and_clear();
            let found = found.map_err(|(trace, error)| anyhow!(error).context(trace))?;
            // A trace's are one cell.
            Ok(found.chunks(predictors.len().max(1)).map(<[Quality]>::to_vec).collect())
        };
        let found = shard::of_traces("gain", self.shard, invocation, &self.traces, compute)?;
        let Some(found) = found.map(|found: Vec<Vec<Quality>>| found.concat()) else { return Ok(()) };
        if self.show.json {
            let missing_processors = self.trace_args.missing_processors;
            let surefill = env!("CARGO_PKG_VERSION");
            output::json(&Qualities { surefill, missing_processors, predictors: &found })?;
        } else if self.csv {
            write_csv(&mut io::stdout().lock(), &found)?;
        } else {
            print(&report::predictors::tables(&found, self.show.style()))?;
        }
        Ok(())
    }

    pub(crate) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        if !self.predictors.is_empty() {
            return self.measure(invocation);
        }
        check(self.show.html.as_ref())?;
        let mut figures = self.figures.clone();
        figures.sort_unstable();
        figures.dedup();
        let choices = Choices {
            figures,
            rounds: self.rounds,
            states: self.states.clone(),
            ratios: self.ratios.clone(),
            slots_s: self.slots.clone(),
            online: self.online(),
            ..Choices::default()
        };
        let compute = |paths: &[PathBuf]| self.studies(paths, &choices);
        let studies = shard::of_traces("gain", self.shard, invocation, &self.traces, compute)?;
        let Some(studies) = studies else { return Ok(()) };
        if let Some(path) = &self.show.html {
            let sections: Vec<_> =
                studies.iter().map(|study| tables::study_section(study, &choices)).collect();
            write(
                path,
                &study_page(
                    "Information gain of the hidden Markov model",
                    &sections,
                    crate::report::sources::LOCALITY,
                    &output::made(PROGRAM),
                ),
            )?;
        }
        if self.show.json {
            let missing_processors = self.trace_args.missing_processors;
            let surefill = env!("CARGO_PKG_VERSION");
            output::json(&Gains { surefill, choices: &choices, missing_processors, traces: &studies })?;
            return Ok(());
        }
        print(&tables::studied(&studies, &choices, self.show.style()))?;
        Ok(())
    }

    /// The studies of these traces.
    fn studies(&self, paths: &[PathBuf], choices: &Choices) -> Result<Vec<Study>, Failure> {
        let read = |path: &PathBuf| Ok((file_name(path), self.trace_args.workload(path)?));
        let traces: Result<Vec<_>, Failure> = paths.par_iter().map(read).collect();
        let traces = traces?;
        let online = choices.figures.contains(&Figure::Online);
        let jobs: u64 = traces.iter().map(|trace| trace.1.counts.jobs).filter(|_| online).sum();
        // A thousand jobs on line cost about as much as a few rounds.
        let total = traces.len() as u64 * choices.total_rounds() + choices.online.len() as u64 * jobs / 1000;
        let bar = output::progress_of(total, "rounds");
        let rounds = |_| bar.inc(1);
        let submitted = |jobs: u64| bar.inc(jobs / 1000);
        let progress = Progress { rounds: &rounds, jobs: &submitted };
        let found = studies(&traces, choices, progress);
        bar.finish_and_clear();
        Ok(found.map_err(|(trace, error)| anyhow!(error).context(trace))?)
    }
}
