//! Coverage by class: the table, and a figure over months.

use super::{mark, or_dash, share};
use crate::report::plot::shares;
use crate::studies::waits::classes::{Classes, FEWEST_A_MONTH, Held};
use crate::studies::waits::study::{Kind, Measured, Options, QueueStudy};
use maud::{Markup, PreEscaped, html};
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::figures::figure;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::plot;
use surefill_simulator::report::waiting::duration;

/// Those that are compared: with the components, adapted at the usual rate, and the default.
fn kinds(options: &Options) -> impl Iterator<Item = (&'static str, Kind)> {
    let adapted = options.usual_adapted(surefill_simulator::live::methods::Method::Binomial);
    [("", Some(options.usual())), ("adapted", adapted), ("by the visible queue", options.visible())]
        .into_iter()
        .filter_map(|(name, kind)| Some((name, kind?)))
}

fn of(queue: &QueueStudy, kind: Kind) -> Option<(&Measured, &Classes)> {
    let measured = queue.of(kind)?;
    Some((measured, measured.classes.as_ref()?))
}

pub(super) fn table(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let titles = [
        style.title("machine/queue", ""),
        "all".to_owned(),
        style.title("widest", "5 %"),
        style.title("widest", "1 %"),
        "longest requests".to_owned(),
        "worst month".to_owned(),
        "worst user".to_owned(),
        "worst 300".to_owned(),
        style.noted("mean over-prediction".to_owned(), Some("median bound".to_owned())),
        "pinball loss".to_owned(),
    ];
    let mut table = style.table(titles, 1);
    for (name, queue) in rows {
        for (note, kind) in kinds(options) {
            let Some((measured, classes)) = of(queue, kind) else { continue };
            let cell = |value: Option<f64>| {
                or_dash(value.map(|value| mark(share(value), value >= options.quantile, style)))
            };
            let bound = measured.all.median_bound_s.map(|bound| duration(bound as f64));
            table.add_row([
                style.noted(name.clone(), (!note.is_empty()).then(|| note.to_owned())),
                cell(measured.all.correctness),
                cell(classes.widest_5.share()),
                cell(classes.widest_1.share()),
                cell(classes.longest.share()),
                cell(classes.worst_month()),
                cell(classes.worst_user()),
                cell(classes.worst_block),
                style.noted(or_dash(measured.all.mean_over_s.map(duration)), bound),
                or_dash(classes.pinball_s.map(duration)),
            ]);
        }
    }
    table
}

/// Points of a line: the classes from the first on, those with enough bounds.
fn points(all: &[Held], fewest: u64) -> Vec<(f64, f64)> {
    let shares = all.iter().enumerate().filter(|(_, held)| held.judged >= fewest);
    shares.filter_map(|(n, held)| Some((n as f64 + 1.0, held.share()?))).collect()
}

/// Figures of the shares that held: by month, by fifths of width and of requested time, and by user.
pub(super) fn figures(queue: &QueueStudy, options: &Options) -> Markup {
    type Of = fn(&Classes) -> (&[Held], u64);
    let views: [(&str, &str, Of); 4] = [
        ("by month", "30 days", |classes| (&classes.by_month, FEWEST_A_MONTH)),
        ("by width", "fifths of the jobs, from the narrowest", |classes| (&classes.by_width, 1)),
        ("by requested time", "fifths of the jobs, from the shortest request", |classes| {
            (&classes.by_request, 1)
        }),
        ("by user", "users with 200 bounds or more, from the worst", |classes| (&classes.by_user, 1)),
    ];
    let all: Vec<(&str, &Classes)> =
        kinds(options).filter_map(|(name, kind)| Some((name, of(queue, kind)?.1))).collect();
    html! {
        @for (what, axis, select) in views {
            @let series: Vec<Vec<(f64, f64)>> = all.iter().map(|(_, classes)| { let (held, fewest) = select(classes); points(held, fewest) }).collect();
            @if series.iter().any(|points| points.len() > 1) {
                (drawn(queue, what, axis, &all, &series, options.quantile))
            }
        }
    }
}

fn drawn(
    queue: &QueueStudy,
    what: &str,
    axis: &str,
    all: &[(&str, &Classes)],
    series: &[Vec<(f64, f64)>],
    quantile: f64,
) -> Markup {
    let name = |name: &str| if name.is_empty() { "with the components" } else { name }.to_owned();
    let legend = html! { ul.legend {
        @for (n, (kind, _)) in all.iter().enumerate() { li { (PreEscaped(plot::line_sample(plot::other(n)))) (name(kind)) } }
    } };
    let lines: Vec<_> =
        series.iter().enumerate().map(|(n, points)| (plot::other(n), points.clone())).collect();
    let drawing = shares::draw(&lines, axis, quantile);
    figure(
        "classes",
        &format!("{}: share of the bounds that hold, {what}", queue.queue),
        &legend,
        &drawing,
        "Bounds judged after the training. The thin line is the quantile that was bounded.",
    )
}
