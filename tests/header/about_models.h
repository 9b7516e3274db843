/* surefill, the models for research: the hidden Markov model by itself and on line, calibration of predictions by what
 * came, order statistics and their rivals, lifetimes. Licence: MIT OR Apache-2.0.
 *
 * Less stable than surefill.h, whose conventions hold here too: a function of this header may change or go with the
 * next minor version. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do not edit.
 */
