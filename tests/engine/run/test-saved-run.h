/* Engines that save small runs, for tests of a run's file. */
#pragma once

#include "test-run-common.h"

#include "run/prism-engine.h"

static inline PrismEngine *
make_engine (void)
{
  g_autoptr (GError) error = NULL;
  PrismEngine *engine = prism_engine_new (NULL, NULL, &error);

  g_assert_no_error (error);
  prism_engine_set_interval (engine, 0);
  return engine;
}

static inline PrismEngine *
make_configured_engine (const PrismConfig *config)
{
  PrismEngine *engine = make_engine ();
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_engine_configure (engine, config, &error));
  g_assert_no_error (error);
  return engine;
}

static inline PrismConfig *
make_saving_config (void)
{
  PrismConfig *config = make_small_config ();

  config->autosave_samples = 1;
  config->backend = PRISM_BACKEND_CPU;
  return config;
}

static inline PrismSnapshot *
wait_for (PrismEngine *engine,
          PrismState state)
{
  for (;;)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_engine_wait (engine, 10000);

      g_assert_nonnull (snapshot);
      if (snapshot->state == state)
        return g_steal_pointer (&snapshot);
      g_assert_cmpint (snapshot->state, !=, PRISM_STATE_FAILED);
    }
}

static inline PrismRun *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  PrismRun *run = prism_run_file_load (path, &error);

  g_assert_no_error (error);
  return run;
}
