//! A site as its resource manager describes it: nodes, partitions, priorities, limits, and times without some nodes.

mod rules;

pub use rules::{BackfillRules, Outage, PartitionRules, QosRules, Shares, SiteRules, Weights};
