#include "config.h"

#include "compare/prism-compare-window.h"
#include "library/prism-library-window.h"
#include "prism-finding-report.h"
#include "prism-report.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"
#include "support/prism-widget.h"
#include "window/prism-window-private.h"

static void
show_compare_window (PrismWindow *self)
{
  if (self->compare_window == NULL)
    {
      prism_widget_place_window (self, prism_compare_window_new (self->runs),
                                 &self->compare_window);
      /* No transient of this one: both are to be seen side by side. */
      gtk_window_set_application (self->compare_window,
                                  gtk_window_get_application (GTK_WINDOW (self)));
    }
  prism_run_list_follow_names (self->runs);
  gtk_window_present (self->compare_window);
}

/**
 * prism_window_compare_last:
 * @self: a window
 *
 * Compares the run on the screen with the one before it, and no others.
 */
void
prism_window_compare_last (PrismWindow *self)
{
  prism_run_list_show_only (self->runs, self->session->previous,
                            self->session->snapshot);
  show_compare_window (self);
}

static void
on_queue_add (PrismWindow *self)
{
  g_autofree char *text = NULL;
  guint n_waiting;

  prism_run_list_enqueue (self->runs, NULL, self->draft->config);
  n_waiting = prism_run_list_count_waiting (self->runs);
  text = g_strdup_printf (ngettext ("%u run waits in the queue", "%u runs wait in the queue",
                                    n_waiting),
                          n_waiting);
  prism_window_show_toast (self, text);
}

static void
start_queue (PrismWindow *self)
{
  prism_run_list_start_queue (self->runs);
  if (prism_lesson_panel_is_busy (self->lesson_panel))
    prism_window_show_toast (self, _ ("The queue waits until the lesson is left"));
}

/* The same object, measurements and seed for each of them. */
static void
on_methods_confirmed (PrismWindow *self,
                      PrismAnswer answer,
                      gpointer data)
{
  const PrismConfig *edited = self->draft->config;
  gsize n_methods;
  const PrismApproach *methods = prism_approach_get_all (&n_methods);

  if (answer != PRISM_ANSWER_CONFIRM || self->draft->problem != NULL)
    return;
  for (gsize i = 0; i < n_methods; i++)
    {
      g_autoptr (PrismConfig) config = prism_approach_apply (&methods[i], edited);

      if (prism_approach_is_distinct (&methods[i], edited))
        prism_run_list_enqueue (self->runs, gettext (methods[i].label), config);
    }
  start_queue (self);
  show_compare_window (self);
}

static void
on_compare_methods (PrismWindow *self)
{
  const PrismConfig *edited = self->draft->config;
  g_autofree char *body = NULL;
  PrismMessage message = { .dismiss = _ ("_Cancel"), .confirm = _ ("_Compare") };
  gsize n_methods;
  const PrismApproach *methods = prism_approach_get_all (&n_methods);
  guint n = 0;

  for (gsize i = 0; i < n_methods; i++)
    n += prism_approach_is_distinct (&methods[i], edited);
  body = g_strdup_printf (ngettext ("%u run starts, with the parameters of this scene.",
                                    "%u runs start, one after the other, with the parameters of"
                                    " this scene. Each may take as long as one of its own.",
                                    n),
                          n);
  message.heading = _ ("Compare the methods?");
  message.body = body;
  prism_message_show (&message, GTK_WINDOW (self), on_methods_confirmed, NULL, NULL);
}

static void
on_report_chosen (PrismWindow *self,
                  const char *path)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  g_autofree char *name = prism_run_list_dup_name (self->runs);
  PrismComparison *comparison;
  g_autoptr (PrismResult) result = NULL;

  if (snapshot == NULL || snapshot->config == NULL)
    return;
  if (snapshot->finding != NULL)
    {
      GArray *readings = prism_playback_get_readings (self->session->playback);

      prism_window_save (self, prism_finding_report_save,
                         prism_finding_new_read (snapshot->finding, readings, name),
                         prism_finding_unref, path);
      return;
    }
  comparison = prism_comparison_new ();
  result = prism_result_new (name, snapshot);
  prism_comparison_add (comparison, result);
  prism_window_save (self, prism_report_save, comparison,
                     prism_comparison_free, path);
}

static void
on_save_report (PrismWindow *self)
{
  static const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, N_ ("Save a report"),
                                          N_ ("Reports"), "*.html *.pdf", "report.html" };
  PrismSnapshot *snapshot = self->session->snapshot;

  if (snapshot == NULL || snapshot->reconstruction == NULL)
    prism_window_show_toast (self, _ ("There is nothing to report: run a reconstruction first"));
  else
    prism_window_ask_place (&dialog, self, on_report_chosen, NULL, NULL);
}

/**
 * prism_window_compare_files:
 * @self: a window
 * @files: (element-type GFile): files that were opened together
 *
 * Compares several runs from files, and no others; those of the session stay in the list.
 *
 * Returns: whether there are several and all are runs; otherwise nothing was done
 */
gboolean
prism_window_compare_files (PrismWindow *self,
                            GSList *files)
{
  for (GSList *link = files; link != NULL; link = link->next)
    {
      g_autofree char *path = g_file_get_path (link->data);

      if (path == NULL || !g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX))
        return FALSE;
    }
  if (files == NULL || files->next == NULL)
    return FALSE;
  prism_run_list_show_only (self->runs, NULL, NULL);
  for (GSList *link = files; link != NULL; link = link->next)
    {
      g_autofree char *path = g_file_get_path (link->data);
      prism_run_list_open (self->runs, path);
    }
  show_compare_window (self);
  return TRUE;
}

/**
 * prism_window_compare_folder:
 * @self: a window
 * @path: the folder of what explains recorded frames
 *
 * Shows an earlier result beside other runs.
 */
void
prism_window_compare_folder (PrismWindow *self,
                             const char *path)
{
  prism_run_list_open (self->runs, path);
  show_compare_window (self);
}

static void
update (PrismWindow *self)
{
  gboolean valid = self->draft->problem == NULL;

  prism_window_enable (self, "compare-methods", valid, "queue-add", valid, NULL);
}

/* No other run comes between the steps of a lesson. */
static void
update_blocked (PrismWindow *self)
{
  prism_run_list_set_blocked (self->runs, prism_lesson_panel_is_busy (self->lesson_panel));
}

static void
update_queue (PrismWindow *self)
{
  prism_window_enable (self, "queue-run",
                       !self->runs->running && prism_run_list_count_waiting (self->runs) > 0,
                       NULL);
}

static void
on_open_run (PrismWindow *self,
             const char *path)
{
  prism_window_open_run (self, path);
  gtk_window_close (self->library);
  gtk_window_present (GTK_WINDOW (self));
}

static void
on_compare_runs (PrismWindow *self,
                 const char *const *paths)
{
  GSList *files = NULL;

  for (; *paths != NULL; paths++)
    files = g_slist_append (files, g_file_new_for_path (*paths));
  prism_window_compare_files (self, files);
  g_slist_free_full (files, g_object_unref);
  gtk_window_close (self->library);
}

/* The run on the screen may have been given a name there. */
static void
on_library_gone (PrismWindow *self)
{
  if (self->session != NULL && !self->quitting)
    g_object_notify (G_OBJECT (self), "opened");
}

static void
on_library (PrismWindow *self)
{
  g_autofree char *catalogue = prism_run_catalogue_dup_folder ();
  g_autofree char *runs = prism_run_folder_dup_path ();
  GtkWidget *window;

  if (self->library != NULL)
    {
      prism_library_window_refresh (PRISM_LIBRARY_WINDOW (self->library));
      gtk_window_present (self->library);
      return;
    }
  window = prism_library_window_new (catalogue, runs);
  PRISM_CONNECT (window, "open-run", on_open_run, self);
  PRISM_CONNECT (window, "compare-runs", on_compare_runs, self);
  PRISM_CONNECT (window, "destroy", on_library_gone, self);
  prism_window_open_child (self, window, &self->library);
}

/* The file of a run that is over is nobody's any more. */
static void
on_state_changed (PrismWindow *self)
{
  if (self->library != NULL && !prism_session_get_active (self->session))
    prism_library_window_refresh (PRISM_LIBRARY_WINDOW (self->library));
}

/**
 * prism_window_install_compare:
 * @self: a window
 *
 * Adds what compares runs: their list, the queue, reports, and all runs that are kept.
 */
void
prism_window_install_compare (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "compare", show_compare_window },
                        { "compare-methods", on_compare_methods },
                        { "queue-add", on_queue_add },
                        { "queue-run", start_queue },
                        { "save-report", on_save_report },
                        { "library", on_library });
  self->runs = prism_run_list_new (self->session);
  PRISM_CONNECT (self->draft, "notify::problem", update, self);
  PRISM_CONNECT (G_LIST_MODEL (self->runs->store), "items-changed", update_queue, self);
  PRISM_CONNECT (self->runs, "notify::queue-running", update_queue, self);
  PRISM_CONNECT (self->lesson_panel, "notify::busy", update_blocked, self);
  update (self);
  update_queue (self);
  PRISM_CONNECT (self->session, "notify::state", on_state_changed, self);
}
