#include "config.h"

#include "../support/microscope.h"
#include "../support/test-remove-tree.h"
#include "ptychography/prism-ptychography-run.h"

#include <math.h>
#include <string.h>

/* Runs on their own thread, told what to do at every moment. */

typedef struct
{
  Microscope *truth;
  PrismPtychographySettings settings;
  PrismPtychographyRun *run;
  GMutex mutex;
  GCond cond;
  guint n_told;
} Fixture;

static void
notify (gpointer data)
{
  Fixture *self = data;

  g_mutex_lock (&self->mutex);
  self->n_told++;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
}

static void
set_up (Fixture *self,
        gconstpointer data)
{
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  self->truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  prism_ptychography_settings_init (&self->settings);
  self->settings.border = 0;
  self->settings.passes = 5;
}

static void
tear_down (Fixture *self,
           gconstpointer data)
{
  prism_ptychography_run_free (self->run);
  microscope_free (self->truth);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
}

static void
start (Fixture *self)
{
  self->run = prism_ptychography_run_new (self->truth->recording, &self->settings, notify, self);
}

typedef gboolean (*Condition) (Fixture *self);

static void
wait_for (Fixture *self,
          Condition condition)
{
  for (;;)
    {
      guint n_told;

      g_mutex_lock (&self->mutex);
      n_told = self->n_told;
      g_mutex_unlock (&self->mutex);
      if (condition (self))
        return;
      g_mutex_lock (&self->mutex);
      while (self->n_told == n_told)
        g_cond_wait (&self->cond, &self->mutex);
      g_mutex_unlock (&self->mutex);
    }
}

static PrismPtychographyStatus
get_status (Fixture *self)
{
  PrismPtychographyStatus status;

  prism_ptychography_run_get_status (self->run, &status);
  return status;
}

static gboolean
has_ended (Fixture *self)
{
  return get_status (self).stage >= PRISM_PTYCHOGRAPHY_DONE;
}

static gboolean
is_passing (Fixture *self)
{
  return get_status (self).stage >= PRISM_PTYCHOGRAPHY_PASSING;
}

static gboolean
has_look (Fixture *self)
{
  PrismPtychographyLook look;

  if (!prism_ptychography_run_get_look (self->run, &look))
    return FALSE;
  prism_image_unref (look.recorded);
  prism_image_unref (look.predicted);
  return TRUE;
}

/* All passes; then a frame, a folder, and two passes more. */
static void
test_whole (Fixture *self,
            gconstpointer data)
{
  g_autoptr (PrismFinding) found = NULL;
  g_autoptr (PrismFinding) more = NULL;
  PrismPtychographyLook look;

  start (self);
  wait_for (self, has_ended);
  found = prism_ptychography_run_ref_finding (self->run);
  g_assert_cmpint (get_status (self).stage, ==, PRISM_PTYCHOGRAPHY_DONE);
  g_assert_cmpuint (found->pass, ==, 5);
  g_assert_cmpuint (found->progress->len, ==, 5);
  g_assert_cmpfloat (found->held_out.correlation, >, 0.9);
  g_assert_cmpfloat (g_array_index (found->progress, PrismPrediction, 4).correlation, ==,
                     found->held_out.correlation);
  g_assert_cmpfloat (get_status (self).seconds, ==, get_status (self).seconds);
  prism_ptychography_run_look_at (self->run, 14);
  wait_for (self, has_look);
  g_assert_true (prism_ptychography_run_get_look (self->run, &look));
  g_assert_cmpuint (look.frame, ==, 14);
  g_assert_cmpint (look.predicted->width, ==, MICROSCOPE_SIDE);
  prism_image_unref (look.recorded);
  prism_image_unref (look.predicted);
  prism_ptychography_run_go_on (self->run, 2);
  while (more == NULL || more->pass < 7)
    {
      prism_finding_unref (more);
      more = prism_ptychography_run_ref_finding (self->run);
    }
  g_assert_cmpuint (more->progress->len, ==, 7);
}

static gboolean
has_saved (Fixture *self)
{
  g_autofree char *directory = NULL;
  g_autofree char *problem = NULL;

  if (!prism_ptychography_run_take_saved (self->run, &directory, &problem))
    return FALSE;
  g_test_message ("%s: %s", directory, problem != NULL ? problem : "written");
  g_assert_true ((problem != NULL) == g_str_has_suffix (directory, "nowhere"));
  return TRUE;
}

static void
test_save (Fixture *self,
           gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-run-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "file", NULL);
  g_autofree char *nowhere = g_build_filename (file, "nowhere", NULL);
  g_autoptr (PrismFinding) found = NULL;

  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  start (self);
  wait_for (self, has_ended);
  prism_ptychography_run_save (self->run, nowhere);
  wait_for (self, has_saved);
  prism_ptychography_run_save (self->run, folder);
  wait_for (self, has_saved);
  found = prism_finding_load (folder, NULL);
  g_assert_nonnull (found);
  g_assert_cmpuint (found->pass, ==, 5);
  test_remove_tree (folder);
}

/* Paused before it has begun it rests; what is asked for then comes when it goes on. */
static void
test_pause (Fixture *self,
            gconstpointer data)
{
  g_autoptr (PrismFinding) found = NULL;

  start (self);
  wait_for (self, is_passing);
  prism_ptychography_run_set_paused (self->run, TRUE);
  prism_ptychography_run_look_at (self->run, 3);
  wait_for (self, has_look);
  prism_ptychography_run_set_paused (self->run, FALSE);
  wait_for (self, has_ended);
  found = prism_ptychography_run_ref_finding (self->run);
  g_assert_cmpuint (found->pass, ==, 5);
}

/* Finished in the search there is nothing, in a pass there is what was found by then. */
static void
test_finish (Fixture *self,
             gconstpointer data)
{
  g_autoptr (PrismFinding) found = NULL;
  g_autofree char *problem = NULL;

  start (self);
  prism_ptychography_run_finish (self->run);
  wait_for (self, has_ended);
  problem = prism_ptychography_run_dup_problem (self->run);
  g_assert_cmpint (get_status (self).stage, ==, PRISM_PTYCHOGRAPHY_FAILED);
  g_assert_nonnull (strstr (problem, "stopped before"));
  prism_ptychography_run_free (self->run);
  self->settings.passes = 10000;
  start (self);
  wait_for (self, is_passing);
  prism_ptychography_run_finish (self->run);
  wait_for (self, has_ended);
  found = prism_ptychography_run_ref_finding (self->run);
  g_assert_nonnull (found);
  g_assert_cmpuint (found->pass, <, 10000);
  g_assert_cmpuint (get_status (self).n_passes, ==, found->pass);
}

/* At every moment it can be left alone. */
static void
test_free (Fixture *self,
           gconstpointer data)
{
  start (self);
  prism_ptychography_run_free (self->run);
  start (self);
  prism_ptychography_run_set_paused (self->run, TRUE);
  prism_ptychography_run_free (self->run);
  start (self);
  wait_for (self, is_passing);
}

/* What frames lack is one sentence. */
static void
test_problem (Fixture *self,
              gconstpointer data)
{
  g_autofree char *problem = NULL;

  self->truth->recording->na = NAN;
  start (self);
  wait_for (self, has_ended);
  problem = prism_ptychography_run_dup_problem (self->run);
  g_assert_nonnull (strstr (problem, "NA is needed"));
}

/* A field in tiles: all of them make one object, which is saved as one. */
static void
test_tiles (Fixture *self,
            gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-tiles-XXXXXX", NULL);
  g_autofree char *table = g_build_filename (folder, "tiles.csv", NULL);
  g_autoptr (PrismFinding) finding = NULL;
  g_autoptr (PrismFinding) again = NULL;

  self->settings.tile = 32;
  start (self);
  wait_for (self, has_ended);
  g_assert_cmpint (get_status (self).stage, ==, PRISM_PTYCHOGRAPHY_DONE);
  g_assert_cmpuint (get_status (self).n_tiles, ==, 9);
  g_assert_cmpuint (get_status (self).tile, ==, 9);
  finding = prism_ptychography_run_ref_finding (self->run);
  g_assert_cmpint (finding->side, ==, 32);
  g_assert_cmpint (finding->object_width % MICROSCOPE_SIDE, ==, 0);
  g_assert_cmpint (finding->object_width, ==, finding->object_height);
  prism_ptychography_run_save (self->run, folder);
  wait_for (self, has_saved);
  g_assert_true (g_file_test (table, G_FILE_TEST_EXISTS));
  again = prism_finding_load (folder, NULL);
  g_assert_cmpint (again->object_width, ==, finding->object_width);
  test_remove_tree (folder);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) \
  g_test_add ("/engine/ptychography-run/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("whole", test_whole);
  ADD ("save", test_save);
  ADD ("pause", test_pause);
  ADD ("finish", test_finish);
  ADD ("free", test_free);
  ADD ("problem", test_problem);
  ADD ("tiles", test_tiles);
  return g_test_run ();
}
