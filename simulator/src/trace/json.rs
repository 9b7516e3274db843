//! JSON: one object a line, or a document with a list of jobs: what `sacct --json` (since 20.11), `squeue --json`,
//! `flux jobs --json` and `condor_history -json` print, and Batsim's workloads. Every job becomes named values, as
//! those of a table; a document is read job by job.

use super::collect::Collector;
use super::record::{Error, Reason};
use super::source::Text;
use super::tables::Pair;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// Whether a text is a document: a list, or an object that is not one job of a line.
pub(super) fn begins(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match start.first() {
        Some(b'[') => true,
        Some(b'{') => match serde_json::from_slice::<Map<String, Value>>(line) {
            Ok(object) => object.get("jobs").is_some_and(Value::is_array),
            // A line that is no object by itself; with one that is broken the rest is no document either.
            Err(error) => error.is_eof() || error.is_data(),
        },
        _ => false,
    }
}

const BY_COLUMNS: &str =
    "it is a table by columns, as pandas writes it: to_json(orient='records') writes its rows";

/// Whether an object has the cells of each column by their numbers.
fn is_by_columns(object: &Map<String, Value>) -> bool {
    !object.is_empty() && object.values().all(|column| column.get("0").is_some())
}

/// The values of a line's object.
pub(super) fn object(text: &str) -> Result<Vec<Pair<'static>>, String> {
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(object) if is_by_columns(&object) => Err(BY_COLUMNS.to_owned()),
        Ok(object) => Ok(pairs(&Value::Object(object))),
        Err(error) => Err(format!("no JSON object: {error}")),
    }
}

/// Shows every job of a document.
pub(super) fn document(
    text: &mut Text,
    collector: &mut Collector,
    mut each: impl FnMut(&mut Collector, u64, &[Pair]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut found = Found { jobs: 0, stopped: None, waiting: Vec::new(), more: Map::new() };
    let mut take = |collector: &mut Collector, number: u64, job: &Value| each(collector, number, &pairs(job));
    let mut reader = serde_json::Deserializer::from_reader(text);
    let document = Document { found: &mut found, collector, take: &mut take };
    let read = document.deserialize(&mut reader).and_then(|()| reader.end());
    if let Some(error) = found.stopped {
        return Err(error);
    }
    if let Err(error) = read {
        let why = format!("no JSON that can be read to its end, after {} jobs: {error}", found.jobs);
        collector.problem(error.line() as u64, Reason::Row(why))?;
    }
    let errors = found.more.get("errors").and_then(Value::as_array).map_or(0, Vec::len);
    if errors > 0 {
        collector.remark(format!("its list of errors has {errors}, so that jobs may be missing"));
    }
    let machine = found.more.get("nb_res").and_then(number).and_then(|number| number.parse().ok());
    collector.machine(machine);
    for (number, job) in found.waiting {
        let profile = job.get("profile").and_then(Value::as_str).unwrap_or("");
        let profile = found.more.get("profiles").and_then(|profiles| profiles.get(profile));
        let delay = profile.and_then(|profile| profile.get("delay")).cloned();
        let mut job = job;
        if let (Some(delay), Some(object)) = (delay, job.as_object_mut()) {
            object.insert("run_time".to_owned(), delay);
        }
        take(collector, number, &job)?;
    }
    Ok(())
}

/// A document's content beside jobs that were shown.
struct Found {
    jobs: u64,
    stopped: Option<Error>,
    /// Jobs whose run times stand in the document's profiles.
    waiting: Vec<(u64, Value)>,
    more: Map<String, Value>,
}

struct Document<'a, T> {
    found: &'a mut Found,
    collector: &'a mut Collector,
    take: &'a mut T,
}

impl<'de, T> DeserializeSeed<'de> for Document<'_, T>
where
    T: FnMut(&mut Collector, u64, &Value) -> Result<(), Error>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T> Visitor<'de> for Document<'_, T>
where
    T: FnMut(&mut Collector, u64, &Value) -> Result<(), Error>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of jobs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(job) = list.next_element::<Value>()? {
            self.found.jobs += 1;
            let number = self.found.jobs;
            if job.get("profile").is_some() && job.get("subtime").is_some() {
                self.found.waiting.push((number, job));
            } else if let Err(error) = (self.take)(self.collector, number, &job) {
                self.found.stopped = Some(error);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut listed = false;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "jobs" => {
                    listed = true;
                    let inner = Document {
                        found: &mut *self.found,
                        collector: &mut *self.collector,
                        take: &mut *self.take,
                    };
                    map.next_value_seed(inner)?;
                }
                "meta" | "steps" => drop(map.next_value::<IgnoredAny>()?),
                _ => drop(self.found.more.insert(key, map.next_value()?)),
            }
        }
        // One job alone.
        if !listed {
            if is_by_columns(&self.found.more) {
                return Err(A::Error::custom(BY_COLUMNS));
            }
            let job = Value::Object(std::mem::take(&mut self.found.more));
            self.found.jobs += 1;
            if let Err(error) = (self.take)(self.collector, 1, &job) {
                self.found.stopped = Some(error);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// A job's named values, whichever program wrote it.
fn pairs(job: &Value) -> Vec<Pair<'static>> {
    if job.get("time").is_some_and(Value::is_object) {
        return slurm(job);
    }
    let flux = job.get("t_submit").is_some();
    let pair = |(key, value): (&String, &Value)| {
        let key = match key.as_str() {
            // Flux's duration is what was asked for, its state that of a job's passage, not of its end.
            "state" if flux => "passage",
            "duration" if flux => "requested_time",
            "runtime" if flux => "run_time",
            "username" if flux => "user",
            key => key,
        };
        (Cow::Owned(key.to_owned()), Cow::Owned(number(value).unwrap_or_default()))
    };
    let mut pairs: Vec<Pair> = job.as_object().into_iter().flatten().map(pair).collect();
    if flux {
        // No limit is a duration of 0.
        pairs.retain(|(key, value)| !(key == "requested_time" && value.parse() == Ok(0.0)));
    }
    pairs
}

/// A value as text: numbers may be objects that say whether they are set, and texts lists of one.
fn number(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(known) => Some(known.to_string()),
        Value::Array(list) => list.first().filter(|first| first.is_string()).and_then(number),
        Value::Object(object) if object.get("infinite") == Some(&Value::Bool(true)) => {
            Some("UNLIMITED".to_owned())
        }
        Value::Object(object) if object.get("set") != Some(&Value::Bool(false)) => {
            number(object.get("number")?)
        }
        _ => None,
    }
}

/// A job of `sacct --json`.
fn slurm(job: &Value) -> Vec<Pair<'static>> {
    let at = |path: &str| job.pointer(path).and_then(number).unwrap_or_default();
    let tres = |path: &str, kind: &str, name: &str| {
        let list = job.pointer(path).and_then(Value::as_array);
        let of = |entry: &&Value| {
            let is = |key: &str, text: &str| entry.get(key).and_then(Value::as_str).unwrap_or("") == text;
            is("type", kind) && (name.is_empty() || is("name", name))
        };
        list.and_then(|list| list.iter().find(of)?.get("count").and_then(number))
    };
    let list = |path: &str| {
        let part = |kind: &str, name: &str, title: &str| {
            tres(path, kind, name).map(|count| format!("{title}={count}"))
        };
        let parts = [part("cpu", "", "cpu"), part("node", "", "node"), part("gres", "gpu", "gres/gpu")];
        // sacct counts memory in MB.
        let memory = part("mem", "", "mem").map(|memory| memory + "M");
        parts.into_iter().chain([memory]).flatten().collect::<Vec<_>>().join(",")
    };
    let (whole, task) = (at("/array/job_id"), at("/array/task_id"));
    let of_array = !whole.is_empty() && whole != "0" && !task.is_empty();
    let mut id = if of_array { format!("{whole}_{task}") } else { at("/job_id") };
    let part = (at("/het/job_id"), at("/het/job_offset"));
    if part.0 != "0" && !part.0.is_empty() {
        id = format!("{}+{}", part.0, if part.1.is_empty() { "0" } else { &part.1 });
    }
    let per = |path: &str, each: &str| {
        let size = at(path);
        if size.is_empty() || size == "0" { String::new() } else { format!("{size}M{each}") }
    };
    let memory = [per("/required/memory_per_cpu", "c"), per("/required/memory_per_node", "n")]
        .into_iter()
        .find(|m| !m.is_empty());
    let user = [at("/user"), at("/association/user")].into_iter().find(|user| !user.is_empty());
    let cpu = at("/time/total/seconds");
    let values = [
        ("JobID", id),
        ("JobIDRaw", at("/job_id")),
        ("Submit", at("/time/submission")),
        ("Eligible", at("/time/eligible")),
        ("Start", at("/time/start")),
        ("End", at("/time/end")),
        ("ElapsedRaw", at("/time/elapsed")),
        ("TimelimitRaw", at("/time/limit")),
        ("State", at("/state/current")),
        ("AllocTRES", list("/tres/allocated")),
        ("ReqTRES", list("/tres/requested")),
        ("ReqCPUS", at("/required/CPUs")),
        ("NNodes", at("/allocation_nodes")),
        ("ReqMem", memory.unwrap_or_default()),
        ("TotalCPU", if cpu == "0" { String::new() } else { cpu }),
        ("User", user.unwrap_or_default()),
        ("Account", at("/account")),
        ("Group", at("/group")),
        ("Partition", at("/partition")),
        ("QOS", at("/qos")),
        ("JobName", at("/name")),
    ];
    values.into_iter().map(|(title, value)| (Cow::Borrowed(title), Cow::Owned(value))).collect()
}
