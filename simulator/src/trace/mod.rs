//! Workload traces: reading and writing their formats, and making jobs of their lines.
//!
//! * [`mod@format`]: which format a trace has, and the one way to read any.
//! * [`source`]: files and standard input, decompressed.
//! * [`record`]: a trace as it is held, in the terms of the Standard Workload Format; [`swf`]: that format.
//! * [`columns`]: the names of columns and values, for all that has any (`layouts`: for what has none); [`tables`]:
//!   where rows of them are in a text, also in `json`, `condor` and `sge`; [`rows`]: from a row to a job; [`values`]:
//!   what their cells hold; `units`: of limits that are bare numbers.
//! * [`pbs`], [`lsf`]: accounting logs of their own; `openb`: one cluster's list of tasks; [`collect`]: from jobs to a
//!   trace; `looks`: the sentence about a text of no known kind.
//! * [`export`]: writing a trace, also under other names; [`import`]: that with what was read and left out.
//! * [`remarks`]: sentences on the reading of a trace.
//! * [`mod@text`]: names that may be shown on a terminal.
//! * [`nodes`]: machines of nodes, and what jobs ask of them; [`node_list`]: as an option names such a machine.
//! * [`site`]: a site as its resource manager describes it; [`hostlist`]: its lists of nodes.
//! * [`workload`]: the replay rules that make jobs of a trace's lines; [`recorded`]: what the trace says of their
//!   waits.

pub mod collect;
pub mod columns;
mod condor;
pub mod export;
pub mod format;
pub mod hostlist;
pub mod import;
mod json;
mod layouts;
mod lines;
mod looks;
pub mod lsf;
pub mod node_list;
pub mod nodes;
mod openb;
pub mod pbs;
pub mod record;
pub mod recorded;
pub mod remarks;
pub mod rows;
mod sge;
pub mod site;
pub mod source;
pub mod swf;
pub mod tables;
pub mod text;
pub(crate) mod units;
pub mod values;
pub mod workload;
