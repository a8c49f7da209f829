#include "config.h"

#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "num/prism-tuning.h"
#include "num/prism-tuning-private.h"
#include "solve/prism-epie.h"
#include "solve/prism-refine.h"

#include <math.h>

/* Dimensions of this file: n = 64, m = 16, N = 40 overlapping apertures. */

#define N_PIXELS (16 * 16)
#define N_SAMPLES 40
#define SPARSE (-1) /* instead of an SNR: apertures that hardly overlap, no noise */
#define BLOCKS (-2) /* the same with flat areas instead of the object */
#define NOISY (-3)  /* these in noise of 10 dB */

static float disturbed[N_PIXELS]; /* the object and an error of 0.1 */

/* Two areas, one within the other. */
static void
draw_blocks (float pixels[N_PIXELS])
{
  for (int i = 0; i < N_PIXELS; i++)
    {
      int distance = MAX (ABS (i / 16 - 8), ABS (i % 16 - 7));

      pixels[i] = distance < 3 ? 0.9f : distance < 6 ? 0.4f
                                                     : 0.1f;
    }
}

static void
set_up (Run *run,
        gconstpointer data)
{
  int snr = GPOINTER_TO_INT (data);
  PrismConfig *config = prism_config_new ();
  float *pixels;

  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = snr < 0 ? 4.5 : 10.0;
  config->samples = N_SAMPLES;
  config->threads = 1;
  config->snr = snr == NOISY ? 10 : MAX (snr, 0);
  run_prepare (run, config, NULL, &prism_cpu_backend_ops);
  pixels = run->object->pixels;
  if (snr <= BLOCKS)
    draw_blocks (pixels);
  run_measure (run);
  run_acquire_all (run);
  for (int i = 0; i < N_PIXELS; i++)
    disturbed[i] = CLAMP (pixels[i] + 0.14f * sinf (3.0f * i), 0.0f, 1.0f);
}

static void
tear_down (Run *run,
           gconstpointer data)
{
  run_close (run);
}

static PrismSolver *
make_refine_by_spec (Run *run,
                     const float *start,
                     PrismSolverSpec spec)
{
  g_autoptr (GError) error = NULL;
  PrismSolver *refine;

  spec.band = (PrismBand) { 64, 16, 64.0, 20.0 };
  spec.start = start;
  refine = prism_solver_new (&prism_refine_kind, run->backend, run->measurements, &error);
  prism_solver_begin (refine, &spec, &error);
  g_assert_no_error (error);
  return refine;
}

static PrismSolver *
make_refine_with_live (Run *run,
                       guint n_passes,
                       const float *start,
                       const float *live)
{
  return make_refine_by_spec (
      run, start,
      (PrismSolverSpec) { .n_passes = n_passes, .smoothness = 1.0, .live = live });
}

static PrismSolver *
make_refine (Run *run,
             guint n_passes,
             const float *start)
{
  return make_refine_with_live (run, n_passes, start, NULL);
}

/* Runs until so many passes are done. */
static void
run_to (PrismSolver *refine,
        guint n_passes)
{
  while (!prism_solver_describe (refine).is_done && prism_solver_describe (refine).pass < n_passes)
    run_piece (refine, 7);
}

static double
get_error (Run *run,
           const float *image)
{
  double sum = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    sum += pow (image[i] - run->object->pixels[i], 2.0);
  return sqrt (sum / N_PIXELS);
}

static double
get_error_of_epie (Run *run,
                   guint n_passes)
{
  PrismSolverSpec spec = {
    .n_passes = n_passes, .step_size = 1.0, .stop_at_noise = TRUE, .start = disturbed
  };
  g_autoptr (PrismSolver) polish
      = prism_solver_new (&prism_epie_kind, run->backend, run->measurements, NULL);

  prism_solver_begin (polish, &spec, NULL);
  while (!prism_solver_describe (polish).is_done)
    run_piece (polish, N_SAMPLES);
  return get_error (run, prism_solver_get_image (polish));
}

static void
test_truth_is_a_fixed_point (Run *run,
                             gconstpointer data)
{
  g_autoptr (PrismSolver) refine = make_refine (run, 10, run->object->pixels);

  run_to (refine, G_MAXUINT);
  g_assert_cmpfloat (prism_solver_describe (refine).misfit, <, 1e-9);
  g_assert_cmpfloat (get_error (run, prism_solver_get_image (refine)), <, 1e-4);
}

static void
test_comes_closer_than_epie (Run *run,
                             gconstpointer data)
{
  g_autoptr (PrismSolver) refine = make_refine (run, 60, disturbed);
  double epie = get_error_of_epie (run, 60), error;

  run_to (refine, G_MAXUINT);
  error = get_error (run, prism_solver_get_image (refine));
  g_test_message ("start %g, ePIE %g, refinement %g", get_error (run, disturbed), epie,
                  error);
  g_assert_cmpfloat (error, <, 0.8 * epie);
}

/* A start from a wrong basin does not hold the result back. */
static void
test_better_attempt_is_kept (Run *run,
                             gconstpointer data)
{
  float wrong[N_PIXELS];
  g_autoptr (PrismSolver) refine = NULL;

  for (int i = 0; i < N_PIXELS; i++)
    wrong[i] = i % 16 < 3 ? 1.0f : 0.0f;
  refine = make_refine (run, 60, wrong);
  run_to (refine, G_MAXUINT);
  g_test_message ("error %g, misfit %g", get_error (run, prism_solver_get_image (refine)),
                  prism_solver_describe (refine).misfit);
  g_assert_cmpfloat (get_error (run, prism_solver_get_image (refine)), <, 0.02);
}

/* What the measurements leave open is filled with what varies least. */
static void
test_smoothness_fills_gaps (Run *run,
                            gconstpointer data)
{
  static const double factors[] = { 0.0, 1.0 };
  double errors[2];

  for (int k = 0; k < 2; k++)
    {
      g_autoptr (PrismSolver) refine = make_refine_by_spec (
          run, disturbed,
          (PrismSolverSpec) { .n_passes = 100, .smoothness = factors[k] });

      run_to (refine, G_MAXUINT);
      errors[k] = get_error (run, prism_solver_get_image (refine));
    }
  g_test_message ("errors %g without the total variation, %g with it", errors[0], errors[1]);
  g_assert_cmpfloat (errors[1], <, 0.93 * errors[0]);
}

/* The live picture is in the right basin, the decoder's image is not. */
static void
test_live_can_win (Run *run,
                   gconstpointer data)
{
  float wrong[N_PIXELS];
  g_autoptr (PrismSolver) with = NULL, without = NULL;
  double error, before;

  for (int i = 0; i < N_PIXELS; i++)
    wrong[i] = i % 16 < 3 ? 1.0f : 0.0f;
  without = make_refine (run, 8, wrong);
  with = make_refine_with_live (run, 8, wrong, run->object->pixels);
  run_to (without, G_MAXUINT);
  run_to (with, G_MAXUINT);
  before = get_error (run, prism_solver_get_image (without));
  error = get_error (run, prism_solver_get_image (with));
  g_test_message ("error %g without the live picture, %g with it", before, error);
  g_assert_cmpfloat (error, <, 0.8 * before);
}

/* While other starts are tried the best image so far stays in view. */
static void
test_picture_never_falls_back (Run *run,
                               gconstpointer data)
{
  const guint first = prism_tuning_get_count (PRISM_TUNING_BRIEF_FINAL) * 2;
  g_autoptr (PrismSolver) refine = make_refine (run, 2, disturbed);
  guint n_searching = 0;
  double misfit, error;

  run_to (refine, first);
  misfit = prism_solver_describe (refine).misfit;
  while (!prism_solver_describe (refine).is_done)
    {
      run_piece (refine, 7);
      n_searching += prism_solver_describe (refine).pass > first;
      g_assert_cmpfloat (prism_solver_describe (refine).misfit, <=, misfit * (1.0 + 1e-6));
      misfit = prism_solver_describe (refine).misfit;
    }
  g_assert_cmpuint (n_searching, >, 10);
  error = get_error (run, prism_solver_get_image (refine));
  prism_solver_finish (refine);
  g_assert_cmpfloat (get_error (run, prism_solver_get_image (refine)), ==, error);
}

/* The live picture explains nothing and the decoder's image is the object: that is the result, at
 * once, and where the decoder joins after all other starts. */
static void
test_decoder_can_win (Run *run,
                      gconstpointer data)
{
  const float *object = run->object->pixels;
  float wrong[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    wrong[i] = i % 16 < 3 ? 1.0f : 0.0f;
  prism_tuning_scale (PRISM_TUNING_ALIGN_STARTS, 0.01); /* none */
  for (int joins = 0; joins < 2; joins++)
    {
      PrismSolverSpec spec = { .n_passes = 2, .smoothness = 1.0, .live = wrong };
      g_autoptr (PrismSolver) refine = NULL;
      double before;

      spec.band = (PrismBand) { 64, 16, 64.0, 20.0 };
      spec.start = joins ? NULL : object;
      refine = prism_solver_new (&prism_refine_kind, run->backend, run->measurements, NULL);
      g_assert_true (prism_solver_begin (refine, &spec, NULL));
      run_to (refine, G_MAXUINT);
      before = get_error (run, prism_solver_get_image (refine));
      spec.start = object;
      g_assert_true (prism_solver_begin (refine, &spec, NULL));
      run_to (refine, G_MAXUINT);
      g_test_message ("error %g, then %g", before,
                      get_error (run, prism_solver_get_image (refine)));
      g_assert_cmpfloat (get_error (run, prism_solver_get_image (refine)), <, 0.02);
      if (joins)
        g_assert_cmpfloat (before, >, 0.025);
    }
  prism_tuning_scale (PRISM_TUNING_ALIGN_STARTS, 1.0);
}

/* Many passes do not fit the noise. */
static void
test_noise_is_not_fitted (Run *run,
                          gconstpointer data)
{
  g_autoptr (PrismSolver) few = make_refine (run, 40, disturbed);
  g_autoptr (PrismSolver) many = make_refine (run, 200, disturbed);
  double epie = get_error_of_epie (run, 40), errors[2];

  run_to (few, G_MAXUINT);
  run_to (many, G_MAXUINT);
  errors[0] = get_error (run, prism_solver_get_image (few));
  errors[1] = get_error (run, prism_solver_get_image (many));
  g_test_message ("ePIE %g, 40 passes %g, 200 passes %g", epie, errors[0], errors[1]);
  g_assert_cmpfloat (errors[0], <, epie);
  g_assert_cmpfloat (errors[1], <, 1.1 * errors[0]);
}

/* Shot noise, read noise, both, and both by photons: the truth's misfit is what is expected. */
static void
test_noise_is_estimated_with_read_noise (Run *run,
                                         gconstpointer data)
{
  static const double noises[][3] = { { 0, 0, 15 }, { 15, 0, 15 }, { 10, 0, 25 }, { 0, 1e5, 20 } };

  for (gsize n = 0; n < G_N_ELEMENTS (noises); n++)
    {
      double expected = 0.0, misfit = 0.0;

      run->config->snr = noises[n][0];
      run->config->photons = noises[n][1];
      run->config->read_snr = noises[n][2];
      prism_measurements_set_noise (run->measurements, run->config);
      for (guint i = 0; i < 8; i++)
        {
          g_autofree float *gradient = g_new0 (float, N_PIXELS);
          PrismMisfitTerm term = { .slot = i, .weight = 1.0f };
          PrismNoiseEstimate estimate;

          g_assert_true (prism_measurements_estimate_noise (run->measurements, i, &estimate,
                                                            NULL));
          term.weight = (float) (1.0 / estimate.scale);
          term.noise = (float) estimate.noise;
          term.read = (float) estimate.read;
          term.offset = (float) estimate.offset;
          run->backend->ops->add_misfit_gradient (run->backend, run->object->pixels,
                                                  &term, 1, gradient, &misfit);
          expected += estimate.misfit / estimate.scale;
        }
      g_test_message ("misfit of the truth %g, expected %g: %g", misfit, expected,
                      misfit / expected);
      g_assert_cmpfloat (fabs (misfit - expected), <, 0.15 * expected);
    }
}

static void
test_noise_is_estimated (Run *run,
                         gconstpointer data)
{
  for (guint i = 0; i < 5; i++)
    {
      g_autofree float *gradient = g_new0 (float, N_PIXELS);
      double misfit = 0.0;
      PrismNoiseEstimate estimate;
      PrismMisfitTerm term = { i, 1.0f, 0.0f };
      PrismMask *mask = prism_measurements_get_mask (run->measurements, i);
      PrismBuffer *clean = run->backend->ops->measure (run->backend, mask, NULL);
      g_autofree float *image = g_new (float, 64 * 64);
      double sum = 0.0, sum_of_squares = 0.0, truth;

      run->backend->ops->read_buffer (run->backend, clean, mask, image);
      prism_buffer_unref (clean);
      for (int k = 0; k < 64 * 64; k++)
        {
          sum += pow (image[k], 2.0);
          sum_of_squares += pow (image[k], 4.0);
        }
      truth = sum_of_squares / sum / pow (10.0, run->config->snr / 10.0);
      g_assert_true (prism_measurements_estimate_noise (run->measurements, i, &estimate,
                                                        NULL));
      g_assert_cmpfloat (fabs (estimate.noise - truth), <, 0.25 * truth);
      term.noise = (float) estimate.noise;
      run->backend->ops->add_misfit_gradient (run->backend, run->object->pixels, &term,
                                              1, gradient, &misfit);
      g_test_message ("misfit of the truth %g, expected %g", misfit, estimate.misfit);
      g_assert_cmpfloat (fabs (misfit - estimate.misfit), <, 0.25 * estimate.misfit);
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, snr, function) \
  g_test_add ("/engine/refine/" path, Run, GINT_TO_POINTER (snr), set_up, function, tear_down)
  ADD ("truth-is-a-fixed-point", 0, test_truth_is_a_fixed_point);
  ADD ("comes-closer-than-epie", SPARSE, test_comes_closer_than_epie);
  ADD ("better-attempt-is-kept", 0, test_better_attempt_is_kept);
  ADD ("smoothness-fills-gaps", BLOCKS, test_smoothness_fills_gaps);
  ADD ("smoothness-lowers-noise", NOISY, test_smoothness_fills_gaps);
  ADD ("live-can-win/no-noise", SPARSE, test_live_can_win);
  ADD ("live-can-win/10-db", 10, test_live_can_win);
  ADD ("picture-never-falls-back", SPARSE, test_picture_never_falls_back);
  ADD ("decoder-can-win", SPARSE, test_decoder_can_win);
  ADD ("noise-is-not-fitted", 10, test_noise_is_not_fitted);
  ADD ("noise-is-estimated", 10, test_noise_is_estimated);
  ADD ("noise-is-estimated-with-read-noise", 10, test_noise_is_estimated_with_read_noise);
#undef ADD
  return g_test_run ();
}
