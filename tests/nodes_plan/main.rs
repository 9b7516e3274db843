//! The plan on machines of nodes that jobs share, beside slow checks on plain vectors: over random machines and queues,
//! for a job that waits alone, across checkpoints, and (`hostile`) with a careless caller's calls.

mod hostile;
#[path = "../plan_naive/random.rs"]
mod random;
#[path = "../common/splitmix.rs"]
mod splitmix;

use random::Random;
use surefill::nodes::{
    Amounts, Fit, NodePlan, NodePlanCapacity, Nodes, NodesCapacity, Part, Request, Spread,
};
use surefill::plan::{LONGEST, PlanRule, WINDOW, WaitingJob};
use surefill::schedule::RecentWaits;

/// The first instant of a plan's grid that is not before this one: every second until 32, then 16 an octave.
fn up(time: i64) -> i64 {
    let time = time.clamp(1, i64::from(LONGEST));
    (0..24)
        .map(|shift| 1 << shift)
        .find(|unit| time <= 32 * unit)
        .map_or(time, |unit| (time + unit - 1) / unit * unit)
}

fn amounts(values: &[u32]) -> Amounts {
    let mut amounts = Amounts::default();
    amounts[..values.len()].copy_from_slice(values);
    amounts
}

/// A node: its class's features and capacity, its free amounts, its number of jobs, and whether one holds it alone.
#[derive(Clone, Debug)]
struct Plain {
    features: u64,
    capacity: Amounts,
    open: bool,
    free: Amounts,
    jobs: u32,
    held: bool,
}

/// A machine as plain vectors.
#[derive(Clone, Debug)]
struct Machine {
    nodes: Vec<Plain>,
    pool: Amounts,
}

impl Machine {
    fn room(&self, request: &Request, node: usize) -> u64 {
        let node = &self.nodes[node];
        let able = node.open && !node.held && node.features & request.features == request.features;
        if !able || (request.exclusive && node.jobs > 0) {
            return 0;
        }
        let most = if request.spread == Spread::Nodes { 1 } else { u64::from(request.count) };
        let kinds = request.each.iter().zip(node.free).filter(|(each, _)| **each > 0);
        kinds.fold(most, |room, (&each, free)| room.min(u64::from(free / each)))
    }

    fn fits(&self, request: &Request) -> bool {
        let rooms: u64 = (0..self.nodes.len()).map(|node| self.room(request, node)).sum();
        rooms >= u64::from(request.count)
            && request.pool.iter().zip(self.pool).all(|(need, free)| *need <= free)
    }

    /// Starts a job, if its nodes and the licences suffice.
    fn start(&mut self, request: &Request, parts: &[Part]) {
        assert_eq!(parts.iter().map(|part| part.tasks).sum::<u32>(), request.count);
        assert!(parts.windows(2).all(|pair| pair[0].node < pair[1].node), "{parts:?}");
        for part in parts {
            assert!(
                part.tasks > 0 && u64::from(part.tasks) <= self.room(request, part.node as usize),
                "{part:?}"
            );
            let node = &mut self.nodes[part.node as usize];
            node.free.iter_mut().zip(request.each).for_each(|(free, each)| *free -= each * part.tasks);
            node.jobs += 1;
            node.held |= request.exclusive;
        }
        for (free, need) in self.pool.iter_mut().zip(request.pool) {
            *free = free.checked_sub(need).expect("there are licences");
        }
    }

    fn end(&mut self, request: &Request, parts: &[Part]) {
        for part in parts {
            let node = &mut self.nodes[part.node as usize];
            node.free.iter_mut().zip(request.each).for_each(|(free, each)| *free += each * part.tasks);
            node.jobs -= 1;
            node.held = false;
        }
        self.pool.iter_mut().zip(request.pool).for_each(|(free, need)| *free += need);
    }

    /// The first instant at which a request fits when these jobs have ended in turn; not before the first of these
    /// ends if it must wait for one (`later`). `None` for never.
    fn first(&self, request: &Request, later: bool, ends: &[(i64, &Request, &[Part])]) -> Option<i64> {
        let (mut machine, mut ends) = (self.clone(), ends.to_vec());
        ends.sort_by_key(|end| end.0);
        if !later && machine.fits(request) {
            return Some(0);
        }
        for (place, (end, leaving, parts)) in ends.iter().enumerate() {
            machine.end(leaving, parts);
            if ends.get(place + 1).is_none_or(|next| next.0 > *end) && machine.fits(request) {
                return Some(*end);
            }
        }
        None
    }
}

/// A running job: its nodes, its end, its end by the limit, and the machine's handle.
#[derive(Clone, Debug)]
struct Running {
    request: Request,
    parts: Vec<Part>,
    ends: i64,
    limit: i64,
    handle: u32,
}

impl Running {
    fn expected(&self) -> i64 {
        self.ends * 3 / 4
    }
}

const CAPACITY: NodePlanCapacity =
    NodePlanCapacity { nodes: 24, classes: 3, resources: 3, running: 300, waiting: 130, parts: 6000 };

fn memory(bytes: usize) -> Vec<u64> {
    vec![u64::MAX; bytes.div_ceil(8)]
}

fn new_plan(capacity: &NodePlanCapacity, seed: u64) -> Vec<u64> {
    let mut block = memory(NodePlan::size(capacity).unwrap());
    NodePlan::init(bytemuck::cast_slice_mut(&mut block), capacity, seed).unwrap();
    block
}

fn new_waits(count: u32) -> Vec<u64> {
    let mut block = memory(RecentWaits::size(count).unwrap());
    RecentWaits::init(bytemuck::cast_slice_mut(&mut block), count).unwrap();
    block
}

fn waits(block: &mut [u64]) -> RecentWaits<'_> {
    RecentWaits::attach(bytemuck::cast_slice_mut(block)).unwrap()
}

fn plan(block: &mut [u64]) -> NodePlan<'_> {
    NodePlan::attach(bytemuck::cast_slice_mut(block)).unwrap()
}

fn machine(block: &mut [u64]) -> Nodes<'_> {
    Nodes::attach(bytemuck::cast_slice_mut(block)).unwrap()
}

fn new_nodes(capacity: &NodesCapacity, classes: &[(u64, Amounts, u32)]) -> Vec<u64> {
    let mut block = memory(Nodes::size(capacity).unwrap());
    let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut block), capacity).unwrap();
    for (features, capacity, count) in classes {
        let class = nodes.add_class(*features, capacity).unwrap();
        nodes.add_nodes(class, *count).unwrap();
    }
    block
}

/// The decision of a pass: the jobs that start with their nodes, in the plan's order, and the planned starts.
#[derive(Clone, Debug, PartialEq)]
struct Decided {
    started: Vec<(usize, Vec<Part>)>,
    planned: Vec<Option<u32>>,
}

/// A machine and its queue, drawn from a seed.
struct World {
    random: Random,
    rule: PlanRule,
    nodes: Vec<u64>,
    plain: Machine,
    running: Vec<Running>,
    queue: Vec<(WaitingJob, Request, Fit)>,
    plan: Vec<u64>,
    /// Goes on in other blocks, and must decide alike.
    moved: Vec<u64>,
    recent: Vec<u64>,
    counted: Vec<u64>,
    kinds: usize,
    /// Number of jobs for each one that wants its nodes alone, octaves of the times, and whether there are tiers.
    alone: u64,
    octaves: u64,
    tiers: bool,
    burst: u64,
    next: i64,
    /// Passes, jobs planned for later, front jobs that wait, jobs started, jobs held back.
    counts: [usize; 5],
}

impl World {
    fn new(seed: u64) -> World {
        let mut random = Random(seed);
        let kinds = 1 + random.below(3) as usize;
        let mut classes = Vec::new();
        for _ in 0..1 + random.below(3) {
            let each: Vec<u32> = (0..kinds).map(|_| random.below(9) as u32).collect();
            let mut each = amounts(&each);
            each[0] = each[0].max(1);
            classes.push((random.of(&[0, 1, 2, 3]), each, 1 + random.below(8) as u32));
        }
        let pool = amounts(&[random.below(4) as u32, 5]);
        let count: u32 = classes.iter().map(|class| class.2).sum();
        let capacity = NodesCapacity { nodes: count, classes: 3, resources: 3, jobs: 300, parts: 3000 };
        let mut nodes = new_nodes(&capacity, &classes);
        machine(&mut nodes).set_pool(&pool).unwrap();
        let plain = classes.iter().flat_map(|&(features, capacity, count)| {
            let node = Plain { features, capacity, open: true, free: capacity, jobs: 0, held: false };
            vec![node; count as usize]
        });
        let octaves = random.of(&[6, 10, 14, 17, 30]);
        let (mut recent, mut counted) = (new_waits(250), new_waits(250));
        for _ in 0..random.of(&[0, 60, 100, 240]) {
            let (waited, credit) = (random.spread(octaves.min(13)), random.spread(10));
            waits(&mut recent).add(waited).unwrap();
            waits(&mut counted).add(waited + credit).unwrap();
        }
        World {
            rule: PlanRule {
                proposals: random.of(&[0, 7, 50]),
                front: random.of(&[0.3, 0.998, 1.0]),
                slack: random.of(&[0.0, 0.0, 0.05, 1.5]),
                ..random.of(&[PlanRule::FAIR, PlanRule::FAST])
            },
            plain: Machine { nodes: plain.collect(), pool },
            nodes,
            running: Vec::new(),
            queue: Vec::new(),
            plan: new_plan(&CAPACITY, seed),
            moved: new_plan(&CAPACITY, seed),
            recent,
            counted,
            kinds,
            alone: random.of(&[1, 2, 6, 100]),
            octaves,
            tiers: random.one_in(3),
            burst: random.of(&[2, 5, 10, 30]),
            next: 0,
            counts: [0; 5],
            random,
        }
    }

    fn request(&mut self) -> Request {
        let random = &mut self.random;
        let like = random.below(self.plain.nodes.len() as u64) as usize;
        let (features, capacity) = (self.plain.nodes[like].features, self.plain.nodes[like].capacity);
        let mut each = Amounts::default();
        for (kind, each) in each.iter_mut().enumerate().take(self.kinds) {
            let most = u64::from(capacity[kind]) + u64::from(random.one_in(30));
            *each = random.below(most + 1).min(random.below(most + 1)) as u32;
        }
        let widest = self.plain.nodes.len() as u64 * 5 / 4 + 1;
        let mut pool = Amounts::default();
        if random.one_in(4) {
            pool[0] = random.below(3) as u32;
            pool[1] = random.below(4) as u32;
        }
        Request {
            count: 1 + random.below(widest).min(random.below(widest)).min(random.below(widest)) as u32,
            spread: random.of(&[Spread::Nodes, Spread::Tasks]),
            each,
            pool,
            features: if random.one_in(3) { features } else { 0 },
            exclusive: random.one_in(self.alone),
        }
    }

    fn submit(&mut self) {
        let request = self.request();
        let random = &mut self.random;
        let run_time = random.spread(self.octaves);
        let job = WaitingJob {
            id: self.next,
            processors: request.count * request.each[0].max(1),
            run_time,
            limit: random.of(&[run_time, run_time / 2, run_time * 3, 1 << 40]),
            waited: if random.one_in(10) { random.spread(self.octaves) } else { 0 },
            credit: if random.one_in(9) { random.spread(self.octaves) } else { 0 },
            tier: if self.tiers { random.of(&[0, 0, 0, 1, -3, i32::MAX, i32::MIN]) } else { 0 },
            promised: 0,
            later: random.one_in(12),
        };
        let fit = random.of(&[Fit::First, Fit::Best, Fit::Apart]);
        self.next += 1;
        self.queue.push((job, request, fit));
    }

    /// Advances the time: jobs end and come, nodes are closed and opened.
    fn go_on(&mut self) {
        let passed = if self.random.one_in(5) { 0 } else { self.random.spread(self.octaves.min(20)) };
        let mut nodes = machine(&mut self.nodes);
        self.queue.iter_mut().for_each(|(job, ..)| job.waited = (job.waited + passed).min(1 << 40));
        self.running
            .iter_mut()
            .for_each(|job| (job.ends, job.limit) = (job.ends - passed, job.limit - passed));
        for job in self.running.iter().filter(|job| job.ends <= 0) {
            nodes.release(job.handle).unwrap();
            self.plain.end(&job.request, &job.parts);
        }
        self.running.retain(|job| job.ends > 0);
        for (number, node) in self.plain.nodes.iter_mut().enumerate() {
            if self.random.one_in(if node.open { 40 } else { 4 }) {
                node.open = !node.open;
                nodes.set_open(number as u32, node.open).unwrap();
            }
        }
        for _ in 0..self.random.below(self.burst + 1) {
            if self.queue.len() < 120 {
                self.submit();
            }
        }
    }

    fn tell(plan: &mut NodePlan, nodes: &Nodes, running: &[Running], queue: &[(WaitingJob, Request, Fit)]) {
        plan.begin(nodes).unwrap();
        for job in running {
            plan.add_running(nodes, job.handle, job.expected(), job.limit.max(0)).unwrap();
        }
        for (number, (job, request, fit)) in queue.iter().enumerate() {
            assert_eq!(plan.add_waiting(nodes, job, request, *fit), Ok(number));
        }
    }

    fn decided(plan: &NodePlan, count: usize) -> Decided {
        let started = plan.starting().map(|(number, parts)| (number, parts.to_vec())).collect();
        Decided { started, planned: (0..count).map(|number| plan.planned(number).unwrap()).collect() }
    }

    /// One pass, by the block that stays and by the one that moves in its midst.
    fn pass(&mut self) -> Decided {
        let nodes = machine(&mut self.nodes);
        let (recent, counted) = (waits(&mut self.recent), waits(&mut self.counted));
        let mut staying = plan(&mut self.plan);
        World::tell(&mut staying, &nodes, &self.running, &self.queue);
        staying.decide(&nodes, &self.rule, &recent, &counted).unwrap();
        let decided = World::decided(&staying, self.queue.len());
        if self.random.one_in(3) {
            let more = self.random.below(9) as u32;
            let larger = NodePlanCapacity { waiting: 120 + more, parts: 5000 + 99 * more, ..CAPACITY };
            let mut other = new_plan(&larger, self.random.below(99));
            plan(&mut self.moved).continue_in(&mut plan(&mut other));
            self.moved = other;
        }
        let mut moving = plan(&mut self.moved);
        World::tell(&mut moving, &nodes, &self.running, &self.queue);
        if self.random.one_in(3) {
            NodePlan::seal(bytemuck::cast_slice_mut(&mut self.moved)).unwrap();
            let mut copy = self.moved.clone();
            let place = 8 + self.random.below(copy.len() as u64 - 8) as usize;
            copy[place] ^= 1 << self.random.below(64);
            assert!(NodePlan::open(bytemuck::cast_slice_mut(&mut copy)).is_err());
            copy[place] = self.moved[place];
            copy.extend([7; 9]);
            NodePlan::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
            self.moved = copy;
        }
        let mut moving = plan(&mut self.moved);
        moving.decide(&nodes, &self.rule, &recent, &counted).unwrap();
        assert_eq!(World::decided(&moving, self.queue.len()), decided);
        assert!(moving.work().evaluations <= 7 + self.rule.proposals);
        decided
    }

    /// The front job by the queue alone: it has waited longer than all jobs started.
    fn front(&mut self) -> Option<usize> {
        let long = self.rule.long_waits(&waits(&mut self.recent), LONGEST).unwrap().front;
        let waited = |number: usize| self.queue[number].0.waited.min(LONGEST.into());
        let longest = (0..self.queue.len()).rev().max_by_key(|&number| waited(number));
        longest.filter(|&number| waited(number) >= long.into())
    }

    fn check(&mut self, decided: &Decided) {
        let front = self.front();
        let (plain, queue) = (&self.plain, &self.queue);
        let ends: Vec<(i64, &Request, &[Part])> =
            self.running.iter().map(|job| (up(job.expected()), &job.request, &job.parts[..])).collect();
        let mut beside = plain.clone();
        let starts = |number: usize| decided.started.iter().any(|started| started.0 == number);
        for (place, (number, parts)) in decided.started.iter().enumerate() {
            assert!(!queue[*number].0.later && decided.planned[*number] == Some(0));
            assert!(decided.started[..place].iter().all(|other| other.0 != *number));
            // All starting jobs fit together.
            beside.start(&queue[*number].1, parts);
        }
        // No job of the window before it fits beside the running ones.
        for (number, (job, request, _)) in queue.iter().enumerate().filter(|_| queue.len() <= WINDOW) {
            let Some(planned) = decided.planned[number] else { continue };
            let first = plain.first(request, job.later, &ends).unwrap_or(LONGEST.into());
            assert!(i64::from(planned) >= first, "{number}: {planned} before {first}: {request:?}");
            self.counts[1] += usize::from(planned > 0);
            self.counts[4] += usize::from(planned == 0 && !starts(number));
            assert!(planned > 0 || starts(number) || self.rule.front < 1.0 || front.is_some());
        }
        self.together(decided, &ends);
        let Some(front) = front.filter(|&front| !starts(front)) else { return };
        self.counts[2] += 1;
        let (head, request, _) = &queue[front];
        let limit = |limit: i64| limit.clamp(1, LONGEST.into());
        let running = self.running.iter().map(|job| (limit(job.limit), &job.request, &job.parts[..]));
        let reservation = |lowest: i64| {
            let (mut then, mut limits) = (plain.clone(), running.clone().collect::<Vec<_>>());
            for (number, parts) in &decided.started {
                let (job, request, _) = &queue[*number];
                if i64::from(job.tier) >= lowest {
                    then.start(request, parts);
                    limits.push((limit(job.limit), request, parts));
                }
            }
            then.first(request, head.later, &limits)
        };
        let (promised, kept) = (reservation(i64::from(head.tier) + 1), reservation(i64::MIN));
        // Slack adds its part of the whole wait that the limits promise, a second at least.
        let promised = promised.map(|promised| {
            let longer = self.rule.slack * (head.waited.clamp(0, LONGEST.into()) + promised) as f64;
            promised + if self.rule.slack > 0.0 { (longer as i64).max(1) } else { 0 }
        });
        assert!(
            promised.is_none() || kept.is_some_and(|kept| Some(kept) <= promised),
            "{head:?} {request:?}: {promised:?} {kept:?}"
        );
    }

    /// No more of any kind is taken at once than there is, licences too, where every job has its nodes in the plan: it
    /// has few steps, and behind the last of them all nodes are free.
    fn together(&self, decided: &Decided, ends: &[(i64, &Request, &[Part])]) {
        if self.running.len() + 2 * self.queue.len() > 60 {
            return;
        }
        let planned = decided.planned.iter().zip(&self.queue).filter_map(|(start, (job, request, _))| {
            let start = start.filter(|&start| start < LONGEST)?;
            Some((i64::from(start), up(i64::from(start) + job.run_time.max(1)), request))
        });
        let planned: Vec<(i64, i64, &Request)> = planned.collect();
        let longest = i64::from(LONGEST);
        if ends.iter().map(|end| end.0).chain(planned.iter().map(|job| job.1)).any(|end| end >= longest) {
            return;
        }
        let all = |node: &Plain, kind: usize| u64::from(if node.open { node.capacity[kind] } else { 0 });
        for &(instant, ..) in &planned {
            let mut free: [u64; 3] =
                std::array::from_fn(|kind| self.plain.nodes.iter().map(|n| all(n, kind)).sum());
            let mut pool = self.plain.pool;
            for (end, request, parts) in ends {
                if *end <= instant {
                    pool.iter_mut().zip(request.pool).for_each(|(free, need)| *free += need);
                    continue;
                }
                for part in parts.iter().filter(|part| self.plain.nodes[part.node as usize].open) {
                    let taken = request.each.map(|each| u64::from(each * part.tasks));
                    free.iter_mut().zip(taken).for_each(|(free, taken)| *free -= taken);
                }
            }
            for (_, _, request) in planned.iter().filter(|(from, to, _)| (*from..*to).contains(&instant)) {
                for (free, each) in free.iter_mut().zip(request.each) {
                    *free = free.checked_sub(u64::from(each * request.count)).expect("enough on all nodes");
                }
                for (free, need) in pool.iter_mut().zip(request.pool) {
                    *free = free.checked_sub(need).expect("enough licences");
                }
            }
        }
    }

    /// Lets the starting jobs run from now on; now and then a start fails, and the job waits on.
    fn begin(&mut self, mut decided: Decided) {
        decided.started.sort();
        for (number, parts) in decided.started.into_iter().rev() {
            let (job, request, _) = self.queue[number];
            let handle = machine(&mut self.nodes).allocate(&request, &parts).unwrap();
            self.counts[3] += 1;
            if self.random.one_in(20) {
                machine(&mut self.nodes).release(handle).unwrap();
                continue;
            }
            self.plain.start(&request, &parts);
            self.queue.remove(number);
            waits(&mut self.recent).add(job.waited).unwrap();
            waits(&mut self.counted).add((job.waited + job.credit).min(1 << 40)).unwrap();
            let ends = (job.run_time * (1 + self.random.below(8) as i64) / 4).max(1);
            self.running.push(Running { request, parts, ends, limit: job.limit, handle });
        }
    }
}

#[test]
fn random_machines() {
    let mut counts = [0; 5];
    for seed in 0..60 {
        let mut world = World::new(seed);
        for _ in 0..25 {
            world.go_on();
            let decided = world.pass();
            world.counts[0] += 1;
            world.check(&decided);
            world.begin(decided);
        }
        counts.iter_mut().zip(world.counts).for_each(|(sum, here)| *sum += here);
    }
    let [passes, planned, fronts, started, held] = counts;
    assert!(passes == 1500 && planned > 8000 && fronts > 150 && started > 2000 && held > 0, "{counts:?}");
}

/// Beside a job that starts at once on a node that no other job can use, so that the queue is planned, a job that waits
/// alone is planned for the first instant at which it fits beside what runs.
#[test]
fn a_job_that_waits_alone() {
    let (mut now, mut later, mut never) = (0, 0, 0);
    for seed in 1000..1040 {
        let mut world = World::new(seed);
        world.octaves = world.octaves.min(17);
        for _ in 0..15 {
            world.go_on();
            world.queue.truncate(40);
            let decided = world.pass();
            world.begin(decided);
        }
        let nodes = machine(&mut world.nodes);
        let count = nodes.count();
        let ends: Vec<(i64, &Request, &[Part])> =
            world.running.iter().map(|job| (up(job.expected()), &job.request, &job.parts[..])).collect();
        let next_end = ends.iter().map(|end| end.0).min();
        let recent = waits(&mut world.recent);
        let alone = Request { count: 1, features: 1 << 63, exclusive: true, ..Request::default() };
        // The same machine with one node more.
        let like = |a: &Plain, b: &Plain| (a.features, a.capacity) == (b.features, b.capacity);
        let own = world.plain.nodes.chunk_by(like);
        let own: Vec<(u64, Amounts, u32)> =
            own.map(|like| (like[0].features, like[0].capacity, like.len() as u32)).collect();
        let capacity = NodesCapacity { nodes: count + 1, classes: 4, resources: 3, jobs: 400, parts: 5000 };
        let mut copy = new_nodes(&capacity, &own);
        let mut nodes = machine(&mut copy);
        let class = nodes.add_class(1 << 63, &Amounts::default()).unwrap();
        nodes.add_nodes(class, 1).unwrap();
        nodes.set_pool(&amounts(&[9, 9])).unwrap();
        let handles: Vec<u32> =
            world.running.iter().map(|job| nodes.allocate(&job.request, &job.parts).unwrap()).collect();
        let free = nodes.pool_free();
        for (number, node) in world.plain.nodes.iter().enumerate() {
            nodes.set_open(number as u32, node.open).unwrap();
        }
        let plain = Machine { pool: free, ..world.plain.clone() };
        let large = NodePlanCapacity { nodes: 40, classes: 4, ..CAPACITY };
        let (mut block, queue) = (new_plan(&large, seed), std::mem::take(&mut world.queue));
        for (job, request, fit) in queue {
            // A node without anything takes jobs that want nothing.
            let request = Request {
                each: amounts(&[request.each[0].max(1), request.each[1], request.each[2]]),
                ..request
            };
            let mut plan = plan(&mut block);
            plan.begin(&nodes).unwrap();
            for (job, &handle) in world.running.iter().zip(&handles) {
                plan.add_running(&nodes, handle, job.expected(), job.limit.max(0)).unwrap();
            }
            let small = WaitingJob { id: -1, processors: 1, later: false, ..job };
            plan.add_waiting(&nodes, &job, &request, fit).unwrap();
            plan.add_waiting(&nodes, &small, &alone, Fit::First).unwrap();
            plan.decide(&nodes, &PlanRule::FAIR, &recent, &recent).unwrap();
            let first = plain.first(&request, job.later, &ends);
            assert!(first.is_none_or(|first| first == 0 || Some(first) >= next_end));
            let expected = first.unwrap_or(LONGEST.into());
            let planned = plan.planned(0).unwrap().map(i64::from);
            assert_eq!(planned, Some(expected), "{seed}: {job:?} {request:?} {plain:?} {ends:?}");
            assert_eq!(plan.starting().count(), 1 + usize::from(first == Some(0)));
            now += usize::from(first == Some(0));
            later += usize::from(first.is_some_and(|first| first > 0));
            never += usize::from(first.is_none());
        }
    }
    assert!(now > 50 && later > 300 && never > 50, "{now} {later} {never}");
}
