//! The `surefill` command with one policy more: `cargo run --release -p surefill-simulator --example own_policy --
//! compare demo/workload.swf.gz --policies easy,smallest,smallest:mean2:sjf`.

use std::process::ExitCode;
use surefill_simulator::cli::{Cli, finish};
use surefill_simulator::replay::machine::Cluster;
use surefill_simulator::replay::policy::{Parts, Policy};
use surefill_simulator::replay::registry::add_policy;
use surefill_simulator::trace::workload::Job;

/// The job with the fewest processors that fits starts next, whatever the others are kept waiting.
struct Smallest(Parts);

impl Policy for Smallest {
    fn submitted(&mut self, job: &Job, _now: i64) {
        self.0.submitted(job);
    }

    fn schedule(&mut self, cluster: &mut Cluster<'_>) {
        self.0.sort_queue(cluster);
        while let Some(&id) = cluster.queue().iter().min_by_key(|&&id| cluster.job(id).processors)
            && cluster.fits(cluster.job(id))
        {
            cluster.start_job(id);
        }
    }
}

/// Gives it its name.
pub fn add() {
    let added =
        add_policy("smallest", "The job with the fewest processors first", |parts| Box::new(Smallest(parts)));
    added.expect("no other policy has this name");
}

fn main() -> ExitCode {
    add();
    finish(Cli::of_process().run())
}
