//! `predict-wait` as its users see it.

use crate::common::two_queues;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub fn surefill(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill")).args(args).current_dir(folder).output().unwrap()
}

fn surefill_with(input: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with `t.swf`, a trace of two queues.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.swf"), two_queues()).unwrap();
    folder
}

/// The reader of the answer may have gone.
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
    command.env("TZ", "XYZ8").args(["predict-wait", "dates.txt", "--json"]).current_dir(folder.path());
    let by_default = json(&command.output().unwrap());
    assert!((0..60).contains(&(by_default["now"].as_i64().unwrap() - there["now"].as_i64().unwrap())));
    // The wall's time as if it were UTC; hours later where the clock on the wall is another.
    let present = |answer: &serde_json::Value| answer["now"].as_i64().unwrap();
    assert!((0..60).contains(&(present(&there) + 8 * 3600 - now)), "{there}");
    assert!((0..60).contains(&(present(&elsewhere) - now)), "{elsewhere}");
}

/// A history of another year is out of date by this computer's clock, unless its end is asked about; seconds that count
/// from a beginning of their own have no clock.
#[test]
fn the_present_is_the_clock_unless_told_otherwise() {
    let ask = |text: &str, args: &[&str]| {
        json(&surefill_with(text, &[&["predict-wait", "--no-availability", "--json"], args].concat()))
    };
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let later = (clock + 30 * 86_400).to_string();
    let answer = ask(&sacct(), &["--start-by", &later]);
    assert_eq!(answer["answer"], "out-of-date", "{answer}");
    assert!(
        answer["reservation"].is_null() && answer["history"]["age_s"].as_u64() > Some(86_400),
        "{answer}"
    );
    let end = ask(&sacct(), &["--now", "end"]);
    assert!(end["answer"] == "bound" && end["history"]["age_s"] == 0, "{end}");
    let own: String =
        (0..200).map(|job| format!("{job}|{}|{}\n", 60 * job, 60 * job + 1 + job % 40)).collect();
    let own = ask(&format!("JobID|Submit|Start\n{own}"), &[]);
    assert!(own["answer"] == "bound" && own["now"] == own["history"]["last"], "{own}");
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

/// A thousand jobs of an hour come at once to forty processors after three hundred that found them free: nothing is
/// known of how long such a queue lasts, for a new job and for one that waits.
#[test]
fn a_jam_has_no_bound() {
    let mut text = String::from("JobID|Submit|Start|End|TimelimitRaw|ReqCPUS|AllocCPUS|Partition|State\n");
    let begin = 1_700_000_000;
    for job in 0..300 {
        let submit = begin - 600 * (301 - job);
        text += &format!("{job}|{submit}|{submit}|{}|120|4|4|batch|COMPLETED\n", submit + 300);
    }
    for job in 0..1000 {
        let start = begin + 3600 * (job / 40);
        let rest = match start <= begin + 10_800 {
            true if start + 3600 <= begin + 10_800 => {
                format!("{start}|{}|120|4|4|batch|COMPLETED", start + 3600)
            }
            true => format!("{start}|Unknown|120|4|4|batch|RUNNING"),
            false => "Unknown|Unknown|120|4|0|batch|PENDING".to_owned(),
        };
        text += &format!("{}|{begin}|{rest}\n", 1000 + job);
    }
    for more in [&["--requested", "2h", "--processors", "4"][..], &["--job", "1990"]] {
        let args =
            [&["predict-wait", "-", "--now", "1700010800", "--within", "10h", "--json"], more].concat();
        let output = surefill_with(&text, &args);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(answer["answer"] == "exceeded" && answer["bound_s"].is_null(), "{answer}");
        assert!(answer["start"].is_null(), "{answer}");
    }
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

    let output = ask(&["--now", "end", "--quantile", "0.9999"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(0) && text.contains("Too few waits"), "{text}");
    let text = String::from_utf8(ask(&["--now", "end", "--within", "50s"]).stdout).unwrap();
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

#[test]
fn predict_wait_says_when_to_submit() {
    let ask = |args: &[&str]| {
        let fixed =
            ["predict-wait", "--no-adapt", "--no-availability", "--no-visible", "--no-trim", "--no-cluster"];
        surefill_with(&sacct(), &[&fixed[..], args].concat())
    };
    // The 161st of all 200 waits of 1 to 200 s is the bound of the .75 quantile.
    assert_eq!(surefill::wait::upper_index(200, 0.75, 0.95), Ok(Some(161)));
    let wish = ["--now", "1714569900", "--start-by", "1714570300", "--probability", "0.75"];
    let answer = json(&ask(&[&wish[..], &["--json"]].concat()));
    let reservation = &answer["reservation"];
    assert_eq!(reservation["submit_by"].as_i64(), Some(1_714_570_300 - 161));
    assert_eq!(reservation["from_now_s"].as_i64(), Some(400 - 161));
    assert_eq!(reservation["probability_now"].as_f64(), Some(1.0));
    let text = String::from_utf8(ask(&wish).stdout).unwrap();
    assert!(text.contains("Submitted by 2024-05-01T13:28:59Z, 4.0 min from now"), "{text}");
    // 50 s are left, within which 50 of the 200 start.
    let late = ["--now", "1714569900", "--start-by", "1714569950", "--probability", "0.75"];
    let text = String::from_utf8(ask(&late).stdout).unwrap();
    let none =
        "No start by 2024-05-01T13:25:50Z can be promised with probability 75 % and 95 % confidence any more";
    assert!(
        text.contains(none) && text.contains("25 % of like jobs started within the time that is left"),
        "{text}"
    );
    for refused in [
        &["--now", "1714569900", "--start-by", "1714569899"][..],
        &["--now", "end", "--start-by", "2064-05-01T10:00:00"],
        &["--start-by", "1714570300", "--waited", "5"],
        &["--probability", "0.75"],
    ] {
        assert_ne!(ask(refused).status.code(), Some(0), "{refused:?}");
    }
}

#[test]
fn what_would_change_nothing_is_refused() {
    // Options that change the paper's history are refused where bounds do not rest on it, not ignored.
    for ignored in [&["--no-trim"][..], &["--no-cluster"], &["--by", "product"]] {
        let args = [&["predict-wait"], ignored].concat();
        let output = surefill_with(&sacct(), &args);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains("add --no-visible"), "{message}");
        assert_eq!(surefill_with(&sacct(), &[&args[..], &["--no-visible"]].concat()).status.code(), Some(0));
        let weibull = [&args[..], &["--method", "weibull"]].concat();
        assert_eq!(surefill_with(&sacct(), &weibull).status.code(), Some(0));
    }
}

#[test]
fn a_quantile_that_no_history_reaches_is_refused() {
    let folder = folder();
    let output = surefill(&["predict-wait", "t.swf", "--quantile", "0.99999999"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("needs 299573225 waits; 4194304 are remembered"), "{message}");
}
