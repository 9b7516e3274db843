//! Predictors of run times: single values for the EASY variants, distributions for probabilistic backfilling.

pub mod distribution;
pub mod point;

pub use distribution::DistributionPredictor;
pub use point::PointPredictor;
