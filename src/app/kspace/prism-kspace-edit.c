#include "config.h"

#include "kspace/prism-kspace-edit.h"

/* A pointer this near takes a position, in logical pixels. */
#define REACH 8.0
#define SMALL_STEP 0.1 /* px of k-space, with Shift */
#define STEP 1.0
#define LONG_STEP 10.0  /* with Control */
#define PIXEL M_SQRT1_2 /* px of k-space, from its middle to the farthest place in it */

G_DEFINE_FINAL_TYPE (PrismKspaceEdit, prism_kspace_edit, G_TYPE_OBJECT)

static void
emit_preview (PrismKspaceEdit *self)
{
  g_signal_emit_by_name (self, "preview");
}

static void
emit_edited (PrismKspaceEdit *self,
             const char *what,
             const char *merge_key)
{
  g_signal_emit_by_name (self, "edited", what, merge_key);
}

/* The middle of the pixel of k = 0 is half a pixel beyond the corner of column n/2. */
static PrismPoint
get_place (const PrismFrame *frame,
           double x,
           double y)
{
  return (PrismPoint) {
    (y - frame->y0) / frame->scale - frame->image_height / 2 - 0.5,
    (x - frame->x0) / frame->scale - frame->image_width / 2 - 0.5,
  };
}

static gboolean
is_inside (const PrismFrame *frame,
           double x,
           double y)
{
  int column;
  int row;

  return prism_frame_get_pixel (frame, x, y, &column, &row);
}

static int
find_at (PrismKspaceEdit *self,
         const PrismFrame *frame,
         double x,
         double y)
{
  PrismPoint place = get_place (frame, x, y);

  return prism_point_list_find (self->list, place.y, place.x, REACH / frame->scale);
}

/* Where the keyboard is: at the crosshair, or in the middle. */
static PrismPoint
get_crosshair (PrismKspaceEdit *self)
{
  PrismFrame frame;
  int x;
  int y;

  if (!prism_canvas_get_frame (self->canvas, &frame)
      || !prism_canvas_get_pixel (self->canvas, &x, &y))
    return (PrismPoint) { 0, 0 };
  return (PrismPoint) { y - frame.image_height / 2, x - frame.image_width / 2 };
}

static gboolean
add_position (PrismKspaceEdit *self,
              const PrismPoint *place)
{
  g_autoptr (GError) error = NULL;

  if (prism_point_list_add (self->list, place->y, place->x, &error))
    return TRUE;
  g_signal_emit_by_name (self, "refused", error->message);
  return FALSE;
}

static void
remove_position (PrismKspaceEdit *self)
{
  if (self->list->selected < 0)
    g_signal_emit_by_name (self, "refused", _ ("No position is held: Page Down takes the next."));
  else if (prism_point_list_remove (self->list))
    {
      emit_preview (self);
      emit_edited (self, _ ("Position removed"), NULL);
    }
  else
    g_signal_emit_by_name (self, "refused",
                           _ ("A pattern has at least one position: move this one instead."));
}

static void
on_drag_begin (PrismKspaceEdit *self,
               double x,
               double y,
               GtkGestureDrag *drag)
{
  GtkEventController *controller = GTK_EVENT_CONTROLLER (drag);
  GdkModifierType state = gtk_event_controller_get_current_event_state (controller);
  PrismPoint place;
  PrismFrame frame;
  int i;

  /* With Control or Shift the canvas pans and selects as ever. */
  if (!self->active || (state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK)) != 0
      || !prism_canvas_get_frame (self->canvas, &frame) || !is_inside (&frame, x, y))
    {
      gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  place = get_place (&frame, x, y);
  i = find_at (self, &frame, x, y);
  self->moved = FALSE;
  self->added = i < 0;
  if (i >= 0)
    prism_point_list_select (self->list, i);
  else if (!add_position (self, &place))
    prism_point_list_select (self->list, -1);
  i = self->list->selected;
  self->added = self->added && i >= 0;
  if (i >= 0)
    self->grip = *prism_point_list_get (self->list, i);
  emit_preview (self);
}

static void
on_drag_update (PrismKspaceEdit *self,
                double dx,
                double dy)
{
  PrismFrame frame;

  if (!self->active || !prism_canvas_get_frame (self->canvas, &frame))
    return;
  /* A hand that trembles does not move what it clicks. */
  if (!self->moved && hypot (dx, dy) < 3.0)
    return;
  if (!prism_point_list_move (self->list, self->grip.y + dy / frame.scale,
                              self->grip.x + dx / frame.scale))
    return;
  self->moved = TRUE;
  emit_preview (self);
}

/* One drag is one change. */
static void
on_drag_end (PrismKspaceEdit *self)
{
  if (!self->active)
    return;
  if (self->added)
    emit_edited (self, _ ("Position added"), NULL);
  else if (self->moved)
    emit_edited (self, _ ("Position moved"), NULL);
  self->added = self->moved = FALSE;
}

static void
on_secondary (PrismKspaceEdit *self,
              int n_press,
              double x,
              double y,
              GtkGestureClick *click)
{
  PrismFrame frame;
  int i = self->active && prism_canvas_get_frame (self->canvas, &frame)
              ? find_at (self, &frame, x, y)
              : -1;

  /* Beside the positions the menu of the panel opens. */
  if (i < 0)
    {
      gtk_gesture_set_state (GTK_GESTURE (click), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  gtk_gesture_set_state (GTK_GESTURE (click), GTK_EVENT_SEQUENCE_CLAIMED);
  prism_point_list_select (self->list, i);
  remove_position (self);
}

static void
on_motion (PrismKspaceEdit *self,
           double x,
           double y)
{
  PrismFrame frame;
  gboolean before = self->hovering;
  int i;

  if (!self->active)
    return;
  self->hovering = prism_canvas_get_frame (self->canvas, &frame) && is_inside (&frame, x, y);
  i = self->hovering ? find_at (self, &frame, x, y) : -1;
  /* Around the one that a press would take, or where it would place one. */
  if (i >= 0)
    self->hover = *prism_point_list_get (self->list, i);
  else if (self->hovering)
    self->hover = get_place (&frame, x, y);
  if (self->hovering || before)
    prism_canvas_redraw (self->canvas);
}

static void
on_pointer_left (PrismKspaceEdit *self)
{
  if (!self->hovering)
    return;
  self->hovering = FALSE;
  prism_canvas_redraw (self->canvas);
}

static gboolean
nudge (PrismKspaceEdit *self,
       double dy,
       double dx,
       GdkModifierType state)
{
  int selected = self->list->selected;
  double step = STEP;
  const PrismPoint *point;
  g_autofree char *merge_key = NULL;

  if (selected < 0)
    return GDK_EVENT_PROPAGATE;
  if ((state & GDK_CONTROL_MASK) != 0)
    step = LONG_STEP;
  else if ((state & GDK_SHIFT_MASK) != 0)
    step = SMALL_STEP;
  point = prism_point_list_get (self->list, selected);
  merge_key = g_strdup_printf ("nudge-%d", selected);
  if (prism_point_list_move (self->list, point->y + step * dy, point->x + step * dx))
    {
      prism_kspace_edit_move_crosshair (self);
      emit_preview (self);
      emit_edited (self, _ ("Position moved"), merge_key);
    }
  return GDK_EVENT_STOP;
}

static void
select_next (PrismKspaceEdit *self,
             int direction)
{
  prism_point_list_select_next (self->list, direction);
  prism_kspace_edit_move_crosshair (self);
  emit_preview (self);
}

static void
add_by_key (PrismKspaceEdit *self)
{
  PrismPoint place = get_crosshair (self);
  const int there = prism_point_list_find (self->list, place.y, place.x, PIXEL);

  if (there >= 0)
    {
      prism_point_list_select (self->list, there);
      g_signal_emit_by_name (self, "refused",
                             _ ("There is a position here: it is held, and none was added."));
    }
  else if (!add_position (self, &place))
    return;
  prism_kspace_edit_move_crosshair (self);
  emit_preview (self);
  if (there < 0)
    emit_edited (self, _ ("Position added"), NULL);
}

/* Return lets go of what is held, and places where nothing is. */
static void
place_or_release (PrismKspaceEdit *self)
{
  if (self->list->selected < 0)
    {
      add_by_key (self);
      return;
    }
  prism_point_list_select (self->list, -1);
  emit_preview (self);
}

static void
leave (PrismKspaceEdit *self)
{
  g_signal_emit_by_name (self, "leave");
}

static gboolean
on_key (PrismKspaceEdit *self,
        guint key,
        guint code,
        GdkModifierType state)
{
  static const struct
  {
    guint keys[3];
    gpointer func; /* (nullable): void (self, dx); NULL: moves what is held */
    int dy;
    int dx;
  } rows[] = {
    { { GDK_KEY_Left, GDK_KEY_KP_Left }, NULL, 0, -1 },
    { { GDK_KEY_Right, GDK_KEY_KP_Right }, NULL, 0, 1 },
    { { GDK_KEY_Up, GDK_KEY_KP_Up }, NULL, -1, 0 },
    { { GDK_KEY_Down, GDK_KEY_KP_Down }, NULL, 1, 0 },
    { { GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down }, select_next, 0, 1 },
    { { GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up }, select_next, 0, -1 },
    { { GDK_KEY_Return, GDK_KEY_KP_Enter }, place_or_release },
    { { GDK_KEY_Insert, GDK_KEY_KP_Insert }, add_by_key },
    { { GDK_KEY_Delete, GDK_KEY_KP_Delete, GDK_KEY_BackSpace }, remove_position },
    { { GDK_KEY_Escape }, leave },
  };

  PRISM_FOR_EACH_OF (row, rows)
    {
      if (!self->active || (key != row->keys[0] && key != row->keys[1] && key != row->keys[2]))
        continue;
      if (row->func == NULL)
        return nudge (self, row->dy, row->dx, state);
      ((void (*) (PrismKspaceEdit *, int)) row->func) (self, row->dx);
      return GDK_EVENT_STOP;
    }
  return GDK_EVENT_PROPAGATE;
}

static void
prism_kspace_edit_dispose (PrismKspaceEdit *self)
{
  PRISM_FOR_EACH_OF (controller, self->controllers)
    if (*controller != NULL)
      {
        g_signal_handlers_disconnect_by_data (*controller, self);
        g_clear_object (controller);
      }
}

static void
prism_kspace_edit_class_init (PrismKspaceEditClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_kspace_edit_dispose);
  PRISM_FINALIZE (klass, PrismKspaceEdit, prism_point_list_free, list);
  prism_signal_new (klass, "preview", 0);
  prism_signal_new (klass, "edited", 2, G_TYPE_STRING, G_TYPE_STRING);
  prism_signal_new (klass, "refused", 1, G_TYPE_STRING);
  prism_signal_new (klass, "leave", 0);
}

static void
prism_kspace_edit_init (PrismKspaceEdit *self)
{
  self->list = prism_point_list_new ();
}

/* Before the canvas itself, which would pan and move its crosshair. */
static void
add_controllers (PrismKspaceEdit *self)
{
  GtkEventController *drag = GTK_EVENT_CONTROLLER (gtk_gesture_drag_new ());
  GtkEventController *click = GTK_EVENT_CONTROLLER (gtk_gesture_click_new ());
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *all[] = { drag, click, motion, keys };

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  PRISM_CONNECT (drag, "drag-begin", on_drag_begin, self);
  PRISM_CONNECT (drag, "drag-update", on_drag_update, self);
  PRISM_CONNECT (drag, "drag-end", on_drag_end, self);
  PRISM_CONNECT (click, "pressed", on_secondary, self);
  PRISM_CONNECT (motion, "enter", on_motion, self);
  PRISM_CONNECT (motion, "motion", on_motion, self);
  PRISM_CONNECT (motion, "leave", on_pointer_left, self);
  PRISM_CONNECT (keys, "key-pressed", on_key, self);
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      gtk_event_controller_set_propagation_phase (all[i], GTK_PHASE_CAPTURE);
      self->controllers[i] = g_object_ref (all[i]);
      gtk_widget_add_controller (GTK_WIDGET (self->canvas), all[i]);
    }
}

/**
 * prism_kspace_edit_new:
 * @canvas: of the k-space view; it outlives what is returned
 *
 * Returns: (transfer full): an editor that is not active yet
 */
PrismKspaceEdit *
prism_kspace_edit_new (PrismCanvas *canvas)
{
  PrismKspaceEdit *self = g_object_new (PRISM_TYPE_KSPACE_EDIT, NULL);

  self->canvas = canvas;
  add_controllers (self);
  return self;
}

/**
 * prism_kspace_edit_set_active:
 * @self: an editor
 * @active: whether pointer and keys place positions
 *
 * Begins with no position held.
 */
void
prism_kspace_edit_set_active (PrismKspaceEdit *self,
                              gboolean active)
{
  if (self->active == active)
    return;
  self->active = active;
  self->hovering = self->added = self->moved = FALSE;
  prism_point_list_select (self->list, -1);
  prism_canvas_redraw (self->canvas);
}

/**
 * prism_kspace_edit_move_crosshair:
 * @self: an editor
 *
 * Lets the crosshair of the canvas follow the position that is held, if one is.
 */
void
prism_kspace_edit_move_crosshair (PrismKspaceEdit *self)
{
  int selected = self->list->selected;
  const PrismPoint *point;
  PrismFrame frame;

  if (selected < 0 || !prism_canvas_get_frame (self->canvas, &frame))
    return;
  point = prism_point_list_get (self->list, selected);
  prism_viewport_set_cursor (self->canvas->viewport,
                             (point->x + frame.image_width / 2 + 0.5) / frame.image_width,
                             (point->y + frame.image_height / 2 + 0.5) / frame.image_height);
}
