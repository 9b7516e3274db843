//! The record of the jobs of one kind: the last that ended, the last that was submitted, and the number in the system.

use bytemuck::{Pod, Zeroable};

/// Number of bins remembered.
const LAST: usize = 3;

/// The jobs of a user, or those of one limit, or of one limit and size.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Trail {
    /// The bins of the jobs that ended last, plus one, the last first; 0 for none.
    last: [i32; LAST],
    /// Third of its bin in which the last run time was.
    place: i32,
    /// Time of its end, its limit and its processors.
    ended: i64,
    ended_limit: i64,
    ended_processors: i64,
    /// Limit and processors of the last submission.
    submitted_limit: i64,
    submitted_processors: i64,
    /// Number of that job, 0 for none, and its record.
    number: u64,
    record: u32,
    /// Its bin, plus one, once it has ended; 0 before, and if it was cancelled.
    outcome: u32,
    /// Number of jobs in the system.
    inside: u32,
    padding: u32,
}

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// There is no such job, or it was cancelled.
    Unknown,
    /// It waits.
    Queued,
    /// It runs, and its age is in this bin.
    Running(usize),
    /// It ended with a run time in this bin.
    Ended(usize),
}

impl Standing {
    /// The state as one number, -1 for an unknown one.
    pub fn number(self) -> i64 {
        match self {
            Standing::Unknown => -1,
            Standing::Queued => 100,
            Standing::Running(bin) => 200 + bin as i64,
            Standing::Ended(bin) => 300 + bin as i64,
        }
    }

    /// The kind of the state, 0 to 3.
    pub fn kind(self) -> usize {
        match self {
            Standing::Unknown => 0,
            Standing::Queued => 1,
            Standing::Running(_) => 2,
            Standing::Ended(_) => 3,
        }
    }
}

/// A job's limit and processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The limit in seconds.
    pub limit: i64,
    /// Number of processors.
    pub processors: i64,
}

impl Trail {
    /// The bin of a job that ended, the last or one further back; -1 when there is none.
    pub fn last(&self, back: usize) -> i32 {
        self.last.get(back).map_or(-1, |bin| bin.saturating_sub(1))
    }

    /// The third of its bin in which the last run time was; 3 in the first and the last bin, -1 when there is none.
    pub fn place(&self) -> i64 {
        if self.last(0) < 0 { -1 } else { i64::from(self.place) }
    }

    /// Time of the last end.
    pub fn ended(&self) -> Option<i64> {
        (self.last(0) >= 0).then_some(self.ended)
    }

    /// Limit and processors of the job that ended last.
    pub fn ended_job(&self) -> Option<(i64, i64)> {
        (self.last(0) >= 0).then_some((self.ended_limit, self.ended_processors))
    }

    /// Limit and processors of the job submitted last.
    pub fn submitted_job(&self) -> Option<(i64, i64)> {
        (self.number != 0).then_some((self.submitted_limit, self.submitted_processors))
    }

    /// Number of jobs in the system.
    pub fn inside(&self) -> u32 {
        self.inside
    }

    /// State of the last submission; `look` returns that of the job with this number if it is still in this record.
    pub fn standing(&self, look: impl FnOnce(u32, u64) -> Option<Standing>) -> Standing {
        if self.number == 0 {
            return Standing::Unknown;
        }
        let outcome =
            || self.outcome.checked_sub(1).map_or(Standing::Unknown, |bin| Standing::Ended(bin as usize));
        look(self.record, self.number).unwrap_or_else(outcome)
    }

    /// Records a submission.
    pub fn submit(&mut self, record: u32, number: u64, shape: Shape) {
        (self.record, self.number, self.outcome) = (record, number, 0);
        (self.submitted_limit, self.submitted_processors) = (shape.limit, shape.processors);
        self.inside = self.inside.saturating_add(1);
    }

    /// Records that a job ended at this place in this bin.
    pub fn end(&mut self, number: u64, now: i64, bin: usize, place: i32, shape: Shape) {
        let bin = bin as u32 + 1;
        if self.number == number {
            self.outcome = bin;
        }
        self.last.rotate_right(1);
        if let Some(last) = self.last.first_mut() {
            *last = bin as i32;
        }
        (self.place, self.ended) = (place, now);
        (self.ended_limit, self.ended_processors) = (shape.limit, shape.processors);
    }

    /// Sets the clock back to `now`: a later end counts as now.
    pub fn move_back(&mut self, now: i64) {
        self.ended = self.ended.min(now);
    }

    /// Records that a job left.
    pub fn leave(&mut self) {
        self.inside = self.inside.saturating_sub(1);
    }

    /// Records that a job that was taken to have left is in the system after all.
    pub fn come_back(&mut self) {
        self.inside = self.inside.saturating_add(1);
    }
}
