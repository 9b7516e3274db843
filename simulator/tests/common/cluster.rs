//! A cluster of a thousand nodes with partitions that overlap, played second by second by a rule of its own: each
//! partition's first job that has no room is guarded by a reservation of nodes by the limits, as is known of the jobs
//! that run on them. What it records is what Slurm's commands print.

use super::nodes::splitmix::splitmix;

pub const NODES: usize = 1000;
pub const CORES: u32 = 4;
pub const SEPARATOR: &str = "|0123456789abcdef|";
/// The second at which the record begins.
pub const BEGIN: i64 = 1_700_000_000;
const DAY: i64 = 86_400;
const HOUR: i64 = 3600;

/// A partition's name, its nodes, and the share of the users whose it is.
pub struct Partition {
    pub name: &'static str,
    pub nodes: std::ops::Range<usize>,
    share: f64,
    /// The widest job, as a power of two, and the range of its users' usual run times in seconds.
    widest: u32,
    usual: (f64, f64),
}

pub const PARTITIONS: [Partition; 5] = [
    Partition { name: "batch", nodes: 0..800, share: 0.5, widest: 7, usual: (1800.0, 6.0 * 3600.0) },
    Partition { name: "all", nodes: 0..1000, share: 0.1, widest: 9, usual: (1800.0, 3.0 * 3600.0) },
    Partition { name: "long", nodes: 500..900, share: 0.15, widest: 5, usual: (4.0 * 3600.0, 20.0 * 3600.0) },
    Partition { name: "gpu", nodes: 880..1000, share: 0.2, widest: 4, usual: (900.0, 8.0 * 3600.0) },
    Partition { name: "debug", nodes: 0..40, share: 0.05, widest: 2, usual: (60.0, 900.0) },
];

/// A job as it was submitted, and what became of it.
#[derive(Debug, Clone)]
pub struct Job {
    pub id: i64,
    pub user: usize,
    pub partition: usize,
    pub submit: i64,
    pub limit: i64,
    pub run_time: i64,
    pub nodes: usize,
    pub priority: i64,
    pub start: i64,
    pub held: Vec<usize>,
}

impl Job {
    pub fn end(&self) -> i64 {
        self.start + self.run_time
    }
}

/// A span in which no job starts on a node, and the name of the node's state.
#[derive(Debug, Clone)]
pub struct Closed {
    pub node: usize,
    pub from: i64,
    pub to: i64,
    /// Without a job, and with one that goes on.
    pub states: [&'static str; 2],
}

pub struct Cluster {
    pub jobs: Vec<Job>,
    pub closed: Vec<Closed>,
}

/// Draws.
pub struct Luck(u64);

impl Luck {
    fn share(&mut self) -> f64 {
        (splitmix(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, most: usize) -> usize {
        (self.share() * most as f64) as usize
    }

    /// Between two numbers, evenly in their logarithms.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.share())
    }

    /// A number of the normal distribution.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

struct User {
    partition: usize,
    usual: f64,
    /// The deviation of the logarithm of the run times.
    spread: f64,
    widest: u32,
    /// The factor from its usual run time to its limits.
    margin: f64,
    tier: i64,
}

fn users(luck: &mut Luck) -> Vec<User> {
    let mut users = Vec::new();
    for (partition, of) in PARTITIONS.iter().enumerate() {
        for number in 0..(of.share * 60.0) as usize {
            users.push(User {
                partition,
                usual: luck.between(of.usual.0, of.usual.1),
                spread: 0.1 + 0.7 * luck.share(),
                widest: luck.below(of.widest as usize + 1) as u32,
                margin: luck.between(1.2, 6.0),
                tier: i64::from(number % 5 == 4),
            });
        }
    }
    users
}

/// The jobs of this number of days, which bring this share of all node seconds.
fn submissions(luck: &mut Luck, days: i64, load: f64) -> Vec<Job> {
    let users = users(luck);
    let mut jobs: Vec<Job> = Vec::new();
    let (mut work, mut last) = ([0.0; PARTITIONS.len()], [0_i64; PARTITIONS.len()]);
    // Each partition's demand is its share of the nodes: sessions follow each other by the work that they bring.
    let demand = [0.62, 0.12, 0.17, 0.085, 0.001].map(|share: f64| share * load * NODES as f64);
    for partition in 0..PARTITIONS.len() {
        let own: Vec<usize> = (0..users.len()).filter(|&user| users[user].partition == partition).collect();
        while last[partition] < days * DAY {
            let user = own[luck.below(own.len())];
            let of = &users[user];
            let time = (work[partition] / demand[partition]) as i64;
            // By day three times as many as at night.
            let hour = time % DAY;
            let time = time - hour + (DAY as f64 * (hour as f64 / DAY as f64).powf(0.7)) as i64;
            last[partition] = time;
            let nodes = 1_usize << luck.below(of.widest as usize + 1);
            let most = luck.between(1.5, 40.0) as usize;
            for _ in 0..1 + luck.below(most) {
                let run_time = (of.usual * (of.spread * luck.normal()).exp()).clamp(20.0, 47.0 * 3600.0);
                let wanted = (of.usual * of.margin / 1800.0).ceil().clamp(1.0, 96.0) as i64 * 1800;
                let run_time = (run_time as i64).min(wanted);
                let submit = BEGIN + time + luck.below(120) as i64;
                work[partition] += nodes as f64 * run_time as f64;
                jobs.push(Job {
                    id: 0,
                    user,
                    partition,
                    submit,
                    limit: wanted,
                    run_time,
                    nodes,
                    // Six hours of waiting for a user of the upper tier.
                    priority: 1_000_000 - (submit - BEGIN) / 60 + 360 * of.tier,
                    start: 0,
                    held: Vec::new(),
                });
            }
        }
    }
    jobs.sort_by_key(|job| job.submit);
    for (job, id) in jobs.iter_mut().zip(1000..) {
        job.id = id;
    }
    jobs
}

/// Three nodes in a hundred are closed at any time: drained, reserved or failing.
fn closures(luck: &mut Luck, days: i64) -> Vec<Closed> {
    const STATES: [[&str; 2]; 5] = [
        ["drained", "draining"],
        ["drain", "drng"],
        ["reserved", "reserved"],
        ["fail", "failing"],
        ["drained*", "draining@"],
    ];
    let mut closed = Vec::new();
    for _ in 0..NODES * 3 / 100 {
        let mut from = -(luck.between(1.0, 60.0) * HOUR as f64) as i64;
        while from < days * DAY {
            let to = from + (luck.between(12.0, 150.0) * HOUR as f64) as i64;
            let node = luck.below(NODES);
            closed.push(Closed { node, from: BEGIN + from, to: BEGIN + to, states: STATES[luck.below(5)] });
            from = to;
        }
    }
    closed
}

/// The machine while it is played.
struct Machine {
    /// For each node the end by the limit of the job on it, 0 without one, and its end.
    limit: Vec<i64>,
    is_closed: Vec<bool>,
    /// Number of nodes of each partition that are free and open.
    free: [usize; PARTITIONS.len()],
    /// For each node since when a job ahead has reserved it in this pass, and until when.
    reserved: Vec<(i64, i64)>,
}

impl Machine {
    fn is_open(&self, node: usize, now: i64, limit: i64) -> bool {
        self.limit[node] == 0 && !self.is_closed[node] && now + limit <= self.reserved[node].0
    }

    /// The nodes on which a job may start now, the first ones.
    fn room(&self, job: &Job, now: i64) -> Option<Vec<usize>> {
        if self.free[job.partition] < job.nodes {
            return None;
        }
        let nodes = PARTITIONS[job.partition].nodes.clone();
        let found: Vec<usize> =
            nodes.filter(|&node| self.is_open(node, now, job.limit)).take(job.nodes).collect();
        (found.len() == job.nodes).then_some(found)
    }

    fn count_free(&mut self) {
        for (free, of) in self.free.iter_mut().zip(&PARTITIONS) {
            *free = of.nodes.clone().filter(|&node| self.limit[node] == 0 && !self.is_closed[node]).count();
        }
    }

    /// Reserves nodes for a job from the first time on at which there are enough: of those that are free then the first
    /// ones.
    fn reserve(&mut self, job: &Job, now: i64) {
        let nodes = PARTITIONS[job.partition].nodes.clone().filter(|&node| !self.is_closed[node]);
        let from = |node: usize| {
            self.limit[node].max(now).max(match self.reserved[node] {
                (i64::MAX, _) => 0,
                (_, to) => to,
            })
        };
        let all: Vec<(i64, usize)> = nodes.map(|node| (from(node), node)).collect();
        let mut when = all.clone();
        when.sort_unstable();
        let Some(&(start, _)) = when.get(job.nodes - 1) else { return };
        for &(_, node) in all.iter().filter(|(from, _)| *from <= start).take(job.nodes) {
            let reserved = &mut self.reserved[node];
            *reserved = (reserved.0.min(start), start + job.limit);
        }
    }
}

impl Cluster {
    /// Plays a cluster under this load for this number of days of submissions, a pass a minute, until all jobs have
    /// started.
    pub fn played(seed: u64, days: i64, load: f64) -> Cluster {
        let mut luck = Luck(seed);
        let mut jobs = submissions(&mut luck, days, load);
        let closed = closures(&mut luck, 3 * days);
        let mut machine = Machine {
            limit: vec![0; NODES],
            is_closed: vec![false; NODES],
            free: [0; PARTITIONS.len()],
            reserved: vec![(i64::MAX, 0); NODES],
        };
        let (mut waiting, mut running): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let (mut next, mut now) = (0, BEGIN);
        while next < jobs.len() || !waiting.is_empty() {
            now += 60;
            let mut changed = false;
            running.retain(|&job: &usize| {
                let job: &Job = &jobs[job];
                let ended = job.end() <= now;
                if ended {
                    job.held.iter().for_each(|&node| machine.limit[node] = 0);
                }
                changed |= ended;
                !ended
            });
            while jobs.get(next).is_some_and(|job| job.submit <= now) {
                waiting.push(next);
                next += 1;
                changed = true;
            }
            let before = machine.is_closed.clone();
            machine.is_closed.fill(false);
            for span in closed.iter().filter(|span| span.from <= now && now < span.to) {
                machine.is_closed[span.node] = true;
            }
            if !changed && before == machine.is_closed {
                continue;
            }
            waiting.sort_by_key(|&job| (std::cmp::Reverse(jobs[job].priority), jobs[job].submit, job));
            machine.reserved.fill((i64::MAX, 0));
            machine.count_free();
            let mut is_guarded = [false; PARTITIONS.len()];
            waiting.retain(|&number: &usize| {
                let job = &mut jobs[number];
                if let Some(held) = machine.room(job, now) {
                    held.iter().for_each(|&node| machine.limit[node] = now + job.limit);
                    (job.start, job.held) = (now, held);
                    machine.count_free();
                    running.push(number);
                    return false;
                }
                if !std::mem::replace(&mut is_guarded[job.partition], true) {
                    machine.reserve(job, now);
                }
                true
            });
        }
        Cluster { jobs, closed }
    }

    /// The jobs that wait at a moment.
    pub fn waiting(&self, now: i64) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(move |job| job.submit <= now && now < job.start)
    }

    /// The output of squeue, with the nodes of the running jobs or without.
    pub fn squeue(&self, now: i64, with_nodes: bool) -> String {
        let present = self.jobs.iter().filter(|job| job.submit <= now && now < job.end());
        let line = |job: &Job| {
            let runs = job.start <= now;
            let (id, user, used) =
                (job.id.to_string(), format!("u{}", job.user), span((now - job.start).max(0)));
            let (nodes, cores) = (job.nodes.to_string(), (job.nodes as u32 * CORES).to_string());
            let (limit, submit, priority) =
                (span(job.limit), job.submit.to_string(), job.priority.to_string());
            let (state, why) = if runs { ("RUNNING", "None") } else { ("PENDING", "Priority") };
            let used = if runs { used } else { "0:00".to_owned() };
            let front = [&id, &user, PARTITIONS[job.partition].name, state, &nodes, &cores, &limit, &used];
            let rest = [&submit, &priority, why, "a", "N/A", "N/A", "(null)", "", "N/A", "(null)", "(null)"];
            let held = if runs { list(&job.held) } else { String::new() };
            let fields: Vec<&str> = front.into_iter().chain(rest).collect();
            let own: &[&str] = if with_nodes { &[&held, "x"] } else { &["x"] };
            fields.iter().chain(own).flat_map(|field| [SEPARATOR, field]).collect::<String>() + "\n"
        };
        present.map(line).collect()
    }

    /// The output of sinfo.
    pub fn sinfo(&self, now: i64) -> String {
        let mut held = [false; NODES];
        for job in self.jobs.iter().filter(|job| job.start <= now && now < job.end()) {
            job.held.iter().for_each(|&node| held[node] = true);
        }
        let mut states = held.map(|held| if held { "allocated" } else { "idle" });
        for span in self.closed.iter().filter(|span| span.from <= now && now < span.to) {
            states[span.node] = span.states[usize::from(held[span.node])];
        }
        let mut text = String::new();
        for (node, state) in states.iter().enumerate() {
            for of in PARTITIONS.iter().filter(|of| of.nodes.contains(&node)) {
                text += &format!("{}|{}|{state}|{CORES}\n", name(node), of.name);
            }
        }
        text
    }

    /// The output of sacct.
    pub fn sacct(&self, now: i64) -> String {
        let mut ended: Vec<&Job> = self.jobs.iter().filter(|job| job.end() <= now && job.start > 0).collect();
        ended.sort_by_key(|job| job.end());
        let line = |job: &Job| {
            let (user, cores) = (format!("u{}", job.user), (job.nodes as u32 * CORES).to_string());
            let times = [job.submit, job.start, job.end(), job.limit / 60].map(|time| time.to_string());
            let state = if job.run_time == job.limit { "TIMEOUT" } else { "COMPLETED" };
            let [submit, start, end, limit] = &times;
            let nodes = job.nodes.to_string();
            let partition = PARTITIONS[job.partition].name;
            [&user, partition, state, submit, start, end, limit, &nodes, &cores, "x"].join(SEPARATOR) + "\n"
        };
        ended.into_iter().map(line).collect()
    }
}

fn name(node: usize) -> String {
    format!("n{node:04}")
}

/// Nodes as Slurm lists them: n[0000-0003,0007].
fn list(nodes: &[usize]) -> String {
    let mut spans: Vec<[usize; 2]> = Vec::new();
    for &node in nodes {
        match spans.last_mut() {
            Some([_, last]) if *last + 1 == node => *last = node,
            _ => spans.push([node; 2]),
        }
    }
    match spans[..] {
        [[one, other]] if one == other => name(one),
        _ => {
            let text = |&[from, to]: &[usize; 2]| match from == to {
                true => format!("{from:04}"),
                false => format!("{from:04}-{to:04}"),
            };
            format!("n[{}]", spans.iter().map(text).collect::<Vec<String>>().join(","))
        }
    }
}

/// A span as squeue prints it.
fn span(seconds: i64) -> String {
    let (days, hours) = (seconds / DAY, seconds / HOUR % 24);
    format!("{days}-{hours:02}:{:02}:{:02}", seconds / 60 % 60, seconds % 60)
}
