#include "config.h"

#include "formats/prism-image-private.h"

#include "base/prism-arena.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

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
  const PrismImageSource *source;
  JSAMPLE *row; /* [width][components] */
  PrismImage *image;
  int orientation;
  guint32 n_images; /* 0: not stated */
  GError **error;
} JpegReader;

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
  JpegReader *reader = (JpegReader *) common;

  if (reader->base.input_scan_number > MAX_SCANS)
    {
      g_snprintf (reader->errors.detail, sizeof reader->errors.detail, "more than %d scans",
                  MAX_SCANS);
      longjmp (reader->errors.jump, 1);
    }
}

static void
read_markers (JpegReader *reader)
{
  reader->orientation = 1;
  for (jpeg_saved_marker_ptr m = reader->base.marker_list; m != NULL; m = m->next)
    if (m->marker == EXIF_MARKER && reader->orientation == 1)
      reader->orientation = prism_image_get_exif_orientation (m->data, m->data_length);
    else if (m->marker == MPF_MARKER && reader->n_images == 0)
      reader->n_images = prism_image_get_mpf_count (m->data, m->data_length);
}

/* Y of YCbCr is Rec. 601 luma already, so that only RGB and CMYK need more than one component. */
static void
set_output (struct jpeg_decompress_struct *jpeg,
            gboolean one_colour)
{
  switch (jpeg->jpeg_color_space)
    {
    case JCS_RGB:
      jpeg->out_color_space = JCS_RGB;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      jpeg->out_color_space = JCS_CMYK;
      break;
    default:
      jpeg->out_color_space
          = one_colour && jpeg->jpeg_color_space == JCS_YCbCr ? JCS_RGB : JCS_GRAYSCALE;
      break;
    }
}

/* Adobe stores CMYK inverted: 255 is no ink. */
static float
convert_cmyk (const PrismImageSource *source,
              const JSAMPLE *v,
              gboolean inverted)
{
  double ink[4];
  double scale = 1.0 / 255.0;

  for (int c = 0; c < 4; c++)
    ink[c] = inverted ? 1.0 - scale * v[c] : scale * v[c];
  return prism_image_mix (source, 1.0 - ink[0], 1.0 - ink[1], 1.0 - ink[2])
         * (float) (1.0 - ink[3]);
}

static void
convert_row (JpegReader *reader,
             float *pixels)
{
  const struct jpeg_decompress_struct *jpeg = &reader->base;
  double scale = 1.0 / 255.0;

  for (int x = 0; x < reader->image->width; x++)
    {
      const JSAMPLE *v = reader->row + (gsize) x * jpeg->output_components;
      if (jpeg->output_components == 1)
        pixels[x] = (float) (scale * v[0]);
      else if (jpeg->output_components == 3)
        pixels[x] = prism_image_mix (reader->source, scale * v[0], scale * v[1], scale * v[2]);
      else
        pixels[x] = convert_cmyk (reader->source, v, jpeg->saw_Adobe_marker);
    }
}

static gboolean
decode (JpegReader *reader)
{
  struct jpeg_decompress_struct *jpeg = &reader->base;

  jpeg_create_decompress (jpeg);
  jpeg->progress = &reader->progress;
  jpeg_mem_src (jpeg, reader->source->data, reader->source->size);
  jpeg_save_markers (jpeg, EXIF_MARKER, 0xffff);
  jpeg_save_markers (jpeg, MPF_MARKER, MPF_BYTES);
  jpeg_read_header (jpeg, TRUE);
  read_markers (reader);
  if (!prism_image_check_size (reader->source, jpeg->image_height, jpeg->image_width,
                               reader->error))
    return FALSE;

  set_output (jpeg, reader->source->channel > 0);
  jpeg_calc_output_dimensions (jpeg);
  reader->image = prism_image_new ((int) jpeg->image_height, (int) jpeg->image_width,
                                   reader->error);
  if (reader->image == NULL)
    return FALSE;
  reader->row = prism_arena_new_array ((gsize) jpeg->image_width * jpeg->output_components,
                                       "a JPEG image", reader->error);
  if (reader->row == NULL)
    return FALSE;

  jpeg_start_decompress (jpeg);
  while (jpeg->output_scanline < jpeg->output_height)
    {
      gsize y = jpeg->output_scanline;
      jpeg_read_scanlines (jpeg, &reader->row, 1);
      convert_row (reader, reader->image->pixels + y * reader->image->width);
    }
  return TRUE;
}

/* The only frame that libjpeg jumps back to. */
static gboolean
try_decode (JpegReader *reader)
{
  if (setjmp (reader->errors.jump) != 0)
    {
      prism_image_set_damage (reader->error, reader->source, reader->errors.detail);
      return FALSE;
    }
  return decode (reader);
}

/**
 * prism_image_load_jpeg:
 * @source: the file
 *
 * Decodes JPEG: grey, YCbCr, RGB, CMYK and YCCK, turned upright as its Exif data says; of several
 * pictures (MPO) the first, and counts the others.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_load_jpeg (const PrismImageSource *source,
                       GError **error)
{
  JpegReader reader = { .source = source, .error = error };
  g_autoptr (PrismImage) image = NULL;
  PrismImage *upright;
  gboolean ok;

  reader.base.err = jpeg_std_error (&reader.errors.base);
  reader.errors.base.error_exit = on_fatal;
  reader.errors.base.emit_message = on_message;
  reader.errors.base.output_message = on_output;
  reader.progress.progress_monitor = on_progress;

  ok = try_decode (&reader);
  jpeg_destroy_decompress (&reader.base);
  prism_arena_free_array (reader.row);
  image = reader.image;
  upright = ok ? prism_image_dup_oriented (image, reader.orientation, error) : NULL;
  if (upright != NULL)
    upright->origin.n_images = reader.n_images;
  return upright;
}
