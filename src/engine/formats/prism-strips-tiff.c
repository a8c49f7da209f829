#include "config.h"

#include "formats/prism-strips-private.h"
#include "formats/prism-tiff.h"

#include "base/prism-arena.h"

#include <string.h>

#define MAX_ALLOCATION ((tmsize_t) 2 << 30)

typedef struct
{
  TIFF *tiff;
  guint16 bits;
  guint16 n_samples;
  guint16 n_colors;
  guint16 format;
  gboolean white; /* 0 is white */
  guint32 tile_width;
  guint32 tile_height; /* 0: strips */
  gsize tile_bytes;
  gsize row_bytes; /* of the whole width, as bytes holds it */
  guint8 *bytes;   /* a row, or a row of tiles [tile_height][row_bytes] */
  guint8 *tile;    /* (nullable) */
  gint64 first;    /* row at which bytes begins; −1: none yet */
  char detail[PRISM_TIFF_DETAIL];
} TiffRows;

static void
close_tiff (gpointer state)
{
  TiffRows *rows = state;

  if (rows->tiff != NULL)
    TIFFClose (rows->tiff);
  prism_arena_free_array (rows->bytes);
  prism_arena_free_array (rows->tile);
  g_free (rows);
}

static void
convert (const TiffRows *rows,
         const guint8 *bytes,
         guint64 width,
         float *pixels)
{
  const double white = prism_tiff_get_white (rows->bits, rows->format);
  const gsize size = rows->bits / 8;
  double value[3];

  for (guint64 x = 0; x < width; x++)
    {
      const guint8 *p = bytes + x * rows->n_samples * size;

      for (guint i = 0; i < rows->n_colors; i++)
        value[i] = prism_tiff_get_sample (p + i * size, rows->bits, rows->format) / white;
      if (rows->n_colors == 3)
        pixels[x] = prism_image_get_luma (value[0], value[1], value[2]);
      else
        pixels[x] = prism_image_narrow (rows->white ? 1.0 - value[0] : value[0]);
    }
}

/* All tiles across the picture. */
static gboolean
read_tiles (TiffRows *rows,
            guint64 width,
            guint64 first)
{
  const gsize pixel = rows->bits / 8 * rows->n_samples;
  const gsize tile_row = rows->tile_width * pixel;

  for (guint32 x = 0; x < width; x += rows->tile_width)
    {
      gsize part = (gsize) MIN (rows->tile_width, width - x) * pixel;
      guint32 number = TIFFComputeTile (rows->tiff, x, (guint32) first, 0, 0);

      if (TIFFReadEncodedTile (rows->tiff, number, rows->tile, (tmsize_t) rows->tile_bytes) < 0)
        return FALSE;
      for (guint32 y = 0; y < rows->tile_height; y++)
        memcpy (rows->bytes + y * rows->row_bytes + x * pixel, rows->tile + y * tile_row, part);
    }
  rows->first = (gint64) first;
  return TRUE;
}

static gboolean
read_row (PrismStripsReader *self,
          guint64 y,
          float *pixels,
          GError **error)
{
  TiffRows *rows = self->state;
  const guint8 *bytes = rows->bytes;
  gboolean ok = TRUE;

  if (rows->tile_height == 0)
    ok = TIFFReadScanline (rows->tiff, rows->bytes, (guint32) y, 0) >= 0;
  else
    {
      guint64 first = y / rows->tile_height * rows->tile_height;

      ok = rows->first == (gint64) first || read_tiles (rows, self->width, first);
      bytes += (y - first) * rows->row_bytes;
    }
  if (ok)
    convert (rows, bytes, self->width, pixels);
  else
    prism_image_set_damage (error, &self->source, rows->detail);
  return ok;
}

static const char *
find_obstacle (const TiffRows *rows,
               guint16 photometric,
               guint16 planar,
               guint16 orientation)
{
  if (photometric != PHOTOMETRIC_MINISBLACK && photometric != PHOTOMETRIC_MINISWHITE
      && photometric != PHOTOMETRIC_RGB)
    return "its colours are neither grey nor RGB: save it as grey";
  if (planar != PLANARCONFIG_CONTIG && rows->n_samples > 1)
    return "its colours lie in planes of their own: save it interleaved, or as grey";
  if (orientation != ORIENTATION_TOPLEFT)
    return "its first row is not at the top: turn it and save it again";
  if (rows->n_samples < rows->n_colors || !prism_tiff_is_number (rows->bits, rows->format))
    return "its samples have neither 8, 16 or 32 bits nor floating point numbers";
  return NULL;
}

static gboolean
allocate (PrismStripsReader *self,
          GError **error)
{
  TiffRows *rows = self->state;
  const gsize pixel = rows->bits / 8 * rows->n_samples;
  const gsize height = MAX (rows->tile_height, 1);
  gsize bytes;

  rows->row_bytes = (gsize) self->width * pixel;
  if (rows->tile_height == 0 && TIFFScanlineSize64 (rows->tiff) > rows->row_bytes)
    {
      prism_image_set_damage (error, &self->source, "its rows are longer than its width");
      return FALSE;
    }
  if (!g_size_checked_mul (&bytes, rows->row_bytes, height) || bytes > (gsize) MAX_ALLOCATION)
    {
      prism_image_set_damage (error, &self->source, "its tiles are larger than 2 GiB");
      return FALSE;
    }
  rows->bytes = prism_arena_new_array (MAX (bytes, 1), "rows of a TIFF image", error);
  if (rows->bytes == NULL || rows->tile_height == 0)
    return rows->bytes != NULL;
  rows->tile_bytes = (gsize) rows->tile_width * pixel * rows->tile_height;
  if (rows->tile_bytes == 0 || TIFFTileSize64 (rows->tiff) != rows->tile_bytes
      || rows->tile_bytes > (gsize) MAX_ALLOCATION)
    {
      prism_image_set_damage (error, &self->source, "its tiles have an impossible size");
      return FALSE;
    }
  rows->tile = prism_arena_new_array (rows->tile_bytes, "a tile of a TIFF image", error);
  return rows->tile != NULL;
}

static gboolean
begin (PrismStripsReader *self,
       GError **error)
{
  TiffRows *rows = self->state;
  guint32 height = 0, width = 0;
  guint16 planar = PLANARCONFIG_CONTIG, orientation = ORIENTATION_TOPLEFT, photometric;
  const char *obstacle;

  TIFFGetField (rows->tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField (rows->tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetFieldDefaulted (rows->tiff, TIFFTAG_BITSPERSAMPLE, &rows->bits);
  TIFFGetFieldDefaulted (rows->tiff, TIFFTAG_SAMPLESPERPIXEL, &rows->n_samples);
  TIFFGetFieldDefaulted (rows->tiff, TIFFTAG_SAMPLEFORMAT, &rows->format);
  TIFFGetFieldDefaulted (rows->tiff, TIFFTAG_PLANARCONFIG, &planar);
  TIFFGetFieldDefaulted (rows->tiff, TIFFTAG_ORIENTATION, &orientation);
  if (!TIFFGetField (rows->tiff, TIFFTAG_PHOTOMETRIC, &photometric))
    photometric = rows->n_samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  rows->n_colors = photometric == PHOTOMETRIC_RGB ? 3 : 1;
  rows->white = photometric == PHOTOMETRIC_MINISWHITE;
  if (TIFFIsTiled (rows->tiff))
    {
      TIFFGetField (rows->tiff, TIFFTAG_TILEWIDTH, &rows->tile_width);
      TIFFGetField (rows->tiff, TIFFTAG_TILELENGTH, &rows->tile_height);
    }
  obstacle = find_obstacle (rows, photometric, planar, orientation);
  if (obstacle != NULL)
    {
      prism_image_set_error (error, &self->source, obstacle);
      return FALSE;
    }
  self->height = height;
  self->width = width;
  self->is_real = rows->format == SAMPLEFORMAT_IEEEFP;
  return allocate (self, error);
}

/**
 * prism_strips_open_tiff:
 * @self: to fill; its source is known
 * @path: of the file
 *
 * TIFF and BigTIFF in strips or tiles, grey or RGB, with what compression libtiff knows.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_strips_open_tiff (PrismStripsReader *self,
                        const char *path,
                        GError **error)
{
  TiffRows *rows = g_new0 (TiffRows, 1);
  TIFFOpenOptions *options = prism_tiff_options_new (rows->detail, MAX_ALLOCATION);

  self->state = rows;
  self->close = close_tiff;
  self->read = read_row;
  rows->first = -1;
  if (options != NULL)
    {
      /* Mapped it would be in memory as a whole in the end, and gone with a file that is cut. */
      rows->tiff = TIFFOpenExt (path, "rm", options);
      TIFFOpenOptionsFree (options);
    }
  if (rows->tiff != NULL)
    return begin (self, error);
  prism_image_set_damage (error, &self->source, rows->detail);
  return FALSE;
}
