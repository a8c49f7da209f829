#include "config.h"

#include "charts/prism-chart-plot.h"

#include "charts/prism-timeline.h"
#include "prism-chart-draw.h"
#include "profile/prism-profile.h"
#include "support/prism-job.h"
#include "support/prism-widget.h"

#include <math.h>

#define MIN_WIDTH 120
#define MIN_HEIGHT 72
#define NATURAL_WIDTH 320
#define NATURAL_HEIGHT 160
/* Curves grow at most this often: one that is not dense yet takes milliseconds to stroke. */
#define REDRAW_INTERVAL 50
/* In other frames than its neighbours and than the texts, which change every tenth of a second: GTK
 * paints the whole window where more than some thirty places of it change at once. */
#define REDRAW_PHASE 17
#define WHEEL_FACTOR 1.25
#define KEY_FACTOR 1.5
#define PIXELS_PER_NOTCH 20.0
/* A shorter drag is a click that trembled. */
#define MIN_DRAG 5.0

struct _PrismChartPlot
{
  GtkWidget parent_instance;

  PrismChartData *data; /* (nullable) (unowned) */
  PrismTimeline *timeline;
  PrismChartLayout layout; /* of the last time it was painted */
  GskRenderNode *node;     /* (nullable) axes and curves, until something changes */
  PrismThrottle *throttle; /* of growing curves */
  double drag_start;       /* in the area, NAN without a drag */
  double drag_end;
  gboolean untitled; /* the line of the titles has values */
  gboolean pointed;  /* the pointer is here, not in a linked chart */
  gboolean panning;
  gboolean walking;     /* the drag is along the axis of time */
  double picked_before; /* the moment before the last click, NAN for the present */
  gboolean doubled;     /* the last press was the second of two */
  double pan_first;     /* range when the drag began */
  double pan_last;
  char *hover_text; /* (nullable) */
};

enum
{
  HOVER_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismChartPlot, prism_chart_plot, GTK_TYPE_WIDGET)

static void
set_hover_text (PrismChartPlot *self,
                char *text)
{
  g_autofree char *old = self->hover_text;

  self->hover_text = text;
  if (g_strcmp0 (old, text) == 0)
    return;
  if (gtk_widget_has_focus (GTK_WIDGET (self)))
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    text == NULL ? "" : text, -1);
  g_signal_emit (self, signals[HOVER_CHANGED], 0);
}

/* A step with values near the pointer, which may be in another chart, or else the moment that is
 * shown: that has a line of its own, and values of later steps are not its. */
static gboolean
get_cursor_step (PrismChartPlot *self,
                 double *step)
{
  double cursor = prism_timeline_get_cursor (self->timeline);
  double moment = prism_timeline_get_moment (self->timeline);

  if (self->data == NULL)
    return FALSE;
  if (!isnan (cursor))
    return prism_chart_cursor_get_step (self->data, cursor, step);
  if (!prism_chart_cursor_get_step (self->data, moment, step))
    return FALSE;
  *step = moment;
  return TRUE;
}

/* Values stand in a box at the cursor, or else in the line above the plot. */
static gboolean
is_boxed (PrismChartPlot *self)
{
  return self->pointed || gtk_widget_has_focus (GTK_WIDGET (self));
}

static void
cursor_moved (PrismChartPlot *self)
{
  double step;

  if (get_cursor_step (self, &step))
    set_hover_text (self, prism_chart_cursor_dup_text (self->data, step));
  else
    set_hover_text (self, NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static GskRenderNode *
create_node (PrismChartPlot *self,
             int width,
             int height)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  PrismPaint paint;
  double first;
  double last;

  prism_timeline_get_range (self->timeline, &first, &last);
  prism_paint_init_widget (&paint, GTK_WIDGET (self), cr);
  prism_chart_layout_init (&self->layout, self->data, &paint, width, height, first, last);
  self->layout.untitled = self->untitled;
  prism_chart_draw (self->data, &paint, &self->layout);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  return gtk_snapshot_free_to_node (snapshot);
}

/* Values of several curves take the line of the titles: the legend says what they are. */
static void
give_line (PrismChartPlot *self,
           gboolean has_values)
{
  guint n_visible = 0;
  gboolean to_values;

  for (guint i = 0; i < self->data->series->len; i++)
    n_visible += prism_chart_series_is_visible (prism_chart_data_get_series (self->data, i));
  to_values = has_values && n_visible > 1;
  if (self->untitled != to_values)
    g_clear_pointer (&self->node, gsk_render_node_unref);
  self->untitled = to_values;
}

static void
append_cursor (PrismChartPlot *self,
               GtkSnapshot *snapshot,
               int width,
               int height,
               double step)
{
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  PrismPaint paint;

  prism_paint_init_widget (&paint, GTK_WIDGET (self), cr);
  prism_chart_cursor_draw (self->data, &paint, &self->layout, step, is_boxed (self));
  prism_paint_finish (&paint);
  cairo_destroy (cr);
}

static void
append_band (PrismChartPlot *self,
             GtkSnapshot *snapshot)
{
  GdkRGBA color = { 0.5, 0.6, 0.8, 0.25 };
  double left = self->layout.left;
  double right = left + self->layout.width;
  double a = CLAMP (MIN (self->drag_start, self->drag_end), left, right);
  double b = CLAMP (MAX (self->drag_start, self->drag_end), left, right);

  if (b > a)
    gtk_snapshot_append_color (snapshot, &color,
                               &GRAPHENE_RECT_INIT (a, self->layout.top, b - a,
                                                    self->layout.height));
}

static void
append_moment (PrismChartPlot *self,
               GtkSnapshot *snapshot)
{
  const PrismChartLayout *layout = &self->layout;
  double step = prism_timeline_get_moment (self->timeline);
  GdkRGBA color = { 0.90, 0.38, 0.0, 1.0 };
  double x;

  if (isnan (step) || layout->empty || step < layout->first || step > layout->last)
    return;
  x = floor (prism_chart_layout_get_x (layout, step));
  gtk_snapshot_append_color (snapshot, &color,
                             &GRAPHENE_RECT_INIT (x - 0.5, layout->top, 2, layout->height));
}

static void
prism_chart_plot_snapshot (GtkWidget *widget,
                           GtkSnapshot *snapshot)
{
  PrismChartPlot *self = PRISM_CHART_PLOT (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  gint64 begun = prism_profile_begin ();
  double step;

  if (self->data == NULL || width < 2 || height < 2)
    return;
  give_line (self, get_cursor_step (self, &step) && !is_boxed (self));
  if (self->node == NULL)
    self->node = create_node (self, width, height);
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);
  append_moment (self, snapshot);
  if (!isnan (self->drag_start) && !self->panning && !self->walking)
    append_band (self, snapshot);
  else if (get_cursor_step (self, &step))
    append_cursor (self, snapshot, width, height, step);
  prism_profile_end (PRISM_STAGE_DRAW, begun);
}

static void
prism_chart_plot_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MIN_WIDTH : MIN_HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? NATURAL_WIDTH : NATURAL_HEIGHT;
}

static void
prism_chart_plot_size_allocate (GtkWidget *widget,
                                int width,
                                int height,
                                int baseline)
{
  prism_chart_plot_redraw (PRISM_CHART_PLOT (widget));
}

static void
prism_chart_plot_css_changed (GtkWidget *widget,
                              GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (prism_chart_plot_parent_class)->css_changed (widget, change);
  prism_chart_plot_redraw (PRISM_CHART_PLOT (widget));
}

/* Shows first…last, but no more than there is and no less than a few steps. */
static void
set_range (PrismChartPlot *self,
           double first,
           double last)
{
  double all_first;
  double all_last;
  double length = MAX (last - first, 4);

  if (self->data == NULL || !prism_chart_data_get_extent (self->data, &all_first, &all_last))
    return;
  if (length >= all_last - all_first)
    {
      prism_timeline_reset (self->timeline);
      return;
    }
  first = CLAMP (first, all_first, all_last - length);
  prism_timeline_set_range (self->timeline, first, first + length);
}

static void
zoom_around (PrismChartPlot *self,
             double step,
             double factor)
{
  const PrismChartLayout *layout = &self->layout;
  double x = prism_chart_layout_get_x (layout, step);
  double left = x - (x - layout->left) / factor;

  if (self->layout.empty)
    return;
  set_range (self, prism_chart_layout_get_step (layout, left),
             prism_chart_layout_get_step (layout, left + layout->width / factor));
}

static double
get_zoom_center (PrismChartPlot *self)
{
  double step = prism_timeline_get_cursor (self->timeline);

  return isnan (step) ? (self->layout.first + self->layout.last) / 2 : step;
}

static gboolean
scrolled (GtkEventControllerScroll *controller,
          double dx,
          double dy,
          PrismChartPlot *self)
{
  double length = self->layout.last - self->layout.first;

  if (gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE)
    {
      dx /= PIXELS_PER_NOTCH;
      dy /= PIXELS_PER_NOTCH;
    }
  if (fabs (dx) > fabs (dy))
    set_range (self, self->layout.first + 0.1 * dx * length, self->layout.last + 0.1 * dx * length);
  else
    zoom_around (self, get_zoom_center (self), pow (WHEEL_FACTOR, -dy));
  return GDK_EVENT_STOP;
}

static void
pointer_moved (GtkEventControllerMotion *controller,
               double x,
               double y,
               PrismChartPlot *self)
{
  const PrismChartLayout *layout = &self->layout;
  double step = NAN;

  self->pointed = TRUE;
  if (!layout->empty && x >= layout->left - 4 && x <= layout->left + layout->width + 4)
    step = CLAMP (prism_chart_layout_get_step (layout, x), layout->first, layout->last);
  prism_timeline_set_cursor (self->timeline, step);
}

static void
clear_cursor (PrismChartPlot *self)
{
  self->pointed = FALSE;
  prism_timeline_set_cursor (self->timeline, NAN);
}

/* Beyond the last point is the present. */
static void
pick_moment (PrismChartPlot *self,
             double x)
{
  const PrismChartLayout *layout = &self->layout;

  if (!layout->empty)
    prism_timeline_pick_moment (self->timeline, prism_chart_layout_get_step (layout, x));
}

static void
drag_began (GtkGestureDrag *drag,
            double x,
            double y,
            PrismChartPlot *self)
{
  GtkEventController *controller = GTK_EVENT_CONTROLLER (drag);
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (controller);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->walking = !self->layout.empty && y > self->layout.top + self->layout.height;
  self->panning = (modifiers & GDK_SHIFT_MASK) != 0 && !self->walking;
  self->pan_first = self->layout.first;
  self->pan_last = self->layout.last;
  self->drag_start = self->drag_end = x;
  if (self->walking)
    pick_moment (self, x);
}

static void
drag_updated (GtkGestureDrag *drag,
              double dx,
              double dy,
              PrismChartPlot *self)
{
  double shift = dx / self->layout.width * (self->pan_last - self->pan_first);

  self->drag_end = self->drag_start + dx;
  if (self->walking)
    pick_moment (self, self->drag_end);
  else if (self->panning)
    set_range (self, self->pan_first - shift, self->pan_last - shift);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_ended (GtkGestureDrag *drag,
            double dx,
            double dy,
            PrismChartPlot *self)
{
  double x = self->drag_start;
  double first = prism_chart_layout_get_step (&self->layout,
                                              MIN (self->drag_start, self->drag_start + dx));
  double last = prism_chart_layout_get_step (&self->layout,
                                             MAX (self->drag_start, self->drag_start + dx));

  self->drag_start = NAN;
  if (self->walking || self->panning)
    self->walking = FALSE;
  else if (fabs (dx) >= MIN_DRAG)
    set_range (self, MAX (first, self->layout.first), MIN (last, self->layout.last));
  else if (!self->doubled)
    pick_moment (self, x);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
clicked (GtkGestureClick *click,
         int n_press,
         double x,
         double y,
         PrismChartPlot *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->doubled = n_press > 1;
  if (n_press == 1)
    self->picked_before = prism_timeline_get_moment (self->timeline);
  if (n_press != 2)
    return;
  /* What the first of two clicks has done is not what was meant. */
  prism_timeline_pick_moment (self->timeline, self->picked_before);
  prism_timeline_reset (self->timeline);
}

static double
step_by_points (PrismChartPlot *self,
                double step,
                int direction)
{
  double next = direction > 0 ? INFINITY : -INFINITY;

  for (guint i = 0; i < self->data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (self->data, i);
      guint64 n = prism_chart_series_get_n_points (series);
      guint64 at = prism_chart_series_find (series,
                                            direction > 0 ? nextafter (step, INFINITY) : step);

      if (!prism_chart_series_is_visible (series))
        continue;
      if (direction > 0 && at < n)
        next = MIN (next, prism_chart_series_get_x (series, at));
      else if (direction < 0 && at > 0)
        next = MAX (next, prism_chart_series_get_x (series, at - 1));
    }
  return isfinite (next) ? next : step;
}

/* Argument: points to the left or right; a tenth of the view for ±10, the ends for ±1000. */
static gboolean
move_cursor (GtkWidget *widget,
             GVariant *args,
             gpointer data)
{
  PrismChartPlot *self = PRISM_CHART_PLOT (widget);
  int by = g_variant_get_int32 (args);
  double length = self->layout.last - self->layout.first;
  double end = by > 0 ? self->layout.last : self->layout.first;
  double step;

  if (self->data == NULL || self->layout.empty)
    return GDK_EVENT_PROPAGATE;
  if (ABS (by) == 1000)
    step = prism_chart_cursor_get_step (self->data, end, &step) ? step : end;
  else if (!prism_chart_cursor_get_step (self->data, prism_timeline_get_cursor (self->timeline),
                                         &step))
    step = self->layout.last;
  else if (ABS (by) == 10)
    step += by / 100.0 * length;
  else
    step = step_by_points (self, step, by);

  step = CLAMP (step, self->layout.first, self->layout.last);
  prism_timeline_set_cursor (self->timeline, step);
  return GDK_EVENT_STOP;
}

/* Argument: 1 in, -1 out, 0 all. */
static gboolean
zoom_by_key (GtkWidget *widget,
             GVariant *args,
             gpointer data)
{
  PrismChartPlot *self = PRISM_CHART_PLOT (widget);
  int direction = g_variant_get_int32 (args);

  if (direction == 0)
    prism_timeline_reset (self->timeline);
  else
    zoom_around (self, get_zoom_center (self), direction > 0 ? KEY_FACTOR : 1 / KEY_FACTOR);
  return GDK_EVENT_STOP;
}

static gboolean
clear_marks (GtkWidget *widget,
             GVariant *args,
             gpointer data)
{
  PrismChartPlot *self = PRISM_CHART_PLOT (widget);
  gboolean had = !isnan (prism_timeline_get_cursor (self->timeline));

  clear_cursor (self);
  return had;
}

static void
add_bindings (GtkWidgetClass *klass)
{
  static const struct
  {
    guint key;
    int by;
  } moves[] = {
    { GDK_KEY_Left, -1 },
    { GDK_KEY_KP_Left, -1 },
    { GDK_KEY_Right, 1 },
    { GDK_KEY_KP_Right, 1 },
  };
  static const struct
  {
    guint key;
    int direction;
  } zooms[] = {
    { GDK_KEY_plus, 1 },
    { GDK_KEY_equal, 1 },
    { GDK_KEY_KP_Add, 1 },
    { GDK_KEY_minus, -1 },
    { GDK_KEY_KP_Subtract, -1 },
    { GDK_KEY_0, 0 },
    { GDK_KEY_KP_0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    {
      gtk_widget_class_add_binding (klass, moves[i].key, 0, move_cursor, "i", moves[i].by);
      gtk_widget_class_add_binding (klass, moves[i].key, GDK_CONTROL_MASK, move_cursor, "i",
                                    10 * moves[i].by);
    }
  gtk_widget_class_add_binding (klass, GDK_KEY_Home, 0, move_cursor, "i", -1000);
  gtk_widget_class_add_binding (klass, GDK_KEY_End, 0, move_cursor, "i", 1000);
  for (gsize i = 0; i < G_N_ELEMENTS (zooms); i++)
    gtk_widget_class_add_binding (klass, zooms[i].key, 0, zoom_by_key, "i", zooms[i].direction);
  gtk_widget_class_add_binding (klass, GDK_KEY_plus, GDK_SHIFT_MASK, zoom_by_key, "i", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_Escape, 0, clear_marks, NULL);
}

static void
prism_chart_plot_dispose (GObject *object)
{
  PrismChartPlot *self = PRISM_CHART_PLOT (object);

  if (self->timeline != NULL)
    g_signal_handlers_disconnect_by_data (self->timeline, self);
  g_clear_object (&self->timeline);
  g_clear_pointer (&self->throttle, prism_throttle_free);
  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->hover_text, g_free);
  self->data = NULL;
  G_OBJECT_CLASS (prism_chart_plot_parent_class)->dispose (object);
}

static void
prism_chart_plot_class_init (PrismChartPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_chart_plot_dispose;
  widget_class->snapshot = prism_chart_plot_snapshot;
  widget_class->measure = prism_chart_plot_measure;
  widget_class->size_allocate = prism_chart_plot_size_allocate;
  widget_class->css_changed = prism_chart_plot_css_changed;

  signals[HOVER_CHANGED] = g_signal_new ("hover-changed", PRISM_TYPE_CHART_PLOT, G_SIGNAL_RUN_LAST,
                                         0,
                                         NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "prism-plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  add_bindings (widget_class);
}

static void
add_controllers (PrismChartPlot *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  const GtkEventControllerScrollFlags axes = GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES;
  GtkEventController *scroll = gtk_event_controller_scroll_new (axes);
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect (motion, "enter", G_CALLBACK (pointer_moved), self);
  g_signal_connect (motion, "motion", G_CALLBACK (pointer_moved), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (clear_cursor), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (scrolled), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (clear_cursor), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_began), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_updated), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (drag_ended), self);
  g_signal_connect (click, "pressed", G_CALLBACK (clicked), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

static void
redraw (gpointer data)
{
  prism_chart_plot_redraw (data);
}

static void
prism_chart_plot_init (PrismChartPlot *self)
{
  static guint n_plots = 0;
  g_autoptr (PrismTimeline) timeline = prism_timeline_new ();

  self->throttle = prism_throttle_new (REDRAW_INTERVAL, REDRAW_PHASE * (1 + n_plots++ % 2), redraw,
                                       self);
  self->drag_start = NAN;
  self->layout.empty = TRUE;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (prism_chart_plot_redraw), NULL);
  prism_chart_plot_set_timeline (self, timeline);
  add_controllers (self);
}

/**
 * prism_chart_plot_set_data:
 * @self: a plot
 * @data: (nullable): what to show; stays the caller's, who sets NULL before freeing it
 *
 * Shows other data.
 */
void
prism_chart_plot_set_data (PrismChartPlot *self,
                           PrismChartData *data)
{
  g_return_if_fail (PRISM_IS_CHART_PLOT (self));

  self->data = data;
  prism_chart_plot_redraw (self);
}

/**
 * prism_chart_plot_set_timeline:
 * @self: a plot
 * @timeline: range of steps and cursor, perhaps shared with others
 *
 * Follows this timeline from now on.
 */
void
prism_chart_plot_set_timeline (PrismChartPlot *self,
                               PrismTimeline *timeline)
{
  g_return_if_fail (PRISM_IS_CHART_PLOT (self));
  g_return_if_fail (PRISM_IS_TIMELINE (timeline));

  if (timeline == self->timeline)
    return;
  if (self->timeline != NULL)
    g_signal_handlers_disconnect_by_data (self->timeline, self);
  g_set_object (&self->timeline, timeline);
  g_signal_connect_swapped (timeline, "changed", G_CALLBACK (prism_chart_plot_redraw), self);
  g_signal_connect_swapped (timeline, "cursor-moved", G_CALLBACK (cursor_moved), self);
  prism_chart_plot_redraw (self);
}

/**
 * prism_chart_plot_get_timeline:
 * @self: a plot
 *
 * Returns: (transfer none): its timeline
 */
PrismTimeline *
prism_chart_plot_get_timeline (PrismChartPlot *self)
{
  return self->timeline;
}

/**
 * prism_chart_plot_get_hover_text:
 * @self: a plot
 *
 * Returns: (transfer none) (nullable): the values at the cursor in words, NULL without one
 */
const char *
prism_chart_plot_get_hover_text (PrismChartPlot *self)
{
  return self->hover_text;
}

/**
 * prism_chart_plot_data_changed:
 * @self: a plot
 *
 * Says that points were added.
 */
void
prism_chart_plot_data_changed (PrismChartPlot *self)
{
  g_return_if_fail (PRISM_IS_CHART_PLOT (self));

  prism_throttle_call (self->throttle, FALSE);
}

/**
 * prism_chart_plot_redraw:
 * @self: a plot
 *
 * Paints axes and curves anew.
 */
void
prism_chart_plot_redraw (PrismChartPlot *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
