#include "config.h"

#include "formats/prism-rows-private.h"

#include "base/prism-arena.h"

#include <jpeglib.h>
#include <setjmp.h>

#include <jerror.h>

/* A few kilobytes can hold thousands of scans of a large progressive image, each of which costs as
 * much time as a whole image; real encoders write about ten. */
#define MAX_SCANS 200

#define EXIF_MARKER (JPEG_APP0 + 1)
#define MPF_MARKER (JPEG_APP0 + 2)
/* Of it, what is kept: the number stands at its beginning; colour profiles have the marker, too. */
#define MPF_BYTES 256

/* Everything that a longjmp() must not lose. libjpeg hands the first member of each back. */
typedef struct
{
  struct jpeg_error_mgr base;
  jmp_buf jump;
  char detail[JMSG_LENGTH_MAX]; /* what libjpeg says */
} JpegErrors;

typedef struct
{
  struct jpeg_decompress_struct base;
  JpegErrors errors;
  struct jpeg_progress_mgr progress;
  FILE *file;   /* (nullable) */
  JSAMPLE *row; /* [width][components] */
} JpegState;

static void
on_fatal (j_common_ptr common)
{
  JpegErrors *errors = (JpegErrors *) common->err;

  errors->base.format_message (common, errors->detail);
  longjmp (errors->jump, 1);
}

/* libjpeg fills what is missing with grey and only warns; half an image is an error here. */
static void
on_message (j_common_ptr common,
            int level)
{
  int code = common->err->msg_code;

  if (level < 0
      && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE
          || code == JWRN_MUST_RESYNC || code == JWRN_ARITH_BAD_CODE))
    on_fatal (common);
}

static void
on_output (j_common_ptr common)
{
}

static void
on_progress (j_common_ptr common)
{
  JpegState *self = (JpegState *) common;

  if (self->base.input_scan_number > MAX_SCANS)
    {
      g_snprintf (self->errors.detail, sizeof self->errors.detail, "more than %d scans", MAX_SCANS);
      longjmp (self->errors.jump, 1);
    }
}

static void
close_jpeg (PrismRows *rows)
{
  JpegState *self = rows->state;

  jpeg_destroy_decompress (&self->base);
  prism_arena_free_array (self->row);
  if (self->file != NULL)
    fclose (self->file);
  g_free (self);
}

static gboolean
read_row (PrismRows *rows,
          guint64 y,
          float *pixels,
          GError **error)
{
  JpegState *self = rows->state;
  const int n = self->base.output_components;
  const double scale = 1.0 / 255.0;

  if (setjmp (self->errors.jump) != 0)
    return prism_rows_damaged (rows, self->errors.detail, error);
  jpeg_read_scanlines (&self->base, &self->row, 1);
  for (gsize x = 0; x < rows->width; x++)
    {
      const JSAMPLE *p = self->row + x * n;
      double v[4];

      for (int c = 0; c < n; c++)
        v[c] = scale * p[c];
      /* Adobe stores CMYK inverted: 255 is no ink. */
      for (int c = 0; c < n && n == 4; c++)
        v[c] = 1.0 - (self->base.saw_Adobe_marker ? 1.0 - v[c] : v[c]);
      pixels[x] = n == 1 ? (float) v[0] : prism_rows_mix (rows, v[0], v[1], v[2]);
      if (n == 4)
        pixels[x] *= (float) v[3];
    }
  return TRUE;
}

/* Y of YCbCr is Rec. 601 luma already, so that a picture without strips needs no other component
 * unless one colour is asked for. */
static gboolean
begin (PrismRows *rows,
       GError **error)
{
  JpegState *self = rows->state;
  struct jpeg_decompress_struct *jpeg = &self->base;

  if (setjmp (self->errors.jump) != 0)
    return prism_rows_damaged (rows, self->errors.detail, error);
  jpeg_create_decompress (jpeg);
  jpeg->progress = &self->progress;
  if (rows->source.data != NULL)
    jpeg_mem_src (jpeg, rows->source.data, rows->source.size);
  else
    jpeg_stdio_src (jpeg, self->file);
  jpeg_save_markers (jpeg, EXIF_MARKER, 0xffff);
  jpeg_save_markers (jpeg, MPF_MARKER, MPF_BYTES);
  jpeg_read_header (jpeg, TRUE);
  for (jpeg_saved_marker_ptr m = jpeg->marker_list; m != NULL; m = m->next)
    if (m->marker == EXIF_MARKER && m->data_length > 6 && memcmp (m->data, "Exif\0\0", 6) == 0
        && rows->orientation <= 1)
      rows->orientation = prism_exif_get_orientation (m->data + 6, m->data_length - 6);
    else if (m->marker == MPF_MARKER && m->data_length > 4 && memcmp (m->data, "MPF\0", 4) == 0
             && rows->origin.n_images == 0)
      rows->origin.n_images = prism_exif_get_n_images (m->data + 4, m->data_length - 4);
  rows->height = jpeg->image_height;
  rows->width = jpeg->image_width;
  if (!prism_rows_check_size (rows, error))
    return FALSE;
  if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK)
    jpeg->out_color_space = JCS_CMYK;
  else if (jpeg->jpeg_color_space == JCS_RGB
           || (jpeg->jpeg_color_space == JCS_YCbCr && (rows->channel > 0 || rows->is_strip)))
    jpeg->out_color_space = JCS_RGB;
  else
    jpeg->out_color_space = JCS_GRAYSCALE;
  jpeg_calc_output_dimensions (jpeg);
  self->row = prism_arena_new_array ((gsize) jpeg->image_width * jpeg->output_components,
                                     "a JPEG image", error);
  if (self->row != NULL)
    jpeg_start_decompress (jpeg);
  return self->row != NULL;
}

/**
 * prism_rows_open_jpeg:
 *
 * JPEG: grey, YCbCr, RGB, CMYK and YCCK, turned upright as its Exif data says; of several
 * pictures (MPO) the first, and counts the others.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_rows_open_jpeg (PrismRows *rows,
                      GError **error)
{
  JpegState *self = g_new0 (JpegState, 1);
  int fd;

  rows->state = self;
  rows->read = read_row;
  rows->close = close_jpeg;
  self->base.err = jpeg_std_error (&self->errors.base);
  self->errors.base.error_exit = on_fatal;
  self->errors.base.emit_message = on_message;
  self->errors.base.output_message = on_output;
  self->progress.progress_monitor = on_progress;
  if (rows->source.data == NULL)
    {
      fd = dup (rows->source.fd);
      self->file = fd >= 0 ? fdopen (fd, "rb") : NULL;
      if (self->file == NULL)
        return prism_rows_damaged (rows, g_strerror (errno), error);
    }
  return begin (rows, error);
}
