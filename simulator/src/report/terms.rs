//! Meanings of the names and words on a page, and the papers that its methods are from.

use super::columns::{label, name};
use crate::replay::policy::{Order, PolicyName};
use crate::replay::predict::PredictorName;
use crate::replay::run::Summary;
use crate::replay::setup::preset_name;
use clap::ValueEnum;
use maud::{Markup, html};
use surefill::schedule::PresetName;

/// Papers on the probabilistic rules, the expected delay and the hidden Markov model.
pub const BACKFILLING: &str = "Nissimov & Feitelson, Probabilistic backfilling (JSSPP 2007), for probabilities of delays and their figures; Lifka, The ANL/IBM SP \
     scheduling system (JSSPP 1995), for EASY; Tsafrir, Etsion & Feitelson, Backfilling using system-generated predictions (IEEE \
     TPDS 2007), for EASY++; Mu'alem & Feitelson (IEEE TPDS 2001) for conservative backfilling";
/// Words as the field uses them: those of docs/glossary.md that stand on pages.
const TERMS: [(&str, &str); 17] = [
    (
        "adaptive level",
        "the level of a bound that follows its own misses, so that the share of bounds that hold approaches the quantile",
    ),
    ("backfill", "to start a waiting job ahead of the head of the queue"),
    (
        "bin, runtime bin",
        "one interval of run times; its edges grow by a constant ratio, and inside a bin run times are log-uniform",
    ),
    (
        "bound",
        "a time by which a share (the quantile) of jobs like this one has started, with stated confidence",
    ),
    ("candidate", "a waiting job behind the head that may be backfilled"),
    (
        "change point",
        "a moment at which waits begin to follow another distribution; the history before it no longer counts",
    ),
    ("clairvoyant", "knowing true run times: a ceiling in comparisons, not a policy"),
    ("coverage, correctness", "the share of bounds that hold"),
    ("EASY", "backfilling with one reservation, the head job's, computed from the users' limits"),
    (
        "geometric mean wait",
        "the exponential of the mean logarithm of waits, those below 10 s counted as 10 s",
    ),
    ("head job", "the first waiting job that cannot start; backfills must not delay it too often"),
    ("limit", "the run time that the user requested, at which the resource manager may kill the job"),
    ("relative", "the expected delay of the head in seconds over its expected remaining wait"),
    ("reservation", "the time at which the head job can start if everybody else runs as expected"),
    ("slot", "the interval of time that is one step of the hidden Markov model"),
    ("tau", "the threshold of a rule: a delay below it is accepted"),
    ("trimming", "leaving out the history before a change point"),
];

/// Whether a page has a word, also in the plural.
fn has(page: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    page.match_indices(&word).any(|(at, _)| {
        let letter = |c: char| c.is_alphanumeric();
        let before = page[..at].chars().next_back().is_none_or(|c| !letter(c));
        let rest = &page[at + word.len()..];
        let after = rest.strip_prefix('s').unwrap_or(rest).chars().next().is_none_or(|c| !letter(c));
        before && after
    })
}

/// The terms that a page has, and the papers its methods are from.
pub(super) fn explained(page: &str, papers: &str) -> Markup {
    let page = page.to_lowercase();
    let found: Vec<_> =
        TERMS.iter().filter(|(term, _)| term.split(", ").any(|word| has(&page, word))).collect();
    html! {
        section.terms {
            h2 { "Words and sources" }
            @if !found.is_empty() {
                dl { @for (term, meaning) in found { dt { (term) } dd { (meaning) } } }
            }
            @if !papers.is_empty() { p.facts { "Methods: " (papers) "." } }
        }
    }
}

/// The help text of a name.
fn about<T: ValueEnum>(value: &T) -> String {
    let value = value.to_possible_value();
    value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
}

fn about_preset(preset: PresetName) -> &'static str {
    match preset {
        PresetName::Delay => {
            "Probabilistic backfilling by the preset delay: queue and candidates in an order by predicted run time, processors and age; a \
             candidate starts that delays the head job by little of its expected wait, and whatever EASY would start; nobody who has \
             waited longer than most is delayed by more than under EASY"
        }
        PresetName::DelayFast => "As delay, but it goes further: shorter mean waits, longer longest ones",
        PresetName::Papers => "Probabilistic backfilling as Nissimov & Feitelson 2007 have it",
        PresetName::Easy => "EASY's rules under the probabilistic policy: limits alone",
    }
}

/// A predictor's output, in words.
fn prediction(about: &str) -> String {
    match about.split_once(": ") {
        Some(("Value", what)) => format!("Run times, as single numbers: {what}"),
        Some(("Distribution", what)) => format!("Run times, as distributions: {what}"),
        _ => format!("Run times: {about}"),
    }
}

/// Descriptions of the policies of a comparison, with predictor, order and rule.
pub(super) fn policies(all: &[Summary]) -> Markup {
    let row = |summary: &Summary| {
        let setup = &summary.setup;
        let policy =
            setup.preset.map_or_else(|| about(&setup.policy), |preset| about_preset(preset).to_owned());
        let mut parts = vec![policy];
        let limits = setup.policy == PolicyName::Fcfs || setup.preset == Some(PresetName::Easy);
        if setup.predictor != PredictorName::Limit && !limits {
            parts.push(prediction(&about(&setup.predictor)));
        }
        let order = setup.order.to_string();
        let known = Order::value_variants().iter().find(|known| {
            known.to_possible_value().is_some_and(|value| value.get_name() == order) && **known != Order::Fcfs
        });
        // The order of a preset is its own.
        if let Some(known) = known.filter(|_| setup.preset.is_none_or(|preset| preset_name(preset) != order))
        {
            parts.push(format!("Order: {}", about(known)));
        }
        (name(setup), label(setup), parts.join(". "))
    };
    html! {
        h3 { "What the policies are" }
        dl { @for (_, label, about) in all.iter().map(row) { dt { (label) } dd { (about) "." } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_glossary() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/glossary.md");
        let glossary = std::fs::read_to_string(path).unwrap();
        for (term, meaning) in TERMS {
            assert!(glossary.contains(&format!("| {term} | {meaning} |")), "{term}");
        }
    }

    #[test]
    fn a_page_explains_its_own_words() {
        let page = explained("The HEAD job's limits, and easy++ ones", "A paper").into_string();
        assert!(
            page.contains("<dt>head job</dt>")
                && page.contains("<dt>limit</dt>")
                && page.contains("A paper.")
        );
        assert!(!page.contains("slot") && !page.contains("tau"));
    }

    #[test]
    fn every_built_in_policy_is_explained() {
        for policy in PolicyName::value_variants() {
            assert!(about(policy).len() > 20, "{policy:?}");
        }
    }
}
