!> surefill, machines of nodes: the functions of surefill_nodes.h, which says what they do. The conventions of the module
!> surefill hold here too. Generated with it; do not edit. Licence: MIT OR Apache-2.0.
