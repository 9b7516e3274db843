//! `surefill compare`: traces under several policies, side by side.

use super::options::{ProbArgs, ReplayOptions, file_name};
use super::{Failure, output};
use crate::papers::{self, Published};
use crate::policy::Choice;
use crate::run::{Options, Run, Summary, run};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The traces: SWF, plain or gzip
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// The policies, each policy[:predictor[:order]]
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = DEFAULT)]
    policies: Vec<Choice>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

const DEFAULT: &str = "fcfs,conservative,easy,easy:limit:sjbf,easy++";

/// One trace under all policies.
#[derive(Debug, Serialize)]
struct Compared {
    trace: String,
    policies: Vec<Summary>,
    /// The paper's numbers, where the trace is one of the paper's.
    published: Option<&'static Published>,
}

#[derive(Debug, Serialize)]
struct Comparison {
    traces: Vec<Compared>,
}

impl Compare {
    pub(super) fn run(self) -> Result<(), Failure> {
        let policy = self.prob.options(&self.replay);
        let mut traces = Vec::new();
        for path in &self.traces {
            let trace = self.replay.read(path)?;
            let name = file_name(path);
            let (rules, workload) = self.replay.workload(&trace, &name)?;
            let seeds = self.replay.seeds;
            let bar = output::progress(workload.counts.jobs * seeds.get() * self.policies.len() as u64);
            let progress = |jobs: usize| bar.inc(jobs as u64);
            let runs = self.policies.par_iter().map(|&choice| {
                let options = Options { choice, policy: policy.clone(), rules };
                let result = run(&name, &workload, &options, self.replay.seed, seeds, &progress)?;
                let summary = Summary::new(&result, &workload, &options);
                Ok((result, summary))
            });
            let runs: Vec<(Run, Summary)> = runs.collect::<anyhow::Result<_>>()?;
            bar.finish_and_clear();
            let policies: Vec<Summary> = runs.into_iter().map(|(_, summary)| summary).collect();
            let published = papers::published(&name);
            if !self.json {
                output::table(&policies, published)?;
            }
            traces.push(Compared { trace: name, policies, published });
        }
        if self.json {
            output::json(&Comparison { traces })?;
        }
        Ok(())
    }
}
