//! The page's part on fairness: who waits longer than under EASY, and by how much.

use super::Drawn;
use super::columns::{baseline, is_easy};
use super::document::SCROLLS;
use crate::base::statistics;
use crate::replay::fairness::{FEWEST, Group};
use crate::replay::run::Summary;
use maud::{Markup, html};

/// Users named for each policy.
const NAMED: usize = 5;

fn change(own: f64, base: f64) -> String {
    // A share of less than a minute says nothing.
    statistics::change(own, base).map_or_else(String::new, |share| format!("{:+.1} %", share * 100.0))
}

fn minutes(seconds: f64) -> String {
    format!("{:+.1} min", seconds / 60.0)
}

/// The change of one kind of jobs, relative and in minutes a job.
fn cell(own: f64, base: f64) -> Markup {
    html! { td { (change(own, base)) small { (minutes(own - base)) } } }
}

fn classes(own: &[Group], base: &[Group]) -> Markup {
    html! { @for (own, base) in own.iter().zip(base) {
        @if base.jobs > 0 { (cell(own.mean_wait_s, base.mean_wait_s)) } @else { td {} }
    } }
}

/// The users who wait longer than under EASY, those whose jobs lose most together first: number, jobs, own and EASY's
/// mean wait in seconds.
fn losers(summary: &Summary, base: &Summary) -> Vec<(f64, u64, f64, f64)> {
    let pairs = summary.fairness.by_user.iter().zip(&base.fairness.by_user);
    let lost = pairs.filter(|(own, base)| own.jobs >= FEWEST && own.mean_wait_s > base.mean_wait_s);
    let mut lost: Vec<(f64, u64, f64, f64)> =
        lost.filter_map(|(own, base)| Some((own.to?, own.jobs, own.mean_wait_s, base.mean_wait_s))).collect();
    let total = |&(_, jobs, own, base): &(f64, u64, f64, f64)| jobs as f64 * (own - base);
    lost.sort_by(|a, b| total(b).total_cmp(&total(a)));
    lost
}

/// Tail and mean waits by kinds of jobs against EASY's, and the users who lose most; nothing without EASY or without
/// others.
pub fn fairness(runs: &[Drawn]) -> Markup {
    let Some(base) = baseline(runs.iter().map(|run| run.summary)) else { return html! {} };
    let others: Vec<&Drawn> = runs.iter().filter(|run| !is_easy(&run.summary.setup)).collect();
    if others.is_empty() {
        return html! {};
    }
    let quarters: &[&str] =
        if base.fairness.by_priority.is_empty() { &[] } else { &["lowest", "second", "third", "highest"] };
    let users = base.fairness.by_user.iter().filter(|user| user.jobs >= FEWEST).count();
    html! {
        h3 { "Who gains and who loses" }
        div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
            thead {
                tr {
                    th scope="col" { "policy" }
                    @for name in ["p95", "p99", "longest"] { th scope="col" { (name) } }
                    @for to in ["≤ 1/64", "≤ 1/16", "≤ 1/4", "wider"] {
                        th scope="col" { (to) small { "of the machine" } }
                    }
                    @for to in ["≤ 10 min", "≤ 1 h", "≤ 6 h", "longer"] { th scope="col" { (to) small { "run time" } } }
                    @for to in ["first", "second"] { th scope="col" { (to) small { "half of the jobs" } } }
                    @for quarter in quarters { th scope="col" { (quarter) small { "quarter of the priorities" } } }
                    th scope="col" { "users who lose" small { "of " (users) } }
                }
            }
            tbody { @for run in &others {
                @let (own, its) = (&run.summary.mean, &base.mean);
                tr {
                    th scope="row" { (run.label) }
                    (cell(own.p95_wait_s, its.p95_wait_s))
                    (cell(own.p99_wait_s, its.p99_wait_s))
                    (cell(own.max_wait_s, its.max_wait_s))
                    (classes(&run.summary.fairness.by_width, &base.fairness.by_width))
                    (classes(&run.summary.fairness.by_run_time, &base.fairness.by_run_time))
                    (classes(&run.summary.fairness.by_half, &base.fairness.by_half))
                    (classes(&run.summary.fairness.by_priority, &base.fairness.by_priority))
                    td { (losers(run.summary, base).len()) }
                }
            } }
        } }
        p.facts {
            "Waits against EASY's, the change first and the difference in minutes a job below it: percentiles and the longest \
             wait of all jobs, then mean waits by width, by run time and in each half of the trace. A user loses whose mean wait is longer than under \
             EASY; users with fewer than " (FEWEST) " jobs are not counted."
        }
        details {
            summary { "The users who lose most" }
            div.wide tabindex="0" role="group" aria-label=(SCROLLS) { table {
                thead { tr { @for name in ["policy", "user", "jobs", "mean wait", "against EASY's"] {
                    th scope="col" { (name) }
                } } }
                tbody { @for run in &others {
                    @for (user, jobs, own, base) in losers(run.summary, base).into_iter().take(NAMED) {
                        tr {
                            th scope="row" { (run.label) }
                            td { (user) } td { (jobs) } td { (format!("{:.1} min", own / 60.0)) }
                            (cell(own, base))
                        }
                    }
                } }
            } }
        }
    }
}
