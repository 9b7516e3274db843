//! The gain against rounds of training, for the settings that the thesis compares (Nissimov 2006, figures 3.1 to 3.4)
//! and the one that it proposes (section 3.4.2: slots first long, then halved), and on line (figure 4.1): on all
//! processors, settings of all traces side by side.

use super::fit::{Facts, Fit, Point, fit_from};
use super::online::{self, Online};
use crate::generate::hmm::Error;
use crate::generate::hmm::flat::{Flat, Load};
use crate::generate::hmm::sample::{Binning, Sample};
use crate::generate::hmm::train::{Options, Start, Stop, Trained};
use clap::ValueEnum;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surefill::hmm::Termination;
use surefill_simulator::trace::workload::{Counts, Workload};

/// A comparison of the thesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Figure {
    /// Figure 3.1: numbers of states and ratios of run-time bins.
    States,
    /// Figure 3.2: slot lengths.
    Slots,
    /// Figure 3.3: initial values.
    Initial,
    /// Figure 3.4: load models, by Pr(R|L).
    Load,
    /// Section 3.4.2's proposal: long slots halved.
    Halving,
    /// Figure 4.1: on line, each job when it is submitted.
    Online,
}

/// One model to be trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// States M.
    pub states: u32,
    /// Slots and bins.
    #[serde(flatten)]
    pub binning: Binning,
    /// The load model.
    pub load: Load,
    /// The initial values.
    pub initial: Start,
    /// Before these slots, training has been on slots this many times twice as long, a few rounds each (section 3.4.2).
    pub halvings: u32,
}

impl Default for Setting {
    /// The thesis's: M = 16, 15 min, 1.8, no load, Static-IV.
    fn default() -> Setting {
        let Options { states, load, initial, .. } = Options::default();
        Setting { states, binning: Binning::default(), load, initial, halvings: 0 }
    }
}

impl Setting {
    /// Cost of a round, in rounds of 16 states.
    pub fn round_cost(&self) -> f64 {
        (f64::from(self.states) / 16.0).powi(2)
    }
}

/// Settings that are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choices {
    /// The comparisons.
    pub figures: Vec<Figure>,
    /// Rounds of training.
    pub rounds: u64,
    /// Numbers of states for [`Figure::States`].
    pub states: Vec<u32>,
    /// Ratios of bins for [`Figure::States`].
    pub ratios: Vec<f64>,
    /// Slot lengths in seconds for [`Figure::Slots`].
    pub slots_s: Vec<i64>,
    /// Slot lengths in seconds for [`Figure::Initial`].
    pub initial_slots_s: Vec<i64>,
    /// Slot lengths in seconds for [`Figure::Halving`].
    pub halving_slots_s: Vec<i64>,
    /// Largest number of halvings that they come from.
    pub halvings: u32,
    /// Rounds of training before every halving.
    pub halving_rounds: u64,
    /// Options of the on-line predictor's learning that are compared.
    pub online: Vec<online::Options>,
}

impl Default for Choices {
    fn default() -> Choices {
        Choices {
            figures: Figure::value_variants().to_vec(),
            rounds: 100,
            states: vec![4, 8, 16, 32],
            ratios: vec![1.4, 1.8],
            slots_s: vec![300, 600, 900, 1800, 3600, 5400],
            initial_slots_s: vec![300, 900],
            halving_slots_s: vec![300, 900],
            halvings: 2,
            halving_rounds: 10,
            online: vec![online::Options::default()],
        }
    }
}

impl Choices {
    /// The settings of a comparison.
    pub fn settings(&self, figure: Figure) -> Vec<Setting> {
        let base = Setting::default();
        let slots = |slot_s: i64| Setting { binning: Binning { slot_s, ..base.binning }, ..base };
        match figure {
            Figure::States => {
                let of = |&ratio: &f64| {
                    let binning = Binning { ratio, ..base.binning };
                    self.states.iter().map(move |&states| Setting { states, binning, ..base })
                };
                self.ratios.iter().flat_map(of).collect()
            }
            Figure::Slots => self.slots_s.iter().map(|&slot_s| slots(slot_s)).collect(),
            Figure::Initial => {
                let of = |&slot_s: &i64| {
                    [Start::Static, Start::Kmeans, Start::Entropy]
                        .map(|initial| Setting { initial, ..slots(slot_s) })
                };
                self.initial_slots_s.iter().flat_map(of).collect()
            }
            Figure::Load => Load::value_variants().iter().map(|&load| Setting { load, ..base }).collect(),
            Figure::Halving => {
                let of = |&slot_s: &i64| {
                    (0..=self.halvings).map(move |halvings| Setting { halvings, ..slots(slot_s) })
                };
                self.halving_slots_s.iter().flat_map(of).collect()
            }
            Figure::Online => Vec::new(),
        }
    }

    /// All settings, each once.
    pub fn all(&self) -> Vec<Setting> {
        let mut all = Vec::new();
        for setting in self.figures.iter().flat_map(|&figure| self.settings(figure)) {
            if !all.contains(&setting) {
                all.push(setting);
            }
        }
        all
    }

    /// Rounds of training in all, for one trace.
    pub fn total_rounds(&self) -> u64 {
        let before: u64 =
            self.all().iter().map(|setting| u64::from(setting.halvings) * (self.halving_rounds + 1)).sum();
        self.all().len() as u64 * (self.rounds + 1) + before
    }
}

/// A setting's gain, round by round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Data that was trained and tested on.
    #[serde(flatten)]
    pub facts: Facts,
    /// Rounds and end of the training.
    pub trained: Trained,
    /// Seconds that it took on one processor, tests and longer slots included.
    pub seconds: f64,
    /// After every round.
    pub points: Vec<Point>,
}

impl Curve {
    /// The model after this number of rounds.
    pub fn after(&self, round: u64) -> Option<&Point> {
        self.points.iter().find(|point| point.round == round)
    }

    /// The model with the largest gain.
    pub fn best(&self) -> Option<&Point> {
        let gains = self.points.iter().filter(|point| point.any_gain().is_some());
        gains.max_by(|a, b| a.any_gain().unwrap_or(0.0).total_cmp(&b.any_gain().unwrap_or(0.0)))
    }

    /// The last point.
    pub fn last(&self) -> Option<&Point> {
        self.points.last()
    }
}

/// A comparison's curves, as places in [`Study::curves`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// The comparison.
    pub figure: Figure,
    /// Its curves.
    pub curves: Vec<usize>,
}

/// A trace's gains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// The trace's file name.
    pub trace: String,
    /// Effects of the replay rules.
    pub replay: Counts,
    /// Seconds between submissions, on average.
    pub mean_interarrival_s: f64,
    /// The comparisons.
    pub figures: Vec<Compared>,
    /// Every setting's curve.
    pub curves: Vec<Curve>,
    /// The on-line predictor's gain, for every way of learning.
    pub online: Vec<Online>,
}

impl Study {
    /// A comparison's curves.
    pub fn of(&self, figure: Figure) -> Vec<&Curve> {
        let compared = self.figures.iter().find(|compared| compared.figure == figure);
        compared.into_iter().flat_map(|compared| &compared.curves).map(|&curve| &self.curves[curve]).collect()
    }
}

/// One thing to be done for a trace.
#[derive(Debug, Clone, Copy)]
enum Task {
    Setting(Setting),
    Online(online::Options),
}

enum Done {
    Curve(Box<Curve>),
    Online(Box<Online>),
}

/// A step of progress.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// After every round.
    pub rounds: &'a (dyn Fn(u64) + Sync),
    /// After this number of jobs on line.
    pub jobs: &'a (dyn Fn(u64) + Sync),
}

/// Makes the comparisons for traces, named.
///
/// # Errors
/// A trace's name and its [`Error`].
pub fn studies(
    traces: &[(String, Workload)],
    choices: &Choices,
    progress: Progress<'_>,
) -> Result<Vec<Study>, (String, Error)> {
    let settings = choices.all();
    let online: &[online::Options] =
        if choices.figures.contains(&Figure::Online) { &choices.online } else { &[] };
    let online = online.iter().copied().map(Task::Online);
    let tasks: Vec<Task> = online.chain(settings.iter().copied().map(Task::Setting)).collect();
    let all: Vec<(usize, Task)> =
        (0..traces.len()).flat_map(|trace| tasks.iter().map(move |&task| (trace, task))).collect();
    let done = all.par_iter().with_max_len(1).map(|&(trace, task)| {
        let (name, workload) = &traces[trace];
        perform(workload, task, choices, progress).map_err(|error| (name.clone(), error))
    });
    let mut done = done.collect::<Result<Vec<Done>, _>>()?.into_iter();
    let study = |(name, workload): &(String, Workload)| {
        let (mut curves, mut online) = (Vec::new(), Vec::new());
        for done in done.by_ref().take(tasks.len()) {
            match done {
                Done::Curve(curve) => curves.push(*curve),
                Done::Online(found) => online.push(*found),
            }
        }
        let place = |setting: &Setting| settings.iter().position(|other| other == setting);
        let compared = |&figure: &Figure| Compared {
            figure,
            curves: choices.settings(figure).iter().filter_map(place).collect(),
        };
        let (first, last) = (workload.jobs.first(), workload.jobs.last());
        let span = first.zip(last).map_or(0, |(first, last)| last.submit - first.submit);
        Study {
            trace: name.clone(),
            replay: workload.counts,
            mean_interarrival_s: span as f64 / workload.jobs.len().saturating_sub(1).max(1) as f64,
            figures: choices.figures.iter().map(compared).collect(),
            curves,
            online,
        }
    };
    Ok(traces.iter().map(study).collect())
}

fn perform(
    workload: &Workload,
    task: Task,
    choices: &Choices,
    progress: Progress<'_>,
) -> Result<Done, Error> {
    let jobs = &workload.jobs;
    let setting = match task {
        Task::Setting(setting) => setting,
        Task::Online(options) => {
            return online::online(jobs, &options, progress.jobs).map(|found| Done::Online(found.into()));
        }
    };
    let Setting { states, binning, load, initial, halvings } = setting;
    let options = |rounds: u64| {
        let stop = Stop(Termination::Rounds(rounds));
        Options { states, load, initial, stop, most_rounds: rounds }
    };
    // The longest slots first; the model of each is the next one's beginning.
    let (mut from, mut before) = (None, 0.0);
    for halving in (1..=halvings).rev() {
        let slot_s = binning.slot_s.checked_shl(halving).unwrap_or(i64::MAX);
        let sample = Sample::new(jobs, slot_s, binning.bins(jobs)?)?;
        let rounds = options(choices.halving_rounds);
        let mut longer = fit_from(from.as_ref(), &sample, true, &rounds, progress.rounds)?;
        before += longer.seconds;
        let mut hmm = longer.block.hmm()?;
        hmm.halve_slots()?;
        from = Some(Flat::of(&hmm)?);
    }
    let sample = Sample::new(jobs, binning.slot_s, binning.bins(jobs)?)?;
    let rounds = options(choices.rounds);
    let Fit { facts, trained, points, seconds, .. } =
        fit_from(from.as_ref(), &sample, true, &rounds, progress.rounds)?;
    Ok(Done::Curve(Curve { setting, facts, trained, seconds: before + seconds, points }.into()))
}
