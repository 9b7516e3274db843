//! Small workloads and replays for the tests.

pub mod models;
pub mod sites;

use proptest::prelude::*;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::{JobRecord, Outcome};
use surefill_simulator::replay::policy::{
    Choice, OrderOptions, OwnPreset, Policy, PolicyOptions, ProbOptions,
};
use surefill_simulator::replay::run::Options;
use surefill_simulator::trace::swf::{self, Strictness, read};
use surefill_simulator::trace::workload::{Rules, Workload};

/// One job of a test.
#[derive(Debug, Clone, Copy)]
pub struct J {
    pub submit: i64,
    pub run_time: i64,
    pub processors: u32,
    pub limit: i64,
    pub user: i64,
}

/// A job of user 1.
pub fn job(submit: i64, run_time: i64, processors: u32, limit: i64) -> J {
    J { submit, run_time, processors, limit, user: 1 }
}

/// The jobs on a machine of `procs` processors, through the trace reader; numbered from 0.
pub fn workload(procs: u32, jobs: &[J]) -> Workload {
    let mut text = format!("; MaxProcs: {procs}\n");
    for (number, j) in jobs.iter().enumerate() {
        let J { submit, run_time, processors, limit, user } = j;
        text += &format!(
            "{number} {submit} -1 {run_time} {processors} -1 -1 {processors} {limit} -1 1 {user} -1 -1 -1 -1 -1 -1\n"
        );
    }
    let trace = read(text.as_bytes(), "test.swf", Strictness::Lenient).unwrap();
    Workload::new(&trace, &Rules::default()).unwrap()
}

/// The options of a policy as the command line writes it.
pub fn options(choice: &str) -> Options {
    let choice: Choice = choice.parse().unwrap();
    let policy = match choice.preset.map(OwnPreset::name) {
        Some(name) => PolicyOptions {
            order: Some(OrderOptions::preset(name)),
            prob: ProbOptions::preset(name),
            ..PolicyOptions::default()
        },
        None => PolicyOptions::default(),
    };
    Options { choice, policy, rules: Rules::default() }
}

/// Replays under a policy of any make.
pub fn replay_with(workload: &Workload, policy: &mut dyn Policy) -> Outcome {
    replay(workload, options("easy").setup("test.swf", workload.procs, 0), policy, &|_| {}).unwrap()
}

/// Replays under a policy by name.
pub fn replay_as(workload: &Workload, choice: &str) -> Outcome {
    let options = options(choice);
    replay_with(workload, &mut *options.choice.build(&options.policy).unwrap())
}

/// Start times in order of submission.
pub fn starts(outcome: &Outcome) -> Vec<i64> {
    outcome.jobs.iter().map(|job| job.start).collect()
}

/// Small crowded workloads on 8 processors.
pub fn small_workloads(exact_limits: bool) -> impl Strategy<Value = Workload> {
    let one = (0i64..120, 0i64..40, 1u32..=8, 1i64..40, 1i64..4);
    proptest::collection::vec(one, 1..40).prop_map(move |jobs| {
        let mut jobs: Vec<J> = jobs
            .into_iter()
            .map(|(submit, run_time, processors, limit, user)| {
                let limit = if exact_limits { run_time.max(1) } else { limit };
                let run_time = if exact_limits { limit } else { run_time };
                J { submit, run_time, processors, limit, user }
            })
            .collect();
        jobs.sort_by_key(|job| job.submit);
        workload(8, &jobs)
    })
}

/// Second by second: when `wanted` processors of `procs` are first free from `now` on, with these jobs running.
pub fn first_free(procs: u32, now: i64, wanted: u32, running: &[&JobRecord]) -> i64 {
    let used = |t| running.iter().filter(|job| job.end > t).map(|job| job.processors).sum::<u32>();
    (now..).find(|&t| used(t) + wanted <= procs).unwrap()
}

/// The demonstration's workload.
pub fn demo() -> Workload {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/workload.swf.gz");
    Workload::new(&swf::open(&path, Strictness::Strict).unwrap(), &Rules::default()).unwrap()
}

/// 40 jobs on 4 processors, crowded, as a trace.
pub fn crowded() -> String {
    let mut text = String::from("; MaxProcs: 4\n; UnixStartTime: 1000000000\n");
    for i in 0..40 {
        let (submit, run_time, processors) = (i * 20, 30 + i * 37 % 200, 1 + i * 7 % 4);
        let user = i % 3;
        text += &format!(
            "{i} {submit} -1 {run_time} {processors} -1 -1 {processors} 300 -1 1 {user} 1 2 -1 -1 -1 -1\n"
        );
    }
    text
}

/// 60 jobs as `sacct` prints them, and a hostile one; the wait of job i is 40 (i mod 7) s.
pub fn accounting() -> String {
    let mut table =
        String::from("JobID|Submit|Start|End|Timelimit|AllocCPUS|User|Account|Partition|State|JobName\n");
    for i in 0..60 {
        let submit = 1_714_557_600 + i * 12_000;
        let (start, processors) = (submit + 40 * (i % 7), 1 + i % 4);
        table += &format!(
            "{}|{submit}|{start}|{}|00:10:00|{processors}|user{}|group{}|batch|COMPLETED|job\n",
            100 + i,
            start + 60 + i * 37 % 400,
            i % 5,
            i % 2
        );
    }
    table + "200|\u{1b}[2Jx|1|2|0|1|\u{1b}]0;owned\u{7}|g|batch|COMPLETED|\u{9b}31m\n"
}

/// Two queues of 1,500 jobs, as a trace; the wait grows with the requested time.
pub fn two_queues() -> String {
    let mut text = String::from("; MaxProcs: 64\n; Queue: 1 short\n; Queue: 2 long\n");
    for i in 0..3000i64 {
        let requested = 600 * (1 + i * 7 % 5);
        let wait = (1 + i * 37 % 100) * requested / 100;
        text +=
            &format!("{i} {} {wait} 60 1 -1 -1 1 {requested} -1 1 1 1 1 {} -1 -1 -1\n", i * 60, 1 + i % 2);
    }
    text
}

/// A page as XML: HTML leaves `meta` and `link` open.
pub fn xml(page: &str) -> String {
    let page = page.strip_prefix("<!DOCTYPE html>").expect("a document type");
    ["<meta ", "<link "].into_iter().fold(page.to_owned(), |page, open| {
        let mut parts = page.split(open);
        let first = parts.next().unwrap_or("").to_owned();
        parts.fold(first, |xml, part| xml + open + &part.replacen('>', "/>", 1))
    })
}
