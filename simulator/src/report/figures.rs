//! The page's figures: title, legend, plot and a caption that says how to read it.

use super::Drawn;
use super::document::SCROLLS;
use super::plot::utilization::{Over, Strip};
use super::plot::{self, Picture, Style, reliability, wait_cdf};
use crate::replay::calibration::Bin;
use crate::replay::policy::Criterion;
use maud::{Markup, PreEscaped, html};

/// A figure with its legend, its plot and a caption that says how to read it, of a class of the style sheet.
pub fn figure(class: &str, title: &str, legend: &Markup, picture: &Picture, caption: &str) -> Markup {
    html! {
        div.shown {
            h3 { (title) }
            figure class=(class) {
                (legend)
                div role="img" aria-label={ (title) ". " (caption) } { (plot::described(picture, title, caption)) }
                figcaption { (caption) }
            }
        }
    }
}

/// A figure of lines: the legend has a sample of each.
pub fn lines(title: &str, legend: &[(&Style, String)], picture: &Picture, caption: &str) -> Markup {
    let legend = html! {
        ul.legend { @for (style, name) in legend { li { (PreEscaped(plot::line_sample(style))) (name) } } }
    };
    figure("lines", title, &legend, picture, caption)
}

/// The policies with a sample of what stands for each.
fn legend<'a>(runs: impl IntoIterator<Item = &'a Drawn<'a>>, sample: fn(&Style) -> String) -> Markup {
    html! { ul.legend { @for run in runs { li { (PreEscaped(sample(run.style))) (run.label) } } } }
}

/// The wait-time CDF.
pub(super) fn waits(runs: &[Drawn]) -> Markup {
    let series: Vec<_> = runs.iter().map(|run| (run.style, &run.run.first.jobs[..])).collect();
    figure(
        "lines",
        "How long jobs wait",
        &legend(runs, plot::line_sample),
        &wait_cdf::draw(&series),
        "The share of jobs (up) that waited no longer than a time (right, logarithmic; first seed): a curve higher and \
         further to the left is better, and where it begins on the left is the share that hardly waited at all.",
    )
}

/// The reliability diagram of the policies that predict by this criterion; nothing without any.
pub(super) fn delays(runs: &[Drawn], criterion: Criterion) -> Markup {
    let predicts = |run: &&Drawn| {
        run.summary.options.prob.criterion == criterion
            && run.summary.calibration.iter().any(|bin| bin.predicted > 0.0)
    };
    let runs: Vec<&Drawn> = runs.iter().filter(predicts).collect();
    if runs.is_empty() {
        return html! {};
    }
    let series: Vec<_> = runs.iter().map(|run| (run.style, &run.summary.calibration[..])).collect();
    let caption = match criterion {
        Criterion::Probability => {
            "Accepted backfills by predicted probability of delaying the head job (right), and the share that really did \
             (up, with its 95 % Wilson interval; all seeds): on the grey diagonal the predictions are right, above it \
             they are too low."
        }
        Criterion::Seconds => {
            "Accepted backfills by expected delay of the head job (right), and the mean delay that they really caused (up; \
             all seeds; both logarithmic, below 1 s drawn at 1 s): on the grey diagonal the predictions are right, above \
             it they are too low."
        }
        Criterion::Relative => {
            "Accepted backfills of policies that compare the expected delay with the head job's expected wait, judged in \
             seconds: expected delay (right), and the mean delay that they really caused (up; all seeds; both logarithmic, \
             below 1 s drawn at 1 s): on the grey diagonal the predictions are right, above it they are too low."
        }
    };
    html! {
        (figure("points", "Predicted and observed delays", &legend(runs.iter().copied(), plot::point_sample), &reliability::draw(&series, criterion), caption))
        details {
            summary { "The numbers of this figure" }
            div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                thead { tr {
                    th scope="col" { "policy" } th scope="col" { "predicted" } th scope="col" { "observed" }
                    @if criterion == Criterion::Probability { th scope="col" { "95 % interval" } }
                    th scope="col" { "backfills" }
                } }
                tbody {
                    @for run in &runs { @for bin in &run.summary.calibration { (row(&run.label, bin, criterion)) } }
                }
            } }
        }
    }
}

fn row(label: &str, bin: &Bin, criterion: Criterion) -> Markup {
    let number = |value: f64| match criterion {
        Criterion::Seconds | Criterion::Relative => format!("{value:.1} s"),
        Criterion::Probability => format!("{:.2} %", value * 100.0),
    };
    html! {
        tr {
            th scope="row" { (label) }
            td { (number(bin.predicted)) }
            td { (number(bin.observed)) }
            @if let Some((low, high)) = reliability::bounds(bin, criterion) { td { (number(low)) " to " (number(high)) } }
            td { (bin.count) }
        }
    }
}

fn strips<'a>(runs: &'a [Drawn]) -> Vec<Strip<'a>> {
    let strip =
        |run: &'a Drawn| Strip { style: run.style, title: run.label.clone(), outcome: &run.run.first };
    runs.iter().map(strip).collect()
}

/// The machine's use over time.
pub(super) fn utilization(runs: &[Drawn]) -> Markup {
    figure(
        "strips",
        "How busy the machine is",
        &html! {},
        &plot::utilization::draw(&strips(runs), Over::Processors),
        "The share of processors in use (up), averaged over each 200th of the time from the first submission to the last \
         end (right; first seed), one strip a policy: the same work done in less time makes a fuller, shorter strip.",
    )
}

/// The length of the queue over time.
pub(super) fn queue(runs: &[Drawn]) -> Markup {
    figure(
        "strips",
        "How many jobs wait",
        &html! {},
        &plot::utilization::draw(&strips(runs), Over::Queue),
        "The number of waiting jobs (up, the same scale for all), averaged over each 200th of the time from the first \
         submission to the last end (right; first seed), one strip a policy.",
    )
}
