/* prism-hdf5: what every use of the HDF5 library begins with, and files that it has room for. */
#pragma once

#include <glib.h>
#include <hdf5.h>

G_BEGIN_DECLS

void     prism_hdf5_init    (void);
gboolean prism_hdf5_reserve (const char *path,
                             guint64     n_bytes);
hid_t    prism_hdf5_create  (const char *path,
                             guint64     n_bytes);

G_END_DECLS
