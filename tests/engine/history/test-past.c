#include "history/prism-past.h"
#include "../support/test-run-parts.h"
#include "../support/test-sanitized.h"
#include "../support/test-config.h"

/* The past of whole short runs: each moment must be what the run itself published there. n = 128,
 * m = 64. */

#define N_PIXELS (64 * 64)
#define N_SAMPLES (IS_THREAD_SANITIZED ? 3 : 8)

typedef struct
{
  const char *name, *settings;
} Case;

static const Case cases[] = {
  { "live", "consistency=3" },
  { "noise", "consistency=2 snr=20" },
  { "photons", "consistency=2 photons=100000" },
  { "decoder", "consistency=0 polish=0" },
  { "unpolished", "consistency=3 polish=0" },
  { "then-epie", "consistency=3 finish=epie" },
  { "epie", "method=epie passes=4" },
  { "odd-steps", "consistency=1 steps=17 passes=2" },
};

static PrismConfig *
make_config (const char *settings)
{
  PrismConfig *config = test_config_new ("method=decoder start_target=measurement frames=full");
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "moon64.npy", NULL);

  prism_config_set_text (config, "object", path, NULL);
  test_config_set (config, "image_size=128 object_size=64 aperture_radius=16");
  config->samples = N_SAMPLES;
  test_config_set (config, "steps=20 start_steps=40 polish=4");
  return test_config_set (config, settings);
}

/* All that the run publishes; of a step the last, in which its round is through. A pass of ePIE
 * shows more between two steps. */
static GHashTable *
record (Run *run)
{
  GHashTable *shown = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                             (GDestroyNotify) prism_snapshot_unref);
  PrismPhase phase = PRISM_PHASE_PREPARE;

  while (phase != PRISM_PHASE_DONE)
    {
      PrismSnapshot *snapshot = prism_snapshot_new ();
      gboolean polished = phase == PRISM_PHASE_POLISH;

      g_assert_true (prism_trainer_step (run->trainer, NULL));
      prism_trainer_publish (run->trainer, snapshot, TRUE);
      phase = snapshot->phase;
      if (polished && g_hash_table_contains (shown, &snapshot->step))
        prism_snapshot_unref (snapshot);
      else
        g_hash_table_replace (shown, g_memdup2 (&snapshot->step, sizeof snapshot->step), snapshot);
    }
  return shown;
}

/* The last that the charts draw at this step; NAN where no metrics were made. */
static double
find_psnr (PrismSnapshot *end, guint64 step)
{
  double psnr = NAN;

  for (guint64 i = 0; i < end->n_rows; i++)
    {
      PrismHistoryRow row = prism_history_get_row (end->history, i);

      if (row.step == step && !isnan (row.metrics.psnr))
        psnr = row.metrics.psnr;
    }
  return psnr;
}

static void
check_moment (const PrismMoment *moment, PrismSnapshot *end, PrismSnapshot *then)
{
  g_autoptr (PrismPast) past = prism_past_new ();
  g_autoptr (PrismSnapshot) again = prism_past_new_snapshot (past, end, moment);
  double psnr = find_psnr (end, moment->step);
  g_autoptr (PrismImage) exposure = prism_past_new_exposure (again);
  PrismMetrics metrics;

  g_assert_nonnull (then);
  g_assert_nonnull (exposure);
  g_assert_cmpstr (prism_snapshot_get_maker (again), ==, prism_snapshot_get_maker (then));
  if (again->pass == 0 && again->n_visited > 0)
    g_assert_cmpuint (again->sample, <, again->n_visited);
  if (then->sample == again->sample && then->measurement != NULL)
    for (gsize i = 0; i < 128 * 128; i++)
      g_assert_cmpfloat_with_epsilon (exposure->pixels[i], then->measurement->pixels[i], 1e-4);
  g_test_message ("step %u, %.3f dB, shown then %.3f dB, in the chart %.3f dB",
                  (guint) moment->step, again->metrics.psnr, then->metrics.psnr, psnr);
  g_assert_cmpmem (again->reconstruction->pixels, N_PIXELS * sizeof (float),
                   then->reconstruction->pixels, N_PIXELS * sizeof (float));
  prism_metrics_compute (&metrics, again->reconstruction->pixels, end->target->pixels, 64, 64,
                         NULL);
  g_assert_cmpfloat_with_epsilon (again->metrics.psnr, metrics.psnr, 1e-4);
  g_assert_cmpuint (again->n_visited, ==, then->n_visited);
  g_assert_cmpfloat (again->coverage, ==, then->coverage);
  if (isnan (psnr))
    return;
  /* The device rounds otherwise than the measurement of a result. */
  g_assert_cmpfloat_with_epsilon (again->metrics.psnr, psnr, 1e-4);
  g_assert_cmpfloat (again->metrics.psnr, ==, then->metrics.psnr);
  g_assert_cmpfloat (again->metrics.ssim, ==, then->metrics.ssim);
  g_assert_cmpfloat (again->metrics.rmse, ==, then->metrics.rmse);
}

TEST_ROWS (past_is_what_was_shown, "/engine/past/as-shown", cases)
{
  const Case *self = data;
  g_autoptr (PrismSnapshot) end = prism_snapshot_new ();
  g_auto (Run) run;

  run_prepare (&run, make_config (self->settings), NULL, get_ops ());
  run_start (&run);
  g_autoptr (GHashTable) shown = record (&run);
  prism_trainer_publish (run.trainer, end, TRUE);
  g_assert_cmpuint (end->frames->n_moments, >, 3);
  for (guint i = 0; i < end->frames->n_moments; i++)
    {
      const PrismMoment *moment = end->frames->moments[i];

      check_moment (moment, end, g_hash_table_lookup (shown, &moment->step));
    }
}

/* What made the picture then, not what made it in the end. */
TEST (maker, "/engine/past/maker")
{
  static const char waits[] = "start_target=picture consistency=2 finish=refine";
  g_autoptr (PrismPast) past = prism_past_new ();
  g_autoptr (PrismSnapshot) end = prism_snapshot_new ();
  gboolean trained = FALSE;
  g_auto (Run) run;

  run_prepare (&run, make_config (waits), NULL, get_ops ());
  run_start (&run);
  g_autoptr (GHashTable) shown = record (&run);
  prism_trainer_publish (run.trainer, end, TRUE);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SET);
  for (guint i = 0; i < end->frames->n_moments; i++)
    {
      g_autoptr (PrismSnapshot) again
          = prism_past_new_snapshot (past, end, end->frames->moments[i]);

      g_assert_true (i > 0 || again->training == PRISM_TRAINING_WAITS);
      g_assert_false (trained && again->training == PRISM_TRAINING_WAITS);
      trained = again->training == PRISM_TRAINING_SET;
    }
  g_assert_true (trained);
}
