//! Tables of one aspect, over all traces at once.

use super::Compared;
use super::columns::{COLUMNS, baseline, change, is_easy, label};
use super::table::Style;
use crate::base::papers::{Published, Waits, published};
use crate::replay::fairness::Group;
use crate::replay::policy::{RuleChoice, RuleName};
use crate::replay::run::Summary;
use crate::replay::setup::Setup;
use crate::replay::waiting::Against;
use crate::report::grid::Grid;
use crate::trace::recorded::Recorded;
use clap::ValueEnum;

/// Contents of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Waits, slowdown, utilization and backfills: one table a trace.
    Waits,
    /// The two mean waits of every trace, side by side.
    Means,
    /// The two mean waits beside those of Nissimov & Feitelson 2007
    Papers,
    /// Waits in between: the share of jobs that does not wait, percentiles.
    Spread,
    /// The distribution of waits: who waits, how long at least, where the curve of waits is straight, who waits shorter
    /// and longer than under EASY
    Distribution,
    /// The waits and run times that the traces record, beside Table 1 of Nissimov & Feitelson 2007
    Recorded,
    /// Changes against EASY: mean waits, tail, and by width, run time and user; by quarter of the priority at
    /// submission where a policy has the order multifactor.
    Fairness,
    /// Predicted and observed delays of head jobs.
    Delays,
    /// Predicted and observed delays, from the smallest prediction to the largest.
    Calibration,
    /// Cost of passes.
    Speed,
}

impl View {
    /// Remarks below the table.
    pub fn remarks(self, traces: &[Compared]) -> Vec<String> {
        if self == View::Papers { missing_beside_papers(traces) } else { Vec::new() }
    }

    /// The table over all traces; `None` for the view that has one a trace ([`super::waits()`]), and where there is no
    /// row.
    pub fn table(self, traces: &[Compared], style: Style) -> Option<Grid> {
        Some(match self {
            View::Waits => return None,
            View::Means => means(traces, style),
            View::Papers => papers(traces, style)?,
            View::Spread => rows(traces, style, &SPREAD, |summary, row| row(spread(summary))),
            View::Distribution => distribution(traces, style),
            View::Recorded => recorded(traces, style),
            View::Fairness => fairness(traces, style),
            View::Delays => rows(traces, style, &DELAYS, |summary, row| row(delays(summary))),
            View::Calibration => rows(traces, style, &CALIBRATION, calibration),
            View::Speed => rows(traces, style, &SPEED, |summary, row| row(speed(summary))),
        })
    }
}

/// A trace's name as far as it tells traces apart: without the file's endings.
pub fn short(trace: &str) -> &str {
    let name = trace.strip_suffix(".gz").unwrap_or(trace);
    name.strip_suffix(".swf").unwrap_or(name)
}

/// A row for every policy, a pair of columns for every trace.
fn means(traces: &[Compared], style: Style) -> Grid {
    let titles = traces.iter().flat_map(|compared| {
        let name = short(&compared.trace);
        [style.title(name, "min"), style.title("geometric", "s")]
    });
    let mut table = style.table(std::iter::once("policy".to_owned()).chain(titles), 1);
    let policies = traces.iter().map(|compared| compared.policies.len()).min().unwrap_or(0);
    for index in 0..policies {
        let cells = traces.iter().flat_map(|compared| {
            let summary = &compared.policies[index];
            // The first two columns are the two means.
            [0, 1].map(|column| COLUMNS[column].cell(summary, baseline(&compared.policies), style))
        });
        let policy = traces.first().map(|compared| style.policy(&compared.policies[index].setup));
        table.add_row(policy.into_iter().chain(cells));
    }
    table
}

/// The paper's waits of a policy: of its EASY, or of its probabilistic backfilling, which compares a probability with
/// a threshold. It has nothing else.
fn beside<'a>(published: &'a Published, setup: &Setup) -> Option<&'a Waits> {
    let by_probability = |rule: &RuleChoice| matches!(rule.name, RuleName::Exact | RuleName::Bound);
    let probabilistic = setup.rule.as_ref().is_some_and(by_probability);
    (is_easy(setup) && setup.order.site.is_none())
        .then_some(&published.easy)
        .or(probabilistic.then_some(&published.probabilistic))
}

/// EASY beside the paper's EASY, backfilling by probability beside its own.
fn papers(traces: &[Compared], style: Style) -> Option<Grid> {
    let titles = [("trace", ""), ("policy", ""), ("paper", "min"), ("ours", "min"), ("difference", "")];
    let titles = titles.iter().chain(&[("paper, geometric", "s"), ("ours", "s"), ("difference", "")]);
    let mut table = style.table(titles.map(|(name, unit)| style.title(name, unit)), 2);
    for compared in traces {
        let Some(published) = compared.published else { continue };
        for summary in &compared.policies {
            let Some(paper) = beside(published, &summary.setup) else { continue };
            let beside = |paper: f64, ours: f64| {
                [paper.to_string(), format!("{ours:.1}"), change(ours, paper).unwrap_or_default()]
            };
            let names = [short(&compared.trace).to_owned(), style.policy(&summary.setup)];
            let mean = beside(paper.mean_min, summary.mean.mean_wait_s / 60.0);
            let geomean = beside(paper.geomean_s, summary.mean.geomean_wait_s);
            table.add_row(names.into_iter().chain(mean).chain(geomean));
        }
    }
    (table.row_count() > 0).then_some(table)
}

/// Why rows are missing beside the paper's numbers, a sentence each.
fn missing_beside_papers(traces: &[Compared]) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut without: Vec<String> = Vec::new();
    for compared in traces {
        let name = short(&compared.trace);
        let procs = compared.policies.first().map_or(0, |summary| summary.setup.procs);
        match (compared.published, published(&compared.trace)) {
            (Some(published), _) => {
                let setups = compared.policies.iter().map(|summary| &summary.setup);
                for label in setups.filter(|setup| beside(published, setup).is_none()).map(label) {
                    if !without.contains(&label) {
                        without.push(label);
                    }
                }
            }
            (None, None) => sentences.push(format!("{name} is not named as a trace of the paper.")),
            (None, Some(there)) if there.procs != procs => sentences.push(format!(
                "{name} was replayed on {procs} processors here, on {} in the paper: --preset sizes.",
                there.procs
            )),
            (None, Some(_)) => sentences.push(format!("{name}: the paper's numbers are of the whole trace.")),
        }
    }
    if !without.is_empty() {
        sentences.push(format!(
            "The paper has EASY, and backfilling by the probability of a delay. Left out: {}.",
            without.join("; ")
        ));
    }
    sentences
}

type Titles = [(&'static str, &'static str)];

/// Rows for every policy of every trace.
fn rows(
    traces: &[Compared],
    style: Style,
    titles: &Titles,
    of: impl Fn(&Summary, &mut dyn FnMut(Vec<String>)),
) -> Grid {
    let names = ["trace".to_owned(), "policy".to_owned()];
    let titles = titles.iter().map(|(name, unit)| style.title(name, unit));
    let mut table = style.table(names.into_iter().chain(titles), 2);
    for compared in traces {
        for summary in &compared.policies {
            of(summary, &mut |cells| {
                let names = [short(&compared.trace).to_owned(), style.policy(&summary.setup)];
                table.add_row(names.into_iter().chain(cells));
            });
        }
    }
    table
}

const SPREAD: [(&str, &str); 7] = [
    ("no wait", "%"),
    ("median", "s"),
    ("95 %", "h"),
    ("99 %", "h"),
    ("longest", "h"),
    ("utilization", "%"),
    ("backfilled", "%"),
];

fn spread(summary: &Summary) -> Vec<String> {
    let mean = &summary.mean;
    vec![
        format!("{:.1}", mean.zero_wait_share * 100.0),
        format!("{:.0}", mean.median_wait_s),
        format!("{:.1}", mean.p95_wait_s / 3600.0),
        format!("{:.1}", mean.p99_wait_s / 3600.0),
        format!("{:.1}", mean.max_wait_s / 3600.0),
        format!("{:.1}", mean.utilization * 100.0),
        format!("{:.1}", mean.backfilled as f64 / mean.jobs.max(1) as f64 * 100.0),
    ]
}

const DISTRIBUTION: [(&str, &str); 10] = [
    ("wait", "%"),
    ("10 s or more", "% of these"),
    ("a minute or more", "% of these"),
    ("straight from", "s"),
    ("to", "s"),
    ("times", ""),
    ("jobs there", "% of those that wait"),
    ("curve left of EASY's", "% of its height"),
    ("wait less than under EASY", "% of those that wait"),
    ("longer", "% of those that wait"),
];

/// The shapes of the first seed's waits; beside EASY's of the same trace where every job's wait is known.
fn distribution(traces: &[Compared], style: Style) -> Grid {
    let titles = [("trace", ""), ("policy", "")];
    let titles = titles.iter().chain(&DISTRIBUTION).map(|(name, unit)| style.title(name, unit));
    let mut table = style.table(titles, 2);
    for compared in traces {
        let base = baseline(&compared.policies);
        for summary in &compared.policies {
            let shape = &summary.shape;
            let of = |jobs: u64, all: u64| format!("{:.1}", jobs as f64 / all.max(1) as f64 * 100.0);
            let mut cells = vec![
                short(&compared.trace).to_owned(),
                style.policy(&summary.setup),
                of(shape.waiting, summary.mean.jobs),
                of(shape.ten_seconds, shape.waiting),
                of(shape.one_minute, shape.waiting),
            ];
            cells.extend(shape.straight.map_or_else(Default::default, |stretch| {
                let ends = [stretch.from_s, stretch.to_s].map(|end| format!("{end:.0}"));
                let [from, to] = ends;
                [from, to, format!("{:.0}", stretch.to_s / stretch.from_s), of(stretch.jobs, shape.waiting)]
            }));
            let other = base.filter(|base| !std::ptr::eq(*base, summary));
            let against = other.and_then(|base| Against::of(&summary.waits, &base.waits));
            cells.extend(against.map_or_else(Default::default, |Against { shorter, longer, left }| {
                [left, shorter, longer].map(|share| format!("{:.1}", share * 100.0))
            }));
            table.add_row(cells);
        }
    }
    table
}

const RECORDED: [(&str, &str); 11] = [
    ("trace", ""),
    ("paper's jobs", ""),
    ("lines", ""),
    ("waited and ran", "jobs"),
    ("paper's wait", "min"),
    ("their wait", "min"),
    ("paper's run", "min"),
    ("their run", "min"),
    ("all", "jobs"),
    ("wait", "min"),
    ("run", "min"),
];

/// Waits and run times that traces record, beside Table 1 of the paper where the whole trace is one of its.
fn recorded(traces: &[Compared], style: Style) -> Grid {
    let mut table = style.table(RECORDED.iter().map(|(name, unit)| style.title(name, unit)), 1);
    for compared in traces {
        let counts = compared.policies.first().map(|summary| summary.replay).unwrap_or_default();
        let paper = published(&compared.trace).filter(|_| counts.beyond_limit_jobs == 0);
        let of_paper = |value: &dyn Fn(&Published) -> String| paper.map_or_else(String::new, value);
        let minutes = |seconds: f64| format!("{:.1}", seconds / 60.0);
        let Recorded { all, waited } = compared.recorded;
        table.add_row([
            short(&compared.trace).to_owned(),
            of_paper(&|paper| paper.workload.jobs.to_string()),
            counts.lines.to_string(),
            waited.jobs.to_string(),
            of_paper(&|paper| format!("{:.1}", paper.workload.wait_min)),
            minutes(waited.wait_s),
            of_paper(&|paper| format!("{:.1}", paper.workload.run_min)),
            minutes(waited.run_s),
            all.jobs.to_string(),
            minutes(all.wait_s),
            minutes(all.run_s),
        ]);
    }
    table
}

const FAIRNESS: [(&str, &str); 17] = [
    ("mean", "%"),
    ("geometric", "%"),
    ("p95", "%"),
    ("p99", "%"),
    ("longest", "x"),
    ("width to 1/64", "%"),
    ("to 1/16", "%"),
    ("to 1/4", "%"),
    ("wider", "%"),
    ("run time to 10 min", "%"),
    ("to 1 h", "%"),
    ("to 6 h", "%"),
    ("longer", "%"),
    ("users who wait longer", "%"),
    ("worst user", "x"),
    ("first half of the jobs", "%"),
    ("second half", "%"),
];

/// Columns that there are where a site's priorities are known.
const QUARTERS: [(&str, &str); 4] = [
    ("lowest quarter of the priorities", "%"),
    ("second quarter", "%"),
    ("third quarter", "%"),
    ("highest quarter", "%"),
];

/// Against EASY's of the same trace, where it is in the list; a class without jobs that wait is empty.
fn fairness(traces: &[Compared], style: Style) -> Grid {
    let titles = [("trace", ""), ("policy", "")];
    let mut summaries = traces.iter().flat_map(|compared| &compared.policies);
    let ranked = summaries.any(|summary| !summary.fairness.by_priority.is_empty());
    let quarters = QUARTERS.iter().filter(|_| ranked);
    let titles = titles.iter().chain(&FAIRNESS).chain(quarters).map(|(name, unit)| style.title(name, unit));
    let mut table = style.table(titles, 2);
    for compared in traces {
        let Some(base) = baseline(&compared.policies) else { continue };
        for summary in compared.policies.iter().filter(|summary| !std::ptr::eq(*summary, base)) {
            let (own, its) = (&summary.mean, &base.mean);
            let percent = |own: f64, its: f64| {
                if its > 0.0 { format!("{:+.1}", (own / its - 1.0) * 100.0) } else { String::new() }
            };
            let classes = |own: &[Group], its: &[Group]| -> Vec<String> {
                own.iter().zip(its).map(|(own, its)| percent(own.mean_wait_s, its.mean_wait_s)).collect()
            };
            let users = summary.fairness.user_ratios(&base.fairness);
            let losers = users.iter().filter(|&&ratio| ratio > 1.0).count() as f64;
            let worst = users.iter().copied().reduce(f64::max);
            let mut cells = vec![
                short(&compared.trace).to_owned(),
                style.policy(&summary.setup),
                percent(own.mean_wait_s, its.mean_wait_s),
                percent(own.geomean_wait_s, its.geomean_wait_s),
                percent(own.p95_wait_s, its.p95_wait_s),
                percent(own.p99_wait_s, its.p99_wait_s),
                if its.max_wait_s > 0.0 {
                    format!("{:.2}", own.max_wait_s / its.max_wait_s)
                } else {
                    String::new()
                },
            ];
            cells.extend(classes(&summary.fairness.by_width, &base.fairness.by_width));
            cells.extend(classes(&summary.fairness.by_run_time, &base.fairness.by_run_time));
            cells.push(if users.is_empty() {
                String::new()
            } else {
                format!("{:.0}", losers / users.len() as f64 * 100.0)
            });
            cells.push(worst.map_or_else(String::new, |worst| format!("{worst:.2}")));
            cells.extend(classes(&summary.fairness.by_half, &base.fairness.by_half));
            cells.extend(classes(&summary.fairness.by_priority, &base.fairness.by_priority));
            table.add_row(cells);
        }
    }
    table
}

const DELAYS: [(&str, &str); 9] = [
    ("backfills", ""),
    ("predicted", ""),
    ("observed", ""),
    ("observed / predicted", ""),
    ("delayed", "%"),
    ("mean delay", "s"),
    ("predicted sum per head", ""),
    ("heads delayed", "%"),
    ("mean delay per head", "s"),
];

fn delays(summary: &Summary) -> Vec<String> {
    let (mean, delays) = (&summary.mean, &summary.delays);
    let ratio = delays.observed / delays.predicted;
    vec![
        mean.backfilled.to_string(),
        format!("{:.4}", delays.predicted),
        format!("{:.4}", delays.observed),
        // A policy that promises no delay predicts none.
        if delays.predicted > 0.0 { format!("{ratio:.2}") } else { String::new() },
        format!("{:.2}", mean.delayed_share * 100.0),
        format!("{:.1}", mean.mean_observed_delay_s),
        format!("{:.3}", delays.predicted_per_head),
        format!("{:.1}", delays.delayed_heads * 100.0),
        format!("{:.0}", delays.mean_head_delay_s),
    ]
}

const CALIBRATION: [(&str, &str); 3] = [("predicted", ""), ("observed", ""), ("backfills", "")];

fn calibration(summary: &Summary, row: &mut dyn FnMut(Vec<String>)) {
    for bin in &summary.calibration {
        row(vec![format!("{:.5}", bin.predicted), format!("{:.5}", bin.observed), bin.count.to_string()]);
    }
}

const SPEED: [(&str, &str); 5] = [
    ("passes", ""),
    ("decisions", ""),
    ("scheduler", "s"),
    ("99 % of passes below", "ms"),
    ("longest pass", "ms"),
];

fn speed(summary: &Summary) -> Vec<String> {
    let mean = &summary.mean;
    vec![
        mean.passes.to_string(),
        mean.decisions.to_string(),
        format!("{:.2}", mean.scheduler_s),
        format!("{:.3}", mean.p99_pass_s * 1e3),
        format!("{:.2}", mean.max_pass_s * 1e3),
    ]
}
