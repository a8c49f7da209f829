#include "config.h"

#include "profiling/prism-profile-timeline.h"

#include "profiling/prism-profile-lanes.h"
#include "support/prism-paint-widget.h"

#include <adwaita.h>
#include <glib/gi18n.h>
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
