//! The answer of `what-if`: sentences, tables for terminals, and a page to be mailed.
//!
//! The page stands alone and has no script; its bars are drawn by the style sheet, so that their text keeps its size on
//! any screen and on paper.

mod sentences;

use super::document::SCROLLS;
use super::table::Style;
use super::{Section, document, terms};
use crate::live::what_if::{Longest, Part, Row, Waits, WhatIf, unknowns};
use crate::report::grid::Grid;
use maud::{Markup, html};

pub use sentences::sentences;
pub(super) use sentences::{Beside, percent, saved, waited};

/// Seconds in the unit that people use for them.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s <= -0.5 => format!("-{}", span(-s)),
        s if s < 0.5 => "0 s".to_owned(),
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 36.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} d", s / 86_400.0),
    }
}

fn signed(share: f64) -> String {
    // + 0.0: no negative zero.
    format!("{:+.0} %", (share * 100.0).round() + 0.0)
}

/// A row's cells behind its name.
fn cells(row: &Row) -> Vec<String> {
    let mean = |waits: Option<&Waits>| waits.map_or_else(|| "-".to_owned(), |waits| span(waits.mean_s));
    let first = [
        row.jobs.to_string(),
        format!("{:.0}", row.processor_hours),
        mean(row.recorded.as_ref()),
        span(row.before.mean_s),
        span(row.after.mean_s),
        row.change().map_or_else(|| "-".to_owned(), signed),
    ];
    let last = [
        format!("{:.0}", row.earlier * 100.0),
        format!("{:.0}", row.later * 100.0),
        format!("{} / {}", span(row.before.longest_s), span(row.after.longest_s)),
    ];
    let ageing = row.ageing.as_ref().map(|waits| mean(Some(waits)));
    first.into_iter().chain(ageing).chain(last).collect()
}

fn titles(answer: &WhatIf, by: &str) -> Vec<String> {
    let first = [by, "jobs", "processor\nhours", "recorded", &answer.before, &answer.after, "change"];
    let ageing = answer.all.ageing.map(|_| "limits,\nageing");
    let last = ["earlier\n[%]", "later\n[%]", "longest"];
    first.into_iter().chain(ageing).chain(last).map(str::to_owned).collect()
}

/// A table for every way in which the jobs are divided; the mean waits, and the longest under both.
pub fn tables(answer: &WhatIf, style: Style) -> Vec<(String, Grid)> {
    let table = |part: &Part| {
        let titles = titles(answer, part.by).into_iter().map(|title| match style {
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
    let replayed = [
        (format!("{before}, replayed"), all.before.mean_s),
        (format!("{after}, replayed"), all.after.mean_s),
    ];
    let ageing = all.ageing.map(|waits| ("limits with ageing, replayed".to_owned(), waits.mean_s));
    let bars: Vec<(String, f64)> = recorded(answer).into_iter().chain(replayed).chain(ageing).collect();
    let section = html! {
        section.answer.sheet {
            p.lead { (first) }
            // The recorded schedule has a paragraph of its own.
            @let (schedule, replay) = others.split_at(usize::from(answer.anchored.is_some()).min(others.len()));
            @for sentence in schedule { p { (sentence) } }
            p { @for sentence in replay { (sentence) " " } }
            (figure("Mean wait of all jobs", &bars))
            @for part in &answer.parts { (division(answer, part)) }
            h2 { "The longest waits with " (after) }
            div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
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
    let losers = part.rows.iter().filter(|row| row.after.mean_s > row.before.mean_s).count();
    html! {
        div.shown {
            h2 { "By " (part.by) }
            p.facts {
                @if losers == 0 { "None of these would have waited longer on average." }
                @else if losers == 1 { "One of these would have waited longer on average." }
                @else { (losers) " of these would have waited longer on average." }
            }
            (changes(part))
            details {
                summary { "The numbers: mean waits, who starts earlier or later, the longest wait with " (answer.before) " / " (answer.after) }
                div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                    thead { tr { @for title in titles(answer, part.by) { th scope="col" { (title.replace('\n', " ")) } } } }
                    tbody { @for row in &part.rows { tr { th scope="row" { (row.name) } @for cell in cells(row) { td { (cell) } } } } }
                } }
            }
        }
    }
}

/// The recorded mean wait, and those of the recorded schedule with jobs moved to earlier starts.
fn recorded(answer: &WhatIf) -> Vec<(String, f64)> {
    let Some((scored, anchored)) = answer.scored.as_ref().zip(answer.anchored.as_ref()) else {
        return Vec::new();
    };
    let rest = |saved_s: f64| scored.recorded_s - saved_s;
    vec![
        ("recorded".to_owned(), scored.recorded_s),
        ("recorded, idle processors used by predictions".to_owned(), rest(anchored.expected.saved_s.value)),
        ("recorded, the same with run times known".to_owned(), rest(anchored.run_times.saved_s.value)),
    ]
}

/// Bars of spans.
fn figure(title: &str, bars: &[(String, f64)]) -> Markup {
    let most = bars.iter().map(|bar| bar.1).fold(0.0, f64::max).max(1e-9);
    let text: Vec<String> = bars.iter().map(|(name, value)| format!("{name} {}", span(*value))).collect();
    html! {
        div.shown {
            h2 { (title) }
            div.bars role="img" aria-label={ (title) ": " (text.join(", ")) } {
                @for (name, value) in bars {
                    div { (name) }
                    div { span.bar style={ "width:" (format!("{:.1}", value / most * 80.0)) "%" } {} " " (span(*value)) }
                }
            }
        }
    }
}

/// Bars of changes: to the left who waits less, to the right who waits more; waits below a minute have none.
fn changes(part: &Part) -> Markup {
    let written = |row: &Row| match row.change() {
        Some(share) => signed(share),
        None => format!("{} to {}", span(row.before.mean_s), span(row.after.mean_s)),
    };
    let text: Vec<String> = part.rows.iter().map(|row| format!("{} {}", row.name, written(row))).collect();
    html! {
        div.bars.changes role="img" aria-label={ "Change of the mean wait by " (part.by) ": " (text.join(", ")) } {
            @for row in &part.rows {
                // Half of the room is for 100 % either way.
                @let share = row.change().unwrap_or(0.0);
                @let width = share.abs().min(1.0) * 38.0;
                div { (row.name) }
                div {
                    @if share < 0.0 { span.room style={ "width:" (format!("{:.1}", 38.0 - width)) "%" } {} }
                    @else { span.room style="width:38%" {} }
                    span.bar.(if share <= 0.0 { "less" } else { "more" }) style={ "width:" (format!("{width:.1}")) "%" } {}
                    " " (written(row))
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
