#include "base/prism-each.h"
#include "prism-cli-harness.h"
#include "prism-test.h"
#include "../engine/support/test-remove-tree.h"

#define TINY                                                                          \
  "--set image_size=64 --set object_size=16 --set aperture_radius=6 --set samples=6 " \
  "--set steps=5 --set start_steps=5 --set polish=20 --set backend=cpu --set threads=1"

#define BENCH \
  "XDG_DATA_HOME=data bench --report out/deep --rounds 2 --switch cache --switch graph " TINY

/* Both next to each other, so that one benchmark finds the file of the other. */
static char *
run_benchmark (PrismCliResult *result, const char *baseline)
{
  cli_set (result, baseline != NULL ? cli_run (BENCH " --baseline %s", baseline) : cli_run (BENCH));
  return g_build_filename (result->directory, "out", "deep", "comparison.json", NULL);
}

static void
scale_member (JsonObject *object, const char *name, JsonNode *node, gpointer factor)
{
  const gboolean rate = g_str_has_suffix (name, "per_second");

  if (JSON_NODE_HOLDS_VALUE (node) && (rate || g_str_has_suffix (name, "seconds")))
    json_node_set_double (node, json_node_get_double (node)
                                    * (rate ? 1 / *(double *) factor : *(double *) factor));
}

static void
scale_stage (JsonObject *stages, const char *name, JsonNode *node, gpointer factor)
{
  const gboolean grows = strcmp (name, "measure") == 0;

  json_node_set_double (node, json_node_get_double (node)
                                  * (grows ? *(double *) factor : 1 / *(double *) factor));
}

/* Returns: (transfer full): a benchmark of a machine that is so many times slower, of all stages
 * in its measurements alone. */
static char *
write_other (const char *path, double factor)
{
  g_autoptr (JsonNode) root = MUST (json_from_string (file_text (path), &error));
  JsonArray *variants = json_object_get_array_member (json_node_get_object (root), "variants");
  char *other = g_strdup_printf ("%s.%g", path, factor);

  for (guint i = 0; i < 6; i++)
    {
      JsonObject *run = json_array_get_object_element (
          json_object_get_array_member (json_array_get_object_element (variants, i / 2), "runs"),
          i % 2);

      json_object_foreach_member (run, scale_member, &factor);
      json_object_foreach_member (json_object_get_object_member (run, "stages"), scale_stage,
                                  &factor);
    }
  g_autofree char *text = json_to_string (root, FALSE);
  g_assert_true (g_file_set_contents (other, text, -1, NULL));
  return other;
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
      g_autofree char *text = cli_bytes (result, files[i].name, &length);

      g_assert_true (g_str_has_prefix (text, files[i].begin));
      g_assert_nonnull (g_strstr_len (text, (gssize) length, files[i].part));
    }
}

static void
check_figures (const char *path)
{
  static const char *const figures[]
      = { "seconds > 0", "steps_per_second > 0", "passes_per_second > 0", "peak_bytes > 1048576",
          "psnr > 0", "hit_rate > 0", "processor_seconds > 0", "ssim > 0", "mse > 0",
          "step_seconds > 0", "samples_per_second > 0" };

  g_autofree char *text = file_text (path);
  CLI_JSON (text, "variants = 3");
  for (int i = 0; i < 3 * 2; i++)
    {
      g_autofree char *n = g_strdup_printf ("variants.%d.runs = 2", i / 2);

      CLI_JSON (text, n);
      PRISM_FOR_EACH_OF (figure, figures)
        {
          g_autofree char *known
              = g_strdup_printf ("variants.%d.runs.%d.%s", i / 2, i % 2, *figure);

          CLI_JSON (text, known);
        }
    }
}

/* Held against what a machine took that is slower, and one that is faster. */
TEST (baseline_finds_the_slow_stage, "/cli/benchmark/baseline")
{
  g_auto (PrismCliResult) plain = { 0 }, faster = { 0 }, slower = { 0 };
  g_autofree char *path = run_benchmark (&plain, NULL);
  g_autofree char *slow_path = write_other (path, 1e3), *fast_path = write_other (path, 1e-3);

  g_assert_cmpint (plain.exit_code, ==, 0);
  HAS (plain.error, "Run 6 of 6: ");
  HAS (plain.output, "Left out: Captured steps (graph).");
  check_files (&plain);
  check_figures (path);

  g_autofree char *faster_path = run_benchmark (&faster, slow_path);
  g_assert_cmpint (faster.exit_code, ==, 0);
  HAS (faster.output, "Nothing is slower than the baseline.");

  g_autofree char *slower_path = run_benchmark (&slower, fast_path);
  g_assert_cmpint (slower.exit_code, ==, 6);
  HAS (slower.output, "Slower: Plain (plain), ", "What became slower most is measure, by ");
}

TEST (history, "/cli/benchmark/history")
{
  g_auto (PrismCliResult) made = { 0 };
  g_autofree char *path = run_benchmark (&made, NULL);
  g_autofree char *other = g_build_filename (made.directory, "other", NULL);
  g_autofree char *folder = g_build_filename (other, "prism-studio", "benchmarks", NULL);
  g_autofree char *damaged = g_build_filename (folder, "2026-01-01T00-00-50Z.json", NULL);

  g_assert_nonnull (path);
  g_auto (PrismCliResult) shown
      = cli_works ("XDG_DATA_HOME=%s bench --history", in_folder (made.directory, "data"));
  HAS (shown.output, "“moon”, 16 px in a field of 64 px, 6 positions, 2 rounds");
  g_auto (PrismCliResult) none = cli_works ("XDG_DATA_HOME=nowhere bench --history");
  g_assert_true (g_str_has_prefix (none.output, "No benchmark has been made here"));
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (damaged, "{}", -1, NULL));
  g_auto (PrismCliResult) bad = cli_run ("XDG_DATA_HOME=%s bench --history", other);
  cli_check_error (&bad, 3, damaged);
  g_assert_cmpstr (bad.output, ==, "");
}

/* Ended while its first run, which is too long for any patience, is under way. */
TEST (interrupt_leaves_nothing, "/cli/benchmark/interrupt")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *output = g_build_filename (directory, "out", NULL);
  g_autoptr (GSubprocess) process
      = cli_start (directory, G_SUBPROCESS_FLAGS_STDERR_PIPE, CLI_HEARS_SIGNALS,
                   "XDG_DATA_HOME=%s bench --report %s --switch cache --preset production",
                   directory, output);
  g_autoptr (GDataInputStream) errors
      = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));

  SAYS (cli_read_line (errors, ""), "Run 1 of 9: Plain");
  g_subprocess_send_signal (process, SIGINT);
  g_assert_cmpint (cli_wait (process), ==, 130);
  g_assert_false (g_file_test (output, G_FILE_TEST_EXISTS));
}

TEST (bad_usage, "/cli/benchmark/bad-usage")
{
  cli_refuses (2, "--report DIR", "XDG_DATA_HOME=data bench --rounds 3");
  cli_refuses (2, "number from 2 to 50", "XDG_DATA_HOME=data bench --report out --rounds 1");
  cli_refuses (2, "number from 2 to 50", "XDG_DATA_HOME=data bench --report out --rounds 0");
  cli_refuses (2, "cache, frames, threads", "XDG_DATA_HOME=data bench --report out --switch turbo");
  cli_refuses (2, "single step", "XDG_DATA_HOME=data bench --report out --steps 5");
  cli_refuses (3, "none", "XDG_DATA_HOME=data bench --report out --baseline none");
  cli_refuses (3, "is no benchmark", "XDG_DATA_HOME=data bench --report out --baseline %s",
               g_getenv ("PRISM_PARAMETERS_PAGE"));
}
