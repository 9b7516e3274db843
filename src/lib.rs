//! surefill
#![no_std]
#![deny(unsafe_code)]
#[cfg(test)]
extern crate std;
pub mod backfill;
pub mod error;
pub mod memory;
pub mod runtime;
