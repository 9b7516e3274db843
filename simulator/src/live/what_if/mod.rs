//! Waits of a site's own jobs under another policy: one history replayed under two, and measured over a
//! period by who submitted the jobs, how wide they are and how long they run.
//!
//! The whole history is replayed, so that the policies have learnt and the queue is filled when the period begins;
//! only jobs submitted in the period are measured. Every measure is the mean over seeds, each of which shifts
//! submissions by 0 to 59 s, as single schedules are chaotic. Spans are in seconds, processor time in hours.
//!
//! The replays are scored against the record before anything else ([`Scored`]), and beside them stands what could
//! have been saved in the recorded schedule, which needs no replay ([`holes`]).

mod ask;
mod expected;
pub mod holes;
mod rows;
mod scored;
mod unknown;

use crate::base::bootstrap::Figure;
use crate::replay::outcome::{JobRecord, Outcome};
use crate::replay::scored::Scored;
use crate::trace::record::Names;
use crate::trace::workload::{Counts, Job, Workload};
use rows::{LENGTHS, largest, rows};
use serde::Serialize;

pub use ask::{Ask, AskError, Asked};
pub use rows::{Part, Row, Waits};
pub(super) use rows::{WIDTHS, class};
pub use scored::{Anchored, Earlier};
pub use unknown::{too_small, unknowns};

/// Jobs that start earlier or later by less than this count as unchanged.
pub const NOTICED_S: i64 = 60;

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
    /// Under the site's own rule by limits with ageing, where a site with priorities is replayed.
    pub ageing: Option<Outcome>,
}

/// A job of the period.
struct Measured<'a> {
    job: &'a Job,
    /// When it was submitted in the history.
    submitted: i64,
    before: &'a JobRecord,
    after: &'a JobRecord,
    ageing: Option<&'a JobRecord>,
}

impl Pair {
    /// The jobs of the period.
    fn measured<'a>(&'a self, period: &'a Period) -> impl Iterator<Item = Measured<'a>> {
        let outcomes = self.before.jobs.iter().zip(&self.after.jobs);
        let jobs = self.workload.jobs.iter().zip(&self.submitted).zip(outcomes).enumerate();
        let all = jobs.map(|(place, ((job, &submitted), (before, after)))| {
            let ageing = self.ageing.as_ref().and_then(|outcome| outcome.jobs.get(place));
            Measured { job, submitted, before, after, ageing }
        });
        all.filter(|found| period.has(found.submitted))
    }
}

/// One of the jobs that waited longest under the other policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Longest {
    /// Its number in the trace.
    pub job: i64,
    /// Its user.
    pub user: String,
    /// Processors.
    pub processors: u32,
    /// Its run time.
    pub run_time_s: i64,
    /// Its recorded wait.
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
    /// The site's nodes and partitions, where the machine is a site's.
    pub site: Option<SiteSize>,
    /// The share of the history's time in which more were in use.
    pub above: f64,
    /// The period that is measured.
    pub period: Period,
    /// Its first and last second as dates, where the history's clock is known.
    pub dates: Option<(String, String)>,
    /// Replays of each policy.
    pub seeds: usize,
    /// Weeks of the period in which jobs were submitted, on which intervals rest.
    pub weeks: usize,
    /// The replay beside the record; none where no wait is recorded.
    pub scored: Option<Scored>,
    /// Waiting that could have been saved in the recorded schedule; none where no wait is recorded.
    pub anchored: Option<Anchored>,
    /// All jobs of the period.
    pub all: Row,
    /// [`Row::change`] of all jobs.
    pub change: Option<Figure>,
    /// The jobs divided in several ways.
    pub parts: Vec<Part>,
    /// The longest waits under the other policy, with the first seed.
    pub longest: Vec<Longest>,
    /// Effects of the replay rules on the history.
    pub replay: Counts,
    /// Remarks on the reading of the history, and on lines and jobs left out, in sentences.
    pub remarks: Vec<String>,
}

/// The size of a site's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SiteSize {
    /// Number of nodes.
    pub nodes: u32,
    /// Number of partitions that jobs ran in.
    pub partitions: usize,
    /// Whether its priorities are those of `priority/multifactor`.
    pub multifactor: bool,
    /// Number of times without some of the nodes.
    pub outages: usize,
}

/// The question that the replays answer.
#[derive(Debug)]
pub struct Question<'a> {
    /// The history.
    pub trace: &'a str,
    /// Its jobs as they were submitted.
    pub recorded: &'a Workload,
    /// Remarks on the reading of it, in sentences.
    pub remarks: Vec<String>,
    /// The one policy, in words.
    pub before: String,
    /// The other.
    pub after: String,
    /// The period that is measured.
    pub period: Period,
    /// The share of the history's time in which more processors were in use than are replayed.
    pub above: f64,
    /// Names of users, groups and queues by their numbers in the trace.
    pub names: &'a Names,
}

/// Measures the replays; `None` without any, or without a job in the period.
pub fn what_if(question: &Question, pairs: &[Pair]) -> Option<WhatIf> {
    let first = pairs.first()?;
    let Question { period, names, .. } = question;
    let all = rows(pairs, period, &|_| Some(0), &|_| "all jobs".to_owned());
    let all = all.into_iter().next()?.1;
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
    let submits = || first.measured(period).map(|found| found.submitted);
    let dates = Option::zip(submits().min().and_then(date), submits().max().and_then(date));
    let beside = scored::beside(question.recorded, period, pairs);
    let (scored, anchored) = beside.scored.unzip();
    Some(WhatIf {
        surefill: env!("CARGO_PKG_VERSION"),
        trace: question.trace.to_owned(),
        before: question.before.clone(),
        after: question.after.clone(),
        procs: first.workload.procs,
        site: first.workload.site.as_ref().map(|site| SiteSize {
            nodes: first.workload.nodes.as_ref().map_or(0, |machine| machine.nodes()),
            partitions: site.partitions.len(),
            multifactor: site.weights.is_some(),
            outages: site.outages.len(),
        }),
        above: question.above,
        period: *period,
        dates,
        seeds: pairs.len(),
        weeks: beside.weeks,
        scored,
        anchored,
        all,
        change: beside.change,
        parts,
        longest: longest(first, period, names),
        replay: first.workload.counts,
        remarks: question.remarks.clone(),
    })
}

fn longest(pair: &Pair, period: &Period, names: &Names) -> Vec<Longest> {
    let mut all: Vec<Longest> = pair
        .measured(period)
        .map(|Measured { job, before, after, .. }| Longest {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::bootstrap::{draws, interval};
    use crate::replay::scored::Verdict;
    use crate::replay::setup::Setup;
    use std::collections::BTreeMap;

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
            site: None,
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
        Pair {
            before: outcome(|made| made.4),
            after: outcome(|made| made.5),
            ageing: None,
            workload,
            submitted,
        }
    }

    fn ask(pairs: &[Pair], period: Period) -> Option<WhatIf> {
        let names = Names { groups: BTreeMap::from([(1, "physics".to_owned())]), ..Names::default() };
        let none = pair(&[]).workload;
        let question = Question {
            trace: "t",
            recorded: pairs.first().map_or(&none, |pair| &pair.workload),
            remarks: Vec::new(),
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
        // Three of the six starts are a minute or more earlier, one later; 59 s are not noticed.
        assert_eq!((all.earlier, all.later), (3.0 / 6.0, 1.0 / 6.0));
        assert_eq!(answer.change.unwrap().value, 66.5 / 110.0 - 1.0);
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

    /// Only jobs whose waits are recorded count; savings are counted from the smaller of replay and record.
    #[test]
    fn replays_are_scored_against_the_record() {
        let mut jobs = [(1, 1, 30, 1000, 400, 300), (1, 1, 30, -1, 9000, 9000), (1, 1, 30, 600, 200, 100)];
        let scored = |jobs: &[Made]| ask(&[pair(jobs)], ALWAYS).unwrap().scored.unwrap();
        let first = scored(&jobs);
        assert_eq!((first.jobs, first.verdict), (2, Verdict::Explained));
        assert_eq!((first.recorded_s, first.before_s, first.after_s), (800.0, 300.0, 200.0));
        let values = |scored: &Scored| {
            [scored.explained, Some(scored.saved_s), scored.saved].map(|figure| figure.unwrap().value)
        };
        assert_eq!(values(&first), [0.375, 100.0, 0.125]);
        // One week has no interval.
        assert_eq!(first.saved_s.ci95, None);
        (jobs[0].4, jobs[2].4) = (2000, 1000);
        assert_eq!(values(&scored(&jobs)), [1.875, 600.0, 0.75]);
        assert_eq!(scored(&jobs).verdict, Verdict::Exceeded);
        (jobs[0].4, jobs[2].4) = (399, 0);
        assert_eq!(scored(&jobs).verdict, Verdict::Unexplained);
        (jobs[0].3, jobs[2].3) = (100, 0);
        let short = scored(&jobs);
        assert_eq!((short.verdict, short.explained, short.saved), (Verdict::Short, None, None));
        (jobs[0].3, jobs[2].3) = (-1, -1);
        let none = ask(&[pair(&jobs)], ALWAYS).unwrap();
        assert_eq!((none.scored, none.anchored), (None, None));
    }

    /// The recorded schedule of the pair: every job starts 1,000 s late on an empty machine.
    #[test]
    fn the_recorded_schedule_is_measured_in_the_period() {
        let jobs = [(1, 8, 30, 1000, 0, 0); 12];
        let answer = ask(&[pair(&jobs)], Period { from: 200, to: 400 }).unwrap();
        let anchored = answer.anchored.unwrap();
        // Each job starts at its submission, as those before it have left by then; and recorded are idle all but 30 s
        // of each job that runs meanwhile: the first at 1000 up to one that starts in the last second of the wait.
        assert_eq!((anchored.run_times.saved_s.value, anchored.run_times.earlier), (1000.0, 1.0));
        assert_eq!(anchored.expected, anchored.run_times);
        // Jobs 2 and 3 wait from 200 to 1200 and from 300 to 1300, jobs 0 to 2 run 30 s from 1000, 1100 and 1200.
        assert_eq!(anchored.idle, Some((2000.0 - 2.0 * 30.0 - 3.0 * 30.0) / 2000.0));
    }

    /// The interval is that of the weeks' own sums, drawn again.
    #[test]
    fn intervals_are_over_weeks_and_replays() {
        let weeks = [(10, 3000, 1000), (1, 9000, 100), (30, 600, 700), (5, 4000, 3000), (20, 100, 0)];
        let pairs: Vec<Pair> = [0, 50]
            .into_iter()
            .map(|more| {
                let jobs: Vec<(i64, Made)> = (0..)
                    .zip(weeks)
                    .flat_map(|(week, (jobs, before, after))| {
                        (0..jobs).map(move |_| (week, (1, 1, 30, 10_000, before, after + more)))
                    })
                    .collect();
                let made: Vec<Made> = jobs.iter().map(|job| job.1).collect();
                let mut pair = pair(&made);
                for (index, (week, _)) in jobs.iter().enumerate() {
                    let submit = week * 7 * 86_400 + 100;
                    let moved = submit - pair.workload.jobs[index].submit;
                    pair.workload.jobs[index].submit = submit;
                    pair.submitted[index] = submit;
                    for record in [&mut pair.before.jobs[index], &mut pair.after.jobs[index]] {
                        (record.submit, record.start) = (record.submit + moved, record.start + moved);
                    }
                }
                pair
            })
            .collect();
        let answer = ask(&pairs, ALWAYS).unwrap();
        assert_eq!(answer.weeks, 5);
        let of = |blocks: &[usize], replays: &[usize]| {
            let mut sums = (0.0, 0.0, 0.0);
            for &block in blocks {
                let (jobs, before, after) = weeks[block];
                for &replay in replays {
                    sums.0 += jobs as f64;
                    sums.1 += (jobs * before) as f64;
                    sums.2 += (jobs * (after + 50 * replay as i64)) as f64;
                }
            }
            ((sums.1 - sums.2) / sums.0, sums.2 / sums.1 - 1.0)
        };
        let all: Vec<(f64, f64)> = draws(5, 2).map(|draw| of(&draw.blocks, &draw.replays)).collect();
        let near = |figure: Figure, whole: f64, drawn: Vec<f64>| {
            let expected = interval(5, drawn.into_iter().map(Some)).unwrap();
            let found = figure.ci95.unwrap();
            let ends = [(figure.value, whole), (found.low, expected.low), (found.high, expected.high)];
            assert!(ends.iter().all(|(a, b)| (a - b).abs() < 1e-9), "{ends:?}");
            assert!(found.low < figure.value && figure.value < found.high);
        };
        let whole = of(&[0, 1, 2, 3, 4], &[0, 1]);
        near(answer.scored.unwrap().saved_s, whole.0, all.iter().map(|values| values.0).collect());
        near(answer.change.unwrap(), whole.1, all.iter().map(|values| values.1).collect());
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
