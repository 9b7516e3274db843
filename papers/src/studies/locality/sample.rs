//! The jobs of a trace in the groups from which run times would be learnt: submit-time bins, users, or both.

use super::binning::RunTimes;
use super::metric::Logs;
use surefill_simulator::trace::workload::Job;

/// From what run times would be learnt.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Attribute {
    /// The submit time's bin: f(s, r)
    Time,
    /// The user: f(u, r)
    User,
    /// The user and the submit time's bin: f((s, u), r)
    Both,
}

impl Attribute {
    /// The thesis's notation.
    pub fn notation(self) -> &'static str {
        match self {
            Attribute::Time => "f(s, r)",
            Attribute::User => "f(u, r)",
            Attribute::Both => "f((s, u), r)",
        }
    }

    /// Whether submit times are binned.
    pub fn has_slots(self) -> bool {
        self != Attribute::User
    }
}

/// Jobs in the order of an attribute, so that its groups are runs of neighbours.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The attribute they are grouped by.
    pub attribute: Attribute,
    /// Every job's run time.
    pub run_times: RunTimes,
    /// Jobs left out because their user is unknown.
    pub without_user: usize,
    /// The logarithms that the metric needs.
    pub logs: Logs,
    submits: Vec<i64>,
    users: Vec<i64>,
}

impl Sample {
    /// Orders jobs by an attribute. Jobs of unknown users (negative) are left out where users matter: they are not one
    /// user's.
    pub fn new(jobs: &[Job], attribute: Attribute) -> Sample {
        let known = |job: &&Job| attribute == Attribute::Time || job.user >= 0;
        let mut kept: Vec<&Job> = jobs.iter().filter(known).collect();
        kept.sort_by_key(|job| (if attribute == Attribute::Time { 0 } else { job.user }, job.submit));
        Sample {
            attribute,
            run_times: RunTimes::new(kept.iter().map(|job| job.run_time)),
            without_user: jobs.len() - kept.len(),
            logs: Logs::new(kept.len()),
            submits: kept.iter().map(|job| job.submit).collect(),
            users: kept.iter().map(|job| job.user).collect(),
        }
    }

    /// The jobs of every group that has any, in the jobs' order. Submit times fall in bins of `slot` seconds (above 0)
    /// from second 0 of the trace's clock; [`Attribute::User`] has none.
    pub fn groups(&self, slot: i64) -> Vec<u32> {
        let key = |index: usize| match self.attribute {
            Attribute::Time => (0, self.submits[index].div_euclid(slot)),
            Attribute::User => (self.users[index], 0),
            Attribute::Both => (self.users[index], self.submits[index].div_euclid(slot)),
        };
        let keys: Vec<(i64, i64)> = (0..self.submits.len()).map(key).collect();
        keys.chunk_by(|a, b| a == b).map(|same| same.len() as u32).collect()
    }

    /// The jobs of every user, in the jobs' order.
    pub fn users(&self) -> Vec<u32> {
        self.users.chunk_by(|a, b| a == b).map(|same| same.len() as u32).collect()
    }

    /// Seconds from the first submission to the last.
    pub fn span(&self) -> i64 {
        let (first, last) = (self.submits.iter().min(), self.submits.iter().max());
        first.zip(last).map_or(0, |(first, last)| last - first)
    }
}
