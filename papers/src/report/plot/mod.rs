//! The studies' plots, one file a kind.

pub mod axis;
pub mod curves;
pub mod frontier;
pub mod half_life;
pub mod heat_map;
pub mod lines;
pub mod load_ccdf;
pub mod scatter;
pub mod schedule;
pub mod shares;
pub mod waits_over_time;
