#include "config.h"

#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "solve/prism-descent.h"
#include "solve/prism-refine.h"

#include <math.h>

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
run_open_frames (Run *run,
                 int frames,
                 double radius,
                 double snr)
{
  PrismConfig *config = prism_config_new ();

  ops = prism_cpu_backend_ops;
  ops.descend = descend;
  g_array_set_size (passes, 0);
  config->image_size = 64;
  config->object_size = 16;
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
    .band = { 64, 16, 64.0, 20.0 },
  };
  PrismSolver *refine;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < N_PIXELS; i++)
    blank[i] = 0.5f;
  refine = prism_solver_new (&prism_refine_kind, run->backend, run->measurements, &error);
  prism_solver_begin (refine, &spec, &error);
  g_assert_no_error (error);
  while (!prism_solver_describe (refine).is_done)
    g_assert_true (prism_solver_step (refine, 7, NULL, NULL));
  return refine;
}

static const Pass *
get_pass (guint i)
{
  return &g_array_index (passes, Pass, i);
}

/* An attempt ends with whole frames; before, each frame shows all its pixels in step² passes. */
static void
test_climb (void)
{
  g_autoptr (PrismSolver) refine = NULL;
  Run run;

  run_open_frames (&run, PRISM_FRAMES_SMALL, 4.0, 0.0);
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 32);
  refine = refine_from_blank (&run);
  g_assert_cmpuint (passes->len, >, N_PASSES);
  for (guint i = 0; i < N_PASSES; i++)
    g_assert_cmpuint (get_pass (i)->step, ==, i < N_PASSES - N_FULL ? 2 : 1);
  for (guint i = 0; i + 4 <= N_PASSES - N_FULL; i++)
    for (guint t = 0; t < N_SAMPLES; t++)
      {
        guint seen = 0;

        for (guint k = 0; k < 4; k++)
          seen |= 1u << get_pass (i + k)->offsets[t];
        g_assert_cmphex (seen, ==, 0xf);
      }
  g_clear_pointer (&refine, prism_solver_free);
  run_close (&run);
}

static void
check_whole (int frames,
             double radius,
             double snr,
             guint step)
{
  g_autoptr (PrismSolver) refine = NULL;
  Run run;

  run_open_frames (&run, frames, radius, snr);
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 64);
  refine = refine_from_blank (&run);
  for (guint i = 0; i < passes->len; i++)
    g_assert_cmpuint (get_pass (i)->step, ==, step);
  g_clear_pointer (&refine, prism_solver_free);
  run_close (&run);
}

/* Without small frames, and where the aperture is too large for them; noise wants twice as many
 * points. */
static void
test_whole_frames (void)
{
  check_whole (PRISM_FRAMES_FULL, 4.0, 0.0, 0);
  check_whole (PRISM_FRAMES_SMALL, 9.0, 0.0, 1);
  check_whole (PRISM_FRAMES_SMALL, 4.0, 20.0, 1);
}

/* A device that cannot do it says so in its table, and takes whole frames. */
static void
test_device_without (void)
{
  Run run;

  run_open_frames (&run, PRISM_FRAMES_SMALL, 4.0, 0.0);
  ops.samples_frames = FALSE;
  g_assert_cmpuint (prism_descent_find_side (run.backend, run.measurements), ==, 64);
  prism_solver_free (refine_from_blank (&run));
  for (guint i = 0; i < passes->len; i++)
    g_assert_cmpuint (get_pass (i)->step, ==, 0);
  run_close (&run);
}

/* As near to the truth as with whole frames, but for where so few passes happen to be. */
static void
test_same_image (gconstpointer data)
{
  const double snr = GPOINTER_TO_INT (data);
  double errors[2];

  for (int frames = PRISM_FRAMES_FULL; frames <= PRISM_FRAMES_SMALL; frames++)
    {
      g_autoptr (PrismSolver) refine = NULL;
      double sum = 0.0;
      Run run;

      run_open_frames (&run, frames, snr > 0.0 ? 3.0 : 4.0, snr);
      refine = refine_from_blank (&run);
      for (int i = 0; i < N_PIXELS; i++)
        sum += pow (prism_solver_get_image (refine)[i] - run.object->pixels[i], 2.0);
      errors[frames] = sqrt (sum / N_PIXELS);
      g_clear_pointer (&refine, prism_solver_free);
      run_close (&run);
    }
  g_test_message ("error %g with whole frames, %g with small ones", errors[0], errors[1]);
  g_assert_cmpfloat (errors[1], <, 1.25 * errors[0]);
}

int
main (int argc,
      char *argv[])
{
  int result;

  g_test_init (&argc, &argv, NULL);
  passes = g_array_new (FALSE, FALSE, sizeof (Pass));
  g_test_add_func ("/engine/descent-samples/climb", test_climb);
  g_test_add_func ("/engine/descent-samples/whole-frames", test_whole_frames);
  g_test_add_func ("/engine/descent-samples/device-without", test_device_without);
  g_test_add_data_func ("/engine/descent-samples/same-image/no-noise", GINT_TO_POINTER (0),
                        test_same_image);
  g_test_add_data_func ("/engine/descent-samples/same-image/10-db", GINT_TO_POINTER (10),
                        test_same_image);
  result = g_test_run ();
  g_array_unref (passes);
  return result;
}
