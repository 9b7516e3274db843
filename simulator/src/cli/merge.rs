//! `surefill merge`: the shards of a comparison put together.

use super::shard::{self, Printed};
use super::{Cli, Failure, PROGRAM};
use crate::report::View;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Text at the end of `merge --help`.
pub const HELP: &str = "\
What is printed is what compare would have printed unsharded: the same JSON, byte by byte, but for the wall times of
replays, which are those of the shards. Shards of different runs (other options, traces with other contents, another
version of surefill) are refused, and so are shards that are missing or there twice. With --partial a comparison has
the traces of which all cells are there. Shards of the papers' studies are for surefill-papers merge.

In a Slurm job array:

    sbatch --array=1-40 --wrap 'surefill compare --shard array *.swf > $SLURM_ARRAY_TASK_ID.json'
    surefill merge *.json";

/// Options of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Output of the shards of compare, one file each
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Go on although shards are missing
    #[arg(long)]
    partial: bool,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with_all = ["markdown", "csv", "table"])]
    json: bool,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Print the CSV table with every measure of every policy and trace
    #[arg(long, conflicts_with_all = ["markdown", "table"])]
    csv: bool,
    /// Tables to print [default: waits]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    table: Vec<View>,
}

/// One file.
fn read(path: &Path) -> anyhow::Result<(String, Printed)> {
    let name = path.display().to_string();
    let read = || {
        let text = std::fs::read_to_string(path)?;
        match &*shard::kind(&text)? {
            shard::KIND => Ok(serde_json::from_str(&text)?),
            other => bail!("'{other}' is no kind of shard"),
        }
    };
    read().with_context(|| name.clone()).map(|shard| (name, shard))
}

impl Merge {
    pub(super) fn run(self) -> Result<(), Failure> {
        let shards = self.files.iter().map(|path| read(path)).collect::<anyhow::Result<_>>()?;
        let flags = [("--json", self.json), ("--markdown", self.markdown), ("--csv", self.csv)];
        let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
        let views = self.table.iter().filter_map(ValueEnum::to_possible_value);
        let views = views.map(|view| format!("--table={}", view.get_name()));
        let (words, found) = shard::again(PROGRAM, shards, &["compare"], self.partial, flags.chain(views))?;
        let cli = Cli::of(words).map_err(|error| anyhow::anyhow!("{error}"))?;
        cli.run_with(found)
    }
}
