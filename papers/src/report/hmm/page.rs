//! Parts of pages: a model with its states and its gain against rounds; a trace's comparisons.

use super::{
    CURVES, ONLINE, STAR, STATES, WEEKS, bits, columns, curve_cells, divergence, facts, label, online_cells,
    starred, state, time, title, week_cells,
};
use crate::report::plot::curves::{self, Plot};
use crate::studies::hmm::fit::{Fitted, Point};
use crate::studies::hmm::online::Online;
use crate::studies::hmm::study::{Choices, Curve, Figure, Study};
use maud::{Markup, PreEscaped, html};
use surefill_simulator::report::Section;
use surefill_simulator::report::document::SCROLLS;
use surefill_simulator::report::figures::figure;
use surefill_simulator::report::plot::{self, Style};

fn legend(entries: &[(&'static Style, String)]) -> Markup {
    html! { ul.legend { @for (style, label) in entries { li { (PreEscaped(plot::line_sample(style))) (label) } } } }
}

fn table(titles: &[(String, String)], rows: &[Vec<String>]) -> Markup {
    html! {
        div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
            thead { tr { @for (name, unit) in titles { th scope="col" { (name) @if !unit.is_empty() { small { (unit) } } } } } }
            tbody { @for row in rows { tr { @for (index, cell) in row.iter().enumerate() {
                @if index == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
            } } } }
        } }
    }
}

fn titles(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|&(name, unit)| (name.to_owned(), unit.to_owned())).collect()
}

/// A model's part of a page.
pub fn fitted_section(fitted: &Fitted) -> Section {
    let rows: Vec<Vec<String>> = fitted.states.iter().map(|row| state(row).to_vec()).collect();
    Section(html! {
        section {
            h2 { (fitted.trace) }
            @for fact in facts(fitted) { p.facts { (fact) "." } }
            (rounds(fitted))
            h3 { "What the states are" }
            (table(&titles(&STATES), &rows))
            @if let Some(comparison) = &fitted.comparison {
                h3 { "Beside " (comparison.with) }
                @for line in divergence(comparison) { p.facts { (line) "." } }
            }
        }
    })
}

/// The gain against rounds.
fn rounds(fitted: &Fitted) -> Markup {
    let mut entries = vec![(plot::other(0), "on the jobs trained on".to_owned())];
    let of = |value: fn(&Point) -> Option<f64>| -> Vec<(f64, f64)> {
        fitted.points.iter().filter_map(|point| Some((point.round as f64, value(point)?))).collect()
    };
    let mut drawn = vec![(plot::other(0), of(|point| point.training_gain))];
    if fitted.half {
        entries.push((plot::other(1), "on the second half".to_owned()));
        drawn.push((plot::other(1), of(Point::any_gain)));
    }
    let plot = Plot {
        x: "rounds of training (logarithmic)",
        logarithmic: true,
        y: "gain [bits a job]",
        curves: drawn,
        levels: Vec::new(),
    };
    figure(
        "lines",
        "Information gain",
        &legend(&entries),
        &curves::draw(&plot),
        "What the model knows of run times beyond the distribution of the jobs that it was trained on (up), against rounds of \
         training (right, logarithmic): where the lines part, the model learns its own jobs by heart.",
    )
}

/// A trace's part of a page.
pub fn study_section(study: &Study, choices: &Choices) -> Section {
    Section(html! {
        section {
            h2 { (study.trace) }
            p.facts {
                (study.replay.jobs) " jobs, one every " (time(study.mean_interarrival_s)) " on average; "
                (study.replay.dropped_without_run_time) " dropped without run time, "
                (study.replay.dropped_without_processors) " without processors."
            }
            @for &figure in &choices.figures { @if figure != Figure::Online { (comparison(study, figure, choices)) } }
            @for found in &study.online { (online(study, found)) }
            details {
                summary { "Options" }
                p.facts {
                    "surefill " (env!("CARGO_PKG_VERSION")) "; " (choices.rounds) " rounds; where nothing else is said M = 16, slots "
                    "of 15 min, ratio 1.8, first edge 1.5 s, Static-IV, no load model."
                }
            }
        }
    })
}

fn caption(figure: Figure) -> &'static str {
    match figure {
        Figure::States => {
            "The gain on the second half (up) against the cost of training (right, logarithmic), in rounds of 16 states: a \
             round of M costs (M / 16)² of those. A finer ratio has more bins to tell \
             apart: what counts is how much more states add to each."
        }
        Figure::Slots => {
            "The gain on the second half (up) against rounds of training (right, logarithmic), by slot length."
        }
        Figure::Initial => {
            "The gain on the second half (up) against rounds of training (right, logarithmic): k-means begins higher. Where a \
             model excludes what the second half has (a star in the numbers), the gain is that with the safety distribution in \
             every state."
        }
        Figure::Load => {
            "The gain on the second half (up) against rounds of training (right, logarithmic). With a load model it is that \
             of the run times given the load."
        }
        Figure::Halving => {
            "The gain on the second half (up) against rounds of training with these slots (right, logarithmic), from scratch and \
             from models of slots twice and four times as long, trained for a few rounds each."
        }
        Figure::Online => "",
    }
}

fn comparison(study: &Study, compared: Figure, choices: &Choices) -> Markup {
    let found = study.of(compared);
    let entries: Vec<(&'static Style, String)> = found
        .iter()
        .enumerate()
        .map(|(n, curve)| (plot::other(n), label(&curve.setting, compared)))
        .collect();
    let points = |curve: &Curve| -> Vec<(f64, f64)> {
        let cost = if compared == Figure::States { curve.setting.round_cost() } else { 1.0 };
        curve.points.iter().filter_map(|point| Some((point.round as f64 * cost, point.any_gain()?))).collect()
    };
    let plot = Plot {
        x: if compared == Figure::States {
            "rounds of 16 states (logarithmic)"
        } else {
            "rounds (logarithmic)"
        },
        logarithmic: true,
        y: "gain [bits a job]",
        curves: found.iter().enumerate().map(|(n, curve)| (plot::other(n), points(curve))).collect(),
        levels: Vec::new(),
    };
    let after =
        columns(choices.rounds).into_iter().map(|round| (format!("G after {round}"), "bits".to_owned()));
    let rest = [("best G", "bits"), ("after", "rounds"), ("training gain", "bits"), ("time", "s")];
    let titles: Vec<_> = titles(&CURVES).into_iter().chain(after).chain(titles(&rest)).collect();
    let rows: Vec<_> = found.iter().map(|curve| curve_cells(curve, compared, choices)).collect();
    html! {
        (figure("lines", title(compared), &legend(&entries), &curves::draw(&plot), caption(compared)))
        details {
            summary { "The numbers of this figure" }
            (table(&titles, &rows))
            @if starred(found.iter().flat_map(|curve| &curve.points)) { p.facts { (STAR) "." } }
        }
    }
}

/// The gain on line by weeks.
fn online(study: &Study, online: &Online) -> Markup {
    // A step for every week, from its beginning to its end; weeks of silence part the line.
    let mut weekly: Vec<(&'static Style, Vec<(f64, f64)>)> = Vec::new();
    for week in &online.weeks {
        let (left, Some(gain)) = (week.week as f64, week.gain.per_predicted()) else { continue };
        let step = [(left, gain), (left + 1.0, gain)];
        match weekly.last_mut() {
            Some((_, points)) if points.last().is_some_and(|last| last.0 == left) => points.extend(step),
            _ => weekly.push((plot::SOLID, step.to_vec())),
        }
    }
    let plot = Plot {
        x: "weeks from the first submission",
        logarithmic: false,
        y: "gain [bits a predicted job]",
        curves: weekly,
        levels: online.overall.per_predicted().into_iter().collect(),
    };
    let mean = online
        .overall
        .per_predicted()
        .map_or_else(|| "no prediction".to_owned(), |gain| format!("{} bits", bits(gain)));
    let mut header = titles(&ONLINE);
    header.insert(0, ("trace".to_owned(), String::new()));
    let row: Vec<String> = std::iter::once(study.trace.clone()).chain(online_cells(online)).collect();
    html! {
        (figure(
            "lines",
            &format!("{}: {}, floor {}", title(Figure::Online), online.options.learn, online.options.floor),
            &legend(&[(plot::SOLID, format!("by week of submission; grey: over all predicted jobs, {mean}"))]),
            &curves::draw(&plot),
            "What the on-line predictor knows of a job when it is submitted, beyond the distribution of all jobs finished by then \
             (up), averaged over the jobs of each week that it was not silent about.",
        ))
        (table(&header, &[row]))
        details {
            summary { "The numbers of this figure" }
            (table(&titles(&WEEKS), &online.weeks.iter().map(week_cells).collect::<Vec<_>>()))
        }
    }
}
