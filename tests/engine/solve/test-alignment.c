#include "../support/test-run-parts.h"
#include "../support/test-config.h"
#include "num/prism-tuning.h"
#include "solve/prism-phase-sync.h"

/* Fields behind frames; what they lead to is in tests/behaviour. Dimensions of this file: n = 64,
 * m = 16, q = 16, boxes of 5 × 5. */

#define SIDE 16
#define N_POINTS (SIDE * SIDE)
#define BOX 5

typedef struct
{
  PrismWavePoints work;
  PrismFftSquare *fft;
  PrismMask *mask;
  float box[2 * BOX * BOX], found[2 * BOX * BOX];
  float *amplitude;
} Field;

/* A frame of a random spectrum behind an aperture. */
static void
field_open (Field *self, guint seed, guint side)
{
  const PrismAperture aperture = { .shape = PRISM_SHAPE_DISK, .radius = 2.5 };
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  const gsize bytes = 2 * N_POINTS * sizeof (float);

  memset (self, 0, sizeof *self);
  self->mask = prism_aperture_get_mask (&aperture, 64, 7.0, -11.0);
  g_assert_cmpint (self->mask->width, ==, BOX);
  self->fft = prism_fft_square_new ((int) side);
  self->work.fft = self->fft;
  self->work.side = side;
  self->work.state = prism_arena_new_array (bytes, "a test", NULL);
  self->work.other = prism_arena_new_array (bytes, "a test", NULL);
  self->work.buffer
      = prism_arena_new_array (PRISM_WAVE_BUFFER * sizeof (float) * side, "a test", NULL);
  self->amplitude = g_new0 (float, N_POINTS);
  for (int i = 0; i < 2 * BOX * BOX; i++)
    self->box[i] = self->mask->bits[i / 2] ? (float) g_rand_double_range (random, -1, 1) : 0.0f;
}

static void
field_close (Field *self)
{
  prism_fft_square_free (self->fft);
  prism_mask_unref (self->mask);
  prism_arena_free_array (self->work.state);
  prism_arena_free_array (self->work.other);
  prism_arena_free_array (self->work.buffer);
  g_free (self->amplitude);
}

/* By the sum that a transform is, which no code of the program had a part in. */
static void
see_whole (Field *self, int side, float *amplitude)
{
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        double re = 0.0, im = 0.0;

        for (int i = 0; i < BOX * BOX; i++)
          {
            const double angle = 2.0 * G_PI * (i / BOX * y + i % BOX * x) / side;

            re += cos (angle) * self->box[2 * i] - sin (angle) * self->box[2 * i + 1];
            im += sin (angle) * self->box[2 * i] + cos (angle) * self->box[2 * i + 1];
          }
        amplitude[y * side + x] = (float) (hypot (re, im) / side);
      }
}

static void
see (Field *self)
{
  see_whole (self, SIDE, self->amplitude);
}

/* |Σ conj(a)·b| / (|a|·|b|), of b or of its mirrored conjugate. */
static double
correlate (Field *self, gboolean twin)
{
  double re = 0.0, im = 0.0, a = 0.0, b = 0.0;

  for (int i = 0; i < BOX * BOX; i++)
    {
      const float *p = &self->box[2 * i], *q = &self->found[2 * (twin ? BOX * BOX - 1 - i : i)];
      const double sign = twin ? -1.0 : 1.0;

      re += p[0] * q[0] + sign * p[1] * q[1];
      im += sign * p[0] * q[1] - p[1] * q[0];
      a += p[0] * p[0] + p[1] * p[1];
      b += q[0] * q[0] + q[1] * q[1];
    }
  return hypot (re, im) / sqrt (a * b);
}

/* Searches on few points. Returns the misfit, of ΣA². */
static double
search (Field *field, Field *few)
{
  const double energy = prism_wave_sum_squares (field->amplitude, SIDE * SIDE);
  const PrismWaveMove descent = { .n_passes = PRISM_WAVE_PASSES };
  PrismWaveMove move = descent;
  PrismWaveJob job = { field->mask, few->amplitude, field->found };

  move.relaxation = (float) prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION);
  job.close = PRISM_WAVE_SEARCH_CLOSE * energy;
  prism_wave_move (&few->work, &move, &job);
  job.close = PRISM_WAVE_DESCENT_CLOSE * energy;
  prism_wave_move (&few->work, &descent, &job);
  return job.misfit / energy;
}

/* Searched on the points of the frame, or on fewer that hold its intensity, too. */
TEST_DATA (field_is_found, "/engine/alignment/field-is-found", GUINT_TO_POINTER (SIDE))
{
  const guint few = GPOINTER_TO_UINT (data);
  guint n_found = 0, n_twins = 0;

  for (guint seed = 0; seed < 10; seed++)
    {
      Field field, small;
      double misfit = INFINITY;

      field_open (&field, seed, SIDE);
      field_open (&small, seed, few);
      see (&field);
      prism_wave_low_pass (&field.work, &small.work, field.amplitude, small.amplitude);
      for (guint i = 0; i < 2 && misfit > PRISM_WAVE_FOUND; i++)
        {
          prism_wave_draw (field.mask, prism_wave_sum_squares (field.amplitude, SIDE * SIDE), seed,
                           0, i, field.found);
          misfit = search (&field, &small);
        }
      if (misfit < 1e-8)
        {
          const double one = correlate (&field, FALSE), other = correlate (&field, TRUE);

          g_assert_cmpfloat (MAX (one, other), >, 0.9999);
          n_found++;
          n_twins += other > one;
        }
      field_close (&field);
      field_close (&small);
    }
  g_test_message ("%u of 10 found, %u of them as twins", n_found, n_twins);
  g_assert_cmpuint (n_found, >=, 8);
  g_assert_cmpuint (n_twins, >, 0);
  g_assert_cmpuint (n_twins, <, n_found);
}

TEST_DATA_ALSO (field_is_found, "/engine/alignment/field-is-found-on-few-points",
                GUINT_TO_POINTER (12))

/* Without any random start, from a spectrum that is nearly right. */
TEST (guess, "/engine/alignment/guess")
{
  Field field;

  field_open (&field, 4, SIDE);
  see (&field);
  for (int i = 0; i < 2 * BOX * BOX; i++)
    field.found[i] = field.box[i] * (i % 3 == 0 ? 0.7f : 1.1f);
  g_assert_cmpfloat (search (&field, &field), <, 1e-8);
  g_assert_cmpfloat (correlate (&field, FALSE), >, 0.9999);
  field_close (&field);
}

TEST (projection_keeps_what_fits, "/engine/alignment/projection-keeps-what-fits")
{
  Field field;

  field_open (&field, 3, SIDE);
  see (&field);
  memcpy (field.found, field.box, sizeof field.box);
  const PrismWaveJob job = { field.mask, field.amplitude, field.found };
  g_assert_cmpfloat (
      prism_wave_project (&field.work, &job), <, 1e-10);
  for (int i = 0; i < 2 * BOX * BOX; i++)
    g_assert_cmpfloat_with_epsilon (field.found[i], field.box[i], 1e-5);
  field.found[2 * (BOX * BOX / 2)] += 0.5f;
  g_assert_cmpfloat (
      prism_wave_project (&field.work, &job), >, 1e-3);
  field_close (&field);
}

TEST (twin, "/engine/alignment/twin")
{
  const PrismAperture disc = { .shape = PRISM_SHAPE_DISK, .radius = 4.0 };
  g_autoptr (PrismMask) whole = prism_aperture_get_mask (&disc, 64, 3.0, 5.0);
  g_autoptr (PrismMask) cut = prism_aperture_get_mask (&disc, 64, 30.0, 5.0);

  g_assert_true (prism_wave_has_twin (whole));
  g_assert_false (prism_wave_has_twin (cut)); /* by the edge of k-space */
}

/* Without noise what is left of a whole frame are its points; noise becomes less. */
TEST (low_pass, "/engine/alignment/low-pass")
{
  enum
  {
    WHOLE = 2 * SIDE
  };
  PrismWavePoints whole = { .side = WHOLE };
  g_autofree float *low_passed = g_new (float, N_POINTS);
  float *amplitude = prism_arena_new_array (WHOLE * WHOLE * sizeof (float), "a test", NULL);
  double noise = 0.0, left = 0.0;
  Field field;

  field_open (&field, 5, SIDE);
  see (&field);
  see_whole (&field, WHOLE, amplitude);
  whole.fft = prism_fft_square_new (WHOLE);
  whole.other = prism_arena_new_array (2 * WHOLE * WHOLE * sizeof (float), "a test", NULL);
  prism_wave_low_pass (&whole, &field.work, amplitude, low_passed);
  for (int i = 0; i < N_POINTS; i++)
    g_assert_cmpfloat_with_epsilon (low_passed[i], field.amplitude[i], 1e-4);
  for (int i = 0; i < WHOLE * WHOLE; i++)
    {
      const float before = amplitude[i];

      amplitude[i] = sqrtf (MAX (before * before + (i * 7919 % 64 - 31.5f) * 1e-4f, 0.0f));
      noise += pow (amplitude[i] * amplitude[i] - before * before, 2.0);
    }
  prism_wave_low_pass (&whole, &field.work, amplitude, low_passed);
  /* Intensities of q × q unitary points are four times as high here, and a fourth as many. */
  for (int i = 0; i < N_POINTS; i++)
    left += pow (low_passed[i] * low_passed[i] - field.amplitude[i] * field.amplitude[i], 2.0) / 4;
  g_test_message ("of the noise's energy %.3f is left", left / noise);
  g_assert_cmpfloat (left, <, 0.5 * noise);
  prism_fft_square_free ((PrismFftSquare *) whole.fft);
  prism_arena_free_array (whole.other);
  prism_arena_free_array (amplitude);
  field_close (&field);
}

/* Points in natural order, whether whole frames are held or points alone. */
TEST (points, "/engine/alignment/points")
{
  PrismConfig *config = test_config_new ("image_size=128 object_size=16 aperture_radius=8 "
                                         "samples=40 threads=1 cache_size=1");
  g_autoptr (PrismImage) whole = NULL, points = NULL;
  g_auto (Run) run;

  run_prepare (&run, config, NULL, get_ops ());
  run_measure (&run);
  g_assert_cmpuint (prism_measurements_get_step (run.measurements), ==, 4);
  for (guint i = 0; i < 40; i += 3)
    {
      g_clear_pointer (&points, prism_image_unref);
      g_clear_pointer (&whole, prism_image_unref);
      points = prism_measurements_dup_points (run.measurements, run.backend, i, 4, NULL);
      whole = prism_measurements_dup_image (run.measurements, i, NULL);
      g_assert_cmpint (points->width, ==, 32);
      for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
          g_assert_cmpfloat_with_epsilon (points->pixels[y * 32 + x],
                                          whole->pixels[4 * y * 128 + 4 * x], 1e-5);
    }
}

/* A wave is wrong that leaves half as much again as one whose search began with the object. It is
 * doubtful, however much noise its frame has of the light: of that some frames have twice as much,
 * and without their noise a third of the wrong waves are believed. */
TEST (doubt, "/engine/alignment/doubt")
{
  PrismControl control = { 0 };
  guint n_wrong = 0, n_missed = 0, n_doubtful = 0;

  for (guint seed = 1; seed <= 4; seed++)
    {
      PrismConfig *config = test_config_new ("image_size=128 object_size=32 aperture_radius=10 "
                                             "samples=25 snr=30 threads=1");
      PrismPhaseSync *from[2];
      Run run;

      run_prepare (&run, config, NULL, get_ops ());
      run_measure (&run);
      run_acquire_all (&run);
      for (guint k = 0; k < 2; k++)
        {
          from[k] = prism_phase_sync_new (run.backend, run.measurements, seed, NULL);
          prism_phase_sync_begin (from[k], 0, k == 0 ? NULL : run.object->pixels);
          g_assert_true (prism_phase_sync_retrieve (from[k], &control, NULL));
        }
      for (guint i = 0; i < 25; i++)
        {
          const PrismPhaseSyncFrame *frame = &from[0]->frames[i];
          const gboolean is_wrong = frame->misfit > 1.5 * from[1]->frames[i].misfit;

          n_wrong += is_wrong;
          n_missed += is_wrong && !frame->is_doubtful;
          n_doubtful += frame->is_doubtful;
        }
      prism_phase_sync_free (from[0]);
      prism_phase_sync_free (from[1]);
      run_close (&run);
    }
  g_test_message ("%u of 100 waves are wrong, %u of them believed; %u are doubtful", n_wrong,
                  n_missed, n_doubtful);
  g_assert_cmpuint (n_wrong, >, 0);
  g_assert_cmpuint (4 * n_missed, <, n_wrong);
  g_assert_cmpuint (n_doubtful, <, 25);
}
