#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "../support/test-config.h"
#include "solve/prism-live-picture.h"

/* The live picture, alone and in whole short runs: n = 128, m = 64, N = 30. */

#define N_SAMPLES 30
#define N_PIXELS (64 * 64)

static PrismConfig *
make_config (int consistency)
{
  PrismConfig *config = test_config_new ("method=decoder frames=full");
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "moon64.npy", NULL);

  prism_config_set_text (config, "object", path, NULL);
  test_config_set (config, "image_size=128 object_size=64 aperture_radius=16");
  config->samples = N_SAMPLES;
  test_config_set (config, "steps=20 start_steps=50 polish=20 threads=1");
  config->consistency = consistency;
  return config;
}

/* A whole round. */
static void
go_round (PrismLivePicture *live, guint n_samples)
{
  PrismControl control = { .is_stepped = TRUE };
  gboolean is_through = FALSE;

  while (!is_through)
    {
      prism_control_begin (&control);
      is_through = MUST (prism_live_picture_go_round (live, n_samples, 4, 1.0, &control, &error));
    }
}

TEST (misfit_never_rises, "/engine/live-picture/misfit-never-rises")
{
  g_autofree float *start = g_new (float, N_PIXELS);
  g_autoptr (PrismLivePicture) live = NULL;
  double before = INFINITY;
  g_auto (Run) run;

  run_prepare (&run, make_config (4), NULL, &prism_cpu_backend_ops);
  run_measure (&run);
  run_acquire_all (&run);
  for (int i = 0; i < N_PIXELS; i++)
    start[i] = 0.5f;
  live = prism_live_picture_new (run.backend, run.measurements, start, NULL);
  g_assert_null (prism_live_picture_get_image (live));
  for (int round = 0; round < 25; round++)
    {
      go_round (live, N_SAMPLES);
      g_assert_cmpfloat (live->misfit, <=, MAX (before, 1e-8));
      before = live->misfit;
    }
  g_test_message ("misfit %g", before);
  g_assert_cmpfloat (before, <, 1e-3);
  g_clear_pointer (&live, prism_live_picture_free);
}

TEST (stop_keeps_it, "/engine/live-picture/stop-keeps-it")
{
  g_autoptr (PrismSnapshot) before = prism_snapshot_new (), after = prism_snapshot_new ();
  g_auto (Run) run;

  run_prepare (&run, make_config (3), NULL, &prism_cpu_backend_ops);
  run_start (&run);
  while (run.trainer->now.n_visits < 12)
    g_assert_true (prism_trainer_step (run.trainer, NULL));
  for (int i = 0; i < 5; i++)
    g_assert_true (prism_trainer_step (run.trainer, NULL));
  prism_trainer_publish (run.trainer, before, TRUE);
  g_assert_true (prism_trainer_finish (run.trainer, NULL));
  prism_trainer_publish (run.trainer, after, TRUE);
  g_assert_cmpmem (before->reconstruction->pixels, N_PIXELS * sizeof (float),
                   after->reconstruction->pixels, N_PIXELS * sizeof (float));
  g_assert_cmpfloat_with_epsilon (before->metrics.psnr, after->metrics.psnr, 1e-3);
}

/* What a round finds out belongs to the step that ended the sample. */
static void
check_one_row_per_step (const PrismSnapshot *snapshot, guint n_measured)
{
  guint n_values = 0;

  g_assert_cmpuint (snapshot->n_rows, ==, snapshot->step);
  for (guint64 i = 0; i < snapshot->n_rows; i++)
    {
      PrismHistoryRow row = prism_history_get_row (snapshot->history, i);

      g_assert_cmpuint (row.step, ==, i + 1);
      g_assert_true (isnan (row.metrics.psnr) == isnan (row.metrics.ssim));
      n_values += !isnan (row.metrics.psnr);
    }
  g_assert_cmpuint (n_values, >=, n_measured);
  PrismHistoryRow last = prism_history_get_row (snapshot->history, snapshot->n_rows - 1);
  g_assert_cmpfloat (last.metrics.psnr, ==, snapshot->metrics.psnr);
}

/* A stop in the middle of a round keeps the row of its step. */
TEST (stop_in_a_round_has_its_row, "/engine/live-picture/one-row-per-step/stopped")
{
  g_autoptr (PrismSnapshot) during = NULL, after = prism_snapshot_new ();
  gboolean in_round = FALSE;
  g_auto (Run) run;

  run_prepare (&run, make_config (3), NULL, &prism_cpu_backend_ops);
  run.config->snr = 10.0;
  run_start (&run);
  while (!in_round)
    {
      g_assert_true (prism_trainer_step (run.trainer, NULL));
      g_clear_pointer (&during, prism_snapshot_unref);
      during = prism_snapshot_new ();
      prism_trainer_publish (run.trainer, during, TRUE);
      in_round = during->n_live_passes > 0;
    }
  g_assert_true (prism_trainer_finish (run.trainer, NULL));
  prism_trainer_publish (run.trainer, after, TRUE);
  check_one_row_per_step (after, 1);
}
