#include "config.h"

#include "window/prism-window-private.h"

#include <glib/gi18n.h>

/* What the next run will take, where that is one with the edited settings. */
static void
update (PrismWindow *self)
{
  const char *text = prism_forecaster_get_text (self->forecaster);
  const char *detail = prism_forecaster_get_detail (self->forecaster);

  gtk_label_set_text (GTK_LABEL (self->forecast_label), text != NULL ? text : "");
  gtk_widget_set_tooltip_text (self->forecast_label,
                               detail != NULL ? detail : _ ("Memory that the run will need"));
  gtk_widget_set_visible (self->forecast_box,
                          text != NULL && !prism_lesson_panel_is_busy (self->lesson_panel));
}

/**
 * prism_window_install_forecast:
 * @self: a window with a session
 *
 * Shows beside Run what the next run will take.
 */
void
prism_window_install_forecast (PrismWindow *self)
{
  self->forecaster = prism_forecaster_new (self->session);
  g_signal_connect_object (self->forecaster, "notify::text", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->lesson_panel, "notify::busy", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}

/**
 * prism_window_tell_time:
 * @self: a window
 *
 * Lets the window time the machine where it does not know how long a run will take.
 */
void
prism_window_tell_time (PrismWindow *self)
{
  prism_forecaster_set_timing (self->forecaster, TRUE);
}
