#include "config.h"

#include "fuzz.h"
#include "import/prism-import.h"

/* Settings of the first PRISM: what they come to is a configuration, and can be told. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (PrismImport) import
      = prism_import_parse ((const char *) data, size, size % 2 == 0, NULL);
  g_autoptr (GError) error = NULL;
  const char *wrong;

  if (import == NULL)
    return 0;
  g_assert_true (prism_config_check_ranges (import->config, &wrong, &error));
  for (guint i = 0; i < import->notes->len; i++)
    g_assert_true (g_utf8_validate (import->notes->pdata[i], -1, NULL));
  return 0;
}
