//! The states of a hidden Markov model: Table 3.1 and Figure 3.5 of Nissimov 2006.

use crate::report::plot::load_ccdf;
use crate::studies::characterize::load::{Family, Fit, Limit, Model};
use crate::studies::characterize::{Report, StateReport};
use maud::{Markup, PreEscaped, html};
use surefill_simulator::report::Section;
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::document::SCROLLS;
use surefill_simulator::report::figures::figure;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::plot;

/// Durations of states, against the geometric distribution: Table 3.1, with its notes on some states in columns.
pub fn durations(report: &Report, style: Style) -> Grid {
    let mut table = style.table(TITLES.map(|(name, unit)| style.title(name, unit)), 1);
    for state in &report.states {
        table.add_row(row(state));
    }
    table
}

const TITLES: [(&str, &str); 10] = [
    ("state", ""),
    ("KL MLE", "bits"),
    ("KL corrected, simple", "bits"),
    ("KL corrected, geom.", "bits"),
    ("intervals", ""),
    ("mean duration", "slots"),
    ("slots", ""),
    ("empty", "%"),
    ("mean load", "jobs"),
    ("best load", ""),
];

/// A number, or a sign that there is none.
fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
}

fn row(state: &StateReport) -> [String; 10] {
    let durations = &state.durations;
    [
        state.state.to_string(),
        number(durations.kl_bits, 2),
        number(durations.kl_simple_bits, 2),
        number(durations.kl_geometric_bits, 2),
        durations.intervals.to_string(),
        number(durations.mean, 1),
        state.slots.to_string(),
        number(state.empty_share.map(|share| share * 100.0), 0),
        number(state.mean_load, 2),
        state.best().map_or_else(|| "–".to_owned(), |fit| fit.family.to_string()),
    ]
}

/// Divergences of each state's loads from the fitted distributions, less the bias by the loads that occurred; that with
/// the smallest AIC has an asterisk. Then the parameters of the shifted Pareto distribution.
pub fn loads(report: &Report, style: Style) -> Grid {
    let families = Family::ALL.map(|family| style.title(&family.to_string(), "bits"));
    let titles = std::iter::once("state".to_owned()).chain(families).chain(["a, k".to_owned()]);
    let mut table = style.table(titles, 1);
    for state in &report.states {
        table.add_row(load_row(state));
    }
    table
}

fn load_row(state: &StateReport) -> Vec<String> {
    let best = state.best().map(|fit| fit.family);
    let of = |family: Family| state.fits.iter().find(|fit| fit.family == family);
    let divergence = |family: Family| {
        let star = if best == Some(family) { " *" } else { "" };
        number(of(family).map(|fit| fit.kl_simple_bits), 2) + star
    };
    let shifted = of(Family::ShiftedPareto).map_or_else(|| "–".to_owned(), |fit| fit.model.to_string());
    let state = state.state.to_string();
    std::iter::once(state).chain(Family::ALL.map(divergence)).chain([shifted]).collect()
}

/// The part of a page for one trace; `facts` is a sentence on how the states were found.
pub fn states(trace: &str, facts: &str, report: &Report) -> Section {
    let load_titles = Family::ALL.map(|family| family.to_string());
    Section(html! {
        section {
            h2 { (trace) }
            p.facts { (facts) }
            h3 { "How long states last" }
            p.facts {
                "Kullback-Leibler divergence from a state's durations to their most likely geometric distribution: as it is, and \
                 less its bias (Miller & Madow) by the number of different durations seen, or expected of the geometric distribution."
            }
            div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                thead { tr {
                    @for (name, unit) in TITLES { th scope="col" { (name) @if !unit.is_empty() { small { (unit) } } } }
                } }
                tbody { @for state in &report.states { (cells(row(state))) } }
            } }
            h3 { "How many jobs a slot holds" }
            p.facts {
                "Divergence [bits] from a state's loads to each distribution's most likely parameters, less the bias by the number of \
                 different loads seen; * has the smallest AIC; a and k are the shifted Pareto's."
            }
            div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                thead { tr {
                    th scope="col" { "state" }
                    @for title in load_titles { th scope="col" { (title) } }
                    th scope="col" { "a, k" }
                } }
                tbody { @for state in &report.states { (cells(load_row(state))) } }
            } }
            p.facts {
                "Below, the share of a state's slots (up) that hold at least so many jobs (right), both logarithmic: a straight line is a \
                 heavy tail, a line that falls ever more steeply is not."
            }
            div.grid { @for state in &report.states { div { (load_figure(state)) } } }
        }
    })
}

fn cells(row: impl IntoIterator<Item = String>) -> Markup {
    html! { tr { @for cell in row { td { (cell) } } } }
}

fn load_figure(state: &StateReport) -> Markup {
    let of = |family: Family| state.fits.iter().find(|fit| fit.family == family);
    // The limit is the geometric distribution itself.
    let differs = |fit: &&Fit| !matches!(fit.model, Model::Limit(Limit::Exponential { .. }));
    let fitted = [
        (plot::other(0), of(Family::Geometric)),
        (plot::other(1), of(Family::ShiftedPareto).filter(differs)),
    ];
    let fitted: Vec<_> = fitted.into_iter().filter_map(|(style, fit)| Some((style, fit?))).collect();
    let lines: Vec<_> = fitted.iter().map(|(style, fit)| (*style, &fit.model)).collect();
    let title = format!("State {}: loads", state.state);
    let Some(svg) = load_ccdf::draw(&state.loads, plot::EASY, &lines) else {
        let why = if state.slots == 0 { "No slot is in this state." } else { "All its slots are empty." };
        return html! { h3 { (title) } p.facts { (why) } };
    };
    let legend = html! {
        ul.legend {
            li { (PreEscaped(plot::point_sample(plot::EASY))) "slots" }
            @for (style, fit) in &fitted {
                li {
                    (PreEscaped(plot::line_sample(style)))
                    (fit.family) " (" (fit.model) ")"
                    @if fitted.len() == 1 { ", to which shifted Pareto tends" }
                }
            }
        }
    };
    let empty = number(state.empty_share.map(|share| share * 100.0), 0);
    let mean = number(state.mean_load, 2);
    let best = state
        .best()
        .map(|fit| format!(" The smallest AIC: {} ({}).", fit.family, fit.model))
        .unwrap_or_default();
    let caption =
        format!("{} slots, {empty} % of them empty, with {mean} jobs on average.{best}", state.slots);
    figure("lines", &title, &legend, &svg, &caption)
}
