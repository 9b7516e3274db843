//! Machines of nodes that jobs share by cores, memory and GPUs.
//!
//! * [`Nodes`]: classes of nodes, what is free on each, which job holds what where, resources of the whole machine.
//! * `room`: where a [`Request`] finds room: first fit, best fit.

mod machine;
mod request;
mod room;

pub use machine::{MAX_NODES, Nodes, NodesCapacity};
pub use request::{Amounts, Fit, MAX_RESOURCES, MAX_TASKS, Part, Request, Spread};
