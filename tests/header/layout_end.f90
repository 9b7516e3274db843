
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
