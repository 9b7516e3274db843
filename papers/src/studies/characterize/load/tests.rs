use super::*;
use serde_json::Value;

/// Made by scripts/vectors/characterize.py.
const LOADS: &str = include_str!("../../../../../tests/vectors/characterize/loads.json");
const DURATIONS: &str = include_str!("../../../../../tests/vectors/characterize/durations.json");

fn sample(case: &Value) -> Histogram {
    let bins = case["bins"].as_array().unwrap().iter();
    let bins = bins.map(|bin| (bin[0].as_u64().unwrap() as u32, bin[1].as_u64().unwrap() as usize));
    bins.flat_map(|(value, count)| std::iter::repeat_n(value, count)).collect()
}

fn parameters(model: &Model) -> Vec<f64> {
    match *model {
        Model::Poisson { lambda } => vec![lambda],
        Model::Geometric { p } => vec![p],
        Model::Zeta { s } => vec![s],
        Model::LogNormal { mu, sigma } => vec![mu, sigma],
        Model::Pareto { a, k } | Model::ShiftedPareto { a, k } => vec![a, k],
        Model::Limit(_) => Vec::new(),
    }
}

#[test]
fn as_scipy_fits_them() {
    let cases: Vec<Value> = serde_json::from_str(LOADS).unwrap();
    assert_eq!(cases.len(), 7);
    for case in &cases {
        let loads = sample(case);
        let fits = fits(&loads);
        let expected = case["fits"].as_array().unwrap();
        assert_eq!(fits.len(), expected.len());
        for (fit, expected) in fits.iter().zip(expected) {
            let name = format!("{} {}", case["name"], expected["family"]);
            assert_eq!(serde_json::to_value(fit.family).unwrap(), expected["family"]);
            let likelihood = expected["log_likelihood"].as_f64().unwrap();
            let error = fit.log_likelihood - likelihood;
            assert!(error.abs() < 1e-8 * likelihood.abs(), "{name}: likelihood differs by {error:e}");
            let error = fit.kl_bits - expected["kl_bits"].as_f64().unwrap();
            assert!(error.abs() < 1e-8, "{name}: divergence differs by {error:e}");
            let theirs: Vec<f64> =
                expected["parameters"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
            if let Model::Limit(limit) = fit.model {
                // scipy walks towards the limit until it sees no gain.
                let Limit::Exponential { rate } = limit else { panic!("{name}: {limit:?}") };
                assert!(theirs[0] > 1e6 && (theirs[0] / theirs[1] / rate - 1.0).abs() < 1e-6, "{name}");
                continue;
            }
            for (ours, theirs) in parameters(&fit.model).iter().zip(&theirs) {
                let error = ours - theirs;
                assert!(error.abs() < 2e-5 * theirs.abs().max(1.0), "{name}: parameter differs by {error:e}");
            }
        }
    }
}

#[test]
fn durations_as_in_fifty_digits() {
    let cases: Vec<Value> = serde_json::from_str(DURATIONS).unwrap();
    assert_eq!(cases.len(), 4);
    for case in &cases {
        let ours = crate::studies::characterize::duration::Durations::new(&sample(case));
        let ours = serde_json::to_value(&ours).unwrap();
        for key in ["p", "nonempty_geometric", "kl_bits", "kl_simple_bits", "kl_geometric_bits"] {
            let error = ours[key].as_f64().unwrap() - case[key].as_f64().unwrap();
            assert!(error.abs() < 1e-10, "{}: {key} differs by {error:e}", case["name"]);
        }
    }
}

/// Counts in proportion to a distribution's probabilities, up to where they end.
fn ideal(model: &Model, total: f64) -> Histogram {
    let count = |n: u32| (total * model.ln_probability(n).exp()).round() as usize;
    (0..100_000).flat_map(|n| std::iter::repeat_n(n, count(n))).collect()
}

#[test]
fn a_distribution_recognises_its_own_sample() {
    for (model, family) in [
        (Model::Poisson { lambda: 3.5 }, Family::Poisson),
        (Model::Geometric { p: 0.2 }, Family::Geometric),
        (Model::Zeta { s: 3.5 }, Family::Zeta),
        (Model::LogNormal { mu: 0.5, sigma: 0.7 }, Family::LogNormal),
        (Model::Pareto { a: 3.0, k: 0.7 }, Family::Pareto),
        (Model::ShiftedPareto { a: 4.0, k: 3.0 }, Family::ShiftedPareto),
    ] {
        let loads = ideal(&model, 1e6);
        let fits = fits(&loads);
        let best = fits.iter().min_by(|a, b| a.aic.total_cmp(&b.aic)).unwrap();
        assert_eq!(best.family, family, "{fits:#?}");
        assert!(best.kl_bits < 1e-4, "{best:?}");
        for (ours, true_) in parameters(&best.model).iter().zip(parameters(&model)) {
            assert!((ours / true_ - 1.0).abs() < 0.02, "{best:?}");
        }
        if let (Some(survival), Some(share)) = (best.model.survival(4), loads.survival(4)) {
            assert!((survival - share).abs() < 1e-3);
        }
    }
}

#[test]
fn probabilities_sum_to_one() {
    for model in [
        Model::Poisson { lambda: 7.0 },
        Model::Poisson { lambda: 0.0 },
        Model::Geometric { p: 0.1 },
        Model::Geometric { p: 1.0 },
        Model::Zeta { s: 4.0 },
        Model::LogNormal { mu: -1.0, sigma: 1.2 },
        Model::Pareto { a: 3.0, k: 0.4 },
        Model::Pareto { a: 3.0, k: 4.6 },
        Model::ShiftedPareto { a: 3.0, k: 2.0 },
        Model::Limit(Limit::Neighbours { n: 3, share: 0.3 }),
        Model::Limit(Limit::Neighbours { n: u32::MAX, share: 1.0 }),
        Model::Limit(Limit::Exponential { rate: 0.2 }),
    ] {
        let sum: f64 = (0..20_000).chain([u32::MAX]).map(|n| model.ln_probability(n).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-8, "{model:?}: {sum}");
        for n in [1, 5, 40] {
            let tail: f64 = (n..100_000).map(|n| model.ln_probability(n).exp()).sum();
            assert!(model.survival(n).is_none_or(|s| (s - tail).abs() < 1e-9), "{model:?} from {n}");
        }
    }
}

#[test]
fn samples_without_a_maximum() {
    let model = |loads: &[u32], family: Family| {
        let fits = fits(&loads.iter().copied().collect());
        let fit = fits.into_iter().find(|fit| fit.family == family).unwrap();
        (fit.model, fit.kl_bits)
    };
    let always = |n| Model::Limit(Limit::Neighbours { n, share: 1.0 });
    // Slots that are all empty: every family says so, for certain.
    assert_eq!(model(&[0; 5], Family::Poisson), (Model::Poisson { lambda: 0.0 }, 0.0));
    assert_eq!(model(&[0; 5], Family::Geometric), (Model::Geometric { p: 1.0 }, 0.0));
    for family in [Family::Zeta, Family::LogNormal, Family::Pareto, Family::ShiftedPareto] {
        assert_eq!(model(&[0; 5], family), (always(0), 0.0), "{family}");
    }
    // One value, two neighbours.
    for family in [Family::LogNormal, Family::Pareto] {
        assert_eq!(model(&[4], family), (always(4), 0.0));
        let (found, kl) = model(&[7, 8, 8, 7, 8], family);
        assert_eq!(found, Model::Limit(Limit::Neighbours { n: 7, share: 0.4 }));
        assert!(kl < 1e-12);
    }
    // Less spread than the geometric distribution has: shifted Pareto becomes that.
    let (found, kl) = model(&[0, 1, 0, 1, 1], Family::ShiftedPareto);
    assert!(
        matches!(found, Model::Limit(Limit::Exponential { rate }) if (rate - (1.0 / 0.6f64).ln_1p()).abs() < 1e-12)
    );
    let geometric = model(&[0, 1, 0, 1, 1], Family::Geometric).1;
    assert!((kl - geometric).abs() < 1e-12);
}

#[test]
fn every_small_sample_has_finite_fits() {
    // All samples of up to five loads from these.
    let values = [0, 1, 2, 3, 50, 100_000, u32::MAX];
    for mask in 0u32..7u32.pow(5) {
        let digits = (0..5).map(|digit| (mask / 7u32.pow(digit) % 7) as usize);
        if !digits.clone().is_sorted() {
            continue;
        }
        let loads: Histogram = digits.map(|digit| values[digit]).collect();
        for fit in fits(&loads) {
            let finite = [fit.log_likelihood, fit.aic, fit.kl_bits, fit.kl_simple_bits];
            assert!(finite.iter().all(|x| x.is_finite()), "{loads:?} {fit:?}");
            assert!(parameters(&fit.model).iter().all(|p| p.is_finite()), "{loads:?} {fit:?}");
        }
    }
}
