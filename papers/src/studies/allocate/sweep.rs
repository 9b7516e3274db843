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

/// Inputs of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
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

/// The cells of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// The version that made it.
    pub surefill: String,
    /// The sweep's options.
    pub options: SweepOptions,
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

/// Number of cells.
pub fn count(options: &SweepOptions) -> usize {
    cells(options).len()
}

/// Runs some of the cells, in order of their numbers, on all cores; `progress` is called for each.
///
/// # Errors
/// [`StudyError::NoFit`].
pub fn sweep(
    options: &SweepOptions,
    strategies: &[Strategy],
    mine: &[usize],
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Cell>, StudyError> {
    let all = cells(options);
    let mine: Vec<_> = mine.iter().filter_map(|&index| Some((index, *all.get(index)?))).collect();
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
    cells.collect()
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
