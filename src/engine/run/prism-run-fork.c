#include "config.h"

#include "run/prism-run-fork.h"

#include "base/prism-error.h"
#include "config/prism-config-applies.h"

#include <string.h>

/**
 * prism_run_fork_check:
 * @before: settings of a run
 * @after: what it should go on with
 * @recorded: whether its frames are
 *
 * Finds a setting that cannot change in the middle of a run: weights, measurements and positions
 * depend on it. How many passes recorded frames have says nothing of those before.
 *
 * Errors: PRISM_ERROR_CONFIG with the key.
 *
 * Returns: whether the run can go on with them
 */
gboolean
prism_run_fork_check (const PrismConfig *before,
                      const PrismConfig *after,
                      gboolean recorded,
                      GError **error)
{
  static const char *const passes[] = { "passes", "more_passes", NULL };
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  if (prism_config_equal (before, after))
    return TRUE;
  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *left = NULL, *right = NULL;

      if (params[i].live || prism_param_is_place (&params[i])
          || !prism_param_is_of (&params[i], recorded)
          || (recorded && g_strv_contains (passes, params[i].key)))
        continue;
      left = prism_config_dup_text (before, &params[i]);
      right = prism_config_dup_text (after, &params[i]);
      if (strcmp (left, right) == 0)
        continue;
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%s cannot change from %s to %s in the middle of a run: begin a new one with"
                   " that setting.",
                   params[i].key, left, right);
      return FALSE;
    }
  return TRUE;
}
