#include "prism-test.h"
#include "results/prism-tensorboard.h"

#include "../support/test-remove-tree.h"

/* Two rows, of which the second has no loss of old measurements and one metric. */
static PrismSnapshot *
new_snapshot (void)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();
  PrismHistoryRow row = {
    .step = 1,
    .loss_new = 0.5,
    .loss_old = 0.25,
    .learning_rate = 1e-3,
    .cache_hit_rate = 0.75,
    .device_bytes = 1024,
    .cache_bytes = 512,
    .steps_per_second = 10,
    .seconds = 0.125,
  };

  snapshot->history = prism_history_new ();
  prism_metrics_init (&row.metrics);
  g_assert_true (prism_history_append (snapshot->history, &row));
  row.step = 300;
  row.loss_old = NAN;
  row.metrics.psnr = 20.5;
  row.seconds = 2.0;
  g_assert_true (prism_history_append (snapshot->history, &row));
  snapshot->n_rows = 2;
  return snapshot;
}

/* The bytes were read once by TensorBoard's own reader. */
TEST (bytes, "/engine/events/bytes")
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot ();
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "events.out.tfevents.0.test", NULL);
  g_autofree char *bytes = NULL;
  /* A length of 24 bytes, and the checksum that every event file begins with. */
  const guint8 first[] = { 24, 0, 0, 0, 0, 0, 0, 0, 0xa3, 0x7f, 0x4b, 0x22 };
  gsize length;

  g_assert_true (MUST (prism_tensorboard_save_at (snapshot, path, 1687043563.0, &error)));
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_cmpmem (bytes, sizeof first, first, sizeof first);
  SAYS (g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length),
        "2326136627bba0f3bd7af6fde92de1105e8e486d2513fa24f258f3bc43abca6d");
}

/* A second export takes the place of the first. */
TEST (directory, "/engine/events/directory")
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot ();
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *inner = g_build_filename (folder, "logs", "run", NULL);
  g_autofree char *path = g_build_filename (inner, "events.out.tfevents.0.prism-studio", NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (MUST (prism_tensorboard_save (snapshot, inner, &error)));
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
    }
  g_assert_false (prism_tensorboard_save (snapshot, path, &error));
  g_assert_nonnull (error);
}
