/* prism-fields-readers: the arrays of the files of one format each. Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

PrismFields *prism_fields_load_hdf5   (const char  *path,
                                       GError     **error);
PrismFields *prism_fields_load_npy    (const char  *path,
                                       GError     **error);
PrismFields *prism_fields_open_npy    (const char  *path,
                                       GError     **error);
PrismFields *prism_fields_load_npz    (const char  *path,
                                       GError     **error);
PrismFields *prism_fields_load_json   (const char  *path,
                                       GError     **error);
void         prism_fields_add_json    (PrismFields *self,
                                       JsonNode    *root);
PrismFields *prism_fields_load_yaml   (const char  *path,
                                       GError     **error);
PrismFields *prism_fields_load_matlab (const char  *path,
                                       GError     **error);
PrismFields *prism_fields_load_tiff   (const char  *path,
                                       GError     **error);
PrismFields *prism_fields_load_fits   (const char  *path,
                                       GError     **error);

G_END_DECLS
