#include "config.h"

#include "tools/prism-levels-editor.h"

#include "base/prism-each.h"
#include "support/prism-widget.h"

/* Of the picture's range that is shown beyond each of its ends, so that handles find room. */
#define MARGIN 0.05
#define N_STEPS 200
#define HANDLE 5.0

struct _PrismLevelsEditor
{
  AdwBin parent_instance;

  GtkDrawingArea *area;
  GtkSpinButton *black_spin;
  GtkSpinButton *white_spin;
  GtkAdjustment *gamma;
  GtkCheckButton *link_check;

  PrismView *view;      /* (unowned): has the tools */
  PrismView *companion; /* (nullable) (unowned): what linked limits are for, too */
  PrismMapping first;   /* what the view began with */
  PrismHistogram histogram;
  PrismImage *counted;    /* (nullable): what the histogram is of */
  PrismImage *subtracted; /* (nullable) */
  gboolean updating;
  gboolean white_held; /* of the handle that is dragged */
  gboolean dragging;
  double start; /* of the drag, in pixels of the area */
  double held;  /* where the pointer is, in the same */
  guint frame_id;
  double low; /* ends of the area as the drag found them */
  double high;
};

G_DEFINE_FINAL_TYPE (PrismLevelsEditor, prism_levels_editor, ADW_TYPE_BIN)

/* While a handle is dragged the ends stay, whatever the run brings: a handle near an end would push
 * it away from the pointer with each event. */
static void
get_range (PrismLevelsEditor *self,
           double *low,
           double *high)
{
  PrismMapping mapping;
  double margin;

  if (self->dragging)
    {
      *low = self->low;
      *high = self->high;
      return;
    }
  prism_view_get_mapping (self->view, &mapping);
  *low = MIN (mapping.black, self->histogram.minimum);
  *high = MAX (mapping.white, self->histogram.maximum);
  margin = MARGIN * MAX (*high - *low, 1e-12);
  *low -= margin;
  *high += margin;
}

static void
update_spin (GtkSpinButton *spin,
             double low,
             double high,
             double value)
{
  double step = (high - low) / N_STEPS;

  gtk_spin_button_set_range (spin, -G_MAXFLOAT, G_MAXFLOAT);
  gtk_spin_button_set_increments (spin, step, 10 * step);
  gtk_spin_button_set_digits (spin, (guint) CLAMP (3 - floor (log10 (high - low)), 0, 12));
  gtk_spin_button_set_value (spin, value);
}

static void
count (PrismLevelsEditor *self)
{
  PrismImage *image = self->view->image;
  PrismImage *reference = prism_view_get_reference (self->view);
  gboolean other;

  if (image == NULL)
    return;
  other = prism_keep (&self->counted, image, prism_image_ref, prism_image_unref);
  other |= prism_keep (&self->subtracted, reference, prism_image_ref, prism_image_unref);
  if (other)
    prism_histogram_compute (&self->histogram, image, reference);
}

static void
update (PrismLevelsEditor *self)
{
  PrismMapping mapping;
  double low;
  double high;

  if (self->view == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  prism_view_get_mapping (self->view, &mapping);
  count (self);
  get_range (self, &low, &high);
  self->updating = TRUE;
  update_spin (self->black_spin, low, high, mapping.black);
  update_spin (self->white_spin, low, high, mapping.white);
  gtk_adjustment_set_value (self->gamma, mapping.gamma > 0 ? mapping.gamma : 1);
  self->updating = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self->area));
}

/* Automatic limits are each view's own, unless they are linked: then they are this one's. */
static void
apply (PrismLevelsEditor *self,
       const PrismMapping *mapping)
{
  prism_view_set_mapping (self->view, mapping);
  if (gtk_check_button_get_active (self->link_check))
    {
      PrismMapping found, other;

      prism_view_get_mapping (self->view, &found);
      prism_view_get_mapping (self->companion, &other);
      other.levels = PRISM_LEVELS_MANUAL;
      other.black = found.black;
      other.white = found.white;
      other.gamma = found.gamma;
      prism_view_set_mapping (self->companion, &other);
    }
  update (self);
  g_signal_emit_by_name (self, "edited");
}

static void
set_limits (PrismLevelsEditor *self,
            double black,
            double white)
{
  PrismMapping mapping;

  prism_view_get_mapping (self->view, &mapping);
  mapping.levels = PRISM_LEVELS_MANUAL;
  mapping.black = (float) black;
  mapping.white = (float) white;
  if (mapping.white > mapping.black)
    apply (self, &mapping);
}

static void
on_spin_changed (PrismLevelsEditor *self)
{
  if (!self->updating)
    set_limits (self, gtk_spin_button_get_value (self->black_spin),
                gtk_spin_button_get_value (self->white_spin));
}

static void
on_gamma_changed (PrismLevelsEditor *self)
{
  PrismMapping mapping;

  if (self->updating)
    return;
  prism_view_get_mapping (self->view, &mapping);
  mapping.gamma = gtk_adjustment_get_value (self->gamma);
  apply (self, &mapping);
}

static void
use_levels (PrismLevelsEditor *self,
            PrismLevels levels)
{
  PrismMapping mapping;

  prism_view_get_mapping (self->view, &mapping);
  mapping.levels = levels;
  apply (self, &mapping);
}

static void
use_percentiles (PrismLevelsEditor *self)
{
  use_levels (self, PRISM_LEVELS_PERCENTILE);
}

static void
use_extremes (PrismLevelsEditor *self)
{
  use_levels (self, PRISM_LEVELS_MIN_MAX);
}

/* With the limits that the view began with. */
static void
get_first (PrismLevelsEditor *self,
           PrismMapping *mapping)
{
  prism_view_get_mapping (self->view, mapping);
  mapping->levels = self->first.levels;
  mapping->black = self->first.black;
  mapping->white = self->first.white;
  mapping->gamma = 1;
}

static void
reset (PrismLevelsEditor *self)
{
  PrismMapping mapping;

  get_first (self, &mapping);
  apply (self, &mapping);
}

static void
on_linked (PrismLevelsEditor *self)
{
  PrismMapping mapping;

  if (!gtk_check_button_get_active (self->link_check) || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  prism_view_get_mapping (self->view, &mapping);
  apply (self, &mapping);
}

static void
draw_bars (PrismLevelsEditor *self,
           cairo_t *cr,
           double low,
           double high,
           int width,
           int height)
{
  double scale = width / (high - low);
  double bin = (self->histogram.maximum - self->histogram.minimum) / PRISM_HISTOGRAM_N_BINS;

  for (guint i = 0; i < PRISM_HISTOGRAM_N_BINS; i++)
    {
      double part = log1p (self->histogram.bins[i]) / log1p (MAX (self->histogram.largest, 1));
      double x = (self->histogram.minimum + i * bin - low) * scale;

      cairo_rectangle (cr, x, height * (1 - part), MAX (bin * scale, 1), height * part);
    }
  cairo_fill (cr);
}

static void
draw_handle (cairo_t *cr,
             double x,
             int height)
{
  cairo_set_line_width (cr, 2);
  cairo_move_to (cr, x, 0);
  cairo_line_to (cr, x, height);
  cairo_stroke (cr);
  cairo_arc (cr, x, height - HANDLE, HANDLE, 0, 2 * G_PI);
  cairo_fill (cr);
}

static void
draw (GtkDrawingArea *area,
      cairo_t *cr,
      int width,
      int height,
      gpointer data)
{
  PrismLevelsEditor *self = data;
  PrismMapping mapping;
  PrismPaint paint;
  double low;
  double high;

  if (self->view == NULL || self->histogram.count == 0)
    return;
  prism_view_get_mapping (self->view, &mapping);
  get_range (self, &low, &high);
  prism_paint_init_widget (&paint, GTK_WIDGET (area), cr);
  prism_paint_set_alpha (&paint, 0.4);
  draw_bars (self, cr, low, high, width, height);
  prism_paint_set_color (&paint, &paint.accent, 1);
  draw_handle (cr, (mapping.black - low) / (high - low) * width, height);
  draw_handle (cr, (mapping.white - low) / (high - low) * width, height);
  prism_paint_finish (&paint);
}

static double
get_value (PrismLevelsEditor *self,
           double x)
{
  double low;
  double high;

  get_range (self, &low, &high);
  return low + (high - low) * x / MAX (gtk_widget_get_width (GTK_WIDGET (self->area)), 1);
}

static void
move_handle (PrismLevelsEditor *self,
             double x)
{
  PrismMapping mapping;
  double value = get_value (self, x);

  prism_view_get_mapping (self->view, &mapping);
  if (self->white_held)
    set_limits (self, mapping.black, value);
  else
    set_limits (self, value, mapping.white);
}

static void
on_drag_begin (PrismLevelsEditor *self,
               double x,
               double y)
{
  PrismMapping mapping;
  double value;

  get_range (self, &self->low, &self->high);
  self->dragging = TRUE;
  self->start = x;
  value = get_value (self, x);
  prism_view_get_mapping (self->view, &mapping);
  self->white_held = fabs (value - mapping.white) < fabs (value - mapping.black);
  move_handle (self, x);
}

/* Colours are mapped anew for each change: once a frame, however often the pointer tells. */
static gboolean
on_frame (GtkWidget *widget,
          GdkFrameClock *clock,
          gpointer data)
{
  PrismLevelsEditor *self = PRISM_LEVELS_EDITOR (widget);

  self->frame_id = 0;
  move_handle (self, self->held);
  return G_SOURCE_REMOVE;
}

static void
on_drag_update (PrismLevelsEditor *self,
                double dx,
                double dy)
{
  if (!self->dragging)
    return;
  self->held = self->start + dx;
  if (self->frame_id == 0)
    self->frame_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_frame, NULL, NULL);
}

/* Also where the drag is taken away: what the pointer told last counts. */
static void
on_drag_end (PrismLevelsEditor *self)
{
  if (self->frame_id != 0)
    {
      gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->frame_id);
      self->frame_id = 0;
      move_handle (self, self->held);
    }
  self->dragging = FALSE;
  update (self);
}

static void
prism_levels_editor_dispose (PrismLevelsEditor *self)
{
  self->view = NULL;
}

static void
prism_levels_editor_class_init (PrismLevelsEditorClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_levels_editor_dispose);
  PRISM_DISPOSE (klass, PrismLevelsEditor, prism_image_unref, counted, subtracted);
  prism_signal_new (klass, "edited", 0);
  PRISM_TEMPLATE (klass, PrismLevelsEditor, "prism-levels-editor.ui", area, black_spin,
                  white_spin, gamma, link_check);
  PRISM_TEMPLATE_CALLBACKS (klass, use_percentiles, use_extremes, reset, on_spin_changed,
                            on_gamma_changed, on_linked, update);
}

static void
prism_levels_editor_init (PrismLevelsEditor *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drawing_area_set_draw_func (self->area, draw, self, NULL);
  prism_widget_control (self->area, gtk_gesture_drag_new (), self, "drag-begin", on_drag_begin,
                        "drag-update", on_drag_update, "drag-end", on_drag_end, "cancel",
                        on_drag_end, NULL);
}

/**
 * prism_levels_editor_set_view:
 * @self: a new editor
 * @view: whose colours it is for, and which outlives it
 *
 * Follows this view's image.
 */
void
prism_levels_editor_set_view (PrismLevelsEditor *self,
                              PrismView *view)
{
  PrismRaster *raster
      = view->canvas->rasters[PRISM_LAYER_IMAGE];

  self->view = view;
  prism_view_get_mapping (view, &self->first);
  gtk_widget_set_visible (GTK_WIDGET (self->link_check), FALSE);
  PRISM_CONNECT (raster, "changed", update, self);
}

/* Recorded frames have no target. */
static void
update_link (PrismLevelsEditor *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->link_check), self->companion->image != NULL);
}

/**
 * prism_levels_editor_link:
 * @self: an editor with a view
 * @other: one whose view has the same kind of values, while it has a picture
 *
 * Lets both views have the same limits where the user wants that.
 */
void
prism_levels_editor_link (PrismLevelsEditor *self,
                          PrismLevelsEditor *other)
{
  self->companion = other->view;
  other->companion = self->view;
  PRISM_CONNECT (other->view->canvas->rasters[PRISM_LAYER_IMAGE], "changed", update_link, self);
  update_link (self);
  gtk_widget_set_visible (GTK_WIDGET (other->link_check), TRUE);
  g_object_bind_property (self->link_check, "active", other->link_check, "active",
                          G_BINDING_BIDIRECTIONAL);
}

/**
 * prism_levels_editor_get_limits:
 * @self: an editor with a view
 * @limits: (out caller-allocates): what its view has, but for the picture
 *
 * Says how the limits differ from those that the view began with.
 */
void
prism_levels_editor_get_limits (PrismLevelsEditor *self,
                                PrismLimits *limits)
{
  static const PrismLimitsKind kinds[] = {
    [PRISM_LEVELS_MANUAL] = PRISM_LIMITS_FIXED,
    [PRISM_LEVELS_MIN_MAX] = PRISM_LIMITS_EXTREMES,
    [PRISM_LEVELS_PERCENTILE] = PRISM_LIMITS_PERCENTILES,
    [PRISM_LEVELS_SYMMETRIC] = PRISM_LIMITS_USUAL,
  };
  const PrismMapping *first = &self->first;
  PrismMapping mapping;

  prism_view_get_mapping (self->view, &mapping);
  limits->kind = kinds[mapping.levels];
  if (mapping.levels == first->levels
      && (mapping.levels != PRISM_LEVELS_MANUAL
          || (mapping.black == first->black && mapping.white == first->white)))
    limits->kind = PRISM_LIMITS_USUAL;
  limits->black = mapping.black;
  limits->white = mapping.white;
  limits->gamma = mapping.gamma > 0 ? mapping.gamma : 1;
}

/**
 * prism_levels_editor_set_limits:
 * @self: an editor with a view
 * @limits: (nullable): of its picture; %NULL for those that the view began with
 *
 * Gives its view these limits, and no other view.
 */
void
prism_levels_editor_set_limits (PrismLevelsEditor *self,
                                const PrismLimits *limits)
{
  PrismMapping mapping;

  get_first (self, &mapping);
  if (limits != NULL)
    prism_mapping_set_limits (&mapping, limits);
  prism_view_set_mapping (self->view, &mapping);
  update (self);
}
