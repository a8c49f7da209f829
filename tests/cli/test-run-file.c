#include "formats/prism-npy.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

#define tear_down NULL

/* run --save, run --resume, inspect and export, end to end. */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED TRUE
#else
#define IS_SANITIZED FALSE
#endif

#define TINY                                                                          \
  "--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 " \
  "--set steps=3 --set start_steps=4 --set polish=2"

typedef struct
{
  const char *directory;
  const char *path, *fork;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->directory = OWN (test_folder_free, test_folder_new ());
  fixture->path = in_folder (fixture->directory, "a.prismrun");
  fixture->fork = in_folder (fixture->directory, "b.prismrun");
}

/* The times of day differ by when they were written, and nothing else does. */
static void
check_events (const PrismCliResult *run,
              const PrismCliResult *exported)
{
  const char *const name = "t/1/events.out.tfevents.0.prism-studio";
  gsize n_left, n_right;
  g_autofree char *left = cli_bytes (run, name, &n_left);
  g_autofree char *right = cli_bytes (exported, name, &n_right);

  g_assert_cmpuint (n_left, ==, n_right);
  g_assert_cmpmem (left, 12, right, 12);
}

TEST_FIXTURE (save_and_export, "/cli/run-file/save-and-export")
{
  static const char *const files[]
      = { "reconstruction.npy", "target.npy", "measurement.npy", "coverage.npy", "centers.npy",
          "metrics.csv", "frc.csv", "reconstruction.png", "summary.json" };

  g_auto (PrismCliResult) run = cli_clean ("run " TINY " --save %s -o o --tensorboard t/1",
                                           self->path);
  g_auto (PrismCliResult) exported = cli_clean ("export %s -o o --tensorboard t/1", self->path);
  HAS (exported.output, "Written to o: ", "Written to t/1: ");
  check_events (&run, &exported);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    cli_same (run.directory, in_folder ("o", files[i]), exported.directory, NULL);
  cli_refuses (2, "is there already", "run " TINY " --save %s", self->path);
}

/* Three frames of 64 px: two images explain them. */
#define DOUBTFUL                                                                             \
  "--set image_size=64 --set object_size=20 --set aperture_radius=6 --set samples=3 "        \
  "--set snr=25 --set steps=4 --set polish=20 --set object=ice-moon --set object_invert=on " \
  "--set backend=cpu"

static void
check_ambiguous (const PrismCliResult *run)
{
  const char *text = cli_file (run, "o/summary.json");

  CLI_JSON (text, "verdict.kind = ambiguous", "verdict.difference > 0.04");
  g_assert_true (g_str_has_prefix (cli_file (run, "o/second.png") + 1, "PNG"));
}

/* Both images of a run whose verdict is ambiguous are in its file and its results. */
TEST_FIXTURE (second_picture, "/cli/run-file/second-picture")
{
  g_auto (PrismCliResult) run = cli_clean ("run " DOUBTFUL " --save %s -o o", self->path);
  HAS (run.output, "Two different images");
  g_auto (PrismCliResult) exported = cli_clean ("export %s -o o", self->path);
  check_ambiguous (&run);
  check_ambiguous (&exported);
  cli_same (run.directory, "o/second.npy", exported.directory, NULL);
  g_auto (PrismCliResult) report = cli_clean ("report --html a.html --pdf a.pdf %s", self->path);
  HAS (cli_file (&report, "a.html"), "The other picture");
}

/* A long run is killed when its file is there. */
static void
save_killed_run (const char *path)
{
  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autoptr (GSubprocess) process
      = cli_start (place.directory, G_SUBPROCESS_FLAGS_STDOUT_PIPE, CLI_HEARS_SIGNALS,
                   "run " TINY " --set passes=1000 --set keep_decoder=on "
                   "--set autosave_samples=1 --save %s",
                   path);
  g_autoptr (GDataInputStream) lines
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));

  do
    {
      g_autofree char *line = cli_read_line (lines, "");

      g_assert_nonnull (line);
    }
  while (!g_file_test (path, G_FILE_TEST_EXISTS));
  g_subprocess_force_exit (process);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
}

/* The file has the weights, from which export makes what run wrote; of a run that is not over there
 * is none, and export says so. */
TEST_FIXTURE (decoder_is_exported, "/cli/run-file/decoder")
{
  g_auto (PrismCliResult) run = cli_clean ("run " TINY " --set backend=cpu --set keep_decoder=on "
                                           "--save %s -q -o o",
                                           self->path);
  g_auto (PrismCliResult) exported = cli_clean ("export %s -o o", self->path);
  cli_same (run.directory, "o/decoder.npz", exported.directory, NULL);

  save_killed_run (self->fork);
  g_auto (PrismCliResult) half = cli_works ("export %s -o o", self->fork);
  cli_check_error (&half, 0, "the run is not at its end");
  g_assert_false (g_file_test (in_folder (half.directory, "o", "decoder.npz"), G_FILE_TEST_EXISTS));
}

/* Where a file was found is true from any directory, in which reports are made of the run later. */
TEST_FIXTURE (object_is_found_again, "/cli/run-file/object")
{
  static const char array[] = "\x93NUMPY\1\0\x46\0{'descr': '|b1', 'fortran_order': False, "
                              "'shape': (2, 2), }          \n\1\0\0\1";
  g_autofree char *name = g_path_get_basename (self->directory);
  g_autofree char *path = g_build_filename (self->directory, "a.npy", NULL);
  g_autofree char *relative = g_strdup_printf ("object=../%s/a.npy", name);
  g_autofree char *absolute = g_strdup_printf ("object=%s\n", path);

  g_assert_true (g_file_set_contents (path, array, sizeof array - 1, NULL));
  g_auto (PrismCliResult) run = cli_clean ("run " TINY " --set %s --save %s -q", relative,
                                           self->path);
  g_auto (PrismCliResult) text = cli_run ("inspect %s", self->path);
  HAS (text.output, absolute);
}

TEST_FIXTURE (inspect, "/cli/run-file/inspect")
{
  g_auto (PrismCliResult) run = cli_clean ("run " TINY " --save %s -q", self->path);
  g_auto (PrismCliResult) text = cli_clean ("inspect %s", self->path);
  g_assert_true (g_str_has_prefix (text.output, "finished, begun "));
  HAS (text.output, "image_size=64");
  g_auto (PrismCliResult) json = cli_clean ("inspect --json %s", self->path);
  CLI_JSON (json.output, "state = finished", "damaged = 0");
  cli_refuses (3, "none.prismrun", "inspect none.prismrun");
}

/* What is under way then is a pass over all samples, and no sample. The run stands still while its
 * file is looked at: on a busy machine it would be over before a second look. */
TEST_FIXTURE (inspect_in_polish, "/cli/run-file/inspect/polish")
{
  GSubprocess *process = MUST (g_subprocess_new (
      G_SUBPROCESS_FLAGS_NONE, &error, g_getenv ("PRISM_CLI"), "run", "-q", "-o", self->directory,
      "--set", "image_size=256", "--set", "object_size=64", "--set", "aperture_radius=16", "--set",
      "samples=60", "--set", "steps=1", "--set", "start_steps=1", "--set", "polish=1000", "--set",
      "method=decoder", "--set", "autosave_samples=1", "--save", self->path, NULL));
  gboolean polishes = FALSE, finished = FALSE;

  while (!polishes && !finished)
    {
      g_usleep (G_USEC_PER_SEC / 50);
      g_subprocess_send_signal (process, SIGSTOP);
      g_auto (PrismCliResult) text = cli_run ("inspect %s", self->path);
      g_subprocess_send_signal (process, SIGCONT);
      finished = g_str_has_prefix (text.output, "finished");
      polishes = strstr (text.output, ", pass ") != NULL;
    }
  g_subprocess_force_exit (process);
  g_subprocess_wait (process, NULL, NULL);
  g_object_unref (process);
  g_assert_true (polishes);
}

/* A name that a terminal would obey, in the configuration that the file holds. */
TEST_FIXTURE (inspect_masks_control_characters, "/cli/run-file/inspect/control")
{
  g_autofree char *array = g_test_build_filename (G_TEST_DIST, "data", "moon64.npy", NULL);
  g_autofree char *object = g_build_filename (self->directory, "\x1b[2J\xc2\2332J.npy", NULL);
  g_autofree char *setting = g_strconcat ("object=", object, NULL);
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (array, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (object, contents, (gssize) length, NULL));
  g_auto (PrismCliResult) run = cli_clean ("run " TINY " --set %s --save %s -q", setting,
                                           self->path);
  g_auto (PrismCliResult) text = cli_clean ("inspect %s", self->path);
  g_assert_null (strchr (text.output, '\x1b'));
  LACKS (text.output, "\xc2\x9b");
  HAS (text.output, "?[2J?2J.npy\n");
}

/* Where Debian has it; the name of the architecture is in its path. */
static char *
find_faketime (void)
{
  static const char *const folders[] = { "/usr/lib", "/usr/lib/x86_64-linux-gnu",
                                         "/usr/lib/aarch64-linux-gnu" };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (folders[i], "faketime", "libfaketime.so.1", NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  return NULL;
}

/* A computer whose battery is empty, or whose clock is in the year 11500. */
TEST_FIXTURE (clock_is_wrong, "/cli/run-file/clock")
{
  static const char *const years[] = { "-56y", "+9475y" };
  g_autofree char *library = find_faketime ();

  if (library == NULL || IS_SANITIZED)
    {
      g_test_skip (library == NULL ? "faketime is not installed"
                                   : "a sanitizer must be the first library");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (years); i++)
    {
      g_auto (PrismCliResult) run = cli_clean ("LD_PRELOAD=%s FAKETIME=%s DONT_FAKE_MONOTONIC=1 "
                                               "run " TINY " --save %s -q --report a.html",
                                               library, years[i], self->path);
      g_auto (PrismCliResult) text = cli_clean ("inspect %s", self->path);
      HAS (text.output, i == 0 ? "begun 19" : "begun 9999-12-30T");
      g_unlink (self->path);
    }
}

/* What follows “--” is a name, whatever it begins with. */
TEST_FIXTURE (names_may_begin_with_a_dash, "/cli/run-file/dashes")
{
  cli_refuses (3, "“--none.prismrun”", "inspect -- --none.prismrun");
  cli_refuses (3, "“--none.prismrun”", "export -- --none.prismrun");
  cli_refuses (3, "“-none.prismrun”", "report --html a.html -- -none.prismrun");
  cli_refuses (3, "“-none.prismrun”", "compare -q -- -none.prismrun");
  cli_refuses (3, "“none.prismrun”", "inspect -- none.prismrun");
  cli_refuses (3, "“--”", "inspect -- --");
  cli_refuses (2, "“--json” is not expected here", "info -- --json");
}

#define ORIGIN "8 of 256 pixels are not numbers; they were taken as the darkest value."

/* An amplitude of 16×16 pixels, of which eight are none. */
static char *
make_object (Fixture *fixture)
{
  char *path = g_build_filename (fixture->directory, "half.npy", NULL);
  float pixels[16 * 16];

  for (int i = 0; i < 16 * 16; i++)
    pixels[i] = i % 32 == 7 ? NAN : i / 256.0f;
  g_assert_true (prism_npy_save (path, pixels, 2, (const gsize[]) { 16, 16 }, NULL));
  return path;
}

static void
check_file (const PrismCliResult *result,
            const char *name)
{
  HAS (cli_file (result, name), ORIGIN);
}

/* What the object does not show of its file is told, in all that speaks of the run. */
TEST_FIXTURE (origin, "/cli/run-file/origin")
{
  g_autofree char *path = make_object (self);
  g_autofree char *setting = g_strconcat ("object=", path, NULL);

  g_auto (PrismCliResult) run
      = cli_works ("run " TINY " --set %s --save %s -q -o o --report a.html", setting, self->path);
  HAS (run.error, "half.npy”: " ORIGIN "\n");
  g_assert_true (strstr (run.error, ORIGIN) == g_strrstr (run.error, ORIGIN));
  check_file (&run, "o/summary.json");
  check_file (&run, "a.html");
  g_auto (PrismCliResult) inspected = cli_clean ("inspect %s", self->path);
  HAS (inspected.output, ORIGIN);
  g_auto (PrismCliResult) exported = cli_clean ("export %s -o o", self->path);
  check_file (&exported, "o/summary.json");
}

/* Flips a bit some way behind the first name of the weights: within their values. */
TEST_FIXTURE (damage, "/cli/run-file/damage")
{
  g_autofree char *contents = NULL;
  gsize length;

  g_auto (PrismCliResult) run = cli_clean ("run " TINY " --save %s -q", self->path);
  g_assert_true (g_file_get_contents (self->path, &contents, &length, NULL));
  char *place = memmem (contents, length, "/weights.npy", strlen ("/weights.npy"));
  g_assert_nonnull (place);
  place[2000] ^= 1;
  g_assert_true (g_file_set_contents (self->path, contents, (gssize) length, NULL));
  g_auto (PrismCliResult) inspected = cli_run ("inspect %s", self->path);
  g_assert_cmpint (inspected.exit_code, ==, 3);
  HAS (inspected.output, "Damaged: snapshots/");
}

/* Stops a long run half way, as Ctrl+C does. */
static void
run_half (const char *path)
{
  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autoptr (GSubprocess) process
      = cli_start (place.directory, G_SUBPROCESS_FLAGS_NONE, CLI_HEARS_SIGNALS,
                   "run " TINY " --set method=decoder --set steps=100000 --save %s -q", path);

  g_usleep (2 * G_USEC_PER_SEC);
  g_subprocess_send_signal (process, SIGINT);
  cli_wait (process);
}

TEST_FIXTURE (resume, "/cli/run-file/resume")
{
  g_auto (PrismCliResult) run = cli_clean ("run " TINY " --save %s -q", self->path);
  g_auto (PrismCliResult) resumed = cli_clean ("run --resume %s --set threads=1", self->path);
  HAS (resumed.output, "Finished after");
  g_auto (PrismCliResult) copied = cli_clean ("run --resume %s --save %s -q", self->path,
                                              self->fork);
  cli_refuses (2, "is finished, and other settings change nothing",
               "run --resume %s --set snr=10 --save c.prismrun", self->path);
  cli_refuses (2, "--resume brings its own configuration", "run --resume %s --preset quick-look",
               self->path);
}

TEST_FIXTURE (resume_half, "/cli/run-file/resume-half")
{
  run_half (self->path);
  cli_refuses (2, "--save", "run --resume %s --set steps=3", self->path);
  g_auto (PrismCliResult) forked = cli_clean ("run --resume %s --set steps=3 --save %s -q",
                                              self->path, self->fork);
  cli_refuses (2, "samples cannot change from 6 to 7",
               "run --resume %s --set samples=7 --save c.prismrun -q", self->path);
}

TEST_FIXTURE (no_directory, "/cli/run-file/no-directory")
{
  cli_refuses (3, "none/a.prismrun", "run " TINY " --save none/a.prismrun -q");
}

TEST_FIXTURE (no_file, "/cli/run-file/no-file")
{
  cli_refuses (3, "has no name", "run " TINY " --save '' -q");
  cli_refuses (3, "is a folder without frames", "inspect %s", self->directory);
  cli_refuses (3, "“” cannot take the results: it is no name.", "run " TINY " --output '' -q");
}
