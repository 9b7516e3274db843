//! Accounting logs of every kind, read as traces. What each sample must come to was worked out by hand.

use clap::ValueEnum;
use proptest::prelude::*;
use std::io::Write;
use surefill_simulator::trace::format::{Format, read};
use surefill_simulator::trace::record::Dropped;
use surefill_simulator::trace::swf::{Record, Strictness, Trace};

fn trace(text: &str) -> Trace {
    read(text.as_bytes(), "log", None, Strictness::Lenient).unwrap()
}

/// Number, submission, wait, run time, used and requested processors, requested time, status.
fn facts(record: &Record) -> [i64; 8] {
    let Record { number, submit, wait, run_time, used_processors, requested_processors, .. } = *record;
    [
        number,
        submit,
        wait,
        run_time,
        used_processors,
        requested_processors,
        record.requested_time,
        record.status,
    ]
}

fn dropped(trace: &Trace) -> Vec<(Dropped, u64)> {
    trace.dropped.iter().map(|(why, count)| (*why, *count)).collect()
}

/// The output of `sacct --parsable2`, not sorted by submission. 2024-05-01T10:00:00 UTC is 1714557600.
const SACCT: &str = "\
JobIDRaw|State|Submit|Eligible|Start|End|Timelimit|AllocCPUS|ReqCPUS|NNodes|ReqMem|MaxRSS|NTasks|TotalCPU|User|Account|Partition|JobName|JobID
101|COMPLETED|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T10:35:00|01:00:00|16|16|2|64G|||02:40:00|alice|physics|batch|sim|101
101.batch|COMPLETED|2024-05-01T10:05:00|2024-05-01T10:05:00|2024-05-01T10:05:00|2024-05-01T10:35:00||8||1||2048K|1|00:10.500|||||101.batch
101.0|COMPLETED|2024-05-01T10:05:10|2024-05-01T10:05:10|2024-05-01T10:05:10|2024-05-01T10:34:00||16||2||1M|16|02:39:49.500|||||101.0
103|TIMEOUT|2024-05-01T10:10:00|2024-05-01T10:20:00|2024-05-01T10:30:00|2024-05-01T11:30:30|01:00:00|4|4|1|4Gc|||00:00:00|bob|chem|short|array|102_4
104|CANCELLED by 1000|2024-05-01T10:11:00|2024-05-01T10:11:00|None|2024-05-01T10:20:00|1-00:00:00|0|32|4|16Gn|||00:00:00|bob|chem|batch|never|104
105|CANCELLED by 0|2024-05-01T10:12:00|2024-05-01T10:12:00|2024-05-01T10:13:00|2024-05-01T10:13:00|UNLIMITED|0|32|4|||||bob|chem|batch|never|105
106|PENDING|2024-05-01T10:12:30|Unknown|Unknown|Unknown|01:00:00|0|1|1|||||bob|chem|batch|waits|106_[5-9]
107|RUNNING|2024-05-01T10:12:40|2024-05-01T10:12:40|2024-05-01T10:13:00|Unknown|01:00:00|1|1|1|||||bob|chem|batch|runs|107
108|COMPLETED|2024-05-01T10:15:00|2024-05-01T10:15:00|2024-05-01T10:16:00|2024-05-01T10:17:00|00:10:00|4|4|1|||||alice|physics|batch|het|108+0
109|COMPLETED|2024-05-01T10:15:00|2024-05-01T10:15:00|2024-05-01T10:16:00|2024-05-01T10:18:00|00:20:00|2|2|1|||||alice|physics|gpu|het|108+1
101|COMPLETED|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T10:35:00|01:00:00|16|16|2|64G|||02:40:00|alice|physics|batch|sim|101
110|FAILED|2024-05-01T09:59:00|2024-05-01T09:59:00|2024-05-01T10:00:00|2024-05-01T10:00:01|Partition_Limit|1|1|1|||||carol|physics|batch|evil\u{1b}[2J|110
111|COMPLETED|2024-05-01T10:20:00|2024-05-01T10:20:00|2024-05-01T10:00:00|2024-05-01T10:30:00|01:00:00|1|1|1|||||carol|physics|batch|early|111
112|COMPLETED|2024-05-01T10:20:00|2024-05-01T10:20:00|2024-05-01T10:20:00|2024-05-01T10:30:00|01:00:00|1|1|1|||||carol|physics|batch|a|b|112
";

/// Ids with a point are jobs where they have a user, or no job stands before them; `vc` is the queue of clusters whose
/// column `queue` is the wait; of an hour that comes twice an end is the one behind its start.
#[test]
fn tables_of_other_habits() {
    let numbers = |text: &str| -> Vec<[i64; 8]> { trace(text).records.iter().map(facts).collect() };
    let condor = "job_id,submit_time,start_time,end_time,cpus\n0.0,1000,1010,1110,4\n1.0,1020,1030,1040,4\n1.1,1021,1031,1051,2\n";
    let found = numbers(condor);
    assert_eq!(found.iter().map(|job| job[3]).collect::<Vec<_>>(), [100, 10, 20]);
    let owned = "JobID,User,Submit,Start,End,AllocCPUS\n7,ann,0,10,20,4\n7.1,ann,1,11,31,4\n7.2,,2,12,13,1\n";
    assert_eq!(numbers(owned).iter().map(|job| job[3]).collect::<Vec<_>>(), [10, 20]);
    let helios = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n\
                  1,u,vcA,1,4,1,COMPLETED,2020-04-01 00:00:10,2020-04-01 00:01:12,2020-04-01 00:02:15,63,62\n";
    let helios = trace(helios);
    assert_eq!(helios.names.queues.values().collect::<Vec<_>>(), ["vcA"]);
    let columns =
        r#"{"submit":{"0":0,"1":60},"start":{"0":1,"1":61},"end":{"0":9,"1":99},"cpus":{"0":4,"1":4}}"#;
    let columns = trace(columns);
    let why = columns.problems[0].reason.to_string();
    assert!(columns.records.is_empty() && why.contains("to_json(orient='records')"), "{why}");
    let zone = surefill_simulator::trace::values::zone("Europe/Berlin").unwrap();
    let reading = surefill_simulator::trace::tables::Reading {
        clock: surefill_simulator::trace::values::Clock { day_first: None, zone: Some(zone) },
        ..Default::default()
    };
    let twice =
        "JobID|Submit|Start|End|AllocCPUS\n1|2024-10-27T01:00:00|2024-10-27T02:50:00|2024-10-27T02:10:00|4\n";
    let read =
        surefill_simulator::trace::format::read_as(twice.as_bytes(), "log", &reading, Strictness::Lenient);
    assert_eq!(read.unwrap().records.iter().map(|job| job.run_time).collect::<Vec<_>>(), [1200]);
}

#[test]
fn what_sacct_prints() {
    let trace = trace(SACCT);
    let origin = 1_714_557_600 - 60;
    assert_eq!(trace.header.unix_start_time, Some(origin));
    let all: Vec<[i64; 8]> = trace.records.iter().map(facts).collect();
    assert_eq!(
        all,
        [
            [110, 0, 60, 1, 1, 1, -1, 0],
            [101, 60, 300, 1800, 16, 16, 3600, 1],
            [104, 720, 540, -1, -1, 32, 86_400, 5],
            [105, 780, 60, -1, -1, 32, 1 << 40, 5],
            [108, 960, 60, 120, 6, 6, 1200, 1],
            // Eligible ten minutes after its submission.
            [103, 1260, 600, 3630, 4, 4, 3600, 0],
            // A bar in its name.
            [112, 1260, 0, 600, 1, 1, 3600, 1],
        ]
    );
    assert_eq!(
        dropped(&trace),
        [
            (Dropped::Running, 1),
            (Dropped::Waiting, 1),
            (Dropped::Steps, 2),
            (Dropped::Twice, 1),
            (Dropped::Parts, 1)
        ]
    );
    let wrong: Vec<(u64, String)> =
        trace.problems.iter().map(|problem| (problem.line, problem.reason.to_string())).collect();
    assert_eq!(wrong[0].0, 14);
    assert!(wrong[0].1.starts_with("started at "), "{}", wrong[0].1);
    assert_eq!(wrong.len(), 1);
    let job = |number| trace.records.iter().find(|record| record.number == number).unwrap();
    // 16 tasks of 1 MB are more than one of 2 MB: 16 MB on 16 processors. 64 GB on 16; 9600 s of all processors.
    let first = job(101);
    assert_eq!((first.used_memory, first.requested_memory, first.cpu_time), (1024.0, 4_194_304.0, 600.0));
    assert_eq!(job(103).requested_memory, 4_194_304.0);
    // 16 GB on each of 4 nodes, for 32 processors.
    assert_eq!(job(104).requested_memory, 2_097_152.0);
    let users: Vec<i64> = trace.records.iter().map(|record| record.user).collect();
    assert_eq!(users, [1, 2, 3, 3, 2, 3, 1]);
    assert_eq!(trace.names.users.values().collect::<Vec<_>>(), ["carol", "alice", "bob"]);
    assert_eq!(trace.names.groups[&2], "chem");
    assert!(trace.names.programs.values().any(|name| name == r"evil\u{1b}[2J"));
    assert_eq!(trace.header.lines[0], "; Queue: 1 batch");
    // At 10:30:00 job 103 starts with 4 processors beside the 16 of job 101; 32 were asked for at once.
    assert_eq!((trace.header.max_procs, trace.size_from_use), (Some(32), true));
}

#[test]
fn the_order_of_columns_does_not_matter() {
    let text: String =
        SACCT.lines().filter(|line| !line.contains("a|b")).map(|line| format!("{line}\n")).collect();
    let whole = trace(&text);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('|').collect()).collect();
    let turned: String = lines
        .iter()
        .map(|cells| cells.iter().rev().copied().collect::<Vec<_>>().join("|") + "|\r\n")
        .collect();
    let turned = read(turned.as_bytes(), "log", None, Strictness::Lenient).unwrap();
    assert_eq!(turned.records, whole.records);
    assert_eq!(turned.names, whole.names);
}

const PBS: &str = "\
05/01/2024 12:00:00;Q;11.pbs;queue=workq
05/01/2024 12:05:00;S;11.pbs;user=ann group=users jobname=sim queue=workq ctime=1714557600 qtime=1714557600 etime=1714557600 start=1714557900
05/01/2024 12:06:00;Q;12.pbs;queue=workq
05/01/2024 12:16:00;D;12.pbs;requestor=ann@login
05/01/2024 12:35:00;E;11.pbs;user=ann group=users project=_pbs_project_default jobname=\"sim = 1\" queue=workq ctime=1714557600 qtime=1714557600 etime=1714557600 start=1714557900 exec_host=n1/0*8+n2/0*8 Resource_List.mem=32gb Resource_List.ncpus=16 Resource_List.nodect=2 Resource_List.walltime=01:00:00 session=7 end=1714559700 Exit_status=0 resources_used.cput=04:00:00 resources_used.mem=16777216kb resources_used.ncpus=16 resources_used.walltime=00:30:00
05/01/2024 12:40:00;E;13[2].pbs;user=bob group=users project=lattice jobname=arr queue=long ctime=1714558000 qtime=1714558000 etime=1714558100 start=1714558200 Resource_List.nodes=2:ppn=4 Resource_List.walltime=10:00:00 end=1714560000 Exit_status=271
05/01/2024 12:40:01;E;13[].pbs;user=bob
05/01/2024 12:40:02;L;license;floating license hour:3
05/01/2024 12:41:00;E;14.pbs;user=bob queue=long
";

#[test]
fn what_pbs_logs() {
    let trace = trace(PBS);
    let all: Vec<[i64; 8]> = trace.records.iter().map(facts).collect();
    assert_eq!(
        all,
        [
            [11, 0, 300, 1800, 16, 16, 3600, 1],
            // Dates of records are two hours ahead of UTC there.
            [12, 360, 600, -1, -1, -1, -1, 5],
            // A task of an array has no number of its own.
            [13, 500, 100, 1800, 8, 8, 36_000, 5],
        ]
    );
    assert_eq!(trace.header.unix_start_time, Some(1_714_557_600));
    let first = &trace.records[0];
    assert_eq!(
        (first.cpu_time, first.used_memory, first.requested_memory),
        (900.0, 1_048_576.0, 2_097_152.0)
    );
    assert_eq!(trace.names.groups.values().collect::<Vec<_>>(), ["users", "lattice"]);
    assert_eq!(trace.names.programs.values().collect::<Vec<_>>(), ["sim = 1", "arr"]);
    assert_eq!(dropped(&trace), [(Dropped::Arrays, 1), (Dropped::OtherRecords, 4)]);
    assert_eq!(trace.problems.len(), 1);
    assert_eq!(trace.problems[0].reason.to_string(), "no submission time (qtime)");
}

/// A record of JOB_FINISH as version 9 writes it; `tail` is what newer ones append.
fn lsf(
    id: i64,
    index: i64,
    times: [i64; 4],
    processors: i64,
    hosts: &[&str],
    state: i64,
    tail: &str,
) -> String {
    let [submit, begin, start, end] = times;
    let list: String = hosts.iter().map(|host| format!(" \"{host}\"")).collect();
    format!(
        "\"JOB_FINISH\" \"10.1\" {end} {id} 1001 33554434 {processors} {submit} {begin} 0 {start} \"ann\" \"normal\" \
         \"span[ptile=2]\" \"\" \"\" \"login\" \"work\" \"\" \"out\" \"\" \"1714.7\" 0 {}{list} {state} 60.0 \
         \"a \"\"b\"\" c\" \"./run; echo \"\"x y\"\"\" 100.0 20.0 0 0 -1 0 0 0 0 0 -1 0 0 0 -1 0 0 0 -1 \"\" \"default\" 0 {processors} \
         \"\" \"\" {index} 8192 9000 \"\" \"\" \"\" \"\" 0 \"\" 0 \"\" -1 \"\" \"\" \"\" \"\" 0 \"\" \"\" 1042 \"\" -1 \"\" \"\"{tail}\n",
        hosts.len()
    )
}

#[test]
fn what_lsf_logs() {
    let base = 1_714_557_600;
    let tail = " 1 \"18\" \"0\" 1 \"h1\" 8192 9000 100 20 0 7200 8000 \"select[x]\" \"\" 0 \"\" 0 0 0 0 0 \"\" 1800 \"w\" 0 \"\" 0.0 0.0 0.0 0.0 0.0 4 \"h1\" \"h1\" \"h1\" \"h1\" 0";
    let text = [
        lsf(71, 0, [base, 0, base + 60, base + 1860], 4, &["h1"], 64, tail),
        lsf(72, 3, [base + 10, base + 100, base + 200, base + 300], 2, &["h1", "h1"], 32, ""),
        lsf(73, 0, [base + 20, 0, 0, base + 620], 8, &[], 32, ""),
        "\"EVENT_ADRSV_FINISH\" \"10.1\" 1714557600 1 2\n".to_owned(),
        "\"JOB_FINISH\" \"10.1\" 5 7\n".to_owned(),
    ]
    .concat();
    let trace = trace(&text);
    let all: Vec<[i64; 8]> = trace.records.iter().map(facts).collect();
    assert_eq!(
        all,
        [
            [71, 0, 60, 1800, 4, 4, 7200, 1],
            [73, 20, 600, -1, -1, 8, -1, 5],
            // A task of an array, which may start 100 s after the first submission.
            [74, 100, 100, 100, 2, 2, -1, 0],
        ]
    );
    let first = &trace.records[0];
    assert_eq!((first.cpu_time, first.used_memory), (30.0, 2048.0));
    let flags = tail.replace(" 0 7200 8000", " -1 7200 8000");
    let flagged = lsf(71, 0, [base, 0, base + 60, base + 1860], 4, &["h1"], 64, &flags);
    assert_eq!(self::trace(&flagged).records[0].requested_time, -1);
    assert_eq!(trace.names.programs[&1], "a \"b\" c");
    assert_eq!(dropped(&trace), [(Dropped::OtherRecords, 1)]);
    assert_eq!(trace.problems.len(), 1);
}

#[test]
fn csv_and_json_lines_with_named_columns() {
    let expected = [[7, 0, 10, 100, 4, 8, 3600, 1], [8, 5, 0, 50, 2, 2, -1, 0]];
    let csv = "# a remark\njob_id,submit_time,wait_time,run_time,used_processors,requested_processors,requested_time,status,user,note\n\
               7,0,10,100,4,8,3600,1,\"Müller, A.\",\"two\nlines\"\n8,5,0,50.4,2,2,-1,0,bob,\n";
    let semicolons = "Job ID;Submit;Start;End;Processors;ReqProcs;Limit;State;User\n7;0;10;110;4;8;1:00:00;DONE;ann\n8;5;5;55;2;2;;EXIT;bob\n";
    let tabs = semicolons.replace(';', "\t");
    let json = "{\"job_id\": 7, \"submit\": 0, \"start\": 10, \"end\": 110, \"cpus\": 4, \"ReqCPUS\": \"8\", \"limit\": 3600, \"state\": \"COMPLETED\", \"user\": \"\\u001b]0;x\"}\n\
                {\"submit\": 5.0, \"job_id\": \"8\", \"start\": 5, \"end\": 55, \"cpus\": 2, \"ReqCPUS\": 2, \"limit\": null, \"state\": \"FAILED\", \"tags\": [1]}\n";
    for text in [csv, semicolons, &tabs, json] {
        let trace = trace(text);
        assert_eq!(
            trace.records.iter().map(facts).collect::<Vec<_>>(),
            expected,
            "{text}: {:?}",
            trace.problems
        );
        assert!(trace.problems.is_empty());
        // The trace's own clock.
        assert_eq!(trace.header.unix_start_time, None);
    }
    assert_eq!(trace(csv).names.users[&1], "Müller, A.");
    assert_eq!(trace(json).names.users[&1], r"\u{1b}]0;x");
    let error = read(&b"a,b\n1,2\n"[..], "log", None, Strictness::Lenient).unwrap_err().to_string();
    assert!(error.starts_with("log:1: no column Submit among 'a|b': accepted names are Submit, "), "{error}");
}

#[test]
fn formats_are_recognised_by_content_and_can_be_named() {
    let swf = "; MaxProcs: 4\n1 0 0 5 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n";
    let samples = [
        (swf, Format::Swf),
        ("1 0 0 5 1\n", Format::Swf),
        (SACCT, Format::Sacct),
        (PBS, Format::Pbs),
        ("\"JOB_FINISH\" \"10.1\" 5", Format::Lsf),
        ("submit,start\n", Format::Csv),
        ("\n{\"submit\": 5}\n", Format::Jsonl),
        ("", Format::Swf),
    ];
    for (text, format) in samples {
        assert_eq!(Format::of(text.as_bytes()), format, "{text}");
    }
    let named =
        read(swf.as_bytes(), "log", Some(Format::Sacct), Strictness::Lenient).unwrap_err().to_string();
    assert!(named.starts_with("log:1: no column Submit"), "{named}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(SACCT.as_bytes()).unwrap();
    let compressed = read(&gzip.finish().unwrap()[..], "log", None, Strictness::Lenient).unwrap();
    assert_eq!(compressed.records, trace(SACCT).records);
}

#[test]
fn strict_stops_at_the_first_wrong_line() {
    let error = read(SACCT.as_bytes(), "log", None, Strictness::Strict).unwrap_err().to_string();
    assert!(error.starts_with("log:14: started at "), "{error}");
}

/// Seconds as Slurm's spans.
fn clock(seconds: i64) -> String {
    format!("{}-{:02}:{:02}:{:02}", seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

/// Jobs that ran, first at second 0, numbered in order of submission, with numbers for users.
fn records() -> impl Strategy<Value = Vec<Record>> {
    let one = (
        0i64..10_000,
        0i64..5000,
        0i64..90_000,
        1i64..500,
        1i64..200_000,
        0i64..3,
        (0i64..9, 0i64..5, 0i64..4, 0i64..3),
    );
    proptest::collection::vec(one, 1..30).prop_map(|jobs| {
        let mut submits: Vec<i64> = jobs.iter().map(|job| job.0).collect();
        submits.sort_unstable();
        let first = submits[0];
        jobs.iter()
            .zip(submits)
            .zip(1..)
            .map(|((job, submit), number)| {
                let &(_, wait, run_time, processors, limit, status, (user, group, program, queue)) = job;
                Record {
                    number,
                    submit: submit - first,
                    wait,
                    run_time,
                    used_processors: processors,
                    cpu_time: -1.0,
                    used_memory: -1.0,
                    requested_processors: processors + 1,
                    requested_time: limit,
                    requested_memory: 1024.0,
                    status: [0, 1, 5][status as usize],
                    user,
                    group,
                    executable: program,
                    queue,
                    partition: queue,
                    preceding: -1,
                    think_time: -1,
                    tasks: None,
                }
            })
            .collect()
    })
}

proptest! {
    /// A trace written as `sacct` prints it comes back as it was.
    #[test]
    fn a_trace_as_a_table_and_back_is_the_same(records in records(), origin in 1_000_000_000i64..2_000_000_000) {
        let mut text = String::from("State|JobID|User|Submit|Start|End|AllocCPUS|ReqCPUS|Timelimit|ReqMem|Account|JobName|Partition\n");
        for record in &records {
            let start = origin + record.submit + record.wait;
            let state = match record.status { 1 => "COMPLETED", 5 => "CANCELLED by 0", _ => "NODE_FAIL" };
            text += &format!(
                "{state}|{}|{}|{}|{start}|{}|{}|{}|{}|1Mc|{}|{}|{}\n",
                record.number, record.user, origin + record.submit, start + record.run_time,
                record.used_processors, record.requested_processors, clock(record.requested_time),
                record.group, record.executable, record.queue,
            );
        }
        let trace = trace(&text);
        prop_assert!(trace.problems.is_empty(), "{:?}", trace.problems);
        prop_assert_eq!(trace.header.unix_start_time, Some(origin));
        prop_assert_eq!(&trace.records, &records);
    }

    #[test]
    fn any_bytes_are_read_in_every_format(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        for format in Format::value_variants() {
            let format = *format;
            let _ = read(&bytes[..], "log", Some(format), Strictness::Lenient);
        }
        let _ = read(&bytes[..], "log", None, Strictness::Lenient);
    }

    /// Cells of all sorts under real names: a job, a reason, or a count, and nothing that a terminal obeys.
    #[test]
    fn any_cells_are_jobs_or_reasons(
        cells in proptest::collection::vec(
            "(|[0-9]{1,22}|-[0-9]{1,3}|2024-0[0-9]-3[0-9]T1[0-9]:00:00|[0-9]-[0-9:]{1,9}|Unknown|CANCELLED|PENDING|\\PC{0,9}|\u{1b}\\[2J)", 8),
        format in 0usize..3,
    ) {
        let titles = ["JobID", "Submit", "Start", "End", "Timelimit", "AllocCPUS", "State", "User"];
        let text = match format {
            0 => format!("{}\n{}\n", titles.join("|"), cells.join("|")),
            1 => format!("{}\n\"{}\"\n", titles.join(","), cells.join("\",\"")),
            _ => serde_json::to_string(&titles.iter().zip(&cells).collect::<std::collections::BTreeMap<_, _>>()).unwrap(),
        };
        if let Ok(trace) = read(text.as_bytes(), "log", None, Strictness::Lenient) {
            let dropped: u64 = trace.dropped.values().sum();
            prop_assert!(trace.records.len() as u64 + trace.problems.len() as u64 + dropped <= 2);
            let said = trace.problems.iter().map(|problem| problem.reason.to_string());
            for text in said.chain(trace.names.users.values().cloned()) {
                prop_assert!(!text.contains('\u{1b}'), "{text:?}");
            }
        }
    }
}
