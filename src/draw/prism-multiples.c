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
 * prism_multiples_clear:
 * @self: a sheet, which then has nothing
 */
void
prism_multiples_clear (PrismMultiples *self)
{
  for (guint i = 0; i < self->n_items; i++)
    {
      g_clear_pointer (&self->items[i].image, prism_image_unref);
      g_free (self->items[i].title);
      g_free (self->items[i].note);
    }
  g_free (self->items);
  g_free (self->title);
  g_strfreev (self->columns);
  g_strfreev (self->rows);
  *self = (PrismMultiples) { .marked = G_MAXUINT };
}

/* What lies above the first row. */
static double
get_head (const PrismMultiples *self)
{
  return GAP + (self->title != NULL ? TITLE_HEIGHT + GAP / 2 : 0.0)
         + (self->columns != NULL ? TITLE_HEIGHT : 0.0);
}

static double
get_left (const PrismMultiples *self)
{
  return GAP + (self->rows != NULL ? TITLE_HEIGHT : 0.0);
}

/* From one row to the next. */
static double
get_step (const PrismMultiples *self)
{
  return (self->columns != NULL ? 0.0 : TITLE_HEIGHT) + SIDE + NOTE_HEIGHT + GAP;
}

/**
 * prism_multiples_get_size:
 * @width: (out): of the sheet
 * @height: (out): of the sheet
 */
void
prism_multiples_get_size (const PrismMultiples *self,
                          double *width,
                          double *height)
{
  guint n_rows = (self->n_items + self->n_columns - 1) / self->n_columns;

  *width = get_left (self) + self->n_columns * (SIDE + GAP);
  *height = get_head (self) + n_rows * get_step (self);
}

/**
 * prism_multiples_find:
 * @x: on the sheet
 * @y: on the sheet
 *
 * Returns: number of the item that lies there; G_MAXUINT for none
 */
guint
prism_multiples_find (const PrismMultiples *self,
                      double x,
                      double y)
{
  const double column = (x - get_left (self)) / (SIDE + GAP);
  const double row = (y - get_head (self)) / get_step (self);
  guint item;

  if (self->n_items == 0 || column < 0.0 || row < 0.0 || column >= self->n_columns)
    return G_MAXUINT;
  item = (guint) row * self->n_columns + (guint) column;
  return item < self->n_items ? item : G_MAXUINT;
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
           gboolean marked,
           double x,
           double y)
{
  if (item->image != NULL)
    draw_image (paint, item->image, x, y);
  prism_paint_set_alpha (paint, marked ? 1.0 : 0.35);
  cairo_set_line_width (paint->cr, marked ? 3 : 1);
  cairo_rectangle (paint->cr, x - 0.5, y - 0.5, SIDE + 1, SIDE + 1);
  cairo_stroke (paint->cr);
  prism_paint_set_alpha (paint, 0.8);
  if (item->note != NULL)
    prism_paint_draw_text (paint, item->note, x + SIDE / 2, y + SIDE + NOTE_HEIGHT / 2, 0.5, 0.5);
}

static void
draw_head (const PrismMultiples *self,
           PrismPaint *paint)
{
  const double left = get_left (self);

  prism_paint_set_alpha (paint, 1.0);
  if (self->title != NULL)
    {
      prism_paint_set_font (paint, FONT_SIZE, TRUE);
      prism_paint_draw_text (paint, self->title, left, GAP + TITLE_HEIGHT / 2, 0, 0.5);
      prism_paint_set_font (paint, FONT_SIZE, FALSE);
    }
  for (guint j = 0; self->columns != NULL && j < self->n_columns; j++)
    prism_paint_draw_text (paint, self->columns[j], left + j * (SIDE + GAP) + SIDE / 2,
                           get_head (self) - TITLE_HEIGHT / 2 - 2, 0.5, 0.5);
}

/* One row, from what is above its images. */
static void
draw_row (const PrismMultiples *self,
          PrismPaint *paint,
          guint row,
          double y)
{
  const double left = get_left (self);

  prism_paint_set_alpha (paint, 1.0);
  if (self->rows != NULL)
    prism_paint_draw_text_up (paint, self->rows[row], GAP / 2, y + SIDE / 2);
  for (guint i = row * self->n_columns;
       i < MIN ((row + 1) * self->n_columns, self->n_items); i++)
    {
      const double x = left + (i % self->n_columns) * (SIDE + GAP);
      double at = y;

      prism_paint_set_alpha (paint, 1.0);
      if (self->columns == NULL && self->items[i].title != NULL)
        prism_paint_draw_text (paint, self->items[i].title, x + SIDE / 2, y + TITLE_HEIGHT / 2, 0.5,
                               0.5);
      if (self->columns == NULL)
        at += TITLE_HEIGHT;
      draw_item (paint, &self->items[i], i == self->marked, x, at);
    }
}

/**
 * prism_multiples_draw:
 * @self: images are amplitudes, 0 black and 1 white
 * @paint: where
 *
 * Draws the sheet with its corner at the origin.
 */
void
prism_multiples_draw (const PrismMultiples *self,
                      PrismPaint *paint)
{
  prism_paint_set_font (paint, FONT_SIZE, FALSE);
  draw_head (self, paint);
  for (guint row = 0; row * self->n_columns < self->n_items; row++)
    draw_row (self, paint, row, get_head (self) + row * get_step (self));
}

/* One row of the file; the first has the head, the others begin with their titles. */
static gboolean
add_row (const PrismMultiples *self,
         PrismPngStream *stream,
         guint row,
         int width,
         int height,
         GError **error)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr;
  PrismPaint paint;
  gboolean ok = FALSE;

  cairo_surface_set_device_scale (surface, RESOLUTION, RESOLUTION);
  cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  prism_paint_set_font (&paint, FONT_SIZE, FALSE);
  if (row == 0)
    draw_head (self, &paint);
  draw_row (self, &paint, row, row == 0 ? get_head (self) : 0.0);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS)
    ok = prism_png_stream_add (stream, cairo_image_surface_get_data (surface),
                               cairo_image_surface_get_stride (surface), height, error);
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                 _ ("A sheet of %u images in a row cannot be drawn: %s. Take fewer values."),
                 self->n_columns, cairo_status_to_string (cairo_surface_status (surface)));
  cairo_surface_destroy (surface);
  return ok;
}

/**
 * prism_multiples_save_png:
 * @self: a sheet
 * @path: file name
 *
 * Writes the sheet as a PNG. No more than a row of it is in memory at a time.
 *
 * Errors: PRISM_ERROR_MEMORY when the sheet is wider than a picture of cairo may be,
 * PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_multiples_save_png (const PrismMultiples *self,
                          const char *path,
                          GError **error)
{
  const guint n_rows = (self->n_items + self->n_columns - 1) / self->n_columns;
  const int step = (int) (get_step (self) * RESOLUTION);
  const int head = (int) (get_head (self) * RESOLUTION);
  g_autoptr (PrismPngStream) stream = NULL;
  double width, height;

  prism_multiples_get_size (self, &width, &height);
  stream = prism_png_stream_new (
      &(const PrismPngFormat) { (int) (width * RESOLUTION), head + (int) n_rows * step }, error);
  for (guint row = 0; stream != NULL && row < n_rows; row++)
    if (!add_row (self, stream, row, (int) (width * RESOLUTION), step + (row == 0 ? head : 0),
                  error))
      return FALSE;
  return stream != NULL && prism_png_stream_save (stream, path, error);
}
