/* prism-npy: NumPy arrays: read .npy and .npz, write .npy. Thread: any. */
#pragma once

#include "base/prism-arena.h"

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_NPY_MAX_DIMS 8

typedef struct _PrismNpy PrismNpy;
typedef struct _PrismNpz PrismNpz;

struct _PrismNpy
{
  int n_dims;
  gsize shape[PRISM_NPY_MAX_DIMS];
  gsize n_values;                       /* product of shape; 1 for a scalar */
  gboolean is_complex;                  /* real and imaginary part are the last dimension */
  double *values;                       /* [n_values], C order, NULL for text */
  char *text;                           /* a scalar string (<U or |S), else NULL */
};

PrismNpy *prism_npy_load       (const char  *path,
                                GError     **error);
PrismNpy *prism_npy_load_bytes (GBytes      *bytes,
                                const char  *name,
                                GError     **error);
void      prism_npy_free       (PrismNpy *self);
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

PrismNpz *prism_npz_load       (const char  *path,
                                GError     **error);
void      prism_npz_free       (PrismNpz *self);
gboolean  prism_npz_has        (PrismNpz   *self,
                                const char *key);
char    **prism_npz_dup_keys   (PrismNpz *self);
PrismNpy *prism_npz_get        (PrismNpz    *self,
                                const char  *key,
                                GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismNpy, prism_npy_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismNpz, prism_npz_free)

G_END_DECLS
