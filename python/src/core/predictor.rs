//! Predictions of run times.

use super::{Distribution, block, count, wrong};
use pyo3::prelude::*;
use surefill::error::Error;
use surefill::predict::{self, MixtureCapacity, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};

/// Predicts the run times of jobs from those of jobs that have ended.
///
/// It is the predictor of the scheduler: it keeps histories of jobs that are alike in user, time limit, processors and
/// what the user's last jobs did, in many ways at once, and mixes their distributions geometrically, with weights
/// learnt on line. Users repeat themselves (Nissimov 2006, section 2.4), and recent jobs carry more information than
/// old ones.
///
/// ``jobs`` is the largest number of jobs that may be in the system at once, waiting and running (1 to 2^24).
/// ``histories`` is the number of histories kept (1 to 2^24); the least recently used ones are dropped first. Both are
/// fixed from then on.
///
/// Report every job: :meth:`submit`, then :meth:`start` and :meth:`end`, or :meth:`cancel`. A job is known by a whole
/// number ``id`` of your choice. Times are seconds since any origin, within 2^53 of it. Several events may have one
/// time, but an event that is earlier than the last one raises ValueError. A job that stays for more than ten days is
/// given up: when there is no room left, it makes room for a new one.
///
///     >>> import surefill
///     >>> predictor = surefill.Predictor()
///     >>> for id in range(20):
///     ...     predictor.submit(id, id * 1000, user=1, limit=3600, processors=4)
///     ...     predictor.start(id, id * 1000)
///     ...     predictor.end(id, id * 1000 + 300)
///     >>> prediction = predictor.predict(20_000, user=1, limit=3600, processors=4)
///     >>> 150 < prediction.quantile(0.5, limit=3600) < 600
///     True
#[pyclass(module = "surefill")]
pub struct Predictor {
    memory: Vec<u64>,
}

impl Predictor {
    fn with<T>(&mut self, act: impl FnOnce(&mut predict::Predictor<'_>) -> Result<T, Error>) -> PyResult<T> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        predict::Predictor::attach(memory).and_then(|mut predictor| act(&mut predictor)).map_err(wrong)
    }
}

#[pymethods]
impl Predictor {
    #[new]
    #[pyo3(signature = (*, jobs = 4096, histories = 16384))]
    fn new(
        #[pyo3(from_py_with = count)] jobs: u32,
        #[pyo3(from_py_with = count)] histories: u32,
    ) -> PyResult<Predictor> {
        let kind = PredictorKind::Contexts;
        let bins = RuntimeBins::covering(1.5, 1.8, 7 * 86_400).map_err(wrong)?;
        let usual = PredictorCapacity::of(kind);
        let mixture = MixtureCapacity { bins: bins.count() as u32, histories, ..usual.mixture };
        let capacity = PredictorCapacity { jobs, mixture, ..usual };
        let mut memory = block(predict::Predictor::size(&capacity).map_err(wrong)?);
        let options = PredictorOptions::of(kind);
        predict::Predictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, &bins, &options)
            .map_err(wrong)?;
        Ok(Predictor { memory })
    }

    /// Records that job ``id`` was submitted at second ``now``.
    ///
    /// ``user`` is a whole number that stands for the user, ``limit`` the job's time limit in seconds, ``processors``
    /// the number it asks for.
    ///
    /// Raises ValueError when a job with this id is in the system already, when there is no room for another job, and
    /// when time went back.
    #[pyo3(signature = (id, now, *, user, limit, processors))]
    fn submit(&mut self, id: i64, now: i64, user: i64, limit: i64, processors: i64) -> PyResult<()> {
        self.with(|predictor| predictor.submit(id, &[user, limit, processors], now))
    }

    /// Records that the submitted job ``id`` was started at second ``now``.
    ///
    /// Raises ValueError when no such job is in the system, when it has started already, and when time went back.
    fn start(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|predictor| predictor.start(id, now))
    }

    /// Records that the running job ``id`` ended at second ``now``: its run time is learnt, and the job leaves the
    /// system.
    ///
    /// Raises ValueError when no such job is in the system, when it has not started, and when time went back.
    fn end(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|predictor| predictor.end(id, now))
    }

    /// Records that job ``id`` left the system at second ``now``; nothing is learnt from it.
    ///
    /// Raises ValueError when no such job is in the system, and when time went back.
    fn cancel(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|predictor| predictor.cancel(id, now))
    }

    /// Returns the predicted run time of a job of this kind as a :class:`Distribution`; nothing is changed.
    ///
    /// ``now`` is the present second, that of the last event or later. ``user``, ``limit`` (seconds) and ``processors``
    /// are those of the job. Before the first job has ended the answer is :meth:`Distribution.limit`.
    ///
    /// Raises ValueError for a time before the last event.
    #[pyo3(signature = (now, *, user, limit, processors))]
    fn predict(&mut self, now: i64, user: i64, limit: i64, processors: i64) -> PyResult<Distribution> {
        let made = self.with(|predictor| predictor.predict(&[user, limit, processors], now))?;
        // Without a prediction the limit is left.
        Ok(Distribution(made.unwrap_or(RuntimeDistribution::limit())))
    }
}
