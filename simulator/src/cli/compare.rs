//! `surefill compare`: traces under several policies, side by side.

use super::Failure;
use super::args::policy::ChoiceParser;
use super::args::quiet;
use super::options::{ProbArgs, ReplayOptions, file_name};
use super::output::{self, OutputOptions};
use super::replaying::{compared, policies};
use super::rows::Rows;
use super::shard::{self, Cells, Invocation, Shard};
use crate::base::papers;
use crate::replay::outcome::Outcome;
use crate::replay::policy::{Choice, PolicyOptions};
use crate::replay::run::{Options, Replayed, Run, Summary, one};
use crate::report::answer::{Standing, savings, standings};
use crate::report::savings::Saving;
use crate::report::{self, Compared};
use crate::trace::recorded::Recorded;
use crate::trace::workload::Counts;
use clap::Args;
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// The policies, each policy[:predictor[:order[:rule]]]; see below [default:
    /// fcfs,easy,conservative,easy++,delay,delay-fast,fair,fast, on nodes without conservative; with a preset of prob
    /// easy,prob]
    #[arg(long, visible_alias = "policy", value_delimiter = ',', value_name = "LIST", value_parser = ChoiceParser, hide_possible_values = true)]
    policies: Option<Vec<Choice>>,
    /// Run one shard of N and print its part as JSON, for merge; "array" takes I and N from the Slurm job array whose
    /// task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, conflicts_with_all = ["html", "csv", "markdown", "table"])]
    shard: Option<Shard>,
    /// Say every policy's result on standard error as soon as it is there, also where that is no terminal
    #[arg(long, help_heading = "Output")]
    progress: bool,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

/// A trace with what each policy would save of the waits that it records.
#[derive(Debug, Serialize)]
struct Scored {
    #[serde(flatten)]
    compared: Compared,
    savings: Vec<Saving>,
}

#[derive(Debug, Serialize)]
struct Comparison {
    traces: Vec<Scored>,
    /// Changes against EASY, the shortest waits first.
    changes: Vec<Standing>,
}

/// One seed of one policy on one trace.
#[derive(Debug, Serialize, Deserialize)]
struct Cell {
    /// Processors of the machine.
    procs: u32,
    /// Effects of the replay rules.
    counts: Counts,
    /// Waits as the trace records them.
    recorded: Recorded,
    /// Remarks on the reading of the trace.
    #[serde(default)]
    remarks: Vec<String>,
    replayed: Replayed,
}

/// The part that a trace's cells share.
struct Subject {
    name: String,
    policies: Vec<(Choice, PolicyOptions)>,
    seeds: usize,
    /// The number of its first cell. Cells go by policies, the seed runs fastest.
    first: usize,
}

impl Compare {
    pub(super) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        if self.progress && quiet::is_quiet() {
            return Err(Failure::Usage(
                "--progress and --quiet ask for the opposite of each other".to_owned(),
            ));
        }
        self.output.check()?;
        let choices = compared(&self.replay, self.policies.as_deref())?;
        // A part of a comparison does not know what will be shown of it.
        let delays_wanted = self.output.shows_delays() || self.shard.is_some();
        let policies = policies(&self.replay, &self.prob, &choices, delays_wanted)?;
        let seeds = usize::try_from(self.replay.seeds.get()).unwrap_or(usize::MAX);
        let of_trace = policies.len().saturating_mul(seeds);
        let of_cells = self.traces.len().saturating_mul(of_trace);
        let mut cells = Cells::new("compare", self.shard, invocation, &self.traces, of_cells)?;
        let mut traces = Vec::new();
        let mut sections = Vec::new();
        for (place, path) in self.traces.iter().enumerate() {
            let first = place * of_trace;
            let subject = Subject { name: file_name(path), policies: policies.clone(), seeds, first };
            let (found, whole) = match cells.found::<Cell>(&subject.name, first..first + of_trace)? {
                Some(found) => (found, Vec::new()),
                None => {
                    let mine: Vec<usize> =
                        (first..first + of_trace).filter(|&index| cells.computes(index)).collect();
                    if mine.is_empty() {
                        continue;
                    }
                    let (computed, whole) = self.replays(path, &subject, &mine)?;
                    mine.iter().zip(&computed).try_for_each(|(&index, cell)| cells.computed(index, cell))?;
                    (computed, whole)
                }
            };
            if found.is_empty() || !cells.shows() {
                continue;
            }
            let (compared, section) = self.compared(subject, found, whole);
            sections.extend(section);
            self.output.trace(&compared)?;
            traces.push(compared);
        }
        if !cells.shows() {
            return cells.print();
        }
        if traces.is_empty() {
            return Err(anyhow::Error::new(shard::MergeError::Nothing).into());
        }
        self.output.traces(&traces)?;
        self.output.answer(&traces)?;
        self.output.comparison("Scheduling policies compared", &traces, &sections)?;
        if self.output.json {
            let changes = standings(&traces);
            let scored = |compared| Scored { savings: savings(&compared), compared };
            output::json(&Comparison { changes, traces: traces.into_iter().map(scored).collect() })?;
        }
        Ok(())
    }

    /// Replays some of a trace's cells, in parallel; for a page with every policy's first outcome.
    fn replays(
        &self,
        path: &Path,
        subject: &Subject,
        mine: &[usize],
    ) -> Result<(Vec<Cell>, Vec<Outcome>), Failure> {
        // The trace itself is let go before the first replay: a large one takes as much memory as two.
        let (remarks, rules, workload) = {
            let trace = self.replay.read(path)?;
            let (rules, workload) = self.replay.workload(&trace, &subject.name)?;
            (self.replay.remarks(&trace, &workload), rules, workload)
        };
        let Subject { name, policies, seeds, first } = subject;
        let place = |index: usize| ((index - first) / seeds, (index - first) % seeds);
        let of_row = |row: usize| mine.iter().filter(|&&index| place(index).0 == row).count();
        let bars = output::progress_of_each(policies.iter().enumerate().map(|(row, (choice, _))| {
            (workload.counts.jobs * of_row(row) as u64, format!("jobs of {choice}"))
        }));
        let rows = Rows::new(&bars, self.progress, name, (0..policies.len()).map(of_row).collect());
        let recorded = Recorded::of(&workload.jobs);
        let cells = mine.par_iter().map(|&index| {
            let (row, seed) = place(index);
            let (choice, policy) = policies[row].clone();
            let options = Options { choice, policy, rules: rules.clone() };
            let number = self.replay.seed.wrapping_add(seed as u64);
            let progress = |jobs: usize| bars[row].inc(jobs as u64);
            let (outcome, replayed) = one(name, &workload, &options, number, &progress)?;
            rows.replayed(row, &outcome.setup, &replayed.metrics);
            // Whole replays are large: only a page needs them, and only until its section is made.
            let whole = (seed == 0 && self.output.html.is_some()).then_some(outcome);
            let (procs, counts) = (workload.procs, workload.counts);
            Ok((Cell { procs, counts, recorded, remarks: remarks.clone(), replayed }, whole))
        });
        let cells: Vec<(Cell, Option<Outcome>)> = cells.collect::<anyhow::Result<_>>()?;
        bars.iter().for_each(ProgressBar::finish_and_clear);
        let (cells, whole): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        Ok((cells, whole.into_iter().flatten().collect()))
    }

    /// A trace's summaries, and its part of the page where one is asked for.
    fn compared(
        &self,
        subject: Subject,
        cells: Vec<Cell>,
        whole: Vec<Outcome>,
    ) -> (Compared, Option<report::Section>) {
        let Subject { name, policies, seeds, .. } = subject;
        let first = cells.first();
        let remarks = first.map_or_else(Vec::new, |cell| cell.remarks.clone());
        let (procs, counts, recorded) =
            first.map_or_else(Default::default, |cell| (cell.procs, cell.counts, cell.recorded));
        // The papers' numbers are of whole traces.
        let published = papers::published_on(&name, procs).filter(|_| self.replay.whole());
        let rules = self.replay.rules(&name);
        let mut summaries = Vec::new();
        let mut drawn = Vec::new();
        let mut whole = whole.into_iter();
        let mut replays = cells.into_iter().map(|cell| cell.replayed);
        for (choice, policy) in policies {
            let options = Options { choice, policy, rules: rules.clone() };
            let replays: Vec<Replayed> = replays.by_ref().take(seeds).collect();
            let setup = options.setup(&name, procs, self.replay.seed);
            let summary = Summary::of(setup, &replays, counts, &options);
            drawn.extend(whole.next().map(|first| (Run { first, seeds: replays }, summary.clone())));
            summaries.push(summary);
        }
        let papers = self.output.papers(published);
        let section = self.output.html.is_some().then(|| report::section(&drawn, papers));
        (Compared { trace: name, policies: summaries, published, recorded, remarks }, section)
    }
}
