//! Accounting of Grid Engine (SGE, Univa, Altair): one record a line, fields between colons. Univa's versions count
//! milliseconds and have more fields, behind or between those of SGE.

use super::collect::Collector;
use super::lines::lines;
use super::record::{Dropped, Error, Reason};
use super::source::Text;
use super::tables::Pair;
use std::borrow::Cow;

/// The fields that are read, by their places from 0, and the columns that they are.
const FIELDS: [(usize, &str); 10] = [
    (0, "qname"),
    (2, "group"),
    (3, "owner"),
    (4, "job_name"),
    (5, "job_number"),
    (8, "submission_time"),
    (9, "start_time"),
    (10, "end_time"),
    (34, "slots"),
    (35, "task_number"),
];
const FAILED: usize = 11;
const EXIT: usize = 12;
const PROJECT: usize = 31;
const CPU: usize = 36;
const CATEGORY: usize = 39;
const PE_TASK: usize = 41;
const LEAST: usize = 43;

/// Whether a file begins with this line.
pub(super) fn begins(line: &[u8]) -> bool {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
    let number = |place: usize| {
        fields.get(place).is_some_and(|field| !field.is_empty() && field.iter().all(u8::is_ascii_digit))
    };
    fields.len() >= LEAST && [5, 8, 9, 10].into_iter().all(number)
}

/// Shows every job.
pub(super) fn read(
    text: &mut Text,
    name: &str,
    collector: &mut Collector,
    mut each: impl FnMut(&mut Collector, u64, &[Pair]) -> Result<(), Error>,
) -> Result<(), Error> {
    lines(text, name, collector, |collector, line, text| {
        if text.starts_with('#') {
            return Ok(());
        }
        let fields: Vec<&str> = text.split(':').collect();
        let field = |place: usize| fields.get(place).copied().unwrap_or("");
        if fields.len() < LEAST {
            let why = format!("{} fields where accounting of Grid Engine has {LEAST} or more", fields.len());
            return collector.problem(line, Reason::Row(why));
        }
        // Hours and minutes of a limit in what was asked for look like fields of their own.
        let clock =
            |place: &usize| field(*place).len() == 2 && field(*place).bytes().all(|b| b.is_ascii_digit());
        let more = if [CATEGORY + 1, CATEGORY + 2].iter().all(clock) { 2 } else { 0 };
        let asked = fields.get(CATEGORY..=CATEGORY + more).unwrap_or_default().join(":");
        // A task of a parallel job on one of its nodes.
        if !["NONE", ""].contains(&field(PE_TASK + more)) {
            collector.drop(Dropped::Steps);
            return Ok(());
        }
        let failed = (field(FAILED), field(EXIT)) != ("0", "0");
        let limit = ["h_rt=", "s_rt="].iter().find_map(|key| asked.split(key).nth(1)).unwrap_or("");
        let limit = limit.split([',', ' ']).next().unwrap_or("");
        let more = [
            ("State", if failed { "FAILED" } else { "COMPLETED" }),
            ("TotalCPU", field(CPU)),
            ("project", if field(PROJECT) == "NONE" { "" } else { field(PROJECT) }),
            ("requested_time", limit),
        ];
        let read = FIELDS.map(|(place, title)| (title, field(place)));
        let pair =
            |(title, value): (&'static str, &str)| (Cow::Borrowed(title), Cow::Owned(value.to_owned()));
        let pairs: Vec<Pair> = read.into_iter().chain(more).map(pair).collect();
        each(collector, line, &pairs)
    })
}
