//! `surefill import`: accounting logs and tables as a trace in the Standard Workload Format.

use super::Failure;
use super::args::file;
use super::args::quiet;
use super::args::source::{Source, complain, guess};
use super::output;
use crate::base::words::counted;
use crate::report::room::prose;
use crate::trace::columns::COLUMNS;
use crate::trace::export::{KEY_BYTES, Key, anonymise, write};
use crate::trace::swf::Trace;
use anyhow::Context;
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::collections::BTreeMap;
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

/// Counts of jobs, wrong lines and lines left out.
#[derive(Debug, Serialize)]
struct Report {
    log: String,
    jobs: usize,
    /// Jobs that ended without having started.
    never_started: usize,
    procs: Option<u32>,
    /// Lines that cannot be understood, by reason.
    wrong: BTreeMap<String, u64>,
    /// Lines that are no jobs of the trace, by reason.
    left_out: BTreeMap<&'static str, u64>,
    users: usize,
    anonymised: bool,
    /// Remarks on the reading of the log, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

impl Import {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.columns {
            for column in &COLUMNS {
                println!("{}\n    {}", column.names.join(", "), column.meaning);
            }
            return Ok(());
        }
        if let Some(path) = &self.output {
            file::gzipped(path).map_err(Failure::Usage)?;
            file::check(path)?;
        }
        let key = self.key.as_deref().map(key).transpose()?;
        let paths: Vec<&Path> = self.logs.iter().map(PathBuf::as_path).collect();
        let mut trace = self.source.open(&paths, self.strict)?;
        if self.procs.is_some() {
            trace.size_from_use = false;
        }
        if let Some(key) = &key {
            anonymise(&mut trace, key);
        }
        let report = self.report(&trace);
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
        let notes: Vec<String> = if trace.size_from_use {
            vec!["MaxProcs is the most that was in use or asked for at once".to_owned()]
        } else {
            Vec::new()
        };
        match &self.output {
            None => {
                let mut out = BufWriter::new(io::stdout().lock());
                write(&mut out, &trace, self.procs, &notes)?;
                out.flush()?;
            }
            Some(path) => file::write(path, |mut out| {
                if file::gzipped(path) == Ok(true) {
                    let mut gzip = GzEncoder::new(out, Compression::default());
                    write(&mut gzip, &trace, self.procs, &notes)?;
                    gzip.finish()?;
                } else {
                    write(&mut out, &trace, self.procs, &notes)?;
                }
                Ok(())
            })?,
        }
        if self.json {
            output::json(&report)?;
        }
        Ok(())
    }

    fn report(&self, trace: &Trace) -> Report {
        let mut wrong = BTreeMap::new();
        for problem in &trace.problems {
            *wrong.entry(problem.reason.kind()).or_default() += 1;
        }
        let users: std::collections::BTreeSet<i64> =
            trace.records.iter().map(|record| record.user).filter(|&user| user >= 0).collect();
        Report {
            log: trace.name.clone(),
            jobs: trace.records.len(),
            never_started: trace.records.iter().filter(|record| record.run_time < 0).count(),
            procs: self.procs.or(trace.header.max_procs),
            wrong,
            left_out: trace.dropped.iter().map(|(why, &count)| (why.text(), count)).collect(),
            users: users.len(),
            anonymised: self.key.is_some(),
            remarks: trace.remarks.clone(),
        }
    }
}

fn key(path: &Path) -> anyhow::Result<Key> {
    let name = path.display();
    let secret = std::fs::read(path).with_context(|| name.to_string())?;
    Key::new(&secret).with_context(|| format!("{name}: a key has at least {KEY_BYTES} bytes"))
}

/// Jobs, and lines that are no jobs, in a sentence.
fn sentence(report: &Report) -> String {
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
