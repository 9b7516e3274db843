//! The naive predictor: every filter and every round from all events.

use super::*;

#[derive(Debug, Clone)]
pub struct Model {
    pub load: LoadModel,
    pub start: Vec<f64>,
    pub transition: Vec<Vec<f64>>,
    pub emission: Vec<Vec<f64>>,
    pub parameter: Vec<f64>,
}

#[derive(Debug, Clone)]
pub struct Job {
    pub id: i64,
    pub submitted: i64,
    pub started: Option<i64>,
    pub ended: Option<i64>,
    pub cancelled: bool,
}

pub fn normalised(row: &[f64]) -> Option<Vec<f64>> {
    let sum: f64 = row.iter().sum();
    (sum > 0.0).then(|| row.iter().map(|x| x / sum).collect())
}

impl Model {
    pub fn uniform(load: LoadModel, mean: f64) -> Model {
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

    pub fn fixed(load: LoadModel, mean: f64) -> Model {
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
    pub fn k_means(load: LoadModel, slots: &[[u32; BINS]]) -> Model {
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
    pub fn with_floor(&self, floor: f64) -> Model {
        let mut model = self.clone();
        for p in model.emission.iter_mut().flatten() {
            *p = (1.0 - floor) * *p + floor / BINS as f64;
        }
        model
    }

    /// Pr(slot | state), running jobs as the lowest bins still possible.
    pub fn emits(&self, i: usize, slot: &[u32; BINS], running: &[usize]) -> f64 {
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
    pub fn ln_emits(&self, i: usize, slot: &[u32; BINS], running: &[usize]) -> f64 {
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

    pub fn next(&self, filtered: &[f64]) -> Vec<f64> {
        (0..STATES).map(|j| (0..STATES).map(|i| filtered[i] * self.transition[i][j]).sum()).collect()
    }

    /// One round of Baum-Welch over finished slots, bent first where needed; the new model, and the change in L1 and
    /// L-infinity.
    pub fn round(&mut self, slots: &[[u32; BINS]]) -> (f64, f64) {
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

    pub fn bend(&mut self, slot: &[u32; BINS], jobs: u32) {
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

    pub fn flat(&self) -> Vec<f64> {
        [self.start.clone(), self.transition.concat(), self.emission.concat(), self.parameter.clone()]
            .concat()
    }
}

/// Every event, and the model in use.
pub struct Naive {
    pub options: PredictorOptions,
    pub bins: RuntimeBins,
    pub jobs: Vec<Job>,
    pub model: Option<Model>,
    /// Trained, not yet in use.
    pub draft: Option<Model>,
    pub trained: i64,
    pub l1: f64,
    /// Each end in turn: the model's probabilities alone at the job's submission, and the bin.
    pub ends: Vec<(Option<Vec<f64>>, usize)>,
}

impl Naive {
    pub fn first(&self) -> i64 {
        self.jobs[0].submitted.div_euclid(SLOT)
    }

    /// Whether this job is in the system and not given up.
    pub fn counts(&self, job: &Job, now: i64) -> bool {
        job.ended.is_none() && now - job.submitted <= self.options.oldest_seconds
    }

    pub fn anchor(&self, now: i64) -> i64 {
        let open = self.jobs.iter().filter(|job| self.counts(job, now));
        open.map(|job| job.submitted.div_euclid(SLOT)).chain([now.div_euclid(SLOT)]).min().unwrap()
    }

    /// The finished jobs of the slots before `end`.
    pub fn slots(&self, end: i64) -> Vec<[u32; BINS]> {
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

    pub fn finished(&self, end: i64) -> u32 {
        self.slots(end).iter().flatten().sum()
    }

    /// Whether every slot before `end` is explained by the model, and the filtered probabilities of the last if every
    /// slot is, or may be under the floor.
    pub fn filtered(&self, model: &Model, end: i64, now: i64) -> (bool, Option<Vec<f64>>) {
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

    /// The shares of the bins of the first of the ends, made safe.
    fn shares(&self, ends: usize) -> Option<Vec<f64>> {
        let mut counts = vec![0.0; BINS];
        self.ends[..ends].iter().for_each(|(_, bin)| counts[*bin] += 1.0 / ends as f64);
        (ends > 0).then(|| safe(counts, ends))
    }

    /// The model's probabilities mixed with the shares of all ends; the weight is computed from the first end on.
    pub fn predict(&self, now: i64) -> Option<Vec<f64>> {
        let alone = self.alone(now)?;
        let Some(shares) = self.shares(self.ends.len()).filter(|_| self.options.floor > 0.0) else {
            return Some(alone);
        };
        let mut weight = 0.5;
        for (place, (own, bin)) in self.ends.iter().enumerate() {
            if let (Some(own), Some(shares)) = (own, self.shares(place)) {
                let of_model = weight * own[*bin];
                weight = 0.001 + 0.998 * of_model / (of_model + (1.0 - weight) * shares[*bin]);
            }
        }
        Some(alone.iter().zip(shares).map(|(p, share)| weight * p + (1.0 - weight) * share).collect())
    }

    /// The model's probabilities, made safe.
    pub fn alone(&self, now: i64) -> Option<Vec<f64>> {
        let model = self.model.as_ref()?;
        let filtered = self.filtered(model, now.div_euclid(SLOT) + 1, now).1?;
        let p = (0..BINS).map(|j| (0..STATES).map(|i| filtered[i] * model.emission[i][j]).sum());
        let finished = self.jobs.iter().filter(|job| job.ended.is_some() && !job.cancelled).count();
        Some(safe(p.collect(), finished))
    }

    pub fn wants_training(&self, now: i64) -> bool {
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

    pub fn begin_training(&mut self, now: i64) {
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

/// Section 3.1: p' = p (1 - epsilon), or epsilon / N_0 in the N_0 bins without, after this many jobs.
fn safe(p: Vec<f64>, finished: usize) -> Vec<f64> {
    let epsilon = (1.0 / (finished as f64 + 1.0)).min(0.01);
    let empty = p.iter().filter(|p| **p < 1e-9).count() as f64;
    let share = |p: f64| if p < 1e-9 { epsilon / empty } else { p * (1.0 - epsilon) };
    if empty == 0.0 { p } else { p.into_iter().map(share).collect() }
}
