//! `surefill explain`: why one job waited.

use super::Failure;
use super::options::{PolicyArgs, ProbArgs, ReplayOptions, file_name, predicts_starts};
use super::output;
use crate::replay::explain::{Explained, Points, Seen, Why, explain};
use crate::replay::policy::{Criterion, HeadStart, PolicyOptions};
use crate::replay::run::Options;
use crate::replay::starts::{Prediction, of_job};
use crate::report::grid::Grid;
use crate::report::room::prose;
use crate::report::{TableStyle, label, starts};
use crate::trace::text::printable;
use crate::trace::workload::{JobId, Workload};
use clap::Args;
use comfy_table::CellAlignment;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The trace: any format that import reads; - is standard input
    trace: PathBuf,
    /// The job, by its number in the trace, or by its name in an accounting log, as 396_4
    #[arg(long, value_name = "JOB")]
    job: String,
    /// Only the pass at this second of the trace's clock, or the last before it
    #[arg(long, value_name = "TIME")]
    at: Option<i64>,
    /// Every pass, not only those where something changed
    #[arg(long, conflicts_with = "at")]
    all: bool,
    /// Also the predicted starts of the job at its submission and every six hours: as the scheduler would have reported
    /// them, by the limits alone, and by the history of waits. Under fair, fast, easy and papers
    #[arg(long, conflicts_with = "at")]
    starts: bool,
    /// Print one JSON object, with every pass
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    trace: &'a str,
    policy: String,
    job: i64,
    user: i64,
    processors: u32,
    limit: i64,
    submit: i64,
    start: i64,
    backfilled: bool,
    #[serde(flatten)]
    points: Option<Points>,
    passes: &'a [Seen],
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<&'a [Prediction]>,
}

impl Explain {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.replay.on_processors()?;
        let choice = self.policy.choice(&self.replay)?;
        self.prob.check(&choice)?;
        if self.replay.seeds.get() > 1 {
            return Err(Failure::Usage("explain replays one seed: choose it with --seed".into()));
        }
        let trace = self.replay.read(&self.trace)?;
        let name = file_name(&self.trace);
        let (rules, workload) = self.replay.workload(&trace, &name)?;
        let workload = workload.shifted(self.replay.seed);
        let named = trace.names.jobs.iter().find(|(_, name)| **name == self.job).map(|(number, _)| *number);
        let number = named.or_else(|| self.job.parse().ok());
        let Some(job) = workload.jobs.iter().find(|job| Some(job.number) == number) else {
            let job = printable(&self.job);
            let message = format!("{name}: no job {job} among the {} replayed", workload.jobs.len());
            return Err(Failure::Usage(message));
        };
        let policy = self.prob.options(&self.replay, &choice)?;
        let options = Options { choice, policy: PolicyOptions { delays_wanted: true, ..policy }, rules };
        if self.starts {
            predicts_starts(&options, &workload)?;
        }
        let bar = output::progress(workload.jobs.len() as u64);
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let mut explained = explain(&name, &workload, &options, self.replay.seed, job.id, &progress)
            .map_err(anyhow::Error::from)?;
        bar.finish_and_clear();

        let predictions =
            self.starts.then(|| self.predictions(&name, &workload, &options, job.id)).transpose()?;
        if let Some(at) = self.at {
            let after = explained.passes.partition_point(|seen| seen.time <= at);
            let Some(pass) = after.checked_sub(1).map(|index| explained.passes.swap_remove(index)) else {
                let job = printable(&self.job);
                let message = format!("job {job} was submitted at {} only", explained.job.submit);
                return Err(Failure::Usage(message));
            };
            explained.passes = vec![pass];
        }
        if self.json {
            output::json(&report(&name, &explained, predictions.as_deref()))?;
            return Ok(());
        }
        let threshold = options.policy.prob.tau;
        let unit = Unit(options.policy.prob.criterion);
        let mut out = io::stdout().lock();
        write!(out, "{}", prose(&Heading(&explained).to_string()))?;
        if self.at.is_none() {
            write!(out, "{}", prose(&Summary(&explained.passes).to_string()))?;
        }
        let passes = &explained.passes;
        let kept: Vec<&Seen> = passes
            .iter()
            .enumerate()
            .filter(|&(index, seen)| {
                self.all || changed(index.checked_sub(1).map(|before| &passes[before]), seen)
            })
            .map(|(_, seen)| seen)
            .collect();
        if let Some(predictions) = &predictions {
            if predictions.is_empty() {
                writeln!(out, "The pass after its submission started it: nothing was predicted.\n")?;
            } else {
                let note = "Reported starts follow those of the jobs of the 14 days before; by start-times and simulate --starts of all before.";
                writeln!(out, "{}\n{note}", starts::predictions(predictions, TableStyle::Terminal))?;
                let mut simplified: Vec<i64> =
                    predictions.iter().filter(|one| one.simplified).map(|one| one.asked).collect();
                simplified.dedup();
                if !simplified.is_empty() {
                    let times = simplified.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                    let note = "by simplified scenarios, as many jobs waited";
                    writeln!(out, "{}", prose(&format!("Asked at {times}: {note}.")))?;
                }
                writeln!(out)?;
            }
        }
        writeln!(out, "{}", table(&explained, &kept, threshold, unit))?;
        if kept.len() < passes.len() {
            writeln!(
                out,
                "{} passes like the one before are left out (--all shows them)",
                passes.len() - kept.len()
            )?;
        }
        Ok(())
    }

    /// The forecasts of the job's start.
    fn predictions(
        &self,
        name: &str,
        workload: &Workload,
        options: &Options,
        job: JobId,
    ) -> Result<Vec<Prediction>, Failure> {
        let bar = output::progress(workload.jobs.len() as u64);
        let progress = |jobs: usize| bar.inc(jobs as u64);
        let predictions = of_job(name, workload, options, job, &progress)?;
        bar.finish_and_clear();
        Ok(predictions)
    }
}

fn report<'a>(trace: &'a str, explained: &'a Explained, predictions: Option<&'a [Prediction]>) -> Report<'a> {
    let job = &explained.job;
    Report {
        trace,
        policy: label(&explained.setup),
        job: job.number,
        user: job.user,
        processors: job.processors,
        limit: job.limit,
        submit: job.submit,
        start: job.start,
        backfilled: job.backfill.is_some(),
        points: explained.points,
        passes: &explained.passes,
        predictions,
    }
}

/// Whether a pass says anything that the one before did not.
fn changed(before: Option<&Seen>, seen: &Seen) -> bool {
    before.is_none_or(|before| (before.why, before.head) != (seen.why, seen.head))
}

/// Seconds as hours, minutes and seconds.
struct Hms(i64);

impl fmt::Display for Hms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:02}:{:02}", self.0 / 3600, self.0 / 60 % 60, self.0 % 60)
    }
}

/// Delays as people read them.
#[derive(Clone, Copy)]
struct Unit(Criterion);

impl Unit {
    fn text(self, value: f64) -> String {
        match self.0 {
            Criterion::Probability | Criterion::Relative => format!("{:.2} %", value * 100.0),
            Criterion::Seconds => format!("{value:.1} s"),
        }
    }
}

struct Heading<'a>(&'a Explained);

impl fmt::Display for Heading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (job, setup) = (&self.0.job, &self.0.setup);
        let (procs, trace) = (setup.procs, &setup.trace);
        writeln!(f, "{trace} on {procs} processors under {}", label(setup))?;
        let (number, processors) = (job.number, job.processors);
        write!(f, "job {number} asked for {processors} processors and {} at {}", Hms(job.limit), job.submit)?;
        write!(f, ", waited {}", Hms(job.start - job.submit))?;
        match job.backfill {
            Some(backfill) => writeln!(f, " and was backfilled ahead of job {}", backfill.head),
            None => writeln!(f, " and started in its turn"),
        }?;
        match self.0.points {
            Some(Points { points, worth_s: Some(worth) }) => {
                writeln!(f, "its {points:.0} points at submission are {:.1} h of age", worth / 3600.0)
            }
            Some(Points { points, worth_s: None }) => writeln!(f, "it had {points:.0} points at submission"),
            None => Ok(()),
        }
    }
}

/// Number of passes by their reason, with the first and the last of each.
struct Summary<'a>(&'a [Seen]);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            Why::TooWide,
            Why::TakenByOthers,
            Why::DelaysHead,
            Why::OverBudget,
            Why::Guarded,
            Why::NotTried,
            Why::Planned,
            Why::Head,
            Why::Started,
        ];
        for why in all {
            let times = || self.0.iter().filter(|seen| seen.why == why).map(|seen| seen.time);
            match (times().count(), times().min(), times().max()) {
                (0, ..) | (_, None, _) | (_, _, None) => {}
                (1, Some(time), _) => writeln!(f, "{:>7} pass: {}, at {time}", 1, why.text())?,
                (count, Some(first), Some(last)) => {
                    writeln!(f, "{count:>7} passes: {}, first at {first}, last at {last}", why.text())?;
                }
            }
        }
        Ok(())
    }
}

fn table(explained: &Explained, passes: &[&Seen], threshold: f64, unit: Unit) -> Grid {
    let titles = ["time", "waited", "head job", "idle", "asked", "verdict", "because"];
    let mut table = Grid::new(titles.map(str::to_owned), 1, false);
    for seen in passes {
        table.add_row([
            seen.time.to_string(),
            Hms(seen.time - explained.job.submit).to_string(),
            seen.head.map_or_else(String::new, |head| head.to_string()),
            seen.idle.to_string(),
            explained.job.processors.to_string(),
            seen.why.text().to_owned(),
            because(seen, explained.job.processors, threshold, unit),
        ]);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if index < 5 { CellAlignment::Right } else { CellAlignment::Left });
    }
    table
}

fn because(seen: &Seen, asked: u32, threshold: f64, unit: Unit) -> String {
    if !seen.starts.is_empty() {
        let start = |start: &HeadStart| {
            let wait = Hms((start.time - seen.time).max(0));
            // A single expected time has no probability beside it.
            if seen.starts.len() == 1 {
                format!("in {wait}")
            } else {
                format!("{} % in {wait}", start.probability * 100.0)
            }
        };
        let starts: Vec<String> = seen.starts.iter().map(start).collect();
        return format!("expected to start: {}", starts.join(", "));
    }
    if let Some(sentence) = &seen.sentence {
        return sentence.clone();
    }
    if let Some(delay) = seen.delay {
        let sign = if seen.why == Why::Started { "<" } else { ">=" };
        let exactness = seen
            .exactness
            .filter(|&exactness| exactness != "exact")
            .map_or_else(String::new, |text| format!("{text} "));
        let spent = seen.spent.map_or_else(String::new, |spent| format!("; spent {}", unit.text(spent)));
        return match seen.why {
            Why::OverBudget => format!("delay {exactness}{}{spent}", unit.text(delay)),
            _ => format!("delay {exactness}{} {sign} {}{spent}", unit.text(delay), unit.text(threshold)),
        };
    }
    if let (Some(end), Some(shadow), Some(extra)) = (seen.predicted_end, seen.shadow, seen.extra) {
        if end <= shadow {
            return format!("ends at {end}, not after the head's start at {shadow}");
        }
        let sign = if asked <= extra { "<=" } else { ">" };
        return format!(
            "ends at {end}, after the head's start at {shadow}; {asked} {sign} {extra} left over then"
        );
    }
    String::new()
}
