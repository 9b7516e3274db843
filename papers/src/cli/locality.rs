//! `surefill-papers locality`: how much run times can be learnt from submit times and users.

use super::PROGRAM;
use crate::report::locality as tables;
use crate::studies::locality::ageing::{self, Clock, Known};
use crate::studies::locality::binning::Binning;
use crate::studies::locality::sample::Attribute;
use crate::studies::locality::study::{Options, Plan, Study};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use surefill_simulator::base::span;
use surefill_simulator::base::words::several;
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::args::source::Source;
use surefill_simulator::cli::options::file_name;
use surefill_simulator::cli::output;
use surefill_simulator::cli::shard::{self, Invocation, Shard};
use surefill_simulator::report::{TableStyle, study_page};
use surefill_simulator::trace::workload::{MissingProcessors, Rules, Workload};

/// Text at the end of `locality --help`.
pub(crate) const HELP: &str = "\
The metric, in bits, is that of Nissimov 2006, chapter 2: the mutual information of binned run times R and their groups S
(bins of t_s of submit time from second 0 of the trace's clock, users, or both), less what shuffled run times R' have:

    f = I(S;R) - E[I(S;R')]

Run times (0 s counts as 1 s) are binned in logarithmic space: simple, bin floor(log R / log t_r); kmeans, Algorithm 2 of the
thesis with N means. N is the number of bins up to the longest run time. The expectation over all shuffles has a closed form
(cells are hypergeometric), which the search uses; the best granularity and the thesis's are measured by --shuffles too,
with the standard deviation of one shuffle. Without --ts, --tr and --means the search looks at a logarithmic grid (t_s from
one minute, t_r from 1.001, N from 2) and then closely along lines through its four best local maxima; ratios are multiples
of 0.0001, slots whole seconds. What is within 1 % of the best says how well determined it is.

With --thresholds: what submit times tell of whether a job runs for longer than a threshold, and the t_s that is best for
that (section 2.2 expects it to be shorter), among sixteen to a doubling, by the closed form.

f(s; r|u) is what submit times add to users: as in the thesis's Table 2.3 (best less best), at the same t_r, and with run
times shuffled within each user only.

Ageing (section 3.5.1's open question): each user's next run-time bin is predicted from the user's earlier jobs that are
known (--known), each weighing alpha^age, the age in the user's jobs known since or in hours since it was known; P(b) = (W_b + c P0(b)) / (W + c) backs off to what all users' known jobs
had (P0, half a job added to every bin). Each user's own alpha is the one with the highest likelihood; gains are in bits a
job, as fitted and on the later half of every user's jobs, fitted to the earlier half.

Jobs of unknown run time or without processors are dropped, as in the thesis (field 8 does not stand in for field 5 unless
--missing-processors requested). Jobs of unknown users are left out where users matter. Traces are recognised as the
thesis's by the start of their file names.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options of `locality`.
#[derive(Debug, Args)]
pub struct Locality {
    /// The traces: any format that import reads; - is standard input
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Run one shard of N, some of the traces, and print its part as JSON, for merge; "array" takes I and N from the
    /// Slurm job array whose task this is
    #[arg(long, value_name = "I/N", value_parser = shard::shard, conflicts_with_all = ["html", "markdown"])]
    shard: Option<Shard>,
    /// From what run times are learnt
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", default_value = "time,user,both")]
    by: Vec<Attribute>,
    /// Binning of run times [default: simple, and kmeans too by time]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    binning: Option<Vec<Binning>>,
    /// The slot length t_s: seconds, or with a unit (90s, 40min, 6h, 3d, 1w) [default: searched for]
    #[arg(long, value_name = "DURATION", value_parser = span::positive)]
    ts: Option<i64>,
    /// The ratio t_r of run-time bins, from 1.001 to 1000 [default: searched for]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    tr: Option<f64>,
    /// The number N of means of k-means [default: searched for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    means: Option<u32>,
    /// Thresholds of the run time, with units (10min, 1h): two bins in place of many, up to the threshold and above it,
    /// and the slots that are best for these, by submit time
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = span::positive)]
    thresholds: Vec<i64>,
    /// Shuffles at the best granularity and the thesis's
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    shuffles: u32,
    /// Seed of the first shuffle; every further one has the next
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// The closed form alone: no shuffles
    #[arg(long, conflicts_with_all = ["shuffles", "seed"])]
    exact: bool,
    /// By what each user's information ages
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "job,time",
        help_heading = "Ageing"
    )]
    ageing: Vec<Clock>,
    /// Leave ageing out
    #[arg(long, conflicts_with = "ageing", help_heading = "Ageing")]
    no_ageing: bool,
    /// When a job's run time is known to predictions of the user's further jobs
    #[arg(long, value_enum, default_value = "submitted", help_heading = "Ageing")]
    known: Known,
    /// Jobs that a user must have
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..), help_heading = "Ageing")]
    min_jobs: u32,
    /// The ratio of the run-time bins that are predicted, from 1.001 to 1000
    #[arg(long, value_name = "RATIO", default_value = "1.8", value_parser = ratio, help_heading = "Ageing")]
    ageing_tr: f64,
    /// The strength c of the back-off, in jobs [default: the best of 1/16, 1/8 ... 256 for each kind of ageing]
    #[arg(long, value_name = "C", value_parser = strength, help_heading = "Ageing")]
    smoothing: Option<f64>,
    /// Treatment of jobs that ran on an unknown number of processors
    #[arg(long, value_enum, default_value = "drop", help_heading = "Trace")]
    missing_processors: MissingProcessors,
    /// Only the first N jobs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Trace")]
    limit_jobs: Option<u64>,
    /// Wrong lines in a trace are fatal
    #[arg(long, help_heading = "Trace")]
    strict: bool,
    #[command(flatten)]
    source: Source,
    /// Print one JSON object instead of tables: every point looked at, every user's alpha
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
    /// Write a self-contained page with heat maps of the metric and the distributions of alpha
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
}

fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse::<f64>().ok().filter(|ratio| (1.001..=1000.0).contains(ratio));
    ratio.ok_or_else(|| "not a number from 1.001 to 1000".to_owned())
}

fn strength(text: &str) -> Result<f64, String> {
    let strength = text.parse::<f64>().ok().filter(|strength| (1e-6..=1e6).contains(strength));
    strength.ok_or_else(|| "not a number from 0.000001 to 1000000".to_owned())
}

#[derive(Serialize)]
struct Studies<'a> {
    surefill: &'static str,
    options: &'a Options,
    missing_processors: MissingProcessors,
    traces: &'a [Study],
}

impl Locality {
    pub(crate) fn run(self, invocation: Invocation) -> Result<(), Failure> {
        output::check_page(self.html.as_deref())?;
        let options = self.options();
        let study = |path: &PathBuf| {
            let name = file_name(path);
            let workload = self.workload(path)?;
            let plan = Plan::new(&name, &workload, &options);
            let bar = output::progress_of(plan.steps(), &format!("points of {name}"));
            let study = plan.run(&|steps| bar.inc(steps));
            bar.finish_and_clear();
            Ok(study)
        };
        let compute = |paths: &[PathBuf]| paths.iter().map(study).collect();
        let studies = shard::of_traces("locality", self.shard, invocation, &self.traces, compute)?;
        let Some(studies) = studies else { return Ok(()) };
        if let Some(path) = &self.html {
            let sections: Vec<_> = studies.iter().map(|study| tables::section(study, &options)).collect();
            output::write_page(
                path,
                &study_page(
                    "Locality of run times",
                    &sections,
                    crate::report::sources::LOCALITY,
                    &output::made(PROGRAM),
                ),
            )?;
        }
        if self.json {
            let missing_processors = self.missing_processors;
            let surefill = env!("CARGO_PKG_VERSION");
            output::json(&Studies { surefill, options: &options, missing_processors, traces: &studies })?;
            return Ok(());
        }
        let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
        let mut out = io::stdout().lock();
        for (index, (title, table)) in tables::tables(&studies, style).into_iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            output::say(&mut out, &format!("{gap}{title}\n"))?;
            writeln!(out, "{table}")?;
        }
        writeln!(out)?;
        for study in &studies {
            let facts = [several(study.replay.jobs, "job")].into_iter().chain(tables::remarks(study));
            let facts = facts.collect::<Vec<_>>().join("; ");
            output::say(&mut out, &format!("{}: {facts}", study.trace))?;
        }
        Ok(())
    }

    fn options(&self) -> Options {
        let mut clocks = if self.no_ageing { Vec::new() } else { self.ageing.clone() };
        clocks.sort_unstable();
        clocks.dedup();
        Options {
            by: self.by.clone(),
            binnings: self.binning.clone(),
            slot_s: self.ts,
            ratio: self.tr,
            means: self.means,
            shuffles: if self.exact { 0 } else { self.shuffles },
            seed: self.seed,
            thresholds_s: self.thresholds.clone(),
            clocks,
            ageing: ageing::Options {
                known: self.known,
                ratio: self.ageing_tr,
                min_jobs: self.min_jobs as usize,
                smoothing: self.smoothing,
            },
        }
    }

    fn workload(&self, path: &std::path::Path) -> Result<Workload, Failure> {
        let trace = self.source.read(path, self.strict)?;
        let rules = Rules {
            missing_processors: self.missing_processors,
            // Nothing here depends on the machine's size, so a trace need not say it.
            procs: Some(u32::MAX),
            // More jobs than memory holds are all jobs.
            limit_jobs: self.limit_jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
            ..Rules::default()
        };
        Ok(Workload::new(&trace, &rules)?)
    }
}
