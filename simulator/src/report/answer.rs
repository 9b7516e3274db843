//! The answer of a comparison: which policy makes jobs wait least, by how much, on how many traces, and who pays for
//! it.
//!
//! Changes are against EASY by limits, first come first served, over the same seeds: the mean wait over EASY's, and
//! of several traces the mean of their changes. Their intervals are those of a bootstrap over weeks and seeds.
//! Policies that know run times beforehand are shown, but are no answer.
//!
//! First comes how much of the recorded mean waits EASY's replay explains, and what would be saved of them
//! ([`explained`], [`recorded_savings`]). EASY is the one in the order
//! of the site's priorities where that is among the policies, and is then named with it.

use super::Compared;
use super::columns::{baseline, details, is_easy, name};
use super::grid::Grid;
use super::savings::{self, Saving, explains};
use super::table::Style;
use super::views::short;
use super::what_if::{Beside, span, waited};
use crate::base::bootstrap::Interval;
use crate::base::statistics::{change, mean, median};
use crate::base::words::several;
use crate::replay::fairness::{FEWEST, Group};
use crate::replay::policy::{PolicyName, name_of};
use crate::replay::predict::PredictorName;
use crate::replay::run::Summary;
use crate::replay::scored::{EXCEEDED, Verdict};
use crate::replay::waiting::change_over_weeks;
use crate::trace::workload::ESTIMATES;
use maud::{Markup, html};
use serde::Serialize;

/// A policy's outcome on all traces, beside EASY.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Its place in the list of policies.
    pub index: usize,
    /// Its name, with what tells it from others of that name.
    pub policy: String,
    /// The change of the mean wait, a mean over traces: -0.33 is 33 % below EASY's.
    pub change: f64,
    /// Its 95 % interval over the weeks of each trace and its replays; none where a trace has too few weeks.
    pub ci95: Option<Interval>,
    /// The longest wait over EASY's, a mean over traces; none where EASY's is 0 everywhere.
    pub longest: Option<f64>,
    /// The traces on which its mean wait is below EASY's.
    pub ahead: usize,
    /// The traces on which EASY's jobs wait a minute or more on average.
    pub traces: usize,
}

/// A policy's changes against EASY; none without EASY, or where jobs wait less than a minute under it.
fn standing(traces: &[Compared], index: usize) -> Option<Standing> {
    let mut changes = Vec::new();
    let mut pairs = Vec::new();
    let mut longest = Vec::new();
    for compared in traces {
        let (own, base) = (compared.policies.get(index)?, baseline(&compared.policies)?);
        let Some(change) = change(own.mean.mean_wait_s, base.mean.mean_wait_s) else { continue };
        changes.push(change);
        pairs.push((&own.weeks[..], &base.weeks[..]));
        if base.mean.max_wait_s > 0.0 {
            longest.push(own.mean.max_wait_s / base.mean.max_wait_s);
        }
    }
    Some(Standing {
        index,
        policy: traces.first().map_or_else(String::new, |first| called(&first.policies, index)),
        change: mean(changes.iter().copied())?,
        ci95: change_over_weeks(&pairs),
        longest: mean(longest),
        ahead: changes.iter().filter(|&&change| change < 0.0).count(),
        traces: changes.len(),
    })
}

/// The places of all policies but EASY, the one from which changes are counted, and those that know run times
/// beforehand.
fn candidates(policies: &[Summary]) -> Vec<usize> {
    let seers = |summary: &Summary| summary.setup.predictor == PredictorName::Clairvoyant;
    let base = baseline(policies);
    let is_base = |summary: &Summary| base.is_some_and(|base| std::ptr::eq(base, summary));
    let all = policies.iter().enumerate();
    let some = all.filter(|(_, one)| !is_easy(&one.setup) && !is_base(one) && !seers(one));
    some.map(|(index, _)| index).collect()
}

/// All policies but EASY, the shortest waits first; those that know run times beforehand are left out.
pub fn standings(traces: &[Compared]) -> Vec<Standing> {
    let Some(first) = traces.first() else { return Vec::new() };
    let indices = candidates(&first.policies).into_iter();
    let mut all: Vec<Standing> = indices.filter_map(|index| standing(traces, index)).collect();
    all.sort_by(|a, b| a.change.total_cmp(&b.change));
    all
}

/// A policy's name, with what tells it from others of that name. EASY alone is first come, first served.
fn called(policies: &[Summary], index: usize) -> String {
    let Some(own) = policies.get(index) else { return String::new() };
    let (easy, base) = (is_easy(&own.setup), name(&own.setup));
    let alike = policies.iter().filter(|other| name(&other.setup) == base).count();
    let base = if easy { "EASY".to_owned() } else { base };
    if own.setup.order.site.is_some() && easy || alike > 1 && !easy {
        format!("{base} ({})", details(&own.setup))
    } else {
        base
    }
}

/// The policy from which changes are counted, by its name.
fn base(policies: &[Summary]) -> String {
    let found = baseline(policies);
    let place = policies.iter().position(|summary| found.is_some_and(|easy| std::ptr::eq(easy, summary)));
    called(policies, place.unwrap_or(usize::MAX))
}

/// Something of that policy: `EASY's`, `that of EASY (limit, multifactor)`.
fn of_base(policies: &[Summary]) -> String {
    match base(policies) {
        plain if plain == "EASY" => "EASY's".to_owned(),
        named => format!("that of {named}"),
    }
}

/// Whether the replays describe a trace: what its record says, where it has waits.
fn verdict(compared: &Compared) -> Option<Verdict> {
    Some(explains(compared)?.1)
}

/// Every policy but EASY beside the record of a trace, those that know run times beforehand left out.
pub fn savings(compared: &Compared) -> Vec<Saving> {
    let all = candidates(&compared.policies);
    let named = all.into_iter().map(|index| (index, called(&compared.policies, index)));
    savings::savings(compared, &named.collect::<Vec<_>>())
}

/// The policies whose savings are said: that of the shortest waits, and the default.
fn shown(traces: &[Compared]) -> Vec<(usize, String)> {
    let all = standings(traces);
    let default = all.iter().skip(1).find(|standing| standing.policy == name_of(PolicyName::Fair));
    all.first().into_iter().chain(default).map(|standing| (standing.index, standing.policy.clone())).collect()
}

/// The recorded mean wait of each of several traces and what is saved of it; `None` of one trace, or where none
/// records waits or EASY is not among the policies.
pub fn recorded_savings(traces: &[Compared], style: Style) -> Option<Grid> {
    let first = traces.first().filter(|_| traces.len() > 1)?;
    savings::table(traces, &base(&first.policies), &shown(traces), style)
}

/// The share of the recorded mean waits that EASY's replay explains, in sentences, and of one trace what would be
/// saved of them; nothing without EASY, or where no trace records waits.
pub fn explained(traces: &[Compared]) -> Option<String> {
    let before = base(&traces.first()?.policies);
    let of = |compared: &Compared| {
        let (sums, verdict) = explains(compared)?;
        let means = (sums.mean(sums.recorded)?, sums.mean(sums.before)?);
        Some((short(&compared.trace).to_owned(), means, sums.jobs.round() as u64, verdict))
    };
    let known: Vec<_> = traces.iter().filter_map(of).collect();
    if let ([(_, (recorded_s, replayed_s), jobs, verdict)], [compared]) = (&known[..], traces) {
        let waited = waited(&Beside {
            verdict: *verdict,
            recorded_s: *recorded_s,
            replayed_s: *replayed_s,
            jobs: format!("mean of {}", several(*jobs, "job")),
            before: &before,
            after: "another policy",
            idle: None,
            site: false,
        });
        return Some(waited + &savings::sentences(compared, &shown(traces)));
    }
    let shares = known.iter().filter(|(.., verdict)| *verdict != Verdict::Short);
    let mut shares: Vec<f64> =
        shares.map(|(_, (recorded_s, replayed_s), ..)| replayed_s / recorded_s * 100.0).collect();
    let middle = median(&mut shares)?;
    let (least, most) = (shares.first()?, shares.last()?);
    let mut text = match shares.len() {
        1 => format!("The replay of {before} explains {middle:.0} % of the recorded mean wait of 1 trace."),
        count => format!(
            "The replay of {before} explains {least:.0} to {most:.0} % of the recorded mean waits of {} (median {middle:.0} %).",
            several(count as u64, "trace")
        ),
    };
    let names = |of: Verdict| -> String {
        let such = known.iter().filter(|(.., verdict)| *verdict == of);
        such.map(|(name, ..)| name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (unexplained, exceeded, small) =
        (names(Verdict::Unexplained), names(Verdict::Exceeded), names(Verdict::Short));
    if !unexplained.is_empty() {
        text +=
            &format!(" Below a quarter a history cannot tell what another policy would save: {unexplained}.");
    }
    if !exceeded.is_empty() {
        text +=
            &format!(" Nor can one of which it comes to more than {:.0} %: {exceeded}.", EXCEEDED * 100.0);
    }
    if !small.is_empty() {
        text += &format!(" Recorded mean waits are below a minute: {small}.");
    }
    Some(text)
}

/// The answer in a sentence: `fair: mean wait 33 % below EASY's (95 % interval -41 % to -20 %), longest 1.1 times;
/// below on 10 of 10 traces.`
/// If another policy is ahead of the default, that stands beside it. Without EASY the policy of the shortest waits
/// against the first one; nothing of one policy.
pub fn sentence(traces: &[Compared]) -> Option<String> {
    if traces.iter().all(|compared| baseline(&compared.policies).is_none()) {
        return without_easy(traces);
    }
    let (all, policies) = (standings(traces), &traces.first()?.policies);
    let easys = of_base(policies);
    // Where no trace's record bears the replays out, the answer is about these alone.
    let explained =
        |compared: &Compared| verdict(compared).is_none_or(|verdict| verdict == Verdict::Explained);
    let alone = if traces.iter().any(explained) { "" } else { "In the replays alone: " };
    let best = all.first()?;
    let who = &best.policy;
    let below_easy = (best.change * 100.0).round();
    let spread = best.ci95.map_or_else(String::new, |ends| {
        let unsure = if ends.low <= 0.0 && ends.high >= 0.0 { ", so that it is not certain" } else { "" };
        format!(" (95 % interval {} to {}{unsure})", percent(ends.low), percent(ends.high))
    });
    let mut text = match below_easy {
        0.0 => format!("{alone}{who}: mean wait as {easys}{spread}"),
        below if below < 0.0 => format!("{alone}{who}: mean wait {:.0} % below {easys}{spread}", -below),
        above => format!(
            "{alone}No policy is ahead of {}; nearest is {who}: mean wait {above:.0} % above {easys}{spread}",
            base(policies)
        ),
    };
    if let Some(longest) = best.longest {
        text += &format!(", longest {longest:.1} times");
    }
    if best.traces > 1 {
        text += &format!("; below on {} of {} traces", best.ahead, best.traces);
    }
    let default = name_of(PolicyName::Fair);
    let other = all.iter().skip(1).find(|standing| standing.policy == default);
    if let Some(Standing { change, longest, .. }) = other {
        text += &format!(". {default}, the default: {}", percent(*change));
        text += &longest.map_or_else(String::new, |longest| format!(", longest {longest:.1} times"));
    }
    Some(text + "." + &foreknown(traces))
}

/// The shortest mean wait where there is no EASY to compare with.
fn without_easy(traces: &[Compared]) -> Option<String> {
    let policies = &traces.first()?.policies;
    let over_first = |index: usize| {
        let ratios = traces.iter().filter_map(|compared| {
            let (own, first) = (compared.policies.get(index)?, compared.policies.first()?);
            change(own.mean.mean_wait_s, first.mean.mean_wait_s)
        });
        mean(ratios).map(|ratio| (index, ratio))
    };
    let (best, ratio) = (1..policies.len()).filter_map(over_first).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (best, first) = (called(policies, best), called(policies, 0));
    Some(format!(
        "{best}: mean wait {} against {first}'s. EASY, which changes are counted from, is not among the policies.{}",
        percent(ratio),
        foreknown(traces)
    ))
}

/// The traces on which the answer is no scheduler's, because limits are run times there.
fn foreknown(traces: &[Compared]) -> String {
    let counts =
        |compared: &&Compared| compared.policies.first().is_some_and(|of| of.replay.foreknown().is_some());
    let named: Vec<_> = traces.iter().filter(counts).map(|compared| short(&compared.trace)).collect();
    if named.is_empty() {
        return String::new();
    }
    format!(
        " {} without requested times ({}): limits are the run times there, every policy is CLAIRVOYANT, and \
         no scheduler is. {ESTIMATES}.",
        if named.len() == 1 { "One trace is" } else { "Some traces are" },
        named.join(", ")
    )
}

/// The page's first words and bars.
pub fn lead(traces: &[Compared]) -> Markup {
    let Some(first) = traces.first() else { return html! {} };
    let all = standings(traces);
    let best = all.first().map(|standing| standing.index);
    // The default is shown, and the shortest waits fold out below it.
    let default = all.iter().find(|standing| standing.policy == name_of(PolicyName::Fair));
    let default = default.map(|standing| standing.index).or(best);
    let with = |index| who_pays(traces, index, &called(&first.policies, index));
    html! {
        section.answer {
            @if let Some(sentence) = explained(traces) { p.lead { (sentence) } }
            @if let Some(table) = recorded_savings(traces, Style::Markdown) { (table.html()) }
            @if let Some(sentence) = sentence(traces) { p.lead { (sentence) } }
            @for compared in traces.iter().filter(|compared| !compared.remarks.is_empty()) {
                p.facts { (short(&compared.trace)) ": " (compared.remarks.join(" ")) }
            }
            @if traces.len() > 1 {
                p { "Trace by trace: "
                    @for (compared, number) in traces.iter().zip(1..) {
                        a href={ "#trace-" (number) } { (short(&compared.trace)) } " "
                    }
                }
                (changes(traces))
            }
            @for compared in traces { (means(compared, best)) }
            @if let Some(default) = default { h2 { "Who pays" } (with(default)) }
            @if let Some(best) = best.filter(|_| best != default) {
                details {
                    summary { "The same with " (called(&first.policies, best)) ", of the shortest mean wait" }
                    (with(best))
                }
            }
        }
    }
}

fn percent(share: f64) -> String {
    // + 0.0: no negative zero.
    format!("{:+.0} %", (share * 100.0).round() + 0.0)
}

/// Mean waits of one trace, the shortest first, with the seeds' spread.
fn means(compared: &Compared, best: Option<usize>) -> Markup {
    let policies = &compared.policies;
    let mut order: Vec<usize> = (0..policies.len()).collect();
    order.sort_by(|&a, &b| policies[a].mean.mean_wait_s.total_cmp(&policies[b].mean.mean_wait_s));
    let most = order.last().map_or(0.0, |&last| policies[last].mean.mean_wait_s).max(1e-9);
    let bars: Vec<(usize, String, f64, String)> = order
        .into_iter()
        .map(|index| {
            let Summary { mean, spread, .. } = &policies[index];
            let spread = spread.as_ref().map(|spread| spread.mean_wait_s).filter(|&spread| spread > 0.0);
            let spread = spread.map_or_else(String::new, |spread| format!(" ± {}", span(spread)));
            (index, called(policies, index), mean.mean_wait_s, span(mean.mean_wait_s) + &spread)
        })
        .collect();
    let text: Vec<String> = bars.iter().map(|(_, name, _, value)| format!("{name} {value}")).collect();
    let title = format!("Mean wait on {}", short(&compared.trace));
    let base = base(policies);
    html! {
        div.shown { h2 { (title) }
        div.bars role="img" aria-label={ (title) ": " (text.join(", ")) } {
            @for (index, name, value, written) in &bars {
                @let is_best = best == Some(*index);
                div { @if is_best { strong { (name) } } @else { (name) } }
                div {
                    span.bar.(if is_best { "best" } else if *name == base { "base" } else { "other" })
                        style={ "width:" (format!("{:.1}", value / most * 62.0)) "%" } {}
                    " " @if is_best { strong { (written) } } @else { (written) }
                }
            }
        } }
    }
}

/// Each policy's change over all traces.
fn changes(traces: &[Compared]) -> Markup {
    let all = standings(traces);
    let rows: Vec<(String, f64, String)> = all
        .iter()
        .map(|standing| {
            let spread = standing.ci95.map_or_else(String::new, |ends| {
                format!(" ({} to {})", percent(ends.low), percent(ends.high))
            });
            let ahead = format!("; below on {} of {}", standing.ahead, standing.traces);
            (standing.policy.clone(), standing.change, percent(standing.change) + &spread + &ahead)
        })
        .collect();
    let easys = traces.first().map_or_else(String::new, |first| of_base(&first.policies));
    let title = format!("Mean wait against {easys}, mean over the traces");
    html! { div.shown { h2 { (title) } (bars(&title, &rows)) } }
}

/// Bars to the left for less and to the right for more.
fn bars(title: &str, rows: &[(String, f64, String)]) -> Markup {
    let text: Vec<String> = rows.iter().map(|(name, _, written)| format!("{name} {written}")).collect();
    html! {
        div.bars.changes role="img" aria-label={ (title) ": " (text.join(", ")) } {
            @for (name, share, written) in rows {
                // A third of the room is for 100 % either way.
                @let width = share.abs().min(1.0) * 32.0;
                div { (name) }
                div {
                    span.room style={ "width:" (format!("{:.1}", if *share < 0.0 { 32.0 - width } else { 32.0 })) "%" } {}
                    span.bar.(if *share <= 0.0 { "less" } else { "more" }) style={ "width:" (format!("{width:.1}")) "%" } {}
                    " " (written)
                }
            }
        }
    }
}

/// The kinds of a division, as people call them.
type Kinds = (&'static str, [&'static str; 4], fn(&Summary) -> &[Group]);

const DIVISIONS: [Kinds; 2] = [
    ("width", ["up to 1/64 of the machine", "up to 1/16", "up to a quarter", "wider"], |summary| {
        &summary.fairness.by_width
    }),
    ("run time", ["up to 10 minutes", "up to an hour", "up to 6 hours", "longer"], |summary| {
        &summary.fairness.by_run_time
    }),
];

/// Changes of waits under a policy: by width, by run time, by user, and the long waits.
fn who_pays(traces: &[Compared], index: usize, who: &str) -> Markup {
    let pairs: Vec<(&Summary, &Summary)> = traces
        .iter()
        .filter_map(|compared| Some((compared.policies.get(index)?, baseline(&compared.policies)?)))
        .collect();
    let (easys, easy) = traces
        .first()
        .map_or_else(Default::default, |first| (of_base(&first.policies), base(&first.policies)));
    // The mean over the traces on which such jobs wait a minute or more under EASY.
    let changed =
        |of: &dyn Fn(&Summary) -> f64| mean(pairs.iter().filter_map(|(own, base)| change(of(own), of(base))));
    let row = |name: &str, share: Option<f64>| share.map(|share| (name.to_owned(), share, percent(share)));
    let divisions = DIVISIONS.map(|(by, names, groups)| {
        let rows = names.iter().enumerate().filter_map(|(class, name)| {
            row(name, changed(&|summary| groups(summary).get(class).map_or(0.0, |group| group.mean_wait_s)))
        });
        (format!("Mean wait with {who} against {easys}, by {by}"), rows.collect::<Vec<_>>())
    });
    let long = [
        row("95 % wait less", changed(&|summary| summary.mean.p95_wait_s)),
        row("99 % wait less", changed(&|summary| summary.mean.p99_wait_s)),
        row("the longest wait", changed(&|summary| summary.mean.max_wait_s)),
    ];
    let long =
        (format!("Long waits with {who} against {easys}"), long.into_iter().flatten().collect::<Vec<_>>());
    let users: Vec<f64> =
        pairs.iter().flat_map(|(own, base)| own.fairness.user_ratios(&base.fairness)).collect();
    let losers = users.iter().filter(|&&ratio| ratio > 1.0).count();
    let worst = users.iter().copied().fold(0.0, f64::max);
    html! {
        @for (title, rows) in divisions.iter().chain([&long]) { div.shown { h3 { (title) } (bars(title, rows)) } }
        @if !users.is_empty() {
            p.facts {
                "Of " (users.len()) " users with at least " (FEWEST) " jobs " (losers) " wait longer on average than under " (easy) ", the one \
                 who loses most " (format!("{worst:.1}")) " times as long."
            }
        }
    }
}
