#include "config.h"

#include "prism-consistency.h"
#include "prism-object.h"
#include "prism-trainer.h"

#include <math.h>
#include <string.h>

/* The live picture, alone and in whole short runs: n = 128, m = 64, N = 30. */

#define N_SAMPLES 30
#define N_EARLY 1 /* samples during which there is no live picture yet */
#define N_PIXELS (64 * 64)

typedef struct
{
  PrismConfig *config;
  PrismImage *object;
  PrismPattern *pattern;
  PrismBackend *backend;
  PrismCache *cache;
} Fixture;

static PrismConfig *
make_config (int consistency)
{
  PrismConfig *config = prism_config_new ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "moon64.npy", NULL);

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

static void
open_fixture (Fixture *fixture,
              PrismConfig *config)
{
  g_autoptr (GError) error = NULL;
  PrismBackendSpec spec;

  fixture->config = config;
  fixture->object = prism_object_load (config, &error);
  g_assert_no_error (error);
  fixture->pattern = prism_pattern_new (config, NULL);
  g_assert_true (prism_trainer_init_spec (config, N_SAMPLES, &spec, NULL));
  fixture->backend = prism_cpu_backend_ops.open (&spec, NULL);
  fixture->cache = prism_cache_new (100 << 20);
}

static void
close_fixture (Fixture *fixture)
{
  prism_cache_free (fixture->cache);
  prism_backend_free (fixture->backend);
  prism_pattern_unref (fixture->pattern);
  prism_image_unref (fixture->object);
  prism_config_free (fixture->config);
}

static double
get_psnr (Fixture *fixture,
          const float *image)
{
  double sum = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    sum += pow (image[i] - fixture->object->pixels[i], 2.0);
  return -10.0 * log10 (sum / N_PIXELS);
}

static PrismTrainer *
make_trainer (Fixture *fixture)
{
  PrismTrainerSource source
      = { fixture->backend, fixture->cache, fixture->object, 1, fixture->pattern };

  return prism_trainer_new (fixture->config, &source, NULL);
}

static PrismSnapshot *
run_to_phase (PrismTrainer *trainer,
              PrismPhase phase)
{
  g_autoptr (GError) error = NULL;
  PrismSnapshot *snapshot = prism_snapshot_new ();

  while (prism_trainer_get_phase (trainer) != phase)
    {
      prism_trainer_step (trainer, &error);
      g_assert_no_error (error);
    }
  prism_trainer_publish (trainer, snapshot, TRUE);
  return snapshot;
}

static void
run_passes (PrismConsistency *consistency,
            guint n_samples,
            guint n_passes,
            guint n_at_once,
            const float *decoder)
{
  PrismConsistencyRound round = { n_samples, n_passes, .smoothness = 1.0 };

  round.last = n_samples == N_SAMPLES;
  g_assert_true (prism_consistency_begin (consistency, &round, decoder, NULL));
  while (!prism_consistency_is_done (consistency))
    {
      guint n_visited;

      g_assert_true (prism_consistency_step (consistency, n_at_once, &n_visited, NULL));
      g_assert_cmpuint (n_visited, >=, 1);
      g_assert_cmpuint (n_visited, <=, n_at_once);
    }
}

static PrismMeasurements *
take_measurements (Fixture *fixture)
{
  PrismMeasurements *measurements
      = prism_measurements_new (fixture->config, fixture->backend, fixture->cache, 1,
                                fixture->pattern);

  fixture->backend->ops->set_object (fixture->backend, fixture->object->pixels, NULL);
  for (guint i = 0; i < N_SAMPLES; i++)
    g_assert_true (prism_measurements_acquire (measurements, i, NULL));
  return measurements;
}

static void
run_round (PrismConsistency *consistency,
           guint n_samples,
           guint n_at_once,
           const float *decoder)
{
  run_passes (consistency, n_samples, 4, n_at_once, decoder);
}

static void
test_misfit_never_rises (void)
{
  g_autofree float *decoder = g_new (float, N_PIXELS);
  g_autoptr (PrismConsistency) consistency = NULL;
  PrismMeasurements *measurements;
  double before = INFINITY;
  Fixture fixture;

  open_fixture (&fixture, make_config (4));
  measurements = take_measurements (&fixture);
  consistency = prism_consistency_new (fixture.backend, measurements, NULL);
  g_assert_null (prism_consistency_get_image (consistency));
  for (int i = 0; i < N_PIXELS; i++)
    decoder[i] = 0.5f;
  for (int round = 0; round < 25; round++)
    {
      run_round (consistency, N_SAMPLES, 8, decoder);
      g_assert_cmpfloat (prism_consistency_get_misfit (consistency), <=, MAX (before, 1e-8));
      before = prism_consistency_get_misfit (consistency);
    }
  g_test_message ("misfit %g", before);
  g_assert_cmpfloat (before, <, 1e-3);
  g_clear_pointer (&consistency, prism_consistency_free);
  prism_measurements_free (measurements);
  close_fixture (&fixture);
}

/* The decoder has the answer: the live picture, stuck elsewhere, takes it over. */
static void
test_decoder_can_win (void)
{
  g_autofree float *blank = g_new0 (float, N_PIXELS);
  g_autoptr (PrismConsistency) consistency = NULL;
  PrismMeasurements *measurements;
  double stuck;
  Fixture fixture;

  open_fixture (&fixture, make_config (4));
  measurements = take_measurements (&fixture);
  consistency = prism_consistency_new (fixture.backend, measurements, NULL);
  run_round (consistency, 20, 8, blank);
  stuck = get_psnr (&fixture, prism_consistency_get_image (consistency));
  for (int round = 0; round < 25; round++)
    run_round (consistency, N_SAMPLES, 8, fixture.object->pixels);
  g_test_message ("%.1f dB, then %.1f", stuck,
                  get_psnr (&fixture, prism_consistency_get_image (consistency)));
  g_assert_cmpfloat (get_psnr (&fixture, prism_consistency_get_image (consistency)), >, 60.0);
  g_clear_pointer (&consistency, prism_consistency_free);
  prism_measurements_free (measurements);
  close_fixture (&fixture);
}

/* The last round gives the decoder's image all the passes it needs. */
static void
test_decoder_can_win_at_last (void)
{
  g_autofree float *wrong = g_new0 (float, N_PIXELS);
  g_autoptr (PrismConsistency) consistency = NULL;
  PrismMeasurements *measurements;
  double before, after;
  Fixture fixture;

  open_fixture (&fixture, make_config (4));
  fixture.config->snr = 10.0;
  measurements = take_measurements (&fixture);
  consistency = prism_consistency_new (fixture.backend, measurements, NULL);
  for (int i = 0; i < N_PIXELS; i++)
    wrong[i] = i % 16 < 3 ? 1.0f : 0.0f;
  run_passes (consistency, N_SAMPLES - 1, 1, 8, wrong);
  before = get_psnr (&fixture, prism_consistency_get_image (consistency));
  run_passes (consistency, N_SAMPLES, 1, 8, fixture.object->pixels);
  after = get_psnr (&fixture, prism_consistency_get_image (consistency));
  g_test_message ("%.1f dB, then %.1f", before, after);
  g_assert_cmpfloat (before, <, 30.0);
  g_assert_cmpfloat (after, >, 35.0);
  g_clear_pointer (&consistency, prism_consistency_free);
  prism_measurements_free (measurements);
  close_fixture (&fixture);
}

/* But for rounding: the sums over several measurements are rounded once. */
static void
test_pieces_do_not_matter (void)
{
  const guint n_at_once[] = { 1, 13 };
  g_autofree float *first = g_new (float, N_PIXELS);
  Fixture fixture;

  open_fixture (&fixture, make_config (4));
  fixture.config->snr = 10.0;
  for (int k = 0; k < 2; k++)
    {
      PrismMeasurements *measurements = take_measurements (&fixture);
      PrismConsistency *consistency = prism_consistency_new (fixture.backend, measurements, NULL);

      for (guint n = 1; n <= N_SAMPLES; n++)
        run_round (consistency, n, n_at_once[k], fixture.object->pixels);
      if (k == 0)
        memcpy (first, prism_consistency_get_image (consistency), N_PIXELS * sizeof (float));
      else
        for (int i = 0; i < N_PIXELS; i++)
          g_assert_cmpfloat_with_epsilon (first[i], prism_consistency_get_image (consistency)[i],
                                          1e-3);
      prism_consistency_free (consistency);
      prism_measurements_free (measurements);
    }
  close_fixture (&fixture);
}

static void
test_work_is_bounded (void)
{
  guint n_due = 0;

  for (guint n = 1; n <= 1000; n++)
    n_due += prism_consistency_is_due (n, 1000);
  g_assert_cmpuint (n_due, ==, 101);
  g_assert_true (prism_consistency_is_due (1000, 1000));
  for (guint n = 1; n <= 100; n++)
    g_assert_true (prism_consistency_is_due (n, 100));
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

      if (row.sample < N_EARLY || isnan (row.psnr))
        continue;
      last = row.psnr;
      best = MAX (best, last);
      *largest_fall = MAX (*largest_fall, best - last);
    }
  return last;
}

static void
test_live_is_nearly_final (gconstpointer snr)
{
  g_autoptr (PrismSnapshot) snapshot = NULL;
  PrismTrainer *trainer;
  Fixture fixture;
  double live, fall;

  open_fixture (&fixture, make_config (6));
  fixture.config->snr = GPOINTER_TO_INT (snr);
  trainer = make_trainer (&fixture);
  snapshot = run_to_phase (trainer, PRISM_PHASE_DONE);
  live = get_live_psnr (snapshot, &fall);
  g_test_message ("live %.2f dB, final %.2f dB, largest fall %.2f dB", live,
                  snapshot->metrics.psnr, fall);
  g_assert_cmpfloat (live, >, snapshot->metrics.psnr - 0.5);
  g_assert_cmpfloat (fall, <, 0.5);
  prism_trainer_free (trainer);
  close_fixture (&fixture);
}

/* The last round takes a while: its passes are told. */
static void
test_last_round_is_told (void)
{
  PrismTrainer *trainer;
  Fixture fixture;
  guint last = 0, n_passes = 0;

  open_fixture (&fixture, make_config (1));
  fixture.config->snr = 10.0;
  fixture.config->steps = 2;
  fixture.config->polish = 0;
  trainer = make_trainer (&fixture);
  while (prism_trainer_get_phase (trainer) != PRISM_PHASE_DONE)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

      g_assert_true (prism_trainer_step (trainer, NULL));
      prism_trainer_publish (trainer, snapshot, FALSE);
      if (snapshot->n_live_passes == 0)
        continue;
      g_assert_cmpuint (snapshot->n_visited, ==, N_SAMPLES);
      g_assert_cmpuint (snapshot->live_pass, >=, last);
      last = snapshot->live_pass;
      n_passes = snapshot->n_live_passes;
    }
  g_assert_cmpuint (n_passes, ==, prism_consistency_count_last (1, TRUE));
  g_assert_cmpuint (last, >=, n_passes - 1);
  prism_trainer_free (trainer);
  close_fixture (&fixture);
}

/* What the decoder learns is the same with the live picture as without it. */
static void
test_decoder_is_not_disturbed (void)
{
  float *images[2];

  for (int k = 0; k < 2; k++)
    {
      g_autoptr (PrismSnapshot) snapshot = NULL;
      PrismTrainer *trainer;
      Fixture fixture;

      open_fixture (&fixture, make_config (k == 0 ? 0 : 3));
      fixture.config->polish = 0;
      trainer = make_trainer (&fixture);
      snapshot = run_to_phase (trainer, PRISM_PHASE_DONE);
      images[k] = g_new (float, N_PIXELS);
      fixture.backend->ops->read_image (fixture.backend, PRISM_SOURCE_DECODER, images[k]);
      if (k == 0)
        g_assert_cmpmem (images[0], N_PIXELS * sizeof (float), snapshot->reconstruction->pixels,
                         N_PIXELS * sizeof (float));
      else
        g_assert_cmpfloat (snapshot->metrics.psnr, >, get_psnr (&fixture, images[1]) + 3.0);
      prism_trainer_free (trainer);
      close_fixture (&fixture);
    }
  g_assert_cmpmem (images[0], N_PIXELS * sizeof (float), images[1], N_PIXELS * sizeof (float));
  g_free (images[0]);
  g_free (images[1]);
}

static void
test_stop_keeps_it (void)
{
  g_autoptr (PrismSnapshot) before = prism_snapshot_new (), after = prism_snapshot_new ();
  PrismTrainer *trainer;
  Fixture fixture;

  open_fixture (&fixture, make_config (3));
  trainer = make_trainer (&fixture);
  while (prism_trainer_get_n_visits (trainer) < 12)
    g_assert_true (prism_trainer_step (trainer, NULL));
  for (int i = 0; i < 5; i++)
    g_assert_true (prism_trainer_step (trainer, NULL));
  prism_trainer_publish (trainer, before, TRUE);
  g_assert_true (prism_trainer_finish (trainer, NULL));
  prism_trainer_publish (trainer, after, TRUE);
  g_assert_cmpmem (before->reconstruction->pixels, N_PIXELS * sizeof (float),
                   after->reconstruction->pixels, N_PIXELS * sizeof (float));
  g_assert_cmpfloat_with_epsilon (before->metrics.psnr, after->metrics.psnr, 1e-3);
  prism_trainer_free (trainer);
  close_fixture (&fixture);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/consistency/misfit-never-rises", test_misfit_never_rises);
  g_test_add_func ("/engine/consistency/decoder-can-win", test_decoder_can_win);
  g_test_add_func ("/engine/consistency/decoder-can-win-at-last", test_decoder_can_win_at_last);
  g_test_add_func ("/engine/consistency/pieces-do-not-matter", test_pieces_do_not_matter);
  g_test_add_func ("/engine/consistency/work-is-bounded", test_work_is_bounded);
  g_test_add_data_func ("/engine/consistency/live-is-nearly-final/no-noise", GINT_TO_POINTER (0),
                        test_live_is_nearly_final);
  g_test_add_data_func ("/engine/consistency/live-is-nearly-final/10-db", GINT_TO_POINTER (10),
                        test_live_is_nearly_final);
  g_test_add_func ("/engine/consistency/last-round-is-told", test_last_round_is_told);
  g_test_add_func ("/engine/consistency/decoder-is-not-disturbed", test_decoder_is_not_disturbed);
  g_test_add_func ("/engine/consistency/stop-keeps-it", test_stop_keeps_it);
  return g_test_run ();
}
