#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-archive.h"
#include "formats/prism-fields-readers.h"

#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (4) << 30)
#define MAX_MEMBER_BYTES (G_GUINT64_CONSTANT (16) << 30)

/* Whether most of an archive is pictures. */
static gboolean
has_pictures (zip_t *zip,
              zip_int64_t n_members)
{
  static const char *const endings[] = { ".png", ".tif", ".tiff", ".jpg", ".jpeg", ".bmp", ".pgm" };
  zip_int64_t n = 0;

  for (zip_int64_t i = 0; i < n_members; i++)
    {
      const char *name = zip_get_name (zip, i, 0);
      g_autofree char *small = g_ascii_strdown (name != NULL ? name : "", -1);

      PRISM_FOR_EACH_OF (ending, endings)
        n += g_str_has_suffix (small, *ending);
    }
  return n > 0 && 2 * n >= n_members;
}

/* What cannot be read, as an object of Python's, does not keep the others from being read. */
static gboolean
add_member (PrismFields *self,
            zip_t *zip,
            const char *name,
            GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GBytes) bytes = prism_zip_load (zip, self->name, name, MAX_MEMBER_BYTES, &reason);
  const gsize length = strlen (name) - (g_str_has_suffix (name, ".npy") ? strlen (".npy") : 0);
  g_autofree char *key = g_strndup (name, length);

  if (bytes != NULL && prism_npy_list (self, key, key, bytes, &reason))
    return TRUE;
  if (!g_error_matches (reason, PRISM_ERROR, PRISM_ERROR_FORMAT))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (g_str_has_suffix (reason->message, "."))
    reason->message[strlen (reason->message) - 1] = '\0';
  prism_fields_add_obstacle (self, key, reason->message);
  return TRUE;
}

/**
 * prism_fields_load_npz:
 * @path: name of an .npz archive of at most 4 GiB
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
  zip_t *zip = prism_zip_open (path, MAX_FILE_BYTES, error);
  g_autoptr (PrismFields) self = prism_fields_new (path, "NumPy");
  const zip_int64_t n = zip != NULL ? zip_get_num_entries (zip, 0) : 0;
  gboolean ok = zip != NULL;

  if (has_pictures (zip, n))
    ok = prism_error_format (error, _ ("“%s” is a zip of pictures: unpack it, and give the"
                                       " folder."),
                             path);
  else if (zip != NULL && zip_name_locate (zip, "run.json", 0) >= 0)
    ok = prism_error_format (error, _ ("“%s” is a saved run: open it in the main window, or go on"
                                       " with it by “prism-cli run --resume”."),
                             path);
  for (zip_int64_t i = 0; ok && i < MIN (n, PRISM_FIELDS_MAX); i++)
    {
      const char *name = zip_get_name (zip, i, 0);

      /* JSON is what an archive of the program says of itself. */
      if (name != NULL && !g_str_has_suffix (name, ".json"))
        ok = add_member (self, zip, name, error);
    }
  if (zip != NULL)
    zip_discard (zip);
  return ok ? g_steal_pointer (&self) : NULL;
}
