// What the C compiler makes of the header's structures: name, bytes; name%member, offset.
#include "surefill.h"
#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define OFFSET(type, member) printf(#type "%%" #member " %zu\n", offsetof(type, member))

int main(void) {
  SIZE(surefill_pass_limits);
  OFFSET(surefill_pass_limits, struct_size);
  OFFSET(surefill_pass_limits, running);
  OFFSET(surefill_pass_limits, candidates);
  OFFSET(surefill_pass_limits, processors);
  OFFSET(surefill_pass_limits, bins);
  OFFSET(surefill_pass_limits, events_per_bin);
  OFFSET(surefill_pass_limits, tie_cells);
  SIZE(surefill_rule);
  OFFSET(surefill_rule, struct_size);
  OFFSET(surefill_rule, criterion);
  OFFSET(surefill_rule, threshold);
  OFFSET(surefill_rule, budget);
  SIZE(surefill_job_event);
  OFFSET(surefill_job_event, kind);
  OFFSET(surefill_job_event, processors);
  OFFSET(surefill_job_event, job);
  OFFSET(surefill_job_event, time);
  OFFSET(surefill_job_event, limit);
  OFFSET(surefill_job_event, user);
  SIZE(surefill_hmm_limits);
  OFFSET(surefill_hmm_limits, struct_size);
  OFFSET(surefill_hmm_limits, states);
  OFFSET(surefill_hmm_limits, bins);
  OFFSET(surefill_hmm_limits, slots);
  OFFSET(surefill_hmm_limits, cells);
  SIZE(surefill_round);
  OFFSET(surefill_round, log_likelihood);
  OFFSET(surefill_round, l1);
  OFFSET(surefill_round, l_infinity);
  OFFSET(surefill_round, rounds);
  OFFSET(surefill_round, jobs);
  OFFSET(surefill_round, adapted);
  SIZE(surefill_online_hmm_options);
  OFFSET(surefill_online_hmm_options, struct_size);
  OFFSET(surefill_online_hmm_options, reserved);
  OFFSET(surefill_online_hmm_options, exponent);
  OFFSET(surefill_online_hmm_options, floor);
  OFFSET(surefill_online_hmm_options, hold);
  SIZE(surefill_predictor_limits);
  OFFSET(surefill_predictor_limits, struct_size);
  OFFSET(surefill_predictor_limits, jobs);
  OFFSET(surefill_predictor_limits, states);
  OFFSET(surefill_predictor_limits, bins);
  OFFSET(surefill_predictor_limits, slots);
  OFFSET(surefill_predictor_limits, cells);
  OFFSET(surefill_predictor_limits, window);
  OFFSET(surefill_predictor_limits, online);
  SIZE(surefill_predictor_options);
  OFFSET(surefill_predictor_options, struct_size);
  OFFSET(surefill_predictor_options, load);
  OFFSET(surefill_predictor_options, initial);
  OFFSET(surefill_predictor_options, termination);
  OFFSET(surefill_predictor_options, threshold);
  OFFSET(surefill_predictor_options, most_rounds);
  OFFSET(surefill_predictor_options, slot_seconds);
  OFFSET(surefill_predictor_options, initial_seconds);
  OFFSET(surefill_predictor_options, restart_seconds);
  OFFSET(surefill_predictor_options, floor);
  OFFSET(surefill_predictor_options, exponent);
  OFFSET(surefill_predictor_options, hold);
  SIZE(surefill_expert);
  OFFSET(surefill_expert, keys);
  OFFSET(surefill_expert, reserved);
  OFFSET(surefill_expert, decay);
  OFFSET(surefill_expert, prior);
  SIZE(surefill_mixture_limits);
  OFFSET(surefill_mixture_limits, struct_size);
  OFFSET(surefill_mixture_limits, bins);
  OFFSET(surefill_mixture_limits, keys);
  OFFSET(surefill_mixture_limits, experts);
  OFFSET(surefill_mixture_limits, histories);
  SIZE(surefill_wait_limits);
  OFFSET(surefill_wait_limits, struct_size);
  OFFSET(surefill_wait_limits, history);
  OFFSET(surefill_wait_limits, queued);
  OFFSET(surefill_wait_limits, releases);
  OFFSET(surefill_wait_limits, clusters);
  SIZE(surefill_wait_options);
  OFFSET(surefill_wait_options, struct_size);
  OFFSET(surefill_wait_options, method);
  OFFSET(surefill_wait_options, attribute);
  OFFSET(surefill_wait_options, components);
  OFFSET(surefill_wait_options, quantile);
  OFFSET(surefill_wait_options, confidence);
  OFFSET(surefill_wait_options, down_quantile);
  OFFSET(surefill_wait_options, rate);
  OFFSET(surefill_wait_options, recluster_every);
  return 0;
}
