#include "config.h"

#include "window/prism-splitter.h"

#include <glib/gi18n.h>

#define KEY_STEP 16 /* px */

struct _PrismSplitter
{
  GtkWidget parent_instance;

  GtkOrientation orientation; /* in which it moves */
};

enum
{
  MOVED,
  NUDGED,
  RESET,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismSplitter, prism_splitter, GTK_TYPE_WIDGET)

static void
move (PrismSplitter *self,
      double x,
      double y)
{
  gboolean sideways = self->orientation == GTK_ORIENTATION_HORIZONTAL;
  GtkWidget *parent = gtk_widget_get_parent (GTK_WIDGET (self));

  if (gtk_widget_translate_coordinates (GTK_WIDGET (self), parent, x, y, &x, &y))
    g_signal_emit (self, signals[MOVED], 0, (int) (sideways ? x : y));
}

/* Offsets are counted from where the splitter is, which follows them. */
static void
on_drag_update (GtkGestureDrag *gesture,
                double x,
                double y,
                PrismSplitter *self)
{
  move (self, x, y);
}

static void
on_drag_begin (GtkGestureDrag *gesture,
               double x,
               double y,
               PrismSplitter *self)
{
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_pressed (GtkGestureClick *gesture,
            int n_presses,
            double x,
            double y,
            PrismSplitter *self)
{
  if (n_presses == 2)
    g_signal_emit (self, signals[RESET], 0);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType state,
        PrismSplitter *self)
{
  gboolean sideways = self->orientation == GTK_ORIENTATION_HORIZONTAL;

  /* Several may come before the splitter is allocated anew: each counts from where it will be. */
  if (key == (sideways ? GDK_KEY_Left : GDK_KEY_Up))
    g_signal_emit (self, signals[NUDGED], 0, -KEY_STEP);
  else if (key == (sideways ? GDK_KEY_Right : GDK_KEY_Down))
    g_signal_emit (self, signals[NUDGED], 0, KEY_STEP);
  else if (key == GDK_KEY_Delete || key == GDK_KEY_BackSpace)
    g_signal_emit (self, signals[RESET], 0);
  else
    return FALSE;
  return TRUE;
}

static void
prism_splitter_class_init (PrismSplitterClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  signals[MOVED] = g_signal_new ("moved", PRISM_TYPE_SPLITTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  signals[NUDGED] = g_signal_new ("nudged", PRISM_TYPE_SPLITTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  signals[RESET] = g_signal_new ("reset", PRISM_TYPE_SPLITTER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "splitter");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SEPARATOR);
}

static void
prism_splitter_init (PrismSplitter *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
}

/**
 * prism_splitter_new:
 * @orientation: in which it moves
 * @number: from 1
 *
 * Thread: main.
 *
 * Returns: (transfer floating): a splitter
 */
GtkWidget *
prism_splitter_new (GtkOrientation orientation,
                    int number)
{
  PrismSplitter *self = g_object_new (PRISM_TYPE_SPLITTER, NULL);
  gboolean sideways = orientation == GTK_ORIENTATION_HORIZONTAL;
  g_autofree char *label = g_strdup_printf (sideways ? _ ("Right edge of column %d")
                                                     : _ ("Lower edge of row %d"),
                                            number);

  self->orientation = orientation;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), sideways ? "col-resize" : "row-resize");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return GTK_WIDGET (self);
}
