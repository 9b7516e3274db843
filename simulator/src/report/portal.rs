//! The page of `surefill serve`: every queue at present, and a form for a job of one's own; and its part with the
//! queues as a fragment for pages of others.

use super::document::{self, SCROLLS};
use super::figures::figure;
use super::plot::{self, wait_bands};
use super::waiting::{date, duration, out_of_date};
use crate::base::words::counted;
use crate::live::advise::starts::{SHOWN, Start};
use crate::live::age;
use crate::live::methods::By;
use crate::live::portal::{Asked, Pages, View};
use crate::live::site::{Answer, ClusterState, QueueState, Reported, Verdict};
use crate::live::starts::Starts;
use maud::{Markup, PreEscaped, html};
use surefill::wait::Attribute;

fn attribute(attribute: Attribute, value: u64) -> String {
    match attribute {
        Attribute::Requested | Attribute::Best => duration(value as f64),
        Attribute::Processors => value.to_string(),
        Attribute::Product => format!("{} x 1", duration(value as f64)),
    }
}

fn title(attribute: Attribute) -> &'static str {
    match attribute {
        Attribute::Requested | Attribute::Best => "requested time",
        Attribute::Processors => "processors",
        Attribute::Product => "processors times requested time",
    }
}

fn bound(seconds: Option<i64>) -> String {
    seconds.map_or_else(|| "-".to_owned(), |seconds| duration(seconds as f64))
}

fn percent(share: f64) -> String {
    let percent = (share * 1e4).round() / 100.0;
    format!("{percent} %")
}

/// The page, its part with the queues, and that part as a fragment.
pub const PAGES: Pages = Pages { live, page, fragment };

/// The part that is kept up to date.
fn live(view: &View<'_>) -> String {
    let options = view.site.options();
    let reported: Vec<(&str, &[Reported])> = view.site.reported().collect();
    let sections = view.queues.iter().map(|queue| {
        let reported =
            reported.iter().find(|(name, _)| *name == queue.queue).map_or(&[][..], |(_, reported)| reported);
        let chosen = queue.clusters.first().and_then(|cluster| cluster.like.by);
        let by = chosen.map_or(options.attribute, By::core);
        section(queue, reported, by, options.quantile, options.confidence, view.site.now())
    });
    let part = html! {
        (present(view))
        (table(view))
        @if let Some((starts, ago)) = view.starts { (predicted(starts, ago)) }
        @for section in sections { (section) }
    };
    part.into_string()
}

fn page(view: &View<'_>, live: &str, asked: Option<&Asked>) -> String {
    let heading = match view.name {
        "" => "Waiting times".to_owned(),
        name => format!("Waiting times at {name}"),
    };
    let head = html! { script src="/live.js" defer {} };
    let content = html! {
        (form(view, asked))
        @if let Some(asked) = asked { (answer(asked, view)) }
        p #state role="status" {}
        div #live data-every=(view.every) { (PreEscaped(live)) }
    };
    let footer = html! {
        "Made by surefill " (env!("CARGO_PKG_VERSION")) ". For programs: " a href="/openapi.json" { "/openapi.json" }
    };
    document::page(&heading, &head, &content, &footer, &html! {})
}

/// The style sheet is that of the page, for what is in the fragment alone and on light pages: what is around it is not
/// this program's.
fn fragment(view: &View<'_>, live: &str) -> String {
    let style = document::style().into_string().replace("(prefers-color-scheme: dark)", "not all");
    let rules = style.trim_start_matches("<style>").trim_end_matches("</style>");
    let fragment = html! {
        div.surefill {
            style { "@scope (.surefill) {\n" (PreEscaped(rules)) "}" }
            (PreEscaped(live))
            p.facts { "Made by surefill " (env!("CARGO_PKG_VERSION")) @if !view.name.is_empty() { " for " (view.name) } "." }
        }
    };
    fragment.into_string()
}

/// The present, and how old what is known of it is.
fn present(view: &View<'_>) -> Markup {
    let (now, history, wall) = (view.site.now(), view.site.age(), view.site.dates());
    html! {
        p.facts {
            "Present: " (date(now, wall)) ". The history ends "
            @if history.age_s > 0 { (duration(history.age_s as f64)) " earlier, at " } @else { "at " }
            (date(history.last, wall)) ", and was read " (duration(view.read.as_secs_f64())) " ago."
        }
        @if history.out_of_date {
            p role="alert" { "The history is out of date: " (out_of_date(&history)) ". Nothing is predicted from it." }
        }
    }
}

/// All queues in one table.
fn table(view: &View<'_>) -> Markup {
    let confidence = view.site.options().confidence;
    let Some(first) = view.queues.first() else { return html! {} };
    let typical = |queue: &QueueState| match (queue.typical_processors, queue.typical_requested_s) {
        (0, 0) => "-".to_owned(),
        (processors, 0) => format!("{processors} processors"),
        (0, requested) => duration(requested as f64),
        (processors, requested) => format!("{processors} x {}", duration(requested as f64)),
    };
    html! {
        h2 { "All queues" }
        div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
            thead { tr {
                th scope="col" { "queue" }
                th scope="col" { "jobs that wait" }
                th scope="col" { "longest so far" }
                th scope="col" { "a typical job" small { "processors x requested time" } }
                @for quantile in &first.quantiles {
                    th scope="col" { (percent(quantile.quantile)) " start within" small { (percent(confidence)) " confidence" } }
                }
            } }
            tbody { @for queue in view.queues { tr {
                th scope="row" { (queue.queue) }
                td { (queue.waiting) }
                td { (bound(queue.oldest_s)) }
                td { (typical(queue)) }
                @for quantile in &queue.quantiles { td { (bound(quantile.bound_s)) } }
            } } }
        } }
    }
}

/// Seconds after which a prediction is old, as new jobs have come since.
const OLD: i64 = 900;
/// Two clocks differ by more than this, in seconds, only where they are not the same.
const SAME_CLOCK: i64 = 60;

/// Predicted starts of waiting jobs, from the queue `ago` seconds before now.
fn predicted(predicted: &Starts, ago: i64) -> Markup {
    let passed = ago.max(0);
    let by = predicted.starts.iter().map(|start| start.calibrated_by).max().unwrap_or(0);
    let within = |start: &Start, probability: f64| {
        let found = start.quantiles.iter().find(|quantile| quantile.probability == probability);
        bound(found.map(|quantile| quantile.within.saturating_sub(passed).max(0)))
    };
    if ago > age::LEAST {
        return html! {
            section {
                h2 { "Jobs that wait" }
                p role="alert" {
                    "The starts of waiting jobs were predicted " (duration(passed as f64)) " ago, which is too long ago to be shown."
                }
            }
        };
    }
    html! {
        section {
            h2 { "Jobs that wait" }
            p.facts {
                "The queue of " (duration(passed as f64)) " ago played forward over predicted run times"
                @if by > 0 { ", corrected by " (counted(by, "start", "starts")) " predicted likewise" }
                "."
            }
            @if ago > OLD { p role="alert" { "But this was predicted " (duration(passed as f64)) " ago, and the queue has changed since." } }
            @if ago < -SAME_CLOCK {
                p role="alert" {
                    "But the time of this queue lies " (duration(ago.unsigned_abs() as f64)) " ahead of this computer's clock: how old it is is unknown."
                }
            }
            @if predicted.starts.is_empty() { p { "No job waits for its turn." } } @else { div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                thead { tr {
                    th scope="col" { "job" }
                    th scope="col" { "partition" }
                    th scope="col" { "waits for" }
                    @for probability in SHOWN {
                        th scope="col" { "started within" small { "with probability " (percent(probability)) } }
                    }
                } }
                tbody { @for start in &predicted.starts { tr {
                    th scope="row" {
                        (start.job) @if start.tasks > 1 { small { " the first of " (start.tasks) " tasks" } }
                        @if let Some(note) = &start.note { small { " " (note) } }
                    }
                    td { (start.partition) }
                    td { (duration(start.waited.saturating_add(passed) as f64)) }
                    @for probability in SHOWN { td { (within(start, probability)) } }
                } } }
            } } }
            @if predicted.starts.iter().any(|start| start.quantiles.is_empty() && start.note.is_none()) {
                p { "A job with - in these columns asks for more than is in service, or waits for other tasks of its array." }
            }
        }
    }
}

/// The form for a job of one's own, with what was asked last.
fn form(view: &View<'_>, asked: Option<&Asked>) -> Markup {
    let question = asked.map(|asked| &asked.question);
    let queue = question.and_then(|question| question.queue.as_deref());
    let requested = question.map_or(3600, |question| question.requested);
    let processors = question.map_or(1, |question| question.processors);
    html! {
        form action="/ask" method="get" {
            fieldset {
                legend { "When would my job start?" }
                label { "Queue " select name="queue" {
                    @for state in view.queues {
                        option value=(state.queue) selected[queue == Some(state.queue.as_str())] { (state.queue) }
                    }
                } } " "
                label { "Processors " input type="number" name="processors" min="0" max="16777216" required value=(processors); } " "
                label { "Requested time " input type="number" name="hours" min="0" max="100000" required value=(requested / 3600); " h " }
                label { input type="number" name="minutes" min="0" max="59" required value=(requested % 3600 / 60); " min " }
                button { "Ask" }
            }
        }
    }
}

fn answer(asked: &Asked, view: &View<'_>) -> Markup {
    let answered = match &asked.answer {
        Ok(answer) => answer,
        Err(error) => return html! { p.lead role="alert" { "No answer: " (error) "." } },
    };
    let Answer {
        answer,
        bound_s,
        quantile,
        confidence,
        queue,
        processors,
        requested_s,
        remembered,
        like,
        ..
    } = answered;
    let job = html! { "A job of " (processors) " processors and " (duration(*requested_s as f64)) " in queue " (queue) };
    html! {
        p.lead {
            @match (answer, bound_s) {
                (Verdict::Bound, Some(seconds)) => {
                    (job) " that is submitted now starts within " strong { (duration(*seconds as f64)) }
                    " with probability " (percent(*quantile)) " (" (percent(confidence.unwrap_or_default())) " confidence), by "
                    (date(view.site.now().saturating_add(*seconds), view.site.dates())) ". This rests on the waits of "
                    (counted(like.waits, "job", "jobs")) " of the " (remembered) " remembered: those most like it."
                }
                (Verdict::OutOfDate, _) => { (job) ": nothing is predicted, as the history is out of date." }
                (Verdict::Exceeded, _) => {
                    (job) ": more jobs wait than ever did before, or like ones wait already for longer than past ones, which do not say when this one \
                     starts."
                }
                (Verdict::MayBeDown, _) => { (job) ": the machine may be down, as no job has started for long." }
                _ => { (job) ": only " (like.waits) " waits are known of jobs like it, which are too few to say." }
            }
        }
        @for warning in &answered.warnings { p role="alert" { "But " (warning) "." } }
    }
}

fn section(
    queue: &QueueState,
    reported: &[Reported],
    by: Attribute,
    quantile: f64,
    confidence: f64,
    now: i64,
) -> Markup {
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
                (counted(queue.waiting as u64, "job waits", "jobs wait")) "; " (queue.remembered) " waits are remembered. Bounds by the "
                (queue.method.name()) " method."
                @if queue.may_be_down { strong { " No job has started for long: the machine may be down." } }
            }
            @if queue.clusters.len() > 1 { div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                thead { tr {
                    th scope="col" { (title(by)) }
                    th scope="col" { "half start within" small { (confidence) " confidence" } }
                    th scope="col" { (percent(quantile)) " start within" small { (confidence) " confidence" } }
                    th scope="col" { "waits that count" }
                } }
                tbody { @for cluster in &queue.clusters { tr {
                    th scope="row" { (interval(cluster)) }
                    td { (bound(cluster.median_bound_s)) }
                    td { (bound(cluster.bound_s)) }
                    td { (cluster.like.waits) }
                } } }
            } } }
            (recent(reported, now))
        }
    }
}

fn recent(reported: &[Reported], now: i64) -> Markup {
    let known = |job: &Reported| {
        let bound = job.bound.map(|bound| bound as f64);
        Some(wait_bands::Wait { submit: job.submit as f64, wait: job.wait? as f64, bound })
    };
    let waits: Vec<wait_bands::Wait> = reported.iter().filter_map(known).collect();
    let styles = [plot::SOLID, plot::other(1), plot::other(0)];
    let [median, long, bounds] = styles;
    let legend = html! { ul.legend {
        li { (PreEscaped(plot::line_sample(median))) "half of the jobs waited no longer" }
        li { (PreEscaped(plot::line_sample(long))) "95 % of the jobs waited no longer" }
        li { (PreEscaped(plot::line_sample(bounds))) "the reported bound (median)" }
    } };
    figure(
        "lines",
        &format!("The last {} jobs that started", waits.len()),
        &legend,
        &wait_bands::draw(&waits, now as f64, styles),
        "Groups of jobs by the time of their submission (right): how long they waited, and the bound reported to them (up, \
         logarithmic, below 1 s drawn at 1 s). Where the bound lies above the 95 % it has held.",
    )
}
