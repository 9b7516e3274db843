/* surefill, the parts of a scheduler: what a program links that builds its own, or asks one question. The backfill
 * pass, forecasts of starts, the queue's order, machines of nodes, predictors of run times, bounds on waits, sizes of
 * malleable jobs; then the models for research: the hidden Markov model by itself and on line, order statistics,
 * lifetimes. Licence: MIT OR Apache-2.0.
 *
 * Less stable than surefill.h, whose conventions hold here too: a function of this header may change or go with the
 * next minor version. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do not edit.
 */
