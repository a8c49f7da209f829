#include "config.h"

#include "../support/test-run-parts.h"
#include "cpu/prism-cpu-backend.h"
#include "solve/prism-live-picture.h"

#include <math.h>
#include <string.h>

/* The live picture, alone and in whole short runs: n = 128, m = 64, N = 30. */

#define N_SAMPLES 30
#define N_EARLY 1 /* samples during which there is no live picture yet */
#define N_PIXELS (64 * 64)

static PrismConfig *
make_config (int consistency)
{
  PrismConfig *config = prism_config_new ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "moon64.npy", NULL);

  config->method = PRISM_METHOD_DECODER;
  config->frames = PRISM_FRAMES_FULL;
  prism_config_set_text (config, "object", path, NULL);
  config->image_size = 128;
  config->object_size = 64;
  config->aperture_radius = 16.0;
  config->samples = N_SAMPLES;
  config->steps = 20;
  config->start_steps = 50;
  config->polish = 20;
  config->threads = 1;
  config->consistency = consistency;
  return config;
}

static double
get_psnr (Run *run,
          const float *image)
{
  double sum = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    sum += pow (image[i] - run->object->pixels[i], 2.0);
  return -10.0 * log10 (sum / N_PIXELS);
}

/* A whole round, and after each piece what is asked of it. */
static void
go_round (PrismLivePicture *live,
          guint n_samples,
          guint n_at_once)
{
  PrismControl control = { .is_stepped = TRUE };
  gboolean is_through = FALSE;

  prism_pace_init (&control.pace, n_at_once);
  control.pace.n = n_at_once;
  while (!is_through)
    {
      GError *error = NULL;

      prism_control_begin (&control);
      is_through = prism_live_picture_go_round (live, n_samples, 4, 1.0, &control, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (control.n_frames, <=, n_at_once);
    }
}

static void
take_measurements (Run *run)
{
  run_measure (run);
  run_acquire_all (run);
}

static void
test_misfit_never_rises (void)
{
  g_autofree float *start = g_new (float, N_PIXELS);
  g_autoptr (PrismLivePicture) live = NULL;
  double before = INFINITY;
  Run run;

  run_prepare (&run, make_config (4), NULL, &prism_cpu_backend_ops);
  take_measurements (&run);
  for (int i = 0; i < N_PIXELS; i++)
    start[i] = 0.5f;
  live = prism_live_picture_new (run.backend, run.measurements, start, NULL);
  g_assert_null (prism_live_picture_get_image (live));
  for (int round = 0; round < 25; round++)
    {
      go_round (live, N_SAMPLES, 8);
      g_assert_cmpfloat (live->misfit, <=, MAX (before, 1e-8));
      before = live->misfit;
    }
  g_test_message ("misfit %g", before);
  g_assert_cmpfloat (before, <, 1e-3);
  g_clear_pointer (&live, prism_live_picture_free);
  run_close (&run);
}

/* But for rounding: the sums over several measurements are rounded once. */
static void
test_pieces_do_not_matter (void)
{
  const guint n_at_once[] = { 1, 13 };
  g_autofree float *first = g_new (float, N_PIXELS);

  for (int k = 0; k < 2; k++)
    {
      PrismLivePicture *live;
      Run run;

      run_prepare (&run, make_config (4), NULL, &prism_cpu_backend_ops);
      run.config->snr = 10.0;
      take_measurements (&run);
      live = prism_live_picture_new (run.backend, run.measurements, run.object->pixels, NULL);
      for (guint n = 1; n <= N_SAMPLES; n++)
        go_round (live, n, n_at_once[k]);
      if (k == 0)
        memcpy (first, prism_live_picture_get_image (live), N_PIXELS * sizeof (float));
      else
        for (int i = 0; i < N_PIXELS; i++)
          g_assert_cmpfloat_with_epsilon (first[i], prism_live_picture_get_image (live)[i], 1e-3);
      prism_live_picture_free (live);
      run_close (&run);
    }
}

static void
test_work_is_bounded (void)
{
  guint n_due = 0;

  for (guint n = 1; n <= 1000; n++)
    n_due += prism_live_picture_is_due (n, 1000, TRUE);
  g_assert_cmpuint (n_due, ==, 101);
  g_assert_true (prism_live_picture_is_due (1000, 1000, TRUE));
  for (guint n = 1; n <= 100; n++)
    g_assert_true (prism_live_picture_is_due (n, 100, TRUE));
}

static guint
count_rounds (gboolean has_noise)
{
  guint64 n_passes;
  guint n_rounds;

  prism_live_picture_count_visits (3, 100, has_noise, &n_passes, &n_rounds);
  return n_rounds;
}

static void
test_noise_has_a_round_for_each_sample (void)
{
  g_assert_cmpuint (count_rounds (TRUE), ==, 100);
  g_assert_cmpuint (count_rounds (FALSE), <, 40);
}

static double
get_live_psnr (PrismSnapshot *snapshot,
               double *largest_fall)
{
  double best = 0.0, last = NAN;

  *largest_fall = 0.0;
  for (guint64 i = 0; i < snapshot->n_rows; i++)
    {
      PrismHistoryRow row = prism_history_get_row (snapshot->history, i);

      if (row.sample < N_EARLY || isnan (row.metrics.psnr))
        continue;
      last = row.metrics.psnr;
      best = MAX (best, last);
      *largest_fall = MAX (*largest_fall, best - last);
    }
  return last;
}

static void
test_live_is_nearly_final (gconstpointer snr)
{
  g_autoptr (PrismSnapshot) snapshot = NULL;
  Run run;
  double live, fall;

  run_prepare (&run, make_config (6), NULL, &prism_cpu_backend_ops);
  run.config->snr = GPOINTER_TO_INT (snr);
  run_start (&run);
  snapshot = run_to_phase (&run, PRISM_PHASE_DONE);
  live = get_live_psnr (snapshot, &fall);
  g_test_message ("live %.2f dB, final %.2f dB, largest fall %.2f dB", live,
                  snapshot->metrics.psnr, fall);
  g_assert_cmpfloat (live, >, snapshot->metrics.psnr - 1.0);
  g_assert_cmpfloat (fall, <, 0.5);
  run_close (&run);
}

/* The last round takes a while: its passes are told. */
static void
test_last_round_is_told (void)
{
  Run run;
  guint last = 0, n_passes = 0;

  run_prepare (&run, make_config (1), NULL, &prism_cpu_backend_ops);
  run.config->snr = 10.0;
  run.config->steps = 2;
  run.config->polish = 0;
  run_start (&run);
  while (prism_trainer_get_phase (run.trainer) != PRISM_PHASE_DONE)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

      g_assert_true (prism_trainer_step (run.trainer, NULL));
      prism_trainer_publish (run.trainer, snapshot, FALSE);
      if (snapshot->n_live_passes == 0)
        continue;
      g_assert_cmpuint (snapshot->n_visited, ==, N_SAMPLES);
      g_assert_cmpuint (snapshot->live_pass, >=, last);
      last = snapshot->live_pass;
      n_passes = snapshot->n_live_passes;
    }
  g_assert_cmpuint (n_passes, ==, prism_live_picture_count_last (1));
  g_assert_cmpuint (last, >=, n_passes - 1);
  run_close (&run);
}

/* What the decoder learns is the same with the live picture as without it. */
static void
test_decoder_is_not_disturbed (void)
{
  float *images[2];

  for (int k = 0; k < 2; k++)
    {
      g_autoptr (PrismSnapshot) snapshot = NULL;
      Run run;

      run_prepare (&run, make_config (k == 0 ? 0 : 3), NULL, &prism_cpu_backend_ops);
      run.config->polish = 0;
      run_start (&run);
      snapshot = run_to_phase (&run, PRISM_PHASE_DONE);
      images[k] = g_new (float, N_PIXELS);
      run.backend->ops->read_image (run.backend, PRISM_SOURCE_DECODER, images[k]);
      if (k == 0)
        g_assert_cmpmem (images[0], N_PIXELS * sizeof (float), snapshot->reconstruction->pixels,
                         N_PIXELS * sizeof (float));
      else
        g_assert_cmpfloat (snapshot->metrics.psnr, >, get_psnr (&run, images[1]) + 3.0);
      run_close (&run);
    }
  g_assert_cmpmem (images[0], N_PIXELS * sizeof (float), images[1], N_PIXELS * sizeof (float));
  g_free (images[0]);
  g_free (images[1]);
}

static void
test_stop_keeps_it (void)
{
  g_autoptr (PrismSnapshot) before = prism_snapshot_new (), after = prism_snapshot_new ();
  Run run;

  run_prepare (&run, make_config (3), NULL, &prism_cpu_backend_ops);
  run_start (&run);
  while (prism_trainer_get_n_visits (run.trainer) < 12)
    g_assert_true (prism_trainer_step (run.trainer, NULL));
  for (int i = 0; i < 5; i++)
    g_assert_true (prism_trainer_step (run.trainer, NULL));
  prism_trainer_publish (run.trainer, before, TRUE);
  g_assert_true (prism_trainer_finish (run.trainer, NULL));
  prism_trainer_publish (run.trainer, after, TRUE);
  g_assert_cmpmem (before->reconstruction->pixels, N_PIXELS * sizeof (float),
                   after->reconstruction->pixels, N_PIXELS * sizeof (float));
  g_assert_cmpfloat_with_epsilon (before->metrics.psnr, after->metrics.psnr, 1e-3);
  run_close (&run);
}

/* What a round finds out belongs to the step that ended the sample. */
static void
check_one_row_per_step (const PrismSnapshot *snapshot,
                        guint n_measured)
{
  guint n_values = 0;
  PrismHistoryRow last;

  g_assert_cmpuint (snapshot->n_rows, ==, snapshot->step);
  for (guint64 i = 0; i < snapshot->n_rows; i++)
    {
      PrismHistoryRow row = prism_history_get_row (snapshot->history, i);

      g_assert_cmpuint (row.step, ==, i + 1);
      g_assert_true (isnan (row.metrics.psnr) == isnan (row.metrics.ssim));
      n_values += !isnan (row.metrics.psnr);
    }
  g_assert_cmpuint (n_values, >=, n_measured);
  last = prism_history_get_row (snapshot->history, snapshot->n_rows - 1);
  g_assert_cmpfloat (last.metrics.psnr, ==, snapshot->metrics.psnr);
}

static void
test_one_row_per_step (gconstpointer live)
{
  g_autoptr (PrismSnapshot) snapshot = NULL;
  guint n_rounds = GPOINTER_TO_INT (live) > 0 ? N_SAMPLES : 0;
  Run run;

  run_prepare (&run, make_config (GPOINTER_TO_INT (live)), NULL, &prism_cpu_backend_ops);
  run_start (&run);
  snapshot = run_to_phase (&run, PRISM_PHASE_DONE);
  check_one_row_per_step (snapshot, n_rounds + 20);
  run_close (&run);
}

/* A stop in the middle of a round keeps the row of its step. */
static void
test_stop_in_a_round_has_its_row (void)
{
  g_autoptr (PrismSnapshot) during = NULL, after = prism_snapshot_new ();
  gboolean in_round = FALSE;
  Run run;

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
  run_close (&run);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/live-picture/misfit-never-rises", test_misfit_never_rises);
  g_test_add_func ("/engine/live-picture/pieces-do-not-matter", test_pieces_do_not_matter);
  g_test_add_func ("/engine/live-picture/work-is-bounded", test_work_is_bounded);
  g_test_add_func ("/engine/live-picture/noise-has-a-round-for-each-sample",
                   test_noise_has_a_round_for_each_sample);
  g_test_add_data_func ("/engine/live-picture/live-is-nearly-final/no-noise", GINT_TO_POINTER (0),
                        test_live_is_nearly_final);
  g_test_add_data_func ("/engine/live-picture/live-is-nearly-final/10-db", GINT_TO_POINTER (10),
                        test_live_is_nearly_final);
  g_test_add_func ("/engine/live-picture/last-round-is-told", test_last_round_is_told);
  g_test_add_func ("/engine/live-picture/decoder-is-not-disturbed", test_decoder_is_not_disturbed);
  g_test_add_func ("/engine/live-picture/stop-keeps-it", test_stop_keeps_it);
  g_test_add_data_func ("/engine/live-picture/one-row-per-step/live", GINT_TO_POINTER (3),
                        test_one_row_per_step);
  g_test_add_data_func ("/engine/live-picture/one-row-per-step/decoder", GINT_TO_POINTER (0),
                        test_one_row_per_step);
  g_test_add_func ("/engine/live-picture/one-row-per-step/stopped",
                   test_stop_in_a_round_has_its_row);
  return g_test_run ();
}
