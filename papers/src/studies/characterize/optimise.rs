//! Minima without derivatives: Brent's method on an interval, Nelder & Mead's in the plane.

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::brent::BrentOpt;
use argmin::solver::neldermead::NelderMead;

/// Iterations are a few dozen on an interval, some hundred in the plane.
const MOST_ITERATIONS: u64 = 2000;

struct Line<F>(F);

impl<F: Fn(f64) -> f64> CostFunction for Line<F> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, x: &f64) -> Result<f64, Error> {
        Ok((self.0)(*x))
    }
}

struct Plane<F>(F);

impl<F: Fn(f64, f64) -> f64> CostFunction for Plane<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let value = (self.0)(x[0], x[1]);
        // The simplex sorts its corners.
        Ok(if value.is_nan() { f64::INFINITY } else { value })
    }
}

/// Where a function with one minimum between `low` and `high` is smallest.
pub fn on_interval(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let solver = BrentOpt::new(low, high).set_tolerance(1e-11, 1e-11);
    let configured = |state: argmin::core::IterState<_, _, _, _, _, _>| state.max_iters(MOST_ITERATIONS);
    let result = Executor::new(Line(f), solver).configure(configured).run();
    // The solver has no errors of its own, and the cost has none.
    result.ok().and_then(|result| result.state().get_best_param().copied()).unwrap_or((low + high) / 2.0)
}

/// Where a function is smallest, as found from the best of several points. From each, a triangle with legs of `step`.
pub fn in_plane(f: impl Fn(f64, f64) -> f64, starts: &[[f64; 2]], step: f64) -> Option<[f64; 2]> {
    let found = starts.iter().map(|&start| {
        // A second triangle where the first has shrunk: it may have shrunk too early.
        [step, step / 4.0].into_iter().fold(start, |[x, y], step| {
            let corners = vec![vec![x, y], vec![x + step, y], vec![x, y + step]];
            let solver = NelderMead::new(corners).with_sd_tolerance(1e-15);
            let result = solver.and_then(|solver| {
                let configured =
                    |state: argmin::core::IterState<_, _, _, _, _, _>| state.max_iters(MOST_ITERATIONS);
                Executor::new(Plane(&f), solver).configure(configured).run()
            });
            let best = result.ok().and_then(|result| result.state().get_best_param().cloned());
            best.map_or([x, y], |best| [best[0], best[1]])
        })
    });
    found.min_by(|a, b| f(a[0], a[1]).total_cmp(&f(b[0], b[1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_minima() {
        let x = on_interval(|x| (x - 2.0).powi(2) + 1.0, -50.0, 50.0);
        assert!((x - 2.0).abs() < 1e-7, "{x}");
        let rosenbrock = |x: f64, y: f64| (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2);
        let [x, y] = in_plane(rosenbrock, &[[-1.2, 1.0], [3.0, 3.0]], 0.5).unwrap();
        assert!((x - 1.0).abs() < 1e-6 && (y - 1.0).abs() < 1e-6, "{x} {y}");
    }
}
