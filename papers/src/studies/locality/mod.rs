//! Learning run times from when, and by whom, jobs are submitted: chapter 2 of Nissimov 2006 ("Locality, its usage in
//! parallel job runtime distribution modeling using HMM"), and the open question at the end of its section 3.5.1.
//!
//! * [`binning`]: run times to bins, by ratio or by k-means (section 2.2).
//! * [`sample`]: jobs in groups, by submit time, by user or by both (section 2.4).
//! * [`metric`]: the locality metric, in bits (section 2.1).
//! * [`mod@search`]: the granularity with the most locality (section 2.2); [`threshold`]: with two bins only.
//! * [`mod@ageing`]: how fast information on a user's run times becomes old (section 3.5.1).
//! * [`study`]: all of it for one trace, beside the thesis's tables ([`thesis`]).

pub mod ageing;
pub mod binning;
pub mod metric;
pub mod sample;
pub mod search;
pub mod study;
pub mod thesis;
pub mod threshold;
