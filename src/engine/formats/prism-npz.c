#include "config.h"

#include "formats/prism-npy.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-zip.h"

#include <string.h>

#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (4) << 30)
#define MAX_MEMBER_BYTES (G_GUINT64_CONSTANT (16) << 30)

struct _PrismNpz
{
  char *name;    /* for messages */
  GBytes *bytes; /* the archive; read by zip */
  zip_t *zip;
};

static void
set_zip_error (GError **error,
               const char *name,
               const char *key,
               const char *reason)
{
  if (key == NULL)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 "“%s” cannot be read as an .npz archive: %s. Save it again with numpy.savez.",
                 name, reason);
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 "The array “%s” of “%s” cannot be read: %s. Save it again with numpy.savez.",
                 key, name, reason);
}

static zip_t *
open_archive (GBytes *bytes,
              const char *name,
              GError **error)
{
  zip_error_t zip_error;
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  zip_source_t *source;
  zip_t *zip = NULL;

  if (size == 0)
    {
      set_zip_error (error, name, NULL, "it is empty");
      return NULL;
    }
  zip_error_init (&zip_error);
  source = zip_source_buffer_create (data, size, 0, &zip_error);
  if (source != NULL)
    zip = zip_open_from_source (source, ZIP_RDONLY | ZIP_CHECKCONS, &zip_error);
  if (zip == NULL)
    {
      set_zip_error (error, name, NULL, zip_error_strerror (&zip_error));
      zip_source_free (source);
    }
  zip_error_fini (&zip_error);
  return zip;
}

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
  self->bytes = prism_file_load (path, MAX_FILE_BYTES, error);
  if (self->bytes == NULL)
    return NULL;
  self->zip = open_archive (self->bytes, self->name, error);
  return self->zip == NULL ? NULL : g_steal_pointer (&self);
}

/**
 * prism_npz_free:
 * @self: (nullable): an archive
 *
 * Closes it.
 */
void
prism_npz_free (PrismNpz *self)
{
  if (self == NULL)
    return;
  if (self->zip != NULL)
    zip_discard (self->zip);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_free (self->name);
  g_free (self);
}

static zip_int64_t
get_member (PrismNpz *self,
            const char *key)
{
  g_autofree char *member = g_strconcat (key, ".npy", NULL);

  return zip_name_locate (self->zip, member, 0);
}

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
  return get_member (self, key) >= 0;
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

static GBytes *
unpack_member (PrismNpz *self,
               const zip_stat_t *status,
               const char *key,
               GError **error)
{
  char *data = prism_arena_new_array (status->size, "an array of an .npz archive", error);

  if (data == NULL)
    return NULL;
  if (!prism_zip_read_member (self->zip, status->index, data, status->size))
    {
      set_zip_error (error, self->name, key, "it is truncated or its checksum is wrong");
      prism_arena_free_array (data);
      return NULL;
    }
  return g_bytes_new_with_free_func (data, status->size, prism_arena_free_array, data);
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
  g_autoptr (GBytes) bytes = NULL;
  zip_int64_t index = get_member (self, key);
  zip_stat_t status;
  const char *reason;

  if (index < 0 || zip_stat_index (self->zip, index, 0, &status) != 0)
    {
      set_zip_error (error, self->name, key, "it is not in the archive");
      return NULL;
    }
  reason = prism_zip_check_size (&status);
  if (reason == NULL && status.size > MAX_MEMBER_BYTES)
    reason = "it is larger than 16 GiB";
  if (reason != NULL)
    {
      set_zip_error (error, self->name, key, reason);
      return NULL;
    }
  bytes = unpack_member (self, &status, key, error);
  return bytes == NULL ? NULL : prism_npy_load_bytes (bytes, key, error);
}
