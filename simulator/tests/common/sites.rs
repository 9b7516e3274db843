//! Four jobs that are written in every kind of file that sites have, and the comparison of what is read of them with
//! what is known, field by field.

use surefill_simulator::trace::format::read_as;
use surefill_simulator::trace::swf::{Record, Strictness, Trace};
use surefill_simulator::trace::tables::Reading;

/// 2024-05-14T10:00:00 UTC, a Tuesday: its dates have days above 12 and months below.
pub const ORIGIN: i64 = 1_715_680_800;

/// A job as it was.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    pub number: i64,
    pub submit: i64,
    pub wait: i64,
    pub ran: i64,
    pub limit: i64,
    pub cpus: i64,
    pub user: &'static str,
    pub account: &'static str,
    pub queue: &'static str,
    pub program: &'static str,
    pub state: &'static str,
}

pub const JOBS: [Job; 4] = [
    Job {
        number: 71,
        submit: 0,
        wait: 300,
        ran: 1800,
        limit: 3600,
        cpus: 4,
        user: "ann",
        account: "phys",
        queue: "batch",
        program: "sim",
        state: "COMPLETED",
    },
    Job {
        number: 72,
        submit: 60,
        wait: 0,
        ran: 600,
        limit: 600,
        cpus: 8,
        user: "bob",
        account: "chem",
        queue: "short",
        program: "mesh",
        state: "TIMEOUT",
    },
    Job {
        number: 74,
        submit: 120,
        wait: 3600,
        ran: 90_000,
        limit: 172_800,
        cpus: 2,
        user: "ann",
        account: "phys",
        queue: "batch",
        program: "sim",
        state: "FAILED",
    },
    Job {
        number: 75,
        submit: 120,
        wait: 45,
        ran: 7,
        limit: 7200,
        cpus: 16,
        user: "eve",
        account: "chem",
        queue: "short",
        program: "post",
        state: "COMPLETED",
    },
];

impl Job {
    pub fn submitted(&self) -> i64 {
        ORIGIN + self.submit
    }

    pub fn start(&self) -> i64 {
        self.submitted() + self.wait
    }

    pub fn end(&self) -> i64 {
        self.start() + self.ran
    }

    pub fn completed(&self) -> bool {
        self.state == "COMPLETED"
    }
}

/// The facts of a job that a kind of file has.
#[derive(Debug, Clone, Copy)]
pub struct Said {
    pub wait: bool,
    pub held: bool,
    pub asked: bool,
    pub limit: bool,
    pub status: bool,
    pub user: bool,
    pub account: bool,
    pub queue: bool,
    pub program: bool,
}

/// All but what was asked for.
pub const ALL: Said = Said {
    wait: true,
    held: true,
    asked: false,
    limit: true,
    status: true,
    user: true,
    account: true,
    queue: true,
    program: true,
};
pub const NAMELESS: Said = Said { user: false, account: false, queue: false, program: false, ..ALL };

/// The facts of a record, names by name.
pub fn facts(record: &Record, trace: &Trace) -> (Vec<i64>, Vec<String>) {
    let Record {
        number,
        submit,
        wait,
        run_time,
        used_processors,
        requested_processors,
        requested_time,
        status,
        ..
    } = *record;
    let name = |names: &std::collections::BTreeMap<i64, String>, number: i64| {
        names.get(&number).cloned().unwrap_or_default()
    };
    let names = &trace.names;
    (
        vec![number, submit, wait, run_time, used_processors, requested_processors, requested_time, status],
        vec![
            name(&names.users, record.user),
            name(&names.groups, record.group),
            name(&names.queues, record.queue),
            name(&names.programs, record.executable),
        ],
    )
}

pub fn known(job: &Job, said: Said) -> (Vec<i64>, Vec<String>) {
    let number = |known: bool, value: i64| if known { value } else { -1 };
    let text = |known: bool, value: &str| if known { value.to_owned() } else { String::new() };
    (
        vec![
            job.number,
            job.submit,
            number(said.wait, job.wait),
            job.ran,
            number(said.held, job.cpus),
            number(said.asked, job.cpus),
            number(said.limit, job.limit),
            number(said.status, i64::from(job.completed())),
        ],
        vec![
            text(said.user, job.user),
            text(said.account, job.account),
            text(said.queue, job.queue),
            text(said.program, job.program),
        ],
    )
}

pub fn check(kind: &str, text: &str, reading: &Reading, said: Said) -> Trace {
    let trace = read_as(text.as_bytes(), "log", reading, Strictness::Lenient)
        .unwrap_or_else(|error| panic!("{kind}: {error}\n{text}"));
    assert_eq!(trace.problems, [], "{kind}\n{text}");
    let found: Vec<_> = trace.records.iter().map(|record| facts(record, &trace)).collect();
    let wanted: Vec<_> = JOBS.iter().map(|job| known(job, said)).collect();
    assert_eq!(found, wanted, "{kind}\n{text}");
    assert_eq!(trace.losses(), None, "{kind}");
    trace
}

pub fn refused(kind: &str, text: &str, parts: &[&str]) {
    let read = read_as(text.as_bytes(), "log", &Reading::default(), Strictness::Lenient);
    let said = match read {
        Err(error) => error.to_string(),
        Ok(trace) => trace.losses().unwrap_or_else(|| panic!("{kind} is read: {:?}", trace.records)),
    };
    for part in parts {
        assert!(said.contains(part), "{kind}: {said}");
    }
}

/// A date as a format of C's strftime.
pub fn date(seconds: i64, format: &str) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
    time.strftime(format).to_string()
}

pub fn clock(seconds: i64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let days = if days > 0 { format!("{days}-") } else { String::new() };
    format!("{days}{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}
