/* test-config: settings of a test, as they are typed. */
#pragma once

#include "config/prism-config.h"
#include "prism-test.h"

/* settings: "image_size=64 method=epie". Returns config. */
static inline PrismConfig *
test_config_set (PrismConfig *config, const char *settings)
{
  g_auto (GStrv) words = g_strsplit (settings, " ", -1);

  for (char **word = words; *word != NULL; word++)
    {
      g_auto (GStrv) pair = g_strsplit (*word, "=", 2);

      MUST (prism_config_set_text (config, pair[0], pair[1], &error));
    }
  return config;
}

/* Returns (transfer full): what is not set is as in the program. */
static inline PrismConfig *
test_config_new (const char *settings)
{
  return test_config_set (prism_config_new (), settings);
}
