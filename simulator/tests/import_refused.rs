//! Files that cannot be read: one sentence, with what they look like and what would do. And nothing is lost in silence.

use crate::common::sites::refused;
use std::process::Command;
use surefill_simulator::trace::columns::COLUMNS;
use surefill_simulator::trace::format::read;
use surefill_simulator::trace::swf::{Strictness, Trace};

fn lenient(text: &str) -> Trace {
    read(text.as_bytes(), "log", None, Strictness::Lenient).unwrap()
}

#[test]
fn files_that_are_refused_with_a_way_out() {
    let sacct = "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n\
                 ------------ ---------- ---------- ---------- ---------- ---------- -------- \n\
                 7                   sim      batch       phys          4  COMPLETED      0:0 \n";
    let cases: [(&str, &str, &[&str]); 22] = [
        ("columns of fixed width", sacct, &["without --parsable2", "sacct -a -P -o JobID,Submit"]),
        (
            "nodes alone",
            "Submit|Start|End|NNodes\n1|2|3|4\n",
            &["no column of processors or GPUs", "NNodes counts nodes", "AllocCPUS"],
        ),
        (
            "no width",
            "Submit|Start|End|User\n1|2|3|a\n",
            &["no column of processors or GPUs", "AllocCPUS, NCPUS", "--columns"],
        ),
        (
            "no start, no end",
            "ReqCPUS|Submit|Timelimit|State\n4|2024-06-24T12:33:26|02:00:00|COMPLETED\n",
            &["no column Start, End or Elapsed"],
        ),
        ("no end", "ReqCPUS|Submit|Start\n4|5|6\n", &["no column End or Elapsed"]),
        ("an end alone", "ReqCPUS|Submit|End\n4|5|6\n", &["no column Start or Elapsed"]),
        (
            "other names",
            "arrival_time,length,cpus\n0.0,0.5,8\n0.25,1.5,16\n",
            &["no column Submit among 'arrival_time|length|cpus'", "submit_time", "--columns"],
        ),
        (
            "days or months",
            "job_id,submit,start,end,cpus\n1,03/05/2024 10:00:00,03/05/2024 10:05:00,03/05/2024 10:35:00,4\n",
            &["submit has dates such as '03/05/2024 10:00:00'", "--dates dmy or --dates mdy"],
        ),
        ("Parquet", "PAR1\u{15}\u{4}", &["a Parquet file", "CSV"]),
        ("a spreadsheet", "PK\u{3}\u{4}xl", &["spreadsheet", "CSV"]),
        ("a page", "<!DOCTYPE html>\n<html></html>\n", &["HTML or XML"]),
        (
            "scontrol",
            "JobId=7 JobName=sim\n   UserId=ann(1001) GroupId=staff(100)\n",
            &["scontrol show job", "sacct -a -P"],
        ),
        (
            "squeue",
            "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n",
            &["squeue prints", "sacct -a -P"],
        ),
        (
            "bjobs",
            "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n",
            &["bjobs prints", "lsb.acct"],
        ),
        (
            "qstat",
            "job-ID  prior   name       user         state submit/start at     queue\n",
            &["accounting file"],
        ),
        (
            "condor_history",
            " ID     OWNER          SUBMITTED   RUN_TIME     ST COMPLETED   CMD\n",
            &["condor_history -long"],
        ),
        (
            "prose",
            "once upon a time there was a cluster\n",
            &["begins with 'once upon", "sacct --json", "--columns"],
        ),
        (
            "more than a tenth wrong",
            "Submit|Start|End|CPUS\n1|2|3|4\n5|6|7\n",
            &["1 of 2 job lines left out", "line 3: 3 fields where the names are 4"],
        ),
        (
            "no width in any row",
            "Submit|Start|End|CPUS\n1|2|3|\n5|6|7|\n",
            &["no job has a number of processors"],
        ),
        (
            "no width in two of three rows",
            "Submit|Start|End|CPUS\n1|2|3|4\n5|6|7|\n8|9|10|\n",
            &["2 of 3 jobs that ran have no number of processors, more than a tenth"],
        ),
        (
            "other names in JSON",
            r#"[{"status": "Pass", "vc": "a", "jobid": "x7", "submitted_time": "2017-10-09 07:36:42", "user": "b"}]"#,
            &[
                "no submission time among '",
                "submitted_time",
                "accepted names are Submit, submit_time",
                "--columns",
            ],
        ),
        (
            "messages alone",
            "sacct: error: slurm_persist_conn_open: failed\n\nsacct: error: Problem talking to the database\n",
            &["it holds no job, but that sacct failed: 'sacct: error: slurm_persist_conn_open: failed'"],
        ),
    ];
    for (kind, text, parts) in cases {
        refused(kind, text, parts);
    }
}

/// A few of many jobs may be without width; it is said.
#[test]
fn jobs_without_width_are_counted() {
    let rows: String =
        (1..=20).map(|job| format!("{job}|30|40|{}\n", if job == 7 { "" } else { "4" })).collect();
    let trace = lenient(&format!("Submit|Start|End|CPUS\n{rows}"));
    assert_eq!((trace.losses(), trace.records[6].used_processors), (None, -1));
    assert_eq!(trace.remarks, ["1 of 20 jobs that ran have no number of processors"]);
}

/// Resources that are GPUs alone are the width, as nothing says the processors.
#[test]
fn gpus_among_resources_are_a_width() {
    let widths = |text: &str| {
        let trace = lenient(text);
        let used: Vec<i64> = trace.records.iter().map(|record| record.used_processors).collect();
        (used, trace.remarks)
    };
    let names = "JobID|Submit|Start|End|State|AllocTRES|ReqTRES\n";
    let gpus = "1|5|6|70|COMPLETED|billing=2,gres/gpu=2|gres/gpu=2\n2|7|8|90|FAILED|gres/gpu:a100=3,gres/gpu:t4=1|\n";
    let whole = "the width of jobs is their GPUs (AllocTRES): every processor here is a GPU";
    assert_eq!(widths(&format!("{names}{gpus}")), (vec![2, 4], vec![whole.to_owned()]));
    let both = "3|9|10|90|COMPLETED|cpu=8,gres/gpu=1|\n";
    let (used, remarks) = widths(&format!("{names}{gpus}{both}"));
    assert_eq!(used, [2, 4, 8]);
    assert_eq!(
        remarks,
        [
            "the width of 2 jobs is their GPUs (AllocTRES), as nothing says how many processors they had",
            "1 job had GPUs, which the width of jobs (AllocTRES) does not say: a column num_gpus in the place of AllocTRES \
             makes them the width",
        ]
    );
}

/// Error lines of other programs between the rows are no rows.
#[test]
fn messages_between_rows_are_no_rows() {
    let names = "JobID|Submit|Start|End|State|AllocCPUS\n1|5|6|70|COMPLETED|4\n";
    for message in [
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "slurm_load error",
        "squeue: error: Zero Bytes were transmitted or received",
        "sacct: error: Problem getting jobs",
    ] {
        let trace = lenient(&format!("{names}{message}\n2|7|8|90|FAILED|2\n"));
        assert_eq!((trace.records.len(), trace.problems.len()), (2, 0), "{message}");
        assert!(
            trace.remarks[0].starts_with("line 3 is a message, so that jobs may be missing"),
            "{message}"
        );
    }
}

/// Jobs that were ended at their limit say the unit of bare limits, in every table and for predictions too.
#[test]
fn jobs_ended_at_their_limit_say_its_unit() {
    let text =
        "JobID|Submit|Start|End|State|AllocCPUS|limit\n1|5|6|3610|TIMEOUT|4|60\n2|7|8|90|COMPLETED|2|30\n";
    let trace = lenient(text);
    let limits: Vec<i64> = trace.records.iter().map(|record| record.requested_time).collect();
    assert_eq!(limits, [3600, 1800]);
    let remark = "the limits are bare numbers and are taken as minutes: jobs that were ended at their limit ran so long";
    assert_eq!(trace.remarks, [remark]);
    let history = surefill_simulator::live::history::read(text.as_bytes(), "log", None).unwrap();
    let limits: Vec<i64> = history.entries.iter().map(|entry| entry.features.requested).collect();
    assert_eq!((limits, history.remarks), (vec![3600, 1800], vec![remark.to_owned()]));
}

#[test]
fn rows_that_ended_without_a_start_are_not_cancelled() {
    let rows = |state: &str| format!("Submit|Start|End|CPUS|State\n5|Unknown|Unknown|4|{state}\n");
    for state in ["COMPLETED", "TIMEOUT", "FAILED"] {
        refused(state, &rows(state), &["ended, but when it started is unknown"]);
    }
}

#[test]
fn the_command_says_what_it_loses_and_ends_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let run = |text: &str, args: &[&str]| {
        std::fs::write(folder.path().join("log"), text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_surefill"))
            .args(args)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let [out, said] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code(), out, said.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let wrong = "Submit|Start|End|CPUS\n1|2|3|4\n5|6|7\n";
    let (code, out, said) = run(wrong, &["import", "log"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(said.contains("more than a tenth") && said.contains("--partial"), "{said}");
    assert_eq!(run(wrong, &["simulate", "log"]).0, Some(1));
    let (code, out, _) = run(wrong, &["import", "log", "--partial"]);
    assert_eq!((code, out.lines().filter(|line| !line.starts_with(';')).count()), (Some(0), 1));
    let widthless = "Submit|Start|End|CPUS\n1|2|3|4\n5|6|7|\n8|9|10|\n";
    for verb in ["import", "what-if", "simulate"] {
        let (code, out, said) = run(widthless, &[verb, "log"]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{verb}");
        assert!(
            said.contains("2 of 3 jobs that ran have no number of processors") && said.contains("--partial")
        );
    }
    assert_eq!(run(widthless, &["import", "log", "--partial"]).0, Some(0));
    let (code, out, _) = run("", &["import", "--columns"]);
    assert!(
        code == Some(0) && out.contains("num_gpus, num_gpu, gpu_num") && out.contains("its limit in minutes"),
        "{out}"
    );
    let ambiguous = "submit,start,end,cpus\n03/05/2024 10:00:00,03/05/2024 10:05:00,03/05/2024 10:35:00,4\n";
    assert_eq!(run(ambiguous, &["import", "log"]).0, Some(1));
    for (order, start) in [("dmy", "1714730400"), ("mdy", "1709632800")] {
        let (code, out, _) = run(ambiguous, &["import", "log", "--dates", order]);
        assert!(code == Some(0) && out.contains(&format!("UnixStartTime: {start}")), "{out}");
    }
    let (_, out, _) = run(ambiguous, &["import", "log", "--dates", "dmy", "--zone", "Europe/Berlin"]);
    assert!(out.contains("UnixStartTime: 1714723200"), "{out}");
    let array =
        "JobID|JobIDRaw|Submit|Start|End|TimelimitRaw|AllocCPUS|State\n396_4|400|5|6|70|2|4|COMPLETED\n";
    let (code, out, said) = run(array, &["explain", "log", "--job", "396_4"]);
    assert!(code == Some(0) && out.contains("400"), "{out}{said}");
    assert_eq!(run(array, &["explain", "log", "--job", "396_5"]).0, Some(2));
}

#[test]
fn the_manual_lists_the_columns_that_are_read() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/files.md")).unwrap();
    for column in &COLUMNS {
        let names: Vec<String> = column.names.iter().map(|name| format!("`{name}`")).collect();
        let line = format!("| {} | {} |", names.join(", "), column.meaning);
        assert!(page.contains(&line), "docs/files.md lacks\n{line}");
    }
}
