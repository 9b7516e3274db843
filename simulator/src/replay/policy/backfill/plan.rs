//! The reservations of a pass of backfill: the earliest time and the nodes of one job after the other.
//!
//! A reservation takes whole nodes out, from the start that is planned for its job until its expected end, rounded
//! outwards to the resolution. A job may start now where no reservation of its nodes begins before or at its expected
//! end; it is planned for a later time where its own rounded span meets none.
//!
//! The plugin does not look at each end of a running job by itself: it takes those within 30 s of the first together,
//! then those within spans that are twice as long each time (`bf_window_linear`: longer by as much each time), and
//! plans a job for the last end of the span in which it first has room. So it is in 22.05; 25.11 plans it for the
//! last end on the nodes that it gets, which is earlier.

use super::board::Board;
use crate::trace::site::{BackfillRules, Outage};
use std::collections::HashMap;
use surefill::nodes::{Fit, Part};

/// A time without a node.
#[derive(Debug, Clone, Copy)]
struct Reserved {
    begin: i64,
    end: i64,
    /// Whether it is an outage: limits count there, not expected run times.
    outage: bool,
}

/// A job that is to be planned.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Place of its shape.
    pub shape: usize,
    /// Number of its tasks.
    pub count: u32,
    /// Its expected run time, in seconds.
    pub length: i64,
    /// Its limit, in seconds.
    pub limit: i64,
}

/// A shape's nodes with the times at which tasks find more room.
#[derive(Debug)]
struct Table {
    nodes: Vec<u32>,
    /// The ends of the nodes' parts of `steps`.
    ends: Vec<usize>,
    /// Times, each with the room from then on.
    steps: Vec<(i64, u32)>,
}

/// The plan of a pass.
#[derive(Debug)]
pub struct Plan {
    now: i64,
    /// The last second for which a job is planned.
    last: i64,
    resolution: i64,
    /// [`BackfillRules::span_s`] and [`BackfillRules::linear_s`].
    spans: (i64, i64),
    /// The expected ends of the jobs on each shape's nodes, in order.
    ends: HashMap<usize, Vec<i64>>,
    fit: Option<Fit>,
    /// Times without each node, in the order of their beginnings.
    reserved: Vec<Vec<Reserved>>,
    /// Nodes that are closed, and not known when they will be open.
    lost: Vec<bool>,
    tables: HashMap<usize, Table>,
    /// Jobs of each shape with their planned starts. While nothing is given back no job that is as wide and as long
    /// starts earlier.
    planned: HashMap<usize, Vec<(Wanted, i64)>>,
}

/// A start time that no job has: it is not planned.
const NEVER: i64 = i64::MAX;

/// Changes of a sum at times.
type Events = Vec<(i64, i64)>;

impl Plan {
    /// A plan without reservations but for the outages that are known.
    pub fn new<'o>(
        board: &Board,
        now: i64,
        rules: &BackfillRules,
        fit: Option<Fit>,
        outages: impl Iterator<Item = &'o Outage>,
    ) -> Plan {
        let mut plan = Plan {
            now,
            last: now.saturating_add(rules.window_s),
            resolution: rules.resolution_s.max(1),
            spans: (rules.span_s, rules.linear_s),
            ends: HashMap::new(),
            fit,
            reserved: vec![Vec::new(); board.count()],
            lost: vec![false; board.count()],
            tables: HashMap::new(),
            planned: HashMap::new(),
        };
        for outage in outages {
            let announced = outage.known < outage.from;
            for &node in outage.nodes.iter().filter(|&&node| (node as usize) < board.count()) {
                match outage.to {
                    Some(to) if announced => plan.reserve(node, outage.from, to, true),
                    None if outage.from > now => plan.reserve(node, outage.from, NEVER / 2, true),
                    _ => plan.lost[node as usize] = true,
                }
            }
        }
        plan
    }

    /// Takes a node out for a span.
    fn reserve(&mut self, node: u32, from: i64, to: i64, outage: bool) {
        let begin = from.div_euclid(self.resolution) * self.resolution;
        let end = (to + self.resolution - 1).div_euclid(self.resolution) * self.resolution;
        let reserved = &mut self.reserved[node as usize];
        let place = reserved.partition_point(|other| other.begin <= begin);
        reserved.insert(place, Reserved { begin, end, outage });
    }

    /// Forgets the room on nodes, where a job has started.
    pub fn refresh(&mut self) {
        self.tables.clear();
        self.ends.clear();
    }

    fn table<'t>(
        tables: &'t mut HashMap<usize, Table>,
        board: &Board,
        lost: &[bool],
        place: usize,
        now: i64,
    ) -> &'t Table {
        tables.entry(place).or_insert_with(|| {
            let shape = board.shape(place);
            let mut table = Table { nodes: Vec::new(), ends: Vec::new(), steps: Vec::new() };
            for &node in shape.nodes.iter().filter(|&&node| !lost[node as usize]) {
                let mut room = 0;
                let first = table.steps.len();
                for (at, left) in board.timeline(node, now) {
                    let more = left.room(&shape.request);
                    if more > room {
                        room = more;
                        match table.steps[first..].last_mut() {
                            Some(last) if last.0 == at => last.1 = room,
                            _ => table.steps.push((at, room)),
                        }
                    }
                }
                if table.steps.len() > first {
                    table.nodes.push(node);
                    table.ends.push(table.steps.len());
                }
            }
            table
        })
    }

    /// The earliest time up to the plan's last at which a job can start, and its nodes then.
    pub fn earliest(&mut self, board: &Board, wanted: &Wanted) -> Option<(i64, Vec<Part>)> {
        let known = self.planned.get(&wanted.shape).into_iter().flatten();
        let smaller = known.filter(|(other, _)| {
            other.count <= wanted.count && other.length <= wanted.length && other.limit <= wanted.limit
        });
        let from = smaller.map(|(_, at)| *at).max().unwrap_or(self.now);
        if from > self.last {
            return None;
        }
        let request = board.shape(wanted.shape).request;
        let at = if from <= self.now && self.fits_now(board, wanted) {
            self.now
        } else {
            self.spanned(board, wanted, from.max(self.now + 1)).unwrap_or(NEVER)
        };
        self.planned.entry(wanted.shape).or_default().push((*wanted, at));
        if at > self.last {
            return None;
        }
        let table = &self.tables[&wanted.shape];
        let firsts = std::iter::once(0).chain(table.ends.iter().copied());
        let rooms = table.nodes.iter().zip(firsts.zip(&table.ends)).filter_map(|(&node, (first, &end))| {
            let known = table.steps[first..end].iter().take_while(|step| step.0 <= at);
            let usable =
                |_: &&(i64, u32)| (at > self.now || board.is_open(node)) && self.admits(node, wanted, at);
            known.last().filter(usable).map(|step| (node, step.1))
        });
        let left = |node| if at == self.now { *board.left(node) } else { board.left_at(node, at) };
        let parts = board.choose(&request, wanted.count, self.fit, rooms, left);
        Some((at, parts.expect("as much room as was counted")))
    }

    /// Reserves these nodes for a job from this time on.
    pub fn keep(&mut self, wanted: &Wanted, at: i64, parts: &[Part]) {
        for part in parts {
            self.reserve(part.node, at, at.saturating_add(wanted.length), false);
        }
    }

    /// Whether no reservation keeps a job off a node from this time on.
    fn admits(&self, node: u32, wanted: &Wanted, at: i64) -> bool {
        self.reserved[node as usize].iter().all(|reserved| {
            let length = if reserved.outage { wanted.limit } else { wanted.length };
            let over = reserved.end <= at;
            over || if at == self.now { at + length < reserved.begin } else { at + length <= reserved.begin }
        })
    }

    fn fits_now(&mut self, board: &Board, wanted: &Wanted) -> bool {
        Plan::table(&mut self.tables, board, &self.lost, wanted.shape, self.now);
        let table = &self.tables[&wanted.shape];
        let mut missing = u64::from(wanted.count);
        let mut first = 0;
        for (&node, &end) in table.nodes.iter().zip(&table.ends) {
            let (at, room) = table.steps[first];
            first = end;
            if at <= self.now && board.is_open(node) && self.admits(node, wanted, self.now) {
                missing = missing.saturating_sub(u64::from(room));
                if missing == 0 {
                    return true;
                }
            }
        }
        false
    }

    /// The time for which a job is planned that has no room before `from`: that of the last end within the span in
    /// which it first has room.
    fn spanned(&mut self, board: &Board, wanted: &Wanted, from: i64) -> Option<i64> {
        let at = self.later(board, wanted, from)?;
        let (span, linear) = self.spans;
        if span <= 0 {
            return Some(at);
        }
        let (lost, now) = (&self.lost, self.now);
        let ends = self.ends.entry(wanted.shape).or_insert_with(|| {
            let nodes = board.shape(wanted.shape).nodes.iter().filter(|&&node| !lost[node as usize]);
            let mut ends: Vec<i64> =
                nodes.flat_map(|&node| board.timeline(node, now).skip(1).map(|(end, _)| end)).collect();
            ends.sort_unstable();
            ends.dedup();
            ends
        });
        // A job that waits for a reservation's end has no span.
        let Some(&first) = ends.first().filter(|_| ends.binary_search(&at).is_ok()) else { return Some(at) };
        let begin = first + span - first.rem_euclid(span);
        let mut width = span;
        while at > begin + width {
            width = if linear > 0 { width + linear } else { 2 * width };
        }
        let within = ends.partition_point(|&end| end <= begin + width);
        let last = within.checked_sub(1).and_then(|place| ends.get(place)).copied().unwrap_or(at);
        if last <= at { Some(at) } else { self.later(board, wanted, last) }
    }

    /// The first time from `from` on, later than now, at which a job has room.
    fn later(&mut self, board: &Board, wanted: &Wanted, from: i64) -> Option<i64> {
        Plan::table(&mut self.tables, board, &self.lost, wanted.shape, self.now);
        let table = &self.tables[&wanted.shape];
        let most = i64::from(wanted.count);
        // The room at `from`, and the changes after it.
        let mut sum = 0;
        let mut events: Events = Vec::new();
        let mut first = 0;
        let mut barred: Vec<(i64, i64)> = Vec::new();
        for (&node, &end) in table.nodes.iter().zip(&table.ends) {
            let steps = &table.steps[first..end];
            first = end;
            barred.clear();
            barred.extend(self.reserved[node as usize].iter().map(|reserved| {
                let length = if reserved.outage { wanted.limit } else { wanted.length };
                (reserved.begin - length + 1, reserved.end)
            }));
            // With outages among them they may be out of order.
            barred.sort_unstable();
            let mut begin = from;
            for &(bar, end) in &barred {
                window(steps, (begin, bar), most, from, self.last, &mut sum, &mut events);
                begin = begin.max(end);
            }
            window(steps, (begin, NEVER), most, from, self.last, &mut sum, &mut events);
        }
        if sum >= most {
            return Some(from);
        }
        events.sort_unstable_by_key(|event| event.0);
        let mut events = events.into_iter().peekable();
        while let Some((at, change)) = events.next() {
            sum += change;
            if sum >= most && events.peek().is_none_or(|next| next.0 > at) {
                return Some(at);
            }
        }
        None
    }
}

/// Adds a node's room for starts from `begin` up to before `end`: what is there at `from` to the sum, the rest to the
/// changes up to `last`.
fn window(
    steps: &[(i64, u32)],
    (begin, end): (i64, i64),
    most: i64,
    from: i64,
    last: i64,
    sum: &mut i64,
    events: &mut Events,
) {
    if begin >= end || begin > last {
        return;
    }
    let mut had = 0;
    for &(at, room) in steps {
        let (at, room) = (at.max(begin), i64::from(room).min(most));
        if at >= end || at > last {
            break;
        }
        if at <= from {
            *sum += room - had;
        } else {
            events.push((at, room - had));
        }
        had = room;
    }
    if had > 0 && end <= last {
        events.push((end, -had));
    }
}
