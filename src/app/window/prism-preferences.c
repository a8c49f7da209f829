#include "config.h"

#include "window/prism-preferences.h"

#include "base/prism-directory.h"
#include "library/prism-library-limits.h"
#include "prism-mapping.h"
#include "support/prism-question.h"
#include "support/prism-settings.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>

struct _PrismPreferences
{
  AdwPreferencesWindow parent_instance;

  GtkDropDown *theme_list;
  GtkDropDown *colormap_list;
  GtkDropDown *stretch_list;
  GtkSwitch *preview_switch;
  GtkSpinButton *rate_spin;
  GtkSpinButton *step_spin;
  GtkSpinButton *kept_spin;
  GtkSpinButton *kept_size_spin;
  AdwActionRow *folder_row;
  AdwActionRow *cache_row;
  AdwPreferencesGroup *volatile_group;
};

G_DEFINE_FINAL_TYPE (PrismPreferences, prism_preferences, ADW_TYPE_PREFERENCES_WINDOW)

/* Of the rows of a list: nick and label of the setting's values, in the same order. */
typedef struct
{
  GtkDropDown *list;
  const char *property;
  GPtrArray *nicks; /* of char * */
  GtkStringList *labels;
} Choice;

static void
choice_free (gpointer data,
             GClosure *closure)
{
  Choice *choice = data;

  g_ptr_array_unref (choice->nicks);
  g_free (choice);
}

static void
on_selected (GtkDropDown *list,
             GParamSpec *pspec,
             Choice *choice)
{
  guint selected = gtk_drop_down_get_selected (list);

  if (selected < choice->nicks->len)
    g_object_set (prism_settings_get_default (), choice->property,
                  g_ptr_array_index (choice->nicks, selected), NULL);
}

static Choice *
choice_new (GtkDropDown *list,
            const char *property)
{
  Choice *choice = g_new0 (Choice, 1);

  choice->list = list;
  choice->property = property;
  choice->nicks = g_ptr_array_new_with_free_func (g_free);
  choice->labels = gtk_string_list_new (NULL);
  return choice;
}

static void
choice_add (Choice *choice,
            const char *nick,
            const char *label)
{
  g_ptr_array_add (choice->nicks, g_strdup (nick));
  gtk_string_list_append (choice->labels, label);
}

static void
choice_connect (Choice *choice)
{
  g_autofree char *current = NULL;
  guint selected;

  g_object_get (prism_settings_get_default (), choice->property, &current, NULL);
  gtk_drop_down_set_model (choice->list, G_LIST_MODEL (choice->labels));
  g_object_unref (choice->labels);
  if (g_ptr_array_find_with_equal_func (choice->nicks, current, g_str_equal, &selected))
    gtk_drop_down_set_selected (choice->list, selected);
  g_signal_connect_data (choice->list, "notify::selected", G_CALLBACK (on_selected), choice,
                         choice_free, 0);
}

static void
set_up_theme (PrismPreferences *self)
{
  Choice *choice = choice_new (self->theme_list, "theme");

  choice_add (choice, "follow", _ ("Follow the system"));
  choice_add (choice, "light", _ ("Light"));
  choice_add (choice, "dark", _ ("Dark"));
  choice_connect (choice);
}

static void
set_up_colormap (PrismPreferences *self)
{
  Choice *choice = choice_new (self->colormap_list, "colormap");
  g_autoptr (GEnumClass) colormaps = g_type_class_ref (PRISM_TYPE_COLORMAP);

  /* The last two are for differences and for the overlay, not for images. */
  for (int i = PRISM_COLORMAP_GREY; i < PRISM_COLORMAP_COOLWARM; i++)
    choice_add (choice, g_enum_get_value (colormaps, i)->value_nick, prism_colormap_get_label (i));
  choice_connect (choice);
}

static void
set_up_stretch (PrismPreferences *self)
{
  Choice *choice = choice_new (self->stretch_list, "stretch");
  g_autoptr (GEnumClass) stretches = g_type_class_ref (PRISM_TYPE_STRETCH);

  for (guint i = 0; i < stretches->n_values; i++)
    choice_add (choice, stretches->values[i].value_nick,
                prism_stretch_get_label (stretches->values[i].value));
  choice_connect (choice);
}

/* Other thread. */
static char *
describe_folder (gpointer data,
                 GCancellable *cancellable)
{
  PrismRunLimits *limits = data;
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *catalogue = prism_run_catalogue_dup_folder ();
  g_autoptr (GPtrArray) entries = prism_run_folder_list (folder);

  limits->marked = prism_run_catalogue_load_marked (catalogue, NULL);
  return prism_library_limits_dup_text (limits, entries);
}

static void
show_folder (GtkWidget *row,
             gpointer data,
             const char *text)
{
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text != NULL ? text : "");
}

static void
limits_free (gpointer data)
{
  PrismRunLimits *limits = data;

  g_clear_pointer (&limits->marked, g_hash_table_unref);
  g_free (limits);
}

static void
ask_about_folder (PrismPreferences *self)
{
  static const PrismQuestion question
      = { "kept runs", describe_folder, show_folder, limits_free };
  PrismRunLimits *limits = g_new (PrismRunLimits, 1);

  prism_library_limits_init (limits);
  prism_question_ask (&question, GTK_WIDGET (self->folder_row), limits, 0);
}

static void
show_cache (PrismPreferences *self)
{
  guint64 bytes = 0;
  guint n_files = 0;
  g_autofree char *size = NULL, *text = NULL;

  for (int i = 0; i < PRISM_N_USER_CACHES; i++)
    {
      PrismUserCacheUse use;

      prism_user_cache_look (i, &use);
      n_files += use.n_files;
      bytes += use.bytes;
    }
  size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  text = g_strdup_printf (ngettext ("%u file, %s", "%u files, %s", n_files), n_files, size);
  adw_action_row_set_subtitle (self->cache_row, n_files > 0 ? text : _ ("Empty"));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "preferences.clear-cache", n_files > 0);
}

static void
on_clear_answer (PrismPreferences *self,
                 const char *response)
{
  for (int i = 0; g_str_equal (response, "clear") && i < PRISM_N_USER_CACHES; i++)
    prism_user_cache_clear (i);
  show_cache (self);
}

static void
clear_cache (GtkWidget *widget,
             const char *action,
             GVariant *parameter)
{
  PrismPreferences *self = PRISM_PREFERENCES (widget);
  GtkWidget *dialog = adw_message_dialog_new (
      GTK_WINDOW (self), _ ("Clear the cache?"),
      _ ("The next runs are timed and tuned again, which takes a few seconds of each new shape."));
  AdwMessageDialog *question = ADW_MESSAGE_DIALOG (dialog);

  adw_message_dialog_add_responses (question, "cancel", _ ("_Cancel"), "clear", _ ("C_lear"), NULL);
  adw_message_dialog_set_response_appearance (question, "clear", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (question, "cancel");
  adw_message_dialog_set_close_response (question, "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_clear_answer), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
prism_preferences_class_init (PrismPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-preferences.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, theme_list);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, colormap_list);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, stretch_list);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, preview_switch);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, rate_spin);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, step_spin);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, kept_spin);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, kept_size_spin);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, folder_row);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, cache_row);
  gtk_widget_class_bind_template_child (widget_class, PrismPreferences, volatile_group);
  gtk_widget_class_install_action (widget_class, "preferences.clear-cache", NULL, clear_cache);
}

static void
prism_preferences_init (PrismPreferences *self)
{
  const GBindingFlags flags = G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE;
  PrismSettings *settings = prism_settings_get_default ();

  gtk_widget_init_template (GTK_WIDGET (self));
  set_up_theme (self);
  set_up_colormap (self);
  set_up_stretch (self);
  g_object_bind_property (settings, "preview", self->preview_switch, "active", flags);
  g_object_bind_property (settings, "preview-rate", self->rate_spin, "value", flags);
  g_object_bind_property (settings, "step-samples", self->step_spin, "value", flags);
  g_object_bind_property (settings, "kept-runs", self->kept_spin, "value", flags);
  g_object_bind_property (settings, "kept-runs-size", self->kept_size_spin, "value", flags);
  ask_about_folder (self);
  show_cache (self);
  gtk_widget_set_visible (GTK_WIDGET (self->volatile_group),
                          !prism_settings_get_persistent (settings));
}

/**
 * prism_preferences_new:
 *
 * Makes the preferences window.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
prism_preferences_new (void)
{
  return g_object_new (PRISM_TYPE_PREFERENCES, NULL);
}
