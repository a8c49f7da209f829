#include "history/prism-schedule.h"
#include "prism-test.h"

static double
get_rate (const PrismConfig *config, double progress)
{
  PrismPlateau plateau;

  prism_plateau_init (&plateau);
  return prism_schedule_get_rate (config, progress, 0, &plateau);
}

TEST (cosine_falls_from_the_rate_to_zero, "/engine/schedule/cosine")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->learning_rate = 4e-3;
  config->schedule = PRISM_SCHEDULE_COSINE;
  g_assert_cmpfloat_with_epsilon (get_rate (config, 0.0), 4e-3, 1e-12);
  g_assert_cmpfloat_with_epsilon (get_rate (config, 0.25), 2e-3 * (1.0 + sqrt (0.5)), 1e-12);
  g_assert_cmpfloat_with_epsilon (get_rate (config, 0.5), 2e-3, 1e-12);
  g_assert_cmpfloat_with_epsilon (get_rate (config, 1.0), 0.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (get_rate (config, 1.5), 0.0, 1e-12);
}

TEST (constant_stays, "/engine/schedule/constant")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->learning_rate = 1e-3;
  config->schedule = PRISM_SCHEDULE_CONSTANT;
  g_assert_cmpfloat (get_rate (config, 0.9), ==, 1e-3);
}

/* Cycles of 50, 100 and 200 steps. */
TEST (restarts, "/engine/schedule/restarts")
{
  const struct
  {
    guint64 step;
    double part;
  } points[] = {
    { 0, 1.0 },
    { 25, 0.5 },
    { 50, 1.0 },
    { 100, 0.5 },
    { 150, 1.0 },
    { 250, 0.5 },
    { 350, 1.0 },
  };
  g_autoptr (PrismConfig) config = prism_config_new ();
  PrismPlateau plateau;

  prism_plateau_init (&plateau);
  config->schedule = PRISM_SCHEDULE_RESTARTS;
  config->learning_rate = 4e-3;
  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    g_assert_cmpfloat_with_epsilon (
        prism_schedule_get_rate (config, 0.7, points[i].step, &plateau),
        1e-6 + points[i].part * (4e-3 - 1e-6), 1e-12);
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.7, 49, &plateau), <, 1e-5);
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.7, 149, &plateau), >, 1e-6);
  config->learning_rate = 1e-7;
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.7, 33, &plateau), ==, 1e-7);
}

static void
end_sample (PrismPlateau *plateau, double loss)
{
  prism_plateau_add (plateau, loss * 0.5);
  prism_plateau_add (plateau, NAN);
  prism_plateau_add (plateau, loss * 1.5);
  prism_plateau_end_sample (plateau);
}

TEST (plateau, "/engine/schedule/plateau")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  PrismPlateau plateau;

  config->schedule = PRISM_SCHEDULE_PLATEAU;
  config->learning_rate = 4e-3;
  prism_plateau_init (&plateau);
  for (int i = 0; i < 30; i++)
    end_sample (&plateau, 1.0 - 0.01 * i);
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.5, 9, &plateau), ==, 4e-3);
  for (int i = 0; i < 10; i++)
    end_sample (&plateau, 0.709999);
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.5, 9, &plateau), ==, 4e-3);
  end_sample (&plateau, 0.8);
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.5, 9, &plateau), ==, 2e-3);
  for (int i = 0; i < 10; i++)
    end_sample (&plateau, i == 5 ? 0.5 : 0.8);
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.5, 9, &plateau), ==, 2e-3);
  for (int i = 0; i < 7; i++)
    prism_plateau_end_sample (&plateau);
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.5, 9, &plateau), ==, 1e-3);
}
