#include "config.h"

#include "window/prism-window-private.h"

#include "support/prism-toaster.h"

#include <glib/gi18n.h>

/* What every part of the window needs of it: to say what was done and what failed, to write files,
 * and to offer what can be done. */

/**
 * prism_window_set_enabled:
 * @self: a window
 * @name: of one of its actions, without "win."
 * @enabled: whether it can be chosen now
 *
 * Says whether an entry of the menus makes sense; nobody is told when nothing has changed.
 */
void
prism_window_set_enabled (PrismWindow *self,
                          const char *name,
                          gboolean enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), name);

  if (g_action_get_enabled (action) != enabled)
    g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

/**
 * prism_window_show_toast:
 * @self: a window
 * @text: a few words
 *
 * Says that something was done.
 */
void
prism_window_show_toast (PrismWindow *self,
                         const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  prism_toaster_add (self->toast_overlay, adw_toast_new (markup));
}

/**
 * prism_window_show_saved:
 * @self: a window
 * @path: of a file or folder that was written
 *
 * Says what was saved, and offers to show where.
 */
void
prism_window_show_saved (PrismWindow *self,
                         const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("Saved “%s”"), name);
  g_autofree char *markup = g_markup_escape_text (text, -1);
  AdwToast *toast = adw_toast_new (markup);

  adw_toast_set_button_label (toast, _ ("_Show folder"));
  adw_toast_set_action_name (toast, "win.show-folder");
  adw_toast_set_action_target (toast, "s", path);
  adw_toast_set_timeout (toast, 8);
  prism_toaster_add (self->toast_overlay, toast);
}

/**
 * prism_window_show_problem:
 * @self: a window
 * @sentence: what went wrong and what to do
 *
 * Shows a failure until it is closed.
 */
void
prism_window_show_problem (PrismWindow *self,
                           const char *sentence)
{
  prism_notice_show (self->notice, sentence, TRUE);
}

/**
 * prism_window_hide_problem:
 * @self: a window
 *
 * Takes a failure away that does not hold any more.
 */
void
prism_window_hide_problem (PrismWindow *self)
{
  prism_notice_hide (self->notice);
}

static void
on_saved (const char *path,
          const GError *error,
          gpointer data)
{
  g_autoptr (PrismWindow) self = data;

  if (error == NULL)
    prism_window_show_saved (self, path);
  else
    prism_window_show_problem (self, error->message);
}

/**
 * prism_window_save:
 * @self: a window
 * @func: writes
 * @data: (transfer full): what is written
 * @destroy: frees @data
 * @path: the file or folder
 *
 * Writes on another thread, and says how it went.
 */
void
prism_window_save (PrismWindow *self,
                   PrismFileSaverFunc func,
                   gpointer data,
                   GDestroyNotify destroy,
                   const char *path)
{
  prism_file_saver_save (func, data, destroy, path, on_saved, g_object_ref (self));
}

/**
 * prism_window_refuse_recorded:
 * @self: a window
 * @sentence: why it cannot be done, and what can
 *
 * Before what only a telescope that is simulated can do: says so where frames were recorded.
 *
 * Returns: whether it is refused
 */
gboolean
prism_window_refuse_recorded (PrismWindow *self,
                              const char *sentence)
{
  if (!prism_session_get_recorded (self->session))
    return FALSE;
  prism_window_show_problem (self, sentence);
  return TRUE;
}
