//! Comparisons for people: tables for terminals ([`waits()`], [`View`]), [`page`] for browsers.
//!
//! A page is made of one [`section`] a trace and stands alone: style sheet, plots and the script of one figure are
//! inside, nothing is loaded. Its plots are the wait-time CDF on a logarithmic axis (Nissimov & Feitelson 2007, figure
//! 2), the queue and the machine's use over time, the schedules of a window, and predicted against observed delay of
//! the accepted backfills (a reliability diagram).

pub mod advice;
pub mod answer;
mod columns;
pub mod document;
pub mod figures;
mod gantt;
pub mod grid;
mod losers;
mod measures;
pub mod plot;
pub mod portal;
pub mod room;
pub mod savings;
pub mod starts;
mod table;
pub mod terms;
mod views;
pub mod waiting;
pub mod watch;
pub mod what_if;
mod wilson;

pub use columns::{is_easy, label};
pub use table::{Style as TableStyle, node_use, waits};
pub use views::{View, short};

use crate::base::papers::Published;
use crate::base::words::sentence;
use crate::replay::policy::{Criterion, name_of};
use crate::replay::run::{Run, Summary};
use crate::replay::setup::Setup;
use crate::trace::recorded::Recorded;
use maud::{Markup, PreEscaped, html};
use plot::Style;
use serde::Serialize;

/// One trace under all policies.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// The trace's file name without its folder.
    pub trace: String,
    /// Every policy's summary.
    pub policies: Vec<Summary>,
    /// The paper's numbers, where the trace is one of the paper's.
    pub published: Option<&'static Published>,
    /// Recorded waits and run times of the jobs that were replayed.
    pub recorded: Recorded,
    /// Remarks on the reading of the trace, and on lines left out, in sentences.
    pub remarks: Vec<String>,
}

/// One trace's part of a page. It holds what is drawn, not the replays: those may be dropped.
#[derive(Debug, Clone)]
pub struct Section(pub Markup);

/// One run with its style, which it keeps through all figures.
struct Drawn<'a> {
    style: &'static Style,
    label: String,
    run: &'a Run,
    summary: &'a Summary,
}

/// The part of a page for one trace under one or several policies. All runs must be of the same trace.
pub fn section(runs: &[(Run, Summary)], published: Option<&Published>) -> Section {
    let mut others = 0;
    let style = |setup: &Setup| {
        if is_easy(setup) {
            return plot::EASY;
        }
        others += 1;
        plot::other(others - 1)
    };
    let styles: Vec<&'static Style> = runs.iter().map(|(_, summary)| &summary.setup).map(style).collect();
    let drawn: Vec<Drawn> = runs
        .iter()
        .zip(styles)
        .map(|((run, summary), style)| Drawn { style, label: label(&summary.setup), run, summary })
        .collect();
    let Some(first) = drawn.first() else { return Section(html! {}) };
    let setup = &first.summary.setup;
    Section(html! {
        section {
            h2 { (setup.trace) }
            p.facts {
                (first.summary.mean.jobs) " jobs on " (setup.procs) " processors; overrun rule: " (name_of(setup.overrun)) "; "
                @if first.summary.seeds > 1 { (first.summary.seeds) " seeds from " (setup.seed) } @else { "seed " (setup.seed) }
                "."
                @if first.summary.replay.size_from_use {
                    " Accounting does not say how large the machine is: this is the most that was in use or asked for at once."
                }
                @let replay = &first.summary.replay;
                @for remark in replay.nameless().into_iter().chain(replay.too_wide(setup.procs)) { " " (sentence(&remark)) }
            }
            (figures::waits(&drawn))
            (figures::queue(&drawn))
            (figures::utilization(&drawn))
            (gantt::figure(&drawn))
            @for criterion in [Criterion::Probability, Criterion::Seconds, Criterion::Relative] {
                (figures::delays(&drawn, criterion))
            }
            (measures::measures(&drawn, published))
            (measures::nodes(&drawn))
            (losers::fairness(&drawn))
            (measures::options(&drawn))
        }
    })
}

/// A self-contained HTML page of such parts.
pub fn page(title: &str, sections: &[Section], made: &Made) -> String {
    document(title, sections, terms::BACKFILLING, html! { " " (OPTIONS) (made.note()) })
}

const OPTIONS: &str = "Each trace's last table has the seeds and options of every replay.";

/// A self-contained HTML page that begins with the answer ([`answer`]) and goes on with each trace's part; `command`
/// made it on this date.
pub fn comparison(
    title: &str,
    traces: &[Compared],
    sections: &[Section],
    command: &str,
    date: &str,
) -> String {
    let parts = sections
        .iter()
        .zip(1..)
        .map(|(Section(part), number)| Section(html! { div id={ "trace-" (number) } { (part) } }));
    let policies = traces.first().map(|first| Section(terms::policies(&first.policies)));
    let all: Vec<Section> =
        std::iter::once(Section(answer::lead(traces))).chain(parts).chain(policies).collect();
    document(
        title,
        &all,
        terms::BACKFILLING,
        html! { " " (OPTIONS) (Made { command: command.to_owned(), date: date.to_owned() }.note()) },
    )
}

/// A self-contained HTML page of parts of a study; `papers` are those its methods are from ([`terms`]).
pub fn study_page(title: &str, sections: &[Section], papers: &str, made: &Made) -> String {
    document(title, sections, papers, made.note())
}

/// Command and date of a page.
#[derive(Debug, Clone)]
pub struct Made {
    /// The command as it was typed.
    pub command: String,
    /// The date.
    pub date: String,
}

impl Made {
    fn note(&self) -> Markup {
        html! { " Made on " (self.date) " by: " code { (self.command) } }
    }
}

fn document(title: &str, sections: &[Section], papers: &str, note: Markup) -> String {
    let text: String = sections.iter().map(|section| section.0.0.as_str()).collect();
    let script = html! {
        @if sections.iter().any(|Section(section)| section.0.contains("data-gantt")) {
            script { (PreEscaped(include_str!("gantt.js"))) }
        }
    };
    let content = html! {
        @for Section(section) in sections { (section) }
        (terms::explained(&text, papers))
    };
    let footer = html! { "Made by surefill " (env!("CARGO_PKG_VERSION")) "." (note) };
    document::page(title, &html! {}, &content, &footer, &script)
}
