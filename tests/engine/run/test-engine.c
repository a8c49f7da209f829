#include "config/prism-device-list.h"
#include "../support/test-config.h"
#include "../support/test-engine.h"
#include "prism-test.h"
#include "run/prism-engine.h"

#include <stdatomic.h>

/* The thread as its users see it: commands in, snapshots out. Waiting is bounded, never timed. */

static PrismConfig *
make_config (void)
{
  PrismConfig *config = test_config_new ("method=decoder start_target=measurement frames=full "
                                         "image_size=64 object_size=16 aperture_radius=6 "
                                         "samples=6 steps=5 start_steps=5 polish=2 threads=1");

  config->backend = MAX (prism_device_list_find (g_getenv ("PRISM_BACKEND")), PRISM_BACKEND_CPU);
  return config;
}

static PrismEngine *
make_engine (const PrismConfig *config)
{
  PrismEngine *engine = MUST (prism_engine_new (NULL, NULL, &error));

  MUST (prism_engine_configure (engine, config, &error));
  return engine;
}

TEST (configure_shows_the_scene, "/engine/engine/configure-shows-the-scene")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (engine, PRISM_STATE_IDLE);

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

TEST (run_finishes, "/engine/engine/run-finishes")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);

  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (engine, PRISM_STATE_FINISHED);
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

TEST (two_runs_are_equal, "/engine/engine/two-runs-are-equal")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);

  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) first = wait_for_state (engine, PRISM_STATE_FINISHED);
  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) second = wait_for_state (engine, PRISM_STATE_FINISHED);
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
TEST (cache_is_cleared, "/engine/engine/cache-is-cleared")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);

  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) whole = wait_for_state (engine, PRISM_STATE_FINISHED);
  prism_engine_clear_cache (engine);
  prism_engine_step (engine, 3);
  g_autoptr (PrismSnapshot) paused = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (paused->cache.misses, ==, 3);
  g_assert_cmpuint (paused->cache.n_entries, ==, 3);
  prism_engine_clear_cache (engine);
  g_autoptr (PrismSnapshot) cleared = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (cleared->cache.n_entries, ==, 0);
  g_assert_cmpuint (cleared->cache.bytes, ==, 0);
  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) end = wait_for_state (engine, PRISM_STATE_FINISHED);
  g_assert_cmpuint (end->cache.misses, >, 6);
  g_assert_cmpmem (whole->reconstruction->pixels, 16 * 16 * sizeof (float),
                   end->reconstruction->pixels, 16 * 16 * sizeof (float));
}

TEST (step_pauses_after_samples, "/engine/engine/step-pauses")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);

  prism_engine_step (engine, 1);
  g_autoptr (PrismSnapshot) one = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (one->sample, ==, 1);
  g_assert_cmpuint (one->n_visited, ==, 1);
  prism_engine_step (engine, 2);
  g_autoptr (PrismSnapshot) three = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (three->sample, ==, 3);
  g_assert_cmpfloat (three->coverage, >, one->coverage);
  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) end = wait_for_state (engine, PRISM_STATE_FINISHED);
  check_finished (end);
}

TEST (stop_keeps_the_result, "/engine/engine/stop-keeps-the-result")
{
  g_autoptr (PrismConfig) config = make_config ();

  config->steps = 100000;
  g_autoptr (PrismEngine) engine = make_engine (config);
  prism_engine_run (engine);
  prism_engine_pause (engine);
  g_autoptr (PrismSnapshot) paused = wait_for_state (engine, PRISM_STATE_PAUSED);
  prism_engine_run (engine);
  prism_engine_stop (engine);
  g_autoptr (PrismSnapshot) stopped = wait_for_state (engine, PRISM_STATE_STOPPED);
  g_assert_nonnull (stopped->reconstruction);
  g_assert_cmpuint (stopped->n_visited, <, stopped->n_samples);
  g_assert_true (isfinite (stopped->metrics.psnr));
}

TEST (live_parameters_apply_at_once, "/engine/engine/live-parameters")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);
  g_autoptr (PrismSnapshot) after = NULL;
  g_autoptr (GError) error = NULL;

  prism_engine_step (engine, 1);
  g_autoptr (PrismSnapshot) before = wait_for_state (engine, PRISM_STATE_PAUSED);
  config->learning_rate = 5e-4;
  config->schedule = PRISM_SCHEDULE_CONSTANT; /* not live: waits for the next run */
  config->snr = 20.0;
  g_assert_true (prism_engine_update (engine, config, &error));
  prism_engine_step (engine, 1);
  do
    {
      g_clear_pointer (&after, prism_snapshot_unref);
      after = wait_for_state (engine, PRISM_STATE_PAUSED);
    }
  while (after->sample < 2);
  g_assert_cmpfloat (after->config->learning_rate, ==, 5e-4);
  g_assert_cmpfloat (after->config->snr, ==, 20.0);
  g_assert_cmpint (after->config->schedule, ==, PRISM_SCHEDULE_COSINE);
  g_assert_cmpfloat (after->learning_rate, <, 5e-4);
}

TEST (missing_object_fails_and_recovers, "/engine/engine/missing-object")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismSnapshot) idle = NULL;
  g_autoptr (GError) error = NULL;

  g_free (config->object);
  config->object = g_strdup ("/nowhere/at all.png");
  g_autoptr (PrismEngine) engine = make_engine (config);
  g_autoptr (PrismSnapshot) failed = prism_engine_wait (engine, PATIENCE);
  g_assert_cmpint (failed->state, ==, PRISM_STATE_FAILED);
  HAS (failed->message, "/nowhere/at all.png");
  prism_engine_run (engine);
  g_free (config->object);
  config->object = g_strdup ("moon");
  g_assert_true (prism_engine_configure (engine, config, &error));
  do
    {
      g_clear_pointer (&idle, prism_snapshot_unref);
      idle = prism_engine_wait (engine, PATIENCE);
      g_assert_nonnull (idle);
    }
  while (idle->state != PRISM_STATE_IDLE);
}

TEST (too_large_is_refused, "/engine/engine/too-large-is-refused")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);

  config->backend = PRISM_BACKEND_CPU; /* a GPU's memory is known when it is opened */
  test_config_set (config, "image_size=4096 object_size=4096 samples=100000");
  FAILS (prism_engine_configure (engine, config, &error), MEMORY, "TiB");
}

static void
count_notification (gpointer data)
{
  atomic_fetch_add ((atomic_int *) data, 1);
}

TEST (one_notification_for_many_snapshots, "/engine/engine/one-notification")
{
  g_autoptr (PrismConfig) config = make_config ();
  atomic_int n_notifications = 0;

  g_autoptr (PrismEngine) engine = prism_engine_new (count_notification, &n_notifications, NULL);
  prism_engine_set_interval (engine, 0);
  g_assert_true (prism_engine_configure (engine, config, NULL));
  prism_engine_run (engine);
  g_clear_pointer (&engine, prism_engine_free);
  g_assert_cmpint (atomic_load (&n_notifications), ==, 1);
}

TEST (storm_of_commands, "/engine/engine/storm")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (int i = 0; i < 300; i++)
    switch (g_rand_int_range (random, 0, 6))
      {
      case 0:
        prism_engine_run (engine);
        break;
      case 1:
        prism_engine_pause (engine);
        break;
      case 2:
        prism_engine_step (engine, 2);
        break;
      case 3:
        prism_engine_stop (engine);
        break;
      case 4:
        prism_engine_update (engine, config, NULL);
        break;
      default:
        prism_snapshot_unref (prism_engine_collect (engine));
      }
  prism_engine_stop (engine);
  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) end = wait_for_state (engine, PRISM_STATE_FINISHED);
  check_finished (end);
}

/* A value that comes as the run ends is none of its own, and takes nothing away. */
TEST (update_after_the_end, "/engine/engine/update-after-the-end")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_engine (config);

  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) finished = wait_for_state (engine, PRISM_STATE_FINISHED);
  config->aperture_radius = 5.0;
  g_assert_true (MUST (prism_engine_update (engine, config, &error)));
  g_autoptr (PrismSnapshot) after = prism_engine_wait (engine, PATIENCE);
  g_assert_nonnull (after);
  g_assert_cmpint (after->state, ==, PRISM_STATE_FINISHED);
  g_assert_nonnull (after->reconstruction);
  g_assert_cmpfloat (after->config->aperture_radius, ==, 6.0);
}
