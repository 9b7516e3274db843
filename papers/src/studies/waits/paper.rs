//! Rows of the paper's Tables 1 and 2 for the machines whose traces are public: CTC SP2 as a whole, SDSC Blue Horizon
//! by queue.

use serde::Serialize;

/// The methods in the order of the paper's columns.
pub const METHODS: usize = 4;

/// One row: binomial, log-normal, log-uniform, Weibull.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Row {
    /// The share of bounds that held.
    pub correctness: [f64; METHODS],
    /// RMS over-prediction of the binomial method over the method's own.
    pub accuracy: [f64; METHODS],
}

/// The paper's figures of one queue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Published {
    /// Beginning of file names of this trace.
    #[serde(skip)]
    prefix: &'static str,
    #[serde(skip)]
    queue: &'static str,
    /// The paper's name.
    pub name: &'static str,
    /// Table 1: the methods alone.
    pub alone: Row,
    /// Table 2: with trimming, clusters and availability.
    pub qbets: Row,
}

const fn row(correctness: [f64; METHODS], accuracy: [f64; METHODS]) -> Row {
    Row { correctness, accuracy }
}

const PUBLISHED: [Published; 5] = [
    Published {
        prefix: "CTC-SP2",
        queue: surefill_simulator::live::queues::ALL,
        name: "ctc/ALL",
        alone: row([0.94, 0.97, 1.00, 0.92], [1.0, 0.48, 0.04, 0.49]),
        qbets: row([0.96, 0.93, 0.99, 0.93], [1.0, 0.48, 0.18, 1.66]),
    },
    Published {
        prefix: "SDSC-BLUE",
        queue: "high",
        name: "sdscblue/high",
        alone: row([0.90, 0.90, 1.00, 0.79], [1.0, 0.53, 0.15, 1.51]),
        qbets: row([0.96, 0.96, 0.97, 0.94], [1.0, 0.24, 0.87, 0.97]),
    },
    Published {
        prefix: "SDSC-BLUE",
        queue: "low",
        name: "sdscblue/low",
        alone: row([0.90, 0.99, 1.00, 0.89], [1.0, 0.36, 0.11, 1.09]),
        qbets: row([0.96, 0.96, 0.99, 0.95], [1.0, 0.26, 0.38, 1.08]),
    },
    Published {
        prefix: "SDSC-BLUE",
        queue: "normal",
        name: "sdscblue/normal",
        alone: row([0.89, 0.94, 1.00, 0.85], [1.0, 0.44, 0.09, 1.13]),
        qbets: row([0.97, 0.95, 0.97, 0.95], [1.0, 0.24, 0.55, 1.03]),
    },
    Published {
        prefix: "SDSC-BLUE",
        queue: "express",
        name: "sdscblue/express",
        alone: row([0.92, 0.90, 0.99, 0.84], [1.0, 1.12, 0.17, 2.20]),
        qbets: row([0.97, 0.91, 0.98, 0.94], [1.0, 0.17, 0.50, 0.55]),
    },
];

/// The paper's rows for a queue of the trace with this file name.
pub fn published(file_name: &str, queue: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|published| file_name.starts_with(published.prefix) && queue == published.queue)
}
