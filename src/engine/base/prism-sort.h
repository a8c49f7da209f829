/* prism-sort: a stable sort of an array; GLib 2.82 has another name for it. */
#pragma once

#include <glib.h>

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

G_END_DECLS
