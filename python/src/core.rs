//! Objects of the core library, each in memory of its own: predictor, pass, waits, sizing.

use crate::replays::dict;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use surefill::allocate::{ChoiceOptions, LogUniform, SizingCapacity, Speedup};
use surefill::backfill::{self, Criterion, PassCapacity, Rule, Step};
use surefill::error::Error;
use surefill::predict::{self, MixtureCapacity, PredictorCapacity, PredictorKind, PredictorOptions};
use surefill::runtime::{RuntimeBins, RuntimeDistribution};
use surefill::wait::{Features, WaitAnswer, WaitCapacity, WaitOptions, WaitPredictor};

fn wrong(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A block of memory of this number of bytes.
fn block(bytes: usize) -> Vec<u64> {
    vec![0; bytes.div_ceil(8)]
}

/// See `__init__.pyi`.
#[pyclass(frozen, module = "surefill")]
#[derive(Debug, Clone)]
pub struct Distribution(RuntimeDistribution);

#[pymethods]
impl Distribution {
    /// All probability on one run time.
    #[staticmethod]
    fn single(seconds: i64) -> PyResult<Distribution> {
        RuntimeDistribution::single(seconds).map(Distribution).map_err(wrong)
    }

    /// The limit, whatever it is: what EASY assumes.
    #[staticmethod]
    fn limit() -> Distribution {
        Distribution(RuntimeDistribution::limit())
    }

    #[pyo3(signature = (quantile, age = 0, *, limit))]
    fn quantile(&self, quantile: f64, age: i64, limit: i64) -> PyResult<i64> {
        self.0.quantile(quantile, age, limit).map_err(wrong)
    }

    /// Pairs of a bin's upper edge in seconds and its probability; empty where it has no bins.
    #[getter]
    fn bins(&self) -> Vec<(Option<f64>, f64)> {
        let Some((bins, shares)) = self.0.binned() else { return Vec::new() };
        shares.iter().enumerate().map(|(bin, &share)| (bins.upper(bin), share)).collect()
    }
}

/// See `__init__.pyi`.
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
    fn new(jobs: u32, histories: u32) -> PyResult<Predictor> {
        let kind = PredictorKind::Mixture;
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

    #[pyo3(signature = (id, now, *, user, limit, processors))]
    fn submit(&mut self, id: i64, now: i64, user: i64, limit: i64, processors: i64) -> PyResult<()> {
        self.with(|predictor| predictor.submit(id, &[user, limit, processors], now))
    }

    fn start(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|predictor| predictor.start(id, now))
    }

    fn end(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|predictor| predictor.end(id, now))
    }

    fn cancel(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|predictor| predictor.cancel(id, now))
    }

    #[pyo3(signature = (now, *, user, limit, processors))]
    fn predict(&mut self, now: i64, user: i64, limit: i64, processors: i64) -> PyResult<Distribution> {
        let made = self.with(|predictor| predictor.predict(&[user, limit, processors], now))?;
        // A predictor that has nothing to say leaves the limit.
        Ok(Distribution(made.unwrap_or(RuntimeDistribution::limit())))
    }
}

/// See `__init__.pyi`.
#[pyclass(module = "surefill")]
pub struct Pass {
    memory: Vec<u64>,
    candidates: usize,
}

impl Pass {
    fn with<T>(&mut self, act: impl FnOnce(&mut backfill::Pass<'_>) -> Result<T, Error>) -> PyResult<T> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        backfill::Pass::attach(memory).and_then(|mut pass| act(&mut pass)).map_err(wrong)
    }
}

#[pymethods]
impl Pass {
    #[new]
    #[pyo3(signature = (*, processors, running = 256, candidates = 256, events_per_bin = 4))]
    fn new(processors: u32, running: u32, candidates: u32, events_per_bin: u32) -> PyResult<Pass> {
        let capacity =
            PassCapacity { running, candidates, processors, events_per_bin, ..PassCapacity::default() };
        let mut memory = block(backfill::Pass::size(&capacity).map_err(wrong)?);
        backfill::Pass::init(bytemuck::cast_slice_mut(&mut memory), &capacity).map_err(wrong)?;
        Ok(Pass { memory, candidates: 0 })
    }

    #[pyo3(signature = (now, *, idle, head, head_processors, head_waited = 0))]
    fn begin(
        &mut self,
        now: i64,
        idle: u32,
        head: i64,
        head_processors: u32,
        head_waited: i64,
    ) -> PyResult<()> {
        self.candidates = 0;
        self.with(|pass| {
            pass.begin(now, idle, head, head_processors)?;
            pass.set_head_waited(head_waited)
        })
    }

    fn add_running(
        &mut self,
        processors: u32,
        age: i64,
        limit: i64,
        runtime: &Distribution,
    ) -> PyResult<usize> {
        self.with(|pass| pass.add_running(processors, age, limit, &runtime.0))
    }

    fn add_candidate(&mut self, processors: u32, limit: i64, runtime: &Distribution) -> PyResult<usize> {
        let index = self.with(|pass| pass.add_candidate(processors, limit, &runtime.0))?;
        self.candidates = index + 1;
        Ok(index)
    }

    #[pyo3(signature = (*, criterion = "relative", threshold = 0.05, budget = f64::INFINITY, slip = f64::INFINITY, or_easy = false))]
    fn decide(
        &mut self,
        criterion: &str,
        threshold: f64,
        budget: f64,
        slip: f64,
        or_easy: bool,
    ) -> PyResult<Vec<usize>> {
        let criterion = match criterion {
            "probability" => Criterion::Probability,
            "bound" => Criterion::Bound,
            "seconds" => Criterion::Seconds,
            "relative" => Criterion::Relative,
            other => return Err(PyKeyError::new_err(format!("no criterion is named '{other}'"))),
        };
        let rule = Rule { criterion, threshold, budget, slip, guard: f64::INFINITY, or_easy };
        self.with(|pass| {
            let mut accepted = Vec::new();
            while let Step::Accept(index) = pass.decide(&rule, u64::MAX)? {
                pass.commit(index)?;
                accepted.push(index);
            }
            Ok(accepted)
        })
    }

    /// The expected delay of the head job by each candidate, in the criterion's unit, and what became of it.
    fn judgements(&mut self) -> PyResult<Vec<(f64, String)>> {
        let count = self.candidates;
        self.with(|pass| {
            (0..count)
                .map(|index| {
                    let judgement = pass.judgement(index)?;
                    Ok((judgement.delay, format!("{:?}", judgement.verdict)))
                })
                .collect()
        })
    }

    fn head_start_quantile(&mut self, probability: f64) -> PyResult<i64> {
        self.with(|pass| pass.head_start_quantile(probability))
    }

    fn head_start_quantiles(&mut self, probabilities: Vec<f64>) -> PyResult<Vec<i64>> {
        let mut whens = vec![0; probabilities.len()];
        self.with(|pass| pass.head_start_quantiles(&probabilities, &mut whens, u64::MAX))?;
        Ok(whens)
    }
}

/// See `__init__.pyi`.
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
        WaitAnswer::TooLittleHistory | WaitAnswer::MayBeDown => None,
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

    #[pyo3(signature = (id, now, *, requested = 0, processors = 0))]
    fn submit(&mut self, id: i64, now: i64, requested: i64, processors: u32) -> PyResult<Option<i64>> {
        self.with(|waits| waits.submit(id, now, &Features { requested, processors })).map(bound)
    }

    fn start(&mut self, id: i64, now: i64) -> PyResult<i64> {
        self.with(|waits| waits.start(id, now))
    }

    fn cancel(&mut self, id: i64, now: i64) -> PyResult<()> {
        self.with(|waits| waits.cancel(id, now))
    }

    #[pyo3(signature = (wait, *, requested = 0, processors = 0))]
    fn known(&mut self, wait: i64, requested: i64, processors: u32) -> PyResult<()> {
        self.with(|waits| waits.known(wait, &Features { requested, processors }))
    }
}

/// See `__init__.pyi`.
#[pyclass(module = "surefill")]
pub struct Sizing {
    memory: Vec<u64>,
}

impl Sizing {
    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut surefill::allocate::Sizing<'_>) -> Result<T, Error>,
    ) -> PyResult<T> {
        let memory = bytemuck::cast_slice_mut(&mut self.memory);
        surefill::allocate::Sizing::attach(memory).and_then(|mut sizing| act(&mut sizing)).map_err(wrong)
    }
}

#[pymethods]
impl Sizing {
    #[new]
    #[pyo3(signature = (*, processors, running = 256))]
    fn new(processors: u32, running: u32) -> PyResult<Sizing> {
        let capacity = SizingCapacity { processors, running, ..SizingCapacity::default() };
        let mut memory = block(surefill::allocate::Sizing::size(&capacity).map_err(wrong)?);
        surefill::allocate::Sizing::init(bytemuck::cast_slice_mut(&mut memory), &capacity).map_err(wrong)?;
        Ok(Sizing { memory })
    }

    fn begin(&mut self, idle: u32) -> PyResult<()> {
        self.with(|sizing| sizing.begin(idle))
    }

    #[pyo3(signature = (processors, age, *, shortest, longest))]
    fn add_running(&mut self, processors: u32, age: f64, shortest: f64, longest: f64) -> PyResult<()> {
        let lifetime = LogUniform::new(shortest, longest).map_err(wrong)?;
        self.with(|sizing| sizing.add_running(processors, age, &lifetime))
    }

    #[pyo3(signature = (*, sequential, parallelism, sigma, most = u32::MAX, weight = 1.0))]
    fn choose<'py>(
        &mut self,
        py: Python<'py>,
        sequential: f64,
        parallelism: f64,
        sigma: f64,
        most: u32,
        weight: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let speedup = Speedup::new(parallelism, sigma).map_err(wrong)?;
        let options = ChoiceOptions { most, weight, ..ChoiceOptions::default() };
        let run_time = |processors: u32| speedup.run_time(sequential, processors).unwrap_or(f64::NAN);
        let choice = self.with(|sizing| sizing.choose(&options, None, run_time))?;
        let numbers = dict(py, &[("wait_s", Some(choice.wait)), ("run_time_s", Some(choice.run_time))])?;
        numbers.set_item("processors", choice.processors)?;
        Ok(numbers)
    }
}
