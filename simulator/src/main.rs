//! The `surefill` command.

use std::process::ExitCode;
use surefill_simulator::cli::{Cli, finish};

fn main() -> ExitCode {
    // Wrong arguments end here, with status 2.
    finish(Cli::of_process().run())
}
