#include "config.h"

#include "prism-kspace-view.h"

#include "prism-kspace-overlay.h"
#include "prism-ticks.h"
#include "prism-view-private.h"

#include <glib/gi18n.h>

/* log (1 + a·t) with this a shows five decades of the spectrum. */
#define SPECTRUM_GAIN 1e5

struct _PrismKspaceView
{
  PrismView parent_instance;

  PrismKspaceOverlay overlay;
};

G_DEFINE_FINAL_TYPE (PrismKspaceView, prism_kspace_view, PRISM_TYPE_VIEW)

static void
redraw (PrismKspaceView *self)
{
  prism_canvas_redraw (prism_view_get_canvas (PRISM_VIEW (self)));
}

static void
prism_kspace_view_draw_overlay (PrismView *view,
                                PrismPaint *paint,
                                const PrismFrame *frame)
{
  prism_kspace_overlay_draw (&PRISM_KSPACE_VIEW (view)->overlay, paint, frame);
}

static char *
prism_kspace_view_dup_probe_text (PrismView *view,
                                  const PrismProbe *probe)
{
  PrismImage *image = prism_view_get_image (view);
  g_autofree char *value = prism_ticks_dup_value (probe->value);

  return g_strdup_printf (_ ("kx %d, ky %d:  |E| %s"),
                          probe->x - image->width / 2, probe->y - image->height / 2, value);
}

static void
prism_kspace_view_finalize (GObject *object)
{
  PrismKspaceView *self = PRISM_KSPACE_VIEW (object);

  g_clear_pointer (&self->overlay.pattern, prism_pattern_unref);
  G_OBJECT_CLASS (prism_kspace_view_parent_class)->finalize (object);
}

static void
prism_kspace_view_class_init (PrismKspaceViewClass *klass)
{
  PrismViewClass *view_class = PRISM_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = prism_kspace_view_finalize;
  view_class->centered = TRUE;
  view_class->draw_overlay = prism_kspace_view_draw_overlay;
  view_class->dup_probe_text = prism_kspace_view_dup_probe_text;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-kspace-view");
}

static void
prism_kspace_view_init (PrismKspaceView *self)
{
  PrismMapping mapping;
  PrismMapping coverage;

  self->overlay.current = -1;

  prism_mapping_init (&mapping);
  mapping.stretch = PRISM_STRETCH_LOG;
  mapping.levels = PRISM_LEVELS_MIN_MAX;
  mapping.gain = SPECTRUM_GAIN;
  prism_view_set_mapping (PRISM_VIEW (self), &mapping);

  prism_mapping_init (&coverage);
  coverage.colormap = PRISM_COLORMAP_COVERAGE;
  prism_raster_set_mapping (prism_canvas_get_raster (prism_view_get_canvas (PRISM_VIEW (self)),
                                                     PRISM_LAYER_OVERLAY),
                            &coverage);
}

/**
 * prism_kspace_view_new:
 *
 * A view of k-space: five decades of the spectrum in grey, to be set with prism_view_set_image().
 *
 * Returns: (transfer floating): an empty view
 */
GtkWidget *
prism_kspace_view_new (void)
{
  return g_object_new (PRISM_TYPE_KSPACE_VIEW, NULL);
}

/**
 * prism_kspace_view_set_coverage:
 * @self: a view
 * @coverage: (nullable): 1 where measured, 0 elsewhere
 *
 * Tints what has been measured.
 *
 * Shape: [n][n], as the spectrum.
 */
void
prism_kspace_view_set_coverage (PrismKspaceView *self,
                                PrismImage *coverage)
{
  g_return_if_fail (PRISM_IS_KSPACE_VIEW (self));

  prism_raster_set_image (prism_canvas_get_raster (prism_view_get_canvas (PRISM_VIEW (self)),
                                                   PRISM_LAYER_OVERLAY),
                          coverage, NULL);
}

/**
 * prism_kspace_view_set_pattern:
 * @self: a view
 * @pattern: (nullable): centres in the order of the visits
 * @n_visited: how many of them are measured
 * @current: where the aperture is now, -1 nowhere
 *
 * Shows the path and how far the aperture has come.
 */
void
prism_kspace_view_set_pattern (PrismKspaceView *self,
                               PrismPattern *pattern,
                               guint n_visited,
                               int current)
{
  g_return_if_fail (PRISM_IS_KSPACE_VIEW (self));

  if (pattern == self->overlay.pattern && n_visited == self->overlay.n_visited
      && current == self->overlay.current)
    return;
  if (pattern != self->overlay.pattern)
    {
      g_clear_pointer (&self->overlay.pattern, prism_pattern_unref);
      self->overlay.pattern = pattern == NULL ? NULL : prism_pattern_ref (pattern);
    }
  self->overlay.n_visited = n_visited;
  self->overlay.current = current;
  redraw (self);
}

/**
 * prism_kspace_view_set_config:
 * @self: a view
 * @config: shape and size of the aperture, and the region of interest
 *
 * Takes over how the aperture looks.
 */
void
prism_kspace_view_set_config (PrismKspaceView *self,
                              const PrismConfig *config)
{
  PrismKspaceOverlay *overlay = &self->overlay;
  PrismAperture aperture;
  double roi;

  g_return_if_fail (PRISM_IS_KSPACE_VIEW (self));

  prism_aperture_init_config (&aperture, config);
  roi = config->roi > 0 ? config->roi : config->image_size;
  if (aperture.shape == overlay->aperture.shape && aperture.radius == overlay->aperture.radius
      && aperture.obscuration == overlay->aperture.obscuration
      && aperture.vanes == overlay->aperture.vanes
      && aperture.vane_width == overlay->aperture.vane_width && roi == overlay->roi)
    return;
  overlay->aperture = aperture;
  overlay->roi = roi;
  redraw (self);
}
