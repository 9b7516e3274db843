//! Kind, capacities and options of a predictor.

use crate::error::{Error, Result};
use crate::hmm::{HmmCapacity, Initial, LoadModel, OnlineOptions, Termination};
use crate::predict::{ContextCapacity, Expert, MAX_EXPERTS, MixtureCapacity, context};
use bytemuck::{Pod, Zeroable};

/// The largest number of jobs, and of slots in the window.
const MOST: u32 = 1 << 24;

/// Kind of a [`Predictor`](crate::predict::Predictor). The numbers are C's, and lie in checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum PredictorKind {
    /// A mixture of histories of like jobs ([`Mixture`](crate::predict::Mixture)).
    Mixture = 1,
    /// A mixture with one expert: the user's own recent jobs.
    User = 2,
    /// The hidden Markov model of the workload (Nissimov 2006), learnt by Baum-Welch over the slots kept.
    Hmm = 3,
    /// The same model, learnt slot by slot when all jobs of a slot have left ([`OnlineHmm`](crate::hmm::OnlineHmm)): no
    /// slot is needed any more once it is learnt.
    HmmOnline = 4,
    /// A geometric mixture of contexts ([`ContextMixture`](crate::predict::ContextMixture)): the keys of a job are
    /// user, time limit and processors. The default: it has the most information on every trace measured.
    #[default]
    Contexts = 5,
}

impl PredictorKind {
    /// The kind with this number.
    pub fn from_number(number: u32) -> Option<PredictorKind> {
        use PredictorKind::{Contexts, Hmm, HmmOnline, Mixture, User};
        [Mixture, User, Hmm, HmmOnline, Contexts].into_iter().find(|kind| *kind as u32 == number)
    }

    /// Whether it tracks a hidden Markov model; else it keeps histories of like jobs.
    pub fn is_hmm(self) -> bool {
        matches!(self, PredictorKind::Hmm | PredictorKind::HmmOnline)
    }
}

/// Kind and capacities of a [`Predictor`](crate::predict::Predictor), fixed at initialisation. Capacities of other
/// kinds are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredictorCapacity {
    /// Kind of predictor.
    pub kind: PredictorKind,
    /// Number of jobs in the system, queued or running (1 to 2^24).
    pub jobs: u32,
    /// Capacities of the hidden Markov models: states, bins, slots kept and cells kept. On line, slots and cells need
    /// only reach as far back as jobs stay in the system.
    pub hmm: HmmCapacity,
    /// Number of slots of the hidden Markov models, from the earliest that still has a job in the system, whose
    /// filtered state is remembered from one prediction to the next (1 to 2^24); later ones are computed again each
    /// time.
    pub window: u32,
    /// Capacities of the mixtures: bins, keys, experts, histories. The contexts use bins (from 2) and histories (to
    /// 2^24); there are 3 keys.
    pub mixture: MixtureCapacity,
}

impl PredictorCapacity {
    /// The defaults of a kind: 4,096 jobs. Mixtures: those of [`MixtureCapacity`], the user's alone with one key and
    /// one expert; contexts: those of [`ContextCapacity`]. Hidden Markov models: 16 states, 24 bins, a year of slots of
    /// 15 min, 100,000 cells, 1,024 slots remembered.
    pub fn of(kind: PredictorKind) -> PredictorCapacity {
        let mixture = match kind {
            PredictorKind::User => MixtureCapacity { keys: 1, experts: 1, ..MixtureCapacity::default() },
            PredictorKind::Contexts => MixtureCapacity {
                histories: ContextCapacity::default().histories,
                ..MixtureCapacity::default()
            },
            _ => MixtureCapacity::default(),
        };
        PredictorCapacity { kind, jobs: 4096, hmm: HmmCapacity::default(), window: 1024, mixture }
    }

    /// Number of run-time bins.
    pub fn bins(&self) -> u32 {
        if self.kind.is_hmm() { self.hmm.bins } else { self.mixture.bins }
    }

    /// The capacities of the contexts.
    pub(super) fn contexts(&self) -> ContextCapacity {
        let MixtureCapacity { bins, histories, .. } = self.mixture;
        ContextCapacity { bins, jobs: self.jobs, histories, reserved: 0 }
    }

    /// Number of keys of a job: the mixtures know jobs by them, the hidden Markov models by their time of submission
    /// alone.
    pub fn keys(&self) -> u32 {
        if self.kind.is_hmm() { 0 } else { self.mixture.keys }
    }

    pub(super) fn check(&self) -> Result<()> {
        let own = match self.kind {
            PredictorKind::Hmm | PredictorKind::HmmOnline => (1..=MOST).contains(&self.window),
            PredictorKind::Contexts => self.mixture.keys as usize == context::KEYS,
            PredictorKind::Mixture | PredictorKind::User => true,
        };
        let valid = own && (1..=MOST).contains(&self.jobs);
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

impl Default for PredictorCapacity {
    /// The capacities of the default kind.
    fn default() -> PredictorCapacity {
        PredictorCapacity::of(PredictorKind::default())
    }
}

/// [`PredictorCapacity`] as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RawCapacity {
    kind: u32,
    jobs: u32,
    hmm: HmmCapacity,
    window: u32,
    padding: u32,
    mixture: MixtureCapacity,
}

impl RawCapacity {
    pub fn new(capacity: &PredictorCapacity) -> RawCapacity {
        let PredictorCapacity { kind, jobs, hmm, window, mixture } = *capacity;
        RawCapacity { kind: kind as u32, jobs, hmm, window, padding: 0, mixture }
    }

    pub fn capacity(&self) -> Result<PredictorCapacity> {
        let RawCapacity { jobs, hmm, window, mixture, .. } = *self;
        let kind = PredictorKind::from_number(self.kind).ok_or(Error::Corrupt)?;
        Ok(PredictorCapacity { kind, jobs, hmm, window, mixture })
    }
}

/// Options of a [`Predictor`](crate::predict::Predictor)'s learning. Options of other kinds are checked, but make no
/// difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictorOptions {
    /// Seconds in the system after which a job is given up (1 to 2^40): it may be held, or its end may have got lost.
    /// Its growing age is then no longer an observation (its run time is censored), nothing waits for it, and when the
    /// table of jobs is full it makes room. If it ends after all, Baum-Welch and the mixtures still learn from it.
    pub oldest_seconds: i64,
    /// Experts of the mixtures, of which the capacity's number counts.
    pub experts: [Expert; MAX_EXPERTS],
    /// Length of a slot in seconds (1 to 2^32). This and all that follows is for the hidden Markov models.
    pub slot_seconds: i64,
    /// The initial period, in seconds from the first submission (0 to 2^40): there is no training before its end, and
    /// before all jobs submitted in it have left or are given up.
    pub initial_seconds: i64,
    /// Model of the number of jobs in a slot. A slot's load is the number of its jobs that have started.
    pub load: LoadModel,
    /// Start of the first training. k-means needs a number of states that is a power of two.
    pub initial: Initial,
    /// Criterion by which a training stops. With [`Termination::L1`], training also begins again as soon as, with more
    /// jobs finished, the last change is no longer below the threshold.
    pub termination: Termination,
    /// Number of rounds after which a training stops at the latest (at least 1).
    pub most_rounds: u64,
    /// Seconds of new finished slots after which training begins again, with the other criteria (1 to 2^40).
    pub restart_seconds: i64,
    /// Handling of a slot that no possible state explains, in a bin that none has seen for example (0 to below 1). With
    /// 0, the thesis's rule, the predictor is silent until it has learnt from that slot. Else the slot is filtered as
    /// if every state had drawn any of the N bins with this probability, B'_ij = (1 - floor) B_ij + floor / N, and
    /// training begins as early as under the thesis's rule. Predictions mix the states' learnt distributions, without
    /// the floor; with one, they fall back to the distribution of all finished jobs as far as that predicts better.
    pub floor: f64,
    /// On line: a of the step size t^-a (above 0.5, at most 1). See [`OnlineOptions`].
    pub exponent: f64,
    /// On line: number of slots before the first maximisation step.
    pub hold: u64,
}

impl PredictorOptions {
    /// The defaults of a kind. Jobs older than ten days are given up. Mixtures: [`Expert::MIX`], the user's alone
    /// [`Expert::USER`]. Hidden Markov models, the thesis's: slots of 15 min, a week, no load model, Static-IV, L1 with
    /// 200; at most 1,000 rounds; weekly. But with a floor of 1e-3, so that no unexplained slot silences it; on four
    /// traces its size makes no difference.
    pub fn of(kind: PredictorKind) -> PredictorOptions {
        let experts = match kind {
            PredictorKind::User => &Expert::USER[..],
            _ => &Expert::MIX[..],
        };
        PredictorOptions {
            oldest_seconds: 10 * 86_400,
            experts: experts_of(experts),
            slot_seconds: 900,
            initial_seconds: 7 * 86_400,
            load: LoadModel::None,
            initial: Initial::Static,
            termination: Termination::L1(200.0),
            most_rounds: 1000,
            restart_seconds: 7 * 86_400,
            floor: OnlineOptions::default().floor,
            exponent: OnlineOptions::default().exponent,
            hold: OnlineOptions::default().hold,
        }
    }

    pub(super) fn check(&self, capacity: &PredictorCapacity) -> Result<()> {
        self.termination.check()?;
        self.online().check()?;
        let k_means = capacity.kind.is_hmm() && self.initial == Initial::KMeans;
        let valid = (1..=1 << 40).contains(&self.oldest_seconds)
            && (1..=1 << 32).contains(&self.slot_seconds)
            && (0..=1 << 40).contains(&self.initial_seconds)
            && (1..=1 << 40).contains(&self.restart_seconds)
            && self.most_rounds > 0
            && (!k_means || capacity.hmm.states.is_power_of_two());
        if valid { Ok(()) } else { Err(Error::OutOfRange) }
    }

    pub(super) fn online(&self) -> OnlineOptions {
        OnlineOptions { exponent: self.exponent, hold: self.hold, floor: self.floor }
    }
}

impl Default for PredictorOptions {
    /// The options of the default kind.
    fn default() -> PredictorOptions {
        PredictorOptions::of(PredictorKind::default())
    }
}

/// A list of experts as [`PredictorOptions`] takes it; those beyond [`MAX_EXPERTS`] are left out.
pub fn experts_of(list: &[Expert]) -> [Expert; MAX_EXPERTS] {
    let mut experts = [Expert::USER[0]; MAX_EXPERTS];
    for (to, from) in experts.iter_mut().zip(list) {
        *to = *from;
    }
    experts
}

/// The options of the hidden Markov models as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RawOptions {
    pub oldest_seconds: i64,
    pub slot_seconds: i64,
    pub initial_seconds: i64,
    pub restart_seconds: i64,
    pub most_rounds: u64,
    rounds: u64,
    epsilon: f64,
    pub floor: f64,
    criterion: u32,
    load: u32,
    initial: u32,
    padding: u32,
}

impl RawOptions {
    pub fn new(options: &PredictorOptions) -> RawOptions {
        let (criterion, rounds, epsilon) = match options.termination {
            Termination::Rounds(rounds) => (0, rounds, 0.0),
            Termination::L1(epsilon) => (1, 0, epsilon),
            Termination::LInfinity(epsilon) => (2, 0, epsilon),
        };
        RawOptions {
            oldest_seconds: options.oldest_seconds,
            slot_seconds: options.slot_seconds,
            initial_seconds: options.initial_seconds,
            restart_seconds: options.restart_seconds,
            most_rounds: options.most_rounds,
            rounds,
            epsilon,
            floor: options.floor,
            criterion,
            load: options.load as u32,
            initial: options.initial as u32,
            padding: 0,
        }
    }

    pub fn termination(&self) -> Termination {
        match self.criterion {
            0 => Termination::Rounds(self.rounds),
            1 => Termination::L1(self.epsilon),
            _ => Termination::LInfinity(self.epsilon),
        }
    }

    pub fn load(&self) -> LoadModel {
        LoadModel::from_number(self.load).unwrap_or_default()
    }

    pub fn initial(&self) -> Initial {
        Initial::from_number(self.initial).unwrap_or_default()
    }
}
