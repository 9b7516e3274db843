//! Calls on bins and distributions. Whether one may succeed is asked of the Rust functions behind the C ABI.

use crate::World;
use crate::blocks::{Block, handle, place, succeeded};
use crate::input::{Input, MARK_INT, MARK_LONG, MARK_REAL};
use std::ptr::null_mut;
use surefill::capi::*;
use surefill::runtime::{MAX_BINS, MAX_EVENTS_PER_BIN, Release, RuntimeBins, RuntimeDistribution};

/// The most releases of one job.
const MOST_RELEASES: usize = MAX_BINS * MAX_EVENTS_PER_BIN;

pub struct Bins {
    pub block: Block,
    value: RuntimeBins,
}

pub struct Distribution {
    pub block: Block,
    pub value: RuntimeDistribution,
}

const INIT: [i32; 3] = [SUREFILL_ERROR_TOO_SMALL, SUREFILL_ERROR_NOT_A_NUMBER, SUREFILL_ERROR_OUT_OF_RANGE];

pub fn make_bins(world: &mut World, input: &mut Input) {
    let slot = input.below(world.bins.len() as u8);
    let block = Block::new(SUREFILL_BINS_SIZE);
    let (memory, length, placed) = place(input, &block, SUREFILL_BINS_SIZE);
    let mut made = null_mut();
    let out = input.output(&mut made);
    let first = if input.rarely() { input.wild_real() } else { 0.5 + input.below(40) as f64 / 4.0 };
    let ratio = if input.rarely() { input.wild_real() } else { 1.0 + input.below(80) as f64 / 40.0 };
    let (status, value) = match input.below(4) {
        0 => {
            let value = RuntimeBins::default();
            (unsafe { surefill_bins_init_default(memory, length, out) }, Ok(value))
        }
        1 => {
            let longest = input.seconds();
            let status = unsafe { surefill_bins_init_covering(memory, length, first, ratio, longest, out) };
            (status, RuntimeBins::covering(first, ratio, longest))
        }
        _ => {
            let count = input.int(10);
            let status = unsafe { surefill_bins_init(memory, length, first, ratio, count, out) };
            (status, RuntimeBins::new(first, ratio, usize::try_from(count).unwrap_or(0)))
        }
    };
    let legal = placed && out == &raw mut made && value.is_ok();
    if succeeded(status, legal, &INIT) {
        assert_eq!(made, block.pointer());
        world.bins[slot] = value.ok().map(|value| Bins { block, value });
    } else {
        assert!(made.is_null());
    }
}

pub fn ask_bins(world: &mut World, input: &mut Input) {
    let (bins, slot) = handle::<surefill_bins, _>(input, &world.bins, |bins| &bins.block, &world.stranger);
    let value = slot.and_then(|slot| world.bins[slot].as_ref()).map(|bins| &bins.value);
    let mut number = MARK_INT;
    let out = input.output(&mut number);
    let legal = value.is_some() && out == &raw mut number;
    if succeeded(unsafe { surefill_bins_count(bins, out) }, legal, &[]) {
        assert_eq!(Some(number as usize), value.map(RuntimeBins::count));
    } else {
        assert_eq!(number, MARK_INT);
    }

    let index = input.int(12);
    let (mut lower, mut upper) = (MARK_REAL, MARK_REAL);
    let (low, high) = (input.output(&mut lower), input.output(&mut upper));
    let known = value.is_some_and(|bins| usize::try_from(index).is_ok_and(|index| index < bins.count()));
    let legal = known && low == &raw mut lower && high == &raw mut upper;
    let status = unsafe { surefill_bins_edges(bins, index, low, high) };
    if succeeded(status, legal, &[SUREFILL_ERROR_NO_SUCH_INDEX]) {
        assert!(0.0 < lower && lower < upper);
        let mut found = MARK_INT;
        assert_eq!(unsafe { surefill_bins_index(bins, lower, &mut found) }, SUREFILL_OK);
        assert_eq!(found, index);
    } else {
        assert_eq!((lower, upper), (MARK_REAL, MARK_REAL));
    }

    let seconds = input.real();
    let mut index = MARK_INT;
    let out = input.output(&mut index);
    let legal = value.is_some() && !seconds.is_nan() && out == &raw mut index;
    let status = unsafe { surefill_bins_index(bins, seconds, out) };
    if succeeded(status, legal, &[SUREFILL_ERROR_NOT_A_NUMBER]) {
        assert!(value.is_some_and(|bins| (0..bins.count() as i32).contains(&index)));
    } else {
        assert_eq!(index, MARK_INT);
    }
}

pub fn make_distribution(world: &mut World, input: &mut Input) {
    let slot = input.below(world.distributions.len() as u8);
    let block = Block::new(SUREFILL_DISTRIBUTION_SIZE);
    let (memory, length, placed) = place(input, &block, SUREFILL_DISTRIBUTION_SIZE);
    let mut made = null_mut();
    let out = input.output(&mut made);
    let (bins, bins_slot) =
        handle::<surefill_bins, _>(input, &world.bins, |bins| &bins.block, &world.stranger);
    let bins_value = bins_slot.and_then(|slot| world.bins[slot].as_ref()).map(|bins| &bins.value);
    let (status, value) = match input.below(3) {
        0 => {
            let seconds = input.seconds();
            let status = unsafe { surefill_distribution_init_single(memory, length, seconds, out) };
            (status, RuntimeDistribution::single(seconds).ok())
        }
        1 => {
            let usual = bins_value.map_or(0, RuntimeBins::count);
            let count = if input.rarely() { input.below(70) } else { usual };
            let counts: Vec<f64> = (0..count).map(|_| input.real()).collect();
            let (pointer, count) = array(input, &counts);
            let status =
                unsafe { surefill_distribution_init_counts(memory, length, bins, pointer, count, out) };
            let given =
                if count == 0 { Some(&[][..]) } else { (pointer == counts.as_ptr()).then_some(&counts[..]) };
            (
                status,
                bins_value.zip(given).and_then(|(bins, c)| RuntimeDistribution::from_counts(bins, c).ok()),
            )
        }
        _ => {
            let count = input.below(12);
            let runtimes: Vec<i64> = (0..count).map(|_| input.seconds()).collect();
            let weights: Option<Vec<f64>> =
                (input.below(2) == 0).then(|| (0..count).map(|_| input.real()).collect());
            let pointer = weights.as_ref().map_or(null_mut(), |weights| weights.as_ptr().cast_mut());
            let (status, count) = (count as i32, count);
            let status = unsafe {
                surefill_distribution_init_samples(
                    memory,
                    length,
                    bins,
                    runtimes.as_ptr(),
                    pointer,
                    status,
                    out,
                )
            };
            let weights = weights.unwrap_or_else(|| vec![1.0; count]);
            let samples = runtimes.into_iter().zip(weights);
            (status, bins_value.and_then(|bins| RuntimeDistribution::from_samples(bins, samples).ok()))
        }
    };
    let legal = placed && out == &raw mut made && value.is_some();
    if succeeded(status, legal, &INIT) {
        assert_eq!(made, block.pointer());
        world.distributions[slot] = value.map(|value| Distribution { block, value });
    } else {
        assert!(made.is_null());
    }
}

/// An array as passed to a call: seldom NULL or of a negative length.
fn array(input: &mut Input, values: &[f64]) -> (*const f64, i32) {
    let count = values.len() as i32;
    if !input.rarely() {
        return (values.as_ptr(), count);
    }
    if input.below(2) == 0 { (null_mut(), count) } else { (null_mut(), -1) }
}

pub fn ask_distribution(world: &mut World, input: &mut Input) {
    let (handle, slot) =
        handle::<surefill_distribution, _>(input, &world.distributions, |d| &d.block, &world.stranger);
    let limit = RuntimeDistribution::limit();
    let known = slot.and_then(|slot| world.distributions[slot].as_ref()).map(|d| &d.value);
    let value = if handle.is_null() { Some(&limit) } else { known };
    let (age, limit) = (input.seconds(), input.seconds());
    quantile(input, handle, value, age, limit);
    remaining(input, handle, value, age, limit);
    recalculate(input, handle, value, age, limit);
}

fn quantile(
    input: &mut Input,
    handle: *const surefill_distribution,
    value: Option<&RuntimeDistribution>,
    age: i64,
    limit: i64,
) {
    let (quantile, mut seconds) = (input.probability(), MARK_LONG);
    let out = input.output(&mut seconds);
    let expected = value.and_then(|value| value.quantile(quantile, age, limit).ok());
    let status = unsafe { surefill_distribution_quantile(handle, quantile, age, limit, out) };
    let errors = [SUREFILL_ERROR_NOT_A_NUMBER, SUREFILL_ERROR_OUT_OF_RANGE];
    if succeeded(status, expected.is_some() && out == &raw mut seconds, &errors) {
        assert!(seconds >= 1 && seconds <= (limit - age).max(1), "{seconds} of {age} to {limit}");
    } else {
        assert_eq!(seconds, MARK_LONG);
    }
}

fn remaining(
    input: &mut Input,
    handle: *const surefill_distribution,
    value: Option<&RuntimeDistribution>,
    age: i64,
    limit: i64,
) {
    let events = input.int(17);
    let capacity = if input.rarely() { input.below(20) } else { MOST_RELEASES };
    let (mut seconds, mut probabilities) = (vec![MARK_LONG; capacity], vec![MARK_REAL; capacity]);
    let mut count = MARK_INT;
    let out = input.output(&mut count);
    let status = unsafe {
        surefill_distribution_remaining(
            handle,
            age,
            limit,
            events,
            seconds.as_mut_ptr(),
            probabilities.as_mut_ptr(),
            capacity as i32,
            out,
        )
    };
    let mut releases = [Release::default(); MOST_RELEASES];
    let events = usize::try_from(events).unwrap_or(0);
    let expected = value.and_then(|value| value.remaining(age, limit, events, &mut releases).ok());
    let room = value.map_or(1, |value| value.max_releases(events));
    let legal = expected.is_some_and(|count| count <= room) && room <= capacity && out == &raw mut count;
    if succeeded(status, legal, &[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_FULL]) {
        let (seconds, probabilities) = (&seconds[..count as usize], &probabilities[..count as usize]);
        assert!(seconds[0] >= 1 && seconds.windows(2).all(|pair| pair[0] < pair[1]));
        distributed(probabilities);
    } else {
        assert_eq!(count, MARK_INT);
        assert!(seconds.iter().all(|&s| s == MARK_LONG) && probabilities.iter().all(|&p| p == MARK_REAL));
    }
}

fn recalculate(
    input: &mut Input,
    handle: *const surefill_distribution,
    value: Option<&RuntimeDistribution>,
    age: i64,
    limit: i64,
) {
    let capacity = if input.rarely() { input.below(20) } else { MAX_BINS };
    let (mut probabilities, mut count) = (vec![MARK_REAL; capacity], MARK_INT);
    let out = input.output(&mut count);
    let expected = value.and_then(|value| value.recalculated(age, limit).ok());
    let bins = expected.map(|value| value.binned().map_or(0, |(bins, _)| bins.count()));
    let legal = bins.is_some_and(|bins| bins <= capacity) && out == &raw mut count;
    let status = unsafe {
        let (to, capacity) = (probabilities.as_mut_ptr(), capacity as i32);
        surefill_distribution_recalculate(handle, age, limit, to, capacity, out)
    };
    if succeeded(status, legal, &[SUREFILL_ERROR_OUT_OF_RANGE, SUREFILL_ERROR_FULL]) {
        assert_eq!(Some(count as usize), bins);
        if count > 0 {
            distributed(&probabilities[..count as usize]);
        }
    } else {
        assert!(count == MARK_INT && probabilities.iter().all(|&p| p == MARK_REAL));
    }
}

fn distributed(probabilities: &[f64]) {
    let sum: f64 = probabilities.iter().sum();
    assert!(probabilities.iter().all(|&p| p >= 0.0) && (sum - 1.0).abs() < 1e-9, "{sum}: {probabilities:?}");
}
