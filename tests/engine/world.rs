//! A stand-in for a resource manager with nodes: states, features, reservations, licences, and jobs that are drawn. It
//! does not use the engine. Beside it a naive machine that computes what fits, and EASY on it.

use crate::machine::{ORIGIN, Random};
use surefill::engine::{JobReport, JobState, NodeReport, NodeState, Reservation, Wants};
use surefill::nodes::{Fit, Part, Spread};
use surefill::runtime::RuntimeDistribution;

pub const KINDS: usize = 2;

#[derive(Clone, Debug)]
pub struct Job {
    pub id: i64,
    pub queues: Vec<u32>,
    pub wants: Wants,
    pub count: u32,
    pub limit: i64,
    pub tier: i32,
    pub submit: i64,
    pub state: JobState,
    pub start: i64,
    pub run_time: i64,
    pub restarts: u32,
    pub parts: Vec<Part>,
    /// Whether every report names the nodes.
    pub says_parts: bool,
    pub holds_nothing: bool,
    pub over: i64,
    pub stopped: i64,
    pub stopped_since: i64,
    pub prediction: Option<RuntimeDistribution>,
}

impl Job {
    pub fn holds(&self) -> bool {
        self.state.has_room() && !(self.state == JobState::Suspended && self.holds_nothing)
    }

    pub fn is_over(&self) -> bool {
        matches!(self.state, JobState::Ended | JobState::Broken | JobState::Gone)
    }

    pub fn age(&self, now: i64) -> i64 {
        let until = if self.state == JobState::Suspended { self.stopped_since } else { now };
        until - self.start - self.stopped
    }

    pub fn report(&self, now: i64) -> JobReport<'_> {
        let ended = self.state == JobState::Ended;
        JobReport {
            id: self.id,
            state: self.state,
            user: 1,
            submit: self.submit,
            start: if self.state.has_room() || ended { self.start } else { 0 },
            limit: self.limit,
            ran: if ended { self.age(self.over.min(now)) } else { 0 },
            tier: self.tier,
            count: self.count,
            restarts: self.restarts,
            holds_nothing: self.holds_nothing,
            queues: &self.queues,
            wants: self.wants,
            parts: if self.says_parts && self.state.has_room() { &self.parts } else { &[] },
            prediction: self.prediction.as_ref(),
            ..JobReport::default()
        }
    }
}

#[derive(Clone)]
pub struct Node {
    pub pool: u32,
    pub report: NodeReport,
}

#[derive(Clone, Debug)]
pub struct Booked {
    pub key: i64,
    pub pool: u32,
    pub from: i64,
    pub to: i64,
    pub nodes: Vec<u32>,
}

impl Booked {
    pub fn report(&self) -> Reservation<'_> {
        let &Booked { key, pool, from, to, ref nodes } = self;
        Reservation { pool, key, from, to, nodes }
    }
}

#[derive(Clone)]
pub struct World {
    pub random: Random,
    pub now: i64,
    pub nodes: Vec<Node>,
    /// The pool of each queue, and its nodes if it lists them.
    pub queues: Vec<(u32, Option<Vec<u32>>)>,
    pub licences: [u32; 8],
    pub booked: Vec<Booked>,
    pub jobs: Vec<Job>,
    /// The jobs that have changed in this second, each with its phase.
    pub touched: Vec<(u32, i64)>,
    /// Whether the manager is a sane one: no job runs where there is no room, and nodes keep their pools.
    pub sane: bool,
    pub predicted: bool,
    next_id: i64,
}

/// Free amounts on a naive machine.
#[derive(Clone)]
pub struct Free {
    pub left: Vec<[i64; KINDS]>,
    /// The jobs on each node, and those of them that are alone there.
    pub jobs: Vec<(i64, i64)>,
    pub licences: [i64; 8],
}

impl Free {
    pub fn change(&mut self, wants: &Wants, parts: &[Part], takes: i64) {
        for part in parts {
            let node = part.node as usize;
            for kind in 0..KINDS {
                self.left[node][kind] -= takes * i64::from(wants.each[kind]) * i64::from(part.tasks);
            }
            self.jobs[node].0 += takes;
            self.jobs[node].1 += takes * i64::from(wants.exclusive);
        }
        for (left, own) in self.licences.iter_mut().zip(wants.licences) {
            *left -= takes * i64::from(own);
        }
    }

    /// Number of tasks that find room on a node, wherever it is.
    pub fn room(&self, wants: &Wants, count: u32, node: usize) -> i64 {
        let (jobs, alone) = self.jobs[node];
        if alone > 0 || wants.exclusive && jobs > 0 {
            return 0;
        }
        let most = if wants.spread == Spread::Nodes { 1 } else { i64::from(count) };
        let kinds = (0..KINDS).filter(|&kind| wants.each[kind] > 0);
        kinds.map(|kind| self.left[node][kind].max(0) / i64::from(wants.each[kind])).fold(most, i64::min)
    }

    pub fn is_licensed(&self, wants: &Wants) -> bool {
        self.licences.iter().zip(wants.licences).all(|(left, own)| own == 0 || i64::from(own) <= *left)
    }
}

impl World {
    pub fn new(seed: u64, sane: bool, predicted: bool) -> World {
        let mut random = Random::new(seed);
        let pools = 1 + random.below(2) as u32;
        let count = 2 + random.below(7) as u32;
        let mut world = World {
            now: ORIGIN,
            nodes: Vec::new(),
            queues: vec![(0, None), (0, None), (0, None), (pools - 1, None)],
            licences: [random.below(4) as u32, 0, 0, 0, 0, 0, 0, 3],
            booked: Vec::new(),
            jobs: Vec::new(),
            touched: Vec::new(),
            sane,
            predicted,
            next_id: 1,
            random,
        };
        for number in 0..count {
            let report = world.node(number);
            let pool = world.random.below(u64::from(pools)) as u32;
            world.nodes.push(Node { pool: if number == 0 { 0 } else { pool }, report });
        }
        for queue in 1..3 {
            let nodes = (0..count).filter(|_| world.random.one_in(2)).collect();
            world.queues[queue].1 = world.random.one_in(2).then_some(nodes);
        }
        world
    }

    pub fn pools(&self) -> u32 {
        1 + self.queues.iter().map(|queue| queue.0).max().unwrap()
    }

    fn node(&mut self, number: u32) -> NodeReport {
        let random = &mut self.random;
        let mut amounts = [0; 8];
        amounts[0] = random.of(&[2, 4, 4, 8]);
        amounts[1] = random.of(&[0, 8, 8, 30]);
        let weight = random.of(&[0, 0, 0, 7, u32::MAX]);
        NodeReport {
            state: NodeState::Up,
            name: number.into(),
            until: 0,
            features: random.below(8),
            amounts,
            weight,
        }
    }

    fn touch(&mut self, phase: u32, id: i64) {
        self.touched.retain(|&(_, other)| other != id);
        self.touched.push((phase, id));
    }

    pub fn job(&mut self, id: i64) -> &mut Job {
        self.jobs.iter_mut().find(|job| job.id == id && !job.is_over()).unwrap()
    }

    pub fn pool(&self, job: &Job) -> u32 {
        self.queues[job.queues[0] as usize].0
    }

    fn draw(&mut self) -> Job {
        let own = self.random.below(4) as u32;
        let other = self.random.below(3) as u32;
        let alike = self.queues[own as usize].0 == 0 && own != other;
        let random = &mut self.random;
        let mut each = [0; 8];
        each[0] = random.of(&[1, 1, 2, 4, 3]);
        each[1] = random.of(&[0, 0, 1, 4]);
        if random.one_in(20) && !self.sane {
            each = [0; 8];
        }
        let feature = |random: &mut Random, n| if random.one_in(n) { 1 << random.below(3) } else { 0 };
        let wants = Wants {
            each,
            licences: [if random.one_in(4) { 1 + random.below(2) as u32 } else { 0 }, 0, 0, 0, 0, 0, 0, 0],
            features: feature(random, 4),
            any: feature(random, 6) | feature(random, 6),
            without: feature(random, 6),
            reservation: if random.one_in(8) { 1 + random.below(2) as i64 } else { 0 },
            spread: random.of(&[Spread::Nodes, Spread::Tasks]),
            exclusive: random.one_in(5),
        };
        let limit = random.spread(9);
        let run_time = (limit * random.below(110) as i64 / 100).clamp(1, limit);
        let predicted = RuntimeDistribution::single(random.of(&[run_time, limit, 5])).unwrap();
        self.next_id += 1;
        Job {
            id: self.next_id,
            queues: if alike && random.one_in(3) { vec![own, other] } else { vec![own] },
            wants,
            count: random.of(&[1, 1, 2, 3, 6]),
            limit,
            tier: if random.one_in(5) { 1 } else { 0 },
            submit: self.now,
            state: JobState::Waiting,
            start: 0,
            run_time,
            restarts: 0,
            parts: Vec::new(),
            says_parts: random.one_in(2),
            holds_nothing: random.one_in(2),
            over: 0,
            stopped: 0,
            stopped_since: 0,
            prediction: self.predicted.then_some(predicted),
        }
    }

    /// Advances the time and lets something happen.
    pub fn step(&mut self) {
        self.touched.clear();
        self.now += self.random.spread(6);
        let now = self.now;
        self.jobs.retain(|job| !job.is_over() || job.over + 50 > now);
        let ends = |job: &&mut Job| job.state == JobState::Running && job.age(now) >= job.run_time;
        let mut ended = Vec::new();
        for job in self.jobs.iter_mut().filter(ends) {
            (job.state, job.over) = (JobState::Ended, now);
            ended.push(job.id);
        }
        ended.into_iter().for_each(|id| self.touch(0, id));
        if self.jobs.len() < 25 {
            for _ in 0..self.random.below(4) {
                let job = self.draw();
                let id = job.id;
                self.jobs.push(job);
                self.touch(1, id);
                if self.random.one_in(8) {
                    self.adopt(id);
                }
            }
        }
        for place in 0..self.jobs.len() {
            if self.random.one_in(10) && !self.touched.iter().any(|one| one.1 == self.jobs[place].id) {
                self.change(place);
            }
        }
        for number in 0..self.nodes.len() {
            if self.random.one_in(15) {
                self.change_node(number);
            }
        }
        if self.random.one_in(15) {
            self.licences[0] = self.random.below(4) as u32;
        }
        if self.random.one_in(12) {
            let (key, count) = (1 + self.random.below(2) as i64, self.nodes.len() as u32);
            self.booked.retain(|booked| booked.key != key);
            let (from, length) = (now + self.random.spread(7) - 20, self.random.spread(7));
            let nodes = (0..count).filter(|_| self.random.one_in(3)).collect();
            self.booked.push(Booked { key, pool: 0, from, to: from + length, nodes });
        }
        self.booked.retain(|_| !self.random.one_in(60));
        self.touched.sort();
    }

    /// Lets the manager start a job on nodes of its own choice.
    fn adopt(&mut self, id: i64) {
        let job = self.jobs.iter().find(|job| job.id == id).unwrap().clone();
        let free = self.free();
        let (mut parts, mut missing) = (Vec::new(), job.count);
        for node in 0..self.nodes.len() {
            let any = if self.sane { 0 } else { self.random.below(3) as i64 };
            let tasks = free.room(&job.wants, job.count, node).max(any).min(i64::from(missing)) as u32;
            if tasks > 0 && self.random.one_in(2) {
                parts.push(Part { node: node as u32, tasks });
                missing -= tasks;
            }
        }
        if self.sane && (missing > 0 || !free.is_licensed(&job.wants)) || parts.is_empty() {
            return;
        }
        if !self.sane && self.random.one_in(5) {
            parts.clear();
        }
        let now = self.now;
        let job = self.job(id);
        (job.state, job.start, job.parts, job.says_parts) = (JobState::Running, now, parts, true);
        job.stopped = 0;
        self.touch(2, id);
    }

    fn change(&mut self, place: usize) {
        let (now, what, queue) = (self.now, self.random.below(7), self.random.below(4) as u32);
        let (sane, limit) = (self.sane, self.random.spread(9));
        let free = self.free();
        let job = &mut self.jobs[place];
        let fits = job
            .parts
            .iter()
            .all(|part| free.room(&job.wants, part.tasks, part.node as usize) >= i64::from(part.tasks));
        let back = !sane || fits && free.is_licensed(&job.wants);
        match job.state {
            JobState::Waiting if what == 0 => (job.state, job.over) = (JobState::Gone, now),
            JobState::Waiting if what == 1 => (job.limit, job.run_time) = (limit, limit),
            JobState::Waiting if what == 2 => job.queues = vec![queue],
            JobState::Running if what == 0 => {
                (job.state, job.stopped_since) = (JobState::Suspended, now);
            }
            JobState::Suspended if what < 4 && (back || !job.holds_nothing) => {
                job.stopped += now - job.stopped_since;
                job.state = JobState::Running;
            }
            JobState::Running if what == 1 && now > job.start => {
                (job.state, job.restarts, job.start) = (JobState::Waiting, job.restarts + 1, 0);
                job.parts.clear();
            }
            JobState::Running if what == 2 && !sane => job.queues = vec![queue],
            JobState::Running if what == 3 && !sane => job.wants.each[1] += 1,
            _ => return,
        }
        let id = job.id;
        self.touch(1, id);
    }

    fn change_node(&mut self, number: usize) {
        let now = self.now;
        let fresh = self.node(number as u32);
        let pool = self.random.below(u64::from(self.pools())) as u32;
        let what = self.random.below(9);
        let later = now + self.random.spread(8);
        let sane = self.sane;
        let node = &mut self.nodes[number];
        match what {
            0 | 1 => (node.report.state, node.report.until) = (NodeState::Awaited, later),
            2 => node.report.state = NodeState::Down,
            3 => node.report.state = NodeState::Closed,
            4 if !sane => node.report.amounts = fresh.amounts,
            5 if !sane => node.report.features = fresh.features,
            6 if !sane => node.pool = pool,
            _ => node.report.state = NodeState::Up,
        }
        if node.report.state != NodeState::Awaited {
            node.report.until = 0;
        }
    }

    /// Free amounts beside all running jobs.
    pub fn free(&self) -> Free {
        let mut free = Free {
            left: self.nodes.iter().map(|node| [0, 1].map(|k| i64::from(node.report.amounts[k]))).collect(),
            jobs: vec![(0, 0); self.nodes.len()],
            licences: self.licences.map(i64::from),
        };
        for job in self.jobs.iter().filter(|job| job.holds()) {
            free.change(&job.wants, &job.parts, 1);
        }
        free
    }

    /// Whether a job may be on a node as far as its wants, a queue and the reservations go.
    pub fn admits(&self, job: &Job, queue: u32, number: u32) -> bool {
        let node = &self.nodes[number as usize];
        let wants = &job.wants;
        let (pool, listed) = &self.queues[queue as usize];
        let end = self.now + job.limit;
        let here = |booked: &&Booked| booked.pool == *pool && booked.nodes.contains(&number);
        let crosses = |booked: &&Booked| booked.to > self.now && booked.from < end;
        let own = |booked: &&Booked| booked.key == wants.reservation;
        let mut all = self.booked.iter().filter(here).filter(crosses);
        node.pool == *pool
            && listed.as_ref().is_none_or(|nodes| nodes.contains(&number))
            && node.report.features & wants.features == wants.features
            && (wants.any == 0 || node.report.features & wants.any != 0)
            && node.report.features & wants.without == 0
            && all.all(|booked| own(&booked))
            && (wants.reservation == 0
                || self.booked.iter().filter(here).any(|one| own(&one) && one.to > self.now))
    }

    /// Whether the time of a job has come.
    pub fn may_start(&self, job: &Job) -> bool {
        let pool = self.pool(job);
        let mut own = self.booked.iter().filter(|one| one.key == job.wants.reservation && one.pool == pool);
        job.state == JobState::Waiting && !own.any(|one| one.from > self.now)
    }

    pub fn is(&self, number: u32, state: NodeState) -> bool {
        let report = &self.nodes[number as usize].report;
        let past = report.state == NodeState::Awaited && report.until <= self.now;
        !past && report.state == state
    }

    /// Starts a job.
    pub fn start(&mut self, id: i64, parts: &[Part]) {
        let now = self.now;
        let job = self.job(id);
        assert_eq!(job.state, JobState::Waiting);
        (job.state, job.start, job.parts, job.stopped) = (JobState::Running, now, parts.to_vec(), 0);
    }
}

/// Finds nodes, naively.
fn place(world: &World, free: &Free, job: &Job, queue: u32, fit: Fit) -> Option<Vec<Part>> {
    place_apart(world, free, job, queue, fit, |_| false)
}

/// Finds nodes as `place` does, but nodes that are avoided come last.
fn place_apart(
    world: &World,
    free: &Free,
    job: &Job,
    queue: u32,
    fit: Fit,
    avoided: impl Fn(u32) -> bool,
) -> Option<Vec<Part>> {
    let up = |node: &u32| world.is(*node, NodeState::Up) || world.is(*node, NodeState::Awaited);
    let admitted = (0..world.nodes.len() as u32).filter(up).filter(|&node| world.admits(job, queue, node));
    let room = |node: u32| free.room(&job.wants, job.count, node as usize);
    let mut ranked: Vec<(bool, u32, f64, u32)> = Vec::new();
    for node in admitted.filter(|&node| room(node) > 0) {
        let NodeReport { amounts, weight, .. } = world.nodes[node as usize].report;
        let share = |kind: usize| {
            let left = (free.left[node as usize][kind] - i64::from(job.wants.each[kind])).max(0);
            if amounts[kind] == 0 { 0.0 } else { left as f64 * (1.0 / f64::from(amounts[kind])) }
        };
        let (weight, left) = if fit == Fit::First { (0, 0.0) } else { (weight, share(0) + share(1)) };
        ranked.push((avoided(node), weight, left, node));
    }
    ranked.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let (mut parts, mut missing) = (Vec::new(), i64::from(job.count));
    for (.., node) in ranked {
        let tasks = room(node).min(missing);
        if tasks > 0 {
            parts.push(Part { node, tasks: tasks as u32 });
            missing -= tasks;
        }
    }
    parts.sort();
    (missing == 0 && free.is_licensed(&job.wants)).then_some(parts)
}

/// Puts a job on the machine at the time of the first one's start, unless that has no room beside it.
fn stays(world: &World, then: &mut Free, first: (&Job, u32), fit: Fit, job: &Job, parts: &[Part]) -> bool {
    then.change(&job.wants, parts, 1);
    let beside = place(world, then, first.0, first.1, fit).is_some();
    if !beside {
        then.change(&job.wants, parts, -1);
    }
    beside
}

/// The queue of each job that some nodes could hold: the first in which it fits now and no job submitted before it
/// waits, else the first in which it fits now, else the first whose nodes could hold it.
fn choose(world: &World, queue: &[&Job], here: &Free, empty: &Free, fit: Fit) -> Vec<(i64, u32)> {
    let mut jobs = queue.to_vec();
    jobs.sort_by_key(|job| (job.submit, job.id));
    let mut waited = Vec::new();
    let mut chosen = Vec::new();
    for job in jobs {
        let fits = |free: &Free, queue: u32| place(world, free, job, queue, fit).is_some();
        let now: Vec<u32> = job.queues.iter().copied().filter(|&queue| fits(here, queue)).collect();
        let several = job.queues.len() > 1;
        let apart = now.iter().find(|queue| several && !waited.contains(*queue));
        let could = || job.queues.iter().find(|&&queue| fits(empty, queue));
        let Some(&queue) = apart.or(now.first().filter(|_| several)).or_else(could) else { continue };
        if !now.contains(&queue) {
            waited.push(queue);
        }
        chosen.push((job.id, queue));
    }
    chosen
}

/// EASY on a pool's nodes by the time limits: the jobs that start, with their nodes.
pub fn easy(world: &World, pool: u32, fit: Fit) -> Vec<(i64, Vec<Part>)> {
    let now = world.now;
    let mut free = world.free();
    // The ends: jobs at their limits, and awaited nodes.
    let mut ends: Vec<(i64, Wants, Vec<Part>)> = Vec::new();
    for job in world.jobs.iter().filter(|job| job.holds()) {
        ends.push(((job.limit - job.age(now)).max(1), job.wants, job.parts.clone()));
    }
    let mut empty = free.clone();
    ends.iter().for_each(|(_, wants, parts)| empty.change(wants, parts, -1));
    for node in 0..world.nodes.len() as u32 {
        if world.is(node, NodeState::Awaited) && free.jobs[node as usize].1 == 0 {
            let exclusive = free.jobs[node as usize].0 == 0;
            let mut each = [0; 8];
            (0..KINDS).for_each(|kind| each[kind] = free.left[node as usize][kind] as u32);
            let (wants, part) =
                (Wants { each, exclusive, ..Wants::default() }, vec![Part { node, tasks: 1 }]);
            free.change(&wants, &part, 1);
            ends.push((world.nodes[node as usize].report.until - now, wants, part));
        }
    }
    let mut queue: Vec<&Job> =
        world.jobs.iter().filter(|job| world.pool(job) == pool && world.may_start(job)).collect();
    queue.sort_by_key(|job| (-job.tier, job.submit, job.id));
    let chosen = choose(world, &queue, &free, &empty, fit);
    let mut started = Vec::new();
    let mut guard: Option<(i64, Free, &Job, u32)> = None;
    for job in queue {
        let Some(&(_, queue)) = chosen.iter().find(|(id, _)| *id == job.id) else { continue };
        let found = place(world, &free, job, queue, fit);
        match (&mut guard, found) {
            (None, None) => {
                ends.sort_by_key(|end| end.0);
                let (mut then, mut shadow) = (free.clone(), i64::MAX);
                for place_of in 0..ends.len() {
                    let (at, wants, parts) = &ends[place_of];
                    then.change(wants, parts, -1);
                    let last = ends.get(place_of + 1).is_none_or(|next| next.0 > *at);
                    if last && place(world, &then, job, queue, fit).is_some() {
                        shadow = *at;
                        break;
                    }
                }
                guard = Some((shadow, then, job, queue));
            }
            (None, Some(parts)) => {
                free.change(&job.wants, &parts, 1);
                ends.push((job.limit, job.wants, parts.clone()));
                started.push((job.id, parts));
            }
            (Some((shadow, then, head, of_head)), Some(parts)) => {
                let first = (*head, *of_head);
                let mut parts = parts;
                if job.limit > *shadow && !stays(world, then, first, fit, job, &parts) {
                    // Off the nodes that the first blocked job needs, if there are others.
                    let room = |node: u32| {
                        world.admits(head, *of_head, node)
                            && then.room(&head.wants, head.count, node as usize) > 0
                    };
                    let others = place_apart(world, &free, job, queue, Fit::Best, room);
                    let Some(others) = others else { continue };
                    if !stays(world, then, first, fit, job, &others) {
                        continue;
                    }
                    parts = others;
                }
                free.change(&job.wants, &parts, 1);
                started.push((job.id, parts));
            }
            _ => {}
        }
    }
    started
}
