//! Cells of accounting tables: times, spans, sizes of memory, numbers.

use jiff::civil::DateTime;
use jiff::{Timestamp, Zoned, tz::TimeZone};
use surefill::runtime::MAX_SECONDS;

/// The reading of dates that leave something open.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clock {
    /// Whether the day is before the month in `05/06/2024`; where that is unknown it is behind it, as PBS writes dates.
    pub day_first: Option<bool>,
    /// The zone of dates that name none; without it they are taken as they stand.
    pub zone: Option<TimeZone>,
}

/// The zone with this name.
///
/// # Errors
/// A name that this computer does not know.
pub fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name)
        .map_err(|_| "no time zone that this computer knows; one is called Europe/Berlin".to_owned())
}

/// Numbers from here on that count from 1970 are milliseconds: as seconds they would be years beyond 30,000.
const MILLISECONDS: f64 = 1e12;

impl Clock {
    /// Seconds, from seconds or a date; none where there is no time. Fractions of a second are cut off.
    ///
    /// Numbers of 13, 16 or 19 digits count milliseconds, microseconds or nanoseconds. Dates with a zone (`...Z`,
    /// `...+02:00`) are seconds since 1970. Those without are `2024-05-01T10:00:00`, also with a space, `2024/05/01
    /// 10:00:00`, `01.05.2024 10:00:00`, `05/01/2024 10:00:00` and ctime's `Wed May  1 10:00:00 2024`. Where clocks are
    /// set back an hour comes twice: it is the first.
    ///
    /// # Errors
    /// A text that is no time.
    pub fn time(&self, text: &str) -> Result<Option<i64>, String> {
        self.times(text).map(|times| times.map(|(earlier, _)| earlier))
    }

    /// The second time that a date can be, in an hour that comes twice in the clock's zone.
    pub fn later(&self, text: &str) -> Option<i64> {
        self.times(text).ok().flatten().filter(|(earlier, later)| earlier < later).map(|(_, later)| later)
    }

    fn times(&self, text: &str) -> Result<Option<(i64, i64)>, String> {
        if ["", "unknown", "none", "n/a", "null", "-"].iter().any(|none| text.eq_ignore_ascii_case(none)) {
            return Ok(None);
        }
        let wrong = || format!("not a time: '{}'", shown(text));
        let twice = |seconds: i64| Some((seconds, seconds));
        if let Some(seconds) = number(text) {
            if seconds.abs() > 1e21 {
                return Err(wrong());
            }
            let exact = text.parse::<i64>().ok().map(i128::from);
            let mut parts = exact.unwrap_or(seconds.floor() as i128);
            while parts.unsigned_abs() as f64 >= MILLISECONDS {
                parts = parts.div_euclid(1000);
            }
            return Ok(twice(parts as i64));
        }
        // The parser of dates without a zone passes over one.
        if let Ok(stamp) = text.parse::<Timestamp>() {
            return Ok(twice(stamp.as_second()));
        }
        let Some(date) = text.parse::<DateTime>().ok().or_else(|| self.written(text)) else {
            if let Some(utc) = text.strip_suffix(" UTC").or_else(|| text.strip_suffix(" GMT")) {
                return Clock { zone: None, ..self.clone() }.times(utc.trim_end());
            }
            let zoned = Zoned::strptime("%a, %d %b %Y %H:%M:%S %z", text).map_err(|_| wrong())?;
            return Ok(twice(zoned.timestamp().as_second()));
        };
        let zone = self.zone.clone().unwrap_or(TimeZone::UTC);
        let either = zone.to_ambiguous_timestamp(date);
        let (earlier, later) = (either.earlier(), either.later());
        match (earlier, later) {
            (Ok(earlier), Ok(later)) => Ok(Some((earlier.as_second(), later.as_second()))),
            _ => Err(wrong()),
        }
    }

    /// A date in one of the ways in which programs write it.
    fn written(&self, text: &str) -> Option<DateTime> {
        let slashes = if self.day_first == Some(true) { "%d/%m/%Y" } else { "%m/%d/%Y" };
        ["%Y/%m/%d", "%d.%m.%Y", slashes]
            .iter()
            .flat_map(|date| ["%H:%M:%S", "%H:%M", "%I:%M:%S %p"].map(|time| format!("{date} {time}")))
            .chain(["%a %b %d %H:%M:%S %Y".to_owned(), "%Y/%m/%d-%H:%M:%S".to_owned()])
            .find_map(|format| DateTime::strptime(format, text).ok())
    }
}

/// [`Clock::time`] of a clock about which nothing is known.
///
/// # Errors
/// A text that is no time.
pub fn time(text: &str) -> Result<Option<i64>, String> {
    Clock::default().time(text)
}

/// The two numbers that begin a date such as `05/06/2024`, of which one is the day and one the month.
pub(crate) fn slashed(text: &str) -> Option<(u8, u8)> {
    let mut parts = text.split(['/', ' ']);
    let mut part = || parts.next().filter(|part| (1..=2).contains(&part.len()))?.parse().ok();
    let (first, second) = (part()?, part()?);
    parts.next().filter(|year| year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit()))?;
    text.contains('/').then_some((first, second))
}

/// Whether a time is written as a date.
pub fn is_date(text: &str) -> bool {
    number(text).is_none()
}

/// A number without exponent and sign other than minus.
fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain && digits.len() <= 40 { text.parse().ok() } else { None }
}

/// A cell in a message.
fn shown(text: &str) -> String {
    super::text::excerpt(text.as_bytes(), 40)
}

/// Unit of a bare number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    /// Seconds.
    Seconds,
    /// Minutes, as Slurm's limits.
    Minutes,
    /// Minutes, and nothing but bare numbers is allowed (`TimelimitRaw`).
    MinutesOnly,
}

/// A time limit in seconds: a bare number, or `[days-]hours:minutes:seconds` with parts left out as Slurm does. Unknown
/// ones are 0, none at all the largest.
///
/// # Errors
/// A text that is no limit.
pub fn limit(text: &str, bare: Bare) -> Result<i64, String> {
    if ["", "partition_limit", "not_set", "invalid", "n/a", "unknown", "none"]
        .iter()
        .any(|none| text.eq_ignore_ascii_case(none))
    {
        return Ok(0);
    }
    if text.eq_ignore_ascii_case("unlimited") || text.eq_ignore_ascii_case("infinite") {
        return Ok(MAX_SECONDS);
    }
    let wrong = || format!("not a time limit: '{}'", shown(text));
    let clocked = text.contains([':', '-']);
    if clocked && bare == Bare::MinutesOnly {
        return Err(wrong());
    }
    let seconds = span(text, if bare == Bare::Seconds { 1.0 } else { 60.0 }).ok_or_else(wrong)?;
    Ok((seconds.ceil() as i64).min(MAX_SECONDS))
}

/// A span as accounting writes it, in seconds: a bare number, `minutes:seconds`, `hours:minutes:seconds`,
/// `days-hours...`. Fractions are rounded to the nearest second.
///
/// # Errors
/// A text that is no span.
pub fn elapsed(text: &str) -> Result<Option<i64>, String> {
    Ok(fractional(text)?.map(|seconds| seconds.round() as i64))
}

/// [`elapsed`] without rounding.
///
/// # Errors
/// A text that is no span.
pub fn fractional(text: &str) -> Result<Option<f64>, String> {
    if ["", "unknown", "none", "n/a", "invalid", "-"].iter().any(|none| text.eq_ignore_ascii_case(none)) {
        return Ok(None);
    }
    let seconds = span(text, 1.0).filter(|&seconds| seconds <= MAX_SECONDS as f64);
    seconds.map(Some).ok_or_else(|| format!("not a span of time: '{}'", shown(text)))
}

fn span(text: &str, bare: f64) -> Option<f64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(part(days)?), rest),
        None => (None, text),
    };
    let parts = rest.split(':').map(part).collect::<Option<Vec<f64>>>()?;
    let seconds = match (days, &parts[..]) {
        (Some(_), [hours]) => 3600.0 * hours,
        (Some(_), [hours, minutes]) => 3600.0 * hours + 60.0 * minutes,
        (None, [number]) => bare * number,
        (None, [minutes, seconds]) => 60.0 * minutes + seconds,
        (_, [hours, minutes, seconds]) => 3600.0 * hours + 60.0 * minutes + seconds,
        _ => return None,
    };
    Some(days.unwrap_or(0.0) * 86_400.0 + seconds)
}

/// A part of a span: digits and perhaps a fraction, at most 2^40.
fn part(text: &str) -> Option<f64> {
    let value = number(text).filter(|_| !text.starts_with('-'))?;
    (value <= MAX_SECONDS as f64).then_some(value)
}

/// A whole number of 0 or more, also with Slurm's `K` and `M` for thousands and millions; `None` of an empty cell.
///
/// # Errors
/// A text that is no such number.
pub fn count(text: &str) -> Result<Option<i64>, String> {
    if ["", "unknown", "none", "n/a", "-1", "-"].iter().any(|none| text.eq_ignore_ascii_case(none)) {
        return Ok(None);
    }
    let (digits, size) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (text.get(..text.len() - 1), 1e3),
        Some(b'M' | b'm') => (text.get(..text.len() - 1), 1e6),
        _ => (Some(text), 1.0),
    };
    let value = digits.and_then(number).map(|value| value * size);
    let value = value.filter(|value| value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(value));
    value
        .map(|value| Some(value as i64))
        .ok_or_else(|| format!("not a number of processors or nodes: '{}'", shown(text)))
}

/// Slurm's lists of resources.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tres {
    /// Processors.
    pub cpus: Option<i64>,
    /// GPUs of all models.
    pub gpus: Option<i64>,
    /// Nodes.
    pub nodes: Option<i64>,
    /// Memory in MiB.
    pub memory_mib: Option<f64>,
}

/// Reads `billing=4,cpu=4,gres/gpu=2,gres/gpu:a100=2,mem=8G,node=1`.
pub fn tres(text: &str) -> Tres {
    let cell = |name: &str| {
        let mut parts = text.split(',').filter_map(|part| part.trim().split_once('='));
        Some(parts.find(|(key, _)| *key == name)?.1)
    };
    let value = |name: &str| count(cell(name)?).ok().flatten();
    let model = |part: &str| {
        let (key, number) = part.trim().split_once('=')?;
        if key.starts_with("gres/gpu:") { count(number).ok().flatten() } else { None }
    };
    let models = || Some(text.split(',').filter_map(model).sum()).filter(|&gpus: &i64| gpus > 0);
    Tres {
        cpus: value("cpu"),
        gpus: value("gres/gpu").or_else(models),
        nodes: value("node"),
        memory_mib: cell("mem").and_then(|cell| memory(cell, 1024.0)).map(|(size, _)| size / 1024.0),
    }
}

/// Number of processors that a list names: `0-3 7` are five.
///
/// # Errors
/// A text that is no such list.
pub fn ids(text: &str) -> Result<Option<i64>, String> {
    let one = |part: &str| -> Option<i64> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        (first <= last).then(|| i64::from(last - first) + 1)
    };
    let parts: Vec<&str> = text.split([' ', ',']).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() || parts == ["-1"] {
        return Ok(None);
    }
    let total: Option<i64> = parts.into_iter().map(one).sum();
    total.map(Some).ok_or_else(|| format!("not a list of processors: '{}'", shown(text)))
}

/// Owner of a size of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// The whole job's.
    Job,
    /// One processor's (`4Gc`).
    Processor,
    /// One node's (`16Gn`).
    Node,
}

/// A size of memory in KB, and whose it is; a bare number counts in `bare` KB. `None` where it is not said: memory is
/// never a reason to leave a job out.
pub fn memory(text: &str, bare: f64) -> Option<(f64, Each)> {
    let (text, each) = match text.as_bytes().last()? {
        b'c' => (text.get(..text.len() - 1)?, Each::Processor),
        b'n' => (text.get(..text.len() - 1)?, Each::Node),
        _ => (text, Each::Job),
    };
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (value, unit) = text.split_at_checked(digits)?;
    let size = match unit.to_ascii_lowercase().as_str() {
        "" => bare,
        "b" => 1.0 / 1024.0,
        "k" | "kb" | "kib" => 1.0,
        "m" | "mb" | "mib" => 1024.0,
        "g" | "gb" | "gib" => 1024.0 * 1024.0,
        "t" | "tb" | "tib" => 1024.0 * 1024.0 * 1024.0,
        "p" | "pb" | "pib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let value = number(value)? * size;
    (value <= MAX_SECONDS as f64).then_some((value, each))
}

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Waits,
    Runs,
    /// It is over, with this status of the format.
    Over(i64),
    /// The table does not say.
    Unknown,
}

/// The first word of a state, in capitals.
fn word(state: &str) -> String {
    state.split([' ', '+', ',']).next().unwrap_or("").to_uppercase()
}

/// Whether a job in this state was ended by what was no fault of it, by Slurm's names.
pub(crate) fn interrupted(state: &str) -> bool {
    const NAMES: [&str; 12] = [
        "NODE_FAIL",
        "NF",
        "BOOT_FAIL",
        "BF",
        "PREEMPTED",
        "PR",
        "REVOKED",
        "RV",
        "REQUEUED",
        "RQ",
        "LAUNCH_FAILED",
        "RECONFIG_FAIL",
    ];
    NAMES.contains(&word(state).as_str())
}

/// Slurm's states, long and short, those of other systems as far as they are plain, and the numbers of SWF.
pub(crate) fn state(text: &str) -> State {
    match word(text).as_str() {
        "" => State::Unknown,
        "PENDING" | "PD" | "CONFIGURING" | "CF" | "REQUEUE_HOLD" | "RH" | "REQUEUE_FED" | "RF"
        | "SPECIAL_EXIT" | "SE" | "RESV_DEL_HOLD" | "RD" | "QUEUED" | "PEND" => State::Waits,
        "RUNNING" | "R" | "SUSPENDED" | "S" | "COMPLETING" | "CG" | "STOPPED" | "ST" | "RESIZING" | "RS"
        | "SIGNALING" | "SI" | "STAGE_OUT" | "SO" | "RUN" => State::Runs,
        "COMPLETED" | "CD" | "DONE" | "FINISHED" | "TRUE" | "1" => State::Over(1),
        "CANCELLED" | "CA" | "CANCELED" | "REMOVED" | "5" => State::Over(5),
        "FAILED" | "F" | "TIMEOUT" | "TO" | "NODE_FAIL" | "NF" | "OUT_OF_MEMORY" | "OOM" | "BOOT_FAIL"
        | "BF" | "DEADLINE" | "DL" | "PREEMPTED" | "PR" | "REVOKED" | "RV" | "REQUEUED" | "RQ" | "EXIT"
        | "EXITED" | "LAUNCH_FAILED" | "RECONFIG_FAIL" | "FALSE" | "0" => State::Over(0),
        _ => State::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let base = 1_714_557_600; // 2024-05-01T10:00:00 UTC
        for text in [
            "1714557600",
            "1714557600.9",
            "2024-05-01T10:00:00",
            "2024-05-01 10:00:00.75",
            "2024-05-01T10:00:00Z",
            "2024-05-01T12:00:00+02:00",
            "05/01/2024 10:00:00",
        ] {
            assert_eq!(time(text), Ok(Some(base)), "{text}");
        }
        for text in ["", "Unknown", "None", "N/A"] {
            assert_eq!(time(text), Ok(None));
        }
        assert_eq!(time("2024-13-01T00:00:00"), Err("not a time: '2024-13-01T00:00:00'".to_owned()));
        assert_eq!(time("\x1b[2J"), Err(r"not a time: '\u{1b}[2J'".to_owned()));
        assert!(time("9999999999999999999999").is_err());
        for text in [
            "1714557600123",
            "1714557600123456",
            "1714557600123456789",
            "Wed May  1 10:00:00 2024",
            "Wed, 01 May 2024 12:00:00 +0200",
            "2024/05/01 10:00:00",
            "01.05.2024 10:00",
            "05/01/2024 10:00:00 AM",
            "2024-05-01 10:00:00 UTC",
        ] {
            assert_eq!(time(text), Ok(Some(base)), "{text}");
        }
        let swiss = Clock { zone: TimeZone::get("Europe/Zurich").ok(), day_first: Some(true) };
        assert_eq!(swiss.time("01/05/2024 12:00:00"), Ok(Some(base)));
        let set_back = "2024-10-27T02:30:00";
        assert_eq!(swiss.later(set_back), swiss.time(set_back).unwrap().map(|first| first + 3600));
        assert_eq!(swiss.later("2024-10-27T03:30:00"), None);
        assert_eq!((slashed("13/05/2024 10:00"), slashed("2024/05/13 10:00")), (Some((13, 5)), None));
        assert!(is_date("2024-05-01T10:00:00") && !is_date("17.5"));
    }

    #[test]
    fn limits_as_slurm_writes_them() {
        let limits = [
            ("30", 1800),
            ("30:05", 1805),
            ("1:00:00", 3600),
            ("2-3", 183_600),
            ("2-03:30", 185_400),
            ("", 0),
            ("Partition_Limit", 0),
            ("UNLIMITED", MAX_SECONDS),
        ];
        for (text, seconds) in limits {
            assert_eq!(limit(text, Bare::Minutes), Ok(seconds), "{text}");
        }
        assert_eq!(limit("30", Bare::Seconds), Ok(30));
        assert!(limit("1:00", Bare::MinutesOnly).is_err());
        for text in ["-5", "x", "1:2:3:4", "1-2:3:4:5", "99999999999999999999", "1e3"] {
            assert!(limit(text, Bare::Minutes).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_counts_and_memory() {
        assert_eq!(elapsed("1-02:03:04"), Ok(Some(93_784)));
        assert_eq!(elapsed("02:03.600"), Ok(Some(124)));
        assert_eq!(elapsed("77"), Ok(Some(77)));
        assert_eq!(elapsed(""), Ok(None));
        assert!(elapsed("x").is_err());
        assert_eq!(count("2K"), Ok(Some(2000)));
        assert_eq!(count("16"), Ok(Some(16)));
        assert_eq!(count(""), Ok(None));
        assert!(count("1.5").is_err() && count("-3").is_err() && count("9999999999").is_err());
        assert_eq!(memory("4Gc", 1.0), Some((4.0 * 1024.0 * 1024.0, Each::Processor)));
        assert_eq!(memory("512Mn", 1.0), Some((512.0 * 1024.0, Each::Node)));
        assert_eq!(memory("12kb", 1.0), Some((12.0, Each::Job)));
        assert_eq!(memory("1.5K", 1.0), Some((1.5, Each::Job)));
        assert_eq!(
            tres("billing=8,cpu=8,gres/gpu=2,mem=32G,node=3"),
            Tres { cpus: Some(8), gpus: Some(2), nodes: Some(3), memory_mib: Some(32.0 * 1024.0) }
        );
        assert_eq!(tres("mem=500M").memory_mib, Some(500.0));
        assert_eq!(tres("gres/gpu:a100=2,gres/gpu:t4=1,cpu=2K").gpus, Some(3));
        assert_eq!((ids("0-3 7"), ids("5"), ids("")), (Ok(Some(5)), Ok(Some(1)), Ok(None)));
        assert!(ids("3-1").is_err() && ids("x").is_err());
        assert_eq!(memory("", 1.0), None);
        assert_eq!(memory("many", 1.0), None);
    }
}
