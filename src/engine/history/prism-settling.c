#include "config.h"

#include "history/prism-settling.h"

#include <glib/gi18n-lib.h>

/**
 * prism_settling_get_key:
 * @self: how the passes ended
 *
 * Returns: what files call it
 */
const char *
prism_settling_get_key (PrismSettlingKind self)
{
  static const char *const keys[PRISM_N_SETTLINGS] = {
    [PRISM_SETTLING_OPEN] = "open",
    [PRISM_SETTLING_MOVING] = "moving",
    [PRISM_SETTLING_STILL] = "converged",
    [PRISM_SETTLING_MET] = "measurements met",
  };

  return keys[self];
}

/**
 * prism_settling_dup_text:
 * @self: of a run
 *
 * Says how far the picture moved, beside the limit.
 *
 * Returns: (transfer full) (nullable): one sentence for the user; %NULL where nothing is known
 */
char *
prism_settling_dup_text (const PrismSettling *self)
{
  const double change = 100.0 * self->change, limit = 100.0 * self->limit;

  if (self->kind == PRISM_SETTLING_MET)
    return g_strdup (_ ("Converged: the measurements are met."));
  if (self->limit <= 0.0 || self->change <= 0.0)
    return NULL;
  if (self->kind == PRISM_SETTLING_STILL)
    return g_strdup_printf (_ ("Converged: the last passes moved the picture by %.3g %%, less than"
                               " %.3g %%."),
                            change, limit);
  if (self->kind == PRISM_SETTLING_MOVING)
    return g_strdup_printf (_ ("Not converged: the last passes moved the picture by %.3g %%,"
                               " more than %.3g %%."),
                            change, limit);
  return g_strdup_printf (_ ("Ten passes moved the picture by %.3g %%; below %.3g %% they end."),
                          change, limit);
}
