#include "config.h"

#include "base/prism-error.h"
#include "model/prism-config-check.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"
#include "session/prism-follow.h"
#include "support/prism-job-window.h"
#include "support/prism-ui-text.h"
#include "support/prism-widget.h"
#include "window/prism-window-private.h"

#define SAVING_DELAY 1000 /* ms; what is written sooner needs no word before “Saved” */

/* What every part of the window needs of it: to say what was done and what failed, to write files,
 * and to offer what can be done. */

static void
activate (GSimpleAction *action,
          GVariant *value,
          gpointer self)
{
  const PrismWindowAction *entry = g_object_get_data (G_OBJECT (action), "entry");
  gpointer object = entry->of != 0 ? G_STRUCT_MEMBER (gpointer, self, entry->of) : self;

  if (entry->dialog.title != NULL)
    (entry->of_run ? prism_window_ask_place : prism_file_dialog_ask) (
        &entry->dialog, self, entry->call, GINT_TO_POINTER (entry->number), NULL);
  else if (value == NULL)
    ((void (*) (gpointer, gintptr)) entry->call) (object, entry->number);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    ((void (*) (gpointer, const char *, gintptr)) entry->call) (
        object, g_variant_get_string (value, NULL), entry->number);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT32))
    ((void (*) (gpointer, int)) entry->call) (object, g_variant_get_int32 (value));
  else
    {
      g_simple_action_set_state (action, value);
      ((void (*) (gpointer, gboolean)) entry->call) (object, g_variant_get_boolean (value));
    }
}

/**
 * prism_window_add_actions:
 * @self: a window
 * @actions: (array length=n_actions): that live as long as the program
 * @n_actions: their number
 *
 * Adds actions, each a function and what it is called with.
 */
void
prism_window_add_actions (PrismWindow *self,
                          const PrismWindowAction *actions,
                          gsize n_actions)
{
  for (gsize i = 0; i < n_actions; i++)
    {
      const char *type = actions[i].type;
      const gboolean is_switch = g_strcmp0 (type, "b") == 0;
      g_autoptr (GSimpleAction) action
          = is_switch ? g_simple_action_new_stateful (actions[i].name, NULL,
                                                      g_variant_new_boolean (FALSE))
                      : g_simple_action_new (actions[i].name, (const GVariantType *) type);

      g_object_set_data (G_OBJECT (action), "entry", (gpointer) &actions[i]);
      g_signal_connect (action, is_switch ? "change-state" : "activate", G_CALLBACK (activate),
                        self);
      g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
    }
}

/**
 * prism_window_add_property:
 * @self: a window
 * @name: of an action
 * @object: what lives as long as the window
 * @property: of the object
 *
 * Adds an action whose state is the property.
 */
void
prism_window_add_property (PrismWindow *self,
                           const char *name,
                           gpointer object,
                           const char *property)
{
  g_autoptr (GPropertyAction) action = g_property_action_new (name, object, property);

  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
}

/* Whose work goes on is only hidden. */
static gboolean
on_child_closed (PrismWindow *self,
                 GtkWindow *window)
{
  if (gtk_window_get_hide_on_close (window))
    prism_window_show_toast (self, _ ("What runs there goes on. Open the window again to see it."));
  return FALSE;
}

/**
 * prism_window_open_child:
 * @self: a window
 * @window: another one
 * @slot: (nullable): a member of @self, which holds it while it is open
 *
 * Shows a window that goes with this one.
 */
void
prism_window_open_child (PrismWindow *self,
                         gpointer window,
                         GtkWindow **slot)
{
  gtk_window_set_transient_for (window, GTK_WINDOW (self));
  gtk_window_set_destroy_with_parent (window, TRUE);
  PRISM_CONNECT (window, "close-request", on_child_closed, self);
  gtk_window_present (window);
  if (slot != NULL)
    prism_widget_place_window (self, window, slot);
}

/**
 * prism_window_open_again:
 * @self: a window
 * @type: a kind of job window
 *
 * Returns: whether one of the kind runs, or was hidden while it did: it is shown as it is
 */
gboolean
prism_window_open_again (PrismWindow *self,
                         GType type)
{
  PrismJobWindow *window = prism_job_window_find (self, type);

  if (window == NULL || (!window->busy && gtk_widget_get_visible (GTK_WIDGET (window))))
    return FALSE;
  gtk_window_present (GTK_WINDOW (window));
  return TRUE;
}

/**
 * prism_window_enable:
 * @self: a window
 * @name: of one of its actions, without "win."
 * @...: whether it can be chosen now; further names with theirs; NULL
 *
 * Says which entries of the menus make sense; nobody is told when nothing has changed. The keyboard
 * leaves a button that can no longer be pressed for the picture.
 */
void
prism_window_enable (PrismWindow *self,
                     const char *name,
                     ...)
{
  GtkWindow *window = GTK_WINDOW (self);
  const gboolean focused = gtk_window_get_focus (window) != NULL;
  va_list more;

  va_start (more, name);
  for (; name != NULL; name = va_arg (more, const char *))
    {
      GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), name);
      const gboolean enabled = va_arg (more, gboolean);

      if (g_action_get_enabled (action) != enabled)
        g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
    }
  va_end (more);
  if (focused && gtk_window_get_focus (window) == NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-picture", NULL);
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
  prism_toaster_tell (self->toast_overlay, text);
}

/**
 * prism_window_show_saved:
 * @self: a window
 * @path: of a file or folder
 * @error: (nullable): why it could not be written
 *
 * Says what was saved, and offers to show where, or what failed.
 */
void
prism_window_show_saved (PrismWindow *self,
                         const char *path,
                         const GError *error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("Saved “%s”"), name);
  g_autofree char *markup = g_markup_escape_text (text, -1);
  AdwToast *toast;

  if (error != NULL)
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  toast = adw_toast_new (markup);
  adw_toast_set_button_label (toast, _ ("_Show folder"));
  adw_toast_set_action_name (toast, "win.show-folder");
  adw_toast_set_action_target (toast, "s", path);
  adw_toast_set_timeout (toast, 8);
  prism_toaster_add (self->toast_overlay, toast);
}

/* Returns: (nullable): a window of this one that the user looks at instead */
static GtkWindow *
find_front (PrismWindow *self)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *link = windows; link != NULL; link = link->next)
    if (gtk_window_is_active (link->data) && !GTK_IS_FILE_CHOOSER (link->data)
        && gtk_window_get_transient_for (link->data) == GTK_WINDOW (self))
      return link->data;
  return NULL;
}

/**
 * prism_window_show_problem:
 * @self: a window
 * @sentence: what went wrong and what to do
 *
 * Shows a failure until it is closed, also in the window of this one that is in front of it.
 */
void
prism_window_show_problem (PrismWindow *self,
                           const char *sentence)
{
  const PrismMessage message
      = { .heading = _ ("PRISM Studio"), .body = sentence, .dismiss = _ ("_Close") };
  GtkWindow *front = find_front (self);

  prism_notice_show (self->notice, sentence, TRUE);
  if (front != NULL)
    prism_message_show (&message, front, NULL, NULL, NULL);
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

/**
 * prism_window_dup_file_name:
 * @self: a window
 * @what: "metrics.csv", of the run on the screen
 *
 * Returns: (transfer full): "12-Radius-12-px-metrics.csv", which files of other runs are not
 *   called; "12-For-the-paper-metrics.csv" of a run with a name
 */
char *
prism_window_dup_file_name (PrismWindow *self,
                            const char *what)
{
  g_autofree char *run = prism_run_list_dup_name (self->runs);
  g_autofree char *plain = prism_run_folder_dup_plain (run);

  return g_strconcat (plain, "-", what, NULL);
}

/**
 * prism_window_ask_place:
 * @dialog: what to ask for; its name as in prism_window_dup_file_name()
 * @self: a window
 * @func: as of prism_file_dialog_ask(), with @data and @destroy
 *
 * Asks where something of the run on the screen shall be saved.
 */
void
prism_window_ask_place (const PrismFileDialog *dialog,
                        gpointer self,
                        gpointer func,
                        gpointer data,
                        gpointer destroy)
{
  g_autofree char *name
      = dialog->name != NULL ? prism_window_dup_file_name (self, dialog->name) : NULL;
  PrismFileDialog of_run = *dialog;

  of_run.name = name;
  prism_file_dialog_ask (&of_run, self, func, data, destroy);
}

static void
tell_saving (PrismWindow *self)
{
  g_autofree char *text = g_strdup_printf (_ ("Saving “%s”…"), self->saved_name);
  g_autofree char *markup = g_markup_escape_text (text, -1);

  self->saving = g_object_ref (adw_toast_new (markup));
  adw_toast_set_timeout (self->saving, 0);
  prism_toaster_add (self->toast_overlay, self->saving);
}

static void
on_saved (PrismWindow *self,
          const char *path,
          const GError *error)
{
  if (--self->n_saving == 0)
    {
      g_clear_handle_id (&self->saving_id, g_source_remove);
      if (self->saving != NULL)
        prism_toaster_dismiss (self->toast_overlay, self->saving);
      g_clear_object (&self->saving);
    }
  prism_window_show_saved (self, path, error);
}

/**
 * prism_window_save:
 * @self: a window
 * @func: writes
 * @data: (transfer full): what is written
 * @destroy: frees @data
 * @path: the file or folder
 *
 * Writes on another thread, says that it does where that takes a while, and how it went.
 */
void
prism_window_save (PrismWindow *self,
                   gpointer func,
                   gpointer data,
                   gpointer destroy,
                   const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);

  self->n_saving++;
  prism_keep_text (&self->saved_name, name);
  if (self->saving == NULL)
    prism_later (&self->saving_id, SAVING_DELAY, tell_saving, self);
  prism_file_saver_save (func, data, destroy, path, on_saved, self);
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
  if (self->draft->config->kind != PRISM_FRAMES_RECORDED)
    return FALSE;
  prism_window_show_problem (self, sentence);
  return TRUE;
}

/* What can be done about a run that a device had no memory for: ready-made changes of the
 * parameters, each to be undone like any other. */

/* The object gets coarser pixels in the same field; the telescope stays as it is. */
static void
halve_sizes (PrismWindow *self)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->draft->config);
  g_autoptr (GError) error = NULL;

  config->image_size /= 2;
  config->object_size = config->object_size / 4 * 2;
  config->roi = MIN (config->roi, config->image_size);
  if (prism_config_check (config, &error))
    prism_draft_set_config (self->draft, config, _ ("Sizes halved"));
  else
    prism_window_show_problem (self, error->message);
}

static void
on_offer (PrismWindow *self,
          const char *what)
{
  g_autoptr (GError) error = NULL;

  prism_notice_hide (self->notice);
  if (g_str_equal (what, "halve"))
    halve_sizes (self);
  else if (g_str_equal (what, "cpu")
           && !prism_draft_set_parameter (self->draft, prism_config_get_param ("backend"), "cpu",
                                          &error))
    prism_window_show_problem (self, error->message);
}

/**
 * prism_window_show_offers:
 * @self: a window whose notice is shown
 * @code: #PrismError of the notice, -1 for none
 * @failed: whether the run has ended; otherwise it went on on the processor
 *
 * Adds to a notice about missing memory what would need less of it, and to one about a run that
 * cannot be saved what can be done instead.
 */
void
prism_window_show_offers (PrismWindow *self,
                          int code,
                          gboolean failed)
{
  const PrismConfig *config = self->draft->config;
  gboolean on_gpu = config->backend != PRISM_BACKEND_CPU
                    && (!failed || config->backend != PRISM_BACKEND_AUTO);

  /* The run is safe in memory, or has not begun. */
  if (code == PRISM_ERROR_IO && prism_session_get_unsaved (self->session))
    {
      self->save_problem = TRUE;
      prism_notice_add_button (self->notice, _ ("Try again"), "win.run");
      prism_notice_add_button (self->notice, _ ("Save elsewhere…"), "win.save-run");
      prism_notice_add_button (self->notice, _ ("Run unsaved"), "win.run-unsaved");
    }
  if (code != PRISM_ERROR_MEMORY)
    return;
  if (config->image_size / 2 >= prism_config_get_param ("image_size")->minimum
      && config->object_size / 4 * 2 >= prism_config_get_param ("object_size")->minimum)
    prism_notice_add_button (self->notice, _ ("Halve the sizes"), "win.offer::halve");
  if (on_gpu)
    prism_notice_add_button (self->notice, _ ("Use the processor"), "win.offer::cpu");
}

static void
show_read_only (PrismWindow *self,
                const char *name)
{
  g_autofree char *uri
      = g_filename_to_uri (self->session->run_file, NULL, NULL);
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
  PrismSnapshot *snapshot = self->session->snapshot;
  g_autofree char *name = prism_run_catalogue_dup_name (self->forked_from, NULL);
  g_autofree char *place = prism_ui_text_dup_place (snapshot);
  g_autofree char *text = g_strdup_printf (_ ("A fork of “%s”. %s."), name, place);

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
  PrismSnapshot *snapshot = self->session->snapshot;
  const char *path = self->session->run_file;
  gboolean paused = self->session->state == PRISM_STATE_PAUSED;
  g_autofree char *name = prism_run_catalogue_dup_name (path, path != NULL ? NULL : "");
  g_autofree char *place = NULL, *text = NULL;

  if (self->session->read_only)
    {
      show_read_only (self, name);
      return;
    }
  if (self->forked_from != NULL)
    {
      show_fork (self);
      return;
    }
  place = prism_ui_text_dup_place (snapshot);
  text = paused ? g_strdup_printf (_ ("“%s” is paused: %s. It can go on from there."), name, place)
                : g_strdup_printf (_ ("“%s” is finished."), name);
  prism_notice_show (self->run_notice, text, FALSE);
  if (paused)
    prism_notice_add_button (self->run_notice, _ ("Resume"), "win.run");
  prism_notice_add_button (self->run_notice, _ ("Run anew"), "win.restart");
}

/* Of the header bar: the run's own name, or the configuration's file. */
static char *
dup_title (GObject *object,
           const char *run_file,
           const char *opened)
{
  const char *other = opened != NULL ? opened : _ ("PRISM Studio");

  return run_file != NULL ? prism_run_catalogue_dup_name (run_file, NULL) : g_strdup (other);
}

/* Where the header bar has no room for all of it. */
static char *
dup_whole_title (GObject *object,
                 const char *title,
                 const char *scene)
{
  return g_strjoin ("\n", title, scene, NULL);
}

/* For who lists windows. An expression of the template cannot: GTK 4.8 warns when an object goes
 * that has one of its own. */
static void
name_window (PrismWindow *self)
{
  const char *run_file = self->session->run_file;
  g_autofree char *name = dup_title (NULL, run_file, self->opened);
  g_autofree char *title = g_strdup_printf (_ ("%s – PRISM Studio"), name);

  gtk_window_set_title (GTK_WINDOW (self),
                        run_file != NULL || self->opened != NULL ? title : name);
}

/**
 * prism_window_bind_title:
 * @widget_class: of the window
 *
 * Names what the template makes the header bar's title with.
 */
void
prism_window_bind_title (GtkWidgetClass *widget_class)
{
  PRISM_TEMPLATE_CALLBACKS (widget_class, dup_title, dup_whole_title);
}

/**
 * prism_window_set_opened:
 * @self: a window
 * @path: (nullable): of the configuration that was opened or saved, %NULL for one without a file
 *
 * Says what the window is about.
 */
void
prism_window_set_opened (PrismWindow *self,
                         const char *path)
{
  g_free (self->opened);
  self->opened = path != NULL ? g_filename_display_basename (path) : NULL;
  g_object_notify (G_OBJECT (self), "opened");
}

/* What the next run will take, where that is one with the edited settings. */
static void
update (PrismWindow *self)
{
  const char *text = self->forecaster->text;
  g_autofree char *whole
      = g_strdup_printf ("%s\n%s", text != NULL ? text : "", self->forecaster->detail);

  prism_status_bar_set_expected (self->status_bar, self->forecaster->expected);
  gtk_label_set_text (GTK_LABEL (self->forecast_label),
                      text != NULL ? self->forecaster->brief : "");
  gtk_widget_set_tooltip_text (self->forecast_label, whole);
  gtk_widget_set_visible (self->forecast_label,
                          text != NULL && !prism_lesson_panel_is_busy (self->lesson_panel));
}

/**
 * prism_window_tell_time:
 * @self: a window
 *
 * Lets the window time the machine where it does not know how long a run will take.
 */
void
prism_window_tell_time (PrismWindow *self)
{
  prism_forecaster_set_timing (self->forecaster, TRUE);
}

/* The switch, the line below the reconstruction, and what must not be disturbed by a run. */

/* Positions are placed while nothing runs, the queue has its own order, and a lesson its own
 * settings. */
static void
update_blocked (PrismWindow *self)
{
  prism_follow_set_blocked (self->follow,
                            self->runs->running || prism_lesson_panel_is_busy (self->lesson_panel)
                                || self->pattern_desk->editing);
}

static gboolean
name_line (GBinding *binding,
           const GValue *text,
           GValue *label,
           gpointer data)
{
  const char *said = g_value_get_string (text);

  g_value_set_string (label, said != NULL ? said : _ ("Change a value: the run starts again"));
  return TRUE;
}

/* There as long as changes are followed, so that the picture keeps its place. */
static GtkWidget *
create_line (PrismFollow *follow)
{
  GtkWidget *line = prism_label_new (NULL, "follow-line", -1);

  gtk_label_set_ellipsize (GTK_LABEL (line), PANGO_ELLIPSIZE_END);
  g_object_bind_property_full (follow, "text", line, "label", G_BINDING_SYNC_CREATE, name_line,
                               NULL, NULL, NULL);
  g_object_bind_property (line, "label", line, "tooltip-text", G_BINDING_SYNC_CREATE);
  g_object_bind_property (follow, "active", line, "visible", G_BINDING_SYNC_CREATE);
  return line;
}

/* The one file that is being read for the window: a newer one takes its place, and so does whatever
 * else comes in place of what it would become. */

/**
 * prism_window_begin_reading:
 * @self: a window
 *
 * Breaks off what is being read.
 *
 * Returns: (transfer none): what breaks off the reading that begins
 */
GCancellable *
prism_window_begin_reading (PrismWindow *self)
{
  prism_window_end_reading (self);
  self->reading = g_cancellable_new ();
  return self->reading;
}

/**
 * prism_window_end_reading:
 * @self: a window
 *
 * Breaks off what is being read, if anything is, and says no more that a run is opened.
 */
void
prism_window_end_reading (PrismWindow *self)
{
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  if (self->opening == NULL)
    return;
  if (self->toast_overlay != NULL)
    prism_toaster_dismiss (self->toast_overlay, self->opening);
  g_clear_object (&self->opening);
  prism_session_set_opening (self->session, NULL);
}

/**
 * prism_window_install_follow:
 * @self: a window that has its runs and its pattern desk
 *
 * Names the window, tells what the next run takes, and lets a changed value start it again.
 */
void
prism_window_install_follow (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "offer", on_offer, "s" });
  PRISM_CONNECT (self->session, "notify::run-file", name_window, self);
  g_signal_connect (self, "notify::opened", G_CALLBACK (name_window), NULL);
  name_window (self);
  self->follow = prism_follow_new (self->session);
  prism_window_add_property (self, "follow", self->follow, "active");
  gtk_box_append (GTK_BOX (self->dashboard->lines), create_line (self->follow));
  g_object_bind_property (self->follow, "held", self->dashboard, "held", G_BINDING_SYNC_CREATE);
  PRISM_CONNECT (self->runs, "notify::queue-running", update_blocked, self);
  PRISM_CONNECT (self->pattern_desk, "notify::editing", update_blocked, self);
  PRISM_CONNECT (self->lesson_panel, "notify::busy", update_blocked, self);
  self->forecaster = prism_forecaster_new (self->session);
  PRISM_CONNECT (self->forecaster, "notify::text", update, self);
  PRISM_CONNECT (self->lesson_panel, "notify::busy", update, self);
  update (self);
}
