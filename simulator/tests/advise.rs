//! `surefill advise` on saved output of Slurm's commands.

use super::advising::snapshot_of;
use std::process::{Command, Output};
use surefill_simulator::live::advise::read::{self, State};
use surefill_simulator::live::advise::rule::Rule;
use surefill_simulator::live::advise::{Question, Snapshot, advise, limit};
use surefill_simulator::report::advice::span;

/// The separator that `squeue` or `sacct` prints between fields.
const SEPARATOR: &str = "|0123456789abcdef|";

/// Lines of `squeue` as tests write them: eleven fields and a name, which may hold anything.
fn separated(lines: &str) -> String {
    let line = |line: &str| {
        let fields: Vec<&str> = line.splitn(12, '|').collect();
        let (name, front) = fields.split_last().expect("a line has fields");
        let rest = ["staff", "N/A", "N/A", "(null)", "", "N/A", "(null)", "(null)", name];
        let all: String = front.iter().chain(&rest).flat_map(|field| [SEPARATOR, field]).collect();
        all + "\n"
    };
    lines.lines().filter(|text| !text.is_empty()).map(line).collect()
}

/// Lines of `sacct` likewise: nine fields and a name.
fn accounted(lines: &str) -> String {
    let line = |line: &str| line.splitn(10, '|').collect::<Vec<_>>().join(SEPARATOR) + "\n";
    lines.lines().map(line).collect()
}

fn question() -> Question {
    Question {
        partition: None,
        within: vec![60, 3600],
        quantile: 0.95,
        confidence: 0.95,
        rule: Rule::default(),
        previous: None,
        next: vec![limit::Ask { user: "games".into(), ..limit::Ask::default() }],
    }
}

/// `nodes` idle nodes of a partition, then the states given.
fn nodes(partition: &str, states: &[&str]) -> String {
    states.iter().enumerate().map(|(i, state)| format!("{partition}{i}|{partition}*|{state}|4\n")).collect()
}

fn waiting(id: u32, nodes: u32, minutes: u32, priority: u32) -> String {
    format!(
        "{id}|games|main|PENDING|{nodes}|{}|{minutes}:00|0:00|1000|{priority}|Resources|wrap\n",
        4 * nodes
    )
}

fn running(id: u32, nodes: u32, minutes: u32, used: &str) -> String {
    format!("{id}|games|main|RUNNING|{nodes}|{}|{minutes}:00|{used}|900|0|None|wrap\n", 4 * nodes)
}

fn snapshot(jobs: &str, nodes: &str, past: &str) -> Snapshot {
    snapshot_of(2000, &separated(jobs), nodes, &accounted(past))
}

#[test]
fn times_and_spans_are_read() {
    // date -u -d 2026-11-21T08:30:15 +%s, and so on.
    for (text, seconds) in [
        ("2026-11-21T08:30:15", 1_795_249_815),
        ("1970-01-01T00:00:00", 0),
        ("2024-02-29T23:59:59", 1_709_251_199),
        ("2000-03-01T00:00:00", 951_868_800),
        ("1999-12-31T12:00:00", 946_641_600),
        ("1700000000", 1_700_000_000),
        ("2026-01-01", 1_767_225_600),
    ] {
        assert_eq!(read::time(text), Some(seconds), "{text}");
    }
    for text in [
        "",
        "Unknown",
        "N/A",
        "2026-13-01T00:00:00",
        "2023-11-31T00:00:00",
        "2026-01-01T25:00:00",
        "-5",
        "2026-1x-01T00:00:00",
    ] {
        assert_eq!(read::time(text), None, "{text}");
    }
    for (text, seconds) in
        [("5:00", 300), ("1:00:00", 3600), ("2-03:04:05", 183_845), ("0:00", 0), ("UNLIMITED", 1 << 40)]
    {
        assert_eq!(read::span(text), Some(seconds), "{text}");
    }
    for text in ["", "5", "1:2:3:4", "x", "-1:00", "1-2"] {
        assert_eq!(read::span(text), None, "{text}");
    }
}

#[test]
fn lines_are_read_or_left_out_and_counted() {
    let text = separated("7_2|games|main,other|RUNNING|2|2K|1-00:00:00|1:30|1000|42|None|a|b\n") + "\n";
    let listing = read::squeue(&text, "squeue").expect("a line");
    let job = &listing.found[0];
    assert_eq!(
        (listing.found.len(), job.id.as_str(), job.partition.as_str(), job.name.as_str()),
        (1, "7_2", "main", "a|b")
    );
    assert_eq!((job.state, job.nodes, job.processors, job.limit), (State::Running, 2, 2048, 86_400));
    assert_eq!((job.used, job.submit, job.priority, job.special), (90, 1000, 42, false));
    assert_eq!(listing.odd, None);
    let wrong = text.clone() + &separated("8|games|main|PENDING|many|1|5:00|0:00|1000|1|None|a\n");
    let listing = read::squeue(&wrong, "queue.txt").expect("one good line");
    let odd = listing.odd.expect("one wrong line");
    assert_eq!((listing.found.len(), odd.lines, odd.first), (1, 1, 3));
    assert!(odd.why.contains("number of nodes"), "{odd:?}");
    assert!(read::squeue(&separated("8|games|main|PENDING|many|1|5:00|0:00|1000|1|None|a\n"), "x").is_err());
    let error = read::squeue("8|games|main\n", "x").expect_err("no separator").to_string();
    assert!(error.contains("--print-commands"), "{error}");
    let special = text.replace("(null)|0123456789abcdef||", "rack1|0123456789abcdef||");
    assert!(read::squeue(&special, "x").expect("a line").found[0].special);
    assert!(read::sinfo("n1|main|idle\n", "x").is_err());
    let nodes = read::sinfo("n1|main*|idle~|4\nn1|b|mixed|4\n", "x").expect("lines").found;
    assert_eq!(
        (nodes[0].partition.as_str(), nodes[0].state.as_str(), nodes[0].processors),
        ("main", "idle", 4)
    );

    let text = "games|main|TIMEOUT|100|160|760|10|2|8|a|b\n\
                games|main|CANCELLED by 5|100|Unknown|200|10|0|8|a\n\
                games|main|NODE_FAIL|100|160|760|10|2|8|a\n\
                games|main|COMPLETED|100|150|400|UNLIMITED|2|8|a\n";
    let past = read::past(&accounted(text), "x").expect("lines").found;
    assert_eq!(past.len(), 2, "{past:?}");
    assert_eq!((past[0].end, past[0].limit, past[0].run_time()), (400, 1 << 40, 250));
    assert!(past[1].timed_out && past[1].limit == 600 && past[1].name == "a|b");
    assert!(read::past(text, "x").is_err(), "without a separator no line can be distinguished from a name");
    let completed = "JobId=12 UserId=games(5) GroupId=games(60) Name=wrap JobState=COMPLETED Partition=main TimeLimit=60 \
                     StartTime=2026-11-21T08:30:15 EndTime=2026-11-21T08:30:18 NodeList=n[1-3] NodeCnt=3 ProcCnt=3 WorkDir=/ \
                     ReservationName= Tres=cpu=3,node=3,billing=3 Account= QOS= WcKey= Cluster=unknown \
                     SubmitTime=2026-11-21T08:30:05 EligibleTime=2026-11-21T08:30:05 DerivedExitCode=0:0 ExitCode=0:0\n";
    let past = read::past(completed, "x").expect("a line").found;
    assert_eq!((past[0].user.as_str(), past[0].run_time(), past[0].start - past[0].submit), ("games", 3, 10));
    assert_eq!((past[0].nodes, past[0].processors, past[0].limit), (3, 3, 3600));
    assert!(read::past("JobId=12 UserId=games(5)\n", "x").is_err());
}

/// Names that pretend to be other lines, and what they cannot do.
#[test]
fn names_forge_no_lines() {
    // Whoever submits knows the format, and separators of other runs, but not this run's.
    let own = "8|games|main|PENDING|1|1|5:00|0:00|1000|1|None|evil\n";
    let forged = [
        "9|root|main|RUNNING|4|4|1:00|0:10|1|1|None|root|1|1|(null)||N/A|(null)|(null)|forged\n".to_owned(),
        separated("9|root|main|RUNNING|4|4|1:00|0:10|1|1|None|forged\n")
            .replace("0123456789abcdef", "0123456789abcdee"),
        "\u{2028}\u{1b}[2J\n".to_owned(),
    ];
    for lines in forged {
        let text = separated(own) + &lines + &separated("10|man|main|PENDING|1|1|5:00|0:00|1000|1|None|a\n");
        let listing = read::squeue(&text, "squeue").expect("good lines");
        let ids: Vec<&str> = listing.found.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(ids, ["8", "10"]);
        assert_eq!(listing.odd.map(|odd| (odd.lines, odd.first)), Some((1, 2)));
        let line = "games|main|COMPLETED|100|150|400|10|2|8|a\n";
        let past = read::past(&(accounted(line) + &lines + &accounted(line)), "sacct").expect("good lines");
        assert_eq!((past.found.len(), past.odd.map(|odd| odd.lines)), (2, Some(1)));
    }

    // In the job completion file a record that breaks off may go on with a whole forged one.
    let record = |id: u32, user: &str, name: &str| {
        format!(
            "JobId={id} UserId={user}(5) GroupId=games(60) Name={name} JobState=COMPLETED Partition=main TimeLimit=60 \
             StartTime=2026-11-21T08:30:15 EndTime=2026-11-21T08:30:18 NodeList=n1 NodeCnt=1 ProcCnt=1 WorkDir=/ \
             SubmitTime=2026-11-21T08:30:05 EligibleTime=2026-11-21T08:30:05 DerivedExitCode=0:0 ExitCode=0:0 \n"
        )
    };
    let evil = record(8, "games", &format!("x\n{}y", record(9, "root", "forged")));
    let good: String = (20..180).map(|id| record(id, "man", "wrap")).collect();
    let past = read::past(&(record(7, "man", "wrap") + &evil + &good), "completed").expect("good lines");
    assert!(past.found.iter().all(|job| job.user != "root"), "{past:?}");
    let odd = past.odd.expect("lines left out");
    assert_eq!(odd.first, 2, "{odd:?}");
    // No more than could belong to it, at most 16 KiB, is lost with it.
    assert!((90..130).contains(&past.found.len()), "{}", past.found.len());
    assert_eq!(past.found.len() as u64 + odd.lines, 1 + 3 + 160);
    let said = past.remarks.concat();
    assert!(
        said.starts_with("completed: in a job completion file"),
        "a name made with care is not recognised: {said}"
    );
    // A name with words of its own is no other record's, and is left out.
    let twice = record(7, "man", "wrap") + &record(8, "games", "x EndTime=2030-01-01T00:00:00");
    let past = read::past(&twice, "completed").expect("a good line");
    assert_eq!((past.found.len(), past.odd.map(|odd| odd.lines)), (1, Some(1)));
}

/// Without a history every job runs to its limit: the head's start is known.
#[test]
fn the_head_starts_when_limits_say_so() {
    let jobs = running(1, 2, 60, "10:00")
        + &running(2, 1, 30, "20:00")
        + &waiting(3, 4, 60, 5)
        + &waiting(4, 1, 60, 9);
    // Job 4 is first by its priority and fits; without it job 3 is, which needs jobs 1 and 2 to end.
    let states = ["allocated", "allocated", "allocated", "idle"];
    let advice = advise(&snapshot(&jobs, &nodes("main", &states), ""), &question()).expect("advice");
    assert_eq!(advice.heads[0].job, "4");
    assert!(advice.heads[0].note.as_deref().is_some_and(|note| note.starts_with("it would fit")));
    let jobs = jobs.lines().take(3).map(|line| format!("{line}\n")).collect::<String>();
    let advice = advise(&snapshot(&jobs, &nodes("main", &states), ""), &question()).expect("advice");
    let head = &advice.heads[0];
    assert_eq!((head.job.as_str(), head.counted, head.needs, head.idle), ("3", Some("nodes"), 4, 1));
    assert_eq!(head.by_limits, Some(3000));
    // There is one answer to when it starts, and no bound beside it.
    let start = &advice.starts[0];
    assert!(start.quantiles.iter().all(|quantile| quantile.within == 3000), "{start:?}");
    assert_eq!(start.started.iter().map(|at| at.probability).collect::<Vec<_>>(), [0.0, 1.0]);
    assert!(advice.others.is_empty());
    assert_eq!((advice.next[0].limit, advice.next[0].jobs), (None, 0));
}

/// 200 jobs that ran 100 to 299 s of an hour, and waited as many seconds, in no order.
fn history(user: &str) -> String {
    (0..200)
        .map(|i| {
            let start = 1000 * i + 100 + i * 37 % 200;
            format!("{user}|main|COMPLETED|{}|{start}|{}|60|1|4|wrap\n", 1000 * i, start + 100 + i * 53 % 200)
        })
        .collect()
}

#[test]
fn histories_make_starts_sooner_and_waits_bounded() {
    let jobs = running(1, 3, 60, "1:00") + &waiting(3, 4, 60, 5) + &waiting(4, 4, 60, 4);
    let jobs = jobs
        + "5|man|main|PENDING|1|4|60:00|0:00|1500|3|Dependency|wrap\n6|man|main|PENDING|1|4|60:00|0:00|1500|0|JobHeldUser|wrap\n";
    let states = ["allocated", "allocated", "allocated", "idle"];
    let mut now = snapshot(&jobs, &nodes("main", &states), &history("games"));
    // The history came before, and is lived through in its order.
    const LATER: i64 = 250_000;
    now.now += LATER;
    now.jobs.iter_mut().for_each(|job| job.submit += LATER);
    let advice = advise(&now, &question()).expect("advice");
    let head = &advice.heads[0];
    assert_eq!(head.by_limits, Some(3540));
    let start = &advice.starts[0];
    let within: Vec<i64> = start.quantiles.iter().map(|quantile| quantile.within).collect();
    assert!(within.is_sorted() && within[0] > 0 && within[2] < 1000, "{within:?}");
    assert!(start.started[0].probability < 0.5 && start.started[1].probability > 0.9, "{start:?}");

    // Those that wait for nodes are played forward, and have no other answer.
    assert_eq!(advice.starts.iter().map(|start| start.job.as_str()).collect::<Vec<_>>(), ["3", "4"]);
    assert_eq!(advice.others.iter().map(|other| other.job.as_str()).collect::<Vec<_>>(), ["5", "6"]);
    assert_eq!(advice.others[0].note.as_deref(), Some("Dependency"));
    assert_eq!(advice.others[1].note.as_deref(), Some("JobHeldUser"));

    // Where counting does not describe the pool there is a bound, by the predictor of predict-wait: of 200 waits of 100
    // to 299 s it is near the longest, and the rest of a job that has waited for 1,000 s is about as long as that.
    now.jobs[0].state = State::Suspended;
    let advice = advise(&now, &question()).expect("advice");
    assert!(advice.starts.is_empty() && advice.heads[0].note.as_deref() == Some("a job is suspended"));
    assert_eq!(advice.others.len(), 4);
    let rest = advice.others[1].within.expect("a bound");
    assert!((400..=1500).contains(&rest) && advice.others[1].waits == 0, "{:?}", advice.others[1]);
    now.now = LATER + 1000;
    let advice = advise(&now, &question()).expect("advice");
    let bound = advice.others[1].within.expect("a bound");
    assert!((285..=330).contains(&bound) && advice.others[1].waits >= 59, "{:?}", advice.others[1]);
    let started = &advice.others[1].started;
    assert!(started[0].observed < 0.05 && started[1].observed > 0.95, "{started:?}");

    // The longest runs of 299 s: ten minutes at most.
    let next = &advice.next[0];
    assert_eq!((next.jobs, next.tried, next.timed_out, next.usual_limit), (200, 50, 0, Some(3600)));
    assert!(matches!(next.limit, Some(300 | 600)), "{next:?}");
    assert!(next.sufficed >= 45, "{next:?}");
}

/// All jobs want all nodes for ten minutes. Each is submitted 100 s before its predecessor ends. In one history it
/// starts then, before the predicted median, in the other one after 1,500 s, behind it: a start moves the median's
/// logarithm by the step of the engine's correction (.002) times the level down or up, and the two apart by .002.
#[test]
fn starts_are_corrected_by_what_came_in_the_history() {
    const JOBS: i64 = 200;
    let pass = |every: i64, wait: i64| {
        let past = (0..JOBS - 1).map(|job| {
            let (submit, start) = (every * (job + 1), every * (job + 1) + wait);
            format!("games|main|COMPLETED|{submit}|{start}|{}|60|4|16|wrap\n", start + 600)
        });
        let jobs = running(1, 4, 60, "8:20") + &waiting(2, 4, 60, 5);
        let mut now = snapshot(&jobs, &nodes("main", &["allocated"; 4]), &past.collect::<String>());
        now.now = every * (JOBS + 1);
        (now.jobs[0].submit, now.jobs[1].submit) = (every * JOBS, now.now);
        let start = advise(&now, &question()).expect("advice").starts.swap_remove(0);
        // Without a history nothing but the start of the job that runs can correct the forecast.
        now.past.clear();
        let without = advise(&now, &question()).expect("advice").starts.swap_remove(0);
        assert!(without.calibrated_by <= 1, "{without:?}");
        let within: Vec<i64> = start.quantiles.iter().map(|quantile| quantile.within).collect();
        assert!(within.is_sorted() && (100..600).contains(&within[2]), "{start:?}");
        (start.calibrated_by, within[2])
    };
    let (prompt, late) = (pass(600, 100), pass(2000, 1500));
    assert!(prompt.0 >= 190 && late.0 >= 190, "{prompt:?} {late:?}");
    let moved = ((late.1 + 60) as f64 / (prompt.1 + 60) as f64).ln();
    assert!((moved - 0.002 * late.0 as f64).abs() < 0.05, "{moved} {prompt:?} {late:?}");
}

#[test]
fn what_counting_does_not_describe_is_said() {
    let jobs = running(1, 3, 60, "1:00") + &waiting(3, 4, 60, 5);
    let note = |jobs: &str, nodes: &str| {
        let advice = advise(&snapshot(jobs, nodes, ""), &question()).expect("advice");
        let head = advice.heads.into_iter().find(|head| head.job == "3").expect("a head job");
        (head.counted, head.note)
    };
    let busy = ["allocated", "allocated", "allocated"];
    let with = |last: &str| nodes("main", &[&busy[..], &[last]].concat());
    assert_eq!(note(&jobs, &with("idle")), (Some("nodes"), None));
    // A node out of service, and the job can never start.
    assert_eq!(note(&jobs, &with("down*")).1.as_deref(), Some("it needs more nodes than are in service"));
    for left in ["draining", "reserved", "maint", "allocated@"] {
        let needs = Some("it needs more nodes than are in service");
        assert_eq!(note(&jobs, &with(left)).1.as_deref(), needs, "{left}");
    }
    let suspended = jobs.replace("RUNNING", "SUSPENDED");
    assert_eq!(note(&suspended, &with("idle")).1.as_deref(), Some("a job is suspended"));
    // Two jobs share a node: processors are counted.
    let shared = "1|games|main|RUNNING|3|11|60:00|1:00|900|0|None|wrap\n2|games|main|RUNNING|1|1|60:00|1:00|900|0|None|wrap\n"
        .to_owned()
        + &waiting(3, 4, 60, 5);
    assert_eq!(note(&shared, &with("idle")), (Some("processors"), None));
    // Another partition with some of the nodes counts only when it has jobs.
    let overlap = with("idle") + "main3|other|idle|4\n";
    assert_eq!(note(&jobs, &overlap), (Some("nodes"), None));
    // Where a job of it waits, or runs on them, each job is counted on the nodes of its own partition.
    let both = jobs.clone() + "9|man|other|PENDING|1|4|5:00|0:00|900|1|Priority|wrap\n";
    assert_eq!(note(&both, &overlap), (Some("nodes"), None));
    let elsewhere = both.clone() + "10|man|other|RUNNING|1|4|5:00|0:00|900|1|None|wrap\n";
    let held = overlap.replace("|idle|", "|allocated|") + "x|other|idle|4\n";
    assert_eq!(note(&elsewhere, &held), (Some("nodes"), None));
    // A plan is not: there they are counted together.
    let plan = Question { rule: Rule::of_words("preset=fair").unwrap(), ..question() };
    let advice = advise(&snapshot(&elsewhere, &held, ""), &plan).expect("advice");
    let together = Some("counted together with main, other, on any of their nodes");
    assert_eq!(advice.heads[0].note.as_deref(), together);
    // Partitions of the same nodes are one pool.
    let same: String = with("idle") + &with("idle").replace("|main*|", "|other|");
    let advice = advise(&snapshot(&both, &same, ""), &question()).expect("advice");
    assert_eq!(advice.heads.len(), 1);
}

#[test]
fn limits_are_rounded_up_as_people_do() {
    for (seconds, limit) in
        [(0, 300), (1, 300), (300, 300), (301, 600), (3601, 4500), (14_401, 16_200), (43_201, 46_800)]
    {
        assert_eq!(limit::rounded(seconds), limit, "{seconds}");
    }
    for (seconds, text) in
        [(0, "0 s"), (59, "59 s"), (90, "1 min 30 s"), (3600, "1 h"), (90_000, "1 d 1 h"), (86_460, "1 d")]
    {
        assert_eq!(span(seconds), text);
    }
}

/// The output of a real Slurm 22.05 for a queue of four jobs, and its job completion file of sixty.
fn saved(extra: &[&str]) -> Output {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/slurm/");
    let file = |name: &str| format!("{folder}{name}");
    Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(["advise", "--squeue", &file("squeue.txt"), "--sinfo", &file("sinfo.txt")])
        .args(["--history", &file("completed"), "--user", "games"])
        .args(extra)
        .output()
        .expect("the program runs")
}

#[test]
fn saved_output_of_a_real_slurm_is_advised_on() {
    let now = "1795359426";
    let output = saved(&["--now", now, "--json", "--quantile", "0.5", "--within", "10m,2h"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let advice: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let head = &advice["heads"][0];
    assert_eq!((head["job"].as_str(), head["counted"].as_str()), (Some("64"), Some("nodes")));
    assert_eq!((head["needs"].as_u64(), head["idle"].as_u64()), (Some(5), Some(2)));
    assert_eq!(advice["next"][0]["limit"].as_i64(), Some(300));
    let others: Vec<&str> = advice["others"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|other| other["job"].as_str())
        .collect();
    let starts: Vec<&str> = advice["starts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|start| start["job"].as_str())
        .collect();
    // An array's waiting tasks are one line; job 66 has a name of three lines, the second like squeue's.
    assert_eq!((&starts[..], &others[..]), (&["64", "65", "66", "67_[0-9]"][..], &["61"][..]));
    assert_eq!(advice["left_out"][0]["lines"].as_u64(), Some(3), "{}", advice["left_out"]);
    assert_eq!(advice["left_out"][1]["lines"].as_u64(), Some(2), "{}", advice["left_out"]);
    let tables = saved(&["--now", now]);
    let text = String::from_utf8_lossy(&tables.stdout);
    for part in
        ["head job", "next job of", "JobHeldUser", "5 nodes, 2 idle", "15 jobs wait or run; learnt from 60"]
    {
        assert!(text.contains(part), "no \"{part}\" in\n{text}");
    }
    assert!(String::from_utf8_lossy(&saved(&["--now", now, "--markdown"]).stdout).contains("| head job"));
}

/// A time is the span from now until then, after those of `--within`; the time of the files is the earliest.
#[test]
fn a_time_to_start_by_is_a_span_from_now() {
    let advice = |extra: &[&str]| -> serde_json::Value {
        let output = saved(&[&["--now", "1795359426", "--json"], extra].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let spans = advice(&["--within", "2h,10m"]);
    let started =
        |advice: &serde_json::Value| advice["starts"][0]["started"].as_array().expect("a list").clone();
    assert_eq!(started(&spans).len(), 2);
    assert_eq!(started(&spans)[1]["within"].as_i64(), Some(600));
    assert_eq!(advice(&["--within", "2h", "--by", "1795360026"]), spans);
    assert_eq!(advice(&["--within", "2h", "--by", "2026-11-22T15:07:06"]), spans);
    let now = started(&advice(&["--by", "1795359426"]));
    assert_eq!(now.last().expect("a span")["within"].as_i64(), Some(0));
    let table = saved(&["--now", "1795359426", "--within", "2h", "--by", "1795360026"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("10 min"), "no column for --by");
}

#[test]
fn bad_usage_is_refused() {
    for (arguments, status) in [
        (&["--now", "noon"][..], 2),
        (&[], 2), // files without --now
        (&["--now", "1800000000", "--quantile", "1"], 2),
        (&["--now", "1800000000", "--within", "5x"], 2),
        (&["--now", "1800000000", "--by", "1700000000"], 2),
        (&["--now", "1800000000", "--partition", "nowhere"], 1),
    ] {
        assert_eq!(saved(arguments).status.code(), Some(status), "{arguments:?}");
    }
    let commands = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(["advise", "--print-commands"])
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&commands.stdout);
    assert_eq!(text.lines().count(), 4);
    assert!(text.lines().all(|line| line.starts_with("SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 s")), "{text}");
}

#[test]
fn nothing_that_slurm_prints_steers_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let squeue = write("squeue", "|0123456789abcdef|8|\u{1b}]0;owned\u{7}|\u{1b}[2J\n");
    let sinfo = write("sinfo", &nodes("games", &["idle"]));
    let history = write("history", "");
    let output = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args([
            "advise",
            "--squeue",
            &squeue,
            "--sinfo",
            &sinfo,
            "--history",
            &history,
            "--now",
            "2026-11-21T18:00:00",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.starts_with(b"error: "));
    assert!(!output.stderr.iter().any(|byte| byte.is_ascii_control() && *byte != b'\n'));
}
