#include "config.h"

#include "config/prism-config-view.h"

#include <string.h>

/* Whether all parameters that are in the group, or all that are not, have the same values. */
static gboolean
are_same (const PrismConfig *a,
          const PrismConfig *b,
          gboolean view)
{
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *first = NULL;
      g_autofree char *second = NULL;

      if (prism_config_view_contains (&params[i]) != view)
        continue;
      first = prism_config_dup_text (a, &params[i]);
      second = prism_config_dup_text (b, &params[i]);
      if (g_strcmp0 (first, second) != 0)
        return FALSE;
    }
  return TRUE;
}

/**
 * prism_config_view_contains:
 * @param: a parameter
 *
 * Returns: whether it says how pictures are looked at, and nothing else
 */
gboolean
prism_config_view_contains (const PrismParam *param)
{
  return strcmp (param->group, "picture") == 0;
}

/**
 * prism_config_view_equal:
 * @a: a configuration
 * @b: another one
 *
 * Returns: whether pictures are looked at in the same way
 */
gboolean
prism_config_view_equal (const PrismConfig *a,
                         const PrismConfig *b)
{
  return are_same (a, b, TRUE);
}

/**
 * prism_config_view_is_all:
 * @a: a configuration
 * @b: another one
 *
 * Returns: whether they differ in nothing but how pictures are looked at
 */
gboolean
prism_config_view_is_all (const PrismConfig *a,
                          const PrismConfig *b)
{
  return are_same (a, b, FALSE);
}

/**
 * prism_config_view_set:
 * @from: how to look at pictures
 *
 * Takes those values over, and leaves what is computed as it is.
 */
void
prism_config_view_set (PrismConfig *self,
                       const PrismConfig *from)
{
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *text = NULL;

      if (!prism_config_view_contains (&params[i]))
        continue;
      text = prism_config_dup_text (from, &params[i]);
      prism_config_set_text (self, params[i].key, text, NULL);
    }
}
