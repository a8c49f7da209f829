#include "config.h"

#include "base/prism-error.h"
#include "results/prism-comparison.h"
#include "results/prism-export.h"
#include "run/prism-engine.h"
#include "../support/test-remove-tree.h"
#include "../support/test-run-parts.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* Frames that come from memory instead of a simulated telescope: n = 64, m = 16, N = 8. */

#define PATIENCE 60000 /* ms: a wait as long as this is a failure */
#define N_PIXELS (16 * 16)

static PrismConfig *
make_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = 8.0;
  config->samples = 8;
  config->steps = 6;
  config->start_steps = 6;
  config->polish = 6;
  config->threads = 1;
  config->backend = PRISM_BACKEND_CPU;
  return config;
}

/* What the camera of a simulated run has recorded, with its noise. (transfer full) */
static GPtrArray *
record (const PrismConfig *config,
        PrismPattern **pattern,
        PrismImage **object)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_image_unref);
  Run run;

  run_prepare (&run, prism_config_dup (config), NULL, prism_registry_get_ops ("cpu"));
  run_measure (&run);
  for (guint i = 0; i < run.pattern->n_points; i++)
    g_ptr_array_add (frames, prism_measurements_dup_image (run.measurements, i, NULL));
  *pattern = prism_pattern_ref (run.pattern);
  *object = prism_image_ref (run.object);
  run_close (&run);
  return frames;
}

static PrismScene *
make_scene (const PrismConfig *config,
            gboolean with_target)
{
  g_autoptr (PrismPattern) pattern = NULL;
  g_autoptr (PrismImage) object = NULL;
  g_autoptr (GPtrArray) frames = record (config, &pattern, &object);
  g_autoptr (GError) error = NULL;
  PrismScene *scene = prism_scene_new_recorded ((PrismImage **) frames->pdata, pattern,
                                                with_target ? object : NULL, &error);

  g_assert_no_error (error);
  return scene;
}

/* scene: (nullable): instead of the telescope. */
static PrismSnapshot *
run_to_end (const PrismConfig *config,
            PrismScene *scene)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, &error);

  g_assert_no_error (error);
  if (scene != NULL)
    g_assert_true (prism_engine_configure_scene (engine, config, scene, &error));
  else
    g_assert_true (prism_engine_configure (engine, config, &error));
  g_assert_no_error (error);
  prism_engine_run (engine);
  for (;;)
    {
      PrismSnapshot *snapshot = prism_engine_wait (engine, PATIENCE);

      g_assert_nonnull (snapshot);
      if (snapshot->state == PRISM_STATE_FINISHED)
        return snapshot;
      g_assert_cmpint (snapshot->state, !=, PRISM_STATE_FAILED);
      prism_snapshot_unref (snapshot);
    }
}

static void
check_same_run (const PrismConfig *config)
{
  g_autoptr (PrismScene) scene = make_scene (config, TRUE);
  g_autoptr (PrismSnapshot) expected = run_to_end (config, NULL);
  g_autoptr (PrismSnapshot) snapshot = run_to_end (config, scene);

  g_assert_cmpmem (snapshot->reconstruction->pixels, N_PIXELS * sizeof (float),
                   expected->reconstruction->pixels, N_PIXELS * sizeof (float));
  g_assert_cmpfloat (snapshot->metrics.psnr, ==, expected->metrics.psnr);
  g_assert_cmpfloat (snapshot->misfit, ==, expected->misfit);
}

/* Frames of a telescope make the picture that the telescope makes, to the bit. */
static void
test_same_bits (void)
{
  static const char *const settings[][2] = {
    { "snr", "0" },
    { "snr", "20" },
    { "read_snr", "30" },
    { "order", "energy" },
    { "method", "epie" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autoptr (PrismConfig) config = make_config ();

      g_test_message ("%s=%s", settings[i][0], settings[i][1]);
      prism_config_set_text (config, settings[i][0], settings[i][1], NULL);
      check_same_run (config);
    }
}

/* Nobody knows the object: the picture is the same, and nothing is said about its quality. */
static void
test_without_target (void)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismScene) scene = make_scene (config, FALSE);
  g_autoptr (PrismSnapshot) expected = run_to_end (config, NULL);
  g_autoptr (PrismSnapshot) snapshot = run_to_end (config, scene);

  g_assert_cmpmem (snapshot->reconstruction->pixels, N_PIXELS * sizeof (float),
                   expected->reconstruction->pixels, N_PIXELS * sizeof (float));
  g_assert_cmpfloat (snapshot->misfit, ==, expected->misfit);
  g_assert_null (snapshot->target);
  g_assert_null (snapshot->spectrum);
  g_assert_true (isnan (snapshot->metrics.psnr));
  g_assert_true (isnan (snapshot->metrics.ssim));
  g_assert_true (isnan (snapshot->metrics.rmse));
  for (guint64 i = 0; i < snapshot->n_rows; i++)
    {
      PrismHistoryRow row = prism_history_get_row (snapshot->history, i);

      g_assert_true (isnan (row.metrics.psnr) && isnan (row.metrics.ssim));
    }
  for (guint i = 0; i < snapshot->frames->n_moments; i++)
    g_assert_true (isnan (snapshot->frames->moments[i]->metrics.psnr));
}

static const char *
find_text (char **text,
           const char *key)
{
  for (guint i = 0; text[i] != NULL; i += 2)
    if (strcmp (text[i], key) == 0)
      return text[i + 1];
  return NULL;
}

/* A picture says that its quality is unknown, and does not name the object of the settings. */
static void
test_picture_text (void)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismScene) scene = make_scene (config, FALSE);
  g_autoptr (PrismSnapshot) snapshot = run_to_end (config, scene);
  g_auto (GStrv) text = prism_export_dup_png_text (snapshot);

  g_assert_cmpstr (find_text (text, "Title"), ==, "PRISM reconstruction of recorded frames");
  g_assert_cmpstr (find_text (text, "PSNR"), ==, "unknown: no target");
  g_assert_cmpstr (find_text (text, "SSIM"), ==, "unknown: no target");
}

/* Beside a run whose object is known: a column for both, and a word instead of nothing. */
static void
test_comparison (void)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismScene) scene = make_scene (config, FALSE);
  g_autoptr (PrismSnapshot) unknown = run_to_end (config, scene);
  g_autoptr (PrismSnapshot) known = run_to_end (config, NULL);
  g_autoptr (PrismResult) first = prism_result_new ("a", unknown);
  g_autoptr (PrismResult) second = prism_result_new ("b", known);
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  guint n_gaps = 0;

  prism_comparison_add (comparison, first);
  prism_comparison_add (comparison, second);
  for (guint i = 0; i < comparison->columns->len; i++)
    {
      const PrismComparisonColumn *column = prism_comparison_get_column (comparison, i);
      g_autofree char *shown = prism_comparison_dup_shown_text (column, first);
      g_autofree char *other = prism_comparison_dup_shown_text (column, second);

      g_assert_cmpstr (other, !=, "No target");
      g_assert_cmpstr (shown, !=, "");
      n_gaps += strcmp (shown, "No target") == 0;
    }
  /* The metrics, and how far both agree. */
  g_assert_cmpuint (n_gaps, ==, PRISM_N_METRICS + 1);
}

static void
check_value (const char *path,
             const char *query,
             const char *expected)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (JsonNode) found = NULL;
  g_autofree char *text = NULL;

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  found = json_path_query (query, json_parser_get_root (parser), NULL);
  text = json_to_string (found, FALSE);
  g_test_message ("%s: %s", query, text);
  g_assert_cmpstr (text, ==, expected);
}

static void
check_null (const char *path,
            const char *query)
{
  check_value (path, query, "[null]");
}

/* What needs the object is left out of the files, or says that there is no value. */
static void
test_export_without_target (void)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismScene) scene = make_scene (config, FALSE);
  g_autoptr (PrismSnapshot) snapshot = run_to_end (config, scene);
  g_autofree char *directory = g_dir_make_tmp ("prism-scene-XXXXXX", NULL);
  g_autofree char *summary = g_build_filename (directory, "summary.json", NULL);
  g_autofree char *target = g_build_filename (directory, "target.npy", NULL);
  g_autoptr (GError) error = NULL;

  prism_export_save_all (snapshot, directory, &error);
  g_assert_no_error (error);
  check_value (summary, "$.frames", "[\"recorded\"]");
  check_value (summary, "$.target", "[\"unknown\"]");
  check_null (summary, "$.final.psnr");
  check_null (summary, "$.final.ssim");
  check_null (summary, "$.final.rmse");
  g_assert_false (g_file_test (target, G_FILE_TEST_EXISTS));
  test_remove_tree (directory);
}

static void
check_refused (float value,
               int side,
               const char *sentence)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPattern) pattern = NULL;
  g_autoptr (PrismImage) object = NULL;
  g_autoptr (GPtrArray) frames = record (config, &pattern, &object);
  g_autoptr (PrismImage) bad = prism_image_new (side, 64, NULL);
  g_autoptr (PrismScene) scene = NULL;
  g_autoptr (GError) error = NULL;

  bad->pixels[64 * 3 + 5] = value;
  prism_image_unref (g_steal_pointer (&frames->pdata[2]));
  frames->pdata[2] = g_steal_pointer (&bad);
  scene = prism_scene_new_recorded ((PrismImage **) frames->pdata, pattern, object, &error);
  g_assert_null (scene);
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, sentence));
}

static void
test_bad_frames (void)
{
  check_refused (-1.0f, 64, "Frame 3 has the amplitude -1 at row 3, column 5");
  check_refused (NAN, 64, "Frame 3 has the amplitude nan at row 3, column 5");
  check_refused (1.0f, 32, "Frame 3 has 32 × 64 px, the first one 64 × 64");
}

static void
test_other_sizes (void)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismScene) scene = make_scene (config, TRUE);
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, NULL);
  g_autoptr (GError) frames = NULL;
  g_autoptr (GError) object = NULL;

  config->image_size = 128;
  g_assert_false (prism_engine_configure_scene (engine, config, scene, &frames));
  g_assert_error (frames, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_assert_nonnull (strstr (frames->message, "set image_size=64"));
  config->image_size = 64;
  config->object_size = 32;
  g_assert_false (prism_engine_configure_scene (engine, config, scene, &object));
  g_assert_error (object, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_assert_nonnull (strstr (object->message, "set object_size=16"));
}

/* A file that could not go on is not begun. */
static void
test_no_run_file (void)
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismScene) scene = make_scene (config, TRUE);
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, NULL);
  g_autofree char *directory = g_dir_make_tmp ("prism-scene-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "a.prismrun", NULL);
  g_autoptr (PrismSnapshot) snapshot = NULL;

  g_assert_true (prism_engine_configure_scene (engine, config, scene, NULL));
  prism_engine_set_run_file (engine, path);
  prism_engine_run (engine);
  do
    {
      g_clear_pointer (&snapshot, prism_snapshot_unref);
      snapshot = prism_engine_wait (engine, PATIENCE);
      g_assert_nonnull (snapshot);
    }
  while (snapshot->state != PRISM_STATE_FAILED);
  g_assert_nonnull (strstr (snapshot->message, "recorded frames"));
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/scene/same-bits", test_same_bits);
  g_test_add_func ("/engine/scene/without-target", test_without_target);
  g_test_add_func ("/engine/scene/export-without-target", test_export_without_target);
  g_test_add_func ("/engine/scene/picture-text", test_picture_text);
  g_test_add_func ("/engine/scene/comparison", test_comparison);
  g_test_add_func ("/engine/scene/bad-frames", test_bad_frames);
  g_test_add_func ("/engine/scene/other-sizes", test_other_sizes);
  g_test_add_func ("/engine/scene/no-run-file", test_no_run_file);
  return g_test_run ();
}
