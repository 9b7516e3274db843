//! `surefill merge`: the shards of a sweep put together.

use super::Failure;
use super::allocate::print_sweep;
use super::tune::{print_tuning, ratio};
use crate::studies::allocate::sweep::{self, Sweep};
use crate::studies::tune::{self, Caps, Tuning};
use anyhow::Context;
use clap::Args;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Options of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// What `surefill allocate --sweep --json` or `surefill tune --json` printed, one file a shard
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
    /// Of tune: the largest 99th percentile of waits on any trace, over EASY's
    #[arg(long, value_name = "RATIO", default_value_t = 1.0, value_parser = ratio)]
    most_p99: f64,
    /// Of tune: the largest longest wait on any trace, over EASY's
    #[arg(long, value_name = "RATIO", default_value_t = 1.1, value_parser = ratio)]
    most_longest: f64,
}

/// A shard of either kind.
enum Shard {
    Tuning(Tuning),
    Sweep(Sweep),
}

fn read(path: &Path) -> anyhow::Result<(String, Shard)> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| name.clone())?;
    let shard: serde_json::Value =
        serde_json::from_reader(BufReader::new(file)).with_context(|| name.clone())?;
    // Not as an untagged enumeration, whose messages say nothing.
    let shard = match shard.get("kind").and_then(|kind| kind.as_str()) {
        Some(tune::KIND) => Shard::Tuning(serde_json::from_value(shard).with_context(|| name.clone())?),
        _ => Shard::Sweep(serde_json::from_value(shard).with_context(|| name.clone())?),
    };
    Ok((name, shard))
}

impl Merge {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut sweeps, mut tunings) = (Vec::new(), Vec::new());
        for path in &self.files {
            match read(path)? {
                (name, Shard::Sweep(shard)) => sweeps.push((name, shard)),
                (name, Shard::Tuning(shard)) => tunings.push((name, shard)),
            }
        }
        if tunings.is_empty() {
            return print_sweep(&sweep::merge(sweeps, self.partial)?, self.json, self.markdown);
        }
        if let Some((name, _)) = sweeps.first() {
            return Err(Failure::Usage(format!("{name}: shards of allocate and of tune do not merge")));
        }
        let tuning = tune::merge(tunings, self.partial)?;
        let caps = Caps { p99: self.most_p99, longest: self.most_longest };
        print_tuning(&tuning, caps, self.json, self.markdown)
    }
}
