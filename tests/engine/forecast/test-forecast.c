#include "forecast/prism-forecast.h"
#include "forecast/prism-cost-probe.h"
#include "../support/test-config.h"
#include "results/prism-sweep-runner.h"

#include "../support/test-remove-tree.h"

#define BETWEEN 1.2 /* of prism-forecast.c */

/* Small, and its apertures leave no gaps. */
static PrismConfig *
new_config (void)
{
  return test_config_new ("image_size=64 object_size=32 aperture_radius=10 samples=24 "
                          "backend=cpu threads=1");
}

static void
fill (PrismCosts *costs)
{
  memset (costs, 0, sizeof *costs);
  costs->begin = 7.0;
  costs->frame = 1.0;
  costs->judge = 5.0;
  costs->epie_visit = 10.0;
  costs->picture = 100.0;
  costs->step = 1000.0;
}

static double
get_seconds (const PrismConfig *config, const PrismCosts *costs, PrismTraining training)
{
  g_autoptr (PrismPattern) pattern = prism_pattern_new (config, NULL);
  PrismForecast forecast;

  prism_forecast_init (&forecast, config, pattern, costs);
  return forecast.seconds[training];
}

TEST (counts, "/engine/forecast/counts")
{
  g_autoptr (PrismConfig) config = new_config ();
  PrismCosts costs;

  fill (&costs);
  test_config_set (config, "method=epie passes=7");
  /* The device, 24 frames, all of which are judged; 7 passes of 24 visits and a picture. */
  g_assert_cmpfloat_with_epsilon (get_seconds (config, &costs, PRISM_TRAINING_SET),
                                  BETWEEN * (7 + 24 + 24 * 5 + 7 * (24 * 10 + 100)), 1e-6);
  test_config_set (config, "method=auto consistency=0 polish=0 passes=2 steps=30");
  /* Every tenth step has a picture that is measured. */
  g_assert_cmpfloat_with_epsilon (get_seconds (config, &costs, PRISM_TRAINING_SET),
                                  BETWEEN * (7 + 24 + 24 * 5 + 24 * 2 * 30 * (1000 + 10)), 1e-6);
}

/* What the data decide is a range, and only where they do. */
TEST (ranges, "/engine/forecast/ranges")
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autoptr (PrismPattern) pattern = prism_pattern_new (config, NULL);
  PrismForecast forecast;
  PrismCosts costs;

  fill (&costs);
  prism_forecast_init (&forecast, config, pattern, &costs);
  g_assert_cmpint (forecast.likely, ==, PRISM_TRAINING_SPARED);
  g_assert_true (isnan (forecast.seconds[PRISM_TRAINING_SET]));
  g_assert_cmpfloat (forecast.seconds[PRISM_TRAINING_NEEDED], >,
                     forecast.seconds[PRISM_TRAINING_SPARED]);
  g_assert_cmpfloat (forecast.least, ==, forecast.most);
  g_assert_cmpfloat (forecast.longest, ==, forecast.seconds[PRISM_TRAINING_NEEDED]);
  forecast.least = forecast.most = forecast.longest = 0.2;
  SAYS (prism_forecast_dup_text (&forecast), "≈ 1 s");

  config->aperture_radius = 2.0;
  prism_forecast_init (&forecast, config, pattern, &costs);
  g_assert_cmpfloat (forecast.least, ==, forecast.seconds[PRISM_TRAINING_SPARED]);
  g_assert_cmpfloat (forecast.most, ==, forecast.seconds[PRISM_TRAINING_NEEDED]);
  config->snr = 20.0;
  prism_forecast_init (&forecast, config, pattern, &costs);
  g_assert_cmpint (forecast.likely, ==, PRISM_TRAINING_NEEDED);
  forecast.least = 2.4;
  forecast.most = 3725.0;
  forecast.longest = 7205.0;
  SAYS (prism_forecast_dup_text (&forecast), "2 s – 1:02:05 h, at most 2:00:05 h");

  /* Where neither explains the measurements more follows, with noise of any kind. */
  prism_forecast_init (&forecast, config, pattern, &costs);
  g_assert_cmpfloat (forecast.longest, >, forecast.seconds[PRISM_TRAINING_NEEDED]);
  config->read_snr = 30.0;
  prism_forecast_init (&forecast, config, pattern, &costs);
  g_assert_cmpfloat (forecast.longest, >, forecast.seconds[PRISM_TRAINING_NEEDED]);
  config->read_snr = config->snr = 0.0;
  prism_forecast_init (&forecast, config, pattern, &costs);
  g_assert_cmpfloat (forecast.longest, ==, forecast.most);
  config->snr = 20.0;

  config->method = PRISM_METHOD_DECODER;
  prism_forecast_init (&forecast, config, pattern, &costs);
  g_assert_cmpfloat (forecast.longest, ==, forecast.most);
  g_assert_cmpint (forecast.likely, ==, PRISM_TRAINING_SET);
  g_assert_cmpfloat (forecast.least, ==, forecast.most);
}

TEST (shapes, "/engine/forecast/shapes")
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autofree char *shape = prism_costs_dup_shape (config);

  config->steps *= 2;
  config->seed = 7;
  SAYS (prism_costs_dup_shape (config), shape);
  config->object_size = 30;
  g_autofree char *other = prism_costs_dup_shape (config);
  g_assert_cmpstr (other, !=, shape);
}

static char *
dup_only_file (void)
{
  g_autofree char *folder
      = g_build_filename (g_get_user_cache_dir (), "prism-studio", "costs", NULL);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);

  g_assert_nonnull (directory);
  return g_build_filename (folder, g_dir_read_name (directory), NULL);
}

static void
remove_cache (void)
{
  test_remove_tree (in_folder (g_get_user_cache_dir (), "prism-studio"));
}

/* A cache that anybody may have damaged never gives a number that was not written. */
TEST (files, "/engine/forecast/files")
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autofree char *text = NULL;
  PrismCosts costs, again;
  gsize length;

  fill (&costs);
  g_assert_false (prism_costs_load (&again, config));
  g_assert_true (prism_costs_save (&costs, config, NULL));
  g_assert_true (prism_costs_load (&again, config));
  g_assert_cmpmem (&costs, sizeof costs, &again, sizeof again);

  g_autofree char *path = dup_only_file ();
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize cut = 0; cut + 2 < length; cut += 7)
    {
      g_assert_true (g_file_set_contents (path, text, (gssize) cut, NULL));
      g_assert_false (prism_costs_load (&again, config));
    }
  g_auto (GStrv) parts = g_strsplit (text, "1000", 2);
  g_autofree char *text_with_nan = g_strjoinv ("\"nan\"", parts);
  g_assert_cmpstr (text_with_nan, !=, text);
  g_assert_true (g_file_set_contents (path, text_with_nan, -1, NULL));
  g_assert_false (prism_costs_load (&again, config));
  remove_cache ();
}

static PrismSnapshot *
new_end (const PrismConfig *config, PrismState state, double seconds)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->config = prism_config_dup (config);
  snapshot->pattern = prism_pattern_new (config, NULL);
  snapshot->state = state;
  snapshot->training = PRISM_TRAINING_SPARED;
  snapshot->seconds = seconds;
  return snapshot;
}

static double
get_known (const PrismConfig *config)
{
  PrismForecast forecast;

  g_assert_true (prism_forecast_init_config (&forecast, config));
  return forecast.seconds[PRISM_TRAINING_SPARED];
}

/* What finished runs took is told the next time. */
TEST (learning, "/engine/forecast/learning")
{
  g_autoptr (PrismConfig) config = new_config ();
  PrismForecast forecast;
  PrismCosts costs;

  fill (&costs);
  g_assert_false (prism_forecast_init_config (&forecast, config));
  g_assert_true (prism_costs_save (&costs, config, NULL));
  double told = get_known (config);
  g_autoptr (PrismSnapshot) stopped = new_end (config, PRISM_STATE_STOPPED, 3.0 * told);
  prism_forecast_learn (stopped);
  g_assert_cmpfloat (get_known (config), ==, told);
  g_autoptr (PrismSnapshot) first = new_end (config, PRISM_STATE_FINISHED, 3.0 * told);
  prism_forecast_learn (first);
  g_assert_cmpfloat_with_epsilon (get_known (config), 3.0 * told, 1e-6 * told);
  g_autoptr (PrismSnapshot) second = new_end (config, PRISM_STATE_FINISHED, 0.75 * told);
  prism_forecast_learn (second);
  g_assert_cmpfloat_with_epsilon (get_known (config), 1.5 * told, 1e-6 * told);
  remove_cache ();
}

/* A run whose fields were searched in vain took long for that, and not for its decoder. */
TEST (learning_in_vain, "/engine/forecast/learning-in-vain")
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autoptr (PrismSnapshot) in_vain = NULL, explained = NULL;
  PrismForecast before, after;
  PrismCosts costs;

  fill (&costs);
  config->snr = 20.0;
  g_assert_true (prism_costs_save (&costs, config, NULL));
  g_assert_true (prism_forecast_init_config (&before, config));
  in_vain = new_end (config, PRISM_STATE_FINISHED, 3.0 * before.seconds[PRISM_TRAINING_NEEDED]);
  in_vain->training = PRISM_TRAINING_NEEDED;
  in_vain->verdict.kind = PRISM_VERDICT_UNEXPLAINED;
  prism_forecast_learn (in_vain);
  g_assert_true (prism_forecast_init_config (&after, config));
  g_assert_cmpfloat (after.seconds[PRISM_TRAINING_NEEDED], ==,
                     before.seconds[PRISM_TRAINING_NEEDED]);
  g_assert_cmpfloat_with_epsilon (after.longest, in_vain->seconds, 1e-6 * in_vain->seconds);
  explained = new_end (config, PRISM_STATE_FINISHED, 19.0 * before.seconds[PRISM_TRAINING_NEEDED]);
  explained->training = PRISM_TRAINING_NEEDED;
  explained->verdict.kind = PRISM_VERDICT_EXPLAINED;
  prism_forecast_learn (explained);
  g_assert_true (prism_forecast_init_config (&after, config));
  g_assert_cmpfloat (after.seconds[PRISM_TRAINING_NEEDED], >,
                     18.0 * before.seconds[PRISM_TRAINING_NEEDED]);
  g_assert_cmpfloat (after.longest, >=, after.seconds[PRISM_TRAINING_NEEDED]);
  remove_cache ();
}

/* The runs of a sweep, so many at a time; one of them alone takes as long as it takes. */
TEST (sweeps, "/engine/forecast/sweeps")
{
  g_autoptr (PrismConfig) config = new_config ();
  PrismSweepTerms terms = { .n_jobs = 1, .n_threads = 1 };
  PrismForecast one, all;
  PrismCosts costs;

  fill (&costs);
  config->method = PRISM_METHOD_DECODER;
  g_autoptr (PrismSweep) sweep = prism_sweep_new (config);
  g_assert_true (prism_sweep_add_axis (sweep, "seed=1,2,3,4", NULL));
  g_assert_true (prism_sweep_check (sweep, NULL));
  g_assert_false (prism_sweep_forecast_init (&all, sweep, NULL, &terms));
  g_assert_true (prism_costs_save (&costs, config, NULL));
  g_assert_true (prism_forecast_init_config (&one, config));
  for (terms.n_jobs = 1; terms.n_jobs <= 8; terms.n_jobs *= 2)
    {
      g_assert_true (prism_sweep_forecast_init (&all, sweep, NULL, &terms));
      g_assert_cmpfloat_with_epsilon (all.least, one.least * MAX (4 / terms.n_jobs, 1), 1e-6);
      g_assert_cmpfloat (all.most, ==, all.least);
    }
  /* Each run is a process beside. */
  terms = (PrismSweepTerms) { .n_jobs = 2, .n_threads = 1, .start = 50.0 };
  g_assert_true (prism_sweep_forecast_init (&all, sweep, NULL, &terms));
  g_assert_cmpfloat_with_epsilon (all.least, 2.0 * (one.least + 50.0), 1e-6);
  remove_cache ();
}

static void
check_timed (const PrismConfig *config, const PrismCosts *costs)
{
  const gboolean trains = prism_config_trains (config);

  g_assert_cmpfloat (costs->begin, >, 0.0);
  g_assert_cmpfloat (costs->frame, >, 0.0);
  g_assert_cmpfloat (costs->judge, >, 0.0);
  g_assert_cmpfloat (costs->picture, >, 0.0);
  g_assert_cmpint (costs->visit + costs->pass > 0.0, ==, trains);
  g_assert_cmpint (costs->brief_visit + costs->brief_pass > 0.0, ==, trains);
  g_assert_cmpint (costs->step > 0.0, ==, trains);
  g_assert_cmpint (costs->epie_visit > 0.0, ==, !trains);
}

TEST (trials, "/engine/forecast/trials")
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  PrismCosts costs;

  g_assert_true (MUST (prism_cost_probe_run (&costs, config, NULL, &error)));
  check_timed (config, &costs);
  g_assert_cmpfloat (costs.search + costs.search_frame, >, 0.0);
  g_assert_cmpfloat (costs.field, >, 0.0);
  test_config_set (config, "snr=20 samples=1");
  g_assert_true (prism_cost_probe_run (&costs, config, NULL, &error));
  check_timed (config, &costs);
  config->method = PRISM_METHOD_EPIE;
  g_assert_true (prism_cost_probe_run (&costs, config, NULL, &error));
  check_timed (config, &costs);
  g_cancellable_cancel (cancellable);
  g_assert_false (prism_cost_probe_run (&costs, config, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-forecast-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  int code = prism_test_run ();
  test_remove_tree (folder);
  return code;
}
