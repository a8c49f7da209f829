#include "config.h"

#include "fuzz.h"
#include "config/prism-config.h"
#include "model/prism-config-check.h"

/* What is read must come back the same from its own text, and can be checked; one in eight comes
 * from a file, with the paths that it names. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (PrismConfig) config = prism_config_load_text ((const char *) data, size, "fuzz", NULL);

  if (size % 8 == 0)
    prism_config_free (prism_config_load (fuzz_get_path (data, size), NULL));
  if (config == NULL)
    return 0;
  g_autofree char *text = prism_config_to_text (config);
  g_autoptr (PrismConfig) again = prism_config_load_text (text, -1, "again", NULL);
  g_assert_nonnull (again);
  g_assert_true (prism_config_equal (config, again));
  prism_config_check (config, NULL);
  return 0;
}
