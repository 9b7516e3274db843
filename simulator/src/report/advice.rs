//! Advice as tables.

use super::table::Style;
use crate::live::advise::{Advice, limit, starts};
use crate::report::grid::Grid;

/// Seconds as people say them: the two largest units that count.
pub fn span(seconds: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let Some(first) = UNITS.iter().position(|(unit, _)| seconds.abs() >= *unit) else {
        return "0 s".to_owned();
    };
    let (unit, name) = UNITS[first];
    let mut text = format!("{} {name}", seconds / unit);
    if let Some((smaller, name)) = UNITS.get(first + 1)
        && seconds % unit / smaller != 0
    {
        text += &format!(" {} {name}", seconds % unit / smaller);
    }
    text
}

fn percent(probability: f64) -> String {
    format!("{:.0}", 100.0 * probability)
}

/// The shape of every column that may be empty.
fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

/// The head jobs, and their starts by limits.
pub fn heads(advice: &Advice, style: Style) -> Grid {
    let mut titles = ["head job", "partition", "user"].map(str::to_owned).to_vec();
    titles.push("waits for".to_owned());
    titles.push(style.title("by limits", "within"));
    titles.push("note".to_owned());
    let mut table = style.table(titles, 3);
    for head in &advice.heads {
        let needs = format!("{} {}, {} idle", head.needs, head.counted.unwrap_or("nodes"), head.idle);
        let mut row = vec![head.job.clone(), head.partition.clone(), head.user.clone(), needs];
        row.push(or_dash(head.by_limits.map(span)));
        row.push(head.note.clone().unwrap_or_default());
        table.add_row(row);
    }
    table
}

/// All waiting jobs: the queue played forward.
pub fn starts(advice: &Advice, within: &[i64], style: Style) -> Grid {
    let mut titles = ["waiting job", "partition", "user", "waited"].map(str::to_owned).to_vec();
    titles.extend(starts::SHOWN.map(|probability| style.title(&percent(probability), "% start within")));
    titles.extend(within.iter().map(|span_| style.title(&span(*span_), "started, %")));
    titles.push("note".to_owned());
    let mut table = style.table(titles, 3);
    for start in &advice.starts {
        let front = |job: String| vec![job, start.partition.clone(), start.user.clone(), span(start.waited)];
        let quantile = |all: &[starts::Quantile], probability: f64| {
            let found = all.iter().find(|quantile| quantile.probability == probability);
            or_dash(found.map(|quantile| span(quantile.within)))
        };
        let mut row = front(named(start));
        row.extend(starts::SHOWN.map(|probability| quantile(&start.quantiles, probability)));
        row.extend(
            (0..within.len())
                .map(|at| or_dash(start.started.get(at).map(|started| percent(started.probability)))),
        );
        row.push(start.note.clone().unwrap_or_default());
        table.add_row(row);
        if !start.last.is_empty() {
            let mut row = front(format!("{}: the last", start.job));
            row.extend(starts::SHOWN.map(|probability| quantile(&start.last, probability)));
            row.extend(within.iter().map(|_| or_dash(None)));
            row.push(String::new());
            table.add_row(row);
        }
    }
    table
}

/// A job's name, and how many tasks it stands for.
fn named(start: &starts::Start) -> String {
    match (start.tasks, start.at_once) {
        (1, _) => start.job.clone(),
        (tasks, None) => format!("{}: {tasks} tasks, the first", start.job),
        (tasks, Some(most)) => format!("{}: {tasks} tasks, {most} at once, the first", start.job),
    }
}

/// Those that are not played forward: bounds from the history of waits.
pub fn others(advice: &Advice, within: &[i64], style: Style) -> Grid {
    let bound = format!("{} % of such jobs", percent(advice.quantile));
    let mut titles = ["job", "partition", "user", "waited"].map(str::to_owned).to_vec();
    titles.push(style.title(&bound, "start within"));
    titles.extend(within.iter().map(|span_| style.title(&span(*span_), "started, % (at least)")));
    titles.extend(["waits known", "note"].map(str::to_owned));
    let mut table = style.table(titles, 3);
    for other in &advice.others {
        let mut row =
            vec![other.job.clone(), other.partition.clone(), other.user.clone(), span(other.waited)];
        row.push(or_dash(other.within.map(span)));
        row.extend((0..within.len()).map(|at| {
            or_dash(
                other
                    .started
                    .get(at)
                    .map(|at| format!("{} ({})", percent(at.observed), percent(at.at_least))),
            )
        }));
        row.push(other.waits.to_string());
        row.push(other.note.clone().unwrap_or_default());
        table.add_row(row);
    }
    table
}

/// Time limits for next jobs.
pub fn next(advice: &Advice, style: Style) -> Grid {
    let mut titles = ["next job of", "name"].map(str::to_owned).to_vec();
    titles.push("processors".to_owned());
    titles.extend(limit::QUANTILES.map(|probability| style.title(&percent(probability), "% end within")));
    titles.push("usual limit".to_owned());
    titles.push("advised limit".to_owned());
    titles.push("sufficed for".to_owned());
    titles.push("stopped at limit".to_owned());
    let mut table = style.table(titles, 2);
    for next in &advice.next {
        let mut row = vec![next.user.clone(), next.name.clone(), next.processors.to_string()];
        row.extend(
            (0..limit::QUANTILES.len()).map(|at| or_dash(next.run_time.get(at).map(|at| span(at.within)))),
        );
        row.push(or_dash(next.usual_limit.map(span)));
        row.push(or_dash(next.limit.map(span)));
        row.push(format!("{} of {}", next.sufficed, next.tried));
        row.push(format!("{} of {}", next.timed_out, next.jobs));
        table.add_row(row);
    }
    table
}
