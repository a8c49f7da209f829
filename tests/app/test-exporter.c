#include "output/prism-exporter.h"
#include "prism-test.h"

#define SIZE 16

static PrismImage *
new_ramp (void)
{
  PrismImage *image = prism_image_new (SIZE, SIZE, NULL);

  g_assert_nonnull (image);
  for (int i = 0; i < SIZE * SIZE; i++)
    image->pixels[i] = (float) i / (SIZE * SIZE - 1) * 4 - 2;
  return image;
}

static PrismSnapshot *
new_snapshot (void)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();
  PrismHistoryRow row = { .step = 1, .sample_step = 1, .loss_new = 0.5, .metrics.psnr = NAN };

  snapshot->config = prism_config_new ();
  snapshot->reconstruction = new_ramp ();
  snapshot->target = new_ramp ();
  snapshot->history = prism_history_new ();
  g_assert_true (prism_history_append (snapshot->history, &row));
  snapshot->n_rows = 1;
  return snapshot;
}

static char *
new_folder (void)
{
  char *folder = g_dir_make_tmp ("prism-exporter-XXXXXX", NULL);

  g_assert_nonnull (folder);
  return folder;
}

static gboolean
contains (const char *path,
          const char *wanted)
{
  g_autofree char *bytes = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  return memmem (bytes, length, wanted, strlen (wanted)) != NULL;
}

/* What is read back is the ramp between the levels, and the file says what the levels were. */
static void
check_pixels (PrismExportKind kind,
              double tolerance)
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot ();
  g_autoptr (PrismImage) ramp = new_ramp ();
  g_autofree char *folder = new_folder ();
  g_autofree char *path = g_build_filename (folder, "a b.png", NULL);
  PrismExport what = { kind, snapshot, ramp, -2, 2 };

  MUST (prism_exporter_save (&what, path, &error));
  g_autoptr (PrismImage) image = prism_image_load (path, NULL);
  g_assert_nonnull (image);
  for (int i = 0; i < SIZE * SIZE; i++)
    g_assert_cmpfloat_with_epsilon (image->pixels[i], (ramp->pixels[i] + 2) / 4, tolerance);
  g_assert_true (contains (path, "aperture_radius"));
  g_assert_true (contains (path, "black"));
}

TEST (pixels_8, "/app/exporter/pixels-8")
{
  check_pixels (PRISM_EXPORT_PIXELS_8, 0.5 / 255 + 1e-6);
}

TEST (pixels_16, "/app/exporter/pixels-16")
{
  check_pixels (PRISM_EXPORT_PIXELS_16, 0.5 / 65535 + 1e-6);
}

TEST (metrics, "/app/exporter/metrics")
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot ();
  g_autofree char *folder = new_folder ();
  g_autofree char *path = g_build_filename (folder, "metrics.csv", NULL);
  PrismExport what = { .kind = PRISM_EXPORT_METRICS, .snapshot = snapshot };

  MUST (prism_exporter_save (&what, path, &error));
  g_assert_true (contains (path, "step,sample,sample_step,loss_new"));
}

/* A line per ring of a field of 16 px; without a reconstruction one sentence. */
TEST (correlation, "/app/exporter/correlation")
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();
  g_autofree char *folder = new_folder ();
  g_autofree char *path = g_build_filename (folder, "frc.csv", NULL);
  PrismExport what = { .kind = PRISM_EXPORT_CORRELATION, .snapshot = snapshot };

  FAILS (prism_exporter_save (&what, path, &error), CONFIG, "");

  snapshot->target = prism_image_new (8, 8, NULL);
  snapshot->coverage_plane = prism_image_new (16, 16, NULL);
  for (int i = 0; i < 64; i++)
    snapshot->target->pixels[i] = (float) i;
  snapshot->reconstruction = prism_image_ref (snapshot->target);
  MUST (prism_exporter_save (&what, path, &error));
  g_assert_true (contains (path, "radius,correlation,covered,half_bit"));
  g_assert_true (contains (path, "8,1,0,"));
}

TEST (all, "/app/exporter/all")
{
  static const char *const names[] = { "reconstruction.png", "metrics.csv", "summary.json" };
  g_autoptr (PrismSnapshot) snapshot = new_snapshot ();
  g_autofree char *folder = new_folder ();
  g_autofree char *path = g_build_filename (folder, "new", "run", NULL);
  PrismExport what = { .kind = PRISM_EXPORT_ALL, .snapshot = snapshot };

  MUST (prism_exporter_save (&what, path, &error));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (g_file_test (in_folder (path, names[i]), G_FILE_TEST_IS_REGULAR));
}

/* A folder that is not there is one sentence with its name. */
TEST (failure, "/app/exporter/failure")
{
  g_autoptr (PrismSnapshot) snapshot = new_snapshot ();
  PrismExport what = { .kind = PRISM_EXPORT_METRICS, .snapshot = snapshot };

  FAILS (prism_exporter_save (&what, "/nonexistent/folder/metrics.csv", &error), IO, "metrics.csv");
}
