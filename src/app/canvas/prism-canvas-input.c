#include "config.h"

#include "canvas/prism-canvas.h"

#include "support/prism-widget.h"

#define WHEEL_FACTOR 1.25
#define KEY_FACTOR 1.5
/* A touchpad's stroke of this many pixels counts as one notch of a wheel. */
#define PIXELS_PER_NOTCH 20.0
#define LONG_STEP 10

/* Shows the context menu, if there is one. */
static void
popup_menu (PrismCanvas *self,
            double x,
            double y)
{
  if (self->menu_model == NULL)
    return;
  if (self->menu == NULL)
    {
      self->menu = gtk_popover_menu_new_from_model (self->menu_model);
      gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
      gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
      gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
    }
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu),
                               &(GdkRectangle) { (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
set_cursor_pixel (PrismCanvas *self,
                  const PrismFrame *frame,
                  int x,
                  int y)
{
  prism_viewport_set_cursor (self->viewport,
                             (x + 0.5) / frame->image_width, (y + 0.5) / frame->image_height);
}

static void
select_between (PrismCanvas *self,
                int x0,
                int y0,
                int x1,
                int y1)
{
  GdkRectangle pixels = { MIN (x0, x1), MIN (y0, y1), ABS (x1 - x0) + 1, ABS (y1 - y0) + 1 };

  prism_canvas_set_selection (self, &pixels);
}

static void
pointer_moved (PrismCanvas *self,
               double x,
               double y)
{
  PrismFrame frame;
  int column;
  int row;

  if (prism_canvas_get_frame (self, &frame) && prism_frame_get_pixel (&frame, x, y, &column, &row))
    set_cursor_pixel (self, &frame, column, row);
  else
    prism_viewport_clear_cursor (self->viewport);
}

static void
clear_cursor (PrismCanvas *self)
{
  prism_viewport_clear_cursor (self->viewport);
}

/* A picture that has moved below a resting pointer shows another pixel there. */
static void
on_resized (PrismCanvas *self)
{
  if (gtk_event_controller_motion_contains_pointer (
          GTK_EVENT_CONTROLLER_MOTION (self->motion)))
    clear_cursor (self);
}

/**
 * prism_canvas_input_resized:
 * @self: a canvas, while it gets another size
 *
 * Takes the crosshair away once all have their sizes; the next motion has it again.
 */
void
prism_canvas_input_resized (PrismCanvas *self)
{
  if (self->resized == 0)
    prism_later (&self->resized, 0, on_resized, self);
}

static gboolean
scrolled (PrismCanvas *self,
          double dx,
          double dy,
          GtkEventControllerScroll *controller)
{
  if (gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE)
    dy /= PIXELS_PER_NOTCH;
  prism_canvas_zoom (self, pow (WHEEL_FACTOR, -dy));
  return GDK_EVENT_STOP;
}

static void
drag_began (PrismCanvas *self,
            double x,
            double y,
            GtkGestureDrag *drag)
{
  GtkEventController *controller = GTK_EVENT_CONTROLLER (drag);
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (controller);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!prism_canvas_get_frame (self, &self->drag_frame))
    {
      gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  self->selecting = (modifiers & GDK_SHIFT_MASK) != 0;
  self->marking
      = !self->selecting && prism_canvas_marks_press (self, &self->drag_frame, x, y);
  prism_frame_get_pixel (&self->drag_frame, x, y, &self->anchor_x, &self->anchor_y);
}

static void
drag_updated (PrismCanvas *self,
              double dx,
              double dy,
              GtkGestureDrag *drag)
{
  const PrismFrame *frame = &self->drag_frame;
  PrismFrame now;
  double x;
  double y;
  int column;
  int row;

  gtk_gesture_drag_get_start_point (drag, &x, &y);
  if (self->marking)
    {
      /* The picture may have got another place since: a mark stays below the pointer. */
      if (prism_canvas_get_frame (self, &now))
        prism_canvas_marks_drag (self, &now, x + dx, y + dy);
      return;
    }
  if (!self->selecting)
    {
      gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
      prism_canvas_place (self, frame->scale, frame->x0 + dx, frame->y0 + dy);
      return;
    }
  prism_frame_get_pixel (frame, x + dx, y + dy, &column, &row);
  select_between (self, self->anchor_x, self->anchor_y, column, row);
}

/* A key is released, or its release goes elsewhere. */
static void
keys_ended (PrismCanvas *self)
{
  if (!self->marking)
    prism_canvas_marks_release (self);
}

static void
drag_ended (PrismCanvas *self)
{
  if (self->marking)
    prism_canvas_marks_release (self);
  self->marking = FALSE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "crosshair");
}

static void
pinch_began (PrismCanvas *self,
             GdkEventSequence *sequence,
             GtkGesture *pinch)
{
  if (!prism_canvas_get_frame (self, &self->drag_frame))
    gtk_gesture_set_state (pinch, GTK_EVENT_SEQUENCE_DENIED);
}

static void
pinched (PrismCanvas *self,
         double scale)
{
  const PrismFrame *start = &self->drag_frame;
  PrismFrame now;

  if (prism_canvas_get_frame (self, &now))
    prism_canvas_zoom (self, start->scale * scale / now.scale);
}

static void
clicked (PrismCanvas *self,
         int n_press)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (n_press == 2)
    prism_viewport_reset (self->viewport);
}

static void
menu_clicked (PrismCanvas *self,
              int n_press,
              double x,
              double y)
{
  popup_menu (self, x, y);
}

/* Brings a pixel that the keyboard has reached into sight. */
static void
reveal_pixel (PrismCanvas *self,
              const PrismFrame *frame,
              int x,
              int y)
{
  double left = frame->x0 + x * frame->scale;
  double top = frame->y0 + y * frame->scale;
  double shift_x = MAX (0, -left) - MAX (0, left + frame->scale - frame->area_width);
  double shift_y = MAX (0, -top) - MAX (0, top + frame->scale - frame->area_height);

  if (shift_x != 0 || shift_y != 0)
    prism_canvas_place (self, frame->scale, frame->x0 + shift_x, frame->y0 + shift_y);
}

/* Arguments: columns, rows, and whether the selection is stretched along. */
static gboolean
move_probe (GtkWidget *widget,
            GVariant *args,
            gpointer data)
{
  PrismCanvas *self = PRISM_CANVAS (widget);
  GdkRectangle selection;
  PrismFrame frame;
  gboolean select;
  int from_x;
  int from_y;
  int dx;
  int dy;
  int x;
  int y;

  if (!prism_canvas_get_frame (self, &frame))
    return GDK_EVENT_PROPAGATE;
  g_variant_get (args, "(iib)", &dx, &dy, &select);
  if (!prism_canvas_get_pixel (self, &x, &y)
      && !(select && prism_canvas_marks_get_end (self, &x, &y)))
    {
      x = frame.image_width / 2;
      y = frame.image_height / 2;
      dx = dy = 0;
    }
  if (select && !prism_canvas_get_selection (self, &selection))
    {
      self->anchor_x = x;
      self->anchor_y = y;
    }
  from_x = x;
  from_y = y;
  x = CLAMP (x + dx, 0, frame.image_width - 1);
  y = CLAMP (y + dy, 0, frame.image_height - 1);
  set_cursor_pixel (self, &frame, x, y);
  if (select && !prism_canvas_marks_stretch (self, from_x, from_y, x, y))
    select_between (self, self->anchor_x, self->anchor_y, x, y);
  reveal_pixel (self, &frame, x, y);
  return GDK_EVENT_STOP;
}

/* Argument: 1 in, -1 out, 0 fit, 2 one to one, 3 two to one. */
static gboolean
zoom_by_key (GtkWidget *widget,
             GVariant *args,
             gpointer data)
{
  PrismCanvas *self = PRISM_CANVAS (widget);
  int direction = g_variant_get_int32 (args);

  if (direction == 0)
    prism_viewport_reset (self->viewport);
  else if (direction > 1)
    prism_canvas_zoom_to (self, direction - 1);
  else
    prism_canvas_zoom (self, direction > 0 ? KEY_FACTOR : 1 / KEY_FACTOR);
  return GDK_EVENT_STOP;
}

/* What Escape does not need here closes whatever the window is about to close. */
static gboolean
clear_marks (GtkWidget *widget,
             GVariant *args,
             gpointer data)
{
  PrismCanvas *self = PRISM_CANVAS (widget);
  GdkRectangle selection;
  int x;
  int y;
  gboolean let_go = prism_canvas_marks_let_go (self);
  gboolean marked = prism_canvas_get_selection (self, &selection)
                    || prism_canvas_get_pixel (self, &x, &y);

  prism_canvas_set_selection (self, NULL);
  clear_cursor (self);
  return let_go || marked;
}

/* Arguments: columns, rows. */
static gboolean
nudge_mark (GtkWidget *widget,
            GVariant *args,
            gpointer data)
{
  int dx;
  int dy;

  g_variant_get (args, "(ii)", &dx, &dy);
  return prism_canvas_marks_nudge (PRISM_CANVAS (widget), dx, dy);
}

static gboolean
remove_mark (GtkWidget *widget,
             GVariant *args,
             gpointer data)
{
  return prism_canvas_marks_remove (PRISM_CANVAS (widget));
}

static gboolean
popup_by_key (GtkWidget *widget,
              GVariant *args,
              gpointer data)
{
  popup_menu (PRISM_CANVAS (widget),
              gtk_widget_get_width (widget) / 2.0,
              gtk_widget_get_height (widget) / 2.0);
  return GDK_EVENT_STOP;
}

static void
add_arrow (GtkWidgetClass *klass,
           guint key,
           int dx,
           int dy)
{
  for (int select = 0; select <= 1; select++)
    {
      GdkModifierType shift = select ? GDK_SHIFT_MASK : 0;

      gtk_widget_class_add_binding (klass, key, shift, move_probe, "(iib)", dx, dy, select);
      gtk_widget_class_add_binding (klass, key, shift | GDK_CONTROL_MASK, move_probe,
                                    "(iib)", LONG_STEP * dx, LONG_STEP * dy, select);
    }
  gtk_widget_class_add_binding (klass, key, GDK_ALT_MASK, nudge_mark, "(ii)", dx, dy);
}

/**
 * prism_canvas_input_class_init:
 * @klass: the canvas' class
 *
 * Binds the keys.
 */
void
prism_canvas_input_class_init (GtkWidgetClass *klass)
{
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
    { GDK_KEY_1, 2 },
    { GDK_KEY_KP_1, 2 },
    { GDK_KEY_2, 3 },
    { GDK_KEY_KP_2, 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (zooms); i++)
    gtk_widget_class_add_binding (klass, zooms[i].key, 0, zoom_by_key, "i", zooms[i].direction);
  gtk_widget_class_add_binding (klass, GDK_KEY_plus, GDK_SHIFT_MASK, zoom_by_key, "i", 1);

  add_arrow (klass, GDK_KEY_Left, -1, 0);
  add_arrow (klass, GDK_KEY_KP_Left, -1, 0);
  add_arrow (klass, GDK_KEY_Right, 1, 0);
  add_arrow (klass, GDK_KEY_KP_Right, 1, 0);
  add_arrow (klass, GDK_KEY_Up, 0, -1);
  add_arrow (klass, GDK_KEY_KP_Up, 0, -1);
  add_arrow (klass, GDK_KEY_Down, 0, 1);
  add_arrow (klass, GDK_KEY_KP_Down, 0, 1);

  gtk_widget_class_add_binding (klass, GDK_KEY_Escape, 0, clear_marks, NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_c, GDK_CONTROL_MASK, "picture.copy", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK,
                                       "picture.copy-figure", NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Delete, 0, remove_mark, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_BackSpace, 0, remove_mark, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Menu, 0, popup_by_key, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_F10, GDK_SHIFT_MASK, popup_by_key, NULL);
}

static void
add_pointer (PrismCanvas *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  const GtkEventControllerScrollFlags axes = GTK_EVENT_CONTROLLER_SCROLL_VERTICAL;

  self->motion = motion;
  prism_widget_control (self, motion, self, "enter", pointer_moved, "motion", pointer_moved,
                        "leave", clear_cursor, NULL);
  prism_widget_control (self, gtk_event_controller_scroll_new (axes), self, "scroll", scrolled,
                        NULL);
  prism_widget_control (self, gtk_event_controller_focus_new (), self, "leave", clear_cursor,
                        "leave", keys_ended, NULL);
  prism_widget_control (self, gtk_event_controller_key_new (), self, "key-released", keys_ended,
                        NULL);
}

static void
add_gestures (PrismCanvas *self)
{
  GtkGesture *menu_click = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (menu_click), GDK_BUTTON_SECONDARY);
  prism_widget_control (self, gtk_gesture_drag_new (), self, "drag-begin", drag_began,
                        "drag-update", drag_updated, "drag-end", drag_ended, NULL);
  prism_widget_control (self, gtk_gesture_zoom_new (), self, "begin", pinch_began, "scale-changed",
                        pinched, NULL);
  prism_widget_control (self, gtk_gesture_click_new (), self, "pressed", clicked, NULL);
  prism_widget_control (self, menu_click, self, "pressed", menu_clicked, NULL);
}

/**
 * prism_canvas_input_init:
 * @self: a canvas
 *
 * Lets it follow pointer, wheel, touch and focus.
 */
void
prism_canvas_input_init (PrismCanvas *self)
{
  add_pointer (self);
  add_gestures (self);
}
