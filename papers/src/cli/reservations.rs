//! `surefill-papers reservations`: how well virtual reservations are met.

use crate::report::reservations;
use crate::studies::reservations::{Wish, study};
use anyhow::Context;
use clap::Args;
use std::io;
use std::path::PathBuf;
use surefill_simulator::base::span::span;
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::args::probability;
use surefill_simulator::cli::options::{PolicyArgs, ProbArgs, ReplayOptions, file_name};
use surefill_simulator::cli::output;
use surefill_simulator::replay::run::Options;
use surefill_simulator::report::TableStyle;

/// Text at the end of `reservations --help`.
pub(crate) const HELP: &str = "\
A virtual reservation (section 5 of Nurmi, Brevik & Wolski 2007) is a submission in time: a job is to have started by a time
with a probability, and is held back until the bound of its wait says that it must be submitted. predict-wait --start-by asks
for one.

After a tenth of the jobs, for training, every --each-th job of the trace becomes a reservation, made when the job was
submitted in the trace, for a start within the lead. It is accepted if the bound with .95 confidence, of the probability as
quantile, fits the lead; then the bound is asked for every 10 minutes, and the job submitted when at the next time it would be
too late. The bounds are the library's default and know a replay without the reserved jobs; whether these start in time is
seen in a replay with them. Met if submitted at once: the same jobs in a replay of the trace as it is.";

/// Options of `reservations`.
#[derive(Debug, Args)]
pub struct Reservations {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// From a reservation to the time by which its job is to have started
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "6h,1d,3d", value_parser = span, help_heading = "Reservations")]
    lead: Vec<i64>,
    /// With what probability it is to have started
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.5,0.75,0.95", value_parser = probability, help_heading = "Reservations")]
    probability: Vec<f64>,
    /// Number of jobs, one of which is reserved
    #[arg(long, value_name = "N", default_value_t = 50, help_heading = "Reservations",
          value_parser = clap::value_parser!(u32).range(2..))]
    each: u32,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Print one JSON list instead of a table
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    /// Print the table as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    prob: ProbArgs,
}

impl Reservations {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let choice = self.policy.choice(&self.replay)?;
        self.prob.check(&choice)?;
        if self.replay.seeds.get() > 1 {
            return Err(Failure::Usage("reservations replays one seed: choose it with --seed".to_owned()));
        }
        self.replay.on_processors()?;
        let wish = |lead_s| self.probability.iter().map(move |&probability| Wish { lead_s, probability });
        let wishes: Vec<Wish> = self.lead.iter().flat_map(|&lead| wish(lead)).collect();
        let mut studies = Vec::new();
        for path in &self.traces {
            let trace = self.replay.read(path)?;
            let name = file_name(path);
            let (rules, workload) = self.replay.workload(&trace, &name)?;
            let workload = workload.shifted(self.replay.seed);
            let options = Options { choice, policy: self.prob.options(&self.replay, &choice)?, rules };
            let found = study(&name, &workload, &options, &wishes, self.each as usize);
            studies.push(found.with_context(|| name.clone())?);
        }
        if self.json {
            output::json(&studies)?;
        } else {
            let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
            output::say(&mut io::stdout().lock(), &reservations::table(&studies, style))?;
        }
        Ok(())
    }
}
