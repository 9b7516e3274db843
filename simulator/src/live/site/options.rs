//! Options of the predictors that a site's questions go to.

use super::Site;
use crate::live::age::FIRST_DATE;
use crate::live::history::{self, History};
use crate::live::methods::{By, Method};
use jiff::{Zoned, tz::TimeZone};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};
use surefill::error::Error as CoreError;
use surefill::wait::{
    ADAPT, AVAILABILITY, CLUSTER, MAX_CLUSTERS, MAX_HISTORY, TRIM, VISIBLE, WaitOptions, smallest_history,
};

/// Options of the predictors, as `predict-wait` and `serve` have them.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteOptions {
    /// All queues are one.
    pub one_queue: bool,
    /// The quantile of the wait that is bounded, above 0 and below 1.
    pub quantile: f64,
    /// The confidence of the bound, likewise.
    pub confidence: f64,
    /// The methods; every queue takes the one whose bounds have been tightest.
    pub methods: Vec<Method>,
    /// Bounds rest on the paper's history, not on the jobs that came into a like situation.
    pub no_visible: bool,
    /// Attribute that jobs are clustered by; of the paper's history alone.
    pub by: Option<By>,
    /// Bounds do not follow their own misses.
    pub no_adapt: bool,
    /// Histories are not trimmed at change points; of the paper's history alone.
    pub no_trim: bool,
    /// Jobs are not clustered; of the paper's history alone.
    pub no_cluster: bool,
    /// There is a bound even when the machine may be down.
    pub no_availability: bool,
}

impl Default for SiteOptions {
    fn default() -> SiteOptions {
        SiteOptions {
            one_queue: false,
            quantile: 0.95,
            confidence: 0.95,
            methods: vec![Method::Binomial],
            no_visible: false,
            by: None,
            no_adapt: false,
            no_trim: false,
            no_cluster: false,
            no_availability: false,
        }
    }
}

/// Why options are refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refused {
    /// A bound that would need more waits than a predictor remembers.
    #[error("a bound of the {0} quantile with confidence {1} needs {2} waits; {MAX_HISTORY} are remembered")]
    Bound(f64, f64, String),
    /// An option that would change nothing: its name, with underscores.
    #[error("{0} changes the paper's history, and bounds rest on jobs in a like situation instead")]
    Unused(&'static str),
}

/// Refuses a bound that would need more waits than a predictor remembers.
///
/// # Errors
/// [`Refused::Bound`].
pub fn check_bound(quantile: f64, confidence: f64) -> Result<(), Refused> {
    let fewest = smallest_history(quantile, confidence);
    if fewest.is_ok_and(|fewest| fewest <= u64::from(MAX_HISTORY)) {
        return Ok(());
    }
    let needed = fewest.map_or_else(|_| "billions of".to_owned(), |fewest| fewest.to_string());
    Err(Refused::Bound(quantile, confidence, needed))
}

/// The time as of which questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    /// A time on the history's clock.
    At(i64),
    /// The system's clock.
    Clock,
    /// The newest event of the history.
    End,
}

impl FromStr for Present {
    type Err = String;

    fn from_str(text: &str) -> Result<Present, String> {
        match text {
            "clock" => Ok(Present::Clock),
            "end" => Ok(Present::End),
            text => history::time(text)?.map(Present::At).ok_or_else(|| "not a time".to_owned()),
        }
    }
}

impl Present {
    /// The time on the system's clock, where that is the present: where it is asked for, and by default of a history
    /// whose newest event, `last`, is a date. It is then not before that event, whatever zone its dates are of.
    pub fn moving(present: Option<Present>, last: i64, dates: bool) -> Option<i64> {
        match present {
            Some(Present::Clock) => Some(clock(dates)),
            None if last >= FIRST_DATE => Some(clock(dates).max(last)),
            _ => None,
        }
    }
}

/// The system's clock: Unix seconds, or what a clock on the wall shows, for histories with dates.
pub fn clock(dates: bool) -> i64 {
    if dates {
        let wall = Zoned::now().datetime().to_zoned(TimeZone::UTC);
        return wall.map_or(0, |wall| wall.timestamp().as_second());
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or(0)
}

impl SiteOptions {
    /// Whether bounds rest on the jobs that came into a like situation.
    fn visible(&self) -> bool {
        !self.no_visible && self.methods == [Method::Binomial]
    }

    /// The core's options.
    pub fn core(&self) -> WaitOptions {
        let parts = [
            (TRIM, self.no_trim),
            (CLUSTER, self.no_cluster),
            (AVAILABILITY, self.no_availability),
            (ADAPT, self.no_adapt),
        ];
        let papers = TRIM | CLUSTER;
        let on: u32 = parts.into_iter().filter(|(_, off)| !off).map(|(part, _)| part).sum();
        WaitOptions {
            quantile: self.quantile,
            confidence: self.confidence,
            attribute: self.by.unwrap_or(By::Requested).core(),
            components: if self.visible() { (on & !papers) | VISIBLE } else { on },
            ..WaitOptions::papers()
        }
    }

    /// Refuses options that are out of range or change nothing.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self) -> Result<(), Refused> {
        check_bound(self.quantile, self.confidence)?;
        let of_histories =
            [("by", self.by.is_some()), ("no_trim", self.no_trim), ("no_cluster", self.no_cluster)];
        match of_histories.into_iter().find(|(_, given)| *given && self.visible()) {
            Some((option, _)) => Err(Refused::Unused(option)),
            None => Ok(()),
        }
    }

    /// The predictors, with the history shown to them up to the present.
    ///
    /// # Errors
    /// Those of [`Site::new`].
    pub fn site(&self, history: &History, present: Option<Present>) -> Result<Site, CoreError> {
        let now = match present {
            Some(Present::At(now)) => Some(now),
            other => Present::moving(other, history.last(), history.dates),
        };
        Site::new(history, &self.methods, &self.core(), MAX_CLUSTERS as u32, !self.one_queue, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The core's default is C's as well (`the_defaults_are_the_cores` in the core's tests).
    #[test]
    fn without_options_the_predictor_is_the_cores_default() {
        let plain = SiteOptions::default;
        assert_eq!(plain().core(), WaitOptions::default());
        let of_papers = SiteOptions { no_visible: true, no_adapt: true, ..plain() };
        assert_eq!(of_papers.core(), WaitOptions::papers());
        let whole = SiteOptions { no_visible: true, no_trim: true, no_cluster: true, ..plain() };
        assert_eq!(whole.core().components, AVAILABILITY | ADAPT);
        let weibull = SiteOptions { methods: vec![Method::Weibull], ..plain() };
        assert_eq!(weibull.core().components, TRIM | CLUSTER | AVAILABILITY | ADAPT);
    }

    #[test]
    fn the_present_is_the_clock_where_the_history_has_dates() {
        let year = 365 * 86_400;
        let moving = Present::moving;
        let now = moving(Some(Present::Clock), 5, false).unwrap();
        let by_default = moving(None, now - year, false).unwrap();
        assert!((now..now + 60).contains(&by_default));
        assert_eq!(moving(None, now + year, false), Some(now + year));
        for fixed in [(None, 900_000), (Some(Present::End), now - year), (Some(Present::At(7)), now)] {
            assert_eq!(moving(fixed.0, fixed.1, false), None);
        }
        let read = ["clock", "end", "17", "1970-01-02"].map(|text| text.parse());
        let wanted = [Present::Clock, Present::End, Present::At(17), Present::At(86_400)];
        assert_eq!(read, wanted.map(Ok));
        assert!("yesterday".parse::<Present>().is_err() && "".parse::<Present>().is_err());
    }

    #[test]
    fn options_that_change_nothing_are_refused() {
        let by = SiteOptions { by: Some(By::Processors), ..SiteOptions::default() };
        assert_eq!(by.check(), Err(Refused::Unused("by")));
        assert_eq!(SiteOptions { no_visible: true, ..by }.check(), Ok(()));
    }
}
