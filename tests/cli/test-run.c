#include "num/prism-metrics.h"
#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

/* A run of a fraction of a second. */
#define TINY                                                                          \
  "--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 " \
  "--set steps=3 --set start_steps=4 --set polish=2"
#define HEADER                                                                             \
  "step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,rmse,cache_hit_rate," \
  "device_bytes,steps_per_second,seconds" PRISM_LATER_METRICS ",cache_bytes,misfit"

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
      g_assert_cmpuint (g_strv_length (cells), ==, 12 + PRISM_N_METRICS);
    }
}

static void
check_summary (const char *text)
{
  CLI_JSON (text, "fourier_ring_correlation.threshold = half-bit",
            "fourier_ring_correlation.radius >= 0",
            "fourier_ring_correlation.radius <= fourier_ring_correlation.largest_radius",
            "final.psnr = finite", "final.ssim = finite", "final.rmse = finite");
}

TEST (every_file_is_written, "/cli/run/files")
{
  static const char *const arrays[] = { "reconstruction.npy", "target.npy", "coverage.npy" };

  g_auto (PrismCliResult) result = cli_clean ("run " TINY " --output a/b");
  HAS (result.output, "Finished after");
  check_csv (cli_file (&result, "a/b/metrics.csv"));
  check_summary (cli_file (&result, "a/b/summary.json"));
  cli_begins (&result, "a/b/reconstruction.png", "\x89PNG");
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    cli_begins (&result, in_folder ("a/b", arrays[i]), "\x93NUMPY");
}

/* A decoder by hand, trained with activations computed twice, and kept. */
TEST (decoder_is_kept, "/cli/run/decoder-is-kept")
{
  g_auto (PrismCliResult) result
      = cli_clean ("run " TINY " --set backend=cpu --set 'channels=20 15 10 5 1' --set latent=9 "
                   "--set initialisation=orthogonal --set keep_decoder=on --output a");
  HAS (result.output, "Decoder for output: ");
  CLI_JSON (cli_file (&result, "a/summary.json"), "decoder.parameters < decoder.parameters_trained",
            "decoder.largest_difference < 1e-5");
  cli_begins (&result, "a/decoder.npz", "PK");
}

TEST (json_is_the_summary, "/cli/run/json")
{
  g_auto (PrismCliResult) result = cli_works ("run " TINY " --set method=decoder --json "
                                              "--output a");
  const char *summary = cli_file (&result, "a/summary.json");
  g_assert_cmpstr (result.output, ==, summary);
  /* Four steps of the start and 18 of samples. */
  CLI_JSON (summary, "counters.steps >= 22", "counters.to_host.frames");
}

/* Passes alone do not explain a few lines, and with lines no exit waves are searched. The steps
 * that the passes took are no start steps; there are enough to be seen by a line a second. */
TEST (progress_begins_anew, "/cli/run/progress/begins-anew")
{
  int step, n_steps;

  g_auto (PrismCliResult) result = cli_works ("run --set object_size=64 --set image_size=256 "
                                              "--set samples=8 --set aperture_radius=7 "
                                              "--set line_length=20 --set snr=30 "
                                              "--set start_steps=4000 --set steps=1");
  LACKS (result.output, "not trained");
  const char *line = strstr (result.output, "start image, step ");
  g_assert_nonnull (line);
  g_assert_cmpint (sscanf (line, "start image, step %d/%d", &step, &n_steps), ==, 2);
  g_assert_cmpint (n_steps, ==, 4000);
  g_assert_cmpint (step, <=, n_steps);
}

TEST (progress_is_lines_and_can_be_silent, "/cli/run/progress")
{
  g_auto (PrismCliResult) result = cli_works ("run " TINY " --set steps=200");
  g_assert_null (strchr (result.output, '\r'));
  HAS (result.output, "Written to prism-output: ");
  cli_set (&result, cli_works ("run " TINY " --quiet"));
  g_assert_cmpstr (result.output, ==, "");
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
  if (g_getenv ("LOCPATH") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 could not be built");
      return;
    }
  g_auto (PrismCliResult) first = cli_works ("run " TINY " --set threads=1");
  g_auto (PrismCliResult) second = cli_works ("LC_ALL=de_DE.UTF-8 run " TINY " --set threads=1");
  cli_same (first.directory, "prism-output/reconstruction.npy", second.directory, NULL);
  g_auto (PrismCliResult) plain = cli_run ("run " TINY);
  g_auto (PrismCliResult) comma = cli_run ("LC_ALL=de_DE.UTF-8 run " TINY);
  const char *b = cli_file (&comma, "prism-output/metrics.csv");
  check_csv (b);
  g_autofree char *timeless_b = dup_timeless (b);
  SAYS (dup_timeless (cli_file (&plain, "prism-output/metrics.csv")), timeless_b);
}

/* Starts an endless run, waits for its first line of progress, sends the signal. */
static void
check_signal (int signal_number,
              int exit_code)
{
  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autoptr (GSubprocess) process
      = cli_start (place.directory, G_SUBPROCESS_FLAGS_STDOUT_PIPE, CLI_HEARS_SIGNALS,
                   "run " TINY " --set steps=100000 --set samples=100");
  g_autoptr (GDataInputStream) lines
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_autofree char *line = cli_read_line (lines, "");

  g_assert_nonnull (line);
  g_subprocess_send_signal (process, signal_number);
  g_assert_null (cli_read_line (lines, "There is no such line"));
  g_assert_cmpint (cli_wait (process), ==, exit_code);
  check_summary (cli_file (&place, "prism-output/summary.json"));
}

TEST (signals_keep_the_result, "/cli/run/signals")
{
  check_signal (SIGINT, 130);
  check_signal (SIGTERM, 143);
  check_signal (SIGHUP, 129);
  check_signal (SIGQUIT, 131);
}

/* Started with nohup, or in the background of a shell without job control. */
TEST (ignored_signals_stay_ignored, "/cli/run/signals/ignored")
{
  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autoptr (GSubprocess) process
      = cli_start (place.directory, G_SUBPROCESS_FLAGS_STDOUT_PIPE, CLI_IGNORES_SIGNALS,
                   "run " TINY " --set steps=2000");
  g_autoptr (GDataInputStream) lines
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_autofree char *line = cli_read_line (lines, "");

  g_assert_nonnull (line);
  g_subprocess_send_signal (process, SIGHUP);
  g_subprocess_send_signal (process, SIGINT);
  g_subprocess_send_signal (process, SIGQUIT);
  g_assert_null (cli_read_line (lines, "There is no such line"));
  g_assert_cmpint (cli_wait (process), ==, 0);
}

/* The reader of the output goes away at once. */
TEST (closed_pipe_keeps_the_result, "/cli/run/closed-pipe")
{
  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autofree char *command
      = g_strdup_printf ("cd '%s' && '%s' run --set image_size=64 --set object_size=16 --set "
                         "aperture_radius=8 --set samples=20 --set steps=50 2>/dev/null | true",
                         place.directory, g_getenv ("PRISM_CLI"));
  MUST (g_spawn_sync (NULL, (char *[]) { "sh", "-c", command, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                      NULL, NULL, NULL, NULL, NULL, &error));
  check_summary (cli_file (&place, "prism-output/summary.json"));
}

static void
check_refused (const char *option,
               const char *value,
               int exit_code,
               const char *part)
{
  g_autofree char *output = NULL;

  g_auto (PrismCliResult) result = cli_run ("run %s %s", option, value);
  cli_check_error (&result, exit_code, part);
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
  cli_refuses (5, "CUDA", "PRISM_MODULE_DIR=/nonexistent run --set backend=cuda");
}

TEST (bad_objects, "/cli/run/bad-objects")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
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
  g_autofree char *summary = NULL;

  g_auto (PrismCliResult) result = cli_run ("PATH=/nowhere run " TINY " --animation x.webm");
  cli_check_error (&result, 3, "GStreamer");
  summary = g_build_filename (result.directory, "prism-output", "summary.json", NULL);
  g_assert_false (g_file_test (summary, G_FILE_TEST_EXISTS));
}

/* An earlier result is replaced as a whole and with a word, never refused. */
TEST (earlier_result, "/cli/run/earlier-result")
{
  g_autofree char *data = NULL;

  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autofree char *output = g_build_filename (place.directory, "o", NULL);
  g_autofree char *decoder = g_build_filename (output, "decoder.npz", NULL);
  g_auto (PrismCliResult) first = cli_clean ("run " TINY " --set keep_decoder=on -o %s", output);
  g_assert_true (g_file_test (decoder, G_FILE_TEST_EXISTS));
  HAS (first.output, "decoder.npz");
  g_auto (PrismCliResult) second = cli_works ("run " TINY " -o %s", output);
  HAS (second.error, "holds the result of an earlier run, which is replaced");
  g_assert_cmpstr (strchr (second.error, '\n'), ==, "\n");
  g_assert_false (g_file_test (decoder, G_FILE_TEST_EXISTS));
  g_auto (PrismCliResult) quiet = cli_clean ("run " TINY " -q -o %s", output);
  cli_set (&quiet, cli_run ("run " TINY " --json -o %s", output));
  g_assert_cmpstr (quiet.error, ==, "");
}

TEST (size_that_cannot_fit_is_refused, "/cli/run/memory")
{
  cli_refuses (4, "TiB", "run --set image_size=4096 --set samples=100000 --set frames=full");
}

TEST (config_and_settings, "/cli/run/config")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "a.prism", NULL);
  g_autofree char *cache = g_build_filename (directory, "cache", NULL);

  MUST (g_file_set_contents (path, "[prism]\nimage_size=64\nobject_size=16\naperture_radius=8\n"
                                   "samples=4\nmethod=epie\npasses=3\n",
                             -1, &error));
  g_auto (PrismCliResult) result = cli_works ("run --config %s --set passes=2", path);
  HAS (result.output, "Finished after 2 passes");
  cli_set (&result, cli_run ("run --config %s --set passes=1", path));
  HAS (result.output, "Finished after 1 pass in");
  cli_set (&result, cli_run ("run --config %s --set passes=2", path));
  check_summary (cli_file (&result, "prism-output/summary.json"));
  /* Of the file, and of the preset below it. */
  cli_set (&result, cli_works ("XDG_CACHE_HOME=%s run --config %s --preset decoder-only "
                               "--dry-run",
                               cache, path));
  HAS (result.output, "\npasses=3\n", "\nconsistency=0\n");
  g_unlink (path);
  test_remove_tree (cache);
}

/* Settings of earlier versions, in both orders. */
TEST (former_settings, "/cli/run/former-settings")
{
  static const char *const settings[] = { "algorithm=prism", "effort=full", "algorithm=prism" };
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (TestFolder) cache = test_folder_new ();

  for (guint i = 0; i < 2; i++)
    {
      cli_set (&result, cli_works ("XDG_CACHE_HOME=%s run " TINY " --dry-run "
                                   "--set algorithm=epie --set %s --set %s",
                                   cache, settings[i],
                                   settings[i + 1]));
      HAS (result.output, "\nmethod=decoder\n");
      LACKS (result.output, "algorithm=");
    }
  cli_set (&result, cli_works ("XDG_CACHE_HOME=%s sweep " TINY " --over algorithm=prism,epie "
                               "--set effort=full --output former",
                               cache));
  HAS (result.output, "method");
}

/* The moments of a run as one file; what cannot become one is refused before the run. */
TEST (animation, "/cli/run/animation")
{
  static const struct
  {
    const char *name, *magic;
  } files[] = { { "x.gif", "GIF89a" }, { "x.apng", "\x89PNG\r\n" } };
  g_auto (PrismCliResult) result = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      cli_set (&result, cli_works ("run " TINY " --animation %s %s", files[i].name,
                                   i == 0 ? "--quiet" : "--animation-panels"));
      cli_begins (&result, files[i].name, files[i].magic);
    }
  cli_set (&result, cli_works ("run " TINY " --quiet --animation two.gif --animation two.apng"));
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    cli_begins (&result, i == 0 ? "two.gif" : "two.apng", files[i].magic);
  cli_refuses (2, ".apng", "run " TINY " --animation x.mp4");
  cli_refuses (2, "from 1 to 60", "run " TINY " --animation x.gif --animation-rate 99");
  cli_refuses (2, "history_size", "run " TINY " --animation x.gif --set history_size=0");
}
