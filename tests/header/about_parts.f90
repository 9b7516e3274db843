!> surefill, the parts of a scheduler: the functions of surefill_parts.h, which says what they do. Less stable than the
!> module surefill, whose conventions hold here too. Generated with it; do not edit. Licence: MIT OR Apache-2.0.
