//! Tables and JSON of Slurm in every shape, made of the same four jobs: each job is compared with what is known of it,
//! field by field. Variants of tables are made of turns of a few knobs.

use crate::common::sites::{ALL, JOBS, Job, NAMELESS, ORIGIN, Said, check, clock, date, refused};
use serde_json::{Value, json};
use surefill_simulator::trace::format::read_as;
use surefill_simulator::trace::record::Dropped;
use surefill_simulator::trace::swf::Strictness;
use surefill_simulator::trace::tables::Reading;

/// The form in which a table is written.
#[derive(Clone)]
struct Knobs {
    separator: &'static str,
    /// A separator at the end of every line, as sacct --parsable has it.
    trailing: bool,
    date: &'static str,
    titles: Vec<&'static str>,
    /// Lines before the names.
    banner: &'static str,
    /// Lines after the first job.
    between: &'static str,
    line_end: &'static str,
    named: bool,
}

const ISO: &str = "%Y-%m-%dT%H:%M:%S";

fn knobs() -> Knobs {
    Knobs {
        separator: "|",
        trailing: false,
        date: ISO,
        titles: "JobID Submit Start End State TimelimitRaw AllocCPUS User Account Partition JobName"
            .split(' ')
            .collect(),
        banner: "",
        between: "",
        line_end: "\n",
        named: true,
    }
}

fn cell(job: &Job, title: &str, knobs: &Knobs) -> String {
    let date = |seconds| date(seconds, knobs.date);
    match title {
        "JobID" | "job_id" | "JobIDRaw" => job.number.to_string(),
        "Submit" | "submit_time" | "Eligible" => date(job.submitted()),
        "Start" | "start_time" => date(job.start()),
        "End" | "end_time" => date(job.end()),
        "wait_time" => job.wait.to_string(),
        "Elapsed" => clock(job.ran),
        "ElapsedRaw" | "duration" => job.ran.to_string(),
        "State" | "status" => job.state.to_owned(),
        "success" => u8::from(job.completed()).to_string(),
        "TimelimitRaw" => (job.limit / 60).to_string(),
        "Timelimit" => clock(job.limit),
        "time_limit" | "requested_time" => job.limit.to_string(),
        "AllocCPUS" | "ReqCPUS" | "num_gpu" | "gpu_num" | "num_gpus" | "num_cores" | "cpu_num" => {
            job.cpus.to_string()
        }
        "AllocTRES" | "ReqTRES" => {
            format!("billing=9,cpu={},gres/gpu:a100=2,gres/gpu=2,mem=8G,node=1", job.cpus)
        }
        "AllocNodes" | "NNodes" => "1".to_owned(),
        "User" | "user" => job.user.to_owned(),
        "Account" => job.account.to_owned(),
        "Partition" | "vc" => job.queue.to_owned(),
        "JobName" => job.program.to_owned(),
        "SubmitLine" => "sbatch --wrap \"a | b\" run.sh".replace('|', knobs.separator),
        "NodeList" => "n[1,3-5]".to_owned(),
        other => panic!("{other}"),
    }
}

fn table(knobs: &Knobs) -> String {
    let Knobs { separator, titles, line_end, .. } = knobs;
    let line =
        |cells: Vec<String>| cells.join(separator) + if knobs.trailing { separator } else { "" } + line_end;
    let mut text = knobs.banner.to_owned();
    if knobs.named {
        text += &line(titles.iter().map(|&title| title.to_owned()).collect());
    }
    for (place, job) in JOBS.iter().enumerate() {
        text += &line(titles.iter().map(|title| cell(job, title, knobs)).collect());
        if place == 0 {
            text += knobs.between;
        }
    }
    text
}

/// A turn of a knob.
type Change = fn(&mut Knobs);

/// A turn of a knob, by name.
type Turn = (&'static str, Change);

#[test]
fn tables_in_every_way_in_which_they_are_written() {
    let separators: [Turn; 7] = [
        ("bars", |_| {}),
        ("bars and one at the end", |knobs| knobs.trailing = true),
        ("commas", |knobs| knobs.separator = ","),
        ("semicolons", |knobs| knobs.separator = ";"),
        ("tabs", |knobs| knobs.separator = "\t"),
        ("carets", |knobs| knobs.separator = "^"),
        ("tildes", |knobs| knobs.separator = "~"),
    ];
    let dates: [Turn; 11] = [
        ("ISO", |_| {}),
        ("seconds", |knobs| knobs.date = "%s"),
        ("milliseconds", |knobs| knobs.date = "%s000"),
        ("a blank", |knobs| knobs.date = "%Y-%m-%d %H:%M:%S"),
        ("UTC", |knobs| knobs.date = "%Y-%m-%dT%H:%M:%SZ"),
        ("a zone", |knobs| knobs.date = "%Y-%m-%d %H:%M:%S+00:00"),
        ("ctime", |knobs| knobs.date = "%a %b %e %H:%M:%S %Y"),
        ("slashes", |knobs| knobs.date = "%Y/%m/%d %H:%M:%S"),
        ("day first", |knobs| knobs.date = "%d/%m/%Y %H:%M:%S"),
        ("month first", |knobs| knobs.date = "%m/%d/%Y %H:%M:%S"),
        ("dots", |knobs| knobs.date = "%d.%m.%Y %H:%M:%S"),
    ];
    for (separated, separator) in separators {
        for (dated, date) in dates {
            let mut knobs = knobs();
            separator(&mut knobs);
            date(&mut knobs);
            check(&format!("{separated}, {dated}"), &table(&knobs), &Reading::default(), ALL);
        }
    }
}

#[test]
fn tables_with_other_columns() {
    let titles = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    let variants: [(&'static str, &'static str, Said); 13] = [
        ("TRES held", "JobID Submit Start End State Timelimit AllocTRES User Account Partition JobName", ALL),
        (
            "TRES asked for",
            "JobID Submit Start End State Timelimit ReqTRES AllocCPUS User Account Partition JobName",
            Said { asked: true, ..ALL },
        ),
        (
            "TRES asked for alone",
            "JobID Submit Start End State Timelimit ReqTRES User Account Partition JobName",
            Said { asked: true, held: false, ..ALL },
        ),
        (
            "no end",
            "JobID Submit Start Elapsed State TimelimitRaw AllocCPUS User Account Partition JobName",
            ALL,
        ),
        (
            "no start",
            "JobID Submit End ElapsedRaw State TimelimitRaw AllocCPUS User Account Partition JobName",
            ALL,
        ),
        (
            "wait and run time",
            "JobID Submit wait_time duration State TimelimitRaw AllocCPUS User Account Partition JobName",
            ALL,
        ),
        (
            "run time alone",
            "JobID Submit duration State TimelimitRaw AllocCPUS User Account Partition JobName",
            Said { wait: false, ..ALL },
        ),
        (
            "GPUs, as one cluster has them",
            "job_id user vc num_gpu submit_time start_time end_time status",
            Said { limit: false, account: false, program: false, ..ALL },
        ),
        (
            "GPUs, as another has them",
            "job_id user vc gpu_num submit_time start_time end_time status",
            Said { limit: false, account: false, program: false, ..ALL },
        ),
        (
            "GPUs, plural",
            "job_id user num_gpus submit_time start_time end_time status",
            Said { limit: false, account: false, program: false, queue: false, ..ALL },
        ),
        ("cores", "job_id num_cores submit_time start_time end_time requested_time success", NAMELESS),
        (
            "limits in seconds under a name that is minutes for Slurm",
            "job_id cpu_num submit_time start_time end_time time_limit status",
            NAMELESS,
        ),
        (
            "free text in the middle",
            "JobID SubmitLine Submit Start End State TimelimitRaw AllocCPUS User Account Partition JobName",
            ALL,
        ),
    ];
    for (kind, columns, said) in variants {
        for separator in ["|", "^"] {
            let knobs = Knobs { titles: titles(columns), separator, ..knobs() };
            check(&format!("{kind}, {separator}"), &table(&knobs), &Reading::default(), said);
        }
    }
    let gpus = Knobs { titles: titles("job_id num_gpu submit_time start_time end_time"), ..knobs() };
    let trace =
        check("GPUs", &table(&gpus), &Reading::default(), Said { limit: false, status: false, ..NAMELESS });
    assert_eq!(trace.remarks, ["the width of jobs is their GPUs (num_gpu): every processor here is a GPU"]);
    // A list of nodes with commas between commas.
    let commas = Knobs {
        titles: titles("JobID NodeList Submit Start End State TimelimitRaw AllocCPUS User Account Partition"),
        separator: ",",
        ..knobs()
    };
    check("a list of nodes", &table(&commas), &Reading::default(), Said { program: false, ..ALL });
}

#[test]
fn what_stands_around_tables() {
    let names = "JobID|Submit|Start|End|State|TimelimitRaw|AllocCPUS|User|Account|Partition|JobName\n";
    let variants: [(&str, Change, &[&str]); 6] = [
        (
            "a banner",
            |knobs| knobs.banner = "Welcome!\n\n  Read the news.\n",
            &["2 lines before the line of names passed over, the first 'Welcome!'"],
        ),
        (
            "a message before",
            |knobs| knobs.banner = "sacct: error: slurm_persist_conn_open: failed\n",
            &["1 line before"],
        ),
        (
            "a message between",
            |knobs| knobs.between = "sacct: error: Problem getting jobs\n",
            &["line 3 is a message, so that jobs may be missing: 'sacct: error: Problem"],
        ),
        (
            "joined files",
            |knobs| {
                knobs.between =
                    "JobID|Submit|Start|End|State|TimelimitRaw|AllocCPUS|User|Account|Partition|JobName\n"
            },
            &[],
        ),
        ("line ends of Windows", |knobs| knobs.line_end = "\r\n", &[]),
        ("a rule below the names", |knobs| knobs.banner = "", &[]),
    ];
    for (kind, turn, remarks) in variants {
        let mut knobs = knobs();
        turn(&mut knobs);
        let mut text = table(&knobs);
        if kind.starts_with("a rule") {
            text = text.replacen(names, &format!("{names}-----+-----\n"), 1);
        }
        let trace = check(kind, &text, &Reading::default(), ALL);
        assert_eq!(trace.remarks.len(), remarks.len(), "{kind}: {:?}", trace.remarks);
        for (said, wanted) in trace.remarks.iter().zip(remarks) {
            assert!(said.starts_with(wanted), "{kind}: {said}");
        }
    }
    let message = Knobs { between: "sacct: error: x\n", ..knobs() };
    let trace = check("a message", &table(&message), &Reading::default(), ALL);
    assert_eq!(trace.dropped.get(&Dropped::Messages), Some(&1));
}

#[test]
fn tables_without_names() {
    let titles = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    let nameless = |columns| Knobs { named: false, titles: titles(columns), ..knobs() };
    let year = nameless(
        "JobID JobIDRaw Submit Eligible Start End State TimelimitRaw AllocCPUS ReqCPUS User Account Partition",
    );
    check(
        "as the manual asks",
        &table(&year),
        &Reading::default(),
        Said { asked: true, program: false, ..ALL },
    );
    let line = |job: &Job, qos: &str| {
        let dates =
            [job.submitted(), job.submitted(), job.start(), job.end()].map(|time| date(time, ISO)).join("|");
        let Job { number, cpus, user, account, queue, program, state, .. } = job;
        format!(
            "{number}|{number}|c|{queue}|{qos}{account}|staff|100|{user}|1001|{dates}|{}|0:0|{state}|1|{cpus}|{cpus}|4G|cpu={cpus}|cpu={cpus}|{}|n1|{program}\n",
            clock(job.ran),
            clock(job.limit)
        )
    };
    for (kind, qos) in [("Open XDMoD", "normal|"), ("Open XDMoD before 10", "")] {
        let text: String = JOBS.iter().map(|job| line(job, qos)).collect();
        check(kind, &text, &Reading::default(), Said { asked: true, ..ALL });
    }
    let own = nameless("State JobID User Submit End Start AllocCPUS Account TimelimitRaw Partition JobName");
    refused("own columns without names", &table(&own), &["no line of names", "--names"]);
    let names = own.titles.iter().map(|&title| title.to_owned()).collect();
    check("own columns, named", &table(&own), &Reading { names: Some(names), ..Reading::default() }, ALL);
    let odd = Knobs { separator: "@@", ..knobs() };
    check(
        "a delimiter of two letters",
        &table(&odd),
        &Reading { delimiter: Some("@@".to_owned()), ..Reading::default() },
        ALL,
    );
}

fn said_by(kind: &str, texts: &[(&str, String)], said: Said) {
    for (shape, text) in texts {
        check(&format!("{kind}, {shape}"), text, &Reading::default(), said);
    }
}

#[test]
fn sacct_json_in_every_shape() {
    let plain = |number: i64| json!(number);
    let object = |number: i64| json!({"set": true, "infinite": false, "number": number});
    let job = |job: &Job, number: &dyn Fn(i64) -> Value, listed: bool| {
        let state = if listed { json!([job.state]) } else { json!(job.state) };
        let tres = json!([
            {"type": "cpu", "name": "", "id": 1, "count": job.cpus},
            {"type": "mem", "name": "", "id": 2, "count": 8192},
            {"type": "node", "name": "", "id": 4, "count": 1},
        ]);
        json!({
            "account": job.account,
            "allocation_nodes": 1,
            "array": {"job_id": 0, "limits": {"max": {"running": {"tasks": 0}}}, "task": "", "task_id": number(0)},
            "association": {"account": job.account, "cluster": "c", "partition": null, "user": job.user},
            "derived_exit_code": {"status": "SUCCESS", "return_code": number(0)},
            "group": "staff",
            "het": {"job_id": 0, "job_offset": {"set": false, "infinite": false, "number": 0}},
            "job_id": job.number,
            "name": job.program,
            "partition": job.queue,
            "required": {"CPUs": job.cpus, "memory": 2048, "memory_per_cpu": {"set": true, "number": 2048}},
            "state": {"current": state, "reason": "None"},
            "steps": [{"step": {"id": {"job_id": job.number, "step_id": "batch"}}, "tasks": {"count": 1}}],
            "time": {
                "elapsed": job.ran, "eligible": job.submitted(), "end": job.end(), "start": job.start(),
                "submission": job.submitted(), "suspended": 0, "limit": number(job.limit / 60),
                "total": {"seconds": 0, "microseconds": 0},
            },
            "tres": {"allocated": tres, "requested": tres},
            "user": job.user,
        })
    };
    let document = |number: &dyn Fn(i64) -> Value, listed: bool, last: bool| {
        let jobs: Vec<Value> = JOBS.iter().map(|known| job(known, number, listed)).collect();
        let (meta, jobs) =
            (json!({"plugins": {}, "slurm": {}}).to_string(), serde_json::to_string_pretty(&jobs).unwrap());
        if last {
            format!("{{\n \"meta\": {meta},\n \"errors\": [],\n \"jobs\": {jobs}\n}}\n")
        } else {
            format!("{{\"jobs\": {jobs}, \"meta\": {meta}, \"errors\": []}}")
        }
    };
    let shapes = [
        ("20.11: texts and numbers", document(&plain, false, true)),
        ("23.02: lists and objects", document(&object, true, false)),
        ("21.08: numbers, jobs first", document(&plain, false, false)),
        ("mixed", document(&object, false, true)),
    ];
    said_by("sacct --json", &shapes, Said { asked: true, ..ALL });
    let lines: String = JOBS.iter().map(|known| job(known, &object, true).to_string() + "\n").collect();
    check("one a line", &lines, &Reading::default(), Said { asked: true, ..ALL });
    let mut errors = document(&plain, false, true);
    errors = errors.replace("\"errors\": []", "\"errors\": [{\"error\": \"no answer\"}]");
    assert_eq!(check("errors", &errors, &Reading::default(), Said { asked: true, ..ALL }).remarks.len(), 1);
    let half = &errors[..errors.len() - 900];
    let cut = read_as(half.as_bytes(), "log", &Reading::default(), Strictness::Lenient).unwrap();
    assert!(cut.losses().unwrap().contains("no JSON that can be read to its end"), "{:?}", cut.problems);
}

#[test]
fn arrays_heterogeneous_and_unstarted_jobs_of_sacct_json() {
    let job = |id: i64, array: Value, state: &str, start: i64, cpus: i64| {
        json!({
            "job_id": id, "array": array, "user": "ann", "state": {"current": [state]},
            "time": {"submission": ORIGIN, "eligible": ORIGIN, "start": start, "end": if start > 0 { start + 60 } else { ORIGIN + 30 },
                     "elapsed": if start > 0 { 60 } else { 0 }, "limit": {"set": false, "infinite": true, "number": 0}},
            "tres": {"allocated": if cpus > 0 { json!([{"type": "cpu", "count": cpus}]) } else { json!([]) },
                     "requested": [{"type": "cpu", "count": 2}]},
        })
    };
    let none = json!({"job_id": 0, "task_id": {"set": false}});
    let task =
        |number: i64| json!({"job_id": 396, "task_id": {"set": true, "infinite": false, "number": number}});
    let text = json!({"jobs": [
        job(396, task(4), "COMPLETED", ORIGIN + 10, 2),
        job(397, task(0), "FAILED", ORIGIN + 20, 2),
        job(398, none.clone(), "CANCELLED", 0, 0),
        job(399, none.clone(), "PENDING", 0, 0),
        job(400, none, "RUNNING", ORIGIN + 5, 2),
    ]})
    .to_string();
    let trace = read_as(text.as_bytes(), "log", &Reading::default(), Strictness::Lenient).unwrap();
    let found: Vec<[i64; 5]> = trace
        .records
        .iter()
        .map(|job| [job.number, job.wait, job.run_time, job.used_processors, job.status])
        .collect();
    assert_eq!(found, [[396, 10, 60, 2, 1], [397, 20, 60, 2, 0], [398, 30, -1, -1, 5]]);
    assert_eq!((trace.dropped[&Dropped::Waiting], trace.dropped[&Dropped::Running]), (1, 1));
    assert_eq!(trace.names.jobs.get(&396).map(String::as_str), Some("396_4"));
}
