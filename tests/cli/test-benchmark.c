#include "config.h"

#include "prism-cli-harness.h"
#include "prism-test.h"

#include <signal.h>

#define TINY                                                                                    \
  "--set", "image_size=64", "--set", "object_size=16", "--set", "aperture_radius=6", "--set",   \
      "samples=6", "--set", "steps=5", "--set", "start_steps=5", "--set", "polish=20", "--set", \
      "backend=cpu", "--set", "threads=1"

/* Of each span, s: nothing that a machine does by itself comes near it. */
#define SLOW_ALL "measure=0.1,pass=0.001,train=0.01"
#define SLOW_MEASURE "measure=0.2"

/* Both next to each other, so that one benchmark finds the file of the other. */
static char *
run_benchmark (PrismCliResult *result, const char *delay, const char *baseline)
{
  const char *const environment[] = { "PRISM_PROFILE_DELAY", delay, "XDG_DATA_HOME", "data", NULL };

  if (baseline != NULL)
    prism_cli_harness_run (result, environment, "bench", "--report", "out/deep", "--rounds", "2",
                           "--switch", "cache", "--switch", "graph", TINY, "--baseline", baseline,
                           NULL);
  else
    prism_cli_harness_run (result, environment, "bench", "--report", "out/deep", "--rounds", "2",
                           "--switch", "cache", "--switch", "graph", TINY, NULL);
  return g_build_filename (result->directory, "out", "deep", "comparison.json", NULL);
}

static void
check_files (const PrismCliResult *result)
{
  static const struct
  {
    const char *name, *begin, *part;
  } files[] = {
    { "out/deep/comparison.json", "{", "\"left_out\" : {\n    \"graph\"" },
    { "out/deep/comparison.txt", "“moon”", "(graph). Steps are captured" },
    { "out/deep/comparison.html", "<!DOCTYPE html>", "image/svg+xml" },
    { "out/deep/comparison.pdf", "%PDF-", "obj" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      gsize length;
      g_autofree char *text = prism_cli_harness_dup_file (result, files[i].name, &length);

      g_assert_true (g_str_has_prefix (text, files[i].begin));
      g_assert_nonnull (g_strstr_len (text, (gssize) length, files[i].part));
    }
}

static void
check_figures (const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *variants;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  root = prism_cli_harness_parse (text);
  variants = json_object_get_array_member (json_node_get_object (root), "variants");
  g_assert_cmpuint (json_array_get_length (variants), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      JsonObject *variant = json_array_get_object_element (variants, i);
      JsonArray *runs = json_object_get_array_member (variant, "runs");

      g_assert_cmpuint (json_array_get_length (runs), ==, 2);
      for (guint k = 0; k < 2; k++)
        {
          JsonObject *run = json_array_get_object_element (runs, k);

          g_assert_cmpfloat (json_object_get_double_member (run, "seconds"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "steps_per_second"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "passes_per_second"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "peak_bytes"), >, 1 << 20);
          g_assert_cmpfloat (json_object_get_double_member (run, "psnr"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "hit_rate"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "processor_seconds"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "ssim"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "mse"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "step_seconds"), >, 0);
          g_assert_cmpfloat (json_object_get_double_member (run, "samples_per_second"), >, 0);
        }
    }
}

/* One benchmark with slow stages and one without, each held against the other. */
TEST (baseline_finds_the_slow_stage, "/cli/benchmark/baseline")
{
  g_auto (PrismCliResult) slow = { 0 }, fast = { 0 }, slower = { 0 };
  g_autofree char *slow_path = run_benchmark (&slow, SLOW_ALL, NULL);
  g_autofree char *fast_path = NULL, *slower_path = NULL;

  g_assert_cmpint (slow.exit_code, ==, 0);
  g_assert_nonnull (strstr (slow.error, "Run 6 of 6: "));
  g_assert_nonnull (strstr (slow.output, "Left out: Captured steps (graph)."));
  check_files (&slow);
  check_figures (slow_path);

  fast_path = run_benchmark (&fast, "", slow_path);
  g_test_message ("%s", fast.output);
  g_assert_cmpint (fast.exit_code, ==, 0);
  g_assert_nonnull (strstr (fast.output, "Nothing is slower than the baseline."));

  slower_path = run_benchmark (&slower, SLOW_MEASURE, fast_path);
  g_test_message ("%s", slower.output);
  g_assert_cmpint (slower.exit_code, ==, 6);
  g_assert_nonnull (strstr (slower.output, "Slower: Plain (plain), "));
  g_assert_nonnull (strstr (slower.output, "What became slower most is measure, by "));
}

TEST (history, "/cli/benchmark/history")
{
  g_auto (PrismCliResult) made = { 0 }, none = { 0 }, shown = { 0 };
  g_autofree char *path = run_benchmark (&made, "", NULL);
  g_autofree char *data = g_build_filename (made.directory, "data", NULL);
  const char *const environment[] = { "XDG_DATA_HOME", data, NULL };
  const char *const elsewhere[] = { "XDG_DATA_HOME", "nowhere", NULL };
  g_autofree char *other = g_build_filename (made.directory, "other", NULL);
  g_autofree char *folder = g_build_filename (other, "prism-studio", "benchmarks", NULL);
  g_autofree char *damaged = g_build_filename (folder, "2026-01-01T00-00-50Z.json", NULL);
  const char *const there[] = { "XDG_DATA_HOME", other, NULL };
  g_auto (PrismCliResult) bad = { 0 };

  g_assert_nonnull (path);
  prism_cli_harness_run (&shown, environment, "bench", "--history", NULL);
  g_assert_cmpint (shown.exit_code, ==, 0);
  g_assert_nonnull (
      strstr (shown.output, "“moon”, 16 px in a field of 64 px, 6 samples, 2 rounds"));
  prism_cli_harness_run (&none, elsewhere, "bench", "--history", NULL);
  g_assert_cmpint (none.exit_code, ==, 0);
  g_assert_true (g_str_has_prefix (none.output, "No benchmark has been made here"));
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (damaged, "{}", -1, NULL));
  prism_cli_harness_run (&bad, there, "bench", "--history", NULL);
  prism_cli_harness_check_error (&bad, 3, damaged);
  g_assert_cmpstr (bad.output, ==, "");
}

/* Ended while its first run, which is too long for any patience, is under way. */
TEST (interrupt_leaves_nothing, "/cli/benchmark/interrupt")
{
  g_autofree char *directory = g_dir_make_tmp ("prism-cli-XXXXXX", NULL);
  g_autofree char *output = g_build_filename (directory, "out", NULL);
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GDataInputStream) errors = NULL;
  g_autofree char *line = NULL;

  g_subprocess_launcher_setenv (launcher, "XDG_DATA_HOME", directory, TRUE);
  g_subprocess_launcher_setenv (launcher, "PRISM_PROFILE_DELAY", "measure=1", TRUE);
  process = g_subprocess_launcher_spawn (launcher, NULL, g_getenv ("PRISM_CLI"), "bench",
                                         "--report", output, "--switch", "cache", TINY, NULL);
  g_assert_nonnull (process);
  errors = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  line = g_data_input_stream_read_line (errors, NULL, NULL, NULL);
  g_assert_cmpstr (line, ==, "Run 1 of 9: Plain");
  g_subprocess_send_signal (process, SIGINT);
  g_subprocess_wait (process, NULL, NULL);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
  g_assert_false (g_file_test (output, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

TEST (bad_usage, "/cli/benchmark/bad-usage")
{
  g_auto (PrismCliResult) result = { 0 };
  const char *const environment[] = { "XDG_DATA_HOME", "data", NULL };

  prism_cli_harness_run (&result, environment, "bench", "--rounds", "3", NULL);
  prism_cli_harness_check_error (&result, 2, "--report DIR");
  prism_cli_harness_run (&result, environment, "bench", "--report", "out", "--rounds", "1", NULL);
  prism_cli_harness_check_error (&result, 2, "number from 2 to 50");
  prism_cli_harness_run (&result, environment, "bench", "--report", "out", "--rounds", "0", NULL);
  prism_cli_harness_check_error (&result, 2, "number from 2 to 50");
  prism_cli_harness_run (&result, environment, "bench", "--report", "out", "--switch", "turbo",
                         NULL);
  prism_cli_harness_check_error (&result, 2, "cache, frames, threads");
  prism_cli_harness_run (&result, environment, "bench", "--report", "out", "--steps", "5", NULL);
  prism_cli_harness_check_error (&result, 2, "single step");
  prism_cli_harness_run (&result, environment, "bench", "--report", "out", "--baseline", "none",
                         NULL);
  prism_cli_harness_check_error (&result, 3, "none");
  prism_cli_harness_run (&result, environment, "bench", "--report", "out", "--baseline",
                         g_getenv ("PRISM_PARAMETERS_PAGE"), NULL);
  prism_cli_harness_check_error (&result, 3, "is no benchmark");
}
