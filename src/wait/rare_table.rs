//! Thresholds of rare events, made by scripts/rare_events.rs: do not edit.

/// Rows of the table, ascending.
#[rustfmt::skip]
pub(super) const QUANTILES: [f64; 10] = [0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999];

/// Columns of the table, ascending.
#[rustfmt::skip]
pub(super) const CORRELATIONS: [f64; 12] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/// The smallest number of consecutive values above the quantile that is seen less than once in 8,000.
#[rustfmt::skip]
pub(super) const THRESHOLDS: [[u16; 12]; 10] = [
    [32, 34, 37, 40, 45, 52, 61, 78, 109, 199, 369, 1672],
    [13, 15, 16, 18, 21, 24, 29, 37, 52, 97, 184, 836],
    [7, 8, 9, 10, 11, 13, 15, 20, 28, 52, 99, 462],
    [6, 7, 7, 8, 9, 11, 13, 17, 24, 45, 86, 395],
    [4, 5, 5, 6, 7, 8, 9, 12, 17, 31, 58, 264],
    [3, 4, 4, 5, 5, 6, 7, 9, 12, 22, 42, 189],
    [3, 3, 3, 4, 4, 5, 6, 7, 10, 17, 31, 138],
    [2, 3, 3, 3, 3, 4, 4, 5, 7, 12, 21, 92],
    [2, 2, 2, 3, 3, 3, 4, 4, 5, 9, 15, 65],
    [2, 2, 2, 2, 2, 2, 2, 3, 3, 4, 7, 24],
];
