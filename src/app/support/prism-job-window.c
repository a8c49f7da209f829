#include "config.h"

#include "support/prism-job-window.h"

#include "support/prism-file-dialog.h"
#include "support/prism-notice.h"

G_DEFINE_ABSTRACT_TYPE (PrismJobWindow, prism_job_window, ADW_TYPE_WINDOW)

static void
on_run (PrismJobWindow *self)
{
  self->stopping = FALSE;
  PRISM_JOB_WINDOW_GET_CLASS (self)->run (self);
}

static void
on_stop (PrismJobWindow *self)
{
  self->stopping = TRUE;
  PRISM_JOB_WINDOW_GET_CLASS (self)->stop (self);
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
on_folder (const char *path,
           PrismJobWindow *self)
{
  g_autoptr (GError) error = NULL;

  /* A job may have been started meanwhile. */
  if (!self->busy && self->toast_overlay != NULL
      && !PRISM_JOB_WINDOW_GET_CLASS (self)->open_folder (self, path, &error))
    prism_job_window_show_problem (self, error->message);
}

static void
ask_for_folder (PrismJobWindow *self)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_FOLDER,
                                   _ (PRISM_JOB_WINDOW_GET_CLASS (self)->open_title), _ ("_Open") };

  prism_file_dialog_ask (&dialog, self, on_folder);
}

/* A window is unrealized when it is destroyed. A dialog or a job may hold this one longer than its
 * parent lives, which GTK does not follow. */
static void
prism_job_window_unrealize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (prism_job_window_parent_class)->unrealize (widget);
  gtk_window_set_transient_for (GTK_WINDOW (widget), NULL);
}

static void
prism_job_window_class_init (PrismJobWindowClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_widget_drop_template);
  PRISM_FINALIZE (klass, PrismJobWindow, g_free, directory);
  GTK_WIDGET_CLASS (klass)->unrealize = prism_job_window_unrealize;
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
  const PrismJobWindowClass *klass = (PrismJobWindowClass *) widget_class;

  PRISM_SCAN (PRISM_EACH (PRISM_TEMPLATE_CHILD, widget_class, PrismJobWindow,
                          toast_overlay, problem_label, progress_bar, run_button,
                          stop_button))
  PRISM_ACTION (widget_class, klass->run_action, on_run);
  PRISM_ACTION (widget_class, klass->stop_action, on_stop);
  if (klass->show_action != NULL)
    PRISM_ACTION (widget_class, klass->show_action, show_folder);
  if (klass->open_action != NULL)
    PRISM_ACTION (widget_class, klass->open_action, ask_for_folder);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F5, 0, klass->run_action, NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_period, GDK_CONTROL_MASK,
                                       klass->stop_action, NULL);
}

/**
 * prism_job_window_show_problem:
 * @self: a window
 * @sentence: (nullable): what is wrong; NULL: nothing any more
 */
void
prism_job_window_show_problem (PrismJobWindow *self,
                               const char *sentence)
{
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
prism_job_window_find_program (PrismJobWindow *self,
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
prism_job_window_set_busy (PrismJobWindow *self,
                           gboolean busy,
                           gboolean stoppable)
{
  const PrismJobWindowClass *klass = PRISM_JOB_WINDOW_GET_CLASS (self);
  GtkWidget *widget = GTK_WIDGET (self), *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GtkWidget *next = busy ? self->stop_button : self->run_button;
  const gboolean leaves = focus == NULL || focus == self->run_button || focus == self->stop_button
                          || !gtk_widget_is_sensitive (focus)
                          || (busy && self->plan != NULL
                              && gtk_widget_is_ancestor (focus, self->plan));

  self->busy = busy;
  gtk_window_set_hide_on_close (GTK_WINDOW (self), busy);
  gtk_widget_action_set_enabled (widget, busy ? klass->stop_action : klass->run_action,
                                 !busy || stoppable);
  if (leaves && gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (next))
    gtk_widget_grab_focus (next);
  gtk_widget_action_set_enabled (widget, klass->run_action, !busy);
  gtk_widget_action_set_enabled (widget, klass->stop_action, stoppable);
  if (klass->open_action != NULL)
    gtk_widget_action_set_enabled (widget, klass->open_action, !busy);
  if (self->plan != NULL)
    gtk_widget_set_sensitive (self->plan, !busy);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), busy);
}

static gboolean
finish (gpointer data)
{
  g_autoptr (PrismJobWindow) self = data;

  if (self->toast_overlay != NULL)
    PRISM_JOB_WINDOW_GET_CLASS (self)->finish (self);
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
prism_job_window_finish_soon (PrismJobWindow *self)
{
  g_idle_add (finish, g_object_ref (self));
}

/**
 * prism_job_window_find:
 * @parent: a window
 * @type: a kind of job window
 *
 * Returns: (transfer none) (nullable): its window of the kind, a hidden one where there is one
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
        && (found == NULL || !gtk_widget_get_visible (i->data)))
      found = i->data;
  return found;
}
