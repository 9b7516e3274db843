//! The inner loops over states: vectors of `stride` numbers, the states first, zeros behind them.
//!
//! Whole lanes are worked on, so that the compiler needs no remainder loops; the padding costs less than they would.
//! Every sum is taken in the order written here, on every processor.

use crate::memory::{chunks, chunks_mut};

/// Numbers worked on together: two 256-bit or four 128-bit registers.
const LANES: usize = 8;

/// Predicted probability of a state below which it counts as zero. It keeps the backward probabilities, which grow as
/// its reciprocal, far from overflow, where zero times infinity would spoil everything.
const TINY: f64 = 1e-290;

/// The length of a vector over the states.
pub(super) fn stride(states: usize) -> usize {
    states.div_ceil(LANES) * LANES
}

/// `out[j]` = sum over i of `weights[i] * matrix[i][j]`; the rows of `matrix` are as long as `out`.
pub(super) fn weighted_rows(out: &mut [f64], weights: &[f64], matrix: &[f64]) {
    let step = (out.len() / LANES).max(1);
    let (lanes, _) = chunks::<LANES>(matrix);
    let out = chunks_mut::<LANES>(out);
    for (column, out) in out.iter_mut().enumerate() {
        let mut sum = [0.0; LANES];
        for (weight, row) in weights.iter().zip(lanes.iter().skip(column).step_by(step)) {
            for (sum, entry) in sum.iter_mut().zip(row) {
                *sum += weight * entry;
            }
        }
        *out = sum;
    }
}

/// [`weighted_rows`] for probabilities: those below [`TINY`] become zero.
pub(super) fn propagate(out: &mut [f64], weights: &[f64], matrix: &[f64]) {
    weighted_rows(out, weights, matrix);
    for p in out {
        *p = if *p < TINY { 0.0 } else { *p };
    }
}

/// `matrix[i][j] += column[i] * row[j]`.
pub(super) fn add_outer(matrix: &mut [f64], column: &[f64], row: &[f64]) {
    let (row, _) = chunks::<LANES>(row);
    let matrix = chunks_mut::<LANES>(matrix);
    for (c, entries) in column.iter().zip(matrix.chunks_exact_mut(row.len().max(1))) {
        for (entries, row) in entries.iter_mut().zip(row) {
            for (entry, r) in entries.iter_mut().zip(row) {
                *entry += c * r;
            }
        }
    }
}

/// `out[i] += factor * vector[i]`.
pub(super) fn add_scaled(out: &mut [f64], factor: f64, vector: &[f64]) {
    let out = chunks_mut::<LANES>(out);
    let (vector, _) = chunks::<LANES>(vector);
    for (out, vector) in out.iter_mut().zip(vector) {
        for (out, v) in out.iter_mut().zip(vector) {
            *out += factor * v;
        }
    }
}

/// The sum, lane by lane and then over the lanes.
pub(super) fn sum(vector: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for chunk in chunks::<LANES>(vector).0 {
        for (sum, v) in sums.iter_mut().zip(chunk) {
            *sum += v;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Copies as many numbers as the shorter of the two has.
pub(super) fn copy(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
