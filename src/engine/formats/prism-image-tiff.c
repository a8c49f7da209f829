#include "config.h"

#include "formats/prism-image-private.h"
#include "formats/prism-tiff.h"

#include "base/prism-arena.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_PAGES 65536
#define MAX_ALLOCATION ((tmsize_t) 2 << 30)

/* Where the decoder stands in the file, and what it complained about first. */
typedef struct
{
  const PrismImageSource *source;
  guint64 position;
  char detail[PRISM_TIFF_DETAIL];
} TiffStream;

/* How the samples lie. */
typedef struct
{
  TIFF *tiff;
  guint32 width;
  guint32 height;
  guint32 block_width; /* of a tile, or the whole width for strips */
  guint32 block_height;
  guint16 bits;      /* of one sample */
  guint16 n_samples; /* of one pixel */
  guint16 n_colors;  /* 1 or 3: the samples that are colour */
  guint16 format;    /* SAMPLEFORMAT_… */
  guint16 photometric;
  gboolean tiled;
  gboolean separate;  /* one plane after the other */
  gboolean has_alpha; /* straight, in the sample after the colours */
  guint16 n_unread;   /* samples of which nothing is known */
} TiffLayout;

/* One strip or tile: the samples of one plane, or of all where they are interleaved. */
typedef struct
{
  guint32 y;
  guint32 x;
  guint32 height; /* rows within the image */
  guint32 width;
  guint8 *bytes; /* [block_height][block_width][samples] */
  gsize size;
} TiffBlock;

static tmsize_t
on_read (thandle_t handle,
         void *bytes,
         tmsize_t length)
{
  TiffStream *stream = handle;
  gsize size = stream->source->size;
  gsize left = stream->position < size ? size - stream->position : 0;
  gsize n = MIN (left, (gsize) MAX (length, 0));

  memcpy (bytes, stream->source->data + stream->position, n);
  stream->position += n;
  return (tmsize_t) n;
}

static tmsize_t
on_write (thandle_t handle,
          void *bytes,
          tmsize_t length)
{
  return -1;
}

static toff_t
on_seek (thandle_t handle,
         toff_t offset,
         int whence)
{
  TiffStream *stream = handle;

  if (whence == SEEK_CUR)
    offset += stream->position;
  else if (whence == SEEK_END)
    offset += stream->source->size;
  stream->position = MIN (offset, stream->source->size);
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
  TiffStream *stream = handle;

  return stream->source->size;
}

static TIFF *
open_tiff (TiffStream *stream)
{
  TIFFOpenOptions *options = prism_tiff_options_new (stream->detail, MAX_ALLOCATION);
  TIFF *tiff;

  if (options == NULL)
    return NULL;
  tiff = TIFFClientOpenExt ("image", "rm", stream, on_read, on_write, on_seek, on_close, on_size,
                            NULL, NULL, options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

/* What the samples after the colours are; colours have been multiplied by an associated alpha. */
static void
read_extra_samples (TiffLayout *layout,
                    TIFF *tiff)
{
  guint16 n_extra = 0;
  guint16 *kinds = NULL;
  gboolean is_alpha;

  if (layout->n_samples <= layout->n_colors)
    return;
  TIFFGetField (tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &kinds);
  is_alpha = n_extra > 0 && kinds[0] != EXTRASAMPLE_UNSPECIFIED;
  layout->has_alpha = is_alpha && kinds[0] == EXTRASAMPLE_UNASSALPHA;
  layout->n_unread = layout->n_samples - layout->n_colors - (is_alpha ? 1 : 0);
}

static void
read_layout (TiffLayout *layout,
             TIFF *tiff)
{
  guint16 planar = PLANARCONFIG_CONTIG;

  memset (layout, 0, sizeof *layout);
  layout->tiff = tiff;
  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &layout->width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &layout->height);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->n_samples);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLEFORMAT, &layout->format);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_PLANARCONFIG, &planar);
  if (!TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric))
    layout->photometric = layout->n_samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;

  layout->n_colors = layout->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  layout->separate = planar == PLANARCONFIG_SEPARATE && layout->n_samples > 1;
  read_extra_samples (layout, tiff);
  layout->tiled = TIFFIsTiled (tiff);
  layout->block_width = layout->width;
  layout->block_height = layout->height;
  if (layout->tiled)
    {
      TIFFGetField (tiff, TIFFTAG_TILEWIDTH, &layout->block_width);
      TIFFGetField (tiff, TIFFTAG_TILELENGTH, &layout->block_height);
    }
  else
    {
      TIFFGetFieldDefaulted (tiff, TIFFTAG_ROWSPERSTRIP, &layout->block_height);
      layout->block_height = MIN (layout->block_height, layout->height);
    }
}

/* Whole bytes of grey or RGB are read as they are; libtiff makes 8-bit RGBA of the rest. */
static gboolean
is_plain (const TiffLayout *layout)
{
  if (layout->photometric != PHOTOMETRIC_MINISBLACK
      && layout->photometric != PHOTOMETRIC_MINISWHITE
      && layout->photometric != PHOTOMETRIC_RGB)
    return FALSE;
  if (layout->n_samples < layout->n_colors)
    return FALSE;
  return prism_tiff_is_number (layout->bits, layout->format)
         || prism_tiff_is_packed (layout->bits, layout->format);
}

/* Puts sample of the block into the image: colours add up, a straight alpha multiplies. */
static void
accumulate_sample (PrismImage *image,
                   const TiffLayout *layout,
                   const TiffBlock *block,
                   guint16 sample)
{
  static const double luma[3] = { PRISM_LUMA_RED, PRISM_LUMA_GREEN, PRISM_LUMA_BLUE };
  double white = prism_tiff_get_white (layout->bits, layout->format);
  const gboolean is_packed = prism_tiff_is_packed (layout->bits, layout->format);
  const guint16 bits = is_packed ? 16 : layout->bits;
  gsize bytes = bits / 8;
  gsize stride = layout->separate ? 1 : layout->n_samples;
  gsize first = layout->separate ? 0 : sample;
  double weight = layout->n_colors == 3 && sample < 3 ? luma[sample] : 1.0;

  for (guint32 y = 0; y < block->height; y++)
    for (guint32 x = 0; x < block->width; x++)
      {
        gsize i = ((gsize) y * layout->block_width + x) * stride + first;
        float *pixel = image->pixels + (gsize) (block->y + y) * image->width + block->x + x;
        const guint8 *p = block->bytes + i * bytes;
        double value = prism_tiff_get_sample (p, bits, layout->format) / white;

        if (sample >= layout->n_colors)
          *pixel *= (float) value;
        else if (layout->photometric == PHOTOMETRIC_MINISWHITE)
          *pixel = prism_image_narrow (1.0 - value);
        else
          *pixel += prism_image_narrow (weight * value);
      }
}

static gboolean
read_block (const TiffLayout *layout,
            const TiffBlock *block,
            guint16 sample)
{
  TIFF *tiff = layout->tiff;
  gsize n_samples = layout->separate ? 1 : layout->n_samples;
  const gsize row_samples = (gsize) layout->block_width * n_samples;
  const gsize row_bytes = (row_samples * layout->bits + 7) / 8;
  const gsize n_rows = layout->tiled ? layout->block_height : block->height;
  const gboolean is_packed = prism_tiff_is_packed (layout->bits, layout->format);
  const gsize needed = row_bytes * n_rows;
  tmsize_t n;

  if (needed > block->size || (is_packed && 2 * row_samples * n_rows > block->size))
    return FALSE;
  if (layout->tiled)
    n = TIFFReadEncodedTile (tiff, TIFFComputeTile (tiff, block->x, block->y, 0, sample),
                             block->bytes, (tmsize_t) needed);
  else
    n = TIFFReadEncodedStrip (tiff, TIFFComputeStrip (tiff, block->y, sample),
                              block->bytes, (tmsize_t) needed);
  if (n < 0 || (gsize) n != needed)
    return FALSE;
  if (is_packed)
    prism_tiff_widen (block->bytes, n_rows, row_samples, layout->bits);
  return TRUE;
}

static gboolean
read_samples (PrismImage *image,
              const TiffLayout *layout,
              TiffBlock *block)
{
  guint16 n = layout->n_colors + (layout->has_alpha ? 1 : 0);

  block->height = MIN (layout->block_height, layout->height - block->y);
  block->width = MIN (layout->block_width, layout->width - block->x);
  for (guint16 sample = 0; sample < n; sample++)
    {
      if ((sample == 0 || layout->separate) && !read_block (layout, block, sample))
        return FALSE;
      accumulate_sample (image, layout, block, sample);
    }
  return TRUE;
}

static gboolean
read_blocks (PrismImage *image,
             const TiffLayout *layout,
             TiffBlock *block)
{
  for (block->y = 0; block->y < layout->height; block->y += layout->block_height)
    for (block->x = 0; block->x < layout->width; block->x += layout->block_width)
      if (!read_samples (image, layout, block))
        return FALSE;
  return TRUE;
}

/* Whether the file is long enough for its pixels, found out before memory is asked for. */
static gboolean
check_present (const TiffLayout *layout,
               TiffStream *stream,
               GError **error)
{
  guint64 row = (guint64) layout->width * layout->n_samples * layout->bits / 8;
  guint64 block = layout->tiled ? TIFFTileSize64 (layout->tiff) : TIFFStripSize64 (layout->tiff);
  guint64 needed = MAX (row * layout->height, block);
  guint64 expansion = prism_tiff_get_expansion (layout->tiff);

  if (block == 0 || layout->block_width == 0 || layout->block_height == 0)
    prism_image_set_damage (error, stream->source, "its strips or tiles have no size");
  else if (block > (guint64) MAX_ALLOCATION)
    prism_image_set_damage (error, stream->source, "its strips or tiles are larger than 2 GiB");
  else if (expansion > 0 && needed / expansion > stream->source->size)
    prism_image_set_damage (error, stream->source, "more pixels than its bytes can hold");
  else
    return TRUE;
  return FALSE;
}

static PrismImage *
decode_plain (const TiffLayout *layout,
              TiffStream *stream,
              GError **error)
{
  g_autoptr (PrismImage) image = NULL;
  TiffBlock block = { 0 };
  guint64 size = layout->tiled ? TIFFTileSize64 (layout->tiff) : TIFFStripSize64 (layout->tiff);
  gboolean ok;

  if (!check_present (layout, stream, error))
    return NULL;
  image = prism_image_new ((int) layout->height, (int) layout->width, error);
  if (image == NULL)
    return NULL;
  /* Packed samples become 16 bits where they are. */
  block.size = prism_tiff_is_packed (layout->bits, layout->format) ? 2 * size : size;
  block.bytes = prism_arena_new_array (block.size, "a strip or tile of a TIFF image", error);
  if (block.bytes == NULL)
    return NULL;

  if (layout->n_unread > 0)
    {
      image->origin.n_channels = layout->n_samples;
      image->origin.n_colors = layout->n_colors == 3 ? 3 : 0;
    }
  ok = read_blocks (image, layout, &block);
  prism_arena_free_array (block.bytes);
  if (!ok)
    prism_image_set_damage (error, stream->source, stream->detail);
  return ok ? g_steal_pointer (&image) : NULL;
}

static gboolean
check_exotic (const TiffLayout *layout,
              TiffStream *stream,
              GError **error)
{
  g_autofree char *reason = NULL;
  char detail[1024] = "";

  if (layout->format != SAMPLEFORMAT_UINT && layout->format != SAMPLEFORMAT_VOID)
    reason = g_strdup_printf ("samples of this kind with %u bits cannot be decoded", layout->bits);
  else if (layout->photometric == PHOTOMETRIC_SEPARATED && layout->bits != 8)
    reason = g_strdup_printf (_ ("CMYK of %u bits cannot be read; save it as RGB or grey"),
                              layout->bits);
  else if (!TIFFRGBAImageOK (layout->tiff, detail))
    reason = g_utf8_make_valid (detail, -1);
  else
    return TRUE;
  prism_image_set_error (error, stream->source, reason);
  return FALSE;
}

static PrismImage *
decode_exotic (const TiffLayout *layout,
               TiffStream *stream,
               int orientation,
               GError **error)
{
  g_autoptr (PrismImage) image = NULL;
  gsize n = (gsize) layout->height * layout->width;
  guint32 *raster;
  gboolean ok;

  if (!check_exotic (layout, stream, error))
    return NULL;
  image = prism_image_new ((int) layout->height, (int) layout->width, error);
  if (image == NULL)
    return NULL;
  raster = prism_arena_new_array (n * sizeof *raster, "a TIFF image", error);
  if (raster == NULL)
    return NULL;

  ok = TIFFReadRGBAImageOriented (layout->tiff, layout->width, layout->height, raster,
                                  orientation, 1);
  for (gsize i = 0; i < n; i++)
    image->pixels[i] = prism_image_get_luma (TIFFGetR (raster[i]) / 255.0,
                                             TIFFGetG (raster[i]) / 255.0,
                                             TIFFGetB (raster[i]) / 255.0);
  prism_arena_free_array (raster);
  if (!ok)
    prism_image_set_damage (error, stream->source, stream->detail);
  return ok ? g_steal_pointer (&image) : NULL;
}

/* Smaller copies of a page and masks do not count. The first page was read. */
static guint64
count_pages (TIFF *tiff)
{
  guint64 n = 1;

  while (n < MAX_PAGES && TIFFReadDirectory (tiff))
    {
      guint32 kind = 0;

      TIFFGetField (tiff, TIFFTAG_SUBFILETYPE, &kind);
      n += (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0 ? 1 : 0;
    }
  return n;
}

/* Of a volume in tiles. */
static guint32
count_planes (TIFF *tiff)
{
  guint32 depth = 1;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_IMAGEDEPTH, &depth);
  return depth;
}

static PrismImage *
decode (TIFF *tiff,
        TiffStream *stream,
        GError **error)
{
  g_autoptr (PrismImage) image = NULL;
  PrismImage *upright;
  TiffLayout layout;
  guint16 orientation = ORIENTATION_TOPLEFT;

  read_layout (&layout, tiff);
  if (!prism_image_check_size (stream->source, layout.height, layout.width, error))
    return NULL;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_ORIENTATION, &orientation);
  if (orientation < ORIENTATION_TOPLEFT || orientation > ORIENTATION_LEFTBOT)
    orientation = ORIENTATION_TOPLEFT;
  if (is_plain (&layout))
    image = decode_plain (&layout, stream, error);
  else
    image = decode_exotic (&layout, stream, orientation, error);
  upright = image == NULL ? NULL : prism_image_dup_oriented (image, orientation, error);
  if (upright == NULL)
    return NULL;
  upright->origin = image->origin;
  upright->origin.n_planes = count_planes (tiff);
  return upright;
}

/**
 * prism_image_load_tiff:
 * @source: the file
 *
 * Decodes the first page of a TIFF or BigTIFF file and counts the others: integers of 8 to 16 and
 * 32 bits and floats of 32 and 64 in full depth, strips or tiles, interleaved or separate planes;
 * palettes, YCbCr, bilevel and the like through libtiff's 8-bit RGBA.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_load_tiff (const PrismImageSource *source,
                       GError **error)
{
  TiffStream stream = { .source = source };
  TIFF *tiff = open_tiff (&stream);
  PrismImage *image;

  if (tiff == NULL)
    {
      prism_image_set_damage (error, source, stream.detail);
      return NULL;
    }
  image = decode (tiff, &stream, error);
  if (image != NULL)
    image->origin.n_pages = count_pages (tiff);
  TIFFClose (tiff);
  return image;
}
