#include "model/prism-config-check.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"
#include "results/prism-comparison.h"
#include "results/prism-export.h"

#include <locale.h>

static PrismSnapshot *
new_snapshot (double psnr, int samples)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->state = PRISM_STATE_FINISHED;
  snapshot->config = prism_config_new ();
  snapshot->config->samples = samples;
  snapshot->metrics = (PrismMetrics) { { psnr, 0.5, 12.25 } };
  snapshot->coverage = 0.75;
  snapshot->seconds = 1.5;
  snapshot->step = 40;
  snapshot->device = g_strdup ("CPU, 2 threads");
  snapshot->history = prism_history_new ();
  for (guint64 step = 1; step <= 3; step++)
    {
      const PrismHistoryRow row = { .step = step, .loss_new = 1.0 / step, .metrics.psnr = NAN };
      g_assert_true (prism_history_append (snapshot->history, &row));
    }
  snapshot->n_rows = 2;
  return snapshot;
}

/* Returns: (transfer none): what is compared */
static const PrismResult *
add (PrismComparison *comparison, const char *name, PrismSnapshot *snapshot)
{
  g_autoptr (PrismResult) result = prism_result_new (name, snapshot);

  prism_comparison_add (comparison, result);
  return prism_comparison_get_result (comparison, comparison->results->len - 1);
}

static PrismComparison *
new_comparison (void)
{
  PrismComparison *comparison = prism_comparison_new ();
  g_autoptr (PrismSnapshot) a = new_snapshot (30.125, 10), b = new_snapshot (NAN, 12);

  add (comparison, "first, with a comma", a);
  add (comparison, "second “\"”", b);
  return comparison;
}

static const PrismComparisonColumn *
find_column (const PrismComparison *comparison, const char *id)
{
  for (guint i = 0; i < comparison->columns->len; i++)
    if (strcmp (prism_comparison_get_column (comparison, i)->id, id) == 0)
      return prism_comparison_get_column (comparison, i);
  return NULL;
}

TEST (columns_are_what_is_known_and_what_differs, "/engine/comparison/columns")
{
  g_autoptr (PrismComparison) comparison = new_comparison ();
  const PrismComparisonColumn *samples = find_column (comparison, "samples");
  const PrismComparisonColumn *psnr = find_column (comparison, "psnr");

  g_assert_nonnull (samples);
  g_assert_nonnull (samples->param);
  g_assert_null (find_column (comparison, "steps_per_sample"));
  g_assert_null (find_column (comparison, "seed"));
  g_assert_null (find_column (comparison, "misfit"));
  g_assert_null (find_column (comparison, "finest"));
  g_assert_cmpfloat (
      prism_comparison_get_number (samples, prism_comparison_get_result (comparison, 1)), ==, 12);
  SAYS (prism_comparison_dup_text (psnr, prism_comparison_get_result (comparison, 0)), "30.12");
  SAYS (prism_comparison_dup_text (psnr, prism_comparison_get_result (comparison, 1)), "");
}

/* What has no effect on a run is no value of it: a moon has no diameter of points, and a run whose
 * decoder was not trained no passes over the samples. */
TEST (idle_settings_have_no_column, "/engine/comparison/idle")
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (PrismSnapshot) snapshot = new_snapshot (30, 10);

      prism_config_set_text (snapshot->config, "object", i == 0 ? "moon" : "points", NULL);
      snapshot->config->point_diameter += i;
      snapshot->config->passes += i;
      snapshot->training = PRISM_TRAINING_SPARED;
      add (comparison, "run", snapshot);
    }
  g_assert_nonnull (find_column (comparison, "object"));
  g_assert_null (find_column (comparison, "point_diameter"));
  g_assert_null (find_column (comparison, "passes"));
}

TEST (verdict_is_told, "/engine/comparison/verdict")
{
  static const char *const words[PRISM_N_VERDICTS]
      = { "not known", "fits the measurements", "does not fit the measurements", "ambiguous",
          "fits as far as the measurements say", "still improving: run more passes" };
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();

  for (int kind = 0; kind < PRISM_N_VERDICTS; kind++)
    {
      g_autoptr (PrismSnapshot) snapshot = new_snapshot (30.0, 10);

      snapshot->verdict = (PrismVerdict) { .kind = kind, .misfit = 3, .expected = 2 };
      add (comparison, words[kind], snapshot);
    }
  const PrismComparisonColumn *column = find_column (comparison, "verdict");
  g_assert_nonnull (column);
  for (int kind = 0; kind < PRISM_N_VERDICTS; kind++)
    {
      const PrismResult *result = prism_comparison_get_result (comparison, kind);
      g_autofree char *remark = prism_comparison_dup_remark (column, result);

      SAYS (prism_comparison_dup_text (column, result), words[kind]);
      g_assert_true ((remark != NULL) == (kind != PRISM_VERDICT_OPEN));
      if (kind == PRISM_VERDICT_UNEXPLAINED)
        HAS (remark, "1.500 times");
    }
}

/* People read a word where 0 means that there is none; files keep the number. */
TEST (none_is_a_word, "/engine/comparison/none")
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismSnapshot) a = new_snapshot (30.0, 10), b = new_snapshot (31.0, 10);

  b->config->snr = 20;
  const PrismResult *first = add (comparison, "clean", a), *second = add (comparison, "noisy", b);
  const PrismComparisonColumn *snr = find_column (comparison, "snr");
  g_assert_nonnull (snr);
  SAYS (prism_comparison_dup_shown_text (snr, first), "No noise");
  SAYS (prism_comparison_dup_text (snr, first), "0");
  SAYS (prism_comparison_dup_shown_text (snr, second), "20");
}

/* People read the words of the window: of a choice, of an object, and of what made the picture. */
TEST (choices_are_words, "/engine/comparison/words")
{
  static const struct
  {
    const char *id, *shown;
    const char *file;
  } cells[] = { { "pattern", "Star of lines", "star" },
                { "object", "Siemens star", "siemens" },
                { "misfit", "8.18×10⁻⁴", "0.000818" },
                { "method", "computed from the measurements alone, no neural network", "PRISM" } };
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismSnapshot) a = new_snapshot (30, 10), b = new_snapshot (30, 10);

  g_assert_true (prism_config_set_text (a->config, "pattern", "star", NULL));
  g_assert_true (prism_config_set_text (a->config, "object", "siemens", NULL));
  a->training = PRISM_TRAINING_SPARED;
  a->misfit = 8.18e-4;
  const PrismResult *first = add (comparison, "a", a);
  add (comparison, "b", b);
  for (gsize i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      const PrismComparisonColumn *column = find_column (comparison, cells[i].id);
      g_autofree char *shown = prism_comparison_dup_shown_text (column, first);
      g_autofree char *file = prism_comparison_dup_text (column, first);

      g_assert_cmpstr (shown, ==, cells[i].shown);
      g_assert_cmpstr (file, ==, cells[i].file);
    }
}

TEST (csv_quotes_and_is_exact, "/engine/comparison/csv")
{
  g_autoptr (PrismComparison) comparison = new_comparison ();
  g_autofree char *csv = prism_comparison_dup_csv (comparison);
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);

  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  g_assert_true (g_str_has_prefix (lines[0], "name,method,state,psnr,ssim,rmse,"));
  g_assert_true (g_str_has_suffix (lines[0], ",samples"));
  g_assert_true (
      g_str_has_prefix (lines[1], "\"first, with a comma\",PRISM,finished,30.125,0.5,12.25,"));
  g_assert_true (g_str_has_prefix (lines[2], "\"second “\"\"”\",PRISM,finished,,0.5,12.25,"));
  HAS (lines[2], "\"CPU, 2 threads\",12");
}

TEST (csv_has_no_formulas, "/engine/comparison/csv/formulas")
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (1, 17);

  add (comparison, "=1+1", snapshot);
  g_autofree char *csv = prism_comparison_dup_csv (comparison);
  HAS (csv, "\n\"'=1+1\",");
}

TEST (automatic_is_a_word, "/engine/comparison/auto")
{
  g_autoptr (PrismComparison) comparison = new_comparison ();
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (1, 10);

  g_assert_true (prism_config_set_text (snapshot->config, "tile", "auto", NULL));
  add (comparison, "tiles", snapshot);
  g_autofree char *csv = prism_comparison_dup_csv (comparison);
  g_autofree char *json = prism_comparison_dup_json (comparison);
  HAS (csv, ",auto,");
  HAS (json, "\"tile\" : \"auto\"");
  HAS (json, "\"tile\" : 0");
}

TEST (json_has_null_for_unknown, "/engine/comparison/json")
{
  g_autoptr (PrismComparison) comparison = new_comparison ();
  g_autofree char *json = prism_comparison_dup_json (comparison);
  g_autoptr (JsonNode) root = json_from_string (json, NULL);
  JsonArray *runs = json_object_get_array_member (json_node_get_object (root), "runs");
  JsonObject *first = json_array_get_object_element (runs, 0);
  JsonObject *second = json_array_get_object_element (runs, 1);

  g_assert_cmpuint (json_array_get_length (runs), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (first, "name"), ==, "first, with a comma");
  g_assert_cmpfloat (json_object_get_double_member (first, "psnr"), ==, 30.125);
  g_assert_true (json_object_get_null_member (second, "psnr"));
  g_assert_cmpfloat (json_object_get_double_member (second, "samples"), ==, 12);
}

TEST (curves_are_one_table, "/engine/comparison/curves")
{
  g_autoptr (PrismComparison) comparison = new_comparison ();
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "curves.csv", NULL);

  g_assert_true (MUST (prism_comparison_save_curves (comparison, path, &error)));
  g_autofree char *text = file_text (path);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  /* A header, two rows of each snapshot though the history has three, and an end of line. */
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 2 * 2 + 1);
  g_assert_true (g_str_has_prefix (lines[0], "run,step,sample,"));
  g_assert_true (g_str_has_prefix (lines[2], "\"first, with a comma\",2,0,0,0.5,0,"));
  FAILS (prism_comparison_save_curves (comparison, in_folder (folder, "missing", "curves.csv"),
                                       &error),
         IO, "");
  g_remove (path);
}

TEST (result_counts_its_bytes, "/engine/result/bytes")
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (1, 1);

  snapshot->target = prism_image_new (8, 8, NULL);
  g_autoptr (PrismResult) result = prism_result_new ("a", snapshot);
  g_assert_cmpuint (prism_result_get_bytes (result), ==,
                    8 * 8 * sizeof (float) + 2 * sizeof (PrismHistoryRow));
  g_assert_true (isnan (result->agreement));
}

/* The numbers are all that a table needs; what else there is goes with the snapshot. */
TEST (result_keeps_no_more, "/engine/comparison/parts")
{
  const PrismSnapshotParts all = PRISM_SNAPSHOT_HISTORY | PRISM_SNAPSHOT_IMAGES;
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (1, 1);

  snapshot->target = prism_image_new (8, 8, NULL);
  snapshot->sample_states = g_new0 (guint8, 3);
  snapshot->n_samples = 3;
  g_autoptr (PrismResult) numbers = prism_result_new_parts ("a", snapshot, PRISM_SNAPSHOT_NUMBERS);
  g_autoptr (PrismResult) whole = prism_result_new_parts ("b", snapshot, all);
  g_assert_true (whole->snapshot->target == snapshot->target);
  g_assert_true (whole->snapshot->history == snapshot->history);
  g_clear_pointer (&snapshot, prism_snapshot_unref);
  g_assert_cmpuint (prism_result_get_bytes (numbers), ==, 0);
  g_assert_null (numbers->snapshot->target);
  g_assert_null (numbers->snapshot->history);
  g_assert_cmpfloat (numbers->snapshot->metrics.psnr, ==, 1);
  g_assert_cmpstr (numbers->snapshot->device, ==, "CPU, 2 threads");
  g_assert_cmpint (numbers->snapshot->config->samples, ==, 1);
  g_assert_cmpuint (prism_result_get_bytes (whole), ==,
                    8 * 8 * sizeof (float) + 2 * sizeof (PrismHistoryRow));
}

TEST (methods_change_nothing_else, "/engine/method/nothing-else-changes")
{
  static const char *const own[] = { "method", "finish", "consistency", "polish", "passes", NULL };
  g_autoptr (PrismConfig) config = prism_config_new ();
  gsize n_methods, n_params;
  const PrismApproach *methods = prism_approach_get_all (&n_methods);
  const PrismParam *params = prism_config_get_params (&n_params);

  config->seed = 7;
  config->samples = 33;
  g_assert_cmpuint (n_methods, ==, 5);
  for (gsize from = 0; from < n_methods; from++)
    for (gsize to = 0; to < n_methods; to++)
      {
        g_autoptr (PrismConfig) start = prism_approach_apply (&methods[from], config);
        g_autoptr (PrismConfig) applied = prism_approach_apply (&methods[to], start);

        g_assert_true (prism_approach_find (applied) == &methods[to]);
        g_assert_true (prism_config_check (applied, NULL));
        for (gsize i = 0; i < n_params; i++)
          if (!g_strv_contains (own, params[i].key))
            {
              g_autofree char *b = prism_config_dup_text (applied, &params[i]);
              SAYS (prism_config_dup_text (config, &params[i]), b);
            }
      }
}

TEST (methods_that_are_the_same_here, "/engine/method/same-here")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  gsize n_methods;
  const PrismApproach *methods = prism_approach_get_all (&n_methods);

  for (config->line_length = 0; config->line_length <= 10; config->line_length += 10)
    for (gsize i = 0; i < n_methods; i++)
      g_assert_cmpint (prism_approach_is_distinct (&methods[i], config), ==,
                       config->line_length > 0 || !g_str_equal (methods[i].id, "mopie"));
}

TEST (name_of_a_run, "/engine/method/name-of-a-run")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  SAYS (prism_approach_dup_name (config), "Moon, PRISM");
  g_assert_true (prism_config_set_text (config, "object", "/tmp/moon.png", NULL));
  config->method = PRISM_METHOD_EPIE;
  SAYS (prism_approach_dup_name (config), "moon.png, ePIE only");
}

/* What the shell and prism-cli make of the command. */
static PrismConfig *
parse_command (const char *command)
{
  PrismConfig *config = prism_config_new ();
  g_auto (GStrv) words = NULL;

  g_assert_true (g_shell_parse_argv (command, NULL, &words, NULL));
  g_assert_cmpstr (words[0], ==, "prism-cli");
  g_assert_cmpstr (words[1], ==, "run");
  for (guint i = 2; words[i] != NULL; i += 2)
    {
      g_auto (GStrv) setting = g_strsplit (words[i + 1], "=", 2);

      g_assert_cmpstr (words[i], ==, "--set");
      g_assert_true (MUST (prism_config_set_text (config, setting[0], setting[1], &error)));
    }
  return config;
}

TEST (command_makes_the_same_configuration, "/engine/command/same-configuration")
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (1, 17);

  snapshot->backend = "cpu";
  g_assert_true (prism_config_set_text (snapshot->config, "object", "/a b/it's “$X” ü.png", NULL));
  g_assert_true (prism_config_set_text (snapshot->config, "object_text", "`ls` \\ !", NULL));
  g_assert_true (prism_config_set_text (snapshot->config, "pattern_points", "1, 2; 3, -4", NULL));
  g_assert_true (prism_config_set_text (snapshot->config, "learning_rate", "0.00123456789", NULL));
  snapshot->config->threads = 1;
  g_autofree char *command = prism_command_dup_run (snapshot);
  g_autoptr (PrismConfig) parsed = parse_command (command);
  g_assert_cmpint (parsed->backend, ==, PRISM_BACKEND_CPU);
  g_assert_cmpint (parsed->threads, ==, 0);
  parsed->backend = snapshot->config->backend;
  parsed->threads = snapshot->config->threads;
  g_assert_true (prism_config_equal (parsed, snapshot->config));
}

TEST (command_makes_paths_absolute, "/engine/command/absolute-paths")
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot (1, 17);
  g_autofree char *folder = g_get_current_dir ();

  g_assert_true (prism_config_set_text (snapshot->config, "object", "io.png", NULL));
  g_autofree char *command = prism_command_dup_run (snapshot);
  g_autoptr (PrismConfig) parsed = parse_command (command);
  g_assert_cmpstr (parsed->object, ==, in_folder (folder, "io.png"));
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  return prism_test_run ();
}
