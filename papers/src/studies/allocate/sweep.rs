//! Loads, machine sizes and users' ranges of run times that the paper left as future work; cut in shards that a
//! cluster runs as a job array.

use super::lifetimes::Lifetimes;
use super::strategy::Strategy;
use super::study::{Measures, RunTimeModel, StudyError, estimates, lifetimes, one};
use super::workload::{Rounding, WorkloadOptions, generate};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use surefill_simulator::base::statistics::Estimate;

/// Kind of a shard's JSON.
pub const KIND: &str = "surefill-papers allocate sweep";

/// Inputs of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepOptions {
    /// Days with arrivals.
    pub days: u32,
    /// The first seed.
    pub seed: u64,
    /// Seeds, one after the other.
    pub seeds: u32,
    /// From A to the most processors.
    pub rounding: Rounding,
    /// Offered loads.
    pub loads: Vec<f64>,
    /// Processors of the machines.
    pub machines: Vec<u32>,
    /// Users' ranges of run times, as factors between their ends; 0: users say nothing.
    pub supplied: Vec<f64>,
    /// Run-time model where users say nothing.
    pub model: RunTimeModel,
    /// The strategies.
    pub strategies: Vec<String>,
}

/// One workload under all strategies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Its number in the sweep, from 0.
    pub index: usize,
    /// Offered load.
    pub load: f64,
    /// Processors.
    pub procs: u32,
    /// The users' factor; 0 when they say nothing.
    pub supplied: f64,
    /// Its seed.
    pub seed: u64,
    /// Decisions recorded, by strategy.
    pub application: BTreeMap<String, Measures>,
    /// Decisions in effect, by strategy.
    pub system: BTreeMap<String, Measures>,
}

/// The cells of one shard, or of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// [`KIND`].
    pub kind: String,
    /// The version that made it.
    pub surefill: String,
    /// The sweep's options.
    pub options: SweepOptions,
    /// Which shard of how many, from 1.
    pub shard: (usize, usize),
    /// Its cells in order.
    pub cells: Vec<Cell>,
}

/// Load, processors, users' factor and seed of every cell, in order. The seed runs fastest, so that shards are alike.
fn cells(options: &SweepOptions) -> Vec<(f64, u32, f64, u64)> {
    let mut cells = Vec::new();
    for &procs in &options.machines {
        for &load in &options.loads {
            for &supplied in &options.supplied {
                cells.extend(
                    (0..options.seeds)
                        .map(|n| (load, procs, supplied, options.seed.wrapping_add(u64::from(n)))),
                );
            }
        }
    }
    cells
}

/// Number of cells of a shard.
pub fn count(options: &SweepOptions, shard: (usize, usize)) -> usize {
    (0..cells(options).len()).filter(|index| index % shard.1 == shard.0 - 1).count()
}

/// Runs the cells of a shard (from 1, of at least 1) on all cores; `progress` is called for each.
///
/// # Errors
/// [`StudyError::NoFit`].
pub fn sweep(
    options: &SweepOptions,
    strategies: &[Strategy],
    shard: (usize, usize),
    progress: &(dyn Fn() + Sync),
) -> Result<Sweep, StudyError> {
    let mine: Vec<_> =
        cells(options).into_iter().enumerate().filter(|(index, _)| index % shard.1 == shard.0 - 1).collect();
    let cells = mine.into_par_iter().map(|(index, (load, procs, supplied, seed))| {
        let SweepOptions { days, rounding, model, .. } = *options;
        let workload = WorkloadOptions { days, procs, load, seed, rounding, apart: 1 };
        let lifetimes =
            if supplied > 0.0 { Lifetimes::Supplied(supplied) } else { lifetimes(model, &workload)? };
        let jobs = generate(&workload);
        let mut cell = Cell {
            index,
            load,
            procs,
            supplied,
            seed,
            application: BTreeMap::new(),
            system: BTreeMap::new(),
        };
        let done: Vec<_> = strategies
            .par_iter()
            .map(|&strategy| {
                (strategy.to_string(), one(&jobs, procs, &workload.hours(), &lifetimes, strategy))
            })
            .collect();
        for (name, (application, system, _)) in done {
            cell.application.insert(name.clone(), application);
            cell.system.insert(name, system);
        }
        progress();
        Ok(cell)
    });
    let cells = cells.collect::<Result<_, StudyError>>()?;
    let surefill = env!("CARGO_PKG_VERSION").to_owned();
    Ok(Sweep { kind: KIND.to_owned(), surefill, options: options.clone(), shard, cells })
}

/// Why shards make no sweep.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// No shard.
    #[error("nothing to merge")]
    Nothing,
    /// A file that holds something else.
    #[error("{0}: not a shard of '{KIND}'")]
    Kind(String),
    /// A shard of another version.
    #[error("{0}: printed by surefill {1}, this is surefill {version}", version = env!("CARGO_PKG_VERSION"))]
    Version(String, String),
    /// Made by other options than the first.
    #[error("{0}: made with other options than {1}")]
    Options(String, String),
    /// A cell that does not belong to the sweep, or not what the options say.
    #[error("{0}: cell {1} does not belong to this sweep")]
    Foreign(String, usize),
    /// A cell twice.
    #[error("{0}: cell {1} is there already")]
    Twice(String, usize),
    /// Cells that no shard has.
    #[error("{0} of {1} cells are missing, the first is {2} (of shard {3} where there are {4})")]
    Missing(usize, usize, usize, usize, usize),
}

/// All cells of named shards. They must be complete unless `partial`.
///
/// # Errors
/// [`MergeError`].
pub fn merge(shards: Vec<(String, Sweep)>, partial: bool) -> Result<Sweep, MergeError> {
    let (first_name, first) = shards.first().ok_or(MergeError::Nothing)?;
    let (first_name, options, of) = (first_name.clone(), first.options.clone(), first.shard.1.max(1));
    let expected = cells(&options);
    let mut found: BTreeMap<usize, Cell> = BTreeMap::new();
    for (name, shard) in shards {
        if shard.kind != KIND {
            return Err(MergeError::Kind(name));
        }
        if shard.surefill != env!("CARGO_PKG_VERSION") {
            return Err(MergeError::Version(name, shard.surefill));
        }
        if shard.options != options {
            return Err(MergeError::Options(name, first_name));
        }
        for cell in shard.cells {
            let index = cell.index;
            if expected.get(index) != Some(&(cell.load, cell.procs, cell.supplied, cell.seed)) {
                return Err(MergeError::Foreign(name, index));
            }
            if found.insert(index, cell).is_some() {
                return Err(MergeError::Twice(name, index));
            }
        }
    }
    let missing = (0..expected.len()).find(|index| !found.contains_key(index));
    if let Some(index) = missing.filter(|_| !partial) {
        let missing = expected.len() - found.len();
        return Err(MergeError::Missing(missing, expected.len(), index, index % of + 1, of));
    }
    let surefill = env!("CARGO_PKG_VERSION").to_owned();
    Ok(Sweep {
        kind: KIND.to_owned(),
        surefill,
        options,
        shard: (1, 1),
        cells: found.into_values().collect(),
    })
}

/// One place of the sweep, over its seeds.
#[derive(Debug, Clone, Serialize)]
pub struct Place {
    /// Offered load.
    pub load: f64,
    /// Processors.
    pub procs: u32,
    /// The users' factor; 0 when they say nothing.
    pub supplied: f64,
    /// Seeds found.
    pub seeds: usize,
    /// Decisions recorded, by strategy.
    pub application: BTreeMap<String, BTreeMap<String, Estimate>>,
    /// Decisions in effect, by strategy.
    pub system: BTreeMap<String, BTreeMap<String, Estimate>>,
}

/// Means over seeds, in the order of the cells.
pub fn places(sweep: &Sweep) -> Vec<Place> {
    let same = |a: &Cell, b: &Cell| (a.load, a.procs, a.supplied) == (b.load, b.procs, b.supplied);
    let groups = sweep.cells.chunk_by(same);
    let over = |cells: &[Cell], of: fn(&Cell) -> &BTreeMap<String, Measures>| {
        let by_name = |name: &String| {
            let seeds: Vec<&Measures> = cells.iter().filter_map(|cell| of(cell).get(name)).collect();
            (name.clone(), estimates(&seeds))
        };
        sweep.options.strategies.iter().map(by_name).collect()
    };
    groups
        .map(|cells| Place {
            load: cells[0].load,
            procs: cells[0].procs,
            supplied: cells[0].supplied,
            seeds: cells.len(),
            application: over(cells, |cell| &cell.application),
            system: over(cells, |cell| &cell.system),
        })
        .collect()
}
