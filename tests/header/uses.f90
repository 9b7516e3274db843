  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int32_t, c_int64_t, c_loc, &
      c_null_char, c_null_ptr, c_ptr, c_size_t, c_sizeof
