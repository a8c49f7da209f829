#include "config.h"

#include "base/prism-arena.h"
#include "formats/prism-pickle.h"
#include "fuzz.h"

#include <math.h>

/* A pickle may hold itself: no deeper than that. */
static void
visit (PrismPickle *file,
       const PrismPickleValue *value,
       guint depth)
{
  gsize shape[PRISM_PICKLE_MAX_DIMS], n = 1;
  const PrismPickleValue *item;
  const char *key;
  gboolean is_complex;
  int n_dims = prism_pickle_get_shape (value, shape, &is_complex);

  prism_pickle_get_text (value);
  for (int i = 0; i < n_dims; i++)
    n *= shape[i];
  if (n_dims >= 0 && n <= 65536)
    {
      prism_autofree_array double *values = prism_pickle_load_tensor (file, value, NULL);

      for (gsize i = 0; values != NULL && i < n; i++)
        g_assert_true (isnan (values[i]) || fabs (values[i]) <= INFINITY);
    }
  for (guint i = 0; i < 16 && depth < 3 && prism_pickle_get_item (value, i, &key, &item); i++)
    visit (file, item, depth + 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  const PrismPickleValue *root;
  g_autoptr (PrismPickle) file = prism_pickle_load (fuzz_get_path (data, size), &root, NULL);

  if (file != NULL)
    visit (file, root, 0);
  return 0;
}
