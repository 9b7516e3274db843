/* Which candidates may start ahead of the head job where nodes are shared, and on which nodes. Needs nothing but
 * surefill_nodes.h; takes no lock. */
#ifndef SHARE_PASS_H
#define SHARE_PASS_H

#include "decide.h"
#include "share.h"

struct sharer;

struct sharer *sharer_make(void);
void sharer_free(struct sharer *sharer);

/* As decide(), for the candidates that the share has wishes of; the others do not fit. The nodes on which the accepted
 * ones were judged are the share's spots afterwards. In the place of the criterion of the papers' bound, which is not
 * known on shared nodes, that of the probability counts. *head_wait is the head job's expected wait in seconds, -1 for
 * unknown. */
void share_decide(struct sharer *sharer, const struct settings *settings, struct beliefs *beliefs, double spent,
                  struct pool *pool, struct share *share, struct decision *decision, double *head_wait);

#endif
