//! The policy `backfill` against the same rule second by second.

use std::sync::Arc;
use surefill::nodes::{Fit, Request, Spread};
use surefill_simulator::base::random::Random;
use surefill_simulator::replay::engine::replay;
use surefill_simulator::replay::outcome::Outcome;
use surefill_simulator::replay::policy::PolicyOptions;
use surefill_simulator::replay::run::Options;
use surefill_simulator::replay::setup::Setup;
use surefill_simulator::trace::site::{BackfillRules, Outage, PartitionRules, QosRules, SiteRules};
use surefill_simulator::trace::workload::{Job, Rules, Workload};

fn workload(machine: &str, mut jobs: Vec<Job>, site: SiteRules) -> Workload {
    jobs.sort_by_key(|job| job.submit);
    jobs.iter_mut().enumerate().for_each(|(id, job)| job.id = id);
    // The first nodes, in the place of those that select/cons_tres would choose: that choice has tests of its own.
    let machine =
        machine.parse::<surefill_simulator::trace::nodes::Machine>().unwrap().placing(Some(Fit::First));
    Workload {
        jobs,
        procs: machine.processors(),
        counts: Default::default(),
        unix_start_time: None,
        nodes: Some(Arc::new(machine)),
        site: Some(Arc::new(site)),
    }
}

fn replayed(workload: &Workload, choice: &str) -> Outcome {
    let options = Options {
        choice: choice.parse().unwrap(),
        policy: PolicyOptions::default(),
        rules: Rules::default(),
    };
    let mut policy = options.build(workload).unwrap_or_else(|error| panic!("{choice}: {error}"));
    replay(workload, Setup::default(), &mut *policy, &|_| {}).unwrap()
}

fn starts(workload: &Workload, choice: &str) -> Vec<i64> {
    replayed(workload, choice).jobs.iter().map(|job| job.start).collect()
}

/// A job on nodes with cores; `features` are those of its partition.
fn job(submit: i64, (tasks, cores, spread): (u32, u32, Spread), features: u64, times: (i64, i64)) -> Job {
    let each = [1000 * cores, 0, 0, 0, 0, 0, 0, 0];
    let request = Request { count: tasks, each, spread, features, ..Request::default() };
    let (run_time, limit) = times;
    Job {
        submit,
        processors: tasks * cores,
        run_time,
        limit,
        request: Some(Arc::new(request)),
        ..Job::default()
    }
}

/// The rule as it is written, second by second and node by node.
struct Naive<'w> {
    workload: &'w Workload,
    site: &'w SiteRules,
    /// Cores and features of the nodes.
    nodes: Vec<(i64, u64)>,
    /// Running jobs with their starts and their tasks on each node.
    running: Vec<(usize, i64, Vec<i64>)>,
    waiting: Vec<usize>,
    starts: Vec<i64>,
    now: i64,
}

impl Naive<'_> {
    fn job(&self, id: usize) -> &Job {
        &self.workload.jobs[id]
    }

    fn request(&self, id: usize) -> &Request {
        self.job(id).request.as_deref().unwrap()
    }

    fn partition(&self, id: usize) -> u64 {
        self.site.partitions.get(&self.job(id).queue).map_or(0, |rules| rules.feature)
    }

    /// Tasks that fit a node at a time, by the limits of those that run.
    fn room(&self, id: usize, node: usize, at: i64) -> i64 {
        let request = self.request(id);
        let cores = i64::from(request.each[0] / 1000);
        let there = self.running.iter().filter(|(other, start, tasks)| {
            let end = (start + self.job(*other).limit).max(self.now + 1);
            tasks[node] > 0 && (at == self.now || end > at)
        });
        let there: Vec<_> = there.collect();
        let held: i64 = there
            .iter()
            .map(|(other, _, tasks)| tasks[node] * i64::from(self.request(*other).each[0] / 1000))
            .sum();
        let alone = there.iter().any(|(other, ..)| self.request(*other).exclusive);
        if alone || (request.exclusive && !there.is_empty()) {
            return 0;
        }
        let room = (self.nodes[node].0 - held) / cores;
        if request.spread == Spread::Nodes { room.min(1) } else { room }
    }

    /// The tasks of a job on the first nodes that may be used.
    fn place(&self, id: usize, at: i64, usable: impl Fn(usize) -> bool) -> Option<Vec<i64>> {
        let features = self.request(id).features | self.partition(id);
        let mut missing = i64::from(self.request(id).count);
        let place = |node: usize| {
            let own = self.nodes[node].1 & features == features && usable(node);
            let tasks = if own { self.room(id, node, at).min(missing) } else { 0 };
            missing -= tasks;
            tasks
        };
        let tasks: Vec<i64> = (0..self.nodes.len()).map(place).collect();
        (missing == 0).then_some(tasks)
    }

    fn open(&self, node: usize) -> bool {
        let out = |outage: &&Outage| outage.from <= self.now && outage.to.is_none_or(|to| to > self.now);
        !self.site.outages.iter().filter(out).any(|outage| outage.nodes.contains(&(node as u32)))
    }

    fn admits(&self, id: usize) -> bool {
        let job = self.job(id);
        let Some(rules) = self.site.qos.get(&job.qos) else { return true };
        let of = |own: &dyn Fn(&Job) -> bool| {
            let own = self.running.iter().map(|(other, ..)| self.job(*other)).filter(|other| own(other));
            own.fold((0, 0), |(jobs, all), other| (jobs + 1, all + u64::from(other.processors)))
        };
        let users = of(&|other| other.qos == job.qos && other.user == job.user);
        let all = of(&|other| other.qos == job.qos);
        let more = u64::from(job.processors);
        let cores =
            |limit: Option<u64>, used: u64| limit.is_none_or(|most| more > most || used + more <= most);
        rules.user_jobs.is_none_or(|most| users.0 < most)
            && rules.jobs.is_none_or(|most| all.0 < most)
            && cores(rules.user_processors, users.1)
            && cores(rules.processors, all.1)
    }

    fn start(&mut self, id: usize, tasks: Vec<i64>) {
        self.waiting.retain(|&other| other != id);
        self.running.push((id, self.now, tasks));
        self.starts[id] = self.now;
    }

    fn main(&mut self, depth: usize) {
        let mut failed: Vec<u64> = Vec::new();
        for id in self.waiting.clone().into_iter().take(depth) {
            let partition = self.partition(id);
            if failed.contains(&partition) || !self.admits(id) {
                continue;
            }
            let usable = |node: usize| {
                let end = self.now + self.job(id).limit;
                let mut ahead = self.site.outages.iter().filter(|outage| outage.known <= self.now);
                let clear = !ahead.any(|outage| {
                    outage.from > self.now && outage.from < end && outage.nodes.contains(&(node as u32))
                });
                let free = !failed.iter().any(|features| self.nodes[node].1 & features == *features);
                clear && free && self.open(node)
            };
            match self.place(id, self.now, usable) {
                Some(tasks) => self.start(id, tasks),
                None => failed.push(partition),
            }
        }
    }

    /// A pass; whether it has started any.
    fn backfill(&mut self) -> bool {
        let rules = &self.site.backfill;
        let (now, unit) = (self.now, rules.resolution_s);
        let down = |time: i64| time.div_euclid(unit) * unit;
        let up = |time: i64| -(-time).div_euclid(unit) * unit;
        // Seconds from `origin` on in which a node is reserved.
        let origin = down(now);
        let mut reserved = vec![vec![false; 4000]; self.nodes.len()];
        let mut outside = vec![vec![false; 4000]; self.nodes.len()];
        let mut lost = vec![false; self.nodes.len()];
        let take = |of: &mut Vec<bool>, from: i64, to: i64| {
            for at in down(from).max(origin)..up(to).min(origin + 4000) {
                of[(at - origin) as usize] = true;
            }
        };
        for outage in
            self.site.outages.iter().filter(|outage| outage.known <= now && outage.to.unwrap() > now)
        {
            for &node in &outage.nodes {
                if outage.known < outage.from {
                    take(&mut outside[node as usize], outage.from, outage.to.unwrap());
                } else {
                    lost[node as usize] = true;
                }
            }
        }
        let mut tested: Vec<usize> = Vec::new();
        for &id in &self.waiting {
            let own = |other: &&usize| self.partition(**other) == self.partition(id);
            let user = |other: &&usize| self.job(**other).user == self.job(id).user;
            let many = |most: u32, count: usize| most > 0 && count >= most as usize;
            if self.admits(id)
                && !many(rules.job_part, tested.iter().filter(own).count())
                && !many(rules.job_user, tested.iter().filter(user).count())
                && tested.len() < rules.job_test as usize
            {
                tested.push(id);
            }
        }
        let mut started = 0;
        for id in tested {
            if !self.admits(id) {
                continue;
            }
            let limit = self.job(id).limit;
            let at = (now..=now + rules.window_s).find_map(|at| {
                let usable = |node: usize| {
                    let (from, to) =
                        if at == now { (now, now + limit + 1) } else { (down(at), up(at + limit)) };
                    let seconds = (from - origin) as usize..(to - origin) as usize;
                    let taken = reserved[node][seconds.clone()].contains(&true)
                        || outside[node][seconds].contains(&true);
                    !taken && !lost[node] && (at > now || self.open(node))
                };
                self.place(id, at, usable).map(|tasks| (at, tasks))
            });
            match at {
                Some((at, tasks)) if at == now => {
                    self.start(id, tasks);
                    started += 1;
                    if started == rules.job_start {
                        break;
                    }
                }
                Some((at, tasks)) => {
                    for (node, _) in tasks.iter().enumerate().filter(|(_, tasks)| **tasks > 0) {
                        take(&mut reserved[node], at, at + limit);
                    }
                }
                None => {}
            }
        }
        started > 0
    }
}

/// Starts by the rule, with the jobs in the order of these keys, then of submission.
fn naive(workload: &Workload, key: impl Fn(&Job) -> i64) -> Vec<i64> {
    let site = workload.site.as_deref().unwrap();
    let classes = workload.nodes.as_ref().unwrap().classes.clone();
    let nodes = classes.iter().flat_map(|class| {
        std::iter::repeat_n((i64::from(class.amounts[0] / 1000), class.features), class.count as usize)
    });
    let mut naive = Naive {
        workload,
        site,
        nodes: nodes.collect(),
        running: Vec::new(),
        waiting: Vec::new(),
        starts: vec![-1; workload.jobs.len()],
        now: 0,
    };
    let mut open = vec![true; naive.nodes.len()];
    let (mut main, mut backfill, mut short) = (false, false, false);
    let (mut last, mut full) = (i64::MIN / 2, i64::MIN / 2);
    while naive.starts.contains(&-1) {
        let now = naive.now;
        let before = naive.running.len();
        naive.running.retain(|(id, start, _)| start + workload.jobs[*id].run_time > now);
        let submitted = workload.jobs.iter().filter(|job| job.submit == now).map(|job| job.id);
        naive.waiting.extend(submitted);
        let tier = |job: &Job| site.partitions.get(&job.queue).map_or(0, |rules| -rules.tier);
        let jobs = &workload.jobs;
        naive.waiting.sort_by_key(|&id| (tier(&jobs[id]), key(&jobs[id]), id));
        let opened: Vec<bool> = (0..naive.nodes.len()).map(|node| naive.open(node)).collect();
        // While no job waits nodes change unnoticed.
        let moved = std::mem::replace(&mut open, opened.clone()) != opened && !naive.waiting.is_empty();
        let changed =
            before != naive.running.len() || workload.jobs.iter().any(|job| job.submit == now) || moved;
        (main, backfill) = (main || changed, backfill || changed);
        // A job of no time ends in its second: there is none in these tests.
        if main || (short && !naive.waiting.is_empty() && now >= full + 60) {
            let all = now >= full + 60;
            full = if all { now } else { full };
            let depth = if all { usize::MAX } else { site.backfill.queue_depth as usize };
            let (count, waited) = (naive.running.len(), naive.waiting.len());
            naive.main(depth);
            short = waited > depth && !naive.waiting.is_empty();
            (main, backfill) = (false, backfill || naive.running.len() > count);
        }
        if site.backfill.passes
            && backfill
            && now >= last + site.backfill.interval_s
            && !naive.waiting.is_empty()
        {
            last = now;
            backfill = naive.backfill();
        }
        naive.now += 1;
        assert!(naive.now < 100_000, "{:?}", naive.waiting);
    }
    naive.starts
}

/// A random site with two partitions that overlap, on which everything counts now and then.
fn random_site(random: &mut Random) -> SiteRules {
    let some = |random: &mut Random, most: u32| (random.below(2) == 0).then(|| 1 + random.below(most));
    let mut partition = |feature| PartitionRules { feature, factor: 0.0, tier: random.below(2) as i32 };
    let partitions = [(0, partition(1)), (1, partition(2))].into();
    let qos = QosRules {
        factor: 0.0,
        user_jobs: some(random, 3),
        user_processors: some(random, 8).map(u64::from),
        jobs: some(random, 5),
        processors: some(random, 12).map(u64::from),
    };
    let outages = (0..random.below(4)).map(|_| {
        let from = i64::from(random.below(600));
        let known = from - i64::from(random.below(2) * random.below(200));
        let nodes = (0..6).filter(|_| random.below(3) == 0).collect();
        Outage { from, to: Some(from + 1 + i64::from(random.below(150))), known, nodes }
    });
    let mut outages: Vec<Outage> = outages.collect();
    outages.sort_by_key(|outage| outage.from);
    let backfill = BackfillRules {
        passes: random.below(8) > 0,
        interval_s: i64::from(random.below(2) * random.below(40)),
        window_s: 20 + i64::from(random.below(400)),
        resolution_s: [1, 1, 7, 60][random.below(4) as usize],
        span_s: 0,
        linear_s: 0,
        job_test: [500, 3][random.below(2) as usize],
        job_part: random.below(2) * random.below(4),
        job_user: random.below(2) * random.below(4),
        job_start: random.below(2) * random.below(3),
        queue_depth: [100, 2][random.below(2) as usize],
    };
    SiteRules { partitions, qos: [(1, qos)].into(), outages, backfill, ..SiteRules::default() }
}

#[test]
fn starts_are_those_of_the_rule_second_by_second() {
    let mut later = 0;
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let site = random_site(&mut random);
        let jobs = (0..40).map(|_| {
            let queue = i64::from(random.below(2));
            let spread = if random.below(2) == 0 { Spread::Nodes } else { Spread::Tasks };
            // Partitions of three and of four nodes, which share one.
            let (tasks, cores) = (1 + random.below(3), 1 + random.below(2));
            let limit = 1 + i64::from(random.below(120));
            let run_time =
                (1 + i64::from(random.below(limit as u32))).max(limit * i64::from(random.below(2)));
            let run_time = run_time + i64::from(random.below(12) / 11 * random.below(30));
            let one =
                job(i64::from(random.below(800)), (tasks, cores, spread), 1 << queue, (run_time, limit));
            let mut asked = **one.request.as_ref().unwrap();
            asked.exclusive = random.below(6) == 0;
            let (user, qos) = (i64::from(random.below(3)), i64::from(random.below(3)));
            Job { queue, user, qos, request: Some(Arc::new(asked)), ..one }
        });
        let jobs: Vec<Job> = jobs.collect();
        let workload = workload("2x(cores=2,a)+1x(cores=4,a,b)+3x(cores=2,b)", jobs, site);
        let found = starts(&workload, "backfill");
        assert_eq!(found, naive(&workload, |_| 0), "seed {seed}: {:?}", workload.site);
        later += found.iter().zip(&workload.jobs).filter(|(start, job)| **start > job.submit).count();
        if seed < 60 {
            assert_eq!(
                starts(&workload, "backfill:limit:sjf"),
                naive(&workload, |job| job.limit),
                "seed {seed}"
            );
        }
    }
    assert!(later > 2000, "{later}");
}

/// With one partition of one-core nodes the main scheduler alone is the policy `strict` on processors. (Backfill is not
/// conservative backfilling there: it plans anew in the order of the queue, where that moves up reservations in the
/// order of their times, and its reservations are of certain nodes, on which a job must find one hole, where those are
/// of any processors at each instant.)
#[test]
fn builtin_on_one_core_nodes_is_strict_on_processors() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let jobs = (0..120).map(|_| {
            let limit = 1 + i64::from(random.below(300));
            let run_time = 1 + i64::from(random.below(limit as u32));
            job(i64::from(random.below(4000)), (1 + random.below(9), 1, Spread::Tasks), 0, (run_time, limit))
        });
        let backfill = BackfillRules { passes: false, ..BackfillRules::default() };
        let nodes = workload("10x(cores=1)", jobs.collect(), SiteRules { backfill, ..SiteRules::default() });
        let mut processors = nodes.clone();
        processors.nodes = None;
        for order in ["fcfs", "sjf", "multifactor"] {
            // On nodes the size of a job is another number; it has no weight here.
            let site = Some("fairshare=1000+size=0".parse().unwrap());
            let replayed = |workload: &Workload, policy: &str| -> Vec<i64> {
                let choice = format!("{policy}:limit:{order}").parse().unwrap();
                let policy = PolicyOptions { site: site.clone(), ..PolicyOptions::default() };
                let options = Options { choice, policy, rules: Rules::default() };
                let mut policy = options.build(workload).unwrap();
                let outcome = replay(workload, Setup::default(), &mut *policy, &|_| {}).unwrap();
                outcome.jobs.iter().map(|job| job.start).collect()
            };
            assert_eq!(replayed(&nodes, "backfill"), replayed(&processors, "strict"), "{seed} {order}");
        }
    }
}

/// Partitions a (nodes 0 and 1) and b (nodes 1 and 2).
const OVERLAP: &str = "1x(cores=1,a)+1x(cores=1,a,b)+1x(cores=1,b)";

fn overlapping(interval_s: i64, jobs: Vec<Job>) -> Workload {
    let partition = |feature| PartitionRules { feature, ..PartitionRules::default() };
    let partitions = [(0, partition(1)), (1, partition(2))].into();
    let backfill = BackfillRules { interval_s, span_s: 0, ..BackfillRules::default() };
    workload(OVERLAP, jobs, SiteRules { partitions, backfill, ..SiteRules::default() })
}

#[test]
fn a_job_that_does_not_fit_keeps_later_ones_off_the_nodes_of_its_partition_until_backfill() {
    let of = |submit, queue: i64, tasks, limit| Job {
        queue,
        ..job(submit, (tasks, 1, Spread::Nodes), 1 << queue, (limit, limit))
    };
    // One node of a is held; two are wanted there. In b one job finds the node that is not a's, the next one does not.
    let jobs =
        vec![of(0, 0, 1, 500), of(5, 0, 2, 100), of(10, 1, 1, 300), of(10, 1, 1, 300), of(10, 1, 1, 900)];
    // The last would delay the job of two nodes, except on the node of b alone, which is held until 310.
    assert_eq!(starts(&overlapping(20, jobs.clone()), "backfill"), [0, 500, 10, 25, 310]);
    assert_eq!(starts(&overlapping(0, jobs), "backfill"), [0, 500, 10, 10, 310]);
}

#[test]
fn the_policy_wants_nodes() {
    let choice: surefill_simulator::replay::policy::Choice = "backfill".parse().unwrap();
    let refused = choice.build(&PolicyOptions::default()).err().unwrap().to_string();
    assert_eq!(refused, "policy backfill is for machines of nodes: give the nodes with --nodes");
}

/// Two users of one QOS, an outage of all nodes, and an announced one, under the engine's plans and under backfill.
#[test]
fn limits_and_outages_hold_under_plans_too() {
    let one =
        |submit, user, qos, limit| Job { user, qos, ..job(submit, (1, 1, Spread::Nodes), 1, (limit, limit)) };
    let mut random = Random::new(5);
    let jobs = (0..60).map(|_| {
        let limit = 20 + i64::from(random.below(100));
        one(i64::from(random.below(1500)), i64::from(random.below(2)), i64::from(random.below(2)), limit)
    });
    let jobs: Vec<Job> = jobs.collect();
    let all = (0..6).collect::<Vec<u32>>();
    let outages = vec![
        Outage { from: 300, to: Some(400), known: 300, nodes: all.clone() },
        Outage { from: 700, to: Some(800), known: 100, nodes: all },
    ];
    let qos = QosRules { user_jobs: Some(1), ..QosRules::default() };
    let weights =
        surefill_simulator::trace::site::Weights { age: 1000.0, fairshare: 5000.0, ..Default::default() };
    let partitions = [(0, PartitionRules { feature: 1, ..PartitionRules::default() })].into();
    let site = SiteRules {
        weights: Some(weights),
        partitions,
        qos: [(1, qos)].into(),
        outages,
        ..SiteRules::default()
    };
    let workload = workload("4x(cores=1,a)+2x(cores=1,b)", jobs, site);
    for choice in
        ["fair:contexts:multifactor", "fast:limit:multifactor", "backfill:limit:multifactor", "backfill"]
    {
        let outcome = replayed(&workload, choice);
        for (job, asked) in outcome.jobs.iter().zip(&workload.jobs) {
            let (start, end) = (job.start, job.end);
            assert!(!(300..400).contains(&start) && !(700..800).contains(&start), "{choice}: {start}");
            assert!(end <= 700 || start >= 800, "{choice}: {start} to {end}");
            let together = outcome.jobs.iter().zip(&workload.jobs).filter(|(other, of)| {
                of.qos == 1 && of.user == asked.user && other.start <= start && start < other.end
            });
            assert!(asked.qos == 0 || together.count() == 1, "{choice}: {start}");
            let on = outcome.jobs.iter().filter(|other| other.start <= start && start < other.end).count();
            assert!(on <= 4, "{choice}: {start}");
        }
    }
}
