#include "../support/test-remove-tree.h"
#include "benchmark/prism-benchmark-file.h"
#include "benchmark/prism-benchmark-text.h"
#include "prism-test.h"

static char *directory;

/* Rounds of these seconds, of which the measuring takes half. */
static void
add_runs (PrismBenchmark *benchmark, guint variant, const double *seconds)
{
  for (guint i = 0; i < benchmark->n_rounds; i++)
    {
      PrismBenchmarkRun run = { .figures = { 0 } };

      for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
        run.figures[figure] = NAN;
      run.figures[PRISM_FIGURE_SECONDS] = seconds[i];
      run.figures[PRISM_FIGURE_PEAK] = 64 << 20;
      run.figures[PRISM_FIGURE_PSNR] = 40.0 - variant;
      run.stages[PRISM_STAGE_MEASURE] = 0.5 * seconds[i];
      g_array_append_val (prism_benchmark_get_variant (benchmark, variant)->runs, run);
    }
}

static PrismConfig *
make_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 256;
  config->object_size = 64;
  config->backend = PRISM_BACKEND_CPU;
  return config;
}

/* Plain takes two seconds, everything on one, and the cache alone as long as plain. */
static PrismBenchmark *
make_benchmark (void)
{
  static const double plain[] = { 2.0, 2.2, 1.9 }, all[] = { 1.0, 1.1, 1.0 },
                      cache[] = { 1.9, 2.1, 1.8 };
  char *switches[] = { (char *) "cache", NULL };
  g_autoptr (PrismConfig) config = make_config ();
  PrismBenchmark *benchmark = MUST (prism_benchmark_new (config, switches, 3, &error));

  g_assert_cmpuint (benchmark->variants->len, ==, 3);
  add_runs (benchmark, 0, plain);
  add_runs (benchmark, 1, all);
  add_runs (benchmark, 2, cache);
  return benchmark;
}

static PrismJudgement
judge (double a, double b, double c, double d)
{
  double from[] = { a, b }, to[] = { c, d };
  const PrismSpread before = prism_spread_new (from, 2), after = prism_spread_new (to, 2);

  return prism_spread_judge (&before, &after);
}

TEST (judgement, "/engine/benchmark/judgement")
{
  g_assert_cmpint (judge (1.0, 1.1, 2.0, 2.1), ==, PRISM_JUDGEMENT_MORE);
  g_assert_cmpint (judge (2.0, 2.1, 1.0, 1.1), ==, PRISM_JUDGEMENT_LESS);
  /* As far apart as the rounds of one of them. */
  g_assert_cmpint (judge (1.0, 2.0, 2.0, 2.9), ==, PRISM_JUDGEMENT_SAME);
  g_assert_cmpint (judge (1.0, 1.0, 1.0, 3.0), ==, PRISM_JUDGEMENT_SAME);
  /* Rounds that agree by chance. */
  g_assert_cmpint (judge (1.0, 1.0, 1.009, 1.009), ==, PRISM_JUDGEMENT_SAME);
  g_assert_cmpint (judge (1.0, 1.0, 1.011, 1.011), ==, PRISM_JUDGEMENT_MORE);
  g_assert_cmpint (judge (NAN, NAN, 1.0, 1.0), ==, PRISM_JUDGEMENT_UNKNOWN);
}

TEST (spread, "/engine/benchmark/spread")
{
  double values[] = { 3.0, NAN, 1.0, 2.0, 10.0 };
  const PrismSpread spread = prism_spread_new (values, 5);

  g_assert_cmpuint (spread.n, ==, 4);
  g_assert_cmpfloat (spread.median, ==, 2.5);
  g_assert_cmpfloat (spread.least, ==, 1.0);
  g_assert_cmpfloat (spread.most, ==, 10.0);
}

TEST (verdicts, "/engine/benchmark/verdicts")
{
  g_autoptr (PrismBenchmark) benchmark = make_benchmark ();

  SAYS (prism_benchmark_dup_verdict (benchmark, 1), "2.00 times faster, 1.00 dB worse");
  SAYS (prism_benchmark_dup_verdict (benchmark, 2), "no difference, 2.00 dB worse");
  SAYS (prism_benchmark_dup_figure (benchmark, 2, PRISM_FIGURE_PSNR), "38.00 dB (-2.00)");
  SAYS (prism_benchmark_dup_figure (benchmark, 0, PRISM_FIGURE_SECONDS), "2.00 ± 0.15 s");
}

/* Each with what was measured; what was not is left out. */
TEST (goals, "/engine/benchmark/goals")
{
  g_autoptr (PrismBenchmark) benchmark = make_benchmark ();

  SAYS (prism_benchmark_dup_goals (benchmark),
        "Missed with everything on: at least 3 times faster: 2.00.\n"
        "Missed with everything on: less than 1 dB lost: 1.00 dB.\n"
        "Met with everything on: less than 2 GB of memory: 0.07 GB.\n");
}

/* One round of each may be as different as it likes. */
TEST (single_rounds_have_no_verdict, "/engine/benchmark/single-rounds")
{
  g_autoptr (PrismBenchmark) benchmark = make_benchmark ();

  g_array_set_size (prism_benchmark_get_variant (benchmark, 0)->runs, 1);
  g_array_set_size (prism_benchmark_get_variant (benchmark, 1)->runs, 1);
  g_autofree char *verdict = prism_benchmark_dup_verdict (benchmark, 1);
  g_assert_cmpstr (verdict, ==, "no verdict yet");
}

/* What is not known yet is left out. */
TEST (machine, "/engine/benchmark/machine")
{
  g_autoptr (PrismBenchmark) benchmark = make_benchmark ();

  g_clear_pointer (&benchmark->device, g_free);
  g_autofree char *text = prism_benchmark_dup_machine (benchmark, NULL, NULL);
  g_assert_null (strchr (text, '?'));
  HAS (text, benchmark->made);
}

/* A plain run has all switches off, each alone has one on, and what is not gone over stays. */
TEST (configurations, "/engine/benchmark/configurations")
{
  char *switches[] = { (char *) "cache", (char *) "frames", NULL };
  g_autoptr (PrismConfig) config = make_config ();
  const int frames[]
      = { PRISM_FRAMES_FULL, PRISM_FRAMES_AUTO, PRISM_FRAMES_FULL, PRISM_FRAMES_AUTO };
  const int cache[] = { 1, 0, 0, 1 };

  config->threads = 5;
  g_autoptr (PrismBenchmark) benchmark = prism_benchmark_new (config, switches, 2, NULL);
  g_assert_cmpuint (benchmark->variants->len, ==, 4);
  g_assert_cmpuint (prism_benchmark_count_runs (benchmark), ==, 8);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (PrismConfig) one = prism_benchmark_dup_config (benchmark, i, NULL);

      g_assert_cmpint (one->frames, ==, frames[i]);
      g_assert_cmpint (one->cache_size, ==, cache[i]);
      g_assert_cmpint (one->threads, ==, 5);
    }
}

TEST (what_does_nothing_is_left_out, "/engine/benchmark/left-out")
{
  char *switches[] = { (char *) "cache", (char *) "graph", (char *) "precision", NULL };
  char *idle[] = { (char *) "graph", NULL };
  char *unknown[] = { (char *) "turbo", NULL };
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismBenchmark) benchmark = prism_benchmark_new (config, switches, 2, NULL);
  g_autofree char *text = prism_benchmark_dup_left_out (benchmark);

  g_assert_cmpuint (benchmark->variants->len, ==, 3);
  g_assert_cmpuint (benchmark->left_out->len, ==, 2);
  HAS (text, "(graph). Steps are captured on a GPU alone.");
  FAILS (prism_benchmark_new (config, idle, 2, &error), CONFIG, "");
  FAILS (prism_benchmark_new (config, unknown, 2, &error), CONFIG, "cache, frames, threads");
  FAILS (prism_benchmark_new (config, NULL, 1, &error), CONFIG, "");
}

TEST (file_comes_back, "/engine/benchmark/file")
{
  g_autoptr (PrismBenchmark) benchmark = make_benchmark ();
  g_autofree char *path = g_build_filename (directory, "comparison.json", NULL);

  benchmark->device = g_strdup ("CPU");
  g_assert_true (MUST (prism_benchmark_save (benchmark, path, &error)));
  g_autoptr (PrismBenchmark) again = MUST (prism_benchmark_load (path, &error));
  g_autofree char *after = prism_benchmark_dup_json (again);
  SAYS (prism_benchmark_dup_json (benchmark), after);
}

/* Each damage is refused with a sentence, or read without harm. */
TEST (damaged_files, "/engine/benchmark/damaged-files")
{
  static const char *const marks[]
      = { "prism-benchmark", "\"plain\"", "\"rounds\" : 3", "\"seconds\" : 2.0",
          "\"made\"", "\"variants\" : [", "\"runs\" : [" };
  static const char *const damages[] = { "other",
                                         "\"all\"",
                                         "\"rounds\" : 0",
                                         "\"seconds\" : null",
                                         "\"born\"",
                                         "\"variants\" : {}, \"x\" : [",
                                         "\"runs\" : 7, \"x\" : [" };
  g_autoptr (PrismBenchmark) benchmark = make_benchmark ();
  g_autofree char *json = prism_benchmark_dup_json (benchmark);
  g_autofree char *path = g_build_filename (directory, "damaged.json", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      g_autoptr (GString) damaged = g_string_new (json);

      g_test_message ("%s", damages[i]);
      g_assert_cmpuint (g_string_replace (damaged, marks[i], damages[i], 1), ==, 1);
      g_assert_true (g_file_set_contents (path, damaged->str, -1, NULL));
      FAILS (prism_benchmark_load (path, &error), FORMAT, "");
    }
  for (gsize length = 0; length < strlen (json) - 2; length += 37)
    {
      g_assert_true (g_file_set_contents (path, json, (gssize) length, NULL));
      g_assert_null (prism_benchmark_load (path, NULL));
    }
}

TEST (baseline, "/engine/benchmark/baseline")
{
  static const double slow[] = { 3.0, 3.2, 2.9 };
  g_autoptr (PrismBenchmark) baseline = make_benchmark (), benchmark = make_benchmark ();
  guint n_slower;

  SAYS (prism_benchmark_dup_slower (benchmark, baseline, &n_slower), "");
  g_assert_cmpuint (n_slower, ==, 0);
  g_array_set_size (prism_benchmark_get_variant (benchmark, 2)->runs, 0);
  add_runs (benchmark, 2, slow);
  g_autofree char *some = prism_benchmark_dup_slower (benchmark, baseline, &n_slower);
  g_assert_cmpuint (n_slower, ==, 1);
  HAS (some, "(cache), Time to the picture: 3.00 s, before 1.90 s.",
       "What became slower most is measure, by 0.550 s.");
  g_clear_pointer (&some, g_free);
  some = prism_benchmark_dup_slower (baseline, benchmark, &n_slower);
  g_assert_cmpstr (some, ==, "");
}

static void
set_load (PrismBenchmark *benchmark, double left, double processor)
{
  for (guint v = 0; v < benchmark->variants->len; v++)
    for (guint i = 0; i < benchmark->n_rounds; i++)
      {
        PrismBenchmarkRun *run = &g_array_index (prism_benchmark_get_variant (benchmark, v)->runs,
                                                 PrismBenchmarkRun, i);

        run->figures[PRISM_FIGURE_LEFT] = left + 0.005 * i;
        run->figures[PRISM_FIGURE_PROCESSOR] = processor + 0.01 * i;
      }
}

/* On a machine that others use a run takes longer, but computes no longer. */
TEST (baseline_of_a_quiet_machine, "/engine/benchmark/baseline-of-a-quiet-machine")
{
  static const double slow[] = { 3.0, 3.2, 2.9 };
  g_autoptr (PrismBenchmark) baseline = make_benchmark (), benchmark = make_benchmark ();
  guint n_slower;

  g_array_set_size (prism_benchmark_get_variant (benchmark, 2)->runs, 0);
  add_runs (benchmark, 2, slow);
  set_load (baseline, 0.98, 1.5);
  set_load (benchmark, 0.40, 1.5);
  g_autofree char *busy = prism_benchmark_dup_slower (benchmark, baseline, &n_slower);
  g_assert_cmpuint (n_slower, ==, 0);
  HAS (busy, "(cache): other programs left 40 % of the processors, before"
             " 98 %. Processor time is compared instead of time.");
  set_load (benchmark, 0.40, 1.8);
  g_autofree char *slower = prism_benchmark_dup_slower (benchmark, baseline, &n_slower);
  g_assert_cmpuint (n_slower, ==, 3);
  HAS (slower, "(cache), Processor time: 1.81 s, before 1.51 s.");
  set_load (benchmark, 0.98, 1.5);
  g_autofree char *quiet = prism_benchmark_dup_slower (benchmark, baseline, &n_slower);
  g_assert_cmpuint (n_slower, ==, 1);
  LACKS (quiet, "other programs");
}

TEST (baseline_of_another_run, "/engine/benchmark/baseline-of-another-run")
{
  g_autoptr (PrismBenchmark) baseline = make_benchmark (), benchmark = make_benchmark ();
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_benchmark_check_baseline (benchmark, baseline, &error));
  baseline->config->samples = 17;
  FAILS (prism_benchmark_check_baseline (benchmark, baseline, &error), CONFIG, "samples is “17”");
}

/* A file whose runs were interrupted at once has no speed that others could lack. */
TEST (baseline_without_runs, "/engine/benchmark/baseline-without-runs")
{
  g_autoptr (PrismBenchmark) baseline = make_benchmark (), benchmark = make_benchmark ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < baseline->variants->len; i++)
    g_array_set_size (prism_benchmark_get_variant (baseline, i)->runs, i == 2 ? 2 : 1);
  g_assert_true (prism_benchmark_check_baseline (benchmark, baseline, &error));
  g_array_set_size (prism_benchmark_get_variant (baseline, 2)->runs, 1);
  FAILS (prism_benchmark_check_baseline (benchmark, baseline, &error), CONFIG,
         "not two finished runs");
}

/* A time in quotes is none, and not no time at all. */
TEST (words_for_numbers, "/engine/benchmark/words-for-numbers")
{
  const char *text = "{\"seconds\": \"soon\", \"stages\": {}}";
  g_autoptr (JsonParser) parser = json_parser_new ();
  PrismBenchmarkRun run;

  g_assert_true (json_parser_load_from_data (parser, text, -1, NULL));
  g_assert_false (
      prism_benchmark_run_read (&run, json_node_get_object (json_parser_get_root (parser))));
  g_assert_true (json_parser_load_from_data (parser, "{\"seconds\": 2}", -1, NULL));
  g_assert_true (
      prism_benchmark_run_read (&run, json_node_get_object (json_parser_get_root (parser))));
  g_assert_cmpfloat (run.figures[PRISM_FIGURE_SECONDS], ==, 2.0);
}

/* The newest first, of a hundred; damaged ones are passed over. */
TEST (history, "/engine/benchmark/history")
{
  g_autoptr (PrismBenchmark) benchmark = make_benchmark ();
  g_autoptr (GPtrArray) benchmarks = NULL, problems = NULL;
  g_autofree char *folder
      = g_build_filename (g_get_user_data_dir (), "prism-studio", "benchmarks", NULL);
  g_autofree char *damaged = g_build_filename (folder, "2026-01-01T00-00-50Z.json", NULL);

  for (guint i = 0; i < 103; i++)
    {
      g_free (benchmark->made);
      benchmark->made = g_strdup_printf ("2026-01-01T00:%02u:%02uZ", i / 60, i % 60);
      g_assert_true (prism_benchmark_history_add (benchmark, NULL));
    }
  g_assert_true (g_file_set_contents (damaged, "{}", -1, NULL));
  benchmarks = prism_benchmark_history_load (&problems);
  g_assert_cmpuint (problems->len, ==, 1);
  HAS (problems->pdata[0], damaged);
  g_assert_cmpuint (benchmarks->len, ==, 99);
  g_assert_cmpstr (((PrismBenchmark *) benchmarks->pdata[0])->made, ==, "2026-01-01T00:01:42Z");
  g_assert_cmpstr (((PrismBenchmark *) benchmarks->pdata[98])->made, ==, "2026-01-01T00:00:03Z");
}

int
main (int argc, char **argv)
{
  directory = g_dir_make_tmp ("prism-benchmark-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", directory, TRUE);
  g_test_init (&argc, &argv, NULL);
  int result = prism_test_run ();
  test_remove_tree (directory);
  g_free (directory);
  return result;
}
