#include "config.h"

#include "fuzz.h"
#include "import/prism-import.h"

/* YAML and command lines of the first PRISM: what they come to can be read again. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  for (int training = 0; training < 2; training++)
    {
      g_autoptr (PrismImport) import
          = prism_import_parse ((const char *) data, size, training, NULL);
      g_autofree char *text = NULL;
      g_autoptr (PrismConfig) again = NULL;

      if (import == NULL)
        return 0;
      text = prism_config_to_text (import->config);
      again = prism_config_load_text (text, -1, "again", NULL);
      g_assert_nonnull (again);
      for (guint i = 0; i < import->notes->len; i++)
        g_assert_true (g_utf8_validate (import->notes->pdata[i], -1, NULL));
    }
  return 0;
}
