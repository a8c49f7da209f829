/* prism-fields-hdf5: the arrays of an HDF5 file: PtyLab, CXI, MATLAB 7.3. Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"

G_BEGIN_DECLS

PrismFields *prism_fields_load_hdf5       (const char  *path,
                                           GError     **error);

G_END_DECLS
