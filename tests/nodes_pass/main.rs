//! The pass over a machine of nodes beside the exact pass, where the nodes are whole and alike, and beside full
//! enumeration of all run times, where they are shared.

mod further;
#[path = "../common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use surefill::backfill::{Criterion, Pass, PassCapacity, Rule, Step, Verdict};
use surefill::error::Error;
use surefill::nodes::{
    Amounts, Fit, NodeJudgement, NodePass, NodePassCapacity, NodePassOptions, Nodes, NodesCapacity, Part,
    Request, Spread,
};
use surefill::runtime::{Release, RuntimeBins, RuntimeDistribution};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        splitmix(&mut self.0)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn within(&mut self, low: u64, high: u64) -> u32 {
        (low + self.below(high - low + 1)) as u32
    }
}

fn runtime(random: &mut Random, bins: usize) -> RuntimeDistribution {
    let edges = RuntimeBins::new(60.0, 2.5, bins).unwrap();
    let counts: Vec<f64> = (0..bins).map(|_| random.below(4) as f64).collect();
    match random.below(5) {
        0 => RuntimeDistribution::limit(),
        _ if counts.iter().sum::<f64>() == 0.0 => RuntimeDistribution::single(700).unwrap(),
        _ => RuntimeDistribution::from_counts(&edges, &counts).unwrap(),
    }
}

fn block(size: usize) -> Vec<u64> {
    vec![0; size.div_ceil(8)]
}

const BINS: u32 = 5;
const EVENTS: u32 = 2;

fn pass_capacity(nodes: u32, resources: u32) -> NodePassCapacity {
    NodePassCapacity {
        nodes,
        resources,
        running: 16,
        candidates: 8,
        parts: 64,
        bins: BINS,
        events_per_bin: EVENTS,
    }
}

/// Every candidate's judgement; all that are accepted are declined, so that the machine stays as it is.
fn judge_all(pass: &mut NodePass, nodes: &Nodes, rule: &Rule, work: u64, count: usize) -> Vec<NodeJudgement> {
    let mut judged = vec![None; count];
    loop {
        match pass.decide(nodes, rule, work).unwrap() {
            Step::Accept(index) => {
                judged[index] = Some(pass.judgement(index).unwrap());
                pass.decline(index).unwrap();
            }
            Step::More => (),
            Step::Done => break,
        }
    }
    (0..count).map(|index| judged[index].unwrap_or_else(|| pass.judgement(index).unwrap())).collect()
}

#[test]
fn on_whole_alike_nodes_it_agrees_with_the_exact_pass() {
    let mut random = Random(11);
    let (mut judged, mut outside, mut positive) = (0, 0, 0);
    let (mut fewest, mut further) = (0, 0);
    for case in 0..3000 {
        let processors = random.within(4, 14);
        let capacity = NodesCapacity { nodes: processors, classes: 1, resources: 1, jobs: 16, parts: 64 };
        let (mut memory, mut other, mut exact) = (
            block(Nodes::size(&capacity).unwrap()),
            block(NodePass::size(&pass_capacity(processors, 1)).unwrap()),
            Vec::new(),
        );
        let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
        let class = nodes.add_class(0, &Amounts::default()).unwrap();
        nodes.add_nodes(class, processors).unwrap();
        let whole = |count| Request { count, exclusive: true, ..Request::default() };
        let mut running = Vec::new();
        let mut idle = processors;
        let mut parts = [Part::default(); 16];
        while idle > processors / 3 && running.len() < 8 {
            let width = random.within(1, u64::from(idle.min(4)));
            let found = nodes.place(&whole(width), Fit::First, &mut parts).unwrap().unwrap();
            let handle = nodes.allocate(&whole(width), &parts[..found]).unwrap();
            let (age, limit) = (random.below(600) as i64, 600 + random.below(9000) as i64);
            running.push((handle, width, age, limit, runtime(&mut random, BINS as usize)));
            idle -= width;
        }
        let head = random.within(u64::from(idle) + 1, u64::from(processors));
        let candidates: Vec<_> = (0..4)
            .map(|_| {
                (random.within(1, 4), 60 + random.below(8000) as i64, runtime(&mut random, BINS as usize))
            })
            .collect();
        let limits = PassCapacity {
            running: 16,
            candidates: 8,
            processors,
            bins: BINS,
            events_per_bin: EVENTS,
            tie_cells: 1 << 12,
        };
        exact.resize(Pass::size(&limits).unwrap().div_ceil(8), 0u64);
        let criterion = [Criterion::Probability, Criterion::Seconds, Criterion::Relative][case % 3];
        // Above every delay: all are accepted, declined, and known exactly. Every third time a threshold amid them.
        let threshold = if case % 2 == 0 { f64::INFINITY } else { 0.2 };
        let rule = Rule { criterion, threshold, ..Rule::EXACT };
        let mut pass = Pass::init(bytemuck::cast_slice_mut(&mut exact), &limits).unwrap();
        pass.begin(0, idle, 1, head).unwrap();
        let mut sampled =
            NodePass::init(bytemuck::cast_slice_mut(&mut other), &pass_capacity(processors, 1)).unwrap();
        let options = NodePassOptions { seed: case as u64, ..NodePassOptions::default() };
        sampled.begin(&nodes, 0, 1, &whole(head), &options).unwrap();
        for (handle, width, age, limit, runtime) in &running {
            pass.add_running(*width, *age, *limit, runtime).unwrap();
            sampled.add_running(&nodes, *handle, *age, *limit, runtime).unwrap();
        }
        for (width, limit, runtime) in &candidates {
            pass.add_candidate(*width, *limit, runtime).unwrap();
            sampled.add_candidate(&nodes, &whole(*width), Fit::Best, *limit, runtime).unwrap();
        }
        let ours = judge_all(&mut sampled, &nodes, &rule, 50, candidates.len());
        let all = Rule { threshold: f64::INFINITY, ..rule };
        let mut theirs = vec![None; candidates.len()];
        while let Step::Accept(index) = pass.decide(&all, u64::MAX).unwrap() {
            theirs[index] = Some(pass.judgement(index).unwrap().delay);
            pass.decline(index).unwrap();
        }
        for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let Some(theirs) = theirs else {
                let verdict = pass.judgement(index).unwrap().verdict;
                assert_eq!(ours.verdict, verdict, "case {case}");
                assert!(matches!(verdict, Verdict::DoesNotFit | Verdict::HeadNever));
                continue;
            };
            judged += 1;
            positive += u32::from(*theirs > 0.0);
            outside += u32::from((ours.delay - theirs).abs() > ours.half_width + 1e-9 * (1.0 + theirs));
            // More scenarios only while verdict and threshold are not apart.
            let reached = |scenarios| ours.scenarios == scenarios;
            assert!([64, 128, 256].into_iter().any(reached), "case {case}: {}", ours.scenarios);
            if threshold.is_infinite() {
                assert!(reached(64), "case {case}");
            } else if (ours.delay - threshold).abs() <= ours.half_width {
                assert!(reached(256) || ours.half_width == 0.0, "case {case}: {ours:?}");
            }
            fewest += u32::from(threshold.is_finite() && reached(64));
            further += u32::from(!reached(64));
        }
    }
    assert!(fewest > 1000 && further > 200, "{fewest} settled by 64 scenarios, {further} by more");
    // The half-widths hold with .95 confidence at least.
    assert!(judged > 5000 && positive > 1500, "{judged} judged, {positive} delay");
    assert!(f64::from(outside) <= 0.05 * f64::from(positive), "{outside} of {judged} ({positive}) outside");
    println!("{outside} of {judged} judgements outside their half-width, {positive} with a delay");
}

/// Whether a request fits nodes with these free amounts, task by task.
fn naive_fits(free: &[[u32; 2]], request: &Request) -> bool {
    let mut room = 0;
    for node in free {
        let mut left = *node;
        let most = if request.spread == Spread::Nodes { 1 } else { request.count };
        for _ in 0..most {
            if left[0] < request.each[0] || left[1] < request.each[1] {
                break;
            }
            left[0] -= request.each[0];
            left[1] -= request.each[1];
            room += 1;
        }
    }
    room >= request.count
}

/// Amounts that a job holds, node by node.
type Held = Vec<[u32; 2]>;

fn held(count: usize, request: &Request, parts: &[Part]) -> Held {
    let mut held = vec![[0; 2]; count];
    for part in parts {
        held[part.node as usize] = [request.each[0] * part.tasks, request.each[1] * part.tasks];
    }
    held
}

/// The first of the times at which the head fits the amounts not held by jobs that end later.
fn head_start(all: &[[u32; 2]], jobs: &[(i64, &Held)], head: &Request) -> i64 {
    let mut times: Vec<i64> = jobs.iter().map(|job| job.0).collect();
    times.push(0);
    times.sort_unstable();
    for time in times {
        let mut free = all.to_vec();
        for (_, held) in jobs.iter().filter(|job| job.0 > time) {
            for (free, held) in free.iter_mut().zip(held.iter()) {
                *free = [free[0] - held[0], free[1] - held[1]];
            }
        }
        if naive_fits(&free, head) {
            return time;
        }
    }
    panic!("the head never fits");
}

fn releases(runtime: &RuntimeDistribution, age: i64, limit: i64) -> Vec<Release> {
    let mut out = [Release::default(); 64];
    let count = runtime.remaining(age, limit, EVENTS as usize, &mut out).unwrap();
    out[..count].to_vec()
}

#[test]
fn on_shared_nodes_it_agrees_with_full_enumeration() {
    let mut random = Random(5);
    let (mut judged, mut outside, mut positive, mut waits_outside, mut cases) = (0, 0, 0, 0, 0);
    let amounts = |a: u32, b: u32| {
        let mut each = Amounts::default();
        (each[0], each[1]) = (a, b);
        each
    };
    while cases < 1500 {
        let count = random.within(2, 4);
        let capacity = NodesCapacity { nodes: count, classes: 4, resources: 2, jobs: 16, parts: 64 };
        let mut memory = block(Nodes::size(&capacity).unwrap());
        let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
        let mut all = Vec::new();
        for _ in 0..count {
            let of = [random.within(4, 8), random.within(4, 8)];
            let class = nodes.add_class(0, &amounts(of[0], of[1])).unwrap();
            nodes.add_nodes(class, 1).unwrap();
            all.push(of);
        }
        let request = |random: &mut Random| Request {
            count: random.within(1, 3),
            spread: if random.below(2) == 0 { Spread::Nodes } else { Spread::Tasks },
            each: amounts(random.within(1, 5), random.within(0, 5)),
            ..Request::default()
        };
        let mut parts = [Part::default(); 16];
        let mut running = Vec::new();
        for _ in 0..8 {
            let wish = request(&mut random);
            let Some(found) = nodes.place(&wish, Fit::First, &mut parts).unwrap() else { continue };
            if running.len() == 4 {
                break;
            }
            let handle = nodes.allocate(&wish, &parts[..found]).unwrap();
            let (age, limit) = (random.below(300) as i64, 400 + random.below(3000) as i64);
            let runtime = runtime(&mut random, 3);
            running.push((handle, held(all.len(), &wish, &parts[..found]), age, limit, runtime));
        }
        let head = request(&mut random);
        if nodes.fits(&head).unwrap() || !nodes.could_fit(&head).unwrap() {
            continue;
        }
        cases += 1;
        let criterion = [Criterion::Probability, Criterion::Seconds, Criterion::Relative][cases % 3];
        let rule = Rule { criterion, threshold: 0.1, or_easy: true, ..Rule::EXACT };
        let limits = pass_capacity(count, 2);
        let mut memory = block(NodePass::size(&limits).unwrap());
        let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
        let options = NodePassOptions { seed: cases as u64, ..NodePassOptions::default() };
        pass.begin(&nodes, 0, 1, &head, &options).unwrap();
        for (handle, _, age, limit, runtime) in &running {
            pass.add_running(&nodes, *handle, *age, *limit, runtime).unwrap();
        }
        let mut candidates = Vec::new();
        for place in 0..5 {
            let wish = request(&mut random);
            let (limit, runtime) = (60 + random.below(3000) as i64, runtime(&mut random, 3));
            match nodes.place(&wish, Fit::First, &mut parts).unwrap() {
                Some(found) if place % 2 == 0 => {
                    pass.add_placed(&nodes, &wish, &parts[..found], limit, &runtime).unwrap();
                }
                _ => {
                    let fit = [Fit::First, Fit::Best, Fit::Apart][place % 3];
                    pass.add_candidate(&nodes, &wish, fit, limit, &runtime).unwrap();
                }
            }
            candidates.push((wish, limit, runtime));
        }
        let ours = judge_all(&mut pass, &nodes, &rule, u64::MAX, candidates.len());
        for (index, (wish, limit, runtime)) in candidates.iter().enumerate() {
            let found = pass.placement(index, &mut parts).unwrap();
            if ours[index].verdict == Verdict::DoesNotFit {
                assert!(!nodes.fits(wish).unwrap());
                continue;
            }
            let mine = held(all.len(), wish, &parts[..found]);
            let own = releases(runtime, 0, *limit);
            let lists: Vec<Vec<Release>> =
                running.iter().map(|(_, _, age, limit, runtime)| releases(runtime, *age, *limit)).collect();
            let (mut probability, mut seconds, mut wait) = (0.0, 0.0, 0.0);
            let mut places = vec![0; lists.len()];
            loop {
                let mut jobs = Vec::new();
                let mut likely = 1.0;
                for (job, &place) in places.iter().enumerate() {
                    likely *= lists[job][place].probability;
                    jobs.push((lists[job][place].after, &running[job].1));
                }
                let start = head_start(&all, &jobs, &head);
                wait += likely * start as f64;
                for end in &own {
                    jobs.push((end.after, &mine));
                    let later = head_start(&all, &jobs, &head);
                    jobs.pop();
                    assert!(later >= start);
                    seconds += likely * end.probability * (later - start) as f64;
                    probability += if later > start { likely * end.probability } else { 0.0 };
                }
                // The next combination.
                let Some(job) = (0..places.len()).find(|&job| places[job] + 1 < lists[job].len()) else {
                    break;
                };
                places[job] += 1;
                places[..job].fill(0);
            }
            let theirs = match criterion {
                Criterion::Probability => probability,
                Criterion::Relative => seconds / wait,
                _ => seconds,
            };
            judged += 1;
            positive += u32::from(theirs > 0.0);
            outside += u32::from(
                (ours[index].delay - theirs).abs() > ours[index].half_width + 1e-9 * (1.0 + theirs),
            );
            // Candidates that EASY would start by the limits are accepted whatever their delay; else the delay decides.
            let by_limits: Vec<(i64, &Held)> =
                running.iter().map(|(_, held, age, limit, _)| ((limit - age).max(1), held)).collect();
            let before = head_start(&all, &by_limits, &head);
            let after = head_start(&all, &[by_limits, vec![((*limit).max(1), &mine)]].concat(), &head);
            let accepted = ours[index].verdict != Verdict::Refused;
            assert_eq!(accepted, before == after || ours[index].delay < 0.1, "{:?}", ours[index]);
            if index == 0
                && let Ok(estimate) = pass.head_wait()
            {
                waits_outside += u32::from((estimate.value - wait).abs() > estimate.half_width + 1e-9 * wait);
            }
        }
    }
    assert!(judged > 800 && positive > 200, "{judged} judged, {positive} delay");
    assert!(f64::from(outside) <= 0.05 * f64::from(positive), "{outside} of {judged} ({positive}) outside");
    assert!(waits_outside < 75, "{waits_outside} of {cases} waits outside");
    println!(
        "{outside} of {judged} outside, {positive} with a delay; {waits_outside} of {cases} waits outside"
    );
}

/// A machine of two nodes with 4 cores and 8 GiB each, a job on 3 cores of node 0 and one on 2 cores of node 1.
fn small(memory: &mut [u64]) -> (Nodes<'_>, [u32; 2]) {
    let capacity = NodesCapacity { nodes: 2, classes: 1, resources: 2, jobs: 4, parts: 8 };
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(memory), &capacity).unwrap();
    let class = nodes.add_class(0, &[4, 8, 0, 0, 0, 0, 0, 0]).unwrap();
    nodes.add_nodes(class, 2).unwrap();
    let job = |cores| Request { count: 1, each: [cores, 1, 0, 0, 0, 0, 0, 0], ..Request::default() };
    let first = nodes.allocate(&job(3), &[Part { node: 0, tasks: 1 }]).unwrap();
    let second = nodes.allocate(&job(2), &[Part { node: 1, tasks: 1 }]).unwrap();
    (nodes, [first, second])
}

const LIMIT: RuntimeDistribution = RuntimeDistribution::limit();

#[test]
fn wrong_input_changes_nothing() {
    let mut memory = vec![0u64; 4096];
    let (mut nodes, jobs) = small(&mut memory);
    let limits = NodePassCapacity { running: 2, candidates: 2, parts: 3, ..pass_capacity(2, 2) };
    for wrong in [
        NodePassCapacity { nodes: 0, ..limits },
        NodePassCapacity { resources: 9, ..limits },
        NodePassCapacity { bins: 0, ..limits },
        NodePassCapacity { events_per_bin: 17, ..limits },
        NodePassCapacity { running: (1 << 20) + 1, ..limits },
    ] {
        assert_eq!(NodePass::size(&wrong), Err(Error::OutOfRange));
    }
    let mut block = block(NodePass::size(&limits).unwrap());
    let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
    let rule = Rule { criterion: Criterion::Seconds, threshold: 10.0, ..Rule::EXACT };
    let head = Request { count: 1, each: [4, 0, 0, 0, 0, 0, 0, 0], ..Request::default() };
    let options = NodePassOptions::default();
    assert_eq!(pass.decide(&nodes, &rule, 1), Err(Error::WrongState));
    assert_eq!(pass.add_running(&nodes, jobs[0], 0, 100, &LIMIT), Err(Error::WrongState));
    let fits = Request { each: [1, 1, 0, 0, 0, 0, 0, 0], ..head };
    assert_eq!(pass.begin(&nodes, 0, 1, &fits, &options), Err(Error::HeadFits));
    assert_eq!(pass.begin(&nodes, i64::MAX, 1, &head, &options), Err(Error::OutOfRange));
    for (wrong, error) in [
        (NodePassOptions { scenarios: 63, ..options }, Error::OutOfRange),
        (NodePassOptions { confidence: f64::NAN, ..options }, Error::NotANumber),
        (NodePassOptions { confidence: 1.0, ..options }, Error::OutOfRange),
    ] {
        assert_eq!(pass.begin(&nodes, 0, 1, &head, &wrong), Err(error));
    }
    pass.begin(&nodes, 0, 1, &head, &options).unwrap();
    assert_eq!(pass.add_running(&nodes, 77, 0, 100, &LIMIT), Err(Error::UnknownJob));
    assert_eq!(pass.add_running(&nodes, jobs[0], -1, 100, &LIMIT), Err(Error::OutOfRange));
    assert_eq!(pass.add_running(&nodes, jobs[0], 0, 100, &LIMIT), Ok(0));
    assert_eq!(pass.add_running(&nodes, jobs[1], 0, 1000, &LIMIT), Ok(1));
    assert_eq!(pass.add_running(&nodes, jobs[1], 0, 1000, &LIMIT), Err(Error::Full));
    let away = [Part { node: 0, tasks: 1 }];
    assert_eq!(pass.add_placed(&nodes, &head, &away, 5, &LIMIT), Err(Error::DoesNotFit));
    assert_eq!(
        pass.add_placed(&nodes, &fits, &[Part { node: 9, tasks: 1 }], 5, &LIMIT),
        Err(Error::NoSuchIndex)
    );
    assert_eq!(pass.add_candidate(&nodes, &fits, Fit::Best, -5, &LIMIT), Err(Error::OutOfRange));
    // The head starts on node 0 after 100 seconds. On node 0 a job of 300 seconds costs it 200, on node 1 nothing.
    assert_eq!(pass.add_placed(&nodes, &fits, &away, 300, &LIMIT), Ok(0));
    assert_eq!(pass.add_placed(&nodes, &fits, &[Part { node: 1, tasks: 1 }], 300, &LIMIT), Ok(1));
    assert_eq!(pass.add_candidate(&nodes, &fits, Fit::Best, 5, &LIMIT), Err(Error::Full));
    assert_eq!(pass.commit(&mut nodes, 0), Err(Error::WrongState));
    for (wrong, error) in [
        (Rule { threshold: f64::NAN, ..rule }, Error::NotANumber),
        (Rule { threshold: -1.0, ..rule }, Error::OutOfRange),
        (Rule { criterion: Criterion::Bound, ..rule }, Error::OutOfRange),
    ] {
        assert_eq!(pass.decide(&nodes, &wrong, 1), Err(error));
    }
    assert_eq!(pass.decide(&nodes, &rule, 1), Ok(Step::More));
    assert_eq!(pass.decide(&nodes, &Rule { threshold: 9.0, ..rule }, 1), Err(Error::WrongState));
    assert_eq!(pass.decide(&nodes, &rule, u64::MAX), Ok(Step::Accept(1)));
    assert_eq!(pass.judgement(0).unwrap().delay, 200.0);
    assert_eq!(pass.judgement(0).unwrap().verdict, Verdict::Refused);
    assert_eq!(pass.judgement(1).unwrap().delay, 0.0);
    assert_eq!(pass.judgement(2), Err(Error::NoSuchIndex));
    assert_eq!(pass.head_wait().unwrap().value, 100.0);
    assert_eq!(pass.decide(&nodes, &rule, 1), Err(Error::WrongState));
    assert_eq!(pass.decline(0), Err(Error::NoSuchIndex));
    let handle = pass.commit(&mut nodes, 1).unwrap();
    assert_eq!(nodes.free(1).unwrap()[..2], [1, 6]);
    assert_eq!(pass.decide(&nodes, &rule, 1), Ok(Step::Done));
    // The machine has changed behind the pass's back.
    nodes.release(handle).unwrap();
    assert_eq!(pass.decide(&nodes, &rule, 1), Err(Error::WrongState));
}

/// The library's own choice of nodes stays away from the head job's.
#[test]
fn apart_is_where_the_head_is_not_disturbed() {
    let mut memory = vec![0u64; 4096];
    let (nodes, jobs) = small(&mut memory);
    let limits = pass_capacity(2, 2);
    let mut block = block(NodePass::size(&limits).unwrap());
    let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
    let head = Request { count: 1, each: [4, 0, 0, 0, 0, 0, 0, 0], ..Request::default() };
    pass.begin(&nodes, 0, 1, &head, &NodePassOptions::default()).unwrap();
    pass.add_running(&nodes, jobs[0], 0, 100, &LIMIT).unwrap();
    pass.add_running(&nodes, jobs[1], 0, 1000, &LIMIT).unwrap();
    let narrow = Request { each: [1, 1, 0, 0, 0, 0, 0, 0], ..head };
    let best = pass.add_candidate(&nodes, &narrow, Fit::Best, 300, &LIMIT).unwrap();
    let apart = pass.add_candidate(&nodes, &narrow, Fit::Apart, 300, &LIMIT).unwrap();
    let rule = Rule { criterion: Criterion::Probability, threshold: 0.5, ..Rule::EXACT };
    let judged = judge_all(&mut pass, &nodes, &rule, u64::MAX, 2);
    let mut parts = [Part::default(); 1];
    pass.placement(best, &mut parts).unwrap();
    assert_eq!((parts[0].node, judged[best].verdict), (0, Verdict::Refused));
    pass.placement(apart, &mut parts).unwrap();
    assert_eq!((parts[0].node, judged[apart].delay), (1, 0.0));
}

/// Licences are waited for as nodes are, and a head job that no end makes room for gets its own verdict.
#[test]
fn resources_of_the_whole_machine_count() {
    let mut memory = vec![0u64; 4096];
    let (mut nodes, _) = small(&mut memory);
    let licences = |count| [count, 0, 0, 0, 0, 0, 0, 0];
    nodes.set_pool(&licences(2)).unwrap();
    let request = |count| Request { count: 1, pool: licences(count), ..Request::default() };
    let holder = nodes.allocate(&request(1), &[Part { node: 0, tasks: 1 }]).unwrap();
    assert_eq!(nodes.set_pool(&licences(0)), Err(Error::OutOfRange));
    let limits = pass_capacity(2, 2);
    let mut block = block(NodePass::size(&limits).unwrap());
    let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
    let rule = Rule { criterion: Criterion::Seconds, threshold: 1.0, ..Rule::EXACT };
    for (wanted, expected) in [(2, [Verdict::Refused, Verdict::Accepted]), (3, [Verdict::HeadNever; 2])] {
        pass.begin(&nodes, 0, 1, &request(wanted), &NodePassOptions::default()).unwrap();
        pass.add_running(&nodes, holder, 0, 100, &LIMIT).unwrap();
        pass.add_candidate(&nodes, &request(1), Fit::Best, 200, &LIMIT).unwrap();
        pass.add_candidate(&nodes, &request(0), Fit::Best, 200, &LIMIT).unwrap();
        let judged = judge_all(&mut pass, &nodes, &rule, u64::MAX, 2);
        assert_eq!([judged[0].verdict, judged[1].verdict], expected);
        assert!(wanted == 3 || judged[0].delay == 100.0);
    }
}
