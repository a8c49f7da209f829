/* prism-npy: what NumPy's arrays begin with, and .npy files of them. Thread: any. */
#pragma once

#include "base/prism-arena.h"
#include "formats/prism-fields.h"

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_NPY_MAX_DIMS 8

gboolean  prism_npy_list       (PrismFields  *self,
                                const char   *name,
                                const char   *shown,
                                GBytes       *bytes,
                                GError      **error);
int       prism_npy_read_shape (GBytes *bytes,
                                gsize   shape[PRISM_NPY_MAX_DIMS]);
GBytes   *prism_npy_new_header (int          n_dims,
                                const gsize *shape);
gboolean  prism_npy_save       (const char   *path,
                                const float  *values,
                                int           n_dims,
                                const gsize  *shape,
                                GError      **error);
gboolean  prism_npy_save_complex (const char   *path,
                                  const float  *values,
                                  int           n_dims,
                                  const gsize  *shape,
                                  GError      **error);

G_END_DECLS
