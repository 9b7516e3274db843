//! The policies against Batsim, the simulator of the OAR team, and its scheduler batsched: when each job starts there,
//! as `vectors/batsim.py` wrote it down.
//!
//! batsched differs from this project's policies in what it plans with: hosts that have names, where a job keeps its
//! hosts from beginning to end, instead of a number of processors; and in what it does at an event ([`Ways`]).
//! [`schedule`] is a short scheduler of its own that can do either. With batsched's ways it makes every start of
//! batsched, without them every start of this project's policies, so that nothing else differs.

use crate::common::{J, job, replay_as, starts, workload};
use serde::Deserialize;
use std::collections::BTreeMap;
use surefill_simulator::trace::workload::Workload;

#[derive(Deserialize)]
struct Vectors {
    processors: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    /// Submission, run time, processors, limit, user.
    jobs: Vec<(i64, i64, u32, i64, i64)>,
    /// Seconds from submission to start in Batsim, by policy as this project calls it.
    waits: BTreeMap<String, Vec<i64>>,
}

impl Case {
    fn theirs(&self, policy: &str) -> Vec<i64> {
        self.jobs.iter().zip(&self.waits[policy]).map(|(job, wait)| job.0 + wait).collect()
    }

    /// Jobs on one host or on all of them: which host it is cannot matter to EASY.
    fn narrow(&self, processors: u32) -> bool {
        self.jobs.iter().all(|job| [1, processors].contains(&job.2))
    }

    /// Limits are run times: no job ends before it is expected to, and conservative reservations never move up.
    fn exact(&self) -> bool {
        self.jobs.iter().all(|job| job.1 == job.3)
    }

    fn mean_wait_hours(&self, starts: &[i64]) -> f64 {
        let waits = starts.iter().zip(&self.jobs).map(|(start, job)| start - job.0);
        waits.sum::<i64>() as f64 / starts.len() as f64 / 3600.0
    }
}

fn vectors() -> (u32, Vec<(Workload, Case)>) {
    let vectors: Vectors = serde_json::from_str(include_str!("vectors/batsim.json")).unwrap();
    let one = |case: Case| {
        let jobs = case.jobs.iter().map(|&(submit, run_time, processors, limit, user)| J {
            user,
            ..job(submit, run_time, processors, limit)
        });
        (workload(vectors.processors, &jobs.collect::<Vec<_>>()), case)
    };
    (vectors.processors, vectors.cases.into_iter().map(one).collect())
}

/// A running job or a reservation.
struct Placed {
    job: usize,
    begin: i64,
    end: i64,
    width: u32,
    hosts: u64,
}

/// Jobs in time, on hosts with names or on processors that are counted.
struct Planner<'a> {
    case: &'a Case,
    processors: u32,
    named: bool,
    plan: Vec<Placed>,
}

impl Planner<'_> {
    /// The hosts that a job of this width would have all the time, the first ones; 0 if processors are counted.
    fn hosts(&self, begin: i64, end: i64, width: u32) -> Option<u64> {
        let meeting = || self.plan.iter().filter(|placed| placed.begin < end && begin < placed.end);
        if self.named {
            let used = meeting().fold(0, |used, placed| used | placed.hosts);
            let free: Vec<u32> = (0..self.processors).filter(|host| used >> host & 1 == 0).collect();
            return Some(free.get(..width as usize)?.iter().fold(0, |hosts, host| hosts | 1 << host));
        }
        let used_at = |time| {
            let there = meeting().filter(|placed| placed.begin <= time && time < placed.end);
            there.map(|placed| placed.width).sum::<u32>()
        };
        let most = meeting().map(|placed| used_at(placed.begin.max(begin))).max().unwrap_or(0);
        (most + width <= self.processors).then_some(0)
    }

    /// Places a job anew, as early as it fits; whether that is now.
    fn place(&mut self, job: usize, now: i64) -> bool {
        self.remove(job);
        let (_, _, width, limit, _) = self.case.jobs[job];
        let mut begins: Vec<i64> =
            self.plan.iter().map(|placed| placed.end).filter(|&end| end > now).collect();
        begins.push(now);
        begins.sort_unstable();
        let fits = |begin| Some((begin, self.hosts(begin, begin + limit, width)?));
        let (begin, hosts) = begins.into_iter().find_map(fits).unwrap();
        self.plan.push(Placed { job, begin, end: begin + limit, width, hosts });
        begin == now
    }

    fn remove(&mut self, job: usize) {
        self.plan.retain(|placed| placed.job != job);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Fcfs,
    Easy,
    /// EASY with the queue in the order of limits.
    EasyShortest,
    Conservative,
}

const RULES: [(&str, Rule); 4] = [
    ("fcfs", Rule::Fcfs),
    ("easy", Rule::Easy),
    ("easy:limit:sjf", Rule::EasyShortest),
    ("conservative", Rule::Conservative),
];

/// batsched's ways.
#[derive(Clone, Copy)]
struct Ways {
    /// Hosts have names.
    named: bool,
    /// Conservative: reservations move up one by one in the order of submission; in this project they are all taken up
    /// and made again in the order of their times. EASY: where jobs have come and none has ended, only the new ones are
    /// candidates, in the order of submission; in this project every waiting job is, in the order of the queue.
    events: bool,
}

const THEIRS: Ways = Ways { named: true, events: true };
const OURS: Ways = Ways { named: false, events: false };

fn schedule(case: &Case, processors: u32, rule: Rule, ways: Ways) -> Vec<i64> {
    let mut planner = Planner { case, processors, named: ways.named, plan: Vec::new() };
    let mut start = vec![None; case.jobs.len()];
    let mut queue: Vec<usize> = Vec::new();
    let mut running: Vec<(i64, usize)> = Vec::new();
    let mut submitted = 0;
    loop {
        let next = case.jobs.get(submitted).map(|job| job.0);
        let Some(now) = running.iter().map(|running| running.0).chain(next).min() else { break };
        let ended: Vec<usize> =
            running.iter().filter(|running| running.0 == now).map(|running| running.1).collect();
        running.retain(|running| running.0 != now);
        ended.iter().for_each(|&job| planner.remove(job));
        let new: Vec<usize> =
            (submitted..case.jobs.len()).take_while(|&job| case.jobs[job].0 == now).collect();
        submitted += new.len();
        queue.extend(&new);

        let mut started: Vec<usize> = Vec::new();
        if rule == Rule::Conservative {
            let mut order = if ended.is_empty() { new } else { queue.clone() };
            if !ended.is_empty() && !ways.events {
                let begin = |job| {
                    planner.plan.iter().find(|placed| placed.job == job).map_or(i64::MAX, |at| at.begin)
                };
                order.sort_by_key(|&job| (begin(job), job));
                order.iter().for_each(|&job| planner.remove(job));
            }
            started.extend(order.into_iter().filter(|&job| planner.place(job, now)));
        } else {
            if rule == Rule::EasyShortest {
                queue.sort_by_key(|&job| (case.jobs[job].3, job));
            }
            queue.iter().for_each(|&job| planner.remove(job));
            started.extend(queue.iter().take_while(|&&job| planner.place(job, now)));
            let head = queue.get(started.len()).copied();
            let candidates = match rule {
                Rule::Fcfs => Vec::new(),
                _ if ways.events && ended.is_empty() => new,
                _ => queue.clone(),
            };
            for job in candidates {
                if Some(job) == head || started.contains(&job) {
                    continue;
                }
                if planner.place(job, now) {
                    started.push(job);
                } else {
                    planner.remove(job);
                }
            }
        }
        for job in started {
            start[job] = Some(now);
            running.push((now + case.jobs[job].1, job));
            queue.retain(|&waiting| waiting != job);
        }
    }
    start.into_iter().map(Option::unwrap).collect()
}

/// The meaning of the counts stands in docs/add-a-policy.md.
#[test]
fn every_start_is_the_same_but_for_the_ways() {
    let (processors, cases) = vectors();
    let mut same = BTreeMap::new();
    for (workload, case) in &cases {
        for (name, rule) in RULES {
            let (theirs, ours) = (case.theirs(name), starts(&replay_as(workload, name)));
            assert_eq!(schedule(case, processors, rule, THEIRS), theirs, "{name}");
            assert_eq!(schedule(case, processors, rule, OURS), ours, "{name}");
            let alike = match rule {
                Rule::Fcfs => true,
                Rule::Easy | Rule::EasyShortest => case.narrow(processors),
                Rule::Conservative => case.narrow(processors) && case.exact(),
            };
            if alike {
                assert_eq!(theirs, ours, "{name}");
            }
            let (equal, all) = same.entry(name).or_insert((0, 0));
            *equal += theirs.iter().zip(&ours).filter(|(theirs, ours)| theirs == ours).count();
            *all += ours.len();
        }
    }
    let expected = [
        ("conservative", (2570, 3200)),
        ("easy", (2628, 3200)),
        ("easy:limit:sjf", (2636, 3200)),
        ("fcfs", (3200, 3200)),
    ];
    assert_eq!(same, expected.into());
}

/// batsched has nothing probabilistic. Its EASY beside this project's and the preset `delay`, where limits say little.
#[test]
fn mean_waits_beside_its_easy() {
    let (processors, cases) = vectors();
    let mixed: Vec<_> = cases.iter().filter(|(_, case)| !case.exact() && !case.narrow(processors)).collect();
    let mean = |starts: &dyn Fn(&Workload, &Case) -> Vec<i64>| {
        let means = mixed.iter().map(|(workload, case)| case.mean_wait_hours(&starts(workload, case)));
        means.sum::<f64>() / mixed.len() as f64
    };
    let theirs = mean(&|_, case| case.theirs("easy"));
    let easy = mean(&|workload, _| starts(&replay_as(workload, "easy")));
    let delay = mean(&|workload, _| starts(&replay_as(workload, "delay")));
    let count = mixed.len();
    println!(
        "mean waits in hours on {count} workloads: batsched's EASY {theirs:.2}, EASY {easy:.2}, delay {delay:.2}"
    );
    assert!((theirs - 8.08).abs() < 0.005 && (easy - 8.37).abs() < 0.005, "{theirs} {easy}");
    assert!(delay < theirs, "{delay} {theirs}");
}
