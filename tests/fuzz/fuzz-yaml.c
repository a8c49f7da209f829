#include "config.h"

#include "formats/prism-yaml.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (GPtrArray) entries = prism_yaml_parse ((const char *) data, size, "fuzz", NULL);

  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      const PrismYamlEntry *entry = entries->pdata[i];

      g_assert_true (g_utf8_validate (entry->path, -1, NULL));
      g_assert_true (entry->value == NULL || g_utf8_validate (entry->value, -1, NULL));
    }
  return 0;
}
