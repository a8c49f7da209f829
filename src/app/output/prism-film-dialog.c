#include "config.h"

#include "output/prism-film-dialog.h"

#include "formats/prism-animation.h"
#include "support/prism-job.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>

struct _PrismFilmDialog
{
  AdwWindow parent_instance;

  GtkDropDown *content_list;
  GtkDropDown *kind_list;
  GtkDropDown *scale_list;
  GtkSpinButton *rate_spin;
  GtkSwitch *loop_switch;
};

enum
{
  ACCEPTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismFilmDialog, prism_film_dialog, ADW_TYPE_WINDOW)

static void
on_accept (PrismFilmDialog *self)
{
  g_signal_emit (self, signals[ACCEPTED], 0);
  gtk_window_close (GTK_WINDOW (self));
}

static void
prism_film_dialog_class_init (PrismFilmDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  signals[ACCEPTED] = g_signal_new ("accepted", PRISM_TYPE_FILM_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
  PRISM_TEMPLATE (widget_class, PrismFilmDialog, "prism-film-dialog.ui", content_list, kind_list,
                  scale_list, rate_spin, loop_switch);
  PRISM_TEMPLATE_CALLBACKS (widget_class, on_accept);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
prism_film_dialog_init (PrismFilmDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  if (prism_video_is_possible ())
    gtk_string_list_append (GTK_STRING_LIST (gtk_drop_down_get_model (self->kind_list)),
                            _ ("WebM"));
}

/**
 * prism_film_dialog_new:
 * @parent: (nullable): the window it belongs to
 *
 * Returns: (transfer none): the dialog, to be presented
 */
PrismFilmDialog *
prism_film_dialog_new (GtkWindow *parent)
{
  return g_object_new (PRISM_TYPE_FILM_DIALOG, "transient-for", parent, NULL);
}

/**
 * prism_film_dialog_get_options:
 * @self: a dialog
 * @options: (out caller-allocates): what was chosen; the colours are left at their defaults
 */
void
prism_film_dialog_get_options (PrismFilmDialog *self,
                               PrismFilmOptions *options)
{
  prism_film_options_init (options);
  options->content = (PrismFilmContent) gtk_drop_down_get_selected (self->content_list);
  options->scale = 1 + (int) gtk_drop_down_get_selected (self->scale_list);
  options->rate = gtk_spin_button_get_value_as_int (self->rate_spin);
  options->loop = gtk_switch_get_active (self->loop_switch);
}

/**
 * prism_film_dialog_get_kind:
 * @self: a dialog
 *
 * Returns: the format that was chosen
 */
PrismAnimationKind
prism_film_dialog_get_kind (PrismFilmDialog *self)
{
  return (PrismAnimationKind) gtk_drop_down_get_selected (self->kind_list);
}

#define PROGRESS_INTERVAL 100 /* ms */
#define PARTS 1000

typedef struct
{
  PrismSnapshot *snapshot;
  PrismFilmOptions options;
  char *path;
  GCancellable *cancellable; /* (nullable) */
  int n_done;                /* of PARTS; atomic */
  guint timer;
  PrismFilmMakerProgress progress;
  PrismFileSaverDone done;
  gpointer data;
} Filming;

static void
filming_free (gpointer data)
{
  Filming *filming = data;

  prism_snapshot_unref (filming->snapshot);
  g_clear_object (&filming->cancellable);
  g_free (filming->path);
  g_free (filming);
}

static gboolean
report (gpointer data)
{
  Filming *filming = data;

  filming->progress (g_atomic_int_get (&filming->n_done) / (double) PARTS, filming->data);
  return G_SOURCE_CONTINUE;
}

/* Other thread. */
static gboolean
go_on (guint n_done,
       guint n_frames,
       gpointer data)
{
  Filming *filming = data;

  g_atomic_int_set (&filming->n_done, (int) (PARTS * (guint64) n_done / MAX (n_frames, 1)));
  return !g_cancellable_is_cancelled (filming->cancellable);
}

static gpointer
make_film (gpointer data,
           GError **error)
{
  Filming *filming = data;

  return prism_film_save (filming->snapshot, filming->path, &filming->options, go_on, filming,
                          error)
             ? filming
             : NULL;
}

static void
on_made (gpointer data,
         gpointer result,
         const GError *error)
{
  Filming *filming = data;

  g_clear_handle_id (&filming->timer, g_source_remove);
  filming->done (filming->path, error, filming->data);
}

static const PrismJob job = {
  .name = "animation",
  .run = make_film,
  .done = on_made,
  .free_data = filming_free,
};

/**
 * prism_film_maker_save:
 * @snapshot: the newest of a run
 * @path: what to write
 * @options: what it shows, and how fast
 * @cancellable: (nullable): breaks it off
 * @progress: (scope notified): how far it is
 * @done: (scope async): called when it is done, with the errors of prism_film_save()
 * @data: for @progress and @done
 *
 * Writes on another thread; the run may go on.
 *
 * Thread: main.
 */
void
prism_film_maker_save (PrismSnapshot *snapshot,
                       const char *path,
                       const PrismFilmOptions *options,
                       GCancellable *cancellable,
                       PrismFilmMakerProgress progress,
                       PrismFileSaverDone done,
                       gpointer data)
{
  Filming *filming = g_new0 (Filming, 1);

  filming->snapshot = prism_snapshot_ref (snapshot);
  filming->options = *options;
  filming->path = g_strdup (path);
  filming->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  filming->progress = progress;
  filming->done = done;
  filming->data = data;
  filming->timer = g_timeout_add (PROGRESS_INTERVAL, report, filming);
  prism_job_start (&job, filming, NULL);
}
