//! Foundations of every wing: draws that are the same everywhere ([`random`]), means, quantiles and correlations
//! ([`statistics`]), confidence intervals of what comes in weeks ([`bootstrap`]), the figures the papers publish
//! ([`papers`]), spans of time as people write them ([`span`]), and numbers of things in sentences ([`words`]).

pub mod bootstrap;
pub mod papers;
pub mod random;
pub mod span;
pub mod statistics;
pub mod words;
