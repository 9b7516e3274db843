//! `surefill advise`: what a live queue, or a saved one, lets one expect.

use super::Failure;
use super::args::ended::ended;
use super::args::policy::engine_policy;
use super::args::quiet::is_quiet;
use super::args::source::Source;
use super::output;
use crate::base::span::span;
use crate::base::words::{counted, several};
use crate::live::advise::limit::Ask;
use crate::live::advise::past::reckon_nodes;
use crate::live::advise::read::{Listing, Node, Past};
use crate::live::advise::rule::Rule;
use crate::live::advise::{Left, Question, Snapshot, advise, live, read};
use crate::live::site::check_bound;
use crate::live::starts::Starts;
use crate::report::{TableStyle, advice as tables};
use crate::trace::text::printable_lines;
use anyhow::{Context, anyhow};
use clap::Args;
use jiff::tz::TimeZone;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) const HELP: &str = "\
Without files it runs squeue, sinfo, sacct and scontrol. For another site, or later: --print-commands prints the commands that save
what they say; --squeue, --sinfo, --history and --config read it, with --now for the time at which it was saved. Times are seconds
since 1970 or YYYY-MM-DDTHH:MM:SS, all alike. --history also reads Slurm's job completion file (jobcomp/filetxt), and every
history that import reads: plain sacct with a line of names, other managers' logs, traces, CSV and JSON, compressed or not. Its
dates are those of the clock of --now, without it of this computer's, unless they name a zone or --zone does. Where no column
counts nodes (NNodes), jobs have as many as hold their processors.
Job names are never trusted: the fields are separated by a text drawn anew for each run, which no name can contain (a job
completion file and a plain table have none: there a name with line breaks can pretend to be a record, and a note says so).
Lines that are none of Slurm's own are left out; how many is said on standard error.

The head job of each pool of nodes: what it waits for, and its start if nothing else starts and every running job runs to
its limit. Nodes are counted where each job has its own, else processors; where neither describes the pool, it is said why.
Partitions that share nodes are counted together where their own jobs do not account for their nodes; a note says which,
and that their jobs are taken to fit any of these nodes. A node that is being
drained, reserved or out of service has left its pool. A job that asks for several partitions counts in the first.
The waiting tasks of an array are two lines, with the start of the first and of the last, where they are played one by one
(up to a thousand of an array without a limit of its own), else one; those of an array that lets K run at once (%K) are played in
K chains.
All that wait: the predictions of the scheduler engine, which has lived through the last 50,000 jobs of the history. The queue
is played forward in 20 scenarios of run times by the rule of the site's scheduler: EASY for sched/backfill, that of
surefill's words for sched/surefill (--config; --settings names another), with the submissions of the days before repeated where
a day of them is known. A history has no priorities: there the queue is in the order of submission. Starts are predicted at
moments of the history as well, and those that came correct the levels. Under EASY no level of a head job lies beyond its start
by limits. With --previous the median of a job that the answer before had, a day old at most, stays, or moves to half way between
the new one and the level beside it; not that of an array whose tasks are others now. Nothing is predicted beyond the span that
is played forward, two days at least, else three times the longest wait of late or until all have started by their limits: there,
and where no interval is known, a note says so. The 75 % level is the one to promise. Nothing is predicted either where a job
that would fit waits and none has started for longer than ever while jobs waited: the machine may be down.
The others, which wait for something else than nodes or whose pool counting does not describe: a bound on the wait of such
jobs in this partition, at --quantile and --confidence, from their history. The waits of the past count from when jobs became eligible,
those of waiting jobs from their submission.
The next job of a user: the --quantile of its predicted run time, rounded up, and for how many of the user's last 50 jobs
that rule would have been enough. Jobs that were stopped at their limit count as if they had ended there: their number is printed,
and where they are many the advice is too short.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options of `advise`.
#[derive(Debug, Args)]
pub struct Advise {
    /// Output of squeue in this file, instead of running it
    #[arg(long, value_name = "FILE", requires_all = ["sinfo", "now"])]
    squeue: Option<PathBuf>,
    /// Output of sinfo in this file, instead of running it
    #[arg(long, value_name = "FILE", requires = "squeue")]
    sinfo: Option<PathBuf>,
    /// Ended jobs, instead of running sacct: what it printed, Slurm's job completion file, or any history that import
    /// reads
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
    /// The time at which the files were saved
    #[arg(long, value_name = "TIME", requires = "squeue", value_parser = parse_time)]
    now: Option<i64>,
    /// Output of scontrol show config in this file, instead of running it: the site's own rule is played forward
    #[arg(long, value_name = "FILE", conflicts_with = "settings")]
    config: Option<PathBuf>,
    /// The rule that is played forward, by the engine's words: preset=fair, preset=easy, ...
    #[arg(long, value_name = "WORDS")]
    settings: Option<String>,
    /// The same by its name, as elsewhere: fair, fast or easy, which the scheduler engine has
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["settings", "config"], value_parser = engine_policy)]
    policy: Option<String>,
    /// The answer of before (--json): its medians stay until the levels beside them pass them
    #[arg(long, value_name = "FILE")]
    previous: Option<PathBuf>,
    /// Days of history that sacct is asked for
    #[arg(long, value_name = "N", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: u32,
    /// Speak of this partition only
    #[arg(long, short, value_name = "NAME")]
    partition: Option<String>,
    /// Spans from now for which the probability of having started is reported
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "1h,4h,24h", allow_hyphen_values = true, value_parser = span)]
    within: Vec<i64>,
    /// A time, likewise; --by 1700000000 or --by 2026-11-21T18:00:00 (UTC, unless the saved queue's times are dates of
    /// another clock)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    by: Option<i64>,
    /// The part of jobs that a bound or a time limit is to cover
    #[arg(long, value_name = "Q", default_value = "0.95", value_parser = parse_probability)]
    quantile: f64,
    /// The confidence of the bounds on waits
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = parse_probability)]
    confidence: f64,
    /// Advise a time limit for the next job of these users
    #[arg(long, short, value_delimiter = ',', value_name = "LIST")]
    user: Vec<String>,
    /// ... with this number of processors (else as their latest job)
    #[arg(long, value_name = "N", requires = "user", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    processors: Option<u32>,
    /// ... as their latest job of this name asked
    #[arg(long, value_name = "NAME", requires = "user")]
    name: Option<String>,
    /// ... that would ask for this time limit otherwise
    #[arg(long, value_name = "SPAN", requires = "user", allow_hyphen_values = true, value_parser = span)]
    limit: Option<i64>,
    /// Print the commands that save what this command needs, and nothing else
    #[arg(long)]
    print_commands: bool,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long)]
    markdown: bool,
}

fn parse_time(text: &str) -> Result<i64, String> {
    read::time(text).ok_or_else(|| "not seconds since 1970, nor YYYY-MM-DDTHH:MM:SS".to_owned())
}

fn parse_probability(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number > 0.0 && number < 1.0 { Ok(number) } else { Err("not between 0 and 1".to_owned()) }
}

/// A file's text, and its name for messages.
fn text(path: &Path) -> anyhow::Result<(String, String)> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok((printable_lines(&bytes), path.display().to_string()))
}

impl Advise {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.print_commands {
            return Ok(io::stdout().lock().write_all(live::commands(self.days).as_bytes())?);
        }
        check_bound(self.quantile, self.confidence).map_err(|refused| Failure::Usage(refused.to_string()))?;
        let snapshot = self.snapshot()?;
        let mut within = self.within.clone();
        if let Some(by) = self.by {
            if by < snapshot.now {
                return Err(Failure::Usage(format!("--by {by} is past: it is {}", snapshot.now)));
            }
            within.push(by - snapshot.now);
        }
        let question = Question {
            partition: self.partition.clone(),
            within: within.clone(),
            quantile: self.quantile,
            confidence: self.confidence,
            rule: self.rule()?,
            previous: self.previous()?,
            next: self.asks(),
        };
        if let Some(partition) = &self.partition
            && !snapshot.nodes.iter().any(|node| node.partition == *partition)
        {
            return Err(anyhow!("there is no partition {partition}").into());
        }
        if let (Some(previous), Some(path)) = (&question.previous, &self.previous) {
            check_age(previous.now, snapshot.now).with_context(|| path.display().to_string())?;
        }
        let advice = advise(&snapshot, &question)?;
        for left in &snapshot.odd {
            eprintln!("warning: {left}");
        }
        for remark in advice.remarks.iter().filter(|_| !is_quiet()) {
            eprintln!("note: {remark}");
        }
        if self.json {
            return Ok(output::json(&advice)?);
        }
        let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
        let mut out = io::stdout().lock();
        writeln!(
            out,
            "{}; learnt from {} that have ended",
            counted(
                snapshot.jobs.iter().map(|job| u64::from(job.count())).sum(),
                "job waits or runs",
                "jobs wait or run"
            ),
            advice.learnt
        )?;
        if !advice.heads.is_empty() {
            writeln!(out, "\n{}", tables::heads(&advice, style))?;
        }
        if !advice.starts.is_empty() {
            let most = advice.starts.iter().map(|start| start.calibrated_by).max().unwrap_or(0);
            let by = match most {
                0 => "as it comes: the history does not say what such forecasts are worth".to_owned(),
                starts => format!(
                    "corrected by {} predicted likewise",
                    counted(starts, "start of the past", "starts of the past")
                ),
            };
            writeln!(out, "\nThe queue played forward by {}, {by}:", advice.rule)?;
            writeln!(out, "{}", tables::starts(&advice, &within, style))?;
        }
        if !advice.others.is_empty() {
            output::say(&mut out, "\nNot played forward; from the waits of such jobs in their partitions:")?;
            writeln!(out, "{}", tables::others(&advice, &within, style))?;
        }
        if !advice.next.is_empty() {
            writeln!(out, "\n{}", tables::next(&advice, style))?;
            for next in advice.next.iter().filter(|next| next.jobs == 0 && next.limit.is_some()) {
                let unknown =
                    format!("No ended job of {} is known: that is what other users' jobs say.", next.user);
                output::say(&mut out, &unknown)?;
            }
        }
        Ok(())
    }

    /// The rule of the site, that of Slurm's sched/backfill where neither a file nor a live Slurm says which.
    fn rule(&self) -> Result<Rule, Failure> {
        if let Some(policy) = &self.policy {
            return Ok(Rule::of_words(&format!("preset={policy}"))?);
        }
        if let Some(words) = &self.settings {
            let rule = Rule::of_words(words);
            return rule.map_err(|refused| Failure::Usage(format!("--settings {words}: {refused}")));
        }
        if let Some(path) = &self.config {
            let (config, name) = text(path)?;
            return Ok(Rule::configured(&config).with_context(|| name)?);
        }
        Ok(match &self.squeue {
            Some(_) => Rule::assumed(),
            None => Rule::configured(&live::config()?).context("scontrol")?,
        })
    }

    fn previous(&self) -> Result<Option<Starts>, Failure> {
        let read = |path: &PathBuf| {
            let bytes = fs::read(path).with_context(|| path.display().to_string())?;
            Starts::read(&bytes).with_context(|| path.display().to_string())
        };
        Ok(self.previous.as_ref().map(read).transpose()?)
    }

    fn asks(&self) -> Vec<Ask> {
        let ask = |user: &String| Ask {
            user: user.clone(),
            processors: self.processors,
            name: self.name.clone(),
            limit: self.limit,
        };
        self.user.iter().map(ask).collect()
    }

    fn snapshot(&self) -> Result<Snapshot, Failure> {
        let (mut odd, mut remarks) = (Vec::new(), Vec::new());
        let mut past = match &self.history {
            Some(path) => {
                // Without a time that was saved with the queue the present is this computer's.
                let zone = self.now.is_none().then(TimeZone::system);
                let listing = ended(path, &self.source, zone)?;
                remarks.extend(listing.remarks.iter().cloned());
                keep(listing, &path.display().to_string(), &mut odd)
            }
            None => keep(live::past(self.days)?, "sacct", &mut odd),
        };
        if let (Some(squeue), Some(sinfo), Some(now)) = (&self.squeue, &self.sinfo, self.now) {
            let (squeue, sinfo) = (text(squeue)?, text(sinfo)?);
            let jobs = keep(read::squeue(&squeue.0, &squeue.1)?, &squeue.1, &mut odd);
            let nodes = keep(read::sinfo(&sinfo.0, &sinfo.1)?, &sinfo.1, &mut odd);
            let latest = past.iter().map(|job| job.end).chain(jobs.iter().map(|job| job.submit)).max();
            if let Some(latest) = latest.filter(|latest| *latest > now) {
                let error = anyhow!(
                    "--now {now} is before the files were saved: they know of {latest}; where the history has dates of \
                     another clock, --zone says which"
                );
                return Err(error.into());
            }
            remarks.extend(reckoned(&mut past, &nodes));
            return Ok(Snapshot { now, jobs, nodes, past, odd, remarks });
        }
        let jobs = keep(live::jobs()?, "squeue", &mut odd);
        let nodes = keep(live::nodes()?, "sinfo", &mut odd);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
        remarks.extend(reckoned(&mut past, &nodes));
        Ok(Snapshot { now: now.as_secs() as i64, jobs, nodes, past, odd, remarks })
    }
}

/// Refuses an answer of before that is from the future, or older than a day.
fn check_age(previous: i64, now: i64) -> Result<(), anyhow::Error> {
    match now - previous {
        0..=86_400 => Ok(()),
        ..0 => Err(anyhow!("its time {previous} is after now, {now}: that is no answer of before")),
        _ => Err(anyhow!("its time {previous} is more than a day before now, {now}")),
    }
}

/// Gives jobs nodes whose history does not say how many they held; a remark where there are any.
fn reckoned(past: &mut [Past], nodes: &[Node]) -> Option<String> {
    let count = reckon_nodes(past, nodes);
    let jobs = several(count as u64, "job");
    (count > 0).then(|| {
        format!("the history does not say on how many nodes {jobs} ran: as many as hold their processors")
    })
}

/// The jobs or nodes of a listing; lines left out of it are noted.
fn keep<T>(listing: Listing<T>, source: &str, odd: &mut Vec<Left>) -> Vec<T> {
    odd.extend(listing.odd.map(|lines| Left { source: source.to_owned(), odd: lines }));
    listing.found
}
