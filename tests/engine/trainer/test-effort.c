#include "../run/test-run-common.h"

#include "base/prism-error.h"
#include "num/prism-tuning-private.h"

#include <math.h>
#include <string.h>

/* What a run leaves out where passes alone explain the measurements, and what it does not. */

/* 16 px in 64 px: apertures that overlap, or four that hardly see anything. */
static PrismConfig *
make_config (gboolean overlaps)
{
  PrismConfig *config = make_small_config ();

  config->method = PRISM_METHOD_AUTO;
  config->frames = PRISM_FRAMES_AUTO;
  config->aperture_radius = overlaps ? 9.0 : 4.0;
  config->samples = overlaps ? 40 : 4;
  config->polish = 50;
  return config;
}

static PrismSnapshot *
run_to_end (PrismConfig *config)
{
  PrismSnapshot *end;
  Run run;

  run_open (&run, config, NULL, 1);
  while (step (&run))
    ;
  end = publish (&run);
  run_close (&run);
  prism_config_free (config);
  return end;
}

/* The curves end with the picture that is the result. */
static void
check_last_row (PrismSnapshot *end)
{
  const PrismHistoryRow row = prism_history_get_row (end->history, end->n_rows - 1);

  g_assert_cmpfloat_with_epsilon (row.metrics.psnr, end->metrics.psnr, 1e-4);
}

static void
test_spared (gconstpointer data)
{
  PrismConfig *config = make_config (TRUE);
  g_autoptr (PrismSnapshot) end = NULL;

  config->snr = GPOINTER_TO_INT (data);
  end = run_to_end (config);
  g_test_message ("%.2f dB after %u rows", end->metrics.psnr, (guint) end->n_rows);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SPARED);
  g_assert_nonnull (prism_training_get_text (end->training));
  g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpuint (end->n_visited, ==, 40);
  g_assert_cmpuint (end->n_steps, ==, end->step);
  g_assert_cmpuint (end->n_rows, ==, end->step);
  for (guint64 i = 0; i < end->n_rows; i++)
    g_assert_cmpint (prism_history_get_row (end->history, i).sample, <=, PRISM_ROW_POLISH);
  check_last_row (end);
}

/* With noise an image that leaves up to a percent more than that is taken where it stands still,
 * not where more passes would still move it. No misfit counts as near. */
static void
test_moving_is_trained (void)
{
  const struct
  {
    guint polish;
    PrismTraining training;
  } rows[] = { { 50, PRISM_TRAINING_SPARED }, { 1, PRISM_TRAINING_NEEDED } };

  prism_tuning_scale (PRISM_TUNING_VERDICT_DEVIATIONS, -1.0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      PrismConfig *config = make_config (TRUE);
      g_autoptr (PrismSnapshot) end = NULL;

      config->snr = 20;
      config->polish = rows[i].polish;
      end = run_to_end (config);
      g_test_message ("polish %u: %.2f times the noise", rows[i].polish,
                      prism_verdict_get_rest (&end->verdict));
      g_assert_cmpint (end->training, ==, rows[i].training);
      g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
    }
  prism_tuning_scale (PRISM_TUNING_VERDICT_DEVIATIONS, 1.0);
}

/* A decoder that joins learns what it learns without having waited: the same losses, step by
 * step. The result is the picture that leaves least. No image counts as explained before. */
static void
test_joins (gconstpointer data)
{
  PrismConfig *config = make_config (FALSE), *full = make_config (FALSE);
  g_autoptr (PrismSnapshot) needed = NULL, set = NULL;
  guint64 n_before = 0;

  prism_config_set_text (config, "memory", data, NULL);
  prism_config_set_text (full, "memory", data, NULL);
  full->method = PRISM_METHOD_DECODER;
  config->samples = full->samples = 6;
  prism_tuning_scale (PRISM_TUNING_ALIGN_EXPLAINED, -1.0);
  needed = run_to_end (config);
  set = run_to_end (full);
  prism_tuning_scale (PRISM_TUNING_ALIGN_EXPLAINED, 1.0);
  g_assert_cmpint (needed->training, ==, PRISM_TRAINING_NEEDED);
  g_assert_cmpint (set->training, ==, PRISM_TRAINING_SET);
  g_assert_null (prism_training_get_text (set->training));
  g_test_message ("%.2f dB, %.2f with training alone", needed->metrics.psnr, set->metrics.psnr);
  g_assert_cmpfloat (prism_verdict_get_rest (&needed->verdict), <,
                     1.01 * prism_verdict_get_rest (&set->verdict));
  while (prism_history_get_row (needed->history, n_before).sample
         != prism_history_get_row (set->history, 0).sample)
    n_before++;
  for (guint64 i = 0;; i++)
    {
      const PrismHistoryRow a = prism_history_get_row (needed->history, n_before + i);
      const PrismHistoryRow b = prism_history_get_row (set->history, i);

      if (b.sample == PRISM_ROW_POLISH)
        break;
      g_assert_cmpint (a.sample, ==, b.sample);
      g_assert_cmpuint (a.step, ==, n_before + b.step);
      g_assert_true (a.loss_new == b.loss_new || isnan (b.loss_new));
    }
}

static void
test_as_set (gconstpointer data)
{
  PrismConfig *config = make_config (TRUE);
  g_auto (GStrv) words = g_strsplit (data, "=", 2);
  g_autoptr (PrismSnapshot) end = NULL;
  g_autoptr (GError) error = NULL;

  config->samples = 6;
  config->polish = 2;
  prism_config_set_text (config, words[0], words[1], &error);
  g_assert_no_error (error);
  end = run_to_end (config);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SET);
}

/* What training waits for is switched off while it does: in the samples the run is trained then,
 * passes that have begun go on, also from a file. */
static void
test_switched_off (gconstpointer data)
{
  g_auto (GStrv) words = g_strsplit (data, "=", 2);

  for (guint when = PRISM_PHASE_SAMPLES; when <= PRISM_PHASE_POLISH; when++)
    {
      PrismConfig *config = make_config (TRUE);
      g_autoptr (PrismSnapshot) end = NULL;
      Fixture fixture;
      Run run;

      set_up (&fixture, NULL);
      run_open (&run, config, NULL, 1);
      do
        g_assert_true (step (&run));
      while (prism_trainer_get_phase (run.trainer) < when);
      g_assert_true (prism_config_set_text (config, words[0], words[1], NULL));
      prism_trainer_update (run.trainer, config);
      interrupt (&run, fixture.path, 1);
      while (step (&run))
        ;
      end = publish (&run);
      g_assert_cmpint (end->training, ==,
                       when == PRISM_PHASE_SAMPLES ? PRISM_TRAINING_SET : PRISM_TRAINING_SPARED);
      g_assert_nonnull (end->reconstruction);
      run_close (&run);
      prism_config_free (config);
      tear_down (&fixture, NULL);
    }
}

/* Another noise makes other frames: a refinement that has begun ends as if there had never been
 * another one, also from a file. */
static void
test_another_noise (void)
{
  PrismConfig *config = make_config (TRUE), *changed = make_config (TRUE);
  g_autoptr (PrismSnapshot) plain = NULL, end = NULL;
  Fixture fixture;
  Run run;

  config->snr = 0.0;
  changed->snr = 30.0;
  set_up (&fixture, NULL);
  run_open (&run, config, NULL, 1);
  do
    g_assert_true (step (&run));
  while (prism_trainer_get_phase (run.trainer) < PRISM_PHASE_POLISH);
  for (guint i = 0; i < 5; i++)
    g_assert_true (step (&run));
  prism_trainer_update (run.trainer, changed);
  interrupt (&run, fixture.path, 1);
  while (step (&run))
    ;
  end = publish (&run);
  run_close (&run);
  prism_config_free (config);
  plain = run_to_end (changed);
  g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpmem (end->reconstruction->pixels, 16 * 16 * sizeof (float),
                   plain->reconstruction->pixels, 16 * 16 * sizeof (float));
  tear_down (&fixture, NULL);
}

/* Two of three searches find one and the same image, and it is no other explanation: the third is
 * what the verdict hangs on. */
static void
test_ambiguous (void)
{
  PrismConfig *config = prism_config_new ();
  g_autoptr (PrismSnapshot) end = NULL;

  g_assert_true (prism_config_set_text (config, "object", "usaf1951", NULL));
  config->image_size = 128;
  config->object_size = 32;
  config->samples = 5;
  config->aperture_radius = 10.0;
  config->snr = 20.0;
  config->training_seed = 5;
  end = run_to_end (config);
  g_test_message ("%.2f dB, %.3f apart", end->metrics.psnr, end->verdict.difference);
  g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_AMBIGUOUS);
}

/* Passes that nothing comes of are not made, however many are allowed. */
static void
test_ends_when_still (void)
{
  PrismConfig *config = make_config (TRUE);
  g_autoptr (PrismSnapshot) end = NULL;

  config->polish = 1000;
  end = run_to_end (config);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SPARED);
  g_assert_cmpuint (end->step, <, 2000);
}

/* Passes go on beyond those that are set, are the same as far as those go, and end when the picture
 * stands still. */
static void
test_until_converged (gconstpointer data)
{
  PrismConfig *config = make_config (TRUE), *until = make_config (TRUE);
  g_autoptr (PrismSnapshot) plain = NULL, end = NULL;
  g_auto (GStrv) settings = g_strsplit (data, " ", -1);
  guint n_equal = 0;

  for (guint i = 0; settings[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (settings[i], "=", 2);

      g_assert_true (prism_config_set_text (config, words[0], words[1], NULL));
      g_assert_true (prism_config_set_text (until, words[0], words[1], NULL));
    }
  until->until_converged = TRUE;
  plain = run_to_end (config);
  end = run_to_end (until);
  g_test_message ("%.2f dB after %u, %.2f after %u rows; moved by %g", plain->metrics.psnr,
                  (guint) plain->n_rows, end->metrics.psnr, (guint) end->n_rows,
                  end->settling.change);
  if (g_str_equal (data, "")) /* nothing is left to do */
    {
      g_assert_cmpint (end->settling.kind, ==, PRISM_SETTLING_MET);
      g_assert_cmpuint (end->n_rows, ==, plain->n_rows);
      return;
    }
  g_assert_cmpint (end->settling.kind, ==, PRISM_SETTLING_STILL);
  g_assert_cmpfloat (end->settling.limit, ==, 0.01 * end->config->converged_below);
  g_assert_cmpfloat (end->settling.change, <, end->settling.limit);
  g_assert_cmpfloat (end->settling.change, >, 0.0);
  g_assert_cmpuint (end->n_rows, >=, plain->n_rows + !g_str_equal (data, "snr=20"));
  g_assert_cmpuint (end->n_passes, >=, end->pass);
  g_assert_cmpuint (end->n_steps, >=, end->step);
  /* ePIE looks at the misfit of the last pass once more. */
  for (guint64 i = 0; i + 1 < plain->n_rows; i++)
    {
      const double a = prism_history_get_row (plain->history, i).loss_new;
      const double b = prism_history_get_row (end->history, i).loss_new;

      n_equal += a == b || (isnan (a) && isnan (b));
    }
  g_assert_cmpuint (n_equal + 1, >=, plain->n_rows);
}

/* Where the passes end for another reason, it is told. */
static void
test_not_converged (void)
{
  PrismConfig *config = make_config (TRUE);
  g_autoptr (PrismSnapshot) end = NULL;
  g_autofree char *text = NULL;
  Run run;

  config->method = PRISM_METHOD_DECODER;
  config->samples = 6;
  config->steps = 1;
  config->start_steps = 1;
  config->polish = 5;
  config->until_converged = TRUE;
  config->converged_below = 0.0001;
  run_open (&run, config, NULL, 1);
  do
    {
      g_clear_pointer (&end, prism_snapshot_unref);
      end = publish (&run);
    }
  while (end->settling.change == 0.0 && step (&run));
  g_assert_cmpint (end->settling.kind, ==, PRISM_SETTLING_OPEN);
  text = prism_settling_dup_text (&end->settling);
  g_assert_nonnull (strstr (text, "below 0.0001 % they end"));
  g_assert_true (prism_trainer_finish (run.trainer, NULL));
  g_clear_pointer (&end, prism_snapshot_unref);
  end = publish (&run);
  g_assert_cmpint (end->settling.kind, ==, PRISM_SETTLING_MOVING);
  run_close (&run);
  prism_config_free (config);
}

static PrismConfig *
make_sparse_config (void)
{
  PrismConfig *config = make_config (TRUE);

  config->aperture_radius = 2.5;
  config->samples = 24;
  return config;
}

/* Where apertures touch nowhere, passes are stuck; the fields behind the frames lead on. */
static void
test_aligned (void)
{
  g_autoptr (PrismSnapshot) end = run_to_end (make_sparse_config ());

  g_test_message ("%.2f dB after %u rows", end->metrics.psnr, (guint) end->n_rows);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SPARED);
  g_assert_cmpuint (end->n_rows, ==, end->step);
  g_assert_cmpfloat (end->metrics.psnr, >, 36.0);
  check_last_row (end);
}

/* With noise they do where passes have failed. */
static void
test_rescued (void)
{
  PrismConfig *config = make_sparse_config ();
  g_autoptr (PrismSnapshot) end = NULL;

  config->snr = 25.0;
  config->polish = 100;
  end = run_to_end (config);
  g_test_message ("%.2f dB", end->metrics.psnr);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_RESCUED);
  g_assert_nonnull (strstr (prism_training_get_text (end->training), "fields"));
  g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpfloat (end->metrics.psnr, >, 20.0);
}

/* A device may go at any step; what the passes have come to by then is not lost. */
static void
test_moves (void)
{
  PrismConfig *config = make_config (TRUE);
  g_autoptr (PrismSnapshot) end = NULL, undisturbed = run_to_end (make_config (TRUE));
  g_autoptr (GError) cause = g_error_new_literal (PRISM_ERROR, PRISM_ERROR_MEMORY, "too little");
  g_autoptr (GError) error = NULL;
  PrismBackend *other;
  Run run;

  run_open (&run, config, NULL, 1);
  for (int i = 0; i < 100; i++)
    g_assert_true (step (&run));
  other = run.backend->ops->open (&run.backend->spec, &error);
  g_assert_no_error (error);
  g_assert_true (prism_trainer_move (run.trainer, other, cause, &error));
  g_assert_no_error (error);
  prism_backend_free (run.backend);
  run.backend = other;
  while (step (&run))
    ;
  end = publish (&run);
  g_assert_cmpint (end->training, ==, PRISM_TRAINING_SPARED);
  g_assert_cmpuint (end->n_visited, ==, 40);
  g_assert_cmpfloat_with_epsilon (end->metrics.psnr, undisturbed->metrics.psnr, 0.5);
  run_close (&run);
  prism_config_free (config);
}

int
main (int argc,
      char *argv[])
{
  static const char *const settings[]
      = { "keep_decoder=on", "consistency=0", "polish=0", "finish=epie", "method=decoder" };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/effort/spared", NULL, test_spared);
  g_test_add_data_func ("/engine/effort/spared-with-noise", GINT_TO_POINTER (20), test_spared);
  g_test_add_func ("/engine/effort/moving-is-trained", test_moving_is_trained);
  g_test_add_data_func ("/engine/effort/joins", "replay", test_joins);
  g_test_add_data_func ("/engine/effort/joins/memory", "all", test_joins);
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/effort/as-set/", settings[i], NULL);

      g_test_add_data_func (path, settings[i], test_as_set);
    }
  g_test_add_data_func ("/engine/effort/switched-off/live", "consistency=0", test_switched_off);
  g_test_add_data_func ("/engine/effort/switched-off/polish", "polish=0", test_switched_off);
  g_test_add_func ("/engine/effort/another-noise", test_another_noise);
  g_test_add_func ("/engine/effort/ambiguous", test_ambiguous);
  g_test_add_func ("/engine/effort/ends-when-still", test_ends_when_still);
  g_test_add_data_func ("/engine/effort/until-converged", "", test_until_converged);
  g_test_add_data_func ("/engine/effort/until-converged/noise", "snr=20", test_until_converged);
  g_test_add_data_func ("/engine/effort/until-converged/trained",
                        "method=decoder steps=2 start_steps=5 snr=20 polish=10",
                        test_until_converged);
  g_test_add_data_func ("/engine/effort/until-converged/epie",
                        "method=epie passes=3 converged_below=1", test_until_converged);
  g_test_add_func ("/engine/effort/not-converged", test_not_converged);
  g_test_add_func ("/engine/effort/aligned", test_aligned);
  g_test_add_func ("/engine/effort/rescued", test_rescued);
  g_test_add_func ("/engine/effort/moves", test_moves);
  return g_test_run ();
}
