#include "config.h"

#include "formats/prism-fields-readers.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"
#include "base/prism-temporary.h"
#include "formats/prism-tiff.h"

#include <string.h>
#include <unistd.h>

#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 40)
#define FINEST_PRINT 1e-5 /* m: pixels of a print are larger */
#define MAX_BLOCK_BYTES ((tmsize_t) 1 << 30)

/* What all pages have in common. */
typedef struct
{
  guint32 width;
  guint32 height;
  guint16 bits;
  guint16 format; /* SAMPLEFORMAT_… */
} TiffKind;

typedef struct
{
  TIFF *tiff;
  TiffKind kind;
  GArray *pages; /* of tdir_t: directories that are frames */
  guint n_raw;   /* frames behind each other of which one directory tells; 0: a directory each */
  guint64 start; /* byte of the first of them */
  guint8 *block; /* [block_bytes]: a strip or tile */
  gsize block_bytes;
  guint64 file_bytes;
  char detail[PRISM_TIFF_DETAIL]; /* what libtiff complained of first */
} TiffFile;

static void
free_file (gpointer data)
{
  TiffFile *self = data;

  if (self->tiff != NULL)
    TIFFClose (self->tiff);
  g_array_unref (self->pages);
  prism_arena_free_array (self->block);
  g_free (self);
}

static TIFF *
open_tiff (TiffFile *self,
           int fd)
{
  TIFFOpenOptions *options = prism_tiff_options_new (self->detail, MAX_BLOCK_BYTES);
  TIFF *tiff;

  if (options == NULL)
    return NULL;
  tiff = TIFFFdOpenExt (fd, "stack", "rm", options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

static const char *
read_kind (TIFF *tiff,
           TiffKind *kind)
{
  guint16 n_samples = 1, photometric = PHOTOMETRIC_MINISBLACK;

  memset (kind, 0, sizeof *kind);
  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &kind->width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &kind->height);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_BITSPERSAMPLE, &kind->bits);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLEFORMAT, &kind->format);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLESPERPIXEL, &n_samples);
  if (kind->width == 0 || kind->height == 0
      || MAX (kind->width, kind->height) > PRISM_FIELDS_MAX_SIDE)
    return "its pages should have 1 to 16384 pixels a side";
  if (n_samples != 1)
    return "its pixels have several channels; save a grey stack, one page a frame";
  TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &photometric);
  if (photometric == PHOTOMETRIC_PALETTE)
    return "its values are numbers of a palette's colours; save a grey stack, one page a frame";
  if (photometric == PHOTOMETRIC_MINISWHITE)
    return "its values are brightest at 0; save a grey stack in which black is 0";
  if (prism_tiff_is_number (kind->bits, kind->format)
      || prism_tiff_is_packed (kind->bits, kind->format))
    return NULL;
  return "its samples are neither integers of 8 to 16 or 32 bits nor floats of 32 or 64; save it"
         " with one of these";
}

/* How many bytes one byte of the file can become at the most, as far as one can tell. */
static guint64
get_expansion (TIFF *tiff)
{
  guint64 expansion = prism_tiff_get_expansion (tiff);

  return expansion > 0 ? expansion : 4096;
}

/* Lists the pages that are frames: smaller copies and masks are none. */
static const char *
list_pages (TiffFile *self)
{
  guint64 expansion = get_expansion (self->tiff);
  const char *reason = read_kind (self->tiff, &self->kind);

  while (reason == NULL)
    {
      tdir_t page = TIFFCurrentDirectory (self->tiff);
      guint32 subfile = 0;
      TiffKind kind;

      TIFFGetField (self->tiff, TIFFTAG_SUBFILETYPE, &subfile);
      if ((subfile & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0)
        {
          reason = read_kind (self->tiff, &kind);
          if (reason == NULL && memcmp (&kind, &self->kind, sizeof kind) != 0)
            return "its pages differ in size or kind of samples; save frames alone, all of a kind";
          g_array_append_val (self->pages, page);
        }
      if (self->pages->len >= PRISM_FIELDS_MAX_FRAMES)
        return "it has 65536 pages or more";
      if (TIFFLastDirectory (self->tiff))
        break;
      if (!TIFFReadDirectory (self->tiff))
        return "it is cut off: the list of its pages is damaged";
    }
  if (reason == NULL
      && (double) self->pages->len * self->kind.width * self->kind.height * self->kind.bits / 8
             > (double) expansion * self->file_bytes)
    reason = "it is cut off: its pages ask for more pixels than its bytes can hold";
  return reason;
}

/* The text behind a word of the description; %NULL where there is none. */
static char *
dup_described (TIFF *tiff,
               const char *word,
               const char *end)
{
  char *text = NULL;
  const char *at;

  if (!TIFFGetField (tiff, TIFFTAG_IMAGEDESCRIPTION, &text) || text == NULL)
    return NULL;
  at = strstr (text, word);
  if (at == NULL)
    return NULL;
  at += strlen (word);
  return g_strndup (at, strcspn (at, end));
}

/* The scale that ImageJ, OME or the resolution says; a resolution of print says nothing. */
static void
add_scale (PrismFields *fields,
           TIFF *tiff)
{
  g_autofree char *unit = dup_described (tiff, "\nunit=", "\r\n");
  g_autofree char *size = dup_described (tiff, " PhysicalSizeX=\"", "\"");
  g_autofree char *said = dup_described (tiff, " PhysicalSizeXUnit=\"", "\"");
  guint16 resolution_unit = RESUNIT_INCH;
  float resolution = 0.0f;
  double number = 0;
  PrismField *field;

  TIFFGetField (tiff, TIFFTAG_XRESOLUTION, &resolution);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_RESOLUTIONUNIT, &resolution_unit);
  if (size != NULL)
    number = g_ascii_strtod (size, NULL);
  else if (resolution > 0.0f)
    number = 1.0 / (double) resolution;
  if (size == NULL && unit == NULL)
    {
      const double size_of_unit = resolution_unit == RESUNIT_CENTIMETER ? 1e-2 : 0.0254; /* m */

      number *= resolution_unit == RESUNIT_NONE ? 0 : size_of_unit;
      number = number < FINEST_PRINT ? number : 0;
    }
  if (!(number > 0))
    return;
  field = prism_fields_add_number (fields, "scale of a pixel", number);
  prism_fields_set_unit (field, size != NULL   ? said != NULL ? said : "um"
                                : unit != NULL ? unit
                                               : "m");
  /* A scale in pixels is none. */
  if (field->unit.kind != PRISM_UNIT_LENGTH)
    g_ptr_array_remove (fields->fields, field);
}

/* ImageJ has one directory alone for a stack beyond 4 GiB, and says how many frames there are. */
static const char *
find_raw (TiffFile *self)
{
  g_autofree char *images = dup_described (self->tiff, "\nimages=", "\r\n");
  const guint64 n = images != NULL ? g_ascii_strtoull (images, NULL, 10) : 0;
  const guint64 n_bytes = (guint64) self->kind.width * self->kind.height * self->kind.bits / 8;
  guint16 compression = COMPRESSION_NONE;
  toff_t *offsets = NULL;

  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_COMPRESSION, &compression);
  if (self->pages->len != 1 || n < 2 || self->kind.bits % 8 != 0 || compression != COMPRESSION_NONE
      || TIFFIsTiled (self->tiff) || !TIFFGetField (self->tiff, TIFFTAG_STRIPOFFSETS, &offsets))
    return NULL;
  if (n >= PRISM_FIELDS_MAX_FRAMES)
    return "it has 65536 pages or more";
  self->n_raw = (guint) n;
  self->start = offsets[0];
  return self->start > self->file_bytes || n > (self->file_bytes - self->start) / n_bytes
             ? "it is cut off: its description says more frames than its bytes hold"
             : NULL;
}

static gboolean
read_raw (TiffFile *self,
          guint index,
          double *page)
{
  const TiffKind *kind = &self->kind;
  const gsize bytes = kind->bits / 8, n = (gsize) kind->width * kind->height;

  if (self->block == NULL)
    {
      self->block = prism_arena_new_array (n * bytes, "a page of a TIFF stack", NULL);
      self->block_bytes = self->block != NULL ? n * bytes : 0;
    }
  if (self->block_bytes < n * bytes
      || !prism_spill_read (TIFFFileno (self->tiff), self->block, n * bytes,
                            self->start + index * n * bytes))
    return FALSE;
  if (TIFFIsByteSwapped (self->tiff) && bytes == 2)
    TIFFSwabArrayOfShort ((uint16_t *) (gpointer) self->block, (tmsize_t) n);
  else if (TIFFIsByteSwapped (self->tiff) && bytes == 4)
    TIFFSwabArrayOfLong ((uint32_t *) (gpointer) self->block, (tmsize_t) n);
  else if (TIFFIsByteSwapped (self->tiff) && bytes == 8)
    TIFFSwabArrayOfDouble ((double *) (gpointer) self->block, (tmsize_t) n);
  for (gsize i = 0; i < n; i++)
    page[i] = prism_tiff_get_sample (self->block + i * bytes, kind->bits, kind->format);
  return TRUE;
}

/* Puts the strip or tile that begins at x, y into the page. page: [height][width] */
static gboolean
read_block (TiffFile *self,
            guint32 x,
            guint32 y,
            guint32 width,
            guint32 height,
            double *page)
{
  const TiffKind *kind = &self->kind;
  gboolean tiled = TIFFIsTiled (self->tiff);
  const gboolean is_packed = prism_tiff_is_packed (kind->bits, kind->format);
  const guint16 bits = is_packed ? 16 : kind->bits;
  const gsize bytes = bits / 8;
  guint32 rows = MIN (height, kind->height - y), columns = MIN (width, kind->width - x);
  const gsize n_rows = tiled ? height : rows;
  const gsize needed = ((gsize) width * kind->bits + 7) / 8 * n_rows;
  tmsize_t n;

  if ((gsize) width * n_rows * bytes > self->block_bytes)
    return FALSE;
  n = tiled ? TIFFReadEncodedTile (self->tiff, TIFFComputeTile (self->tiff, x, y, 0, 0),
                                   self->block, (tmsize_t) needed)
            : TIFFReadEncodedStrip (self->tiff, TIFFComputeStrip (self->tiff, y, 0), self->block,
                                    (tmsize_t) needed);
  if (n < 0 || (gsize) n != needed)
    return FALSE;
  if (is_packed)
    prism_tiff_widen (self->block, n_rows, width, kind->bits);
  for (guint32 i = 0; i < rows; i++)
    for (guint32 k = 0; k < columns; k++)
      page[(gsize) (y + i) * kind->width + x + k]
          = prism_tiff_get_sample (self->block + ((gsize) i * width + k) * bytes, bits,
                                   kind->format);
  return TRUE;
}

static gboolean
select_page (TiffFile *self,
             guint index)
{
  tdir_t page = g_array_index (self->pages, tdir_t, index);

  if (TIFFCurrentDirectory (self->tiff) == page)
    return TRUE;
  if ((tdir_t) (TIFFCurrentDirectory (self->tiff) + 1) == page)
    return TIFFReadDirectory (self->tiff) == 1;
  return TIFFSetDirectory (self->tiff, page) == 1;
}

static gboolean
read_page (TiffFile *self,
           guint index,
           double *page)
{
  const TiffKind *kind = &self->kind;
  guint32 width = kind->width, height = kind->height;
  tmsize_t size;

  if (self->n_raw > 0)
    return read_raw (self, index, page);
  if (!select_page (self, index))
    return FALSE;
  if (TIFFIsTiled (self->tiff))
    {
      TIFFGetField (self->tiff, TIFFTAG_TILEWIDTH, &width);
      TIFFGetField (self->tiff, TIFFTAG_TILELENGTH, &height);
      size = TIFFTileSize (self->tiff);
    }
  else
    {
      TIFFGetFieldDefaulted (self->tiff, TIFFTAG_ROWSPERSTRIP, &height);
      height = MIN (height, kind->height);
      size = TIFFStripSize (self->tiff);
    }
  /* A tile may be larger than its page, but not than what the file's bytes can become. */
  if (size <= 0 || size > MAX_BLOCK_BYTES || width == 0 || height == 0
      || (double) size > (double) get_expansion (self->tiff) * self->file_bytes)
    return FALSE;
  if (prism_tiff_is_packed (kind->bits, kind->format))
    size *= 2;
  if ((gsize) size > self->block_bytes)
    {
      prism_arena_free_array (self->block);
      self->block = prism_arena_new_array ((gsize) size, "a strip of a TIFF page", NULL);
      self->block_bytes = self->block != NULL ? (gsize) size : 0;
    }
  for (guint32 y = 0; y < kind->height; y += height)
    for (guint32 x = 0; x < kind->width; x += width)
      if (!read_block (self, x, y, width, height, page))
        return FALSE;
  return TRUE;
}

/* Whole pages are decoded, of which the part is taken. */
static gboolean
read_part (PrismFields *fields,
           const PrismField *field,
           const gsize *start,
           const gsize *count,
           double *values,
           GError **error)
{
  TiffFile *self = fields->data;
  gsize n_pixels = (gsize) self->kind.width * self->kind.height;
  prism_autofree_array double *page = NULL;

  page = prism_arena_new_array (n_pixels * sizeof *page, "a page of a TIFF stack", error);
  if (page == NULL)
    return FALSE;
  for (gsize j = 0; j < count[0]; j++)
    {
      if (!read_page (self, (guint) (start[0] + j), page))
        {
          g_autofree char *reason = NULL;
          g_autofree char *detail = g_utf8_make_valid (self->detail, -1);

          reason = g_strdup_printf ("page %u is damaged%s%s", (guint) (start[0] + j),
                                    *detail != '\0' ? ": " : "", detail);
          prism_fields_set_error (error, fields->name, fields->format, reason);
          return FALSE;
        }
      for (gsize y = 0; y < count[1]; y++)
        memcpy (values + (j * count[1] + y) * count[2],
                page + (start[1] + y) * self->kind.width + start[2], count[2] * sizeof *values);
    }
  return TRUE;
}

/**
 * prism_fields_load_tiff:
 * @path: file name
 *
 * The pages of a TIFF file as one array, called “frames”: grey, of one size, in the numbers of the
 * file, and the side of a pixel where it says its scale.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_tiff (const char *path,
                        GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (PrismFields) fields = prism_fields_new (name, "TIFF");
  TiffFile *self = g_new0 (TiffFile, 1);
  const char *reason = "its header is damaged";
  int fd;

  fields->data = self;
  fields->free_data = free_file;
  fields->read = read_part;
  self->pages = g_array_new (FALSE, FALSE, sizeof (tdir_t));
  fd = prism_file_open (path, MAX_BYTES, &self->file_bytes, error);
  if (fd < 0)
    return NULL;
  self->tiff = open_tiff (self, fd);
  if (self->tiff == NULL)
    close (fd);
  else
    reason = list_pages (self);
  /* The first page has what is said of all. */
  if (reason == NULL)
    reason = select_page (self, 0) ? find_raw (self) : "its first page is damaged";
  if (reason != NULL)
    {
      prism_fields_set_error (error, name, "TIFF", reason);
      return NULL;
    }
  prism_fields_add (fields, "frames", PRISM_FIELD_REAL, 3,
                    (gsize[]) { MAX (self->n_raw, self->pages->len), self->kind.height,
                                self->kind.width });
  add_scale (fields, self->tiff);
  return g_steal_pointer (&fields);
}
