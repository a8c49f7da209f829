#include "history/prism-past.h"
#include "../support/test-run-parts.h"
#include "../support/test-config.h"

/* Short runs and the moments that they keep. What runs come to is in tests/behaviour. */

static void
run_open (Run *run, PrismConfig *config)
{
  run_prepare (run, config, NULL, get_ops ());
  run_start (run);
}

static PrismConfig *
make_config (void)
{
  PrismConfig *config = prism_config_new ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "moon64.npy", NULL);

  prism_config_set_text (config, "object", path, NULL);
  test_config_set (config, "image_size=128 object_size=64 aperture_radius=16 steps=20 "
                           "start_steps=50 polish=10 consistency=0");
  return config;
}

static void
assert_true_moment (const PrismMoment *moment, const PrismSnapshot *snapshot)
{
  const PrismImage *object = snapshot->target;
  PrismMetrics metrics;

  prism_metrics_compute (&metrics, moment->image->pixels, object->pixels, 64, 64, NULL);
  /* A device rounds its metrics otherwise. */
  g_assert_cmpfloat_with_epsilon (moment->metrics.psnr, metrics.psnr, 1e-4);
  g_assert_true (isnan (moment->metrics.ssim) || moment->metrics.ssim == metrics.ssim);
  PrismHistoryRow row = prism_history_get_row (snapshot->history, moment->n_rows - 1);
  g_assert_cmpuint (row.step, ==, moment->step);
  /* What the device said about the very step is about the very picture. */
  if (!isnan (row.metrics.psnr))
    g_assert_cmpfloat_with_epsilon (row.metrics.psnr, metrics.psnr, 0.01);
}

/* A snapshot of a moment must be what the run itself published there. */
TEST (moments_are_true, "/engine/trainer/moments/true")
{
  PrismConfig *config = make_config ();
  g_autoptr (PrismPast) past = prism_past_new ();
  g_auto (Run) run;

  test_config_set (config, "samples=6 polish=3 finish=epie");
  run_open (&run, config);
  while (run.trainer->now.n_visits < 3)
    g_assert_true (prism_trainer_step (run.trainer, NULL));
  g_autoptr (PrismSnapshot) then = prism_snapshot_new ();
  prism_trainer_publish (run.trainer, then, TRUE);
  g_autoptr (PrismSnapshot) end = run_to_phase (&run, PRISM_PHASE_DONE);
  const PrismFrames *frames = end->frames;
  g_assert_cmpuint (frames->moments[0]->step, ==, 1);
  g_assert_cmpmem (frames->moments[frames->n_moments - 1]->image->pixels, 64 * 64 * sizeof (float),
                   end->reconstruction->pixels, 64 * 64 * sizeof (float));
  for (guint i = 0; i < frames->n_moments; i++)
    assert_true_moment (frames->moments[i], end);

  const PrismMoment *moment = frames->moments[prism_frames_find_sample (frames, 2)];
  g_autoptr (PrismSnapshot) again = prism_past_new_snapshot (past, end, moment);
  g_assert_cmpuint (again->step, ==, then->step);
  g_assert_cmpuint (again->n_visited, ==, 3);
  g_assert_cmpuint (again->n_rows, ==, then->n_rows);
  g_assert_cmpfloat (again->loss_new, ==, then->loss_new);
  g_assert_cmpfloat (again->coverage, ==, then->coverage);
  g_assert_cmpmem (again->reconstruction->pixels, 64 * 64 * sizeof (float),
                   then->reconstruction->pixels, 64 * 64 * sizeof (float));
  g_assert_cmpmem (again->coverage_plane->pixels, 128 * 128 * sizeof (float),
                   then->coverage_plane->pixels, 128 * 128 * sizeof (float));
}

/* Forwards, backwards and at the end, the coverage is the same, that of the lines included. */
TEST (past_in_any_order, "/engine/trainer/moments/any-order")
{
  PrismConfig *config = make_config ();
  g_autoptr (PrismPast) walked = prism_past_new ();
  g_autoptr (PrismSnapshot) last = NULL;
  g_auto (Run) run;

  test_config_set (config, "samples=8 line_length=12 start_steps=0 polish=0");
  run_open (&run, config);
  g_autoptr (PrismSnapshot) end = run_to_phase (&run, PRISM_PHASE_DONE);
  for (guint i = 0; i < end->frames->n_moments; i++)
    {
      const PrismMoment *moment = end->frames->moments[(i * 7) % end->frames->n_moments];
      g_autoptr (PrismPast) fresh = prism_past_new ();
      g_autoptr (PrismSnapshot) a = prism_past_new_snapshot (walked, end, moment);
      g_autoptr (PrismSnapshot) b = prism_past_new_snapshot (fresh, end, moment);

      g_assert_cmpfloat (a->coverage, ==, b->coverage);
      g_assert_cmpmem (a->coverage_plane->pixels, 128 * 128 * sizeof (float),
                       b->coverage_plane->pixels, 128 * 128 * sizeof (float));
    }
  last = prism_past_new_snapshot (walked, end, end->frames->moments[end->frames->n_moments - 1]);
  g_assert_cmpfloat (last->coverage, ==, end->coverage);
  g_assert_cmpmem (last->coverage_plane->pixels, 128 * 128 * sizeof (float),
                   end->coverage_plane->pixels, 128 * 128 * sizeof (float));
}

TEST (finish_in_every_phase, "/engine/trainer/finish-in-every-phase")
{
  static const PrismPhase phases[] = {
    PRISM_PHASE_START,
    PRISM_PHASE_SAMPLES,
    PRISM_PHASE_POLISH,
    PRISM_PHASE_DONE,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (phases); i++)
    {
      PrismConfig *config = make_config ();
      g_autoptr (PrismSnapshot) before = NULL, after = prism_snapshot_new ();
      g_auto (Run) run;

      config->samples = 3;
      run_open (&run, config);
      before = run_to_phase (&run, phases[i]);
      g_assert_true (prism_trainer_finish (run.trainer, NULL));
      g_assert_cmpint (run.trainer->now.phase, ==, PRISM_PHASE_DONE);
      prism_trainer_publish (run.trainer, after, TRUE);
      g_assert_nonnull (after->reconstruction);
      if (phases[i] == PRISM_PHASE_SAMPLES)
        g_assert_cmpint (after->verdict.kind, ==, PRISM_VERDICT_OPEN);
    }
}

/* Fewer steps per sample in the middle of a run, as in a fork: it is never further than its end. */
TEST (steps_change, "/engine/trainer/steps-change")
{
  PrismConfig *config = make_config ();
  g_auto (Run) run;

  test_config_set (config, "samples=4 polish=1");
  g_autoptr (PrismConfig) changed = prism_config_dup (config);
  changed->steps = 2;
  run_open (&run, config);
  while (run.trainer->now.phase != PRISM_PHASE_DONE)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

      g_assert_true (prism_trainer_step (run.trainer, NULL));
      if (run.trainer->now.n_visits == 3)
        prism_trainer_update (run.trainer, changed);
      prism_trainer_publish (run.trainer, snapshot, FALSE);
      g_assert_cmpuint (snapshot->step, <=, snapshot->n_steps);
    }
}
