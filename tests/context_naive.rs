//! The geometric mixture of contexts against a slow one that keeps all jobs and computes everything from the list of
//! them at every question: double precision, no hashing, no tables, from the definitions in `src/predict/context`.
//!
//! The core keeps each context's logarithms in bytes, -16 ln p rounded. A rounding that falls the other way moves a
//! probability by a weight's share of 1/16, so the comparison allows a percent.

#[path = "common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use std::collections::HashMap;
use surefill::predict::{ContextCapacity, ContextMixture};
use surefill::runtime::RuntimeBins;

const BINS: usize = 9;

/// Parent, decay, prior, reference, whether it counts bins beyond the limit, whether it is part of the mixture.
struct Context(Option<usize>, f64, f64, Reference, bool, bool);

#[derive(Clone, Copy, PartialEq)]
enum Reference {
    First,
    Limit,
    User,
    Like,
}

#[rustfmt::skip]
const CONTEXTS: [Context; 31] = {
    use Reference::{First, Like, Limit, User};
    [
        Context(None, 0.999, 1.0, First, false, true), Context(Some(0), 0.999, 2.0, First, true, true),
        Context(None, 0.999, 1.0, Limit, true, false), Context(Some(1), 0.99, 2.0, First, true, true),
        Context(Some(3), 0.99, 2.0, First, true, true), Context(Some(0), 0.97, 2.0, First, false, true),
        Context(Some(0), 0.8, 1.0, First, false, true), Context(Some(2), 0.97, 2.0, Limit, true, true),
        Context(Some(5), 0.97, 1.0, First, true, false), Context(Some(5), 0.95, 1.0, First, false, true),
        Context(Some(7), 0.95, 1.0, Limit, true, true), Context(Some(8), 0.97, 1.0, First, true, false),
        Context(Some(8), 0.7, 0.5, First, true, true), Context(Some(11), 0.97, 1.0, First, true, true),
        Context(Some(11), 0.7, 0.5, First, true, true), Context(Some(5), 0.98, 1.0, First, false, false),
        Context(Some(15), 0.98, 1.0, First, false, true), Context(Some(11), 0.98, 1.0, First, true, true),
        Context(Some(1), 0.999, 1.0, First, true, true), Context(Some(5), 0.98, 1.0, First, false, true),
        Context(Some(13), 0.98, 1.0, First, true, true), Context(Some(1), 0.999, 2.0, First, true, true),
        Context(Some(1), 0.99, 2.0, First, true, true), Context(Some(1), 0.999, 2.0, First, true, true),
        Context(None, 0.999, 2.0, Like, false, true), Context(None, 0.999, 2.0, User, false, true),
        Context(Some(24), 0.999, 2.0, Like, false, true), Context(Some(25), 0.999, 2.0, User, false, true),
        Context(Some(1), 0.999, 2.0, First, true, true), Context(Some(5), 0.98, 1.0, First, false, true),
        Context(Some(5), 0.98, 1.0, First, false, true),
    ]
};

/// Properties that a job shares with others when it is submitted.
#[derive(Clone, Debug)]
struct Likeness {
    rows: Vec<Vec<i64>>,
    last: [i64; 2],
    standing: (i64, i64),
    change: (i64, i64),
    counts: f64,
}

#[derive(Clone, Debug)]
struct Opinion {
    likeness: Likeness,
    rows: Vec<Vec<i64>>,
    from: Vec<i64>,
    sets: Vec<(usize, i64, i64)>,
    levels: Vec<usize>,
    logs: Vec<Vec<f64>>,
    said: Vec<f64>,
    limit_bin: i64,
    counts: f64,
}

#[derive(Clone, Debug)]
struct Job {
    keys: [i64; 3],
    submitted: i64,
    started: Option<i64>,
    /// Time and bin.
    ended: Option<(i64, i64, i64)>,
    cancelled: bool,
    opinion: Opinion,
}

/// Set, its two numbers, context and level; weight and sum of squared gradients.
type Weights = HashMap<(usize, i64, i64, usize, usize), (f64, f64)>;

struct Naive {
    bins: RuntimeBins,
    jobs: Vec<Job>,
    /// Indices in the order of the ends.
    ended: Vec<usize>,
    weights: Weights,
    users: HashMap<(i64, usize), f64>,
    steps: [f64; 20],
}

fn step(from: i64, to: i64) -> i64 {
    if from < 0 || to < 0 { 9 } else { (to - from).clamp(-4, 4) }
}

impl Naive {
    fn limit(&self, limit: i64) -> i64 {
        if limit <= 0 { 1 << 40 } else { limit }
    }

    fn bin(&self, seconds: i64) -> i64 {
        self.bins.bin_of(seconds as f64) as i64
    }

    fn alike(&self, job: &Job, keys: &[i64; 3], depth: usize) -> bool {
        (0..=depth).all(|i| job.keys[i] == keys[i])
    }

    /// The ends of jobs that agree in the first keys, the last first.
    fn ends(&self, keys: &[i64; 3], depth: usize) -> Vec<&Job> {
        let alike = |index: &&usize| self.alike(&self.jobs[**index], keys, depth);
        self.ended.iter().rev().filter(alike).map(|index| &self.jobs[*index]).collect()
    }

    fn last(&self, keys: &[i64; 3], depth: usize, back: usize) -> i64 {
        self.ends(keys, depth).get(back).map_or(-1, |job| job.ended.unwrap().1)
    }

    fn submission(&self, keys: &[i64; 3], depth: usize) -> Option<&Job> {
        self.jobs.iter().rev().find(|job| self.alike(job, keys, depth))
    }

    /// State of the last submission, and its kind.
    fn standing(&self, keys: &[i64; 3], depth: usize, now: i64) -> (i64, i64) {
        match self.submission(keys, depth) {
            None => (-1, 0),
            Some(job) if job.cancelled => (-1, 0),
            Some(job) => match (job.started, job.ended) {
                (_, Some((_, bin, _))) => (300 + bin, 3),
                (Some(started), None) => (200 + self.bin(now - started), 2),
                (None, None) => (100, 1),
            },
        }
    }

    fn inside(&self, keys: &[i64; 3], depth: usize) -> f64 {
        let inside = |job: &&Job| job.ended.is_none() && !job.cancelled && self.alike(job, keys, depth);
        self.jobs.iter().filter(inside).count() as f64
    }

    fn since(&self, keys: &[i64; 3], depth: usize, now: i64) -> i64 {
        self.ends(keys, depth).first().map_or(-1, |job| self.bin(now - job.ended.unwrap().0) / 3)
    }

    fn change(job: Option<&Job>, keys: &[i64; 3]) -> i64 {
        job.map_or(9, |job| job.keys[1].cmp(&keys[1]) as i64 * 3 + job.keys[2].cmp(&keys[2]) as i64)
    }

    fn rows(&self, keys: &[i64; 3], now: i64) -> Vec<Vec<i64>> {
        let [u, l, n] = *keys;
        let bin = self.bin(l);
        let last = |depth, back| self.last(keys, depth, back);
        let (b1, b2, k1, k2) = (last(0, 0), last(0, 1), last(1, 0), last(1, 1));
        let (of_user, of_like) = (self.standing(keys, 0, now).0, self.standing(keys, 2, now).0);
        let user_step = step(b2, b1);
        let like_step = step(last(2, 1), last(2, 0));
        let place = self.ends(keys, 2).first().map_or(-1, |job| job.ended.unwrap().2);
        let changed = Naive::change(self.submission(keys, 0), keys);
        let changed_end = Naive::change(self.ends(keys, 0).first().copied(), keys);
        let (since_user, since_like) = (self.since(keys, 0, now), self.since(keys, 2, now));
        let known = |bin: i64| i64::from(bin >= 0);
        vec![
            vec![],
            vec![bin],
            vec![],
            vec![l],
            vec![l, n],
            vec![u],
            vec![u],
            vec![u],
            vec![u, bin],
            vec![u, n],
            vec![u, n],
            vec![u, l],
            vec![u, l],
            vec![u, l, n],
            vec![u, l, n],
            vec![u, b1],
            vec![u, b1, b2],
            vec![u, l, k1],
            vec![bin, of_like],
            vec![u, of_like],
            vec![u, l, n, of_like],
            vec![bin, b1, b2],
            vec![bin, n],
            vec![bin, k1, k2],
            vec![like_step, place, known(last(2, 0))],
            vec![user_step, known(b1), i64::from(of_like >= 300)],
            vec![since_like, like_step],
            vec![changed_end, since_user],
            vec![bin, of_user, changed],
            vec![u, of_user, changed],
            vec![u, since_user, b1],
        ]
    }

    /// The recency-weighted counts of a context's row, by cell.
    fn counts(&self, context: usize, row: &[i64]) -> Vec<f64> {
        let mut counts = vec![0.0; BINS];
        for index in &self.ended {
            let job = &self.jobs[*index];
            if job.opinion.rows[context] != row {
                continue;
            }
            counts.iter_mut().for_each(|count| *count *= CONTEXTS[context].1);
            let bin = job.ended.unwrap().1;
            let cell = (bin + Naive::shift(context, job.opinion.from[context])).clamp(0, BINS as i64 - 1);
            counts[cell as usize] += job.opinion.counts.sqrt();
        }
        counts
    }

    fn shift(context: usize, from: i64) -> i64 {
        match CONTEXTS[context].3 {
            Reference::First => 0,
            Reference::Limit => BINS as i64 - 2 - from,
            Reference::User | Reference::Like => BINS as i64 / 2 - from,
        }
    }

    fn opinion(&self, keys: &[i64; 3], now: i64) -> Opinion {
        let last = |depth, back| self.last(keys, depth, back);
        let like = match self.standing(keys, 2, now).1 {
            3 if last(2, 0) != last(2, 1) => 4,
            kind => kind,
        };
        let kind = |from: i64, to: i64| if step(from, to) == 9 { 0 } else { step(from, to).clamp(-2, 2) + 3 };
        let likeness = Likeness {
            rows: self.rows(keys, now),
            last: [last(0, 0), last(2, 0)],
            standing: (like, self.standing(keys, 0, now).1),
            change: (kind(last(1, 1), last(1, 0)), kind(last(1, 2), last(1, 1))),
            counts: 1.0 / (1.0 + self.inside(keys, 2) + 0.2 * self.inside(keys, 0)),
        };
        self.of(keys, likeness)
    }

    /// The present prediction for a job that was submitted with this likeness to others.
    fn of(&self, keys: &[i64; 3], likeness: Likeness) -> Opinion {
        let limit_bin = self.bin(keys[1]);
        let l = limit_bin as usize;
        let cells = (l + 2).min(BINS);
        let has_beyond = cells > l + 1;
        let finished = self.ended.len() as f64;
        let gone =
            |index: &&usize| self.jobs[**index].ended.unwrap().1 > self.jobs[**index].opinion.limit_bin;
        let share = (self.ended.iter().filter(gone).count() as f64 + 0.5) / (finished + 200.0);
        let mut uniform = vec![if has_beyond { 1.0 - share } else { 1.0 } / (l + 1) as f64; l + 1];
        uniform.resize(cells, share);
        let mut opinion = Opinion {
            from: Vec::new(),
            sets: Vec::new(),
            levels: Vec::new(),
            logs: Vec::new(),
            said: vec![0.0; cells],
            limit_bin,
            counts: likeness.counts,
            rows: likeness.rows.clone(),
            likeness,
        };
        let mut all: Vec<Vec<f64>> = Vec::new();
        for (number, Context(parent, _, prior, from, counts_beyond, _)) in CONTEXTS.iter().enumerate() {
            let or_limit = |bin: i64| if bin < 0 { limit_bin } else { bin };
            let reference = match from {
                Reference::First => 0,
                Reference::Limit => limit_bin,
                Reference::User => or_limit(opinion.likeness.last[0]),
                Reference::Like => or_limit(opinion.likeness.last[1]),
            };
            opinion.from.push(reference);
            let row = self.counts(number, &opinion.rows[number]);
            let shift = Naive::shift(number, reference);
            let cell =
                |bin: usize| usize::try_from(bin as i64 + shift).ok().and_then(|c| row.get(c)).copied();
            let wider = parent.map_or(&uniform, |parent| &all[parent]).clone();
            let counts: Vec<f64> = (0..=l).map(|bin| cell(bin).unwrap_or(0.0)).collect();
            let within: f64 = counts.iter().sum();
            let beyond = match (has_beyond, counts_beyond) {
                (false, _) => 0.0,
                (true, true) => (l + 1..BINS).filter_map(cell).sum(),
                (true, false) => within * wider[l + 1] / (1.0 - wider[l + 1]),
            };
            let sum = within + beyond;
            let steps = [0.0, 0.8, 1.5, 2.5, 5.0, 10.0, 20.0];
            opinion.levels.push(steps.iter().filter(|step| sum > **step).count());
            let p = if sum <= 0.0 {
                wider
            } else {
                let seen = counts.iter().chain([&beyond]).filter(|count| **count > 0.05).count() as f64;
                let prior = prior * (1.0 + seen);
                let moved = 0.2 * prior / (sum + prior);
                let mut p: Vec<f64> = (0..=l)
                    .map(|bin| {
                        let below = counts[bin.saturating_sub(1)];
                        let above = counts[(bin + 1).min(l)];
                        let smooth = counts[bin] * (1.0 - moved) + moved * (below + above) / 2.0;
                        (smooth + prior * wider[bin]) / (sum + prior)
                    })
                    .collect();
                if has_beyond {
                    p.push((beyond + prior * wider[l + 1]) / (sum + prior));
                }
                p
            };
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            opinion.logs.push(p.iter().map(|p| -((0.5 - 16.0 * p.ln()).floor().min(255.0)) / 16.0).collect());
            all.push(p);
        }
        let Likeness { standing, change, .. } = opinion.likeness;
        opinion.sets = vec![
            (0, 0, 0),
            (1, limit_bin, 0),
            (2, standing.0, standing.1),
            (3, change.0, change.1),
            (4, opinion.levels[13] as i64, opinion.levels[5] as i64),
        ];
        let mut x = vec![0.0; cells];
        for (number, level) in self.speaking(&opinion) {
            let mut weight = self.users.get(&(keys[0], number)).copied().unwrap_or(0.0);
            for (set, a, b) in &opinion.sets {
                let first = if *set == 0 { 0.04 } else { 0.0 };
                weight += self.weights.get(&(*set, *a, *b, number, level)).map_or(first, |w| w.0);
            }
            for (x, log) in x.iter_mut().zip(&opinion.logs[number]) {
                *x += weight * log;
            }
        }
        let most = x.iter().copied().fold(f64::MIN, f64::max);
        x.iter_mut().for_each(|x| *x = (*x - most).exp().max(1e-6));
        let sum: f64 = x.iter().sum();
        opinion.said = x.iter().map(|x| x / sum).collect();
        opinion
    }

    fn speaking(&self, opinion: &Opinion) -> Vec<(usize, usize)> {
        let levels = opinion.levels.iter().copied().enumerate();
        levels.filter(|(number, level)| CONTEXTS[*number].5 && *level > 0).collect()
    }

    fn predict(&self, keys: &[i64; 3], opinion: &Opinion) -> Vec<f64> {
        let total: f64 = self.steps.iter().sum();
        let map = |quantile: f64| {
            let whole = (quantile * 20.0).floor().clamp(0.0, 19.0) as usize;
            let below: f64 = self.steps[..whole].iter().sum();
            (below + (quantile * 20.0 - whole as f64) * self.steps[whole]) / total
        };
        let cells = opinion.said.len();
        let mut ends: Vec<f64> = (1..=cells).map(|end| map(opinion.said[..end].iter().sum())).collect();
        ends[cells - 1] = 1.0;
        let mut p: Vec<f64> =
            (0..cells).map(|i| (ends[i] - if i > 0 { ends[i - 1] } else { 0.0 }).max(1e-7)).collect();
        let l = opinion.limit_bin as usize;
        if cells > l + 1 {
            let distances = |of: &dyn Fn(&Job) -> bool, first: f64| -> Vec<f64> {
                let count = |d: usize| {
                    let here = |i: &&usize| {
                        let job = &self.jobs[**i];
                        of(job) && job.ended.unwrap().1 - job.opinion.limit_bin == d as i64
                    };
                    self.ended.iter().filter(here).count() as f64 + first
                };
                (1..BINS - l).map(count).collect()
            };
            let all = distances(&|_| true, 0.1);
            let own = distances(&|job| job.keys[1] == keys[1], 0.0);
            let sum: f64 = all.iter().sum();
            let parts: Vec<f64> = all.iter().zip(own).map(|(all, own)| own + all / sum).collect();
            let share = p.pop().unwrap();
            p.extend(parts.iter().map(|part| share * part / parts.iter().sum::<f64>()));
        }
        p.resize(BINS, 0.0);
        let sum: f64 = p.iter().sum();
        p.iter().map(|p| p / sum).collect()
    }

    fn end(&mut self, index: usize, run_time: i64, now: i64) {
        let bin = self.bin(run_time);
        let Job { opinion, keys, .. } = self.jobs[index].clone();
        let cell = (bin as usize).min(opinion.said.len() - 1);
        let low: f64 = opinion.said[..cell].iter().sum();
        let share = opinion.said[cell];
        for (i, step) in self.steps.iter_mut().enumerate() {
            let (from, to) = (i as f64 / 20.0, (i + 1) as f64 / 20.0);
            *step = *step * 0.9995 + ((low + share).min(to) - low.max(from)).max(0.0) / share;
        }
        for (number, level) in self.speaking(&opinion) {
            let logs = &opinion.logs[number];
            let expected: f64 = logs.iter().zip(&opinion.said).map(|(log, p)| log * p).sum();
            let gradient = (logs[cell] - expected).clamp(-5.0, 5.0) * opinion.counts;
            for (set, a, b) in &opinion.sets {
                let (first, ease) = if *set == 0 { (0.04, 50.0) } else { (0.0, 200.0) };
                let weight = self.weights.entry((*set, *a, *b, number, level)).or_insert((first, 0.0));
                weight.1 += gradient * gradient;
                weight.0 += 0.005 * gradient / (ease + weight.1).sqrt();
            }
            *self.users.entry((keys[0], number)).or_insert(0.0) += 0.0003 * gradient;
        }
        let inner = bin > 0 && bin < BINS as i64 - 1;
        let lower = self.bins.lower(bin as usize).unwrap();
        let place =
            if inner { ((run_time as f64 / lower).ln() / self.bins.ratio().ln() * 3.0) as i64 } else { 3 };
        self.jobs[index].ended = Some((now, bin, place.min(3)));
        self.ended.push(index);
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        splitmix(&mut self.0) % most
    }
}

fn compare(seed: u64, count: usize) {
    let mut random = Random(seed);
    let bins = RuntimeBins::new(10.0, 2.5, BINS).unwrap();
    let mut naive = Naive {
        bins: bins.clone(),
        jobs: Vec::new(),
        ended: Vec::new(),
        weights: HashMap::new(),
        users: HashMap::new(),
        steps: [50.0; 20],
    };
    let capacity =
        ContextCapacity { bins: BINS as u32, jobs: 4, histories: 1 << 14, ..ContextCapacity::default() };
    let mut block = vec![0u64; ContextMixture::size(&capacity).unwrap().div_ceil(8)];
    let block: &mut [u8] = bytemuck::cast_slice_mut(&mut block);
    ContextMixture::init(block, &capacity, &bins).unwrap();
    // The naive one's job in each record.
    let mut records: [Option<usize>; 4] = [None; 4];
    let mut now = 1000;
    let (mut compared, mut asked) = (0, 0);
    while naive.ended.len() < count {
        now += random.below(200) as i64;
        // A checkpoint is made after every event.
        ContextMixture::seal(block).unwrap();
        let mut mixture = ContextMixture::open(block).unwrap();
        let record = random.below(4) as usize;
        match records[record] {
            None => {
                let user = random.below(3) as i64;
                let limit = [0, 300, 2000, 2500][random.below(4) as usize];
                let keys = [user, limit, 1 + random.below(2) as i64];
                let mut said = [0.0; BINS];
                let learnt = mixture.submit(record as u32, &keys, now, &mut said).unwrap();
                assert_eq!(learnt, !naive.ended.is_empty());
                let keys = [user, naive.limit(limit), keys[2]];
                let opinion = naive.opinion(&keys, now);
                if learnt {
                    let expected = naive.predict(&keys, &opinion);
                    for (bin, (ours, theirs)) in said.iter().zip(&expected).enumerate() {
                        let close = (ours - theirs).abs() < 1e-5 + 0.01 * theirs;
                        assert!(close, "job {compared} bin {bin}: {ours} {theirs}\n{said:?}\n{expected:?}");
                    }
                    assert!((said.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                    compared += 1;
                }
                naive.jobs.push(Job {
                    keys,
                    submitted: now,
                    started: None,
                    ended: None,
                    cancelled: false,
                    opinion,
                });
                records[record] = Some(naive.jobs.len() - 1);
            }
            Some(index) if asked < naive.ended.len() => {
                // With the likeness of its submission, and the state learnt since.
                asked = naive.ended.len();
                let mut found = [0.0; BINS];
                assert!(mixture.predict_job(record as u32, &mut found).unwrap());
                let job = &naive.jobs[index];
                let expected = naive.predict(&job.keys, &naive.of(&job.keys, job.opinion.likeness.clone()));
                for (ours, theirs) in found.iter().zip(&expected) {
                    assert!((ours - theirs).abs() < 1e-5 + 0.01 * theirs, "{found:?}\n{expected:?}");
                }
            }
            Some(index) if naive.jobs[index].started.is_none() => {
                if random.below(8) == 0 {
                    mixture.cancel(record as u32).unwrap();
                    naive.jobs[index].cancelled = true;
                    records[record] = None;
                } else {
                    mixture.start(record as u32, now).unwrap();
                    naive.jobs[index].started = Some(now);
                }
            }
            Some(index) => {
                // Users have habits; some jobs pass their limit.
                let keys = naive.jobs[index].keys;
                let habit = 20 << (2 * keys[0] + i64::from(keys[1] > 2000));
                let run_time = match random.below(6) {
                    0 => random.below(4000) as i64,
                    1 => keys[1].min(5000),
                    _ => habit + random.below(10) as i64,
                };
                now = now.max(naive.jobs[index].submitted);
                mixture.end(record as u32, run_time, now).unwrap();
                naive.end(index, run_time, now);
                records[record] = None;
            }
        }
    }
    assert!(compared + 4 >= count);
}

#[test]
fn equals_the_definitions() {
    for seed in 1..=4 {
        compare(seed, 250);
    }
}
