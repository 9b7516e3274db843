//! How good predicted distributions are, as tables.

use super::TableStyle;
use crate::replay::predict::PredictorName;
use crate::studies::predictors::{Quality, TENTHS};
use clap::ValueEnum;

/// A predictor's name, as options have it.
pub fn name(predictor: PredictorName) -> String {
    predictor.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// One row a trace and predictor: gain, coverage, silence; then the tenths.
pub fn tables(qualities: &[Quality], style: TableStyle) -> [String; 2] {
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
    let edge = |tenth: usize| format!("to .{tenth}");
    let tenths = (1..TENTHS).map(edge).chain(["to 1".to_owned()]);
    let mut transform =
        style.table(["trace".to_owned(), "predictor".to_owned()].into_iter().chain(tenths), 2);
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
        transform.add_row(name.into_iter().chain(quality.tenths.iter().map(|tenth| format!("{tenth:.2}"))));
    }
    [gains.to_string(), transform.to_string()]
}
