//! What the job at the head of the queue does: start on what is free, or hold out for more.

use super::machine::Machine;
use super::workload::Job;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;
use surefill::allocate::{ChoiceOptions, Correction, FreeTimePredictor, Sizing, SizingCapacity};

/// A predicted time counts as over these seconds after the decision at the earliest: a prediction of nothing would
/// prompt without end. Arrivals prompt at once.
const PAUSE: f64 = 30.0;

/// The paper's risk-averse jobs hold out only when they gain more than this share of their run time.
const LEAST_GAIN: f64 = 0.2;

/// HEUR's tuned parameters: hold out for all of A, but no longer than so much of what may be saved.
const HEUR_PATIENCE: f64 = 0.2;

/// What the strategies differ in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// Start on what is free, up to A.
    Avg,
    /// The best size, with the true waits.
    Opt,
    /// The best size, by the paper's combined predictor or another.
    Predicted {
        /// By what.
        predictor: FreeTimePredictor,
        /// With bias correction.
        corrected: bool,
    },
    /// Hold out for A, for a fifth of the time it would save. (All of the paper's thresholds are tuned to "every job".)
    Heur,
    /// Start on no less than this share of A.
    Least(f64),
}

/// A strategy: a rule and section 6.1's improvements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strategy {
    /// The rule.
    pub rule: Rule,
    /// The job declares the number it holds out for, and takes no more.
    pub lock_in: bool,
    /// It holds out only for a fifth of its run time.
    pub averse: bool,
    /// A second of waiting counts once for every job in the queue.
    pub queue: bool,
    /// It is prompted at completions too.
    pub watch: bool,
    /// It weighs that it may change its mind: how long to wait is chosen with the size.
    pub patience: bool,
}

impl Strategy {
    const fn plain(rule: Rule) -> Strategy {
        Strategy { rule, lock_in: false, averse: false, queue: false, watch: false, patience: false }
    }

    /// The baseline.
    pub const AVG: Strategy = Strategy::plain(Rule::Avg);
}

const NAMES: [(&str, Rule); 12] = [
    ("avg", Rule::Avg),
    ("opt", Rule::Opt),
    ("pred", Rule::Predicted { predictor: FreeTimePredictor::Combined, corrected: false }),
    ("bias", Rule::Predicted { predictor: FreeTimePredictor::Combined, corrected: true }),
    ("heur", Rule::Heur),
    ("min40", Rule::Least(0.4)),
    ("exact", Rule::Predicted { predictor: FreeTimePredictor::Mean, corrected: false }),
    ("exact-bias", Rule::Predicted { predictor: FreeTimePredictor::Mean, corrected: true }),
    ("median", Rule::Predicted { predictor: FreeTimePredictor::Quantile(0.5), corrected: false }),
    ("median-bias", Rule::Predicted { predictor: FreeTimePredictor::Quantile(0.5), corrected: true }),
    ("fluid", Rule::Predicted { predictor: FreeTimePredictor::Fluid, corrected: false }),
    ("benefactors", Rule::Predicted { predictor: FreeTimePredictor::Benefactors, corrected: false }),
];

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Strategy, String> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let Some((_, rule)) = NAMES.iter().find(|known| known.0 == name) else {
            let known: Vec<&str> = NAMES.iter().map(|known| known.0).collect();
            return Err(format!("no strategy '{name}'; there are {}", known.join(", ")));
        };
        let mut strategy = Strategy::plain(*rule);
        for part in parts {
            match part {
                "lock" => strategy.lock_in = true,
                "averse" => strategy.averse = true,
                "queue" => strategy.queue = true,
                "watch" => strategy.watch = true,
                "patience" => strategy.patience = true,
                _ => {
                    return Err(format!(
                        "no modifier '{part}'; there are lock, averse, queue, watch, patience"
                    ));
                }
            }
        }
        if strategy != Strategy::plain(*rule) && !matches!(rule, Rule::Predicted { .. }) {
            return Err(format!("'{name}' has no modifiers"));
        }
        if strategy.patience && name != "exact" {
            return Err("only exact takes patience".to_owned());
        }
        Ok(strategy)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|known| known.1 == self.rule).map_or("?", |known| known.0);
        f.write_str(name)?;
        for (set, part) in [
            (self.lock_in, "+lock"),
            (self.averse, "+averse"),
            (self.queue, "+queue"),
            (self.watch, "+watch"),
            (self.patience, "+patience"),
        ] {
            f.write_str(if set { part } else { "" })?;
        }
        Ok(())
    }
}

/// A job that holds out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// It starts as soon as this number is free.
    pub target: u32,
    /// It is prompted at this time.
    pub until: f64,
    /// The most it may take.
    pub most: u32,
}

/// What the head job decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// Start on this number of processors.
    Start(u32),
    /// Hold out.
    Wait(Hold),
}

/// What happened just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Events {
    /// A job arrived.
    pub arrival: bool,
    /// A job ended.
    pub completion: bool,
}

/// A prediction that was used, and what was true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Before bias correction, in seconds.
    pub raw: f64,
    /// As used, in seconds.
    pub used: f64,
    /// The true wait, in seconds.
    pub actual: f64,
}

/// A strategy at work: its predictor's memory and what it has learnt.
pub struct Decider {
    /// The strategy.
    pub strategy: Strategy,
    /// Predictions that decided to hold out.
    pub predictions: Vec<Prediction>,
    memory: Vec<u64>,
    correction: Correction,
    /// Outcomes that are not known yet: when they will be, and which prediction.
    pending: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Decider {
    /// A strategy that knows nothing yet.
    pub fn new(strategy: Strategy, procs: u32) -> Decider {
        let limits = SizingCapacity { running: procs, processors: procs, bins: 0, events_per_bin: 1 };
        let mut memory = vec![0; Sizing::size(&limits).expect("limits").div_ceil(8)];
        Sizing::init(bytemuck::cast_slice_mut(&mut memory), &limits).expect("memory");
        Decider {
            strategy,
            predictions: Vec::new(),
            memory,
            correction: Correction::new(),
            pending: BinaryHeap::new(),
        }
    }

    /// What the head job does now; at least one processor must be free. `hold` is what it decided before, `queued` the
    /// jobs in the queue, itself included.
    pub fn decide(
        &mut self,
        machine: &Machine,
        job: &Job,
        queued: usize,
        hold: Option<Hold>,
        events: Events,
    ) -> Decision {
        let most = hold.map_or(job.most, |hold| hold.most);
        if let Some(hold) = hold {
            if machine.free >= hold.target {
                return Decision::Start(machine.free.min(most));
            }
            let predicted = matches!(self.strategy.rule, Rule::Predicted { .. });
            let prompted = machine.now >= hold.until
                || predicted && (events.arrival || self.strategy.watch && events.completion);
            if !prompted {
                return Decision::Wait(hold);
            }
        }
        let free = machine.free.min(most);
        if free == most {
            return Decision::Start(free);
        }
        match self.strategy.rule {
            Rule::Avg => Decision::Start(free),
            Rule::Opt => {
                let mut best = (job.run_time(free), free);
                for (wait, free) in machine.releases() {
                    let total = wait + job.run_time(free.clamp(1, most));
                    if total < best.0 {
                        best = (total, free.min(most));
                    }
                }
                if best.1 == free {
                    return Decision::Start(free);
                }
                Decision::Wait(Hold { target: best.1, until: f64::INFINITY, most })
            }
            Rule::Heur if hold.is_some() => Decision::Start(free),
            Rule::Heur => {
                let saved = job.run_time(free) - job.run_time(most);
                Decision::Wait(Hold { target: most, until: machine.now + HEUR_PATIENCE * saved, most })
            }
            Rule::Least(share) => {
                let target = (share * f64::from(job.most)).ceil() as u32;
                if free >= target {
                    return Decision::Start(free);
                }
                Decision::Wait(Hold { target, until: f64::INFINITY, most })
            }
            Rule::Predicted { predictor, corrected } => {
                self.predicted(machine, job, queued, predictor, corrected, most)
            }
        }
    }

    fn predicted(
        &mut self,
        machine: &Machine,
        job: &Job,
        queued: usize,
        predictor: FreeTimePredictor,
        corrected: bool,
        most: u32,
    ) -> Decision {
        let options = ChoiceOptions {
            predictor,
            least: 1,
            most,
            weight: if self.strategy.queue { queued as f64 } else { 1.0 },
            least_gain: if self.strategy.averse { LEAST_GAIN } else { 0.0 },
        };
        let mut sizing = Sizing::attach(bytemuck::cast_slice_mut(&mut self.memory)).expect("our own block");
        sizing.begin(machine.free).expect("no more than there are");
        for running in &machine.running {
            let age = machine.now - running.start;
            sizing.add_running(running.processors, age, &running.lifetime).expect("a running job");
        }
        let correction = corrected.then_some(&self.correction);
        if self.strategy.patience {
            let chosen = sizing.choose_with_patience(&options, |n| job.run_time(n));
            let (choice, patience) = chosen.expect("one is free");
            if choice.processors <= machine.free {
                return Decision::Start(choice.processors);
            }
            let lock = if self.strategy.lock_in { choice.processors } else { most };
            // A second at least, as the time must go on.
            let until = machine.now + patience.max(1.0);
            return Decision::Wait(Hold { target: choice.processors, until, most: lock });
        }
        let choice = sizing.choose(&options, correction, |n| job.run_time(n)).expect("one is free");
        if choice.processors <= machine.free {
            return Decision::Start(choice.processors);
        }
        let actual = machine.wait(choice.processors);
        let known = (machine.now + actual).to_bits();
        self.pending.push(Reverse((known, self.predictions.len())));
        self.predictions.push(Prediction { raw: choice.predicted, used: choice.wait, actual });
        Decision::Wait(Hold {
            target: choice.processors,
            until: machine.now + choice.wait.max(PAUSE),
            most: if self.strategy.lock_in { choice.processors } else { most },
        })
    }

    /// Learns from the predictions whose outcomes are known by now: when the processors would have been free follows
    /// from the ends of the jobs that ran.
    pub fn learn(&mut self, now: f64) {
        while let Some(&Reverse((known, index))) = self.pending.peek()
            && f64::from_bits(known) <= now
        {
            self.pending.pop();
            let Prediction { raw, actual, .. } = self.predictions[index];
            self.correction.record(raw, actual).expect("seconds");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in [
            "avg",
            "opt",
            "bias+lock+averse",
            "exact+queue",
            "median+watch",
            "exact+watch+patience",
            "min40",
            "heur",
        ] {
            assert_eq!(name.parse::<Strategy>().unwrap().to_string(), name);
        }
        for wrong in ["", "best", "avg+lock", "exact+fast", "pred+patience"] {
            assert!(wrong.parse::<Strategy>().is_err());
        }
    }
}
