//! Policies as every verb reads them: `policy[:predictor[:order[:rule]]]`.

use crate::replay::policy::{Choice, OwnPreset, PolicyName};
use clap::ValueEnum;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use std::ffi::OsStr;

/// Reads a [`Choice`], and offers the names that it may begin with.
#[derive(Debug, Clone)]
pub struct ChoiceParser;

impl TypedValueParser for ChoiceParser {
    type Value = Choice;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Choice, clap::Error> {
        let parser = StringValueParser::new().try_map(|text| text.parse::<Choice>());
        parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let policies = PolicyName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let presets = OwnPreset::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        Some(Box::new(policies.chain(presets)))
    }
}

/// Presets of the scheduler engine, for verbs that ask it and replay nothing.
const OF_ENGINE: [&str; 3] = ["fair", "fast", "easy"];

/// The preset of the scheduler engine that is this policy, by its name.
///
/// # Errors
/// A message where it is another one: the engine has its own predictor and order.
pub fn of_engine(choice: &Choice) -> Result<&'static str, String> {
    // Defaults that are written out change nothing.
    let is =
        |name: &&str| name.parse::<Choice>().is_ok_and(|preset| preset.to_string() == choice.to_string());
    let found = OF_ENGINE.into_iter().find(|name| is(name));
    found.ok_or_else(|| {
        let [others @ .., last] = OF_ENGINE;
        format!(
            "the scheduler engine has {} and {last}, with predictors and orders of their own, not {choice}",
            others.join(", ")
        )
    })
}

/// Reads a policy that the scheduler engine has.
///
/// # Errors
/// A message.
pub fn engine_policy(text: &str) -> Result<String, String> {
    let choice: Choice = text.parse().map_err(|error: crate::replay::policy::BadChoice| error.to_string())?;
    of_engine(&choice).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_of_the_engine_are_policies() {
        assert_eq!(OF_ENGINE.map(|name| engine_policy(name).unwrap()), OF_ENGINE);
        // The same written out.
        assert_eq!(engine_policy("easy:limit:fcfs").as_deref(), Ok("easy"));
        let refused = engine_policy("easy:mean2:sjbf").unwrap_err();
        assert!(refused.starts_with("the scheduler engine has fair, fast and easy, with"), "{refused}");
        assert!(engine_policy("nonsense").unwrap_err().contains("no policy is named 'nonsense'"));
    }
}
