//! The numbers of Tables 3 to 6 in Song, Ernemann & Yahyapour 2004, and how their logs differ from those to be had
//! today.

use serde::Serialize;

/// One line of the paper's tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Published {
    /// Beginning of file names of this trace.
    #[serde(skip)]
    pub prefix: &'static str,
    /// The paper's name for it.
    pub name: &'static str,
    /// Table 1: jobs.
    pub jobs: u64,
    /// Table 3: states of the chain of run times and of that of processors.
    pub states: (usize, usize),
    /// Table 3: cor0 and cor1.
    pub cor: (f64, f64),
    /// Table 4: Kolmogorov-Smirnov of processors and of run times.
    pub ks: (f64, f64),
    /// Table 4: difference of the squashed areas.
    pub area: f64,
    /// Table 5, where the trace is in it.
    pub correlation: Option<Correlation>,
    /// Table 6, where the trace is in it: processors and run times.
    pub rho: Option<(Rho, Rho)>,
    /// Difference of the log used from the one of today.
    pub difference: &'static str,
}

/// Table 5: correlation of processors and run time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Correlation {
    /// In the trace.
    pub real: f64,
    /// Under the Markov chains.
    pub markov: f64,
    /// Under Lublin & Feitelson's model.
    pub lublin: f64,
}

/// Table 6: lag-1 autocorrelation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rho {
    /// In the trace.
    pub real: f64,
    /// Under the Markov chains.
    pub markov: f64,
    /// Under independent draws.
    pub independent: f64,
}

const fn rho(real: f64, markov: f64, independent: f64) -> Rho {
    Rho { real, markov, independent }
}

const PUBLISHED: [Published; 6] = [
    Published {
        prefix: "NASA-iPSC",
        name: "NASA",
        jobs: 42_264,
        states: (16, 8),
        cor: (0.639, 0.744),
        ks: (0.08, 0.08),
        area: -0.16,
        correlation: None,
        rho: None,
        difference: "the uncleaned log has all 42,264 jobs; the cleaned one lacks 24,025 runs of one program by one user",
    },
    Published {
        prefix: "SDSC-Par-1996",
        name: "SDSC 96",
        jobs: 38_719,
        states: (19, 9),
        cor: (0.509, 0.475),
        ks: (0.08, 0.06),
        area: 0.08,
        correlation: Some(Correlation { real: 0.371, markov: 0.155, lublin: 0.116 }),
        rho: Some((rho(0.41, 0.37, -0.01), rho(0.17, 0.20, 0.02))),
        difference: "the cleaned log lacks 6,584 of the paper's 38,719 jobs",
    },
    Published {
        prefix: "CTC-SP2",
        name: "CTC",
        jobs: 79_302,
        states: (17, 9),
        cor: (-0.077, -0.041),
        ks: (0.02, 0.03),
        area: 0.38,
        correlation: None,
        rho: None,
        difference: "the cleaned log lacks 2,080 of the paper's 79,302 jobs",
    },
    Published {
        prefix: "KTH-SP2",
        name: "KTH",
        jobs: 28_490,
        states: (18, 8),
        cor: (0.037, 0.142),
        ks: (0.04, 0.03),
        area: 0.15,
        correlation: Some(Correlation { real: 0.011, markov: 0.005, lublin: 0.005 }),
        rho: Some((rho(0.29, 0.29, 0.01), rho(0.29, 0.30, -0.01))),
        difference: "the same log; one job has no processors and is left out here, as a state of its own it would be the eighth",
    },
    Published {
        prefix: "LANL-CM5",
        name: "LANL",
        jobs: 201_378,
        states: (18, 6),
        cor: (0.136, 0.325),
        ks: (0.01, 0.04),
        area: -0.01,
        correlation: Some(Correlation { real: 0.172, markov: 0.226, lublin: 0.29 }),
        rho: Some((rho(0.16, 0.20, -0.01), rho(0.18, 0.19, -0.03))),
        difference: "the cleaned log lacks 79,318 of the paper's 201,378 jobs",
    },
    Published {
        prefix: "SDSC-SP2",
        name: "SDSC SP2",
        jobs: 67_667,
        states: (19, 8),
        cor: (0.177, 0.292),
        ks: (0.02, 0.04),
        area: 0.08,
        correlation: None,
        rho: None,
        difference: "the cleaned log lacks 7,952 of the paper's 67,667 jobs; 5,671 more never ran",
    },
];

/// The paper's numbers for a trace, recognised by the start of its file name without folders.
pub fn published(file_name: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|published| file_name.starts_with(published.prefix))
}
