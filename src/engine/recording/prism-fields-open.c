#include "config.h"

#include "formats/prism-fields-readers.h"
#include "formats/prism-packed.h"
#include "recording/prism-recording-private.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"

/* Which reader a file is for, by its first bytes. Thread: one at a time. */

#define MOST_SPACES 1024 /* bytes before a text */
#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 40)
#define MAX_PACKED (G_GUINT64_CONSTANT (4) << 30) /* bytes of what is unpacked */

/* What a file begins with, or has at a place behind. */
#define ROW(text, ...)                 \
  {                                    \
    text, sizeof text - 1, __VA_ARGS__ \
  }

typedef struct
{
  const char *magic;
  gsize length;
  PrismFields *(*load) (const char *path,
                        GError **error);
  gsize offset;
} Reader;

static const Reader readers[] = {
  ROW ("\211HDF\r\n\032\n", prism_fields_load_hdf5),
  ROW ("\211HDF\r\n\032\n", prism_fields_load_hdf5, 512), /* behind MATLAB 7.3's own text */
  ROW ("MATLAB 5.0 MAT", prism_fields_load_matlab),
  ROW ("\223NUMPY", prism_fields_open_npy),
  ROW ("PK\003\004", prism_fields_load_npz),
  ROW ("II*\0", prism_fields_load_tiff),
  ROW ("MM\0*", prism_fields_load_tiff),
  ROW ("II+\0", prism_fields_load_tiff),
  ROW ("MM\0+", prism_fields_load_tiff),
  ROW ("SIMPLE  =", prism_fields_load_fits),
};

/* What people have besides, and what to do with it. */
static const struct
{
  const char *magic;
  gsize length;
  const char *what;
  gsize offset;
} others[] = {
  ROW ("\211PNG\r\n\032\n", N_ ("a single picture (PNG): give the folder with all frames")),
  ROW ("\377\330\377", N_ ("a single picture (JPEG): give the folder with all frames")),
  ROW ("GIF8", N_ ("a GIF: save the frames as a TIFF stack")),
  ROW ("BM", N_ ("a single picture (BMP): save the frames as a TIFF stack")),
  ROW ("P5", N_ ("a single picture (PGM): save the frames as a TIFF stack")),
  ROW ("P6", N_ ("a single picture (PPM): save the frames as a TIFF stack")),
  ROW ("v/1\001", N_ ("a single picture (OpenEXR): save the frames as a TIFF stack")),
  ROW ("\0\0\0\fjP  ", N_ ("a single picture (JPEG 2000): save the frames as a TIFF stack")),
  ROW ("WEBP", N_ ("a single picture (WebP): save the frames as a TIFF stack"), 8),
  ROW ("RIFF", N_ ("a film (AVI): save its frames as a TIFF stack")),
  ROW ("ftyp", N_ ("a film (MP4): save its frames as a TIFF stack"), 4),
  ROW ("\032E\337\243", N_ ("a film (Matroska): save its frames as a TIFF stack")),
  ROW ("LUCAM-RECORDER", N_ ("a film (SER): save its frames as a TIFF stack")),
  ROW ("ZISRAWFILE", N_ ("a file of ZEISS (CZI): export the frames as OME-TIFF")),
  ROW ("\332\316\276\n", N_ ("a file of Nikon (ND2): export the frames as OME-TIFF")),
  ROW ("p\0\0\0", N_ ("a file of Leica (LIF): export the frames as OME-TIFF")),
  ROW ("\320\317\021\340",
       N_ ("a file of Olympus (OIB), ZEISS (ZVI) or Excel: export what it has")),
  ROW ("\0\0\0\003", N_ ("a file of DigitalMicrograph (DM3): export the frames as TIFF")),
  ROW ("\0\0\0\004", N_ ("a file of DigitalMicrograph (DM4): export the frames as TIFF")),
  ROW ("MAP ", N_ ("a file of MRC: save its frames as a TIFF stack"), 208),
  ROW ("DICM", N_ ("a medical picture (DICOM): save its frames as a TIFF stack"), 128),
  ROW ("n+1\0", N_ ("a volume of NIfTI: save its frames as a TIFF stack"), 344),
  ROW ("CDF", N_ ("a file of NetCDF 3: convert it by nccopy -k nc4")),
  ROW ("TDSm", N_ ("a file of LabVIEW (TDMS): save its frames as a TIFF stack")),
  ROW ("PAR1", N_ ("a table (Parquet): save it as CSV, and frames by numpy.save")),
  ROW ("\200", N_ ("a pickle of Python: save the array by numpy.save")),
  ROW ("ustar", N_ ("an archive of tar: unpack it, and give the folder"), 257),
  ROW ("7z\274\257", N_ ("an archive of 7-Zip: unpack it, and give what comes out")),
  ROW ("Rar!", N_ ("an archive of RAR: unpack it, and give what comes out")),
  ROW ("\3757zXZ", N_ ("packed by xz: unpack it, and give what comes out")),
  ROW ("(\265/\375", N_ ("packed by zstd: unpack it, and give what comes out")),
  ROW ("HeaderID", N_ ("a file of the ESRF (EDF): save its frames as a TIFF stack"), 2),
  ROW ("EDF_", N_ ("a file of the ESRF (EDF): save its frames as a TIFF stack"), 2),
  ROW ("version https://git-lfs",
       N_ ("a pointer of Git LFS: fetch the file itself by git lfs pull")),
  ROW ("<!DOCTYPE", N_ ("a page of the web: the download has failed")),
  ROW ("<html", N_ ("a page of the web: the download has failed")),
  ROW ("MATLAB", N_ ("a file of MATLAB that is older than 5 or damaged: save it with -v7.3")),
};

/* Where a text begins: behind the mark of UTF-8, spaces and comments. */
static guint64
find_text (const PrismSource *source)
{
  guint64 at = prism_source_has (source, 0, "\357\273\277", 3) ? 3 : 0;
  gboolean comment = FALSE;
  char byte;

  for (; at < MOST_SPACES && prism_source_read (source, at, &byte, 1); at++)
    {
      comment = byte == '#' || (comment && byte != '\n');
      if (!comment && !g_ascii_isspace (byte))
        break;
    }
  return at;
}

/* What it is, of what is not read; %NULL: something else. */
static const char *
find_other (const PrismSource *source)
{
  const guint64 at = find_text (source);

  PRISM_FOR_EACH_OF (other, others)
    if (prism_source_has (source, other->offset, other->magic, other->length))
      return other->what;
  if (prism_source_has (source, at, "[prism]", 7))
    return N_ ("a configuration: run it by “prism-cli run --config”, or open it in the window");
  if (prism_source_has (source, at, "[recording]", 11))
    return N_ ("a recipe: give it with --recipe, beside the frames that it is for");
  return NULL;
}

/* By the first bytes. */
static const Reader *
find_reader (const PrismSource *source)
{
  static const Reader json = { .load = prism_fields_load_json };
  const guint64 at = find_text (source);

  PRISM_FOR_EACH_OF (reader, readers)
    if (prism_source_has (source, reader->offset, reader->magic, reader->length))
      return reader;
  return (prism_source_has (source, at, "{", 1) || prism_source_has (source, at, "[", 1))
                 && find_other (source) == NULL
             ? &json
             : NULL;
}

static gboolean
set_unknown_error (const PrismSource *source,
                   const char *path,
                   GError **error)
{
  const char *what = source->size == 0 ? N_ ("empty: it was never written") : find_other (source);

  if (what != NULL)
    return prism_error_format (error, _ ("“%s” is %s."), path, _ (what));
  return prism_error_format (error, _ ("“%s” is no recording that can be read: expected is HDF5"
                                       " (PtyLab, CXI), MATLAB 5 or 7.3, NumPy (.npy, .npz), a"
                                       " TIFF stack, a FITS cube, or a folder with a file for"
                                       " each frame."),
                             path);
}

static PrismFields *
load (const PrismSource *source,
      const char *path,
      GError **error)
{
  const Reader *reader = find_reader (source);

  if (reader == NULL)
    return set_unknown_error (source, path, error), NULL;
  return reader->load (path, error);
}

/* A file that is unpacked, under its own name: its reader holds what is deleted. */
static PrismFields *
load_unpacked (const PrismSource *source,
               const char *path,
               GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *inner = prism_temporary_store_dup_link (source->fd);
  PrismFields *fields = load (source, inner, &reason);

  unlink (inner);
  close (source->fd);
  if (fields != NULL)
    {
      g_free (fields->name);
      fields->name = prism_file_dup_display_name (path);
    }
  if (reason != NULL)
    {
      g_auto (GStrv) parts = g_strsplit (reason->message, inner, 2);

      g_free (reason->message);
      reason->message = g_strjoinv (path, parts);
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  return fields;
}

/**
 * prism_fields_open_file:
 * @path: file name
 *
 * Lists the arrays of a file whose kind is found by its first bytes. What gzip, bzip2 or fpack has
 * packed is unpacked first.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_open_file (const char *path,
                        GError **error)
{
  PrismSource source = { 0 };
  PrismFields *fields = NULL;
  const int fd = source.fd = prism_file_open (path, MAX_BYTES, &source.size, error);

  if (fd < 0)
    return NULL;
  if (!prism_packed_is (&source))
    fields = load (&source, path, error);
  else if (prism_packed_unpack (&source, path, MAX_PACKED, error))
    fields = load_unpacked (&source, path, error);
  close (fd);
  return fields;
}

/**
 * prism_fields_can_open:
 * @path: file name
 *
 * Returns: whether it begins as a file whose arrays can be listed
 */
gboolean
prism_fields_can_open (const char *path)
{
  PrismSource source = { 0 };
  gboolean can;

  source.fd = prism_file_open (path, MAX_BYTES, &source.size, NULL);
  if (source.fd < 0)
    return FALSE;
  can = find_reader (&source) != NULL || prism_packed_is (&source);
  close (source.fd);
  return can;
}
