#include "base/prism-random.h"
#include "history/prism-convergence.h"
#include "../support/test-config.h"

static PrismConfig *
make_config (void)
{
  PrismConfig *config = test_config_new ("convergence=on threshold=0.01");

  config->learning_rate = 4e-3;
  return config;
}

/* Both losses, in a row. */
TEST (stable, "/engine/convergence/stable")
{
  g_autoptr (PrismConfig) config = make_config ();
  PrismConvergence self;

  prism_convergence_begin (&self, 0);
  g_assert_cmpint (prism_convergence_get_tier (&self), ==, PRISM_TIER_NORMAL);
  for (guint i = 1; i <= 9; i++)
    g_assert_cmpuint (prism_convergence_add (&self, config, i, 0.009, 0.0), ==, 0);
  g_assert_cmpint (prism_convergence_get_tier (&self), ==, PRISM_TIER_FAST);
  g_assert_false (prism_convergence_is_stable (&self, config));
  g_assert_cmpuint (prism_convergence_count_undecided (&self, config, 9), ==, 1);
  prism_convergence_add (&self, config, 10, 0.009, 0.011);
  g_assert_cmpuint (self.n_below, ==, 0);
  for (guint i = 11; i <= 19; i++)
    prism_convergence_add (&self, config, i, 0.0, 0.009);
  prism_convergence_add (&self, config, 20, NAN, 0.009);
  g_assert_cmpuint (self.n_below, ==, 0);
  for (guint i = 21; i <= 30; i++)
    {
      g_assert_false (prism_convergence_is_stable (&self, config));
      prism_convergence_add (&self, config, i, 0.009, 0.009);
    }
  g_assert_true (prism_convergence_is_stable (&self, config));
}

/* Steps of a visit whose loss falls by gain every 50 steps until it is boosted; 0: it is not. */
static guint
run_to_plateau (PrismConvergence *self, double loss, double gain, guint n_steps)
{
  g_autoptr (PrismConfig) config = make_config ();

  for (guint i = 1; i <= n_steps; i++)
    {
      double noise = 1.0 + 0.5 * (i % 2) - 0.25;
      guint n_granted = prism_convergence_add (self, config, i, noise * loss, 0.0);

      if (n_granted > 0)
        {
          g_assert_cmpuint (n_granted, ==, 500);
          g_assert_cmpuint (self->n_extra, ==, 500);
          return i;
        }
      if (i % 50 == 0)
        loss *= 1.0 - gain;
    }
  return 0;
}

TEST (plateau, "/engine/convergence/plateau")
{
  static const struct
  {
    guint attempt;
    double loss, gain;
    guint n_steps;
  } cases[] = { { 0, 1.0, 0.009, 200 }, { 0, 1.0, 0.02 }, { 0, 1e-3 }, { 1, 1.0 } };
  PrismConvergence self;

  prism_convergence_begin (&self, 0);
  g_assert_cmpuint (run_to_plateau (&self, 1.0, 0.0, 1000), ==, 200);
  g_assert_cmpint (prism_convergence_get_tier (&self), ==, PRISM_TIER_AGGRESSIVE);
  g_assert_cmpuint (run_to_plateau (&self, 1.0, 0.0, 1000), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      prism_convergence_begin (&self, cases[i].attempt);
      g_assert_cmpuint (run_to_plateau (&self, cases[i].loss, cases[i].gain, 1000), ==,
                        cases[i].n_steps);
    }
}

TEST (rates, "/engine/convergence/rates")
{
  g_autoptr (PrismConfig) config = make_config ();
  PrismConvergence self;

  prism_convergence_begin (&self, 0);
  g_assert_cmpfloat (prism_convergence_get_rate (&self, config, 30, 1e-3), ==, 1e-3);
  run_to_plateau (&self, 1.0, 0.0, 1000);
  g_assert_cmpfloat_with_epsilon (prism_convergence_get_rate (&self, config, 200, 1e-3), 2e-3,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (prism_convergence_get_rate (&self, config, 225, 1e-3),
                                  1e-6 + 0.5 * (2e-3 - 1e-6), 1e-12);
  g_assert_cmpfloat_with_epsilon (prism_convergence_get_rate (&self, config, 250, 1e-3), 2e-3,
                                  1e-12);
  prism_convergence_begin (&self, 1);
  g_assert_cmpuint (self.n_extra, ==, 1000);
  g_assert_cmpint (prism_convergence_get_tier (&self), ==, PRISM_TIER_RESCUE);
  g_assert_cmpfloat_with_epsilon (prism_convergence_get_rate (&self, config, 7, 0.0), 2e-4, 1e-12);
  prism_convergence_begin (&self, 2);
  g_assert_cmpfloat_with_epsilon (prism_convergence_get_rate (&self, config, 7, 0.0), 4e-4 / 3.0,
                                  1e-12);
}

TEST (losses, "/engine/convergence/losses")
{
  const PrismLossKind cycle[] = { PRISM_LOSS_L1, PRISM_LOSS_SSIM, PRISM_LOSS_L2,
                                  PRISM_LOSS_MS_SSIM, PRISM_LOSS_L1 };
  g_autoptr (PrismConfig) config = make_config ();
  PrismConvergence self;

  for (guint attempt = 0; attempt < G_N_ELEMENTS (cycle); attempt++)
    {
      prism_convergence_begin (&self, attempt);
      g_assert_cmpint (prism_convergence_get_loss (&self, config), ==, cycle[attempt]);
    }
  config->loss = PRISM_LOSS_COMPOSITE;
  prism_convergence_begin (&self, 1);
  g_assert_cmpint (prism_convergence_get_loss (&self, config), ==, PRISM_LOSS_L1);
}

static double
draw (guint64 i)
{
  return prism_random_uniform (5, PRISM_STREAM_REPLAY, 0, i);
}

/* Whatever the losses and the chunks, nothing is decided within a chunk of undecided steps. */
TEST (chunks_do_not_decide, "/engine/convergence/chunks-do-not-decide")
{
  g_autoptr (PrismConfig) config = make_config ();
  guint64 n_drawn = 0;
  guint n_decided = 0;

  for (guint run = 0; run < 50; run++)
    {
      PrismConvergence self;
      double share = draw (n_drawn++), n_steps = 700;

      prism_convergence_begin (&self, run % 3);
      for (guint step = 0; step < n_steps && !prism_convergence_is_stable (&self, config);)
        {
          guint n_undecided = prism_convergence_count_undecided (&self, config, step);
          guint n = 1 + (guint) (draw (n_drawn++) * n_undecided);

          g_assert_cmpuint (n_undecided, >=, 1);
          for (guint i = 1; i <= n; i++)
            {
              double loss = draw (n_drawn++) < share ? 0.005 : 0.02;
              guint n_granted = prism_convergence_add (&self, config, ++step, loss, 0.0);

              n_decided += n_granted > 0 || prism_convergence_is_stable (&self, config);
              if (i < n_undecided)
                {
                  g_assert_cmpuint (n_granted, ==, 0);
                  g_assert_false (prism_convergence_is_stable (&self, config));
                }
            }
        }
    }
  g_assert_cmpuint (n_decided, >, 20);
}

TEST (text, "/engine/convergence/text")
{
  guint8 states[20] = { PRISM_SAMPLE_CONVERGED, PRISM_SAMPLE_RESCUED, PRISM_SAMPLE_FAILED,
                        PRISM_SAMPLE_PENDING };

  SAYS (prism_convergence_dup_text (states, 4),
        "2 of 4 positions converged, 1 when tried again; not converged: 3.");
  SAYS (prism_convergence_dup_text (states, 1), "1 of 1 positions converged.");
  SAYS (prism_convergence_dup_text (states, 2), "2 of 2 positions converged, 1 when tried again.");
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    states[i] = PRISM_SAMPLE_FAILED;
  g_autofree char *many = prism_convergence_dup_text (states, 20);
  g_assert_true (g_str_has_suffix (many, ": 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …."));
}
