//! Answers to the outputs of Slurm's commands.

use surefill_simulator::live::advise::rule::Rule;
use surefill_simulator::live::advise::{Advice, Question, Snapshot, advise, read};

/// A cluster at this instant, as `squeue`, `sinfo` and `sacct` print it.
pub fn snapshot_of(now: i64, jobs: &str, nodes: &str, past: &str) -> Snapshot {
    Snapshot {
        now,
        jobs: read::squeue(jobs, "squeue").expect("squeue's output").found,
        nodes: read::sinfo(nodes, "sinfo").expect("sinfo's output").found,
        past: read::past(past, "sacct").expect("sacct's output").found,
        odd: Vec::new(),
        remarks: Vec::new(),
    }
}

/// The answer to a question without options.
pub fn advice_of(now: i64, jobs: &str, nodes: &str, past: &str) -> Advice {
    let question = Question {
        partition: None,
        within: vec![3600],
        quantile: 0.95,
        confidence: 0.95,
        rule: Rule::default(),
        previous: None,
        next: Vec::new(),
    };
    advise(&snapshot_of(now, jobs, nodes, past), &question).expect("advice")
}
