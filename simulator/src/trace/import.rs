//! From the accounting of a site to a trace that is written: what was read, and what was left out.

use super::export::{KEY_BYTES, Key, anonymise, write};
use super::swf::Trace;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

/// Counts of jobs, wrong lines and lines left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// The log.
    pub log: String,
    /// Jobs of the trace.
    pub jobs: usize,
    /// Jobs that ended without having started.
    pub never_started: usize,
    /// Processors of the machine, where they are known.
    pub procs: Option<u32>,
    /// Lines that cannot be understood, by reason.
    pub wrong: BTreeMap<String, u64>,
    /// Lines that are no jobs of the trace, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Users of the jobs.
    pub users: usize,
    /// Whether names have been replaced by numbers of a key.
    pub anonymised: bool,
    /// Remarks on the reading of the log, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Why a trace cannot be written as it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The key is too short.
    #[error("{0}: a key has at least {KEY_BYTES} bytes")]
    Key(String),
    /// The name of the file promises a compression that is read but not written.
    #[error("{0}: .{1} is read, not written; .gz is compressed")]
    Compression(String, String),
}

/// Whether a trace is compressed in a file, by its name.
///
/// # Errors
/// [`Error::Compression`].
pub fn gzipped(path: &Path) -> Result<bool, Error> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(other @ ("xz" | "zst" | "bz2")) => {
            Err(Error::Compression(path.display().to_string(), other.to_owned()))
        }
        extension => Ok(extension == Some("gz")),
    }
}

/// The key of a secret, `name` in errors.
///
/// # Errors
/// [`Error::Key`].
pub fn key(secret: &[u8], name: &str) -> Result<Key, Error> {
    Key::new(secret).ok_or_else(|| Error::Key(name.to_owned()))
}

impl Imported {
    /// Makes a trace as read ready to be written: with this number of processors, and under numbers of this key.
    pub fn of(trace: &mut Trace, procs: Option<u32>, key: Option<&Key>) -> Imported {
        if procs.is_some() {
            trace.size_from_use = false;
        }
        if let Some(key) = key {
            anonymise(trace, key);
        }
        let mut wrong = BTreeMap::new();
        for problem in &trace.problems {
            *wrong.entry(problem.reason.kind()).or_default() += 1;
        }
        let users: BTreeSet<i64> =
            trace.records.iter().map(|record| record.user).filter(|&user| user >= 0).collect();
        Imported {
            log: trace.name.clone(),
            jobs: trace.records.len(),
            never_started: trace.records.iter().filter(|record| record.run_time < 0).count(),
            procs: procs.or(trace.header.max_procs),
            wrong,
            left_out: trace.dropped.iter().map(|(why, &count)| (why.text(), count)).collect(),
            users: users.len(),
            anonymised: key.is_some(),
            remarks: trace.remarks.clone(),
        }
    }
}

/// Writes a trace that [`Imported::of`] has made ready, compressed or not.
///
/// # Errors
/// Those of the writer.
pub fn write_as(out: &mut dyn Write, trace: &Trace, procs: Option<u32>, gzip: bool) -> io::Result<()> {
    let note = "MaxProcs is the most that was in use or asked for at once".to_owned();
    let notes: Vec<String> = trace.size_from_use.then_some(note).into_iter().collect();
    let mut out = out;
    if gzip {
        let mut gzip = GzEncoder::new(out, Compression::default());
        write(&mut gzip, trace, procs, &notes)?;
        return gzip.finish().map(drop);
    }
    write(&mut out, trace, procs, &notes)
}
