//! `surefill allocate`: malleable jobs that choose their number of processors.

use super::Failure;
use super::output;
use crate::allocate::strategy::Strategy;
use crate::allocate::study::{Belief, StudyOptions, study};
use crate::allocate::workload::WorkloadOptions;
use clap::Args;

/// Options of `allocate`.
#[derive(Debug, Args)]
pub struct Allocate {
    /// Days with arrivals
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    days: u32,
    /// Processors of the machine, and the largest average parallelism
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(2..=65_536))]
    procs: u32,
    /// Sequential seconds that arrive a second of daytime, over the processors
    #[arg(long, value_name = "RHO", default_value_t = 0.75)]
    load: f64,
    /// Seed of the first workload
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Seeds, one after the other; means come with 95 % confidence intervals
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// The strategies
    #[arg(long, value_delimiter = ',', value_name = "LIST", default_value = "avg,opt,pred,bias,heur,exact")]
    strategies: Vec<Strategy>,
    /// Which run times predictors believe in
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", default_value = "sequential,fitted")]
    lifetimes: Vec<Belief>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

impl Allocate {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Allocate { days, procs, load, seed, .. } = self;
        let options = StudyOptions {
            workload: WorkloadOptions { days, procs, load, seed },
            seeds: self.seeds,
            strategies: self.strategies.iter().map(Strategy::to_string).collect(),
            beliefs: self.lifetimes,
        };
        let study = study(&options, &self.strategies, &|| ());
        output::json(&study)?;
        Ok(())
    }
}
