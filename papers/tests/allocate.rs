//! `surefill-papers allocate` and `surefill-papers merge`: schedules keep the rules, decisions are what they
//! claim, shards make the whole.

use std::path::Path;
use std::process::{Command, Output};
use surefill_papers::studies::allocate::application::follow;
use surefill_papers::studies::allocate::lifetimes::Lifetimes;
use surefill_papers::studies::allocate::machine::Machine;
use surefill_papers::studies::allocate::strategy::{Decider, Strategy};
use surefill_papers::studies::allocate::study::{Measures, application, avg, one};
use surefill_papers::studies::allocate::system::{Run, run};
use surefill_papers::studies::allocate::workload::{Job, Rounding, WorkloadOptions, generate};

const STRATEGIES: [&str; 10] = [
    "avg",
    "opt",
    "pred",
    "bias",
    "heur",
    "min40",
    "exact",
    "median",
    "bias+lock+averse",
    "exact+queue+watch",
];

fn options(days: u32, procs: u32, seed: u64) -> WorkloadOptions {
    WorkloadOptions { days, procs, load: 0.9, seed, rounding: Rounding::Up, apart: 1 }
}

fn scheduled(jobs: &[Job], procs: u32, strategy: &str) -> Vec<Run> {
    let mut decider = Decider::new(strategy.parse().unwrap(), procs);
    run(jobs, procs, &Lifetimes::Scaled, &mut decider, &mut |_: &Machine, _, _, _| {})
}

/// First come, first served; no processor twice; no job on more than A processors or on none; the run time of the
/// model.
#[test]
fn schedules_keep_the_rules() {
    for (procs, seed) in [(2, 1), (16, 2), (64, 3)] {
        let jobs = generate(&options(4, procs, seed));
        for strategy in STRATEGIES {
            let runs = scheduled(&jobs, procs, strategy);
            assert!(runs.is_sorted_by(|a, b| a.start <= b.start), "{strategy}");
            let mut events: Vec<(f64, i64)> = Vec::new();
            for (job, run) in jobs.iter().zip(&runs) {
                assert!(run.start >= job.arrival && (1..=job.most).contains(&run.processors), "{strategy}");
                assert_eq!(run.end, run.start + job.run_time(run.processors));
                events
                    .extend([(run.start, i64::from(run.processors)), (run.end, -i64::from(run.processors))]);
            }
            // Ends before starts of the same moment.
            events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut busy = 0;
            for (_, change) in events {
                busy += change;
                assert!((0..=i64::from(procs)).contains(&busy), "{strategy}");
            }
        }
    }
}

/// AVG never leaves a processor idle while a job waits; 40 % of A is the least under min40.
#[test]
fn baselines_are_what_they_say() {
    let jobs = generate(&options(3, 32, 5));
    let runs = scheduled(&jobs, 32, "avg");
    for (job, run) in jobs.iter().zip(&runs) {
        let busy: u32 = runs
            .iter()
            .filter(|other| other.start <= job.arrival && other.end > job.arrival)
            .map(|other| other.processors)
            .sum();
        // A job that waited came to a full machine: itself aside, as no job overtakes.
        assert!(run.start == job.arrival || busy == 32);
    }
    for (job, run) in jobs.iter().zip(scheduled(&jobs, 32, "min40")) {
        assert!(f64::from(run.processors) >= 0.4 * f64::from(job.most));
    }
}

/// OPT against all sizes at all times at which processors become free, if nothing else starts.
#[test]
fn the_best_size_is_the_best() {
    let jobs = generate(&options(3, 32, 7));
    let mut decider = Decider::new("opt".parse().unwrap(), 32);
    let mut avg_decider = Decider::new(Strategy::AVG, 32);
    let mut rebels = 0;
    run(&jobs, 32, &Lifetimes::Sequential, &mut avg_decider, &mut |machine, index, queued, processors| {
        let job = &jobs[index];
        if processors == job.most {
            return;
        }
        let offer = follow(&jobs, machine, index, queued, &mut decider);
        let docile = job.run_time(processors);
        let best = (1..=job.most).map(|n| machine.wait(n) + job.run_time(n)).fold(docile, f64::min);
        assert!((offer.saved - (docile - best)).abs() < 1e-6, "{offer:?} {best}");
        assert_eq!(offer.rebelled, best < docile);
        rebels += u32::from(offer.rebelled);
    });
    assert!(rebels > 10);
}

/// No strategy saves more than with perfect knowledge; with run times known to a hair, the predictions come true.
#[test]
fn knowledge_is_worth_what_it_should() {
    let workload = options(6, 64, 11);
    let jobs = generate(&workload);
    let saved = |strategy: &str, lifetimes: Lifetimes| {
        let (measures, predictions) = application(&jobs, 64, &lifetimes, strategy.parse().unwrap());
        (measures["saved_min_per_job"], measures, predictions)
    };
    let (best, opt, _) = saved("opt", Lifetimes::Sequential);
    assert_eq!(opt["loser_share_of_rebels"], 0.0);
    for strategy in ["pred", "bias", "heur", "min40", "exact", "median", "exact+watch"] {
        for lifetimes in [Lifetimes::Sequential, Lifetimes::Scaled, Lifetimes::Supplied(10.0)] {
            let (saved, measures, _) = saved(strategy, lifetimes);
            assert!(saved <= best + 1e-9, "{strategy} {saved} {best}");
            assert!((0.0..=1.0).contains(&measures["rebel_share"]));
            assert!((measures["spoiled_share"] - opt["spoiled_share"]).abs() < 1e-12);
        }
    }
    for strategy in ["exact", "median"] {
        let (known, _, predictions) = saved(strategy, Lifetimes::Supplied(1.0));
        assert!((known / best - 1.0).abs() < 1e-3, "{strategy} {known} {best}");
        for prediction in &predictions {
            assert!((prediction.used - prediction.actual).abs() < 1.0, "{prediction:?}");
        }
    }
}

/// A day without jobs, a single one, and jobs all alike.
#[test]
fn degenerate_workloads() {
    let strategies = STRATEGIES.map(|name| name.parse::<Strategy>().unwrap());
    let few = WorkloadOptions { load: 1e-6, ..options(1, 2, 1) };
    let none = generate(&few);
    assert!(none.is_empty());
    let alike: Vec<Job> = {
        let job = generate(&options(1, 8, 3))[0];
        (0..40).map(|i| Job { arrival: f64::from(i / 10) * 100.0, ..job }).collect()
    };
    let single = vec![alike[0]];
    for jobs in [&none, &single, &alike] {
        for &strategy in &strategies {
            for lifetimes in [Lifetimes::Sequential, Lifetimes::Scaled, Lifetimes::Supplied(2.0)] {
                let (recorded, effected, _) = one(jobs, 8, &options(1, 8, 3).hours(), &lifetimes, strategy);
                let finite = |measures: &Measures| measures.values().all(|value| value.is_finite());
                assert!(finite(&recorded) && finite(&effected));
            }
        }
        assert_eq!(avg(jobs, 8).len(), jobs.len());
    }
}

fn papers(args: &str, folder: &Path, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill-papers"));
    for name in ["ID", "COUNT", "MIN", "STEP"] {
        command.env_remove(format!("SLURM_ARRAY_TASK_{name}"));
    }
    command.envs(environment.iter().copied()).args(args.split_whitespace()).current_dir(folder);
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SWEEP: &str = "allocate --sweep --days 1 --seeds 2 --loads 0.5,1 --machines 16,32 --supplied 0,4 \
                     --strategies avg,pred,exact --json";

/// The merged shards are the unsharded run, byte by byte; as a job array with its own numbering as well.
#[test]
fn merged_shards_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let whole = papers(SWEEP, folder.path(), &[]);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    let write = |name: &str, output: Output| {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::write(folder.path().join(name), output.stdout).unwrap();
    };
    for index in 1..=3 {
        write(&format!("{index}.json"), papers(&format!("{SWEEP} --shard {index}/3"), folder.path(), &[]));
        // sbatch --array=10-18:4
        let id = (6 + 4 * index).to_string();
        let array = [
            ("SLURM_ARRAY_TASK_ID", &id[..]),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_STEP", "4"),
        ];
        write(
            &format!("array{index}.json"),
            papers(&format!("{SWEEP} --shard array"), folder.path(), &array),
        );
    }
    for files in ["3.json 1.json 2.json", "array1.json array2.json array3.json", "1.json array2.json 3.json"]
    {
        let merged = papers(&format!("merge --json {files}"), folder.path(), &[]);
        assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
        assert_eq!(merged.stdout, whole.stdout, "{files}");
    }
    // Tables are the same as well.
    let table = papers(&SWEEP.replace("--json", "--markdown"), folder.path(), &[]);
    let merged = papers("merge --markdown 1.json 2.json 3.json", folder.path(), &[]);
    assert_eq!(merged.stdout, table.stdout);
    let missing = papers("merge 1.json 3.json", folder.path(), &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("those of shard 2 of 3"), "{}", stderr(&missing));
    std::fs::write(folder.path().join("broken.json"), "{\"kind\": 1").unwrap();
    for (files, message) in [("broken.json", "broken.json"), ("absent.json", "absent.json")] {
        let output = papers(&format!("merge {files}"), folder.path(), &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    let outside = [("SLURM_ARRAY_TASK_ID", "7"), ("SLURM_ARRAY_TASK_COUNT", "3")];
    assert_eq!(papers(&format!("{SWEEP} --shard array"), folder.path(), &outside).status.code(), Some(2));
    // A task that does not ask for a shard has all of it.
    assert_eq!(papers(SWEEP, folder.path(), &outside).stdout, whole.stdout);
}

#[test]
fn the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    for wrong in [
        "--procs 0",
        "--procs 1",
        "--load 0",
        "--load NaN",
        "--days 0",
        "--seeds 0",
        "--strategies best",
        "--shard 1/2",
        "--sweep --shard 3/2",
        "--sweep --html page.html",
        "--sweep --procs 64",
        "--sweep --load 0.5",
        "--trace absent.swf",
        "--parallelism size",
        "--malleable absent.swf --procs 64",
        "--malleable absent.swf --days 3",
        "--malleable absent.swf --sweep",
    ] {
        let output = papers(&format!("allocate {wrong}"), folder.path(), &[]);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {}", stderr(&output));
    }
    let empty = papers("allocate --days 1 --load 0.000001 --seeds 1", folder.path(), &[]);
    assert_eq!(empty.status.code(), Some(1));
    assert!(stderr(&empty).contains("no job arrives in 1 days at a load of 0.000001"), "{}", stderr(&empty));
    // A fit needs two different run times; other models need none.
    let fitted = "--lifetimes fitted --load 0.1 --procs 4";
    let swept = "--lifetimes fitted --sweep --loads 0.1 --machines 2 --supplied 0";
    for (options, code) in [(fitted, 1), (swept, 1), (&fitted.replace("fitted", "scaled"), 0)] {
        let args = format!("allocate --days 1 --seeds 9 --strategies exact {options}");
        let output = papers(&args, folder.path(), &[]);
        assert_eq!(output.status.code(), Some(code), "{options}: {}", stderr(&output));
        assert_eq!(code == 1, stderr(&output).contains("too few different run times"), "{}", stderr(&output));
    }
    let small = "allocate --days 2 --procs 16 --seeds 2";
    let absent = papers(&format!("{small} --html page.html --trace absent.swf"), folder.path(), &[]);
    assert_eq!(absent.status.code(), Some(1));
    assert!(stderr(&absent).contains("absent.swf"), "{}", stderr(&absent));

    let job = |i: u32| format!("{i} {i} -1 {} {} {}\n", 10 * i + 1, 1 + i % 16, " -1".repeat(13));
    let trace: String = (1..50).map(job).collect();
    std::fs::write(folder.path().join("t.swf"), trace).unwrap();
    for (more, jobs, load) in [("", 49.0, None), ("--load 0.5 --parallelism size", 49.0, Some(0.5))] {
        let args = format!(
            "allocate --seeds 2 --malleable t.swf --lifetimes sequential --strategies avg,pred,bias+twice --json {more}"
        );
        let output = papers(&args, folder.path(), &[]);
        assert!(output.status.success(), "{}", stderr(&output));
        let study: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(study["workload"]["jobs"]["mean"], jobs);
        let found = study["workload"]["offered_load"]["mean"].as_f64().unwrap();
        assert!(load.is_none_or(|load: f64| (found - load).abs() < 1e-9), "{found}");
    }
    let scaled = papers("allocate --malleable t.swf --lifetimes scaled", folder.path(), &[]);
    assert!(scaled.status.code() == Some(1) && stderr(&scaled).contains("a trace has none"));
    let args = format!("{small} --json --html page.html --trace t.swf");
    let output = papers(&args, folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let study: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // avg, opt and heur predict nothing; pred, bias, exact and median are run under three run-time models.
    assert_eq!(study["rows"].as_array().unwrap().len(), 3 + 4 * 3);
    assert_eq!(papers(&args, folder.path(), &[]).stdout, output.stdout);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    for figure in 2..=6 {
        assert!(page.contains(&format!("Figure {figure}:")), "figure {figure}");
    }
    assert!(page.contains("t.swf") && !page.contains("NaN"));
    // Nothing is loaded.
    assert!(!page.contains("src=") && !page.replace("href=\"data:", "").contains("href="));
    // Tables for people.
    let output = papers(small, folder.path(), &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("paper: heur"));
}
