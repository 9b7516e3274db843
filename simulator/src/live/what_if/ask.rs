//! From the question to the answer: the period that is meant, the replays, the measuring.

use super::{Pair, Period, Question, WhatIf, too_small, what_if};
use crate::base::words::sentence;
use crate::replay::policy::{Choice, Order, Points, PolicyName, PolicyOptions};
use crate::replay::run::{self, Options, run};
use crate::trace::collect::share_above;
use crate::trace::remarks::remarks;
use crate::trace::site::Site;
use crate::trace::swf::Trace;
use crate::trace::values;
use crate::trace::workload::{Rules, Workload};
use clap::ValueEnum;
use rayon::prelude::*;
use std::num::NonZeroU64;
use std::sync::Arc;

/// Where nothing is said, so much of a longer history is measured.
const USUAL_S: i64 = 90 * 86_400;

/// The order of limits with ageing: the points that job_submit.lua can write.
const AGEING: &str = "points-fixed";

/// Slurm's own scheduler.
fn backfill() -> PolicyName {
    PolicyName::from_str("backfill", false).expect("a policy that is built in")
}

/// The question to a history.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Processors of the machine; else those of the header, else the most that were in use at once.
    pub procs: Option<u32>,
    /// The site, whose machine, priorities and limits are replayed; none for one pool of processors.
    pub site: Option<Arc<Site>>,
    /// The policy that is asked about; none for the usual one: [`Ask::with`].
    pub with: Option<Choice>,
    /// The policy that it is compared with; none for the usual one: [`Ask::instead_of`].
    pub instead_of: Option<Choice>,
    /// Replays of each policy: the history as it is, then with submissions shifted by 0 to 59 s.
    pub seeds: NonZeroU64,
    /// Jobs submitted from this time on are measured: a date, or seconds of the history's clock.
    pub from: Option<String>,
    /// ... and before this time.
    pub to: Option<String>,
    /// The last part of the history, or before `to`, in seconds.
    pub last: Option<i64>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// There is nothing to compare.
    #[error("both policies are the same")]
    Same,
    /// The time from which on jobs are measured is none.
    #[error("the first time: {0}")]
    From(String),
    /// The time before which they are is none.
    #[error("the last time: {0}")]
    To(String),
    /// The period ends before it begins.
    #[error("the period ends before it begins")]
    Backwards,
    /// The history has no job that could be replayed.
    #[error(transparent)]
    Workload(#[from] crate::trace::workload::Error),
    /// A policy does not finish.
    #[error(transparent)]
    Run(#[from] run::Error),
    /// No job is measured.
    #[error("{0}: no job was submitted in the period that is asked for")]
    Nothing(String),
}

/// A question to a history that has been read.
#[derive(Debug)]
pub struct Asked<'a> {
    ask: &'a Ask,
    name: &'a str,
    trace: &'a Trace,
    rules: Rules,
    workload: Workload,
    above: f64,
    period: Period,
}

impl Ask {
    /// The policy that is asked about: fair, under the site's priorities where it has some.
    pub fn with(&self) -> Choice {
        self.with.map_or_else(|| self.usual(PolicyName::Fair, Order::Multifactor), |own| self.at_site(own))
    }

    /// The policy that it is compared with: a site's own rule, sched/backfill; else EASY.
    pub fn instead_of(&self) -> Choice {
        let usual = if self.site.is_some() { backfill() } else { PolicyName::Easy };
        self.instead_of.map_or_else(|| self.usual(usual, Order::Multifactor), |own| self.at_site(own))
    }

    /// The site's own rule by the points that job_submit.lua can write, limits with ageing, where the site has
    /// priorities.
    fn ageing(&self) -> Option<Choice> {
        let order = Order::Points(Points::try_from(AGEING.to_owned()).ok()?);
        self.has_priorities().then(|| self.usual(backfill(), order))
    }

    fn has_priorities(&self) -> bool {
        self.site.as_ref().is_some_and(|site| site.has_priorities())
    }

    fn at_site(&self, own: Choice) -> Choice {
        if self.has_priorities() { own.under_priorities() } else { own }
    }

    fn usual(&self, policy: PolicyName, order: Order) -> Choice {
        let choice = |order| Choice::new(policy, None, order);
        choice(self.has_priorities().then_some(order))
            .or_else(|_| choice(None))
            .expect("a policy by its defaults")
    }

    /// Refuses a question that needs no history to be refused.
    ///
    /// # Errors
    /// [`AskError::Same`].
    pub fn check(&self) -> Result<(), AskError> {
        if self.with() == self.instead_of() { Err(AskError::Same) } else { Ok(()) }
    }

    /// Puts the question to a history, `name` in sentences.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn of<'a>(&'a self, name: &'a str, trace: &'a Trace) -> Result<Asked<'a>, AskError> {
        self.check()?;
        let rules = Rules {
            procs: self.procs,
            nodes: self.site.as_ref().map(|site| Arc::new(site.machine().clone())),
            site: self.site.clone(),
            ..Rules::default()
        };
        let workload = Workload::new(trace, &rules)?;
        let above = share_above(&trace.records, workload.procs);
        let period = self.period(trace, &workload)?;
        Ok(Asked { ask: self, name, trace, rules, workload, above, period })
    }

    /// The period that is measured.
    fn period(&self, trace: &Trace, workload: &Workload) -> Result<Period, AskError> {
        let start = trace.header.unix_start_time;
        let first = workload.jobs.first().map_or(0, |job| job.submit);
        let end = workload.jobs.last().map_or(0, |job| job.submit + 1);
        let time = |text: &Option<String>| text.as_deref().map(|text| moment(text, start)).transpose();
        let to = time(&self.to).map_err(AskError::To)?.unwrap_or(end);
        let from = match (time(&self.from).map_err(AskError::From)?, self.last) {
            (Some(from), _) => from,
            (None, Some(last)) => to - last,
            (None, None) if self.to.is_none() => first.max(to - USUAL_S),
            (None, None) => first,
        };
        if from >= to {
            return Err(match self.to {
                Some(_) => AskError::Backwards,
                None => AskError::Nothing(trace.name.clone()),
            });
        }
        Ok(Period { from, to })
    }
}

/// A second of the trace's clock, of a date or of seconds; `start` is when the trace begins.
fn moment(text: &str, start: Option<i64>) -> Result<i64, String> {
    // A date alone is its first second.
    let dated = if text.len() == 10 && text.matches('-').count() == 2 {
        format!("{text}T00:00:00")
    } else {
        text.to_owned()
    };
    let time = values::time(&dated)?.ok_or("no time")?;
    match start {
        // Small numbers are the trace's own seconds.
        Some(start) if values::is_date(&dated) || time >= start => Ok(time - start),
        None if values::is_date(&dated) => {
            Err("the history does not say which date its seconds count from: give seconds".to_owned())
        }
        _ => Ok(time),
    }
}

impl Asked<'_> {
    /// Sentences on what makes the answer doubtful.
    pub fn warnings(&self) -> Vec<String> {
        let (counts, procs) = (&self.workload.counts, self.workload.procs);
        let pool = self.ask.site.is_none();
        let all = [
            counts.foreknown(),
            counts.nameless(),
            counts.beyond_site(),
            counts.too_wide(procs).filter(|_| pool),
            too_small(procs, self.above).filter(|_| pool),
        ];
        all.into_iter().flatten().collect()
    }

    /// Jobs that are replayed, those of all replays together.
    pub fn jobs(&self) -> u64 {
        (2 + u64::from(self.ask.ageing().is_some())) * self.ask.seeds.get() * self.workload.counts.jobs
    }

    /// Replays and measures. `progress` is called with the number of jobs submitted since, from any thread.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn answer(self, progress: &(dyn Fn(usize) + Sync)) -> Result<WhatIf, AskError> {
        let pairs = self.replay(progress)?;
        let counts = &self.workload.counts;
        let foreknown =
            [counts.foreknown(), counts.beyond_site()].into_iter().flatten().map(|remark| sentence(&remark));
        let Asked { ask, name, trace, workload, above, period, .. } = &self;
        let site = ask.site.iter().flat_map(|site| site.remarks(trace)).map(|remark| sentence(&remark));
        let sized = ask.procs.is_some() || ask.site.is_some();
        let question = Question {
            trace: name,
            recorded: workload,
            remarks: foreknown.chain(site).chain(remarks(trace, sized)).collect(),
            before: label(&ask.instead_of(), ask.site.as_deref()),
            after: label(&ask.with(), ask.site.as_deref()),
            period: *period,
            above: *above,
            names: &trace.names,
        };
        what_if(&question, &pairs).ok_or_else(|| AskError::Nothing((*name).to_owned()))
    }

    fn replay(&self, progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Pair>, AskError> {
        let Asked { ask, name, rules, workload, .. } = self;
        let seeds = ask.seeds.get();
        let choices: Vec<Choice> = [ask.instead_of(), ask.with()].into_iter().chain(ask.ageing()).collect();
        let replays: Vec<(u64, Choice)> =
            (0..seeds).flat_map(|seed| choices.iter().map(move |&choice| (seed, choice))).collect();
        let one = |(seed, choice): (u64, Choice)| {
            let options =
                Options { choice, policy: choice.options(&PolicyOptions::default()), rules: rules.clone() };
            run(name, workload, &options, seed, NonZeroU64::MIN, progress).map(|run| run.first)
        };
        let outcomes: Vec<_> = replays.into_par_iter().map(one).collect::<Result<_, _>>()?;
        let mut outcomes = outcomes.into_iter();
        let mut pairs = Vec::new();
        for seed in 0..seeds {
            if let (Some(before), Some(after)) = (outcomes.next(), outcomes.next()) {
                let ageing = if choices.len() > 2 { outcomes.next() } else { None };
                let (shifted, from) = workload.shifted_from(seed);
                let submitted = from.iter().filter_map(|&id| Some(workload.jobs.get(id)?.submit)).collect();
                pairs.push(Pair { workload: shifted, submitted, before, after, ageing });
            }
        }
        Ok(pairs)
    }
}

/// A policy in a sentence.
fn label(choice: &Choice, site: Option<&Site>) -> String {
    let own = site.is_none_or(Site::runs_slurms_rule);
    match choice.to_string().as_str() {
        "easy" => "EASY".to_owned(),
        "backfill" => "sched/backfill".to_owned(),
        "backfill:limit:multifactor" if own => "the site's own rule".to_owned(),
        "backfill:limit:multifactor" => "sched/backfill".to_owned(),
        "fair:contexts:multifactor" => "fair".to_owned(),
        other => other.to_owned(),
    }
}
