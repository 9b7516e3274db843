//! The predictor against a slow one that keeps every event and computes everything from scratch at every call, straight
//! from chapters 3 and 4 of the thesis.

#![allow(clippy::needless_range_loop)] // indices as in the thesis's formulas

use surefill::hmm::{HmmCapacity, Initial, LoadModel, ParametersMut, Termination};
use surefill::predict::{Learning, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::RuntimeBins;

const STATES: usize = 4;
const BINS: usize = 5;
const SLOT: i64 = 100;
const INITIAL: i64 = 3000;
/// Longer than any test.
const FOREVER: i64 = 1 << 40;

#[derive(Debug, Clone)]
struct Model {
    load: LoadModel,
    start: Vec<f64>,
    transition: Vec<Vec<f64>>,
    emission: Vec<Vec<f64>>,
    parameter: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Job {
    id: i64,
    submitted: i64,
    started: Option<i64>,
    ended: Option<i64>,
    cancelled: bool,
}

fn normalised(row: &[f64]) -> Option<Vec<f64>> {
    let sum: f64 = row.iter().sum();
    (sum > 0.0).then(|| row.iter().map(|x| x / sum).collect())
}

impl Model {
    fn uniform(load: LoadModel, mean: f64) -> Model {
        let parameter = match load {
            LoadModel::None => 0.0,
            LoadModel::Poisson => mean,
            LoadModel::Geometric => 1.0 / (1.0 + mean),
        };
        Model {
            load,
            start: vec![1.0 / STATES as f64; STATES],
            transition: vec![vec![1.0 / STATES as f64; STATES]; STATES],
            emission: vec![vec![0.0; BINS]; STATES],
            parameter: vec![parameter; STATES],
        }
    }

    fn fixed(load: LoadModel, mean: f64) -> Model {
        let mut model = Model::uniform(load, mean);
        for i in 0..STATES {
            let own = i * BINS / STATES..(i + 1) * BINS / STATES;
            for j in 0..BINS {
                let twice = if own.contains(&j) { 2.0 } else { 1.0 };
                model.emission[i][j] = twice / (own.len() + BINS) as f64;
            }
        }
        model
    }

    /// Algorithm 4, line by line.
    fn k_means(load: LoadModel, slots: &[[u32; BINS]]) -> Model {
        let jobs: u32 = slots.iter().flatten().sum();
        let mut states = vec![0usize; slots.len()];
        let mut b = vec![vec![0.0; BINS]; STATES];
        let filled: Vec<usize> = (0..slots.len()).filter(|&t| slots[t].iter().sum::<u32>() > 0).collect();
        let relax = |states: &[usize], current: usize, b: &mut Vec<Vec<f64>>| {
            for (i, row) in b.iter_mut().enumerate().take(current) {
                let mut sums = [0.0; BINS];
                for &t in filled.iter().filter(|&&t| states[t] == i) {
                    for j in 0..BINS {
                        sums[j] += f64::from(slots[t][j]);
                    }
                }
                *row = normalised(&sums).unwrap_or(vec![0.0; BINS]);
            }
        };
        let mut current = 1;
        relax(&states, current, &mut b);
        while current != STATES {
            for i in 0..current {
                let mean: f64 = (0..BINS).map(|j| b[i][j] * j as f64).sum();
                for &t in &filled {
                    let load: u32 = slots[t].iter().sum();
                    let sum: f64 = (0..BINS).map(|j| f64::from(slots[t][j]) * j as f64).sum();
                    if states[t] == i && sum / f64::from(load) > mean {
                        states[t] += current;
                    }
                }
            }
            current *= 2;
            relax(&states, current, &mut b);
            loop {
                let before = states.clone();
                for &t in &filled {
                    let load: u32 = slots[t].iter().sum();
                    let divergence = |i: usize| -> f64 {
                        let terms = (0..BINS).filter(|&j| slots[t][j] > 0).map(|j| {
                            let p = f64::from(slots[t][j]) / f64::from(load);
                            if b[i][j] == 0.0 { f64::INFINITY } else { p * (p / b[i][j]).log2() }
                        });
                        terms.sum()
                    };
                    let nearest = (0..current).map(divergence).fold(f64::INFINITY, f64::min);
                    // The first that is nearest, but for rounding.
                    states[t] = (0..current).find(|&i| divergence(i) <= nearest + 1e-12).unwrap();
                }
                relax(&states, current, &mut b);
                if states == before {
                    break;
                }
            }
        }
        let mut model = Model::uniform(load, f64::from(jobs) / slots.len() as f64);
        let overall: Vec<f64> =
            (0..BINS).map(|j| slots.iter().map(|s| f64::from(s[j])).sum::<f64>() / f64::from(jobs)).collect();
        for (row, found) in model.emission.iter_mut().zip(b) {
            *row = if found.iter().sum::<f64>() > 0.0 { found } else { overall.clone() };
        }
        model
    }

    /// The same model with a floor under B.
    fn with_floor(&self, floor: f64) -> Model {
        let mut model = self.clone();
        for p in model.emission.iter_mut().flatten() {
            *p = (1.0 - floor) * *p + floor / BINS as f64;
        }
        model
    }

    /// Pr(slot | state), running jobs as the lowest bins still possible.
    fn emits(&self, i: usize, slot: &[u32; BINS], running: &[usize]) -> f64 {
        let load = slot.iter().sum::<u32>() + running.len() as u32;
        let mut p = match self.load {
            LoadModel::None => 1.0,
            LoadModel::Poisson => {
                let mean = self.parameter[i];
                (1..=load).fold((-mean).exp(), |p, k| p * mean / f64::from(k))
            }
            LoadModel::Geometric => self.parameter[i] * (1.0 - self.parameter[i]).powi(load as i32),
        };
        for j in 0..BINS {
            p *= self.emission[i][j].powi(slot[j] as i32);
        }
        for &bin in running {
            p *= if bin == 0 { 1.0 } else { self.emission[i][bin..].iter().sum() };
        }
        p
    }

    /// [`Model::emits`] as a logarithm.
    fn ln_emits(&self, i: usize, slot: &[u32; BINS], running: &[usize]) -> f64 {
        let load = slot.iter().sum::<u32>() + running.len() as u32;
        let p = self.parameter[i];
        let mut ln = match self.load {
            LoadModel::None => 0.0,
            LoadModel::Poisson => (1..=load).fold(-p, |ln, k| ln + p.ln() - f64::from(k).ln()),
            LoadModel::Geometric if load == 0 => p.ln(),
            LoadModel::Geometric => p.ln() + f64::from(load) * (1.0 - p).ln(),
        };
        for j in (0..BINS).filter(|&j| slot[j] > 0) {
            ln += f64::from(slot[j]) * self.emission[i][j].ln();
        }
        for &bin in running.iter().filter(|&&bin| bin > 0) {
            ln += self.emission[i][bin..].iter().sum::<f64>().ln();
        }
        ln
    }

    fn next(&self, filtered: &[f64]) -> Vec<f64> {
        (0..STATES).map(|j| (0..STATES).map(|i| filtered[i] * self.transition[i][j]).sum()).collect()
    }

    /// One round of Baum-Welch over finished slots, bent first where needed; the new model, and the change in L1 and L-infinity.
    fn round(&mut self, slots: &[[u32; BINS]]) -> (f64, f64) {
        let jobs: u32 = slots.iter().flatten().sum();
        let mut alpha: Vec<Vec<f64>> = Vec::new();
        let mut emission: Vec<Vec<f64>> = Vec::new();
        loop {
            let mut bent = false;
            alpha.clear();
            emission.clear();
            let mut predicted = self.start.clone();
            for slot in slots {
                let mut b: Vec<f64> = (0..STATES).map(|i| self.emits(i, slot, &[])).collect();
                let mut joint: Vec<f64> = predicted.iter().zip(&b).map(|(p, b)| p * b).collect();
                if joint.iter().sum::<f64>() == 0.0 {
                    bent = true;
                    self.bend(slot, jobs);
                    b = (0..STATES).map(|i| self.emits(i, slot, &[])).collect();
                    joint = predicted.iter().zip(&b).map(|(p, b)| p * b).collect();
                }
                let scale: f64 = joint.iter().sum();
                alpha.push(joint.iter().map(|x| x / scale).collect());
                emission.push(b.iter().map(|x| x / scale).collect());
                predicted = self.next(alpha.last().unwrap());
            }
            if !bent {
                break;
            }
        }
        let last = slots.len() - 1;
        let mut beta = vec![vec![1.0; STATES]; slots.len()];
        for t in (0..last).rev() {
            for i in 0..STATES {
                beta[t][i] =
                    (0..STATES).map(|j| self.transition[i][j] * emission[t + 1][j] * beta[t + 1][j]).sum();
            }
        }
        let gamma = |t: usize, i: usize| alpha[t][i] * beta[t][i];
        let mut new = self.clone();
        new.start = (0..STATES).map(|i| gamma(0, i)).collect();
        for i in 0..STATES {
            let moves: Vec<f64> = (0..STATES)
                .map(|j| {
                    let xi =
                        |t: usize| alpha[t][i] * self.transition[i][j] * emission[t + 1][j] * beta[t + 1][j];
                    (0..last).map(xi).sum()
                })
                .collect();
            new.transition[i] = normalised(&moves).unwrap_or(self.transition[i].clone());
            let expected: Vec<f64> =
                (0..BINS).map(|j| (0..=last).map(|t| gamma(t, i) * f64::from(slots[t][j])).sum()).collect();
            new.emission[i] = normalised(&expected).unwrap_or(self.emission[i].clone());
            let (load, visits): (f64, f64) = (expected.iter().sum(), (0..=last).map(|t| gamma(t, i)).sum());
            new.parameter[i] = match self.load {
                LoadModel::None => self.parameter[i],
                LoadModel::Poisson => load / visits,
                LoadModel::Geometric => visits / (visits + load),
            };
        }
        let changes = self.flat().into_iter().zip(new.flat()).map(|(a, b)| (a - b).abs());
        let change = changes.fold((0.0, 0.0f64), |(l1, most), c| (l1 + c, most.max(c)));
        *self = new;
        change
    }

    fn bend(&mut self, slot: &[u32; BINS], jobs: u32) {
        let load: u32 = slot.iter().sum();
        let weight = f64::from(load) / f64::from(jobs);
        for i in 0..STATES {
            for j in 0..BINS {
                let share = f64::from(slot[j]) / f64::from(load.max(1));
                self.emission[i][j] = (1.0 - weight) * self.emission[i][j] + weight * share;
            }
            let p = self.parameter[i];
            let mean = |mean: f64| (1.0 - weight) * mean + weight * f64::from(load);
            self.parameter[i] = match self.load {
                LoadModel::None => p,
                LoadModel::Poisson => mean(p),
                LoadModel::Geometric => 1.0 / (1.0 + mean((1.0 - p) / p)),
            };
        }
    }

    fn flat(&self) -> Vec<f64> {
        [self.start.clone(), self.transition.concat(), self.emission.concat(), self.parameter.clone()]
            .concat()
    }
}

/// Every event, and the model in use.
struct Naive {
    options: PredictorOptions,
    bins: RuntimeBins,
    jobs: Vec<Job>,
    model: Option<Model>,
    /// Trained, not yet in use.
    draft: Option<Model>,
    trained: i64,
    l1: f64,
}

impl Naive {
    fn first(&self) -> i64 {
        self.jobs[0].submitted.div_euclid(SLOT)
    }

    /// Whether this job is in the system and not given up.
    fn counts(&self, job: &Job, now: i64) -> bool {
        job.ended.is_none() && now - job.submitted <= self.options.oldest_seconds
    }

    fn anchor(&self, now: i64) -> i64 {
        let open = self.jobs.iter().filter(|job| self.counts(job, now));
        open.map(|job| job.submitted.div_euclid(SLOT)).chain([now.div_euclid(SLOT)]).min().unwrap()
    }

    /// The finished jobs of the slots before `end`.
    fn slots(&self, end: i64) -> Vec<[u32; BINS]> {
        let first = self.first();
        let mut slots = vec![[0; BINS]; (end - first) as usize];
        for job in self.jobs.iter().filter(|job| job.ended.is_some() && !job.cancelled) {
            let slot = job.submitted.div_euclid(SLOT);
            if slot < end {
                let run = (job.ended.unwrap() - job.started.unwrap()) as f64;
                slots[(slot - first) as usize][self.bins.bin_of(run)] += 1;
            }
        }
        slots
    }

    fn finished(&self, end: i64) -> u32 {
        self.slots(end).iter().flatten().sum()
    }

    /// Whether every slot before `end` is explained by the model, and the filtered probabilities of the last if every slot is,
    /// or may be under the floor.
    fn filtered(&self, model: &Model, end: i64, now: i64) -> (bool, Option<Vec<f64>>) {
        let first = self.first();
        let floor = self.options.floor;
        let safe = model.with_floor(floor);
        let mut explained = true;
        let mut predicted = model.start.clone();
        let mut filtered = Vec::new();
        for (t, slot) in self.slots(end).iter().enumerate() {
            let here = |job: &&Job| {
                job.submitted.div_euclid(SLOT) - first == t as i64
                    && self.counts(job, now)
                    && job.started.is_some()
            };
            let running: Vec<usize> = self
                .jobs
                .iter()
                .filter(here)
                .map(|job| self.bins.bin_of((now - job.started.unwrap()) as f64))
                .collect();
            // Long after the last event running jobs are so unlikely that plain products would be 0.
            let scaled = |model: &Model| {
                let ln: Vec<f64> = (0..STATES).map(|i| model.ln_emits(i, slot, &running)).collect();
                let possible = (0..STATES).filter(|&i| predicted[i] > 0.0);
                let most = possible.map(|i| ln[i]).fold(f64::NEG_INFINITY, f64::max);
                let joint: Vec<f64> = (0..STATES)
                    .map(|i| if predicted[i] > 0.0 { predicted[i] * (ln[i] - most).exp() } else { 0.0 })
                    .collect();
                if most > f64::NEG_INFINITY { normalised(&joint) } else { None }
            };
            filtered = match scaled(model) {
                Some(filtered) => filtered,
                None if floor > 0.0 => {
                    explained = false;
                    scaled(&safe).unwrap_or(predicted)
                }
                None => return (false, None),
            };
            predicted = model.next(&filtered);
        }
        (explained, Some(filtered))
    }

    fn predict(&self, now: i64) -> Option<Vec<f64>> {
        let model = self.model.as_ref()?;
        let filtered = self.filtered(model, now.div_euclid(SLOT) + 1, now).1?;
        let p = (0..BINS).map(|j| (0..STATES).map(|i| filtered[i] * model.emission[i][j]).sum());
        Some(self.safe(p.collect()))
    }

    /// Section 3.1: p' = p (1 - epsilon), or epsilon / N_0 in the N_0 bins without.
    fn safe(&self, p: Vec<f64>) -> Vec<f64> {
        let finished = self.jobs.iter().filter(|job| job.ended.is_some() && !job.cancelled).count();
        let epsilon = (1.0 / (finished as f64 + 1.0)).min(0.01);
        let empty = p.iter().filter(|p| **p < 1e-9).count() as f64;
        let share = |p: f64| if p < 1e-9 { epsilon / empty } else { p * (1.0 - epsilon) };
        if empty == 0.0 { p } else { p.into_iter().map(share).collect() }
    }

    fn wants_training(&self, now: i64) -> bool {
        if self.draft.is_some() {
            return true;
        }
        let Some(first) = self.jobs.first().map(|job| job.submitted) else { return false };
        let mut initial = self.jobs.iter().filter(|job| job.submitted - first < INITIAL);
        let anchor = self.anchor(now);
        if now - first < INITIAL || initial.any(|job| self.counts(job, now)) || self.finished(anchor) == 0 {
            return false;
        }
        let Some(model) = &self.model else { return true };
        let restart = match self.options.termination {
            Termination::L1(epsilon) => f64::from(self.finished(anchor)).sqrt() * self.l1 >= epsilon,
            _ => (anchor - self.trained) * SLOT >= self.options.restart_seconds,
        };
        anchor > self.trained && (restart || !self.filtered(model, anchor, now).0)
    }

    fn begin_training(&mut self, now: i64) {
        let anchor = self.anchor(now);
        let slots = self.slots(anchor);
        let jobs = f64::from(self.finished(anchor));
        let mut model = self.model.clone().unwrap_or_else(|| match self.options.initial {
            Initial::Static => Model::fixed(self.options.load, jobs / slots.len() as f64),
            Initial::KMeans => Model::k_means(self.options.load, &slots),
        });
        for round in 1.. {
            let (l1, most) = model.round(&slots);
            self.l1 = l1;
            let done = match self.options.termination {
                Termination::Rounds(rounds) => round >= rounds,
                Termination::L1(epsilon) => jobs.sqrt() * l1 < epsilon,
                Termination::LInfinity(epsilon) => most < epsilon,
            };
            if done || round >= self.options.most_rounds {
                break;
            }
        }
        self.trained = anchor;
        self.draft = Some(model);
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

#[track_caller]
fn close(found: &[f64], expected: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-7 * (1.0 + b.abs());
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{found:?}\n{expected:?}");
}

fn compare(seed: u64, options: PredictorOptions, window: u32) -> (usize, usize, usize) {
    let bins = RuntimeBins::new(20.0, 4.0, BINS).unwrap();
    let capacity = PredictorCapacity {
        jobs: 1000,
        hmm: HmmCapacity { states: STATES as u32, bins: BINS as u32, slots: 400, cells: 2000 },
        window,
        ..PredictorCapacity::of(PredictorKind::Hmm)
    };
    let mut memory = vec![u64::MAX; Predictor::size(&capacity).unwrap() / 8];
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, &bins, &options).unwrap();
    let mut naive = Naive { options, bins, jobs: Vec::new(), model: None, draft: None, trained: 0, l1: 0.0 };
    let mut random = Random(seed);
    let mut now = -1234;
    let (mut spoke, mut silent, mut trainings) = (0, 0, 0);
    // Each running job's run time, drawn from the kind of work there is at its submission; the kinds change now and then.
    let mut runs = std::collections::HashMap::new();
    let mut kind = 0;
    for step in 0..700 {
        let mut predictor = Predictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        now += [0, 0, 7, 13, 40, 150][random.below(6) as usize];
        if random.below(20) == 0 {
            kind = random.below(4);
        }
        // Whose time has come ends, in whatever order; what is given up is not heard of again.
        let due: Vec<i64> = naive
            .jobs
            .iter()
            .filter(|job| naive.counts(job, now) && job.started.is_some_and(|s| s + runs[&job.id] <= now))
            .map(|job| job.id)
            .collect();
        for id in due {
            predictor.end(id, now).unwrap();
            naive.jobs.iter_mut().find(|job| job.id == id).unwrap().ended = Some(now);
        }
        let queued = naive.jobs.iter().filter(|job| job.ended.is_none() && job.started.is_none());
        let held = |id: &i64| options.oldest_seconds < FOREVER && id % 13 == 0;
        let queued: Vec<i64> = queued.map(|job| job.id).filter(|id| !held(id)).collect();
        match random.below(4) {
            0 | 1 if naive.jobs.iter().filter(|job| naive.counts(job, now)).count() < 20 => {
                let id = i64::from(step) * 7919;
                let base = [5, 30, 200, 1500][kind as usize];
                // After the initial period something new may come, so that models get surprised.
                let run = base + random.below(base as u64 * if step > 300 { 9 } else { 2 }) as i64;
                // Some ends are never heard of, if jobs are given up for that, and some jobs are never started.
                let lost = options.oldest_seconds < FOREVER && random.below(10) == 0;
                runs.insert(id, if lost { FOREVER } else { run });
                predictor.submit(id, &[], now).unwrap();
                naive.jobs.push(Job { id, submitted: now, started: None, ended: None, cancelled: false });
            }
            2 | 3 if !queued.is_empty() => {
                let id = queued[random.below(queued.len() as u64) as usize];
                let job = naive.jobs.iter_mut().find(|job| job.id == id).unwrap();
                if random.below(12) == 0 {
                    predictor.cancel(id, now).unwrap();
                    (job.ended, job.cancelled) = (Some(now), true);
                } else {
                    predictor.start(id, now).unwrap();
                    job.started = Some(now);
                }
            }
            _ => (),
        }
        let waiting = naive.jobs.iter().filter(|job| job.ended.is_none()).count();
        assert_eq!(predictor.jobs() as usize, waiting);
        if naive.jobs.is_empty() {
            continue;
        }
        // It knows the time from events and its clock only.
        predictor.set_clock(now).unwrap();
        // Training goes on a little after most events, or to its end after some.
        assert_eq!(predictor.wants_training(), naive.wants_training(now), "step {step}");
        if predictor.wants_training() {
            if naive.draft.is_none() {
                naive.begin_training(now);
            }
            let whole = random.below(3) == 0;
            let learning = predictor.train(if whole { u64::MAX } else { 1 + random.below(400) }).unwrap();
            if let Learning::Done(round) = learning {
                trainings += 1;
                naive.model = naive.draft.take();
                close(&[round.l1], &[naive.l1]);
                let model = naive.model.as_ref().unwrap();
                let (mut start, mut transition) = ([0.0; STATES], [0.0; STATES * STATES]);
                let (mut emission, mut parameter) = ([0.0; STATES * BINS], [0.0; STATES]);
                predictor
                    .hmm()
                    .unwrap()
                    .parameters(&mut ParametersMut {
                        start: &mut start,
                        transition: &mut transition,
                        emission: &mut emission,
                        load_parameter: &mut parameter,
                    })
                    .unwrap();
                let found = [&start[..], &transition, &emission].concat();
                close(&found, &model.flat()[..found.len()]);
                if model.load != LoadModel::None {
                    close(&parameter, &model.parameter);
                }
            } else {
                assert!(!whole && learning == Learning::More);
            }
        } else {
            assert_eq!(predictor.train(1), Ok(Learning::Idle));
        }
        // Questions about later times are answered, and change nothing.
        for later in [now + random.below(300) as i64, now + random.below(6000) as i64] {
            let mut found = [7.0; BINS];
            let said = predictor.probabilities(&[], later, &mut found).unwrap();
            let expected = naive.predict(later);
            assert_eq!(said.is_some(), expected.is_none(), "step {step}: {said:?}");
            close(&found, &expected.unwrap_or(vec![7.0; BINS]));
        }
        let expected = naive.predict(now);
        let mut found = [7.0; BINS];
        if predictor.probabilities(&[], now, &mut found).unwrap().is_none() {
            close(&found, &expected.unwrap_or_else(|| panic!("step {step}: not silent")));
            spoke += 1;
            let distribution = predictor.predict(&[], now).unwrap().unwrap();
            close(distribution.binned().unwrap().1, &found);
        } else {
            assert_eq!(expected, None, "step {step}: silent");
            assert_eq!(found, [7.0; BINS]);
            assert!(predictor.predict(&[], now).unwrap().is_err());
            silent += 1;
        }
    }
    (spoke, silent, trainings)
}

fn options() -> PredictorOptions {
    PredictorOptions {
        slot_seconds: SLOT,
        initial_seconds: INITIAL,
        load: LoadModel::None,
        initial: Initial::Static,
        termination: Termination::L1(40.0),
        most_rounds: 50,
        restart_seconds: 1500,
        floor: 0.0,
        oldest_seconds: FOREVER,
        ..PredictorOptions::of(PredictorKind::Hmm)
    }
}

#[test]
fn agrees_with_the_naive_predictor_under_static_initial_values() {
    let (mut spoke, mut silent, mut trainings) = (0, 0, 0);
    for seed in 0..12 {
        for termination in [Termination::L1(40.0), Termination::Rounds(3), Termination::LInfinity(0.05)] {
            let load = [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric][seed % 3];
            let window = [1, 3, 1000][seed / 3 % 3];
            let found = compare(seed as u64, PredictorOptions { termination, load, ..options() }, window);
            spoke += found.0;
            silent += found.1;
            trainings += found.2;
        }
    }
    println!("spoke {spoke}, silent {silent}, trainings {trainings}");
    assert!(spoke > 5000 && silent > 2000 && trainings > 100);
}

#[test]
fn agrees_with_the_naive_predictor_under_k_means() {
    let mut trainings = 0;
    for seed in 100..112 {
        let load = [LoadModel::Geometric, LoadModel::None][seed % 2];
        let options = PredictorOptions { initial: Initial::KMeans, load, ..options() };
        trainings += compare(seed as u64, options, 7).2;
    }
    assert!(trainings > 20);
}

#[test]
fn agrees_with_the_naive_predictor_under_a_floor() {
    let (mut spoke, mut silent, mut trainings) = (0, 0, 0);
    for seed in 200..218 {
        let load = [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric][seed % 3];
        let window = [1, 3, 1000][seed / 3 % 3];
        let floor = [1e-3, 0.2][seed / 9 % 2];
        let initial = [Initial::Static, Initial::KMeans][seed % 2];
        let found = compare(seed as u64, PredictorOptions { floor, load, initial, ..options() }, window);
        spoke += found.0;
        silent += found.1;
        trainings += found.2;
    }
    println!("spoke {spoke}, silent {silent}, trainings {trainings}");
    assert!(spoke > 4000 && trainings > 30);
}

#[test]
fn agrees_with_the_naive_predictor_when_ends_get_lost_and_jobs_are_held() {
    let (mut spoke, mut trainings) = (0, 0);
    for seed in 300..318 {
        let load = [LoadModel::None, LoadModel::Poisson, LoadModel::Geometric][seed % 3];
        let window = [1, 3, 1000][seed / 3 % 3];
        let floor = [0.0, 1e-3][seed / 9 % 2];
        let oldest_seconds = [2000, 4000][seed % 2];
        let options = PredictorOptions { floor, load, oldest_seconds, ..options() };
        let found = compare(seed as u64, options, window);
        spoke += found.0;
        trainings += found.2;
    }
    println!("spoke {spoke}, trainings {trainings}");
    assert!(spoke > 2000 && trainings > 30);
}
