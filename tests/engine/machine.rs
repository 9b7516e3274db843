//! A stand-in for a resource manager: a machine with pools of units, a queue, and jobs that are drawn, with true run
//! times. It does not use the engine; its state is reported to one, as events or as listings.

use crate::splitmix::splitmix;
use surefill::engine::{JobReport, JobState, Why};
use surefill::runtime::RuntimeDistribution;

/// Time at which histories begin.
pub const ORIGIN: i64 = 1_000_000;

/// Numbers drawn from some bytes, and from a generator once these are used up.
#[derive(Clone)]
pub struct Random {
    state: u64,
    /// The next one is the last.
    bytes: Vec<u8>,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed, bytes: Vec::new() }
    }

    /// The bytes are what a fuzzer changes, whose targets alone use it.
    #[allow(dead_code)]
    pub fn of_bytes(bytes: &[u8]) -> Random {
        Random { state: bytes.len() as u64, bytes: bytes.iter().rev().copied().collect() }
    }

    pub fn next(&mut self) -> u64 {
        splitmix(&mut self.state)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        match self.bytes.pop() {
            Some(byte) if n <= 256 => u64::from(byte) % n,
            _ => self.next() % n,
        }
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    /// Every octave up to that of 2^`octaves` is as likely.
    pub fn spread(&mut self, octaves: u64) -> i64 {
        let octave = 1 << self.below(octaves);
        (octave + self.below(octave)) as i64
    }

    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[derive(Clone, Debug)]
pub struct Job {
    pub id: i64,
    pub user: i64,
    pub submit: i64,
    pub begin: i64,
    pub limit: i64,
    pub count: u32,
    pub tier: i32,
    pub priority: f64,
    pub queue: u32,
    pub state: JobState,
    pub why: Why,
    pub restarts: u32,
    /// Its true run time, and its predicted one.
    pub run_time: i64,
    pub predicted: i64,
    pub prediction: Option<RuntimeDistribution>,
    pub holds_nothing: bool,
    pub start: i64,
    pub stopped: i64,
    pub stopped_since: i64,
    pub not_waited: i64,
    pub held_since: Option<i64>,
    /// Time since which it is over.
    pub over: i64,
    /// The wait that its priority was worth, which the oracles keep.
    pub credit: i64,
}

impl Job {
    pub fn age(&self, now: i64) -> i64 {
        let until = if self.state == JobState::Suspended { self.stopped_since } else { now };
        until - self.start - self.stopped
    }

    pub fn holds(&self) -> u32 {
        let nothing = self.state == JobState::Suspended && self.holds_nothing;
        if self.state.has_room() && !nothing { self.count } else { 0 }
    }

    pub fn waited(&self, now: i64) -> i64 {
        let held = self.held_since.map_or(0, |since| now - since);
        (now - self.submit.max(self.begin) - self.not_waited - held).max(0)
    }

    pub fn is_over(&self) -> bool {
        matches!(self.state, JobState::Ended | JobState::Broken | JobState::Gone)
    }

    /// The manager's report of it now.
    pub fn report<'a>(&'a self, queue: &'a [u32; 1], now: i64) -> JobReport<'a> {
        let ran = if self.state == JobState::Ended { self.age(self.over.min(now)) } else { 0 };
        JobReport {
            id: self.id,
            state: self.state,
            user: self.user,
            submit: self.submit,
            begin: self.begin,
            start: if self.state.has_room() || self.state == JobState::Ended { self.start } else { 0 },
            limit: self.limit,
            ran,
            priority: self.priority,
            tier: self.tier,
            count: self.count,
            restarts: self.restarts,
            why: self.why,
            holds_nothing: self.holds_nothing,
            queues: queue,
            prediction: self.prediction.as_ref(),
            ..JobReport::default()
        }
    }

    fn hold(&mut self, why: Option<Why>, now: i64) {
        let stops = matches!(why, Some(Why::Hold | Why::Dependency | Why::Begin));
        match self.held_since {
            Some(since) if !stops => {
                (self.not_waited, self.held_since) = (self.not_waited + now - since, None)
            }
            None if stops => self.held_since = Some(now),
            _ => {}
        }
        self.state = if why.is_some() { JobState::Held } else { JobState::Waiting };
        self.why = why.unwrap_or_default();
    }
}

/// Kinds of events in a history.
#[derive(Clone, Copy)]
pub struct Kinds {
    pub predicted_by_caller: bool,
    pub holds: bool,
    pub edits: bool,
    pub failures: bool,
    pub suspensions: bool,
    pub adopted: bool,
    pub pools: bool,
    pub tiers: i32,
    pub priorities: u64,
    /// Whether true run times keep to the limits.
    pub within_limits: bool,
}

#[derive(Clone)]
pub struct Machine {
    pub random: Random,
    pub kinds: Kinds,
    pub now: i64,
    pub units: Vec<u32>,
    /// Units that no job of the listing has.
    pub strangers: Vec<u32>,
    /// The pool of each queue.
    pub queues: Vec<u32>,
    pub jobs: Vec<Job>,
    /// The jobs that have changed in this second, each with its phase.
    pub touched: Vec<(u32, i64)>,
    pub next_id: i64,
    burst: u64,
    octaves: u64,
    most: usize,
}

impl Machine {
    pub fn new(seed: u64, kinds: Kinds) -> Machine {
        let mut random = Random::new(seed);
        let pools = if kinds.pools { 2 } else { 1 };
        let units: Vec<u32> = (0..pools).map(|_| 1 + random.below(40) as u32).collect();
        Machine {
            kinds,
            now: ORIGIN,
            strangers: vec![0; pools],
            units,
            queues: if kinds.pools { vec![0, 1, 1] } else { vec![0, 0] },
            jobs: Vec::new(),
            touched: Vec::new(),
            next_id: 1,
            burst: random.of(&[1, 3, 6]),
            octaves: random.of(&[5, 9, 13]),
            most: random.of(&[8, 20, 40]),
            random,
        }
    }

    pub fn pool(&self, job: &Job) -> u32 {
        self.queues[job.queue as usize]
    }

    pub fn job(&mut self, id: i64) -> &mut Job {
        self.jobs.iter_mut().find(|job| job.id == id && !job.is_over()).unwrap()
    }

    pub fn held(&self, pool: u32) -> u32 {
        self.jobs.iter().filter(|job| self.pool(job) == pool).map(Job::holds).sum()
    }

    /// Idle units.
    pub fn idle(&self, pool: u32) -> u32 {
        let free = self.units[pool as usize].saturating_sub(self.held(pool));
        free.saturating_sub(self.strangers[pool as usize])
    }

    fn draw(&mut self) -> Job {
        let random = &mut self.random;
        let most = self.units.iter().max().unwrap() + 2;
        let wide = random.one_in(4);
        let limit = random.spread(self.octaves + 1);
        let run_time = match random.below(4) {
            0 => limit,
            1 if !self.kinds.within_limits => limit + random.spread(5),
            _ => (limit * random.below(100) as i64 / 100).max(1),
        };
        let predicted = random.of(&[run_time, limit, 1, 2 * run_time, random_of(run_time)]);
        let single = RuntimeDistribution::single(predicted).unwrap();
        let prediction = self.kinds.predicted_by_caller.then_some(single);
        let id = self.next_id;
        self.next_id += 1;
        Job {
            id,
            user: 1 + random.below(4) as i64,
            submit: self.now,
            begin: if self.kinds.holds && random.one_in(8) { self.now + random.spread(8) } else { 0 },
            limit: if random.one_in(20) && !self.kinds.within_limits { 0 } else { limit },
            count: 1 + random.below(if wide { u64::from(most) } else { u64::from(most / 4 + 1) }) as u32,
            tier: random.below(self.kinds.tiers as u64 + 1) as i32 - 1,
            priority: random.below(self.kinds.priorities + 1) as f64 * 0.5,
            queue: random.below(self.queues.len() as u64) as u32,
            state: JobState::Waiting,
            why: Why::Unknown,
            restarts: 0,
            run_time,
            predicted,
            prediction,
            holds_nothing: random.one_in(2),
            start: 0,
            stopped: 0,
            stopped_since: 0,
            not_waited: 0,
            held_since: None,
            over: 0,
            credit: 0,
        }
    }

    fn touch(&mut self, phase: u32, id: i64) {
        self.touched.retain(|&(_, other)| other != id);
        self.touched.push((phase, id));
    }

    /// Advances to the next second in which something happens, and lets it happen.
    pub fn step(&mut self) {
        self.touched.clear();
        let ends = self.jobs.iter().filter(|job| job.state == JobState::Running);
        let next = ends.map(|job| job.start + job.stopped + job.run_time).min();
        let drawn = self.now + self.random.spread(self.octaves.min(8));
        self.now = next.map_or(drawn, |next| next.max(self.now + 1).min(drawn));
        let now = self.now;
        self.jobs.retain(|job| !job.is_over() || job.over + 100 > now);
        let mut ended = Vec::new();
        for job in &mut self.jobs {
            if job.state == JobState::Running && job.age(now) >= job.run_time {
                (job.state, job.over) = (JobState::Ended, now);
                ended.push(job.id);
            }
        }
        ended.into_iter().for_each(|id| self.touch(0, id));
        if self.jobs.iter().filter(|job| !job.is_over()).count() < self.most {
            for _ in 0..self.random.below(self.burst + 1) {
                let mut job = self.draw();
                let id = job.id;
                if self.kinds.adopted && self.random.one_in(12) && job.count <= self.idle(self.pool(&job)) {
                    (job.state, job.start, job.begin) = (JobState::Running, now, 0);
                    self.jobs.push(job);
                    self.touch(2, id);
                } else {
                    self.jobs.push(job);
                    self.touch(1, id);
                }
            }
        }
        for place in 0..self.jobs.len() {
            if self.random.one_in(6) && !self.touched.iter().any(|one| one.1 == self.jobs[place].id) {
                self.change(place);
            }
        }
        self.change_pools();
        self.touched.sort();
    }

    /// Changes the state of a job.
    fn change(&mut self, place: usize) {
        let (now, kinds, what) = (self.now, self.kinds, self.random.below(9));
        let free = self.idle(self.pool(&self.jobs[place]));
        let why = self.random.of(&[Why::Hold, Why::Dependency, Why::Limit, Why::Other]);
        let (limit, priority) = (self.random.spread(self.octaves), self.random.below(kinds.priorities + 1));
        let queue = self.random.below(self.queues.len() as u64) as u32;
        let tier = self.random.below(kinds.tiers as u64 + 1) as i32 - 1;
        let job = &mut self.jobs[place];
        let mut phase = 1;
        match job.state {
            JobState::Waiting if what == 0 && kinds.holds => job.hold(Some(why), now),
            JobState::Held if what < 4 => job.hold(None, now),
            JobState::Held if what == 5 => job.hold(Some(why), now),
            JobState::Waiting | JobState::Held if what == 6 && kinds.failures => {
                (job.state, job.over) = (JobState::Gone, now);
                phase = 0;
            }
            JobState::Waiting if what == 7 && kinds.edits => {
                (job.tier, job.priority) = (tier, priority as f64)
            }
            JobState::Waiting if what == 8 && kinds.edits => (job.limit, job.queue) = (limit, queue),
            JobState::Waiting if what == 1 && kinds.edits => job.count = 1 + job.count / 2,
            JobState::Running if what == 2 && kinds.failures && now > job.start => {
                (job.state, job.over) = (JobState::Broken, now);
                phase = 0;
            }
            JobState::Running if what == 3 && kinds.failures && now > job.start => {
                job.not_waited += now - job.start;
                (job.restarts, job.start, job.stopped) = (job.restarts + 1, 0, 0);
                job.hold(None, now);
            }
            JobState::Running if what == 4 && kinds.suspensions => {
                (job.state, job.stopped_since) = (JobState::Suspended, now);
            }
            JobState::Suspended if what < 5 && (job.holds() > 0 || job.count <= free) => {
                job.stopped += now - job.stopped_since;
                job.state = JobState::Running;
            }
            _ => return,
        }
        let id = job.id;
        self.touch(phase, id);
    }

    fn change_pools(&mut self) {
        if !self.kinds.pools {
            return;
        }
        for pool in 0..self.units.len() {
            if self.random.one_in(15) {
                self.units[pool] = 1 + self.random.below(40) as u32;
            }
            // Strangers that become known jobs in the same second have made room or not, depending on the order of
            // reports.
            let adopts = self.touched.iter().any(|one| one.0 == 2);
            if self.random.one_in(10) && !adopts {
                self.strangers[pool] = self.random.below(5) as u32;
            }
        }
        if self.random.one_in(40) {
            // A queue moves to another pool, and its jobs with it.
            let (queue, pool) = (2, self.random.below(2) as u32);
            if self.queues[queue] != pool {
                self.queues[queue] = pool;
                let moved: Vec<i64> =
                    self.jobs.iter().filter(|job| job.queue == 2).map(|job| job.id).collect();
                for id in moved {
                    if !self.touched.iter().any(|one| one.1 == id) {
                        self.touch(1, id);
                    }
                }
            }
        }
    }

    /// Starts a job.
    pub fn start(&mut self, id: i64) {
        let now = self.now;
        let job = self.job(id);
        assert_eq!(job.state, JobState::Waiting, "job {id}");
        (job.state, job.start, job.stopped) = (JobState::Running, now, 0);
    }
}

/// Another number of the same size.
fn random_of(number: i64) -> i64 {
    (number ^ 5).max(1)
}
