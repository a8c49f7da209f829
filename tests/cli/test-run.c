#include "config.h"

#include "num/prism-metrics.h"
#include "prism-cli-harness.h"

#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

#include <signal.h>

/* A run of a fraction of a second. */
#define TINY                                                                                  \
  "--set", "image_size=64", "--set", "object_size=16", "--set", "aperture_radius=8", "--set", \
      "samples=6", "--set", "steps=3", "--set", "start_steps=4", "--set", "polish=2"
#define HEADER                                                                             \
  "step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,rmse,cache_hit_rate," \
  "device_bytes,steps_per_second,seconds" PRISM_LATER_METRICS ",cache_bytes"

static void
check_csv (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_assert_cmpstr (lines[0], ==, HEADER);
  /* Four start steps, six samples of three steps, and the polish. */
  g_assert_cmpuint (g_strv_length (lines), >=, 1 + 4 + 18 + 2);
  for (guint i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], ",", -1);
      g_assert_cmpuint (g_strv_length (cells), ==, 11 + PRISM_N_METRICS);
    }
}

static void
check_summary (const char *text)
{
  g_autoptr (JsonNode) root = prism_cli_harness_parse (text);
  JsonObject *final = json_object_get_object_member (json_node_get_object (root), "final");
  JsonObject *correlation
      = json_object_get_object_member (json_node_get_object (root), "fourier_ring_correlation");
  double radius = json_object_get_double_member (correlation, "radius");

  g_assert_nonnull (final);
  g_assert_cmpstr (json_object_get_string_member (correlation, "threshold"), ==, "half-bit");
  g_assert_cmpfloat (radius, >=, 0.0);
  g_assert_cmpfloat (radius, <=, json_object_get_int_member (correlation, "largest_radius"));
  g_assert_true (isfinite (json_object_get_double_member (final, "psnr")));
  g_assert_true (isfinite (json_object_get_double_member (final, "ssim")));
  g_assert_true (isfinite (json_object_get_double_member (final, "rmse")));
}

TEST (every_file_is_written, "/cli/run/files")
{
  static const char *const arrays[] = { "reconstruction.npy", "target.npy", "coverage.npy" };
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *csv = NULL;
  g_autofree char *summary = NULL;
  g_autofree char *png = NULL;

  prism_cli_harness_run (&result, NULL, "run", TINY, "--output", "a/b", NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "Finished after"));
  csv = prism_cli_harness_dup_file (&result, "a/b/metrics.csv", NULL);
  check_csv (csv);
  summary = prism_cli_harness_dup_file (&result, "a/b/summary.json", NULL);
  check_summary (summary);
  png = prism_cli_harness_dup_file (&result, "a/b/reconstruction.png", NULL);
  g_assert_cmpmem (png, 4, "\x89PNG", 4);
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      g_autofree char *name = g_build_filename ("a/b", arrays[i], NULL);
      g_autofree char *data = prism_cli_harness_dup_file (&result, name, NULL);
      g_assert_cmpmem (data, 6, "\x93NUMPY", 6);
    }
}

/* A decoder by hand, trained with activations computed twice, and kept. */
TEST (decoder_is_kept, "/cli/run/decoder-is-kept")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *summary = NULL;
  g_autofree char *archive = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *decoder;

  prism_cli_harness_run (&result, NULL, "run", TINY, "--set", "backend=cpu", "--set",
                         "channels=20 15 10 5 1", "--set", "latent=9", "--set",
                         "initialisation=orthogonal", "--set", "keep_decoder=on", "--output", "a",
                         NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "Decoder for output: "));
  summary = prism_cli_harness_dup_file (&result, "a/summary.json", NULL);
  root = prism_cli_harness_parse (summary);
  decoder = json_object_get_object_member (json_node_get_object (root), "decoder");
  g_assert_cmpint (json_object_get_int_member (decoder, "parameters"), <,
                   json_object_get_int_member (decoder, "parameters_trained"));
  g_assert_cmpfloat (json_object_get_double_member (decoder, "largest_difference"), <, 1e-5);
  archive = prism_cli_harness_dup_file (&result, "a/decoder.npz", NULL);
  g_assert_cmpmem (archive, 2, "PK", 2);
}

TEST (json_is_the_summary, "/cli/run/json")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *summary = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *counters;

  prism_cli_harness_works (&result, "run", TINY, "--set", "method=decoder", "--json", "--output",
                           "a", NULL);
  summary = prism_cli_harness_dup_file (&result, "a/summary.json", NULL);
  g_assert_cmpstr (result.output, ==, summary);
  root = prism_cli_harness_parse (summary);
  counters = json_object_get_object_member (json_node_get_object (root), "counters");
  g_assert_cmpint (json_object_get_int_member (counters, "steps"), >=, 4 + 18);
  g_assert_true (json_object_has_member (json_object_get_object_member (counters, "to_host"),
                                         "frames"));
}

/* Passes alone do not explain a few lines, and with lines no exit waves are searched. The steps
 * that the passes took are no start steps; there are enough to be seen by a line a second. */
TEST (progress_begins_anew, "/cli/run/progress/begins-anew")
{
  g_auto (PrismCliResult) result = { 0 };
  const char *line;
  int step, n_steps;

  prism_cli_harness_works (&result, "run", "--set", "object_size=64", "--set", "image_size=256",
                           "--set", "samples=8", "--set", "aperture_radius=7", "--set",
                           "line_length=20", "--set", "snr=30", "--set", "start_steps=4000",
                           "--set", "steps=1", NULL);
  g_assert_null (strstr (result.output, "not trained"));
  line = strstr (result.output, "start image, step ");
  g_assert_nonnull (line);
  g_assert_cmpint (sscanf (line, "start image, step %d/%d", &step, &n_steps), ==, 2);
  g_assert_cmpint (n_steps, ==, 4000);
  g_assert_cmpint (step, <=, n_steps);
}

TEST (progress_is_lines_and_can_be_silent, "/cli/run/progress")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_works (&result, "run", TINY, "--set", "steps=200", NULL);
  g_assert_null (strchr (result.output, '\r'));
  g_assert_nonnull (strstr (result.output, "Written to prism-output: "));
  prism_cli_harness_works (&result, "run", TINY, "--quiet", NULL);
  g_assert_cmpstr (result.output, ==, "");
}

static void
assert_same_result (const char *const *environment,
                    const char *setting)
{
  g_auto (PrismCliResult) first = { 0 };
  g_auto (PrismCliResult) second = { 0 };
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  gsize n_a, n_b;

  prism_cli_harness_run (&first, NULL, "run", TINY, "--set", "threads=1", NULL);
  prism_cli_harness_run (&second, environment, "run", TINY, "--set", setting, NULL);
  g_assert_cmpint (first.exit_code, ==, 0);
  g_assert_cmpint (second.exit_code, ==, 0);
  a = prism_cli_harness_dup_file (&first, "prism-output/reconstruction.npy", &n_a);
  b = prism_cli_harness_dup_file (&second, "prism-output/reconstruction.npy", &n_b);
  g_assert_cmpmem (a, n_a, b, n_b);
}

/* All but the columns that hold times and what follows from them. */
static char *
dup_timeless (const char *csv)
{
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (char **line = lines; *line != NULL; line++)
    {
      g_auto (GStrv) cells = g_strsplit (*line, ",", -1);

      for (guint i = 0; i < g_strv_length (cells) && i < 10; i++)
        g_string_append_printf (text, "%s,", cells[i]);
      g_string_append_c (text, '\n');
    }
  return g_strdup (text->str);
}

TEST (comma_locale, "/cli/run/comma-locale")
{
  const char *const environment[] = { "LC_ALL", "de_DE.UTF-8", NULL };
  g_auto (PrismCliResult) plain = { 0 };
  g_auto (PrismCliResult) comma = { 0 };
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  g_autofree char *timeless_a = NULL;
  g_autofree char *timeless_b = NULL;

  if (g_getenv ("LOCPATH") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 could not be built");
      return;
    }
  assert_same_result (environment, "threads=1");
  prism_cli_harness_run (&plain, NULL, "run", TINY, NULL);
  prism_cli_harness_run (&comma, environment, "run", TINY, NULL);
  a = prism_cli_harness_dup_file (&plain, "prism-output/metrics.csv", NULL);
  b = prism_cli_harness_dup_file (&comma, "prism-output/metrics.csv", NULL);
  check_csv (b);
  timeless_a = dup_timeless (a);
  timeless_b = dup_timeless (b);
  g_assert_cmpstr (timeless_a, ==, timeless_b);
}

/* Starts an endless run, waits for its first line of progress, sends the signal. */
/* As a terminal starts programs: tests themselves may run in the background of a shell. */
static void
hear_signals (gpointer data)
{
  signal (SIGHUP, SIG_DFL);
  signal (SIGINT, SIG_DFL);
  signal (SIGQUIT, SIG_DFL);
}

static void
check_signal (int signal_number,
              int exit_code)
{
  g_auto (PrismCliResult) place = { 0 };
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GDataInputStream) lines = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;
  g_autofree char *summary = NULL;

  prism_cli_harness_run (&place, NULL, "--version", NULL);
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_subprocess_launcher_set_cwd (launcher, place.directory);
  g_subprocess_launcher_set_child_setup (launcher, hear_signals, NULL, NULL);
  process = MUST (g_subprocess_launcher_spawn (launcher, &error, g_getenv ("PRISM_CLI"), "run",
                                               TINY, "--set", "steps=100000", "--set",
                                               "samples=100", NULL));
  lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  line = g_data_input_stream_read_line (lines, NULL, NULL, &error);
  g_assert_nonnull (line);
  g_subprocess_send_signal (process, signal_number);
  while (line != NULL)
    {
      g_free (line);
      line = g_data_input_stream_read_line (lines, NULL, NULL, NULL);
    }
  g_assert_true (g_subprocess_wait (process, NULL, &error));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, exit_code);
  summary = prism_cli_harness_dup_file (&place, "prism-output/summary.json", NULL);
  check_summary (summary);
}

TEST (signals_keep_the_result, "/cli/run/signals")
{
  check_signal (SIGINT, 130);
  check_signal (SIGTERM, 143);
  check_signal (SIGHUP, 129);
  check_signal (SIGQUIT, 131);
}

static void
ignore_signals (gpointer data)
{
  signal (SIGHUP, SIG_IGN);
  signal (SIGINT, SIG_IGN);
  signal (SIGQUIT, SIG_IGN);
}

/* Started with nohup, or in the background of a shell without job control. */
TEST (ignored_signals_stay_ignored, "/cli/run/signals/ignored")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GDataInputStream) lines = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  prism_cli_harness_run (&place, NULL, "--version", NULL);
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_subprocess_launcher_set_cwd (launcher, place.directory);
  g_subprocess_launcher_set_child_setup (launcher, ignore_signals, NULL, NULL);
  process = MUST (g_subprocess_launcher_spawn (launcher, &error, g_getenv ("PRISM_CLI"), "run",
                                               TINY,
                                               "--set", "steps=2000", NULL));
  lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  line = g_data_input_stream_read_line (lines, NULL, NULL, &error);
  g_assert_nonnull (line);
  g_subprocess_send_signal (process, SIGHUP);
  g_subprocess_send_signal (process, SIGINT);
  g_subprocess_send_signal (process, SIGQUIT);
  while (line != NULL)
    {
      g_free (line);
      line = g_data_input_stream_read_line (lines, NULL, NULL, NULL);
    }
  g_assert_true (MUST (g_subprocess_wait_check (process, NULL, &error)));
}

/* The reader of the output goes away at once. */
TEST (closed_pipe_keeps_the_result, "/cli/run/closed-pipe")
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *command = NULL;
  g_autofree char *summary = NULL;

  prism_cli_harness_run (&place, NULL, "--version", NULL);
  command = g_strdup_printf ("cd '%s' && '%s' run --set image_size=64 --set object_size=16 --set "
                             "aperture_radius=8 --set samples=20 --set steps=50 2>/dev/null | true",
                             place.directory, g_getenv ("PRISM_CLI"));
  MUST (g_spawn_sync (NULL, (char *[]) { "sh", "-c", command, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                      NULL,
                      NULL, NULL, NULL, NULL, &error));
  summary = prism_cli_harness_dup_file (&place, "prism-output/summary.json", NULL);
  check_summary (summary);
}

static void
check_refused (const char *option,
               const char *value,
               int exit_code,
               const char *part)
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *output = NULL;

  prism_cli_harness_run (&result, NULL, "run", option, value, NULL);
  prism_cli_harness_check_error (&result, exit_code, part);
  output = g_build_filename (result.directory, "prism-output", "summary.json", NULL);
  g_assert_false (g_file_test (output, G_FILE_TEST_EXISTS));
}

TEST (bad_parameters, "/cli/run/bad-parameters")
{
  check_refused ("--set", "image_sise=64", 2, "did you mean “image_size”");
  check_refused ("-s", "image_sise=64", 2, "did you mean “image_size”");
  check_refused ("--set", "snr=nan", 2, "0 to 100 dB");
  check_refused ("--set", "image_size=100", 2, "power of two");
  check_refused ("--set", "steps", 2, "no “=”");
  check_refused ("--preset", "fast", 2, "quick-look");
  check_refused ("--config", "/no/such/file.prism", 3, "/no/such/file.prism");
  check_refused ("--config", "/", 3, "directory");
}

TEST (missing_device, "/cli/run/missing-device")
{
  const char *const environment[] = { "PRISM_MODULE_DIR", "/nonexistent", NULL };
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_run (&result, environment, "run", "--set", "backend=cuda", NULL);
  prism_cli_harness_check_error (&result, 5, "CUDA");
}

TEST (bad_objects, "/cli/run/bad-objects")
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("prism-objects-XXXXXX", &error);
  g_autofree char *empty = g_build_filename (directory, "empty.png", NULL);
  g_autofree char *broken = g_build_filename (directory, "broken %s.png", NULL);
  g_autofree char *set_empty = g_strconcat ("object=", empty, NULL);
  g_autofree char *set_broken = g_strconcat ("object=", broken, NULL);
  g_autofree char *set_directory = g_strconcat ("object=", directory, NULL);

  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  g_assert_true (g_file_set_contents (broken, "\x89PNG\r\n\x1a\n but no more", -1, NULL));
  check_refused ("--set", "object=/no/such/image.png", 3, "/no/such/image.png");
  check_refused ("--set", set_empty, 3, "empty.png");
  check_refused ("--set", set_broken, 3, "broken %s.png");
  check_refused ("--set", set_directory, 3, "directory");
  g_unlink (empty);
  g_unlink (broken);
  g_rmdir (directory);
}

TEST (output_is_checked_first, "/cli/run/bad-output")
{
  check_refused ("--output", "/dev/null/here", 3, "/dev/null/here");
  check_refused ("--output", "/proc/here", 3, "/proc/here");
  check_refused ("--report", "no/such/report.html", 3, "no/such/report.html");
  check_refused ("--animation", "no/such/film.gif", 3, "no/such/film.gif");
}

/* A video that cannot be made is no reason to compute first. */
TEST (video_is_checked_first, "/cli/run/video-is-checked-first")
{
  static const char *const environment[] = { "PATH", "/nowhere", NULL };
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *summary = NULL;

  prism_cli_harness_run (&result, environment, "run", TINY, "--animation", "x.webm", NULL);
  prism_cli_harness_check_error (&result, 3, "GStreamer");
  summary = g_build_filename (result.directory, "prism-output", "summary.json", NULL);
  g_assert_false (g_file_test (summary, G_FILE_TEST_EXISTS));
}

/* An earlier result is replaced as a whole and with a word, never refused. */
TEST (earlier_result, "/cli/run/earlier-result")
{
  g_auto (PrismCliResult) place = { 0 }, first = { 0 }, second = { 0 }, quiet = { 0 };
  g_autofree char *output = NULL, *decoder = NULL, *data = NULL;

  prism_cli_harness_run (&place, NULL, "--version", NULL);
  output = g_build_filename (place.directory, "o", NULL);
  decoder = g_build_filename (output, "decoder.npz", NULL);
  prism_cli_harness_run (&first, NULL, "run", TINY, "--set", "keep_decoder=on", "-o", output, NULL);
  g_assert_cmpstr (first.error, ==, "");
  g_assert_true (g_file_test (decoder, G_FILE_TEST_EXISTS));
  g_assert_nonnull (strstr (first.output, "decoder.npz"));
  prism_cli_harness_works (&second, "run", TINY, "-o", output, NULL);
  g_assert_nonnull (strstr (second.error, "holds the result of an earlier run, which is replaced"));
  g_assert_cmpstr (strchr (second.error, '\n'), ==, "\n");
  g_assert_false (g_file_test (decoder, G_FILE_TEST_EXISTS));
  prism_cli_harness_run (&quiet, NULL, "run", TINY, "-q", "-o", output, NULL);
  g_assert_cmpstr (quiet.error, ==, "");
  prism_cli_harness_run (&quiet, NULL, "run", TINY, "--json", "-o", output, NULL);
  g_assert_cmpstr (quiet.error, ==, "");
}

TEST (size_that_cannot_fit_is_refused, "/cli/run/memory")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 4, "TiB", "run", "--set", "image_size=4096", "--set",
                             "samples=100000", "--set", "frames=full", NULL);
}

TEST (config_and_settings, "/cli/run/config")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("prism-run-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "a.prism", NULL);
  g_autofree char *summary = NULL;
  g_autofree char *cache = g_build_filename (directory, "cache", NULL);
  const char *const environment[] = { "XDG_CACHE_HOME", cache, NULL };

  MUST (g_file_set_contents (path,
                             "[prism]\nimage_size=64\nobject_size=16\naperture_radius=8\n"
                             "samples=4\nmethod=epie\npasses=3\n",
                             -1, &error));
  prism_cli_harness_works (&result, "run", "--config", path, "--set", "passes=2", NULL);
  g_assert_nonnull (strstr (result.output, "Finished after 2 passes"));
  prism_cli_harness_run (&result, NULL, "run", "--config", path, "--set", "passes=1", NULL);
  g_assert_nonnull (strstr (result.output, "Finished after 1 pass in"));
  prism_cli_harness_run (&result, NULL, "run", "--config", path, "--set", "passes=2", NULL);
  summary = prism_cli_harness_dup_file (&result, "prism-output/summary.json", NULL);
  check_summary (summary);
  /* Of the file, and of the preset below it. */
  prism_cli_harness_run (&result, environment, "run", "--config", path, "--preset", "decoder-only",
                         "--dry-run", NULL);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "\npasses=3\n"));
  g_assert_nonnull (strstr (result.output, "\nconsistency=0\n"));
  g_unlink (path);
  test_remove_tree (cache);
  g_rmdir (directory);
}

/* Settings of earlier versions, in both orders. */
TEST (former_settings, "/cli/run/former-settings")
{
  static const char *const settings[] = { "algorithm=prism", "effort=full", "algorithm=prism" };
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *cache = g_dir_make_tmp ("prism-cache-XXXXXX", NULL);
  const char *const environment[] = { "XDG_CACHE_HOME", cache, NULL };

  for (guint i = 0; i < 2; i++)
    {
      prism_cli_harness_run (&result, environment, "run", TINY, "--dry-run", "--set",
                             "algorithm=epie", "--set", settings[i], "--set", settings[i + 1],
                             NULL);
      g_assert_cmpint (result.exit_code, ==, 0);
      g_assert_nonnull (strstr (result.output, "\nmethod=decoder\n"));
      g_assert_null (strstr (result.output, "algorithm="));
    }
  prism_cli_harness_run (&result, environment, "sweep", TINY, "--over", "algorithm=prism,epie",
                         "--set", "effort=full", "--output", "former", NULL);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "method"));
  test_remove_tree (cache);
}

/* The moments of a run as one file; what cannot become one is refused before the run. */
TEST (animation, "/cli/run/animation")
{
  static const struct
  {
    const char *name;
    const char *magic;
  } files[] = { { "x.gif", "GIF89a" }, { "x.apng", "\x89PNG\r\n" } };
  g_auto (PrismCliResult) result = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *data = NULL;

      prism_cli_harness_works (&result, "run", TINY, "--animation", files[i].name,
                               i == 0 ? "--quiet" : "--animation-panels", NULL);
      data = prism_cli_harness_dup_file (&result, files[i].name, NULL);
      g_assert_cmpmem (data, 6, files[i].magic, 6);
    }
  prism_cli_harness_works (&result, "run", TINY, "--quiet", "--animation", "two.gif", "--animation",
                           "two.apng", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *data
          = prism_cli_harness_dup_file (&result, i == 0 ? "two.gif" : "two.apng", NULL);

      g_assert_cmpmem (data, 6, files[i].magic, 6);
    }
  prism_cli_harness_refuses (&result, 2, ".apng", "run", TINY, "--animation", "x.mp4", NULL);
  prism_cli_harness_refuses (&result, 2, "from 1 to 60", "run", TINY, "--animation", "x.gif",
                             "--animation-rate", "99", NULL);
  prism_cli_harness_refuses (&result, 2, "history_size", "run", TINY, "--animation", "x.gif",
                             "--set", "history_size=0", NULL);
}
