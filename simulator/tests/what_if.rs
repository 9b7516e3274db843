//! `what-if` at the command line: a history of accounting, its numbers beside those of `simulate`, the page.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn surefill(args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
    command.env("SOURCE_DATE_EPOCH", "1790000000").args(args).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(args: &[&str], folder: &Path) -> Value {
    let output = surefill(args, folder);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// 400 jobs on a crowded machine of 8 processors over 167 days, with a user whose name is markup.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("JobID|Submit|Start|End|Timelimit|AllocCPUS|User|Account|Partition|State\n");
    for i in 0..400i64 {
        let submit = 1_704_067_200 + i * 36_000 + i * 7919 % 5000; // from 2024-01-01
        let (start, processors) = (submit + 600 * (i % 9), 1 + i * 5 % 8);
        let run = 1 + i * i * 31 % 90_000;
        let limit = format!("{}-00:00:00", 1 + run / 80_000);
        let user = ["<script>alert(1)</script>", "bob", "carol"][i as usize % 3];
        let partition = ["batch", "long"][usize::from(run > 40_000)];
        table += &format!(
            "{i}|{submit}|{start}|{}|{limit}|{processors}|{user}|g{}|{partition}|COMPLETED\n",
            start + run,
            i % 2
        );
    }
    std::fs::write(folder.path().join("h.txt"), table).unwrap();
    folder
}

#[test]
fn the_numbers_are_those_of_simulate() {
    let folder = folder();
    let path = folder.path();
    let answer =
        json(&["what-if", "h.txt", "--procs", "8", "--from", "2024-01-01", "--json", "--seeds", "3"], path);
    let all = &answer["all"];
    assert_eq!((&answer["before"], &answer["after"]), (&"EASY".into(), &"fair".into()));
    let compared = json(
        &["compare", "h.txt", "--procs", "8", "--policies", "easy,fair", "--seeds", "3", "--json"],
        path,
    );
    for (side, policy) in [("before", 0), ("after", 1)] {
        let replayed = &compared["traces"][0]["policies"][policy];
        for (ours, theirs) in
            [("mean_s", "mean_wait_s"), ("p95_s", "p95_wait_s"), ("longest_s", "max_wait_s")]
        {
            let (ours, theirs) = (all[side][ours].as_f64().unwrap(), replayed[theirs].as_f64().unwrap());
            assert!((ours - theirs).abs() <= 1e-6 * theirs, "{side}: {ours} {theirs}");
            assert!(theirs > 0.0);
        }
    }
    // Scored against the record: of all jobs, as all waits are recorded.
    let number = |path: &str| answer.pointer(path).unwrap().as_f64().unwrap();
    let (recorded_s, before_s, after_s) =
        (number("/all/recorded/mean_s"), number("/all/before/mean_s"), number("/all/after/mean_s"));
    let saved_s = recorded_s.min(before_s) - after_s;
    for (path, expected) in [
        ("/scored/recorded_s", recorded_s),
        ("/scored/explained/value", before_s / recorded_s),
        ("/scored/saved_s/value", saved_s),
        ("/scored/saved/value", saved_s / recorded_s),
        ("/change/value", after_s / before_s - 1.0),
        ("/weeks", 24.0),
    ] {
        let found = number(path);
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{path}: {found} {expected}");
    }
    // The same savings from a comparison, whose weeks are those of the shifted submissions.
    let savings = &compared["traces"][0]["savings"];
    assert_eq!((savings.as_array().unwrap().len(), &savings[0]["policy"]), (1, &"fair".into()));
    assert_eq!(savings[0]["verdict"], answer["scored"]["verdict"]);
    for (path, tolerance) in [
        ("/recorded_s", 1e-9),
        ("/saved_s/value", 1e-9),
        ("/saved/value", 1e-9),
        ("/explained/value", 1e-9),
        ("/saved_s/ci95/low", 0.02),
        ("/saved_s/ci95/high", 0.02),
    ] {
        let (ours, theirs) = (savings[0].pointer(path).unwrap().as_f64(), number(&format!("/scored{path}")));
        assert!((ours.unwrap() - theirs).abs() <= tolerance * theirs.abs(), "{path}: {ours:?} {theirs}");
    }
    for path in ["/scored/explained", "/scored/saved_s", "/change", "/anchored/run_times/saved_s"] {
        let ends = ["low", "high"].map(|end| number(&format!("{path}/ci95/{end}")));
        let value = number(&format!("{path}/value"));
        assert!(ends[0] < value && value < ends[1], "{path}: {value} {ends:?}");
    }
    // No job is moved to a later start, and nothing is saved beyond what was waited.
    let moved = ["expected", "run_times"].map(|of| number(&format!("/anchored/{of}/saved_s/value")));
    assert!(0.0 < moved[0] && moved[1] <= recorded_s, "{moved:?}");
    assert_eq!(answer["remarks"], serde_json::json!([]));
    let said =
        text(&surefill(&["what-if", "h.txt", "--procs", "8", "--from", "2024-01-01", "-b"], path).stdout);
    // The made record is of a machine that is far less crowded than the replay.
    assert!(before_s > 1.6 * recorded_s, "{before_s} {recorded_s}");
    assert!(
        said.starts_with(
            "This history cannot tell what fair would save, because the replay of EASY explains more"
        ) && said.contains("People waited 40 min on average (mean of 400 jobs submitted from 2024-01-01 to ")
            && said.contains("In the replay alone, which explains so much more than the record,"),
        "{said}"
    );
    assert_eq!(answer["scored"]["verdict"], "exceeded");
    // Job i waited 600 (i mod 9) s: 44 times 0 to 8, and 0, 600, 1200, 1800 once more.
    let recorded = (44.0 * 36.0 + 6.0) * 600.0 / 400.0;
    assert!((all["recorded"]["mean_s"].as_f64().unwrap() - recorded).abs() < 1e-9);
    assert_eq!(
        (&all["jobs"], &answer["seeds"], &answer["dates"][0]),
        (&400.into(), &3.into(), &"2024-01-01".into())
    );
    for part in answer["parts"].as_array().unwrap() {
        let sum: u64 = part["rows"].as_array().unwrap().iter().map(|row| row["jobs"].as_u64().unwrap()).sum();
        assert_eq!(sum, 400, "{}", part["by"]);
    }
    let by: Vec<&str> =
        answer["parts"].as_array().unwrap().iter().map(|part| part["by"].as_str().unwrap()).collect();
    assert_eq!(by, ["account or group", "user", "queue", "width", "run time"]);
}

#[test]
fn the_period_can_be_chosen() {
    let folder = folder();
    let jobs = |more: &[&str]| {
        let args = [&["what-if", "h.txt", "--procs", "8", "--with", "fcfs", "--seeds", "1", "--json"], more]
            .concat();
        json(&args, folder.path())["all"]["jobs"].as_u64().unwrap()
    };
    let submits: Vec<i64> = (0..400i64).map(|i| 1_704_067_200 + i * 36_000 + i * 7919 % 5000).collect();
    let between =
        |from: i64, to: i64| submits.iter().filter(|&&submit| from <= submit && submit < to).count() as u64;
    let end = submits[399] + 1;
    // 2024-02-01, 2024-03-01.
    let (from, to) = (1_706_745_600, 1_709_251_200);
    assert_eq!(jobs(&["--from", "2024-02-01", "--to", "2024-03-01T00:00:00"]), between(from, to));
    assert_eq!(jobs(&["--from", "1706745600", "--to", "1709251200"]), between(from, to));
    assert_eq!(jobs(&["--last", "2d"]), between(end - 172_800, end));
    assert_eq!(jobs(&["--last", "2d", "--to", "2024-03-01"]), between(to - 172_800, to));
    assert_eq!(jobs(&[]), between(end - 90 * 86_400, end));
    for (args, why) in [
        (&["--from", "2024-03-01", "--to", "2024-02-01"][..], "the period ends before it begins"),
        (&["--from", "never"], "--from: not a time: 'never'"),
        (&["--last", "-5d"], "not negative"),
        (&["--with", "easy"], "name the same policy"),
    ] {
        let output = surefill(&[&["what-if", "h.txt"], args].concat(), folder.path());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
    let none = surefill(
        &["what-if", "h.txt", "--with", "fcfs", "--from", "2030-01-01", "--to", "2031-01-01"],
        folder.path(),
    );
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none.stderr).contains("no job was submitted in the period"));
}

#[test]
fn the_page_can_be_mailed_and_the_tables_be_read() {
    let folder = folder();
    let args = ["what-if", "h.txt", "--with", "fcfs", "--seeds", "2", "--html", "a.html"];
    let output = surefill(&args, folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    // On the 17 processors that were in use at once no job waits in the replay.
    let unexplained = "This history cannot tell what fcfs would save, because the replay of EASY explains 0 % (0 s) of what was \
                  waited. People waited ";
    assert!(
        said.starts_with(unexplained) && said.contains(" as many processors as they asked for were idle."),
        "{said}"
    );
    assert!(
        said.contains(" (95 % interval ") && said.contains("\nIn the recorded schedule, where nobody starts")
    );
    let rest = "Whatever else made jobs wait may have kept them from these processors.";
    assert!(said.replace('\n', " ").contains(rest), "{said}");
    assert!(said.contains("What a replay cannot know:") && said.contains("Mean waits by width"));
    let page = std::fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.len() < 500_000 && page.ends_with("</html>"));
    for foreign in ["<script", "http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for part in [
        "&lt;script&gt;alert(1)",
        "@media print",
        "2026-09-21",
        "surefill what-if h.txt --with fcfs",
        "recorded",
        "the most that the history had in use",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Every figure says in words what it shows.
    let roles = ["role=\"img\"", "role=\"group\""].map(|role| page.matches(role).count());
    assert_eq!(roles.iter().sum::<usize>(), page.matches("aria-label=").count());
    let again = surefill(&args, folder.path());
    assert_eq!(again.stdout, output.stdout);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.html")).unwrap(), page);

    let quiet =
        text(&surefill(&["what-if", "h.txt", "--with", "fcfs", "--seeds", "2", "-b"], folder.path()).stdout);
    assert!(said.starts_with(&quiet) && !quiet.contains("Mean waits"));
    let table = surefill(&["what-if", "h.txt", "--with", "fcfs", "--seeds", "2", "--csv"], folder.path());
    let mut reader = csv::Reader::from_reader(&table.stdout[..]);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(rows.len() > 10 && rows.iter().all(|row| row.len() == 22));
    assert_eq!((&rows[0][0], &rows[0][1]), ("all", "all jobs"));
    let markdown = text(
        &surefill(&["what-if", "h.txt", "--with", "fcfs", "--seeds", "1", "--markdown"], folder.path())
            .stdout,
    );
    assert!(markdown.contains("| account or group"));
}

/// Run times that stand for limits are said beside what is saved, and a history without waits tells nothing.
#[test]
fn what_is_saved_is_said_with_its_doubts() {
    let folder = folder();
    let path = folder.path();
    let table = std::fs::read_to_string(path.join("h.txt")).unwrap();
    let without = |column: usize| -> String {
        let kept = |line: &str| {
            let cells = line.split('|').enumerate().filter(|(place, _)| *place != column);
            cells.map(|(_, cell)| cell).collect::<Vec<_>>().join("|") + "\n"
        };
        table.lines().map(kept).collect()
    };
    std::fs::write(path.join("limitless.txt"), without(4)).unwrap();
    let starts = table.replace("|Start|End|", "|Start|Elapsed|");
    let waits: String = starts
        .lines()
        .map(|line| {
            let mut cells: Vec<String> = line.split('|').map(str::to_owned).collect();
            if let (Ok(start), Ok(end)) = (cells[2].parse::<i64>(), cells[3].parse::<i64>()) {
                (cells[2], cells[3]) = ("Unknown".to_owned(), (end - start).to_string());
            }
            cells.remove(2);
            cells.join("|") + "\n"
        })
        .collect();
    std::fs::write(path.join("waitless.txt"), waits).unwrap();
    let first = |history: &str, procs: u32| {
        let procs = procs.to_string();
        let output = surefill(&["what-if", history, "--procs", &procs, "--seeds", "1", "-b"], path);
        text(&output.stdout).split("\nIn the ").next().unwrap().replace('\n', " ")
    };
    let saves = |history: &str| {
        (8..17)
            .map(|procs| first(history, procs))
            .find(|said| said.contains("fair would save") && said.starts_with("People"))
    };
    let doubt = "Limits are not recorded and run times stand for them: both policies know these, as no scheduler does.";
    let (with, without) = (saves("h.txt").unwrap(), saves("limitless.txt").unwrap());
    assert!(!with.contains(doubt) && without.ends_with(doubt), "{with}\n{without}");
    let waitless = first("waitless.txt", 8);
    let wanted =
        "This history cannot tell what fair would save, because it does not say how long people waited.";
    assert!(waitless.starts_with(wanted), "{waitless}");
}

/// The answer names what was wrong with the history and what is guessed of it.
#[test]
fn remarks_reach_the_answer() {
    let folder = folder();
    let path = folder.path();
    let mut table = std::fs::read_to_string(path.join("h.txt")).unwrap();
    table += "400|1704067200|1704067100|1704067300|1-00:00:00|1|bob|g0|batch|COMPLETED\n";
    table += "401|1704067200|Unknown|Unknown|1-00:00:00|1|bob|g0|batch|PENDING\n";
    std::fs::write(path.join("h.txt"), table).unwrap();
    let args = ["what-if", "h.txt", "--with", "fcfs", "--seeds", "1"];
    let output = surefill(&[&args[..], &["-b", "--html", "a.html"]].concat(), path);
    let (said, page) = (text(&output.stdout), std::fs::read_to_string(path.join("a.html")).unwrap());
    let answer = json(&[&args[..], &["--json"]].concat(), path);
    let remarks: Vec<&str> =
        answer["remarks"].as_array().unwrap().iter().map(|remark| remark.as_str().unwrap()).collect();
    let of = |part: &str| {
        remarks.iter().find(|remark| remark.contains(part)).unwrap_or_else(|| panic!("{remarks:?}"))
    };
    for part in [
        "Accounting does not say how large the machine is",
        "1 line was left out as wrong, the first of them line 402: started at",
        "Lines that are no jobs: 1 still waiting",
    ] {
        let remark = of(part);
        assert!(said.contains(remark) && page.contains(remark), "{remark}: {said}");
    }
    // A size that is said is not guessed.
    let sized = json(&[&args[..], &["--json", "--procs", "9"]].concat(), path);
    assert_eq!(sized["remarks"].as_array().unwrap().len(), remarks.len() - 1);
    let compared = ["compare", "h.txt", "--policies", "easy,fcfs"];
    let output = surefill(&compared, path);
    let said = text(&output.stdout);
    assert!(
        said.contains(of("Accounting"))
            && said.contains("\nThis history cannot tell what another policy would save"),
        "{said}"
    );
    let compared = json(&[&compared[..], &["--json"]].concat(), path);
    assert_eq!(compared["traces"][0]["remarks"], answer["remarks"]);
}
