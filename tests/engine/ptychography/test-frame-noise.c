#include "../support/simulated-microscope.h"
#include "prism-test.h"
#include "ptychography/prism-ptychography-private.h"

static double
correlate (const float *a, const float *b, gsize n)
{
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  for (gsize i = 0; i < n; i++)
    {
      x += a[i];
      y += b[i];
      xx += a[i] * a[i];
      yy += b[i] * b[i];
      xy += a[i] * b[i];
    }
  return (xy - x * y / n) / sqrt ((xx - x * x / n) * (yy - y * y / n));
}

/* What the formula says of frames with noise is how well the same frames without predict them. */
static void
check_limits (const char *photons, double tolerance)
{
  g_autoptr (PrismRecording) clean
      = simulated_microscope_new (NULL, "size", "64", "per_side", "9", "photons", "0", NULL);
  g_autoptr (PrismRecording) noisy
      = simulated_microscope_new (NULL, "size", "64", "per_side", "9", "photons", photons, NULL);
  const gsize n = (gsize) clean->width * clean->height;
  double sum = 0, worst = 0;
  PrismFrameNoise noise;

  prism_frame_noise_measure (&noise, noisy, (int) noisy->width);
  for (guint j = 0; j < clean->n_frames; j++)
    {
      g_autofree float *truth = g_new (float, n), *recorded = g_new (float, n);

      for (gsize i = 0; i < n; i++)
        {
          truth[i] = sqrtf (clean->frames[j * n + i]);
          recorded[i] = sqrtf (MAX (noisy->frames[j * n + i], 0));
        }
      PrismFrameLimit limit = prism_frame_noise_limit (&noise, j, 0, truth, recorded, n);
      double difference = limit.correlation - correlate (truth, recorded, n);
      sum += fabs (difference) / clean->n_frames;
      worst = MAX (worst, fabs (difference));
    }
  g_test_message ("%s photons: off by %.3f, at most %.3f", photons, sum, worst);
  g_assert_cmpfloat (sum, <, tolerance);
  g_assert_cmpfloat (worst, <, 5 * tolerance);
  prism_frame_noise_clear (&noise);
}

/* Frames whose object is known already ask for no change but their noise, which is none in the
 * mean: dark ones with a background, of whose noise half is below it. */
TEST (floors, "/engine/frame-noise/floors")
{
  g_autoptr (PrismRecording) clean
      = simulated_microscope_new (NULL, "size", "64", "per_side", "9", "photons", "0", NULL);
  g_autoptr (PrismRecording) noisy = simulated_microscope_new (
      NULL, "size", "64", "per_side", "9", "photons", "1000", "stray", "0.02", NULL);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychogram) frames = prism_ptychogram_new (noisy, settings, NULL);
  const gsize n = (gsize) clean->width * clean->height;
  g_autofree float *field = g_new (float, 2 * n);

  for (int with = 0; with < 2; with++)
    {
      double sum = 0, size = 0;

      for (guint j = 0; j < frames->n_frames; j++)
        {
          if (hypot (frames->centers[j][0], frames->centers[j][1]) < 1.5 * frames->radius)
            continue;
          for (gsize i = 0; i < n; i++)
            {
              field[2 * i] = sqrtf (clean->frames[j * n + i]);
              field[2 * i + 1] = 0;
              size += (double) field[2 * i];
            }
          prism_cpu_ptychography_kernels_baseline.replace (
              field, prism_ptychogram_get (frames, j), (int) n, 1,
              with ? (float) frames->floors[j] : 0);
          for (gsize i = 0; i < n; i++)
            sum += (double) field[2 * i];
        }
      g_test_message ("floor %i: %.3f of the amplitude", with, sum / size);
      if (with)
        g_assert_cmpfloat (fabs (sum / size), <, 0.05);
      else
        g_assert_cmpfloat (sum / size, >, 0.3);
    }
}

TEST (limits, "/engine/frame-noise/limits")
{
  check_limits ("1000000", 0.001);
  check_limits ("3000", 0.03);
  check_limits ("300", 0.06);
}

/* Grey levels over a level of 2: the level is found through the noise, and frames that show nothing
 * else are not held out. */
TEST (grey_levels, "/engine/frame-noise/grey-levels")
{
  g_autoptr (PrismRecording) recording
      = simulated_microscope_new (NULL, "size", "64", "per_side", "9", "photons", "0", NULL);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  const gsize n = (gsize) recording->n_frames * recording->width * recording->height;
  guint n_held = 0, n_poor = 0;
  float most = 0;

  for (gsize i = 0; i < n; i++)
    most = MAX (most, recording->frames[i]);
  for (gsize i = 0; i < n; i++)
    {
      const double noise = g_rand_double (random) + g_rand_double (random) - 1;

      recording->frames[i]
          = (float) rint (200 * (double) (recording->frames[i] / most) + 2 + noise);
    }
  g_autoptr (PrismPtychogram) frames = prism_ptychogram_new (recording, settings, NULL);
  g_assert_nonnull (frames);
  g_test_message ("level %g", frames->background);
  g_assert_cmpfloat (fabs (frames->background - 2), <, 0.3);
  for (guint j = 0; j < frames->n_frames; j++)
    {
      const gboolean poor = frames->noise.signals[j] < PRISM_FRAME_SIGNAL;

      n_poor += poor;
      n_held += frames->roles[j] == PRISM_FRAME_HELD_OUT;
      g_assert_false (poor && frames->roles[j] == PRISM_FRAME_HELD_OUT);
    }
  g_test_message ("%u without signal, %u held out", n_poor, n_held);
  g_assert_cmpuint (n_poor, >, 20);
  g_assert_cmpuint (n_held, ==, 5);
}

/* A flat pupil, as the tile beside it might have found. */
static void
begin_elsewhere (PrismPtychography *solver)
{
  const PrismPtychogram *frames = solver->frames;
  const int q = frames->side;
  g_autofree float *pupil = g_new0 (float, 2 * q * q);
  const PrismPtychographyStart start = { .side = q,
                                         .pupil = pupil,
                                         .radius = frames->radius * q / frames->grid,
                                         .rim = NAN,
                                         .elsewhere = TRUE };

  for (int i = 0; i < q * q; i++)
    pupil[2 * i] = 1;
  prism_ptychography_set_start (solver, &start);
}

static PrismPrediction
judge (const PrismRecording *recording,
       gboolean elsewhere,
       PrismPtychographyWatch watch,
       gpointer data,
       char **remedy)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychography) solver = NULL;

  settings->more_passes = 0;
  solver = prism_ptychography_new (prism_ptychogram_new (recording, settings, NULL), settings,
                                   recording->wavelength, recording->na, NULL);
  if (elsewhere)
    begin_elsewhere (solver);
  g_assert_true (prism_ptychography_begin (solver));
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    prism_ptychography_step (solver);
  PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  prism_ptychography_set_watch (solver, watch, data);
  prism_ptychography_judge (solver, &held);
  *remedy = g_strdup (solver->remedy);
  g_test_message ("%s: misfit %.3f, %s", prism_verdict_get_cause (held.cause), held.misfit,
                  *remedy != NULL ? *remedy : "");
  return held;
}

static gboolean
end (double fraction, gpointer n_asked)
{
  ++*(guint *) n_asked;
  return FALSE;
}

/* Directions whose axes are swapped and one mirrored, and those of the next frame: the cause is
 * named, and what was tried. Whoever ends the trials is told none, and for a tile beside another
 * one they are not made. */
TEST (causes, "/engine/frame-noise/causes")
{
  g_autoptr (PrismRecording) recording
      = simulated_microscope_new (NULL, "size", "64", "per_side", "7", NULL);
  const guint n = recording->n_frames;
  g_autofree double *said = g_memdup2 (recording->directions, 2 * n * sizeof *said);
  g_autofree char *fine = NULL, *mirrored = NULL, *late = NULL, *ended = NULL, *tile = NULL;
  guint n_asked = 0;
  double *directions = recording->directions;

  g_assert_cmpint (judge (recording, FALSE, NULL, NULL, &fine).cause, ==, PRISM_CAUSE_NONE);
  g_assert_null (fine);
  for (guint j = 0; j < n; j++)
    directions[2 * j + 1] = -said[2 * j + 1];
  g_assert_cmpint (judge (recording, FALSE, NULL, NULL, &mirrored).cause, ==, PRISM_CAUSE_GEOMETRY);
  HAS (mirrored, "one axis of the positions mirrored");
  g_assert_cmpint (judge (recording, FALSE, end, &n_asked, &ended).cause, ==, PRISM_CAUSE_NONE);
  g_test_message ("asked %u times", n_asked);
  g_assert_cmpuint (n_asked, >, 0);
  g_assert_cmpuint (n_asked, <, 20); /* no trial has taken a frame */
  n_asked = 0;
  g_assert_cmpint (judge (recording, TRUE, end, &n_asked, &tile).cause, ==, PRISM_CAUSE_NONE);
  g_assert_cmpuint (n_asked, ==, 0);
  for (guint j = 0; j < 2 * n; j++)
    directions[j] = said[(j + 2) % (2 * n)];
  g_assert_cmpint (judge (recording, FALSE, NULL, NULL, &late).cause, ==, PRISM_CAUSE_ORDER);
  g_assert_nonnull (late);
}

/* The engine's own frames are periodic, a part of them is not. */
TEST (joins, "/engine/frame-noise/joins")
{
  g_autoptr (PrismRecording) recording
      = simulated_microscope_new (NULL, "size", "64", "per_side", "7", NULL);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychogram) whole = prism_ptychogram_new (recording, settings, NULL);

  g_assert_true (whole->joins);
  for (gsize j = 0; j < recording->n_frames; j++)
    for (gsize row = 0; row < 48; row++)
      memmove (recording->frames + (j * 48 + row) * 48, recording->frames + (j * 64 + row) * 64,
               48 * sizeof *recording->frames);
  recording->width = recording->height = 48;
  g_autoptr (PrismPtychogram) part = prism_ptychogram_new (recording, settings, NULL);
  g_assert_false (part->joins);
}
