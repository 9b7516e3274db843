//! Spans of time, as every verb and the service take them; the results are whole seconds.
//!
//! | written | means |
//! |---|---|
//! | `90` | seconds |
//! | `90s`, `15min`, `40m`, `1.5h`, `2d`, `1w`, `1h 30m` | a number with its unit, or several (the friendly format of the crate `jiff`, and fractions of days and weeks) |
//! | `1:30:00` | hours, minutes, seconds |
//! | `1-02`, `1-02:00`, `1-02:00:00` | days, hours, minutes, seconds, as Slurm writes them |
//!
//! `1:30` is refused: Slurm reads it as minutes and seconds, most people as hours and minutes.

use jiff::{Span, SpanRelativeTo, Unit};
use surefill::runtime::MAX_SECONDS;

/// Accepted forms, for messages.
const ACCEPTED: &str =
    "90 or 90s, 15min, 1.5h, 2d, 1w, 1h30m, 1:30:00 or 1-02:00:00 (days-hours:minutes:seconds)";

/// A span of 0 s or more.
///
/// # Errors
/// The fault, and the accepted forms.
pub fn span(text: &str) -> Result<i64, String> {
    let text = text.trim();
    if text.starts_with(['-', '\u{2212}']) {
        return Err("a span of time is not negative".to_owned());
    }
    let seconds = match clock(text)? {
        Some(seconds) => seconds,
        None => units(text).ok_or_else(|| format!("not a span of time; accepted are {ACCEPTED}"))?,
    };
    let whole = seconds.round();
    if !(0.0..=MAX_SECONDS as f64).contains(&whole) {
        return Err(format!("longer than {MAX_SECONDS} s, which is more than 34,000 years"));
    }
    if (seconds - whole).abs() > 1e-6 {
        return Err("not a whole number of seconds".to_owned());
    }
    Ok(whole as i64)
}

/// A span of 1 s or more.
///
/// # Errors
/// Those of [`span`].
pub fn positive(text: &str) -> Result<i64, String> {
    match span(text)? {
        0 => Err("a span above 0 s is needed".to_owned()),
        seconds => Ok(seconds),
    }
}

/// Seconds with a fraction, or a span; 0 or more.
///
/// # Errors
/// Those of [`span`].
pub fn fractional(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => span(text).map(|seconds| seconds as f64),
    }
}

/// `[days-]hours:minutes:seconds`; `None` for what is not written with colons or a hyphen.
fn clock(text: &str) -> Result<Option<f64>, String> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days), rest),
        None => (None, text),
    };
    if days.is_none() && !rest.contains(':') {
        return Ok(None);
    }
    let wrong = || format!("not a span of time; accepted are {ACCEPTED}");
    let number = |part: &str| match part {
        _ if part.is_empty() || part.len() > 13 || !part.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(wrong())
        }
        part => part.parse::<f64>().map_err(|_| wrong()),
    };
    let days = days.map(number).transpose()?;
    let parts = rest.split(':').map(number).collect::<Result<Vec<f64>, String>>()?;
    let (hours, minutes, seconds) = match (days, &parts[..]) {
        (None, [_, _]) => {
            return Err("hours and minutes, or minutes and seconds? write 1:30:00, 90min or 90s".to_owned());
        }
        (Some(_), [hours]) => (*hours, 0.0, 0.0),
        (Some(_), [hours, minutes]) => (*hours, *minutes, 0.0),
        (_, [hours, minutes, seconds]) => (*hours, *minutes, *seconds),
        _ => return Err(wrong()),
    };
    if minutes > 59.0 || seconds > 59.0 || (days.is_some() && hours > 23.0) {
        return Err("minutes and seconds go to 59, hours after days to 23".to_owned());
    }
    Ok(Some(days.unwrap_or(0.0) * 86_400.0 + hours * 3600.0 + minutes * 60.0 + seconds))
}

/// Seconds of a number, a number with a unit, or several of these.
fn units(text: &str) -> Option<f64> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(unit)?;
    // `parse` would take inf and exponents.
    let plain = number.trim_end();
    let plain = plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then_some(plain)?;
    let number = plain.parse::<f64>().ok()?;
    match friendly(&format!("1{unit}")) {
        _ if unit.is_empty() => Some(number),
        Some(size) if unit.bytes().all(|byte| byte.is_ascii_alphabetic()) => Some(number * size),
        _ => friendly(text),
    }
}

/// Seconds of what `jiff` understands; months and years have no fixed length.
fn friendly(text: &str) -> Option<f64> {
    let span: Span = text.parse().ok()?;
    span.total((Unit::Second, SpanRelativeTo::days_are_24_hours())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_people_write() {
        let spans = [
            ("90", 90),
            ("0", 0),
            ("90s", 90),
            ("40m", 2400),
            ("15min", 900),
            ("15 min", 900),
            ("1.5h", 5400),
            ("2d", 172_800),
            ("1.5d", 129_600),
            ("1w", 604_800),
            ("0.5w", 302_400),
            ("1h30m", 5400),
            ("1h 30min", 5400),
            ("2 hours", 7200),
            ("1:30:00", 5400),
            ("100:00:00", 360_000),
            ("1-02:00:00", 93_600),
            ("1-02", 93_600),
            ("1-02:30", 95_400),
        ];
        for (text, seconds) in spans {
            assert_eq!(span(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_refused_says_why() {
        let why = |text: &str| span(text).unwrap_err();
        for text in
            ["", "m", "x", "5x", "1 month", "2y", "nan", "inf", "1e3", "1:2:3:4", "1-", "ü", "1-x", ":", "+5"]
        {
            assert!(why(text).contains("accepted are 90 or 90s, 15min"), "{text}: {}", why(text));
        }
        assert_eq!(why("-5m"), "a span of time is not negative");
        assert!(why("1:30").starts_with("hours and minutes, or minutes and seconds?"));
        assert!(why("1:60:00").starts_with("minutes and seconds go to 59"));
        assert!(why("1-24:00:00").starts_with("minutes and seconds go to 59"));
        assert_eq!(why("1.0001s"), "not a whole number of seconds");
        assert!(why("99999999999999d").starts_with("longer than"));
        assert_eq!(positive("0s").unwrap_err(), "a span above 0 s is needed");
        assert_eq!(positive("1s"), Ok(1));
    }

    proptest! {
        #[test]
        fn any_text_is_a_span_or_refused(text in "\\PC{0,20}") {
            let _ = span(&text);
        }

        #[test]
        fn clocks_are_sums(days in 0i64..1000, hours in 0i64..24, minutes in 0i64..60, seconds in 0i64..60) {
            let sum = days * 86_400 + hours * 3600 + minutes * 60 + seconds;
            prop_assert_eq!(span(&format!("{days}-{hours:02}:{minutes:02}:{seconds:02}")), Ok(sum));
            prop_assert_eq!(span(&format!("{days}d {hours}h {minutes}m {seconds}s")), Ok(sum));
        }
    }
}
