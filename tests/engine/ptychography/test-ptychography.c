#include "config.h"

#include "../support/microscope.h"
#include "../support/simulated-microscope.h"
#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "ptychography/prism-ptychography-frame.h"
#include "ptychography/prism-ptychography.h"

#include <math.h>
#include <string.h>

/* A microscope whose truth is known, and two that are real where they are at hand. */

#define Q MICROSCOPE_SIDE
#define M MICROSCOPE_OBJECT

/* Frames of the test are periodic: they need no border. */
static PrismPtychography *
explain (const PrismRecording *recording,
         const char *const *changes,
         guint n_changes)
{
  g_autoptr (GError) error = NULL;
  PrismPtychographySettings settings;
  PrismPtychogram *frames;
  PrismPtychography *solver;

  prism_ptychography_settings_init (&settings);
  for (guint i = 0; i < n_changes; i++)
    g_assert_true (prism_ptychography_settings_parse (&settings, changes[i], NULL));
  frames = prism_ptychogram_new (recording, &settings, &error);
  g_assert_no_error (error);
  solver = prism_ptychography_new (frames, &settings, recording->wavelength, recording->na, &error);
  g_assert_no_error (error);
  prism_ptychography_begin (solver);
  while (prism_ptychography_get_pass (solver) < (guint) settings.passes)
    prism_ptychography_step (solver);
  return solver;
}

#define EXPLAIN(recording, ...)                                          \
  explain (recording, (const char *const[]) { "border=0", __VA_ARGS__ }, \
           G_N_ELEMENTS (((const char *const[]) { "border=0", __VA_ARGS__ })))

/* Of phases, rad: a common phase is no difference, nor is a ramp, which is a shift of all LEDs.
 * a, b: [m][m][2] */
static double
compare_fields (const float *a,
                const float *b,
                int m)
{
  double ramp[3] = { 0 }, sum = 0;

  for (int round = 0; round < 20; round++)
    {
      double slope[3] = { 0 };

      sum = 0;
      for (int i = 0; i < m * m; i++)
        {
          const double u = (i % m - m / 2) / (m / 2.0), v = (i / m - m / 2) / (m / 2.0);
          const double re = (double) (a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]);
          const double im = (double) (a[2 * i] * b[2 * i + 1] - a[2 * i + 1] * b[2 * i]);
          const double tilt = ramp[0] + ramp[1] * u + ramp[2] * v;
          const double d = remainder (atan2 (im, re) - tilt, 2 * G_PI);

          slope[0] += d;
          slope[1] += 3 * d * u;
          slope[2] += 3 * d * v;
          sum += d * d;
        }
      for (int k = 0; k < 3; k++)
        ramp[k] += slope[k] / (m * m);
    }
  return sqrt (sum / (m * m));
}

static double
compare_phases (Microscope *truth,
                PrismPtychography *solver)
{
  const double *values = &truth->object[0][0][0];
  g_autofree float *right = g_new (float, 2 * M * M);
  prism_autofree_array float *object = prism_ptychography_dup_object (solver, NULL);

  for (int i = 0; i < 2 * M * M; i++)
    right[i] = (float) values[i];
  return compare_fields (right, object, M);
}

/* Root mean square of what the found gains are off, of their logarithms. */
static double
compare_gains (Microscope *truth,
               PrismPtychography *solver)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (solver);
  const PrismIllumination *light = prism_ptychography_get_illumination (solver);
  double mean = 0, sum = 0;

  for (guint i = 0; i < frames->n_used; i++)
    mean += log (light->gains[frames->order[i]] * truth->gains[frames->order[i]]) / frames->n_used;
  for (guint i = 0; i < frames->n_used; i++)
    {
      const guint j = frames->order[i];
      const double d = log (light->gains[j] * truth->gains[j]) - mean;

      sum += d * d;
    }
  return sqrt (sum / frames->n_used);
}

/* Root mean square of the places of inner frames, px, after their common shift, which is a ramp of
 * the object. */
static double
compare_places (Microscope *truth,
                PrismPtychography *solver)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (solver);
  const PrismIllumination *light = prism_ptychography_get_illumination (solver);
  const guint n = frames->n_bright;
  double mean[2] = { 0 }, sum = 0;

  for (int round = 0; round < 2; round++)
    for (guint i = 0; i < n; i++)
      for (int k = 0; k < 2; k++)
        {
          const guint j = frames->order[i];
          const double d = light->found[j][k] - truth->places[j][k];

          if (round == 0)
            mean[k] += d / n;
          else
            sum += (d - mean[k]) * (d - mean[k]) / n;
        }
  return sqrt (sum);
}

/* Counts what it is told, and ends what is going on after some of it. */
typedef struct
{
  gint n_told;
  gint n_left;
  double most;
} Watch;

static gboolean
watch (double fraction,
       gpointer data)
{
  Watch *self = data;

  g_atomic_int_inc (&self->n_told);
  g_assert_cmpfloat (fraction, >=, 0);
  g_assert_cmpfloat (fraction, <=, 1);
  self->most = MAX (self->most, fraction);
  return g_atomic_int_add (&self->n_left, -1) > 0;
}

/* A search that is ended has no object; a pass that is ended is not counted, and what it has found
 * predicts frames; a watch that lets all go on changes no bit. */
static void
test_watch (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismPtychography) plain = EXPLAIN (truth->recording, "passes=1", "threads=1");
  g_autoptr (PrismPtychography) solver = NULL;
  g_autofree float *expected = prism_ptychography_dup_prediction (plain, 14);
  g_autofree float *found = NULL;
  PrismPtychographySettings settings;
  Watch state = { .n_left = 100 };

  prism_ptychography_settings_init (&settings);
  settings.border = 0;
  settings.threads = 1;
  settings.passes = 1;
  solver = prism_ptychography_new (prism_ptychogram_new (truth->recording, &settings, NULL),
                                   &settings, truth->recording->wavelength, truth->recording->na,
                                   NULL);
  prism_ptychography_set_watch (solver, watch, &state);
  g_assert_false (prism_ptychography_begin (solver));
  state = (Watch) { .n_left = G_MAXINT };
  g_assert_true (prism_ptychography_begin (solver));
  g_assert_cmpfloat (state.most, >, 0.95);
  state.n_told = 0;
  g_assert_true (prism_ptychography_step (solver));
  g_assert_cmpint (state.n_told, ==, prism_ptychography_get_frames (solver)->n_used);
  found = prism_ptychography_dup_prediction (solver, 14);
  g_assert_cmpmem (found, sizeof (float) * Q * Q, expected, sizeof (float) * Q * Q);
  state.n_left = 5;
  g_assert_false (prism_ptychography_step (solver));
  g_assert_cmpuint (prism_ptychography_get_pass (solver), ==, 1);
  g_assert_cmpfloat (prism_ptychography_predict (solver, TRUE, NULL, NULL).correlation, >, 0.5);
}

/* Frames at the pupil's rim are looked at seven times in a first pass, all others once. */
static void
test_rim_visits (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  PrismPtychographySettings settings;
  g_autoptr (PrismPtychography) solver = NULL;
  const PrismPtychogram *frames;
  Watch state = { .n_left = G_MAXINT };
  guint n_at_rim = 0;

  prism_ptychography_settings_init (&settings);
  settings.pupil = PRISM_PUPIL_FLAT;
  solver = prism_ptychography_new (prism_ptychogram_new (truth->recording, &settings, NULL),
                                   &settings, truth->recording->wavelength, truth->recording->na,
                                   NULL);
  frames = prism_ptychography_get_frames (solver);
  for (guint i = 0; i < frames->n_used; i++)
    {
      const double *place = frames->centers[frames->order[i]];

      n_at_rim += fabs (hypot (place[0], place[1]) / frames->radius - 1) <= 0.15;
    }
  prism_ptychography_set_watch (solver, watch, &state);
  g_assert_true (prism_ptychography_begin (solver));
  state.n_told = 0;
  g_assert_true (prism_ptychography_step (solver));
  g_assert_cmpuint (n_at_rim, >, 0);
  g_assert_cmpint (state.n_told, ==, frames->n_used + 6 * n_at_rim);
}

/* A predicted frame is as bright as the recorded one, and like it. */
static void
test_prediction (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismPtychography) solver = EXPLAIN (truth->recording, "passes=20");
  g_autofree float *found = prism_ptychography_dup_prediction (solver, 14);
  const float *recorded = prism_ptychogram_get (prism_ptychography_get_frames (solver), 14);
  double error = 0, energy = 0;

  for (int i = 0; i < Q * Q; i++)
    {
      const double off = (double) (found[i] - recorded[i]);

      error += off * off;
      energy += (double) (recorded[i] * recorded[i]);
    }
  g_assert_cmpfloat (sqrt (error / energy), <, 0.02);
}

static void
test_perfect (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismPtychography) solver = EXPLAIN (truth->recording, "passes=20");
  PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  const double phase = compare_phases (truth, solver);

  g_test_message ("held-out misfit %g, correlation %g, phase %g rad", held.misfit, held.correlation,
                  phase);
  g_assert_cmpuint (held.n_frames, ==, MICROSCOPE_FRAMES / 15);
  g_assert_cmpfloat (held.correlation, >, 0.99);
  g_assert_cmpfloat (held.misfit, <, 0.01);
  g_assert_cmpfloat (phase, <, 0.05);
}

static void
test_aberrations (void)
{
  const MicroscopeErrors errors = { .defocus = 2, .astigmatism = -0.7, .coma = 0.5, .seed = 2 };
  g_autoptr (Microscope) truth = microscope_new (&errors);
  g_autoptr (PrismPtychography) solver = EXPLAIN (truth->recording, "passes=20");
  PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  g_autofree float *pupil = prism_ptychography_dup_pupil (solver);
  double found[PRISM_PUPIL_N_MODES];

  prism_pupil_fit (pupil, Q, truth->radius, prism_ptychography_get_aberrations (solver), found);
  g_test_message ("held-out correlation %g; %g, %g, %g rad; phase %g rad", held.correlation,
                  found[0], found[1], found[3], compare_phases (truth, solver));
  g_assert_cmpfloat (held.correlation, >, 0.99);
  g_assert_cmpfloat (fabs (found[0] - errors.defocus), <, 0.05 * 2 * G_PI);
  g_assert_cmpfloat (fabs (found[1] - errors.astigmatism), <, 0.05 * 2 * G_PI);
  g_assert_cmpfloat (fabs (found[3] - errors.coma), <, 0.05 * 2 * G_PI);
  g_assert_cmpfloat (compare_phases (truth, solver), <, 0.05);
}

/* The first passes of the search do not reach these; the second needs another start, too. */
static void
test_large_aberrations (void)
{
  static const MicroscopeErrors all[] = {
    { .defocus = 1, .astigmatism = 3.1, .seed = 2 },
    { .defocus = -1, .coma = 3.6, .seed = 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autoptr (Microscope) truth = microscope_new (&all[i]);
      g_autoptr (PrismPtychography) solver = EXPLAIN (truth->recording, "passes=8");
      const double *found = prism_ptychography_get_aberrations (solver);
      PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);

      g_test_message ("held-out correlation %g; %g, %g, %g rad", held.correlation, found[0],
                      found[1], found[3]);
      g_assert_cmpfloat (held.correlation, >, 0.95);
      g_assert_cmpfloat (fabs (found[0] - all[i].defocus), <, 0.3);
      g_assert_cmpfloat (fabs (found[1] - all[i].astigmatism), <, 0.3);
      g_assert_cmpfloat (fabs (found[3] - all[i].coma), <, 0.3);
    }
}

static void
test_gains (void)
{
  g_autoptr (Microscope) truth
      = microscope_new (&(const MicroscopeErrors) { .gain_spread = 0.3, .seed = 3 });
  g_autoptr (PrismPtychography) solver = EXPLAIN (truth->recording, "passes=20");
  g_autoptr (PrismPtychography) without = EXPLAIN (truth->recording, "passes=20", "gains=no");
  PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  PrismPrediction worse = prism_ptychography_predict (without, TRUE, NULL, NULL);

  g_test_message ("gains off by %g, without by %g; correlation %g, without %g",
                  compare_gains (truth, solver), compare_gains (truth, without), held.correlation,
                  worse.correlation);
  g_assert_cmpfloat (compare_gains (truth, without), >, 0.15);
  g_assert_cmpfloat (compare_gains (truth, solver), <, 0.05);
  g_assert_cmpfloat (held.correlation, >, 0.99);
  g_assert_cmpfloat (held.correlation, >, worse.correlation);
}

static void
test_places (void)
{
  g_autoptr (Microscope) truth
      = microscope_new (&(const MicroscopeErrors) { .place_spread = 1, .seed = 4 });
  g_autoptr (PrismPtychography) solver = EXPLAIN (truth->recording, "passes=30");
  g_autoptr (PrismPtychography) fixed = EXPLAIN (truth->recording, "passes=30", "positions=no");
  PrismPrediction found = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  PrismPrediction left = prism_ptychography_predict (fixed, TRUE, NULL, NULL);

  g_test_message ("places off by %g px, before by %g; held-out misfit %g, %g with the wrong places",
                  compare_places (truth, solver), compare_places (truth, fixed), found.misfit,
                  left.misfit);
  g_assert_cmpfloat (compare_places (truth, solver), <, compare_places (truth, fixed));
  g_assert_cmpfloat (found.misfit, <, 0.012);
  g_assert_cmpfloat (found.misfit, <, 0.95 * left.misfit);
}

/* Of LEDs that are off by so many pixels each on its own, with as many passes as that asks for: how
 * far off they are found, and were before. Only frames that were used can be found. */
static double
find_places (const char *shifts,
             guint n_passes,
             double *before)
{
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = simulated_microscope_new (
      &truth, "photons", "0", "shifts", shifts, "per_side", "11", "defocus", "1e-5", NULL);
  g_autoptr (PrismPtychography) solver = NULL;
  const PrismPtychogram *frames;
  const PrismIllumination *light;
  double pixels, off = 0;

  *before = 0;
  pixels = recording->pixel_size * recording->width / recording->wavelength;
  solver = EXPLAIN (recording, "passes=8");
  g_assert_cmpuint (prism_ptychography_get_n_passes (solver), ==, n_passes);
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    prism_ptychography_step (solver);
  frames = prism_ptychography_get_frames (solver);
  light = prism_ptychography_get_illumination (solver);
  for (guint i = 0; i < frames->n_used; i++)
    for (guint k = 0; k < 2; k++)
      {
        const guint j = frames->order[i];
        const double right = pixels * (double) truth->directions[2 * j + k];

        off += pow (light->found[j][k] - right, 2) / frames->n_used;
        *before += pow (light->recorded[j][k] - right, 2) / frames->n_used;
      }
  *before = sqrt (*before);
  g_test_message ("places off by %g px, before by %g; board %g times as large", sqrt (off),
                  *before, light->board.scale);
  return sqrt (off);
}

/* The scale of the board is met, too, since the search is repeated once places are known. */
static void
test_far_places (void)
{
  double before;

  g_assert_cmpfloat (find_places ("2", 40, &before), <, 0.2);
  g_assert_cmpfloat (before, >, 1.7);
}

/* Half a pixel takes a search to a wrong pupil, too, which shows when all has come to rest; what
 * real LEDs are off by does not. */
static void
test_near_places (void)
{
  double before;

  g_assert_cmpfloat (find_places ("0.8", 40, &before), <, 0.1);
  g_assert_cmpfloat (before, >, 0.6);
  g_assert_cmpfloat (find_places ("0.3", 8, &before), <, 0.2);
}

/* A defocus that is wrong takes up much of a large spherical aberration, which is found, too. */
static void
test_large_spherical (void)
{
  g_autoptr (PrismRecording) recording
      = simulated_microscope_new (NULL, "spherical", "-0.3", "per_side", "7", NULL);
  g_autoptr (PrismPtychography) solver = NULL;
  double found;

  solver = EXPLAIN (recording, "passes=1");
  found = prism_ptychography_get_aberrations (solver)[5];
  g_test_message ("spherical aberration %g rad", found);
  g_assert_cmpfloat_with_epsilon (found, 2 * G_PI * sqrt (5) * -0.3, 0.2);
}

/* Where no light is imaged nearer to the pupil's rim than three pixels, phases with fewer periods
 * over the field are seen by their curvature alone. */
static void
test_slow_phase (void)
{
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = simulated_microscope_new (
      &truth, "photons", "0", "per_side", "7", "pitch", "6e-3", "defocus", "1e-5", NULL);
  g_autoptr (PrismPtychography) solver = NULL;
  prism_autofree_array float *object = NULL;
  g_autofree char *upsampling = NULL;
  double phase;

  upsampling = g_strdup_printf ("upsampling=%u", truth->n_side / truth->size);
  solver = EXPLAIN (recording, upsampling);
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    prism_ptychography_step (solver);
  object = prism_ptychography_dup_object (solver, NULL);
  phase = compare_fields (truth->object, object, (int) truth->n_side);
  g_test_message ("phase off by %g rad", phase);
  g_assert_cmpfloat (phase, <, 0.12);
}

/* A rim wider than what NA may be off by is not cut: the pupil changes there, too. */
static void
test_soft_rim (void)
{
  const double aberrations[PRISM_PUPIL_N_MODES] = { 0 };
  const PrismPtychographyVisit visit = { .object_step = 1, .pupil_step = 1, .gain = 1 };
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 5 });
  g_autoptr (PrismPtychogram) frames = NULL;
  g_autoptr (PrismPool) pool = prism_pool_new (1, NULL);
  g_autoptr (PrismPtychographyFrame) frame = NULL;
  PrismPtychographySettings settings;

  prism_ptychography_settings_init (&settings);
  g_assert_true (prism_ptychography_settings_parse (&settings, "rim=12", NULL));
  frames = prism_ptychogram_new (truth->recording, &settings, NULL);
  g_assert_cmpfloat (frames->widest_rim, ==, 12);
  frame = prism_ptychography_frame_new (frames, pool, NULL);
  for (int soft = 0; soft < 2; soft++)
    {
      const int far = (int) floor (frames->radius + 4), middle = frames->grid / 2;
      const float *at = prism_ptychography_frame_get_pupil (frame)
                        + 2 * ((gsize) middle * frames->grid + middle + far);

      g_assert_cmpfloat (1.06 * frames->radius, <, far);
      prism_ptychography_frame_set_rim (frame, soft ? 12 : 1);
      prism_ptychography_frame_begin (frame, aberrations);
      for (guint i = 0; i < frames->n_bright; i++)
        prism_ptychography_frame_visit (frame, frames->order[i], frames->centers[frames->order[i]],
                                        &visit);
      g_test_message ("%g, %g", (double) at[0], (double) at[1]);
      g_assert_true ((at[0] != 1 || at[1] != 0) == soft);
    }
}

/* Stray light is one number of the whole stack: without it the frames are the same as before. */
static void
test_background (void)
{
  g_autoptr (Microscope) clean = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (Microscope) stray
      = microscope_new (&(const MicroscopeErrors) { .seed = 1, .background = 5 });
  g_autoptr (PrismPtychography) first = EXPLAIN (clean->recording, "passes=4");
  g_autoptr (PrismPtychography) second = EXPLAIN (stray->recording, "passes=4");
  g_autoptr (PrismPtychography) third = EXPLAIN (stray->recording, "passes=4", "background=0");
  PrismPrediction a = prism_ptychography_predict (first, TRUE, NULL, NULL);
  PrismPrediction b = prism_ptychography_predict (second, TRUE, NULL, NULL);
  PrismPrediction c = prism_ptychography_predict (third, TRUE, NULL, NULL);

  g_test_message ("correlation %g, with stray light %g, left in %g", a.correlation, b.correlation,
                  c.correlation);
  g_assert_cmpfloat (fabs (a.correlation - b.correlation), <, 0.01);
  g_assert_cmpfloat (c.correlation, <, a.correlation - 0.05);
}

/* Stray light that slopes over the field, and has another brightness in each frame. */
static void
test_uneven_stray_light (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  PrismRecording *recording = truth->recording;
  const gsize n = (gsize) recording->width * recording->height;
  g_autoptr (PrismPtychography) clean = EXPLAIN (recording, "passes=4");
  PrismPrediction before = prism_ptychography_predict (clean, TRUE, NULL, NULL), after;
  g_autoptr (PrismPtychography) solver = NULL;

  g_assert_false (prism_ptychography_get_frames (clean)->uneven);
  for (gsize j = 0; j < recording->n_frames; j++)
    for (gsize i = 0; i < n; i++)
      {
        const double across = i % recording->width / (double) recording->width;

        recording->frames[j * n + i] += (float) (5 * (1 + j % 3) * (1 + across));
      }
  solver = EXPLAIN (recording, "passes=4");
  after = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  g_test_message ("correlation %g, with stray light %g", before.correlation, after.correlation);
  g_assert_true (prism_ptychography_get_frames (solver)->uneven);
  g_assert_cmpfloat (after.correlation, >, before.correlation - 0.05);
}

/* Places that are right stay where they are, between pixels, too. */
static void
test_right_places (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 4 });
  g_autoptr (PrismPtychography) solver
      = EXPLAIN (truth->recording, "passes=20", "pupil=flat", "free_pupil=no", "gains=no");
  PrismPrediction held = prism_ptychography_predict (solver, TRUE, NULL, NULL);

  g_test_message ("places off by %g px, misfit %g", compare_places (truth, solver), held.misfit);
  g_assert_cmpfloat (compare_places (truth, solver), <, 0.02);
  g_assert_cmpfloat (held.misfit, <, 5e-3);
}

/* Bits do not depend on threads. */
static void
test_threads (void)
{
  g_autoptr (Microscope) truth
      = microscope_new (&(const MicroscopeErrors) { .defocus = 1, .gain_spread = 0.1, .seed = 6 });
  g_autoptr (PrismPtychography) one = EXPLAIN (truth->recording, "threads=1", "passes=3");
  g_autoptr (PrismPtychography) three = EXPLAIN (truth->recording, "threads=3", "passes=3");
  float *a = prism_ptychography_dup_object (one, NULL);
  float *b = prism_ptychography_dup_object (three, NULL);

  g_assert_cmpmem (a, 2 * M * M * sizeof (float), b, 2 * M * M * sizeof (float));
  prism_arena_free_array (a);
  prism_arena_free_array (b);
}

static void
assert_refused (PrismRecording *recording,
                const char *setting,
                const char *sentence)
{
  g_autoptr (GError) error = NULL;
  PrismPtychographySettings settings;

  prism_ptychography_settings_init (&settings);
  if (setting != NULL)
    g_assert_true (prism_ptychography_settings_parse (&settings, setting, NULL));
  g_assert_null (prism_ptychogram_new (recording, &settings, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, sentence));
}

static void
test_bad (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 7 });
  PrismRecording *recording = truth->recording;
  double *directions = recording->directions;
  const double wavelength = recording->wavelength;

  recording->wavelength = NAN;
  assert_refused (recording, NULL, "--assign 'wavelength=");
  recording->wavelength = 1000 * wavelength;
  assert_refused (recording, NULL, "radius");
  recording->wavelength = wavelength / 3;
  assert_refused (recording, NULL, "too large for NA");
  recording->wavelength = wavelength;
  recording->na = NAN;
  assert_refused (recording, NULL, "--assign na=");
  recording->na = 0.1;
  recording->pixel_size = 0;
  assert_refused (recording, NULL, "--assign 'pixel_size=");
  recording->pixel_size = 1.8e-6;
  recording->directions = NULL;
  assert_refused (recording, NULL, "--positions");
  recording->directions = directions;
  assert_refused (recording, "upsampling=2", "at least 3");
  recording->wavelength = 2 * wavelength;
  assert_refused (recording, "rim=16", "choose a smaller one");
  recording->wavelength = wavelength;
  for (guint j = 0; j < MICROSCOPE_FRAMES; j++)
    directions[2 * j] += 0.5;
  assert_refused (recording, NULL, "bright-field");
}

static void
test_pupil_fit (void)
{
  enum
  {
    N = 96
  };
  const double wanted[PRISM_PUPIL_N_MODES] = { 4, -1, 0.5, 0.3, -0.2, 0.4, 0.1, -0.1 };
  const double start[PRISM_PUPIL_N_MODES] = { 3 };
  g_autofree float *pupil = g_new (float, 2 * N * N);
  g_autofree float *other = g_new (float, 2 * N * N);
  double found[PRISM_PUPIL_N_MODES];

  prism_pupil_make_phase (pupil, N, 30, wanted);
  prism_pupil_clip (pupil, N, 30);
  prism_pupil_fit (pupil, N, 30, start, found);
  for (int i = 0; i < PRISM_PUPIL_N_MODES; i++)
    g_assert_cmpfloat_with_epsilon (found[i], wanted[i], 1e-3);
  prism_pupil_resample (pupil, N, other, 64);
  prism_pupil_fit (other, 64, 20, start, found);
  for (int i = 0; i < PRISM_PUPIL_N_MODES; i++)
    g_assert_cmpfloat_with_epsilon (found[i], wanted[i], 0.03);
}

/* Frames 14, 29, 44 … of two sets of a microscope are never used. */
static void
test_real (gconstpointer data)
{
  const gboolean red = g_str_equal (data, "bloodsmear_red.hdf5");
  const char *folder = g_getenv ("PRISM_REAL_DATA");
  g_autofree char *path = NULL;
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (PrismPtychography) solver = NULL;
  PrismPrediction held;

  path = folder != NULL ? g_build_filename (folder, data, NULL) : NULL;
  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *reason = g_strdup_printf ("PRISM_REAL_DATA names no folder with %s",
                                                 (const char *) data);

      g_test_skip (reason);
      return;
    }
  recording = prism_recording_load (path, NULL, NULL);
  g_assert_nonnull (recording);
  solver = explain (recording, NULL, 0);
  held = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  g_test_message ("misfit %g, correlation %g", held.misfit, held.correlation);
  g_assert_cmpfloat (held.correlation, >, red ? 0.93 : 0.89);
  g_assert_cmpfloat (held.misfit, <, red ? 0.052 : 0.068);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ptychography/perfect", test_perfect);
  g_test_add_func ("/engine/ptychography/aberrations", test_aberrations);
  g_test_add_func ("/engine/ptychography/large-aberrations", test_large_aberrations);
  g_test_add_func ("/engine/ptychography/gains", test_gains);
  g_test_add_func ("/engine/ptychography/places", test_places);
  g_test_add_func ("/engine/ptychography/right-places", test_right_places);
  g_test_add_func ("/engine/ptychography/far-places", test_far_places);
  g_test_add_func ("/engine/ptychography/near-places", test_near_places);
  g_test_add_func ("/engine/ptychography/large-spherical", test_large_spherical);
  g_test_add_func ("/engine/ptychography/slow-phase", test_slow_phase);
  g_test_add_func ("/engine/ptychography/soft-rim", test_soft_rim);
  g_test_add_func ("/engine/ptychography/background", test_background);
  g_test_add_func ("/engine/ptychography/uneven-stray-light", test_uneven_stray_light);
  g_test_add_func ("/engine/ptychography/threads", test_threads);
  g_test_add_func ("/engine/ptychography/bad", test_bad);
  g_test_add_func ("/engine/ptychography/pupil-fit", test_pupil_fit);
  g_test_add_data_func ("/engine/ptychography/real/red", "bloodsmear_red.hdf5", test_real);
  g_test_add_data_func ("/engine/ptychography/real/aberration", "blood_aberration.hdf5", test_real);
  g_test_add_func ("/engine/ptychography/watch", test_watch);
  g_test_add_func ("/engine/ptychography/rim-visits", test_rim_visits);
  g_test_add_func ("/engine/ptychography/prediction", test_prediction);
  return g_test_run ();
}
