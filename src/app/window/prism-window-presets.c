#include "config.h"

#include "config/prism-preset.h"
#include "config/prism-scenario.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-index.h"
#include "window/prism-window-private.h"

#define N_FIXED 3 /* sections of the menu */

/* What the window asks before it keeps a preset. */
typedef struct
{
  PrismWindow *window;
  GtkEditable *name;
  GtkEditable *help;
} Asking;

static const PrismPreset *
find_builtin (const char *id)
{
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    if (g_str_equal (presets[i].id, id))
      return &presets[i];
  return NULL;
}

/* Most presets of the program say how to reconstruct; what is looked at stays. The user's own state
 * everything. Where it is computed stays in any case. */
static void
on_preset (PrismWindow *self,
           const char *id)
{
  const PrismPreset *builtin = find_builtin (id);
  const gboolean is_scene = builtin == NULL || builtin->scene;
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = prism_preset_load (id, &error);

  if (config == NULL)
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  prism_window_set_opened (self, NULL);
  if (is_scene)
    prism_window_end_reading (self);
  prism_draft_set_preset (self->draft, config, is_scene, _ ("Preset applied"));
}

/* A name with what it means below it. */
static void
append_preset (GMenu *menu,
               const char *id,
               const char *label,
               const char *help)
{
  g_autofree char *text
      = *help != '\0' ? g_strdup_printf ("%s\n\u2003%s", label, help) : g_strdup (label);
  g_autoptr (GMenuItem) item = g_menu_item_new (NULL, NULL);

  g_menu_item_set_label (item, text);
  g_menu_item_set_action_and_target (item, "win.preset", "s", id);
  g_menu_append_item (menu, item);
}

static GMenuModel *
new_own (void)
{
  GMenu *menu = g_menu_new ();
  g_auto (GStrv) ids = prism_preset_store_dup_own ();

  PRISM_FOR_EACH_STRING (id, ids)
    {
      g_autofree char *help = prism_preset_dup_help (*id);
      g_auto (GStrv) parts = g_strsplit (*id, "_", -1);
      g_autofree char *label = g_strjoinv ("__", parts);

      /* Nobody chose its letters: an underscore is one. */
      append_preset (menu, *id, label, help);
    }
  return G_MENU_MODEL (menu);
}

static GMenuModel *
new_scenarios (void)
{
  GMenu *menu = g_menu_new ();
  gsize n_scenarios;
  const PrismScenario *scenarios = prism_scenario_get_all (&n_scenarios);

  for (gsize i = 0; i < n_scenarios; i++)
    {
      g_autofree char *help = prism_scenario_dup_help (scenarios[i].id, NULL);

      append_preset (menu, scenarios[i].id, gettext (scenarios[i].label), help);
    }
  return G_MENU_MODEL (menu);
}

/* What is the same for everybody. */
static void
append_fixed (GMenu *menu)
{
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);
  g_autoptr (GMenu) methods = g_menu_new ();
  g_autoptr (GMenu) scenes = g_menu_new ();
  g_autoptr (GMenu) keep = g_menu_new ();
  g_autoptr (GMenuModel) scenarios = new_scenarios ();

  for (gsize i = 0; i < n_presets; i++)
    append_preset (presets[i].scene ? scenes : methods, presets[i].id, gettext (presets[i].label),
                   gettext (presets[i].help));
  g_menu_append_submenu (scenes, _ ("Microscopes and cameras that fly"), scenarios);
  g_menu_append (keep, _ ("Save as _preset…"), "win.save-preset");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (keep));
  g_menu_append_section (menu, _ ("How to reconstruct"), G_MENU_MODEL (methods));
  g_menu_append_section (menu, _ ("What to look at"), G_MENU_MODEL (scenes));
}

/* The user's own come first, and alone are made anew: GTK keeps the page of a submenu that goes. */
static void
fill (PrismWindow *self)
{
  g_autoptr (GMenuModel) own = new_own ();
  GMenu *menu = self->preset_menu;

  if (g_menu_model_get_n_items (G_MENU_MODEL (menu)) == 0)
    append_fixed (menu);
  else if (g_menu_model_get_n_items (G_MENU_MODEL (menu)) > N_FIXED)
    g_menu_remove (menu, 0);
  if (g_menu_model_get_n_items (own) > 0)
    g_menu_prepend_section (menu, _ ("Your own"), own);
}

static void
on_answer (Asking *self,
           const char *response,
           AdwMessageDialog *dialog)
{
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (self->name)));
  const char *help = gtk_editable_get_text (self->help);
  g_autoptr (GError) error = NULL;

  if (!g_str_equal (response, "save"))
    return;
  if (!prism_preset_save (name, help, self->window->draft->config, &error))
    {
      prism_window_show_problem (self->window, error->message);
      return;
    }
  fill (self->window);
  prism_window_show_toast (self->window, _ ("Preset saved"));
}

static void
on_name_changed (Asking *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self->name));
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (self->name)));

  if (ADW_IS_MESSAGE_DIALOG (root))
    adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (root), "save", *name != '\0');
}

static GtkEditable *
append_entry (GtkWidget *list,
              const char *title)
{
  GtkWidget *row = adw_entry_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_list_box_append (GTK_LIST_BOX (list), row);
  return GTK_EDITABLE (row);
}

static void
on_save_preset (PrismWindow *self)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), _ ("Save as preset"),
                                              _ ("All values but those of the device are kept."));
  GtkWidget *list = gtk_list_box_new ();
  Asking *asking;

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  asking = PRISM_NEW (Asking, self, append_entry (list, _ ("Name")),
                      append_entry (list, _ ("Description")));
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), list);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "save",
                                    _ ("_Save"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "save",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "save");
  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (dialog), "save", FALSE);
  g_object_set_data_full (G_OBJECT (dialog), "asking", asking, g_free);
  g_signal_connect_swapped (dialog, "response", G_CALLBACK (on_answer), asking);
  g_signal_connect_swapped (asking->name, "changed", G_CALLBACK (on_name_changed), asking);
  gtk_window_present (GTK_WINDOW (dialog));
}

#define MAX_RECENT 8
#define RECENT_GROUP "prism-studio" /* of what prism_window_remember() adds */

static int
compare_age (gconstpointer a,
             gconstpointer b)
{
  GDateTime *time_a = gtk_recent_info_get_modified ((GtkRecentInfo *) a);
  GDateTime *time_b = gtk_recent_info_get_modified ((GtkRecentInfo *) b);

  /* A time that GLib cannot hold is none. */
  if (time_a == NULL || time_b == NULL)
    return (time_b != NULL) - (time_a != NULL);
  return g_date_time_compare (time_b, time_a);
}

/* The files that this program opened last and that are still there. */
static void
fill_recent (PrismWindow *self)
{
  g_autolist (GtkRecentInfo) infos
      = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  guint n = 0;

  g_menu_remove_all (self->recent_menu);
  infos = g_list_sort (infos, compare_age);
  for (GList *link = infos; link != NULL && n < MAX_RECENT; link = link->next)
    {
      GtkRecentInfo *info = link->data;
      g_autoptr (GMenuItem) item = NULL;
      g_autoptr (GString) label = NULL;

      /* GTK's dialogs add what they are given under this program's name, too: exports, folders. */
      if (!gtk_recent_info_has_application (info, g_get_application_name ())
          || !gtk_recent_info_has_group (info, RECENT_GROUP) || !gtk_recent_info_exists (info))
        continue;
      /* An underline in a file name is no mnemonic. */
      label = g_string_new (gtk_recent_info_get_display_name (info));
      g_string_replace (label, "_", "__", 0);
      item = g_menu_item_new (label->str, NULL);
      g_menu_item_set_action_and_target (item, "win.open-uri", "s", gtk_recent_info_get_uri (info));
      g_menu_append_item (self->recent_menu, item);
      n++;
    }
  gtk_widget_set_sensitive (self->recent_button, n > 0);
}

/**
 * prism_window_remember:
 * @path: of a file that was opened or saved
 * @mime_type: what it is
 *
 * Adds it to the recent files; a run under its own name.
 */
void
prism_window_remember (const char *path,
                       const char *mime_type)
{
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  g_autofree char *name = g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX)
                              ? prism_run_catalogue_dup_name (path, NULL)
                              : NULL;
  static char *groups[] = { RECENT_GROUP, NULL };
  GtkRecentData recent = { 0 };

  recent.display_name = name;
  recent.mime_type = (char *) mime_type;
  recent.app_name = (char *) g_get_application_name ();
  recent.app_exec = (char *) "prism-studio %F";
  recent.groups = groups;
  if (uri != NULL)
    gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &recent);
}

/**
 * prism_window_install_presets:
 * @self: a window with a session
 *
 * Fills the menus of presets and of recent files, and adds what they call.
 */
void
prism_window_install_presets (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "preset", on_preset, "s" },
                        { "save-preset", on_save_preset });
  fill (self);
  PRISM_CONNECT (gtk_recent_manager_get_default (), "changed", fill_recent, self);
  fill_recent (self);
}
