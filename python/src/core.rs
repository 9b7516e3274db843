//! Objects of the core library, each in memory of its own: scheduler, predictor, pass, waits, sizing.
//!
//! The doc comments of classes and methods are what `help` shows in Python. Examples in them are run by
//! `tests/test_docstrings.py`; they are indented so that Rust does not take them for quotations.

mod distribution;
mod pass;
mod predictor;
mod reasons;
mod record;
mod room;
mod scheduler;
mod sizing;
mod waits;
mod words;

pub use distribution::Distribution;
pub use pass::Pass;
pub use predictor::Predictor;
pub use scheduler::Scheduler;
pub use sizing::Sizing;
pub use waits::Waits;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use surefill::error::Error;

fn wrong(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A block of memory of this number of bytes.
fn block(bytes: usize) -> Vec<u64> {
    vec![0; bytes.div_ceil(8)]
}

/// A number of processors or jobs; one that does not fit is a `ValueError` like any other wrong number.
fn count(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    value.extract::<u32>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            PyValueError::new_err(format!("{value} is not a whole number from 0 to {}", u32::MAX))
        } else {
            error
        }
    })
}
