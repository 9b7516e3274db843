//! The examples in `examples` run to their end.

#[path = "../examples/run_times.rs"]
mod run_times;
#[path = "../examples/whole_scheduler.rs"]
mod whole_scheduler;

#[test]
fn every_example_runs() {
    run_times::main().unwrap();
    whole_scheduler::main().unwrap();
}
