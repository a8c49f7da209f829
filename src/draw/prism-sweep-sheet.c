#include "config.h"

#include "prism-sweep-sheet.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-npy.h"
#include "formats/prism-png-stream.h"
#include "prism-picture.h"
#include "results/prism-sweep-measure.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Of an uncertainty map that is nothing but 0. */
#define LEAST_WHITE 1e-6f

static void
add_item (PrismSweepSheet *self,
          PrismImage *image,
          char *title,
          char *note)
{
  self->multiples.items[self->multiples.n_items++] = (PrismMultiple) {
    .image = image != NULL ? prism_image_ref (image) : NULL,
    .title = title,
    .note = note,
  };
}

static float
get_maximum (const PrismImage *image)
{
  float maximum = LEAST_WHITE;

  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    maximum = MAX (maximum, image->pixels[i]);
  return maximum;
}

static PrismImage *
scale_up (const PrismImage *image,
          float white)
{
  PrismImage *scaled = prism_image_new (image->height, image->width, NULL);

  for (gsize i = 0; scaled != NULL && i < (gsize) image->height * image->width; i++)
    scaled->pixels[i] = image->pixels[i] / white;
  return scaled;
}

static void
add_spread (PrismSweepSheet *self)
{
  float white = get_maximum (self->spread);
  g_autoptr (PrismImage) scaled = scale_up (self->spread, white);

  add_item (self, self->mean, g_strdup (_ ("Mean")),
            self->ensemble.n_runs > 0 ? g_strdup_printf (_ ("%.2f dB"), self->ensemble.psnr)
                                      : NULL);
  add_item (self, scaled, g_strdup (_ ("Uncertainty")),
            g_strdup_printf (_ ("white = %.3g"), white));
}

static char *
dup_note (const PrismSweepRow *row)
{
  const guint measure = prism_sweep_measure_get_first (row->recorded);

  if (row->finished)
    return prism_sweep_measure_dup_text (measure, prism_sweep_measure_get (measure, row));
  return g_strdup (row->failure != NULL ? _ ("failed") : _ ("no result yet"));
}

/* Of a grid: rows are all parameters but the last, whose values have the columns. */
static void
set_headings (PrismMultiples *sheet,
              PrismSweep *sweep)
{
  const guint last = sweep->n_axes - 1;
  const PrismSweepAxis *axis = &sweep->axes[last];
  g_autoptr (GString) rows = g_string_new (NULL);

  sheet->n_columns = axis->n_values;
  sheet->columns = g_new0 (char *, sheet->n_columns + 1);
  for (guint j = 0; j < sheet->n_columns; j++)
    sheet->columns[j] = prism_sweep_dup_value (sweep, last, j);
  sheet->rows = g_new0 (char *, sweep->n_points / sheet->n_columns + 1);
  for (guint i = 0; i < sweep->n_points / sheet->n_columns; i++)
    {
      g_autoptr (GString) row = g_string_new (NULL);

      for (guint k = 0; k < last; k++)
        {
          guint position = prism_sweep_get_position (sweep, i * sheet->n_columns, k);
          g_autofree char *value = prism_sweep_dup_value (sweep, k, position);

          g_string_append_printf (row, "%s%s", k > 0 ? ", " : "", value);
        }
      sheet->rows[i] = g_string_free (g_steal_pointer (&row), FALSE);
    }
  for (guint k = 0; k < last; k++)
    g_string_append_printf (rows, "%s%s", k > 0 ? ", " : "", _ (sweep->axes[k].param->label));
  /* TRANSLATORS: headings of a table of pictures: what differs from row to row and from column to
   * column */
  sheet->title
      = g_strdup_printf (_ ("Rows: %s, columns: %s"), rows->str, _ (axis->param->label));
}

/**
 * prism_sweep_sheet_new:
 * @sweep: a sweep
 * @table: what its runs have come to
 *
 * Puts the reconstructions in rows and columns with headings where there are two axes, and one
 * after the other with their values where there is one. An ensemble of at least two results begins
 * with mean and uncertainty.
 *
 * Returns: (transfer full): the sheet
 */
PrismSweepSheet *
prism_sweep_sheet_new (PrismSweep *sweep,
                       const PrismSweepTable *table)
{
  PrismSweepSheet *self = g_new0 (PrismSweepSheet, 1);
  PrismMultiples *sheet = &self->multiples;

  if (prism_sweep_is_ensemble (sweep))
    prism_sweep_table_get_spread (table, &self->mean, &self->spread, NULL);
  if (self->spread != NULL)
    prism_sweep_ensemble_compute (&self->ensemble, table, self->mean, self->spread, NULL);
  sheet->marked = G_MAXUINT;
  sheet->items = g_new0 (PrismMultiple, table->n_rows + 2);
  if (self->spread != NULL)
    add_spread (self);
  self->first = sheet->n_items;
  for (guint i = 0; i < table->n_rows; i++)
    add_item (self, table->rows[i].image,
              sweep->n_axes == 1 ? prism_sweep_dup_value (sweep, 0, i) : NULL,
              dup_note (&table->rows[i]));
  if (sweep->n_axes > 1)
    set_headings (sheet, sweep);
  else
    {
      sheet->n_columns = (guint) ceil (sqrt (sheet->n_items));
      sheet->title = sweep->n_axes == 1 ? g_strdup (_ (sweep->axes[0].param->label)) : NULL;
    }
  return self;
}

/**
 * prism_sweep_sheet_free:
 * @self: (nullable): a sheet
 */
void
prism_sweep_sheet_free (PrismSweepSheet *self)
{
  if (self == NULL)
    return;
  prism_multiples_clear (&self->multiples);
  g_clear_pointer (&self->mean, prism_image_unref);
  g_clear_pointer (&self->spread, prism_image_unref);
  g_free (self);
}

static gboolean
save_image (const char *directory,
            const char *name,
            const PrismImage *image,
            float white,
            GError **error)
{
  g_autofree char *array_name = g_strconcat (name, ".npy", NULL);
  g_autofree char *picture_name = g_strconcat (name, ".png", NULL);
  g_autofree char *array = g_build_filename (directory, array_name, NULL);
  g_autofree char *picture = g_build_filename (directory, picture_name, NULL);
  const gsize shape[] = { (gsize) image->height, (gsize) image->width };

  return prism_npy_save (array, image->pixels, 2, shape, error)
         && prism_image_save_png (image, picture, 16, 0.0f, white, NULL, error);
}

/**
 * prism_sweep_sheet_save_all:
 * @self: a sheet
 * @sweep: its sweep
 * @table: its table
 * @directory: of the sweep
 * @error: return location
 *
 * Writes sweep.csv and sweep.png, and of an ensemble mean and uncertainty as .npy and .png. Those
 * of an earlier time are replaced as a whole.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether all files are on the disk
 */
gboolean
prism_sweep_sheet_save_all (const PrismSweepSheet *self,
                            PrismSweep *sweep,
                            const PrismSweepTable *table,
                            const char *directory,
                            GError **error)
{
  static const char *const of_ensembles[]
      = { "mean.npy", "mean.png", "uncertainty.npy", "uncertainty.png", NULL };
  g_autofree char *csv = prism_sweep_table_to_csv (table, sweep);
  g_autoptr (PrismExchange) exchange = prism_exchange_new (directory, error);
  g_autofree char *csv_path = NULL, *png_path = NULL;
  const char *stage;

  if (exchange == NULL)
    return FALSE;
  stage = prism_exchange_get_directory (exchange);
  csv_path = g_build_filename (stage, "sweep.csv", NULL);
  png_path = g_build_filename (stage, "sweep.png", NULL);
  return prism_file_save (csv_path, csv, strlen (csv), error)
         && prism_multiples_save_png (&self->multiples, png_path, error)
         && (self->spread == NULL
             || (save_image (stage, "mean", self->mean, 1.0f, error)
                 && save_image (stage, "uncertainty", self->spread, get_maximum (self->spread),
                                error)))
         && prism_exchange_commit (exchange, of_ensembles, error);
}

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
