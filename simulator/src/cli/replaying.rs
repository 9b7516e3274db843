//! Policies with their options, checked and filled in: those of `compare`, and those of programs that are no command
//! line and give options by name.

use super::Failure;
use super::options::{PolicyArgs, ProbArgs, ReplayOptions, takes_preset};
use crate::replay::policy::{Choice, PolicyOptions};
use crate::trace::workload::Rules;
use clap::{CommandFactory, FromArgMatches, Parser};

/// The policies that `compare` has where none are named.
const USUAL: [&str; 8] = ["fcfs", "easy", "conservative", "easy++", "delay", "delay-fast", "fair", "fast"];

/// ... on a site, first its own rule; with priorities that by limits with ageing, too.
const AT_SITE: [&str; 5] = ["backfill", "backfill:limit:points-fixed", "easy", "fair", "fast"];

/// ... and a preset of the probabilistic policy is: no other policy takes its values.
const WITH_PRESET: [&str; 2] = ["easy", "prob"];

/// The policies that are compared.
///
/// # Errors
/// [`Failure::Usage`] for a preset that none of them takes its values from.
pub(super) fn compared(replay: &ReplayOptions, named: Option<&[Choice]>) -> Result<Vec<Choice>, Failure> {
    let preset = replay.of_prob();
    let Some(named) = named else {
        let names = match (&preset, replay.site_and_priorities()) {
            (Some(_), _) => &WITH_PRESET[..],
            (None, (true, true)) => &AT_SITE,
            (None, (true, false)) => &["backfill", "easy", "fair", "fast"],
            (None, (false, _)) => &USUAL,
        };
        let choices = names.iter().map(|name| name.parse::<Choice>());
        let mut choices: Vec<_> = choices.collect::<Result<_, _>>().map_err(anyhow::Error::new)?;
        choices.retain(|choice| !replay.on_nodes() || choice.policy.knows_nodes());
        return Ok(choices.into_iter().map(|choice| replay.at_site(choice)).collect());
    };
    match preset {
        // The papers' has rules for all policies as well.
        Some(preset) if preset != "papers" && !named.iter().any(takes_preset) => {
            Err(Failure::Usage(format!(
                "--preset {preset} is what prob takes its values from, and prob is not among the policies"
            )))
        }
        _ => Ok(named.iter().map(|&choice| replay.at_site(choice)).collect()),
    }
}

/// The policies with their options, each of which must concern one of them at least.
///
/// # Errors
/// [`Failure::Usage`].
pub(super) fn policies(
    replay: &ReplayOptions,
    prob: &ProbArgs,
    choices: &[Choice],
    delays_wanted: bool,
) -> Result<Vec<(Choice, PolicyOptions)>, Failure> {
    let refused = |choice: &Choice| prob.check(choice).err();
    if let (Some(failure), true) =
        (choices.first().and_then(refused), choices.iter().all(|choice| refused(choice).is_some()))
    {
        return Err(failure);
    }
    let with_options = |&choice: &Choice| {
        let options = prob.options(replay, &choice)?;
        Ok((choice, PolicyOptions { delays_wanted, ..options }))
    };
    let mut policies: Vec<(Choice, PolicyOptions)> =
        choices.iter().map(with_options).collect::<Result<_, Failure>>()?;
    // One order by priorities, and the waits under all policies are broken down by these.
    if let Some(site) = policies.iter().find_map(|(_, options)| options.site.clone()) {
        policies.iter_mut().for_each(|(_, options)| options.site = Some(site.clone()));
    }
    Ok(policies)
}

/// The options as a command line of their own.
#[derive(Debug, Parser)]
#[command(name = "surefill", no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

/// Options of replays by name, which are those of `simulate` and `compare`. Errors are sentences in which an option
/// `tau` is called `--tau`. Everything that is wanted to be shown of delays is measured.
#[derive(Debug)]
pub struct Replaying(Words);

impl Replaying {
    /// From pairs of a name, with hyphens, and a value as the command line writes it.
    ///
    /// # Errors
    /// Unknown names and values, and options that exclude each other.
    pub fn new(options: &[(String, String)]) -> Result<Replaying, String> {
        let words = options.iter().map(|(name, value)| format!("--{name}={value}"));
        let mut command = Words::command();
        let parsed =
            command.try_get_matches_from_mut(words).and_then(|found| Words::from_arg_matches(&found));
        parsed.map(Replaying).map_err(|error| {
            let text = error.render().to_string();
            // The command line's usage is left out: the caller has none.
            let text = text.split("\n\nUsage:").next().unwrap_or(&text);
            let text = text.split("\n\nFor more information").next().unwrap_or(text);
            let words: Vec<&str> = text.split_whitespace().collect();
            words.join(" ").trim_start_matches("error: ").to_owned()
        })
    }

    /// The one policy, `fair` where none was named and no preset has one of its own.
    ///
    /// # Errors
    /// Options out of range, and those that change nothing of this policy.
    pub fn policy(&self) -> Result<(Choice, PolicyOptions), String> {
        let Words { policy, replay, prob } = &self.0;
        let all = || {
            let choice = policy.choice(replay)?;
            prob.check(&choice)?;
            let options = prob.options(replay, &choice)?;
            Ok((choice, PolicyOptions { delays_wanted: true, ..options }))
        };
        all().map_err(sentence)
    }

    /// The policies that are compared, the usual ones where none are named.
    ///
    /// # Errors
    /// Options out of range, and those that change nothing of any policy.
    pub fn policies(&self, named: Option<&[Choice]>) -> Result<Vec<(Choice, PolicyOptions)>, String> {
        let Words { replay, prob, .. } = &self.0;
        let all = || {
            let choices = compared(replay, named)?;
            policies(replay, prob, &choices, true)
        };
        all().map_err(sentence)
    }

    /// The replay rules for a trace.
    pub fn rules(&self, file_name: &str) -> Rules {
        self.0.replay.rules(file_name)
    }
}

fn sentence(failure: Failure) -> String {
    match failure {
        Failure::Usage(why) => why,
        Failure::Work(error) => format!("{error:#}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(options: &[(&str, &str)]) -> Result<String, String> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let options: Vec<_> = options.iter().map(owned).collect();
        let (choice, options) = Replaying::new(&options)?.policy()?;
        Ok(format!("{choice} {}", options.prob.tau))
    }

    #[test]
    fn options_by_name_are_those_of_the_command() {
        assert_eq!(one(&[("policy", "prob"), ("tau", "0.25")]), Ok("prob 0.25".to_owned()));
        assert_eq!(one(&[("preset", "delay"), ("tau", "0.25")]), Ok("prob 0.25".to_owned()));
        assert!(one(&[]).unwrap().starts_with("fair "));
        for (options, why) in [
            (&[("policy", "easy"), ("tau", "0.25")][..], "--tau is for --policy prob, not for easy"),
            (&[("policy", "fair"), ("preset", "delay")], "and the policy is fair"),
            (
                &[("policy", "prob:user:fcfs:relative=0.1"), ("tau", "1")],
                "--tau changes nothing beside the rule",
            ),
            (&[("tau", "-1")], "invalid value '-1' for '--tau <TAU>': not a number of 0 or above"),
            (&[("fit", "best")], "required"),
            (&[("colour", "red")], "unexpected argument '--colour'"),
        ] {
            let error = one(options).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
