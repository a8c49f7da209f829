#include "config.h"

#include "solve/prism-method-state.h"

#include "base/prism-arena.h"

/* Dimensions of this file: n = image_size, m = object_size. */

static gsize
get_side (const PrismMethodPlane *plane,
          const PrismBackendSpec *spec)
{
  return plane->is_field ? spec->image_size : spec->object_size;
}

/**
 * prism_method_state_save:
 * @table: of the method
 * @method: its structure
 * @prefix: what the names in the table begin with in the bundle
 * @spec: for m and n
 * @bundle: where to
 * @error: return location
 *
 * Adds numbers and squares; those that are not there yet are left out.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether they have been added
 */
gboolean
prism_method_state_save (const PrismMethodState *table,
                         gconstpointer method,
                         const char *prefix,
                         const PrismBackendSpec *spec,
                         PrismBundle *bundle,
                         GError **error)
{
  g_autofree char *numbers = g_strconcat (prefix, table->numbers, NULL);

  prism_bundle_take_text (bundle, numbers, prism_record_to_text (table->fields, method));
  for (const PrismMethodPlane *plane = table->planes; plane->name != NULL; plane++)
    {
      g_autofree char *name = g_strconcat (prefix, plane->name, NULL);

      if (!prism_bundle_add_plane (bundle, name, G_STRUCT_MEMBER (float *, method, plane->offset),
                                   get_side (plane, spec), error))
        return FALSE;
    }
  return TRUE;
}

/**
 * prism_method_state_load:
 * @table: of the method
 * @method: its structure
 * @prefix: as it was saved with
 * @spec: for m and n
 * @bundle: what prism_method_state_save() added to
 * @error: return location
 *
 * Reads what was written, exactly.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY; the method is then of no use.
 *
 * Returns: whether everything was good
 */
gboolean
prism_method_state_load (const PrismMethodState *table,
                         gpointer method,
                         const char *prefix,
                         const PrismBackendSpec *spec,
                         PrismBundle *bundle,
                         GError **error)
{
  g_autofree char *numbers = g_strconcat (prefix, table->numbers, NULL);
  const char *text = prism_bundle_get_text (bundle, numbers, error);

  if (text == NULL || !prism_record_parse (table->fields, method, text, numbers, error))
    return FALSE;
  for (const PrismMethodPlane *plane = table->planes; plane->name != NULL; plane++)
    {
      g_autofree char *name = g_strconcat (prefix, plane->name, NULL);
      float **values = &G_STRUCT_MEMBER (float *, method, plane->offset);
      const gsize side = get_side (plane, spec);

      if (plane->comes_late)
        g_clear_pointer (values, prism_arena_free_array);
      if (plane->comes_late && !prism_bundle_has (bundle, name))
        continue;
      if (*values == NULL)
        *values = prism_arena_new_array (side * side * sizeof **values, name, error);
      if (*values == NULL || !prism_bundle_copy_plane (bundle, name, *values, side, error))
        return FALSE;
    }
  return TRUE;
}
