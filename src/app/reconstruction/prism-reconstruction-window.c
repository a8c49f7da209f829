#include "config.h"

#include "reconstruction/prism-reconstruction-window.h"

#include "base/prism-file.h"
#include "charts/prism-chart.h"
#include "ptychography/prism-ptychography-export.h"
#include "reconstruction/prism-finding-pages.h"
#include "reconstruction/prism-finding-progress.h"
#include "reconstruction/prism-finding-reporter.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "support/prism-message.h"
#include "support/prism-toaster.h"
#include "support/prism-wake-up.h"
#include "support/prism-wording.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define MAX_FOLDERS 1000 /* of results side by side */

struct _PrismReconstructionWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  AdwWindowTitle *window_title;
  GtkButton *start_button;
  GtkToggleButton *pause_button;
  GtkLabel *verdict;
  GtkLabel *numbers;
  GtkProgressBar *progress;
  GtkBox *side;
  GtkBox *chart_box;
  PrismFindingPages *pages;

  PrismModelPanel *panel;
  PrismChart *chart;
  guint misfit_series;
  guint correlation_series;
  PrismRecording *recording; /* (nullable): of a result that was opened there is none */
  PrismPtychographyRun *run; /* (nullable) */
  PrismWakeUp *wake_up;
  PrismFinding *finding; /* (nullable) */
  gboolean is_saved;     /* the finding is on the disk, or there is none */
  gboolean is_saving;
  gboolean is_closing;          /* once it is saved */
  GtkWindow *also;              /* (nullable): is to be closed after it */
  PrismPtychographyStage shown; /* of the run, when the window last looked */
  gboolean filling;
};

static const char *const report_patterns[] = { "*.html", "*.pdf", NULL };

G_DEFINE_FINAL_TYPE (PrismReconstructionWindow, prism_reconstruction_window, ADW_TYPE_WINDOW)

static void
show_toast (PrismReconstructionWindow *self,
            const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  prism_toaster_add (self->toast_overlay, adw_toast_new (markup));
}

static PrismPtychographyStatus
get_status (PrismReconstructionWindow *self)
{
  PrismPtychographyStatus status = { .stage = PRISM_PTYCHOGRAPHY_DONE };

  if (self->run != NULL)
    prism_ptychography_run_get_status (self->run, &status);
  return status;
}

static void
update_actions (PrismReconstructionWindow *self)
{
  const PrismPtychographyStatus status = get_status (self);
  const gboolean active = status.stage < PRISM_PTYCHOGRAPHY_DONE;
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_action_set_enabled (widget, "reconstruction.start", self->recording != NULL);
  gtk_widget_action_set_enabled (widget, "reconstruction.finish", active);
  gtk_widget_action_set_enabled (widget, "reconstruction.more",
                                 self->run != NULL && status.stage == PRISM_PTYCHOGRAPHY_DONE
                                     && status.n_tiles == 0);
  gtk_widget_action_set_enabled (widget, "reconstruction.save",
                                 self->run != NULL && self->finding != NULL && !self->is_saving);
  gtk_widget_action_set_enabled (widget, "reconstruction.report", self->finding != NULL);
  self->filling = TRUE;
  gtk_widget_set_sensitive (GTK_WIDGET (self->pause_button), active);
  gtk_toggle_button_set_active (self->pause_button, status.paused);
  self->filling = FALSE;
  gtk_button_set_label (self->start_button, self->run != NULL ? _ ("_Start again")
                                                              : _ ("_Reconstruct"));
}

static void
show_progress (PrismReconstructionWindow *self)
{
  const PrismPtychographyStatus status = get_status (self);
  g_autofree char *text = prism_finding_progress_dup_text (&status);
  double fraction = status.fraction;

  gtk_widget_set_visible (GTK_WIDGET (self->progress), self->run != NULL);
  if (status.stage == PRISM_PTYCHOGRAPHY_PASSING)
    fraction = (status.pass + status.fraction) / MAX (status.n_passes, 1);
  else if (status.stage >= PRISM_PTYCHOGRAPHY_DONE)
    fraction = status.stage == PRISM_PTYCHOGRAPHY_DONE;
  if (status.n_tiles > 0 && status.stage < PRISM_PTYCHOGRAPHY_DONE)
    fraction = (status.tile + CLAMP (fraction, 0, 1)) / status.n_tiles;
  gtk_progress_bar_set_fraction (self->progress, CLAMP (fraction, 0, 1));
  gtk_progress_bar_set_text (self->progress, text);
}

static void
show_verdict (PrismReconstructionWindow *self)
{
  g_autofree char *problem
      = self->run != NULL ? prism_ptychography_run_dup_problem (self->run) : NULL;

  if (problem != NULL)
    gtk_label_set_label (self->verdict, problem);
  else if (self->finding == NULL)
    gtk_label_set_label (self->verdict, self->run != NULL
                                            ? _ ("Nothing is found yet.")
                                            : _ ("Nothing is reconstructed yet."));
  else
    {
      g_autofree char *verdict
          = prism_ptychography_export_dup_verdict (&self->finding->held_out);

      gtk_label_set_label (self->verdict, verdict);
    }
}

static void
show_numbers (PrismReconstructionWindow *self)
{
  const PrismFinding *found = self->finding;
  g_autoptr (GString) text = g_string_new (NULL);

  gtk_widget_set_visible (GTK_WIDGET (self->numbers), found != NULL);
  if (found == NULL)
    return;
  if (found->held_out.n_frames > 0)
    g_string_append_printf (text,
                            ngettext ("%u frame that was never used: misfit %.4f, correlation"
                                      " %.4f.",
                                      "%u frames that were never used: misfit %.4f, correlation"
                                      " %.4f.",
                                      found->held_out.n_frames),
                            found->held_out.n_frames, found->held_out.misfit,
                            found->held_out.correlation);
  g_string_append_printf (text, _ ("\nThe others: misfit %.4f, correlation %.4f."),
                          found->used.misfit, found->used.correlation);
  g_string_append_printf (text, _ ("\nObject of %d × %d pixels of %.3g µm."), found->object_width,
                          found->object_height, 1e6 * found->pixel_size);
  g_string_append_printf (text,
                          _ ("\nBoard: shift %.2f, %.2f px, scale %.4f, turn %.2f°."),
                          found->board.shift[0], found->board.shift[1], found->board.scale,
                          found->board.turn * 180 / G_PI);
  for (guint i = 0; i < found->doubts->len; i++)
    g_string_append_printf (text, "\n\n%s", (const char *) g_ptr_array_index (found->doubts, i));
  gtk_label_set_label (self->numbers, g_strstrip (text->str));
}

static void
show_curve (PrismReconstructionWindow *self)
{
  const guint n = self->finding != NULL ? self->finding->progress->len : 0;
  g_autofree double *misfits = g_new (double, n + 1);
  g_autofree double *correlations = g_new (double, n + 1);

  /* Before the first pass nothing is predicted. */
  misfits[0] = correlations[0] = NAN;
  for (guint i = 0; i < n; i++)
    {
      const PrismPrediction *row
          = &g_array_index (self->finding->progress, PrismPrediction, i);

      misfits[i + 1] = row->misfit;
      correlations[i + 1] = row->correlation;
    }
  prism_chart_replace (self->chart, self->misfit_series, misfits, n + 1);
  prism_chart_replace (self->chart, self->correlation_series, correlations, n + 1);
}

static void
set_finding (PrismReconstructionWindow *self,
             PrismFinding *finding)
{
  if (finding == self->finding && finding != NULL)
    return;
  g_clear_pointer (&self->finding, prism_finding_unref);
  self->finding = finding != NULL ? prism_finding_ref (finding) : NULL;
  self->is_saved = finding == NULL || self->run == NULL;
  prism_finding_pages_set_finding (self->pages, finding);
  show_numbers (self);
  show_curve (self);
}

/* As was wanted before what was found was on the disk. */
static void
close_after_saving (PrismReconstructionWindow *self)
{
  g_autoptr (GtkWindow) also = g_steal_pointer (&self->also);

  gtk_window_destroy (GTK_WINDOW (self));
  if (also != NULL)
    gtk_window_close (also);
}

static void
tell_saved (PrismReconstructionWindow *self)
{
  g_autofree char *directory = NULL;
  g_autofree char *problem = NULL;
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;

  if (!prism_ptychography_run_take_saved (self->run, &directory, &problem))
    return;
  self->is_saving = FALSE;
  if (problem != NULL)
    {
      /* What could not be written is not left behind empty. */
      g_rmdir (directory);
      show_toast (self, problem);
      self->is_closing = FALSE;
      g_clear_object (&self->also);
      return;
    }
  self->is_saved = TRUE;
  name = g_filename_display_name (directory);
  text = g_strdup_printf (_ ("Saved in “%s”"), name);
  show_toast (self, text);
}

/* The run has something new. */
static void
update (gpointer data)
{
  PrismReconstructionWindow *self = data;
  g_autoptr (PrismFinding) finding = NULL;
  PrismPtychographyLook look;

  if (self->run == NULL)
    return;
  /* First: what comes later is shown later. */
  self->shown = get_status (self).stage;
  finding = prism_ptychography_run_ref_finding (self->run);
  if (finding != NULL)
    set_finding (self, finding);
  if (self->shown >= PRISM_PTYCHOGRAPHY_DONE)
    prism_finding_pages_hurry (self->pages);
  if (prism_ptychography_run_get_look (self->run, &look))
    {
      prism_finding_pages_set_look (self->pages, &look);
      prism_image_unref (look.recorded);
      prism_image_unref (look.predicted);
    }
  tell_saved (self);
  if (self->is_closing && !self->is_saving)
    {
      close_after_saving (self);
      return;
    }
  show_progress (self);
  show_verdict (self);
  update_actions (self);
}

static void
wake (gpointer data)
{
  prism_wake_up_trigger (data);
}

static void
on_start (GtkWidget *widget,
          const char *action,
          GVariant *parameter)
{
  prism_reconstruction_window_start (PRISM_RECONSTRUCTION_WINDOW (widget));
}

static void
on_pause_toggled (PrismReconstructionWindow *self)
{
  if (self->filling || self->run == NULL)
    return;
  prism_ptychography_run_set_paused (self->run,
                                     gtk_toggle_button_get_active (self->pause_button));
  update (self);
}

static void
on_finish (GtkWidget *widget,
           const char *action,
           GVariant *parameter)
{
  PrismReconstructionWindow *self = PRISM_RECONSTRUCTION_WINDOW (widget);

  if (self->run != NULL)
    prism_ptychography_run_finish (self->run);
}

/* As many as were wanted at first. */
static void
on_more (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  PrismReconstructionWindow *self = PRISM_RECONSTRUCTION_WINDOW (widget);
  PrismPtychographySettings settings;
  g_autoptr (GError) error = NULL;

  if (!prism_model_panel_get_settings (self->panel, &settings, &error))
    show_toast (self, error->message);
  else if (self->run != NULL)
    {
      prism_ptychography_run_go_on (self->run, (guint) settings.passes);
      update (self);
    }
}

static void
on_look_wanted (PrismReconstructionWindow *self,
                guint frame)
{
  if (self->run != NULL)
    prism_ptychography_run_look_at (self->run, frame);
}

static void
on_parent_chosen (const char *path,
                  gpointer data)
{
  prism_reconstruction_window_save (data, path);
}

static void
ask_for_parent (PrismReconstructionWindow *self,
                PrismFileDialogFunc func)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_FOLDER, _ ("Choose where the folder of the result goes"), _ ("_Save"),
          NULL, NULL, NULL };

  prism_file_dialog_show (&dialog, GTK_WINDOW (self), func, g_object_ref (self), g_object_unref);
}

static void
on_save (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  ask_for_parent (PRISM_RECONSTRUCTION_WINDOW (widget), on_parent_chosen);
}

static void
on_last_parent_chosen (const char *path,
                       gpointer data)
{
  PrismReconstructionWindow *self = data;

  prism_reconstruction_window_save (self, path);
  self->is_closing = self->is_saving;
}

static void
on_report_chosen (const char *path,
                  gpointer data)
{
  PrismReconstructionWindow *self = data;

  if (self->finding != NULL)
    prism_finding_reporter_save (self->finding, path, self->toast_overlay);
}

static void
on_report (GtkWidget *widget,
           const char *action,
           GVariant *parameter)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save a report"), _ ("_Save"),
                                   "report.html", _ ("Reports"), report_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (widget), on_report_chosen, g_object_ref (widget),
                          g_object_unref);
}

static void
on_result_chosen (const char *path,
                  gpointer data)
{
  PrismReconstructionWindow *self = data;
  GtkWidget *window = data;

  /* What is found of frames stays. */
  if (self->recording != NULL)
    {
      window = prism_reconstruction_window_new (NULL);
      gtk_window_set_transient_for (GTK_WINDOW (window),
                                    gtk_window_get_transient_for (GTK_WINDOW (self)));
      gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
      gtk_window_present (GTK_WINDOW (window));
    }
  prism_reconstruction_window_open (PRISM_RECONSTRUCTION_WINDOW (window), path);
}

static void
on_open (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_FOLDER, _ ("Open the folder of a result"), _ ("_Open"), NULL, NULL,
          NULL };

  prism_file_dialog_show (&dialog, GTK_WINDOW (widget), on_result_chosen, g_object_ref (widget),
                          g_object_unref);
}

static void
on_close_answered (PrismAnswer answer,
                   gpointer data)
{
  if (answer == PRISM_ANSWER_CONFIRM)
    gtk_window_destroy (data);
  else if (answer == PRISM_ANSWER_BETTER)
    prism_reconstruction_window_save_and_close (data, NULL);
}

static gboolean
prism_reconstruction_window_close_request (GtkWindow *window)
{
  PrismReconstructionWindow *self = PRISM_RECONSTRUCTION_WINDOW (window);
  const PrismMessage message
      = { _ ("Close without saving?"),
          _ ("What was found of these frames is not on the disk. Reconstructing them again takes as"
             " long as it did."),
          _ ("_Cancel"), _ ("_Close"), TRUE, _ ("_Save…") };

  if (self->is_saved)
    return GTK_WINDOW_CLASS (prism_reconstruction_window_parent_class)->close_request (window);
  prism_message_show (&message, window, on_close_answered, g_object_ref (window), g_object_unref);
  return TRUE;
}

static void
prism_reconstruction_window_dispose (GObject *object)
{
  PrismReconstructionWindow *self = PRISM_RECONSTRUCTION_WINDOW (object);

  g_clear_pointer (&self->run, prism_ptychography_run_free);
  g_clear_pointer (&self->wake_up, prism_wake_up_free);
  g_clear_pointer (&self->finding, prism_finding_unref);
  g_clear_pointer (&self->recording, prism_recording_free);
  g_clear_object (&self->also);
  G_OBJECT_CLASS (prism_reconstruction_window_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *klass)
{
  gtk_widget_class_set_template_from_resource (klass,
                                               PRISM_RESOURCE ("prism-reconstruction-window.ui"));
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, toast_overlay);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, window_title);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, start_button);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, pause_button);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, verdict);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, numbers);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, progress);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, side);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, chart_box);
  gtk_widget_class_bind_template_child (klass, PrismReconstructionWindow, pages);
  gtk_widget_class_bind_template_callback (klass, on_pause_toggled);
  gtk_widget_class_bind_template_callback (klass, on_look_wanted);
}

static void
prism_reconstruction_window_class_init (PrismReconstructionWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_reconstruction_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = prism_reconstruction_window_close_request;
  g_type_ensure (PRISM_TYPE_FINDING_PAGES);
  bind_children (widget_class);
  gtk_widget_class_install_action (widget_class, "reconstruction.start", NULL, on_start);
  gtk_widget_class_install_action (widget_class, "reconstruction.finish", NULL, on_finish);
  gtk_widget_class_install_action (widget_class, "reconstruction.more", NULL, on_more);
  gtk_widget_class_install_action (widget_class, "reconstruction.save", NULL, on_save);
  gtk_widget_class_install_action (widget_class, "reconstruction.open", NULL, on_open);
  gtk_widget_class_install_action (widget_class, "reconstruction.report", NULL, on_report);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F5, 0, "reconstruction.start", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_s, GDK_CONTROL_MASK,
                                       "reconstruction.save", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_o, GDK_CONTROL_MASK,
                                       "reconstruction.open", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_p, GDK_CONTROL_MASK,
                                       "reconstruction.report", NULL);
}

static void
make_chart (PrismReconstructionWindow *self)
{
  GtkWidget *chart = prism_chart_new (_ ("Frames that were never used"));

  PrismChartData *data;

  self->chart = PRISM_CHART (chart);
  data = prism_chart_get_data (self->chart);
  g_free (data->x_title);
  data->x_title = g_strdup (_ ("Pass"));
  prism_chart_set_axis (self->chart, PRISM_CHART_LEFT, _ ("Misfit"), FALSE, 0, NAN);
  prism_chart_set_axis (self->chart, PRISM_CHART_RIGHT, _ ("Correlation"), FALSE, NAN, 1);
  self->misfit_series = prism_chart_add_series (self->chart, _ ("Misfit"), PRISM_CHART_LEFT);
  self->correlation_series
      = prism_chart_add_series (self->chart, _ ("Correlation"), PRISM_CHART_RIGHT);
  gtk_widget_set_size_request (chart, -1, 200);
  gtk_box_append (self->chart_box, chart);
}

static void
prism_reconstruction_window_init (PrismReconstructionWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->is_saved = TRUE;
  self->wake_up = prism_wake_up_new (update, self);
  self->panel = PRISM_MODEL_PANEL (prism_model_panel_new ());
  gtk_box_append (self->side, GTK_WIDGET (self->panel));
  make_chart (self);
  show_progress (self);
  show_verdict (self);
  show_numbers (self);
  update_actions (self);
}

/**
 * prism_reconstruction_window_new:
 * @recording: (nullable): frames that nobody changes any more; without them a result can be opened
 *
 * Returns: (transfer none): a window that has not started
 */
GtkWidget *
prism_reconstruction_window_new (PrismRecording *recording)
{
  PrismReconstructionWindow *self = g_object_new (PRISM_TYPE_RECONSTRUCTION_WINDOW, NULL);

  if (recording != NULL)
    {
      g_autofree char *name = g_filename_display_basename (recording->path);

      self->recording = prism_recording_ref (recording);
      adw_window_title_set_subtitle (self->window_title, name);
    }
  /* Nothing can be chosen for a result that is there. */
  gtk_widget_set_visible (GTK_WIDGET (self->panel), recording != NULL);
  update_actions (self);
  return GTK_WIDGET (self);
}

/**
 * prism_reconstruction_window_start:
 *
 * Begins anew with what the rows say; a run under way ends. A row that cannot be is told.
 */
void
prism_reconstruction_window_start (PrismReconstructionWindow *self)
{
  PrismPtychographySettings settings;
  g_autoptr (GError) error = NULL;

  if (self->recording == NULL)
    return;
  if (!prism_model_panel_get_settings (self->panel, &settings, &error))
    {
      show_toast (self, error->message);
      return;
    }
  g_clear_pointer (&self->run, prism_ptychography_run_free);
  self->is_saving = FALSE;
  set_finding (self, NULL);
  prism_finding_pages_set_alone (self->pages, FALSE);
  self->run = prism_ptychography_run_new (self->recording, &settings, wake, self->wake_up);
  update (self);
}

typedef struct
{
  PrismReconstructionWindow *window;
  char *directory;
} Opening;

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  g_object_unref (opening->window);
  g_free (opening->directory);
  g_free (opening);
}

/* Another thread. */
static gpointer
load (gpointer data,
      GError **error)
{
  const Opening *opening = data;

  return prism_finding_load (opening->directory, error);
}

static void
take_loaded (gpointer data,
             gpointer result,
             const GError *error)
{
  const Opening *opening = data;
  PrismReconstructionWindow *self = opening->window;
  g_autoptr (PrismFinding) finding = result;
  g_autofree char *name = g_filename_display_basename (opening->directory);

  /* The window may have been closed meanwhile. */
  if (self->wake_up == NULL)
    return;
  if (error != NULL)
    {
      if (self->run == NULL && self->finding == NULL)
        gtk_label_set_label (self->verdict, error->message);
      else
        show_toast (self, error->message);
      return;
    }
  g_clear_pointer (&self->run, prism_ptychography_run_free);
  self->is_saving = FALSE;
  set_finding (self, finding);
  prism_finding_pages_set_alone (self->pages, TRUE);
  adw_window_title_set_subtitle (self->window_title, name);
  show_progress (self);
  show_verdict (self);
  update_actions (self);
}

/**
 * prism_reconstruction_window_open:
 * @directory: of a result
 *
 * Shows what was found earlier, as soon as it is read; a run under way ends then.
 */
void
prism_reconstruction_window_open (PrismReconstructionWindow *self,
                                  const char *directory)
{
  static const PrismJob job = { "reconstruction", load, take_loaded, opening_free,
                                (GDestroyNotify) prism_finding_unref };
  Opening *opening = g_new0 (Opening, 1);

  opening->window = g_object_ref (self);
  opening->directory = g_strdup (directory);
  prism_job_start (&job, opening, NULL);
}

/* A new folder, named like the frames. Nothing that is there is replaced. */
static char *
make_folder (PrismReconstructionWindow *self,
             const char *parent)
{
  g_autofree char *base = g_path_get_basename (self->recording->path);
  char *dot = strrchr (base, '.');

  if (dot != NULL && dot != base)
    *dot = '\0';
  for (guint i = 1; i <= MAX_FOLDERS; i++)
    {
      g_autofree char *name = i == 1 ? g_strdup_printf ("%s-result", base)
                                     : g_strdup_printf ("%s-result-%u", base, i);
      g_autofree char *path = g_build_filename (parent, name, NULL);

      if (g_mkdir (path, 0777) == 0)
        return g_steal_pointer (&path);
      if (errno != EEXIST)
        break;
    }
  return NULL;
}

/**
 * prism_reconstruction_window_save:
 * @parent: a folder
 *
 * Has the result written into a new folder in @parent, as the command line does.
 */
void
prism_reconstruction_window_save (PrismReconstructionWindow *self,
                                  const char *parent)
{
  g_autofree char *folder = NULL;

  if (self->run == NULL || self->finding == NULL || self->is_saving)
    return;
  folder = make_folder (self, parent);
  if (folder == NULL)
    {
      g_autofree char *name = g_filename_display_name (parent);
      g_autofree char *text = g_strdup_printf (
          _ ("No folder can be made in “%s”: choose another place."), name);

      show_toast (self, text);
      return;
    }
  self->is_saving = TRUE;
  prism_ptychography_run_save (self->run, folder);
  update_actions (self);
}

/**
 * prism_reconstruction_window_save_and_close:
 * @self: a window with a finding that is not on the disk
 * @also: (nullable): another window that is to be closed then
 *
 * Asks where the result goes, and closes the window once it is there. Where it cannot be written,
 * or the user thinks better of it, everything stays.
 */
void
prism_reconstruction_window_save_and_close (PrismReconstructionWindow *self,
                                            GtkWindow *also)
{
  g_set_object (&self->also, also);
  ask_for_parent (self, on_last_parent_chosen);
}

/**
 * prism_reconstruction_window_get:
 *
 * Returns: (transfer none) (nullable): what is found by now
 */
PrismFinding *
prism_reconstruction_window_get (PrismReconstructionWindow *self)
{
  return self->finding;
}

/**
 * prism_reconstruction_window_get_unsaved:
 * @self: a window
 *
 * Returns: whether what was found would be lost with it
 */
gboolean
prism_reconstruction_window_get_unsaved (PrismReconstructionWindow *self)
{
  return !self->is_saved;
}

/**
 * prism_reconstruction_window_is_active:
 *
 * Returns: whether something is computed, written or made into pictures
 */
gboolean
prism_reconstruction_window_is_active (PrismReconstructionWindow *self)
{
  return (self->run != NULL && self->shown < PRISM_PTYCHOGRAPHY_DONE) || self->is_saving
         || prism_finding_pages_is_busy (self->pages);
}
