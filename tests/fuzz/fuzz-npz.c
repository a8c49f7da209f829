#include "config.h"

#include "fuzz.h"
#include "prism-npy.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (PrismNpz) archive = prism_npz_load (fuzz_get_path (data, size), NULL);
  g_autoptr (PrismNpy) array = NULL;

  if (archive != NULL && prism_npz_has (archive, "a"))
    array = prism_npz_get (archive, "a", NULL);
  return 0;
}
