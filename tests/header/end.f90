
    !> The C library's strlen.
    pure function c_string_length(string) bind(c, name='strlen') result(length)
      import
      type(c_ptr), value :: string
      integer(c_size_t) :: length
    end function c_string_length
  end interface

contains

  !> A status in words: its name and a sentence, "SUREFILL_ERROR_FULL: a capacity fixed at initialisation is reached".
  function surefill_status_message(status) result(message)
    integer(c_int32_t), intent(in) :: status
    character(len=:), allocatable :: message

    message = c_string(surefill_status_name(status)) // ': ' // c_string(surefill_status_text(status))
  end function surefill_status_message

  !> A copy of a C string.
  function c_string(address) result(string)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: characters(:)
    integer :: i

    call c_f_pointer(address, characters, [c_string_length(address)])
    allocate (character(len=size(characters)) :: string)
    do i = 1, size(characters)
      string(i:i) = characters(i)
    end do
  end function c_string

end module surefill
