#include "test-run-common.h"
#include "../support/test-sanitized.h"

/* Runs that are written to a file and begun again in a new device, at many places, end with the
 * bits of one that was never interrupted. PRISM_TEST_LONG=1 interrupts 50 times in the training and
 * 50 times in the polish instead of 7; under the thread sanitizer it is twice. */

#define SHORT_INTERRUPTIONS (IS_THREAD_SANITIZED ? 2 : 7)
#define LONG_INTERRUPTIONS 50

typedef struct
{
  const char *name;
  const char *settings; /* KEY=VALUE, separated by blanks, beside those of make_config() */
} Case;

static const Case cases[] = {
  { "replay", "" },
  { "noise", "snr=15 energy_weight=0.5" },
  { "self", "memory=self" },
  { "all", "memory=all loss=ssim" },
  { "two-passes", "passes=2 fresh_adam=on threshold=0.02" },
  { "self-two-passes", "memory=self passes=2 steps=5" },
  { "energy", "order=energy snr=20" },
  { "synthetic", "start_target=synthetic snr=20" },
  { "no-start", "start_steps=0 polish=0" },
  { "finish-epie", "finish=epie snr=20" },
  { "epie", "method=epie passes=6" },
  { "network", "norm=none latent=24" },
  { "composite", "loss=composite" },
  { "live", "consistency=2 samples=24 steps=2 snr=20" },
  { "live-epie", "consistency=1 samples=12 steps=2 finish=epie" },
  { "optimiser", "weight_decay=0.01 amsgrad=on clip_norm=1" },
  { "plateau", "schedule=plateau samples=14 steps=2" },
  { "restarts", "schedule=restarts steps=20" },
  { "converging", "convergence=on threshold=0.2 patience=2 memory=self" },
  { "rescued", "convergence=on threshold=0.00001 max_retries=1 samples=2 steps=210" },
  { "photons", "photons=1e6 read_snr=25" },
  { "line", "line_length=6 method=epie passes=4 snr=20" },
  { "line-decoder", "line_length=6 mopie_update=serial finish=epie" },
  { "small-cache", "cache_size=1 samples=40 steps=2" },
  { "small-frames", "frames=small aperture_radius=4 samples=24 steps=2" },
  { "small-frames-noise", "frames=small aperture_radius=3 samples=24 steps=2 snr=20" },
  { "small-frames-line", "frames=small aperture_radius=3 line_length=4 samples=12 read_snr=25" },
  { "training-spared", "method=auto frames=auto aperture_radius=9 samples=40 polish=8" },
  { "until-converged", "method=auto frames=auto aperture_radius=9 samples=40 polish=8 "
                       "until_converged=on converged_below=0.02" },
  { "until-converged-trained", "aperture_radius=9 samples=20 steps=2 polish=6 snr=20 "
                               "until_converged=on converged_below=0.05" },
  { "until-converged-epie", "method=epie passes=4 until_converged=on converged_below=2" },
  { "training-spared-noise", "method=auto frames=auto aperture_radius=9 samples=40 snr=20" },
  { "training-spared-aligned", "method=auto frames=auto aperture_radius=2.5 samples=24 polish=10" },
  { "training-spared-early",
    "method=auto frames=auto object=shepp-logan aperture_radius=4 samples=40 polish=10" },
  { "training-spared-late",
    "method=auto frames=auto object=shepp-logan aperture_radius=4.5 samples=24 polish=10" },
  { "training-rescued",
    "method=auto frames=auto aperture_radius=2.5 samples=24 polish=20 snr=25" },
  { "training-spared-questioned",
    "method=auto frames=auto object=ice-moon object_invert=on object_size=20 aperture_radius=6 "
    "samples=3 snr=25 polish=20" },
  { "training-needed", "method=auto frames=auto aperture_radius=4 memory=all" },
  { "small-frames-cache", "frames=small aperture_radius=3 cache_size=1 samples=40 steps=2 snr=20" },
};

static PrismConfig *
make_config (const char *settings)
{
  PrismConfig *config = make_small_config ();

  return *settings != '\0' ? test_config_set (config, settings) : config;
}

static void
compare_numbers (double a, double b)
{
  g_assert_true (a == b || (isnan (a) && isnan (b)));
}

static void
compare_rows (const PrismHistoryRow *a, const PrismHistoryRow *b)
{
  g_assert_cmpuint (a->step, ==, b->step);
  g_assert_cmpint (a->sample, ==, b->sample);
  g_assert_cmpuint (a->sample_step, ==, b->sample_step);
  compare_numbers (a->loss_new, b->loss_new);
  compare_numbers (a->loss_old, b->loss_old);
  compare_numbers (a->learning_rate, b->learning_rate);
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    compare_numbers (a->metrics.values[i], b->metrics.values[i]);
}

static void
compare_weights (Run *a, Run *b)
{
  gsize n = a->backend->spec.decoder.n_parameters;
  g_autofree float *left = g_new (float, n), *right = g_new (float, n);

  if (a->config->method == PRISM_METHOD_EPIE)
    return;
  a->backend->ops->get_parameters (a->backend, left);
  b->backend->ops->get_parameters (b->backend, right);
  g_assert_cmpmem (left, n * sizeof *left, right, n * sizeof *right);
}

static void
compare_ends (Run *a, Run *b)
{
  g_autoptr (PrismSnapshot) left = publish (a), right = publish (b);

  g_assert_cmpuint (left->n_rows, ==, right->n_rows);
  for (guint64 i = 0; i < left->n_rows; i++)
    {
      PrismHistoryRow p = prism_history_get_row (left->history, i);
      PrismHistoryRow q = prism_history_get_row (right->history, i);

      compare_rows (&p, &q);
    }
  compare_images (left->reconstruction, right->reconstruction);
  g_assert_true ((left->second == NULL) == (right->second == NULL));
  if (left->second != NULL)
    compare_images (left->second, right->second);
  compare_images (left->coverage_plane, right->coverage_plane);
  compare_numbers (left->metrics.psnr, right->metrics.psnr);
  compare_numbers (left->misfit, right->misfit);
  g_assert_cmpuint (left->n_visited, ==, right->n_visited);
  g_assert_cmpuint (left->frames->n_moments, ==, right->frames->n_moments);
  compare_weights (a, b);
}

/* Returns: how many steps there were before the phase */
static guint
run_to (Run *run, PrismPhase phase)
{
  guint n_steps = 0;

  while (run->trainer->now.phase < phase && step (run))
    n_steps++;
  return n_steps;
}

/* Whether step i of n is one of n_wanted that lie evenly among them. */
static gboolean
is_place (guint i, guint n, guint n_wanted)
{
  return n > 0 && i < n && (guint64) i * n_wanted / n != ((guint64) i + 1) * n_wanted / n;
}

/* A chain: each interruption is one of a run that was interrupted before. Half of them
 * fall into the training, half into the polish. */
static void
test_case (Fixture *fixture, gconstpointer data)
{
  const Case *test = data;
  g_autoptr (PrismConfig) config = make_config (test->settings);
  guint n_wanted = g_getenv ("PRISM_TEST_LONG") != NULL ? LONG_INTERRUPTIONS : SHORT_INTERRUPTIONS;
  guint n_done = 0;
  Run reference, run;

  run_open (&reference, config, NULL, 1);
  guint n_trained = run_to (&reference, PRISM_PHASE_POLISH);
  guint n_steps = run_to (&reference, PRISM_PHASE_DONE);
  run_open (&run, config, NULL, 2);
  for (guint i = 0; i < n_trained + n_steps; i++)
    {
      if (is_place (i, n_trained, n_wanted) || is_place (i - n_trained, n_steps, n_wanted))
        interrupt (&run, fixture->path, 1 + n_done++ % 3);
      step (&run);
    }
  /* A pass of the polish that was interrupted was done again: some steps are left. */
  run_to (&run, PRISM_PHASE_DONE);
  interrupt (&run, fixture->path, 1);
  g_test_message ("%s: %u steps, %u interruptions", test->name, n_trained + n_steps, n_done + 1);
  compare_ends (&reference, &run);
  run_close (&run);
  run_close (&reference);
}

/* Live settings and the noise's strength are part of a run, too. */
TEST_FIXTURE (update, "/engine/run-resume/update")
{
  g_autoptr (PrismConfig) config = make_config ("snr=20 energy_weight=0.5");
  g_autoptr (PrismConfig) changed = prism_config_dup (config);
  Run runs[2];

  changed->snr = 12.0;
  changed->learning_rate *= 0.5;
  changed->polish += 2;
  g_autoptr (PrismConfig) again = prism_config_dup (changed);
  again->polish = 1;
  again->finish = PRISM_FINISH_EPIE;
  for (int i = 0; i < 2; i++)
    {
      run_open (&runs[i], config, NULL, 1 + i);
      for (int k = 0; k < 60; k++)
        {
          if (k == 30)
            prism_trainer_update (runs[i].trainer, changed);
          if (i == 1 && (k == 20 || k == 33 || k == 44))
            interrupt (&runs[i], self->path, 2);
          step (&runs[i]);
        }
      run_to (&runs[i], PRISM_PHASE_POLISH);
      for (int k = 0; k < 10; k++)
        step (&runs[i]);
      prism_trainer_update (runs[i].trainer, again);
      if (i == 1)
        interrupt (&runs[i], self->path, 2);
      run_to (&runs[i], PRISM_PHASE_DONE);
    }
  compare_ends (&runs[0], &runs[1]);
  run_close (&runs[0]);
  run_close (&runs[1]);
}

/* Between a change of the noise and the first look at a measurement nobody knows its energy, which
 * the others are weighed by: neither does a run that is taken up there. */
TEST_FIXTURE (noise, "/engine/run-resume/noise-changes")
{
  g_autoptr (PrismConfig) config
      = make_config ("snr=20 energy_weight=0.5 samples=30 steps=3 replay=2 consistency=1"),
      changed = prism_config_dup (config);

  changed->snr = 12.0;
  for (guint place = 80; place < 90; place++)
    {
      Run runs[2];

      for (int i = 0; i < 2; i++)
        {
          run_open (&runs[i], config, NULL, 1);
          for (guint k = 0; k < 100; k++)
            {
              if (k == place)
                prism_trainer_update (runs[i].trainer, changed);
              if (i == 1 && k == place + 1)
                interrupt (&runs[i], self->path, 1);
              step (&runs[i]);
            }
          run_to (&runs[i], PRISM_PHASE_DONE);
        }
      compare_ends (&runs[0], &runs[1]);
      run_close (&runs[0]);
      run_close (&runs[1]);
    }
}

TESTS
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/run-resume/%s", cases[i].name);
      g_test_add (path, Fixture, &cases[i], set_up, test_case, tear_down);
    }
}
