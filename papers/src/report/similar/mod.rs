//! The page of `surefill-papers similar`: Figures 1 to 4 of Song, Ernemann & Yahyapour 2004, with one line a workload.

pub mod tables;

use crate::report::plot::lines::{Labels, Line, draw};
use crate::studies::similar::Figures;
use crate::studies::similar::figures::Point;
use maud::{Markup, html};
use surefill_simulator::report::figures::lines as figure;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::plot::{self, Style};
use surefill_simulator::report::{Made, Section, study_page};

/// A part for one trace: the original's figures first, those of synthetic workloads after it. The judgements of
/// schedulers, where they were asked, are a table below.
pub fn section(title: &str, figures: &[(String, Figures)], schedulers: Option<&Grid>) -> Section {
    let workloads: Vec<Workload> = figures
        .iter()
        .enumerate()
        .map(|(index, (name, figures))| {
            let style = if index == 0 { plot::EASY } else { plot::other(index - 1) };
            Workload { style, name, figures }
        })
        .collect();
    Section(html! {
        section {
            h2 { (title) }
            (repetitions(&workloads))
            (next_nodes(&workloads))
            (next_run_times(&workloads))
            (distributions(&workloads))
            @if let Some(schedulers) = schedulers {
                h3 { "What schedulers say" }
                (schedulers.html())
                p {
                    "Replays of the trace and of generated workloads: mean wait under the first policy, over the trace's; utilization \
                     under it; how much longer or shorter jobs wait under the other policies; how many pairs of policies come in the \
                     trace's order. Means over seeds with the standard deviation from seed to seed."
                }
            }
        }
    })
}

/// The page of such parts.
pub fn page(sections: &[Section], made: &Made) -> String {
    study_page("Synthetic workloads compared", sections, crate::report::sources::WORKLOADS, made)
}

struct Workload<'a> {
    style: &'static Style,
    name: &'a str,
    figures: &'a Figures,
}

fn legend(workloads: &[Workload]) -> Vec<(&'static Style, String)> {
    workloads.iter().map(|workload| (workload.style, workload.name.to_owned())).collect()
}

fn points(points: &[Point]) -> Vec<(f64, f64)> {
    points.iter().map(|point| (f64::from(point.class), point.value)).collect()
}

fn lines<'a>(workloads: &'a [Workload], of: impl Fn(&Figures) -> &[Point]) -> Vec<Line<'a>> {
    let line = |workload: &'a Workload| Line {
        style: workload.style,
        points: points(of(workload.figures)),
        marked: true,
    };
    workloads.iter().map(line).collect()
}

/// A line of the same height throughout, for the mean of the original.
fn level(style: &'static Style, height: f64, of: &[Point]) -> Line<'static> {
    let ends = of.first().into_iter().chain(of.last());
    Line { style, points: ends.map(|point| (f64::from(point.class), height)).collect(), marked: false }
}

fn repetitions(workloads: &[Workload]) -> Markup {
    let axes = Labels {
        right: "processors",
        up: "jobs in a row",
        power: |value| format!("{value}"),
        value: |value| format!("{value:.1}"),
        top: None,
    };
    let mut drawn = lines(workloads, |figures| &figures.repetitions);
    let mut legend = legend(workloads);
    if let Some(original) = workloads.first() {
        let style = plot::other(workloads.len() - 1);
        drawn.push(Line { style, points: points(&original.figures.repetitions_independent), marked: true });
        legend.push((style, format!("{} in random order", original.name)));
    }
    figure(
        "Figure 1: jobs of the same size follow each other",
        &legend,
        &draw(&drawn, &axes),
        "How many jobs in a row ask for the same number of processors (up), by that number (right; powers of two, other jobs \
         passed over), and how many would if the jobs came in random order.",
    )
}

fn next_nodes(workloads: &[Workload]) -> Markup {
    let axes = Labels {
        right: "processors of a run of jobs, rounded down to a power of two",
        up: "mean processors of the next",
        power: |value| format!("{value}"),
        value: |value| format!("{value:.0}"),
        top: None,
    };
    let mut drawn = lines(workloads, |figures| &figures.next_nodes);
    let mut legend = legend(workloads);
    if let Some(original) = workloads.first() {
        let style = plot::other(workloads.len() - 1);
        drawn.push(level(style, original.figures.mean_nodes, &original.figures.next_nodes));
        legend.push((style, format!("{}: mean of all runs", original.name)));
    }
    figure(
        "Figure 2: wide jobs are followed by wide ones",
        &legend,
        &draw(&drawn, &axes),
        "Runs of jobs with the same number of processors counted once: the mean number of the next run (up), by the number of \
         this one (right). As equal neighbours are \
         removed, numbers that are common are followed by others even without memory.",
    )
}

fn next_run_times(workloads: &[Workload]) -> Markup {
    let axes = Labels {
        right: "run time, rounded down to a power of two [s]",
        up: "mean run time of the next job [h]",
        power: |value| format!("{value}"),
        value: |value| format!("{value:.1}"),
        top: None,
    };
    let mut drawn = lines(workloads, |figures| &figures.next_run_time);
    for (_, value) in drawn.iter_mut().flat_map(|line| &mut line.points) {
        *value /= 3600.0;
    }
    let mut legend = legend(workloads);
    if let Some(original) = workloads.first() {
        let style = plot::other(workloads.len() - 1);
        drawn.push(level(style, original.figures.mean_run_time / 3600.0, &original.figures.next_run_time));
        legend.push((style, format!("{}: mean of all jobs", original.name)));
    }
    figure(
        "Figure 3: long jobs are followed by long ones",
        &legend,
        &draw(&drawn, &axes),
        "The mean run time of the next job (up), by the class of this job's run time (right).",
    )
}

fn distributions(workloads: &[Workload]) -> Markup {
    let share = |value: f64| format!("{:.0}", value * 100.0);
    // Below 1 s is drawn at 1 s.
    let place = |&(value, share): &(u64, f64)| ((value.max(1) as f64).log2(), share);
    let steps = |of: &dyn Fn(&Figures) -> Vec<(f64, f64)>| {
        let line = |workload: &Workload| {
            let mut points = Vec::new();
            let mut before = 0.0;
            for (x, share) in of(workload.figures) {
                points.extend([(x, before), (x, share)]);
                before = share;
            }
            (workload.style, points)
        };
        workloads.iter().map(line).collect::<Vec<_>>()
    };
    let drawn = |steps: Vec<(&'static Style, Vec<(f64, f64)>)>, axes: &Labels| {
        let lines: Vec<Line> =
            steps.into_iter().map(|(style, points)| Line { style, points, marked: false }).collect();
        draw(&lines, axes)
    };
    let power = |value: f64| format!("{value}");
    let up = "share of jobs [%]";
    let run_times = Labels { right: "run time [s], logarithmic", up, power, value: share, top: Some(1.0) };
    let nodes = Labels { right: "processors, logarithmic", up, power, value: share, top: Some(1.0) };
    html! {
        (figure(
            "Figure 4: run times",
            &legend(workloads),
            &drawn(steps(&|figures| figures.run_times.iter().map(place).collect()), &run_times),
            "The share of jobs (up) that run no longer than a time (right).",
        ))
        (figure(
            "Figure 4: processors",
            &legend(workloads),
            &drawn(steps(&|figures| figures.nodes.iter().map(place).collect()), &nodes),
            "The share of jobs (up) that ask for no more processors (right).",
        ))
    }
}
