#include "config.h"

#include "window/prism-window-private.h"

#include "support/prism-wording.h"

#include <glib/gi18n.h>

static void
show_read_only (PrismWindow *self,
                const char *name)
{
  g_autofree char *uri
      = g_filename_to_uri (prism_session_get_run_file (self->session), NULL, NULL);
  g_autofree char *text = g_strdup_printf (
      _ ("Another program writes “%s”: it is read-only here, as it was saved last."), name);
  g_autoptr (GVariant) target = g_variant_ref_sink (g_variant_new_string (uri));
  g_autofree char *action = g_action_print_detailed_name ("win.open-uri", target);

  prism_notice_show (self->run_notice, text, FALSE);
  prism_notice_add_button (self->run_notice, _ ("Look again"), action);
  prism_notice_add_button (self->run_notice, _ ("Resume a copy"), "win.run");
}

/* A fork that has not gone on yet: where it stands, and what can be done. */
static void
show_fork (PrismWindow *self)
{
  PrismSnapshot *snapshot = prism_session_get_snapshot (self->session);
  g_autofree char *name = g_filename_display_basename (self->forked_from);
  g_autofree char *text
      = snapshot->step == 0
            ? g_strdup_printf (_ ("A fork of “%s” that stands at the beginning."), name)
            : g_strdup_printf (_ ("A fork of “%s” that stands at sample %u of %u."), name,
                               prism_wording_count_samples (snapshot), snapshot->n_samples);

  prism_notice_show (self->run_notice, text, FALSE);
  prism_notice_add_button (self->run_notice, _ ("Resume"), "win.run");
  prism_notice_add_button (self->run_notice, _ ("Back to the forked run"), "win.fork-back");
}

/**
 * prism_window_show_resting:
 * @self: a window whose run comes from a file and stands still
 *
 * Says where the run stands, and what can be done with it.
 */
void
prism_window_show_resting (PrismWindow *self)
{
  PrismSnapshot *snapshot = prism_session_get_snapshot (self->session);
  const char *path = prism_session_get_run_file (self->session);
  gboolean paused = prism_session_get_state (self->session) == PRISM_STATE_PAUSED;
  g_autofree char *name = path != NULL ? g_filename_display_basename (path) : g_strdup ("");
  g_autofree char *text = NULL;

  if (prism_session_get_read_only (self->session))
    {
      show_read_only (self, name);
      return;
    }
  if (self->forked_from != NULL)
    {
      show_fork (self);
      return;
    }
  text = paused ? g_strdup_printf (_ ("“%s” stands at sample %u of %u."), name,
                                   prism_wording_count_samples (snapshot), snapshot->n_samples)
                : g_strdup_printf (_ ("“%s” is finished."), name);
  prism_notice_show (self->run_notice, text, FALSE);
  if (paused)
    prism_notice_add_button (self->run_notice, _ ("Resume"), "win.run");
  prism_notice_add_button (self->run_notice, _ ("Run anew"), "win.restart");
}
