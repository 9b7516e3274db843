//! Options that `predict-wait` and `serve` share: the history, and the predictor that sees it.

use super::Failure;
use super::args::probability;
use super::args::source::{Source, notes};
use crate::live::history::{self, History};
use crate::live::methods::{By, Method};
use crate::live::site::{Present, Refused, Site, SiteOptions};
use crate::live::starts::Starts;
use crate::trace::remarks::complaints;
use anyhow::Context;
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Text at the end of the help of both verbs.
pub(super) const HISTORIES: &str = "\
A history is a trace or accounting log in any format that import reads, compressed or not, or a table with a line of names,
then a line a job, fields between '|'. Slurm prints it:

    export SLURM_TIME_FORMAT=%s
    sacct -a -X -P -S now-30days -s BF,CA,CD,DL,F,NF,OOM,PR,TO,R,PD \\
        -o JobID,Submit,Start,End,TimelimitRaw,ReqCPUS,Partition,State

or, without what is over and so of little use alone,

    squeue -a -o '%i|%V|%S|%l|%C|%P|%t'

Names may stand in any order, also as CSV or JSON lines: Submit (SUBMIT_TIME), Start (START_TIME), and where there are JobID, TimelimitRaw in minutes or
Timelimit (TIME_LIMIT) as [days-]hours:minutes:seconds, ReqCPUS (AllocCPUS, NCPUS, CPUS), Partition, State (ST), End
(END_TIME). Times are seconds of any clock, or dates as 2024-05-01T10:00:00, which are taken as they stand. A job in state
PENDING waits; a cancelled one that never started was in the queue until its End, or is left out.

The present is this computer's clock, so that a history that ended long ago is out of date; --now end asks as of its last
event. Times that count from a beginning of their own (those of SWF without UnixStartTime) have no clock: there the present is
the last of them. Nothing is predicted from a history that is out of date: one whose newest submission, start or cancellation
is older than a day, and older than the longest gap between two of these in its last four weeks.";

/// The starts that are predicted in a file.
pub(super) fn predicted(path: &Path) -> Result<Starts, Failure> {
    let name = || path.display().to_string();
    let text = std::fs::read(path).with_context(name)?;
    Ok(Starts::read(&text).with_context(name)?)
}

/// The history and its predictor.
#[derive(Debug, Clone, Args)]
pub struct PredictorArgs {
    /// The history: a trace or a table; - is standard input
    #[arg(value_name = "HISTORY", default_value = "-")]
    pub history: PathBuf,
    #[command(flatten)]
    source: Source,
    /// All queues as one
    #[arg(long, help_heading = "Predictor")]
    one_queue: bool,
    /// The quantile of the wait that is bounded
    #[arg(long, value_name = "Q", default_value_t = 0.95, value_parser = probability, help_heading = "Predictor")]
    quantile: f64,
    /// The confidence of the bound
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = probability, help_heading = "Predictor")]
    confidence: f64,
    /// The method; of several, every queue takes the one whose bounds have been tightest in its history, of those that
    /// held as often as they should
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "binomial",
        help_heading = "Predictor"
    )]
    method: Vec<Method>,
    /// Bounds do not rest on the jobs that came into a like situation, but on the paper's history: trimmed, and
    /// clustered. So they do with any --method but binomial
    #[arg(long, help_heading = "Predictor")]
    no_visible: bool,
    /// Attribute that jobs are clustered by [default: requested]; best: at each clustering the one that explains the
    /// waits known by then best. Needs --no-visible, or another method
    #[arg(long, value_enum, help_heading = "Predictor")]
    by: Option<By>,
    /// Bounds do not follow their own misses
    #[arg(long, help_heading = "Predictor")]
    no_adapt: bool,
    /// Histories are not trimmed at change points; needs --no-visible, or another method
    #[arg(long, help_heading = "Predictor")]
    no_trim: bool,
    /// Jobs are not clustered; needs --no-visible, or another method
    #[arg(long, help_heading = "Predictor")]
    no_cluster: bool,
    /// There is a bound even when the machine may be down. It may be where times between starts, or jobs between them,
    /// exceed the bound of their .999 quantile, which 2,995 starts make known; on shorter histories that of the .99
    /// quantile (from 299 starts on), or of the .95 quantile
    #[arg(long, help_heading = "Predictor")]
    no_availability: bool,
    /// The present: seconds, a date, "clock" for this computer's, in its time zone where the history has dates, or
    /// "end" for the last time in the history [default: clock where the history's times are dates or seconds since
    /// 1970, else end]
    #[arg(long, value_name = "TIME", help_heading = "Predictor")]
    now: Option<Present>,
}

/// A time on the history's clock.
pub(super) fn moment(text: &str) -> Result<i64, String> {
    history::time(text)?.ok_or_else(|| "not a time".to_owned())
}

impl PredictorArgs {
    /// Whether the history is standard input, which can be read only once.
    pub fn is_stdin(&self) -> bool {
        self.history == Path::new("-")
    }

    /// The present where it moves on with this computer's clock.
    pub fn clock(&self, site: &Site) -> Option<i64> {
        Present::moving(self.now, site.age().last, site.dates())
    }

    /// The present, if a time was given for it.
    pub fn fixed(&self) -> Option<i64> {
        match self.now {
            Some(Present::At(now)) => Some(now),
            _ => None,
        }
    }

    fn read(&self) -> Result<History, Failure> {
        let (name, bytes) = if self.is_stdin() {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
            ("standard input".to_owned(), bytes)
        } else {
            let name = self.history.display().to_string();
            let bytes = std::fs::read(&self.history).with_context(|| name.clone())?;
            (name, bytes)
        };
        let history = history::read_as(&bytes, &name, &self.source.reading())?;
        for sentence in complaints(&name, &history.problems) {
            eprintln!("warning: {sentence}");
        }
        notes(&name, &history.remarks);
        self.source.enough(&name, history.entries.len(), &history.problems)?;
        Ok(history)
    }

    fn options(&self) -> SiteOptions {
        SiteOptions {
            one_queue: self.one_queue,
            quantile: self.quantile,
            confidence: self.confidence,
            methods: self.method.clone(),
            no_visible: self.no_visible,
            by: self.by,
            no_adapt: self.no_adapt,
            no_trim: self.no_trim,
            no_cluster: self.no_cluster,
            no_availability: self.no_availability,
        }
    }

    /// Reads the history and shows it to the predictors.
    ///
    /// # Errors
    /// A history that cannot be read, or has more than the predictors hold.
    pub fn site(&self) -> Result<Site, Failure> {
        let options = self.options();
        options.check().map_err(|refused| match refused {
            Refused::Unused(option) => {
                let written = format!("--{}", option.replace('_', "-"));
                let why = refused.to_string().replacen(option, &written, 1);
                Failure::Usage(format!("{why}: add --no-visible"))
            }
            other => Failure::Usage(other.to_string()),
        })?;
        let history = self.read()?;
        Ok(options.site(&history, self.now).with_context(|| self.history.display().to_string())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// Arguments that `predict-wait` and `serve` share.
    #[derive(Parser)]
    struct Both {
        #[command(flatten)]
        predictor: PredictorArgs,
    }

    #[test]
    fn defaults_are_the_sites() {
        assert_eq!(Both::parse_from(["surefill"]).predictor.options(), SiteOptions::default());
    }
}
