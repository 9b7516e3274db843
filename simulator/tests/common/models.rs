//! A sample of a workload, one model of every kind, and checks of their workloads.

use proptest::prelude::*;
use surefill_simulator::generate::resample::Unit;
use surefill_simulator::generate::{Draw, Heading, History, Model, write_model};
use surefill_simulator::trace::swf::{Strictness, Trace, read};

/// Field by field as a trace has them: submit, run time, processors, requested time, user.
pub type Line = (i64, i64, i64, i64, i64);

pub fn trace(procs: Option<u32>, lines: &[Line]) -> Trace {
    let mut text = procs.map_or_else(String::new, |procs| format!("; MaxProcs: {procs}\n"));
    for (number, (submit, run_time, processors, requested, user)) in lines.iter().enumerate() {
        text += &format!(
            "{number} {submit} -1 {run_time} {processors} -1 -1 {processors} {requested} -1 1 {user}{}\n",
            " -1".repeat(6)
        );
    }
    read(text.as_bytes(), "t.swf", Strictness::Lenient).unwrap()
}

/// A crowd of users with habits of their own, three weeks long.
pub fn sample() -> History {
    let line = |i: i64| {
        let user = (i / 5) % 7;
        let run_time = [30, 45, 600, 4000, 4100, 20_000, 7][user as usize] + i % 11;
        let processors = [1, 2, 16, 12, 64, 7, 1][user as usize];
        (i * 600 + (i * i) % 300, run_time, processors, (run_time / 300 + 1) * 900, user)
    };
    let lines: Vec<Line> = (0..3000).map(line).collect();
    History::new(&trace(Some(100), &lines), "sample.swf").unwrap()
}

pub fn models(history: &History) -> [(&'static str, Model); 3] {
    [
        ("feedback", Model::feedback(history)),
        ("resample", Model::resample(history, Unit::Sessions)),
        ("bursts", Model::bursts(history)),
    ]
}

pub fn write(model: &impl Draw, history: &History, jobs: u64, seed: u64) -> Vec<u8> {
    let heading = Heading {
        command: "surefill generate".into(),
        procs: history.procs,
        jobs,
        unix_start_time: history.unix_start_time,
        time_zone: history.time_zone.clone(),
        notes: vec!["a test".into()],
    };
    let mut bytes = Vec::new();
    write_model(&mut bytes, model, seed, &heading).unwrap();
    bytes
}

/// The jobs alone: the version is in the header.
pub fn jobs(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b";")).collect()
}

/// Read strictly, every job in order and within the machine. Whole jobs of the trace may have run past their request
/// there.
pub fn check_whole(bytes: &[u8], history: &History, jobs: usize) -> Trace {
    let trace = read(bytes, "made.swf", Strictness::Strict).unwrap();
    assert_eq!((trace.records.len(), trace.header.max_procs), (jobs, Some(history.procs)));
    assert!(trace.header.unix_start_time.is_some());
    for (record, number) in trace.records.iter().zip(1..) {
        assert_eq!((record.number, record.wait), (number, -1));
        assert!((1..=i64::from(history.procs)).contains(&record.used_processors), "{record:?}");
        assert!(record.run_time >= 0, "{record:?}");
    }
    trace
}

/// A model's workload is reproduced, differs by its seed, and a longer one begins with the shorter one.
pub fn check_seeds(
    name: &str,
    model: &impl Draw,
    history: &History,
    check: fn(&[u8], &History, usize) -> Trace,
) {
    let bytes = write(model, history, 5000, 7);
    check(&bytes, history, 5000);
    assert_eq!(bytes, write(model, history, 5000, 7), "{name}");
    assert_ne!(bytes, write(model, history, 5000, 8), "{name}");
    assert_eq!(jobs(&write(model, history, 100, 7))[..100], jobs(&bytes)[..100], "{name}");
    assert_eq!(check(&write(model, history, 0, 7), history, 0).records, []);
}

/// Traces of a few jobs on machines of any size, which the header need not have.
pub fn any_trace() -> impl Strategy<Value = (Option<u32>, Vec<Line>)> {
    let line = (0i64..3_000_000, -1i64..200_000, -1i64..40, -1i64..100_000, -1i64..4);
    let lines = proptest::collection::vec(line, 1..30).prop_map(|mut lines| {
        lines.sort_unstable();
        lines
    });
    (proptest::option::of(1u32..64), lines)
}

/// Histories with values at the ends of what the format holds.
pub fn huge_values() -> impl Strategy<Value = History> {
    proptest::collection::vec((0u32..40, 0u32..32, 0u32..40), 1..12).prop_map(|jobs| {
        let mut lines: Vec<Line> = jobs
            .into_iter()
            .map(|(submit, processors, run_time)| {
                (1 << submit, 1 << run_time, 1 << processors.min(31), -1, 1)
            })
            .collect();
        lines.sort_unstable();
        History::new(&trace(None, &lines), "t.swf").unwrap()
    })
}
