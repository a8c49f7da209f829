#include "config.h"

#include "fuzz.h"
#include "formats/prism-npy.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (PrismNpz) archive = prism_npz_load (fuzz_get_path (data, size), NULL);
  static const char *const keys[] = { "a", "b" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys) && archive != NULL; i++)
    {
      g_autoptr (PrismNpy) array = prism_npz_get (archive, keys[i], NULL);

      g_assert_true (array == NULL || prism_npz_has (archive, keys[i]));
    }
  return 0;
}
