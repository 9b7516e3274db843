//! `surefill-papers allocate`: malleable jobs that choose their number of processors.

use super::PROGRAM;
use crate::report;
use crate::report::allocate::tables;
use crate::studies::allocate::strategy::Strategy;
use crate::studies::allocate::study::{OfTrace, RunTimeModel, StudyOptions, rows, study};
use crate::studies::allocate::sweep::{self, Sweep, SweepOptions, sweep};
use crate::studies::allocate::workload::{Parallelism, Recorded, Rounding, WorkloadOptions};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::args::source::Source;
use surefill_simulator::cli::options::file_name;
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{self, Invocation, Shard};
use surefill_simulator::generate::History;

/// Text at the end of `allocate --help`.
pub const HELP: &str = "\
Strategies:
  * avg          start on what is free, up to A processors
  * opt          the size with the earliest end, the waits being known
  * pred, bias   ... by the paper's combined predictor, without and with bias correction
  * heur         hold out for A processors, for a fifth of the time that would save; heur:l=60:a=8:f=0.5:k=0.1 for the
                 half of A, for a tenth of that time, by jobs with L above 60 s and A above 8 alone
  * min40        start on no less than 40 % of A; so min1 to min100
  * exact        the size with the earliest expected end, by the exact mean wait (exact-bias: corrected)
  * median       by the exact median (median-bias: corrected)
  * fluid, benefactors   by one of the paper's predictors alone
Those that predict take modifiers, as in bias+lock+averse: lock (a job takes no more than it declared to wait for),
averse (it holds out only for a fifth of its run time), queue (a second of waiting counts for every job in the queue),
watch (it is prompted at completions too), printed (the t of equation 5, a job's whole lifetime, is taken for the wait),
twice where there is a bias to correct (by the line of a first run, without correction, recorded under AVG), and for exact patience (it chooses with the size how long it will wait for it,
knowing that it may start on what is free when that is over).

Further modifiers read otherwise what the paper leaves open: once (no decision is revised), elapsed (arrivals prompt
nobody), hasty (a wait is over after a second at the earliest); with lock: bound (at a prompt it is what is free or the
number declared), anew (a prompt lets it declare more); with averse: chosen (the fifth is of the run time on the chosen
processors), first (only the first decision is averse); with twice: plain (the first run is without lock and averse),
effected (its decisions are in effect), every (the line is through all sizes weighed), seconds (the line is applied to
seconds), natural, decimal (the line is the paper's: slope .6, intercept 1.7 in these logarithms).

A is no whole number; the most processors that a job takes are A rounded up, which gives the paper's turnarounds under
AVG, OPT, HEUR and the 40 % rule (see --rounding).

The decisions of table 1 are recorded under AVG and not effected; a job that holds out is prompted when a job arrives,
and when the predicted wait is over (at least 30 s). Table 2 effects them. Utilization is the efficiency S(n)/n, averaged
over processors and over the time from every morning until the day's last job has started.

--sweep runs all of --loads, --machines and --supplied. In a Slurm job array --shard array makes each task a shard;
surefill-papers merge puts them together.";

/// Options of `allocate`.
#[derive(Debug, Args)]
pub struct Allocate {
    /// Days with arrivals
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    days: u32,
    /// Processors of the machine, and the largest average parallelism
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = processors, conflicts_with = "sweep")]
    procs: u32,
    /// Sequential seconds that arrive a second of daytime, over the processors [default: 0.75]; with --malleable a
    /// second of the day and the night [default: as they come]
    #[arg(long, value_name = "RHO", value_parser = load, conflicts_with = "sweep")]
    load: Option<f64>,
    /// Seed of the first workload
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Seeds, one after the other; means come with 95 % confidence intervals
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// The strategies; see below
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "avg,opt,pred,bias,heur,exact,median"
    )]
    strategies: Vec<Strategy>,
    /// Run-time models of the predictors; a sweep takes the first
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "sequential,fitted,scaled"
    )]
    lifetimes: Vec<RunTimeModel>,
    /// Rounding of a job's average parallelism to the most processors it takes
    #[arg(long, value_enum, value_name = "HOW", default_value = "up")]
    rounding: Rounding,
    /// Days from one morning to the next; with 7 every day begins on an empty machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=30), conflicts_with = "sweep")]
    apart: u32,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Write a self-contained page with the paper's figures
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    html: Option<PathBuf>,
    /// A trace for figures 3 and 4: any format that import reads; - is standard input
    #[arg(long, value_name = "TRACE", requires = "html")]
    trace: Option<PathBuf>,
    /// Study the jobs of this trace, made malleable, in place of the paper's workload: their times of arrival, their
    /// machine, and as work the run time times the speedup on the processors they had
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["sweep", "days", "procs", "apart"])]
    malleable: Option<PathBuf>,
    /// Where the average parallelism of a trace's jobs comes from
    #[arg(long, value_enum, value_name = "FROM", default_value = "drawn", requires = "malleable")]
    parallelism: Parallelism,
    #[command(flatten)]
    source: Source,
    /// Run over loads, machine sizes and supplied run times
    #[arg(long, help_heading = "Sweep")]
    sweep: bool,
    /// Offered loads
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "0.5,0.625,0.75,0.875,1", value_parser = load, requires = "sweep", help_heading = "Sweep")]
    loads: Vec<f64>,
    /// Processors of the machines; the largest average parallelism goes with them
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "64,128,256,512,1024", value_parser = processors, requires = "sweep", help_heading = "Sweep")]
    machines: Vec<u32>,
    /// Users give ranges of run times, their ends this factor apart, which narrow L / S(n); 0: they say nothing
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "0,10,2", value_parser = factor, requires = "sweep", help_heading = "Sweep")]
    supplied: Vec<f64>,
    /// Run one shard of N, some of the workloads, and print its part as JSON, for merge; "array" takes I and N from the
    /// Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, requires = "sweep", conflicts_with = "markdown", help_heading = "Sweep")]
    shard: Option<Shard>,
}

fn processors(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 2..=65_536) => Ok(count),
        _ => Err("not a number from 2 to 65536".to_owned()),
    }
}

fn load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 100.0 => Ok(value),
        _ => Err("not a number above 0, at most 100".to_owned()),
    }
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value == 0.0 || (1.0..=1e6).contains(&value) => Ok(value),
        _ => Err("neither 0 nor a number from 1 to 1e6".to_owned()),
    }
}

fn progress(count: usize, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what} {{eta}}"));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A trace's jobs.
fn history(source: &Source, path: &Path) -> Result<History, Failure> {
    let trace = source.read(path, false)?;
    Ok(History::new(&trace, &file_name(path))?)
}

/// Prints a sweep.
fn print_sweep(sweep: &Sweep, json: bool, markdown: bool) -> Result<(), Failure> {
    if json {
        output::json(sweep)?;
    } else {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", tables::sweep(sweep, markdown))?;
    }
    Ok(())
}

impl Allocate {
    pub(crate) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        if self.sweep {
            return self.run_sweep(invocation);
        }
        let Allocate { days, procs, seed, rounding, .. } = self;
        let studied = self.malleable.as_deref().map(|path| history(&self.source, path)).transpose()?;
        let procs = studied.as_ref().map_or(procs, |history| history.procs);
        let recorded: Option<Vec<Recorded>> = studied.as_ref().map(|history| {
            let recorded = history.jobs.iter().map(|job| Recorded {
                submit: job.submit,
                run_time: job.run_time,
                processors: job.processors,
            });
            recorded.collect()
        });
        let load = self.load.unwrap_or(0.75);
        let options = StudyOptions {
            workload: WorkloadOptions { days, procs, load, seed, rounding, apart: self.apart },
            trace: studied.as_ref().map(|history| OfTrace {
                name: history.name.clone(),
                parallelism: self.parallelism,
                load: self.load,
            }),
            seeds: self.seeds,
            strategies: self.strategies.iter().map(Strategy::to_string).collect(),
            models: self.lifetimes,
        };
        let trace = self.trace.as_deref().map(|path| history(&self.source, path)).transpose()?;
        let bar = progress(rows(&options, &self.strategies) * self.seeds as usize, "runs");
        let study = study(&options, recorded.as_deref(), &self.strategies, &|| bar.inc(1));
        bar.finish_and_clear();
        let study = study?;
        if let Some(path) = &self.html {
            let page = report::allocate::page(&study, trace.as_ref(), &output::made(PROGRAM));
            output::write_page(path, &page)?;
        }
        if self.json {
            output::json(&study)?;
            return Ok(());
        }
        let mut out = io::stdout().lock();
        output::say(&mut out, &format!("{}\n", tables::facts(&study)))?;
        for (title, table) in [
            ("Decisions recorded, not effected (table 1)", tables::application(&study, self.markdown)),
            ("Decisions in effect (table 2)", tables::system(&study, self.markdown)),
            ("Predicted and actual waits (figure 5)", tables::predictions(&study, self.markdown)),
        ] {
            writeln!(out, "{title}\n\n{table}\n")?;
        }
        Ok(())
    }

    fn run_sweep(self, invocation: Invocation) -> Result<(), Failure> {
        let Some(&model) = self.lifetimes.first() else {
            return Err(Failure::Usage("no --lifetimes".to_owned()));
        };
        distinct("--loads", &self.loads)?;
        distinct("--machines", &self.machines)?;
        distinct("--supplied", &self.supplied)?;
        let options = SweepOptions {
            days: self.days,
            seed: self.seed,
            seeds: self.seeds,
            rounding: self.rounding,
            loads: self.loads,
            machines: self.machines,
            supplied: self.supplied,
            model,
            strategies: self.strategies.iter().map(Strategy::to_string).collect(),
        };
        let compute = |mine: &[usize]| {
            let bar = progress(mine.len(), "workloads");
            let cells = sweep(&options, &self.strategies, mine, &|| bar.inc(1));
            bar.finish_and_clear();
            Ok(cells?)
        };
        let (count, name) = (sweep::count(&options), |index| format!("workload {index}"));
        let cells = shard::of_study("allocate", self.shard, invocation, &[], count, name, compute)?;
        let Some(cells) = cells else { return Ok(()) };
        let surefill = env!("CARGO_PKG_VERSION").to_owned();
        print_sweep(&Sweep { surefill, options, cells }, self.json, self.markdown)
    }
}

/// Refuses a list that names a value twice: equal runs would pass for independent ones.
fn distinct<T: PartialEq>(option: &str, values: &[T]) -> Result<(), Failure> {
    match (1..values.len()).any(|i| values[..i].contains(&values[i])) {
        true => Err(Failure::Usage(format!("{option} names a value twice"))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_checked() {
        assert!(load("0").is_err() && load("NaN").is_err() && load("0.5").is_ok());
        assert!(
            factor("0.5").is_err() && factor("NaN").is_err() && factor("0").is_ok() && factor("10").is_ok()
        );
        assert!(processors("1").is_err() && processors("128").is_ok());
    }
}
