//! The user and the requested time of every generated job: beside the paper, which has neither.
//!
//! **Users** follow four frequencies that are counted in the trace:
//! 1. The user of the last job submits the next one as often as in the trace, counted apart by whether the class of
//!    processors and the class of run time stay the same (section 3 of the paper: they do while one user works). Such
//!    runs of jobs are the sessions.
//! 2. Otherwise the next user is drawn by recency: the number of users who have submitted since this one did, up to 64.
//!    Few users are active at a time, and they return.
//! 3. One of them is drawn, weighted by the share of the user's jobs in this pair of classes. With the probability that
//!    a user who returns runs a job of the same run-time class as the last one, only users whose last job was of this
//!    class take part, if there are any.
//! 4. A user who has not submitted lately is drawn from the jobs of the trace with this pair of classes whose user had
//!    not submitted lately either (from those of this run-time class if there are none with the pair, else from all).
//!
//! So users differ in the jobs that they run, and repeat them.
//!
//! **Requested times** are those of the trace's jobs in the same run-time class that asked for no less than they ran:
//! round values, as far too large as people make them. A user's last request q is kept as often as can be without
//! bending the distribution f' of the class: where f was that of his last job's class, with probability K min(1, f'(q)
//! / f(q)), else a value v drawn from f' is taken with probability 1 - K min(1, f(v) / f'(v)), or drawn again (the
//! maximal coupling of f and f', thinned by K, the share of sufficient requests that users of the trace keep from job
//! to job in the same class). A value below the run time is replaced by one from f' that is not. Where no job asked for
//! so much, and for traces without requested times, the run time is divided by an accuracy and the quotient rounded up
//! to what people ask for (5, 10, 15, 30 minutes, 1, 2, 4, ... hours). The accuracy is uniform in (0, 1], and 1 for one
//! job in ten (Mu'alem & Feitelson 2001, figure 3: flat, with a peak at full use); such users keep a request that
//! suffices with probability 0.7. No generated job runs past its request: those of the trace that do take no part in
//! this.

use super::chain::class;
use std::collections::HashMap;
use surefill_simulator::base::random::Random;
use surefill_simulator::generate::Past;

/// The number of users who are distinguished by recency.
const RECENT: usize = 64;

/// Without requests in the trace: how often a sufficient request is kept.
const KEPT: f64 = 0.7;

/// Usual requested times, in seconds; beyond the last, whole days.
const ROUND: [i64; 12] = [300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 28_800, 43_200, 64_800, 86_400];

/// A pair of classes: processors, run time.
type Pair = (u32, u32);

/// Users and their requests, as learnt from a trace.
#[derive(Debug, Clone)]
pub struct People {
    /// By whether processors and run time keep their class: how often the user goes on.
    stays: [f64; 4],
    /// By how many users were there since, of those who come back: how often.
    returns: [f64; RECENT],
    /// Probability that a user who comes back runs a job of the run-time class of his last one.
    matches: f64,
    /// Probability that the next user is not among the recent.
    others: f64,
    /// The share of a user's jobs with a pair of classes.
    affinity: HashMap<(u32, Pair), f64>,
    /// The users of jobs that came when they had not been there lately: by pair of classes, by run-time class, all.
    by_pair: HashMap<Pair, Vec<u32>>,
    by_class: HashMap<u32, Vec<u32>>,
    comers: Vec<u32>,
    users: u32,
    /// Whether the trace names users at all.
    named: bool,
    /// Probability that a sufficient request is kept in the same run-time class. `None` without requests.
    keeps: Option<f64>,
    /// Sufficient requests by run-time class.
    requests: HashMap<u32, Requests>,
}

/// The requests of a class of run times.
#[derive(Debug, Clone, Default)]
struct Requests {
    sorted: Vec<i64>,
    counts: HashMap<i64, u32>,
}

impl Requests {
    fn share(&self, request: i64) -> f64 {
        share(self.counts.get(&request).copied().unwrap_or(0).into(), self.sorted.len() as u64)
    }
}

fn pair(job: &Past) -> Pair {
    (class(u64::from(job.processors)), class(job.run_time.unsigned_abs()))
}

/// Whether the classes stayed, as an index.
fn stayed(before: Pair, now: Pair) -> usize {
    usize::from(before.0 == now.0) + 2 * usize::from(before.1 == now.1)
}

/// Users by when they were last there, the latest first.
#[derive(Debug, Clone, Default)]
struct Recency(Vec<u32>);

impl Recency {
    fn comes(&mut self, user: u32) {
        self.0.retain(|&other| other != user);
        self.0.insert(0, user);
        // The first is the user of the last job, who does not count as one who returns.
        self.0.truncate(RECENT + 1);
    }
}

/// A share, 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl People {
    /// Learns from jobs in order of submission.
    pub fn new(jobs: &[Past]) -> People {
        let mut numbers: HashMap<i64, u32> = HashMap::new();
        let mut recency = Recency::default();
        let (mut stays, mut changes) = ([(0u64, 0u64); 4], 0u64);
        let mut returns = [0u64; RECENT];
        let (mut matches, mut came_back) = (0u64, 0u64);
        let mut classes_of: HashMap<u32, u32> = HashMap::new();
        let (mut counts, mut totals) = (HashMap::new(), HashMap::new());
        let (mut by_pair, mut by_class): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) = Default::default();
        let mut comers = Vec::new();
        let mut last: Option<(u32, Pair)> = None;
        for job in jobs {
            let next = numbers.len() as u32;
            let user = *numbers.entry(job.user).or_insert(next);
            let pair = pair(job);
            if !recency.0.contains(&user) {
                by_pair.entry(pair).or_default().push(user);
                by_class.entry(pair.1).or_default().push(user);
                comers.push(user);
            }
            if let Some((before, classes)) = last {
                let (same, all) = &mut stays[stayed(classes, pair)];
                *same += u64::from(before == user);
                *all += 1;
                if before != user {
                    changes += 1;
                    if let Some(ago) = recency.0.iter().skip(1).position(|&other| other == user) {
                        returns[ago] += 1;
                        came_back += 1;
                        matches += u64::from(classes_of.get(&user) == Some(&pair.1));
                    }
                }
            }
            classes_of.insert(user, pair.1);
            recency.comes(user);
            last = Some((user, pair));
            *counts.entry((user, pair)).or_insert(0u64) += 1;
            *totals.entry(user).or_insert(0u64) += 1;
        }
        let affinity = counts.into_iter().map(|((user, pair), count)| {
            let total = totals.get(&user).copied().unwrap_or(count);
            ((user, pair), share(count, total))
        });
        let (keeps, requests) = requests(jobs);
        People {
            stays: stays.map(|(same, all)| share(same, all)),
            returns: returns.map(|count| share(count, changes)),
            matches: share(matches, came_back),
            others: share(changes - returns.iter().sum::<u64>(), changes),
            affinity: affinity.collect(),
            by_pair,
            by_class,
            comers,
            users: numbers.len() as u32,
            named: jobs.iter().any(|job| job.user >= 0),
            keeps,
            requests,
        }
    }

    /// Number of users in the trace.
    pub fn users(&self) -> u32 {
        if self.named { self.users } else { 0 }
    }

    /// People who have not submitted anything yet.
    pub fn crowd(&self) -> Crowd<'_> {
        Crowd {
            people: self,
            recency: Recency::default(),
            last: None,
            habits: vec![None; self.users as usize],
        }
    }

    /// A request for a run time, regardless of whose.
    pub fn request(&self, run_time: i64, random: &mut Random) -> i64 {
        let requests = self.requests.get(&class(run_time.unsigned_abs()));
        let requests = requests.map_or(&[][..], |requests| requests.sorted.as_slice());
        let sufficient =
            requests.get(requests.partition_point(|&request| request < run_time)..).unwrap_or(&[]);
        if !sufficient.is_empty() {
            return sufficient[random.index(sufficient.len())];
        }
        guess(run_time, random)
    }
}

/// A request for a run time where no trace says what people ask for.
fn guess(run_time: i64, random: &mut Random) -> i64 {
    let accuracy = if random.chance(0.1) { 1.0 } else { 1.0 - random.uniform() };
    // A request is no longer than a day, or than the run time if that is longer.
    let most = run_time.max(86_400);
    round_up(((run_time.max(1) as f64 / accuracy) as i64).clamp(run_time.max(1), most))
}

/// The next value that people ask for.
fn round_up(seconds: i64) -> i64 {
    const DAY: i64 = 86_400;
    ROUND.into_iter().find(|&round| round >= seconds).unwrap_or_else(|| (seconds + DAY - 1) / DAY * DAY)
}

/// Probability that sufficient requests are kept, and all sufficient requests by run-time class.
fn requests(jobs: &[Past]) -> (Option<f64>, HashMap<u32, Requests>) {
    let mut last: HashMap<i64, (u32, i64)> = HashMap::new();
    let (mut same, mut all) = (0, 0);
    let mut requests: HashMap<u32, Requests> = HashMap::new();
    for job in jobs.iter().filter(|job| job.requested > 0) {
        let class = class(job.run_time.unsigned_abs());
        if let Some((before, request)) = last.insert(job.user, (class, job.requested))
            && before == class
            && request >= job.run_time
        {
            same += u64::from(request == job.requested);
            all += 1;
        }
        if job.requested >= job.run_time {
            let requests = requests.entry(class).or_default();
            requests.sorted.push(job.requested);
            *requests.counts.entry(job.requested).or_default() += 1;
        }
    }
    for values in requests.values_mut() {
        values.sorted.sort_unstable();
    }
    let keeps = (!requests.is_empty()).then(|| share(same, all));
    (keeps, requests)
}

/// A user's last job.
#[derive(Debug, Clone, Copy)]
struct Habit {
    pair: Pair,
    request: i64,
}

/// People at work.
#[derive(Debug)]
pub struct Crowd<'a> {
    people: &'a People,
    recency: Recency,
    last: Option<(u32, Pair)>,
    habits: Vec<Option<Habit>>,
}

/// The user and the requested time of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Submitter {
    /// The user's number, from 1; -1 where the trace names none.
    pub user: i64,
    /// The requested time, in seconds: no less than the run time.
    pub request: i64,
    /// Whether the user is that of the job before.
    pub same: bool,
}

impl Crowd<'_> {
    /// The submitter of the next job.
    pub fn submitter(&mut self, processors: u32, run_time: i64, random: &mut Random) -> Submitter {
        let pair = (class(u64::from(processors)), class(run_time.unsigned_abs()));
        let goes_on = self.last.filter(|&(_, before)| random.chance(self.people.stays[stayed(before, pair)]));
        let user = match goes_on {
            Some((user, _)) => user,
            None => self.comes(pair, random),
        };
        let request = self.request(user, pair, run_time, random);
        let same = self.last.is_some_and(|(before, _)| before == user);
        self.last = Some((user, pair));
        self.recency.comes(user);
        if let Some(habit) = self.habits.get_mut(user as usize) {
            *habit = Some(Habit { pair, request });
        }
        let user = if self.people.named { i64::from(user) + 1 } else { -1 };
        Submitter { user, request, same }
    }

    /// A user other than the last.
    fn comes(&self, pair: Pair, random: &mut Random) -> u32 {
        /// The only user of a kind of job comes again whoever was last.
        const TRIES: u32 = 8;
        let people = self.people;
        if !random.chance(people.others)
            && let Some(user) = self.comes_back(pair, random)
        {
            return user;
        }
        let users =
            people.by_pair.get(&pair).or_else(|| people.by_class.get(&pair.1)).unwrap_or(&people.comers);
        let mut draw = || users[random.index(users.len())];
        let mut user = draw();
        for _ in 0..TRIES {
            if self.last.is_none_or(|(last, _)| last != user) {
                break;
            }
            user = draw();
        }
        user
    }

    /// One of the recent users, but not the last.
    fn comes_back(&self, pair: Pair, random: &mut Random) -> Option<u32> {
        let people = self.people;
        let recent = self.recency.0.get(1..).unwrap_or(&[]);
        let weights = recent
            .iter()
            .zip(people.returns)
            .map(|(&user, returns)| returns * people.affinity.get(&(user, pair)).copied().unwrap_or(0.0));
        let weights: Vec<f64> = weights.collect();
        if random.chance(people.matches) {
            let repeats = recent.iter().zip(&weights).map(|(&user, weight)| {
                let habit = self.habits.get(user as usize).copied().flatten();
                if habit.is_some_and(|habit| habit.pair.1 == pair.1) { *weight } else { 0.0 }
            });
            let repeats: Vec<f64> = repeats.collect();
            if repeats.iter().sum::<f64>() > 0.0 {
                return Some(recent[random.weighted(&repeats)]);
            }
        }
        (weights.iter().sum::<f64>() > 0.0).then(|| recent[random.weighted(&weights)])
    }

    fn request(&self, user: u32, pair: Pair, run_time: i64, random: &mut Random) -> i64 {
        /// Draws before any value will do; a thinning of less than 1 needs few.
        const DRAWS: u32 = 100;
        let Some(habit) = self.habits.get(user as usize).copied().flatten() else {
            return self.people.request(run_time, random);
        };
        let people = self.people;
        let (Some(keeps), Some(now)) = (people.keeps, people.requests.get(&pair.1)) else {
            let kept = habit.request >= run_time && random.chance(KEPT);
            return if kept { habit.request } else { people.request(run_time, random) };
        };
        let before = people.requests.get(&habit.pair.1);
        let share = |value: i64| before.map_or(0.0, |before| before.share(value));
        let (old, new) = (share(habit.request), now.share(habit.request));
        if random.chance(if old > 0.0 { keeps * (new / old).min(1.0) } else { 0.0 })
            && habit.request >= run_time
        {
            return habit.request;
        }
        for _ in 0..DRAWS {
            let value = people.request(run_time, random);
            let (old, new) = (share(value), now.share(value));
            if !random.chance(if new > 0.0 { keeps * (old / new).min(1.0) } else { 0.0 }) {
                return value;
            }
        }
        people.request(run_time, random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::generate::Kind;

    fn job(user: i64, processors: u32, run_time: i64, requested: i64) -> Past {
        Past { submit: 0, wait: -1, run_time, processors, requested, user, kind: Kind::default() }
    }

    #[test]
    fn round_values() {
        assert_eq!([1, 300, 301, 86_400, 86_401].map(round_up), [300, 300, 600, 86_400, 172_800]);
    }

    #[test]
    fn what_is_learnt_by_hand() {
        let jobs = [
            job(7, 1, 10, 60),
            job(7, 1, 10, 60),
            job(8, 1, 10, 600),
            job(7, 2, 10, 120),
            job(9, 2, 300, 120),
        ];
        let people = People::new(&jobs);
        assert_eq!(people.users(), 3);
        // Both classes stayed twice, once under the same user; the others changed.
        assert_eq!(people.stays, [0.0, 0.0, 0.0, 0.5]);
        // Three changes: 8 and 9 are new, 7 comes back after one other.
        assert!((people.others - 2.0 / 3.0).abs() < 1e-12 && (people.returns[0] - 1.0 / 3.0).abs() < 1e-12);
        // User 7 kept 60 once of twice; the last job ran past its request, which is not learnt.
        assert_eq!(people.keeps, Some(0.5));
        assert_eq!(
            people.requests.get(&3).map(|requests| &requests.sorted[..]),
            Some(&[60, 60, 120, 600][..])
        );
        assert_eq!(people.requests.get(&3).map(|requests| requests.share(60)), Some(0.5));
        // 7 came back to the class of its last job.
        assert_eq!(people.matches, 1.0);
        assert!(!people.requests.contains_key(&8));
        assert!((people.affinity[&(0, (0, 3))] - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn requests_suffice() {
        let people =
            [People::new(&[job(1, 1, 10, 60), job(2, 1, 40, 30)]), People::new(&[job(-1, 1, 1, -1)])];
        let mut random = Random::new(3);
        for people in &people {
            let mut crowd = people.crowd();
            for run_time in [0, 1, 10, 61, 40, 100_000, 10, 1 << 39] {
                let submitter = crowd.submitter(1, run_time, &mut random);
                assert!(submitter.request >= run_time.max(1));
                assert_eq!(submitter.user > 0, people.users() > 0);
            }
        }
    }
}
