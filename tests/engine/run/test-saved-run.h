/* Engines that save small runs, for tests of a run's file. */
#pragma once

#include "test-run-common.h"

#include "../support/test-engine.h"
#include "run/prism-run-file.h"

static inline PrismConfig *
make_saving_config (void)
{
  PrismConfig *config = make_small_config ();

  config->autosave_samples = 1;
  config->backend = PRISM_BACKEND_CPU;
  return config;
}

static inline PrismRun *
load (const char *path)
{
  return MUST (prism_run_file_load (path, &error));
}

static inline void
compare_results (const PrismSnapshot *a, const PrismSnapshot *b)
{
  compare_images (a->reconstruction, b->reconstruction);
  g_assert_cmpuint (a->step, ==, b->step);
  g_assert_cmpuint (a->n_rows, ==, b->n_rows);
}
