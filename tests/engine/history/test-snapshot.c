#include "history/prism-snapshot.h"
#include "prism-test.h"

/* As full as the engine makes them. */
static PrismSnapshot *
make_full_snapshot (PrismImage *image, PrismPattern *pattern, PrismHistory *history)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->message = g_strdup ("a message");
  snapshot->device = g_strdup ("a device");
  snapshot->device_reason = g_strdup ("a reason");
  snapshot->config = prism_config_new ();
  snapshot->target = prism_image_ref (image);
  snapshot->reconstruction = prism_image_ref (image);
  snapshot->measurement = prism_image_ref (image);
  snapshot->coverage_plane = prism_image_ref (image);
  snapshot->spectrum = prism_image_ref (image);
  snapshot->pattern = prism_pattern_ref (pattern);
  snapshot->history = prism_history_ref (history);
  return snapshot;
}

TEST (nothing_is_claimed_at_first, "/engine/snapshot/nothing-is-claimed")
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

  g_assert_cmpint (snapshot->state, ==, PRISM_STATE_IDLE);
  g_assert_true (isnan (snapshot->loss_new) && isnan (snapshot->loss_old));
  g_assert_true (isnan (snapshot->misfit) && isnan (snapshot->seconds_left));
  g_assert_true (isnan (snapshot->metrics.psnr) && isnan (snapshot->metrics.ssim));
  g_assert_true (isnan (snapshot->metrics.rmse));
  g_assert_null (snapshot->reconstruction);
  g_assert_null (snapshot->message);
}

/* Of a field in tiles the first takes more passes than are set, where lights are far off. */
TEST (tiles, "/engine/snapshot/tiles")
{
  static const guint passes[][2]
      = { { 1, 1 }, { 40, 1 }, { 41, 2 }, { 48, 2 }, { 49, 3 }, { 232, 25 }, { 233, 25 } };
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

  g_assert_cmpuint (prism_snapshot_get_tile (snapshot, 1), ==, 0);
  snapshot->config = prism_config_new_recorded ();
  snapshot->config->passes = 8;
  snapshot->n_passes = 232;
  snapshot->n_tiles = 25;
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    g_assert_cmpuint (prism_snapshot_get_tile (snapshot, passes[i][0]), ==, passes[i][1]);
  g_assert_true (prism_snapshot_searches_pupil (snapshot));
  snapshot->config->pupil = PRISM_PUPIL_FLAT;
  g_assert_false (prism_snapshot_searches_pupil (snapshot));
  snapshot->step = 93;
  g_assert_cmpuint (prism_snapshot_count_passes (snapshot), ==, 40);
}

/* The counts are read where nobody else holds the objects any more. */
TEST (the_last_reference_frees_all, "/engine/snapshot/references")
{
  const PrismPoint origin = { 0.0, 0.0 };
  g_autoptr (PrismImage) image = MUST (prism_image_new (8, 8, &error));
  g_autoptr (PrismPattern) pattern = prism_pattern_new_points (&origin, 1);
  g_autoptr (PrismHistory) history = prism_history_new ();
  PrismSnapshot *snapshot = make_full_snapshot (image, pattern, history);

  g_assert_cmpint (g_atomic_int_get (&image->ref_count), ==, 6);
  g_assert_true (prism_snapshot_ref (snapshot) == snapshot);
  prism_snapshot_unref (snapshot);
  g_assert_cmpint (g_atomic_int_get (&image->ref_count), ==, 6);
  prism_snapshot_unref (snapshot);
  g_assert_cmpint (g_atomic_int_get (&image->ref_count), ==, 1);
  g_assert_cmpint (g_atomic_int_get (&pattern->ref_count), ==, 1);
}

static void *
take_and_drop (void *data)
{
  for (guint i = 0; i < 1000; i++)
    prism_snapshot_unref (prism_snapshot_ref (data));
  prism_snapshot_unref (data);
  return NULL;
}

TEST (threads_share_a_snapshot, "/engine/snapshot/threads")
{
  const PrismPoint origin = { 0.0, 0.0 };
  g_autoptr (PrismImage) image = MUST (prism_image_new (8, 8, &error));
  g_autoptr (PrismPattern) pattern = prism_pattern_new_points (&origin, 1);
  g_autoptr (PrismHistory) history = prism_history_new ();
  PrismSnapshot *snapshot = make_full_snapshot (image, pattern, history);
  pthread_t threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, take_and_drop,
                                     prism_snapshot_ref (snapshot)),
                     ==, 0);
  prism_snapshot_unref (snapshot);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
  g_assert_cmpint (g_atomic_int_get (&image->ref_count), ==, 1);
}
