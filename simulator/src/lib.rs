//! surefill simulator
