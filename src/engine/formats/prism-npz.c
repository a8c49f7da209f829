#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-archive.h"
#include "formats/prism-fields-readers.h"
#include "formats/prism-npy.h"

#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (4) << 30)
#define MAX_MEMBER_BYTES (G_GUINT64_CONSTANT (16) << 30)

struct _PrismNpz
{
  char *name; /* for messages */
  zip_t *zip;
};

/**
 * prism_npz_load:
 * @path: file name
 *
 * Opens an .npz archive of at most 4 GiB; the arrays are unpacked one by one when asked for.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 * Thread: any; one archive is used by one thread at a time.
 *
 * Returns: (transfer full) (nullable): the archive
 */
PrismNpz *
prism_npz_load (const char *path,
                GError **error)
{
  g_autoptr (PrismNpz) self = g_new0 (PrismNpz, 1);

  self->name = prism_file_dup_display_name (path);
  self->zip = prism_zip_open (path, MAX_FILE_BYTES, error);
  return self->zip == NULL ? NULL : g_steal_pointer (&self);
}

/**
 * prism_npz_free:
 * @self: (nullable): an archive
 *
 * Closes it.
 */
PRISM_FREE_FOR_ALL (PrismNpz, prism_npz_free, zip_discard, zip, g_free, name)

/**
 * prism_npz_has:
 * @key: name of an array, without ".npy"
 *
 * Returns: whether it is there
 */
gboolean
prism_npz_has (PrismNpz *self,
               const char *key)
{
  g_autofree char *member = g_strconcat (key, ".npy", NULL);

  return zip_name_locate (self->zip, member, 0) >= 0;
}

/**
 * prism_npz_dup_keys:
 *
 * Returns: (transfer full) (array zero-terminated=1): all names, without ".npy"
 */
char **
prism_npz_dup_keys (PrismNpz *self)
{
  g_autoptr (GStrvBuilder) keys = g_strv_builder_new ();
  zip_int64_t n = zip_get_num_entries (self->zip, 0);

  for (zip_int64_t i = 0; i < n; i++)
    {
      const char *name = zip_get_name (self->zip, i, 0);
      g_autofree char *key = g_strdup (name == NULL ? "" : name);

      if (g_str_has_suffix (key, ".npy"))
        key[strlen (key) - strlen (".npy")] = '\0';
      g_strv_builder_add (keys, key);
    }
  return g_strv_builder_end (keys);
}

/**
 * prism_npz_get:
 * @key: name of an array, without ".npy"
 *
 * Unpacks one array and compares its checksum.
 *
 * Errors: PRISM_ERROR_FORMAT when it is missing or damaged, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the array
 */
PrismNpy *
prism_npz_get (PrismNpz *self,
               const char *key,
               GError **error)
{
  g_autofree char *member = g_strconcat (key, ".npy", NULL);
  g_autoptr (GBytes) bytes
      = prism_zip_load (self->zip, self->name, member, MAX_MEMBER_BYTES, error);

  return bytes == NULL ? NULL : prism_npy_load_bytes (bytes, key, error);
}

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
  PrismNpy *array = prism_npy_load (path, error);
  PrismFields *self;

  if (array == NULL)
    return NULL;
  self = prism_fields_new (path, "NumPy");
  add_array (self, "frames", array);
  return self;
}

/* Whether most of an archive is pictures. */
static gboolean
has_pictures (char **keys)
{
  static const char *const endings[] = { ".png", ".tif", ".tiff", ".jpg", ".jpeg", ".bmp", ".pgm" };
  guint n = 0;

  PRISM_FOR_EACH_STRING (key, keys)
    {
      g_autofree char *small = g_ascii_strdown (*key, -1);

      PRISM_FOR_EACH_OF (ending, endings)
        n += g_str_has_suffix (small, *ending);
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
  g_autoptr (PrismNpz) archive = prism_npz_load (path, error);
  g_autoptr (PrismFields) self = NULL;
  g_auto (GStrv) keys = NULL;

  if (archive == NULL)
    return NULL;
  self = prism_fields_new (path, "NumPy");
  keys = prism_npz_dup_keys (archive);
  if (has_pictures (keys))
    {
      prism_error_format (error, "“%s” is a zip of pictures: unpack it, and give the folder.",
                          path);
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
