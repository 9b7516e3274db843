//! A policy's own rule for its backfills, written `rule[=TAU][@EVENTS][+report|+decide]`, so that one comparison
//! can have several.

use super::name::{BadChoice, name_of, parse};
use super::{Calibrate, Criterion, Delay, ProbOptions};
use clap::ValueEnum;
use std::fmt;
use std::str::FromStr;
use surefill::runtime::MAX_EVENTS_PER_BIN;

/// Measure that is compared with the threshold: criterion and computation under one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuleName {
    /// The probability of any delay, exactly.
    Exact,
    /// The papers' lower bound of that probability.
    Bound,
    /// The expected delay in seconds.
    Seconds,
    /// The expected delay over the head job's own expected remaining wait.
    Relative,
}

/// A rule: changes of the options that all policies share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleChoice {
    /// Measure that is compared with the threshold.
    pub name: RuleName,
    /// The threshold.
    pub tau: Option<f64>,
    /// Number of events into which a bin's probability is divided.
    pub events_per_bin: Option<usize>,
    /// Use of the calibration by earlier backfills.
    pub calibrate: Option<Calibrate>,
}

impl RuleName {
    /// The rule that these options make.
    pub fn of(criterion: Criterion, delay: Delay) -> RuleName {
        match (criterion, delay) {
            (Criterion::Probability, Delay::Exact) => RuleName::Exact,
            (Criterion::Probability, Delay::Bound) => RuleName::Bound,
            (Criterion::Seconds, _) => RuleName::Seconds,
            (Criterion::Relative, _) => RuleName::Relative,
        }
    }

    fn options(self) -> (Criterion, Delay) {
        match self {
            RuleName::Exact => (Criterion::Probability, Delay::Exact),
            RuleName::Bound => (Criterion::Probability, Delay::Bound),
            RuleName::Seconds => (Criterion::Seconds, Delay::Exact),
            RuleName::Relative => (Criterion::Relative, Delay::Exact),
        }
    }
}

impl RuleChoice {
    /// The options of a policy with this rule, among policies that share `base`. A threshold in another unit than
    /// `base`'s is the unit's default.
    pub fn options(&self, base: &ProbOptions) -> ProbOptions {
        let (criterion, delay) = self.name.options();
        let same_unit = (criterion == Criterion::Seconds) == (base.criterion == Criterion::Seconds);
        let tau = if same_unit { base.tau } else { criterion.default_tau() };
        ProbOptions {
            criterion,
            delay,
            tau: self.tau.unwrap_or(tau),
            events_per_bin: self.events_per_bin.unwrap_or(base.events_per_bin),
            calibrate: self.calibrate.unwrap_or(base.calibrate),
            ..base.clone()
        }
    }
}

impl fmt::Display for RuleChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name_of(self.name))?;
        if let Some(tau) = self.tau {
            write!(f, "={tau}")?;
        }
        if let Some(events) = self.events_per_bin {
            write!(f, "@{events}")?;
        }
        if let Some(calibrate) = self.calibrate {
            write!(f, "+{}", name_of(calibrate))?;
        }
        Ok(())
    }
}

impl FromStr for RuleChoice {
    type Err = BadChoice;

    fn from_str(text: &str) -> Result<RuleChoice, BadChoice> {
        let bad = |why: String| BadChoice::Rule { rule: text.to_owned(), why };
        let (rest, calibrate) = match text.split_once('+') {
            Some((rest, calibrate)) => (rest, Some(parse("calibration", calibrate)?)),
            None => (text, None),
        };
        let (rest, events) = match rest.split_once('@') {
            Some((rest, events)) => (rest, Some(events)),
            None => (rest, None),
        };
        let (name, tau) = match rest.split_once('=') {
            Some((name, tau)) => (name, Some(tau)),
            None => (rest, None),
        };
        let tau = tau.map(|tau| match tau.parse::<f64>() {
            Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
            _ => Err(bad(format!("the threshold '{tau}' is not a number of 0 or above"))),
        });
        let events = events.map(|events| match events.parse::<usize>() {
            Ok(value) if (1..=MAX_EVENTS_PER_BIN).contains(&value) => Ok(value),
            _ => Err(bad(format!("the events per bin '{events}' are not 1 to {MAX_EVENTS_PER_BIN}"))),
        });
        Ok(RuleChoice {
            name: parse("rule", name)?,
            tau: tau.transpose()?,
            events_per_bin: events.transpose()?,
            calibrate,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_written_as_they_are_read() {
        for text in
            ["exact", "bound@1", "seconds=60", "relative=0.05@8", "exact=0.1@8+report", "seconds+decide"]
        {
            assert_eq!(text.parse::<RuleChoice>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_rule_changes_what_it_names() {
        let base = ProbOptions { tau: 0.1, refresh: false, ..ProbOptions::default() };
        let options = |text: &str| text.parse::<RuleChoice>().unwrap().options(&base);
        assert_eq!(options("exact"), base);
        assert_eq!(
            options("bound@1"),
            ProbOptions { delay: Delay::Bound, events_per_bin: 1, ..base.clone() }
        );
        let relative = options("relative=0.2");
        assert_eq!((relative.criterion, relative.tau, relative.refresh), (Criterion::Relative, 0.2, false));
        assert_eq!(options("exact+decide"), ProbOptions { calibrate: Calibrate::Decide, ..base.clone() });
        // 0.1 was meant as a probability, not as seconds.
        assert_eq!(options("seconds").tau, 60.0);
    }

    #[test]
    fn bad_rules_say_why() {
        let why = |text: &str| text.parse::<RuleChoice>().unwrap_err().to_string();
        assert_eq!(why("best"), "no rule is named 'best' (there are exact, bound, seconds, relative)");
        assert_eq!(why("exact+x"), "no calibration is named 'x' (there are off, report, decide)");
        assert_eq!(why("exact=x"), "rule 'exact=x': the threshold 'x' is not a number of 0 or above");
        assert_eq!(why("exact@17"), "rule 'exact@17': the events per bin '17' are not 1 to 16");
    }
}
