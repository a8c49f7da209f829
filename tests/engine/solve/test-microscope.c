#include "../support/microscope.h"
#include "../support/test-remove-tree.h"
#include "../support/test-run-parts.h"
#include "../support/test-config.h"
#include "solve/prism-microscope.h"

/* The method of recorded frames, without an engine. */

static PrismProblem *
make_problem (Microscope *truth, int tile)
{
  g_autoptr (PrismConfig) config = prism_config_new_recorded ();

  test_config_set (config, "border=0 passes=3");
  config->tile = tile;
  return MUST (prism_problem_new (truth->recording, config, &error));
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
  PrismSolver *solver
      = MUST (prism_solver_new (&prism_microscope_kind, &backend, measurements, &error));
  const PrismSolverSpec spec = { .n_passes = 3 };
  PrismControl control = { .is_stepped = TRUE };

  g_assert_true (MUST (prism_solver_begin (solver, &spec, &error)));
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

/* A field that was left in its second tile or behind it has as many extra passes as the tiles have
 * that are through: which pass was over which tile is told from them. */
TEST (left, "/engine/microscope/left")
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismProblem) problem = make_problem (truth, 32);
  g_autoptr (PrismScene) scene = prism_scene_new_problem (problem);
  PrismBackend backend = { .ops = get_ops () };
  PrismCache *cache = prism_cache_new (1 << 20);
  PrismMeasurements *measurements
      = prism_measurements_new (problem->settings, &backend, cache, scene);
  PrismSolver *solver
      = MUST (prism_solver_new (&prism_microscope_kind, &backend, measurements, &error));
  const PrismSolverSpec spec = { .n_passes = 3 };
  PrismControl control = { .is_stepped = TRUE };

  g_assert_true (MUST (prism_solver_begin (solver, &spec, &error)));
  while (prism_solver_describe (solver).pass < 4)
    {
      prism_control_begin (&control);
      MUST (solver->kind->run (solver, &control, &error));
    }
  solver->kind->finish (solver);
  /* As if each tile had taken one more than are set. */
  problem->settings->passes = 2;
  g_assert_cmpuint (prism_solver_describe (solver).n_extra_passes, ==,
                    prism_microscope_get_finding (solver, TRUE)->tiles->len);
  prism_solver_free (solver);
  prism_measurements_free (measurements);
  prism_cache_free (cache);
}

static int n_open; /* on the device */

static PrismRecorded *
open_device (const PrismRecordedSpec *spec, GError **error)
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
  const PrismSolverSpec on_cpu = { .n_passes = 3 }, on_device = { 3, .recorded = &device };
  PrismControl control = { 0 };
  Microscope *truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismProblem) problem = make_problem (truth, 32);
  g_autoptr (PrismScene) scene = prism_scene_new_problem (problem);
  g_autoptr (PrismBundle) bundle = prism_bundle_new ();
  g_autofree char *directory = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (directory, "summary.json", NULL);
  PrismCache *cache = prism_cache_new (1 << 20);
  PrismMeasurements *measurements
      = prism_measurements_new (problem->settings, &backend, cache, scene);
  g_autoptr (GError) error = NULL;
  PrismSolver *first = prism_solver_new (&prism_microscope_kind, &backend, measurements, &error);
  PrismSolver *next = prism_solver_new (&prism_microscope_kind, &backend, measurements, &error);

  g_assert_true (MUST (prism_solver_begin (first, &on_cpu, &error)));
  g_assert_true (MUST (first->kind->run (first, &control, &error)));
  g_assert_true (MUST (prism_solver_save (first, bundle, &error)));
  ops.get_loss = get_loss;
  g_assert_true (MUST (prism_solver_begin (next, &on_device, &error)));
  g_assert_cmpint (n_open, ==, 1);
  g_assert_true (MUST (prism_solver_load (next, bundle, &error)));
  g_assert_cmpint (n_open, ==, 0);
  g_assert_true (MUST (prism_microscope_export (next, 1.0, 0.5, NULL, TRUE, directory, &error)));
  g_autofree char *summary = file_text (path);
  HAS (summary, "card");
  prism_solver_free (first);
  prism_solver_free (next);
  g_assert_cmpint (n_open, ==, 0);
  prism_measurements_free (measurements);
  prism_cache_free (cache);
  microscope_free (truth);
  test_remove_tree (directory);
}
