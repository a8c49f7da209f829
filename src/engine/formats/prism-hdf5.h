/* prism-hdf5: what every use of the HDF5 library begins with, and files that it has room for. */
#pragma once

#include <glib.h>
#include <hdf5.h>

G_BEGIN_DECLS

static inline void
prism_hdf5_clear (hid_t *id)
{
  if (*id >= 0)
    H5Idec_ref (*id);
}

/* Before the declaration of an object of the library's: closes it at the end of its scope. */
#define prism_auto_hid _GLIB_CLEANUP (prism_hdf5_clear) hid_t

gsize prism_hdf5_lzf_unpack   (const guint8 *packed,
                               gsize         n_packed,
                               guint8       *bytes,
                               gsize         n_bytes);

gboolean prism_hdf5_chunks_read (hid_t    dataset,
                                 guint64  first,
                                 guint64  n,
                                 double  *values);

void     prism_hdf5_init    (void);
hid_t    prism_hdf5_create  (const char *path,
                             guint64     n_bytes,
                             gsize       n_before);

G_END_DECLS
