//! What a site's own jobs would have waited under another policy: one history replayed under two, and measured over a
//! period by who submitted the jobs, how wide they are and how long they run.
//!
//! The whole history is replayed, so that the policies have learnt and the queue is filled when the period begins; only
//! jobs submitted in the period are measured. Every measure is the mean over seeds, each of which shifts submissions by
//! 0 to 59 s, as single schedules are chaotic. Spans are in seconds, processor time in hours.

use crate::base::words::several;
use crate::replay::outcome::{JobRecord, Outcome};
use crate::trace::record::Names;
use crate::trace::workload::{Counts, Job, Workload};
use serde::Serialize;
use std::collections::BTreeMap;

/// Jobs that start earlier or later by less than this count as unchanged.
pub const NOTICED_S: i64 = 60;

/// The most groups that are shown: those with the most processor time; the others are one.
const GROUPS: usize = 12;

/// The number of the longest waits that are shown.
const LONGEST: usize = 10;

/// From when to when jobs are measured, on the trace's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Period {
    /// The first second.
    pub from: i64,
    /// The second after the last.
    pub to: i64,
}

impl Period {
    fn has(&self, submit: i64) -> bool {
        (self.from..self.to).contains(&submit)
    }
}

/// The history under both policies, with one seed.
#[derive(Debug)]
pub struct Pair {
    /// The jobs as they were submitted with this seed.
    pub workload: Workload,
    /// When they were submitted in the history, in the same order: that decides what is measured.
    pub submitted: Vec<i64>,
    /// Their way through the machine under the one policy, in the same order.
    pub before: Outcome,
    /// Under the other.
    pub after: Outcome,
}

impl Pair {
    /// The jobs of the period, each with when it was submitted in the history, and its ways.
    fn measured<'a>(
        &'a self,
        period: &'a Period,
    ) -> impl Iterator<Item = (&'a Job, i64, &'a JobRecord, &'a JobRecord)> {
        let outcomes = self.before.jobs.iter().zip(&self.after.jobs);
        let jobs = self.workload.jobs.iter().zip(&self.submitted).zip(outcomes);
        let all = jobs.map(|((job, &submit), (before, after))| (job, submit, before, after));
        all.filter(|found| period.has(found.1))
    }
}

/// How long jobs waited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Waits {
    /// Arithmetic mean.
    pub mean_s: f64,
    /// Half of the jobs waited no longer.
    pub median_s: f64,
    /// 95 % of the jobs waited no longer.
    pub p95_s: f64,
    /// The longest.
    pub longest_s: f64,
}

/// Some of the jobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Which.
    pub name: String,
    /// How many.
    pub jobs: u64,
    /// What they used of the machine.
    pub processor_hours: f64,
    /// How long they waited really, where the history says; of those of which it does.
    pub recorded: Option<Waits>,
    /// Under the one policy.
    pub before: Waits,
    /// Under the other.
    pub after: Waits,
    /// The share that starts at least a minute earlier under the other.
    pub earlier: f64,
    /// The share that starts at least a minute later.
    pub later: f64,
}

impl Row {
    /// The mean wait under the other policy over that under the one, less 1; `None` where nobody waited.
    pub fn change(&self) -> Option<f64> {
        (self.before.mean_s > 0.0).then(|| self.after.mean_s / self.before.mean_s - 1.0)
    }
}

/// All jobs, divided by one property.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// By what.
    pub by: &'static str,
    /// Its values.
    pub rows: Vec<Row>,
}

/// One of the jobs that waited longest under the other policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Longest {
    /// Its number in the trace.
    pub job: i64,
    /// Whose it is.
    pub user: String,
    /// Processors.
    pub processors: u32,
    /// How long it ran.
    pub run_time_s: i64,
    /// How long it waited really.
    pub recorded_s: Option<i64>,
    /// Under the one policy.
    pub before_s: i64,
    /// Under the other.
    pub after_s: i64,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIf {
    /// The version that made it.
    pub surefill: &'static str,
    /// The history.
    pub trace: String,
    /// The one policy.
    pub before: String,
    /// The other.
    pub after: String,
    /// Processors of the machine.
    pub procs: u32,
    /// The share of the history's time in which more were in use.
    pub above: f64,
    /// What is measured.
    pub period: Period,
    /// Its first and last second as dates, where the history's clock is known.
    pub dates: Option<(String, String)>,
    /// Replays of each policy.
    pub seeds: usize,
    /// All jobs of the period.
    pub all: Row,
    /// [`Row::change`] of all jobs with every seed.
    pub changes: Vec<f64>,
    /// The jobs divided in several ways.
    pub parts: Vec<Part>,
    /// The longest waits under the other policy, with the first seed.
    pub longest: Vec<Longest>,
    /// What the replay rules did to the history.
    pub replay: Counts,
}

/// What is to be answered beside the replays.
#[derive(Debug)]
pub struct Question<'a> {
    /// The history.
    pub trace: &'a str,
    /// The one policy, in words.
    pub before: String,
    /// The other.
    pub after: String,
    /// What is measured.
    pub period: Period,
    /// The share of the history's time in which more processors were in use than are replayed.
    pub above: f64,
    /// Whose the numbers are.
    pub names: &'a Names,
}

/// Measures the replays; `None` without any, or without a job in the period.
pub fn what_if(question: &Question, pairs: &[Pair]) -> Option<WhatIf> {
    let first = pairs.first()?;
    let Question { period, names, .. } = question;
    let all = rows(pairs, period, &|_| Some(0), &|_| "all jobs".to_owned());
    let all = all.into_iter().next()?.1;
    let changes = pairs.iter().filter_map(|pair| {
        rows(std::slice::from_ref(pair), period, &|_| Some(0), &|_| String::new()).first()?.1.change()
    });
    let mut parts = Vec::new();
    let people = [
        ("account or group", (|job: &Job| job.group) as fn(&Job) -> i64, &names.groups),
        ("user", |job| job.user, &names.users),
    ];
    for (by, of, names) in people {
        let name = |number: i64| match names.get(&number) {
            Some(name) => name.clone(),
            None if number < 0 => "unknown".to_owned(),
            None => number.to_string(),
        };
        let rows = rows(pairs, period, &|job| Some(of(job)), &name);
        if rows.len() > 1 {
            parts.push(Part { by, rows: largest(rows, pairs, period, of) });
        }
    }
    let queue = |job: &Job| if job.queue >= 0 { job.queue } else { job.partition };
    let queue_name = |number: i64| {
        let name = names.queues.get(&number).or(names.partitions.get(&number));
        name.cloned().unwrap_or_else(|| if number < 0 { "unknown".to_owned() } else { number.to_string() })
    };
    let queues = rows(pairs, period, &|job| Some(queue(job)), &queue_name);
    if queues.len() > 1 {
        parts.push(Part { by: "queue", rows: largest(queues, pairs, period, queue) });
    }
    let width = |job: &Job| class(i64::from(job.processors), &WIDTHS);
    let length = |job: &Job| class(job.run_time, &LENGTHS);
    for (by, of, classes) in
        [("width", &width as &dyn Fn(&Job) -> i64, &WIDTHS[..]), ("run time", &length, &LENGTHS[..])]
    {
        let name = |index: i64| {
            usize::try_from(index)
                .ok()
                .and_then(|index| classes.get(index))
                .map_or("", |class| class.1)
                .to_owned()
        };
        let rows = rows(pairs, period, &|job| Some(of(job)), &name);
        parts.push(Part { by, rows: rows.into_iter().map(|row| row.1).collect() });
    }
    let start = first.workload.unix_start_time;
    let date = |second: i64| {
        let stamp = jiff::Timestamp::from_second(start?.checked_add(second)?).ok()?;
        Some(stamp.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m-%d").to_string())
    };
    let submits = || first.measured(period).map(|found| found.1);
    let dates = Option::zip(submits().min().and_then(date), submits().max().and_then(date));
    Some(WhatIf {
        surefill: env!("CARGO_PKG_VERSION"),
        trace: question.trace.to_owned(),
        before: question.before.clone(),
        after: question.after.clone(),
        procs: first.workload.procs,
        above: question.above,
        period: *period,
        dates,
        seeds: pairs.len(),
        all,
        changes: changes.collect(),
        parts,
        longest: longest(first, period, names),
        replay: first.workload.counts,
    })
}

/// Classes by their upper ends, which belong to them.
pub(super) type Classes = [(i64, &'static str)];

pub(super) const WIDTHS: [(i64, &str); 7] = [
    (1, "1 processor"),
    (4, "2 to 4"),
    (16, "5 to 16"),
    (64, "17 to 64"),
    (256, "65 to 256"),
    (1024, "257 to 1,024"),
    (i64::MAX, "more than 1,024"),
];

const LENGTHS: [(i64, &str); 6] = [
    (59, "under a minute"),
    (599, "1 to 10 min"),
    (3599, "10 min to 1 h"),
    (4 * 3600 - 1, "1 to 4 h"),
    (86_399, "4 to 24 h"),
    (i64::MAX, "a day and more"),
];

pub(super) fn class(value: i64, classes: &Classes) -> i64 {
    classes.partition_point(|class| class.0 < value) as i64
}

/// The jobs of the period with one value of a property.
#[derive(Default)]
struct Found {
    jobs: u64,
    processor_seconds: f64,
    recorded: Vec<i64>,
    /// With every seed.
    before: Vec<Vec<i64>>,
    after: Vec<Vec<i64>>,
    earlier: u64,
    later: u64,
}

/// A row for every value of a property, in their order.
fn rows(
    pairs: &[Pair],
    period: &Period,
    of: &dyn Fn(&Job) -> Option<i64>,
    name: &dyn Fn(i64) -> String,
) -> Vec<(i64, Row)> {
    let mut found: BTreeMap<i64, Found> = BTreeMap::new();
    for (seed, pair) in pairs.iter().enumerate() {
        for (job, _, before, after) in pair.measured(period) {
            let Some(value) = of(job) else { continue };
            let found = found.entry(value).or_default();
            if seed == 0 {
                found.jobs += 1;
                found.processor_seconds += f64::from(job.processors) * job.run_time as f64;
                found.recorded.extend((job.wait >= 0).then_some(job.wait));
            }
            found.before.resize_with(pairs.len(), Vec::new);
            found.after.resize_with(pairs.len(), Vec::new);
            if let (Some(old), Some(new)) = (found.before.get_mut(seed), found.after.get_mut(seed)) {
                old.push(before.start - before.submit);
                new.push(after.start - after.submit);
            }
            found.earlier += u64::from(before.start - after.start >= NOTICED_S);
            found.later += u64::from(after.start - before.start >= NOTICED_S);
        }
    }
    let row = |(value, found): (i64, Found)| {
        let judged = found.before.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let row = Row {
            name: name(value),
            jobs: found.jobs,
            processor_hours: found.processor_seconds / 3600.0,
            recorded: waits(vec![found.recorded]),
            before: waits(found.before).unwrap_or_default(),
            after: waits(found.after).unwrap_or_default(),
            earlier: found.earlier as f64 / judged,
            later: found.later as f64 / judged,
        };
        (value, row)
    };
    found.into_iter().map(row).collect()
}

/// The means of the measures over the seeds that have jobs; `None` without any.
fn waits(seeds: Vec<Vec<i64>>) -> Option<Waits> {
    let mut sum = Waits::default();
    let mut count = 0.0;
    for mut waits in seeds.into_iter().filter(|waits| !waits.is_empty()) {
        waits.sort_unstable();
        let rank = |share: f64| {
            let rank = (share * waits.len() as f64).ceil() as usize;
            waits.get(rank.max(1) - 1).map_or(0.0, |&wait| wait as f64)
        };
        sum.mean_s += waits.iter().map(|&wait| wait as f64).sum::<f64>() / waits.len() as f64;
        sum.median_s += rank(0.5);
        sum.p95_s += rank(0.95);
        sum.longest_s += rank(1.0);
        count += 1.0;
    }
    (count > 0.0).then(|| Waits {
        mean_s: sum.mean_s / count,
        median_s: sum.median_s / count,
        p95_s: sum.p95_s / count,
        longest_s: sum.longest_s / count,
    })
}

/// The rows with the most processor time, and the others as one.
fn largest(mut rows: Vec<(i64, Row)>, pairs: &[Pair], period: &Period, of: impl Fn(&Job) -> i64) -> Vec<Row> {
    rows.sort_by(|a, b| b.1.processor_hours.total_cmp(&a.1.processor_hours));
    if rows.len() > GROUPS + 1 {
        let others = rows.split_off(GROUPS);
        let shown: Vec<i64> = rows.iter().map(|row| row.0).collect();
        let name = format!("{} others", others.len());
        let rest =
            self::rows(pairs, period, &|job| (!shown.contains(&of(job))).then_some(0), &|_| name.clone());
        rows.extend(rest);
    }
    rows.into_iter().map(|row| row.1).collect()
}

fn longest(pair: &Pair, period: &Period, names: &Names) -> Vec<Longest> {
    let mut all: Vec<Longest> = pair
        .measured(period)
        .map(|(job, _, before, after)| Longest {
            job: job.number,
            user: names.users.get(&job.user).cloned().unwrap_or_else(|| job.user.to_string()),
            processors: job.processors,
            run_time_s: job.run_time,
            recorded_s: (job.wait >= 0).then_some(job.wait),
            before_s: before.start - before.submit,
            after_s: after.start - after.submit,
        })
        .collect();
    all.sort_by_key(|job| std::cmp::Reverse(job.after_s));
    all.truncate(LONGEST);
    all
}

/// The share of a history's time above which the replayed machine is called too small: errors in logs stay below.
const OFTEN: f64 = 0.02;

/// A sentence where the history often had more processors in use than are replayed.
pub fn too_small(procs: u32, above: f64) -> Option<String> {
    (above > OFTEN).then(|| {
        format!(
            "more than the {procs} processors that are replayed were in use for {:.0} % of the history's time: waits come out too \
             long under every policy (--procs)",
            above * 100.0
        )
    })
}

/// What a replay of accounting cannot know, in sentences.
pub fn unknowns(answer: &WhatIf) -> Vec<String> {
    let never = answer.replay.dropped_without_run_time;
    let mut all = vec![
        format!(
            "The replayed machine is one pool of {} interchangeable processors{}. Partitions, kinds of nodes, memory, licences and \
             reservations are not in it.",
            answer.procs,
            if answer.replay.size_from_use {
                " (the most that the history had in use at once, as accounting does not say how many there are)"
            } else {
                ""
            }
        ),
        "Priorities, fair shares, limits per user and interventions of operators are not in it. The recorded waits come \
         from all of these: how far they are from those under EASY says how much that matters here."
            .to_owned(),
        "The replayed machine has no outages and no maintenance.".to_owned(),
        "Run times and submissions stay as they were. People whose jobs start earlier submit the next ones earlier too."
            .to_owned(),
    ];
    let capital = |sentence: String| {
        let mut letters = sentence.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    };
    all.extend(answer.replay.nameless().map(capital));
    all.extend(answer.replay.too_wide(answer.procs).map(|sentence| format!("{sentence}.")));
    all.extend(too_small(answer.procs, answer.above).map(|sentence| format!("{sentence}.")));
    if never > 0 {
        all.push(format!(
            "{} of the history: cancelled before the start, or of unknown run time, and so not replayed.",
            several(never, "job")
        ));
    }
    all.push(match answer.seeds {
        1 => "One replay of each policy: differences of a few percent may be accidents (--seeds).".to_owned(),
        seeds => format!(
            "Schedules are chaotic, so every number under a policy is the mean of {seeds} replays with submissions shifted by up to \
             a minute."
        ),
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::setup::Setup;

    /// Group, processors, run time, recorded wait, waits under both policies.
    type Made = (i64, u32, i64, i64, i64, i64);

    fn pair(jobs: &[Made]) -> Pair {
        let job = |(id, &(group, processors, run_time, wait, ..)): (usize, &Made)| Job {
            id,
            number: id as i64,
            submit: 100 * id as i64,
            wait,
            run_time,
            processors,
            group,
            user: 5,
            queue: -1,
            partition: -1,
            ..Job::default()
        };
        let workload = Workload {
            jobs: jobs.iter().enumerate().map(job).collect(),
            procs: 8,
            counts: Counts::default(),
            unix_start_time: Some(1_714_557_600),
            nodes: None,
        };
        let outcome = |wait: fn(&Made) -> i64| Outcome {
            setup: Setup::default(),
            jobs: workload
                .jobs
                .iter()
                .zip(jobs)
                .map(|(job, made)| JobRecord {
                    number: job.number,
                    user: job.user,
                    submit: job.submit,
                    start: job.submit + wait(made),
                    end: job.submit + wait(made) + job.run_time,
                    processors: job.processors,
                    limit: job.run_time,
                    backfill: None,
                })
                .collect(),
            passes: 0,
            decisions: 0,
            pass_seconds: Vec::new(),
            wall_seconds: 0.0,
            nodes: None,
        };
        let submitted = workload.jobs.iter().map(|job| job.submit).collect();
        Pair { before: outcome(|made| made.4), after: outcome(|made| made.5), workload, submitted }
    }

    fn ask(pairs: &[Pair], period: Period) -> Option<WhatIf> {
        let names = Names { groups: BTreeMap::from([(1, "physics".to_owned())]), ..Names::default() };
        let question = Question {
            trace: "t",
            before: "EASY".to_owned(),
            after: "fair".to_owned(),
            period,
            above: 0.5,
            names: &names,
        };
        what_if(&question, pairs)
    }

    const ALWAYS: Period = Period { from: 0, to: 1 << 40 };

    #[test]
    fn means_over_jobs_and_seeds_by_every_property() {
        let first = [(1, 1, 30, 60, 100, 40), (1, 4, 3600, -1, 200, 300), (2, 5, 86_400, 120, 0, 59)];
        let second = [(1, 1, 30, 60, 300, 0), (1, 4, 3600, -1, 0, 0), (2, 5, 86_400, 120, 60, 0)];
        let answer = ask(&[pair(&first), pair(&second)], ALWAYS).unwrap();
        let all = &answer.all;
        assert_eq!((all.jobs, all.processor_hours), (3, (30.0 + 4.0 * 3600.0 + 5.0 * 86_400.0) / 3600.0));
        // Means of 100 and 120 s with the two seeds; of 133 and 0 s; the longest 200 and 300, 300 and 0.
        assert!((all.before.mean_s - 110.0).abs() < 1e-9 && (all.after.mean_s - 66.5).abs() < 1e-9);
        assert_eq!((all.before.longest_s, all.after.longest_s, all.before.median_s), (250.0, 150.0, 80.0));
        let recorded = all.recorded.unwrap();
        assert_eq!((recorded.mean_s, recorded.longest_s), (90.0, 120.0));
        // Of six starts three are a minute or more earlier, one later; 59 s are not noticed.
        assert_eq!((all.earlier, all.later), (3.0 / 6.0, 1.0 / 6.0));
        assert_eq!(answer.changes, [133.0 / 100.0 - 1.0, -1.0]);
        let part = |by: &str| answer.parts.iter().find(|part| part.by == by);
        let names = |by: &str| {
            part(by).unwrap().rows.iter().map(|row| (row.name.clone(), row.jobs)).collect::<Vec<_>>()
        };
        // With most processor time first.
        assert_eq!(names("account or group"), [("2".to_owned(), 1), ("physics".to_owned(), 2)]);
        assert_eq!(
            names("width"),
            [("1 processor".to_owned(), 1), ("2 to 4".to_owned(), 1), ("5 to 16".to_owned(), 1)]
        );
        assert_eq!(
            names("run time"),
            [("under a minute".to_owned(), 1), ("1 to 4 h".to_owned(), 1), ("a day and more".to_owned(), 1)]
        );
        // One user and no queue divide nothing.
        assert!(part("user").is_none() && part("queue").is_none());
        assert_eq!(
            answer.longest[0],
            Longest {
                job: 1,
                user: "5".to_owned(),
                processors: 4,
                run_time_s: 3600,
                recorded_s: None,
                before_s: 200,
                after_s: 300
            }
        );
        assert_eq!(answer.dates, Some(("2024-05-01".to_owned(), "2024-05-01".to_owned())));
    }

    #[test]
    fn only_the_period_is_measured() {
        let jobs = [(1, 1, 30, 60, 100, 40), (1, 4, 3600, -1, 200, 300), (2, 5, 86_400, 120, 0, 59)];
        let answer = ask(&[pair(&jobs)], Period { from: 100, to: 200 }).unwrap();
        assert_eq!((answer.all.jobs, answer.all.after.mean_s, answer.all.recorded), (1, 300.0, None));
        assert!(ask(&[pair(&jobs)], Period { from: 101, to: 200 }).is_none());
        assert!(ask(&[], ALWAYS).is_none());
        assert!(unknowns(&answer).iter().any(|text| text.contains("in use for 50 % of the history's time")));
        assert_eq!((too_small(64, 0.02), too_small(64, 0.0)), (None, None));
    }

    #[test]
    fn small_groups_are_one() {
        let jobs: Vec<Made> = (0..20).map(|i| (i, 1, 1000 - i, 0, i, 2 * i)).collect();
        let answer = ask(&[pair(&jobs)], ALWAYS).unwrap();
        let rows = &answer.parts[0].rows;
        assert_eq!((rows.len(), rows[0].name.as_str(), rows[12].name.as_str()), (13, "0", "8 others"));
        // Groups 12 to 19.
        assert_eq!((rows[12].jobs, rows[12].before.mean_s, rows[12].after.mean_s), (8, 15.5, 31.0));
        assert_eq!(rows.iter().map(|row| row.jobs).sum::<u64>(), 20);
    }
}
