//! Decision of the job at the head of the queue: start on what is free, or hold out for more.

use super::machine::Machine;
use super::reading::{Reading, Readings};
use super::workload::Job;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;
use surefill::allocate::{ChoiceOptions, Correction, FreeTimePredictor, LogUniform, Sizing, SizingCapacity};

/// A predicted time counts as over these seconds after the decision at the earliest: a prediction of nothing would
/// prompt without end. Arrivals prompt at once.
const PAUSE: f64 = 30.0;

/// The same where [`Reading::Hasty`] holds.
const SHORT_PAUSE: f64 = 1.0;

/// The paper's line (section 5.4): intercept and slope.
const PUBLISHED: (f64, f64) = (1.7, 0.6);

/// The paper's risk-averse jobs hold out only when they gain more than this share of their run time.
const LEAST_GAIN: f64 = 0.2;

/// HEUR's parameters (section 5.5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heur {
    /// L_thresh: jobs of a longer sequential lifetime, in seconds, hold out.
    pub lifetime: f64,
    /// A_thresh: if their average parallelism is greater.
    pub parallelism: f64,
    /// f: for this share of A,
    pub share: f64,
    /// k: and for so much of what that may save.
    pub patience: f64,
}

impl Heur {
    /// The paper's tuned values: every job holds out for all of A, for a fifth of what that may save.
    pub const TUNED: Heur = Heur { lifetime: 0.0, parallelism: 1.0, share: 1.0, patience: 0.2 };

    /// From `l=0:a=1:f=1:k=0.2`, of which every part may be left out.
    fn read(parts: &str) -> Result<Heur, String> {
        let mut heur = Heur::TUNED;
        for part in parts.split(':') {
            let wrong =
                || format!("'{part}' is none of l=, a=, f= and k= with a number, 0 or more, f at most 1");
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let value: f64 = value
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite() && *value >= 0.0)
                .ok_or_else(wrong)?;
            match name {
                "l" => heur.lifetime = value,
                "a" => heur.parallelism = value,
                "f" if value > 0.0 && value <= 1.0 => heur.share = value,
                "k" => heur.patience = value,
                _ => return Err(wrong()),
            }
        }
        Ok(heur)
    }
}

/// Rules by which the strategies differ.
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
    /// Hold out for a share of A, for a part of the time that would save.
    Heur(Heur),
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
    /// The line of the bias correction is estimated in a first run, under AVG, and stays what it is in a second.
    pub twice: bool,
    /// Equation 5 as printed: its t, which is a job's whole lifetime, is taken for the wait.
    pub printed: bool,
    /// Readings of points that the paper leaves open.
    pub readings: Readings,
}

impl Strategy {
    const fn plain(rule: Rule) -> Strategy {
        Strategy {
            rule,
            lock_in: false,
            averse: false,
            queue: false,
            watch: false,
            patience: false,
            twice: false,
            printed: false,
            readings: Readings::NONE,
        }
    }

    /// The baseline.
    pub const AVG: Strategy = Strategy::plain(Rule::Avg);
}

const NAMES: [(&str, Rule); 12] = [
    ("avg", Rule::Avg),
    ("opt", Rule::Opt),
    ("pred", Rule::Predicted { predictor: FreeTimePredictor::Combined, corrected: false }),
    ("bias", Rule::Predicted { predictor: FreeTimePredictor::Combined, corrected: true }),
    ("heur", Rule::Heur(Heur::TUNED)),
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
        let share = |percent: &str| {
            Some(f64::from(percent.parse().ok().filter(|n: &u8| (1..=100).contains(n))?) / 100.0)
        };
        let rule = if let Some(parts) = name.strip_prefix("heur:") {
            Rule::Heur(Heur::read(parts)?)
        } else if let Some(share) = name.strip_prefix("min").and_then(share) {
            Rule::Least(share)
        } else if let Some(known) = NAMES.iter().find(|known| known.0 == name) {
            known.1
        } else {
            let known: Vec<&str> = NAMES.iter().map(|known| known.0).collect();
            return Err(format!("no strategy '{name}'; there are {}", known.join(", ")));
        };
        let rule = &rule;
        let mut strategy = Strategy::plain(*rule);
        for part in parts {
            match part {
                "lock" => strategy.lock_in = true,
                "averse" => strategy.averse = true,
                "queue" => strategy.queue = true,
                "watch" => strategy.watch = true,
                "patience" => strategy.patience = true,
                "twice" => strategy.twice = true,
                "printed" => strategy.printed = true,
                _ => match Reading::ALL.iter().find(|reading| reading.0 == part) {
                    Some(reading) => strategy.readings = strategy.readings.with(reading.1),
                    None => {
                        let readings: Vec<&str> = Reading::ALL.iter().map(|reading| reading.0).collect();
                        return Err(format!(
                            "no modifier '{part}'; there are lock, averse, queue, watch, patience, twice, printed, {}",
                            readings.join(", ")
                        ));
                    }
                },
            }
        }
        if strategy != Strategy::plain(*rule) && !matches!(rule, Rule::Predicted { .. }) {
            return Err(format!("'{name}' has no modifiers"));
        }
        if strategy.patience && name != "exact" {
            return Err("only exact takes patience".to_owned());
        }
        if strategy.twice && !matches!(rule, Rule::Predicted { corrected: true, .. }) {
            return Err(format!("'{name}' corrects nothing: twice is for bias, exact-bias and median-bias"));
        }
        for (name, reading) in strategy.readings.each() {
            let missing = match reading.needs() {
                Some("lock") => !strategy.lock_in,
                Some("averse") => !strategy.averse,
                Some(_) => !strategy.twice,
                None => false,
            };
            if let (true, Some(needs)) = (missing, reading.needs()) {
                return Err(format!("'{name}' needs {needs}"));
            }
        }
        Ok(strategy)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (NAMES.iter().find(|known| known.1 == self.rule), self.rule) {
            (Some(known), _) => f.write_str(known.0)?,
            (None, Rule::Heur(Heur { lifetime, parallelism, share, patience })) => {
                write!(f, "heur:l={lifetime}:a={parallelism}:f={share}:k={patience}")?;
            }
            (None, Rule::Least(share)) => write!(f, "min{:.0}", share * 100.0)?,
            (None, _) => f.write_str("?")?,
        }
        for (set, part) in [
            (self.lock_in, "+lock"),
            (self.averse, "+averse"),
            (self.queue, "+queue"),
            (self.watch, "+watch"),
            (self.patience, "+patience"),
            (self.twice, "+twice"),
            (self.printed, "+printed"),
        ] {
            f.write_str(if set { part } else { "" })?;
        }
        self.readings.fmt(f)
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

/// The head job's decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// Start on this number of processors.
    Start(u32),
    /// Hold out.
    Wait(Hold),
}

/// Events of the present moment.
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
    /// The predicted wait as used, in seconds.
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
    /// With [`Reading::Every`]: predictions for all numbers that were weighed.
    pub weighed: Vec<Prediction>,
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
            weighed: Vec::new(),
            memory,
            correction: Correction::new(),
            pending: BinaryHeap::new(),
        }
    }

    /// Decides for the head job; at least one processor must be free. `hold` is its decision before, `queued` the
    /// jobs in the queue, itself included.
    pub fn decide(
        &mut self,
        machine: &Machine,
        job: &Job,
        queued: usize,
        hold: Option<Hold>,
        events: Events,
    ) -> Decision {
        let readings = self.strategy.readings;
        let mut most = hold.map_or(job.most, |hold| hold.most);
        if let Some(hold) = hold {
            if machine.free >= hold.target {
                return Decision::Start(machine.free.min(most));
            }
            let predicted = matches!(self.strategy.rule, Rule::Predicted { .. });
            let prompted = machine.now >= hold.until
                || predicted
                    && !readings.has(Reading::Once)
                    && (events.arrival && !readings.has(Reading::Elapsed)
                        || self.strategy.watch && events.completion);
            if !prompted {
                return Decision::Wait(hold);
            }
            if readings.has(Reading::Anew) {
                most = job.most;
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
            Rule::Heur(_) if hold.is_some() => Decision::Start(free),
            Rule::Heur(heur) => {
                let candidate =
                    job.sequential > heur.lifetime && job.speedup.parallelism() > heur.parallelism;
                let target = ((heur.share * f64::from(job.most)).ceil() as u32).min(most);
                if !candidate || free >= target {
                    return Decision::Start(free);
                }
                let saved = job.run_time(free) - job.run_time(target);
                Decision::Wait(Hold { target, until: machine.now + heur.patience * saved, most })
            }
            Rule::Least(share) => {
                let target = (share * f64::from(job.most)).ceil() as u32;
                if free >= target {
                    return Decision::Start(free);
                }
                Decision::Wait(Hold { target, until: f64::INFINITY, most })
            }
            Rule::Predicted { predictor, corrected } => {
                self.predicted(machine, job, queued, (predictor, corrected), most, hold.is_some())
            }
        }
    }

    fn predicted(
        &mut self,
        machine: &Machine,
        job: &Job,
        queued: usize,
        (predictor, corrected): (FreeTimePredictor, bool),
        most: u32,
        holds: bool,
    ) -> Decision {
        let readings = self.strategy.readings;
        let mut options = ChoiceOptions {
            predictor,
            least: 1,
            most,
            weight: if self.strategy.queue { queued as f64 } else { 1.0 },
            least_gain: 0.0,
        };
        // Weight of a run time on processors that have to be waited for.
        let (mut factor, mut seconds) = (1.0, 0.0);
        if self.strategy.averse && !(holds && readings.has(Reading::First)) {
            match readings.has(Reading::Chosen) {
                true => factor += LEAST_GAIN,
                false => options.least_gain = LEAST_GAIN,
            }
        }
        let line = self.correction.line().filter(|line| readings.has(Reading::Seconds) && line.1 > 0.0);
        if let Some((intercept, slope)) = line {
            // A wait of p seconds counts slope x p + intercept.
            seconds = options.weight * intercept;
            options.weight *= slope;
        }
        let (free, declared) = (machine.free, (holds && readings.has(Reading::Bound)).then_some(most));
        let counted = |processors: u32| {
            let run_time = job.run_time(processors);
            match declared {
                _ if processors <= free => run_time,
                // Any other number gains nothing.
                Some(declared) if processors != declared => job.run_time(free),
                _ => (factor * run_time + seconds).max(0.0),
            }
        };
        let mut sizing = Sizing::attach(bytemuck::cast_slice_mut(&mut self.memory)).expect("our own block");
        sizing.begin(machine.free).expect("no more than there are");
        for running in &machine.running {
            let age = machine.now - running.start;
            let (age, lifetime) = match self.strategy.printed {
                true => (0.0, whole(&running.lifetime, age)),
                false => (age, running.lifetime),
            };
            sizing.add_running(running.processors, age, &lifetime).expect("a running job");
        }
        let correction = (corrected && line.is_none()).then_some(&self.correction);
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
        if readings.has(Reading::Every) && !corrected {
            for processors in free + 1..=most {
                let Ok(raw) = sizing.wait(processors, predictor) else { break };
                let actual = machine.wait(processors);
                self.weighed.push(Prediction { raw, used: raw, actual });
            }
        }
        let choice = sizing.choose(&options, correction, counted).expect("one is free");
        if choice.processors <= machine.free {
            return Decision::Start(choice.processors);
        }
        let wait = line.map_or(choice.wait, |(intercept, slope)| (slope * choice.wait + intercept).max(0.0));
        let actual = machine.wait(choice.processors);
        let known = (machine.now + actual).to_bits();
        self.pending.push(Reverse((known, self.predictions.len())));
        self.predictions.push(Prediction { raw: choice.predicted, used: wait, actual });
        let pause = if readings.has(Reading::Hasty) { SHORT_PAUSE } else { PAUSE };
        Decision::Wait(Hold {
            target: choice.processors,
            until: match readings.has(Reading::Once) {
                true => f64::INFINITY,
                false => machine.now + wait.max(pause),
            },
            most: if self.strategy.lock_in { choice.processors } else { most },
        })
    }

    /// Takes the paper's line of bias correction for good, in natural or decimal logarithms.
    pub fn corrected_as_published(&mut self, decimal: bool) {
        let (intercept, slope) = PUBLISHED;
        let intercept = if decimal { intercept * core::f64::consts::LN_10 } else { intercept };
        let on_the_line = (0..Correction::FEWEST).map(|n| {
            let raw = libm::exp(n as f64 / 2.0);
            Prediction { raw, used: raw, actual: libm::exp(intercept) * libm::pow(raw, slope) }
        });
        self.corrected_by(&on_the_line.collect::<Vec<_>>());
    }

    /// Takes the line of bias correction from a first run's predictions, for good.
    pub fn corrected_by(&mut self, predictions: &[Prediction]) {
        for prediction in predictions {
            self.correction.record(prediction.raw, prediction.actual).expect("seconds");
        }
    }

    /// Learns from the predictions whose outcomes are known by now: when the processors would have been free follows
    /// from the ends of the jobs that ran.
    pub fn learn(&mut self, now: f64) {
        while let Some(&Reverse((known, index))) = self.pending.peek()
            && f64::from_bits(known) <= now
        {
            self.pending.pop();
            if self.strategy.twice {
                continue;
            }
            let Prediction { raw, actual, .. } = self.predictions[index];
            self.correction.record(raw, actual).expect("seconds");
        }
    }
}

/// The distribution of the whole lifetime of a job that has run for so long: log-uniform as well, from its age up.
fn whole(lifetime: &LogUniform, age: f64) -> LogUniform {
    let (low, high) = lifetime.bounds();
    // A job that has outlived its distribution is expected to end at once.
    LogUniform::new(low.max(age.min(high * (1.0 - 1e-9))), high).unwrap_or(*lifetime)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With lifetimes from 1 to e^4 s a job of e^2 s has outlived half, and half of the others end before e^3 s.
    #[test]
    fn whole_lifetimes_by_hand() {
        let lifetime = LogUniform::new(1.0, libm::exp(4.0)).unwrap();
        let (low, high) = whole(&lifetime, libm::exp(2.0)).bounds();
        assert!((low - libm::exp(2.0)).abs() < 1e-9 && (high - libm::exp(4.0)).abs() < 1e-9);
        // The conditional distribution of equation 5, at t = e^3: 1 - (1 - 3 / 4) / (1 - 2 / 4).
        let share = (3.0 - libm::log(low)) / (libm::log(high) - libm::log(low));
        assert!((share - (1.0 - 0.25 / 0.5)).abs() < 1e-12);
        assert!(whole(&lifetime, 1e9).bounds().0 < libm::exp(4.0));
    }

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
            "min65",
            "heur",
            "heur:l=60:a=8:f=0.5:k=0.1",
            "bias+lock+averse+twice+printed",
            "bias+lock+averse+twice+once+hasty+bound+chosen+effected+every",
        ] {
            assert_eq!(name.parse::<Strategy>().unwrap().to_string(), name);
        }
        for wrong in [
            "",
            "best",
            "avg+lock",
            "exact+fast",
            "pred+patience",
            "pred+twice",
            "min0",
            "min101",
            "heur:k=-1",
            "heur:x=1",
            "heur:f=2",
            "bias+bound",
            "bias+lock+chosen",
            "bias+natural",
            "heur+once",
        ] {
            assert!(wrong.parse::<Strategy>().is_err());
        }
    }
}
