#include "config.h"

#include "formats/prism-fields-readers.h"
#include "formats/prism-rows-private.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"

#include <tiffio.h>

/* TIFF and BigTIFF: the first page as a picture, all pages as an array of frames. Samples that are
 * numbers are read as they are, a strip, a tile or a row at a time; libtiff makes 8-bit RGBA of the
 * rest. */

#define MAX_PAGES 65536
#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 40)
#define MAX_ALLOCATION ((tmsize_t) 2 << 30)

/* How the samples of a page lie. */
typedef struct
{
  guint32 width;
  guint32 height;
  guint32 block_width; /* of a tile, or the whole width */
  guint32 block_height;
  guint16 bits;      /* of one sample */
  guint16 n_samples; /* of one pixel */
  char kind;         /* 'i', 'u' or 'f' */
  guint8 size;       /* bytes of a sample once it is not packed */
  guint16 format;    /* SAMPLEFORMAT_… */
  guint16 photometric;
  gboolean is_tiled;
  gboolean is_packed;   /* samples of 9 to 15 bits, which do not begin at bytes */
  gboolean is_separate; /* one plane after the other */
  gboolean is_number;   /* grey or RGB whose samples are read as they are */
} TiffLayout;

typedef struct
{
  PrismSource source;
  guint64 position; /* in the source */
  TIFF *tiff;
  char detail[128]; /* what libtiff complained of first */
  TiffLayout layout;
  guint8 *block; /* [block_bytes]: a strip, a tile or a row */
  gsize block_bytes;
  /* Of a picture: */
  gboolean by_row;    /* strips are read row by row */
  guint16 n_colors;   /* 1 or 3: the samples that are colour */
  gboolean has_alpha; /* straight, in the sample after the colours */
  guint32 *raster;    /* (nullable) [height][width]: RGBA */
  /* Of frames: */
  GArray *pages; /* of tdir_t: directories that are frames */
  guint n_raw;   /* frames behind each other of which one directory tells; 0: a directory each */
  guint64 start; /* byte of the first of them */
  guint n_channels;
  guint n_inner; /* pages of one channel that follow each other */
  /* What was read last: */
  double *values; /* of a picture a row of blocks, of frames a page */
  gint64 index;   /* its first row, or the number of the page; -1: none yet */
} TiffFile;

static tmsize_t
on_read (thandle_t handle,
         void *bytes,
         tmsize_t length)
{
  TiffFile *self = handle;
  const guint64 left = self->source.size - MIN (self->position, self->source.size);
  const gsize n = (gsize) MIN (left, (guint64) MAX (length, 0));

  if (!prism_source_read (&self->source, self->position, bytes, n))
    return 0;
  self->position += n;
  return (tmsize_t) n;
}

static toff_t
on_seek (thandle_t handle,
         toff_t offset,
         int whence)
{
  TiffFile *self = handle;

  if (whence == SEEK_CUR)
    offset += self->position;
  else if (whence == SEEK_END)
    offset += self->source.size;
  self->position = MIN (offset, self->source.size);
  return offset;
}

static int
on_close (thandle_t handle)
{
  return 0;
}

static toff_t
on_size (thandle_t handle)
{
  return ((TiffFile *) handle)->source.size;
}

/* self: %NULL for warnings, which nobody hears */
static int
on_message (TIFF *tiff,
            void *data,
            const char *module,
            const char *format,
            va_list arguments)
{
  TiffFile *self = data;

  if (self != NULL && *self->detail == '\0')
    g_vsnprintf (self->detail, sizeof self->detail, format, arguments);
  return 1;
}

static gboolean
open_tiff (TiffFile *self)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();

  if (options == NULL)
    return FALSE;
  TIFFOpenOptionsSetMaxSingleMemAlloc (options, MAX_ALLOCATION);
  TIFFOpenOptionsSetErrorHandlerExtR (options, on_message, self);
  TIFFOpenOptionsSetWarningHandlerExtR (options, on_message, NULL);
  /* Nothing is ever written. */
  self->tiff = TIFFClientOpenExt ("image", "rm", self, on_read, on_read, on_seek, on_close,
                                  on_size, NULL, NULL, options);
  TIFFOpenOptionsFree (options);
  return self->tiff != NULL;
}

static void
free_file (gpointer data)
{
  TiffFile *self = data;

  if (self->tiff != NULL)
    TIFFClose (self->tiff);
  prism_arena_free_array (self->block);
  prism_arena_free_array (self->raster);
  prism_arena_free_array (self->values);
  if (self->pages != NULL)
    {
      g_array_unref (self->pages);
      if (self->source.fd >= 0)
        close (self->source.fd);
    }
  g_free (self);
}

static void
read_layout (TiffFile *self)
{
  TIFF *tiff = self->tiff;
  TiffLayout *layout = &self->layout;
  guint16 planar = PLANARCONFIG_CONTIG, bits;

  memset (layout, 0, sizeof *layout);
  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &layout->width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &layout->height);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits);
  bits = layout->bits;
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->n_samples);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLEFORMAT, &layout->format);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_PLANARCONFIG, &planar);
  if (!TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric))
    layout->photometric = layout->n_samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  layout->is_separate = planar == PLANARCONFIG_SEPARATE && layout->n_samples > 1;
  layout->is_tiled = TIFFIsTiled (tiff);
  layout->block_width = layout->width;
  layout->block_height = layout->height;
  if (layout->is_tiled)
    {
      TIFFGetField (tiff, TIFFTAG_TILEWIDTH, &layout->block_width);
      TIFFGetField (tiff, TIFFTAG_TILELENGTH, &layout->block_height);
    }
  else
    {
      TIFFGetFieldDefaulted (tiff, TIFFTAG_ROWSPERSTRIP, &layout->block_height);
      layout->block_height = MIN (layout->block_height, layout->height);
    }
  layout->is_packed = layout->format == SAMPLEFORMAT_UINT && bits > 8 && bits < 16;
  layout->size = layout->is_packed ? 2 : bits / 8;
  layout->kind = layout->format == SAMPLEFORMAT_IEEEFP ? 'f'
                 : layout->format == SAMPLEFORMAT_INT  ? 'i'
                                                       : 'u';
  layout->is_number = layout->kind == 'f'
                          ? bits == 16 || bits == 32 || bits == 64
                          : (layout->kind == 'i' || layout->format == SAMPLEFORMAT_UINT)
                                && (bits == 8 || bits == 16 || bits == 32 || layout->is_packed);
}

static guint16
get_compression (TIFF *tiff)
{
  guint16 compression = COMPRESSION_NONE;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_COMPRESSION, &compression);
  return compression;
}

/* How many bytes one byte of the file can become; otherwise: where there is no telling. */
static guint64
get_expansion (TIFF *tiff,
               guint64 otherwise)
{
  switch (get_compression (tiff))
    {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
      return 1032;
    case COMPRESSION_LZW:
      return 4096;
    default:
      return otherwise;
    }
}

/* Reads the strip, tile or row that begins at x, y: the samples of one plane, or of all where they
 * are interleaved. */
static gboolean
read_block (TiffFile *self,
            guint32 x,
            guint32 y,
            guint16 sample)
{
  const TiffLayout *layout = &self->layout;
  const gsize n_samples = layout->is_separate ? 1 : layout->n_samples;
  const gsize row_samples = layout->block_width * n_samples;
  const gsize n_rows
      = layout->is_tiled ? layout->block_height : MIN (layout->block_height, layout->height - y);
  const gsize needed = (row_samples * layout->bits + 7) / 8 * n_rows;
  tmsize_t n;

  if (needed > self->block_bytes
      || (layout->is_packed && 2 * row_samples * n_rows > self->block_bytes))
    return FALSE;
  if (self->n_raw > 0)
    n = prism_source_read (&self->source, self->start + (guint64) self->index * needed, self->block,
                           needed)
            ? (tmsize_t) needed
            : -1;
  else if (layout->is_tiled)
    n = TIFFReadEncodedTile (self->tiff, TIFFComputeTile (self->tiff, x, y, 0, sample),
                             self->block, (tmsize_t) needed);
  else if (!self->by_row)
    n = TIFFReadEncodedStrip (self->tiff, TIFFComputeStrip (self->tiff, y, sample), self->block,
                              (tmsize_t) needed);
  else
    n = TIFFReadScanline (self->tiff, self->block, y, sample) < 0 ? -1 : (tmsize_t) needed;
  if (n < 0 || (gsize) n != needed)
    return FALSE;
  if (layout->is_packed)
    prism_source_widen (self->block, n_rows, row_samples, layout->bits);
  return TRUE;
}

/* Room for a block; packed samples become 16 bits there. Whether the file is long enough is found
 * out before memory is asked for. expansion: as get_expansion() has it. Returns what cannot be;
 * without memory there is no block and an error */
static const char *
make_room (TiffFile *self,
           guint64 expansion,
           GError **error)
{
  const TiffLayout *layout = &self->layout;
  const guint64 page
      = (guint64) layout->width * layout->n_samples * layout->bits / 8 * layout->height;
  const guint64 block = self->n_raw > 0    ? page
                        : layout->is_tiled ? TIFFTileSize64 (self->tiff)
                        : self->by_row     ? TIFFScanlineSize64 (self->tiff)
                                           : TIFFStripSize64 (self->tiff);
  const guint64 n_bytes = layout->is_packed ? 2 * block : block;

  if (block == 0 || layout->block_width == 0 || layout->block_height == 0)
    return "its strips or tiles have no size";
  if (block > (guint64) MAX_ALLOCATION)
    return "its strips or tiles are larger than 2 GiB";
  if (MAX (page, block) / expansion > self->source.size)
    return "more pixels than its bytes can hold";
  if (n_bytes <= self->block_bytes)
    return NULL;
  prism_arena_free_array (self->block);
  self->block = prism_arena_new_array ((gsize) n_bytes, "a strip or tile of a TIFF image", error);
  self->block_bytes = self->block != NULL ? (gsize) n_bytes : 0;
  return NULL;
}

/* All blocks from a row on: colours add up, a straight alpha multiplies. Samples of frames are
 * taken as they are. band: [block_height][width], or what the picture has of it */
static gboolean
read_band (TiffFile *self,
           guint32 y,
           double *band)
{
  static const double luma[3] = { 0.299, 0.587, 0.114 };
  const TiffLayout *layout = &self->layout;
  const guint32 n_rows = MIN (layout->block_height, layout->height - y);
  const guint16 n = self->n_colors + (self->has_alpha ? 1 : 0);
  const guint n_bits = layout->kind == 'i' ? layout->bits - 1 : layout->bits;
  const double white
      = layout->kind == 'f' || self->pages != NULL ? 1.0 : ldexp (1.0, n_bits) - 1;
  const gsize stride = layout->is_separate ? 1 : layout->n_samples;

  memset (band, 0, (gsize) n_rows * layout->width * sizeof *band);
  for (guint32 x = 0; x < layout->width; x += layout->block_width)
    for (guint16 sample = 0; sample < n; sample++)
      {
        const guint32 n_columns = MIN (layout->block_width, layout->width - x);
        const double weight = self->n_colors == 3 && sample < 3 ? luma[sample] : 1.0;
        const gsize first = layout->is_separate ? 0 : sample;
        gboolean swaps;

        if ((sample == 0 || layout->is_separate) && !read_block (self, x, y, sample))
          return FALSE;
        swaps = self->n_raw > 0 && TIFFIsByteSwapped (self->tiff);
        for (guint32 i = 0; i < n_rows; i++)
          for (guint32 k = 0; k < n_columns; k++)
            {
              double *pixel = band + (gsize) i * layout->width + x + k;
              const gsize at = ((gsize) i * layout->block_width + k) * stride + first;
              const double value = prism_source_get (self->block + at * layout->size, layout->kind,
                                                     layout->size, swaps)
                                   / white;

              if (sample >= self->n_colors)
                *pixel *= value;
              else if (layout->photometric == PHOTOMETRIC_MINISWHITE)
                *pixel = 1.0 - value;
              else
                *pixel += weight * value;
            }
      }
  return TRUE;
}

static gboolean
read_row (PrismRows *rows,
          guint64 y,
          float *row,
          GError **error)
{
  TiffFile *self = rows->state;
  const guint64 first = y - y % self->layout.block_height;

  if (self->raster != NULL)
    {
      for (guint64 x = 0; x < rows->width; x++)
        {
          const guint32 pixel = self->raster[y * rows->width + x];

          row[x] = prism_rows_mix (rows, TIFFGetR (pixel) / 255.0, TIFFGetG (pixel) / 255.0,
                                   TIFFGetB (pixel) / 255.0);
        }
      return TRUE;
    }
  if (self->index != (gint64) first && !read_band (self, (guint32) first, self->values))
    return prism_rows_damaged (rows, self->detail, error);
  self->index = (gint64) first;
  for (guint64 x = 0; x < rows->width; x++)
    row[x] = prism_rows_narrow (self->values[(y - first) * rows->width + x]);
  return TRUE;
}

/* What the samples after the colours are; colours have been multiplied by an associated alpha. */
static void
read_extra_samples (TiffFile *self,
                    PrismImageOrigin *origin)
{
  const guint16 n_samples = self->layout.n_samples;
  guint16 n_extra = 0, *kinds = NULL;
  gboolean is_alpha;

  if (n_samples <= self->n_colors)
    return;
  TIFFGetField (self->tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &kinds);
  is_alpha = n_extra > 0 && kinds[0] != EXTRASAMPLE_UNSPECIFIED;
  self->has_alpha = is_alpha && kinds[0] == EXTRASAMPLE_UNASSALPHA;
  if (n_samples - self->n_colors > is_alpha)
    {
      origin->n_channels = n_samples;
      origin->n_colors = self->n_colors == 3 ? 3 : 0;
    }
}

static gboolean
open_numbers (PrismRows *rows,
              GError **error)
{
  TiffFile *self = rows->state;
  TiffLayout *layout = &self->layout;
  const char *reason;

  /* A strip can be the whole picture. */
  self->by_row = rows->is_strip && !layout->is_tiled && !layout->is_separate;
  if (self->by_row)
    layout->block_height = 1;
  reason = make_room (self, get_expansion (self->tiff, G_MAXUINT64), error);
  if (reason != NULL)
    return prism_rows_damaged (rows, reason, error);
  if (self->block != NULL)
    self->values = prism_arena_new_array ((gsize) MIN (layout->block_height, layout->height)
                                              * layout->width * sizeof *self->values,
                                          "rows of a TIFF image", error);
  read_extra_samples (self, &rows->origin);
  return self->values != NULL;
}

static gboolean
open_raster (PrismRows *rows,
             GError **error)
{
  TiffFile *self = rows->state;
  const TiffLayout *layout = &self->layout;
  g_autofree char *reason = NULL;
  char detail[1024] = "";

  if (rows->is_strip)
    reason = g_strdup ("its colours are neither grey nor RGB, or its samples neither integers of 8"
                       " to 16 or 32 bits nor floats: save it as grey");
  else if (layout->format != SAMPLEFORMAT_UINT && layout->format != SAMPLEFORMAT_VOID)
    reason = g_strdup_printf ("samples of this kind with %u bits cannot be decoded", layout->bits);
  else if (layout->photometric == PHOTOMETRIC_SEPARATED && layout->bits != 8)
    reason = g_strdup_printf (_ ("CMYK of %u bits cannot be read; save it as RGB or grey"),
                              layout->bits);
  else if (!TIFFRGBAImageOK (self->tiff, detail))
    reason = g_utf8_make_valid (detail, -1);
  if (reason != NULL)
    return prism_rows_fail (rows, reason, error);
  self->raster = prism_arena_new_array (rows->height * rows->width * sizeof *self->raster,
                                        "a TIFF image", error);
  if (self->raster == NULL)
    return FALSE;
  return TIFFReadRGBAImageOriented (self->tiff, layout->width, layout->height, self->raster,
                                    rows->orientation, 1)
         || prism_rows_damaged (rows, self->detail, error);
}

static gboolean
is_miniature (TIFF *tiff)
{
  guint32 kind = 0;

  TIFFGetField (tiff, TIFFTAG_SUBFILETYPE, &kind);
  return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

/* Smaller copies of a page and masks do not count. The first page was read. */
static void
close_rows (PrismRows *rows)
{
  TiffFile *self = rows->state;
  guint64 n = 1;

  while (!rows->is_strip && self->tiff != NULL && n < MAX_PAGES && TIFFReadDirectory (self->tiff))
    n += !is_miniature (self->tiff);
  rows->origin.n_pages = n;
  free_file (self);
}

/**
 * prism_rows_open_tiff:
 *
 * The first page of a TIFF or BigTIFF file, and counts the others: integers of 8 to 16 and
 * 32 bits and floats of 16, 32 and 64 in full depth, strips or tiles, interleaved or separate
 * planes; palettes, YCbCr, bilevel and the like through libtiff's 8-bit RGBA where the whole
 * picture may be there.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_rows_open_tiff (PrismRows *rows,
                      GError **error)
{
  TiffFile *self = g_new0 (TiffFile, 1);
  guint16 orientation = ORIENTATION_TOPLEFT;
  guint32 depth = 1;
  const TiffLayout *layout = &self->layout;

  rows->state = self;
  rows->read = read_row;
  rows->close = close_rows;
  self->source = rows->source;
  self->index = -1;
  if (!open_tiff (self))
    return prism_rows_damaged (rows, self->detail, error);
  read_layout (self);
  rows->height = layout->height;
  rows->width = layout->width;
  rows->is_real = layout->kind == 'f';
  if (!prism_rows_check_size (rows, error))
    return FALSE;
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_ORIENTATION, &orientation);
  rows->orientation = orientation <= ORIENTATION_LEFTBOT ? MAX (orientation, 1) : 1;
  if (rows->is_strip && rows->orientation != ORIENTATION_TOPLEFT)
    return prism_rows_fail (rows, _ ("its first row is not at the top: turn it and save it"
                                     " again"),
                            error);
  TIFFGetFieldDefaulted (self->tiff, TIFFTAG_IMAGEDEPTH, &depth);
  rows->origin.n_planes = depth;
  self->n_colors = layout->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  return layout->is_number && layout->n_samples >= self->n_colors
                 && (layout->photometric == PHOTOMETRIC_MINISBLACK
                     || layout->photometric == PHOTOMETRIC_MINISWHITE || self->n_colors == 3)
             ? open_numbers (rows, error)
             : open_raster (rows, error);
}

/* Whether the page that libtiff is at can be a frame. */
static const char *
check_frame (const TiffLayout *layout)
{
  if (layout->width == 0 || layout->height == 0
      || MAX (layout->width, layout->height) > PRISM_FIELDS_MAX_SIDE)
    return "its pages should have 1 to 16384 pixels a side";
  if (layout->n_samples != 1)
    return "its pixels have several channels; save a grey stack, one page a frame";
  if (layout->photometric == PHOTOMETRIC_PALETTE)
    return "its values are numbers of a palette's colours; save a grey stack, one page a frame";
  if (layout->photometric == PHOTOMETRIC_MINISWHITE)
    return "its values are brightest at 0; save a grey stack in which black is 0";
  return layout->is_number ? NULL
                           : "its samples are neither integers of 8 to 16 or 32 bits nor floats of"
                             " 16, 32 or 64; save it with one of these";
}

/* Lists the pages that are frames: smaller copies and masks are none. */
static const char *
list_pages (TiffFile *self)
{
  const guint64 expansion = get_expansion (self->tiff, 4096);
  TiffLayout first;
  const char *reason;

  if (!TIFFIsCODECConfigured (get_compression (self->tiff)))
    return "it is compressed in a way that libtiff has not here; save it with LZW, deflate or none";
  read_layout (self);
  first = self->layout;
  reason = check_frame (&first);
  while (reason == NULL)
    {
      const TiffLayout *layout = &self->layout;
      const tdir_t page = TIFFCurrentDirectory (self->tiff);

      if (!is_miniature (self->tiff))
        {
          read_layout (self);
          reason = check_frame (layout);
          if (reason == NULL
              && (layout->width != first.width || layout->height != first.height
                  || layout->bits != first.bits || layout->format != first.format))
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
      && (double) self->pages->len * first.width * first.height * first.bits / 8
             > (double) expansion * self->source.size)
    reason = _ ("it is cut off: its pages ask for more pixels than its bytes can hold");
  return reason;
}

/* ImageJ has one directory alone for a stack beyond 4 GiB, and says how many frames there are. */
static const char *
find_raw (TiffFile *self)
{
  g_autofree char *images = prism_tiff_dup_described (self->tiff, "\nimages=", "\r\n");
  const guint64 n = images != NULL ? g_ascii_strtoull (images, NULL, 10) : 0;
  TiffLayout *layout = &self->layout;
  const guint64 n_bytes = (guint64) layout->width * layout->height * layout->bits / 8;
  toff_t *offsets = NULL;

  if (self->pages->len != 1 || n < 2 || layout->is_packed
      || get_compression (self->tiff) != COMPRESSION_NONE
      || layout->is_tiled || !TIFFGetField (self->tiff, TIFFTAG_STRIPOFFSETS, &offsets))
    return NULL;
  if (n >= PRISM_FIELDS_MAX_FRAMES)
    return "it has 65536 pages or more";
  self->n_raw = (guint) n;
  self->start = offsets[0];
  layout->block_height = layout->height;
  return self->start > self->source.size || n > (self->source.size - self->start) / n_bytes
             ? "it is cut off: its description says more frames than its bytes hold"
             : NULL;
}

static gboolean
select_page (TiffFile *self,
             guint index)
{
  const tdir_t page = g_array_index (self->pages, tdir_t, index);
  const tdir_t now = TIFFCurrentDirectory (self->tiff);

  if (now != page
      && ((tdir_t) (now + 1) == page ? TIFFReadDirectory (self->tiff)
                                     : TIFFSetDirectory (self->tiff, page))
             != 1)
    return FALSE;
  read_layout (self);
  return TRUE;
}

/* Reads a whole page, of so many pixels. */
static gboolean
read_page (TiffFile *self,
           guint index,
           gsize n_pixels)
{
  const TiffLayout *layout = &self->layout;

  if ((self->n_raw == 0 && !select_page (self, index))
      || (gsize) layout->width * layout->height != n_pixels || check_frame (layout) != NULL
      || make_room (self, get_expansion (self->tiff, 4096), NULL) != NULL || self->block == NULL)
    return FALSE;
  self->index = index;
  for (guint32 y = 0; y < layout->height; y += layout->block_height)
    if (!read_band (self, y, self->values + (gsize) y * layout->width))
      return FALSE;
  return TRUE;
}

/* How many channels the pages have, and how they take turns: ImageJ's one after the other, OME's by
 * the order of the dimensions that it says. */
static void
find_channels (TiffFile *self,
               guint n_pages)
{
  g_autofree char *own = prism_tiff_dup_described (self->tiff, "\nchannels=", "\r\n");
  g_autofree char *ome = prism_tiff_dup_described (self->tiff, " SizeC=\"", "\"");
  g_autofree char *order = prism_tiff_dup_described (self->tiff, " DimensionOrder=\"XY", "\"");
  const char *said = own != NULL ? own : ome;
  guint64 n = said != NULL ? g_ascii_strtoull (said, NULL, 10) : 1, inner = 1;

  for (const char *axis = own == NULL ? order : NULL;
       axis != NULL && *axis != '\0' && *axis != 'C'; axis++)
    {
      g_autofree char *word = g_strdup_printf (" Size%c=\"", *axis);
      g_autofree char *size = prism_tiff_dup_described (self->tiff, word, "\"");

      inner *= size != NULL ? MIN (g_ascii_strtoull (size, NULL, 10), n_pages) : 1;
    }
  self->n_channels = self->n_inner = 1;
  if (n < 2 || n > n_pages || inner < 1 || n_pages % (n * inner) != 0)
    return;
  self->n_channels = (guint) n;
  self->n_inner = (guint) inner;
}

/* Whole pages are decoded, of which the last is kept. */
static gboolean
read_run (PrismFields *fields,
          const PrismField *field,
          gsize first,
          gsize n,
          double *values,
          GError **error)
{
  TiffFile *self = fields->data;
  const gsize n_pixels = field->shape[1] * field->shape[2];

  for (gsize some; n > 0; n -= some, first += some, values += some)
    {
      const guint frame = (guint) (first / n_pixels);
      const guint index = (frame / self->n_inner * self->n_channels + (guint) field->handle)
                              * self->n_inner
                          + frame % self->n_inner;

      some = MIN (n, n_pixels - first % n_pixels);
      if (self->index != index && !read_page (self, index, n_pixels))
        {
          g_autofree char *detail = g_utf8_make_valid (self->detail, -1);
          g_autofree char *reason = g_strdup_printf ("page %u is damaged%s%s", index,
                                                     *detail != '\0' ? ": " : "", detail);

          self->index = -1;
          prism_fields_set_error (error, fields->name, fields->format, reason);
          return FALSE;
        }
      memcpy (values, self->values + first % n_pixels, some * sizeof *values);
    }
  return TRUE;
}

/**
 * prism_fields_load_tiff:
 * @path: file name
 *
 * The pages of a TIFF file as one array, called “frames”, or “channel_1” and so on where it says
 * that it has several: grey, of one size, in the numbers of the file, and the side of a pixel where
 * it says its scale.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_tiff (const char *path,
                        GError **error)
{
  g_autoptr (PrismFields) fields = prism_fields_new (path, "TIFF");
  TiffFile *self = g_new0 (TiffFile, 1);
  const char *reason = _ ("its header is damaged");
  guint n_pages;

  fields->data = self;
  fields->free_data = free_file;
  fields->read_run = read_run;
  self->pages = g_array_new (FALSE, FALSE, sizeof (tdir_t));
  self->source.fd = prism_file_open (path, MAX_BYTES, &self->source.size, error);
  if (self->source.fd < 0)
    return NULL;
  if (open_tiff (self))
    reason = list_pages (self);
  if (reason == NULL)
    reason = self->pages->len > 0 && select_page (self, 0) ? find_raw (self)
                                                           : "its first page is damaged";
  if (reason != NULL)
    {
      prism_fields_set_error (error, path, "TIFF", reason);
      return NULL;
    }
  self->n_colors = 1;
  self->index = -1;
  self->values = prism_arena_new_array ((gsize) self->layout.width * self->layout.height
                                            * sizeof *self->values,
                                        "a page of a TIFF stack", error);
  if (self->values == NULL)
    return NULL;
  n_pages = MAX (self->n_raw, self->pages->len);
  find_channels (self, n_pages);
  for (guint i = 0; i < self->n_channels; i++)
    {
      g_autofree char *name = self->n_channels > 1 ? g_strdup_printf ("channel_%u", i + 1)
                                                   : g_strdup ("frames");

      prism_fields_add (fields, name, PRISM_FIELD_REAL, 3,
                        (gsize[]) { n_pages / self->n_channels, self->layout.height,
                                    self->layout.width })
          ->handle
          = (int) i;
    }
  prism_tiff_add_scale (fields, self->tiff);
  return g_steal_pointer (&fields);
}
