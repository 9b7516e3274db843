//! What every wing stands on: draws that are the same everywhere ([`random`]), means, quantiles and correlations
//! ([`statistics`]), and the figures the papers publish ([`papers`]).

pub mod papers;
pub mod random;
pub mod statistics;
