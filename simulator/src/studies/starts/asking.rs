//! A policy that is asked, after each of its passes, when the jobs that it has not started will start.

use super::methods::{Chances, History, Method, Quantiles, Rules};
use super::player::{Player, sound};
use super::told::{Occasion, Told};
use crate::replay::machine::Cluster;
use crate::replay::policy::{Policy, WITHIN};
use crate::replay::predict::DistributionPredictor;
use crate::trace::workload::{Job, JobId};
use std::collections::BTreeMap;
use surefill::forecast::{ForecastOptions, Plans, StartCalibration};

/// The forecast of a waiting job on one occasion.
struct Open {
    when: i64,
    occasion: Occasion,
    age: i64,
    /// Before calibration.
    forecast: Quantiles,
    /// After it.
    calibrated: Quantiles,
    told: Vec<(Method, Quantiles, Option<Chances>)>,
    /// Levels already counted as missed in the calibration.
    missed: u32,
}

/// A job's forecast: before calibration, with its probabilities, and after it.
type Answer = (Quantiles, Option<Chances>, Quantiles, Chances);

/// The policy of a replay, its forecasts, and the starts that followed.
pub struct Asking {
    policy: Box<dyn Policy>,
    predictor: Box<dyn DistributionPredictor>,
    rules: Rules,
    every: i64,
    /// First time at which jobs are asked about.
    from: i64,
    /// Job with whose start asking ends.
    until: Option<JobId>,
    over: bool,
    /// When all that wait are asked about again.
    next: Option<i64>,
    player: Player,
    calibration: StartCalibration,
    history: History,
    submitted: Vec<JobId>,
    open: BTreeMap<JobId, Vec<Open>>,
    /// All forecasts, with the start that followed.
    pub told: Vec<Told>,
}

impl Asking {
    /// Nothing asked yet; every `every` seconds all that wait are asked about.
    pub fn new(
        policy: Box<dyn Policy>,
        predictor: Box<dyn DistributionPredictor>,
        rules: Rules,
        every: i64,
    ) -> Asking {
        Asking {
            policy,
            predictor,
            rules,
            every,
            from: i64::MIN,
            until: None,
            over: false,
            next: None,
            player: Player::default(),
            calibration: StartCalibration::new(),
            history: History::default(),
            submitted: Vec::new(),
            open: BTreeMap::new(),
            told: Vec::new(),
        }
    }

    /// The same, without questions before a time.
    pub fn from(self, from: i64) -> Asking {
        Asking { from, ..self }
    }

    /// The same, without questions once this job has started.
    pub fn until(self, job: JobId) -> Asking {
        Asking { until: Some(job), ..self }
    }

    /// The core's forecast for these jobs, and the calibrated one.
    fn play(&mut self, cluster: &mut Cluster<'_>, asked: &[JobId], options: &ForecastOptions) -> Vec<Answer> {
        let played = sound(self.player.play(cluster, options, Some(&mut *self.predictor)));
        let answer = |&id: &JobId| {
            let age = cluster.now() - cluster.job(id).submit;
            let forecast = sound(played.quantiles(id));
            let calibrated = sound(self.calibration.told(age, &forecast));
            let own = |within: i64| sound(played.probability(id, within));
            let chance = |within: i64| sound(self.calibration.probability(age, &calibrated, within));
            (forecast, Some(WITHIN.map(own)), calibrated, WITHIN.map(chance))
        };
        asked.iter().map(answer).collect()
    }

    fn ask(&mut self, cluster: &mut Cluster<'_>) {
        let now = cluster.now();
        if now < self.from {
            self.submitted.clear();
            return;
        }
        let all = self.next.is_some_and(|next| now >= next);
        if all || self.next.is_none() {
            self.next = Some(now - now.rem_euclid(self.every) + self.every);
        }
        let submitted = std::mem::take(&mut self.submitted);
        let asked = |id: &JobId| all || submitted.contains(id);
        let asked: Vec<JobId> = cluster.queue().iter().copied().filter(asked).collect();
        if asked.is_empty() {
            return;
        }
        // A job that is overdue has missed already.
        for open in self.open.values_mut().flatten() {
            let waited = now - open.when;
            let Open { age, forecast, calibrated, missed, .. } = open;
            *missed = sound(self.calibration.overdue(*age, forecast, calibrated, waited, *missed));
        }
        let options = self.rules.now();
        let answers: Vec<Answer> = match self.policy.predicted_starts(now, &asked, options.scenarios) {
            Some(own) => own.into_iter().map(|own| (own.scenarios, None, own.reported, own.within)).collect(),
            None => self.play(cluster, &asked, &options),
        };
        for (&id, (forecast, own, calibrated, chances)) in asked.iter().zip(answers) {
            let age = now - cluster.job(id).submit;
            let occasion = if submitted.contains(&id) { Occasion::Submission } else { Occasion::Later };
            let mut told =
                vec![(Method::Forecast, forecast, own), (Method::Calibrated, calibrated, Some(chances))];
            told.extend(self.history.tell(age).map(|(rest, chances)| (Method::History, rest, Some(chances))));
            self.open.entry(id).or_default().push(Open {
                when: now,
                occasion,
                age,
                forecast,
                calibrated,
                told,
                missed: 0,
            });
        }
        // Everything is certain: two scenarios say the same.
        let certain = ForecastOptions { scenarios: 2, plans: Plans::Limits, slack: 0.0, ..options };
        let played = sound(self.player.play(cluster, &certain, None));
        for id in asked {
            let open = self.open.get_mut(&id).and_then(|open| open.last_mut()).expect("made above");
            open.told.push((Method::Limits, sound(played.quantiles(id)), None));
        }
    }
}

impl Policy for Asking {
    fn submitted(&mut self, job: &Job, now: i64) {
        self.predictor.submitted(job, now);
        self.submitted.push(job.id);
        self.policy.submitted(job, now);
    }

    fn started(&mut self, job: &Job, now: i64) {
        self.predictor.started(job, now);
        self.policy.started(job, now);
        self.history.started(now - job.submit);
        self.rules.started(now - job.submit);
        self.over |= self.until == Some(job.id);
        for open in self.open.remove(&job.id).unwrap_or_default() {
            let waited = now - open.when;
            let Open { age, forecast, calibrated, missed, occasion, .. } = open;
            sound(self.calibration.learn_rest(age, &forecast, &calibrated, waited, missed));
            self.told.extend(open.told.into_iter().map(|(method, quantiles, started)| Told {
                job: job.number,
                asked: open.when,
                age,
                method,
                occasion,
                quantiles,
                started,
                waited,
            }));
        }
    }

    fn ended(&mut self, job: &Job, now: i64) {
        self.predictor.finished(job, now);
        self.policy.ended(job, now);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.policy.schedule(cluster);
        if !self.over {
            self.ask(cluster);
        }
    }
}
