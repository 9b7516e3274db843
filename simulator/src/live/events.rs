//! The lives of jobs as events in the order of time, as a scheduler would have observed them.

/// An event in the life of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// It ends.
    Ends,
    /// It is submitted.
    Submission,
    /// It starts.
    Starts,
    /// It ends in the second in which it started.
    EndsAtOnce,
}

/// When a job was submitted, started and ended, as far as that has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub submit: i64,
    pub start: Option<i64>,
    pub end: Option<i64>,
}

/// The events of these jobs: the time, the event, and the place of the job. In one second ends come first, then
/// submissions, then starts.
pub(super) fn in_order(jobs: impl Iterator<Item = Times>) -> Vec<(i64, Phase, usize)> {
    let mut events = Vec::new();
    for (place, Times { submit, start, end }) in jobs.enumerate() {
        events.push((submit, Phase::Submission, place));
        events.extend(start.map(|start| (start, Phase::Starts, place)));
        let at_once = end.is_some() && start == end;
        events.extend(end.map(|end| (end, if at_once { Phase::EndsAtOnce } else { Phase::Ends }, place)));
    }
    events.sort_unstable();
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_second_come_in_the_order_of_a_scheduler() {
        let times = |submit, start, end| Times { submit, start, end };
        let jobs = [
            times(0, Some(5), Some(10)),
            times(10, Some(10), Some(10)),
            times(7, Some(10), None),
            times(9, None, None),
        ];
        let found = in_order(jobs.into_iter());
        use Phase::{Ends, EndsAtOnce, Starts, Submission};
        let wanted = [
            (0, Submission, 0),
            (5, Starts, 0),
            (7, Submission, 2),
            (9, Submission, 3),
            (10, Ends, 0),
            (10, Submission, 1),
            (10, Starts, 1),
            (10, Starts, 2),
            (10, EndsAtOnce, 1),
        ];
        assert_eq!(found, wanted);
    }
}
