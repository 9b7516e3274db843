//! The command line: one file a verb, and what the verbs share.

mod allocate;
mod compare;
mod explain;
mod generate;
mod help;
mod merge;
mod options;
mod output;
mod simulate;

use clap::{Parser, Subcommand};

/// Probabilistic backfilling: replay workload traces under scheduling policies.
#[derive(Debug, Parser)]
#[command(name = "surefill", version, max_term_width = 120)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Replay a trace under one policy and measure the waits.
    #[command(after_long_help = help::RULES)]
    Simulate(simulate::Simulate),
    /// Replay traces under several policies, side by side.
    #[command(after_long_help = help::compare())]
    Compare(compare::Compare),
    /// Say why one job waited.
    #[command(after_long_help = help::RULES)]
    Explain(explain::Explain),
    /// Let malleable jobs choose their number of processors (Downey 1997).
    #[command(after_long_help = allocate::HELP)]
    Allocate(allocate::Allocate),
    /// Put the shards of a sweep together.
    Merge(merge::Merge),
    /// Generate a synthetic workload.
    Generate(generate::Generate),
}

/// Why the program ends without success.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for makes no sense: exit status 2.
    Usage(String),
    /// The work failed: exit status 1.
    Work(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Work(error.into())
    }
}

impl Cli {
    /// Does what was asked for.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Simulate(simulate) => simulate.run(),
            Command::Compare(compare) => compare.run(),
            Command::Explain(explain) => explain.run(),
            Command::Allocate(allocate) => allocate.run(),
            Command::Merge(merge) => merge.run(),
            Command::Generate(generate) => generate.run(),
        }
    }
}
