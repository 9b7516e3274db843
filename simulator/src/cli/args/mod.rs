//! Options that several verbs have in common.
//!
//! * [`mod@ended`]: ended jobs to learn from.
//! * [`mod@file`]: files that are whole or not there.
//! * [`made`]: generated workloads.
//! * [`policy`]: policies and presets of the engine.
//! * [`quiet`]: the switch that leaves progress and remarks out.
//! * [`mod@site`]: a site's nodes, partitions and rules.
//! * [`source`]: traces and histories, from files and standard input, in any format.

pub mod ended;
pub mod file;
pub mod made;
pub mod policy;
pub mod quiet;
pub mod site;
pub mod source;

/// Reads a probability above 0 and below 1.
///
/// # Errors
/// A message.
pub fn probability(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| *value > 0.0 && *value < 1.0);
    value.ok_or_else(|| "not a number above 0 and below 1".to_owned())
}
