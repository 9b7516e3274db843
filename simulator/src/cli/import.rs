//! `surefill import`: accounting logs and tables as a trace in the Standard Workload Format.

use super::Failure;
use super::args::file;
use super::args::quiet;
use super::args::source::{Source, complain, guess};
use super::output;
use crate::base::words::counted;
use crate::report::room::prose;
use crate::trace::columns::COLUMNS;
use crate::trace::export::Key;
use crate::trace::import::{self, Imported, gzipped, write_as};
use anyhow::Context;
use clap::Args;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Text at the end of `import --help`.
pub(super) const HELP: &str = "\
Formats, recognised by content: SWF; what sacct --parsable2 and sacct --json print (any columns in any order, arrays, steps,
heterogeneous jobs); accounting logs of PBS, Torque and Grid Engine; LSF's lsb.acct; condor_history -long or -json; flux jobs
--json; Batsim's tables and workloads; CSV and JSON with the names that --columns lists. Each may be compressed by gzip, xz,
zstd or bzip2. Several files are read as one log. A whole year of Slurm:

    columns=JobID,JobIDRaw,Submit,Eligible,Start,End,State,TimelimitRaw
    columns=$columns,AllocCPUS,ReqCPUS,NNodes,ReqMem,MaxRSS,NTasks,TotalCPU
    columns=$columns,User,Account,Partition,JobName
    sacct -a -P -S 2025-01-01 -E 2026-01-01 -o $columns > year.txt
    surefill import year.txt -o year.swf.gz

Second 0 is the first submission, the header's UnixStartTime says when that was. A job counts as submitted when it became
eligible, where that is known. Users, accounts or groups, job names (as programs), queues and partitions become numbers;
the header lists queues and partitions by name. Memory is in KB a processor. What ended without having started is kept,
with unknown run time. Dates without a zone are taken as they stand (SLURM_TIME_FORMAT=%s prints seconds). The machine's
size is in no accounting: without --procs it is the most processors that were in use at once.

With --key the numbers come from a keyed hash (BLAKE3) of the names, so that one user has one number in all traces made
with that key and nobody without it can try names; nothing is listed by name, jobs are numbered anew, notes of the source
are left out. Times and sizes stay as they are. A key: head -c 32 /dev/urandom | base64 > key

What was left out, and why, is said on standard error, with --json on standard output.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options of `import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Logs or tables, as those of several months, whose jobs become one trace; - is standard input
    #[arg(value_name = "LOG", default_value = "-")]
    logs: Vec<PathBuf>,
    /// List the names of columns that are read, and stop
    #[arg(long)]
    columns: bool,
    #[command(flatten)]
    source: Source,
    /// Where to write; compressed when the name ends in .gz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Processors of the machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    procs: Option<u32>,
    /// Replace names by numbers that only the key in this file connects with them
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Wrong lines are fatal
    #[arg(long)]
    strict: bool,
    /// Print what was left out as one JSON object
    #[arg(long, requires = "output")]
    json: bool,
}

impl Import {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.columns {
            let mut out = io::stdout().lock();
            for column in &COLUMNS {
                writeln!(out, "{}\n    {}", column.names.join(", "), column.meaning)?;
            }
            return Ok(());
        }
        if let Some(path) = &self.output {
            gzipped(path).map_err(|error| Failure::Usage(error.to_string()))?;
            file::check(path)?;
        }
        let key = self.key.as_deref().map(key).transpose()?;
        let paths: Vec<&Path> = self.logs.iter().map(PathBuf::as_path).collect();
        let mut trace = self.source.open(&paths, self.strict)?;
        let report = Imported::of(&mut trace, self.procs, key.as_ref());
        if !self.json {
            complain(&trace);
            guess(&trace);
            if !quiet::is_quiet() {
                eprintln!("{}", prose(&sentence(&report)));
            }
        }
        if trace.records.is_empty() {
            return Err(anyhow::anyhow!("{}: no job", trace.name).into());
        }
        self.source.whole(&trace)?;
        match &self.output {
            None => {
                let mut out = BufWriter::new(io::stdout().lock());
                write_as(&mut out, &trace, self.procs, false)?;
                out.flush()?;
            }
            Some(path) => {
                let gzip = gzipped(path)?;
                file::write(path, |out| Ok(write_as(out, &trace, self.procs, gzip)?))?;
            }
        }
        if self.json {
            output::json(&report)?;
        }
        Ok(())
    }
}

fn key(path: &Path) -> anyhow::Result<Key> {
    let name = path.display();
    let secret = std::fs::read(path).with_context(|| name.to_string())?;
    Ok(import::key(&secret, &name.to_string())?)
}

/// Jobs, and lines that are no jobs, in a sentence.
fn sentence(report: &Imported) -> String {
    let plural = |count: usize, one: &str, more: &str| counted(count as u64, one, more);
    let mut text = format!(
        "{}: {} of {}",
        report.log,
        plural(report.jobs, "job", "jobs"),
        plural(report.users, "user", "users")
    );
    if report.never_started > 0 {
        text += &format!(", {} of them without a run time, as they never started", report.never_started);
    }
    let left_out: Vec<String> = report.left_out.iter().map(|(why, count)| format!("{count} {why}")).collect();
    if !left_out.is_empty() {
        text += &format!("; left out: {}", left_out.join("; "));
    }
    text
}
