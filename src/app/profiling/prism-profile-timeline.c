#include "config.h"

#include "profiling/prism-profile-timeline.h"

#include "prism-scale.h"
#include "profile/prism-trace.h"
#include "support/prism-widget.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#define WHEEL_ZOOM 1.25
#define KEY_ZOOM 1.6
#define KEY_MOVE 0.2 /* of what is seen */
#define PIXELS_PER_NOTCH 10.0
#define LEAST 1e-5 /* s that are seen */

struct _PrismProfileTimeline
{
  GtkDrawingArea parent_instance;

  PrismProfileLanes *lanes; /* (nullable) */
  PrismProfileView view;    /* what is seen, as large as it was drawn last */
  double pointer;           /* px from the left */
  double grabbed;           /* s, where the view began when it was taken hold of */
};

G_DEFINE_FINAL_TYPE (PrismProfileTimeline, prism_profile_timeline, GTK_TYPE_DRAWING_AREA)

static double
get_length (PrismProfileTimeline *self)
{
  return self->view.to - self->view.from;
}

/* Within the profile. */
static void
set_range (PrismProfileTimeline *self,
           double from,
           double length)
{
  const double all = prism_profile_lanes_get_seconds (self->lanes);

  length = CLAMP (length, MIN (LEAST, all), all);
  self->view.from = CLAMP (from, 0.0, all - length);
  self->view.to = self->view.from + length;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
draw (GtkDrawingArea *area,
      cairo_t *cr,
      int width,
      int height,
      gpointer data)
{
  PrismProfileTimeline *self = PRISM_PROFILE_TIMELINE (area);
  PrismPaint paint;

  if (self->lanes == NULL)
    return;
  prism_paint_init_widget (&paint, GTK_WIDGET (area), cr);
  self->view.width = width;
  self->view.line = paint.line_height;
  prism_profile_lanes_draw (self->lanes, &paint, &self->view);
  prism_paint_finish (&paint);
}

static gboolean
on_tooltip (GtkWidget *widget,
            int x,
            int y,
            gboolean by_keyboard,
            GtkTooltip *tooltip,
            gpointer data)
{
  PrismProfileTimeline *self = PRISM_PROFILE_TIMELINE (widget);
  g_autofree char *text = NULL;
  const PrismSpan *span;

  if (self->lanes == NULL || by_keyboard || self->view.line <= 0.0)
    return FALSE;
  span = prism_profile_lanes_find (self->lanes, &self->view, x, y);
  if (span == NULL)
    return FALSE;
  text = prism_profile_lanes_dup_tip (span);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
on_motion (GtkEventControllerMotion *controller,
           double x,
           double y,
           PrismProfileTimeline *self)
{
  self->pointer = x;
}

static gboolean
on_scroll (GtkEventControllerScroll *controller,
           double dx,
           double dy,
           PrismProfileTimeline *self)
{
  if (self->lanes == NULL)
    return GDK_EVENT_PROPAGATE;
  if (gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE)
    {
      dx /= PIXELS_PER_NOTCH;
      dy /= PIXELS_PER_NOTCH;
    }
  if (fabs (dx) > fabs (dy))
    set_range (self, self->view.from + 0.1 * dx * get_length (self), get_length (self));
  else
    prism_profile_timeline_zoom (
        self, CLAMP (self->pointer / MAX (self->view.width, 1.0), 0.0, 1.0), pow (WHEEL_ZOOM, -dy));
  return GDK_EVENT_STOP;
}

static void
on_drag_begin (GtkGestureDrag *gesture,
               double x,
               double y,
               PrismProfileTimeline *self)
{
  self->grabbed = self->view.from;
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

static void
on_drag_update (GtkGestureDrag *gesture,
                double dx,
                double dy,
                PrismProfileTimeline *self)
{
  if (self->lanes != NULL)
    set_range (self, self->grabbed - dx / MAX (self->view.width, 1.0) * get_length (self),
               get_length (self));
}

/* A parameter of a factor, and of how far to move of what is seen; 0 is all of the profile. */
static gboolean
on_key (GtkWidget *widget,
        GVariant *parameters,
        gpointer data)
{
  PrismProfileTimeline *self = PRISM_PROFILE_TIMELINE (widget);
  double factor, step;

  if (self->lanes == NULL)
    return FALSE;
  g_variant_get (parameters, "(dd)", &factor, &step);
  if (factor == 0.0)
    set_range (self, 0.0, prism_profile_lanes_get_seconds (self->lanes));
  else if (step != 0.0)
    set_range (self, self->view.from + step * get_length (self), get_length (self));
  else
    prism_profile_timeline_zoom (self, 0.5, factor);
  return TRUE;
}

static void
prism_profile_timeline_finalize (GObject *object)
{
  g_clear_pointer (&PRISM_PROFILE_TIMELINE (object)->lanes, prism_profile_lanes_free);
  G_OBJECT_CLASS (prism_profile_timeline_parent_class)->finalize (object);
}

static void
prism_profile_timeline_class_init (PrismProfileTimelineClass *klass)
{
  static const struct
  {
    guint key;
    double factor;
    double step;
  } keys[] = {
    { GDK_KEY_plus, KEY_ZOOM, 0.0 },
    { GDK_KEY_KP_Add, KEY_ZOOM, 0.0 },
    { GDK_KEY_equal, KEY_ZOOM, 0.0 },
    { GDK_KEY_minus, 1.0 / KEY_ZOOM, 0.0 },
    { GDK_KEY_Left, 1.0, -KEY_MOVE },
    { GDK_KEY_KP_Subtract, 1.0 / KEY_ZOOM, 0.0 },
    { GDK_KEY_Right, 1.0, KEY_MOVE },
    { GDK_KEY_0, 0.0, 0.0 },
    { GDK_KEY_Page_Up, 1.0, -1.0 },
    { GDK_KEY_Page_Down, 1.0, 1.0 },
    { GDK_KEY_KP_0, 0.0, 0.0 },
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = prism_profile_timeline_finalize;
  gtk_widget_class_set_css_name (widget_class, "timeline");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding (widget_class, keys[i].key, 0, on_key, "(dd)", keys[i].factor,
                                  keys[i].step);
}

static void
add_controller (PrismProfileTimeline *self,
                GtkEventController *controller)
{
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

static void
prism_profile_timeline_init (PrismProfileTimeline *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll
      = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  add_controller (self, motion);
  add_controller (self, scroll);
  add_controller (self, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self), draw, NULL, NULL);
}

/* What a line of text takes, before anything was drawn. */
static double
get_line (PrismProfileTimeline *self)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), "X");
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  return height;
}

/**
 * prism_profile_timeline_set_reading:
 * @self: a timeline
 * @reading: a profile
 *
 * Shows all of a profile.
 */
void
prism_profile_timeline_set_reading (PrismProfileTimeline *self,
                                    PrismTraceReading *reading)
{
  g_autofree char *label = g_strdup_printf (_ ("Stages of %u threads over %.2f s"),
                                            reading->trace->threads->len,
                                            reading->trace->seconds);

  g_clear_pointer (&self->lanes, prism_profile_lanes_free);
  self->lanes = prism_profile_lanes_new (reading);
  gtk_drawing_area_set_content_height (
      GTK_DRAWING_AREA (self),
      (int) ceil (prism_profile_lanes_get_height (self->lanes, get_line (self))));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  set_range (self, 0.0, prism_profile_lanes_get_seconds (self->lanes));
}

/**
 * prism_profile_timeline_zoom:
 * @self: a timeline that shows a profile
 * @place: what stays where it is, from 0 at the left to 1
 * @factor: above 1 brings it nearer
 *
 * Shows less of a profile, or more.
 */
void
prism_profile_timeline_zoom (PrismProfileTimeline *self,
                             double place,
                             double factor)
{
  const double all = prism_profile_lanes_get_seconds (self->lanes);
  const double length = CLAMP (get_length (self) / factor, MIN (LEAST, all), all);

  set_range (self, self->view.from + place * (get_length (self) - length), length);
}

/**
 * prism_profile_timeline_get_range:
 * @self: a timeline
 * @from: (out): s
 * @to: (out): s
 *
 * Says what is seen.
 */
void
prism_profile_timeline_get_range (PrismProfileTimeline *self,
                                  double *from,
                                  double *to)
{
  *from = self->view.from;
  *to = self->view.to;
}

#define GAP 6
#define TITLE_LINES 1.4 /* of the name of a lane and of what it came to */
#define ROW_LINES 1.3
#define CURVE_LINES 4.0
#define AXIS_LINES 1.6
#define TICK_WIDTH 90.0
#define LEAST_TEXT 40.0 /* px: narrower stages have no name */
#define TURN 0.381966   /* of the circle of hues, from a stage to the next */

/* What the program calls its threads in profiles. */
G_GNUC_UNUSED static const char *const names[] = {
  NC_ ("thread", "engine"),
  NC_ ("thread", "main"),
  NC_ ("thread", "window"),
  NC_ ("thread", "saver"),
  NC_ ("thread", "worker"),
  NC_ ("thread", "thread"),
};

/* The stages of a thread. */
typedef struct
{
  const PrismTraceThread *thread;
  guint8 *depths; /* [spans]: stages around each */
  guint n_rows;
  char *text;
} Lane;

struct _PrismProfileLanes
{
  PrismTraceReading *reading;
  Lane *lanes; /* [n_lanes] */
  guint n_lanes;
  PrismTraceCounter memory;
};

static const PrismSpan *
get_span (const Lane *lane, guint i)
{
  return &g_array_index (lane->thread->spans, PrismSpan, i);
}

/* Spans are sorted, outer ones first. */
static void
find_depths (Lane *lane)
{
  gint64 ends[PRISM_PROFILE_LANES_MOST_DEPTH + 1];
  guint n_open = 0;

  lane->depths = g_new (guint8, lane->thread->spans->len + 1);
  for (guint i = 0; i < lane->thread->spans->len; i++)
    {
      const PrismSpan *span = get_span (lane, i);

      while (n_open > 0 && ends[n_open - 1] <= span->begin)
        n_open--;
      lane->depths[i] = (guint8) n_open;
      if (n_open < PRISM_PROFILE_LANES_MOST_DEPTH)
        {
          lane->n_rows = MAX (lane->n_rows, n_open + 1);
          ends[n_open++] = span->end;
        }
    }
}

/* What prism-cli profile has a row for. */
static char *
dup_lane_text (const PrismTraceThread *thread)
{
  g_autofree char *name
      = thread->worker > 0
            ? g_strdup_printf (_ ("worker %u"), thread->worker)
            : g_strdup (g_dpgettext2 (GETTEXT_PACKAGE, "thread", thread->name));
  PrismTraceSummary summary;

  prism_trace_summary_init_thread (&summary, thread);
  return g_strdup_printf (_ ("%s: busy %.2f s, waits %.2f s, covered %.0f %%"), name, summary.busy,
                          summary.stages[PRISM_STAGE_WAIT].self,
                          100 * prism_trace_get_coverage (thread));
}

/**
 * prism_profile_lanes_new:
 * @reading: a profile
 *
 * Returns: (transfer full): its lanes
 */
PrismProfileLanes *
prism_profile_lanes_new (PrismTraceReading *reading)
{
  PrismProfileLanes *self = g_new0 (PrismProfileLanes, 1);

  self->reading = prism_trace_reading_ref (reading);
  self->n_lanes = reading->trace->threads->len;
  self->lanes = g_new0 (Lane, self->n_lanes + 1);
  for (guint i = 0; i < self->n_lanes; i++)
    {
      self->lanes[i].thread = reading->trace->threads->pdata[i];
      self->lanes[i].text = dup_lane_text (self->lanes[i].thread);
      find_depths (&self->lanes[i]);
    }
  prism_trace_counter_init (&self->memory, reading->trace, PRISM_COUNTER_HOST_MEMORY);
  return self;
}

/**
 * prism_profile_lanes_free:
 * @self: (nullable): lanes
 */
void
prism_profile_lanes_free (PrismProfileLanes *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_lanes; i++)
    {
      g_free (self->lanes[i].depths);
      g_free (self->lanes[i].text);
    }
  g_free (self->lanes);
  prism_trace_reading_unref (self->reading);
  g_free (self);
}

/**
 * prism_profile_lanes_get_seconds:
 * @self: lanes
 *
 * Returns: how long the profile took, at least a microsecond
 */
double
prism_profile_lanes_get_seconds (const PrismProfileLanes *self)
{
  return MAX (self->reading->trace->seconds, 1e-6);
}

static double
get_lane_height (const Lane *lane, double line)
{
  return line * (TITLE_LINES + ROW_LINES * lane->n_rows) + GAP;
}

static gboolean
has_memory (const PrismProfileLanes *self)
{
  return self->memory.n_samples > 1 && self->memory.most > 0.0;
}

/**
 * prism_profile_lanes_get_height:
 * @self: lanes
 * @line: height of a line of text
 *
 * Returns: what all of it needs
 */
double
prism_profile_lanes_get_height (const PrismProfileLanes *self, double line)
{
  double height = AXIS_LINES * line;

  for (guint i = 0; i < self->n_lanes; i++)
    height += get_lane_height (&self->lanes[i], line);
  if (has_memory (self))
    height += (TITLE_LINES + CURVE_LINES) * line + GAP;
  return height;
}

static double
get_scale (const PrismProfileView *view)
{
  return MAX (view->width, 1.0) / MAX (view->to - view->from, 1e-9);
}

static double
get_x (const PrismProfileView *view, gint64 time)
{
  return (1e-9 * time - view->from) * get_scale (view);
}

/* Of those of a depth the last one that has begun by then. */
static const PrismSpan *
find_in_row (const Lane *lane, guint depth, gint64 time, gint64 slack)
{
  guint first = 0, end = lane->thread->spans->len;

  while (first < end)
    {
      const guint middle = first + (end - first) / 2;

      if (get_span (lane, middle)->begin <= time + slack)
        first = middle + 1;
      else
        end = middle;
    }
  for (guint i = first; i > 0; i--)
    {
      if (lane->depths[i - 1] == depth)
        return get_span (lane, i - 1)->end >= time - slack ? get_span (lane, i - 1) : NULL;
      if (lane->depths[i - 1] < depth && get_span (lane, i - 1)->begin < time - slack)
        return NULL;
    }
  return NULL;
}

/**
 * prism_profile_lanes_find:
 * @self: lanes
 * @view: what is seen
 * @x: a place
 * @y: of it
 *
 * Returns: (transfer none) (nullable): the stage there
 */
const PrismSpan *
prism_profile_lanes_find (const PrismProfileLanes *self,
                          const PrismProfileView *view,
                          double x,
                          double y)
{
  const gint64 time = (gint64) (1e9 * (view->from + x / get_scale (view)));
  const gint64 slack = (gint64) (1e9 / get_scale (view));
  double top = 0.0;

  for (guint i = 0; i < self->n_lanes; i++)
    {
      const Lane *lane = &self->lanes[i];
      const double row = (y - top - TITLE_LINES * view->line) / (ROW_LINES * view->line);

      if (row >= 0.0 && row < lane->n_rows)
        return find_in_row (lane, (guint) row, time, slack);
      top += get_lane_height (lane, view->line);
    }
  return NULL;
}

/**
 * prism_profile_lanes_dup_tip:
 * @span: a stage
 *
 * Returns: (transfer full): what it is, when, how long
 */
char *
prism_profile_lanes_dup_tip (const PrismSpan *span)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("%s: %.3f ms, from %.4f s"), prism_stage_get_label (span->kind),
                          1e-6 * (span->end - span->begin), 1e-9 * span->begin);
  if (span->count > 1)
    g_string_append_printf (text, _ (", %" PRIu64 " at once"), span->count);
  return g_string_free (text, FALSE);
}

static double
get_part (double hue)
{
  const double x = fabs (fmod (hue, 1.0) * 6.0 - 3.0) - 1.0;

  return CLAMP (x, 0.0, 1.0);
}

/* Each stage has its hue, on every page and in every profile. */
static void
set_color (const PrismPaint *paint, guint stage)
{
  const double hue = TURN * stage, pale = paint->dark ? 0.25 : 0.55, all = paint->dark ? 0.6 : 0.95;

  cairo_set_source_rgb (paint->cr, all * (pale + (1.0 - pale) * get_part (hue)),
                        all * (pale + (1.0 - pale) * get_part (hue + 2.0 / 3.0)),
                        all * (pale + (1.0 - pale) * get_part (hue + 1.0 / 3.0)));
}

static void
draw_name (PrismPaint *paint, const PrismSpan *span, double x, double width, double y)
{
  const char *name = prism_stage_get_label (span->kind);
  double text_width, text_height;

  if (width < LEAST_TEXT)
    return;
  prism_paint_measure (paint, name, &text_width, &text_height);
  if (text_width + 2 * GAP > width)
    return;
  prism_paint_set_alpha (paint, 1.0);
  prism_paint_draw_text (paint, name, x + GAP, y, 0, 0);
}

/* What is narrower than a pixel is drawn once for each. */
static void
draw_rows (const Lane *lane, PrismPaint *paint, const PrismProfileView *view, double top)
{
  double ends[PRISM_PROFILE_LANES_MOST_DEPTH] = { 0.0 };

  for (guint i = 0; i < lane->thread->spans->len; i++)
    {
      const PrismSpan *span = get_span (lane, i);
      const guint depth = lane->depths[i];
      const double left = MAX (get_x (view, span->begin), 0.0);
      const double right = MIN (get_x (view, span->end), view->width);
      const double y = top + ROW_LINES * view->line * depth;

      if (left > view->width)
        break;
      if (depth >= PRISM_PROFILE_LANES_MOST_DEPTH || right < ends[depth])
        continue;
      set_color (paint, span->kind);
      cairo_rectangle (paint->cr, left, y, MAX (right - left, 1.0), ROW_LINES * view->line - 1.0);
      cairo_fill (paint->cr);
      ends[depth] = MAX (right, left + 1.0);
      draw_name (paint, span, left, right - left, y + 0.1 * view->line);
    }
}

static void
draw_curve (const PrismProfileLanes *self,
            PrismPaint *paint,
            const PrismProfileView *view,
            double top)
{
  const GArray *samples = self->reading->trace->samples;
  const double height = CURVE_LINES * view->line;
  const PrismColor *color = &paint->accent;

  for (guint i = 0; i < samples->len; i++)
    {
      const PrismSpan *sample = &g_array_index (samples, PrismSpan, i);

      if (sample->kind == PRISM_N_STAGES + PRISM_COUNTER_HOST_MEMORY)
        cairo_line_to (paint->cr, get_x (view, sample->begin),
                       top + height * (1.0 - sample->value / self->memory.most));
    }
  cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, color->alpha);
  cairo_set_line_width (paint->cr, 2);
  cairo_stroke (paint->cr);
}

static void
draw_memory (const PrismProfileLanes *self,
             PrismPaint *paint,
             const PrismProfileView *view,
             double top)
{
  g_autofree char *text = g_strdup_printf (_ ("Memory: %.1f MiB at most, %+.2f MiB/s"),
                                           self->memory.most / 1048576.0,
                                           self->memory.slope / 1048576.0);

  prism_paint_set_alpha (paint, 1.0);
  prism_paint_draw_text (paint, text, 0, top, 0, 0);
  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, 0, top, view->width,
                   (TITLE_LINES + CURVE_LINES) * view->line + 2);
  cairo_clip (paint->cr);
  draw_curve (self, paint, view, top + TITLE_LINES * view->line);
  cairo_restore (paint->cr);
}

static void
draw_axis (PrismPaint *paint, const PrismProfileView *view, double top)
{
  const int n = (int) CLAMP (view->width / TICK_WIDTH, 2, PRISM_TICKS_MAX - 1);
  PrismTicks ticks;

  prism_ticks_init_linear (&ticks, view->from, view->to, n);
  for (int i = 0; i < ticks.n_major; i++)
    {
      g_autofree char *number = prism_ticks_dup_label (&ticks, i);
      g_autofree char *label = g_strdup_printf (_ ("%s s"), number);
      const double x = floor (get_x (view, (gint64) (1e9 * ticks.major[i]))) + 0.5;
      double width, height;

      prism_paint_measure (paint, label, &width, &height);
      if (x < 0.0 || x + width > view->width)
        continue;
      prism_paint_set_alpha (paint, 0.15);
      cairo_set_line_width (paint->cr, 1);
      cairo_move_to (paint->cr, x, 0);
      cairo_line_to (paint->cr, x, top + 4);
      cairo_stroke (paint->cr);
      prism_paint_set_alpha (paint, 0.75);
      prism_paint_draw_text (paint, label, x + 3, top, 0, 0);
    }
}

/**
 * prism_profile_lanes_draw:
 * @self: lanes
 * @paint: where; from its origin
 * @view: what is seen
 *
 * Draws a lane for each thread, then the memory of the program, then the time.
 */
void
prism_profile_lanes_draw (const PrismProfileLanes *self,
                          PrismPaint *paint,
                          const PrismProfileView *view)
{
  double top = 0.0;

  for (guint i = 0; i < self->n_lanes; i++)
    {
      const Lane *lane = &self->lanes[i];

      prism_paint_set_alpha (paint, 1.0);
      prism_paint_draw_text (paint, lane->text, 0, top, 0, 0);
      draw_rows (lane, paint, view, top + TITLE_LINES * view->line);
      top += get_lane_height (lane, view->line);
    }
  if (has_memory (self))
    {
      draw_memory (self, paint, view, top);
      top += (TITLE_LINES + CURVE_LINES) * view->line + GAP;
    }
  draw_axis (paint, view, top);
}
