#include "config.h"

#include "window/prism-window-private.h"

#include "benchmark/prism-series-kind.h"
#include "profiling/prism-performance-window.h"
#include "support/prism-settings.h"

#include <glib/gi18n.h>

/* Runs at a time are no setting of a run: the next sweep takes them. */
static void
on_apply (PrismPerformanceWindow *window, int kind, int value, gpointer data)
{
  PrismWindow *self = data;
  g_auto (GStrv) settings = prism_series_dup_settings (kind, value);
  g_autofree char *name = prism_series_dup_name (kind, value);
  g_autofree char *text
      = g_strdup_printf (_ ("%s: %s"), _ (prism_series_get_info (kind)->label), name);
  g_autoptr (GError) error = NULL;

  if (kind == PRISM_SERIES_RUNS)
    g_object_set (prism_settings_get_default (), "sweep-jobs", value, NULL);
  else
    prism_draft_set_several (self->draft, (const char *const *) settings, text, NULL, &error);
  prism_performance_window_show_toast (window, error != NULL ? error->message : text);
}

static void
on_performance (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PrismWindow *self = data;
  GtkWidget *window = prism_performance_window_new (prism_draft_get_config (self->draft));

  g_signal_connect_object (window, "apply", G_CALLBACK (on_apply), self, 0);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (self));
  gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
  gtk_window_present (GTK_WINDOW (window));
}

/**
 * prism_window_install_performance:
 * @self: a window
 *
 * Adds the action that measures which sizes pay.
 */
void
prism_window_install_performance (PrismWindow *self)
{
  static const GActionEntry entries[] = { { "performance", on_performance } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}
