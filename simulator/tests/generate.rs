//! Generated workloads: readable, reproducible, within their limits, whatever trace they are learnt from.

use crate::common::models::{any_trace, check_seeds, check_whole, huge_values, models, sample, trace, write};
use crate::generating::Generate;
use proptest::prelude::*;
use surefill_simulator::generate::History;

#[test]
fn what_is_written_is_read_strictly_and_again_the_same() {
    let history = sample();
    for (name, model) in &models(&history) {
        check_seeds(name, model, &history, check_whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any trace with a job makes every model, and every model a valid workload.
    #[test]
    fn any_trace_makes_valid_workloads((procs, lines) in any_trace(), seed in any::<u64>()) {
        let Ok(history) = History::new(&trace(procs, &lines), "t.swf") else {
            prop_assert!(lines.iter().all(|line| line.1 < 0 || line.2 <= 0));
            return Ok(());
        };
        for (_, model) in &models(&history) {
            check_whole(&write(model, &history, 60, seed), &history, 60);
        }
    }

    /// Values at the ends of what the format holds.
    #[test]
    fn huge_values_make_valid_workloads(history in huge_values(), seed in any::<u64>()) {
        for (_, model) in &models(&history) {
            check_whole(&write(model, &history, 40, seed), &history, 40);
        }
    }
}

#[test]
fn the_command_line() {
    let generate = Generate::new(env!("CARGO_BIN_EXE_surefill"));
    generate.learns_from_jobs(&["feedback", "resample", "bursts"]);
    for wrong in [
        "--model sessions --like one.swf",
        "--procs 0",
        "--load 0",
        "--unit weeks",
        "--model feedback",
        "--model feedback --like one.swf --unit weeks",
        "--model feedback --like one.swf --procs 3",
        "--model resample",
        "--model resample --like one.swf --users 3",
        "--model bursts",
        "--model bursts --like one.swf --unit weeks",
    ] {
        generate.run(wrong, 2);
    }
    generate.fails("--model markov --like one.swf", 2, "surefill-papers generate --model markov");
    for right in [
        "--procs 1 --users 1 --load 2",
        "--nodes 2x(cores=4,mem=8G)",
        "--model feedback --like one.swf",
        "--model resample --like one.swf",
        "--model bursts --like one.swf",
        "--model resample --like one.swf --unit sessions",
    ] {
        generate.makes(right);
    }
    generate.writes("");
}
