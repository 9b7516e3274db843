//! The extension module of the Python package `surefill`: the simulator's replays, and objects of the core.
//!
//! * [`table`]: columns that pandas, polars and pyarrow read through Arrow's C interface.
//! * [`cluster`]: job, node and machine as a policy written in Python sees them.
//! * [`classes`]: policies, predictors and queue orders that are Python classes, as the simulator's traits.
//! * [`replays`]: `simulate`, `compare`.
//! * [`sites`]: `what_if`, `import_log`, `predict_wait`; [`reading`]: how files are read.
//! * [`errors`]: errors of files and numbers as Python raises them.
//! * [`core`]: scheduler, predictor, pass, waits, sizing.
//!
//! Units and meanings stand in the doc comments of classes, methods and functions, which are their docstrings, and in
//! the docstrings of `surefill/__init__.py`; `surefill/__init__.pyi` has the types.

mod classes;
mod cluster;
mod core;
mod errors;
mod reading;
mod replays;
mod sites;
mod table;

use pyo3::prelude::*;

#[pymodule]
fn _surefill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_class::<cluster::Job>()?;
    module.add_class::<cluster::Node>()?;
    module.add_class::<cluster::Cluster>()?;
    module.add_class::<replays::Replay>()?;
    module.add_class::<core::Scheduler>()?;
    module.add_class::<core::Predictor>()?;
    module.add_class::<core::Distribution>()?;
    module.add_class::<core::Pass>()?;
    module.add_class::<core::Waits>()?;
    module.add_class::<core::Sizing>()?;
    module.add_function(wrap_pyfunction!(replays::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(replays::compare, module)?)?;
    module.add_function(wrap_pyfunction!(sites::what_if, module)?)?;
    module.add_function(wrap_pyfunction!(sites::import_log, module)?)?;
    module.add_function(wrap_pyfunction!(sites::predict_wait, module)?)?;
    module.add_function(wrap_pyfunction!(replays::names, module)?)?;
    module.add_function(wrap_pyfunction!(classes::register, module)?)
}
