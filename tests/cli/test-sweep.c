#include "config.h"

#include "batch/prism-worker-protocol.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define TINY                                                                                  \
  "--set", "image_size=64", "--set", "object_size=16", "--set", "aperture_radius=8", "--set", \
      "samples=6", "--set", "steps=3", "--set", "start_steps=4", "--set", "polish=0"

static guint
count (const char *text,
       const char *word)
{
  guint n = 0;

  for (const char *at = text; (at = strstr (at, word)) != NULL; at += strlen (word))
    n++;
  return n;
}

TEST (grid, "/cli/sweep/grid")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *csv = NULL, *png = NULL;

  prism_cli_harness_works (&result, "sweep", TINY, "--over", "snr=10,20", "--over",
                           "aperture_radius=6:12:3", "--output", "a", "--jobs", "2", NULL);
  g_assert_nonnull (strstr (result.output, "6 of 6 points have a result."));
  csv = prism_cli_harness_dup_file (&result, "a/sweep.csv", NULL);
  g_assert_cmpuint (count (csv, ",finished,"), ==, 6);
  png = prism_cli_harness_dup_file (&result, "a/sweep.png", NULL);
  g_assert_cmpmem (png, 4, "\x89PNG", 4);
}

/* What the runs look at is part of what a sweep is, and half a picture is no result. */
TEST (other_data, "/cli/sweep/other-data")
{
  g_auto (PrismCliResult) first = { 0 }, again = { 0 }, other = { 0 };
  g_autofree char *folder = NULL, *object = NULL, *output = NULL, *setting = NULL, *damaged = NULL;
  g_autofree char *bytes = NULL;
  gsize length;

  prism_cli_harness_run (&first, NULL, "run", TINY, "--output", "o", NULL);
  folder = g_build_filename (first.directory, "o", NULL);
  object = g_build_filename (folder, "target.npy", NULL);
  output = g_build_filename (folder, "sweep", NULL);
  damaged = g_build_filename (output, "point-0001", "reconstruction.npy", NULL);
  setting = g_strconcat ("object=", object, NULL);
  prism_cli_harness_run (&again, NULL, "sweep", TINY, "--set", setting, "--over", "snr=10,20",
                         "--output", output, NULL);
  g_assert_cmpint (again.exit_code, ==, 0);
  g_assert_cmpint (truncate (damaged, 200), ==, 0);
  prism_cli_harness_run (&again, NULL, "sweep", TINY, "--set", setting, "--over", "snr=10,20",
                         "--output", output, NULL);
  g_assert_nonnull (strstr (again.output, "2 of 2 points have a result"));
  g_assert_true (g_file_get_contents (damaged, &bytes, &length, NULL));
  g_assert_cmpuint (length, >, 200);
  g_assert_true (g_file_get_contents (object, &bytes, &length, NULL));
  bytes[length - 1] ^= 1;
  g_assert_true (g_file_set_contents (object, bytes, (gssize) length, NULL));
  prism_cli_harness_run (&other, NULL, "sweep", TINY, "--set", setting, "--over", "snr=10,20",
                         "--output", output, NULL);
  prism_cli_harness_check_error (&other, 3, "frames, object or start were others");
}

/* The members differ in the start of the decoder, and the map says where. */
TEST (ensemble, "/cli/sweep/ensemble")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *csv = NULL, *map = NULL, *mean = NULL;
  g_auto (GStrv) lines = NULL;
  gsize length, n_bright = 0;

  prism_cli_harness_works (&result, "sweep", TINY, "--ensemble", "3", "--output", "a", NULL);
  g_assert_nonnull (strstr (result.output, "Mean of 3 runs of "));
  g_assert_nonnull (strstr (result.output, " % of its squared error."));
  csv = prism_cli_harness_dup_file (&result, "a/sweep.csv", NULL);
  lines = g_strsplit (csv, "\n", -1);
  /* From the metrics on: the times come after them. */
  g_assert_cmpint (strncmp (strstr (lines[1], "finished"), strstr (lines[2], "finished"), 20), !=,
                   0);
  mean = prism_cli_harness_dup_file (&result, "a/mean.npy", NULL);
  g_assert_cmpmem (mean, 6, "\x93NUMPY", 6);
  map = prism_cli_harness_dup_file (&result, "a/uncertainty.npy", &length);
  for (gsize at = 128; at + sizeof (float) <= length; at += sizeof (float))
    {
      float value;

      memcpy (&value, map + at, sizeof value);
      n_bright += value > 0.0f;
    }
  g_assert_cmpuint (n_bright, >, 200);
}

/* A point that cannot be computed says why, the others are there, and the status tells. */
TEST (one_point_fails, "/cli/sweep/one-fails")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *csv = NULL;

  prism_cli_harness_run (&result, NULL, "sweep", TINY, "--set", "backend=cpu", "--over",
                         "backend=cpu,cuda", "--output", "a", NULL);
  csv = prism_cli_harness_dup_file (&result, "a/sweep.csv", NULL);
  g_assert_cmpuint (count (csv, ",finished,"), >=, 1);
  if (count (csv, ",finished,") == 2)
    {
      g_test_skip ("There is a GPU here: nothing fails.");
      return;
    }
  g_assert_cmpint (result.exit_code, ==, 1);
  g_assert_nonnull (strstr (result.error, "backend=cuda: CUDA cannot be used"));
  g_assert_cmpuint (count (csv, ",failed,"), ==, 1);
}

/* As a terminal starts programs: tests themselves may run in the background of a shell. */
static void
begin_group (gpointer data)
{
  setpgid (0, 0);
  signal (SIGHUP, SIG_DFL);
  signal (SIGINT, SIG_DFL);
  signal (SIGQUIT, SIG_DFL);
}

/* A terminal sends its signals to the sweep and to the runs that it has started. The word of the
 * first point comes when that is over and others are under way.
 *
 * frames: (nullable): that are explained in place of a telescope's */
static void
check_signal (int number,
              const char *frames)
{
  g_auto (PrismCliResult) place = { 0 };
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GDataInputStream) lines = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL, *csv = NULL, *failure = NULL;

  prism_cli_harness_run (&place, NULL, "--version", NULL);
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE
                                        | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_subprocess_launcher_set_cwd (launcher, place.directory);
  g_subprocess_launcher_set_child_setup (launcher, begin_group, NULL, NULL);
  if (frames != NULL)
    process = g_subprocess_launcher_spawn (
        launcher, &error, g_getenv ("PRISM_CLI"), "sweep", "--measurements", frames, "--over",
        "passes=1,9999,9998,9997,9996", "--jobs", "1", "--output", "a", NULL);
  else
    process = g_subprocess_launcher_spawn (launcher, &error, g_getenv ("PRISM_CLI"), "sweep", TINY,
                                           "--over", "passes=1,1000,999,998,997", "--jobs", "1",
                                           "--output", "a", NULL);
  g_assert_no_error (error);
  lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  do
    {
      g_free (line);
      line = g_data_input_stream_read_line (lines, NULL, NULL, &error);
      g_assert_nonnull (line);
    }
  while (!g_str_has_prefix (line, "1 of 5: "));
  /* Beyond the search, where it has something to write. */
  if (frames != NULL)
    g_usleep (G_USEC_PER_SEC);
  g_assert_cmpint (kill (-atoi (g_subprocess_get_identifier (process)), number), ==, 0);
  g_assert_true (g_subprocess_wait (process, NULL, &error));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 128 + number);
  csv = prism_cli_harness_dup_file (&place, "a/sweep.csv", NULL);
  g_assert_cmpuint (count (csv, ",finished,"), ==, 1);
  g_assert_cmpuint (count (csv, ",missing,"), ==, 4);
  failure = g_build_filename (place.directory, "a", "point-0001", "failure.txt", NULL);
  g_assert_false (g_file_test (failure, G_FILE_TEST_EXISTS));
}

/* What a signal stopped has not failed. */
TEST (signals, "/cli/sweep/signals")
{
  check_signal (SIGINT, NULL);
  check_signal (SIGTERM, NULL);
  check_signal (SIGHUP, NULL);
  check_signal (SIGQUIT, NULL);
}

/* Frames of a small microscope, in a folder that the result holds. */
static char *
simulate (PrismCliResult *result)
{
  prism_cli_harness_run (result, NULL, "simulate", "--set", "size=32", "--set", "per_side=9",
                         "cells.hdf5", NULL);
  g_assert_cmpint (result->exit_code, ==, 0);
  return g_build_filename (result->directory, "cells.hdf5", NULL);
}

/* The table has what there is of recorded frames, as summaries have it. */
TEST (recorded, "/cli/sweep/recorded")
{
  g_auto (PrismCliResult) place = { 0 }, result = { 0 }, again = { 0 }, merged = { 0 };
  g_autofree char *frames = simulate (&place), *folder = NULL, *csv = NULL, *map = NULL;
  g_autofree char *summary = NULL, *line = NULL, *png = NULL, *plot = NULL;
  g_autoptr (JsonNode) node = NULL;
  JsonObject *held;

  prism_cli_harness_run (&result, NULL, "sweep", "--measurements", frames, "--set",
                         "hold_out=10", "--over", "passes=1,3", "--output", "a", "--jobs", "2",
                         NULL);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "2 of 2 points have a result."));
  g_assert_nonnull (strstr (result.output, "misfit correlation   seconds  verdict\n"));
  g_assert_null (strstr (result.output, "PSNR"));
  csv = prism_cli_harness_dup_file (&result, "a/sweep.csv", NULL);
  g_assert_true (g_str_has_prefix (csv, "point,passes,state,misfit,correlation,steps,seconds,"
                                        "verdict\n"));
  summary = prism_cli_harness_dup_file (&result, "a/point-0001/summary.json", NULL);
  node = prism_cli_harness_parse (summary);
  held = json_object_get_object_member (json_node_get_object (node), "held_out");
  line = g_strdup_printf ("\n1,3,finished,%.9g,%.9g,3,",
                          json_object_get_double_member (held, "misfit"),
                          json_object_get_double_member (held, "correlation"));
  g_assert_nonnull (strstr (csv, line));
  png = prism_cli_harness_dup_file (&result, "a/sweep.png", NULL);
  g_assert_cmpmem (png, 4, "\x89PNG", 4);

  /* Nothing is left to do. */
  folder = g_build_filename (result.directory, "a", NULL);
  prism_cli_harness_works (&again, "sweep", "--measurements", frames, "--set", "hold_out=10",
                           "--over", "passes=1,3", "--output", folder, "--slurm", NULL);
  g_assert_nonnull (strstr (again.output, "Every run has its result."));
  plot = g_build_filename (result.directory, "map.csv", NULL);
  prism_cli_harness_works (&merged, "sweep", "--merge", "--quiet", "--output", folder, "--plot",
                           plot, "--show", "correlation", NULL);
  map = prism_cli_harness_dup_file (&result, "map.csv", NULL);
  g_assert_true (g_str_has_prefix (map, "passes,runs,correlation,"));
}

/* A run that was ended has written what it had: it is no result of the sweep. */
TEST (recorded_signals, "/cli/sweep/recorded/signals")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *frames = simulate (&place);

  check_signal (SIGINT, frames);
}

/* What the passes begin with is part of what a sweep is, too. */
TEST (recorded_start, "/cli/sweep/recorded/start")
{
  g_auto (PrismCliResult) place = { 0 }, again = { 0 };
  g_autofree char *frames = simulate (&place), *begun = NULL, *start = NULL, *sweep = NULL;

  sweep = g_build_filename (place.directory, "sweep", NULL);
  begun = g_build_filename (place.directory, "begun", NULL);
  start = g_strconcat ("start=", begun, NULL);
  for (int i = 1; i <= 2; i++)
    {
      g_autofree char *passes = g_strdup_printf ("passes=%d", i);

      prism_cli_harness_run (&again, NULL, "run", "-m", frames, "--set", passes, "-o", begun, NULL);
      prism_cli_harness_run (&again, NULL, "sweep", "-m", frames, "--set", start, "--over",
                             "passes=1,2", "--output", sweep, "--slurm", NULL);
      g_assert_cmpint (again.exit_code, ==, i == 1 ? 0 : 3);
    }
  prism_cli_harness_check_error (&again, 3, "frames, object or start were others");
}

TEST (recorded_refused, "/cli/sweep/recorded/refused")
{
  g_auto (PrismCliResult) place = { 0 }, snr = { 0 }, ensemble = { 0 }, psnr = { 0 }, gone = { 0 };
  g_autofree char *frames = simulate (&place);

  prism_cli_harness_refuses (&snr, 2, "snr has no effect on recorded frames: leave it out", "sweep",
                             "-m", frames, "--over", "snr=10,20", "-q", NULL);
  prism_cli_harness_refuses (&ensemble, 2, "--ensemble is of simulated runs", "sweep", "-m", frames,
                             "--ensemble", "3", NULL);
  prism_cli_harness_refuses (&psnr, 2, "choose one of misfit, verdict, seconds, steps,", "sweep",
                             "-m", frames, "--over", "passes=1,2", "-q", "--show", "psnr", NULL);
  prism_cli_harness_refuses (&gone, 3, "gone.hdf5", "sweep", "-m", "gone.hdf5", "--over",
                             "passes=1,2", NULL);
}

/* Several runs on a GPU are those of one process: it explains recorded frames, too. */
TEST (recorded_crew, "/cli/sweep/recorded/crew")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *frames = simulate (&place);
  g_autofree char *output = g_build_filename (place.directory, "a", NULL);
  char *command[] = { (char *) "prism-cli", (char *) "run", (char *) "--quiet",
                      (char *) "--measurements", frames, (char *) "--set", (char *) "passes=2",
                      (char *) "--output", output, NULL };
  g_autofree char *order = prism_worker_protocol_dup_order (7, command);
  g_autofree char *orders = g_strconcat (order, "\n", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process
      = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
                          g_getenv ("PRISM_CLI"), "crew", NULL);
  g_autofree char *answer = NULL, *message = NULL, *summary = NULL;
  guint item = 0;
  int status = -1;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, orders, NULL, &answer, NULL, &error));
  g_assert_true (prism_worker_protocol_read_answer (g_strchomp (answer), &item, &status, &message));
  g_assert_cmpstr (message, ==, "");
  g_assert_cmpuint (item, ==, 7);
  g_assert_cmpint (status, ==, 0);
  summary = prism_cli_harness_dup_file (&place, "a/summary.json", NULL);
  g_assert_nonnull (strstr (summary, "\"held_out\""));
}

/* Links under the names that the program chooses lead nowhere: it writes into its folder alone. */
TEST (planted_links, "/cli/sweep/planted-links")
{
  static const char *const names[] = { "sweep.csv", "sweep.png", "job.sh", "point-0000.prism",
                                       "mean.npy", "uncertainty.png", "frame-00001.png" };
  g_auto (PrismCliResult) place = { 0 }, script = { 0 }, sweep = { 0 }, film = { 0 };
  g_autofree char *folder = NULL, *target = NULL, *text = NULL;

  prism_cli_harness_run (&place, NULL, "--version", NULL);
  folder = g_build_filename (place.directory, "a", NULL);
  target = g_build_filename (place.directory, "target", NULL);
  g_assert_true (g_file_set_contents (target, "mine", -1, NULL));
  /* There must be a plan, or they are others' files. */
  prism_cli_harness_works (&script, "sweep", TINY, "--ensemble", "2", "--output", folder, "--slurm",
                           NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_unlink (path);
      g_assert_cmpint (symlink (target, path), ==, 0);
    }
  prism_cli_harness_works (&script, "sweep", TINY, "--ensemble", "2", "--output", folder, "--slurm",
                           NULL);
  prism_cli_harness_works (&sweep, "sweep", TINY, "--ensemble", "2", "--output", folder, NULL);
  prism_cli_harness_works (&film, "run", TINY, "--animation", folder, "--force", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
      g_assert_false (g_file_test (path, G_FILE_TEST_IS_SYMLINK));
    }
  g_assert_true (g_file_get_contents (target, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
}

TEST (script, "/cli/sweep/script")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *script = NULL;

  prism_cli_harness_works (&result, "sweep", TINY, "--over", "snr=10,20", "--output", "a b",
                           "--slurm", "--slurm-option", "--time=5", "--jobs", "1", NULL);
  g_assert_nonnull (strstr (result.output, "sbatch 'a b/job.sh'\n"));
  script = prism_cli_harness_dup_file (&result, "a b/job.sh", NULL);
  g_assert_nonnull (strstr (script, "#SBATCH --array=0-1%1\n"));
  g_assert_nonnull (strstr (script, "#SBATCH --time=5\n"));
}

/* The script as Slurm would start it, in a folder whose name a shell would like to run. */
TEST (script_runs, "/cli/sweep/script/runs")
{
  const char *folder = "it's $(touch pwned) `touch pwned` ${HOME} %j %% \"b\" \\ #; touch pwned";
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *script = NULL, *summary = NULL, *marker = NULL;

  prism_cli_harness_works (&result, "sweep", TINY, "--over", "snr=10,20", "--output", folder,
                           "--slurm", NULL);
  script = g_build_filename (folder, "job.sh", NULL);
  summary = g_build_filename (result.directory, folder, "point-0001", "summary.json", NULL);
  marker = g_build_filename (result.directory, "pwned", NULL);
  g_subprocess_launcher_set_cwd (launcher, result.directory);
  g_subprocess_launcher_setenv (launcher, "SLURM_ARRAY_TASK_ID", "1", TRUE);
  process = MUST (g_subprocess_launcher_spawn (launcher, &error, "bash", script, NULL));
  g_assert_true (MUST (g_subprocess_wait_check (process, NULL, &error)));
  g_assert_true (g_file_test (summary, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (marker, G_FILE_TEST_EXISTS));
}

/* The frames and what says how they are read come with each job. */
TEST (recorded_script, "/cli/sweep/recorded/script")
{
  g_auto (PrismCliResult) place = { 0 }, result = { 0 };
  g_autofree char *frames = simulate (&place), *script = NULL, *part = NULL;

  prism_cli_harness_works (&result, "sweep", "-m", frames, "--assign", "na=0.1", "--over",
                           "passes=1,2", "--output", "a", "--quiet", "--slurm", NULL);
  script = prism_cli_harness_dup_file (&result, "a/job.sh", NULL);
  part = g_strdup_printf (" run --quiet '--measurements' '%s' '--assign' 'na=0.1' --config ",
                          frames);
  g_assert_nonnull (strstr (script, part));
}

/* Everything after an end of line would be a command. */
TEST (script_is_one_line_an_option, "/cli/sweep/script/control")
{
  static const char *const bad[] = { "a\ntouch pwned\n", "a\rb", "a\tb", NULL };

  for (gsize i = 0; bad[i] != NULL; i++)
    {
      g_auto (PrismCliResult) folder = { 0 }, option = { 0 };
      g_autofree char *script = g_build_filename (bad[i], "job.sh", NULL), *path = NULL;

      prism_cli_harness_refuses (&folder, 2, "has a control character", "sweep", TINY, "--over",
                                 "snr=10,20", "--output", bad[i], "--slurm", NULL);
      path = g_build_filename (folder.directory, script, NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      prism_cli_harness_refuses (&option, 2, "--slurm-option", "sweep", TINY, "--over", "snr=10,20",
                                 "--output", "a", "--slurm", "--slurm-option", bad[i], NULL);
    }
}

/* Of a sheet of many images no more than a row is in memory: the whole would be 220 MiB. */
TEST (large_sheet, "/cli/sweep/large-sheet")
{
  g_auto (PrismCliResult) plan = { 0 }, result = { 0 };
  g_autofree char *folder = NULL, *png = NULL;
  struct rusage usage;
  gsize length;

  prism_cli_harness_works (&plan, "sweep", TINY, "--over", "training_seed=0:399:400", "--output",
                           "a", "--slurm", NULL);
  folder = g_build_filename (plan.directory, "a", NULL);
  prism_cli_harness_run (&result, NULL, "sweep", "--merge", "--quiet", "--output", folder, NULL);
  g_assert_cmpint (result.exit_code, ==, 1);
  png = prism_cli_harness_dup_file (&plan, "a/sweep.png", &length);
  g_assert_cmpuint (length, >, 24);
  /* 20 columns and rows, and their heading. */
  g_assert_cmpmem (png + 16, 8, "\0\0\x1b\x58\0\0\x1e\xa0", 8);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  g_assert_cmpint (getrusage (RUSAGE_CHILDREN, &usage), ==, 0);
  g_assert_cmpint (usage.ru_maxrss, <, 100 * 1024);
#endif
}

/* A map in each format, with what was repeated as a spread; runs that are kept can go on. */
TEST (plot, "/cli/sweep/plot")
{
  static const char *const heads[][2] = {
    { "map.png", "\x89PNG" },
    { "map.svg", "<?xml" },
    { "map.pdf", "%PDF" },
    { "map.csv", "snr,aperture_radius," },
  };
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *csv = NULL, *run = NULL;
  gsize length;

  prism_cli_harness_works (&result, "sweep", TINY, "--over", "snr=10,20", "--over",
                           "aperture_radius=6,8", "--over", "seed=0,1", "--output", "a",
                           "--keep-runs", "--plot", "map.png", NULL);
  run = prism_cli_harness_dup_file (&result, "a/point-0007.prismrun", &length);
  g_assert_cmpuint (length, >, 10000);
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_auto (PrismCliResult) merged = { 0 };
      g_autofree char *folder = g_build_filename (result.directory, "a", NULL);
      g_autofree char *path = g_build_filename (result.directory, heads[i][0], NULL);
      g_autofree char *text = NULL;

      prism_cli_harness_works (&merged, "sweep", "--merge", "--quiet", "--output", folder, "--plot",
                               path, "--show", "rmse", NULL);
      text = prism_cli_harness_dup_file (&result, heads[i][0], NULL);
      g_assert_true (g_str_has_prefix (text, heads[i][1]));
    }
  csv = prism_cli_harness_dup_file (&result, "map.csv", NULL);
  g_assert_cmpuint (count (csv, "\n"), ==, 5);
  g_assert_nonnull (strstr (csv, "\n20,8,2,"));
}

TEST (refused, "/cli/sweep/refused")
{
  g_auto (PrismCliResult) nothing = { 0 }, both = { 0 }, one = { 0 }, jobs = { 0 }, empty = { 0 };

  prism_cli_harness_refuses (&nothing, 2, "A sweep needs something to go over", "sweep", TINY,
                             NULL);
  prism_cli_harness_refuses (&both, 2, "cannot be combined", "sweep", "--over", "snr=1,2",
                             "--ensemble", "3", NULL);
  prism_cli_harness_refuses (&one, 2, "from 2 to 1000", "sweep", "--ensemble", "1", NULL);
  prism_cli_harness_refuses (&jobs, 2, "from 0 to 1024", "sweep", "--over", "snr=1,2", "--jobs",
                             "-1", NULL);
  prism_cli_harness_refuses (&empty, 3, "“nowhere” has no sweep: choose a directory", "sweep",
                             "--merge", "--output", "nowhere", NULL);
}
