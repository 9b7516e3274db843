//! `surefill merge`: the shards of a sweep put together.

use super::Failure;
use super::allocate::print_sweep;
use crate::studies::allocate::sweep::{Sweep, merge};
use anyhow::Context;
use clap::Args;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Options of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// What `surefill allocate --sweep --json` printed, one file a shard
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Go on although shards are missing
    #[arg(long)]
    partial: bool,
    /// Print one JSON object instead of a table
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the table as Markdown
    #[arg(long)]
    markdown: bool,
}

fn read(path: &Path) -> anyhow::Result<(String, Sweep)> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| name.clone())?;
    let sweep = serde_json::from_reader(BufReader::new(file)).with_context(|| name.clone())?;
    Ok((name, sweep))
}

impl Merge {
    pub(super) fn run(self) -> Result<(), Failure> {
        let shards = self.files.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
        print_sweep(&merge(shards, self.partial)?, self.json, self.markdown)
    }
}
