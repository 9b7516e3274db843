//! Whole studies: the search, what submit times add to users, the command line, pages; and the thesis's tables on the
//! real traces, where they are found (in `SUREFILL_TRACES`, else in `../shared/traces` beside the repository).

use super::common::xml;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};
use surefill_papers::report::locality;
use surefill_papers::studies::locality::ageing::{self, Clock, Known};
use surefill_papers::studies::locality::binning::{Binning, Granularity};
use surefill_papers::studies::locality::sample::{Attribute, Sample};
use surefill_papers::studies::locality::search::{Space, point, search, steps};
use surefill_papers::studies::locality::study::{Options, Plan};
use surefill_papers::studies::locality::thesis;
use surefill_simulator::report;
use surefill_simulator::trace::swf::{Strictness, open};
use surefill_simulator::trace::workload::{Job, MissingProcessors, Rules, Workload};

fn workload(path: &Path, limit_jobs: Option<usize>) -> Workload {
    let missing_processors = MissingProcessors::Drop;
    let rules = Rules { missing_processors, procs: Some(u32::MAX), limit_jobs, ..Rules::default() };
    Workload::new(&open(path, Strictness::Strict).unwrap(), &rules).unwrap()
}

/// The first jobs of the demonstration's workload.
fn demo(jobs: usize) -> Workload {
    workload(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/workload.swf.gz"), Some(jobs))
}

fn options() -> Options {
    Options {
        by: vec![Attribute::Both, Attribute::Time, Attribute::User, Attribute::Time],
        binnings: None,
        slot_s: None,
        ratio: None,
        means: None,
        shuffles: 3,
        seed: 0,
        thresholds_s: Vec::new(),
        clocks: vec![Clock::Job, Clock::Time],
        ageing: ageing::Options { known: Known::Ended, ratio: 1.8, min_jobs: 20, smoothing: None },
    }
}

#[test]
fn the_search_finds_the_best() {
    let workload = demo(800);
    for (attribute, binning) in [
        (Attribute::Time, Binning::Simple),
        (Attribute::Both, Binning::Kmeans),
        (Attribute::User, Binning::Simple),
    ] {
        let sample = Sample::new(&workload.jobs, attribute);
        let space = Space { slot: None, binning, granularity: None };
        let done = AtomicU64::new(0);
        let surface = search(&sample, &space, &|steps| {
            done.fetch_add(steps, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), steps(&sample, &space));
        let best = surface.best;
        assert_eq!(best, point(&sample, best.slot_s.unwrap_or(0), best.granularity));
        assert!(surface.points.iter().all(|point| point.locality <= best.locality));
        assert!(best.locality > 0.1, "{best:?}");
        // Nothing that it did not look at is much better.
        for index in 0..400u32 {
            let slot = i64::from(60 + index * index * 7919 % 1_000_000);
            let granularity = match binning {
                Binning::Simple => Granularity::Ratio(1.01 + f64::from(index) / 200.0),
                Binning::Kmeans => Granularity::Means(2 + index / 4),
            };
            let other = point(&sample, slot, granularity);
            assert!(other.locality < best.locality * 1.01, "{other:?} for {best:?}");
        }
        let plateau = surface.plateau(0.01);
        let value = best.granularity.value();
        assert!(plateau.granularity.0 <= value && value <= plateau.granularity.1);
        assert_eq!(plateau.slot_s.is_some(), attribute.has_slots());
        // Given options are kept.
        let given = Granularity::Ratio(1.5);
        let space = Space { slot: Some(5000), binning: Binning::Simple, granularity: Some(given) };
        let one = search(&sample, &space, &|_| ());
        assert_eq!((one.points.len(), one.best), (1, point(&sample, 5000, given)));
    }
}

#[test]
fn equals_are_the_coarsest() {
    // Two jobs: nothing can be learnt of either, whatever the bins.
    let jobs = [1, 100].map(|run_time| Job { run_time, user: 1, ..Job::default() });
    let sample = Sample::new(&jobs, Attribute::Time);
    let space = Space { slot: None, binning: Binning::Simple, granularity: None };
    let best = search(&sample, &space, &|_| ()).best;
    assert_eq!((best.locality, best.groups), (0.0, 1));
}

/// Two users, whose run times have nothing in common, in two slots each: by the definitions, with all shuffles by hand.
#[test]
fn what_submit_times_add_to_users() {
    let job = |user, submit, run_time| Job { user, submit, run_time, ..Job::default() };
    let jobs = [
        job(1, 0, 10),
        job(1, 1, 10),
        job(1, 1000, 20),
        job(1, 1001, 20),
        job(2, 0, 1000),
        job(2, 1, 2000),
        job(2, 1000, 1000),
        job(2, 1001, 2000),
    ];
    let workload = Workload {
        jobs: jobs.to_vec(),
        procs: 1,
        counts: Default::default(),
        unix_start_time: None,
        nodes: None,
        site: None,
    };
    let options = Options { slot_s: Some(500), ratio: Some(1.9), ..options() };
    let study = Plan::new("t.swf", &workload, &options).run(&|_| ());
    let given = study.given_user.unwrap();
    let f = |attribute| point(&Sample::new(&workload.jobs, attribute), 500, Granularity::Ratio(1.9)).locality;
    let added = f(Attribute::Both) - f(Attribute::User);
    assert!((given.best_less_best - added).abs() < 1e-12 && (given.same_ratio - added).abs() < 1e-12);
    // Section 2.1's examples, one a user: 2/3 and -1/3, over half of the jobs each.
    assert!((given.within_users - (2.0 / 3.0 - 1.0 / 3.0) / 2.0).abs() < 1e-12);
    assert_eq!(given.thesis, None);
}

#[test]
fn studies_say_why_there_is_nothing() {
    let of = |jobs: &[Job]| {
        let counts = Default::default();
        let workload = Workload {
            jobs: jobs.to_vec(),
            procs: 1,
            counts,
            unix_start_time: None,
            nodes: None,
            site: None,
        };
        let options = options();
        let plan = Plan::new("t.swf", &workload, &options);
        let done = AtomicU64::new(0);
        let study = plan.run(&|steps| {
            done.fetch_add(steps, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), plan.steps());
        let json = serde_json::to_value(&study).unwrap();
        let page = report::study_page(
            "t",
            &[locality::section(&study, &options)],
            "A paper",
            &report::Made { command: "c".to_owned(), date: "d".to_owned() },
        );
        roxmltree::Document::parse(&xml(&page)).expect("well-formed");
        assert!(!page.contains("NaN") && !page.contains("inf"));
        (study.measurements.iter().map(|m| m.nothing).collect::<Vec<_>>(), json)
    };
    let job = |user, submit, run_time| Job { user, submit, run_time, ..Job::default() };
    let (one, json) = of(&[job(1, 5, 60)]);
    assert_eq!(one, [Some("there is one job only"); 4]);
    assert!(json["measurements"][0]["best"].is_null() && json["no_ageing"].is_string());
    let (equal, _) = of(&[job(1, 5, 0), job(2, 6, 1), job(3, 600, 1)]);
    assert_eq!(equal, [Some("all run times are equal"); 4]);
    let (nobody, _) = of(&[job(-1, 5, 60), job(-1, 6, 600), job(-1, 900, 6000)]);
    assert_eq!(nobody, [None, None, Some("no job's user is known"), Some("no job's user is known")]);
    let jobs: Vec<Job> = (0..40).map(|i| job(1, 5, i % 2 * 100)).collect();
    let workload = Workload {
        jobs,
        procs: 1,
        counts: Default::default(),
        unix_start_time: None,
        nodes: None,
        site: None,
    };
    let options = options();
    let study = Plan::new("t.swf", &workload, &options).run(&|_| ());
    assert!(locality::remarks(&study)[0].ends_with("no locality at any granularity"));
    let (alone, _) = of(&[job(7, 5, 60), job(7, 6, 600), job(7, 900, 6000)]);
    assert_eq!(alone, [None, None, Some("there is one user only"), None]);
}

fn papers(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill-papers"))
        .arg("locality")
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with `t.swf`: 300 jobs of 3 users, without a machine's size.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: i64| {
        let (submit, run_time, user) = (i * 60, 30 + (i / 20 * 977) % 5000 + i % 7, i % 3);
        format!("{i} {submit} -1 {run_time} 1 -1 -1 1 9000 -1 1 {user} 1 2 -1 -1 -1 -1\n")
    };
    std::fs::write(folder.path().join("t.swf"), (0..300).map(line).collect::<String>()).unwrap();
    folder
}

#[test]
fn json_tables_and_pages() {
    let folder = folder();
    let run = |args: &[&str]| {
        let output = papers(args, folder.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let out = run(&["t.swf", "--json", "--html", "page.html", "--min-jobs", "50"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let trace = &json["traces"][0];
    assert_eq!(
        (&trace["trace"], &trace["users"], &trace["replay"]["jobs"]),
        (&"t.swf".into(), &3.into(), &300.into())
    );
    let measurements = trace["measurements"].as_array().unwrap();
    let kinds: Vec<_> =
        measurements.iter().map(|m| (m["attribute"].as_str(), m["binning"].as_str())).collect();
    let kind = |attribute, binning| (Some(attribute), Some(binning));
    assert_eq!(
        kinds,
        [kind("time", "simple"), kind("time", "kmeans"), kind("user", "simple"), kind("both", "simple")]
    );
    for measurement in measurements {
        let best = &measurement["best"];
        let of = |key: &str| best[key].as_f64().unwrap();
        assert!((of("information") - of("expected") - of("locality")).abs() < 1e-9);
        assert!((of("shuffled_locality") - of("locality")).abs() < 0.2);
        assert_eq!(best["shuffled"]["shuffles"], 10);
        assert!(measurement["surface"]["points"].as_array().unwrap().len() > 100);
        assert!(measurement["thesis"].is_null());
    }
    assert_eq!(trace["ageing"][0]["users"].as_array().unwrap().len(), 3);
    assert!(json["options"]["seed"] == 0 && json["missing_processors"] == "drop");

    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    let xml = xml(&page);
    let document = roxmltree::Document::parse(&xml).expect("well-formed");
    let figures = document.descendants().filter(|node| node.has_tag_name("figure"));
    // Three maps, a line, and two distributions.
    assert_eq!(figures.count(), 6);
    for node in document.descendants() {
        assert!(node.attribute("src").is_none());
        assert!(node.attribute("href").is_none_or(|place| place.starts_with("data:image/svg+xml,")));
    }
    assert!(!page.contains("url(") && !page.contains("<script"));

    let table = run(&["t.swf", "--markdown", "--by", "user,both", "--exact", "--no-ageing"]);
    assert!(
        !table.contains("shuffles") && table.contains("f((s, u), r)") && !table.contains("by submit time,")
    );
    assert!(table.lines().filter(|line| line.starts_with('|')).all(|line| line.ends_with('|')));
    let two = ["t.swf", "--markdown", "--by", "time", "--binning", "simple", "--exact", "--no-ageing"];
    let two = run(&[&two[..], &["--thresholds", "1min,1h"]].concat());
    assert!(
        two.contains("| t     | 1 min ") && two.contains("| t     | 1 h ") && two.contains("Two bins"),
        "{two}"
    );
    let fixed = ["t.swf", "--json", "--by", "time", "--binning", "simple", "--ts", "2h", "--tr", "1.5"];
    let json: serde_json::Value = serde_json::from_str(&run(&fixed)).unwrap();
    let best = &json["traces"][0]["measurements"][0]["best"];
    assert_eq!((&best["slot_s"], &best["ratio"]), (&7200.into(), &1.5.into()));
    // Shuffles and their seed decide, and nothing else does.
    assert_eq!(run(&fixed), run(&fixed));
    assert_ne!(run(&fixed), run(&[&fixed[..], &["--seed", "1"]].concat()));
    assert!(
        run(&["t.swf", "--by", "time", "--means", "5", "--ts", "1h", "--html", "page.html"])
            .contains("k-means")
    );
}

#[test]
fn bad_usage_is_2_and_failed_work_1() {
    let folder = folder();
    for args in [
        &[][..],
        &["t.swf", "--by", "group"],
        &["t.swf", "--binning", "fine"],
        &["t.swf", "--ts", "0"],
        &["t.swf", "--ts", "1:30"],
        &["t.swf", "--ts", "1month"],
        &["t.swf", "--ts", "99999999999999999999w"],
        &["t.swf", "--tr", "1"],
        &["t.swf", "--tr", "nan"],
        &["t.swf", "--means", "0"],
        &["t.swf", "--shuffles", "0"],
        &["t.swf", "--exact", "--shuffles", "5"],
        &["t.swf", "--no-ageing", "--ageing", "job"],
        &["t.swf", "--min-jobs", "1"],
        &["t.swf", "--smoothing", "-1"],
        &["t.swf", "--json", "--markdown"],
    ] {
        let output = papers(args, folder.path());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && text(&output.stderr).contains("error:"), "{args:?}");
    }
    let fails = |args: &[&str], why: &str| {
        let output = papers(args, folder.path());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    };
    std::fs::write(folder.path().join("empty.swf"), "; MaxProcs: 4\n").unwrap();
    std::fs::write(folder.path().join("wrong.swf"), "1 2 3\n").unwrap();
    fails(&["none.swf"], "none.swf: No such file");
    fails(&["empty.swf"], "empty.swf: no job to replay (0 job lines, 0 wrong lines)");
    fails(&["wrong.swf", "--strict"], "wrong.swf:1: 3 fields instead of 18");
    fails(&["t.swf", "--html", "no/such/page.html"], "no/such/page.html");
    let help = text(&papers(&["--help"], folder.path()).stdout);
    for word in ["I(S;R')", "--exact", "Exit status", "40min", "alpha^age"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn the_thesis_s_tables_come_out_on_the_real_traces() {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let folder = std::env::var_os("SUREFILL_TRACES").map_or_else(beside, PathBuf::from);
    for name in [
        "SDSC-Par-1996-3.1-cln.swf.gz",
        "LANL-CM5-1994-4.1-cln.swf.gz",
        "SDSC-SP2-1998-4.2-cln.swf.gz",
        "SDSC-BLUE-2000-4.2-cln.swf.gz",
        "CTC-SP2-1996-3.1-cln.swf.gz",
    ] {
        let path = folder.join(name);
        if !path.exists() {
            // Not by a macro, whose output the harness keeps to itself.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: no trace {}: set SUREFILL_TRACES to the folder that holds it",
                path.display()
            );
            continue;
        }
        let workload = workload(&path, None);
        for (attribute, binning) in [
            (Attribute::Time, Binning::Simple),
            (Attribute::Time, Binning::Kmeans),
            (Attribute::User, Binning::Simple),
            (Attribute::Both, Binning::Simple),
        ] {
            let theirs = thesis::published(name, attribute, binning).unwrap();
            let sample = Sample::new(&workload.jobs, attribute);
            let ours = point(&sample, theirs.slot_s.unwrap_or(0), theirs.granularity);
            println!("{name} {attribute:?} {binning:?}: {:.4}, thesis {}", ours.locality, theirs.locality);
            assert_eq!(ours.bins, theirs.bins as usize);
            // Half of their last digit, and the noise of their ten shuffles.
            assert!((ours.locality - theirs.locality).abs() < 0.0065, "{name}: {ours:?}, {theirs:?}");
        }
    }
}
