//! The choice of nodes for a job as `select/cons_tres` makes it: among sets of neighbours, the tightest one that
//! suffices.
//!
//! A set are nodes with room for the job that follow each other in the site's list and have one weight. Sets of the
//! lowest weight come first, then the one with the least room that suffices, else the one with most room. Within a
//! set a job of one node gets the node with the least room that suffices; others get the nodes in their order. Room
//! is counted in the job's tasks, by whatever of processors, memory and GPUs is scarcest on a node. The tasks are
//! dealt to the chosen nodes one after the other, so that what is left over is left on the widest.

use crate::trace::site::NodePlace;
use surefill::nodes::{Part, Request, Spread};

/// A node with room.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Its number.
    pub node: u32,
    /// Number of tasks that it takes.
    pub tasks: u32,
    /// Its room in tasks, with fractions and beyond those that it takes.
    pub wide: f64,
}

/// Neighbours.
#[derive(Debug, Clone, Copy)]
struct Set {
    /// Places of its first room, and of the one behind its last.
    from: usize,
    to: usize,
    room: f64,
    weight: f64,
}

/// Nodes for `count` tasks; `rooms` are in the order of the nodes, `places` are those of all nodes. None where there
/// is too little room.
pub fn choose(request: &Request, count: u32, rooms: &[Room], places: &[NodePlace]) -> Option<Vec<Part>> {
    let mut sets = sets(rooms, places);
    let spread = request.spread == Spread::Nodes;
    let mut missing = count;
    let mut chosen: Vec<Room> = Vec::new();
    while missing > 0 {
        let wanted = if spread { missing } else { 1 };
        let best = best(&sets, f64::from(missing), wanted as usize)?;
        let set = sets.swap_remove(best);
        let mine = rooms.get(set.from..set.to).unwrap_or_default();
        let alone = (wanted <= 1).then(|| single(mine, f64::from(missing))).flatten();
        for room in alone.map_or(mine, |place| &mine[place..=place]) {
            missing -= room.tasks.min(if spread { 1 } else { missing });
            chosen.push(*room);
            if missing == 0 {
                break;
            }
        }
        // The order of the sets decides among equal ones.
        sets.sort_unstable_by_key(|set| set.from);
    }
    chosen.sort_unstable_by_key(|room| room.node);
    Some(dealt(&chosen, count))
}

/// The tasks dealt to nodes that have room for all of them, one to each in turn.
fn dealt(chosen: &[Room], count: u32) -> Vec<Part> {
    let mut parts: Vec<Part> = chosen.iter().map(|room| Part { node: room.node, tasks: 0 }).collect();
    let mut missing = count;
    while missing > 0 {
        let before = missing;
        for (part, _) in parts.iter_mut().zip(chosen).filter(|(part, room)| part.tasks < room.tasks) {
            let more = missing.min(1);
            (part.tasks, missing) = (part.tasks + more, missing - more);
        }
        if missing == before {
            break;
        }
    }
    parts.retain(|part| part.tasks > 0);
    parts
}

fn sets(rooms: &[Room], places: &[NodePlace]) -> Vec<Set> {
    let mut sets: Vec<Set> = Vec::new();
    let place = |room: &Room| places.get(room.node as usize).copied().unwrap_or_default();
    let mut last: Option<NodePlace> = None;
    for (at, room) in rooms.iter().enumerate() {
        let here = place(room);
        let follows = last.is_some_and(|last| last.place + 1 == here.place && last.weight == here.weight);
        match sets.last_mut() {
            Some(set) if follows => (set.to, set.room) = (at + 1, set.room + room.wide),
            _ => sets.push(Set { from: at, to: at + 1, room: room.wide, weight: here.weight }),
        }
        last = Some(here);
    }
    sets
}

/// The place of the best set for this number of tasks on this number of nodes.
fn best(sets: &[Set], missing: f64, nodes: usize) -> Option<usize> {
    let mut best: Option<(usize, bool)> = None;
    for (place, set) in sets.iter().enumerate() {
        let enough = set.room >= missing && set.to - set.from >= nodes;
        let Some((known, was_enough)) = best else {
            best = Some((place, enough));
            continue;
        };
        let other = &sets[known];
        let tighter =
            (enough && (!was_enough || set.room < other.room)) || (!enough && set.room > other.room);
        if set.weight < other.weight || (set.weight == other.weight && tighter) {
            best = Some((place, enough));
        }
    }
    best.map(|(place, _)| place)
}

/// The place of the node with the least room for all tasks.
fn single(rooms: &[Room], missing: f64) -> Option<usize> {
    let all = rooms.iter().enumerate().filter(|(_, room)| f64::from(room.tasks) >= missing);
    all.min_by(|a, b| a.1.wide.total_cmp(&b.1.wide)).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(weights: &[f64]) -> Vec<NodePlace> {
        weights.iter().zip(0..).map(|(&weight, place)| NodePlace { weight, place }).collect()
    }

    /// Rooms of nodes; none for 0.
    fn rooms(wide: &[u32]) -> Vec<Room> {
        let all = wide.iter().zip(0..).map(|(&tasks, node)| Room { node, tasks, wide: f64::from(tasks) });
        all.filter(|room| room.tasks > 0).collect()
    }

    fn nodes(spread: Spread, count: u32, wide: &[u32], weights: &[f64]) -> Option<Vec<(u32, u32)>> {
        let request = Request { spread, ..Request::default() };
        let chosen = choose(&request, count, &rooms(wide), &places(weights))?;
        Some(chosen.into_iter().map(|part| (part.node, part.tasks)).collect())
    }

    #[test]
    fn the_tightest_set_of_neighbours_and_its_tightest_node() {
        let even = [1.0; 9];
        // Sets of 3, 2 and 1 nodes with 20, 12 and 8 tasks of room.
        let wide = [8, 4, 8, 0, 6, 6, 0, 8, 0];
        assert_eq!(nodes(Spread::Tasks, 8, &wide, &even).unwrap(), [(7, 8)]);
        assert_eq!(nodes(Spread::Tasks, 6, &wide, &even).unwrap(), [(7, 6)]);
        assert_eq!(nodes(Spread::Tasks, 12, &wide, &even).unwrap(), [(4, 6), (5, 6)]);
        assert_eq!(nodes(Spread::Tasks, 13, &wide, &even).unwrap(), [(0, 5), (1, 4), (2, 4)]);
        // The largest where none suffices, then the tightest for the rest.
        let all = nodes(Spread::Tasks, 26, &wide, &even).unwrap();
        assert_eq!(all, [(0, 8), (1, 4), (2, 7), (7, 7)]);
        assert_eq!(nodes(Spread::Tasks, 41, &wide, &even), None);
        assert_eq!(nodes(Spread::Nodes, 2, &wide, &even).unwrap(), [(4, 1), (5, 1)]);
        // A lower weight is better than a tighter set.
        let weights = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0];
        assert_eq!(nodes(Spread::Tasks, 8, &wide, &weights).unwrap(), [(4, 4), (5, 4)]);
        assert_eq!(nodes(Spread::Tasks, 4, &[8, 4, 5, 8], &even).unwrap(), [(1, 4)]);
    }
}
