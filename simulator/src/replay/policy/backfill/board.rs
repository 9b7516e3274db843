//! The nodes as the policy sees them: free amounts now, and the jobs that will release more.

use super::choose::{Room, choose};
use crate::trace::nodes::Machine;
use crate::trace::site::NodePlace;
use crate::trace::workload::JobId;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use surefill::nodes::{Amounts, Fit, MAX_RESOURCES, Part, Request, Spread};

/// Tasks of a running job on a node.
#[derive(Debug, Clone, Copy)]
struct Hold {
    /// The expected end of the job.
    end: i64,
    job: JobId,
    /// Amounts that it holds there.
    amounts: Amounts,
    /// Whether it has the node alone.
    alone: bool,
}

/// A running job.
#[derive(Debug)]
struct Run {
    parts: Vec<Part>,
    end: i64,
}

/// A node's free amounts and jobs.
#[derive(Debug, Clone, Copy)]
pub struct Left {
    /// Free amounts, kind by kind.
    pub free: Amounts,
    jobs: u32,
    /// Whether a job has it alone.
    alone: bool,
}

impl Left {
    /// Number of tasks of a request that find room, whatever its count.
    pub fn room(&self, request: &Request) -> u32 {
        if self.alone || (self.jobs > 0 && request.exclusive) {
            return 0;
        }
        let mut needs = request.each.iter().zip(&self.free).filter(|(need, _)| **need > 0);
        match request.spread {
            Spread::Nodes => u32::from(needs.all(|(need, free)| need <= free)),
            Spread::Tasks => needs.map(|(need, free)| free / need).min().unwrap_or(u32::MAX),
        }
    }

    /// The same with fractions, and beyond the one task that a node takes of some requests.
    fn wide(&self, request: &Request) -> f64 {
        let needs = request.each.iter().zip(&self.free).filter(|(need, _)| **need > 0);
        let all = needs.map(|(need, free)| f64::from(*free) / f64::from(*need)).fold(f64::INFINITY, f64::min);
        if request.spread == Spread::Tasks { all.floor() } else { all }
    }

    fn release(&mut self, hold: &Hold) {
        self.free.iter_mut().zip(hold.amounts).for_each(|(free, amount)| *free += amount);
        self.jobs -= 1;
        self.alone &= !hold.alone;
    }

    fn take(&mut self, hold: &Hold) {
        self.free.iter_mut().zip(hold.amounts).for_each(|(free, amount)| *free -= amount);
        self.jobs += 1;
        self.alone |= hold.alone;
    }
}

/// Requests that differ in their counts alone.
#[derive(Debug)]
pub struct Shape {
    /// One of them, with the features of the partition too.
    pub request: Request,
    /// The nodes that have all its features, in order.
    pub nodes: Rc<[u32]>,
}

/// The nodes.
#[derive(Debug)]
pub struct Board {
    capacity: Vec<Amounts>,
    features: Vec<u64>,
    left: Vec<Left>,
    open: Vec<bool>,
    listed: Vec<NodePlace>,
    /// The jobs on each node, in the order of their expected ends.
    holds: Vec<Vec<Hold>>,
    running: BTreeMap<JobId, Run>,
    shapes: Vec<Shape>,
    /// Place of each shape by its request with count 0.
    places: HashMap<(u64, Amounts, u32, bool), usize>,
    admitted: HashMap<u64, Rc<[u32]>>,
}

impl Board {
    /// The empty machine.
    pub fn new(machine: &Machine, places: &[NodePlace]) -> Board {
        let each = |class: &crate::trace::nodes::NodeClass| {
            std::iter::repeat_n((class.amounts, class.features), class.count as usize)
        };
        let (capacity, features): (Vec<Amounts>, Vec<u64>) = machine.classes.iter().flat_map(each).unzip();
        let left = capacity.iter().map(|&free| Left { free, jobs: 0, alone: false }).collect();
        Board {
            open: vec![true; capacity.len()],
            listed: match places {
                [] => (0..capacity.len() as u32).map(|place| NodePlace { weight: 0.0, place }).collect(),
                places => places.to_vec(),
            },
            holds: vec![Vec::new(); capacity.len()],
            capacity,
            features,
            left,
            running: BTreeMap::new(),
            shapes: Vec::new(),
            places: HashMap::new(),
            admitted: HashMap::new(),
        }
    }

    /// Number of nodes.
    pub fn count(&self) -> usize {
        self.left.len()
    }

    /// The nodes that have these features, in order.
    pub fn admitted(&mut self, features: u64) -> Rc<[u32]> {
        let own = &self.features;
        let all =
            || (0..).zip(own).filter(|(_, own)| *own & features == features).map(|(node, _)| node).collect();
        Rc::clone(self.admitted.entry(features).or_insert_with(all))
    }

    /// The place of a request's shape, with these features beside its own.
    pub fn shape_of(&mut self, request: &Request, features: u64) -> usize {
        let features = request.features | features;
        let key = (features, request.each, request.spread as u32, request.exclusive);
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        let nodes = self.admitted(features);
        self.shapes.push(Shape { request: Request { features, ..*request }, nodes });
        self.places.insert(key, self.shapes.len() - 1);
        self.shapes.len() - 1
    }

    /// A shape by its place.
    pub fn shape(&self, place: usize) -> &Shape {
        &self.shapes[place]
    }

    /// Closes or opens a node.
    pub fn set_open(&mut self, node: u32, open: bool) {
        self.open[node as usize] = open;
    }

    /// Whether jobs may start on a node.
    pub fn is_open(&self, node: u32) -> bool {
        self.open[node as usize]
    }

    /// A node now.
    pub fn left(&self, node: u32) -> &Left {
        &self.left[node as usize]
    }

    /// Number of tasks of a shape that find room now on open nodes.
    pub fn rooms(&self, shape: &Shape) -> u64 {
        let open = shape.nodes.iter().filter(|&&node| self.is_open(node));
        open.map(|&node| u64::from(self.left(node).room(&shape.request))).sum()
    }

    /// A node with the times from which on it has more: first with the time `now`, then with the end of each of its
    /// jobs.
    pub fn timeline(&self, node: u32, now: i64) -> impl Iterator<Item = (i64, Left)> {
        let mut left = self.left[node as usize];
        let ends = self.holds[node as usize].iter().map(move |hold| {
            left.release(hold);
            (hold.end, left)
        });
        std::iter::once((now, self.left[node as usize])).chain(ends)
    }

    /// A node at a later time.
    pub fn left_at(&self, node: u32, at: i64) -> Left {
        let known = self.timeline(node, i64::MIN).take_while(|(end, _)| *end <= at);
        known.last().map_or(self.left[node as usize], |(_, left)| left)
    }

    /// Chooses nodes for a number of tasks of a request among these, which have this room, in order; `left` is the
    /// state of one of them. Without a way of its own it is that of `select/cons_tres` ([`choose`]).
    pub fn choose(
        &self,
        request: &Request,
        count: u32,
        fit: Option<Fit>,
        rooms: impl Iterator<Item = (u32, u32)>,
        left: impl Fn(u32) -> Left,
    ) -> Option<Vec<Part>> {
        let mut rooms = rooms.filter(|node| node.1 > 0);
        let Some(fit) = fit else {
            let room = |(node, tasks)| Room { node, tasks, wide: left(node).wide(request) };
            return choose(request, count, &rooms.map(room).collect::<Vec<_>>(), &self.listed);
        };
        let mut missing = count;
        let mut parts = Vec::new();
        let mut put = |node: u32, room: u32| {
            let tasks = room.min(missing);
            missing -= tasks;
            parts.push(Part { node, tasks });
            missing == 0
        };
        let done = if fit == Fit::First {
            rooms.any(|(node, room)| put(node, room))
        } else {
            let ranked = rooms.map(|(node, room)| (self.share_left(request, node, &left(node)), node, room));
            let mut ranked: Vec<(f64, u32, u32)> = ranked.collect();
            ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            ranked.into_iter().any(|(_, node, room)| put(node, room))
        };
        parts.sort_unstable();
        done.then_some(parts)
    }

    /// Free share of a node's capacity after one task, added up over the kinds of resource.
    fn share_left(&self, request: &Request, node: u32, left: &Left) -> f64 {
        let capacity = &self.capacity[node as usize];
        let share = |kind: usize| match capacity[kind] {
            0 => 0.0,
            all => f64::from(left.free[kind] - request.each[kind]) * (1.0 / f64::from(all)),
        };
        (0..MAX_RESOURCES).map(share).sum()
    }

    /// Starts a job that is expected to end at this time.
    pub fn start(&mut self, job: JobId, request: &Request, parts: Vec<Part>, end: i64) {
        for part in &parts {
            let amounts = request.each.map(|each| each * part.tasks);
            let hold = Hold { end, job, amounts, alone: request.exclusive };
            self.left[part.node as usize].take(&hold);
            let holds = &mut self.holds[part.node as usize];
            let place = holds.partition_point(|hold| hold.end <= end);
            holds.insert(place, hold);
        }
        self.running.insert(job, Run { parts, end });
    }

    /// Ends a job.
    pub fn end(&mut self, job: JobId) {
        let Some(run) = self.running.remove(&job) else { return };
        for part in &run.parts {
            let holds = &mut self.holds[part.node as usize];
            let place = holds.iter().position(|hold| hold.job == job).expect("a job on its nodes");
            let hold = holds.remove(place);
            self.left[part.node as usize].release(&hold);
        }
    }

    /// Expects other ends of the jobs that are past theirs.
    pub fn renew(&mut self, now: i64, expected: impl Fn(JobId) -> i64) {
        for (&job, run) in self.running.iter_mut().filter(|(_, run)| run.end <= now) {
            run.end = expected(job);
            for part in &run.parts {
                let holds = &mut self.holds[part.node as usize];
                holds.iter_mut().filter(|hold| hold.job == job).for_each(|hold| hold.end = run.end);
                holds.sort_by_key(|hold| hold.end);
            }
        }
    }
}
