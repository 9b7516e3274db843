//! The predictor of kind contexts against a mixture of contexts driven by hand: the records of jobs, the jobs given up,
//! and those that make room. Also the conditions of its predictions.

#[path = "common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use std::collections::HashMap;
use surefill::error::Error;
use surefill::predict::{
    ContextCapacity, ContextMixture, MixtureCapacity, Predictor, PredictorCapacity, PredictorKind,
    PredictorOptions, Silence,
};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

const BINS: usize = 12;
const JOBS: u32 = 6;
const OLDEST: i64 = 4000;
const KIND: PredictorKind = PredictorKind::Contexts;

fn bins() -> RuntimeBins {
    RuntimeBins::new(10.0, 2.0, BINS).unwrap()
}

fn capacity() -> PredictorCapacity {
    let own = PredictorCapacity::of(KIND);
    let mixture = MixtureCapacity { bins: BINS as u32, histories: 2000, ..own.mixture };
    PredictorCapacity { jobs: JOBS, mixture, ..own }
}

fn memory() -> Vec<u64> {
    let options = PredictorOptions { oldest_seconds: OLDEST, ..PredictorOptions::of(KIND) };
    let mut memory = vec![u64::MAX; Predictor::size(&capacity()).unwrap() / 8];
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity(), &bins(), &options).unwrap();
    memory
}

fn attach(memory: &mut [u64]) -> Predictor<'_> {
    Predictor::attach(bytemuck::cast_slice_mut(memory)).unwrap()
}

fn distribution(probabilities: &[f64]) -> RuntimeDistribution {
    RuntimeDistribution::from_counts(&bins(), probabilities).unwrap()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> i64 {
        (splitmix(&mut self.0) % most) as i64
    }
}

struct Known {
    id: i64,
    record: u32,
    submitted: i64,
    started: Option<i64>,
    given_up: bool,
    said: Option<Vec<f64>>,
}

/// Jobs in the order of submission, and the mixture to which they are reported.
struct Hand<'a> {
    mixture: ContextMixture<'a>,
    jobs: Vec<Known>,
}

impl Hand<'_> {
    fn advance(&mut self, now: i64) {
        for job in self.jobs.iter_mut().filter(|job| !job.given_up && now - job.submitted > OLDEST) {
            job.given_up = true;
            self.mixture.give_up(job.record).unwrap();
        }
    }

    /// Sets the clock back: jobs that were given up by the wrong one alone are taken up again. Returns whether there
    /// were any.
    fn move_back(&mut self, now: i64) -> bool {
        for job in &mut self.jobs {
            job.submitted = job.submitted.min(now);
            job.started = job.started.map(|started| started.min(now));
        }
        let mut any = false;
        for job in self.jobs.iter_mut().filter(|job| job.given_up && now - job.submitted <= OLDEST) {
            job.given_up = false;
            self.mixture.take_up(job.record).unwrap();
            any = true;
        }
        self.mixture.move_back(now);
        any
    }

    fn submit(&mut self, id: i64, keys: &[i64], now: i64) -> bool {
        let too_old = |job: &Known| now - job.submitted > OLDEST || job.given_up;
        if self.jobs.len() == JOBS as usize && !self.jobs.first().is_some_and(too_old) {
            return false;
        }
        self.advance(now);
        if self.jobs.len() == JOBS as usize {
            self.mixture.cancel(self.jobs.remove(0).record).unwrap();
        }
        // The highest free record: not the one that the predictor takes.
        let record = (0..JOBS).rev().find(|r| self.jobs.iter().all(|job| job.record != *r)).unwrap();
        let mut said = vec![0.0; BINS];
        let learnt = self.mixture.submit(record, keys, now, &mut said).unwrap();
        let said = learnt.then_some(said);
        self.jobs.push(Known { id, record, submitted: now, started: None, given_up: false, said });
        true
    }
}

#[test]
fn equals_a_mixture_of_the_same_reports() {
    let own =
        ContextCapacity { bins: BINS as u32, jobs: JOBS, histories: 2000, ..ContextCapacity::default() };
    let mut block = vec![0u64; ContextMixture::size(&own).unwrap().div_ceil(8)];
    let mixture = ContextMixture::init(bytemuck::cast_slice_mut(&mut block), &own, &bins()).unwrap();
    let mut hand = Hand { mixture, jobs: Vec::new() };
    let mut memory = memory();
    let mut random = Random(11);
    let mut now = 0;
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut count = |what: &'static str| *seen.entry(what).or_default() += 1;
    for step in 0..20_000 {
        now += random.below(120);
        if step % 64 == 0 {
            // A checkpoint is made, and a wrong clock is set right.
            Predictor::seal(bytemuck::cast_slice_mut(&mut memory)).unwrap();
            Predictor::open(bytemuck::cast_slice_mut(&mut memory)).unwrap();
            now -= 300;
            let back = attach(&mut memory).last_event().is_some_and(|last| now < last);
            attach(&mut memory).set_clock(now).unwrap();
            if back {
                count(if hand.move_back(now) { "taken up" } else { "moved back" });
            } else {
                hand.advance(now);
            }
        }
        let mut predictor = attach(&mut memory);
        let keys = [random.below(3), [0, 100, 900, 4000][random.below(4) as usize], 1 + random.below(2)];
        let id = random.below(12);
        let index = hand.jobs.iter().position(|job| job.id == id);
        match (random.below(8), index) {
            (0, _) => {
                predictor.set_clock(now).unwrap();
                hand.advance(now);
                let seconds = random.below(3000);
                predictor.learn(&keys, seconds).unwrap();
                hand.mixture.learn(&keys, seconds, now).unwrap();
            }
            (1 | 2, _) => {
                let mut expected = [0.0; BINS];
                let found = predictor.predict(&keys, now).unwrap();
                if hand.mixture.predict(&keys, now, &mut expected).unwrap() {
                    assert_eq!(found.unwrap(), distribution(&expected));
                } else {
                    assert_eq!(found, Err(Silence::NothingLearnt));
                }
            }
            (_, None) => {
                let made = hand.submit(id, &keys, now);
                let expected = if made { Ok(()) } else { Err(Error::Full) };
                assert_eq!(predictor.submit(id, &keys, now), expected);
                count(if made { "submitted" } else { "full" });
            }
            (3, Some(index)) => {
                hand.advance(now);
                let job = hand.jobs.remove(index);
                hand.mixture.cancel(job.record).unwrap();
                predictor.cancel(id, now).unwrap();
                count("cancelled");
            }
            (_, Some(index)) => {
                predictor.set_clock(now).unwrap();
                hand.advance(now);
                let Known { record, started, given_up, .. } = hand.jobs[index];
                if let Some(started) = started {
                    hand.mixture.end(record, now - started, now).unwrap();
                    predictor.end(id, now).unwrap();
                    hand.jobs.remove(index);
                    count(if given_up { "ended late" } else { "ended" });
                } else if random.below(3) == 0 {
                    hand.mixture.start(record, now).unwrap();
                    predictor.start(id, now).unwrap();
                    hand.jobs[index].started = Some(now);
                }
            }
        }
        for job in &hand.jobs {
            let said = predictor.said(job.id).unwrap();
            assert_eq!(said.ok(), job.said.as_ref().map(|said| distribution(said)));
            let mut expected = [0.0; BINS];
            if hand.mixture.predict_job(job.record, &mut expected).unwrap() {
                let found = predictor.predict_job(job.id).unwrap().unwrap();
                assert_eq!(found, distribution(&expected));
            }
        }
        let held: Vec<_> = predictor.held().map(|job| (job.id, job.started, job.given_up)).collect();
        let known: Vec<_> = hand.jobs.iter().map(|job| (job.id, job.started, job.given_up)).collect();
        assert_eq!(held, known);
    }
    for what in ["submitted", "full", "cancelled", "ended", "ended late", "moved back", "taken up"] {
        assert!(seen.get(what).is_some_and(|count| *count > 20), "{what}: {seen:?}");
    }
}

/// After jobs that ended at a limit: with a shorter limit nothing beyond is likely, without one all observed run times
/// are.
#[test]
fn predictions_are_conditional_on_the_limit() {
    let mut memory = memory();
    let mut predictor = attach(&mut memory);
    let mut random = Random(5);
    for _ in 0..300 {
        let limit = 100 << random.below(6);
        predictor.learn(&[random.below(9), limit, 4], 20.max(random.below(3000)).min(limit)).unwrap();
    }
    for limit in [100, 400, 1600] {
        let beyond = bins().bin_of(f64::from(limit)) + 1;
        for user in 0..9 {
            let found = predictor.predict(&[user, limit.into(), 4], 0).unwrap().unwrap();
            let p = found.binned().unwrap().1;
            assert!(p.iter().skip(beyond).sum::<f64>() < 0.02, "{limit}: {p:?}");
            assert!(p.iter().all(|p| *p > 0.0));
        }
    }
    // No limit, expressed in three ways.
    let none = predictor.predict(&[1, 0, 4], 0).unwrap();
    assert_eq!(predictor.predict(&[1, -5, 4], 0).unwrap(), none);
    assert_eq!(predictor.predict(&[1, i64::MAX, 4], 0).unwrap(), none);
    assert!(none.unwrap().binned().unwrap().1[7..].iter().sum::<f64>() > 0.05);
}

#[test]
fn capacities_that_are_none_are_refused() {
    let own = capacity();
    for bad in [
        PredictorCapacity { mixture: MixtureCapacity { keys: 2, ..own.mixture }, ..own },
        PredictorCapacity { mixture: MixtureCapacity { keys: 4, ..own.mixture }, ..own },
        PredictorCapacity { mixture: MixtureCapacity { bins: 1, ..own.mixture }, ..own },
        PredictorCapacity { mixture: MixtureCapacity { histories: 0, ..own.mixture }, ..own },
        PredictorCapacity { mixture: MixtureCapacity { histories: (1 << 24) + 1, ..own.mixture }, ..own },
        PredictorCapacity { jobs: 0, ..own },
    ] {
        assert_eq!(Predictor::size(&bad), Err(Error::OutOfRange), "{bad:?}");
    }
    // A mixture's experts are not looked at.
    let experts = PredictorCapacity { mixture: MixtureCapacity { experts: 99, ..own.mixture }, ..own };
    assert_eq!(Predictor::size(&experts), Predictor::size(&own));
}
