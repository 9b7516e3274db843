//! Points for stock backfill: a site factor on top of a site's priorities ([`super::multifactor`]), larger first.
//!
//! ```text
//! P' = P + S
//! S = W (1 - (ln(r / 60 s) + ln(n) / 2 - 2 ln(1 + w / 10 h)) / 10), within 0 and 2 W
//! ```
//!
//! W is the weight of fair share in points, r the predicted run time of the points and w the wait since the submission,
//! both in seconds, n the processors. So it is with Slurm when something beside it writes `SiteFactor`: a serial job of
//! a minute has W points, one of ten cores and a day 1 - (7.27 + 1.15) / 10 = .16 W, and a wait of 10 h is worth .14 W.
//! The order is all that the points change: EASY's reservations and candidates keep the limits, as those of
//! `sched/backfill` do. That is why r has its predictor here, in the name of the order, and not in the policy's.
//!
//! In the form for job_submit.lua ([`Points::fixed`]) w is 0 for ever and the weight of age is W: the age of a job does
//! by days what w does by hours.

use super::multifactor::Multifactor;
use super::priorities::Priorities;
use super::queue_orders::QueueOrder;
use crate::replay::predict::DistributionPredictor;
use crate::replay::predict::distribution::{Contexts, Histories};
use crate::trace::site::Weights;
use crate::trace::workload::Job;
use clap::builder::PossibleValue;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// A form of the site factor and the run time r that it uses, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Points {
    name: &'static str,
    /// Whether w is 0, and age weighs W.
    pub fixed: bool,
    /// The run time r that is used.
    pub run_time: RunTime,
}

/// The run time r of a waiting job, in seconds, at most its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTime {
    /// The limit.
    Limit,
    /// The limit times the mean share of their limits that the user's jobs have run, one whole share before the first.
    Share,
    /// The mean that mix predicts.
    MixMean,
    /// The median that mix predicts.
    MixMedian,
    /// The .6 quantile that mix predicts.
    MixHigher,
    /// The mean that contexts predicts.
    ContextsMean,
    /// The median that contexts predicts.
    ContextsMedian,
    /// The .6 quantile that contexts predicts.
    ContextsHigher,
    /// The run time that the job will have: a ceiling for studies.
    Clairvoyant,
}

const fn points(name: &'static str, fixed: bool, run_time: RunTime) -> Points {
    Points { name, fixed, run_time }
}

/// All of them.
pub static POINTS: [Points; 18] = [
    points("points", false, RunTime::Limit),
    points("points-share", false, RunTime::Share),
    points("points-mix-mean", false, RunTime::MixMean),
    points("points-mix-median", false, RunTime::MixMedian),
    points("points-mix-0.6", false, RunTime::MixHigher),
    points("points-contexts-mean", false, RunTime::ContextsMean),
    points("points-contexts-median", false, RunTime::ContextsMedian),
    points("points-contexts-0.6", false, RunTime::ContextsHigher),
    points("points-clairvoyant", false, RunTime::Clairvoyant),
    points("points-fixed", true, RunTime::Limit),
    points("points-fixed-share", true, RunTime::Share),
    points("points-fixed-mix-mean", true, RunTime::MixMean),
    points("points-fixed-mix-median", true, RunTime::MixMedian),
    points("points-fixed-mix-0.6", true, RunTime::MixHigher),
    points("points-fixed-contexts-mean", true, RunTime::ContextsMean),
    points("points-fixed-contexts-median", true, RunTime::ContextsMedian),
    points("points-fixed-contexts-0.6", true, RunTime::ContextsHigher),
    points("points-fixed-clairvoyant", true, RunTime::Clairvoyant),
];

impl Points {
    /// The name on the command line; those by predictions are not listed there one by one.
    pub fn value(self) -> PossibleValue {
        let about = if self.fixed {
            "The same as job_submit.lua can write it: no wait in it, age weighs as much as fair share"
        } else {
            "As multifactor, with a site factor for short, narrow and old jobs, by the limits"
        };
        PossibleValue::new(self.name).help(about).hide(self.run_time != RunTime::Limit)
    }
}

impl TryFrom<String> for Points {
    type Error = String;

    fn try_from(name: String) -> Result<Points, String> {
        let found = POINTS.iter().find(|points| points.name == name);
        found.copied().ok_or_else(|| format!("no order is named '{name}'"))
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        Points::try_from(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// A minute, the unit of r, in seconds.
const UNIT_S: f64 = 60.0;
/// Ten hours, the unit of w, in seconds.
const WAIT_S: f64 = 36_000.0;

/// The site factor of a job, in points: `weight` is W, `run_time` r in seconds, `processors` n, `waited` w in seconds.
pub fn site_factor(weight: f64, run_time: f64, processors: f64, waited: f64) -> f64 {
    let size = libm::log(run_time.max(1.0) / UNIT_S) + 0.5 * libm::log(processors.max(1.0));
    let points = 1.0 - (size - 2.0 * libm::log1p(waited.max(0.0) / WAIT_S)) / 10.0;
    weight * points.clamp(0.0, 2.0)
}

/// Seconds after which a prediction is renewed: Slurm computes priorities every `PriorityCalcPeriod`, 5 min by default.
const RENEWED_S: i64 = 300;

/// The statistic of a predicted distribution that counts as the run time, in seconds, within the limit.
#[derive(Debug, Clone, Copy)]
enum Read {
    Mean,
    Quantile(f64),
}

impl Read {
    fn of(self, prediction: &RuntimeDistribution, limit: i64) -> f64 {
        let read = match self {
            Read::Mean => prediction.mean_within(limit, 1.0),
            Read::Quantile(quantile) => prediction.quantile(quantile, 0, limit).map(|seconds| seconds as f64),
        };
        read.unwrap_or(limit as f64)
    }
}

/// Source of r.
enum Source {
    Limit,
    Clairvoyant,
    /// The sum of the shares of their limits that the user's jobs have run, and their number.
    Share(HashMap<i64, (f64, f64)>),
    Predicted(Box<dyn DistributionPredictor>, Read),
}

impl Source {
    fn new(run_time: RunTime) -> Source {
        let bins = RuntimeBins::default();
        let mix = |read| Source::Predicted(Box::new(Histories::mix(&bins)), read);
        let contexts = |read| Source::Predicted(Box::new(Contexts::new(&bins)), read);
        match run_time {
            RunTime::Limit => Source::Limit,
            RunTime::Share => Source::Share(HashMap::new()),
            RunTime::MixMean => mix(Read::Mean),
            RunTime::MixMedian => mix(Read::Quantile(0.5)),
            RunTime::MixHigher => mix(Read::Quantile(0.6)),
            RunTime::ContextsMean => contexts(Read::Mean),
            RunTime::ContextsMedian => contexts(Read::Quantile(0.5)),
            RunTime::ContextsHigher => contexts(Read::Quantile(0.6)),
            RunTime::Clairvoyant => Source::Clairvoyant,
        }
    }

    fn run_time(&mut self, job: &Job, now: i64) -> f64 {
        let limit = job.limit.max(1);
        match self {
            Source::Limit => limit as f64,
            Source::Clairvoyant => job.run_time as f64,
            Source::Share(users) => {
                let (shares, jobs) = users.get(&job.user).copied().unwrap_or_default();
                // Counted as if each user had run a job to its limit before.
                limit as f64 * (1.0 + shares) / (1.0 + jobs)
            }
            Source::Predicted(predictor, read) => read.of(&predictor.predict_now(job, now), limit),
        }
    }
}

/// The order in use.
pub struct PointsOrder {
    priorities: Priorities,
    weight: f64,
    /// Whether waits do not count in the site factor.
    fixed: bool,
    source: Source,
    /// r of each waiting job in seconds, by id, and the time of its prediction.
    predicted: HashMap<usize, (f64, i64)>,
}

impl PointsOrder {
    /// An order without any usage or anything learnt.
    pub fn new(points: Points, site: &Multifactor) -> PointsOrder {
        let age = if points.fixed { site.weights.fairshare } else { site.weights.age };
        PointsOrder {
            priorities: Priorities::new(&Multifactor {
                weights: Weights { age, ..site.weights.clone() },
                ..site.clone()
            }),
            weight: site.weights.fairshare,
            fixed: points.fixed,
            source: Source::new(points.run_time),
            predicted: HashMap::new(),
        }
    }

    fn run_time(&mut self, job: &Job, now: i64) -> f64 {
        match self.predicted.get(&job.id) {
            Some(&(seconds, since)) if now - since < RENEWED_S => seconds,
            _ => {
                let seconds = self.source.run_time(job, now);
                self.predicted.insert(job.id, (seconds, now));
                seconds
            }
        }
    }
}

impl QueueOrder for PointsOrder {
    fn value(&mut self, job: &Job, now: i64, predicted: i64) -> f64 {
        let waited = if self.fixed { 0.0 } else { (now - job.submit) as f64 };
        let run_time = self.run_time(job, now);
        let processors = f64::from(job.width());
        self.priorities.value(job, now, predicted) - site_factor(self.weight, run_time, processors, waited)
    }

    fn submitted(&mut self, job: &Job) {
        self.priorities.submitted(job);
        if let Source::Predicted(predictor, _) = &mut self.source {
            predictor.submitted(job, job.submit);
        }
    }

    fn begin(&mut self, now: i64, processors: u32) {
        self.priorities.begin(now, processors);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.predicted.remove(&job.id);
        self.priorities.started(job, now);
        if let Source::Predicted(predictor, _) = &mut self.source {
            predictor.started(job, now);
        }
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.priorities.ended(job, now);
        match &mut self.source {
            Source::Predicted(predictor, _) => predictor.finished(job, now),
            Source::Share(users) => {
                let (shares, jobs) = users.entry(job.user).or_default();
                *shares += (job.run_time as f64 / job.limit.max(1) as f64).min(1.0);
                *jobs += 1.0;
            }
            Source::Limit | Source::Clairvoyant => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_factors_computed_by_hand() {
        // ln 60 = 4.094345, ln 1440 = 7.272398, ln 4 = 1.386294, ln 64 = 4.158883, ln 2 = .693147, ln 3.4 = 1.223775.
        let cases = [
            // A serial job of a minute has W, one of an hour W (1 - .4094345).
            (60.0, 1.0, 0.0, 100_000.0),
            (3600.0, 1.0, 0.0, 59_056.55),
            // A day on 4 processors: 1 - (7.272398 + .693147) / 10; on 64: 1 - (7.272398 + 2.079442) / 10.
            (86_400.0, 4.0, 0.0, 20_344.55),
            (86_400.0, 64.0, 0.0, 6_481.60),
            // Ten hours of waiting add 2 ln 2 / 10 of W, a day 2 ln 3.4 / 10.
            (86_400.0, 4.0, 36_000.0, 34_207.49),
            (86_400.0, 4.0, 86_400.0, 44_820.06),
            // A week on 10,000 processors has nothing: 1 - (9.218309 + 4.605170) / 10 is below 0.
            (604_800.0, 10_000.0, 0.0, 0.0),
            // A second has 1 + ln 60 / 10, and larger values than 2 W are 2 W.
            (1.0, 1.0, 0.0, 140_943.45),
            (0.0, 0.0, -5.0, 140_943.45),
            (1.0, 1.0, 1e9, 200_000.0),
        ];
        for (run_time, processors, waited, wanted) in cases {
            let found = site_factor(100_000.0, run_time, processors, waited);
            assert!((found - wanted).abs() < 0.01, "{run_time} {processors} {waited}: {found}");
        }
    }

    fn job(id: usize, limit: i64) -> Job {
        Job { id, user: 1, limit, run_time: 60, processors: 1, ..Job::default() }
    }

    #[test]
    fn values_are_the_sites_less_the_site_factor() {
        let site = Multifactor::default();
        let mut plain = Priorities::new(&site);
        let named = |name: &str| PointsOrder::new(Points::try_from(name.to_owned()).unwrap(), &site);
        let (mut points, mut lua) = (named("points"), named("points-fixed"));
        let job = job(0, 3600);
        let orders: [&mut dyn QueueOrder; 3] = [&mut plain, &mut points, &mut lua];
        let values = orders.map(|order| {
            order.submitted(&job);
            order.begin(36_000, 8);
            order.value(&job, 36_000, 7)
        });
        // 10 h of a week of age are 36,000 / 604,800; 59,056.55 points at submission.
        let aged = 36_000.0 / 604_800.0;
        assert!((values[0] - values[1] - (59_056.55 + 13_862.94)).abs() < 0.02, "{values:?}");
        assert!((values[0] - values[2] - (59_056.55 + 70_000.0 * aged)).abs() < 0.02, "{values:?}");
    }

    #[test]
    fn run_times_are_predicted_as_the_order_says() {
        let hour = 3600;
        for &points in &POINTS {
            let mut order = PointsOrder::new(points, &Multifactor::default());
            for id in 0..40 {
                let job = Job { submit: 1000 * id as i64, ..job(id, hour) };
                order.submitted(&job);
                order.started(&job, job.submit);
                order.ended(&job, job.submit + 60);
            }
            let job = Job { submit: 50_000, ..job(40, hour) };
            order.submitted(&job);
            let found = order.run_time(&job, 50_000);
            match points.run_time {
                RunTime::Limit => assert_eq!(found, 3600.0),
                RunTime::Clairvoyant => assert_eq!(found, 60.0),
                // 40 jobs of a sixtieth, and one of the whole limit.
                RunTime::Share => assert!((found - 3600.0 * (1.0 + 40.0 / 60.0) / 41.0).abs() < 1e-9),
                _ => assert!((30.0..300.0).contains(&found), "{points:?}: {found}"),
            }
        }
        assert!(Points::try_from("points-x".to_owned()).is_err());
    }
}
