//! The `independent` model: every parameter from its own distribution in a trace, the rival that knows neither sequence
//! nor correlation (the paper's PDF and SPM).
//!
//! Processors, run time, gap between submissions, user and requested time of a job are those of five random jobs of the
//! trace. A request below the run time is raised to it, as jobs do not outlive their requests; where the trace has
//! none, the request is drawn as [`super::people`] says.

use super::people::People;
use surefill_simulator::base::random::Random;
use surefill_simulator::generate::{History, job};
use surefill_simulator::trace::swf::{MAX_VALUE, SwfJob};

/// The distributions.
#[derive(Debug, Clone)]
pub struct Independent {
    processors: Vec<u32>,
    run_times: Vec<i64>,
    gaps: Vec<i64>,
    users: Vec<i64>,
    requests: Vec<i64>,
    people: People,
    first: i64,
}

impl Independent {
    /// Learns the distributions.
    pub fn new(history: &History) -> Independent {
        let jobs = &history.jobs;
        Independent {
            processors: jobs.iter().map(|job| job.processors).collect(),
            run_times: jobs.iter().map(|job| job.run_time).collect(),
            gaps: jobs.windows(2).map(|pair| pair[1].submit - pair[0].submit).collect(),
            users: jobs.iter().map(|job| job.user).collect(),
            requests: jobs.iter().map(|job| job.requested).filter(|&request| request > 0).collect(),
            people: People::new(jobs),
            first: jobs.first().map_or(0, |job| job.submit),
        }
    }

    /// Jobs without end.
    pub fn jobs<'a>(&'a self, random: &'a mut Random) -> impl Iterator<Item = SwfJob> + 'a {
        let mut submit = self.first;
        (1..).map(move |number| {
            let processors = self.processors[random.index(self.processors.len())];
            let run_time = self.run_times[random.index(self.run_times.len())];
            let request = if self.requests.is_empty() {
                self.people.request(run_time, random)
            } else {
                self.requests[random.index(self.requests.len())].max(run_time)
            };
            let user = self.users[random.index(self.users.len())];
            if number > 1 && !self.gaps.is_empty() {
                submit = (submit + self.gaps[random.index(self.gaps.len())]).min(MAX_VALUE);
            }
            job(number, submit, (processors, run_time), request, user)
        })
    }
}
