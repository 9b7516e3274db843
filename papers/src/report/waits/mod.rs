//! Tables of [`crate::studies::waits`] over all traces; [`section`]s of pages.

mod asked;
mod beside;
mod by;
mod choice;
mod classes;
mod page;

pub use page::section;

use crate::studies::waits::further::{Aged, CLASSES, Further, TIMES};
use crate::studies::waits::measures::Measures;
use crate::studies::waits::paper::Row;
use crate::studies::waits::study::{Kind, Measured, Options, QueueStudy, Study};
use clap::ValueEnum;
use surefill_simulator::base::words::several;
use surefill_simulator::live::methods::{By, Method};
use surefill_simulator::live::queues::NO_WAITS;
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;
use surefill_simulator::report::short;
use surefill_simulator::report::waiting::duration;

/// The tables there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// The methods alone (the paper's Table 1)
    Alone,
    /// The methods with all components (Table 2)
    Qbets,
    /// Jobs, answers, clusters and waits
    Answers,
    /// Coverage by width, requested time, month and user
    Classes,
    /// Attributes that explain waits
    Attributes,
    /// Bounds by each attribute and by the one that is chosen; shown only if asked for
    By,
    /// Bounds that follow their own misses
    Adapted,
    /// The rate chosen on the first halves, and what it does on the second
    HeldOut,
    /// The methods with bounds that follow their own misses
    Following,
    /// The methods with bounds that follow, from all waits, neither trimmed nor clustered
    Whole,
    /// The binomial method with bounds that follow, and the tightest of the paper's predictors
    Rivals,
    /// The method chosen on the first halves, and what it does on the second
    Chosen,
    /// Jobs that have waited for a while
    Waiting,
    /// Waiting jobs, asked about every six hours
    Asked,
    /// Upper bounds for other quantiles, and lower bounds, of the default
    Beside,
    /// Two-sided bounds for other quantiles, of the default
    TwoSided,
    /// Probabilities of starting in time
    Probabilities,
}

impl View {
    /// All, in the order in which they are shown.
    pub const ALL: [View; 17] = [
        View::Alone,
        View::Qbets,
        View::Answers,
        View::Classes,
        View::Attributes,
        View::By,
        View::Adapted,
        View::HeldOut,
        View::Following,
        View::Whole,
        View::Rivals,
        View::Chosen,
        View::Waiting,
        View::Asked,
        View::Beside,
        View::TwoSided,
        View::Probabilities,
    ];
}

fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}

/// Correct methods stand out, as in the paper.
fn mark(text: String, correct: bool, style: Style) -> String {
    match (correct, style) {
        (false, _) => text,
        (true, Style::Markdown) => format!("**{text}**"),
        (true, Style::Terminal) => format!("{text}*"),
    }
}

/// A share that is never rounded up to what it does not reach.
fn share(value: f64) -> String {
    format!("{:.3}", (value * 1000.0).floor() / 1000.0)
}

fn percent(value: f64) -> String {
    format!("{:.2}", 100.0 * value)
}

fn ratio(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Binomial => "BM",
        Method::LogNormal => "LogN",
        Method::LogUniform => "LogU",
        Method::Weibull => "Weib",
    }
}

fn by_name(by: By) -> &'static str {
    match by {
        By::Requested => "requested time",
        By::Processors => "processors",
        By::Product => "product",
        By::Best => "the best",
    }
}

/// The tables asked for, with titles.
pub fn tables(studies: &[Study], options: &Options, views: &[View], style: Style) -> Vec<(String, Grid)> {
    let queues = || studies.iter().flat_map(|study| study.queues.iter().map(move |queue| (study, queue)));
    if queues().next().is_none() {
        return Vec::new();
    }
    let shown = View::ALL.into_iter().filter(|view| views.contains(view));
    let (quantile, confidence) = (options.quantile, options.confidence);
    let stands_out = match style {
        Style::Markdown => "bold",
        Style::Terminal => "starred",
    };
    shown
        .filter_map(|view| {
            let rows: Vec<(String, &QueueStudy)> =
                queues().map(|(study, queue)| (format!("{}/{}", short(&study.trace), queue.queue), queue)).collect();
            let (title, table) = match view {
                View::Alone => (
                    format!("The methods alone (Table 1): correctness, accuracy; {stands_out} where correct"),
                    methods(&rows, options, style, |method| Some(Kind::Alone { method }), |p| Some(p.alone)),
                ),
                View::Qbets => (
                    format!("With {} (Table 2): correctness, accuracy; {stands_out} where correct", components(options)),
                    methods(&rows, options, style, |method| Some(Kind::Full { method, by: options.by }), |p| Some(p.qbets)),
                ),
                View::Answers => (
                    format!("Answers of the binomial method with {}", components(options)),
                    answers(&rows, options, style),
                ),
                View::Classes => (
                    format!("Share of the bounds that hold by class, and their mean over-prediction; {stands_out} where at least the quantile's"),
                    classes::table(&rows, options, style),
                ),
                View::Attributes => (
                    "What explains waits: the criterion's gain over a single cluster [nats a job], correctness, accuracy"
                        .to_owned(),
                    attributes(&rows, options, style),
                ),
                View::By if !options.by_attribute => return None,
                View::By => (
                    format!("By what jobs are clustered: correctness and mean over-prediction; {stands_out} where correct"),
                    by::table(&rows, options, style),
                ),
                View::Adapted if options.rates.is_empty() => return None,
                View::Adapted => (
                    "Bounds that follow their own misses, by rate: correctness, accuracy against the binomial method without"
                        .to_owned(),
                    adapted(&rows, options, style),
                ),
                View::HeldOut if options.rates.len() < 2 => return None,
                View::HeldOut => (
                    "The rate that is tightest on the queue's first half among those correct there, and the second half: \
                     correctness, accuracy"
                        .to_owned(),
                    choice::held_out(&rows, options, style),
                ),
                View::Following | View::Whole | View::Rivals | View::Chosen
                    if options.rates.is_empty() || options.methods.len() < 2 =>
                {
                    return None;
                }
                View::Whole if options.whole(Method::Binomial).is_none() => return None,
                View::Following => (
                    format!("Methods whose bounds follow their own misses: correctness, accuracy; {stands_out} where correct"),
                    methods(&rows, options, style, |method| options.usual_adapted(method), |_| None),
                ),
                View::Whole => (
                    format!("Methods whose bounds follow their own misses, from all waits, neither trimmed nor clustered: correctness, accuracy; {stands_out} where correct"),
                    methods(&rows, options, style, |method| options.whole(method), |_| None),
                ),
                View::Rivals => (
                    "The tightest correct of the paper's predictors (alone, and with all components), as known afterwards, and \
                     the binomial method with bounds that follow their own misses: correctness, accuracy against it"
                        .to_owned(),
                    choice::rivals(&rows, options, style),
                ),
                View::Chosen => (
                    "The method, with components and bounds that follow, that is tightest on the queue's first half among those \
                     correct there, and the second half, where the tightest correct of all predictors is known afterwards: \
                     correctness, accuracy"
                        .to_owned(),
                    choice::chosen(&rows, options, style),
                ),
                View::Waiting => (
                    format!("Jobs that have waited for a while: share of their {confidence} bounds for the {quantile} quantile that hold"),
                    waiting(&rows, options, style),
                ),
                View::Asked => (
                    format!(
                        "Waiting jobs, asked about every 6 h: share of their {confidence} bounds for the {quantile} quantile that \
                         hold, the mean predicted rest of the wait beside the true one, and how far probabilities of starting \
                         within 10 min, 1 h, 6 h, 24 h are from what happened, in the tenth where they are furthest"
                    ),
                    asked::table(&rows, options, style),
                ),
                View::Beside => (
                    format!(
                        "Bounds for other quantiles, and lower bounds, with confidence {confidence}: the share that holds; {stands_out} where \
                         it is what it must be, but for two standard errors"
                    ),
                    beside::table(&rows, options, style),
                ),
                View::TwoSided => (
                    format!(
                        "Two-sided bounds, both ends with confidence {confidence}: the share of waits not below the low end and that not \
                         above the high end; {stands_out} where it is what it must be, but for two standard errors"
                    ),
                    beside::two_sided(&rows, options, style),
                ),
                View::Probabilities => (
                    "Probability of starting within 10 min, 1 h, 6 h, 24 h: predicted, and what happened".to_owned(),
                    probabilities(&rows, options, style),
                ),
            };
            Some((title, table))
        })
        .collect()
}

/// The components that are on.
fn components(options: &Options) -> String {
    use surefill::wait::{AVAILABILITY, CLUSTER, TRIM};
    let names = [(TRIM, "trimming"), (CLUSTER, "clusters"), (AVAILABILITY, "availability")];
    let on: Vec<&str> =
        names.into_iter().filter(|(bit, _)| options.components & bit != 0).map(|n| n.1).collect();
    if on.is_empty() { "no component".to_owned() } else { on.join(", ") }
}

/// The paper's two tables.
fn methods(
    rows: &[(String, &QueueStudy)],
    options: &Options,
    style: Style,
    kind: impl Fn(Method) -> Option<Kind>,
    paper: impl Fn(&crate::studies::waits::paper::Published) -> Option<Row>,
) -> Grid {
    let shown: Vec<Method> = Method::ALL
        .into_iter()
        .filter(|method| rows.first().and_then(|(_, queue)| queue.of(kind(*method)?)).is_some())
        .collect();
    let mut titles = vec!["machine/queue".to_owned()];
    titles.extend(shown.iter().map(|method| method_name(*method).to_owned()));
    titles.extend(
        shown.iter().map(|method| style.noted(method_name(*method).to_owned(), Some("accuracy".to_owned()))),
    );
    titles.push(style.title("BM's RMS", "over-prediction"));
    let mut table = style.table(titles, 1);
    for (name, queue) in rows {
        let all: Vec<Option<&Measures>> =
            shown.iter().map(|method| queue.of(kind(*method)?).map(|measured| &measured.all)).collect();
        let reference = all.first().copied().flatten();
        let mut cells = vec![name.clone()];
        cells.extend(all.iter().map(|measures| or_dash(measures.and_then(|m| m.correctness).map(share))));
        cells.extend(all.iter().map(|measures| {
            let accuracy = measures.zip(reference).and_then(|(m, reference)| m.accuracy(reference));
            let correct = measures.is_some_and(|m| m.is_correct(options.quantile));
            or_dash(accuracy.map(|accuracy| mark(ratio(accuracy), correct, style)))
        }));
        cells.push(or_dash(reference.and_then(|m| m.rms_over_s).map(duration)));
        table.add_row(cells);
        if let Some((published, row)) = queue.published.and_then(|of| Some((of, paper(of)?))) {
            let columns = shown.iter().map(|method| *method as usize);
            let mut cells = vec![style.noted("paper".to_owned(), Some(published.name.to_owned()))];
            cells.extend(columns.clone().map(|column| format!("{:.2}", row.correctness[column])));
            cells.extend(columns.map(|column| {
                mark(
                    format!("{:.2}", row.accuracy[column]),
                    row.correctness[column] >= options.quantile,
                    style,
                )
            }));
            table.add_row(cells);
        }
    }
    table
}

fn answers(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let titles = [
        style.title("machine/queue", ""),
        style.noted("jobs".to_owned(), Some("judged".to_owned())),
        style.title("no bound", "%"),
        style.title("little history", "%"),
        style.title("may be down", "%"),
        style.noted("clusters".to_owned(), Some("least - most".to_owned())),
        "median wait".to_owned(),
        "median bound".to_owned(),
        style.noted("mean over-prediction".to_owned(), Some("alone".to_owned())),
    ];
    let mut table = style.table(titles, 1);
    for (name, queue) in rows {
        let Some(Measured { all, clusters, .. }) = queue.of(options.usual()) else { continue };
        let part = |count: u64| percent(count as f64 / all.jobs.max(1) as f64);
        let alone =
            queue.of(Kind::Alone { method: Method::Binomial }).and_then(|alone| alone.all.mean_over_s);
        table.add_row([
            name.clone(),
            style.noted(all.jobs.to_string(), Some(all.judged.to_string())),
            percent(all.unanswered()),
            part(all.too_little_history),
            part(all.may_be_down),
            or_dash(clusters.map(|[least, middle, most]| {
                style.noted(middle.to_string(), Some(format!("{least} - {most}")))
            })),
            or_dash(all.median_wait_s.map(|s| duration(s as f64))),
            or_dash(all.median_bound_s.map(|s| duration(s as f64))),
            style.noted(or_dash(all.mean_over_s.map(duration)), alone.map(duration)),
        ]);
    }
    table
}

fn attributes(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let mut titles = vec!["machine/queue".to_owned(), "explains best".to_owned()];
    titles.extend(
        By::ALL.map(|by| style.noted(by_name(by).to_owned(), Some("gain; correct; accuracy".to_owned()))),
    );
    let mut table = style.table(titles, 2);
    for (name, queue) in rows {
        let of = |by: By| queue.of(Kind::Full { method: Method::Binomial, by });
        let reference = of(options.by).map(|measured| &measured.all);
        let cell = |by: By| {
            let Some(measured) = of(by) else { return "-".to_owned() };
            let accuracy = reference.and_then(|reference| measured.all.accuracy(reference));
            format!(
                "{:.3}; {}; {}",
                measured.criterion,
                or_dash(measured.all.correctness.map(share)),
                or_dash(accuracy.map(ratio))
            )
        };
        let mut cells = vec![name.clone(), best_attribute(queue).map_or("none", by_name).to_owned()];
        cells.extend(By::ALL.map(cell));
        table.add_row(cells);
    }
    table
}

/// The attribute whose clusters raise the criterion most.
pub fn best_attribute(queue: &QueueStudy) -> Option<By> {
    let of = |by: By| queue.of(Kind::Full { method: Method::Binomial, by }).map_or(0.0, |m| m.criterion);
    // The first of equal ones.
    By::ALL.into_iter().rev().filter(|by| of(*by) > 0.0).max_by(|a, b| of(*a).total_cmp(&of(*b)))
}

fn adapted(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let mut titles = vec!["machine/queue".to_owned(), "without".to_owned()];
    titles.extend(options.rates.iter().map(f64::to_string));
    let mut table = style.table(titles, 1);
    for (name, queue) in rows {
        let Some(usual) = queue.of(options.usual()) else { continue };
        let cell = |measures: &Measures| {
            let text = or_dash(measures.correctness.map(share));
            let accuracy = measures.accuracy(&usual.all).map(ratio);
            mark(style.noted(text, accuracy), measures.is_correct(options.quantile), style)
        };
        let rates = options
            .rates
            .iter()
            .map(|&rate| or_dash(queue.of(options.adapted(rate)).map(|measured| cell(&measured.all))));
        table.add_row([name.clone(), cell(&usual.all)].into_iter().chain(rates));
    }
    table
}

/// The queues' rows with what the usual predictor has, and the adapted ones.
fn with_further<'a>(
    rows: &'a [(String, &QueueStudy)],
    options: &'a Options,
    style: Style,
) -> impl Iterator<Item = (String, &'a Further)> {
    let adapted = options.rates.iter().map(|&rate| options.adapted(rate));
    let kinds: Vec<Kind> = [options.usual()].into_iter().chain(adapted).chain(options.visible()).collect();
    rows.iter().flat_map(move |(name, queue)| {
        let one = move |kind: &Kind| {
            let note = match kind {
                Kind::Adapted { rate, .. } => Some(format!("adapted, {rate}")),
                Kind::Visible { .. } => Some("by the visible queue".to_owned()),
                _ => None,
            };
            Some((style.noted(name.clone(), note), queue.of(*kind)?.further.as_ref()?))
        };
        kinds.iter().filter_map(one).collect::<Vec<_>>()
    })
}

fn waiting(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let mut titles = vec!["machine/queue".to_owned()];
    titles.extend(TIMES.iter().map(|&age| {
        style.noted(format!("after {}", duration(age as f64)), Some("as if new; jobs, judged %".to_owned()))
    }));
    let mut table = style.table(titles, 1);
    for (name, further) in with_further(rows, options, style) {
        let cell = |aged: &Aged| {
            let of_judged = |count: u64| count as f64 / aged.judged as f64;
            let judged = if aged.jobs == 0 { 0.0 } else { 100.0 * aged.judged as f64 / aged.jobs as f64 };
            let (own, new) = if aged.judged == 0 {
                ("-".to_owned(), "-".to_owned())
            } else {
                let own = of_judged(aged.correct);
                (mark(share(own), own >= options.quantile, style), share(of_judged(aged.correct_as_new)))
            };
            style.noted(own, Some(format!("{new}; {}, {judged:.0} %", aged.jobs)))
        };
        table.add_row([name].into_iter().chain(further.aged.iter().map(cell)));
    }
    table
}

fn probabilities(rows: &[(String, &QueueStudy)], options: &Options, style: Style) -> Grid {
    let mut titles =
        vec!["machine/queue".to_owned(), style.noted("Brier score".to_owned(), Some("of shares".to_owned()))];
    titles.extend((0..CLASSES).map(|class| {
        let end = |class: usize| class as f64 / CLASSES as f64;
        format!("{} - {}", end(class), end(class + 1))
    }));
    let mut table = style.table(titles, 1);
    for (name, further) in with_further(rows, options, style) {
        let three = |value: f64| format!("{value:.3}");
        let brier = or_dash(further.brier.map(three));
        let mut cells = vec![name, style.noted(brier, further.brier_of_shares.map(three))];
        cells.extend(further.classes.iter().map(|class| match class.count {
            0 => "-".to_owned(),
            _ => format!("{:.2}: {:.2}", class.predicted, class.started),
        }));
        table.add_row(cells);
    }
    table
}

/// Why studies have nothing to show: no queue has as many jobs of known wait as are needed.
pub fn nothing(studies: &[Study], min_jobs: usize) -> String {
    let found: Vec<String> = studies.iter().map(remarks).collect();
    let waits = studies.iter().any(|study| study.counts.lines > study.counts.without_wait);
    let advice = if waits { "" } else { NO_WAITS };
    format!("no queue of at least {} jobs; {}{advice}", min_jobs.max(1), found.join("; "))
}

/// Remarks on a trace that a reader needs beside the tables.
pub fn remarks(study: &Study) -> String {
    let counts = &study.counts;
    let counted = [
        (
            counts.wrong_lines,
            if counts.wrong_lines == 1 { "wrong line left out" } else { "wrong lines left out" },
        ),
        (counts.without_wait, "of unknown wait, left out"),
        (counts.cancelled, "cancelled before they started, not judged"),
        (counts.without_requested, "without requested time"),
    ];
    let counted = counted.into_iter().filter(|&(count, _)| count > 0);
    let mut all: Vec<String> = vec![several(counts.lines, "job")];
    all.extend(counted.map(|(count, what)| format!("{count} {what}")));
    if !study.left_out.is_empty() {
        let small: Vec<String> = study.left_out.iter().map(|(name, jobs)| format!("{name} {jobs}")).collect();
        all.push(format!("queues with too few jobs left out: {}", small.join(", ")));
    }
    format!("{}: {}", short(&study.trace), all.join("; "))
}
