//! Files that cannot be read: one sentence, with what they look like and what would do. And nothing is lost in silence.

use crate::common::sites::refused;
use std::process::Command;
use surefill_simulator::trace::columns::COLUMNS;

#[test]
fn files_that_are_refused_with_a_way_out() {
    let sacct = "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n\
                 ------------ ---------- ---------- ---------- ---------- ---------- -------- \n\
                 7                   sim      batch       phys          4  COMPLETED      0:0 \n";
    let cases: [(&str, &str, &[&str]); 19] = [
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
    ];
    for (kind, text, parts) in cases {
        refused(kind, text, parts);
    }
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
