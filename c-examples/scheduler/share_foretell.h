/* When the jobs of a pool will start where nodes are shared: the queue played forward on the library's machine of
 * nodes. Needs nothing but surefill_nodes.h; takes no lock. */
#ifndef SHARE_FORETELL_H
#define SHARE_FORETELL_H

#include "settings.h"
#include "share.h"

struct share_teller;

struct share_teller *share_teller_make(void);
void share_teller_free(struct share_teller *teller);

/* As foretell(), for the head job and the candidates that the share has wishes of: the others are not played, and when
 * they start stays unknown. Changes nothing of the share. */
const char *share_foretell(struct share_teller *teller, const struct settings *settings, struct beliefs *beliefs,
                           struct pool *pool, const struct share *share);

#endif
