//! EASY backfilling (Lifka 1995; Mu'alem & Feitelson 2001), with any predictor of run times, and EASY++.
//!
//! The head job has a reservation: the shadow time at which, by the expected ends of the running jobs, enough
//! processors will be free for it. Another job may start if it is expected to end by then, or fits the processors that
//! the head job leaves over at that time. Jobs are killed by their limits only, never by predictions.
//!
//! EASY++ (Tsafrir, Etsion & Feitelson 2007, "Backfilling using system-generated predictions rather than user runtime
//! estimates") is this with the mean of the user's last two run times as prediction and the shortest predicted
//! candidates first. A running job that outlives its prediction gets a new one, by the paper's growing increments; that
//! alone causes no scheduling pass.

use crate::replay::machine::{Cluster, Running};
use crate::replay::policy::order::Ordering;
use crate::replay::policy::{HeadStart, Judged, OrderOptions, Overdue, Policy, Tried};
use crate::replay::predict::PointPredictor;
use crate::replay::predict::point::{Correction, MeanOfLastTwo};
use crate::trace::workload::{Job, JobId};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;

/// Seconds added to a prediction that a job has outlived: the first time, the second time and so on (Tsafrir et al.
/// 2007, section 4); the last again and again.
const INCREMENTS: [i64; 11] = [
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    20 * HOUR,
    50 * HOUR,
    100 * HOUR,
];

/// EASY backfilling by predicted run times.
pub struct Easy {
    predictor: Box<dyn PointPredictor>,
    ordering: Ordering,
    overdue: Overdue,
    /// Prediction for each job at its submission, in seconds, by id.
    predicted: Vec<i64>,
    releases: Vec<(i64, u32)>,
    candidates: Vec<JobId>,
    watched: Option<JobId>,
    tried: Option<Tried>,
}

impl Easy {
    /// EASY with this predictor ([`crate::replay::predict::point::Limit`] for plain EASY).
    pub fn new(predictor: Box<dyn PointPredictor>, order: &OrderOptions, overdue: Overdue) -> Easy {
        Easy {
            predictor,
            ordering: Ordering::new(order),
            overdue,
            predicted: Vec::new(),
            releases: Vec::new(),
            candidates: Vec::new(),
            watched: None,
            tried: None,
        }
    }

    /// EASY++, whose own order is [`Order::Sjbf`](crate::replay::policy::Order::Sjbf).
    pub fn plus_plus(order: &OrderOptions, overdue: Overdue) -> Easy {
        Easy::new(Box::<MeanOfLastTwo>::default(), order, overdue)
    }

    /// The shadow time and the processors that the head job leaves over then.
    fn reservation(&mut self, cluster: &Cluster<'_>, head: &Job) -> (i64, u32) {
        let now = cluster.now();
        let ends = cluster.running().iter().map(|running| {
            let predicted = running.start + self.predicted[running.job];
            (
                expected_end(running, predicted, now, self.predictor.correction(), self.overdue),
                running.processors,
            )
        });
        self.releases.clear();
        self.releases.extend(ends);
        self.releases.sort_unstable();
        let mut free = cluster.idle();
        let mut shadow = now;
        for &(end, processors) in &self.releases {
            // Jobs that end in the shadow second count as ended.
            if free >= head.processors && end > shadow {
                break;
            }
            free += processors;
            shadow = end;
        }
        (shadow, free - head.processors)
    }
}

/// Expected end of a running job: as predicted while that is ahead, then corrected step by step but not beyond its
/// limit, and past its limit by `overdue`.
pub(super) fn expected_end(
    running: &Running,
    predicted: i64,
    now: i64,
    correction: Correction,
    overdue: Overdue,
) -> i64 {
    let limit = running.start + running.limit;
    let mut end = predicted;
    let mut increments = INCREMENTS.iter();
    let mut increment = MINUTE;
    while end <= now && end < limit {
        let longer = match correction {
            Correction::Increments => {
                increment = increments.next().copied().unwrap_or(increment);
                increment
            }
            Correction::Doubling => (end - running.start).max(1),
            Correction::Limit => limit - end,
        };
        end = limit.min(end + longer);
    }
    if end > now || overdue == Overdue::Past { end } else { now + 1 }
}

impl Policy for Easy {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.ordering.submitted(job);
        // Ids count up from 0 in order of submission.
        self.predicted.push(self.predictor.predict(job));
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.ordering.started(job, now);
        self.predictor.started(job, now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.ordering.ended(job, now);
        self.predictor.finished(job);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        let predicted = &self.predicted;
        self.ordering.sort_queue(cluster, |id| predicted[id]);
        cluster.start_heads();
        let Some(head) = cluster.head() else { return };
        if cluster.idle() == 0 || cluster.queue().len() == 1 {
            return;
        }
        let (now, idle) = (cluster.now(), cluster.idle());
        let (shadow, mut extra) = self.reservation(cluster, head);
        let waiting = cluster.queue().iter().skip(1).copied();
        self.candidates.clear();
        self.candidates.extend(waiting.filter(|&id| cluster.fits(cluster.job(id))));
        self.ordering.sort_candidates(&mut self.candidates, cluster, |id| self.predicted[id]);
        for &id in &self.candidates {
            let job = cluster.job(id);
            if !cluster.fits(job) {
                continue;
            }
            cluster.judged(1);
            let end = now + self.predicted[id];
            let in_time = end <= shadow;
            let accepted = in_time || job.processors <= extra;
            if self.watched == Some(id) {
                self.tried =
                    Some(Tried { idle, judged: Judged::Reservation { end, shadow, extra, accepted } });
            }
            if accepted {
                cluster.backfill(id, 0.0, 0.0);
                if !in_time {
                    extra -= job.processors;
                }
            }
        }
    }

    fn watch(&mut self, job: JobId) {
        self.watched = Some(job);
    }

    fn tried(&mut self) -> Option<Tried> {
        self.tried.take()
    }

    fn head_starts(&mut self, cluster: &Cluster<'_>) -> Vec<HeadStart> {
        let shadow = cluster.head().map(|head| self.reservation(cluster, head).0);
        shadow.into_iter().map(|time| HeadStart { probability: 1.0, time }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlived_predictions_grow_by_increments_up_to_the_limit() {
        let running = Running { job: 0, start: 1000, processors: 1, limit: 1000 };
        let end = |predicted: i64, now: i64| {
            expected_end(&running, 1000 + predicted, 1000 + now, Correction::Increments, Overdue::Soon) - 1000
        };
        assert_eq!(end(15, 14), 15);
        assert_eq!(end(15, 15), 15 + 60);
        assert_eq!(end(15, 74), 15 + 60);
        assert_eq!(end(15, 75), 15 + 60 + 300);
        // The next would be 900 s more.
        assert_eq!(end(15, 375), 1000);
        assert_eq!(end(15, 999), 1000);
        assert_eq!(end(15, 1000), 1001);
        assert_eq!(end(15, 5000), 5001);
        // Predicted beyond the limit: doubled estimates, clairvoyance.
        assert_eq!(end(2000, 1500), 2000);
        assert_eq!(end(2000, 2000), 2001);
    }

    #[test]
    fn other_corrections() {
        let running = Running { job: 0, start: 1000, processors: 1, limit: 1000 };
        let end = |correction: Correction, now: i64| {
            expected_end(&running, 1000 + 15, 1000 + now, correction, Overdue::Soon) - 1000
        };
        assert_eq!(
            [14, 15, 30, 59, 60, 480, 960].map(|now| end(Correction::Doubling, now)),
            [15, 30, 60, 60, 120, 960, 1000]
        );
        assert_eq!([14, 15, 999, 1000].map(|now| end(Correction::Limit, now)), [15, 1000, 1000, 1001]);
    }

    #[test]
    fn increments_go_on_without_end() {
        let running = Running { job: 0, start: 0, processors: 1, limit: 10_000 * HOUR };
        let all: i64 = INCREMENTS.iter().sum();
        assert_eq!(expected_end(&running, 1, all, Correction::Increments, Overdue::Soon), all + 1);
        assert_eq!(
            expected_end(&running, 1, all + 1, Correction::Increments, Overdue::Soon),
            all + 1 + 100 * HOUR
        );
    }

    #[test]
    fn overdue_jobs_may_be_expected_in_the_past() {
        let running = Running { job: 0, start: 0, processors: 1, limit: 100 };
        assert_eq!(expected_end(&running, 100, 99, Correction::Increments, Overdue::Past), 100);
        assert_eq!(expected_end(&running, 100, 150, Correction::Increments, Overdue::Past), 100);
        assert_eq!(expected_end(&running, 30, 150, Correction::Increments, Overdue::Past), 100);
    }
}
