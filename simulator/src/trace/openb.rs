//! The task list of Alibaba's GPU cluster trace of 2023 (`openb_pod_list_*.csv`): `cpu_milli`, `memory_mib`, `num_gpu`,
//! `gpu_milli` and times of every task.
//!
//! A task is a job of one task that takes cores, memory and GPUs of one node; a share of one GPU is a fraction. It is
//! submitted when it was created and runs from when it was scheduled until it was deleted; those never scheduled have
//! an unknown run time, as the archive keeps it. The class of service becomes the queue. The list has neither users nor
//! requested times, and the GPU models that a task allows are not heeded.

use super::collect::Collector;
use super::lines::lines;
use super::record::{Error, Header, MAX_VALUE, Reason, Record, Tasks, Trace, unit};
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
    let mut queues: Vec<String> = Vec::new();
    lines(text, name, &mut collector, |collector, line, text| {
        if line == 1 {
            return Ok(());
        }
        match task(text, &mut queues) {
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
        // Cores of the tasks; the machine's nodes are in a list of their own.
        max_procs: u32::try_from(records.iter().map(|record| record.used_processors).sum::<i64>()).ok(),
        ..Header::default()
    };
    trace.records = records;
    Ok(trace)
}

/// A line of the list.
fn task(text: &str, queues: &mut Vec<String>) -> Result<Record, String> {
    let cells: Vec<&str> = text.split(',').collect();
    let Ok(cells) = <[&str; COLUMNS.len()]>::try_from(cells) else {
        return Err(format!("not {} fields", COLUMNS.len()));
    };
    let [_, cpu, memory, gpus, share, _, class, _, created, deleted, scheduled] = cells;
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
    let queue = queues.iter().position(|known| known == class).unwrap_or_else(|| {
        queues.push(class.to_owned());
        queues.len() - 1
    });
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
        tasks: Some(Tasks { count: 1, each }),
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
openb-pod-0001,6500,12288,1,460,V100M16|T4,BE,Running,90,300.0,90.0
openb-pod-0002,64000,262144,8,1000,,LS,Pending,95,,
openb-pod-0003,x,1,0,0,,LS,Running,95,96,95
";

    #[test]
    fn tasks_become_jobs_with_resources_and_survive_being_written() {
        let trace = read(LIST.as_bytes(), "list.csv", None, Strictness::Lenient).unwrap();
        let seen: Vec<_> = trace
            .records
            .iter()
            .map(|job| (job.submit, job.wait, job.run_time, job.queue, job.tasks.unwrap().each))
            .collect();
        let amounts = |cores, memory, gpu| [cores, memory, gpu, 0, 0, 0, 0, 0];
        assert_eq!(
            seen,
            [
                (0, 0, 210, 2, amounts(6500, 12288, 460)),
                (5, -1, -1, 1, amounts(64000, 262_144, 8000)),
                (10, 10, 390, 1, amounts(12000, 16384, 1000)),
            ]
        );
        assert_eq!((trace.problems.len(), trace.problems[0].line), (1, 5));
        let mut written = Vec::new();
        export::write(&mut written, &trace, None, &[]).unwrap();
        let again = swf::read(&written[..], "list.swf", Strictness::Strict).unwrap();
        assert_eq!(again.header.resources, ["cores", "mem", "gpu"]);
        assert_eq!(again.records, trace.records);
    }
}
