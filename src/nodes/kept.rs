//! Scenarios kept from one look at candidates to the next, and over commits.
//!
//! A scenario played once leaves the draws, and at the head job's start its rooms and the machine's own resources. Each
//! node is then as it is now without the jobs that have ended. So later candidates are looked at on their own nodes
//! alone, and on the whole machine only where one keeps the head job waiting for a time that the criterion counts.
//!
//! A candidate that is committed runs with the draws of its own. Where it ends by the head's start, or the head fits
//! beside it then, the head starts as before, on a machine with it; else at a later instant. The first instants that
//! were played are kept as well; only where they end too soon is a scenario played again.

use crate::error::{Error, Result};
use crate::heap;
use crate::memory::{at, at_mut, range, range_mut};
use crate::nodes::machine::{Job, NONE, Nodes};
use crate::nodes::pass::{INSTANTS, Instant, KEPT, Kept, NodePass, Slices, Window};
use crate::nodes::play::{Scene, Times};
use crate::nodes::request::Part;
use crate::nodes::state::{End, Running};

/// Scenarios by which nodes are chosen for candidates that are to disturb the head job little: a bit for each.
pub(super) const SURVEY: u32 = u32::BITS;

impl Nodes<'_> {
    /// The parts of a job; those that a damaged block has.
    fn parts_of(&self, job: &Job) -> impl Iterator<Item = Part> {
        let mut place = job.first;
        (0..job.parts).map_while(move |_| {
            let link = at(self.slices.links, place as usize).ok()?;
            place = link.next;
            Some(link.part)
        })
    }
}

impl NodePass<'_> {
    pub(super) fn window(&self) -> Result<&Window> {
        at(self.slices.window, 0)
    }

    pub(super) fn window_mut(&mut self) -> Result<&mut Window> {
        at_mut(self.slices.window, 0)
    }

    /// Keeps the draw of a running job: the number of its tail.
    pub(super) fn keep_draw(&mut self, scenario: u32, job: usize, tail: usize) -> Result<()> {
        if (scenario as usize) < KEPT {
            let row = scenario as usize * (self.slices.drawn.len() / KEPT);
            *at_mut(self.slices.drawn, row + job)? = tail as u16;
        }
        Ok(())
    }

    /// The end of a running job in a kept scenario.
    fn end_in(&self, scenario: u32, job: usize) -> Result<i64> {
        let row = scenario as usize * (self.slices.drawn.len() / KEPT);
        let tail = usize::from(*at(self.slices.drawn, row + job)?);
        Ok(at(self.slices.tails, at(self.slices.running, job)?.slot as usize + tail)?.after)
    }

    /// Plays a scenario of draws until the head job fits, and keeps it.
    pub(super) fn play_and_keep(&mut self, nodes: &Nodes, scenario: u32) -> Result<Scene> {
        let scene = self.play(nodes, Times::Drawn(scenario))?.ok_or(Error::Corrupt)?;
        if scenario as usize >= KEPT || scenario > self.window()?.known {
            return Ok(scene);
        }
        let Scene { time, total, pool, .. } = scene;
        *at_mut(self.slices.kept, scenario as usize)? = Kept { time, total, pool, instants: 0 };
        let window = self.window_mut()?;
        window.known = window.known.max(scenario + 1);
        Ok(scene)
    }

    /// Notes the jobs that hold something on the nodes of the window's candidates.
    pub(super) fn note_neighbours(&mut self, nodes: &Nodes) -> Result<()> {
        self.on_window(|slices, node| {
            *at_mut(slices.pieces_on, node)? = 0;
            Ok(())
        })?;
        let mut count = 0;
        for job in 0..self.state.running as usize {
            let known = nodes.job(at(self.slices.running, job)?.handle)?;
            let pieces_on = &*self.slices.pieces_on;
            let near = |part: Part| pieces_on.get(part.node as usize).is_some_and(|mark| *mark == 0);
            if nodes.parts_of(known).any(near) {
                *at_mut(self.slices.neighbours, count)? = job as u32;
                count += 1;
            }
        }
        self.window_mut()?.neighbours = count as u32;
        self.on_window(|slices, node| {
            *at_mut(slices.pieces_on, node)? = NONE;
            Ok(())
        })
    }

    /// Calls a function for each node of the window's candidates, for some more than once.
    fn on_window(&mut self, mut call: impl FnMut(&mut Slices, usize) -> Result<()>) -> Result<()> {
        let Window { from, until, .. } = *self.window()?;
        for candidate in from..until {
            let row = at(self.slices.candidates, candidate as usize)?;
            for piece in row.slot as usize..row.slot as usize + row.parts as usize {
                let node = at(self.slices.pieces, piece)?.part.node as usize;
                call(&mut self.slices, node)?;
            }
        }
        Ok(())
    }

    /// The machine at the head's start in a kept scenario, with the later ends: all of it, or the nodes of the window's
    /// candidates alone; `None` where the scenario is not kept.
    pub(super) fn kept(&mut self, nodes: &Nodes, scenario: u32, whole: bool) -> Result<Option<Scene>> {
        let Window { known, neighbours, .. } = *self.window()?;
        let kept = self.slices.kept.get(scenario as usize).filter(|kept| scenario < known && kept.time >= 0);
        let Some(&Kept { time, total, pool, .. }) = kept else { return Ok(None) };
        let stride = nodes.capacity().resources as usize;
        let mut work = 1;
        if whole {
            self.clear(nodes)?;
            work += u64::from(nodes.count()) / 8;
        } else {
            self.on_window(|slices, node| {
                let from = range(nodes.slices.free, node * stride, stride)?;
                let free = range_mut(slices.free, node * stride, stride)?;
                free.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                *at_mut(slices.on, node)? = at(nodes.slices.nodes, node)?.jobs;
                *at_mut(slices.rooms, node)? = *at(slices.rooms_now, node)?;
                Ok(())
            })?;
        }
        let mut running = 0;
        for place in 0..if whole { self.state.running } else { neighbours } as usize {
            let job = if whole { place } else { *at(self.slices.neighbours, place)? as usize };
            let ends = self.end_in(scenario, job)?;
            if ends <= time {
                let known = nodes.job(at(self.slices.running, job)?.handle)?;
                nodes.parts_of(known).try_for_each(|part| self.slices.give(&known.request, part, stride))?;
                work += 1 + u64::from(known.parts);
            } else {
                *at_mut(self.slices.ends, running)? = End { time: ends, job: job as u64 };
                running += 1;
            }
        }
        heap::build(range_mut(self.slices.ends, 0, running)?)?;
        Ok(Some(Scene { total, pool, running, time, work }))
    }

    /// Keeps an instant after the head's start, the number `step` of its scenario.
    pub(super) fn keep_instant(&mut self, scenario: u32, step: usize, scene: &Scene) -> Result<()> {
        if step < INSTANTS && scenario < self.window()?.known {
            let row = scenario as usize * INSTANTS;
            let Scene { time, total, .. } = *scene;
            *at_mut(self.slices.instants, row + step)? = Instant { time, total };
            let kept = at_mut(self.slices.kept, scenario as usize)?;
            kept.instants = kept.instants.max(step as u64 + 1);
        }
        Ok(())
    }

    /// Goes on to a kept instant on the nodes of the window's candidates.
    fn advance(&mut self, nodes: &Nodes, scene: &mut Scene, instant: Instant) -> Result<()> {
        let stride = nodes.capacity().resources as usize;
        while let Some(end) = range(self.slices.ends, 0, scene.running)?.first().copied() {
            if end.time > instant.time {
                break;
            }
            heap::pop(range_mut(self.slices.ends, 0, scene.running)?)?;
            scene.running = scene.running.saturating_sub(1);
            let known = nodes.job(at(self.slices.running, end.job as usize)?.handle)?;
            nodes.parts_of(known).try_for_each(|part| self.slices.give(&known.request, part, stride))?;
            scene.work += 1 + u64::from(known.parts);
        }
        (scene.time, scene.total) = (instant.time, instant.total);
        Ok(())
    }

    /// Number of instants kept of a scenario, none where the head needs the machine's own resources.
    fn instants(&self, scenario: u32) -> Result<usize> {
        let counted = self.state.head.pool.iter().all(|amount| *amount == 0);
        Ok(if counted { at(self.slices.kept, scenario as usize)?.instants as usize } else { 0 })
    }

    /// Goes on from the head's start by the kept instants; returns the number of candidates that are blocked after the
    /// last of them.
    pub(super) fn play_on_kept(
        &mut self,
        nodes: &Nodes,
        scene: &mut Scene,
        scenario: u32,
        mut blocked: usize,
    ) -> Result<usize> {
        let start = scene.time;
        for step in 0..self.instants(scenario)? {
            let instant = *at(self.slices.instants, scenario as usize * INSTANTS + step)?;
            self.advance(nodes, scene, instant)?;
            for place in 0..blocked {
                let candidate = *at(self.slices.blocked, place)? as usize;
                self.lose(nodes, scene, candidate)?;
            }
            blocked = self.release(scene, start, true, blocked)?;
            if blocked == 0 {
                break;
            }
        }
        Ok(blocked)
    }

    /// Carries the kept scenarios over the commit of a candidate of the window, which is to run in this row; the
    /// machine is without it yet. Where it keeps the head waiting, the head starts at a later instant that is kept, or
    /// at the candidate's end, or the scenario must be played again.
    pub(super) fn carry(
        &mut self,
        nodes: &Nodes,
        candidate: usize,
        index: usize,
        own: &Running,
    ) -> Result<()> {
        let head = self.state.head;
        for scenario in 0..self.window()?.known {
            let tail = self.drawn(own, scenario)?;
            self.keep_draw(scenario, index, tail)?;
            let ends = at(self.slices.tails, own.slot as usize + tail)?.after;
            if ends <= at(self.slices.kept, scenario as usize)?.time {
                continue;
            }
            let Some(mut scene) = self.kept(nodes, scenario, false)? else { continue };
            let (count, row) = (self.instants(scenario)?, scenario as usize * INSTANTS);
            let (mut start, mut step, mut later) = (None, 0, 0);
            loop {
                self.lose(nodes, &mut scene, candidate)?;
                let taking = *at(self.slices.candidates, candidate)?;
                let with = Instant { time: scene.time, total: scene.total.saturating_sub(taking.loss) };
                if start.is_some() {
                    *at_mut(self.slices.instants, row + later)? = with;
                    later += 1;
                } else if scene.fits_beside(&head, &taking) {
                    start = Some(with);
                    self.take_at_start(scenario, candidate, step)?;
                }
                let Some(&next) = self.slices.instants.get(row + step).filter(|_| step < count) else {
                    break;
                };
                if next.time >= ends {
                    if start.is_none() {
                        let total = if next.time == ends { next.total } else { scene.total };
                        start = Some(Instant { time: ends, total });
                        step += usize::from(next.time == ends);
                        for place in step..count {
                            let instant = *at(self.slices.instants, row + place)?;
                            *at_mut(self.slices.instants, row + later)? = instant;
                            later += 1;
                        }
                    }
                    break;
                }
                step += 1;
                self.advance(nodes, &mut scene, next)?;
            }
            let kept = at_mut(self.slices.kept, scenario as usize)?;
            let moved = start.is_none_or(|start| start.time != kept.time);
            (kept.time, kept.total) = start.map_or((-1, 0), |start| (start.time, start.total));
            kept.instants = later as u64;
            if moved && scenario < SURVEY {
                self.window_mut()?.surveyed &= !(1 << scenario);
            }
        }
        Ok(())
    }

    /// Takes from a kept scenario what a candidate holds at the head's start, if that stays the same (`step` 0).
    fn take_at_start(&mut self, scenario: u32, candidate: usize, step: usize) -> Result<()> {
        if step > 0 {
            return Ok(());
        }
        let row = at(self.slices.candidates, candidate)?;
        let kept = at_mut(self.slices.kept, scenario as usize)?;
        for (free, taken) in kept.pool.iter_mut().zip(row.request.pool) {
            *free = free.saturating_sub(taken);
        }
        for piece in range(self.slices.pieces, row.slot as usize, row.parts as usize)? {
            let node = piece.part.node as usize;
            let room = *at(self.slices.rooms, node)?;
            if scenario < SURVEY && piece.loss >= room {
                *at_mut(self.slices.needs, node)? &= !(1 << scenario);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backfill::{Criterion, Rule, Step};
    use crate::nodes::{Fit, NodePassCapacity, NodePassOptions, NodesCapacity, Request, Spread};
    use crate::runtime::{RuntimeBins, RuntimeDistribution};
    use std::vec::Vec;

    struct Random(u64);

    impl Random {
        fn below(&mut self, most: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % u64::from(most)) as u32
        }
    }

    fn request(random: &mut Random) -> Request {
        Request {
            count: 1 + random.below(4),
            spread: if random.below(2) == 0 { Spread::Nodes } else { Spread::Tasks },
            each: [1 + random.below(6), random.below(2), 0, 0, 0, 0, 0, 0],
            pool: [random.below(4) / 3, 0, 0, 0, 0, 0, 0, 0],
            exclusive: random.below(6) == 0,
            ..Request::default()
        }
    }

    fn runtime(random: &mut Random) -> RuntimeDistribution {
        let bins = RuntimeBins::new(60.0, 1.8, 8).unwrap();
        let counts: Vec<f64> = (0..8).map(|_| f64::from(random.below(10)).powi(3) + 0.1).collect();
        RuntimeDistribution::from_counts(&bins, &counts).unwrap()
    }

    /// Candidates with their parts.
    type Commits = Vec<(usize, Vec<Part>)>;

    /// The commits and judgements of a pass, which may forget after each step what it has kept.
    fn decide(seed: u64, forget: bool) -> (Commits, Vec<[u64; 4]>) {
        let mut random = Random(seed);
        let limits = NodesCapacity { nodes: 16, classes: 2, resources: 2, jobs: 64, parts: 256 };
        let mut memory = std::vec![0u64; Nodes::size(&limits).unwrap().div_ceil(8)];
        let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &limits).unwrap();
        for amounts in [[8, 2, 0, 0, 0, 0, 0, 0], [6, 4, 0, 0, 0, 0, 0, 0]] {
            let class = nodes.add_class(0, &amounts).unwrap();
            nodes.add_nodes(class, 8).unwrap();
        }
        nodes.set_pool(&[8, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        let limits = NodePassCapacity {
            nodes: 16,
            resources: 2,
            running: 40,
            candidates: 24,
            parts: 256,
            bins: 8,
            events_per_bin: 3,
        };
        let mut block = std::vec![0u64; NodePass::size(&limits).unwrap().div_ceil(8)];
        let mut pass = NodePass::init(bytemuck::cast_slice_mut(&mut block), &limits).unwrap();
        let mut parts = [Part::default(); 16];
        let mut running = Vec::new();
        for _ in 0..14 {
            let request = request(&mut random);
            if let Some(count) = nodes.place(&request, Fit::First, &mut parts).unwrap() {
                running.push(nodes.allocate(&request, &parts[..count]).unwrap());
            }
        }
        let head = Request {
            count: 8 + random.below(3),
            each: [5, 1, 0, 0, 0, 0, 0, 0],
            pool: [random.below(8) / 6, 0, 0, 0, 0, 0, 0, 0],
            exclusive: random.below(4) == 0,
            ..Request::default()
        };
        let options = NodePassOptions { seed, shared: 0.5, ..NodePassOptions::default() };
        if pass.begin(&nodes, 0, 1, &head, &options).is_err() {
            return (Vec::new(), Vec::new());
        }
        for (index, handle) in running.into_iter().enumerate() {
            pass.add_running(&nodes, handle, i64::from(random.below(500)), 5000, &runtime(&mut random))
                .unwrap();
            pass.set_group(index, i64::from(random.below(3))).unwrap();
        }
        for _ in 0..24 {
            let (request, fit) =
                (request(&mut random), [Fit::First, Fit::Best, Fit::Apart][random.below(3) as usize]);
            let limit = i64::from(100 + random.below(6000));
            pass.add_candidate(&nodes, &request, fit, limit, &runtime(&mut random)).unwrap();
        }
        let (criterion, threshold) =
            [(Criterion::Probability, 0.4), (Criterion::Seconds, 300.0), (Criterion::Relative, 0.4)]
                [random.below(3) as usize];
        let rule = Rule { criterion, threshold, ..Rule::EXACT };
        let mut commits = Vec::new();
        loop {
            match pass.decide(&nodes, &rule, 1).unwrap() {
                Step::Accept(index) => {
                    let count = pass.placement(index, &mut parts).unwrap();
                    commits.push((index, parts[..count].to_vec()));
                    if random.below(5) == 0 {
                        pass.decline(index).unwrap();
                    } else {
                        pass.commit(&mut nodes, index).unwrap();
                    }
                }
                Step::More => (),
                Step::Done => break,
            }
            if forget {
                let window = pass.window_mut().unwrap();
                (window.known, window.surveyed) = (0, 0);
            }
        }
        let bits = |index| {
            let judged = pass.judgement(index).unwrap();
            let [delay, half_width] = [judged.delay, judged.half_width].map(f64::to_bits);
            [delay, half_width, u64::from(judged.scenarios), judged.verdict as u64]
        };
        (commits, (0..24).map(bits).collect())
    }

    /// A pass that keeps scenarios decides as one that plays all of them anew in each step: bit for bit, in 300 passes.
    #[test]
    fn kept_scenarios_are_those_played_anew() {
        let mut committed = 0;
        for seed in 0..300 {
            let kept = decide(seed, false);
            assert_eq!(kept, decide(seed, true), "{seed}");
            committed += kept.0.len();
        }
        assert!(committed > 1000, "{committed}");
    }
}
