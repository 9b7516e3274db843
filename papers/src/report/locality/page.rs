//! One trace's part of a page: table, maps of the metric, distributions of half-lives.

use super::{ageing_title, bits, duration, remarks, title, weight};
use crate::report::plot::axis::Axis;
use crate::report::plot::half_life;
use crate::report::plot::heat_map::{self, Map, Mark};
use crate::studies::locality::ageing::{Ageing, Clock, UserRate};
use crate::studies::locality::binning::Binning;
use crate::studies::locality::search::{Point, Surface};
use crate::studies::locality::study::{Measurement, Options, Study};
use maud::{Markup, PreEscaped, html};
use std::collections::HashMap;
use surefill_simulator::base::words::several;
use surefill_simulator::report::Section;
use surefill_simulator::report::document::SCROLLS;
use surefill_simulator::report::figures::figure;
use surefill_simulator::report::plot::{self, Picture};

const DAY: f64 = 86_400.0;

const SLOT: Axis = Axis {
    title: "slot length t_s (logarithmic)",
    place: f64::ln,
    ticks: &[60.0, 600.0, 3600.0, 6.0 * 3600.0, DAY, 7.0 * DAY, 30.0 * DAY, 180.0 * DAY, 730.0 * DAY],
    label: duration,
};

const RATIO: Axis = Axis {
    title: "ratio t_r of run-time bins (double logarithm)",
    place: |ratio| ratio.ln().ln(),
    ticks: &[1.001, 1.003, 1.01, 1.03, 1.1, 1.3, 2.0, 5.0],
    label: |ratio| ratio.to_string(),
};

const MEANS: Axis = Axis {
    title: "means N (logarithmic)",
    place: f64::ln,
    ticks: &[2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0],
    label: |means| means.to_string(),
};

const JOBS: Axis = Axis {
    title: "half-life in jobs (alpha per job)",
    place: f64::ln,
    ticks: &[0.125, 0.5, 2.0, 8.0, 32.0, 128.0, 512.0, 2048.0],
    label: |jobs| format!("{} ({})", jobs, weight((-1.0 / jobs).exp2())),
};

const TIME: Axis = Axis {
    title: "half-life (alpha per hour)",
    place: f64::ln,
    ticks: &[1.0, 60.0, 3600.0, 12.0 * 3600.0, 7.0 * DAY, 90.0 * DAY],
    label: |seconds| format!("{} ({})", duration(seconds), weight((-3600.0 / seconds).exp2())),
};

/// A trace's part of the page.
pub fn section(study: &Study, options: &Options) -> Section {
    let users =
        if study.users > 0 { several(study.users as u64, "user") } else { "no users known".to_owned() };
    Section(html! {
        section {
            h2 { (study.trace) }
            p.facts { (study.replay.jobs) " jobs, " (users) @for remark in remarks(study) { "; " (remark) } "." }
            (table(study))
            @for measurement in &study.measurements { (surface(measurement)) }
            @for ageing in &study.ageing { (half_lives(ageing)) }
            details {
                summary { "Seeds and options" }
                p.facts { "surefill " (env!("CARGO_PKG_VERSION")) "; " (described(options)) }
            }
        }
    })
}

/// All options, in words.
fn described(options: &Options) -> String {
    let fixed = |name: &str, value: Option<String>| match value {
        Some(value) => format!("{name} {value}"),
        None => format!("{name} searched for"),
    };
    let mut all = vec![
        fixed("t_s", options.slot_s.map(|slot| format!("{slot} s"))),
        fixed("t_r", options.ratio.map(|ratio| ratio.to_string())),
        fixed("N of k-means", options.means.map(|means| means.to_string())),
    ];
    all.push(match options.shuffles {
        0 => "no shuffles".to_owned(),
        shuffles => format!("shuffles {shuffles}, seed {}", options.seed),
    });
    if !options.clocks.is_empty() {
        let ageing = options.ageing;
        let smoothing = ageing.smoothing.map_or_else(|| "the best".to_owned(), |c| c.to_string());
        let (ratio, least) = (ageing.ratio, ageing.min_jobs);
        all.push(format!("ageing of users with {least} jobs or more, t_r {ratio}, back-off {smoothing}"));
    }
    all.join("; ")
}

fn table(study: &Study) -> Markup {
    let value = |point: &Point| point.granularity.value();
    let part = |share: f64| html! { td { (bits(share)) } };
    html! {
        div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
            thead { tr {
                th scope="col" { "metric" small { "bins" } }
                th scope="col" { "jobs" }
                th scope="col" { "t_s" small { "within 1 %" } }
                th scope="col" { "t_r" small { "within 1 %" } }
                th scope="col" { "N" small { "used" } }
                th scope="col" { "H(R)" small { "bits" } }
                th scope="col" { "I(S;R)" small { "bits, naive" } }
                th scope="col" { "E[I(S;R')]" small { "bits, exact" } }
                th scope="col" { "f" small { "bits" } }
                th scope="col" { "f by shuffles" small { "± of one shuffle" } }
            } }
            tbody {
                @for measurement in &study.measurements {
                    @if let (Some(best), Some(plateau)) = (&measurement.best, &measurement.plateau) {
                        @let point = &best.point;
                        tr {
                            th scope="row" { (measurement.attribute.notation()) small { (kind(measurement.binning)) } }
                            td { (measurement.jobs) }
                            td {
                                @if let (Some(slot), Some((low, high))) = (point.slot_s, plateau.slot_s) {
                                    (duration(slot as f64)) small { (duration(low as f64)) " - " (duration(high as f64)) }
                                }
                            }
                            td {
                                @if measurement.binning == Binning::Simple {
                                    (value(point)) small { (plateau.granularity.0) " - " (plateau.granularity.1) }
                                }
                            }
                            td { (point.bins) small { (point.used_bins) } }
                            (part(best.run_time_entropy)) (part(best.information)) (part(best.expected)) (part(point.locality))
                            td { @if let (Some(f), Some(shuffled)) = (best.shuffled_locality, best.shuffled) {
                                (bits(f)) small { (format!("± {:.4}", shuffled.deviation)) }
                            } }
                        }
                    } @else {
                        tr {
                            th scope="row" { (measurement.attribute.notation()) small { (kind(measurement.binning)) } }
                            td { (measurement.jobs) }
                            td.text colspan="8" { (measurement.nothing.unwrap_or("nothing to measure")) }
                        }
                    }
                    @if let Some(thesis) = &measurement.thesis {
                        @let (published, here) = (&thesis.published, &thesis.measured);
                        tr {
                            th scope="row" { "thesis" small { "Table " (published.table) ", and here" } }
                            td {}
                            td { @if let Some(slot) = published.slot_s { (duration(slot as f64)) } }
                            td { @if measurement.binning == Binning::Simple { (published.granularity.value()) } }
                            td { (published.bins) small { (here.point.bins) " here" } }
                            (part(here.run_time_entropy)) (part(here.information)) (part(here.expected))
                            td { (format!("{:.2}", published.locality)) small { (bits(here.point.locality)) " here" } }
                            td { @if let (Some(f), Some(shuffled)) = (here.shuffled_locality, here.shuffled) {
                                (bits(f)) small { (format!("± {:.4}", shuffled.deviation)) }
                            } }
                        }
                    }
                }
                @if let Some(given) = study.given_user {
                    tr {
                        th scope="row" { "f(s; r|u)" small { "best less best" } }
                        td.text colspan="7" {
                            "at the same t_r " (bits(given.same_ratio)) "; with run times shuffled within users "
                            (bits(given.within_users))
                        }
                        td { (bits(given.best_less_best)) @if let Some(thesis) = given.thesis { small { (format!("thesis {thesis:.2}")) } } }
                        td {}
                    }
                }
            }
        } }
    }
}

fn kind(binning: Binning) -> &'static str {
    match binning {
        Binning::Simple => "constant ratio",
        Binning::Kmeans => "k-means",
    }
}

/// The metric over everything that was varied; nothing where nothing was.
fn surface(measurement: &Measurement) -> Markup {
    let Some(surface) = &measurement.surface else { return html! {} };
    let finer = match measurement.binning {
        Binning::Simple => &RATIO,
        Binning::Kmeans => &MEANS,
    };
    let title = title(measurement.attribute, measurement.binning);
    let value = |point: &Point| point.granularity.value();
    let mut points = vec![(surface.best, Mark::Ring)];
    points.extend(measurement.thesis.map(|thesis| (thesis.measured.point, Mark::Cross)));
    let legend = |on_map: bool| {
        html! {
            ul.legend {
                li { (PreEscaped(heat_map::mark_sample(Mark::Ring, on_map))) "the best found" }
                @if measurement.thesis.is_some() {
                    li { (PreEscaped(heat_map::mark_sample(Mark::Cross, on_map))) "the thesis's best" }
                }
                @if on_map { li { "0 " (PreEscaped(heat_map::scale_sample())) (bits(surface.best.locality)) " bits" } }
            }
        }
    };
    match (surface.slots_s.len() > 1, surface.granularities.len() > 1) {
        (false, false) => html! {},
        (true, true) => {
            let marks: Vec<_> =
                points.iter().filter_map(|(p, mark)| Some((p.slot_s? as f64, value(p), *mark))).collect();
            figure(
                "map",
                &title,
                &legend(true),
                &map(surface, finer, &marks),
                "The metric on the search's coarse grid by slot length (right) and granularity of run times (up), the lighter \
                 the more can be learnt: fine bins are all chance, coarse ones say little. The best point was found on a \
                 finer one, so it may lie in a darker cell beside the lightest.",
            )
        }
        (slots, _) => {
            let at = |point: &Point| {
                if slots { point.slot_s.map_or(0.0, |slot| slot as f64) } else { value(point) }
            };
            let mut line: Vec<(f64, f64)> = surface.points.iter().map(|p| (at(p), p.locality)).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let marks: Vec<_> = points.iter().map(|(p, mark)| (at(p), p.locality, *mark)).collect();
            let axis = if slots { &SLOT } else { finer };
            // Marks of other quantities that the thesis varied are not at this place.
            let marks: Vec<_> = if measurement.attribute.has_slots() { marks[..1].to_vec() } else { marks };
            figure(
                "lines",
                &title,
                &legend(false),
                &heat_map::draw_line(axis, "f [bits]", &line, plot::other(0), &marks),
                "The metric at every point that the search looked at: low where bins are so fine that all is chance, and where \
                 they are so coarse that they say little. It jumps where an edge passes a run time that many jobs have.",
            )
        }
    }
}

fn map(surface: &Surface, finer: &Axis, marks: &[(f64, f64, Mark)]) -> Picture {
    let columns: Vec<f64> = surface.slots_s.iter().map(|&slot| slot as f64).collect();
    let key = |slot: i64, granularity: f64| (slot, granularity.to_bits());
    let known: HashMap<(i64, u64), f64> = surface
        .points
        .iter()
        .map(|p| (key(p.slot_s.unwrap_or(0), p.granularity.value()), p.locality))
        .collect();
    let value = |column: usize, row: usize| {
        let (slot, granularity) = (surface.slots_s.get(column)?, surface.granularities.get(row)?);
        known.get(&key(*slot, *granularity)).copied()
    };
    heat_map::draw(&Map {
        x: &SLOT,
        y: finer,
        columns: &columns,
        rows: &surface.granularities,
        value: &value,
        highest: surface.best.locality,
        marks,
    })
}

/// The distribution of the users' own half-lives.
fn half_lives(ageing: &Ageing) -> Markup {
    let (axis, ends) = match ageing.clock {
        Clock::Job => (&JOBS, (0.125, 6000.0)),
        Clock::Time => (&TIME, (1.0, 2200.0 * DAY)),
    };
    let shares = |weigh: &dyn Fn(&UserRate) -> f64| {
        let total: f64 = ageing.users.iter().map(weigh).sum();
        let mut sum = 0.0;
        let share = |user: &UserRate| {
            sum += weigh(user);
            (user.rate.half_life(), sum / total)
        };
        ageing.users.iter().map(share).collect::<Vec<_>>()
    };
    let (by_users, by_jobs) = (plot::EASY, plot::other(0));
    let series = [(by_users, shares(&|_| 1.0)), (by_jobs, shares(&|user| user.predicted as f64))];
    let legend = html! {
        ul.legend {
            li { (PreEscaped(plot::line_sample(by_users))) "share of users" }
            li { (PreEscaped(plot::line_sample(by_jobs))) "share of their jobs" }
            li { (PreEscaped(half_life::common_sample())) "the best rate for all of them" }
        }
    };
    let gains = &ageing.gains;
    let kinds =
        [("none", &ageing.none), ("one rate for all", &ageing.one), ("every user's own", &ageing.own)];
    html! {
        (figure(
            "lines",
            &ageing_title(ageing.clock, ageing.known),
            &legend,
            &half_life::draw(axis, ends, &series, ageing.common.half_life()),
            "The share of users (up) whose next run time is predicted best when their earlier jobs lose half their weight in no \
             more than this (right, logarithmic). At the left edge hardly anything but the last job counts, at the right edge nothing ages.",
        ))
        div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
            thead { tr {
                th scope="col" { "ageing" }
                th scope="col" { "back-off c" }
                th scope="col" { "bits a job" small { "as fitted" } }
                th scope="col" { "later halves" small { "fitted to the earlier" } }
                th scope="col" { "gain" small { "as fitted" } }
                th scope="col" { "gain" small { "later halves" } }
            } }
            tbody {
                @for (index, (name, predicted)) in kinds.into_iter().enumerate() {
                    tr {
                        th scope="row" { (name) }
                        td { (predicted.smoothing) }
                        td { (bits(predicted.bits)) }
                        td { (bits(predicted.held_out_bits)) }
                        @if index == 1 {
                            td { (format!("{:+.3}", gains.common_over_none)) }
                            td { (format!("{:+.3}", gains.held_out_common_over_none)) }
                        }
                        @if index == 2 {
                            td { (format!("{:+.3}", gains.own_over_common)) }
                            td { (format!("{:+.3}", gains.held_out_own_over_common)) }
                        }
                        @if index == 0 { td {} td {} }
                    }
                }
            }
        } }
        p.facts {
            (ageing.users.len()) " users with " (ageing.min_jobs) " jobs or more; " (ageing.predicted) " jobs predicted in "
            (ageing.used_bins) " run-time bins (t_r " (ageing.ratio) "). The rate of " (ageing.significant)
            " users differs from the common one by more than chance (likelihood ratio, 5 %)."
        }
    }
}
