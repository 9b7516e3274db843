//! Gain of the on-line predictor on each job when it is submitted (Nissimov 2006, chapter 4).
//!
//! The trace's own submissions, starts and ends are reported to the core's [`surefill::predict::Predictor`] in order of
//! time; at one second ends come before submissions and those before starts. Each job's bin r is looked up in two
//! distributions, both of the moment of its submission: the predictor's p, and the shares q of the bins among all jobs
//! finished by then. The gain is log2 p'(r) - log2 q'(r) bits, with the safety distribution of section 3.1 on both
//! sides, epsilon = 1 / (n + 1) for n finished jobs:
//!
//! ```text
//! p' = p (1 - epsilon) where p > 0, epsilon / N_0 in the N_0 bins where p = 0.
//! ```
//!
//! The predictor learns by Baum-Welch over all slots whose jobs have left, or on line, by recursive
//! expectation-maximisation over each of them once ([`Learn`]); where no state explains what it sees it is silent, or
//! goes on with a floor under the probabilities.
//!
//! A job for which the predictor is silent has no gain: the mean over predicted jobs leaves it out, the mean over all
//! jobs counts it as 0. So does a job before the first one has finished.

use crate::generate::hmm::Error;
use crate::generate::hmm::by_text;
use crate::generate::hmm::entropy::entropy;
use crate::generate::hmm::flat::Load;
use crate::generate::hmm::sample::{Binning, make_safe, safety};
use crate::generate::hmm::train::{Start, Stop};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Instant;
use surefill::hmm::{HmmCapacity, OnlineOptions};
use surefill::predict::{Learning, Predictor, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill_simulator::trace::workload::Job;

const WEEK: i64 = 7 * 86_400;

/// By what the predictor learns, written `batch`, `online` or `online=A`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Learn {
    /// Rounds of Baum-Welch over all slots.
    #[default]
    Batch,
    /// Recursive expectation-maximisation with steps t^-A.
    Online(f64),
}

impl FromStr for Learn {
    type Err = String;

    fn from_str(text: &str) -> Result<Learn, String> {
        let exponent = match text.split_once('=') {
            None if text == "batch" => return Ok(Learn::Batch),
            None if text == "online" => Some(OnlineOptions::default().exponent),
            Some(("online", exponent)) => exponent.parse().ok(),
            _ => None,
        };
        let valid =
            |exponent: &f64| OnlineOptions { exponent: *exponent, ..Default::default() }.check().is_ok();
        let exponent = exponent.filter(valid);
        exponent
            .map(Learn::Online)
            .ok_or_else(|| "not batch, online or online=A (A above 0.5, to 1)".to_owned())
    }
}

impl fmt::Display for Learn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Learn::Batch => f.write_str("batch"),
            Learn::Online(exponent) => write!(f, "online={exponent}"),
        }
    }
}

/// Options of the predictor's learning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// By what.
    #[serde(with = "by_text")]
    pub learn: Learn,
    /// The floor under a state's probabilities where no state explains a slot; 0 for silence.
    pub floor: f64,
    /// States M.
    pub states: u32,
    /// Slots and bins.
    #[serde(flatten)]
    pub binning: Binning,
    /// The load model.
    pub load: Load,
    /// The initial values.
    pub initial: Start,
    /// When a training stops.
    #[serde(with = "by_text")]
    pub stop: Stop,
    /// When it stops in any case.
    pub most_rounds: u64,
}

impl Default for Options {
    /// The thesis's: M = 16, 15 min, 1.8, L1 with 200.
    fn default() -> Options {
        let PredictorOptions { most_rounds, floor, .. } = PredictorOptions::of(PredictorKind::Hmm);
        Options {
            learn: Learn::Batch,
            floor,
            states: 16,
            binning: Binning::default(),
            load: Load::None,
            initial: Start::Static,
            stop: Stop::default(),
            most_rounds,
        }
    }
}

/// The gain on line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Online {
    /// Options of the predictor's learning.
    #[serde(flatten)]
    pub options: Options,
    /// Over all jobs.
    pub overall: Gain,
    /// By the week of submission, from the first submission on; weeks without jobs are left out.
    pub weeks: Vec<Week>,
    /// Trainings.
    pub trainings: u64,
    /// Their rounds; on line, slots learnt.
    pub rounds: u64,
    /// Slots that no state explained, over the last rounds of all trainings; on line, all such slots.
    pub adapted: u64,
    /// Jobs whose wait the trace does not know: taken as 0.
    pub unknown_waits: u64,
    /// The predictor's memory in bytes.
    pub memory: usize,
    /// Seconds that it took.
    pub seconds: f64,
}

/// One week.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Week {
    /// Its number, from 0.
    pub week: i64,
    /// The jobs submitted in it.
    #[serde(flatten)]
    pub gain: Gain,
}

/// Gain on some jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Jobs.
    pub jobs: u64,
    /// Jobs that the predictor was not silent about.
    pub predicted: u64,
    /// Jobs before the first training was done: the predictor is silent. About the other silent jobs it was so because
    /// its model excluded what it saw.
    pub untrained: u64,
    /// Predicted jobs whose bin the model held impossible: p = 0, so that p' is the safety distribution's share alone.
    pub impossible: u64,
    /// Bits gained, in all.
    pub bits: f64,
    /// -log2 q'(r) in all, over predicted jobs.
    pub base_bits: f64,
}

impl Gain {
    /// Bits a predicted job; `None` without any.
    pub fn per_predicted(&self) -> Option<f64> {
        (self.predicted > 0).then(|| self.bits / self.predicted as f64)
    }

    /// Bits a job; `None` without any.
    pub fn per_job(&self) -> Option<f64> {
        (self.jobs > 0).then(|| self.bits / self.jobs as f64)
    }

    /// Bits that a predicted job costs with all finished jobs' distribution; `None` without any.
    pub fn base_per_predicted(&self) -> Option<f64> {
        (self.predicted > 0).then(|| self.base_bits / self.predicted as f64)
    }

    /// The share of jobs that the predictor was silent about.
    pub fn silent(&self) -> f64 {
        (self.jobs - self.predicted) as f64 / self.jobs.max(1) as f64
    }

    fn add(&mut self, surprise: Option<Surprise>, trained: bool) {
        self.jobs += 1;
        self.untrained += u64::from(!trained);
        if let Some(surprise) = surprise {
            self.predicted += 1;
            self.impossible += u64::from(surprise.impossible);
            self.bits += surprise.base - surprise.predicted;
            self.base_bits += surprise.base;
        }
    }
}

/// Surprise of a job's bin, in bits.
#[derive(Debug, Clone, Copy)]
struct Surprise {
    predicted: f64,
    base: f64,
    impossible: bool,
}

/// Event of a job, in the order of one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// It ends.
    End,
    /// It is submitted.
    Submit,
    /// It starts.
    Start,
    /// The end of a job that took no time.
    Instant,
}

/// All events in order: time, event, place of the job.
pub fn events(jobs: &[Job]) -> Vec<(i64, Event, usize)> {
    let mut events = Vec::with_capacity(3 * jobs.len());
    for (index, job) in jobs.iter().enumerate() {
        let start = job.submit + job.wait.max(0);
        let end = if job.run_time > 0 { Event::End } else { Event::Instant };
        events.push((job.submit, Event::Submit, index));
        events.push((start, Event::Start, index));
        events.push((start + job.run_time.max(0), end, index));
    }
    events.sort_unstable();
    events
}

fn limits(
    jobs: &[Job],
    events: &[(i64, Event, usize)],
    options: &Options,
    bins: usize,
) -> Result<PredictorCapacity, Error> {
    let slot_s = options.binning.slot_s.max(1);
    let ends = events.first().zip(events.last()).ok_or(Error::NoJobs)?;
    let slots = ends.1.0.div_euclid(slot_s) - ends.0.0.div_euclid(slot_s) + 1;
    let too_long = || Error::Slots { count: slots, slot_s, most: 1 << 24 };
    let slots = u32::try_from(slots).ok().filter(|&slots| slots <= 1 << 24).ok_or_else(too_long)?;
    let (mut inside, mut most) = (0u32, 1);
    for (_, event, _) in events {
        match event {
            Event::Submit => inside += 1,
            Event::Start => {}
            Event::End | Event::Instant => inside -= 1,
        }
        most = most.max(inside);
    }
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (slots, cells) = match options.learn {
        Learn::Batch => (slots, jobs.len()),
        Learn::Online(_) => recent(jobs, slot_s, slots),
    };
    let hmm = HmmCapacity {
        states: options.states,
        bins: count(bins),
        slots: slots.max(2),
        cells: count(cells.max(bins)),
    };
    let kind = match options.learn {
        Learn::Batch => PredictorKind::Hmm,
        Learn::Online(_) => PredictorKind::HmmOnline,
    };
    let window = slots.clamp(1, 1 << 14);
    Ok(PredictorCapacity { jobs: most, hmm, window, ..PredictorCapacity::of(kind) })
}

/// The slots and cells that a predictor which learns on line needs: as far back as the job that stays longest, and an
/// eighth more, as slots leave by eighths. At most `all` slots.
fn recent(jobs: &[Job], slot_s: i64, all: u32) -> (u32, usize) {
    let longest = jobs.iter().map(|job| job.wait.max(0) + job.run_time.max(0)).max().unwrap_or(0);
    let stay = u32::try_from(longest / slot_s + 2).unwrap_or(all);
    let slots = stay.saturating_add(stay / 4).saturating_add(16).min(all);
    let span = i64::from(slots) * slot_s;
    let mut first = 0;
    let mut most = 0;
    for (last, job) in jobs.iter().enumerate() {
        while job.submit - jobs[first].submit >= span {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    // The pool of cells leaves by eighths as well.
    (slots, (most + most / 4 + 64).min(jobs.len()))
}

/// Whether a bin has nothing but its share of the predictor's safety distribution, after this many finished jobs: the
/// predictor's epsilon is [`safety`]'s, but at most 1 / 100, and the empty bins share it equally.
fn has_safety_alone(predicted: &[f64], bin: usize, jobs: f64) -> bool {
    let least = predicted.iter().copied().fold(f64::INFINITY, f64::min);
    let empty = predicted.iter().filter(|p| **p == least).count() as f64;
    predicted[bin] == least && least == safety(jobs.max(99.0)) / empty
}

/// Reports a trace's jobs, in order of submission, to a predictor. `progress` is called after every few submissions.
///
/// # Errors
/// [`Error`].
pub fn online(jobs: &[Job], options: &Options, progress: &(dyn Fn(u64) + Sync)) -> Result<Online, Error> {
    /// Submissions between two reports of progress.
    const STEP: u64 = 1000;
    let began = Instant::now();
    let bins = options.binning.bins(jobs)?;
    let events = events(jobs);
    let limits = limits(jobs, &events, options, bins.count())?;
    let mut memory = vec![0u64; Predictor::size(&limits)?.div_ceil(8)];
    let learning = PredictorOptions {
        slot_seconds: options.binning.slot_s,
        load: options.load.model(),
        initial: options.initial.initial(),
        termination: options.stop.0,
        most_rounds: options.most_rounds,
        floor: options.floor,
        exponent: match options.learn {
            Learn::Batch => OnlineOptions::default().exponent,
            Learn::Online(exponent) => exponent,
        },
        // No job of a trace stays for ever.
        oldest_seconds: 1 << 40,
        ..PredictorOptions::of(limits.kind)
    };
    let memory: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    let bytes = memory.len();
    let mut predictor = Predictor::init(memory, &limits, &bins, &learning)?;
    if options.initial == Start::Entropy {
        let flat = entropy(options.states as usize, bins.count(), options.load, 1.0);
        predictor.set_model(&flat.parameters(options.load))?;
    }
    let mut finished = vec![0.0; bins.count()];
    let mut count = 0.0;
    let (mut shares, mut predicted) = (finished.clone(), finished.clone());
    let mut online = Online {
        options: *options,
        overall: Gain::default(),
        weeks: Vec::new(),
        trainings: 0,
        rounds: 0,
        adapted: 0,
        unknown_waits: jobs.iter().filter(|job| job.wait < 0).count() as u64,
        memory: bytes,
        seconds: 0.0,
    };
    let first = jobs.first().map_or(0, |job| job.submit);
    for (now, event, index) in events {
        let id = index as i64;
        let bin = bins.bin_of(jobs[index].run_time as f64);
        match event {
            Event::Submit => {
                predictor.submit(id, &[], now)?;
                // Without the fallback to the distribution of all finished jobs: the model is studied.
                let spoke = predictor.said_by_model(id, &mut predicted)?;
                // Initial values that are handed to it are no prediction before it has learnt.
                let trained = online.trainings > 0;
                let surprise = (spoke && trained && count > 0.0).then(|| {
                    shares.iter_mut().zip(&finished).for_each(|(share, jobs)| *share = jobs / count);
                    make_safe(&mut shares, safety(count));
                    let bits = |p: &[f64]| -libm::log2(p[bin]);
                    let impossible = has_safety_alone(&predicted, bin, count);
                    Surprise { predicted: bits(&predicted), base: bits(&shares), impossible }
                });
                online.overall.add(surprise, trained);
                let week = (now - first) / WEEK;
                if online.weeks.last().is_none_or(|last| last.week != week) {
                    online.weeks.push(Week { week, gain: Gain::default() });
                }
                if let Some(week) = online.weeks.last_mut() {
                    week.gain.add(surprise, trained);
                }
                if online.overall.jobs.is_multiple_of(STEP) {
                    progress(STEP);
                }
            }
            Event::Start => predictor.start(id, now)?,
            Event::End | Event::Instant => {
                predictor.end(id, now)?;
                finished[bin] += 1.0;
                count += 1.0;
                while predictor.wants_training() {
                    match predictor.train(u64::MAX)? {
                        Learning::Done(round) => {
                            online.trainings += 1;
                            // On line these are the slots learnt in all.
                            online.rounds = match options.learn {
                                Learn::Batch => online.rounds + round.rounds,
                                Learn::Online(_) => round.rounds,
                            };
                            online.adapted += u64::from(round.adapted);
                        }
                        Learning::More => {}
                        Learning::Idle => break,
                    }
                }
            }
        }
    }
    progress(online.overall.jobs % STEP);
    online.seconds = began.elapsed().as_secs_f64();
    Ok(online)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_second_are_in_order() {
        let job = |submit, wait, run_time| Job { submit, wait, run_time, ..Job::default() };
        let events = events(&[job(0, 0, 10), job(10, -1, 0), job(10, 5, 1)]);
        use Event::{End, Instant, Start, Submit};
        let expected = [
            (0, Submit, 0),
            (0, Start, 0),
            (10, End, 0),
            (10, Submit, 1),
            (10, Submit, 2),
            (10, Start, 1),
            (10, Instant, 1),
            (15, Start, 2),
            (16, End, 2),
        ];
        assert_eq!(events, expected);
    }
}
