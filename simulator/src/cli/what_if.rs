//! `surefill what-if`: a site's own history under another policy.

use super::args::file;
use super::args::policy::ChoiceParser;
use super::args::site::SiteOptions;
use super::args::source::{Source, file_name};
use super::options::seeds;
use super::output;
use super::{Failure, PROGRAM};
use crate::base::span;
use crate::live::what_if::{Ask, AskError, Row, WhatIf, unknowns};
use crate::replay::policy::Choice;
use crate::report::TableStyle;
use crate::report::what_if::{page, sentences, tables};
use anyhow::Context;
use clap::Args;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

/// The end of `what-if --help`.
pub(super) const HELP: &str = "\
The history is replayed as a whole under both policies, so that they have learnt and the queue is filled when the period
begins; only jobs submitted in the period are measured. The replay of the one policy is scored against the recorded waits
first: how long people waited, how much of it the replay explains, and what of that the other policy would save. Where it
explains less than a quarter, the history cannot tell, and that is the answer. Beside the replay stands what could have been
saved in the recorded schedule itself: how much earlier jobs could have started on processors that were idle, while nobody
starts later than recorded, with run times known and with limits in their place.

Who submitted the jobs (account or group, user), the queue, the width and the run time divide them: who gains, who loses,
how long the longest wait is, beside what was recorded. 95 % intervals are of a bootstrap over the weeks of the period and
over the replays. What a replay cannot know is said with the answer, as is how the history was read.

A history is a trace or accounting log in any format that import reads. The last year of Slurm:

    columns=JobID,JobIDRaw,Submit,Eligible,Start,End,State,TimelimitRaw
    columns=$columns,AllocCPUS,ReqCPUS,User,Account,Partition
    sacct -a -P -S now-365days -o $columns > year.txt
    surefill what-if year.txt --procs 4096 --html answer.html

On one pool of processors partitions, priorities, limits and outages are missing. --site replays them: files of what these
print (and columns NNodes,ReqTRES,AllocTRES,QOS of sacct):

    (scontrol show config; echo; scontrol show partition; scontrol show node; scontrol show reservation) > site.txt
    sacctmgr -P show qos > qos.txt
    sacctmgr -P show assoc tree format=cluster,account,user,share > shares.txt
    sacctmgr -P show event start=now-365days > events.txt
    surefill what-if year.txt --site site.txt,qos.txt,shares.txt,events.txt

The page is one file to be mailed and printed; nothing in it is loaded from elsewhere. It names users and accounts: for
people outside, take a history that import --key has made.

Policies are written as for compare. Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options of `what-if`.
#[derive(Debug, Args)]
pub struct WhatIfArgs {
    /// The history; - is standard input
    #[arg(value_name = "HISTORY", default_value = "-")]
    history: PathBuf,
    /// Processors of the machine [default: the header's, else the most that were in use at once]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    procs: Option<u32>,
    #[command(flatten)]
    site: SiteOptions,
    /// The policy that is asked about: fair is the plan that the Slurm plugin and the schedulers for PBS and for Slurm
    /// from outside make, delay the delay rule [default: fair]
    #[arg(long, visible_alias = "policy", value_name = "POLICY", value_parser = ChoiceParser, hide_possible_values = true)]
    with: Option<Choice>,
    /// The policy that it is compared with [default: easy, of a --site its own rule]
    #[arg(long, value_name = "POLICY", value_parser = ChoiceParser, hide_possible_values = true)]
    instead_of: Option<Choice>,
    /// Replays of each policy: the history as it is, then with submissions shifted by 0 to 59 s
    #[arg(long, value_name = "K", default_value = "3", value_parser = seeds)]
    seeds: NonZeroU64,
    /// Measure jobs submitted from this time on: a date, or seconds of the history's clock
    #[arg(long, value_name = "TIME", conflicts_with = "last", help_heading = "Period")]
    from: Option<String>,
    /// ... and before this time
    #[arg(long, value_name = "TIME", help_heading = "Period")]
    to: Option<String>,
    /// Measure the last part of the history, or before --to [default: 90d of longer histories]
    #[arg(long, value_name = "DURATION", value_parser = span::positive, help_heading = "Period")]
    last: Option<i64>,
    #[command(flatten)]
    source: Source,
    /// Wrong lines are fatal
    #[arg(long, help_heading = "Trace")]
    strict: bool,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with_all = ["markdown", "csv", "brief"], help_heading = "Output")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long, conflicts_with = "csv", help_heading = "Output")]
    markdown: bool,
    /// Print all rows as one CSV table: waits in seconds
    #[arg(long, help_heading = "Output")]
    csv: bool,
    /// Print the sentences only
    #[arg(long, short, conflicts_with = "csv", help_heading = "Output")]
    brief: bool,
    /// Write a self-contained page, to be mailed and printed
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
}

impl WhatIfArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let ask = Ask {
            procs: self.procs,
            site: self.site.site().map(|site| Arc::new(site.on_clock(&self.source.clock()))),
            with: self.with,
            instead_of: self.instead_of,
            seeds: self.seeds,
            from: self.from.clone(),
            to: self.to.clone(),
            last: self.last,
        };
        ask.check().map_err(failure)?;
        if let Some(path) = &self.html {
            file::check(path)?;
        }
        let site = self.site.site();
        let procs = self.procs.or(site.as_ref().map(|site| site.machine().processors()));
        let trace = self.source.read_sized(&self.history, self.strict, procs)?;
        self.source.whole(&trace)?;
        self.source.on_site(site.as_deref(), &trace)?;
        let name = file_name(&self.history);
        let asked = ask.of(&name, &trace).map_err(failure)?;
        for sentence in asked.warnings() {
            eprintln!("warning: {name}: {sentence}");
        }
        let bar = output::progress(asked.jobs());
        let answer = asked.answer(&|jobs| bar.inc(jobs as u64)).map_err(failure)?;
        bar.finish_and_clear();
        if let Some(path) = &self.html {
            output::write_page(path, &page(&answer, &output::command(PROGRAM), &output::today()))?;
        }
        self.print(&answer)
    }

    fn print(&self, answer: &WhatIf) -> Result<(), Failure> {
        if self.json {
            return Ok(output::json(answer)?);
        }
        let mut out = io::stdout().lock();
        if self.csv {
            return write_csv(&mut out, answer);
        }
        for sentence in sentences(answer) {
            output::say(&mut out, &sentence)?;
        }
        if self.brief {
            return Ok(());
        }
        let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
        for (title, table) in tables(answer, style) {
            writeln!(out)?;
            output::say(&mut out, &title)?;
            writeln!(out, "\n{table}")?;
        }
        writeln!(out, "\nWhat a replay cannot know:")?;
        for sentence in unknowns(answer) {
            output::say(&mut out, &format!("  * {sentence}"))?;
        }
        Ok(())
    }
}

fn failure(error: AskError) -> Failure {
    match error {
        AskError::Same => Failure::Usage("--with and --instead-of name the same policy".to_owned()),
        AskError::From(why) => Failure::Usage(format!("--from: {why}")),
        AskError::To(why) => Failure::Usage(format!("--to: {why}")),
        AskError::Backwards => Failure::Usage(error.to_string()),
        other => Failure::Work(other.into()),
    }
}

/// All rows of all parts.
fn write_csv(out: &mut impl Write, answer: &WhatIf) -> Result<(), Failure> {
    let mut table = csv::Writer::from_writer(out);
    let measures = ["mean", "median", "p95", "longest"];
    let titles = ["recorded", "before", "after", "ageing"]
        .into_iter()
        .flat_map(|who| measures.map(|measure| format!("{who}_{measure}_s")));
    let head = ["by", "name", "jobs", "processor_hours", "earlier", "later"].map(str::to_owned);
    table.write_record(head.into_iter().chain(titles)).context("CSV")?;
    let mut row = |by: &str, row: &Row| {
        let waits = [row.recorded, Some(row.before), Some(row.after), row.ageing];
        let numbers = waits.into_iter().flat_map(|waits| match waits {
            Some(waits) => [waits.mean_s, waits.median_s, waits.p95_s, waits.longest_s]
                .map(|value| format!("{value:.3}")),
            None => std::array::from_fn(|_| String::new()),
        });
        let facts = [
            by.to_owned(),
            row.name.clone(),
            row.jobs.to_string(),
            format!("{:.3}", row.processor_hours),
            format!("{:.6}", row.earlier),
            format!("{:.6}", row.later),
        ];
        table.write_record(facts.into_iter().chain(numbers)).context("CSV")
    };
    row("all", &answer.all)?;
    for part in &answer.parts {
        part.rows.iter().try_for_each(|one| row(part.by, one))?;
    }
    table.flush()?;
    Ok(())
}
