//! Foundations of every wing: draws that are the same everywhere ([`random`]), means, quantiles and correlations
//! ([`statistics`]), confidence intervals of what comes in weeks ([`bootstrap`]), the figures the papers publish
//! ([`papers`]), spans of time as people write them ([`span`]), numbers of things in sentences ([`words`]), and
//! files that are whole or not there (`whole`).

pub mod bootstrap;
pub mod papers;
pub mod random;
pub mod span;
pub mod statistics;
#[cfg(feature = "command")]
pub mod whole;
pub mod words;
