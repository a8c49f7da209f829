#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "formats/prism-image.h"
#include "formats/prism-npy.h"
#include "prism-test.h"

#define tear_down NULL

/* PRISM_TEST_LONG=1 kills five hundred times. */
#define SHORT_KILLS 12
#define LONG_KILLS 500
#define LEAST_MICROSECONDS 60000
#define HEIGHT 70
#define WIDTH 90
#define N_TILES 12

typedef struct
{
  const char *directory;
  const char *object; /* "object=…" */
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  float pixels[HEIGHT * WIDTH];

  fixture->directory = OWN (test_folder_free, test_folder_new ());
  const char *path = in_folder (fixture->directory, "scene.npy");
  fixture->object = OWN (g_free, g_strconcat ("object=", path, NULL));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = (float) (0.5 + 0.3 * sin (0.21 * x) * cos (0.13 * y)
                                       + ((x / 8 + y / 8) % 2 ? 0.15 : 0.0));
  g_assert_true (prism_npy_save (path, pixels, 2, (const gsize[]) { HEIGHT, WIDTH }, NULL));
}

static GSubprocess *
start (const Fixture *fixture,
       const char *command,
       const char *output)
{
  const char *const arguments[] = {
    g_getenv ("PRISM_CLI"), command, "--set", fixture->object, "--set", "image_size=64",
    "--set", "object_size=32", "--set", "tile=32", "--set", "aperture_radius=8",
    "--set", "samples=8", "--set", "steps=6", "--set", "start_steps=4", "--set", "polish=100",
    "--output", in_folder (fixture->directory, output), NULL
  };
  GSubprocess *process
      = g_subprocess_newv (arguments,
                           G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL);

  g_assert_nonnull (process);
  return process;
}

static int
run (const Fixture *fixture,
     const char *command,
     const char *output,
     char **said)
{
  g_autoptr (GSubprocess) process = start (fixture, command, output);
  g_autofree char *out = NULL, *err = NULL;

  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &err, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  if (said != NULL)
    *said = g_strconcat (out, err, NULL);
  return g_subprocess_get_exit_status (process);
}

static char *
load (const Fixture *fixture,
      const char *output,
      const char *name)
{
  char *text = NULL;

  g_assert_true (
      g_file_get_contents (in_folder (fixture->directory, output, name), &text, NULL, NULL));
  return text;
}

/* The picture, the maps and the numbers are there, by “run” as by “tiles”. */
TEST_WITH (whole, "/cli/tiles/whole/tiles", "tiles")
{
  g_autofree char *said = NULL;
  g_autofree char *path = g_build_filename (self->directory, "out", "picture.tif", NULL);

  g_assert_cmpint (run (self, data, "out", &said), ==, 0);
  HAS (said, "at a time, ", "12 of 12 tiles have a result");
  g_autoptr (PrismImage) picture = prism_image_load (path, NULL);
  g_assert_cmpint (picture->height, ==, HEIGHT);
  g_assert_cmpint (picture->width, ==, WIDTH);
  g_autofree char *summary = load (self, "out", "summary.json");
  CLI_JSON (summary, "state = finished", "tiles = " G_STRINGIFY (N_TILES), "psnr > 40");
  /* What is put together is no worse than what it is made of: tiles differ by 4 dB here, and the
   * whole has their mean error. */
  g_assert_cmpfloat (cli_number (summary, "psnr"), >,
                     cli_number (summary, "median_psnr_of_tiles") - 1.5);
  g_autofree char *csv = load (self, "out", "tiles.csv");
  HAS (csv, "\n11,2,3,38,58,finished,");
  g_autofree char *report = load (self, "out", "report.html");
  HAS (report, "Misfit");
}

TEST_ALSO (whole, "/cli/tiles/whole/run", "run")

/* At any moment up to a third of a whole run: some tiles are finished by then, at times all. */
static gboolean
kill_once (const Fixture *fixture,
           gint64 whole)
{
  const int most = MAX ((int) (whole / 3), 2 * LEAST_MICROSECONDS);
  g_autoptr (GSubprocess) process = start (fixture, "tiles", "killed");

  g_usleep ((gulong) g_test_rand_int_range (LEAST_MICROSECONDS, most));
  g_subprocess_send_signal (process, SIGKILL);
  g_subprocess_wait (process, NULL, NULL);
  return g_subprocess_get_if_exited (process);
}

static void
remove_tile (const Fixture *fixture,
             guint tile)
{
  g_autofree char *name = g_strdup_printf ("tile-%06u", tile);
  g_autofree char *path = g_build_filename (fixture->directory, "killed", name, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    test_remove_tree (path);
}

/* Whatever moment it is killed at, the same command ends with the same bits. */
TEST_FIXTURE (kills, "/cli/tiles/kills")
{
  const guint n = g_getenv ("PRISM_TEST_LONG") != NULL ? LONG_KILLS : SHORT_KILLS;
  const gint64 begun = g_get_monotonic_time ();
  guint n_finished = 0;

  g_assert_cmpint (run (self, "tiles", "whole", NULL), ==, 0);
  gint64 time = g_get_monotonic_time () - begun;
  for (guint i = 0; i < n; i++)
    if (kill_once (self, time))
      {
        /* There must be something left to kill. */
        n_finished++;
        for (guint tile = 0; tile < N_TILES; tile++)
          if (g_test_rand_int_range (0, 2) == 0)
            remove_tile (self, tile);
      }
  g_test_message ("%u kills, %u came too late", n, n_finished);
  g_assert_cmpint (run (self, "tiles", "killed", NULL), ==, 0);
  cli_same (self->directory, "whole/picture.tif", self->directory, "killed/picture.tif");
}

/* A tile that cannot be computed does not keep the others; it is repeated with the next start. */
TEST_FIXTURE (failed, "/cli/tiles/failed")
{
  g_autofree char *directory = g_build_filename (self->directory, "out", NULL);
  g_autofree char *obstacle = g_build_filename (directory, "tile-000005", NULL);
  g_autofree char *said = NULL, *merged = NULL, *again = NULL;

  g_assert_cmpint (run (self, "tiles", "out", NULL), ==, 0);
  test_remove_tree (obstacle);
  g_assert_true (g_file_set_contents (obstacle, "in the way", -1, NULL));
  g_assert_cmpint (run (self, "tiles", "out", &said), ==, 1);
  HAS (said, "11 of 12 tiles have a result", "tile 5, row 2, column 2: ", "Tile 5 is missing");
  g_assert_cmpint (g_unlink (obstacle), ==, 0);
  g_assert_cmpint (run (self, "tiles", "out", &again), ==, 0);
  HAS (again, "12 of 12 tiles have a result");
}

/* Says what would be run, by “run” as by “tiles”, and leaves no trace. */
TEST_WITH (dry_run, "/cli/tiles/dry-run/tiles", "tiles")
{
  const char *folder = strcmp (data, "run") == 0 ? "prism-output" : "prism-tiles";

  g_auto (PrismCliResult) result = cli_works ("%s --dry-run --set %s --set tile=32 "
                                              "--set image_size=64 --set object_size=32 "
                                              "--set aperture_radius=8",
                                              (const char *) data, self->object);
  HAS (result.error, "Timing a tile of 32 px in a field of ", "90 × 70 px: 12 tiles of 32 px");
  g_assert_false (g_file_test (in_folder (result.directory, folder), G_FILE_TEST_EXISTS));
}

TEST_ALSO (dry_run, "/cli/tiles/dry-run/run", "run")

/* For programs, and with a tile that is larger than the picture. */
TEST_FIXTURE (dry_json, "/cli/tiles/dry-run/json")
{
  g_auto (PrismCliResult) result = cli_works ("run --dry-run --json --set %s --set tile=32 "
                                              "--set image_size=64 --set object_size=32 "
                                              "--set aperture_radius=8",
                                              self->object);
  CLI_JSON (result.output, "tiles = " G_STRINGIFY (N_TILES),
            "tiles_left = " G_STRINGIFY (N_TILES), "tiles_dark = 0",
            "width = " G_STRINGIFY (WIDTH), "run_bytes > 0", "jobs > 0");
  g_auto (PrismCliResult) larger = cli_run ("tiles --dry-run --set %s --set tile=512 "
                                            "--set image_size=64 --set object_size=32 "
                                            "--set aperture_radius=8",
                                            self->object);
  HAS (larger.error, "smaller than a tile of 512 px",
       "90 × 70 px: 1 tile of 90 px, 1 row and 1 column,");
}

static void
check_error (int code,
             const char *part,
             const char *first,
             const char *second,
             const char *third,
             const char *fourth)
{
  cli_refuses (code, part, "tiles %s %s %s %s", first, second, third, fourth);
}

TEST_FIXTURE (refused, "/cli/tiles/refused")
{
  check_error (2, "from a picture in a file", "--set", "object=moon", "--set", "tile=64");
  check_error (2, "even number", "--set", self->object, "--set", "tile=33");
  check_error (2, "tile cannot be", "--set", self->object, "--set", "tile=many");
  check_error (2, "tile_overlap cannot be", "--set", self->object, "--set", "tile_overlap=80");
  check_error (3, "cannot be opened", "--set", "object=nowhere.tif", "--set", "tile=64");
  check_error (2, "end it in", "--set", self->object, "--result", "a.jpg");
  check_error (3, "has no tiles", "--merge", "--output", "nowhere", NULL);
}
