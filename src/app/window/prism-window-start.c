#include "config.h"

#include "base/prism-each.h"
#include "config/prism-builtin.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"
#include "support/prism-ui-text.h"
#include "window/prism-window-private.h"

/* Ways in, where the reconstruction will be: the last results come with those that are always
 * there. */

#define MOST 3

/* Another thread. */
static gpointer
find_last (gpointer data,
           GError **error)
{
  return prism_run_card_read_last (MOST);
}

static void
add_way (GtkBox *ways,
         const PrismRunCard *card)
{
  g_autofree char *uri = g_filename_to_uri (card->path, NULL, NULL);
  g_autofree char *time = prism_machine_wording_dup_time (card->saved);
  g_autofree char *object = card->name[0] != '\0' ? g_strdup (card->name)
                                                  : prism_builtin_dup_label (card->object);
  const guint number = prism_run_folder_get_number (card->path);
  g_autofree char *label
      = number > 0 ? g_strdup_printf (_ ("Go on with run %u, “%s”, %s"), number, object, time)
                   : g_strdup_printf (_ ("Go on with “%s”, %s"), object, time);
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_label_set_ellipsize (GTK_LABEL (gtk_button_get_child (GTK_BUTTON (button))),
                           PANGO_ELLIPSIZE_END);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.open-uri");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", uri);
  gtk_widget_add_css_class (button, "last");
  gtk_box_append (ways, button);
}

static GtkBox *
get_ways (PrismWindow *self)
{
  return GTK_BOX (gtk_widget_get_template_child (GTK_WIDGET (self->dashboard),
                                                 PRISM_TYPE_DASHBOARD, "ways"));
}

static void
show_last (PrismWindow *self,
           gpointer data,
           GPtrArray *cards,
           const GError *error)
{
  GtkBox *ways = get_ways (self);

  while (gtk_widget_has_css_class (gtk_widget_get_last_child (GTK_WIDGET (ways)), "last"))
    gtk_box_remove (ways, gtk_widget_get_last_child (GTK_WIDGET (ways)));
  PRISM_FOR_EACH_POINTER (PrismRunCard, card, cards)
    add_way (ways, card);
}

static void
on_state_changed (PrismWindow *self)
{
  static const PrismJob job
      = { "last results", find_last, show_last, NULL, g_ptr_array_unref };

  if (self->session->state == PRISM_STATE_IDLE)
    prism_job_start (&job, self, NULL, NULL);
}

/**
 * prism_window_install_start:
 * @self: a window that has its dashboard
 *
 * Fills the ways in wherever nothing has been reconstructed yet. A lesson is a way of its own.
 */
void
prism_window_install_start (PrismWindow *self)
{
  g_object_bind_property (self->parameters, "visible", get_ways (self),
                          "visible", G_BINDING_SYNC_CREATE);
  PRISM_CONNECT (self->session, "notify::state", on_state_changed, self);
  on_state_changed (self);
}
