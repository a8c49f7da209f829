#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

#define tear_down NULL

/* A camera is played by replay, and followed by watch. */

typedef struct
{
  const char *directory;
  const char *set, *folder, *table, *recipe, *output;
} Fixture;

static void
set_up (Fixture *self,
        gconstpointer data)
{
  self->directory = OWN (test_folder_free, test_folder_new ());
  self->set = in_folder (self->directory, "cells.hdf5");
  self->folder = in_folder (self->directory, "camera");
  self->table = in_folder (self->folder, "leds.csv");
  self->recipe = in_folder (self->folder, "recipe.prism");
  self->output = in_folder (self->directory, "result");
  g_auto (PrismCliResult) result = cli_works ("simulate --set size=32 --set per_side=7 %s",
                                              self->set);
}

/* Begins to write frames, and waits until there is something to follow. */
static GSubprocess *
begin_replay (const Fixture *self,
              const char *rate,
              const char *faults)
{
  GSubprocess *camera = MUST (
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, g_getenv ("PRISM_CLI"), "replay",
                        self->set, self->folder, "--rate", rate, "--faults", faults, NULL));

  for (guint i = 0; i < 1000 && !g_file_test (self->recipe, G_FILE_TEST_EXISTS); i++)
    g_usleep (20000);
  return camera;
}

static void
end (GSubprocess *camera)
{
  g_assert_true (g_subprocess_wait (camera, NULL, NULL));
  g_object_unref (camera);
}

static void
compare_files (const Fixture *self,
               const char *other,
               const char *name)
{
  cli_same (self->output, name, in_folder (self->directory, other), NULL);
}

/* Late, half written and doubled frames change nothing: the result is that of the folder, and that
 * of the set, whose whole numbers TIFF keeps. */
TEST_FIXTURE (same, "/cli/watch/same")
{
  GSubprocess *camera = begin_replay (self, "20", "late,half,doubled");

  g_auto (PrismCliResult) followed
      = cli_run ("watch %s --positions %s --recipe %s --output %s --json",
                 self->folder, self->table, self->recipe, self->output);
  end (camera);
  g_assert_cmpstr (followed.error, ==, "");
  g_assert_cmpint (followed.exit_code, ==, 0);
  g_auto (GStrv) lines = g_strsplit (g_strstrip (followed.output), "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    json_node_unref (cli_parse (lines[i]));
  g_assert_cmpuint (cli_count (followed.output, "\"event\":\"frame\""), ==, 49);
  HAS (followed.output, "\"event\":\"picture\"", "is in no row of", "\"event\":\"result\"");
  g_auto (PrismCliResult) of_folder
      = cli_works ("run --measurements %s --positions %s --recipe %s --output %s",
                   self->folder, self->table, self->recipe, in_folder (self->directory, "folder"));
  compare_files (self, "folder", "object.npy");
  compare_files (self, "folder", "frames.csv");
  g_auto (PrismCliResult) of_set = cli_works ("run --measurements %s --output %s", self->set,
                                              in_folder (self->directory, "set"));
  compare_files (self, "set", "object.npy");
}

/* What never comes is not waited for: the result is that of the others, and its table can be used
 * again, until another result takes its place. A table that is of no result stays. */
TEST_FIXTURE (missing, "/cli/watch/missing")
{
  g_autofree char *table = g_build_filename (self->output, "leds.csv", NULL);
  g_autofree char *other = g_build_filename (self->directory, "again", NULL);
  g_autofree char *others_table = g_build_filename (other, "leds.csv", NULL);
  GSubprocess *camera = begin_replay (self, "100", "missing");

  g_auto (PrismCliResult) followed
      = cli_run ("watch %s --positions %s --recipe %s --output %s --timeout 3",
                 self->folder, self->table, self->recipe, self->output);
  end (camera);
  g_assert_cmpint (followed.exit_code, ==, 0);
  HAS (followed.output, "48 of 49 frames are there; missing are frame_");
  g_auto (PrismCliResult) again = cli_works ("run --measurements %s --positions %s --recipe %s "
                                             "--output %s",
                                             self->folder, table, self->recipe, other);
  compare_files (self, "again", "object.npy");
  g_assert_true (g_file_set_contents (others_table, "mine", -1, NULL));
  g_auto (PrismCliResult) of_set = cli_works ("run --measurements %s --output %s", self->set,
                                              self->output);
  g_auto (PrismCliResult) twice = cli_works ("run --measurements %s --output %s", self->set, other);
  g_assert_false (g_file_test (table, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (others_table, G_FILE_TEST_EXISTS));
}

/* While one writes into a folder nobody else does; the picture of one that was killed is no
 * result, and goes with the next. */
TEST_FIXTURE (killed, "/cli/watch/killed")
{
  g_autofree char *picture = g_build_filename (self->output, "amplitude-now.png", NULL);
  GSubprocess *camera = begin_replay (self, "10", "missing");
  g_autoptr (GSubprocess) watch = MUST (g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, g_getenv ("PRISM_CLI"), "watch", self->folder,
      "--positions", self->table, "--recipe", self->recipe, "--output", self->output, NULL));

  for (guint i = 0; i < 1000 && !g_file_test (picture, G_FILE_TEST_EXISTS); i++)
    g_usleep (20000);
  cli_refuses (3, "Another program computes in", "run --measurements %s --output %s", self->set,
               self->output);
  g_subprocess_force_exit (watch);
  g_subprocess_wait (watch, NULL, NULL);
  end (camera);
  g_assert_true (g_file_test (picture, G_FILE_TEST_EXISTS));
  g_auto (PrismCliResult) third = cli_works ("watch %s --positions %s --recipe %s --output %s "
                                             "--timeout 1",
                                             self->folder, self->table, self->recipe, self->output);
  g_assert_false (g_file_test (picture, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (in_folder (self->output, "object.npy"), G_FILE_TEST_EXISTS));
}

/* A folder that goes away ends it with what there is. */
TEST_FIXTURE (gone, "/cli/watch/gone")
{
  g_autofree char *picture = g_build_filename (self->output, "amplitude-now.png", NULL);
  g_autofree char *text = NULL;
  GSubprocess *camera = begin_replay (self, "20", "missing");
  g_autoptr (GSubprocess) watch = MUST (g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, g_getenv ("PRISM_CLI"), "watch", self->folder,
      "--positions", self->table, "--recipe", self->recipe, "--output", self->output, NULL));

  end (camera);
  for (guint i = 0; i < 1000 && !g_file_test (picture, G_FILE_TEST_EXISTS); i++)
    g_usleep (20000);
  test_remove_tree (self->folder);
  g_assert_true (g_subprocess_communicate_utf8 (watch, NULL, NULL, &text, NULL, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (watch), ==, 0);
  HAS (text, "The folder is not there any more.");
  g_assert_true (g_file_test (in_folder (self->output, "object.npy"), G_FILE_TEST_EXISTS));
}

TEST_FIXTURE (refused, "/cli/watch/refused")
{
  cli_refuses (2, "--positions leds.csv", "watch %s", self->directory);
  cli_refuses (2, "There is no fault “burnt”", "replay %s %s --faults burnt", self->set,
               self->folder);
  cli_refuses (2, "is there already", "replay %s %s", self->set, self->directory);
  g_assert_cmpint (g_mkdir (self->output, 0777), ==, 0);
  g_assert_true (g_file_set_contents (in_folder (self->output, "amplitude.png"), "mine", -1, NULL));
  cli_refuses (3, "amplitude.png” is of no result", "watch %s --positions %s --output %s",
               self->directory, self->set, self->output);
}
