//! Accounting logs of PBS Professional, OpenPBS and Torque: `date time;type;job;key=value key=value ...`.
//!
//! Jobs are the records of type `E` (ended); one of type `D` (deleted) after one of type `Q` (queued) is a job that was
//! deleted before it started. Times are the `qtime`, `etime`, `start` and `end` of the record, in seconds since 1970;
//! the dates of records are what a clock on the wall shows, whose zone follows from the records of type `E`.

use super::collect::{Collector, RawJob};
use super::lines::lines;
use super::record::{Dropped, Error, Reason};
use super::source::Text;
use super::values::{self, Bare, Each};
use std::collections::HashMap;

/// Whether a log begins with this line.
pub(super) fn begins(line: &[u8]) -> bool {
    let shape = b"00/00/0000 00:00:00;";
    let fits = |(byte, like): (&u8, &u8)| if *like == b'0' { byte.is_ascii_digit() } else { byte == like };
    line.len() > shape.len() && line.iter().zip(shape).all(fits)
}

/// Reads a log.
pub(super) fn read(text: &mut Text, name: &str, collector: &mut Collector) -> Result<(), Error> {
    // Jobs that were queued and have not ended: when, and in which queue.
    let mut queued: HashMap<String, (i64, String)> = HashMap::new();
    // Deleted ones, and how far the clock on the wall was ahead of the seconds since 1970.
    let mut deleted: Vec<(u64, RawJob, Option<i64>)> = Vec::new();
    let (mut zone, mut first_zone) = (None, None);
    lines(text, name, collector, |collector, line, text| {
        let mut fields = text.splitn(4, ';').map(str::trim);
        let (Some(date), Some(kind), Some(id)) = (fields.next(), fields.next(), fields.next()) else {
            return collector
                .problem(line, Reason::Row("no record: date;type;job;values are expected".to_owned()));
        };
        let time = match values::time(date) {
            Ok(Some(time)) => time,
            Ok(None) => return collector.problem(line, Reason::Row("a record without a date".to_owned())),
            Err(reason) => return collector.problem(line, Reason::Row(reason)),
        };
        let values = pairs(fields.next().unwrap_or(""));
        let value = |key: &str| values.get(key).copied().unwrap_or("");
        match kind {
            "Q" => {
                queued.insert(id.to_owned(), (time, value("queue").to_owned()));
                collector.drop(Dropped::OtherRecords);
                Ok(())
            }
            "E" if is_array(id) => {
                collector.drop(Dropped::Arrays);
                Ok(())
            }
            "E" => match ended(id, &values) {
                Ok(job) => {
                    queued.remove(id);
                    // A record is written when its job ends; time zones differ by quarters of an hour.
                    if let Some(end) = job.end {
                        zone = Some((time - end + 450).div_euclid(900) * 900);
                        first_zone = first_zone.or(zone);
                    }
                    collector.job(line, job)
                }
                Err(reason) => collector.problem(line, Reason::Row(reason)),
            },
            "D" => match queued.remove(id) {
                Some((submit, queue)) => {
                    let job = RawJob {
                        id: id.to_owned(),
                        number: number(id),
                        submit,
                        end: Some(time.max(submit)),
                        status: Some(5),
                        never_started: true,
                        queue,
                        ..RawJob::default()
                    };
                    deleted.push((line, job, zone));
                    Ok(())
                }
                None => {
                    collector.drop(Dropped::OtherRecords);
                    Ok(())
                }
            },
            "S" => {
                // A job that has started is deleted with an end of its own.
                queued.remove(id);
                collector.drop(Dropped::OtherRecords);
                Ok(())
            }
            _ => {
                collector.drop(Dropped::OtherRecords);
                Ok(())
            }
        }
    })?;
    for (line, mut job, zone) in deleted {
        let ahead = zone.or(first_zone).unwrap_or(0);
        job.submit -= ahead;
        job.end = job.end.map(|end| end - ahead);
        collector.job(line, job)?;
    }
    Ok(())
}

/// `123[].server`: the array, not a task of it.
fn is_array(id: &str) -> bool {
    id.contains("[]")
}

/// The number of `123.server`; tasks of arrays have none of their own.
fn number(id: &str) -> Option<i64> {
    id.split('.').next()?.parse().ok()
}

/// `key=value` between blanks; a value may be quoted, or hold blanks, which then belong to it.
fn pairs(text: &str) -> HashMap<&str, &str> {
    let mut found = HashMap::new();
    let mut rest = text.trim();
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.rsplit(' ').next().unwrap_or(key);
        let quoted = after.strip_prefix('"').and_then(|inside| inside.split_once('"'));
        let (value, next) = match quoted {
            Some(parts) => parts,
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        found.entry(key).or_insert(value);
        rest = next.trim_start();
    }
    found
}

fn ended(id: &str, values: &HashMap<&str, &str>) -> Result<RawJob, String> {
    let value = |key: &str| values.get(key).copied().unwrap_or("");
    let time = |key: &str| values::time(value(key));
    let created = match time("qtime")? {
        Some(time) => Some(time),
        None => time("ctime")?,
    };
    let submit = created.ok_or("no submission time (qtime)")?;
    let nodes = values::count(value("Resource_List.nodect")).unwrap_or(None);
    let torque = nodes_of(value("Resource_List.nodes"));
    let requested = values::count(value("Resource_List.ncpus"))?.or(torque).or(nodes);
    let used =
        [values::count(value("resources_used.ncpus"))?, values::count(value("total_execution_slots"))?];
    let used = used.into_iter().flatten().find(|&count| count > 0).or(requested);
    let processors = used.filter(|&count| count > 0).unwrap_or(1) as f64;
    let memory = |key: &str| {
        let (size, each) = values::memory(value(key), 1.0 / 1024.0)?;
        Some(if each == Each::Processor { size } else { size / processors })
    };
    let cpu = values::fractional(value("resources_used.cput"))?;
    let exit = value("Exit_status");
    let project = [value("account"), value("project"), value("group")];
    let project = project.into_iter().map(|name| name.trim_matches('"'));
    let project = project.into_iter().find(|name| !name.is_empty() && *name != "_pbs_project_default");
    let (start, end) = (time("start")?.filter(|&start| start > 0), time("end")?.filter(|&end| end > 0));
    Ok(RawJob {
        id: id.to_owned(),
        number: number(id),
        submit,
        eligible: time("etime")?,
        start,
        end,
        limit: values::limit(value("Resource_List.walltime"), Bare::Seconds)?,
        used,
        requested,
        nodes,
        cpu_time: cpu.map(|seconds| seconds / processors),
        used_memory: memory("resources_used.mem"),
        requested_memory: memory("Resource_List.mem"),
        status: match exit {
            "" => None,
            "0" => Some(1),
            // Torque: killed by a signal of qdel; PBS: 271 is 256 and SIGTERM.
            "271" | "265" => Some(5),
            _ => Some(0),
        },
        never_started: start.is_none(),
        user: value("user").to_owned(),
        group: project.unwrap_or("").to_owned(),
        program: value("jobname").to_owned(),
        queue: value("queue").to_owned(),
        ..RawJob::default()
    })
}

/// The processors of Torque's `2:ppn=8+1:ppn=4:gpus=1` or `node1:ppn=2`.
fn nodes_of(text: &str) -> Option<i64> {
    if text.is_empty() {
        return None;
    }
    let part = |part: &str| {
        let mut words = part.split(':');
        let nodes = words.next().map_or(1, |word| word.parse::<i64>().unwrap_or(1));
        let each =
            words.find_map(|word| word.strip_prefix("ppn=")).map_or(Some(1), |number| number.parse().ok());
        nodes.checked_mul(each?).filter(|&count| (0..=i64::from(u32::MAX)).contains(&count))
    };
    text.split('+').map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_nodes() {
        let text = "user=ann jobname=\"a b=c\" queue=workq Resource_List.nodes=2:ppn=8+1:ppn=4 empty= end=5";
        let found = pairs(text);
        assert_eq!(found["jobname"], "a b=c");
        assert_eq!((found["queue"], found["empty"], found["end"]), ("workq", "", "5"));
        assert_eq!(nodes_of("2:ppn=8+1:ppn=4"), Some(20));
        assert_eq!(nodes_of("node7:ppn=2"), Some(2));
        assert_eq!(nodes_of("3"), Some(3));
        assert_eq!(nodes_of("1:ppn=x"), None);
        assert!(begins(b"05/01/2024 10:00:00;E;1.s;") && !begins(b"05/01/2024 10:00:00"));
        assert_eq!((number("123.pbs"), number("123[4].pbs")), (Some(123), None));
    }
}
