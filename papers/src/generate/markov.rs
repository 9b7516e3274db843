//! The `markov` model: two coupled Markov chains (Song, Ernemann & Yahyapour 2004), one of processors and one of run
//! times.
//!
//! Two variants:
//!
//! * **paper**: the paper's model. The chains are coupled by its three rules; a state's value is l itself with the
//!   probability of its quality ratio, else uniform in [l, 2 l), cut to the machine and to the trace's longest run
//!   time.
//! * **calibrated**: the same two chains, but in each class of processors l itself and the values above it are two
//!   states (what the paper's quality ratio draws anew for every job: a trace's jobs of 64 and of 100 processors are
//!   not followed by the same). They share their draws as often as gives the trace's squashed area
//!   ([`super::coupling`]), and a state's value is that of a job of the trace in this state. While a chain stays in a
//!   state, the value stays near its last rank among the state's values with the probability that is the correlation of
//!   successive values there in the trace, plus what is lacking to the trace's autocovariance; else any rank is taken.
//!   Distributions, autocorrelations and the correlation of processors and run time then come out by construction.
//!
//! A transition precedes every job, the first one's from the state of the trace's first job.

use super::chain::Chain;
use super::coupling::{Rules, calibrate};
use surefill_simulator::base::random::Random;
use surefill_simulator::base::statistics::mean;
use surefill_simulator::generate::History;

/// Coupling of the chains, and the values that their states stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Variant {
    /// The published model: three adjustment rules, values uniform in their class
    #[default]
    Paper,
    /// The same chains, sharing draws as often as gives the trace's squashed area; values of the trace
    Calibrated,
}

impl Variant {
    /// Its name on the command line.
    pub fn text(self) -> &'static str {
        match self {
            Variant::Paper => "paper",
            Variant::Calibrated => "calibrated",
        }
    }
}

/// Both chains with what couples them.
#[derive(Debug, Clone)]
pub struct Markov {
    variant: Variant,
    nodes: Chain,
    run_times: Chain,
    rules: Rules,
    theta: f64,
    processors: Values,
    seconds: Values,
    /// The largest values there may be.
    most: (u64, u64),
}

impl Markov {
    /// Learns both chains. O(jobs).
    pub fn new(history: &History, variant: Variant) -> Markov {
        let (processors, seconds) = (history.processors(), history.run_times());
        // A history has at least one job.
        let nodes = match variant {
            Variant::Paper => Chain::new(&processors),
            Variant::Calibrated => Chain::split(&processors),
        };
        let nodes = nodes.expect("a job");
        let run_times = Chain::new(&seconds).expect("a job");
        let (by_nodes, by_run_times) = (Values::new(&nodes, &processors), Values::new(&run_times, &seconds));
        let theta = match variant {
            Variant::Paper => 0.0,
            Variant::Calibrated => {
                let means =
                    |values: &Values| values.sorted.iter().map(|values| mean_of(values)).collect::<Vec<_>>();
                let products = processors.iter().zip(&seconds).map(|(&n, &r)| n as f64 * r as f64);
                let product = products.sum::<f64>() / processors.len() as f64;
                calibrate((&nodes, &run_times), &means(&by_nodes), &means(&by_run_times), product)
            }
        };
        Markov {
            variant,
            rules: Rules::new(
                &nodes.path(&processors),
                nodes.states(),
                &run_times.path(&seconds),
                run_times.states(),
            ),
            theta,
            most: (u64::from(history.procs), seconds.iter().copied().max().unwrap_or(0).max(1)),
            processors: by_nodes,
            seconds: by_run_times,
            nodes,
            run_times,
        }
    }

    /// The chain of processors.
    pub fn nodes(&self) -> &Chain {
        &self.nodes
    }

    /// The chain of run times.
    pub fn run_times(&self) -> &Chain {
        &self.run_times
    }

    /// The paper's rules for this trace.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Probability that both chains share a draw, negative when they take opposite ends of it; 0 in the paper's
    /// variant.
    pub fn theta(&self) -> f64 {
        self.theta
    }

    /// The walk through both chains.
    pub fn walk(&self) -> Walk<'_> {
        Walk {
            markov: self,
            nodes: Place::at(self.nodes.first()),
            run_times: Place::at(self.run_times.first()),
        }
    }
}

/// The trace's values by state of a chain.
#[derive(Debug, Clone)]
struct Values {
    sorted: Vec<Vec<u64>>,
    /// Probability that the rank is kept while the state stays.
    memory: Vec<f64>,
}

impl Values {
    fn new(chain: &Chain, sequence: &[u64]) -> Values {
        let path = chain.path(sequence);
        let mut sorted = vec![Vec::new(); chain.states()];
        for (&value, &state) in sequence.iter().zip(&path) {
            sorted[state].push(value);
        }
        for values in &mut sorted {
            values.sort_unstable();
        }
        let means: Vec<f64> = sorted.iter().map(|values| mean_of(values)).collect();
        let mut products = vec![(0.0, 0u64); chain.states()];
        for (values, states) in sequence.windows(2).zip(path.windows(2)) {
            if states[0] == states[1] {
                let mean = means[states[0]];
                let (sum, count) = &mut products[states[0]];
                *sum += (values[0] as f64 - mean) * (values[1] as f64 - mean);
                *count += 1;
            }
        }
        let variances = sorted.iter().zip(&means).map(|(values, mean)| {
            let squares = values.iter().map(|&value| (value as f64 - mean) * (value as f64 - mean));
            squares.sum::<f64>() / values.len() as f64
        });
        let variances: Vec<f64> = variances.collect();
        let memory = products.iter().zip(&variances).map(|(&(sum, count), &variance)| {
            if count > 0 && variance > 0.0 { (sum / count as f64 / variance).clamp(0.0, 1.0) } else { 0.0 }
        });
        let mut values = Values { memory: memory.collect(), sorted };
        values.complete(chain, sequence, &means, &variances);
        values
    }

    /// Adds the same to every state's memory until the chain's expected product of successive values is that of the
    /// sequence: what values have to do with the states before and after them, the chain does not know. As far as
    /// probabilities allow.
    fn complete(&mut self, chain: &Chain, sequence: &[u64], means: &[f64], variances: &[f64]) {
        /// Memories are cut to [0, 1], so that once may not be enough.
        const ROUNDS: u32 = 20;
        let count = sequence.len() as f64;
        let share = |state: usize| chain.count(state) as f64 / count;
        let states = 0..chain.states();
        // The first value follows the last, as in the chain.
        let followers = sequence.iter().skip(1).chain(sequence.first());
        let products = sequence.iter().zip(followers).map(|(&value, &next)| value as f64 * next as f64);
        let target = products.sum::<f64>() / count;
        let pairs = states.clone().flat_map(|j| states.clone().map(move |k| (j, k)));
        let between: f64 = pairs.map(|(j, k)| share(j) * chain.probability(j, k) * means[j] * means[k]).sum();
        // Contribution of each state per unit of its memory.
        let weights: Vec<f64> =
            states.map(|state| share(state) * chain.probability(state, state) * variances[state]).collect();
        for _ in 0..ROUNDS {
            let within: f64 = weights.iter().zip(&self.memory).map(|(weight, memory)| weight * memory).sum();
            let lacking = target - between - within;
            let open = |memory: f64| if lacking > 0.0 { memory < 1.0 } else { memory > 0.0 };
            let open_weights = weights.iter().zip(&self.memory).filter(|&(_, &memory)| open(memory));
            let weight: f64 = open_weights.map(|(weight, _)| weight).sum();
            if weight <= 0.0 || lacking == 0.0 {
                break;
            }
            for memory in &mut self.memory {
                *memory = (*memory + lacking / weight).clamp(0.0, 1.0);
            }
        }
    }
}

fn mean_of(values: &[u64]) -> f64 {
    mean(values.iter().map(|&value| value as f64)).unwrap_or(0.0)
}

/// A walk through both chains, a job a step.
#[derive(Debug)]
pub struct Walk<'a> {
    markov: &'a Markov,
    nodes: Place,
    run_times: Place,
}

/// Where a chain is.
#[derive(Debug, Clone, Copy)]
struct Place {
    state: usize,
    /// The rank of the last value among the state's, from 0 to below 1; none before the first job.
    rank: Option<f64>,
}

impl Place {
    fn at(state: usize) -> Place {
        Place { state, rank: None }
    }
}

impl Walk<'_> {
    /// The next job's processors and run time in seconds.
    pub fn step(&mut self, random: &mut Random) -> (u32, i64) {
        let markov = self.markov;
        let (j, m) = (self.nodes.state, self.run_times.state);
        let draw = random.uniform();
        let n = markov.run_times.next(m, draw);
        let k = match markov.variant {
            Variant::Paper => {
                let k = markov.nodes.next(j, random.uniform());
                markov.rules.adjust((j, k), (m, n), random.uniform())
            }
            Variant::Calibrated => {
                let own = random.uniform();
                let shared = random.chance(markov.theta.abs());
                // The largest number below 1 keeps the opposite end of 0 in the row.
                let opposite = (1.0 - draw).min(1.0 - f64::EPSILON / 2.0);
                let common = if markov.theta < 0.0 { opposite } else { draw };
                markov.nodes.next(j, if shared { common } else { own })
            }
        };
        let processors =
            markov.value(&markov.nodes, &markov.processors, &mut self.nodes, k, markov.most.0, random);
        let seconds =
            markov.value(&markov.run_times, &markov.seconds, &mut self.run_times, n, markov.most.1, random);
        // The trace's processors have 32 bits, its times fewer than 63.
        (u32::try_from(processors).unwrap_or(u32::MAX), i64::try_from(seconds).unwrap_or(i64::MAX))
    }
}

impl Markov {
    /// Moves to a state and gives its value.
    fn value(
        &self,
        chain: &Chain,
        values: &Values,
        place: &mut Place,
        state: usize,
        most: u64,
        random: &mut Random,
    ) -> u64 {
        /// A kept rank moves by no more than this: the same program runs for nearly the same time.
        const NEAR: f64 = 0.02;
        let before = place.rank.filter(|_| place.state == state);
        *place = Place::at(state);
        match self.variant {
            Variant::Calibrated => {
                let kept = before.filter(|_| random.chance(values.memory[state]));
                let rank = match kept {
                    // Reflected at both ends, which keeps ranks uniform.
                    Some(rank) => {
                        let rank = (rank + random.between(-NEAR, NEAR)).abs();
                        if rank < 1.0 { rank } else { (2.0 - rank).min(1.0 - f64::EPSILON) }
                    }
                    None => random.uniform(),
                };
                place.rank = Some(rank);
                let values = &values.sorted[state];
                values[((rank * values.len() as f64) as usize).min(values.len() - 1)]
            }
            Variant::Paper => {
                let least = chain.value(state);
                if random.chance(chain.quality(state)) {
                    return least;
                }
                let end = least.saturating_mul(2).min(most.saturating_add(1)).max(least + 1);
                least + ((random.uniform() * (end - least) as f64) as u64).min(end - least - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefill_simulator::generate::{Kind, Past};

    fn history(jobs: &[(u32, i64)]) -> History {
        let past = |&(processors, run_time): &(u32, i64)| Past {
            submit: 0,
            wait: -1,
            run_time,
            processors,
            requested: -1,
            user: -1,
            kind: Kind::default(),
        };
        History {
            name: "t.swf".into(),
            jobs: jobs.iter().map(past).collect(),
            left_out: 0,
            procs: 100,
            unix_start_time: None,
            time_zone: None,
        }
    }

    /// One state of both: everything is that job, or in its classes.
    #[test]
    fn one_job() {
        for variant in [Variant::Paper, Variant::Calibrated] {
            let markov = Markov::new(&history(&[(64, 0)]), variant);
            let mut walk = markov.walk();
            let mut random = Random::new(1);
            for _ in 0..100 {
                let (processors, run_time) = walk.step(&mut random);
                let expected = if variant == Variant::Paper { 1 } else { 0 };
                assert_eq!((processors, run_time), (64, expected));
            }
        }
    }

    /// Quality 1/2 at 64 processors: half of the jobs have 64, and of the others' 37 values (64 to 100) one is 64 as
    /// well.
    #[test]
    fn quality_ratios_and_the_machines_size() {
        let markov = Markov::new(&history(&[(64, 10), (80, 10)]), Variant::Paper);
        let (mut walk, mut random) = (markov.walk(), Random::new(1));
        let drawn: Vec<(u32, i64)> = (0..40_000).map(|_| walk.step(&mut random)).collect();
        assert!(drawn.iter().all(|&(n, r)| (64..=100).contains(&n) && (8..=10).contains(&r)));
        let exact = drawn.iter().filter(|job| job.0 == 64).count() as f64 / 40_000.0;
        assert!((exact - (0.5 + 0.5 / 37.0)).abs() < 0.01, "{exact}");
        // Run times are never 8 by quality: the cut class has 8, 9 and 10.
        let eights = drawn.iter().filter(|job| job.1 == 8).count() as f64 / 40_000.0;
        assert!((eights - 1.0 / 3.0).abs() < 0.01, "{eights}");
    }

    /// Wide jobs are long: the product of the means is 225 and that of the jobs 425, or 25 the other way round.
    #[test]
    fn the_squashed_area_is_met() {
        let pairs: [&[(u32, i64)]; 2] = [
            &[(1, 10), (1, 10), (20, 40), (20, 40), (1, 10), (20, 40), (20, 40), (1, 10)],
            &[(1, 40), (1, 40), (20, 10), (20, 40), (1, 10), (20, 10), (20, 10), (1, 40), (1, 40)],
        ];
        for jobs in pairs {
            let history = history(jobs);
            let product = |jobs: &[(u32, i64)]| {
                jobs.iter().map(|&(n, r)| f64::from(n) * r as f64).sum::<f64>() / jobs.len() as f64
            };
            let markov = Markov::new(&history, Variant::Calibrated);
            let (mut walk, mut random) = (markov.walk(), Random::new(1));
            let drawn: Vec<(u32, i64)> = (0..100_000).map(|_| walk.step(&mut random)).collect();
            let ratio = product(&drawn) / product(jobs);
            assert!((ratio - 1.0).abs() < 0.02, "theta {}: {ratio}", markov.theta());
        }
    }
}
