//! Predictors of run times: single values for the EASY variants, distributions for probabilistic backfilling.

pub mod distribution;
pub mod point;

use crate::replay::named::{Named, Names};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::Serialize;
use surefill::predict::{PredictorKind, PredictorOptions};
use surefill::runtime::RuntimeBins;

pub use distribution::DistributionPredictor;
use point::Correction;
pub use point::PointPredictor;

/// Makes a predictor of run times for one replay.
pub type BuildPredictor = dyn Fn() -> Box<dyn PointPredictor> + Send + Sync;

/// The predictors by name. Some predict single values, some distributions, some both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PredictorName {
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
    /// Distribution: ten histories of like jobs, by user, time limit and processors, weighted by their past success.
    Mix,
    /// Distribution: 31 contexts in which jobs are alike, mixed in the logarithm, cut at the limit, calibrated.
    Contexts,
    /// Distribution: the user's own jobs, corrected by the hidden Markov model's state.
    #[serde(rename = "user-hmm")]
    UserHmm,
    /// Distribution: 31 contexts, corrected by the hidden Markov model's state.
    #[serde(rename = "contexts-hmm")]
    ContextsHmm,
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
pub(crate) static PREDICTORS: Names<PredictorName> = Names::new(|| {
    let values = PredictorName::POINT.iter().filter(|other| !PredictorName::DISTRIBUTION.contains(other));
    let named =
        BUILT_IN.map(|(name, about, build)| PredictorName::Named(Named::new(name, about, Box::new(build))));
    PredictorName::DISTRIBUTION.iter().chain(values).copied().chain(named).collect()
});

/// Name, text for `--help`, and the function that makes it.
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

impl ValueEnum for PredictorName {
    fn value_variants<'a>() -> &'a [PredictorName] {
        PREDICTORS.all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            PredictorName::Limit => ("limit", "The job's limit"),
            PredictorName::Clairvoyant => ("clairvoyant", "The run time it will have: a ceiling for studies"),
            PredictorName::Global => ("global", "Distribution: all finished jobs"),
            PredictorName::User => ("user", "Distribution: the user's own finished jobs, backing off to all"),
            PredictorName::Hmm => {
                ("hmm", "Distribution: the hidden Markov model of run times (Nissimov 2006), learnt on line")
            }
            PredictorName::HmmOnline => (
                "hmm-online",
                "Distribution: the same model, learnt slot by slot by recursive expectation-maximisation",
            ),
            PredictorName::Mix => (
                "mix",
                "Distribution: ten histories of like jobs, by user, time limit and processors, weighed by how well they do",
            ),
            PredictorName::Contexts => (
                "contexts",
                "Distribution: 31 contexts in which jobs are alike, mixed in the logarithm, cut at the limit, calibrated",
            ),
            PredictorName::UserHmm => {
                ("user-hmm", "Distribution: as user, corrected by the state of the hidden Markov model")
            }
            PredictorName::ContextsHmm => (
                "contexts-hmm",
                "Distribution: as contexts, corrected by the state of the hidden Markov model",
            ),
            PredictorName::Mean2 => {
                ("mean2", "Value: the mean of the user's last two run times (Tsafrir et al. 2007)")
            }
            PredictorName::Gibbons => {
                ("gibbons", "Value: quadratic fit on processors by user and executable (Gibbons 1997)")
            }
            PredictorName::Smith => {
                ("smith", "Value: the mean of the similarity class known best (Smith et al. 1998)")
            }
            PredictorName::MeanSigma => (
                "mean+1.5sigma",
                "Value: mean + 1.5 standard deviations of the user's similar jobs (Mu'alem & Feitelson 2001)",
            ),
            PredictorName::Doubled => ("doubled", "Value: twice the limit"),
            PredictorName::Named(named) => return Some(named.value()),
        };
        Some(PossibleValue::new(name).help(about))
    }
}

impl PredictorName {
    /// The predictors of single values that are built in.
    pub const POINT: &'static [PredictorName] = &[
        PredictorName::Limit,
        PredictorName::Mean2,
        PredictorName::Gibbons,
        PredictorName::Smith,
        PredictorName::MeanSigma,
        PredictorName::Doubled,
        PredictorName::Clairvoyant,
    ];

    /// The predictors of distributions.
    pub const DISTRIBUTION: &'static [PredictorName] = &[
        PredictorName::Mix,
        PredictorName::Contexts,
        PredictorName::User,
        PredictorName::Hmm,
        PredictorName::HmmOnline,
        PredictorName::UserHmm,
        PredictorName::ContextsHmm,
        PredictorName::Limit,
        PredictorName::Global,
        PredictorName::Clairvoyant,
    ];

    /// The predictors of the registry.
    fn named() -> impl Iterator<Item = PredictorName> {
        PREDICTORS.all().iter().copied().filter(|predictor| matches!(predictor, PredictorName::Named(_)))
    }

    /// All that predict single values.
    pub fn points() -> Vec<PredictorName> {
        PredictorName::POINT.iter().copied().chain(PredictorName::named()).collect()
    }

    /// All that predict distributions.
    pub fn distributions() -> Vec<PredictorName> {
        PredictorName::DISTRIBUTION.iter().copied().chain(PredictorName::named()).collect()
    }

    /// The predictor of single values, with nothing learnt yet; `None` for those not in [`PredictorName::points`].
    pub fn point(self) -> Option<Box<dyn PointPredictor>> {
        Some(match self {
            PredictorName::Limit => Box::new(point::Limit),
            PredictorName::Clairvoyant => Box::new(point::Clairvoyant),
            PredictorName::Mean2 => Box::<point::MeanOfLastTwo>::default(),
            PredictorName::Gibbons => Box::<point::Gibbons>::default(),
            PredictorName::Smith => Box::<point::Smith>::default(),
            PredictorName::MeanSigma => Box::<point::MeanPlusSigma>::default(),
            PredictorName::Doubled => Box::new(point::Doubled),
            PredictorName::Named(named) => named.build()(),
            PredictorName::Global
            | PredictorName::User
            | PredictorName::Hmm
            | PredictorName::HmmOnline
            | PredictorName::Mix
            | PredictorName::Contexts
            | PredictorName::UserHmm
            | PredictorName::ContextsHmm => {
                return None;
            }
        })
    }

    /// The predictor of distributions, with nothing learnt yet; `None` for those that are not in
    /// [`PredictorName::distributions`].
    /// Those that count run times count them in these bins. `hmm_floor` is [`PredictorName::Hmm`]'s
    /// ([`PredictorOptions::floor`]), below 1.
    pub fn distribution(self, bins: &RuntimeBins, hmm_floor: f64) -> Option<Box<dyn DistributionPredictor>> {
        let hmm = PredictorOptions { floor: hmm_floor, ..PredictorOptions::of(PredictorKind::Hmm) };
        Some(match self {
            PredictorName::Limit => Box::new(distribution::Limit),
            PredictorName::Clairvoyant => Box::new(distribution::Clairvoyant),
            PredictorName::Global => Box::new(distribution::Global::new(bins.clone())),
            PredictorName::User => Box::new(distribution::Histories::user(bins)),
            PredictorName::Hmm => Box::new(distribution::HmmPredictor::new(bins, &hmm)),
            // Without a floor a bin that the first slots do not have would never be learnt.
            PredictorName::HmmOnline => Box::new(distribution::HmmPredictor::online(
                bins,
                &PredictorOptions::of(PredictorKind::HmmOnline),
            )),
            PredictorName::Mix => Box::new(distribution::Histories::mix(bins)),
            PredictorName::Contexts => Box::new(distribution::Contexts::new(bins)),
            PredictorName::UserHmm | PredictorName::ContextsHmm => {
                let alike: Box<dyn DistributionPredictor> = if self == PredictorName::UserHmm {
                    Box::new(distribution::Histories::user(bins))
                } else {
                    Box::new(distribution::Contexts::new(bins))
                };
                Box::new(distribution::Joined::new(bins, alike, distribution::HmmPredictor::new(bins, &hmm)))
            }
            PredictorName::Named(named) => Box::new(distribution::Single::new(named.build()())),
            PredictorName::Mean2
            | PredictorName::Gibbons
            | PredictorName::Smith
            | PredictorName::MeanSigma
            | PredictorName::Doubled => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_say_what_there_is() {
        for predictor in PredictorName::value_variants() {
            assert_eq!(PredictorName::points().contains(predictor), predictor.point().is_some());
            assert_eq!(
                PredictorName::distributions().contains(predictor),
                predictor.distribution(&RuntimeBins::default(), 0.0).is_some()
            );
        }
    }
}
