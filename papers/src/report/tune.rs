//! A search over a schedule's parameters: the frontier of gain against fairness, as table and plot.

use crate::report::plot::frontier;
use crate::studies::tune::{self, Caps, Part, Ratios, Row, Tuning};
use maud::{PreEscaped, html};
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::plot;
use surefill_simulator::report::{Made, Section, study_page, terms};

fn change(ratio: f64) -> String {
    format!("{:+.1}", (ratio - 1.0) * 100.0)
}

fn cells(on: Option<Ratios>) -> [String; 4] {
    let Some(on) = on else { return Default::default() };
    [change(on.mean), change(on.geometric), change(on.p99), format!("{:.2}", on.longest)]
}

fn setting(row: &Row) -> [String; 6] {
    let setting = &row.setting;
    let name = if setting.index == 0 { "preset".to_owned() } else { setting.index.to_string() };
    [
        name,
        setting.queue.to_string(),
        setting.candidates.to_string(),
        setting.tau.to_string(),
        setting.guard.to_string(),
        setting.front.to_string(),
    ]
}

const SETTING: [&str; 6] = ["setting", "queue", "candidates", "tau", "guard", "front"];

fn titles(style: Style, fitted: &str, reported: &str) -> Vec<String> {
    let measures = |of: &str| {
        [("mean", "%"), ("geometric", "%"), ("worst p99", "%"), ("worst longest", "x")]
            .map(|(name, unit)| style.title(&format!("{of}: {name}"), unit))
    };
    SETTING.into_iter().map(str::to_owned).chain(measures(fitted)).chain(measures(reported)).collect()
}

/// The frontier on the first halves, and what the same settings came to on the second ones; the preset's row is always
/// there.
pub fn halves(tuning: &Tuning, style: Style) -> Grid {
    let mut table = style.table(titles(style, "first half", "second half"), 3);
    let mut rows = tune::frontier(&tuning.rows, Part::First);
    let preset = tuning.rows.iter().find(|row| row.setting.index == 0);
    rows.extend(preset.filter(|preset| !rows.iter().any(|row| row.setting.index == preset.setting.index)));
    for row in rows {
        table.add_row(
            setting(row).into_iter().chain(cells(row.on(Part::First))).chain(cells(row.on(Part::Second))),
        );
    }
    table
}

/// The best settings within caps, fitted on one part and reported on another: halves of all traces, and traces at odd
/// places by those at even places and the reverse. None where nothing is within the caps.
pub fn fits(tuning: &Tuning, caps: Caps, style: Style) -> Grid {
    let mut table = style.table(
        std::iter::once("fitted on, reported on".to_owned()).chain(titles(style, "fitted", "reported")),
        4,
    );
    let parts = [
        ("first halves, second halves", Part::First, Part::Second),
        ("traces 1, 3, ...; traces 2, 4, ...", Part::Even, Part::Odd),
        ("traces 2, 4, ...; traces 1, 3, ...", Part::Odd, Part::Even),
    ];
    for (name, fitted, reported) in parts {
        if tuning.options.traces.len() < 2 && fitted != Part::First {
            continue;
        }
        let name = name.to_owned();
        match tune::fit(&tuning.rows, fitted, caps) {
            Some(row) => {
                let measures = cells(row.on(fitted)).into_iter().chain(cells(row.on(reported)));
                table.add_row(std::iter::once(name).chain(setting(row)).chain(measures));
            }
            None => {
                table.add_row([name, "none within the caps".to_owned()]);
            }
        }
    }
    table
}

/// The frontier as a plot: each setting's gain against one measure of long waits on the worst trace.
fn plotted(tuning: &Tuning, measured: &str, measure: fn(&Ratios) -> f64) -> PreEscaped<String> {
    let best = tune::frontier(&tuning.rows, Part::First);
    let all: Vec<&Row> = tuning.rows.iter().collect();
    let on = |rows: &[&Row], part: Part| -> Vec<(f64, f64)> {
        let ratios = rows.iter().filter_map(|row| row.on(part));
        ratios.map(|on| ((1.0 - on.gain()) * 100.0, measure(&on))).collect()
    };
    let series = [
        ("all settings, first half", plot::other(5), on(&all, Part::First)),
        ("frontier, first half", plot::EASY, on(&best, Part::First)),
        ("the same settings, second half", plot::other(1), on(&best, Part::Second)),
    ];
    let caption = format!(
        "Right: the gain over EASY, from the geometric mean of the ratios of mean and geometric mean waits over all \
         traces. Up: the {measured}, on the worst trace."
    );
    let drawn = series.iter().map(|(_, style, points)| (*style, points.clone())).collect::<Vec<_>>();
    let title = format!("Gain and the {measured}");
    html! {
        figure {
            ul.legend {
                @for (name, style, _) in &series { li { (PreEscaped(plot::point_sample(style))) (name) } }
            }
            div role="img" aria-label=(caption) {
                (plot::described(&frontier::draw(&drawn, measured), &title, &caption))
            }
            figcaption { (caption) }
        }
    }
}

/// A page with the frontier as plots, each setting's gain against the worst longest wait and the worst 99th percentile,
/// first halves and second ones; `jobs` are the traces'.
pub fn page(tuning: &Tuning, jobs: &[usize], made: &Made) -> String {
    let traces = tuning.options.traces.iter().zip(jobs).map(|(name, jobs)| format!("{name} ({jobs} jobs)"));
    let traces: Vec<String> = traces.collect();
    let section = Section(html! {
        section {
            h2 { (tuning.rows.len()) " settings of " (tuning.options.preset) }
            p.facts { "Traces: " (traces.join(", ")) ". Settings drawn by seed " (tuning.options.seed) "." }
            (plotted(tuning, "longest wait over EASY's", |on| on.longest))
            (plotted(tuning, "99th percentile of waits over EASY's", |on| on.p99))
            (halves(tuning, Style::Markdown).html())
        }
    });
    study_page("Gain against fairness", &[section], terms::BACKFILLING, made)
}
