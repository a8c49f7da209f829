#include "config.h"

#include "output/prism-figure.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-paint.h"

#include <glib/gi18n.h>
#include <math.h>

/* Of a page without a size. */
#define VIEW_WIDTH 340
#define CHART_WIDTH 430
#define CHART_HEIGHT 260
#define RESOLUTION 200
#define POINTS_PER_INCH 72.0
#define FONT_SIZE 9.0 /* of a page that is not asked for another */
/* An image in a vector format keeps all its pixels, however small it is printed. */
#define VECTOR_SCALE 1000

typedef gboolean (*DrawPage) (const PrismFigurePage *page,
                              gpointer subject,
                              GError **error);

static gboolean
check_format (const char *path,
              GError **error)
{
  static const char *endings[] = { ".png", ".svg", ".pdf" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *name = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (lower, endings[i]))
      return TRUE;
  name = prism_file_dup_display_name (path);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               _ ("The figure “%s” cannot be written: its name must end in .png, .svg or .pdf."),
               name);
  return FALSE;
}

/* All lengths of a page follow the size of its font. */
static double
get_scale (const PrismFigureOptions *options)
{
  return options->font_size > 0 ? options->font_size / FONT_SIZE : 1;
}

static gboolean
draw_page (cairo_surface_t *surface,
           const PrismFigureOptions *options,
           DrawPage draw,
           gpointer subject,
           GError **error)
{
  const double page_color = options->dark ? 0.12 : 1;
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;
  double scale = get_scale (options);
  PrismFigureOptions inner = *options;
  PrismFigurePage page = { &paint, &inner, VECTOR_SCALE };
  gboolean drawn;

  if (cairo_surface_get_type (surface) == CAIRO_SURFACE_TYPE_IMAGE)
    page.device_scale = scale * options->resolution / POINTS_PER_INCH;
  inner.width /= scale;
  inner.height /= scale;
  prism_paint_init_figure (&paint, cr, options->dark);
  if (options->family != NULL)
    prism_paint_set_family (&paint, options->family);
  cairo_set_source_rgb (cr, page_color, page_color, page_color);
  if (!options->transparent)
    cairo_paint (cr);
  cairo_scale (cr, scale, scale);
  drawn = draw (&page, subject, error);
  prism_paint_finish (&paint);
  cairo_show_page (cr);
  cairo_destroy (cr);
  return drawn;
}

static gboolean
make (const char *name,
      const PrismFigureOptions *options,
      DrawPage draw,
      gpointer subject,
      GByteArray *bytes,
      GError **error)
{
  cairo_surface_t *surface
      = prism_page_new (name, options->width, options->height,
                        options->resolution / POINTS_PER_INCH, options->transparent, bytes);

  if (draw_page (surface, options, draw, subject, error))
    return prism_page_finish (surface, bytes, error);
  cairo_surface_destroy (surface);
  return FALSE;
}

static gboolean
save (const char *path,
      const PrismFigureOptions *options,
      DrawPage draw,
      gpointer subject,
      GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  return check_format (path, error) && make (path, options, draw, subject, bytes, error)
         && prism_file_save (path, bytes->data, bytes->len, error);
}

/**
 * prism_figure_options_init:
 * @self: (out caller-allocates): options
 *
 * A light page at 200 dots per inch, as large as its content needs.
 */
void
prism_figure_options_init (PrismFigureOptions *self)
{
  *self = (PrismFigureOptions) { .resolution = RESOLUTION };
}

static gboolean
draw_view (const PrismFigurePage *page,
           gpointer subject,
           GError **error)
{
  return prism_figure_page_draw_view (page, subject, error);
}

static gboolean
draw_chart (const PrismFigurePage *page,
            gpointer subject,
            GError **error)
{
  prism_figure_page_draw_chart (page, subject);
  return TRUE;
}

static void
complete_options (PrismFigureOptions *self,
                  const PrismFigureOptions *given)
{
  if (given == NULL)
    prism_figure_options_init (self);
  else
    *self = *given;
  if (!(self->resolution > 0))
    self->resolution = RESOLUTION;
}

/* The size of a page that has none. */
static gboolean
complete_page (PrismFigureOptions *self,
               const PrismFigureOptions *given,
               PrismView *view,
               GError **error)
{
  complete_options (self, given);
  if (prism_view_get_image (view) == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("The panel “%s” is empty: there is nothing to save yet."),
                   prism_view_get_title (view));
      return FALSE;
    }
  if (!(self->width > 0))
    self->width = VIEW_WIDTH;
  if (!(self->height > 0))
    self->height = prism_figure_page_get_view_height (view, self);
  return TRUE;
}

/**
 * prism_figure_save_view:
 * @view: a panel with an image
 * @path: file name that ends in .png, .svg or .pdf
 * @options: (nullable): size and look of the page
 * @error: return location
 *
 * Saves what the panel shows now, the part that is in sight, with axes, scale bar and colour bar.
 *
 * Errors: PRISM_ERROR_CONFIG where it is empty, PRISM_ERROR_FORMAT, PRISM_ERROR_IO,
 * PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file was written
 */
gboolean
prism_figure_save_view (PrismView *view,
                        const char *path,
                        const PrismFigureOptions *options,
                        GError **error)
{
  PrismFigureOptions complete;

  g_return_val_if_fail (PRISM_IS_VIEW (view), FALSE);

  return complete_page (&complete, options, view, error)
         && save (path, &complete, draw_view, view, error);
}

/**
 * prism_figure_render_view:
 * @view: a panel with an image
 * @options: (nullable): size and look of the page
 * @error: return location
 *
 * As prism_figure_save_view(), without a file.
 *
 * Errors: PRISM_ERROR_CONFIG where it is empty, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a PNG
 */
GBytes *
prism_figure_render_view (PrismView *view,
                          const PrismFigureOptions *options,
                          GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  PrismFigureOptions complete;

  g_return_val_if_fail (PRISM_IS_VIEW (view), NULL);

  if (!complete_page (&complete, options, view, error)
      || !make (".png", &complete, draw_view, view, bytes, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

/**
 * prism_figure_save_chart:
 * @chart: a chart
 * @path: file name that ends in .png, .svg or .pdf
 * @options: (nullable): size and look of the page
 * @error: return location
 *
 * Saves what the chart shows now, with axes and legend.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file was written
 */
gboolean
prism_figure_save_chart (PrismChart *chart,
                         const char *path,
                         const PrismFigureOptions *options,
                         GError **error)
{
  PrismFigureOptions complete;

  g_return_val_if_fail (PRISM_IS_CHART (chart), FALSE);

  complete_options (&complete, options);
  if (!(complete.width > 0))
    complete.width = CHART_WIDTH;
  if (!(complete.height > 0))
    complete.height = CHART_HEIGHT;
  return save (path, &complete, draw_chart, chart, error);
}

static gboolean
draw_sheet (const PrismFigurePage *page,
            gpointer subject,
            GError **error)
{
  return prism_figure_sheet_draw (page, subject, error);
}

static double
get_sheet_height (const PrismFigureSheet *sheet,
                  const PrismFigureOptions *options)
{
  PrismFigureOptions inner = *options;

  inner.width /= get_scale (options);
  return get_scale (options) * prism_figure_sheet_get_height (sheet, &inner);
}

static gboolean
complete_sheet (PrismFigureOptions *self,
                const PrismFigureOptions *given,
                const PrismFigureSheet *sheet,
                GError **error)
{
  complete_options (self, given);
  for (guint i = 0; i < sheet->panels->len; i++)
    if (PRISM_IS_VIEW (sheet->panels->pdata[i])
        && !complete_page (self, given, sheet->panels->pdata[i], error))
      return FALSE;
  self->width = given != NULL && given->width > 0 ? given->width : VIEW_WIDTH;
  self->height = get_sheet_height (sheet, self);
  if (sheet->panels->len > 0)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               _ ("There is no panel in the figure: choose one at least."));
  return FALSE;
}

/**
 * prism_figure_save_sheet:
 * @sheet: panels
 * @path: file name that ends in .png, .svg or .pdf
 * @options: (nullable): width and look of the page
 * @error: return location
 *
 * Saves what several panels show now as one figure.
 *
 * Errors: PRISM_ERROR_CONFIG where a panel is empty or there is none, PRISM_ERROR_FORMAT,
 * PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file was written
 */
gboolean
prism_figure_save_sheet (const PrismFigureSheet *sheet,
                         const char *path,
                         const PrismFigureOptions *options,
                         GError **error)
{
  PrismFigureOptions complete;

  return complete_sheet (&complete, options, sheet, error)
         && save (path, &complete, draw_sheet, (gpointer) sheet, error);
}

/**
 * prism_figure_render_sheet:
 * @sheet: panels
 * @options: (nullable): width and look of the page
 * @error: return location
 *
 * As prism_figure_save_sheet(), without a file.
 *
 * Errors: PRISM_ERROR_CONFIG where a panel is empty or there is none, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a PNG
 */
GBytes *
prism_figure_render_sheet (const PrismFigureSheet *sheet,
                           const PrismFigureOptions *options,
                           GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  PrismFigureOptions complete;

  if (!complete_sheet (&complete, options, sheet, error)
      || !make (".png", &complete, draw_sheet, (gpointer) sheet, bytes, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}
