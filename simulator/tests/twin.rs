//! The replay of a site by its own rule, on histories that a whole Slurm of its own has recorded under three
//! schedulers (`vectors/twin`, made by `c-examples/slurm/history.sh`).

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use surefill_simulator::live::what_if::{Ask, WhatIf};
use surefill_simulator::trace::format;
use surefill_simulator::trace::record::Strictness;
use surefill_simulator::trace::site::Site;
use surefill_simulator::trace::swf::Trace;

fn folder(way: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/twin").join(way)
}

fn files(way: &str) -> Vec<PathBuf> {
    let own = ["scontrol.txt", "qos.txt", "assoc.txt", "events.txt"].map(|name| folder(way).join(name));
    // The first recordings have no nodes of the reservation.
    let reservation =
        if way.contains('/') { folder(way).join("reservations.txt") } else { folder("").join("upkeep.txt") };
    own.into_iter().chain([reservation]).collect()
}

fn site(way: &str) -> Arc<Site> {
    let files = files(way);
    Arc::new(Site::of_files(files.iter().map(PathBuf::as_path)).unwrap())
}

fn history(way: &str) -> Trace {
    let path = folder(way).join("sacct.txt.gz");
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let text = flate2::read::MultiGzDecoder::new(file);
    format::read(text, way, None, Strictness::Lenient).unwrap()
}

/// The answer about a history, a replay of the site's rule, of the preset and of limits with ageing.
fn answer(way: &str) -> WhatIf {
    let ask = Ask {
        procs: None,
        site: Some(site(way)),
        with: None,
        instead_of: None,
        seeds: NonZeroU64::MIN,
        from: None,
        to: None,
        last: None,
    };
    let trace = history(way);
    ask.of(way, &trace).unwrap().answer(&|_| {}).unwrap()
}

/// The recorded mean wait, and those of the replays of the site's rule, limits with ageing, and the preset.
fn means(answer: &WhatIf) -> [f64; 4] {
    let all = &answer.all;
    [all.recorded.unwrap().mean_s, all.before.mean_s, all.ageing.unwrap().mean_s, all.after.mean_s]
}

/// The three ways of the record, and the place of each one's own rule among [`means`].
const WAYS: [(&str, usize); 3] = [("stock", 1), ("lua", 2), ("plugin", 3)];

#[test]
fn each_rule_explains_the_history_that_it_has_made() {
    let mut recorded = Vec::new();
    let mut replayed = Vec::new();
    for (way, own) in WAYS {
        let answer = answer(way);
        assert!(answer.all.jobs >= 1990, "{way}: {} jobs", answer.all.jobs);
        let site = answer.site.unwrap();
        assert_eq!((site.nodes, site.partitions, site.multifactor), (32, 2, true), "{way}");
        // The reservation, a node that goes down, and one that is drained, unless its jobs kept it for so long.
        assert!((2..=3).contains(&site.outages), "{way}: {}", site.outages);
        let means = means(&answer);
        let explained = means[own] / means[0];
        println!("{way}: recorded {:.0} s, replayed {:.0?} s", means[0], &means[1..]);
        assert!((0.85..=1.15).contains(&explained), "{way}: {explained:.3} of the recorded mean wait");
        recorded.push(means[0]);
        if way == "stock" {
            replayed = means[1..].to_vec();
        }
    }
    // The rule that waited longest in the record does so in the replay of one stream, that of stock.
    for other in 1..3 {
        assert!(recorded[other] < 0.95 * recorded[0], "{recorded:?}");
        assert!(replayed[other] < 0.99 * replayed[0], "{replayed:?}");
    }
}

/// The second stream, which nothing was chosen by: all three rules on the stream as it was under stock, beside what
/// each recorded.
#[test]
fn the_order_of_three_rules_is_that_of_the_record() {
    let recorded: Vec<f64> = WAYS
        .iter()
        .map(|(way, _)| {
            let waits = history(&format!("second/{way}")).records;
            let waits: Vec<f64> = waits
                .iter()
                .filter(|job| job.wait >= 0 && job.run_time >= 0)
                .map(|job| job.wait as f64)
                .collect();
            waits.iter().sum::<f64>() / waits.len() as f64
        })
        .collect();
    let replayed = &means(&answer("second/stock"))[1..];
    println!("recorded {recorded:.0?} s, replayed {replayed:.0?} s");
    for (recorded, replayed) in recorded.iter().zip(replayed) {
        assert!((0.85..=1.15).contains(&(replayed / recorded)), "{replayed} s instead of {recorded} s");
    }
    for means in [&recorded[..], replayed] {
        assert!(means[0] > means[1] && means[1] > means[2], "{means:?}");
    }
}

#[test]
fn the_command_answers_for_a_site() {
    let list = files("stock").iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(",");
    let run = |more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_surefill"));
        command.arg("what-if").arg(folder("stock").join("sacct.txt.gz"));
        command.args(["--seeds", "1"]).args(more).output().unwrap()
    };
    let text = String::from_utf8(run(&["--site", &list, "--brief"]).stdout).unwrap().replace('\n', " ");
    for part in ["the replay of the site's own rule", "By limits with ageing, an order that"] {
        assert!(text.contains(part), "no '{part}' in: {text}");
    }
    let whole = String::from_utf8(run(&["--site", &list]).stdout).unwrap().replace('\n', " ");
    assert!(whole.contains("the site's 32 nodes in 2 partitions as they are today"), "{whole}");
    let refused = |more: &[&str]| {
        let run = run(more);
        assert!(!run.status.success());
        String::from_utf8(run.stderr).unwrap()
    };
    assert!(refused(&["--site", &list, "--procs", "5"]).contains("cannot be used with"));
    assert!(refused(&["--partition", "batch"]).contains("'batch' is not of the form gpu=64,cpu=64"));
    let odd = folder("").join("README.md").display().to_string();
    assert!(refused(&["--site", &odd]).contains("README.md: nothing of a site"));
    let renamed = refused(&["--partition", "batch=256,long=96"]);
    assert!(
        renamed.contains("partitions that the site does not have (short), more than a tenth"),
        "{renamed}"
    );
    assert!(run(&["--partition", "batch=256,long=96", "--partial", "--brief"]).status.success());
    assert!(refused(&["--partition", "a=2,a=3"]).contains("'a=2,a=3' names a twice"));
    for verb in ["explain --job 3", "start-times"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_surefill"));
        command.args(verb.split(' ')).arg(folder("stock").join("sacct.txt.gz")).args(["--site", &list]);
        let run = command.output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(
            run.status.code() == Some(2) && said.contains("--site and --partition are for what-if"),
            "{said}"
        );
    }
    // Partitions alone: no priorities, and the order of submission.
    let partitions = run(&["--partition", "batch=256,short=96", "--brief"]);
    let text = String::from_utf8(partitions.stdout).unwrap();
    assert!(partitions.status.success() && !text.contains("limits with ageing"), "{text}");
    let json = run(&["--partition", "batch=256,short=96", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(
        (json["all"]["jobs"].as_u64(), json["replay"]["beyond_nodes"].as_u64()),
        (Some(1992), None),
        "{json:#}"
    );
    // The comparison counts from the site's own rule, and the bare names take its priorities.
    let mut compare = std::process::Command::new(env!("CARGO_BIN_EXE_surefill"));
    compare.arg("compare").arg(folder("stock").join("sacct.txt.gz")).args(["--site", &list, "--quiet"]);
    let compared = String::from_utf8(compare.output().unwrap().stdout).unwrap();
    assert!(compared.contains("the replay of backfill (limit, multifactor) explains 9"), "{compared}");
    assert!(compared.contains("below that of backfill (limit, multifactor)"), "{compared}");
    // A policy of its own takes the site's priorities as well.
    let bare = run(&["--site", &list, "--with", "fair", "--brief"]).stdout;
    assert_eq!(bare, run(&["--site", &list, "--brief"]).stdout);
}
