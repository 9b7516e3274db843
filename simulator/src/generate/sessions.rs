//! The `sessions` model: people who come to work, try the same program over and over, and ask for too much time.
//!
//! Properties of real traces that the model has:
//!
//! * **Few users do most of the work.** User i opens sessions in proportion to 1 / i (Zipf).
//! * **Locality.** A user has one to four applications of his own, keeps to one within a session, and comes back to it
//!   in the next session with probability 0.7. What ran lately therefore says much about what runs next (Feitelson
//!   2015, *Workload Modeling*, ch. 8).
//! * **Sessions follow the clock.** They start at a rate given by the hour of the day, and at a third of it on
//!   weekends. Within a session the next job comes either at once (scripts), or after the last one's run time, as far
//!   as one waits for it, and a think time.
//! * **Run times are modal and heavy-tailed.** Each application is log-normal around its own median, the medians are
//!   log-uniform from a minute and a half to eight hours, less for wide ones; one job in ten fails within a minute.
//! * **Estimates are round, constant and too large.** A user asks for the same round value every time, large enough for
//!   most runs times his own factor of caution (Tsafrir, Etsion & Feitelson 2005); what runs longer is killed at it.
//! * **Sizes are powers of two**, mostly, and some scale up or down from run to run.
//!
//! Work is drawn before time: the span is what makes the offered load come out, the session starts are spread over it.
//! So the load is met by construction, without a search.

use crate::base::random::Random;
use crate::trace::swf::SwfJob;
use std::num::NonZeroU32;

/// Inputs of a workload of this model, which determine every bit of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionsOptions {
    /// Jobs to generate.
    pub jobs: u32,
    /// Users who submit them.
    pub users: NonZeroU32,
    /// Processors of the machine.
    pub procs: NonZeroU32,
    /// Processor-seconds asked of the machine, over those it has until the last session starts.
    pub load: f64,
    /// Seed of the generator.
    pub seed: u64,
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// Usual requested times.
const REQUESTS: [i64; 11] = [
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    6 * HOUR,
    8 * HOUR,
    12 * HOUR,
    18 * HOUR,
];

/// Sessions an hour of a working day from midnight, relative to each other.
const DAY: [f64; 24] = [
    1.0, 0.7, 0.5, 0.5, 0.5, 0.6, 0.9, 1.6, 3.4, 5.4, 6.2, 6.0, 4.8, 5.2, 6.2, 6.4, 6.0, 5.0, 3.6, 2.8, 2.4,
    2.1, 1.8, 1.4,
];

/// Sessions on Saturday and Sunday, relative to other days; time 0 is the midnight before a Monday.
const WEEKEND: f64 = 1.0 / 3.0;

/// Longest time for which a user waits for a job before submitting the next, in seconds.
const PATIENCE: i64 = HOUR;

/// The shortest median of an application, in seconds.
const SHORTEST: f64 = 90.0;

/// The longest median of an application, in seconds.
const LONGEST: f64 = 8.0 * HOUR as f64;

/// The longest median of one that takes the whole machine; half of the machine can be had for twice as long, and so on.
const WHOLE_MACHINE: f64 = 0.75 * HOUR as f64;

/// A session ends when its jobs would keep the whole machine busy for so long: people see the queue they have made.
const ENOUGH: i64 = 2 * HOUR;

struct Application {
    number: u32,
    processors: u32,
    /// The chance that a run is one power of two smaller or larger.
    scales: f64,
    median: f64,
    sigma: f64,
    requested: i64,
}

struct User {
    applications: Vec<Application>,
    /// The application of the last session.
    current: usize,
}

/// A job and when it comes, in seconds from the start of its session.
struct Draft {
    session: usize,
    offset: i64,
    job: SwfJob,
}

/// Generates a workload, in order of submission. Waits are unknown: nothing has scheduled it yet.
pub fn sessions(options: &SessionsOptions) -> Vec<SwfJob> {
    let mut random = Random::new(options.seed);
    let drafts = draft(options, &mut random);

    let work: f64 =
        drafts.iter().map(|draft| f64::from(draft.job.processors) * draft.job.run_time as f64).sum();
    let span = work / (f64::from(options.procs.get()) * options.load);
    let count = drafts.last().map_or(0, |draft| draft.session + 1);
    let starts = starts(count, span, &mut random);

    let placed =
        drafts.into_iter().map(|draft| SwfJob { submit: starts[draft.session] + draft.offset, ..draft.job });
    let mut jobs: Vec<SwfJob> = placed.collect();
    jobs.sort_by_key(|job| job.submit);
    for (number, job) in (1..).zip(&mut jobs) {
        job.number = number;
    }
    jobs
}

/// The jobs of session after session, until there are enough.
fn draft(options: &SessionsOptions, random: &mut Random) -> Vec<Draft> {
    let mut number = 0;
    let mut users: Vec<User> =
        (0..options.users.get()).map(|_| user(options.procs.get(), &mut number, random)).collect();
    let activity: Vec<f64> = (1..=options.users.get()).map(|rank| 1.0 / f64::from(rank)).collect();
    let wanted = options.jobs as usize;
    let mut drafts = Vec::with_capacity(wanted);
    let mut session = 0;
    while drafts.len() < wanted {
        let id = random.weighted(&activity);
        let user = &mut users[id];
        if random.chance(0.3) {
            user.current = random.below(user.applications.len() as u32) as usize;
        }
        let application = &user.applications[user.current];
        let length = (random.log_normal(3.0, 0.9) as usize).max(1).min(wanted - drafts.len());
        // Half of the sessions are worked by hand, half by scripts that submit everything at once.
        let by_hand = random.chance(0.5);
        let mut offset = 0;
        let mut work = 0;
        for _ in 0..length {
            if work > ENOUGH * i64::from(options.procs.get()) {
                break;
            }
            let job = run(application, id as i64 + 1, options.procs.get(), random);
            work += i64::from(job.processors) * job.run_time;
            drafts.push(Draft { session, offset, job });
            offset += if by_hand {
                job.run_time.min(PATIENCE) + random.log_normal(5.0 * 60.0, 1.0) as i64
            } else {
                random.log_uniform(1.0, 60.0) as i64
            };
        }
        session += 1;
    }
    drafts
}

fn user(procs: u32, number: &mut u32, random: &mut Random) -> User {
    // Caution is a matter of character: some cut it close, some ask for ten times what they need.
    let caution = random.log_uniform(1.1, 10.0);
    let count = 1 + random.below(4);
    let applications = (0..count).map(|_| {
        *number += 1;
        application(*number, procs, caution, random)
    });
    User { applications: applications.collect(), current: 0 }
}

fn application(number: u32, procs: u32, caution: f64, random: &mut Random) -> Application {
    // Small sizes are more common than large ones; the whole machine is only for runs that scale up to it.
    let powers = procs.ilog2().max(1);
    let power = random.below(powers).min(random.below(powers));
    let processors = if random.chance(0.85) { 1 << power } else { 1 + random.below(1 << power) };
    let longest = (f64::from(procs) / f64::from(processors) * WHOLE_MACHINE).min(LONGEST);
    let median = random.log_uniform(SHORTEST, longest);
    let sigma = random.between(0.2, 1.0);
    // Long enough for all but one run in six if the user were not cautious at all.
    let needed = (median * libm::exp(sigma) * caution) as i64;
    let requested =
        REQUESTS.into_iter().find(|&value| value >= needed).unwrap_or(REQUESTS[REQUESTS.len() - 1]);
    Application { number, processors, scales: random.between(0.0, 0.4), median, sigma, requested }
}

/// One run of an application.
fn run(application: &Application, user: i64, procs: u32, random: &mut Random) -> SwfJob {
    let mut processors = application.processors;
    if random.chance(application.scales) {
        processors = if random.chance(0.5) { processors.div_ceil(2) } else { (processors * 2).min(procs) };
    }
    let failed = random.chance(0.1);
    let needed = if failed {
        random.log_uniform(1.0, 60.0)
    } else {
        random.log_normal(application.median, application.sigma)
    };
    let needed = (needed as i64).max(1);
    let killed = needed > application.requested;
    SwfJob {
        number: 0,
        submit: 0,
        wait: -1,
        run_time: needed.min(application.requested),
        processors,
        requested_time: application.requested,
        status: i64::from(!failed && !killed),
        user,
        group: -1,
        executable: i64::from(application.number),
        queue: 1,
        partition: 1,
    }
}

/// Start times of sessions within `span` seconds: uniform in the time that passes at the rate of the clock, in no
/// order.
fn starts(count: usize, span: f64, random: &mut Random) -> Vec<i64> {
    let hours = (span / HOUR as f64) as usize + 1;
    let mut passed = Vec::with_capacity(hours);
    let mut total = 0.0;
    for hour in 0..hours {
        let weekend = hour / 24 % 7 >= 5;
        total += DAY[hour % 24] * if weekend { WEEKEND } else { 1.0 };
        passed.push(total);
    }
    let start = |_| {
        let at = random.uniform() * total;
        let hour = passed.partition_point(|&passed| passed <= at);
        hour as i64 * HOUR + random.below(HOUR as u32) as i64
    };
    (0..count).map(start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    fn options(seed: u64) -> SessionsOptions {
        let users = NonZeroU32::new(60).unwrap();
        SessionsOptions { jobs: 5000, users, procs: NonZeroU32::new(128).unwrap(), load: 0.75, seed }
    }

    #[test]
    fn jobs_are_in_order_and_within_their_limits() {
        for seed in 0..5 {
            let jobs = sessions(&options(seed));
            assert_eq!(jobs.len(), 5000);
            assert!(jobs.iter().zip(1..).all(|(job, number)| job.number == number));
            assert!(jobs.is_sorted_by_key(|job| job.submit));
            for job in jobs {
                assert!(job.submit >= 0 && (1..=128).contains(&job.processors));
                assert!(
                    (1..=job.requested_time).contains(&job.run_time)
                        && REQUESTS.contains(&job.requested_time)
                );
            }
        }
    }

    #[test]
    fn a_seed_is_a_workload() {
        let submits = |seed| sessions(&options(seed)).iter().map(|job| job.submit).collect::<Vec<_>>();
        assert_eq!(submits(1), submits(1));
        assert_ne!(submits(1), submits(2));
        assert!(sessions(&SessionsOptions { jobs: 0, ..options(1) }).is_empty());
    }

    #[test]
    fn tiny_machines_and_single_users() {
        for procs in 1..4 {
            let one = NonZeroU32::new(1).unwrap();
            let options = SessionsOptions {
                jobs: 50,
                users: one,
                procs: NonZeroU32::new(procs).unwrap(),
                ..options(1)
            };
            let jobs = sessions(&options);
            assert!(jobs.len() == 50 && jobs.iter().all(|job| job.user == 1 && job.processors <= procs));
        }
    }

    #[test]
    fn users_repeat_themselves_and_overestimate() {
        let jobs = sessions(&options(1));
        let mut last = HashMap::new();
        let repeats = jobs.iter().filter(|job| last.insert(job.user, job.executable) == Some(job.executable));
        assert!(repeats.count() > 4000);
        let constant: HashSet<_> = jobs.iter().map(|job| (job.executable, job.requested_time)).collect();
        let applications: HashSet<_> = jobs.iter().map(|job| job.executable).collect();
        assert_eq!(constant.len(), applications.len());
        let used: i64 = jobs.iter().map(|job| job.run_time).sum();
        let asked: i64 = jobs.iter().map(|job| job.requested_time).sum();
        assert!((0.05..0.6).contains(&(used as f64 / asked as f64)));
    }

    #[test]
    fn sessions_start_by_the_clock() {
        let starts = starts(100_000, 28.0 * 24.0 * 3600.0, &mut Random::new(1));
        let (mut night, mut day, mut weekend) = (0, 0, 0);
        for start in starts {
            match (start / HOUR / 24 % 7, start / HOUR % 24) {
                (5.., _) => weekend += 1,
                (_, 2..4) => night += 1,
                (_, 14..16) => day += 1,
                _ => {}
            }
        }
        assert!((11.0..14.5).contains(&(f64::from(day) / f64::from(night))));
        // Two days of seven at a third.
        assert!((f64::from(weekend) / 100_000.0 - 2.0 / 17.0).abs() < 0.01);
    }
}
