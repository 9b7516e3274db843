//! The tests of the papers' studies, one program.

#[allow(dead_code)] // The simulator's tests use the rest.
#[path = "../../simulator/tests/common/mod.rs"]
mod common;

mod allocate;
mod characterize;
mod compared;
mod fit;
mod fit_command;
mod fit_online;
mod generate;
#[path = "../../simulator/tests/common/generating.rs"]
mod generating;
mod habits;
mod inputs;
mod locality;
mod locality_ageing;
mod locality_study;
mod models;
mod reservations_command;
mod shards;
mod similar;
mod strategies;
mod tune_command;
mod waits;
mod waits_command;
