//! `surefill watch`: what a scheduler in charge leaves undone, from looking on.

use super::Failure;
use super::args::{ended::ended, policy::engine_policy, source::Source};
use super::output;
use crate::base::span;
use crate::base::words::several;
use crate::live::advise::past::reckon_nodes;
use crate::live::advise::read::{Listing, Past};
use crate::live::advise::rule::Rule;
use crate::live::advise::{Left, Snapshot, arrays, live, read};
use crate::live::watch::journal::{self, Event, Writer};
use crate::live::watch::score::{histories, score};
use crate::live::watch::{Watcher, pools};
use crate::live::what_if::{Pair, Period, Question, WhatIf, what_if};
use crate::replay::policy::{Choice, PolicyOptions};
use crate::replay::run::{Options, run};
use crate::report::TableStyle;
use crate::report::watch::{sentences, tables, too_short};
use crate::report::what_if as replayed;
use crate::trace::workload::{Rules, Workload};
use anyhow::{Context, anyhow};
use clap::Args;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(super) const HELP: &str = "\
The first thing to try on a production cluster: Slurm's own scheduler stays in charge, nothing is configured, restarted or
installed beside this program, which needs no more rights than to see all jobs (squeue). Every --every it runs squeue and
sinfo once and appends to the journal what has happened: which jobs the preset would have let through now that time limits
keep back, bounds on the waits of new jobs, and what came of both. Stop it as you like and start it again with the same
journal: it goes on. It learns from sacct (or --history) first, then from what it sees.

    surefill watch /var/lib/surefill/journal &          for a week, say
    surefill watch /var/lib/surefill/journal --report   at any time, also meanwhile

The report: gains and losses by partition, user and width. A gain is what a job waited longer than it would have had to. A loss
is what a head job would have started later at most: what overtakes it is followed to its real end, and is taken to hold
just the nodes that were missing. Every decision is scored alone; what would have followed from all together is shown by a
replay of the watched jobs under EASY and under the preset, in the order of submission whatever the site's priorities are, pool
by pool, beside what was recorded: where EASY's replay is far from the record, the replay says little, and it waits for a record
of twenty mean waits. surefill what-if --site replays a site's accounting under its own priorities. Pools that counting nodes
or processors does not describe are not judged, and it is said for how much of the time and why.

--every is to be well below Slurm's MinJobAge (300 s by default): jobs that end and are forgotten between two looks are not
seen. The journal has users, accounts and times, no job names, and can be read by its owner only.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options of `watch`.
#[derive(Debug, Args)]
pub struct Watch {
    /// Where what is seen is written down, and read from for the report
    #[arg(value_name = "JOURNAL")]
    journal: PathBuf,
    /// Print the results so far, and end
    #[arg(long)]
    report: bool,
    /// The rule that is asked: fair, fast or easy, which the scheduler engine has
    #[arg(long, visible_alias = "policy", value_name = "PRESET", default_value = "fair", value_parser = engine_policy)]
    preset: String,
    /// Time between two looks
    #[arg(long, value_name = "SPAN", default_value = "30", value_parser = span::positive, conflicts_with = "report")]
    every: i64,
    /// End after this time [default: never]
    #[arg(long = "for", value_name = "SPAN", value_parser = span::positive, conflicts_with = "report")]
    length: Option<i64>,
    /// Learn from this first: what sacct printed (surefill advise --print-commands), Slurm's job completion file, or
    /// any history that import reads
    #[arg(long, value_name = "FILE", conflicts_with = "report")]
    history: Option<PathBuf>,
    /// Days of history that sacct is asked for; 0 for none
    #[arg(long, value_name = "N", default_value = "30", conflicts_with_all = ["report", "history"], value_parser = clap::value_parser!(u32).range(0..=3650))]
    days: u32,
    /// Report without the replay
    #[arg(long, requires = "report")]
    no_replay: bool,
    /// Print one JSON object instead of tables
    #[arg(long, requires = "report", conflicts_with = "markdown")]
    json: bool,
    /// Print tables as Markdown
    #[arg(long, requires = "report")]
    markdown: bool,
}

fn now() -> anyhow::Result<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    Ok(now.as_secs() as i64)
}

/// A replay's answer for one pool.
#[derive(Debug, Serialize)]
struct Replayed {
    partitions: Vec<String>,
    #[serde(flatten)]
    answer: WhatIf,
}

impl Watch {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.report { self.tell() } else { self.watch() }
    }

    fn watch(&self) -> Result<(), Failure> {
        let mut writer = Writer::open(&self.journal)?;
        let before = journal::read(&self.journal)?;
        let past = self.past()?;
        let mut watcher = Watcher::new(&self.rule()?, &past, &before.events)?;
        drop(past);
        let begun = Instant::now();
        let (mut first, mut failing) = (true, false);
        loop {
            let looked = Instant::now();
            match look() {
                Ok(snapshot) => {
                    if failing {
                        eprintln!("surefill watch: Slurm answers again");
                    }
                    failing = false;
                    let mut events = Vec::new();
                    if first {
                        let pools = pools(&snapshot);
                        let preset = self.preset.clone();
                        events.push(Event::Begin { at: snapshot.now, preset, every: self.every, pools });
                        eprintln!(
                            "surefill watch: {}, {} of nodes; a look every {} s",
                            several(snapshot.jobs.len() as u64, "job"),
                            several(pools_of(&events) as u64, "pool"),
                            self.every
                        );
                    }
                    first = false;
                    events.extend(watcher.look(&snapshot)?);
                    for left in &snapshot.odd {
                        eprintln!("surefill watch: {left}");
                    }
                    writer.write(&events).with_context(|| self.journal.display().to_string())?;
                }
                // slurmctld restarts now and then: said once, and tried again.
                Err(error) if !failing => {
                    eprintln!("surefill watch: {error:#}; trying again every {} s", self.every);
                    failing = true;
                }
                Err(_) => {}
            }
            let over = self.length.is_some_and(|length| begun.elapsed().as_secs() as i64 >= length);
            if over {
                return if failing { Err(anyhow!("Slurm does not answer").into()) } else { Ok(()) };
            }
            sleep(Duration::from_secs(self.every as u64).saturating_sub(looked.elapsed()));
        }
    }

    /// The preset as the plugin would have it on this cluster. Where the configuration cannot be asked for, priorities
    /// come first whatever the cost.
    fn rule(&self) -> Result<Rule, Failure> {
        let config = live::config().unwrap_or_else(|error| {
            eprintln!(
                "surefill watch: {error:#}; jobs of a higher priority come first, whatever a point is worth"
            );
            String::new()
        });
        Ok(Rule::installed(&config, &self.preset)?)
    }

    fn past(&self) -> Result<Vec<Past>, Failure> {
        let listing = match &self.history {
            Some(path) => ended(path, &Source::default(), Some(TimeZone::system()))?,
            None if self.days == 0 => return Ok(Vec::new()),
            None => match live::past(self.days) {
                Ok(listing) => listing,
                Err(error) => {
                    eprintln!("surefill watch: {error:#}; learning from what is seen alone");
                    return Ok(Vec::new());
                }
            },
        };
        for remark in &listing.remarks {
            eprintln!("surefill watch: {remark}");
        }
        if let Some(odd) = &listing.odd {
            eprintln!(
                "surefill watch: history: {} left out, the first {}: {}",
                several(odd.lines, "line"),
                odd.first,
                odd.why
            );
        }
        let mut past = listing.found;
        if past.iter().any(|job| job.nodes == 0) {
            // Without nodes a job counts as one node a processor.
            reckon_nodes(&mut past, &live::nodes().map(|listing| listing.found).unwrap_or_default());
        }
        Ok(past)
    }

    fn tell(&self) -> Result<(), Failure> {
        if !self.journal.exists() {
            return Err(anyhow!("{}: there is no such journal", self.journal.display()).into());
        }
        let journal = journal::read(&self.journal)?;
        if journal.odd > 0 {
            eprintln!(
                "warning: {}: {} left out that broke off",
                self.journal.display(),
                several(journal.odd as u64, "line")
            );
        }
        let score = score(&journal.events)
            .ok_or_else(|| anyhow!("{}: nothing has been seen yet", self.journal.display()))?;
        let replays = if self.no_replay { Vec::new() } else { replays(&journal.events, &score.preset)? };
        if self.json {
            return Ok(output::json(&serde_json::json!({ "watched": score, "replayed": replays }))?);
        }
        let style = if self.markdown { TableStyle::Markdown } else { TableStyle::Terminal };
        let mut out = io::stdout().lock();
        for sentence in sentences(&score) {
            output::say(&mut out, &sentence)?;
        }
        for (title, table) in tables(&score, style) {
            output::say(&mut out, &format!("\n{title}\n"))?;
            writeln!(out, "{table}")?;
        }
        if !score.is_long() && !replays.is_empty() {
            return Ok(output::say(&mut out, &format!("\n{}", too_short(&score)))?);
        }
        for replay in &replays {
            writeln!(
                out,
                "\nReplay of {}: {} processors, in the order of submission\n",
                replay.partitions.join(", "),
                replay.answer.procs
            )?;
            for sentence in replayed::sentences(&replay.answer) {
                output::say(&mut out, &sentence)?;
            }
            for (title, table) in replayed::tables(&replay.answer, style) {
                output::say(&mut out, &format!("\n{title}\n"))?;
                writeln!(out, "{table}")?;
            }
        }
        Ok(())
    }
}

fn pools_of(events: &[Event]) -> usize {
    events
        .iter()
        .map(|event| match event {
            Event::Begin { pools, .. } => pools.len(),
            _ => 0,
        })
        .sum()
}

/// Slurm's present listings of jobs and nodes.
fn look() -> anyhow::Result<Snapshot> {
    let mut odd = Vec::new();
    let mut keep = |found: Option<read::Odd>, source: &str| {
        odd.extend(found.map(|odd| Left { source: source.to_owned(), odd }));
    };
    let Listing { found: jobs, odd: lines, .. } = live::all_jobs()?;
    keep(lines, "squeue");
    if let Some(remark) = arrays::cut(&jobs) {
        eprintln!("note: {remark}");
    }
    let jobs = arrays::unrolled(jobs);
    let Listing { found: nodes, odd: lines, .. } = live::nodes()?;
    keep(lines, "sinfo");
    Ok(Snapshot { now: now()?, jobs, nodes, past: Vec::new(), odd, remarks: Vec::new() })
}

/// The watched jobs under EASY and under the preset, pool by pool.
fn replays(events: &[Event], preset: &str) -> Result<Vec<Replayed>, Failure> {
    let after: Choice = preset.parse().map_err(|error| anyhow!("{preset}: {error}"))?;
    let before: Choice = "easy".parse().map_err(|error| anyhow!("easy: {error}"))?;
    if after == before {
        return Ok(Vec::new());
    }
    let mut answers = Vec::new();
    for pool in histories(events)? {
        let name = pool.partitions.join(",");
        let rules = Rules { procs: Some(pool.processors.max(1)), ..Rules::default() };
        let workload = Workload::new(&pool.trace, &rules).with_context(|| name.clone())?;
        let mut pairs = Vec::new();
        for seed in 0..3 {
            let replay = |choice: &Choice| {
                let options = Options {
                    choice: *choice,
                    policy: choice.options(&PolicyOptions::default()),
                    rules: rules.clone(),
                };
                run(&name, &workload, &options, seed, NonZeroU64::MIN, &|_| {}).map(|run| run.first)
            };
            let (first, then) = (replay(&before)?, replay(&after)?);
            let (shifted, from) = workload.shifted_from(seed);
            let submitted = from.iter().filter_map(|&id| Some(workload.jobs.get(id)?.submit)).collect();
            pairs.push(Pair { workload: shifted, submitted, before: first, after: then, ageing: None });
        }
        let question = Question {
            trace: &name,
            recorded: &workload,
            remarks: Vec::new(),
            before: "EASY".to_owned(),
            after: preset.to_owned(),
            period: Period { from: i64::MIN, to: i64::MAX },
            above: 0.0,
            names: &pool.trace.names,
        };
        if let Some(answer) = what_if(&question, &pairs) {
            answers.push(Replayed { partitions: pool.partitions, answer });
        }
    }
    Ok(answers)
}
