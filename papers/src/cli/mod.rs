//! The command line: one file a verb. Options, progress, shards and exit statuses are the simulator's.

mod allocate;
mod characterize;
mod fit;
mod generate;
mod locality;
mod merge;
mod reservations;
mod similar;
mod tune;
mod wait_bounds;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use surefill_simulator::cli::shard::{Found, Invocation};
use surefill_simulator::cli::{Failure, args, parsed};

/// The name of this command.
const PROGRAM: &str = "surefill-papers";

/// The verbs that replay one seed, and would refuse more; tune has seeds of its own.
const ONE_SEED: [&str; 2] = ["reservations", "tune"];

/// The studies of the papers behind surefill: run times, waits, workloads, malleable jobs.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version, max_term_width = 120)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Show no progress and no notes, warnings alone
    #[arg(long, short, global = true)]
    quiet: bool,
    /// The verb's options that decide what it computes.
    #[arg(skip)]
    options: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Train a hidden Markov model on traces and say what its states are: how long they last, how many jobs come in
    /// them.
    Characterize(characterize::Characterize),
    /// Measure how much run times can be learnt from submit times and users.
    #[command(after_long_help = locality::HELP)]
    Locality(locality::Locality),
    /// Train the hidden Markov model of run times on a trace.
    #[command(after_long_help = fit::FIT_HELP)]
    Fit(fit::FitArgs),
    /// Measure what the hidden Markov model knows of run times, under the thesis's settings.
    #[command(after_long_help = fit::GAIN_HELP)]
    Gain(fit::GainArgs),
    /// Search a schedule's parameters: gain against fairness, fitted on one half and reported on the other.
    #[command(after_long_help = tune::HELP)]
    Tune(Box<tune::Tune>),
    /// Let malleable jobs choose their number of processors (Downey 1997).
    #[command(after_long_help = allocate::HELP)]
    Allocate(allocate::Allocate),
    /// Measure how well bounds on waiting times hold (QBETS).
    #[command(after_long_help = wait_bounds::HELP)]
    WaitBounds(wait_bounds::WaitBounds),
    /// Measure how often virtual reservations are met: jobs held back and submitted in time (QBETS).
    #[command(after_long_help = reservations::HELP)]
    Reservations(Box<reservations::Reservations>),
    /// Say how close a synthetic workload is to a trace.
    Similar(similar::Similar),
    /// Generate a workload of a published model.
    Generate(generate::Generate),
    /// Put the shards of a study together.
    #[command(after_long_help = merge::HELP)]
    Merge(merge::Merge),
}

impl Cli {
    /// The arguments of the process; wrong ones end it with status 2.
    pub fn of_process() -> Cli {
        Cli::of(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    /// The same as [`Cli::of_process`] for any arguments, the first of which is the program's name.
    ///
    /// # Errors
    /// The first wrong argument; also where they ask for help.
    pub fn of(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let (cli, options) = parsed::<Cli>(arguments, &ONE_SEED)?;
        Ok(Cli { options, ..cli })
    }

    /// Does what was asked for.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn run(self) -> Result<(), Failure> {
        self.run_in(None)
    }

    /// [`Cli::run`] with cells that shards have computed.
    fn run_with(self, found: Found) -> Result<(), Failure> {
        self.run_in(Some(found))
    }

    fn run_in(self, found: Option<Found>) -> Result<(), Failure> {
        if self.quiet {
            args::quiet::be_quiet();
        }
        let invocation = Invocation { options: self.options, found };
        match self.command {
            Command::Characterize(characterize) => characterize.run(invocation),
            Command::Locality(locality) => locality.run(invocation),
            Command::Fit(fit) => fit.run(),
            Command::Gain(gain) => gain.run(invocation),
            Command::Tune(tune) => tune.run(invocation),
            Command::Allocate(allocate) => allocate.run(invocation),
            Command::WaitBounds(bounds) => bounds.run(invocation),
            Command::Reservations(reservations) => reservations.run(),
            Command::Similar(similar) => similar.run(invocation),
            Command::Generate(generate) => generate.run(),
            Command::Merge(merge) => merge.run(),
        }
    }
}
