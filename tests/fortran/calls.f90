! Calls from Fortran: every group of functions once, with the values that come back and a few errors.
program calls
  use surefill_parts
  implicit none

  integer :: failed = 0

  call versions_and_messages
  call bins_and_distributions
  call a_pass
  call waits
  call sizes
  call null_and_other_errors
  if (failed > 0) error stop

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (holds) return
    failed = failed + 1
    print '(2a)', 'wrong: ', what
  end subroutine expect

  subroutine ok(status)
    integer(c_int32_t), intent(in) :: status

    call expect(status == SUREFILL_OK, surefill_status_message(status))
  end subroutine ok

  logical pure function near(a, b)
    real(c_double), intent(in) :: a, b

    near = abs(a - b) < 1e-12_c_double
  end function near

  subroutine versions_and_messages
    call expect(surefill_linked_version_number() == SUREFILL_VERSION_NUMBER, 'version number')
    call expect(surefill_linked_abi_version() == SUREFILL_ABI_VERSION, 'ABI version')
    call expect(surefill_status_message(SUREFILL_OK) == 'SUREFILL_OK: success', 'message of success')
    call expect(surefill_status_message(SUREFILL_ERROR_EMPTY) == 'SUREFILL_ERROR_EMPTY: nothing to take', &
        'message of an error')
    call expect(index(surefill_status_message(99_c_int32_t), 'unknown status') == 1, 'message of no status')
  end subroutine versions_and_messages

  subroutine make_bins(block, bins)
    integer(c_int64_t), allocatable, target, intent(out) :: block(:)
    type(c_ptr), intent(out) :: bins

    allocate (block(SUREFILL_BINS_SIZE / 8))
    ! Edges 10, 20, 40, 80.
    call ok(surefill_bins_init(c_loc(block), SUREFILL_BINS_SIZE, 10.0_c_double, 2.0_c_double, 5_c_int32_t, bins))
  end subroutine make_bins

  subroutine bins_and_distributions
    integer(c_int64_t), allocatable, target :: bins_block(:), block(:)
    type(c_ptr) :: bins, other, distribution
    integer(c_int32_t) :: number
    integer(c_int64_t) :: bytes, seconds, when(20)
    real(c_double) :: lower, upper, probabilities(20)
    real(c_double), target :: weights(2)

    call make_bins(bins_block, bins)
    call ok(surefill_bins_count(bins, number))
    call expect(number == 5, 'number of bins')
    call ok(surefill_bins_index(bins, 20.0_c_double, number))
    call expect(number == 2, 'bin of an edge')
    call ok(surefill_bins_edges(bins, 1_c_int32_t, lower, upper))
    call expect(near(lower, 10.0_c_double) .and. near(upper, 20.0_c_double), 'edges')

    bytes = SUREFILL_DISTRIBUTION_SIZE
    allocate (block((bytes + 7) / 8))
    call ok(surefill_distribution_init_counts(c_loc(block), bytes, bins, &
        [0.0_c_double, 1.0_c_double, 0.0_c_double, 3.0_c_double, 0.0_c_double], 5_c_int32_t, distribution))
    call ok(surefill_distribution_recalculate(distribution, 0_c_int64_t, 1000_c_int64_t, probabilities, &
        20_c_int32_t, number))
    call expect(number == 5 .and. near(probabilities(2), 0.25_c_double) .and. &
        near(probabilities(4), 0.75_c_double), 'probabilities of counts')

    weights = [3.0_c_double, 1.0_c_double]
    call ok(surefill_distribution_init_samples(c_loc(block), bytes, bins, [15_c_int64_t, 50_c_int64_t], &
        c_loc(weights), 2_c_int32_t, distribution))
    call ok(surefill_distribution_remaining(distribution, 0_c_int64_t, 1000_c_int64_t, 1_c_int32_t, when, &
        probabilities, 20_c_int32_t, number))
    call expect(number == 2 .and. near(probabilities(1), 0.75_c_double), 'events of weighted samples')
    call expect(when(1) > 10 .and. when(1) <= 20 .and. when(2) > 40 .and. when(2) <= 80, 'times of events')

    call ok(surefill_distribution_init_single(c_loc(block), bytes, 77_c_int64_t, distribution))
    call ok(surefill_distribution_quantile(distribution, 0.5_c_double, 0_c_int64_t, 1000_c_int64_t, seconds))
    call expect(seconds == 77, 'single value')
    call ok(surefill_distribution_init_samples(c_loc(block), bytes, bins, [integer(c_int64_t) ::], c_null_ptr, &
        0_c_int32_t, distribution))
    call ok(surefill_distribution_quantile(distribution, 0.5_c_double, 100_c_int64_t, 1000_c_int64_t, seconds))
    call expect(seconds == 900, 'limit')

    call ok(surefill_bins_init_covering(c_loc(bins_block), SUREFILL_BINS_SIZE, 1.5_c_double, 1.8_c_double, &
        86400_c_int64_t, other))
    call ok(surefill_bins_init_default(c_loc(bins_block), SUREFILL_BINS_SIZE, other))
    call ok(surefill_bins_count(other, number))
    call expect(number == 24, 'number of default bins')
  end subroutine bins_and_distributions

  subroutine a_pass
    integer(c_int64_t), allocatable, target :: block(:)
    integer(c_int64_t) :: bytes, when, whens(2)
    integer(c_int32_t) :: step, candidate, exactness, verdict, idle
    integer(c_int32_t), target :: number
    real(c_double) :: delay, probability
    type(surefill_pass_capacity) :: capacity
    type(surefill_rule) :: rule
    type(surefill_pass_job) :: queue(2)
    type(c_ptr) :: pass

    call ok(surefill_pass_capacity_init(capacity, c_sizeof(capacity)))
    capacity%processors = 10
    call ok(surefill_pass_size(capacity, bytes))
    allocate (block((bytes + 7) / 8))
    call ok(surefill_pass_init(c_loc(block), bytes, capacity, pass))
    call ok(surefill_pass_begin(pass, 1000_c_int64_t, 4_c_int32_t, 1_c_int64_t, 8_c_int32_t, 0_c_int64_t))
    ! The head job starts when these six end, at 1100.
    call ok(surefill_pass_add_running(pass, 6_c_int32_t, 0_c_int64_t, 100_c_int64_t, c_null_ptr, c_loc(number)))
    call expect(number == 0, 'index of the running job')
    queue%struct_size = int(c_sizeof(queue(1)), c_int32_t)
    queue%processors = [3, 11]
    queue%age = 0
    queue%limit = [500, 50]
    queue%distribution = c_null_ptr
    call expect(surefill_pass_add_candidates_many(pass, queue, 2_c_int32_t, c_loc(number)) == &
        SUREFILL_ERROR_TOO_MANY_PROCESSORS .and. number == 1, 'the second of the array is refused')
    queue%processors = 3
    call ok(surefill_pass_add_candidates_many(pass, queue, 1_c_int32_t, c_null_ptr))
    call ok(surefill_pass_add_candidate(pass, 3_c_int32_t, 50_c_int64_t, c_null_ptr, c_loc(number)))
    call expect(number == 1, 'index of the second candidate')

    call ok(surefill_rule_init(rule, c_sizeof(rule)))
    rule%criterion = SUREFILL_CRITERION_PROBABILITY
    rule%threshold = 0.05_c_double
    rule%or_easy = 0
    call ok(surefill_pass_decide(pass, rule, 1000000_c_int64_t, step, candidate))
    call expect(step == SUREFILL_STEP_ACCEPT .and. candidate == 1, 'the short candidate is accepted')
    call ok(surefill_pass_commit(pass, candidate))
    call ok(surefill_pass_decide(pass, rule, 1000000_c_int64_t, step, candidate))
    call expect(step == SUREFILL_STEP_DONE .and. candidate == -1, 'then all is decided')
    call ok(surefill_pass_judgement(pass, 0_c_int32_t, delay, exactness, verdict))
    call expect(verdict == SUREFILL_VERDICT_REFUSED .and. near(delay, 1.0_c_double), 'the long one is refused')
    call ok(surefill_pass_idle(pass, idle))
    call expect(idle == 1, 'idle processors')
    call ok(surefill_pass_free_probability(pass, 4_c_int32_t, 1060_c_int64_t, probability))
    call expect(near(probability, 1.0_c_double), 'free processors')
    call ok(surefill_pass_free_probability(pass, 8_c_int32_t, 1060_c_int64_t, probability))
    call expect(near(probability, 0.0_c_double), 'the head job has not started')
    call ok(surefill_pass_head_start_quantile(pass, 0.5_c_double, when))
    call expect(when == 1100, 'when the head job starts')
    call ok(surefill_pass_head_start_quantiles(pass, [0.1_c_double, 1.0_c_double], 2_c_int32_t, 1000000_c_int64_t, whens, step))
    call expect(step == SUREFILL_STEP_DONE .and. all(whens == 1100), 'when it starts, several')
    call expect(surefill_pass_commit(pass, 1_c_int32_t) == SUREFILL_ERROR_WRONG_STATE, 'nothing more to commit')
  end subroutine a_pass

  subroutine waits
    integer(c_int64_t), allocatable, target :: block(:), copy(:)
    integer(c_int64_t) :: bytes, bound, number, smallest(16), largest(16), counts(16)
    integer(c_int32_t) :: answer, step, jobs, clusters
    real(c_double) :: probability, at_least
    type(surefill_wait_capacity) :: capacity
    type(surefill_wait_options) :: options
    type(c_ptr) :: wait
    integer :: i

    call ok(surefill_binomial_fewest(0.95_c_double, 0.95_c_double, number))
    call expect(number == 59, 'the smallest history')
    call ok(surefill_binomial_upper(59_c_int64_t, 0.95_c_double, 0.95_c_double, number))
    call expect(number == 59, 'its order statistic')

    call ok(surefill_wait_capacity_init(capacity, c_sizeof(capacity)))
    capacity%history = 100
    capacity%clusters = 16
    call ok(surefill_wait_options_init(options, c_sizeof(options)))
    call expect(options%components == 28 .and. options%recluster_every == 1000, 'components that are on')
    options%components = SUREFILL_COMPONENT_TRIM + SUREFILL_COMPONENT_CLUSTER + SUREFILL_COMPONENT_AVAILABILITY
    call ok(surefill_wait_size(capacity, bytes))
    allocate (block((bytes + 7) / 8))
    call ok(surefill_wait_init(c_loc(block), bytes, capacity, options, wait))
    call ok(surefill_wait_submit(wait, 1_c_int64_t, 5000_c_int64_t, 3600_c_int64_t, 16_c_int32_t, answer, bound))
    call expect(answer == SUREFILL_ANSWER_TOO_LITTLE_HISTORY .and. bound == -1, 'nothing known')
    call ok(surefill_wait_start(wait, 1_c_int64_t, 5900_c_int64_t, bound))
    call expect(bound == 900, 'a wait')
    do i = 1, 99
      call ok(surefill_wait_known(wait, 60_c_int64_t * i, 3600_c_int64_t, 16_c_int32_t))
    end do
    call ok(surefill_wait_predict(wait, 3600_c_int64_t, 16_c_int32_t, 0.9_c_double, 0.95_c_double, 6000_c_int64_t, &
        answer, bound))
    call expect(answer == SUREFILL_ANSWER_BOUND .and. bound == 95 * 60, 'a bound')
    call ok(surefill_wait_predict_lower(wait, 3600_c_int64_t, 16_c_int32_t, 0.5_c_double, 0.95_c_double, &
        6000_c_int64_t, answer, bound))
    call expect(bound == 41 * 60, 'a lower bound')
    call ok(surefill_wait_start_probability(wait, 3600_c_int64_t, 16_c_int32_t, 0_c_int64_t, 3000_c_int64_t, &
        0.95_c_double, probability, at_least, number))
    call expect(near(probability, 0.51_c_double) .and. at_least < 0.51_c_double .and. number == 100, 'a probability')
    do
      call ok(surefill_wait_recluster(wait, 10_c_int64_t, step))
      if (step /= SUREFILL_STEP_MORE) exit
    end do
    call expect(step == SUREFILL_STEP_DONE, 'clustered')
    call ok(surefill_wait_clusters(wait, smallest, largest, counts, 16_c_int32_t, clusters))
    call expect(clusters == 1 .and. smallest(1) == 0 .and. largest(1) == huge(number) .and. counts(1) == 100, 'one cluster')
    call ok(surefill_wait_counts(wait, jobs, number))
    call expect(jobs == 0, 'nothing waits')
    call ok(surefill_wait_seal(wait))
    copy = block
    call ok(surefill_wait_open(c_loc(copy), bytes, wait))
    call ok(surefill_wait_counts(wait, jobs, number))
    call expect(number == 100, 'a checkpoint')
    call expect(surefill_wait_cancel(wait, 7_c_int64_t, 6000_c_int64_t) == SUREFILL_ERROR_UNKNOWN_JOB, 'no such job')
  end subroutine waits

  subroutine sizes
    integer(c_int64_t), allocatable, target :: block(:)
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: number
    real(c_double) :: shortest, longest, seconds, probability
    type(surefill_sizing_capacity) :: capacity
    type(surefill_choice_options) :: options
    type(surefill_choice) :: choice
    type(c_ptr) :: sizing

    call ok(surefill_lifetime_fit([exp(4.5_c_double), exp(9.5_c_double)], 2_c_int32_t, shortest, longest))
    call expect(abs(longest - exp(12.0_c_double)) < 1e-8_c_double, 'the longest lifetime')
    call ok(surefill_speedup(8.0_c_double, 0.0_c_double, 4.0_c_double, seconds))
    call expect(near(seconds, 4.0_c_double), 'a speedup')
    call ok(surefill_sizing_capacity_init(capacity, c_sizeof(capacity)))
    capacity%processors = 8
    call ok(surefill_sizing_size(capacity, bytes))
    allocate (block((bytes + 7) / 8))
    call ok(surefill_sizing_init(c_loc(block), bytes, capacity, sizing))
    call ok(surefill_sizing_begin(sizing, 2_c_int32_t))
    call ok(surefill_sizing_add_lifetime(sizing, 4_c_int32_t, 100.0_c_double, shortest, longest))
    call ok(surefill_sizing_add_lifetime(sizing, 2_c_int32_t, 50.0_c_double, 60.0_c_double, 80.0_c_double))
    call ok(surefill_sizing_wait(sizing, 4_c_int32_t, SUREFILL_WAIT_BY_QUANTILE, 1.0_c_double, seconds))
    call expect(near(seconds, 30.0_c_double), 'the wait for two')
    call ok(surefill_sizing_free_probability(sizing, 4_c_int32_t, 30.0_c_double, probability))
    call expect(near(probability, 1.0_c_double), 'they are free')
    call ok(surefill_choice_options_init(options, c_sizeof(options)))
    choice%struct_size = int(c_sizeof(choice), c_int32_t)
    call ok(surefill_sizing_choose(sizing, options, 8.0_c_double, 0.0_c_double, 1e6_c_double, choice))
    call expect(choice%processors == 8 .and. near(choice%run_time, 125000.0_c_double), 'a choice')
    call ok(surefill_sizing_choose(sizing, options, 8.0_c_double, 0.0_c_double, 9.0_c_double, choice))
    call expect(choice%processors == 2 .and. near(choice%wait, 0.0_c_double), 'a short job does not wait')
    call ok(surefill_choice_start(choice, 3_c_int32_t, 3_c_int32_t, 0_c_int32_t, number))
    call expect(number == 3, 'it starts on what is free')
  end subroutine sizes

  subroutine null_and_other_errors
    integer(c_int64_t), allocatable, target :: block(:)
    type(c_ptr) :: bins
    integer(c_int32_t) :: number

    call expect(surefill_bins_count(c_null_ptr, number) == SUREFILL_ERROR_NULL, 'NULL')
    call make_bins(block, bins)
    call expect(surefill_pass_idle(bins, number) == SUREFILL_ERROR_WRONG_OBJECT, 'bins are no pass')
    call expect(surefill_bins_index(bins, transfer(-1_c_int64_t, 0.0_c_double), number) == &
        SUREFILL_ERROR_NOT_A_NUMBER, 'not a number')
  end subroutine null_and_other_errors

end program calls
