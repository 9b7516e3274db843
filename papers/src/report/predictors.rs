//! Quality of predicted distributions, as tables.

use crate::studies::predictors::{Quality, TENTHS};
use clap::ValueEnum;
use surefill_simulator::replay::predict::PredictorName;
use surefill_simulator::report::TableStyle;

/// A predictor's name, as options have it.
pub fn name(predictor: PredictorName) -> String {
    predictor.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Titles of what holds under the limit.
const UNDER_LIMIT: [&str; 8] = [
    "trace",
    "predictor",
    "under the limit: by .5 [%]",
    "by .95 [%]",
    "Algorithm 5: by .5 [%]",
    "by .95 [%]",
    "in 50 % [%]",
    "in 90 % [%]",
];

/// One row a trace and predictor: gain, coverage, silence; then the tenths; then how often quantiles and intervals
/// under the limit hold, and the tenths under it.
pub fn tables(qualities: &[Quality], style: TableStyle) -> [String; 4] {
    let titles = [
        "trace",
        "predictor",
        "jobs",
        "bits",
        "bits where predicted",
        "in 50 % [%]",
        "in 90 % [%]",
        "silent [%]",
        "impossible [%]",
    ];
    let mut gains = style.table(titles.map(str::to_owned), 2);
    let mut under_limit = style.table(UNDER_LIMIT.map(str::to_owned), 2);
    let [mut transform, mut transform_under_limit] = [(); 2].map(|()| {
        let edge = |tenth: usize| format!("to .{tenth}");
        let tenths = (1..TENTHS).map(edge).chain(["to 1".to_owned()]);
        style.table(["trace".to_owned(), "predictor".to_owned()].into_iter().chain(tenths), 2)
    });
    for quality in qualities {
        let name = [quality.trace.clone(), name(quality.predictor)];
        let share = |jobs: u64| format!("{:.2}", 100.0 * jobs as f64 / quality.jobs.max(1) as f64);
        let numbers = [
            quality.jobs.to_string(),
            format!("{:.3}", quality.bits),
            format!("{:.3}", quality.bits_predicted),
            format!("{:.1}", 100.0 * quality.within_half),
            format!("{:.1}", 100.0 * quality.within_most),
            share(quality.silent),
            share(quality.impossible),
        ];
        gains.add_row(name.iter().cloned().chain(numbers));
        let tenths = |tenths: [f64; TENTHS]| tenths.map(|tenth| format!("{tenth:.2}"));
        transform.add_row(name.iter().cloned().chain(tenths(quality.tenths)));
        let limited = &quality.under_limit;
        let shares = [
            limited.by_half,
            limited.by_most,
            limited.cut_by_half,
            limited.cut_by_most,
            limited.within_half,
            limited.within_most,
        ];
        let shares = shares.map(|share| format!("{:.1}", 100.0 * share));
        under_limit.add_row(name.iter().cloned().chain(shares));
        transform_under_limit.add_row(name.into_iter().chain(tenths(limited.tenths)));
    }
    [gains, transform, under_limit, transform_under_limit].map(|table| table.to_string())
}
