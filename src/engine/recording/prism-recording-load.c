#include "config.h"

#include "recording/prism-recording.h"

#include "recording/prism-fields-open.h"
#include "recording/prism-recording-assign.h"

static const char *
get_format (PrismFields *fields)
{
  if (prism_fields_find (fields, "ptychogram") != NULL)
    return "PtyLab HDF5";
  if (prism_fields_find (fields, "entry_1/data_1/data") != NULL
      || prism_fields_find (fields, "entry_1/instrument_1/detector_1/data") != NULL)
    return "CXI";
  return fields->format;
}

/* A recipe may name a table for the positions or directions. */
static gboolean
load_table (PrismRecording *self,
            const PrismRecipe *recipe,
            GError **error)
{
  static const char *const keys[] = { "positions", "directions" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const char *name = prism_recipe_get (recipe, keys[i]);

      if (name != NULL && (g_str_has_suffix (name, ".csv") || g_str_has_suffix (name, ".CSV")))
        return prism_recording_load_positions (self, name, error);
    }
  return TRUE;
}

/**
 * prism_recording_load:
 * @path: file name
 * @recipe: (nullable): how it is to be understood where names do not say it
 *
 * Reads frames and what the file says of their geometry. Numbers that it does not have are NAN:
 * prism_recording_check() says which are needed.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_recording_load (const char *path,
                      const PrismRecipe *recipe,
                      GError **error)
{
  g_autoptr (PrismFields) fields = prism_fields_open (path, error);
  g_autoptr (PrismRecording) self = NULL;

  if (fields == NULL)
    return NULL;
  self = prism_recording_new (path, get_format (fields));
  if (!prism_recording_assign (self, fields, recipe, error) || !load_table (self, recipe, error))
    return NULL;
  return g_steal_pointer (&self);
}
