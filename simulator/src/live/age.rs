//! The age of what is known, against the gaps that are usual in it.
//!
//! A history is out of date when its newest event (a submission, a start, a cancellation) is older than a day, and
//! older than the longest gap between two events that follow each other in its last four weeks. Clusters that rest
//! over a weekend have such gaps themselves; where nothing has happened for longer than that the file was probably
//! not written any more. Of such a history nothing is predicted for the present.

use serde::Serialize;

/// Times before this are those of a trace's own clock, no dates.
pub const FIRST_DATE: i64 = 500_000_000;
/// No history is out of date before its newest event is so old, in seconds.
pub const LEAST: i64 = 86_400;
/// The part of the history, before its newest event, whose gaps are usual, in seconds.
pub const USUAL: i64 = 28 * 86_400;

/// The newest event of a history, and its longest usual gap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Events {
    last: i64,
    longest_gap: i64,
}

/// Age of a history at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Age {
    /// The newest event.
    pub last: i64,
    /// Seconds since then; below 0 where the time lies before it.
    pub age_s: i64,
    /// The longest gap between events in the last four weeks before the newest, in seconds.
    pub longest_gap_s: i64,
    /// Whether it is too old for predictions.
    pub out_of_date: bool,
}

impl Events {
    /// The events of a history at these times, in any order; times are 0 where there is none.
    pub fn of(events: impl IntoIterator<Item = i64>) -> Events {
        let mut times: Vec<i64> = events.into_iter().collect();
        times.sort_unstable();
        let last = times.last().copied().unwrap_or(0);
        let first = times.partition_point(|&time| time < last.saturating_sub(USUAL));
        let usual = times.get(first..).unwrap_or_default();
        let gaps = usual.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
        Events { last, longest_gap: gaps.max().unwrap_or(0) }
    }

    /// The newest event.
    pub fn last(&self) -> i64 {
        self.last
    }

    /// The history's age at this time.
    pub fn at(&self, now: i64) -> Age {
        let age_s = now.saturating_sub(self.last);
        let out_of_date = age_s > self.longest_gap.max(LEAST);
        Age { last: self.last, age_s, longest_gap_s: self.longest_gap, out_of_date }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    #[test]
    fn a_day_or_the_longest_usual_gap_is_too_old() {
        let of = |events: &[i64], now| Events::of(events.iter().copied()).at(now).out_of_date;
        let busy: Vec<i64> = (0..100).map(|hour| hour * HOUR).collect();
        let last = 99 * HOUR;
        assert_eq!([0, HOUR, DAY, DAY + 1].map(|age| of(&busy, last + age)), [false, false, false, true]);
        // A weekend without jobs is usual after another one, as long as that is not longer ago than four weeks.
        let weekend = [&[-3 * DAY], &busy[..]].concat();
        assert_eq!([3 * DAY, 3 * DAY + 1].map(|age| of(&weekend, last + age)), [false, true]);
        let old = [&[last - USUAL - 1, last - USUAL + 20 * DAY], &busy[..]].concat();
        let gap = (USUAL - 20 * DAY - last).max(0);
        assert_eq!(Events::of(old).at(last).longest_gap_s, gap.max(HOUR));
        // A time before the newest event, and a history without one.
        assert_eq!(
            Events::of([5, 9]).at(2),
            Age { last: 9, age_s: -7, longest_gap_s: 4, out_of_date: false }
        );
        assert_eq!(Events::of([]).at(0), Age { last: 0, age_s: 0, longest_gap_s: 0, out_of_date: false });
    }
}
