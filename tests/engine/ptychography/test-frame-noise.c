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

/* is_part: of a field, of which nobody has asked for a cause yet */
static PrismPrediction
judge (const PrismRecording *recording,
       gboolean is_part,
       PrismPtychographyWatch watch,
       gpointer data,
       char **remedy)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychography) solver = NULL;

  settings->more_passes = 0;
  solver = prism_ptychography_new (prism_ptychogram_new (recording, settings, NULL), settings,
                                   recording->wavelength, recording->na, NULL);
  solver->is_part = is_part;
  g_assert_true (prism_ptychography_begin (solver));
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    prism_ptychography_step (solver);
  PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  prism_ptychography_set_watch (solver, watch, data);
  prism_ptychography_judge (solver, &held);
  if (is_part)
    {
      g_assert_cmpint (held.cause, ==, PRISM_CAUSE_NONE);
      g_assert_null (solver->remedy);
      prism_ptychography_ask_cause (solver);
      held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
      prism_ptychography_judge (solver, &held);
    }
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
 * named, and what was tried. Whoever ends the trials is told none, and for a part of a field they
 * are made once somebody asks. */
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
  g_assert_cmpint (judge (recording, TRUE, NULL, NULL, &tile).cause, ==, PRISM_CAUSE_GEOMETRY);
  g_assert_cmpstr (tile, ==, mirrored);
  for (guint j = 0; j < 2 * n; j++)
    directions[j] = said[(j + 2) % (2 * n)];
  g_assert_cmpint (judge (recording, FALSE, NULL, NULL, &late).cause, ==, PRISM_CAUSE_ORDER);
  g_assert_nonnull (late);
}

/* An NA that is said a tenth too small is found, with noise and almost without. */
TEST (aperture, "/engine/frame-noise/aperture")
{
  static const char *const photons[] = { "1e3", "1e4" };

  for (gsize i = 0; i < G_N_ELEMENTS (photons); i++)
    {
      g_autoptr (PrismRecording) recording
          = simulated_microscope_new (NULL, "size", "64", "per_side", "9", "photons", photons[i],
                                      "specimen", "1", NULL);
      g_autofree char *remedy = NULL;

      recording->na *= 0.9;
      g_assert_cmpint (judge (recording, FALSE, NULL, NULL, &remedy).cause, ==,
                       PRISM_CAUSE_GEOMETRY);
      HAS (remedy, "NA 1.1 times as large");
    }
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

enum
{
  N_LEVELS = 24,
  SIDE = 128,
  N_PIXELS = SIDE * SIDE
};

/* Frames of many levels with the noise of a camera, half of them with something to see in them that
 * is as strong; one pixel of 97 is not used. */
TEST (law, "/engine/frame-noise/law")
{
  g_autoptr (PrismRecording) recording = prism_recording_new ("levels", "a test");
  const double read = 25, shot = 0.5;
  PrismFrameNoise noise;

  recording->n_frames = N_LEVELS;
  recording->width = recording->height = SIDE;
  recording->wavelength = 630e-9;
  recording->na = 0.02;
  recording->pixel_size = 1.8e-6;
  recording->mask = g_malloc (N_PIXELS);
  recording->frames
      = prism_arena_new_array (sizeof (float) * N_LEVELS * N_PIXELS, "frames", NULL);
  for (guint i = 0; i < N_LEVELS * N_PIXELS; i++)
    {
      const guint j = i / N_PIXELS, at = i % N_PIXELS;
      const double mean = 60 * (1 + j), sigma = sqrt (read + shot * mean);
      const double wave = j % 2 * G_SQRT2 * sin (2 * G_PI * 5 * (at % SIDE) / SIDE);
      const double value
          = mean + sigma * (wave + prism_random_normal (1, PRISM_STREAM_READ, j, at));

      recording->mask[at] = at % 97 != 0;
      recording->frames[i] = at % 97 != 0 ? (float) value : 1e6f;
    }
  prism_frame_noise_measure (&noise, recording, SIDE);
  g_test_message ("read %g, shot %g, trust %g", noise.read, noise.shot, noise.trust);
  g_assert_cmpfloat_with_epsilon (noise.read, read, 0.05 * read);
  g_assert_cmpfloat_with_epsilon (noise.shot, shot, 0.01 * shot);
  g_assert_cmpfloat (noise.trust, >, 0.5);
  g_assert_cmpfloat_with_epsilon (noise.floor, noise.read / noise.shot, 1e-9);
  for (guint j = 0; j < N_LEVELS; j++)
    {
      g_test_message ("%u: mean %g, scale %g, signal %g", j, noise.means[j], noise.scales[j],
                      noise.signals[j]);
      g_assert_cmpfloat_with_epsilon (noise.means[j], 60 * (1 + j), 0.5);
      g_assert_cmpfloat_with_epsilon (noise.scales[j], 1, 0.02);
      if (j % 2)
        g_assert_cmpfloat_with_epsilon (noise.signals[j], G_SQRT2 / 2, 0.03);
      else
        g_assert_cmpfloat (noise.signals[j], <, 0.15);
    }
  prism_frame_noise_clear (&noise);
}

/* What a perfect model comes to is what the truth itself comes to, as dim as it is given. */
TEST (truth, "/engine/frame-noise/truth")
{
  enum
  {
    N = 70000
  };
  PrismFrameNoise noise = { .read = 4,
                            .shot = 0.5,
                            .scales = (double[]) { 0, 1.3 },
                            .means = (double[]) { 0, 0 },
                            .signals = (double[]) { 0, 0 } };
  g_autofree float *truth = g_new (float, N), *dim = g_new (float, N);
  g_autofree float *recorded = g_new (float, N), *used = g_new (float, N);
  double sums[5] = { 0 }, error = 0;
  gsize n = 0;

  for (gsize i = 0; i < N; i++)
    {
      const double light = 50 * (1 + 0.9 * cos (0.01 * i)), sigma = sqrt (1.3 * (4 + 0.5 * light));
      const double value = light + sigma * prism_random_normal (2, PRISM_STREAM_READ, 0, i);
      const double shown = MAX (value, 0);

      dim[i] = (float) sqrt (0.7 * light);
      recorded[i] = i % 7 == 0 ? NAN : (float) sqrt (shown);
      if (i % 7 == 0)
        continue;
      truth[n] = (float) sqrt (light);
      used[n++] = recorded[i];
      error += pow (sqrt (shown) - sqrt (light), 2);
      sums[0] += light;
      sums[1] += light * light;
      sums[2] += shown;
      sums[3] += shown * shown;
      sums[4] += value;
    }
  noise.means[1] = sums[4] / n + 3;
  noise.signals[1] = sqrt ((sums[1] - sums[0] * sums[0] / n) / (sums[3] - sums[2] * sums[2] / n));
  PrismFrameLimit limit = prism_frame_noise_limit (&noise, 1, 3, dim, recorded, N);
  g_test_message ("correlation %g of %g, error %g of %g", limit.correlation,
                  correlate (truth, used, n), limit.error, error);
  g_assert_cmpfloat_with_epsilon (limit.correlation, correlate (truth, used, n), 0.0005);
  g_assert_cmpfloat_with_epsilon (limit.error, error, 0.012 * error);
}

/* A light that is off spoils its neighbours and is left out; where the opposite one is as dark, the
 * object has nothing there. */
TEST (dark, "/engine/frame-noise/dark")
{
  g_autoptr (PrismRecording) recording
      = simulated_microscope_new (NULL, "size", "64", "per_side", "9", "photons", "0", NULL);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  const gsize n = (gsize) recording->width * recording->height;
  const double *directions = recording->directions;
  guint pair[2] = { 0, 0 };
  double nearest = INFINITY;

  while (fabs (hypot (directions[2 * pair[0]], directions[2 * pair[0] + 1]) / recording->na - 0.5)
         > 0.3)
    pair[0]++;
  for (guint j = 0; j < recording->n_frames; j++)
    {
      const double distance = hypot (directions[2 * j] + directions[2 * pair[0]],
                                     directions[2 * j + 1] + directions[2 * pair[0] + 1]);

      pair[1] = distance < nearest ? j : pair[1];
      nearest = MIN (distance, nearest);
    }
  g_assert_cmpuint (pair[0], !=, pair[1]);
  for (guint n_off = 0; n_off < 3; n_off++)
    {
      for (gsize i = 0; n_off > 0 && i < n; i++)
        recording->frames[pair[n_off - 1] * n + i] *= 1e-3f;
      g_autoptr (PrismPtychogram) frames = prism_ptychogram_new (recording, settings, NULL);
      g_test_message ("%u off: %u left out for it", n_off, frames->n_dark);
      g_assert_cmpuint (frames->n_dark, ==, n_off == 1);
      g_assert_cmpint (frames->dark[pair[0]], ==, n_off == 1);
      g_assert_cmpint (frames->roles[pair[0]] == PRISM_FRAME_LEFT_OUT, ==, n_off == 1);
    }
}

/* The terms of stray light are Legendre's polynomials: orthogonal, 1 at the far corner, those of x
 * before those of y. */
TEST (stray_terms, "/engine/frame-noise/stray-terms")
{
  static float fields[PRISM_STRAY_LIGHT_TERMS][N_PIXELS];
  int degree = 0, k = 0;

  for (int a = 0; a < PRISM_STRAY_LIGHT_TERMS; a++)
    {
      float terms[PRISM_STRAY_LIGHT_TERMS] = { 0 };

      g_test_message ("term %i", a);
      terms[a] = 1;
      prism_stray_light_draw (terms, SIDE, fields[a]);
      g_assert_cmpfloat_with_epsilon (fields[a][N_PIXELS - 1], 1, 0.2);
      for (int b = 0; b <= a; b++)
        {
          const double size = 1.0 / ((2 * (degree - k) + 1) * (2 * k + 1));
          double sum = 0;

          for (int i = 0; i < N_PIXELS; i++)
            sum += (double) (fields[a][i] * fields[b][i]) / N_PIXELS;
          g_assert_cmpfloat_with_epsilon (sum, a == b ? size : 0, 0.003);
        }
      k = k < degree ? k + 1 : 0;
      degree += k == 0;
    }
  g_assert_cmpfloat (fields[1][SIDE - 1], >, 0.9);
  g_assert_cmpfloat (fields[2][SIDE - 1], <, -0.9);
}
