//! The situation that a job comes into, and the earlier jobs that came into a like one (beyond QBETS).
//!
//! A linear model of ln(6 h + wait), fitted on line by recursive least squares with forgetting, turns it into one
//! number, the job's *index*: the expected wait of such jobs in such a situation. The answer for a new job rests on the
//! waits of the 300 remembered jobs whose indices are nearest. The model need not be right: it only selects like
//! jobs, the waits are real ones, and the [levels](crate::wait::levels) follow the misses that remain.
//!
//! A situation consists of: jobs and processor-seconds that wait in this queue; the wait so far of the first of them;
//! the last waits, averaged with a short and a long memory; the job's processors and requested time; the hour of the
//! day; and, where the caller reports it ([`Machine`]), jobs and processor-seconds in all queues, free processors, and
//! whether the job fits them. Counts and times enter as ln(1 + x), all of them less their mean and over their standard
//! deviation; then products of seven of them, and the positive parts of six.
//!
//! O(48^2) a wait that becomes known and O(256 + r / 256) for r remembered jobs, which are kept in the order of their
//! index ([`rings`](crate::wait::rings)); O(log r + 300) a question.

use crate::error::{Error, Result};
use crate::memory::{at_mut, chunks, chunks_mut, copy};
use crate::wait::options::{Features, Machine};
use crate::wait::rings::{self, Neighbour};
use bytemuck::{Pod, Zeroable};

/// Number of values in a situation.
pub(super) const SEEN: usize = 13;

/// Values that a job brings with it: processors and requested time.
const OF_THE_JOB: [usize; 2] = [5, 6];

/// Values whose products enter: work here and everywhere, free processors, oldest, last waits, processors, requested
/// time.
const CROSSED: [usize; 7] = [1, 8, 9, 2, 4, 5, 6];

/// Values whose positive parts enter: the same without free processors.
const HINGED: [usize; 6] = [1, 8, 2, 4, 5, 6];

/// Number of the model's terms: values, products, positive parts, and 1.
const TERMS: usize = SEEN + CROSSED.len() * (CROSSED.len() + 1) / 2 + HINGED.len() + 1;

/// Gains that are summed together, and variances that are computed together.
const GAINS: usize = 24;
const LANES: usize = 8;

const _: () = assert!(TERMS % GAINS == 0 && TERMS % LANES == 0);

/// Added to waits, in seconds, before the logarithm: below it factors hardly matter to the model.
const SCALE: f64 = 21_600.0;

/// Part of its past that the model keeps with each wait.
const MEMORY: f64 = 0.9998;

/// The variance of a coefficient before anything is known; its sum over all coefficients must not grow beyond the
/// bound.
const PRIOR: f64 = 10.0;
const MOST_VARIANCE: f64 = 1e4;

/// Number of jobs over which means and deviations of the values are averaged.
const STANDARD: f64 = 20_000.0;

/// The weights of a new wait in the averages of the last waits.
const LAST: [f64; 2] = [0.3, 0.05];

/// Units of a stored index in 1; indices stay below [`MOST_INDEX`].
const INDEX_UNIT: f64 = 67_108_864.0;
const MOST_INDEX: f64 = 63.9;

/// The situation of a job when it came, standardised.
pub(super) type Situation = [f32; SEEN];

/// State of the queue itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ahead {
    pub jobs: u32,
    /// Processor-seconds that they request.
    pub work: u64,
    /// Seconds for which the first of them has waited.
    pub oldest: u64,
}

/// The model. All zero but for the variances: nothing seen.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Visible {
    jobs: [f64; SEEN],
    mean: [f64; SEEN],
    variance: [f64; SEEN],
    last: [f64; 2],
    machine: Machine,
    coefficients: [f64; TERMS],
    /// Covariances of the coefficients, but for a factor; symmetric.
    variances: [[f64; TERMS]; TERMS],
    remembered: u32,
    /// Place of the next job in the ring of keys, and its number.
    place: u32,
    number: u32,
    /// See `turn`.
    reserved: u32,
}

/// The remembered jobs: in order of their keys, in [`rings`], and their keys in order of time.
pub(super) struct Neighbours<'s> {
    pub sorted: &'s mut [Neighbour],
    pub keys: &'s mut [u64],
}

fn terms(situation: &Situation) -> [f64; TERMS] {
    let values = situation.map(f64::from);
    let value = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let crossed = CROSSED.map(value);
    // The last one stays 1.
    let mut terms = [1.0; TERMS];
    let mut places = terms.iter_mut();
    let mut add = |value: f64| places.next().into_iter().for_each(|place| *place = value);
    values.into_iter().for_each(&mut add);
    for (place, a) in crossed.iter().enumerate() {
        crossed.iter().skip(place).for_each(|b| add(0.5 * a * b));
    }
    HINGED.map(value).into_iter().for_each(|value| add(value.max(0.0)));
    terms
}

fn dot(a: &[f64; TERMS], b: &[f64; TERMS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Copies what these rows have in the columns of the rows below, mirrored.
fn mirror(band: &[[f64; TERMS]; LANES], below: &mut [[f64; TERMS]], from: usize) {
    for (row, column) in below.iter_mut().zip(from + LANES..) {
        let Some(to) = row.get_mut(from..).and_then(|row| row.first_chunk_mut()) else { break };
        *to = band.each_ref().map(|row| row.get(column).copied().unwrap_or_default());
    }
}

fn log(count: f64) -> f64 {
    libm::log1p(count)
}

impl Visible {
    /// Forgets everything learnt.
    pub(super) fn reset(&mut self) {
        *self = Visible::zeroed();
        self.forget();
    }

    fn forget(&mut self) {
        self.variances = [[0.0; TERMS]; TERMS];
        for (index, row) in self.variances.iter_mut().enumerate() {
            row.get_mut(index).into_iter().for_each(|variance| *variance = PRIOR);
        }
    }

    /// A number that is kept here for others: see `turn`.
    pub(super) fn half(&self) -> u32 {
        self.reserved
    }

    pub(super) fn half_mut(&mut self) -> &mut u32 {
        &mut self.reserved
    }

    pub(super) fn set_machine(&mut self, machine: &Machine) {
        self.machine = *machine;
    }

    pub(super) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The values of a job that comes now, not yet standardised.
    pub(super) fn see(&self, features: &Features, ahead: &Ahead, now: i64) -> [f64; SEEN] {
        self.see_on(&self.machine, features, ahead, now)
    }

    fn see_on(&self, machine: &Machine, features: &Features, ahead: &Ahead, now: i64) -> [f64; SEEN] {
        let angle = now.rem_euclid(86_400) as f64 * (core::f64::consts::TAU / 86_400.0);
        let processors = f64::from(machine.processors).max(1.0);
        let fits = machine.processors > 0 && machine.free >= features.processors;
        [
            log(f64::from(ahead.jobs)),
            log(ahead.work as f64 / processors),
            log(ahead.oldest as f64),
            *self.last.first().unwrap_or(&0.0),
            *self.last.last().unwrap_or(&0.0),
            log(f64::from(features.processors)),
            log(features.requested.max(0) as f64),
            log(f64::from(machine.jobs)),
            log(machine.work as f64 / processors),
            (f64::from(machine.free) / processors).min(1.0),
            f64::from(u8::from(fits)),
            libm::sin(angle),
            libm::cos(angle),
        ]
    }

    /// The values of a job that has waited for `age` seconds, with jobs and processor-seconds `before` it: these
    /// instead of all that wait, its age instead of the oldest wait, and instead of the hour the queue's work and
    /// oldest wait.
    pub(super) fn see_waiting(
        &self,
        machine: &Machine,
        features: &Features,
        ahead: &Ahead,
        age: u64,
        before: (u32, u64),
        now: i64,
    ) -> [f64; SEEN] {
        let [_, work, oldest, short, long, processors, requested, all_jobs, all_work, free, fits, ..] =
            self.see_on(machine, features, ahead, now);
        let place = log(f64::from(before.0));
        let work_before = log(before.1 as f64 / f64::from(machine.processors).max(1.0));
        let age = log(age as f64);
        [
            place,
            work_before,
            age,
            short,
            long,
            processors,
            requested,
            all_jobs,
            all_work,
            free,
            fits,
            work,
            oldest,
        ]
    }

    /// Adds the values of a job that came to means and variances.
    pub(super) fn came(&mut self, seen: &[f64; SEEN]) {
        self.noted(seen, |_| true);
    }

    /// The situation of a job known by its processors and requested time alone: all other values are the mean.
    pub(super) fn known(&mut self, features: &Features) -> Situation {
        let seen = self.see(features, &Ahead::default(), 0);
        self.noted(&seen, |index| OF_THE_JOB.contains(&index));
        let mut situation = self.situation(&seen);
        for (index, value) in situation.iter_mut().enumerate() {
            if !OF_THE_JOB.contains(&index) {
                *value = 0.0;
            }
        }
        situation
    }

    fn noted(&mut self, seen: &[f64; SEEN], which: impl Fn(usize) -> bool) {
        let standards = self.jobs.iter_mut().zip(&mut self.mean).zip(&mut self.variance);
        for (index, (value, ((jobs, mean), variance))) in seen.iter().zip(standards).enumerate() {
            if which(index) {
                *jobs = (*jobs + 1.0).min(STANDARD);
                let (weight, deviation) = (1.0 / *jobs, value - *mean);
                *mean += weight * deviation;
                *variance += weight * (deviation * (value - *mean) - *variance);
            }
        }
    }

    /// The values less their mean and over their standard deviation, from -4 to 4.
    pub(super) fn situation(&self, seen: &[f64; SEEN]) -> Situation {
        let mut situation = [0.0; SEEN];
        let standards = self.mean.iter().zip(&self.variance);
        for ((standard, value), (mean, variance)) in situation.iter_mut().zip(seen).zip(standards) {
            *standard = ((value - mean) / libm::sqrt(variance.max(1e-6))).clamp(-4.0, 4.0) as f32;
        }
        situation
    }

    /// A situation's index, as it is stored.
    pub(super) fn index(&self, situation: &Situation) -> u32 {
        let index = dot(&self.coefficients, &terms(situation));
        // Damage may have left no number.
        let index = if index.is_nan() { 0.0 } else { index.clamp(0.0, MOST_INDEX) };
        libm::round(index * INDEX_UNIT) as u32
    }

    /// Number of remembered jobs.
    pub(super) fn remembered(&self) -> u64 {
        self.remembered.into()
    }

    fn kept<'s>(&self, sorted: &'s [Neighbour]) -> Result<&'s [Neighbour]> {
        sorted.get(..self.remembered as usize).ok_or(Error::Corrupt)
    }

    /// The remembered jobs with the nearest indices, no more than `most`, as the first's place in the order and their
    /// number; of two that are as near the one with the smaller index. O(log r) for r remembered jobs.
    fn nearest(&self, sorted: &[Neighbour], index: u32, most: usize) -> (usize, usize) {
        let count = sorted.len().min(most);
        // The first that is at least as near as the one that would take its place.
        let mut to = rings::rank(sorted, u64::from(index) << 32);
        let mut from = to.saturating_sub(count);
        let sought = rings::Sought::from(sorted, from);
        let distance = |place: usize| sought.job_at(place).map(|other| other.index().abs_diff(index));
        while from < to {
            let middle = from + (to - from) / 2;
            match distance(middle + count) {
                Some(instead) if distance(middle).is_some_and(|own| own > instead) => from = middle + 1,
                _ => to = middle,
            }
        }
        (from, count)
    }

    /// Calls `each` with the nearest of the remembered jobs, as [`Visible::nearest`] finds them, some at a time.
    pub(super) fn each_near<'s>(
        &self,
        sorted: &'s [Neighbour],
        index: u32,
        most: usize,
        each: impl FnMut(&'s [Neighbour]),
    ) -> Result<()> {
        let sorted = self.kept(sorted)?;
        let (from, count) = self.nearest(sorted, index, most);
        rings::each_run(sorted, from, count, each)
    }

    /// Learns that a job in this situation waited for `wait` seconds.
    pub(super) fn learn(
        &mut self,
        neighbours: &mut Neighbours,
        situation: &Situation,
        index: u32,
        wait: u64,
    ) -> Result<()> {
        self.remember(neighbours, index, wait)?;
        for (average, weight) in self.last.iter_mut().zip(LAST) {
            *average += weight * (log(wait as f64) - *average);
        }
        self.regress(&terms(situation), libm::log(wait as f64 + SCALE));
        Ok(())
    }

    /// Does one step of recursive least squares.
    fn regress(&mut self, terms: &[f64; TERMS], target: f64) {
        // The variances are symmetric: every gain is summed in the order of a row, all of them at once.
        let mut gain = [-0.0; TERMS];
        for (number, sums) in gain.chunks_exact_mut(GAINS).enumerate() {
            let mut lanes = [-0.0; GAINS];
            for (row, term) in self.variances.iter().zip(terms) {
                let own = row.get(number * GAINS..).and_then(|row| row.first_chunk::<GAINS>());
                let Some(own) = own else { break };
                for (lane, variance) in lanes.iter_mut().zip(own) {
                    *lane += variance * term;
                }
            }
            copy(sums, &lanes);
        }
        let spread = dot(&gain, terms);
        if spread.is_nan() || spread < 0.0 {
            // Rounding has used the variances up.
            self.forget();
            return;
        }
        let total = MEMORY + spread;
        let error = target - dot(&self.coefficients, terms);
        for (coefficient, gain) in self.coefficients.iter_mut().zip(&gain) {
            *coefficient += gain / total * error;
        }
        let mut sum = 0.0;
        for (index, row) in self.variances.iter().enumerate() {
            sum += row.get(index).copied().unwrap_or(0.0);
        }
        let memory = if sum > MOST_VARIANCE { 1.0 } else { MEMORY };
        // The variances stay symmetric: they are computed from the diagonal on, lane by lane, and then mirrored.
        for (index, (row, a)) in self.variances.iter_mut().zip(&gain).enumerate() {
            let lanes = chunks_mut::<LANES>(row).iter_mut().zip(chunks::<LANES>(&gain).0);
            for (own, gains) in lanes.skip(index / LANES) {
                for (variance, b) in own.iter_mut().zip(gains) {
                    *variance = (*variance - a * b / total) / memory;
                }
            }
        }
        let mut rows = self.variances.as_mut_slice();
        for tile in 0..TERMS / LANES {
            let Some((band, below)) = rows.split_first_chunk_mut() else { break };
            mirror(band, below, tile * LANES);
            rows = below;
        }
    }

    /// Puts a job among the remembered, in place of the oldest when there is no room.
    fn remember(&mut self, neighbours: &mut Neighbours, index: u32, wait: u64) -> Result<()> {
        let capacity = neighbours.keys.len();
        let oldest = at_mut(neighbours.keys, self.place as usize)?;
        let key = u64::from(index) << 32 | u64::from(self.number);
        let gone = core::mem::replace(oldest, key);
        let full = self.remembered as usize == capacity;
        let room = self.remembered as usize + usize::from(!full);
        let sorted = neighbours.sorted.get_mut(..room).ok_or(Error::Corrupt)?;
        let hole = if full {
            let hole = rings::rank(sorted, gone);
            rings::job_at(sorted, hole).filter(|left| left.key == gone).ok_or(Error::Corrupt)?;
            hole
        } else {
            // A place behind all others is free.
            sorted.last_mut().into_iter().for_each(|free| free.key = u64::MAX);
            room.saturating_sub(1)
        };
        rings::replace(sorted, hole, Neighbour { key, wait })?;
        self.remembered += u32::from(!full);
        self.number = self.number.wrapping_add(1);
        self.place = if self.place as usize + 1 < capacity { self.place + 1 } else { 0 };
        Ok(())
    }

    /// Whether the scalars of a block agree with the capacity.
    pub(super) fn sound(&self, capacity: u32) -> bool {
        self.remembered <= capacity && (self.place < capacity || capacity == 0)
    }

    /// The remembered jobs' indices and waits, from the smallest index on: for tests of a whole predictor.
    #[cfg(test)]
    fn waits<'s>(&self, sorted: &'s [Neighbour]) -> impl Iterator<Item = (u64, u64)> + 's {
        let kept = self.kept(sorted).unwrap_or_default();
        let places = (0..kept.len()).filter_map(|place| rings::job_at(kept, place));
        places.map(|other| (other.key >> 32, other.wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn uniform(random: &mut u64) -> f64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*random >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
    }

    fn model() -> std::boxed::Box<Visible> {
        let mut model = std::boxed::Box::new(Visible::zeroed());
        model.reset();
        model
    }

    /// The ring and the order against a plain list.
    #[test]
    fn remembers_the_newest_and_finds_the_nearest() {
        const ROOM: usize = 700;
        let mut model = model();
        let (mut sorted, mut keys) = (vec![Neighbour::default(); ROOM], vec![0; ROOM]);
        let mut naive: Vec<(u32, u64)> = Vec::new();
        let mut random = 1;
        for round in 0..3000_u64 {
            // Few distinct indices, and at times the largest.
            let index = match round % 50 {
                7 => u32::MAX,
                8 => 0,
                _ => (uniform(&mut random) * 90.0) as u32 * 1000,
            };
            let mut neighbours = Neighbours { sorted: &mut sorted, keys: &mut keys };
            model.remember(&mut neighbours, index, round).unwrap();
            naive.push((index, round));
            if naive.len() > ROOM {
                naive.remove(0);
            }
            let mut order: Vec<(u64, u64)> = naive.iter().map(|job| (u64::from(job.0), job.1)).collect();
            order.sort();
            assert!(model.waits(&sorted).eq(order.iter().copied()), "{round}");
            let asked = (uniform(&mut random) * 90_000.0) as u32;
            const MOST: usize = 300;
            let kept = model.kept(&sorted).unwrap();
            let (from, count) = model.nearest(kept, asked, MOST);
            let mut distances: Vec<u32> = naive.iter().map(|job| job.0.abs_diff(asked)).collect();
            distances.sort();
            let farthest = distances[distances.len().min(MOST) - 1];
            assert_eq!(count, distances.len().min(MOST));
            // The smaller one of two that are as near is taken.
            let distance = |place: usize| order.get(place).map(|job| job.0.abs_diff(u64::from(asked)));
            let last = from + count - 1;
            let above = order[last].0 >= u64::from(asked);
            assert!(!above || from == 0 || distance(from - 1) > distance(last), "{round}");
            let below = order[from].0 < u64::from(asked);
            assert!(!below || distance(last + 1).is_none_or(|next| distance(from) <= Some(next)), "{round}");
            let mut found = Vec::new();
            model
                .each_near(&sorted, asked, MOST, |run| found.extend(run.iter().map(|other| other.wait)))
                .unwrap();
            assert!(found.iter().eq(order[from..=last].iter().map(|(_, wait)| wait)), "{round}");
            for wait in found {
                let job = naive.iter().find(|job| job.1 == wait).unwrap();
                assert!(job.0.abs_diff(asked) <= farthest);
            }
        }
    }

    /// Recursive least squares comes to the coefficients that made the data.
    #[test]
    fn the_regression_finds_its_coefficients() {
        let mut model = model();
        let mut random = 5;
        let truth: Vec<f64> = (0..TERMS).map(|_| uniform(&mut random) - 0.5).collect();
        let mut last = 0.0;
        for _ in 0..20_000 {
            let mut situation = [0.0; SEEN];
            for value in &mut situation {
                *value = (uniform(&mut random) * 4.0 - 2.0) as f32;
            }
            let terms = terms(&situation);
            let noise = uniform(&mut random) - 0.5;
            let target: f64 = terms.iter().zip(&truth).map(|(a, b)| a * b).sum::<f64>() + 0.2 * noise;
            model.regress(&terms, target);
            last = noise;
        }
        assert!(last != 0.0);
        for (found, truth) in model.coefficients.iter().zip(&truth) {
            assert!((found - truth).abs() < 0.02, "{found} {truth}");
        }
        for (a, row) in model.variances.iter().enumerate() {
            for (b, variance) in row.iter().enumerate() {
                assert_eq!(*variance, model.variances[b][a], "symmetric");
            }
        }
    }

    /// A situation that is always the same keeps its variances bounded.
    #[test]
    fn constant_situations_stay_numbers() {
        let mut model = model();
        let (mut sorted, mut keys) = (vec![Neighbour::default(); 64], vec![0; 64]);
        let features = Features { requested: 3600, processors: 4 };
        for _ in 0..100_000 {
            let seen = model.see(&features, &Ahead::default(), 0);
            model.came(&seen);
            let situation = model.situation(&seen);
            let index = model.index(&situation);
            let mut neighbours = Neighbours { sorted: &mut sorted, keys: &mut keys };
            model.learn(&mut neighbours, &situation, index, 100).unwrap();
        }
        assert!(model.variances.iter().flatten().chain(&model.coefficients).all(|value| value.is_finite()));
        let seen = model.see(&features, &Ahead::default(), 0);
        let index = f64::from(model.index(&model.situation(&seen))) / INDEX_UNIT;
        assert!((index - (SCALE + 100.0).ln()).abs() < 0.01, "{index}");
    }
}
