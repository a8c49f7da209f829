#include "config.h"

#include "reconstruction/prism-camera-window.h"

#include "base/prism-each.h"
#include "charts/prism-chart.h"
#include "ptychography/prism-following.h"
#include "support/prism-job.h"
#include "support/prism-widget.h"

#define RECIPE "recipe.prism" /* of the folder: what is known of the instrument */

/* What the thread that follows is asked for. */
typedef struct
{
  gatomicrefcount ref_count;
  PrismCameraWindow *window; /* for the main thread alone */
  char *folder;
  char *positions;
  PrismRecipe *recipe;
  int over;   /* atomic: no more frames are waited for */
  int wanted; /* atomic: somebody wants to see what is there */
} Request;

/* What it tells meanwhile. */
typedef struct
{
  Request *request;
  guint n;
  guint n_there;
  GArray *frames;        /* of PrismGrowingFrame */
  GString *sentences;    /* a line each */
  PrismProblem *problem; /* (nullable): what is there, where it was wanted */
} News;

struct _PrismCameraWindow
{
  AdwWindow parent_instance;

  AdwWindowTitle *window_title;
  GtkWidget *end_button;
  GtkProgressBar *progress;
  AdwBin *chart_place;
  GtkLabel *sentences;
  GtkWidget *instrument; /* list of rows, each with the name of a key of the recipe */

  PrismRecipe *recipe;
  PrismChart *chart;
  guint misfits; /* series */
  guint correlations;
  guint n_frames; /* in the chart */
  Request *request;
};

G_DEFINE_FINAL_TYPE (PrismCameraWindow, prism_camera_window, ADW_TYPE_WINDOW)

static void
request_unref (gpointer data)
{
  Request *self = data;

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_free (self->folder);
  g_free (self->positions);
  prism_recipe_free (self->recipe);
  g_free (self);
}

static Request *
request_ref (Request *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

static void
news_free (gpointer data)
{
  News *self = data;

  request_unref (self->request);
  g_array_unref (self->frames);
  g_string_free (self->sentences, TRUE);
  g_clear_pointer (&self->problem, prism_problem_unref);
  g_free (self);
}

static void
say (PrismCameraWindow *self,
     const char *lines)
{
  g_autofree char *text = g_strconcat (gtk_label_get_text (self->sentences), lines, NULL);

  gtk_label_set_text (self->sentences, text);
}

/* The window may have been closed meanwhile. */
static gboolean
take_news (gpointer data)
{
  const News *news = data;
  PrismCameraWindow *self = news->request->window;
  g_autofree char *text = NULL;

  if (self == NULL)
    return G_SOURCE_REMOVE;
  text = g_strdup_printf (_ ("%u of %u frames"), news->n_there, news->n);
  gtk_progress_bar_set_text (self->progress, text);
  gtk_progress_bar_set_fraction (self->progress, (double) news->n_there / MAX (news->n, 1));
  PRISM_FOR_EACH (const PrismGrowingFrame, frame, news->frames)
    {
      prism_chart_append (self->chart, self->misfits, self->n_frames, frame->misfit);
      prism_chart_append (self->chart, self->correlations, self->n_frames++, frame->correlation);
    }
  say (self, news->sentences->str);
  if (news->problem != NULL)
    g_signal_emit_by_name (self, "frames", news->problem, FALSE);
  return G_SOURCE_REMOVE;
}

static PrismProblem *
new_problem (PrismRecording *recording,
             const Request *request,
             const PrismConfig *settings,
             GError **error)
{
  PrismProblem *problem = prism_problem_new (recording, settings, error);

  if (problem != NULL)
    prism_problem_set_reading (problem, request->recipe, request->positions);
  return problem;
}

/* What is new since the last time; the main thread gets it. */
static void
tell (PrismFollowing *following,
      Request *request,
      const PrismConfig *settings,
      guint *n_shown)
{
  PrismArrivals *arrivals = prism_following_get_arrivals (following);
  News *news;
  PrismGrowingFrame frame;
  char *sentence;

  news = PRISM_NEW (News, request_ref (request), arrivals->n_frames,
                    arrivals->n_there, g_array_new (FALSE, FALSE, sizeof frame),
                    g_string_new (NULL));
  while (prism_following_next_frame (following, &frame))
    g_array_append_val (news->frames, frame);
  while ((sentence = prism_following_next_sentence (following)) != NULL)
    {
      g_string_append_printf (news->sentences, "%s\n", sentence);
      g_free (sentence);
    }
  if (arrivals->numbers->len > *n_shown
      && g_atomic_int_compare_and_exchange (&request->wanted, TRUE, FALSE))
    {
      g_autoptr (PrismRecording) recording = prism_arrivals_dup_recording (arrivals, FALSE, NULL);

      *n_shown = arrivals->numbers->len;
      news->problem
          = recording != NULL ? new_problem (recording, request, settings, NULL) : NULL;
      /* Before a bright frame is there, there is nothing to be seen. */
      if (news->problem == NULL)
        g_atomic_int_set (&request->wanted, TRUE);
    }
  if (news->frames->len == 0 && news->sentences->len == 0 && news->problem == NULL
      && news->n_there > 0)
    news_free (news);
  else
    g_idle_add_full (G_PRIORITY_DEFAULT, take_news, news, news_free);
}

/* Other thread: follows the folder to its end. */
static gpointer
follow (Request *request,
        GError **error)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismFollowing) following
      = prism_following_new (request->folder, request->positions, request->recipe, settings, error);
  g_autoptr (PrismRecording) recording = NULL;
  guint n_shown = 0;
  gboolean more = following != NULL;

  if (following == NULL)
    return NULL;
  while (more && !g_atomic_int_get (&request->over))
    {
      more = prism_following_step (following);
      tell (following, request, settings, &n_shown);
    }
  recording = prism_following_dup_recording (following, error);
  if (recording == NULL)
    {
      if (*error == NULL)
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                             _ ("No frames have come."));
      return NULL;
    }
  return prism_recording_check (recording, error)
             ? new_problem (recording, request, settings, error)
             : NULL;
}

static void
take_end (gpointer owner,
          Request *request,
          PrismProblem *problem,
          const GError *error)
{
  PrismCameraWindow *self = request->window;

  if (self != NULL)
    {
      gtk_widget_set_sensitive (self->end_button, FALSE);
      if (error != NULL)
        say (self, error->message);
      if (problem != NULL)
        g_signal_emit_by_name (self, "frames", problem, TRUE);
    }
  g_clear_pointer (&problem, prism_problem_unref);
}

static void
on_end (PrismCameraWindow *self)
{
  g_atomic_int_set (&self->request->over, TRUE);
}

/* Who closes it wants no result. */
static void
leave (PrismCameraWindow *self)
{
  if (self->request == NULL)
    return;
  g_atomic_int_set (&self->request->over, TRUE);
  self->request->window = NULL;
  g_clear_pointer (&self->request, request_unref);
}

static void
start (PrismCameraWindow *self,
       const char *folder,
       const char *positions)
{
  static const PrismJob job = { "follow a folder", follow, take_end, request_unref, NULL };
  Request *request = g_new0 (Request, 1);

  g_atomic_ref_count_init (&request->ref_count);
  request->window = self;
  request->folder = g_strdup (folder);
  request->positions = g_strdup (positions);
  request->recipe = prism_recipe_dup (self->recipe);
  request->wanted = TRUE;
  leave (self);
  self->request = request_ref (request);
  prism_job_start (&job, NULL, request, NULL);
}

/* What is known of the instrument is in the folder, for the command line as well, and the frames
 * that are there are followed anew. */
static void
on_applied (PrismCameraWindow *self,
            GtkWidget *row)
{
  g_autofree char *path = g_build_filename (self->request->folder, RECIPE, NULL);
  g_autoptr (GError) error = NULL;

  gtk_label_set_text (self->sentences, "");
  if (!prism_recipe_set_typed (self->recipe, gtk_widget_get_name (row),
                               gtk_editable_get_text (GTK_EDITABLE (row)), &error)
      || !prism_recipe_save (self->recipe, path, &error))
    {
      say (self, error->message);
      return;
    }
  prism_chart_clear (self->chart);
  self->n_frames = 0;
  gtk_widget_set_sensitive (self->end_button, TRUE);
  start (self, self->request->folder, self->request->positions);
}

static void
prism_camera_window_class_init (PrismCameraWindowClass *klass)
{
  PRISM_ON_DISPOSE (klass, leave);
  PRISM_DISPOSE (klass, PrismCameraWindow, prism_recipe_free, recipe);
  /* A PrismProblem of the frames that are there; whether no more are to come. */
  prism_signal_new (klass, "frames", 2, G_TYPE_POINTER, G_TYPE_BOOLEAN);
  PRISM_TEMPLATE (klass, PrismCameraWindow, "prism-camera-window.ui", window_title, end_button,
                  progress, chart_place, sentences, instrument);
  PRISM_TEMPLATE_CALLBACKS (klass, on_end, on_applied);
}

static void
prism_camera_window_init (PrismCameraWindow *self)
{
  g_autoptr (PrismChartData) data
      = prism_chart_data_new_titled (_ ("Predicted before it is used"), _ ("Frame"));

  gtk_widget_init_template (GTK_WIDGET (self));
  self->chart = PRISM_CHART (prism_chart_new_for (data));
  prism_chart_set_axis (self->chart, PRISM_CHART_LEFT, _ ("Misfit"), FALSE, 0, NAN);
  prism_chart_set_axis (self->chart, PRISM_CHART_RIGHT, _ ("Correlation"), FALSE, NAN, 1);
  self->misfits = prism_chart_add_series (self->chart, _ ("Misfit"), PRISM_CHART_LEFT);
  self->correlations
      = prism_chart_add_series (self->chart, _ ("Correlation"), PRISM_CHART_RIGHT);
  adw_bin_set_child (self->chart_place, GTK_WIDGET (self->chart));
}

/**
 * prism_camera_window_new:
 * @folder: that frames come into; recipe.prism in it says what is known of the instrument
 * @positions: table of the LEDs, with a row for each frame
 *
 * Returns: (transfer none): a window that follows the folder until all frames are there
 */
GtkWidget *
prism_camera_window_new (const char *folder,
                         const char *positions)
{
  PrismCameraWindow *self = g_object_new (PRISM_TYPE_CAMERA_WINDOW, NULL);
  g_autofree char *name = g_filename_display_basename (folder);
  g_autofree char *path = g_build_filename (folder, RECIPE, NULL);
  g_autoptr (GError) error = NULL;

  adw_window_title_set_subtitle (self->window_title, name);
  self->recipe = g_file_test (path, G_FILE_TEST_EXISTS) ? prism_recipe_load (path, &error) : NULL;
  if (self->recipe == NULL)
    self->recipe = prism_recipe_new ();
  if (error != NULL)
    say (self, error->message);
  for (GtkWidget *row = gtk_widget_get_first_child (self->instrument); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      const char *value = prism_recipe_get (self->recipe, gtk_widget_get_name (row));

      gtk_editable_set_text (GTK_EDITABLE (row), value != NULL ? value : "");
    }
  start (self, folder, positions);
  return GTK_WIDGET (self);
}

/**
 * prism_camera_window_ask:
 *
 * Asks for the frames that are there; the signal has them once there are more than before.
 */
void
prism_camera_window_ask (PrismCameraWindow *self)
{
  g_atomic_int_set (&self->request->wanted, TRUE);
}
