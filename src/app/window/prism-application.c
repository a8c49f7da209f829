#include "config.h"

#include "window/prism-application.h"

#include "base/prism-each.h"
#include "config/prism-preset.h"
#include "library/prism-library-index.h"
#include "support/prism-notice.h"
#include "support/prism-settings.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

#include <glib-unix.h>
#include <signal.h>

#define START_PRESET "quick-look"

struct _PrismApplication
{
  AdwApplication parent_instance;

  PrismSession *session; /* (nullable): of the window */
  guint sigint_id;
  guint sigterm_id;
};

G_DEFINE_FINAL_TYPE (PrismApplication, prism_application, ADW_TYPE_APPLICATION)

static void
apply_theme (PrismApplication *self)
{
  AdwStyleManager *manager = adw_application_get_style_manager (ADW_APPLICATION (self));
  AdwColorScheme scheme = ADW_COLOR_SCHEME_DEFAULT;
  g_autofree char *theme = NULL;

  g_object_get (prism_settings_get_default (), "theme", &theme, NULL);
  if (g_strcmp0 (theme, "light") == 0)
    scheme = ADW_COLOR_SCHEME_FORCE_LIGHT;
  else if (g_strcmp0 (theme, "dark") == 0)
    scheme = ADW_COLOR_SCHEME_FORCE_DARK;
  adw_style_manager_set_color_scheme (manager, scheme);
}

static void
load_start_preset (PrismSession *session)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = prism_preset_load (START_PRESET, &error);

  if (config == NULL)
    {
      g_warning ("%s", error->message);
      config = prism_config_new ();
    }
  prism_session_start (session, config);
}

static PrismWindow *
ensure_window (PrismApplication *self)
{
  PrismWindow *window = prism_application_get_window (self);
  g_autoptr (PrismSession) session = NULL;
  g_autoptr (GError) error = NULL;

  if (window != NULL)
    return window;
  session = prism_session_new (&error);
  if (session == NULL)
    {
      g_printerr ("%s\n", error->message);
      g_application_quit (G_APPLICATION (self));
      return NULL;
    }
  g_set_object (&self->session, session);
  window = prism_window_new (GTK_APPLICATION (self), session);
  prism_window_tell_time (window);
  load_start_preset (session);
  return window;
}

static void
prism_application_activate (GApplication *application)
{
  PrismWindow *window = ensure_window (PRISM_APPLICATION (application));

  if (window != NULL)
    gtk_window_present (GTK_WINDOW (window));
}

static void
prism_application_open (GApplication *application,
                        GFile **files,
                        int n_files,
                        const char *hint)
{
  PrismWindow *window = ensure_window (PRISM_APPLICATION (application));
  g_autoptr (GSList) list = NULL;

  if (window == NULL)
    return;
  for (int i = n_files; i-- > 0;)
    list = g_slist_prepend (list, files[i]);
  gtk_window_present (GTK_WINDOW (window));
  prism_window_open_files (window, list);
}

static int
prism_application_handle_local_options (GApplication *application,
                                        GVariantDict *options)
{
  if (!g_variant_dict_contains (options, "version"))
    return -1;
  g_print ("PRISM Studio %s\n", PRISM_VERSION);
  return 0;
}

static void
on_quit (GSimpleAction *action,
         GVariant *parameter,
         gpointer data)
{
  PrismWindow *window = prism_application_get_window (data);

  if (window != NULL)
    gtk_window_close (GTK_WINDOW (window));
  else
    g_application_quit (data);
}

/* Shows the about window. */
static void
prism_about_show (GtkWindow *parent)
{
  const char *comments = _ ("Progressive Reconstruction from Imaging with Sparse Measurements: a "
                            "decoder is trained until its output explains what the camera saw.");

  adw_show_about_window (parent,
                         "application-name", _ ("PRISM Studio"),
                         "application-icon", PRISM_APP_ID,
                         "version", PRISM_VERSION,
                         "developer-name", _ ("The PRISM Studio developers"),
                         "comments", comments,
                         "website", "https://github.com/prism-studio/prism-studio",
                         "license-type", GTK_LICENSE_GPL_3_0,
                         /* Translators: put your names here, one per line. */
                         "translator-credits", _ ("translator-credits"),
                         NULL);
}

static void
on_about (GSimpleAction *action,
          GVariant *parameter,
          gpointer data)
{
  prism_about_show (gtk_application_get_active_window (data));
}

static void
on_preferences (GSimpleAction *action,
                GVariant *parameter,
                gpointer data)
{
  GtkWidget *preferences = g_object_new (PRISM_TYPE_PREFERENCES, NULL);

  gtk_window_set_transient_for (GTK_WINDOW (preferences), gtk_application_get_active_window (data));
  gtk_window_present (GTK_WINDOW (preferences));
}

/* Nobody is there to answer a question: the run is stopped and kept. */
static gboolean
on_signal (gpointer data)
{
  PrismWindow *window = prism_application_get_window (data);

  if (window != NULL)
    prism_window_stop_and_quit (window);
  else
    g_application_quit (data);
  return G_SOURCE_CONTINUE;
}

/* GLib watches no SIGQUIT; Ctrl+\ shall keep the run as Ctrl+C does. */
static void
pass_on (int number)
{
  kill (getpid (), SIGTERM);
}

static const GActionEntry entries[] = {
  { "quit", on_quit },
  { "about", on_about },
  { "preferences", on_preferences },
};

static const struct
{
  const char *action;
  const char *accels[3];
} accels[] = {
  { "app.quit", { "<Control>q" } },
  { "win.ask-to-close", { "<Control>w" } },
  { "win.focus-other", { "F6" } },
  { "win.focus-back", { "<Shift>F6" } },
  { "app.preferences", { "<Control>comma" } },
  { "win.run", { "F5", "<Control>r" } },
  { "win.stop", { "<Control>period" } },
  { "win.restart", { "<Control><Shift>r" } },
  { "win.follow", { "<Control>j" } },
  { "win.open", { "<Control>o" } },
  { "win.paste", { "<Control><Shift>v" } },
  { "win.save-config", { "<Control>s" } },
  { "win.save-run", { "<Control><Shift>s" } },
  { "win.export-all", { "<Control>e" } },
  { "win.export-metrics", { "<Control><Shift>e" } },
  { "win.compare", { "<Control>k" } },
  { "win.compare-methods", { "<Control><Shift>m" } },
  { "win.queue-add", { "<Control><Shift>k" } },
  { "win.save-report", { "<Control>p" } },
  { "win.undo", { "<Control>z" } },
  { "win.redo", { "<Control><Shift>z", "<Control>y" } },
  { "win.search", { "<Control>f" } },
  { "win.export-animation", { "<Control><Shift>a" } },
  { "win.time-first", { "<Control>Home" } },
  { "win.time-last", { "<Control>End" } },
  { "win.show-sidebar", { "F9" } },
  { "win.edit-pattern", { "<Control>h" } },
  { "win.patterns", { "<Control>g" } },
  { "win.show-correlation", { "<Control>l" } },
  { "win.help", { "F1" } },
  { "win.library", { "<Control><Shift>l" } },
  { "win.sweep", { "<Control><Shift>w" } },
  { "win.benchmark", { "<Control><Shift>b" } },
  { "win.performance", { "<Control><Shift>f" } },
  { "win.arrangement::explore", { "<Alt>1" } },
  { "win.arrangement::teach", { "<Alt>2" } },
  { "win.arrangement::device", { "<Alt>3" } },
  { "win.arrangement::microscope", { "<Alt>4" } },
  { "win.projector", { "F11" } },
  { "win.fullscreen", { "<Shift>F11" } },
};

static void
prism_application_startup (GApplication *application)
{
  PrismApplication *self = PRISM_APPLICATION (application);

  G_APPLICATION_CLASS (prism_application_parent_class)->startup (application);
  prism_renderer_choose (gdk_display_get_default ());
  prism_menu_focus_init ();
  prism_wheel_guard_init ();
  prism_window_keys_init ();
  gtk_window_set_default_icon_name (PRISM_APP_ID);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  PRISM_FOR_EACH_OF (accel, accels)
    gtk_application_set_accels_for_action (GTK_APPLICATION (self), accel->action,
                                           (const char **) accel->accels);
  PRISM_CONNECT (prism_settings_get_default (), "notify::theme", apply_theme, self);
  apply_theme (self);
  self->sigint_id = g_unix_signal_add (SIGINT, on_signal, self);
  self->sigterm_id = g_unix_signal_add (SIGTERM, on_signal, self);
  signal (SIGQUIT, pass_on);
}

static void
prism_application_shutdown (GApplication *application)
{
  PrismApplication *self = PRISM_APPLICATION (application);

  g_clear_handle_id (&self->sigint_id, g_source_remove);
  g_clear_handle_id (&self->sigterm_id, g_source_remove);
  if (self->session != NULL)
    prism_session_end (self->session);
  g_clear_object (&self->session);
  G_APPLICATION_CLASS (prism_application_parent_class)->shutdown (application);
}

static void
prism_application_class_init (PrismApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  application_class->startup = prism_application_startup;
  application_class->shutdown = prism_application_shutdown;
  application_class->activate = prism_application_activate;
  application_class->open = prism_application_open;
  application_class->handle_local_options = prism_application_handle_local_options;
}

static void
prism_application_init (PrismApplication *self)
{
  static const GOptionEntry options[] = {
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Print the version and leave"), NULL },
    { NULL },
  };

  g_application_add_main_option_entries (G_APPLICATION (self), options);
}

/**
 * prism_application_new:
 *
 * Makes the application.
 *
 * Returns: (transfer full): the application
 */
PrismApplication *
prism_application_new (void)
{
  return g_object_new (PRISM_TYPE_APPLICATION,
                       "application-id", PRISM_APP_ID,
                       "flags", G_APPLICATION_HANDLES_OPEN,
                       "resource-base-path", PRISM_RESOURCE_BASE,
                       NULL);
}

/**
 * prism_application_get_window:
 * @self: the application
 *
 * Returns: (transfer none) (nullable): the main window
 */
PrismWindow *
prism_application_get_window (PrismApplication *self)
{
  for (GList *link = gtk_application_get_windows (GTK_APPLICATION (self)); link != NULL;
       link = link->next)
    {
      if (PRISM_IS_WINDOW (link->data))
        return link->data;
    }
  return NULL;
}

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

static gboolean
find_row (GBinding *binding,
          const GValue *nick,
          GValue *row,
          gpointer nicks)
{
  for (guint i = 0; i < g_strv_length (nicks); i++)
    if (g_strcmp0 (((char **) nicks)[i], g_value_get_string (nick)) == 0)
      {
        g_value_set_uint (row, i);
        return TRUE;
      }
  return FALSE;
}

static gboolean
take_row (GBinding *binding,
          const GValue *row,
          GValue *nick,
          gpointer nicks)
{
  if (g_value_get_uint (row) >= g_strv_length (nicks))
    return FALSE;
  g_value_set_string (nick, ((char **) nicks)[g_value_get_uint (row)]);
  return TRUE;
}

/* nicks: (transfer full): of the setting's values, in the order of the rows */
static void
bind_rows (GtkDropDown *list,
           const char *property,
           char **nicks)
{
  g_object_bind_property_full (prism_settings_get_default (), property, list, "selected",
                               G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE, find_row, take_row,
                               nicks, (GDestroyNotify) g_strfreev);
}

/* The first of the values of a type. */
static void
offer (GtkDropDown *list,
       const char *property,
       GType type,
       int n,
       gpointer get_label)
{
  g_autoptr (GEnumClass) values = g_type_class_ref (type);
  g_autoptr (GtkStringList) labels = gtk_string_list_new (NULL);
  char **nicks = g_new0 (char *, n + 1);

  for (int i = 0; i < n; i++)
    {
      nicks[i] = g_strdup (g_enum_get_value (values, i)->value_nick);
      gtk_string_list_append (labels, ((const char *(*) (int) ) get_label) (i));
    }
  gtk_drop_down_set_model (list, G_LIST_MODEL (labels));
  bind_rows (list, property, nicks);
}

/* Other thread. */
static char *
describe_folder (PrismRunLimits *limits,
                 GCancellable *cancellable)
{
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

PRISM_FREE (PrismRunLimits, limits_free, g_hash_table_unref, marked)

static void
show_cache (PrismPreferences *self)
{
  guint64 bytes = 0;
  guint n_files = 0;
  g_autofree char *size = NULL, *text = NULL;

  for (int i = 0; i < PRISM_N_USER_CACHES; i++)
    {
      PrismUserCacheUse use;

      prism_user_cache_look (i, FALSE, &use);
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
                 PrismAnswer answer,
                 gpointer data)
{
  PrismUserCacheUse use;

  for (int i = 0; answer == PRISM_ANSWER_CONFIRM && i < PRISM_N_USER_CACHES; i++)
    prism_user_cache_look (i, TRUE, &use);
  show_cache (self);
}

static void
clear_cache (PrismPreferences *self)
{
  const PrismMessage message = {
    _ ("Clear the cache?"),
    _ ("The next runs are timed and tuned again, which takes a few seconds of each new shape."),
    .dismiss = _ ("_Cancel"),
    .confirm = _ ("C_lear"),
    .destructive = TRUE,
  };

  prism_message_show (&message, GTK_WINDOW (self), on_clear_answer, NULL, NULL);
}

static void
prism_preferences_class_init (PrismPreferencesClass *klass)
{
  PRISM_TEMPLATE (klass, PrismPreferences, "prism-preferences.ui", theme_list, colormap_list,
                  stretch_list, preview_switch, rate_spin, step_spin, kept_spin, kept_size_spin,
                  folder_row, cache_row, volatile_group);
  PRISM_ACTION (klass, "preferences.clear-cache", clear_cache);
}

static void
prism_preferences_init (PrismPreferences *self)
{
  static const PrismQuestion question
      = { "kept runs", describe_folder, show_folder, limits_free };
  const GBindingFlags flags = G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE;
  PrismSettings *settings = prism_settings_get_default ();
  PrismRunLimits *limits = g_new (PrismRunLimits, 1);

  gtk_widget_init_template (GTK_WIDGET (self));
  bind_rows (self->theme_list, "theme", g_strsplit ("follow light dark", " ", -1));
  /* The last two are for differences and for the overlay, not for images. */
  offer (self->colormap_list, "colormap", PRISM_TYPE_COLORMAP, PRISM_COLORMAP_COOLWARM,
         prism_colormap_get_label);
  offer (self->stretch_list, "stretch", PRISM_TYPE_STRETCH, PRISM_STRETCH_ASINH + 1,
         prism_stretch_get_label);
  g_object_bind_property (settings, "preview", self->preview_switch, "active", flags);
  g_object_bind_property (settings, "preview-rate", self->rate_spin, "value", flags);
  g_object_bind_property (settings, "step-samples", self->step_spin, "value", flags);
  g_object_bind_property (settings, "kept-runs", self->kept_spin, "value", flags);
  g_object_bind_property (settings, "kept-runs-size", self->kept_size_spin, "value", flags);
  prism_library_limits_init (limits);
  prism_question_ask (&question, GTK_WIDGET (self->folder_row), limits, 0);
  show_cache (self);
  gtk_widget_set_visible (GTK_WIDGET (self->volatile_group),
                          !prism_settings_get_persistent (settings));
}
