//! The `surefill-papers` command.

use std::process::ExitCode;
use surefill_papers::cli::Cli;
use surefill_simulator::cli::finish;

fn main() -> ExitCode {
    // Wrong arguments end here, with status 2.
    finish(Cli::of_process().run())
}
