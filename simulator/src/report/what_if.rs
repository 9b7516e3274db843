//! What a site's jobs would have waited: a sentence, tables for terminals, and a page to be mailed.
//!
//! The page stands alone and has no script; its bars are drawn by the style sheet, so that their text keeps its size on
//! any screen and on paper.

use super::table::Style;
use super::{Section, document, terms};
use crate::base::statistics::{deviation, mean};
use crate::base::words::several;
use crate::live::what_if::{Longest, Part, Row, WhatIf, unknowns};
use crate::report::grid::Grid;
use maud::{Markup, html};

/// Seconds in the unit that people use for them.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 36.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} d", s / 86_400.0),
    }
}

/// A share as a change: `33 % less`.
fn change(share: f64) -> String {
    match (share * 100.0).round() {
        0.0 => "as much".to_owned(),
        percent if percent < 0.0 => format!("{:.0} % less", -percent),
        percent => format!("{percent:.0} % more"),
    }
}

fn signed(share: f64) -> String {
    // + 0.0: no negative zero.
    format!("{:+.0} %", (share * 100.0).round() + 0.0)
}

/// Mean and sample standard deviation; `None` of fewer than two.
fn spread(values: &[f64]) -> Option<(f64, f64)> {
    Some((mean(values.iter().copied())?, deviation(values)?))
}

/// The most classes that lose that are named in a sentence; the tables have all.
const SHOWN: usize = 6;

/// The answer in a few sentences.
pub fn sentences(answer: &WhatIf) -> Vec<String> {
    let WhatIf { all, before, after, .. } = answer;
    let when = answer
        .dates
        .as_ref()
        .map_or_else(|| "of the history".to_owned(), |(from, to)| format!("submitted from {from} to {to}"));
    let mut first = format!(
        "With {after} the {} {when} would have waited {} on average, with {before} {}",
        several(all.jobs, "job"),
        span(all.after.mean_s),
        span(all.before.mean_s)
    );
    if let Some(share) = all.change() {
        first += &format!(": {}", change(share));
    }
    if let Some((_, deviation)) = spread(&answer.changes) {
        first += &format!(" (± {:.0} points over {} replays)", deviation * 100.0, answer.seeds);
    }
    first.push('.');
    let mut all_sentences = vec![first];
    if let Some(recorded) = &all.recorded {
        let share = (recorded.mean_s > 0.0).then(|| all.before.mean_s / recorded.mean_s * 100.0);
        let share = share.map_or_else(String::new, |share| {
            format!("; {before} in the replay comes to {share:.0} % of that mean")
        });
        let waits = (span(recorded.mean_s), span(recorded.longest_s));
        all_sentences.push(format!("Really they waited {}, the longest {}{share}.", waits.0, waits.1));
    }
    all_sentences.push(format!(
        "The longest wait would have been {}, with {before} {}.",
        span(all.after.longest_s),
        span(all.before.longest_s)
    ));
    all_sentences.push(format!(
        "{:.0} % of the jobs would have started at least a minute earlier than with {before}, {:.0} % at least a minute later.",
        all.earlier * 100.0,
        all.later * 100.0
    ));
    let rows = || answer.parts.iter().flat_map(|part| part.rows.iter().map(move |row| (part.by, row)));
    // Of few jobs a mean says little.
    let fewest = (all.jobs / 100).max(20);
    let shares =
        rows().filter(|(_, row)| row.jobs >= fewest).filter_map(|(by, row)| Some((by, row, row.change()?)));
    let mut losers: Vec<String> = shares
        .filter(|(.., share)| *share > 0.05)
        .map(|(by, row, share)| format!("{} {} ({})", by, row.name, signed(share)))
        .collect();
    let more = losers.len().saturating_sub(SHOWN);
    losers.truncate(SHOWN);
    if more > 0 {
        losers.push(format!("and {more} more"));
    }
    all_sentences.push(if losers.is_empty() {
        format!("No class of at least {fewest} jobs would have waited more than 5 % longer on average.")
    } else {
        format!("Longer on average by more than 5 %: {}.", losers.join(", "))
    });
    all_sentences
}

const TITLES: [&str; 10] =
    ["", "jobs", "processor\nhours", "recorded", "", "", "change", "earlier\n[%]", "later\n[%]", "longest"];

/// A row's cells behind its name.
fn cells(row: &Row) -> [String; 9] {
    let recorded = row.recorded.as_ref().map_or_else(|| "-".to_owned(), |waits| span(waits.mean_s));
    [
        row.jobs.to_string(),
        format!("{:.0}", row.processor_hours),
        recorded,
        span(row.before.mean_s),
        span(row.after.mean_s),
        row.change().map_or_else(|| "-".to_owned(), signed),
        format!("{:.0}", row.earlier * 100.0),
        format!("{:.0}", row.later * 100.0),
        format!("{} / {}", span(row.before.longest_s), span(row.after.longest_s)),
    ]
}

fn titles(answer: &WhatIf, by: &str) -> [String; 10] {
    let mut titles = TITLES.map(str::to_owned);
    titles[0] = by.to_owned();
    titles[4] = answer.before.clone();
    titles[5] = answer.after.clone();
    titles
}

/// A table for every way in which the jobs are divided; the mean waits, and the longest under both.
pub fn tables(answer: &WhatIf, style: Style) -> Vec<(String, Grid)> {
    let table = |part: &Part| {
        let titles = titles(answer, part.by).map(|title| match style {
            Style::Terminal => title,
            Style::Markdown => title.replace('\n', " "),
        });
        let mut table = style.table(titles, 1);
        for row in &part.rows {
            table.add_row(std::iter::once(row.name.clone()).chain(cells(row)));
        }
        (format!("Mean waits by {}", part.by), table)
    };
    let all = Part { by: "all", rows: vec![answer.all.clone()] };
    std::iter::once(&all).chain(&answer.parts).map(table).collect()
}

/// The page.
pub fn page(answer: &WhatIf, command: &str, today: &str) -> String {
    let WhatIf { before, after, all, .. } = answer;
    let sentences = sentences(answer);
    let (first, others) =
        sentences.split_first().map_or(("", &[][..]), |(first, others)| (first.as_str(), others));
    let bars: Vec<(&str, f64)> = [all.recorded.as_ref().map(|waits| ("recorded", waits.mean_s))]
        .into_iter()
        .flatten()
        .chain([(before.as_str(), all.before.mean_s), (after.as_str(), all.after.mean_s)])
        .collect();
    let section = html! {
        section.answer.sheet {
            p.lead { (first) }
            p { @for sentence in others { (sentence) " " } }
            (figure("Mean wait of all jobs", &bars))
            @for part in &answer.parts { (division(answer, part)) }
            h2 { "The longest waits with " (after) }
            div.wide { table {
                thead { tr {
                    @for title in ["job", "user", "processors", "ran", "recorded", before, after] { th scope="col" { (title) } }
                } }
                tbody { @for job in &answer.longest { (longest(job)) } }
            } }
            h2 { "What a replay cannot know" }
            ul { @for sentence in unknowns(answer) { li { (sentence) } } }
            h2 { "How this was made" }
            p.facts {
                "The history " (answer.trace) ", " (answer.replay.jobs) " jobs, was replayed from its beginning by surefill " (answer.surefill) " on "
                (today) ". Jobs count as submitted when they became eligible, where the history says so. Times are those of the \
                 history's own clock. Command: " code { (command) }
            }
        }
    };
    document(
        &format!("What if jobs were scheduled with {after}?"),
        &[Section(section)],
        terms::BACKFILLING,
        html! {},
    )
}

fn division(answer: &WhatIf, part: &Part) -> Markup {
    let losers = part.rows.iter().filter(|row| row.change().is_some_and(|share| share > 0.0)).count();
    html! {
        h2 { "By " (part.by) }
        p.facts {
            @if losers == 0 { "None of these would have waited longer on average." }
            @else if losers == 1 { "One of these would have waited longer on average." }
            @else { (losers) " of these would have waited longer on average." }
        }
        (changes(part))
        details {
            summary { "The numbers: mean waits, who starts earlier or later, the longest wait with " (answer.before) " / " (answer.after) }
            div.wide { table {
                thead { tr { @for title in titles(answer, part.by) { th scope="col" { (title.replace('\n', " ")) } } } }
                tbody { @for row in &part.rows { tr { th scope="row" { (row.name) } @for cell in cells(row) { td { (cell) } } } } }
            } }
        }
    }
}

/// Bars of spans.
fn figure(title: &str, bars: &[(&str, f64)]) -> Markup {
    let most = bars.iter().map(|bar| bar.1).fold(0.0, f64::max).max(1e-9);
    let text: Vec<String> = bars.iter().map(|(name, value)| format!("{name} {}", span(*value))).collect();
    html! {
        h2 { (title) }
        div.bars role="img" aria-label={ (title) ": " (text.join(", ")) } {
            @for (name, value) in bars {
                div { (name) }
                div { span.bar style={ "width:" (format!("{:.1}", value / most * 80.0)) "%" } {} " " (span(*value)) }
            }
        }
    }
}

/// Bars of changes: to the left who waits less, to the right who waits more.
fn changes(part: &Part) -> Markup {
    let shares: Vec<(&Row, f64)> = part.rows.iter().filter_map(|row| Some((row, row.change()?))).collect();
    let text: Vec<String> =
        shares.iter().map(|(row, share)| format!("{} {}", row.name, signed(*share))).collect();
    html! {
        div.bars.changes role="img" aria-label={ "Change of the mean wait by " (part.by) ": " (text.join(", ")) } {
            @for (row, share) in &shares {
                // Half of the room is for 100 % either way.
                @let width = format!("{:.1}", share.abs().min(1.0) * 38.0);
                div { (row.name) }
                div {
                    @if *share < 0.0 { span.room style={ "width:" (format!("{:.1}", 38.0 - share.abs().min(1.0) * 38.0)) "%" } {} }
                    @else { span.room style="width:38%" {} }
                    span.bar.(if *share <= 0.0 { "less" } else { "more" }) style={ "width:" (width) "%" } {}
                    " " (signed(*share))
                }
            }
        }
    }
}

fn longest(job: &Longest) -> Markup {
    html! {
        tr {
            th scope="row" { (job.job) }
            td { (job.user) }
            td { (job.processors) }
            td { (span(job.run_time_s as f64)) }
            td { (job.recorded_s.map_or_else(|| "-".to_owned(), |wait| span(wait as f64))) }
            td { (span(job.before_s as f64)) }
            td { (span(job.after_s as f64)) }
        }
    }
}
