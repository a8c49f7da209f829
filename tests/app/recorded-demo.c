#include "config.h"

#include "window/prism-window.h"

#include "recorded-scene.h"

#include <glib/gi18n.h>
#include <locale.h>

/* Not a test: the window on recorded frames whose object nobody knows, to look at. --target: the
 * object is known. --dark: in the dark style. --action NAME: what to do when the run is over, such
 * as win.compare; several times for several. */

static gboolean with_target;
static gboolean dark;
static char **actions;

static const GOptionEntry options[] = {
  { "target", 0, 0, G_OPTION_ARG_NONE, &with_target, "The object is known", NULL },
  { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, "Dark style", NULL },
  { "action", 0, 0, G_OPTION_ARG_STRING_ARRAY, &actions, "To be done at the end", "NAME" },
  { NULL },
};

static void
on_state_changed (PrismSession *session,
                  GParamSpec *pspec,
                  gpointer window)
{
  PrismState state = prism_session_get_state (session);

  if (state == PRISM_STATE_IDLE)
    prism_session_run (session);
  for (guint i = 0; state == PRISM_STATE_FINISHED && actions != NULL && actions[i] != NULL; i++)
    gtk_widget_activate_action (window, actions[i], NULL);
}

static void
activate (GtkApplication *application,
          gpointer data)
{
  g_autoptr (PrismConfig) config = recorded_scene_new_config ();
  g_autoptr (PrismScene) scene = recorded_scene_new (config, with_target);
  g_autoptr (PrismSession) session = prism_session_new (NULL);
  PrismWindow *window = prism_window_new (application, session);

  if (dark)
    adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                        ADW_COLOR_SCHEME_FORCE_DARK);
  prism_session_start_recorded (session, config, scene);
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect (session, "notify::state", G_CALLBACK (on_state_changed), window);
  prism_session_run (session);
}

int
main (int argc,
      char *argv[])
{
  g_autoptr (AdwApplication) application = adw_application_new (NULL, G_APPLICATION_NON_UNIQUE);

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("PRISM_LOCALE_DIR"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_application_set_resource_base_path (G_APPLICATION (application),
                                        "/io/github/prism_studio/PrismStudio");
  g_application_add_main_option_entries (G_APPLICATION (application), options);
  g_signal_connect (application, "activate", G_CALLBACK (activate), NULL);
  return g_application_run (G_APPLICATION (application), argc, argv);
}
