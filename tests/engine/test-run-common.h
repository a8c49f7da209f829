/* Small runs without an engine thread, for tests of what is saved of a run. */
#pragma once

#include "config.h"

#include "prism-frames.h"
#include "prism-object.h"
#include "prism-trainer.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

typedef struct
{
  PrismConfig *config;
  PrismImage *object;
  PrismPattern *pattern;
  PrismBackend *backend;
  PrismCache *cache;
  PrismTrainer *trainer;
} Run;

typedef struct
{
  char *directory;
  char *path;
} Fixture;

static inline void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->directory = g_dir_make_tmp ("prism-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->directory, "a.prismrun", NULL);
}

static inline void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_unlink (fixture->path);
  g_rmdir (fixture->directory);
  g_free (fixture->directory);
  g_free (fixture->path);
}

/* A run of some hundred steps that takes a tenth of a second. */
static inline PrismConfig *
make_small_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = 8.0;
  config->samples = 8;
  config->steps = 6;
  config->start_steps = 7;
  config->polish = 4;
  return config;
}

static inline void
run_open (Run *run,
          const PrismConfig *config,
          PrismPattern *pattern,
          guint n_threads)
{
  g_autoptr (GError) error = NULL;
  PrismBackendSpec spec;
  PrismTrainerSource source;

  run->config = prism_config_dup (config);
  run->config->threads = n_threads;
  run->object = prism_object_load (config, &error);
  g_assert_no_error (error);
  run->pattern = pattern != NULL ? prism_pattern_ref (pattern) : prism_pattern_new (config, &error);
  g_assert_no_error (error);
  g_assert_true (prism_trainer_init_spec (run->config, run->pattern->n_points, &spec, &error));
  run->backend = prism_cpu_backend_ops.open (&spec, &error);
  g_assert_no_error (error);
  run->cache = prism_cache_new (config->cache_size > 0 ? (guint64) config->cache_size << 18
                                                       : 1 << 28);
  source = (PrismTrainerSource) { run->backend, run->cache, run->object, 1, run->pattern };
  run->trainer = prism_trainer_new (run->config, &source, &error);
  g_assert_no_error (error);
}

static inline void
run_close (Run *run)
{
  prism_trainer_free (run->trainer);
  prism_cache_free (run->cache);
  prism_backend_free (run->backend);
  prism_pattern_unref (run->pattern);
  prism_image_unref (run->object);
  prism_config_free (run->config);
}

static inline PrismSnapshot *
publish (Run *run)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  prism_trainer_publish (run->trainer, snapshot, TRUE);
  return snapshot;
}

static inline gboolean
step (Run *run)
{
  g_autoptr (GError) error = NULL;

  if (prism_trainer_get_phase (run->trainer) == PRISM_PHASE_DONE)
    return FALSE;
  prism_trainer_step (run->trainer, &error);
  g_assert_no_error (error);
  return TRUE;
}
