//! Lasting effects: jobs that never end, clocks that were wrong, questions, and remembered predictions. For every kind
//! of predictor.

use surefill::error::Error;
use surefill::hmm::{HmmCapacity, Termination};
use surefill::predict::{
    HeldJob, Learning, MixtureCapacity, Predictor, PredictorCapacity, PredictorKind, PredictorOptions,
    Silence,
};
use surefill::runtime::RuntimeBins;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
const KINDS: [PredictorKind; 5] = [
    PredictorKind::Mixture,
    PredictorKind::User,
    PredictorKind::Hmm,
    PredictorKind::HmmOnline,
    PredictorKind::Contexts,
];

fn capacity(kind: PredictorKind) -> PredictorCapacity {
    let hmm = HmmCapacity { states: 4, bins: 8, slots: 4000, cells: 8000 };
    let own = PredictorCapacity::of(kind);
    let mixture = MixtureCapacity { bins: 8, histories: 500, ..own.mixture };
    PredictorCapacity { jobs: 40, hmm, mixture, ..own }
}

fn options(kind: PredictorKind) -> PredictorOptions {
    PredictorOptions { termination: Termination::Rounds(20), ..PredictorOptions::of(kind) }
}

fn bins() -> RuntimeBins {
    RuntimeBins::new(10.0, 5.0, 8).unwrap()
}

fn memory(capacity: &PredictorCapacity, options: &PredictorOptions) -> Vec<u64> {
    let mut memory = vec![u64::MAX; Predictor::size(capacity).unwrap() / 8];
    Predictor::init(bytemuck::cast_slice_mut(&mut memory), capacity, &bins(), options).unwrap();
    memory
}

fn attach(memory: &mut [u64]) -> Predictor<'_> {
    Predictor::attach(bytemuck::cast_slice_mut(memory)).unwrap()
}

/// The keys of a user's job, as many as this kind takes.
fn keys(kind: PredictorKind, user: i64) -> &'static [i64] {
    const KEYS: [[i64; 3]; 2] = [[0, 600, 4], [1, 7200, 1]];
    &KEYS[usize::from(user != 0)][..capacity(kind).keys() as usize]
}

/// Jobs every half hour, by day short ones and by night long ones. Trains after each. Returns the number of complete
/// trainings.
fn work(predictor: &mut Predictor<'_>, first_id: i64, from: i64, to: i64) -> u64 {
    let kind = predictor.kind();
    let mut trainings = 0;
    let mut running: Vec<(i64, i64)> = Vec::new();
    for (id, now) in (first_id..).zip((from..to).step_by(HOUR as usize / 2)) {
        running.retain(|&(id, end)| {
            if end <= now {
                predictor.end(id, now).unwrap();
            }
            end > now
        });
        predictor.submit(id, keys(kind, id % 2), now).unwrap();
        predictor.start(id, now).unwrap();
        let long = now.rem_euclid(DAY) / HOUR % 24 >= 12;
        running.push((id, now + if long { 4 * HOUR } else { 20 }));
        loop {
            match predictor.train(100_000).unwrap() {
                Learning::Idle => break,
                Learning::More => {}
                Learning::Done(_) => trainings += 1,
            }
        }
    }
    for (id, _) in running {
        predictor.end(id, to).unwrap();
    }
    trainings
}

#[test]
fn jobs_that_never_end_block_nothing() {
    for kind in KINDS {
        let mut memory = memory(&capacity(kind), &options(kind));
        let mut predictor = attach(&mut memory);
        // In the first week: a job that is held and never starts, and one whose end gets lost.
        predictor.submit(-1, keys(kind, 0), 0).unwrap();
        predictor.submit(-2, keys(kind, 1), 5 * DAY).unwrap();
        predictor.start(-2, 5 * DAY + 60).unwrap();
        work(&mut predictor, 0, 5 * DAY + 120, 9 * DAY);
        let said = predictor.predict(keys(kind, 0), 9 * DAY).unwrap();
        if kind.is_hmm() {
            // The reason for the silence, and the jobs that cause it.
            assert_eq!(said, Err(Silence::InitialJobs));
        } else {
            assert!(said.is_ok());
        }
        let held: Vec<HeldJob> = predictor.held().collect();
        assert_eq!(
            held,
            [
                HeldJob { id: -1, submitted: 0, started: None, given_up: false, keys: keys(kind, 0) },
                HeldJob {
                    id: -2,
                    submitted: 5 * DAY,
                    started: Some(5 * DAY + 60),
                    given_up: false,
                    keys: keys(kind, 1),
                },
            ]
        );
        // Ten days after the later one's submission both are given up, and learning goes on from week to week.
        let trainings = work(&mut predictor, 1000, 9 * DAY, 36 * DAY);
        assert!(predictor.held().all(|job| job.given_up) && predictor.jobs() == 2);
        assert!(predictor.predict(keys(kind, 0), 36 * DAY).unwrap().is_ok());
        assert!(!kind.is_hmm() || trainings >= 3, "{kind:?}: {trainings}");
        let finished = predictor.finished();
        // An end that comes after all is recognised.
        predictor.end(-2, 36 * DAY).unwrap();
        assert_eq!(predictor.start(-2, 36 * DAY), Err(Error::UnknownJob));
        assert_eq!(predictor.finished(), finished + 1);
        assert_eq!(predictor.late_jobs(), u64::from(kind == PredictorKind::HmmOnline));
        predictor.start(-1, 36 * DAY).unwrap();
        predictor.end(-1, 36 * DAY + 20).unwrap();
        assert_eq!(predictor.jobs(), 0);
    }
}

#[test]
fn an_end_that_comes_late_is_learnt() {
    let kind = PredictorKind::Hmm;
    let mut memory = memory(&capacity(kind), &options(kind));
    let mut predictor = attach(&mut memory);
    predictor.submit(-1, &[], 0).unwrap();
    predictor.start(-1, 0).unwrap();
    work(&mut predictor, 0, HOUR, 12 * DAY);
    let held = predictor.hmm().unwrap().slots();
    let before = predictor.hmm().unwrap().jobs(held.clone());
    predictor.end(-1, 12 * DAY).unwrap();
    let hmm = predictor.hmm().unwrap();
    assert_eq!(hmm.jobs(hmm.slots()), before + 1);
    // It belongs to the slot in which it was submitted, which has no other job.
    assert_eq!(hmm.jobs(held.start..held.start + 1), 1);
    assert_eq!(work(&mut predictor, 1000, 12 * DAY, 21 * DAY), 1);
    let found = predictor.predict(&[], 21 * DAY).unwrap().unwrap();
    // Some state has a place for it: more than the safety distribution's share.
    let p = found.binned().unwrap().1;
    let long = bins().bin_of((12 * DAY) as f64);
    assert!(p[long] > 0.0, "{p:?}");
}

#[test]
fn a_table_full_of_lost_jobs_makes_room() {
    for kind in KINDS {
        let mut memory = memory(&capacity(kind), &options(kind));
        let mut predictor = attach(&mut memory);
        for id in 0..40 {
            predictor.submit(id, keys(kind, 0), 60 * id).unwrap();
        }
        assert_eq!(predictor.submit(40, keys(kind, 0), DAY), Err(Error::Full));
        // The first is just too old.
        assert_eq!(predictor.submit(40, keys(kind, 0), 10 * DAY), Err(Error::Full));
        predictor.submit(40, keys(kind, 0), 10 * DAY + 1).unwrap();
        assert_eq!(predictor.submit(41, keys(kind, 0), 10 * DAY + 1), Err(Error::Full));
        assert_eq!(predictor.end(0, 10 * DAY + 1), Err(Error::UnknownJob));
        for id in 41..200 {
            predictor.submit(id, keys(kind, 0), 30 * DAY + id).unwrap();
            predictor.start(id, 30 * DAY + id).unwrap();
            predictor.end(id, 30 * DAY + id).unwrap();
        }
        assert_eq!(predictor.jobs(), 39);
        predictor.cancel(40, 31 * DAY).unwrap();
    }
}

#[test]
fn a_prediction_costs_no_more_with_jobs_that_never_end() {
    // The window holds ten days: a job that stays longer, but for the limit, would have every prediction start from
    // there.
    let kind = PredictorKind::Hmm;
    let time = |lost: bool| {
        let mut memory = memory(&capacity(kind), &options(kind));
        let mut predictor = attach(&mut memory);
        if lost {
            predictor.submit(-1, &[], 0).unwrap();
            predictor.start(-1, 0).unwrap();
        }
        work(&mut predictor, 0, 60, 30 * DAY);
        let mut best = std::time::Duration::MAX;
        for _ in 0..20 {
            let began = std::time::Instant::now();
            for _ in 0..50 {
                assert!(predictor.predict(&[], 30 * DAY).unwrap().is_ok());
            }
            best = best.min(began.elapsed());
        }
        best
    };
    let (without, with) = (time(false), time(true));
    // 2,900 slots instead of one would be far more than this.
    assert!(with < 20 * without, "{with:?} instead of {without:?}");
}

#[test]
fn questions_change_nothing() {
    for kind in KINDS {
        let mut plain = memory(&capacity(kind), &options(kind));
        let mut asked = plain.clone();
        for day in 0..16 {
            for (memory, ask) in [(&mut plain, false), (&mut asked, true)] {
                let mut predictor = attach(memory);
                let now = day * DAY;
                predictor.submit(10_000 + day, keys(kind, 0), now).unwrap();
                predictor.start(10_000 + day, now + 60).unwrap();
                for later in [60, 61, HOUR, DAY, 300 * DAY, 1 << 45] {
                    if ask {
                        let _ = predictor.predict(keys(kind, 1), now + later).unwrap();
                    }
                }
                let wants = predictor.wants_training();
                if day >= 3 {
                    predictor.end(10_000 + day - 3, now + 60).unwrap();
                }
                work(&mut predictor, 100 * day, now + 60, now + DAY);
                assert!(!wants || kind.is_hmm());
            }
            let now = (day + 1) * DAY;
            let (mut plain, mut asked) = (attach(&mut plain), attach(&mut asked));
            assert_eq!(plain.wants_training(), asked.wants_training());
            for user in 0..2 {
                assert_eq!(plain.predict(keys(kind, user), now), asked.predict(keys(kind, user), now));
            }
            assert_eq!(plain.said(10_000 + day), asked.said(10_000 + day));
            assert!(plain.held().eq(asked.held()));
        }
    }
}

#[test]
fn a_question_about_later_is_answered_as_if_it_were_later() {
    for kind in KINDS {
        let mut memory = memory(&capacity(kind), &options(kind));
        let mut predictor = attach(&mut memory);
        work(&mut predictor, 0, 0, 9 * DAY);
        for id in 1000..1010 {
            predictor.submit(id, keys(kind, 0), 9 * DAY + 700 * (id - 1000)).unwrap();
            predictor.start(id, 9 * DAY + 700 * (id - 1000) + 30).unwrap();
        }
        for later in
            [9 * DAY + 6330, 9 * DAY + 7000, 10 * DAY, 12 * DAY + 17, 18 * DAY, 19 * DAY + 3000, 20 * DAY]
        {
            let said = attach(&mut memory).predict(keys(kind, 1), later).unwrap();
            let mut there = memory.clone();
            let mut there = attach(&mut there);
            there.set_clock(later).unwrap();
            assert_eq!(there.predict(keys(kind, 1), later).unwrap(), said, "{kind:?} {later}");
        }
    }
}

#[test]
fn a_clock_that_was_wrong_is_set_right() {
    for kind in KINDS {
        for wrong in [HOUR, 3 * DAY, 40 * DAY, 3650 * DAY, 1 << 50] {
            let mut memory = memory(&capacity(kind), &options(kind));
            let mut predictor = attach(&mut memory);
            work(&mut predictor, 0, 0, 9 * DAY);
            let now = 9 * DAY + 100;
            predictor.submit(5000, keys(kind, 0), now).unwrap();
            predictor.start(5000, now).unwrap();
            // One wrong reading: everything after it is refused, until the clock is set.
            predictor.submit(5001, keys(kind, 0), now + wrong).unwrap();
            predictor.start(5001, now + wrong).unwrap();
            assert_eq!(predictor.end(5000, now + 60), Err(Error::TimeWentBack));
            assert_eq!(predictor.predict(keys(kind, 0), now + 60), Err(Error::TimeWentBack));
            predictor.set_clock(now + 60).unwrap();
            let held: Vec<HeldJob> = predictor.held().collect();
            let at = |id, time| (id, time, Some(time));
            let seen = held.iter().map(|job| (job.id, job.submitted, job.started));
            assert!(seen.eq([at(5000, now), at(5001, now + 60)]), "{held:?}");
            let mut there = memory.clone();
            assert!(Predictor::attach(bytemuck::cast_slice_mut(&mut there)).is_ok());
            let mut predictor = attach(&mut memory);
            predictor.end(5000, now + 70).unwrap();
            predictor.end(5001, now + 80).unwrap();
            // The learnt state is still there.
            assert!(predictor.predict(keys(kind, 0), now + 80).unwrap().is_ok());
            // And it goes on learning.
            let trainings = work(&mut predictor, 6000, now + 100, now + 20 * DAY);
            assert!(!kind.is_hmm() || trainings > 0, "{kind:?} {wrong}");
            assert!(predictor.predict(keys(kind, 1), now + 20 * DAY).unwrap().is_ok());
        }
    }
}

#[test]
fn a_clock_set_back_keeps_the_finished_jobs() {
    let kind = PredictorKind::Hmm;
    let mut memory = memory(&capacity(kind), &options(kind));
    let mut predictor = attach(&mut memory);
    work(&mut predictor, 0, 0, 9 * DAY);
    let jobs = |predictor: &Predictor<'_>| {
        let hmm = predictor.hmm().unwrap();
        hmm.jobs(hmm.slots())
    };
    let before = jobs(&predictor);
    // Half a day: its slots become one.
    predictor.set_clock(9 * DAY - DAY / 2).unwrap();
    assert_eq!(jobs(&predictor), before);
    assert_eq!(predictor.hmm().unwrap().slots(), 0..(9 * DAY - DAY / 2) / 900 + 1);
    // To before everything: the slots are gone, the model is not.
    predictor.set_clock(-DAY).unwrap();
    assert_eq!(jobs(&predictor), 0);
    assert!(predictor.predict(&[], -DAY).unwrap().is_ok());
    assert_eq!(predictor.set_clock((1 << 53) + 1), Err(Error::OutOfRange));
    assert_eq!(predictor.set_clock(i64::MIN), Err(Error::OutOfRange));
}

#[test]
fn nothing_that_can_happen_is_predicted_to_be_impossible() {
    for kind in KINDS {
        let mut memory = memory(&capacity(kind), &options(kind));
        let mut predictor = attach(&mut memory);
        // Two bins of eight are ever seen.
        work(&mut predictor, 0, 0, 15 * DAY);
        let finished = predictor.finished() as f64;
        for user in [0, 1] {
            let said = predictor.predict(keys(kind, user), 15 * DAY).unwrap().unwrap();
            let p = said.binned().unwrap().1;
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let never = [0, 1, 2, 3, 6, 7].map(|bin| p[bin]);
            if kind == PredictorKind::Contexts {
                // Its own least probabilities, and those of like jobs' ends beyond a limit.
                assert!(never.iter().all(|p| (1e-8..0.01).contains(p)), "{p:?}");
                continue;
            }
            let share = 1.0 / (finished + 1.0) / 6.0;
            assert!(never.iter().all(|p| (p / share - 1.0).abs() < 0.5), "{kind:?}: {p:?}, not {share}");
        }
        predictor.submit(-1, keys(kind, 0), 15 * DAY).unwrap();
        assert!(predictor.said(-1).unwrap().unwrap().binned().unwrap().1.iter().all(|p| *p > 0.0));
    }
}

#[test]
fn it_remembers_what_it_said() {
    for kind in KINDS {
        let mut memory = memory(&capacity(kind), &options(kind));
        assert_eq!(attach(&mut memory).said(0), Err(Error::UnknownJob));
        let first = if kind.is_hmm() { Silence::InitialPeriod } else { Silence::NothingLearnt };
        attach(&mut memory).submit(-1, keys(kind, 0), 0).unwrap();
        assert_eq!(attach(&mut memory).said(-1), Ok(Err(first)));
        let mut predictor = attach(&mut memory);
        predictor.cancel(-1, 0).unwrap();
        work(&mut predictor, 0, 60, 9 * DAY);
        let said = predictor.predict(keys(kind, 0), 9 * DAY).unwrap();
        predictor.submit(-1, keys(kind, 0), 9 * DAY).unwrap();
        work(&mut predictor, 1000, 9 * DAY + 60, 9 * DAY + 5 * HOUR);
        Predictor::seal(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        let mut copy = memory.clone();
        let predictor = Predictor::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
        assert_eq!(predictor.said(-1).unwrap(), said);
        // A mixture and the contexts go on predicting; a hidden Markov model knows the time of submission alone.
        let now = predictor.predict_job(-1).unwrap();
        assert_eq!(now == said, kind.is_hmm(), "{kind:?}");
    }
}

#[test]
fn each_silence_has_its_reason() {
    let kind = PredictorKind::Hmm;
    let options = PredictorOptions { floor: 0.0, ..options(kind) };
    let mut memory = memory(&capacity(kind), &options);
    let mut predictor = attach(&mut memory);
    let said = |predictor: &mut Predictor<'_>, now| predictor.predict(&[], now).unwrap().err();
    assert_eq!(said(&mut predictor, 0), Some(Silence::InitialPeriod));
    for id in 0..20 {
        predictor.submit(id, &[], id * HOUR).unwrap();
        predictor.start(id, id * HOUR).unwrap();
        if id > 0 {
            predictor.end(id, id * HOUR + 60).unwrap();
        }
    }
    assert_eq!(said(&mut predictor, 7 * DAY - 1), Some(Silence::InitialPeriod));
    assert_eq!(said(&mut predictor, 7 * DAY), Some(Silence::InitialJobs));
    predictor.end(0, 7 * DAY).unwrap();
    assert_eq!(said(&mut predictor, 7 * DAY), Some(Silence::Untrained));
    while predictor.train(1000).unwrap() == Learning::More {}
    assert_eq!(said(&mut predictor, 7 * DAY), None);
    predictor.submit(50, &[], 7 * DAY).unwrap();
    predictor.start(50, 7 * DAY).unwrap();
    predictor.end(50, 7 * DAY + 5000).unwrap();
    assert_eq!(said(&mut predictor, 7 * DAY + 5000), Some(Silence::Unexplained));
    for number in 0..8 {
        let found = Silence::from_number(number);
        assert_eq!(found.is_some(), (1..=5).contains(&number));
        assert!(found.is_none_or(|silence| silence as u32 == number));
    }
}

#[test]
fn keys_are_as_many_as_the_kind_takes() {
    for kind in KINDS {
        let mut memory = memory(&capacity(kind), &options(kind));
        let before = memory.clone();
        let wrong = vec![1; capacity(kind).keys() as usize + 1];
        assert_eq!(attach(&mut memory).submit(1, &wrong, 0), Err(Error::OutOfRange));
        assert_eq!(attach(&mut memory).predict(&wrong, 0), Err(Error::OutOfRange));
        let learnt = attach(&mut memory).learn(&wrong, 10);
        assert_eq!(learnt, Err(if kind.is_hmm() { Error::WrongState } else { Error::OutOfRange }));
        assert!(memory == before);
        let model = surefill::hmm::Parameters {
            load: surefill::hmm::LoadModel::None,
            start: &[],
            transition: &[],
            emission: &[],
            load_parameter: &[],
        };
        let set = attach(&mut memory).set_model(&model);
        assert_eq!(set, Err(if kind.is_hmm() { Error::OutOfRange } else { Error::WrongState }));
        assert_eq!(attach(&mut memory).capacity(), Ok(capacity(kind)));
    }
}

#[test]
fn damage_is_never_handed_on_as_a_number() {
    for kind in KINDS {
        let small = PredictorCapacity {
            jobs: 12,
            hmm: HmmCapacity { states: 2, bins: 8, slots: 1000, cells: 600 },
            window: 20,
            mixture: MixtureCapacity { histories: 20, ..capacity(kind).mixture },
            ..capacity(kind)
        };
        let mut memory = memory(&small, &options(kind));
        let mut predictor = attach(&mut memory);
        work(&mut predictor, 0, 0, 8 * DAY);
        predictor.submit(-1, keys(kind, 0), 8 * DAY).unwrap();
        let (mut refused, mut answered) = (0, 0);
        let step = if memory.len() > 8000 { 3 } else { 1 };
        for word in (0..memory.len()).step_by(step) {
            for value in [f64::NAN.to_bits(), (-1.0f64).to_bits(), f64::INFINITY.to_bits(), u64::MAX] {
                let mut copy = memory.clone();
                copy[word] = value;
                let Ok(mut predictor) = Predictor::attach(bytemuck::cast_slice_mut(&mut copy)) else {
                    refused += 1;
                    continue;
                };
                for said in [
                    predictor.predict(keys(kind, 0), 8 * DAY + 60),
                    predictor.said(-1),
                    predictor.predict_job(-1),
                ] {
                    match said {
                        Ok(Ok(found)) => {
                            let numbers = found.binned().map_or(&[][..], |(_, numbers)| numbers);
                            assert!(
                                numbers.iter().all(|p| (0.0..=1.0).contains(p)),
                                "{kind:?} {word} {numbers:?}"
                            );
                            answered += 1;
                        }
                        Ok(Err(_)) => {}
                        Err(_) => refused += 1,
                    }
                }
            }
        }
        assert!(refused > 10 && answered > 1000, "{kind:?}: {refused} {answered}");
    }
}

/// A clock that is wrong gives up every job; when it is set right, they are held as if nothing had been.
#[test]
fn who_was_given_up_by_a_wrong_clock_is_taken_up_again() {
    for kind in KINDS {
        let mut memory = memory(&capacity(kind), &options(kind));
        let mut predictor = attach(&mut memory);
        // Held, and too old by the right clock too.
        predictor.submit(-1, keys(kind, 0), 0).unwrap();
        work(&mut predictor, 0, 60, 22 * DAY);
        let now = 22 * DAY;
        for id in 1000..1006 {
            let when = now + 72 * (id - 1000);
            predictor.submit(id, keys(kind, id % 2), when).unwrap();
            if id % 2 == 0 {
                predictor.start(id, when + 1).unwrap();
            }
        }
        let right = now + HOUR;
        let mut other = memory.clone();
        let mut never_wrong = attach(&mut other);
        never_wrong.set_clock(right).unwrap();
        let mut predictor = attach(&mut memory);
        predictor.set_clock(right + 12 * DAY).unwrap();
        assert!(predictor.held().all(|job| job.given_up));
        predictor.set_clock(right).unwrap();
        let held: Vec<HeldJob> = predictor.held().collect();
        assert_eq!(held, never_wrong.held().collect::<Vec<_>>(), "{kind:?}");
        assert_eq!(held.iter().filter(|job| job.given_up).count(), 1);
        // Their growing ages count as observations again, their ends are learnt from, and learning goes on.
        for later in [right + 60, right + 5 * HOUR] {
            let said = predictor.predict(keys(kind, 0), later).unwrap();
            let expected = never_wrong.predict(keys(kind, 0), later).unwrap();
            if kind == PredictorKind::HmmOnline {
                assert!(said.is_ok() && expected.is_ok());
            } else {
                assert_eq!(said, expected, "{kind:?}");
            }
        }
        for predictor in [&mut predictor, &mut never_wrong] {
            for id in [1001, 1003, 1005] {
                predictor.start(id, right + id).unwrap();
            }
            for id in 1000..1006 {
                predictor.end(id, right + 3 * HOUR + id).unwrap();
            }
            assert_eq!((predictor.late_jobs(), predictor.jobs()), (0, 1), "{kind:?}");
        }
        let later = right + 4 * HOUR;
        if kind != PredictorKind::HmmOnline {
            let expected = never_wrong.predict(keys(kind, 1), later).unwrap();
            assert_eq!(predictor.predict(keys(kind, 1), later).unwrap(), expected, "{kind:?}");
        }
        let trainings = work(&mut predictor, 6000, later, later + 20 * DAY);
        assert!(!kind.is_hmm() || trainings > 0, "{kind:?}");
    }
}

/// On line every finished job is learnt at most once, however the clock is set back.
#[test]
fn what_is_learnt_on_line_is_not_learnt_twice() {
    let kind = PredictorKind::HmmOnline;
    let mut memory = memory(&capacity(kind), &options(kind));
    let (mut now, mut id, mut learnt) = (0, 0, 0);
    let mut random = 1u64;
    for round in 0..60 {
        let mut predictor = attach(&mut memory);
        for _ in 0..40 {
            predictor.submit(id, &[], now).unwrap();
            predictor.start(id, now).unwrap();
            predictor.end(id, now + 30).unwrap();
            (id, now) = (id + 1, now + HOUR);
        }
        loop {
            match predictor.train(1_000_000).unwrap() {
                Learning::Done(round) => learnt += round.jobs,
                Learning::More => {}
                Learning::Idle => break,
            }
        }
        assert!(learnt <= predictor.finished(), "{round}: {learnt} of {}", predictor.finished());
        if round % 3 == 2 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            now -= (random >> 33) as i64 % (2 * DAY);
            predictor.set_clock(now).unwrap();
        }
    }
    // Nor is much lost: what was not learnt yet when the clock was set back.
    assert!(learnt as i64 > id - 60, "{learnt} of {id}");
}
