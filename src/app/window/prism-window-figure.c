#include "config.h"

#include "window/prism-window-private.h"

#include "output/prism-figure-dialog.h"
#include "support/prism-file-dialog.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>

static const char *const panels[] = { "reconstruction", "target", "measurement", "kspace", "error",
                                      "chart-1", "chart-2", "chart-3", "chart-4" };

/* The dialog stays open beneath the one that asks for the file. */
static void
on_path_chosen (const char *path,
                gpointer data)
{
  PrismFigureDialog *dialog = data;
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (dialog));
  g_autoptr (GError) error = NULL;

  if (parent == NULL)
    return;
  if (prism_figure_dialog_save (dialog, path, &error))
    prism_window_show_saved (PRISM_WINDOW (parent), path);
  else
    prism_window_show_problem (PRISM_WINDOW (parent), error->message);
  gtk_window_close (GTK_WINDOW (dialog));
}

static void
on_accepted (PrismFigureDialog *dialog)
{
  static const char *const patterns[] = { "*.pdf", "*.svg", "*.png", NULL };
  g_autofree char *name = g_strconcat ("figure.", prism_figure_dialog_get_ending (dialog), NULL);
  const PrismFileDialog file_dialog = { .mode = PRISM_FILE_DIALOG_SAVE,
                                        .title = _ ("Save figure: .png, .svg or .pdf"),
                                        .accept = _ ("_Save"),
                                        .name = name,
                                        .filter_label = _ ("Figures"),
                                        .patterns = patterns };

  prism_file_dialog_show (&file_dialog, GTK_WINDOW (dialog), on_path_chosen, g_object_ref (dialog),
                          g_object_unref);
}

static void
add_panel (PrismWindow *self,
           PrismFigureDialog *dialog,
           const char *id,
           const char *chosen)
{
  PrismPanel *panel = prism_dashboard_get_panel (self->dashboard, id);
  GtkWidget *child = panel != NULL ? prism_panel_get_child (panel) : NULL;

  if (child == NULL)
    return;
  if (!PRISM_IS_VIEW (child) || prism_view_get_image (PRISM_VIEW (child)) != NULL)
    prism_figure_dialog_add (dialog, child, prism_panel_get_title (panel),
                             g_str_equal (id, chosen));
}

static void
on_figure (GSimpleAction *action,
           GVariant *parameter,
           gpointer data)
{
  PrismWindow *self = data;
  PrismSnapshot *shown = prism_session_get_shown (self->session);
  g_autofree char *origin = shown != NULL ? prism_wording_dup_origin (shown) : NULL;
  PrismFigureDialog *dialog = prism_figure_dialog_new (GTK_WINDOW (self), origin);

  for (gsize i = 0; i < G_N_ELEMENTS (panels); i++)
    add_panel (self, dialog, panels[i], g_variant_get_string (parameter, NULL));
  g_signal_connect (dialog, "accepted", G_CALLBACK (on_accepted), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

/**
 * prism_window_install_figure:
 * @self: a window that has its dashboard
 *
 * Adds what makes a figure of several panels.
 */
void
prism_window_install_figure (PrismWindow *self)
{
  static const GActionEntry entries[] = { { "figure", on_figure, "s" } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
}
