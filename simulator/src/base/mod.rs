//! What every wing stands on: draws that are the same everywhere ([`random`]), and the figures the papers publish
//! ([`papers`]).

pub mod papers;
pub mod random;
