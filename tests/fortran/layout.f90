! What the Fortran compiler makes of the module's types, in the words of layout.c.
program layout
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_sizeof
  use surefill
  implicit none

  type(surefill_pass_limits), target :: limits
  type(surefill_rule), target :: rule
  type(surefill_job_event), target :: event
  type(surefill_hmm_limits), target :: hmm_limits
  type(surefill_round), target :: round
  type(surefill_online_hmm_options), target :: online_options
  type(surefill_predictor_limits), target :: predictor_limits
  type(surefill_predictor_options), target :: options
  type(surefill_expert), target :: expert
  type(surefill_mixture_limits), target :: mixture_limits
  type(surefill_wait_limits), target :: wait_limits
  type(surefill_wait_options), target :: wait_options
  type(surefill_sizing_limits), target :: sizing_limits
  type(surefill_choice_options), target :: choice_options
  type(surefill_choice), target :: choice
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

  call begin('surefill_hmm_limits', c_loc(hmm_limits), c_sizeof(hmm_limits))
  call member('struct_size', c_loc(hmm_limits%struct_size))
  call member('states', c_loc(hmm_limits%states))
  call member('bins', c_loc(hmm_limits%bins))
  call member('slots', c_loc(hmm_limits%slots))
  call member('cells', c_loc(hmm_limits%cells))

  call begin('surefill_round', c_loc(round), c_sizeof(round))
  call member('log_likelihood', c_loc(round%log_likelihood))
  call member('l1', c_loc(round%l1))
  call member('l_infinity', c_loc(round%l_infinity))
  call member('rounds', c_loc(round%rounds))
  call member('jobs', c_loc(round%jobs))
  call member('adapted', c_loc(round%adapted))

  call begin('surefill_online_hmm_options', c_loc(online_options), c_sizeof(online_options))
  call member('struct_size', c_loc(online_options%struct_size))
  call member('reserved', c_loc(online_options%reserved))
  call member('exponent', c_loc(online_options%exponent))
  call member('floor', c_loc(online_options%floor))
  call member('hold', c_loc(online_options%hold))

  call begin('surefill_predictor_limits', c_loc(predictor_limits), c_sizeof(predictor_limits))
  call member('struct_size', c_loc(predictor_limits%struct_size))
  call member('jobs', c_loc(predictor_limits%jobs))
  call member('states', c_loc(predictor_limits%states))
  call member('bins', c_loc(predictor_limits%bins))
  call member('slots', c_loc(predictor_limits%slots))
  call member('cells', c_loc(predictor_limits%cells))
  call member('window', c_loc(predictor_limits%window))
  call member('online', c_loc(predictor_limits%online))

  call begin('surefill_predictor_options', c_loc(options), c_sizeof(options))
  call member('struct_size', c_loc(options%struct_size))
  call member('load', c_loc(options%load))
  call member('initial', c_loc(options%initial))
  call member('termination', c_loc(options%termination))
  call member('threshold', c_loc(options%threshold))
  call member('most_rounds', c_loc(options%most_rounds))
  call member('slot_seconds', c_loc(options%slot_seconds))
  call member('initial_seconds', c_loc(options%initial_seconds))
  call member('restart_seconds', c_loc(options%restart_seconds))
  call member('floor', c_loc(options%floor))
  call member('exponent', c_loc(options%exponent))
  call member('hold', c_loc(options%hold))

  call begin('surefill_expert', c_loc(expert), c_sizeof(expert))
  call member('keys', c_loc(expert%keys))
  call member('reserved', c_loc(expert%reserved))
  call member('decay', c_loc(expert%decay))
  call member('prior', c_loc(expert%prior))

  call begin('surefill_mixture_limits', c_loc(mixture_limits), c_sizeof(mixture_limits))
  call member('struct_size', c_loc(mixture_limits%struct_size))
  call member('bins', c_loc(mixture_limits%bins))
  call member('keys', c_loc(mixture_limits%keys))
  call member('experts', c_loc(mixture_limits%experts))
  call member('histories', c_loc(mixture_limits%histories))

  call begin('surefill_wait_limits', c_loc(wait_limits), c_sizeof(wait_limits))
  call member('struct_size', c_loc(wait_limits%struct_size))
  call member('history', c_loc(wait_limits%history))
  call member('queued', c_loc(wait_limits%queued))
  call member('releases', c_loc(wait_limits%releases))
  call member('clusters', c_loc(wait_limits%clusters))

  call begin('surefill_wait_options', c_loc(wait_options), c_sizeof(wait_options))
  call member('struct_size', c_loc(wait_options%struct_size))
  call member('method', c_loc(wait_options%method))
  call member('attribute', c_loc(wait_options%attribute))
  call member('components', c_loc(wait_options%components))
  call member('quantile', c_loc(wait_options%quantile))
  call member('confidence', c_loc(wait_options%confidence))
  call member('down_quantile', c_loc(wait_options%down_quantile))
  call member('rate', c_loc(wait_options%rate))
  call member('recluster_every', c_loc(wait_options%recluster_every))

  call begin('surefill_sizing_limits', c_loc(sizing_limits), c_sizeof(sizing_limits))
  call member('struct_size', c_loc(sizing_limits%struct_size))
  call member('running', c_loc(sizing_limits%running))
  call member('processors', c_loc(sizing_limits%processors))
  call member('bins', c_loc(sizing_limits%bins))
  call member('events_per_bin', c_loc(sizing_limits%events_per_bin))

  call begin('surefill_choice_options', c_loc(choice_options), c_sizeof(choice_options))
  call member('struct_size', c_loc(choice_options%struct_size))
  call member('predictor', c_loc(choice_options%predictor))
  call member('quantile', c_loc(choice_options%quantile))
  call member('least', c_loc(choice_options%least))
  call member('most', c_loc(choice_options%most))
  call member('weight', c_loc(choice_options%weight))
  call member('least_gain', c_loc(choice_options%least_gain))

  call begin('surefill_choice', c_loc(choice), c_sizeof(choice))
  call member('processors', c_loc(choice%processors))
  call member('reserved', c_loc(choice%reserved))
  call member('wait', c_loc(choice%wait))
  call member('predicted', c_loc(choice%predicted))
  call member('run_time', c_loc(choice%run_time))
  call member('gain', c_loc(choice%gain))

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
