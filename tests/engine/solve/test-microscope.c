#include "../support/microscope.h"
#include "../support/test-run-parts.h"
#include "../support/test-config.h"
#include "prism-test.h"
#include "solve/prism-microscope-field.h"
#include "solve/prism-microscope.h"

/* The method of recorded frames, without an engine. */

static PrismProblem *
make_problem (Microscope *truth,
              int tile)
{
  g_autoptr (PrismConfig) config = prism_config_new_recorded ();

  test_config_set (config, "border=0 passes=3");
  config->tile = tile;
  PrismProblem *problem = MUST (prism_problem_new (truth->recording, config, &error));
  return problem;
}

/* Ended between the search and the first pass it brings that pass to its end, though the control
 * that it was last called with would end it at once. */
TEST (finish, "/engine/microscope/finish")
{
  Microscope *truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismProblem) problem = make_problem (truth, 0);
  g_autoptr (PrismScene) scene = prism_scene_new_problem (problem);
  PrismBackend backend = { .ops = get_ops () };
  PrismCache *cache = prism_cache_new (1 << 20);
  PrismMeasurements *measurements
      = prism_measurements_new (problem->settings, &backend, cache, scene);
  g_autoptr (GError) error = NULL;
  PrismSolver *solver = prism_solver_new (&prism_microscope_kind, &backend, measurements, &error);
  const PrismSolverSpec spec = { .n_passes = 3 };
  PrismControl control = { .is_stepped = TRUE };

  g_assert_no_error (error);
  g_assert_true (prism_solver_begin (solver, &spec, &error));
  g_assert_false (MUST (solver->kind->run (solver, &control, &error)));
  g_assert_cmpuint (prism_solver_describe (solver).pass, ==, 0);
  solver->kind->finish (solver);
  g_assert_cmpuint (prism_solver_describe (solver).pass, ==, 1);
  g_assert_cmpuint (prism_solver_describe (solver).n_extra_passes, ==, 0);
  g_assert_true (prism_solver_describe (solver).is_done);
  prism_solver_free (solver);
  prism_measurements_free (measurements);
  prism_cache_free (cache);
  microscope_free (truth);
}

static int n_open; /* on the device */

static PrismRecorded *
open_device (const PrismRecordedSpec *spec,
             GError **error)
{
  n_open++;
  return (PrismRecorded *) &n_open;
}

static void
close_device (PrismRecorded *self)
{
  n_open--;
}

static gboolean
put (PrismRecorded *self,
     const float *object,
     const float *pupil,
     double farthest,
     double rim,
     gboolean together,
     GError **error)
{
  return TRUE;
}

static gboolean
visit (PrismRecorded *self,
       const PrismRecordedVisit *visits,
       guint n_visits,
       guint n_next,
       PrismRecordedLesson *lessons,
       GError **error)
{
  memset (lessons, 0, n_visits * sizeof *lessons);
  return TRUE;
}

static char *
dup_device_name (PrismRecorded *self)
{
  return g_strdup ("card");
}

static const char *
get_loss (void)
{
  return NULL;
}

/* What is known of the middle tile is known without the device, which is the next tile's. */
TEST (middle, "/engine/microscope/middle")
{
  const PrismRecordedOps device = { .abi = PRISM_RECORDED_ABI,
                                    .open = open_device,
                                    .close = close_device,
                                    .put = put,
                                    .visit = visit,
                                    .dup_device_name = dup_device_name };
  PrismBackendOps ops = *prism_registry_get_ops ("cpu");
  PrismBackend backend = { .ops = &ops };
  PrismSolver owner = { .backend = &backend, .spec = { .recorded = &device } };
  Microscope *truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismProblem) problem = make_problem (truth, 32);
  PrismMicroscopeField field = { 0 };
  g_autoptr (GError) error = NULL;

  ops.get_loss = get_loss;
  g_assert_true (prism_microscope_field_init (&field, problem, &error));
  g_assert_true (prism_microscope_field_open (&field, &owner, &error));
  g_assert_cmpint (n_open, ==, 1);
  g_assert_true (prism_microscope_field_begin (&field, &error));
  g_assert_true (MUST (prism_microscope_field_add (&field, &error)));
  g_assert_nonnull (field.middle);
  g_assert_cmpint (n_open, ==, 0);
  g_assert_cmpstr (field.device, ==, "card");
  prism_microscope_field_clear (&field);
  g_assert_cmpint (n_open, ==, 0);
  microscope_free (truth);
}
