//! A site's priorities ([`super::multifactor`]) at work: usage as jobs start and end, and the points of waiting jobs.

use super::fair_tree::Tree;
use super::multifactor::{CEILING, Multifactor};
use super::queue_orders::{FairShare, QueueOrder};
use crate::trace::workload::{Job, Workload};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use surefill::nodes::Spread;

/// A site's priorities at work.
pub struct Priorities {
    site: Multifactor,
    /// Usage by user; in a tree by the user's place there.
    usage: FairShare,
    /// The users that have submitted a job, without a tree.
    users: HashSet<i64>,
    tree: Option<Tree>,
    /// The time of the shares and ages: the pass, or the last multiple of the period.
    at: i64,
    /// Processors of the machine.
    processors: f64,
    /// The points of each user's fair share at that time, without a tree; without a period as far as they were needed.
    shares: HashMap<i64, f64>,
    /// Usage of the tree's users at that time, by place, and the factors that follow; empty where they are stale.
    used: Vec<f64>,
    factors: Vec<f64>,
}

impl Priorities {
    /// Priorities without any usage yet.
    pub fn new(site: &Multifactor) -> Priorities {
        let empty = Default::default();
        let shares = site.shares.as_deref().or(site.weights.fair_tree.then_some(&empty));
        Priorities {
            usage: FairShare::new(site.weights.half_life_s),
            users: HashSet::new(),
            tree: shares.map(Tree::new),
            at: if site.weights.period_s > 0 { i64::MIN } else { 0 },
            processors: 1.0,
            shares: HashMap::new(),
            used: Vec::new(),
            factors: Vec::new(),
            site: site.clone(),
        }
    }

    /// The key of a job's user among usages.
    fn key(&mut self, job: &Job) -> i64 {
        match &mut self.tree {
            Some(tree) => tree.user(job.group, job.user) as i64,
            None => job.user,
        }
    }

    /// The classic factor of a user in a flat hierarchy, 0 to 1.
    fn flat(&self, user: i64) -> f64 {
        let total = self.usage.total(self.at);
        if total <= 0.0 {
            return 1.0;
        }
        let share = self.usage.usage(user, self.at) / total;
        libm::exp2(-share * self.users.len().max(1) as f64)
    }

    /// Calculates shares anew, as they are at this time: nothing has been noted since.
    fn calculate(&mut self, at: i64) {
        self.at = at;
        self.shares.clear();
        self.factors.clear();
        if let Some(tree) = &self.tree {
            let used = (0..tree.count()).map(|place| self.usage.usage(place as i64, at));
            self.used = used.collect();
        } else if self.site.weights.period_s > 0 {
            let users = self.users.iter();
            self.shares = users.map(|&user| (user, self.site.weights.fairshare * self.flat(user))).collect();
        }
    }

    /// Calculates shares anew if a multiple of the period has passed, before anything of this time is noted.
    fn catch_up(&mut self, now: i64) {
        let period = self.site.weights.period_s;
        if period > 0 && now.div_euclid(period) * period > self.at {
            self.calculate(now.div_euclid(period) * period);
        }
    }

    /// The points of a job's fair share.
    fn of_share(&mut self, job: &Job) -> f64 {
        let weight = self.site.weights.fairshare;
        if weight == 0.0 {
            return 0.0;
        }
        let Some(tree) = &mut self.tree else {
            if let Some(&points) = self.shares.get(&job.user) {
                return points;
            }
            // With a period all users of that time are there, and others had no usage.
            let points = if self.site.weights.period_s > 0 { weight } else { weight * self.flat(job.user) };
            self.shares.insert(job.user, points);
            return points;
        };
        let place = tree.user(job.group, job.user);
        if self.factors.len() != tree.count() {
            self.factors =
                if self.site.weights.fair_tree { tree.ranks(&self.used) } else { tree.classic(&self.used) };
        }
        weight * self.factors[place]
    }

    /// The factor of a job's size, 0 to 1.
    fn size(&self, job: &Job) -> f64 {
        let mut size = (f64::from(job.width()) / self.processors).min(1.0);
        if let (Some(request), 1..) = (job.request.as_deref(), self.site.nodes) {
            let nodes = if request.spread == Spread::Nodes { request.count } else { 1 };
            size = (size + (f64::from(nodes) / f64::from(self.site.nodes)).min(1.0)) / 2.0;
        }
        if self.site.weights.favors_small { 1.0 - size } else { size }
    }

    /// A job's priority in this pass without the points of its age.
    pub fn points(&mut self, job: &Job) -> f64 {
        let of_share = self.of_share(job);
        let site = &self.site;
        let of_queue = site.queues.get(&job.queue).map_or(0.0, |factor| site.weights.partition * factor);
        let of_qos = site.of_qos.get(&job.qos).map_or(0.0, |factor| site.weights.qos * factor);
        of_share + site.weights.size * self.size(job) + of_queue + of_qos
    }

    /// A job's priority in this pass.
    pub fn priority(&mut self, job: &Job) -> f64 {
        self.points(job) + self.site.of_age(self.at.saturating_sub(job.submit))
    }

    /// Whole seconds by which the wait of each of these jobs counts as longer: the worth of its points beyond the
    /// lowest of them. 0 where points are worth no time.
    pub fn credits<'j>(&mut self, jobs: impl IntoIterator<Item = &'j Job>) -> Vec<f64> {
        let points: Vec<f64> = jobs.into_iter().map(|job| self.points(job)).collect();
        let lowest = points.iter().copied().fold(f64::INFINITY, f64::min);
        let worth = self.site.seconds_a_point().unwrap_or(0.0);
        points.into_iter().map(|points| ((points - lowest) * worth).round()).collect()
    }
}

impl QueueOrder for Priorities {
    fn value(&mut self, job: &Job, _now: i64, _predicted: i64) -> f64 {
        -(self.priority(job) + f64::from(self.site.tier(job)) * CEILING)
    }

    fn submitted(&mut self, job: &Job) {
        self.catch_up(job.submit);
        match &mut self.tree {
            Some(tree) => {
                tree.user(job.group, job.user);
            }
            None => {
                self.users.insert(job.user);
            }
        }
    }

    fn begin(&mut self, now: i64, processors: u32) {
        self.processors = f64::from(processors.max(1));
        match self.site.weights.period_s {
            0 => self.calculate(now),
            _ => self.catch_up(now),
        }
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.catch_up(now);
        let key = self.key(job);
        self.usage.hold(key, f64::from(job.processors), now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.catch_up(now);
        let key = self.key(job);
        self.usage.hold(key, -f64::from(job.processors), now);
    }
}

impl Multifactor {
    /// Every job's priority at its submission in a replay of this workload, in order of submission; `times` are the
    /// jobs' starts and ends there.
    pub fn at_submission(&self, workload: &Workload, times: &[(i64, i64)]) -> Vec<f64> {
        let mut priorities = Priorities::new(&self.on(workload));
        let mut running: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
        let mut starts: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
        let jobs = &workload.jobs;
        let mut points = Vec::with_capacity(jobs.len());
        for of_a_second in jobs.chunk_by(|a, b| a.submit == b.submit) {
            let now = of_a_second.first().map_or(0, |job| job.submit);
            // Starts and ends in this very second change no usage before the next.
            let next = |heap: &BinaryHeap<Reverse<(i64, usize)>>| heap.peek().map(|&Reverse(first)| first);
            while let Some((at, id)) =
                next(&starts).into_iter().chain(next(&running)).min().filter(|&(at, _)| at < now)
            {
                if next(&starts) == Some((at, id)) {
                    starts.pop();
                    priorities.started(&jobs[id], at);
                    running.push(Reverse((times[id].1, id)));
                } else {
                    running.pop();
                    priorities.ended(&jobs[id], at);
                }
            }
            of_a_second.iter().for_each(|job| priorities.submitted(job));
            priorities.begin(now, workload.procs);
            for job in of_a_second {
                points.push(priorities.points(job));
                starts.push(Reverse((times[job.id].0, job.id)));
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::replay::engine::replay;
    use crate::replay::outcome::Outcome;
    use crate::replay::policy::{Choice, PolicyOptions};
    use crate::replay::setup::Setup;
    use std::cmp::Ordering;
    use std::collections::BTreeSet;

    const PROCS: u32 = 32;

    fn workload(mut jobs: Vec<Job>) -> Workload {
        jobs.sort_by_key(|job| job.submit);
        jobs.iter_mut().enumerate().for_each(|(id, job)| job.id = id);
        Workload {
            jobs,
            procs: PROCS,
            counts: Default::default(),
            unix_start_time: None,
            nodes: None,
            site: None,
        }
    }

    /// Jobs of six users, one of them unknown, in three queues, on a machine that is too small for them.
    fn random(seed: u64, jobs: u32) -> Workload {
        let mut random = Random::new(seed);
        let job = |_| {
            let run_time = random.log_uniform(1.0, 20_000.0) as i64;
            Job {
                submit: i64::from(random.below(jobs * 500)),
                run_time,
                limit: run_time + i64::from(random.below(4000)),
                processors: 1 + random.below(PROCS),
                user: i64::from(random.below(6)) - 1,
                queue: i64::from(random.below(3)),
                group: i64::from(random.below(3)),
                qos: i64::from(random.below(2)),
                ..Job::default()
            }
        };
        workload((0..jobs).map(job).collect())
    }

    fn site(text: &str) -> Multifactor {
        text.parse().unwrap()
    }

    fn replayed(workload: &Workload, choice: &str, site: &Multifactor) -> Outcome {
        let choice: Choice = choice.parse().unwrap();
        let options = PolicyOptions { site: Some(site.clone()), ..PolicyOptions::default() };
        replay(workload, Setup::default(), &mut *choice.build(&options).unwrap(), &|_| {}).unwrap()
    }

    /// A job's priority by the formulas of Slurm's manual, from the whole history: `ran` are the jobs that have
    /// started, with their starts.
    fn naive(site: &Multifactor, job: &Job, now: i64, all: &[Job], ran: &[(usize, i64)]) -> f64 {
        let at = if site.weights.period_s > 0 { now - now % site.weights.period_s } else { now };
        let left = |time: i64| {
            if site.weights.half_life_s > 0.0 {
                (-(at - time) as f64 / site.weights.half_life_s).exp2()
            } else {
                1.0
            }
        };
        let used = |of: &dyn Fn(&Job) -> bool| -> f64 {
            let own = ran.iter().filter(|(id, start)| of(&all[*id]) && *start < at);
            let spans = own.map(|&(id, start)| {
                let end = at.min(start + all[id].run_time);
                let seconds = if site.weights.half_life_s > 0.0 {
                    site.weights.half_life_s / std::f64::consts::LN_2 * (left(end) - left(start))
                } else {
                    (end - start) as f64
                };
                f64::from(all[id].processors) * seconds
            });
            spans.sum()
        };
        let so_far = all.iter().filter(|other| other.submit <= now);
        let fair_share = if site.weights.fair_tree {
            let users: BTreeSet<(i64, i64)> = so_far.map(|other| (other.group, other.user)).collect();
            let accounts: BTreeSet<i64> = users.iter().map(|user| user.0).collect();
            let total = used(&|_| true);
            // Share over usage of the account, then of the user in it.
            let level = |used: f64, of: f64, siblings: usize| {
                if used > 0.0 { 1.0 / siblings as f64 / (used / of) } else { f64::INFINITY }
            };
            let path = |user: &(i64, i64)| {
                let account = used(&|other| other.group == user.0);
                let own = used(&|other| (other.group, other.user) == *user);
                let siblings = users.iter().filter(|other| other.0 == user.0).count();
                [level(account, total, accounts.len()), level(own, account, siblings)]
            };
            let own = path(&(job.group, job.user));
            let ahead = users.iter().filter(|user| path(user).partial_cmp(&own) == Some(Ordering::Greater));
            (users.len() - ahead.count()) as f64 / users.len() as f64
        } else {
            let known = so_far.filter(|other| site.weights.period_s == 0 || other.submit < at);
            let users: BTreeSet<i64> = known.map(|other| other.user).collect();
            let (own, total) = (used(&|other| other.user == job.user), used(&|_| true));
            if total > 0.0 { (-(own / total) * users.len() as f64).exp2() } else { 1.0 }
        };
        let age = ((at - job.submit).max(0) as f64 / site.weights.max_age_s).min(1.0);
        let size = f64::from(job.processors) / f64::from(PROCS);
        site.weights.fairshare * fair_share
            + site.weights.age * age
            + site.weights.size * if site.weights.favors_small { 1.0 - size } else { size }
            + site.weights.partition * site.queues.get(&job.queue).unwrap_or(&0.0)
            + site.weights.qos * site.of_qos.get(&job.qos).unwrap_or(&0.0)
    }

    const SITES: [&str; 8] = [
        "fairshare=100000",
        "fairshare=9000+age=70000+size=4000+max-age=9000+half-life=3000",
        "partition=50000+queue0=0.3+queue2=1+half-life=0+tier1=2",
        "fairshare=0+age=500+tier0=-1+tier2=1",
        "fairshare=70000+age=9000+half-life=9000+period=900",
        "fairshare=9000+size=4000+favor-small=1+qos=2000+qos1=0.5+period=300+fair-tree=1",
        "fairshare=9000+age=0+size=0+half-life=20000+fair-tree=1",
        "fairshare=0+age=9000+max-age=3000+size=0+period=3600",
    ];

    #[test]
    fn starts_are_those_of_priorities_from_the_whole_history() {
        for (seed, text) in (1..).zip(SITES) {
            let (site, workload) = (site(text), random(seed, 160));
            let outcome = replayed(&workload, "strict:limit:multifactor", &site);
            let (jobs, mut ran, mut submitted) = (&workload.jobs, Vec::new(), 0);
            let (mut waiting, mut idle): (Vec<usize>, i64) = (Vec::new(), PROCS.into());
            let mut ends: std::collections::BTreeSet<(i64, usize)> = std::collections::BTreeSet::new();
            let mut at_submission = Vec::new();
            loop {
                let first_end = ends.first().map(|&(end, _)| end);
                let submission = jobs.get(submitted).map(|job| job.submit);
                let Some(now) = submission.into_iter().chain(first_end).min() else { break };
                while let Some(&(end, id)) = ends.first().filter(|&&(end, _)| end == now) {
                    ends.remove(&(end, id));
                    idle += i64::from(jobs[id].processors);
                }
                while jobs.get(submitted).is_some_and(|job| job.submit == now) {
                    at_submission.push(naive(&site, &jobs[submitted], now, jobs, &ran));
                    waiting.push(submitted);
                    submitted += 1;
                }
                let key = |id: usize| (site.tier(&jobs[id]), naive(&site, &jobs[id], now, jobs, &ran), id);
                let mut keys: Vec<(i8, f64, usize)> = waiting.iter().map(|&id| key(id)).collect();
                keys.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
                waiting = keys.into_iter().map(|(_, _, id)| id).collect();
                while let Some(&id) = waiting.first().filter(|&&id| i64::from(jobs[id].processors) <= idle) {
                    waiting.remove(0);
                    idle -= i64::from(jobs[id].processors);
                    ran.push((id, now));
                    ends.insert((now + jobs[id].run_time, id));
                }
            }
            for &(id, start) in &ran {
                assert_eq!(outcome.jobs[id].start, start, "{text}: job {id}");
            }
            assert!(outcome.jobs.iter().filter(|job| job.start > job.submit).count() > 60, "{text}");
            let found = site.at_submission(&workload, &outcome.times());
            assert_eq!(found.len(), at_submission.len());
            for (found, wanted) in found.iter().zip(at_submission) {
                assert!((found - wanted).abs() <= 1e-6 * (1.0 + wanted), "{text}: {found} {wanted}");
            }
        }
    }

    #[test]
    fn every_policy_that_takes_an_order_finishes_in_this_one() {
        let (site, workload) = (site(SITES[1]), random(9, 120));
        for policy in
            ["easy:limit", "easy++:mean2", "delay:mix", "lookahead:limit", "fair:contexts", "fast:limit"]
        {
            assert_eq!(replayed(&workload, &format!("{policy}:multifactor"), &site).jobs.len(), 120);
        }
    }

    /// The start of a job of 4 hours behind two dozen of ten minutes, all of them as wide as the machine, which is held
    /// until 1,000.
    fn long_among_short(site: &Multifactor, choice: &str) -> i64 {
        let whole = Job { processors: PROCS, ..Job::default() };
        let holds = Job { run_time: 1000, limit: 1000, user: 1, ..whole.clone() };
        let short = |submit| Job { submit, run_time: 600, limit: 600, user: 1, queue: 1, ..whole.clone() };
        let long = Job { submit: 500, run_time: 14_400, limit: 14_400, user: 2, queue: 2, ..whole.clone() };
        let all = std::iter::once(holds).chain((100..124).map(short)).chain([long]);
        let outcome = replayed(&workload(all.collect()), choice, site);
        outcome.jobs.last().unwrap().start
    }

    #[test]
    fn points_are_worth_time_to_a_plan_and_tiers_are_never_exchanged() {
        let last = 1000 + 24 * 600;
        // By the price of waiting alone the short jobs come first, and so they do where points are worth little.
        assert_eq!(long_among_short(&Multifactor::default(), "fair:limit"), last);
        assert_eq!(long_among_short(&site("fairshare=1+age=30000"), "fair:limit:multifactor"), last);
        // The other user has used everything: a hundred thousand points are 23 days.
        assert_eq!(long_among_short(&Multifactor::default(), "fair:limit:multifactor"), 1000);
        for tiers in ["fairshare=0+tier2=1", "fairshare=0+tier1=-1", "tier2=1"] {
            assert_eq!(long_among_short(&site(tiers), "fair:limit:multifactor"), 1000);
        }
        // Under ties points are no time, and nothing but near priorities can be exchanged.
        assert_eq!(long_among_short(&Multifactor::default(), "fair:limit:multifactor:tie=0"), 1000);
        let little = site("fairshare=1+age=0");
        assert_eq!(long_among_short(&little, "fair:limit:multifactor"), 1000);
        // Even against 23 days.
        assert_eq!(long_among_short(&site("tier1=1"), "fair:limit:multifactor"), last);
    }

    #[test]
    fn credits_are_the_age_that_earns_as_many_points() {
        let site = site("fairshare=0+age=30000+size=9000");
        let mut priorities = Priorities::new(&site);
        priorities.begin(0, PROCS);
        let jobs = [32, 16, 8].map(|processors| Job { processors, ..Job::default() });
        // 9,000 points are 3/10 of a week.
        let seconds = site.seconds_a_point().unwrap() * 9000.0;
        assert_eq!((seconds, site.of_age(seconds as i64)), (0.3 * 7.0 * 86_400.0, 9000.0));
        assert_eq!(priorities.credits(&jobs), [136_080.0, 45_360.0, 0.0]);
        assert_eq!(Priorities::new(&self::site("age=0")).credits(&jobs), [0.0; 3]);
    }
}
