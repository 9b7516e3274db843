//! Predictors of run times: single values for the EASY variants, distributions for probabilistic backfilling.

pub mod distribution;
pub mod point;

use crate::replay::policy::Named;
use crate::replay::registry::{BuildPredictor, Names};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::Serialize;
use surefill::predict::{PredictorKind, PredictorOptions};
use surefill::runtime::RuntimeBins;

pub use distribution::DistributionPredictor;
use point::Correction;
pub use point::PointPredictor;

/// The predictors by name. Some predict single values, some distributions, some both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Predictor {
    /// The job's limit.
    Limit,
    /// The run time it will have: a ceiling for studies.
    Clairvoyant,
    /// Distribution: all finished jobs.
    Global,
    /// Distribution: the user's own finished jobs, backing off to all.
    User,
    /// Distribution: the hidden Markov model of run times (Nissimov 2006), learnt on line.
    Hmm,
    /// Distribution: the same model, learnt slot by slot by recursive expectation-maximisation.
    #[serde(rename = "hmm-online")]
    HmmOnline,
    /// Distribution: ten histories of like jobs, by user, time limit and processors, weighed by how well they do.
    Mix,
    /// Distribution: 31 contexts in which jobs are alike, mixed in the logarithm, cut at the limit, calibrated.
    Contexts,
    /// Value: the mean of the user's last two run times (Tsafrir et al. 2007).
    Mean2,
    /// Value: quadratic fit on processors by user and executable (Gibbons 1997).
    Gibbons,
    /// Value: the mean of the similarity class known best (Smith et al. 1998).
    Smith,
    /// Value: mean + 1.5 standard deviations of the user's similar jobs (Mu'alem & Feitelson 2001).
    #[serde(rename = "mean+1.5sigma")]
    MeanSigma,
    /// Value: twice the limit.
    Doubled,
    /// Value: one of the registry's, built in or added ([`crate::replay::registry`]).
    #[serde(untagged)]
    Named(Named<BuildPredictor>),
}

/// All predictors.
pub(crate) static PREDICTORS: Names<Predictor> = Names::new(|| {
    let values = Predictor::POINT.iter().filter(|other| !Predictor::DISTRIBUTION.contains(other));
    let named =
        BUILT_IN.map(|(name, about, build)| Predictor::Named(Named::new(name, about, Box::new(build))));
    Predictor::DISTRIBUTION.iter().chain(values).copied().chain(named).collect()
});

/// Name, what `--help` says, and what makes it.
type BuiltIn = (&'static str, &'static str, fn() -> Box<dyn PointPredictor>);

/// The predictors of the registry that are built in: the learning predictor with each of its correctors.
const BUILT_IN: [BuiltIn; 3] = [
    (
        "learned",
        "Value: on-line polynomial regression with asymmetric loss (Gaussier et al. 2015), corrected by growing increments",
        || Box::new(point::Learned::new(Correction::Increments)),
    ),
    ("learned-doubling", "Value: the same, corrected to twice as long", || {
        Box::new(point::Learned::new(Correction::Doubling))
    }),
    ("learned-limit", "Value: the same, corrected to the limit", || {
        Box::new(point::Learned::new(Correction::Limit))
    }),
];

impl ValueEnum for Predictor {
    fn value_variants<'a>() -> &'a [Predictor] {
        PREDICTORS.all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            Predictor::Limit => ("limit", "The job's limit"),
            Predictor::Clairvoyant => ("clairvoyant", "The run time it will have: a ceiling for studies"),
            Predictor::Global => ("global", "Distribution: all finished jobs"),
            Predictor::User => ("user", "Distribution: the user's own finished jobs, backing off to all"),
            Predictor::Hmm => {
                ("hmm", "Distribution: the hidden Markov model of run times (Nissimov 2006), learnt on line")
            }
            Predictor::HmmOnline => (
                "hmm-online",
                "Distribution: the same model, learnt slot by slot by recursive expectation-maximisation",
            ),
            Predictor::Mix => (
                "mix",
                "Distribution: ten histories of like jobs, by user, time limit and processors, weighed by how well they do",
            ),
            Predictor::Contexts => (
                "contexts",
                "Distribution: 31 contexts in which jobs are alike, mixed in the logarithm, cut at the limit, calibrated",
            ),
            Predictor::Mean2 => {
                ("mean2", "Value: the mean of the user's last two run times (Tsafrir et al. 2007)")
            }
            Predictor::Gibbons => {
                ("gibbons", "Value: quadratic fit on processors by user and executable (Gibbons 1997)")
            }
            Predictor::Smith => {
                ("smith", "Value: the mean of the similarity class known best (Smith et al. 1998)")
            }
            Predictor::MeanSigma => (
                "mean+1.5sigma",
                "Value: mean + 1.5 standard deviations of the user's similar jobs (Mu'alem & Feitelson 2001)",
            ),
            Predictor::Doubled => ("doubled", "Value: twice the limit"),
            Predictor::Named(named) => return Some(named.value()),
        };
        Some(PossibleValue::new(name).help(about))
    }
}

impl Predictor {
    /// Those that predict single values.
    pub const POINT: &'static [Predictor] = &[
        Predictor::Limit,
        Predictor::Mean2,
        Predictor::Gibbons,
        Predictor::Smith,
        Predictor::MeanSigma,
        Predictor::Doubled,
        Predictor::Clairvoyant,
    ];

    /// Those that predict distributions.
    pub const DISTRIBUTION: &'static [Predictor] = &[
        Predictor::Mix,
        Predictor::Contexts,
        Predictor::User,
        Predictor::Hmm,
        Predictor::HmmOnline,
        Predictor::Limit,
        Predictor::Global,
        Predictor::Clairvoyant,
    ];

    /// Those of the registry.
    fn named() -> impl Iterator<Item = Predictor> {
        PREDICTORS.all().iter().copied().filter(|predictor| matches!(predictor, Predictor::Named(_)))
    }

    /// All that predict single values.
    pub fn points() -> Vec<Predictor> {
        Predictor::POINT.iter().copied().chain(Predictor::named()).collect()
    }

    /// All that predict distributions.
    pub fn distributions() -> Vec<Predictor> {
        Predictor::DISTRIBUTION.iter().copied().chain(Predictor::named()).collect()
    }

    /// The predictor of single values, with nothing learnt yet; `None` for those not in [`Predictor::points`].
    pub fn point(self) -> Option<Box<dyn PointPredictor>> {
        Some(match self {
            Predictor::Limit => Box::new(point::Limit),
            Predictor::Clairvoyant => Box::new(point::Clairvoyant),
            Predictor::Mean2 => Box::<point::MeanOfLastTwo>::default(),
            Predictor::Gibbons => Box::<point::Gibbons>::default(),
            Predictor::Smith => Box::<point::Smith>::default(),
            Predictor::MeanSigma => Box::<point::MeanPlusSigma>::default(),
            Predictor::Doubled => Box::new(point::Doubled),
            Predictor::Named(named) => named.build()(),
            Predictor::Global
            | Predictor::User
            | Predictor::Hmm
            | Predictor::HmmOnline
            | Predictor::Mix
            | Predictor::Contexts => {
                return None;
            }
        })
    }

    /// The predictor of distributions, with nothing learnt yet; `None` for those not in [`Predictor::distributions`].
    /// Those that count run times count them in these bins. `hmm_floor` is [`Predictor::Hmm`]'s
    /// ([`PredictorOptions::floor`]), below 1.
    pub fn distribution(self, bins: &RuntimeBins, hmm_floor: f64) -> Option<Box<dyn DistributionPredictor>> {
        let hmm = PredictorOptions { floor: hmm_floor, ..PredictorOptions::of(PredictorKind::Hmm) };
        Some(match self {
            Predictor::Limit => Box::new(distribution::Limit),
            Predictor::Clairvoyant => Box::new(distribution::Clairvoyant),
            Predictor::Global => Box::new(distribution::Global::new(bins.clone())),
            Predictor::User => Box::new(distribution::Histories::user(bins)),
            Predictor::Hmm => Box::new(distribution::Hmm::new(bins, &hmm)),
            // Without a floor a bin that the first slots do not have would never be learnt.
            Predictor::HmmOnline => {
                Box::new(distribution::Hmm::online(bins, &PredictorOptions::of(PredictorKind::HmmOnline)))
            }
            Predictor::Mix => Box::new(distribution::Histories::mix(bins)),
            Predictor::Contexts => Box::new(distribution::Contexts::new(bins)),
            Predictor::Named(named) => Box::new(distribution::Single::new(named.build()())),
            Predictor::Mean2
            | Predictor::Gibbons
            | Predictor::Smith
            | Predictor::MeanSigma
            | Predictor::Doubled => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_say_what_there_is() {
        for predictor in Predictor::value_variants() {
            assert_eq!(Predictor::points().contains(predictor), predictor.point().is_some());
            assert_eq!(
                Predictor::distributions().contains(predictor),
                predictor.distribution(&RuntimeBins::default(), 0.0).is_some()
            );
        }
    }
}
