#include "config.h"

#include "profiling/prism-profile-window.h"

#include "profiling/prism-profile-charts.h"
#include "profiling/prism-profile-timeline.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>

struct _PrismProfileWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  AdwWindowTitle *window_title;
  GtkStack *stack;
  GtkLabel *sentences;
  PrismProfileTable *table;
  PrismProfileTimeline *timeline;
  GtkFlowBox *charts;

  PrismTraceReading *reading; /* (nullable) until one is opened */
  guint n_reading;            /* files that are being read */
};

/* A file that is read, or that a dialog asks for. */
typedef struct
{
  PrismProfileWindow *window;
  char *path; /* (nullable) */
  gboolean compare;
} Request;

static const char *const own_patterns[] = { "*.prismprof", NULL };
static const char *const all_patterns[] = { "*.prismprof", "*.json", "*.syscap", NULL };

G_DEFINE_FINAL_TYPE (PrismProfileWindow, prism_profile_window, ADW_TYPE_WINDOW)

static void
show_toast (PrismProfileWindow *self,
            const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  prism_toaster_add (self->toast_overlay, adw_toast_new (markup));
}

static void
update (PrismProfileWindow *self,
        PrismTraceReading *before)
{
  g_autofree char *change = NULL;
  g_autofree char *text = NULL;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "profile.save", self->reading != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "profile.compare", self->reading != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->stack), self->reading != NULL);
  if (self->reading == NULL)
    return;
  if (before != NULL)
    change = prism_trace_reading_dup_change (before, self->reading);
  text = change == NULL ? g_strdup (self->reading->text)
                        : g_strjoin ("\n", change, self->reading->text, NULL);
  gtk_label_set_label (self->sentences, text);
  prism_profile_table_set_readings (self->table, self->reading, before);
  prism_profile_timeline_set_reading (self->timeline, self->reading);
  prism_profile_charts_fill (self->charts, self->reading->trace);
}

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->window);
  g_free (request->path);
  g_free (request);
}

/* Other thread. */
static gpointer
read_file (gpointer data,
           GError **error)
{
  const Request *request = data;
  PrismTrace *trace = prism_trace_load (request->path, error);

  return trace != NULL ? prism_trace_reading_new (trace) : NULL;
}

static void
take_reading (gpointer data,
              gpointer result,
              const GError *error)
{
  const Request *request = data;
  PrismProfileWindow *self = request->window;
  g_autoptr (PrismTraceReading) reading = result;
  g_autofree char *name = g_filename_display_basename (request->path);
  g_autofree char *subtitle = NULL;

  self->n_reading--;
  if (error != NULL)
    {
      show_toast (self, error->message);
      return;
    }
  if (!request->compare)
    g_clear_pointer (&self->reading, prism_trace_reading_unref);
  if (self->reading == NULL)
    self->reading = prism_trace_reading_ref (reading);
  subtitle = request->compare ? g_strdup_printf (_ ("Compared with %s"), name)
                              : g_steal_pointer (&name);
  adw_window_title_set_subtitle (self->window_title, subtitle);
  update (self, request->compare ? reading : NULL);
}

static void
free_reading (gpointer data)
{
  prism_trace_reading_unref (data);
}

/**
 * prism_profile_window_open:
 * @self: a window
 * @path: a profile
 * @compare: whether it is held against the one that is shown, rather than shown in its place
 *
 * Reads a profile on another thread.
 */
void
prism_profile_window_open (PrismProfileWindow *self,
                           const char *path,
                           gboolean compare)
{
  static const PrismJob job = { "profile", read_file, take_reading, request_free, free_reading };
  Request *request = g_new0 (Request, 1);

  request->window = g_object_ref (self);
  request->path = g_strdup (path);
  request->compare = compare;
  self->n_reading++;
  prism_job_start (&job, request, NULL);
}

static void
on_open_chosen (const char *path,
                gpointer data)
{
  const Request *request = data;

  prism_profile_window_open (request->window, path, request->compare);
}

static void
ask_for_profile (PrismProfileWindow *self,
                 gboolean compare)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_OPEN, compare ? _ ("Compare with a profile") : _ ("Open a profile"),
          compare ? _ ("_Compare") : _ ("_Open"), NULL, _ ("Profiles"), own_patterns };
  Request *request = g_new0 (Request, 1);

  request->window = g_object_ref (self);
  request->compare = compare;
  prism_file_dialog_show (&dialog, GTK_WINDOW (self), on_open_chosen, request, request_free);
}

static void
on_open (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  ask_for_profile (PRISM_PROFILE_WINDOW (widget), FALSE);
}

static void
on_compare (GtkWidget *widget,
            const char *action,
            GVariant *parameter)
{
  ask_for_profile (PRISM_PROFILE_WINDOW (widget), TRUE);
}

/* Other thread. */
static gboolean
save (gpointer data,
      const char *path,
      GError **error)
{
  const PrismTraceReading *reading = data;

  return prism_trace_save (reading->trace, path, error);
}

static void
on_saved (const char *path,
          const GError *error,
          gpointer data)
{
  g_autoptr (PrismProfileWindow) self = data;
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("Saved “%s”"), name);

  show_toast (self, error != NULL ? error->message : text);
}

static void
on_save_chosen (const char *path,
                gpointer data)
{
  PrismProfileWindow *self = data;

  if (self->reading != NULL)
    prism_file_saver_save (save, prism_trace_reading_ref (self->reading), free_reading, path,
                           on_saved, g_object_ref (self));
}

static void
on_save (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE,
                                   _ ("Save the profile (.prismprof; .json for Perfetto;"
                                      " .syscap for Sysprof)"),
                                   _ ("_Save"),
                                   "run.prismprof",
                                   _ ("Profiles"),
                                   all_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (widget), on_save_chosen, g_object_ref (widget),
                          g_object_unref);
}

static void
prism_profile_window_dispose (GObject *object)
{
  PrismProfileWindow *self = PRISM_PROFILE_WINDOW (object);

  g_clear_pointer (&self->reading, prism_trace_reading_unref);
  G_OBJECT_CLASS (prism_profile_window_parent_class)->dispose (object);
}

static void
prism_profile_window_class_init (PrismProfileWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_profile_window_dispose;
  g_type_ensure (PRISM_TYPE_PROFILE_TABLE);
  g_type_ensure (PRISM_TYPE_PROFILE_TIMELINE);
  PRISM_TEMPLATE (widget_class, PrismProfileWindow, "prism-profile-window.ui", toast_overlay,
                  window_title, stack, sentences, table, timeline, charts);
  gtk_widget_class_install_action (widget_class, "profile.open", NULL, on_open);
  gtk_widget_class_install_action (widget_class, "profile.compare", NULL, on_compare);
  gtk_widget_class_install_action (widget_class, "profile.save", NULL, on_save);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_o, GDK_CONTROL_MASK, "profile.open",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_s, GDK_CONTROL_MASK, "profile.save",
                                       NULL);
}

static void
prism_profile_window_init (PrismProfileWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * prism_profile_window_new:
 * @reading: (nullable): a profile, NULL for one that is opened
 *
 * Makes a window that shows it.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
prism_profile_window_new (PrismTraceReading *reading)
{
  PrismProfileWindow *self = g_object_new (PRISM_TYPE_PROFILE_WINDOW, NULL);

  if (reading != NULL)
    self->reading = prism_trace_reading_ref (reading);
  update (self, NULL);
  return GTK_WIDGET (self);
}

/**
 * prism_profile_window_get_reading:
 * @self: a window
 *
 * Returns: whether a file is being read
 */
gboolean
prism_profile_window_get_reading (PrismProfileWindow *self)
{
  return self->n_reading > 0;
}
