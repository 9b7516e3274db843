//! What every wing stands on: draws that are the same everywhere ([`random`]), means, quantiles and correlations
//! ([`statistics`]), the figures the papers publish ([`papers`]), and numbers of things in sentences ([`words`]).

pub mod papers;
pub mod random;
pub mod statistics;
pub mod words;
