//! Users without a trace: who submits the next job, and for how long he asks.
//!
//! A few users are at work at a time. Each job is one of theirs, anybody's with the same probability; after each the
//! user leaves with a probability that makes a session of eight jobs on average, and another user comes, the i-th of
//! them in proportion to 1 / i (Zipf). He asks for what [`super::people`] says where no trace is known: the run time
//! over an accuracy that is flat in (0, 1] with a peak at 1, rounded up; a request that suffices is kept in seven cases
//! of ten.

use super::people::{KEPT, guess};
use std::num::NonZeroU32;
use surefill_simulator::base::random::Random;

/// Users at work at a time.
const AT_WORK: usize = 4;

/// Jobs of a session, on average.
const SESSION: f64 = 8.0;

/// Users, and which of them are at work.
#[derive(Debug, Clone)]
pub struct Visits {
    /// Sums of the users' activities.
    activity: Vec<f64>,
    /// The last request of each user, 0 before the first.
    requests: Vec<i64>,
    at_work: [Option<usize>; AT_WORK],
}

/// The submitter of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visitor {
    /// Which of the users, from 0.
    pub user: usize,
    /// Whether the job is the first of a session.
    pub comes: bool,
}

impl Visits {
    /// These users, none of whom is at work.
    pub fn new(users: NonZeroU32) -> Visits {
        let activity = (1..=users.get()).scan(0.0, |sum, rank| {
            *sum += 1.0 / f64::from(rank);
            Some(*sum)
        });
        let activity: Vec<f64> = activity.collect();
        Visits { requests: vec![0; activity.len()], activity, at_work: [None; AT_WORK] }
    }

    /// The submitter of the next job.
    pub fn next(&mut self, random: &mut Random) -> Visitor {
        let place = random.index(AT_WORK);
        let (user, comes) = match self.at_work[place] {
            Some(user) => (user, false),
            None => {
                let all = self.activity.last().copied().unwrap_or(1.0);
                let drawn = random.uniform() * all;
                (self.activity.partition_point(|&sum| sum <= drawn).min(self.activity.len() - 1), true)
            }
        };
        self.at_work[place] = (!random.chance(1.0 / SESSION)).then_some(user);
        Visitor { user, comes }
    }

    /// For how long a user asks, in seconds: no less than the run time.
    pub fn request(&mut self, user: usize, run_time: i64, random: &mut Random) -> i64 {
        let last = &mut self.requests[user];
        if *last < run_time.max(1) || !random.chance(KEPT) {
            *last = guess(run_time, random);
        }
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_users_and_requests() {
        let mut visits = Visits::new(NonZeroU32::new(10).unwrap());
        let mut random = Random::new(1);
        let (mut sessions, mut by_user, mut kept) = (0, [0u32; 10], 0);
        let mut before = [0; 10];
        for _ in 0..80_000 {
            let Visitor { user, comes } = visits.next(&mut random);
            sessions += u32::from(comes);
            by_user[user] += 1;
            let request = visits.request(user, 1000, &mut random);
            assert!(request >= 1000);
            kept += u32::from(before[user] == request);
            before[user] = request;
        }
        assert!((9_600..10_400).contains(&sessions), "{sessions}");
        // The shares of Zipf's law: 1 and a half over 2.93.
        for (user, expected) in [(0, 0.3414), (1, 0.1707)] {
            assert!((f64::from(by_user[user]) / 80_000.0 - expected).abs() < 0.02);
        }
        // Guesses repeat each other now and then.
        assert!((0.7..0.85).contains(&(f64::from(kept) / 80_000.0)), "{kept}");
    }
}
