#include "config.h"

#include "measurements/prism-import-pictures.h"

#include "recording/prism-recording-geometry.h"

#include <math.h>

#define THUMB 64         /* pixels of a picture on the sheet */
#define GAP 4            /* pixels between two */
#define MAX_THUMBS 1024  /* frames on the sheet */
#define MAX_SPECTRA 6    /* that are shown */
#define SHOWN_RANGE 9.0f /* of a spectrum's logarithm, from the brightest down */

/* One spectrum, and where the circles of its frame should be. */
typedef struct
{
  guint frame;
  cairo_surface_t *surface; /* [side][side] */
  double center[2];         /* pixels from the middle */
} Spectrum;

struct _PrismImportPictures
{
  guint n_thumbs;
  guint n_frames;
  cairo_surface_t **thumbs; /* [n_thumbs] */
  guint n_spectra;
  Spectrum spectra[MAX_SPECTRA];
  int side;
  double radius; /* pixels */
};

/* values: [height][width] from 0 to 1 */
static cairo_surface_t *
make_surface (const float *values,
              int width,
              int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  guint8 *pixels = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        guint grey = (guint) (255 * CLAMP (values[y * width + x], 0.0f, 1.0f) + 0.5f);

        ((guint32 *) (pixels + y * stride))[x] = grey << 16 | grey << 8 | grey;
      }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/**
 * prism_import_pictures_make_frame:
 * @recording: frames
 * @j: one of them
 * @longest: pixels of the picture's longer side; a smaller frame keeps its own
 *
 * Shows amplitudes of a frame, each pixel the mean of those under it; its brightest is white. One
 * that is the same all over is black.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the picture
 */
cairo_surface_t *
prism_import_pictures_make_frame (const PrismRecording *recording,
                                  guint j,
                                  guint longest)
{
  const float *frame = recording->frames + (gsize) j * recording->height * recording->width;
  guint side = MAX (recording->height, recording->width);
  int width = MAX (1, (int) ((guint64) MIN (longest, side) * recording->width / side));
  int height = MAX (1, (int) ((guint64) MIN (longest, side) * recording->height / side));
  g_autofree float *values = g_new (float, width *height);
  float most = 0, least = INFINITY;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        gsize top = (gsize) y * recording->height / height;
        gsize left = (gsize) x * recording->width / width;
        gsize bottom = MAX ((gsize) (y + 1) * recording->height / height, top + 1);
        gsize right = MAX ((gsize) (x + 1) * recording->width / width, left + 1);
        float sum = 0;

        for (gsize v = top; v < bottom; v++)
          for (gsize u = left; u < right; u++)
            sum += frame[v * recording->width + u];
        values[y * width + x] = sqrtf (sum / ((bottom - top) * (right - left)));
        most = MAX (most, values[y * width + x]);
        least = MIN (least, values[y * width + x]);
      }
  for (int i = 0; i < width * height; i++)
    values[i] = most > least ? values[i] / most : 0;
  return make_surface (values, width, height);
}

static void
add_spectra (PrismImportPictures *self,
             const PrismRecording *recording)
{
  guint frames[MAX_SPECTRA];
  guint n = prism_recording_geometry_choose (recording, frames, MAX_SPECTRA);

  self->side = prism_recording_geometry_get_side (recording);
  for (guint i = 0; i < n; i++)
    {
      Spectrum *spectrum = &self->spectra[self->n_spectra];
      g_autofree float *values = g_new (float, self->side * self->side);
      float most = -INFINITY;

      if (!prism_recording_geometry_compute_spectrum (recording, frames[i], values))
        continue;
      for (int k = 0; k < self->side * self->side; k++)
        most = MAX (most, values[k]);
      for (int k = 0; k < self->side * self->side; k++)
        values[k] = 1 + (values[k] - most) / SHOWN_RANGE;
      spectrum->frame = frames[i];
      spectrum->surface = make_surface (values, self->side, self->side);
      prism_recording_get_center (recording, frames[i], self->side, &spectrum->center[0],
                                  &spectrum->center[1]);
      self->n_spectra++;
    }
  self->radius = recording->na * recording->pixel_size * self->side / recording->wavelength;
}

/**
 * prism_import_pictures_new:
 * @recording: frames with their geometry
 *
 * Thread: any.
 *
 * Returns: (transfer full): the pictures
 */
PrismImportPictures *
prism_import_pictures_new (const PrismRecording *recording)
{
  PrismImportPictures *self = g_new0 (PrismImportPictures, 1);

  self->n_frames = recording->n_frames;
  self->n_thumbs = MIN (recording->n_frames, MAX_THUMBS);
  self->thumbs = g_new0 (cairo_surface_t *, self->n_thumbs);
  for (guint j = 0; j < self->n_thumbs; j++)
    self->thumbs[j] = prism_import_pictures_make_frame (recording, j, THUMB);
  add_spectra (self, recording);
  return self;
}

/**
 * prism_import_pictures_free:
 * @self: (nullable): pictures
 */
void
prism_import_pictures_free (PrismImportPictures *self)
{
  if (self == NULL)
    return;
  for (guint j = 0; j < self->n_thumbs; j++)
    cairo_surface_destroy (self->thumbs[j]);
  for (guint i = 0; i < self->n_spectra; i++)
    cairo_surface_destroy (self->spectra[i].surface);
  g_free (self->thumbs);
  g_free (self);
}

static int
count_columns (int width)
{
  return MAX (1, (width - GAP) / (THUMB + GAP));
}

/**
 * prism_import_pictures_get_height:
 * @width: of the sheet
 *
 * Returns: what the contact sheet needs
 */
int
prism_import_pictures_get_height (const PrismImportPictures *self,
                                  int width)
{
  int columns = count_columns (width);

  return GAP + ((int) self->n_thumbs + columns - 1) / columns * (THUMB + GAP);
}

/**
 * prism_import_pictures_draw_sheet:
 * @paint: a painter
 * @width: of the place
 * @height: of the place
 *
 * Draws the frames in their order, row by row, each on its own scale.
 */
void
prism_import_pictures_draw_sheet (const PrismImportPictures *self,
                                  PrismPaint *paint,
                                  int width,
                                  int height)
{
  int columns = count_columns (width);

  for (guint j = 0; j < self->n_thumbs; j++)
    {
      double x = GAP + (int) (j % columns) * (THUMB + GAP);
      double y = GAP + (int) (j / columns) * (THUMB + GAP);

      cairo_set_source_surface (paint->cr, self->thumbs[j], x, y);
      cairo_paint (paint->cr);
    }
}

static void
draw_spectrum (const PrismImportPictures *self,
               const Spectrum *spectrum,
               PrismPaint *paint,
               double side)
{
  cairo_t *cr = paint->cr;
  double scale = side / self->side;
  g_autofree char *label = g_strdup_printf ("%u", spectrum->frame);

  cairo_save (cr);
  cairo_rectangle (cr, 0, 0, side, side);
  cairo_clip (cr);
  cairo_save (cr);
  cairo_scale (cr, scale, scale);
  prism_paint_set_pixels (cr, spectrum->surface, CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_set_line_width (cr, 1.5);
  cairo_set_source_rgb (cr, 1, 0.65, 0.1);
  for (int sign = -1; sign <= 1; sign += 2)
    {
      cairo_new_sub_path (cr);
      cairo_arc (cr, side / 2 + sign * spectrum->center[0] * scale,
                 side / 2 + sign * spectrum->center[1] * scale, self->radius * scale, 0, 2 * G_PI);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
  prism_paint_set_alpha (paint, 1);
  prism_paint_draw_text (paint, label, side / 2, side, 0.5, 0);
}

/**
 * prism_import_pictures_draw_spectra:
 * @paint: a painter
 * @width: of the place
 * @height: of the place
 *
 * Draws the spectra of bright frames, below each its number, with the circles that the aperture
 * leaves where light that went through meets what was scattered.
 */
void
prism_import_pictures_draw_spectra (const PrismImportPictures *self,
                                    PrismPaint *paint,
                                    int width,
                                    int height)
{
  int columns = self->n_spectra > 1 ? 3 : 1, rows = ((int) self->n_spectra + columns - 1) / columns;
  double line = paint->line_height + GAP;
  double side;

  if (self->n_spectra == 0)
    return;
  side = MIN ((width - (columns + 1.0) * GAP) / columns,
              (height - (rows + 1.0) * GAP) / rows - line);
  if (side < 16)
    return;
  for (guint i = 0; i < self->n_spectra; i++)
    {
      double left = (width - columns * side - (columns - 1) * GAP) / 2;

      cairo_save (paint->cr);
      cairo_translate (paint->cr, left + (int) (i % columns) * (side + GAP),
                       GAP + (int) (i / columns) * (side + line + GAP));
      draw_spectrum (self, &self->spectra[i], paint, side);
      cairo_restore (paint->cr);
    }
}
