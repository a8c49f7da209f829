#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "../support/test-config.h"
#include "num/prism-tuning.h"
#include "solve/prism-descent.h"

/* Which points the passes of a search look at. Dimensions of this file: n = 64, m = 16, N = 40
 * apertures of at most 9 columns, so that 32 points hold a row of a frame. */

#define N_PIXELS (16 * 16)
#define N_SAMPLES 40
#define N_PASSES 60
#define N_FULL 5 /* passes that end a search */

typedef struct
{
  guint step;
  guint offsets[N_SAMPLES]; /* y·step + x */
} Pass;

static PrismBackendOps ops; /* the CPU's, with passes that are written down */
static GArray *passes;      /* of Pass */
static int image_size = 64;

static void
descend (PrismBackend *self,
         const PrismIterate *iterate,
         const PrismPassPart *part,
         PrismPassResult *result)
{
  Pass pass = { part->terms[0].step };

  if (part->begins)
    g_array_append_val (passes, pass);
  for (guint i = 0; i < part->n_terms; i++)
    {
      const PrismMisfitTerm *term = &part->terms[i];

      g_assert_cmpuint (term->step, ==, pass.step);
      g_assert_cmpuint (term->offset_y, <, MAX (term->step, 1));
      g_assert_cmpuint (term->offset_x, <, MAX (term->step, 1));
      g_array_index (passes, Pass, passes->len - 1).offsets[term->slot]
          = term->offset_y * term->step + term->offset_x;
    }
  prism_cpu_backend_ops.descend (self, iterate, part, result);
}

static void
run_open_frames (Run *run, int frames, double radius, double snr)
{
  PrismConfig *config = test_config_new ("image_size=64 object_size=16");

  ops = prism_cpu_backend_ops;
  ops.descend = descend;
  g_array_set_size (passes, 0);
  config->image_size = image_size;
  config->aperture_radius = radius;
  config->samples = N_SAMPLES;
  config->threads = 1;
  config->snr = snr;
  config->frames = frames;
  run_prepare (run, config, NULL, &ops);
  run_measure (run);
  run_acquire_all (run);
}

static PrismSolver *
refine_from_blank (Run *run)
{
  float blank[N_PIXELS];
  const PrismSolverSpec spec = {
    .n_passes = N_PASSES,
    .smoothness = 1.0,
    .start = blank,
  };
  PrismSolver *refine;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < N_PIXELS; i++)
    blank[i] = 0.5f;
  refine = prism_solver_new (&prism_refine_kind, run->backend, run->measurements, &error);
  MUST (prism_solver_begin (refine, &spec, &error));
  while (!prism_solver_describe (refine).is_done)
    run_piece (refine, 7);
  return refine;
}

static const Pass *
get_pass (guint i)
{
  return &g_array_index (passes, Pass, i);
}

/* Which of the step² places a frame shows in as many passes, a bit for each. */
static guint
get_seen (guint pass, guint slot, guint step)
{
  guint seen = 0;

  for (guint k = 0; k < step * step; k++)
    seen |= 1u << get_pass (pass + k)->offsets[slot];
  return seen;
}

/* With noise passes end with whole frames, and before each frame shows all its pixels in step²
 * of them. Without it samples are exact, and the same ones in every pass: with others in each the
 * run of the benchmark ended at 44.4 dB instead of 48.1. */
static void
check_climb (double radius, double snr, guint n_full, guint step)
{
  PrismControl control = { 0 };
  g_auto (Run) run;

  run_open_frames (&run, PRISM_FRAMES_SMALL, radius, snr);
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 32);
  g_autoptr (PrismDescent) descent = prism_descent_new (run.backend, run.measurements, 0, NULL);
  prism_pace_init (&control.pace, N_SAMPLES);
  g_assert_true (prism_descent_add_samples (descent, N_SAMPLES, NULL));
  g_assert_true (prism_descent_set_exponent (descent, 0.0, NULL));
  for (guint pass = 0; pass < N_PASSES; pass++)
    {
      prism_descent_look_at (descent, pass,
                             N_PASSES - pass <= prism_tuning_get_count (PRISM_TUNING_SAMPLES_FULL));
      g_assert_true (prism_descent_pass (descent, &control, NULL));
    }
  g_assert_cmpuint (passes->len, ==, N_PASSES);
  for (guint i = 0; i < N_PASSES; i++)
    g_assert_cmpuint (get_pass (i)->step, ==, i < N_PASSES - n_full ? step : 1);
  for (guint i = 0; i + step * step <= N_PASSES - n_full; i++)
    for (guint t = 0; t < N_SAMPLES; t++)
      g_assert_cmphex (get_seen (i, t, step), ==, snr > 0.0 ? (1u << step * step) - 1 : 0x1);
  g_clear_pointer (&descent, prism_descent_free);
}

TEST (climb, "/engine/descent-samples/climb")
{
  check_climb (4.0, 0.0, 0, 2);
  check_climb (3.0, 20.0, N_FULL, 2);
  image_size = 128;
  check_climb (3.0, 20.0, N_FULL, 4);
  image_size = 64;
}

/* Where the user leaves it open, samples are taken where they are exact. */
TEST (automatic, "/engine/descent-samples/automatic")
{
  Run run;

  run_open_frames (&run, PRISM_FRAMES_AUTO, 4.0, 0.0);
  prism_solver_free (refine_from_blank (&run));
  g_assert_cmpuint (get_pass (0)->step, ==, 2);
  run_close (&run);
  run_open_frames (&run, PRISM_FRAMES_AUTO, 3.0, 20.0);
  prism_solver_free (refine_from_blank (&run));
  g_assert_cmpuint (get_pass (0)->step, ==, 0);
  run_close (&run);
}

static void
check_whole (int frames, double radius, double snr, guint step)
{
  g_auto (Run) run;

  run_open_frames (&run, frames, radius, snr);
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 64);
  g_autoptr (PrismSolver) refine = refine_from_blank (&run);
  for (guint i = 0; i < passes->len; i++)
    g_assert_cmpuint (get_pass (i)->step, ==, step);
  g_clear_pointer (&refine, prism_solver_free);
}

/* Without small frames, and where the aperture is too large for them; noise wants twice as many
 * points. */
TEST (whole_frames, "/engine/descent-samples/whole-frames")
{
  check_whole (PRISM_FRAMES_FULL, 4.0, 0.0, 0);
  check_whole (PRISM_FRAMES_SMALL, 9.0, 0.0, 1);
  check_whole (PRISM_FRAMES_SMALL, 4.0, 20.0, 1);
}

/* A device that cannot do it says so in its table, and takes whole frames. */
TEST (device_without, "/engine/descent-samples/device-without")
{
  g_auto (Run) run;

  run_open_frames (&run, PRISM_FRAMES_SMALL, 4.0, 0.0);
  ops.samples_frames = FALSE;
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 64);
  prism_solver_free (refine_from_blank (&run));
  for (guint i = 0; i < passes->len; i++)
    g_assert_cmpuint (get_pass (i)->step, ==, 0);
}

static void
open_held (Run *run, double snr)
{
  PrismConfig *config = test_config_new ("image_size=128 object_size=16 aperture_radius=8");

  ops = prism_cpu_backend_ops;
  ops.descend = descend;
  g_array_set_size (passes, 0);
  config->samples = N_SAMPLES;
  config->threads = 1;
  config->snr = snr;
  config->frames = PRISM_FRAMES_SMALL;
  config->cache_size = 1; /* MiB; all whole frames take 2.5 */
  run_prepare (run, config, NULL, &ops);
  prism_cache_set_budget (run->cache, 3 * 128 * 128 * sizeof (float));
  run_measure (run);
}

static guint64
get_used (Run *run)
{
  PrismMemoryUse use;

  ops.get_memory (run->backend, &use);
  return use.used;
}

/* Where whole frames would take too much only their points are held: always the same, in every
 * pass. A whole frame is there for who asks, and does not stay. */
TEST (held_small, "/engine/descent-samples/held-small")
{
  g_autoptr (PrismImage) frame = NULL;
  double sum = 0.0;
  g_auto (Run) run;

  open_held (&run, 0.0);
  g_assert_cmpuint (prism_measurements_get_step (run.measurements), ==, 4);
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 32);
  guint64 before = get_used (&run);
  for (guint i = 0; i < N_SAMPLES; i++)
    {
      g_assert_true (prism_measurements_acquire_points (run.measurements, i, NULL));
      g_assert_false (prism_measurements_is_bound (run.measurements, i));
      g_assert_cmpfloat (run.measurements->measurements[i].energy, >, 0.0);
    }
  g_assert_cmpuint (get_used (&run) - before, ==, N_SAMPLES * 32 * 32 * sizeof (float));
  for (guint i = 0; i < N_SAMPLES; i++)
    {
      g_clear_pointer (&frame, prism_image_unref);
      frame = prism_measurements_dup_image (run.measurements, i, NULL);
      g_assert_true (prism_measurements_is_bound (run.measurements, i));
    }
  g_assert_cmpuint (get_used (&run) - before, <=,
                    N_SAMPLES * 32 * 32 * sizeof (float) + 4 * 128 * 128 * sizeof (float));
  g_autoptr (PrismSolver) refine = refine_from_blank (&run);
  for (guint i = 0; i < passes->len; i++)
    {
      g_assert_cmpuint (get_pass (i)->step, ==, 4);
      for (guint t = 0; t < N_SAMPLES; t++)
        g_assert_cmpuint (get_pass (i)->offsets[t], ==, 0);
    }
  for (int i = 0; i < N_PIXELS; i++)
    sum += pow (prism_solver_get_image (refine)[i] - run.object->pixels[i], 2.0);
  g_test_message ("error %g", sqrt (sum / N_PIXELS));
  g_assert_cmpfloat (sqrt (sum / N_PIXELS), <, 0.02);
  g_clear_pointer (&refine, prism_solver_free);
}

/* Noise is another one in every pixel: whole frames are needed as soon as there is any. */
TEST (held_until_noise, "/engine/descent-samples/held-until-noise")
{
  Run run;

  open_held (&run, 20.0);
  g_assert_cmpuint (prism_measurements_get_step (run.measurements), ==, 0);
  g_assert_true (prism_measurements_acquire_points (run.measurements, 0, NULL));
  g_assert_true (prism_measurements_is_bound (run.measurements, 0));
  run_close (&run);

  open_held (&run, 0.0);
  g_assert_true (prism_measurements_acquire_points (run.measurements, 0, NULL));
  g_autoptr (PrismConfig) noisy = prism_config_dup (run.config);
  noisy->snr = 20.0;
  prism_measurements_set_noise (run.measurements, noisy);
  g_assert_cmpuint (prism_measurements_get_step (run.measurements), ==, 0);
  g_assert_true (prism_measurements_acquire_points (run.measurements, 0, NULL));
  g_assert_true (prism_measurements_is_bound (run.measurements, 0));
  run_close (&run);
}

/* What is not finite is let go with its points, and taken again. */
TEST (held_again, "/engine/descent-samples/held-again")
{
  g_auto (Run) run;

  open_held (&run, 0.0);
  g_assert_true (prism_measurements_acquire_points (run.measurements, 1, NULL));
  prism_measurements_forget (run.measurements, 1);
  g_assert_true (prism_measurements_acquire_points (run.measurements, 1, NULL));
  g_assert_true (prism_measurements_acquire (run.measurements, 1, NULL));
  g_assert_true (prism_measurements_is_bound (run.measurements, 1));
  g_assert_true (prism_measurements_acquire_points (run.measurements, 1, NULL));
  g_assert_false (prism_measurements_is_bound (run.measurements, 1));
}

/* The smallest apertures, too, have a transform of their own length. */
TEST (smallest_aperture, "/engine/descent-samples/smallest-aperture")
{
  g_auto (Run) run;

  run_open_frames (&run, PRISM_FRAMES_SMALL, 1.0, 0.0);
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 16);
  prism_solver_free (refine_from_blank (&run));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  passes = g_array_new (FALSE, FALSE, sizeof (Pass));
  int result = prism_test_run ();
  g_array_unref (passes);
  return result;
}
