#include "test-cuda-backend.h"
#include "../engine/support/test-run-parts.h"
#include "base/prism-arena.h"
#include "cpu/prism-cpu-backend.h"
#include "cuda-close.h"
#include "cuda-problem.h"
#include "num/prism-tuning.h"
#include "solve/prism-phase-sync.h"
#include "prism-test.h"

/* Exit waves and the search of their phases, against the host's threads. n = image_size, m =
 * object_size, q = side of a frame, H × W = the box of a mask. */

#define SCALE (PROBLEM_IMAGE / 64)
#define RADIUS (2.5 * SCALE)
#define N_JOBS 3
#define N_SEARCHED 3                     /* differences treble with each, */
#define CLOSE (SCALE <= 8 ? 1e-3 : 4e-3) /* and grow with the frame: 1.9e-3 of 1024² on an H200 */
#define N_FILLED 5

/* ---- Waves ---- */

typedef struct
{
  PrismMask *masks[N_JOBS];
  float *amplitudes[N_JOBS]; /* [q][q] */
  float *starts[N_JOBS];     /* [H][W][2] */
  float *boxes[N_JOBS];
  PrismWaveJob jobs[N_JOBS];
  guint side;
} Waves;

static void
waves_open (Waves *self,
            guint side)
{
  static const double places[N_JOBS][2] = { { 7, -11 }, { 0, 0 }, { -31, 20 } };
  const PrismAperture aperture = { .shape = PRISM_SHAPE_DISK, .radius = RADIUS };

  self->side = side;
  for (guint i = 0; i < N_JOBS; i++)
    {
      self->masks[i] = prism_aperture_get_mask (&aperture, PROBLEM_IMAGE, SCALE * places[i][0],
                                                SCALE * places[i][1]);
      gsize size = 2 * (gsize) self->masks[i]->height * self->masks[i]->width;
      self->amplitudes[i] = problem_dup_random ((gsize) side * side, i);
      self->starts[i] = g_new (float, size);
      self->boxes[i] = g_new (float, size);
      prism_wave_draw (self->masks[i], side * side / 3.0, 1, i, 0, self->starts[i]);
      memcpy (self->boxes[i], self->starts[i], size * sizeof (float));
      self->jobs[i] = (PrismWaveJob) {
        .mask = self->masks[i], .amplitude = self->amplitudes[i], .box = self->boxes[i]
      };
    }
}

static void
waves_close (Waves *self)
{
  for (guint i = 0; i < N_JOBS; i++)
    {
      g_clear_pointer (&self->masks[i], prism_mask_unref);
      g_free (self->amplitudes[i]);
      g_free (self->starts[i]);
      g_free (self->boxes[i]);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Waves, waves_close)

/* As many passes on the host. */
static double
move_on_host (Waves *self,
              guint i,
              guint n_passes,
              gboolean search)
{
  const gsize n_bytes = 2 * (gsize) self->side * self->side * sizeof (float);
  PrismFftSquare *fft = prism_fft_square_new ((int) self->side);
  prism_autofree_array float *state = prism_arena_new_array (n_bytes, "a test", NULL);
  prism_autofree_array float *other = prism_arena_new_array (n_bytes, "a test", NULL);
  prism_autofree_array float *buffer
      = prism_arena_new_array (PRISM_WAVE_BUFFER * sizeof (float) * self->side, "a test", NULL);
  const PrismWavePoints points = { fft, self->side, state, other, buffer };
  const PrismWaveMove move
      = { .n_passes = n_passes,
          .relaxation = search ? (float) prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION) : 0.0f };
  PrismWaveJob job = { self->masks[i], self->amplitudes[i], self->starts[i] };

  prism_wave_move (&points, &move, &job);
  prism_fft_square_free (fft);
  return job.misfit;
}

/* Sides as frames have them, and such as waves are searched on. */
TEST (waves, "/cuda/backend/search/waves")
{
  static const guint sides[] = { 16 * SCALE, 12 * SCALE };

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  for (guint k = 0; k < 2 * G_N_ELEMENTS (sides); k++)
    {
      const gboolean search = k % 2 == 0;
      const PrismWaveMove move = { sides[k / 2], 4, search ? 0.8f : 0.0f };
      g_auto (Waves) waves = { 0 };

      waves_open (&waves, move.side);
      g_assert_true (cuda.ops->move_waves (cuda.backend, &move, waves.jobs, N_JOBS));
      problem_finish (&cuda);
      for (guint i = 0; i < N_JOBS; i++)
        {
          const double misfit = move_on_host (&waves, i, move.n_passes, search);
          const gsize size = 2 * (gsize) waves.masks[i]->height * waves.masks[i]->width;

          assert_close (waves.starts[i], waves.boxes[i], size, 1e-4);
          if (!search)
            assert_same_double (misfit, waves.jobs[i].misfit, 1e-5);
        }
    }
}

/* Neither more nor less than the host would do when it is near enough at once. */
TEST (waves_that_are_close, "/cuda/backend/search/waves-that-are-close")
{
  const PrismWaveMove move = { 16 * SCALE, 50, 0.0f };
  g_auto (Waves) waves = { 0 };

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  waves_open (&waves, move.side);
  for (guint i = 0; i < N_JOBS; i++)
    waves.jobs[i].close = 1e9;
  g_assert_true (cuda.ops->move_waves (cuda.backend, &move, waves.jobs, N_JOBS));
  problem_finish (&cuda);
  double expected = move_on_host (&waves, 1, 1, FALSE);
  assert_same_double (expected, waves.jobs[1].misfit, 1e-5);
}

/* What takes too long is the host's. */
TEST (waves_too_large, "/cuda/backend/search/waves-too-large")
{
  const PrismWaveMove move = { 1 << 14, 1, 0.0f };
  g_auto (Waves) waves = { 0 };

  g_auto (Problem) cuda = problem_new (test_cuda_get_ops ());
  waves_open (&waves, 16 * SCALE);
  g_assert_false (cuda.ops->move_waves (cuda.backend, &move, waves.jobs, N_JOBS));
  problem_finish (&cuda);
}

/* ---- Search and fill ---- */

static void
open_run (Run *run,
          const PrismBackendOps *ops,
          double snr)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = PROBLEM_IMAGE;
  config->object_size = PROBLEM_OBJECT;
  config->aperture_radius = RADIUS;
  config->samples = 12;
  config->snr = snr;
  run_prepare (run, config, NULL, ops);
  run_measure (run);
}

/* The same waves for both; one of them is doubtful. */
static void
share_waves (PrismPhaseSync *from,
             PrismPhaseSync *to)
{
  const gsize side = from->side;
  const gsize n_bytes = side * side * sizeof (float);

  for (guint i = 0; i < from->n_samples; i++)
    {
      PrismPhaseSyncFrame *a = &from->frames[i], *b = &to->frames[i];

      if (a->amplitude == NULL)
        {
          g_autofree float *random = problem_dup_random (side * side, i);

          a->amplitude = prism_arena_new_array (n_bytes, "a test", NULL);
          memcpy (a->amplitude, random, n_bytes);
        }
      a->is_doubtful |= i == 3;
      b->misfit = a->misfit;
      b->is_doubtful = a->is_doubtful;
      prism_arena_free_array (b->amplitude);
      b->amplitude = prism_arena_new_array (n_bytes, "a test", NULL);
      memcpy (b->amplitude, a->amplitude, n_bytes);
      memcpy (b->box, a->box, 2 * (gsize) a->mask->height * a->mask->width * sizeof (float));
    }
  to->n_retrieved = to->n_samples;
}

static void
search (PrismPhaseSync *self)
{
  PrismControl control = { 0 };
  guint n_passes = 0;

  self->n_most = N_SEARCHED;
  g_assert_true (MUST (prism_phase_sync_search (self, &control, &n_passes, &error)));
  g_assert_cmpuint (n_passes, ==, N_SEARCHED);
}

static void
fill (PrismPhaseSync *self)
{
  PrismControl control = { 0 };
  guint pass = 0;

  g_assert_true (MUST (prism_phase_sync_fill (self, &control, &pass, N_FILLED, 0.02, &error)));
  g_assert_cmpuint (pass, ==, N_FILLED);
}

static double
get_median_misfit (PrismPhaseSync *self)
{
  double least = INFINITY;

  for (guint i = 0; i < self->n_samples; i++)
    {
      guint n_less = 0;

      for (guint k = 0; k < self->n_samples; k++)
        n_less += self->frames[k].misfit < self->frames[i].misfit;
      if (n_less <= self->n_samples / 2 && n_less + 2 > self->n_samples / 2)
        least = MIN (least, self->frames[i].misfit);
    }
  return least;
}

/* data: SNR, dB; 0: none. Which of several waves a search comes to is rounding's, what it leaves of
 * the frames is not. */
TEST_DATA (search, "/cuda/backend/search/clean", GINT_TO_POINTER (0))
{
  const double snr = GPOINTER_TO_INT (data);
  g_autoptr (PrismPhaseSync) host = NULL, device = NULL;
  PrismControl control = { 0 };
  Run cpu, cuda;

  open_run (&cpu, &prism_cpu_backend_ops, snr);
  open_run (&cuda, test_cuda_get_ops (), snr);
  host = prism_phase_sync_new (cpu.backend, cpu.measurements, 1, NULL);
  device = prism_phase_sync_new (cuda.backend, cuda.measurements, 1, NULL);
  prism_phase_sync_begin (host, 0, NULL);
  prism_phase_sync_begin (device, 0, NULL);
  prism_tuning_scale (PRISM_TUNING_FIELD_STARTS, 0.25); /* more take long on a large frame */
  prism_pace_init (&control.pace, 12);
  g_assert_true (prism_phase_sync_retrieve (host, &control, NULL));
  g_assert_true (prism_phase_sync_retrieve (device, &control, NULL));
  /* On a large frame two starts find a wave by luck. */
  if (SCALE == 1 && snr > 0.0)
    assert_same_double (get_median_misfit (host), get_median_misfit (device), 0.1);
  else if (SCALE == 1)
    g_assert_cmpfloat (get_median_misfit (device), <=, PRISM_WAVE_FOUND);

  share_waves (host, device);
  search (host);
  search (device);
  g_assert_false (device->searches_on_host);
  assert_same_double (host->residual, device->residual, 1e-3);
  assert_close (host->field, device->field, PROBLEM_PLANE, CLOSE);
  assert_close (host->image, device->image, PROBLEM_PIXELS, CLOSE);

  memcpy (device->image, host->image, PROBLEM_PIXELS * sizeof (float));
  device->residual = host->residual;
  fill (host);
  fill (device);
  g_assert_cmpfloat_with_epsilon (host->momentum, device->momentum, 1e-12);
  assert_close (host->image, device->image, PROBLEM_PIXELS, 1e-3);
  assert_close (host->point, device->point, PROBLEM_PIXELS, 1e-3);
  /* A direction: where a picture is flat it is rounding's, and large frames have more of that. */
  assert_close (host->down, device->down, PROBLEM_PIXELS, SCALE == 1 ? 1e-2 : 5e-2);
  prism_tuning_scale (PRISM_TUNING_FIELD_STARTS, 1.0);
  g_clear_pointer (&host, prism_phase_sync_free);
  g_clear_pointer (&device, prism_phase_sync_free);
  run_close (&cpu);
  run_close (&cuda);
}

TEST_DATA_ALSO (search, "/cuda/backend/search/noise", GINT_TO_POINTER (30))
