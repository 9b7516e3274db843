//! Change points: the number of consecutive misses after which the past no longer counts (Nurmi, Brevik & Wolski 2007,
//! section 3.2).

use crate::error::{Error, Result};
use crate::wait::binomial::check_probability;
use crate::wait::rare_table::{CORRELATIONS, QUANTILES, THRESHOLDS};

/// The number of consecutive values above a series' `quantile` that is a rare event, one that happens by chance less
/// than once in 8,000 values, when the series' lag-1 autocorrelation is `correlation` (-1 to 1). Between the table's
/// rows and columns the more cautious, larger threshold holds; negative correlations count as 0. None for quantiles
/// below the table's smallest, .25, and for correlations above its largest, .99: there long runs are no news. O(1).
///
/// # Errors
/// [`Error::NotANumber`]; [`Error::OutOfRange`] for a quantile outside (0, 1) or a correlation outside -1 to 1.
///
/// ```
/// assert_eq!(surefill::wait::rare_event_threshold(0.95, 0.0), Ok(Some(3)));
/// assert_eq!(surefill::wait::rare_event_threshold(0.5, 0.0), Ok(Some(13)));
/// ```
pub fn rare_event_threshold(quantile: f64, correlation: f64) -> Result<Option<u32>> {
    check_probability(quantile)?;
    if correlation.is_nan() {
        return Err(Error::NotANumber);
    }
    if !(-1.0..=1.0).contains(&correlation) {
        return Err(Error::OutOfRange);
    }
    let row = QUANTILES.iter().rposition(|tabulated| *tabulated <= quantile);
    let column = CORRELATIONS.iter().position(|tabulated| *tabulated >= correlation);
    let threshold = row.zip(column).and_then(|(row, column)| THRESHOLDS.get(row)?.get(column));
    Ok(threshold.map(|threshold| u32::from(*threshold)))
}
