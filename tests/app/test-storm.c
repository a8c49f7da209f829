#include "file-answer.h"
#include "prism-test.h"
#include "storm.h"
#include "widget-test.h"
#include "formats/prism-png-stream.h"

/* Somebody who presses everything, in any order: actions, keys, buttons, values, sizes, files and
 * dialogs. Nothing of it may warn, crash, hang, or leave the window saying something else than the
 * run is.
 *
 * PRISM_STORM_SEED and PRISM_STORM_ACTIONS repeat a storm or change its length. */

#define N_ACTIONS 300
#define N_LONG_ACTIONS 20000
#define N_ROUND 300  /* actions between start and end of the program */
#define PATIENCE 120 /* s: to end, and to free everything; others may want the processors */

static void
on_crash (int number)
{
  storm_tell ();
  signal (number, SIG_DFL);
  raise (number);
}

static const struct
{
  const char *key;
  double most;
} bounds[] = {
  { "image_size", 128 },
  { "object_size", 64 },
  { "aperture_radius", 40 },
  { "samples", 16 },
  { "steps", 8 },
  { "start_steps", 20 },
  { "polish", 3 },
  { "passes", 2 },
  { "consistency", 2 },
  { "max_retries", 2 },
  { "patience", 20 },
  { "threads", 2 },
  { "latent", 64 },
  { "depth", 6 },
  { "replay", 8 },
  { "line_length", 20 },
  { "cache_size", 64 },
  { "history_size", 16 },
};

static PrismConfig *
new_small_config (void)
{
  PrismConfig *config = widget_test_new_config ();

  config->samples = 8;
  config->threads = 1;
  return config;
}

/* What would take minutes becomes small again before it can be run; what cannot run at all does so
 * after a while. */
static void
tame (Storm *self)
{
  PrismDraft *draft = storm_get_window (self)->draft;

  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      const PrismParam *param = prism_config_get_param (bounds[i].key);
      g_autofree char *text = g_strdup_printf ("%.0f", bounds[i].most);
      double value = prism_config_get_number (storm_get_window (self)->draft->config, param);

      if (value > bounds[i].most || (value == 0 && strcmp (param->key, "threads") == 0))
        prism_draft_set_parameter (draft, param, text, NULL);
    }
  if (storm_pick (self, 30) == 0 || (draft->problem != NULL && storm_pick (self, 4) == 0))
    {
      g_autoptr (PrismConfig) config = new_small_config ();

      prism_draft_set_config (draft, config, "Small");
    }
}

static void
check_actions (PrismWindow *window)
{
  PrismState state = window->session->state;
  gboolean busy = state == PRISM_STATE_RUNNING || state == PRISM_STATE_PREPARING;
  gboolean active = busy || state == PRISM_STATE_PAUSED;
  gboolean stopping = window->session->stopping, opening = window->session->opening != NULL;
  gboolean going = busy && !stopping && !opening;
  gboolean lesson = prism_lesson_panel_is_busy (window->lesson_panel);
  gboolean valid = lesson || window->draft->problem == NULL;
  GActionGroup *actions = G_ACTION_GROUP (window);

  g_assert_true (active == prism_session_get_active (window->session));
  g_assert_true (g_action_group_get_action_enabled (actions, "pause") == going);
  g_assert_true (g_action_group_get_action_enabled (actions, "stop")
                 == ((active || opening) && !stopping));
  /* With a wrong value it says which. */
  g_assert_true (g_action_group_get_action_enabled (actions, "run")
                 == (!opening && (stopping ? !lesson : !busy)));
  g_assert_true (g_action_group_get_action_enabled (actions, "step")
                 == (!busy && !stopping && !opening && (valid || state == PRISM_STATE_PAUSED)));
  g_assert_true (g_action_group_get_action_enabled (actions, "fork")
                 == (window->session->run_file != NULL));
  g_assert_true (gtk_widget_get_visible (window->pause_button) == going);
  g_assert_true (gtk_widget_get_visible (window->run_button) == !going);
}

/* While changes are followed a picture stays for the run that begins, or that could not begin. */
static PrismSnapshot *
dup_held (PrismWindow *window)
{
  PrismState state = window->session->state;
  PrismSnapshot *held;

  g_object_get (window->follow, "held", &held, NULL);
  g_assert_true (held == NULL || state == PRISM_STATE_PREPARING || state == PRISM_STATE_RUNNING
                 || state == PRISM_STATE_FAILED);
  return held;
}

/* The pictures are those of the moment that is shown, and of its size. */
static void
check_pictures (PrismWindow *window)
{
  PrismSnapshot *snapshot = window->session->snapshot;
  PrismSnapshot *shown = window->session->playback->shown;
  PrismPlayback *playback = window->session->playback;
  PrismMoment *moment = playback->moment;
  PrismPanel *panel = prism_dashboard_get_panel (window->dashboard, "reconstruction");
  PrismImage *image = PRISM_VIEW (panel->child)->image;
  g_autoptr (PrismSnapshot) held = dup_held (window);

  if (snapshot == NULL)
    return;
  g_assert_nonnull (shown);
  g_assert_cmpuint (snapshot->sample, <=, snapshot->n_samples);
  g_assert_cmpuint (snapshot->n_visited, <=, snapshot->n_samples);
  if (snapshot->history != NULL)
    g_assert_cmpuint (snapshot->n_rows, <=, prism_history_get_n_rows (snapshot->history));
  if (snapshot->reconstruction != NULL && snapshot->config != NULL)
    g_assert_cmpint (snapshot->reconstruction->width, ==, snapshot->config->object_size);
  if (moment != NULL)
    {
      g_assert_cmpuint (shown->step, ==, moment->step);
      g_assert_cmpuint (shown->step, <=, snapshot->step);
      g_assert_true (image == shown->reconstruction);
    }
  else if (held != NULL)
    g_assert_true (image == held->reconstruction);
  else if (snapshot->state != PRISM_STATE_RUNNING)
    g_assert_true (image == snapshot->reconstruction);
}

static gboolean storm_step (gpointer data);

/* At once, before anything is painted, or when all is done. */
static void
plan_next (Storm *self)
{
  static const guint pauses[] = { 0, 0, 5, 20, 60 };
  guint kind = storm_pick (self, G_N_ELEMENTS (pauses) + 2);

  if (kind < G_N_ELEMENTS (pauses))
    self->source = g_timeout_add (pauses[kind], storm_step, self);
  else
    self->source = g_idle_add_full (G_PRIORITY_LOW, storm_step, self, NULL);
}

/* The window may have been closed by what was pressed. */
static gboolean
is_open (Storm *self)
{
  return storm_get_window (self) != NULL && storm_get_window (self)->session != NULL;
}

static void
tell_windows (void)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *link = windows; link != NULL; link = link->next)
    g_printerr ("# there still is %s\n", G_OBJECT_TYPE_NAME (link->data));
}

static gboolean
on_patience_lost (gpointer data)
{
  tell_windows ();
  g_error ("the program does not end");
  return G_SOURCE_REMOVE;
}

/* By the window, the menu or a signal; what is asked is answered with yes. */
static void
end_round (Storm *self)
{
  PrismWindow *window = storm_get_window (self);

  g_clear_handle_id (&self->source, g_source_remove);
  while (file_answer_is_wanted ())
    file_answer_give (NULL);
  self->patience = g_timeout_add_seconds (PATIENCE, on_patience_lost, NULL);
  if (!is_open (self))
    return;
  storm_remember ("the end");
  if (storm_pick (self, 2) == 0)
    gtk_window_close (GTK_WINDOW (window));
  if (is_open (self))
    prism_window_stop_and_quit (window);
}

static gboolean
storm_step (gpointer data)
{
  Storm *self = data;

  self->source = 0;
  if (is_open (self))
    storm_blow (self);
  self->n_left--;
  if (!is_open (self))
    {
      end_round (self);
      return G_SOURCE_REMOVE;
    }
  tame (self);
  check_actions (storm_get_window (self));
  check_pictures (storm_get_window (self));
  if (self->n_left > 0)
    plan_next (self);
  else
    end_round (self);
  return G_SOURCE_REMOVE;
}

static void
on_activate (PrismApplication *application,
             Storm *self)
{
  g_autoptr (PrismConfig) config = new_small_config ();

  /* libadwaita 1.2.2 frees an animation within its own signal when its widget goes while it moves:
   * one storm in ten ended in adw_animation_skip(). */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);

  prism_draft_set_config (storm_get_window (self)->draft, config, "Small");
  plan_next (self);
}

static void
on_window_added (PrismApplication *application,
                 GtkWindow *window,
                 gpointer *objects)
{
  if (!PRISM_IS_WINDOW (window))
    return;
  objects[1] = window;
  g_object_add_weak_pointer (G_OBJECT (window), &objects[1]);
}

/* From the start of the program to its end, after which nothing is left of it. */
static void
play_round (Storm *self,
            guint n_actions)
{
  gpointer objects[2] = { 0 }; /* program and window; set to NULL when they are freed */

  self->application = prism_application_new ();
  self->n_left = n_actions;
  objects[0] = self->application;
  g_object_add_weak_pointer (G_OBJECT (self->application), &objects[0]);
  g_application_set_flags (G_APPLICATION (self->application), G_APPLICATION_NON_UNIQUE);
  g_signal_connect_after (self->application, "activate", G_CALLBACK (on_activate), self);
  g_signal_connect (self->application, "window-added", G_CALLBACK (on_window_added), objects);
  g_application_run (G_APPLICATION (self->application), 0, NULL);

  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_handle_id (&self->patience, g_source_remove);
  g_object_unref (self->application);
  gint64 end = g_get_monotonic_time () + PATIENCE * G_TIME_SPAN_SECOND;
  while (!(objects[0] == NULL && objects[1] == NULL))
    {
      if (g_get_monotonic_time () > end)
        tell_windows ();
      if (g_get_monotonic_time () > end)
        g_error ("after the end there still is%s%s", objects[0] != NULL ? " the program" : "",
                 objects[1] != NULL ? " the window" : "");
      g_main_context_iteration (NULL, FALSE);
    }
}

static void
write_file (const char *folder,
            const char *name,
            const char *bytes,
            gsize length)
{
  g_assert_true (g_file_set_contents (in_folder (folder, name), bytes, (gssize) length, NULL));
}

/* An object, a configuration, a run, and what only looks like one. */
static void
make_files (Storm *self)
{
  g_autoptr (PrismImage) image = widget_test_create_image (24, 24, NULL);
  g_autoptr (PrismConfig) config = new_small_config ();
  g_autofree char *object = g_build_filename (self->folder, "object.png", NULL);
  g_autofree char *setup = g_build_filename (self->folder, "setup.prism", NULL);
  g_autofree char *run = g_build_filename (self->folder, "run.prismrun", NULL);
  const char *arguments[] = { g_getenv ("PRISM_CLI"), "run", "--config", setup, "--save", run,
                              "--quiet", NULL };
  g_autofree char *bytes = NULL;
  gsize length;
  int status;

  for (int i = 0; i < 24 * 24; i++)
    image->pixels[i] = (float) (i % 7) / 7;
  g_assert_true (prism_image_save_png (image, object, 8, 0, 1, NULL, NULL));
  g_assert_true (prism_config_save (config, setup, NULL, NULL));
  MUST (g_spawn_sync (self->folder, (char **) arguments, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL,
                      NULL, NULL, NULL, &status, &error));
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (run, &bytes, &length, NULL));
  write_file (self->folder, "broken.prismrun", bytes, length / 2);
  write_file (self->folder, "broken.png", bytes, MIN (length, 100));
}

static guint
get_number (const char *name,
            guint otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : otherwise;
}

/* What GLib says about the place of this test, where nobody shows notifications, and GTK 4.8 about
 * itself: a bubble whose button has just slid out of the window has no monitor, and what an event
 * was for can be gone when it comes. */
static gboolean
is_fatal (const char *domain,
          GLogLevelFlags level,
          const char *message,
          gpointer data)
{
  static const char *const others[]
      = { "org.freedesktop.Notifications", "gdk_monitor_get_geometry: assertion",
          "gdk_surface_get_device_position: assertion",
          "_gtk_widget_find_at_coords: assertion 'GDK_IS_SURFACE (surface)'",
          "gtk_widget_is_ancestor: assertion 'GTK_IS_WIDGET (widget)'" };

  /* Of sizes and paint that it makes up for itself in the next frame. */
  if ((level & G_LOG_LEVEL_WARNING) != 0 && g_strcmp0 (domain, "Gtk") == 0)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (strstr (message, others[i]) != NULL)
      return FALSE;
  return TRUE;
}

/* What is let through must not reach GLib's own handler: it prints “Bail out!”. */
static void
on_message (const char *domain,
            GLogLevelFlags level,
            const char *message,
            gpointer data)
{
  if (is_fatal (domain, level, message, NULL))
    g_log_default_handler (domain, level, message, NULL);
  else
    g_printerr ("# let through: %s: %s\n", domain, message);
}

/* What hangs below it, and how large that is. */
static void
tell_children (GtkWidget *widget)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    g_printerr ("#   with %s of %d × %d%s: %s\n", G_OBJECT_TYPE_NAME (child),
                gtk_widget_get_width (child), gtk_widget_get_height (child),
                gtk_widget_get_visible (child) ? "" : ", hidden",
                GTK_IS_LABEL (child) ? gtk_label_get_text (GTK_LABEL (child)) : "");
}

/* GTK names a widget by its address alone: says where it hangs. */
static void
tell_place (const char *message)
{
  const char *address = strstr (message, " 0x");

  if (address == NULL || strstr (message, " reports a minimum ") == NULL)
    return;
  GtkWidget *widget = (gpointer) (guintptr) g_ascii_strtoull (address + 1, NULL, 16);
  tell_children (widget);
  for (; widget != NULL;
       widget = gtk_widget_get_parent (widget))
    {
      const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));

      g_printerr ("#   in %s %s\n", G_OBJECT_TYPE_NAME (widget), id != NULL ? id : "");
    }
}

/* The same for messages that do not go through the handlers, as GTK's warnings. */
static GLogWriterOutput
write_message (GLogLevelFlags level,
               const GLogField *fields,
               gsize n_fields,
               gpointer data)
{
  const char *domain = NULL, *message = NULL;

  for (gsize i = 0; i < n_fields; i++)
    if (fields[i].length < 0 && strcmp (fields[i].key, "GLIB_DOMAIN") == 0)
      domain = fields[i].value;
    else if (fields[i].length < 0 && strcmp (fields[i].key, "MESSAGE") == 0)
      message = fields[i].value;
  if (message == NULL || is_fatal (domain, level, message, NULL))
    {
      if (message != NULL && g_strcmp0 (domain, "Gtk") == 0)
        tell_place (message);
      return g_log_writer_default (level, fields, n_fields, NULL);
    }
  g_printerr ("# let through: %s: %s\n", domain, message);
  return G_LOG_WRITER_HANDLED;
}

static void
let_others_through (void)
{
  static const char *const domains[] = { "GLib-GIO", "Gdk", "Gtk" };

  g_test_log_set_fatal_handler (is_fatal, NULL);
  g_log_set_writer_func (write_message, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (domains); i++)
    g_log_set_handler (domains[i],
                       G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL | G_LOG_FLAG_FATAL
                           | G_LOG_FLAG_RECURSION,
                       on_message, NULL);
}

TEST (storm, "/app/storm")
{
  gboolean is_long = g_strcmp0 (g_getenv ("PRISM_TEST_LONG"), "1") == 0;
  guint seed = get_number ("PRISM_STORM_SEED", is_long ? g_random_int () : 1);
  guint n = get_number ("PRISM_STORM_ACTIONS", is_long ? N_LONG_ACTIONS : N_ACTIONS);
  Storm storm = { .rand = g_rand_new_with_seed (seed) };

  g_test_message ("PRISM_STORM_SEED=%u PRISM_STORM_ACTIONS=%u", seed, n);
  g_printerr ("# PRISM_STORM_SEED=%u PRISM_STORM_ACTIONS=%u\n", seed, n);
  storm.folder = g_dir_make_tmp ("prism-storm-XXXXXX", NULL);
  g_assert_nonnull (storm.folder);
  make_files (&storm);
  let_others_through ();
  signal (SIGABRT, on_crash);
  signal (SIGSEGV, on_crash);
  signal (SIGTRAP, on_crash);
  for (guint n_left = n; n_left > 0;)
    {
      guint n_wanted = MIN (N_ROUND, n_left);

      play_round (&storm, n_wanted);
      n_left -= n_wanted - storm.n_left;
    }
  g_rand_free (storm.rand);
  g_free (storm.folder);
}
