//! Run time as a quadratic function of the number of processors (Gibbons 1997).
//!
//! "A historical application profiler for use by parallel schedulers": jobs are classed by user and executable,
//! executions on different numbers of processors together, and a quadratic least-squares fit gives the run time on the
//! requested number. Classes back off from (user, executable) over the executable to the user.

use super::classes::{Class, Template};
use super::{PointPredictor, within_limit};
use crate::trace::workload::Job;
use std::collections::HashMap;

/// Number of jobs of the smallest class that is used.
const ENOUGH: f64 = 3.0;

/// The fitted run time of the narrowest class with enough jobs, at most the estimate; the estimate when there is none.
#[derive(Debug)]
pub struct Gibbons {
    templates: [Template; 3],
    fits: HashMap<Class, Fit>,
}

impl Default for Gibbons {
    fn default() -> Gibbons {
        let user = Template { user: true, ..Template::NONE };
        let executable = Template { executable: true, ..Template::NONE };
        let both = Template { user: true, ..executable };
        Gibbons { templates: [both, executable, user], fits: HashMap::new() }
    }
}

impl PointPredictor for Gibbons {
    fn predict(&mut self, job: &Job) -> i64 {
        // Without known executables, "the same executable" would mean all jobs.
        let templates = self.templates.iter().filter(|t| t.user || job.executable >= 0);
        let mut fits = templates.filter_map(|t| self.fits.get(&t.class(job)));
        match fits.find(|fit| fit.count() >= ENOUGH) {
            Some(fit) => within_limit(job, fit.at(f64::from(job.processors))),
            None => job.limit.max(1),
        }
    }

    fn finished(&mut self, job: &Job) {
        for template in self.templates {
            self.fits
                .entry(template.class(job))
                .or_default()
                .add(f64::from(job.processors), job.run_time as f64);
        }
    }
}

/// Sums for a least-squares polynomial of degree 2 in the processors, divided by [`Fit::SCALE`] so that the sums of
/// fourth powers stay comparable with the count.
#[derive(Debug, Default)]
struct Fit {
    /// Sums of x^0 to x^4.
    powers: [f64; 5],
    /// Sums of y x^0 to y x^2.
    products: [f64; 3],
    /// Smallest and largest x, outside of which the fit is not trusted.
    range: Option<(f64, f64)>,
    /// Distinct values of x, up to three: they limit the degree.
    distinct: Vec<f64>,
}

impl Fit {
    const SCALE: f64 = 64.0;

    fn count(&self) -> f64 {
        self.powers[0]
    }

    fn add(&mut self, processors: f64, run_time: f64) {
        let x = processors / Fit::SCALE;
        let mut power = 1.0;
        for sum in &mut self.powers {
            *sum += power;
            power *= x;
        }
        let mut power = 1.0;
        for sum in &mut self.products {
            *sum += power * run_time;
            power *= x;
        }
        let (low, high) = self.range.unwrap_or((x, x));
        self.range = Some((low.min(x), high.max(x)));
        if self.distinct.len() < 3 && !self.distinct.contains(&x) {
            self.distinct.push(x);
        }
    }

    /// The fitted run time. Outside the processors seen it is that of the nearest seen: a parabola is no extrapolation.
    fn at(&self, processors: f64) -> f64 {
        let mean = self.products[0] / self.powers[0];
        let Some((low, high)) = self.range else { return mean };
        let x = (processors / Fit::SCALE).clamp(low, high);
        // The number of coefficients is at most that of distinct numbers of processors; smaller when the sums are too
        // close to singular, or when the curve falls to 0 or below.
        let mut fits = (2..=self.distinct.len()).rev().filter_map(|terms| self.solve(terms, x));
        fits.find(|&value| value > 0.0).unwrap_or(mean)
    }

    /// The value at `x` of the least-squares polynomial with 2 or 3 terms, by Gauss elimination with row pivots.
    fn solve(&self, terms: usize, x: f64) -> Option<f64> {
        let mut rows = [[0.0; 4]; 3];
        for (i, row) in rows.iter_mut().enumerate().take(terms) {
            for (j, cell) in row.iter_mut().enumerate().take(terms) {
                *cell = self.powers[i + j];
            }
            row[3] = self.products[i];
        }
        for column in 0..terms {
            let pivot =
                (column..terms).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
            rows.swap(column, pivot);
            if rows[column][column].abs() < 1e-9 * self.powers[0] {
                return None;
            }
            let top = rows[column];
            for (i, row) in rows.iter_mut().enumerate().take(terms) {
                if i != column {
                    let factor = row[column] / top[column];
                    row.iter_mut().zip(top).for_each(|(cell, above)| *cell -= factor * above);
                }
            }
        }
        let coefficients = (0..terms).map(|i| rows[i][3] / rows[i][i]);
        Some(coefficients.rev().fold(0.0, |value, coefficient| value * x + coefficient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_a_parabola_and_backs_off() {
        let mut fit = Fit::default();
        let y = |p: f64| 1000.0 - 30.0 * p + 0.4 * p * p;
        fit.add(4.0, y(4.0));
        assert_eq!(fit.at(8.0), y(4.0));
        fit.add(8.0, y(8.0));
        assert!((fit.at(6.0) - (y(4.0) + y(8.0)) / 2.0).abs() < 1e-6);
        for p in [1.0, 16.0, 32.0] {
            fit.add(p, y(p));
        }
        assert!((fit.at(20.0) - y(20.0)).abs() < 1e-6);
        assert!((fit.at(640.0) - y(32.0)).abs() < 1e-6);
    }
}
