! A scheduler in Fortran: one pool of 16 nodes, a queue, three jobs that are reported one by one, and a cycle that starts
! what is offered. The first job leaves four nodes; the second wants all and waits; the third fits beside the first and
! passes it. When the second will start a forecast of starts says.
!
!     gfortran -c surefill.f90 && gfortran scheduler.f90 surefill.o -lsurefill
program scheduler_in_fortran
  use surefill
  implicit none

  integer(c_int64_t), parameter :: now = 1000000, whole = 400
  integer(c_int32_t), parameter :: nodes = 16, widths(3) = [12_c_int32_t, 16_c_int32_t, 4_c_int32_t]
  character(kind=c_char), target :: words(whole), pool_name(5) = ['n', 'o', 'd', 'e', 's'], &
      queue_name(5) = ['b', 'a', 't', 'c', 'h'], user(3) = ['a', 'd', 'a']
  integer(c_int64_t), allocatable, target :: block(:), scratch(:), played(:)
  integer(c_int64_t) :: bytes, when, pools, start
  integer(c_int32_t), parameter :: scenarios = 20
  integer(c_int32_t) :: pool, queue, step, i
  real(c_double) :: probability
  type(surefill_scheduler_capacity) :: capacity
  type(surefill_action) :: action
  type(surefill_totals) :: totals
  type(surefill_start) :: predicted
  type(c_ptr) :: scheduler, cycle, starts

  call check(surefill_scheduler_capacity_init(capacity, 100_c_int32_t, c_sizeof(capacity)))
  call check(surefill_scheduler_size(capacity, bytes))
  allocate (block((bytes + 7) / 8))
  call check(surefill_scheduler_init(c_loc(block), 8 * size(block, kind=c_int64_t), capacity, scheduler))
  call configure('preset=fair seed=1')
  call check(surefill_scheduler_words(scheduler, c_loc(words), whole))
  print '(2a)', 'Settings: ', c_string(c_loc(words))

  call check(surefill_scheduler_set_pool(scheduler, c_loc(pool_name), 5_c_int64_t, nodes, -1_c_int32_t, pool))
  call check(surefill_scheduler_set_queue(scheduler, c_loc(queue_name), 5_c_int64_t, pool, queue))
  do i = 1, size(widths)
    call submit(int(i, c_int64_t), widths(i))
  end do

  ! Whenever something was reported, and at the time that it asks for.
  call check(surefill_scheduler_wake(scheduler, now, when, pools))
  if (when > now .or. .not. btest(pools, pool)) error stop 'no cycle is wanted'
  call check(surefill_cycle_size(capacity, bytes))
  allocate (scratch((bytes + 7) / 8))
  call check(surefill_cycle_begin(c_loc(scratch), 8 * size(scratch, kind=c_int64_t), scheduler, pool, now, cycle))
  do
    action%struct_size = int(storage_size(action) / 8, c_int32_t)
    call check(surefill_cycle_next(cycle, scheduler, action))
    if (action%step /= SUREFILL_ACT_START) exit
    print '(3(a, i0))', 'Job ', action%job, ' starts on ', action%count, ' nodes; it passes job ', action%head
    call check(surefill_cycle_started(cycle, scheduler, action%number, action%job))
  end do
  call check(surefill_cycle_planned(cycle, scheduler, 2_c_int64_t, start))
  print '(a, l1)', 'Job 2 is planned for when the others reach their limits: ', start >= now + 3600
  call check(surefill_cycle_close(cycle, scheduler))

  ! The scheduler's own rule, played forward with run times that are drawn. A site that reports starts to its users calls
  ! surefill_starts_report instead, from which the scheduler learns.
  call check(surefill_starts_size(capacity, scenarios, bytes))
  allocate (played((bytes + 7) / 8))
  call check(surefill_starts_begin(c_loc(played), 8 * size(played, kind=c_int64_t), scheduler, pool, now, scenarios, &
      starts))
  do
    call check(surefill_starts_run(starts, scheduler, 1000_c_int64_t, step))
    if (step == SUREFILL_STEP_DONE) exit
  end do
  predicted%struct_size = int(storage_size(predicted) / 8, c_int32_t)
  call check(surefill_starts_predicted(starts, scheduler, 2_c_int64_t, predicted))
  call check(surefill_starts_probability(starts, scheduler, 2_c_int64_t, now + 3000, probability))
  print '(2(a, i0), a)', 'Job 2 starts within ', (predicted%by(3) - now) / 60, &
      ' minutes with probability 0.5, within ', (predicted%by(4) - now) / 60, ' with 0.75'
  print '(a, f4.2)', 'It starts within 50 minutes with probability ', probability

  totals%struct_size = int(storage_size(totals) / 8, c_int32_t)
  call check(surefill_scheduler_totals(scheduler, totals))
  print '(2(i0, a))', totals%running, ' run, ', totals%waiting, ' waits'

contains

  !> Changes settings; a word that is not understood is named.
  subroutine configure(text)
    character(len=*), intent(in) :: text
    character(kind=c_char), target :: given(len(text)), message(200)
    integer :: i

    do i = 1, len(text)
      given(i) = text(i:i)
    end do
    if (surefill_scheduler_configure(scheduler, c_loc(given), len(text, kind=c_int64_t), c_null_ptr, c_loc(message), &
        size(message, kind=c_int64_t)) == SUREFILL_OK) return
    print '(a)', c_string(c_loc(message))
    error stop
  end subroutine configure

  !> The manager reports a job that waits.
  subroutine submit(id, width)
    integer(c_int64_t), intent(in) :: id
    integer(c_int32_t), intent(in) :: width
    type(surefill_job) :: job
    integer(c_int32_t), parameter :: none = 0

    job = surefill_job(struct_size=int(storage_size(job) / 8, c_int32_t), state=SUREFILL_JOB_WAITING, id=id, &
        user=surefill_hash(c_loc(user), 3_c_int64_t), submit=now, begin=0, start=0, limit=3600, ran=0, &
        priority=0.0_c_double, tier=none, count=width, units=none, restarts=none, tasks=none, at_once=none, &
        why=SUREFILL_WHY_UNKNOWN, flags=none, queue_count=1_c_int32_t, queues=queue, reserved=none, &
        prediction=c_null_ptr, features=0_c_int64_t, any=0_c_int64_t, without=0_c_int64_t, reservation=0_c_int64_t, &
        each=none, licences=none, parts=c_null_ptr, part_count=none, reserved_too=none)
    call check(surefill_scheduler_set_job(scheduler, now, job))
  end subroutine submit

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status

    if (status == SUREFILL_OK) return
    print '(a)', surefill_status_message(status)
    error stop
  end subroutine check

end program scheduler_in_fortran
