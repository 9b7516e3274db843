//! The published EASY baseline on the real traces, where they are found.
//!
//! They are looked for in `SUREFILL_TRACES`, else in `../shared/traces` beside the repository.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use surefill_simulator::base::papers::published;
use surefill_simulator::replay::metrics::Metrics;
use surefill_simulator::replay::policy::{Overdue, PolicyOptions};
use surefill_simulator::replay::run::run;
use surefill_simulator::trace::swf::{self, Record, Strictness};
use surefill_simulator::trace::workload::{MissingProcessors, Rules, Workload};
use surefill_simulator::trace::{format, node_list};

fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    std::env::var_os("SUREFILL_TRACES").map_or_else(beside, PathBuf::from)
}

/// The measures of EASY on a trace and how many jobs it has; `None`, and a line that says so, when it is not there.
fn easy(name: &str, overdue: Overdue) -> Option<Metrics> {
    let path = folder().join(name);
    if !path.exists() {
        // Not by a macro, whose output the harness keeps to itself.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no trace {}: set SUREFILL_TRACES to the folder that holds it",
            path.display()
        );
        return None;
    }
    let trace = swf::open(&path, Strictness::Strict).unwrap();
    let rules = Rules {
        procs: published(name).map(|published| published.procs),
        missing_processors: MissingProcessors::Drop,
        ..Rules::default()
    };
    let workload = Workload::new(&trace, &rules).unwrap();
    let mut options = crate::common::options("easy");
    options.policy = PolicyOptions { overdue, ..PolicyOptions::default() };
    options.rules = rules;
    let run = run(name, &workload, &options, 0, std::num::NonZeroU64::MIN, &|_| {}).unwrap();
    run.seeds.first().map(|seed| seed.metrics)
}

/// Compares with the paper's means; `tolerance` is relative.
fn assert_published(name: &str, jobs: u64, overdue: Overdue, tolerance: f64) {
    let Some(metrics) = easy(name, overdue) else { return };
    let paper = published(name).unwrap().easy;
    let (mean, geomean) = (metrics.mean_wait_s / 60.0, metrics.geomean_wait_s);
    println!("{name}: {mean:.2} min {geomean:.2} s, paper {} min {} s", paper.mean_min, paper.geomean_s);
    assert_eq!(metrics.jobs, jobs, "{name}");
    for (ours, theirs) in [(mean, paper.mean_min), (geomean, paper.geomean_s)] {
        assert!((ours / theirs - 1.0).abs() < tolerance, "{name}: {ours:.2}, paper {theirs}");
    }
}

const CTC: &str = "CTC-SP2-1996-3.1-cln.swf.gz";
const KTH: &str = "KTH-SP2-1996-2.swf.gz";
const SP2: &str = "SDSC-SP2-1998-4.2-cln.swf.gz";
const BLUE: &str = "SDSC-BLUE-2000-4.2-cln.swf.gz";

#[test]
fn the_papers_rules_reproduce_all_four_traces() {
    assert_published(CTC, 77_222, Overdue::Past, 0.003);
    assert_published(KTH, 28_489, Overdue::Past, 0.01);
    assert_published(SP2, 54_044, Overdue::Past, 0.015);
    assert_published(BLUE, 223_663, Overdue::Past, 0.015);
}

#[test]
fn our_rule_for_overdue_jobs_changes_one_of_them() {
    assert_published(CTC, 77_222, Overdue::Soon, 0.01);
    assert_published(KTH, 28_489, Overdue::Soon, 0.01);
    assert_published(BLUE, 223_663, Overdue::Soon, 0.03);
    // 4,134 jobs of SDSC SP2 run past their limit, on a machine that is nearly full.
    if let Some(metrics) = easy(SP2, Overdue::Soon) {
        assert!((metrics.mean_wait_s / 60.0 / 380.7 - 1.0).abs() < 0.001);
    }
}

/// Alibaba's lists of 2023: tasks that ran, nodes, GPUs, and what tasks ask of the models of their GPUs.
#[test]
fn the_gpu_cluster_of_2023_is_read_in_full() {
    let folder = folder().join("openb");
    if !folder.exists() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no folder {}: set SUREFILL_TRACES", folder.display());
        return;
    }
    let list = format!("@{}", folder.join("openb_node_list_all_node.csv.gz").display());
    let machine = node_list::machine(&list).unwrap();
    assert_eq!((machine.nodes(), machine.classes.len()), (1523, 27));
    let gpu = machine.resources.iter().position(|name| name == "gpu").unwrap();
    assert_eq!(machine.total()[gpu], 6_212_000);
    let rules = Rules { nodes: Some(Arc::new(machine)), ..Rules::default() };
    // openb-pod-1639 asks for 120 cores on a node with the model G2, whose nodes have 96; it failed.
    for (name, specified, beyond) in [("default", 0, 0), ("gpuspec33", 2388, 1)] {
        let path = folder.join(format!("openb_pod_list_{name}.csv.gz"));
        let trace = format::open(&path, None, Strictness::Strict).unwrap();
        assert_eq!(trace.records.len(), 8152);
        let feature = |record: &&Record| record.tasks.unwrap().feature.is_some();
        assert_eq!(trace.records.iter().filter(feature).count(), specified, "{name}");
        let workload = Workload::new(&trace, &rules).unwrap();
        assert_eq!((workload.counts.jobs, workload.counts.beyond_nodes), (7255 - beyond, beyond), "{name}");
    }
}
