#include "config.h"

#include "fuzz.h"
#include "formats/prism-npy.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (PrismNpy) array = prism_npy_load_bytes (bytes, "fuzz", NULL);
  gsize n_values = 1;

  if (array == NULL || array->values == NULL)
    return 0;
  for (int i = 0; i < array->n_dims; i++)
    n_values *= array->shape[i];
  g_assert_cmpuint (n_values, ==, array->n_values);
  return 0;
}
