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
  return 0;
}
