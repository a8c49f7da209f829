#include "config.h"

#include "prism-object.h"
#include "prism-polish.h"
#include "prism-trainer.h"

#include <math.h>

/* Dimensions of this file: n = 64, m = 16, N = 40 overlapping apertures. */

#define M_PIXELS (16 * 16)

typedef struct
{
  PrismConfig *config;
  PrismImage *object;
  PrismPattern *pattern;
  PrismBackend *backend;
  PrismCache *cache;
  PrismMeasurements *measurements;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  const char *name = g_getenv ("PRISM_BACKEND");
  PrismBackendSpec spec;

  fixture->config = prism_config_new ();
  fixture->config->image_size = 64;
  fixture->config->object_size = 16;
  fixture->config->aperture_radius = 10.0;
  fixture->config->samples = 40;
  fixture->config->threads = 1;
  fixture->config->snr = GPOINTER_TO_INT (data);
  fixture->object = prism_object_load (fixture->config, NULL);
  fixture->pattern = prism_pattern_new (fixture->config, NULL);
  g_assert_true (prism_trainer_init_spec (fixture->config, 40, &spec, NULL));
  fixture->backend = prism_backend_get_ops (name != NULL ? name : "cpu")->open (&spec, NULL);
  fixture->backend->ops->set_object (fixture->backend, fixture->object->pixels, NULL);
  fixture->cache = prism_cache_new (100 << 20);
  fixture->measurements = prism_measurements_new (fixture->config, fixture->backend,
                                                  fixture->cache, 1,
                                                  fixture->pattern);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  prism_measurements_free (fixture->measurements);
  prism_cache_free (fixture->cache);
  prism_backend_free (fixture->backend);
  prism_pattern_unref (fixture->pattern);
  prism_image_unref (fixture->object);
  prism_config_free (fixture->config);
}

static void
acquire_all (Fixture *fixture)
{
  for (guint i = 0; i < 40; i++)
    g_assert_true (prism_measurements_acquire (fixture->measurements, i, NULL));
}

static PrismPolish *
make_polish (Fixture *fixture,
             guint n_passes,
             gboolean stop_at_noise,
             const float *start)
{
  PrismPolishSpec spec = { .n_passes = n_passes, .step_size = 1.0, .stop_at_noise = stop_at_noise };
  g_autoptr (GError) error = NULL;
  PrismPolish *polish = prism_polish_new (fixture->backend, fixture->measurements, &spec, start,
                                          &error);

  g_assert_no_error (error);
  return polish;
}

static void
run_to_end (PrismPolish *polish)
{
  gboolean pass_done;

  while (!prism_polish_is_done (polish))
    g_assert_true (prism_polish_step (polish, 1, &pass_done, NULL));
}

static double
get_error (Fixture *fixture,
           PrismPolish *polish)
{
  const float *image = prism_polish_get_image (polish);
  double sum = 0.0;

  for (gsize i = 0; i < M_PIXELS; i++)
    sum += pow (image[i] - fixture->object->pixels[i], 2.0);
  return sqrt (sum / M_PIXELS);
}

static void
test_truth_is_a_fixed_point (Fixture *fixture,
                             gconstpointer data)
{
  g_autoptr (PrismPolish) polish = NULL;

  acquire_all (fixture);
  polish = make_polish (fixture, 5, FALSE, fixture->object->pixels);
  run_to_end (polish);
  g_assert_cmpfloat (prism_polish_get_misfit (polish), <, 1e-9);
  g_assert_cmpfloat (get_error (fixture, polish), <, 1e-4);
  g_assert_cmpuint (prism_polish_get_pass (polish), ==, 10);
}

static void
test_overlap_leads_from_blank_to_the_object (Fixture *fixture,
                                             gconstpointer data)
{
  g_autoptr (PrismPolish) polish = make_polish (fixture, 60, FALSE, NULL);

  run_to_end (polish);
  g_test_message ("misfit %g, error %g", prism_polish_get_misfit (polish),
                  get_error (fixture, polish));
  g_assert_cmpuint (prism_polish_get_pass (polish), ==, 60);
  g_assert_cmpfloat (prism_polish_get_misfit (polish), <, 1e-3);
  g_assert_cmpfloat (get_error (fixture, polish), <, 0.05);
}

/* A start from a wrong basin: the attempt from a blank image has the smaller misfit and is kept. */
static void
test_better_attempt_is_kept (Fixture *fixture,
                             gconstpointer data)
{
  float wrong[M_PIXELS];
  g_autoptr (PrismPolish) polish = NULL, blank = NULL;
  double misfit_of_start;
  gboolean pass_done;

  acquire_all (fixture);
  for (gsize i = 0; i < M_PIXELS; i++)
    wrong[i] = i % 16 < 3 ? 1.0f : 0.0f;
  polish = make_polish (fixture, 3, FALSE, wrong);
  while (prism_polish_get_pass (polish) < 3 || isnan (prism_polish_get_misfit (polish)))
    prism_polish_step (polish, 1, &pass_done, NULL);
  run_to_end (polish);
  misfit_of_start = prism_polish_get_misfit (polish);
  blank = make_polish (fixture, 3, FALSE, NULL);
  run_to_end (blank);
  g_assert_cmpfloat (misfit_of_start, <=, prism_polish_get_misfit (blank) * (1.0 + 1e-6));
}

static void
test_noise_forbids_to_start (Fixture *fixture,
                             gconstpointer data)
{
  g_autoptr (PrismPolish) polish = NULL;

  acquire_all (fixture);
  polish = make_polish (fixture, 20, TRUE, fixture->object->pixels);
  run_to_end (polish);
  g_assert_cmpuint (prism_polish_get_pass (polish), <=, 1);
  g_assert_cmpfloat (get_error (fixture, polish), <, 0.05);
}

static void
test_finish_keeps_an_image (Fixture *fixture,
                            gconstpointer data)
{
  g_autoptr (PrismPolish) polish = make_polish (fixture, 20, FALSE, NULL);
  double before = get_error (fixture, polish);
  gboolean pass_done;

  for (guint i = 0; i < 20; i++)
    g_assert_true (prism_polish_step (polish, 1, &pass_done, NULL));
  prism_polish_finish (polish);
  g_assert_true (prism_polish_is_done (polish));
  g_assert_cmpfloat (get_error (fixture, polish), !=, before);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, snr, function) \
  g_test_add ("/engine/polish/" path, Fixture, GINT_TO_POINTER (snr), set_up, function, tear_down)
  ADD ("truth-is-a-fixed-point", 0, test_truth_is_a_fixed_point);
  ADD ("overlap-leads-to-the-object", 0, test_overlap_leads_from_blank_to_the_object);
  ADD ("better-attempt-is-kept", 0, test_better_attempt_is_kept);
  ADD ("noise-forbids-to-start", 15, test_noise_forbids_to_start);
  ADD ("finish-keeps-an-image", 0, test_finish_keeps_an_image);
#undef ADD
  return g_test_run ();
}
