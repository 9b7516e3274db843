//! Published orders of the queue, each a value of a waiting job: smaller first, equal ones first come first.
//!
//! r is the predicted run time in seconds (the limit, unless another predictor is named), n the processors, w the
//! seconds waited, s the second of submission on the trace's own clock, at least 1.
//!
//! | name | value | source |
//! |---|---|---|
//! | `sjf` | r | shortest job first |
//! | `ljf` | -r | longest job first |
//! | `lxf` | -(w + r) / r | largest expansion factor first: Chiang, Arpaci-Dusseau & Vernon, "The impact of more accurate requested runtimes on production job scheduling performance", JSSPP 2002 |
//! | `wfp3` | -(w / r)^3 n | Tang, Lan, Desai & Buettner, "Fault-aware, utility-based job scheduling on Blue Gene/P systems", CLUSTER 2009 |
//! | `unicef` | -w / (r log2 n) | the same paper; a job of one processor, where the paper's formula divides by zero, is before all others |
//! | `f1` | log10(r) n + 870 log10(s) | Carastan-Santos & de Camargo, "Obtaining dynamic scheduling policies with simulation and machine learning", SC 2017, table 3 |
//! | `f2` | sqrt(r) n + 25600 log10(s) | the same |
//! | `f3` | r n + 6860000 log10(s) | the same |
//! | `f4` | r sqrt(n) + 530000 log10(s) | the same |
//! | `multifactor` | see [`super::multifactor`] | Slurm's `priority/multifactor` |
//! | `points` | that with a site factor on top: see [`super::points`] | Slurm's `SiteFactor` |
//! | `fair-share` | the user's processor-seconds, halved every week | the usage of Slurm's `priority/multifactor` with `PriorityDecayHalfLife=7-0`, equal shares |

use crate::trace::workload::Job;
use std::collections::HashMap;

/// Orders the waiting jobs. `job.run_time` is the future until [`QueueOrder::ended`].
pub trait QueueOrder {
    /// The job's value now, smaller first; `predicted` is its predicted run time in seconds. A value that is no number
    /// comes last.
    fn value(&mut self, job: &Job, now: i64, predicted: i64) -> f64;

    /// Notes that a job was submitted.
    fn submitted(&mut self, _job: &Job) {}

    /// Begins a pass, on a machine of this number of processors.
    fn begin(&mut self, _now: i64, _processors: u32) {}

    /// Notes that a job was started.
    fn started(&mut self, _job: &Job, _now: i64) {}

    /// Notes that a job ended.
    fn ended(&mut self, _job: &Job, _now: i64) {}
}

/// An order by a formula.
pub struct Formula(pub fn(&Sizes) -> f64);

/// The numbers of the formulas.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Predicted run time, at least 1 s.
    pub r: f64,
    /// Processors, at least 1.
    pub n: f64,
    /// Seconds waited.
    pub w: f64,
    /// Second of submission, at least 1.
    pub s: f64,
}

impl QueueOrder for Formula {
    fn value(&mut self, job: &Job, now: i64, predicted: i64) -> f64 {
        self.0(&Sizes {
            r: predicted.max(1) as f64,
            n: f64::from(job.width().max(1)),
            w: (now - job.submit) as f64,
            s: job.submit.max(1) as f64,
        })
    }
}

/// Value instead of log2 1, so small that jobs of one processor are before all others and among them still by w / r.
const NEARLY_NOTHING: f64 = 1e-18;

/// Name, text for `--help`, and the formula.
type Named = (&'static str, &'static str, fn(&Sizes) -> f64);

/// The formulas. `libm` computes the same bits everywhere.
pub const FORMULAS: [Named; 9] = [
    ("sjf", "Queue and candidates: the shortest predicted run time first", |j| j.r),
    ("ljf", "Queue and candidates: the longest predicted run time first", |j| -j.r),
    ("lxf", "Queue and candidates: the largest expansion factor first, (wait + run time) / run time", |j| {
        -(j.w + j.r) / j.r
    }),
    (
        "wfp3",
        "Queue and candidates: the largest (wait / run time)^3 x processors first (Tang et al. 2009)",
        |j| {
            let ratio = j.w / j.r;
            -(ratio * ratio * ratio) * j.n
        },
    ),
    (
        "unicef",
        "Queue and candidates: the largest wait / (run time x log2 processors) first (Tang et al. 2009)",
        |j| -j.w / (j.r * libm::log2(j.n).max(NEARLY_NOTHING)),
    ),
    ("f1", "Queue and candidates by F1 of Carastan-Santos & de Camargo 2017", |j| {
        libm::log10(j.r) * j.n + 870.0 * libm::log10(j.s)
    }),
    ("f2", "Queue and candidates by their F2", |j| libm::sqrt(j.r) * j.n + 25_600.0 * libm::log10(j.s)),
    ("f3", "Queue and candidates by their F3", |j| j.r * j.n + 6_860_000.0 * libm::log10(j.s)),
    ("f4", "Queue and candidates by their F4", |j| j.r * libm::sqrt(j.n) + 530_000.0 * libm::log10(j.s)),
];

/// A week, as Slurm's default.
pub(super) const HALF_LIFE_S: f64 = 7.0 * 86_400.0;

/// Fair share: the user with the least usage comes first; usage counts half after the half-life. A running job's
/// processors count as they are used, second by second.
#[derive(Debug)]
pub struct FairShare {
    /// The usage's rate of decay, per second.
    decay: f64,
    users: HashMap<i64, Usage>,
    /// Usage of all users together.
    all: Usage,
}

impl Default for FairShare {
    /// A half-life of a week.
    fn default() -> FairShare {
        FairShare::new(HALF_LIFE_S)
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Usage {
    /// Time of `used`.
    at: i64,
    /// Decayed processor-seconds.
    used: f64,
    /// Processors held since.
    running: f64,
}

impl Usage {
    /// The usage at a later time: U' = running - decay U, solved.
    fn on(self, now: i64, decay: f64) -> Usage {
        let seconds = (now - self.at) as f64;
        let left = libm::exp(-decay * seconds);
        let more = if decay > 0.0 { self.running / decay * (1.0 - left) } else { self.running * seconds };
        Usage { at: now, used: self.used * left + more, ..self }
    }

    /// The usage with this number of processors more held from now on.
    fn holding(self, processors: f64, now: i64, decay: f64) -> Usage {
        let now = self.on(now, decay);
        Usage { running: now.running + processors, ..now }
    }
}

impl FairShare {
    /// Usage that counts half after this number of seconds; with 0 it never decays.
    pub fn new(half_life_s: f64) -> FairShare {
        let decay = if half_life_s > 0.0 { std::f64::consts::LN_2 / half_life_s } else { 0.0 };
        FairShare { decay, users: HashMap::new(), all: Usage::default() }
    }

    /// The decayed processor-seconds of a user.
    pub fn usage(&self, user: i64, now: i64) -> f64 {
        self.users.get(&user).map_or(0.0, |usage| usage.on(now, self.decay).used)
    }

    /// The decayed processor-seconds of all users.
    pub fn total(&self, now: i64) -> f64 {
        self.all.on(now, self.decay).used
    }

    /// Notes that a user holds this number of processors more from now on.
    pub(super) fn hold(&mut self, user: i64, processors: f64, now: i64) {
        let usage = self.users.entry(user).or_default();
        *usage = usage.holding(processors, now, self.decay);
        self.all = self.all.holding(processors, now, self.decay);
    }
}

impl QueueOrder for FairShare {
    fn value(&mut self, job: &Job, now: i64, _predicted: i64) -> f64 {
        self.usage(job.user, now)
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.hold(job.user, f64::from(job.processors), now);
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.hold(job.user, -f64::from(job.processors), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `simulator/tests/vectors/orders.py` has made these numbers of the formulas as the papers print them.
    #[test]
    fn formulas_as_another_program_computes_them() {
        let text = include_str!("../../../tests/vectors/orders.json");
        let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
        let cases = vectors["formulas"].as_array().unwrap();
        assert!(cases.len() >= 50);
        for case in cases {
            let number = |key: &str| case[key].as_i64().unwrap();
            let (submit, now) = (number("s"), number("s") + number("w"));
            let job = Job { submit, processors: number("n") as u32, ..Job::default() };
            for (name, _, formula) in FORMULAS {
                let Some(wanted) = case[name].as_f64() else {
                    assert_eq!((name, job.processors), ("unicef", 1));
                    continue;
                };
                let value = Formula(formula).value(&job, now, number("r"));
                assert!((value - wanted).abs() <= 1e-12 * wanted.abs(), "{name} {case}: {value}");
            }
        }
    }

    #[test]
    fn serial_jobs_are_before_all_others_under_unicef() {
        let unicef = FORMULAS.iter().find(|formula| formula.0 == "unicef").unwrap().2;
        let value = |processors: u32, waited: i64, run_time: i64| {
            let job = Job { processors, ..Job::default() };
            Formula(unicef).value(&job, waited, run_time)
        };
        assert!(value(1, 1, 1_000_000_000) < value(2, 1_000_000, 1));
        assert!(value(1, 50, 100) < value(1, 1, 100));
    }

    /// The same script sums the usage second by second.
    #[test]
    fn usage_second_by_second() {
        let text = include_str!("../../../tests/vectors/orders.json");
        let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
        let share = &vectors["fair_share"];
        let mut order = FairShare::default();
        for event in share["events"].as_array().unwrap() {
            let number = |index: usize| event[index].as_i64().unwrap();
            let job = Job { user: number(1), processors: number(2) as u32, ..Job::default() };
            match event[3].as_str() {
                Some("start") => order.started(&job, number(0)),
                _ => order.ended(&job, number(0)),
            }
        }
        let now = share["now"].as_i64().unwrap();
        for usage in share["usage"].as_array().unwrap() {
            let (user, wanted) = (usage[0].as_i64().unwrap(), usage[1].as_f64().unwrap());
            let value = order.value(&Job { user, ..Job::default() }, now, 1);
            // The sum takes the decay at the middle of each second.
            assert!((value - wanted).abs() <= 1e-9 * wanted, "user {user}: {value} {wanted}");
        }
        assert_eq!(order.usage(77, now), 0.0);
    }
}
