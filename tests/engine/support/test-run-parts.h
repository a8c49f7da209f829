/* The parts of a run without an engine: what is needed to measure, or to train step by step. */
#pragma once

#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "measure/prism-measurements.h"
#include "model/prism-object.h"
#include "prism-test.h"
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
run_prepare (Run *run, PrismConfig *config, PrismPattern *pattern, const PrismBackendOps *ops)
{
  PrismBackendSpec spec;

  run->config = config;
  run->object = MUST (prism_object_load (config, &error));
  run->pattern = pattern != NULL ? prism_pattern_ref (pattern)
                                 : MUST (prism_pattern_new (config, &error));
  run->scene = prism_scene_new_simulated (run->object, run->pattern, 1);
  g_assert_true (MUST (prism_task_init_spec (config, run->pattern->n_points, &spec, &error)));
  run->backend = MUST (ops->open (&spec, &error));
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
  PrismTrainerSource source = { run->backend, run->cache, run->scene };

  run->trainer = MUST (prism_trainer_new (run->config, &source, &error));
}

static inline PrismSnapshot *
run_to_phase (Run *run, PrismPhase phase)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  while (run->trainer->now.phase != phase)
    MUST (prism_trainer_step (run->trainer, &error));
  prism_trainer_publish (run->trainer, snapshot, TRUE);
  return snapshot;
}

/* One piece of a solver's work; returns whether it is through. */
static inline gboolean
run_piece (PrismSolver *solver, guint n_frames)
{
  PrismControl control = { .is_stepped = TRUE };

  prism_pace_init (&control.pace, n_frames);
  control.pace.n = n_frames;
  return MUST (solver->kind->run (solver, &control, &error));
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

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_close)
