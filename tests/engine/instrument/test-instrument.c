#include "../support/test-remove-tree.h"
#include "instrument/prism-instrument-simulate.h"
#include "prism-test.h"
#include "recording/prism-recording-geometry.h"
#include "recording/prism-recording-private.h"
#include "recording/prism-recording-save.h"

static void
set (PrismInstrument *instrument, const char *key, const char *value)
{
  g_assert_true (MUST (prism_instrument_set (instrument, key, value, &error)));
}

/* A small microscope without noise. */
static PrismInstrument
make_small (void)
{
  PrismInstrument self;

  g_assert_true (prism_instrument_init (&self, "microscope", NULL));
  set (&self, "size", "16");
  set (&self, "per_side", "3");
  set (&self, "pitch", "5e-3");
  set (&self, "photons", "0");
  set (&self, "coma", "0.1");
  return self;
}

/* I(r) = |Σ_k P(k)·Ô(k + k_j)·exp(2πi k·r/q)|², by sums alone. */
static double
compute_naively (const PrismInstrument *instrument,
                 const PrismInstrumentTruth *truth,
                 PrismContrast contrast,
                 double column,
                 double row,
                 int x,
                 int y)
{
  int n = (int) truth->n_side, q = (int) truth->size;
  double sum_re = 0, sum_im = 0;

  for (int ky = (int) floor (row - q / 2.0); ky <= row + q / 2.0; ky++)
    for (int kx = (int) floor (column - q / 2.0); kx <= column + q / 2.0; kx++)
      {
        double radius = instrument->na * 1.845e-6 * q / instrument->wavelength;
        double distance = hypot (kx - column, ky - row), sine = distance / radius * instrument->na;
        double clear = CLAMP (radius - distance + 0.5, 0.0, 1.0);
        double x0 = (kx - column) / radius, square = pow (distance / radius, 2);
        double delay = 2 * G_PI
                       * (instrument->defocus / instrument->wavelength * sqrt (1 - sine * sine)
                          + instrument->coma * sqrt (8) * (3 * square - 2) * x0);
        double pupil[2], re = 0, im = 0, phase = 2 * G_PI * (kx * x + ky * y) / q, a, b;

        if (clear == 0)
          continue;
        if (contrast == PRISM_CONTRAST_PHASE && fabs (distance / radius - 0.7) <= 0.1)
          delay += G_PI / 2;
        if (contrast == PRISM_CONTRAST_RELIEF)
          clear *= sin (G_PI * kx / q + G_PI / 4);
        pupil[0] = clear * cos (delay);
        pupil[1] = clear * sin (delay);
        for (int v = 0; v < n; v++)
          for (int u = 0; u < n; u++)
            {
              const float *o = truth->object + 2 * (v * n + u);
              double angle = -2 * G_PI * ((double) kx * u + (double) ky * v) / n;

              re += o[0] * cos (angle) - o[1] * sin (angle);
              im += o[0] * sin (angle) + o[1] * cos (angle);
            }
        a = pupil[0] * re - pupil[1] * im;
        b = pupil[0] * im + pupil[1] * re;
        sum_re += a * cos (phase) - b * sin (phase);
        sum_im += a * sin (phase) + b * cos (phase);
      }
  return (sum_re * sum_re + sum_im * sum_im) / pow (n, 4);
}

TEST (model, "/engine/instrument/model")
{
  PrismInstrument instrument = make_small ();
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = prism_instrument_simulate (&instrument, &truth, NULL);

  g_assert_nonnull (recording);
  g_assert_cmpuint (recording->n_frames, ==, 9);
  for (guint j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      {
        int x = 3 * i, y = 5 * i;
        double column, row, expected;

        prism_recording_get_center (recording, j, recording->width, &column, &row);
        expected = compute_naively (&instrument, truth, PRISM_CONTRAST_BRIGHT, column, row, x, y);
        g_assert_cmpfloat_with_epsilon (recording->frames[(j * 16 + y) * 16 + x], expected,
                                        1e-4 * expected + 1e-6);
      }
}

/* Means over the LEDs that light each contrast, at a pixel. */
TEST (contrasts, "/engine/instrument/contrasts")
{
  static const double first[] = { 0, 1, 0.6, 0 }, last[] = { 1, 100, 0.8, 1 };
  PrismInstrument instrument = make_small ();
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = NULL;

  set (&instrument, "pitch", "9e-3");
  set (&instrument, "gains", "0.3");
  recording = MUST (prism_instrument_simulate (&instrument, &truth, &error));
  for (int contrast = 0; contrast < PRISM_N_CONTRASTS; contrast++)
    {
      g_autoptr (PrismImage) seen
          = MUST (prism_instrument_see (&instrument, truth, (PrismContrast) contrast, &error));
      double sum = 0;
      guint n = 0;

      for (guint j = 0; j < 9; j++)
        {
          const double rho = hypot (recording->directions[2 * j], recording->directions[2 * j + 1])
                             / instrument.na;
          double column, row;

          if (rho < first[contrast] || rho > last[contrast])
            continue;
          prism_recording_get_center (recording, j, 16, &column, &row);
          sum += compute_naively (&instrument, truth, contrast, column, row, 5, 9);
          n++;
        }
      g_assert_true (contrast != PRISM_CONTRAST_DARK || n == 4);
      g_assert_cmpfloat_with_epsilon (seen->pixels[9 * 16 + 5], sum / MAX (n, 1), 1e-5);
    }
}

/* A microscope of a name, in oil: no LED in air lights past its aperture. */
TEST (scenario, "/engine/instrument/scenario")
{
  PrismInstrument self;

  g_assert_true (prism_instrument_init (&self, "microscope_100x_oil,wavelength=600", NULL));
  g_assert_cmpfloat (self.na, ==, 1.4);
  g_assert_cmpfloat_with_epsilon (self.wavelength, 600e-9, 1e-15);
  g_assert_true (MUST (prism_instrument_check (&self, &error)));
  set (&self, "index", "1");
  FAILS (prism_instrument_check (&self, &error), CONFIG, "below “index”");
  FAILS (prism_instrument_init (&self, "drone_50m_survey", &error), CONFIG, "prism-cli run");
}

/* Each error that is ordered is in the truth, and in the frames. */
TEST (errors, "/engine/instrument/errors")
{
  PrismInstrument instrument = make_small ();
  g_autoptr (PrismInstrumentTruth) plain = NULL, truth = NULL;
  g_autoptr (PrismRecording) without = prism_instrument_simulate (&instrument, &plain, NULL);
  double mean = 0;

  set (&instrument, "gains", "0.2");
  set (&instrument, "stray", "0.01");
  g_autoptr (PrismRecording) with = prism_instrument_simulate (&instrument, &truth, NULL);
  for (gsize i = 0; i < 256; i++)
    mean += without->frames[i] / 256;
  g_assert_cmpfloat_with_epsilon (truth->stray, 0.01 * mean, 1e-6);
  for (gsize i = 0; i < 9 * 256; i++)
    g_assert_cmpfloat_with_epsilon (with->frames[i],
                                    without->frames[i] * truth->gains[i / 256] + truth->stray,
                                    1e-5);
  g_assert_cmpfloat (fabs (truth->gains[1] - 1), >, 0.01);
  set (&instrument, "shifts", "2");
  prism_instrument_truth_free (g_steal_pointer (&truth));
  prism_recording_free (g_steal_pointer (&with));
  with = prism_instrument_simulate (&instrument, &truth, NULL);
  g_assert_cmpmem (with->directions, 18 * sizeof (double), without->directions,
                   18 * sizeof (double));
  mean = 0;
  for (gsize i = 0; i < 18; i++)
    {
      double pixel = 630e-9 / (1.845e-6 * 16);

      mean += pow ((truth->directions[i] - with->directions[i]) / pixel, 2) / 9;
    }
  g_assert_cmpfloat (sqrt (mean), >, 0.8);
  g_assert_cmpfloat (sqrt (mean), <, 4);
}

TEST (formats, "/engine/instrument/formats")
{
  static const struct
  {
    const char *name;
    PrismRecordingFormat saved;
    gboolean bare; /* directions and numbers lie beside it */
    const char *format;
  } formats[] = {
    { "a.hdf5", PRISM_RECORDING_PTYLAB, FALSE, "PtyLab HDF5" },
    { "a.mat", PRISM_RECORDING_MATLAB, FALSE, "MATLAB 5" },
    { "a73.mat", PRISM_RECORDING_MATLAB73, FALSE, "MATLAB 7.3" },
    { "a.cxi", PRISM_RECORDING_CXI, TRUE, "CXI" },
    { "a.npz", PRISM_RECORDING_NPZ, FALSE, "NumPy" },
    { "a.npy", PRISM_RECORDING_NPY, TRUE, "NumPy" },
    { "a.tif", PRISM_RECORDING_TIFF, TRUE, "TIFF" },
    { "a.fits", PRISM_RECORDING_FITS, TRUE, "FITS" },
  };
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *pipe = g_build_filename (folder, "pipe.hdf5", NULL);
  g_autofree char *table = g_build_filename (folder, "leds.csv", NULL);
  g_autofree char *recipe_path = g_build_filename (folder, "recipe.prism", NULL);
  PrismInstrument instrument = make_small ();
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = prism_instrument_simulate (&instrument, &truth, NULL);

  g_assert_true (prism_recording_save_table (recording, NULL, table, NULL));
  g_assert_true (prism_recording_save_recipe (recording, recipe_path, NULL));
  g_autoptr (PrismRecipe) recipe = prism_recipe_load (recipe_path, NULL);
  g_assert_nonnull (recipe);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = g_build_filename (folder, formats[i].name, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (PrismRecording) again = NULL;

      g_assert_true (prism_recording_save (recording, path, formats[i].saved, &error));
      again = MUST (prism_recording_load (path, formats[i].bare ? recipe : NULL, &error));
      if (formats[i].bare)
        g_assert_true (prism_recording_load_positions (again, table, &error));
      g_assert_no_error (error);
      g_assert_true (prism_recording_check (again, &error));
      g_assert_cmpstr (again->format, ==, formats[i].format);
      g_assert_cmpuint (again->height, ==, 16);
      g_assert_cmpmem (again->frames, 9 * 256 * sizeof (float), recording->frames,
                       9 * 256 * sizeof (float));
      for (gsize k = 0; k < 18; k++)
        g_assert_cmpfloat_with_epsilon (again->directions[k], recording->directions[k], 1e-7);
      g_assert_cmpfloat_with_epsilon (again->pixel_size, 1.845e-6, 1e-12);
      g_assert_cmpfloat_with_epsilon (again->wavelength, 630e-9, 1e-13);
      g_assert_cmpfloat_with_epsilon (again->na, recording->na, 1e-7);
      g_assert_cmpfloat_with_epsilon (again->distance, recording->distance, 1e-7);
      g_assert_cmpfloat_with_epsilon (again->defocus, recording->defocus, 1e-12);
    }
  g_assert_false (prism_recording_save (recording, "/does/not/exist.hdf5", PRISM_RECORDING_PTYLAB,
                                        NULL));
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_false (prism_recording_save (recording, pipe, PRISM_RECORDING_PTYLAB, NULL));
  g_assert_false (g_file_test (pipe, G_FILE_TEST_IS_REGULAR));
}

/* Whichever way the axes are turned, the bright circles tell. */
TEST (turns, "/engine/instrument/turns")
{
  PrismInstrument instrument;
  g_autoptr (PrismInstrumentTruth) truth = NULL;

  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  set (&instrument, "size", "96");
  set (&instrument, "per_side", "5");
  g_autoptr (PrismRecording) recording = prism_instrument_simulate (&instrument, &truth, NULL);
  g_autofree double *directions = g_memdup2 (recording->directions, 50 * sizeof *directions);
  for (int turn = 0; turn < 4; turn++)
    {
      for (gsize j = 0; j < 25; j++)
        {
          double x = directions[2 * j], y = directions[2 * j + 1];
          const double turned[4][2] = { { x, y }, { x, -y }, { y, x }, { -y, x } };

          memcpy (recording->directions + 2 * j, turned[turn], sizeof turned[turn]);
        }
      g_assert_cmpuint (recording->notes->len, ==, turn == 0 ? 0 : turn - 1);
      prism_recording_geometry_correct (recording, TRUE);
      g_assert_cmpuint (recording->notes->len, ==, turn);
      for (gsize i = 0; i < 50; i++)
        g_assert_cmpfloat_with_epsilon (recording->directions[i], directions[i], 1e-12);
    }
}

TEST (contrast, "/engine/instrument/contrast")
{
  PrismInstrument instrument;
  g_autoptr (PrismInstrumentTruth) truth = NULL;

  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  set (&instrument, "size", "96");
  set (&instrument, "per_side", "5");
  g_autoptr (PrismRecording) recording = prism_instrument_simulate (&instrument, &truth, NULL);
  double right = prism_recording_geometry_compute_contrast (recording);
  for (gsize i = 0; i < 50; i++)
    recording->directions[i] *= 1.3;
  double wide = prism_recording_geometry_compute_contrast (recording);
  g_assert_cmpfloat (right, >, wide + 0.1);
}

TEST (bad, "/engine/instrument/bad")
{
  static const char *const bad[][2] = {
    { "na", "1.6" },
    { "na", "nan" },
    { "na", "" },
    { "na", "0.1x" },
    { "size", "8" },
    { "none", "1" },
    { "per_side", "2.5" },
    { "seed", "1.5" },
    { "seed", "0x10" },
  };
  static const char *const clashes[][2] = {
    { "size", "17" },
    { "camera_pixel", "1e-5" },
    { "pitch", "0.1" },
    { "na", "1e-3" },
  };
  PrismInstrument instrument;

  FAILS (prism_instrument_init (&instrument, "sextant", &error), CONFIG, "");
  g_assert_true (prism_instrument_init (&instrument, "telescope", NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    FAILS (prism_instrument_set (&instrument, bad[i][0], bad[i][1], &error), CONFIG, "");
  for (gsize i = 0; i < G_N_ELEMENTS (clashes); i++)
    {
      g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
      set (&instrument, "size", "512");
      set (&instrument, clashes[i][0], clashes[i][1]);
      if (i >= 2)
        set (&instrument, "size", i == 2 ? "1024" : "64");
      FAILS (prism_instrument_check (&instrument, &error), CONFIG, "");
    }
}
