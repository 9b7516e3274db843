/* surefill, machines of nodes that jobs share by cores, memory, GPUs and licences: who holds what, where a job finds
 * room, and by how much a candidate there delays the head job. Licence: MIT OR Apache-2.0.
 *
 * The conventions of surefill.h hold here too. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do
 * not edit.
 */
