//! The names of policies, predictors, orders and rules on the command line, and the errors of words that name nothing.

use clap::ValueEnum;
use surefill::runtime::MAX_BINS;

/// Reason why a choice is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadChoice {
    /// No such policy, predictor, order or rule.
    #[error("no {what} is named '{name}' (there are {known})")]
    Unknown {
        /// Policy, predictor, order or rule.
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Too many parts.
    #[error("'{0}' is not of the form policy[:predictor[:order[:rule]]]")]
    Form(String),
    /// A rule's numbers are not valid.
    #[error("rule '{rule}': {why}")]
    Rule {
        /// The rule.
        rule: String,
        /// The error in it.
        why: String,
    },
    /// The policy knows machines of processors only.
    #[error(
        "policy {0} does not know machines of nodes (fcfs, easy, easy++, fair, fast, backfill, prob and its presets do, without the bound)"
    )]
    NoNodes(String),
    /// The policy knows machines of nodes only.
    #[error("policy {0} is for machines of nodes: give the nodes with --nodes")]
    NodesOnly(String),
    /// The scheduler engine, which predicts starts, does not have the policy, or not with these options or machine.
    #[error("no starts are predicted under {policy}: {why}")]
    NoStarts {
        /// The policy.
        policy: String,
        /// The reason.
        why: &'static str,
    },
    /// Only probabilistic backfilling has rules.
    #[error("policy {0} has no rules to choose from")]
    NoRules(String),
    /// The policy does not work with this predictor.
    #[error("policy {policy} does not use predictor {predictor} (it uses {used})")]
    Predictor {
        /// The policy.
        policy: String,
        /// The predictor.
        predictor: String,
        /// The ones it works with.
        used: String,
    },
    /// The bins of run times are not valid.
    #[error(
        "no bins of run times from {first_edge_s} s up by a ratio of {ratio}: above 0 s and 1, at most {MAX_BINS} up to a week"
    )]
    Bins {
        /// Start of the second bin, in seconds.
        first_edge_s: f64,
        /// The ratio of their edges.
        ratio: f64,
    },
    /// The policy does not work with this order.
    #[error("policy {policy} has order {order} only")]
    Order {
        /// The policy.
        policy: String,
        /// The order it has.
        order: String,
    },
}

/// The name of a value on the command line.
pub fn name_of(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The names of several, for messages, without those that `--help` does not list.
pub(super) fn names<T: ValueEnum>(values: &[T]) -> String {
    let listed =
        values.iter().filter(|value| value.to_possible_value().is_some_and(|own| !own.is_hide_set()));
    let names: Vec<String> = listed.cloned().map(name_of).collect();
    names.join(", ")
}

/// A value by its name.
pub(super) fn parse<T: ValueEnum>(what: &'static str, name: &str) -> Result<T, BadChoice> {
    T::from_str(name, false).map_err(|_| BadChoice::Unknown {
        what,
        name: name.to_owned(),
        known: names(T::value_variants()),
    })
}
