//! Which predictor is the tightest of the correct ones: chosen on a queue's first half for its second, or known
//! afterwards.

use super::{by_name, components, mark, method_name, or_dash, ratio, share};
use crate::studies::waits::measures::Measures;
use crate::studies::waits::study::{Kind, Measured, Options, QueueStudy};
use surefill::wait::WaitOptions;
use surefill_simulator::live::methods::Method;
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::waiting::duration;

/// The predictor that is correct on the first half with the smallest over-prediction there; if none is, the most
/// correct.
fn best_of(
    queue: &QueueStudy,
    options: &Options,
    half: usize,
    kinds: impl Iterator<Item = Kind>,
) -> Option<Kind> {
    let found = |kind| queue.of(kind).map(|measured| (kind, measured.halves[half]));
    let all: Vec<(Kind, Measures)> = kinds.filter_map(found).collect();
    let over = |m: &Measures| m.rms_over_s.unwrap_or(f64::INFINITY);
    let correctness = |m: &Measures| m.correctness.unwrap_or(0.0);
    let correct = all.iter().filter(|(_, m)| m.is_correct(options.quantile));
    let tightest = correct.min_by(|(_, a), (_, b)| over(a).total_cmp(&over(b)));
    let most_correct = || all.iter().max_by(|(_, a), (_, b)| correctness(a).total_cmp(&correctness(b)));
    tightest.or_else(most_correct).map(|(kind, _)| *kind)
}

/// The rate of the binomial method that is best on the first half.
fn chosen_rate(queue: &QueueStudy, options: &Options) -> Option<f64> {
    match best_of(queue, options, 0, options.rates.iter().map(|&rate| options.adapted(rate)))? {
        Kind::Adapted { rate, .. } => Some(rate),
        _ => None,
    }
}

pub(super) fn held_out(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let default = WaitOptions::default().rate;
    let titles = ["machine/queue", "rate", "second half", "with the default rate", "without"];
    let mut table = style.table(titles.map(str::to_owned), 1);
    for (name, queue) in rows {
        let Some((rate, usual)) = chosen_rate(queue, options).zip(queue.of(options.usual())) else {
            continue;
        };
        let cell = |measured: &Measured| {
            let [_, second] = &measured.halves;
            let accuracy = second.accuracy(&usual.halves[1]).map(ratio);
            let text = style.noted(or_dash(second.correctness.map(share)), accuracy);
            mark(text, second.is_correct(options.quantile), style)
        };
        let adapted = |rate: f64| or_dash(queue.of(options.adapted(rate)).map(cell));
        table.add_row([name.clone(), rate.to_string(), adapted(rate), adapted(default), cell(usual)]);
    }
    table
}

pub(super) fn chosen(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let titles =
        ["machine/queue", "method", "second half", "binomial", "tightest afterwards", "its accuracy"];
    let mut table = style.table(titles.map(str::to_owned), 2);
    let following = || Method::ALL.into_iter().filter_map(|method| options.usual_adapted(method));
    for (name, queue) in rows {
        let Some(usual) = queue.of(options.usual()) else { continue };
        let cell = |kind: Kind| {
            let second = queue.of(kind)?.halves[1];
            let accuracy = second.accuracy(&usual.halves[1]).map(ratio);
            let text = style.noted(or_dash(second.correctness.map(share)), accuracy);
            Some(mark(text, second.is_correct(options.quantile), style))
        };
        let Some(best) = best_of(queue, options, 0, following()) else { continue };
        let all = queue.measured.iter().map(|measured| measured.kind);
        let afterwards = best_of(queue, options, 1, all);
        let accuracy = afterwards.and_then(|kind| queue.of(kind)?.halves[1].accuracy(&usual.halves[1]));
        table.add_row([
            name.clone(),
            method_of(best).to_owned(),
            or_dash(cell(best)),
            or_dash(options.usual_adapted(Method::Binomial).and_then(cell)),
            or_dash(afterwards.map(predictor_name)),
            or_dash(accuracy.map(ratio)),
        ]);
    }
    table
}

fn method_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Alone { method }
        | Kind::Full { method, .. }
        | Kind::Adapted { method, .. }
        | Kind::Whole { method, .. } => method_name(method),
        Kind::AdaptedBy { .. } | Kind::Visible { .. } => method_name(Method::Binomial),
    }
}

/// A predictor in few words.
fn predictor_name(kind: Kind) -> String {
    let method = method_of(kind);
    match kind {
        Kind::Alone { .. } => format!("{method} alone"),
        Kind::Full { by, .. } => format!("{method} by {}", by_name(by)),
        Kind::Adapted { rate, .. } => format!("{method} adapted, {rate}"),
        Kind::AdaptedBy { by, rate } => format!("{method} by {} adapted, {rate}", by_name(by)),
        Kind::Whole { rate, .. } => format!("{method} adapted, {rate}, all waits"),
        Kind::Visible { rate } => format!("by the visible queue, {rate}"),
    }
}

pub(super) fn rivals(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let titles = [
        "machine/queue".to_owned(),
        "tightest of the paper's".to_owned(),
        style.title("its RMS", "over-prediction"),
        style.noted("BM following".to_owned(), Some(components(options))),
        style.noted("BM following".to_owned(), Some("all waits".to_owned())),
    ];
    let mut table = style.table(titles.to_vec(), 2);
    for (name, queue) in rows {
        let correct = |kind: Kind| queue.of(kind).filter(|m| m.all.is_correct(options.quantile));
        let over = |m: &Measured| m.all.rms_over_s.unwrap_or(f64::INFINITY);
        let tightest = options.papers().filter_map(correct).min_by(|a, b| over(a).total_cmp(&over(b)));
        let cell = |kind: Kind| {
            let own = &queue.of(kind)?.all;
            let accuracy = tightest.and_then(|tightest| own.accuracy(&tightest.all)).map(ratio);
            let text = style.noted(or_dash(own.correctness.map(share)), accuracy);
            Some(mark(text, own.is_correct(options.quantile), style))
        };
        table.add_row([
            name.clone(),
            or_dash(tightest.map(|measured| predictor_name(measured.kind))),
            or_dash(tightest.and_then(|measured| measured.all.rms_over_s).map(duration)),
            or_dash(options.usual_adapted(Method::Binomial).and_then(cell)),
            or_dash(options.whole(Method::Binomial).and_then(cell)),
        ]);
    }
    table
}
