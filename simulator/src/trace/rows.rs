//! Tables with named columns: what `sacct --parsable2` and `squeue` print, CSV, and JSON lines (whose keys are the
//! names).
//!
//! Columns are found by their names, in any order; capitals, blanks, `_` and `-` in them do not matter. Others are
//! passed over. Where there are several of one kind, the first of this list counts:
//!
//! | | names | what |
//! |---|---|---|
//! | required | `Submit`, `submit_time` | when it was submitted: seconds of any clock, or a date |
//! | | `Eligible`, `eligible_time` | when nothing but the queue held it back any more |
//! | | `Start`, `start_time`; `wait`, `wait_time` (a span) | when it started |
//! | | `End`, `end_time`; `ElapsedRaw`, `Elapsed`, `run_time` (a span) | when it ended |
//! | | `JobID`, `job_id`, `number`, `id`; `JobIDRaw` | its name, and its number beside that |
//! | | `TimelimitRaw`, `Timelimit`, `time_limit` (a bare number is minutes, as in Slurm); `requested_time`, `limit` (seconds) | its limit |
//! | | `AllocCPUS`, `NCPUS`, `CPUS`, `processors`, `used_processors` | processors it held |
//! | | `ReqCPUS`, `requested_processors` | processors it asked for |
//! | | `NNodes`, `AllocNodes`, `nodes` | nodes, for sizes of memory |
//! | | `ReqMem` (`4Gc`: a processor, `16Gn`: a node, `64G`: the job), `requested_memory`, `used_memory` (KB a processor) | memory |
//! | | `MaxRSS`, `NTasks` | of steps: the memory their job used |
//! | | `TotalCPU` (a span, of all processors); `cpu_time` (seconds a processor) | processor time |
//! | | `State`, `ST`, `status` | `COMPLETED`, `FAILED`, `CANCELLED by 7`, `PENDING`, ...; or 1, 0, 5 as in SWF |
//! | | `User`, `user_name`, `UID`; `Account`, `Group`, `project`; `JobName`, `name`, `executable` | who, and what |
//! | | `Partition`, `Queue` | where |
//!
//! Job steps (`17.batch`, `17.0`) are no jobs.

use super::collect::{Collector, RawJob};
use super::lines::lines;
use super::record::{BadColumns, Dropped, Error, Reason};
use super::source::Text;
use super::values::{self, Bare, Each};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Fields between `|`, as `sacct --parsable2` prints them.
    Bars,
    /// Fields between commas, semicolons or tabs.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

/// What a column can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Id,
    Number,
    Submit,
    Eligible,
    Start,
    Wait,
    End,
    RunTime,
    LimitMinutesOnly,
    LimitMinutes,
    LimitSeconds,
    Used,
    Requested,
    Nodes,
    RequestedMemory,
    RequestedMemoryEach,
    UsedMemoryEach,
    StepMemory,
    Tasks,
    TotalCpu,
    CpuTimeEach,
    State,
    User,
    Account,
    Group,
    Program,
    Partition,
    Queue,
}

const ROLES: usize = 28;

/// Names of columns, without capitals, blanks, `_` and `-`; of one role the earlier count.
const NAMES: [(&str, Role); 78] = [
    ("submit", Role::Submit),
    ("submittime", Role::Submit),
    ("submissiontime", Role::Submit),
    ("submitted", Role::Submit),
    ("eligible", Role::Eligible),
    ("eligibletime", Role::Eligible),
    ("start", Role::Start),
    ("starttime", Role::Start),
    ("started", Role::Start),
    ("wait", Role::Wait),
    ("waittime", Role::Wait),
    ("end", Role::End),
    ("endtime", Role::End),
    ("ended", Role::End),
    ("finishtime", Role::End),
    ("elapsedraw", Role::RunTime),
    ("elapsed", Role::RunTime),
    ("runtime", Role::RunTime),
    ("duration", Role::RunTime),
    ("jobid", Role::Id),
    ("id", Role::Id),
    ("job", Role::Id),
    ("number", Role::Id),
    ("jobnumber", Role::Id),
    ("jobidraw", Role::Number),
    ("timelimitraw", Role::LimitMinutesOnly),
    ("timelimit", Role::LimitMinutes),
    ("requestedtime", Role::LimitSeconds),
    ("limit", Role::LimitSeconds),
    ("walltime", Role::LimitSeconds),
    ("requestedwalltime", Role::LimitSeconds),
    ("reqtime", Role::LimitSeconds),
    ("runlimit", Role::LimitSeconds),
    ("alloccpus", Role::Used),
    ("ncpus", Role::Used),
    ("cpus", Role::Used),
    ("usedprocessors", Role::Used),
    ("processors", Role::Used),
    ("procs", Role::Used),
    ("cores", Role::Used),
    ("allocatedprocessors", Role::Used),
    ("reqcpus", Role::Requested),
    ("requestedprocessors", Role::Requested),
    ("requestedcpus", Role::Requested),
    ("reqprocs", Role::Requested),
    ("nnodes", Role::Nodes),
    ("allocnodes", Role::Nodes),
    ("nodes", Role::Nodes),
    ("reqnodes", Role::Nodes),
    ("reqmem", Role::RequestedMemory),
    ("requestedmemory", Role::RequestedMemoryEach),
    ("usedmemory", Role::UsedMemoryEach),
    ("maxrss", Role::StepMemory),
    ("ntasks", Role::Tasks),
    ("totalcpu", Role::TotalCpu),
    ("cputime", Role::CpuTimeEach),
    ("state", Role::State),
    ("st", Role::State),
    ("status", Role::State),
    ("jobstate", Role::State),
    ("user", Role::User),
    ("username", Role::User),
    ("uid", Role::User),
    ("userid", Role::User),
    ("owner", Role::User),
    ("account", Role::Account),
    ("project", Role::Account),
    ("group", Role::Group),
    ("groupname", Role::Group),
    ("gid", Role::Group),
    ("groupid", Role::Group),
    ("jobname", Role::Program),
    ("name", Role::Program),
    ("executable", Role::Program),
    ("partition", Role::Partition),
    ("queue", Role::Queue),
    ("queuename", Role::Queue),
    ("class", Role::Queue),
];

/// A name of a column as [`NAMES`] writes it.
fn plain(title: &str) -> String {
    title
        .chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-' | '\t' | '"'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// A row's cells by their roles; those that are not there are empty.
pub(crate) struct Row<'a> {
    cells: [&'a str; ROLES],
}

impl<'a> Row<'a> {
    pub(crate) fn get(&self, role: Role) -> &'a str {
        self.cells.get(role as usize).copied().unwrap_or("")
    }

    fn set(&mut self, role: Role, cell: &'a str) {
        if let Some(place) = self.cells.get_mut(role as usize) {
            *place = cell;
        }
    }
}

/// Which column has which role.
#[derive(Debug)]
pub(crate) struct Columns {
    roles: Vec<Option<Role>>,
    /// As they stand, for messages.
    titles: String,
}

impl Columns {
    /// # Errors
    /// [`BadColumns`].
    pub(crate) fn new(titles: &[&str]) -> Result<Columns, BadColumns> {
        let names: Vec<String> = titles.iter().map(|title| plain(title)).collect();
        let mut seen = HashMap::new();
        for (name, title) in names.iter().zip(titles) {
            if !name.is_empty() && seen.insert(name, ()).is_some() {
                return Err(BadColumns::Doubled(super::text::excerpt(title.trim().as_bytes(), 40)));
            }
        }
        let mut roles = vec![None; titles.len()];
        let mut taken = Vec::new();
        for (name, role) in NAMES {
            if let Some(place) = names.iter().position(|title| title == name)
                && !taken.contains(&role)
                && let Some(slot) = roles.get_mut(place)
            {
                *slot = Some(role);
                taken.push(role);
            }
        }
        let titles = super::text::excerpt(titles.join("|").trim().as_bytes(), 200);
        let columns = Columns { roles, titles };
        columns.need("Submit", &[Role::Submit])?;
        Ok(columns)
    }

    /// Refuses a table without a column of one of these roles.
    ///
    /// # Errors
    /// [`BadColumns::Missing`].
    pub(crate) fn need(&self, name: &'static str, roles: &[Role]) -> Result<(), BadColumns> {
        let there = roles.iter().any(|role| self.roles.contains(&Some(*role)));
        if there { Ok(()) } else { Err(BadColumns::Missing(name, self.titles.clone())) }
    }

    /// A row; a line may end with a separator.
    ///
    /// # Errors
    /// The number of fields, when it is not that of the names.
    pub(crate) fn row<'a>(&self, cells: &[&'a str]) -> Result<Row<'a>, Reason> {
        let more = cells.get(self.roles.len()..).unwrap_or_default();
        if cells.len() < self.roles.len() || more.iter().any(|cell| !cell.trim().is_empty()) {
            return Err(Reason::Fields(cells.len(), self.roles.len()));
        }
        let mut row = Row { cells: [""; ROLES] };
        for (cell, role) in cells.iter().zip(&self.roles) {
            if let Some(role) = role {
                row.set(*role, cell.trim());
            }
        }
        Ok(row)
    }
}

/// Reads a table.
pub(super) fn read(
    text: &mut Text,
    name: &str,
    table: Table,
    collector: &mut Collector,
) -> Result<(), Error> {
    each_row(text, name, table, collector, |collector, line, row, _| match job(&row) {
        Ok(Line::Job(job)) => collector.job(line, *job),
        Ok(Line::Step(job, memory)) => {
            collector.step(job, memory);
            Ok(())
        }
        Ok(Line::Dropped(why)) => {
            collector.drop(why);
            Ok(())
        }
        Err(reason) => collector.problem(line, Reason::Row(reason)),
    })
}

/// Shows every row of a table, in order.
pub(crate) fn each_row(
    text: &mut Text,
    name: &str,
    table: Table,
    collector: &mut Collector,
    mut each: impl FnMut(&mut Collector, u64, Row, &Columns) -> Result<(), Error>,
) -> Result<(), Error> {
    let bad = |line, why| Error::Columns { name: name.to_owned(), line, why };
    match table {
        Table::JsonLines => {
            // Keys may differ from line to line: the columns are those of the line.
            lines(text, name, collector, |collector, line, text| {
                let object: HashMap<String, Value> = match serde_json::from_str(text) {
                    Ok(object) => object,
                    Err(error) => {
                        return collector.problem(line, Reason::Row(format!("no JSON object: {error}")));
                    }
                };
                let (titles, cells): (Vec<&str>, Vec<Cow<str>>) =
                    object.iter().map(|(key, value)| (key.as_str(), cell(value))).unzip();
                let columns = match Columns::new(&titles) {
                    Ok(columns) => columns,
                    Err(BadColumns::Missing(..)) => {
                        return collector.problem(line, Reason::Row("no submission time".to_owned()));
                    }
                    Err(error) => return collector.problem(line, Reason::Row(error.to_string())),
                };
                let cells: Vec<&str> = cells.iter().map(|cell| &**cell).collect();
                match columns.row(&cells) {
                    Ok(row) => each(collector, line, row, &columns),
                    Err(reason) => collector.problem(line, reason),
                }
            })
        }
        Table::Csv => csv(text, name, collector, each),
        _ => {
            let mut columns = None;
            lines(text, name, collector, |collector, line, text| {
                let cells: Vec<&str> = text.split('|').collect();
                let Some(columns) = &columns else {
                    columns = Some(Columns::new(&cells).map_err(|why| bad(line, why))?);
                    return Ok(());
                };
                match columns.row(&cells) {
                    Ok(row) => each(collector, line, row, columns),
                    Err(reason) => collector.problem(line, reason),
                }
            })
        }
    }
}

/// A JSON value as the text of a cell; what is neither text nor number is empty.
fn cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Number(number) => Cow::Owned(number.to_string()),
        _ => Cow::Borrowed(""),
    }
}

fn csv(
    text: &mut Text,
    name: &str,
    collector: &mut Collector,
    mut each: impl FnMut(&mut Collector, u64, Row, &Columns) -> Result<(), Error>,
) -> Result<(), Error> {
    let unreadable = |line, source| Error::Read { name: name.to_owned(), line, source };
    // The separator is the one that the line of names has most of.
    let start = text.fill_buf().map_err(|source| unreadable(0, source))?;
    let mut head = start.split(|byte| *byte == b'\n');
    let head = head.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#")).unwrap_or(b"");
    let most = b",;\t".iter().max_by_key(|separator| head.iter().filter(|byte| byte == separator).count());
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(most.copied().unwrap_or(b','))
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .from_reader(text);
    let mut columns = None;
    let mut record = csv::ByteRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(error) => return Err(unreadable(line, std::io::Error::other(error))),
        }
        let line = record.position().map_or(line, csv::Position::line);
        let cells: Vec<Cow<str>> = record.iter().map(String::from_utf8_lossy).collect();
        let cells: Vec<&str> = cells.iter().map(|cell| &**cell).collect();
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let Some(columns) = &columns else {
            let bad = |why| Error::Columns { name: name.to_owned(), line, why };
            columns = Some(Columns::new(&cells).map_err(bad)?);
            continue;
        };
        match columns.row(&cells) {
            Ok(row) => each(collector, line, row, columns)?,
            Err(reason) => collector.problem(line, reason)?,
        }
    }
}

/// What a row is.
enum Line<'a> {
    Job(Box<RawJob>),
    /// A step of this job, with its memory in KB.
    Step(&'a str, Option<f64>),
    Dropped(Dropped),
}

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Waits,
    Runs,
    /// It is over, with this status of the format.
    Over(i64),
    /// The table does not say.
    Unknown,
}

/// Slurm's states, long and short, those of other systems as far as they are plain, and the numbers of SWF.
pub(crate) fn state(text: &str) -> State {
    let word = text.split([' ', '+', ',']).next().unwrap_or("").to_uppercase();
    match word.as_str() {
        "" => State::Unknown,
        "PENDING" | "PD" | "CONFIGURING" | "CF" | "REQUEUE_HOLD" | "RH" | "REQUEUE_FED" | "RF"
        | "SPECIAL_EXIT" | "SE" | "RESV_DEL_HOLD" | "RD" | "QUEUED" | "PEND" => State::Waits,
        "RUNNING" | "R" | "SUSPENDED" | "S" | "COMPLETING" | "CG" | "STOPPED" | "ST" | "RESIZING" | "RS"
        | "SIGNALING" | "SI" | "STAGE_OUT" | "SO" | "RUN" => State::Runs,
        "COMPLETED" | "CD" | "DONE" | "FINISHED" | "1" => State::Over(1),
        "CANCELLED" | "CA" | "CANCELED" | "5" => State::Over(5),
        "FAILED" | "F" | "TIMEOUT" | "TO" | "NODE_FAIL" | "NF" | "OUT_OF_MEMORY" | "OOM" | "BOOT_FAIL"
        | "BF" | "DEADLINE" | "DL" | "PREEMPTED" | "PR" | "REVOKED" | "RV" | "REQUEUED" | "RQ" | "EXIT"
        | "EXITED" | "LAUNCH_FAILED" | "RECONFIG_FAIL" | "0" => State::Over(0),
        _ => State::Unknown,
    }
}

/// The limit of a row in seconds; 0 where unknown.
pub(crate) fn limit(row: &Row) -> Result<i64, String> {
    let raw = row.get(Role::LimitMinutesOnly);
    if !raw.is_empty() {
        return values::limit(raw, Bare::MinutesOnly);
    }
    match row.get(Role::LimitMinutes) {
        // SWF writes an unknown one as -1.
        "" => match row.get(Role::LimitSeconds) {
            "-1" => Ok(0),
            seconds => values::limit(seconds, Bare::Seconds),
        },
        minutes => values::limit(minutes, Bare::Minutes),
    }
}

fn job<'a>(row: &Row<'a>) -> Result<Line<'a>, String> {
    let id = row.get(Role::Id);
    if let Some((job, _)) = id.split_once('.') {
        let tasks =
            values::count(row.get(Role::Tasks)).ok().flatten().filter(|&tasks| tasks > 0).unwrap_or(1);
        let memory = values::memory(row.get(Role::StepMemory), 1.0 / 1024.0);
        return Ok(Line::Step(job, memory.map(|(size, _)| size * tasks as f64)));
    }
    let submit = values::time(row.get(Role::Submit))?.ok_or("no submission time")?;
    let wait = values::elapsed(unknown(row.get(Role::Wait)))?;
    let start = values::time(row.get(Role::Start))?.or(wait.map(|wait| submit.saturating_add(wait)));
    let run_time = values::elapsed(unknown(row.get(Role::RunTime)))?;
    let end = values::time(row.get(Role::End))?;
    let used = values::count(row.get(Role::Used))?;
    let state = state(row.get(Role::State));
    let status = match state {
        State::Waits => return Ok(Line::Dropped(Dropped::Waiting)),
        State::Runs => return Ok(Line::Dropped(Dropped::Running)),
        State::Over(status) => Some(status),
        State::Unknown => None,
    };
    // Slurm gives a cancelled job no processors that never started; its start is then that of its end, or None.
    let never_started = start.is_none() || (used == Some(0) && (start == end || run_time == Some(0)));
    match (start, end, status) {
        _ if run_time.is_some() => {}
        (None, None, Some(_)) => return Ok(Line::Dropped(Dropped::NeverQueued)),
        (None, None, None) => return Ok(Line::Dropped(Dropped::Waiting)),
        (Some(_), None, None) => return Ok(Line::Dropped(Dropped::Running)),
        _ => {}
    }
    let requested = values::count(row.get(Role::Requested))?;
    let processors =
        used.filter(|&count| count > 0).or(requested).filter(|&count| count > 0).unwrap_or(1) as f64;
    let nodes = values::count(row.get(Role::Nodes)).ok().flatten().filter(|&count| count > 0);
    let requested_memory =
        values::memory(row.get(Role::RequestedMemory), 1024.0).and_then(|(size, each)| match each {
            Each::Processor => Some(size),
            Each::Node => Some(size * nodes? as f64 / processors),
            Each::Job => Some(size / processors),
        });
    let each = |role| values::memory(row.get(role), 1.0).map(|(size, _)| size);
    let cpu = match values::fractional(row.get(Role::TotalCpu))? {
        Some(seconds) => Some(seconds / processors),
        None => values::fractional(unknown(row.get(Role::CpuTimeEach)))?,
    };
    let known = |role| Some(row.get(role)).filter(|cell| *cell != "-1").unwrap_or("").to_owned();
    let group = [Role::Account, Role::Group].map(known).into_iter().find(|name| !name.is_empty());
    let (partition, queue) = (known(Role::Partition), known(Role::Queue));
    Ok(Line::Job(Box::new(RawJob {
        id: id.to_owned(),
        number: row.get(Role::Number).parse().ok(),
        submit,
        eligible: values::time(row.get(Role::Eligible))?,
        start,
        end,
        // Where start and end are known, what is between them counts: a suspended job holds its processors.
        run_time: run_time.filter(|_| start.is_none() || end.is_none()),
        wait,
        limit: limit(row)?,
        used,
        requested,
        cpu_time: cpu,
        used_memory: each(Role::UsedMemoryEach),
        requested_memory: requested_memory.or_else(|| each(Role::RequestedMemoryEach)),
        status,
        never_started: never_started
            && (start.is_some() || end.is_some())
            && run_time.is_none_or(|time| time == 0),
        user: known(Role::User),
        group: group.unwrap_or_default(),
        program: known(Role::Program),
        // Where jobs are submitted to is the partition for Slurm, the queue for others.
        queue: if queue.is_empty() { partition.clone() } else { queue },
        partition,
    })))
}

/// SWF's -1 is nothing.
fn unknown(cell: &str) -> &str {
    if cell == "-1" { "" } else { cell }
}
