//! Makes the table of rare-event thresholds, src/wait/rare_table.rs:
//!
//!     cargo run --release --example rare-events > src/wait/rare_table.rs
//!
//! Nurmi, Brevik & Wolski 2007, section 3.2: how many consecutive values above a quantile are a rare event in a series
//! with a given lag-1 autocorrelation, "rare" being what three in a row above the .95 quantile are in independent data,
//! one in 8,000. By sequential Monte Carlo over stationary Gaussian AR(1) series: particles are kept above the
//! quantile, and the probability of a run of r is the product of their mean chances of staying there, each chance taken
//! exactly. For independent data that product has no noise at all.

#[path = "../tests/common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use surefill::math::normal;

/// Probability of reaching a threshold by chance, and the share that rounding may add.
pub const RARE: f64 = 1.0 / 8000.0 * (1.0 + 1e-9);

/// Rows of the table.
pub const QUANTILES: [f64; 10] = [0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999];
/// Columns of the table.
pub const CORRELATIONS: [f64; 12] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

const PARTICLES: usize = 4000;
const SEED: u64 = 2007;

/// SplitMix64 (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    /// Uniform in the open interval (0, 1).
    fn uniform(&mut self) -> f64 {
        ((splitmix(&mut self.0) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// A standard normal variable given that it exceeds `from`, which `tail` of them do.
    fn normal_above(&mut self, from: f64, tail: f64) -> f64 {
        (-normal::quantile(self.uniform() * tail)).max(from)
    }
}

/// The smallest r for which r consecutive values above the quantile are rare.
pub fn threshold(quantile: f64, correlation: f64) -> u32 {
    let mut random = Random(SEED);
    let cut = normal::quantile(quantile);
    let spread = (1.0 - correlation * correlation).sqrt();
    let mut probability = 1.0 - quantile;
    let mut particles: Vec<f64> = (0..PARTICLES).map(|_| random.normal_above(cut, probability)).collect();
    let mut run = 1;
    while probability > RARE {
        let cuts: Vec<f64> = particles.iter().map(|x| (cut - correlation * x) / spread).collect();
        let chances: Vec<f64> = cuts.iter().map(|cut| normal::cdf(-cut)).collect();
        let total: f64 = chances.iter().sum();
        probability *= total / PARTICLES as f64;
        run += 1;
        // Systematic resampling by the chances, then one step given that it stays above.
        let mut next = Vec::with_capacity(PARTICLES);
        let (mut reached, mut parent) = (chances[0], 0);
        let offset = random.uniform();
        for i in 0..PARTICLES {
            let mark = (i as f64 + offset) / PARTICLES as f64 * total;
            while reached < mark && parent + 1 < PARTICLES {
                parent += 1;
                reached += chances[parent];
            }
            let step = random.normal_above(cuts[parent], chances[parent]);
            next.push(correlation * particles[parent] + spread * step);
        }
        particles = next;
    }
    run
}

/// The whole file.
pub fn table() -> String {
    let list =
        |values: &[f64]| values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ");
    let mut text = String::from(
        "//! Thresholds of rare events, made by scripts/rare_events.rs: do not edit.\n\n\
         /// Rows of the table, ascending.\n#[rustfmt::skip]\n",
    );
    text += &format!("pub(super) const QUANTILES: [f64; {}] = [{}];\n\n", QUANTILES.len(), list(&QUANTILES));
    text += "/// Columns of the table, ascending.\n#[rustfmt::skip]\n";
    text += &format!(
        "pub(super) const CORRELATIONS: [f64; {}] = [{}];\n\n",
        CORRELATIONS.len(),
        list(&CORRELATIONS)
    );
    text += "/// The smallest number of consecutive values above the quantile that is seen less than once in 8,000.\n";
    text += "#[rustfmt::skip]\n";
    text +=
        &format!("pub(super) const THRESHOLDS: [[u16; {}]; {}] = [\n", CORRELATIONS.len(), QUANTILES.len());
    for quantile in QUANTILES {
        let row: Vec<String> = CORRELATIONS.iter().map(|rho| threshold(quantile, *rho).to_string()).collect();
        text += &format!("    [{}],\n", row.join(", "));
    }
    text += "];\n";
    text
}

#[allow(dead_code)] // the test takes this file in as a module
fn main() {
    print!("{}", table());
}
