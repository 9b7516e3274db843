//! `surefill watch` without a resource manager: what is judged, what is written down, what it comes to.

use surefill_simulator::live::advise::Snapshot;
use surefill_simulator::live::advise::read::{Job, Node, Past, State};
use surefill_simulator::live::advise::rule::Rule;
use surefill_simulator::live::watch::Watcher;
use surefill_simulator::live::watch::journal::{self, Done, Event, Would, Writer};
use surefill_simulator::live::watch::score::{histories, score};

const HOUR: i64 = 3600;

fn job(id: &str, user: &str, state: State, nodes: u32, priority: i64, used: i64) -> Job {
    Job {
        id: id.into(),
        user: user.into(),
        partition: "main".into(),
        state,
        nodes,
        processors: nodes,
        limit: HOUR,
        used,
        submit: 900,
        priority,
        reason: "Priority".into(),
        account: "staff".into(),
        start: (state != State::Pending).then_some(1000),
        end: None,
        outcome: String::new(),
        special: false,
        held: Vec::new(),
        tasks: None,
        name: "wrap".into(),
    }
}

fn snapshot(now: i64, jobs: Vec<Job>, nodes: u32) -> Snapshot {
    let held: u32 = jobs.iter().filter(|job| job.state == State::Running).map(|job| job.nodes).sum();
    let node = |i: u32| Node {
        name: format!("n{i}"),
        partition: "main".into(),
        state: if i < held { "allocated" } else { "idle" }.into(),
        processors: 1,
    };
    Snapshot {
        now,
        jobs,
        nodes: (0..nodes).map(node).collect(),
        past: Vec::new(),
        odd: Vec::new(),
        remarks: Vec::new(),
    }
}

/// This number of jobs of a user, each of this number of seconds, that waited a minute.
fn past(user: &str, run_time: i64) -> Vec<Past> {
    let one = |i: i64| Past {
        user: user.into(),
        partition: "main".into(),
        timed_out: false,
        submit: i - 10_000,
        start: i - 9_940,
        end: i - 9_940 + run_time,
        limit: HOUR,
        nodes: 1,
        processors: 1,
        name: "wrap".into(),
    };
    (0..60).map(one).collect()
}

fn would(events: &[Event]) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    for event in events {
        if let Event::Would(would) = event {
            pairs.push((would.job.as_str(), would.head.as_str()));
        }
    }
    pairs
}

/// Three of five nodes are held for long, the head wants all, and three short jobs would fit on the two that are left.
#[test]
fn idle_nodes_are_given_away_once() {
    let history = [past("short", 5), past("long", 3000)].concat();
    let mut watcher =
        Watcher::new(&Rule::installed("", "fair").expect("a rule"), &history, &[]).expect("a watcher");
    let queue = |first: State| {
        vec![
            job("1", "long", State::Running, 3, 0, 60),
            job("2", "long", State::Pending, 5, 90, 0),
            job("3", "short", first, 1, 80, 0),
            job("4", "short", State::Pending, 1, 70, 0),
            job("5", "short", State::Pending, 1, 60, 0),
        ]
    };
    let events = watcher.look(&snapshot(1060, queue(State::Pending), 5)).expect("a look");
    assert_eq!(would(&events), [("3", "2"), ("4", "2")]);
    // Neither is reported again, and there is no node for the third.
    let events = watcher.look(&snapshot(1090, queue(State::Pending), 5)).expect("a look");
    assert_eq!(events, []);
    // The first has started indeed: its node is Slurm's, the second's is still given away.
    let events = watcher.look(&snapshot(1120, queue(State::Running), 5)).expect("a look");
    assert_eq!(would(&events), []);
    assert!(matches!(&events[..], [Event::Started { at: 1000, job, .. }] if job == "3"), "{events:?}");

    // By limits nothing overtakes: reports are of more than EASY does. A job that limits let through is not reported.
    let mut limits = queue(State::Pending);
    limits[2].limit = 600;
    let mut watcher =
        Watcher::new(&Rule::installed("", "fair").expect("a rule"), &history, &[]).expect("a watcher");
    let events = watcher.look(&snapshot(1060, limits, 5)).expect("a look");
    assert!(!would(&events).iter().any(|(job, _)| *job == "3"), "{events:?}");
    // A job that not any node will do for is no candidate; as head job it leaves the pool unjudged.
    let mut special = queue(State::Pending);
    special[2].special = true;
    let mut watcher =
        Watcher::new(&Rule::installed("", "fair").expect("a rule"), &history, &[]).expect("a watcher");
    let events = watcher.look(&snapshot(1060, special.clone(), 5)).expect("a look");
    assert_eq!(would(&events), [("4", "2"), ("5", "2")]);
    special[1].special = true;
    let mut watcher =
        Watcher::new(&Rule::installed("", "fair").expect("a rule"), &history, &[]).expect("a watcher");
    let events = watcher.look(&snapshot(1060, special, 5)).expect("a look");
    assert!(events.iter().any(|event| matches!(event, Event::Judged { why: Some(_), .. })), "{events:?}");
    assert_eq!(would(&events), []);
}

/// A watcher that goes on with its journal knows what the first one knew, and writes nothing twice.
#[test]
fn a_journal_is_continued() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let history = [past("short", 5), past("long", 3000)].concat();
    let queue = || {
        vec![
            job("1", "long", State::Running, 3, 0, 60),
            job("2", "long", State::Pending, 4, 90, 0),
            job("3", "short", State::Pending, 1, 80, 0),
        ]
    };
    let mut first =
        Watcher::new(&Rule::installed("", "fair").expect("a rule"), &history, &[]).expect("a watcher");
    let events = first.look(&snapshot(1060, queue(), 4)).expect("a look");
    assert_eq!(would(&events), [("3", "2")]);
    let mut writer = Writer::open(&path).expect("a journal");
    assert!(Writer::open(&path).is_err(), "two writers");
    writer.write(&events).expect("written");
    drop(writer);
    // A line breaks off when the power goes.
    std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"{\"event\":\"star"))
        .expect("written");
    drop(Writer::open(&path).expect("a journal that broke off"));
    let read = journal::read(&path).expect("read");
    assert_eq!((read.events.as_slice(), read.odd), (events.as_slice(), 1));

    let mut second = Watcher::new(&Rule::installed("", "fair").expect("a rule"), &history, &read.events)
        .expect("a watcher");
    let again = second.look(&snapshot(1090, queue(), 4)).expect("a look");
    assert!(!again.iter().any(|event| matches!(event, Event::Started { .. } | Event::Would(_))), "{again:?}");
    // The running job ends, the head and then the short job run.
    let mut over = queue();
    (over[0].state, over[0].end, over[0].outcome) = (State::Other, Some(1100), "COMPLETED".into());
    (over[1].state, over[1].start) = (State::Running, Some(1100));
    let events = second.look(&snapshot(1120, over, 4)).expect("a look");
    let ended = events.iter().find_map(|event| match event {
        Event::Ended(done) => Some((done.job.as_str(), done.eligible, done.start, done.end)),
        _ => None,
    });
    assert_eq!(ended, Some(("1", 900, 1000, 1100)), "{events:?}");
    assert!(journal::read(&folder.path().join("none")).expect("empty").events.is_empty());
    std::fs::write(&path, "JobID|Submit\n").expect("written");
    assert!(journal::read(&path).is_err(), "not a journal");
}

fn done(job: &str, user: &str, start: i64, end: i64) -> Event {
    let (job, user, account, partition) = (job.into(), user.into(), "staff".into(), "main".into());
    let (eligible, limit, nodes, processors) = (0, HOUR, 1, 1);
    Event::Ended(Done {
        job,
        user,
        account,
        partition,
        name: 1,
        eligible,
        start,
        end,
        limit,
        nodes,
        processors,
    })
}

fn decision(at: i64, job: &str, head: &str) -> Event {
    let (user, partition) = ("short".into(), "main".into());
    let (head_user, head_partition) = ("long".into(), "main".into());
    let (job, head) = (job.into(), head.into());
    let (processors, head_processors) = (1, 8);
    Event::Would(Would {
        at,
        job,
        user,
        partition,
        processors,
        head,
        head_user,
        head_partition,
        head_processors,
    })
}

fn started(job: &str, at: i64) -> Event {
    Event::Started { at, job: job.into(), eligible: 0 }
}

/// The first look finds a job that has run for a week, and one that ended before: the report counts from the look.
#[test]
fn a_report_counts_from_the_watchers_beginning() {
    let week = 7 * 86_400;
    let begin = |at: i64| Event::Begin { at, preset: "fair".into(), every: 30, pools: Vec::new() };
    let events = [
        begin(week),
        started("1", 0),
        done("2", "short", week - 400, week - 100),
        done("1", "long", 0, week + 3600),
        begin(week + 7200),
        done("3", "short", week + 7000, week + 7300),
    ];
    let score = score(&events).expect("events");
    assert_eq!((score.from, score.to, score.all.jobs), (week, week + 7300, 2));
    let said = surefill_simulator::report::watch::sentences(&score);
    assert!(said[0].starts_with("Watched for 2.0 h: 2 jobs ended"), "{}", said[0]);
}

/// By hand: what a journal comes to.
#[test]
fn gains_losses_and_promises_are_counted() {
    let bound = |job: &str, within: i64| Event::Bound {
        at: 0,
        job: job.into(),
        partition: "main".into(),
        within,
        predicted: None,
    };
    let events = [
        bound("10", 400),
        bound("11", 400),
        bound("12", 900),
        bound("13", 50),
        bound("14", 5000),
        bound("15", 10),
        decision(100, "11", "10"), // 60 s: over at 160, before the head's start at 300
        decision(110, "12", "10"), // 250 s: over at 360, a minute after it
        decision(120, "13", "10"), // cancelled
        decision(130, "14", "20"), // its head job never starts, as it is cancelled
        decision(140, "16", "21"), // nothing is known yet
        started("10", 300),
        Event::Left { at: 310, job: "13".into() },
        Event::Left { at: 310, job: "20".into() },
        started("11", 500),
        done("11", "short", 500, 560),
        started("12", 510),
        done("12", "short", 510, 760),
        started("14", 600),
        done("14", "short", 600, 650),
        done("10", "long", 300, 500),
    ];
    let score = score(&events).expect("events");
    let all = &score.all;
    assert_eq!((score.from, score.to, score.withdrawn, score.open), (0, 760, 1, 1));
    assert_eq!((all.jobs, all.earlier, all.earlier_s), (4, 3, 400 + 400 + 470));
    assert_eq!((all.overtaken, all.later, all.later_s, all.worst_s), (2, 1, 60, 60));
    assert_eq!(all.mean_wait_s, f64::from(500 + 510 + 600 + 300) / 4.0);
    let rows = |by: &str| &score.parts.iter().find(|part| part.0 == by).expect("a part").1;
    let names: Vec<&str> = rows("user").iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["short", "long"]);
    assert_eq!((rows("user")[1].later, rows("user")[1].earlier), (1, 0));
    let widths: Vec<&str> = rows("width").iter().map(|row| row.name.as_str()).collect();
    assert_eq!(widths, ["1 processor", "5 to 16"]);
    // 11 started too late; 15 waits beyond its bound; the cancelled one does not count.
    let main = &score.promises[0];
    assert_eq!((main.given, main.kept, main.broken, main.open), (5, 3, 2, 0));

    assert!(histories(&events).expect("a history").is_empty(), "no pools are known");
    let pools = vec![surefill_simulator::live::advise::pool::PoolSize {
        partitions: vec!["main".into()],
        nodes: 8,
        processors: 8,
    }];
    let begin = Event::Begin { at: 0, preset: "fair".into(), every: 30, pools };
    let all = [&[begin][..], &events].concat();
    let found = histories(&all).expect("a history");
    assert_eq!((found.len(), found[0].processors, found[0].trace.records.len()), (1, 8, 4));
    assert_eq!(found[0].trace.problems, []);
}
