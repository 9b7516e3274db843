//! Accuracy of forecasts of starts, as a table.

use super::TableStyle;
use super::waiting::duration;
use crate::base::words::several;
use crate::replay::starts::{FEWEST, Method, Occasion, Prediction, Study, WITHIN, furthest};
use surefill::engine::LEVELS;

/// Reliability of the forecasts: one row a method and occasion.
fn reliance(study: &Study, style: TableStyle) -> String {
    let titles = [
        "asked",
        "predicted by",
        "worst 300 in 90 %",
        "by the .75 level",
        "that level of the mean wait",
        "largest median of the longest wait",
        "median moves an hour",
    ];
    let mut table = style.table(titles.map(str::to_owned), 2);
    for measure in &study.measures {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        table.add_row([
            asked(measure.occasion).to_owned(),
            measure.method.name().to_owned(),
            or_dash(measure.worst_block.map(percent)),
            percent(measure.by_promised),
            format!("x{:.2}", measure.promised_ratio),
            format!("x{:.2}", measure.largest_ratio),
            or_dash(measure.moves_s_an_hour.map(duration)),
        ]);
    }
    table.to_string()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn asked(occasion: Occasion) -> &'static str {
    match occasion {
        Occasion::Submission => "at submission",
        Occasion::Later => "every six hours",
    }
}

/// Two tables, one row a method and occasion.
pub fn table(study: &Study, style: TableStyle) -> String {
    let titles = [
        "asked",
        "predicted by",
        "answers",
        "in 50 %",
        "in 90 %",
        "90 % is wide",
        "by the median",
        "median error",
        "mean error",
        "pinball loss",
        "within a factor of 2",
        "probabilities off by",
    ];
    let mut table = style.table(titles.map(str::to_owned), 2);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for measure in &study.measures {
        table.add_row([
            asked(measure.occasion).to_owned(),
            measure.method.name().to_owned(),
            measure.predictions.to_string(),
            or_dash(measure.within_half.map(percent)),
            or_dash(measure.within_most.map(percent)),
            or_dash(measure.median_width_s.map(duration)),
            percent(measure.by_median),
            duration(measure.median_error_s),
            duration(measure.mean_error_s),
            duration(measure.pinball_s),
            percent(measure.within_factor_2),
            or_dash(furthest(&measure.probabilities).map(|by| format!("{by:.3}"))),
        ]);
    }
    format!(
        "{} of {} under {}, run times predicted by {}, {} scenarios{}\n\n{table}\n\nProbabilities of starting within 10 min, 1 h, \
         6 h and 24 h, by tenths of {FEWEST} answers and more: how far the prediction is from the share that started in time, \
         where it is furthest.\n\n{}\n\nThe 300 answers in a row of which the fewest came within their interval of 90 %; starts by the level .75, \
         which is what to promise; how far the instant of a median moves from one answer about a job to the next.",
        several(study.jobs as u64, "job"),
        study.setup.trace,
        super::label(&study.setup),
        study.predicted_by,
        study.scenarios,
        if study.each == 1 { String::new() } else { format!(", asked about one job of {}", study.each) },
        reliance(study, style)
    )
}

/// Every job's forecasts, and its start, a line each; times and spans in seconds, probabilities from 0 to 1.
pub fn csv(predictions: &[Prediction]) -> String {
    let mut text = "job,asked,waited_so_far,occasion,predicted_by".to_owned();
    for level in LEVELS {
        text += &format!(",within_at_{level}");
    }
    for within in WITHIN {
        text += &format!(",probability_within_{within}");
    }
    text += ",waited\n";
    for Prediction { job, asked, age, method, occasion, quantiles, started, waited, .. } in predictions {
        let occasion = match occasion {
            Occasion::Submission => "submission",
            Occasion::Later => "later",
        };
        text += &format!("{job},{asked},{age},{occasion},\"{}\"", method.name());
        for quantile in quantiles {
            text += &format!(",{quantile}");
        }
        for place in 0..WITHIN.len() {
            let chance = started.map(|chances| format!("{:.3}", chances[place]));
            text += &format!(",{}", chance.unwrap_or_default());
        }
        text += &format!(",{waited}\n");
    }
    text
}

/// The forecasts of one job's start, a row each time; spans count from the moment of asking.
pub fn predictions(predictions: &[Prediction], style: TableStyle) -> String {
    let mut titles = ["asked at", "waited so far", "predicted by"].map(str::to_owned).to_vec();
    titles.extend(LEVELS.map(|level| style.title(&format!("{:.0}", level * 100.0), "% start within")));
    titles.extend(WITHIN.map(|within| style.title(&format!("within {}", duration(within as f64)), "%")));
    titles.push("it started after".to_owned());
    let mut table = style.table(titles, 3);
    // The scenarios as they come are for those who study them.
    for prediction in predictions.iter().filter(|prediction| prediction.method != Method::Scenarios) {
        let mut row = vec![
            prediction.asked.to_string(),
            duration(prediction.age as f64),
            prediction.method.name().to_owned(),
        ];
        row.extend(prediction.quantiles.map(|quantile| duration(quantile as f64)));
        let chance =
            |place: usize| prediction.started.map(|chances| format!("{:.0}", 100.0 * chances[place]));
        row.extend((0..WITHIN.len()).map(|place| chance(place).unwrap_or_else(|| "-".to_owned())));
        row.push(duration(prediction.waited as f64));
        table.add_row(row);
    }
    table.to_string()
}
