//! Tables 1 and 2 with the paper's rows beside ours, and a sweep's table.

use crate::studies::allocate::study::{Row, RunTimeModel, Study};
use crate::studies::allocate::sweep::{Place, Sweep, places};
use std::collections::BTreeMap;
use surefill_simulator::base::statistics::Estimate;
use surefill_simulator::report::grid::Grid;

type Estimates = BTreeMap<String, Estimate>;

/// A strategy's numbers in the paper.
struct Paper {
    strategy: &'static str,
    /// Table 1 and sections 5.2 to 5.5, in the columns of [`application`].
    application: Option<[&'static str; 9]>,
    /// Table 2 and sections 5.1 and 6.1: turnaround, its change, change of utilization.
    system: Option<[&'static str; 3]>,
}

const PAPER: [Paper; 8] = [
    Paper { strategy: "avg", application: None, system: Some(["4795", "", ""]) },
    Paper {
        strategy: "opt",
        application: Some(["4244 (14 %)", "38 %", "13.8", "100 %", "0 %", "", "15", "1.6", "8"]),
        system: Some(["5236", "+9 %", "+0.1 %"]),
    },
    Paper {
        strategy: "pred",
        application: Some(["2388 (8 %)", "", "12.8", "93 %", "8 %", "3.7", "55", "2.7", ""]),
        system: Some(["4652", "-3 %", "+2.4 %"]),
    },
    Paper {
        strategy: "bias",
        application: Some(["3089 (10 %)", "", "13.5", "98 %", "8 %", "", "", "", ""]),
        system: Some(["5048", "+5 %", "+1.0 %"]),
    },
    Paper {
        strategy: "heur",
        application: Some(["11158 (37 %)", "", "12.8", "93 %", "68 %", "", "", "", ""]),
        system: Some(["6555", "+37 %", "-5 %"]),
    },
    Paper { strategy: "min40", application: None, system: Some(["", "+24 %", ""]) },
    Paper { strategy: "bias+lock", application: None, system: Some(["5011", "+4.5 %", ""]) },
    Paper { strategy: "bias+lock+averse", application: None, system: Some(["4783", "-0.3 %", ""]) },
];

/// Section 5.2, and the mean run time as section 7 has it.
const PAPER_FACTS: &str = "30421 jobs, 63 % spoiled; run time 78 min, median 3 min";

/// Correlation, slope and intercept of figure 5.
const SCATTER: [(&str, [&str; 3]); 2] =
    [("pred", ["0.48", "0.6", "1.7"]), ("bias", ["0.59", "1.01", "-0.01"])];

fn table(titles: &[&str], markdown: bool) -> Grid {
    Grid::new(titles.iter().map(|title| (*title).to_owned()), 2, markdown)
}

/// A mean times `scale` with its interval; nothing where there is none.
fn cell(estimates: &Estimates, name: &str, scale: f64, digits: usize, sign: bool) -> String {
    let Some(Estimate { mean, ci95 }) = estimates.get(name) else { return String::new() };
    let mean = mean * scale;
    let mean = if sign { format!("{mean:+.digits$}") } else { format!("{mean:.digits$}") };
    match ci95 {
        Some(half) => format!("{mean} ± {:.digits$}", half * scale),
        None => mean,
    }
}

fn percent(estimates: &Estimates, name: &str, digits: usize, sign: bool) -> String {
    let text = cell(estimates, name, 100.0, digits, sign);
    if text.is_empty() { text } else { text + " %" }
}

fn run_times(row: &Row) -> &'static str {
    row.model.map_or("", RunTimeModel::text)
}

/// Table 1: decisions recorded under AVG, none effected.
pub fn application(study: &Study, markdown: bool) -> Grid {
    let titles = [
        "strategy",
        "run times",
        "rebels",
        "of those not spoiled",
        "saved per job [min]",
        "of OPT's",
        "rebels who lose",
        "loss of a loser [min]",
        "saved by a rebel, median [min]",
        "mean [h]",
        "L of rebels over others'",
    ];
    let mut table = table(&titles, markdown);
    for row in study.rows.iter().filter(|row| row.strategy != "avg") {
        let of = &row.application;
        table.add_row([
            row.strategy.clone(),
            run_times(row).to_owned(),
            format!("{} ({})", cell(of, "rebels", 1.0, 0, false), percent(of, "rebel_share", 1, false)),
            percent(of, "rebel_share_of_unspoiled", 1, false),
            cell(of, "saved_min_per_job", 1.0, 2, false),
            percent(of, "saved_share_of_opt", 2, false),
            percent(of, "loser_share_of_rebels", 1, false),
            cell(of, "loss_min_per_loser", 1.0, 1, false),
            cell(of, "median_saved_min_per_rebel", 1.0, 1, false),
            cell(of, "saved_min_per_rebel", 1.0 / 60.0, 2, false),
            cell(of, "lifetime_of_rebels_over_docile", 1.0, 1, false),
        ]);
    }
    for paper in PAPER.iter().filter(|paper| is_in(study, paper.strategy)) {
        if let Some(cells) = paper.application {
            let name = format!("paper: {}", paper.strategy);
            table.add_row([name.as_str(), ""].into_iter().chain(cells));
        }
    }
    table
}

/// Only what was asked for has the paper beside it.
fn is_in(study: &Study, strategy: &str) -> bool {
    study.options.trace.is_none() && study.rows.iter().any(|row| row.strategy == strategy)
}

/// Table 2: decisions in effect.
pub fn system(study: &Study, markdown: bool) -> Grid {
    let titles = [
        "strategy",
        "run times",
        "turnaround [s]",
        "against AVG",
        "wait [s]",
        "utilization, day and queue",
        "utilization, day only",
        "jobs that end sooner / later",
    ];
    let mut table = table(&titles, markdown);
    for row in &study.rows {
        let of = &row.system;
        table.add_row([
            row.strategy.clone(),
            run_times(row).to_owned(),
            cell(of, "turnaround_s", 1.0, 0, false),
            percent(of, "turnaround_change", 1, true),
            cell(of, "wait_s", 1.0, 0, false),
            percent(of, "utilization_until_scheduled_change", 1, true),
            percent(of, "utilization_daytime_change", 1, true),
            format!("{} / {}", percent(of, "better_share", 0, false), percent(of, "worse_share", 0, false)),
        ]);
    }
    for paper in PAPER.iter().filter(|paper| is_in(study, paper.strategy)) {
        if let Some([turnaround, change, utilization]) = paper.system {
            let name = format!("paper: {}", paper.strategy);
            table.add_row([&name, "", turnaround, change, "", utilization, "", ""]);
        }
    }
    table
}

/// Figure 5's numbers: how predicted and actual waits agree, in logarithms.
pub fn predictions(study: &Study, markdown: bool) -> Grid {
    let titles = [
        "strategy",
        "run times",
        "predictions",
        "correlation",
        "slope",
        "intercept",
        "mean predicted / mean actual",
    ];
    let mut table = table(&titles, markdown);
    for row in study.rows.iter().filter(|row| row.model.is_some()) {
        let of = &row.application;
        table.add_row([
            row.strategy.clone(),
            run_times(row).to_owned(),
            cell(of, "predictions", 1.0, 0, false),
            cell(of, "correlation", 1.0, 3, false),
            cell(of, "slope", 1.0, 2, false),
            cell(of, "intercept", 1.0, 2, false),
            cell(of, "mean_predicted_over_mean_actual", 1.0, 2, false),
        ]);
    }
    for (name, [correlation, slope, intercept]) in SCATTER.iter().filter(|paper| is_in(study, paper.0)) {
        table.add_row([&format!("paper: {name}"), "", "", *correlation, *slope, *intercept, ""]);
    }
    table
}

/// A sentence on the workloads under AVG.
pub fn facts(study: &Study) -> String {
    let of = &study.workload;
    let any = study.rows.iter().find(|row| row.application.contains_key("spoiled_share"));
    let spoiled = any.map_or(String::new(), |row| percent(&row.application, "spoiled_share", 1, false));
    let (of_what, by_day, end) = match &study.options.trace {
        Some(trace) => (
            format!("jobs of {}", trace.name),
            "",
            format!(" at an offered load of {}", cell(of, "offered_load", 1.0, 3, false)),
        ),
        None => ("jobs a seed".to_owned(), " by day", format!(" (paper: {PAPER_FACTS})")),
    };
    format!(
        "{} {of_what} over {} seeds, {} spoiled; run time {} min, median {} min; utilization {}{by_day}{end}",
        cell(of, "jobs", 1.0, 0, false),
        study.options.seeds,
        spoiled,
        cell(of, "run_time_s", 1.0 / 60.0, 1, false),
        cell(of, "median_run_time_s", 1.0 / 60.0, 2, false),
        percent(of, "utilization_daytime", 1, false),
    )
}

/// A sweep: time saved per job, and turnaround against AVG, by strategy.
pub fn sweep(sweep: &Sweep, markdown: bool) -> Grid {
    let titles = [
        "strategy",
        "processors, load, users' factor",
        "saved per job [min]",
        "of OPT's",
        "rebels",
        "rebels who lose",
        "turnaround [s]",
        "against AVG",
        "utilization, day and queue",
    ];
    let mut table = table(&titles, markdown);
    for Place { load, procs, supplied, application, system, .. } in places(sweep) {
        let factor = if supplied > 0.0 { supplied.to_string() } else { "-".to_owned() };
        for name in &sweep.options.strategies {
            let (Some(recorded), Some(effected)) = (application.get(name), system.get(name)) else {
                continue;
            };
            table.add_row([
                name.clone(),
                format!("{procs}, {load}, {factor}"),
                cell(recorded, "saved_min_per_job", 1.0, 2, false),
                percent(recorded, "saved_share_of_opt", 2, false),
                percent(recorded, "rebel_share", 1, false),
                percent(recorded, "loser_share_of_rebels", 1, false),
                cell(effected, "turnaround_s", 1.0, 0, false),
                percent(effected, "turnaround_change", 1, true),
                percent(effected, "utilization_until_scheduled_change", 1, true),
            ]);
        }
    }
    table
}
