#include "prism-cli-harness.h"
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

SET_UP
{
  self->directory = OWN (test_folder_free, test_folder_new ());
  self->frames = in_folder (self->directory, "cells.hdf5");
  self->output = in_folder (self->directory, "result");
  g_auto (PrismCliResult) result
      = cli_works ("simulate --set size=64 --set per_side=9 --set gains=0.1 %s", self->frames);
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
  g_assert_true (g_str_has_prefix (cli_file (&result, "r.pdf"), "%PDF-"));
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

static double
get_number (const char *json, const char *name)
{
  const char *at = strstr (json, name);

  g_assert_nonnull (at);
  return g_ascii_strtod (strchr (at, ':') + 1, NULL);
}

TEST_FIXTURE (run, "/cli/measurements/run")
{
  g_auto (PrismCliResult) result = cli_clean ("run --measurements %s --output %s --json "
                                              "--set hold_out=10",
                                              self->frames, self->output);
  gsize side = (gsize) get_number (result.output, "\"side_px\"");
  check_array (self, "amplitude.npy", FALSE, side);
  check_array (self, "phase.npy", FALSE, side);
  check_array (self, "object.npy", TRUE, side);
  check_array (self, "pupil.npy", TRUE, 64);
  check_tiff (self, "amplitude.tif", "amplitude.npy");
  check_tiff (self, "phase.tif", "phase.npy");
  check_file (self, get_number (result.output, "\"frame_white\""));

  g_autofree char *table = file_text (in_folder (self->output, "frames.csv"));
  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 81 + 1);
  check_report (self);
}
