//! Coverage of the confidence bounds: on independent waits of any shape, the bound covers the true quantile at least C
//! of the time, within Monte Carlo error; and not much more often than the binomial demands, where there are no ties.

#[path = "common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use surefill::math::binomial;
use surefill::wait::*;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        ((splitmix(&mut self.0) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

/// Distributions by their quantile functions, in seconds.
type Shape = (&'static str, fn(f64) -> f64);

const SHAPES: [Shape; 6] = [
    ("uniform", |u| 1e9 * u),
    ("exponential", |u| -1e8 * (-u).ln_1p()),
    ("Pareto", |u| 1e5 * (1.0 - u).powf(-0.8)),
    ("log-normal", |u| (15.0 + 1.5 * surefill::math::normal::quantile(u)).exp()),
    ("bimodal", |u| if u < 0.93 { 1e5 * u } else { 1e9 + 1e9 * u }),
    ("with many ties", |u| (3.0 * u).floor().powi(3)),
];

const ROUNDS: u32 = 3000;

#[test]
fn bounds_cover_the_true_quantile() {
    let options = WaitOptions { components: 0, ..WaitOptions::papers() };
    let job = Features { requested: 60, processors: 1 };
    let mut random = Random(1);
    for (name, shape) in SHAPES {
        for (n, quantile, confidence) in
            [(59, 0.95, 0.95), (200, 0.95, 0.95), (60, 0.5, 0.8), (150, 0.75, 0.99)]
        {
            let limits = WaitCapacity { history: n, queued: 1, releases: 0, clusters: 1, neighbours: 0 };
            let mut memory = vec![0u64; WaitPredictor::size(&limits).unwrap().div_ceil(8)];
            let truth = shape(quantile) as i64;
            let (mut above, mut below, mut inside) = (0, 0, 0);
            for _ in 0..ROUNDS {
                let bytes = bytemuck::cast_slice_mut(&mut memory);
                let mut predictor = WaitPredictor::init(bytes, &limits, &options).unwrap();
                for _ in 0..n {
                    predictor.known(shape(random.uniform()) as i64, &job).unwrap();
                }
                let upper = predictor.predict(&job, quantile, confidence, 0).unwrap();
                let WaitAnswer::Bound(upper) = upper else { panic!("{name}: {upper:?}") };
                above += u32::from(upper >= truth);
                if let WaitAnswer::Bound(lower) =
                    predictor.predict_lower(&job, quantile, confidence, 0).unwrap()
                {
                    below += u32::from(lower <= truth);
                    inside += u32::from(lower <= truth && truth <= upper);
                }
            }
            let rounds = f64::from(ROUNDS);
            let noise = 4.0 * (confidence * (1.0 - confidence) / rounds).sqrt();
            let covered = f64::from(above) / rounds;
            assert!(covered >= confidence - noise, "{name} {n} {quantile} {confidence}: {covered}");
            if name != "with many ties" {
                // Exactly the binomial's probability.
                let k = upper_index(u64::from(n), quantile, confidence).unwrap().unwrap();
                let exact = binomial::tails(u64::from(n), k, quantile).0;
                assert!((covered - exact).abs() <= noise, "{name}: {covered} against {exact}");
            }
            let covered = f64::from(below) / rounds;
            assert!(covered >= confidence - noise, "{name} {n} {quantile} {confidence}: lower {covered}");
            assert!(f64::from(inside) / rounds >= 2.0 * confidence - 1.0 - 2.0 * noise);
        }
    }
}

/// Both detectors of change raise false alarms no more often than about once in 8,000 independent waits.
#[test]
fn rare_events_are_rare_in_independent_waits() {
    let options = WaitOptions { components: TRIM, ..WaitOptions::papers() };
    let job = Features { requested: 60, processors: 1 };
    let limits = WaitCapacity { history: 1000, queued: 1, releases: 0, clusters: 1, neighbours: 0 };
    let mut memory = vec![0u64; WaitPredictor::size(&limits).unwrap().div_ceil(8)];
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options).unwrap();
    let mut random = Random(2);
    let (mut alarms, mut last) = (0, 0);
    for _ in 0..400_000 {
        predictor.known((-1e6 * random.uniform().ln()) as i64, &job).unwrap();
        let waits = predictor.clusters().next().unwrap().waits;
        alarms += u32::from(waits < last);
        last = waits;
    }
    // Expected 50 against the true quantile, fewer against a bound that mostly lies above it.
    assert!((5..=70).contains(&alarms), "{alarms}");
}
