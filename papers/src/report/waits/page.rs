//! One trace's part of a page: tables, and waits and bounds over time (the paper's Figures 1 to 3).

use super::{View, by_name, remarks, tables};
use crate::report::plot::waits_over_time;
use crate::studies::waits::study::{Drawn, Kind, Options, QueueStudy, Study};
use maud::{Markup, PreEscaped, html};
use surefill_simulator::report::Section;
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::document::SCROLLS;
use surefill_simulator::report::figures::figure;
use surefill_simulator::report::plot;

/// The most jobs of a queue that are drawn.
const MOST: usize = 3000;

/// The part of a page for one trace.
pub fn section(study: &Study, options: &Options) -> Section {
    let one = std::slice::from_ref(study);
    Section(html! {
        section {
            h2 { (study.trace) }
            p.facts { (remarks(study)) "." }
            @for queue in &study.queues { (over_time(queue)) (super::classes::figures(queue, options)) }
            @for (title, table) in tables(one, options, &View::ALL, Style::Terminal) {
                h3 { (title) }
                div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                    thead { tr { @for cell in table.header().into_iter().flat_map(|row| row.cell_iter()) { (cell_of("th", &cell.content())) } } }
                    tbody { @for row in table.row_iter() { tr {
                        @for cell in row.cell_iter() { (cell_of("td", &cell.content())) }
                    } } }
                } }
            }
            details {
                summary { "Options" }
                p.facts { "surefill " (env!("CARGO_PKG_VERSION")) "; " (serde_json::to_string(options).unwrap_or_default()) }
            }
        }
    })
}

/// A cell's first line, and what is noted below it.
fn cell_of(tag: &str, content: &str) -> Markup {
    let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
    html! {
        @if tag == "th" { th scope="col" { (first) @if !rest.is_empty() { small { (rest) } } } }
        @else { td { (first) @if !rest.is_empty() { small { (rest) } } } }
    }
}

fn name(kind: Kind) -> String {
    match kind {
        Kind::Alone { .. } => "bound of the binomial method alone".to_owned(),
        Kind::Full { .. } => "bound with the components".to_owned(),
        Kind::Adapted { rate, .. } => format!("adapted bound, rate {rate}"),
        Kind::AdaptedBy { by, rate } => format!("adapted bound by {}, rate {rate}", by_name(by)),
        Kind::Whole { rate, .. } => format!("adapted bound of all waits, rate {rate}"),
        Kind::Visible { rate } => format!("bound by the visible queue, rate {rate}"),
    }
}

fn over_time(study: &QueueStudy) -> Markup {
    let Drawn { queue: Some(queue), bounds } = &study.drawn else { return html! {} };
    let judged = queue.jobs.len() - study.training;
    let every = judged.div_ceil(MOST).max(1);
    let shown: Vec<usize> = (study.training..queue.jobs.len())
        .step_by(every)
        .filter(|index| !queue.jobs[*index].cancelled)
        .collect();
    let at = |index: usize| queue.jobs[index].submit as f64;
    let waits: Vec<(f64, f64)> =
        shown.iter().map(|&index| (at(index), queue.jobs[index].wait as f64)).collect();
    let curves: Vec<_> = bounds
        .iter()
        .enumerate()
        .map(|(n, (_, bounds))| {
            let points = shown
                .iter()
                .filter_map(|&index| Some((at(index), bounds.get(index).copied().flatten()? as f64)));
            (plot::other(n), points.collect::<Vec<_>>())
        })
        .collect();
    let legend = html! { ul.legend {
        li { (PreEscaped(plot::point_sample(plot::SOLID))) "a job's wait" }
        @for (n, (kind, _)) in bounds.iter().enumerate() { li { (PreEscaped(plot::point_sample(plot::other(n)))) (name(*kind)) } }
    } };
    let one_in = if every > 1 { format!(" One job in {every} is drawn.") } else { String::new() };
    figure(
        "points",
        &format!("{}: waits and bounds over time", study.queue),
        &legend,
        &waits_over_time::draw(&waits, &curves),
        &format!(
            "Every job after the training at its submission (right): how long it waited, and its predicted bounds (up, \
             logarithmic, below 1 s drawn at 1 s). A wait above a bound is one that the bound missed.{one_in}"
        ),
    )
}
