#include "config/prism-device-list.h"
#include "../support/test-config.h"
#include "../support/test-engine.h"
#include "run/prism-engine.h"

#include <stdatomic.h>

#define tear_down NULL

/* The thread as its users see it: commands in, snapshots out. Waiting is bounded, never timed. */

typedef struct
{
  PrismConfig *config;
  PrismEngine *engine;
} Fixture;

static void
configure (Fixture *self)
{
  MUST (prism_engine_configure (self->engine, self->config, &error));
}

SET_UP
{
  PrismConfig *config = test_config_new ("method=decoder start_target=measurement frames=full "
                                         "image_size=64 object_size=16 aperture_radius=6 "
                                         "samples=6 steps=5 start_steps=5 polish=2 threads=1");

  config->backend = MAX (prism_device_list_find (g_getenv ("PRISM_BACKEND")), PRISM_BACKEND_CPU);
  self->config = OWN (prism_config_free, config);
  self->engine = OWN (prism_engine_free, MUST (prism_engine_new (NULL, NULL, &error)));
  configure (self);
}

TEST_FIXTURE (configure_shows_the_scene, "/engine/engine/configure-shows-the-scene")
{
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (self->engine, PRISM_STATE_IDLE);

  g_assert_cmpint (snapshot->target->height, ==, 16);
  g_assert_cmpint (snapshot->spectrum->height, ==, 64);
  g_assert_cmpuint (snapshot->pattern->n_points, ==, 6);
  g_assert_null (snapshot->reconstruction);
}

static void
check_finished (PrismSnapshot *snapshot)
{
  g_assert_cmpint (snapshot->phase, ==, PRISM_PHASE_DONE);
  g_assert_cmpuint (snapshot->sample, ==, 5);
  g_assert_cmpuint (snapshot->step, >=, 5 + 6 * 5 + 2);
  g_assert_cmpuint (snapshot->step, <=, snapshot->n_steps);
  g_assert_cmpint (snapshot->reconstruction->width, ==, 16);
  g_assert_true (isfinite (snapshot->metrics.psnr));
  g_assert_true (isfinite (snapshot->misfit));
  g_assert_cmpfloat (snapshot->coverage, >, 0.0);
  g_assert_cmpuint (snapshot->n_rows, >=, 5 + 6 * 5 + 2);
  g_assert_cmpuint (snapshot->n_parameters, >, 1000);
  g_assert_cmpuint (snapshot->memory_used, >, 0);
  g_assert_nonnull (snapshot->device);
  g_assert_nonnull (snapshot->device_reason);
}

TEST_FIXTURE (run_finishes, "/engine/engine/run-finishes")
{
  g_autoptr (PrismSnapshot) snapshot = finish_engine (self->engine);
  check_finished (snapshot);
}

/* Steps of the start look at no frame. */
static double
get_first_hit_rate (const PrismSnapshot *snapshot)
{
  guint64 i = 0;

  while (prism_history_get_row (snapshot->history, i).sample < 0)
    {
      g_assert_true (isnan (prism_history_get_row (snapshot->history, i).cache_hit_rate));
      i++;
    }
  return prism_history_get_row (snapshot->history, i).cache_hit_rate;
}

TEST_FIXTURE (two_runs_are_equal, "/engine/engine/two-runs-are-equal")
{
  g_autoptr (PrismSnapshot) first = finish_engine (self->engine);
  g_autoptr (PrismSnapshot) second = finish_engine (self->engine);

  g_assert_cmpuint (second->run, ==, first->run + 1);
  g_assert_cmpmem (first->reconstruction->pixels, 16 * 16 * sizeof (float),
                   second->reconstruction->pixels, 16 * 16 * sizeof (float));
  /* The second run finds every measurement in the cache. */
  g_assert_cmpuint (first->cache.misses, ==, 6);
  g_assert_cmpuint (second->cache.misses, ==, 0);
  g_assert_cmpfloat (get_first_hit_rate (first), ==, 0.75); /* it takes a frame for 4 terms */
  g_assert_cmpfloat (get_first_hit_rate (second), ==, 1.0);
}

/* A run whose frames were given away in the middle takes them again, and ends with equal bits. */
TEST_FIXTURE (cache_is_cleared, "/engine/engine/cache-is-cleared")
{
  g_autoptr (PrismSnapshot) whole = finish_engine (self->engine);
  prism_engine_clear_cache (self->engine);
  prism_engine_step (self->engine, 3);
  g_autoptr (PrismSnapshot) paused = wait_for_state (self->engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (paused->cache.misses, ==, 3);
  g_assert_cmpuint (paused->cache.n_entries, ==, 3);
  prism_engine_clear_cache (self->engine);
  g_autoptr (PrismSnapshot) cleared = wait_for_state (self->engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (cleared->cache.n_entries, ==, 0);
  g_assert_cmpuint (cleared->cache.bytes, ==, 0);
  g_autoptr (PrismSnapshot) end = finish_engine (self->engine);
  g_assert_cmpuint (end->cache.misses, >, 6);
  g_assert_cmpmem (whole->reconstruction->pixels, 16 * 16 * sizeof (float),
                   end->reconstruction->pixels, 16 * 16 * sizeof (float));
}

TEST_FIXTURE (step_pauses_after_samples, "/engine/engine/step-pauses")
{
  prism_engine_step (self->engine, 1);
  g_autoptr (PrismSnapshot) one = wait_for_state (self->engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (one->sample, ==, 1);
  g_assert_cmpuint (one->n_visited, ==, 1);
  prism_engine_step (self->engine, 2);
  g_autoptr (PrismSnapshot) three = wait_for_state (self->engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (three->sample, ==, 3);
  g_assert_cmpfloat (three->coverage, >, one->coverage);
  g_autoptr (PrismSnapshot) end = finish_engine (self->engine);
  check_finished (end);
}

TEST_FIXTURE (stop_keeps_the_result, "/engine/engine/stop-keeps-the-result")
{
  self->config->steps = 100000;
  configure (self);
  prism_engine_run (self->engine);
  prism_engine_pause (self->engine);
  g_autoptr (PrismSnapshot) paused = wait_for_state (self->engine, PRISM_STATE_PAUSED);
  prism_engine_run (self->engine);
  prism_engine_stop (self->engine);
  g_autoptr (PrismSnapshot) stopped = wait_for_state (self->engine, PRISM_STATE_STOPPED);
  g_assert_nonnull (stopped->reconstruction);
  g_assert_cmpuint (stopped->n_visited, <, stopped->n_samples);
  g_assert_true (isfinite (stopped->metrics.psnr));
}

TEST_FIXTURE (live_parameters_apply_at_once, "/engine/engine/live-parameters")
{
  g_autoptr (PrismSnapshot) after = NULL;
  g_autoptr (GError) error = NULL;

  prism_engine_step (self->engine, 1);
  g_autoptr (PrismSnapshot) before = wait_for_state (self->engine, PRISM_STATE_PAUSED);
  self->config->learning_rate = 5e-4;
  self->config->schedule = PRISM_SCHEDULE_CONSTANT; /* not live: waits for the next run */
  self->config->snr = 20.0;
  g_assert_true (prism_engine_update (self->engine, self->config, &error));
  prism_engine_step (self->engine, 1);
  do
    {
      g_clear_pointer (&after, prism_snapshot_unref);
      after = wait_for_state (self->engine, PRISM_STATE_PAUSED);
    }
  while (after->sample < 2);
  g_assert_cmpfloat (after->config->learning_rate, ==, 5e-4);
  g_assert_cmpfloat (after->config->snr, ==, 20.0);
  g_assert_cmpint (after->config->schedule, ==, PRISM_SCHEDULE_COSINE);
  g_assert_cmpfloat (after->learning_rate, <, 5e-4);
}

TEST_FIXTURE (missing_object_fails_and_recovers, "/engine/engine/missing-object")
{
  g_autoptr (PrismSnapshot) idle = NULL;

  g_autoptr (GError) error = NULL;

  g_free (self->config->object);
  self->config->object = g_strdup ("/nowhere/at all.png");
  configure (self);
  g_autoptr (PrismSnapshot) failed = wait_for_state (self->engine, PRISM_STATE_FAILED);
  HAS (failed->message, "/nowhere/at all.png");
  prism_engine_run (self->engine);
  g_free (self->config->object);
  self->config->object = g_strdup ("moon");
  g_assert_true (prism_engine_configure (self->engine, self->config, &error));
  do
    {
      g_clear_pointer (&idle, prism_snapshot_unref);
      idle = prism_engine_wait (self->engine, PATIENCE);
      g_assert_nonnull (idle);
    }
  while (idle->state != PRISM_STATE_IDLE);
}

TEST_FIXTURE (too_large_is_refused, "/engine/engine/too-large-is-refused")
{
  self->config->backend = PRISM_BACKEND_CPU; /* a GPU's memory is known when it is opened */
  test_config_set (self->config, "image_size=4096 object_size=4096 samples=100000");
  FAILS (prism_engine_configure (self->engine, self->config, &error), MEMORY, "TiB");
}

static void
count_notification (gpointer data)
{
  atomic_fetch_add ((atomic_int *) data, 1);
}

TEST_FIXTURE (one_notification_for_many_snapshots, "/engine/engine/one-notification")
{
  atomic_int n_notifications = 0;

  g_autoptr (PrismEngine) engine = prism_engine_new (count_notification, &n_notifications, NULL);
  prism_engine_set_interval (engine, 0);
  g_assert_true (prism_engine_configure (engine, self->config, NULL));
  prism_engine_run (engine);
  g_clear_pointer (&engine, prism_engine_free);
  g_assert_cmpint (atomic_load (&n_notifications), ==, 1);
}

TEST_FIXTURE (storm_of_commands, "/engine/engine/storm")
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (int i = 0; i < 300; i++)
    switch (g_rand_int_range (random, 0, 6))
      {
      case 0:
        prism_engine_run (self->engine);
        break;
      case 1:
        prism_engine_pause (self->engine);
        break;
      case 2:
        prism_engine_step (self->engine, 2);
        break;
      case 3:
        prism_engine_stop (self->engine);
        break;
      case 4:
        prism_engine_update (self->engine, self->config, NULL);
        break;
      default:
        prism_snapshot_unref (prism_engine_collect (self->engine));
      }
  prism_engine_stop (self->engine);
  g_autoptr (PrismSnapshot) end = finish_engine (self->engine);
  check_finished (end);
}

/* A value that comes as the run ends is none of its own, and takes nothing away. */
TEST_FIXTURE (update_after_the_end, "/engine/engine/update-after-the-end")
{
  g_autoptr (PrismSnapshot) finished = finish_engine (self->engine);
  self->config->aperture_radius = 5.0;
  g_assert_true (MUST (prism_engine_update (self->engine, self->config, &error)));
  g_autoptr (PrismSnapshot) after = prism_engine_wait (self->engine, PATIENCE);
  g_assert_nonnull (after);
  g_assert_cmpint (after->state, ==, PRISM_STATE_FINISHED);
  g_assert_nonnull (after->reconstruction);
  g_assert_cmpfloat (after->config->aperture_radius, ==, 6.0);
}
