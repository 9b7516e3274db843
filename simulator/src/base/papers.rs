//! Results of Nissimov & Feitelson 2007 on their four traces: the numbers to stand beside ours.

/// One trace of the paper.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Published {
    /// Beginning of file names of this trace.
    #[serde(skip)]
    pub prefix: &'static str,
    /// The machine it was replayed on. The header of CTC SP2 gives the 338 nodes left of the batch partition; the
    /// paper's waits come out on all 512 of the machine.
    pub procs: u32,
    /// Table 1.
    pub workload: TraceFacts,
    /// Tables 2 and 3, EASY.
    pub easy: Waits,
    /// Tables 2 and 3, probabilistic backfilling (hidden Markov model, lower bound, threshold 0.05).
    pub probabilistic: Waits,
}

/// The paper's facts of a trace.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct TraceFacts {
    /// Jobs.
    pub jobs: u64,
    /// "Average wait" in the trace, in minutes.
    pub wait_min: f64,
    /// "Average run", in minutes.
    pub run_min: f64,
}

/// Mean waits as the paper gives them.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Waits {
    /// Arithmetic mean, in minutes.
    pub mean_min: f64,
    /// Geometric mean, in seconds, waits floored at 10 s.
    pub geomean_s: f64,
}

const fn facts(jobs: u64, wait_min: f64, run_min: f64) -> TraceFacts {
    TraceFacts { jobs, wait_min, run_min }
}

const fn waits(mean_min: f64, geomean_s: f64) -> Waits {
    Waits { mean_min, geomean_s }
}

const PUBLISHED: [Published; 4] = [
    Published {
        prefix: "CTC-SP2",
        procs: 512,
        workload: facts(77_222, 425.7, 188.0),
        easy: waits(21.3, 28.2),
        probabilistic: waits(18.1, 25.3),
    },
    Published {
        prefix: "KTH-SP2",
        procs: 100,
        workload: facts(28_489, 334.6, 161.8),
        easy: waits(114.0, 181.0),
        probabilistic: waits(113.0, 147.0),
    },
    Published {
        prefix: "SDSC-SP2",
        procs: 128,
        workload: facts(59_725, 429.6, 123.6),
        easy: waits(364.0, 639.0),
        probabilistic: waits(373.0, 635.0),
    },
    Published {
        prefix: "SDSC-BLUE",
        procs: 1152,
        workload: facts(243_314, 720.2, 95.5),
        easy: waits(131.0, 203.0),
        probabilistic: waits(105.0, 135.0),
    },
];

/// The paper's numbers for a trace, recognised by the start of its file name without folders.
pub fn published(file_name: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|published| file_name.starts_with(published.prefix))
}

/// [`published`] for a replay on a machine of the paper's size: waits on another are not to be compared.
pub fn published_on(file_name: &str, procs: u32) -> Option<&'static Published> {
    published(file_name).filter(|published| published.procs == procs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_recognised_by_name() {
        assert_eq!(published("CTC-SP2-1996-3.1-cln.swf.gz").map(|p| p.procs), Some(512));
        assert_eq!(published("SDSC-SP2-1998-4.2-cln.swf.gz").map(|p| p.procs), Some(128));
        assert_eq!(published("SDSC-Par-1996-3.1-cln.swf.gz"), None);
        assert_eq!(published_on("CTC-SP2-1996-3.1-cln.swf.gz", 338), None);
        assert!(published_on("CTC-SP2-1996-3.1-cln.swf.gz", 512).is_some());
    }
}
