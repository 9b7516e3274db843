//! Conservative backfilling (Mu'alem & Feitelson 2001): every waiting job has a reservation.
//!
//! A job gets the earliest reservation that disturbs no earlier one when it is submitted. When a job ends before its
//! limit the reservations are compressed: taken up again in order of their times, each as early as it can be. No
//! reservation gets later by that: at any time from a job's old reservation on, the jobs taken up before it need no
//! more processors than they did before, because each of them starts no later than it did.
//!
//! Only a job that runs past its limit breaks the promise. It is expected to end one second from now, and the
//! reservations that counted on its end are made anew in the same order.

use crate::replay::machine::Cluster;
use crate::replay::policy::Policy;
use crate::replay::policy::bounds::Bounds;
use crate::replay::policy::profile::Profile;
use crate::trace::workload::{Job, JobId};

/// Conservative backfilling by limits.
#[derive(Debug, Default)]
pub struct Conservative {
    /// Reserved start of each waiting job, in order of these times, equal ones first come first served.
    reservations: Vec<(i64, JobId)>,
    /// Submitted since the last pass.
    new: Vec<JobId>,
    /// The processors free beside running jobs and reservations; `None` when a job's end has made it wrong.
    profile: Option<Profile>,
}

impl Conservative {
    /// Reserved start of each waiting job, in seconds, in order of these times.
    pub fn reservations(&self) -> &[(i64, JobId)] {
        &self.reservations
    }

    /// The profile of the running jobs alone.
    fn running(cluster: &Cluster<'_>) -> Profile {
        let now = cluster.now();
        let ends = cluster.running().iter();
        let mut releases: Vec<(i64, u32)> =
            ends.map(|job| ((job.start + job.limit).max(now + 1), job.processors)).collect();
        releases.sort_unstable();
        Profile::new(now, cluster.idle(), releases)
    }
}

/// Seconds for which a job's reservation lasts.
fn reserved(job: &Job) -> i64 {
    job.limit.max(1)
}

/// Reserves a job's processors as early as they are free.
fn reserve(profile: &mut Profile, bounds: &mut Bounds, job: &Job, now: i64) -> (i64, JobId) {
    let (processors, duration) = (job.processors, reserved(job));
    let from = bounds.of(processors, duration);
    // Jobs are no wider than the machine, and in the end all of it is free.
    let start = profile.earliest_from(from, processors, duration).unwrap_or(now);
    bounds.found(processors, duration, start);
    profile.take(start, duration, processors);
    (start, job.id)
}

impl Policy for Conservative {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.new.push(job.id);
    }

    fn ended(&mut self, job: &Job, _now: i64) {
        // The profile expects the end of a job that ended at its limit.
        if job.run_time != reserved(job) {
            self.profile = None;
        }
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        let now = cluster.now();
        let overrun = cluster.running().iter().any(|job| job.start + job.limit <= now);
        let mut bounds = Bounds::new(self.reservations.len() + self.new.len());
        let profile = match self.profile.take() {
            Some(mut profile) if !overrun => {
                profile.advance(now);
                self.profile.insert(profile)
            }
            _ => {
                let mut profile = Conservative::running(cluster);
                cluster.judged(self.reservations.len() as u64);
                for reservation in &mut self.reservations {
                    *reservation = reserve(&mut profile, &mut bounds, cluster.job(reservation.1), now);
                }
                self.profile.insert(profile)
            }
        };
        cluster.judged(self.new.len() as u64);
        for id in self.new.drain(..) {
            self.reservations.push(reserve(profile, &mut bounds, cluster.job(id), now));
        }
        self.reservations.sort_unstable();
        let due = self.reservations.partition_point(|reservation| reservation.0 <= now);
        let mut due: Vec<JobId> = self.reservations.drain(..due).map(|(_, id)| id).collect();
        due.sort_unstable();
        for id in due {
            if cluster.queue().front() == Some(&id) {
                cluster.start_head();
            } else {
                cluster.backfill(id, 0.0, 0.0);
            }
        }
    }
}
