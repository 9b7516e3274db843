//! Readings of what the paper leaves open about prompts, lock-in, risk aversion and the line of the bias correction
//! (sections 5.3, 5.4 and 6.1), each a modifier of a strategy.

use std::fmt;

/// One such reading. What holds without it stands in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// A decision to hold out is never revised (it is at every prompt).
    Once,
    /// Jobs that arrive prompt no decision (they do).
    Elapsed,
    /// A predicted wait is over after one second at the earliest (after thirty).
    Hasty,
    /// With lock-in: at a prompt the choice is between what is free and the number declared (any up to that number).
    Bound,
    /// With lock-in: at a prompt a job declares anew, and may declare more (no more than before).
    Anew,
    /// With risk aversion: the fifth is of the run time on the chosen processors (on those that are free).
    Chosen,
    /// With risk aversion: only the first decision is averse (each is).
    First,
    /// With two runs: the first is that of PRED without lock-in and risk aversion (with them).
    Plain,
    /// With two runs: the decisions of the first are in effect (they are recorded under AVG).
    Effected,
    /// With two runs: the line goes through the predictions for all numbers that were weighed (for those chosen).
    Every,
    /// With two runs: the line of the logarithms is applied to seconds (to logarithms).
    Seconds,
    /// With two runs: the line is the paper's, slope .6 and intercept 1.7, in natural logarithms (our own line).
    Natural,
    /// With two runs: the line is the paper's, in decimal logarithms (our own line).
    Decimal,
}

impl Reading {
    /// All, in the order in which a strategy's name has them, as on the command line.
    pub const ALL: [(&str, Reading); 13] = [
        ("once", Reading::Once),
        ("elapsed", Reading::Elapsed),
        ("hasty", Reading::Hasty),
        ("bound", Reading::Bound),
        ("anew", Reading::Anew),
        ("chosen", Reading::Chosen),
        ("first", Reading::First),
        ("plain", Reading::Plain),
        ("effected", Reading::Effected),
        ("every", Reading::Every),
        ("seconds", Reading::Seconds),
        ("natural", Reading::Natural),
        ("decimal", Reading::Decimal),
    ];

    /// The modifier without which it says nothing.
    pub fn needs(self) -> Option<&'static str> {
        match self {
            Reading::Once | Reading::Elapsed | Reading::Hasty => None,
            Reading::Bound | Reading::Anew => Some("lock"),
            Reading::Chosen | Reading::First => Some("averse"),
            _ => Some("twice"),
        }
    }
}

/// The readings of a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readings(u16);

impl Readings {
    /// None.
    pub const NONE: Readings = Readings(0);

    /// Whether this one is among them.
    pub fn has(self, reading: Reading) -> bool {
        self.0 & 1 << reading as u16 != 0
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, reading: Reading) -> Readings {
        Readings(self.0 | 1 << reading as u16)
    }

    /// Each.
    pub fn each(self) -> impl Iterator<Item = (&'static str, Reading)> {
        Reading::ALL.into_iter().filter(move |&(_, reading)| self.has(reading))
    }
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.each().try_for_each(|(name, _)| write!(f, "+{name}"))
    }
}
