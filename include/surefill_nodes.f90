!> surefill, machines of nodes: the functions of surefill_nodes.h, which says what they do. The conventions of the module
!> surefill hold here too. Generated with it; do not edit. Licence: MIT OR Apache-2.0.
module surefill_nodes
  use surefill
  implicit none

  ! ---- Machines of nodes shared by cores, memory and GPUs ----
  !> The most tasks of one request.
  integer(c_int32_t), parameter :: SUREFILL_MAX_TASKS = 16777216_c_int32_t
  !> How tasks lie on nodes: each on a node of its own.
  integer(c_int32_t), parameter :: SUREFILL_SPREAD_NODES = 0_c_int32_t
  !> How tasks lie on nodes: anywhere, several may share a node.
  integer(c_int32_t), parameter :: SUREFILL_SPREAD_TASKS = 1_c_int32_t
  !> Nodes are tried in their order.
  integer(c_int32_t), parameter :: SUREFILL_FIT_FIRST = 0_c_int32_t
  !> Those nodes first on which the least would be left free, in shares of their capacity added up.
  integer(c_int32_t), parameter :: SUREFILL_FIT_BEST = 1_c_int32_t
  !> Those nodes first on which the head job's start would be disturbed in the fewest scenarios, by best fit among
  !! equal ones. Without a head job it is SUREFILL_FIT_BEST.
  integer(c_int32_t), parameter :: SUREFILL_FIT_APART = 2_c_int32_t

  !> Capacities of a machine of nodes. Set by surefill_nodes_capacity_init, then changed as needed.
  type, bind(c) :: surefill_nodes_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Nodes (1 to 65,536).
    integer(c_int32_t) :: nodes
    !> Classes of like nodes (1 to 65,536).
    integer(c_int32_t) :: classes
    !> Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES).
    integer(c_int32_t) :: resources
    !> Jobs that hold something at the same time (0 to 1,048,576).
    integer(c_int32_t) :: jobs
    !> Pairs of a job and a node on which it holds something (0 to 16,777,216).
    integer(c_int32_t) :: parts
  end type surefill_nodes_capacity

  !> What a job asks for. Set by surefill_request_init, then changed as needed.
  type, bind(c) :: surefill_request
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> How many tasks (1 to SUREFILL_MAX_TASKS).
    integer(c_int32_t) :: count
    !> One of SUREFILL_SPREAD_: how they lie on nodes.
    integer(c_int32_t) :: spread
    !> Not 0: nobody else may be on its nodes.
    integer(c_int32_t) :: exclusive
    !> The features that a node's class must have, all of them: bits of the site's own meaning.
    integer(c_int64_t) :: features
    !> What each task takes of its node; not negative, 0 for kinds that the machine does not count.
    integer(c_int32_t) :: each(8)
    !> What the whole job takes of the machine's own resources, such as licences; not negative.
    integer(c_int32_t) :: pool(8)
  end type surefill_request

  ! ---- The scheduling pass on a machine of nodes ----

  !> Capacities of a pass on a machine of nodes. Set by surefill_node_pass_capacity_init, then changed as needed.
  type, bind(c) :: surefill_node_pass_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Nodes of the machine (1 to 65,536).
    integer(c_int32_t) :: nodes
    !> Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts.
    integer(c_int32_t) :: resources
    !> Running jobs (0 to 1,048,576).
    integer(c_int32_t) :: running
    !> Candidates (0 to 1,048,576).
    integer(c_int32_t) :: candidates
    !> Nodes of the candidates that fit, together: the tasks of each, or the machine's nodes where these are fewer (0
    !! to 16,777,216).
    integer(c_int32_t) :: parts
    !> Bins of the distributions (1 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    integer(c_int32_t) :: events_per_bin
  end type surefill_node_pass_capacity

  !> How many scenarios a pass plays, and how sure it must be. Set by surefill_node_pass_options_init, then changed as
  !! needed.
  type, bind(c) :: surefill_node_pass_options
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> The most scenarios (64 to SUREFILL_MAX_SCENARIOS); 0 for none: then a candidate is accepted exactly if EASY
    !! would start it by the time limits, whatever the criterion and the threshold, with a delay of 0.
    integer(c_int32_t) :: scenarios
    !> The seed of the run times; any number.
    integer(c_int64_t) :: seed
    !> The confidence of the half-widths (above 0, below 1), all looks at a candidate together.
    real(c_double) :: confidence
    !> In which share of the scenarios a running job that belongs to a group (surefill_node_pass_set_group) has the
    !! group's draw, not its own (0 to 1).
    real(c_double) :: shared
  end type surefill_node_pass_options

  ! ---- Starts of waiting jobs on a machine of nodes: the queue played forward ----

  !> Capacities of a forecast on a machine of nodes. Set by surefill_node_forecast_capacity_init, then changed as
  !! needed.
  type, bind(c) :: surefill_node_forecast_capacity
    !> Bytes of this structure, as the program knows it.
    integer(c_int32_t) :: struct_size
    !> Nodes of the machine (1 to 65,536).
    integer(c_int32_t) :: nodes
    !> Classes of like nodes (1 to 65,536).
    integer(c_int32_t) :: classes
    !> Kinds of resource on a node (1 to SUREFILL_MAX_RESOURCES); as many as the machine counts.
    integer(c_int32_t) :: resources
    !> Running jobs (0 to 1,048,576).
    integer(c_int32_t) :: running
    !> Waiting jobs (0 to 1,048,576).
    integer(c_int32_t) :: waiting
    !> Nodes of the waiting jobs, together: the tasks of each, or the machine's nodes where these are fewer (0 to
    !! 16,777,216).
    integer(c_int32_t) :: parts
    !> Bins of the distributions (1 to SUREFILL_MAX_BINS).
    integer(c_int32_t) :: bins
    !> Events into which a bin's probability is divided (1 to SUREFILL_MAX_EVENTS_PER_BIN).
    integer(c_int32_t) :: events_per_bin
    !> Scenarios (2 to SUREFILL_MAX_SCENARIOS).
    integer(c_int32_t) :: scenarios
  end type surefill_node_forecast_capacity

  interface

    !> Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 4,096 jobs, 16,384 pairs
    !! of a job and a node.
    function surefill_nodes_capacity_init(capacity, size) bind(c, name='surefill_nodes_capacity_init') &
            result(code)
      import
      type(surefill_nodes_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_nodes_capacity_init

    !> Sets the request to one task anywhere that takes nothing yet.
    function surefill_request_init(request, size) bind(c, name='surefill_request_init') result(code)
      import
      type(surefill_request), intent(out) :: request
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_request_init

    !> Bytes of memory that a machine needs: for n nodes with r kinds of resource, c classes, j jobs and p parts at
    !! most (40 + 4 r) n + 104 c + 104 j + 16 p + 512.
    function surefill_nodes_size(capacity, size) bind(c, name='surefill_nodes_size') result(code)
      import
      type(surefill_nodes_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_nodes_size

    !> Makes a machine without nodes in the caller's memory (length bytes, at least surefill_nodes_size, aligned to
    !! 8). O(length).
    function surefill_nodes_init(memory, length, capacity, nodes) bind(c, name='surefill_nodes_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_nodes_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: nodes
      integer(c_int32_t) :: code
    end function surefill_nodes_init

    !> Makes the block a checkpoint, surefill_nodes_size bytes from the handle on, by writing its checksum. Any later
    !! call that changes the machine breaks the seal. O(size).
    function surefill_nodes_seal(nodes) bind(c, name='surefill_nodes_seal') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t) :: code
    end function surefill_nodes_seal

    !> Opens a checkpoint that lies in the caller's memory (length bytes, aligned to 8): a block as
    !! surefill_nodes_seal left it. Handles of jobs stay what they were. O(size).
    function surefill_nodes_open(memory, length, nodes) bind(c, name='surefill_nodes_open') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: nodes
      integer(c_int32_t) :: code
    end function surefill_nodes_open

    !> Adds a class of nodes with these features (bits of the site's own meaning) and amounts of count kinds of
    !! resource, none negative. index is the class's, from 0. O(1).
    function surefill_nodes_add_class(nodes, features, amounts, count, index) bind(c, &
            name='surefill_nodes_add_class') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: features
      integer(c_int32_t), intent(in) :: amounts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(out) :: index
      integer(c_int32_t) :: code
    end function surefill_nodes_add_class

    !> Adds count empty nodes of a class. first is the index of the first of them. O(count).
    function surefill_nodes_add_nodes(nodes, class_index, count, first) bind(c, &
            name='surefill_nodes_add_nodes') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: class_index
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(out) :: first
      integer(c_int32_t) :: code
    end function surefill_nodes_add_nodes

    !> Sets the resources of the whole machine, such as licences: count amounts, none negative. What jobs hold of them
    !! stays theirs. O(1).
    function surefill_nodes_set_pool(nodes, amounts, count) bind(c, name='surefill_nodes_set_pool') &
            result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), intent(in) :: amounts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_set_pool

    !> Opens a node for new jobs (is_open not 0), or closes it (drained, down). Jobs on it stay until they are
    !! released. O(1).
    function surefill_nodes_set_open(nodes, node, is_open) bind(c, name='surefill_nodes_set_open') &
            result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: node
      integer(c_int32_t), value :: is_open
      integer(c_int32_t) :: code
    end function surefill_nodes_set_open

    !> How many nodes there are, and how many jobs hold something. O(1).
    function surefill_nodes_count(nodes, count, jobs) bind(c, name='surefill_nodes_count') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t), intent(out) :: jobs
      integer(c_int32_t) :: code
    end function surefill_nodes_count

    !> What is free on a node of the first count kinds of resource; nothing on a node that one job holds alone. O(1).
    function surefill_nodes_free(nodes, node, amounts, count) bind(c, name='surefill_nodes_free') &
            result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: node
      integer(c_int32_t), intent(out) :: amounts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_free

    !> What is free of the first count of the whole machine's resources. O(1).
    function surefill_nodes_pool_free(nodes, amounts, count) bind(c, name='surefill_nodes_pool_free') &
            result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), intent(out) :: amounts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_pool_free

    !> Whether a request fits what is free (now 1 or 0), and whether it could ever: on the machine with all its nodes
    !! empty, those closed left out (ever 1 or 0). O(nodes).
    function surefill_nodes_fits(nodes, request, now, ever) bind(c, name='surefill_nodes_fits') result(code)
      import
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      integer(c_int32_t), intent(out) :: now
      integer(c_int32_t), intent(out) :: ever
      integer(c_int32_t) :: code
    end function surefill_nodes_fits

    !> Finds nodes for a request by one of SUREFILL_FIT_, in the order of the nodes: count parts, 0 where it does not
    !! fit. room is how many parts there is room for; as many as the request's tasks, or the nodes if these are fewer,
    !! are always enough. Nothing is taken. O(nodes log count).
    function surefill_nodes_place(nodes, request, fit, parts, room, count) bind(c, &
            name='surefill_nodes_place') result(code)
      import
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      integer(c_int32_t), value :: fit
      type(surefill_part), intent(inout) :: parts(*)
      integer(c_int32_t), value :: room
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_place

    !> Takes what a request asks for on count nodes, which come in increasing order. job is the job's handle. After
    !! surefill_nodes_release it is unknown until other jobs have had its place 2,048 times. O(count).
    function surefill_nodes_allocate(nodes, request, parts, count, job) bind(c, &
            name='surefill_nodes_allocate') result(code)
      import
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      type(surefill_part), intent(in) :: parts(*)
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(out) :: job
      integer(c_int32_t) :: code
    end function surefill_nodes_allocate

    !> Gives back all that a job holds. O(its nodes).
    function surefill_nodes_release(nodes, job) bind(c, name='surefill_nodes_release') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      integer(c_int32_t) :: code
    end function surefill_nodes_release

    !> Where a job is: count parts in increasing order of nodes, for which there must be room. O(its nodes).
    function surefill_nodes_placement(nodes, job, parts, room, count) bind(c, &
            name='surefill_nodes_placement') result(code)
      import
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      type(surefill_part), intent(inout) :: parts(*)
      integer(c_int32_t), value :: room
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_nodes_placement

    !> Sets the capacity to its defaults: 1,024 nodes with 3 kinds of resource, 1,024 running jobs, 256 candidates on
    !! 4,096 nodes, 32 bins of 4 events.
    function surefill_node_pass_capacity_init(capacity, size) bind(c, &
            name='surefill_node_pass_capacity_init') result(code)
      import
      type(surefill_node_pass_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_node_pass_capacity_init

    !> Sets the options to their defaults: at most 256 scenarios of seed 0, half-widths of .95 confidence, every job
    !! with draws of its own.
    function surefill_node_pass_options_init(options, size) bind(c, name='surefill_node_pass_options_init') &
            result(code)
      import
      type(surefill_node_pass_options), intent(out) :: options
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_node_pass_options_init

    !> Bytes of memory that a pass needs: for n nodes with k kinds of resource, R running jobs, Q candidates with p
    !! parts and b bins of e events at most 24 (R + Q + 1) b e + (56 + 4 k) n + 176 R + 408 Q + 24 p + 600.
    function surefill_node_pass_size(capacity, size) bind(c, name='surefill_node_pass_size') result(code)
      import
      type(surefill_node_pass_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_node_pass_size

    !> Makes a pass in the caller's memory (length bytes, at least surefill_node_pass_size, aligned to 8). O(1).
    function surefill_node_pass_init(memory, length, capacity, pass) bind(c, name='surefill_node_pass_init') &
            result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_node_pass_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: pass
      integer(c_int32_t) :: code
    end function surefill_node_pass_init

    !> Begins a pass at time now (seconds since any fixed origin, within 2^53 of it) for a head job that does not fit
    !! the machine now and has waited for head_waited seconds (0 to SUREFILL_MAX_SECONDS; the rule's guard and slip
    !! ask for it). Options may be NULL for the defaults. Forgets what the last pass held, except what is spent if it
    !! was for the same head job. O(nodes).
    function surefill_node_pass_begin(pass, nodes, now, head_id, head, head_waited, options) bind(c, &
            name='surefill_node_pass_begin') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: now
      integer(c_int64_t), value :: head_id
      type(surefill_request), intent(in) :: head
      integer(c_int64_t), value :: head_waited
      type(c_ptr), value :: options
      integer(c_int32_t) :: code
    end function surefill_node_pass_begin

    !> Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. Each job
    !! is added once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL.
    !! O(bins x events per bin).
    function surefill_node_pass_add_running(pass, nodes, job, age, limit, distribution, index) bind(c, &
            name='surefill_node_pass_add_running') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_pass_add_running

    !> Puts a running job, by its number in this pass, into a group, of a number of the caller's own: jobs of one user
    !! and kind, of which one that runs long says that the others do. How much they have in common is the options'
    !! shared. O(1).
    function surefill_node_pass_set_group(pass, running, group) bind(c, name='surefill_node_pass_set_group') &
            result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: running
      integer(c_int64_t), value :: group
      integer(c_int32_t) :: code
    end function surefill_node_pass_set_group

    !> Adds a candidate for backfilling behind those added before: its request, by which of SUREFILL_FIT_ nodes are
    !! found for it, its time limit in seconds and what is believed of its run time; NULL when nothing is known but
    !! the limit. The nodes are found anew when an earlier candidate has been given some of them. index is its number,
    !! from 0; it may be NULL. O(nodes + bins x events per bin).
    function surefill_node_pass_add_candidate(pass, nodes, request, fit, limit, distribution, index) bind(c, &
            name='surefill_node_pass_add_candidate') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      integer(c_int32_t), value :: fit
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_pass_add_candidate

    !> Adds a candidate with the caller's own placement, count parts in increasing order of nodes. When an earlier
    !! candidate has been given some of these nodes, it does not fit any more. index is its number, from 0; it may be
    !! NULL. O(parts + bins x events per bin).
    function surefill_node_pass_add_placed(pass, nodes, request, parts, count, limit, distribution, index) &
            bind(c, name='surefill_node_pass_add_placed') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      type(surefill_part), intent(in) :: parts(*)
      integer(c_int32_t), value :: count
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_pass_add_placed

    !> Decides until a candidate is accepted, all are decided, or about work steps are done (at least 1; a step is an
    !! end of a running job, a node that one gives back, or a part of a candidate; one scenario is never interrupted,
    !! nor is setting up: 34 scenarios and O(nodes) for each candidate). step is one of SUREFILL_STEP_; candidate is
    !! the accepted candidate's number, -1 for the other steps. What is decided does not depend on work. The rule may
    !! change only where a decision is complete, not after MORE.
    function surefill_node_pass_decide(pass, nodes, rule, work, step, candidate) bind(c, &
            name='surefill_node_pass_decide') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      type(surefill_rule), intent(in) :: rule
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t), intent(out) :: candidate
      integer(c_int32_t) :: code
    end function surefill_node_pass_decide

    !> Starts the accepted candidate on its nodes: a running job of the machine from now on, with the handle job, its
    !! delay spent. A forecast that begins later does not see that it runs: surefill_node_forecast_add_running says it
    !! with this handle, or the job holds its nodes in all scenarios. O(candidates).
    function surefill_node_pass_commit(pass, nodes, candidate, job) bind(c, &
            name='surefill_node_pass_commit') result(code)
      import
      type(c_ptr), value :: pass
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: candidate
      integer(c_int32_t), intent(out) :: job
      integer(c_int32_t) :: code
    end function surefill_node_pass_commit

    !> Gives the accepted candidate up, because it could not be started after all. O(1).
    function surefill_node_pass_decline(pass, candidate) bind(c, name='surefill_node_pass_decline') &
            result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      integer(c_int32_t) :: code
    end function surefill_node_pass_decline

    !> A candidate's verdict so far: the delay of the head job in the criterion's unit (0 while not judged), how far
    !! that may be from what infinitely many scenarios would say, the scenarios on which it rests, and one of
    !! SUREFILL_VERDICT_. O(1).
    function surefill_node_pass_judgement(pass, candidate, delay, half_width, scenarios, verdict) bind(c, &
            name='surefill_node_pass_judgement') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      real(c_double), intent(out) :: delay
      real(c_double), intent(out) :: half_width
      integer(c_int32_t), intent(out) :: scenarios
      integer(c_int32_t), intent(out) :: verdict
      integer(c_int32_t) :: code
    end function surefill_node_pass_judgement

    !> Where a candidate is judged to be: count parts in increasing order of nodes, for which there must be room; none
    !! as long as it is not placed, or where it does not fit. O(parts).
    function surefill_node_pass_placement(pass, candidate, parts, room, count) bind(c, &
            name='surefill_node_pass_placement') result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: candidate
      type(surefill_part), intent(inout) :: parts(*)
      integer(c_int32_t), value :: room
      integer(c_int32_t), intent(out) :: count
      integer(c_int32_t) :: code
    end function surefill_node_pass_placement

    !> The delays of committed candidates added up for the present head job, by the criterion they were judged by.
    !! What was judged by RELATIVE counts in SECONDS too. O(1).
    function surefill_node_pass_spent(pass, criterion, spent) bind(c, name='surefill_node_pass_spent') &
            result(code)
      import
      type(c_ptr), value :: pass
      integer(c_int32_t), value :: criterion
      real(c_double), intent(out) :: spent
      integer(c_int32_t) :: code
    end function surefill_node_pass_spent

    !> The head job's expected wait from now on in seconds, over the scenarios played since the last acceptance, and
    !! how far that may be from what infinitely many would say. O(1).
    function surefill_node_pass_head_wait(pass, seconds, half_width) bind(c, &
            name='surefill_node_pass_head_wait') result(code)
      import
      type(c_ptr), value :: pass
      real(c_double), intent(out) :: seconds
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_node_pass_head_wait

    !> Sets the capacity to its defaults: 1,024 nodes of 16 classes with 3 kinds of resource, 1,024 running jobs, 256
    !! waiting ones on 4,096 nodes, 32 bins of 4 events, 200 scenarios.
    function surefill_node_forecast_capacity_init(capacity, size) bind(c, &
            name='surefill_node_forecast_capacity_init') result(code)
      import
      type(surefill_node_forecast_capacity), intent(out) :: capacity
      integer(c_int64_t), value :: size
      integer(c_int32_t) :: code
    end function surefill_node_forecast_capacity_init

    !> Bytes of memory that a forecast needs: what surefill_forecast_size says for as many jobs, bins and scenarios,
    !! and for n nodes with r kinds of resource, c classes, R running and W waiting jobs with p nodes together at most
    !! (68 + 8 r) n + 208 c + 4 R + 112 W + 8 p + 900 more.
    function surefill_node_forecast_size(capacity, size) bind(c, name='surefill_node_forecast_size') &
            result(code)
      import
      type(surefill_node_forecast_capacity), intent(in) :: capacity
      integer(c_int64_t), intent(out) :: size
      integer(c_int32_t) :: code
    end function surefill_node_forecast_size

    !> Makes a forecast in the caller's memory (length bytes, at least surefill_node_forecast_size, aligned to 8).
    !! O(1).
    function surefill_node_forecast_init(memory, length, capacity, forecast) bind(c, &
            name='surefill_node_forecast_init') result(code)
      import
      type(c_ptr), value :: memory
      integer(c_int64_t), value :: length
      type(surefill_node_forecast_capacity), intent(in) :: capacity
      type(c_ptr), intent(out) :: forecast
      integer(c_int32_t) :: code
    end function surefill_node_forecast_init

    !> Begins a forecast at time now (seconds since any fixed origin, within 2^53 of it). The options are those of
    !! surefill_forecast, with at most one reservation. Forgets what the last forecast held. O(nodes + classes).
    function surefill_node_forecast_begin(forecast, nodes, now, options) bind(c, &
            name='surefill_node_forecast_begin') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: now
      type(surefill_forecast_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function surefill_node_forecast_begin

    !> Adds a running job by its handle on the machine: for how long it has run, its time limit (both in seconds, 0 to
    !! SUREFILL_MAX_SECONDS) and what is believed of its run time; NULL when nothing is known but the limit. Each job
    !! is added once: added twice it would give its nodes back twice. index is its number, from 0; it may be NULL.
    !! O(bins x events per bin).
    function surefill_node_forecast_add_running(forecast, nodes, job, age, limit, distribution, index) &
            bind(c, name='surefill_node_forecast_add_running') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      integer(c_int32_t), value :: job
      integer(c_int64_t), value :: age
      integer(c_int64_t), value :: limit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_forecast_add_running

    !> Adds a waiting job behind those added before: its request, by which of SUREFILL_FIT_ nodes are found for it,
    !! how many processors the priorities of the options count for it, its time limit in seconds (0 to
    !! SUREFILL_MAX_SECONDS), when it was submitted (a submission ahead counts as for surefill_forecast), and what is
    !! believed of its run time; NULL when nothing is known but the limit. With SUREFILL_FIT_APART those nodes come
    !! last on which the head job finds room when it is planned to start. index is its number, from 0; it may be NULL.
    !! O(bins x events per bin).
    function surefill_node_forecast_add_waiting(forecast, nodes, request, fit, processors, limit, submit, &
            distribution, index) bind(c, name='surefill_node_forecast_add_waiting') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      type(surefill_request), intent(in) :: request
      integer(c_int32_t), value :: fit
      integer(c_int32_t), value :: processors
      integer(c_int64_t), value :: limit
      integer(c_int64_t), value :: submit
      type(c_ptr), value :: distribution
      type(c_ptr), value :: index
      integer(c_int32_t) :: code
    end function surefill_node_forecast_add_waiting

    !> Plays scenarios until all are played (step is SUREFILL_STEP_DONE), or about work steps are done
    !! (SUREFILL_STEP_MORE; work is at least 1; one instant of a scenario is never interrupted). A step is an event, a
    !! job looked at, or eight nodes looked at.
    function surefill_node_forecast_run(forecast, nodes, work, step) bind(c, &
            name='surefill_node_forecast_run') result(code)
      import
      type(c_ptr), value :: forecast
      type(c_ptr), value :: nodes
      integer(c_int64_t), value :: work
      integer(c_int32_t), intent(out) :: step
      integer(c_int32_t) :: code
    end function surefill_node_forecast_run

    !> As surefill_forecast_start_quantile; NEVER for a job that finds no room when all running jobs have ended. O(1).
    function surefill_node_forecast_start_quantile(forecast, job, probability, when, half_width) bind(c, &
            name='surefill_node_forecast_start_quantile') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      real(c_double), value :: probability
      integer(c_int64_t), intent(out) :: when
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_node_forecast_start_quantile

    !> As surefill_forecast_start_probability. O(log scenarios).
    function surefill_node_forecast_start_probability(forecast, job, when, probability, half_width) bind(c, &
            name='surefill_node_forecast_start_probability') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      integer(c_int64_t), value :: when
      real(c_double), intent(out) :: probability
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_node_forecast_start_probability

    !> As surefill_forecast_start_mean. O(scenarios).
    function surefill_node_forecast_start_mean(forecast, job, seconds, half_width) bind(c, &
            name='surefill_node_forecast_start_mean') result(code)
      import
      type(c_ptr), value :: forecast
      integer(c_int32_t), value :: job
      real(c_double), intent(out) :: seconds
      real(c_double), intent(out) :: half_width
      integer(c_int32_t) :: code
    end function surefill_node_forecast_start_mean
  end interface

end module surefill_nodes
