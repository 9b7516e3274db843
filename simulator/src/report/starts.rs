//! How well starts were foretold, as a table.

use super::TableStyle;
use super::waits::duration;
use crate::studies::starts::{Occasion, Study};

/// One row a method and occasion.
pub fn table(study: &Study, style: TableStyle) -> String {
    let titles = [
        "asked",
        "told by",
        "answers",
        "in 50 %",
        "in 90 %",
        "90 % is wide",
        "by the median",
        "median error",
    ];
    let mut table = style.table(titles.map(str::to_owned), 2);
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for measure in &study.measures {
        let asked = match measure.occasion {
            Occasion::Submission => "at submission",
            Occasion::Later => "every six hours",
        };
        table.add_row([
            asked.to_owned(),
            measure.method.name().to_owned(),
            measure.told.to_string(),
            or_dash(measure.within_half.map(percent)),
            or_dash(measure.within_most.map(percent)),
            or_dash(measure.median_width_s.map(duration)),
            percent(measure.by_median),
            duration(measure.median_error_s),
        ]);
    }
    format!(
        "{} jobs of {} under {}, run times believed by {}, {} scenarios\n\n{table}",
        study.jobs, study.trace, study.policy, study.predictor, study.scenarios
    )
}
