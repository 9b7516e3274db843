//! The page's tables: measures of every policy, and every option that decided them.

use super::Drawn;
use super::columns::{COLUMNS, Column, baseline, change, details, name};
use super::document::SCROLLS;
use super::table::{Style, node_use};
use crate::base::papers::{Published, Waits};
use crate::replay::run::Summary;
use maud::{Markup, html};
use serde_json::{Value, json};

/// The measures of all policies, and the paper's where it has them.
pub fn measures(runs: &[Drawn], published: Option<&Published>) -> Markup {
    let base = baseline(runs.iter().map(|run| run.summary));
    let cell = |column: &Column, summary: &Summary| {
        html! {
            td {
                (column.mean(summary))
                @if let Some(spread) = column.spread(summary) { small { (spread) } }
                @if let Some(change) = column.change(summary, base) { small { (change) } }
            }
        }
    };
    html! {
        div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
            thead { tr {
                th scope="col" { "policy" small { "predictor, order, rule" } }
                @for column in &COLUMNS {
                    th scope="col" { (column.name) @if !column.unit.is_empty() { small { (column.unit) } } }
                }
            } }
            tbody {
                @for run in runs {
                    @let setup = &run.summary.setup;
                    tr {
                        th scope="row" { (name(setup)) small { (details(setup)) } }
                        @for column in &COLUMNS { (cell(column, run.summary)) }
                    }
                }
                @if let Some(published) = published {
                    (paper("EASY", &published.easy, None))
                    (paper("probabilistic", &published.probabilistic, Some(&published.easy)))
                }
            }
        } }
        p.facts {
            @if runs.iter().any(|run| run.summary.seeds > 1) { "Means ± standard deviations over the seeds. " }
            @if base.is_some() { "Small print: change against EASY. " }
            "Geometric mean of waits floored at 10 s; percentiles of waits; bounded slowdown (10 s); delayed: the share of \
             backfills that really delayed the head job, and by how much on average."
        }
    }
}

/// Use of a machine of nodes; nothing where processors were counted.
pub fn nodes(runs: &[Drawn]) -> Markup {
    let summaries = runs.iter().map(|run| run.summary);
    let machine = summaries.clone().find_map(|summary| summary.nodes.as_ref()).map(|nodes| &nodes.machine);
    html! {
        @if let Some((machine, table)) = machine.zip(node_use(summaries, Style::Markdown)) {
            (table.html())
            p.facts {
                "Nodes: " (machine) ". Used: what jobs held of each resource, from the first submission to the last end. \
                 Fragmented: of the time in which a head job waited, the share in which there was enough for it free in all \
                 on nodes that have what it asks for, but on the wrong ones."
            }
        }
    }
}

/// A row of the paper's: its two means, the first columns.
fn paper(name: &str, waits: &Waits, easy: Option<&Waits>) -> Markup {
    let cell = |value: f64, base: Option<f64>| {
        let change = base.and_then(|base| change(value, base));
        html! { td { (value) @if let Some(change) = change { small { (change) } } } }
    };
    html! {
        tr {
            th scope="row" { "paper" small { (name) } }
            (cell(waits.mean_min, easy.map(|easy| easy.mean_min)))
            (cell(waits.geomean_s, easy.map(|easy| easy.geomean_s)))
            td colspan=(COLUMNS.len() - 2) {}
        }
    }
}

/// Every option of every replay.
pub fn options(runs: &[Drawn]) -> Markup {
    html! {
        details {
            summary { "Seeds and options of every replay" }
            div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table { tbody {
                @for run in runs {
                    tr { th scope="row" { (run.label) } td.text { (described(run.summary)) } }
                }
            } } }
        }
    }
}

fn described(summary: &Summary) -> String {
    let Summary { version, setup, options, missing_processors, seeds, replay, .. } = summary;
    let mut all = Vec::new();
    flatten(&json!({ "surefill": version, "setup": setup, "seeds": seeds }), "", &mut all);
    flatten(&json!({ "options": options, "missing_processors": missing_processors }), "", &mut all);
    flatten(&json!(replay), "", &mut all);
    all.join("; ")
}

/// `name value` of everything in a JSON object, whatever it is nested in.
fn flatten(value: &Value, name: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| flatten(value, name, into)),
        Value::String(text) => into.push(format!("{} {text}", name.replace('_', " "))),
        other => into.push(format!("{} {other}", name.replace('_', " "))),
    }
}
