//! The papers that the studies are of, as their pages name them.

/// Papers on locality and the hidden Markov model.
pub const LOCALITY: &str = "Nissimov, Locality and its usage in parallel job runtime distribution modeling using HMM (M.Sc. \
     thesis, The Hebrew University of Jerusalem, 2006), whose chapters, tables and figures are named here; the model's use is \
     in Nissimov & Feitelson, Probabilistic backfilling (JSSPP 2007)";
/// Papers on malleable jobs.
pub const MALLEABLE: &str = "Downey, Using queue time predictions for processor allocation (JSSPP 1997), whose tables and \
     figures are meant here";
/// Papers on synthetic workloads.
pub const WORKLOADS: &str =
    "Song, Ernemann & Yahyapour, Parallel computer workload modeling with Markov chains (JSSPP 2004)";

/// Papers on bounds on waits.
pub const WAITS: &str = "Nurmi, Brevik & Wolski, QBETS: queue bounds estimation from time series (JSSPP 2007), whose tables are \
     meant here; what follows its own misses and the visible queue are this library's";
