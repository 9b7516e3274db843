//! Backlog of the machine while jobs come, by EASY: the work that waits and the work left of running jobs, as users
//! see them when they look at the queue.

use super::history::Past;

/// A job that runs.
#[derive(Debug, Clone, Copy)]
struct Running {
    end: i64,
    /// When its limit ends.
    limit: i64,
    processors: i64,
}

/// A job that waits.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    processors: i64,
    run_time: i64,
    limit: i64,
}

impl Waiting {
    fn work(&self) -> f64 {
        self.processors as f64 * self.run_time as f64
    }
}

/// A machine under EASY (Lifka 1995): first come, first served, and whoever does not delay the first that waits, by the
/// limits of those that run, starts before.
#[derive(Debug, Clone)]
pub struct Backlog {
    procs: i64,
    free: i64,
    running: Vec<Running>,
    queue: Vec<Waiting>,
    /// Processor-seconds of the queue.
    waiting: f64,
}

impl Backlog {
    /// An idle machine with this number of processors, which must not be 0.
    pub fn new(procs: u32) -> Backlog {
        let procs = i64::from(procs);
        Backlog { procs, free: procs, running: Vec::new(), queue: Vec::new(), waiting: 0.0 }
    }

    /// Lets time pass until `now`. O(running + queue) for every job that ends.
    pub fn advance(&mut self, now: i64) {
        while let Some(next) = self.running.iter().map(|job| job.end).min().filter(|&next| next <= now) {
            let free = &mut self.free;
            self.running.retain(|job| {
                let ends = job.end <= next;
                *free += if ends { job.processors } else { 0 };
                !ends
            });
            self.schedule(next);
        }
    }

    /// Submits a job at `now`, up to which time has passed. One that is wider than the machine has all of it; one that
    /// asked for less than it runs, or for nothing, is known to run as long as it does.
    pub fn submit(&mut self, job: &Past, now: i64) {
        let job = Waiting {
            processors: i64::from(job.processors).min(self.procs),
            run_time: job.run_time,
            limit: job.requested.max(job.run_time),
        };
        self.waiting += job.work();
        self.queue.push(job);
        if job.processors <= self.free {
            self.schedule(now);
        }
    }

    /// Hours for which what waits would keep the whole machine busy.
    pub fn waiting_h(&self) -> f64 {
        self.hours(self.waiting)
    }

    /// Hours for which what is left of the running jobs at `now` would. O(running).
    pub fn running_h(&self, now: i64) -> f64 {
        let left = self.running.iter().map(|job| (job.end - now) as f64 * job.processors as f64);
        self.hours(left.sum())
    }

    fn hours(&self, work: f64) -> f64 {
        work / self.procs as f64 / 3600.0
    }

    fn schedule(&mut self, now: i64) {
        while self.queue.first().is_some_and(|job| job.processors <= self.free) {
            self.start(0, now);
        }
        let Some(head) = self.queue.first().copied().filter(|_| self.free > 0) else { return };
        // When there is room for the first, by the limits, and how much there is beside it then.
        let mut ends: Vec<(i64, i64)> =
            self.running.iter().map(|job| (job.limit.max(now), job.processors)).collect();
        ends.sort_unstable();
        let mut free = self.free;
        let mut shadow = i64::MAX;
        for (end, processors) in ends {
            free += processors;
            if free >= head.processors {
                shadow = end;
                break;
            }
        }
        let mut beside = free - head.processors;
        let mut place = 1;
        while let Some(job) = self.queue.get(place).copied().filter(|_| self.free > 0) {
            let ends_before = now.saturating_add(job.limit) <= shadow;
            if job.processors <= self.free && (ends_before || job.processors <= beside) {
                beside -= if ends_before { 0 } else { job.processors };
                self.start(place, now);
            } else {
                place += 1;
            }
        }
    }

    fn start(&mut self, place: usize, now: i64) {
        let job = self.queue.remove(place);
        // The work that waits is 0 without waiting jobs, whatever the sums have lost.
        self.waiting = if self.queue.is_empty() { 0.0 } else { self.waiting - job.work() };
        self.free -= job.processors;
        self.running.push(Running {
            end: now.saturating_add(job.run_time),
            limit: now.saturating_add(job.limit),
            processors: job.processors,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Kind;

    fn job(processors: u32, run_time: i64, requested: i64) -> Past {
        Past { submit: 0, wait: -1, run_time, processors, requested, user: 1, kind: Kind::default() }
    }

    /// Ten processors. Six are taken for an hour of two asked for; the job of eight has to wait, the one of four for
    /// two hours starts beside it, that of three for longer delays the first and waits, too.
    #[test]
    fn easy_by_hand() {
        let mut backlog = Backlog::new(10);
        backlog.submit(&job(6, 3600, 7200), 0);
        assert_eq!((backlog.waiting_h(), backlog.running_h(0)), (0.0, 0.6));
        backlog.submit(&job(8, 3600, 3600), 0);
        backlog.submit(&job(3, 7300, 7300), 0);
        assert!((backlog.waiting_h() - (0.8 + 0.3 * 7300.0 / 3600.0)).abs() < 1e-12);
        backlog.submit(&job(4, 3600, 7200), 0);
        assert_eq!(backlog.running_h(0), 1.0);
        // All that runs is over after an hour: the first starts, and the job of three has to wait for it.
        backlog.advance(3600);
        assert!((backlog.waiting_h() - 0.3 * 7300.0 / 3600.0).abs() < 1e-12);
        assert_eq!(backlog.running_h(3600), 0.8);
        // Two processors are idle beside the wide job: enough for a job of two, whatever its limit.
        backlog.submit(&job(2, 36_000, 36_000), 3700);
        assert!((backlog.running_h(3700) - (0.8 * 3500.0 / 3600.0 + 2.0)).abs() < 1e-12);
        backlog.advance(100_000);
        assert_eq!((backlog.waiting_h(), backlog.running_h(100_000)), (0.0, 0.0));
    }

    /// Wider than the machine, without a limit, and past it.
    #[test]
    fn odd_jobs() {
        let mut backlog = Backlog::new(2);
        backlog.submit(&job(9, 10, -1), 0);
        backlog.submit(&job(1, 20, 5), 0);
        assert_eq!((backlog.free, backlog.queue.len()), (0, 1));
        backlog.advance(10);
        assert_eq!((backlog.running[0].end, backlog.running[0].limit), (30, 30));
    }
}
