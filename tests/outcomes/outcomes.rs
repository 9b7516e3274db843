//! All outcomes of some jobs that run, each with its probability, and the delays that a candidate causes, from the
//! definitions alone.

use surefill::runtime::{Release, RuntimeBins, RuntimeDistribution};

/// A job with its predicted run time, by bins.
#[derive(Debug, Clone)]
pub struct Job {
    pub processors: u32,
    pub age: i64,
    pub limit: i64,
    pub counts: Vec<u32>,
}

/// Coarse bins, which make many equal times.
pub fn bins() -> RuntimeBins {
    RuntimeBins::new(2.0, 2.0, 5).unwrap()
}

impl Job {
    pub fn distribution(&self) -> RuntimeDistribution {
        let counts: Vec<f64> = self.counts.iter().map(|&c| f64::from(c)).collect();
        RuntimeDistribution::from_counts(&bins(), &counts).unwrap()
    }

    pub fn ends(&self, events: u32) -> Vec<(i64, f64)> {
        let mut out = [Release::default(); 64];
        let count = self.distribution().remaining(self.age, self.limit, events as usize, &mut out).unwrap();
        out[..count].iter().map(|r| (r.after, r.probability)).collect()
    }
}

/// The delay of the head in all four criteria.
#[derive(Debug, Default)]
pub struct Truth {
    pub probability: f64,
    pub bound: f64,
    pub seconds: f64,
    pub head_wait: f64,
}

/// Time at which at least `need` processors have been released.
pub fn time_of(ends: &[(i64, u32)], need: u32) -> Option<i64> {
    let mut ends = ends.to_vec();
    ends.sort();
    let mut released = 0;
    ends.iter().find_map(|&(t, p)| {
        released += p;
        (released >= need).then_some(t)
    })
}

pub fn outcomes(running: &[Job], events: u32) -> Vec<(f64, Vec<(i64, u32)>)> {
    let mut all = vec![(1.0, vec![])];
    for job in running {
        let ends = job.ends(events);
        all = all
            .iter()
            .flat_map(|(p, list): &(f64, Vec<(i64, u32)>)| {
                ends.iter().map(move |(t, q)| {
                    let mut list = list.clone();
                    list.push((*t, job.processors));
                    (p * q, list)
                })
            })
            .collect();
    }
    all
}

/// A sum of up to millions of terms without their roundings (Neumaier's), which alone would exceed the tolerance.
#[derive(Debug, Default)]
pub struct Sum {
    rounded: f64,
    lost: f64,
}

impl Sum {
    pub fn add(&mut self, term: f64) {
        let sum = self.rounded + term;
        let (large, small) =
            if self.rounded.abs() >= term.abs() { (self.rounded, term) } else { (term, self.rounded) };
        self.lost += (large - sum) + small;
        self.rounded = sum;
    }

    pub fn value(&self) -> f64 {
        self.rounded + self.lost
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<T: IntoIterator<Item = f64>>(terms: T) -> Sum {
        let mut sum = Sum::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

pub fn truth(running: &[Job], candidate: &Job, idle: u32, head: u32, events: u32) -> Truth {
    let need = head - idle;
    let both = need + candidate.processors;
    let total: u32 = running.iter().map(|job| job.processors).sum();
    let mut truth = Truth::default();
    if total < need {
        return truth;
    }
    let (mut probability, mut seconds, mut head_wait) = (Sum::default(), Sum::default(), Sum::default());
    let outcomes = outcomes(running, events);
    let ends = Job { age: 0, ..candidate.clone() }.ends(events);
    for (p, list) in &outcomes {
        let without = time_of(list, need).unwrap();
        head_wait.add(p * without as f64);
        for (te, q) in &ends {
            // With the candidate running the head starts when both fit, or when the candidate has ended and it fits.
            let with = time_of(list, both).unwrap_or(i64::MAX).min(without.max(*te));
            probability.add(if with > without { p * q } else { 0.0 });
            seconds.add(p * q * (with - without) as f64);
        }
    }
    truth.probability = probability.value();
    truth.seconds = seconds.value();
    truth.head_wait = head_wait.value();
    let mut times: Vec<i64> = outcomes.iter().flat_map(|(_, list)| list.iter().map(|(t, _)| *t)).collect();
    times.sort();
    times.dedup();
    let released_by =
        |list: &[(i64, u32)], t: i64| list.iter().filter(|e| e.0 <= t).map(|e| e.1).sum::<u32>();
    for (te, q) in &ends {
        let worst = times.iter().filter(|t| *t < te).map(|&t| {
            let between = |list: &[(i64, u32)]| (need..both).contains(&released_by(list, t));
            outcomes.iter().filter(|(_, list)| between(list)).map(|(p, _)| *p).collect::<Sum>().value()
        });
        truth.bound += q * worst.fold(0.0, f64::max);
    }
    truth
}
