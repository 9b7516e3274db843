//! The predictor of one queue against naive re-implementations, on bad input, and as a checkpoint.

mod wait_common;

use surefill::error::Error;
use surefill::wait::*;
use wait_common::*;

#[test]
fn without_components_it_is_the_binomial_method_on_the_newest_waits() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(0)).unwrap();
    let mut random = Random(1);
    let mut waits: Vec<i64> = Vec::new();
    let mut waiting: Vec<(i64, i64)> = Vec::new();
    let mut now = -5000;
    for id in 0..4000 {
        now += random.exponential(20.0);
        while waiting.len() > random.next(40) as usize {
            let (id, submitted) = waiting.remove(random.next(waiting.len() as u64) as usize);
            if random.next(10) == 0 {
                predictor.cancel(id, now).unwrap();
                continue;
            }
            assert_eq!(predictor.start(id, now), Ok(now - submitted));
            waits.push(now - submitted);
            if waits.len() > 500 {
                waits.remove(0);
            }
        }
        let wanted = naive_bound(&waits, 0.95, 0.95);
        assert_eq!(predictor.submit(id, now, &job(60)), Ok(wanted));
        waiting.push((id, now));
        assert_eq!(predictor.predict(&job(7), 0.95, 0.95, now), Ok(wanted));
        assert_eq!(predictor.predict(&job(7), 0.5, 0.9, now + 9), Ok(naive_bound(&waits, 0.5, 0.9)));
        assert_eq!(
            (predictor.queued() as usize, predictor.remembered() as usize),
            (waiting.len(), waits.len())
        );
        // The lower bound.
        let mut sorted = waits.clone();
        sorted.sort();
        let low = lower_index(waits.len() as u64, 0.25, 0.8).unwrap();
        let low = low.map_or(WaitAnswer::TooLittleHistory, |k| WaitAnswer::Bound(sorted[k as usize - 1]));
        assert_eq!(predictor.predict_lower(&job(7), 0.25, 0.8, now), Ok(low));
        let both = match two_sided_indices(waits.len() as u64, 0.4, 0.9).unwrap() {
            Some((low, high)) => [low, high].map(|k| WaitAnswer::Bound(sorted[k as usize - 1])),
            None => [WaitAnswer::TooLittleHistory; 2],
        };
        assert_eq!(predictor.predict_two_sided(&job(7), 0.4, 0.9, now), Ok((both[0], both[1])));
        // A job that waits already.
        let (old, submitted) = waiting[random.next(waiting.len() as u64) as usize];
        let later = now + random.next(50) as i64;
        let longer: Vec<i64> = waits.iter().copied().filter(|wait| *wait >= later - submitted).collect();
        assert_eq!(predictor.predict_waiting(old, 0.8, 0.9, later), Ok(naive_bound(&longer, 0.8, 0.9)));
        let aged = predictor.predict_aged(&job(7), later - submitted, 0.8, 0.9, later);
        assert_eq!(aged, Ok(naive_bound(&longer, 0.8, 0.9)));
        // The probability of starting.
        let (age, within) = (random.next(100) as i64, random.next(1000) as i64);
        let probability = predictor.start_probability(&job(7), age, within, 0.9).unwrap();
        let longer = waits.iter().filter(|wait| **wait >= age).count();
        let hits = waits.iter().filter(|wait| **wait >= age && **wait <= within).count();
        assert_eq!(probability.waits, longer as u64);
        let observed = if hits == 0 { 0.0 } else { hits as f64 / longer as f64 };
        assert_eq!(probability.observed, observed);
        assert!(probability.at_least <= observed);
    }
}

/// "At least this probable by T" and "by T' at this quantile" are one statement read in two directions.
#[test]
fn probability_and_bound_are_dual() {
    let mut memory = block(&LIMITS);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options(0)).unwrap();
    let mut random = Random(2);
    for _ in 0..300 {
        predictor.known(random.exponential(10_000.0), &job(1)).unwrap();
    }
    for confidence in [0.5, 0.9, 0.99] {
        for step in 1..100 {
            let quantile = f64::from(step) / 100.0;
            let WaitAnswer::Bound(bound) = predictor.predict(&job(1), quantile, confidence, 0).unwrap()
            else {
                continue;
            };
            let at = predictor.start_probability(&job(1), 0, bound, confidence).unwrap().at_least;
            let before = predictor.start_probability(&job(1), 0, bound - 1, confidence).unwrap().at_least;
            assert!(
                at >= quantile - 1e-12 && before < quantile + 1e-12,
                "{quantile} {confidence}: {before} {at}"
            );
        }
    }
}

#[test]
fn rivals_answer_like_their_slice_functions() {
    let mut random = Random(9);
    let waits: Vec<i64> = (0..300).map(|_| random.exponential(5000.0)).collect();
    let slice: Vec<f64> = waits.iter().map(|wait| *wait as f64).collect();
    let expected = |method| match method {
        WaitMethod::LogNormal => log_normal_bound(&slice, 0.9, 0.95).unwrap().unwrap(),
        WaitMethod::LogUniform => log_uniform_quantile(&slice, 0.9).unwrap().unwrap(),
        _ => weibull_quantile(&slice, 0.9).unwrap().unwrap().1,
    };
    for method in [WaitMethod::LogNormal, WaitMethod::LogUniform, WaitMethod::Weibull] {
        let options = WaitOptions { method, quantile: 0.9, ..options(0) };
        let mut memory = block(&LIMITS);
        let mut predictor =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &LIMITS, &options).unwrap();
        for wait in &waits {
            predictor.known(*wait, &job(1)).unwrap();
        }
        // The kept one may lag by 1/256 of the history; another question is answered afresh.
        for (confidence, tolerance) in [(0.95, 0.01), (0.95 + 1e-12, 1e-4)] {
            let WaitAnswer::Bound(bound) = predictor.predict(&job(1), 0.9, confidence, 0).unwrap() else {
                panic!()
            };
            let wanted = expected(method);
            assert!(
                (bound as f64 / wanted - 1.0).abs() < tolerance + 1.0 / wanted,
                "{method:?}: {bound} {wanted}"
            );
        }
    }
}

#[test]
fn the_block_is_the_checkpoint() {
    for components in [TRIM | CLUSTER | AVAILABILITY | ADAPT, AVAILABILITY | ADAPT | VISIBLE] {
        the_block_is_a_checkpoint(components);
    }
}

fn the_block_is_a_checkpoint(components: u32) {
    let mut memory = block(&LIMITS);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    WaitPredictor::init(bytes, &LIMITS, &WaitOptions { recluster_every: 150, ..options(components) })
        .unwrap();
    let mut random = Random(10);
    let run = |memory: &mut [u64], from: i64, to: i64, random: &mut Random| {
        let mut predictor = WaitPredictor::attach(bytemuck::cast_slice_mut(memory)).unwrap();
        let mut answers = Vec::new();
        for id in from..to {
            let requested = random.next(50) as i64 * 100;
            answers.push(predictor.submit(id, id * 30, &job(requested)).unwrap());
            if id >= 20 {
                predictor.start(id - 20, id * 30 + random.next(30) as i64).unwrap();
            }
        }
        answers
    };
    run(&mut memory, 0, 1000, &mut random);
    WaitPredictor::seal(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    let mut copy = memory.clone();
    WaitPredictor::open(bytemuck::cast_slice_mut(&mut copy)).unwrap();
    let mut again = Random(random.0);
    let (one, other) = (run(&mut memory, 1000, 2500, &mut random), run(&mut copy, 1000, 2500, &mut again));
    assert_eq!(one, other);
    assert!(memory == copy);
    assert!(one.iter().any(|answer| matches!(answer, WaitAnswer::Bound(_))));
    // Changed since it was sealed; sealed again; damaged.
    let open = |memory: &mut [u64]| WaitPredictor::open(bytemuck::cast_slice_mut(memory)).err();
    assert_eq!(open(&mut copy), Some(Error::Corrupt));
    WaitPredictor::seal(bytemuck::cast_slice_mut(&mut copy)).unwrap();
    assert_eq!(open(&mut copy), None);
    for word in [3, 10, 500, copy.len() - 1] {
        copy[word] ^= 1 << 17;
        assert_eq!(open(&mut copy), Some(Error::Corrupt), "{word}");
        copy[word] ^= 1 << 17;
    }
    copy[1] += 1;
    assert_eq!(open(&mut copy), Some(Error::WrongObject));
    copy[0] = copy[0].swap_bytes();
    assert_eq!(open(&mut copy), Some(Error::ForeignByteOrder));
}

#[test]
fn bad_input_changes_nothing() {
    let limits = WaitCapacity { queued: 3, ..LIMITS };
    let mut memory = block(&limits);
    let mut predictor =
        WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &limits, &options(15)).unwrap();
    for i in 0..100 {
        predictor.known(i, &job(i)).unwrap();
    }
    for id in 1..=3 {
        predictor.submit(id, 1000 + id, &job(5)).unwrap();
    }
    let before = memory.clone();
    let mut refuse = |error: Error, call: &dyn Fn(&mut WaitPredictor) -> Result<(), Error>| {
        let mut predictor = WaitPredictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
        assert_eq!(call(&mut predictor), Err(error));
        assert!(memory == before, "{error}");
    };
    refuse(Error::DuplicateJob, &|p| p.submit(2, 2000, &job(5)).map(drop));
    refuse(Error::Full, &|p| p.submit(4, 2000, &job(5)).map(drop));
    refuse(Error::TimeWentBack, &|p| p.submit(4, 1002, &job(5)).map(drop));
    refuse(Error::OutOfRange, &|p| p.submit(4, i64::MAX, &job(5)).map(drop));
    refuse(Error::OutOfRange, &|p| p.submit(4, i64::MIN, &job(5)).map(drop));
    refuse(Error::OutOfRange, &|p| p.submit(4, 2000, &job(-1)).map(drop));
    refuse(Error::SpanTooLong, &|p| p.submit(4, 2000, &job(i64::MAX)).map(drop));
    refuse(Error::UnknownJob, &|p| p.start(77, 2000).map(drop));
    refuse(Error::TimeWentBack, &|p| p.start(1, 1002).map(drop));
    refuse(Error::UnknownJob, &|p| p.cancel(77, 2000));
    refuse(Error::TimeWentBack, &|p| p.cancel(1, 1002));
    refuse(Error::OutOfRange, &|p| p.known(-1, &job(5)));
    refuse(Error::SpanTooLong, &|p| p.known(i64::MAX, &job(5)));
    refuse(Error::OutOfRange, &|p| p.known(1, &job(-5)));
    for (bad, error) in [
        (f64::NAN, Error::NotANumber),
        (0.0, Error::OutOfRange),
        (1.0, Error::OutOfRange),
        (-3.0, Error::OutOfRange),
    ] {
        refuse(error, &|p| p.predict(&job(5), bad, 0.95, 2000).map(drop));
        refuse(error, &|p| p.predict(&job(5), 0.95, bad, 2000).map(drop));
        refuse(error, &|p| p.predict_lower(&job(5), bad, 0.95, 2000).map(drop));
        refuse(error, &|p| p.predict_two_sided(&job(5), 0.95, bad, 2000).map(drop));
        refuse(error, &|p| p.predict_waiting(1, 0.95, bad, 2000).map(drop));
        refuse(error, &|p| p.predict_waiting(1, bad, 0.95, 2000).map(drop));
        refuse(error, &|p| p.start_probability(&job(5), 0, 5, bad).map(drop));
    }
    refuse(Error::TimeWentBack, &|p| p.predict(&job(5), 0.9, 0.95, 0).map(drop));
    refuse(Error::TimeWentBack, &|p| p.may_be_down(0).map(drop));
    refuse(Error::OutOfRange, &|p| p.predict_aged(&job(1), -1, 0.95, 0.9, 2000).map(drop));
    refuse(Error::SpanTooLong, &|p| p.predict_aged(&job(1), i64::MAX, 0.95, 0.9, 2000).map(drop));
    refuse(Error::UnknownJob, &|p| p.predict_waiting(4, 0.95, 0.9, 2000).map(drop));
    refuse(Error::OutOfRange, &|p| p.start_probability(&job(5), -1, 5, 0.9).map(drop));
    refuse(Error::OutOfRange, &|p| p.start_probability(&job(5), 0, -5, 0.9).map(drop));
    // A question that no history can answer.
    let mut predictor = WaitPredictor::attach(bytemuck::cast_slice_mut(&mut memory)).unwrap();
    assert_eq!(predictor.predict(&job(5), 1.0 - 1e-14, 0.95, 2000), Ok(WaitAnswer::TooLittleHistory));
    assert_eq!(predictor.start(1, 1003), Ok(2));
}

#[test]
fn refuses_bad_limits_options_and_memory() {
    let mut memory = block(&LIMITS);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    for limits in [
        WaitCapacity { history: 0, ..LIMITS },
        WaitCapacity { history: u32::MAX, ..LIMITS },
        WaitCapacity { queued: 0, ..LIMITS },
        WaitCapacity { queued: u32::MAX, ..LIMITS },
        WaitCapacity { releases: u32::MAX, ..LIMITS },
        WaitCapacity { clusters: 0, ..LIMITS },
        WaitCapacity { clusters: 17, ..LIMITS },
        WaitCapacity { neighbours: u32::MAX, ..LIMITS },
    ] {
        assert_eq!(WaitPredictor::size(&limits), Err(Error::OutOfRange));
        assert_eq!(WaitPredictor::init(bytes, &limits, &options(0)).err(), Some(Error::OutOfRange));
    }
    for (error, bad) in [
        (Error::OutOfRange, WaitOptions { components: 32, ..options(0) }),
        (Error::OutOfRange, WaitOptions { recluster_every: 0, ..options(0) }),
        (Error::OutOfRange, WaitOptions { quantile: 1.0, ..options(0) }),
        (Error::NotANumber, WaitOptions { confidence: f64::NAN, ..options(0) }),
        (Error::NotANumber, WaitOptions { rate: f64::NAN, ..options(0) }),
        (Error::OutOfRange, WaitOptions { rate: -0.1, ..options(0) }),
        (Error::NotANumber, WaitOptions { down_quantile: f64::NAN, ..options(0) }),
        // 2,995 waits do not fit the history.
        (Error::OutOfRange, WaitOptions { quantile: 0.999, ..options(0) }),
    ] {
        assert_eq!(WaitPredictor::init(bytes, &LIMITS, &bad).err(), Some(error), "{bad:?}");
    }
    let size = WaitPredictor::size(&LIMITS).unwrap();
    assert_eq!(
        WaitPredictor::init(&mut bytes[..size - 1], &LIMITS, &options(0)).err(),
        Some(Error::TooSmall)
    );
    assert_eq!(WaitPredictor::init(&mut bytes[1..], &LIMITS, &options(0)).err(), Some(Error::TooSmall));
    assert!(bytes.iter().all(|byte| *byte == 255));
    assert_eq!(WaitPredictor::attach(bytes).err(), Some(Error::WrongObject));
    assert_eq!(WaitMethod::from_number(4), Err(Error::OutOfRange));
    assert_eq!(Attribute::from_number(3), Ok(Attribute::Best));
    assert_eq!(Attribute::from_number(4), Err(Error::OutOfRange));
    // No detectors, one cluster: still a predictor.
    let small = WaitCapacity { history: 59, queued: 1, releases: 0, clusters: 1, neighbours: 0 };
    let mut predictor = WaitPredictor::init(bytes, &small, &WaitOptions::default()).unwrap();
    for id in 0..200 {
        predictor.submit(id, id * 2, &job(1)).unwrap();
        predictor.start(id, id * 2 + 1).unwrap();
    }
    assert_eq!(predictor.predict(&job(1), 0.95, 0.95, 10_000), Ok(WaitAnswer::Bound(1)));
}
