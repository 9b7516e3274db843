//! Findings of a watcher, in sentences and tables.

use super::table::Style;
use super::what_if::span;
use crate::base::words::counted;
use crate::live::watch::score::{Promises, Row, Score};
use crate::live::watch::{CONFIDENCE, QUANTILE};
use crate::report::grid::Grid;

fn mean(sum: i64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

/// Why there is no replay of a record that is not [long](Score::is_long).
pub fn too_short(score: &Score) -> String {
    format!(
        "The record is too short for a replay to tell what {} would save: it covers {}, and jobs waited {} on average. Jobs that \
         wait at its end are not in it. It has to cover {}.",
        score.preset,
        span((score.to - score.from) as f64),
        span(score.all.mean_wait_s),
        span(score.needed_s as f64)
    )
}

/// The answer in a few sentences.
pub fn sentences(score: &Score) -> Vec<String> {
    let Score { all, preset, .. } = score;
    let mut sentences = vec![format!(
        "Watched for {}: {} ended, which waited {} on average under the scheduler in charge.",
        span((score.to - score.from) as f64),
        counted(all.jobs, "job", "jobs"),
        span(all.mean_wait_s)
    )];
    sentences.push(format!(
        "Gains: under the site's priorities {preset} would have let {} of {} through that time limits kept back, {} earlier each on \
         average ({} over all jobs).",
        all.earlier,
        counted(all.jobs, "job", "jobs"),
        span(mean(all.earlier_s, all.earlier)),
        span(mean(all.earlier_s, all.jobs))
    ));
    sentences.push(match (all.overtaken, all.later) {
        (0, _) => "Losses: no head job would have been overtaken.".to_owned(),
        (overtaken, 0) => format!(
            "Losses: of {} none would have started later: whatever overtakes them ends before.",
            counted(overtaken, "head job that would have been overtaken", "head jobs that would have been overtaken")
        ),
        (overtaken, later) => format!(
            "Losses: of {} up to {later} would have started later, by at most {} each on average, the worst by at most {}.",
            counted(overtaken, "head job that would have been overtaken", "head jobs that would have been overtaken"),
            span(mean(all.later_s, later)),
            span(all.worst_s as f64)
        ),
    });
    let sum = |of: fn(&Promises) -> u64| score.promises.iter().map(of).sum::<u64>();
    let (kept, broken) = (sum(|p| p.kept), sum(|p| p.broken));
    sentences.push(if kept + broken == 0 {
        "Promises: no bound on a wait has been put to the test yet.".to_owned()
    } else {
        format!(
            "Promises: {kept} of {} bounds on waits held ({:.0} %; promised: {:.0} %, with a confidence of {:.0} %).",
            kept + broken,
            100.0 * kept as f64 / (kept + broken) as f64,
            100.0 * QUANTILE,
            100.0 * CONFIDENCE
        )
    });
    if score.withdrawn + score.open > 0 {
        sentences.push(format!(
            "Not counted: {} whose job was cancelled or whose end was not seen, {} still open.",
            counted(score.withdrawn, "decision", "decisions"),
            score.open
        ));
    }
    for unjudged in &score.unjudged {
        sentences.push(format!(
            "Not judged: {} for {:.0} % of the time: {}.",
            unjudged.pool,
            100.0 * unjudged.share,
            unjudged.why
        ));
    }
    sentences
}

const TITLES: [&str; 10] = [
    "",
    "jobs",
    "mean\nwait",
    "would start\nearlier",
    "by, on\naverage",
    "heads\novertaken",
    "perhaps\nlater",
    "by at most,\non average",
    "worst",
    "net over\nall jobs",
];

/// Gains and losses by partition, user and width, and the promises.
pub fn tables(score: &Score, style: Style) -> Vec<(String, Grid)> {
    let title = |text: &str| match style {
        Style::Terminal => text.to_owned(),
        Style::Markdown => text.replace('\n', " "),
    };
    let mut tables = Vec::new();
    for (by, rows) in &score.parts {
        let mut titles = TITLES.map(title);
        titles[0] = (*by).to_owned();
        let mut table = style.table(titles, 1);
        for row in rows {
            table.add_row(cells(row));
        }
        tables.push((format!("Gains and losses by {by}"), table));
    }
    if !score.promises.is_empty() {
        let titles = ["partition", "bounds given", "kept", "broken", "still open"].map(str::to_owned);
        let mut table = style.table(titles, 1);
        for promises in &score.promises {
            let counts = [promises.given, promises.kept, promises.broken, promises.open];
            table.add_row(std::iter::once(promises.partition.clone()).chain(counts.map(|n| n.to_string())));
        }
        tables.push(("Promises: bounds on waits, given when a job joined its queue".to_owned(), table));
    }
    tables
}

fn cells(row: &Row) -> [String; 10] {
    let net = mean(row.earlier_s - row.later_s, row.jobs);
    [
        row.name.clone(),
        row.jobs.to_string(),
        span(row.mean_wait_s),
        row.earlier.to_string(),
        span(mean(row.earlier_s, row.earlier)),
        row.overtaken.to_string(),
        row.later.to_string(),
        span(mean(row.later_s, row.later)),
        span(row.worst_s as f64),
        if net < 0.0 { format!("-{}", span(-net)) } else { span(net) },
    ]
}
