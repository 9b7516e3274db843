//! Accounting of other managers and simulators, made of the same four jobs.

use crate::common::sites::{ALL, JOBS, Job, NAMELESS, ORIGIN, Said, check, refused};
use serde_json::{Value, json};
use surefill_simulator::trace::format::{Format, open_as, read, read_as};
use surefill_simulator::trace::record::Dropped;
use surefill_simulator::trace::swf::{Strictness, Trace};
use surefill_simulator::trace::tables::Reading;

fn lenient(text: &str) -> Trace {
    read(text.as_bytes(), "log", None, Strictness::Lenient).unwrap()
}

fn lines(line: impl Fn(&Job) -> String) -> String {
    JOBS.iter().map(|job| line(job) + "\n").collect()
}

fn is(kind: &str, text: &str, said: Said) -> Trace {
    check(kind, text, &Reading::default(), said)
}

/// A record of Grid Engine; times count `parts` to the second, and `more` stands behind its fields.
fn grid(job: &Job, parts: i64, asked: &str, task: &str, more: &str) -> String {
    let [submit, start, end] = [job.submitted(), job.start(), job.end()].map(|time| time * parts);
    let Job { number, user, account, queue, program, cpus, .. } = job;
    let failed = u8::from(!job.completed());
    let usage = "0:".repeat(15);
    format!(
        "{queue}:n1:staff:{user}:{program}:{number}:sge:0:{submit}:{start}:{end}:0:{failed}:{}:1.0:0.5:{usage}{account}:d:mpi:{cpus}:0:\
         8.0:1.0:0.1:{asked}:0.000000:{task}:1e6:0:0{more}",
        job.ran
    )
}

#[test]
fn grid_engine() {
    let limit = |job: &Job| format!("-U x -l h_rt={},h_vmem=4G -pe mpi 4", job.limit);
    is("SGE", &lines(|job| grid(job, 1, &limit(job), "NONE", "")), ALL);
    let noted = format!("# Version: 8.1.9\n#\n{}", lines(|job| grid(job, 1, &limit(job), "NONE", "")));
    is("SGE with notes", &noted, ALL);
    let more = ":ann:sim:n2:0:x:0.0";
    is("UGE in milliseconds", &lines(|job| grid(job, 1000, &limit(job), "NONE", more)), ALL);
    let clock = |job: &Job| format!("-l h_rt={:02}:{:02}:00", job.limit / 3600, job.limit / 60 % 60);
    is("limits with colons", &lines(|job| grid(job, 1, &clock(job), "NONE", "")), ALL);
    let none = lines(|job| grid(job, 1, "-pe mpi 4", "NONE", ""));
    is("without limits", &none, Said { limit: false, ..ALL });
    let steps =
        lines(|job| grid(job, 1, &limit(job), "NONE", "") + "\n" + &grid(job, 1, &limit(job), "1.n2", ""));
    assert_eq!(is("tasks of parallel jobs", &steps, ALL).dropped[&Dropped::Steps], 4);
}

#[test]
fn condor() {
    let ad = |job: &Job| {
        format!(
            "AcctGroup = \"{}\"\nClusterId = {}\nProcId = 0\nCmd = \"{}\"\nOwner = \"{}\"\nQDate = {}\nJobStartDate = {}\n\
             JobCurrentStartDate = {}\nCompletionDate = {}\nJobStatus = 4\nExitCode = {}\nRequestCpus = {}\n\
             Requirements = (Arch == \"X86_64\") && (OpSys == \"LINUX\")\nMyType = \"Job\"",
            job.account,
            job.number,
            job.program,
            job.user,
            job.submitted(),
            job.start(),
            job.start(),
            job.end(),
            i32::from(!job.completed()),
            job.cpus
        )
    };
    let said = Said { held: false, asked: true, limit: false, queue: false, ..ALL };
    is("condor_history -long", &lines(|job| ad(job) + "\n"), said);
    let file = |job: &Job| {
        format!("{}\n*** Offset = 0 ClusterId = {} ProcId = 0 Owner = \"x\"", ad(job), job.number)
    };
    is("the history's file", &lines(file), said);
    let object = |job: &Job| {
        json!({
            "ClusterId": job.number, "ProcId": 0, "Owner": job.user, "AcctGroup": job.account, "Cmd": job.program,
            "QDate": job.submitted(), "JobStartDate": job.start(), "CompletionDate": job.end(), "JobStatus": 4,
            "RequestCpus": job.cpus, "CpusProvisioned": job.cpus,
        })
    };
    let jobs: Vec<Value> = JOBS.iter().map(object).collect();
    let text = serde_json::to_string_pretty(&jobs).unwrap();
    let trace = lenient(&text);
    let found: Vec<i64> = trace.records.iter().map(|job| job.wait).collect();
    assert_eq!(found, JOBS.map(|job| job.wait));
    let removed = "ClusterId = 5\nProcId = 2\nOwner = \"ann\"\nQDate = 1715680800\nJobStatus = 3\nCompletionDate = 0\n\
                   EnteredCurrentStatus = 1715680860\nRemoteWallClockTime = 0.0\nRequestCpus = 1\n";
    let trace = lenient(removed);
    let job = &trace.records[0];
    assert_eq!((job.wait, job.run_time, job.status, &*trace.names.jobs[&job.number]), (60, -1, 5, "5_2"));
}

#[test]
fn flux() {
    let job = |job: &Job| {
        json!({
            "id": job.number, "userid": 1001, "urgency": 16, "priority": 16, "username": job.user,
            "t_submit": job.submitted() as f64 + 0.25, "t_depend": job.submitted() as f64 + 0.3,
            "t_run": job.start() as f64 + 0.5, "t_cleanup": job.end() as f64 + 0.5, "t_inactive": job.end() as f64 + 0.9,
            "state": "INACTIVE", "name": job.program, "ntasks": 1, "ncores": job.cpus, "nnodes": 1,
            "duration": job.limit as f64, "queue": job.queue, "bank": job.account, "runtime": job.ran as f64,
            "status": job.state, "result": job.state, "success": job.completed(), "exception": {"occurred": false},
        })
    };
    let jobs: Vec<Value> = JOBS.iter().map(job).collect();
    let document = json!({ "jobs": jobs });
    is("flux jobs --json", &format!("{document}\n"), ALL);
    is("flux jobs --json, indented", &serde_json::to_string_pretty(&document).unwrap(), ALL);
    is("one a line", &jobs.iter().map(|job| format!("{job}\n")).collect::<String>(), ALL);
}

#[test]
fn batsim_and_evalys() {
    let own = Said { limit: true, asked: true, ..NAMELESS };
    let row = |job: &Job, ids: &str, middle: &str| {
        let [submit, start, end] = [job.submit, job.submit + job.wait, job.submit + job.wait + job.ran];
        format!(
            "{}{middle},{submit}.0,{},{}.0,{},{start}.0,{}.0,{end}.0,{}.0,{ids}",
            job.number,
            job.cpus,
            job.limit,
            u8::from(job.completed()),
            job.ran,
            job.wait
        )
    };
    let ids = |job: &Job| if job.cpus == 2 { "3 9".to_owned() } else { format!("0-{}", job.cpus - 1) };
    let old = "jobID,submission_time,requested_number_of_processors,requested_time,success,starting_time,execution_time,\
               finish_time,waiting_time,allocated_processors\n";
    is("Batsim's older table", &(old.to_owned() + &lines(|job| row(job, &ids(job), ""))), own);
    let new = "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,starting_time,\
               execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n";
    let turned = |job: &Job| row(job, &format!("1.0,1.0,{},-1,\"\"", ids(job)), ",w0");
    is("Batsim's table, evalys", &(new.to_owned() + &lines(turned)), own);
    let jobs = |run: &str| {
        let job = |job: &Job| {
            let mut value = json!({"id": job.number.to_string(), "subtime": job.submit as f64, "walltime": job.limit, "res": job.cpus});
            let profile = if run == "profile" { json!(format!("d{}", job.ran)) } else { json!(job.ran) };
            value[run] = profile;
            value
        };
        JOBS.iter().map(job).collect::<Vec<Value>>()
    };
    let profiles: serde_json::Map<String, Value> = JOBS
        .iter()
        .map(|job| (format!("d{}", job.ran), json!({"type": "delay", "delay": job.ran})))
        .collect();
    let said = Said { wait: false, held: false, status: false, ..own };
    let workload = json!({"nb_res": 64, "jobs": jobs("profile"), "profiles": profiles, "description": "x"});
    let trace = is("a workload of Batsim", &serde_json::to_string_pretty(&workload).unwrap(), said);
    assert_eq!((trace.header.max_procs, trace.size_from_use), (Some(64), false));
    let unknown = json!({"jobs": jobs("profile"), "profiles": {}}).to_string();
    assert!(lenient(&unknown).records.is_empty());
}

/// AccaSim's workloads are in the Standard Workload Format: those of the archive, and what its generator writes, fields
/// between tabs, without a header, no wait and no user. The machine stands in a configuration beside it, which is no
/// workload, as the plan that it writes is none.
#[test]
fn accasim() {
    let line = |job: &Job| {
        let memory = 1024 * job.cpus;
        let known = [job.number, job.submit, -1, job.ran, job.cpus, -1, memory, job.cpus, job.limit, memory];
        let known = known.into_iter().chain([i64::from(job.completed())]);
        let fields: Vec<String> = known.chain([-1; 7]).map(|field| field.to_string()).collect();
        fields.join("\t") + "\n"
    };
    let said = Said { asked: true, wait: false, ..NAMELESS };
    let trace = is("a workload of AccaSim", &lines(line), said);
    assert_eq!((trace.header.max_procs, trace.problems.len()), (None, 0));
    refused(
        "AccaSim's machine",
        "{\n\t\"system_name\": \"x\",\n\t\"groups\": {\"g0\": {\"core\": 2, \"mem\": 4194304}},\n\t\"resources\": {\"g0\": 120}\n}\n",
        &["no submission time among 'system_name"],
    );
    refused(
        "AccaSim's plan",
        "17;4;2002-07-28 10:00:00__node_1;core;2__2002-07-28 10:00:30;2002-07-28 11:00:00;1;2;1024;3600;\n",
        &["no column Submit among '17|4|"],
    );
}

#[test]
fn the_standard_workload_format_as_others_write_it() {
    let said = Said { asked: true, ..NAMELESS };
    let line = |job: &Job, separator: &str, more: &str| {
        let fields = [
            job.number,
            job.submit,
            job.wait,
            job.ran,
            job.cpus,
            -1,
            -1,
            job.cpus,
            job.limit,
            -1,
            i64::from(job.completed()),
            -1,
            -1,
            -1,
            -1,
            -1,
            -1,
            -1,
        ];
        fields.map(|field| field.to_string()).join(separator) + more
    };
    for (kind, separator) in
        [("blanks", " "), ("tabs", "\t"), ("commas", ","), ("semicolons", ";"), ("both", ", ")]
    {
        is(kind, &lines(|job| line(job, separator, "")), said);
        is(kind, &format!("; MaxProcs: 64\n{}", lines(|job| line(job, separator, ""))), said);
    }
    let more = is("19 fields", &lines(|job| line(job, " ", " 0")), said);
    assert_eq!(more.remarks, ["4 lines with more than 18 fields, of which the first 18 are read"]);
    is("22 fields", &lines(|job| line(job, " ", " 0 1.5 n1 x")), said);
    let bursts = lines(|job| {
        let burst = |status: &str| {
            let summary = line(job, " ", "");
            let fields: Vec<&str> = summary.split(' ').collect();
            [&fields[..10], &[status], &fields[11..]].concat().join(" ")
        };
        format!("{}\n{}\n{}", line(job, " ", ""), burst("2"), burst("3"))
    });
    assert_eq!(is("bursts", &bursts, said).dropped[&Dropped::Bursts], 8);
}

#[test]
fn pbs() {
    let record = |job: &Job| {
        format!(
            "05/14/2024 10:00:00;E;{}.pbs;user={} account=\"{}\" jobname={} queue={} ctime={} qtime={} etime={} start={} \
             Resource_List.ncpus={} Resource_List.walltime={}:{:02}:00 end={} Exit_status={}",
            job.number,
            job.user,
            job.account,
            job.program,
            job.queue,
            job.submitted(),
            job.submitted(),
            job.submitted(),
            job.start(),
            job.cpus,
            job.limit / 3600,
            job.limit / 60 % 60,
            job.end(),
            i32::from(!job.completed())
        )
    };
    is("PBS", &lines(record), Said { asked: true, ..ALL });
}

#[test]
fn a_requeued_job_waits_anew_from_the_end_of_its_attempt() {
    let row = |state: &str, submit: i64, start: i64, end: i64| {
        format!("7|{}|{}|{}|{state}|4\n", ORIGIN + submit, ORIGIN + start, ORIGIN + end)
    };
    let names = "JobID|Submit|Start|End|State|AllocCPUS\n";
    let waits = |rows: &[String]| {
        let trace = lenient(&(names.to_owned() + &rows.concat()));
        assert_eq!(trace.problems, []);
        trace.records.iter().map(|job| (job.submit, job.wait, job.run_time)).collect::<Vec<_>>()
    };
    let first = row("NODE_FAIL", 0, 100, 200);
    let (same, anew) = (row("COMPLETED", 0, 260, 300), row("COMPLETED", 230, 260, 300));
    assert_eq!(waits(&[first.clone(), same.clone()]), [(0, 100, 100), (200, 60, 40)]);
    assert_eq!(waits(&[same, first.clone()]), [(0, 100, 100), (200, 60, 40)]);
    assert_eq!(waits(&[first, anew]), [(0, 100, 100), (230, 30, 40)]);
}

#[test]
fn dates_across_a_change_of_clocks() {
    let names = "JobID|Submit|Start|End|ElapsedRaw|State|AllocCPUS\n";
    // Clocks were set back from 3:00 to 2:00 on 27 October 2024, and forward from 2:00 on 31 March.
    let back = "1|2024-10-27T01:00:00|2024-10-27T01:30:00|2024-10-27T03:30:00|10800|COMPLETED|4\n\
                2|2024-10-27T02:20:00|2024-10-27T02:50:00|2024-10-27T02:10:00|1200|COMPLETED|4\n";
    let forward = "3|2024-03-31T01:00:00|2024-03-31T01:30:00|2024-03-31T03:30:00|3600|COMPLETED|4\n";
    let within = "4|2024-10-27T02:50:00|2024-10-27T02:10:00|2024-10-27T03:10:00|3600|COMPLETED|4\n";
    let read = |text: &str, zone: Option<&str>| {
        let zone = zone.map(|name| jiff::tz::TimeZone::get(name).unwrap());
        let clock = surefill_simulator::trace::values::Clock { zone, ..Default::default() };
        let text = format!("{names}{text}");
        read_as(text.as_bytes(), "log", &Reading { clock, ..Reading::default() }, Strictness::Lenient)
            .unwrap()
    };
    let spans = |trace: &Trace| {
        trace.records.iter().map(|job| (job.number, job.wait, job.run_time)).collect::<Vec<_>>()
    };
    for zone in [None, Some("Europe/Berlin")] {
        assert_eq!(spans(&read(back, zone)), [(1, 1800, 10_800), (2, 1800, 1200)]);
        assert_eq!(spans(&read(forward, zone)), [(3, 1800, 3600)]);
    }
    assert_eq!(spans(&read(within, Some("Europe/Berlin"))), [(4, 1200, 3600)]);
    assert!(read(within, None).problems[0].reason.to_string().contains("--zone Europe/Berlin"));
    // On another day an hour more between start and end is a suspension, in which the job held its processors.
    let suspended = "5|2024-05-15T01:00:00|2024-05-15T01:30:00|2024-05-15T03:30:00|3600|COMPLETED|4\n";
    assert_eq!(spans(&read(suspended, None)), [(5, 1800, 7200)]);
}

#[test]
fn several_files_are_one_log() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let names = "JobID|Submit|Start|End|State|AllocCPUS|User\n";
    let row = |id: i64, user: &str| {
        format!("{id}|{}|{}|{}|COMPLETED|4|{user}\n", ORIGIN + id, ORIGIN + id, ORIGIN + 100)
    };
    let april = write("april.txt", &[names, &row(2, "bob"), &row(1, "ann")].concat());
    // The month's last job is in both.
    let may = write("may.txt", &[names, &row(2, "bob"), &row(3, "ann"), "x|y\n"].concat());
    let trace = open_as(&[&april, &may], &Reading::default(), Strictness::Lenient).unwrap();
    assert_eq!(trace.records.iter().map(|job| job.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((trace.dropped[&Dropped::Twice], trace.names.users.len()), (1, 2));
    let said = trace.problems[0].reason.to_string();
    assert!(said.contains("may.txt: 2 fields where the names are 7"), "{said}");
    let swf = write("t.swf", "1 0 0 5 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n");
    let error = open_as(&[&april, &swf], &Reading::default(), Strictness::Lenient).unwrap_err().to_string();
    assert!(error.contains("t.swf: of several files each is to be a table"), "{error}");
    assert!(Format::of(b"[{\"id\": 5}]") == Format::Json && Format::of(b"{\n \"jobs\": []}") == Format::Json);
}
