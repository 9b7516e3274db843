//! The numbers of a plan's rule, as the command line writes them: `proposals=25+running=0.75`.

use super::name::BadChoice;
use super::numbers;
use std::fmt;
use surefill::engine::Settings;
use surefill::plan::PlanRule;

/// The numbers of the rule, and how predictions enter it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanOptions {
    /// The core's rule.
    pub rule: PlanRule,
    /// Quantile at which the predicted run times of waiting jobs are cut: longer ones count as the quantile.
    pub cut: f64,
    /// Quantile of the predicted rest of their run time at which running jobs end.
    pub running: f64,
}

/// Every number by its word.
const WORDS: [&str; 9] =
    ["short", "steep", "long", "front", "proposals", "budget", "slack", "cut", "running"];

impl PlanOptions {
    /// A rule with the usual use of predictions.
    pub const fn new(rule: PlanRule) -> PlanOptions {
        PlanOptions { rule, cut: Settings::DEFAULT.cut, running: Settings::DEFAULT.running }
    }

    fn values(&self) -> [f64; 9] {
        let &PlanOptions { rule, cut, running } = self;
        let PlanRule { short, steep, long, front, proposals, budget, slack } = rule;
        [short, steep, long, front, proposals.into(), budget, slack, cut, running]
    }

    /// These numbers with those named in the text changed, as the engine's settings read them.
    ///
    /// # Errors
    /// [`BadChoice::Rule`].
    pub fn changed(&self, text: &str) -> Result<PlanOptions, BadChoice> {
        let bad = |why: String| BadChoice::Rule { rule: text.to_owned(), why };
        for pair in text.split('+') {
            let Some((word, _)) = pair.split_once('=') else {
                return Err(bad(format!("'{pair}' is not of the form word=number")));
            };
            if !WORDS.contains(&word) {
                return Err(bad(format!("a plan has no '{word}' (it has {})", WORDS.join(", "))));
            }
        }
        let &PlanOptions { rule, cut, running } = self;
        let settings = Settings { rule, cut, running, ..Settings::DEFAULT }.changed(text, "");
        let Settings { rule, cut, running, .. } =
            settings.map_err(|word| bad(format!("wanted is {}", word.wanted)))?;
        Ok(PlanOptions { rule, cut, running })
    }

    /// The words of the numbers that differ from the others, none if all are the same.
    pub fn difference(&self, base: &PlanOptions) -> Option<String> {
        let pairs = WORDS.iter().zip(self.values().into_iter().zip(base.values()));
        let own = pairs.filter(|(_, (own, base))| own != base).map(|(word, (own, _))| (word, own));
        Some(numbers::written(own)).filter(|words| !words.is_empty())
    }
}

impl fmt::Display for PlanOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&numbers::written(WORDS.iter().zip(self.values())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_changed_by_their_words() {
        let base = PlanOptions::new(PlanRule::FAIR);
        let changed = base.changed("proposals=25+running=0.75").unwrap();
        assert_eq!((changed.rule.proposals, changed.running), (25, 0.75));
        assert_eq!(changed.difference(&base).unwrap(), "proposals=25+running=0.75");
        assert_eq!(base.difference(&base), None);
        assert_eq!(base.changed(&changed.to_string()), Ok(changed));
    }

    #[test]
    fn bad_numbers_say_why() {
        let why = |text: &str| PlanOptions::new(PlanRule::FAIR).changed(text).unwrap_err().to_string();
        assert_eq!(why("fast"), "rule 'fast': 'fast' is not of the form word=number");
        assert!(why("tau=3").starts_with("rule 'tau=3': a plan has no 'tau' (it has short, steep,"));
        assert_eq!(why("cut=x"), "rule 'cut=x': wanted is cut= a quantile, above 0, at most 1");
        assert!(why("proposals=1e3").ends_with("wanted is proposals= a whole number up to 4096"));
        assert!(why("front=0").ends_with("wanted is front= a quantile, above 0, at most 1"));
    }
}
