//! The numbers behind Downey 1997's figures.

use super::lifetimes::Lifetimes;
use super::machine::Machine;
use super::strategy::{Decider, Prediction, Rule, Strategy};
use super::system::{Run, run};
use super::workload::Job;
use surefill::allocate::{LogUniform, Speedup};
use surefill_simulator::base::statistics::{mean, median};

/// A name, sigma, and durations with the processors that can be used meanwhile.
pub type Profile = (&'static str, f64, Vec<(f64, f64)>);

/// Figure 1: the potential parallelism of a job of A = 64 on enough processors, stretch by stretch; of low variance
/// (sigma .5) and of high (sigma 2).
pub fn profiles() -> [Profile; 2] {
    const A: f64 = 64.0;
    let (low, high) = (0.5, 2.0);
    [
        ("low variance", low, vec![(low / 2.0, 1.0), (1.0 - low, A), (low / 2.0, 2.0 * A - 1.0)]),
        ("high variance", high, vec![(high, 1.0), (1.0, A + A * high - high)]),
    ]
}

/// Figure 2: speedup on n processors of a job with A = 64, for a range of sigma.
pub fn speedups() -> Vec<(f64, Vec<(f64, f64)>)> {
    /// Processors up to which the curve for sigma = 1 rises.
    const WIDEST: u32 = 256;
    [0.0, 0.5, 1.0, 2.0, f64::INFINITY]
        .map(|sigma| {
            let speedup = Speedup::new(64.0, sigma).expect("a job");
            let on = |n: u32| Some((f64::from(n), speedup.on(f64::from(n)).ok()?));
            (sigma, (1..=WIDEST).filter_map(on).collect())
        })
        .into()
}

/// A distribution in a trace, and the line through it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// Values and the share of jobs that have no more.
    pub steps: Vec<(f64, f64)>,
    /// Equation 4 fitted to it: the bounds of a log-uniform distribution; none when all values are the same.
    pub fitted: Option<(f64, f64)>,
}

impl Observed {
    /// The distribution of positive values.
    pub fn new(mut values: Vec<f64>) -> Observed {
        values.retain(|&value| value > 0.0 && value.is_finite());
        values.sort_by(f64::total_cmp);
        let all = values.len() as f64;
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for (index, &value) in values.iter().enumerate() {
            let share = (index + 1) as f64 / all;
            match steps.last_mut() {
                Some(last) if last.0 == value => last.1 = share,
                _ => steps.push((value, share)),
            }
        }
        let fitted = LogUniform::fit(&values).ok().map(|fitted| fitted.bounds());
        Observed { steps, fitted }
    }

    /// At most `most` of the steps, evenly spaced in their order, with the last.
    pub fn thinned(&self, most: usize) -> Vec<(f64, f64)> {
        let stride = self.steps.len().div_ceil(most.max(1)).max(1);
        let mut thinned: Vec<(f64, f64)> = self.steps.iter().copied().step_by(stride).collect();
        thinned.extend(self.steps.last().filter(|_| !(self.steps.len().max(1) - 1).is_multiple_of(stride)));
        thinned
    }
}

/// A column of figure 5: predictions within a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// The geometric middle of the column, in seconds.
    pub predicted: f64,
    /// Predictions in it.
    pub count: usize,
    /// The mean of the logarithms of the actual waits, as seconds.
    pub mean: f64,
    /// The median of the actual waits, in seconds.
    pub median: f64,
}

/// Columns of half a unit of the natural logarithm, those with at least `least` predictions. Waits below a second count
/// as one.
pub fn columns(predictions: &[Prediction], least: usize) -> Vec<Column> {
    const WIDTH: f64 = 0.5;
    let mut by_column: std::collections::BTreeMap<i64, Vec<f64>> = Default::default();
    for prediction in predictions {
        let column = libm::floor(libm::log(prediction.used.max(1.0)) / WIDTH) as i64;
        by_column.entry(column).or_default().push(libm::log(prediction.actual.max(1.0)));
    }
    let column = |(column, mut logs): (i64, Vec<f64>)| Column {
        predicted: libm::exp((column as f64 + 0.5) * WIDTH),
        count: logs.len(),
        mean: libm::exp(mean(logs.iter().copied()).unwrap_or(f64::NAN)),
        median: libm::exp(median(&mut logs).unwrap_or(f64::NAN)),
    };
    by_column.into_iter().filter(|(_, logs)| logs.len() >= least).map(column).collect()
}

/// A job of figure 6.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// When it starts and ends, in seconds.
    pub time: (f64, f64),
    /// Its lowest processor and the one above its highest.
    pub processors: (u32, u32),
}

/// Figure 6: two jobs of A = 100 on 128 processors, the second ten minutes after the first; under AVG, and when they
/// know how long they wait.
pub fn schedules() -> [(&'static str, Vec<Placed>); 2] {
    const PROCS: u32 = 128;
    let job = |arrival: f64, sequential: f64| Job {
        arrival,
        sequential,
        speedup: Speedup::new(100.0, 0.5).expect("a job"),
        most: 100,
        place: 0.5,
    };
    let jobs = [job(0.0, 144_000.0), job(600.0, 200_000.0)];
    let schedule = |rule: Rule| {
        let mut decider = Decider::new(Strategy { rule, ..Strategy::AVG }, PROCS);
        let runs = run(&jobs, PROCS, &Lifetimes::Sequential, &mut decider, &mut |_: &Machine, _, _, _| {});
        place(&runs)
    };
    [("AVG", schedule(Rule::Avg)), ("OPT", schedule(Rule::Opt))]
}

/// Puts each of a few runs above those it overlaps with.
fn place(runs: &[Run]) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::new();
    for run in runs {
        let beside = placed.iter().filter(|other| other.time.1 > run.start && other.time.0 < run.end);
        let low = beside.map(|other| other.processors.1).max().unwrap_or(0);
        placed.push(Placed { time: (run.start, run.end), processors: (low, low + run.processors) });
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_by_hand() {
        let observed = Observed::new(vec![4.0, 1.0, 4.0, 16.0, 0.0, -1.0]);
        assert_eq!(observed.steps, [(1.0, 0.25), (4.0, 0.75), (16.0, 1.0)]);
        let (low, high) = observed.fitted.unwrap();
        // Logarithms 0, 1, 1, 2 at 1/8, 3/8, 5/8, 7/8: slope 3/8 through (1, 1/2).
        assert!((low.log(4.0) + 1.0 / 3.0).abs() < 1e-12 && (high.log(4.0) - 7.0 / 3.0).abs() < 1e-12);
        assert_eq!(Observed::new(vec![3.0; 5]).fitted, None);
        assert_eq!(Observed::new(Vec::new()).steps, []);
        let many = Observed::new((1..=1000).map(f64::from).collect());
        assert_eq!(many.thinned(10).len(), 11);
        assert_eq!(many.thinned(10).last(), Some(&(1000.0, 1.0)));
        assert_eq!(many.thinned(2000).len(), 1000);
    }

    /// A job with such a profile, stretch by stretch on n processors, has the mean, the variance and the speedup of the
    /// model.
    #[test]
    fn profiles_have_their_speedup() {
        for (name, sigma, profile) in profiles() {
            let duration: f64 = profile.iter().map(|stretch| stretch.0).sum();
            let average = |of: &dyn Fn(f64) -> f64| {
                profile.iter().map(|&(time, width)| time * of(width)).sum::<f64>() / duration
            };
            assert!((average(&|width| width) - 64.0).abs() < 1e-12, "{name}");
            let variance = average(&|width| (width - 64.0) * (width - 64.0));
            assert!((variance / (sigma * 63.0 * 63.0) - 1.0).abs() < 1e-12, "{name}: {variance}");
            let speedup = Speedup::new(64.0, sigma).unwrap();
            for n in [1.0, 2.0, 63.0, 64.0, 65.0, 127.0, 128.0, 190.0, 191.0] {
                let time = average(&|width| (width / n).max(1.0));
                assert!((64.0 / time / speedup.on(n).unwrap() - 1.0).abs() < 1e-12, "{name}, {n}");
            }
        }
    }

    #[test]
    fn columns_by_hand() {
        let prediction = |used: f64, actual: f64| Prediction { raw: used, used, actual };
        let e = std::f64::consts::E;
        let found = columns(
            &[prediction(3.0, e), prediction(4.0, e * e * e), prediction(4.1, e), prediction(9.0, 1.0)],
            2,
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].count, 3);
        assert!((found[0].predicted - libm::exp(1.25)).abs() < 1e-12);
        assert!((found[0].mean - libm::exp(5.0 / 3.0)).abs() < 1e-12 && (found[0].median - e).abs() < 1e-12);
    }

    /// Under AVG the second job takes the 28 processors that are left; else it waits for the first to end.
    #[test]
    fn waiting_ends_sooner() {
        let [(_, avg), (_, opt)] = schedules();
        assert_eq!((avg[0].processors, avg[1].processors), ((0, 100), (100, 128)));
        assert_eq!((opt[0].processors, opt[1].processors), ((0, 100), (0, 100)));
        assert_eq!((avg[1].time.0, opt[1].time.0), (600.0, opt[0].time.1));
        assert!(opt[1].time.1 < avg[1].time.1);
    }
}
