//! The task list of Alibaba's GPU cluster trace of 2023 (`openb_pod_list_*.csv`): `cpu_milli`, `memory_mib`, `num_gpu`,
//! `gpu_milli` and times of every task.
//!
//! A task is a job of one task that takes cores, memory and GPUs of one node; a share of one GPU is a fraction. It is
//! submitted when it was created and runs from when it was scheduled until it was deleted; those never scheduled have
//! an unknown run time, as the archive keeps it. The class of service becomes the queue, and the GPU models that a task
//! allows (`gpu_spec`, one of `V100M16|V100M32`) what its node must have. The list has neither users nor requested
//! times.

use super::collect::Collector;
use super::lines::lines;
use super::record::{Error, Header, MAX_FEATURES, MAX_VALUE, Reason, Record, Tasks, Trace, unit};
use super::source::Text;
use super::text::printable;
use surefill::nodes::Amounts;

const COLUMNS: [&str; 11] = [
    "name",
    "cpu_milli",
    "memory_mib",
    "num_gpu",
    "gpu_milli",
    "gpu_spec",
    "qos",
    "pod_phase",
    "creation_time",
    "deletion_time",
    "scheduled_time",
];

/// The resources of a task.
const RESOURCES: [&str; 3] = ["cores", "mem", "gpu"];

/// Whether a text begins as such a list.
pub(super) fn begins(first: &[u8]) -> bool {
    first.trim_ascii() == COLUMNS.join(",").as_bytes()
}

/// Reads a list; wrong lines are the collector's problems.
pub(super) fn read(text: &mut Text, name: &str, mut collector: Collector) -> Result<Trace, Error> {
    let mut records: Vec<Record> = Vec::new();
    let (mut queues, mut features) = (Vec::new(), Vec::new());
    lines(text, name, &mut collector, |collector, line, text| {
        if line == 1 {
            return Ok(());
        }
        match task(text, &mut queues, &mut features) {
            Ok(record) => {
                records.push(Record { number: records.len() as i64 + 1, ..record });
                Ok(())
            }
            Err(why) => collector.problem(line, Reason::Row(why)),
        }
    })?;
    let origin = records.iter().map(|record| record.submit).min().unwrap_or(0);
    for record in &mut records {
        record.submit -= origin;
    }
    records.sort_by_key(|record| record.submit);
    let mut trace = collector.finish();
    let listed = (1..).zip(&queues).map(|(number, name)| format!("; Queue: {number} {}", printable(name)));
    trace.header = Header {
        lines: listed.collect(),
        resources: RESOURCES.map(str::to_owned).to_vec(),
        features,
        // Cores of the tasks; the machine's nodes are in a list of their own.
        max_procs: u32::try_from(records.iter().map(|record| record.used_processors).sum::<i64>()).ok(),
        ..Header::default()
    };
    trace.records = records;
    Ok(trace)
}

/// Where a name stands in a list to which it is added.
fn place(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// The models that a task allows as a name of a feature: each once, as the list names some twice.
fn models(spec: &str) -> Result<String, String> {
    let mut models: Vec<&str> = spec.split('|').collect();
    models.sort_unstable();
    models.dedup();
    let named = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if models.iter().all(|model| !model.is_empty() && model.chars().all(named)) {
        return Ok(models.join("|"));
    }
    Err(format!("gpu_spec is no list of models: '{}'", printable(spec)))
}

/// A line of the list.
fn task(text: &str, queues: &mut Vec<String>, features: &mut Vec<String>) -> Result<Record, String> {
    let cells: Vec<&str> = text.split(',').collect();
    let Ok(cells) = <[&str; COLUMNS.len()]>::try_from(cells) else {
        return Err(format!("not {} fields", COLUMNS.len()));
    };
    let [_, cpu, memory, gpus, share, spec, class, _, created, deleted, scheduled] = cells;
    let number = |column: usize, text: &str| -> Result<Option<i64>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        // Some versions write times as floating-point numbers.
        let value = text.parse::<f64>().ok().filter(|value| (0.0..=MAX_VALUE as f64).contains(value));
        let wrong = || format!("{} is not a number of 0 or above: '{}'", COLUMNS[column], printable(text));
        value.map(|value| Some(value.round() as i64)).ok_or_else(wrong)
    };
    let needed =
        |column: usize, text: &str| number(column, text)?.ok_or_else(|| format!("no {}", COLUMNS[column]));
    let submit = needed(8, created)?;
    let gpus = needed(3, gpus)? * if gpus == "1" { number(4, share)?.unwrap_or(1000) } else { 1000 };
    let amounts = [needed(1, cpu)?, needed(2, memory)? * unit("mem") as i64, gpus];
    let mut each = Amounts::default();
    for (to, amount) in each.iter_mut().zip(amounts) {
        *to = u32::try_from(amount).map_err(|_| "an amount out of range")?;
    }
    let started = number(10, scheduled)?;
    let run_time = match (started, number(9, deleted)?) {
        (Some(start), Some(end)) if end < start => return Err("deleted before it was scheduled".to_owned()),
        (Some(start), Some(end)) => end - start,
        _ => -1,
    };
    let feature = match spec {
        "" => None,
        spec => Some(place(features, &models(spec)?) as u32),
    };
    if features.len() > MAX_FEATURES {
        features.truncate(MAX_FEATURES);
        return Err(format!("more than {MAX_FEATURES} different lists of models"));
    }
    let queue = place(queues, class);
    let processors = ((amounts[0] + 999) / 1000).max(1);
    Ok(Record {
        number: 0,
        submit,
        wait: started.map_or(-1, |start| (start - submit).max(-1)),
        run_time,
        used_processors: processors,
        cpu_time: -1.0,
        used_memory: -1.0,
        requested_processors: processors,
        requested_time: -1,
        requested_memory: amounts[1] as f64 * 1024.0 / processors as f64,
        status: -1,
        user: -1,
        group: -1,
        executable: -1,
        queue: queue as i64 + 1,
        partition: -1,
        preceding: -1,
        think_time: -1,
        tasks: Some(Tasks { count: 1, each, feature }),
    })
}

#[cfg(test)]
mod tests {
    use crate::trace::format::read;
    use crate::trace::record::Strictness;
    use crate::trace::{export, swf};

    const LIST: &str = "\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
openb-pod-0000,12000,16384,1,1000,,LS,Running,100,500,110
openb-pod-0001,6500,12288,1,460,V100M16|T4|V100M16,BE,Running,90,300.0,90.0
openb-pod-0002,64000,262144,8,1000,,LS,Pending,95,,
openb-pod-0003,x,1,0,0,,LS,Running,95,96,95
openb-pod-0004,1000,1,0,0,T4|,LS,Running,95,96,95
";

    #[test]
    fn tasks_become_jobs_with_resources_and_survive_being_written() {
        let trace = read(LIST.as_bytes(), "list.csv", None, Strictness::Lenient).unwrap();
        let seen: Vec<_> = trace
            .records
            .iter()
            .map(|job| {
                let tasks = job.tasks.unwrap();
                (job.submit, job.wait, job.run_time, job.queue, tasks.each, tasks.feature)
            })
            .collect();
        let amounts = |cores, memory, gpu| [cores, memory, gpu, 0, 0, 0, 0, 0];
        assert_eq!(
            seen,
            [
                (0, 0, 210, 2, amounts(6500, 12288, 460), Some(0)),
                (5, -1, -1, 1, amounts(64000, 262_144, 8000), None),
                (10, 10, 390, 1, amounts(12000, 16384, 1000), None),
            ]
        );
        assert_eq!(trace.header.features, ["T4|V100M16"]);
        let problems: Vec<_> = trace.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(problems, [5, 6]);
        let mut written = Vec::new();
        export::write(&mut written, &trace, None, &[]).unwrap();
        let again = swf::read(&written[..], "list.swf", Strictness::Strict).unwrap();
        assert_eq!(again.header.resources, ["cores", "mem", "gpu"]);
        assert_eq!(again.header.features, trace.header.features);
        assert_eq!(again.records, trace.records);
    }
}
