#include "config.h"

#include "window/prism-application.h"

#include "config/prism-preset.h"
#include "support/prism-menu-focus.h"
#include "support/prism-renderer.h"
#include "support/prism-settings.h"
#include "support/prism-wheel-guard.h"
#include "support/prism-window-keys.h"
#include "support/prism-wording.h"
#include "window/prism-about.h"
#include "window/prism-preferences.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
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
  if (!prism_window_compare_files (window, list))
    prism_window_open_file (window, files[0]);
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
  GtkWidget *preferences = prism_preferences_new ();

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
  { "window.close", { "<Control>w" } },
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
  for (gsize i = 0; i < G_N_ELEMENTS (accels); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (self), accels[i].action,
                                           (const char **) accels[i].accels);
  g_signal_connect_object (prism_settings_get_default (), "notify::theme", G_CALLBACK (apply_theme),
                           self, G_CONNECT_SWAPPED);
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
