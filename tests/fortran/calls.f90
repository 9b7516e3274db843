! Calls from Fortran: every group of functions once, with the values that come back and a few errors.
program calls
  use surefill
  implicit none

  integer :: failed = 0

  call versions_and_messages
  call bins_and_distributions
  call a_pass
  call an_inbox
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

    allocate (block((surefill_bins_size() + 7) / 8))
    ! Edges 10, 20, 40, 80.
    call ok(surefill_bins_init(c_loc(block), surefill_bins_size(), 10.0_c_double, 2.0_c_double, 5_c_int32_t, bins))
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

    bytes = surefill_distribution_size()
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
    call ok(surefill_distribution_init_limit(c_loc(block), bytes, distribution))
    call ok(surefill_distribution_quantile(distribution, 0.5_c_double, 100_c_int64_t, 1000_c_int64_t, seconds))
    call expect(seconds == 900, 'limit')

    call ok(surefill_bins_init_covering(c_loc(bins_block), surefill_bins_size(), 1.5_c_double, 1.8_c_double, &
        86400_c_int64_t, other))
    call ok(surefill_bins_init_default(c_loc(bins_block), surefill_bins_size(), other))
    call ok(surefill_bins_count(other, number))
    call expect(number == 24, 'number of default bins')
  end subroutine bins_and_distributions

  subroutine a_pass
    integer(c_int64_t), allocatable, target :: block(:)
    integer(c_int64_t) :: bytes, when
    integer(c_int32_t) :: step, candidate, exactness, verdict, idle
    integer(c_int32_t), target :: number
    real(c_double) :: delay, probability, spent
    type(surefill_pass_limits) :: limits
    type(surefill_rule) :: rule
    type(c_ptr) :: pass

    call ok(surefill_pass_limits_init(limits))
    limits%processors = 10
    call ok(surefill_pass_size(limits, bytes))
    allocate (block((bytes + 7) / 8))
    call ok(surefill_pass_init(c_loc(block), bytes, limits, pass))
    call ok(surefill_pass_begin(pass, 1000_c_int64_t, 4_c_int32_t, 1_c_int64_t, 8_c_int32_t))
    ! The head job starts when these six end, at 1100.
    call ok(surefill_pass_add_running(pass, 6_c_int32_t, 0_c_int64_t, 100_c_int64_t, c_null_ptr, c_loc(number)))
    call expect(number == 0, 'index of the running job')
    call ok(surefill_pass_add_candidate(pass, 3_c_int32_t, 500_c_int64_t, c_null_ptr, c_null_ptr))
    call ok(surefill_pass_add_candidate(pass, 3_c_int32_t, 50_c_int64_t, c_null_ptr, c_loc(number)))
    call expect(number == 1, 'index of the second candidate')

    call ok(surefill_rule_init(rule))
    call ok(surefill_pass_decide(pass, rule, 1000000_c_int64_t, step, candidate))
    call expect(step == SUREFILL_STEP_ACCEPT .and. candidate == 1, 'the short candidate is accepted')
    call ok(surefill_pass_commit(pass, candidate))
    call ok(surefill_pass_decide(pass, rule, 1000000_c_int64_t, step, candidate))
    call expect(step == SUREFILL_STEP_DONE .and. candidate == -1, 'then all is decided')
    call ok(surefill_pass_judgement(pass, 0_c_int32_t, delay, exactness, verdict))
    call expect(verdict == SUREFILL_VERDICT_REFUSED .and. near(delay, 1.0_c_double), 'the long one is refused')
    call ok(surefill_pass_idle(pass, idle))
    call expect(idle == 1, 'idle processors')
    call ok(surefill_pass_spent(pass, SUREFILL_CRITERION_PROBABILITY, spent))
    call expect(near(spent, 0.0_c_double), 'nothing spent')
    call ok(surefill_pass_free_probability(pass, 4_c_int32_t, 1060_c_int64_t, probability))
    call expect(near(probability, 1.0_c_double), 'free processors')
    call ok(surefill_pass_head_start_probability(pass, 1060_c_int64_t, probability))
    call expect(near(probability, 0.0_c_double), 'the head job has not started')
    call ok(surefill_pass_head_start_quantile(pass, 0.5_c_double, when))
    call expect(when == 1100, 'when the head job starts')
    call expect(surefill_pass_decline(pass, 1_c_int32_t) == SUREFILL_ERROR_WRONG_STATE, 'nothing to decline')
  end subroutine a_pass

  subroutine an_inbox
    integer(c_int64_t), allocatable, target :: block(:)
    integer(c_int32_t) :: length
    type(surefill_job_event) :: event
    type(c_ptr) :: inbox

    allocate (block((surefill_inbox_size() + 7) / 8))
    call ok(surefill_inbox_init(c_loc(block), surefill_inbox_size(), inbox))
    event = surefill_job_event(SUREFILL_EVENT_END, 2, 3_c_int64_t, 4_c_int64_t, 5_c_int64_t, 6_c_int64_t)
    call ok(surefill_inbox_push(inbox, event))
    call ok(surefill_inbox_length(inbox, length))
    call expect(length == 1, 'one event')
    event%user = 0
    call ok(surefill_inbox_pop(inbox, event))
    call expect(event%kind == SUREFILL_EVENT_END .and. event%job == 3 .and. event%user == 6, 'the event')
    call expect(surefill_inbox_pop(inbox, event) == SUREFILL_ERROR_EMPTY, 'nothing left')
  end subroutine an_inbox

  subroutine null_and_other_errors
    integer(c_int64_t), allocatable, target :: block(:)
    type(c_ptr) :: bins
    integer(c_int32_t) :: number

    call expect(surefill_bins_count(c_null_ptr, number) == SUREFILL_ERROR_NULL, 'NULL')
    call make_bins(block, bins)
    call expect(surefill_inbox_length(bins, number) == SUREFILL_ERROR_WRONG_OBJECT, 'bins are no inbox')
    call expect(surefill_bins_index(bins, transfer(-1_c_int64_t, 0.0_c_double), number) == &
        SUREFILL_ERROR_NOT_A_NUMBER, 'not a number')
  end subroutine null_and_other_errors

end program calls
