!> surefill: probabilistic answers for batch schedulers. Licence: MIT OR Apache-2.0.
!>
!> The functions of surefill.h, which says what they do and which statuses they return, under the same names and with the
!> arguments in the same order. Generated with it; do not edit. What differs in Fortran:
!>
!> - Handles (bins, distributions, passes, models and so on) and blocks of memory are type(c_ptr). An allocatable array of
!>   integer(c_int64_t) with the target attribute is aligned as a block must be.
!> - c_null_ptr is NULL: for a distribution of which nothing is known, and for the few arguments that are addresses because
!>   they may be left out.
!> - Indices count from 0, as in C.
!> - After an error the outputs are undefined, as Fortran has it for intent(out).
!>
!> The kinds that callers need (c_int32_t, c_int64_t, c_double, c_ptr and so on) come with the module.
