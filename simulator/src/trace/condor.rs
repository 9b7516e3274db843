//! HTCondor's history: ClassAds, one `Attribute = value` a line, jobs apart by an empty line or a line of `***`.

use super::collect::Collector;
use super::record::{Error, Reason};
use super::source::Text;
use super::tables::Pair;
use std::borrow::Cow;
use std::io::{BufRead, Read};

/// Whether a text begins as one: an attribute, or the line that ends a job in the file of the history itself.
pub(super) fn begins(line: &[u8]) -> bool {
    line.starts_with(b"*** Offset = ") || str::from_utf8(line).is_ok_and(|line| attribute(line).is_some())
}

fn attribute(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(" = ")?;
    let named = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (named && key.starts_with(|c: char| c.is_ascii_alphabetic())).then_some((key, value))
}

/// Shows every job, with the number of its first line.
pub(super) fn read(
    text: &mut Text,
    name: &str,
    collector: &mut Collector,
    mut each: impl FnMut(&mut Collector, u64, &[Pair]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut job, mut first): (Vec<Pair>, u64) = (Vec::new(), 0);
    for (number, line) in (1..).zip(text.by_ref().split(b'\n')) {
        let unreadable = |source| Error::Read { name: name.to_owned(), line: number - 1, source };
        let line = line.map_err(unreadable)?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() || line.starts_with("***") {
            if !job.is_empty() {
                each(collector, first, &finished(std::mem::take(&mut job)))?;
            }
            continue;
        }
        match attribute(line) {
            Some((key, value)) => {
                if job.is_empty() {
                    first = number;
                }
                let value = value.trim().trim_matches('"');
                // An expression is no value.
                let plain = !value.contains(['(', '?']) && !value.eq_ignore_ascii_case("undefined");
                job.push((Cow::Owned(key.to_owned()), Cow::Owned(if plain { value } else { "" }.to_owned())));
            }
            None => collector.problem(number, Reason::Row("no attribute of a ClassAd".to_owned()))?,
        }
    }
    if job.is_empty() { Ok(()) } else { each(collector, first, &finished(job)) }
}

/// The values that count: a time of 0 is none, and a job that completed with an exit code has failed.
fn finished(mut job: Vec<Pair<'static>>) -> Vec<Pair<'static>> {
    let value = |key: &str| {
        job.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map_or("", |(_, value)| value).to_owned()
    };
    let failed = value("JobStatus") == "4" && !["", "0"].contains(&value("ExitCode").as_str());
    let started = value("JobStartDate");
    let cpu = [value("RemoteUserCpu"), value("RemoteSysCpu")].map(|text| text.parse::<f64>().ok());
    const TIMES: [&str; 3] = ["CompletionDate", "JobStartDate", "JobCurrentStartDate"];
    job.retain(|(key, value)| !(TIMES.iter().any(|time| key.eq_ignore_ascii_case(time)) && value == "0"));
    // A job may have been put back and started again; it waited until it first started.
    if !started.is_empty() && started != "0" {
        job.retain(|(key, _)| !key.eq_ignore_ascii_case("JobCurrentStartDate"));
    }
    if failed {
        job.push((Cow::Borrowed("State"), Cow::Borrowed("FAILED")));
    }
    if let [Some(user), Some(system)] = cpu {
        job.push((Cow::Borrowed("TotalCPU"), Cow::Owned((user + system).to_string())));
    }
    job
}
