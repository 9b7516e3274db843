//! How long jobs wait in windows of traces under the scheduler engine, with and without a history: `cargo run --release
//! -p surefill-papers --example windows -- HOURS TRACE...` prints a table.
//!
//! A window begins with every 500th job and takes the jobs submitted in so many hours, beside those that run or wait in
//! the trace when it begins; it counts where it has at least 30 jobs that waited for half an hour in the mean in the
//! trace, and 5,000 jobs have ended before it. A job that has not started when twice the hours have passed counts with
//! its wait by then.

use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use surefill::engine::{Action, Cycle, JobReport, JobState, Scheduler, SchedulerCapacity};
use surefill_papers::report::trace_name;
use surefill_simulator::base::random::Random;
use surefill_simulator::trace::format;
use surefill_simulator::trace::swf::Strictness;
use surefill_simulator::trace::workload::{Job, Overrun, Rules, Workload};

/// Jobs from one window's first to the next one's.
const EVERY: usize = 500;
/// Jobs that a scheduler has learnt from.
const HISTORY: usize = 5000;
/// Second 0 of a trace, as to the engine a submission at 0 is one now.
const EPOCH: i64 = 1_000_000_000;
const SEEDS: u64 = 5;
/// The waits of a history in which hardly anybody has waited, in seconds.
const QUIET: i64 = 600;

/// A job of a window: its number in the workload, when it is submitted to the window's scheduler, what it has left to
/// run and of its limit, and whether its wait counts.
#[derive(Clone)]
struct Entry {
    job: usize,
    submit: i64,
    run_time: i64,
    limit: i64,
    counts: bool,
    start: Option<i64>,
}

/// What a scheduler has learnt before a window.
#[derive(Clone, Copy)]
enum Learnt {
    Nothing,
    Jobs,
    JobsAfter(i64),
}

struct Window<'w> {
    jobs: &'w [Job],
    processors: u32,
    begin: i64,
    end: i64,
    history: Vec<&'w Job>,
    entries: Vec<Entry>,
}

fn start(job: &Job) -> i64 {
    job.submit + job.wait.max(0)
}

fn ended(job: &Job) -> i64 {
    start(job) + job.run_time
}

impl<'w> Window<'w> {
    /// The window that begins with this job, if it counts.
    fn new(workload: &'w Workload, first: usize, hours: i64) -> Option<Window<'w>> {
        let jobs = &workload.jobs[..];
        let begin = jobs[first].submit;
        let until = begin + 3600 * hours;
        let mut entries: Vec<Entry> = Vec::new();
        for (number, job) in jobs.iter().enumerate().take_while(|(_, job)| job.submit < until) {
            let (counts, age) = (job.submit >= begin, (begin - start(job)).max(0));
            if ended(job) > begin || counts {
                // Half an hour more, as in the windows of a whole Slurm.
                let limit = if counts { job.limit } else { (job.limit - age).max(60) + 1800 };
                let run_time = (job.run_time - age).max(1);
                entries.push(Entry {
                    job: number,
                    submit: job.submit.max(begin),
                    run_time,
                    limit,
                    counts,
                    start: None,
                });
            }
        }
        entries.sort_by_key(|entry| {
            let job = &jobs[entry.job];
            (entry.submit, start(job) >= begin, job.submit)
        });
        let counted: Vec<_> = entries.iter().filter(|entry| entry.counts).collect();
        let waited: i64 = counted.iter().map(|entry| jobs[entry.job].wait.max(0)).sum();
        let mut history: Vec<_> = jobs.iter().filter(|job| ended(job) <= begin).collect();
        if counted.len() < 30 || waited < 1800 * counted.len() as i64 || history.len() < HISTORY {
            return None;
        }
        history.sort_by_key(|job| ended(job));
        history.drain(..history.len() - HISTORY);
        let end = begin + 7200 * hours;
        Some(Window { jobs, processors: workload.procs, begin, end, history, entries })
    }

    /// Mean wait of the jobs that count, in hours.
    fn mean_wait(&self, words: &str, learnt: Learnt, seed: u64) -> surefill::error::Result<f64> {
        let mut entries = self.entries.clone();
        let mut random = Random::new(seed);
        for entry in entries.iter_mut().filter(|entry| entry.counts && seed != 0) {
            entry.submit += i64::from(random.below(60));
        }
        entries.sort_by_key(|entry| entry.submit);
        self.play(&mut entries, words, learnt)?;
        let (mut count, mut sum) = (0, 0);
        for entry in entries.iter().filter(|entry| entry.counts) {
            sum += entry.start.unwrap_or(self.end).min(self.end) - entry.submit;
            count += 1;
        }
        Ok(sum as f64 / f64::from(count) / 3600.0)
    }

    fn play(&self, entries: &mut [Entry], words: &str, learnt: Learnt) -> surefill::error::Result<()> {
        let capacity = SchedulerCapacity::of((entries.len() as u32).max(1000));
        let mut memory = vec![0_u64; Scheduler::size(&capacity)?.div_ceil(8)];
        let mut scratch = vec![0_u64; Cycle::size(&capacity)?.div_ceil(8)];
        let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity)?;
        scheduler.configure(words, "").expect("words of the engine");
        let pool = scheduler.set_pool(b"pool", self.processors, None)?;
        let queues = [scheduler.set_queue(b"queue", pool)?];
        let report = |job: &Job| JobReport {
            user: job.user_or_queue(),
            count: job.processors,
            queues: &queues,
            ..JobReport::default()
        };
        for (number, job) in self.history.iter().enumerate() {
            let wait = match learnt {
                Learnt::Nothing => break,
                Learnt::Jobs => job.wait.max(0),
                Learnt::JobsAfter(wait) => wait,
            };
            let (start, limit) = (start(job), job.limit);
            let (id, state) = (-1 - number as i64, JobState::Running);
            scheduler.set_job(
                start,
                &JobReport { id, state, submit: start - wait, start, limit, ..report(job) },
            )?;
            let (ran, state) = (job.run_time, JobState::Ended);
            scheduler.set_job(ended(job), &JobReport { id, state, ran, ..JobReport::default() })?;
        }
        let (mut now, mut next) = (self.begin, 0);
        let mut running: Vec<usize> = Vec::new();
        let ends = |entry: &Entry| entry.start.unwrap_or(i64::MAX).saturating_add(entry.run_time);
        while now < self.end {
            for number in running.extract_if(.., |&mut number| ends(&entries[number]) <= now) {
                let (id, ran, state) = (number as i64 + 1, entries[number].run_time, JobState::Ended);
                scheduler.set_job(now, &JobReport { id, state, ran, ..JobReport::default() })?;
            }
            while let Some(entry) = entries.get(next).filter(|entry| entry.submit <= now) {
                let (id, limit) = (next as i64 + 1, entry.limit);
                let job = report(&self.jobs[entry.job]);
                scheduler
                    .set_job(now, &JobReport { id, state: JobState::Waiting, submit: now, limit, ..job })?;
                next += 1;
            }
            if scheduler.wake(now)?.is_some_and(|(when, _)| when <= now) {
                let mut cycle =
                    Cycle::begin(bytemuck::cast_slice_mut(&mut scratch), &mut scheduler, pool, now)?;
                while let Action::Start(offer) = cycle.next(&mut scheduler)? {
                    let number = offer.job as usize - 1;
                    entries[number].start = Some(now);
                    running.push(number);
                    cycle.started(&mut scheduler, offer.number, offer.job)?;
                }
                cycle.close(&mut scheduler)?;
            }
            let ended = running.iter().map(|&number| ends(&entries[number])).min();
            let arrived = entries.get(next).map(|entry| entry.submit);
            // The engine's own wishes at most every twelve seconds, as the plugin looks in the windows of a whole Slurm.
            let woken = scheduler.wake(now)?.map(|(when, _)| when.max(now + 12));
            now = [ended, arrived, woken].into_iter().flatten().min().unwrap_or(self.end);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let hours: i64 = arguments.next().ok_or("windows HOURS TRACE...")?.parse()?;
    println!("| trace | windows | EASY | none | history | change | shorter, longer | quiet history |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for path in arguments {
        let trace = format::open(Path::new(&path), None, Strictness::Lenient)?;
        let mut workload = Workload::new(&trace, &Rules { overrun: Overrun::Cut, ..Rules::default() })?;
        workload.jobs.iter_mut().for_each(|job| job.submit += EPOCH);
        let firsts: Vec<usize> = (0..workload.jobs.len()).step_by(EVERY).collect();
        let windows: Vec<_> =
            firsts.into_par_iter().filter_map(|first| Window::new(&workload, first, hours)).collect();
        let ways = [
            ("preset=easy", Learnt::Nothing),
            ("", Learnt::Nothing),
            ("", Learnt::Jobs),
            ("", Learnt::JobsAfter(QUIET)),
        ];
        // Waits by window, way and seed.
        let waits: Vec<[Vec<f64>; 4]> = windows
            .par_iter()
            .map(|window| {
                let mean = |words, learnt| -> surefill::error::Result<Vec<f64>> {
                    (0..SEEDS).map(|seed| window.mean_wait(words, learnt, seed)).collect()
                };
                let mut of_ways: [Vec<f64>; 4] = Default::default();
                for (of_way, (words, learnt)) in of_ways.iter_mut().zip(ways) {
                    *of_way = mean(words, learnt)?;
                }
                Ok(of_ways)
            })
            .collect::<surefill::error::Result<_>>()?;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let means: Vec<f64> =
            (0..4).map(|way| mean(&waits.iter().map(|of| mean(&of[way])).collect::<Vec<_>>())).collect();
        // A window's wait differs where its difference is more than twice the standard error over the seeds.
        let (mut shorter, mut longer) = (0, 0);
        for of in &waits {
            let differences: Vec<f64> =
                of[2].iter().zip(&of[1]).map(|(with, without)| with - without).collect();
            let difference = mean(&differences);
            let squares: f64 = differences.iter().map(|value| (value - difference).powi(2)).sum();
            let error = (squares / (SEEDS * (SEEDS - 1)) as f64).sqrt();
            shorter += usize::from(difference < -2.0 * error);
            longer += usize::from(difference > 2.0 * error);
        }
        let [easy, none, history, quiet] = means[..] else { unreachable!() };
        println!(
            "| {} | {} | {easy:.2} | {none:.2} | {history:.2} | {:+.0} % | {shorter}, {longer} | {quiet:.2} |",
            trace_name(&path),
            windows.len(),
            100.0 * (history / none - 1.0),
        );
    }
    Ok(())
}
