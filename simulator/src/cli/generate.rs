//! `surefill generate`: a synthetic workload.

use super::Failure;
use crate::generate::{SessionsOptions, write_sessions};
use anyhow::Context;
use clap::{Args, ValueEnum};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Options of `generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// The model of the workload
    #[arg(long, value_enum, default_value = "sessions")]
    model: Model,
    /// Seed of the generator
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Jobs to generate
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5000)]
    jobs: u32,
    /// Users who submit them
    #[arg(long, value_name = "N", default_value = "60")]
    users: NonZeroU32,
    /// Processors of the machine
    #[arg(long, value_name = "N", default_value = "128")]
    procs: NonZeroU32,
    /// Processor time asked of the machine, over what it has
    #[arg(long, default_value_t = 0.75, value_parser = positive)]
    load: f64,
    /// Where to write; compressed when the name ends in .gz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Model {
    /// Users with applications of their own, who come in sessions and ask for too much time
    Sessions,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("not a number above 0".to_owned()),
    }
}

impl Generate {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Generate { model: Model::Sessions, seed, jobs, users, procs, load, output } = self;
        let options = SessionsOptions { jobs, users, procs, load, seed };
        match output {
            None => write_sessions(&mut BufWriter::new(io::stdout().lock()), &options)?,
            Some(path) => write_file(&path, &options).with_context(|| path.display().to_string())?,
        }
        Ok(())
    }
}

fn write_file(path: &Path, options: &SessionsOptions) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut gzip = GzEncoder::new(file, Compression::best());
        write_sessions(&mut gzip, options)?;
        file = gzip.finish()?;
    } else {
        write_sessions(&mut file, options)?;
    }
    file.flush()
}
