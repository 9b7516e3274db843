//! Calibration of predicted delays of head jobs by accepted backfills, learnt from observed starts and ends.
//!
//! An accepted backfill is remembered with the processors that its head job still lacked. When the jobs that ran at
//! that moment end, two sums grow: the processors that are free without the backfill, and with it. From each follows
//! the time at which the head job could have started if nothing else had been started; the difference is the delay that
//! the backfill caused, as the papers define it, whether the head job really started then or not. From predicted and
//! observed delays a curve is learnt for each unit (see `curve`); it gives the delay to report for a prediction, and
//! the prediction that corresponds to a threshold.
//!
//! Predictions err in one direction because of facts that a pass cannot know: jobs of one user started together end
//! together, users change their habits, and the backfills accepted are those that looked safe.

use crate::backfill::{Criterion, Rule};
use crate::error::{Error, Result};
use crate::memory::{Carver, Kind, Object, at, at_mut, range};
use crate::runtime::MAX_SECONDS;
use crate::schedule::curve::Learnt;
use crate::seal::{Sealed, lifecycle};
use bytemuck::{Pod, Zeroable};

/// Largest number of backfills that can be remembered at a time.
pub const MAX_PENDING_BACKFILLS: u32 = 1 << 20;

/// The smallest edges of the classes: a probability, and seconds.
const EDGES: [f64; 2] = [1e-6, 0.01];

/// Largest delay reported: a probability, and seconds.
const MOST: [f64; 2] = [1.0, MAX_SECONDS as f64];

/// One accepted backfill, for [`DelayCalibration::accepted`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcceptedBackfill {
    /// The job that was started ahead of the head job; any number by which the caller identifies jobs.
    pub job: i64,
    /// Time of its start, in seconds since any origin, within 2^53 of it.
    pub now: i64,
    /// Number of its processors, at least 1.
    pub processors: u32,
    /// Number of processors that the head job lacked before it started: those it needs less the idle ones. At least 1.
    pub missing: u32,
    /// The delay that the pass predicted, uncorrected: a probability for [`Criterion::Probability`] and
    /// [`Criterion::Bound`], seconds for [`Criterion::Seconds`] and [`Criterion::Relative`].
    pub predicted: f64,
}

/// Predicted, reported and observed delays of all backfills whose outcome is known, in one unit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct DelayTotals {
    /// Number of backfills.
    pub known: u64,
    /// Sum of the predicted delays.
    pub predicted: f64,
    /// Sum of the delays reported when they were accepted.
    pub reported: f64,
    /// Sum of the observed delays: the number of backfills that delayed their head job, or the seconds of delay.
    pub observed: f64,
}

/// A backfill whose outcome is not known yet.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Pending {
    job: i64,
    now: i64,
    predicted: f64,
    reported: f64,
    /// Time at which the head job could have started without it; meaningless before `known`.
    undisturbed: i64,
    missing: u32,
    processors: u32,
    /// Number of processors that have become free since, its own not counted.
    released: u32,
    known: u32,
    unit: u32,
    reserved: u32,
}

/// The scalars at the head of the block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    capacity: u32,
    count: u32,
    /// Number of backfills that were forgotten for want of room.
    dropped: u64,
    learnt: [Learnt; 2],
    totals: [DelayTotals; 2],
}

/// The calibration of predicted delays in the caller's memory.
pub struct DelayCalibration<'a> {
    state: &'a mut State,
    /// The first `count` are pending, in the order in which they were accepted.
    pending: &'a mut [Pending],
}

impl<'a> Object<'a> for DelayCalibration<'a> {
    const KIND: Kind = Kind::DelayCalibration;
    type Head = Sealed;
    type Capacity = u32;
    type State = State;
    type Parts = &'a mut [Pending];

    fn parts(carver: &mut Carver<'a>, capacity: &u32) -> Result<Self::Parts> {
        if *capacity == 0 || *capacity > MAX_PENDING_BACKFILLS {
            return Err(Error::OutOfRange);
        }
        carver.take(*capacity as usize)
    }

    fn capacity_in(state: &State) -> Result<u32> {
        Ok(state.capacity)
    }

    fn assemble(state: &'a mut State, pending: Self::Parts) -> Result<DelayCalibration<'a>> {
        let sound = state.count <= state.capacity
            && state.learnt.iter().all(Learnt::is_sound)
            && state.totals.iter().all(|totals| {
                [totals.predicted, totals.reported, totals.observed].iter().all(|&sum| sum >= 0.0)
            });
        if sound { Ok(DelayCalibration { state, pending }) } else { Err(Error::Corrupt) }
    }
}

lifecycle!(DelayCalibration, checkpoint);

/// The unit of a criterion: 0 for probabilities, 1 for seconds.
fn unit(criterion: Criterion) -> usize {
    match criterion {
        Criterion::Probability | Criterion::Bound => 0,
        Criterion::Seconds | Criterion::Relative => 1,
    }
}

fn check_predicted(unit: usize, predicted: f64) -> Result<()> {
    if predicted.is_nan() {
        return Err(Error::NotANumber);
    }
    // Sums of probabilities may exceed 1 by rounding.
    let most = if unit == 0 { 1.0 + 1e-9 } else { MAX_SECONDS as f64 };
    if (0.0..=most).contains(&predicted) { Ok(()) } else { Err(Error::OutOfRange) }
}

fn check_time(time: i64) -> Result<()> {
    if time.unsigned_abs() > 1 << 53 { Err(Error::OutOfRange) } else { Ok(()) }
}

impl<'a> DelayCalibration<'a> {
    /// Bytes that are needed to remember this number of accepted backfills whose outcome is not known yet (1 to
    /// [`MAX_PENDING_BACKFILLS`]): 64 each and less than 1,100.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn size(capacity: u32) -> Result<usize> {
        <DelayCalibration as Object>::size(&capacity)
    }

    /// Makes an empty calibration in this memory, which may be longer than needed: it changes no prediction. O(size).
    ///
    /// # Errors
    /// [`Error::Misaligned`], [`Error::TooSmall`], [`Error::OutOfRange`].
    pub fn init(memory: &'a mut [u8], capacity: u32) -> Result<DelayCalibration<'a>> {
        let (state, pending) = DelayCalibration::create(memory, &capacity)?;
        state.capacity = capacity;
        Ok(DelayCalibration { state, pending })
    }

    /// The expected delay where a pass predicts this one, in the unit of the prediction: a probability for
    /// [`Criterion::Probability`] and [`Criterion::Bound`], seconds for [`Criterion::Seconds`] and
    /// [`Criterion::Relative`]. Never less for a larger prediction; the prediction itself before any outcome is known.
    /// O(1).
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn reported(&self, criterion: Criterion, predicted: f64) -> Result<f64> {
        let unit = unit(criterion);
        check_predicted(unit, predicted)?;
        let (Some(learnt), Some(most)) = (self.state.learnt.get(unit), MOST.get(unit)) else {
            return Err(Error::Corrupt);
        };
        Ok(learnt.curve(*most).at(predicted))
    }

    /// The rule whose threshold on predicted delays corresponds to the given one on expected delays: a candidate is
    /// below it when its expected delay is below the given threshold. The threshold changes by a factor of 16 at most,
    /// so that outcomes continue to be observed. For [`Criterion::Relative`] it is divided by the common ratio of
    /// observed to predicted seconds. Budget and slip stay as they are: they are sums of predicted delays. O(1).
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`] for the rule's numbers.
    pub fn rule(&self, rule: &Rule) -> Result<Rule> {
        rule.check()?;
        if rule.threshold == 0.0 || rule.threshold.is_infinite() {
            return Ok(*rule);
        }
        let unit = unit(rule.criterion);
        let (Some(learnt), Some(most)) = (self.state.learnt.get(unit), MOST.get(unit)) else {
            return Err(Error::Corrupt);
        };
        let threshold = match rule.criterion {
            Criterion::Relative => rule.threshold / learnt.ratio().clamp(1.0 / 16.0, 16.0),
            // Above the largest delay every candidate is below the threshold.
            _ if rule.threshold > *most => rule.threshold,
            _ => learnt.curve(*most).inverse(rule.threshold),
        };
        Ok(Rule { threshold, ..*rule })
    }

    /// Records that a backfill was accepted and its job started; returns its delay by [`DelayCalibration::reported`].
    /// Call it before any of the jobs that run then ends. Where there is no room, the backfill whose outcome has been
    /// open for longest is forgotten. O(capacity) then, else O(1).
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::NotANumber`].
    pub fn accepted(&mut self, criterion: Criterion, backfill: &AcceptedBackfill) -> Result<f64> {
        let &AcceptedBackfill { job, now, processors, missing, predicted } = backfill;
        check_time(now)?;
        if processors == 0 || missing == 0 {
            return Err(Error::OutOfRange);
        }
        let reported = self.reported(criterion, predicted)?;
        if self.state.count >= self.state.capacity {
            self.forget_oldest()?;
            self.state.dropped = self.state.dropped.saturating_add(1);
        }
        *at_mut(self.pending, self.state.count as usize)? = Pending {
            job,
            now,
            predicted,
            reported,
            missing,
            processors,
            unit: unit(criterion) as u32,
            ..Pending::zeroed()
        };
        self.state.count += 1;
        Ok(reported)
    }

    fn forget_oldest(&mut self) -> Result<()> {
        let last = self.state.count.checked_sub(1).ok_or(Error::Corrupt)?;
        for index in 0..last as usize {
            *at_mut(self.pending, index)? = *at(self.pending, index + 1)?;
        }
        self.state.count = last;
        Ok(())
    }

    /// Records that a job ended (or was killed) that started at `started` and held `processors`. Every job that ran
    /// must be reported, backfilled or not, in the order of their ends. A job that started in the second in which a
    /// backfill was accepted counts as running then, unless it was itself accepted after it. O(pending).
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::TimeWentBack`] for an end before the start.
    pub fn ended(&mut self, job: i64, started: i64, now: i64, processors: u32) -> Result<()> {
        check_time(started)?;
        check_time(now)?;
        if processors == 0 {
            return Err(Error::OutOfRange);
        }
        if now < started {
            return Err(Error::TimeWentBack);
        }
        let count = self.state.count as usize;
        let live = range(self.pending, 0, count)?;
        let own = live.iter().position(|pending| pending.job == job && pending.now == started);
        let mut kept = 0;
        for index in 0..count {
            let mut pending = *at(self.pending, index)?;
            let ran = started < pending.now || (started == pending.now && own.is_none_or(|own| own < index));
            let delay = if own == Some(index) {
                Some(pending.ended(now))
            } else if ran {
                pending.released(processors, now)
            } else {
                None
            };
            match delay {
                Some(delay) => self.observe(&pending, delay)?,
                None => {
                    *at_mut(self.pending, kept)? = pending;
                    kept += 1;
                }
            }
        }
        self.state.count = kept as u32;
        Ok(())
    }

    fn observe(&mut self, pending: &Pending, delay: i64) -> Result<()> {
        let unit = pending.unit as usize;
        let longest = MAX_SECONDS as f64;
        if ![pending.predicted, pending.reported].iter().all(|delay| (0.0..=longest).contains(delay)) {
            return Err(Error::Corrupt);
        }
        let seconds = (delay.max(0) as f64).min(longest);
        let observed = if unit == 0 { f64::from(u8::from(delay > 0)) } else { seconds };
        let edge = *at(&EDGES, unit)?;
        at_mut(&mut self.state.learnt, unit)?.observe(pending.predicted, pending.reported, observed, edge);
        let totals = at_mut(&mut self.state.totals, unit)?;
        totals.known = totals.known.saturating_add(1);
        totals.predicted += pending.predicted;
        totals.reported += pending.reported;
        totals.observed += observed;
        Ok(())
    }

    /// Predicted, reported and observed delays in the unit of this criterion, of all backfills whose outcome is known.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn totals(&self, criterion: Criterion) -> Result<DelayTotals> {
        at(&self.state.totals, unit(criterion)).copied()
    }

    /// Number of backfills whose outcome is not known yet.
    pub fn pending(&self) -> u32 {
        self.state.count
    }

    /// Number of backfills that were forgotten before their outcome was known, because there was no room.
    pub fn dropped(&self) -> u64 {
        self.state.dropped
    }
}

impl Pending {
    /// Handles the end of the backfilled job itself: the head job can start now with it, if it could have started
    /// without it. Returns the delay in seconds.
    fn ended(&self, now: i64) -> i64 {
        if self.known == 0 { 0 } else { now.saturating_sub(self.undisturbed) }
    }

    /// Handles the end of another job that ran when the backfill was accepted; returns the delay in seconds once the
    /// head job could start beside the backfilled job.
    fn released(&mut self, processors: u32, now: i64) -> Option<i64> {
        self.released = self.released.saturating_add(processors);
        if self.released >= self.missing && self.known == 0 {
            (self.known, self.undisturbed) = (1, now);
        }
        let beside = u64::from(self.missing) + u64::from(self.processors);
        (u64::from(self.released) >= beside).then(|| now.saturating_sub(self.undisturbed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn memory(capacity: u32) -> Vec<u64> {
        vec![0; DelayCalibration::size(capacity).unwrap().div_ceil(8)]
    }

    fn backfill(job: i64, now: i64, processors: u32, missing: u32) -> AcceptedBackfill {
        AcceptedBackfill { job, now, processors, missing, predicted: 0.25 }
    }

    /// Random machines; the expected delay is read from the list of all ends, by its definition.
    #[test]
    fn delays_are_those_of_the_definition() {
        let mut state = 11u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut delayed = 0;
        for _ in 0..2000 {
            let mut memory = memory(8);
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
            let mut calibration = DelayCalibration::init(bytes, 8).unwrap();
            // Job, start, end, processors: first the running jobs, then the backfills of second 100 in their order.
            let mut jobs: Vec<(i64, i64, i64, u32)> = (0..1 + below(6) as i64)
                .map(|job| (job, 90 + below(11) as i64, 101 + below(12) as i64, 1 + below(4) as u32))
                .collect();
            let ran = jobs.len();
            let mut missing = 1 + below(6) as u32;
            let mut expected = 0;
            for job in 0..below(4) as i64 {
                let (end, processors) = (100 + below(12) as i64, 1 + below(3) as u32);
                calibration
                    .accepted(Criterion::Seconds, &backfill(100 + job, 100, processors, missing))
                    .unwrap();
                let first = |wanted: u32, more: Option<(i64, u32)>| {
                    let mut ends: Vec<(i64, u32)> =
                        jobs.iter().map(|job| (job.2, job.3)).chain(more).collect();
                    ends.sort();
                    let mut free = 0;
                    ends.into_iter().find(|end| {
                        free += end.1;
                        free >= wanted
                    })
                };
                let undisturbed = first(missing, None);
                let with = first(missing + processors, Some((end, processors)));
                if let (Some(undisturbed), Some(with)) = (undisturbed, with) {
                    expected += with.0 - undisturbed.0;
                }
                jobs.push((100 + job, 100, end, processors));
                missing += processors; // the next one finds so much less idle
            }
            let accepted = jobs.len() - ran;
            jobs.sort_by_key(|job| job.2);
            for (job, started, end, processors) in jobs {
                calibration.ended(job, started, end, processors).unwrap();
            }
            // A head job that needs more than all jobs that ran waits for the backfilled job's end, which is no delay.
            let totals = calibration.totals(Criterion::Seconds).unwrap();
            assert_eq!((totals.known, calibration.pending()), (accepted as u64, 0));
            assert_eq!(totals.observed, expected as f64);
            delayed += u32::from(expected > 0);
        }
        assert!(delayed > 100);
    }

    /// Outcomes whose ratio to the predictions is not 1, and changes halfway.
    #[test]
    fn reported_delays_come_true() {
        let mut memory = memory(64);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
        let mut calibration = DelayCalibration::init(bytes, 64).unwrap();
        assert_eq!(calibration.reported(Criterion::Bound, 0.02), Ok(0.02));
        assert_eq!(calibration.rule(&Rule::EXACT), Ok(Rule::EXACT));
        let mut state = 5u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let rounds = 40_000;
        for round in 0..rounds {
            let now = 10 * round;
            let predicted = 0.5 * uniform() * uniform();
            let truth = if round < rounds / 2 { 0.05 + 1.5 * predicted } else { 0.5 * predicted };
            let accepted = AcceptedBackfill { job: round, now, processors: 1, missing: 1, predicted };
            calibration.accepted(Criterion::Probability, &accepted).unwrap();
            // Another job makes room for the head job before the backfilled one ends, or after it.
            let last = if uniform() < truth { now + 1 } else { now + 3 };
            if last < now + 2 {
                calibration.ended(-1, now - 5, last, 1).unwrap();
            }
            calibration.ended(round, now, now + 2, 1).unwrap();
        }
        let totals = calibration.totals(Criterion::Probability).unwrap();
        assert_eq!(totals.known, rounds as u64);
        assert!((totals.reported / totals.observed - 1.0).abs() < 0.03, "{totals:?}");
        assert!((totals.predicted / totals.observed - 1.0).abs() > 0.1);
        // By now half of the predicted delay is observed.
        let reported = calibration.reported(Criterion::Probability, 0.2).unwrap();
        assert!((0.07..0.13).contains(&reported), "{reported}");
        let rule = calibration.rule(&Rule { threshold: 0.1, ..Rule::EXACT }).unwrap();
        assert!((0.14..0.28).contains(&rule.threshold), "{rule:?}");
    }

    #[test]
    fn goes_on_from_a_checkpoint_and_forgets_the_oldest() {
        let mut first = memory(2);
        let mut calibration = DelayCalibration::init(bytemuck::cast_slice_mut(&mut first), 2).unwrap();
        for job in 0..3 {
            calibration.accepted(Criterion::Relative, &backfill(job, 50 + job, 1, 4)).unwrap();
        }
        assert_eq!((calibration.pending(), calibration.dropped()), (2, 1));
        DelayCalibration::seal(bytemuck::cast_slice_mut(&mut first)).unwrap();
        let mut second = first.clone();
        let mut opened = DelayCalibration::open(bytemuck::cast_slice_mut(&mut second)).unwrap();
        opened.ended(-1, 0, 60, 4).unwrap();
        opened.ended(2, 52, 70, 1).unwrap();
        let totals = DelayTotals { known: 1, predicted: 0.25, reported: 0.25, observed: 10.0 };
        assert_eq!(opened.totals(Criterion::Seconds), Ok(totals));
        assert!(DelayCalibration::open(bytemuck::cast_slice_mut(&mut second)).is_err());
        DelayCalibration::attach(bytemuck::cast_slice_mut(&mut second)).unwrap();
    }

    #[test]
    fn refuses_bad_arguments_and_changes_nothing() {
        assert_eq!(DelayCalibration::size(0), Err(Error::OutOfRange));
        assert_eq!(DelayCalibration::size(MAX_PENDING_BACKFILLS + 1), Err(Error::OutOfRange));
        assert!(DelayCalibration::size(1).unwrap() <= 64 + 1100);
        assert!(DelayCalibration::size(1000).unwrap() <= 64 * 1000 + 1100);
        let mut memory = memory(3);
        let before = {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
            assert_eq!(DelayCalibration::init(&mut bytes[..100], 3).err(), Some(Error::TooSmall));
            DelayCalibration::init(bytes, 3).unwrap();
            memory.clone()
        };
        let mut calibration = DelayCalibration::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        let good = backfill(1, 2, 3, 4);
        for (criterion, backfill, error) in [
            (Criterion::Seconds, AcceptedBackfill { processors: 0, ..good }, Error::OutOfRange),
            (Criterion::Seconds, AcceptedBackfill { missing: 0, ..good }, Error::OutOfRange),
            (Criterion::Seconds, AcceptedBackfill { now: i64::MIN, ..good }, Error::OutOfRange),
            (Criterion::Seconds, AcceptedBackfill { predicted: f64::NAN, ..good }, Error::NotANumber),
            (Criterion::Seconds, AcceptedBackfill { predicted: -1.0, ..good }, Error::OutOfRange),
            (Criterion::Bound, AcceptedBackfill { predicted: 1.1, ..good }, Error::OutOfRange),
        ] {
            assert_eq!(calibration.accepted(criterion, &backfill), Err(error));
        }
        assert_eq!(calibration.ended(1, 5, 4, 1), Err(Error::TimeWentBack));
        assert_eq!(calibration.ended(1, 5, 6, 0), Err(Error::OutOfRange));
        assert_eq!(calibration.ended(1, i64::MIN, 6, 1), Err(Error::OutOfRange));
        let rule = Rule { threshold: f64::NAN, ..Rule::EXACT };
        assert_eq!(calibration.rule(&rule), Err(Error::NotANumber));
        assert_eq!(memory, before);
    }
}
