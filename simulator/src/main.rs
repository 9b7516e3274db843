//! The `surefill` command.

use std::process::ExitCode;
use surefill_simulator::cli::{Cli, Failure};

fn main() -> ExitCode {
    // Wrong arguments end here, with status 2.
    match Cli::of_process().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}\n\nFor more information, try '--help'.");
            ExitCode::from(2)
        }
        // Who reads us has seen enough: `surefill ... | head`.
        Err(Failure::Work(error)) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(Failure::Work(error)) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::BrokenPipe)
}
