#include "config.h"

#include "formats/prism-packed.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "base/prism-temporary.h"

#include <bzlib.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sys/mman.h>
#include <zlib.h>

/* Files that gzip or bzip2 has packed, and FITS with images in compressed tiles, become what they
 * were before a reader of a format sees them. Tiles are unpacked by cfitsio in a process of its own
 * (src/cli/prism-unpack-fits.c), as damaged files bring the library down. */

#define FIRST_BYTES ((gsize) 1 << 20) /* of what is unpacked, doubled until it is enough */
#define GZIP_WINDOW (16 + MAX_WBITS)  /* zlib's word for gzip's head and checksum */
#define CARD_BYTES 80
#define MOST_LAYERS 3 /* a file may be made that unpacks to itself */

typedef enum
{
  PACKED_NOT,
  PACKED_GZIP,
  PACKED_BZIP2,
  PACKED_FITS,
} Kind;

static Kind
get_kind (const char *data,
          gsize n)
{
  if (n >= 2 && memcmp (data, "\037\213", 2) == 0)
    return PACKED_GZIP;
  if (n >= 10 && memcmp (data, "BZh", 3) == 0 && memcmp (data + 4, "1AY&SY", 6) == 0)
    return PACKED_BZIP2;
  for (gsize at = 0; n >= CARD_BYTES && memcmp (data, "SIMPLE  =", 9) == 0
                     && at <= MIN (n, PRISM_PACKED_HEAD) - CARD_BYTES;
       at += CARD_BYTES)
    if (memcmp (data + at, "ZIMAGE  =", 9) == 0)
      return PACKED_FITS;
  return PACKED_NOT;
}

/**
 * prism_packed_is:
 * @data: (array length=n): a file, or its first PRISM_PACKED_HEAD bytes
 *
 * Returns: whether prism_packed_unpack() makes another file of it
 */
gboolean
prism_packed_is (gconstpointer data,
                 gsize n)
{
  return get_kind (data, n) != PACKED_NOT;
}

/* What is unpacked so far. */
typedef struct
{
  guint8 *data;
  gsize n;
  gsize size; /* that there is room for */
} Unpacked;

static gboolean
grow (Unpacked *self,
      gsize most,
      GError **error)
{
  const gsize size = self->size == 0 ? FIRST_BYTES : 2 * self->size;
  guint8 *larger
      = size <= 2 * most ? prism_arena_new_array (size, "an unpacked file", error) : NULL;

  if (larger != NULL && self->n > 0)
    memcpy (larger, self->data, self->n);
  prism_arena_free_array (self->data);
  self->data = larger;
  self->size = size;
  return larger != NULL;
}

/* Whether it came to its end. */
static gboolean
unpack_gzip (Unpacked *self,
             GBytes *bytes,
             gsize most,
             GError **error)
{
  gsize n;
  z_stream stream = { .next_in = (Bytef *) g_bytes_get_data (bytes, &n) };
  int status = n > G_MAXUINT32 ? Z_DATA_ERROR : inflateInit2 (&stream, GZIP_WINDOW);

  stream.avail_in = (uInt) n;
  while (status == Z_OK && (self->n < self->size || grow (self, most, error)))
    {
      stream.next_out = self->data + self->n;
      stream.avail_out = (uInt) MIN (self->size - self->n, G_MAXUINT32 / 2);
      status = inflate (&stream, Z_NO_FLUSH);
      self->n = (gsize) (stream.next_out - self->data);
      /* Another member, as tools write that pack on several processors. */
      if (status == Z_STREAM_END && stream.avail_in >= 2
          && memcmp (stream.next_in, "\037\213", 2) == 0)
        status = inflateReset (&stream);
    }
  inflateEnd (&stream);
  return status == Z_STREAM_END;
}

static gboolean
unpack_bzip2 (Unpacked *self,
              GBytes *bytes,
              gsize most,
              GError **error)
{
  gsize n;
  bz_stream stream = { .next_in = (char *) g_bytes_get_data (bytes, &n) };
  int status = n > G_MAXUINT32 ? BZ_DATA_ERROR : BZ2_bzDecompressInit (&stream, 0, 0);

  stream.avail_in = (guint) n;
  /* A file that is cut off wants more without end. */
  while (status == BZ_OK && (self->n < self->size || grow (self, most, error)))
    {
      const gsize before = self->n;

      stream.next_out = (char *) self->data + self->n;
      stream.avail_out = (guint) MIN (self->size - self->n, G_MAXUINT32 / 2);
      status = BZ2_bzDecompress (&stream);
      self->n = (gsize) ((guint8 *) stream.next_out - self->data);
      if (status == BZ_OK && stream.avail_in == 0 && self->n == before)
        break;
      if (status == BZ_STREAM_END && stream.avail_in >= 3
          && memcmp (stream.next_in, "BZh", 3) == 0)
        {
          BZ2_bzDecompressEnd (&stream);
          status = BZ2_bzDecompressInit (&stream, 0, 0);
        }
    }
  BZ2_bzDecompressEnd (&stream);
  return status == BZ_STREAM_END;
}

/* From the first byte on; where the file is read next stays as it is. */
static gboolean
write_all (int fd,
           GBytes *bytes)
{
  gsize n;
  gconstpointer data = g_bytes_get_data (bytes, &n);

  return prism_temporary_store_write (fd, data, n, 0);
}

static GBytes *
unpack_fits (GBytes *bytes,
             const char *name,
             gsize most,
             GError **error)
{
  g_autofree char *program = prism_program_find ("prism-unpack-fits");
  g_autofree char *limit = g_strdup_printf ("%" G_GSIZE_FORMAT, most);
  const char *const arguments[] = { program, limit, NULL };
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GMappedFile) file = NULL;
  const int input = memfd_create ("packed", MFD_CLOEXEC);
  const int output = memfd_create ("unpacked", MFD_CLOEXEC);
  const int kept = output >= 0 ? fcntl (output, F_DUPFD_CLOEXEC, 0) : -1;

  g_subprocess_launcher_take_stdin_fd (launcher, input);
  g_subprocess_launcher_take_stdout_fd (launcher, output);
  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGKILL), NULL);
  if (program != NULL && kept >= 0 && input >= 0 && write_all (input, bytes))
    process = g_subprocess_launcher_spawnv (launcher, arguments, NULL);
  if (process != NULL && g_subprocess_wait_check (process, NULL, NULL))
    file = g_mapped_file_new_from_fd (kept, FALSE, NULL);
  if (kept >= 0)
    close (kept);
  if (file != NULL && g_mapped_file_get_length (file) > 0)
    return g_mapped_file_get_bytes (file);
  prism_error_format (error,
                      program == NULL
                          ? _ ("“%s” has images in compressed tiles, and the program that unpacks"
                               " them, prism-unpack-fits, is not installed: unpack it with"
                               " funpack.")
                          : _ ("“%s” has images in compressed tiles that are damaged or too large:"
                               " unpack it with funpack."),
                      name);
  return NULL;
}

static GBytes *
unpack_once (GBytes *bytes,
             Kind kind,
             const char *name,
             gsize most,
             GError **error)
{
  g_autoptr (GError) reason = NULL;
  Unpacked unpacked = { 0 };

  if (kind == PACKED_FITS)
    return unpack_fits (bytes, name, most, error);
  if ((kind == PACKED_GZIP ? unpack_gzip : unpack_bzip2) (&unpacked, bytes, most, &reason)
      && unpacked.n > 0 && unpacked.n <= most)
    return g_bytes_new_with_free_func (unpacked.data, unpacked.n, prism_arena_free_array,
                                       unpacked.data);
  prism_arena_free_array (unpacked.data);
  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else
    prism_error_format (error,
                        _ ("“%s” is packed by %s, and damaged or larger than %u GiB unpacked."
                           " Unpack it with %s."),
                        name, kind == PACKED_GZIP ? "gzip" : "bzip2", (guint) (most >> 30),
                        kind == PACKED_GZIP ? "gunzip" : "bunzip2");
  return NULL;
}

/**
 * prism_packed_unpack:
 * @bytes: a file that prism_packed_is()
 * @name: what to call it in an error message
 * @most: bytes that it may become
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what it was before all packing
 */
GBytes *
prism_packed_unpack (GBytes *bytes,
                     const char *name,
                     gsize most,
                     GError **error)
{
  g_autoptr (GBytes) whole = g_bytes_ref (bytes);

  for (guint layer = 0;; layer++)
    {
      gsize n;
      const char *data = g_bytes_get_data (whole, &n);
      const Kind kind = get_kind (data, n);
      GBytes *inner;

      if (kind == PACKED_NOT)
        return g_steal_pointer (&whole);
      if (layer == MOST_LAYERS)
        {
          prism_error_format (error, _ ("“%s” is packed again and again, or damaged: unpack it."),
                              name);
          return NULL;
        }
      inner = unpack_once (whole, kind, name, most, error);
      if (inner == NULL)
        return NULL;
      g_bytes_unref (whole);
      whole = inner;
    }
}

/**
 * prism_packed_dup_file:
 * @path: name of a file that prism_packed_is()
 * @most: bytes that it may become
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): name of a temporary file of what it was, which the caller
 *   deletes once it is open
 */
char *
prism_packed_dup_file (const char *path,
                       gsize most,
                       GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, most, error);
  g_autoptr (GBytes) unpacked
      = bytes != NULL ? prism_packed_unpack (bytes, path, most, error) : NULL;
  g_autofree char *name = NULL;
  const int fd = unpacked != NULL ? g_file_open_tmp ("prism-XXXXXX", &name, NULL) : -1;
  const gboolean good = fd >= 0 && write_all (fd, unpacked);

  if (fd >= 0)
    close (fd);
  if (fd >= 0 && !good)
    unlink (name);
  if (unpacked != NULL && !good)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
                 _ ("“%s” cannot be unpacked into “%s”, where temporary files go: unpack it."),
                 path, g_get_tmp_dir ());
  return good ? g_steal_pointer (&name) : NULL;
}
