//! Input of the models: the jobs of a trace that ran, in order of submission.

use crate::trace::swf::{SwfJob, Trace};

/// A job as the models see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    /// When it was submitted, in seconds on the trace's clock.
    pub submit: i64,
    /// Its wait, in seconds; negative when unknown.
    pub wait: i64,
    /// Its run time, in seconds: 0 or more.
    pub run_time: i64,
    /// Processors: 1 or more.
    pub processors: u32,
    /// The time it asked for, in seconds; 0 or less when unknown.
    pub requested: i64,
    /// Its user; negative when unknown.
    pub user: i64,
    /// Its further fields.
    pub kind: Kind,
}

impl Past {
    /// The job submitted once more, which nothing has scheduled yet.
    pub fn again(&self, number: i64, submit: i64) -> SwfJob {
        let kind = self.kind;
        SwfJob {
            group: kind.group,
            executable: kind.executable,
            queue: kind.queue,
            partition: kind.partition,
            status: kind.status,
            ..super::job(number, submit, (self.processors, self.run_time), self.requested, self.user)
        }
    }
}

/// Fields of a job that no model draws, and that only whole jobs of a trace have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The user's group; negative when unknown.
    pub group: i64,
    /// The program; negative when unknown.
    pub executable: i64,
    /// The queue; negative when unknown.
    pub queue: i64,
    /// The partition; negative when unknown.
    pub partition: i64,
    /// Its status (1 completed, 0 failed, 5 cancelled).
    pub status: i64,
}

impl Default for Kind {
    /// A generated job: completed, in queue 1 of partition 1.
    fn default() -> Kind {
        Kind { group: -1, executable: -1, queue: 1, partition: 1, status: 1 }
    }
}

/// The jobs of one trace.
#[derive(Debug, Clone)]
pub struct History {
    /// The trace's file name without its folder.
    pub name: String,
    /// Its jobs that have a run time and processors, in order of submission: at least one.
    pub jobs: Vec<Past>,
    /// Lines without a run time or without processors.
    pub left_out: u64,
    /// Processors of the machine: the header's `MaxProcs`, else `MaxNodes`, and no fewer than the widest job has.
    pub procs: u32,
    /// `UnixStartTime`.
    pub unix_start_time: Option<i64>,
    /// `TimeZoneString`.
    pub time_zone: Option<String>,
}

/// Why nothing can be learnt from a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// There is no job line.
    #[error("{0}: no jobs to learn from")]
    NoJobs(String),
    /// No line has both.
    #[error("{0}: none of its {1} jobs has a run time and a number of processors")]
    NoneRan(String, u64),
}

impl History {
    /// The jobs of a trace. Processors are those used (field 5), else those requested (field 8); a job without either,
    /// or with a negative run time (cancelled before it started), is left out. Run time 0 is kept.
    ///
    /// # Errors
    /// [`LearnError`].
    pub fn new(trace: &Trace, name: &str) -> Result<History, LearnError> {
        let lines = trace.records.len() as u64;
        if lines == 0 {
            return Err(LearnError::NoJobs(name.to_owned()));
        }
        let past = |record: &crate::trace::swf::Record| {
            let processors = [record.used_processors, record.requested_processors];
            let processors = processors.into_iter().find(|&processors| processors > 0)?;
            (record.run_time >= 0).then_some(Past {
                submit: record.submit,
                wait: record.wait,
                run_time: record.run_time,
                // The reader accepts no more than 32 bits count.
                processors: u32::try_from(processors).ok()?,
                requested: record.requested_time,
                user: record.user,
                kind: Kind {
                    group: record.group,
                    executable: record.executable,
                    queue: record.queue,
                    partition: record.partition,
                    status: record.status,
                },
            })
        };
        let jobs: Vec<Past> = trace.records.iter().filter_map(past).collect();
        let Some(widest) = jobs.iter().map(|job| job.processors).max() else {
            return Err(LearnError::NoneRan(name.to_owned(), lines));
        };
        let stated = trace.header.max_procs.or(trace.header.max_nodes).unwrap_or(0);
        Ok(History {
            name: name.to_owned(),
            left_out: lines - jobs.len() as u64,
            jobs,
            procs: stated.max(widest),
            unix_start_time: trace.header.unix_start_time,
            time_zone: trace.header.lines.iter().find_map(|line| time_zone(line)),
        })
    }

    /// The same machine and clock, without jobs.
    pub fn emptied(&self) -> History {
        History {
            name: self.name.clone(),
            jobs: Vec::new(),
            left_out: 0,
            procs: self.procs,
            unix_start_time: self.unix_start_time,
            time_zone: self.time_zone.clone(),
        }
    }

    /// Processors of all jobs, in order.
    pub fn processors(&self) -> Vec<u64> {
        self.jobs.iter().map(|job| u64::from(job.processors)).collect()
    }

    /// Run times of all jobs, in order, in seconds.
    pub fn run_times(&self) -> Vec<u64> {
        self.jobs.iter().map(|job| job.run_time.unsigned_abs()).collect()
    }
}

fn time_zone(line: &str) -> Option<String> {
    let (key, value) = line.trim_start_matches(';').split_once(':')?;
    (key.trim() == "TimeZoneString").then(|| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::swf::{Strictness, read};

    fn history(text: &str) -> Result<History, LearnError> {
        History::new(&read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap(), "t.swf")
    }

    #[test]
    fn jobs_that_ran_and_the_machine() {
        let text = "; MaxNodes: 4\n; TimeZoneString: Europe/Stockholm\n\
                    1 5 2 0 8 -1 -1 9 60 -1 1 3 -1 -1 -1 -1 -1 -1\n\
                    2 6 -1 7 -1 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n\
                    3 7 -1 -1 8 -1 -1 8 60 -1 5 3 -1 -1 -1 -1 -1 -1\n\
                    4 8 -1 9 0 -1 -1 -1 60 -1 1 3 -1 -1 -1 -1 -1 -1\n";
        let history = history(text).unwrap();
        assert_eq!((history.processors(), history.run_times()), (vec![8, 2], vec![0, 7]));
        assert_eq!((history.left_out, history.procs), (2, 8));
        assert_eq!(history.time_zone.as_deref(), Some("Europe/Stockholm"));
    }

    #[test]
    fn nothing_to_learn_from() {
        assert_eq!(history("; x\n").unwrap_err().to_string(), "t.swf: no jobs to learn from");
        let none = history("1 5 2 -1 8 -1 -1 9 60 -1 5 3 -1 -1 -1 -1 -1 -1\n").unwrap_err();
        assert_eq!(none.to_string(), "t.swf: none of its 1 jobs has a run time and a number of processors");
    }
}
