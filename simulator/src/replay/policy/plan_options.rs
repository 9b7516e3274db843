//! The numbers of a plan's rule, as the command line writes them: `proposals=25+running=0.75`.

use super::name::BadChoice;
use super::{Order, numbers};
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
    /// Under a site's priorities: none where points are worth seconds of waiting, else jobs of a higher priority come
    /// first, and those within this percentage of the range of priorities count as equal.
    pub tie: Option<f64>,
}

/// Every number by its word.
const WORDS: [&str; 10] =
    ["short", "steep", "long", "front", "proposals", "budget", "slack", "cut", "running", "tie"];

impl PlanOptions {
    /// A rule with the usual use of predictions.
    pub const fn new(rule: PlanRule) -> PlanOptions {
        PlanOptions { rule, cut: Settings::DEFAULT.cut, running: Settings::DEFAULT.running, tie: None }
    }

    /// The words with their numbers.
    fn values(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let &PlanOptions { rule, cut, running, tie } = self;
        let PlanRule { short, steep, long, front, proposals, budget, slack } = rule;
        let numbers = [short, steep, long, front, proposals.into(), budget, slack, cut, running];
        WORDS.into_iter().zip(numbers.into_iter().chain(tie))
    }

    /// These numbers, for a plan in this order, with those of the text, as the engine's settings read them.
    ///
    /// # Errors
    /// [`BadChoice::Rule`].
    pub fn changed(&self, text: &str, order: Option<Order>) -> Result<PlanOptions, BadChoice> {
        let bad = |why: String| BadChoice::Rule { rule: text.to_owned(), why };
        for pair in text.split('+') {
            let Some((word, _)) = pair.split_once('=') else {
                return Err(bad(format!("'{pair}' is not of the form word=number")));
            };
            if !WORDS.contains(&word) {
                return Err(bad(format!("a plan has no '{word}' (it has {})", WORDS.join(", "))));
            }
            if word == "tie" && order != Some(Order::Multifactor) {
                return Err(bad("tie= is of a site's priorities: the order multifactor".to_owned()));
            }
        }
        let &PlanOptions { rule, cut, running, tie } = self;
        let tied = tie.is_some() || text.split('+').any(|pair| pair.starts_with("tie="));
        let tie = tie.unwrap_or(0.0);
        let settings = Settings { rule, cut, running, tie, ..Settings::DEFAULT }.changed(text, "");
        let Settings { rule, cut, running, tie, .. } =
            settings.map_err(|word| bad(format!("wanted is {}", word.wanted)))?;
        Ok(PlanOptions { rule, cut, running, tie: tied.then_some(tie) })
    }

    /// The words of the numbers that differ from the others, none if all are the same.
    pub fn difference(&self, base: &PlanOptions) -> Option<String> {
        let base: Vec<(&str, f64)> = base.values().collect();
        let own = self.values().filter(|pair| !base.contains(pair));
        Some(numbers::written(own)).filter(|words| !words.is_empty())
    }
}

impl fmt::Display for PlanOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&numbers::written(self.values()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_changed_by_their_words() {
        let base = PlanOptions::new(PlanRule::FAIR);
        let changed = base.changed("proposals=25+running=0.75", None).unwrap();
        assert_eq!((changed.rule.proposals, changed.running), (25, 0.75));
        assert_eq!(changed.difference(&base).unwrap(), "proposals=25+running=0.75");
        assert_eq!(base.difference(&base), None);
        assert_eq!(base.changed(&changed.to_string(), None), Ok(changed));
    }

    #[test]
    fn bad_numbers_say_why() {
        let why = |text: &str| PlanOptions::new(PlanRule::FAIR).changed(text, None).unwrap_err().to_string();
        assert_eq!(why("fast"), "rule 'fast': 'fast' is not of the form word=number");
        assert!(why("tau=3").starts_with("rule 'tau=3': a plan has no 'tau' (it has short, steep,"));
        assert_eq!(why("cut=x"), "rule 'cut=x': wanted is cut= a quantile, above 0, at most 1");
        assert!(why("proposals=1e3").ends_with("wanted is proposals= a whole number up to 4096"));
        assert!(why("front=0").ends_with("wanted is front= a quantile, above 0, at most 1"));
    }
}
