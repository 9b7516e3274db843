//! `surefill predict-wait`: one answer about one job, for the scripts of sites.

use super::Failure;
use super::args::probability;
use super::output;
use super::predictor::{PredictorArgs, moment, predicted};
use crate::base::span::span;
use crate::base::words::counted;
use crate::live::methods::Method;
use crate::live::site::{Answer, AskError, Question, Reservation, Verdict};
use crate::live::starts::Starts;
use crate::report::waiting::{self, duration, out_of_date};
use clap::Args;
use std::io;
use std::path::PathBuf;

/// Text at the end of `predict-wait --help`.
pub(super) fn help() -> String {
    format!(
        "{}\n\nFor example, when will a job of 2 hours on 64 processors start, and does it within 30 minutes?\n\n    \
         sacct ... | surefill predict-wait --queue batch --requested 2h --processors 64 --within 30min\n\n\
         And when must it be submitted to have started by noon with probability 75 %?\n\n    \
         sacct ... | surefill predict-wait --queue batch --requested 2h --processors 64 \\\n    \
             --start-by $(date -d 12:00 +%s) --probability 0.75\n\n\
         Exit status: 0 an answer (too little history, and a machine that may be down, are answers), 1 the work failed,\n\
         2 bad usage.",
        super::predictor::HISTORIES
    )
}

/// Options of `predict-wait`.
#[derive(Debug, Args)]
pub struct PredictWait {
    #[command(flatten)]
    predictor: PredictorArgs,
    /// The queue; not needed where there is only one
    #[arg(long, value_name = "NAME", help_heading = "Job")]
    queue: Option<String>,
    /// A job of the history that waits: its features and how long it has waited
    #[arg(long, value_name = "ID", conflicts_with_all = ["requested", "processors", "waited"], help_heading = "Job")]
    job: Option<String>,
    /// Predicted starts of waiting jobs (advise --json): if --job is among them, its predicted start is the answer,
    /// unless it is older than a day
    #[arg(long, value_name = "FILE", requires = "job", help_heading = "Job")]
    starts: Option<PathBuf>,
    /// The requested time: seconds, or with a unit (90s, 40min, 6h, 3d)
    #[arg(long, value_name = "DURATION", value_parser = span, default_value = "0", help_heading = "Job")]
    requested: i64,
    /// The processors
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Job")]
    processors: u32,
    /// Time for which it has waited
    #[arg(long, value_name = "DURATION", value_parser = span, default_value = "0", help_heading = "Job")]
    waited: i64,
    /// With what probability does it start within this time from now?
    #[arg(long, value_name = "DURATION", value_parser = span, help_heading = "Job")]
    within: Option<i64>,
    /// When to submit the job so that it has started by this time: seconds, or a date, on the history's clock. A
    /// program that asks again every few minutes, and submits when the answer is now, holds a virtual reservation
    #[arg(long, value_name = "TIME", help_heading = "Job", conflicts_with_all = ["job", "waited"], value_parser = moment)]
    start_by: Option<i64>,
    /// With what probability it is to have started by then [default: the quantile]
    #[arg(long, value_name = "P", help_heading = "Job", requires = "start_by", value_parser = probability)]
    probability: Option<f64>,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl PredictWait {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut site = self.predictor.site()?;
        let question = Question {
            queue: self.queue,
            job: self.job,
            requested: self.requested,
            processors: self.processors,
            waited: self.waited,
            within: self.within,
            quantile: self.probability,
            start_by: self.start_by,
            ..Question::default()
        };
        let starts = self.starts.as_deref().map(predicted).transpose()?;
        let answer = match site.ask(&question) {
            Ok(answer) => answer,
            Err(error @ (AskError::NoQueue(..) | AskError::WhichQueue(_) | AskError::NoJob(..))) => {
                return Err(Failure::Usage(error.to_string()));
            }
            Err(error) => return Err(error.into()),
        };
        let answer = match starts.as_ref().zip(question.job.as_deref()) {
            Some((starts, job)) => predicted_start(answer, starts, job, question.within),
            None => answer,
        };
        if self.json {
            output::json(&answer)?;
        } else {
            output::say(&mut io::stdout().lock(), &sentence(&answer, site.dates()))?;
        }
        Ok(())
    }
}

/// The answer by the start predicted for a job, if that is known; a note where it is not. Its age is how much longer
/// the job has waited by now, as the clocks of histories and forecasts may differ.
fn predicted_start(answer: Answer, starts: &Starts, job: &str, within: Option<i64>) -> Answer {
    let Some(start) = starts.of(job) else {
        eprintln!("note: --starts has no start of job {job}: the answer rests on the history");
        return answer;
    };
    let ago = answer.waited_s - start.waited;
    let answer = answer.predicted(start, ago, within);
    if answer.answer != Verdict::Forecast {
        eprintln!(
            "note: the start predicted for job {job} is out of date, or not for this quantile: the answer rests on the history"
        );
    }
    answer
}

/// The answer in words; `wall` where times are dates as a clock on the wall shows them.
fn sentence(answer: &Answer, wall: bool) -> String {
    let Answer { quantile, confidence, waited_s, bound_s, from_now_s, .. } = answer;
    let percent = |share: f64| format!("{} %", (share * 1e4).round() / 100.0);
    let by = match answer.method {
        None | Some(Method::Binomial) => String::new(),
        Some(method) => format!(" (by a {} fit)", method.name()),
    };
    let who = match waited_s {
        0 => "jobs like this one".to_owned(),
        waited => format!("jobs like this one that waited {}", duration(*waited as f64)),
    };
    let bound = match (answer.answer, bound_s, from_now_s) {
        (Verdict::Bound, Some(bound), Some(from_now)) => format!(
            "With {} confidence {} of {who} start within {bound} s ({}) of their submission, {from_now} s from now{by}. It rests on {}.",
            percent(confidence.unwrap_or_default()),
            percent(*quantile),
            duration(*bound as f64),
            counted(answer.like.waits, "wait", "waits")
        ),
        (Verdict::Forecast, Some(bound), Some(from_now)) => format!(
            "By the scheduler's rule played forward the job starts with probability {} within {from_now} s ({}), {bound} \
             s from its submission.",
            percent(*quantile),
            duration(*from_now as f64)
        ),
        (Verdict::Forecast, ..) => "No start is predicted with this probability.".to_owned(),
        (Verdict::MayBeDown, ..) => {
            "No job has been started for so long, or while so many came, that the machine may be down: no prediction."
                .to_owned()
        }
        (Verdict::Exceeded, ..) => {
            "More jobs wait than ever did before, or like ones wait already for longer than past ones: the past does not say when \
             this one starts."
                .to_owned()
        }
        (Verdict::OutOfDate, ..) => format!(
            "The history is out of date: {}. No prediction.",
            out_of_date(&answer.history)
        ),
        _ if *waited_s > 0 => format!("Too few waits of {who} are known: no prediction."),
        _ => format!("Too few waits of {who} are known ({}): no prediction.", answer.like.waits),
    };
    let start = answer.start.map(|start| match start.at_least {
        None => format!(
            "\nWithin {} it starts with probability {}.",
            duration(start.within_s as f64),
            percent(start.probability)
        ),
        Some(at_least) => format!(
            "\n{} of {} such jobs started within {} from there; with {} confidence it is at least {}.",
            percent(start.probability),
            start.waits,
            duration(start.within_s as f64),
            percent(confidence.unwrap_or_default()),
            percent(at_least)
        ),
    });
    let reservation = answer.reservation.map(|reservation| {
        let Reservation { start_by, submit_by, from_now_s, probability_now } = reservation;
        let share = percent(*quantile);
        let moment = |time| waiting::moment(time, wall);
        let (start_by, submit_by) = (moment(start_by), submit_by.map(moment));
        let when = match (submit_by, from_now_s) {
            (Some(submit_by), Some(left)) if left > 0 => format!(
                "Submitted by {submit_by}, {} from now, the job has started by {start_by} with probability {share}, \
                 as the queue is at present",
                duration(left as f64)
            ),
            (Some(_), Some(0)) => format!("Submit now to have started by {start_by} with probability {share}"),
            _ => {
                let sure = percent(confidence.unwrap_or_default());
                format!("No start by {start_by} can be promised with probability {share} and {sure} confidence any more")
            }
        };
        format!("\n{when}; {} of like jobs started within the time that is left.", percent(probability_now))
    });
    let beyond: String = answer.warnings.iter().map(|warning| format!("\nBut {warning}.")).collect();
    format!("{bound}{}{}{beyond}", start.unwrap_or_default(), reservation.unwrap_or_default())
}
