//! The C functions answer as the core does, on calls drawn from seeds: see `calls.rs`. Whatever else is called so, and
//! with any bytes, is the fuzz targets'.
#![cfg(feature = "capi")]

#[path = "calls.rs"]
mod calls;
#[path = "../common/splitmix.rs"]
mod splitmix;

/// Calls on a kind of object, drawn from each seed.
fn played(kind: u8, seeds: u64, bytes: usize) {
    for seed in 0..seeds {
        let mut state = seed << 8 | u64::from(kind);
        let drawn = (1..bytes).map(|_| splitmix::splitmix(&mut state) as u8);
        calls::play(&std::iter::once(kind).chain(drawn).collect::<Vec<u8>>());
    }
}

#[test]
fn bins() {
    played(0, 200, 200);
}

#[test]
fn distributions() {
    played(1, 300, 400);
}

#[test]
fn passes() {
    played(2, 400, 6000);
}

#[test]
fn nodes() {
    played(3, 200, 2000);
}

#[test]
fn waits() {
    played(4, 96, 6000);
}

#[test]
fn sizes() {
    played(5, 100, 2000);
}

#[test]
fn plain_numbers() {
    played(calls::KINDS - 1, 10, 6000);
}
