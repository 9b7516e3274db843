//! Methods of wait predictors, and attributes that jobs are clustered by, by their names.

use serde::{Deserialize, Serialize};
use surefill::wait::{Attribute, WaitMethod};

/// A method by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Order statistics
    Binomial,
    /// The .95 bound of a log-normal's quantile
    LogNormal,
    /// A log-uniform's quantile
    LogUniform,
    /// A Weibull's quantile
    Weibull,
}

impl Method {
    /// All, in the order of the paper's columns.
    pub const ALL: [Method; 4] = [Method::Binomial, Method::LogNormal, Method::LogUniform, Method::Weibull];

    /// Its name in sentences.
    pub fn name(self) -> &'static str {
        match self {
            Method::Binomial => "binomial",
            Method::LogNormal => "log-normal",
            Method::LogUniform => "log-uniform",
            Method::Weibull => "Weibull",
        }
    }

    /// The core's method.
    pub fn core(self) -> WaitMethod {
        match self {
            Method::Binomial => WaitMethod::Binomial,
            Method::LogNormal => WaitMethod::LogNormal,
            Method::LogUniform => WaitMethod::LogUniform,
            Method::Weibull => WaitMethod::Weibull,
        }
    }
}

/// Attribute that jobs are clustered by, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The requested time
    Requested,
    /// The processors
    Processors,
    /// Their product
    Product,
    /// The one of these whose clusters explain the waits best, chosen anew whenever jobs are clustered again
    Best,
}

impl By {
    /// Those that a job has.
    pub const ALL: [By; 3] = [By::Requested, By::Processors, By::Product];

    /// By its name in the core.
    pub fn of(attribute: Attribute) -> By {
        match attribute {
            Attribute::Requested => By::Requested,
            Attribute::Processors => By::Processors,
            Attribute::Product => By::Product,
            Attribute::Best => By::Best,
        }
    }

    /// The core's attribute.
    pub fn core(self) -> Attribute {
        match self {
            By::Requested => Attribute::Requested,
            By::Processors => Attribute::Processors,
            By::Product => Attribute::Product,
            By::Best => Attribute::Best,
        }
    }
}
