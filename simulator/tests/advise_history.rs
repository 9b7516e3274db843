//! `surefill advise --history` on histories that the importer reads: the answer is that of Slurm's own file.

use std::io::Write;
use std::process::{Command, Output};
use surefill_simulator::live::advise::read::{self, Past};

const SLURM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/slurm/");
const NOW: &str = "1795359426";

/// The advice on a real queue from the history in this file.
fn advise(history: &str, extra: &[&str]) -> Output {
    let file = |name: &str| format!("{SLURM}{name}");
    Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args([
            "advise",
            "--squeue",
            &file("squeue.txt"),
            "--sinfo",
            &file("sinfo.txt"),
            "--now",
            NOW,
            "--json",
        ])
        .args(["--history", history, "--user", "games"])
        .args(extra)
        .output()
        .expect("the program runs")
}

fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The jobs of the completion file of a real Slurm.
fn completed() -> Vec<Past> {
    let text = std::fs::read_to_string(format!("{SLURM}completed")).unwrap();
    read::past(&text, "completed").expect("records").found
}

const NAMES: [&str; 12] = [
    "JobID",
    "User",
    "Partition",
    "State",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "TimelimitRaw",
    "NNodes",
    "AllocCPUS",
    "JobName",
];

/// The cells of a job's row.
fn cells(number: usize, job: &Past) -> [String; NAMES.len()] {
    let state = if job.timed_out { "TIMEOUT" } else { "COMPLETED" };
    [
        number.to_string(),
        job.user.clone(),
        job.partition.clone(),
        state.to_owned(),
        (job.submit - 5).to_string(),
        job.submit.to_string(),
        job.start.to_string(),
        job.end.to_string(),
        (job.limit / 60).to_string(),
        job.nodes.to_string(),
        job.processors.to_string(),
        job.name.clone(),
    ]
}

/// A table of these jobs without the column of this name.
fn table(separator: &str, without: &str) -> String {
    let kept: Vec<usize> = (0..NAMES.len()).filter(|&column| NAMES[column] != without).collect();
    let line = |cells: &[String]| {
        let cells: Vec<&str> = kept.iter().map(|&column| cells[column].as_str()).collect();
        cells.join(separator) + "\n"
    };
    let names = line(&NAMES.map(str::to_owned));
    completed().iter().enumerate().fold(names, |text, (number, job)| text + &line(&cells(number, job)))
}

#[test]
fn every_history_that_import_reads_gives_the_advice_of_the_completion_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let lines: String = completed()
        .iter()
        .enumerate()
        .map(|(number, job)| {
            let pairs = NAMES.iter().zip(cells(number, job));
            let object: serde_json::Map<String, serde_json::Value> =
                pairs.map(|(name, cell)| ((*name).to_owned(), cell.into())).collect();
            serde_json::Value::from(object).to_string() + "\n"
        })
        .collect();
    let bars = table("|", "");
    let wanted = json(&advise(&format!("{SLURM}completed"), &[]));
    assert_eq!(wanted["learnt"], 60);
    for path in [
        write("sacct.txt", bars.as_bytes()),
        write("sacct.txt.gz", &gzip(&bars)),
        write("jobs.csv", table(",", "").as_bytes()),
        write("jobs.jsonl", lines.as_bytes()),
    ] {
        let output = advise(&path, &[]);
        let found = json(&output);
        for part in ["now", "learnt", "heads", "starts", "others", "next"] {
            assert_eq!(found[part], wanted[part], "{part} of {path}");
        }
        // The remark on job names is made of plain tables, on standard error and in the answer.
        let said = "job names could contain this table's separator";
        let remarks = found["remarks"].to_string();
        let notes = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (remarks.contains(said), notes.contains(said)),
            (path.contains("sacct"), path.contains("sacct"))
        );
    }
}

#[test]
fn what_the_importer_remarks_is_part_of_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sacct.txt");
    let advise = |text: &str, extra: &[&str]| {
        std::fs::write(&path, text).unwrap();
        advise(path.to_str().unwrap(), extra)
    };
    let whole = json(&advise(&table("|", ""), &[]));
    // Nodes of one processor each: as many as processors.
    let without = json(&advise(&table("|", "NNodes"), &[]));
    assert!(
        without["remarks"].to_string().contains("does not say on how many nodes 60 jobs ran"),
        "{without}"
    );
    for part in ["heads", "learnt", "next"] {
        assert_eq!(without[part], whole[part], "{part}");
    }
    // Steps, jobs that wait or run, and those whose node failed teach nothing.
    let more = "900|games|main|NODE_FAIL|1795350000|1795350000|1795350001|1795350009|60|1|1|wrap\n\
                901|games|main|PENDING|1795350000|1795350000|Unknown|Unknown|60|1|1|wrap\n\
                902|games|main|RUNNING|1795350000|1795350000|1795350001|Unknown|60|1|1|wrap\n\
                1.batch|||COMPLETED|1795350000|1795350000|1795350001|1795350002||1|1|batch\n";
    let output = advise(&(table("|", "") + more), &[]);
    let found = json(&output);
    for part in ["heads", "starts", "learnt", "next"] {
        assert_eq!(found[part], whole[part], "{part}");
    }
    let remarks = found["remarks"].to_string();
    assert!(remarks.contains("Lines that are no jobs: 1 "), "{remarks}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("Lines that are no jobs: 1 "));
    // A wrong line is said; where they are many there is no answer but by consent.
    let wrong = "x|games|main|COMPLETED|never|1|2|3|60|1|1|wrap\n";
    let found = json(&advise(&(table("|", "") + wrong), &[]));
    assert_eq!((&found["left_out"][0]["lines"], &found["left_out"][0]["first"]), (&1.into(), &62.into()));
    let many = table("|", "") + &wrong.repeat(30);
    let output = advise(&many, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("more than a tenth"));
    assert_eq!(json(&advise(&many, &["--partial"]))["left_out"][0]["lines"], 30);
}

#[test]
fn a_trace_is_a_history_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.swf");
    let line = |number: usize, job: &Past| {
        format!(
            "{number} {} {} {} {} -1 -1 {} {} -1 1 7 1 1 1 1 -1 -1\n",
            job.submit,
            job.start - job.submit,
            job.run_time(),
            job.processors,
            job.processors,
            job.limit
        )
    };
    let jobs = completed();
    let text = jobs
        .iter()
        .zip(1..)
        .fold("; MaxProcs: 5\n".to_owned(), |text, (job, number)| text + &line(number, job));
    // One of unknown wait.
    std::fs::write(&path, text + "99 1795350000 -1 10 1 -1 -1 1 60 -1 1 7 1 1 1 1 -1 -1\n").unwrap();
    let found = json(&advise(path.to_str().unwrap(), &["--user", "7"]));
    assert_eq!((&found["learnt"], &found["next"][1]["jobs"]), (&60.into(), &60.into()));
    assert!(
        found["remarks"].to_string().contains("1 job teaches nothing, as start or end is unknown"),
        "{found}"
    );
}
