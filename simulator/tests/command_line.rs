//! The program as its users see it: arguments, exit status, output.

use crate::common::crowded;
use std::path::Path;
use std::process::{Command, Output};

pub(super) fn surefill(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill")).args(args).current_dir(folder).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with `t.swf`: 40 jobs on 4 processors, crowded.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.swf"), crowded()).unwrap();
    folder
}

#[test]
fn simulate_prints_one_json_object() {
    let folder = folder();
    let output = surefill(&["simulate", "t.swf", "--json", "--seeds", "3"], folder.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in [
        "trace",
        "policy",
        "predictor",
        "order",
        "tau",
        "delay",
        "procs",
        "jobs",
        "mean_wait_s",
        "geomean_wait_s",
        "median_wait_s",
        "p95_wait_s",
        "p99_wait_s",
        "max_wait_s",
        "mean_bounded_slowdown",
        "utilization",
        "backfilled",
        "passes",
        "decisions",
        "scheduler_s",
        "wall_s",
        "calibration",
        "seeds",
        "spread",
        "replay",
    ] {
        assert!(json.get(key).is_some(), "no {key}");
    }
    assert_eq!(json["trace"], "t.swf");
    assert_eq!(json["jobs"], 40);
    assert_eq!(json["seeds"], 3);
    assert!(json["spread"]["mean_wait_s"].as_f64().unwrap() > 0.0);
    assert!(json["calibration"][0]["count"].as_u64().unwrap() > 0);
}

#[test]
fn compare_takes_policies_with_predictors() {
    let folder = folder();
    let policies = "fcfs,easy:gibbons,easy:limit:sjbf,easy++,conservative";
    let output = surefill(&["compare", "t.swf", "t.swf", "--policies", policies, "--json"], folder.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["traces"].as_array().unwrap().len(), 2);
    let changes = json["changes"].as_array().unwrap();
    assert!(
        changes.iter().all(|change| change["change"].is_f64() && change["policy"].is_string()),
        "{changes:?}"
    );
    let names: Vec<_> =
        json["traces"][0]["policies"].as_array().unwrap().iter().map(|p| &p["policy"]).collect();
    assert_eq!(names, ["fcfs", "easy", "easy", "easy++", "conservative"]);
    let table = surefill(&["compare", "t.swf", "--policies", policies], folder.path());
    assert!(String::from_utf8_lossy(&table.stdout).contains("gibbons"));
}

#[test]
fn rules_tell_policies_of_one_comparison_apart() {
    let folder = folder();
    let policies = "easy,prob:user:sjbf:exact,prob:user:sjbf:bound=0.1@1,prob:limit:fcfs:seconds=30";
    let args = ["compare", "t.swf", "--policies", policies, "--tau", "0.2"];
    let output = surefill(&[&args[..], &["--json"]].concat(), folder.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |key: &str| -> Vec<String> {
        json["traces"][0]["policies"].as_array().unwrap().iter().map(|p| p[key].to_string()).collect()
    };
    assert_eq!(of("rule"), ["null", "\"exact=0.2\"", "\"bound=0.1@1\"", "\"seconds=30\""]);
    assert_eq!(of("criterion")[3], "\"seconds\"");
    let output = surefill(&[&args[..], &["--markdown", "--table", "means"]].concat(), folder.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("| prob (user, sjbf, bound=0.1@1) |"), "{text}");
    assert_eq!(text.lines().count(), 6);
}

#[test]
fn waits_by_quarter_of_the_priorities_where_a_policy_has_their_order() {
    let folder = folder();
    let compare = |policies: &str, more: &[&str]| {
        let args = ["compare", "t.swf", "--quiet", "--policies", policies];
        let output = surefill(&[&args[..], more].concat(), folder.path());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let policies = "easy,easy:limit:multifactor,delay:mix:multifactor,fair,fair:contexts:multifactor";
    let numbers = ["--priorities", "fairshare=9000+half-life=300+tier2=1"];
    let json: serde_json::Value =
        serde_json::from_str(&compare(policies, &[&numbers[..], &["--json"]].concat())).unwrap();
    for policy in json["traces"][0]["policies"].as_array().unwrap() {
        let quarters = policy["fairness"]["by_priority"].as_array().unwrap();
        let jobs: u64 = quarters.iter().map(|quarter| quarter["jobs"].as_u64().unwrap()).sum();
        assert_eq!((quarters.len(), jobs), (4, 40));
        assert!(policy["options"]["site"].as_str().unwrap().starts_with("fairshare=9000+age=30000+"));
    }
    let orders: Vec<&str> = json["traces"][0]["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["order"].as_str().unwrap())
        .collect();
    assert_eq!((orders[0], orders[3]), ("fcfs", "fcfs"));
    assert!(orders[1].starts_with("multifactor fairshare=9000+") && orders[1] == orders[4]);
    // Changes are against EASY in their order, which has no row of its own.
    let table = compare(policies, &["--table", "fairness", "--markdown"]);
    assert!(
        table.contains("highest quarter [%]") && table.contains("| fair (contexts, multifactor) "),
        "{table}"
    );
    assert!(
        table.contains("| easy (limit, fcfs) ") && !table.contains("| easy (limit, multifactor) "),
        "{table}"
    );
    assert!(!compare("easy,fair", &["--table", "fairness", "--markdown"]).contains("quarter"));
    assert!(
        compare("easy,fair", &[&numbers[..], &["--table", "fairness", "--markdown"]].concat())
            .contains("quarter")
    );
    // Without a weight of age points are worth no time: jobs of a higher priority come first.
    let plan = ["simulate", "t.swf", "--policy", "fair", "--order", "multifactor", "--priorities", "age=0"];
    assert_eq!(code(&surefill(&plan, folder.path())), 0);
    let refused = surefill(&["compare", "t.swf", "--policies", "fair:contexts:fcfs:tie=5"], folder.path());
    assert!(
        stderr(&refused).contains("of a site's priorities: the order multifactor"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn presets_fill_the_options_and_options_win() {
    let folder = folder();
    let json = |args: &[&str]| {
        let output = surefill(&[&["simulate", "t.swf", "--json"], args].concat(), folder.path());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json
    };
    for preset in ["papers", "delay", "delay-fast"] {
        let json = json(&["--preset", preset]);
        assert_eq!((&json["policy"], &json["preset"]), (&"prob".into(), &preset.into()));
    }
    // EASY itself makes the schedule of the rule that never delays.
    let (plain, rule) = (json(&["--preset", "easy"]), json(&["--policy", "prob", "--preset", "easy"]));
    assert_eq!(
        (&plain["policy"], &rule["policy"], &rule["preset"]),
        (&"easy".into(), &"prob".into(), &"easy".into())
    );
    assert!(plain["mean_wait_s"].is_number() && plain["mean_wait_s"] == rule["mean_wait_s"]);
    assert_eq!(
        (&json(&[])["policy"], &json(&["--policy", "prob"])["preset"]),
        (&"fair".into(), &"delay".into())
    );
    assert_eq!(json(&["--preset", "papers"])["rule"], "bound=0.05@1");
    let mine =
        json(&["--preset", "delay-fast", "--guard", "0.98", "--queue", "0.5/-0.1/3600/1", "--slip", "0.25"]);
    assert!(mine["preset"].is_null());
    let (order, prob) = (&mine["options"]["order"], &mine["options"]["prob"]);
    assert_eq!((&prob["guard"], &prob["slip"], &prob["tau"]), (&0.98.into(), &0.25.into(), &0.4.into()));
    assert_eq!((&order["queue"]["run_time"], &order["queue"]["age"]), (&0.5.into(), &1.0.into()));
    // A rule of its own is plain; the preset of a list is for those without one.
    let policies = "prob:user:fcfs:exact,prob:user,delay-fast,prob:user:sjbf";
    let args = ["compare", "t.swf", "--policies", policies, "--preset", "delay", "--json"];
    let output = surefill(&args, folder.path());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |key: &str| -> Vec<serde_json::Value> {
        json["traces"][0]["policies"].as_array().unwrap().iter().map(|p| p[key].clone()).collect()
    };
    assert_eq!(of("order"), ["fcfs", "delay", "delay-fast", "sjbf"]);
    assert_eq!(
        of("preset"),
        [serde_json::Value::Null, "delay".into(), "delay-fast".into(), serde_json::Value::Null]
    );
    assert_eq!(of("rule"), ["exact=0.05", "relative=0.3@1", "relative=0.4@1", "relative=0.3@1+report"]);
}

#[test]
fn pages_are_written_for_one_policy_and_for_several() {
    let folder = folder();
    let page = |args: &[&str]| {
        let output = surefill(args, folder.path());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
        page
    };
    let one = page(&["simulate", "t.swf", "--policy", "prob", "--html", "page.html"]);
    assert!(one.contains("t.swf: prob") && one.contains("mix, delay, relative=0.3@1"));
    // Two traces, and the policies that are shown unasked.
    let several = page(&["compare", "t.swf", "t.swf", "--html", "page.html"]);
    assert_eq!(several.matches("<section>").count(), 2);
    // Fairness against EASY, and predicted delays in seconds.
    assert_eq!(several.matches("Who gains and who loses").count(), 2);
    assert!(several.contains("judged in seconds"));
    assert!(!one.contains("Who gains and who loses"), "there is no EASY to compare with");
    for policy in ["fcfs", "easy++", "mix, delay, relative=0.3@1", "mix, delay-fast, relative=0.4@1"] {
        assert!(several.contains(policy), "{policy}");
    }
}

#[test]
fn schedules_are_written_and_can_be_replayed() {
    let folder = folder();
    let csv = surefill(&["simulate", "t.swf", "--jobs", "s.csv", "--seed", "7"], folder.path());
    assert_eq!(code(&csv), 0, "{}", stderr(&csv));
    let text = std::fs::read_to_string(folder.path().join("s.csv")).unwrap();
    assert!(text.starts_with(concat!("# surefill: ", env!("CARGO_PKG_VERSION"), "\n# trace: t.swf\n")));
    assert!(text.contains("\n# seed: 7\n"));
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        rows[0],
        "number,user,submit,start,end,processors,limit,run_time,backfilled,predicted,observed_delay"
    );
    assert_eq!(rows.len(), 41);
    assert!(rows.iter().all(|row| row.split(',').count() == 11));

    // Jobs that had to wait have an expected start, not before they could start; no others have.
    let output =
        surefill(&["simulate", "t.swf", "--jobs", "e.csv", "--seed", "7", "--starts"], folder.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = std::fs::read_to_string(folder.path().join("e.csv")).unwrap();
    let expected: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(expected[0].ends_with(concat!(
        ",expected_at_0.05,expected_at_0.25,expected_at_0.5,expected_at_0.75,expected_at_0.95",
        ",probability_within_600,probability_within_3600,probability_within_21600,probability_within_86400"
    )));
    assert!(text.contains("\n# predicted_by: contexts\n"), "{text}");
    let mut waited = 0;
    for (row, expected) in rows.iter().zip(&expected).skip(1) {
        assert!(expected.starts_with(row));
        let fields: Vec<&str> = expected.split(',').collect();
        assert_eq!(fields.len(), 20);
        let number = |field: &str| field.parse::<i64>().unwrap();
        let (submit, start) = (number(fields[2]), number(fields[3]));
        if start == submit {
            assert_eq!(fields[11..], [""; 9]);
        } else {
            let starts: Vec<i64> = fields[11..16].iter().map(|field| number(field)).collect();
            assert!(starts.is_sorted() && starts[0] >= submit);
            let chances: Vec<f64> = fields[16..].iter().map(|field| field.parse().unwrap()).collect();
            assert!(chances.is_sorted() && chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
            waited += 1;
        }
    }
    assert!(waited > 5, "{waited}");
    for refused in [
        &["simulate", "t.swf", "--jobs", "e.swf", "--starts"][..],
        &["simulate", "t.swf", "--starts"],
        &["simulate", "t.swf", "--policy", "fair", "--nodes", "4x(cores=2)", "--jobs", "e.csv", "--starts"],
        &["start-times", "t.swf", "--policy", "fast", "--nodes", "4x(cores=2)"],
        &["simulate", "t.swf", "--policy", "smallest", "--jobs", "e.csv", "--starts"],
    ] {
        assert_eq!(code(&surefill(refused, folder.path())), 2);
    }
    // The policies that are compared without being named are those that know the machine.
    let on_nodes = surefill(&["compare", "t.swf", "--nodes", "64x(cores=8)"], folder.path());
    assert_eq!(code(&on_nodes), 0, "{}", stderr(&on_nodes));

    let swf = surefill(&["simulate", "t.swf", "--jobs", "s.swf"], folder.path());
    assert_eq!(code(&swf), 0);
    let text = std::fs::read_to_string(folder.path().join("s.swf")).unwrap();
    assert!(text.contains("; UnixStartTime: 1000000000\n") && text.contains("; Note: policy fair\n"));
    let wait = |file: &str| {
        let output = surefill(&["simulate", file, "--json", "--strict"], folder.path());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["mean_wait_s"].clone()
    };
    assert_eq!(wait("s.swf"), wait("t.swf"));
}

#[test]
fn explain_says_why_a_job_waited() {
    let folder = folder();
    let text = |args: &[&str]| {
        let output = surefill(args, folder.path());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for policy in ["easy", "prob"] {
        let all = text(&["explain", "t.swf", "--job", "9", "--policy", policy, "--order", "fcfs"]);
        assert!(all.starts_with(&format!("t.swf on 4 processors under {policy} (")), "{all}");
        assert!(all.contains("job 9 asked for 4 processors and 0:05:00 at 180, waited "), "{all}");
        assert!(all.contains("expected to start: "), "{all}");
    }
    let fair = text(&["explain", "t.swf", "--job", "9"]);
    assert!(fair.starts_with("t.swf on 4 processors under fair ("), "{fair}");
    let one = text(&["explain", "t.swf", "--job", "9", "--at", "185"]);
    assert!(one.contains(" 180 "), "{one}");
    let json = text(&["explain", "t.swf", "--job", "9", "--policy", "prob", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let passes = json["passes"].as_array().unwrap();
    assert_eq!((&json["job"], &passes[0]["time"]), (&9.into(), &180.into()));
    assert_eq!(passes.last().unwrap()["why"], "started");
}

/// The predicted starts of a waiting job: once at its submission, by each method, quantiles in order; and the
/// observed start is that of the replay.
#[test]
fn explain_shows_the_predicted_starts() {
    let folder = folder();
    let run = |args: &[&str]| {
        let output = surefill(args, folder.path());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let job = ["explain", "t.swf", "--job", "30", "--policy", "easy"];
    let plain: serde_json::Value = serde_json::from_str(&run(&[&job[..], &["--json"]].concat())).unwrap();
    assert!(plain.get("predictions").is_none());
    let json: serde_json::Value =
        serde_json::from_str(&run(&[&job[..], &["--starts", "--json"]].concat())).unwrap();
    let wait = json["start"].as_i64().unwrap() - json["submit"].as_i64().unwrap();
    assert!(wait > 0 && wait < 6 * 3600, "{wait}");
    let predictions = json["predictions"].as_array().unwrap();
    let mut methods: Vec<&str> =
        predictions.iter().map(|prediction| prediction["method"].as_str().unwrap()).collect();
    methods.sort_unstable();
    methods.dedup();
    assert_eq!(methods.len(), predictions.len(), "each method once: {predictions:?}");
    assert!(methods.len() >= 3, "{methods:?}");
    for prediction in predictions {
        assert_eq!((&prediction["job"], &prediction["asked"]), (&30.into(), &json["submit"]));
        assert_eq!((prediction["age"].as_i64(), prediction["waited"].as_i64()), (Some(0), Some(wait)));
        let quantiles: Vec<i64> =
            prediction["quantiles"].as_array().unwrap().iter().map(|q| q.as_i64().unwrap()).collect();
        assert!(quantiles.is_sorted() && quantiles[0] >= 0, "{prediction}");
    }
    // By limits alone every job runs to the limit, so that under EASY the job has started by then.
    let by_limits = predictions
        .iter()
        .find(|prediction| prediction["method"].as_str().unwrap().contains("limits"))
        .unwrap();
    assert!(by_limits["quantiles"][0].as_i64().unwrap() >= wait, "{by_limits}");
    let text = run(&[&job[..], &["--starts"]].concat());
    assert!(text.contains("% start within") && text.contains("it started after"), "{text}");
}

#[test]
fn bad_usage_is_status_2() {
    let folder = folder();
    for args in [
        &["simulate"][..],
        &["simulate", "t.swf", "--policy", "best"],
        &["simulate", "t.swf", "--policy", "fcfs", "--order", "sjbf"],
        &["simulate", "t.swf", "--policy", "easy", "--predictor", "user"],
        &["simulate", "t.swf", "--procs", "0"],
        &["simulate", "t.swf", "--seeds", "0"],
        &["simulate", "t.swf", "--tau", "nan"],
        &["simulate", "t.swf", "--tau", "-1"],
        &["simulate", "t.swf", "--events-per-bin", "17"],
        &["simulate", "t.swf", "--policy", "prob", "--ratio", "1"],
        &["compare", "t.swf", "--ratio", "1.01"],
        &["compare", "t.swf", "--policies", "fcfs,easy", "--tau", "0.1"],
        &["explain", "t.swf", "--job", "9", "--policy", "prob", "--first-edge", "nan"],
        // Options that the policy would not heed.
        &["simulate", "t.swf", "--policy", "easy", "--tau", "0.1"],
        &["simulate", "t.swf", "--policy", "prob:user:fcfs:relative=0.1", "--tau", "0.1"],
        &["compare", "t.swf", "--policies", "prob:user:fcfs:relative=0.1,easy", "--tau", "0.1"],
        &["simulate", "t.swf", "--policy", "fair", "--preset", "delay"],
        &["start-times", "t.swf", "--policy", "delay-fast", "--preset", "delay"],
        &["start-times", "t.swf", "--policy", "delay"],
        &["start-times", "t.swf", "--scenarios", "65"],
        &["explain", "t.swf", "--job", "9", "--policy", "conservative", "--starts"],
        &["simulate", "t.swf", "--policy", "fcfs", "--queue", "shortest"],
        &["simulate", "t.swf", "--policy", "conservative", "--front", "0.9"],
        &["compare", "t.swf", "--policies", "delay:mix:delay:exact"],
        &["simulate", "t.swf", "--queue", "1/2/3"],
        &["simulate", "t.swf", "--guard", "1.5"],
        &["simulate", "t.swf", "--preset", "papers", "--slip", "0.1"],
        &["simulate", "t.swf", "--preset", "best"],
        &["simulate", "t.swf", "--policy", "easy++", "--budget", "1"],
        &["explain", "t.swf", "--job", "9", "--policy", "easy", "--criterion", "seconds"],
        &["simulate", "t.swf", "--jobs", "s.txt"],
        &["simulate", "t.swf", "--jobs", "s.csv", "--seeds", "2"],
        &["explain", "t.swf"],
        &["explain", "t.swf", "--job", "99"],
        &["explain", "t.swf", "--job", "9", "--at", "1"],
        &["explain", "t.swf", "--job", "9", "--seeds", "2"],
        &["compare"],
        &["compare", "t.swf", "--policies", "easy:x"],
        &["compare", "t.swf", "--policies", "easy:limit:fcfs:exact"],
        &["compare", "t.swf", "--policies", "prob:user:fcfs:exact=-1"],
        &["compare", "t.swf", "--json", "--markdown"],
        &["simulate", "t.swf", "--table", "nothing"],
        &["fly"],
    ] {
        let output = surefill(args, folder.path());
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(output.stdout.is_empty() && stderr(&output).contains("error:"), "{args:?}");
    }
}

#[test]
fn failed_work_is_status_1_and_names_file_and_line() {
    let folder = folder();
    let fails = |args: &[&str], why: &str| {
        let output = surefill(args, folder.path());
        assert_eq!(code(&output), 1, "{args:?}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    fails(&["simulate", "none.swf"], "none.swf: No such file");
    write("empty.swf", b"; MaxProcs: 4\n");
    fails(&["simulate", "empty.swf"], "empty.swf: no job to replay (0 job lines, 0 wrong lines)");
    write("broken.swf.gz", b"\x1f\x8b\x08\x00");
    fails(&["simulate", "broken.swf.gz"], "broken.swf.gz: unreadable after line 0");
    let text = std::fs::read_to_string(folder.path().join("t.swf")).unwrap();
    write("nosize.swf", text.replace("; MaxProcs: 4\n", "").as_bytes());
    fails(&["simulate", "nosize.swf"], "--procs");
    write("wrong.swf", format!("{text}1 2 3\n").as_bytes());
    fails(&["simulate", "wrong.swf", "--strict"], "wrong.swf:43: 3 fields instead of 18");
    write("none.swf.gz", b"garbage");
    fails(&["simulate", "none.swf.gz"], "none.swf.gz: unreadable after line 0: not compressed by gzip");
    write("nothing.swf", b"");
    fails(&["compare", "nothing.swf"], "nothing.swf: no job to replay");
    fails(&["compare", "t.swf", "--html", "no/such/page.html"], "no/such/page.html");
    fails(&["simulate", "t.swf", "--jobs", "no/such/folder.csv"], "no/such/folder.csv");

    let lenient = surefill(&["simulate", "wrong.swf", "--json"], folder.path());
    assert_eq!(code(&lenient), 0);
    assert!(stderr(&lenient).contains("wrong.swf:43: 3 fields instead of 18 (left out)"));
    let json: serde_json::Value = serde_json::from_slice(&lenient.stdout).unwrap();
    assert_eq!(json["replay"]["wrong_lines"], 1);
}

#[test]
fn traces_without_requested_times_are_said_to_be_foreknown() {
    let folder = folder();
    let with = std::fs::read_to_string(folder.path().join("t.swf")).unwrap();
    std::fs::write(folder.path().join("u.swf"), with.replace(" 300 -1 1 ", " -1 -1 1 ")).unwrap();
    for (trace, known) in [("t.swf", false), ("u.swf", true)] {
        let output =
            surefill(&["compare", trace, "--policies", "easy,fair", "--html", "p.html"], folder.path());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(
            stderr(&output).contains("40 of 40 jobs have no requested time"),
            known,
            "{}",
            stderr(&output)
        );
        let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
        for text in [String::from_utf8_lossy(&output.stdout).as_ref(), &page] {
            assert_eq!(text.contains("without requested times (u"), known, "{text}");
            assert_eq!(text.contains("CLAIRVOYANT") && text.contains("--estimates F"), known, "{text}");
        }
    }
    // With the model of estimates there is nothing to warn of.
    let output =
        surefill(&["compare", "u.swf", "--policies", "easy,fair", "--estimates", "3"], folder.path());
    assert!(!stderr(&output).contains("CLAIRVOYANT") && code(&output) == 0, "{}", stderr(&output));
    let help = surefill(&["compare", "--help"], folder.path());
    assert!(String::from_utf8_lossy(&help.stdout).contains("clairvoyant"));
}

/// Predictions from a log that names no user rest on limits: the answer says so, and standard error.
#[test]
fn traces_without_users_are_said_to_be_nameless() {
    let folder = folder();
    let with = std::fs::read_to_string(folder.path().join("t.swf")).unwrap();
    let without = |line: &str| -> String {
        let field =
            |(place, text): (usize, &str)| if place == 11 { "-1 ".to_owned() } else { format!("{text} ") };
        line.split_whitespace().enumerate().map(field).collect::<String>() + "\n"
    };
    let jobs = with.lines().filter(|line| !line.starts_with(';')).map(without);
    let header = with.lines().filter(|line| line.starts_with(';')).map(|line| format!("{line}\n"));
    std::fs::write(folder.path().join("u.swf"), header.chain(jobs).collect::<String>()).unwrap();
    let said = "he history does not say whose jobs these are: predictions of run times rest on limits";
    for (trace, is_nameless) in [("t.swf", false), ("u.swf", true)] {
        for args in [vec!["compare", trace, "--policies", "easy,fair"], vec!["simulate", trace]] {
            let output = surefill(&[&args[..], &["--html", "p.html"]].concat(), folder.path());
            let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
            let text = String::from_utf8_lossy(&output.stdout).replace('\n', " ");
            for text in [stderr(&output).as_str(), &text, &page] {
                assert_eq!(text.contains(said), is_nameless, "{args:?}: {text}");
            }
        }
        let output = surefill(&["compare", trace, "--policies", "easy,fair", "--json"], folder.path());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let remarks = json["traces"][0]["remarks"].to_string();
        assert_eq!(remarks.contains(said), is_nameless, "{remarks}");
    }
}

#[test]
fn verbs_of_the_papers_are_said_to_be_elsewhere() {
    let folder = folder();
    for verb in ["fit", "wait-bounds", "tune"] {
        let output = surefill(&[verb, "t.swf"], folder.path());
        assert_eq!((code(&output), output.stdout.len()), (2, 0));
        let sentence = format!(
            "error: the papers' studies are in the command surefill-papers: surefill-papers {verb}\n"
        );
        assert_eq!(stderr(&output), sentence);
    }
    let other = surefill(&["fits"], folder.path());
    assert!(code(&other) == 2 && !stderr(&other).contains("papers"), "{}", stderr(&other));
}

#[test]
fn help_states_the_replay_rules() {
    let folder = folder();
    let output = surefill(&["simulate", "--help"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for word in ["Replay rules", "--overrun", "--preset", "512", "Exit status"] {
        assert!(text.contains(word), "{word}");
    }
}

/// The most memory that a run ever held, in kB, as Linux counts it until just before the run's end.
#[cfg(target_os = "linux")]
fn peak(args: &str, folder: &Path) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
    command.args(args.split_whitespace()).current_dir(folder).env("RAYON_NUM_THREADS", "1");
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut highest = 0;
    loop {
        let now = std::fs::read_to_string(&status).unwrap_or_default();
        let held = now.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        highest = held.map_or(highest, |held| held.trim().trim_end_matches(" kB").parse().unwrap());
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success() && highest > 0, "{args}: {status}");
            return highest;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn compare_takes_less_than_a_kilobyte_a_job() {
    let folder = tempfile::tempdir().unwrap();
    let of = |jobs: u64| {
        let generated = format!("generate -n {jobs} --procs 256 --load 0.5 -o w.swf");
        let arguments: Vec<&str> = generated.split_whitespace().collect();
        assert_eq!(code(&surefill(&arguments, folder.path())), 0);
        peak("compare w.swf --policies easy,easy++ --quiet", folder.path())
    };
    let (few, many) = (of(10_000), of(60_000));
    let bytes = 1024 * many.saturating_sub(few) / 50_000;
    // Enough that the jobs are seen at all, so that the figure is that of the jobs.
    assert!((100..1000).contains(&bytes), "{bytes} bytes a job: {few} kB and {many} kB");
}
