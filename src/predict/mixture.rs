//! Run times of like jobs: a mixture of histories.
//!
//! Users repeat themselves (Nissimov 2006, section 2.4), and recent jobs carry more information than old ones (section
//! 3.5.1 asks for the rate at which information ages). An [`Expert`] predicts by the jobs that agree with this one in
//! some of its keys: the same user, the same time limit, both ... Its history is a row of counts by runtime bin, which
//! shrink by a factor with every later job of the same kind, and backs off to the distribution g of all jobs as if it
//! had seen `prior` jobs of it:
//!
//! p_e(j) = (counts_e(j) + prior g(j)) / (sum of counts_e + prior)
//!
//! The prediction is the mixture of the experts with the owner's weights. These are Bayesian: each finished job
//! multiplies an expert's weight by the probability it had given to the job's bin; then every expert gets back a small
//! share, so that the best may change (the fixed share of Herbster & Warmuth 1998). An owner's first weights are those
//! of all jobs.

use crate::error::{Error, Result};
use crate::math::mix::mix;
use crate::memory::{Carver, Kind, Object, at, at_mut, range_mut};
use crate::predict::histories::Histories;
use crate::runtime::{MAX_BINS, RawBins, RuntimeBins, RuntimeDistribution, check_span, share_out};
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};

/// Largest number of keys of a job.
pub const MAX_KEYS: usize = 8;

/// Largest number of experts of a mixture.
pub const MAX_EXPERTS: usize = 16;

/// Share of the weights that is spread over all experts with every finished job.
const SHARE: f64 = 0.02;

/// The largest number of histories.
const MOST: u32 = 1 << 26;

/// One way in which jobs are alike.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Expert {
    /// The keys in which jobs must agree: bit i for key i; 0 for all jobs alike.
    pub keys: u32,
    /// Not used: 0.
    pub reserved: u32,
    /// The factor by which a job's weight shrinks with every later one of its kind: 0 to 1, 1 for no ageing.
    pub decay: f64,
    /// Number of jobs that the distribution of all jobs counts as: above 0.
    pub prior: f64,
}

impl Expert {
    const fn new(keys: u32, decay: f64, prior: f64) -> Expert {
        Expert { keys, reserved: 0, decay, prior }
    }

    /// One expert: the owner's own jobs (key 0), the last ten or so.
    pub const USER: [Expert; 1] = [Expert::new(1, 0.9, 2.0)];

    /// Ten experts for jobs with the keys user, time limit and processors.
    pub const MIX: [Expert; 10] = [
        Expert::new(0b000, 0.999, 2.0),
        Expert::new(0b001, 0.9, 2.0),
        Expert::new(0b001, 0.99, 2.0),
        Expert::new(0b010, 0.99, 2.0),
        Expert::new(0b110, 0.99, 2.0),
        Expert::new(0b011, 0.7, 0.5),
        Expert::new(0b011, 0.95, 1.0),
        Expert::new(0b101, 0.9, 1.0),
        Expert::new(0b111, 0.7, 0.5),
        Expert::new(0b111, 0.95, 1.0),
    ];

    pub(super) fn check(&self, keys: u32) -> Result<()> {
        if self.decay.is_nan() || self.prior.is_nan() {
            return Err(Error::NotANumber);
        }
        let valid = self.keys >> keys == 0
            && self.reserved == 0
            && (0.0..=1.0).contains(&self.decay)
            && self.prior > 0.0
            && self.prior <= 1e9;
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

/// Capacities of a [`Mixture`], fixed at initialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct MixtureCapacity {
    /// Number of bins of the run times (1 to [`MAX_BINS`]).
    pub bins: u32,
    /// Number of keys of a job (1 to [`MAX_KEYS`]); key 0 is its owner, the user as a rule.
    pub keys: u32,
    /// Number of experts (1 to [`MAX_EXPERTS`]).
    pub experts: u32,
    /// Number of histories kept (1 to 2^26): one for each expert and combination of its keys, and one for each owner;
    /// those not written to for longest leave.
    pub histories: u32,
}

impl Default for MixtureCapacity {
    /// 24 bins, 3 keys, 10 experts, 16,384 histories.
    fn default() -> MixtureCapacity {
        MixtureCapacity { bins: 24, keys: 3, experts: 10, histories: 1 << 14 }
    }
}

impl MixtureCapacity {
    fn check(&self) -> Result<()> {
        let in_range = |value: u32, most: usize| (1..=most).contains(&(value as usize));
        let valid = in_range(self.bins, MAX_BINS)
            && in_range(self.keys, MAX_KEYS)
            && in_range(self.experts, MAX_EXPERTS)
            && in_range(self.histories, MOST as usize);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    /// Numbers in a row, which holds a history's counts and their sum, or an owner's weights.
    fn row(&self) -> usize {
        (self.bins as usize + 1).max(self.experts as usize)
    }
}

/// The scalars of a mixture.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    capacity: MixtureCapacity,
    bins: RawBins,
    experts: [Expert; MAX_EXPERTS],
    /// Counts of all jobs: by bin, and together.
    everybody: [f64; MAX_BINS],
    jobs: f64,
    /// The experts' weights over all jobs.
    weights: [f64; MAX_EXPERTS],
}

/// Predicts run times from those of like jobs that have finished.
///
/// The memory needed is [`Mixture::size`]. With H histories, b bins and e experts it is at most
/// 8 H max(b + 1, e) + 32 H + 3,200 bytes: 3.8 MB for the default.
pub struct Mixture<'a> {
    state: &'a mut State,
    histories: Histories<'a>,
}

impl<'a> Object<'a> for Mixture<'a> {
    const KIND: Kind = Kind::Mixture;
    type Head = Sealed;
    type Capacity = MixtureCapacity;
    type State = State;
    type Parts = Histories<'a>;

    fn parts(carver: &mut Carver<'a>, limits: &MixtureCapacity) -> Result<Histories<'a>> {
        limits.check()?;
        Histories::carve(carver, limits.histories, limits.row())
    }

    fn capacity_in(state: &State) -> Result<MixtureCapacity> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, histories: Histories<'a>) -> Result<Mixture<'a>> {
        let sound = state.bins.are(state.capacity.bins);
        if sound { Ok(Mixture { state, histories }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(Mixture, checkpoint);

impl<'a> Mixture<'a> {
    /// Bytes that a mixture with these capacities needs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(limits: &MixtureCapacity) -> Result<usize> {
        <Mixture as Object>::size(limits)
    }

    /// Makes an empty mixture in this memory, which may be longer than needed. The whole block is written, so that a
    /// sealed block is the same for the same calls.
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`]; [`Error::OutOfRange`] also for other numbers of bins or experts than
    /// the capacity's; [`Error::NotANumber`].
    pub fn init(
        memory: &'a mut [u8],
        limits: &MixtureCapacity,
        bins: &RuntimeBins,
        experts: &[Expert],
    ) -> Result<Mixture<'a>> {
        limits.check()?;
        if bins.count() != limits.bins as usize || experts.len() != limits.experts as usize {
            return Err(Error::OutOfRange);
        }
        experts.iter().try_for_each(|expert| expert.check(limits.keys))?;
        let (state, mut histories) = Mixture::create(memory, limits)?;
        (state.capacity, state.bins) = (*limits, RawBins::new(bins));
        let equal = 1.0 / f64::from(limits.experts);
        for ((to, weight), from) in state.experts.iter_mut().zip(&mut state.weights).zip(experts) {
            (*to, *weight) = (*from, equal);
        }
        histories.clear()?;
        Ok(Mixture { state, histories })
    }

    /// The capacities.
    pub fn capacity(&self) -> &MixtureCapacity {
        &self.state.capacity
    }

    /// Number of histories in use.
    pub fn histories(&self) -> u32 {
        self.histories.count()
    }

    /// Predicts the run time of a job with these keys; before any job has finished, its limit. O(experts x bins).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for another number of keys than the capacity's.
    pub fn predict(&self, keys: &[i64]) -> Result<RuntimeDistribution> {
        let mut room = [0.0; MAX_BINS];
        let out = range_mut(&mut room, 0, self.state.capacity.bins as usize)?;
        if !self.probabilities(keys, out)? {
            return Ok(RuntimeDistribution::limit());
        }
        self.state.bins.view(out).owned()
    }

    /// Writes the probabilities of [`Mixture::predict`], one for each bin, and returns whether there are any.
    ///
    /// # Errors
    /// As [`Mixture::predict`].
    pub(crate) fn probabilities(&self, keys: &[i64], sums: &mut [f64]) -> Result<bool> {
        let State { capacity: limits, experts, everybody, jobs, .. } = &*self.state;
        if keys.len() != limits.keys as usize {
            return Err(Error::OutOfRange);
        }
        if *jobs <= 0.0 {
            return Ok(false);
        }
        let bins = limits.bins as usize;
        let sums = range_mut(sums, 0, bins)?;
        sums.fill(0.0);
        // Weight of the distribution of all jobs in all back-offs together.
        let mut common = 0.0;
        for (number, (expert, weight)) in
            (0u32..).zip(experts.iter().zip(self.weights(keys)?)).take(self.experts())
        {
            let row = self.histories.row(expert.hash(number, keys))?.unwrap_or(&[]);
            let total = row.get(bins).copied().unwrap_or(0.0);
            let scale = weight / (total + expert.prior);
            common += scale * expert.prior;
            for (sum, count) in sums.iter_mut().zip(row).take(bins) {
                *sum += scale * count;
            }
        }
        common /= jobs;
        for (sum, count) in sums.iter_mut().zip(everybody) {
            *sum += common * count;
        }
        self.state.bins.checked()?;
        share_out(sums)
    }

    /// Learns from a job with these keys that finished after `run_time` seconds. O(experts x bins).
    ///
    /// # Errors
    /// [`Error::SpanTooLong`]; [`Error::OutOfRange`] for a negative run time, or another number of keys than the
    /// capacity's.
    pub fn learn(&mut self, keys: &[i64], run_time: i64) -> Result<()> {
        let limits = self.state.capacity;
        if keys.len() != limits.keys as usize {
            return Err(Error::OutOfRange);
        }
        check_span(run_time)?;
        let bins = limits.bins as usize;
        let bin = self.state.bins.bins()?.bin_of(run_time as f64);
        if self.state.jobs > 0.0 {
            self.weigh(keys, bin)?;
        }
        let experts = self.state.experts;
        for (number, expert) in (0u32..).zip(&experts).take(self.experts()) {
            let row = self.histories.write(expert.hash(number, keys), |row| row.fill(0.0))?;
            for count in row.iter_mut().take(bins + 1) {
                *count *= expert.decay;
            }
            *at_mut(row, bin)? += 1.0;
            *at_mut(row, bins)? += 1.0;
        }
        *at_mut(&mut self.state.everybody, bin)? += 1.0;
        self.state.jobs += 1.0;
        Ok(())
    }

    /// The experts' weights for the owner of a job with these keys: its own, or those of all jobs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for another number of keys than the capacity's.
    pub fn weights(&self, keys: &[i64]) -> Result<&[f64]> {
        if keys.len() != self.state.capacity.keys as usize {
            return Err(Error::OutOfRange);
        }
        let own = self.histories.row(owner(keys))?.unwrap_or(&self.state.weights);
        own.get(..self.experts()).ok_or(Error::Corrupt)
    }

    fn experts(&self) -> usize {
        self.state.capacity.experts as usize
    }

    /// Judges the experts by the probability they gave to a bin.
    fn weigh(&mut self, keys: &[i64], bin: usize) -> Result<()> {
        let count = self.experts();
        if count < 2 {
            return Ok(());
        }
        let bins = self.state.capacity.bins as usize;
        let common = at(&self.state.everybody, bin)? / self.state.jobs;
        let mut evidence = [0.0; MAX_EXPERTS];
        let experts = self.state.experts.iter().zip(&mut evidence);
        for (number, (expert, probability)) in (0u32..).zip(experts).take(count) {
            let row = self.histories.row(expert.hash(number, keys))?.unwrap_or(&[]);
            let seen = row.get(bin).copied().unwrap_or(0.0);
            let total = row.get(bins).copied().unwrap_or(0.0);
            *probability = (seen + expert.prior * common) / (total + expert.prior);
        }
        let evidence = evidence.get(..count).ok_or(Error::Corrupt)?;
        let first = self.state.weights;
        let own = self.histories.write(owner(keys), |row| {
            for (to, from) in row.iter_mut().zip(&first) {
                *to = *from;
            }
        })?;
        update(own, evidence);
        update(&mut self.state.weights, evidence);
        Ok(())
    }
}

impl Expert {
    /// The key of the history that a job with these keys belongs to.
    fn hash(&self, number: u32, keys: &[i64]) -> u64 {
        let mut hash = mix(u64::from(number) + 1);
        for (bit, key) in (0u32..).zip(keys) {
            if self.keys >> bit & 1 != 0 {
                hash = mix(hash ^ *key as u64);
            }
        }
        hash
    }
}

/// The key of an owner's weights.
fn owner(keys: &[i64]) -> u64 {
    mix(mix(0) ^ keys.first().copied().unwrap_or(0) as u64)
}

/// Bayes' rule, then the fixed share.
fn update(weights: &mut [f64], evidence: &[f64]) {
    let total: f64 = weights.iter().zip(evidence).map(|(weight, p)| weight * p).sum();
    if total <= 0.0 {
        return; // a bin that no expert has seen does not distinguish them
    }
    let back = SHARE / evidence.len() as f64;
    for (weight, p) in weights.iter_mut().zip(evidence) {
        *weight = (1.0 - SHARE) * *weight * p / total + back;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::vec::Vec;

    fn memory(limits: &MixtureCapacity) -> Vec<u64> {
        std::vec![0; Mixture::size(limits).unwrap().div_ceil(8)]
    }

    fn bins() -> RuntimeBins {
        RuntimeBins::new(10.0, 4.0, 5).unwrap()
    }

    const EXPERTS: [Expert; 4] = [
        Expert::new(0b00, 0.9, 1.0),
        Expert::new(0b01, 0.5, 2.0),
        Expert::new(0b10, 1.0, 0.5),
        Expert::new(0b11, 0.8, 1.0),
    ];

    fn limits() -> MixtureCapacity {
        MixtureCapacity { bins: 5, keys: 2, experts: 4, histories: 1000 }
    }

    /// Computes everything again from all jobs so far, by the definitions.
    #[derive(Default)]
    struct Naive {
        jobs: Vec<([i64; 2], usize)>,
    }

    impl Naive {
        fn expert(&self, expert: &Expert, keys: [i64; 2], jobs: usize) -> [f64; 5] {
            let jobs = &self.jobs[..jobs];
            let (mut counts, mut everybody) = ([0.0; 5], [0.0; 5]);
            let mut weight = 1.0;
            for (theirs, bin) in jobs.iter().rev() {
                everybody[*bin] += 1.0 / jobs.len() as f64;
                if (0..2).all(|key| expert.keys >> key & 1 == 0 || theirs[key] == keys[key]) {
                    counts[*bin] += weight;
                    weight *= expert.decay;
                }
            }
            let total: f64 = counts.iter().sum();
            std::array::from_fn(|j| (counts[j] + expert.prior * everybody[j]) / (total + expert.prior))
        }

        fn weights(&self, user: i64) -> [f64; 4] {
            let (mut all, mut users) = ([0.25; 4], HashMap::<i64, [f64; 4]>::new());
            for (n, (keys, bin)) in self.jobs.iter().enumerate().skip(1) {
                let evidence = EXPERTS.map(|expert| self.expert(&expert, *keys, n)[*bin]);
                let own = users.entry(keys[0]).or_insert(all);
                for weights in [own, &mut all] {
                    let total: f64 = weights.iter().zip(evidence).map(|(w, p)| w * p).sum();
                    if total > 0.0 {
                        *weights = std::array::from_fn(|e| 0.98 * weights[e] * evidence[e] / total + 0.005);
                    }
                }
            }
            users.get(&user).copied().unwrap_or(all)
        }

        fn predict(&self, keys: [i64; 2]) -> [f64; 5] {
            let mut sum = [0.0; 5];
            for (expert, weight) in EXPERTS.iter().zip(self.weights(keys[0])) {
                let p = self.expert(expert, keys, self.jobs.len());
                sum = std::array::from_fn(|j| sum[j] + weight * p[j]);
            }
            sum
        }
    }

    proptest! {
        #[test]
        fn equals_the_definitions(jobs in proptest::collection::vec((0i64..3, 0i64..3, 0i64..4000), 1..60)) {
            let (limits, mut naive) = (limits(), Naive::default());
            let mut block = memory(&limits);
            let block = bytemuck::cast_slice_mut(&mut block);
            Mixture::init(block, &limits, &bins(), &EXPERTS).unwrap();
            for (user, limit, run_time) in jobs {
                // A checkpoint is made after every job.
                Mixture::seal(block).unwrap();
                let mut mixture = Mixture::open(block).unwrap();
                mixture.learn(&[user, limit], run_time).unwrap();
                naive.jobs.push(([user, limit], bins().bin_of(run_time as f64)));
                for keys in [[0, 0], [1, 2], [2, 1], [9, 0], [9, 9]] {
                    let predicted = mixture.predict(&keys).unwrap();
                    for (ours, theirs) in predicted.binned().unwrap().1.iter().zip(naive.predict(keys)) {
                        prop_assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}");
                    }
                }
            }
        }

        #[test]
        fn a_full_table_forgets_and_goes_on(jobs in proptest::collection::vec((0i64..40, 0i64..4000), 1..200)) {
            let limits = MixtureCapacity { histories: 3, ..limits() };
            let mut block = memory(&limits);
            let mut mixture = Mixture::init(bytemuck::cast_slice_mut(&mut block), &limits, &bins(), &EXPERTS).unwrap();
            for (user, run_time) in jobs {
                mixture.learn(&[user, 1], run_time).unwrap();
                prop_assert!(mixture.histories() <= 3);
                let predicted = mixture.predict(&[user, 1]).unwrap();
                let total: f64 = predicted.binned().unwrap().1.iter().sum();
                prop_assert!((total - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn memory_follows_the_documented_formula() {
        for limits in [limits(), MixtureCapacity::default(), MixtureCapacity { histories: 1, ..limits() }] {
            let size = Mixture::size(&limits).unwrap() as f64;
            let row = f64::from((limits.bins + 1).max(limits.experts));
            let most = f64::from(limits.histories) * (8.0 * row + 32.0) + 3200.0;
            assert!(
                size <= most && size > most - 3200.0 - 16.0 * f64::from(limits.histories),
                "{size} {most}"
            );
        }
    }

    #[test]
    fn bad_input_changes_nothing() {
        let limits = limits();
        let mut block = memory(&limits);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut block);
        for bad in [
            MixtureCapacity { bins: 0, ..limits },
            MixtureCapacity { bins: MAX_BINS as u32 + 1, ..limits },
            MixtureCapacity { keys: 0, ..limits },
            MixtureCapacity { keys: 9, ..limits },
            MixtureCapacity { experts: 0, ..limits },
            MixtureCapacity { experts: 17, ..limits },
            MixtureCapacity { histories: 0, ..limits },
            MixtureCapacity { histories: u32::MAX, ..limits },
        ] {
            assert_eq!(Mixture::size(&bad), Err(Error::OutOfRange), "{bad:?}");
        }
        let refused =
            |bytes: &mut [u8], experts: &[Expert]| Mixture::init(bytes, &limits, &bins(), experts).err();
        let with = |expert: Expert| [expert, EXPERTS[1], EXPERTS[2], EXPERTS[3]];
        assert_eq!(refused(bytes, &EXPERTS[..3]), Some(Error::OutOfRange));
        assert_eq!(refused(bytes, &with(Expert::new(0b100, 0.5, 1.0))), Some(Error::OutOfRange));
        assert_eq!(refused(bytes, &with(Expert::new(1, 1.5, 1.0))), Some(Error::OutOfRange));
        assert_eq!(refused(bytes, &with(Expert::new(1, f64::NAN, 1.0))), Some(Error::NotANumber));
        assert_eq!(refused(bytes, &with(Expert::new(1, 0.5, 0.0))), Some(Error::OutOfRange));
        assert_eq!(refused(&mut bytes[8..], &EXPERTS), Some(Error::TooSmall));
        assert_eq!(refused(&mut bytes[1..], &EXPERTS), Some(Error::TooSmall));
        assert!(bytes.iter().all(|byte| *byte == 0));
        assert_eq!(Mixture::attach(bytes).err(), Some(Error::WrongObject));
        let mut mixture = Mixture::init(bytes, &limits, &bins(), &EXPERTS).unwrap();
        mixture.learn(&[1, 2], 100).unwrap();
        let before = mixture.predict(&[1, 2]).unwrap();
        assert_eq!(mixture.learn(&[1], 100), Err(Error::OutOfRange));
        assert_eq!(mixture.learn(&[1, 2], -1), Err(Error::OutOfRange));
        assert_eq!(mixture.learn(&[1, 2], crate::runtime::MAX_SECONDS + 1), Err(Error::SpanTooLong));
        assert_eq!(mixture.predict(&[1, 2, 3]), Err(Error::OutOfRange));
        assert_eq!(mixture.weights(&[]).err(), Some(Error::OutOfRange));
        assert_eq!(mixture.predict(&[1, 2]).unwrap(), before);
    }

    #[test]
    fn damage_is_found() {
        let limits = MixtureCapacity { histories: 2, ..limits() };
        let mut block = memory(&limits);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut block);
        Mixture::init(bytes, &limits, &bins(), &EXPERTS).unwrap().learn(&[1, 2], 50).unwrap();
        assert_eq!(Mixture::open(bytes).err(), Some(Error::Corrupt), "not sealed");
        Mixture::seal(bytes).unwrap();
        for place in 0..bytes.len() {
            bytes[place] ^= 0x55;
            assert!(Mixture::open(bytes).is_err(), "{place}");
            // Without the check of the seal nothing may panic either.
            if let Ok(mut mixture) = Mixture::attach(bytes) {
                let _ = (mixture.predict(&[1, 2]), mixture.learn(&[1, 2], 50), mixture.learn(&[3, 4], 50));
            }
            // The state learnt in between must go.
            Mixture::init(bytes, &limits, &bins(), &EXPERTS).unwrap().learn(&[1, 2], 50).unwrap();
            Mixture::seal(bytes).unwrap();
        }
        Mixture::open(bytes).unwrap();
        bytes.chunks_mut(8).take(1).for_each(|magic| magic.reverse());
        assert_eq!(Mixture::open(bytes).err(), Some(Error::ForeignByteOrder));
    }
}
