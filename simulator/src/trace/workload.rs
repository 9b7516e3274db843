//! From the lines of a trace to the jobs that are replayed: the replay rules, and what they did to how many jobs.
//!
//! The rules are those of Nissimov & Feitelson 2007, section 5, as far as the paper states them. Public EASY simulators
//! differ by percents in mean wait on the same trace through such rules, so every one is counted and can be reported:
//!
//! 1. A job whose run time is unknown (negative) was cancelled before it started: dropped. A run time of 0 is one.
//! 2. Processors are those used (field 5), else those requested (field 8), where [`MissingProcessors`] allows it; a job
//!    without either is dropped.
//! 3. A job wider than the machine is cut to its size.
//! 4. Without a requested time the run time is the limit, or one drawn by a model of estimates.
//! 5. A run time above the limit is kept, cut or raises the limit: [`Overrun`].
//! 6. On a machine of nodes a job that they could not hold, were they empty, is dropped.
//! 7. On the machine of a site ([`Site`]) a job in a partition that the site does not have is dropped.
//! 8. A seed other than 0 shifts every submission by 0 to 59 s ([`Workload::shifted`]).

use crate::base::words::{counted, several};
use crate::trace::nodes::{Machine, NodesBlock};
use crate::trace::site::{Site, SiteRules};
use crate::trace::swf::{Record, Trace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use surefill::engine::{UNKNOWN_USER, user_or_queue};
use surefill::nodes::Request;
use surefill::runtime::MAX_SECONDS;

/// A job's index in [`Workload::jobs`]: jobs are numbered in order of submission, so a smaller index was first in the
/// queue.
pub type JobId = usize;

/// One job to be replayed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// Its index in the workload.
    pub id: JobId,
    /// Its number in the trace.
    pub number: i64,
    /// When it is submitted.
    pub submit: i64,
    /// Its wait in the trace; negative when unknown. Only studies of the trace itself read it.
    pub wait: i64,
    /// Its run time. A scheduler does not know this before the job has ended: only the clairvoyant predictors read
    /// it.
    pub run_time: i64,
    /// Its time limit, after the overrun rule.
    pub limit: i64,
    /// Processors it holds.
    pub processors: u32,
    /// Its width to the orders of queue and candidates, where that is not its processors ([`Width`]).
    pub scarcest: Option<u32>,
    /// Its user; negative when unknown. Jobs of unknown users count as one user's.
    pub user: i64,
    /// The user's group; negative when unknown.
    pub group: i64,
    /// The program; negative when unknown.
    pub executable: i64,
    /// The queue; negative when unknown.
    pub queue: i64,
    /// The partition; negative when unknown.
    pub partition: i64,
    /// The QOS; negative when unknown.
    pub qos: i64,
    /// Its status in the trace (1 completed, 0 failed, 5 cancelled).
    pub status: i64,
    /// Its request on a machine of nodes. Elsewhere a job should not carry the room for it.
    pub request: Option<Arc<Request>>,
}

impl Job {
    /// Its user for predictors of kind contexts, its queue's number where that is unknown.
    pub fn user_or_queue(&self) -> i64 {
        user_or_queue(self.user.max(UNKNOWN_USER), u32::try_from(self.queue).ok())
    }

    /// Its width to the orders of queue and candidates, in processors.
    pub fn width(&self) -> u32 {
        self.scarcest.unwrap_or(self.processors)
    }
}

/// Treatment of a run time that exceeds the requested time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Overrun {
    /// The job runs on past its limit, as it did.
    #[default]
    Keep,
    /// The job is killed at its limit.
    Cut,
    /// The limit becomes the run time.
    Raise,
}

/// Treatment of a job that ran but whose used processors are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum MissingProcessors {
    /// It is replayed with the processors it requested.
    #[default]
    Requested,
    /// It is dropped.
    Drop,
}

/// Width of a job on nodes to the orders of queue and candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Width {
    /// Its processors.
    #[default]
    Cores,
    /// Its share of the resource of which it takes the largest share, in processors of the machine.
    Scarcest,
}

/// The rules that can be chosen.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Rule 5.
    pub overrun: Overrun,
    /// Rule 2.
    pub missing_processors: MissingProcessors,
    /// The machine's size; by default the header's `MaxProcs`, else its `MaxNodes`.
    pub procs: Option<u32>,
    /// Only the first jobs that pass the rules.
    pub limit_jobs: Option<usize>,
    /// A machine of nodes, which takes the place of its size.
    pub nodes: Option<Arc<Machine>>,
    /// The site, whose machine takes its place.
    pub site: Option<Arc<Site>>,
    /// Width of jobs there.
    pub width: Width,
    /// Jobs without a requested time get a limit by the model of Mu'alem & Feitelson 2001 with this factor f: uniform
    /// from the run time to 1 + f times that, by the job's number, and up to the next of the usual limits.
    pub estimates: Option<f64>,
}

/// Number of lines by the rules that touched them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Job lines of the trace.
    pub lines: u64,
    /// Wrong lines of the trace that are no jobs.
    pub wrong_lines: u64,
    /// Lines out of order, sorted to their place.
    pub out_of_order: u64,
    /// Dropped: the run time is unknown.
    pub dropped_without_run_time: u64,
    /// Dropped: no processors.
    pub dropped_without_processors: u64,
    /// Left out after the first `limit_jobs`.
    pub beyond_limit_jobs: u64,
    /// Replayed with the processors they requested, because those used are unknown.
    pub with_requested_processors: u64,
    /// Cut to the machine's size.
    pub cut_to_machine: u64,
    /// Dropped: more than the nodes have, even empty.
    #[serde(skip_serializing_if = "none")]
    pub beyond_nodes: u64,
    /// Dropped: in partitions that the site does not have.
    #[serde(skip_serializing_if = "none")]
    pub without_partition: u64,
    /// On nodes with memory: with what they used, as their requests are unknown.
    #[serde(skip_serializing_if = "none")]
    pub with_used_memory: u64,
    /// Without a requested time, with a limit drawn by the model of estimates.
    #[serde(skip_serializing_if = "none")]
    pub estimated: u64,
    /// Without a requested time: the run time is the limit.
    pub without_limit: u64,
    /// Jobs of unknown users.
    #[serde(skip_serializing_if = "none")]
    pub without_user: u64,
    /// Ran past the requested time (kept, cut or raised).
    pub overrun: u64,
    /// Replayed.
    pub jobs: u64,
    /// Whether the machine's size is only the most processors that were in use or asked for at once.
    pub size_from_use: bool,
}

impl std::fmt::Display for Counts {
    /// The counts that are not zero, in a sentence.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = several(self.lines + self.wrong_lines, "line");
        write!(f, "{} of {lines}", several(self.jobs, "job"))?;
        let parts = [
            (self.wrong_lines, counted(self.wrong_lines, "wrong line left out", "wrong lines left out")),
            (self.out_of_order, counted(self.out_of_order, "line out of order", "lines out of order")),
            (
                self.dropped_without_run_time,
                format!("{} dropped without run time", self.dropped_without_run_time),
            ),
            (
                self.dropped_without_processors,
                format!("{} dropped without processors", self.dropped_without_processors),
            ),
            (self.beyond_limit_jobs, format!("{} left out after the first jobs", self.beyond_limit_jobs)),
            (
                self.with_requested_processors,
                format!("{} with requested processors", self.with_requested_processors),
            ),
            (self.cut_to_machine, format!("{} cut to the machine", self.cut_to_machine)),
            (self.beyond_nodes, format!("{} dropped as more than the nodes have", self.beyond_nodes)),
            (self.without_partition, format!("{} dropped without partition", self.without_partition)),
            (self.with_used_memory, format!("{} with the memory that they used", self.with_used_memory)),
            (self.estimated, format!("{} with a limit from the model of estimates", self.estimated)),
            (self.without_limit, format!("{} without limit", self.without_limit)),
            (self.overrun, counted(self.overrun, "past its limit", "past their limit")),
        ];
        parts.into_iter().filter(|(count, _)| *count > 0).try_for_each(|(_, what)| write!(f, ", {what}"))?;
        if self.size_from_use {
            f.write_str(", the machine as large as the most in use at once")
        } else {
            Ok(())
        }
    }
}

fn none(count: &u64) -> bool {
    *count == 0
}

impl Counts {
    /// A sentence where jobs are wider than the machine: one of this size cannot have run them.
    pub fn too_wide(&self, procs: u32) -> Option<String> {
        let Counts { cut_to_machine, jobs, .. } = *self;
        (cut_to_machine > 0).then(|| {
            format!(
                "{cut_to_machine} of {jobs} jobs were wider than {procs} processors, and are replayed as if they had taken all of \
                 them: the machine may be larger (--procs)"
            )
        })
    }

    /// A sentence where a site has left jobs out.
    pub fn beyond_site(&self) -> Option<String> {
        let Counts { beyond_nodes, without_partition, jobs, .. } = *self;
        (beyond_nodes + without_partition > 0).then(|| {
            format!(
                "{} of {} left out: {beyond_nodes} ask for more than the nodes of their partition have, {without_partition} are in \
                 partitions that the site does not have, so that waits come out too short",
                beyond_nodes + without_partition,
                several(jobs + beyond_nodes + without_partition, "job")
            )
        })
    }

    /// A sentence where the users are unknown: a job is then not predicted from its user's last ones.
    pub fn nameless(&self) -> Option<String> {
        (self.jobs > 0 && self.without_user == self.jobs).then(|| {
            "the history does not say whose jobs these are: predictions of run times rest on limits and widths, of everybody's jobs"
                .to_owned()
        })
    }

    /// A sentence where half of the jobs or more have no requested time. Their run times are their limits, so that
    /// whoever schedules by limits knows what no scheduler knows.
    pub fn foreknown(&self) -> Option<String> {
        let Counts { without_limit, jobs, .. } = *self;
        (jobs > 0 && without_limit >= jobs.div_ceil(2)).then(|| {
            format!(
                "{without_limit} of {jobs} jobs have no requested time, and their run times stand for it: EVERY POLICY IS \
                 CLAIRVOYANT, knows how long jobs will run, and waits are shorter than any scheduler could make them"
            )
        })
    }
}

/// Advice where [`Counts::foreknown`] warns, for verbs that have the option.
pub const ESTIMATES: &str = "--estimates F gives such jobs limits as people ask for, by the model of Mu'alem & Feitelson \
     2001 (3: from once to four times the run time)";

/// The jobs of one replay.
#[derive(Debug, Clone)]
pub struct Workload {
    /// In order of submission, `jobs[i].id == i`.
    pub jobs: Vec<Job>,
    /// Processors of the machine.
    pub procs: u32,
    /// Effects of the rules.
    pub counts: Counts,
    /// Time of second 0, where the trace has it.
    pub unix_start_time: Option<i64>,
    /// The machine, where it is one of nodes.
    pub nodes: Option<Arc<Machine>>,
    /// The site's rules, where they are known.
    pub site: Option<Arc<SiteRules>>,
}

/// Why a trace makes no workload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Neither the header nor the caller says how large the machine is.
    #[error("{0}: the header has neither MaxProcs nor MaxNodes: give the machine's size with --procs")]
    UnknownSize(String),
    /// A job wants a resource that no node has.
    #[error("{0}: job {1} wants {2}, which the nodes do not have")]
    NoSuchResource(String, i64, String),
    /// Nodes and jobs together know too many features.
    #[error("{0}: the nodes' features and those that jobs ask for are {1}")]
    Features(String, String),
    /// No job is in a partition of the site.
    #[error(
        "{0}: none of {1} jobs is in a partition that the site has: names of partitions are those of sacct's column Partition"
    )]
    NoPartition(String, u64),
    /// The rules leave no job.
    #[error("{0}: no job to replay ({1} job lines, {2} wrong lines)")]
    NoJobs(String, u64, u64),
}

impl Workload {
    /// Applies the rules to a trace.
    ///
    /// # Errors
    /// [`Error`].
    pub fn new(trace: &Trace, rules: &Rules) -> Result<Workload, Error> {
        if trace.records.is_empty() {
            return Err(Error::NoJobs(trace.name.clone(), 0, trace.problems.len() as u64));
        }
        let header = &trace.header;
        let sized = rules.nodes.as_ref().map(|nodes| nodes.processors()).or(rules.procs);
        let procs = sized.or(header.max_procs).or(header.max_nodes).filter(|&procs| procs > 0);
        let procs = procs.ok_or_else(|| Error::UnknownSize(trace.name.clone()))?;
        let mut counts = Counts {
            lines: trace.records.len() as u64,
            wrong_lines: trace.problems.len() as u64,
            out_of_order: trace.out_of_order,
            size_from_use: trace.size_from_use && rules.procs.is_none() && rules.nodes.is_none(),
            ..Counts::default()
        };
        let mut jobs = Vec::with_capacity(trace.records.len());
        let nodes = match &rules.nodes {
            Some(nodes) if !header.features.is_empty() => {
                let with = nodes.with_features(&header.features);
                Some(Arc::new(with.map_err(|why| Error::Features(trace.name.clone(), why))?))
            }
            nodes => nodes.clone(),
        };
        let mut empty = nodes.as_deref().map(|nodes| NodesBlock::new(nodes, 1, 1));
        let site_rules = rules.site.as_deref().map(|site| Arc::new(site.rules(trace)));
        for (place, record) in trace.records.iter().enumerate() {
            if rules.limit_jobs.is_some_and(|limit| jobs.len() >= limit) {
                counts.beyond_limit_jobs += 1;
            } else if let Some(mut job) = job(record, jobs.len(), procs, rules, &mut counts) {
                if let Some((nodes, empty)) = nodes.as_ref().zip(empty.as_mut()) {
                    let request = match rules.site.as_deref().zip(site_rules.as_deref()) {
                        Some((site, site_rules)) => {
                            let asked = trace.asked.get(place).copied().unwrap_or_default();
                            let Some(partition) = site_rules.partitions.get(&job.queue) else {
                                counts.without_partition += 1;
                                continue;
                            };
                            job.qos = asked.qos;
                            site.request(record, &asked, job.processors, partition.feature)
                        }
                        None => nodes.request(record, job.processors, header).map_err(|resource| {
                            Error::NoSuchResource(trace.name.clone(), record.number, resource)
                        })?,
                    };
                    if !empty.view().could_fit(&request).unwrap_or(false) {
                        counts.beyond_nodes += 1;
                        continue;
                    }
                    let memory = nodes.resources.iter().any(|name| name == "mem");
                    counts.with_used_memory += u64::from(memory && record.has_used_memory_alone());
                    if rules.width == Width::Scarcest {
                        job.scarcest = Some(nodes.width(&request));
                    }
                    job.request = Some(Arc::new(request));
                }
                jobs.push(job);
            }
        }
        counts.jobs = jobs.len() as u64;
        counts.without_user = jobs.iter().filter(|job| job.user < 0).count() as u64;
        if jobs.is_empty() {
            if counts.without_partition > 0 {
                return Err(Error::NoPartition(trace.name.clone(), counts.without_partition));
            }
            return Err(Error::NoJobs(trace.name.clone(), counts.lines, counts.wrong_lines));
        }
        Ok(Workload { jobs, procs, counts, unix_start_time: header.unix_start_time, nodes, site: site_rules })
    }

    /// Whether the machine is one of whole, like nodes: see [`Machine::is_whole`].
    pub fn on_whole_nodes(&self) -> bool {
        let requests = self.jobs.iter().filter_map(|job| job.request.as_deref());
        self.nodes.as_ref().is_some_and(|nodes| nodes.is_whole(requests))
    }

    /// The same jobs with every submission shifted by 0 to 59 s, uniformly, by a ChaCha8 generator seeded with `seed`;
    /// seed 0 is the workload as it is. Schedules are chaotic: the spread over seeds tells a difference between
    /// policies from an accident.
    pub fn shifted(&self, seed: u64) -> Workload {
        self.shifted_from(seed).0
    }

    /// [`Workload::shifted`], and which job of this workload each of its jobs is.
    pub fn shifted_from(&self, seed: u64) -> (Workload, Vec<JobId>) {
        let mut shifted = self.clone();
        if seed == 0 {
            let same = shifted.jobs.iter().map(|job| job.id).collect();
            return (shifted, same);
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for job in &mut shifted.jobs {
            job.submit += random.random_range(0..60i64);
        }
        shifted.jobs.sort_by_key(|job| job.submit);
        let from = shifted.jobs.iter().map(|job| job.id).collect();
        for (id, job) in shifted.jobs.iter_mut().enumerate() {
            job.id = id;
        }
        (shifted, from)
    }
}

/// Limits that people ask for, in seconds; beyond them whole days.
const USUAL_LIMITS: [i64; 10] = [300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200, 86_400];

/// A limit for a job without one.
fn estimate(number: i64, run_time: i64, factor: f64) -> i64 {
    let mut random = ChaCha8Rng::seed_from_u64(number.cast_unsigned());
    let wanted = (run_time as f64 * (1.0 + factor * random.random_range(0.0..1.0))).ceil() as i64;
    let usual = USUAL_LIMITS.into_iter().find(|&limit| limit >= wanted);
    usual.unwrap_or(wanted.div_euclid(86_400) * 86_400 + 86_400).min(MAX_SECONDS)
}

fn job(record: &Record, id: JobId, procs: u32, rules: &Rules, counts: &mut Counts) -> Option<Job> {
    if record.run_time < 0 {
        counts.dropped_without_run_time += 1;
        return None;
    }
    // The reader keeps processors within 32 bits: what fails to convert is unknown.
    let known = |processors: i64| u32::try_from(processors).ok().filter(|&processors| processors > 0);
    let used = known(record.used_processors);
    let wanted = match rules.missing_processors {
        MissingProcessors::Requested => used.or(known(record.requested_processors)),
        MissingProcessors::Drop => used,
    };
    let Some(wanted) = wanted else {
        counts.dropped_without_processors += 1;
        return None;
    };
    counts.with_requested_processors += u64::from(used.is_none());
    counts.cut_to_machine += u64::from(wanted > procs);
    let mut run_time = record.run_time;
    let mut limit = record.requested_time;
    if limit <= 0
        && let Some(factor) = rules.estimates
    {
        counts.estimated += 1;
        limit = estimate(record.number, run_time, factor);
    } else if limit <= 0 {
        counts.without_limit += 1;
        limit = run_time;
    }
    if run_time > limit {
        counts.overrun += 1;
        match rules.overrun {
            Overrun::Keep => {}
            Overrun::Cut => run_time = limit,
            Overrun::Raise => limit = run_time,
        }
    }
    Some(Job {
        id,
        number: record.number,
        submit: record.submit,
        wait: record.wait,
        run_time,
        limit,
        processors: wanted.min(procs),
        scarcest: None,
        user: record.user,
        group: record.group,
        executable: record.executable,
        queue: record.queue,
        partition: record.partition,
        qos: -1,
        status: record.status,
        request: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::swf::{Strictness, read};

    /// Run time, used processors, requested processors, requested time.
    fn trace(lines: &[(i64, i64, i64, i64)]) -> Trace {
        let mut text = String::from("; MaxProcs: 10\n");
        for (i, (run_time, used, requested, limit)) in lines.iter().enumerate() {
            text +=
                &format!("{i} {} -1 {run_time} {used} -1 -1 {requested} {limit}{}\n", i * 5, " -1".repeat(9));
        }
        read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap()
    }

    fn rules(overrun: Overrun) -> Rules {
        Rules { overrun, ..Rules::default() }
    }

    #[test]
    fn every_rule_is_counted() {
        let trace = trace(&[
            (50, 4, -1, 100),
            (-1, 4, 4, 100),
            (50, -1, -1, 100),
            (50, 0, 3, 100),
            (0, 2, 2, 100),
            (50, 11, 11, 100),
            (50, 1, 1, -1),
            (150, 1, 1, 100),
        ]);
        let workload = Workload::new(&trace, &rules(Overrun::Keep)).unwrap();
        let expected = Counts {
            lines: 8,
            dropped_without_run_time: 1,
            dropped_without_processors: 1,
            with_requested_processors: 1,
            cut_to_machine: 1,
            without_limit: 1,
            without_user: 6,
            overrun: 1,
            jobs: 6,
            ..Counts::default()
        };
        assert_eq!(workload.counts, expected);
        assert_eq!(workload.jobs.iter().map(|j| j.number).collect::<Vec<_>>(), [0, 3, 4, 5, 6, 7]);
        assert_eq!(workload.jobs.iter().map(|j| j.processors).collect::<Vec<_>>(), [4, 3, 2, 10, 1, 1]);
        assert!(workload.jobs.iter().enumerate().all(|(i, job)| job.id == i));
        let drop = Rules { missing_processors: MissingProcessors::Drop, ..Rules::default() };
        assert_eq!(Workload::new(&trace, &drop).unwrap().counts.dropped_without_processors, 2);
    }

    #[test]
    fn overruns_are_kept_cut_or_raise_the_limit() {
        let trace = trace(&[(150, 1, 1, 100)]);
        for (overrun, expected) in
            [(Overrun::Keep, (150, 100)), (Overrun::Cut, (100, 100)), (Overrun::Raise, (150, 150))]
        {
            let job = Workload::new(&trace, &rules(overrun)).unwrap().jobs.remove(0);
            assert_eq!((job.run_time, job.limit), expected);
        }
    }

    #[test]
    fn sizes_and_first_jobs() {
        let mut trace = trace(&[(50, 4, 4, 100); 5]);
        let few = Rules { procs: Some(3), limit_jobs: Some(2), ..Rules::default() };
        let workload = Workload::new(&trace, &few).unwrap();
        assert_eq!((workload.procs, workload.jobs.len(), workload.counts.beyond_limit_jobs), (3, 2, 3));
        trace.header.max_procs = None;
        assert!(matches!(Workload::new(&trace, &Rules::default()), Err(Error::UnknownSize(_))));
        trace.header.max_nodes = Some(7);
        assert_eq!(Workload::new(&trace, &Rules::default()).unwrap().procs, 7);
        trace.records.clear();
        assert!(matches!(Workload::new(&trace, &Rules::default()), Err(Error::NoJobs(..))));
    }

    #[test]
    fn seeds_shift_submissions_by_less_than_a_minute() {
        let workload = Workload::new(&trace(&[(50, 4, 4, 100); 200]), &Rules::default()).unwrap();
        assert_eq!(workload.shifted(0).jobs, workload.jobs);
        let shifted = workload.shifted(3);
        assert_eq!(shifted.jobs, workload.shifted(3).jobs);
        assert_ne!(shifted.jobs, workload.shifted(4).jobs);
        let (_, from) = workload.shifted_from(3);
        assert!(shifted.jobs.iter().zip(&from).all(|(job, &id)| job.number == workload.jobs[id].number));
        let mut shifts = [0; 60];
        for (id, job) in shifted.jobs.iter().enumerate() {
            assert_eq!(job.id, id);
            shifts[(job.submit - job.number * 5) as usize] += 1;
        }
        assert!(shifts.iter().filter(|&&n| n > 0).count() > 40);
        assert!(shifted.jobs.is_sorted_by_key(|job| job.submit));
    }
}
