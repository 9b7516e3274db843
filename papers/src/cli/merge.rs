//! `surefill-papers merge`: the shards of a study put together.

use super::tune::ratio;
use super::{Cli, PROGRAM};
use clap::Args;
use std::path::PathBuf;
use surefill_simulator::cli::{Failure, shard};

/// Text at the end of `merge --help`.
pub const HELP: &str = "\
What is printed is what the verb would have printed unsharded: the same JSON, byte by byte, but for wall times, which
are those of the shards. Shards of different runs (other options, traces with other contents, another version of
surefill) are refused, and so are shards that are missing or there twice. With --partial there are the traces, the
settings of tune and the workloads of allocate that are there. Shards of compare are for surefill merge.

In a Slurm job array:

    sbatch --array=1-40 --wrap 'surefill-papers locality --shard array *.swf > $SLURM_ARRAY_TASK_ID.json'
    surefill-papers merge *.json";

/// The verbs that have shards.
const VERBS: [&str; 7] = ["allocate", "characterize", "gain", "locality", "similar", "tune", "wait-bounds"];

/// Options of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Output of the shards of allocate --sweep, characterize, gain, locality, similar, tune or wait-bounds, one file
    /// each
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Go on although shards are missing
    #[arg(long)]
    partial: bool,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with_all = ["markdown", "csv"])]
    json: bool,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Print gain's CSV table
    #[arg(long, conflicts_with = "markdown")]
    csv: bool,
    /// The largest 99th percentile of waits on any trace, over EASY's, for tune
    #[arg(long, value_name = "RATIO", default_value_t = 1.0, value_parser = ratio)]
    most_p99: f64,
    /// The largest longest wait on any trace, over EASY's, for tune
    #[arg(long, value_name = "RATIO", default_value_t = 1.1, value_parser = ratio)]
    most_longest: f64,
}

impl Merge {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let flags = |verb: &str| {
            if self.csv && verb != "gain" {
                return Err(Failure::Usage(format!("--csv is for gain, not for {verb}")));
            }
            let flags = [("--json", self.json), ("--markdown", self.markdown), ("--csv", self.csv)];
            let mut flags: Vec<String> =
                flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned()).collect();
            if verb == "tune" {
                flags.push(format!("--most-p99={}", self.most_p99));
                flags.push(format!("--most-longest={}", self.most_longest));
            }
            Ok(flags)
        };
        let (words, found) = shard::merged(PROGRAM, &self.files, &VERBS, self.partial, flags)?;
        let cli = Cli::of(words).map_err(|error| anyhow::anyhow!("{error}"))?;
        cli.run_with(found)
    }
}
