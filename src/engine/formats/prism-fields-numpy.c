#include "config.h"

#include "formats/prism-fields-readers.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-npy.h"

#include <string.h>

/* The array is taken. */
static void
add_array (PrismFields *self,
           const char *name,
           PrismNpy *array)
{
  const PrismFieldKind kind = array->values == NULL ? PRISM_FIELD_OTHER
                              : array->is_complex   ? PRISM_FIELD_COMPLEX
                                                    : PRISM_FIELD_REAL;

  if (array->text == NULL || prism_fields_add_text (self, name, array->text) == NULL)
    prism_fields_add_values (self, name, kind, array->n_dims - (array->is_complex ? 1 : 0),
                             array->shape, g_steal_pointer (&array->values));
  prism_npy_free (array);
}

/**
 * prism_fields_load_npy:
 * @path: file name
 *
 * The one array of a .npy file, called “frames”. It is read at once, as doubles.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_npy (const char *path,
                       GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  PrismNpy *array = prism_npy_load (path, error);
  PrismFields *self;

  if (array == NULL)
    return NULL;
  self = prism_fields_new (name, "NumPy");
  add_array (self, "frames", array);
  return self;
}

/* Whether most of an archive is pictures. */
static gboolean
has_pictures (char **keys)
{
  static const char *const endings[] = { ".png", ".tif", ".tiff", ".jpg", ".jpeg", ".bmp", ".pgm" };
  guint n = 0;

  for (guint i = 0; keys[i] != NULL; i++)
    {
      g_autofree char *small = g_ascii_strdown (keys[i], -1);

      for (gsize k = 0; k < G_N_ELEMENTS (endings); k++)
        n += g_str_has_suffix (small, endings[k]);
    }
  return n > 0 && 2 * n >= g_strv_length (keys);
}

/**
 * prism_fields_load_npz:
 * @path: file name
 *
 * The arrays of an .npz archive, which are read at once, as doubles. Those that cannot be read are
 * listed with the reason.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_npz (const char *path,
                       GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (PrismNpz) archive = prism_npz_load (path, error);
  g_autoptr (PrismFields) self = NULL;
  g_auto (GStrv) keys = NULL;

  if (archive == NULL)
    return NULL;
  self = prism_fields_new (name, "NumPy");
  keys = prism_npz_dup_keys (archive);
  if (has_pictures (keys))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   "“%s” is a zip of pictures: unpack it, and give the folder.", name);
      return NULL;
    }
  for (guint i = 0; keys[i] != NULL && i < PRISM_FIELDS_MAX; i++)
    {
      g_autoptr (GError) reason = NULL;
      PrismNpy *array;

      /* What an archive of the program says of itself. */
      if (g_str_has_suffix (keys[i], ".json"))
        continue;
      array = prism_npz_get (archive, keys[i], &reason);
      if (array != NULL)
        add_array (self, keys[i], array);
      else if (g_error_matches (reason, PRISM_ERROR, PRISM_ERROR_FORMAT))
        {
          /* An object of Python's, for example, which does not keep the others from being read. */
          if (g_str_has_suffix (reason->message, "."))
            reason->message[strlen (reason->message) - 1] = '\0';
          prism_fields_add_obstacle (self, keys[i], reason->message);
        }
      else
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return NULL;
        }
    }
  return g_steal_pointer (&self);
}
