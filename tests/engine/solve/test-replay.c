#include "../support/test-config.h"
#include "solve/prism-replay.h"

#define N_AVAILABLE 10
#define N_STEPS 4000

TEST (replay_draws_all_equally, "/engine/replay/draws-all-equally")
{
  g_autoptr (PrismConfig) config = test_config_new ("memory=replay replay=4");
  guint counts[N_AVAILABLE] = { 0 };
  guint picks[PRISM_STEP_MAX_OLD];

  for (guint64 step = 0; step < N_STEPS; step++)
    {
      g_assert_cmpuint (prism_replay_choose (config, step, N_AVAILABLE, picks), ==, 3);
      for (guint k = 0; k < 3; k++)
        {
          g_assert_cmpuint (picks[k], <, N_AVAILABLE);
          counts[picks[k]]++;
        }
    }
  /* 1200 expected, standard deviation 33. */
  for (guint i = 0; i < N_AVAILABLE; i++)
    g_assert_true (counts[i] > 1035 && counts[i] < 1365);
}

TEST (replay_depends_on_seed_and_step_alone, "/engine/replay/depends-on-seed-and-step")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  guint first[PRISM_STEP_MAX_OLD], again[PRISM_STEP_MAX_OLD];
  gboolean differs = FALSE;

  config->replay = 32;
  prism_replay_choose (config, 7, 1000, first);
  prism_replay_choose (config, 7, 1000, again);
  g_assert_cmpmem (first, 31 * sizeof *first, again, 31 * sizeof *again);
  config->seed = 1;
  prism_replay_choose (config, 7, 1000, again);
  for (guint k = 0; k < 31; k++)
    differs |= first[k] != again[k];
  g_assert_true (differs);
}

/* k-1 = 5 divides 10: two steps are one round, and each round holds every measurement once. */
TEST (all_goes_round, "/engine/replay/all-goes-round")
{
  g_autoptr (PrismConfig) config = test_config_new ("memory=all replay=6");
  guint picks[PRISM_STEP_MAX_OLD];

  for (guint64 round = 0; round < 50; round++)
    {
      guint seen = 0;

      for (guint half = 0; half < 2; half++)
        {
          g_assert_cmpuint (prism_replay_choose (config, 2 * round + half, 10, picks), ==, 5);
          for (guint k = 0; k < 5; k++)
            seen |= 1u << picks[k];
        }
      g_assert_cmphex (seen, ==, 0x3ff);
    }
}

TEST (self_draws_nothing, "/engine/replay/self-draws-nothing")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  guint picks[PRISM_STEP_MAX_OLD];

  config->memory = PRISM_MEMORY_SELF;
  g_assert_cmpuint (prism_replay_choose (config, 3, 10, picks), ==, 0);
  config->memory = PRISM_MEMORY_ALL;
  g_assert_cmpuint (prism_replay_choose (config, 3, 1, picks), ==, config->replay - 1);
  g_assert_cmpuint (picks[0], ==, 0);
}
