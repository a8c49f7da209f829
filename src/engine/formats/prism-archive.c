#include "config.h"

#include "formats/prism-archive.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "formats/prism-archive-private.h"

#include <zlib.h>

/* Of all parts, 1980-01-01: the same content has the same bytes at any time. */
#define DATE 0x21
#define MANIFEST "manifest.json"
#define MAX_MEMBERS 65536
#define MAX_NAME 512
#define MAX_MANIFEST_BYTES (16 << 20)
#define MAX_TEXT_BYTES (256 << 20)
#define CHECK_BYTES 65536
#define MAX_ARRAY_BYTES (G_GUINT64_CONSTANT (8) << 30)

/**
 * prism_archive_set_format_error:
 * @member: (nullable): a part of it
 * @reason: why it cannot be read
 *
 * Sets PRISM_ERROR_FORMAT.
 *
 * Returns: FALSE
 */
gboolean
prism_archive_set_format_error (GError **error,
                                PrismArchive *self,
                                const char *member,
                                const char *reason)
{
  return member == NULL
             ? prism_error_format (error, _ ("“%s” cannot be read: %s."), self->name, reason)
             : prism_error_format (error, _ ("The part “%s” of “%s” cannot be read: %s."), member,
                                   self->name, reason);
}

static gboolean
read_names (PrismArchive *self,
            GError **error)
{
  zip_int64_t n_members = zip_get_num_entries (self->zip, 0);

  self->names = g_ptr_array_new_with_free_func (g_free);
  if (n_members < 0 || n_members > MAX_MEMBERS)
    return prism_archive_set_format_error (error, self, NULL,
                                           _ ("it has more parts than this program writes"));
  for (zip_int64_t i = 0; i < n_members; i++)
    {
      const char *name = zip_get_name (self->zip, i, 0);

      if (name == NULL || strlen (name) > MAX_NAME || !g_utf8_validate (name, -1, NULL))
        return prism_archive_set_format_error (error, self, NULL,
                                               _ ("the name of a part is damaged"));
      if (strcmp (name, MANIFEST) != 0)
        g_ptr_array_add (self->names, g_strdup (name));
    }
  g_ptr_array_add (self->names, NULL);
  return TRUE;
}

/**
 * prism_archive_get_size:
 * @name: of a part
 *
 * Units: bytes, unpacked.
 *
 * Returns: how large it is, %G_MAXUINT64 where it is missing
 */
guint64
prism_archive_get_size (PrismArchive *self,
                        const char *name)
{
  zip_stat_t status;

  if (zip_stat (self->zip, name, 0, &status) != 0 || (status.valid & ZIP_STAT_SIZE) == 0)
    return G_MAXUINT64;
  return status.size;
}

static gboolean
check_manifest (PrismArchive *self,
                GError **error)
{
  g_autoptr (GBytes) bytes = prism_archive_load (self, MANIFEST, MAX_MANIFEST_BYTES, error);
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GList) listed = NULL;
  JsonObject *members;

  if (bytes == NULL)
    return FALSE;
  root = prism_json_parse_object (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  members = root != NULL ? json_node_get_object (root) : NULL;
  listed = members != NULL ? json_object_get_members (members) : NULL;
  if (g_list_length (listed) != self->names->len - 1)
    return prism_archive_set_format_error (error, self, MANIFEST,
                                           _ ("it does not list the parts that are there"));
  for (GList *l = listed; l != NULL; l = l->next)
    if ((guint64) json_object_get_int_member_with_default (members, l->data, -1)
        != prism_archive_get_size (self, l->data))
      return prism_archive_set_format_error (error, self, l->data,
                                             _ ("it is missing or not as large as it was"));
  return TRUE;
}

/**
 * prism_archive_open:
 * @path: file name
 *
 * Opens an archive and compares its directory with the manifest. What the parts hold is checked
 * when they are read.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 * Thread: any; reads the end of the file.
 *
 * Returns: (transfer full) (nullable): the archive
 */
PrismArchive *
prism_archive_open (const char *path,
                    GError **error)
{
  g_autoptr (PrismArchive) self = g_new0 (PrismArchive, 1);

  self->name = prism_file_dup_display_name (path);
  self->zip = prism_zip_open (path, G_MAXUINT64, error);
  if (self->zip == NULL || !read_names (self, error) || !check_manifest (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_archive_close:
 * @self: (nullable): an archive
 */
PRISM_FREE_FOR_ALL (PrismArchive,
                    prism_archive_close,
                    zip_discard,
                    zip,
                    g_ptr_array_unref,
                    names,
                    g_free,
                    name)

/**
 * prism_archive_get_names:
 *
 * Returns: (array zero-terminated=1): the names of the parts as they were written
 */
const char *const *
prism_archive_get_names (PrismArchive *self)
{
  return (const char *const *) self->names->pdata;
}

/**
 * prism_archive_has:
 * @name: of a part
 *
 * Returns: whether it is there
 */
gboolean
prism_archive_has (PrismArchive *self,
                   const char *name)
{
  return zip_name_locate (self->zip, name, 0) >= 0;
}

/**
 * prism_archive_load:
 * @name: of a part
 * @max_bytes: limit, checked before anything is allocated
 *
 * Reads a part and compares its checksum.
 *
 * Units: bytes.
 * Errors: PRISM_ERROR_FORMAT when it is missing, damaged or too large, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what it holds
 */
GBytes *
prism_archive_load (PrismArchive *self,
                    const char *name,
                    guint64 max_bytes,
                    GError **error)
{
  return prism_zip_load (self->zip, self->name, name, max_bytes, error);
}

/**
 * prism_archive_load_text:
 * @name: of a part
 *
 * Reads a part that is text.
 *
 * Errors: PRISM_ERROR_FORMAT, also when it is not UTF-8 or has a zero byte; PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the text
 */
char *
prism_archive_load_text (PrismArchive *self,
                         const char *name,
                         GError **error)
{
  g_autoptr (GBytes) bytes = prism_archive_load (self, name, MAX_TEXT_BYTES, error);
  const char *data;
  gsize size;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  if (g_utf8_validate_len (data, size, NULL))
    return g_strndup (data, size);
  prism_archive_set_format_error (error, self, name, _ ("it is not text"));
  return NULL;
}

/**
 * prism_archive_load_array:
 * @name: of a part, with ".npy"
 * @n_dims: (out): number of dimensions
 * @shape: (out caller-allocates): sizes
 *
 * Reads an array of single precision, of which prism_npy_new_header() has written the header.
 *
 * Errors: PRISM_ERROR_FORMAT, also when it is none; PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the values, C order
 */
GBytes *
prism_archive_load_array (PrismArchive *self,
                          const char *name,
                          int *n_dims,
                          gsize shape[PRISM_NPY_MAX_DIMS],
                          GError **error)
{
  g_autoptr (GBytes) bytes = prism_archive_load (self, name, MAX_ARRAY_BYTES, error);
  g_autoptr (GBytes) header = NULL;
  gsize size, n_head, n_bytes = sizeof (float);
  const char *data;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  *n_dims = prism_npy_read_shape (bytes, shape);
  header = prism_npy_new_header (MAX (*n_dims, 0), shape);
  n_head = g_bytes_get_size (header);
  for (int i = 0; i < *n_dims; i++)
    n_bytes *= shape[i];
  if (*n_dims >= 0 && size == n_head + n_bytes
      && memcmp (data, g_bytes_get_data (header, NULL), n_head) == 0)
    return g_bytes_new_from_bytes (bytes, n_head, n_bytes);
  prism_archive_set_format_error (error, self, name, _ ("it is not an array of single precision"));
  return NULL;
}

/**
 * prism_archive_load_floats:
 * @name: of a part, with ".npy"
 * @n_dims: expected number of dimensions
 * @shape: (array length=n_dims): expected sizes
 *
 * Reads an array of single precision of a known shape.
 *
 * Errors: PRISM_ERROR_FORMAT, also when it has another shape; PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the values, free with prism_arena_free_array()
 */
float *
prism_archive_load_floats (PrismArchive *self,
                           const char *name,
                           int n_dims,
                           const gsize *shape,
                           GError **error)
{
  gsize there[PRISM_NPY_MAX_DIMS], n_bytes;
  int n_there;
  g_autoptr (GBytes) bytes = prism_archive_load_array (self, name, &n_there, there, error);
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &n_bytes) : NULL;
  float *values;

  if (bytes == NULL)
    return NULL;
  if (n_there != n_dims || memcmp (there, shape, n_dims * sizeof *shape) != 0)
    {
      prism_archive_set_format_error (error, self, name,
                                      _ ("it is not an array of the expected shape"));
      return NULL;
    }
  values = prism_arena_new_array (n_bytes, "an array of a run file", error);
  if (values != NULL)
    memcpy (values, data, n_bytes);
  return values;
}

/**
 * prism_archive_check:
 * @name: of a part
 *
 * Reads a part to its end, only to compare its checksum.
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether it is as it was written
 */
gboolean
prism_archive_check (PrismArchive *self,
                     const char *name,
                     GError **error)
{
  char block[CHECK_BYTES];
  zip_file_t *file = zip_fopen (self->zip, name, 0);
  zip_int64_t n_read = -1;

  if (file != NULL)
    {
      do
        n_read = zip_fread (file, block, sizeof block);
      while (n_read > 0);
      zip_fclose (file);
    }
  return n_read == 0
         || prism_archive_set_format_error (error, self, name,
                                            _ ("it is missing, cut off or its checksum is wrong"));
}

/* Keeps the first failure; the others follow from it. */
static void
keep_failure (PrismArchiveWriter *self,
              const char *reason)
{
  if (self->failure == NULL)
    self->failure = g_strdup (reason);
}

static void
keep_zip_failure (PrismArchiveWriter *self,
                  zip_t *zip)
{
  zip_error_t *failure = zip_get_error (zip);

  /* What the compression could not allocate comes as an error of its own kind. */
  self->is_memory |= zip_error_code_zip (failure) == ZIP_ER_MEMORY
                     || (zip_error_code_zip (failure) == ZIP_ER_ZLIB
                         && zip_error_code_system (failure) == Z_MEM_ERROR);
  keep_failure (self, zip_error_system_type (failure) == ZIP_ET_SYS
                          ? g_strerror (zip_error_code_system (failure))
                          : zip_error_strerror (failure));
}

/**
 * prism_archive_writer_new:
 * @path: the file that will be written
 *
 * Begins an archive in a temporary file beside @path. What fails on the way is reported by
 * prism_archive_writer_finish().
 *
 * Errors: PRISM_ERROR_IO when the directory cannot be written.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the writer
 */
PrismArchiveWriter *
prism_archive_writer_new (const char *path,
                          GError **error)
{
  g_autoptr (PrismArchiveWriter) self = g_new0 (PrismArchiveWriter, 1);
  int code;

  self->path = g_strdup (path);
  self->name = prism_file_dup_display_name (path);
  self->members = json_object_new ();
  self->headers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  self->streams = g_ptr_array_new_with_free_func (g_free);
  self->temporary = prism_file_dup_temporary (path, error);
  if (self->temporary == NULL)
    return NULL;
  self->zip = zip_open (self->temporary, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (self->zip == NULL)
    keep_failure (self, "the archive cannot be begun");
  return g_steal_pointer (&self);
}

/**
 * prism_archive_writer_free:
 * @self: (nullable): a writer
 *
 * Frees it; what was not finished disappears.
 */
void
prism_archive_writer_free (PrismArchiveWriter *self)
{
  if (self == NULL)
    return;
  if (self->zip != NULL)
    zip_discard (self->zip);
  if (self->temporary != NULL)
    g_unlink (self->temporary);
  g_clear_pointer (&self->members, json_object_unref);
  g_clear_pointer (&self->headers, g_ptr_array_unref);
  g_clear_pointer (&self->streams, g_ptr_array_unref);
  g_clear_error (&self->stream_failure);
  g_free (self->failure);
  g_free (self->temporary);
  g_free (self->name);
  g_free (self->path);
  g_free (self);
}

/**
 * prism_archive_writer_add_source:
 * @name: of the part
 * @source: (transfer full) (nullable): what it holds
 * @size: its bytes
 * @method: of compression, as libzip counts them
 *
 * Adds a part.
 */
void
prism_archive_writer_add_source (PrismArchiveWriter *self,
                                 const char *name,
                                 zip_source_t *source,
                                 guint64 size,
                                 int method)
{
  zip_int64_t index = -1;

  if (source != NULL)
    index = zip_file_add (self->zip, name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0)
    {
      keep_zip_failure (self, self->zip);
      if (source != NULL)
        zip_source_free (source);
      return;
    }
  if (zip_set_file_compression (self->zip, index, method, 0) != 0
      || zip_file_set_dostime (self->zip, index, 0, DATE, 0) != 0)
    keep_zip_failure (self, self->zip);
  json_object_set_int_member (self->members, name, (gint64) size);
}

/**
 * prism_archive_writer_take_text:
 * @name: of the part
 * @text: (transfer full) (nullable): what it holds; %NULL where there was no memory for it
 *
 * Adds a part, compressed.
 */
void
prism_archive_writer_take_text (PrismArchiveWriter *self,
                                const char *name,
                                char *text)
{
  g_autofree char *taken = text;
  const gsize size = text != NULL ? strlen (text) : 0;
  zip_source_t *source;

  if (text == NULL)
    {
      self->is_memory = TRUE;
      keep_failure (self, "memory is missing");
    }
  if (self->zip == NULL || text == NULL)
    return;
  /* libzip frees the text with free(), which is what GLib allocates with; it forgets one of no
   * bytes. */
  source = zip_source_buffer (self->zip, size > 0 ? text : NULL, size, size > 0);
  if (source != NULL && size > 0)
    taken = NULL;
  prism_archive_writer_add_source (self, name, source, size, ZIP_CM_DEFLATE);
}

/**
 * prism_archive_writer_add_text:
 * @name: of the part
 * @text: (nullable): what it holds; copied
 *
 * Adds a part, compressed.
 */
void
prism_archive_writer_add_text (PrismArchiveWriter *self,
                               const char *name,
                               const char *text)
{
  const gsize size = text != NULL ? strlen (text) + 1 : 0;
  char *copy = g_try_malloc (size);

  if (copy != NULL)
    memcpy (copy, text, size);
  prism_archive_writer_take_text (self, name, copy);
}

/**
 * prism_archive_writer_add_array:
 * @name: of the part, with ".npy"
 * @values: (array): not copied: must stay as they are until prism_archive_writer_finish()
 * @n_dims: number of dimensions
 * @shape: (array length=n_dims): sizes
 *
 * Adds an array of single precision, not compressed: weights do not get smaller.
 */
void
prism_archive_writer_add_array (PrismArchiveWriter *self,
                                const char *name,
                                const float *values,
                                int n_dims,
                                const gsize *shape)
{
  GBytes *header = prism_npy_new_header (n_dims, shape);
  zip_buffer_fragment_t fragments[2];
  gsize n_head, n_bytes = sizeof *values;

  g_ptr_array_add (self->headers, header);
  if (self->zip == NULL)
    return;
  for (int i = 0; i < n_dims; i++)
    n_bytes *= shape[i];
  fragments[0].data = (zip_uint8_t *) g_bytes_get_data (header, &n_head);
  fragments[0].length = n_head;
  fragments[1].data = (zip_uint8_t *) values;
  fragments[1].length = n_bytes;
  prism_archive_writer_add_source (self, name,
                                   zip_source_buffer_fragment (self->zip, fragments, 2, 0),
                                   n_head + n_bytes,
                                   ZIP_CM_STORE);
}

/* A part as it is packed; libzip 1.10 has another name for it. */
static zip_source_t *
copy_part (zip_t *zip,
           zip_t *from,
           zip_uint64_t index)
{
#if LIBZIP_VERSION_MAJOR > 1 || LIBZIP_VERSION_MINOR >= 10
  return zip_source_zip_file (zip, from, index, ZIP_FL_COMPRESSED, 0, -1, NULL);
#else
  return zip_source_zip (zip, from, index, ZIP_FL_COMPRESSED, 0, -1);
#endif
}

/**
 * prism_archive_writer_copy:
 * @from: another archive, which must stay open until prism_archive_writer_finish()
 * @name: of a part of it
 * @new_name: of the part in this archive
 *
 * Takes a part over as it is, without unpacking it.
 */
void
prism_archive_writer_copy (PrismArchiveWriter *self,
                           PrismArchive *from,
                           const char *name,
                           const char *new_name)
{
  zip_stat_t status;

  if (self->zip == NULL)
    return;
  if (zip_stat (from->zip, name, 0, &status) != 0)
    {
      keep_zip_failure (self, from->zip);
      return;
    }
  prism_archive_writer_add_source (self, new_name,
                                   copy_part (self->zip, from->zip, status.index),
                                   status.size, status.comp_method);
}

/**
 * prism_archive_writer_set_guard:
 * @guard: (scope notified): whether the old file may be replaced, asked at the last moment
 * @data: for @guard
 *
 * Has prism_archive_writer_finish() fail with PRISM_ERROR_CANCELLED where it may not.
 *
 * Thread: any.
 */
void
prism_archive_writer_set_guard (PrismArchiveWriter *self,
                                GSourceFunc guard,
                                gpointer data)
{
  self->guard = guard;
  self->guard_data = data;
}

/**
 * prism_archive_writer_finish:
 *
 * Writes everything, brings it to the disk and puts it in the place of the old file. At any moment,
 * also after a power failure, either the old or the new one is there.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY; the old file is then untouched.
 * Thread: any; this is where the time goes.
 *
 * Returns: whether the archive is safely on the disk
 */
gboolean
prism_archive_writer_finish (PrismArchiveWriter *self,
                             GError **error)
{
  g_autofree char *temporary = NULL;

  if (self->zip != NULL)
    {
      g_autoptr (JsonNode) root = json_node_alloc ();
      g_autofree char *text = NULL;

      json_node_init_object (root, self->members);
      text = json_to_string (root, TRUE);
      prism_archive_writer_add_text (self, MANIFEST, text);
    }
  if (self->failure == NULL && zip_close (self->zip) != 0)
    keep_zip_failure (self, self->zip);
  else if (self->failure == NULL)
    self->zip = NULL;
  if (self->failure != NULL && self->stream_failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->stream_failure));
      return FALSE;
    }
  if (self->failure != NULL)
    {
      g_set_error (error, PRISM_ERROR, self->is_memory ? PRISM_ERROR_MEMORY : PRISM_ERROR_IO,
                   self->is_memory
                       ? _ ("“%s” cannot be written: %s. Close other programs.")
                   : g_file_test (self->path, G_FILE_TEST_EXISTS)
                       ? _ ("“%s” cannot be written: %s. The file is as it was before; free some"
                            " space or choose another directory.")
                       : _ ("“%s” cannot be written: %s. Free some space or choose another"
                            " directory."),
                   self->name, self->failure);
      return FALSE;
    }
  temporary = g_steal_pointer (&self->temporary);
  return prism_file_commit_if (temporary, self->path, self->guard, self->guard_data, error);
}

/* Deflate cannot expand by more than 1032; a directory that promises more lies. */
#define MAX_EXPANSION 1040

/**
 * prism_zip_open:
 * @path: file name
 * @max_bytes: limit
 *
 * Units: bytes.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 * Thread: any; one archive is used by one thread at a time.
 *
 * Returns: (nullable): the archive, for zip_discard()
 */
zip_t *
prism_zip_open (const char *path,
                guint64 max_bytes,
                GError **error)
{
  const int fd = prism_file_open (path, max_bytes, NULL, error);
  zip_t *zip = fd >= 0 ? zip_fdopen (fd, ZIP_CHECKCONS, &(int) { 0 }) : NULL;
  char begin[2] = { 0 };

  if (fd >= 0 && zip == NULL)
    {
      prism_error_format (
          error,
          pread (fd, begin, sizeof begin, 0) == sizeof begin && memcmp (begin, "PK", 2) == 0
              ? _ ("“%s” is cut off: its end is missing or damaged. Take another copy of it, if"
                   " there is one.")
              : _ ("“%s” cannot be read: it is no ZIP archive, which all such files are."),
          path);
      close (fd);
    }
  return zip;
}

/**
 * prism_zip_load:
 * @path: what a message calls the archive
 * @name: of a member
 * @max_bytes: limit; this, and whether the size that the directory states can be true, is checked
 *   before memory is asked for
 *
 * Unpacks a member and compares its checksum.
 *
 * Units: bytes.
 * Errors: PRISM_ERROR_FORMAT when it is missing, damaged or too large, PRISM_ERROR_MEMORY.
 * Thread: any; one archive is used by one thread at a time.
 *
 * Returns: (transfer full) (nullable): what it holds
 */
GBytes *
prism_zip_load (zip_t *zip,
                const char *path,
                const char *name,
                guint64 max_bytes,
                GError **error)
{
  const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  zip_file_t *file = NULL;
  zip_int64_t n_read = -1;
  zip_stat_t status;
  const char *reason = NULL;
  char *data;

  if (zip_stat (zip, name, 0, &status) != 0)
    reason = _ ("it is missing");
  else if ((status.valid & needed) != needed)
    reason = _ ("its size is unknown");
  else if (status.size / MAX_EXPANSION > status.comp_size)
    reason = _ ("its size in the directory cannot be true");
  else if (status.size > max_bytes)
    reason = _ ("it is larger than it can be");
  if (reason == NULL)
    {
      data = prism_arena_new_array (MAX (status.size, 1), "a part of an archive", error);
      if (data == NULL)
        return NULL;
      file = zip_fopen_index (zip, status.index, 0);
      if (file != NULL)
        {
          n_read = zip_fread (file, data, status.size);
          /* The checksum is compared at the end of the member: read past it. */
          if (n_read >= 0 && zip_fread (file, &(char) { 0 }, 1) != 0)
            n_read = -1;
          zip_fclose (file);
        }
      if (n_read >= 0 && (guint64) n_read == status.size)
        return g_bytes_new_with_free_func (data, status.size, prism_arena_free_array, data);
      prism_arena_free_array (data);
      reason = _ ("it is cut off or its checksum is wrong");
    }
  prism_error_format (error, _ ("The part “%s” of “%s” cannot be read: %s."), name, path, reason);
  return NULL;
}
