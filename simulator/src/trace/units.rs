//! The unit of bare numbers in a column of limits: minutes for Slurm's `Timelimit`, seconds elsewhere, unless the jobs
//! that were ended at their limit ran as long as the numbers say in another unit.

use super::columns::{Role, Row};

/// Seconds of the units that bare numbers may have.
const UNITS: [(i64, &str); 3] = [(1, "seconds"), (60, "minutes"), (3600, "hours")];

/// A table's limits and run times, row by row.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// Rows whose limit is a bare number, of a column in minutes and of one in seconds.
    minutes: u64,
    seconds: u64,
    /// Rows whose limit is written otherwise.
    other: u64,
    /// Bare numbers with a fraction, which reading has rounded up.
    fractions: u64,
    /// Jobs that were ended at their limit, and ran as long as the number says in each unit.
    at: [u64; UNITS.len()],
    /// Jobs with a limit and a run time, and those that ran longer than the limit in seconds.
    ran: u64,
    beyond: u64,
}

/// Corrects limits by a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Correction {
    times: i64,
    over: i64,
}

impl Correction {
    /// The right limit, of one that was read; both in seconds.
    pub(crate) fn of(self, limit: i64) -> i64 {
        limit.saturating_mul(self.times).min(surefill::runtime::MAX_SECONDS) / self.over
    }
}

impl Units {
    /// A row, with its job's run time and its limit as it was read, in seconds.
    pub(crate) fn note(&mut self, row: &Row, ran: Option<i64>, limit: i64) {
        let cells = [Role::LimitMinutes, Role::LimitSeconds].map(|role| row.get(role));
        let number = |cell: &str| cell.parse::<f64>().ok().filter(|&number| number > 0.0);
        let bare = match cells {
            _ if !row.get(Role::LimitMinutesOnly).is_empty() => None,
            ["", seconds] => number(seconds).inspect(|_| self.seconds += 1),
            [minutes, _] => number(minutes).inspect(|_| self.minutes += 1),
        };
        let seconds = cells[0].is_empty() || bare.is_none();
        if let Some(ran) = ran.filter(|_| seconds && limit > 0) {
            self.ran += 1;
            self.beyond += u64::from(ran > limit + limit / 10 + 600);
        }
        let Some(number) = bare else {
            self.other += u64::from(cells.iter().any(|cell| !matches!(*cell, "" | "-1" | "-1.0" | "0")));
            return;
        };
        self.fractions += u64::from(number.fract() != 0.0);
        let ended = row.get(Role::State).to_uppercase();
        let Some(ran) = ran.filter(|_| ended == "TIMEOUT" || ended == "TO") else { return };
        for (at, (unit, _)) in self.at.iter_mut().zip(UNITS) {
            let limit = (number * unit as f64) as i64;
            *at += u64::from(ran >= limit && ran <= limit + limit / 10 + 120);
        }
    }

    /// The correction that the limits need, and sentences about how they were read.
    pub(crate) fn settle(&self) -> (Option<Correction>, Vec<String>) {
        let usual = usize::from(self.minutes > 0);
        let mixed =
            self.other > 0 || self.minutes > 0 && self.seconds > 0 || self.minutes + self.seconds == 0;
        let most = (0..UNITS.len()).rev().max_by_key(|&unit| self.at.get(unit)).unwrap_or(usual);
        let of = |unit: usize| UNITS.get(unit).copied().unwrap_or_default();
        if !mixed && self.at.get(most) > self.at.get(usual) {
            if self.fractions > 0 {
                let remark = format!(
                    "the limits are bare numbers and are taken as {}, though jobs that were ended at their limit ran so many {}: \
                     write them as hours:minutes:seconds",
                    of(usual).1,
                    of(most).1
                );
                return (None, vec![remark]);
            }
            let remark = format!(
                "the limits are bare numbers and are taken as {}: jobs that were ended at their limit ran so long",
                of(most).1
            );
            return (Some(Correction { times: of(most).0, over: of(usual).0 }), vec![remark]);
        }
        let mut remarks = Vec::new();
        if !mixed && self.minutes > 0 && self.at.get(usual) == Some(&0) {
            remarks.push(
                "the limits are bare numbers and are taken as minutes, as Slurm's: a column in seconds is called requested_time"
                    .to_owned(),
            );
        }
        if self.beyond * 2 > self.ran && self.ran > 9 {
            remarks.push(format!(
                "{} of {} jobs ran longer than their limit: the column of limits may not be in seconds",
                self.beyond, self.ran
            ));
        }
        (None, remarks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    /// The limits as they are read after all, in seconds, and the remarks.
    fn settled(title: &'static str, rows: &[(&'static str, i64, &'static str)]) -> (Vec<i64>, Vec<String>) {
        let (mut units, mut limits) = (Units::default(), Vec::new());
        for (cell, ran, state) in rows {
            let pairs = [("Submit", "1"), (title, *cell), ("State", *state)];
            let pairs = pairs.map(|(title, cell)| (Cow::Borrowed(title), Cow::Borrowed(cell)));
            let (row, _) = Row::named(&pairs).unwrap();
            let limit = crate::trace::rows::limit(&row).unwrap();
            units.note(&row, Some(*ran), limit);
            limits.push(limit);
        }
        let (correction, remarks) = units.settle();
        (limits.iter().map(|&limit| correction.map_or(limit, |by| by.of(limit))).collect(), remarks)
    }

    #[test]
    fn jobs_that_were_ended_at_their_limit_decide() {
        let taken = |unit: &str| {
            vec![format!(
                "the limits are bare numbers and are taken as {unit}: jobs that were ended at their limit ran so long"
            )]
        };
        let rows = [("60", 3605, "TIMEOUT"), ("30", 20, "COMPLETED"), ("-1", 9000, "COMPLETED")];
        assert_eq!(settled("limit", &rows), (vec![3600, 1800, 0], taken("minutes")));
        assert_eq!(settled("Timelimit", &rows[..2]), (vec![3600, 1800], Vec::new()));
        let seconds = [("3600", 3605, "TIMEOUT"), ("1800", 20, "COMPLETED")];
        assert_eq!(settled("limit", &seconds), (vec![3600, 1800], Vec::new()));
        assert_eq!(settled("Timelimit", &seconds), (vec![3600, 1800], taken("seconds")));
        let hours = [("2", 7230, "TO"), ("1", 20, "COMPLETED"), ("1.5", 20, "COMPLETED")];
        assert_eq!(settled("walltime", &hours[..2]), (vec![7200, 3600], taken("hours")));
        let (limits, remarks) = settled("walltime", &hours);
        assert!(limits == [2, 1, 2] && remarks[0].contains("taken as seconds, though"), "{remarks:?}");
        // With units written beside some, the numbers are no riddle.
        let mixed = [("60", 3605, "TIMEOUT"), ("1:00:00", 20, "COMPLETED")];
        assert_eq!(settled("limit", &mixed).0, [60, 3600]);
        let unknown = [("60", 30, "COMPLETED")];
        assert_eq!(settled("limit", &unknown), (vec![60], Vec::new()));
        assert!(settled("Timelimit", &unknown).1[0].contains("taken as minutes, as Slurm's"));
    }
}
