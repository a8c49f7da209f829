#include "../support/microscope.h"
#include "../support/test-engine.h"
#include "../support/test-remove-tree.h"
#include "base/prism-text.h"
#include "ptychography/prism-light-check.h"
#include "recording/prism-recording-save.h"
#include "results/prism-comparison.h"
#include "results/prism-export.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-result.h"

/* Frames of a microscope as a run of the engine: 121 frames of 64², the object shown on 192². */

typedef struct
{
  Microscope *truth;
  PrismConfig *config;
  PrismScene *scene;
  PrismEngine *engine;
  char *directory;
} Fixture;

SET_UP
{
  self->truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  self->config = prism_config_new_recorded ();
  self->config->border = 0;
  self->config->passes = 5;
  self->engine = prism_engine_new (NULL, NULL, NULL);
  self->directory = g_dir_make_tmp ("prism-problem-XXXXXX", NULL);
}

TEAR_DOWN
{
  prism_engine_free (self->engine);
  prism_scene_unref (self->scene);
  prism_config_free (self->config);
  microscope_free (self->truth);
  test_remove_tree (self->directory);
  g_free (self->directory);
}

static void
configure (Fixture *self)
{
  g_autoptr (PrismProblem) problem = MUST (prism_problem_new (self->truth->recording, self->config,
                                                              &error));

  prism_scene_unref (self->scene);
  self->scene = prism_scene_new_problem (problem);
  g_assert_true (MUST (prism_engine_configure_scene (self->engine, self->config, self->scene,
                                                     &error)));
}

/* The same, saved in a file. */
static PrismSnapshot *
run_into (Fixture *self, const char *path)
{
  configure (self);
  prism_engine_set_run_file (self->engine, path);
  return finish_engine (self->engine);
}

static PrismSnapshot *
run (Fixture *self)
{
  configure (self);
  return finish_engine (self->engine);
}

/* The solver, driven by hand. */
static PrismFinding *
find_by_hand (Fixture *self)
{
  const PrismRecording *recording = self->truth->recording;
  g_autoptr (GArray) progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  PrismPtychogram *frames = prism_ptychogram_new (recording, self->config, NULL);
  g_autoptr (PrismPtychography) solver = prism_ptychography_new (
      frames, self->config, recording->wavelength, recording->na, NULL);
  const int side = frames->upsampling * frames->side;

  g_assert_true (prism_ptychography_begin (solver));
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    {
      g_assert_true (prism_ptychography_step (solver));
      PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
      g_array_append_val (progress, held);
    }
  PrismFinding *finding = prism_finding_new (solver, progress, recording->path, 0);
  prism_finding_set_object (finding, prism_ptychography_dup_object (solver, NULL), side, side,
                            prism_ptychogram_get_white (frames));
  return finding;
}

static void
check_planes (const PrismSnapshot *snapshot, const PrismFinding *expected)
{
  const int m = snapshot->config->object_size, q = MICROSCOPE_SIDE;
  const PrismImage *phase = snapshot->phase_image;
  const PrismFinding *finding = snapshot->finding;
  const float scale = snapshot->reconstruction->pixels[0]
                      / hypotf (expected->object[0], expected->object[1]);

  g_assert_cmpint (m, ==, MICROSCOPE_OBJECT);
  g_assert_cmpint (phase->height, ==, m);
  g_assert_cmpint (finding->side, ==, q);
  g_assert_cmpint (finding->predicted->width, ==, q);
  g_assert_cmpuint (finding->n_frames, ==, expected->n_frames);
  for (gsize i = 0; i < (gsize) m * m; i++)
    {
      const float *at = expected->object + 2 * i;

      g_assert_cmpfloat_with_epsilon (phase->pixels[i], atan2f (at[1], at[0]), 1e-5);
      g_assert_cmpfloat_with_epsilon (snapshot->reconstruction->pixels[i],
                                      scale * hypotf (at[0], at[1]), 1e-4);
    }
  g_assert_cmpmem (finding->object, (gsize) 2 * m * m * sizeof (float), expected->object,
                   (gsize) 2 * m * m * sizeof (float));
  g_assert_cmpmem (finding->pupil, (gsize) 2 * q * q * sizeof (float), expected->pupil,
                   (gsize) 2 * q * q * sizeof (float));
  for (guint i = 0; i < finding->n_frames; i++)
    g_assert_cmpmem (&finding->frames[i], sizeof *finding->frames, &expected->frames[i],
                     sizeof *finding->frames);
}

/* The scene visits each frame where its light falls, seen from the middle of the spectrum. */
TEST_FIXTURE (places, "/engine/problem/places")
{
  configure (self);
  const PrismPattern *pattern = self->scene->pattern;
  g_assert_cmpuint (pattern->n_points, >, MICROSCOPE_FRAMES / 2);
  for (guint i = 0; i < pattern->n_points; i++)
    {
      double nearest = INFINITY;

      for (guint k = 0; k < MICROSCOPE_FRAMES; k++)
        nearest = MIN (nearest, hypot (pattern->points[i].x - self->truth->places[k][0],
                                       pattern->points[i].y - self->truth->places[k][1]));
      g_assert_cmpfloat (nearest, <, 0.1);
    }
  g_assert_cmpfloat (hypot (pattern->points[0].x, pattern->points[0].y), <, 1);
}

/* The engine finds what the solver alone finds, to the bit, and tells it pass by pass. */
TEST_FIXTURE (same, "/engine/problem/same")
{
  g_autoptr (PrismSnapshot) snapshot = run (self);
  g_autoptr (PrismFinding) expected = find_by_hand (self);
  g_autofree char *verdict = prism_verdict_dup_text (&snapshot->verdict);

  g_assert_cmpuint (snapshot->n_rows, ==, expected->progress->len);
  for (guint i = 0; i < snapshot->n_rows; i++)
    {
      const PrismPrediction *held = &g_array_index (expected->progress, PrismPrediction, i);
      const PrismHistoryRow row = prism_history_get_row (snapshot->history, i);

      g_assert_cmpfloat (row.loss_new, ==, held->misfit);
      g_assert_cmpfloat (row.correlation, ==, held->correlation);
      g_assert_cmpint (row.sample, ==, PRISM_ROW_POLISH);
      g_assert_cmpuint (row.sample_step, ==, i + 1);
    }
  g_assert_cmpfloat (snapshot->misfit, ==, expected->held_out.misfit);
  g_assert_cmpfloat (snapshot->correlation, ==, expected->held_out.correlation);
  g_assert_cmpint (snapshot->verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpfloat (snapshot->verdict.correlation, ==, expected->held_out.correlation);
  g_assert_true (g_str_has_prefix (verdict, "Fits the measurements: frames that were never used"
                                            " are predicted. Held-out frames: "));
  g_assert_true (prism_snapshot_is_recorded (snapshot));
  g_assert_true (snapshot->has_no_target);
  g_assert_cmpuint (snapshot->pass, ==, 5);
  g_assert_cmpuint (snapshot->n_passes, ==, 5);
  g_assert_cmpfloat (snapshot->coverage, >, 0.2);
  g_assert_null (snapshot->measurement);
  g_assert_cmpuint (snapshot->frames->n_moments, >=, 5);
  check_planes (snapshot, expected);
}

static const char *
find_text (char **text, const char *key)
{
  for (guint i = 0; text[i] != NULL; i += 2)
    if (strcmp (text[i], key) == 0)
      return text[i + 1];
  return NULL;
}

/* A picture says that its quality is unknown. */
TEST_FIXTURE (picture_text, "/engine/problem/picture-text")
{
  g_autoptr (PrismSnapshot) snapshot = run (self);
  g_auto (GStrv) text = prism_export_dup_png_text (snapshot);

  g_assert_cmpstr (find_text (text, "Title"), ==, "PRISM reconstruction of microscope");
  g_assert_cmpstr (find_text (text, "PSNR"), ==, "unknown: no target");
}

/* Pass by pass, and with a pause in every one, it comes to the same bits. */
TEST_FIXTURE (steps, "/engine/problem/steps")
{
  g_autoptr (PrismSnapshot) expected = run (self);
  const gsize n = (gsize) MICROSCOPE_OBJECT * MICROSCOPE_OBJECT * sizeof (float);

  configure (self);
  for (guint pass = 1; pass < 5; pass++)
    {
      prism_engine_step (self->engine, 1);
      g_autoptr (PrismSnapshot) snapshot = wait_for_state (self->engine, PRISM_STATE_PAUSED);
      g_assert_cmpuint (snapshot->pass, ==, pass);
      g_assert_cmpuint (snapshot->n_rows, ==, pass);
    }
  g_autoptr (PrismSnapshot) last = finish_engine (self->engine);
  g_assert_cmpmem (last->reconstruction->pixels, n, expected->reconstruction->pixels, n);
}

/* What is stopped has the result of the best whole pass, and its numbers. */
TEST_FIXTURE (stop, "/engine/problem/stop")
{
  self->config->passes = 10000;
  configure (self);
  step_engine (self->engine, 2);
  prism_engine_run (self->engine);
  await_state (self->engine, PRISM_STATE_RUNNING);
  prism_engine_stop (self->engine);
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (self->engine, PRISM_STATE_STOPPED);
  g_assert_cmpuint (snapshot->pass, >=, 2);
  g_assert_cmpuint (snapshot->n_rows, ==, snapshot->pass);
  PrismHistoryRow row = prism_history_get_row (snapshot->history, snapshot->n_rows - 1);
  g_assert_cmpfloat (snapshot->verdict.misfit, <=, row.loss_new);
  prism_engine_export (self->engine, self->directory, FALSE);
  g_clear_pointer (&snapshot, prism_snapshot_unref);
  snapshot = wait_for_state (self->engine, PRISM_STATE_STOPPED);
  g_assert_cmpstr (snapshot->exported, ==, self->directory);
  g_autoptr (PrismFinding) found = MUST (prism_finding_load (self->directory, &error));
  g_assert_cmpuint (found->pass, ==, snapshot->n_rows);
  g_assert_cmpfloat_with_epsilon (found->held_out.misfit, row.loss_new, 1e-9);
}

/* A search ends at once, and there is nothing then. */
TEST_FIXTURE (stop_in_search, "/engine/problem/stop-in-search")
{
  configure (self);
  prism_engine_run (self->engine);
  prism_engine_stop (self->engine);
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (self->engine, PRISM_STATE_STOPPED);
  g_assert_true (prism_snapshot_is_vain (snapshot));
  g_assert_cmpint (snapshot->error, ==, PRISM_ERROR_CANCELLED);
  HAS (snapshot->message, "before anything was found");
  g_assert_null (snapshot->reconstruction);
}

/* A pause in the search; the search begins anew, and nothing is lost. */
TEST_FIXTURE (pause_in_search, "/engine/problem/pause-in-search")
{
  g_autoptr (PrismSnapshot) expected = run (self);

  configure (self);
  prism_engine_run (self->engine);
  prism_engine_pause (self->engine);
  g_autoptr (PrismSnapshot) paused = wait_for_state (self->engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (paused->pass, ==, 0);
  g_autoptr (PrismSnapshot) snapshot = finish_engine (self->engine);
  g_assert_cmpfloat (snapshot->misfit, ==, expected->misfit);
}

/* Without frames that are held out nothing is said of the model, and the misfit is that of the
 * others. */
TEST_FIXTURE (none_held_out, "/engine/problem/none-held-out")
{
  self->config->hold_out = 0;
  g_autoptr (PrismSnapshot) snapshot = run (self);
  g_assert_cmpint (snapshot->verdict.kind, ==, PRISM_VERDICT_OPEN);
  g_assert_cmpfloat (snapshot->misfit, >, 0);
  g_assert_cmpfloat (snapshot->misfit, <, 0.2);
  g_assert_cmpfloat (snapshot->correlation, ==, 0);
}

/* The frames are made ready anew where the configuration wants them otherwise than they were. */
TEST_FIXTURE (other_settings, "/engine/problem/other-settings")
{
  static const char *const changes[]
      = { "border=8", "hold_out=9", "pupil=flat", "passes=3", "method=descent", "gains=no" };

  configure (self);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (PrismScene) first = prism_scene_ref (self->scene);
      g_autoptr (GError) error = NULL;

      microscope_set (self->config, changes[i]);
      g_autoptr (PrismSnapshot) expected = run (self);
      g_assert_true (prism_engine_configure_scene (self->engine, self->config, first, &error));
      g_autoptr (PrismSnapshot) other = finish_engine (self->engine);
      g_assert_cmpint (other->config->object_size, ==, expected->config->object_size);
      gsize n = (gsize) other->config->object_size * other->config->object_size * sizeof (float);
      g_assert_cmpmem (other->reconstruction->pixels, n, expected->reconstruction->pixels, n);
      g_assert_cmpfloat (other->misfit, ==, expected->misfit);
      g_assert_cmpuint (other->n_rows, ==, (guint) self->config->passes);
    }
}

/* What cannot be is told before the run, or by it. */
TEST_FIXTURE (refused, "/engine/problem/refused")
{
  g_autoptr (GError) error = NULL;

  configure (self);
  microscope_set (self->config, "method=epie");
  FAILS (prism_engine_configure_scene (self->engine, self->config, self->scene, &error), CONFIG,
         "“epie”");
  microscope_set (self->config, "method=auto");
  microscope_set (self->config, "leave_out=500");
  g_assert_true (prism_engine_configure_scene (self->engine, self->config, self->scene, &error));
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (self->engine, PRISM_STATE_FAILED);
  HAS (snapshot->message, "leave_out names frame 500");
}

/* A run with a file needs frames with one, too. */
static char *
write_frames (Fixture *self)
{
  char *path = g_build_filename (self->directory, "frames.hdf5", NULL);
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();

  MUST (prism_recording_save (self->truth->recording, path, PRISM_RECORDING_PTYLAB, &error));
  prism_recording_free (self->truth->recording);
  self->truth->recording = MUST (prism_recording_load (path, recipe, &error));
  return path;
}

static void
resume (Fixture *self, const char *path)
{
  PrismRun *saved = MUST (prism_run_file_load (path, &error));

  MUST (prism_engine_resume (self->engine, saved, path, NULL, &error));
}

/* Another thread says that nobody waits any more, later each time. */
static gpointer
cancel_later (gpointer data)
{
  g_usleep (GPOINTER_TO_UINT (g_object_get_data (data, "delay")));
  g_cancellable_cancel (data);
  return NULL;
}

/* Frames are read and made ready to the end, or not at all; whoever asked says so by a command, a
 * signal, or a window that is closed. */
TEST_FIXTURE (unwanted, "/engine/problem/unwanted")
{
  g_autofree char *path = g_build_filename (self->directory, "cells.hdf5", NULL);
  guint n_ended = 0;

  MUST (prism_recording_save (self->truth->recording, path, PRISM_RECORDING_PTYLAB, &error));
  for (guint delay = 0; delay < 400000 && n_ended < 50; delay = delay * 5 / 4 + 100)
    {
      g_autoptr (GCancellable) wanted = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (PrismProblem) problem = NULL;

      g_object_set_data (G_OBJECT (wanted), "delay", GUINT_TO_POINTER (delay));
      if (delay == 0)
        g_cancellable_cancel (wanted);
      GThread *thread = g_thread_new ("cancel", cancel_later, wanted);
      g_cancellable_push_current (wanted);
      g_autoptr (PrismRecording) recording = prism_recording_load (path, NULL, &error);
      if (recording != NULL)
        problem = prism_problem_new (recording, self->config, &error);
      g_cancellable_pop_current (wanted);
      g_thread_join (thread);
      if (problem != NULL)
        break;
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CANCELLED);
      n_ended++;
    }
  g_assert_cmpuint (n_ended, >, 0);
}

/* In every pass: begun, saved between two frames of it, taken up by another engine. */
TEST_FIXTURE (resume, "/engine/problem/resume")
{
  g_autofree char *frames = write_frames (self);
  g_autoptr (PrismSnapshot) expected = run (self);
  const gsize n = (gsize) expected->config->object_size * expected->config->object_size
                  * sizeof (float);

  for (guint pass = 0; pass < 5; pass++)
    {
      g_autofree char *name = g_strdup_printf ("%u.prismrun", pass);
      g_autofree char *path = g_build_filename (self->directory, name, NULL);

      configure (self);
      prism_engine_set_run_file (self->engine, path);
      prism_engine_set_interval (self->engine, 0);
      if (pass > 0)
        {
          step_engine (self->engine, pass);
        }
      prism_engine_run (self->engine);
      await_state (self->engine, PRISM_STATE_RUNNING);
      prism_engine_pause (self->engine);
      await_state (self->engine, PRISM_STATE_PAUSED);
      prism_engine_free (self->engine);
      g_autoptr (PrismSnapshot) shown = prism_run_file_load_snapshot (path, NULL);
      g_assert_true (prism_snapshot_is_recorded (shown));
      g_assert_cmpuint (shown->pass, >=, pass);
      g_assert_true (pass == 0 || shown->phase_image != NULL);
      self->engine = prism_engine_new (NULL, NULL, NULL);
      resume (self, path);
      await_state (self->engine, PRISM_STATE_PAUSED);
      g_autoptr (PrismSnapshot) last = finish_engine (self->engine);
      g_assert_cmpmem (last->reconstruction->pixels, n, expected->reconstruction->pixels, n);
      g_assert_cmpfloat (last->misfit, ==, expected->misfit);
      g_assert_cmpuint (last->n_rows, ==, 5);
      g_assert_cmpfloat (prism_history_get_row (last->history, 4).correlation, ==,
                         prism_history_get_row (expected->history, 4).correlation);
    }
}

/* A run that is over goes on with more passes, as another run; all else stays as it was. */
TEST_FIXTURE (more_passes, "/engine/problem/more-passes")
{
  g_autofree char *frames = write_frames (self);
  g_autofree char *path = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *fork = g_build_filename (self->directory, "b.prismrun", NULL);
  g_autoptr (GError) error = NULL;

  g_autoptr (PrismSnapshot) first = run_into (self, path);
  prism_config_free (self->config);
  self->config = prism_config_dup (first->config);
  microscope_set (self->config, "hold_out=9");
  FAILS (prism_engine_resume (self->engine, prism_run_file_load (path, NULL), path, self->config,
                              &error),
         CONFIG, "hold_out cannot change from 15 to 9");
  microscope_set (self->config, "hold_out=15");
  microscope_set (self->config, "passes=7");
  prism_engine_set_run_file (self->engine, fork);
  g_assert_true (prism_engine_resume (self->engine, prism_run_file_load (path, NULL), path,
                                      self->config, &error));
  await_state (self->engine, PRISM_STATE_PAUSED);
  g_autoptr (PrismSnapshot) last = finish_engine (self->engine);
  g_assert_cmpuint (last->n_rows, ==, 7);
  g_assert_cmpuint (last->n_passes, ==, 7);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpfloat_with_epsilon (prism_history_get_row (last->history, i).loss_new,
                                    prism_history_get_row (first->history, i).loss_new, 1e-9);
  g_autoptr (PrismSnapshot) shown = MUST (prism_run_file_load_snapshot (fork, &error));
  g_assert_cmpint (shown->config->passes, ==, 7);
  g_assert_cmpuint (shown->n_rows, ==, 7);
}

/* A finished run writes its result again; frames that have changed or are gone are told in a
 * sentence. */
TEST_FIXTURE (frames_gone, "/engine/problem/frames-gone")
{
  g_autofree char *frames = write_frames (self);
  g_autofree char *path = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *folder = g_build_filename (self->directory, "result", NULL);

  prism_snapshot_unref (run_into (self, path));
  resume (self, path);
  g_autoptr (PrismSnapshot) last
      = export_engine (self->engine, folder, TRUE, PRISM_STATE_FINISHED);
  g_autoptr (PrismFinding) found = prism_finding_load (folder, NULL);
  g_assert_cmpuint (found->progress->len, ==, 5);
  g_assert_cmpfloat_with_epsilon (found->held_out.misfit, last->misfit, 1e-9);
  self->truth->recording->frames[100] += 5;
  g_assert_true (prism_recording_save (self->truth->recording, frames, PRISM_RECORDING_PTYLAB,
                                       NULL));
  resume (self, path);
  g_autoptr (PrismSnapshot) changed = wait_for_state (self->engine, PRISM_STATE_FAILED);
  HAS (changed->message, "frames.hdf5” has changed since the run began");
  g_remove (frames);
  resume (self, path);
  g_autoptr (PrismSnapshot) gone = wait_for_state (self->engine, PRISM_STATE_FAILED);
  HAS (gone->message, "The frames of this run cannot be read again: ", "frames.hdf5");
  g_assert_true (changed->reconstruction != NULL && gone->frames != NULL);
}

static GMutex gate;

/* No command is taken before all of them wait. */
static void
hold (gpointer unused)
{
  g_mutex_lock (&gate);
  g_mutex_unlock (&gate);
}

static void
hold_back (Fixture *self)
{
  prism_engine_free (self->engine);
  self->engine = prism_engine_new (hold, NULL, NULL);
  g_mutex_lock (&gate);
  configure (self);
}

static PrismSnapshot *
run_and_stop (Fixture *self)
{
  prism_engine_run (self->engine);
  prism_engine_stop (self->engine);
  g_mutex_unlock (&gate);
  return wait_for_state (self->engine, PRISM_STATE_STOPPED);
}

/* Stopped while it is made ready it has not failed, and has no file. */
TEST_FIXTURE (stop_at_once, "/engine/problem/stop-at-once")
{
  g_autofree char *path = g_build_filename (self->directory, "a.prismrun", NULL);

  hold_back (self);
  prism_engine_set_run_file (self->engine, path);
  g_autoptr (PrismSnapshot) stopped = run_and_stop (self);
  g_assert_true (prism_snapshot_is_vain (stopped));
  HAS (stopped->message, "while the frames were made ready");
  g_assert_null (stopped->run_file);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_autoptr (PrismSnapshot) last = finish_engine (self->engine);
  g_assert_cmpuint (last->run, ==, 2);
  g_assert_cmpstr (last->run_file, ==, path);
}

/* So has one that is taken up again: its file stays as it is, no other run begins in its place, and
 * the next one has its frames, as they are by then. */
TEST_FIXTURE (stop_resuming, "/engine/problem/stop-resuming")
{
  g_autofree char *frames = write_frames (self);
  g_autofree char *path = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *before = NULL, *after = NULL;
  gsize n_before, n_after;

  configure (self);
  prism_engine_set_run_file (self->engine, path);
  step_engine (self->engine, 2);
  hold_back (self);
  g_assert_true (g_file_get_contents (path, &before, &n_before, NULL));
  resume (self, path);
  g_autoptr (PrismSnapshot) stopped = run_and_stop (self);
  g_assert_true (prism_snapshot_is_vain (stopped));
  g_assert_null (stopped->run_file);
  g_assert_cmpuint (stopped->run, ==, 1);
  g_assert_true (g_file_get_contents (path, &after, &n_after, NULL));
  g_assert_cmpmem (before, n_before, after, n_after);
  self->truth->recording->frames[100] += 5;
  g_assert_true (prism_recording_save (self->truth->recording, frames, PRISM_RECORDING_PTYLAB,
                                       NULL));
  g_assert_true (prism_engine_configure (self->engine, self->config, NULL));
  g_autoptr (PrismSnapshot) last = finish_engine (self->engine);
  g_assert_cmpuint (last->n_rows, ==, 5);
  g_assert_cmpuint (last->run, ==, 2);
}

/* A field that is no square, in tiles of 32²: two rows of three, each explained by three passes. */

#define TILES_HIGH 48
#define N_TILES 6
#define TILE_PASSES 3

static void
cut_into_tiles (Fixture *self)
{
  PrismRecording *recording = self->truth->recording;
  const gsize n_row = MICROSCOPE_SIDE, n = n_row * TILES_HIGH;

  for (gsize j = 1; j < recording->n_frames; j++)
    memmove (recording->frames + j * n, recording->frames + j * n_row * n_row,
             n * sizeof *recording->frames);
  recording->height = TILES_HIGH;
  self->config->tile = 32;
  self->config->passes = TILE_PASSES;
}

static PrismMosaic *
explain_by_hand (Fixture *self, guint n_tiles)
{
  PrismMosaic *mosaic = prism_mosaic_new (self->truth->recording, self->config, NULL);

  g_assert_cmpuint (mosaic->plan.n_tiles, ==, N_TILES);
  for (guint i = 0; i < n_tiles; i++)
    {
      g_autoptr (PrismPtychography) solver = prism_mosaic_new_solver (mosaic, i, NULL);

      g_assert_true (prism_ptychography_begin (solver));
      while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
        g_assert_true (prism_ptychography_step (solver));
      g_assert_true (prism_mosaic_add (mosaic, i, solver, NULL));
      g_assert_true (prism_mosaic_survey (mosaic, NULL, NULL));
    }
  return mosaic;
}

static void
check_tiles (const PrismFinding *finding, const PrismMosaic *expected)
{
  const PrismMosaicPlan *plan = &expected->plan;
  const gsize n = (gsize) plan->height * plan->width;
  prism_autofree_array float *object = prism_mosaic_dup_object (expected, NULL);
  g_autoptr (PrismPtychogram) middle = prism_mosaic_new_frames (expected, 0, NULL);
  const float white = prism_ptychogram_get_white (middle);

  for (gsize i = 0; i < 2 * n; i++)
    object[i] /= white;
  g_assert_cmpint (finding->object_height, ==, plan->height);
  g_assert_cmpint (finding->object_width, ==, plan->width);
  g_assert_cmpmem (finding->object, 2 * n * sizeof *object, object, 2 * n * sizeof *object);
}

/* A square with nothing above and below the field, and where a tile is missing. */
static void
check_tile_picture (const PrismSnapshot *snapshot, const PrismFinding *finding)
{
  const int m = snapshot->config->object_size, height = finding->object_height;
  const int top = (m - height) / 2, middle = height / 2 * m + m / 2;
  const float *pixels = snapshot->reconstruction->pixels, *phases = snapshot->phase_image->pixels;
  const float scale
      = pixels[top * m + middle]
        / hypotf (finding->object[2 * middle], finding->object[2 * middle + 1]);

  g_assert_cmpint (m, ==, finding->object_width);
  g_assert_cmpint (top, >, 0);
  for (int i = 0; i < m * m; i++)
    {
      const int y = i / m - top;
      const float *at = finding->object + 2 * (i - top * m);
      const gboolean is_known = y >= 0 && y < height && (at[0] != 0 || at[1] != 0);

      if (is_known)
        {
          g_assert_cmpfloat_with_epsilon (phases[i], atan2f (at[1], at[0]), 1e-5);
          g_assert_cmpfloat_with_epsilon (pixels[i], scale * hypotf (at[0], at[1]), 1e-4);
        }
      else
        g_assert_true (isnan (phases[i]) && isnan (pixels[i]));
    }
}

static void
check_summary (const char *directory)
{
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (in_folder (directory, "summary.json"), &text, &length, NULL));
  g_autoptr (JsonNode) node = prism_json_parse_object (text, length);
  JsonObject *root = json_node_get_object (node);
  JsonObject *seams = json_object_get_object_member (root, "seams");
  g_assert_cmpfloat (json_object_get_double_member (seams, "amplitude"), >=, 1);
  g_assert_cmpfloat (json_object_get_double_member (seams, "phase"), >=, 1);
  g_assert_cmpfloat (json_object_get_double_member (root, "pixel_visits_per_second"), >, 1e4);
}

/* The engine finds what the tiles give one by one, to the bit, and its folder has the whole. */
TEST_FIXTURE (tiles, "/engine/problem/tiles")
{
  PrismPrediction held = { 0 };

  cut_into_tiles (self);
  g_autoptr (PrismMosaic) expected = explain_by_hand (self, N_TILES);
  held = prism_mosaic_get_held_out (expected, &held);
  g_autoptr (PrismSnapshot) snapshot = run (self);
  g_assert_cmpuint (snapshot->pass, ==, N_TILES * TILE_PASSES);
  g_assert_cmpuint (snapshot->n_passes, ==, N_TILES * TILE_PASSES);
  g_assert_cmpuint (snapshot->n_rows, ==, N_TILES * TILE_PASSES);
  g_assert_cmpfloat (snapshot->misfit, ==, held.misfit);
  g_assert_cmpfloat (snapshot->verdict.misfit, ==, held.misfit);
  g_assert_cmpfloat (snapshot->verdict.correlation, ==, held.correlation);
  for (guint i = 0; i < N_TILES; i++)
    {
      const PrismHistoryRow row
          = prism_history_get_row (snapshot->history, (i + 1) * TILE_PASSES - 1);

      g_assert_cmpfloat (row.loss_new, ==, expected->plan.tiles[i].held_out.misfit);
    }
  check_tiles (snapshot->finding, expected);
  check_tile_picture (snapshot, snapshot->finding);
  /* Nothing of a whole field is missing. */
  for (int i = 0; i < expected->plan.height * expected->plan.width; i++)
    g_assert_true (hypotf (snapshot->finding->object[2 * i], snapshot->finding->object[2 * i + 1])
                   > 0);
  g_assert_cmpuint (snapshot->n_tiles, ==, N_TILES);
  g_assert_cmpint (snapshot->finding->side, ==, 32);
  g_assert_cmpuint (snapshot->finding->tiles->len, ==, N_TILES);
  g_assert_cmpuint (snapshot->finding->progress->len, ==, TILE_PASSES);
  prism_snapshot_unref (export_engine (self->engine, self->directory, FALSE, PRISM_STATE_FINISHED));
  g_autoptr (PrismFinding) found = prism_finding_load (self->directory, NULL);
  check_tiles (found, expected);
  g_autoptr (PrismSnapshot) loaded = prism_run_result_load (self->directory, NULL);
  g_assert_cmpint (loaded->config->object_size, ==, snapshot->config->object_size);
  check_tile_picture (loaded, found);
  g_assert_cmpuint (found->progress->len, ==, TILE_PASSES);
  g_autofree char *table = prism_mosaic_dup_table (expected);
  SAYS (file_text (in_folder (self->directory, "tiles.csv")), table);
  check_summary (self->directory);
}

/* Before it is through it is seen where it lies, and nothing else. */
static void
check_first_tile (const PrismSnapshot *snapshot, const PrismMosaic *mosaic)
{
  const PrismMosaicPlan *plan = &mosaic->plan;
  const int m = snapshot->config->object_size, side = plan->side * plan->upsampling;
  const int top = plan->tiles[0].y * plan->upsampling + (m - plan->height) / 2;
  const int left = plan->tiles[0].x * plan->upsampling;

  g_assert_null (snapshot->finding->tiles);
  g_assert_cmpint (snapshot->finding->reduction, ==, 1);
  for (int i = 0; i < m * m; i++)
    {
      const int y = i / m - top, x = i % m - left;
      const gboolean is_inside = y >= 0 && y < side && x >= 0 && x < side;

      g_assert_true ((snapshot->reconstruction->pixels[i] > 0) == is_inside);
    }
}

/* Stopped, it has the tiles that were through; of the middle one what its last whole pass found. */
TEST_FIXTURE (tiles_stop, "/engine/problem/tiles-stop")
{
  static const guint passes[] = { 1, 2 * TILE_PASSES, 2 * TILE_PASSES + 1 };
  static const guint n_tiles[G_N_ELEMENTS (passes)] = { 1, 2, 2 };

  cut_into_tiles (self);
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      g_autoptr (PrismMosaic) expected = explain_by_hand (self, n_tiles[i]);

      configure (self);
      prism_engine_step (self->engine, passes[i]);
      g_autoptr (PrismSnapshot) paused = wait_for_state (self->engine, PRISM_STATE_PAUSED);
      if (i == 0)
        check_first_tile (paused, expected);
      prism_engine_stop (self->engine);
      g_autoptr (PrismSnapshot) snapshot = wait_for_state (self->engine, PRISM_STATE_STOPPED);
      g_autofree char *verdict = prism_snapshot_dup_verdict (snapshot);
      g_autofree char *remarks = prism_snapshot_dup_remarks (snapshot, FALSE);
      g_autofree char *known = g_strdup_printf ("%u of %u tiles", n_tiles[i], N_TILES);
      g_assert_cmpint (snapshot->verdict.kind, ==, PRISM_VERDICT_OPEN);
      g_assert_cmpstr (verdict, ==, known);
      HAS (remarks, known, "no verdict on the whole field");
      LACKS (remarks, "not fit");
      g_assert_cmpuint (snapshot->n_rows, ==, passes[i]);
      g_assert_cmpuint (snapshot->n_passes, ==, N_TILES * TILE_PASSES);
      g_assert_cmpfloat (snapshot->misfit, ==, snapshot->finding->held_out.misfit);
      g_assert_cmpfloat (snapshot->correlation, ==, snapshot->finding->held_out.correlation);
      g_assert_cmpuint (snapshot->finding->tiles->len, ==, n_tiles[i]);
      check_tile_picture (snapshot, snapshot->finding);
      if (i > 0)
        check_tiles (snapshot->finding, expected);
    }
}

/* After the middle tile its passes say how long the others take at least; from the third on, what
 * tiles have taken says how long they take. */
TEST_FIXTURE (tiles_left, "/engine/problem/tiles-left")
{
  static const guint passes[] = { 1, TILE_PASSES - 1, 1, TILE_PASSES + 1 };
  static const gboolean is_known[] = { FALSE, TRUE, TRUE, TRUE };

  cut_into_tiles (self);
  configure (self);
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      prism_engine_step (self->engine, passes[i]);
      g_autoptr (PrismSnapshot) paused = wait_for_state (self->engine, PRISM_STATE_PAUSED);
      g_assert_cmpint (paused->seconds_left > 0, ==, is_known[i]);
      g_assert_cmpint (prism_snapshot_is_least (paused), ==, i < 3);
    }
}

/* In the middle tile, where one is through but not yet put to the others, in a later one, and when
 * all are through. */
TEST_FIXTURE (tiles_resume, "/engine/problem/tiles-resume")
{
  static const guint passes[] = { 1, TILE_PASSES, TILE_PASSES + 1, 4 * TILE_PASSES + 2,
                                  N_TILES * TILE_PASSES };

  cut_into_tiles (self);
  g_autofree char *frames = write_frames (self);
  g_autoptr (PrismSnapshot) expected = run (self);
  gsize n = 2 * sizeof (float) * expected->finding->object_height * expected->finding->object_width;
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      g_autofree char *name = g_strdup_printf ("%" G_GSIZE_FORMAT ".prismrun", i);
      g_autofree char *path = g_build_filename (self->directory, name, NULL);

      configure (self);
      prism_engine_set_run_file (self->engine, path);
      step_engine (self->engine, passes[i]);
      if (i == 0)
        {
          prism_engine_run (self->engine);
          await_state (self->engine, PRISM_STATE_RUNNING);
        }
      prism_engine_free (self->engine);
      self->engine = prism_engine_new (NULL, NULL, NULL);
      resume (self, path);
      g_autoptr (PrismSnapshot) shown = wait_for_state (self->engine, PRISM_STATE_PAUSED);
      g_assert_cmpuint (shown->pass, >=, passes[i]);
      g_assert_nonnull (shown->reconstruction);
      g_autoptr (PrismSnapshot) last = finish_engine (self->engine);
      g_assert_cmpmem (last->finding->object, n, expected->finding->object, n);
      g_assert_cmpfloat (last->misfit, ==, expected->misfit);
      g_assert_cmpuint (last->n_rows, ==, N_TILES * TILE_PASSES);
      g_assert_cmpuint (last->finding->tiles->len, ==, N_TILES);
      for (guint row = 0; row < last->n_rows; row++)
        g_assert_cmpfloat_with_epsilon (prism_history_get_row (last->history, row).loss_new,
                                        prism_history_get_row (expected->history, row).loss_new,
                                        1e-9);
    }
}

/* NULL where there is no such column. */
static const char *
get_text (const PrismComparison *comparison,
          const char *id,
          guint i,
          char *(*dup) (const PrismComparisonColumn *column, const PrismResult *result))
{
  static char *text;

  g_clear_pointer (&text, g_free);
  for (guint c = 0; c < comparison->columns->len; c++)
    {
      const PrismComparisonColumn *column = prism_comparison_get_column (comparison, c);

      if (strcmp (column->id, id) == 0)
        text = dup (column, prism_comparison_get_result (comparison, i));
    }
  return text;
}

#define get_cell(comparison, id, i) get_text (comparison, id, i, prism_comparison_dup_text)

static void
add_result (PrismComparison *comparison, const char *path)
{
  g_autofree char *name = prism_run_result_dup_name (path);
  g_autoptr (PrismSnapshot) snapshot = MUST (prism_run_result_load (path, &error));

  g_autoptr (PrismResult) result = prism_result_new (name, snapshot);
  prism_comparison_add (comparison, result);
}

/* The folder and the file of a run have the same pictures and numbers; another run differs in what
 * was set, and one with larger pixels is not compared by them. */
TEST_FIXTURE (compare, "/engine/problem/compare")
{
  g_autofree char *frames = write_frames (self);
  g_autofree char *path = g_build_filename (self->directory, "a.prismrun", NULL);
  const char *const folders[]
      = { in_folder (self->directory, "a"), in_folder (self->directory, "b"),
          in_folder (self->directory, "c") };
  g_autoptr (PrismComparison) comparison = prism_comparison_new (), pair = prism_comparison_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      self->config->passes = i == 0 ? 5 : 3;
      self->config->upsampling = i == 2 ? 4 : 0;
      prism_snapshot_unref (run_into (self, i == 0 ? path : NULL));
      prism_snapshot_unref (
          export_engine (self->engine, folders[i], TRUE, PRISM_STATE_FINISHED));
    }
  add_result (comparison, path);
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    add_result (comparison, folders[i]);
  const PrismSnapshot *of_file = prism_comparison_get_result (comparison, 0)->snapshot;
  const PrismSnapshot *of_folder = prism_comparison_get_result (comparison, 1)->snapshot;
  gsize n = (gsize) of_file->config->object_size * of_file->config->object_size * sizeof (float);
  g_assert_cmpmem (of_file->reconstruction->pixels, n, of_folder->reconstruction->pixels, n);
  g_assert_cmpmem (of_file->phase_image->pixels, n, of_folder->phase_image->pixels, n);
  g_assert_cmpstr (of_file->config->object, ==, frames);
  g_assert_cmpstr (of_folder->config->object, ==, frames);
  g_assert_cmpuint (of_file->frames->n_moments, >, 0);
  g_assert_cmpuint (of_file->n_samples, ==, of_folder->n_samples);
  g_assert_cmpuint (of_file->n_rows, ==, of_folder->n_rows);
  g_assert_cmpint (of_file->verdict.kind, ==, of_folder->verdict.kind);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpstr (get_cell (comparison, "passes", i), ==, "5");
      g_assert_cmpstr (get_cell (comparison, "passes_done", i), ==, "5");
      g_assert_cmpstr (get_cell (comparison, "method", i), ==, "Frame after frame");
    }
  g_assert_cmpstr (get_cell (comparison, "held_out_misfit", 0), !=, "");
  g_assert_cmpstr (get_cell (comparison, "likeness", 0), ==, "");
  g_assert_cmpstr (get_cell (comparison, "likeness", 1), ==, "1.0000");
  g_assert_cmpfloat (prism_comparison_get_result (comparison, 2)->likeness, <, 0.999999);
  g_assert_cmpfloat (prism_comparison_get_result (comparison, 2)->likeness, >, 0.9);
  g_assert_true (prism_comparison_get_result (comparison, 3)->has_other_size);
  prism_comparison_add (pair, prism_comparison_get_result (comparison, 0));
  prism_comparison_add (pair, prism_comparison_get_result (comparison, 3));
  g_assert_cmpstr (get_text (pair, "likeness", 1, prism_comparison_dup_shown_text), ==,
                   "Other size");
  g_assert_cmpstr (get_cell (comparison, "passes", 2), ==, "3");
  g_assert_cmpstr (get_cell (comparison, "upsampling", 3), ==, "4");
  g_assert_null (get_cell (comparison, "psnr", 0));
  g_assert_null (get_cell (comparison, "aperture_radius", 0));
}

/* A library names the file of the frames, what was chosen for them, and the misfit of those that
 * were never used. */
TEST_FIXTURE (card, "/engine/problem/card")
{
  g_autofree char *frames = write_frames (self);
  g_autofree char *path = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autoptr (PrismRunCatalogue) catalogue = NULL;
  g_autofree char *named = g_canonicalize_filename ("frames.hdf5", NULL);
  g_autoptr (GError) error = NULL;
  float least = 1, most = 0;

  g_free (self->truth->recording->path);
  self->truth->recording->path = g_strdup ("frames.hdf5");
  g_autoptr (PrismSnapshot) last = run_into (self, path);
  catalogue = MUST (prism_run_catalogue_new (self->directory, &error));
  PrismRunCard *card = MUST (prism_run_card_read (path, self->directory, &error));
  prism_run_catalogue_add (catalogue, card);
  g_assert_true (prism_run_catalogue_save (catalogue, &error));
  g_autoptr (PrismRunCatalogue) again = prism_run_catalogue_new (self->directory, &error);
  card = prism_run_catalogue_find (again, path);
  g_assert_cmpstr (card->object, ==, named);
  g_assert_cmpstr (card->frames, ==, named);
  g_assert_cmpstr (card->settings, ==, "border=0;passes=5");
  g_assert_cmpfloat (card->misfit, ==, last->misfit);
  g_assert_true (isnan (card->psnr));
  g_autofree char *picture = prism_run_catalogue_dup_picture (again, card);
  g_autoptr (PrismImage) small = MUST (prism_image_load (picture, &error));
  for (int i = 0; i < small->width * small->height; i++)
    {
      least = MIN (least, small->pixels[i]);
      most = MAX (most, small->pixels[i]);
    }
  g_assert_cmpfloat (least, ==, 0);
  g_assert_cmpfloat (most, ==, 1);
  g_autoptr (PrismSnapshot) loaded = MUST (prism_run_file_load_snapshot (path, &error));
  g_assert_cmpuint (loaded->frames->n_moments, >, 0);
}

/* What earlier versions have written says less. */
TEST_FIXTURE (old_folder, "/engine/problem/old-folder")
{
  static const char summary[] = "{ \"held_out\": { \"frames\": 0 }, \"pupil\": {},"
                                " \"object\": {}, \"frames\": {}, \"settings\": {} }";
  static const float object[2 * 8 * 6] = { [9] = 3 }, pupil[2 * 4 * 4] = { 1 };
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();

  g_assert_true (
      g_file_set_contents (in_folder (self->directory, "summary.json"), summary, -1, NULL));
  g_assert_true (prism_npy_save_complex (in_folder (self->directory, "object.npy"), object, 2,
                                         (const gsize[]) { 8, 6 }, NULL));
  g_assert_true (prism_npy_save_complex (in_folder (self->directory, "pupil.npy"), pupil, 2,
                                         (const gsize[]) { 4, 4 }, NULL));
  add_result (comparison, self->directory);
  const PrismSnapshot *snapshot = prism_comparison_get_result (comparison, 0)->snapshot;
  g_assert_cmpint (snapshot->reconstruction->height, ==, 8);
  g_assert_cmpint (snapshot->reconstruction->width, ==, 8);
  g_assert_cmpfloat (snapshot->phase_image->pixels[5], >, 1.57f);
  g_assert_null (get_cell (comparison, "held_out_misfit", 0));
  g_assert_cmpstr (get_cell (comparison, "verdict", 0), ==, "not known");
}
