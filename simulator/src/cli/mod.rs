//! The command line: one file a verb, and what the verbs share.

mod advise;
pub mod args;
mod compare;
mod explain;
mod generate;
mod help;
mod import;
mod learn;
mod merge;
pub mod options;
pub mod output;
mod packaging;
mod predict_wait;
mod predictor;
pub mod replaying;
mod rows;
mod serve;
pub mod shard;
mod simulate;
mod start_times;
mod watch;
mod what_if;

pub use output::today;

use crate::report::room::wrapped;
use crate::trace::text::printable_lines;
use clap::error::ContextKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Probabilistic backfilling: replay workload traces under scheduling policies.
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
    /// Replay a trace under one policy and measure the waits.
    #[command(after_long_help = help::RULES)]
    Simulate(simulate::Simulate),
    /// Replay traces under several policies, side by side.
    #[command(after_long_help = help::compare())]
    Compare(compare::Compare),
    /// Say why one job waited.
    #[command(after_long_help = help::RULES)]
    Explain(explain::Explain),
    /// Measure how well the starts of waiting jobs are predicted by the scheduler.
    #[command(after_long_help = start_times::HELP)]
    StartTimes(start_times::StartTimes),
    /// Say by when a job starts, from a history of waits: for scripts.
    #[command(after_long_help = predict_wait::help())]
    PredictWait(predict_wait::PredictWait),
    /// Say by when jobs start, over HTTP on this computer: for portals.
    #[command(after_long_help = serve::help())]
    Serve(serve::Serve),
    /// Say what to expect of a live queue (Slurm): when the next job starts, how long the others wait, which limit is
    /// sensible.
    #[command(after_long_help = advise::HELP)]
    Advise(advise::Advise),
    /// Look on while Slurm's own scheduler is in charge, and say what it leaves undone: gains, losses, promises kept.
    #[command(after_long_help = watch::HELP)]
    Watch(watch::Watch),
    /// Put the shards of a run together.
    #[command(after_long_help = merge::HELP)]
    Merge(merge::Merge),
    /// Generate a synthetic workload.
    Generate(generate::Generate),
    /// Make a trace of a site's accounting: sacct, PBS, LSF, Grid Engine, HTCondor, Flux, CSV, JSON.
    #[command(after_long_help = import::HELP)]
    Import(import::Import),
    /// Make a scheduler's state file of accounting: it has learnt before its first decision.
    #[command(after_long_help = learn::HELP)]
    Learn(learn::Learn),
    /// Say what a site's own jobs would have waited under another policy.
    #[command(after_long_help = what_if::HELP)]
    WhatIf(Box<what_if::WhatIfArgs>),
    /// Write the manual pages and the shells' completions.
    #[command(hide = true)]
    Packaging(packaging::Packaging),
}

/// Why the program ends without success.
#[derive(Debug)]
pub enum Failure {
    /// The arguments contradict each other: exit status 2.
    Usage(String),
    /// The work failed: exit status 1.
    Work(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Work(error.into())
    }
}

/// The parser's complaint about the sign of a whole number, in words.
fn wrong_number(error: clap::Error) -> clap::Error {
    let context = |kind| error.get(kind).map(ToString::to_string);
    let digits = std::error::Error::source(&error)
        .is_some_and(|why| why.to_string() == "invalid digit found in string");
    match (context(ContextKind::InvalidValue), context(ContextKind::InvalidArg)) {
        (Some(value), Some(option)) if digits => clap::Error::raw(
            error.kind(),
            format!(
                "invalid value '{value}' for '{option}': a whole number that is not negative is wanted\n"
            ),
        ),
        _ => error,
    }
}

/// Reads arguments, the first of which is the program's name; beside their meaning the verb's options that decide what
/// it computes. Negative numbers are taken for values, so that the option can say what it accepts; the help of the
/// verbs `one_seed` hides `--seeds`.
///
/// # Errors
/// The first wrong argument; also where they ask for help.
pub fn parsed<C: CommandFactory + FromArgMatches>(
    arguments: impl IntoIterator<Item = OsString>,
    one_seed: &[&str],
) -> Result<(C, Vec<String>), clap::Error> {
    let mut command = C::command().mut_subcommands(|verb| {
        let one = one_seed.contains(&verb.get_name());
        let verb = if one { verb.mut_arg("seeds", |seeds| seeds.hide(true)) } else { verb };
        let verb = match verb.get_after_long_help().map(|text| wrapped(&text.to_string(), help::width())) {
            Some(text) => verb.after_long_help(text),
            None => verb,
        };
        verb.mut_args(|argument| {
            let takes_value = argument.get_action().takes_values() && !argument.is_positional();
            let span = argument.get_value_names().is_some_and(|names| names == ["DURATION"]);
            let argument = if takes_value { argument.allow_negative_numbers(true) } else { argument };
            if span { argument.allow_hyphen_values(true) } else { argument }
        })
    });
    let matches = command.try_get_matches_from_mut(arguments).map_err(wrong_number)?;
    Ok((C::from_arg_matches(&matches)?, shard::deciding(&command, &matches)))
}

/// The name of this command.
pub(crate) const PROGRAM: &str = "surefill";

/// The verbs that replay one seed, and would refuse more.
const ONE_SEED: [&str; 2] = ["explain", "start-times"];

/// The verbs of `surefill-papers`.
const STUDIES: [&str; 9] =
    ["allocate", "characterize", "fit", "gain", "locality", "reservations", "similar", "tune", "wait-bounds"];

/// The models of `surefill-papers generate`.
const MODELS: [&str; 4] = ["hmm", "independent", "lublin", "markov"];

/// The parser's complaint about a verb, or a model, that is another command's, in words.
fn elsewhere(error: clap::Error) -> clap::Error {
    let context = |kind| error.get(kind).map(ToString::to_string);
    let of_studies = "the papers' studies are in the command surefill-papers: surefill-papers";
    let model = context(ContextKind::InvalidArg).is_some_and(|option| option.starts_with("--model "));
    match (context(ContextKind::InvalidSubcommand), context(ContextKind::InvalidValue)) {
        (Some(verb), _) if STUDIES.contains(&&*verb) => {
            clap::Error::raw(error.kind(), format!("{of_studies} {verb}\n"))
        }
        (_, Some(name)) if model && MODELS.contains(&&*name) => {
            clap::Error::raw(error.kind(), format!("{of_studies} generate --model {name}\n"))
        }
        _ => error,
    }
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
        let (cli, options) = parsed::<Cli>(arguments, &ONE_SEED).map_err(elsewhere)?;
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
    fn run_with(self, found: shard::Found) -> Result<(), Failure> {
        self.run_in(Some(found))
    }

    fn run_in(self, found: Option<shard::Found>) -> Result<(), Failure> {
        if self.quiet {
            args::quiet::be_quiet();
        }
        let invocation = shard::Invocation { options: self.options, found };
        match self.command {
            Command::Simulate(simulate) => simulate.run(),
            Command::Compare(compare) => compare.run(invocation),
            Command::Explain(explain) => explain.run(),
            Command::StartTimes(starts) => starts.run(),
            Command::PredictWait(predict) => predict.run(),
            Command::Serve(serve) => serve.run(),
            Command::Advise(advise) => advise.run(),
            Command::Watch(watch) => watch.run(),
            Command::Merge(merge) => merge.run(),
            Command::Generate(generate) => generate.run(),
            Command::Import(import) => import.run(),
            Command::Learn(learn) => learn.run(),
            Command::WhatIf(what_if) => what_if.run(),
            Command::Packaging(packaging) => packaging.run(),
        }
    }
}

/// The exit status of the process; a failure is reported on standard error.
pub fn finish(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            eprintln!(
                "error: {}\n\nFor more information, try '--help'.",
                printable_lines(message.as_bytes())
            );
            ExitCode::from(2)
        }
        // The reader closed the pipe, as in `surefill ... | head`: not an error.
        Err(Failure::Work(error)) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(Failure::Work(error)) => {
            eprintln!("error: {}", printable_lines(format!("{error:#}").as_bytes()));
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::BrokenPipe)
}
