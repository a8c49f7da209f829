/* prism-hdf5-chunks: frames that are compressed each for itself, which libhdf5 would decompress one
 * after the other. Thread: any, one at a time in the library. */
#pragma once

#include "formats/prism-hdf5.h"

G_BEGIN_DECLS

gboolean prism_hdf5_chunks_read (hid_t    dataset,
                                 guint64  first,
                                 guint64  n,
                                 double  *values);

G_END_DECLS
