#include "../run/test-run-common.h"

#include "num/prism-tuning.h"

/* A run that passes alone explain is changed, moved and stopped. What runs come to is in
 * tests/behaviour. */

/* 16 px in 64 px: apertures that overlap. */
static PrismConfig *
make_config (void)
{
  PrismConfig *config = make_small_config ();

  test_config_set (config, "method=auto frames=auto aperture_radius=9 samples=40 polish=50");
  return config;
}

static void
open_until (Run *run, PrismConfig *config, PrismPhase phase)
{
  run_open (run, config, NULL, 1);
  do
    g_assert_true (step (run));
  while (run->trainer->now.phase < phase);
}

static PrismSnapshot *
run_on (Run *run)
{
  while (step (run))
    ;
  return publish (run);
}

static PrismSnapshot *
run_to_end (PrismConfig *config)
{
  g_auto (Run) run;

  run_open (&run, config, NULL, 1);
  PrismSnapshot *last = run_on (&run);
  prism_config_free (config);
  return last;
}

/* With noise an image that leaves up to a percent more than that is taken where it stands still,
 * not where more passes would still move it. No misfit counts as near. */
TEST (moving_is_trained, "/engine/effort/moving-is-trained")
{
  const struct
  {
    guint polish;
    PrismTraining training;
  } rows[] = { { 50, PRISM_TRAINING_SPARED }, { 1, PRISM_TRAINING_NEEDED } };

  prism_tuning_scale (PRISM_TUNING_VERDICT_DEVIATIONS, -1.0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      PrismConfig *config = make_config ();

      config->snr = 20;
      config->polish = rows[i].polish;
      g_autoptr (PrismSnapshot) end = run_to_end (config);
      g_test_message ("polish %u: %.2f times the noise", rows[i].polish,
                      prism_verdict_get_rest (&end->verdict));
      g_assert_cmpint (end->training, ==, rows[i].training);
      g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
    }
  prism_tuning_scale (PRISM_TUNING_VERDICT_DEVIATIONS, 1.0);
}

/* The decoder learns what the passes know: their picture is there before the first step of
 * training, and the result is no worse. */
TEST (from_picture, "/engine/effort/from-picture")
{
  PrismConfig *config = make_config (), *passes = make_config ();
  guint64 first = 0;

  test_config_set (config, "method=decoder start_target=picture start_steps=200");
  config->snr = passes->snr = 20.0;
  g_autoptr (PrismSnapshot) end = run_to_end (config), spared = run_to_end (passes);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SET);
  while (prism_history_get_row (end->history, first).sample != PRISM_ROW_START)
    first++;
  g_test_message ("%.2f dB, %.2f without; training begins at row %u of %u", end->metrics.psnr,
                  spared->metrics.psnr, (guint) first, (guint) end->n_rows);
  g_assert_cmpint (prism_history_get_row (end->history, first - 1).sample, ==, PRISM_ROW_POLISH);
  g_assert_cmpint (prism_history_get_row (end->history, end->n_rows - 1).sample, >=,
                   PRISM_ROW_POLISH);
  g_assert_cmpfloat (end->metrics.psnr, >, spared->metrics.psnr - 1.0);
}

/* What training waits for is switched off while it does: in the samples the run is trained then,
 * passes that have begun go on, also from a file. */
TEST_DATA (switched_off, "/engine/effort/switched-off/live", "consistency=0")
{
  g_auto (GStrv) words = g_strsplit (data, "=", 2);

  for (guint when = PRISM_PHASE_SAMPLES; when <= PRISM_PHASE_POLISH; when++)
    {
      PrismConfig *config = make_config ();
      Fixture fixture;
      g_auto (Run) run;

      set_up (&fixture, NULL);
      open_until (&run, config, when);
      g_assert_true (prism_config_set_text (config, words[0], words[1], NULL));
      prism_trainer_update (run.trainer, config);
      interrupt (&run, fixture.path, 1);
      g_autoptr (PrismSnapshot) end = run_on (&run);
      g_assert_cmpint (end->training, ==,
                       when == PRISM_PHASE_SAMPLES ? PRISM_TRAINING_SET : PRISM_TRAINING_SPARED);
      g_assert_nonnull (end->reconstruction);
      prism_config_free (config);
      tear_down (&fixture, NULL);
    }
}

TEST_DATA_ALSO (switched_off, "/engine/effort/switched-off/polish", "polish=0")

/* Another noise makes other frames: a refinement that has begun ends as if there had never been
 * another one, also from a file, and also where the decoder may wait no longer. */
TEST_DATA (another_noise, "/engine/effort/another-noise", "")
{
  PrismConfig *config = make_config (), *changed = make_config ();
  g_auto (GStrv) words = g_strsplit (data, "=", 2);
  Fixture fixture;
  g_auto (Run) run;

  config->snr = 0.0;
  changed->snr = 30.0;
  if (words[0] != NULL)
    g_assert_true (prism_config_set_text (changed, words[0], words[1], NULL));
  set_up (&fixture, NULL);
  open_until (&run, config, PRISM_PHASE_POLISH);
  for (guint i = 0; i < 5; i++)
    g_assert_true (step (&run));
  prism_trainer_update (run.trainer, changed);
  interrupt (&run, fixture.path, 1);
  g_autoptr (PrismSnapshot) end = run_on (&run);
  prism_config_free (config);
  g_autoptr (PrismSnapshot) plain = run_to_end (changed);
  g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpmem (end->reconstruction->pixels, 16 * 16 * sizeof (float),
                   plain->reconstruction->pixels, 16 * 16 * sizeof (float));
  tear_down (&fixture, NULL);
}

TEST_DATA_ALSO (another_noise, "/engine/effort/another-noise/trained", "consistency=0")

/* Where the passes end for another reason, it is told. */
TEST (not_converged, "/engine/effort/not-converged")
{
  PrismConfig *config = make_config ();
  g_autoptr (PrismSnapshot) end = NULL;
  g_auto (Run) run;

  test_config_set (config, "method=decoder samples=6 steps=1 start_steps=1 polish=5 "
                           "until_converged=on converged_below=0.0001");
  run_open (&run, config, NULL, 1);
  do
    {
      g_clear_pointer (&end, prism_snapshot_unref);
      end = publish (&run);
    }
  while (end->settling.change == 0.0 && step (&run));
  g_assert_cmpint (end->settling.kind, ==, PRISM_SETTLING_OPEN);
  g_autofree char *text = prism_settling_dup_text (&end->settling);
  HAS (text, "below 1.00×10⁻⁴ % they end");
  g_assert_true (prism_trainer_finish (run.trainer, NULL));
  g_clear_pointer (&end, prism_snapshot_unref);
  end = publish (&run);
  g_assert_cmpint (end->settling.kind, ==, PRISM_SETTLING_MOVING);
  prism_config_free (config);
}

/* A device may go at any step; what the passes have come to by then is not lost. */
TEST (moves, "/engine/effort/moves")
{
  PrismConfig *config = make_config ();
  g_autoptr (PrismSnapshot) end = NULL, undisturbed = run_to_end (make_config ());
  g_autoptr (GError) cause = g_error_new_literal (PRISM_ERROR, PRISM_ERROR_MEMORY, "too little");
  Run run;

  run_open (&run, config, NULL, 1);
  for (int i = 0; i < 100; i++)
    g_assert_true (step (&run));
  PrismBackend *other = MUST (run.backend->ops->open (&run.backend->spec, &error));
  g_assert_true (MUST (prism_trainer_move (run.trainer, other, cause, &error)));
  prism_backend_free (run.backend);
  run.backend = other;
  end = run_on (&run);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SPARED);
  g_assert_cmpuint (end->n_visited, ==, 40);
  g_assert_cmpfloat_with_epsilon (end->metrics.psnr, undisturbed->metrics.psnr, 0.5);
  run_close (&run);
  prism_config_free (config);
}
