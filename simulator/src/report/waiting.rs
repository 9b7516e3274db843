//! Waits in words.

use crate::live::age::{Age, FIRST_DATE};
use jiff::Timestamp;

/// Seconds in the unit people use for them.
pub fn duration(seconds: f64) -> String {
    const UNITS: [(f64, f64, &str); 4] =
        [(2.0 * 86_400.0, 86_400.0, "d"), (7200.0, 3600.0, "h"), (120.0, 60.0, "min"), (0.0, 1.0, "s")];
    let (_, size, unit) = UNITS.into_iter().find(|unit| seconds >= unit.0).unwrap_or((0.0, 1.0, "s"));
    let value = seconds / size;
    if value < 10.0 && unit != "s" { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Why nothing is predicted from a history that is out of date.
pub fn out_of_date(history: &Age) -> String {
    format!(
        "its newest event is {} old, older than a day and than every gap in its last four weeks (the longest: {})",
        duration(history.age_s as f64),
        duration(history.longest_gap_s as f64)
    )
}

/// A time in one of two forms of dates; `None` for one of a trace's own clock.
fn written(time: i64, form: &str) -> Option<String> {
    let at = Timestamp::from_second(time).ok().filter(|_| time >= FIRST_DATE)?;
    Some(at.strftime(form).to_string())
}

/// A time as a date: of a clock on the wall as it shows it, of Unix seconds in UTC.
pub fn date(time: i64, wall: bool) -> String {
    let form = if wall { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M UTC" };
    written(time, form).unwrap_or_else(|| format!("second {time} of the history"))
}

/// A time as options take it: a date to the second, or seconds of the history's own clock.
pub fn moment(time: i64, wall: bool) -> String {
    let form = if wall { "%Y-%m-%dT%H:%M:%S" } else { "%Y-%m-%dT%H:%M:%SZ" };
    written(time, form).unwrap_or_else(|| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_can_be_given_back() {
        for wall in [true, false] {
            for time in [17, 1_714_570_139] {
                assert_eq!(crate::live::history::time(&moment(time, wall)), Ok(Some(time)));
            }
        }
        assert_eq!(moment(1_714_570_139, false), "2024-05-01T13:28:59Z");
        assert_eq!(date(1_714_570_139, false), "2024-05-01 13:28 UTC");
        assert_eq!(date(17, true), "second 17 of the history");
    }
}
