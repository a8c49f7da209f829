#include "config.h"

#include "prism-sweep-plot.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-paint.h"
#include "prism-sweep-grid.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Of a file, in points; pixels per point of a PNG. */
#define WIDTH 420.0
#define HEIGHT 300.0
#define MARGIN 12.0
#define RESOLUTION 3.0
/* Cells of large maps stay readable, in points. */
#define LEAST_CELL 34.0
#define MOST_LENGTH 4000.0

/**
 * prism_sweep_plot_new:
 * @sweep: a sweep
 * @table: what its runs have come to
 * @measure: a metric's number, or a PrismSweepMeasure
 *
 * Returns: (transfer full): the plot, which needs neither any more
 */
PrismSweepPlot *
prism_sweep_plot_new (PrismSweep *sweep,
                      const PrismSweepTable *table,
                      guint measure)
{
  PrismSweepPlot *self = g_new0 (PrismSweepPlot, 1);

  self->grid = prism_sweep_grid_new (sweep, table, measure);
  self->csv = prism_sweep_field_to_csv (self->grid->field, sweep);
  return self;
}

/**
 * prism_sweep_plot_free:
 * @self: (nullable): a plot
 */
void
prism_sweep_plot_free (PrismSweepPlot *self)
{
  if (self == NULL)
    return;
  prism_sweep_grid_free (self->grid);
  g_free (self->csv);
  g_free (self);
}

/**
 * prism_sweep_plot_draw:
 * @self: a plot; where its cells lie is noted in its grid
 * @paint: where; from its origin
 * @width: of all
 * @height: of all
 */
void
prism_sweep_plot_draw (PrismSweepPlot *self,
                       PrismPaint *paint,
                       double width,
                       double height)
{
  if (prism_sweep_grid_is_map (self->grid))
    prism_sweep_map_draw (self->grid, paint, width, height);
  else
    prism_sweep_curve_draw (self->grid, paint, width, height);
}

/**
 * prism_sweep_plot_check_path:
 * @path: of a file
 *
 * Errors: PRISM_ERROR_FORMAT where its ending says no format.
 *
 * Returns: whether prism_sweep_plot_save() can write it
 */
gboolean
prism_sweep_plot_check_path (const char *path,
                             GError **error)
{
  static const char *const endings[] = { ".png", ".svg", ".pdf", ".csv" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *name = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (lower, endings[i]))
      return TRUE;
  name = prism_file_dup_display_name (path);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               _ ("“%s” has no ending that says what to write: end it in .png, .svg, .pdf or"
                  " .csv."),
               name);
  return FALSE;
}

static void
get_size (const PrismSweepPlot *self,
          double *width,
          double *height)
{
  const PrismSweepField *field = self->grid->field;

  *width = WIDTH;
  *height = HEIGHT;
  if (!prism_sweep_grid_is_map (self->grid))
    return;
  *width = CLAMP (field->n_columns * LEAST_CELL + 160.0, WIDTH, MOST_LENGTH);
  *height = CLAMP (field->n_rows * LEAST_CELL + 80.0, HEIGHT, MOST_LENGTH);
}

static cairo_surface_t *
create_surface (const char *lower,
                double width,
                double height,
                GByteArray *bytes)
{
  cairo_surface_t *surface;

  if (g_str_has_suffix (lower, ".svg"))
    {
      surface = cairo_svg_surface_create_for_stream (prism_byte_sink_write, bytes, width, height);
      cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PT);
      return surface;
    }
  if (g_str_has_suffix (lower, ".pdf"))
    {
      surface = cairo_pdf_surface_create_for_stream (prism_byte_sink_write, bytes, width, height);
      cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, "PRISM Studio");
      return surface;
    }
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) ceil (width * RESOLUTION),
                                        (int) ceil (height * RESOLUTION));
  cairo_surface_set_device_scale (surface, RESOLUTION, RESOLUTION);
  return surface;
}

static void
draw_page (PrismSweepPlot *self,
           cairo_surface_t *surface,
           double width,
           double height)
{
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  cairo_translate (cr, MARGIN, MARGIN);
  prism_sweep_plot_draw (self, &paint, width - 2 * MARGIN, height - 2 * MARGIN);
  prism_paint_finish (&paint);
  cairo_show_page (cr);
  cairo_destroy (cr);
}

/**
 * prism_sweep_plot_save:
 * @path: of the file: .png, .svg, .pdf, or .csv for its numbers
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_sweep_plot_save (PrismSweepPlot *self,
                       const char *path,
                       GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface;
  cairo_status_t status;
  double width, height;

  if (!prism_sweep_plot_check_path (path, error))
    return FALSE;
  if (g_str_has_suffix (lower, ".csv"))
    return prism_file_save (path, self->csv, strlen (self->csv), error);
  get_size (self, &width, &height);
  surface = create_surface (lower, width, height, bytes);
  draw_page (self, surface, width, height);
  status = cairo_surface_status (surface);
  if (status == CAIRO_STATUS_SUCCESS && g_str_has_suffix (lower, ".png"))
    status = cairo_surface_write_to_png_stream (surface, prism_byte_sink_write, bytes);
  cairo_surface_finish (surface);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return prism_file_save (path, bytes->data, bytes->len, error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               _ ("The figure could not be made: %s. Choose a smaller size or resolution."),
               cairo_status_to_string (status));
  return FALSE;
}
