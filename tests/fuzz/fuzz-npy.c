#include "config.h"

#include "fuzz.h"
#include "formats/prism-fields-readers.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (PrismFields) file = prism_fields_load_npy (fuzz_get_path (data, size), NULL);

  g_assert_true (file == NULL || file->fields->len == 1);
  return 0;
}
