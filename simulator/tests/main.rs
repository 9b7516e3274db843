//! The simulator's tests, one program: linking one for each of these files takes minutes.

mod common;

mod advise;
mod allocate;
mod batsim;
mod characterize;
mod command_line;
mod conservative;
mod demo_workload;
mod examples;
mod explain;
mod fit;
mod fit_command;
mod fit_online;
mod formats;
mod generate;
mod import_command;
mod invariants;
mod locality;
mod locality_ageing;
mod locality_study;
mod nodes;
mod probabilistic;
mod pyss;
mod report;
mod reservations_command;
mod rivals;
mod serve_command;
mod shards;
mod similar;
mod strategies;
mod traces;
mod waits;
mod waits_command;
mod watch;
mod what_if;
