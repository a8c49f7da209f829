/* prism-hdf5-lzf: the filter LZF that h5py compresses by. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_HDF5_LZF 32000            /* number of the filter */

void  prism_hdf5_lzf_register (void);
gsize prism_hdf5_lzf_unpack   (const guint8 *packed,
                               gsize         n_packed,
                               guint8       *bytes,
                               gsize         n_bytes);

G_END_DECLS
