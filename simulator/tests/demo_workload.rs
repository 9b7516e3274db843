//! The demonstration's workload is what the generator makes of the options its header names.

use std::io::{BufRead, Cursor, Read};
use std::num::NonZeroU32;
use std::path::Path;
use surefill_simulator::generate::{SessionsOptions, write_sessions};

/// The command that makes the file anew, after a change of version or model.
const COMMAND: &str = "surefill generate --model sessions --seed 1 -n 5000 --users 60 --procs 128 --load 0.75 -o demo/workload.swf.gz";

fn options() -> SessionsOptions {
    let count = |n| NonZeroU32::new(n).expect("not zero");
    SessionsOptions { jobs: 5000, users: count(60), procs: count(128), load: 0.75, seed: 1 }
}

#[test]
fn the_committed_workload_is_the_generated_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/workload.swf.gz");
    let file = std::fs::File::open(path).expect("the workload comes with the project");
    let mut committed = Vec::new();
    flate2::read::GzDecoder::new(file).read_to_end(&mut committed).expect("readable gzip");
    let mut generated = Vec::new();
    write_sessions(&mut generated, &options()).expect("memory does not fail");
    // Line by line, so that a failure shows where.
    let lines = Cursor::new(&committed).lines().zip(Cursor::new(&generated).lines());
    for (number, (committed, generated)) in (1..).zip(lines) {
        assert_eq!(
            committed.expect("text"),
            generated.expect("text"),
            "line {number}; regenerate with {COMMAND}"
        );
    }
    assert!(committed == generated, "one is longer; regenerate with {COMMAND}");
}
