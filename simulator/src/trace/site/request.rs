//! The request of a job on a site's machine, from what accounting says of it.

use super::Site;
use crate::trace::nodes::Machine;
use crate::trace::record::{Asked, Record};
use surefill::nodes::{Request, Spread};

impl Site {
    /// The request of a job that held `processors`, in a partition with these features: as many processors on each of
    /// the nodes that it asked for; anywhere, where it ran on more nodes than it asked for. Whole nodes where its
    /// partition gives these out, or where it held all processors of its nodes and had not asked for as many.
    pub fn request(&self, record: &Record, asked: &Asked, processors: u32, features: u64) -> Request {
        let machine = &self.machine;
        let mut request =
            Request { count: processors, features, spread: Spread::Tasks, ..Request::default() };
        if self.is_of_processors {
            request.each[0] = 1000;
            return request;
        }
        let exclusive = self.gives_nodes
            || self.partitions_of(features).any(|partition| partition.is_exclusive)
            || is_whole(machine, record, asked, features);
        let on_nodes = asked.nodes > 0 && (asked.nodes <= asked.requested_nodes.max(1) || exclusive);
        if on_nodes {
            (request.count, request.spread) = (asked.nodes, Spread::Nodes);
        }
        request.exclusive = exclusive;
        // A job needs what it asked for, though it holds whole nodes.
        let held = u32::try_from(record.requested_processors).ok().filter(|&wanted| exclusive && wanted > 0);
        let tasks = request.count.max(1);
        let each = |amount: f64| (amount / f64::from(tasks)).ceil().clamp(0.0, f64::from(i32::MAX)) as u32;
        for (amount, name) in request.each.iter_mut().zip(&machine.resources) {
            *amount = match name.as_str() {
                "cores" => 1000 * each(f64::from(held.unwrap_or(processors).min(processors))),
                "mem" if exclusive && self.gives_nodes => 0,
                "mem" => each(asked.memory_mib),
                "gpu" => 1000 * each(f64::from(asked.gpus)),
                _ => 0,
            };
        }
        request
    }

    fn partitions_of(&self, features: u64) -> impl Iterator<Item = &super::Partition> {
        let names = self.machine.feature_names(features);
        let has = move |partition: &&super::Partition| {
            names.contains(&super::feature(&self.partitions, partition.feature).as_str())
        };
        self.partitions.iter().filter(has)
    }
}

/// Whether a job held all processors of its nodes though it asked for fewer.
fn is_whole(machine: &Machine, record: &Record, asked: &Asked, features: u64) -> bool {
    let (held, wanted) = (record.used_processors, record.requested_processors);
    if asked.nodes == 0 || wanted <= 0 || held <= wanted {
        return false;
    }
    let Some(cores) = machine.resources.iter().position(|name| name == "cores") else { return false };
    let mine = machine.classes.iter().filter(|class| class.features & features == features);
    let sizes: Vec<i64> =
        mine.filter_map(|class| Some(i64::from(*class.amounts.get(cores)? / 1000))).collect();
    let (least, most) = (sizes.iter().min().copied().unwrap_or(0), sizes.iter().max().copied().unwrap_or(0));
    let nodes = i64::from(asked.nodes);
    (nodes * least..=nodes * most).contains(&held) && held % nodes == 0
}
