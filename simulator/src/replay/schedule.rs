//! The schedule of one replay, job by job, as SWF or CSV, for another program to check or redo the figures.
//!
//! Both begin with the version and every option that decided the schedule.

use crate::replay::outcome::Outcome;
use crate::replay::policy::name_of;
use crate::replay::run::Options;
use crate::trace::swf::{SwfJob, write_header, write_job};
use crate::trace::workload::Workload;
use std::collections::BTreeMap;
use std::io::{self, Write};
use surefill::engine::LEVELS;

/// `key, value` of everything that decided the schedule.
fn header(outcome: &Outcome, options: &Options) -> Vec<(&'static str, String)> {
    let setup = &outcome.setup;
    let prob = &options.policy.prob;
    let rules = &options.rules;
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
    vec![
        ("surefill", env!("CARGO_PKG_VERSION").to_owned()),
        ("trace", setup.trace.clone()),
        ("policy", name_of(setup.policy)),
        ("predictor", name_of(setup.predictor)),
        ("order", setup.order.to_string()),
        ("tau", prob.tau.to_string()),
        ("delay", name_of(setup.delay)),
        ("criterion", name_of(setup.criterion)),
        ("events-per-bin", prob.events_per_bin.to_string()),
        ("slip", or_none(prob.slip.map(|slip| slip.to_string()))),
        ("guard", prob.guard.to_string()),
        ("or-easy", prob.or_easy.to_string()),
        ("budget", or_none(prob.budget.map(|budget| budget.to_string()))),
        ("calibrate", name_of(prob.calibrate)),
        ("refresh", prob.refresh.to_string()),
        ("hmm-floor", prob.hmm_floor.to_string()),
        ("first-edge", prob.first_edge_s.to_string()),
        ("ratio", prob.ratio.to_string()),
        ("overrun", name_of(setup.overrun)),
        ("overdue", name_of(options.policy.overdue)),
        ("missing-processors", name_of(rules.missing_processors)),
        ("procs", setup.procs.to_string()),
        ("limit-jobs", or_none(rules.limit_jobs.map(|jobs| jobs.to_string()))),
        ("nodes", or_none(rules.nodes.as_ref().map(|nodes| nodes.to_string()))),
        (
            "fit",
            or_none(rules.nodes.as_ref().map(|nodes| {
                nodes.fit.map_or_else(
                    || "best, sparing where the plan decides".to_owned(),
                    |fit| format!("{fit:?}").to_lowercase(),
                )
            })),
        ),
        ("width", name_of(rules.width)),
        ("estimates", or_none(rules.estimates.map(|factor| factor.to_string()))),
        ("shared", or_none(prob.shared.map(|share| share.to_string()))),
        ("seed", setup.seed.to_string()),
    ]
}

/// Writes the schedule in the Standard Workload Format: waits and run times are those of the replay, the requested time
/// is the limit after the overrun rule, the rest is the trace's. `workload` is the one replayed, with its seed.
///
/// # Errors
/// Those of the writer.
pub fn write_swf(
    out: &mut impl Write,
    outcome: &Outcome,
    workload: &Workload,
    options: &Options,
) -> io::Result<()> {
    write_header(out, "Version", "2.2")?;
    write_header(out, "MaxJobs", &outcome.jobs.len().to_string())?;
    write_header(out, "MaxRecords", &outcome.jobs.len().to_string())?;
    write_header(out, "MaxProcs", &outcome.setup.procs.to_string())?;
    if let Some(time) = workload.unix_start_time {
        write_header(out, "UnixStartTime", &time.to_string())?;
    }
    for (key, value) in header(outcome, options) {
        write_header(out, "Note", &format!("{key} {value}"))?;
    }
    for (record, job) in outcome.jobs.iter().zip(&workload.jobs) {
        write_job(
            out,
            &SwfJob {
                number: record.number,
                submit: record.submit,
                wait: record.start - record.submit,
                run_time: record.end - record.start,
                processors: record.processors,
                requested_time: record.limit,
                status: job.status,
                user: job.user,
                group: job.group,
                executable: job.executable,
                queue: job.queue,
                partition: job.partition,
            },
        )?;
    }
    Ok(())
}

/// Reported predictions of starts, by the jobs' numbers.
pub struct Expected<const SPANS: usize> {
    /// The predictor of run times that the queue was played forward with.
    pub predicted_by: String,
    /// Seconds within which starts have the reported probabilities.
    pub within: [i64; SPANS],
    /// The starts at each of [`LEVELS`], in seconds on the trace's clock, and the probabilities.
    pub jobs: BTreeMap<i64, ([i64; LEVELS.len()], [f64; SPANS])>,
}

/// Writes the schedule as comma-separated values after `#` lines; `predicted` and `observed_delay` are empty for jobs
/// that were no backfills. With expected starts of jobs, further fields have these, empty for the others.
///
/// # Errors
/// Those of the writer.
pub fn write_csv<const SPANS: usize>(
    out: &mut impl Write,
    outcome: &Outcome,
    options: &Options,
    expected: Option<&Expected<SPANS>>,
) -> io::Result<()> {
    for (key, value) in header(outcome, options) {
        writeln!(out, "# {key}: {}", value.replace(['\n', '\r'], " "))?;
    }
    if let Some(expected) = expected {
        writeln!(out, "# predicted_by: {}", expected.predicted_by)?;
    }
    write!(
        out,
        "number,user,submit,start,end,processors,limit,run_time,backfilled,predicted,observed_delay"
    )?;
    if let Some(expected) = expected {
        for level in LEVELS {
            write!(out, ",expected_at_{level}")?;
        }
        for within in expected.within {
            write!(out, ",probability_within_{within}")?;
        }
    }
    writeln!(out)?;
    for job in &outcome.jobs {
        let run_time = job.end - job.start;
        write!(out, "{},{},{},{},{},", job.number, job.user, job.submit, job.start, job.end)?;
        write!(out, "{},{},{run_time},", job.processors, job.limit)?;
        match job.backfill {
            Some(backfill) => write!(out, "1,{},{}", backfill.predicted, backfill.observed_delay)?,
            None => write!(out, "0,,")?,
        }
        match expected.map(|expected| expected.jobs.get(&job.number)) {
            Some(Some((starts, chances))) => {
                for start in starts {
                    write!(out, ",{start}")?;
                }
                for chance in chances {
                    write!(out, ",{chance:.3}")?;
                }
            }
            Some(None) => write!(out, "{}", ",".repeat(LEVELS.len() + SPANS))?,
            None => {}
        }
        writeln!(out)?;
    }
    Ok(())
}
