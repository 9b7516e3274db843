//! Six distributions of a slot's load, by maximum likelihood: section 3.5.1.1 of Nissimov 2006 (Figure 3.5).
//!
//! Loads are natural numbers from 0. Continuous distributions are discretised, p(n) = F(n+1) - F(n), and it is the
//! discretised likelihood that is maximised, numerically where there is no closed form; zeta is shifted by one. Some
//! samples have no most likely parameters: the likelihood then grows towards a limit of the family, and that [`Limit`]
//! is the result.

mod log_normal;
mod pareto;
mod shifted_pareto;
mod zeta;

use super::duration::after;
use super::histogram::Histogram;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A family of distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// e^-lambda lambda^n / n!
    Poisson,
    /// p (1-p)^n
    Geometric,
    /// (n+1)^-s / zeta(s)
    Zeta,
    /// The logarithm is normal, of mean mu and standard deviation sigma.
    LogNormal,
    /// F(x) = 1 - (x/k)^-a, x >= k
    Pareto,
    /// F(x) = 1 - (1 + x/k)^-a, x >= 0
    ShiftedPareto,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 6] = [
        Family::Poisson,
        Family::Geometric,
        Family::Zeta,
        Family::LogNormal,
        Family::Pareto,
        Family::ShiftedPareto,
    ];

    /// Free parameters.
    fn parameters(self) -> u32 {
        match self {
            Family::Poisson | Family::Geometric | Family::Zeta => 1,
            Family::LogNormal | Family::Pareto | Family::ShiftedPareto => 2,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Family::Poisson => "Poisson",
            Family::Geometric => "geometric",
            Family::Zeta => "zeta",
            Family::LogNormal => "log-normal",
            Family::Pareto => "Pareto",
            Family::ShiftedPareto => "shifted Pareto",
        })
    }
}

/// A distribution with its parameters, or the limit to which the likelihood grows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// [`Family::Poisson`].
    Poisson {
        /// The mean.
        lambda: f64,
    },
    /// [`Family::Geometric`].
    Geometric {
        /// The probability of 0.
        p: f64,
    },
    /// [`Family::Zeta`].
    Zeta {
        /// The exponent.
        s: f64,
    },
    /// [`Family::LogNormal`].
    LogNormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// [`Family::Pareto`].
    Pareto {
        /// The exponent.
        a: f64,
        /// The smallest value.
        k: f64,
    },
    /// [`Family::ShiftedPareto`].
    ShiftedPareto {
        /// The exponent.
        a: f64,
        /// The scale.
        k: f64,
    },
    /// The limit of a family.
    Limit(Limit),
}

/// Limits of families, where some parameter is infinite or 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// `n` with probability `share`, else `n` + 1: zeta as s, Pareto as a grows without end (shifted Pareto, all loads
    /// being 0, as a/k does), log-normal as sigma vanishes.
    Neighbours {
        /// The smaller value.
        n: u32,
        /// Its probability.
        share: f64,
    },
    /// Shifted Pareto as a and k grow without end: exponential, and discretised geometric with 1 - p = e^-rate.
    Exponential {
        /// The limit of a/k.
        rate: f64,
    },
}

impl Model {
    /// Logarithm of a load's probability.
    pub fn ln_probability(&self, n: u32) -> f64 {
        match *self {
            Model::Poisson { lambda: 0.0 } => if_certain(n == 0),
            Model::Poisson { lambda } => {
                f64::from(n) * lambda.ln() - lambda - libm::lgamma(f64::from(n) + 1.0)
            }
            Model::Geometric { p } => p.ln() + after(n, p),
            Model::Zeta { s } => zeta::ln_probability(n, s),
            Model::LogNormal { mu, sigma } => log_normal::ln_probability(n, mu, sigma),
            Model::Pareto { a, k } => pareto::ln_probability(n, a, k),
            Model::ShiftedPareto { a, k } => shifted_pareto::ln_probability(n, a / k, 1.0 / a),
            Model::Limit(Limit::Neighbours { n: first, share }) if n == first => share.ln(),
            Model::Limit(Limit::Neighbours { n: first, share }) if n.checked_sub(1) == Some(first) => {
                (-share).ln_1p()
            }
            Model::Limit(Limit::Neighbours { .. }) => f64::NEG_INFINITY,
            Model::Limit(Limit::Exponential { rate }) => shifted_pareto::ln_probability(n, rate, 0.0),
        }
    }

    /// The probability of a load of at least n, where Figure 3.5 draws it: of the geometric and the shifted Pareto.
    pub fn survival(&self, n: u32) -> Option<f64> {
        Some(match *self {
            Model::Geometric { p } => after(n, p).exp(),
            Model::ShiftedPareto { a, k } => (-a * (f64::from(n) / k).ln_1p()).exp(),
            Model::Limit(Limit::Exponential { rate }) => (-rate * f64::from(n)).exp(),
            _ => return None,
        })
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Model::Poisson { lambda } => write!(f, "lambda {}", short(lambda)),
            Model::Geometric { p } => write!(f, "p {}", short(p)),
            Model::Zeta { s } => write!(f, "s {}", short(s)),
            Model::LogNormal { mu, sigma } => write!(f, "mu {}, sigma {}", short(mu), short(sigma)),
            Model::Pareto { a, k } | Model::ShiftedPareto { a, k } => {
                write!(f, "a {}, k {}", short(a), short(k))
            }
            Model::Limit(Limit::Neighbours { n, share: 1.0 }) => write!(f, "limit: always {n}"),
            Model::Limit(Limit::Neighbours { n, .. }) => write!(f, "limit: {n} or {}", n.saturating_add(1)),
            Model::Limit(Limit::Exponential { rate }) => {
                write!(f, "limit: exponential, a/k {}", short(rate))
            }
        }
    }
}

/// Four digits.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) {
        format!("{value:.3e}")
    } else {
        format!("{value:.4}")
    }
}

/// Logarithm of 1 or 0.
fn if_certain(certain: bool) -> f64 {
    if certain { 0.0 } else { f64::NEG_INFINITY }
}

/// A family's most likely distribution, and how well it does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The family.
    pub family: Family,
    /// The distribution.
    pub model: Model,
    /// Log-likelihood (nats) of the discretised distribution.
    pub log_likelihood: f64,
    /// Akaike's information criterion, 2 k - 2 ln L, with the family's number of parameters also in a limit.
    pub aic: f64,
    /// Kullback-Leibler divergence (bits) from the sample to the distribution.
    pub kl_bits: f64,
    /// The same less the bias by the number of different loads that occurred.
    pub kl_simple_bits: f64,
}

/// Every family's fit, in the order of [`Family::ALL`]; none without loads. Work: some thousand evaluations of the
/// likelihood for the families of two parameters, each of as many steps as there are different loads.
pub fn fits(loads: &Histogram) -> Vec<Fit> {
    let model = |family| match family {
        Family::Poisson => loads.mean().map(|lambda| Model::Poisson { lambda }),
        Family::Geometric => loads.mean().map(|mean| Model::Geometric { p: 1.0 / (1.0 + mean) }),
        Family::Zeta => zeta::fit(loads),
        Family::LogNormal => log_normal::fit(loads),
        Family::Pareto => pareto::fit(loads),
        Family::ShiftedPareto => shifted_pareto::fit(loads),
    };
    let fit = |family: Family| {
        let model = model(family)?;
        let log_likelihood = loads.log_likelihood(|n| model.ln_probability(n));
        let kl_bits = loads.divergence(log_likelihood)?;
        let aic = 2.0 * (f64::from(family.parameters()) - log_likelihood);
        Some(Fit {
            family,
            model,
            log_likelihood,
            aic,
            kl_bits,
            kl_simple_bits: kl_bits - loads.simple_bias()?,
        })
    };
    Family::ALL.into_iter().filter_map(fit).collect()
}

/// The limit of two neighbouring values, when the loads are no others.
fn neighbours(loads: &Histogram) -> Option<Model> {
    let (first, last) = loads.range()?;
    let share = loads.share(first)?;
    (last - first <= 1).then_some(Model::Limit(Limit::Neighbours { n: first, share }))
}

#[cfg(test)]
mod tests;
