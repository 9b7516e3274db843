//! A run time as a distribution.

use super::wrong;
use pyo3::prelude::*;
use surefill::runtime::RuntimeDistribution;

/// The predicted run time of one job, before its age is known.
///
/// There are three kinds: one number of seconds (:meth:`single`), the job's time limit (:meth:`limit`), and
/// probabilities of logarithmic bins, which :meth:`Predictor.predict` returns. A :class:`Pass` takes all three.
/// Run times were binned in this way by Nissimov 2006, section 2.2.
///
///     >>> import surefill
///     >>> surefill.Distribution.limit().quantile(0.5, 600, limit=3600)
///     3000
///     >>> surefill.Distribution.single(900).quantile(0.5, 600, limit=3600)
///     300
#[pyclass(frozen, module = "surefill")]
#[derive(Debug, Clone)]
pub struct Distribution(pub(super) RuntimeDistribution);

#[pymethods]
impl Distribution {
    /// All probability on one run time: ``seconds`` from 0 to 2^40.
    ///
    /// Raises ValueError for a number outside that range.
    #[staticmethod]
    fn single(seconds: i64) -> PyResult<Distribution> {
        RuntimeDistribution::single(seconds).map(Distribution).map_err(wrong)
    }

    /// Nothing is known: the job is expected to run exactly to its time limit, as EASY assumes.
    #[staticmethod]
    fn limit() -> Distribution {
        Distribution(RuntimeDistribution::limit())
    }

    /// The seconds within which the job ends from now on with probability ``quantile``.
    ///
    /// ``quantile`` is from 0 to 1, ``age`` the seconds for which the job has run already, ``limit`` its time limit in
    /// seconds, at which it ends at the latest; 2^40 stands for no limit. The answer is counted from the age on and is
    /// at least 1. Inside a bin the run time is log-uniform, and run times predicted beyond the limit end at the limit.
    /// A job that has outlived all bins is expected to end at its limit, and one that has outlived its limit after one
    /// second.
    ///
    /// Raises ValueError for a quantile outside 0 to 1, and for an age or a limit outside 0 to 2^40.
    #[pyo3(signature = (quantile, age = 0, *, limit))]
    fn quantile(&self, quantile: f64, age: i64, limit: i64) -> PyResult<i64> {
        self.0.quantile(quantile, age, limit).map_err(wrong)
    }

    /// A list of pairs, one for each bin: its upper edge in seconds and its probability.
    ///
    /// The last bin is open, and its edge is infinity. The list is empty for :meth:`single` and :meth:`limit`, which
    /// have no bins.
    #[getter]
    fn bins(&self) -> Vec<(f64, f64)> {
        let Some((bins, shares)) = self.0.binned() else { return Vec::new() };
        let upper = |bin| bins.upper(bin).unwrap_or(f64::INFINITY);
        shares.iter().enumerate().map(|(bin, &share)| (upper(bin), share)).collect()
    }
}
