//! `surefill generate`: a synthetic workload.

use super::args::{made::Made, source::Source};
use super::options::file_name;
use super::{Failure, PROGRAM};
use crate::generate::resample::Unit;
use crate::generate::{History, Model, SessionsOptions, write_model, write_sessions, write_shared};
use crate::trace::node_list::machine;
use crate::trace::nodes::Machine;
use clap::{Args, ValueEnum};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Options of `generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// The model of the workload
    #[arg(long, value_enum, default_value = "sessions")]
    model: Name,
    /// The trace to learn from: any format that import reads (feedback, resample, bursts)
    #[arg(long, value_name = "TRACE")]
    like: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
    /// Unit of the trace that is shuffled (resample) [default: months]
    #[arg(long, value_enum)]
    unit: Option<Unit>,
    /// Users who submit the jobs (sessions) [default: 60]
    #[arg(long, value_name = "N")]
    users: Option<NonZeroU32>,
    /// Processors of the machine (sessions) [default: 128]
    #[arg(long, value_name = "N")]
    procs: Option<NonZeroU32>,
    /// A machine of nodes, as 64x(cores=128,mem=512G,gpu=4): jobs then ask for cores, memory and GPUs, and the load is
    /// that of the resource asked for most; @FILE reads that from a file (sessions)
    #[arg(long, value_name = "NODES", conflicts_with = "procs", value_parser = machine)]
    nodes: Option<Machine>,
    /// Processor time asked of the machine, over what it has (sessions) [default: 0.75]
    #[arg(long, value_parser = positive)]
    load: Option<f64>,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Users with applications of their own, who come in sessions and ask for too much time
    Sessions,
    /// Users' sessions drawn by the hour and by the work that waits and runs, so that users hold back while jobs queue;
    /// the generated workload that schedulers judge most as they judge its trace
    Feedback,
    /// The trace's own jobs, whole weeks or users' sessions of them in another order
    Resample,
    /// The trace's own jobs, now and then hundreds of like ones at once, at the trace's load
    Bursts,
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::Sessions => "sessions",
            Name::Feedback => "feedback",
            Name::Resample => "resample",
            Name::Bursts => "bursts",
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| "not a number above 0".to_owned())
}

impl Generate {
    pub(super) fn run(self) -> Result<(), Failure> {
        let drawn = self.model == Name::Sessions;
        let given = [
            ("--like", self.like.is_some(), !drawn),
            ("--unit", self.unit.is_some(), self.model == Name::Resample),
            ("--users", self.users.is_some(), drawn),
            ("--nodes", self.nodes.is_some(), drawn),
            ("--load", self.load.is_some(), drawn),
            ("--procs", self.procs.is_some(), drawn),
        ];
        for (option, given, taken) in given {
            if given && !taken {
                let message = format!("the model {} takes no {option}", self.model.text());
                return Err(Failure::Usage(message));
            }
        }
        match &self.like {
            Some(path) => self.learnt(path),
            None if drawn => self.sessions(),
            None => Err(Failure::Usage(format!(
                "the model {} learns from a trace: --like TRACE",
                self.model.text()
            ))),
        }
    }

    /// A workload without a trace.
    fn sessions(&self) -> Result<(), Failure> {
        let cores = self.nodes.as_ref().and_then(|nodes| NonZeroU32::new(nodes.processors()));
        let options = SessionsOptions {
            jobs: self.made.jobs,
            users: self.users.unwrap_or(const { NonZeroU32::new(60).unwrap() }),
            procs: cores.or(self.procs).unwrap_or(const { NonZeroU32::new(128).unwrap() }),
            load: self.load.unwrap_or(0.75),
            seed: self.made.seed,
        };
        Ok(self.made.write(|mut out| match &self.nodes {
            Some(machine) => write_shared(&mut out, &options, machine),
            None => write_sessions(&mut out, &options),
        })?)
    }

    /// A workload learnt from a trace.
    fn learnt(&self, path: &Path) -> Result<(), Failure> {
        let history = History::new(&self.source.read(path, false)?, &file_name(path))?;
        let mut options = String::new();
        let model = match self.model {
            Name::Resample => {
                let unit = self.unit.unwrap_or_default();
                options = format!(" --unit {}", unit.text());
                Model::resample(&history, unit)
            }
            Name::Bursts => Model::bursts(&history),
            // `sessions` takes no trace.
            Name::Feedback | Name::Sessions => Model::feedback(&history),
        };
        let how = if self.model == Name::Feedback { "learnt from" } else { "the jobs themselves are" };
        let name = self.model.text();
        let command = format!("{PROGRAM} generate --model {name}{options} --like {}", history.name);
        let heading = self.made.heading(&command, history.procs, Some((how, &history)));
        Ok(self.made.write(|mut out| write_model(&mut out, &model, self.made.seed, &heading))?)
    }
}
