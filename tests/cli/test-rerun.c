#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

#include <hdf5.h>

#define tear_down NULL

typedef struct
{
  const char *directory;
  const char *frames, *output, *file; /* the last is result.h5 */
} Fixture;

static void
set_up (Fixture *self,
        gconstpointer data)
{
  self->directory = OWN (test_folder_free, test_folder_new ());
  /* Texts that name it have another spelling. */
  self->frames = in_folder (self->directory, "\xff-cells.hdf5");
  self->output = in_folder (self->directory, "result");
  self->file = in_folder (self->output, "result.h5");
  g_auto (PrismCliResult) made = cli_works ("simulate --set size=64 --set per_side=9 %s",
                                            self->frames);
  g_auto (PrismCliResult) run = cli_works ("run --measurements %s --output %s --set hold_out=10 "
                                           "--quiet",
                                           self->frames, self->output);
}

/* Adds something to the first number of an array. */
static void
change (const char *path,
        const char *name)
{
  const hid_t file = H5Fopen (path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t array = H5Dopen2 (file, name, H5P_DEFAULT), type = H5Dget_type (array);
  const hid_t space = H5Dget_space (array);
  const gsize n = (gsize) H5Sget_simple_extent_npoints (space) * H5Tget_size (type);
  g_autofree char *values = g_malloc (n);
  float number;

  g_assert_cmpint (H5Dread (array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), >=, 0);
  memcpy (&number, values, sizeof number);
  number += 1;
  memcpy (values, &number, sizeof number);
  g_assert_cmpint (H5Dwrite (array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), >=, 0);
  H5Sclose (space);
  H5Tclose (type);
  H5Dclose (array);
  H5Fclose (file);
}

/* The file and the frames are enough, wherever they are; a changed number is named. */
TEST_FIXTURE (frames, "/cli/rerun/frames")
{
  g_autofree char *elsewhere = g_build_filename (self->directory, "moved.hdf5", NULL);

  g_auto (PrismCliResult) same = cli_clean ("rerun %s", self->file);
  HAS (same.output, "The same to the bit");
  g_assert_cmpint (same.exit_code, ==, 0);

  g_assert_cmpint (g_rename (self->frames, elsewhere), ==, 0);
  cli_refuses (3, "cells.hdf5", "rerun %s", self->file);
  g_auto (PrismCliResult) moved = cli_run ("rerun %s %s -q -o %s", self->file, elsewhere,
                                           in_folder (self->directory, "again"));
  g_assert_cmpstr (moved.output, ==, "");
  g_assert_cmpint (moved.exit_code, ==, 0);

  change (self->file, "/entry/model/object");
  cli_refuses (1, "entry/model/object", "rerun %s %s", self->file, elsewhere);
}

/* Another frame is no longer what the result was made of. */
TEST_FIXTURE (changed, "/cli/rerun/changed")
{
  change (self->frames, "/ptychogram");
  cli_refuses (3, "has changed", "rerun %s", self->file);
}

TEST_FIXTURE (simulated, "/cli/rerun/simulated")
{
  g_auto (PrismCliResult) run = cli_works ("run --set image_size=64 --set object_size=32 "
                                           "--set aperture_radius=4 --set samples=12 "
                                           "--set snr=30 --output %s --quiet",
                                           self->output);
  g_auto (PrismCliResult) same = cli_clean ("rerun %s", self->file);
  change (self->file, "/entry/object/amplitude");
  cli_refuses (1, "entry/object/amplitude", "rerun %s", self->file);
}

/* Beside all that the summary says, it says what two halves of the frames agree on. */
TEST_FIXTURE (resolution, "/cli/rerun/resolution")
{
  g_auto (PrismCliResult) result = cli_clean ("resolution %s", self->output);
  g_autofree char *text = file_text (in_folder (self->output, "summary.json"));
  double nm = cli_number (text, "resolution.nm"), limit = cli_number (text, "resolution.limit_nm");
  double error = cli_number (text, "resolution.error_nm");
  g_test_message ("%.0f ± %.0f nm of %.0f nm", nm, error, limit);
  g_assert_cmpfloat (error, >, 0);
  g_assert_cmpfloat (error, <, 0.2 * nm);
  g_assert_cmpfloat (nm, >, 0.9 * limit);
  g_assert_cmpfloat (nm, <, 3 * limit);
  CLI_JSON (text, "held_out");
  g_assert_true (g_file_test (in_folder (self->output, "halves.csv"), G_FILE_TEST_EXISTS));
  g_auto (PrismCliResult) report = cli_works ("report %s --html r.html", self->output);
  const char *html = cli_file (&report, "r.html");
  g_assert_true (g_regex_match_simple (
      "<th>Finest period</th><td>[\\d.]+ ± [\\d.]+ µm by two halves of the frames", html, 0, 0));
  g_auto (PrismCliResult) table = cli_works ("compare %s", self->output);
  g_assert_true (g_regex_match_simple ("Finest period, nm +\\d+ .+ \\d+\n", table.output, 0, 0));
  HAS (table.output, "Finest period allowed, nm");
  cli_refuses (3, "result.h5", "resolution %s", self->directory);
}

/* An area has a path and, by it, a mass; a ruler is off by its pixels; bars have an element.
 * Half of the refractive increment makes twice the mass. */
TEST_FIXTURE (marks, "/cli/rerun/marks")
{
  static const char *const list = "ellipse 90 90 130 120; ruler 10 10 40 50; line 20 60 80 60";
  double masses[2];

  g_auto (PrismCliResult) result = cli_works ("resolution %s --marks %s", self->output, list);
  HAS (result.output, "; USAF group ");
  g_auto (PrismCliResult) half = cli_works ("resolution %s --marks %s --increment 0.09",
                                            self->output, list);
  for (guint i = 0; i < 2; i++)
    {
      const PrismCliResult *of = i == 0 ? &result : &half;
      const char *at = strstr (of->output, "dry mass ");

      g_assert_nonnull (at);
      masses[i] = g_ascii_strtod (at + strlen ("dry mass "), NULL);
    }
  g_assert_cmpfloat (fabs (masses[1] - 2 * masses[0]), <, 0.002 * fabs (masses[1]));
  {
    g_autofree char *text = file_text (in_folder (self->output, "summary.json"));
    g_autofree char *rows = file_text (in_folder (self->output, "marks.csv"));
    HAS (rows, "\n3,line,20,60,80,60,");
    CLI_JSON (text, "marks.0.path_nm_error > 0", "marks.0.path_nm_error < 5", "!marks.0.length_um");
    double pixel = cli_number (text, "object.pixel_um");
    g_assert_cmpfloat_with_epsilon (cli_number (text, "marks.1.length_um"), 50 * pixel, 1e-6);
    g_assert_cmpfloat_with_epsilon (cli_number (text, "marks.1.length_um_error"), 0.40825 * pixel,
                                    1e-4);
  }
  g_auto (PrismCliResult) report = cli_works ("report %s --html r.html", self->output);
  const char *html = cli_file (&report, "r.html");
  g_assert_true (g_regex_match_simple ("dry mass −?[\\d.]+ ± [\\d.]+ pg<", html, 0, 0));
  HAS (html, "± from two halves of the frames: one standard error");
  cli_refuses (2, "blob", "resolution %s --marks 'blob 1 2 3 4'", self->output);
  cli_refuses (2, "--marks has no mark", "resolution %s --marks ''", self->output);
  cli_refuses (2, "cannot be measured", "resolution %s --marks 'ruler -1000 0 5000 0'",
               self->output);
}

/* Simulated bars, upright in the left half of the field, have 12.5 periods a side in their second
 * row: 105.9 pairs a mm here, which is element 5 of group 6. */
TEST (bars, "/cli/rerun/bars")
{
  g_auto (PrismCliResult) made = cli_works ("simulate --set size=64 --set specimen=1 "
                                            "--set per_side=9 --set pitch=3e-3 bars.hdf5");
  g_auto (PrismCliResult) run = cli_works ("run --measurements %s --output result "
                                           "--set upsampling=3 --quiet",
                                           in_folder (made.directory, "bars.hdf5"));
  g_autofree char *folder = g_build_filename (run.directory, "result", NULL);
  g_auto (PrismCliResult) result = cli_works ("resolution %s --marks 'line 15 58 84 58 3'", folder);
  g_assert_true (g_regex_match_simple ("USAF group 6, element (4[.][5-9]|5[.][0-4])",
                                       result.output, 0, 0));
  const char *text = cli_file (&run, "result/summary.json");
  double pairs = cli_number (text, "marks.0.line_pairs_per_mm");
  double error = cli_number (text, "marks.0.line_pairs_per_mm_error");
  g_test_message ("%.2f ± %.2f", pairs, error);
  g_assert_cmpfloat (fabs (pairs - 1e3 / (0.08 * 64 * 1.845)), <, 3 * error);
  g_assert_cmpfloat (error, <, 0.02 * pairs);
}

/* Beyond what the light carries both halves of a tile keep what they began with. A mark is read on
 * the field, with ± of the tile that it lies in. */
TEST (resolution_of_tiles, "/cli/rerun/resolution-of-tiles")
{
  g_auto (PrismCliResult) made = cli_works ("simulate --set size=96 --set per_side=7 cells.hdf5");
  g_auto (PrismCliResult) run = cli_works ("run --measurements %s --output tiled --set tile=48 "
                                           "--set passes=3 --quiet",
                                           in_folder (made.directory, "cells.hdf5"));
  g_autofree char *path = g_build_filename (run.directory, "tiled", NULL);
  g_auto (PrismCliResult) result = cli_works ("resolution %s", path);
  g_auto (PrismCliResult) marks
      = cli_works ("resolution %s --marks 'ellipse 20 20 60 50; ellipse 230 240 270 280'", path);
  cli_refuses (2, "explained together", "resolution %s --marks 'ruler 0 0 280 0'", path);
  const char *text = cli_file (&run, "tiled/summary.json");
  CLI_JSON (text, "marks.0.path_nm_error > 0", "marks.1.path_nm_error > 0");
  for (int i = 0; i < 2; i++)
    {
      const char *error = i == 0 ? "marks.0.amplitude_error" : "marks.1.amplitude_error";
      const char *value = i == 0 ? "marks.0.amplitude" : "marks.1.amplitude";

      g_assert_cmpfloat (cli_number (text, error), <, 0.1 * cli_number (text, value));
    }
  g_assert_cmpfloat (cli_number (text, "resolution.nm"), >,
                     0.9 * cli_number (text, "resolution.limit_nm"));
}

/* A link that lies under a name of the program's is replaced, and what it leads to stays. */
TEST_FIXTURE (links, "/cli/rerun/links")
{
  static const char *const names[] = { "halves.csv", "marks.csv", "refocus.ome.tif" };
  g_autofree char *before = NULL, *after = NULL;
  gsize n_before, n_after;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpint (symlink ("result.h5", in_folder (self->output, names[i])), ==, 0);
  g_assert_true (g_file_get_contents (self->file, &before, &n_before, NULL));
  g_auto (PrismCliResult) resolution = cli_works ("resolution %s --marks 'ruler 1 1 9 9'",
                                                  self->output);
  g_auto (PrismCliResult) refocus = cli_works ("refocus --steps 2 %s", self->output);
  g_assert_true (g_file_get_contents (self->file, &after, &n_after, NULL));
  g_assert_cmpmem (after, n_after, before, n_before);
}

TEST (refused, "/cli/rerun/refused")
{
  cli_refuses (2, "result.h5 is expected here", "rerun");
  cli_refuses (3, "nothing.h5", "rerun nothing.h5");
}
