//! Ageing against its definition, job by job, and on users whose rates are known.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use surefill_papers::studies::locality::ageing::{Ageing, Clock, Known, Options, SMOOTHINGS, ageing, steps};
use surefill_papers::studies::locality::binning::{Granularity, RunTimes};
use surefill_simulator::trace::workload::Job;

const OPTIONS: Options = Options { known: Known::Submitted, ratio: 2.0, min_jobs: 20, smoothing: None };

/// Users 1..=4 with habits that last some 3, 10, 40 and 160 jobs, and one with too few jobs; an unknown one.
fn jobs(count: usize) -> Vec<Job> {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut habits = [100i64; 7];
    let mut submit = 0;
    let mut all = Vec::new();
    for index in 0..count {
        submit += random.random_range(0..600i64);
        let user = if index % 50 == 49 { -1 } else { random.random_range(1..5i64) };
        let user = if index == 10 { 5 } else { user };
        let lasts = [1, 1, 3, 10, 40, 160, 1][(user + 1) as usize];
        let habit = &mut habits[(user + 1) as usize];
        if random.random_range(0..lasts) == 0 {
            *habit = 1 << random.random_range(2..14);
        }
        let wait = random.random_range(-1..200i64);
        // Some run times are 0.
        let run_time = if index % 17 == 0 { 0 } else { *habit };
        all.push(Job { id: index, submit, wait, run_time, user, ..Job::default() });
    }
    all
}

/// Mean log2-likelihoods of all jobs but every user's first, and of every user's later half, straight from the
/// definition.
fn definition(
    jobs: &[Job],
    options: &Options,
    clock: Clock,
    c: f64,
    half_life: &dyn Fn(i64) -> f64,
) -> (f64, f64) {
    let bins = RunTimes::new(jobs.iter().map(|job| job.run_time)).bin(Granularity::Ratio(options.ratio));
    let mut users: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        users.entry(job.user).or_default().push(index);
    }
    let ((mut sum, mut count), (mut later, mut later_count)) = ((0.0, 0.0), (0.0, 0.0));
    for (user, own) in users.into_iter().filter(|(user, own)| *user >= 0 && own.len() >= options.min_jobs) {
        for next in 1..own.len() {
            let now = jobs[own[next]].submit;
            let known = |job: &Job| match options.known {
                Known::Submitted => job.submit,
                Known::Ended => job.submit + job.wait.max(0) + job.run_time,
            };
            // Earlier jobs that are known, by when they became so.
            let mut order: Vec<usize> =
                own[..next].iter().copied().filter(|&earlier| known(&jobs[earlier]) <= now).collect();
            order.sort_by_key(|&earlier| (known(&jobs[earlier]), earlier));
            let bin = bins.bins[own[next]];
            let (mut weight, mut total) = (0.0, 0.0);
            for (place, &earlier) in order.iter().enumerate() {
                let age = match clock {
                    Clock::Job => (order.len() - place - 1) as f64,
                    Clock::Time => (now - known(&jobs[earlier])) as f64,
                };
                let left = if age == 0.0 { 1.0 } else { 0.5f64.powf(age / half_life(user)) };
                total += left;
                weight += if bins.bins[earlier] == bin { left } else { 0.0 };
            }
            let before: Vec<usize> = (0..own[next]).filter(|&earlier| known(&jobs[earlier]) <= now).collect();
            let same = before.iter().filter(|&&earlier| bins.bins[earlier] == bin).count() as f64;
            let prior = (same + 0.5) / (before.len() as f64 + 0.5 * bins.used as f64);
            let bits = ((weight + c * prior) / (total + c)).log2();
            sum += bits;
            count += 1.0;
            if next > (own.len() - 1) / 2 {
                later += bits;
                later_count += 1.0;
            }
        }
    }
    (sum / count, later / later_count)
}

fn studied(jobs: &[Job], clock: Clock, options: &Options) -> Ageing {
    let done = std::sync::atomic::AtomicU64::new(0);
    let progress = |steps| {
        done.fetch_add(steps, std::sync::atomic::Ordering::Relaxed);
    };
    let ageing = ageing(jobs, clock, options, &progress).unwrap();
    assert_eq!(done.into_inner(), steps(clock));
    ageing
}

fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
}

#[test]
fn likelihoods_are_those_of_the_definition() {
    let jobs = jobs(500);
    let all = [Known::Submitted, Known::Ended].map(|known| [(Clock::Job, known), (Clock::Time, known)]);
    for (clock, known) in all.into_iter().flatten() {
        let options = Options { known, ..OPTIONS };
        let found = studied(&jobs, clock, &options);
        assert_eq!(found.users.len(), 4);
        assert_eq!(found.predicted, jobs.iter().filter(|j| (1..=4).contains(&j.user)).count() - 4);
        let never = |_: i64| f64::INFINITY;
        assert_close(found.none.bits, definition(&jobs, &options, clock, found.none.smoothing, &never).0);
        let common = |_: i64| found.common.half_life();
        assert_close(found.one.bits, definition(&jobs, &options, clock, found.one.smoothing, &common).0);
        let own = |user: i64| found.users.iter().find(|rate| rate.user == user).unwrap().rate.half_life();
        assert_close(found.own.bits, definition(&jobs, &options, clock, found.own.smoothing, &own).0);
        // No other strength of the back-off is better, and no other rate nearby.
        for c in SMOOTHINGS {
            assert!(definition(&jobs, &options, clock, c, &never).0 <= found.none.bits + 1e-9);
            assert!(definition(&jobs, &options, clock, c, &common).0 <= found.one.bits + 1e-4);
        }
        for factor in [0.25, 0.5, 0.9, 1.1, 2.0, 4.0] {
            let other = |user: i64| common(user) * factor;
            assert!(definition(&jobs, &options, clock, found.one.smoothing, &other).0 <= found.one.bits);
            let other = |user: i64| own(user) * factor;
            assert!(
                definition(&jobs, &options, clock, found.own.smoothing, &other).0 <= found.own.bits + 1e-9
            );
        }
        assert_close(found.gains.common_over_none, found.one.bits - found.none.bits);
        assert_close(found.gains.own_over_common, found.own.bits - found.one.bits);
        assert!(found.gains.own_over_common >= 0.0 && found.gains.common_over_none > 0.0);
        assert!(found.users.is_sorted_by(|a, b| a.rate.half_life() <= b.rate.half_life()));
    }
}

#[test]
fn later_halves_are_measured_with_a_fixed_strength() {
    let jobs = jobs(500);
    let options = Options { smoothing: Some(0.7), ..OPTIONS };
    let found = studied(&jobs, Clock::Job, &options);
    for predicted in [found.none, found.one, found.own] {
        assert_eq!(predicted.smoothing, 0.7);
    }
    assert_close(
        found.none.held_out_bits,
        definition(&jobs, &options, Clock::Job, 0.7, &|_| f64::INFINITY).1,
    );
    // Fitted on the earlier halves to a grid of half-lives: one of them it is.
    let grid = (0..32).map(|i| 0.125 * std::f64::consts::SQRT_2.powi(i)).chain([1e-9, f64::INFINITY]);
    let mut values = grid.map(|half_life| definition(&jobs, &options, Clock::Job, 0.7, &|_| half_life).1);
    assert!(values.any(|value| (value - found.one.held_out_bits).abs() < 1e-9));
}

#[test]
fn habits_that_last_longer_age_more_slowly() {
    let jobs = jobs(12_000);
    let found = studied(&jobs, Clock::Job, &OPTIONS);
    let order: Vec<i64> = found.users.iter().map(|user| user.user).collect();
    assert_eq!(order, [1, 2, 3, 4]);
    assert!(found.users.iter().all(|user| (0.0..1.0).contains(&user.rate.alpha)));
    assert!(found.gains.held_out_own_over_common > 0.02, "{:?}", found.gains);
    assert!(found.users[3].significant, "{:?}", found.users);
    assert_eq!(found.significant, found.users.iter().filter(|user| user.significant).count());
    let median = found.quantiles.iter().find(|quantile| quantile.share == 0.5).unwrap();
    assert_eq!(median.rate, found.users[1].rate);
}

#[test]
fn what_does_not_change_does_not_age() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let job = |index: usize| Job {
        id: index,
        submit: index as i64 * 100,
        run_time: 1 << random.random_range(0..8),
        user: 1,
        ..Job::default()
    };
    let jobs: Vec<Job> = (0..4000).map(job).collect();
    // With one user the back-off knows as much as the history: it must not stand in for it.
    let found = studied(&jobs, Clock::Job, &Options { smoothing: Some(1.0), ..OPTIONS });
    assert!(found.common.alpha > 0.99, "{:?}", found.common);
    assert!(found.gains.common_over_none.abs() < 0.005 && found.gains.own_over_common.abs() < 1e-9);
    assert!(!found.users[0].significant);
}

#[test]
fn too_few_jobs_are_no_answer() {
    let few = jobs(30);
    let nothing = |_: u64| ();
    assert!(ageing(&[], Clock::Job, &OPTIONS, &nothing).is_none());
    assert!(ageing(&few[..1], Clock::Time, &OPTIONS, &nothing).is_none());
    assert!(ageing(&few, Clock::Job, &Options { min_jobs: 1000, ..OPTIONS }, &nothing).is_none());
    // All run times equal: nothing to predict. All submitted at once: time tells nothing.
    let same = |run_time: &dyn Fn(usize) -> i64| -> Vec<Job> {
        let job = |id| Job { id, user: 1, run_time: run_time(id), ..Job::default() };
        (0..50).map(job).collect()
    };
    assert!(ageing(&same(&|_| 60), Clock::Job, &OPTIONS, &nothing).is_none());
    let found = studied(&same(&|id| 1 << (id % 7)), Clock::Time, &OPTIONS);
    assert!(found.own.bits.is_finite() && found.own.bits < 0.0, "{found:?}");
    assert_eq!((found.common.alpha, found.gains.common_over_none), (1.0, 0.0));
}
