//! Tables of [`crate::studies::locality`] over all traces; [`section`]s of pages.

mod more;
mod page;

pub use page::section;

use crate::studies::locality::ageing::{Ageing, Clock, Known, Rate};
use crate::studies::locality::binning::{Binning, Granularity};
use crate::studies::locality::sample::Attribute;
use crate::studies::locality::study::{Measured, Measurement, Study};
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;

/// Seconds in the unit people use for them, with three digits.
fn duration(seconds: f64) -> String {
    const UNITS: [(f64, f64, &str); 4] =
        [(2.0 * 86_400.0, 86_400.0, "d"), (3600.0, 3600.0, "h"), (60.0, 60.0, "min"), (0.0, 1.0, "s")];
    let (_, size, unit) = UNITS.into_iter().find(|unit| seconds >= unit.0).unwrap_or((0.0, 1.0, "s"));
    format!("{} {unit}", digits(seconds / size))
}

/// Three digits, or all before the point.
fn digits(value: f64) -> String {
    let before = if value < 1.0 { 1 } else { value.log10().floor() as i32 + 1 };
    let text = format!("{value:.*}", (3 - before).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn granularity(granularity: Granularity) -> String {
    granularity.value().to_string()
}

fn bits(value: f64) -> String {
    // Rounding leaves no negative nothing.
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

/// A trace's name without the file's endings.
fn short(trace: &str) -> &str {
    let name = trace.strip_suffix(".gz").unwrap_or(trace);
    name.strip_suffix(".swf").unwrap_or(name)
}

fn range(low: &str, high: &str) -> Option<String> {
    Some(if low == high { low.to_owned() } else { format!("{low} - {high}") })
}

/// The tables over all traces, with titles.
pub fn tables(studies: &[Study], style: Style) -> Vec<(String, Grid)> {
    let mut tables = Vec::new();
    for attribute in [Attribute::Time, Attribute::User, Attribute::Both] {
        for binning in [Binning::Simple, Binning::Kmeans] {
            let of = |study: &'_ Study| {
                study.measurements.iter().position(|m| m.attribute == attribute && m.binning == binning)
            };
            let rows: Vec<(&Study, &Measurement)> =
                studies.iter().filter_map(|s| Some((s, s.measurements.get(of(s)?)?))).collect();
            if !rows.is_empty() {
                tables.push((title(attribute, binning), localities(&rows, attribute, binning, style)));
            }
        }
    }
    if let Some(table) = more::table(studies, style) {
        tables.push(("How much more one metric has than another (sections 2.3 and 2.4)".to_owned(), table));
    }
    if studies.iter().any(|study| study.given_user.is_some()) {
        tables.push((
            "What submit times add to users: f(s; r|u) [bits]".to_owned(),
            given_user(studies, style),
        ));
    }
    if studies.iter().any(|study| !study.two_bins.is_empty()) {
        tables.push((
            "Two bins, up to a threshold and above it, by submit time (section 2.2)".to_owned(),
            two_bins(studies, style),
        ));
    }
    for clock in [Clock::Job, Clock::Time] {
        let rows: Vec<(&Study, &Ageing)> = studies
            .iter()
            .flat_map(|study| study.ageing.iter().filter(|a| a.clock == clock).map(move |a| (study, a)))
            .collect();
        if let Some((_, first)) = rows.first() {
            tables.push((ageing_title(clock, first.known), ageing(&rows, style)));
        }
    }
    tables
}

fn title(attribute: Attribute, binning: Binning) -> String {
    let from = match attribute {
        Attribute::Time => "submit time",
        Attribute::User => "user",
        Attribute::Both => "user and submit time",
    };
    let how = match binning {
        Binning::Simple => "run-time bins of constant ratio",
        Binning::Kmeans => "run-time bins by k-means",
    };
    format!("Locality by {from}, {}: {how}", attribute.notation())
}

fn localities(rows: &[(&Study, &Measurement)], attribute: Attribute, binning: Binning, style: Style) -> Grid {
    let slots = attribute.has_slots();
    let simple = binning == Binning::Simple;
    let theirs = rows.iter().any(|(_, measurement)| measurement.thesis.is_some());
    let near = |name: &str| style.noted(name.to_owned(), Some("within 1 %".to_owned()));
    let shuffled =
        rows.iter().find_map(|(_, m)| m.best?.shuffled).map(|s| format!("{} shuffles", s.shuffles));
    let f = |name: &str| style.noted(format!("{name} [bits]"), shuffled.clone());
    let mut titles = vec!["trace".to_owned(), "jobs".to_owned()];
    titles.extend(slots.then(|| near("t_s")));
    titles.extend([near(if simple { "t_r" } else { "N" })]);
    titles.extend(simple.then(|| "N".to_owned()));
    titles.push(f("f"));
    if theirs {
        titles.extend(slots.then(|| "thesis's t_s".to_owned()));
        titles.extend(simple.then(|| "t_r".to_owned()));
        titles.extend(["N".to_owned(), "thesis's f [bits]".to_owned(), f("f there")]);
    }
    let mut table = style.table(titles, 1);
    for (study, measurement) in rows {
        let mut cells = vec![short(&study.trace).to_owned(), measurement.jobs.to_string()];
        let (Some(best), Some(plateau)) = (measurement.best, measurement.plateau) else {
            cells.push(format!("- ({})", measurement.nothing.unwrap_or("nothing")));
            table.add_row(cells);
            continue;
        };
        if let (Some(slot), Some((low, high))) = (best.point.slot_s, plateau.slot_s) {
            let value = |seconds: i64| duration(seconds as f64);
            cells.push(style.noted(value(slot), range(&value(low), &value(high))));
        }
        let (low, high) = plateau.granularity;
        cells.push(
            style.noted(granularity(best.point.granularity), range(&low.to_string(), &high.to_string())),
        );
        cells.extend(simple.then(|| best.point.bins.to_string()));
        cells.push(locality(&best, style));
        if let Some(thesis) = measurement.thesis {
            let published = thesis.published;
            cells.extend(published.slot_s.map(|slot| duration(slot as f64)));
            cells.extend(simple.then(|| granularity(published.granularity)));
            cells.push(
                style.noted(
                    published.bins.to_string(),
                    (thesis.measured.point.bins != published.bins as usize)
                        .then(|| format!("here {}", thesis.measured.point.bins)),
                ),
            );
            cells.push(format!("{:.2}", published.locality));
            cells.push(locality(&thesis.measured, style));
        }
        table.add_row(cells);
    }
    table
}

/// f, and f by shuffles with what one shuffle is mistaken by.
fn locality(measured: &Measured, style: Style) -> String {
    let by_shuffles = measured.shuffled_locality.zip(measured.shuffled);
    let note = by_shuffles.map(|(f, shuffled)| format!("{} ± {:.4}", bits(f), shuffled.deviation));
    style.noted(bits(measured.point.locality), note)
}

fn given_user(studies: &[Study], style: Style) -> Grid {
    let titles = ["trace", "thesis", "best less best", "same t_r", "shuffled within users"];
    let mut table = style.table(titles.map(str::to_owned), 1);
    for study in studies {
        let Some(given) = study.given_user else { continue };
        table.add_row([
            short(&study.trace).to_owned(),
            given.thesis.map_or(String::new(), |thesis| format!("{thesis:.2}")),
            bits(given.best_less_best),
            bits(given.same_ratio),
            bits(given.within_users),
        ]);
    }
    table
}

fn two_bins(studies: &[Study], style: Style) -> Grid {
    let titles = ["trace", "threshold", "longer [%]", "H [bits]"].map(str::to_owned);
    let near = style.noted("t_s".to_owned(), Some("within 1 %".to_owned()));
    let rest =
        ["f [bits]", "of H [%]", "many bins: t_s", "f [bits]", "two bins there: f [bits]"].map(str::to_owned);
    let mut table = style.table(titles.into_iter().chain([near]).chain(rest), 2);
    for study in studies {
        let many = study.measurements.iter();
        let mut many = many.filter(|m| m.attribute == Attribute::Time && m.binning == Binning::Simple);
        let many = many.next().and_then(|m| m.best);
        let time = |seconds: i64| duration(seconds as f64);
        for two in &study.two_bins {
            table.add_row([
                short(&study.trace).to_owned(),
                time(two.threshold_s),
                format!("{:.1}", two.longer * 100.0),
                bits(two.entropy),
                style.noted(time(two.slot_s), range(&time(two.plateau_s.0), &time(two.plateau_s.1))),
                bits(two.locality),
                if two.entropy > 0.0 {
                    format!("{:.1}", two.locality / two.entropy * 100.0)
                } else {
                    String::new()
                },
                many.and_then(|m| m.point.slot_s).map_or_else(String::new, time),
                many.map_or_else(String::new, |m| bits(m.point.locality)),
                two.at_full.map_or_else(String::new, bits),
            ]);
        }
    }
    table
}

fn ageing_title(clock: Clock, known: Known) -> String {
    let by = match clock {
        Clock::Job => "further jobs",
        Clock::Time => "time",
    };
    let known = match known {
        Known::Submitted => "submitted",
        Known::Ended => "ended",
    };
    format!("How fast information on a user's run times ages, by {by}: half-lives (jobs known when {known})")
}

fn half_life(rate: &Rate, clock: Clock) -> String {
    match (rate.half_life, clock) {
        (None, _) => "never".to_owned(),
        (Some(jobs), Clock::Job) => digits(jobs),
        (Some(seconds), Clock::Time) => duration(seconds),
    }
}

/// A weight between 0 and 1 in four digits, tiny ones by their power of ten.
fn weight(alpha: f64) -> String {
    match alpha {
        0.0 => "0".to_owned(),
        ..5e-4 => format!("{alpha:.0e}"),
        _ => format!("{alpha:.4}"),
    }
}

fn ageing(rows: &[(&Study, &Ageing)], style: Style) -> Grid {
    let titles = [
        ("trace", ""),
        ("users", "differing"),
        ("common", "alpha"),
        ("5 %", "of users"),
        ("25 %", ""),
        ("median", "alpha"),
        ("75 %", ""),
        ("95 %", ""),
        ("common over none [bits]", "later halves"),
        ("own over common [bits]", "later halves"),
    ];
    let titles =
        titles.map(|(name, note)| style.noted(name.to_owned(), (!note.is_empty()).then(|| note.to_owned())));
    let mut table = style.table(titles, 1);
    for (study, ageing) in rows {
        let rate = |rate: &Rate, alpha: bool| {
            style.noted(half_life(rate, ageing.clock), alpha.then(|| weight(rate.alpha)))
        };
        let gain =
            |fitted: f64, later: f64| style.noted(format!("{fitted:+.3}"), Some(format!("{later:+.3}")));
        let users = style.noted(ageing.users.len().to_string(), Some(ageing.significant.to_string()));
        let mut cells = vec![short(&study.trace).to_owned(), users, rate(&ageing.common, true)];
        cells.extend(ageing.quantiles.iter().map(|q| rate(&q.rate, q.share == 0.5)));
        let gains = &ageing.gains;
        cells.push(gain(gains.common_over_none, gains.held_out_common_over_none));
        cells.push(gain(gains.own_over_common, gains.held_out_own_over_common));
        table.add_row(cells);
    }
    table
}

/// Remarks on a trace that a reader needs beside the tables.
pub fn remarks(study: &Study) -> Vec<String> {
    let counts = &study.replay;
    let unknown = study.measurements.iter().map(|m| m.without_user).max().unwrap_or(0);
    let counted = [
        (
            counts.wrong_lines,
            if counts.wrong_lines == 1 { "wrong line left out" } else { "wrong lines left out" },
        ),
        (counts.dropped_without_run_time, "dropped without run time"),
        (counts.dropped_without_processors, "dropped without processors"),
        (counts.beyond_limit_jobs, "left out after the first jobs"),
        (counts.with_requested_processors, "with requested processors only"),
        (unknown as u64, "of unknown users, left out where users matter"),
    ];
    let counted = counted.into_iter().filter(|&(count, _)| count > 0);
    let counted = counted.map(|(count, what)| format!("{count} {what}"));
    // The highest f is 0 with a single bin, so at best nothing more can be learnt than by chance.
    let none = study.measurements.iter().filter(|m| m.best.is_some_and(|best| best.point.locality < 1e-9));
    let none = none.map(|m| format!("{}: no locality at any granularity", title(m.attribute, m.binning)));
    counted.chain(none).chain(study.no_ageing.map(|why| format!("no ageing: {why}"))).collect()
}
