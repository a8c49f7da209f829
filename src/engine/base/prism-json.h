/* prism-json: numbers as JSON can hold them, and JSON from files that anybody may have written.
 *
 * Thread: any. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

void      prism_json_add_number   (JsonBuilder *builder,
                                   const char  *name,
                                   double       value);
void      prism_json_add_integer  (JsonBuilder *builder,
                                   const char  *name,
                                   guint64      value);
void      prism_json_add_string   (JsonBuilder *builder,
                                   const char  *name,
                                   const char  *value);
void      prism_json_add_null     (JsonBuilder *builder,
                                   const char  *name);
void      prism_json_begin_object (JsonBuilder *builder,
                                   const char  *name);
char     *prism_json_dup_text     (JsonBuilder *builder);
char     *prism_json_dup_quoted   (const char  *text);
JsonNode *prism_json_parse_object (const char *text,
                                   gsize       length);
double    prism_json_get_number   (JsonObject *object,
                                   const char *name);
const char *
          prism_json_get_text     (JsonObject *object,
                                   const char *name);

G_END_DECLS
