/* prism-sort: a stable sort of an array; GLib 2.82 has another name for it. And of numbers. */
#pragma once

#include <glib.h>
#include <stdlib.h>

G_BEGIN_DECLS

static inline void
prism_sort (gpointer array,
            gsize n,
            gsize size,
            GCompareDataFunc compare,
            gpointer data)
{
#if GLIB_CHECK_VERSION (2, 82, 0)
  g_sort_array (array, n, size, compare, data);
#else
  g_qsort_with_data (array, (int) n, size, compare, data);
#endif
}

static inline int
prism_compare_doubles (gconstpointer a,
                       gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Ascending, in place. */
static inline void
prism_sort_doubles (double *values,
                    gsize n)
{
  qsort (values, n, sizeof *values, prism_compare_doubles);
}

void prism_sort_floats (float *values,
                        gsize  n);

G_END_DECLS
