//! Tables of [`crate::studies::hmm`]'s studies; parts of pages.

mod page;

pub use page::{fitted_section, study_section};

use crate::studies::hmm::divergence::{Apart, Comparison, Moved, Rate};
use crate::studies::hmm::fit::{Fitted, Point};
use crate::studies::hmm::online::{self, Learn, Online, Week};
use crate::studies::hmm::states::{Bin, State};
use crate::studies::hmm::study::{Choices, Curve, Figure, Setting, Study};
use surefill_simulator::report::TableStyle;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::short;

/// Seconds in the unit that people use for them, with three digits.
fn time(seconds: f64) -> String {
    const UNITS: [(f64, f64, &str); 4] =
        [(2.0 * 86_400.0, 86_400.0, "d"), (3600.0, 3600.0, "h"), (60.0, 60.0, "min"), (0.0, 1.0, "s")];
    let (_, size, unit) = UNITS.into_iter().find(|unit| seconds >= unit.0).unwrap_or((0.0, 1.0, "s"));
    let value = seconds / size;
    let before = if value < 1.0 { 1 } else { value.log10().floor() as usize + 1 };
    let text = format!("{value:.*}", 3usize.saturating_sub(before));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

fn bits(value: f64) -> String {
    let text = format!("{value:.3}");
    // Rounding leaves no negative nothing.
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

/// Three digits, small numbers by their power of ten.
fn number(value: f64) -> String {
    if value > 0.0 && value < 1e-3 { format!("{value:.1e}") } else { format!("{value:.4}") }
}

/// Meaning of [`test_gain`]'s star.
const STAR: &str =
    "* the model excludes the second half: the gain is that with the safety distribution in every state";

/// A gain on the second half, with a star where it is that of the model made safe.
fn test_gain(point: Option<&Point>) -> String {
    let star = point.is_some_and(|point| point.gain.is_none() && point.safe_gain.is_some());
    gain(point.and_then(Point::any_gain)) + if star { "*" } else { "" }
}

/// Whether a gain has a star.
fn starred<'a>(points: impl IntoIterator<Item = &'a Point>) -> bool {
    points.into_iter().any(|point| point.gain.is_none() && point.safe_gain.is_some())
}

/// A gain; a dash where there is none.
fn gain(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), bits)
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

fn bin(bin: &Bin) -> String {
    let to = bin.to_s.map_or_else(|| "and more".to_owned(), |to| format!("to {}", time(to)));
    format!("{} {to} {:.0} %", time(bin.from_s), bin.probability * 100.0)
}

const STATES: [(&str, &str); 7] = [
    ("state", ""),
    ("slots", "%"),
    ("lasts", ""),
    ("jobs a slot", ""),
    ("median run time", ""),
    ("entropy", "bits"),
    ("likeliest run times", ""),
];

/// A state's cells.
fn state(state: &State) -> [String; 7] {
    [
        state.state.to_string(),
        percent(state.share),
        state.duration_s.map_or_else(|| "for ever".to_owned(), time),
        state.jobs_per_slot.map_or_else(|| "-".to_owned(), |jobs| format!("{jobs:.2}")),
        time(state.median_run_time_s),
        format!("{:.2}", state.entropy),
        state.bins.iter().map(bin).collect::<Vec<_>>().join(", "),
    ]
}

/// The rounds that tables show: 0, 1, 2, 5, 10 ... and the last.
fn shown(points: &[Point]) -> impl Iterator<Item = &Point> {
    let last = points.last().map(|point| point.round);
    let round = |round: u64| {
        let power = 10u64.pow(round.max(1).ilog10());
        round == 0 || [1, 2, 5].iter().any(|digit| digit * power == round)
    };
    points.iter().filter(move |point| round(point.round) || Some(point.round) == last)
}

/// Data and method of the training, in words.
fn facts(fitted: &Fitted) -> Vec<String> {
    let Fitted { facts, trained, options, binning, .. } = fitted;
    let part = if fitted.half { "the first half: " } else { "" };
    let mut all = vec![
        format!(
            "Trained on {part}{} jobs in {} slots of {}, {} bins of ratio {}, {:.3} bits a job",
            facts.jobs,
            facts.slots,
            time(binning.slot_s as f64),
            facts.bins,
            binning.ratio,
            facts.entropy
        ),
        format!(
            "{} states, load {}, initial values {}, stop {}: {} after {} rounds in {:.1} s",
            options.states,
            options.load,
            options.initial,
            options.stop,
            if trained.converged { "reached" } else { "not reached" },
            trained.rounds,
            fitted.seconds
        ),
    ];
    if trained.adapted > 0 {
        all.push(format!("{} times the model was bent towards a slot that it excluded", trained.adapted));
    }
    if let Some(test) = &facts.test {
        all.push(format!(
            "Tested on the second half: {} jobs in {} slots, {} removed, {:.3} bits a job by the first half's distribution, \
             {:.3} by its own",
            test.jobs, test.slots, test.removed_jobs, test.base_bits, test.entropy
        ));
    }
    all
}

fn rounds(fitted: &Fitted, style: TableStyle) -> Grid {
    let titles = [
        ("rounds", ""),
        ("ln likelihood", ""),
        ("moved, Jensen-Shannon", "bits"),
        ("moved, half L1", ""),
        ("training gain", "bits a job"),
        ("gain", "bits a job"),
    ];
    let shows = if fitted.half { 6 } else { 5 };
    let mut table = style.table(titles.iter().take(shows).map(|(name, unit)| style.title(name, unit)), 0);
    for point in shown(&fitted.points) {
        let likelihood = point.log_likelihood.map_or_else(|| "-".to_owned(), |ln| format!("{ln:.2}"));
        let moved = |of: fn(&Moved) -> f64| {
            point.moved.as_ref().map_or_else(|| "-".to_owned(), |moved| number(of(moved)))
        };
        let cells = [
            point.round.to_string(),
            likelihood,
            moved(|moved| moved.jensen_shannon),
            moved(|moved| moved.half_l1),
            gain(point.training_gain),
            test_gain(Some(point)),
        ];
        table.add_row(cells.into_iter().take(shows));
    }
    table
}

fn divergence(comparison: &Comparison) -> Vec<String> {
    let rate = |name: String, rate: &Rate| match (rate.bits_per_slot, rate.standard_error) {
        (Some(bits), Some(error)) => format!(
            "{name}: {bits:.4} ± {error:.4} bits a slot{}",
            rate.bits_per_job.map_or_else(String::new, |bits| format!(
                ", {bits:.4} bits a job at {:.2} jobs a slot",
                rate.jobs_per_slot
            ))
        ),
        _ => format!("{name}: infinite, the second model excludes what the first one makes"),
    };
    let Comparison { with, m, options, there, back, .. } = comparison;
    let mut lines = vec![
        format!(
            "Divergence rate by {} sequences of {} slots after {} (seed {}), m-estimates with m = {m}",
            options.sequences, options.slots, options.lead, options.seed
        ),
        rate(format!("from this model to {with}"), there),
        rate(format!("from {with} to this model"), back),
    ];
    if let Some(both) = comparison.symmetric_bits_per_slot {
        lines.push(format!("mean of both: {both:.4} bits a slot"));
    }
    let text = |apart: &Apart| format!("{} {:.4} ± {:.4}", apart.slots, apart.bits, apart.standard_error);
    let apart: Vec<String> = comparison.apart.iter().map(text).collect();
    lines.push(format!(
        "Jensen-Shannon divergence of slots in a row, in bits of at most 1: {}",
        apart.join(", ")
    ));
    lines
}

/// A model: facts, states, rounds, what it was compared with.
pub fn fitted(fitted: &Fitted, style: TableStyle) -> Vec<String> {
    let mut states = style.table(STATES.iter().map(|(name, unit)| style.title(name, unit)), 0);
    if let Some(column) = states.column_mut(6) {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    for row in &fitted.states {
        states.add_row(state(row));
    }
    let mut parts = vec![
        format!("{}\n{}", fitted.trace, facts(fitted).join("\n")),
        states.to_string(),
        rounds(fitted, style).to_string(),
    ];
    if starred(&fitted.points) {
        parts.push(STAR.to_owned());
    }
    parts.extend(fitted.comparison.iter().map(|comparison| divergence(comparison).join("\n")));
    parts
}

/// The setting in which a curve differs from the others of its comparison.
fn label(setting: &Setting, figure: Figure) -> String {
    let slot = || time(setting.binning.slot_s as f64);
    match figure {
        Figure::States => format!("M = {}, ratio {}", setting.states, setting.binning.ratio),
        Figure::Slots => slot(),
        Figure::Initial => format!("{}, {}", setting.initial, slot()),
        Figure::Halving => match setting.halvings {
            0 => format!("{}, from scratch", slot()),
            1 => format!("{}, halved once", slot()),
            times => format!("{}, halved {times} times", slot()),
        },
        Figure::Load | Figure::Online => setting.load.to_string(),
    }
}

fn title(figure: Figure) -> &'static str {
    match figure {
        Figure::States => "Numbers of states and ratios of run-time bins (figure 3.1)",
        Figure::Slots => "Slot lengths (figure 3.2)",
        Figure::Initial => "Initial values (figure 3.3)",
        Figure::Load => "Load models, by Pr(R|L) (figure 3.4)",
        Figure::Halving => "Slots first long, then halved (proposed in section 3.4.2)",
        Figure::Online => "On line (figure 4.1)",
    }
}

/// Rounds of which the gain is shown.
fn columns(rounds: u64) -> Vec<u64> {
    let mut columns: Vec<u64> = [0, 1, 3, 10, 30].into_iter().filter(|&round| round < rounds).collect();
    columns.push(rounds);
    columns
}

const CURVES: [(&str, &str); 6] = [
    ("model", ""),
    ("jobs trained on", ""),
    ("jobs tested on", ""),
    ("removed", ""),
    ("base", "bits"),
    ("round costs", ""),
];

fn curve_titles(choices: &Choices, style: TableStyle) -> Vec<String> {
    let fixed = CURVES.iter().map(|(name, unit)| style.title(name, unit));
    let after =
        columns(choices.rounds).into_iter().map(|round| style.title(&format!("G after {round}"), "bits"));
    let rest = [("best G", "bits"), ("after", "rounds"), ("training gain", "bits"), ("time", "s")];
    fixed.chain(after).chain(rest.iter().map(|(name, unit)| style.title(name, unit))).collect()
}

fn curve_cells(curve: &Curve, figure: Figure, choices: &Choices) -> Vec<String> {
    let facts = &curve.facts;
    let test = |of: fn(&crate::studies::hmm::gain::Facts) -> String| {
        facts.test.as_ref().map_or_else(String::new, of)
    };
    let mut cells = vec![
        label(&curve.setting, figure),
        facts.jobs.to_string(),
        test(|test| test.jobs.to_string()),
        test(|test| test.removed_jobs.to_string()),
        test(|test| format!("{:.3}", test.base_bits)),
        format!("{}", curve.setting.round_cost()),
    ];
    cells.extend(columns(choices.rounds).into_iter().map(|round| test_gain(curve.after(round))));
    cells.push(test_gain(curve.best()));
    cells.push(curve.best().map_or_else(|| "-".to_owned(), |best| best.round.to_string()));
    cells.push(gain(curve.last().and_then(|point| point.training_gain)));
    cells.push(format!("{:.1}", curve.seconds));
    cells
}

const ONLINE: [(&str, &str); 16] = [
    ("learns", ""),
    ("initial", ""),
    ("stop", ""),
    ("floor", ""),
    ("jobs", ""),
    ("untrained", "%"),
    ("predicted", "%"),
    ("base", "bits"),
    ("gain", "bits a predicted job"),
    ("gain", "bits a job"),
    ("held impossible", "jobs"),
    ("weeks", ""),
    ("trainings", ""),
    ("rounds, or slots on line", ""),
    ("memory", "MB"),
    ("time", "s"),
];

/// Whether each of [`ONLINE`]'s columns is shown: initial values and rules of termination are where they are compared.
fn online_columns(choices: &Choices) -> [bool; 16] {
    let mut shown = [true; 16];
    let differs = |same: fn(&online::Options, &online::Options) -> bool| {
        choices.online.windows(2).any(|pair| !same(&pair[0], &pair[1]))
    };
    shown[1] = differs(|a, b| a.initial == b.initial);
    shown[2] = differs(|a, b| a.stop == b.stop);
    shown
}

fn online_cells(online: &Online) -> [String; 16] {
    let all = &online.overall;
    [
        online.options.learn.to_string(),
        online.options.initial.to_string(),
        if online.options.learn == Learn::Batch { online.options.stop.to_string() } else { String::new() },
        online.options.floor.to_string(),
        all.jobs.to_string(),
        percent(all.untrained as f64 / all.jobs.max(1) as f64),
        percent(1.0 - all.silent()),
        gain(all.base_per_predicted()),
        gain(all.per_predicted()),
        gain(all.per_job()),
        all.impossible.to_string(),
        online.weeks.len().to_string(),
        online.trainings.to_string(),
        online.rounds.to_string(),
        format!("{:.2}", online.memory as f64 / 1e6),
        format!("{:.1}", online.seconds),
    ]
}

const WEEKS: [(&str, &str); 7] = [
    ("week", ""),
    ("jobs", ""),
    ("untrained", "jobs"),
    ("predicted", "jobs"),
    ("base", "bits"),
    ("gain", "bits a predicted job"),
    ("gain", "bits a job"),
];

fn week_cells(Week { week, gain: found }: &Week) -> Vec<String> {
    vec![
        week.to_string(),
        found.jobs.to_string(),
        found.untrained.to_string(),
        found.predicted.to_string(),
        gain(found.base_per_predicted()),
        gain(found.per_predicted()),
        gain(found.per_job()),
    ]
}

/// The gain of each week, by the number of weeks since the first submission; a dash where there is none.
fn weeks(trace: &str, online: &Online) -> String {
    let last = online.weeks.last().map_or(0, |week| week.week);
    let of = |number: i64| {
        let week = online.weeks.binary_search_by_key(&number, |week| week.week).ok();
        let gain = week.and_then(|index| online.weeks.get(index)).and_then(|week| week.gain.per_predicted());
        gain.map_or_else(|| "-".to_owned(), |gain| format!("{gain:.2}"))
    };
    let all: Vec<String> = (0..=last).map(of).collect();
    format!("{}, bits a predicted job by week: {}", short(trace), all.join(" "))
}

/// A table for every comparison, over all traces.
pub fn studied(studies: &[Study], choices: &Choices, style: TableStyle) -> Vec<String> {
    let mut parts = Vec::new();
    let shown = online_columns(choices);
    let of_shown = |cells: &mut dyn Iterator<Item = String>| -> Vec<String> {
        cells.zip(shown).filter(|(_, shown)| *shown).map(|(cell, _)| cell).collect()
    };
    for &figure in &choices.figures {
        let trace = std::iter::once("trace".to_owned());
        let mut table = if figure == Figure::Online {
            let titles = of_shown(&mut ONLINE.iter().map(|(name, unit)| style.title(name, unit)));
            style.table(trace.chain(titles), 1)
        } else {
            style.table(trace.chain(curve_titles(choices, style)), 2)
        };
        for study in studies {
            let name = || std::iter::once(short(&study.trace).to_owned());
            for curve in study.of(figure) {
                table.add_row(name().chain(curve_cells(curve, figure, choices)));
            }
            for online in study.online.iter().filter(|_| figure == Figure::Online) {
                table.add_row(name().chain(of_shown(&mut online_cells(online).into_iter())));
            }
        }
        let star =
            if starred(studies.iter().flat_map(|study| study.of(figure)).flat_map(|curve| &curve.points)) {
                format!("\n\n{STAR}")
            } else {
                String::new()
            };
        parts.push(format!("{}\n\n{table}{star}", title(figure)));
        // One way of learning: its weeks in a line for each trace.
        let weekly = studies.iter().filter(|_| figure == Figure::Online && choices.online.len() == 1);
        parts.extend(weekly.flat_map(|study| study.online.iter().map(|online| weeks(&study.trace, online))));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let times = [0.0, 1.5, 59.0, 60.0, 900.0, 3601.0, 86_400.0, 12.34 * 86_400.0].map(time);
        assert_eq!(times, ["0 s", "1.5 s", "59 s", "1 min", "15 min", "1 h", "24 h", "12.3 d"]);
    }

    #[test]
    fn few_rounds_are_shown() {
        let point = |round| Point {
            round,
            log_likelihood: None,
            training_gain: None,
            gain: None,
            safe_gain: None,
            moved: None,
        };
        let points: Vec<Point> = (0..=123).map(point).collect();
        let rounds: Vec<u64> = shown(&points).map(|point| point.round).collect();
        assert_eq!(rounds, [0, 1, 2, 5, 10, 20, 50, 100, 123]);
        assert_eq!(columns(100), [0, 1, 3, 10, 30, 100]);
        assert_eq!(columns(1), [0, 1]);
    }
}
