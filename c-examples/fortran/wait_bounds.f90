! How long will a job wait? Standard input says what others have waited, one a line in the order of their starts: seconds
! waited, seconds requested, processors. The arguments are what this job requests, and how long it has waited already:
!
!     SLURM_TIME_FORMAT=%s sacct -anPX -S now-60days -E now -s CD,F,TO -o Start,Submit,TimelimitRaw,NCPUS | sort -n |
!         awk -F '|' '{ print $1 - $2, 60 * $3, $4 }' | wait_bounds 3600 16 1800
!
! Without a scheduler at hand, three made-up lines: printf '60 3600 4\n90 3600 4\n600 7200 8\n' | wait_bounds 3600 4
program wait_bounds
  use, intrinsic :: iso_fortran_env, only: error_unit, iostat_end
  use surefill_parts
  implicit none

  real(c_double), parameter :: quantiles(4) = [0.5_c_double, 0.75_c_double, 0.9_c_double, 0.95_c_double]
  real(c_double), parameter :: confidence = 0.95_c_double
  integer(c_int64_t), parameter :: spans(4) = [600_c_int64_t, 3600_c_int64_t, 14400_c_int64_t, 86400_c_int64_t]
  integer(c_int64_t), parameter :: start = 0, work = 1000, this_job = 1

  integer(c_int64_t), allocatable, target :: block(:)
  integer(c_int64_t) :: requested, age, waits, bytes, bound, job(3)
  integer(c_int32_t) :: processors, answer, step
  real(c_double) :: probability, at_least
  type(surefill_wait_capacity) :: capacity
  type(surefill_wait_options) :: options
  type(c_ptr) :: wait
  character(len=200) :: line
  integer :: i, status
  logical :: understood

  requested = argument(1, 3600_c_int64_t)
  processors = int(argument(2, 1_c_int64_t), c_int32_t)
  age = argument(3, 0_c_int64_t)

  call check(surefill_wait_capacity_init(capacity, c_sizeof(capacity)))
  capacity%queued = 1
  capacity%history = 16384
  capacity%releases = 0
  capacity%neighbours = 0
  capacity%clusters = SUREFILL_MAX_CLUSTERS
  call check(surefill_wait_options_init(options, c_sizeof(options)))
  ! A list of waits does not tell whether the machine is up, nor what its jobs saw when they came: the paper's clusters.
  options%components = SUREFILL_COMPONENT_TRIM + SUREFILL_COMPONENT_CLUSTER
  call check(surefill_wait_size(capacity, bytes))
  allocate (block((bytes + 7) / 8))
  call check(surefill_wait_init(c_loc(block), 8 * size(block, kind=c_int64_t), capacity, options, wait))

  waits = 0
  do
    read (*, '(a)', iostat=status) line
    if (status == iostat_end) exit
    understood = status == 0 .and. integers(line, job)
    if (understood) understood = abs(job(3)) <= huge(processors)
    if (understood) understood = &
        surefill_wait_known(wait, job(1), job(2), int(job(3), c_int32_t)) == SUREFILL_OK
    if (.not. understood) then
      write (error_unit, '(a, i0, a)') 'line ', waits + 1, &
          ': seconds waited, seconds requested and processors are expected'
      stop 1
    end if
    waits = waits + 1
  end do
  do ! Work is bounded: after MORE a scheduler may do something else first.
    call check(surefill_wait_recluster(wait, work, step))
    if (step /= SUREFILL_STEP_MORE) exit
  end do

  call check(surefill_wait_submit(wait, this_job, start, requested, processors, answer, bound))
  print '(i0, a, i0, a, i0, a)', waits, ' waits; for ', requested, ' s on ', processors, &
      ' processors, with 95 % confidence:'
  do i = 1, size(quantiles)
    write (*, '(a, f4.2, a)', advance='no') 'the ', quantiles(i), ' quantile of the wait is'
    if (age == 0) then ! a new job; else bounds are from the waits that were at least as long
      call check(surefill_wait_predict_lower(wait, requested, processors, quantiles(i), confidence, start, answer, bound))
      call print_bound('at least')
    end if
    call check(surefill_wait_predict_waiting(wait, this_job, quantiles(i), confidence, age, answer, bound))
    call print_bound('at most')
    print '()'
  end do
  do i = 1, size(spans)
    call check(surefill_wait_start_probability(wait, requested, processors, age, age + spans(i), confidence, &
        probability, at_least, bound))
    print '(a, i5, a, f5.3, a, f5.3)', 'it starts within ', spans(i), ' s with probability ', probability, &
        ', at least ', at_least
  end do

contains

  !> The bound that was answered, or why there is none.
  subroutine print_bound(side)
    character(len=*), intent(in) :: side

    if (answer == SUREFILL_ANSWER_BOUND) then
      write (*, '(3a, i8, a)', advance='no') '  ', side, ' ', bound, ' s'
    else
      write (*, '(3a)', advance='no') '  (', side, ': too few waits)'
    end if
  end subroutine print_bound

  !> Whether a line holds as many integers as there are numbers, and nothing else.
  logical function integers(line, numbers)
    character(len=*), intent(in) :: line
    integer(c_int64_t), intent(out) :: numbers(:)
    character(len=len(line)) :: rest
    integer :: i, length, status

    integers = .false.
    numbers = 0
    rest = line
    do i = 1, len(rest)
      if (rest(i:i) == achar(9)) rest(i:i) = ' '
    end do
    rest = adjustl(rest)
    do i = 1, size(numbers)
      length = index(rest // ' ', ' ') - 1
      if (length == 0 .or. verify(rest(:length), '+-0123456789') > 0) return
      read (rest(:length), *, iostat=status) numbers(i)
      if (status /= 0) return
      rest = adjustl(rest(length + 1:))
    end do
    integers = rest == ''
  end function integers

  !> The argument in this place, or a default.
  integer(c_int64_t) function argument(place, default)
    integer, intent(in) :: place
    integer(c_int64_t), intent(in) :: default
    character(len=200) :: text
    integer(c_int64_t) :: number(1)

    argument = default
    if (command_argument_count() < place) return
    call get_command_argument(place, text)
    if (.not. integers(text, number)) then
      write (error_unit, '(2a)') 'not a number: ', trim(text)
      stop 1
    end if
    argument = number(1)
  end function argument

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status

    if (status == SUREFILL_OK) return
    write (error_unit, '(a)') surefill_status_message(status)
    stop 1
  end subroutine check

end program wait_bounds
