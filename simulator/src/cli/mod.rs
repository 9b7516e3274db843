//! The command line: one file a verb, and what the verbs share.

mod compare;
mod generate;
mod options;
mod output;
mod simulate;

use clap::{Parser, Subcommand};

/// The replay rules, as `--help` ends.
const RULES: &str = "\
Replay rules (public EASY simulators differ by percents in mean wait through such rules):
  * At one second terminations come before submissions, then one scheduling pass is made.
  * A job whose run time is unknown (negative) was cancelled before it started: it is dropped. Run time 0 is kept.
  * Processors are those used (field 5). Where they are unknown, --missing-processors says whether those requested
    (field 8) stand in for them or the job is dropped. Jobs without either are dropped.
  * A job wider than the machine is cut to its size.
  * Without a requested time (field 9) the run time is the limit.
  * A run time above the limit: --overrun keep (it runs on), cut (killed at the limit), raise (the limit becomes the
    run time). Under EASY a running job past its limit is expected to end one second from now (--overdue soon), or at
    its limit although that is past (--overdue past), so that no job is backfilled beyond what the head leaves free.
  * --seed S other than 0 shifts every submission by 0 to 59 s, uniformly (ChaCha8 seeded with S).
Every rule's jobs are counted and reported.

--preset papers sets what Nissimov & Feitelson 2007 used: the machine's size by the start of the trace's file name
(CTC-SP2 512, KTH-SP2 100, SDSC-SP2 128, SDSC-BLUE 1152), jobs without used processors dropped, run times kept,
--overdue past, and for probabilistic backfilling the lower bound, one event a bin, tau 0.05 and the prediction made at
submission.
Options given beside it win.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

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
    #[command(after_long_help = RULES)]
    Simulate(simulate::Simulate),
    /// Replay traces under several policies, side by side.
    #[command(after_long_help = RULES)]
    Compare(compare::Compare),
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
            Command::Generate(generate) => generate.run(),
        }
    }
}
