//! A site's priorities: the formula of Slurm's `priority/multifactor`, larger first, equal ones first come first.
//!
//! ```text
//! P = fairshare x F + age x min(1, wait / max-age) + size x processors / machine + qos x factor of the queue
//! F = 2^(-U / S)
//! ```
//!
//! U is the user's share of the usage of all, where a processor-second counts half after `half-life`, and S the share
//! of one user, 1 / users: all users that have submitted a job so far have equal shares. This is Slurm's classic fair
//! share of a flat hierarchy (`PriorityFlags=NO_FAIR_TREE`), with a usage that is exact at every pass instead of
//! renewed every `PriorityCalcPeriod`. Where the trace has no users all jobs are one user's: F is the same for all of
//! them.
//!
//! The worth of a point in time follows from the formula: max-age / age seconds, the wait that earns a point.

use super::name::BadChoice;
use super::numbers;
use super::queue_orders::{FairShare, HALF_LIFE_S, QueueOrder};
use crate::trace::workload::{Job, Workload};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

/// The weights and times of a site's priorities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Multifactor {
    /// The weight of fair share, `PriorityWeightFairshare`.
    pub fairshare: f64,
    /// The weight of age, `PriorityWeightAge`.
    pub age: f64,
    /// The weight of size, `PriorityWeightJobSize`.
    pub size: f64,
    /// The weight of the queue's factor, `PriorityWeightQOS`.
    pub qos: f64,
    /// The wait from which age counts whole, in seconds, `PriorityMaxAge`.
    pub max_age_s: f64,
    /// Seconds after which usage counts half, `PriorityDecayHalfLife`; 0 for never.
    pub half_life_s: f64,
    /// The factors of the trace's queues, 0 to 1; 0 for those that are not among them.
    pub queues: BTreeMap<i64, f64>,
    /// The tiers of the trace's queues, `PriorityTier`: jobs of a higher one come first whatever their priorities; 0
    /// for those that are not among them.
    pub tiers: BTreeMap<i64, i8>,
}

impl Default for Multifactor {
    /// Fair share before age before size, ages up to a week, usage halved every week.
    fn default() -> Multifactor {
        Multifactor {
            fairshare: 100_000.0,
            age: 30_000.0,
            size: 1000.0,
            qos: 0.0,
            max_age_s: 7.0 * 86_400.0,
            half_life_s: HALF_LIFE_S,
            queues: BTreeMap::new(),
            tiers: BTreeMap::new(),
        }
    }
}

/// The numbers by their words; of queues there may be any, `queue3=0.5` and `tier3=1`.
const WORDS: [&str; 6] = ["fairshare", "age", "size", "qos", "max-age", "half-life"];

/// All priorities are below it: Slurm's have 32 bits.
const CEILING: f64 = 4_294_967_296.0;

impl Multifactor {
    fn values(&self) -> [f64; 6] {
        let &Multifactor { fairshare, age, size, qos, max_age_s, half_life_s, .. } = self;
        [fairshare, age, size, qos, max_age_s, half_life_s]
    }

    /// Seconds of age that a point is worth; none where age earns no points.
    pub fn seconds_a_point(&self) -> Option<f64> {
        (self.age > 0.0).then(|| self.max_age_s / self.age)
    }

    /// The points for this wait, in seconds.
    fn of_age(&self, wait: i64) -> f64 {
        self.age * (wait.max(0) as f64 / self.max_age_s).min(1.0)
    }

    /// The tier of a job.
    pub fn tier(&self, job: &Job) -> i8 {
        self.tiers.get(&job.queue).copied().unwrap_or(0)
    }

    /// Every job's priority at its submission in a replay of this workload, in order of submission; `times` are the
    /// jobs' starts and ends there.
    pub fn at_submission(&self, workload: &Workload, times: &[(i64, i64)]) -> Vec<f64> {
        let mut priorities = Priorities::new(self);
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

impl fmt::Display for Multifactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&numbers::written(WORDS.into_iter().zip(self.values())))?;
        let queues = self.queues.iter().map(|(queue, &factor)| (format!("queue{queue}"), factor));
        let tiers = self.tiers.iter().map(|(queue, &tier)| (format!("tier{queue}"), f64::from(tier)));
        let queues: Vec<(String, f64)> = queues.chain(tiers).collect();
        if !queues.is_empty() {
            write!(f, "+{}", numbers::written(queues))?;
        }
        Ok(())
    }
}

impl FromStr for Multifactor {
    type Err = BadChoice;

    /// The default with the numbers named in the text changed.
    fn from_str(text: &str) -> Result<Multifactor, BadChoice> {
        let Multifactor { mut queues, mut tiers, .. } = Multifactor::default();
        let mut values = Multifactor::default().values();
        numbers::read(text, |word, value| {
            let of_queue = |kind: &str| word.strip_prefix(kind).and_then(|queue| queue.parse::<i64>().ok());
            if let Some(place) = WORDS.iter().position(|&own| own == word) {
                values[place] = value;
            } else if let Some(queue) = of_queue("queue") {
                if !(0.0..=1.0).contains(&value) {
                    return Err("the factor of a queue is 0 to 1".to_owned());
                }
                queues.insert(queue, value);
            } else if let Some(queue) = of_queue("tier") {
                if value.fract() != 0.0 || !(-128.0..=127.0).contains(&value) {
                    return Err("tiers are whole numbers from -128 to 127".to_owned());
                }
                tiers.insert(queue, value as i8);
            } else {
                let known = WORDS.join(", ");
                return Err(format!("priorities have no '{word}' (they have {known}, queueN and tierN)"));
            }
            Ok(())
        })?;
        let [fairshare, age, size, qos, max_age_s, half_life_s] = values;
        let valid = values.iter().all(|value| (0.0..CEILING).contains(value))
            && fairshare + age + size + qos < CEILING
            && max_age_s > 0.0;
        if !valid {
            let why = "weights, max-age and half-life are not below 0, max-age is above 0, and all weights together \
                       are below 2^32";
            return Err(BadChoice::Rule { rule: text.to_owned(), why: why.to_owned() });
        }
        Ok(Multifactor { fairshare, age, size, qos, max_age_s, half_life_s, queues, tiers })
    }
}

impl TryFrom<String> for Multifactor {
    type Error = BadChoice;

    fn try_from(text: String) -> Result<Multifactor, BadChoice> {
        text.parse()
    }
}

impl From<Multifactor> for String {
    fn from(site: Multifactor) -> String {
        site.to_string()
    }
}

/// A site's priorities at work.
pub struct Priorities {
    site: Multifactor,
    usage: FairShare,
    users: HashSet<i64>,
    /// The time of the pass, and the processors of the machine.
    now: i64,
    processors: f64,
    /// The points of each user's fair share in this pass, as far as they were needed.
    shares: HashMap<i64, f64>,
}

impl Priorities {
    /// Priorities without any usage yet.
    pub fn new(site: &Multifactor) -> Priorities {
        Priorities {
            site: site.clone(),
            usage: FairShare::new(site.half_life_s),
            users: HashSet::new(),
            now: 0,
            processors: 1.0,
            shares: HashMap::new(),
        }
    }

    /// The fair-share factor of a user in this pass, 0 to 1.
    pub fn fair_share(&self, user: i64) -> f64 {
        let total = self.usage.total(self.now);
        if total <= 0.0 {
            return 1.0;
        }
        let share = self.usage.usage(user, self.now) / total;
        libm::exp2(-share * self.users.len().max(1) as f64)
    }

    /// A job's priority in this pass without the points of its age.
    pub fn points(&mut self, job: &Job) -> f64 {
        let user = job.user;
        let of_share = match self.shares.get(&user) {
            Some(&points) => points,
            None => {
                let points = self.site.fairshare * self.fair_share(user);
                self.shares.insert(user, points);
                points
            }
        };
        let of_queue = self.site.queues.get(&job.queue).map_or(0.0, |factor| self.site.qos * factor);
        let of_size = self.site.size * (f64::from(job.width()) / self.processors).min(1.0);
        of_share + of_size + of_queue
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
    fn value(&mut self, job: &Job, now: i64, _predicted: i64) -> f64 {
        let points = self.points(job) + self.site.of_age(now - job.submit);
        -(points + f64::from(self.site.tier(job)) * CEILING)
    }

    fn submitted(&mut self, job: &Job) {
        self.users.insert(job.user);
    }

    fn begin(&mut self, now: i64, processors: u32) {
        self.now = now;
        self.processors = f64::from(processors.max(1));
        self.shares.clear();
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.usage.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.usage.ended(job, now);
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
        let left = |time: i64| {
            if site.half_life_s > 0.0 { (-(now - time) as f64 / site.half_life_s).exp2() } else { 1.0 }
        };
        let used = |of: &dyn Fn(&Job) -> bool| -> f64 {
            let own = ran.iter().filter(|(id, _)| of(&all[*id]));
            let spans = own.map(|&(id, start)| {
                let end = now.min(start + all[id].run_time);
                let seconds = if site.half_life_s > 0.0 {
                    site.half_life_s / std::f64::consts::LN_2 * (left(end) - left(start))
                } else {
                    (end - start) as f64
                };
                f64::from(all[id].processors) * seconds
            });
            spans.sum()
        };
        let mut users: Vec<i64> =
            all.iter().filter(|other| other.submit <= now).map(|other| other.user).collect();
        users.sort_unstable();
        users.dedup();
        let (own, total) = (used(&|other| other.user == job.user), used(&|_| true));
        let shares = 1.0 / users.len() as f64;
        let fair_share = if total > 0.0 { (-(own / total) / shares).exp2() } else { 1.0 };
        let age = ((now - job.submit) as f64 / site.max_age_s).min(1.0);
        site.fairshare * fair_share
            + site.age * age
            + site.size * f64::from(job.processors) / f64::from(PROCS)
            + site.qos * site.queues.get(&job.queue).unwrap_or(&0.0)
    }

    const SITES: [&str; 4] = [
        "fairshare=100000",
        "fairshare=9000+age=70000+size=4000+max-age=9000+half-life=3000",
        "qos=50000+queue0=0.3+queue2=1+half-life=0+tier1=2",
        "fairshare=0+age=500+tier0=-1+tier2=1",
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

    #[test]
    fn numbers_are_written_as_they_are_read_or_say_why_not() {
        for text in SITES {
            let written = site(text).to_string();
            assert_eq!(site(&written).to_string(), written);
        }
        assert_eq!(
            site("qos=3+queue7=0.5+tier7=-2").to_string(),
            "fairshare=100000+age=30000+size=1000+qos=3+max-age=604800+half-life=604800+queue7=0.5+tier7=-2"
        );
        let why = |text: &str| text.parse::<Multifactor>().unwrap_err().to_string();
        assert!(why("nice=3").contains("priorities have no 'nice' (they have fairshare, age, size, qos,"));
        assert!(why("queue3=2").ends_with("the factor of a queue is 0 to 1"));
        assert!(why("tier3=0.5").ends_with("tiers are whole numbers from -128 to 127"));
        assert_eq!(why("age=x"), "rule 'age=x': 'x' is not a number");
        for text in ["max-age=0", "size=-1", "fairshare=4e9+age=4e9", "age=nan", "half-life=inf"] {
            assert!(why(text).contains("weights, max-age and half-life"), "{text}");
        }
        let plan: Choice = "fair:contexts:multifactor".parse().unwrap();
        let options = PolicyOptions { site: Some(site("age=0")), ..PolicyOptions::default() };
        let refused = plan.build(&options).err().unwrap().to_string();
        assert!(refused.ends_with("without a weight of age they are worth none"), "{refused}");
    }
}
