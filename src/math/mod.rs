//! Special functions, one family a file, each with its method and accuracy in its first lines.
//!
//! Everything rests on `libm` and on plain arithmetic in the order written: the same bits on every platform. Arguments
//! outside a function's stated domain give NaN; the callers in this crate check theirs before.
//!
//! * [`gamma`]: the error of Stirling's formula, the basis of the densities.
//! * [`beta`]: the regularised incomplete beta function and its inverse.
//! * [`binomial`]: probabilities of counts.
//! * `chances`: probabilities corrected by the observed share of those that came true.
//! * [`fnv`], the checksum FNV-1a, and `mix`, SplitMix64: no special functions, but arithmetic that several rooms
//!   share.
//! * [`normal`]: distribution function and quantile.
//! * [`student`]: Student's t and the noncentral t, for one-sided tolerance factors.
//!
//! The accuracies stated were measured against 50-digit arithmetic: `scripts/vectors/math_functions.py`,
//! `tests/math.rs`.

pub mod beta;
pub mod binomial;
pub(crate) mod chances;
pub mod fnv;
pub mod gamma;
pub(crate) mod mix;
pub mod normal;
pub mod student;
