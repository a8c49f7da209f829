#include "../engine/support/test-remove-tree.h"
#include "base/prism-system.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

#define TINY                                                                                 \
  "--set image_size=64 --set object_size=16 --set aperture_radius=6 --set samples=6 "        \
  "--set steps=9 --set start_steps=5 --set polish=5 --set method=decoder --set backend=cpu " \
  "--set threads=1"

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
  g_auto (PrismCliResult) result = cli_run ("bench --find-size --json " TINY);
  g_test_message ("%s", result.error);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_autoptr (JsonNode) root = cli_parse (result.output);
  check_points (get_series (root, "terms"), 3, 4);
  check_points (get_series (root, "chunk"), 3, 7);
  check_points (get_series (root, "runs"), 3, 7);
  HAS (result.error, "Runs at a time: 2, ");
}

TEST (measure, "/cli/performance/measure")
{
  g_auto (PrismCliResult) result = cli_clean ("bench --measure --quiet " TINY);
  HAS (result.output, "\nPrecision\n", "\nFrames\n",
       "Left out. The run is on the processor, which works in"
       " its own memory: nothing is copied.",
       " ms a pass, ", "▸");
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
  HAS (errors, "Nothing was measured.");
}

/* The table has what was measured before. */
TEST (interrupt, "/cli/performance/interrupt")
{
  g_autoptr (GSubprocess) process
      = cli_start (NULL, G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE,
                   CLI_HEARS_SIGNALS, "bench --find-size " TINY);
  g_autoptr (GDataInputStream) output
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_autoptr (GDataInputStream) errors
      = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  g_autofree char *line = cli_read_line (errors, "Steps at once: 2");

  g_assert_nonnull (line);
  g_subprocess_send_signal (process, SIGINT);
  g_autofree char *last = cli_read_line (errors, "Stopped after ");
  g_assert_nonnull (last);
  g_autofree char *heading = cli_read_line (output, "Steps at once");
  g_assert_nonnull (heading);
  g_assert_cmpint (cli_wait (process), ==, 130);
}

/* The same run with one step at a time and with many has the same picture. */
TEST (chunk_leaves_bits, "/cli/performance/chunk")
{
  static const char *const chunks[] = { "chunk=0", "chunk=5", "chunk=64" };
  g_autofree char *first = NULL;
  gsize n_first = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (chunks); i++)
    {
      gsize n;

      g_auto (PrismCliResult) result = cli_works ("run --quiet --output out " TINY " --set %s",
                                                  chunks[i]);
      g_autofree char *picture = cli_bytes (&result, "out/reconstruction.npy", &n);
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
  g_autoptr (TestFolder) cache = test_folder_new ();
  g_autofree char *first = NULL;
  gsize n_first = 0;
  g_auto (PrismCliResult) again = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (tunings); i++)
    {
      gsize n;

      g_auto (PrismCliResult) result
          = cli_works ("XDG_CACHE_HOME=%s run --quiet --output out " TINY " --set threads=0 "
                       "--set steps=40 --set %s",
                       cache, tunings[i]);
      g_autofree char *picture = cli_bytes (&result, "out/reconstruction.npy", &n);
      if (first != NULL)
        g_assert_cmpmem (picture, n, first, n_first);
      else
        {
          first = g_steal_pointer (&picture);
          n_first = n;
        }
    }
  g_auto (PrismCliResult) known = cli_run ("XDG_CACHE_HOME=%s tune " TINY " --set threads=0",
                                           cache);
  if (prism_available_get_processors () < 2)
    cli_check_error (&known, 2, "one processor");
  else
    {
      g_assert_cmpint (known.exit_code, ==, 0);
      HAS (known.output, "4 terms: ", " threads\n");
      cli_set (&again, cli_works ("XDG_CACHE_HOME=%s tune --again " TINY " --set threads=0",
                                  cache));
      HAS (again.output, "4 terms: ");
    }
}

TEST (tune_refuses, "/cli/performance/tune-refuses")
{
  cli_refuses (2, "threads is set", "tune --set backend=cpu --set threads=1");
  cli_refuses (2, "tuning is off", "tune --set tuning=off --set backend=cpu");
  cli_refuses (2, "trains no decoder", "tune --preset epie --set backend=cpu");
}

/* A cache that nobody can write has no room, which is no full disk. */
TEST (tune_without_cache, "/cli/performance/tune-without-cache")
{
  if (prism_available_get_processors () < 2)
    {
      g_test_skip ("one processor");
      return;
    }
  cli_refuses (3, "make it writable", "XDG_CACHE_HOME=/proc/nowhere tune " TINY " "
                                      "--set threads=0");
}

TEST (bad_usage, "/cli/performance/bad-usage")
{
  cli_refuses (2, "give one", "bench --find-size --measure");
  cli_refuses (2, "give one", "bench --find-size --report out");
  cli_refuses (2, "--steps", "bench --measure --steps 5");
  cli_refuses (5, "trains no decoder", "bench --find-size --quiet --preset epie");
  cli_refuses (2, "--seconds", "bench --seconds -1");
  cli_refuses (2, "give both", "bench --mib 4");
  cli_refuses (2, "give one", "bench --transfers --passes");
  cli_refuses (2, "--mib is 5000, but must be a whole number from", "bench --transfers --mib 5000");
}

/* The processor copies nothing. */
TEST (transfers, "/cli/performance/transfers")
{
  cli_refuses (5, "nothing is copied. Running on the CPU, as asked.",
               "bench --transfers --backend cpu");
}

/* Whole passes over all measurements; as many a second as their median says. */
TEST (passes, "/cli/performance/passes")
{
  g_auto (PrismCliResult) result = cli_run ("bench --passes --json " TINY);
  g_test_message ("%s", result.error);
  g_assert_cmpint (result.exit_code, ==, 0);
  CLI_JSON (result.output, "measurements = 6", "passes >= 10", "best_pass_ms > 0",
            "device has CPU", "frame_at_hand_ms > 0", "frame_taken_ms > frame_at_hand_ms");
  g_assert_cmpfloat_with_epsilon (cli_number (result.output, "passes_per_second")
                                      * cli_number (result.output, "median_pass_ms"),
                                  1e3, 1e-6);
}
