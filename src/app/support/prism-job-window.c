#include "config.h"

#include "support/prism-job-window.h"

#include "support/prism-file-dialog.h"

G_DEFINE_ABSTRACT_TYPE (PrismJobWindow, prism_job_window, ADW_TYPE_WINDOW)

static const PrismJobKind *
get_kind (gpointer self)
{
  return &PRISM_JOB_WINDOW_GET_CLASS (self)->kind;
}

static void
call (gpointer self,
      gpointer func)
{
  ((void (*) (gpointer)) func) (self);
}

/* Of the widget, or of each of a kind. */
static const char *
name_action (const PrismJobKind *kind,
             const char *verb)
{
  g_autofree char *name = g_strconcat (kind->prefix, ".", verb, NULL);

  return g_intern_string (name);
}

static void
on_run (PrismJobWindow *self)
{
  self->stopping = FALSE;
  call (self, get_kind (self)->run);
}

static void
on_stop (PrismJobWindow *self)
{
  self->stopping = TRUE;
  call (self, get_kind (self)->stop);
  prism_job_window_finish_soon (self);
}

static void
show_folder (PrismJobWindow *self)
{
  g_autoptr (GError) error = NULL;

  if (!prism_folder_show (self->directory, &error))
    prism_job_window_show_problem (self, error->message);
}

static void
on_folder (PrismJobWindow *self,
           const char *path)
{
  g_autoptr (GError) error = NULL;
  gboolean (*open) (gpointer, const char *, GError **) = get_kind (self)->open_folder;

  /* A job may have been started meanwhile. */
  if (!self->busy && self->toast_overlay != NULL && !open (self, path, &error))
    prism_job_window_show_problem (self, error->message);
}

static void
ask_for_folder (PrismJobWindow *self)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_FOLDER,
                                   get_kind (self)->open_title };

  prism_file_dialog_ask (&dialog, self, on_folder, NULL, NULL);
}

static void
prism_job_window_class_init (PrismJobWindowClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_widget_drop_template);
  PRISM_FINALIZE (klass, PrismJobWindow, g_free, directory);
}

static void
prism_job_window_init (PrismJobWindow *self)
{
}

/**
 * prism_job_window_class_set_up:
 * @widget_class: of a kind of window that has its template, actions and functions
 *
 * Gives the kind the children, the actions and their keys.
 */
void
prism_job_window_class_set_up (GtkWidgetClass *widget_class)
{
  const PrismJobKind *kind = &((PrismJobWindowClass *) widget_class)->kind;
  const char *run = name_action (kind, "run"), *stop = name_action (kind, "stop");

  PRISM_SCAN (PRISM_EACH (PRISM_TEMPLATE_CHILD, widget_class, PrismJobWindow,
                          toast_overlay, problem_label, progress_bar, run_button,
                          stop_button))
  PRISM_ACTION (widget_class, run, on_run);
  PRISM_ACTION (widget_class, stop, on_stop);
  if (kind->open_folder != NULL)
    {
      PRISM_ACTION (widget_class, name_action (kind, "show-folder"), show_folder);
      PRISM_ACTION (widget_class, name_action (kind, "open"), ask_for_folder);
    }
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F5, 0, run, NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_period, GDK_CONTROL_MASK, stop, NULL);
}

/**
 * prism_job_window_show_problem:
 * @self: a window
 * @sentence: (nullable): what is wrong; NULL: nothing any more
 */
void
prism_job_window_show_problem (gpointer window,
                               const char *sentence)
{
  PrismJobWindow *self = window;

  gtk_label_set_text (self->problem_label, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem_label), sentence != NULL);
}

/**
 * prism_job_window_find_program:
 * @self: a window
 * @missing: what it says where there is no prism-cli
 *
 * Returns: (transfer full) (nullable): the path of prism-cli
 */
char *
prism_job_window_find_program (gpointer self,
                               const char *missing)
{
  char *program = prism_program_dup_cli ();

  prism_job_window_show_problem (self, program != NULL ? NULL : missing);
  return program;
}

/**
 * prism_job_window_set_busy:
 * @self: a window
 * @busy: whether something is under way
 * @stoppable: whether it can be stopped
 *
 * Lets what is possible now be pressed, and the window be hidden alone while it is busy. The
 * keyboard leaves what is closed to it for the button that goes on from there.
 */
void
prism_job_window_set_busy (gpointer window,
                           gboolean busy,
                           gboolean stoppable)
{
  PrismJobWindow *self = window;
  const PrismJobKind *kind = get_kind (self);
  const char *run = name_action (kind, "run"), *stop = name_action (kind, "stop");
  GtkWidget *widget = GTK_WIDGET (self), *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GtkWidget *next = busy ? self->stop_button : self->run_button;
  const gboolean leaves = focus == NULL || focus == self->run_button || focus == self->stop_button
                          || !gtk_widget_is_sensitive (focus)
                          || (busy && self->plan != NULL
                              && gtk_widget_is_ancestor (focus, self->plan));

  self->busy = busy;
  gtk_window_set_hide_on_close (GTK_WINDOW (self), busy);
  gtk_widget_action_set_enabled (widget, busy ? stop : run, !busy || stoppable);
  if (leaves && gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (next))
    gtk_widget_grab_focus (next);
  prism_widget_enable (widget, run, !busy, stop, stoppable, NULL);
  if (kind->open_folder != NULL)
    gtk_widget_action_set_enabled (widget, name_action (kind, "open"), !busy);
  if (self->plan != NULL)
    gtk_widget_set_sensitive (self->plan, !busy);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), busy);
}

static gboolean
finish (gpointer data)
{
  g_autoptr (PrismJobWindow) self = data;

  if (self->toast_overlay != NULL)
    call (self, get_kind (self)->finish);
  return G_SOURCE_REMOVE;
}

/**
 * prism_job_window_finish_soon:
 * @self: a window
 *
 * Looks whether the job is over once what tells of it has returned: a job must not be freed in its
 * own callback.
 */
void
prism_job_window_finish_soon (gpointer self)
{
  g_idle_add (finish, g_object_ref (self));
}

static int
get_rank (const PrismJobWindow *self)
{
  return 2 * self->busy + !gtk_widget_get_visible (GTK_WIDGET (self));
}

/**
 * prism_job_window_find:
 * @parent: a window
 * @type: a kind of job window
 *
 * Returns: (transfer none) (nullable): its window of the kind: one that is busy before one that is
 *   hidden, and that before others
 */
PrismJobWindow *
prism_job_window_find (gpointer parent,
                       GType type)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();
  PrismJobWindow *found = NULL;

  for (GList *i = windows; i != NULL; i = i->next)
    if (G_TYPE_CHECK_INSTANCE_TYPE (i->data, type)
        && gtk_window_get_transient_for (i->data) == parent
        && (found == NULL || get_rank (i->data) >= get_rank (found)))
      found = i->data;
  return found;
}
