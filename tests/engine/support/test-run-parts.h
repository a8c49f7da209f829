/* The parts of a run without an engine: what is needed to measure, or to train step by step. */
#pragma once

#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "measure/prism-measurements.h"
#include "model/prism-object.h"
#include "solve/prism-solver.h"
#include "trainer/prism-trainer.h"

typedef struct
{
  PrismConfig *config;
  PrismImage *object;
  PrismPattern *pattern;
  PrismScene *scene;
  PrismBackend *backend;
  PrismCache *cache;
  PrismMeasurements *measurements; /* (nullable): after run_measure() */
  PrismTrainer *trainer;           /* (nullable): after run_start() */
} Run;

/* The backend that PRISM_BACKEND names, the CPU's otherwise. */
static inline const PrismBackendOps *
get_ops (void)
{
  const char *name = g_getenv ("PRISM_BACKEND");

  return prism_registry_get_ops (name != NULL ? name : "cpu");
}

/* config: (transfer full). pattern: (nullable): instead of that of the configuration. */
static inline void
run_prepare (Run *run,
             PrismConfig *config,
             PrismPattern *pattern,
             const PrismBackendOps *ops)
{
  g_autoptr (GError) error = NULL;
  PrismBackendSpec spec;

  run->config = config;
  run->object = prism_object_load (config, &error);
  g_assert_no_error (error);
  run->pattern = pattern != NULL ? prism_pattern_ref (pattern) : prism_pattern_new (config, &error);
  g_assert_no_error (error);
  run->scene = prism_scene_new_simulated (run->object, run->pattern, 1);
  g_assert_true (prism_task_init_spec (config, run->pattern->n_points, &spec, &error));
  run->backend = ops->open (&spec, &error);
  g_assert_no_error (error);
  run->backend->ops = ops;
  run->cache = prism_cache_new (1 << 28);
  run->measurements = NULL;
  run->trainer = NULL;
}

static inline void
run_measure (Run *run)
{
  g_assert_true (run->backend->ops->set_object (run->backend, run->object->pixels, NULL));
  run->measurements = prism_measurements_new (run->config, run->backend, run->cache, run->scene);
}

static inline void
run_acquire_all (Run *run)
{
  for (guint i = 0; i < run->pattern->n_points; i++)
    g_assert_true (prism_measurements_acquire (run->measurements, i, NULL));
}

static inline void
run_start (Run *run)
{
  g_autoptr (GError) error = NULL;
  PrismTrainerSource source = { run->backend, run->cache, run->scene };

  run->trainer = prism_trainer_new (run->config, &source, &error);
  g_assert_no_error (error);
}

static inline PrismSnapshot *
run_to_phase (Run *run,
              PrismPhase phase)
{
  g_autoptr (GError) error = NULL;
  PrismSnapshot *snapshot = prism_snapshot_new ();

  while (prism_trainer_get_phase (run->trainer) != phase)
    {
      prism_trainer_step (run->trainer, &error);
      g_assert_no_error (error);
    }
  prism_trainer_publish (run->trainer, snapshot, TRUE);
  return snapshot;
}

/* One piece of a solver's work; returns whether it is through. */
static inline gboolean
run_piece (PrismSolver *solver,
           guint n_frames)
{
  PrismControl control = { .is_stepped = TRUE };
  GError *error = NULL;
  gboolean is_through;

  prism_pace_init (&control.pace, n_frames);
  control.pace.n = n_frames;
  is_through = solver->kind->run (solver, &control, &error);
  g_assert_no_error (error);
  return is_through;
}

static inline void
run_close (Run *run)
{
  prism_trainer_free (run->trainer);
  prism_measurements_free (run->measurements);
  prism_cache_free (run->cache);
  prism_backend_free (run->backend);
  prism_scene_unref (run->scene);
  prism_pattern_unref (run->pattern);
  prism_image_unref (run->object);
  prism_config_free (run->config);
}
