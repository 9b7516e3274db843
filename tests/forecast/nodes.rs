//! Starts on machines of nodes: on whole, like nodes those of processors, and on shared ones those of a scheduler
//! written for this test alone, which makes the machine anew for every question.

use super::naive::{Case, Cases, case, prioritised};
use super::{NOW, forecast};
use surefill::error::Error;
use surefill::forecast::{
    CandidateOrder, Forecast, ForecastCapacity, ForecastOptions, Plans, Policy, Progress,
};
use surefill::nodes::{Fit, NodeForecast, NodeForecastCapacity, Nodes, NodesCapacity, Part, Request, Spread};
use surefill::runtime::RuntimeDistribution;

fn block(bytes: usize) -> Vec<u64> {
    vec![0xdead_beef_dead_beef; bytes.div_ceil(8)]
}

const CAPACITY: NodesCapacity = NodesCapacity { nodes: 64, classes: 3, resources: 2, jobs: 64, parts: 512 };

fn limits(waiting: u32, parts: u32, scenarios: u32) -> NodeForecastCapacity {
    NodeForecastCapacity {
        nodes: 64,
        classes: 3,
        resources: 2,
        running: 24,
        waiting,
        parts,
        bins: 5,
        events_per_bin: 1,
        scenarios,
        reserved: 0,
    }
}

/// Whole nodes for these many processors.
fn whole(processors: u32) -> Request {
    Request { count: processors, each: [1, 0, 0, 0, 0, 0, 0, 0], ..Request::default() }
}

/// The starts of a case on whole, like nodes, all scenarios; `slice` is the work of each call.
fn on_like_nodes(case: &Case, fit: Fit, slice: u64) -> Vec<Vec<i64>> {
    let mut memory = block(Nodes::size(&CAPACITY).unwrap());
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &CAPACITY).unwrap();
    let class = nodes.add_class(0, &[1, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let all = case.idle + case.running.iter().map(|job| job.processors).sum::<u32>();
    nodes.add_nodes(class, all).unwrap();
    let mut parts = [Part::default(); 64];
    let handles: Vec<u32> = case
        .running
        .iter()
        .map(|job| {
            let request = whole(job.processors);
            let count = nodes.place(&request, Fit::First, &mut parts).unwrap().unwrap();
            nodes.allocate(&request, &parts[..count]).unwrap()
        })
        .collect();
    let limits = limits(case.waiting.len() as u32, 512, case.options.scenarios);
    let mut memory = block(NodeForecast::size(&limits).unwrap());
    let mut forecast = NodeForecast::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    forecast.begin(&nodes, NOW, &case.options).unwrap();
    for (job, handle) in case.running.iter().zip(handles) {
        forecast.add_running(&nodes, handle, job.age, job.limit, &job.prediction).unwrap();
    }
    for job in &case.waiting {
        let (request, submit) = (whole(job.processors), NOW + job.submit);
        forecast
            .add_waiting(&nodes, &request, fit, job.processors, job.limit, submit, &job.prediction)
            .unwrap();
    }
    while forecast.run(&nodes, slice).unwrap() == Progress::More {}
    (0..case.waiting.len()).map(|job| forecast.starts(job).unwrap().to_vec()).collect()
}

/// Bit for bit, in every scenario: 3,000 queues of up to ten jobs with up to three outcomes each, in all orders.
#[test]
fn on_whole_like_nodes_starts_are_those_on_processors() {
    let mut cases = Cases(5);
    let (mut overtakes, mut never) = (0, 0);
    for number in 0..3000 {
        let mut case = case(&mut cases, 7, 10, 3);
        prioritised(&mut case, &mut cases);
        case.options.scenarios = 8;
        case.options.reservations = case.options.reservations.min(1);
        let fit = [Fit::First, Fit::Best, Fit::Apart][number % 3];
        let expected: Vec<Vec<i64>> = forecast(&case, |forecast| {
            (0..case.waiting.len()).map(|job| forecast.starts(job).unwrap().to_vec()).collect()
        });
        let found = on_like_nodes(&case, fit, [u64::MAX, 1, 37][number / 3 % 3]);
        assert_eq!(found, expected, "{case:?}");
        overtakes += found.windows(2).filter(|jobs| jobs[1][0] < jobs[0][0]).count();
        never += found.iter().filter(|starts| starts[0] == i64::MAX).count();
    }
    assert!(overtakes > 1000 && never > 500, "{overtakes} {never}");
}

/// A job on shared nodes without chance.
#[derive(Debug, Clone, Copy)]
struct Shared {
    request: Request,
    fit: Fit,
    /// Seconds that it really runs, and that it is planned to run: the limit.
    runs: i64,
    limit: i64,
    submit: i64,
}

#[derive(Debug, Clone)]
struct SharedCase {
    classes: Vec<(u64, [u32; 2], u32)>,
    closed: Vec<u32>,
    running: Vec<(Shared, Vec<Part>)>,
    waiting: Vec<Shared>,
    options: ForecastOptions,
}

/// The machine with these jobs on it.
fn machine(memory: &mut Vec<u64>, case: &SharedCase, jobs: &[(Request, Vec<Part>)]) -> Vec<u32> {
    *memory = block(Nodes::size(&CAPACITY).unwrap());
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(memory), &CAPACITY).unwrap();
    for (features, [cores, gpus], count) in &case.classes {
        let class = nodes.add_class(*features, &[*cores, *gpus, 0, 0, 0, 0, 0, 0]).unwrap();
        nodes.add_nodes(class, *count).unwrap();
    }
    nodes.set_pool(&[3, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let handles = jobs.iter().map(|(request, parts)| nodes.allocate(request, parts).unwrap()).collect();
    for &node in &case.closed {
        nodes.set_open(node, false).unwrap();
    }
    handles
}

/// Asks a machine with these jobs on it.
fn ask<T>(case: &SharedCase, jobs: &[(Request, Vec<Part>)], question: impl FnOnce(&mut Nodes) -> T) -> T {
    let mut memory = Vec::new();
    machine(&mut memory, case, jobs);
    question(&mut Nodes::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap())
}

fn place(case: &SharedCase, jobs: &[(Request, Vec<Part>)], job: &Shared) -> Option<Vec<Part>> {
    ask(case, jobs, |nodes| {
        let mut parts = [Part::default(); 64];
        let count = nodes.place(&job.request, job.fit, &mut parts).unwrap();
        count.map(|count| parts[..count].to_vec())
    })
}

fn shared_case(cases: &mut Cases) -> SharedCase {
    let classes = vec![
        (1, [cases.range(1, 8) as u32, 0], cases.range(1, 3) as u32),
        (3, [cases.range(2, 8) as u32, cases.range(1, 4) as u32], cases.range(1, 2) as u32),
    ];
    let job = |cases: &mut Cases| {
        let limit = cases.range(1, 30);
        let gpus = if cases.below(3) == 0 { cases.range(1, 2) as u32 } else { 0 };
        Shared {
            request: Request {
                count: cases.range(1, 4) as u32,
                spread: [Spread::Nodes, Spread::Tasks][cases.below(2) as usize],
                each: [cases.range(0, 4) as u32, gpus, 0, 0, 0, 0, 0, 0],
                pool: [[0, 0, 1, 2][cases.below(4) as usize], 0, 0, 0, 0, 0, 0, 0],
                features: [0, 0, 1, 2][cases.below(4) as usize],
                exclusive: cases.below(6) == 0,
            },
            fit: [Fit::First, Fit::Best][cases.below(2) as usize],
            runs: cases.range(1, limit),
            limit,
            submit: [0, 0, 0, 3, 7][cases.below(5) as usize],
        }
    };
    let mut case = SharedCase {
        classes,
        closed: Vec::new(),
        running: Vec::new(),
        waiting: Vec::new(),
        options: ForecastOptions {
            policy: if cases.below(6) == 0 { Policy::Fcfs } else { Policy::Backfill },
            reservations: u32::from(cases.below(5) != 0),
            order: [CandidateOrder::Queue, CandidateOrder::Shortest][cases.below(2) as usize],
            plans: Plans::Limits,
            scenarios: 2,
            slack: [0.0, 0.0, 0.5][cases.below(3) as usize],
            ..ForecastOptions::default()
        },
    };
    for _ in 0..cases.below(7) {
        let new = job(cases);
        let jobs: Vec<_> = case.running.iter().map(|(job, parts)| (job.request, parts.clone())).collect();
        if let Some(parts) = place(&case, &jobs, &new) {
            case.running.push((new, parts));
        }
    }
    if cases.below(4) == 0 {
        case.closed.push(cases.below(2) as u32);
    }
    case.waiting = (0..cases.range(1, 9)).map(|_| job(cases)).collect();
    case
}

/// Starts of all waiting jobs when all run for `runs` seconds: instant by instant.
fn naive(case: &SharedCase) -> Vec<Option<i64>> {
    // A running job: its request and nodes, its end, and its planned end.
    type Runs = (Request, Vec<Part>, i64, i64);
    let mut runs: Vec<Runs> =
        case.running.iter().map(|(job, parts)| (job.request, parts.clone(), job.runs, job.limit)).collect();
    let on = |runs: &[Runs], until: i64| -> Vec<(Request, Vec<Part>)> {
        let there = runs.iter().filter(|job| job.3 > until);
        there.map(|job| (job.0, job.1.clone())).collect()
    };
    let able: Vec<bool> =
        case.waiting.iter().map(|job| ask(case, &[], |nodes| nodes.fits(&job.request).unwrap())).collect();
    let mut starts = vec![None; case.waiting.len()];
    for now in 0..600 {
        let news = now == 0
            || runs.iter().any(|job| job.2 == now)
            || case.waiting.iter().any(|job| job.submit == now);
        runs.retain(|job| job.2 > now);
        if !news {
            continue;
        }
        let mut queue: Vec<usize> = (0..case.waiting.len())
            .filter(|&i| able[i] && starts[i].is_none() && case.waiting[i].submit <= now)
            .collect();
        let mut start = |i: usize, parts: Vec<Part>, runs: &mut Vec<Runs>| {
            let job = &case.waiting[i];
            starts[i] = Some(now);
            runs.push((job.request, parts, now + job.runs, now + job.limit));
        };
        while let Some(&head) = queue.first() {
            let Some(parts) = place(case, &on(&runs, i64::MIN), &case.waiting[head]) else { break };
            start(head, parts, &mut runs);
            queue.remove(0);
        }
        let Some((&head, rest)) = queue.split_first() else { continue };
        if case.options.policy == Policy::Fcfs {
            continue;
        }
        let mut rest = rest.to_vec();
        if case.options.order == CandidateOrder::Shortest {
            rest.sort_by_key(|&i| (case.waiting[i].limit, i));
        }
        let head = &case.waiting[head].request;
        let mut ends: Vec<i64> = runs.iter().map(|job| job.3).collect();
        ends.sort_unstable();
        let fits = |jobs: &[(Request, Vec<Part>)]| ask(case, jobs, |nodes| nodes.fits(head).unwrap());
        let shadow = ends.into_iter().find(|&end| fits(&on(&runs, end)));
        let mut later = on(&runs, shadow.unwrap_or(i64::MAX));
        for i in rest {
            let job = &case.waiting[i];
            let Some(parts) = place(case, &on(&runs, i64::MIN), job) else { continue };
            let allowed = case.options.reservations == 0 || {
                let rest = shadow.unwrap() - now;
                let late = job.limit - rest;
                let mut beside = later.clone();
                beside.push((job.request, parts.clone()));
                let beside = (late > 0).then_some(beside).filter(|beside| fits(beside));
                let harmless = late <= 0 || beside.is_some();
                later = beside.unwrap_or(later);
                harmless || (late as f64) < case.options.slack * rest as f64
            };
            if allowed {
                start(i, parts, &mut runs);
            }
        }
    }
    starts
}

/// 2,000 queues on up to five nodes of two kinds with cores, GPUs and licences, jobs alone on their nodes, features and
/// closed nodes.
#[test]
fn on_shared_nodes_every_start_is_the_naive_schedulers() {
    let mut cases = Cases(6);
    let (mut overtakes, mut never) = (0, 0);
    for _ in 0..2000 {
        let case = shared_case(&mut cases);
        let mut memory = Vec::new();
        let jobs: Vec<_> = case.running.iter().map(|(job, parts)| (job.request, parts.clone())).collect();
        let handles = machine(&mut memory, &case, &jobs);
        let nodes = Nodes::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        let limits = limits(9, 64, 2);
        let mut memory = block(NodeForecast::size(&limits).unwrap());
        let mut forecast = NodeForecast::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
        forecast.begin(&nodes, NOW, &case.options).unwrap();
        let runs = |job: &Shared| RuntimeDistribution::single(job.runs).unwrap();
        for ((job, _), handle) in case.running.iter().zip(handles) {
            forecast.add_running(&nodes, handle, 0, job.limit, &runs(job)).unwrap();
        }
        for job in &case.waiting {
            // By limits, the shortest jobs must be those of the shortest limits: the medians are chosen so.
            let prediction = match case.options.order {
                CandidateOrder::Shortest => RuntimeDistribution::limit(),
                _ => runs(job),
            };
            let (limit, submit) = (job.limit, NOW + job.submit);
            forecast.add_waiting(&nodes, &job.request, job.fit, 1, limit, submit, &prediction).unwrap();
        }
        let mut expected = case.clone();
        if case.options.order == CandidateOrder::Shortest {
            expected.waiting.iter_mut().for_each(|job| job.runs = job.limit);
        }
        assert_eq!(forecast.run(&nodes, u64::MAX), Ok(Progress::Done));
        let expected = naive(&expected);
        for (job, start) in expected.iter().enumerate() {
            let found = forecast.starts(job).unwrap();
            assert_eq!(found, [start.unwrap_or(i64::MAX); 2], "job {job} of {case:?}");
            never += u32::from(start.is_none());
        }
        overtakes += expected.windows(2).filter(|jobs| jobs[1].is_some() && jobs[1] < jobs[0]).count();
    }
    assert!(overtakes > 500 && never > 500, "{overtakes} {never}");
}

/// Two nodes of 4 cores. The head job needs a whole node, and finds it on the first when the short job ends there; a
/// long candidate for two cores finds room on both. By best fit it would lie on the first; apart it does not.
#[test]
fn apart_from_the_head_jobs_nodes() {
    let cores = |count, each| Request {
        count,
        spread: Spread::Tasks,
        each: [each, 0, 0, 0, 0, 0, 0, 0],
        ..Request::default()
    };
    let mut starts = Vec::new();
    for fit in [Fit::Best, Fit::Apart] {
        let mut memory = block(Nodes::size(&CAPACITY).unwrap());
        let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &CAPACITY).unwrap();
        let class = nodes.add_class(0, &[4, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        nodes.add_nodes(class, 2).unwrap();
        let short = nodes.allocate(&cores(1, 2), &[Part { node: 0, tasks: 1 }]).unwrap();
        let long = nodes.allocate(&cores(1, 1), &[Part { node: 1, tasks: 1 }]).unwrap();
        let limits = limits(2, 8, 2);
        let mut memory = block(NodeForecast::size(&limits).unwrap());
        let mut forecast = NodeForecast::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
        let prediction = RuntimeDistribution::limit();
        let options = ForecastOptions { scenarios: 2, ..ForecastOptions::default() };
        forecast.begin(&nodes, NOW, &options).unwrap();
        forecast.add_running(&nodes, short, 0, 100, &prediction).unwrap();
        forecast.add_running(&nodes, long, 0, 1000, &prediction).unwrap();
        forecast.add_waiting(&nodes, &cores(1, 4), fit, 4, 50, NOW, &prediction).unwrap();
        forecast.add_waiting(&nodes, &cores(1, 2), fit, 2, 500, NOW, &prediction).unwrap();
        assert_eq!(forecast.run(&nodes, u64::MAX), Ok(Progress::Done));
        starts.push([0, 1].map(|job| forecast.start_quantile(job, 0.5).unwrap().value - NOW));
        assert_eq!(forecast.start_probability(0, NOW + 100).unwrap().value, 1.0);
        assert_eq!(forecast.start_mean(0).unwrap().value, 100.0);
    }
    assert_eq!(starts, [[100, 100], [100, 0]]);
}

#[test]
fn bad_arguments_are_refused() {
    let mut memory = block(Nodes::size(&CAPACITY).unwrap());
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &CAPACITY).unwrap();
    let class = nodes.add_class(0, &[4, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    nodes.add_nodes(class, 2).unwrap();
    for wrong in [
        NodeForecastCapacity { nodes: 0, ..NodeForecastCapacity::default() },
        NodeForecastCapacity { classes: 0, ..NodeForecastCapacity::default() },
        NodeForecastCapacity { resources: 9, ..NodeForecastCapacity::default() },
        NodeForecastCapacity { parts: (1 << 24) + 1, ..NodeForecastCapacity::default() },
        NodeForecastCapacity { scenarios: 1, ..NodeForecastCapacity::default() },
    ] {
        assert_eq!(NodeForecast::size(&wrong), Err(Error::OutOfRange));
    }
    let limits = NodeForecastCapacity { nodes: 2, ..limits(2, 3, 2) };
    let mut memory = block(NodeForecast::size(&limits).unwrap());
    let mut forecast = NodeForecast::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
    let prediction = RuntimeDistribution::limit();
    let options = ForecastOptions { scenarios: 2, ..ForecastOptions::default() };
    assert_eq!(forecast.run(&nodes, 1), Err(Error::WrongState));
    assert_eq!(forecast.add_running(&nodes, 0, 0, 1, &prediction), Err(Error::WrongState));
    let two = ForecastOptions { reservations: 2, ..options };
    assert_eq!(forecast.begin(&nodes, NOW, &two), Err(Error::OutOfRange));
    assert_eq!(forecast.begin(&nodes, (1 << 53) + 1, &options), Err(Error::OutOfRange));
    forecast.begin(&nodes, NOW, &options).unwrap();
    assert_eq!(forecast.add_running(&nodes, 0, 0, 1, &prediction), Err(Error::UnknownJob));
    let request = |count| Request { count, each: [1, 0, 0, 0, 0, 0, 0, 0], ..Request::default() };
    let mut add = |request: &Request, limit| {
        forecast.add_waiting(&nodes, request, Fit::Best, 1, limit, NOW, &prediction)
    };
    assert_eq!(add(&request(0), 1), Err(Error::OutOfRange));
    assert_eq!(add(&request(1), -1), Err(Error::OutOfRange));
    assert_eq!(add(&request(9), 1), Ok(0));
    assert_eq!(add(&request(2), 1), Err(Error::Full));
    assert_eq!(add(&request(1), 1), Ok(1));
    assert_eq!(add(&request(1), 1), Err(Error::Full));
    assert_eq!(forecast.starts(0), Err(Error::WrongState));
    assert_eq!(forecast.run(&nodes, 0), Err(Error::OutOfRange));
    nodes.set_open(1, false).unwrap();
    assert_eq!(forecast.run(&nodes, 1), Err(Error::WrongState));
    forecast.begin(&nodes, NOW, &options).unwrap();
    assert_eq!(forecast.waiting(), 0);
    assert_eq!(forecast.run(&nodes, u64::MAX), Ok(Progress::Done));
    assert_eq!(forecast.starts(0), Err(Error::NoSuchIndex));
    // The size is at most that of the documentation.
    let size = |capacity: &NodeForecastCapacity| NodeForecast::size(capacity).unwrap();
    let of_times = ForecastCapacity {
        running: limits.running,
        waiting: limits.waiting,
        processors: 1,
        bins: limits.bins,
        events_per_bin: limits.events_per_bin,
        scenarios: limits.scenarios,
    };
    let [n, r, c] = [limits.nodes, limits.resources, limits.classes].map(|count| count as usize);
    let [running, waiting, p] = [limits.running, limits.waiting, limits.parts].map(|count| count as usize);
    let more = (68 + 8 * r) * n + 208 * c + 4 * running + 112 * waiting + 8 * p + 900;
    assert!(size(&limits) <= Forecast::size(&of_times).unwrap() + more);
    nodes.add_nodes(class, 1).unwrap();
    assert_eq!(forecast.begin(&nodes, NOW, &options), Err(Error::OutOfRange));
}

/// Whatever a block's bytes are, calls come back.
#[test]
fn damaged_blocks_are_survived() {
    let mut cases = Cases(7);
    for _ in 0..200 {
        let case = shared_case(&mut cases);
        let mut memory = Vec::new();
        let jobs: Vec<_> = case.running.iter().map(|(job, parts)| (job.request, parts.clone())).collect();
        let handles = machine(&mut memory, &case, &jobs);
        let nodes = Nodes::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        let limits = limits(9, 64, 4);
        let mut sound = block(NodeForecast::size(&limits).unwrap());
        let mut forecast = NodeForecast::init(bytemuck::cast_slice_mut(&mut sound), &limits).unwrap();
        forecast.begin(&nodes, NOW, &case.options).unwrap();
        let prediction = RuntimeDistribution::limit();
        for ((job, _), handle) in case.running.iter().zip(handles) {
            forecast.add_running(&nodes, handle, 0, job.limit, &prediction).unwrap();
        }
        for job in &case.waiting {
            forecast.add_waiting(&nodes, &job.request, job.fit, 1, job.limit, NOW, &prediction).unwrap();
        }
        forecast.run(&nodes, cases.below(200) + 1).unwrap();
        for _ in 0..20 {
            let mut damaged = sound.clone();
            for _ in 0..=cases.below(3) {
                let word = cases.below(damaged.len() as u64) as usize;
                damaged[word] ^= 1 << cases.below(64);
            }
            let Ok(mut forecast) = NodeForecast::attach(bytemuck::cast_slice_mut(&mut damaged)) else {
                continue;
            };
            for _ in 0..2000 {
                if forecast.run(&nodes, 500) != Ok(Progress::More) {
                    break;
                }
            }
            for job in 0..9 {
                let _ = forecast.start_quantile(job, 0.5);
            }
        }
    }
}
