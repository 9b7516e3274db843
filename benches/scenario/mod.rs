//! Scheduling passes of two sizes, the same on every machine, and the papers' algorithm beside ours.

#[path = "../../tests/common/splitmix.rs"]
mod splitmix;

use splitmix::splitmix;
use surefill::backfill::{Criterion, Pass, PassCapacity, Rule, Step};
use surefill::runtime::{MAX_BINS, Release, RuntimeBins, RuntimeDistribution};

/// A job of a scenario.
pub struct Job {
    pub processors: u32,
    pub age: i64,
    pub limit: i64,
    pub runtime: RuntimeDistribution,
}

/// One scheduling pass.
pub struct Scenario {
    pub idle: u32,
    pub head: u32,
    pub running: Vec<Job>,
    pub candidates: Vec<Job>,
    pub limits: PassCapacity,
}

/// The widest vector instructions that this was built to use; the processor may have wider ones.
pub const VECTORS: &str = if cfg!(target_feature = "avx512f") {
    "AVX-512"
} else if cfg!(target_feature = "avx2") {
    "AVX2"
} else if cfg!(target_feature = "sse2") {
    "SSE2"
} else if cfg!(target_feature = "neon") {
    "NEON"
} else {
    "none"
};

/// SplitMix64 (Steele, Lea & Flood 2014): enough for test data, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        splitmix(&mut self.0)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

impl Scenario {
    /// `running` jobs on `processors` processors, of which a sixteenth are idle; the head job wants a third;
    /// `candidates` of up to a quarter of the idle processors.
    pub fn new(
        running: usize,
        processors: u32,
        candidates: usize,
        events_per_bin: u32,
        seed: u64,
    ) -> Scenario {
        let mut random = Random(seed);
        // Fine bins, so that about 20 are left of each job although most have run for minutes or hours.
        let bins = RuntimeBins::covering(1.5, 1.3, 600_000).unwrap();
        let idle = processors / 16;
        let mut widths = vec![1u32; running];
        for _ in 0..processors - idle - running as u32 {
            // The square of a uniform index: few wide jobs, many narrow ones.
            let i = random.below(running as u64) * random.below(running as u64) / running as u64;
            widths[i as usize] += 1;
        }
        let mut job = |processors: u32, aged: bool| {
            let counts: Vec<f64> = (0..bins.count()).map(|_| 1.0 + random.below(8) as f64).collect();
            let limit = 64_800 << random.below(4);
            let age = if aged { (random.below(1 << 16) >> random.below(9)) as i64 } else { 0 };
            let runtime = RuntimeDistribution::from_counts(&bins, &counts).unwrap();
            Job { processors, age, limit, runtime }
        };
        let running = widths.into_iter().map(|w| job(w, true)).collect::<Vec<_>>();
        let widest = u64::from(idle / 4).max(1);
        let mut sizes = Random(seed + 1);
        let candidates: Vec<Job> =
            (0..candidates).map(|_| job(1 + sizes.below(widest) as u32, false)).collect();
        let limits = PassCapacity {
            running: running.len() as u32,
            candidates: candidates.len() as u32,
            processors,
            bins: MAX_BINS as u32,
            events_per_bin,
            tie_cells: PassCapacity::default().tie_cells,
        };
        Scenario { idle, head: idle + processors / 3, running, candidates, limits }
    }

    pub fn memory(&self) -> Vec<u64> {
        vec![0; Pass::size(&self.limits).unwrap().div_ceil(8)]
    }

    /// One whole pass, from `begin` to the last verdict; returns the number of candidates started.
    pub fn decide(&self, pass: &mut Pass, rule: &Rule) -> usize {
        self.fill(pass);
        let mut started = 0;
        loop {
            match pass.decide(rule, u64::MAX).unwrap() {
                Step::Accept(index) => {
                    pass.commit(index).unwrap();
                    started += 1;
                }
                Step::More => unreachable!("the work is unlimited"),
                Step::Done => return started,
            }
        }
    }

    pub fn fill(&self, pass: &mut Pass) {
        pass.begin(0, self.idle, 0, self.head).unwrap();
        for job in &self.running {
            pass.add_running(job.processors, job.age, job.limit, &job.runtime).unwrap();
        }
        for job in &self.candidates {
            pass.add_candidate(job.processors, job.limit, &job.runtime).unwrap();
        }
    }

    /// All releases of the running jobs as (time, job, probability), in time order.
    pub fn releases(&self) -> Vec<(i64, usize, f64)> {
        let mut all = vec![];
        for (index, job) in self.running.iter().enumerate() {
            all.extend(self.ends(job).into_iter().map(|(t, p)| (t, index, p)));
        }
        all.sort_by_key(|release| release.0);
        all
    }

    fn ends(&self, job: &Job) -> Vec<(i64, f64)> {
        let mut out = [Release::default(); 1024];
        let events = self.limits.events_per_bin as usize;
        let count = job.runtime.remaining(job.age, job.limit, events, &mut out).unwrap();
        out[..count].iter().map(|r| (r.after, r.probability)).collect()
    }

    /// The papers' Algorithm 2 for one candidate: a fresh dynamic program over all running jobs at every release, with
    /// both of their early exits. Returns the bound, or the sum at which the threshold was passed.
    pub fn naive(&self, candidate: usize, threshold: f64) -> f64 {
        let candidate = &self.candidates[candidate];
        let need = (self.head - self.idle) as usize;
        let both = need + candidate.processors as usize;
        let releases = self.releases();
        let mut ended = vec![0.0; self.running.len()];
        let mut at_least = vec![0.0; both + 1];
        let (mut worst, mut result, mut left, mut next) = (0.0f64, 0.0, 1.0, 0);
        for (end, probability) in self.ends(candidate) {
            while next < releases.len() && releases[next].0 < end {
                let time = releases[next].0;
                while next < releases.len() && releases[next].0 == time {
                    ended[releases[next].1] += releases[next].2;
                    next += 1;
                }
                at_least.fill(0.0);
                at_least[0] = 1.0;
                for (job, p) in self.running.iter().zip(&ended) {
                    let width = job.processors as usize;
                    for c in (1..=both).rev() {
                        let before = at_least[c.saturating_sub(width)];
                        at_least[c] += (before - at_least[c]) * p;
                    }
                }
                worst = worst.max(at_least[need] - at_least[both]);
                if result + left * worst >= threshold {
                    return result + left * worst;
                }
            }
            result += probability * worst;
            left -= probability;
        }
        result
    }
}

/// The rule of the benchmarks.
pub fn rule(criterion: Criterion) -> Rule {
    Rule { criterion, threshold: 0.05, budget: f64::INFINITY, ..Rule::EXACT }
}
