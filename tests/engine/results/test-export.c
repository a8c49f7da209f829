#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "formats/prism-fields-readers.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"
#include "results/prism-export.h"

#include <locale.h>
#include <sys/resource.h>

#define tear_down NULL

typedef struct
{
  const char *directory;
  const char *output; /* a directory with an odd name in it, missing at first */
  PrismSnapshot *snapshot;
} Fixture;

static PrismSnapshot *
new_snapshot (void)
{
  const float pixels[4] = { 0.0f, 0.25f, 0.5f, 1.0f };
  const PrismPoint points[2] = { { 0.0, 0.0 }, { -3.5, 7.25 } };
  const PrismHistoryRow row = { .step = 1, .sample_step = 1, .loss_new = 0.5, .metrics.psnr = NAN };
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->state = PRISM_STATE_FINISHED;
  snapshot->config = prism_config_new ();
  snapshot->step = 1234;
  snapshot->metrics = (PrismMetrics) { { 31.25, 0.875, NAN } };
  snapshot->backend = "cpu";
  snapshot->device = g_strdup ("CPU, 2 threads");
  snapshot->counters.n_steps = 42;
  snapshot->counters.bytes_to_host[PRISM_TRANSFER_FRAME] = 1024;
  snapshot->reconstruction = prism_image_new_copy (2, 2, pixels, NULL);
  snapshot->target = prism_image_ref (snapshot->reconstruction);
  snapshot->measurement = prism_image_ref (snapshot->reconstruction);
  snapshot->coverage_plane = prism_image_ref (snapshot->reconstruction);
  snapshot->pattern = prism_pattern_new_points (points, 2);
  snapshot->history = prism_history_new ();
  g_assert_true (prism_history_append (snapshot->history, &row));
  snapshot->n_rows = 1;
  return snapshot;
}

SET_UP
{
  self->directory = OWN (test_folder_free, test_folder_new ());
  self->output = in_folder (self->directory, "new", "a %s\n\xff");
  self->snapshot = OWN (prism_snapshot_unref, new_snapshot ());
}

TEST_FIXTURE (directory_is_made_and_left_empty, "/engine/export/directory-is-made-and-left-empty")
{
  g_autoptr (GError) error = NULL;

  g_assert_true (MUST (prism_directory_check (self->output, &error)));
  g_autoptr (GDir) directory = MUST (g_dir_open (self->output, 0, &error));
  g_assert_null (g_dir_read_name (directory));
  g_assert_true (prism_directory_check (self->output, &error));
}

static void
check_directory_error (const char *directory)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (prism_directory_check (directory, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_true (g_str_has_prefix (error->message, "“"));
  g_assert_true (g_str_has_suffix (error->message, "."));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_null (strchr (error->message, '\n'));
}

/* What somebody put under the names of results: their targets stay, and a pipe blocks nobody. */
TEST_FIXTURE (planted_names, "/engine/export/planted-names")
{
  static const char *const names[] = { "summary.json", "reconstruction.png", "metrics.csv",
                                       "target.npy" };
  g_autofree char *target = g_build_filename (self->directory, "mine", NULL);
  const char *pipe = in_folder (self->output, "centers.npy");

  g_assert_true (g_file_set_contents (target, "mine", -1, NULL));
  g_assert_true (prism_directory_check (self->output, NULL));
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *path = in_folder (self->output, names[i]);

      g_assert_cmpint (symlink (target, path), ==, 0);
    }
  MUST (prism_export_save (self->snapshot, self->output, FALSE, &error));
  SAYS (file_text (target), "mine");
  g_assert_true (g_file_test (pipe, G_FILE_TEST_IS_REGULAR));
}

TEST_FIXTURE (bad_directories, "/engine/export/bad-directories")
{
  const char *file = in_folder (self->directory, "file\n");

  g_assert_true (prism_file_save (file, "x", 1, NULL));
  check_directory_error (file);
  check_directory_error (in_folder (file, "directory"));
  check_directory_error ("");
  check_directory_error ("/proc/prism");
  check_directory_error ("/proc/self");
}

/* A limit on the size of files stops the probe half-way, as a full disk does. */
TEST_FIXTURE (full_disk, "/engine/export/full-disk")
{
  struct rlimit old_limit;

  prism_process_init ();
  getrlimit (RLIMIT_FSIZE, &old_limit);
  struct rlimit limit = old_limit;
  limit.rlim_cur = 1000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  check_directory_error (self->directory);
  setrlimit (RLIMIT_FSIZE, &old_limit);
}

static void
check_array (Fixture *fixture, const char *name, gsize height, gsize width, const float *values)
{
  const char *path = in_folder (fixture->output, name);
  g_autoptr (PrismFields) file = MUST (prism_fields_load_npy (path, &error));
  const PrismField *npy = g_ptr_array_index (file->fields, 0);

  g_assert_cmpint (npy->n_dims, ==, 2);
  g_assert_cmpuint (npy->shape[0], ==, height);
  g_assert_cmpuint (npy->shape[1], ==, width);
  for (gsize i = 0; i < height * width; i++)
    g_assert_cmpfloat (npy->values[i], ==, values[i]);
}

static void
check_files (Fixture *fixture)
{
  const float pixels[4] = { 0.0f, 0.25f, 0.5f, 1.0f };
  const float centers[4] = { 0.0f, 0.0f, -3.5f, 7.25f };
  const char *picture_path = in_folder (fixture->output, "reconstruction.png");
  const char *metrics_path = in_folder (fixture->output, "metrics.csv");
  const char *frc_path = in_folder (fixture->output, "frc.csv");
  g_autoptr (PrismImage) picture = MUST (prism_image_load (picture_path, &error));

  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat_with_epsilon (picture->pixels[i], pixels[i], 0.51 / 255.0);
  check_array (fixture, "reconstruction.npy", 2, 2, pixels);
  check_array (fixture, "target.npy", 2, 2, pixels);
  check_array (fixture, "measurement.npy", 2, 2, pixels);
  check_array (fixture, "coverage.npy", 2, 2, pixels);
  check_array (fixture, "centers.npy", 2, 2, centers);
  g_autofree char *metrics = file_text (metrics_path);
  g_assert_true (g_str_has_prefix (metrics, "step,sample,sample_step,loss_new,"));
  /* The reconstruction is the target, and ring 0 is covered. */
  SAYS (file_text (frc_path),
        "radius,correlation,covered,half_bit\n0,1,1,0.699193839\n"
        "1,1,0.666666667,0.699193839\n");
}

static JsonObject *
load_summary (Fixture *fixture, JsonParser *parser)
{
  const char *path = in_folder (fixture->output, "summary.json");

  g_assert_true (MUST (json_parser_load_from_file (parser, path, &error)));
  return json_node_get_object (json_parser_get_root (parser));
}

TEST_FIXTURE (all_files, "/engine/export/all-files")
{
  for (int i = 0; i < 2; i++)
    {
      g_assert_true (MUST (prism_export_save (self->snapshot, self->output, FALSE, &error)));
      check_files (self);
    }
}

/* A folder does not mix two results: what a run has not goes. */
TEST_FIXTURE (older_files, "/engine/export/older-files")
{
  const char *decoder = in_folder (self->output, "decoder.npz");
  const char *correlation = in_folder (self->output, "frc.csv");
  const char *measurement = in_folder (self->output, "measurement.npy");
  g_autoptr (GError) error = NULL;

  g_assert_false (prism_exchange_has_result (self->output));
  g_assert_true (prism_export_save (self->snapshot, self->output, FALSE, &error));
  g_assert_true (prism_exchange_has_result (self->output));
  g_assert_true (g_file_set_contents (decoder, "older", -1, NULL));
  g_assert_true (prism_export_save (self->snapshot, self->output, FALSE, &error));
  g_assert_false (g_file_test (decoder, G_FILE_TEST_EXISTS));

  g_assert_true (g_file_set_contents (decoder, "older", -1, NULL));
  self->snapshot->phase = PRISM_PHASE_DONE;
  g_clear_pointer (&self->snapshot->target, prism_image_unref);
  g_clear_pointer (&self->snapshot->measurement, prism_image_unref);
  g_assert_true (MUST (prism_export_save (self->snapshot, self->output, FALSE, &error)));
  g_assert_false (g_file_test (decoder, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (correlation, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (measurement, G_FILE_TEST_EXISTS));

  g_assert_cmpint (g_mkdir_with_parents (correlation, 0700), ==, 0);
  FAILS (prism_export_check_directory (self->output, TRUE, &error), IO, "is a directory");
}

/* Files that a result has the names of are the user's own where there is no result, and a
 * directory of many runs takes no single one. */
TEST_FIXTURE (strangers, "/engine/export/strangers")
{
  g_autoptr (GError) error = NULL;
  g_autofree char *mine = g_build_filename (self->output, "target.npy", NULL);
  g_autofree char *theirs = g_build_filename (self->output, "summary.json", NULL);
  g_autofree char *plan = g_build_filename (self->output, "sweep.conf", NULL);

  g_assert_cmpint (g_mkdir_with_parents (self->output, 0777), ==, 0);
  g_assert_true (g_file_set_contents (mine, "mine", -1, NULL));
  FAILS (prism_export_check_directory (self->output, FALSE, &error), IO, "move that file");
  g_assert_true (g_file_set_contents (theirs, "{\"total\": 3}", -1, NULL));
  FAILS (prism_export_check_directory (self->output, FALSE, &error), IO, "move that file");
  g_assert_true (prism_export_check_directory (self->output, TRUE, &error));
  SAYS (file_text (mine), "mine");
  g_assert_cmpint (g_unlink (mine), ==, 0);
  FAILS (prism_export_check_directory (self->output, FALSE, &error), IO, "summary.json");
  g_assert_cmpint (g_unlink (theirs), ==, 0);
  g_assert_true (prism_export_check_directory (self->output, FALSE, &error));
  g_assert_true (g_file_set_contents (plan, "[sweep]\n", -1, NULL));
  FAILS (prism_export_check_directory (self->output, TRUE, &error), IO, "has many runs");
  g_assert_cmpint (g_unlink (plan), ==, 0);
}

/* A finished run that lacks an image did not go well; the older result stays as it is. */
TEST_FIXTURE (incomplete, "/engine/export/incomplete")
{
  const char *correlation = in_folder (self->output, "frc.csv");
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_export_save (self->snapshot, self->output, FALSE, &error));
  self->snapshot->phase = PRISM_PHASE_DONE;
  g_clear_pointer (&self->snapshot->coverage_plane, prism_image_unref);
  FAILS (prism_export_save (self->snapshot, self->output, FALSE, &error), MEMORY, "coverage");
  g_assert_true (g_file_test (correlation, G_FILE_TEST_EXISTS));
}

/* Which samples converged, by the numbers of metrics.csv. */
TEST_FIXTURE (convergence, "/engine/export/convergence")
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  const guint8 states[] = { PRISM_SAMPLE_CONVERGED, PRISM_SAMPLE_FAILED, PRISM_SAMPLE_RESCUED,
                            PRISM_SAMPLE_FAILED };

  self->snapshot->n_samples = G_N_ELEMENTS (states);
  self->snapshot->sample_states = g_memdup2 (states, sizeof states);
  g_assert_true (MUST (prism_export_save (self->snapshot, self->output, FALSE, &error)));
  JsonObject *convergence
      = json_object_get_object_member (load_summary (self, parser), "convergence");
  JsonArray *failed = json_object_get_array_member (convergence, "failed");
  g_assert_cmpuint (json_array_get_length (failed), ==, 2);
  g_assert_cmpint (json_array_get_int_element (failed, 0), ==, 1);
  g_assert_cmpint (json_array_get_int_element (failed, 1), ==, 3);
  g_assert_cmpint (json_array_get_int_element (
                       json_object_get_array_member (convergence, "rescued"), 0),
                   ==, 2);
}

TEST_FIXTURE (summary, "/engine/export/summary")
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  self->snapshot->config->snr = 12.5;
  g_free (self->snapshot->config->object);
  self->snapshot->config->object = g_strdup ("a \"\\\n\xff");
  g_assert_true (prism_export_save (self->snapshot, self->output, FALSE, &error));
  JsonObject *summary = load_summary (self, parser);
  JsonObject *final = json_object_get_object_member (summary, "final");
  g_assert_cmpfloat (json_object_get_double_member (final, "psnr"), ==, 31.25);
  g_assert_cmpfloat (json_object_get_double_member (final, "ssim"), ==, 0.875);
  g_assert_true (json_object_get_null_member (final, "rmse"));
  g_assert_cmpint (json_object_get_int_member (summary, "steps"), ==, 1234);
  g_assert_cmpstr (json_object_get_string_member (summary, "state"), ==, "finished");
  g_assert_cmpstr (json_object_get_string_member (summary, "backend"), ==, "cpu");
  g_assert_true (json_object_get_null_member (summary, "message"));
  JsonObject *versions = json_object_get_object_member (summary, "versions");
  g_assert_true (json_object_has_member (versions, "GLib"));

  JsonObject *configuration = json_object_get_object_member (summary, "configuration");
  g_assert_cmpuint (json_object_get_size (configuration), >, 50);
  g_assert_false (json_object_has_member (configuration, "hold_out"));
  g_assert_cmpfloat (json_object_get_double_member (configuration, "snr"), ==, 12.5);
  g_assert_cmpint (json_object_get_int_member (configuration, "image_size"), ==, 512);
  g_assert_cmpstr (json_object_get_string_member (configuration, "memory"), ==, "replay");
  g_assert_false (json_object_get_boolean_member (configuration, "amp"));
}

TEST_FIXTURE (empty_snapshot, "/engine/export/empty-snapshot")
{
  g_autoptr (PrismSnapshot) empty = prism_snapshot_new ();
  g_autoptr (JsonParser) parser = json_parser_new ();
  const char *picture = in_folder (self->output, "reconstruction.png");

  g_assert_true (MUST (prism_export_save (empty, self->output, FALSE, &error)));
  g_assert_false (g_file_test (picture, G_FILE_TEST_EXISTS));
  JsonObject *summary = load_summary (self, parser);
  g_assert_true (json_object_get_null_member (summary, "backend"));
  JsonObject *final = json_object_get_object_member (summary, "final");
  g_assert_true (json_object_get_null_member (final, "psnr"));
}

static const char *
get_text (char **text, const char *key)
{
  for (int i = 0; text[i] != NULL; i += 2)
    if (g_str_equal (text[i], key))
      return text[i + 1];
  return NULL;
}

TEST_FIXTURE (png_text, "/engine/export/png-text")
{
  g_auto (GStrv) text = prism_export_dup_png_text (self->snapshot);
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  g_assert_cmpstr (get_text (text, "Software"), ==, "PRISM Studio " PRISM_VERSION);
  g_assert_cmpstr (get_text (text, "Title"), ==, "PRISM reconstruction of moon");
  g_assert_cmpstr (get_text (text, "step"), ==, "1234");
  g_assert_cmpstr (get_text (text, "PSNR"), ==, "31.250");
  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *value = prism_config_dup_text (self->snapshot->config, &params[i]);
      g_assert_cmpstr (get_text (text, params[i].key), ==,
                       prism_param_is_of (&params[i], PRISM_FRAMES_OF_TELESCOPE) ? value : NULL);
      g_assert_cmpuint (strlen (params[i].key), <, 80);
    }
  g_assert_null (get_text (text, "hold_out"));
}

/* A directory in the place of one file makes exactly that file fail. */
TEST_FIXTURE (failure_is_told, "/engine/export/failure-is-told")
{
  const char *path = in_folder (self->output, "metrics.csv");
  const char *summary = in_folder (self->output, "summary.json");

  g_assert_cmpint (g_mkdir_with_parents (path, 0777), ==, 0);
  FAILS (prism_export_save (self->snapshot, self->output, FALSE, &error), IO, "metrics.csv");
  g_assert_false (g_file_test (summary, G_FILE_TEST_EXISTS));
}

/* Files are the same wherever the decimal sign is a comma. */
TEST_FIXTURE (locale, "/engine/export/locale")
{
  const char *path = in_folder (self->output, "summary.json");

  g_assert_true (prism_export_save (self->snapshot, self->output, FALSE, NULL));
  g_autofree char *before = file_text (path);
  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL
      && setlocale (LC_NUMERIC, "fr_FR.UTF-8") == NULL)
    {
      g_test_skip ("no locale with a decimal comma is installed");
      return;
    }
  g_assert_true (prism_export_save (self->snapshot, self->output, FALSE, NULL));
  setlocale (LC_NUMERIC, "C");
  g_autofree char *after = file_text (path);
  g_assert_cmpstr (before, ==, after);
}
