/* surefill: probabilistic answers for batch schedulers. Licence: MIT OR Apache-2.0.
 *
 * The scheduler that a resource manager or a site's tool links. The parts that it is built of, for programs that need
 * them by themselves, are in surefill_parts.h. Generated from src/capi (SUREFILL_BLESS=1 cargo test --test header); do
 * not edit.
 *
 * One section per object: how it is used, then its constants, structures and functions. The examples leave out what to
 * do when a function fails; a program looks at every status. c-examples has whole programs.
 *
 * Conventions:
 *
 * - Every function returns a status: 0 (SUREFILL_OK) or a negative SUREFILL_ERROR_ number. A call that returns an error
 *   has changed nothing and written no output, unless its section says otherwise.
 * - Memory is the caller's. An object is made in a block of at least its size, aligned to 8 bytes; its handle is the
 *   block's address. Nothing is allocated, nothing needs to be freed, and nothing is kept outside the block. Blocks
 *   hold no pointers: they may be copied while no call uses them. The copy's handle is the copy's address: a handle
 *   kept beside a block that moves (in structures that are sorted, in memory from realloc) is to be set anew.
 * - A sealed block is a checkpoint, of as many bytes as surefill_block_size says. Its checksum lies in bytes 24 to 31:
 *   FNV-1a with 64 bits of the whole block with zeros there. A library whose layouts are others refuses it with
 *   WRONG_VERSION: the version in it is the layouts' fingerprint, not the library's version.
 * - No object keeps a pointer to what a call was given. Bins, distributions, options, capacities and arrays may be
 *   changed, reused or freed as soon as the call has returned.
 * - Inputs come before outputs; a const handle is not changed; what the pointers of one call point to does not overlap.
 *   Structures begin with struct_size, their size in bytes as the program knows it, and a call reads and writes no byte
 *   behind it, so that programs of before go on with newer libraries and the other way round. The macro of an init
 *   function tells it the size (a caller without macros gives it); of a structure without one the program sets it, with
 *   zeros for all that it leaves open. Arrays have it in their first element. Parts, experts and parameters of models
 *   have none: they stay as they are.
 * - Every ..._size function takes a capacity and writes the bytes that an object of this capacity needs. Objects
 *   without a capacity have a constant ..._SIZE instead.
 * - Times are whole seconds in int64_t since any fixed origin, from 0 to 2^53; where a time may be left open 0 is none.
 *   Probabilities are doubles from 0 to 1, indices count
 *   from 0. A limit is a job's time limit.
 * - A call takes at most 20 kB of stack, the scheduler's and its cycles' the most (x86-64; measured by the tests).
 * - No function takes a lock, does I/O, calls back or keeps global state. Distinct objects are independent. One object
 *   needs one thread or the caller's lock, unless its section says otherwise.
 *
 * Errors that are not repeated below:
 *
 *   NULL, MISALIGNED            of any pointer
 *   WRONG_OBJECT, WRONG_VERSION, FOREIGN_BYTE_ORDER, CORRUPT
 *                               of any handle, and of a block that is opened
 *   NO_STRUCT_SIZE              of a structure whose struct_size was not set
 *   WRONG_VERSION               of a structure whose struct_size is that of no version, or with a member set that this
 *                               version does not know
 *   TOO_SMALL                   of any block of memory; OUT_OF_RANGE when its length is negative
 *   NOT_A_NUMBER                of any double
 *   SPAN_TOO_LONG               of any span in whole seconds; OUT_OF_RANGE when it is negative
 */
