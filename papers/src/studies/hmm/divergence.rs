//! Distance of two models, by generation (Nissimov 2006, section 3.1; Rabiner 1989, section IV.F). The
//! Kullback-Leibler divergence rate is
//!
//! ```text
//! D(P || Q) = lim 1/T E_P[ ln P(O_1 .. O_T) - ln Q(O_1 .. O_T) ]
//! ```
//!
//! the O being slots with their jobs drawn from P, so both models need a load model. Several independent sequences are
//! drawn, each from a seed's own stream; a first part of each, which depends on where the chain starts, is left out of
//! the difference. Their mean is the rate, their spread gives its standard error. For two models of one state it is
//! known: with Poisson load l1 ln(l1 / l2) - l1 + l2 + l1 D(B1 || B2), with geometric load of parameters p1, p2 and
//! mean m1 = (1 - p1) / p1 it is ln(p1 / p2) + m1 ln((1 - p1) / (1 - p2)) + m1 D(B1 || B2).
//!
//! The thesis names the Jensen-Shannon divergence in the same breath, 1/2 D(P || M) + 1/2 D(Q || M) with M = (P + Q) /
//! 2. It has no such rate: Pr(O | M) is at least half of Pr(O | P), so the divergence of T slots is at most one bit,
//! and over T it goes to 0 for any two models. What says something is how many slots it takes to get near that bit
//! ([`Apart`]): the divergence is what one sequence tells, on average, of which of two equally likely models it is
//! from.
//!
//! Between two rounds of training ([`Moved`]) it stands beside half of L1, which section 3.3 calls its good
//! approximation.

use crate::generate::hmm::Error;
use crate::generate::hmm::block::Block;
use crate::generate::hmm::flat::{Flat, Load};
use crate::generate::hmm::model::Model;
use crate::generate::hmm::sample::Observed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;
use std::ops::Range;
use surefill::hmm::{Evidence, Hmm};
use surefill_simulator::base::random::Random;
use surefill_simulator::base::statistics;

/// Length and number of the generated sequences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Options {
    /// The generator's seed; every sequence has a stream of its own.
    pub seed: u64,
    /// Sequences, at least 2.
    pub sequences: u32,
    /// Slots of each that count.
    pub slots: u32,
    /// Slots before those.
    pub lead: u32,
}

impl Default for Options {
    /// Seed 1, 64 sequences of 8,192 slots (85 days of 15 min) after 1,024.
    fn default() -> Options {
        Options { seed: 1, sequences: 64, slots: 8192, lead: 1024 }
    }
}

/// A divergence rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// In bits a slot; `None` for infinity: the second model excludes what the first one makes.
    pub bits_per_slot: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// In bits a job of the first model.
    pub bits_per_job: Option<f64>,
    /// Jobs a slot that the first model made.
    pub jobs_per_slot: f64,
}

/// Information of slots in a row on which of two equally likely models they are from: their Jensen-Shannon divergence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Apart {
    /// Slots.
    pub slots: u32,
    /// In bits, from 0 to 1.
    pub bits: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Distance of all distributions of a model (pi, the rows of A, the rows of B) from those of another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// The sum of their Jensen-Shannon divergences, in bits.
    pub jensen_shannon: f64,
    /// Half the sum of the absolute differences.
    pub half_l1: f64,
}

impl Moved {
    /// Between two models of the same states and bins.
    pub fn between(one: &Flat, other: &Flat) -> Moved {
        let states = one.start.len().max(1);
        let bins = one.emission.len() / states;
        let rows = |flat: fn(&Flat) -> &Vec<f64>, width: usize| {
            flat(one).chunks(width.max(1)).zip(flat(other).chunks(width.max(1)))
        };
        let all = rows(|flat| &flat.start, states).chain(rows(|flat| &flat.transition, states));
        let mut moved = Moved { jensen_shannon: 0.0, half_l1: 0.0 };
        for (p, q) in all.chain(rows(|flat| &flat.emission, bins)) {
            moved.jensen_shannon += jensen_shannon(p, q);
            moved.half_l1 += 0.5 * p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum::<f64>();
        }
        moved
    }
}

/// The Jensen-Shannon divergence of two distributions, in bits.
pub fn jensen_shannon(p: &[f64], q: &[f64]) -> f64 {
    let half = |p: f64, q: f64| if p > 0.0 { 0.5 * p * libm::log2(2.0 * p / (p + q)) } else { 0.0 };
    let sum: f64 = p.iter().zip(q).map(|(&p, &q)| half(p, q) + half(q, p)).sum();
    // Rounding must not make what is 0 negative.
    sum.max(0.0)
}

/// Two models.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The second one: trace or file.
    pub with: String,
    /// The m of the m-estimates that smooth both.
    pub m: f64,
    /// Options of the generated sequences.
    pub options: Options,
    /// D(first || second).
    pub there: Rate,
    /// D(second || first).
    pub back: Rate,
    /// The mean of both, in bits a slot.
    pub symmetric_bits_per_slot: Option<f64>,
    /// The Jensen-Shannon divergence of 1, 4, 16 ... slots.
    pub apart: Vec<Apart>,
}

/// Both models' divergence rates from each other, both smoothed by m-estimates ([`Model::smoothed`]).
///
/// # Errors
/// [`Error::Incomparable`], [`Error::Core`].
pub fn compare(
    first: &Model,
    second: &Model,
    m: f64,
    options: &Options,
    progress: &(dyn Fn() + Sync),
) -> Result<Comparison, Error> {
    check(first, second)?;
    let (p, q) = (first.smoothed(m), second.smoothed(m));
    let there = rate(&p, &q, options, progress)?;
    let back = rate(&q, &p, options, progress)?;
    let both = there.bits_per_slot.zip(back.bits_per_slot);
    let symmetric_bits_per_slot = both.map(|(there, back)| 0.5 * (there + back));
    let apart = apart(&p, &q, options, progress)?;
    Ok(Comparison {
        with: second.trace.clone(),
        m,
        options: *options,
        there,
        back,
        symmetric_bits_per_slot,
        apart,
    })
}

/// The Jensen-Shannon divergence of 1, 4, 16 ... slots in a row, up to the options' slots, of two models in their long
/// run: by as many sequences of each as the options say. `progress` is called for every pair of sequences.
///
/// # Errors
/// [`Error::Incomparable`], [`Error::Core`].
pub fn apart(
    p: &Model,
    q: &Model,
    options: &Options,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Apart>, Error> {
    check(p, q)?;
    let bins = p.emission.first().map_or(0, Vec::len);
    let settled = |model: &Model| {
        let mut flat = model.flat();
        flat.start = flat.stationary();
        flat
    };
    let models = [settled(p), settled(q)];
    let lengths: Vec<u32> =
        (0..16).map(|power| 4u32.pow(power)).take_while(|&length| length <= options.slots).collect();
    let longest = lengths.last().copied().unwrap_or(1);
    // Information of each length of a sequence of the first or the second model, in bits.
    let sequence = |stream: u32, own: usize| -> Result<Vec<f64>, Error> {
        let mut random = Random::stream(options.seed, u64::from(stream) * 2 + own as u64);
        let jobs = generate(&models[own], p.load, longest, &mut random);
        let likelihoods = |model: &Flat| -> Result<Vec<f64>, Error> {
            let mut block = Block::new(model.start.len() as u32, bins, 0..i64::from(longest), &jobs)?;
            let mut hmm = block.hmm()?;
            hmm.set_parameters(&model.parameters(p.load))?;
            let of = |&length: &u32| Ok(hmm.log_likelihood(0..i64::from(length), Evidence::Jobs)?);
            lengths.iter().map(of).collect()
        };
        let (mine, other) = (likelihoods(&models[own])?, likelihoods(&models[1 - own])?);
        Ok(mine
            .iter()
            .zip(&other)
            .map(|(mine, other)| 1.0 - libm::log1p((other - mine).exp()) / LN_2)
            .collect())
    };
    let pair = |stream: u32| -> Result<[Vec<f64>; 2], Error> {
        let pair = [sequence(stream, 0)?, sequence(stream, 1)?];
        progress();
        Ok(pair)
    };
    let found: Vec<[Vec<f64>; 2]> =
        (0..options.sequences.max(2)).into_par_iter().map(pair).collect::<Result<_, _>>()?;
    let at = |(index, &slots): (usize, &u32)| {
        let of = |own: usize| found.iter().map(|pair| pair[own][index]).collect::<Vec<f64>>();
        let both = [of(0), of(1)];
        let mean = |bits: &Vec<f64>| statistics::mean(bits.iter().copied()).unwrap_or(0.0);
        let square = |bits: &Vec<f64>| statistics::variance(bits).unwrap_or(0.0) / bits.len() as f64;
        Apart {
            slots,
            // Chance must not make it negative.
            bits: both.iter().map(mean).sum::<f64>().max(0.0) / 2.0,
            standard_error: both.iter().map(square).sum::<f64>().sqrt() / 2.0,
        }
    };
    Ok(lengths.iter().enumerate().map(at).collect())
}

/// Draws the jobs of the slots from 0 to `slots`.
pub fn generate(model: &Flat, load: Load, slots: u32, random: &mut Random) -> Vec<Observed> {
    let states = model.start.len().max(1);
    let bins = model.emission.len() / states;
    let mut jobs = Vec::new();
    let mut state = random.weighted(&model.start);
    for slot in 0..i64::from(slots) {
        let parameter = model.load_parameter.get(state).copied().unwrap_or(0.0);
        let count = match load {
            Load::None => 0,
            Load::Poisson => random.poisson(parameter),
            Load::Geometric => random.geometric(parameter),
        };
        let emission = model.emission.get(state * bins..(state + 1) * bins).unwrap_or(&[1.0]);
        jobs.extend((0..count).map(|_| Observed { slot, bin: random.weighted(emission) as u32 }));
        state = random.weighted(model.transition.get(state * states..(state + 1) * states).unwrap_or(&[1.0]));
    }
    jobs
}

/// ln Pr of the slots in `part`, given those before them.
fn likelihood(hmm: &mut Hmm<'_>, model: &Model, part: &Range<i64>) -> Result<f64, Error> {
    hmm.set_parameters(&model.flat().parameters(model.load))?;
    let before = if part.start > 0 { hmm.log_likelihood(0..part.start, Evidence::Jobs)? } else { 0.0 };
    let all = hmm.log_likelihood(0..part.end, Evidence::Jobs)?;
    Ok(if all > f64::NEG_INFINITY { all - before } else { all })
}

/// Whether the models speak of the same observations.
///
/// # Errors
/// [`Error::Incomparable`].
pub fn check(p: &Model, q: &Model) -> Result<(), Error> {
    let differ = |what: &str, p: &dyn std::fmt::Display, q: &dyn std::fmt::Display| {
        Err(Error::Incomparable(format!("{what} {p} and {q}")))
    };
    let bins = |model: &Model| model.emission.first().map_or(0, Vec::len);
    if p.load == Load::None || q.load == Load::None {
        return Err(Error::Incomparable("only models with a load model generate jobs".to_owned()));
    }
    if p.slot_s != q.slot_s {
        return differ("slots of seconds", &p.slot_s, &q.slot_s);
    }
    if p.ratio != q.ratio {
        return differ("bins of ratio", &p.ratio, &q.ratio);
    }
    if p.first_edge_s != q.first_edge_s {
        return differ("bins from seconds", &p.first_edge_s, &q.first_edge_s);
    }
    if bins(p) != bins(q) {
        return differ("numbers of bins", &bins(p), &bins(q));
    }
    Ok(())
}

/// D(P || Q), by sequences drawn from P. `progress` is called for every sequence.
///
/// # Errors
/// [`Error::Incomparable`], [`Error::Core`].
pub fn rate(p: &Model, q: &Model, options: &Options, progress: &(dyn Fn() + Sync)) -> Result<Rate, Error> {
    check(p, q)?;
    let bins = p.emission.first().map_or(0, Vec::len);
    let source = p.flat();
    let end = options.lead.saturating_add(options.slots.max(1));
    let part = i64::from(options.lead)..i64::from(end);
    let sequence = |stream: u32| -> Result<(f64, usize), Error> {
        let jobs = generate(&source, p.load, end, &mut Random::stream(options.seed, u64::from(stream)));
        let counted = jobs.len() - jobs.partition_point(|job| job.slot < part.start);
        let of = |model: &Model| {
            let mut block = Block::new(model.states(), bins, 0..part.end, &jobs)?;
            likelihood(&mut block.hmm()?, model, &part)
        };
        let difference = (of(p)? - of(q)?) / LN_2;
        progress();
        Ok((difference / f64::from(options.slots.max(1)), counted))
    };
    let found: Vec<(f64, usize)> =
        (0..options.sequences.max(2)).into_par_iter().map(sequence).collect::<Result<_, _>>()?;
    let count = found.len() as f64;
    let bits: Vec<f64> = found.iter().map(|found| found.0).collect();
    let mean = statistics::mean(bits.iter().copied()).unwrap_or(0.0);
    let jobs = found.iter().map(|found| found.1).sum::<usize>() as f64 / count;
    let jobs_per_slot = jobs / f64::from(options.slots.max(1));
    if !mean.is_finite() {
        return Ok(Rate { bits_per_slot: None, standard_error: None, bits_per_job: None, jobs_per_slot });
    }
    let variance = statistics::variance(&bits).unwrap_or(0.0);
    Ok(Rate {
        bits_per_slot: Some(mean),
        standard_error: Some((variance / count).sqrt()),
        bits_per_job: (jobs_per_slot > 0.0).then(|| mean / jobs_per_slot),
        jobs_per_slot,
    })
}
