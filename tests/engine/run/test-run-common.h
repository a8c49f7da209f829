/* Small runs without an engine thread, for tests of what is saved of a run. */
#pragma once

#include "config.h"

#include "../support/test-config.h"
#include "../support/test-remove-tree.h"
#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "history/prism-frames.h"
#include "prism-test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

FOLDER_FIXTURE ("a.prismrun")

/* A run of some hundred steps that takes a tenth of a second. */
static inline PrismConfig *
make_small_config (void)
{
  return test_config_new ("method=decoder start_target=measurement frames=full image_size=64 "
                          "object_size=16 aperture_radius=8 samples=8 steps=6 start_steps=7 "
                          "polish=4");
}

static inline void
run_open (Run *run, const PrismConfig *config, PrismPattern *pattern, guint n_threads)
{
  PrismConfig *own = prism_config_dup (config);

  own->threads = n_threads;
  run_prepare (run, own, pattern, &prism_cpu_backend_ops);
  if (own->cache_size > 0)
    prism_cache_set_budget (run->cache, (guint64) own->cache_size << 18);
  run_start (run);
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
  if (run->trainer->now.phase == PRISM_PHASE_DONE)
    return FALSE;
  MUST (prism_trainer_step (run->trainer, &error));
  return TRUE;
}

static inline void
compare_images (const PrismImage *a, const PrismImage *b)
{
  gsize bytes = (gsize) a->height * a->width * sizeof *a->pixels;

  g_assert_cmpmem (a->pixels, bytes, b->pixels, (gsize) b->height * b->width * sizeof *b->pixels);
}

static inline void
write_state (Run *run, const char *path)
{
  g_autoptr (PrismBundle) state = MUST (prism_trainer_dup_state (run->trainer, &error));
  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (path, &error));

  prism_bundle_save (state, writer, "state/");
  MUST (prism_archive_writer_finish (writer, &error));
}

/* The run's file is all that the new run gets, beside history, pattern and settings. */
static inline void
interrupt (Run *run, const char *path, guint n_threads)
{
  g_autoptr (PrismSnapshot) snapshot = publish (run);
  Run resumed;

  write_state (run, path);
  run_open (&resumed, snapshot->config, snapshot->pattern, n_threads);
  run_close (run);
  *run = resumed;
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (path, &error));
  g_autoptr (PrismBundle) state = MUST (prism_bundle_load (archive, "state/", &error));
  MUST (prism_trainer_restore (run->trainer, state, snapshot, &error));
}
