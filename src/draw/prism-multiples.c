#include "config.h"

#include "prism-multiples.h"

#include "base/prism-error.h"
#include "formats/prism-png-stream.h"
#include "prism-picture.h"

#include <glib/gi18n-lib.h>

/* Lengths in units of the drawing. */
#define SIDE 160.0
#define GAP 14.0
#define TITLE_HEIGHT 18.0
#define NOTE_HEIGHT 18.0
#define FONT_SIZE 1.25
#define RESOLUTION 2.0 /* pixels per unit of a PNG */

/**
 * prism_multiples_get_size:
 * @n_items: number of images
 * @n_columns: of them in a row
 * @width: (out): of the sheet
 * @height: (out): of the sheet
 */
void
prism_multiples_get_size (guint n_items,
                          guint n_columns,
                          double *width,
                          double *height)
{
  guint n_rows = (n_items + n_columns - 1) / n_columns;

  *width = GAP + n_columns * (SIDE + GAP);
  *height = GAP + n_rows * (TITLE_HEIGHT + SIDE + NOTE_HEIGHT + GAP);
}

static void
draw_image (PrismPaint *paint,
            PrismImage *image,
            double x,
            double y)
{
  PrismMapping mapping;
  PrismFrame frame;
  g_autoptr (PrismPicture) picture = NULL;

  prism_mapping_init (&mapping);
  mapping.levels = PRISM_LEVELS_MANUAL;
  mapping.black = 0.0f;
  mapping.white = 1.0f;
  picture = prism_picture_new (image, NULL, &mapping, NULL);
  if (picture == NULL)
    return;
  prism_frame_init (&frame, SIDE, SIDE, image->width, image->height);
  cairo_save (paint->cr);
  cairo_translate (paint->cr, x, y);
  prism_picture_draw (picture, paint->cr, &frame);
  cairo_restore (paint->cr);
}

static void
draw_item (PrismPaint *paint,
           const PrismMultiple *item,
           double x,
           double y)
{
  prism_paint_set_alpha (paint, 1.0);
  prism_paint_draw_text (paint, item->title, x + SIDE / 2, y + TITLE_HEIGHT / 2, 0.5, 0.5);
  y += TITLE_HEIGHT;
  if (item->image != NULL)
    draw_image (paint, item->image, x, y);
  prism_paint_set_alpha (paint, 0.35);
  cairo_set_line_width (paint->cr, 1);
  cairo_rectangle (paint->cr, x - 0.5, y - 0.5, SIDE + 1, SIDE + 1);
  cairo_stroke (paint->cr);
  prism_paint_set_alpha (paint, 0.8);
  if (item->note != NULL)
    prism_paint_draw_text (paint, item->note, x + SIDE / 2, y + SIDE + NOTE_HEIGHT / 2, 0.5, 0.5);
}

/**
 * prism_multiples_draw:
 * @paint: where
 * @items: (array length=n_items): the images, row by row; amplitudes, 0 black and 1 white
 * @n_items: number of images
 * @n_columns: of them in a row
 *
 * Draws the sheet with its corner at the origin.
 */
void
prism_multiples_draw (PrismPaint *paint,
                      const PrismMultiple *items,
                      guint n_items,
                      guint n_columns)
{
  prism_paint_set_font (paint, FONT_SIZE, FALSE);
  for (guint i = 0; i < n_items; i++)
    draw_item (paint, &items[i], GAP + (i % n_columns) * (SIDE + GAP),
               GAP + (i / n_columns) * (TITLE_HEIGHT + SIDE + NOTE_HEIGHT + GAP));
}

/* One row of the sheet, from the gap above it; the first has its corner at the origin. */
static cairo_surface_t *
draw_row (const PrismMultiple *items,
          guint n_items,
          guint n_columns,
          int width,
          int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr;
  PrismPaint paint;

  cairo_surface_set_device_scale (surface, RESOLUTION, RESOLUTION);
  cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  prism_multiples_draw (&paint, items, n_items, n_columns);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  return surface;
}

/* The last row has the gap below it, too. */
static gboolean
add_surface (PrismPngStream *stream,
             cairo_surface_t *surface,
             GError **error)
{
  cairo_surface_flush (surface);
  return prism_png_stream_add (stream, cairo_image_surface_get_data (surface),
                               cairo_image_surface_get_stride (surface),
                               cairo_image_surface_get_height (surface), error);
}

static gboolean
add_row (PrismPngStream *stream,
         const PrismMultiple *items,
         guint n_items,
         guint n_columns,
         gboolean is_last,
         GError **error)
{
  double width, height;
  cairo_surface_t *surface;
  gboolean ok = FALSE;

  prism_multiples_get_size (n_items, n_columns, &width, &height);
  surface = draw_row (items, n_items, n_columns, (int) (width * RESOLUTION),
                      (int) ((height - (is_last ? 0 : GAP)) * RESOLUTION));
  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS)
    ok = add_surface (stream, surface, error);
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                 _ ("A sheet of %u images in a row cannot be drawn: %s. Take fewer values."),
                 n_columns, cairo_status_to_string (cairo_surface_status (surface)));
  cairo_surface_destroy (surface);
  return ok;
}

/**
 * prism_multiples_save_png:
 * @items: (array length=n_items): the images, row by row
 * @n_items: number of images
 * @n_columns: of them in a row
 * @path: file name
 * @error: return location
 *
 * Writes the sheet as a PNG. No more than a row of it is in memory at a time.
 *
 * Errors: PRISM_ERROR_MEMORY when the sheet is wider than a picture of cairo may be,
 * PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_multiples_save_png (const PrismMultiple *items,
                          guint n_items,
                          guint n_columns,
                          const char *path,
                          GError **error)
{
  g_autoptr (PrismPngStream) stream = NULL;
  double width, height;

  prism_multiples_get_size (n_items, n_columns, &width, &height);
  stream = prism_png_stream_new (&(const PrismPngFormat) { (int) (width * RESOLUTION),
                                                           (int) (height * RESOLUTION) },
                                 error);
  if (stream == NULL)
    return FALSE;
  for (guint i = 0; i < n_items; i += n_columns)
    if (!add_row (stream, &items[i], MIN (n_columns, n_items - i), n_columns,
                  i + n_columns >= n_items, error))
      return FALSE;
  return prism_png_stream_save (stream, path, error);
}
