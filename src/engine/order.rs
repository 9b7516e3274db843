//! The candidates of a decision in the site's order, and EASY backfilling in it.

use super::job::JOB_QUEUES;
use super::object::Scheduler;
use super::settings::{Settings, Way};
use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range_mut};
use crate::plan::{Guard, LONGEST, Limited, Until};
use crate::runtime::MAX_SECONDS;
use bytemuck::{Pod, Zeroable};

/// A waiting job that may start in this cycle, or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Candidate {
    /// Its class in the site's order, smaller ones first: the tier, then the priority.
    pub(super) tier: i64,
    pub(super) priority: i64,
    /// Its place in the order of submission.
    pub(super) place: u32,
    pub(super) slot: u32,
    pub(super) processors: u32,
    /// Whether it was refused for want of room and must not start now.
    pub(super) later: u32,
    /// Number of its task in an array.
    pub(super) task: u32,
    /// Its place in the order of submission, while the candidates are in another.
    pub(super) number: u32,
    /// The job, and its edits, when it was looked at.
    pub(super) id: i64,
    pub(super) edits: u32,
    /// The queue in which it starts.
    pub(super) queue: u32,
    /// Bits of the admitted nodes in a pool of nodes, for each of its queues in order; see
    /// [`Machine`](super::on_nodes::Machine).
    pub(super) bits: [u8; JOB_QUEUES],
}

/// A number whose order is that of the floating-point numbers, reversed: larger ones first.
fn reversed(priority: f64) -> i64 {
    let bits = (priority + 0.0).to_bits() as i64;
    // Negative numbers count downwards in their bits.
    let rising = if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits };
    rising.checked_neg().unwrap_or(i64::MAX)
}

/// The priority of that number.
fn priority_of(reversed: i64) -> f64 {
    let rising = reversed.checked_neg().unwrap_or(i64::MAX);
    f64::from_bits(if rising < 0 { i64::MIN.wrapping_sub(rising) } else { rising } as u64)
}

impl Candidate {
    /// The candidate with its class: its tier, and its priority where that matters.
    pub(super) fn classed(self, tier: i32, priority: f64, by_classes: bool) -> Candidate {
        let priority = if by_classes { reversed(priority) } else { 0 };
        Candidate { tier: -i64::from(tier), priority, ..self }
    }

    /// Id in a plan: tasks of an array keep their places too.
    pub(super) fn planned_as(&self) -> i64 {
        self.id.wrapping_add(i64::from(self.task).wrapping_mul(1 << 40))
    }

    fn class(&self) -> (i64, i64) {
        (self.tier, self.priority)
    }
}

/// The class of a job in the site's order, smaller before larger; under EASY, with points that are worth seconds of
/// waiting, by the time for which it counts as having waited.
pub(super) fn class_of(tier: i32, priority: f64, waited: i64, settings: &Settings) -> [i64; 2] {
    let candidate = Candidate::zeroed().classed(tier, priority, settings.by_classes());
    let by_points = settings.way() != Way::Plan && settings.by_points();
    let priority = if by_points { counted(priority, waited, settings) } else { candidate.priority };
    [candidate.tier, priority]
}

/// The time for which a job counts as having waited where points are worth seconds of waiting, smaller for longer.
fn counted(priority: f64, waited: i64, settings: &Settings) -> i64 {
    let most = MAX_SECONDS as f64;
    let points = (priority * settings.seconds).clamp(-most, most) as i64;
    waited.saturating_add(points).saturating_neg()
}

/// Gives the candidates the classes in which EASY goes through them, where points are worth seconds of waiting:
/// whichever counts as having waited longest comes first. A plan prices these seconds instead.
pub(super) fn count_points(scheduler: &Scheduler<'_>, candidates: &mut [Candidate], now: i64) -> Result<()> {
    let settings = scheduler.settings();
    if !settings.by_points() {
        return Ok(());
    }
    for candidate in candidates {
        let job = scheduler.parts.table.get(candidate.slot)?;
        candidate.priority = counted(job.priority, job.waited(now), &settings);
    }
    Ok(())
}

/// Gives each candidate the highest priority of its band: of each tier, from the highest priority on, bands that are as
/// wide as this percentage of the range of its priorities. The candidates are sorted by class. O(W).
fn tie(candidates: &mut [Candidate], percent: f64) {
    let mut rest = candidates;
    while let Some(tier) = rest.first().map(|first| first.tier) {
        let length = rest.partition_point(|candidate| candidate.tier == tier);
        let Some((same, others)) = rest.split_at_mut_checked(length) else { return };
        rest = others;
        let apart = (same.len() / 20).max(1);
        let ends = [apart, same.len().saturating_sub(apart + 1)];
        let [upper, lower] = ends.map(|end| same.get(end).map_or(0.0, |end| priority_of(end.priority)));
        let wide = (upper - lower).max(0.0) * (percent / 100.0);
        let mut top = i64::MIN;
        for candidate in same {
            if top == i64::MIN || priority_of(top) - priority_of(candidate.priority) > wide {
                top = candidate.priority;
            }
            candidate.priority = top;
        }
    }
}

/// Writes each candidate's rank among the classes, the first the highest, as the plan's tiers, where priorities within
/// `percent` of their range are of one class; the candidates are in the order of submission before and afterwards.
/// O(W log W), O(W) if all are of one class.
pub(super) fn tiers(candidates: &mut [Candidate], tiers: &mut [i32], percent: f64) -> Result<()> {
    let first = candidates.first().map(Candidate::class);
    if candidates.iter().all(|candidate| Some(candidate.class()) == first) {
        tiers.iter_mut().for_each(|tier| *tier = 0);
        return Ok(());
    }
    // The plan's numbers of the jobs are their places here.
    for (candidate, number) in candidates.iter_mut().zip(0..) {
        candidate.number = number;
    }
    heap::sort(candidates)?;
    if percent > 0.0 {
        tie(candidates, percent);
    }
    let (mut tier, mut class) = (0, candidates.first().map(Candidate::class));
    for candidate in candidates.iter_mut() {
        if class != Some(candidate.class()) {
            (tier, class) = (tier - 1, Some(candidate.class()));
        }
        *at_mut(tiers, candidate.number as usize)? = tier;
    }
    // Back into the order of submission.
    for candidate in candidates.iter_mut() {
        (candidate.tier, candidate.priority) = (0, 0);
    }
    heap::sort(candidates)
}

/// Starts by EASY backfilling by the time limits: of the candidates in the site's order all that fit; then those that
/// do not delay the first that does not. `limited` holds the running jobs, with room for those that start. Writes the
/// numbers of the candidates that start, in that order, and returns their number. Without `overtaking` no job passes
/// the first that does not fit.
pub(super) fn easy(
    scheduler: &Scheduler<'_>,
    candidates: &[Candidate],
    limited: (&mut [Limited], usize),
    idle: u32,
    overtaking: bool,
    starting: &mut [u32],
) -> Result<usize> {
    let (limited, mut running) = limited;
    let mut idle = idle;
    let mut started = 0;
    let mut guard: Option<Guard> = None;
    for (number, candidate) in candidates.iter().enumerate() {
        let fits = candidate.processors <= idle && candidate.later == 0;
        let limit = scheduler.limit_of(candidate.slot)?.clamp(1, LONGEST.into()) as u32;
        let starts = match &mut guard {
            None => fits,
            Some(guard) => fits && overtaking && guard.admits(candidate.processors, limit),
        };
        if starts {
            if guard.is_none() {
                *at_mut(limited, running)? = Limited { after: limit, processors: candidate.processors };
                running += 1;
            }
            idle -= candidate.processors;
            *at_mut(starting, started)? = number as u32;
            started += 1;
        } else if guard.is_none() {
            let later = candidate.later != 0;
            let running = range_mut(limited, 0, running)?;
            guard = Some(Guard::new(candidate.processors, idle, later, Until::Earliest, running)?);
        }
    }
    Ok(started)
}

/// The lowest priority of the candidates: points count from it up.
pub(super) fn lowest(scheduler: &Scheduler<'_>, candidates: &[Candidate]) -> Result<f64> {
    candidates.iter().try_fold(f64::INFINITY, |lowest, candidate| {
        scheduler.parts.table.get(candidate.slot).map(|job| job.priority.min(lowest))
    })
}

/// Seconds of waiting that this number of points is worth.
pub(super) fn worth(points: f64, seconds: f64) -> i64 {
    (points * seconds).clamp(0.0, MAX_SECONDS as f64) as i64
}

impl Scheduler<'_> {
    /// The time limit of a job; longer than any for one without.
    fn limit_of(&self, slot: u32) -> Result<i64> {
        let job = self.parts.table.get(slot)?;
        Ok(if job.limit > 0 { job.limit } else { i64::MAX })
    }

    /// Writes the jobs of a pool that may start without a further report, in the order of submission; returns their
    /// number. Where n tasks of an array fit the empty pool, those from the first to below the second number of
    /// `tasks(slot, n)` are written, as far as it has them; a job is its only task, with the number 0.
    pub(super) fn candidates(
        &self,
        pool: u32,
        now: i64,
        tasks: impl Fn(u32, u32) -> (u32, u32),
        candidates: &mut [Candidate],
    ) -> Result<usize> {
        let here = self.pool_at(pool)?;
        let by_classes = self.settings().by_classes();
        let mut count = 0;
        let length = self.parts.table.queue_length();
        for place in 0..length {
            let slot = self.parts.table.queued(place)?;
            let job = self.parts.table.get(slot)?;
            // On nodes, jobs that can never start are found later.
            let too_wide = !here.is_of_nodes() && job.count > here.units;
            if job.pool != pool || !job.may_start(now) || too_wide {
                continue;
            }
            // A job whose reservation has not begun needs no place in the queue: others are kept off its nodes.
            if here.is_of_nodes() && self.is_early(slot, now)? {
                continue;
            }
            let later = u32::from(job.is_busy(here.changes, now));
            let candidate = Candidate {
                place: place as u32,
                slot,
                processors: job.width,
                later,
                id: job.id,
                edits: job.edits,
                queue: *at(&job.queues, 0)?,
                ..Zeroable::zeroed()
            };
            let candidate = candidate.classed(job.tier, job.priority, by_classes);
            let fit = here.units.checked_div(job.width).unwrap_or(1);
            let (first, most) = tasks(slot, fit);
            for task in first..job.startable_tasks().min(most).max(1) {
                // Jobs come before tasks beyond the first where there is no room for all.
                if task > first && count + length >= candidates.len() {
                    break;
                }
                *candidates.get_mut(count).ok_or(Error::Full)? = Candidate { task, ..candidate };
                count += 1;
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn larger_priorities_come_first() {
        let mut priorities = [0.0, -1.5, 3e9, f64::MAX, -f64::MAX, 1e-300, -0.0, 7.0];
        priorities.sort_by_key(|&priority| reversed(priority));
        assert!(priorities.windows(2).all(|pair| pair[0] >= pair[1]), "{priorities:?}");
        assert_eq!(reversed(0.0), reversed(-0.0));
    }

    #[test]
    fn classes_become_tiers_in_the_order_of_submission() {
        let of = |place: u32, tier, priority| {
            Candidate { place, slot: 100 - place, ..Zeroable::zeroed() }.classed(tier, priority, true)
        };
        let mut candidates: Vec<Candidate> = [(0, 1.0), (1, 5.0), (0, 2.0), (1, 5.0), (0, 1.0)]
            .iter()
            .zip(0..)
            .map(|(&(t, p), i)| of(i, t, p))
            .collect();
        let mut found = [9; 5];
        tiers(&mut candidates, &mut found, 0.0).unwrap();
        assert_eq!(found, [-2, 0, -1, 0, -2]);
        assert!(candidates.iter().zip(0..).all(|(candidate, place)| candidate.place == place));
        let mut same: Vec<Candidate> = (0..3).map(|i| of(i, 0, 4.0)).collect();
        tiers(&mut same, &mut found, 0.0).unwrap();
        assert_eq!(found[..3], [0, 0, 0]);
    }

    /// The bands by the definition, of one tier's priorities: the rank of each.
    fn bands(priorities: &[f64], percent: f64) -> Vec<i32> {
        let mut falling = priorities.to_vec();
        falling.sort_by(|one, other| other.total_cmp(one));
        let apart = (falling.len() / 20).max(1);
        let inner = falling.get(apart..falling.len().saturating_sub(apart)).unwrap_or(&[]);
        let wide = inner.first().zip(inner.last()).map_or(0.0, |(high, low)| (high - low) * percent / 100.0);
        let mut tops: Vec<f64> = Vec::new();
        for priority in falling {
            if tops.last().is_none_or(|top| top - priority > wide) {
                tops.push(priority);
            }
        }
        priorities.iter().map(|own| 1 - tops.iter().filter(|top| *top >= own).count() as i32).collect()
    }

    proptest! {
        #[test]
        fn near_priorities_are_of_one_class(
            priorities in proptest::collection::vec(prop_oneof![-40_i32..40, Just(1_000_000)], 1..60),
            percent in prop_oneof![Just(0.0), Just(100.0), 0.0..100.0_f64],
        ) {
            let priorities: Vec<f64> = priorities.into_iter().map(f64::from).collect();
            let mut candidates: Vec<Candidate> = priorities
                .iter()
                .zip(0..)
                .map(|(&priority, place)| Candidate { place, ..Zeroable::zeroed() }.classed(3, priority, true))
                .collect();
            let mut found = std::vec![9; candidates.len()];
            tiers(&mut candidates, &mut found, percent).unwrap();
            prop_assert_eq!(found, bands(&priorities, percent));
            // Back in the order of submission.
            prop_assert!(candidates.iter().zip(0..).all(|(candidate, place)| candidate.place == place));
        }
    }
}
