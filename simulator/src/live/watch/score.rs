//! The results of the journal's decisions: gains, losses, promises kept; and the journal as a history to be replayed.
//!
//! Every decision is scored by what happened then. The job that would have been let through gains what it waited
//! longer. The head job loses at most what the other would have run beyond its own start, as if just those nodes had
//! been missing then: the bound that can be had without knowing what would have followed. Of several jobs that would
//! have overtaken the same head job the longest counts. What would have followed (jobs behind that start earlier, too)
//! only a replay tells ([`histories`]).

use super::journal::{Done, Event, Would};
use crate::live::advise::pool::PoolSize;
use crate::live::what_if::{WIDTHS, class};
use crate::trace::collect::{Collector, RawJob};
use crate::trace::swf::{Error, Strictness, Trace};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Gains and losses of some of the jobs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    /// Which.
    pub name: String,
    /// Jobs that have ended.
    pub jobs: u64,
    /// Their mean wait, in seconds.
    pub mean_wait_s: f64,
    /// Jobs that would have started earlier.
    pub earlier: u64,
    /// By how much together, in seconds.
    pub earlier_s: i64,
    /// Head jobs that would have been overtaken and have started since.
    pub overtaken: u64,
    /// Those of the overtaken that might have started later.
    pub later: u64,
    /// By how much at most, together, in seconds.
    pub later_s: i64,
    /// The most of one of them.
    pub worst_s: i64,
}

/// Bounds on waits in a partition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Promises {
    /// The partition.
    pub partition: String,
    /// Bounds given.
    pub given: u64,
    /// Bounds that held.
    pub kept: u64,
    /// Bounds that did not hold, jobs that still wait beyond them included.
    pub broken: u64,
    /// Jobs that wait within them.
    pub open: u64,
}

/// Why a pool was not judged, and for how long.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unjudged {
    /// The pool's first partition.
    pub pool: String,
    /// Why.
    pub why: String,
    /// Its share of the time watched.
    pub share: f64,
}

/// The score of a journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// The version that made it.
    pub surefill: &'static str,
    /// The rule.
    pub preset: String,
    /// When the watcher began for the first time.
    pub from: i64,
    /// The last event's time.
    pub to: i64,
    /// Seconds that the record has to cover before its replay says anything: twenty times the mean wait.
    pub needed_s: i64,
    /// All jobs.
    pub all: Row,
    /// By partition, user and width.
    pub parts: Vec<(&'static str, Vec<Row>)>,
    /// Decisions that came to nothing: the job was cancelled, or its end was not seen.
    pub withdrawn: u64,
    /// Decisions whose job or head job has not come to its end or start.
    pub open: u64,
    /// Promises by partition.
    pub promises: Vec<Promises>,
    /// Pools that were not judged.
    pub unjudged: Vec<Unjudged>,
}

/// The number of mean waits that a record covers at least, before its replay can tell what another rule would save:
/// jobs that wait at its end are not in it, and they are those that wait longest. In records of eight to twenty-
/// four hours beside a whole Slurm, 3 to 18 mean waits long, the replay would have saved 0 to 34 % where the plugin
/// then saved 37 to 84 %.
const COVERED: f64 = 20.0;

impl Score {
    /// Whether the record is long enough for its replay to say anything.
    pub fn is_long(&self) -> bool {
        self.to - self.from >= self.needed_s
    }
}

/// A decision on its way.
struct Course<'a> {
    would: &'a Would,
    start: Option<i64>,
    end: Option<i64>,
    withdrawn: bool,
}

/// A decision that is known from its beginning to its end.
struct Settled<'a> {
    would: &'a Would,
    gain: i64,
    loss: i64,
}

/// By what jobs are divided: a name for the part, and the job's class there.
type Division = (&'static str, fn(&str, &str, u32) -> String);

const DIVISIONS: [Division; 3] = [
    ("partition", |partition, _, _| partition.to_owned()),
    ("user", |_, user, _| user.to_owned()),
    ("width", |_, _, processors| {
        let class = usize::try_from(class(i64::from(processors), &WIDTHS)).unwrap_or(0);
        // Numbered, so that rows come in order of width.
        WIDTHS.get(class).map_or_else(String::new, |width| format!("{class}{}", width.1))
    }),
];

/// Scores a journal; `None` for one without events.
pub fn score(events: &[Event]) -> Option<Score> {
    let begins = |event: &Event| matches!(event, Event::Begin { .. });
    let began = events.iter().find(|event| begins(event)).map(Event::at);
    // The first look finds jobs that started long before, and jobs that had ended.
    let from = began.or_else(|| events.iter().map(Event::at).min())?;
    let to = events.iter().map(Event::at).max()?.max(from);
    let preset = events.iter().rev().find_map(|event| match event {
        Event::Begin { preset, .. } => Some(preset.clone()),
        _ => None,
    });
    let (settled, withdrawn, open) = settle(events);
    let done: Vec<&Done> = events.iter().filter_map(ended).filter(|done| done.end >= from).collect();
    let all = rows(&done, &settled, |_, _, _| String::new()).pop().unwrap_or_default();
    let part = |(by, of): &Division| {
        let mut rows = rows(&done, &settled, *of);
        if *by == "width" {
            rows.iter_mut().for_each(|row| row.name = row.name.get(1..).unwrap_or_default().to_owned());
        } else {
            rows.sort_by(|a, b| b.jobs.cmp(&a.jobs).then_with(|| a.name.cmp(&b.name)));
        }
        (*by, rows)
    };
    Some(Score {
        surefill: env!("CARGO_PKG_VERSION"),
        preset: preset.unwrap_or_default(),
        from,
        to,
        needed_s: (COVERED * all.mean_wait_s).ceil() as i64,
        all: Row { name: "all jobs".to_owned(), ..all },
        parts: DIVISIONS.iter().map(part).collect(),
        withdrawn,
        open,
        promises: promises(events, to),
        unjudged: unjudged(events, from, to),
    })
}

fn ended(event: &Event) -> Option<&Done> {
    match event {
        Event::Ended(done) => Some(done),
        _ => None,
    }
}

/// Follows every decision to its end.
fn settle(events: &[Event]) -> (Vec<Settled<'_>>, u64, u64) {
    let mut courses: Vec<Course<'_>> = Vec::new();
    let mut latest: BTreeMap<&str, usize> = BTreeMap::new();
    let mut starts: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let mut gone: BTreeSet<&str> = BTreeSet::new();
    for event in events {
        match event {
            Event::Would(would) => {
                latest.insert(&would.job, courses.len());
                courses.push(Course { would, start: None, end: None, withdrawn: false });
            }
            Event::Started { at, job, .. } => {
                starts.entry(job).or_default().push(*at);
                let course = latest.get(job.as_str()).and_then(|&index| courses.get_mut(index));
                if let Some(course) = course {
                    course.start.get_or_insert(*at);
                }
            }
            Event::Ended(done) => {
                let course = latest.remove(done.job.as_str()).and_then(|index| courses.get_mut(index));
                if let Some(course) = course {
                    (course.start, course.end) = (Some(done.start), Some(done.end));
                }
            }
            Event::Left { job, .. } => {
                gone.insert(job);
                let course = latest.remove(job.as_str()).and_then(|index| courses.get_mut(index));
                if let Some(course) = course {
                    course.withdrawn = true;
                }
            }
            _ => {}
        }
    }
    let (mut settled, mut withdrawn, mut open) = (Vec::new(), 0, 0);
    for Course { would, start, end, withdrawn: left } in courses {
        let head = starts.get(would.head.as_str());
        let head = head.and_then(|starts| starts.iter().find(|&&start| start >= would.at)).copied();
        match (start, end) {
            _ if left => withdrawn += 1,
            (Some(start), Some(end)) => {
                let gain = (start - would.at).max(0);
                let loss = match head {
                    Some(head) => (would.at + (end - start) - head).max(0),
                    // The head job was cancelled: it was kept from no start.
                    None if gone.contains(would.head.as_str()) => 0,
                    None => {
                        open += 1;
                        continue;
                    }
                };
                settled.push(Settled { would, gain, loss });
            }
            _ => open += 1,
        }
    }
    (settled, withdrawn, open)
}

/// A row for every class, in order of their names.
fn rows(done: &[&Done], settled: &[Settled<'_>], of: fn(&str, &str, u32) -> String) -> Vec<Row> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut waited: BTreeMap<String, i64> = BTreeMap::new();
    for job in done {
        let name = of(&job.partition, &job.user, job.processors);
        *waited.entry(name.clone()).or_default() += job.start - job.eligible;
        rows.entry(name).or_default().jobs += 1;
    }
    // The longest of the delays by jobs that overtake one head job counts.
    let mut heads: BTreeMap<&str, (String, i64)> = BTreeMap::new();
    for Settled { would, gain, loss } in settled {
        let row = rows.entry(of(&would.partition, &would.user, would.processors)).or_default();
        row.earlier += u64::from(*gain > 0);
        row.earlier_s += gain;
        let name = of(&would.head_partition, &would.head_user, would.head_processors);
        let most = &mut heads.entry(&would.head).or_insert((name, 0)).1;
        *most = (*most).max(*loss);
    }
    for (name, loss) in heads.into_values() {
        let row = rows.entry(name).or_default();
        row.overtaken += 1;
        row.later += u64::from(loss > 0);
        row.later_s += loss;
        row.worst_s = row.worst_s.max(loss);
    }
    rows.into_iter()
        .map(|(name, row)| {
            let sum = waited.get(&name).copied().unwrap_or(0);
            let mean_wait_s = if row.jobs > 0 { sum as f64 / row.jobs as f64 } else { 0.0 };
            Row { mean_wait_s, name, ..row }
        })
        .collect()
}

fn promises(events: &[Event], now: i64) -> Vec<Promises> {
    let mut all: BTreeMap<&str, Promises> = BTreeMap::new();
    let mut waiting: BTreeMap<&str, (&str, i64)> = BTreeMap::new();
    for event in events {
        match event {
            Event::Bound { at, job, partition, within, .. } => {
                waiting.insert(job, (partition, at.saturating_add(*within)));
            }
            Event::Started { at, job, .. } => {
                let Some((partition, until)) = waiting.remove(job.as_str()) else { continue };
                let promises = all.entry(partition).or_default();
                promises.given += 1;
                *(if *at <= until { &mut promises.kept } else { &mut promises.broken }) += 1;
            }
            Event::Left { job, .. } => drop(waiting.remove(job.as_str())),
            _ => {}
        }
    }
    for (partition, until) in waiting.into_values() {
        let promises = all.entry(partition).or_default();
        promises.given += 1;
        *(if now <= until { &mut promises.open } else { &mut promises.broken }) += 1;
    }
    let named = |(name, promises): (&str, Promises)| Promises { partition: name.to_owned(), ..promises };
    all.into_iter().map(named).collect()
}

fn unjudged(events: &[Event], from: i64, to: i64) -> Vec<Unjudged> {
    let mut since: BTreeMap<&str, (i64, &str)> = BTreeMap::new();
    let mut spans: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for event in events {
        if let Event::Judged { at, pool, why } = event {
            if let Some((then, why)) = since.remove(pool.as_str()) {
                *spans.entry((pool, why)).or_default() += at - then;
            }
            if let Some(why) = why {
                since.insert(pool, (*at, why));
            }
        }
    }
    for (pool, (then, why)) in since {
        *spans.entry((pool, why)).or_default() += to - then;
    }
    let whole = (to - from).max(1) as f64;
    let row = |((pool, why), span): ((&str, &str), i64)| Unjudged {
        pool: pool.to_owned(),
        why: why.to_owned(),
        share: span as f64 / whole,
    };
    spans.into_iter().map(row).collect()
}

/// A pool's jobs as a history, and its size in processors.
#[derive(Debug)]
pub struct PoolHistory {
    /// The pool's partitions.
    pub partitions: Vec<String>,
    /// Processors in service when the watcher began last.
    pub processors: u32,
    /// Its jobs that have ended.
    pub trace: Trace,
}

/// Every pool's jobs as a history to be replayed. Pools that share partitions' nodes are replayed apart all the same.
///
/// # Errors
/// None: wrong jobs are set aside in the trace.
pub fn histories(events: &[Event]) -> Result<Vec<PoolHistory>, Error> {
    let pools: &[PoolSize] = events
        .iter()
        .rev()
        .find_map(|event| match event {
            Event::Begin { pools, .. } => Some(pools.as_slice()),
            _ => None,
        })
        .unwrap_or_default();
    let mut all = Vec::new();
    for pool in pools {
        let name = pool.partitions.join(",");
        let mut collector = Collector::new(&name, Strictness::Lenient);
        let mut jobs = 0;
        for (line, done) in (1..).zip(events.iter().filter_map(ended)) {
            if !pool.partitions.contains(&done.partition) {
                continue;
            }
            jobs += 1;
            collector.job(
                line,
                RawJob {
                    id: done.job.clone(),
                    submit: done.eligible,
                    start: Some(done.start),
                    end: Some(done.end),
                    limit: done.limit,
                    used: Some(done.processors.into()),
                    requested: Some(done.processors.into()),
                    status: Some(1),
                    user: done.user.clone(),
                    group: done.account.clone(),
                    program: done.name.to_string(),
                    partition: done.partition.clone(),
                    ..RawJob::default()
                },
            )?;
        }
        if jobs > 0 {
            let trace = collector.finish();
            all.push(PoolHistory { partitions: pool.partitions.clone(), processors: pool.processors, trace });
        }
    }
    Ok(all)
}
