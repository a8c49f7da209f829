/* prism-json: numbers as JSON can hold them. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

void prism_json_add_number (JsonBuilder *builder,
                            const char  *name,
                            double       value);

G_END_DECLS
