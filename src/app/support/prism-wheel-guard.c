#include "config.h"

#include "support/prism-wheel-guard.h"

/* Spin buttons and scales of GTK 4.8 take the wheel wherever the pointer is, also when it only
 * passes over them while a page is scrolled. */

#define KEY "prism-wheel-guard"

/* Lets a field take the wheel, or leave it to what is around. */
static void
update_field (GtkEventControllerFocus *focus)
{
  GtkWidget *field = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (focus));
  gboolean focused = gtk_event_controller_focus_contains_focus (focus);
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (field);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_event_controller_set_propagation_phase (controller, focused ? GTK_PHASE_BUBBLE
                                                                        : GTK_PHASE_NONE);
    }
}

static void
guard_field (GtkWidget *field)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();

  g_object_set_data (G_OBJECT (field), KEY, focus);
  g_signal_connect (focus, "notify::contains-focus", G_CALLBACK (update_field), NULL);
  gtk_widget_add_controller (field, focus);
  update_field (GTK_EVENT_CONTROLLER_FOCUS (focus));
}

static gboolean
on_map (GSignalInvocationHint *hint,
        guint n_values,
        const GValue *values,
        gpointer data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if ((GTK_IS_SPIN_BUTTON (widget) || GTK_IS_SCALE (widget))
      && g_object_get_data (G_OBJECT (widget), KEY) == NULL
      && gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW) != NULL)
    guard_field (widget);
  return TRUE;
}

/**
 * prism_wheel_guard_init:
 *
 * From now on spin buttons and scales in scrolled pages, of any window, leave the wheel to the page
 * until they have the focus.
 *
 * Thread: main.
 */
void
prism_wheel_guard_init (void)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (GTK_TYPE_WIDGET);

  g_signal_add_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), 0, on_map, NULL, NULL);
}
