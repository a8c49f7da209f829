#include "config.h"

#include "prism-report-figure.h"

#include "model/prism-aperture.h"
#include "prism-chart-draw.h"
#include "prism-kspace-overlay.h"

#include <glib/gi18n.h>
#include <math.h>

/* Device pixels per point of a page that can be enlarged: no pixel of an image gets lost. */
#define VECTOR_SCALE 1000
#define SPECTRUM_GAIN 1e5
#define TITLE_HEIGHT 16

/**
 * prism_report_figure_draw_chart:
 * @paint: where; the origin is the upper left corner
 * @data: what
 * @width: in points
 * @height: in points, title and legend included
 *
 * Paints title, legend, axes and curves.
 */
void
prism_report_figure_draw_chart (PrismPaint *paint,
                                PrismChartData *data,
                                double width,
                                double height)
{
  PrismChartLayout layout;
  double y = TITLE_HEIGHT;

  prism_paint_set_font (paint, 1.1, TRUE);
  prism_paint_set_alpha (paint, 1);
  prism_paint_draw_text (paint, data->title, 0, 0, 0, 0);
  prism_paint_set_font (paint, 1, FALSE);
  y += prism_chart_draw_legend (data, paint, 0, y, width) + 2;
  cairo_save (paint->cr);
  cairo_translate (paint->cr, 0, y);
  prism_chart_layout_init (&layout, data, paint, width, MAX (20, height - y), NAN, NAN);
  prism_chart_draw (data, paint, &layout);
  cairo_restore (paint->cr);
}

static double
get_device_scale (cairo_t *cr)
{
  cairo_surface_t *surface = cairo_get_target (cr);
  double x;
  double y;

  if (cairo_surface_get_type (surface) != CAIRO_SURFACE_TYPE_IMAGE)
    return VECTOR_SCALE;
  cairo_surface_get_device_scale (surface, &x, &y);
  return x;
}

/**
 * prism_report_figure_get_scale:
 * @size: of an image, px
 *
 * Returns: a round length of a quarter of it or less
 */
double
prism_report_figure_get_scale (double size)
{
  double wanted = size / 4;
  double power = pow (10, floor (log10 (wanted)));

  if (wanted >= 5 * power)
    return 5 * power;
  return wanted >= 2 * power ? 2 * power : power;
}

/**
 * prism_report_figure_draw_image:
 * @paint: where; the origin is the upper left corner
 * @image: what
 * @reference: (nullable): subtracted from it
 * @mapping: its colours, with the levels to use
 * @side: of the square to fill, in points
 * @error: return location
 *
 * Paints an image as large as it fits.
 *
 * Shape: @image and @reference [h][w].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_report_figure_draw_image (PrismPaint *paint,
                                PrismImage *image,
                                PrismImage *reference,
                                const PrismMapping *mapping,
                                double side,
                                GError **error)
{
  g_autoptr (PrismPicture) picture = prism_picture_new (image, reference, mapping, error);
  PrismFrame frame;

  if (picture == NULL)
    return FALSE;
  prism_frame_init (&frame, side, side, image->width, image->height);
  frame.device_scale = get_device_scale (paint->cr);
  prism_picture_draw (picture, paint->cr, &frame);
  return TRUE;
}

static void
draw_overlay (PrismPaint *paint,
              const PrismSnapshot *snapshot,
              const PrismFrame *frame)
{
  const PrismConfig *config = snapshot->config;
  PrismKspaceOverlay overlay = { .pattern = snapshot->pattern,
                                 .n_visited = snapshot->n_visited,
                                 .current = -1,
                                 .states = snapshot->sample_states,
                                 .n_states = snapshot->n_samples,
                                 .roi = config->roi > 0 ? config->roi : config->image_size };

  prism_aperture_init_config (&overlay.aperture, config);
  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, 0, 0, frame->area_width, frame->area_height);
  cairo_clip (paint->cr);
  prism_kspace_overlay_draw (&overlay, paint, frame);
  prism_paint_set_font (paint, 1, FALSE);
  cairo_restore (paint->cr);
}

/**
 * prism_report_figure_draw_coverage:
 * @paint: where; the origin is the upper left corner
 * @snapshot: with coverage
 * @side: of the square to fill, in points
 * @error: return location
 *
 * Paints the spectrum, tinted where it was measured, and the centres of the aperture over it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_report_figure_draw_coverage (PrismPaint *paint,
                                   const PrismSnapshot *snapshot,
                                   double side,
                                   GError **error)
{
  PrismImage *plane = snapshot->coverage_plane;
  PrismMapping spectrum;
  PrismMapping coverage;
  PrismFrame frame;

  prism_mapping_init (&spectrum);
  spectrum.stretch = PRISM_STRETCH_LOG;
  spectrum.levels = PRISM_LEVELS_MIN_MAX;
  spectrum.gain = SPECTRUM_GAIN;
  prism_mapping_init (&coverage);
  coverage.colormap = PRISM_COLORMAP_COVERAGE;

  cairo_rectangle (paint->cr, 0, 0, side, side);
  cairo_set_source_rgb (paint->cr, 0.05, 0.05, 0.06);
  cairo_fill (paint->cr);
  if (snapshot->spectrum != NULL
      && !prism_report_figure_draw_image (paint, snapshot->spectrum, NULL, &spectrum, side, error))
    return FALSE;
  if (!prism_report_figure_draw_image (paint, plane, NULL, &coverage, side, error))
    return FALSE;
  prism_frame_init (&frame, side, side, plane->width, plane->height);
  draw_overlay (paint, snapshot, &frame);
  return TRUE;
}
