//! `wait-bounds` and `predict-wait` as their users see them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub fn surefill(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill")).args(args).current_dir(folder).output().unwrap()
}

pub fn surefill_with(input: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who refuses the arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// `t.swf`: two queues of 1,500 jobs; the wait grows with the requested time.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("; MaxProcs: 64\n; Queue: 1 short\n; Queue: 2 long\n");
    for i in 0..3000i64 {
        let requested = 600 * (1 + i * 7 % 5);
        let wait = (1 + i * 37 % 100) * requested / 100;
        text +=
            &format!("{i} {} {wait} 60 1 -1 -1 1 {requested} -1 1 1 1 1 {} -1 -1 -1\n", i * 60, 1 + i % 2);
    }
    std::fs::write(folder.path().join("t.swf"), text).unwrap();
    folder
}

#[test]
fn wait_bounds_prints_tables_json_and_a_page() {
    let folder = folder();
    let args = ["wait-bounds", "t.swf", "--by-queue", "--rate", "0.01,0.05", "--json", "--html", "p.html"];
    let json = json(&surefill(&args, folder.path()));
    let queues = json["traces"][0]["queues"].as_array().unwrap();
    assert_eq!(queues.len(), 2);
    for queue in queues {
        assert_eq!((queue["jobs"].as_u64(), queue["training"].as_u64()), (Some(1500), Some(150)));
        let measured = queue["measured"].as_array().unwrap();
        // Four methods alone, with components, adapted, and adapted from all waits; two other attributes; one other
        // rate; the visible queue.
        assert_eq!(measured.len(), 20);
        for predictor in measured {
            let count = |key: &str| predictor[key].as_u64().unwrap();
            assert_eq!(count("jobs"), count("judged") + count("too_little_history") + count("may_be_down"));
            let halves = |key: &str| {
                predictor["halves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|half| half[key].as_u64().unwrap())
                    .sum::<u64>()
            };
            assert_eq!((halves("judged"), halves("correct")), (count("judged"), count("correct")));
        }
    }
    let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
    assert_eq!(page.matches("waits and bounds over time</h3>").count(), 2);
    assert!(page.contains("explains best") && !page.contains("<script"));

    let args = ["wait-bounds", "t.swf", "--method", "binomial", "--markdown", "--table", "alone,attributes"];
    let output = surefill(&args, folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("| t/ALL ") && text.contains("(Table 1)") && !text.contains("LogN"), "{text}");
    assert!(text.contains("| t/ALL         | requested time |"), "{text}");
    for wrong in [["--quantile", "1"], ["--confidence", "nan"], ["--rate", "0"], ["--clusters", "17"]] {
        let output = surefill(&["wait-bounds", "t.swf", wrong[0], wrong[1]], folder.path());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    // A quantile that no history reaches.
    for verb in ["wait-bounds", "predict-wait"] {
        let output = surefill(&[verb, "t.swf", "--quantile", "0.99999999"], folder.path());
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("needs 299573225 waits; 4194304 are remembered"), "{message}");
    }
    std::fs::write(folder.path().join("empty.swf"), "").unwrap();
    let output = surefill(&["wait-bounds", "empty.swf"], folder.path());
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no queue of at least 1000 jobs; empty: 0 jobs"), "{message}");

    let args = ["wait-bounds", "t.swf", "--by-queue", "--markdown", "--table", "following,chosen"];
    let text = String::from_utf8(surefill(&args, folder.path()).stdout).unwrap();
    assert!(text.contains("follow their own misses") && text.contains("tightest afterwards"), "{text}");
    // No correct predictor is tighter than the one that is known to be so afterwards.
    let table = text.split("tightest afterwards").nth(1).unwrap();
    let mut correct = 0;
    for row in table.lines().filter(|line| line.starts_with("| t/")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let best: f64 = cells[6].parse().unwrap();
        for cell in &cells[3..5] {
            let Some((share, accuracy)) = cell.trim_matches('*').split_once(" (") else { panic!("{row}") };
            assert_eq!(cell.starts_with("**"), share.parse::<f64>().unwrap() >= 0.95, "{row}");
            if cell.starts_with("**") {
                assert!(accuracy.trim_end_matches(')').parse::<f64>().unwrap() <= best, "{row}");
                correct += 1;
            }
        }
    }
    assert!(correct > 0, "{table}");

    // The tightest of the paper's predictors beside those that follow their misses: as the other tables have them.
    let args =
        ["wait-bounds", "t.swf", "--by-queue", "--rate", "0.01,0.05", "--markdown", "--table", "rivals"];
    let text = String::from_utf8(surefill(&args, folder.path()).stdout).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| t/")).collect();
    let queues = json["traces"][0]["queues"].as_array().unwrap();
    assert_eq!(rows.len(), queues.len());
    for (row, queue) in rows.iter().zip(queues) {
        let measured = queue["measured"].as_array().unwrap();
        let rms = |m: &serde_json::Value| m["rms_over_s"].as_f64().unwrap();
        let papers = measured
            .iter()
            .filter(|m| m["kind"] == "alone" || (m["kind"] == "full" && m["by"] == "requested"));
        let correct = papers.filter(|m| m["correctness"].as_f64().unwrap() >= 0.95);
        let tightest = correct.map(rms).fold(f64::INFINITY, f64::min);
        for (column, kind) in [(4, "adapted"), (5, "whole")] {
            let own = measured.iter().find(|m| m["kind"] == kind && m["method"] == "binomial").unwrap();
            let expected = format!("({:.2})", tightest / rms(own));
            let cell = row.split('|').nth(column).unwrap();
            assert!(cell.contains(&expected), "{row}: {kind} {expected}");
        }
    }
}

/// Who reads the answer may have gone.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = folder();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
    command
        .args(["predict-wait", "t.swf", "--queue", "long", "--requested", "30m"])
        .current_dir(folder.path());
    let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}

/// Dates are those of a clock on the wall: with it for the present, no job has waited for hours.
#[test]
fn the_wall_clock_fits_dates() {
    let now = Command::new("date").env("TZ", "XYZ8").arg("+%s").output().unwrap();
    let now: i64 = String::from_utf8(now.stdout).unwrap().trim().parse().unwrap();
    let mut text = String::from("JobID|Submit|Start\n");
    for job in 0..200 {
        let date = |time: i64| {
            let time = format!("@{time}");
            let args = ["-d", &time, "+%Y-%m-%dT%H:%M:%S"];
            let output = Command::new("date").env("TZ", "XYZ8").args(args).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let submit = now - 60 * (201 - job);
        text += &format!("{job}|{}|{}\n", date(submit), date(submit + 5 + job % 40));
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dates.txt"), &text).unwrap();
    let ask = |zone: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
        let args = ["predict-wait", "dates.txt", "--now", "clock", "--json"];
        command.env("TZ", zone).args(args).current_dir(folder.path());
        json(&command.output().unwrap())
    };
    let (there, elsewhere) = (ask("XYZ8"), ask("XYZ0"));
    assert_eq!(there["answer"], "bound");
    // The wall's time as if it were UTC; hours later where the clock on the wall is another.
    let present = |answer: &serde_json::Value| answer["now"].as_i64().unwrap();
    assert!((0..60).contains(&(present(&there) + 8 * 3600 - now)), "{there}");
    assert!((0..60).contains(&(present(&elsewhere) - now)), "{elsewhere}");
}

/// Jobs a minute apart that wait 1 to 200 s, and one that waits since the last.
fn sacct_of(jobs: i64) -> String {
    let mut text = String::from("JobID|Submit|Start|TimelimitRaw|ReqCPUS|Partition|State\n");
    let submit = |job: i64| 1_714_557_600 + 60 * job;
    for i in 0..jobs {
        let start = submit(i) + 1 + i * 37 % 200;
        text += &format!("{i}|{}|{start}|60|4|batch|COMPLETED\n", submit(i));
    }
    text + &format!("{jobs}|{}|1799999999|60|4|batch|PENDING\n", submit(jobs))
}

pub fn sacct() -> String {
    sacct_of(200)
}

#[test]
fn predict_wait_answers_one_question() {
    let ask = |args: &[&str]| {
        let fixed =
            ["predict-wait", "--no-adapt", "--no-availability", "--no-visible", "--no-trim", "--no-cluster"];
        surefill_with(&sacct(), &[&fixed[..], args].concat())
    };
    // At the last start all 200 waits of 1 to 200 s are known: the upper_index(200, .95, .95)-th, the 196th, is 196 s.
    let answer = json(&ask(&["--now", "1714569900", "--within", "50s", "--json"]));
    assert_eq!(surefill::wait::upper_index(200, 0.95, 0.95), Ok(Some(196)));
    assert_eq!((answer["answer"].as_str(), answer["bound_s"].as_i64()), (Some("bound"), Some(196)));
    assert_eq!((answer["remembered"].as_u64(), answer["waiting"].as_u64()), (Some(200), Some(1)));
    let start = &answer["start"];
    assert_eq!((start["probability"].as_f64(), start["waits"].as_u64()), (Some(0.25), Some(200)));
    assert!((0.19..0.25).contains(&start["at_least"].as_f64().unwrap()));

    // The job that waits since 100 s: 101 waits are as long or longer, of which the 101st order statistic is the bound.
    let answer = json(&ask(&["--now", "1714569700", "--job", "200", "--quantile", "0.95", "--json"]));
    assert_eq!((answer["waited_s"].as_i64(), answer["requested_s"].as_i64()), (Some(100), Some(3600)));
    assert_eq!(surefill::wait::upper_index(101, 0.95, 0.95), Ok(Some(100)));
    let (bound, left) = (answer["bound_s"].as_i64().unwrap(), answer["from_now_s"].as_i64().unwrap());
    assert!((198..=200).contains(&bound) && left == bound - 100, "{answer}");
    let same = json(&ask(&["--now", "1714569700", "--waited", "100s", "--requested", "1h", "--json"]));
    assert_eq!(same["bound_s"].as_i64(), Some(bound));

    let output = ask(&["--quantile", "0.9999"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(0) && text.contains("Too few waits"), "{text}");
    let text = String::from_utf8(ask(&["--within", "50s"]).stdout).unwrap();
    assert!(text.starts_with("With 95 % confidence 95 % of jobs like this one start within"), "{text}");
    for (args, code) in [
        (&["--queue", "none"][..], 2),
        (&["--job", "17"], 2),
        (&["--requested", "x"], 2),
        (&["--now", "yesterday"], 2),
        (&["--listen", "x"], 2),
    ] {
        assert_eq!(ask(args).status.code(), Some(code), "{args:?}");
    }
    assert_eq!(surefill_with("JobID|Start\n", &["predict-wait"]).status.code(), Some(1));
    assert_eq!(surefill_with("", &["predict-wait"]).status.code(), Some(1));
    // A job still waits long after all others have started: the machine may be down. With few releases a lower quantile
    // of the gaps says so.
    for jobs in [200, 400, 4000] {
        let last = 1_714_557_600 + 60 * jobs;
        let ask = |now: i64, more: &[&str]| {
            let now = now.to_string();
            surefill_with(&sacct_of(jobs), &[&["predict-wait", "--now", &now][..], more].concat())
        };
        let answer = json(&ask(last + 80_000, &["--json"]));
        assert!(answer["answer"] == "may-be-down" && answer["bound_s"].is_null(), "{answer}");
        // Where nothing at all has happened for longer than is usual, it is the history that is old.
        let much_later = 1_719_999_999;
        let answer = json(&ask(much_later, &["--json", "--within", "0s"]));
        assert!(answer["answer"] == "out-of-date" && answer["bound_s"].is_null(), "{answer}");
        assert!(answer["start"].is_null() && answer["history"]["out_of_date"] == true, "{answer}");
        let text = String::from_utf8(ask(much_later, &["--start-by", "1720000999"]).stdout).unwrap();
        assert!(
            text.starts_with("The history is out of date: its newest event is ")
                && text.contains(" No prediction.")
        );
        assert!(!text.contains("Submit now") && !text.contains("start within"), "{text}");
    }
}
