//! `surefill merge`: the shards of a comparison put together.

use super::{Cli, Failure, PROGRAM, shard};
use crate::report::View;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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

impl Merge {
    pub(super) fn run(self) -> Result<(), Failure> {
        let flags = [("--json", self.json), ("--markdown", self.markdown), ("--csv", self.csv)];
        let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
        let views = self.table.iter().filter_map(ValueEnum::to_possible_value);
        let views = views.map(|view| format!("--table={}", view.get_name()));
        let flags = flags.chain(views).collect();
        let (words, found) = shard::merged(PROGRAM, &self.files, &["compare"], self.partial, |_| Ok(flags))?;
        let cli = Cli::of(words).map_err(|error| anyhow::anyhow!("{error}"))?;
        cli.run_with(found)
    }
}
