//! Waits that are not over (beyond QBETS): a job that waits still has a wait of at least its age, so that a jam shows
//! before it is over.
//!
//! The last [`LAST`] submissions of jobs as wide as the one in question, by halves of the widths, are looked at. Let
//! k of them have waited for a seconds and wait still, and m be all of them but those that wait and came later, whose
//! waits may become either. Then the share of waits of more than a seconds is at least k / m, less two standard
//! deviations of k. No bound is below the longest a for which that is more than the quantile allows, and no start
//! within a seconds is more probable than the rest. Where it is more than half of them, and the known waits have a
//! bound below a, these are refuted, and there is no bound. Nor is there one in a queue more than twice as long as
//! any before of which the outcome is known: waits grow with it, and it is not known how. Jobs that do not wait any
//! more count as if they had started at once, so this is a floor and no estimate (the estimate of Kaplan & Meier 1958
//! needs the waits of all, in the order of submission).

use crate::error::{Error, Result};
use crate::memory::at;
use crate::wait::WaitAnswer;
use crate::wait::levels::Groups;
use crate::wait::predictor::WaitPredictor;

/// Number of submissions that count, and the smallest m that says anything.
const LAST: u32 = 100;
const FEWEST: u32 = 20;

/// Waiting jobs that are looked at for one question.
const LOOKS: u32 = 4 * LAST;

/// The share of like jobs that are most of them.
const HALF: f64 = 0.5;

/// The factor, and the number beyond it, by which a queue is longer than any of which the outcome is known.
const TIMES: u64 = 2;
const MORE: u64 = 20;

/// The least bounds by the jobs that wait, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Least {
    /// The least bound for a quantile.
    pub bound: i64,
    /// The age that most like jobs have reached and wait still: the known waits are refuted where their bound is below.
    pub of_most: i64,
    /// Whether the queue is so long that the known waits are of another situation.
    pub beyond: bool,
}

impl Least {
    /// The answer by the known waits, raised or refuted.
    pub(super) fn raise(self, answer: WaitAnswer) -> WaitAnswer {
        match answer {
            WaitAnswer::Bound(bound) if self.beyond || bound < self.of_most => WaitAnswer::Exceeded,
            WaitAnswer::Bound(bound) => WaitAnswer::Bound(bound.max(self.bound)),
            answer => answer,
        }
    }
}

impl WaitPredictor<'_> {
    /// Ages of the jobs of these groups that wait among the last submissions, the oldest first, each with the least
    /// share of waits that are longer, and the largest such share of all, as long as `each` returns true. O(1):
    /// [`LOOKS`] jobs at most.
    fn unfinished(
        &self,
        groups: Groups,
        now: i64,
        mut each: impl FnMut(u64, f64, f64) -> bool,
    ) -> Result<()> {
        let (occupancy, wide) = (&self.state.occupancy, groups.is_wide());
        let submitted = occupancy.submitted(wide);
        let slot = |place: u32| place.checked_sub(1).map(|slot| at(self.parts.slots, slot as usize));
        let (mut place, mut oldest, mut looks, mut waiting_now) = (occupancy.last(), 0, 0, 0_u32);
        while let Some(waiting) = slot(place).filter(|_| looks < LOOKS).transpose()? {
            if waiting.groups.is_wide() == wide {
                if submitted.wrapping_sub(waiting.among) >= LAST || waiting.given_up == 1 {
                    break;
                }
                (oldest, waiting_now) = (place, waiting_now + 1);
            }
            (place, looks) = (waiting.before(), looks + 1);
        }
        let counted = LAST.min(submitted);
        let surely = |still: u32| f64::from(still) - 2.0 * libm::sqrt(f64::from(still));
        // That of the youngest: the share rises from one to the next.
        let largest = surely(waiting_now) / f64::from(counted.max(FEWEST));
        let (mut place, mut still) = (oldest, 0_u32);
        for _ in 0..LOOKS {
            let Some(waiting) = slot(place).transpose()? else { break };
            place = waiting.after();
            if waiting.groups.is_wide() != wide {
                continue;
            }
            still += 1;
            let all = counted.saturating_sub(waiting_now.saturating_sub(still));
            if all >= FEWEST {
                let age = now.saturating_sub(waiting.submitted).max(0).unsigned_abs();
                if !each(age, surely(still) / f64::from(all), largest) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The least bounds for this quantile of the wait of a job of these groups; 0 where no like job waits.
    pub(super) fn least(&self, groups: Groups, quantile: f64, now: i64) -> Result<Least> {
        let (mut bound, mut of_most) = (None, None);
        if self.visible().is_some() {
            // The oldest come first: the first that counts is the longest.
            self.unfinished(groups, now, |age, longer, largest| {
                if longer > 1.0 - quantile && bound.is_none() {
                    bound = Some(age);
                }
                if longer > HALF && of_most.is_none() {
                    of_most = Some(age);
                }
                bound.is_none() || (of_most.is_none() && largest > HALF)
            })?;
        }
        let seconds = |age: Option<u64>| i64::try_from(age.unwrap_or(0)).map_err(|_| Error::Corrupt);
        let beyond = self.visible().is_some() && self.is_beyond(self.state.occupancy.present());
        Ok(Least { bound: seconds(bound)?, of_most: seconds(of_most)?, beyond })
    }

    /// Whether a job behind as many others is in a situation that no job was in of which a wait is known.
    pub(super) fn is_beyond(&self, ahead: u32) -> bool {
        let most = self.state.most_ahead;
        most > 0 && u64::from(ahead) > TIMES * most + MORE
    }

    /// The largest probability of a wait of at most `within` seconds of a job of these groups.
    pub(super) fn no_likelier(&self, groups: Groups, within: u64, now: i64) -> Result<f64> {
        let mut most = 1.0_f64;
        if self.visible().is_some() {
            // The oldest come first: behind one that is younger none is older.
            self.unfinished(groups, now, |age, longer, _| {
                let counts = age >= within;
                if counts {
                    most = most.min(1.0 - longer);
                }
                counts
            })?;
        }
        Ok(most)
    }
}

#[cfg(test)]
mod tests {
    use super::{Least, Result};
    use crate::wait::{Features, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor};
    use std::vec;

    const NOTHING: Result<Least> = Ok(Least { bound: 0, of_most: 0, beyond: false });

    /// Two thousand jobs that wait for a second, and then some that wait on.
    fn ask(jam: i64, answer: impl FnOnce(&mut WaitPredictor<'_>, i64)) {
        let limits = WaitCapacity { queued: 500, ..WaitCapacity::default() };
        let mut memory = vec![0_u64; WaitPredictor::size(&limits).unwrap().div_ceil(8)];
        let options = WaitOptions::default();
        let mut queue =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
        let job = |id: i64| Features { requested: 3600, processors: 1 + (id % 8) as u32 };
        for id in 0..2000 {
            queue.submit(id, 600 * id, &job(id)).unwrap();
            queue.start(id, 600 * id + 1).unwrap();
        }
        let from = 600 * 2000;
        for id in 0..jam {
            queue.submit(2000 + id, from + 60 * id, &job(id)).unwrap();
        }
        answer(&mut queue, from + 36_000);
    }

    #[test]
    fn a_jam_refutes_the_known_waits() {
        let job = Features { requested: 3600, processors: 2 };
        let bound = |queue: &WaitPredictor<'_>, quantile, now| match queue.predict(&job, quantile, 0.95, now)
        {
            Ok(WaitAnswer::Bound(bound)) => Some(bound),
            Ok(_) => None,
            Err(error) => panic!("{error}"),
        };
        ask(0, |queue, now| {
            // The machine is idle.
            assert_eq!(bound(queue, 0.5, now), Some(1));
        });
        ask(400, |queue, now| {
            // All of the last 100 like jobs have waited for three hours and more.
            queue.set_clock(now).unwrap();
            // The known waits are refuted, for a job that comes, for one that waits, and in probabilities of later
            // starts.
            let last = 36_000 - 60 * 399;
            assert_eq!([0.25, 0.5, 0.95].map(|quantile| bound(queue, quantile, now)), [None; 3]);
            let lower = |quantile| queue.predict_lower(&job, quantile, 0.95, now).unwrap();
            assert_eq!([0.5, 0.95].map(lower), [WaitAnswer::Bound(1); 2]);
            assert_eq!(queue.predict_waiting(2399, 0.95, 0.95, now), Ok(WaitAnswer::Exceeded));
            let chance = queue.start_probability(&job, 0, 3600, 0.95).unwrap();
            assert!(chance.observed < 0.25 && chance.at_least <= chance.observed, "{chance:?}");
            let later = queue.start_probability(&job, 0, 2 * last, 0.95).unwrap();
            assert!(later.waits == 0 || later.observed < 0.5, "{later:?}");
            // They start: the next one is not known to wait.
            for id in 2000..2400 {
                queue.start(id, now).unwrap();
            }
            assert_eq!(queue.least(queue.asked(&job, now).unwrap().groups, 0.5, now), NOTHING);
        });
    }

    /// A queue of which three jobs at most were behind others has sixty: a new job's bound is refuted, though none of
    /// them has waited for long; that of the first in the queue is not, and the next one's is not once it is short.
    #[test]
    fn a_queue_longer_than_any_before_has_no_bound() {
        let limits = WaitCapacity { queued: 500, ..WaitCapacity::default() };
        let mut memory = vec![0_u64; WaitPredictor::size(&limits).unwrap().div_ceil(8)];
        let mut queue =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &WaitOptions::default())
                .unwrap();
        let job = Features { requested: 3600, processors: 2 };
        for id in 0..2000 {
            queue.submit(id, 600 * id, &job).unwrap();
            if id >= 3 {
                queue.start(id - 3, 600 * id).unwrap();
            }
        }
        let now = 600 * 2000;
        let ask = |queue: &WaitPredictor<'_>, now| queue.predict(&job, 0.95, 0.95, now).unwrap();
        assert!(matches!(ask(&queue, now), WaitAnswer::Bound(bound) if bound >= 1200));
        for id in 2000..2060 {
            queue.submit(id, now + id - 2000, &job).unwrap();
        }
        let now = now + 60;
        assert_eq!(ask(&queue, now), WaitAnswer::Exceeded);
        assert!(matches!(queue.predict_waiting(1997, 0.95, 0.95, now), Ok(WaitAnswer::Bound(_))));
        assert_eq!(queue.predict_waiting(2059, 0.95, 0.95, now), Ok(WaitAnswer::Exceeded));
        queue.set_clock(now).unwrap();
        assert_eq!(queue.start_probability(&job, 0, 7200, 0.95).unwrap().waits, 0);
        for id in 1997..2050 {
            queue.cancel(id, now).unwrap();
        }
        assert!(matches!(ask(&queue, now), WaitAnswer::Bound(_)));
    }

    /// Held jobs of one user are no jam for others, whose jobs start at once after them.
    #[test]
    fn later_jobs_that_have_started_count() {
        ask(100, |queue, now| {
            for id in 3000..3280_i64 {
                let job = Features { requested: 3600, processors: 1 + (id % 8) as u32 };
                queue.submit(id, now + id - 3000, &job).unwrap();
                queue.start(id, now + id - 2999).unwrap();
            }
            let groups = queue.asked(&Features { requested: 3600, processors: 2 }, now + 300).unwrap().groups;
            assert_eq!(queue.least(groups, 0.5, now + 300), NOTHING);
            assert_eq!(queue.no_likelier(groups, 60, now + 300), Ok(1.0));
        });
    }

    /// Few jobs that wait among many that do not are no jam.
    #[test]
    fn few_that_wait_say_nothing() {
        ask(9, |queue, now| {
            for wide in 1..=8 {
                let job = Features { requested: 3600, processors: wide };
                let groups = queue.asked(&job, now).unwrap().groups;
                assert_eq!(queue.least(groups, 0.5, now), NOTHING);
                assert_eq!(queue.no_likelier(groups, 60, now).map(|most| most > 0.9), Ok(true));
            }
        });
    }
}
