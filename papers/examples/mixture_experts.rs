//! Bits a job by the mixture and by each of its ten experts alone: `cargo run --release -p surefill-papers --example
//! mixture_experts -- TRACE...` prints a table.

use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use surefill::predict::Expert;
use surefill_papers::generate::hmm::sample::Binning;
use surefill_papers::report::trace_name;
use surefill_papers::studies::predictors::bits_a_job;
use surefill_simulator::replay::predict::distribution::Histories;
use surefill_simulator::trace::format;
use surefill_simulator::trace::swf::Strictness;
use surefill_simulator::trace::workload::{Rules, Workload};

fn main() -> Result<(), Box<dyn Error>> {
    let key = |expert: &Expert| {
        let keys = ["user", "limit", "processors"];
        let named: Vec<_> = (0..3).filter(|key| expert.keys >> key & 1 == 1).map(|key| keys[key]).collect();
        format!("{} x{}", if named.is_empty() { "all".to_owned() } else { named.join("+") }, expert.decay)
    };
    println!("| trace | mix | {} |", Expert::MIX.each_ref().map(key).join(" | "));
    println!("|---|---:|{}", "---:|".repeat(Expert::MIX.len()));
    for path in std::env::args().skip(1) {
        let trace = format::open(Path::new(&path), None, Strictness::Lenient)?;
        let workload = Workload::new(&trace, &Rules::default())?;
        let bins = Binning::default().bins(&workload.jobs)?;
        let alone = Expert::MIX.iter().map(std::slice::from_ref);
        let mixtures: Vec<&[Expert]> = std::iter::once(&Expert::MIX[..]).chain(alone).collect();
        let bits: Vec<String> = mixtures
            .par_iter()
            .map(|experts| bits_a_job(&workload.jobs, &bins, &mut Histories::new(&bins, 3, experts)))
            .map(|bits| format!("{bits:.3}"))
            .collect();
        println!("| {} | {} |", trace_name(&path), bits.join(" | "));
    }
    Ok(())
}
