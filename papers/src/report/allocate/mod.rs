//! The page of `surefill-papers allocate`: Figures 1 to 6 of Downey 1997.

pub mod tables;

use crate::report::plot::curves::{self, Plot};
use crate::report::plot::scatter::{self, Scatter};
use crate::report::plot::schedule::{self, Block};
use crate::studies::allocate::figures::{Observed, columns, profiles, schedules, speedups};
use crate::studies::allocate::study::{Row, Study};
use maud::{Markup, html};
use surefill_simulator::generate::History;
use surefill_simulator::report::figures::lines as figure;
use surefill_simulator::report::plot::{self, Style};
use surefill_simulator::report::{Made, Section, study_page};

/// No more points than this in a scatter plot, so that the page stays small.
const POINTS: usize = 3000;

/// No more steps than this in a distribution.
const STEPS: usize = 800;

/// Columns of figure 5 with fewer predictions have no mean.
const FEWEST: usize = 20;

/// The page; figures 3 and 4 are those of a trace, when there is one.
pub fn page(study: &Study, trace: Option<&History>, made: &Made) -> String {
    let section = Section(html! {
        section {
            h2 { "Figures 1 to 6" }
            (profile())
            (speedup())
            @if let Some(trace) = trace { (allocated(trace)) (sizes(trace)) }
            @for row in study.rows.iter().filter(|row| !row.predictions.is_empty()) { (predictions(row)) }
            (pair())
        }
    });
    study_page(
        "Malleable jobs that choose their number of processors",
        &[section],
        crate::report::sources::MALLEABLE,
        made,
    )
}

fn profile() -> Markup {
    let profiles = profiles();
    let style = |index: usize| if index == 0 { plot::SOLID } else { plot::other(0) };
    let outline = |stretches: &[(f64, f64)]| {
        let mut points = vec![(0.0, 0.0)];
        let mut time = 0.0;
        for &(duration, width) in stretches {
            points.extend([(time, width), (time + duration, width)]);
            time += duration;
        }
        points.push((time, 0.0));
        points
    };
    let named = profiles.iter().enumerate();
    let legend: Vec<(&Style, String)> = named
        .clone()
        .map(|(index, (name, sigma, _))| (style(index), format!("{name}, σ = {sigma}")))
        .collect();
    let plot = Plot {
        x: "time",
        logarithmic: false,
        y: "potential parallelism",
        curves: named.map(|(index, (_, _, stretches))| (style(index), outline(stretches))).collect(),
        levels: Vec::new(),
    };
    figure(
        "Figure 1: profiles of parallelism",
        &legend,
        &curves::draw(&plot),
        "Processors that a job with an average parallelism of 64 can use (up) while it runs on as many as it likes (right). \
         The speedup of figure 2 is that of these two kinds of profile, of low variance up to σ = 1 and of high from there.",
    )
}

fn speedup() -> Markup {
    let speedups = speedups();
    let style = |index: usize| if index == 0 { plot::SOLID } else { plot::other(index - 1) };
    let legend: Vec<(&Style, String)> = speedups
        .iter()
        .enumerate()
        .map(|(index, (sigma, _))| {
            let sigma = if sigma.is_infinite() { "∞ (lower bound)".to_owned() } else { sigma.to_string() };
            (style(index), format!("σ = {sigma}"))
        })
        .collect();
    let plot = Plot {
        x: "processors",
        logarithmic: false,
        y: "speedup",
        curves: speedups.into_iter().enumerate().map(|(index, (_, points))| (style(index), points)).collect(),
        levels: Vec::new(),
    };
    figure(
        "Figure 2: speedup",
        &legend,
        &curves::draw(&plot),
        "Speedup (up) on n processors (right) of a job with an average parallelism of 64.",
    )
}

/// Two points of a log-uniform distribution.
fn straight((low, high): (f64, f64)) -> Vec<(f64, f64)> {
    // Log-spaced, as the axis draws straight lines between places.
    vec![(low, 0.0), (high, 1.0)]
}

/// A distribution as steps.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut steps = Vec::with_capacity(2 * points.len());
    let mut before = 0.0;
    for &(value, share) in points {
        steps.extend([(value, before), (value, share)]);
        before = share;
    }
    steps
}

fn distribution(
    title: &str,
    x: &'static str,
    name: &str,
    of: &Observed,
    line: Vec<(f64, f64)>,
    label: String,
    caption: &str,
) -> Markup {
    let (trace, model) = (plot::SOLID, plot::other(0));
    let plot = Plot {
        x,
        logarithmic: true,
        y: "share of jobs",
        curves: vec![(trace, steps(&of.thinned(STEPS))), (model, line)],
        levels: Vec::new(),
    };
    figure(title, &[(trace, name.to_owned()), (model, label)], &curves::draw(&plot), caption)
}

fn allocated(trace: &History) -> Markup {
    let times = trace.jobs.iter().map(|job| f64::from(job.processors) * job.run_time as f64);
    let observed = Observed::new(times.collect());
    let (line, label) = match observed.fitted {
        Some(bounds) => {
            (straight(bounds), format!("log-uniform from e^{:.1} to e^{:.1} s", bounds.0.ln(), bounds.1.ln()))
        }
        None => (Vec::new(), "no line".to_owned()),
    };
    distribution(
        "Figure 3: allocated time",
        "processors x run time [s], logarithmic",
        &trace.name,
        &observed,
        line,
        label,
        "The share of jobs (up) that took no more processor-seconds (right), and the least-squares line of equation 4. The \
         model's sequential lifetimes go from e^2 to e^12 s.",
    )
}

fn sizes(trace: &History) -> Markup {
    let observed = Observed::new(trace.jobs.iter().map(|job| f64::from(job.processors)).collect());
    distribution(
        "Figure 4: processors",
        "processors, logarithmic",
        &trace.name,
        &observed,
        straight((1.0, 128.0)),
        "the model's A: log-uniform from 1 to 128".to_owned(),
        "The share of jobs (up) that took no more processors (right), and the model's distribution of the average parallelism.",
    )
}

fn predictions(row: &Row) -> Markup {
    let stride = row.predictions.len().div_ceil(POINTS).max(1);
    let shown = row.predictions.iter().step_by(stride);
    let columns = columns(&row.predictions, FEWEST);
    let (points, mean, median) = (plot::other(5), plot::SOLID, plot::other(1));
    let over = |value: fn(&crate::studies::allocate::figures::Column) -> f64| {
        columns.iter().map(|column| (column.predicted, value(column))).collect::<Vec<_>>()
    };
    let scatter = Scatter {
        x: "predicted wait, logarithmic",
        y: "actual wait, logarithmic",
        style: points,
        points: shown.map(|p| (p.used, p.actual)).collect(),
        lines: vec![(mean, over(|column| column.mean)), (median, over(|column| column.median))],
    };
    let of = |name: &str| Some(row.application.get(name)?.mean);
    let trend = of("correlation").zip(of("slope").zip(of("intercept"))).map_or_else(
        || "Too few for a trend.".to_owned(),
        |(correlation, (slope, intercept))| {
            format!(
                "Over all seeds, in logarithms: correlation {correlation:.2}, trend line of slope {slope:.2} and intercept \
                 {intercept:.2}."
            )
        },
    );
    let shown_of = if stride > 1 { format!(", one of {stride} shown") } else { String::new() };
    let model = row.model.map_or(String::new(), |model| format!(", run times: {}", model.text()));
    figure(
        &format!("Figure 5: predicted and actual waits, {}{model}", row.strategy),
        &[(mean, "geometric mean of a column".to_owned()), (median, "median of a column".to_owned())],
        &scatter::draw(&scatter),
        &format!(
            "Predictions that made a job hold out, of the first seed{shown_of}; on the grey line they are true. {trend}"
        ),
    )
}

fn pair() -> Markup {
    let schedules = schedules();
    let end = schedules.iter().flat_map(|(_, jobs)| jobs).map(|job| job.time.1 / 60.0).fold(0.0, f64::max);
    let draw = |jobs: &[crate::studies::allocate::figures::Placed]| {
        let blocks: Vec<Block> = jobs
            .iter()
            .zip(["first job", "second job"])
            .enumerate()
            .map(|(index, (job, label))| Block {
                style: plot::other(index),
                label,
                time: (job.time.0 / 60.0, job.time.1 / 60.0),
                processors: job.processors,
            })
            .collect();
        schedule::draw(&blocks, 128, end * 1.03)
    };
    html! {
        h3 { "Figure 6: waiting may improve utilization" }
        div.grid {
            @for (name, jobs) in &schedules {
                figure {
                    div role="img" aria-label={ "Schedule under " (name) } { (plot::described(&draw(jobs), &format!("Schedule under {name}"), "Jobs as blocks: time to the right, processors up.")) }
                    figcaption { (name) }
                }
            }
        }
        p.facts {
            "Two jobs with an average parallelism of 100 on 128 processors, the second ten minutes after the first. Under AVG it \
             starts at once on the 28 that are left, and later nobody uses the others."
        }
    }
}
