#include "config.h"

#include "formats/prism-strips-private.h"

#include "base/prism-arena.h"

#include <stdio.h>
/* After stdio.h, which jpeglib.h does not include. */
#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

/* Everything that a longjmp() must not lose. */
typedef struct
{
  FILE *file;
  png_structp png;
  png_infop info;
  guint8 *row;
  int n_channels;
  int bits;
  char detail[128];
} PngRows;

typedef struct
{
  struct jpeg_error_mgr manager;
  jmp_buf place;
  char detail[JMSG_LENGTH_MAX];
} JpegProblem;

typedef struct
{
  FILE *file;
  struct jpeg_decompress_struct jpeg;
  JpegProblem problem;
  guint8 *row;
} JpegRows;

static void
on_png_error (png_structp png,
              png_const_charp message)
{
  PngRows *rows = png_get_error_ptr (png);

  g_strlcpy (rows->detail, message, sizeof rows->detail);
  png_longjmp (png, 1);
}

static void
on_png_warning (png_structp png,
                png_const_charp message)
{
}

static void
close_png (gpointer state)
{
  PngRows *rows = state;

  png_destroy_read_struct (&rows->png, &rows->info, NULL);
  prism_arena_free_array (rows->row);
  if (rows->file != NULL)
    fclose (rows->file);
  g_free (rows);
}

static gboolean
read_png (PrismStripsReader *self,
          guint64 y,
          float *pixels,
          GError **error)
{
  PngRows *rows = self->state;
  const double scale = rows->bits == 16 ? 1.0 / 65535.0 : 1.0 / 255.0;
  const int n = rows->n_channels;

  if (setjmp (png_jmpbuf (rows->png)) != 0)
    {
      prism_image_set_damage (error, &self->source, rows->detail);
      return FALSE;
    }
  png_read_row (rows->png, rows->row, NULL);
  for (guint64 x = 0; x < self->width; x++)
    {
      double v[4];

      for (int c = 0; c < n; c++)
        {
          gsize i = (gsize) x * n + c;
          v[c] = scale
                 * (rows->bits == 16 ? rows->row[2 * i] << 8 | rows->row[2 * i + 1] : rows->row[i]);
        }
      pixels[x] = n < 3 ? (float) v[0] : prism_image_get_luma (v[0], v[1], v[2]);
      if (n == 2 || n == 4)
        pixels[x] *= (float) v[n - 1];
    }
  return TRUE;
}

static gboolean
begin_png (PrismStripsReader *self,
           GError **error)
{
  PngRows *rows = self->state;

  if (rows->info == NULL || setjmp (png_jmpbuf (rows->png)) != 0)
    {
      prism_image_set_damage (error, &self->source, rows->detail);
      return FALSE;
    }
  png_init_io (rows->png, rows->file);
  png_set_user_limits (rows->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info (rows->png, rows->info);
  if (png_get_interlace_type (rows->png, rows->info) != PNG_INTERLACE_NONE)
    {
      prism_image_set_error (error, &self->source,
                             "it is interlaced, so that no row is there before all are: save it"
                             " without interlacing");
      return FALSE;
    }
  png_set_expand (rows->png);
  png_read_update_info (rows->png, rows->info);
  self->height = png_get_image_height (rows->png, rows->info);
  self->width = png_get_image_width (rows->png, rows->info);
  rows->n_channels = png_get_channels (rows->png, rows->info);
  rows->bits = png_get_bit_depth (rows->png, rows->info);
  rows->row = prism_arena_new_array (png_get_rowbytes (rows->png, rows->info), "a row", error);
  return rows->row != NULL;
}

/**
 * prism_strips_open_png:
 * @self: to fill; its source is known
 * @path: of the file
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, also where it is interlaced.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_strips_open_png (PrismStripsReader *self,
                       const char *path,
                       GError **error)
{
  PngRows *rows = g_new0 (PngRows, 1);

  self->state = rows;
  self->close = close_png;
  self->read = read_png;
  rows->file = fopen (path, "rbe");
  rows->png = png_create_read_struct (PNG_LIBPNG_VER_STRING, rows, on_png_error, on_png_warning);
  if (rows->file != NULL && rows->png != NULL)
    rows->info = png_create_info_struct (rows->png);
  return begin_png (self, error);
}

static void
on_jpeg_error (j_common_ptr info)
{
  JpegProblem *problem = (JpegProblem *) info->err;

  info->err->format_message (info, problem->detail);
  longjmp (problem->place, 1);
}

static void
on_jpeg_message (j_common_ptr info,
                 int level)
{
  /* What is missing becomes grey, which would pass for the picture. */
  if (level < 0)
    on_jpeg_error (info);
}

static void
close_jpeg (gpointer state)
{
  JpegRows *rows = state;

  jpeg_destroy_decompress (&rows->jpeg);
  prism_arena_free_array (rows->row);
  if (rows->file != NULL)
    fclose (rows->file);
  g_free (rows);
}

static gboolean
read_jpeg (PrismStripsReader *self,
           guint64 y,
           float *pixels,
           GError **error)
{
  JpegRows *rows = self->state;
  const int n = rows->jpeg.output_components;

  if (setjmp (rows->problem.place) != 0)
    {
      prism_image_set_damage (error, &self->source, rows->problem.detail);
      return FALSE;
    }
  jpeg_read_scanlines (&rows->jpeg, &rows->row, 1);
  for (guint64 x = 0; x < self->width; x++)
    {
      const guint8 *v = rows->row + x * n;

      pixels[x] = n < 3 ? v[0] / 255.0f
                        : prism_image_get_luma (v[0] / 255.0, v[1] / 255.0, v[2] / 255.0);
    }
  return TRUE;
}

static gboolean
begin_jpeg (PrismStripsReader *self,
            GError **error)
{
  JpegRows *rows = self->state;

  if (rows->file == NULL || setjmp (rows->problem.place) != 0)
    {
      prism_image_set_damage (error, &self->source, rows->problem.detail);
      return FALSE;
    }
  jpeg_create_decompress (&rows->jpeg);
  jpeg_stdio_src (&rows->jpeg, rows->file);
  jpeg_read_header (&rows->jpeg, TRUE);
  if (rows->jpeg.num_components == 4)
    {
      prism_image_set_error (error, &self->source, "it has colours for printing (CMYK)");
      return FALSE;
    }
  rows->jpeg.out_color_space = rows->jpeg.num_components >= 3 ? JCS_RGB : JCS_GRAYSCALE;
  rows->jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_decompress (&rows->jpeg);
  self->height = rows->jpeg.output_height;
  self->width = rows->jpeg.output_width;
  rows->row = prism_arena_new_array ((gsize) self->width * rows->jpeg.output_components, "a row",
                                     error);
  return rows->row != NULL;
}

/**
 * prism_strips_open_jpeg:
 * @self: to fill; its source is known
 * @path: of the file
 *
 * Rows come as they lie in the file: a camera's note that it was held sideways is not followed.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_strips_open_jpeg (PrismStripsReader *self,
                        const char *path,
                        GError **error)
{
  JpegRows *rows = g_new0 (JpegRows, 1);

  self->state = rows;
  self->close = close_jpeg;
  self->read = read_jpeg;
  rows->file = fopen (path, "rbe");
  rows->jpeg.err = jpeg_std_error (&rows->problem.manager);
  rows->problem.manager.error_exit = on_jpeg_error;
  rows->problem.manager.emit_message = on_jpeg_message;
  return begin_jpeg (self, error);
}
