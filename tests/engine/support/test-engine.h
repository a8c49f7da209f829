/* test-engine: an engine that publishes every step, and waiting for it, which is bounded. */
#pragma once

#include "prism-test.h"
#include "run/prism-engine.h"

#define PATIENCE 60000 /* ms: a wait as long as this is a failure */

/* config: (nullable). */
static inline PrismEngine *
test_engine_new (const PrismConfig *config)
{
  PrismEngine *engine = MUST (prism_engine_new (NULL, NULL, &error));

  prism_engine_set_interval (engine, 0);
  if (config != NULL)
    g_assert_true (MUST (prism_engine_configure (engine, config, &error)));
  return engine;
}

/* A run that fails meanwhile is a failure of the test, unless that is waited for. */
static inline PrismSnapshot *
wait_for_state (PrismEngine *engine, PrismState state)
{
  for (;;)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_engine_wait (engine, PATIENCE);

      g_assert_nonnull (snapshot);
      if (snapshot->state == state)
        return g_steal_pointer (&snapshot);
      if (snapshot->state == PRISM_STATE_FAILED)
        g_error ("the run failed: %s", snapshot->message);
    }
}

/* The same, of which nothing is asked. */
static inline void
await_state (PrismEngine *engine, PrismState state)
{
  prism_snapshot_unref (wait_for_state (engine, state));
}

static inline void
step_engine (PrismEngine *engine, guint n_samples)
{
  prism_engine_step (engine, n_samples);
  await_state (engine, PRISM_STATE_PAUSED);
}

static inline PrismSnapshot *
finish_engine (PrismEngine *engine)
{
  prism_engine_run (engine);
  return wait_for_state (engine, PRISM_STATE_FINISHED);
}

/* What a run that is over shows once its result is in a folder. */
static inline PrismSnapshot *
export_engine (PrismEngine *engine, const char *folder, gboolean replaces, PrismState state)
{
  g_autoptr (PrismSnapshot) snapshot = NULL;

  prism_engine_export (engine, folder, replaces);
  do
    {
      g_clear_pointer (&snapshot, prism_snapshot_unref);
      snapshot = wait_for_state (engine, state);
    }
  while (snapshot->exported == NULL);
  return g_steal_pointer (&snapshot);
}
