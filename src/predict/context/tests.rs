use super::*;
use crate::math::mix::mix;
use std::vec::Vec;

fn capacity() -> ContextCapacity {
    ContextCapacity { bins: 5, jobs: 3, histories: 64, reserved: 0 }
}

fn bins() -> RuntimeBins {
    RuntimeBins::new(10.0, 4.0, 5).unwrap()
}

fn memory(capacity: &ContextCapacity) -> Vec<u64> {
    std::vec![0; ContextMixture::size(capacity).unwrap().div_ceil(8)]
}

#[test]
fn memory_follows_the_documented_formula() {
    for capacity in [ContextCapacity::default(), ContextCapacity { jobs: 1, ..Default::default() }] {
        let size = ContextMixture::size(&capacity).unwrap() as f64;
        let (n, j, h) = (24.0, f64::from(capacity.jobs), f64::from(capacity.histories));
        let documented = h * (4.0 * n + 23.0) + j * (35.0 * n + 368.0) + 2000.0 * (n + 125.0);
        assert!((size / documented - 1.0).abs() < 0.02, "{size} {documented}");
    }
}

#[test]
fn bad_input_changes_nothing() {
    let capacity = capacity();
    let mut block = memory(&capacity);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut block);
    for bad in [
        ContextCapacity { bins: 1, ..capacity },
        ContextCapacity { bins: MAX_BINS as u32 + 1, ..capacity },
        ContextCapacity { jobs: 0, ..capacity },
        ContextCapacity { jobs: MOST + 1, ..capacity },
        ContextCapacity { histories: 0, ..capacity },
        ContextCapacity { histories: u32::MAX, ..capacity },
        ContextCapacity { reserved: 1, ..capacity },
    ] {
        assert_eq!(ContextMixture::size(&bad), Err(Error::OutOfRange), "{bad:?}");
    }
    assert_eq!(ContextMixture::init(&mut bytes[8..], &capacity, &bins()).err(), Some(Error::TooSmall));
    assert_eq!(
        ContextMixture::init(bytes, &capacity, &RuntimeBins::default()).err(),
        Some(Error::OutOfRange)
    );
    assert!(bytes.iter().all(|byte| *byte == 0));
    let mut mixture = ContextMixture::init(bytes, &capacity, &bins()).unwrap();
    let mut out = [0.0; 5];
    assert_eq!(mixture.submit(0, &[1, 100, 1], 0, &mut out), Ok(false));
    let before = mixture.tables.jobs[0].number;
    assert_eq!(mixture.submit(0, &[1, 100, 1], 0, &mut out), Err(Error::DuplicateJob));
    assert_eq!(mixture.submit(3, &[1, 100, 1], 0, &mut out), Err(Error::OutOfRange));
    assert_eq!(mixture.submit(1, &[1, 100], 0, &mut out), Err(Error::OutOfRange));
    assert_eq!(mixture.submit(1, &[1, 100, 1], 0, &mut out[1..]), Err(Error::OutOfRange));
    assert_eq!(mixture.start(1, 0), Err(Error::UnknownJob));
    assert_eq!(mixture.start(0, 5), Ok(()));
    assert_eq!(mixture.start(0, 5), Err(Error::AlreadyStarted));
    assert_eq!(mixture.end(0, -1, 5), Err(Error::OutOfRange));
    assert_eq!(mixture.end(0, MAX_SECONDS + 1, 5), Err(Error::OutOfRange));
    assert_eq!(mixture.end(9, 1, 5), Err(Error::UnknownJob));
    assert_eq!(mixture.cancel(2), Err(Error::UnknownJob));
    assert_eq!(mixture.learn(&[1], 1, 5), Err(Error::OutOfRange));
    assert_eq!((mixture.tables.jobs[0].number, mixture.finished()), (before, 0));
    assert_eq!(mixture.predict(&[1, 2, 3], 9, &mut out), Ok(false));
    mixture.end(0, 7, 12).unwrap();
    assert_eq!(mixture.end(0, 7, 12), Err(Error::UnknownJob));
    assert_eq!(mixture.predict(&[1, 2, 3], 9, &mut out), Ok(true));
}

#[test]
fn absurd_numbers_and_few_places_leave_probabilities() {
    let numbers = [i64::MIN, -1, 0, 1, 9, 11, 3000, MAX_SECONDS, i64::MAX];
    for histories in [1, 64] {
        let capacity = ContextCapacity { histories, ..capacity() };
        let mut block = memory(&capacity);
        let mut mixture =
            ContextMixture::init(bytemuck::cast_slice_mut(&mut block), &capacity, &bins()).unwrap();
        let mut random = 1u64;
        let mut next = |count: usize| {
            random = mix(random);
            (random % count as u64) as usize
        };
        let mut out = [0.0; 5];
        for _ in 0..5000 {
            let keys = [numbers[next(9)], numbers[next(9)], numbers[next(9)]];
            let now = numbers[next(9)];
            let record = next(3) as u32;
            match next(5) {
                0 => drop(mixture.start(record, now)),
                1 => drop(mixture.end(record, [0, 5, 50, 900, MAX_SECONDS][next(5)], now)),
                2 => drop(mixture.cancel(record)),
                3 => drop(mixture.learn(&keys, [0, 5, 50, 900, MAX_SECONDS][next(5)], now)),
                _ => drop(mixture.submit(record, &keys, now, &mut out)),
            }
            if mixture.predict(&keys, now, &mut out).unwrap() {
                assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{out:?}");
                assert!(out.iter().all(|p| *p > 0.0), "{out:?}");
            }
        }
    }
}

#[test]
fn learns_which_likeness_matters() {
    // Short with one limit, long with the other.
    let capacity = ContextCapacity { histories: 4096, ..capacity() };
    let mut block = memory(&capacity);
    let mut mixture = ContextMixture::init(bytemuck::cast_slice_mut(&mut block), &capacity, &bins()).unwrap();
    let mut out = [0.0; 5];
    for i in 0..40 {
        mixture.learn(&[1, 600, 4], 20, 1000 * i).unwrap();
        mixture.learn(&[1, 7200, 4], 5000, 1000 * i + 500).unwrap();
    }
    mixture.predict(&[1, 600, 4], 50_000, &mut out).unwrap();
    assert!(out[bins().bin_of(20.0)] > 0.95, "{out:?}");
    mixture.predict(&[1, 7200, 4], 50_000, &mut out).unwrap();
    assert!(out[bins().bin_of(5000.0)] > 0.95, "{out:?}");
}

#[test]
fn damage_is_found() {
    let capacity = ContextCapacity { bins: 2, jobs: 1, histories: 8, reserved: 0 };
    let bins = RuntimeBins::new(10.0, 4.0, 2).unwrap();
    let mut block = memory(&capacity);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut block);
    let fill = |bytes: &mut [u8]| {
        let mut mixture = ContextMixture::init(bytes, &capacity, &bins).unwrap();
        mixture.learn(&[1, 2, 3], 50, 100).unwrap();
        mixture.submit(0, &[1, 2, 3], 120, &mut [0.0; 2]).unwrap();
    };
    fill(bytes);
    assert_eq!(ContextMixture::open(bytes).err(), Some(Error::Corrupt), "not sealed");
    ContextMixture::seal(bytes).unwrap();
    let sealed = bytes.to_vec();
    for place in (0..bytes.len()).filter(|place| *place < 3000 || place % 97 == 0) {
        bytes[place] ^= 0x55;
        assert!(ContextMixture::open(bytes).is_err(), "{place}");
        // Without the check of the seal nothing may panic either.
        if let Ok(mut mixture) = ContextMixture::attach(bytes) {
            let mut out = [0.0; 2];
            let _ = (mixture.predict(&[1, 2, 3], 9, &mut out), mixture.start(0, 130), mixture.end(0, 5, 135));
            let _ = (mixture.learn(&[3, 4, 5], 50, 140), mixture.submit(0, &[1, 2, 3], 150, &mut out));
        }
        bytes.copy_from_slice(&sealed);
    }
    ContextMixture::open(bytes).unwrap();
    bytes.chunks_mut(8).take(1).for_each(|magic| magic.reverse());
    assert_eq!(ContextMixture::open(bytes).err(), Some(Error::ForeignByteOrder));
}
