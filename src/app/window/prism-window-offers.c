#include "config.h"

#include "model/prism-config-check.h"
#include "window/prism-window-private.h"

#include "base/prism-error.h"

#include <glib/gi18n.h>

/* What can be done about a run that a device had no memory for: ready-made changes of the
 * parameters, each to be undone like any other. */

static void
set_parameter (PrismWindow *self,
               const char *key,
               const char *text)
{
  g_autoptr (GError) error = NULL;

  if (!prism_draft_set_parameter (self->draft, prism_config_get_param (key), text, &error))
    prism_window_show_problem (self, error->message);
}

/* The object gets coarser pixels in the same field; the telescope stays as it is. */
static void
halve_sizes (PrismWindow *self)
{
  g_autoptr (PrismConfig) config = prism_config_dup (prism_draft_get_config (self->draft));
  g_autoptr (GError) error = NULL;

  config->image_size /= 2;
  config->object_size = config->object_size / 4 * 2;
  config->roi = MIN (config->roi, config->image_size);
  if (prism_config_check (config, &error))
    prism_draft_set_config (self->draft, config, _ ("Sizes halved"));
  else
    prism_window_show_problem (self, error->message);
}

static void
on_offer (GSimpleAction *action,
          GVariant *parameter,
          gpointer data)
{
  PrismWindow *self = data;
  const char *what = g_variant_get_string (parameter, NULL);

  prism_notice_hide (self->notice);
  if (g_str_equal (what, "halve"))
    halve_sizes (self);
  else if (g_str_equal (what, "cpu"))
    set_parameter (self, "backend", "cpu");
}

/**
 * prism_window_install_offers:
 * @self: a window
 *
 * Adds the action behind the buttons of prism_window_show_offers().
 */
void
prism_window_install_offers (PrismWindow *self)
{
  static const GActionEntry entries[] = { { "offer", on_offer, "s" } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}

/* The run is safe in memory, or has not begun. */
static void
offer_places (PrismWindow *self)
{
  self->save_problem = TRUE;
  prism_notice_add_button (self->notice, _ ("Try again"), "win.run");
  prism_notice_add_button (self->notice, _ ("Save elsewhere…"), "win.save-run");
  prism_notice_add_button (self->notice, _ ("Run unsaved"), "win.run-unsaved");
}

/**
 * prism_window_show_offers:
 * @self: a window whose notice is shown
 * @code: #PrismError of the notice, -1 for none
 * @failed: whether the run has ended; otherwise it went on on the processor
 *
 * Adds to a notice about missing memory what would need less of it, and to one about a run that
 * cannot be saved what can be done instead.
 */
void
prism_window_show_offers (PrismWindow *self,
                          int code,
                          gboolean failed)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);
  gboolean on_gpu = config->backend != PRISM_BACKEND_CPU
                    && (!failed || config->backend != PRISM_BACKEND_AUTO);

  if (code == PRISM_ERROR_IO && prism_session_get_unsaved (self->session))
    offer_places (self);
  if (code != PRISM_ERROR_MEMORY)
    return;
  if (config->image_size / 2 >= prism_config_get_param ("image_size")->minimum
      && config->object_size / 4 * 2 >= prism_config_get_param ("object_size")->minimum)
    prism_notice_add_button (self->notice, _ ("Halve the sizes"), "win.offer::halve");
  if (on_gpu)
    prism_notice_add_button (self->notice, _ ("Use the processor"), "win.offer::cpu");
}
