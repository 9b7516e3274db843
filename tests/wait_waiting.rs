//! Jobs that wait already: bounds that hold and are not far too wide, probabilities that come true, lost events, a
//! clock that was wrong.

mod wait_common;

use surefill::error::Error;
use surefill::wait::*;
use wait_common::*;

const HOUR: i64 = 3600;

/// A queue in good and bad weeks: waits in a bad one are long, and no job shows in which it came.
struct Weeks {
    random: Random,
    now: i64,
}

impl Weeks {
    fn next(&mut self) -> (i64, i64) {
        self.now += self.random.exponential(1200.0);
        let bad = self.now / (7 * 24 * HOUR) % 3 == 2;
        let mean = if bad { 60.0 } else { 8.0 } * HOUR as f64;
        (self.now, self.random.exponential(mean))
    }
}

/// Results of the questions about waiting jobs, every six hours of their waits.
#[derive(Default)]
struct Found {
    asked: f64,
    answered: f64,
    held: f64,
    predicted_rest: f64,
    rest: f64,
    /// By tenth of the probability of starting within six hours: questions, probabilities, starts.
    tenths: [[f64; 3]; 10],
}

fn ask_everyone(components: u32, jobs: i64, seeds: &[u64]) -> Found {
    let mut found = Found::default();
    for seed in seeds {
        ask(components, jobs, *seed, &mut found);
    }
    found
}

fn ask(components: u32, jobs: i64, seed: u64, found: &mut Found) {
    let limits = WaitCapacity { history: 20_000, queued: 2000, releases: 0, clusters: 1, neighbours: 4096 };
    let options = WaitOptions { components, ..WaitOptions::default() };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
    let mut weeks = Weeks { random: Random(seed), now: 0 };
    // Time, event (0: it starts, 1: a question about it), id of the job, its submission, its wait.
    let mut events = std::collections::BTreeSet::<(i64, i32, i64, i64, i64)>::new();
    for id in 0..jobs {
        let (submitted, wait) = weeks.next();
        while let Some(&(now, kind, job, since, wait)) = events.first().filter(|event| event.0 <= submitted) {
            events.pop_first();
            if kind == 0 {
                assert_eq!(predictor.start(job, now), Ok(wait));
                continue;
            }
            events.extend((now + 6 * HOUR < since + wait).then_some((now + 6 * HOUR, 1, job, since, wait)));
            if job < jobs / 5 {
                continue;
            }
            let age = now - since;
            found.asked += 1.0;
            if let WaitAnswer::Bound(bound) = predictor.predict_waiting(job, 0.95, 0.95, now).unwrap() {
                assert!(predictor.predict_aged(&features(job), age, 0.95, 0.95, now).is_ok());
                found.answered += 1.0;
                found.held += f64::from(u8::from(bound >= wait));
                found.predicted_rest += (bound - age) as f64;
                found.rest += (wait - age) as f64;
            }
            let chance = predictor.start_probability(&features(job), age, age + 6 * HOUR, 0.9).unwrap();
            assert!(chance.at_least <= chance.observed && (chance.waits > 0 || chance.observed == 0.0));
            let tenth = &mut found.tenths[((chance.observed * 10.0) as usize).min(9)];
            let started = f64::from(u8::from(wait <= age + 6 * HOUR));
            *tenth = [tenth[0] + 1.0, tenth[1] + chance.observed, tenth[2] + started];
        }
        predictor.submit(id, submitted, &features(id)).unwrap();
        events.insert((submitted + wait, 0, id, submitted, wait));
        events.extend((6 * HOUR < wait).then_some((submitted + 6 * HOUR, 1, id, submitted, wait)));
    }
}

fn features(id: i64) -> Features {
    Features { requested: HOUR * (1 + id % 5), processors: 1 + (id % 3) as u32 }
}

/// The true rest is exponential with the mean of the job's week: with the week known the bound would be three times the
/// mean. The waits alone do not show it; the share of jobs whose bound holds must be right, and the bounds of use.
#[test]
fn bounds_of_waiting_jobs_hold_and_probabilities_come_true() {
    let found = ask_everyone(ADAPT | VISIBLE, 12_000, &[9, 1, 2]);
    let held = found.held / found.answered;
    assert!(found.answered / found.asked > 0.99 && held > 0.94, "{held} of {}", found.answered);
    let times = found.predicted_rest / found.rest;
    assert!((2.5..7.0).contains(&times), "{times}");
    // The questions of a tenth are those of a few weeks, which come true or not together: hence several seeds.
    let mut off = 0.0;
    for [asked, predicted, started] in found.tenths.into_iter().filter(|tenth| tenth[0] >= 300.0) {
        off += (predicted - started).abs() / found.asked;
        assert!(
            ((predicted - started) / asked).abs() < 0.08,
            "{} came to {}",
            predicted / asked,
            started / asked
        );
    }
    assert!(off < 0.015, "off by {off} on average");
}

/// A machine that starts jobs at midnight alone, each night half of the waiting ones, and new ones come then:
/// every event of a day lies within one minute. At noon no job starts within the hour and half of them within the day.
#[test]
fn what_happens_at_night_is_not_taken_for_the_whole_day() {
    let limits = WaitCapacity { history: 20_000, queued: 200, releases: 0, clusters: 1, neighbours: 4096 };
    let options = WaitOptions { components: ADAPT | VISIBLE, ..WaitOptions::default() };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
    let mut random = Random(17);
    let mut waiting: Vec<(i64, i64)> = Vec::new();
    let (mut asked, mut hour, mut day, mut started) = (0.0, 0.0, 0.0, 0.0);
    for night in 0..250_i64 {
        let midnight = night * 24 * HOUR;
        let (start, stay): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|_| random.next(2) == 0);
        waiting = stay;
        if night > 100 {
            asked += (start.len() + waiting.len()) as f64;
            started += start.len() as f64;
        }
        for (second, (id, submitted)) in start.into_iter().enumerate() {
            assert_eq!(
                predictor.start(id, midnight + second as i64),
                Ok(midnight + second as i64 - submitted)
            );
        }
        for id in 20 * night..20 * night + 20 {
            predictor.submit(id, midnight + 59, &job(HOUR)).unwrap();
            waiting.push((id, midnight + 59));
        }
        if (100..249).contains(&night) {
            predictor.set_clock(midnight + 12 * HOUR).unwrap();
            for (_, submitted) in &waiting {
                let age = midnight + 12 * HOUR - submitted;
                let within = |time| predictor.start_probability(&job(HOUR), age, age + time, 0.9).unwrap();
                hour += within(HOUR).observed;
                day += within(24 * HOUR).observed;
            }
        }
    }
    let (hour, day, started) = (hour / asked, day / asked, started / asked);
    assert!(hour < 0.06, "{hour} within the hour");
    assert!((day - started).abs() < 0.03, "{day} within the day, {started} did");
}

/// Where the history has no wait as long as the job's, there is an answer all the same, and more than the age.
#[test]
fn a_job_that_has_waited_longer_than_all_is_answered() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(ADAPT)).unwrap();
    for wait in 1..=100 {
        predictor.known(wait, &job(1)).unwrap();
    }
    let bound = |age: i64| match predictor.predict_aged(&job(1), age, 0.95, 0.95, 0) {
        Ok(WaitAnswer::Bound(bound)) => bound,
        other => panic!("{age}: {other:?}"),
    };
    // 59 waits or more are left: the order statistic, here the longest.
    assert_eq!(bound(42), 100);
    // Fewer: beyond the longest, by a Pareto tail with the index 1/4 from the n waits that are left, plus one.
    let beyond =
        |longest: f64, left: f64| (longest * (0.05 * (left + 2.0)).powf(-0.25).max(1.0)).ceil() as i64;
    for (age, left) in [(90, 11.0), (100, 1.0)] {
        assert_eq!(bound(age), beyond(100.0, left), "{age}");
    }
    assert_eq!(bound(5000), beyond(5000.0, 0.0));
}

/// Clusters of which one has too few waits left: all clusters' waits count.
#[test]
fn too_few_waits_of_a_cluster_fall_back_to_all() {
    let limits = WaitCapacity { history: 2000, clusters: 4, ..LIMITS };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options(CLUSTER)).unwrap();
    let mut waits = Vec::new();
    for n in 0..600 {
        // Short requests wait for at most 300 s, long ones up to 60,000.
        for (requested, wait) in [(10, 1 + n / 2), (5000, 100 * (n + 1))] {
            predictor.known(wait, &job(requested)).unwrap();
            waits.push(wait);
        }
    }
    predictor.recluster(100_000).unwrap();
    assert!(predictor.clusters().count() > 1);
    for age in [10, 290, 299, 20_000] {
        let longer: Vec<i64> = waits.iter().copied().filter(|wait| *wait >= age).collect();
        let short: Vec<i64> = (0..600).map(|n| 1 + n / 2).filter(|wait| *wait >= age).collect();
        let wanted = match naive_bound(&short, 0.95, 0.95) {
            WaitAnswer::TooLittleHistory => naive_bound(&longer, 0.95, 0.95),
            own => own,
        };
        assert_eq!(predictor.predict_aged(&job(10), age, 0.95, 0.95, 0), Ok(wanted), "{age}");
    }
}

#[test]
fn lost_jobs_are_given_up_and_make_room() {
    let limits = WaitCapacity { queued: 3, ..LIMITS };
    for components in [0, ADAPT | VISIBLE] {
        let options = WaitOptions { oldest_seconds: 1000, ..options(components) };
        let mut memory = block(&limits);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
        for id in 1..=3 {
            predictor.submit(id, id * 10, &job(60)).unwrap();
        }
        assert_eq!(predictor.submit(4, 1010, &job(60)), Err(Error::Full));
        // A second later the first has waited for more than 1,000 s.
        predictor.submit(4, 1011, &job(60)).unwrap();
        let held = |predictor: &WaitPredictor| -> Vec<(i64, i64, bool)> {
            predictor.held().map(|job| (job.id, job.submitted, job.given_up)).collect()
        };
        assert_eq!(held(&predictor), [(2, 20, false), (3, 30, false), (4, 1011, false)]);
        assert_eq!(predictor.start(1, 1011), Err(Error::UnknownJob));
        // One that is given up and starts after all.
        predictor.cancel(4, 1025).unwrap();
        assert_eq!(held(&predictor), [(2, 20, true), (3, 30, false)]);
        assert_eq!(predictor.start(2, 1026), Ok(1006));
        assert_eq!((predictor.remembered(), predictor.queued()), (1, 1));
        predictor.submit(5, 5000, &job(60)).unwrap();
        predictor.submit(6, 5000, &job(60)).unwrap();
        assert_eq!(held(&predictor), [(3, 30, true), (5, 5000, false), (6, 5000, false)]);
        // The clock was an hour ahead: the two came now, and no job has waited for too long.
        predictor.set_clock(900).unwrap();
        assert_eq!(held(&predictor), [(3, 30, false), (5, 900, false), (6, 900, false)]);
        assert_eq!(predictor.start(6, 905), Ok(5));
        assert_eq!(predictor.set_clock(i64::MAX), Err(Error::OutOfRange));
        predictor.set_clock(10_000).unwrap();
        assert!(predictor.held().all(|job| job.given_up));
        assert_eq!(predictor.cancel(5, 9999), Err(Error::TimeWentBack));
    }
    for oldest_seconds in [0, -1, surefill::runtime::MAX_SECONDS + 1] {
        let options = WaitOptions { oldest_seconds, ..options(0) };
        let mut memory = block(&LIMITS);
        let made = WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options);
        assert_eq!(made.err(), Some(Error::OutOfRange));
    }
}

/// A predictor whose clock was set back answers like one that was never wrong.
#[test]
fn a_clock_set_back_leaves_no_trace_in_bounds_and_misses() {
    let run = |ahead: i64| {
        let mut memory = block(&LIMITS);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(ADAPT)).unwrap();
        for wait in 1..=200 {
            predictor.known(wait, &job(1)).unwrap();
        }
        for id in 0..20 {
            predictor.submit(id, ahead + 1000, &job(1)).unwrap();
        }
        predictor.set_clock(1000).unwrap();
        let mut answers = Vec::new();
        for id in 0..20 {
            // Half of them are misses, counted when their bound passes.
            let now = 1000 + 30 * (id + 1);
            answers.push(predictor.start(id, now).unwrap());
            answers.push(match predictor.predict(&job(1), 0.95, 0.95, now).unwrap() {
                WaitAnswer::Bound(bound) => bound,
                other => panic!("{other:?}"),
            });
        }
        answers
    };
    assert_eq!(run(0), run(7 * HOUR));
}
