//! Columns of numbers and words, handed over by Arrow's PyCapsule interface.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::Arc;

/// One column; missing values are nulls.
#[derive(Debug, Clone)]
pub enum Column {
    /// Whole numbers.
    Int(Vec<Option<i64>>),
    /// Numbers.
    Float(Vec<Option<f64>>),
    /// Words.
    Text(Vec<Option<String>>),
}

impl Column {
    /// JSON values as a column: numbers if all are, whole if all are.
    pub fn of_json(values: Vec<serde_json::Value>) -> Column {
        let known = || values.iter().filter(|value| !value.is_null());
        if known().all(|value| value.is_i64() || value.is_u64()) {
            return Column::Int(values.iter().map(serde_json::Value::as_i64).collect());
        }
        if known().all(serde_json::Value::is_number) {
            return Column::Float(values.iter().map(serde_json::Value::as_f64).collect());
        }
        let text = |value: serde_json::Value| match value {
            serde_json::Value::Null => None,
            serde_json::Value::String(text) => Some(text),
            other => Some(other.to_string()),
        };
        Column::Text(values.into_iter().map(text).collect())
    }

    fn len(&self) -> usize {
        match self {
            Column::Int(values) => values.len(),
            Column::Float(values) => values.len(),
            Column::Text(values) => values.len(),
        }
    }

    fn array(&self) -> (DataType, ArrayRef) {
        match self {
            Column::Int(values) => (DataType::Int64, Arc::new(Int64Array::from(values.clone()))),
            Column::Float(values) => (DataType::Float64, Arc::new(Float64Array::from(values.clone()))),
            Column::Text(values) => (DataType::Utf8, Arc::new(StringArray::from(values.clone()))),
        }
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match self {
            Column::Int(values) => PyList::new(py, values),
            Column::Float(values) => PyList::new(py, values),
            Column::Text(values) => PyList::new(py, values),
        }
    }
}

/// Columns of one length, each with a name; missing values are None.
///
/// ``table["mean_wait_s"]`` is a column as a list, and KeyError is raised for an unknown name; ``len(table)`` is the
/// number of rows. polars, pyarrow and others read a table through Arrow's PyCapsule interface:
/// ``polars.DataFrame(table)``, ``pyarrow.table(table)``.
#[pyclass(frozen, module = "surefill")]
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Names and columns of one length.
    pub columns: Vec<(String, Column)>,
}

impl Table {
    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let arrays = self.columns.iter().map(|(name, column)| {
            let (kind, array) = column.array();
            (Field::new(name, kind, true), array)
        });
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = arrays.unzip();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
    }
}

#[pymethods]
impl Table {
    /// A list of the names of the columns, from left to right.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn __len__(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let found = self.columns.iter().find(|(other, _)| other == name);
        found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?.1.list(py)
    }

    fn __repr__(&self) -> String {
        format!("<surefill.Table: {} rows of {}>", self.__len__(), self.column_names().join(", "))
    }

    /// A dictionary of the columns: a list of values by each name.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in &self.columns {
            dict.set_item(name, column.list(py)?)?;
        }
        Ok(dict)
    }

    /// A ``pandas.DataFrame`` of the same columns. Raises ImportError when pandas is not installed.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("pandas")?.getattr("DataFrame")?.call1((self.to_dict(py)?,))
    }

    /// A ``polars.DataFrame`` of the same columns. Raises ImportError when polars is not installed.
    fn to_polars<'py>(slf: Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.getattr("DataFrame")?.call1((slf,))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer's wish; the interface allows answering with the own types.
        let _ = requested_schema;
        let wrong = |error: ArrowError| PyValueError::new_err(error.to_string());
        let batch = self.batch().map_err(wrong)?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
