//! Reading what Slurm's commands print.
//!
//! A job's name is its user's to choose, line breaks included, so it is never trusted. `squeue` and `sacct` separate
//! fields by a [`Separator`] that is drawn anew for each run: a name cannot contain it, so that no name can
//! pretend to be another job's line. The name comes last, so that one with line breaks costs nothing but its own
//! further lines. Slurm's job completion file has no such separator: what follows a record that breaks off is left out
//! as far as that record can reach, but a name made with care can add records there that look like any other.
//! [`Listing::remarks`] say so.
//!
//! Lines that Slurm did not print are left out and counted, and the first is reported ([`Odd`]).

use super::tasks::Tasks;
use crate::trace::hostlist;
use crate::trace::values;
use anyhow::{Context, Result, anyhow, bail};
use surefill::runtime::MAX_SECONDS;

/// Between the fields of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separator(String);

impl Separator {
    const DIGITS: usize = 16;

    /// A separator that no user can have known before.
    pub fn drawn() -> Separator {
        use std::hash::{BuildHasher, Hasher};
        // Keyed by the operating system's random numbers.
        let number = std::collections::hash_map::RandomState::new().build_hasher().finish();
        Separator(format!("|{number:016x}|"))
    }

    /// The first in a line.
    fn of(line: &str) -> Option<Separator> {
        line.match_indices('|').find_map(|(at, _)| {
            let found = line.get(at..at + Separator::DIGITS + 2)?;
            let digits = found.strip_prefix('|')?.strip_suffix('|')?;
            let valid = digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
            valid.then(|| Separator(found.to_owned()))
        })
    }

    /// The argument of `sacct --delimiter`.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The format that `squeue` takes: a separator before every field.
    pub fn squeue(&self) -> String {
        SQUEUE_FIELDS.iter().flat_map(|field| [self.text(), field]).collect()
    }
}

/// Fields that `squeue` has to print: the name last because it may hold anything. What was saved before the list of
/// nodes was one of them is read as well.
const SQUEUE_FIELDS: [&str; 21] = [
    "%i", "%u", "%P", "%T", "%D", "%C", "%l", "%M", "%V", "%Q", "%r", "%a", "%S", "%e", "%f", "%n", "%b",
    "%W", "%v", "%N", "%j",
];
const WITHOUT_NODES: usize = SQUEUE_FIELDS.len() - 1;
/// Fields that `sinfo` has to print, with `--Node`. The administrator alone chooses their contents.
pub const SINFO_FORMAT: &str = "%N|%P|%T|%c";
/// Fields that `sacct` has to print, with `--parsable2` and a [`Separator`].
pub const SACCT_FORMAT: &str = "User,Partition,State,Eligible,Start,End,TimelimitRaw,NNodes,NCPUS,JobName";

/// Lines that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Odd {
    /// Number of these lines.
    pub lines: u64,
    /// The number of the first, from 1.
    pub first: u64,
    /// Its fault.
    pub why: String,
}

/// Records that were read.
#[derive(Debug, Clone)]
pub struct Listing<T> {
    /// In the order of the lines, unless said otherwise.
    pub found: Vec<T>,
    /// Lines that were left out.
    pub odd: Option<Odd>,
    /// Sentences on how it was read, and why it may be less trustworthy than it could be.
    pub remarks: Vec<String>,
}

/// The remark on a job completion file.
const FORGEABLE: &str = "in a job completion file whoever submits jobs can write records, by line breaks in their names; sacct has no such gap";

/// Where a job of `squeue` stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Waits.
    Pending,
    /// Runs.
    Running,
    /// Has ended, its nodes are being cleaned up.
    Completing,
    /// Holds nodes and does not run.
    Suspended,
    /// Over, or in a state that holds nothing.
    Other,
}

/// A line of `squeue`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Slurm's name: a number, of array tasks with an underscore and the task's.
    pub id: String,
    /// The owner.
    pub user: String,
    /// The partition; the first of several.
    pub partition: String,
    /// Where it stands.
    pub state: State,
    /// Nodes it holds or wants.
    pub nodes: u32,
    /// Processors it holds or wants.
    pub processors: u32,
    /// Time limit in seconds, [`MAX_SECONDS`] for none.
    pub limit: i64,
    /// Seconds it has run.
    pub used: i64,
    /// When it was submitted.
    pub submit: i64,
    /// Slurm's priority.
    pub priority: i64,
    /// Why it waits.
    pub reason: String,
    /// The account that pays.
    pub account: String,
    /// When it started; of waiting jobs Slurm's estimate, where there is one.
    pub start: Option<i64>,
    /// When it ended.
    pub end: Option<i64>,
    /// Its final state, in Slurm's words.
    pub outcome: String,
    /// Whether it asks for features, nodes by name, generic resources, licences or a reservation: not any free node
    /// will do.
    pub special: bool,
    /// The names of the nodes that it holds; empty where they are not known.
    pub held: Vec<String>,
    /// The waiting tasks of an array that it stands for; none for one job.
    pub tasks: Option<Tasks>,
    /// Its name.
    pub name: String,
}

impl Job {
    /// Whether it has nodes now.
    pub fn holds_nodes(&self) -> bool {
        matches!(self.state, State::Running | State::Completing | State::Suspended)
    }

    /// Number of jobs it stands for.
    pub fn count(&self) -> u32 {
        self.tasks.as_ref().map_or(1, Tasks::count)
    }
}

/// A line of `sinfo --Node`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The node's name.
    pub name: String,
    /// A partition it is in, without the sign of the default one.
    pub partition: String,
    /// Its state, without signs.
    pub state: String,
    /// Its processors.
    pub processors: u32,
}

/// A job that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// The owner.
    pub user: String,
    /// The partition.
    pub partition: String,
    /// Whether it was stopped at its limit.
    pub timed_out: bool,
    /// When it was submitted, or became eligible later (held jobs, those that depend on others).
    pub submit: i64,
    /// When it was started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Time limit in seconds, [`MAX_SECONDS`] for none.
    pub limit: i64,
    /// Nodes it had.
    pub nodes: u32,
    /// Processors it had.
    pub processors: u32,
    /// Its name.
    pub name: String,
}

impl Past {
    /// Its run time in seconds.
    pub fn run_time(&self) -> i64 {
        self.end - self.start
    }
}

/// Seconds since 1970 of "1700000000", or of "2026-11-21T08:30:00" taken as it stands, without a time zone; a date
/// alone is its first second.
pub fn time(text: &str) -> Option<i64> {
    values::time(text).ok().flatten().filter(|seconds| (0..=1 << 40).contains(seconds))
}

fn numbers(text: &str, separator: char) -> Option<Vec<i64>> {
    text.split(separator).map(|part| part.parse().ok().filter(|number| *number >= 0)).collect()
}

/// Seconds of `[days-][hours:]minutes:seconds`, as Slurm prints spans; the largest for none.
pub fn span(text: &str) -> Option<i64> {
    if matches!(text, "UNLIMITED" | "Partition_Limit" | "NOT_SET") {
        return Some(MAX_SECONDS);
    }
    let (days, rest) = text.split_once('-').unwrap_or(("0", text));
    let (days, parts): (i64, _) = (days.parse().ok()?, numbers(rest, ':')?);
    let (hours, minutes, seconds) = match parts.as_slice() {
        [minutes, seconds] => (0, *minutes, *seconds),
        [hours, minutes, seconds] => (*hours, *minutes, *seconds),
        _ => return None,
    };
    let span = days.checked_mul(24)?.checked_add(hours)?.checked_mul(60)?.checked_add(minutes)?;
    span.checked_mul(60)?.checked_add(seconds).map(|span| span.clamp(0, MAX_SECONDS))
}

/// Minutes, as `TimelimitRaw` and the job completion file have them.
fn minutes(text: &str) -> Option<i64> {
    if matches!(text, "UNLIMITED" | "Partition_Limit" | "") {
        return Some(MAX_SECONDS);
    }
    text.parse::<i64>()
        .ok()
        .filter(|minutes| *minutes >= 0)
        .map(|minutes| minutes.saturating_mul(60).min(MAX_SECONDS))
}

fn count(text: &str) -> Option<u32> {
    // squeue prints large numbers as "2K" by default, and ranges of waiting jobs' nodes as "2-4".
    let text = text.split('-').next()?;
    match text.strip_suffix('K') {
        Some(thousands) => Some((thousands.parse::<f64>().ok()? * 1024.0) as u32),
        None => text.parse().ok(),
    }
}

/// The lines that hold something, with what `line` makes of each; those of which it makes nothing are left out.
///
/// # Errors
/// When no line can be read, and there are some.
fn lines<T>(text: &str, source: &str, mut line: impl FnMut(&str) -> Result<Option<T>>) -> Result<Listing<T>> {
    let mut listing = Listing { found: Vec::new(), odd: None, remarks: Vec::new() };
    let mut read = 0_u64;
    for (number, content) in (1..).zip(text.lines()) {
        if content.trim().is_empty() {
            continue;
        }
        match line(content) {
            Ok(made) => {
                read += 1;
                listing.found.extend(made);
            }
            Err(error) => {
                let odd = listing.odd.get_or_insert_with(|| Odd {
                    lines: 0,
                    first: number,
                    why: format!("{error:#}"),
                });
                odd.lines += 1;
            }
        }
    }
    match &listing.odd {
        Some(odd) if read == 0 => bail!("{source}:{}: {}", odd.first, odd.why),
        _ => Ok(listing),
    }
}

/// The separator of the first line that holds something; an error says which commands print one.
fn separator(text: &str, source: &str) -> Result<Option<Separator>> {
    let Some(first) = text.lines().find(|line| !line.trim().is_empty()) else { return Ok(None) };
    let found = Separator::of(first);
    let known = found.with_context(|| {
        format!(
            "{source}: no separator that job names cannot contain: to be saved by the commands that surefill advise \
             --print-commands prints"
        )
    });
    known.map(Some)
}

fn need<T>(value: Option<T>, what: &str, text: &str) -> Result<T> {
    value.with_context(|| format!("{what} cannot be read: \"{text}\""))
}

/// Reads what `squeue` printed in [`Separator::squeue`]'s format.
///
/// # Errors
/// No separator, or no line that can be read.
pub fn squeue(text: &str, source: &str) -> Result<Listing<Job>> {
    let Some(separator) = separator(text, source)? else {
        return Ok(Listing { found: Vec::new(), odd: None, remarks: Vec::new() });
    };
    lines(text, source, |line| {
        let line = line.strip_prefix(separator.text()).context("no line of squeue's own")?;
        let mut fields: Vec<&str> = line.splitn(SQUEUE_FIELDS.len(), separator.text()).collect();
        if fields.len() == WITHOUT_NODES {
            fields.insert(WITHOUT_NODES - 1, "");
        }
        let [
            id,
            user,
            partition,
            state,
            nodes,
            processors,
            limit,
            used,
            submit,
            priority,
            reason,
            account,
            start,
            end,
            features,
            wanted,
            resources,
            licences,
            reservation,
            held,
            name,
        ] = fields[..]
        else {
            bail!("{} fields, not {}", fields.len(), SQUEUE_FIELDS.len());
        };
        let tasks = Tasks::of(id).map_err(|text| anyhow!("the tasks cannot be read: \"{text}\""))?;
        Ok(Some(Job {
            id: id.to_owned(),
            user: user.to_owned(),
            partition: partition.split(',').next().unwrap_or_default().to_owned(),
            state: match state {
                "PENDING" => State::Pending,
                "RUNNING" | "CONFIGURING" | "SIGNALING" | "STAGE_OUT" => State::Running,
                "COMPLETING" => State::Completing,
                "SUSPENDED" | "STOPPED" => State::Suspended,
                _ => State::Other,
            },
            nodes: need(count(nodes), "the number of nodes", nodes)?,
            processors: need(count(processors), "the number of processors", processors)?,
            limit: need(span(limit), "the time limit", limit)?,
            used: if used == "INVALID" { 0 } else { need(span(used), "the time used", used)? },
            submit: need(time(submit), "the submit time", submit)?,
            priority: need(priority.parse().ok(), "the priority", priority)?,
            reason: reason.to_owned(),
            account: account.to_owned(),
            start: time(start),
            end: time(end),
            outcome: state.to_owned(),
            special: [features, wanted, resources, licences, reservation]
                .into_iter()
                .any(|wish| !matches!(wish, "" | "(null)" | "N/A" | "gres:0")),
            held: hostlist::names(held).unwrap_or_default(),
            tasks,
            name: name.to_owned(),
        }))
    })
}

/// A state of `sinfo` without its sign. Signs of nodes that take no job now (silent, reserved for maintenance,
/// rebooting, powering down) make of one that may have jobs one that is drained, of others one that is down. The other
/// signs (powered down or up to come) change nothing.
fn served(state: &str) -> &str {
    let bare = state.trim_end_matches(|sign: char| !sign.is_ascii_alphanumeric());
    match (state.ends_with(['*', '$', '@', '^', '!', '%']), bare) {
        (false, _) => bare,
        (true, "allocated" | "alloc" | "mixed" | "mix" | "completing" | "comp" | "draining" | "drng") => {
            "draining"
        }
        (true, _) => "down",
    }
}

/// Reads what `sinfo --Node` printed in [`SINFO_FORMAT`].
///
/// # Errors
/// When no line can be read.
pub fn sinfo(text: &str, source: &str) -> Result<Listing<Node>> {
    lines(text, source, |line| {
        let fields: Vec<&str> = line.split('|').collect();
        let [name, partition, state, processors] = fields[..] else {
            bail!("{} fields, not those of {SINFO_FORMAT}", fields.len());
        };
        Ok(Some(Node {
            name: name.to_owned(),
            partition: partition.trim_end_matches('*').to_owned(),
            state: served(state).to_owned(),
            processors: need(count(processors), "the number of processors", processors)?,
        }))
    })
}

/// Whether [`past`] reads a text that begins so; also one that holds nothing.
pub fn is_own(start: &str) -> bool {
    let first = start.lines().find(|line| !line.trim().is_empty());
    first.is_none_or(|line| line.trim_start().starts_with(COMPLETION) || Separator::of(line).is_some())
}

/// A record of the job completion file begins so.
const COMPLETION: &str = "JobId=";

/// Reads ended jobs: what `sacct --parsable2` printed in [`SACCT_FORMAT`] with a [`Separator`], or Slurm's job
/// completion file (jobcomp/filetxt). Jobs that never started, are not over, or whose node failed are left out; the
/// others come in the order of their ends.
///
/// # Errors
/// No separator, or no line that can be read.
pub fn past(text: &str, source: &str) -> Result<Listing<Past>> {
    let mut all = if text.trim_start().starts_with(COMPLETION) {
        completions(text, source)?
    } else {
        let Some(separator) = separator(text, source)? else {
            return Ok(Listing { found: Vec::new(), odd: None, remarks: Vec::new() });
        };
        lines(text, source, |line| accounted(line, &separator))?
    };
    all.found.sort_by_key(|job| job.end);
    Ok(all)
}

/// Bytes of a name and a working directory, the free texts of a record, and of all else in one: Slurm takes names of
/// 1,024 bytes and paths of 4,096.
const LONGEST_RECORD: usize = 16_384;

/// The job completion file. A record that breaks off has a line break in its name or path, and its further lines are
/// its user's text: lines that begin where that record could still go on are left out.
fn completions(text: &str, source: &str) -> Result<Listing<Past>> {
    let start = text.as_ptr() as usize;
    let mut doubtful = 0;
    lines(text, source, |line| {
        let at = line.as_ptr() as usize - start;
        if at < doubtful {
            bail!("may belong to a record before it, which has a line break in a name");
        }
        completion(line).inspect_err(|_| doubtful = at + LONGEST_RECORD)
    })
    .map(|listing| Listing { remarks: vec![format!("{source}: {FORGEABLE}")], ..listing })
}

/// Whether the job ended of itself, by its limit or by its user's will.
pub fn ended(state: &str) -> bool {
    // "CANCELLED by 1000"
    let state = state.split(' ').next().unwrap_or_default();
    matches!(state, "COMPLETED" | "FAILED" | "TIMEOUT" | "CANCELLED" | "OUT_OF_MEMORY" | "DEADLINE")
}

fn unknown(time: &str) -> bool {
    matches!(time, "Unknown" | "None" | "" | "N/A")
}

fn accounted(line: &str, separator: &Separator) -> Result<Option<Past>> {
    let fields: Vec<&str> = line.splitn(10, separator.text()).collect();
    let [user, partition, state, submit, start, end, limit, nodes, processors, name] = fields[..] else {
        bail!("{} fields, not those of {SACCT_FORMAT}", fields.len());
    };
    if !ended(state) || unknown(start) || unknown(end) || unknown(submit) {
        return Ok(None);
    }
    let (start, end) = (need(time(start), "the start", start)?, need(time(end), "the end", end)?);
    let submit = need(time(submit), "the eligible time", submit)?;
    let job = Past {
        user: user.to_owned(),
        partition: partition.to_owned(),
        timed_out: state.starts_with("TIMEOUT"),
        submit,
        start,
        end,
        limit: need(minutes(limit), "the time limit", limit)?,
        nodes: need(count(nodes), "the number of nodes", nodes)?,
        processors: need(count(processors), "the number of processors", processors)?,
        name: name.to_owned(),
    };
    Ok((submit <= start && start <= end).then_some(job))
}

/// A line of the job completion file: words "Key=value", each key once, from the number to the exit code.
fn completion(line: &str) -> Result<Option<Past>> {
    let field = |name: &str| {
        let mut all = line.split(' ').filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        match (all.next(), all.next()) {
            (Some(value), None) => Ok(value),
            (None, _) => bail!("no {name}"),
            (Some(_), Some(_)) => bail!("{name} twice"),
        }
    };
    if !line.starts_with(COMPLETION) {
        bail!("no JobId");
    }
    field("ExitCode")?;
    let (state, start, end) = (field("JobState")?, field("StartTime")?, field("EndTime")?);
    if !ended(state) || unknown(start) || unknown(end) || field("NodeCnt")? == "0" {
        return Ok(None);
    }
    let (eligible, limit) = (field("EligibleTime")?, field("TimeLimit")?);
    let submit = if unknown(eligible) { field("SubmitTime")? } else { eligible };
    let (nodes, processors) = (field("NodeCnt")?, field("ProcCnt")?);
    // "games(5)"
    let user = field("UserId")?.split('(').next().unwrap_or_default().to_owned();
    let job = Past {
        user,
        partition: field("Partition")?.to_owned(),
        timed_out: state == "TIMEOUT",
        submit: need(time(submit), "the submit time", submit)?,
        start: need(time(start), "the start", start)?,
        end: need(time(end), "the end", end)?,
        limit: need(minutes(limit), "the time limit", limit)?,
        nodes: need(count(nodes), "the number of nodes", nodes)?,
        processors: need(count(processors), "the number of processors", processors)?,
        name: field("Name")?.to_owned(),
    };
    // Jobs cancelled while they waited have a start that is their end.
    Ok((job.submit <= job.start && job.start <= job.end).then_some(job))
}
