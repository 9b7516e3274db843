//! The prediction for a job at its submission, and its judgement when the job ends.

use super::contexts::{self, CONTEXTS, COUNT, USER, USER_LIMIT_PROCESSORS, View, step};
use super::estimate::{LimitedBins, estimate, logarithms};
use super::mixer::{CHANGES, Mixer, Opinions, STANDINGS, choose, level};
use super::places::{Places, key};
use super::trail::{Standing, Trail};
use super::{ContextMixture, Held, Opinion, State, trails};
use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range, range_mut};
use crate::runtime::{MAX_BINS, MAX_SECONDS};
use bytemuck::Zeroable;

/// Key of the row of run times beyond a limit.
const BEYOND: i64 = -1;

/// Initial count of jobs beyond their limit's bin.
const FIRST_BEYOND: f64 = 0.5;

/// Initial count of jobs in all.
const FIRST_JOBS: f64 = 200.0;

/// Discount of a job's weight for each like job, and for each other job of the user, in the system.
const LIKE: f32 = 1.0;

const OTHER: f32 = 0.2;

/// The least probability of a bin, before normalisation, relative to the largest.
const LEAST: f32 = 1e-6;

/// The least count that is not taken for 0.
const NOTHING: f32 = 1e-9;

const WEIGHTS: i64 = -3;

/// Number of wider contexts that a context stands on, which is the row of its estimate while a job is predicted.
const DEPTHS: [usize; COUNT] = {
    let mut depths = [0; COUNT];
    let mut number = 0;
    while number < COUNT {
        if let Some(parent) = CONTEXTS[number].parent {
            depths[number] = depths[parent] + 1;
        }
        number += 1;
    }
    depths
};

/// The contexts in an order in which each comes behind its wider one, with none between them that does not stand on the
/// latter: then one row for each depth suffices, and the stack holds half as many.
const ORDER: [usize; COUNT] = {
    let mut order = [0; COUNT];
    let (mut done, mut place) = ([false; COUNT], 0);
    while place < COUNT {
        // The deepest context that is open has its next one first.
        let (mut depth, mut found) = (ROWS, COUNT);
        while found == COUNT {
            depth -= 1;
            let mut number = COUNT;
            while number > 0 {
                number -= 1;
                let below = match CONTEXTS[number].parent {
                    Some(parent) => done[parent] && is_last(&order, place, parent),
                    None => true,
                };
                if !done[number] && below && DEPTHS[number] == depth {
                    found = number;
                }
            }
        }
        order[place] = found;
        done[found] = true;
        place += 1;
    }
    order
};

/// Whether this context is the last of its depth in the order so far.
const fn is_last(order: &[usize; COUNT], mut place: usize, context: usize) -> bool {
    while place > 0 {
        place -= 1;
        if DEPTHS[order[place]] == DEPTHS[context] {
            return order[place] == context;
        }
    }
    false
}

/// One more than the largest depth.
const ROWS: usize = 6;

/// A row's numbers in a table.
fn row<'t>(places: &Places<'_>, numbers: &'t [f32], key: u64, width: usize) -> Result<Option<&'t [f32]>> {
    places.find(key).map(|place| range(numbers, place * width, width)).transpose()
}

/// All that opinions rest on, and nothing that a submission writes.
#[derive(Clone, Copy)]
pub(super) struct Knowledge<'k> {
    pub state: &'k State,
    pub histories: &'k Places<'k>,
    pub counts: &'k [f32],
    pub users: &'k Places<'k>,
    pub weights: &'k [f32],
    pub mixer: &'k Mixer<'k>,
}

impl Knowledge<'_> {
    pub(super) fn limited(&self, limit_bin: usize) -> LimitedBins {
        let bins = self.state.capacity.bins as usize;
        let beyond = (self.state.beyond + FIRST_BEYOND) / (self.state.finished + FIRST_JOBS);
        LimitedBins {
            limit: limit_bin,
            last: (limit_bin + 1).min(bins.saturating_sub(1)),
            bins,
            beyond: beyond as f32,
        }
    }

    /// Computes the estimates of all contexts for a job, by the contexts determined before, and their mixture. Only as
    /// many cells are computed as the job's limit leaves.
    pub(super) fn opine(&self, opinion: Opinion<'_>) -> Result<()> {
        match self.limited(opinion.held.limit_bin as usize).last {
            ..16 => self.opine_in::<16>(opinion),
            16..24 => self.opine_in::<24>(opinion),
            _ => self.opine_in::<MAX_BINS>(opinion),
        }
    }

    /// The same in N cells, more than the last one's number. Kept apart, so that few cells do not take the stack of
    /// many.
    #[inline(never)]
    fn opine_in<const N: usize>(&self, opinion: Opinion<'_>) -> Result<()> {
        let Opinion { held, bytes, said } = opinion;
        let limit_bin = held.limit_bin as usize;
        let stride = self.state.capacity.stride();
        let limited = self.limited(limit_bin);
        let mut mask = [0.0f32; N];
        for mask in mask.iter_mut().take(limit_bin + 1) {
            *mask = 1.0;
        }
        let beyond = if limited.last > limited.limit { limited.beyond } else { 0.0 };
        let mut uniform = mask.map(|mask| mask * (1.0 - beyond) / (limit_bin + 1) as f32);
        if limited.last > limited.limit {
            *at_mut(&mut uniform, limited.last)? = beyond;
        }
        let mut estimates = [[0.0f32; N]; ROWS];
        for number in ORDER {
            let (context, key) = (at(&CONTEXTS, number)?, *at(&held.keys, number)?);
            let bytes = range_mut(bytes, number * stride, stride)?;
            let (wider, rest) =
                estimates.split_at_mut_checked(*at(&DEPTHS, number)?).ok_or(Error::Corrupt)?;
            let (wider, out) = (wider.last().unwrap_or(&uniform), at_mut(rest, 0)?);
            let row = row(self.histories, self.counts, key, stride)?;
            let reference = *at(&held.references, context.reference as usize)? as usize;
            let jobs = estimate(context, row, reference, &limited, &mask, wider, out);
            *at_mut(&mut held.levels, number)? = level(jobs);
            if context.speaks && jobs > 0.0 {
                logarithms(out, bytes);
            } else {
                bytes.fill(0);
            }
        }
        held.sets = choose(
            self.state.capacity.bins as usize,
            limit_bin,
            held.standing as usize,
            held.change as usize,
            [*at(&held.levels, USER_LIMIT_PROCESSORS)?, *at(&held.levels, USER)?],
        );
        let own = row(self.users, self.weights, key(&[WEIGHTS, held.user]), COUNT)?;
        let opinions = Opinions { levels: &held.levels, bytes, stride };
        // The estimates are needed no more.
        let [mixed, ..] = &mut estimates;
        mixed.fill(0.0);
        self.mixer.mix(&held.sets, own, opinions, mixed)?;
        let cells = range_mut(mixed, 0, limited.last + 1)?;
        let most = cells.iter().fold(f32::MIN, |most, x| most.max(*x));
        let mut sum = 0.0;
        for cell in cells.iter_mut() {
            *cell = libm::expf(*cell - most).max(LEAST);
            sum += *cell;
        }
        said.fill(0.0);
        for (said, cell) in said.iter_mut().zip(cells) {
            *said = *cell / sum;
        }
        Ok(())
    }

    /// Writes the mixture's probabilities as one for every bin.
    pub(super) fn write(&self, held: &Held, said: &[f32], out: &mut [f64]) -> Result<bool> {
        if self.state.finished <= 0.0 {
            return Ok(false);
        }
        let limited = self.limited(held.limit_bin as usize);
        out.fill(0.0);
        let cells = range_mut(out, 0, limited.last + 1)?;
        for (cell, said) in cells.iter_mut().zip(said) {
            *cell = f64::from(*said);
        }
        self.state.calibration.apply(cells);
        if limited.last > limited.limit {
            self.spread(held, &limited, out)?;
        }
        let sum: f64 = out.iter().sum();
        for p in out {
            *p /= sum;
        }
        Ok(true)
    }

    /// Distributes the last cell's probability over all bins beyond the limit's: in proportion to the counts of jobs
    /// with this limit, and those of all jobs, which count as one job.
    fn spread(&self, held: &Held, limited: &LimitedBins, out: &mut [f64]) -> Result<()> {
        let stride = self.state.capacity.stride();
        let own = row(self.histories, self.counts, key(&[BEYOND, held.limit]), stride)?;
        let own = |distance: usize| own.and_then(|own| own.get(distance)).map_or(0.0, |x| f64::from(*x));
        let share = *at(out, limited.last)?;
        let beyond = out.get_mut(limited.last..).ok_or(Error::Corrupt)?;
        let distances = range(&self.state.distances, 1, beyond.len())?;
        let all: f64 = distances.iter().sum();
        let mut total = 0.0;
        for (distance, (p, count)) in (1..).zip(beyond.iter_mut().zip(distances)) {
            *p = own(distance) + count / all;
            total += *p;
        }
        for p in beyond {
            *p *= share / total;
        }
        Ok(())
    }
}

impl ContextMixture<'_> {
    /// Determines the contexts of a job that is submitted now.
    pub(super) fn look(&self, keys: &[i64], now: i64, held: &mut Held) -> Result<()> {
        let [user, limit, processors] = *keys else { return Err(Error::OutOfRange) };
        let limit = if (1..MAX_SECONDS).contains(&limit) { limit } else { MAX_SECONDS };
        let raw = &self.state.bins;
        let limit_bin = raw.bin_of(limit as f64);
        let none = Trail::zeroed();
        let mut found = [&none; 3];
        for (found, key) in found.iter_mut().zip(trails(user, limit, processors)) {
            if let Some(place) = self.tables.kinds.find(key) {
                *found = at(self.tables.trails, place)?;
            }
        }
        let standings = found.map(|trail| {
            trail.standing(|record, number| {
                let job = self.tables.jobs.get(record as usize).filter(|job| job.number == number)?;
                Some(job.standing(now, raw))
            })
        });
        let view = View {
            user,
            limit,
            processors,
            limit_bin,
            now,
            trails: found,
            standings,
            bin_of: &|seconds| raw.bin_of(seconds as f64),
        };
        (held.user, held.limit, held.processors) = (user, limit, processors);
        (held.limit_bin, held.keys) = (limit_bin as u32, view.keys());
        use contexts::Reference::{First, Like, Limit, User};
        held.references = [First, Limit, User, Like].map(|reference| view.reference(reference) as u32);
        let [owner, limited, like] = found;
        held.counts = 1.0 / (1.0 + LIKE * like.inside() as f32 + OTHER * owner.inside() as f32);
        (held.standing, held.change) = (standing_of(&view) as u32, change_of(limited) as u32);
        Ok(())
    }

    /// Judges the prediction for a job that ended, learns from it, and counts it.
    pub(super) fn judge(&mut self, record: u32, job: &Held, run_time: i64) -> Result<()> {
        let stride = self.state.capacity.stride();
        let bin = self.state.bins.bin_of(run_time as f64);
        let limited = self.knowledge().limited(job.limit_bin as usize);
        let cell = bin.min(limited.last);
        self.state.written = self.state.written.wrapping_add(1);
        let now = self.state.written;

        let said = range(self.tables.said, record as usize * stride, stride)?;
        let low: f32 = range(said, 0, cell)?.iter().sum();
        self.state.calibration.learn(f64::from(low), f64::from(*at(said, cell)?));
        let bytes = range(self.tables.bytes, record as usize * stride * COUNT, stride * COUNT)?;
        let (place, fresh) = self.tables.users.claim(key(&[WEIGHTS, job.user]), now)?;
        let own = range_mut(self.tables.weights, place * COUNT, COUNT)?;
        if fresh {
            own.fill(0.0);
        }
        let opinions = Opinions { levels: &job.levels, bytes, stride };
        self.tables.mixer.learn(&job.sets, own, opinions, said, cell, job.counts)?;

        let one = libm::sqrtf(job.counts);
        for (context, key) in CONTEXTS.iter().zip(&job.keys) {
            let reference = *at(&job.references, context.reference as usize)? as usize;
            let cell = limited.cell(context.reference, reference, bin);
            self.count(*key, context.decay, cell, one)?;
        }
        if bin > limited.limit {
            let distance = bin - limited.limit;
            *at_mut(&mut self.state.distances, distance)? += 1.0;
            self.state.beyond += 1.0;
            self.count(key(&[BEYOND, job.limit]), 1.0, distance, 1.0)?;
        }
        self.state.finished += 1.0;
        Ok(())
    }

    /// Counts a job in a cell of a row, whose other counts shrink.
    fn count(&mut self, key: u64, decay: f32, cell: usize, one: f32) -> Result<()> {
        let stride = self.state.capacity.stride();
        let (place, fresh) = self.tables.histories.claim(key, self.state.written)?;
        let row = range_mut(self.tables.counts, place * stride, stride)?;
        if fresh {
            row.fill(0.0);
        }
        for count in row.iter_mut() {
            *count *= decay;
            *count = if *count < NOTHING { 0.0 } else { *count };
        }
        *at_mut(row, cell)? += one;
        Ok(())
    }
}

/// Kind of the states of the last submissions: of like jobs, and whether those that ended last agree; and of the
/// user's.
fn standing_of(view: &View<'_>) -> usize {
    let [_, _, like] = view.trails;
    let [of_user, _, of_like] = view.standings;
    let kind = match of_like {
        Standing::Ended(_) if like.last(0) != like.last(1) => 4,
        other => other.kind(),
    };
    (kind * STANDINGS / 5 + of_user.kind()).min(STANDINGS - 1)
}

/// Kind of the changes between the last three run times of the user and the limit.
fn change_of(limited: &Trail) -> usize {
    const KINDS: usize = 6;
    let kind = |step: i64| if step == 9 { 0 } else { (step.clamp(-2, 2) + 3) as usize };
    let change =
        kind(step(limited.last(1), limited.last(0))) * KINDS + kind(step(limited.last(2), limited.last(1)));
    change.min(CHANGES - 1)
}
