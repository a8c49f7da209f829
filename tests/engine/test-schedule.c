#include "config.h"

#include "prism-schedule.h"

#include <math.h>

static void
test_cosine_falls_from_the_rate_to_zero (void)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->learning_rate = 4e-3;
  config->schedule = PRISM_SCHEDULE_COSINE;
  g_assert_cmpfloat_with_epsilon (prism_schedule_get_rate (config, 0.0), 4e-3, 1e-12);
  g_assert_cmpfloat_with_epsilon (prism_schedule_get_rate (config, 0.25),
                                  2e-3 * (1.0 + sqrt (0.5)), 1e-12);
  g_assert_cmpfloat_with_epsilon (prism_schedule_get_rate (config, 0.5), 2e-3, 1e-12);
  g_assert_cmpfloat_with_epsilon (prism_schedule_get_rate (config, 1.0), 0.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (prism_schedule_get_rate (config, 1.5), 0.0, 1e-12);
}

static void
test_constant_stays (void)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->learning_rate = 1e-3;
  config->schedule = PRISM_SCHEDULE_CONSTANT;
  g_assert_cmpfloat (prism_schedule_get_rate (config, 0.9), ==, 1e-3);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/schedule/cosine", test_cosine_falls_from_the_rate_to_zero);
  g_test_add_func ("/engine/schedule/constant", test_constant_stays);
  return g_test_run ();
}
