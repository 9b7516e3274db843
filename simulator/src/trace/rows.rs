//! Rows of named values, from whatever table or record, as jobs: what `sacct` and `squeue` print, CSV, JSON, ClassAds,
//! accounting records. [`columns`](super::columns) has the names, [`tables`](super::tables) finds rows in a text.
//!
//! Job steps (`17.batch`, `17.0`) are no jobs.

use super::collect::{Collector, RawJob, SINCE_1970};
use super::columns::{Columns, PROCESSORS, Role, Row};
use super::record::{Asked, BadColumns, Dropped, Error, Reason};
use super::source::Text;
use super::tables::{Reading, Table, each_row};
use super::units::Units;
use super::values::{self, Bare, Clock, Each, State};
use std::io::{Cursor, Read};

/// Reads a table.
pub(super) fn read(
    text: &mut Text,
    name: &str,
    table: Table,
    reading: &Reading,
    collector: &mut Collector,
) -> Result<(), Error> {
    let clock = clock(text, name, table, reading)?;
    let first = collector.jobs().len();
    let mut units = Units::default();
    let mut widths = Widths::default();
    let mut before = String::new();
    each_row(text, name, table, reading, collector, |collector, line, row, columns| {
        if !table.records() {
            columns.need_past().map_err(|why| Error::Columns { name: name.to_owned(), line: 1, why })?;
        }
        let found = job(row, columns, &clock, &before);
        before = match &found {
            Ok(Line::Step(job, _)) => job.clone(),
            _ => row.get(Role::Id).to_owned(),
        };
        match found {
            Ok(Line::Job(job)) => {
                let ran = job.run_time.or_else(|| Some(job.end? - job.start?));
                units.note(row, ran.filter(|_| !job.never_started), job.limit);
                widths.note(columns, row, &job);
                collector.job(line, *job)
            }
            Ok(Line::Step(job, memory)) => {
                collector.step(&job, memory);
                Ok(())
            }
            Ok(Line::Dropped(why)) => {
                collector.drop(why);
                Ok(())
            }
            Err(reason) => collector.problem(line, Reason::Row(reason)),
        }
    })?;
    let (correction, remarks) = units.settle();
    remarks.into_iter().for_each(|remark| collector.remark(remark));
    if let Some(correction) = correction {
        collector.jobs_from(first).iter_mut().for_each(|job| job.limit = correction.of(job.limit));
    }
    widths.settle(collector);
    Ok(())
}

/// The order of day and month in a table's dates.
///
/// # Errors
/// When neither the user nor the dates say whether days or months are first.
pub(crate) fn clock(text: &mut Text, name: &str, table: Table, reading: &Reading) -> Result<Clock, Error> {
    let day_first = match reading.clock.day_first {
        None => day_first(text, name, table, reading)?,
        known => known,
    };
    Ok(Clock { day_first, ..reading.clock.clone() })
}

/// Whether the day is first in dates such as `05/06/2024`: all dates of the text decide, and where they cannot it is
/// refused. The text can be read again afterwards.
fn day_first(text: &mut Text, name: &str, table: Table, reading: &Reading) -> Result<Option<bool>, Error> {
    let unreadable = |source| Error::Read { name: name.to_owned(), line: 0, source };
    let start = text.fill_buf().map_err(unreadable)?;
    let cells = start.split(|byte| !byte.is_ascii_digit() && !b"/ :".contains(byte));
    let dated = |cell: &[u8]| str::from_utf8(cell).is_ok_and(|cell| values::slashed(cell.trim()).is_some());
    if !cells.into_iter().any(dated) {
        return Ok(None);
    }
    let mut whole = Vec::new();
    text.read_to_end(&mut whole).map_err(unreadable)?;
    let mut scanned: Text = Box::new(Cursor::new(whole.clone()));
    *text = Box::new(Cursor::new(whole));
    let (mut found, mut first_above, mut second_above) = (None, false, false);
    let mut nobody = Collector::new(name, super::record::Strictness::Lenient);
    each_row(&mut scanned, name, table, reading, &mut nobody, |_, line, row, columns| {
        for role in [Role::Submit, Role::Eligible, Role::Start, Role::End] {
            let cell = row.get(role);
            let Some((first, second)) = values::slashed(cell) else { continue };
            (first_above, second_above) = (first_above || first > 12, second_above || second > 12);
            let title = || columns.title(role).unwrap_or("a column").to_owned();
            found = found.take().or_else(|| Some((line, title(), cell.to_owned())));
        }
        Ok(())
    })?;
    match (found, first_above, second_above) {
        (None, ..) => Ok(None),
        (Some(_), true, false) => Ok(Some(true)),
        (Some(_), false, true) => Ok(Some(false)),
        // Where one cannot be the day and another not the month, each wrong line says so.
        (Some(_), true, true) => Ok(None),
        (Some((line, title, cell)), false, false) => Err(Error::Columns {
            name: name.to_owned(),
            line,
            why: BadColumns::DayOrMonth(title, super::text::excerpt(cell.as_bytes(), 40)),
        }),
    }
}

/// Widths and starts of jobs, by the columns that say them.
#[derive(Debug, Default)]
struct Widths {
    /// Whether nothing says when jobs started.
    without_start: bool,
    /// The title of the column of GPUs that stand for processors, and of the column of processors beside which others
    /// are; and whether that is one of resources.
    gpus: Option<String>,
    beside: Option<(String, bool)>,
    /// Jobs that are as wide as their GPUs, and those that are as wide as their processors.
    by_gpus: u64,
    by_processors: u64,
    /// Those of them with GPUs too.
    with_gpus: u64,
}

/// Columns of resources, which may be processors and GPUs.
const RESOURCES: [Role; 2] = [Role::UsedTres, Role::RequestedTres];

/// GPUs among the resources of a row.
fn gpus_of(row: &Row) -> Option<i64> {
    RESOURCES.into_iter().find_map(|role| values::tres(row.get(role)).gpus)
}

impl Widths {
    fn note(&mut self, columns: &Columns, row: &Row, job: &RawJob) {
        self.without_start |= ![Role::Start, Role::Wait, Role::End].iter().any(|role| columns.has(*role));
        let wide = [job.used, job.requested].into_iter().flatten().any(|count| count > 0);
        let gpus = values::count(row.get(Role::Gpus)).ok().flatten().or(gpus_of(row));
        let with_gpus = gpus.is_some_and(|gpus| gpus > 0);
        if !wide {
            return;
        }
        if processors(row, columns) == Ok((None, None)) {
            self.by_gpus += 1;
            let title = || [Role::Gpus].iter().chain(&RESOURCES).find_map(|role| columns.title(*role));
            self.gpus = self.gpus.take().or_else(|| title().map(str::to_owned));
        } else {
            self.by_processors += 1;
            self.with_gpus += u64::from(with_gpus);
            let column = || {
                let role = PROCESSORS.into_iter().find(|role| columns.has(*role))?;
                Some((columns.title(role)?.to_owned(), RESOURCES.contains(&role)))
            };
            self.beside = self.beside.take().or_else(column);
        }
    }

    fn settle(self, collector: &mut Collector) {
        if self.without_start {
            collector.remark("no column says when jobs started: how long they waited is unknown".to_owned());
        }
        let jobs = |count| crate::base::words::several(count, "job");
        match self.gpus {
            Some(title) if self.by_processors > 0 => collector.remark(format!(
                "the width of {} is their GPUs ({title}), as nothing says how many processors they had",
                jobs(self.by_gpus)
            )),
            Some(title) => collector
                .remark(format!("the width of jobs is their GPUs ({title}): every processor here is a GPU")),
            None => {}
        }
        if let Some((title, resources)) = self.beside.filter(|_| self.with_gpus > 0) {
            let way = if resources {
                format!("a column num_gpus in the place of {title} makes them the width")
            } else {
                "leave the columns of processors out to have GPUs as width".to_owned()
            };
            collector.remark(format!(
                "{} had GPUs, which the width of jobs ({title}) does not say: {way}",
                jobs(self.with_gpus)
            ));
        }
    }
}

/// A row, read.
enum Line {
    Job(Box<RawJob>),
    /// A step of this job, with its memory in KB.
    Step(String, Option<f64>),
    Dropped(Dropped),
}

/// State of the job of a row.
pub(crate) fn state_of(row: &Row) -> State {
    match (row.get(Role::State), row.get(Role::CondorState)) {
        ("", "1" | "5") => State::Waits,
        ("", "2" | "6" | "7") => State::Runs,
        ("", "3") => State::Over(5),
        ("", "4") => State::Over(1),
        (text, _) => values::state(text),
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
            "-1" | "-1.0" => Ok(0),
            seconds => values::limit(seconds, Bare::Seconds),
        },
        minutes => values::limit(unknown(minutes), Bare::Minutes),
    }
}

/// When things happened to a job.
struct Times {
    submit: i64,
    eligible: Option<i64>,
    start: Option<i64>,
    end: Option<i64>,
    run_time: Option<i64>,
    wait: Option<i64>,
}

impl Times {
    fn of(row: &Row, clock: &Clock) -> Result<Times, String> {
        let at = |role| clock.time(unknown(row.get(role)));
        let submit = at(Role::Submit)?.ok_or("no submission time")?;
        // Clocks that count from 1970 write 0 where nothing has happened yet.
        let happened = |time: Option<i64>| time.filter(|&time| time != 0 || submit < SINCE_1970);
        let (eligible, start) = (happened(at(Role::Eligible)?), happened(at(Role::Start)?));
        let (wait, run_time) = (
            values::elapsed(unknown(row.get(Role::Wait)))?,
            values::elapsed(unknown(row.get(Role::RunTime)))?,
        );
        let mut times = Times { submit, eligible, start, end: happened(at(Role::End)?), run_time, wait };
        times.set_back(row, clock)?;
        let waited = times.wait.map(|wait| submit.saturating_add(wait));
        let ran = || Some(times.end?.saturating_sub(run_time.filter(|&time| time > 0)?));
        times.start = times.start.or(waited).or_else(ran);
        Ok(times)
    }

    /// Corrects what clocks did that were set forward or back meanwhile.
    fn set_back(&mut self, row: &Row, clock: &Clock) -> Result<(), String> {
        let Some(mut start) = self.start else { return Ok(()) };
        if start < self.submit {
            start = clock.later(row.get(Role::Start)).unwrap_or(start);
            let dated = start < self.submit && values::is_date(row.get(Role::Start));
            if dated && self.submit - start <= 3600 && sunday_night(start, self.submit) {
                return Err(
                    "started within the hour before its submission: if clocks were set back then, --zone \
                            Europe/Berlin reads dates as of that zone"
                        .to_owned(),
                );
            }
            self.start = Some(start);
        }
        let Some(end) = self.end else { return Ok(()) };
        if end < start {
            // An hour that comes twice.
            self.end = clock.later(row.get(Role::End)).filter(|&later| later >= start).or(self.end);
        }
        let Some(ran) = self.run_time else { return Ok(()) };
        if end - start == ran {
            return Ok(());
        }
        let later = clock.later(row.get(Role::End)).filter(|later| later - start == ran);
        let dates = values::is_date(row.get(Role::Start)) && values::is_date(row.get(Role::End));
        let changed = dates && (end - start - ran).abs() == 3600 && sunday_night(start, end.max(start + ran));
        self.end = later.or((changed && clock.zone.is_none()).then_some(start + ran)).or(self.end);
        Ok(())
    }
}

/// Whether the first hours of a Sunday, in which clocks are changed, lie between two dates.
fn sunday_night(from: i64, to: i64) -> bool {
    const DAY: i64 = 86_400;
    // 1970 began with a Thursday.
    let sunday = (from - 3 * DAY).div_euclid(7 * DAY) * 7 * DAY + 3 * DAY;
    [sunday, sunday + 7 * DAY].iter().any(|&night| from <= night + 5 * 3600 && to >= night)
}

/// The processors that a job held, and those that it asked for.
fn processors(row: &Row, columns: &Columns) -> Result<(Option<i64>, Option<i64>), String> {
    let (held, asked) = (values::tres(row.get(Role::UsedTres)), values::tres(row.get(Role::RequestedTres)));
    // Slurm writes no resources for a job that held none.
    let held = held.cpus.or((columns.has(Role::UsedTres) && row.get(Role::UsedTres).is_empty()).then_some(0));
    let ids = values::ids(row.get(Role::UsedIds))?;
    let used = values::count(row.get(Role::Used))?.or(held).or(ids);
    Ok((used, values::count(row.get(Role::Requested))?.or(asked.cpus)))
}

/// A job's width: processors, or GPUs where nothing says its processors.
fn widths(row: &Row, columns: &Columns) -> Result<(Option<i64>, Option<i64>), String> {
    match processors(row, columns)? {
        (None, None) => {}
        known => return Ok(known),
    }
    if RESOURCES.iter().any(|role| columns.has(*role)) {
        let [used, requested] = RESOURCES.map(|role| values::tres(row.get(role)).gpus);
        if used.is_some() || requested.is_some() {
            return Ok((used, requested));
        }
    }
    // A table with a column of processors says the width there.
    let others = PROCESSORS.iter().any(|role| !RESOURCES.contains(role) && columns.has(*role));
    Ok(if others { (None, None) } else { (values::count(row.get(Role::Gpus))?, None) })
}

/// The job of a row, behind one of the job or step `before`.
fn job(row: &Row, columns: &Columns, clock: &Clock, before: &str) -> Result<Line, String> {
    let id = row.get(Role::Id);
    // HTCondor numbers jobs as steps, and pandas writes whole numbers so. A step of Slurm has no user of its own, and
    // stands behind its job.
    let is_of_job = if columns.has(Role::User) {
        unknown(row.get(Role::User)).is_empty()
    } else {
        id.split('.').next() == Some(before)
    };
    if let Some((job, step)) = id.split_once('.')
        && (["batch", "extern", "interactive", "TBD"].contains(&step)
            || step.starts_with(|c: char| c.is_ascii_digit()) && is_of_job)
    {
        let tasks =
            values::count(row.get(Role::Tasks)).ok().flatten().filter(|&tasks| tasks > 0).unwrap_or(1);
        let memory = values::memory(row.get(Role::StepMemory), 1.0 / 1024.0);
        return Ok(Line::Step(job.to_owned(), memory.map(|(size, _)| size * tasks as f64)));
    }
    let Times { submit, eligible, start, end, run_time, wait } = Times::of(row, clock)?;
    let (used, requested) = widths(row, columns)?;
    let status = match state_of(row) {
        State::Waits => return Ok(Line::Dropped(Dropped::Waiting)),
        State::Runs => return Ok(Line::Dropped(Dropped::Running)),
        State::Over(status) => Some(status),
        State::Unknown => None,
    };
    // Slurm gives a cancelled job no processors that never started; its start is then that of its end, or None.
    let never_started = start.is_none() || (used == Some(0) && (start == end || run_time == Some(0)));
    match (start, end, status) {
        _ if run_time.is_some() => {}
        (None, None, Some(5)) => return Ok(Line::Dropped(Dropped::NeverQueued)),
        (None, _, Some(1)) | (None, None, Some(_)) => {
            return Err("ended, but when it started is unknown".to_owned());
        }
        (None, None, None) => return Ok(Line::Dropped(Dropped::Waiting)),
        (Some(_), None, None) => return Ok(Line::Dropped(Dropped::Running)),
        (Some(_), None, Some(_)) => return Err("ended, but when is unknown".to_owned()),
        _ => {}
    }
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
    let known = |role| unknown(row.get(role)).to_owned();
    let group = [Role::Account, Role::Group].map(known).into_iter().find(|name| !name.is_empty());
    let (partition, queue) = (known(Role::Partition), known(Role::Queue));
    let task = row.get(Role::Task).parse::<u64>().ok().filter(|&task| task > 0);
    Ok(Line::Job(Box::new(RawJob {
        id: task.map_or_else(|| id.to_owned(), |task| format!("{id}_{task}")),
        number: row.get(Role::Number).parse().ok(),
        submit,
        eligible,
        start,
        end,
        // Where start and end are known, what is between them counts: a suspended job holds its processors.
        run_time: run_time.filter(|_| start.is_none() || end.is_none()),
        wait,
        limit: limit(row)?,
        used,
        requested,
        nodes,
        cpu_time: cpu,
        used_memory: each(Role::UsedMemoryEach),
        requested_memory: requested_memory.or_else(|| each(Role::RequestedMemoryEach)),
        status,
        never_started: never_started
            && (start.is_some() || end.is_some())
            && run_time.is_none_or(|time| time == 0),
        interrupted: values::interrupted(row.get(Role::State)),
        user: known(Role::User),
        group: group.unwrap_or_default(),
        program: known(Role::Program),
        // Where jobs are submitted to is the partition for Slurm, the queue for others.
        queue: if queue.is_empty() { partition.clone() } else { queue },
        partition,
        qos: known(Role::Qos),
        asked: asked(row, nodes),
    })))
}

/// The resources of a row in terms of nodes.
fn asked(row: &Row, nodes: Option<i64>) -> Asked {
    let [held, wanted] = RESOURCES.map(|role| values::tres(row.get(role)));
    let number = |count: Option<i64>| count.and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
    Asked {
        nodes: number(held.nodes.or(nodes)),
        requested_nodes: number(wanted.nodes),
        gpus: number(held.gpus.or(wanted.gpus)),
        memory_mib: held.memory_mib.or(wanted.memory_mib).unwrap_or(0.0),
        qos: -1,
    }
}

/// SWF's -1 is nothing.
fn unknown(cell: &str) -> &str {
    if cell == "-1" || cell == "-1.0" { "" } else { cell }
}
