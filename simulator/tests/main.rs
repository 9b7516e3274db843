//! The simulator's tests, one program: linking one for each of these files takes minutes.

mod common;

mod advise;
mod advise_cluster;
mod advise_history;
mod advise_pools;
#[path = "common/advising.rs"]
mod advising;
mod backfill;
mod batsim;
#[path = "common/cluster.rs"]
mod cluster;
mod command_line;
mod conservative;
mod demo_workload;
mod examples;
mod explain;
mod formats;
mod generate;
#[path = "common/generating.rs"]
mod generating;
mod import_command;
mod import_managers;
mod import_refused;
mod import_reports;
mod imports;
mod invariants;
mod learn_command;
mod nodes;
mod one_answer;
mod own_cluster;
mod policies;
mod predict_wait_command;
mod probabilistic;
mod pyss;
mod report;
mod rivals;
mod serve_command;
mod serve_starts;
mod shards;
mod traces;
mod twin;
mod watch;
mod what_if;
