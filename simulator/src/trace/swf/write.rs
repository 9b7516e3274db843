//! Writing jobs in the Standard Workload Format.

use super::{Header, Record};
use crate::trace::record::{Tasks, unit};
use std::io::{self, Write};
use surefill::nodes::Amounts;

/// One job as it is written; what a schedule does not know is left unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwfJob {
    /// Field 1.
    pub number: i64,
    /// Field 2.
    pub submit: i64,
    /// Field 3.
    pub wait: i64,
    /// Field 4.
    pub run_time: i64,
    /// Fields 5 and 8.
    pub processors: u32,
    /// Field 9.
    pub requested_time: i64,
    /// Field 11.
    pub status: i64,
    /// Field 12.
    pub user: i64,
    /// Field 13.
    pub group: i64,
    /// Field 14.
    pub executable: i64,
    /// Field 15.
    pub queue: i64,
    /// Field 16.
    pub partition: i64,
}

impl From<&SwfJob> for Record {
    /// The record that reading the job's line gives.
    fn from(job: &SwfJob) -> Record {
        let processors = i64::from(job.processors);
        Record {
            number: job.number,
            submit: job.submit,
            wait: job.wait,
            run_time: job.run_time,
            used_processors: processors,
            cpu_time: -1.0,
            used_memory: -1.0,
            requested_processors: processors,
            requested_time: job.requested_time,
            requested_memory: -1.0,
            status: job.status,
            user: job.user,
            group: job.group,
            executable: job.executable,
            queue: job.queue,
            partition: job.partition,
            preceding: -1,
            think_time: -1,
            tasks: None,
        }
    }
}

/// Writes `; key: value`; line breaks in the value become spaces, so that a header stays a header.
///
/// # Errors
/// Those of the writer.
pub fn write_header(out: &mut impl Write, key: &str, value: &str) -> io::Result<()> {
    writeln!(out, "; {key}: {}", value.replace(['\n', '\r'], " "))
}

/// Writes one job line.
///
/// # Errors
/// Those of the writer.
pub fn write_job(out: &mut impl Write, job: &SwfJob) -> io::Result<()> {
    let SwfJob { number, submit, wait, run_time, processors, requested_time, .. } = job;
    let SwfJob { status, user, group, executable, queue, partition, .. } = job;
    writeln!(
        out,
        "{number} {submit} {wait} {run_time} {processors} -1 -1 {processors} {requested_time} -1 {status} \
         {user} {group} {executable} {queue} {partition} -1 -1"
    )
}

/// Writes a job line with all its fields; behind them its tasks, where the header names resources.
///
/// # Errors
/// Those of the writer.
pub fn write_record(out: &mut impl Write, record: &Record, header: &Header) -> io::Result<()> {
    let Record { number, submit, wait, run_time, used_processors, cpu_time, used_memory, .. } = record;
    let Record { requested_processors, requested_time, requested_memory, status, user, group, .. } = record;
    let Record { executable, queue, partition, preceding, think_time, .. } = record;
    write!(
        out,
        "{number} {submit} {wait} {run_time} {used_processors} {cpu_time} {used_memory} {requested_processors} \
         {requested_time} {requested_memory} {status} {user} {group} {executable} {queue} {partition} {preceding} {think_time}"
    )?;
    let Header { resources, features, .. } = header;
    if !resources.is_empty() {
        let tasks = record.tasks.unwrap_or(Tasks { count: 1, each: Amounts::default(), feature: None });
        write_tasks(out, &tasks, resources)?;
        if !features.is_empty() {
            write!(out, " {}", tasks.feature.map_or(-1, |index| i64::from(index) + 1))?;
        }
    }
    writeln!(out)
}

/// Writes the tasks that stand behind the 18 fields.
///
/// # Errors
/// Those of the writer.
pub fn write_tasks(out: &mut impl Write, tasks: &Tasks, resources: &[String]) -> io::Result<()> {
    write!(out, " {}", tasks.count)?;
    for (amount, name) in tasks.each.iter().zip(resources) {
        write!(out, " {}", f64::from(*amount) / unit(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::swf::{Strictness, read};

    #[test]
    fn what_is_written_can_be_read() {
        let job = SwfJob {
            number: 7,
            submit: 100,
            wait: 5,
            run_time: 60,
            processors: 8,
            requested_time: 90,
            status: 1,
            user: 3,
            group: 2,
            executable: 11,
            queue: 4,
            partition: -1,
        };
        let mut bytes = Vec::new();
        write_header(&mut bytes, "MaxProcs", "128").unwrap();
        write_header(&mut bytes, "Note", "two\nlines").unwrap();
        write_job(&mut bytes, &job).unwrap();
        let trace = read(&bytes[..], "w.swf", Strictness::Strict).unwrap();
        assert_eq!(trace.header.max_procs, Some(128));
        assert_eq!(trace.header.lines.len(), 2);
        let read = trace.records[0];
        assert_eq!(read, Record::from(&job));
        assert_eq!((read.number, read.submit, read.wait, read.run_time), (7, 100, 5, 60));
        assert_eq!((read.used_processors, read.requested_processors, read.requested_time), (8, 8, 90));
        assert_eq!((read.status, read.user, read.group, read.executable), (1, 3, 2, 11));
        assert_eq!((read.queue, read.partition), (4, -1));
    }
}
