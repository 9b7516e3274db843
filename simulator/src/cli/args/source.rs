//! Traces and histories as arguments: any format, compressed or not, `-` for standard input; and what is said of what
//! is wrong with them.

use super::file;
use crate::cli::Failure;
use crate::trace::format::{self, Format};
use crate::trace::source;
use crate::trace::swf::{Problem, Strictness, Trace};
use crate::trace::text::printable;
use clap::Args;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How the files of traces are read.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Trace")]
pub struct Source {
    /// The format of the traces [default: recognised by content]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
}

impl Source {
    /// Reads a trace and says on standard error what is wrong with it.
    ///
    /// # Errors
    /// Those of [`format::open`]; standard input a second time.
    pub fn read(&self, path: &Path, strict: bool) -> Result<Trace, Failure> {
        self.read_sized(path, strict, None)
    }

    /// [`Source::read`] where the user has said how many processors the machine has, or not.
    ///
    /// # Errors
    /// Its.
    pub fn read_sized(&self, path: &Path, strict: bool, procs: Option<u32>) -> Result<Trace, Failure> {
        let trace = self.open(path, strict)?;
        complain(&trace);
        if procs.is_none() {
            guess(&trace);
        }
        Ok(trace)
    }

    /// [`Source::read`] without a word.
    ///
    /// # Errors
    /// Those of [`format::open`]; standard input a second time.
    pub fn open(&self, path: &Path, strict: bool) -> Result<Trace, Failure> {
        static TAKEN: AtomicBool = AtomicBool::new(false);
        if path == Path::new("-") && TAKEN.swap(true, Ordering::Relaxed) {
            return Err(Failure::Usage("standard input (-) can be read once only".to_owned()));
        }
        file::reads(path).map_err(|error| Failure::Usage(format!("{error:#}")))?;
        let strictness = if strict { Strictness::Strict } else { Strictness::Lenient };
        Ok(format::open(path, self.format, strictness)?)
    }
}

/// Says on standard error what is wrong with a trace: every reason once, with its count and first line.
pub fn complain(trace: &Trace) {
    for sentence in complaints(&trace.name, &trace.problems) {
        eprintln!("warning: {sentence}");
    }
}

/// Says on standard error what the machine's size is a guess from, where nobody says it.
pub fn guess(trace: &Trace) {
    if trace.size_from_use
        && let Some(most) = trace.header.max_procs
    {
        eprintln!(
            "note: {}: accounting does not say how large the machine is: {most} processors were in use at once, or asked for, \
             at most; if it has more, say so with --procs where the verb takes it",
            printable(&trace.name)
        );
    }
}

/// A sentence for every reason why lines were left out.
pub fn complaints(name: &str, problems: &[Problem]) -> Vec<String> {
    let mut kinds: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for (index, problem) in problems.iter().enumerate() {
        kinds.entry(problem.reason.kind()).or_insert((0, index)).0 += 1;
    }
    let mut kinds: Vec<(u64, usize)> = kinds.into_values().collect();
    kinds.sort_unstable_by_key(|&(count, first)| (std::cmp::Reverse(count), first));
    let sentence = |(count, first): (u64, usize)| {
        let Problem { line, reason } = problems.get(first)?;
        Some(match count {
            1 => format!("{name}:{line}: {reason} (left out)"),
            _ => format!("{name}: {count} lines left out for one reason, first line {line}: {reason}"),
        })
    };
    kinds.into_iter().filter_map(sentence).collect()
}

/// A trace's name without its folder.
pub fn file_name(path: &Path) -> String {
    if path == Path::new("-") {
        return source::name(path);
    }
    printable(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()).into_owned()
}
