#include "config.h"

#include "prism-cli-harness.h"

#include "../engine/support/test-remove-tree.h"
#include "formats/prism-npy.h"
#include "prism-test.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/stat.h>
#include <tiffio.h>

/* A microscope is simulated, and its frames are explained. */

typedef struct
{
  char *directory;
  char *frames;
  char *output;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_auto (PrismCliResult) result = { 0 };

  fixture->directory = g_dir_make_tmp ("prism-cli-measurements-XXXXXX", NULL);
  fixture->frames = g_build_filename (fixture->directory, "cells.hdf5", NULL);
  fixture->output = g_build_filename (fixture->directory, "result", NULL);
  prism_cli_harness_works (&result, "simulate", "--set", "size=64", "--set", "per_side=9", "--set",
                           "gains=0.1", fixture->frames, NULL);
  g_assert_nonnull (strstr (result.output, "pixels of 1.84 µm at the object."));
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  test_remove_tree (fixture->directory);
  g_free (fixture->directory);
  g_free (fixture->frames);
  g_free (fixture->output);
}

static double
get_number (JsonNode *node,
            const char *object,
            const char *name)
{
  JsonObject *root = json_node_get_object (node);

  return json_object_get_double_member (json_object_get_object_member (root, object), name);
}

static void
check_array (const Fixture *fixture,
             const char *name,
             gboolean is_complex,
             gsize side)
{
  g_autofree char *path = g_build_filename (fixture->output, name, NULL);
  g_autoptr (PrismNpy) array = MUST (prism_npy_load (path, &error));

  g_assert_cmpint (array->is_complex, ==, is_complex);
  g_assert_cmpuint (array->shape[0], ==, side);
  g_assert_cmpuint (array->shape[1], ==, side);
  for (gsize i = 0; i < array->n_values; i++)
    g_assert_true (isfinite (array->values[i]));
}

/* The floats of a TIFF are those of the array. */
static void
check_tiff (const Fixture *fixture,
            const char *name,
            const char *array_name)
{
  g_autofree char *path = g_build_filename (fixture->output, name, NULL);
  g_autofree char *array_path = g_build_filename (fixture->output, array_name, NULL);
  g_autoptr (PrismNpy) array = prism_npy_load (array_path, NULL);
  const gsize n = array->shape[1];
  g_autofree float *row = g_new (float, n);
  TIFF *tiff = TIFFOpen (path, "r");
  float resolution = 0.0f;

  g_assert_nonnull (tiff);
  g_assert_cmpuint (TIFFScanlineSize (tiff), ==, n * sizeof *row);
  g_assert_true (TIFFGetField (tiff, TIFFTAG_XRESOLUTION, &resolution));
  g_assert_cmpfloat (resolution, >, 5000.0); /* a pixel is less than 2 µm */
  for (gsize y = 0; y < array->shape[0]; y++)
    {
      g_assert_cmpint (TIFFReadScanline (tiff, row, (guint32) y, 0), ==, 1);
      for (gsize x = 0; x < n; x++)
        g_assert_true (row[x] == (float) array->values[y * n + x]);
    }
  TIFFClose (tiff);
}

/* What PtyLab calls the object is the spectrum: its middle is the sum of the field over n, and it
 * has the field's energy. */
static void
check_file (const Fixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->output, "result.h5", NULL);
  g_autofree char *array_path = g_build_filename (fixture->output, "object.npy", NULL);
  g_autoptr (PrismNpy) array = prism_npy_load (array_path, NULL);
  const gsize n = array->shape[0], middle = n / 2 * n + n / 2;
  const hid_t file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t object = H5Dopen2 (file, "object", H5P_DEFAULT);
  const hid_t type = H5Dget_type (object), space = H5Dget_space (object);
  g_autofree float *spectrum = g_new (float, 2 * n * n);
  double sum = 0.0, energy[2] = { 0.0 };

  g_assert_cmpint (H5Sget_simple_extent_ndims (space), ==, 6);
  g_assert_cmpint (H5Sget_simple_extent_npoints (space), ==, n * n);
  g_assert_cmpint (H5Tget_member_index (type, "r"), ==, 0);
  g_assert_cmpint (H5Dread (object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, spectrum), >=, 0);
  for (gsize i = 0; i < 2 * n * n; i++)
    {
      sum += i % 2 == 0 ? array->values[i] : 0.0;
      energy[0] += pow (array->values[i], 2.0);
      energy[1] += pow (spectrum[i], 2.0);
    }
  g_assert_cmpfloat_with_epsilon (energy[1], energy[0], 1e-4 * energy[0]);
  g_assert_cmpfloat_with_epsilon (spectrum[2 * middle], sum / n, 1e-3 * fabs (sum) / n);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (
        H5Lexists (file, ((const char *[]) { "probe", "error", "dxp", "entry" })[i], H5P_DEFAULT),
        >, 0);
  H5Sclose (space);
  H5Tclose (type);
  H5Dclose (object);
  H5Fclose (file);
}

/* The folder of a result becomes one file, of which nothing else is needed. */
static void
check_report (const Fixture *fixture)
{
  g_auto (PrismCliResult) result = { 0 };
  g_auto (PrismCliResult) two = { 0 };
  g_auto (PrismCliResult) none = { 0 };
  g_autofree char *html = NULL;
  g_autofree char *pdf = NULL;

  prism_cli_harness_run (&result, NULL, "report", fixture->output, "--html", "r.html", "--pdf",
                         "r.pdf", NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpstr (result.output, ==, "Written: r.html, r.pdf.\n");
  g_assert_cmpint (result.exit_code, ==, 0);
  html = prism_cli_harness_dup_file (&result, "r.html", NULL);
  pdf = prism_cli_harness_dup_file (&result, "r.pdf", NULL);
  g_assert_cmpmem (pdf, 5, "%PDF-", 5);
  g_assert_nonnull (strstr (html, "<h1>cells.hdf5</h1>"));
  g_assert_nonnull (strstr (html, "<b>Explained: frames"));
  g_assert_nonnull (strstr (html, "<td>8: misfit 0.0"));
  g_assert_nonnull (strstr (html, "In waves: "));
  g_assert_nonnull (strstr (html, "<td>81 of 64 × 64 px</td>"));
  g_assert_nonnull (strstr (html, "<th>Held-out frames</th><td class=\"changed\">10</td>"));
  g_assert_nonnull (strstr (html, "<th>Passes</th><td>8</td>"));
  g_assert_nonnull (strstr (html, " --set hold_out=10 --output"));
  for (const char *one = html; (one = strstr (one, " src=")) != NULL; one++)
    g_assert_true (g_str_has_prefix (one, " src=\"data:"));
  prism_cli_harness_works (&two, "report", fixture->output, fixture->output, "--html", "r.html",
                           NULL);
  prism_cli_harness_refuses (&none, 3, "summary.json", "report", fixture->directory, "--html",
                             "r.html", NULL);
}

TEST_FIXTURE (run, "/cli/measurements/run")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) summary = NULL;
  g_autofree char *table = NULL;
  g_autofree char *path = g_build_filename (self->output, "frames.csv", NULL);
  g_auto (GStrv) lines = NULL;
  gsize side;

  prism_cli_harness_run (&result, NULL, "run", "--measurements", self->frames, "--output",
                         self->output, "--json", "--set", "hold_out=10", NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  summary = prism_cli_harness_parse (result.output);
  g_assert_cmpfloat (get_number (summary, "held_out", "correlation"), >, 0.95);
  g_assert_cmpfloat (get_number (summary, "held_out", "misfit"), <, 0.1);
  g_assert_cmpfloat (get_number (summary, "held_out", "frames"), ==, 8);
  g_assert_cmpfloat (get_number (summary, "frames", "at_rim"), >, 0);
  g_assert_cmpfloat (get_number (summary, "frames", "half_bright_left_out"), ==, 0);
  side = (gsize) get_number (summary, "object", "side_px");
  check_array (self, "amplitude.npy", FALSE, side);
  check_array (self, "phase.npy", FALSE, side);
  check_array (self, "object.npy", TRUE, side);
  check_array (self, "pupil.npy", TRUE, 64);
  check_tiff (self, "amplitude.tif", "amplitude.npy");
  check_tiff (self, "phase.tif", "phase.npy");
  check_file (self);

  g_assert_true (g_file_get_contents (path, &table, NULL, NULL));
  lines = g_strsplit (table, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 81 + 1);
  check_report (self);
}

TEST_FIXTURE (refused, "/cli/measurements/refused")
{
  const struct
  {
    const char *arguments[5];
    int exit_code;
    const char *part;
  } wrong[] = {
    { { "run", "--positions", "x.csv" }, 2, "--measurements FILE" },
    { { "run", "--measurements", self->frames, "--report", "x.docx" }, 2, "x.docx" },
    { { "run", "--measurements", self->frames, "--resume", "a.prismrun" }, 2, "--resume" },
    { { "run", "--measurements", self->frames, "--set", "tile=16" }, 2, "from 32 to 64" },
    { { "run", "--measurements", self->frames, "--dry-run" }, 2, "--dry-run" },
    { { "run", "--measurements", self->frames, "--preset", "epie" }, 2, "“sequential”" },
    { { "run", "--measurements", self->frames, "--set", "radius=3" }, 2, "no parameter" },
    { { "run", "--measurements", self->frames, "--set", "object=moon" }, 2, "no effect" },
    { { "run", "--measurements", self->frames, "--set", "samples=9" }, 2, "no effect" },
    { { "run", "--measurements", self->frames, "--set", "tile=auto" }, 2, "a side" },
    { { "run", "--measurements", self->frames, "--set", "leave_out=x" }, 2, "17,31-35" },
    { { "run", "--set", "method=descent" }, 2, "of recorded frames" },
    { { "run", "--measurements", self->frames, "--set", "passes=0" }, 2, "from 1" },
    { { "run", "--measurements", self->frames, "--assign", "na=0.9" }, 2, "too large for NA" },
    { { "inspect", self->frames, "--assign", "na=0.9" }, 2, "too large for NA" },
    { { "run", "--measurements", "nothing.hdf5" }, 3, "nothing.hdf5" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      const char *const *a = wrong[i].arguments;
      g_auto (PrismCliResult) result = { 0 };

      prism_cli_harness_run (&result, NULL, a[0], a[1], a[2], a[3], a[4], NULL);
      g_test_message ("%d: %s", result.exit_code, result.error);
      g_assert_cmpint (result.exit_code, ==, wrong[i].exit_code);
      /* What inspect tells of a recording is its output. */
      g_assert_true (strstr (result.error, wrong[i].part) != NULL
                     || strstr (result.output, wrong[i].part) != NULL);
    }
}

static void
run_on (const Fixture *fixture,
        PrismCliResult *result,
        const char *backend)
{
  const char *const environment[] = { "PRISM_MODULE_DIR", fixture->directory, NULL };

  prism_cli_harness_run (result, environment, "run", "--measurements", fixture->frames, "--output",
                         fixture->output, "--quiet", "--set", "passes=1", "--set", backend, NULL);
}

/* Who insists on a GPU is told in a line why there is none, and nothing is written. */
TEST_FIXTURE (no_gpu, "/cli/measurements/no-gpu")
{
  g_auto (PrismCliResult) result = { 0 };

  run_on (self, &result, "backend=cuda");
  prism_cli_harness_check_error (&result, 5, "CUDA cannot be used: ");
  g_assert_true (g_str_has_suffix (g_strchomp (result.error), "Set backend to auto or cpu."));
  g_assert_null (strchr (result.error, '\n'));
  g_assert_false (g_file_test (self->output, G_FILE_TEST_EXISTS));
}

/* Who leaves the choice to the program gets the CPU and the reason. */
TEST_FIXTURE (auto_without_gpu, "/cli/measurements/auto-without-gpu")
{
  g_autofree char *path = g_build_filename (self->output, "summary.json", NULL);
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) summary = NULL;
  g_autofree char *text = NULL;
  JsonObject *root;

  run_on (self, &result, "backend=auto");
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  summary = prism_cli_harness_parse (text);
  root = json_node_get_object (summary);
  g_test_message ("%s", json_object_get_string_member (root, "device_reason"));
  g_assert_true (g_str_has_prefix (json_object_get_string_member (root, "device_reason"),
                                   "Running on the CPU: "));
}

/* An ending that names no format is a slip, and no reason to write HDF5 under that name. */
TEST_FIXTURE (unknown_ending, "/cli/measurements/unknown-ending")
{
  g_autofree char *path = g_build_filename (self->directory, "cells.docx", NULL);
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 2, ".hdf5, .mat, .cxi, .npz, .npy, .tif", "simulate", "--set",
                             "size=64", path, NULL);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* A name by which the format would not be known is given its ending. */
TEST_FIXTURE (no_ending, "/cli/measurements/no-ending")
{
  static const char *const formats[][2]
      = { { "ptylab", ".hdf5" }, { "matlab73", ".mat" }, { "npy", ".npy" }, { "tiff", ".tif" } };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = g_build_filename (self->directory, "cells.v2", NULL);
      g_autofree char *named = g_strconcat (path, formats[i][1], NULL);
      g_autofree char *truth = g_strconcat (named, "-truth.npz", NULL);
      g_auto (PrismCliResult) result = { 0 }, again = { 0 };

      prism_cli_harness_works (&result, "simulate", "--set", "size=32", "--set", "per_side=5",
                               "--format", formats[i][0], path, NULL);
      g_assert_cmpint (g_unlink (truth), ==, 0);
      prism_cli_harness_refuses (&again, 2, "is there already: choose another name", "simulate",
                                 "--format", formats[i][0], path, NULL);
      g_assert_nonnull (strstr (result.output, named));
      g_assert_true (g_file_test (named, G_FILE_TEST_EXISTS));
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
}

/* Every format is opened as the last line of what wrote it says, and is the same instrument. */
TEST_FIXTURE (formats, "/cli/measurements/formats")
{
  static const char *const formats[]
      = { "ptylab", "matlab", "matlab73", "cxi", "npz", "npy", "tiff", "fits" };
  static const char *const names[G_N_ELEMENTS (formats)]
      = { "a.hdf5", "b.mat", "c.mat", "d.cxi", "e.npz", "f.npy", "g.tiff", "h.fits" };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = g_build_filename (self->directory, names[i], NULL);
      g_autofree char *table = g_strconcat (path, "-leds.csv", NULL);
      g_autofree char *recipe = g_strconcat (path, "-recipe.prism", NULL);
      g_auto (PrismCliResult) written = { 0 }, opened = { 0 };
      g_autoptr (JsonNode) root = NULL;
      gboolean bare;

      prism_cli_harness_works (&written, "simulate", "--set", "size=32", "--set", "per_side=5",
                               "--format", formats[i], path, NULL);
      bare = strstr (written.output, "--recipe") != NULL;
      g_assert_true (g_file_test (recipe, G_FILE_TEST_EXISTS) == bare);
      prism_cli_harness_works (&opened, "inspect", "--json", path, bare ? "--positions" : NULL,
                               table, "--recipe", recipe, NULL);
      root = prism_cli_harness_parse (opened.output);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (
                            json_node_get_object (root), "directions")),
                        ==, 2 * 25);
    }
}

/* Frames of every scenario, as it is without settings, are explained, those that were never used
 * too. */
TEST_FIXTURE (scenarios, "/cli/measurements/scenarios")
{
  static const char *const scenarios[] = { "microscope", "camera-array", "telescope" };
  static const double most[G_N_ELEMENTS (scenarios)] = { 0.06, 0.05, 0.12 };

  for (gsize i = 0; i < G_N_ELEMENTS (scenarios); i++)
    {
      g_autofree char *path = g_strconcat (self->directory, "/", scenarios[i], ".hdf5", NULL);
      g_autofree char *output = g_build_filename (self->directory, scenarios[i], NULL);
      g_auto (PrismCliResult) made = { 0 }, result = { 0 };
      g_autoptr (JsonNode) root = NULL;

      prism_cli_harness_works (&made, "simulate", "--scenario", scenarios[i], path, NULL);
      prism_cli_harness_works (&result, "run", "--measurements", path, "--output", output, "--json",
                               NULL);
      root = prism_cli_harness_parse (result.output);
      g_assert_cmpfloat (get_number (root, "held_out", "misfit"), <, most[i]);
      g_assert_cmpfloat (get_number (root, "held_out", "correlation"), >, 0.95);
    }
}

/* A file behind “run” is told where it belongs. */
TEST_FIXTURE (file_without_option, "/cli/measurements/file-without-option")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 2, "--measurements", "run", self->frames, NULL);
}

/* Nobody writes into this pipe: whoever opens it waits. */
TEST_FIXTURE (pipe, "/cli/measurements/pipe")
{
  g_autofree char *path = g_build_filename (self->directory, "pipe", NULL);
  g_auto (PrismCliResult) result = { 0 };

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  prism_cli_harness_refuses (&result, 3, "is a device or a pipe", "inspect", path, NULL);
}

static char *
load_bytes (const char *directory,
            const char *name,
            gsize *n)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  char *bytes = NULL;

  g_assert_true (g_file_get_contents (path, &bytes, n, NULL));
  return bytes;
}

static void
check_there (const Fixture *fixture,
             const char *name)
{
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

  g_test_message ("%s", name);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* The folder, the brief one and the file are one result. */
static void
check_compared (const Fixture *fixture,
                const char *run,
                const char *brief)
{
  g_autofree char *page = g_build_filename (fixture->directory, "both.html", NULL);
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *html = NULL, *line = NULL;
  g_auto (GStrv) alike = NULL, parts = NULL;
  const char *row;

  prism_cli_harness_run (&result, NULL, "compare", fixture->output, run, brief, "--report", page,
                         NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "Held-out misfit "));
  row = strstr (result.output, "Likeness to the first ");
  g_assert_nonnull (row);
  line = g_strndup (row, strcspn (row, "\n"));
  alike = g_strsplit (line, " 1.0000", -1);
  g_assert_cmpuint (g_strv_length (alike), ==, 3);
  g_assert_null (strstr (result.output, "PSNR"));
  g_assert_true (g_file_get_contents (page, &html, NULL, NULL));
  g_assert_nonnull (strstr (html, "<figcaption>Amplitude</figcaption>"));
  parts = g_strsplit (html, "<figcaption>Phase in rad, ramp taken off</figcaption>", -1);
  g_assert_cmpuint (g_strv_length (parts), ==, 4);
  g_assert_nonnull (strstr (html, "<code>free_pupil</code>"));
  g_assert_nonnull (strstr (html, "prism-cli run --measurements "));
  g_assert_null (strstr (html, "<code>aperture_radius</code>"));
}

/* Its frames' file and how well they are predicted, in place of an object and PSNR. */
static void
check_inspected (const Fixture *fixture,
                 const char *run)
{
  g_auto (PrismCliResult) text = { 0 }, json = { 0 };
  g_autoptr (JsonNode) node = NULL;

  prism_cli_harness_works (&text, "inspect", run, NULL);
  g_assert_nonnull (strstr (text.output, fixture->frames));
  g_assert_nonnull (strstr (text.output, "Frames that were never used: misfit 0."));
  g_assert_nonnull (strstr (text.output, "pass 8 of 8"));
  g_assert_nonnull (strstr (text.output, "\npasses=8\n"));
  g_assert_null (strstr (text.output, "aperture_radius"));
  prism_cli_harness_run (&json, NULL, "inspect", "--json", run, NULL);
  node = json_from_string (json.output, NULL);
  g_assert_cmpfloat (get_number (node, "held_out", "misfit"), >, 0);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (node), "measurements"), ==,
                   fixture->frames);
}

/* As the run itself has written it. */
static void
check_exported (const Fixture *fixture,
                const char *run,
                gsize n_expected,
                const char *expected)
{
  g_autofree char *folder = g_build_filename (fixture->directory, "exported", NULL);
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *object = NULL;
  gsize n;

  prism_cli_harness_run (&result, NULL, "export", run, "--output", folder, NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  object = load_bytes (folder, "object.npy", &n);
  g_assert_cmpmem (object, n, expected, n_expected);
  check_there (fixture, "exported/frames.csv");
  check_there (fixture, "exported/pupil-phase.png");
}

static void
check_exported_without_frames (const Fixture *fixture,
                               const char *run)
{
  g_autofree char *folder = g_build_filename (fixture->directory, "pictures", NULL);
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_works (&result, "export", run, "--output", folder, NULL);
  g_assert_nonnull (strstr (result.error, "The frames of this run cannot be read again"));
  g_assert_nonnull (strstr (result.output, "the table of the frames are missing."));
  check_there (fixture, "pictures/amplitude.npy");
  check_there (fixture, "pictures/phase.npy");
  check_there (fixture, "pictures/summary.json");
}

/* With a file, reports, animation, profile and events, as a simulated run; taken up from its file
 * it writes the same result again. */
TEST_FIXTURE (run_file, "/cli/measurements/run-file")
{
  g_autofree char *run = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *page = g_build_filename (self->directory, "a.html", NULL);
  g_autofree char *film = g_build_filename (self->directory, "a.gif", NULL);
  g_autofree char *events = g_build_filename (self->directory, "events", NULL);
  g_autofree char *profile = g_build_filename (self->directory, "a.json", NULL);
  g_autofree char *brief = g_build_filename (self->directory, "brief", NULL);
  g_auto (PrismCliResult) whole = { 0 }, again = { 0 }, other = { 0 }, gone = { 0 };
  g_autofree char *first = NULL, *second = NULL, *small = NULL;
  g_autofree char *extra = g_build_filename (brief, "amplitude.npy", NULL);
  gsize n[3];

  prism_cli_harness_run (&whole, NULL, "run", "--measurements", self->frames, "--output",
                         self->output, "--save", run, "--report", page, "--animation", film,
                         "--tensorboard", events, "--profile", profile, NULL);
  g_assert_cmpstr (whole.error, ==, "");
  g_assert_cmpint (whole.exit_code, ==, 0);
  g_assert_nonnull (strstr (whole.output, "Pass 8 of 8: held-out misfit 0."));
  g_assert_nonnull (strstr (whole.output, "Explained: frames that were never used"));
  for (int i = 0; i < 5; i++)
    check_there (self, ((const char *[]) { "a.prismrun", "a.html", "a.gif", "events",
                                           "a.json" })[i]);
  prism_cli_harness_works (&again, "run", "--resume", run, "--output", brief, "--brief", NULL);
  first = load_bytes (self->output, "object.npy", &n[0]);
  second = load_bytes (brief, "object.npy", &n[1]);
  g_assert_cmpmem (first, n[0], second, n[1]);
  small = load_bytes (brief, "summary.json", &n[2]);
  g_assert_false (g_file_test (extra, G_FILE_TEST_EXISTS));
  check_compared (self, run, brief);
  check_inspected (self, run);
  check_exported (self, run, n[0], first);
  prism_cli_harness_refuses (&other, 2, "name its file with --save", "run", "--resume", run,
                             "--set", "passes=9", NULL);
  g_assert_cmpint (g_remove (self->frames), ==, 0);
  prism_cli_harness_refuses (&gone, 3, "The frames of this run cannot be read again", "run",
                             "--resume", run, NULL);
  check_exported_without_frames (self, run);
}

/* The first lines that the program says, as far as one that begins so. */
static GSubprocess *
run_as_far_as (const Fixture *fixture,
               const char *beginning,
               const char *const *arguments)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *process
      = g_subprocess_newv (arguments,
                           G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                           &error);
  g_autoptr (GDataInputStream) lines = NULL;
  gboolean said = FALSE;

  g_assert_no_error (error);
  lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (lines), FALSE);
  while (!said)
    {
      g_autofree char *line = MUST (g_data_input_stream_read_line (lines, NULL, NULL, &error));

      g_assert_nonnull (line);
      said = g_str_has_prefix (line, beginning);
    }
  return process;
}

/* A field in tiles, with all that goes with a run. */
TEST_FIXTURE (tiles, "/cli/measurements/tiles")
{
  g_autofree char *run = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *page = g_build_filename (self->directory, "a.html", NULL);
  g_autofree char *film = g_build_filename (self->directory, "a.gif", NULL);
  g_autofree char *events = g_build_filename (self->directory, "events", NULL);
  g_autofree char *profile = g_build_filename (self->directory, "a.json", NULL);
  g_autofree char *brief = g_build_filename (self->directory, "brief", NULL);
  g_auto (PrismCliResult) whole = { 0 }, again = { 0 };
  g_autofree char *first = NULL, *second = NULL, *html = NULL;
  g_autoptr (JsonNode) summary = NULL;
  gsize n[4];

  prism_cli_harness_run (&whole, NULL, "run", "--measurements", self->frames, "--set", "tile=32",
                         "--output", self->output, "--save", run, "--report", page,
                         "--animation", film, "--tensorboard", events, "--profile", profile, NULL);
  g_assert_cmpstr (whole.error, ==, "");
  g_assert_cmpint (whole.exit_code, ==, 0);
  g_assert_nonnull (strstr (whole.output, "\n3×3 tiles of 32×32 pixels; the object has "));
  g_assert_nonnull (strstr (whole.output, "\nPass 72 of 72: held-out misfit 0."));
  g_assert_nonnull (strstr (whole.output, "\nTile 1 of 9 at 16, 16, with a pupil of its own: "));
  g_assert_nonnull (strstr (whole.output, "\nTile 9 of 9 at 32, 32, with the pupil of tile "));
  for (int i = 0; i < 6; i++)
    check_there (self, ((const char *[]) { "a.prismrun", "a.html", "a.gif", "events", "a.json",
                                           "result/tiles.csv" })[i]);
  prism_cli_harness_works (&again, "run", "--resume", run, "--output", brief, "--brief", "--json",
                           NULL);
  summary = prism_cli_harness_parse (again.output);
  g_assert_cmpfloat (get_number (summary, "tiles", "count"), ==, 9);
  g_assert_cmpfloat (get_number (summary, "tiles", "done"), ==, 9);
  first = load_bytes (self->output, "object.npy", &n[0]);
  second = load_bytes (brief, "object.npy", &n[1]);
  g_assert_cmpmem (first, n[0], second, n[1]);
  g_assert_cmpfloat (get_number (summary, "objective", "tiles"), ==, 9);
  html = load_bytes (self->directory, "a.html", &n[2]);
  g_assert_nonnull (g_strstr_len (html, (gssize) n[2], "Objective over the field"));
  for (int i = 0; i < 2; i++)
    {
      const char *name = i == 0 ? "tiles.csv" : "objective.csv";
      g_autofree char *before = load_bytes (self->output, name, &n[2]);
      g_autofree char *after = load_bytes (brief, name, &n[3]);

      g_assert_cmpmem (before, n[2], after, n[3]);
    }
}

/* Ended after some tiles it keeps them and says how many; taken up it ends as if nothing had
 * been. */
TEST_FIXTURE (stopped_tiles, "/cli/measurements/stopped-tiles")
{
  g_autofree char *run = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *stopped = g_build_filename (self->directory, "stopped", NULL);
  const char *const arguments[] = { g_getenv ("PRISM_CLI"), "run", "--measurements",
                                    self->frames, "--set", "tile=32", "--set", "passes=100",
                                    "--output", stopped, "--save", run, NULL };
  g_autoptr (GSubprocess) process = NULL;
  g_auto (PrismCliResult) whole = { 0 }, again = { 0 };
  g_autofree char *said = NULL;
  g_autofree char *first = NULL, *second = NULL;
  g_autofree char *text = NULL;
  g_autoptr (JsonNode) summary = NULL;
  gsize n[3];

  process = run_as_far_as (self, "Tile ", arguments);
  g_subprocess_send_signal (process, SIGTERM);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &said, NULL, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 143);
  g_assert_nonnull (strstr (said, "\nStopped: the object has "));
  text = load_bytes (stopped, "summary.json", &n[2]);
  summary = prism_cli_harness_parse (text);
  g_assert_cmpfloat (get_number (summary, "tiles", "done"), >=, 1);
  g_assert_cmpfloat (get_number (summary, "tiles", "done"), <, 9);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (summary), "state"), ==,
                   "stopped");
  prism_cli_harness_works (&again, "run", "--resume", run, "--output", stopped, NULL);
  prism_cli_harness_works (&whole, "run", "--measurements", self->frames, "--set", "tile=32",
                           "--set", "passes=100", "--output", self->output, "--quiet", NULL);
  first = load_bytes (self->output, "object.npy", &n[0]);
  second = load_bytes (stopped, "object.npy", &n[1]);
  g_assert_cmpmem (first, n[0], second, n[1]);
}

/* A search that takes long says so, and ends at once: nothing is written. */
TEST_FIXTURE (stopped_search, "/cli/measurements/stopped-search")
{
  g_auto (PrismCliResult) result = { 0 };
  const char *const arguments[] = { g_getenv ("PRISM_CLI"), "run", "--measurements",
                                    self->frames, "--output", self->output, NULL };
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *summary = NULL;
  g_autofree char *said = NULL;

  prism_cli_harness_works (&result, "simulate", "--force", "--set", "size=256", "--set",
                           "per_side=7", "--set", "astigmatism=0.4", self->frames, NULL);
  process = run_as_far_as (self, "The search for the pupil goes on", arguments);
  g_subprocess_send_signal (process, SIGTERM);
  g_assert_true (MUST (g_subprocess_communicate_utf8 (process, NULL, NULL, &said, NULL, &error)));
  g_assert_null (strstr (said, "Pass "));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 143);
  summary = g_build_filename (self->output, "summary.json", NULL);
  g_assert_false (g_file_test (summary, G_FILE_TEST_EXISTS));
}
