//! The `sessions` model on a machine of nodes: its people and applications, each application with the cores, the memory
//! and the GPUs that its tasks take.
//!
//! * **Cores a task** are a power of two up to 32, small ones more common.
//! * **Memory a core** is log-normal around half of what the machine has for each core, with a heavy tail (sigma 1).
//! * **GPUs**: where nodes have them, two applications in five take some: a half, one, two or four a task, or all of a
//!   node; small ones more common.
//! * A task fits a node, and a job has half as many tasks at most as the empty nodes can hold.
//!
//! Work is drawn before time, like in `sessions`: the span is such that the resource asked for most has the load that
//! was asked for.

use super::sessions::{SessionsOptions, sessions};
use crate::base::random::Random;
use crate::trace::nodes::{Machine, NodeClass};
use crate::trace::record::Tasks;
use crate::trace::swf::SwfJob;
use std::collections::BTreeMap;
use surefill::nodes::{Amounts, MAX_RESOURCES};

/// Cores of one task, and how common they are.
const THREADS: [u32; 6] = [1, 2, 4, 8, 16, 32];
const THREAD_WEIGHTS: [f64; 6] = [3.0, 2.0, 2.0, 2.0, 1.0, 1.0];

/// Thousandths of GPUs of one task, and how common they are.
const GPUS: [u32; 5] = [500, 1000, 2000, 4000, 8000];
const GPU_WEIGHTS: [f64; 5] = [2.0, 5.0, 2.0, 1.0, 1.0];

/// After this number of corrections the load is met, but for the last session's place.
const ROUNDS: u32 = 4;

/// Amounts of each task of an application, in the order of the machine's resources.
fn application(machine: &Machine, random: &mut Random) -> Amounts {
    let place = |name: &str| machine.resources.iter().position(|own| own == name);
    let total = machine.total();
    let threads = THREADS[random.weighted(&THREAD_WEIGHTS)];
    let heavy = random.log_normal(0.5, 1.0);
    let gpus = if random.chance(0.4) { GPUS[random.weighted(&GPU_WEIGHTS)] } else { 0 };
    let mut each = Amounts::default();
    if let Some(cores) = place("cores") {
        each[cores] = threads * 1000;
    }
    if let (Some(cores), Some(memory)) = (place("cores"), place("mem")) {
        let a_core = total[memory] as f64 / (total[cores] as f64 / 1000.0).max(1.0);
        each[memory] = (a_core * heavy * f64::from(threads)).ceil().min(f64::from(i32::MAX)) as u32;
    }
    if let Some(gpu) = place("gpu") {
        each[gpu] = gpus;
    }
    // The class on which most of it fits; the rest is cut.
    let missing = |class: &NodeClass| -> f64 {
        let over = each.iter().zip(class.amounts).map(|(want, has)| f64::from(want.saturating_sub(has)));
        over.zip(each).map(|(over, want)| over / f64::from(want.max(1))).sum()
    };
    let best = machine.classes.iter().min_by(|a, b| missing(a).total_cmp(&missing(b)));
    if let Some(class) = best {
        for (want, has) in each.iter_mut().zip(class.amounts) {
            *want = (*want).min(has);
        }
    }
    each
}

/// The jobs of a session model with their tasks.
fn dressed(options: &SessionsOptions, machine: &Machine) -> Vec<(SwfJob, Tasks)> {
    let cores = machine.resources.iter().position(|name| name == "cores");
    let mut applications = BTreeMap::new();
    let jobs = sessions(options).into_iter().map(|job| {
        let each = *applications.entry(job.executable).or_insert_with(|| {
            application(machine, &mut Random::stream(options.seed, 1 + job.executable.unsigned_abs()))
        });
        let threads = cores.map_or(1, |cores| (each[cores] / 1000).max(1));
        let most = (machine.rooms(&each) / 2).max(1);
        let count = u64::from(job.processors.div_ceil(threads)).min(most) as u32;
        (SwfJob { processors: count * threads, ..job }, Tasks { count, each, feature: None })
    });
    jobs.collect()
}

/// Requested amounts of each resource, over the machine's from the first submission to the last.
pub fn loads(jobs: &[(SwfJob, Tasks)], machine: &Machine) -> [f64; MAX_RESOURCES] {
    let (Some(first), Some(last)) = (jobs.first(), jobs.last()) else { return [0.0; MAX_RESOURCES] };
    let span = (last.0.submit - first.0.submit).max(1) as f64;
    let total = machine.total();
    std::array::from_fn(|kind| {
        let work = |(job, tasks): &(SwfJob, Tasks)| {
            f64::from(tasks.count) * f64::from(tasks.each[kind]) * job.run_time as f64
        };
        jobs.iter().map(work).sum::<f64>() / (total[kind].max(1) as f64 * span)
    })
}

/// Generates a workload for this machine, in order of submission.
pub fn shared(options: &SessionsOptions, machine: &Machine) -> Vec<(SwfJob, Tasks)> {
    // The load moves the sessions in time and changes nothing else.
    let mut jobs = dressed(options, machine);
    let mut load = options.load;
    for _ in 0..ROUNDS {
        let highest = loads(&jobs, machine).into_iter().fold(0.0, f64::max);
        if highest <= 0.0 {
            break;
        }
        load *= options.load / highest;
        jobs = dressed(&SessionsOptions { load, ..options.clone() }, machine);
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::nodes::NodesBlock;
    use std::num::NonZeroU32;
    use surefill::nodes::{Request, Spread};

    #[test]
    fn every_job_can_be_held_and_the_load_is_that_of_the_scarcest_resource() {
        let machine: Machine = "12x(cores=64,mem=256G,gpu=4)+20x(cores=128,mem=512G)".parse().unwrap();
        let options = SessionsOptions {
            jobs: 4000,
            users: NonZeroU32::new(40).unwrap(),
            procs: NonZeroU32::new(machine.processors()).unwrap(),
            load: 0.8,
            seed: 3,
        };
        let jobs = shared(&options, &machine);
        assert_eq!(jobs.len(), 4000);
        assert_eq!(jobs, shared(&options, &machine));
        let mut block = NodesBlock::new(&machine, 1, 1);
        let nodes = block.view();
        for (_, tasks) in &jobs {
            let Tasks { count, each, .. } = *tasks;
            let request = Request { count, spread: Spread::Tasks, each, ..Request::default() };
            assert_eq!(nodes.could_fit(&request), Ok(true), "{tasks:?}");
        }
        let with_gpus = jobs.iter().filter(|(_, tasks)| tasks.each[2] > 0).count();
        assert!((400..3000).contains(&with_gpus), "{with_gpus}");
        let highest = loads(&jobs, &machine).into_iter().fold(0.0, f64::max);
        assert!((highest - 0.8).abs() < 0.08, "{highest}");
        assert!(jobs.is_sorted_by_key(|(job, _)| job.submit));
    }
}
