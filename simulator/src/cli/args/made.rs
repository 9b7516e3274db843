//! Options of workloads that are generated: the seed, the number of jobs, the file.

use super::file;
use crate::generate::{Heading, History};
use crate::trace::import::gzipped;
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// The workload that is made.
#[derive(Debug, Args)]
pub struct Made {
    /// Seed of the generator
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Jobs to generate
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5000)]
    pub jobs: u32,
    /// Where to write; compressed when the name ends in .gz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Made {
    /// The heading of a workload that `command` makes, which names neither seed nor number of jobs; with the trace from
    /// which it is learnt, and in which way.
    pub fn heading(&self, command: &str, procs: u32, of: Option<(&str, &History)>) -> Heading {
        let note = |(how, history): (&str, &History)| {
            format!("{how} the {} jobs of {} that ran", history.jobs.len(), history.name)
        };
        Heading {
            command: format!("{command} --seed {} -n {} -o FILE", self.seed, self.jobs),
            procs,
            jobs: u64::from(self.jobs),
            unix_start_time: of.and_then(|(_, history)| history.unix_start_time),
            time_zone: of.and_then(|(_, history)| history.time_zone.clone()),
            notes: of.map(note).into_iter().collect(),
        }
    }

    /// Writes the workload whole.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&self, workload: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        let Some(path) = &self.output else {
            let mut out = BufWriter::new(io::stdout().lock());
            workload(&mut out)?;
            return Ok(out.flush()?);
        };
        file::write(path, |out| {
            if gzipped(path).is_ok_and(|gzip| gzip) {
                let mut gzip = GzEncoder::new(out, Compression::default());
                workload(&mut gzip)?;
                gzip.finish()?;
            } else {
                workload(out)?;
            }
            Ok(())
        })
    }
}
