//! `surefill compare`: traces under several policies, side by side.

use super::Failure;
use super::options::{ProbArgs, ReplayOptions, file_name};
use super::output::{self, OutputOptions};
use crate::base::papers;
use crate::replay::policy::{Choice, PolicyOptions};
use crate::replay::run::{Options, Run, Summary, run};
use crate::report::{self, Compared};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// The policies, each policy[:predictor[:order[:rule]]]; see below
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = DEFAULT)]
    policies: Vec<Choice>,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

const DEFAULT: &str = "fcfs,easy,conservative,easy++,fair,fast";

#[derive(Debug, Serialize)]
struct Comparison {
    traces: Vec<Compared>,
}

impl Compare {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.output.check()?;
        // An option must concern one of the policies at least.
        let refused = |choice: &Choice| self.prob.check(choice.policy).err();
        if let (Some(failure), true) = (
            self.policies.first().and_then(refused),
            self.policies.iter().all(|choice| refused(choice).is_some()),
        ) {
            return Err(failure);
        }
        let with_options = |&choice: &Choice| Ok((choice, self.prob.options(&self.replay, &choice)?));
        let policies: Vec<(Choice, PolicyOptions)> =
            self.policies.iter().map(with_options).collect::<Result<_, Failure>>()?;
        let mut traces = Vec::new();
        let mut sections = Vec::new();
        for path in &self.traces {
            let trace = self.replay.read(path)?;
            let name = file_name(path);
            let (rules, workload) = self.replay.workload(&trace, &name)?;
            let seeds = self.replay.seeds;
            let bar = self.output.progress(workload.counts.jobs * seeds.get() * self.policies.len() as u64);
            let progress = |jobs: usize| bar.inc(jobs as u64);
            let runs = policies.par_iter().map(|(choice, policy)| {
                let options = Options { choice: *choice, policy: policy.clone(), rules };
                let result = run(&name, &workload, &options, self.replay.seed, seeds, &progress)?;
                let summary = Summary::new(&result, &workload, &options);
                output::finished(&bar, &summary);
                // Whole replays are large: only a page needs them, and only until its section is made.
                Ok((self.output.html.is_some().then_some(result), summary))
            });
            let runs: Vec<(Option<Run>, Summary)> = runs.collect::<anyhow::Result<_>>()?;
            bar.finish_and_clear();
            // The papers' numbers are of whole traces.
            let published = papers::published_on(&name, workload.procs).filter(|_| self.replay.whole());
            let (whole, policies): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
            let drawn: Vec<(Run, Summary)> =
                whole.into_iter().flatten().zip(policies.iter().cloned()).collect();
            if self.output.html.is_some() {
                sections.push(report::section(&drawn, self.output.papers(published)));
            }
            let compared = Compared { trace: name, policies, published };
            self.output.trace(&compared)?;
            traces.push(compared);
        }
        self.output.traces(&traces)?;
        self.output.answer(&traces)?;
        self.output.comparison("Scheduling policies compared", &traces, &sections)?;
        if self.output.json {
            output::json(&Comparison { traces })?;
        }
        Ok(())
    }
}
