#include "config.h"

#include "charts/prism-chart-plot.h"

#include "profile/prism-profile.h"
#include "support/prism-widget.h"

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
/* What is seen of time, at least, as a part of all. */
#define LEAST_TIME 1e-5
/* A shorter drag is a click that trembled. */
#define MIN_DRAG 5.0

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
  g_signal_emit_by_name (self, "hover-changed");
}

static gboolean
has_items (PrismChartPlot *self)
{
  return self->data != NULL && self->data->items->len > 0;
}

/* A step with values near the pointer, which may be in another chart, or else the moment that is
 * shown: that has a line of its own, and values of later steps are not its. */
static gboolean
get_cursor_step (PrismChartPlot *self,
                 double *step)
{
  double cursor = self->timeline->cursor;
  double moment = self->timeline->moment;

  if (self->data == NULL)
    return FALSE;
  if (has_items (self))
    {
      *step = cursor;
      return !isnan (cursor);
    }
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

/* Names, maps and sheets of pictures have one view. */
static gboolean
is_fixed (PrismChartPlot *self)
{
  return self->data == NULL || self->data->names[0]->len > 0 || self->data->equal
         || self->data->bare;
}

static void
cursor_moved (PrismChartPlot *self)
{
  double step;

  if (has_items (self))
    set_hover_text (self, prism_chart_data_dup_tip (self->data, self->chosen));
  else if (get_cursor_step (self, &step))
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

  prism_paint_init_widget (&paint, GTK_WIDGET (self), cr);
  prism_chart_layout_init (&self->layout, self->data, &paint, width, height, self->timeline->first,
                           self->timeline->last);
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

  for (guint i = 0; i < self->data->series->len; i++)
    n_visible += !prism_chart_data_get_series (self->data, i)->hidden;
  has_values = has_values && n_visible > 1;
  if (self->untitled != has_values)
    g_clear_pointer (&self->node, gsk_render_node_unref);
  self->untitled = has_values;
}

/* The line at the cursor, and the frame of an item. */
static void
append_cursor (PrismChartPlot *self,
               GtkSnapshot *snapshot,
               int width,
               int height)
{
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  PrismPaint paint;
  double step;

  prism_paint_init_widget (&paint, GTK_WIDGET (self), cr);
  prism_chart_items_draw_chosen (self->data, &paint, &self->layout, self->chosen);
  if (get_cursor_step (self, &step))
    prism_chart_cursor_draw (self->data, &paint, &self->layout, step, is_boxed (self));
  prism_paint_finish (&paint);
  cairo_destroy (cr);
}

static void
append_band (PrismChartPlot *self,
             GtkSnapshot *snapshot)
{
  const GdkRGBA color = { 0.5, 0.6, 0.8, 0.25 };
  const double left = self->layout.left, right = left + self->layout.width;
  const double a = CLAMP (MIN (self->drag_start, self->drag_end), left, right);
  const double b = CLAMP (MAX (self->drag_start, self->drag_end), left, right);

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
  double step = self->timeline->moment;
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
  if (!isnan (self->drag_start) && !is_fixed (self) && !self->panning && !self->walking)
    append_band (self, snapshot);
  else if (self->chosen != PRISM_CHART_NO_ITEM || get_cursor_step (self, &step))
    append_cursor (self, snapshot, width, height);
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
  PrismChartPlot *self = PRISM_CHART_PLOT (widget);

  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MIN_WIDTH : MIN_HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? NATURAL_WIDTH : NATURAL_HEIGHT;
  /* Lanes are as high as their texts. */
  if (orientation == GTK_ORIENTATION_VERTICAL && has_items (self)
      && self->data->shape == PRISM_CHART_LANES)
    {
      g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, "X");
      int line;

      pango_layout_get_pixel_size (layout, NULL, &line);
      *minimum = *natural = (int) prism_chart_layout_get_height (self->data, line);
    }
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
  double all_first, all_last, length;

  if (is_fixed (self) || !prism_chart_data_get_extent (self->data, &all_first, &all_last))
    return;
  length = MAX (last - first, self->data->continuous ? LEAST_TIME * (all_last - all_first) : 4);
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
  double step = self->timeline->cursor;

  return isnan (step) ? (self->layout.first + self->layout.last) / 2 : step;
}

static gboolean
scrolled (PrismChartPlot *self,
          double dx,
          double dy,
          GtkEventControllerScroll *controller)
{
  double length = self->layout.last - self->layout.first;

  if (is_fixed (self))
    return GDK_EVENT_PROPAGATE;
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
pointer_moved (PrismChartPlot *self,
               double x)
{
  const PrismChartLayout *layout = &self->layout;
  double step = NAN;

  self->pointed = TRUE;
  if (!layout->empty && !is_fixed (self) && x >= layout->left - 4
      && x <= layout->left + layout->width + 4)
    step = CLAMP (prism_chart_layout_get_step (layout, x), layout->first, layout->last);
  prism_timeline_set_cursor (self->timeline, step);
}

static void
clear_cursor (PrismChartPlot *self)
{
  self->pointed = FALSE;
  prism_timeline_set_cursor (self->timeline, NAN);
}

static gboolean
query_tooltip (GtkWidget *widget,
               int x,
               int y,
               gboolean by_keyboard,
               GtkTooltip *tooltip)
{
  PrismChartPlot *self = PRISM_CHART_PLOT (widget);
  g_autofree char *text = NULL;

  if (self->data == NULL || self->layout.empty)
    return FALSE;
  text = prism_chart_data_dup_tip (
      self->data, by_keyboard ? self->chosen
                              : prism_chart_items_find (self->data, &self->layout, x, y));
  gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
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
drag_began (PrismChartPlot *self,
            double x,
            double y,
            GtkGestureDrag *drag)
{
  GtkEventController *controller = GTK_EVENT_CONTROLLER (drag);
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (controller);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->walking = !self->layout.empty && !is_fixed (self)
                  && y > self->layout.top + self->layout.height;
  self->panning = (modifiers & GDK_SHIFT_MASK) != 0 && !self->walking;
  self->pan_first = self->layout.first;
  self->pan_last = self->layout.last;
  self->drag_start = self->drag_end = x;
  if (self->walking)
    pick_moment (self, x);
}

static void
drag_updated (PrismChartPlot *self,
              double dx)
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
drag_ended (PrismChartPlot *self,
            double dx)
{
  const PrismChartLayout *layout = &self->layout;
  const double x = self->drag_start;
  const double first = prism_chart_layout_get_step (layout, MIN (x, x + dx));
  const double last = prism_chart_layout_get_step (layout, MAX (x, x + dx));

  self->drag_start = NAN;
  if (self->walking || self->panning)
    self->walking = FALSE;
  else if (fabs (dx) >= MIN_DRAG && !is_fixed (self))
    set_range (self, MAX (first, layout->first), MIN (last, layout->last));
  else if (!self->doubled)
    pick_moment (self, x);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
clicked (PrismChartPlot *self,
         int n_press,
         double x,
         double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->doubled = n_press > 1;
  if (has_items (self))
    prism_chart_plot_choose (self, prism_chart_items_find (self->data, &self->layout, x, y));
  if (has_items (self) && n_press == 2 && self->chosen != PRISM_CHART_NO_ITEM)
    g_signal_emit_by_name (self, "item-opened");
  if (n_press == 1)
    self->picked_before = self->timeline->moment;
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

  PRISM_FOR_EACH_POINTER (PrismChartSeries, series, self->data->series)
    {
      guint64 n = prism_chart_series_get_n_points (series);
      guint64 at = prism_chart_series_find (series,
                                            direction > 0 ? nextafter (step, INFINITY) : step);

      if (series->hidden)
        continue;
      if (direction > 0 && at < n)
        next = MIN (next, prism_chart_series_get_x (series, at));
      else if (direction < 0 && at > 0)
        next = MAX (next, prism_chart_series_get_x (series, at - 1));
    }
  return isfinite (next) ? next : step;
}

/* What keys do, by how much. */
typedef enum
{
  MOVE,  /* points to the right, or items; a tenth of the view for ±10, the ends for ±1000 */
  LOWER, /* items down */
  LEAF,  /* views to the right */
  ZOOM,  /* 1 in, -1 out, 0 all */
  OPEN,
  CLEAR,
} Deed;

static void
move_cursor (PrismChartPlot *self,
             int by)
{
  double end = by > 0 ? self->layout.last : self->layout.first, step;

  if (ABS (by) == 1000)
    step = prism_chart_cursor_get_step (self->data, end, &step) ? step : end;
  else if (!prism_chart_cursor_get_step (self->data, self->timeline->cursor,
                                         &step))
    step = self->layout.last;
  else if (ABS (by) == 10)
    step += by / 100.0 * (self->layout.last - self->layout.first);
  else
    step = step_by_points (self, step, by);
  prism_timeline_set_cursor (self->timeline,
                             CLAMP (step, self->layout.first, self->layout.last));
}

/* Arguments: a Deed, and by how much. */
static gboolean
on_key (GtkWidget *widget,
        GVariant *args,
        gpointer data)
{
  PrismChartPlot *self = PRISM_CHART_PLOT (widget);
  const gboolean items = has_items (self);
  const double length = self->layout.last - self->layout.first;
  int deed, by;

  g_variant_get (args, "(ii)", &deed, &by);
  if (deed == CLEAR)
    {
      by = !isnan (self->timeline->cursor);
      clear_cursor (self);
      return by;
    }
  if (self->data == NULL || self->layout.empty || (deed == LOWER && !items)
      || (deed == OPEN && self->chosen == PRISM_CHART_NO_ITEM))
    return GDK_EVENT_PROPAGATE;
  if (items && (deed == MOVE || deed == LOWER))
    prism_chart_plot_choose (
        self, prism_chart_items_find_next (self->data, &self->layout, self->chosen,
                                           deed == MOVE ? CLAMP (by, -1, 1) : 0,
                                           deed == LOWER ? by : 0));
  else if (deed == MOVE)
    move_cursor (self, by);
  else if (deed == LEAF)
    set_range (self, self->layout.first + by * length, self->layout.last + by * length);
  else if (deed == OPEN)
    g_signal_emit_by_name (self, "item-opened");
  else if (by == 0)
    prism_timeline_reset (self->timeline);
  else
    zoom_around (self, get_zoom_center (self), by > 0 ? KEY_FACTOR : 1 / KEY_FACTOR);
  return GDK_EVENT_STOP;
}

static void
add_bindings (GtkWidgetClass *klass)
{
  static const struct
  {
    guint keys[3]; /* 0 for none */
    GdkModifierType modifiers;
    Deed deed;
    int by;
  } bindings[] = {
    { { GDK_KEY_Left, GDK_KEY_KP_Left }, 0, MOVE, -1 },
    { { GDK_KEY_Right, GDK_KEY_KP_Right }, 0, MOVE, 1 },
    { { GDK_KEY_Left, GDK_KEY_KP_Left }, GDK_CONTROL_MASK, MOVE, -10 },
    { { GDK_KEY_Right, GDK_KEY_KP_Right }, GDK_CONTROL_MASK, MOVE, 10 },
    { { GDK_KEY_Home }, 0, MOVE, -1000 },
    { { GDK_KEY_End }, 0, MOVE, 1000 },
    { { GDK_KEY_Up, GDK_KEY_KP_Up }, 0, LOWER, -1 },
    { { GDK_KEY_Down, GDK_KEY_KP_Down }, 0, LOWER, 1 },
    { { GDK_KEY_Page_Up }, 0, LEAF, -1 },
    { { GDK_KEY_Page_Down }, 0, LEAF, 1 },
    { { GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add }, 0, ZOOM, 1 },
    { { GDK_KEY_plus }, GDK_SHIFT_MASK, ZOOM, 1 },
    { { GDK_KEY_minus, GDK_KEY_KP_Subtract }, 0, ZOOM, -1 },
    { { GDK_KEY_0, GDK_KEY_KP_0 }, 0, ZOOM, 0 },
    { { GDK_KEY_Return }, 0, OPEN, 0 },
    { { GDK_KEY_Escape }, 0, CLEAR, 0 },
  };

  PRISM_FOR_EACH_OF (binding, bindings)
    for (int k = 0; k < 3 && binding->keys[k] != 0; k++)
      gtk_widget_class_add_binding (klass, binding->keys[k], binding->modifiers, on_key,
                                    "(ii)", binding->deed, binding->by);
}

static void
prism_chart_plot_class_init (PrismChartPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismChartPlot, g_object_unref, timeline);
  PRISM_DISPOSE (klass, PrismChartPlot, prism_throttle_free, throttle);
  PRISM_DISPOSE (klass, PrismChartPlot, gsk_render_node_unref, node);
  PRISM_DISPOSE (klass, PrismChartPlot, g_free, hover_text);
  PRISM_DISPOSE (klass, PrismChartPlot, prism_chart_data_free, data);
  widget_class->snapshot = prism_chart_plot_snapshot;
  widget_class->measure = prism_chart_plot_measure;
  widget_class->size_allocate = prism_chart_plot_size_allocate;
  widget_class->css_changed = prism_chart_plot_css_changed;
  widget_class->query_tooltip = query_tooltip;

  prism_signal_new (klass, "hover-changed", 0);
  /* A click or keys have chosen an item; it is to be opened. */
  prism_signal_new (klass, "item-chosen", 1, G_TYPE_UINT);
  prism_signal_new (klass, "item-opened", 0);
  gtk_widget_class_set_css_name (widget_class, "prism-plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  add_bindings (widget_class);
}

static void
add_controllers (PrismChartPlot *self)
{
  const GtkEventControllerScrollFlags axes = GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES;

  prism_widget_control (self, gtk_event_controller_motion_new (), self, "enter", pointer_moved,
                        "motion", pointer_moved, "leave", clear_cursor, NULL);
  prism_widget_control (self, gtk_event_controller_scroll_new (axes), self, "scroll", scrolled,
                        NULL);
  prism_widget_control (self, gtk_event_controller_focus_new (), self, "leave", clear_cursor, NULL);
  prism_widget_control (self, gtk_gesture_drag_new (), self, "drag-begin", drag_began,
                        "drag-update", drag_updated, "drag-end", drag_ended, NULL);
  prism_widget_control (self, gtk_gesture_click_new (), self, "pressed", clicked, NULL);
}

static void
prism_chart_plot_init (PrismChartPlot *self)
{
  static guint n_plots = 0;
  g_autoptr (PrismTimeline) timeline = g_object_new (PRISM_TYPE_TIMELINE, NULL);

  self->throttle = prism_throttle_new (REDRAW_INTERVAL, REDRAW_PHASE * (1 + n_plots++ % 2),
                                       prism_chart_plot_redraw, self);
  self->drag_start = NAN;
  self->layout.empty = TRUE;
  self->chosen = PRISM_CHART_NO_ITEM;
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (prism_chart_plot_redraw), NULL);
  prism_chart_plot_set_timeline (self, timeline);
  add_controllers (self);
}

/**
 * prism_chart_plot_set_data:
 * @self: a plot
 * @data: (nullable): what to show
 *
 * Shows other data.
 */
void
prism_chart_plot_set_data (PrismChartPlot *self,
                           PrismChartData *data)
{
  prism_keep (&self->data, data, prism_chart_data_ref, prism_chart_data_free);
  self->chosen = PRISM_CHART_NO_ITEM;
  if (data != NULL && data->description != NULL)
    prism_widget_set_name (self, data->description);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  prism_chart_plot_redraw (self);
}

void
prism_chart_plot_set_chosen (PrismChartPlot *self,
                             guint item)
{
  self->chosen = item;
  cursor_moved (self);
}

/**
 * prism_chart_plot_choose:
 * @item: index; nothing is done where there is no such item
 *
 * Frames an item, brings it into sight and says so, as a click does.
 */
void
prism_chart_plot_choose (PrismChartPlot *self,
                         guint item)
{
  const PrismChartItem *chosen;
  double shift = 0;

  if (!has_items (self) || item >= self->data->items->len)
    return;
  prism_chart_plot_set_chosen (self, item);
  chosen = prism_chart_data_get_item (self->data, item);
  if (chosen->x[1] < self->layout.first)
    shift = chosen->x[0] - self->layout.first;
  else if (chosen->x[0] > self->layout.last)
    shift = chosen->x[1] - self->layout.last;
  if (shift != 0)
    set_range (self, self->layout.first + shift, self->layout.last + shift);
  g_signal_emit_by_name (self, "item-chosen", item);
}

void
prism_chart_plot_set_timeline (PrismChartPlot *self,
                               PrismTimeline *timeline)
{
  if (timeline == self->timeline)
    return;
  if (self->timeline != NULL)
    g_signal_handlers_disconnect_by_data (self->timeline, self);
  g_set_object (&self->timeline, timeline);
  PRISM_CONNECT (timeline, "changed", prism_chart_plot_redraw, self);
  PRISM_CONNECT (timeline, "cursor-moved", cursor_moved, self);
  prism_chart_plot_redraw (self);
}

void
prism_chart_plot_data_changed (PrismChartPlot *self)
{
  prism_throttle_call (self->throttle, FALSE);
}

void
prism_chart_plot_redraw (PrismChartPlot *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
