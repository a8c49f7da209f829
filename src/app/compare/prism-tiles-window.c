#include "config.h"

#include "compare/prism-tiles-window.h"

#include "base/prism-clock.h"
#include "base/prism-file.h"
#include "compare/prism-tiles-parts.h"
#include "config/prism-builtin.h"
#include "prism-benchmark-report.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "tiles/prism-tile-runner.h"

#define READ_INTERVAL 300 /* ms between two looks at what is new */

struct _PrismTilesWindow
{
  PrismJobWindow job;

  AdwWindowTitle *window_title;
  AdwActionRow *picture_row;
  GtkWidget *plan_group;
  GtkSpinButton *tile_spin;
  GtkSpinButton *overlap_spin;
  GtkCheckButton *keep_check;
  GtkLabel *time_label;
  GtkStack *stack; /* of the tiles, or of what there is to do first */
  PrismTileCanvas *canvas;
  GtkDropDown *kind_list;
  GtkLabel *tile_label;

  PrismConfig *base;
  PrismTilePlan *plan;   /* (nullable) */
  PrismTileTable *table; /* (nullable) */
  PrismBatch *runner;    /* (nullable): while it runs */
  gboolean working;      /* planning, or putting together */
  gint64 begun;          /* µs, of the runner */
  guint n_before;        /* tiles that were finished by then */
  guint read_source;
};

G_DEFINE_FINAL_TYPE (PrismTilesWindow, prism_tiles_window, PRISM_TYPE_JOB_WINDOW)

static gboolean
has_open_tile (PrismTilesWindow *self)
{
  guint tile = self->canvas->selected;

  return self->table != NULL && tile < self->table->n_rows
         && self->table->states[tile] != PRISM_TILE_DARK
         && self->table->states[tile] != PRISM_TILE_MISSING;
}

static void
read_plan (PrismTilesWindow *self)
{
  self->base->tile = gtk_spin_button_get_value_as_int (self->tile_spin) / 2 * 2;
  self->base->tile_overlap = gtk_spin_button_get_value (self->overlap_spin);
  if (self->base->tile == 0)
    self->base->tile = PRISM_TILE_AUTO;
}

/* Before they run: while they do, the bar says what is left. */
static void
tell_time (PrismTilesWindow *self)
{
  if (self->canvas == NULL || self->base == NULL)
    return;
  if (self->job.busy)
    {
      prism_tile_time_forget (self->time_label);
      return;
    }
  read_plan (self);
  prism_tile_time_tell (self->time_label, self->base, self->job.directory,
                        gtk_check_button_get_active (self->keep_check));
}

static void
update_actions (PrismTilesWindow *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  gboolean busy = self->runner != NULL || self->working;

  prism_widget_enable (widget, "tiles.open-picture", !busy, "tiles.merge",
                       !busy && self->table != NULL && self->table->n_finished > 0,
                       "tiles.show-folder", self->plan != NULL, "tiles.open-tile",
                       has_open_tile (self), NULL);
  prism_job_window_set_busy (self, busy,
                             self->runner != NULL && !self->job.stopping);
  tell_time (self);
}

static char *
dup_tile_text (PrismTilesWindow *self,
               guint tile)
{
  const PrismSweepRow *row = &self->table->rows[tile];
  g_autofree char *metrics = NULL;
  g_autofree char *verdict = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  PrismTilePlace place;

  prism_tile_plan_get_place (self->plan, tile, &place);
  g_string_append_printf (text, _ ("Tile %u, row %d, column %d"), tile, place.row + 1,
                          place.column + 1);
  switch (self->table->states[tile])
    {
    case PRISM_TILE_FINISHED:
      metrics = prism_metrics_dup_text (&row->metrics, 0, FALSE);
      verdict = prism_verdict_dup_text (&row->verdict);
      g_string_append_printf (text, _ (": %s, %.1f s. "), metrics, row->seconds);
      g_string_append (text, verdict != NULL ? verdict : "");
      break;
    case PRISM_TILE_DARK:
      g_string_append (text, _ (": dark. No light comes from it, so that nothing was measured."));
      break;
    case PRISM_TILE_FAILED:
      g_string_append_printf (text, _ (": failed. %s Run repeats it."), row->failure);
      break;
    default:
      g_string_append (text, _ (": not computed yet."));
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
show_tile (PrismTilesWindow *self)
{
  guint tile = self->canvas->selected;
  g_autofree char *text = NULL;

  if (self->table != NULL && tile < self->table->n_rows)
    text = dup_tile_text (self, tile);
  else if (self->plan != NULL)
    text = prism_tile_plan_dup_note (self->plan);
  else
    text = g_strdup ("");
  gtk_stack_set_visible_child_name (self->stack, self->plan != NULL ? "tiles" : "empty");
  gtk_label_set_text (self->tile_label,
                      text != NULL ? text
                                   : _ ("Click a tile to see what it has come to. Scroll to"
                                        " zoom, drag to move, 0 shows all."));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "tiles.open-tile", has_open_tile (self));
}

/* ", 1:30 left", as long as the tiles so far took; "" before there is one. */
static char *
dup_time_left (PrismTilesWindow *self,
               PrismBatch *batch)
{
  const double seconds = (double) (g_get_monotonic_time () - self->begun) / G_USEC_PER_SEC;
  const guint n_done = self->table->n_finished - MIN (self->n_before, self->table->n_finished);
  const guint n_left = self->plan->n_tiles - batch->n_over;
  g_autofree char *duration = NULL;
  g_autofree char *text = NULL;

  if (n_done == 0 || n_left == 0)
    return g_strdup ("");
  duration = prism_clock_dup_duration (seconds / n_done * n_left);
  text = g_strdup_printf (_ ("%s left"), duration);
  return g_strconcat (", ", text, NULL);
}

/* What the bar says while tiles run. */
static char *
dup_progress (PrismTilesWindow *self,
              PrismBatch *batch)
{
  g_autofree char *at_a_time = NULL;
  g_autofree char *left = NULL;

  if (self->job.stopping)
    return g_strdup (_ ("Stopping: each run under way ends its step"));
  if (batch->notice != NULL)
    return g_strdup (batch->notice);
  at_a_time = prism_batch_dup_text (batch);
  left = dup_time_left (self, batch);
  return g_strdup_printf (_ ("%u of %u tiles, %s%s"), batch->n_over,
                          self->plan->n_tiles, at_a_time, left);
}

static void
show_progress (PrismTilesWindow *self)
{
  PrismBatch *batch = self->runner;
  g_autofree char *text = NULL;

  if (batch == NULL)
    return;
  text = dup_progress (self, batch);
  gtk_progress_bar_set_fraction (self->job.progress_bar,
                                 (double) batch->n_over / self->plan->n_tiles);
  gtk_progress_bar_set_text (self->job.progress_bar, text);
}

static void
show_table (PrismTilesWindow *self)
{
  PrismTileTable *table
      = prism_tile_table_load (self->plan, self->job.directory, self->table);
  g_autofree char *name = g_path_get_basename (self->plan->picture);
  g_autofree char *shown = prism_file_dup_display_name (name);
  g_autofree char *subtitle = NULL;

  g_clear_pointer (&self->table, prism_tile_table_free);
  self->table = table;
  subtitle = g_strdup_printf (_ ("%s, %d × %d px: %u of %u tiles of %d px"), shown,
                              self->plan->width, self->plan->height, table->n_finished,
                              table->n_rows, self->plan->side);
  adw_window_title_set_subtitle (self->window_title, subtitle);
  prism_tile_canvas_set_tiles (self->canvas, self->plan, table, self->job.directory);
  show_tile (self);
  show_progress (self);
}

static void
read_new (PrismTilesWindow *self)
{
  if (self->plan != NULL)
    show_table (self);
}

static gboolean
is_running (guint tile,
            gpointer data)
{
  PrismTilesWindow *self = data;

  return self->runner != NULL
         && prism_batch_is_running (self->runner, tile);
}

/* What is done on another thread. */
typedef struct
{
  PrismConfig *config; /* (nullable) */
  char *directory;     /* (nullable): where these very tiles may be */
  char *otherwise;     /* (nullable): where they go else */
} Work;

PRISM_FREE (Work, work_free, prism_config_free, config, g_free, directory, g_free, otherwise)

static void
start_work (PrismTilesWindow *self,
            const PrismJob *job,
            PrismConfig *config,
            char *otherwise)
{
  self->working = TRUE;
  prism_job_start (job, self,
                   PRISM_NEW (Work, config, g_strdup (self->job.directory), otherwise), NULL);
}

static char *
dup_sentence (const PrismTileBlend *blend,
              const PrismTileTable *table)
{
  double median = prism_tile_table_get_median_psnr (table);

  if (isfinite (blend->psnr) && isfinite (median))
    return g_strdup_printf (_ ("PSNR of the picture %.1f dB, of the tiles %.1f dB (median)."),
                            blend->psnr, median);
  return g_strdup (_ ("The picture is put together."));
}

/* Other thread: with maps and report. */
static gpointer
put_together (const Work *work,
              GError **error)
{
  g_autoptr (PrismTilePlan) tiles = prism_tile_plan_load (work->directory, error);
  g_autoptr (PrismTileTable) table = NULL;
  g_autoptr (PrismTileBlend) blend = NULL;

  if (tiles == NULL)
    return NULL;
  table = prism_tile_table_load (tiles, work->directory, NULL);
  blend = prism_tile_report_save_all (tiles, table, work->directory, NULL, error);
  return blend != NULL ? dup_sentence (blend, table) : NULL;
}

static void
on_merged (PrismTilesWindow *self,
           gpointer data,
           gpointer result,
           const GError *error)
{
  g_autofree char *sentence = result;

  self->working = FALSE;
  if (self->canvas == NULL)
    return;
  if (error != NULL)
    prism_job_window_show_problem (self, error->message);
  else
    gtk_label_set_text (self->tile_label, sentence);
  update_actions (self);
}

static void
start_merge (PrismTilesWindow *self)
{
  static const PrismJob job = { "tiles-merge", put_together, on_merged, work_free, NULL };

  gtk_progress_bar_set_text (self->job.progress_bar, _ ("Putting the tiles together"));
  start_work (self, &job, NULL, NULL);
  update_actions (self);
}

static void
finish (PrismTilesWindow *self)
{
  if (self->runner == NULL || !prism_batch_is_over (self->runner))
    return;
  g_clear_pointer (&self->runner, prism_batch_free);
  /* What comes of putting them together is said where a later look would say something else. */
  g_clear_handle_id (&self->read_source, g_source_remove);
  show_table (self);
  if (self->table->n_finished > 0)
    {
      start_merge (self);
      return;
    }
  /* There is nothing to put together. */
  update_actions (self);
}

static void
on_tile (PrismBatch *runner,
         guint tile,
         const char *message,
         gpointer data)
{
  PrismTilesWindow *self = data;

  /* That it was stopped is no news to who stopped it. */
  if (tile != G_MAXUINT && message != NULL && !self->job.stopping)
    {
      g_autofree char *sentence = g_strdup_printf (_ ("Tile %u: %s"), tile, message);
      prism_job_window_show_problem (self, sentence);
    }
  if (self->read_source == 0)
    prism_later (&self->read_source, READ_INTERVAL, read_new, self);
  if (tile != G_MAXUINT)
    prism_job_window_finish_soon (self);
}

static void
take_plan (PrismTilesWindow *self,
           PrismTilePlan *plan)
{
  prism_tile_canvas_set_tiles (self->canvas, NULL, NULL, NULL);
  g_clear_pointer (&self->table, prism_tile_table_free);
  g_clear_pointer (&self->plan, prism_tile_plan_free);
  self->plan = plan;
  show_table (self);
}

/* Other thread: this reads all of the picture. */
static gpointer
plan_tiles (Work *work,
            GError **error)
{
  g_autoptr (PrismTilePlan) tiles = prism_tile_plan_new (work->config, error);

  if (tiles == NULL)
    return NULL;
  if (work->directory != NULL && prism_tile_plan_save (tiles, work->directory, NULL))
    return g_steal_pointer (&tiles);
  prism_keep_text (&work->directory, work->otherwise);
  return prism_tile_plan_save (tiles, work->directory, error) ? g_steal_pointer (&tiles) : NULL;
}

static void
on_planned (PrismTilesWindow *self,
            Work *work,
            PrismTilePlan *plan,
            const GError *error)
{
  g_autofree char *program = prism_program_dup_cli ();
  g_autoptr (GError) problem = NULL;

  self->working = FALSE;
  if (self->canvas == NULL)
    {
      prism_tile_plan_free (plan);
      return;
    }
  if (plan == NULL)
    prism_job_window_show_problem (self, error->message);
  else
    {
      g_free (self->job.directory);
      self->job.directory = g_steal_pointer (&work->directory);
      take_plan (self, plan);
      self->runner = prism_tile_batch_new (self->plan, self->job.directory, program, 0,
                                           gtk_check_button_get_active (self->keep_check),
                                           on_tile, self, &problem);
      if (self->runner != NULL
          && !prism_batch_start (self->runner, &problem))
        g_clear_pointer (&self->runner, prism_batch_free);
      if (self->runner == NULL)
        prism_job_window_show_problem (self, problem->message);
    }
  update_actions (self);
  if (self->runner == NULL)
    return;
  self->begun = g_get_monotonic_time ();
  self->n_before = self->table->n_finished;
  show_progress (self);
  prism_job_window_finish_soon (self);
}

static void
run (PrismTilesWindow *self)
{
  static const PrismJob job = { "tiles-plan", plan_tiles, on_planned, work_free, NULL };
  g_autofree char *program = prism_job_window_find_program (
      self, _ ("prism-cli, which computes the tiles, is not installed beside this"
               " program: install it, or put it on PATH."));

  if (program == NULL)
    return;
  read_plan (self);
  self->working = TRUE;
  gtk_progress_bar_set_fraction (self->job.progress_bar, 0.0);
  gtk_progress_bar_set_text (self->job.progress_bar, _ ("Reading the picture"));
  start_work (self, &job, prism_config_dup (self->base),
              prism_folder_dup_new ("tiles", "tiles-%Y-%m-%d-%H%M%S"));
  update_actions (self);
}

static void
stop (PrismTilesWindow *self)
{
  prism_batch_stop (self->runner);
  update_actions (self);
  show_progress (self);
}

/* Its run as it ended, where runs are kept, or else its settings and its object: the main window
 * computes the run again then, with all there is to see. */
static void
open_tile (PrismTilesWindow *self)
{
  guint tile = self->canvas->selected;
  g_autofree char *settings = prism_tile_plan_dup_path (self->job.directory, tile, ".prism");
  g_autofree char *run = prism_tile_plan_dup_path (self->job.directory, tile, ".prismrun");

  g_signal_emit_by_name (self, "open-file",
                         g_file_test (run, G_FILE_TEST_EXISTS) ? run : settings);
}

static void
on_kind (PrismTilesWindow *self)
{
  guint selected = gtk_drop_down_get_selected (self->kind_list);

  self->canvas->kind = selected == 0 ? PRISM_TILE_CANVAS_IMAGES : selected - 1;
  gtk_widget_queue_draw (GTK_WIDGET (self->canvas));
}

static void
fit (PrismTilesWindow *self)
{
  prism_tile_canvas_fit (self->canvas);
}

static void
prism_tiles_window_dispose (PrismTilesWindow *self)
{
  if (self->canvas != NULL)
    {
      prism_tile_time_forget (self->time_label);
      prism_tile_canvas_set_running (self->canvas, NULL, NULL);
      prism_tile_canvas_set_tiles (self->canvas, NULL, NULL, NULL);
    }
  self->canvas = NULL;
}

static void
prism_tiles_window_class_init (PrismTilesWindowClass *klass)
{
  PRISM_DISPOSE (klass, PrismTilesWindow, g_source_remove, read_source);
  PRISM_DISPOSE (klass, PrismTilesWindow, prism_batch_free, runner);
  PRISM_ON_DISPOSE (klass, prism_tiles_window_dispose);
  PRISM_FINALIZE (klass, PrismTilesWindow, prism_tile_table_free, table);
  PRISM_FINALIZE (klass, PrismTilesWindow, prism_tile_plan_free, plan);
  PRISM_FINALIZE (klass, PrismTilesWindow, prism_config_free, base);
  g_type_ensure (PRISM_TYPE_TILE_CANVAS);
  ((PrismJobWindowClass *) klass)->kind
      = (PrismJobKind) { "tiles", run, stop, finish, prism_tiles_window_open, N_ ("Open tiles") };
  PRISM_JOB_TEMPLATE (klass, PrismTilesWindow, "prism-tiles-window.ui", window_title, picture_row,
                      plan_group, tile_spin, overlap_spin, keep_check, time_label, stack, canvas,
                      kind_list, tile_label);
  PRISM_TEMPLATE_CALLBACKS (klass, show_tile, on_kind, tell_time);
  prism_signal_new (klass, "open-file", 1, G_TYPE_STRING);
  PRISM_ACTION (klass, "tiles.merge", start_merge);
  PRISM_ASK (klass,
             { "tiles.open-picture",
               { PRISM_FILE_DIALOG_OPEN, N_ ("Open a large picture"), N_ ("Pictures"),
                 "*.png *.jpg *.jpeg *.tif *.tiff *.fits *.fit *.npy" },
               prism_tiles_window_set_picture });
  PRISM_ACTION (klass, "tiles.open-tile", open_tile);
  PRISM_ACTION (klass, "tiles.fit", fit);
}

static void
prism_tiles_window_init (PrismTilesWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->job.plan = self->plan_group;
  prism_tile_canvas_set_running (self->canvas, is_running, self);
  show_tile (self);
}

/**
 * prism_tiles_window_new:
 * @base: what all tiles have in common; its object is the picture where it is a file
 *
 * Returns: (transfer none): the window, which owns itself
 */
GtkWidget *
prism_tiles_window_new (const PrismConfig *base)
{
  PrismTilesWindow *self = g_object_new (PRISM_TYPE_TILES_WINDOW, NULL);

  self->base = prism_config_dup (base);
  gtk_spin_button_set_value (self->tile_spin, MAX (base->tile, 0));
  gtk_spin_button_set_value (self->overlap_spin, base->tile_overlap);
  prism_tiles_window_set_picture (self, base->object);
  update_actions (self);
  return GTK_WIDGET (self);
}

/**
 * prism_tiles_window_set_picture:
 * @path: of the file, or a built-in object
 *
 * Sets what the next run cuts into tiles.
 */
void
prism_tiles_window_set_picture (PrismTilesWindow *self,
                                const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *shown = prism_builtin_find (path) != NULL ? prism_builtin_dup_label (path)
                                                             : prism_file_dup_display_name (path);

  prism_job_window_show_problem (self, NULL);
  if (!prism_config_set_text (self->base, "object", path, &error))
    prism_job_window_show_problem (self, error->message);
  else
    adw_action_row_set_subtitle (self->picture_row, shown);
  tell_time (self);
}

/**
 * prism_tiles_window_open:
 * @self: a window in which nothing runs
 * @directory: of tiles
 *
 * Shows tiles that were made before; Run makes up for what they lack.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG.
 *
 * Returns: whether they are shown
 */
gboolean
prism_tiles_window_open (PrismTilesWindow *self,
                         const char *directory,
                         GError **error)
{
  PrismTilePlan *plan = prism_tile_plan_load (directory, error);

  if (plan == NULL)
    return FALSE;
  g_free (self->job.directory);
  self->job.directory = g_strdup (directory);
  prism_keep (&self->base, plan->base, prism_config_dup, prism_config_free);
  self->base->object_invert = plan->invert;
  prism_tiles_window_set_picture (self, plan->picture);
  gtk_spin_button_set_value (self->tile_spin, plan->side);
  gtk_spin_button_set_value (self->overlap_spin, 100.0 * plan->overlap / plan->side);
  take_plan (self, plan);
  update_actions (self);
  return TRUE;
}
