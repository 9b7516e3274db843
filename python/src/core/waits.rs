//! Bounds on the waits of jobs.

use super::{block, count, wrong};
use pyo3::prelude::*;
use surefill::error::Error;
use surefill::wait::{Features, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor};

/// Upper bounds on the waits of one queue's jobs, from the waits of those before them.
///
/// A bound holds with probability ``quantile``, and that is true with confidence ``confidence``; both are above 0 and
/// below 1. Bounds are order statistics of known waits (Nurmi, Brevik & Wolski 2007, "QBETS"). Beyond the paper, the
/// waits that count are those of jobs that came into a like situation, and bounds rise with misses and fall without
/// (Gibbs & Candes 2021).
///
/// Report every job: :meth:`submit`, then :meth:`start` or :meth:`cancel`. A job is known by a whole number ``id`` of
/// your choice. Times are seconds since any origin, within 2^53 of it, and never go back. The last 65,536 waits are
/// remembered, and 4,096 jobs may wait at once. A job that has waited for more than 100 days is given up: when there is
/// no room left, it makes room for a new one.
///
/// Raises ValueError for a quantile or a confidence out of range, or if the quantile takes more waits than are
/// remembered.
///
///     >>> import surefill
///     >>> waits = surefill.Waits()
///     >>> waits.submit(1, 5000, requested=3600, processors=16) is None
///     True
///     >>> waits.start(1, 5900)
///     900
///     >>> for wait in range(400):
///     ...     waits.known(wait)
///     >>> 300 < waits.submit(2, 6000) < 1000
///     True
#[pyclass(module = "surefill")]
pub struct Waits {
    memory: Vec<u64>,
}

impl Waits {
    fn with<T>(&mut self, act: impl FnOnce(&mut WaitPredictor<'_>) -> Result<T, Error>) -> PyResult<T> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        WaitPredictor::attach(memory).and_then(|mut waits| act(&mut waits)).map_err(wrong)
    }
}

fn bound(answer: WaitAnswer) -> Option<i64> {
    match answer {
        WaitAnswer::Bound(seconds) => Some(seconds),
        WaitAnswer::TooLittleHistory | WaitAnswer::MayBeDown | WaitAnswer::Exceeded => None,
    }
}

#[pymethods]
impl Waits {
    #[new]
    #[pyo3(signature = (*, quantile = 0.95, confidence = 0.95))]
    fn new(quantile: f64, confidence: f64) -> PyResult<Waits> {
        let capacity = WaitCapacity::default();
        let options = WaitOptions { quantile, confidence, ..WaitOptions::default() };
        let mut memory = block(WaitPredictor::size(&capacity).map_err(wrong)?);
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, &options).map_err(wrong)?;
        Ok(Waits { memory })
    }

    /// Records that job ``id`` was submitted at second ``now``. Returns the bound for its wait in seconds, or None.
    ///
    /// None means that too few waits are known (59 are the fewest for .95 and .95), or that the machine may be down, as
    /// no job has been started for a long time or while many arrived (section 3.5 of the paper). ``requested`` is the
    /// requested run time in seconds (0 to 2^40), ``processors`` the number that the job asks for; 0 where that is not
    /// known.
    ///
    /// Raises ValueError when a job with this id waits already, when there is no room for another one, for a requested
    /// time out of range, and when time went back.
    #[pyo3(signature = (id, now, *, requested = 0, processors = 0))]
    fn submit(
        &mut self,
        id: i64,
        now: i64,
        requested: i64,
        #[pyo3(from_py_with = count)] processors: u32,
    ) -> PyResult<Option<i64>> {
        self.with(|waits| waits.submit(id, now, &Features { requested, processors })).map(bound)
    }

    /// Records that the waiting job ``id`` was started at second ``now``: its wait is learnt. Returns the wait in
    /// seconds.
    ///
    /// Raises ValueError when no such job waits, and when time went back.
    fn start(&mut self, id: i64, now: i64) -> PyResult<i64> {
        self.with(|waits| waits.start(id, now))
    }

    /// Records that the waiting job ``id`` was cancelled at second ``now``: nothing is learnt.
    ///
    /// Raises ValueError when no such job waits, and when time went back.
    fn cancel(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|waits| waits.cancel(id, now))
    }

    /// Learns a wait that is known from elsewhere, an accounting log for example, without time passing.
    ///
    /// ``wait`` is in seconds (0 to 2^40); ``requested`` and ``processors`` are as for :meth:`submit`.
    ///
    /// Raises ValueError for numbers out of range.
    #[pyo3(signature = (wait, *, requested = 0, processors = 0))]
    fn known(
        &mut self,
        wait: i64,
        requested: i64,
        #[pyo3(from_py_with = count)] processors: u32,
    ) -> PyResult<()> {
        self.with(|waits| waits.known(wait, &Features { requested, processors }))
    }
}
