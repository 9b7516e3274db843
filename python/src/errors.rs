//! Errors of files and numbers as Python raises them.

use pyo3::exceptions::{PyOSError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::io;
use std::path::Path;
use surefill_simulator::trace::swf::Error;

/// A `ValueError` for a wrong argument.
pub fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The error that Python's own `open` raises: the `OSError` of this number, with the file's name.
pub fn of_file(py: Python<'_>, path: &Path, error: &io::Error) -> PyErr {
    let Some(number) = error.raw_os_error() else {
        return wrong(format!("{}: {error}", path.display()));
    };
    let made = || {
        let text = py.import("os")?.call_method1("strerror", (number,))?;
        // The call chooses the class, FileNotFoundError for example, by the number.
        py.get_type::<PyOSError>().call1((number, text, path.as_os_str()))
    };
    made().map_or_else(|raised| raised, PyErr::from_value)
}

/// The error of a file that could not be written.
pub fn of_writing(py: Python<'_>, path: &Path, error: &impl AsRef<dyn std::error::Error + 'static>) -> PyErr {
    let mut cause = Some(error.as_ref());
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return of_file(py, path, error);
        }
        cause = error.source();
    }
    wrong(error.as_ref())
}

/// A sentence of the command about its options, with the names that they have in Python: `tau` for `--tau <TAU>`.
pub fn in_python(sentence: &str) -> String {
    let mut words = Vec::new();
    for word in sentence.split(' ') {
        let quoted = word.trim_start_matches(['\'', '(']);
        match quoted.strip_prefix("--") {
            Some(name) => {
                let lead = &word[..word.len() - quoted.len()];
                words.push(format!("{lead}{}", name.replace('-', "_")));
            }
            // The placeholder of a value.
            None if word.starts_with('<') => {
                let (_, rest) = word.split_once('>').unwrap_or(("", ""));
                if let Some(last) = words.last_mut() {
                    last.push_str(rest);
                }
            }
            None => words.push(word.to_owned()),
        }
    }
    words.join(" ")
}

/// The error of a trace that could not be read: an `OSError` for an error of the system, else a `ValueError` with the
/// reason.
pub fn unreadable(py: Python<'_>, path: &Path, error: &Error) -> PyErr {
    match error {
        Error::Open { source, .. } | Error::Read { source, .. } if source.raw_os_error().is_some() => {
            of_file(py, path, source)
        }
        Error::Open { source, .. } | Error::Read { source, .. } => wrong(format!("{error}: {source}")),
        other => wrong(other),
    }
}

/// A whole number within these bounds, else an error with the argument's name.
pub fn whole<T>(name: &str, value: &Bound<'_, PyAny>, least: u64, most: T) -> PyResult<T>
where
    T: TryFrom<u64> + PartialOrd + Display,
{
    let refused = || {
        let why = format!("{name} is a whole number, at least {least} and at most {most}, not {value}");
        PyValueError::new_err(why)
    };
    let number = value.extract::<u64>().map_err(|error| {
        let py = value.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            refused()
        } else {
            PyTypeError::new_err(format!("{name}: {}", error.value(py)))
        }
    })?;
    let fits = T::try_from(number).ok().filter(|fits| number >= least && *fits <= most);
    fits.ok_or_else(refused)
}
