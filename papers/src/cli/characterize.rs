//! `surefill-papers characterize`: what the states of a hidden Markov model of a trace are.

use super::PROGRAM;
use crate::generate::hmm::flat::Load;
use crate::generate::hmm::train::Start;
use crate::report;
use crate::studies::characterize::states::{By, Setup, States, states};
use crate::studies::characterize::{Report, characterize};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::PathBuf;
use surefill::hmm::{MAX_STATES, Termination};
use surefill_simulator::base::span;
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::options::{ReplayOptions, file_name};
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{self, Invocation, Shard};
use surefill_simulator::report::{TableStyle, study_page};

/// Options of `characterize`.
#[derive(Debug, Args)]
pub struct Characterize {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true)]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
    /// Run one shard of N, some of the traces, and print its part as JSON, for merge; "array" takes I and N from the
    /// Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, conflicts_with_all = ["html", "markdown"])]
    shard: Option<Shard>,
    /// Use only the first half of the jobs
    #[arg(long)]
    half: bool,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
    /// Write a self-contained page with the tables and each state's loads
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    #[command(flatten)]
    trace: ReplayOptions,
}

/// Options of the model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hidden Markov model")]
struct ModelArgs {
    /// Hidden states
    #[arg(long, value_name = "M", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=MAX_STATES as i64))]
    states: u32,
    /// The first run-time bin's edge [s]; shorter jobs are in the first bin
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = edge)]
    first_edge: f64,
    /// Ratio of neighbouring run-time bins' edges
    #[arg(long, value_name = "R", default_value_t = 1.8, value_parser = ratio)]
    ratio: f64,
    /// Length of a slot of submission time: 900, 15min, 1.5h
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = slot)]
    slot: u32,
    /// Model of the number of jobs in a slot
    #[arg(long, value_enum, default_value = "none")]
    load: Load,
    /// Where training begins; k-means needs a power of two of states
    #[arg(long, value_enum, default_value = "static")]
    initial: Start,
    /// By what slots get their states; k-means trains no model
    #[arg(long, value_enum, default_value = "viterbi")]
    by: By,
    /// When training stops: rounds=N; l1=E: sqrt(jobs) times the parameters' L1 change is below E (200 is meant for
    /// tens of thousands of jobs and stops early on small workloads); linf=E: no parameter changes by E
    #[arg(long, value_name = "RULE", default_value = "l1=200", value_parser = stop)]
    stop: Stop,
    /// When it stops in any case, unless by rounds=N
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    most_rounds: u64,
}

/// A rule, and how it was written.
#[derive(Debug, Clone)]
struct Stop(Termination, String);

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 1.0 && value.is_finite() => Ok(value),
        _ => Err("not a number above 1".to_owned()),
    }
}

fn edge(text: &str) -> Result<f64, String> {
    match span::fractional(text)? {
        value if (1e-3..=1e6).contains(&value) => Ok(value),
        _ => Err("not from 0.001 to 1000000 seconds".to_owned()),
    }
}

fn slot(text: &str) -> Result<u32, String> {
    let seconds = span::positive(text)?;
    u32::try_from(seconds)
        .ok()
        .filter(|&slot| slot <= 1_000_000_000)
        .ok_or_else(|| "too long for a slot".to_owned())
}

fn stop(text: &str) -> Result<Stop, String> {
    let (rule, value) = text.split_once('=').unwrap_or((text, ""));
    let threshold = || value.parse::<f64>().ok().filter(|&value| value > 0.0 && value.is_finite());
    let rule = match rule {
        "rounds" => value.parse().ok().filter(|&rounds| rounds > 0).map(Termination::Rounds),
        "l1" => threshold().map(Termination::L1),
        "linf" => threshold().map(Termination::LInfinity),
        _ => None,
    };
    let rule = rule.ok_or("not rounds=N, l1=E or linf=E with a number above 0")?;
    Ok(Stop(rule, text.to_owned()))
}

/// Settings, fit and report of one trace.
#[derive(Debug, Serialize, Deserialize)]
struct Described {
    trace: String,
    /// Jobs used.
    jobs: usize,
    half: bool,
    states: u32,
    first_edge_s: f64,
    ratio: f64,
    bins: usize,
    slot_s: u32,
    load: Load,
    initial: Start,
    by: By,
    stop: String,
    /// Rounds of Baum-Welch.
    rounds: u64,
    /// Whether training stopped by the rule, not only at the most rounds.
    converged: bool,
    /// Rounds in which the model was bent to slots that it did not explain.
    adapted_rounds: u64,
    /// Log-likelihood of the observations, before the last round [nats]; none by k-means.
    log_likelihood: Option<f64>,
    /// Log-probability of the most likely path together with the observations [nats]; none by k-means.
    path_log_probability: Option<f64>,
    report: Report,
}

/// All traces.
#[derive(Debug, Serialize)]
struct All<'a> {
    traces: &'a [Described],
}

impl Described {
    /// Data and method by which the states were found, in a sentence.
    fn facts(&self) -> String {
        let Described {
            jobs, states, bins, first_edge_s: first, ratio, slot_s, initial, stop, rounds, ..
        } = self;
        let half = if self.half { "the first half, " } else { "" };
        let initial = match initial {
            Start::Static => "Static-IV",
            Start::Kmeans => "k-means",
            Start::Entropy => "maximal entropy",
        };
        let load = match self.load {
            Load::None => "no load model",
            Load::Poisson => "Poisson load",
            Load::Geometric => "geometric load",
        };
        let slots = self.report.slots;
        if self.by == By::Kmeans {
            return format!(
                "{half}{jobs} jobs in {slots} slots of {} min; {states} clusters by k-means, {bins} run-time bins from {first} s of ratio {ratio}.",
                f64::from(*slot_s) / 60.0
            );
        }
        format!(
            "{half}{jobs} jobs in {slots} slots of {} min; {states} states, {bins} run-time bins from {first} s of ratio {ratio}, {load}, {initial}, \
             {stop}: {rounds} rounds{}.",
            f64::from(*slot_s) / 60.0,
            if self.converged { "" } else { ", not reached" }
        )
    }
}

impl Characterize {
    pub(crate) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        if self.trace.seeds.get() > 1 {
            return Err(Failure::Usage("characterize takes one seed: choose it with --seed".into()));
        }
        let means = self.model.initial == Start::Kmeans || self.model.by == By::Kmeans;
        if means && !self.model.states.is_power_of_two() {
            return Err(Failure::Usage("k-means needs a power of two of states".into()));
        }
        output::check_page(self.html.as_deref())?;
        let describe = |path: &PathBuf| self.describe(file_name(path), &self.trace.read(path)?);
        let compute = |paths: &[PathBuf]| paths.iter().map(describe).collect();
        let all = shard::of_traces("characterize", self.shard, invocation, &self.traces, compute)?;
        let Some(all) = all else { return Ok(()) };
        if let Some(path) = &self.html {
            let section = |one: &Described| report::states::states(&one.trace, &one.facts(), &one.report);
            let sections: Vec<_> = all.iter().map(section).collect();
            output::write_page(
                path,
                &study_page(
                    "States of the workload",
                    &sections,
                    crate::report::sources::LOCALITY,
                    &output::made(PROGRAM),
                ),
            )?;
        }
        if self.json {
            return Ok(output::json(&All { traces: &all })?);
        }
        Ok(all.iter().enumerate().try_for_each(|(index, one)| self.print(one, index == 0))?)
    }

    fn describe(
        &self,
        name: String,
        trace: &surefill_simulator::trace::swf::Trace,
    ) -> Result<Described, Failure> {
        let (_, workload) = self.trace.workload(trace, &name)?;
        let workload = workload.shifted(self.trace.seed);
        let count = if self.half { workload.jobs.len() / 2 } else { workload.jobs.len() };
        let jobs = &workload.jobs[..count];
        let ModelArgs { states: number, first_edge, ratio, slot, load, initial, by, .. } = self.model;
        let Stop(rule, stop) = self.model.stop.clone();
        let setup = Setup {
            states: number,
            first_edge,
            ratio,
            slot,
            load,
            initial,
            by,
            stop: rule,
            most_rounds: match rule {
                Termination::Rounds(rounds) => rounds,
                _ => self.model.most_rounds,
            },
        };
        let bar = output::rounds(match rule {
            Termination::Rounds(rounds) => Some(rounds),
            _ => None,
        });
        let found = states(jobs, &setup, |_| bar.inc(1));
        bar.finish_and_clear();
        let States { bins, loads, path, path_log_probability, round, adapted } = found?;
        let report = characterize(&loads, &path, number as usize)?;
        Ok(Described {
            trace: name,
            jobs: jobs.len(),
            half: self.half,
            states: number,
            first_edge_s: first_edge,
            ratio,
            bins,
            slot_s: slot,
            load,
            initial,
            by,
            stop,
            rounds: round.map_or(0, |round| round.rounds),
            converged: round.is_some_and(|round| rule.reached(&round)),
            adapted_rounds: adapted,
            log_likelihood: round.map(|round| round.log_likelihood),
            path_log_probability,
            report,
        })
    }

    fn print(&self, one: &Described, first: bool) -> io::Result<()> {
        let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
        let mut out = io::stdout().lock();
        if !first {
            writeln!(out)?;
        }
        output::say(&mut out, &format!("{}: {}\n", one.trace, one.facts()))?;
        writeln!(out, "Durations of states against the geometric distribution:\n")?;
        writeln!(out, "{}\n", report::states::durations(&one.report, style))?;
        output::say(
            &mut out,
            "Loads, divergence from each distribution less its bias (* smallest AIC), and the shifted Pareto's a and k:\n",
        )?;
        writeln!(out, "{}", report::states::loads(&one.report, style))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rules() {
        let times = ["900", "15m", "1.5h", "1d", "7s"].map(|text| slot(text).unwrap());
        assert_eq!(times, [900, 900, 5400, 86_400, 7]);
        for wrong in ["", "m", "0", "-5m", "1.0001s", "1:30", "nan", "inf", "1e300d", "ü"] {
            assert!(slot(wrong).is_err(), "{wrong}");
        }
        assert_eq!(stop("rounds=7").unwrap().0, Termination::Rounds(7));
        assert_eq!(stop("l1=200").unwrap().0, Termination::L1(200.0));
        assert_eq!(stop("linf=1e-5").unwrap().0, Termination::LInfinity(1e-5));
        for wrong in ["", "rounds", "rounds=0", "rounds=1.5", "l1=-1", "linf=nan", "l2=3", "linf=0"] {
            assert!(stop(wrong).is_err(), "{wrong}");
        }
        assert!(edge("0").is_err() && edge("nan").is_err() && edge("20").is_ok());
        assert!(ratio("1.0").is_err() && ratio("nan").is_err() && ratio("1.4").is_ok());
    }
}
