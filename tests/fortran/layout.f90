! What the Fortran compiler makes of the modules' types, in the words of layout.c. Generated: tests/header.
program layout
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_sizeof
  use surefill
  use surefill_parts
  implicit none

  type(surefill_scheduler_capacity), target :: a_scheduler_capacity
  type(surefill_node), target :: a_node
  type(surefill_reservation), target :: a_reservation
  type(surefill_part), target :: a_part
  type(surefill_job), target :: a_job
  type(surefill_totals), target :: a_totals
  type(surefill_action), target :: a_action
  type(surefill_reason), target :: a_reason
  type(surefill_start), target :: a_start
  type(surefill_pass_capacity), target :: a_pass_capacity
  type(surefill_rule), target :: a_rule
  type(surefill_pass_job), target :: a_pass_job
  type(surefill_forecast_capacity), target :: a_forecast_capacity
  type(surefill_forecast_options), target :: a_forecast_options
  type(surefill_nodes_capacity), target :: a_nodes_capacity
  type(surefill_request), target :: a_request
  type(surefill_node_pass_capacity), target :: a_node_pass_capacity
  type(surefill_node_forecast_capacity), target :: a_node_forecast_capacity
  type(surefill_expert), target :: a_expert
  type(surefill_predictor_options), target :: a_predictor_options
  type(surefill_held_job), target :: a_held_job
  type(surefill_round), target :: a_round
  type(surefill_wait_capacity), target :: a_wait_capacity
  type(surefill_wait_options), target :: a_wait_options
  type(surefill_sizing_capacity), target :: a_sizing_capacity
  type(surefill_choice_options), target :: a_choice_options
  type(surefill_choice), target :: a_choice
  type(surefill_hmm_capacity), target :: a_hmm_capacity
  type(surefill_model_parameters), target :: a_model_parameters
  type(surefill_online_hmm_options), target :: a_online_hmm_options
  integer(c_intptr_t) :: start
  character(len=:), allocatable :: name

  call begin('surefill_scheduler_capacity', c_loc(a_scheduler_capacity), c_sizeof(a_scheduler_capacity))
  call member('struct_size', c_loc(a_scheduler_capacity%struct_size))
  call member('jobs', c_loc(a_scheduler_capacity%jobs))
  call member('ended', c_loc(a_scheduler_capacity%ended))
  call member('pools', c_loc(a_scheduler_capacity%pools))
  call member('queues', c_loc(a_scheduler_capacity%queues))
  call member('histories', c_loc(a_scheduler_capacity%histories))
  call member('waits', c_loc(a_scheduler_capacity%waits))
  call member('bins', c_loc(a_scheduler_capacity%bins))
  call member('arrivals', c_loc(a_scheduler_capacity%arrivals))
  call member('nodes', c_loc(a_scheduler_capacity%nodes))
  call member('kinds', c_loc(a_scheduler_capacity%kinds))
  call member('parts', c_loc(a_scheduler_capacity%parts))
  call member('reservations', c_loc(a_scheduler_capacity%reservations))
  call member('delay_units', c_loc(a_scheduler_capacity%delay_units))

  call begin('surefill_node', c_loc(a_node), c_sizeof(a_node))
  call member('struct_size', c_loc(a_node%struct_size))
  call member('state', c_loc(a_node%state))
  call member('name', c_loc(a_node%name))
  call member('until', c_loc(a_node%until))
  call member('features', c_loc(a_node%features))
  call member('amounts', c_loc(a_node%amounts))
  call member('weight', c_loc(a_node%weight))
  call member('reserved', c_loc(a_node%reserved))

  call begin('surefill_reservation', c_loc(a_reservation), c_sizeof(a_reservation))
  call member('struct_size', c_loc(a_reservation%struct_size))
  call member('pool', c_loc(a_reservation%pool))
  call member('key', c_loc(a_reservation%key))
  call member('from', c_loc(a_reservation%from))
  call member('to', c_loc(a_reservation%to))
  call member('nodes', c_loc(a_reservation%nodes))
  call member('node_count', c_loc(a_reservation%node_count))
  call member('reserved', c_loc(a_reservation%reserved))

  call begin('surefill_part', c_loc(a_part), c_sizeof(a_part))
  call member('node', c_loc(a_part%node))
  call member('tasks', c_loc(a_part%tasks))

  call begin('surefill_job', c_loc(a_job), c_sizeof(a_job))
  call member('struct_size', c_loc(a_job%struct_size))
  call member('state', c_loc(a_job%state))
  call member('id', c_loc(a_job%id))
  call member('user', c_loc(a_job%user))
  call member('submit', c_loc(a_job%submit))
  call member('begin', c_loc(a_job%begin))
  call member('start', c_loc(a_job%start))
  call member('limit', c_loc(a_job%limit))
  call member('ran', c_loc(a_job%ran))
  call member('priority', c_loc(a_job%priority))
  call member('tier', c_loc(a_job%tier))
  call member('count', c_loc(a_job%count))
  call member('units', c_loc(a_job%units))
  call member('restarts', c_loc(a_job%restarts))
  call member('tasks', c_loc(a_job%tasks))
  call member('at_once', c_loc(a_job%at_once))
  call member('why', c_loc(a_job%why))
  call member('flags', c_loc(a_job%flags))
  call member('queue_count', c_loc(a_job%queue_count))
  call member('queues', c_loc(a_job%queues))
  call member('reserved', c_loc(a_job%reserved))
  call member('prediction', c_loc(a_job%prediction))
  call member('features', c_loc(a_job%features))
  call member('any', c_loc(a_job%any))
  call member('without', c_loc(a_job%without))
  call member('reservation', c_loc(a_job%reservation))
  call member('each', c_loc(a_job%each))
  call member('licences', c_loc(a_job%licences))
  call member('parts', c_loc(a_job%parts))
  call member('part_count', c_loc(a_job%part_count))
  call member('reserved_too', c_loc(a_job%reserved_too))

  call begin('surefill_totals', c_loc(a_totals), c_sizeof(a_totals))
  call member('struct_size', c_loc(a_totals%struct_size))
  call member('waiting', c_loc(a_totals%waiting))
  call member('running', c_loc(a_totals%running))
  call member('reserved', c_loc(a_totals%reserved))
  call member('submitted', c_loc(a_totals%submitted))
  call member('started', c_loc(a_totals%started))
  call member('ended', c_loc(a_totals%ended))
  call member('broken', c_loc(a_totals%broken))
  call member('withdrawn', c_loc(a_totals%withdrawn))
  call member('requeued', c_loc(a_totals%requeued))
  call member('refused', c_loc(a_totals%refused))
  call member('surprises', c_loc(a_totals%surprises))
  call member('clock_set_back', c_loc(a_totals%clock_set_back))
  call member('unknown_jobs', c_loc(a_totals%unknown_jobs))
  call member('doubted', c_loc(a_totals%doubted))

  call begin('surefill_action', c_loc(a_action), c_sizeof(a_action))
  call member('struct_size', c_loc(a_action%struct_size))
  call member('step', c_loc(a_action%step))
  call member('job', c_loc(a_action%job))
  call member('head', c_loc(a_action%head))
  call member('number', c_loc(a_action%number))
  call member('queue', c_loc(a_action%queue))
  call member('count', c_loc(a_action%count))
  call member('why', c_loc(a_action%why))

  call begin('surefill_reason', c_loc(a_reason), c_sizeof(a_reason))
  call member('struct_size', c_loc(a_reason%struct_size))
  call member('why', c_loc(a_reason%why))
  call member('job', c_loc(a_reason%job))
  call member('head', c_loc(a_reason%head))
  call member('now', c_loc(a_reason%now))
  call member('start', c_loc(a_reason%start))
  call member('by_limits', c_loc(a_reason%by_limits))
  call member('until', c_loc(a_reason%until))
  call member('saved', c_loc(a_reason%saved))
  call member('others', c_loc(a_reason%others))
  call member('rank', c_loc(a_reason%rank))
  call member('tasks', c_loc(a_reason%tasks))
  call member('wanted', c_loc(a_reason%wanted))
  call member('idle', c_loc(a_reason%idle))
  call member('units', c_loc(a_reason%units))
  call member('reserved', c_loc(a_reason%reserved))
  call member('expected', c_loc(a_reason%expected))
  call member('delay', c_loc(a_reason%delay))
  call member('allowed', c_loc(a_reason%allowed))
  call member('criterion', c_loc(a_reason%criterion))
  call member('at_least', c_loc(a_reason%at_least))

  call begin('surefill_start', c_loc(a_start), c_sizeof(a_start))
  call member('struct_size', c_loc(a_start%struct_size))
  call member('capped', c_loc(a_start%capped))
  call member('by', c_loc(a_start%by))

  call begin('surefill_pass_capacity', c_loc(a_pass_capacity), c_sizeof(a_pass_capacity))
  call member('struct_size', c_loc(a_pass_capacity%struct_size))
  call member('running', c_loc(a_pass_capacity%running))
  call member('candidates', c_loc(a_pass_capacity%candidates))
  call member('processors', c_loc(a_pass_capacity%processors))
  call member('bins', c_loc(a_pass_capacity%bins))
  call member('events_per_bin', c_loc(a_pass_capacity%events_per_bin))
  call member('tie_cells', c_loc(a_pass_capacity%tie_cells))

  call begin('surefill_rule', c_loc(a_rule), c_sizeof(a_rule))
  call member('struct_size', c_loc(a_rule%struct_size))
  call member('criterion', c_loc(a_rule%criterion))
  call member('threshold', c_loc(a_rule%threshold))
  call member('budget', c_loc(a_rule%budget))
  call member('slip', c_loc(a_rule%slip))
  call member('guard', c_loc(a_rule%guard))
  call member('or_easy', c_loc(a_rule%or_easy))
  call member('unmeasured', c_loc(a_rule%unmeasured))

  call begin('surefill_pass_job', c_loc(a_pass_job), c_sizeof(a_pass_job))
  call member('struct_size', c_loc(a_pass_job%struct_size))
  call member('processors', c_loc(a_pass_job%processors))
  call member('age', c_loc(a_pass_job%age))
  call member('limit', c_loc(a_pass_job%limit))
  call member('distribution', c_loc(a_pass_job%distribution))

  call begin('surefill_forecast_capacity', c_loc(a_forecast_capacity), c_sizeof(a_forecast_capacity))
  call member('struct_size', c_loc(a_forecast_capacity%struct_size))
  call member('running', c_loc(a_forecast_capacity%running))
  call member('waiting', c_loc(a_forecast_capacity%waiting))
  call member('processors', c_loc(a_forecast_capacity%processors))
  call member('bins', c_loc(a_forecast_capacity%bins))
  call member('events_per_bin', c_loc(a_forecast_capacity%events_per_bin))
  call member('scenarios', c_loc(a_forecast_capacity%scenarios))

  call begin('surefill_forecast_options', c_loc(a_forecast_options), c_sizeof(a_forecast_options))
  call member('struct_size', c_loc(a_forecast_options%struct_size))
  call member('policy', c_loc(a_forecast_options%policy))
  call member('reservations', c_loc(a_forecast_options%reservations))
  call member('order', c_loc(a_forecast_options%order))
  call member('plans', c_loc(a_forecast_options%plans))
  call member('scenarios', c_loc(a_forecast_options%scenarios))
  call member('seed', c_loc(a_forecast_options%seed))
  call member('confidence', c_loc(a_forecast_options%confidence))
  call member('queue_run_time', c_loc(a_forecast_options%queue_run_time))
  call member('queue_processors', c_loc(a_forecast_options%queue_processors))
  call member('queue_age_unit', c_loc(a_forecast_options%queue_age_unit))
  call member('queue_age', c_loc(a_forecast_options%queue_age))
  call member('candidate_run_time', c_loc(a_forecast_options%candidate_run_time))
  call member('candidate_processors', c_loc(a_forecast_options%candidate_processors))
  call member('candidate_age_unit', c_loc(a_forecast_options%candidate_age_unit))
  call member('candidate_age', c_loc(a_forecast_options%candidate_age))
  call member('front', c_loc(a_forecast_options%front))
  call member('slack', c_loc(a_forecast_options%slack))

  call begin('surefill_nodes_capacity', c_loc(a_nodes_capacity), c_sizeof(a_nodes_capacity))
  call member('struct_size', c_loc(a_nodes_capacity%struct_size))
  call member('nodes', c_loc(a_nodes_capacity%nodes))
  call member('classes', c_loc(a_nodes_capacity%classes))
  call member('resources', c_loc(a_nodes_capacity%resources))
  call member('jobs', c_loc(a_nodes_capacity%jobs))
  call member('parts', c_loc(a_nodes_capacity%parts))

  call begin('surefill_request', c_loc(a_request), c_sizeof(a_request))
  call member('struct_size', c_loc(a_request%struct_size))
  call member('count', c_loc(a_request%count))
  call member('spread', c_loc(a_request%spread))
  call member('exclusive', c_loc(a_request%exclusive))
  call member('features', c_loc(a_request%features))
  call member('each', c_loc(a_request%each))

  call begin('surefill_node_pass_capacity', c_loc(a_node_pass_capacity), c_sizeof(a_node_pass_capacity))
  call member('struct_size', c_loc(a_node_pass_capacity%struct_size))
  call member('nodes', c_loc(a_node_pass_capacity%nodes))
  call member('resources', c_loc(a_node_pass_capacity%resources))
  call member('running', c_loc(a_node_pass_capacity%running))
  call member('candidates', c_loc(a_node_pass_capacity%candidates))
  call member('parts', c_loc(a_node_pass_capacity%parts))
  call member('bins', c_loc(a_node_pass_capacity%bins))
  call member('events_per_bin', c_loc(a_node_pass_capacity%events_per_bin))

  call begin('surefill_node_forecast_capacity', c_loc(a_node_forecast_capacity), c_sizeof(a_node_forecast_capacity))
  call member('struct_size', c_loc(a_node_forecast_capacity%struct_size))
  call member('nodes', c_loc(a_node_forecast_capacity%nodes))
  call member('classes', c_loc(a_node_forecast_capacity%classes))
  call member('resources', c_loc(a_node_forecast_capacity%resources))
  call member('running', c_loc(a_node_forecast_capacity%running))
  call member('waiting', c_loc(a_node_forecast_capacity%waiting))
  call member('parts', c_loc(a_node_forecast_capacity%parts))
  call member('bins', c_loc(a_node_forecast_capacity%bins))
  call member('events_per_bin', c_loc(a_node_forecast_capacity%events_per_bin))
  call member('scenarios', c_loc(a_node_forecast_capacity%scenarios))

  call begin('surefill_expert', c_loc(a_expert), c_sizeof(a_expert))
  call member('keys', c_loc(a_expert%keys))
  call member('reserved', c_loc(a_expert%reserved))
  call member('decay', c_loc(a_expert%decay))
  call member('prior', c_loc(a_expert%prior))

  call begin('surefill_predictor_options', c_loc(a_predictor_options), c_sizeof(a_predictor_options))
  call member('struct_size', c_loc(a_predictor_options%struct_size))
  call member('kind', c_loc(a_predictor_options%kind))
  call member('jobs', c_loc(a_predictor_options%jobs))
  call member('bins', c_loc(a_predictor_options%bins))
  call member('oldest_seconds', c_loc(a_predictor_options%oldest_seconds))
  call member('keys', c_loc(a_predictor_options%keys))
  call member('expert_count', c_loc(a_predictor_options%expert_count))
  call member('experts', c_loc(a_predictor_options%experts))
  call member('histories', c_loc(a_predictor_options%histories))
  call member('states', c_loc(a_predictor_options%states))
  call member('slots', c_loc(a_predictor_options%slots))
  call member('cells', c_loc(a_predictor_options%cells))
  call member('window', c_loc(a_predictor_options%window))
  call member('load', c_loc(a_predictor_options%load))
  call member('initial', c_loc(a_predictor_options%initial))
  call member('termination', c_loc(a_predictor_options%termination))
  call member('threshold', c_loc(a_predictor_options%threshold))
  call member('most_rounds', c_loc(a_predictor_options%most_rounds))
  call member('slot_seconds', c_loc(a_predictor_options%slot_seconds))
  call member('initial_seconds', c_loc(a_predictor_options%initial_seconds))
  call member('restart_seconds', c_loc(a_predictor_options%restart_seconds))
  call member('floor', c_loc(a_predictor_options%floor))
  call member('exponent', c_loc(a_predictor_options%exponent))
  call member('hold', c_loc(a_predictor_options%hold))

  call begin('surefill_held_job', c_loc(a_held_job), c_sizeof(a_held_job))
  call member('struct_size', c_loc(a_held_job%struct_size))
  call member('running', c_loc(a_held_job%running))
  call member('job', c_loc(a_held_job%job))
  call member('submitted', c_loc(a_held_job%submitted))
  call member('started', c_loc(a_held_job%started))
  call member('given_up', c_loc(a_held_job%given_up))
  call member('key_count', c_loc(a_held_job%key_count))
  call member('keys', c_loc(a_held_job%keys))

  call begin('surefill_round', c_loc(a_round), c_sizeof(a_round))
  call member('struct_size', c_loc(a_round%struct_size))
  call member('reserved', c_loc(a_round%reserved))
  call member('log_likelihood', c_loc(a_round%log_likelihood))
  call member('l1', c_loc(a_round%l1))
  call member('l_infinity', c_loc(a_round%l_infinity))
  call member('rounds', c_loc(a_round%rounds))
  call member('jobs', c_loc(a_round%jobs))
  call member('adapted', c_loc(a_round%adapted))

  call begin('surefill_wait_capacity', c_loc(a_wait_capacity), c_sizeof(a_wait_capacity))
  call member('struct_size', c_loc(a_wait_capacity%struct_size))
  call member('history', c_loc(a_wait_capacity%history))
  call member('queued', c_loc(a_wait_capacity%queued))
  call member('releases', c_loc(a_wait_capacity%releases))
  call member('clusters', c_loc(a_wait_capacity%clusters))
  call member('neighbours', c_loc(a_wait_capacity%neighbours))

  call begin('surefill_wait_options', c_loc(a_wait_options), c_sizeof(a_wait_options))
  call member('struct_size', c_loc(a_wait_options%struct_size))
  call member('method', c_loc(a_wait_options%method))
  call member('attribute', c_loc(a_wait_options%attribute))
  call member('components', c_loc(a_wait_options%components))
  call member('quantile', c_loc(a_wait_options%quantile))
  call member('confidence', c_loc(a_wait_options%confidence))
  call member('down_quantile', c_loc(a_wait_options%down_quantile))
  call member('rate', c_loc(a_wait_options%rate))
  call member('recluster_every', c_loc(a_wait_options%recluster_every))
  call member('oldest_seconds', c_loc(a_wait_options%oldest_seconds))

  call begin('surefill_sizing_capacity', c_loc(a_sizing_capacity), c_sizeof(a_sizing_capacity))
  call member('struct_size', c_loc(a_sizing_capacity%struct_size))
  call member('running', c_loc(a_sizing_capacity%running))
  call member('processors', c_loc(a_sizing_capacity%processors))

  call begin('surefill_choice_options', c_loc(a_choice_options), c_sizeof(a_choice_options))
  call member('struct_size', c_loc(a_choice_options%struct_size))
  call member('predictor', c_loc(a_choice_options%predictor))
  call member('quantile', c_loc(a_choice_options%quantile))
  call member('least', c_loc(a_choice_options%least))
  call member('most', c_loc(a_choice_options%most))
  call member('weight', c_loc(a_choice_options%weight))
  call member('least_gain', c_loc(a_choice_options%least_gain))

  call begin('surefill_choice', c_loc(a_choice), c_sizeof(a_choice))
  call member('struct_size', c_loc(a_choice%struct_size))
  call member('processors', c_loc(a_choice%processors))
  call member('wait', c_loc(a_choice%wait))
  call member('run_time', c_loc(a_choice%run_time))
  call member('gain', c_loc(a_choice%gain))

  call begin('surefill_hmm_capacity', c_loc(a_hmm_capacity), c_sizeof(a_hmm_capacity))
  call member('struct_size', c_loc(a_hmm_capacity%struct_size))
  call member('states', c_loc(a_hmm_capacity%states))
  call member('bins', c_loc(a_hmm_capacity%bins))
  call member('slots', c_loc(a_hmm_capacity%slots))
  call member('cells', c_loc(a_hmm_capacity%cells))

  call begin('surefill_model_parameters', c_loc(a_model_parameters), c_sizeof(a_model_parameters))
  call member('states', c_loc(a_model_parameters%states))
  call member('bins', c_loc(a_model_parameters%bins))
  call member('load', c_loc(a_model_parameters%load))
  call member('reserved', c_loc(a_model_parameters%reserved))
  call member('start', c_loc(a_model_parameters%start))
  call member('transition', c_loc(a_model_parameters%transition))
  call member('emission', c_loc(a_model_parameters%emission))
  call member('load_parameter', c_loc(a_model_parameters%load_parameter))

  call begin('surefill_online_hmm_options', c_loc(a_online_hmm_options), c_sizeof(a_online_hmm_options))
  call member('struct_size', c_loc(a_online_hmm_options%struct_size))
  call member('reserved', c_loc(a_online_hmm_options%reserved))
  call member('exponent', c_loc(a_online_hmm_options%exponent))
  call member('floor', c_loc(a_online_hmm_options%floor))
  call member('hold', c_loc(a_online_hmm_options%hold))

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
