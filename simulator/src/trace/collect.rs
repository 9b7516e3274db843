//! From the jobs of an accounting log, in any format, to a trace in the terms of the Standard Workload Format.
//!
//! * Users, groups, programs, queues and partitions become numbers: where all of a column are whole numbers they stay
//!   as they are, else they are numbered from 1 in the order in which jobs were submitted. [`Names`] has them back.
//! * Job identifiers that are whole numbers stay; others (array tasks `123_4`, `123[4].server`) get the numbers after
//!   the largest of these.
//! * A job counts as submitted when it became eligible, where that is known: what comes before (a dependency, a hold, a
//!   begin time) is not the scheduler's doing.
//! * Second 0 is the first submission, where times are dates or seconds since 1970.
//! * The parts of a heterogeneous job (`123+0`, `123+1`), which start together, are one job with all their processors.
//! * What ended without having started is kept with unknown run time, as the archive keeps it.

use super::record::{
    Asked, Dropped, Error, Header, MAX_VALUE, Names, Problem, Reason, Record, Strictness, Trace,
};
use super::text::printable;
use crate::base::words::several;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A job as an accounting log has it; times are seconds of the log's clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawJob {
    /// Its name in the log: `123`, `123_4`, `123[4].server`, `123+1`.
    pub id: String,
    /// Its number, where the log has one beside the name.
    pub number: Option<i64>,
    /// When it was submitted.
    pub submit: i64,
    /// When it became eligible.
    pub eligible: Option<i64>,
    /// When it started.
    pub start: Option<i64>,
    /// When it ended, or was cancelled while it waited.
    pub end: Option<i64>,
    /// Its run time, where that is not end less start.
    pub run_time: Option<i64>,
    /// Its wait, where start and end are unknown.
    pub wait: Option<i64>,
    /// Its limit in seconds; 0 where unknown.
    pub limit: i64,
    /// Processors it held.
    pub used: Option<i64>,
    /// Processors it asked for.
    pub requested: Option<i64>,
    /// Nodes it held.
    pub nodes: Option<i64>,
    /// Resources it held, else those that it asked for, in terms of nodes.
    pub asked: Asked,
    /// Mean processor time, in seconds.
    pub cpu_time: Option<f64>,
    /// Memory used a processor, in KB.
    pub used_memory: Option<f64>,
    /// Memory asked for a processor, in KB.
    pub requested_memory: Option<f64>,
    /// Its status, in the format's numbers.
    pub status: Option<i64>,
    /// Whether it ended without having started.
    pub never_started: bool,
    /// Whether it was ended by what was no fault of it, such as a node's failure or preemption.
    pub interrupted: bool,
    /// Its user; empty where unknown, as the following.
    pub user: String,
    /// The account that pays, else the user's group.
    pub group: String,
    /// Its name, which stands for the program.
    pub program: String,
    /// The queue.
    pub queue: String,
    /// The partition.
    pub partition: String,
    /// The QOS.
    pub qos: String,
}

/// Makes a trace of jobs.
#[derive(Debug)]
pub struct Collector {
    trace: Trace,
    strictness: Strictness,
    jobs: Vec<RawJob>,
    /// Where the jobs are to which steps and further parts belong.
    places: HashMap<String, usize>,
    seen: HashSet<(String, i64, Option<i64>)>,
    procs: Option<u32>,
    /// The file of several that is read, for remarks and reasons.
    file: String,
}

impl Collector {
    /// No jobs yet; `name` stands for the log in errors.
    pub fn new(name: &str, strictness: Strictness) -> Collector {
        Collector {
            trace: Trace { name: name.to_owned(), ..Trace::default() },
            strictness,
            jobs: Vec::new(),
            places: HashMap::new(),
            seen: HashSet::new(),
            procs: None,
            file: String::new(),
        }
    }

    /// From now on the log is this file of several: its wrong lines are named with it.
    pub(super) fn file(&mut self, name: &str) {
        self.file = format!("{name}: ");
    }

    /// Notes how the log was read, once.
    pub fn remark(&mut self, remark: String) {
        let remark = format!("{}{remark}", self.file);
        if !self.trace.remarks.contains(&remark) {
            self.trace.remarks.push(remark);
        }
    }

    /// The jobs so far.
    pub fn jobs(&self) -> &[RawJob] {
        &self.jobs
    }

    /// The jobs from one on, to be changed.
    pub(super) fn jobs_from(&mut self, first: usize) -> &mut [RawJob] {
        self.jobs.get_mut(first..).unwrap_or_default()
    }

    /// The machine's size, where the log says it.
    pub(super) fn machine(&mut self, procs: Option<u32>) {
        self.procs = procs.filter(|&procs| procs > 0).or(self.procs);
    }

    /// Counts a line that is no job.
    pub fn drop(&mut self, why: Dropped) {
        *self.trace.dropped.entry(why).or_default() += 1;
    }

    /// Sets a wrong line aside.
    ///
    /// # Errors
    /// [`Error::Line`] when strict.
    pub fn problem(&mut self, line: u64, reason: Reason) -> Result<(), Error> {
        let reason =
            if self.file.is_empty() { reason } else { Reason::Row(format!("{}{reason}", self.file)) };
        if self.strictness == Strictness::Strict {
            return Err(Error::Line { name: self.trace.name.clone(), line, reason });
        }
        self.trace.problems.push(Problem { line, reason });
        Ok(())
    }

    /// A step of a job: its memory a processor, in KB of the whole step.
    pub fn step(&mut self, job: &str, memory: Option<f64>) {
        self.drop(Dropped::Steps);
        let job = self.places.get(job).and_then(|&place| self.jobs.get_mut(place));
        if let (Some(job), Some(memory)) = (job, memory) {
            let processors = job.used.or(job.requested).filter(|&count| count > 0).unwrap_or(1);
            let each = memory / processors as f64;
            job.used_memory = Some(job.used_memory.map_or(each, |known| known.max(each)));
        }
    }

    /// A job.
    ///
    /// # Errors
    /// [`Error::Line`] for one that cannot be, when strict.
    pub fn job(&mut self, line: u64, mut job: RawJob) -> Result<(), Error> {
        if let Err(reason) = check(&mut job) {
            return self.problem(line, Reason::Row(reason));
        }
        if !job.id.is_empty() && !self.seen.insert((job.id.clone(), job.submit, job.start)) {
            self.drop(Dropped::Twice);
            return Ok(());
        }
        // The parts of one heterogeneous job follow each other.
        if let Some((first, _)) = job.id.split_once('+') {
            let whole = format!("{first}+");
            let same = self.places.get(&whole).and_then(|&place| self.jobs.get_mut(place));
            if let Some(known) = same.filter(|known| (known.submit, known.start) == (job.submit, job.start)) {
                known.join(&job);
                self.drop(Dropped::Parts);
                return Ok(());
            }
            self.places.insert(whole, self.jobs.len());
        }
        self.places.insert(job.id.clone(), self.jobs.len());
        self.jobs.push(job);
        Ok(())
    }

    /// The jobs as the log has them, and how it was read; the trace holds no records.
    pub fn into_jobs(mut self) -> (Vec<RawJob>, Trace) {
        follow(&mut self.jobs);
        (self.jobs, self.trace)
    }

    /// All jobs as a trace.
    pub fn finish(mut self) -> Trace {
        follow(&mut self.jobs);
        self.jobs.sort_by_key(|job| job.submit);
        let first = self.jobs.first().map_or(0, |job| job.submit);
        // Clocks that count from an origin of their own are left alone.
        let dated = first >= SINCE_1970;
        let origin = if dated || first < 0 { first } else { 0 };
        self.trace.header = Header { unix_start_time: dated.then_some(origin), ..Header::default() };
        let (numbers, jobs) = (numbers(&self.jobs), &self.jobs);
        let named = |(job, number): (&RawJob, &i64)| {
            let other = !job.id.is_empty() && job.id.parse() != Ok(*number);
            other.then(|| (*number, printable(&job.id).into_owned()))
        };
        self.trace.names.jobs = jobs.iter().zip(&numbers).filter_map(named).collect();
        let [users, groups, programs, queues, partitions, qos] =
            [RawJob::user, RawJob::group, RawJob::program, RawJob::queue, RawJob::partition, RawJob::qos]
                .map(|of| Column::new(jobs.iter().map(of)));
        self.trace.asked = jobs.iter().map(|job| Asked { qos: qos.number(&job.qos), ..job.asked }).collect();
        self.trace.records = jobs
            .iter()
            .zip(numbers)
            .map(|(job, number)| Record {
                user: users.number(&job.user),
                group: groups.number(&job.group),
                executable: programs.number(&job.program),
                queue: queues.number(&job.queue),
                partition: partitions.number(&job.partition),
                ..job.record(number, origin)
            })
            .collect();
        let (without, ran) = self.trace.without_width();
        if without > 0 {
            let jobs = several(ran, "job");
            self.trace.remarks.push(format!("{without} of {jobs} that ran have no number of processors"));
        }
        self.trace.header.max_procs = self.procs.or_else(|| most_at_once(&self.trace.records));
        self.trace.size_from_use = self.procs.is_none();
        self.trace.names = Names {
            jobs: std::mem::take(&mut self.trace.names.jobs),
            users: users.names(),
            groups: groups.names(),
            programs: programs.names(),
            queues: queues.names(),
            partitions: partitions.names(),
            qos: qos.names(),
        };
        let names = &self.trace.names;
        let listed = [("Queue", &names.queues), ("Partition", &names.partitions)];
        let lines = listed
            .iter()
            .flat_map(|(key, names)| names.iter().map(move |(number, name)| (key, number, name)));
        self.trace.header.lines =
            lines.map(|(key, number, name)| format!("; {key}: {number} {name}")).collect();
        self.trace
    }
}

/// Times from here on are counted from 1970, not from the beginning of a log.
pub(super) const SINCE_1970: i64 = 100_000_000;

/// Attempts of one job follow each other: one that was put back into the queue was submitted when the attempt before it
/// ended, though logs may repeat the first submission.
fn follow(jobs: &mut [RawJob]) {
    let mut attempts: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, job) in jobs.iter().enumerate().filter(|(_, job)| !job.id.is_empty()) {
        attempts.entry(&job.id).or_default().push(place);
    }
    let mut again: Vec<Vec<usize>> = attempts.into_values().filter(|places| places.len() > 1).collect();
    for places in &mut again {
        places.sort_by_key(|&place| jobs.get(place).map(|job| (job.start.or(job.end), job.submit)));
        let mut ended = None;
        for &place in places.iter() {
            let Some(job) = jobs.get_mut(place) else { continue };
            let starts = job.start.or(job.end);
            if let Some(end) =
                ended.filter(|&end| job.submit < end && starts.is_some_and(|start| start >= end))
            {
                job.submit = end;
            }
            ended = job.end.filter(|_| !job.never_started).or(ended);
        }
    }
}

/// Checks times and spans against each other; a job is submitted when it becomes eligible.
fn check(job: &mut RawJob) -> Result<(), String> {
    if let Some(eligible) = job.eligible
        && eligible > job.submit
        && job.start.is_none_or(|start| eligible <= start)
    {
        job.submit = eligible;
    }
    let RawJob { submit, start, end, .. } = *job;
    if let Some(start) = start.filter(|&start| start < submit) {
        return Err(format!("started at {start}, before its submission at {submit}"));
    }
    if let (Some(start), Some(end)) = (start, end)
        && end < start
    {
        return Err(format!("ended at {end}, before its start at {start}"));
    }
    let times = [Some(submit), start, end].into_iter().flatten();
    let spans = [Some(job.limit), job.run_time, job.wait].into_iter().flatten();
    if times.chain(spans).any(|value| value.abs() > MAX_VALUE) {
        return Err("a time out of range".to_owned());
    }
    Ok(())
}

impl RawJob {
    fn user(&self) -> &str {
        &self.user
    }

    fn group(&self) -> &str {
        &self.group
    }

    fn program(&self) -> &str {
        &self.program
    }

    fn queue(&self) -> &str {
        &self.queue
    }

    fn partition(&self) -> &str {
        &self.partition
    }

    fn qos(&self) -> &str {
        &self.qos
    }

    /// Another part of the same heterogeneous job.
    fn join(&mut self, part: &RawJob) {
        let sum = |a: Option<i64>, b: Option<i64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        self.used = sum(self.used, part.used);
        self.requested = sum(self.requested, part.requested);
        self.end = self.end.max(part.end);
        self.run_time = self.run_time.max(part.run_time);
        self.limit = self.limit.max(part.limit);
    }

    /// The job of a trace's record, by the names that the trace knows.
    pub fn of(record: &Record, trace: &Trace) -> RawJob {
        let origin = trace.header.unix_start_time.unwrap_or(0).max(0);
        let known = |value: i64| (value >= 0).then_some(value);
        let named = |names: &BTreeMap<i64, String>, number: i64| {
            let name = names.get(&number).cloned();
            name.or_else(|| known(number).map(|number| number.to_string())).unwrap_or_default()
        };
        let names = &trace.names;
        let submit = record.submit.saturating_add(origin);
        let start = known(record.wait).map(|wait| submit.saturating_add(wait));
        let never_started = record.run_time <= 0 && record.status == 5;
        RawJob {
            id: named(&names.jobs, record.number),
            number: Some(record.number),
            submit,
            start,
            end: start.zip(known(record.run_time)).map(|(start, time)| start.saturating_add(time)),
            limit: record.requested_time.max(0),
            used: known(record.used_processors),
            requested: known(record.requested_processors),
            status: Some(record.status),
            never_started,
            user: named(&names.users, record.user),
            group: named(&names.groups, record.group),
            program: named(&names.programs, record.executable),
            queue: named(&names.queues, record.queue),
            partition: named(&names.partitions, record.partition),
            ..RawJob::default()
        }
    }

    fn record(&self, number: i64, origin: i64) -> Record {
        let started = self.start.filter(|_| !self.never_started);
        let wait = match (started, self.end) {
            (Some(start), _) => Some(start - self.submit),
            (None, Some(end)) if self.never_started => Some((end - self.submit).max(0)),
            _ => None,
        };
        let ran = self.run_time.or_else(|| Some(self.end? - started?)).filter(|_| !self.never_started);
        let known = |count: Option<i64>| count.filter(|&count| count > 0).unwrap_or(-1);
        let used = if self.never_started { -1 } else { known(self.used) };
        let memory = |size: Option<f64>| {
            size.filter(|size| (0.0..=MAX_VALUE as f64).contains(size))
                .map_or(-1.0, |size| (size * 100.0).round() / 100.0)
        };
        Record {
            number,
            submit: self.submit - origin,
            wait: wait.or(self.wait).unwrap_or(-1),
            run_time: ran.unwrap_or(-1),
            used_processors: used,
            cpu_time: memory(self.cpu_time),
            used_memory: memory(self.used_memory),
            requested_processors: known(self.requested),
            requested_time: if self.limit > 0 { self.limit.min(MAX_VALUE) } else { -1 },
            requested_memory: memory(self.requested_memory),
            status: self.status.unwrap_or(-1),
            user: -1,
            group: -1,
            executable: -1,
            queue: -1,
            partition: -1,
            preceding: -1,
            think_time: -1,
            tasks: None,
        }
    }
}

/// A number for every job.
fn numbers(jobs: &[RawJob]) -> Vec<i64> {
    let own = |job: &RawJob| {
        let number = job.number.or_else(|| job.id.split('+').next()?.parse().ok());
        number.filter(|number| (0..=MAX_VALUE >> 1).contains(number))
    };
    let mut last = jobs.iter().filter_map(own).max().unwrap_or(0);
    let mut next = || {
        last += 1;
        last
    };
    jobs.iter().map(|job| own(job).unwrap_or_else(&mut next)).collect()
}

/// The values of one column, and their numbers.
struct Column<'a> {
    /// In order of appearance.
    found: HashMap<&'a str, i64>,
    /// Whether the values are numbers themselves.
    numeric: bool,
}

impl<'a> Column<'a> {
    fn new(values: impl Iterator<Item = &'a str> + Clone) -> Column<'a> {
        let known = values.filter(|value| !value.is_empty());
        let numeric = known.clone().all(|value| whole(value).is_some());
        let mut found = HashMap::new();
        for value in known {
            let next = found.len() as i64 + 1;
            found.entry(value).or_insert_with(|| whole(value).filter(|_| numeric).unwrap_or(next));
        }
        Column { found, numeric }
    }

    fn number(&self, value: &str) -> i64 {
        self.found.get(value).copied().unwrap_or(-1)
    }

    fn names(&self) -> BTreeMap<i64, String> {
        if self.numeric {
            return BTreeMap::new();
        }
        self.found.iter().map(|(name, &number)| (number, printable(name).into_owned())).collect()
    }
}

/// A whole number as it is written without need of another form.
fn whole(text: &str) -> Option<i64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|&number| digits && number <= MAX_VALUE)
}

/// The share of a history's time in which more processors were in use than these.
pub fn share_above(records: &[Record], procs: u32) -> f64 {
    let uses = uses(records);
    let above = |pair: &[(i64, i64)]| if pair[0].1 > i64::from(procs) { pair[1].0 - pair[0].0 } else { 0 };
    let seconds: i64 = uses.windows(2).map(above).sum();
    let whole = uses.last().zip(uses.first()).map_or(0, |(last, first)| last.0 - first.0);
    seconds as f64 / whole.max(1) as f64
}

/// The most processors that were in use at once: the least that the machine must have had.
fn most_at_once(records: &[Record]) -> Option<u32> {
    let uses = uses(records);
    let widest = records.iter().map(|record| record.used_processors.max(record.requested_processors)).max();
    let most = uses.iter().map(|&(_, used)| used).max().max(widest)?;
    u32::try_from(most).ok().filter(|&most| most > 0)
}

/// The processors in use from each second on in which their number changes.
fn uses(records: &[Record]) -> Vec<(i64, i64)> {
    let mut changes: Vec<(i64, i64)> = Vec::new();
    for record in records {
        let processors =
            if record.used_processors > 0 { record.used_processors } else { record.requested_processors };
        if record.run_time > 0 && record.wait >= 0 && processors > 0 {
            let start = record.submit + record.wait;
            changes.extend([(start, processors), (start + record.run_time, -processors)]);
        }
    }
    // A job that ends in a second frees its processors before others start.
    changes.sort_unstable();
    let mut used = 0;
    let running = |&(time, change): &(i64, i64)| {
        used += change;
        (time, used)
    };
    changes.iter().map(running).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::format::{self, Format};
    use crate::trace::swf::Strictness;

    #[test]
    fn the_time_above_a_size_by_hand() {
        let job = |submit: i64, wait: i64, run_time: i64, processors: i64| {
            format!("1 {submit} {wait} {run_time} {processors} -1 -1 {processors} -1 -1 1 1 1 1 1 1 -1 -1\n")
        };
        // 8 from 0 to 100, 12 more from 50 to 100, 2 from 100 to 200; one of unknown wait.
        let text = [job(0, 0, 100, 8), job(5, -1, 10, 64), job(20, 30, 50, 12), job(100, 0, 100, 2)].concat();
        let trace = format::read(text.as_bytes(), "t", Some(Format::Swf), Strictness::Strict).unwrap();
        let mut records = trace.records;
        assert_eq!([7, 8, 19, 20].map(|procs| share_above(&records, procs)), [0.5, 0.25, 0.25, 0.0]);
        assert_eq!(share_above(&[], 1), 0.0);
        assert_eq!(most_at_once(&records), Some(64));
        records.remove(1);
        assert_eq!(most_at_once(&records), Some(20));
    }
}
