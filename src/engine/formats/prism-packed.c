#include "config.h"

#include "formats/prism-packed.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-system.h"

#include <bzlib.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

/* Files that gzip or bzip2 has packed, and FITS with images in compressed tiles, become what they
 * were before a reader of a format sees them: files without a name on the disk, as they may be
 * larger than the memory. Tiles are unpacked by cfitsio in a process of its own
 * (src/cli/prism-unpack-fits.c), as damaged files bring the library down. */

#define GZIP_WINDOW (16 + MAX_WBITS) /* zlib's word for gzip's head and checksum */
#define GZIP_HEAD 10                 /* bytes */
#define CARD_BYTES 80
#define HEAD_BYTES 65536 /* of FITS, in which the first compressed image begins */
#define IN_BYTES 16384
#define OUT_BYTES 65536
#define MOST_LAYERS 3 /* a file may be made that unpacks to itself */

/* What a file may become: frames of cameras, 8 bits as doubles, are 14 times as large at most. */
#define MOST_TIMES 200
#define LEAST_MOST (G_GUINT64_CONSTANT (1) << 28) /* bytes that any file may become */

/* How a piece was unpacked, or why it was not. */
typedef enum
{
  STEP_MORE,
  STEP_END,     /* of a member, of which there may be several, as several processors write them */
  STEP_FOREIGN, /* from here on what stands in reasons; three that the program for tiles says */
  STEP_CUT,
  STEP_LARGE,
  STEP_WRONG,
  STEP_SLOW,
  STEP_UNWRITTEN,
  STEP_AGAIN,
  STEP_MISSING,
  STEP_STOPPED,
} Step;

static const char *const reasons[] = {
  [STEP_WRONG] = N_ ("its contents do not agree with their checksum"),
  [STEP_CUT] = N_ ("it is cut off or empty"),
  [STEP_FOREIGN] = N_ ("it begins as such a file, but what follows is none, or is damaged"),
  [STEP_SLOW] = N_ ("it takes more than five minutes"),
  [STEP_UNWRITTEN] = N_ ("there is no room where temporary files go (TMPDIR, /var/tmp or /tmp)"),
  [STEP_AGAIN] = N_ ("it is packed more than three times over"),
  [STEP_MISSING] = N_ ("the program for it, prism-unpack-fits, is not installed"),
  [STEP_STOPPED] = N_ ("it was stopped"),
};

/* What a library takes, and what it makes of it. */
typedef struct
{
  z_stream gzip;
  bz_stream bzip2;
  guint8 in[IN_BYTES];
  guint n_in; /* that it has not taken */
  guint8 out[OUT_BYTES];
  guint n_out; /* that there is no room taken of */
} Stream;

static Step
step_gzip (Stream *self)
{
  z_stream *zip = &self->gzip;
  int status = zip->state == NULL ? inflateInit2 (zip, GZIP_WINDOW) : Z_OK;

  zip->next_in = self->in;
  zip->avail_in = self->n_in;
  zip->next_out = self->out;
  zip->avail_out = OUT_BYTES;
  if (status == Z_OK)
    status = inflate (zip, Z_NO_FLUSH);
  self->n_in = zip->avail_in;
  self->n_out = zip->avail_out;
  if (status == Z_STREAM_END)
    inflateReset (zip);
  return status == Z_STREAM_END                    ? STEP_END
         : status == Z_OK || status == Z_BUF_ERROR ? STEP_MORE
         : zip->total_in > GZIP_HEAD               ? STEP_WRONG
                                                   : STEP_FOREIGN;
}

static Step
step_bzip2 (Stream *self)
{
  bz_stream *zip = &self->bzip2;
  int status = zip->state == NULL ? BZ2_bzDecompressInit (zip, 0, 0) : BZ_OK;

  zip->next_in = (char *) self->in;
  zip->avail_in = self->n_in;
  zip->next_out = (char *) self->out;
  zip->avail_out = OUT_BYTES;
  if (status == BZ_OK)
    status = BZ2_bzDecompress (zip);
  self->n_in = zip->avail_in;
  self->n_out = zip->avail_out;
  if (status == BZ_STREAM_END)
    BZ2_bzDecompressEnd (zip);
  return status == BZ_STREAM_END   ? STEP_END
         : status == BZ_OK         ? STEP_MORE
         : status == BZ_DATA_ERROR ? STEP_WRONG
                                   : STEP_FOREIGN;
}

typedef struct
{
  const char *magic;
  gsize length;
  const char *name;
  const char *undo;
  Step (*step) (Stream *self); /* %NULL: cfitsio does it */
} Packer;

static const Packer packers[] = {
  { "\037\213", 2, "gzip", "gunzip", step_gzip },
  { "BZh", 3, "bzip2", "bunzip2", step_bzip2 },
  { "SIMPLE  =", 9, "fpack", "funpack", NULL },
};

static gboolean
has_tiles (const PrismSource *source)
{
  const gsize n = (gsize) MIN (HEAD_BYTES, source->size);
  g_autofree char *head = g_malloc (HEAD_BYTES);

  /* At once: a folder may have hundreds of such files. */
  for (gsize at = prism_source_read (source, 0, head, n) ? 0 : n; at + 9 <= n; at += CARD_BYTES)
    if (memcmp (head + at, "ZIMAGE  =", 9) == 0)
      return TRUE;
  return FALSE;
}

/* Which one has packed what begins at a place. */
static const Packer *
find_packer (const PrismSource *source,
             guint64 at)
{
  PRISM_FOR_EACH_OF (packer, packers)
    if (prism_source_has (source, at, packer->magic, packer->length)
        && (packer->step != NULL || has_tiles (source)))
      return packer;
  return NULL;
}

/**
 * prism_packed_is:
 * @source: a file
 *
 * Returns: whether prism_packed_unpack() makes another file of it
 */
gboolean
prism_packed_is (const PrismSource *source)
{
  return find_packer (source, 0) != NULL;
}

/* Member after member, until there is none of this packer. */
static Step
unpack_stream (const PrismSource *source,
               const Packer *packer,
               int output,
               guint64 most)
{
  g_autofree Stream *stream = g_new0 (Stream, 1);
  GCancellable *cancellable = g_cancellable_get_current ();
  guint64 at = 0, size = 0;
  Step step = STEP_MORE;

  while (step == STEP_MORE || (step == STEP_END && find_packer (source, at) == packer))
    {
      const guint n_in = (guint) MIN (IN_BYTES, source->size - at);
      guint n_out;

      stream->n_in = n_in;
      if (!prism_source_read (source, at, stream->in, n_in))
        return STEP_CUT;
      step = packer->step (stream);
      at += n_in - stream->n_in;
      n_out = OUT_BYTES - stream->n_out;
      if (step == STEP_MORE && n_out == 0 && stream->n_in == n_in)
        step = STEP_CUT;
      else if (g_cancellable_is_cancelled (cancellable))
        step = STEP_STOPPED;
      else if (size + n_out > most)
        step = STEP_LARGE;
      else if (!prism_temporary_store_write (output, stream->out, n_out, size))
        step = STEP_UNWRITTEN;
      size += n_out;
    }
  inflateEnd (&stream->gzip);
  BZ2_bzDecompressEnd (&stream->bzip2);
  return step == STEP_END && size == 0 ? STEP_CUT : step;
}

/* How the child ended: as its program says, or by the limits that it has. */
static Step
get_end (GSubprocess *process)
{
  const PrismChildEnd end = prism_child_get_end (process);

  if (end.signal == SIGALRM)
    return STEP_SLOW;
  if (end.signal == SIGXFSZ)
    return STEP_LARGE;
  if (end.signal == 0 && end.status <= STEP_LARGE - STEP_END)
    return STEP_END + end.status;
  return STEP_FOREIGN;
}

/* A file of its own for the child, which opens it anew. */
static int
dup_input (const PrismSource *source)
{
  int fd = source->data == NULL ? fcntl (source->fd, F_DUPFD_CLOEXEC, 0)
                                : prism_temporary_store_open (0);

  if (source->data != NULL && fd >= 0
      && !prism_temporary_store_write (fd, source->data, (gsize) source->size, 0))
    {
      close (fd);
      fd = -1;
    }
  return fd;
}

static Step
unpack_fits (const PrismSource *source,
             int output,
             guint64 most)
{
  g_autofree char *program = prism_program_find ("prism-unpack-fits");
  g_autofree char *limit = g_strdup_printf ("%" G_GUINT64_FORMAT, most);
  const char *const arguments[] = { program, limit, NULL };
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  const int input = dup_input (source);

  g_subprocess_launcher_take_stdin_fd (launcher, input);
  g_subprocess_launcher_take_stdout_fd (launcher, fcntl (output, F_DUPFD_CLOEXEC, 0));
  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGKILL), NULL);
  if (program == NULL)
    return STEP_MISSING;
  process = input >= 0 ? g_subprocess_launcher_spawnv (launcher, arguments, NULL) : NULL;
  if (process == NULL)
    return STEP_UNWRITTEN;
  if (g_subprocess_wait (process, g_cancellable_get_current (), NULL))
    return get_end (process);
  g_subprocess_force_exit (process);
  return STEP_STOPPED;
}

static gboolean
set_error (GError **error,
           const char *name,
           const Packer *packer,
           Step step,
           guint64 allowed)
{
  g_autofree char *size = g_format_size_full (allowed, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *large
      = g_strdup_printf (_ ("it becomes larger than %s; at most %u times its size is unpacked"),
                         size, MOST_TIMES);

  return prism_error_set (error,
                          step == STEP_STOPPED     ? PRISM_ERROR_CANCELLED
                          : step == STEP_UNWRITTEN ? PRISM_ERROR_IO
                                                   : PRISM_ERROR_FORMAT,
                          _ ("“%s” is packed by %s and cannot be unpacked: %s. Copy it again, or"
                             " unpack it with %s and give what comes out."),
                          name, packer->name, step == STEP_LARGE ? large : _ (reasons[step]),
                          packer->undo);
}

/**
 * prism_packed_unpack:
 * @source: (inout): a file that prism_packed_is(); what it was before all packing, in a temporary
 *   file whose descriptor the caller closes
 * @name: what to call it in an error message
 * @most: bytes that it may become
 *
 * What the current #GCancellable cancels ends at once.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_IO, PRISM_ERROR_CANCELLED.
 *
 * Returns: whether it is unpacked
 */
gboolean
prism_packed_unpack (PrismSource *source,
                     const char *name,
                     guint64 most,
                     GError **error)
{
  const guint64 allowed = MIN (most, MAX (LEAST_MOST, MOST_TIMES * source->size));
  PrismSource whole = *source;
  const Packer *packer;

  for (guint layer = 0; (packer = find_packer (&whole, 0)) != NULL; layer++)
    {
      const int fd = prism_temporary_store_open (0);
      struct stat status = { 0 };
      const Step step = layer == MOST_LAYERS   ? STEP_AGAIN
                        : fd < 0               ? STEP_UNWRITTEN
                        : packer->step == NULL ? unpack_fits (&whole, fd, allowed)
                                               : unpack_stream (&whole, packer, fd, allowed);

      if (layer > 0)
        close (whole.fd);
      if (step != STEP_END)
        {
          close (fd);
          return set_error (error, name, packer, step, allowed);
        }
      fstat (fd, &status);
      whole = (PrismSource) { .fd = fd, .size = (guint64) status.st_size };
    }
  *source = whole;
  return TRUE;
}
