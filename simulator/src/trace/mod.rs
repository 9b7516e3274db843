//! Workload traces: reading and writing their formats, and making jobs of their lines.
//!
//! * [`mod@format`]: which format a trace has, and the one way to read any.
//! * [`source`]: files and standard input, decompressed.
//! * [`record`]: a trace as it is held, in the terms of the Standard Workload Format; [`swf`]: that format.
//! * [`rows`]: tables with named columns: `sacct`, CSV, JSON lines; [`pbs`], [`lsf`]: accounting logs; [`values`]: what
//!   their cells hold; [`collect`]: from their jobs to a trace.
//! * [`export`]: writing a trace, also under other names.
//! * [`mod@text`]: names that may be shown on a terminal.
//! * [`nodes`]: machines of nodes, and what jobs ask of them; [`node_list`]: as an option names such a machine.
//! * [`workload`]: the replay rules that make jobs of a trace's lines; [`recorded`]: what the trace says of their
//!   waits.

pub mod collect;
pub mod export;
pub mod format;
mod lines;
pub mod lsf;
pub mod node_list;
pub mod nodes;
mod openb;
pub mod pbs;
pub mod record;
pub mod recorded;
pub mod rows;
pub mod source;
pub mod swf;
pub mod text;
pub mod values;
pub mod workload;
