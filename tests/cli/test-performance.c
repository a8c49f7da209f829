#include "config.h"

#include "../engine/support/test-remove-tree.h"
#include "base/prism-system.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

#include <signal.h>

#define TINY                                                                                   \
  "--set", "image_size=64", "--set", "object_size=16", "--set", "aperture_radius=6", "--set",  \
      "samples=6", "--set", "steps=9", "--set", "start_steps=5", "--set", "polish=5", "--set", \
      "method=decoder", "--set", "backend=cpu", "--set", "threads=1"

static JsonObject *
get_series (JsonNode *root, const char *id)
{
  JsonObject *all = json_object_get_object_member (json_node_get_object (root), "series");

  return json_object_get_object_member (all, id);
}

static void
check_points (JsonObject *series, guint least, guint most)
{
  JsonArray *points = json_object_get_array_member (series, "points");

  g_assert_cmpuint (json_array_get_length (points), >=, least);
  g_assert_cmpuint (json_array_get_length (points), <=, most);
  for (guint i = 0; i < json_array_get_length (points); i++)
    {
      JsonObject *point = json_array_get_object_element (points, i);

      g_assert_cmpfloat (json_object_get_double_member (point, "seconds"), >, 0.0);
      g_assert_cmpfloat (json_object_get_double_member (point, "memory_bytes"), >, 1 << 20);
    }
}

/* Whatever the machine does meanwhile, each series has its first points and an end. */
TEST (find_size, "/cli/performance/find-size")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;

  prism_cli_harness_run (&result, NULL, "bench", "--find-size", "--json", TINY, NULL);
  g_test_message ("%s", result.error);
  g_assert_cmpint (result.exit_code, ==, 0);
  root = prism_cli_harness_parse (result.output);
  check_points (get_series (root, "terms"), 3, 4);
  check_points (get_series (root, "chunk"), 3, 7);
  check_points (get_series (root, "runs"), 3, 7);
  g_assert_nonnull (strstr (result.error, "Runs at a time: 2, "));
}

TEST (measure, "/cli/performance/measure")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_works (&result, "bench", "--measure", "--quiet", TINY, NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_nonnull (strstr (result.output, "\nPrecision\n"));
  g_assert_nonnull (strstr (result.output, "\nFrames\n"));
  g_assert_nonnull (strstr (result.output, "Left out. The run is on the processor, which works in"
                                           " its own memory: nothing is copied."));
  g_assert_nonnull (strstr (result.output, " ms a pass, "));
  g_assert_nonnull (strstr (result.output, "▸"));
}

/* A process that gets too little memory ends its series, not the search. */
TEST (out_of_memory, "/cli/performance/out-of-memory")
{
  const char *command = "ulimit -v 400000; exec \"$PRISM_CLI\" bench --find-size --json"
                        " --set=image_size=2048 --set=object_size=1024 --set=samples=6"
                        " --set=backend=cpu --set=threads=1";
  g_autoptr (GSubprocess) process = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, NULL, "/bin/sh", "-c",
      command, NULL);
  g_autofree char *output = NULL, *errors = NULL;

  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &output, &errors, NULL));
  g_test_message ("%s", errors);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 4);
  g_assert_nonnull (strstr (errors, "Nothing was measured."));
}

static char *
read_until (GDataInputStream *stream,
            const char *beginning)
{
  char *line = g_data_input_stream_read_line (stream, NULL, NULL, NULL);

  while (line != NULL && !g_str_has_prefix (line, beginning))
    {
      g_free (line);
      line = g_data_input_stream_read_line (stream, NULL, NULL, NULL);
    }
  return line;
}

/* The table has what was measured before. */
TEST (interrupt, "/cli/performance/interrupt")
{
  g_autoptr (GSubprocess) process = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL,
      g_getenv ("PRISM_CLI"), "bench", "--find-size", TINY, NULL);
  g_autoptr (GDataInputStream) output
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_autoptr (GDataInputStream) errors
      = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  g_autofree char *line = read_until (errors, "Steps at once: 2");
  g_autofree char *last = NULL, *heading = NULL;

  g_assert_nonnull (line);
  g_subprocess_send_signal (process, SIGINT);
  last = read_until (errors, "Stopped after ");
  g_assert_nonnull (last);
  heading = read_until (output, "Steps at once");
  g_assert_nonnull (heading);
  g_subprocess_wait (process, NULL, NULL);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 130);
}

/* The same run with one step at a time and with many has the same picture. */
TEST (chunk_leaves_bits, "/cli/performance/chunk")
{
  static const char *const chunks[] = { "chunk=0", "chunk=5", "chunk=64" };
  g_autofree char *first = NULL;
  gsize n_first = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (chunks); i++)
    {
      g_auto (PrismCliResult) result = { 0 };
      g_autofree char *picture = NULL;
      gsize n;

      prism_cli_harness_works (&result, "run", "--quiet", "--output", "out", TINY, "--set",
                               chunks[i], NULL);
      picture = prism_cli_harness_dup_file (&result, "out/reconstruction.npy", &n);
      if (first != NULL)
        g_assert_cmpmem (picture, n, first, n_first);
      else
        {
          first = g_steal_pointer (&picture);
          n_first = n;
        }
    }
}

/* What the first run of a shape finds out is there for the next; "--again" finds it out anew.
 * Whether it is known, just found out or off, the picture has the same bits. */
TEST (tune, "/cli/performance/tune")
{
  static const char *const tunings[] = { "tuning=off", "tuning=on", "tuning=on" };
  g_autofree char *cache = g_dir_make_tmp ("prism-cli-XXXXXX", NULL);
  const char *const environment[] = { "XDG_CACHE_HOME", cache, NULL };
  g_autofree char *first = NULL;
  gsize n_first = 0;
  g_auto (PrismCliResult) known = { 0 }, again = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (tunings); i++)
    {
      g_auto (PrismCliResult) result = { 0 };
      g_autofree char *picture = NULL;
      gsize n;

      prism_cli_harness_run (&result, environment, "run", "--quiet", "--output", "out", TINY,
                             "--set", "threads=0", "--set", "steps=40", "--set", tunings[i], NULL);
      g_assert_cmpint (result.exit_code, ==, 0);
      picture = prism_cli_harness_dup_file (&result, "out/reconstruction.npy", &n);
      if (first != NULL)
        g_assert_cmpmem (picture, n, first, n_first);
      else
        {
          first = g_steal_pointer (&picture);
          n_first = n;
        }
    }
  prism_cli_harness_run (&known, environment, "tune", TINY, "--set", "threads=0", NULL);
  if (prism_available_get_processors () < 2)
    prism_cli_harness_check_error (&known, 2, "one processor");
  else
    {
      g_assert_cmpint (known.exit_code, ==, 0);
      g_assert_nonnull (strstr (known.output, "4 terms: "));
      g_assert_nonnull (strstr (known.output, " threads\n"));
      prism_cli_harness_run (&again, environment, "tune", "--again", TINY, "--set", "threads=0",
                             NULL);
      g_assert_cmpint (again.exit_code, ==, 0);
      g_assert_nonnull (strstr (again.output, "4 terms: "));
    }
  test_remove_tree (cache);
}

TEST (tune_refuses, "/cli/performance/tune-refuses")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 2, "threads is set", "tune", "--set", "backend=cpu", "--set",
                             "threads=1", NULL);
  prism_cli_harness_refuses (&result, 2, "tuning is off", "tune", "--set", "tuning=off", "--set",
                             "backend=cpu", NULL);
  prism_cli_harness_refuses (&result, 2, "trains no decoder", "tune", "--preset", "epie", "--set",
                             "backend=cpu", NULL);
}

/* A cache that nobody can write has no room, which is no full disk. */
TEST (tune_without_cache, "/cli/performance/tune-without-cache")
{
  const char *const environment[] = { "XDG_CACHE_HOME", "/proc/nowhere", NULL };
  g_auto (PrismCliResult) result = { 0 };

  if (prism_available_get_processors () < 2)
    {
      g_test_skip ("one processor");
      return;
    }
  prism_cli_harness_run (&result, environment, "tune", TINY, "--set", "threads=0", NULL);
  prism_cli_harness_check_error (&result, 3, "make it writable");
}

TEST (bad_usage, "/cli/performance/bad-usage")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 2, "give one", "bench", "--find-size", "--measure", NULL);
  prism_cli_harness_refuses (&result, 2, "give one", "bench", "--find-size", "--report", "out",
                             NULL);
  prism_cli_harness_refuses (&result, 2, "--steps", "bench", "--measure", "--steps", "5", NULL);
  prism_cli_harness_run (&result, NULL, "bench", "--find-size", "--quiet", "--preset", "epie",
                         NULL);
  prism_cli_harness_check_error (&result, 5, "trains no decoder");
  prism_cli_harness_refuses (&result, 2, "--seconds", "bench", "--seconds", "-1", NULL);
  prism_cli_harness_refuses (&result, 2, "give both", "bench", "--mib", "4", NULL);
  prism_cli_harness_refuses (&result, 2, "give one", "bench", "--transfers", "--passes", NULL);
  prism_cli_harness_refuses (&result, 2, "--mib is 5000, but must be a whole number from", "bench",
                             "--transfers", "--mib", "5000", NULL);
}

/* The processor copies nothing. */
TEST (transfers, "/cli/performance/transfers")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 5, "nothing is copied. Running on the CPU, as asked.",
                             "bench", "--transfers", "--backend", "cpu", NULL);
}

/* Whole passes over all measurements; as many a second as their median says. */
TEST (passes, "/cli/performance/passes")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *found;

  prism_cli_harness_run (&result, NULL, "bench", "--passes", "--json", TINY, NULL);
  g_test_message ("%s", result.error);
  g_assert_cmpint (result.exit_code, ==, 0);
  root = prism_cli_harness_parse (result.output);
  found = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (found, "measurements"), ==, 6);
  g_assert_cmpint (json_object_get_int_member (found, "passes"), >=, 10);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (found, "passes_per_second")
                                      * json_object_get_double_member (found, "median_pass_ms"),
                                  1e3, 1e-6);
  g_assert_cmpfloat (json_object_get_double_member (found, "best_pass_ms"), >, 0.0);
  g_assert_nonnull (strstr (json_object_get_string_member (found, "device"), "CPU"));
  g_assert_cmpfloat (json_object_get_double_member (found, "frame_at_hand_ms"), >, 0.0);
  g_assert_cmpfloat (json_object_get_double_member (found, "frame_taken_ms"), >,
                     json_object_get_double_member (found, "frame_at_hand_ms"));
}
