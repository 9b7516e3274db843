//! `surefill-papers wait-bounds`: how well bounds on waiting times hold.

use super::PROGRAM;
use crate::report::waits::{self as tables, View};
use crate::studies::waits::machine::MachineHistory;
use crate::studies::waits::study::{Options, Plan, Study};
use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use surefill::wait::{AVAILABILITY, CLUSTER, MAX_CLUSTERS, TRIM, WaitOptions};
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::args::probability;
use surefill_simulator::cli::args::source::Source;
use surefill_simulator::cli::options::file_name;
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{self, Invocation, Shard};
use surefill_simulator::live::methods::{By, Method};
use surefill_simulator::live::queues::queues;
use surefill_simulator::live::site::check_bound;
use surefill_simulator::report::{TableStyle, study_page};

/// Text at the end of `wait-bounds --help`.
pub(crate) const HELP: &str = "\
The simulation is that of Nurmi, Brevik & Wolski 2007 (QBETS), section 4.2. Jobs come in order of submission; each gets an
upper bound, with the confidence, for the quantile of its wait; its own wait becomes known only when it ends. The first tenth
of a queue's jobs is training: their bounds are not judged. A job that was cancelled before it started is not
judged, and nothing is learnt of it. A job without a bound, because too few waits are known or because the machine may
be down, is counted apart.

Correctness is the share of bounds that held; a method is correct from the quantile on. Accuracy is the binomial method's root
mean square over-prediction (of the bounds that held) over the method's own: larger is tighter. Only correct methods compare.

Two experiments, as in the paper's Tables 1 and 2: every method alone, then with history trimming, clusters and availability.
Beyond the paper: which attribute explains waits best, and, with --table by, bounds by the attribute that is chosen at each
clustering because it explains best (--by best), beside those by each; bounds that follow their own misses (--rate), with every method, with
the components and from all waits (what --no-visible --no-trim --no-cluster make of predict-wait and serve), beside the
tightest of the paper's predictors; the library's default, whose bounds rest on the jobs that came into a like situation, with
its coverage by class; the method that a queue's first half would choose for the second; bounds for jobs that have waited for
a while; probabilities of starting in time. Queues of CTC SP2 and SDSC Blue that the paper has stand beside its rows; traces
are recognised by the start of their file names.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options of `wait-bounds`.
#[derive(Debug, Args)]
pub struct WaitBounds {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Run one shard of N, some of the traces, and print its part as JSON, for merge; "array" takes I and N from the
    /// Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, conflicts_with_all = ["html", "markdown", "table"])]
    shard: Option<Shard>,
    /// Every queue for itself
    #[arg(long)]
    by_queue: bool,
    /// The quantile that is bounded
    #[arg(long, value_name = "Q", default_value_t = 0.95, value_parser = probability)]
    quantile: f64,
    /// The confidence of the bounds
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = probability)]
    confidence: f64,
    /// The methods [default: all]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    method: Option<Vec<Method>>,
    /// The library's default alone, without the paper's predictors
    #[arg(long, conflicts_with = "method")]
    default_only: bool,
    /// The default knows the machine at every moment: free processors, and who waits in all queues
    #[arg(long)]
    machine: bool,
    /// Attribute that jobs are clustered by
    #[arg(long, conflicts_with = "default_only", value_enum, default_value = "requested")]
    by: By,
    /// Histories are not trimmed at change points
    #[arg(long, help_heading = "Components")]
    no_trim: bool,
    /// Jobs are not clustered
    #[arg(long, help_heading = "Components")]
    no_cluster: bool,
    /// There is a bound even when the machine may be down
    #[arg(long, help_heading = "Components")]
    no_availability: bool,
    /// Quantile bounded by the detectors of a machine that is down (the paper: .95)
    #[arg(long, value_name = "Q", default_value_t = WaitOptions::default().down_quantile, value_parser = probability, help_heading = "Components")]
    down_quantile: f64,
    /// The largest number of clusters
    #[arg(long, value_name = "N", default_value_t = MAX_CLUSTERS as u32, value_parser = clap::value_parser!(u32).range(1..=MAX_CLUSTERS as i64), help_heading = "Components")]
    clusters: u32,
    /// Jobs are clustered again after this number of waits
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Components")]
    recluster: u32,
    /// Bounds that follow their own misses, at these rates [default: the library's]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = rate, help_heading = "Components")]
    rate: Option<Vec<f64>>,
    /// The part of a queue's jobs that is training
    #[arg(long, value_name = "PART", default_value_t = 0.1, value_parser = probability, help_heading = "Trace")]
    training: f64,
    /// Queues with fewer jobs are left out
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Trace")]
    min_jobs: usize,
    /// Wrong lines in a trace are fatal
    #[arg(long, help_heading = "Trace")]
    strict: bool,
    #[command(flatten)]
    source: Source,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with_all = ["markdown", "table"], help_heading = "Output")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
    /// Tables to print [default: all but by]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", help_heading = "Output")]
    table: Option<Vec<View>>,
    /// Write a self-contained page with waits and bounds over time
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
}

fn rate(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| *value > 0.0 && *value <= 1.0);
    value.ok_or_else(|| "not a number above 0 and up to 1".to_owned())
}

#[derive(Serialize)]
struct Studies<'a> {
    surefill: &'static str,
    options: &'a Options,
    by_queue: bool,
    traces: &'a [Study],
}

impl WaitBounds {
    pub(crate) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        output::check_page(self.html.as_deref())?;
        check_bound(self.quantile, self.confidence).map_err(|refused| Failure::Usage(refused.to_string()))?;
        let options = self.options();
        let study = |path: &PathBuf| {
            let name = file_name(path);
            let trace = self.source.read(path, self.strict)?;
            let plan =
                Plan::new(&name, queues(&trace, self.by_queue), &options).on(MachineHistory::of(&trace));
            let bar = output::progress_of(plan.steps(), &format!("jobs of {name}"));
            let study = plan.run(&|jobs| bar.inc(jobs));
            bar.finish_and_clear();
            let mut study = study.with_context(|| name.clone())?;
            if self.html.is_none() {
                study.queues.iter_mut().for_each(|queue| queue.drawn = Default::default());
            }
            Ok(study)
        };
        let compute = |paths: &[PathBuf]| paths.iter().map(study).collect();
        let studies = shard::of_traces("wait-bounds", self.shard, invocation, &self.traces, compute)?;
        let Some(studies) = studies else { return Ok(()) };
        let studies: Vec<Study> = studies.into_iter().map(Study::with_published).collect();
        if studies.iter().all(|study| study.queues.is_empty()) {
            return Err(anyhow!(tables::nothing(&studies, self.min_jobs)).into());
        }
        if let Some(path) = &self.html {
            let sections: Vec<_> = studies.iter().map(|study| tables::section(study, &options)).collect();
            output::write_page(
                path,
                &study_page(
                    "Bounds on waiting times",
                    &sections,
                    crate::report::sources::WAITS,
                    &output::made(PROGRAM),
                ),
            )?;
        }
        if self.json {
            let surefill = env!("CARGO_PKG_VERSION");
            output::json(&Studies {
                surefill,
                options: &options,
                by_queue: self.by_queue,
                traces: &studies,
            })?;
            return Ok(());
        }
        let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
        let views = self.table.as_deref().unwrap_or(&View::ALL);
        let mut out = io::stdout().lock();
        for (title, table) in tables::tables(&studies, &options, views, style) {
            output::say(&mut out, &title)?;
            writeln!(out, "\n{table}\n")?;
        }
        for study in &studies {
            output::say(&mut out, &tables::remarks(study))?;
        }
        Ok(())
    }

    fn options(&self) -> Options {
        let parts = [(TRIM, self.no_trim), (CLUSTER, self.no_cluster), (AVAILABILITY, self.no_availability)];
        Options {
            quantile: self.quantile,
            confidence: self.confidence,
            methods: self.method.clone().unwrap_or_else(|| Method::ALL.to_vec()),
            by: self.by,
            components: parts.into_iter().filter(|(_, off)| !off).map(|(part, _)| part).sum(),
            rates: self.rate.clone().unwrap_or_else(|| vec![WaitOptions::default().rate]),
            down_quantile: self.down_quantile,
            recluster_every: self.recluster,
            clusters: self.clusters,
            training: self.training,
            min_jobs: self.min_jobs,
            default_only: self.default_only,
            machine: self.machine,
            by_attribute: self.table.as_ref().is_some_and(|views| views.contains(&View::By)),
        }
    }
}
