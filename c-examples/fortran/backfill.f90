! One scheduling pass, printed as a table: which waiting jobs may start ahead of the head job?
program backfill
  use surefill_parts
  implicit none

  ! The candidates: processors, time limit in seconds, how many seconds jobs like it ran.
  integer(c_int32_t), parameter :: widths(5) = [8, 20, 12, 4, 8]
  integer(c_int64_t), parameter :: limits(5) = [3600, 1800, 14400, 7200, 36000]
  integer(c_int64_t), parameter :: ran(4, 5) = reshape([integer(c_int64_t) :: &
      120, 200, 310, 3100, &
      600, 900, 1200, 1700, &
      9000, 11000, 12000, 14000, &
      60, 90, 90, 150, &
      20, 600, 25000, 30000], [4, 5])
  integer(c_int64_t), parameter :: now = 1000000, all_at_once = huge(now)

  type(c_ptr) :: bins, pass, predictions(5)
  type(surefill_pass_capacity) :: capacities
  type(surefill_rule) :: rule
  integer(c_int64_t), allocatable, target :: bins_block(:), pass_block(:), blocks(:, :)
  integer(c_int64_t) :: bytes, median
  integer(c_int32_t) :: step, candidate, exactness, verdict, idle
  real(c_double) :: delay, on_time
  integer :: i

  allocate (bins_block(words(SUREFILL_BINS_SIZE)))
  call check(surefill_bins_init_default(c_loc(bins_block), 8 * size(bins_block, kind=c_int64_t), bins))

  call check(surefill_pass_capacity_init(capacities, c_sizeof(capacities)))
  capacities%processors = 64
  call check(surefill_pass_size(capacities, bytes))
  allocate (pass_block(words(bytes)))
  call check(surefill_pass_init(c_loc(pass_block), 8 * size(pass_block, kind=c_int64_t), capacities, pass))

  ! Of 64 processors 24 are idle; the head job, number 7, waits for 48. Of the running jobs only the limits are known.
  call check(surefill_pass_begin(pass, now, 24_c_int32_t, 7_c_int64_t, 48_c_int32_t, 0_c_int64_t))
  call check(surefill_pass_add_running(pass, 24_c_int32_t, 4500_c_int64_t, 7200_c_int64_t, c_null_ptr, c_null_ptr))
  call check(surefill_pass_add_running(pass, 16_c_int32_t, 60_c_int64_t, 86400_c_int64_t, c_null_ptr, c_null_ptr))

  allocate (blocks(words(SUREFILL_DISTRIBUTION_SIZE), 5))
  do i = 1, 5
    call check(surefill_distribution_init_samples(c_loc(blocks(1, i)), &
        8 * size(blocks, 1, kind=c_int64_t), bins, ran(:, i), c_null_ptr, 4_c_int32_t, predictions(i)))
    call check(surefill_pass_add_candidate(pass, widths(i), limits(i), predictions(i), c_null_ptr))
  end do

  ! A candidate may start when it delays the head job with a probability below 20 %.
  call check(surefill_rule_init(rule, c_sizeof(rule)))
  rule%criterion = SUREFILL_CRITERION_PROBABILITY
  rule%threshold = 0.2_c_double
  rule%or_easy = 0_c_int32_t
  do
    call check(surefill_pass_decide(pass, rule, all_at_once, step, candidate))
    if (step == SUREFILL_STEP_DONE) exit
    if (step == SUREFILL_STEP_ACCEPT) call check(surefill_pass_commit(pass, candidate))
  end do

  print '(a)', 'candidate  processors  limit (s)  delay probability  verdict'
  do i = 1, 5
    call check(surefill_pass_judgement(pass, int(i - 1, c_int32_t), delay, exactness, verdict))
    print '(i9, i12, i11, f19.3, 2x, a)', i, widths(i), limits(i), delay, c_string(surefill_name(SUREFILL_NAME_VERDICT, verdict))
  end do
  call check(surefill_pass_idle(pass, idle))
  call check(surefill_pass_head_start_quantile(pass, 0.5_c_double, median))
  call check(surefill_pass_free_probability(pass, 48_c_int32_t, now + 3600, on_time))
  print '(a, i0, a)', 'Idle now: ', idle, ' processors.'
  print '(a, i0, a, f0.1, a)', 'The head job starts in ', median - now, ' s (median); within the hour with ', &
      100 * on_time, ' %.'

contains

  !> How many numbers of 8 bytes hold a number of bytes.
  pure integer(c_int64_t) function words(bytes)
    integer(c_int64_t), intent(in) :: bytes

    words = (bytes + 7) / 8
  end function words

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status

    if (status == SUREFILL_OK) return
    print '(a)', surefill_status_message(status)
    error stop
  end subroutine check

end program backfill
