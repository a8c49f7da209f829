#include "config.h"

#include "kspace/prism-kspace-view.h"

#include "session/prism-playback.h"

#include "prism-scale.h"

G_DEFINE_FINAL_TYPE (PrismKspaceView, prism_kspace_view, PRISM_TYPE_VIEW)

static void
redraw (PrismKspaceView *self)
{
  prism_canvas_redraw (PRISM_VIEW (self)->canvas);
}

/* The tint over the spectrum: what is measured, or how well it is known. */
static void
update_tint (PrismKspaceView *self)
{
  PrismRaster *raster = PRISM_VIEW (self)->canvas->rasters[PRISM_LAYER_OVERLAY];
  PrismImage *map
      = self->show_correlation && self->correlation != NULL && self->edited == NULL
            ? prism_correlation_get_map (self->correlation)
            : NULL;
  PrismImage *tint = self->edited != NULL ? self->visits : self->coverage;
  PrismMapping mapping;

  prism_mapping_init (&mapping);
  mapping.colormap = map != NULL ? PRISM_COLORMAP_CORRELATION : PRISM_COLORMAP_COVERAGE;
  mapping.white = self->edited != NULL ? 2 : 1;
  prism_raster_set_mapping (raster, &mapping);
  prism_raster_set_image (raster, map != NULL ? map : tint, NULL);
  if (self->overlay.correlation == (map != NULL))
    return;
  self->overlay.correlation = map != NULL;
  redraw (self);
}

static void
correlation_changed (PrismKspaceView *self)
{
  update_tint (self);
  prism_view_update_probe (PRISM_VIEW (self));
}

/* Shows the spectrum of the run, unless another ground lies under what is edited.
 * Shape: [n][n], zero frequency at [n/2][n/2]. */
static void
set_spectrum (PrismKspaceView *self,
              PrismImage *spectrum)
{
  prism_keep (&self->spectrum, spectrum, prism_image_ref, prism_image_unref);
  self->is_flat = FALSE;
  if (self->ground == NULL)
    prism_view_set_image (PRISM_VIEW (self), spectrum);
}

/* Without a spectrum of the object, coverage and path still need a ground to stand on. */
static void
show_spectrum (PrismKspaceView *self,
               PrismSnapshot *snapshot)
{
  g_autoptr (PrismImage) flat = NULL;
  int n = snapshot->config != NULL ? snapshot->config->image_size : 0;

  gtk_widget_set_visible (GTK_WIDGET (PRISM_VIEW (self)->color_bar), !snapshot->has_no_target);
  if (!snapshot->has_no_target || n == 0)
    {
      set_spectrum (self, snapshot->spectrum);
      return;
    }
  if (self->spectrum != NULL && self->spectrum->width == n && self->is_flat)
    return;
  flat = prism_image_new (n, n, NULL);
  set_spectrum (self, flat);
  self->is_flat = TRUE;
}

/* Marks the points that did not converge, and those that did late. */
static void
set_states (PrismKspaceView *self,
            const guint8 *states,
            guint n_states)
{
  PrismKspaceOverlay *overlay = &self->overlay;

  if (states == NULL)
    n_states = 0;
  if (n_states == overlay->n_states
      && (n_states == 0 || memcmp (states, self->states, n_states) == 0))
    return;
  g_free (self->states);
  self->states = g_memdup2 (states, n_states);
  overlay->states = self->states;
  overlay->n_states = n_states;
  redraw (self);
}

static void
show_snapshot (PrismKspaceView *self,
               PrismSnapshot *snapshot)
{
  gboolean visiting;

  if (snapshot == NULL)
    return;
  visiting
      = snapshot->phase == PRISM_PHASE_SAMPLES
        && (snapshot->state == PRISM_STATE_RUNNING || snapshot->state == PRISM_STATE_PAUSED);
  prism_kspace_view_set_config (self, snapshot->config);
  show_spectrum (self, snapshot);
  prism_kspace_view_set_coverage (self, snapshot->coverage_plane);
  set_states (self, snapshot->sample_states, snapshot->n_samples);
  prism_kspace_view_set_pattern (self, snapshot->pattern, snapshot->n_visited,
                                 visiting ? (int) snapshot->sample : -1);
}

/* As it is visited: with the direction in which the telescope moves there. */
static PrismPoint
get_visit (const PrismPattern *pattern,
           const PrismPoint *place)
{
  for (guint i = 0; i < pattern->n_points; i++)
    {
      if (pattern->points[i].y == place->y && pattern->points[i].x == place->x)
        return pattern->points[i];
    }
  return *place;
}

static void
prism_kspace_view_draw_overlay (PrismView *view,
                                PrismPaint *paint,
                                const PrismFrame *frame)
{
  PrismKspaceView *self = PRISM_KSPACE_VIEW (view);
  PrismPointList *list = self->edit->list;
  int selected = list->selected;

  self->overlay.editing = self->edited != NULL;
  self->overlay.hovering = self->edit->active && self->edit->hovering;
  self->overlay.hover = self->edit->hover;
  self->overlay.holding = self->overlay.editing && selected >= 0;
  if (self->overlay.holding)
    self->overlay.held = get_visit (self->edited, prism_point_list_get (list, selected));
  prism_kspace_overlay_draw (&self->overlay, paint, frame);
}

static void
update_pattern (PrismKspaceView *self)
{
  PrismPattern *pattern = self->edited != NULL ? self->edited : self->pattern;

  self->overlay.pattern = pattern;
  self->overlay.n_visited = self->edited != NULL ? 0 : self->n_visited;
  self->overlay.current = self->edited != NULL ? -1 : self->current;
  redraw (self);
}

/* What is known at the radius of a place: not measured and not learned are different things. */
static char *
dup_ring_text (PrismKspaceView *self,
               int kx,
               int ky)
{
  const PrismFrc *frc
      = self->correlation != NULL ? prism_correlation_get_frc (self->correlation) : NULL;
  guint ring = (guint) floor (hypot (kx, ky) + 0.5);

  if (frc == NULL || ring >= frc->n_rings)
    return NULL;
  if (isnan (frc->correlation[ring]))
    return g_strdup_printf (_ ("%.0f %% measured at radius %u"), 100 * frc->covered[ring], ring);
  return g_strdup_printf (_ ("FRC %.2f, %.0f %% measured at radius %u"), frc->correlation[ring],
                          100 * frc->covered[ring], ring);
}

static char *
prism_kspace_view_dup_probe_text (PrismView *view,
                                  const PrismProbe *probe)
{
  PrismImage *image = view->image;
  int kx = probe->x - image->width / 2;
  int ky = probe->y - image->height / 2;
  g_autofree char *value = prism_ticks_dup_value (probe->value);
  g_autofree char *place = NULL;
  g_autofree char *ring = dup_ring_text (PRISM_KSPACE_VIEW (view), kx, ky);

  /* Without a spectrum there is a ground of zeros, and no bar of its values. */
  place = gtk_widget_get_visible (GTK_WIDGET (view->color_bar))
              ? g_strdup_printf (_ ("kx %d, ky %d:  |E| %s"), kx, ky, value)
              : g_strdup_printf (_ ("kx %d, ky %d"), kx, ky);
  return ring == NULL ? g_steal_pointer (&place) : g_strdup_printf ("%s\n%s", place, ring);
}

static void
prism_kspace_view_dispose (PrismKspaceView *self)
{
  /* Its handlers end before the canvas does. */
  if (self->edit != NULL)
    g_object_run_dispose (G_OBJECT (self->edit));
}

static void
prism_kspace_view_class_init (PrismKspaceViewClass *klass)
{
  PrismViewClass *view_class = PRISM_VIEW_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_kspace_view_dispose);
  PRISM_FINALIZE (klass, PrismKspaceView, prism_pattern_unref, pattern, edited);
  PRISM_FINALIZE (klass, PrismKspaceView, prism_image_unref, visits, coverage, spectrum, ground);
  PRISM_FINALIZE (klass, PrismKspaceView, g_free, states);
  PRISM_FINALIZE (klass, PrismKspaceView, g_object_unref, correlation, edit);
  PRISM_FIELD (klass, PrismKspaceView, show_correlation, G_TYPE_BOOLEAN, update_tint);
  prism_property_new (klass, "snapshot", PRISM_TYPE_SNAPSHOT, 0, NULL, show_snapshot);
  view_class->draw_overlay = prism_kspace_view_draw_overlay;
  view_class->dup_probe_text = prism_kspace_view_dup_probe_text;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-kspace-view");
}

static void
prism_kspace_view_init (PrismKspaceView *self)
{
  PrismMapping mapping;

  PRISM_VIEW (self)->centered = TRUE;
  self->overlay.current = self->current = -1;
  self->edit = prism_kspace_edit_new (PRISM_VIEW (self)->canvas);

  prism_mapping_init_spectrum (&mapping);
  prism_view_set_mapping (PRISM_VIEW (self), &mapping);
  update_tint (self);
}

/**
 * prism_kspace_view_set_ground:
 * @self: a view
 * @ground: (nullable): in place of the run's spectrum
 *
 * Lays another spectrum under positions that are placed by hand: where the field has another size
 * than the run's, k-space has another extent.
 *
 * Shape: [m][m], zero frequency at [m/2][m/2].
 */
void
prism_kspace_view_set_ground (PrismKspaceView *self,
                              PrismImage *ground)
{
  if (prism_keep (&self->ground, ground, prism_image_ref, prism_image_unref))
    prism_view_set_image (PRISM_VIEW (self), ground != NULL ? ground : self->spectrum);
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
  if (prism_keep (&self->coverage, coverage, prism_image_ref, prism_image_unref))
    update_tint (self);
}

/**
 * prism_kspace_view_set_correlation:
 * @self: a view
 * @correlation: (nullable): follows what is on the screen
 *
 * Says where the correlation comes from that the probe names and the property “show-correlation”
 * paints over what is measured.
 */
void
prism_kspace_view_set_correlation (PrismKspaceView *self,
                                   PrismCorrelation *correlation)
{
  if (self->correlation != NULL)
    g_signal_handlers_disconnect_by_data (self->correlation, self);
  g_set_object (&self->correlation, correlation);
  if (correlation != NULL)
    PRISM_CONNECT (correlation, "changed", correlation_changed, self);
  correlation_changed (self);
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
  if (pattern == self->pattern && n_visited == self->n_visited && current == self->current)
    return;
  prism_keep (&self->pattern, pattern, prism_pattern_ref, prism_pattern_unref);
  self->n_visited = n_visited;
  self->current = current;
  update_pattern (self);
}

/**
 * prism_kspace_view_set_visits:
 * @self: a view
 * @visits: (nullable): how often a pixel is seen, up to 2
 *
 * Tints k-space by what the positions that are placed by hand would measure.
 *
 * Shape: [n][n], as the spectrum.
 */
void
prism_kspace_view_set_visits (PrismKspaceView *self,
                              PrismImage *visits)
{
  if (prism_keep (&self->visits, visits, prism_image_ref, prism_image_unref))
    update_tint (self);
}

static void
apply_config (PrismKspaceView *self,
              const PrismConfig *config)
{
  PrismKspaceOverlay *overlay = &self->overlay;
  PrismAperture aperture;
  double roi;

  prism_aperture_init_config (&aperture, config);
  roi = config->roi > 0 ? config->roi : config->image_size;
  if (aperture.shape == overlay->aperture.shape && aperture.radius == overlay->aperture.radius
      && aperture.obscuration == overlay->aperture.obscuration
      && aperture.vanes == overlay->aperture.vanes
      && aperture.vane_width == overlay->aperture.vane_width && roi == overlay->roi
      && config->line_length == overlay->line_length)
    return;
  overlay->aperture = aperture;
  overlay->line_length = config->line_length;
  overlay->roi = roi;
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
  if (self->edited == NULL)
    apply_config (self, config);
}

/**
 * prism_kspace_view_set_edited:
 * @self: a view
 * @config: shape and size of the aperture that the positions are for
 * @pattern: (nullable): positions in the order of the visits, %NULL for those of the run
 *
 * Shows positions that are placed by hand in place of the run's path and coverage, until the run's
 * come back.
 */
void
prism_kspace_view_set_edited (PrismKspaceView *self,
                              const PrismConfig *config,
                              PrismPattern *pattern)
{
  prism_keep (&self->edited, pattern, prism_pattern_ref, prism_pattern_unref);
  apply_config (self, config);
  update_pattern (self);
  update_tint (self);
}
