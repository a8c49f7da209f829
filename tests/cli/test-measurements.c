#include "prism-cli-harness.h"
#include "base/prism-each.h"
#include "../engine/support/test-remove-tree.h"
#include "formats/prism-fields-readers.h"
#include "prism-test.h"

#include <hdf5.h>
#include <tiffio.h>

#define tear_down NULL

/* A microscope is simulated, and its frames are explained. */

typedef struct
{
  const char *directory;
  const char *frames, *output;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->directory = OWN (test_folder_free, test_folder_new ());
  fixture->frames = in_folder (fixture->directory, "cells.hdf5");
  fixture->output = in_folder (fixture->directory, "result");
  g_auto (PrismCliResult) result
      = cli_works ("simulate --set size=64 --set per_side=9 --set gains=0.1 %s", fixture->frames);
  HAS (result.output, "pixels of 1.84 µm at the object.");
}

static void
check_array (const Fixture *fixture,
             const char *name,
             gboolean is_complex,
             gsize side)
{
  g_autoptr (PrismFields) file
      = MUST (prism_fields_load_npy (in_folder (fixture->output, name), &error));
  const PrismField *array = g_ptr_array_index (file->fields, 0);

  g_assert_cmpint (array->kind == PRISM_FIELD_COMPLEX, ==, is_complex);
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
  g_autoptr (PrismFields) arrays
      = prism_fields_load_npy (in_folder (fixture->output, array_name), NULL);
  const PrismField *array = g_ptr_array_index (arrays->fields, 0);
  const gsize n = array->shape[1];
  g_autofree float *row = g_new (float, n);
  TIFF *tiff = TIFFOpen (in_folder (fixture->output, name), "r");
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

/* What PtyLab calls the object is the spectrum, in the unit of the frames: its middle is the sum of
 * the field over n, and it has the field's energy. */
static void
check_file (const Fixture *fixture,
            double white)
{
  g_autoptr (PrismFields) arrays
      = prism_fields_load_npy (in_folder (fixture->output, "object.npy"), NULL);
  const PrismField *array = g_ptr_array_index (arrays->fields, 0);
  const gsize n = array->shape[0], middle = n / 2 * n + n / 2;
  const hid_t file
      = H5Fopen (in_folder (fixture->output, "result.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
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
      sum += i % 2 == 0 ? white * array->values[i] : 0.0;
      energy[0] += pow (white * array->values[i], 2.0);
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
  g_auto (PrismCliResult) result = cli_clean ("report %s --html r.html --pdf r.pdf",
                                              fixture->output);
  g_assert_cmpstr (result.output, ==, "Written: r.html, r.pdf.\n");
  g_assert_cmpint (result.exit_code, ==, 0);
  const char *html = cli_file (&result, "r.html");
  cli_begins (&result, "r.pdf", "%PDF-");
  HAS (html, "<h1>cells.hdf5</h1>", "✓ Fits the measurements: frames", "<td>8: misfit 0.0",
       "In waves: ", "<td>81 of 64 × 64 px</td>",
       "<th>Held-out frames</th><td class=\"changed\">10</td>",
       "<th>Passes</th><td>8</td>", " --set hold_out=10 --output");
  for (const char *one = html; (one = strstr (one, " src=")) != NULL; one++)
    g_assert_true (g_str_has_prefix (one, " src=\"data:"));
  g_auto (PrismCliResult) two = cli_works ("report %s %s --html r.html", fixture->output,
                                           fixture->output);
  cli_refuses (3, "summary.json", "report %s --html r.html", fixture->directory);
}

TEST_FIXTURE (run, "/cli/measurements/run")
{
  g_auto (PrismCliResult) result = cli_clean ("run --measurements %s --output %s --json "
                                              "--set hold_out=10",
                                              self->frames, self->output);
  CLI_JSON (result.output, "held_out.correlation > 0.95", "held_out.misfit < 0.1",
            "held_out.frames = 8", "frames.at_rim > 0", "frames.half_bright_left_out = 0");
  gsize side = (gsize) cli_number (result.output, "object.side_px");
  check_array (self, "amplitude.npy", FALSE, side);
  check_array (self, "phase.npy", FALSE, side);
  check_array (self, "object.npy", TRUE, side);
  check_array (self, "pupil.npy", TRUE, 64);
  check_tiff (self, "amplitude.tif", "amplitude.npy");
  check_tiff (self, "phase.tif", "phase.npy");
  check_file (self, cli_number (result.output, "object.frame_white"));

  g_autofree char *table = file_text (in_folder (self->output, "frames.csv"));
  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 81 + 1);
  check_report (self);
}

TEST_FIXTURE (refused, "/cli/measurements/refused")
{
  static const struct
  {
    const char *command;
    int exit_code;
    const char *part;
  } wrong[] = {
    { "run --positions x.csv", 2, "--measurements FILE" },
    { "run -m %s --report x.docx", 2, "x.docx" },
    { "run -m %s --resume a.prismrun", 2, "--resume" },
    { "run -m %s --set tile=16", 2, "from 32 to 64" },
    { "run -m %s --preset epie", 2, "“sequential”" },
    { "run -m %s --set radius=3", 2, "no parameter" },
    { "run -m %s --set object=moon", 2, "no effect" },
    { "run -m %s --set samples=9", 2, "no effect" },
    { "run -m %s --set leave_out=x", 2, "17,31-35" },
    { "run --set method=descent", 2, "of recorded frames" },
    { "run -m %s --set passes=0", 2, "from 1" },
    { "run -m %s --assign na=0.9", 2, "too large for NA" },
    { "inspect %s --assign na=0.9", 2, "too large for NA" },
    { "run --measurements nothing.hdf5", 3, "nothing.hdf5" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_auto (PrismCliResult) result = cli_run (wrong[i].command, self->frames);

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
  cli_set (result, cli_run ("PRISM_MODULE_DIR=%s run --measurements %s --output %s --quiet "
                            "--set passes=1 --set %s",
                            fixture->directory, fixture->frames,
                            fixture->output, backend));
}

/* Who insists on a GPU is told in a line why there is none, and nothing is written. */
TEST_FIXTURE (no_gpu, "/cli/measurements/no-gpu")
{
  g_auto (PrismCliResult) result = { 0 };

  run_on (self, &result, "backend=cuda");
  cli_check_error (&result, 5, "CUDA cannot be used: ");
  g_assert_true (g_str_has_suffix (g_strchomp (result.error), "Set backend to auto or cpu."));
  g_assert_null (strchr (result.error, '\n'));
  g_assert_false (g_file_test (self->output, G_FILE_TEST_EXISTS));
}

/* Who leaves the choice to the program gets the CPU and the reason. */
TEST_FIXTURE (auto_without_gpu, "/cli/measurements/auto-without-gpu")
{
  g_auto (PrismCliResult) result = { 0 };

  run_on (self, &result, "backend=auto");
  g_assert_cmpint (result.exit_code, ==, 0);
  g_autofree char *text = file_text (in_folder (self->output, "summary.json"));
  CLI_JSON (text, "device_reason begins Running on the CPU: ");
}

/* An ending that names no format is a slip, and no reason to write HDF5 under that name. */
TEST_FIXTURE (unknown_ending, "/cli/measurements/unknown-ending")
{
  g_autofree char *path = g_build_filename (self->directory, "cells.docx", NULL);

  cli_refuses (2, ".hdf5, .mat, .cxi, .npz, .npy, .tif", "simulate --set size=64 %s", path);
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

      g_auto (PrismCliResult) result = cli_works ("simulate --set size=32 --set per_side=5 "
                                                  "--format %s %s",
                                                  formats[i][0], path);
      g_assert_cmpint (g_unlink (truth), ==, 0);
      cli_refuses (2, "is there already: choose another name", "simulate --format %s %s",
                   formats[i][0], path);
      HAS (result.output, named);
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

      g_auto (PrismCliResult) written
          = cli_works ("simulate --set size=32 --set per_side=5 --format %s %s", formats[i], path);
      gboolean bare = strstr (written.output, "--recipe") != NULL;
      g_assert_true (g_file_test (recipe, G_FILE_TEST_EXISTS) == bare);
      g_auto (PrismCliResult) opened = cli_works ("inspect --json %s %s %s --recipe %s", path,
                                                  bare ? "--positions" : NULL, table, recipe);
      /* x and y of 25 frames. */
      CLI_JSON (opened.output, "directions = 50");
    }
}

/* Frames of every scenario, as it is without settings, are explained, those that were never used
 * too. */
TEST_FIXTURE (scenarios, "/cli/measurements/scenarios")
{
  static const char *const scenarios[] = { "microscope", "camera-array", "telescope" };
  static const char *const most[G_N_ELEMENTS (scenarios)]
      = { "held_out.misfit < 0.06", "held_out.misfit < 0.05", "held_out.misfit < 0.12" };

  for (gsize i = 0; i < G_N_ELEMENTS (scenarios); i++)
    {
      g_autofree char *path = g_strconcat (self->directory, "/", scenarios[i], ".hdf5", NULL);

      g_auto (PrismCliResult) made = cli_works ("simulate --scenario %s %s", scenarios[i], path);
      g_auto (PrismCliResult) result = cli_works ("run --measurements %s --output %s --json",
                                                  path, in_folder (self->directory, scenarios[i]));
      CLI_JSON (result.output, most[i], "held_out.correlation > 0.95");
    }
}

/* A file behind “run” is told where it belongs. */
TEST_FIXTURE (file_without_option, "/cli/measurements/file-without-option")
{
  cli_refuses (2, "--measurements", "run %s", self->frames);
}

/* A zip of arrays is one whatever it is called, and no run. */
TEST_FIXTURE (zip, "/cli/measurements/zip")
{
  g_autofree char *path = g_build_filename (self->directory, "cells.npz", NULL);
  g_autofree char *zip = g_build_filename (self->directory, "cells.zip", NULL);
  g_auto (PrismCliResult) made = cli_works ("simulate --set size=32 --set per_side=5 %s", path);

  g_assert_cmpint (g_rename (path, zip), ==, 0);
  g_auto (PrismCliResult) inspected = cli_works ("inspect %s", zip);
  HAS (inspected.output, "25 frames");
}

/* Nobody writes into this pipe: whoever opens it waits. */
TEST_FIXTURE (pipe, "/cli/measurements/pipe")
{
  static const char *const names[] = { "pipe", "pipe.h5" };

  PRISM_FOR_EACH_OF (name, names)
    {
      const char *path = in_folder (self->directory, *name);

      g_assert_cmpint (mkfifo (path, 0600), ==, 0);
      cli_refuses (3, "is a device or a pipe", "inspect %s", path);
    }
}

static char *
load_bytes (const char *directory,
            const char *name,
            gsize *n)
{
  char *bytes = NULL;

  g_assert_true (g_file_get_contents (in_folder (directory, name), &bytes, n, NULL));
  return bytes;
}

static void
check_there (const Fixture *fixture,
             const char *name)
{
  g_test_message ("%s", name);
  g_assert_true (g_file_test (in_folder (fixture->directory, name), G_FILE_TEST_EXISTS));
}

/* The folder, the brief one and the file are one result. */
static void
check_compared (const Fixture *fixture,
                const char *run,
                const char *brief)
{
  g_autofree char *page = g_build_filename (fixture->directory, "both.html", NULL);

  g_auto (PrismCliResult) result = cli_clean ("compare %s %s %s --report %s", fixture->output,
                                              run, brief, page);
  HAS (result.output, "Held-out misfit ");
  const char *row = strstr (result.output, "Likeness to the first ");
  g_assert_nonnull (row);
  g_autofree char *line = g_strndup (row, strcspn (row, "\n"));
  g_auto (GStrv) alike = g_strsplit (line, " 1.0000", -1);
  g_assert_cmpuint (g_strv_length (alike), ==, 3);
  LACKS (result.output, "PSNR");
  g_autofree char *html = file_text (page);
  HAS (html, "<figcaption>Amplitude</figcaption>");
  g_auto (GStrv) parts
      = g_strsplit (html, "<figcaption>Phase in rad, ramp taken off</figcaption>", -1);
  g_assert_cmpuint (g_strv_length (parts), ==, 4);
  HAS (html, "<code>free_pupil</code>", "prism-cli run --measurements ");
  LACKS (html, "<code>aperture_radius</code>");
}

/* Its frames' file and how well they are predicted, in place of an object and PSNR. */
static void
check_inspected (const Fixture *fixture,
                 const char *run)
{
  g_auto (PrismCliResult) text = cli_works ("inspect %s", run);
  HAS (text.output, fixture->frames, "Frames that were never used: misfit 0.", "pass 8 of 8",
       "\npasses=8\n");
  LACKS (text.output, "aperture_radius");
  g_auto (PrismCliResult) json = cli_run ("inspect --json %s", run);
  g_autofree char *frames = g_strconcat ("measurements = ", fixture->frames, NULL);
  CLI_JSON (json.output, "held_out.misfit > 0", frames);
}

/* As the run itself has written it. */
static void
check_exported (const Fixture *fixture,
                const char *run)
{
  g_autofree char *folder = g_build_filename (fixture->directory, "exported", NULL);

  g_auto (PrismCliResult) result = cli_clean ("export %s --output %s", run, folder);
  cli_same (folder, "object.npy", fixture->output, NULL);
  check_there (fixture, "exported/frames.csv");
  check_there (fixture, "exported/pupil-phase.png");
}

static void
check_exported_without_frames (const Fixture *fixture,
                               const char *run)
{
  g_auto (PrismCliResult) result
      = cli_works ("export %s --output %s", run, in_folder (fixture->directory, "pictures"));
  HAS (result.error, "The frames of this run cannot be read again");
  HAS (result.output, "the table of the frames are missing.");
  check_there (fixture, "pictures/amplitude.npy");
  check_there (fixture, "pictures/phase.npy");
  check_there (fixture, "pictures/summary.json");
}

/* With a file, reports, animation, profile and events, as a simulated run; taken up from its file
 * it writes the same result again. */
TEST_FIXTURE (run_file, "/cli/measurements/run-file")
{
  g_autofree char *run = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *events = g_build_filename (self->directory, "events", NULL);
  g_autofree char *profile = g_build_filename (self->directory, "a.json", NULL);
  g_autofree char *brief = g_build_filename (self->directory, "brief", NULL);

  g_auto (PrismCliResult) whole = cli_clean ("run --measurements %s --output %s --save %s --report "
                                             "%s --animation %s --tensorboard %s --profile %s",
                                             self->frames, self->output, run,
                                             in_folder (self->directory, "a.html"),
                                             in_folder (self->directory, "a.gif"), events, profile);
  HAS (whole.output, "Pass 8 of 8: held-out misfit 0.",
       "Fits the measurements: frames that were never used");
  for (int i = 0; i < 5; i++)
    check_there (self, ((const char *[]) { "a.prismrun", "a.html", "a.gif", "events",
                                           "a.json" })[i]);
  g_auto (PrismCliResult) again = cli_works ("run --resume %s --output %s --brief", run, brief);
  cli_same (self->output, "object.npy", brief, NULL);
  check_there (self, "brief/summary.json");
  g_assert_false (g_file_test (in_folder (brief, "amplitude.npy"), G_FILE_TEST_EXISTS));
  check_compared (self, run, brief);
  check_inspected (self, run);
  check_exported (self, run);
  cli_refuses (2, "name its file with --save", "run --resume %s --set passes=9", run);
  g_assert_cmpint (g_remove (self->frames), ==, 0);
  cli_refuses (3, "The frames of this run cannot be read again", "run --resume %s", run);
  check_exported_without_frames (self, run);
}

/* The first lines that the program says, as far as one with a part. */
static GSubprocess *
run_as_far_as (const Fixture *fixture,
               const char *part,
               const char *const *arguments)
{
  GSubprocess *process
      = MUST (g_subprocess_newv (arguments,
                                 G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                                 &error));
  gboolean said = FALSE;

  g_autoptr (GDataInputStream) lines
      = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (lines), FALSE);
  while (!said)
    {
      g_autofree char *line = MUST (g_data_input_stream_read_line (lines, NULL, NULL, &error));

      g_assert_nonnull (line);
      said = strstr (line, part) != NULL;
    }
  return process;
}

/* What near light asks for is said before anything is computed, and nothing is written. */
TEST_FIXTURE (choice, "/cli/measurements/choice")
{
  g_autofree char *near = g_build_filename (self->directory, "near.hdf5", NULL);

  g_auto (PrismCliResult) made = cli_works ("simulate --set size=96 --set per_side=5 --set "
                                            "distance=5e-3 --set pitch=0.3e-3 %s",
                                            near);
  g_auto (PrismCliResult) said = cli_works ("inspect %s", near);
  HAS (said.output, "by 10 pixels of the spectrum", "tiles of 64 pixels");
  g_auto (PrismCliResult) told = cli_works ("run -m %s --dry-run --output %s", near, self->output);
  HAS (told.output, "tiles of 64 pixels", "\n2×2 tiles of 64×64", "computed.\n# Memory ",
       "\ntile=64\n");
  HAS (told.output, "\n# Time       open");
  g_auto (PrismCliResult) one = cli_works ("run -m %s --dry-run --set tile=0 --json --output %s",
                                           near, self->output);
  CLI_JSON (one.output, "tiles = 1", "frames = 25", "run_bytes > 1000000",
            "seconds_as_set > 0");
  g_assert_false (g_file_test (self->output, G_FILE_TEST_EXISTS));
}

/* A field in tiles, with all that goes with a run. */
TEST_FIXTURE (tiles, "/cli/measurements/tiles")
{
  g_autofree char *run = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *events = g_build_filename (self->directory, "events", NULL);
  g_autofree char *profile = g_build_filename (self->directory, "a.json", NULL);
  g_autofree char *brief = g_build_filename (self->directory, "brief", NULL);
  gsize n;

  g_auto (PrismCliResult) whole
      = cli_clean ("run --measurements %s --set tile=32 --output %s --save %s --report %s "
                   "--animation %s --tensorboard %s --profile %s",
                   self->frames, self->output, run, in_folder (self->directory, "a.html"),
                   in_folder (self->directory, "a.gif"), events, profile);
  HAS (whole.output, "\n3×3 tiles of 32×32 pixels; the object has ",
       "\nTile 9 of 9, pass 72 of 72: held-out misfit 0.",
       "\nTile 1 of 9 at 16, 16, with a pupil of its own: ",
       "\nTile 9 of 9 at 32, 32, with the pupil of tile ");
  for (int i = 0; i < 6; i++)
    check_there (self, ((const char *[]) { "a.prismrun", "a.html", "a.gif", "events", "a.json",
                                           "result/tiles.csv" })[i]);
  g_auto (PrismCliResult) again = cli_works ("run --resume %s --output %s --brief --json", run,
                                             brief);
  CLI_JSON (again.output, "tiles.count = 9", "tiles.done = 9", "objective.tiles = 9");
  cli_same (self->output, "object.npy", brief, NULL);
  g_autofree char *html = load_bytes (self->directory, "a.html", &n);
  g_assert_nonnull (g_strstr_len (html, (gssize) n, "Objective over the field"));
  cli_same (self->output, "tiles.csv", brief, NULL);
  cli_same (self->output, "objective.csv", brief, NULL);
}

/* Ended after some tiles it keeps them and says how many, once, without a verdict or what shows a
 * result; taken up it ends as if nothing had been. */
TEST_FIXTURE (stopped_tiles, "/cli/measurements/stopped-tiles")
{
  g_autofree char *run = g_build_filename (self->directory, "a.prismrun", NULL);
  g_autofree char *stopped = g_build_filename (self->directory, "stopped", NULL);
  const char *const arguments[] = { g_getenv ("PRISM_CLI"), "run", "--measurements",
                                    self->frames, "--set", "tile=32", "--set", "passes=100",
                                    "--output", stopped, "--save", run, "--report",
                                    in_folder (self->directory, "a.html"), NULL };
  g_autofree char *said = NULL;
  gsize n;

  g_autoptr (GSubprocess) process = run_as_far_as (self, " left.", arguments);
  g_subprocess_send_signal (process, SIGTERM);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &said, NULL, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 143);
  HAS (said, "\nThere is no verdict on the whole field: it has ", " of 9 tiles so far.\n",
       "object.npy, pupil.npy, frames.csv, passes.csv, summary.json.\n");
  LACKS (said, "Stopped", "fit the measurements", "amplitude.tif");
  g_autofree char *text = load_bytes (stopped, "summary.json", &n);
  CLI_JSON (text, "tiles.done >= 1", "tiles.done < 9", "state = stopped", "verdict = unknown",
            "seams.amplitude = null", "held_out.correlation = finite");
  check_there (self, "stopped/object.npy");
  check_there (self, "stopped/tiles.csv");
  for (int i = 0; i < 4; i++)
    g_assert_false (g_file_test (
        in_folder (self->directory, ((const char *[]) { "stopped/amplitude.tif", "a.html",
                                                        "stopped/result.h5",
                                                        "stopped/phase.png" })[i]),
        G_FILE_TEST_EXISTS));
  g_auto (PrismCliResult) told = cli_works ("report --html %s %s",
                                            in_folder (self->directory, "told.html"), stopped);
  g_autofree char *page = file_text (in_folder (self->directory, "told.html"));
  HAS (page, "There is no verdict on the whole field");
  g_auto (PrismCliResult) again = cli_works ("run --resume %s --output %s", run, stopped);
  g_auto (PrismCliResult) whole = cli_works ("run --measurements %s --set tile=32 --set passes=100 "
                                             "--output %s --quiet",
                                             self->frames, self->output);
  cli_same (self->output, "object.npy", stopped, NULL);
  check_there (self, "stopped/result.h5");
}

/* A search that takes long says so, and ends at once: nothing is written. */
TEST_FIXTURE (stopped_search, "/cli/measurements/stopped-search")
{
  const char *const arguments[] = { g_getenv ("PRISM_CLI"), "run", "--measurements",
                                    self->frames, "--output", self->output, NULL };
  g_autofree char *said = NULL;

  g_auto (PrismCliResult) result = cli_works ("simulate --force --set size=256 --set per_side=7 "
                                              "--set astigmatism=0.4 %s",
                                              self->frames);
  g_autoptr (GSubprocess) process
      = run_as_far_as (self, "The search for the pupil goes on", arguments);
  g_subprocess_send_signal (process, SIGTERM);
  g_assert_true (MUST (g_subprocess_communicate_utf8 (process, NULL, NULL, &said, NULL, &error)));
  LACKS (said, "Pass ");
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 143);
  g_assert_false (g_file_test (in_folder (self->output, "summary.json"), G_FILE_TEST_EXISTS));
}
