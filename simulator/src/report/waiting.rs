//! Waits in words.

use crate::live::age::Age;

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
