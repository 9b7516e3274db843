!> surefill, the models for research: the functions of surefill_models.h, which says what they do. Less stable than the
!> module surefill, whose conventions hold here too. Generated with it; do not edit. Licence: MIT OR Apache-2.0.
