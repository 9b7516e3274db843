//! The page of `surefill serve`: every queue at present.

use super::super::figures::figure;
use super::super::plot::{self, waits_over_time};
use super::super::{Section, study_page};
use super::duration;
use crate::live::site::{ClusterState, QueueState, Site, Told};
use maud::{Markup, PreEscaped, html};
use surefill::wait::Attribute;

fn attribute(attribute: Attribute, value: u64) -> String {
    match attribute {
        Attribute::Requested => duration(value as f64),
        Attribute::Processors => value.to_string(),
        Attribute::Product => format!("{} x 1", duration(value as f64)),
    }
}

fn title(attribute: Attribute) -> &'static str {
    match attribute {
        Attribute::Requested => "requested time",
        Attribute::Processors => "processors",
        Attribute::Product => "processors times requested time",
    }
}

/// The page.
pub fn page(site: &Site, queues: &[QueueState]) -> String {
    let options = site.options();
    let told: Vec<(&str, &[Told])> = site.told().collect();
    let all: Vec<Section> = queues
        .iter()
        .map(|queue| {
            let told = told.iter().find(|(name, _)| *name == queue.queue).map_or(&[][..], |(_, told)| told);
            Section(section(queue, told, options.attribute, options.quantile, options.confidence))
        })
        .collect();
    study_page("Waiting times", &all)
}

fn section(queue: &QueueState, told: &[Told], by: Attribute, quantile: f64, confidence: f64) -> Markup {
    let bound =
        |seconds: Option<i64>| seconds.map_or_else(|| "-".to_owned(), |seconds| duration(seconds as f64));
    let interval = |cluster: &ClusterState| match (cluster.like.from, cluster.like.to) {
        (0, None) => "all".to_owned(),
        (from, None) => format!("from {}", attribute(by, from)),
        (0, Some(to)) => format!("up to {}", attribute(by, to)),
        (from, Some(to)) => format!("{} to {}", attribute(by, from), attribute(by, to)),
    };
    html! {
        section {
            h2 { (queue.queue) }
            p.facts {
                (queue.waiting) " jobs wait; " (queue.remembered) " waits are remembered. Bounds by the "
                (queue.method.name()) " method."
                @if queue.may_be_down { strong { " No job has started for long: the machine may be down." } }
            }
            div.wide { table {
                thead { tr {
                    th scope="col" { (title(by)) }
                    th scope="col" { "half start within" small { (confidence) " confidence" } }
                    th scope="col" { (quantile * 100.0) " % start within" small { (confidence) " confidence" } }
                    th scope="col" { "waits that count" }
                } }
                tbody { @for cluster in &queue.clusters { tr {
                    th scope="row" { (interval(cluster)) }
                    td { (bound(cluster.median_bound_s)) }
                    td { (bound(cluster.bound_s)) }
                    td { (cluster.like.waits) }
                } } }
            } }
            (recent(told))
        }
    }
}

fn recent(told: &[Told]) -> Markup {
    let at = |job: &Told| job.submit as f64;
    let waits: Vec<(f64, f64)> = told.iter().filter_map(|job| Some((at(job), job.wait? as f64))).collect();
    let bounds: Vec<(f64, f64)> = told.iter().filter_map(|job| Some((at(job), job.bound? as f64))).collect();
    let style = plot::other(0);
    let legend = html! { ul.legend {
        li { (PreEscaped(plot::point_sample(plot::SOLID))) "a job's wait" }
        li { (PreEscaped(plot::point_sample(style))) "the bound it was told" }
    } };
    figure(
        "points",
        "The last jobs",
        &legend,
        waits_over_time::draw(&waits, &[(style, bounds)]),
        "The queue's last jobs at their submission (right): how long they waited, and the bounds they were told (up, \
         logarithmic, below 1 s drawn at 1 s). A wait above a bound is one that the bound missed.",
    )
}
