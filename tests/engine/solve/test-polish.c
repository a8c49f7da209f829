#include "config.h"

#include "solve/prism-epie.h"
#include "../support/test-run-parts.h"

#include <math.h>

/* Dimensions of this file: n = 64, m = 16, N = 40 overlapping apertures. */

#define M_PIXELS (16 * 16)

static void
set_up (Run *run,
        gconstpointer data)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = 10.0;
  config->samples = 40;
  config->threads = 1;
  config->snr = GPOINTER_TO_INT (data);
  run_prepare (run, config, NULL, get_ops ());
  run_measure (run);
}

static void
tear_down (Run *run,
           gconstpointer data)
{
  run_close (run);
}

static PrismSolver *
make_polish (Run *run,
             guint n_passes,
             gboolean stop_at_noise,
             const float *start)
{
  PrismSolverSpec spec = {
    .n_passes = n_passes, .step_size = 1.0, .stop_at_noise = stop_at_noise, .start = start
  };
  g_autoptr (GError) error = NULL;
  PrismSolver *polish
      = prism_solver_new (&prism_epie_kind, run->backend, run->measurements, &error);

  prism_solver_begin (polish, &spec, &error);
  g_assert_no_error (error);
  return polish;
}

static void
run_to_end (PrismSolver *polish)
{
  while (!prism_solver_describe (polish).is_done)
    run_piece (polish, 1);
}

static double
get_error (Run *run,
           PrismSolver *polish)
{
  const float *image = prism_solver_get_image (polish);
  double sum = 0.0;

  for (gsize i = 0; i < M_PIXELS; i++)
    sum += pow (image[i] - run->object->pixels[i], 2.0);
  return sqrt (sum / M_PIXELS);
}

static void
test_truth_is_a_fixed_point (Run *run,
                             gconstpointer data)
{
  g_autoptr (PrismSolver) polish = NULL;

  run_acquire_all (run);
  polish = make_polish (run, 5, FALSE, run->object->pixels);
  run_to_end (polish);
  g_assert_cmpfloat (prism_solver_describe (polish).misfit, <, 1e-9);
  g_assert_cmpfloat (get_error (run, polish), <, 1e-4);
  g_assert_cmpuint (prism_solver_describe (polish).pass, ==, 10);
}

static void
test_overlap_leads_from_blank_to_the_object (Run *run,
                                             gconstpointer data)
{
  g_autoptr (PrismSolver) polish = make_polish (run, 60, FALSE, NULL);

  run_to_end (polish);
  g_test_message ("misfit %g, error %g", prism_solver_describe (polish).misfit,
                  get_error (run, polish));
  g_assert_cmpuint (prism_solver_describe (polish).pass, ==, 60);
  g_assert_cmpfloat (prism_solver_describe (polish).misfit, <, 1e-3);
  g_assert_cmpfloat (get_error (run, polish), <, 0.05);
}

/* A start from a wrong basin: the attempt from a blank image has the smaller misfit and is kept. */
static void
test_better_attempt_is_kept (Run *run,
                             gconstpointer data)
{
  float wrong[M_PIXELS];
  g_autoptr (PrismSolver) polish = NULL, blank = NULL;
  double misfit_of_start;
  run_acquire_all (run);
  for (gsize i = 0; i < M_PIXELS; i++)
    wrong[i] = i % 16 < 3 ? 1.0f : 0.0f;
  polish = make_polish (run, 3, FALSE, wrong);
  while (prism_solver_describe (polish).pass < 3 || isnan (prism_solver_describe (polish).misfit))
    run_piece (polish, 1);
  run_to_end (polish);
  misfit_of_start = prism_solver_describe (polish).misfit;
  blank = make_polish (run, 3, FALSE, NULL);
  run_to_end (blank);
  g_assert_cmpfloat (misfit_of_start, <=, prism_solver_describe (blank).misfit * (1.0 + 1e-6));
}

static void
test_noise_forbids_to_start (Run *run,
                             gconstpointer data)
{
  g_autoptr (PrismSolver) polish = NULL;

  run_acquire_all (run);
  polish = make_polish (run, 20, TRUE, run->object->pixels);
  run_to_end (polish);
  g_assert_cmpuint (prism_solver_describe (polish).pass, <=, 1);
  g_assert_cmpfloat (get_error (run, polish), <, 0.05);
}

static void
test_finish_keeps_an_image (Run *run,
                            gconstpointer data)
{
  g_autoptr (PrismSolver) polish = make_polish (run, 20, FALSE, NULL);
  double before = get_error (run, polish);
  for (guint i = 0; i < 20; i++)
    run_piece (polish, 1);
  prism_solver_finish (polish);
  g_assert_true (prism_solver_describe (polish).is_done);
  g_assert_cmpfloat (get_error (run, polish), !=, before);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, snr, function) \
  g_test_add ("/engine/polish/" path, Run, GINT_TO_POINTER (snr), set_up, function, tear_down)
  ADD ("truth-is-a-fixed-point", 0, test_truth_is_a_fixed_point);
  ADD ("overlap-leads-to-the-object", 0, test_overlap_leads_from_blank_to_the_object);
  ADD ("better-attempt-is-kept", 0, test_better_attempt_is_kept);
  ADD ("noise-forbids-to-start", 15, test_noise_forbids_to_start);
  ADD ("finish-keeps-an-image", 0, test_finish_keeps_an_image);
#undef ADD
  return g_test_run ();
}
