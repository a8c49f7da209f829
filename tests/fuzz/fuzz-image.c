#include "config.h"

#include "fuzz.h"
#include "formats/prism-image.h"

#include <math.h>

/* One target per format: which it is, is told by the seeds' first bytes. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (PrismImage) image = prism_image_load_bytes (bytes, "fuzz", NULL);

  if (image == NULL)
    return 0;
  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    g_assert_true (isfinite (image->pixels[i]));
  return 0;
}
