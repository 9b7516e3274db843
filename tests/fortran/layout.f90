! What the Fortran compiler makes of the module's types, in the words of layout.c.
program layout
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_sizeof
  use surefill
  implicit none

  type(surefill_pass_limits), target :: limits
  type(surefill_rule), target :: rule
  type(surefill_job_event), target :: event
  integer(c_intptr_t) :: start
  character(len=:), allocatable :: name

  call begin('surefill_pass_limits', c_loc(limits), c_sizeof(limits))
  call member('struct_size', c_loc(limits%struct_size))
  call member('running', c_loc(limits%running))
  call member('candidates', c_loc(limits%candidates))
  call member('processors', c_loc(limits%processors))
  call member('bins', c_loc(limits%bins))
  call member('events_per_bin', c_loc(limits%events_per_bin))
  call member('tie_cells', c_loc(limits%tie_cells))

  call begin('surefill_rule', c_loc(rule), c_sizeof(rule))
  call member('struct_size', c_loc(rule%struct_size))
  call member('criterion', c_loc(rule%criterion))
  call member('threshold', c_loc(rule%threshold))
  call member('budget', c_loc(rule%budget))

  call begin('surefill_job_event', c_loc(event), c_sizeof(event))
  call member('kind', c_loc(event%kind))
  call member('processors', c_loc(event%processors))
  call member('job', c_loc(event%job))
  call member('time', c_loc(event%time))
  call member('limit', c_loc(event%limit))
  call member('user', c_loc(event%user))

contains

  subroutine begin(type_name, address, bytes)
    character(len=*), intent(in) :: type_name
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: bytes

    name = type_name
    start = transfer(address, start)
    print '(a, 1x, i0)', name, bytes
  end subroutine begin

  subroutine member(member_name, address)
    character(len=*), intent(in) :: member_name
    type(c_ptr), intent(in) :: address

    print '(3a, 1x, i0)', name, '%', member_name, transfer(address, start) - start
  end subroutine member

end program layout
