//! Shards: a study of many independent cells cut in parts that a cluster runs as a job array, and put together again.
//!
//! A cell is the smallest part that is computed by itself: one replay of a comparison, one trace of other studies.
//! Shard `I/N` has every N-th cell from the I-th on. It prints its cells, beside what was asked for: the verb, its
//! options and the traces, recognised by their contents. To put shards together the verb is run again with these
//! options, and finds the cells instead of computing them: what it prints is what it would have printed unsharded.

use super::Failure;
use super::args::file;
use super::options::file_name;
use crate::trace::nodes::Machine;
use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Kind of a shard's JSON.
const KIND: &str = "surefill shard";

/// The options that do not decide what is computed.
const SHOWN: [&str; 10] =
    ["shard", "json", "markdown", "csv", "table", "html", "quiet", "progress", "most_p99", "most_longest"];

/// Missing cells are looked at up to this one for the message.
const MOST_LOOKED_AT: usize = 100_000;

/// Which shard of how many, from 1.
pub type Numbers = (usize, usize);

/// The value of `--shard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shard {
    /// This one.
    Given(Numbers),
    /// The task of a Slurm job array that this process is.
    Array,
}

/// Reads `--shard`.
///
/// # Errors
/// A message.
pub fn shard(text: &str) -> Result<Shard, String> {
    if text == "array" {
        return Ok(Shard::Array);
    }
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let given = parts.filter(|&(i, n)| 1 <= i && i <= n).map(Shard::Given);
    given.ok_or_else(|| "neither I/N with 1 <= I <= N nor array".to_owned())
}

impl Shard {
    /// Its numbers.
    ///
    /// # Errors
    /// [`Failure::Usage`] outside of a job array.
    pub fn numbers(self) -> Result<Numbers, Failure> {
        match self {
            Shard::Given(numbers) => Ok(numbers),
            Shard::Array => slurm()?.ok_or_else(|| {
                Failure::Usage(
                    "--shard array: SLURM_ARRAY_TASK_ID is not set, this is no job array".to_owned(),
                )
            }),
        }
    }
}

/// The shard that Slurm says this is.
fn slurm() -> Result<Option<Numbers>, Failure> {
    let number = |name: &str| -> Result<Option<usize>, Failure> {
        let Ok(text) = env::var(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| Failure::Usage(format!("{name} is no number: {text}")))
    };
    let Some(id) = number("SLURM_ARRAY_TASK_ID")? else { return Ok(None) };
    let Some(count) = number("SLURM_ARRAY_TASK_COUNT")? else {
        // Every task would do all of it.
        return Err(Failure::Usage("SLURM_ARRAY_TASK_COUNT is not set: give --shard I/N".to_owned()));
    };
    let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(usize::from(id > 0));
    let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
    let index = id.checked_sub(first).map(|offset| offset / step + 1);
    match index.filter(|&index| index <= count) {
        Some(index) => Ok(Some((index, count))),
        None => Err(Failure::Usage(format!("task {id} is none of {count} from {first}"))),
    }
}

/// The options of a verb that decide what it computes, as they can be typed again: in the order of `--help`.
pub fn deciding(command: &clap::Command, matches: &clap::ArgMatches) -> Vec<String> {
    let typed = matches.subcommand().and_then(|(verb, given)| Some((command.find_subcommand(verb)?, given)));
    let Some((verb, given)) = typed else { return Vec::new() };
    let mut all = Vec::new();
    for argument in verb.get_arguments().filter(|argument| !SHOWN.contains(&argument.get_id().as_str())) {
        let id = argument.get_id().as_str();
        let Some(long) = argument.get_long().filter(|_| given.try_contains_id(id).unwrap_or(false)) else {
            continue;
        };
        if given.value_source(id) != Some(clap::parser::ValueSource::CommandLine) {
            continue;
        }
        // A machine is what it says, not the name of a file that says other things elsewhere.
        if let Ok(Some(machine)) = given.try_get_one::<Machine>(id) {
            all.push(format!("--{long}={machine}"));
            continue;
        }
        let values = given.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
        if argument.get_action().takes_values() {
            all.extend(values.map(|value| format!("--{long}={value}")));
        } else {
            all.push(format!("--{long}"));
        }
    }
    all
}

/// A trace, by name and contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Input {
    name: String,
    blake3: String,
}

impl Input {
    fn of(path: &Path) -> Result<Input, Failure> {
        if path == Path::new("-") {
            return Err(Failure::Usage(
                "--shard reads traces from files, not from standard input".to_owned(),
            ));
        }
        file::reads(path).map_err(|error| Failure::Usage(format!("{error:#}")))?;
        let hash = || -> io::Result<blake3::Hash> {
            let (mut file, mut hasher) = (File::open(path)?, blake3::Hasher::new());
            let mut part = vec![0; 1 << 16];
            loop {
                match file.read(&mut part)? {
                    0 => return Ok(hasher.finalize()),
                    count => hasher.update(part.get(..count).unwrap_or(&part)),
                };
            }
        };
        let hash = hash().with_context(|| path.display().to_string())?;
        Ok(Input { name: file_name(path), blake3: hash.to_hex().to_string() })
    }
}

/// A shard's output.
#[derive(Debug, Serialize, Deserialize)]
pub struct Printed {
    kind: String,
    /// The version that made it.
    surefill: String,
    verb: String,
    options: Vec<String>,
    traces: Vec<Input>,
    /// Which shard of how many, from 1.
    shard: Numbers,
    /// Number of cells of all shards together.
    of_cells: usize,
    /// Its cells, by number.
    cells: Vec<(usize, Box<RawValue>)>,
}

/// Why shards are not of one run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Another version printed it.
    #[error("{0}: printed by surefill {1}, this is surefill {version}", version = env!("CARGO_PKG_VERSION"))]
    Version(String, String),
    /// Its verb is none of those that are merged.
    #[error("{0}: shards of {1} are not merged here")]
    Verb(String, String),
    /// Its verb is another one than the first shard's.
    #[error("{0}: a shard of {1}, but {2} is one of {3}")]
    Mixed(String, String, String, String),
    /// The options differ.
    #[error("{0}: made with other options than {1}: {2}")]
    Options(String, String, String),
    /// The traces differ.
    #[error("{0}: made of other traces than {1}: {2}")]
    Traces(String, String, String),
    /// An option that does not decide what is computed.
    #[error("{0}: {1} is no option of a shard")]
    Option(String, String),
    /// Its number is out of range.
    #[error("{0}: {1} of {2} is no shard")]
    Number(String, usize, usize),
    /// A cell has no place in the run.
    #[error("{0}: cell {1} does not belong to this run, which has {2}")]
    Foreign(String, usize, usize),
    /// The same shard is there twice.
    #[error("{0}: the same shard as {1}: {2} of {3}")]
    Shard(String, String, usize, usize),
    /// A cell is there twice.
    #[error("{0}: cell {1} is in {2} already")]
    Twice(String, usize, String),
    /// Cells are missing.
    #[error("{0} of {1} cells are missing: {2}")]
    Missing(usize, usize, String),
    /// No trace is whole.
    #[error("no trace has all of its cells")]
    Nothing,
}

/// Whether a shard may name this option: one that decides what is computed, not where anything is written.
fn decides(option: &str) -> bool {
    let name = option.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or(rest));
    name.is_some_and(|name| !name.is_empty() && !SHOWN.contains(&&*name.replace('-', "_")))
}

/// The first option that one run has and the other has not.
fn difference(own: &[String], first: &[String]) -> String {
    let only = |a: &[String], b: &[String]| a.iter().find(|option| !b.contains(option)).cloned();
    match (only(own, first), only(first, own)) {
        (Some(here), Some(there)) => format!("{here}, not {there}"),
        (Some(here), None) => here,
        (None, Some(there)) => format!("without {there}"),
        (None, None) => "in another order, or more than once".to_owned(),
    }
}

/// The first trace that differs.
fn other_trace(own: &[Input], first: &[Input]) -> String {
    match own.iter().zip(first).find(|(own, first)| own != first) {
        Some((own, first)) if own.name == first.name => format!("{} has other contents", own.name),
        Some((own, first)) => format!("{}, not {}", own.name, first.name),
        None => format!("{} of them, not {}", own.len(), first.len()),
    }
}

/// The cells of a run that was cut in shards.
#[derive(Debug)]
pub struct Found {
    traces: Vec<Input>,
    of_cells: usize,
    cells: BTreeMap<usize, Box<RawValue>>,
}

/// A run put together: the verb and its arguments, the traces' names last, and its cells.
fn gather(
    shards: Vec<(String, Printed)>,
    verbs: &[&str],
    partial: bool,
) -> Result<(String, Vec<String>, Vec<String>, Found), MergeError> {
    let mut shards = shards.into_iter();
    let (first_name, first) = shards.next().ok_or(MergeError::Nothing)?;
    let Printed { verb, options, traces, of_cells, shard: (_, count), .. } = &first;
    let (verb, options, traces, of_cells, count) =
        (verb.clone(), options.clone(), traces.clone(), *of_cells, *count);
    let mut cells: BTreeMap<usize, (String, Box<RawValue>)> = BTreeMap::new();
    let mut seen: BTreeMap<Numbers, String> = BTreeMap::new();
    for (name, own) in std::iter::once((first_name.clone(), first)).chain(shards) {
        if own.surefill != env!("CARGO_PKG_VERSION") {
            return Err(MergeError::Version(name, own.surefill));
        }
        if !verbs.contains(&own.verb.as_str()) {
            return Err(MergeError::Verb(name, own.verb));
        }
        if own.verb != verb {
            return Err(MergeError::Mixed(name, own.verb, first_name, verb));
        }
        if let Some(option) = own.options.iter().find(|option| !decides(option)) {
            return Err(MergeError::Option(name, option.clone()));
        }
        let (number, of) = own.shard;
        if number == 0 || number > of {
            return Err(MergeError::Number(name, number, of));
        }
        if own.options != options {
            let why = difference(&own.options, &options);
            return Err(MergeError::Options(name, first_name, why));
        }
        if own.traces != traces {
            let why = other_trace(&own.traces, &traces);
            return Err(MergeError::Traces(name, first_name, why));
        }
        if let Some(before) = seen.insert(own.shard, name.clone()) {
            return Err(MergeError::Shard(name, before, own.shard.0, own.shard.1));
        }
        for (index, cell) in own.cells {
            if index >= of_cells || own.of_cells != of_cells {
                return Err(MergeError::Foreign(name, index, of_cells));
            }
            if let Some((before, _)) = cells.insert(index, (name.clone(), cell)) {
                return Err(MergeError::Twice(name, index, before));
            }
        }
    }
    // Every cell that there is has a number below that of all.
    let missing = of_cells - cells.len();
    if missing > 0 && !partial {
        // Enough to name some, however many a damaged file says there are.
        let first: Vec<usize> =
            (0..of_cells).filter(|index| !cells.contains_key(index)).take(MOST_LOOKED_AT).collect();
        let one_cut = seen.keys().all(|(_, of)| *of == count);
        return Err(MergeError::Missing(missing, of_cells, absent(&first, one_cut.then_some(count))));
    }
    let names = traces.iter().map(|trace| trace.name.clone()).collect();
    let cells = cells.into_iter().map(|(index, (_, cell))| (index, cell)).collect();
    Ok((verb, options, names, Found { traces, of_cells, cells }))
}

/// A file with a shard.
fn read(path: &Path) -> anyhow::Result<(String, Printed)> {
    #[derive(Deserialize)]
    struct Kind {
        kind: String,
    }
    let name = path.display().to_string();
    let read = || {
        let text = std::fs::read_to_string(path)?;
        let Kind { kind } = serde_json::from_str(&text)?;
        anyhow::ensure!(kind == KIND, "'{kind}' is no kind of shard");
        Ok(serde_json::from_str(&text)?)
    };
    read().with_context(|| name.clone()).map(|shard| (name, shard))
}

/// The arguments that run a verb again, one of `verbs`, with the cells in its shards' files: the program's name, the
/// verb, its options, the flags that there are for this verb, the traces.
///
/// # Errors
/// A file that holds no shard, [`MergeError`], those of `flags`.
pub fn merged(
    program: &str,
    files: &[PathBuf],
    verbs: &[&str],
    partial: bool,
    flags: impl FnOnce(&str) -> Result<Vec<String>, Failure>,
) -> Result<(Vec<OsString>, Found), Failure> {
    let shards = files.iter().map(|path| read(path)).collect::<anyhow::Result<_>>()?;
    let (verb, options, traces, found) = gather(shards, verbs, partial)?;
    let flags = flags(&verb)?;
    let words = [program.to_owned(), verb].into_iter().chain(options).chain(flags);
    let words = words.chain(["--".to_owned()]).chain(traces);
    Ok((words.map(Into::into).collect(), found))
}

/// Which shards are missing, where all were cut alike, else which cells.
fn absent(missing: &[usize], count: Option<usize>) -> String {
    let list = |numbers: Vec<usize>| {
        let more = if numbers.len() > 8 { ", ..." } else { "" };
        numbers.iter().take(8).map(usize::to_string).collect::<Vec<_>>().join(", ") + more
    };
    match count {
        Some(count) => {
            let mut shards: Vec<usize> = missing.iter().map(|index| index % count + 1).collect();
            shards.sort_unstable();
            shards.dedup();
            format!("those of shard {} of {count}", list(shards))
        }
        None => format!("number {}", list(missing.to_vec())),
    }
}

/// An invocation of a verb, beside the verb's own options.
#[derive(Debug, Default)]
pub struct Invocation {
    /// The options that decide what it computes.
    pub options: Vec<String>,
    /// Cells that shards have computed.
    pub found: Option<Found>,
}

/// Where the cells of a run come from.
#[derive(Debug)]
enum Origin {
    /// All are computed.
    Whole,
    /// Those of a shard are computed, and printed.
    Shard(Numbers, Vec<Input>, Vec<(usize, Box<RawValue>)>),
    /// They are found in the shards.
    Found(Found),
}

/// The cells of a study, in their order: computed, or found in shards, as far as they are there; `name` is a cell's in
/// warnings. None where this is a shard, which has been printed.
///
/// # Errors
/// Those of `compute`, which is given the numbers of the cells that are to be computed; those of [`Cells`].
pub fn of_study<C: Serialize + DeserializeOwned>(
    verb: &'static str,
    shard: Option<Shard>,
    invocation: Invocation,
    traces: &[PathBuf],
    of_cells: usize,
    name: impl Fn(usize) -> String,
    compute: impl FnOnce(&[usize]) -> Result<Vec<C>, Failure>,
) -> Result<Option<Vec<C>>, Failure> {
    let mut cells = Cells::new(verb, shard, invocation, traces, of_cells)?;
    let mut all = Vec::new();
    let mut mine = Vec::new();
    for index in 0..of_cells {
        match cells.found(&name(index), index..index + 1)? {
            Some(found) => all.extend(found),
            None if cells.computes(index) => mine.push(index),
            None => {}
        }
    }
    if !mine.is_empty() {
        all = compute(&mine)?;
    }
    if cells.shows() {
        return if all.is_empty() {
            Err(anyhow::Error::new(MergeError::Nothing).into())
        } else {
            Ok(Some(all))
        };
    }
    mine.iter().zip(&all).try_for_each(|(&index, cell)| cells.computed(index, cell))?;
    cells.print()?;
    Ok(None)
}

/// [`of_study`] of a study that has one cell a trace: `compute` is given the traces.
///
/// # Errors
/// As [`of_study`].
pub fn of_traces<C: Serialize + DeserializeOwned>(
    verb: &'static str,
    shard: Option<Shard>,
    invocation: Invocation,
    traces: &[PathBuf],
    compute: impl FnOnce(&[PathBuf]) -> Result<Vec<C>, Failure>,
) -> Result<Option<Vec<C>>, Failure> {
    let path = |index: usize| traces.get(index).cloned().unwrap_or_default();
    let compute = |mine: &[usize]| compute(&mine.iter().map(|&index| path(index)).collect::<Vec<_>>());
    let name = |index| file_name(&path(index));
    of_study(verb, shard, invocation, traces, traces.len(), name, compute)
}

/// The cells of a run.
#[derive(Debug)]
pub struct Cells {
    verb: &'static str,
    options: Vec<String>,
    of_cells: usize,
    origin: Origin,
}

impl Cells {
    /// The cells of a verb's run on these traces.
    ///
    /// # Errors
    /// A trace that cannot be read, shards that are not of this run.
    pub fn new(
        verb: &'static str,
        shard: Option<Shard>,
        invocation: Invocation,
        traces: &[PathBuf],
        of_cells: usize,
    ) -> Result<Cells, Failure> {
        let origin = match (invocation.found, shard) {
            (Some(found), _) => {
                if found.traces.len() != traces.len() || found.of_cells != of_cells {
                    return Err(anyhow::anyhow!("the shards' cells are not those of their options").into());
                }
                Origin::Found(found)
            }
            (None, Some(shard)) => {
                let inputs = traces.iter().map(|path| Input::of(path)).collect::<Result<_, Failure>>()?;
                Origin::Shard(shard.numbers()?, inputs, Vec::new())
            }
            (None, None) => Origin::Whole,
        };
        Ok(Cells { verb, options: invocation.options, of_cells, origin })
    }

    /// Whether a cell is computed here.
    pub fn computes(&self, index: usize) -> bool {
        match &self.origin {
            Origin::Whole => true,
            Origin::Shard((shard, count), ..) => index % count == shard - 1,
            Origin::Found(_) => false,
        }
    }

    /// Whether there is more to do than to compute and print cells.
    pub fn shows(&self) -> bool {
        !matches!(self.origin, Origin::Shard(..))
    }

    /// The cells of one trace that have been found, for a run put together; empty where any is missing.
    ///
    /// # Errors
    /// A text that is no cell.
    pub fn found<C: DeserializeOwned>(
        &mut self,
        name: &str,
        range: Range<usize>,
    ) -> Result<Option<Vec<C>>, Failure> {
        let Origin::Found(found) = &mut self.origin else { return Ok(None) };
        let texts: Vec<(usize, Option<Box<RawValue>>)> =
            range.map(|index| (index, found.cells.remove(&index))).collect();
        let missing = texts.iter().filter(|(_, text)| text.is_none()).count();
        if missing > 0 {
            eprintln!("warning: {name} is left out: {missing} of {} cells are missing", texts.len());
            return Ok(Some(Vec::new()));
        }
        let cell = |(index, text): (usize, Option<Box<RawValue>>)| {
            let text = text.as_deref().map_or("", RawValue::get);
            serde_json::from_str(text).with_context(|| format!("{name}, cell {index}"))
        };
        Ok(Some(texts.into_iter().map(cell).collect::<anyhow::Result<_>>()?))
    }

    /// Notes a cell that has been computed.
    ///
    /// # Errors
    /// A cell that cannot be JSON.
    pub fn computed<C: Serialize>(&mut self, index: usize, cell: &C) -> Result<(), Failure> {
        if let Origin::Shard(.., cells) = &mut self.origin {
            cells.push((index, to_raw_value(cell)?));
        }
        Ok(())
    }

    /// Prints the shard.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(self) -> Result<(), Failure> {
        let Origin::Shard(shard, traces, cells) = self.origin else { return Ok(()) };
        let printed = Printed {
            kind: KIND.to_owned(),
            surefill: env!("CARGO_PKG_VERSION").to_owned(),
            verb: self.verb.to_owned(),
            options: self.options,
            traces,
            shard,
            of_cells: self.of_cells,
            cells,
        };
        let mut out = io::BufWriter::new(io::stdout().lock());
        serde_json::to_writer(&mut out, &printed)?;
        writeln!(out)?;
        Ok(out.flush()?)
    }
}

#[cfg(test)]
mod tests;
