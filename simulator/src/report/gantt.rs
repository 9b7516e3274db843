//! A window of the schedules as a chart of processors over time that can be zoomed: the jobs, and which processors they
//! hold in the drawing. `gantt.js` draws them.

use super::Drawn;
use crate::replay::outcome::{JobRecord, Outcome};
use maud::{Markup, html};
use serde::Serialize;

/// Starts in the window, under the first policy.
const STARTS: usize = 160;

/// The most rectangles of a page's figure, of all policies together: where there are more the window is made shorter.
const RECTANGLES: usize = 5000;

/// The script's input. Times are seconds from the window's begin.
#[derive(Serialize)]
struct Data<'a> {
    procs: u32,
    length: i64,
    policies: Vec<Schedule<'a>>,
}

#[derive(Serialize)]
struct Schedule<'a> {
    name: &'a str,
    /// Start, length, number, wait, user, whether it overtook the head job, processors as pairs of first and one above
    /// the last.
    jobs: Vec<Row>,
}

type Row = (i64, i64, i64, i64, i64, u8, Vec<u32>);

/// Processors that no job holds in the drawing: pairs of first and one above the last, in order.
struct Free(Parts);

/// Pairs of a first processor and the one above the last.
type Parts = Vec<(u32, u32)>;

impl Free {
    /// Takes `wanted` processors from the lowest on.
    fn take(&mut self, mut wanted: u32) -> Parts {
        let mut taken = Vec::new();
        while wanted > 0
            && let Some(first) = self.0.first_mut()
        {
            let count = wanted.min(first.1 - first.0);
            taken.push((first.0, first.0 + count));
            first.0 += count;
            wanted -= count;
            if first.0 == first.1 {
                self.0.remove(0);
            }
        }
        taken
    }

    fn give(&mut self, parts: &[(u32, u32)]) {
        self.0.extend_from_slice(parts);
        self.0.sort_unstable();
        let mut merged: Parts = Vec::with_capacity(self.0.len());
        for &part in &self.0 {
            match merged.last_mut() {
                Some(last) if last.1 == part.0 => last.1 = part.1,
                _ => merged.push(part),
            }
        }
        self.0 = merged;
    }
}

/// The jobs that hold processors in the window, in order of their starts, with the processors that each is drawn on.
fn placed(jobs: &[JobRecord], procs: u32, (from, to): (i64, i64)) -> Vec<(&JobRecord, Parts)> {
    let mut inside: Vec<&JobRecord> =
        jobs.iter().filter(|job| job.start < to && job.end > from && job.end > job.start).collect();
    inside.sort_by_key(|job| (job.start, job.number));
    let mut free = Free(vec![(0, procs)]);
    let mut running: Vec<(i64, Parts)> = Vec::new();
    let mut drawn = Vec::with_capacity(inside.len());
    for job in inside {
        running.retain(|(ended, parts)| {
            if *ended <= job.start {
                free.give(parts);
            }
            *ended > job.start
        });
        let parts = free.take(job.processors);
        running.push((job.end, parts.clone()));
        drawn.push((job, parts));
    }
    drawn
}

/// The second at which most jobs wait.
fn longest_queue(jobs: &[JobRecord]) -> i64 {
    let mut events: Vec<(i64, i64)> =
        jobs.iter().flat_map(|job| [(job.submit, 1), (job.start, -1)]).collect();
    events.sort_unstable();
    let (mut waiting, mut most) = (0, (0, events.first().map_or(0, |event| event.0)));
    for (time, change) in events {
        waiting += change;
        if waiting > most.0 {
            most = (waiting, time);
        }
    }
    most.1
}

/// From when to when: the given number of starts under this schedule, about the time at which most jobs wait.
fn window(jobs: &[JobRecord], starts: usize) -> (i64, i64) {
    let mut times: Vec<i64> = jobs.iter().map(|job| job.start).collect();
    times.sort_unstable();
    let middle = times.partition_point(|&time| time < longest_queue(jobs));
    let first = middle.saturating_sub(starts / 2);
    let last = (first + starts).min(times.len().saturating_sub(1));
    let from = times.get(first).copied().unwrap_or(0);
    (from, times.get(last).copied().unwrap_or(0).max(from + 3600))
}

/// The jobs of one schedule as the script reads them.
fn rows(outcome: &Outcome, window: (i64, i64)) -> Vec<Row> {
    let row = |(job, parts): (&JobRecord, Parts)| {
        let places = parts.iter().flat_map(|&(low, high)| [low, high]).collect();
        let (length, wait) = (job.end - job.start, job.start - job.submit);
        (job.start - window.0, length, job.number, wait, job.user, u8::from(job.backfill.is_some()), places)
    };
    placed(&outcome.jobs, outcome.setup.procs, window).into_iter().map(row).collect()
}

/// The figure; nothing without jobs.
pub fn figure(runs: &[Drawn]) -> Markup {
    const TITLE: &str = "Which job runs when";
    const CAPTION: &str = "Jobs as rectangles of processors (up) over the time (right) in a window about the longest \
        queue of the first policy (first seed). Colours tell users apart; full colours are jobs that started ahead of the \
        head job. Where a job's processors do not lie side by side it has several rectangles. The buttons zoom and move; \
        so do dragging, and the wheel with the control key.";
    let Some(first) = runs.first().filter(|run| !run.run.first.jobs.is_empty()) else { return html! {} };
    let mut starts = STARTS;
    let (from, to, schedules) = loop {
        let (from, to) = window(&first.run.first.jobs, starts);
        let schedules: Vec<Vec<Row>> = runs.iter().map(|run| rows(&run.run.first, (from, to))).collect();
        let rectangles: usize = schedules.iter().flatten().map(|job| job.6.len() / 2).sum();
        if rectangles <= RECTANGLES || starts <= 2 {
            break (from, to, schedules);
        }
        starts /= 2;
    };
    let policies =
        runs.iter().zip(schedules).map(|(run, jobs)| Schedule { name: &run.label, jobs }).collect();
    let data = Data { procs: first.run.first.setup.procs, length: to - from, policies };
    let data = serde_json::to_string(&data).expect("numbers and names are JSON");
    html! {
        h3 { (TITLE) }
        figure.gantt data-gantt=(data) hidden="" {
            div.controls {
                label { "Policy " select { @for run in runs { option { (run.label) } } } }
                @for (value, name) in [
                    ("nearer", "zoom in"),
                    ("farther", "zoom out"),
                    ("earlier", "earlier"),
                    ("later", "later"),
                    ("all", "whole window"),
                ] {
                    " " button type="button" value=(value) { (name) }
                }
            }
            div role="img" aria-label={ (TITLE) ". " (CAPTION) } {
                svg height="320" width="100%" { title { (TITLE) } desc { (CAPTION) } g {} }
            }
            figcaption { (CAPTION) }
        }
        noscript { p.facts { "This figure is drawn by the page's own script, which this browser does not run." } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(number: i64, submit: i64, start: i64, end: i64, processors: u32) -> JobRecord {
        JobRecord { number, user: 1, submit, start, end, processors, limit: 1, backfill: None }
    }

    #[test]
    fn no_processor_is_drawn_twice() {
        let jobs: Vec<JobRecord> =
            (0..200i64).map(|i| job(i, 0, i * 3, i * 3 + 1 + i * 7 % 11, 1 + (i % 2) as u32)).collect();
        let placed = placed(&jobs, 10, (30, 400));
        assert!(placed.len() > 100 && placed.iter().all(|(job, _)| job.start < 400 && job.end > 30));
        for second in 30..400 {
            let mut held = [false; 10];
            for (job, parts) in placed.iter().filter(|(job, _)| job.start <= second && second < job.end) {
                assert_eq!(parts.iter().map(|part| part.1 - part.0).sum::<u32>(), job.processors);
                for processor in parts.iter().flat_map(|part| part.0..part.1) {
                    assert!(!std::mem::replace(&mut held[processor as usize], true));
                }
            }
        }
    }

    #[test]
    fn the_window_is_about_the_longest_queue() {
        let mut jobs: Vec<JobRecord> = (0..1000).map(|i| job(i, i * 100, i * 100, i * 100 + 50, 1)).collect();
        for job in &mut jobs[500..510] {
            job.start = 51_000;
        }
        assert_eq!(longest_queue(&jobs), 50_900);
        let (from, to) = window(&jobs, 100);
        assert!(from < 50_900 && 51_000 < to && to - from < 20_000, "{from} {to}");
        assert_eq!(window(&[], 100), (0, 3600));
    }
}
