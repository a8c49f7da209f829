#include "prism-cli-harness.h"
#include "prism-test.h"

#include <sys/resource.h>

#define TINY                                                                          \
  "--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 " \
  "--set steps=3 --set start_steps=4 --set polish=0"

TEST (grid, "/cli/sweep/grid")
{
  g_auto (PrismCliResult) result = cli_works ("sweep " TINY " --over snr=10,20 --over "
                                              "aperture_radius=6:12:3 --output a --jobs 2");
  HAS (result.output, "6 of 6 points have a result.");
  g_assert_cmpuint (cli_count (cli_file (&result, "a/sweep.csv"), ",finished,"), ==, 6);
  cli_begins (&result, "a/sweep.png", "\x89PNG");
}

/* What the runs look at is part of what a sweep is, and half a picture is no result. */
TEST (other_data, "/cli/sweep/other-data")
{
  g_autofree char *bytes = NULL;
  gsize length;

  g_auto (PrismCliResult) first = cli_run ("run " TINY " --output o");
  g_autofree char *folder = g_build_filename (first.directory, "o", NULL);
  g_autofree char *object = g_build_filename (folder, "target.npy", NULL);
  g_autofree char *output = g_build_filename (folder, "sweep", NULL);
  g_autofree char *damaged = g_build_filename (output, "point-0001", "reconstruction.npy", NULL);
  g_autofree char *setting = g_strconcat ("object=", object, NULL);
  g_auto (PrismCliResult) again
      = cli_works ("sweep " TINY " --set %s --over snr=10,20 --output %s", setting, output);
  g_assert_cmpint (truncate (damaged, 200), ==, 0);
  cli_set (&again, cli_run ("sweep " TINY " --set %s --over snr=10,20 --output %s", setting,
                            output));
  HAS (again.output, "2 of 2 points have a result");
  g_assert_true (g_file_get_contents (damaged, &bytes, &length, NULL));
  g_assert_cmpuint (length, >, 200);
  g_assert_true (g_file_get_contents (object, &bytes, &length, NULL));
  bytes[length - 1] ^= 1;
  g_assert_true (g_file_set_contents (object, bytes, (gssize) length, NULL));
  cli_refuses (3, "frames, object or start were others", "sweep " TINY " --set %s "
                                                         "--over snr=10,20 --output %s",
               setting, output);
}

/* The members differ in the start of the decoder, and the map says where. */
TEST (ensemble, "/cli/sweep/ensemble")
{
  gsize length, n_bright = 0;

  g_auto (PrismCliResult) result = cli_works ("sweep " TINY " --ensemble 3 --output a");
  HAS (result.output, "Mean of 3 runs of ", " % of its squared error.");
  g_auto (GStrv) lines = g_strsplit (cli_file (&result, "a/sweep.csv"), "\n", -1);
  /* From the metrics on: the times come after them. */
  g_assert_cmpint (strncmp (strstr (lines[1], "finished"), strstr (lines[2], "finished"), 20), !=,
                   0);
  cli_begins (&result, "a/mean.npy", "\x93NUMPY");
  g_autofree char *map = cli_bytes (&result, "a/uncertainty.npy", &length);
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
  g_auto (PrismCliResult) result = cli_run ("sweep " TINY " --set backend=cpu "
                                            "--over backend=cpu,cuda --output a");
  const char *csv = cli_file (&result, "a/sweep.csv");
  g_assert_cmpuint (cli_count (csv, ",finished,"), >=, 1);
  if (cli_count (csv, ",finished,") == 2)
    {
      g_test_skip ("There is a GPU here: nothing fails.");
      return;
    }
  g_assert_cmpint (result.exit_code, ==, 1);
  HAS (result.error, "backend=cuda: CUDA cannot be used");
  g_assert_cmpuint (cli_count (csv, ",failed,"), ==, 1);
}

/* A terminal sends its signals to the sweep and to the runs that it has started. The word of the
 * first point comes when that is over and others are under way.
 *
 * frames: (nullable): that are explained in place of a telescope's */
static void
check_signal (int number,
              const char *frames)
{
  g_auto (PrismCliResult) place = cli_run ("--version");
  const GSubprocessFlags flags = G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE;
  g_autoptr (GSubprocess) process
      = frames != NULL
            ? cli_start (place.directory, flags, CLI_HEARS_SIGNALS,
                         "sweep --measurements %s --over passes=1,9999,9998,9997,9996 --jobs 1 "
                         "--output a",
                         frames)
            : cli_start (place.directory, flags, CLI_HEARS_SIGNALS,
                         "sweep " TINY " --over passes=1,1000,999,998,997 --jobs 1 --output a");
  g_autoptr (GDataInputStream) lines
      = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  g_autofree char *line = cli_read_line (lines, "1 of 5: ");

  g_assert_nonnull (line);
  /* Beyond the search, where it has something to write. */
  if (frames != NULL)
    g_usleep (G_USEC_PER_SEC);
  g_assert_cmpint (kill (-atoi (g_subprocess_get_identifier (process)), number), ==, 0);
  g_assert_cmpint (cli_wait (process), ==, 128 + number);
  const char *csv = cli_file (&place, "a/sweep.csv");
  g_assert_cmpuint (cli_count (csv, ",finished,"), ==, 1);
  g_assert_cmpuint (cli_count (csv, ",missing,"), ==, 4);
  g_assert_false (
      g_file_test (in_folder (place.directory, "a/point-0001/failure.txt"), G_FILE_TEST_EXISTS));
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
  cli_set (result, cli_works ("simulate --set size=32 --set per_side=9 cells.hdf5"));
  return g_build_filename (result->directory, "cells.hdf5", NULL);
}

/* The table has what there is of recorded frames, as summaries have it. */
TEST (recorded, "/cli/sweep/recorded")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *frames = simulate (&place), *folder = NULL;

  g_auto (PrismCliResult) result = cli_works ("sweep --measurements %s --set hold_out=10 "
                                              "--over passes=1,3 --output a --jobs 2",
                                              frames);
  HAS (result.output, "2 of 2 points have a result.", "misfit correlation   seconds  verdict\n");
  LACKS (result.output, "PSNR");
  const char *csv = cli_file (&result, "a/sweep.csv");
  g_assert_true (g_str_has_prefix (csv, "point,passes,state,misfit,correlation,steps,seconds,"
                                        "verdict\n"));
  const char *summary = cli_file (&result, "a/point-0001/summary.json");
  g_autofree char *line = g_strdup_printf ("\n1,3,finished,%.9g,%.9g,3,",
                                           cli_number (summary, "held_out.misfit"),
                                           cli_number (summary, "held_out.correlation"));
  HAS (csv, line);
  cli_begins (&result, "a/sweep.png", "\x89PNG");

  /* Nothing is left to do. */
  folder = g_build_filename (result.directory, "a", NULL);
  g_auto (PrismCliResult) again = cli_works ("sweep --measurements %s --set hold_out=10 --over "
                                             "passes=1,3 --output %s --slurm",
                                             frames, folder);
  HAS (again.output, "Every run has its result.");
  g_auto (PrismCliResult) merged = cli_works ("sweep --merge --quiet --output %s --plot %s "
                                              "--show correlation",
                                              folder, in_folder (result.directory, "map.csv"));
  g_assert_true (g_str_has_prefix (cli_file (&result, "map.csv"), "passes,runs,correlation,"));
}

/* A run that was ended has written what it had: it is no result of the sweep. */
TEST (recorded_signals, "/cli/sweep/recorded/signals")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *frames = simulate (&place);

  check_signal (SIGINT, frames);
}

/* Before the first run begins the frames are read: a signal ends that, too, and it is said. */
TEST (recorded_ready, "/cli/sweep/recorded/ready")
{
  g_auto (PrismCliResult) place = cli_works ("simulate --set size=256 cells.hdf5");
  g_autoptr (GSubprocess) process
      = cli_start (place.directory, G_SUBPROCESS_FLAGS_STDERR_PIPE, CLI_HEARS_SIGNALS,
                   "sweep --measurements cells.hdf5 --over passes=1,2 --output a --quiet");
  g_autofree char *said = NULL, *own = NULL;
  gboolean is_open = FALSE;

  own = g_strdup_printf ("/proc/%s/fd", g_subprocess_get_identifier (process));
  while (!is_open)
    {
      g_autoptr (GDir) files = MUST (g_dir_open (own, 0, &error));
      const char *name;

      while ((name = g_dir_read_name (files)) != NULL)
        {
          g_autofree char *link = g_build_filename (own, name, NULL);
          g_autofree char *target = g_file_read_link (link, NULL);

          is_open = is_open || (target != NULL && g_str_has_suffix (target, "cells.hdf5"));
        }
    }
  g_subprocess_send_signal (process, SIGINT);
  MUST (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &said, &error));
  g_assert_cmpint (cli_wait (process), ==, 130);
  HAS (said, "Stopped");
  g_assert_cmpuint (cli_count (said, "\n"), ==, 1);
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

      cli_set (&again, cli_run ("run -m %s --set %s -o %s", frames, passes, begun));
      cli_set (&again, cli_run ("sweep -m %s --set %s --over passes=1,2 --output %s --slurm",
                                frames, start, sweep));
      g_assert_cmpint (again.exit_code, ==, i == 1 ? 0 : 3);
    }
  cli_check_error (&again, 3, "frames, object or start were others");
}

TEST (recorded_refused, "/cli/sweep/recorded/refused")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *frames = simulate (&place);

  cli_refuses (2, "snr has no effect on recorded frames: leave it out",
               "sweep -m %s --over snr=10,20 -q", frames);
  cli_refuses (2, "--ensemble is of simulated runs", "sweep -m %s --ensemble 3", frames);
  cli_refuses (2, "choose one of misfit, verdict, seconds, steps,",
               "sweep -m %s --over passes=1,2 -q --show psnr", frames);
  cli_refuses (3, "gone.hdf5", "sweep -m gone.hdf5 --over passes=1,2");
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
  g_autoptr (GVariant) told = g_variant_ref_sink (g_variant_new ("(u^aay)", 7u, command));
  g_autofree char *order = g_variant_print (told, TRUE);
  g_autofree char *orders = g_strconcat (order, "\n", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process
      = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
                          g_getenv ("PRISM_CLI"), "crew", NULL);
  g_autofree char *answer = NULL;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, orders, NULL, &answer, NULL, &error));
  g_assert_cmpstr (answer, ==, "(uint32 7, 0, b'')\n");
  HAS (cli_file (&place, "a/summary.json"), "\"held_out\"");
}

/* Links under the names that the program chooses lead nowhere: it writes into its folder alone. */
TEST (planted_links, "/cli/sweep/planted-links")
{
  static const char *const names[] = { "sweep.csv", "sweep.png", "job.sh", "point-0000.prism",
                                       "mean.npy", "uncertainty.png", "frame-00001.png" };

  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autofree char *folder = g_build_filename (place.directory, "a", NULL);
  g_autofree char *target = g_build_filename (place.directory, "target", NULL);
  g_assert_true (g_file_set_contents (target, "mine", -1, NULL));
  /* There must be a plan, or they are others' files. */
  g_auto (PrismCliResult) script = cli_works ("sweep " TINY " --ensemble 2 --output %s --slurm",
                                              folder);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_unlink (path);
      g_assert_cmpint (symlink (target, path), ==, 0);
    }
  cli_set (&script, cli_works ("sweep " TINY " --ensemble 2 --output %s --slurm", folder));
  g_auto (PrismCliResult) sweep = cli_works ("sweep " TINY " --ensemble 2 --output %s", folder);
  g_auto (PrismCliResult) film = cli_works ("run " TINY " --animation %s --force", folder);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
      g_assert_false (g_file_test (path, G_FILE_TEST_IS_SYMLINK));
    }
  SAYS (file_text (target), "mine");
}

TEST (script, "/cli/sweep/script")
{
  g_auto (PrismCliResult) result = cli_works ("sweep " TINY " --over snr=10,20 --output 'a b' "
                                              "--slurm --slurm-option --time=5 --jobs 1");
  HAS (result.output, "sbatch 'a b/job.sh'\n");
  HAS (cli_file (&result, "a b/job.sh"), "#SBATCH --array=0-1%1\n", "#SBATCH --time=5\n");
}

/* The script as Slurm would start it, in a folder whose name a shell would like to run. */
TEST (script_runs, "/cli/sweep/script/runs")
{
  const char *folder = "it's $(touch pwned) `touch pwned` ${HOME} %j %% \"b\" \\ #; touch pwned";
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autofree char *summary = NULL;

  g_auto (PrismCliResult) result
      = cli_works ("sweep " TINY " --over snr=10,20 --output %s --slurm", folder);
  summary = g_build_filename (result.directory, folder, "point-0001", "summary.json", NULL);
  g_subprocess_launcher_set_cwd (launcher, result.directory);
  g_subprocess_launcher_setenv (launcher, "SLURM_ARRAY_TASK_ID", "1", TRUE);
  g_autoptr (GSubprocess) process = MUST (
      g_subprocess_launcher_spawn (launcher, &error, "bash", in_folder (folder, "job.sh"), NULL));
  g_assert_true (MUST (g_subprocess_wait_check (process, NULL, &error)));
  g_assert_true (g_file_test (summary, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (in_folder (result.directory, "pwned"), G_FILE_TEST_EXISTS));
}

/* The frames and what says how they are read come with each job. */
TEST (recorded_script, "/cli/sweep/recorded/script")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *frames = simulate (&place), *part = NULL;

  g_auto (PrismCliResult) result = cli_works ("sweep -m %s --assign na=0.1 --over passes=1,2 "
                                              "--output a --quiet --slurm",
                                              frames);
  part = g_strdup_printf (" run --quiet '--measurements' '%s' '--assign' 'na=0.1' --config ",
                          frames);
  HAS (cli_file (&result, "a/job.sh"), part);
}

/* Everything after an end of line would be a command. */
TEST (script_is_one_line_an_option, "/cli/sweep/script/control")
{
  static const char *const bad[] = { "a\ntouch pwned\n", "a\rb", "a\tb", NULL };

  for (gsize i = 0; bad[i] != NULL; i++)
    {
      g_autofree char *script = g_build_filename (bad[i], "job.sh", NULL), *path = NULL;

      g_auto (PrismCliResult) folder
          = cli_run ("sweep " TINY " --over snr=10,20 --output %s --slurm", bad[i]);
      cli_check_error (&folder, 2, "has a control character");
      path = g_build_filename (folder.directory, script, NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      cli_refuses (2, "--slurm-option", "sweep " TINY " --over snr=10,20 --output a --slurm "
                                        "--slurm-option %s",
                   bad[i]);
    }
}

/* Of a sheet of many images no more than a row is in memory: the whole would be 220 MiB. */
TEST (large_sheet, "/cli/sweep/large-sheet")
{
  struct rusage usage;
  gsize length;

  g_auto (PrismCliResult) plan = cli_works ("sweep " TINY " --over training_seed=0:399:400 "
                                            "--output a --slurm");
  g_auto (PrismCliResult) result
      = cli_run ("sweep --merge --quiet --output %s", in_folder (plan.directory, "a"));
  g_assert_cmpint (result.exit_code, ==, 1);
  g_autofree char *png = cli_bytes (&plan, "a/sweep.png", &length);
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
  gsize length;

  g_auto (PrismCliResult) result = cli_works ("sweep " TINY " --over snr=10,20 "
                                              "--over aperture_radius=6,8 --over seed=0,1 "
                                              "--output a --keep-runs --plot map.png");
  g_autofree char *run = cli_bytes (&result, "a/point-0007.prismrun", &length);
  g_assert_cmpuint (length, >, 10000);
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_auto (PrismCliResult) merged = cli_works ("sweep --merge --force --quiet --output %s "
                                                  "--plot %s --show rmse",
                                                  in_folder (result.directory, "a"),
                                                  in_folder (result.directory, heads[i][0]));
      cli_begins (&result, heads[i][0], heads[i][1]);
    }
  const char *csv = cli_file (&result, "map.csv");
  g_assert_cmpuint (cli_count (csv, "\n"), ==, 5);
  HAS (csv, "\n20,8,2,");
}

TEST (refused, "/cli/sweep/refused")
{
  cli_refuses (2, "A sweep needs something to go over", "sweep " TINY);
  cli_refuses (2, "cannot be combined", "sweep --over snr=1,2 --ensemble 3");
  cli_refuses (2, "from 2 to 1000", "sweep --ensemble 1");
  cli_refuses (2, "from 0 to 1024", "sweep --over snr=1,2 --jobs -1");
  cli_refuses (3, "“nowhere” has no sweep: choose a directory", "sweep --merge --output nowhere");
}
