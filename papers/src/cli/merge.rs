//! `surefill-papers merge`: the shards of a study put together.

use super::allocate::print_sweep;
use super::tune::{print_tuning, ratio};
use super::{Cli, PROGRAM};
use crate::studies::allocate::sweep::{self, Sweep};
use crate::studies::tune::{self, Caps, Tuning};
use anyhow::{Context, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::shard::{self, Printed};

/// Text at the end of `merge --help`.
pub const HELP: &str = "\
What is printed is what the verb would have printed unsharded: the same JSON, byte by byte, but for wall times, which
are those of the shards. Shards of different runs (other options, traces with other contents, another version of
surefill) are refused, and so are shards that are missing or there twice. With --partial there are the traces of which
all cells are there. Shards of compare are for surefill merge.

In a Slurm job array:

    sbatch --array=1-40 --wrap 'surefill-papers locality --shard array *.swf > $SLURM_ARRAY_TASK_ID.json'
    surefill-papers merge *.json";

/// The verbs with shards of one kind; `allocate --sweep` and `tune` have kinds of their own.
const VERBS: [&str; 5] = ["characterize", "gain", "locality", "similar", "wait-bounds"];

/// Options of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Output of the shards of characterize, gain, locality, similar, wait-bounds, tune --json or allocate --sweep
    /// --json, one file each
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

/// The files of one verb's shards.
enum Shards {
    Tune(Vec<(String, Tuning)>),
    Sweep(Vec<(String, Sweep)>),
    Cells(Vec<(String, Printed)>),
}

impl Shards {
    fn verb(&self) -> &str {
        match self {
            Shards::Tune(_) => "tune",
            Shards::Sweep(_) => "allocate",
            Shards::Cells(all) => all.first().map_or("", |(_, shard)| &shard.verb),
        }
    }

    /// One file.
    fn read(name: String, path: &Path) -> anyhow::Result<Shards> {
        let read = || {
            let text = std::fs::read_to_string(path)?;
            // Not as an untagged enumeration, whose messages say nothing.
            Ok(match &*shard::kind(&text)? {
                tune::KIND => Shards::Tune(vec![(name.clone(), serde_json::from_str(&text)?)]),
                sweep::KIND => Shards::Sweep(vec![(name.clone(), serde_json::from_str(&text)?)]),
                shard::KIND => Shards::Cells(vec![(name.clone(), serde_json::from_str(&text)?)]),
                other => bail!("'{other}' is no kind of shard"),
            })
        };
        read().with_context(|| name.clone())
    }

    /// These and those.
    fn and(&mut self, more: Shards) -> bool {
        if self.verb() != more.verb() {
            return false;
        }
        match (self, more) {
            (Shards::Tune(all), Shards::Tune(more)) => all.extend(more),
            (Shards::Sweep(all), Shards::Sweep(more)) => all.extend(more),
            (Shards::Cells(all), Shards::Cells(more)) => all.extend(more),
            _ => return false,
        }
        true
    }
}

impl Merge {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let read = |path: &PathBuf| Shards::read(path.display().to_string(), path);
        let mut files = self.files.iter();
        let Some(first) = files.next() else { return Err(Failure::Usage("nothing to merge".to_owned())) };
        let mut shards = read(first)?;
        for path in files {
            let (more, verb) = (read(path)?, shards.verb().to_owned());
            let own = more.verb().to_owned();
            if !shards.and(more) {
                let (path, first) = (path.display(), first.display());
                return Err(Failure::Usage(format!(
                    "{path}: a shard of {own}, but {first} is one of {verb}"
                )));
            }
        }
        let verb = shards.verb();
        if self.csv && verb != "gain" {
            return Err(Failure::Usage(format!("--csv is for gain, not for {verb}")));
        }
        match shards {
            Shards::Tune(shards) => {
                let caps = Caps { p99: self.most_p99, longest: self.most_longest };
                print_tuning(&tune::merge(shards, self.partial)?, caps, self.json, self.markdown)
            }
            Shards::Sweep(shards) => {
                print_sweep(&sweep::merge(shards, self.partial)?, self.json, self.markdown)
            }
            Shards::Cells(shards) => self.run_verb(shards),
        }
    }

    /// Runs the verb again with the cells that its shards have computed.
    fn run_verb(&self, shards: Vec<(String, Printed)>) -> Result<(), Failure> {
        let flags = [("--json", self.json), ("--markdown", self.markdown), ("--csv", self.csv)];
        let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
        let (words, found) = shard::again(PROGRAM, shards, &VERBS, self.partial, flags)?;
        let cli = Cli::of(words).map_err(|error| anyhow::anyhow!("{error}"))?;
        cli.run_with(found)
    }
}
